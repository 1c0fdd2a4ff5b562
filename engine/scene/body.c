/* A body: one immutable block of memory with a fixed head, the motion, the colliders, then poses
 * and surface ids, group spans and texts; order of placed bodies; mass properties.
 *
 * Offsets count from the start of the block. Poses that are the identity to the bit are not stored.
 * Mass properties that the motion does not specify are sums over the colliders at uniform density
 * (parallel axis theorem).
 */
#include "scene/body.h"
#include "shape/shape_compare.h"
#include "shape/shape_validity.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct ct_body {
  _Alignas(8) _Atomic uint32_t refs;
  uint32_t bytes; /* size of the block */
  uint32_t collider_count;
  uint32_t group_count;
  uint32_t user_length;
  uint32_t
      texts; /* offset of the id, which is followed by the user text; the group spans end here */
  uint16_t id_length;
  bool has_motion, has_surface;
};

typedef struct collider_record {
  ct_shape shape;
  uint32_t pose; /* offset; 0: identity */
  uint32_t text; /* offset of the id, which is followed by the material's name and the note */
  uint32_t note_length;
  uint16_t id_length, material_length;
} collider_record;

_Static_assert(CT_ID_LENGTH_MAX <= UINT16_MAX, "lengths of ids and names");

typedef struct group_span {
  uint32_t offset, length;
} group_span;

/* The parts before the texts keep 8-byte alignment. */
_Static_assert(sizeof(struct ct_body) % 8 == 0 && sizeof(ct_motion) % 8 == 0 &&
                   sizeof(collider_record) % 8 == 0,
               "alignment");
_Static_assert(sizeof(ct_pose) % 8 == 0 && sizeof(group_span) % 8 == 0 &&
                   sizeof(ct_acceleration) % 8 == 0,
               "alignment");

static const char *body_block(const ct_body *body) { return (const char *)body; }

/* Bytes of a motion and of the acceleration stored behind it. */
static size_t motion_bytes(const ct_motion *motion) {
  return motion ? sizeof *motion + (motion->acceleration ? sizeof *motion->acceleration : 0) : 0;
}

static const collider_record *collider_records(const ct_body *body) {
  return (const collider_record *)(body_block(body) + sizeof *body +
                                   motion_bytes(ct_body_motion(body)));
}

static const group_span *group_spans(const ct_body *body) {
  return (const group_span *)(body_block(body) + body->texts -
                              body->group_count * sizeof(group_span));
}

/* Compares bits, so that a quaternion of another length or a negative zero is stored as given. */
static bool is_stored_as_identity(const ct_pose *pose) {
  const ct_pose identity = ct_pose_identity(), nothing = {0};
  return memcmp(pose, &identity, sizeof identity) == 0 ||
         memcmp(pose, &nothing, sizeof nothing) == 0;
}

/* Bytes of the ids of a shape's faces in the block. */
static size_t surface_bytes(const ct_shape *shape) {
  size_t bytes =
      shape->surface_ids ? ct_kind_surface_count(shape->kind) * sizeof *shape->surface_ids : 0;
  return (bytes + 7) & ~(size_t)7;
}

/* Size of the block in bytes, or 0 if it exceeds 32 bits. */
static size_t measure_body_block(const ct_body_options *o, size_t *texts) {
  const size_t most = UINT32_MAX / 2;
  if (o->collider_count > most / 256 || o->group_count > most / 256 || o->user.length > most)
    return 0;
  size_t fixed = sizeof(ct_body) + motion_bytes(o->motion) +
                 o->collider_count * sizeof(collider_record) + o->group_count * sizeof(group_span);
  size_t length = o->id.length + o->user.length;
  for (size_t i = 0; i < o->collider_count; i++) {
    const ct_collider *c = &o->colliders[i];
    if (c->id.length > CT_ID_LENGTH_MAX || c->material.length > CT_ID_LENGTH_MAX ||
        c->note.length > most || length > most)
      return 0;
    if (!is_stored_as_identity(&c->pose)) fixed += sizeof(ct_pose);
    fixed += surface_bytes(&c->shape);
    length += c->id.length + c->material.length + c->note.length;
  }
  for (size_t i = 0; i < o->group_count; i++) {
    if (o->groups[i].length > most || length > most) return 0;
    length += o->groups[i].length;
  }
  *texts = fixed;
  return fixed + length <= most ? fixed + length : 0;
}

