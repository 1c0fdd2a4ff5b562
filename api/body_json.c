/* Bodies. Shapes and poses are read by their own files; here are motion, groups, user data, and the patching of a whole body. */
#include "body_json.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include <contact/limits.h>

#include "json_text.h"

/* Greatest speed, m/s and rad/s. */
#define SPEED_MAX 1e9
/* Density, kg/m^3: such that the least and greatest mass can be had from ordinary sizes. */
#define DENSITY_MIN 1e-12
#define DENSITY_MAX 1e15
/* Principal moments, kg m^2: least and greatest mass at least and greatest size. */
#define MOMENT_MIN (CT_MASS_MIN * CT_SIZE_MIN * CT_SIZE_MIN)
#define MOMENT_MAX (CT_MASS_MAX * CT_SIZE_MAX * CT_SIZE_MAX)
/* No moment exceeds the sum of the others, but for rounding of the caller's numbers. */
#define TRIANGLE_SLACK 1e-9
/* Levels and memory of a document that the daemon itself has written. */
#define OWN_DEPTH 512

void api_body_release(api_body *body) {
  if (body->body) ct_body_release(body->body);
  *body = (api_body){0};
}

/* ---- user data ----------------------------------------------------------------------------------------------------------- */

bool api_read_user(api_reader *reader, const api_field *field, ct_text *out) {
  if (!field->value || json_is_null(field->value)) return true;
  api_buffer text = {0};
  api_put_json(&text, field->value);
  ct_text copy = {0};
  if (text.failed) {
    api_fault_memory(reader->faults);
  } else if (text.length > reader->limits->user_bytes) {
    api_fault *fault = api_fault_at(reader->faults, API_PROBLEM_LIMIT_EXCEEDED, &field->path,
                                    "At most %llu bytes of JSON are kept here.", (unsigned long long)reader->limits->user_bytes);
    api_fault_limit(fault, (double)reader->limits->user_bytes, (double)text.length);
  } else {
    copy = api_reader_copy(reader, (ct_text){text.bytes, text.length});
  }
  api_buffer_free(&text);
  if (!copy.bytes) return false;
  *out = copy;
  return true;
}

/* ---- motion -------------------------------------------------------------------------------------------------------------- */

enum { MASS, DENSITY, INERTIA, ORIENTATION, CENTER, LINEAR, ANGULAR, KINEMATIC, MOTION_COUNT };
static const api_field motion_members[MOTION_COUNT] = {
    {.name = "mass"},         {.name = "density"},        {.name = "inertiaDiagonal"}, {.name = "inertiaOrientation"},
    {.name = "centerOfMass"}, {.name = "linearVelocity"}, {.name = "angularVelocity"}, {.name = "isKinematic"}};

/* Mass, density or a moment in its range; the limits are those of mass, so the problem is BAD_MASS. */
static bool check_mass(api_reader *reader, const api_path *path, double value, double least, double greatest) {
  if (value >= least && value <= greatest) return true;
  char low[API_NUMBER_BYTES], high[API_NUMBER_BYTES];
  low[api_number_format(least, low)] = 0;
  high[api_number_format(greatest, high)] = 0;
  api_fault *fault = api_fault_at(reader->faults, API_PROBLEM_BAD_MASS, path, "Must be from %s to %s.", low, high);
  api_fault_limit(fault, value < least ? least : greatest, value);
  return false;
}

static bool read_source(api_reader *reader, const api_field *field, const api_field m[MOTION_COUNT], ct_motion *out) {
  /* An infinite mass need not be given. */
  size_t which = api_read_one_of(reader, field, m + MASS, 2, !out->is_kinematic, API_PROBLEM_BAD_MASS);
  if (which == 2) return !api_faults_any(reader->faults);
  const api_field *source = &m[MASS + which];
  if (!api_read_number(reader, source, -DBL_MAX, DBL_MAX, &out->value)) return false;
  out->source = which == 0 ? CT_MASS_MASS : CT_MASS_DENSITY;
  return which == 0 ? check_mass(reader, &source->path, out->value, CT_MASS_MIN, CT_MASS_MAX)
                    : check_mass(reader, &source->path, out->value, DENSITY_MIN, DENSITY_MAX);
}

