/* Handles POST /v1/scenes/{s}/advance: reads the options, runs steps, writes progress lines and the
 * reply. */
#include "handlers/advance.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "documents/elastic_json.h"
#include "documents/motion_json.h"
#include "queries/force_request.h"
#include "queries/given_contacts.h"
#include "results/result_json.h"

/* Nominal cost of a simulation, ns. The real cost is not known beforehand: each step searches
 * contacts, also of meshes, and event-driven modes choose the number of steps. The value exceeds
 * the limits for work on the event loop's thread and for work without interruption. */
#define UNKNOWN_NS 1e12
/* Greatest component of gravity, m/s^2. */
#define GRAVITY_MAX 1e6
/* Greatest number of events listed in a reply or a progress line; further ones are only counted. */
#define EVENTS_MAX 10000
/* Default time step, s. */
#define TIME_STEP 1e-3
/* Assumed memory of a contact in a step, for detection and solver, bytes. requestMemoryBytes
 * divided by it limits the number of contacts. */
#define BYTES_PER_CONTACT 4096

struct api_advance {
  ct_advance_options options;
  ct_advance *motion;
  ct_status status;
  bool done;
  bool in_lines;     /* the reply is streamed with progress lines */
  bool poses;        /* the reply and the progress lines list poses */
  bool lists;        /* the reply and the progress lines list the events since the previous line */
  api_buffer events; /* collected events as JSON, separated by commas */
  size_t event_count;
  uint64_t left_out;
  double every,
      next_line; /* interval of progress lines, and time of the next one; simulated time, s */
  const ct_scene *scene; /* borrowed from the call */
  api_buffer lines;
  bool delivered; /* `lines` have been passed to the caller and may be overwritten */
};

enum {
  DURATION,
  TIME_STEP_MEMBER,
  MODE,
  GRAVITY,
  CONTACT_TOLERANCE,
  VELOCITY_TOLERANCE,
  REST_VELOCITY,
  FRICTION,
  LOADS,
  ELASTIC,
  PROGRESS,
  INCLUDE,
  DEADLINE,
  COUNT
};

static void destroy_advance(api_call *call) {
  api_advance *advance = call->advance;
  ct_advance_destroy(advance->motion);
  api_buffer_free(&advance->lines);
  api_buffer_free(&advance->events);
  free(advance);
}

/* ---- decode --------------------------------------------------------------------------------- */

static bool read_advance_mode(api_reader *reader, const api_field *field, ct_advance_mode *out) {
  static const char *const words[] = {
#define MODE_WORD(name, word) word,
      CT_ADVANCE_MODE_MAP(MODE_WORD)
#undef MODE_WORD
  };
  size_t which = 0;
  bool good = api_read_word(reader, field, words, CT_ADVANCE_MODE_COUNT, &which);
  *out = (ct_advance_mode)which;
  return good;
}

static bool read_advance_include(api_reader *reader, const api_field *field, api_advance *advance) {
  static const char *const words[] = {"poses", "events"};
  bool *const included[] = {&advance->poses, &advance->lists};
  size_t count = 0;
  if (!api_field_present(field)) return true;
  if (!api_read_array(reader, field, 0, 2, &count)) return false;
  for (size_t i = 0; i < count; i++) {
    api_field element = api_field_element(field, i);
    size_t which = 0;
    if (!api_read_word(reader, &element, words, 2, &which)) return false;
    *included[which] = true;
  }
  if (!advance->lists || advance->options.mode != CT_ADVANCE_STEPPING) return true;
  api_fault_at(reader->faults, API_PROBLEM_CONFLICTING_MEMBERS, &field->path,
               "include \"events\" cannot be combined with mode timeStepping, whose contacts have "
               "no instants: remove \"events\", or use another mode.");
  return false;
}

/* Checks that the simulation does not need more than CT_ADVANCE_STEPS_MAX steps. With the default
 * timeStep, even the greatest duration does not. */
static bool check_step_count(api_reader *reader, const api_field *field,
                             const ct_advance_options *options) {
  double steps = ceil(options->duration / options->time_step);
  if (steps <= CT_ADVANCE_STEPS_MAX) return true;
  api_fault_limit(api_fault_at(reader->faults, API_PROBLEM_OUT_OF_RANGE, &field->path,
                               "The duration needs %llu steps of this timeStep; the limit is %llu: "
                               "use a longer timeStep or a shorter duration.",
                               (unsigned long long)steps, (unsigned long long)CT_ADVANCE_STEPS_MAX),
                  CT_ADVANCE_STEPS_MAX, steps);
  return false;
}

