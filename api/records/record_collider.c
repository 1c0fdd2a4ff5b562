/* Encodes and decodes colliders. Of a shape that the note describes completely, only the note is
 * stored; other shapes are stored as numbers. */
#include "records/record_body.h"

#include <assert.h>

#include <contact/limits.h>

#include "shapes/mesh_json.h"
#include "shapes/shape_json.h"

/* Flag bits of a collider. */
enum {
  HAS_ID = 1,
  HAS_MATERIAL = 2,
  HAS_POSE = 4,
  HAS_NOTE = 8,
  IS_ROUNDED = 16,
  IS_INSET = 32,
  HAS_SURFACE_IDS = 64
};
/* Valid flag bits in formats before FORMAT_WITH_SURFACE_IDS, and in later formats. */
enum { OLD_BITS = 63, ALL_BITS = 127 };

/* Where in a record the shape of a collider is found. */
typedef enum shape_source {
  SOURCE_NUMBERS, /* the shape's data (sizes; points; vertices and triangles) follow in the
                     record */
  SOURCE_NOTE,    /* the collider's note has the shape: the member as JSON, or the name of a posted
                     shape */
  SOURCE_BEFORE,  /* a collider of the replaced body has the same shape; that collider's index
                     follows */
  SOURCE_MOVED,   /* the data of the mesh before its vertices were moved follow, then the moved
                     vertices; occurs from record format 3 on */
  SOURCE_COUNT
} shape_source;

/* The first format in which SOURCE_MOVED occurs. */
#define FORMAT_WITH_MOVED 3
/* The first format in which HAS_SURFACE_IDS occurs. */
#define FORMAT_WITH_SURFACE_IDS 3
/* The first format in which elementmeshes occur. In older formats the last kind of shape is the
 * half-space. */
#define FORMAT_WITH_ELEMENTMESH 3

#define LEAST_ROTATION 0.5
#define GREATEST_ROTATION 2.0

/* ---- encode --------------------------------------------------------------------------------- */

static const void *geometry_of(const ct_shape *shape) {
  if (shape->kind == CT_KIND_CONVEX) return shape->hull;
  if (ct_kind_has_elements(shape->kind)) return shape->elements;
  return shape->kind == CT_KIND_MESH ? shape->mesh : NULL;
}

/* Returns the index of the first collider of `before` with the same hull, mesh or elements and the
 * same rounding; the number of colliders if there is none, 0 if before is NULL. */
static size_t find_before(const ct_shape *shape, const ct_body *before) {
  size_t count = before ? ct_body_collider_count(before) : 0;
  const void *geometry = geometry_of(shape);
  for (size_t i = 0; geometry && i < count; i++) {
    ct_shape other = ct_body_collider(before, i).shape;
    if (other.kind == shape->kind && geometry_of(&other) == geometry &&
        other.inset == shape->inset && other.rounding == shape->rounding &&
        other.margin == shape->margin)
      return i;
  }
  return count;
}

/* True if the collider is a mesh that is not a posted shape, so that its note only states whether
 * it is a solid. */
static bool has_reading_options(const ct_collider *collider) {
  return ct_kind_is_mesh(collider->shape.kind) &&
         (!collider->note.length || collider->note.bytes[0] != '"');
}

static void put_numbers(api_buffer *out, const ct_shape *shape) {
  switch (shape->kind) {
  case CT_KIND_SPHERE: api_record_put_f64(out, shape->sphere.radius); break;
  case CT_KIND_BOX: api_record_put_vec3(out, shape->box.half); break;
  case CT_KIND_CAPSULE:
    api_record_put_f64(out, shape->capsule.half_length);
    api_record_put_f64(out, shape->capsule.radius_bottom);
    api_record_put_f64(out, shape->capsule.radius_top);
    break;
  case CT_KIND_CYLINDER:
    api_record_put_f64(out, shape->cylinder.half_length);
    api_record_put_f64(out, shape->cylinder.radius);
    break;
  case CT_KIND_CONE:
    api_record_put_f64(out, shape->cone.half_length);
    api_record_put_f64(out, shape->cone.radius_bottom);
    api_record_put_f64(out, shape->cone.radius_top);
    break;
  case CT_KIND_ELLIPSOID: api_record_put_vec3(out, shape->ellipsoid.radii); break;
  case CT_KIND_CONVEX: api_record_put_points(out, ct_hull_outer(shape->hull)); break;
  case CT_KIND_MESH: api_record_put_mesh(out, shape->mesh); break;
  case CT_KIND_TETMESH:
  case CT_KIND_HEXMESH:
  case CT_KIND_ELEMENTMESH: api_record_put_elements(out, shape->elements); break;
  default: break; /* a half-space has no data */
  }
}

