/* Reads, applies and writes packed poses, the form in which clients move many bodies fastest. */
#include "documents/packed_poses_json.h"

#include <assert.h>
#include <stdlib.h>

#include <contact/limits.h>

#include "common/spelling.h"
#include "documents/motion_json.h"

enum {
  IDS,
  POSITIONS,
  ROTATIONS,
  LINEAR,
  ANGULAR,
  COUNT,
  ADD = COUNT,
  FILTERS,
  VARIANT_COUNT,
  CONTACT_STATE = COUNT,
  PERSISTED,
  WRITE_COUNT
};

/* ---- decode --------------------------------------------------------------------------------- */

/* Checks that an array has `count` elements and allocates their column, `size` bytes each. NULL:
 * the array is absent, or a fault was added and *good is set to false. */
static void *open_column(api_reader *reader, const api_field *field, size_t count, size_t size,
                         bool *good) {
  size_t length = 0;
  if (!field->value) return NULL;
  void *column = NULL;
  if (api_read_array(reader, field, count, count, &length)) {
    column = api_arena_array(reader->arena, count, size);
    if (!column) api_fault_memory(reader->faults);
  }
  *good = *good && column;
  return column;
}

static const ct_vec3 *read_vector_column(api_reader *reader, const api_field *field, size_t count,
                                         double greatest, bool *good) {
  ct_vec3 *column = open_column(reader, field, count, sizeof *column, good);
  for (size_t i = 0; column && i < count && !api_faults_full(reader->faults); i++) {
    api_field element = api_field_element(field, i);
    *good = api_read_vec3(reader, &element, greatest, &column[i]) && *good;
  }
  return column;
}

static const ct_quat *read_rotation_column(api_reader *reader, const api_field *field, size_t count,
                                           bool *good) {
  ct_quat *column = open_column(reader, field, count, sizeof *column, good);
  for (size_t i = 0; column && i < count && !api_faults_full(reader->faults); i++) {
    api_field element = api_field_element(field, i);
    *good = api_read_rotation(reader, &element, &column[i]) && *good;
  }
  return column;
}

static const ct_text *read_id_column(api_reader *reader, const api_field *field, size_t *count,
                                     bool *good) {
  if (!api_read_array(reader, field, 0, reader->limits->bodies, count)) {
    *good = false;
    return NULL;
  }
  ct_text *ids = api_arena_array(reader->arena, *count, sizeof *ids);
  if (!ids) {
    api_fault_memory(reader->faults);
    *good = false;
    return NULL;
  }
  for (size_t i = 0; i < *count && !api_faults_full(reader->faults); i++) {
    api_field element = api_field_element(field, i);
    *good = api_read_id(reader, &element, &ids[i]) && *good;
  }
  return ids;
}

/* Reads the columns from m, the members [COUNT] of the object. good: the members were read without
 * a fault. */
static bool read_pose_columns(api_reader *reader, const api_field *field, const api_field *m,
                              bool good, api_poses *out) {
  if (!m[IDS].value) return false;
  if (!m[POSITIONS].value && !m[ROTATIONS].value && !m[LINEAR].value && !m[ANGULAR].value) {
    api_fault_at(reader->faults, API_PROBLEM_MISSING_MEMBER, &field->path,
                 "Beside ids at least one of these columns is required: positions, rotations, "
                 "linearVelocities, angularVelocities.");
    return false;
  }
  api_poses poses = {0};
  poses.ids = read_id_column(reader, &m[IDS], &poses.count, &good);
  if (!poses.ids || api_reader_cancelled(reader)) return false;
  poses.positions =
      read_vector_column(reader, &m[POSITIONS], poses.count, CT_COORDINATE_MAX, &good);
  poses.rotations = read_rotation_column(reader, &m[ROTATIONS], poses.count, &good);
  poses.linear_velocities =
      read_vector_column(reader, &m[LINEAR], poses.count, API_SPEED_MAX, &good);
  poses.angular_velocities =
      read_vector_column(reader, &m[ANGULAR], poses.count, API_SPEED_MAX, &good);
  if (good) *out = poses;
  return good;
}