static bool read_advance_times(api_reader *reader, const api_field *m, api_advance *advance) {
  ct_advance_options *options = &advance->options;
  bool good =
      api_read_number(reader, &m[DURATION], CT_SIZE_MIN, CT_DURATION_MAX, &options->duration);
  good = api_read_number(reader, &m[TIME_STEP_MEMBER], CT_SIZE_MIN, CT_DURATION_MAX,
                         &options->time_step) &&
         good;
  good = good && check_step_count(reader, &m[TIME_STEP_MEMBER], options);
  advance->in_lines = api_field_present(&m[PROGRESS]);
  return api_read_number(reader, &m[PROGRESS], CT_SIZE_MIN, CT_DURATION_MAX, &advance->every) &&
         good;
}

static bool read_advance_tolerances(api_reader *reader, const api_field *m,
                                    ct_advance_options *options) {
  bool good =
      api_read_number(reader, &m[CONTACT_TOLERANCE], 0.0, CT_SIZE_MAX, &options->contact_tolerance);
  options->velocity_tolerance =
      ct_scene_velocity_tolerance(options->contact_tolerance, options->gravity);
  good = api_read_number(reader, &m[VELOCITY_TOLERANCE], 0.0, API_SPEED_MAX,
                         &options->velocity_tolerance) &&
         good;
  options->rest_velocity = options->velocity_tolerance;
  return api_read_number(reader, &m[REST_VELOCITY], 0.0, API_SPEED_MAX, &options->rest_velocity) &&
         good;
}

/* If the mode uses the elastic law, checks that every body has elastic moduli. */
static bool check_elastic_moduli(const api_call *call, api_reader *reader, const api_field *mode,
                                 const ct_advance_options *options) {
  uint32_t collider;
  char echo[API_ECHO_MAX + 4];
  for (uint32_t row = 0; options->mode == CT_ADVANCE_COMPLIANT && row < ct_scene_rows(call->scene);
       row++) {
    if (!api_find_soft(call->scene, row, &collider)) continue;
    api_fault_at(reader->faults, API_PROBLEM_BAD_VALUE, &mode->path, API_NO_MODULI_TEXT, collider,
                 api_echo(ct_body_id(ct_scene_body(call->scene, row)), echo));
    return false;
  }
  return true;
}

/* If the mode uses the elastic law, checks that every mesh is a solid. */
static bool check_solid_meshes(const api_call *call, api_reader *reader, const api_field *mode,
                               const ct_advance_options *options) {
  char echo[API_ECHO_MAX + 4];
  for (uint32_t row = 0; options->mode == CT_ADVANCE_COMPLIANT && row < ct_scene_rows(call->scene);
       row++) {
    const ct_body *body = ct_scene_body(call->scene, row);
    for (uint32_t i = 0; body && i < ct_body_collider_count(body); i++) {
      const ct_shape shape = ct_body_collider(body, i).shape;
      if (!ct_shape_is_surface(&shape)) continue;
      api_fault_at(reader->faults, API_PROBLEM_OPEN_MESH, &mode->path,
                   "Collider %u of body \"%s\" is a mesh that is not a solid, and the elastic law "
                   "has no force on it: close and orient its triangles, or use another mode.",
                   i, api_echo(ct_body_id(body), echo));
      return false;
    }
  }
  return true;
}