static size_t put_text(char *base, size_t at, ct_text text) {
  if (text.length) memcpy(base + at, text.bytes, text.length);
  return at + text.length;
}

static void write_motion(char *at, const ct_motion *motion) {
  ct_motion own = *motion;
  own.inertia_orientation = ct_quat_or_identity(motion->inertia_orientation);
  if (motion->acceleration) {
    memcpy(at + sizeof own, motion->acceleration, sizeof *motion->acceleration);
    own.acceleration = (const ct_acceleration *)(at + sizeof own);
  }
  memcpy(at, &own, sizeof own);
}

/* Copies the ids of the shape's faces to `at` and lets the shape borrow the copy. Returns the bytes
 * used. */
static size_t copy_surface_ids(char *at, ct_shape *shape) {
  size_t bytes = surface_bytes(shape);
  if (bytes)
    memcpy(at, shape->surface_ids, ct_kind_surface_count(shape->kind) * sizeof *shape->surface_ids);
  shape->surface_ids = bytes ? (const uint32_t *)(const void *)at : NULL;
  return bytes;
}

/* Fills the block behind its head. The head is complete. */
static void fill_body_block(ct_body *body, const ct_body_options *o) {
  char *base = (char *)body;
  if (o->motion) write_motion(base + sizeof *body, o->motion);
  collider_record *record = (collider_record *)(uintptr_t)collider_records(body);
  size_t part_at =
      (size_t)((char *)(record + o->collider_count) - base); /* poses and ids of faces */
  size_t at = put_text(base, put_text(base, body->texts, o->id), o->user);
  for (size_t i = 0; i < o->collider_count; i++) {
    const ct_collider *c = &o->colliders[i];
    record[i] = (collider_record){.shape = c->shape,
                                  .text = (uint32_t)at,
                                  .note_length = (uint32_t)c->note.length,
                                  .id_length = (uint16_t)c->id.length,
                                  .material_length = (uint16_t)c->material.length};
    body->has_surface = body->has_surface || ct_shape_is_surface(&c->shape);
    at = put_text(base, put_text(base, put_text(base, at, c->id), c->material), c->note);
    part_at += copy_surface_ids(base + part_at, &record[i].shape);
    if (is_stored_as_identity(&c->pose)) continue;
    const ct_pose pose = {c->pose.position, ct_quat_or_identity(c->pose.rotation)};
    memcpy(base + part_at, &pose, sizeof pose);
    record[i].pose = (uint32_t)part_at;
    part_at += sizeof(ct_pose);
  }
  group_span *span = (group_span *)(uintptr_t)group_spans(body);
  for (size_t i = 0; i < o->group_count; i++) {
    span[i] = (group_span){(uint32_t)at, (uint32_t)o->groups[i].length};
    at = put_text(base, at, o->groups[i]);
  }
}

/* True if a body can have a collider of this shape: all but points and segments. */
static bool is_body(const ct_shape *shape) {
  ct_vec3 center;
  double radius;
  if (!ct_shape_is_valid(shape)) return false;
  ct_shape_ball(shape, &center, &radius);
  return radius > 0.0;
}

ct_status ct_body_create(const ct_body_options *options, const ct_body **out) {
  size_t texts = 0, bytes = measure_body_block(options, &texts);
  if (bytes == 0 || options->id.length == 0 || options->id.length > CT_ID_LENGTH_MAX)
    return CT_LIMIT;
  for (size_t i = 0; i < options->collider_count; i++)
    if (!is_body(&options->colliders[i].shape)) return CT_LIMIT;
  ct_body *body = malloc(bytes);
  if (!body) return CT_OUT_OF_MEMORY;
  atomic_init(&body->refs, 1);
  body->bytes = (uint32_t)bytes;
  body->collider_count = (uint32_t)options->collider_count;
  body->group_count = (uint32_t)options->group_count;
  body->user_length = (uint32_t)options->user.length;
  body->texts = (uint32_t)texts;
  body->id_length = (uint16_t)options->id.length;
  body->has_motion = options->motion != NULL;
  body->has_surface = false;
  fill_body_block(body, options);
  for (size_t i = 0; i < options->collider_count; i++)
    ct_shape_retain(&options->colliders[i].shape);
  *out = body;
  return CT_OK;
}

const ct_body *ct_body_retain(const ct_body *body) {
  atomic_fetch_add_explicit(&((ct_body *)(uintptr_t)body)->refs, 1, memory_order_relaxed);
  return body;
}