bool api_read_poses(api_reader *reader, const api_field *field, api_poses *out) {
  api_field m[COUNT] = {{.name = "ids", .required = true},
                        {.name = "positions"},
                        {.name = "rotations"},
                        {.name = "linearVelocities"},
                        {.name = "angularVelocities"}};
  bool good = api_read_object(reader, field, m, COUNT);
  return read_pose_columns(reader, field, m, good, out);
}

bool api_read_poses_write(api_reader *reader, const api_field *field, api_poses *out,
                          api_field *contact_state, api_field *persisted) {
  api_field m[WRITE_COUNT] = {{.name = "ids", .required = true},
                              {.name = "positions"},
                              {.name = "rotations"},
                              {.name = "linearVelocities"},
                              {.name = "angularVelocities"},
                              {.name = "contactState"},
                              {.name = "persisted"}};
  bool good = api_read_object(reader, field, m, WRITE_COUNT);
  *contact_state = m[CONTACT_STATE];
  *persisted = m[PERSISTED];
  return read_pose_columns(reader, field, m, good, out);
}

bool api_read_variant_members(api_reader *reader, const api_field *field, api_poses *out,
                              api_field *add, api_field *filters) {
  api_field m[VARIANT_COUNT] = {{.name = "ids"},
                                {.name = "positions"},
                                {.name = "rotations"},
                                {.name = "linearVelocities"},
                                {.name = "angularVelocities"},
                                {.name = "add"},
                                {.name = "filters"}};
  bool poses = !json_object_get(field->value, "add") && !json_object_get(field->value, "filters");
  for (int i = IDS; i < COUNT; i++) poses = poses || json_object_get(field->value, m[i].name);
  bool empty = json_is_object(field->value) && json_object_size(field->value) == 0;
  m[IDS].required = poses && !empty;
  *out = (api_poses){.ids = NULL};
  bool good = api_read_object(reader, field, m, VARIANT_COUNT);
  *add = m[ADD];
  *filters = m[FILTERS];
  if (empty) {
    api_pointer ids = api_pointer_member(&field->path, m[IDS].name);
    api_fault_at(reader->faults, API_PROBLEM_MISSING_MEMBER, &ids,
                 "The variant is empty: one of the members ids, add and filters is required.");
    return false;
  }
  return poses ? read_pose_columns(reader, field, m, good, out) : good;
}

/* ---- use ------------------------------------------------------------------------------------ */

/* Refuses repeated ids (DUPLICATE_ID). If the rows ascend, as for clients that list bodies in the
 * scene's order, no id is repeated and none is compared. */
static bool refuse_repeated_ids(api_reader *reader, const api_pointer *ids, const api_poses *poses,
                                const uint32_t *rows) {
  bool ascending = true;
  for (size_t i = 1; i < poses->count; i++) ascending = ascending && rows[i - 1] < rows[i];
  if (ascending) return true;
  size_t twice = api_first_duplicate(reader, poses->ids, poses->count);
  if (twice == poses->count) return true;
  if (twice == SIZE_MAX) return false;
  char echo[API_ECHO_MAX + 4];
  api_pointer element = api_pointer_index(ids, twice);
  api_fault_at(reader->faults, API_PROBLEM_DUPLICATE_ID, &element,
               "The body \"%s\" is named twice: remove one of its two entries.",
               api_echo(poses->ids[twice], echo));
  return false;
}

/* Where ids are looked up: in a draft or in a scene. */
typedef struct lookup {
  const ct_draft *draft;
  const ct_scene *scene;
} lookup;

static void report_unknown_body(api_reader *reader, const api_pointer *ids, size_t i, ct_text id,
                                const lookup *in) {
  char echo[API_ECHO_MAX + 4];
  api_pointer element = api_pointer_index(ids, i);
  api_fault *fault = api_fault_at(reader->faults, API_PROBLEM_UNKNOWN_ID, &element,
                                  "The scene has no body \"%s\".", api_echo(id, echo));
  api_fault_did_you_mean(fault, in->draft ? api_spelling_of_draft(in->draft, id)
                                          : api_spelling_of_bodies(in->scene, id));
}

static uint32_t lookup_row(const lookup *in, ct_text id) {
  return in->draft ? ct_draft_find(in->draft, id) : ct_scene_find(in->scene, id);
}

static const ct_body *lookup_body(const lookup *in, uint32_t row) {
  return in->draft ? ct_draft_body(in->draft, row) : ct_scene_body(in->scene, row);
}