static bool read_advance(api_call *call, api_advance *advance) {
  api_reader reader = api_call_reader(call);
  ct_advance_options *options = &advance->options;
  api_field root;
  api_field m[COUNT] = {[DURATION] = {.name = "duration", .required = true},
                        [TIME_STEP_MEMBER] = {.name = "timeStep"},
                        [MODE] = {.name = "mode"},
                        [GRAVITY] = {.name = "gravity"},
                        [CONTACT_TOLERANCE] = {.name = "contactTolerance"},
                        [VELOCITY_TOLERANCE] = {.name = "velocityTolerance"},
                        [REST_VELOCITY] = {.name = "restVelocity"},
                        [FRICTION] = {.name = "friction"},
                        [LOADS] = {.name = "loads"},
                        [ELASTIC] = {.name = "elastic"},
                        [PROGRESS] = {.name = "progressEvery"},
                        [INCLUDE] = {.name = "include"},
                        [DEADLINE] = {.name = "deadlineMs"}};
  if (!api_call_parse(call, &root)) return false;
  /* The defaults of these options are properties of the scene. */
  options->gravity = ct_scene_gravity(call->scene);
  options->time_step = TIME_STEP;
  options->contact_tolerance = ct_scene_default_epsilon(call->scene);
  options->contacts_max = (size_t)(call->service->limits.request_memory_bytes / BYTES_PER_CONTACT);
  options->cancel = call->input.cancel;
  bool friction = true;
  bool good = api_read_object(&reader, &root, m, COUNT);
  good = api_read_unsigned(&reader, &m[DEADLINE], 1, call->service->limits.deadline_max_ms,
                           &call->deadline_ms) &&
         good;
  good = read_advance_times(&reader, m, advance) && good;
  good = read_advance_mode(&reader, &m[MODE], &options->mode) &&
         check_elastic_moduli(call, &reader, &m[MODE], options) &&
         check_solid_meshes(call, &reader, &m[MODE], options) && good;
  good = api_read_vec3(&reader, &m[GRAVITY], GRAVITY_MAX, &options->gravity) && good;
  good = read_advance_tolerances(&reader, m, options) && good;
  good = api_read_bool(&reader, &m[FRICTION], &friction) && good;
  options->frictionless = !friction;
  ct_mechanics_options loads = {0};
  good = api_read_loads(&reader, &m[LOADS], call->scene, &loads) && good;
  options->loads = loads.loads;
  options->load_count = loads.load_count;
  /* The force of a fast separating contact may pull, as in Modia3D: truncating it at zero would
   * make the force non-smooth. */
  options->elastic.pull = true;
  good = api_read_elastic(&reader, &m[ELASTIC], &options->elastic, NULL) && good;
  good = api_reject_unused(&reader, &m[ELASTIC], options->mode != CT_ADVANCE_COMPLIANT,
                           "mode eventCompliant") &&
         good;
  return read_advance_include(&reader, &m[INCLUDE], advance) && good;
}

/* ---- begin ---------------------------------------------------------------------------------- */

static void add_advance_limit_fault(api_call *call) {
  const api_advance *advance = call->advance;
  uint32_t row = CT_NO_ROW;
  ct_advance_limit why =
      advance->motion ? ct_advance_limit_reason(advance->motion, &row) : CT_ADVANCE_LIMIT_CONTACTS;
  char echo[API_ECHO_MAX + 4] = "";
  if (row != CT_NO_ROW) api_echo(ct_body_id(ct_scene_body(call->scene, row)), echo);
  switch (why) {
  case CT_ADVANCE_LIMIT_REACH:
    api_fault_plain(&call->faults, API_PROBLEM_LIMIT_EXCEEDED,
                    "The body \"%s\" moves beyond the largest coordinate, 1e9 m: use a shorter "
                    "duration; nothing has changed.",
                    echo);
    break;
  case CT_ADVANCE_LIMIT_SPEED:
    api_fault_plain(&call->faults, API_PROBLEM_LIMIT_EXCEEDED,
                    "The body \"%s\" exceeds the largest speed, 1e9 m/s or rad/s: use a shorter "
                    "duration; nothing has changed.",
                    echo);
    break;
  case CT_ADVANCE_LIMIT_TURN:
    api_fault_plain(&call->faults, API_PROBLEM_LIMIT_EXCEEDED,
                    "The body \"%s\" turns by more than a million rad within one step: use a "
                    "shorter timeStep; nothing has changed.",
                    echo);
    break;
  case CT_ADVANCE_LIMIT_SQUEEZE:
    api_fault_plain(&call->faults, API_PROBLEM_LIMIT_EXCEEDED,
                    "Kinematic bodies press the body \"%s\" into others from %g s on, and no "
                    "impulses of rigid bodies can separate them: use mode timeStepping, or a "
                    "shorter duration; nothing has changed.",
                    echo, ct_advance_now(advance->motion).time);
    break;
  default:
    api_fault_plain(&call->faults, API_PROBLEM_LIMIT_EXCEEDED,
                    "A step has more than %zu contacts, the most that requestMemoryBytes allows: "
                    "simulate fewer bodies.",
                    advance->options.contacts_max);
  }
}