static bool read_inertia(api_reader *reader, const api_field *diagonal, const api_field *orientation, ct_motion *out) {
  if (!diagonal->value) {
    if (!orientation->value) return true;
    api_fault_at(reader->faults, API_PROBLEM_MISSING_MEMBER, &diagonal->path, "inertiaOrientation needs inertiaDiagonal.");
    return false;
  }
  double moments[3];
  if (!api_read_numbers(reader, diagonal, DBL_MAX, 3, moments)) return false;
  bool good = true;
  for (size_t i = 0; i < 3; i++) {
    api_field element = api_field_element(diagonal, i);
    good = check_mass(reader, &element.path, moments[i], MOMENT_MIN, MOMENT_MAX) && good;
  }
  if (!good || !api_read_rotation(reader, orientation, &out->inertia_orientation)) return false;
  for (size_t i = 0; i < 3; i++) {
    double rest = moments[(i + 1) % 3] + moments[(i + 2) % 3];
    if (moments[i] <= rest * (1.0 + TRIANGLE_SLACK)) continue;
    api_field element = api_field_element(diagonal, i);
    api_fault *fault = api_fault_at(reader->faults, API_PROBLEM_BAD_MASS, &element.path,
                                    "No principal moment exceeds the sum of the other two (triangle rule).");
    api_fault_limit(fault, rest, moments[i]);
    return false;
  }
  out->has_inertia = true;
  out->inertia_diagonal = ct_vec(moments[0], moments[1], moments[2]);
  return true;
}

static bool read_motion(api_reader *reader, const api_field *field, ct_motion *motion, ct_velocity *velocity) {
  api_field m[MOTION_COUNT];
  memcpy(m, motion_members, sizeof m);
  *motion = (ct_motion){.inertia_orientation = ct_quat_identity()};
  bool good = api_read_object(reader, field, m, MOTION_COUNT);
  if (!json_is_object(field->value)) return false;
  good = api_read_bool(reader, &m[KINEMATIC], &motion->is_kinematic) && good;
  good = read_source(reader, field, m, motion) && good;
  good = read_inertia(reader, &m[INERTIA], &m[ORIENTATION], motion) && good;
  good = api_read_position(reader, &m[CENTER], &motion->center) && good;
  motion->has_center = m[CENTER].value != NULL;
  good = api_read_vec3(reader, &m[LINEAR], SPEED_MAX, &velocity->linear) && good;
  good = api_read_vec3(reader, &m[ANGULAR], SPEED_MAX, &velocity->angular) && good;
  return good;
}

/* What the shapes make of the motion: a mass inside the limits. */
static bool check_body_mass(api_reader *reader, const api_field *motion_field, const ct_body *body) {
  const ct_motion *motion = ct_body_motion(body);
  if (!motion || motion->is_kinematic) return true;
  ct_mass_properties mass;
  bool overlap;
  if (!ct_body_mass(body, &mass, &overlap)) {
    api_fault_at(reader->faults, API_PROBLEM_BAD_MASS, &motion_field->path,
                 "The colliders have no volume to take mass or inertia from; give mass and inertiaDiagonal.");
    return false;
  }
  if (motion->source != CT_MASS_DENSITY) return true;
  api_path density = api_path_member(&motion_field->path, "density");
  return check_mass(reader, &density, mass.mass, CT_MASS_MIN, CT_MASS_MAX);
}

/* ---- bodies -------------------------------------------------------------------------------------------------------------- */