/* Checks that the velocity of a static body is zero. */
static bool check_static_velocity(api_reader *reader, const api_pointer *at, const char *name,
                                  size_t i, ct_vec3 velocity) {
  if (api_is_zero(velocity)) return true;
  api_pointer column = api_pointer_member(at, name), element = api_pointer_index(&column, i);
  api_fault_at(reader->faults, API_PROBLEM_BAD_VALUE, &element,
               "The body is static (it has no motion): set its velocity to zero, or give the body "
               "a motion.");
  return false;
}

/* Returns the row of each id, in the arena. NULL: faults were added. */
static uint32_t *find_pose_rows(api_reader *reader, const api_pointer *at, const api_poses *poses,
                                const lookup *in) {
  assert(!in->draft != !in->scene);
  api_pointer ids = api_pointer_member(at, "ids");
  uint32_t *rows = api_arena_array(reader->arena, poses->count, sizeof *rows);
  if (!rows) {
    api_fault_memory(reader->faults);
    return NULL;
  }
  bool good = !api_faults_full(reader->faults);
  for (size_t i = 0; i < poses->count && !api_faults_full(reader->faults); i++) {
    rows[i] = lookup_row(in, poses->ids[i]);
    if (rows[i] == CT_NO_ROW) {
      report_unknown_body(reader, &ids, i, poses->ids[i], in);
      good = false;
    } else if (!ct_body_motion(lookup_body(in, rows[i]))) {
      if (poses->linear_velocities)
        good =
            check_static_velocity(reader, at, "linearVelocities", i, poses->linear_velocities[i]) &&
            good;
      if (poses->angular_velocities)
        good = check_static_velocity(reader, at, "angularVelocities", i,
                                     poses->angular_velocities[i]) &&
               good;
    }
  }
  return good && refuse_repeated_ids(reader, &ids, poses, rows) ? rows : NULL;
}

static ct_pose compute_moved_pose(const api_poses *poses, size_t i, ct_pose pose) {
  if (poses->positions) pose.position = poses->positions[i];
  if (poses->rotations) pose.rotation = poses->rotations[i];
  return pose;
}

static ct_status write_velocity(const api_poses *poses, size_t i, uint32_t row, ct_draft *draft) {
  if ((!poses->linear_velocities && !poses->angular_velocities) ||
      !ct_body_motion(ct_draft_body(draft, row)))
    return CT_OK;
  ct_velocity velocity = ct_draft_velocity(draft, row);
  if (poses->linear_velocities) velocity.linear = poses->linear_velocities[i];
  if (poses->angular_velocities) velocity.angular = poses->angular_velocities[i];
  return ct_draft_set_velocity(draft, row, &velocity);
}

bool api_apply_poses(api_reader *reader, const api_pointer *at, const api_poses *poses, bool all,
                     ct_draft *draft) {
  lookup in = {.draft = draft};
  const uint32_t *rows = find_pose_rows(reader, at, poses, &in);
  if (!rows) return false;
  if (all && poses->count != ct_draft_count(draft)) {
    api_pointer ids = api_pointer_member(at, "ids");
    api_fault *fault = api_fault_at(
        reader->faults, API_PROBLEM_MISSING_MEMBER, &ids,
        "PUT must list every body of the scene; use PATCH to change only some of them.");
    api_fault_limit(fault, ct_draft_count(draft), (double)poses->count);
    return false;
  }
  bool moves = poses->positions || poses->rotations;
  for (size_t i = 0; i < poses->count; i++) {
    ct_pose pose = compute_moved_pose(poses, i, ct_draft_pose(draft, rows[i]));
    ct_status status = moves ? ct_draft_set_pose(draft, rows[i], &pose) : CT_OK;
    if (status == CT_OK) status = write_velocity(poses, i, rows[i], draft);
    if (status == CT_OK) continue;
    api_fault_memory(reader->faults);
    return false;
  }
  return true;
}

static int compare_override_rows(const void *a, const void *b) {
  const ct_override *x = a, *y = b;
  return (x->row > y->row) - (x->row < y->row);
}