static api_step fail_advance(api_call *call, ct_status status) {
  if (status == CT_CANCELLED) api_fault_cancelled(&call->faults);
  else if (status == CT_PAIR_LIMIT)
    api_fault_plain(&call->faults, API_PROBLEM_PAIR_LIMIT,
                    "A step has more candidate pairs than the limit, %d: simulate fewer bodies.",
                    CT_PAIRS_MAX);
  else if (status == CT_LIMIT) add_advance_limit_fault(call);
  else api_fault_memory(&call->faults);
  return api_call_fail(call);
}

/* Checks that every dynamic body has an invertible inertia. False with BAD_MASS. */
static bool check_invertible_inertias(api_call *call) {
  uint32_t row = api_find_singular(call->scene);
  if (row == CT_NO_ROW) return true;
  char echo[API_ECHO_MAX + 4];
  api_fault_plain(&call->faults, API_PROBLEM_BAD_MASS,
                  "The dynamic body \"%s\" needs a mass and an invertible inertia: set mass and a "
                  "positive inertiaDiagonal in its motion.",
                  api_echo(ct_body_id(ct_scene_body(call->scene, row)), echo));
  return false;
}

/* ---- the work ------------------------------------------------------------------------------- */

static double advance_cost(const api_call *call) {
  (void)call;
  return UNKNOWN_NS;
}

/* Returns 0, the range of the next step, until the duration is simulated; then -1. */
static long next_advance_step(api_call *call) {
  const api_advance *advance = call->advance;
  return advance->done || advance->status != CT_OK ? -1 : 0;
}

static void put_advance_state(api_buffer *out, const ct_advance_state *state) {
  api_put_member_number(out, "time", state->time);
  api_put_member_unsigned(out, "steps", state->steps);
  api_put_member_unsigned(out, "events", state->events);
  api_put_member_unsigned(out, "contacts", state->contacts);
  api_put_member_number(out, "penetration", state->penetration);
  api_put_member_number(out, "kineticEnergy", state->kinetic_energy);
  api_put_member_number(out, "potentialEnergy", state->potential_energy);
  api_put_member_vec3(out, "momentum", state->momentum);
  api_put_member_vec3(out, "angularMomentum", state->angular_momentum);
  api_put_member_vec3(out, "contactImpulse", state->contact_impulse);
  api_put_member_number(out, "work", state->work);
  api_put_member_bool(out, "converged", state->not_converged == 0);
  api_put_member_number(out, "residual", state->residual);
  api_put_member_unsigned(out, "notConverged", state->not_converged);
  api_put_member_unsigned(out, "guarded", state->guarded);
  api_put_member_unsigned(out, "contradictory", state->contradictory);
}

static void put_error_scale(api_buffer *out, const ct_error_scale *scale) {
  api_put_key(out, "errorScale");
  api_put_byte(out, '{');
  api_put_member_number(out, "relative", scale->relative);
  api_put_member_number(out, "position", scale->position);
  api_put_member_number(out, "velocity", scale->velocity);
  api_put_byte(out, '}');
}

typedef enum column {
  IDS,
  POSITIONS,
  ROTATIONS,
  LINEAR_VELOCITIES,
  ANGULAR_VELOCITIES,
  COLUMNS
} column;

static void put_pose_cell(api_buffer *out, column which, const ct_body *body, const ct_pose *pose,
                          const ct_velocity *velocity) {
  api_put_item(out);
  switch (which) {
  case IDS: api_put_string(out, ct_body_id(body)); break;
  case POSITIONS: api_put_vec3(out, pose->position); break;
  case ROTATIONS: api_put_quat(out, pose->rotation); break;
  case LINEAR_VELOCITIES: api_put_vec3(out, velocity->linear); break;
  default: api_put_vec3(out, velocity->angular); break;
  }
}