static bool is_identity(const ct_pose *pose) {
  const ct_pose identity = ct_pose_identity();
  return memcmp(pose, &identity, sizeof identity) == 0;
}

void api_record_put_collider(api_buffer *out, const ct_collider *collider, const ct_body *before) {
  const ct_shape *shape = &collider->shape;
  size_t same = find_before(shape, before);
  bool is_known = before && same < ct_body_collider_count(before),
       is_placed = !is_identity(&collider->pose);
  bool rounded = shape->rounding != 0.0 || shape->margin != 0.0;
  shape_source source = is_known                                                  ? SOURCE_BEFORE
                        : api_record_has_moved_vertices(shape)                    ? SOURCE_MOVED
                        : collider->note.length && !has_reading_options(collider) ? SOURCE_NOTE
                                                                                  : SOURCE_NUMBERS;
  size_t id_count = ct_kind_surface_count(shape->kind);
  bool tells_ids = source == SOURCE_NUMBERS && id_count && shape->surface_ids;
  api_record_put_u8(out, (collider->id.length ? HAS_ID : 0u) |
                             (collider->material.length ? HAS_MATERIAL : 0u) |
                             (is_placed ? HAS_POSE : 0u) | (collider->note.length ? HAS_NOTE : 0u) |
                             (rounded ? IS_ROUNDED : 0u) | (shape->inset ? IS_INSET : 0u) |
                             (tells_ids ? HAS_SURFACE_IDS : 0u));
  api_record_put_u8(out, (unsigned)shape->kind);
  api_record_put_u8(out, (unsigned)source);
  if (collider->id.length) api_record_put_text(out, collider->id);
  if (collider->material.length) api_record_put_text(out, collider->material);
  if (is_placed) api_record_put_pose(out, &collider->pose);
  if (collider->note.length) api_record_put_text(out, collider->note);
  if (rounded) {
    api_record_put_f64(out, shape->rounding);
    api_record_put_f64(out, shape->margin);
  }
  if (source == SOURCE_BEFORE) api_record_put_u32(out, (uint32_t)same);
  else if (source == SOURCE_MOVED) api_record_put_moved_vertices(out, shape);
  else if (source == SOURCE_NUMBERS) put_numbers(out, shape);
  if (tells_ids) api_record_put_words(out, shape->surface_ids, id_count);
}

/* ---- decode --------------------------------------------------------------------------------- */

static bool is_size(double value) { return value >= CT_SIZE_MIN && value <= CT_SIZE_MAX; }
static bool is_length_or_none(double value) { return value == 0.0 || is_size(value); }
static bool is_half(double value) { return is_size(2.0 * value); }

static bool get_size(api_record_decoder *r, bool (*is_good)(double), double *out) {
  *out = api_record_get_f64(&r->in);
  return api_decoder_is_valid(r) &&
         (is_good(*out) || api_decoder_reject(r, "A shape has an invalid size"));
}

static bool is_half_or_none(double value) { return value == 0.0 || is_half(value); }

static bool get_numbers(api_record_decoder *r, ct_text note, ct_shape *shape) {
  switch (shape->kind) {
  case CT_KIND_SPHERE: return get_size(r, is_size, &shape->sphere.radius);
  case CT_KIND_BOX:
    return get_size(r, is_half, &shape->box.half.x) && get_size(r, is_half, &shape->box.half.y) &&
           get_size(r, is_half, &shape->box.half.z);
  case CT_KIND_CAPSULE:
    return get_size(r, is_half_or_none, &shape->capsule.half_length) &&
           get_size(r, is_size, &shape->capsule.radius_bottom) &&
           get_size(r, is_size, &shape->capsule.radius_top);
  case CT_KIND_CYLINDER:
    return get_size(r, is_half, &shape->cylinder.half_length) &&
           get_size(r, is_size, &shape->cylinder.radius);
  case CT_KIND_CONE:
    return get_size(r, is_half, &shape->cone.half_length) &&
           get_size(r, is_length_or_none, &shape->cone.radius_bottom) &&
           get_size(r, is_length_or_none, &shape->cone.radius_top) &&
           (shape->cone.radius_bottom + shape->cone.radius_top > 0.0 ||
            api_decoder_reject(r, "Both radii of a cone are 0"));
  case CT_KIND_ELLIPSOID:
    return get_size(r, is_size, &shape->ellipsoid.radii.x) &&
           get_size(r, is_size, &shape->ellipsoid.radii.y) &&
           get_size(r, is_size, &shape->ellipsoid.radii.z);
  case CT_KIND_CONVEX: return api_record_get_points(r, shape);
  case CT_KIND_MESH: return api_record_get_mesh(r, note, shape);
  case CT_KIND_TETMESH:
  case CT_KIND_HEXMESH:
  case CT_KIND_ELEMENTMESH: return api_record_get_elements(r, shape);
  default: return true;
  }
}

