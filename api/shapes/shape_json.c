/* Shapes of all kinds, and colliders. A spelling that the shape cannot reproduce is stored in the
 * collider's note as the JSON value of its shape member. The kinds: primitive_json.c,
 * convex_json.c, mesh_json.c, elements_json.c. */
#include "shapes/shape_json.h"

#include <string.h>

#include "shapes/convex_json.h"
#include "shapes/elements_json.h"
#include "shapes/mesh_json.h"
#include "shapes/primitive_json.h"
#include "shapes/rounding_json.h"
#include "shapes/shape_reference.h"

/* ---- any shape, collider -------------------------------------------------------------------- */

bool api_read_shape(api_reader *reader, const api_field *object,
                    const api_field members[API_SHAPE_MEMBER_COUNT], ct_collider *out) {
  static bool (*const readers[CT_KIND_COUNT])(api_reader *, const api_field *, ct_collider *) = {
      [CT_KIND_SPHERE] = api_read_primitive,  [CT_KIND_BOX] = api_read_primitive,
      [CT_KIND_CAPSULE] = api_read_primitive, [CT_KIND_CYLINDER] = api_read_primitive,
      [CT_KIND_CONE] = api_read_primitive,    [CT_KIND_ELLIPSOID] = api_read_primitive,
      [CT_KIND_CONVEX] = api_read_convex,     [CT_KIND_MESH] = api_read_mesh,
      [CT_KIND_TETMESH] = api_read_elements,  [CT_KIND_HEXMESH] = api_read_elements,
      [CT_KIND_PLANE] = api_read_primitive,   [CT_KIND_ELEMENTMESH] = api_read_elements,
  };
#define SHAPE_KIND(kind, word) CT_KIND_##kind,
  static const ct_kind kinds[] = {API_SHAPE_MAP(SHAPE_KIND)};
#undef SHAPE_KIND
  size_t member = api_read_one_of(reader, object, members, API_SHAPE_MEMBER_COUNT, true,
                                  API_PROBLEM_MISSING_MEMBER);
  if (member == API_SHAPE_MEMBER_COUNT) return false;
  ct_collider collider = {
      .id = out->id, .material = out->material, .pose = out->pose, .shape.kind = kinds[member]};
  if (!readers[kinds[member]](reader, &members[member], &collider)) return false;
  *out = collider;
  return true;
}

/* Reads a shape member, or the name of a posted shape. */
static bool read_shape_or_name(api_reader *reader, const api_field *object,
                               const api_field *members, ct_collider *out) {
  const api_field *name = &members[API_SHAPE_MEMBER_COUNT], *scale = name + 1;
  if (!api_field_present(name)) {
    bool good = api_reject_unused(reader, scale, true, "shape");
    good = api_reject_unused(reader, scale + 1, true, "shape") && good;
    return good && api_read_shape(reader, object, members, out);
  }
  size_t which = api_read_one_of(reader, object, members, API_SHAPE_MEMBER_COUNT + 1, true,
                                 API_PROBLEM_MISSING_MEMBER);
  return which == API_SHAPE_MEMBER_COUNT && api_read_reference(reader, name, out);
}

bool api_read_collider(api_reader *reader, const api_field *field, ct_collider *out) {
  enum {
    ID = API_SHAPE_MEMBER_COUNT + API_REFERENCE_MEMBER_COUNT,
    MATERIAL,
    POSE,
    ROUNDING = POSE + API_POSE_MEMBER_COUNT
  };
  enum { COUNT = ROUNDING + API_ROUNDING_MEMBER_COUNT };
  api_field m[COUNT] = {API_SHAPE_MEMBERS API_REFERENCE_MEMBERS,
                        {.name = "id"},
                        {.name = "material"},
                        API_POSE_MEMBERS,
                        API_ROUNDING_MEMBERS};
  ct_collider collider = {.pose = ct_pose_identity()};
  bool good = api_read_object(reader, field, m, COUNT);
  if (!field->value || !json_is_object(field->value)) return false;
  good = api_read_id(reader, &m[ID], &collider.id) && good;
  good = api_read_id(reader, &m[MATERIAL], &collider.material) && good;
  good = api_read_pose(reader, field, m + POSE, &collider.pose) && good;
  /* The shape is read last: it is expensive and owned. */
  if (!read_shape_or_name(reader, field, m, &collider)) return false;
  good = api_read_rounding(reader, m + ROUNDING, &collider.shape) && good;
  if (good) *out = collider;
  else api_collider_release(&collider);
  return good;
}

void api_collider_release(ct_collider *collider) {
  ct_shape_release(&collider->shape);
  *collider = (ct_collider){0};
}

/* ---- encode --------------------------------------------------------------------------------- */

/* Puts a note, which is the value of the shape's member. Exceptions: a mesh's note may only contain
 * the value of `solid`; a note that begins with a quotation mark includes the member's name, or is
 * the name of a posted shape. */
static void put_named(api_buffer *buffer, ct_text note) {
  static const char mesh[] = "\"mesh\":";
  if (note.length < sizeof mesh - 1 || memcmp(note.bytes, mesh, sizeof mesh - 1) != 0)
    api_put_key(buffer, "shape");
  else api_put_item(buffer);
  api_put_bytes(buffer, note.bytes, note.length);
}

/* Puts only the shape member, "box":{...} for example. */
static void put_shape_member(api_buffer *buffer, const ct_collider *collider) {
  const ct_shape *shape = &collider->shape;
  if (collider->note.length && collider->note.bytes[0] == '"') {
    put_named(buffer, collider->note);
    return;
  }
  api_put_key(buffer, ct_kind_word(shape->kind));
  if (shape->kind == CT_KIND_MESH) {
    api_put_mesh(buffer, collider);
    return;
  }
  if (ct_kind_has_elements(shape->kind)) {
    api_put_elements(buffer, collider);
    return;
  }
  if (collider->note.length) {
    api_put_bytes(buffer, collider->note.bytes, collider->note.length);
    return;
  }
  api_put_byte(buffer, '{');
  if (shape->kind == CT_KIND_CONVEX) api_put_vertices(buffer, ct_hull_outer(shape->hull));
  else api_put_primitive(buffer, shape);
  api_put_byte(buffer, '}');
}

void api_put_collider(api_buffer *buffer, const ct_collider *collider) {
  api_put_item(buffer);
  api_put_byte(buffer, '{');
  if (collider->id.length) api_put_member_string(buffer, "id", collider->id);
  put_shape_member(buffer, collider);
  api_put_rounding(buffer, &collider->shape);
  if (collider->material.length) api_put_member_string(buffer, "material", collider->material);
  api_put_pose_members(buffer, &collider->pose, false);
  api_put_byte(buffer, '}');
}