bool api_override_poses(api_reader *reader, const api_pointer *at, const api_poses *poses,
                        const ct_scene *scene, ct_override **out, size_t *count) {
  lookup in = {.scene = scene};
  const uint32_t *rows = find_pose_rows(reader, at, poses, &in);
  if (!rows) return false;
  ct_override *overrides = api_arena_array(reader->arena, poses->count, sizeof *overrides);
  if (!overrides) {
    api_fault_memory(reader->faults);
    return false;
  }
  for (size_t i = 0; i < poses->count; i++)
    overrides[i] =
        (ct_override){rows[i], compute_moved_pose(poses, i, ct_scene_pose(scene, rows[i]))};
  qsort(overrides, poses->count, sizeof *overrides, compare_override_rows);
  *out = overrides;
  *count = poses->count;
  return true;
}

static int compare_velocity_rows(const void *a, const void *b) {
  const api_velocity_at *x = a, *y = b;
  return (x->row > y->row) - (x->row < y->row);
}

bool api_override_velocities(api_reader *reader, const api_poses *poses, const ct_scene *scene,
                             api_velocities *out) {
  *out = (api_velocities){NULL, 0};
  if (!poses->linear_velocities && !poses->angular_velocities) return true;
  api_velocity_at *items = api_arena_array(reader->arena, poses->count, sizeof *items);
  if (!items) {
    api_fault_memory(reader->faults);
    return false;
  }
  for (size_t i = 0; i < poses->count; i++) {
    uint32_t row = ct_scene_find(scene, poses->ids[i]);
    assert(row != CT_NO_ROW);
    items[i] = (api_velocity_at){row, ct_scene_velocity(scene, row)};
    if (poses->linear_velocities) items[i].velocity.linear = poses->linear_velocities[i];
    if (poses->angular_velocities) items[i].velocity.angular = poses->angular_velocities[i];
  }
  qsort(items, poses->count, sizeof *items, compare_velocity_rows);
  *out = (api_velocities){items, poses->count};
  return true;
}

const ct_velocity *api_velocity_of(const api_velocities *velocities, uint32_t row) {
  size_t low = 0, high = velocities->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (velocities->items[middle].row < row) low = middle + 1;
    else high = middle;
  }
  return low < velocities->count && velocities->items[low].row == row
             ? &velocities->items[low].velocity
             : NULL;
}

/* ---- encode --------------------------------------------------------------------------------- */

static void open_pose_column(api_buffer *buffer, const char *name) {
  api_put_key(buffer, name);
  api_put_byte(buffer, '[');
}

static void put_velocity_column(api_buffer *buffer, const ct_scene *scene, bool angular) {
  open_pose_column(buffer, angular ? "angularVelocities" : "linearVelocities");
  for (uint32_t row = 0; row < ct_scene_rows(scene); row++) {
    if (!ct_scene_body(scene, row)) continue;
    ct_velocity velocity = ct_scene_velocity(scene, row);
    api_put_item(buffer);
    api_put_vec3(buffer, angular ? velocity.angular : velocity.linear);
  }
  api_put_byte(buffer, ']');
}

void api_put_poses(api_buffer *buffer, const ct_scene *scene) {
  uint32_t rows = ct_scene_rows(scene);
  bool any_motion = false;
  api_put_byte(buffer, '{');
  open_pose_column(buffer, "ids");
  for (uint32_t row = 0; row < rows; row++) {
    const ct_body *body = ct_scene_body(scene, row);
    if (!body) continue;
    any_motion = any_motion || ct_body_motion(body);
    api_put_item(buffer);
    api_put_string(buffer, ct_body_id(body));
  }
  api_put_byte(buffer, ']');
  open_pose_column(buffer, "positions");
  for (uint32_t row = 0; row < rows; row++) {
    if (!ct_scene_body(scene, row)) continue;
    api_put_item(buffer);
    api_put_vec3(buffer, ct_scene_pose(scene, row).position);
  }
  api_put_byte(buffer, ']');
  open_pose_column(buffer, "rotations");
  for (uint32_t row = 0; row < rows; row++) {
    if (!ct_scene_body(scene, row)) continue;
    api_put_item(buffer);
    api_put_quat(buffer, ct_scene_pose(scene, row).rotation);
  }
  api_put_byte(buffer, ']');
  if (any_motion) {
    put_velocity_column(buffer, scene, false);
    put_velocity_column(buffer, scene, true);
  }
  api_put_byte(buffer, '}');
}
