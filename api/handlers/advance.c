/* Handles POST /v1/scenes/{s}/advance: reads the options, runs steps, writes progress lines and the
 * reply. */
#include "handlers/advance.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "documents/elastic_json.h"
#include "documents/motion_json.h"
#include "documents/scene_json.h"
#include "handlers/advance_events.h"
#include "handlers/contact_state.h"
#include "queries/force_request.h"
#include "queries/given_contacts.h"
#include "results/result_json.h"

/* Nominal cost of a simulation, ns. The real cost is not known beforehand: each step searches
 * contacts, also of meshes, and event-driven modes choose the number of steps. The value exceeds
 * the limits for work on the event loop's thread and for work without interruption. */
#define UNKNOWN_NS 1e12
/* Greatest component of gravity, m/s^2. */
#define GRAVITY_MAX 1e6
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
  bool has_until;     /* the request has the member until */
  bool until_at_rest; /* the advance ends when all dynamic bodies are at rest */
  const char *stopped_by;
  bool in_lines; /* the reply is streamed with progress lines */
  bool poses;    /* the reply and the progress lines list poses */
  api_advance_events events;
  double every,
      next_line; /* simulated time between two progress lines, and simulated time of the next line,
                    s */
  /* simulated time between two checkpoints, 0: none; simulated time of the next checkpoint; s */
  double checkpoint_every, next_checkpoint;
  uint64_t checkpoints;  /* number of checkpoints so far */
  bool records_full;     /* CT_LIMIT is that of the records of contacts, not of the motion */
  const ct_scene *scene; /* the snapshot; retained, because the motion borrows it */
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
  SEPARATION_SPEED,
  KEEP_OVERLAP,
  ELASTIC,
  CONTACT_LAW,
  PROGRESS,
  INCLUDE,
  CONTACT_STATE,
  UNTIL,
  CHECKPOINTS,
  DEADLINE,
  COUNT
};