/* Puts a JSON collider whose shape is described by the note. */
static void put_noted(api_buffer *text, ct_kind kind, ct_text note) {
  assert(note.length > 0);
  static const char mesh[] = "\"mesh\":";
  bool is_whole = note.length >= sizeof mesh - 1 && memcmp(note.bytes, mesh, sizeof mesh - 1) == 0;
  api_put_byte(text, '{');
  if (!is_whole) api_put_key(text, note.bytes[0] == '"' ? "shape" : ct_kind_word(kind));
  api_put_bytes(text, note.bytes, note.length);
  api_put_byte(text, '}');
}

/* Decodes the collider in `value`, the JSON of its note, and checks that it has this kind and note;
 * *out owns its shape. */
static bool read_noted(api_record_decoder *r, json_t *value, ct_kind kind, ct_text note,
                       ct_collider *out) {
  api_field root = api_field_root(value);
  ct_collider collider = {0};
  if (!api_read_collider(&r->reader, &root, &collider))
    return api_decoder_reject(r, "A shape cannot be rebuilt");
  if (collider.shape.kind == kind && api_text_equal(collider.note, note)) {
    *out = collider;
    return true;
  }
  api_collider_release(&collider);
  return api_decoder_reject(r, "A shape's document does not match the shape");
}

static bool get_noted(api_record_decoder *r, ct_text note, ct_shape *shape) {
  if (!note.length) return api_decoder_reject(r, "A shape has neither numbers nor a document");
  api_buffer text = {0};
  put_noted(&text, shape->kind, note);
  json_t *value = text.failed ? NULL : api_decoder_read_json(r, text.bytes, text.length);
  bool failed = text.failed;
  api_buffer_free(&text);
  if (failed) return api_decoder_out_of_memory(r);
  if (!value) return false;
  ct_collider collider;
  bool good = read_noted(r, value, shape->kind, note, &collider);
  json_decref(value);
  if (good) *shape = collider.shape;
  return good;
}

static bool inset_recorded_hull(api_record_decoder *r, double radius, ct_shape *shape) {
  assert(shape->kind == CT_KIND_CONVEX && shape->hull && radius > 0.0);
  ct_hull *inset = NULL;
  ct_status status = ct_hull_inset(shape->hull, radius, NULL, &inset);
  if (status != CT_OK)
    return api_decoder_check_status(r, status, "A shape is too thin for its rounding");
  ct_hull_release(shape->hull);
  shape->hull = inset;
  shape->lent = false;
  return true;
}

/* Rounds the shape in the same way as api_read_rounding. */
static bool round_shape(api_record_decoder *r, bool inset, double rounding, double margin,
                        ct_shape *shape) {
  if (!is_length_or_none(rounding) || !is_length_or_none(margin) || (inset && rounding == 0.0))
    return api_decoder_reject(r, "A shape has an invalid rounding or margin");
  if (inset && shape->kind == CT_KIND_CONVEX && !inset_recorded_hull(r, rounding, shape))
    return false;
  if (inset && shape->kind != CT_KIND_CONVEX && !(rounding <= ct_shape_inset_limit(shape, NULL)))
    return api_decoder_reject(r, "A shape is too thin for its rounding");
  shape->inset = inset;
  shape->rounding = rounding;
  shape->margin = margin;
  return true;
}

static bool get_before(api_record_decoder *r, const ct_body *before, ct_shape *shape) {
  uint32_t which = api_record_get_u32(&r->in);
  if (!api_decoder_is_valid(r)) return false;
  if (!before || which >= ct_body_collider_count(before))
    return api_decoder_reject(r, "A collider refers to an unknown earlier collider");
  ct_shape known = ct_body_collider(before, which).shape;
  if (known.kind != shape->kind)
    return api_decoder_reject(r, "A collider refers to an earlier one of another kind");
  *shape = known;
  ct_shape_retain(shape);
  return true;
}

/* ---- notes, which are copied into replies as they are
 * ----------------------------------------- */

static bool has_note(const ct_body *body, ct_text note) {
  for (size_t i = 0; i < ct_body_collider_count(body); i++)
    if (api_text_equal(ct_body_collider(body, i).note, note)) return true;
  return false;
}

/* Checks the note of a shape that is taken from the replaced body: it must be a note of that body,
 * or name a posted shape. */
static bool check_known_note(api_record_decoder *r, const ct_body *before, ct_text note,
                             ct_kind kind) {
  if (!note.length || has_note(before, note)) return true;
  ct_shape shape = {.kind = kind};
  if (!get_noted(r, note, &shape)) return false;
  ct_shape_release(&shape);
  return true;
}