/* Puts poses and velocities of all bodies with a motion, as columns that PATCH /poses accepts. */
static void put_pose_columns(api_buffer *out, const api_advance *advance) {
  static const char *const names[COLUMNS] = {"ids", "positions", "rotations", "linearVelocities",
                                             "angularVelocities"};
  api_put_key(out, "poses");
  api_put_byte(out, '{');
  for (column which = IDS; which < COLUMNS; which++) {
    api_put_key(out, names[which]);
    api_put_byte(out, '[');
    for (uint32_t row = 0; row < ct_scene_rows(advance->scene); row++) {
      const ct_body *body = ct_scene_body(advance->scene, row);
      if (!body || !ct_body_motion(body)) continue;
      ct_pose pose;
      ct_velocity velocity;
      ct_advance_body(advance->motion, row, &pose, &velocity);
      put_pose_cell(out, which, body, &pose, &velocity);
    }
    api_put_byte(out, ']');
  }
  api_put_byte(out, '}');
}

static void put_advance_event(api_buffer *out, const ct_scene *scene,
                              const ct_advance_event *event) {
  static const char *const words[] = {
#define EVENT_WORD(name, word) word,
      CT_ADVANCE_EVENT_MAP(EVENT_WORD)
#undef EVENT_WORD
  };
  const ct_body *a = ct_scene_body(scene, event->row_a), *b = ct_scene_body(scene, event->row_b);
  api_put_item(out);
  api_put_byte(out, '{');
  api_put_member_number(out, "time", event->time);
  api_put_member_string(out, "event", api_text(words[event->kind]));
  api_put_id(out, "a", ct_body_id(a));
  api_put_id(out, "b", ct_body_id(b));
  api_put_collider_name(out, "colliderA", a, event->collider_a);
  api_put_collider_name(out, "colliderB", b, event->collider_b);
  api_put_surface_of(out, a, event->collider_a, b, event->collider_b);
  api_put_member_number(out, "normalVelocity", event->normal_velocity);
  api_put_byte(out, '}');
}

/* Appends the events of the last step to the collected ones. */
static void collect_events(api_advance *advance) {
  size_t count;
  const ct_advance_event *events = ct_advance_events(advance->motion, &count);
  for (size_t i = 0; i < count; i++) {
    if (advance->event_count == EVENTS_MAX) {
      advance->left_out++;
      continue;
    }
    put_advance_event(&advance->events, advance->scene, &events[i]);
    advance->event_count++;
  }
}

/* Puts the members eventList and, if events were left out, their number; clears the collected
 * events. */
static void put_collected_events(api_buffer *out, api_advance *advance) {
  api_put_key(out, "eventList");
  api_put_byte(out, '[');
  api_put_bytes(out, advance->events.bytes, advance->events.length);
  api_put_byte(out, ']');
  if (advance->left_out > 0) api_put_member_unsigned(out, "eventsOmitted", advance->left_out);
  if (advance->events.failed) out->failed = true;
  advance->events.length = advance->event_count = 0;
  advance->left_out = 0;
}

/* Appends a progress line. No line is written at the end of the simulation, which the reply
 * reports. */
static void write_progress_line(api_advance *advance, const ct_advance_state *state) {
  assert(advance->in_lines && advance->every > 0.0);
  if (advance->delivered) advance->lines.length = 0;
  advance->delivered = false;
  api_put_byte(&advance->lines, '{');
  put_advance_state(&advance->lines, state);
  if (advance->lists) put_collected_events(&advance->lines, advance);
  if (advance->poses) put_pose_columns(&advance->lines, advance);
  api_put_raw(&advance->lines, "}\n");
  /* The next line is due at the next multiple of progressEvery. If round-off yields the current
   * time again, the next step writes a line. */
  advance->next_line = advance->every * (floor(state->time / advance->every) + 1.0);
}

/* Adds the solver's iterations of one step to the thread's counters. */
static void count_solved_step(const ct_advance_state *before, const ct_advance *motion,
                              api_solver_counts *solved) {
  const ct_advance_state now = ct_advance_now(motion);
  bool failed =
      now.not_converged > before->not_converged && now.contradictory == before->contradictory;
  if (now.steps > before->steps)
    api_solver_counts_add(solved, now.iterations - before->iterations, failed);
}

static void run_advance_step(api_call *call, long range, api_scratch *scratch) {
  api_advance *advance = call->advance;
  assert(range == 0 && !advance->done && advance->status == CT_OK);
  (void)range;
  const ct_advance_state before = ct_advance_now(advance->motion);
  advance->status =
      ct_advance_step(advance->motion, scratch->workspace, scratch->arena, &advance->done);
  count_solved_step(&before, advance->motion, &scratch->solved);
  if (advance->lists && advance->status == CT_OK) collect_events(advance);
  if (advance->status != CT_OK || advance->done || !advance->in_lines) return;
  ct_advance_state state = ct_advance_now(advance->motion);
  if (state.time >= advance->next_line) write_progress_line(advance, &state);
}