static void destroy_advance(api_call *call) {
  api_advance *advance = call->advance;
  ct_advance_destroy(advance->motion);
  api_buffer_free(&advance->lines);
  api_advance_events_close(&advance->events);
  ct_scene_release(advance->scene);
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

static bool read_contact_law(api_reader *reader, const api_field *field, ct_contact_law *out) {
  static const char *const words[] = {
#define LAW_WORD(name, word) word,
      CT_CONTACT_LAW_MAP(LAW_WORD)
#undef LAW_WORD
  };
  size_t which = CT_CONTACT_LAW_PATCH;
  bool good = api_read_word(reader, field, words, CT_CONTACT_LAW_COUNT, &which);
  *out = (ct_contact_law)which;
  return good;
}

static bool read_advance_include(api_reader *reader, const api_field *field, api_advance *advance) {
  static const char *const words[] = {"poses", "events"};
  bool *const included[] = {&advance->poses, &advance->events.lists};
  size_t count = 0;
  if (!api_field_present(field)) return true;
  if (!api_read_array(reader, field, 0, 2, &count)) return false;
  for (size_t i = 0; i < count; i++) {
    api_field element = api_field_element(field, i);
    size_t which = 0;
    if (!api_read_word(reader, &element, words, 2, &which)) return false;
    *included[which] = true;
  }
  return true;
}

/* Reads the event that ends the motion early. */
static bool read_until(api_reader *reader, const api_field *field, api_advance *advance) {
  static const char *const words[] = {"contact", "atRest"};
  size_t which = 0;
  advance->has_until = api_field_present(field);
  if (!advance->has_until) return true;
  if (!api_read_word(reader, field, words, 2, &which)) return false;
  advance->events.until_contact = which == 0;
  advance->until_at_rest = which == 1;
  if (!advance->until_at_rest || advance->options.mode != CT_ADVANCE_COMPLIANT) return true;
  api_fault_at(reader->faults, API_PROBLEM_CONFLICTING_MEMBERS, &field->path,
               "until \"atRest\" cannot be combined with mode eventCompliant, in which bodies "
               "approach rest without reaching it: remove until, or use another mode.");
  return false;
}

/* Checks that the scene's time stays within its limit. */
static bool check_scene_time(const api_call *call, api_reader *reader, const api_field *field,
                             double duration) {
  double end = ct_scene_time(call->scene) + duration;
  if (end <= API_SCENE_TIME_MAX) return true;
  api_fault_limit(api_fault_at(reader->faults, API_PROBLEM_OUT_OF_RANGE, &field->path,
                               "The scene's time would be %g s; the limit is %g s: set a smaller "
                               "time by PATCH of the scene.",
                               end, API_SCENE_TIME_MAX),
                  API_SCENE_TIME_MAX, end);
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
  good =
      api_read_number(reader, &m[PROGRESS], CT_SIZE_MIN, CT_DURATION_MAX, &advance->every) && good;
  return api_read_number(reader, &m[CHECKPOINTS], CT_SIZE_MIN, CT_DURATION_MAX,
                         &advance->checkpoint_every) &&
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

static bool read_overlap_options(api_reader *reader, const api_field *m,
                                 ct_advance_options *options) {
  bool idle = options->mode != CT_ADVANCE_STEPPING;
  bool good = api_read_number(reader, &m[SEPARATION_SPEED], CT_SIZE_MIN, API_SPEED_MAX,
                              &options->separation_speed);
  good = api_read_bool(reader, &m[KEEP_OVERLAP], &options->keep_overlap) && good;
  good = api_reject_unused(reader, &m[SEPARATION_SPEED], idle, "mode timeStepping") && good;
  return api_reject_unused(reader, &m[KEEP_OVERLAP], idle, "mode timeStepping") && good;
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
                        [SEPARATION_SPEED] = {.name = "separationSpeed"},
                        [KEEP_OVERLAP] = {.name = "keepOverlap"},
                        [ELASTIC] = {.name = "elastic"},
                        [CONTACT_LAW] = {.name = "contactLaw"},
                        [PROGRESS] = {.name = "progressEvery"},
                        [INCLUDE] = {.name = "include"},
                        [CONTACT_STATE] = {.name = "contactState"},
                        [UNTIL] = {.name = "until"},
                        [CHECKPOINTS] = {.name = "checkpointEvery"},
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
  good = read_contact_law(&reader, &m[CONTACT_LAW], &options->contact_law) && good;
  for (int k = ELASTIC; k <= CONTACT_LAW; k++)
    good = api_reject_unused(&reader, &m[k], options->mode != CT_ADVANCE_COMPLIANT,
                             "mode eventCompliant") &&
           good;
  good = api_read_advance_state(call, &m[CONTACT_STATE], &advance->events) && good;
  good = read_until(&reader, &m[UNTIL], advance) && good;
  good = check_scene_time(call, &reader, &m[DURATION], options->duration) && good;
  good = read_overlap_options(&reader, m, options) && good;
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
  char kept[64] = "nothing has changed";
  if (advance->checkpoints > 0)
    snprintf(kept, sizeof kept, "revision %llu, its last checkpoint, is kept",
             (unsigned long long)ct_scene_revision(call->scene));
  switch (why) {
  case CT_ADVANCE_LIMIT_REACH:
    api_fault_plain(&call->faults, API_PROBLEM_LIMIT_EXCEEDED,
                    "The body \"%s\" moves beyond the largest coordinate, 1e9 m: use a shorter "
                    "duration; %s.",
                    echo, kept);
    break;
  case CT_ADVANCE_LIMIT_SPEED:
    api_fault_plain(&call->faults, API_PROBLEM_LIMIT_EXCEEDED,
                    "The body \"%s\" exceeds the largest speed, 1e9 m/s or rad/s: use a shorter "
                    "duration; %s.",
                    echo, kept);
    break;
  case CT_ADVANCE_LIMIT_TURN:
    api_fault_plain(&call->faults, API_PROBLEM_LIMIT_EXCEEDED,
                    "The body \"%s\" turns by more than a million rad within one step: use a "
                    "shorter timeStep; %s.",
                    echo, kept);
    break;
  case CT_ADVANCE_LIMIT_SQUEEZE:
    api_fault_plain(&call->faults, API_PROBLEM_LIMIT_EXCEEDED,
                    "Kinematic bodies press the body \"%s\" into others from %g s on, and no "
                    "impulses of rigid bodies can separate them: use mode timeStepping, or a "
                    "shorter duration; %s.",
                    echo, ct_advance_now(advance->motion).time, kept);
    break;
  default:
    api_fault_plain(
        &call->faults, API_PROBLEM_LIMIT_EXCEEDED,
        "A step has more than %zu contacts, the most that requestMemoryBytes allows, or "
        "more than %u pairs of contacts that share a body in one island: simulate "
        "fewer bodies, or bodies with fewer contacts.",
        advance->options.contacts_max, (unsigned)CT_DELASSUS_BLOCKS_MAX);
  }
}

static api_step fail_advance(api_call *call, ct_status status) {
  const api_advance *advance = call->advance;
  if (status == CT_CANCELLED) api_fault_cancelled(&call->faults);
  else if (status == CT_PAIR_LIMIT)
    api_fault_plain(&call->faults, API_PROBLEM_PAIR_LIMIT,
                    "A step has more candidate pairs than the limit, %d: simulate fewer bodies.",
                    CT_PAIRS_MAX);
  else if (status == CT_LIMIT && advance->records_full) api_fault_contact_records(call);
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

static void put_advance_state(api_buffer *out, const api_advance *advance,
                              const ct_advance_state *state) {
  api_put_member_number(out, "time", state->time);
  api_put_member_number(out, "sceneTime", ct_scene_time(advance->scene) + state->time);
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
  if (advance->options.mode != CT_ADVANCE_STEPPING) return;
  api_put_member_number(out, "dissipation", state->dissipation);
  api_put_member_number(out, "correctionWork", state->correction_work);
  api_put_member_number(out, "separationWork", state->separation_work);
  api_put_member_number(out, "overlapLeft", state->overlap_left);
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

/* Appends a progress line. No line is written at the end of the simulation, which the reply
 * reports. */
static void write_progress_line(api_advance *advance, const ct_advance_state *state) {
  assert(advance->in_lines && advance->every > 0.0);
  if (advance->delivered) advance->lines.length = 0;
  advance->delivered = false;
  api_put_byte(&advance->lines, '{');
  put_advance_state(&advance->lines, advance, state);
  api_put_advance_events(&advance->lines, &advance->events);
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

/* Ends the motion if the event of `until` has occurred. */
static void end_early(api_advance *advance) {
  const char *event = NULL;
  if (advance->events.until_contact && advance->events.has_begun) event = "contact";
  else if (advance->until_at_rest && ct_advance_is_at_rest(advance->motion)) event = "atRest";
  advance->stopped_by = event ? event : "duration";
  advance->done = advance->done || event;
}

/* Makes the present state a revision, which the server commits before the next step. */
static ct_status make_checkpoint(api_call *call, ct_workspace *workspace) {
  api_advance *advance = call->advance;
  double time = ct_advance_now(advance->motion).time;
  ct_status status = CT_OK;
  ct_draft *draft =
      api_advance_events_checkpoint(call, &advance->events, advance->motion, workspace, &status);
  if (!draft) return status == CT_OK ? CT_OUT_OF_MEMORY : status;
  call->next = ct_draft_seal(draft);
  if (!call->next) {
    ct_draft_discard(draft);
    return CT_OUT_OF_MEMORY;
  }
  /* The snapshot was compacted when it was sealed and has lost no bodies since, so that the rows of
   * the motion remain valid. */
  assert(ct_scene_rows(call->next) == ct_scene_rows(advance->scene));
  call->has_checkpoint = true;
  advance->checkpoints++;
  advance->next_checkpoint =
      advance->checkpoint_every * (floor(time / advance->checkpoint_every) + 1.0);
  return CT_OK;
}

/* Advances by one step and collects its contact events, with those of the start and the end. */
static ct_status step_with_events(api_call *call, api_scratch *scratch) {
  api_advance *advance = call->advance;
  ct_status status =
      api_advance_events_begin(call, &advance->events, advance->motion, scratch->workspace);
  bool moves = status == CT_OK;
  if (moves)
    status = ct_advance_step(advance->motion, scratch->workspace, scratch->arena, &advance->done);
  advance->records_full = !moves || status == CT_OK;
  if (status == CT_OK) status = api_advance_events_step(call, &advance->events, advance->motion);
  if (status == CT_OK) end_early(advance);
  if (status == CT_OK && advance->done)
    status = api_advance_events_end(call, &advance->events, advance->motion, scratch->workspace);
  bool is_due = advance->checkpoint_every > 0.0 &&
                ct_advance_now(advance->motion).time >= advance->next_checkpoint;
  if (status == CT_OK && is_due && !advance->done)
    status = make_checkpoint(call, scratch->workspace);
  return status;
}

static void run_advance_step(api_call *call, long range, api_scratch *scratch) {
  api_advance *advance = call->advance;
  assert(range == 0 && !advance->done && advance->status == CT_OK);
  (void)range;
  const ct_advance_state before = ct_advance_now(advance->motion);
  advance->status = step_with_events(call, scratch);
  count_solved_step(&before, advance->motion, &scratch->solved);
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

/* Begins the draft of the final revision. NULL: out of memory, or a fault was added. */
static ct_draft *make_advance_draft(api_call *call) {
  const api_advance *advance = call->advance;
  if (advance->events.open) return api_advance_events_draft(call, &advance->events);
  ct_draft *draft = ct_draft_begin(call->scene);
  if (!draft) return NULL;
  ct_draft_set_time(draft, ct_scene_time(advance->scene) + ct_advance_now(advance->motion).time);
  if (ct_advance_write(advance->motion, draft) == CT_OK) return draft;
  ct_draft_discard(draft);
  return NULL;
}

static void finish_advance(api_call *call) {
  api_advance *advance = call->advance;
  if (!advance->done || advance->status != CT_OK) {
    fail_advance(call, advance->status == CT_OK ? CT_CANCELLED : advance->status);
    return;
  }
  assert(advance->motion && !call->has_checkpoint);
  ct_draft *draft = make_advance_draft(call);
  if (!draft) {
    if (api_faults_any(&call->faults)) api_call_fail(call);
    else fail_advance(call, CT_OUT_OF_MEMORY);
    return;
  }
  ct_advance_state state = ct_advance_now(advance->motion);
  api_call_open(call);
  if (advance->in_lines) api_put_member_bool(&call->out, "done", true);
  put_advance_state(&call->out, advance, &state);
  if (advance->has_until)
    api_put_member_string(&call->out, "stoppedBy", api_text(advance->stopped_by));
  api_put_member_number(&call->out, "contactTolerance", advance->options.contact_tolerance);
  api_put_member_number(&call->out, "velocityTolerance", state.velocity_tolerance);
  if (advance->options.mode == CT_ADVANCE_COMPLIANT) {
    const ct_elastic_options elastic = ct_elastic_options_effective(&advance->options.elastic);
    api_put_elastic_options(&call->out, &elastic);
    put_error_scale(&call->out, &state.error_scale);
  }
  if (advance->checkpoint_every > 0.0)
    api_put_member_unsigned(&call->out, "checkpoints", advance->checkpoints);
  api_put_advance_events(&call->out, &advance->events);
  api_put_advance_contacts(&call->out, &advance->events);
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
  advance->scene = ct_scene_retain(call->scene);
  if (!read_advance(call, advance) || !check_invertible_inertias(call)) return api_call_fail(call);
  ct_status status = api_advance_events_open(call, &advance->events, &advance->options);
  if (status == CT_OK) status = ct_advance_create(call->scene, &advance->options, &advance->motion);
  if (status != CT_OK) return fail_advance(call, status);
  advance->next_line = advance->every;
  advance->next_checkpoint = advance->checkpoint_every;
  return API_STEP_WORK;
}