/* Checks the note of a shape that is stored as numbers: it may only state whether a mesh is a
 * solid, or describe a mesh with kept duplicate triangles. */
static bool check_note_of_numbers(api_record_decoder *r, ct_text note, const ct_shape *shape) {
  bool is_mesh = shape->kind == CT_KIND_MESH,
       repeats = is_mesh && ct_mesh_get(shape->mesh)->repeats;
  bool is_reading =
      api_text_equal(note, api_text("true")) || api_text_equal(note, api_text("false"));
  if (!repeats && (!note.length || (is_mesh && is_reading))) return true;
  ct_text wanted = {0};
  if (repeats && !api_describe_duplicates(&r->reader, shape->mesh, &wanted))
    return api_decoder_out_of_memory(r);
  if (repeats && api_text_equal(note, wanted)) return true;
  return api_decoder_reject(r, "A shape's document does not match the shape");
}

static bool check_note(api_record_decoder *r, unsigned source, const ct_body *before,
                       const ct_collider *collider) {
  if (source == SOURCE_NOTE) return true; /* decoding has checked it */
  if (source == SOURCE_BEFORE)
    return check_known_note(r, before, collider->note, collider->shape.kind);
  return check_note_of_numbers(r, collider->note, &collider->shape);
}

/* ---- colliders ------------------------------------------------------------------------------ */

static bool get_pose(api_record_decoder *r, ct_pose *out) {
  *out = api_record_get_pose(&r->in);
  ct_quat q = out->rotation;
  double length = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
  bool good = ct_max_abs(out->position) <= CT_COORDINATE_MAX && length >= LEAST_ROTATION &&
              length <= GREATEST_ROTATION;
  return api_decoder_is_valid(r) &&
         (good || api_decoder_reject(r, "The pose of a collider is invalid"));
}

/* Decodes the ids of a primitive's faces into the arena. */
static bool get_surface_ids(api_record_decoder *r, unsigned source, ct_shape *shape) {
  size_t count = ct_kind_surface_count(shape->kind);
  if (source != SOURCE_NUMBERS || count == 0)
    return api_decoder_reject(r, "A shape without numbered faces has surface ids");
  uint32_t *ids = api_arena_array(&r->arena, count, sizeof *ids);
  if (!ids) return api_decoder_out_of_memory(r);
  api_record_get_words(&r->in, ids, count);
  shape->surface_ids = ids;
  return api_decoder_is_valid(r);
}

bool api_record_get_collider(api_record_decoder *r, const ct_body *before, ct_collider *out) {
  unsigned bits = api_record_get_u8(&r->in), kind = api_record_get_u8(&r->in),
           source = api_record_get_u8(&r->in);
  unsigned known_bits = r->in.format < FORMAT_WITH_SURFACE_IDS ? OLD_BITS : ALL_BITS;
  unsigned known_sources = r->in.format < FORMAT_WITH_MOVED ? SOURCE_MOVED : SOURCE_COUNT;
  unsigned known_kinds = r->in.format < FORMAT_WITH_ELEMENTMESH ? CT_KIND_PLANE + 1 : CT_KIND_COUNT;
  if (bits > known_bits || kind >= known_kinds || source >= known_sources) r->in.failed = true;
  ct_collider collider = {.pose = ct_pose_identity(), .shape.kind = (ct_kind)kind};
  double rounding = 0.0, margin = 0.0;
  if (!api_decoder_is_valid(r)) return false;
  if (bits & HAS_ID && !api_decoder_read_id(r, &collider.id)) return false;
  if (bits & HAS_MATERIAL && !api_decoder_read_id(r, &collider.material)) return false;
  if (bits & HAS_POSE && !get_pose(r, &collider.pose)) return false;
  if (bits & HAS_NOTE) collider.note = api_record_get_text(&r->in, UINT32_MAX);
  if (bits & IS_ROUNDED) {
    rounding = api_record_get_f64(&r->in);
    margin = api_record_get_f64(&r->in);
  }
  if (!api_decoder_is_valid(r)) return false;
  bool good = source == SOURCE_BEFORE  ? get_before(r, before, &collider.shape)
              : source == SOURCE_NOTE  ? get_noted(r, collider.note, &collider.shape)
              : source == SOURCE_MOVED ? api_record_get_moved_vertices(r, &collider.shape)
                                       : get_numbers(r, collider.note, &collider.shape);
  if (!good) return false;
  good = check_note(r, source, before, &collider) &&
         (!(bits & HAS_SURFACE_IDS) || get_surface_ids(r, source, &collider.shape)) &&
         (source == SOURCE_BEFORE ||
          round_shape(r, (bits & IS_INSET) != 0, rounding, margin, &collider.shape));
  if (!good) {
    ct_shape_release(&collider.shape);
    return false;
  }
  *out = collider;
  return true;
}
