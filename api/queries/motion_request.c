/* Reads queries of moving bodies and builds a path for each body that moves. */
#include "queries/motion_request.h"

#include <assert.h>

#include "documents/motion_json.h"
#include "queries/body_selection.h"
#include "queries/motion_path_json.h"
#include "json/pose_json.h"

/* Number of bodies of the scene processed between two polls of the cancel flag. */
#define ROWS_PER_POLL 1024

/* ---- search options ------------------------------------------------------------------------- */

static bool read_time_span(api_reader *reader, const api_motion_fields *fields, double *duration,
                           ct_toi_options *out) {
  if (!api_field_present(fields->duration)) {
    api_fault_at(reader->faults, API_PROBLEM_MISSING_MEMBER, fields->question,
                 "The member \"duration\" is required.");
    return false;
  }
  if (!api_read_number(reader, fields->duration, API_DURATION_MIN, CT_DURATION_MAX, duration))
    return false;
  out->begin = 0.0;
  out->end = *duration;
  bool good = api_read_number(reader, fields->from, 0.0, *duration, &out->begin);
  return api_read_number(reader, fields->to, out->begin, *duration, &out->end) && good;
}

static bool read_search_options(api_reader *reader, const api_motion_fields *fields,
                                ct_toi_options *out) {
  static const char *const words[] = {"conservativeAdvancement", "bisection"};
  static const ct_toi_method methods[] = {CT_TOI_CONSERVATIVE_ADVANCEMENT, CT_TOI_BISECTION};
  uint64_t iterations = CT_TOI_ITERATIONS;
  size_t which = 0;
  bool good = api_read_word(reader, fields->method, words, 2, &which);
  good = api_read_number(reader, fields->distance_tolerance, 0.0, CT_SIZE_MAX,
                         &out->distance_tolerance) &&
         good;
  good =
      api_read_number(reader, fields->time_tolerance, 0.0, CT_DURATION_MAX, &out->time_tolerance) &&
      good;
  good = api_read_unsigned(reader, fields->iterations, 1, API_IMPACT_ITERATIONS_MAX, &iterations) &&
         good;
  out->method = methods[which];
  out->iterations_max = (uint32_t)iterations;
  return good && api_reject_unused(reader, fields->distance_tolerance,
                                   out->method != CT_TOI_BISECTION, "method bisection");
}

/* ---- moving bodies -------------------------------------------------------------------------- */

/* The motion that the request gives for one body, identified by its row in the scene. */
typedef struct row_motion {
  ct_path_options options;
  api_pointer at; /* location in the request; its parents must outlive it */
  uint32_t row;
} row_motion;

typedef struct movers {
  api_reader *reader;
  const ct_scene *scene;
  const api_motion_scope *scope;
  double duration;
  uint32_t *listed;    /* [rows of the scene] 1 + index in `motions` of the body's motion; 0: the
                          request gives the body no motion */
  row_motion *motions; /* [count] */
  size_t count;
} movers;

/* Returns the initial pose of the body in a row of the scene: its hypothetical pose, else the
 * scene's. */
static ct_pose initial_pose(const movers *m, uint32_t row) {
  const ct_query_options *o = m->scope->options;
  return ct_override_pose(m->scene, o->overrides, o->override_count, row);
}

static ct_velocity initial_velocity(const movers *m, uint32_t row) {
  for (int i = 0; i < 2; i++) {
    const ct_velocity *given = api_velocity_of(&m->scope->velocities[i], row);
    if (given) return *given;
  }
  return ct_scene_velocity(m->scene, row);
}

static api_motion_start make_motion_start(const movers *m, uint32_t row) {
  return (api_motion_start){ct_scene_body(m->scene, row), initial_pose(m, row),
                            initial_velocity(m, row)};
}