/* Reads all colliders into the arena. *count tells how many own something, whether or not the reading was good. */
static bool read_colliders(api_reader *reader, const api_field *field, ct_collider **out, size_t *count) {
  size_t length = 0;
  if (!api_read_array(reader, field, 1, reader->limits->colliders, &length) || !field->value) return false;
  ct_collider *colliders = api_arena_array(reader->arena, length, sizeof *colliders);
  ct_text *ids = api_arena_array(reader->arena, length, sizeof *ids);
  if (!colliders || !ids) {
    api_fault_memory(reader->faults);
    return false;
  }
  *out = colliders;
  bool good = true;
  for (size_t i = 0; i < length && !api_faults_full(reader->faults); i++) {
    api_field element = api_field_element(field, i);
    if (api_reader_cancelled(reader)) return false;
    good = api_read_collider(reader, &element, &colliders[i]) && good;
    ids[i] = colliders[i].id;
    *count = i + 1;
  }
  if (!good) return false;
  size_t twice = api_first_duplicate(reader, ids, length);
  if (twice == length) return true;
  if (twice == SIZE_MAX) return false;
  api_path element = api_path_index(&field->path, twice), id = api_path_member(&element, "id");
  char echo[API_ECHO_MAX + 4];
  api_fault_at(reader->faults, API_PROBLEM_DUPLICATE_ID, &id, "Another collider of this body has the id \"%s\".",
               api_echo(ids[twice], echo));
  return false;
}

static bool read_groups(api_reader *reader, const api_field *field, const ct_text **out, size_t *count) {
  if (!field->value) return true;
  if (!api_read_array(reader, field, 0, API_BODY_GROUPS_MAX, count)) return false;
  ct_text *groups = api_arena_array(reader->arena, *count, sizeof *groups);
  if (!groups) {
    api_fault_memory(reader->faults);
    return false;
  }
  bool good = true;
  for (size_t i = 0; i < *count; i++) {
    api_field element = api_field_element(field, i);
    good = api_read_id(reader, &element, &groups[i]) && good;
  }
  *out = groups;
  if (!good) return false;
  size_t twice = api_first_duplicate(reader, groups, *count);
  if (twice == *count) return true;
  if (twice == SIZE_MAX) return false;
  api_path element = api_path_index(&field->path, twice);
  api_fault_at(reader->faults, API_PROBLEM_DUPLICATE_ID, &element, "The group is named twice.");
  return false;
}

static bool check_id(api_reader *reader, const api_field *field, const api_body_form *form, ct_text id) {
  if (!form->id_is_fixed || !field->value || api_text_equal(id, form->id)) return true;
  char echo[API_ECHO_MAX + 4];
  api_fault *fault = api_fault_at(reader->faults, API_PROBLEM_BAD_VALUE, &field->path, "The id is \"%s\" and cannot change.",
                                  api_echo(form->id, echo));
  api_fault_suggest(fault, form->id);
  return false;
}

static bool create_body(api_reader *reader, const ct_body_options *options, const api_field *motion, api_body *out) {
  const ct_body *body = NULL;
  ct_status status = ct_body_create(options, &body);
  if (status == CT_OUT_OF_MEMORY) {
    api_fault_memory(reader->faults);
    return false;
  }
  if (status != CT_OK) {
    api_fault_plain(reader->faults, API_PROBLEM_LIMIT_EXCEEDED, "The body cannot be kept: %s.", ct_status_text(status));
    return false;
  }
  if (motion && !check_body_mass(reader, motion, body)) {
    ct_body_release(body);
    return false;
  }
  out->body = body;
  return true;
}

/* The colliders of another body, borrowed. */
static bool keep_colliders(api_reader *reader, const ct_body *body, ct_body_options *options) {
  size_t count = ct_body_collider_count(body);
  ct_collider *colliders = api_arena_array(reader->arena, count, sizeof *colliders);
  if (!colliders) {
    api_fault_memory(reader->faults);
    return false;
  }
  for (size_t i = 0; i < count; i++) colliders[i] = ct_body_collider(body, i);
  options->colliders = colliders;
  options->collider_count = count;
  return true;
}