void ct_body_release(const ct_body *body) {
  if (!body) return;
  ct_body *mine = (ct_body *)(uintptr_t)body;
  if (atomic_fetch_sub_explicit(&mine->refs, 1, memory_order_acq_rel) != 1) return;
  for (size_t i = 0; i < body->collider_count; i++)
    ct_shape_release(&collider_records(body)[i].shape);
  free(mine);
}

ct_text ct_body_id(const ct_body *body) {
  return (ct_text){body_block(body) + body->texts, body->id_length};
}

size_t ct_body_collider_count(const ct_body *body) { return body->collider_count; }

ct_collider ct_body_collider(const ct_body *body, size_t index) {
  const collider_record *record = &collider_records(body)[index];
  const char *text = body_block(body) + record->text;
  const ct_pose *pose = ct_body_shape_pose(body, index);
  return (ct_collider){
      .id = {text, record->id_length},
      .shape = record->shape,
      .pose = pose ? *pose : ct_pose_identity(),
      .note = {text + record->id_length + record->material_length, record->note_length},
      .material = {text + record->id_length, record->material_length}};
}

const ct_motion *ct_body_motion(const ct_body *body) {
  return body->has_motion ? (const ct_motion *)(body_block(body) + sizeof *body) : NULL;
}

bool ct_body_has_surface(const ct_body *body) { return body->has_surface; }

size_t ct_body_group_count(const ct_body *body) { return body->group_count; }

ct_text ct_body_group(const ct_body *body, size_t index) {
  group_span span = group_spans(body)[index];
  return (ct_text){body_block(body) + span.offset, span.length};
}

ct_text ct_body_user(const ct_body *body) {
  return (ct_text){body_block(body) + body->texts + body->id_length, body->user_length};
}

ct_text ct_body_material(const ct_body *body, size_t index) {
  const collider_record *record = &collider_records(body)[index];
  return (ct_text){body_block(body) + record->text + record->id_length, record->material_length};
}

const ct_shape *ct_body_shape(const ct_body *body, size_t index) {
  return &collider_records(body)[index].shape;
}

ct_text ct_body_collider_id(const ct_body *body, size_t index) {
  const collider_record *record = &collider_records(body)[index];
  return (ct_text){body_block(body) + record->text, record->id_length};
}

const ct_pose *ct_body_shape_pose(const ct_body *body, size_t index) {
  uint32_t offset = collider_records(body)[index].pose;
  return offset ? (const ct_pose *)(body_block(body) + offset) : NULL;
}

ct_aabb ct_body_aabb(const ct_body *body, const ct_frame *frame) {
  ct_aabb box = ct_aabb_empty();
  for (size_t i = 0; i < body->collider_count; i++) {
    ct_frame placed = ct_body_shape_frame(body, i, frame);
    box = ct_aabb_union(box, ct_shape_aabb(&collider_records(body)[i].shape, &placed));
  }
  return box;
}

size_t ct_body_owned_bytes(const ct_body *body) {
  return atomic_load_explicit(&((ct_body *)(uintptr_t)body)->refs, memory_order_relaxed) == 1
             ? body->bytes
             : 0;
}

size_t ct_body_weight(const ct_body *body) {
  size_t weight = body->bytes + CT_BLOCK_OVERHEAD;
  for (size_t i = 0; i < body->collider_count; i++) {
    const ct_shape *shape = &collider_records(body)[i].shape;
    size_t bytes = shape->lent ? 0 : ct_shape_bytes(shape);
    if (bytes > 0) weight += bytes + CT_BLOCK_OVERHEAD;
  }
  return weight;
}

static int compare_poses(const ct_pose *a, const ct_pose *b) {
  double va[] = {a->position.x, a->position.y, a->position.z, a->rotation.x,
                 a->rotation.y, a->rotation.z, a->rotation.w};
  double vb[] = {b->position.x, b->position.y, b->position.z, b->rotation.x,
                 b->rotation.y, b->rotation.z, b->rotation.w};
  return ct_numbers_compare(va, vb, 7);
}