/* Reads the motion of a row; `members` are the forms found in `object`. */
static bool read_row_motion(movers *m, const api_field *object,
                            const api_field members[API_MOTION_PATH_MEMBER_COUNT], uint32_t row) {
  api_motion_start from = make_motion_start(m, row);
  assert(row < ct_scene_rows(m->scene) && !m->listed[row]);
  row_motion *motion = &m->motions[m->count];
  *motion = (row_motion){.row = row, .at = object->path, .options.duration = m->duration};
  if (!api_read_motion_path(m->reader, object, members, &from, &motion->options)) return false;
  m->listed[row] = (uint32_t)++m->count;
  return true;
}

static bool read_listed_motion(movers *m, const api_field *element) {
  api_field members[] = {API_MOTION_PATH_MEMBERS, {.name = "id", .required = true}};
  api_field *id = &members[API_MOTION_PATH_MEMBER_COUNT];
  if (!api_read_object(m->reader, element, members, API_MOTION_PATH_MEMBER_COUNT + 1)) return false;
  uint32_t row = api_read_body_row(m->reader, id, m->scene);
  if (row == CT_NO_ROW) return false;
  if (m->listed[row]) {
    api_fault_at(m->reader->faults, API_PROBLEM_DUPLICATE_ID, &id->path,
                 "An earlier motion already moves this body: remove one of the two motions.");
    return false;
  }
  return read_row_motion(m, element, members, row);
}

static bool report_no_memory(api_reader *reader) {
  api_fault_memory(reader->faults);
  return false;
}

/* Reads the member motions: [{"id", ...}, ...]. */
static bool read_motion_list(movers *m, const api_field *field) {
  size_t count = 0;
  if (api_field_present(field) &&
      !api_read_array(m->reader, field, 0, m->reader->limits->bodies, &count))
    return false;
  m->motions = api_arena_array(m->reader->arena, count + 2, sizeof *m->motions);
  if (!m->motions) return report_no_memory(m->reader);
  for (size_t i = 0; i < count && !api_faults_full(m->reader->faults); i++) {
    api_field element = api_field_element(field, i);
    if (i % ROWS_PER_POLL == 0 && api_reader_cancelled(m->reader)) return false;
    read_listed_motion(m, &element);
  }
  return !api_faults_any(m->reader->faults);
}

/* Reads the members motionA and motionB. */
static bool read_given_motions(movers *m, const api_field *const given[2]) {
  for (uint32_t row = 0; row < 2; row++) {
    api_field members[] = {API_MOTION_PATH_MEMBERS};
    if (!api_field_present(given[row])) continue;
    if (!api_read_object(m->reader, given[row], members, API_MOTION_PATH_MEMBER_COUNT))
      return false;
    if (!read_row_motion(m, given[row], members, row)) return false;
  }
  return true;
}

/* True if the row has a body with a nonzero velocity. If the request lists no motion for the body,
 * the body continues with this velocity. */
static bool keeps_velocity(const movers *m, uint32_t row) {
  const ct_body *body = ct_scene_body(m->scene, row);
  if (!body || !ct_body_motion(body)) return false;
  ct_velocity v = initial_velocity(m, row);
  return !api_is_zero(v.linear) || !api_is_zero(v.angular);
}

static ct_path_options make_twist(const movers *m, uint32_t row) {
  api_motion_start from = make_motion_start(m, row);
  return (ct_path_options){.kind = CT_PATH_TWIST,
                           .start = from.pose,
                           .end = from.pose,
                           .duration = m->duration,
                           .center = api_motion_center(from.body),
                           .velocity = from.velocity,
                           .inertia_diagonal = {1.0, 1.0, 1.0},
                           .inertia_orientation = ct_quat_identity()};
}

/* Adds the path's memory to *bytes and checks that the sum does not exceed requestMemoryBytes. */
static bool check_path_memory(const movers *m, const ct_path *path, size_t *bytes) {
  *bytes += ct_path_bytes(path);
  if (*bytes <= m->reader->limits->request_memory_bytes) return true;
  api_fault_plain(
      m->reader->faults, API_PROBLEM_LIMIT_EXCEEDED,
      "The motions need more memory than requestMemoryBytes: move fewer bodies in one query.");
  return false;
}