static bool read_full(api_reader *reader, const api_field *field, const api_body_form *form, api_body *out) {
  enum { ID, COLLIDERS, MOTION, GROUPS, USER, POSE, COUNT = POSE + API_POSE_MEMBER_COUNT };
  api_field m[COUNT] = {{.name = "id", .required = form->id.length == 0},
                        {.name = "colliders", .required = !form->kept},
                        {.name = "motion"},
                        {.name = "groups"},
                        {.name = "user"},
                        API_POSE_MEMBERS};
  bool good = api_read_object(reader, field, m, COUNT);
  if (!json_is_object(field->value)) return false;

  ct_body_options options = {.id = form->id};
  ct_motion motion;
  ct_collider *colliders = NULL;
  size_t owned = 0;
  good = api_read_id(reader, &m[ID], &options.id) && check_id(reader, &m[ID], form, options.id) && good;
  good = api_read_pose(reader, field, m + POSE, &out->pose) && good;
  if (m[MOTION].value) good = read_motion(reader, &m[MOTION], &motion, &out->velocity) && good;
  good = read_groups(reader, &m[GROUPS], &options.groups, &options.group_count) && good;
  good = api_read_user(reader, &m[USER], &options.user) && good;
  if (m[COLLIDERS].value) good = read_colliders(reader, &m[COLLIDERS], &colliders, &owned) && good;

  options.motion = m[MOTION].value ? &motion : NULL;
  options.colliders = colliders;
  options.collider_count = owned;
  if (form->kept) good = keep_colliders(reader, form->kept, &options) && good;
  good = good && create_body(reader, &options, &m[MOTION], out);
  for (size_t i = 0; i < owned; i++) api_collider_release(&colliders[i]);
  return good;
}

/* One collider that is a whole body: its pose becomes the body's. */
static bool read_short(api_reader *reader, const api_field *field, const api_body_form *form, api_body *out) {
  ct_collider collider = {0};
  if (!api_read_collider(reader, field, &collider)) return false;
  out->pose = collider.pose;
  ct_body_options options = {.id = collider.id.length ? collider.id : form->id, .colliders = &collider, .collider_count = 1};
  collider.pose = ct_pose_identity();
  collider.id = (ct_text){0};
  bool good = create_body(reader, &options, NULL, out);
  api_collider_release(&collider);
  return good;
}

/* A shape at the top, or nothing that only a whole body has: a misspelt shape is then told with the names of the shapes. */
static bool looks_short(const json_t *value) {
  if (!json_is_object(value) || json_object_get(value, "colliders")) return false;
  static const api_field shapes[] = {API_SHAPE_MEMBERS};
  for (size_t i = 0; i < API_SHAPE_MEMBER_COUNT; i++)
    if (json_object_get(value, shapes[i].name)) return true;
  if (json_object_get(value, "shape")) return true;
  return !json_object_get(value, "motion") && !json_object_get(value, "groups") && !json_object_get(value, "user");
}

bool api_read_body(api_reader *reader, const api_field *field, const api_body_form *form, api_body *out) {
  static const api_body_form plain = {0};
  if (!form) form = &plain;
  if (!field->value) return false;
  api_arena_mark mark = api_arena_here(reader->arena);
  api_body body = {.pose = ct_pose_identity()};
  bool good = form->allow_short && looks_short(field->value) ? read_short(reader, field, form, &body)
                                                             : read_full(reader, field, form, &body);
  api_arena_rewind(reader->arena, mark);
  if (good) *out = body;
  return good;
}

/* ---- encode -------------------------------------------------------------------------------------------------------------- */

static bool is_zero(ct_vec3 v) { return v.x == 0.0 && v.y == 0.0 && v.z == 0.0; }