static const char *read_progress_lines(api_call *call, size_t *length) {
  api_advance *advance = call->advance;
  if (advance->delivered || advance->lines.length == 0 || advance->lines.failed) return NULL;
  advance->delivered = true;
  *length = advance->lines.length;
  return advance->lines.bytes;
}

/* Writes the progress made until the deadline, as a sentence to append to an error's detail; at
 * most API_HINT_MAX bytes. */
static void write_advance_hint(const api_call *call, char *out) {
  const api_advance *advance = call->advance;
  assert(advance->motion);
  ct_advance_state state = ct_advance_now(advance->motion);
  uint32_t row;
  double pace = ct_advance_pace(advance->motion, &row);
  char echo[API_ECHO_MAX + 4], why[API_ECHO_MAX + 128] = "";
  ct_elastic_solid solid;
  if (row != CT_NO_ROW && ct_scene_elastic_solid(advance->scene, row, 0, &solid))
    snprintf(why, sizeof why,
             ", limited by body \"%s\" (youngsModulus %.3g); a smaller stiffnessFactor allows "
             "longer steps",
             api_echo(ct_body_id(ct_scene_body(advance->scene, row)), echo), solid.youngs_modulus);
  snprintf(
      out, API_HINT_MAX,
      " Of the duration, %.6g s, %.6g s were computed, in %llu steps; the last step was %.3g s%s.",
      advance->options.duration, state.time, (unsigned long long)state.steps, pace, why);
}

/* ---- the reply ------------------------------------------------------------------------------ */

static void finish_advance(api_call *call) {
  api_advance *advance = call->advance;
  if (!advance->done || advance->status != CT_OK) {
    fail_advance(call, advance->status == CT_OK ? CT_CANCELLED : advance->status);
    return;
  }
  assert(advance->motion && advance->scene == call->scene);
  ct_draft *draft = ct_draft_begin(call->scene);
  ct_status status = draft ? ct_advance_write(advance->motion, draft) : CT_OUT_OF_MEMORY;
  if (status != CT_OK) {
    ct_draft_discard(draft);
    fail_advance(call, status);
    return;
  }
  ct_advance_state state = ct_advance_now(advance->motion);
  api_call_open(call);
  if (advance->in_lines) api_put_member_bool(&call->out, "done", true);
  put_advance_state(&call->out, &state);
  api_put_member_number(&call->out, "contactTolerance", advance->options.contact_tolerance);
  api_put_member_number(&call->out, "velocityTolerance", state.velocity_tolerance);
  if (advance->options.mode == CT_ADVANCE_COMPLIANT) {
    const ct_elastic_options elastic = ct_elastic_options_effective(&advance->options.elastic);
    api_put_elastic_options(&call->out, &elastic);
    put_error_scale(&call->out, &state.error_scale);
  }
  if (advance->lists) put_collected_events(&call->out, advance);
  if (advance->poses) put_pose_columns(&call->out, advance);
  api_call_commit(call, draft, 200);
  if (!advance->in_lines || !call->next) return;
  api_put_byte(&call->out, '\n');
  api_call_send_lines(call);
}

static const api_work_operations advance_work = {.cost = advance_cost,
                                                 .next = next_advance_step,
                                                 .run = run_advance_step,
                                                 .finish = finish_advance,
                                                 .destroy = destroy_advance,
                                                 .hint = write_advance_hint,
                                                 .progress_lines = read_progress_lines};

api_step api_advance_post(api_call *call) {
  if (!api_call_may_write(call, true)) return api_call_fail(call);
  api_advance *advance = call->advance = calloc(1, sizeof *advance);
  if (!advance) return fail_advance(call, CT_OUT_OF_MEMORY);
  call->work = &advance_work;
  advance->scene = call->scene;
  if (!read_advance(call, advance) || !check_invertible_inertias(call)) return api_call_fail(call);
  ct_status status = ct_advance_create(call->scene, &advance->options, &advance->motion);
  if (status != CT_OK) return fail_advance(call, status);
  advance->next_line = advance->every;
  return API_STEP_WORK;
}