/* Builds a path for each moving body, in the order of rows. twist: bodies without a listed motion
 * continue with their velocity. */
static bool build_paths(movers *m, const api_field *standard, bool twist, api_motions *out) {
  uint32_t rows = ct_scene_rows(m->scene);
  out->moving = api_arena_array(m->reader->arena, twist ? rows : m->count, sizeof *out->moving);
  if (!out->moving) return report_no_memory(m->reader);
  out->options.moving = out->moving;
  size_t bytes = 0;
  for (uint32_t row = 0; row < rows; row++) {
    if (row % ROWS_PER_POLL == 0 && api_reader_cancelled(m->reader)) return false;
    /* A listed motion takes precedence over the default motion. */
    const row_motion *listed = m->listed[row] ? &m->motions[m->listed[row] - 1] : NULL;
    if (!listed && !(twist && keeps_velocity(m, row))) continue;
    ct_path_options options = listed ? listed->options : make_twist(m, row);
    ct_path *path =
        api_build_motion_path(m->reader, listed ? &listed->at : &standard->path, &options);
    if (!path) return false;
    out->moving[out->options.moving_count++] = (ct_row_motion){row, path};
    if (!check_path_memory(m, path, &bytes)) return false;
  }
  return true;
}

static bool read_movers(api_reader *reader, const api_motion_fields *fields,
                        const api_motion_scope *scope, double duration, api_motions *out) {
  static const char *const words[] = {"rest", "twist"};
  movers m = {.reader = reader, .scene = scope->scene, .scope = scope, .duration = duration};
  size_t which = 0;
  if (!api_read_word(reader, fields->standard, words, 2, &which)) return false;
  m.listed = api_arena_array(reader->arena, (size_t)ct_scene_rows(m.scene) + 1, sizeof *m.listed);
  if (!m.listed) return report_no_memory(reader);
  return read_motion_list(&m, fields->motions) && read_given_motions(&m, fields->given) &&
         build_paths(&m, fields->standard, which == 1, out);
}

/* Copies the selection of pairs to the options of the engine's motion query. */
static void copy_pair_options(const ct_query_options *from, ct_motion_options *out) {
  out->where_a = from->where_a;
  out->where_b = from->where_b;
  out->pairs = from->pairs;
  out->pair_count = from->pair_count;
  out->explicit_pairs = from->explicit_pairs;
  out->broadphase = from->broadphase;
  out->overrides = from->overrides;
  out->override_count = from->override_count;
}

bool api_read_motions(api_reader *reader, const api_motion_fields *fields,
                      const api_motion_scope *scope, api_motions *out) {
  ct_motion_options *o = &out->options;
  uint64_t changes = CT_CHANGES_MAX;
  double duration = 0.0;
  copy_pair_options(scope->options, o);
  o->impact.tolerance = scope->tolerance;
  o->timeline = scope->timeline;
  o->cancel = reader->cancel;
  bool good = read_search_options(reader, fields, &o->impact);
  good = api_read_bool(reader, fields->earliest, &o->earliest) && good;
  if (good && o->earliest && o->grazes) {
    api_fault_at(reader->faults, API_PROBLEM_CONFLICTING_MEMBERS, &fields->earliest->path,
                 "earliest cannot be combined with include \"grazes\": remove one of the two.");
    good = false;
  }
  good = api_read_unsigned(reader, fields->changes, 1, CT_CHANGES_MAX, &changes) && good;
  o->changes_max = (size_t)changes;
  return read_time_span(reader, fields, &duration, &o->impact) && good &&
         read_movers(reader, fields, scope, duration, out);
}

void api_motions_release(api_motions *motions) {
  for (size_t i = 0; i < motions->options.moving_count; i++)
    ct_path_destroy((ct_path *)(uintptr_t)motions->moving[i].path);
}