static void put_motion(api_buffer *buffer, const ct_motion *motion, const ct_velocity *velocity) {
  ct_quat q = motion->inertia_orientation;
  api_put_key(buffer, "motion");
  api_put_byte(buffer, '{');
  if (motion->source == CT_MASS_MASS) api_put_member_number(buffer, "mass", motion->value);
  if (motion->source == CT_MASS_DENSITY) api_put_member_number(buffer, "density", motion->value);
  if (motion->has_inertia) api_put_member_vec3(buffer, "inertiaDiagonal", motion->inertia_diagonal);
  if (motion->has_inertia && (q.x != 0.0 || q.y != 0.0 || q.z != 0.0 || q.w != 1.0))
    api_put_member_quat(buffer, "inertiaOrientation", q);
  if (motion->has_center) api_put_member_vec3(buffer, "centerOfMass", motion->center);
  if (velocity && !is_zero(velocity->linear)) api_put_member_vec3(buffer, "linearVelocity", velocity->linear);
  if (velocity && !is_zero(velocity->angular)) api_put_member_vec3(buffer, "angularVelocity", velocity->angular);
  if (motion->is_kinematic) api_put_member_bool(buffer, "isKinematic", true);
  api_put_byte(buffer, '}');
}

static void put_colliders(api_buffer *buffer, const ct_body *body) {
  api_put_key(buffer, "colliders");
  api_put_byte(buffer, '[');
  for (size_t i = 0; i < ct_body_collider_count(body); i++) {
    ct_collider collider = ct_body_collider(body, i);
    api_put_collider(buffer, &collider);
  }
  api_put_byte(buffer, ']');
}

static void put_body(api_buffer *buffer, const ct_body *body, const ct_pose *pose, const ct_velocity *velocity, bool colliders) {
  api_put_item(buffer);
  api_put_byte(buffer, '{');
  api_put_member_string(buffer, "id", ct_body_id(body));
  api_put_pose_members(buffer, pose, true);
  if (ct_body_motion(body)) put_motion(buffer, ct_body_motion(body), velocity);
  if (colliders) put_colliders(buffer, body);
  if (ct_body_group_count(body)) {
    api_put_key(buffer, "groups");
    api_put_byte(buffer, '[');
    for (size_t i = 0; i < ct_body_group_count(body); i++) {
      api_put_item(buffer);
      api_put_string(buffer, ct_body_group(body, i));
    }
    api_put_byte(buffer, ']');
  }
  ct_text user = ct_body_user(body);
  if (user.length) {
    api_put_key(buffer, "user");
    api_put_bytes(buffer, user.bytes, user.length);
  }
  api_put_byte(buffer, '}');
}

void api_put_body(api_buffer *buffer, const ct_body *body, const ct_pose *pose, const ct_velocity *velocity) {
  put_body(buffer, body, pose, velocity, true);
}

void api_put_row(api_buffer *buffer, const ct_scene *scene, uint32_t row) {
  ct_pose pose = ct_scene_pose(scene, row);
  ct_velocity velocity = ct_scene_velocity(scene, row);
  api_put_body(buffer, ct_scene_body(scene, row), &pose, &velocity);
}

/* ---- lists --------------------------------------------------------------------------------------------------------------- */

void api_body_list_free(api_body_list *list) {
  for (size_t i = 0; i < list->count; i++) api_body_release(&list->items[i]);
  free(list->items);
  *list = (api_body_list){0};
}

/* About what a body takes. */
static size_t body_bytes(const ct_body *body) {
  size_t colliders = ct_body_collider_count(body);
  size_t bytes = sizeof(api_body) + 160 + colliders * sizeof(ct_collider) + ct_body_id(body).length + ct_body_user(body).length;
  for (size_t i = 0; i < colliders; i++) {
    ct_collider collider = ct_body_collider(body, i);
    bytes += collider.note.length;
    if (collider.shape.kind == CT_KIND_CONVEX) bytes += ct_hull_bytes(collider.shape.hull);
    if (collider.shape.kind == CT_KIND_MESH) bytes += ct_mesh_bytes(collider.shape.mesh);
  }
  return bytes;
}