int ct_body_compare(const ct_body *a, const ct_pose *pose_a, const ct_body *b,
                    const ct_pose *pose_b) {
  const ct_pose identity = ct_pose_identity();
  size_t count_a = ct_body_collider_count(a), count_b = ct_body_collider_count(b);
  int order = compare_poses(pose_a, pose_b);
  if (order) return order;
  if (count_a != count_b) return count_a < count_b ? -1 : 1;
  for (size_t i = 0; i < count_a; i++) {
    order = ct_shape_compare(ct_body_shape(a, i), ct_body_shape(b, i));
    if (order) return order;
    const ct_pose *pa = ct_body_shape_pose(a, i), *pb = ct_body_shape_pose(b, i);
    order = compare_poses(pa ? pa : &identity, pb ? pb : &identity);
    if (order) return order;
  }
  return 0;
}

/* Density of a body that specifies none, kg/m^3: water's. */
#define STANDARD_DENSITY 1000.0

/* Mass properties of all colliders at density 1, body frame. False: a collider is a plane, or the
 * volume is zero. */
static bool unit_mass(const ct_body *body, ct_mass_properties *out) {
  size_t count = ct_body_collider_count(body);
  ct_mass_properties sum = {0};
  for (size_t i = 0; i < count; i++) {
    ct_mass_properties part;
    if (!ct_shape_mass(ct_body_shape(body, i), 1.0, &part)) return false;
    const ct_pose *pose = ct_body_shape_pose(body, i);
    if (pose) {
      ct_frame frame = ct_frame_of(*pose);
      part = ct_mass_place(&part, &frame);
    }
    sum = i == 0 ? part : ct_mass_add(&sum, &part);
  }
  *out = sum;
  return count > 0 && sum.mass > 0.0;
}

static ct_mat3 scale_inertia(ct_mat3 m, double s) {
  return (ct_mat3){ct_scale(m.rx, s), ct_scale(m.ry, s), ct_scale(m.rz, s)};
}

/* Adds mass (|d|^2 1 - d d^T): the inertia about a point at distance d from the centre of mass. */
static ct_mat3 add_parallel_axis_term(ct_mat3 inertia, double mass, ct_vec3 d) {
  double dd = ct_norm2(d);
  inertia.rx = ct_add(inertia.rx, ct_scale(ct_vec(dd - d.x * d.x, -d.x * d.y, -d.x * d.z), mass));
  inertia.ry = ct_add(inertia.ry, ct_scale(ct_vec(-d.y * d.x, dd - d.y * d.y, -d.y * d.z), mass));
  inertia.rz = ct_add(inertia.rz, ct_scale(ct_vec(-d.z * d.x, -d.z * d.y, dd - d.z * d.z), mass));
  return inertia;
}

/* R diag(moments) R^T */
static ct_mat3 rotate_moments(ct_vec3 moments, ct_quat orientation) {
  ct_mat3 r = ct_quat_matrix(orientation);
  ct_mat3 scaled_columns = {{r.rx.x * moments.x, r.rx.y * moments.y, r.rx.z * moments.z},
                            {r.ry.x * moments.x, r.ry.y * moments.y, r.ry.z * moments.z},
                            {r.rz.x * moments.x, r.rz.y * moments.y, r.rz.z * moments.z}};
  return ct_mat_mat(scaled_columns, ct_mat_transpose(r));
}

bool ct_body_mass(const ct_body *body, ct_mass_properties *out, bool *overlap_ignored) {
  static const ct_motion none = {.source = CT_MASS_NONE};
  const ct_motion *motion = ct_body_motion(body);
  if (!motion) motion = &none;
  ct_mass_properties result = {0};
  bool reported = motion->source == CT_MASS_MASS && motion->has_center && motion->has_inertia;
  /* Integrate the colliders at unit density; a complete motion needs none. */
  bool computed = unit_mass(body, &result);
  if (!computed && !reported) return false;
  if (!computed) result = (ct_mass_properties){0};
  /* Scale to the mass or density. */
  double mass =
      motion->source == CT_MASS_MASS
          ? motion->value
          : result.mass * (motion->source == CT_MASS_DENSITY ? motion->value : STANDARD_DENSITY);
  if (computed) result.inertia = scale_inertia(result.inertia, mass / result.mass);
  /* Replace the computed values by those that the motion specifies. */
  if (motion->has_center) {
    result.inertia =
        add_parallel_axis_term(result.inertia, mass, ct_sub(motion->center, result.center));
    result.center = motion->center;
  }
  if (motion->has_inertia)
    result.inertia = rotate_moments(motion->inertia_diagonal, motion->inertia_orientation);
  result.mass = mass;
  *out = result;
  *overlap_ignored = !reported && ct_body_collider_count(body) > 1;
  return true;
}