bool api_body_list_add(api_body_list *list, api_body *body) {
  if (list->count == list->capacity) {
    size_t capacity = list->capacity ? list->capacity + list->capacity / 2 : 16;
    if (capacity > SIZE_MAX / sizeof *list->items) return false;
    api_body *items = realloc(list->items, capacity * sizeof *items);
    if (!items) return false;
    list->items = items;
    list->capacity = capacity;
  }
  list->items[list->count++] = *body;
  list->bytes += body_bytes(body->body);
  *body = (api_body){0};
  return true;
}

bool api_read_bodies(api_reader *reader, const api_field *field, api_body_list *list) {
  size_t length = 0;
  if (!api_read_array(reader, field, 0, reader->limits->bodies, &length)) return false;
  bool good = true;
  for (size_t i = 0; i < length && !api_faults_full(reader->faults); i++) {
    api_field element = api_field_element(field, i);
    api_body body = {0};
    if (api_reader_cancelled(reader)) return false;
    if (!api_read_body(reader, &element, NULL, &body)) {
      good = false;
    } else if (!api_body_list_add(list, &body)) {
      api_body_release(&body);
      api_fault_memory(reader->faults);
      return false;
    }
  }
  return good;
}

/* The fault of an insertion that failed; twice: the id came earlier in the same request. */
static void tell_insert(api_reader *reader, const api_path *at, ct_status status, ct_text id, bool twice) {
  char echo[API_ECHO_MAX + 4];
  api_path path = api_path_member(at, "id");
  switch (status) {
  case CT_EXISTS:
    api_fault_at(reader->faults, twice ? API_PROBLEM_DUPLICATE_ID : API_PROBLEM_ID_IN_USE, &path,
                 twice ? "The id \"%s\" occurs twice in the request." : "The scene has a body \"%s\" already.", api_echo(id, echo));
    break;
  case CT_LIMIT:
    api_fault_limit(api_fault_at(reader->faults, API_PROBLEM_LIMIT_EXCEEDED, at, "A scene holds at most %llu bodies.",
                                 (unsigned long long)reader->limits->bodies),
                    (double)reader->limits->bodies, NAN);
    break;
  default: api_fault_memory(reader->faults);
  }
}

static ct_status insert_body(const api_reader *reader, const api_body *body, ct_draft *draft, uint32_t *row) {
  if (ct_draft_count(draft) >= reader->limits->bodies && ct_draft_find(draft, ct_body_id(body->body)) == CT_NO_ROW) return CT_LIMIT;
  return ct_draft_insert(draft, body->body, &body->pose, &body->velocity, row);
}

bool api_insert_bodies(api_reader *reader, const api_path *at, const api_body_list *list, ct_draft *draft) {
  uint32_t first = CT_NO_ROW; /* new rows follow the old ones */
  bool good = true;
  for (size_t i = 0; i < list->count && !api_faults_full(reader->faults); i++) {
    uint32_t row;
    ct_status status = insert_body(reader, &list->items[i], draft, &row);
    if (status == CT_OK && first == CT_NO_ROW) first = row;
    if (status == CT_OK) continue;
    ct_text id = ct_body_id(list->items[i].body);
    api_path element = api_path_index(at, i);
    tell_insert(reader, &element, status, id, first != CT_NO_ROW && ct_draft_find(draft, id) >= first);
    good = false;
    if (status != CT_EXISTS) break;
  }
  return good;
}

bool api_put_body_into(api_reader *reader, const api_path *at, const api_body *body, ct_draft *draft, bool *created) {
  uint32_t row = ct_draft_find(draft, ct_body_id(body->body));
  bool is_new = row == CT_NO_ROW;
  ct_status status =
      is_new ? insert_body(reader, body, draft, &row) : ct_draft_replace(draft, row, body->body, &body->pose, &body->velocity);
  if (status != CT_OK) {
    tell_insert(reader, at, status, ct_body_id(body->body), false);
    return false;
  }
  if (created) *created = is_new;
  return true;
}

/* ---- merge patch --------------------------------------------------------------------------------------------------------- */

/* A row's own JSON, with or without its colliders. NULL with a fault: out of memory. */
static json_t *row_json(api_reader *reader, const ct_draft *draft, uint32_t row, bool colliders) {
  ct_pose pose = ct_draft_pose(draft, row);
  ct_velocity velocity = ct_draft_velocity(draft, row);
  api_buffer text = {0};
  put_body(&text, ct_draft_body(draft, row), &pose, &velocity, colliders);
  json_t *value = NULL;
  if (text.failed) api_fault_memory(reader->faults);
  else
    value = api_json_parse(text.bytes, text.length, &(api_json_options){.depth = OWN_DEPTH, .memory = UINT64_MAX}, reader->faults);
  api_buffer_free(&text);
  return value;
}

/* The rotation in force is told as `rotation`; a patch that spells one otherwise takes its place. */
static void drop_replaced_rotation(json_t *target, const json_t *patch) {
  static const char *const spellings[] = {"rotationWxyz", "rpy", "matrix"};
  for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
    const json_t *value = json_object_get(patch, spellings[i]);
    if (value && !json_is_null(value)) json_object_del(target, "rotation");
  }
}

/* A null leaves no trace in what is merged, so the patch's own names are looked at. */
static bool check_patch_names(api_reader *reader, const api_field *patch) {
  enum { MOTION = 2, COUNT = 5 + API_POSE_MEMBER_COUNT };
  api_field m[COUNT] = {{.name = "id"},     {.name = "colliders"}, {.name = "motion"},
                        {.name = "groups"}, {.name = "user"},      API_POSE_MEMBERS};
  if (!api_read_object(reader, patch, m, COUNT)) return false;
  api_field motion[MOTION_COUNT];
  memcpy(motion, motion_members, sizeof motion);
  return !json_is_object(m[MOTION].value) || api_read_object(reader, &m[MOTION], motion, MOTION_COUNT);
}

bool api_patch_row(api_reader *reader, const api_field *patch, ct_draft *draft, uint32_t row) {
  if (!check_patch_names(reader, patch)) return false;
  /* Colliders that the patch leaves alone are kept as they are: they may be large. */
  bool touched = json_object_get(patch->value, "colliders") != NULL;
  json_t *merged = row_json(reader, draft, row, touched);
  if (!merged) return false;
  drop_replaced_rotation(merged, patch->value);
  bool good = api_json_merge(&merged, patch->value);
  if (!good) api_fault_memory(reader->faults);

  api_field field = api_field_at(merged, patch->path);
  const ct_body *own = ct_draft_body(draft, row);
  api_body_form form = {.id = ct_body_id(own), .id_is_fixed = true, .kept = touched ? NULL : own};
  api_body body = {0};
  good = good && api_read_body(reader, &field, &form, &body);
  if (good && ct_draft_replace(draft, row, body.body, &body.pose, &body.velocity) != CT_OK) {
    api_fault_memory(reader->faults);
    good = false;
  }
  api_body_release(&body);
  json_decref(merged);
  return good;
}

bool api_patch_body(api_reader *reader, const api_field *patch, ct_draft *draft) {
  api_path path = api_path_member(&patch->path, "id");
  if (!json_is_object(patch->value)) {
    api_fault_at(reader->faults, API_PROBLEM_WRONG_TYPE, &patch->path, "Must be an object, is %s.", api_type_words(patch->value));
    return false;
  }
  api_field id_field = api_field_at(json_object_get(patch->value, "id"), path);
  ct_text id = {0};
  if (!id_field.value) {
    api_fault_at(reader->faults, API_PROBLEM_MISSING_MEMBER, &path, "The member \"id\" names the body to patch.");
    return false;
  }
  if (!api_read_id(reader, &id_field, &id)) return false;
  uint32_t row = ct_draft_find(draft, id);
  if (row != CT_NO_ROW) return api_patch_row(reader, patch, draft, row);
  char echo[API_ECHO_MAX + 4];
  api_fault_at(reader->faults, API_PROBLEM_UNKNOWN_ID, &path, "The scene has no body \"%s\".", api_echo(id, echo));
  return false;
}
