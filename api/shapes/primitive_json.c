/* Reads primitive shapes from their sizes, and writes them. */
#include "shapes/primitive_json.h"

#include "shapes/mesh_arrays.h"

/* Greatest number of surfaceIds that are read before their number is checked: more than the faces
 * of any primitive, so that the error states both numbers. */
#define IDS_READ_MAX 1000u

/* Reads the face ids, one for each face of the kind out->shape.kind. */
static bool read_surface_ids(api_reader *reader, const api_field *field, ct_collider *out) {
  if (!api_field_present(field)) return true;
  size_t count, wanted = ct_kind_surface_count(out->shape.kind);
  if (!api_read_surface_ids(reader, field, IDS_READ_MAX, &out->shape.surface_ids, &count))
    return false;
  if (!count || count == wanted) return true;
  api_fault *fault = api_fault_at(reader->faults, API_PROBLEM_WRONG_TYPE, &field->path,
                                  "surfaceIds of kind %s needs one entry per face (%zu), got %zu.",
                                  ct_kind_word(out->shape.kind), wanted, count);
  api_fault_limit(fault, (double)wanted, (double)count);
  return false;
}

static bool read_sphere(api_reader *reader, const api_field *field, ct_collider *out) {
  api_field m[2] = {{.name = "radius", .required = true}, {.name = "surfaceIds"}};
  if (!api_read_object(reader, field, m, 2)) return false;
  bool good = api_read_size(reader, &m[0], &out->shape.sphere.radius);
  return read_surface_ids(reader, &m[1], out) && good;
}

/* Reads three sizes. */
static bool read_sizes(api_reader *reader, const api_field *field, ct_vec3 *out) {
  double v[3];
  if (!api_read_numbers(reader, field, HUGE_VAL, 3, v)) return false;
  bool good = true;
  for (size_t i = 0; i < 3; i++) {
    api_field element = api_field_element(field, i);
    good = api_read_size(reader, &element, &v[i]) && good;
  }
  *out = ct_vec(v[0], v[1], v[2]);
  return good;
}

static bool read_box(api_reader *reader, const api_field *field, ct_collider *out) {
  api_field m[2] = {{.name = "size", .required = true}, {.name = "surfaceIds"}};
  if (!api_read_object(reader, field, m, 2)) return false;
  ct_vec3 edges = {0.0, 0.0, 0.0};
  bool good = read_sizes(reader, &m[0], &edges);
  out->shape.box.half = ct_scale(edges, 0.5);
  return read_surface_ids(reader, &m[1], out) && good;
}

bool api_read_size_or_zero(api_reader *reader, const api_field *field, double *out) {
  double value = json_number_value(field->value) + 0.0;
  if (json_is_number(field->value) && (value < CT_SIZE_MIN || value > CT_SIZE_MAX)) {
    if (value == 0.0) {
      *out = 0.0;
      return true;
    }
    api_fault *fault = api_fault_at(reader->faults, API_PROBLEM_OUT_OF_RANGE, &field->path,
                                    "Expected 0, or a value from 1e-9 to 1e9.");
    api_fault_limit(fault,
                    value < 0.0           ? 0.0
                    : value < CT_SIZE_MIN ? CT_SIZE_MIN
                                          : CT_SIZE_MAX,
                    value);
    return false;
  }
  return api_read_size(reader, field, out);
}

static void put_primitive_surface_ids(api_buffer *buffer, const ct_shape *shape) {
  if (shape->surface_ids)
    api_put_surface_ids(buffer, shape->surface_ids, ct_kind_surface_count(shape->kind));
}

/* Sets the collider's note to the JSON text of the given members, in this order. */
static bool keep_spelling(api_reader *reader, const api_field *const *given, size_t count,
                          ct_collider *out) {
  api_buffer note = {0};
  api_put_byte(&note, '{');
  for (size_t i = 0; i < count; i++)
    api_put_member_number(&note, given[i]->name, json_number_value(given[i]->value) + 0.0);
  put_primitive_surface_ids(&note, &out->shape);
  api_put_byte(&note, '}');
  if (note.failed) api_fault_memory(reader->faults);
  else out->note = api_reader_copy(reader, (ct_text){note.bytes, note.length});
  api_buffer_free(&note);
  return out->note.bytes != NULL;
}

static bool read_capsule(api_reader *reader, const api_field *field, ct_collider *out) {
  enum { RADIUS, BOTTOM, TOP, HEIGHT, SURFACE_IDS, COUNT };
  api_field m[COUNT] = {{.name = "radius"},
                        {.name = "radiusBottom"},
                        {.name = "radiusTop"},
                        {.name = "height", .required = true},
                        {.name = "surfaceIds"}};
  if (!api_read_object(reader, field, m, COUNT)) return false;
  bool two = m[BOTTOM].value || m[TOP].value;
  if (two == (m[RADIUS].value != NULL) || (m[BOTTOM].value != NULL) != (m[TOP].value != NULL)) {
    api_fault_at(reader->faults,
                 two && m[RADIUS].value ? API_PROBLEM_CONFLICTING_MEMBERS
                                        : API_PROBLEM_MISSING_MEMBER,
                 &field->path, "Give either radius, or both radiusBottom and radiusTop.");
    return false;
  }
  double bottom = 0.0, top = 0.0, height = 0.0;
  bool good = api_read_size(reader, &m[two ? BOTTOM : RADIUS], &bottom);
  if (two) good = api_read_size(reader, &m[TOP], &top) && good;
  else top = bottom;
  good = api_read_size_or_zero(reader, &m[HEIGHT], &height) && good;
  if (!read_surface_ids(reader, &m[SURFACE_IDS], out) || !good) return false;

  out->shape.capsule.half_length = 0.5 * height;
  out->shape.capsule.radius_bottom = bottom;
  out->shape.capsule.radius_top = top;
  /* Equal radii are written as `radius`, unless the request had radiusBottom and radiusTop. */
  const api_field *given[] = {&m[BOTTOM], &m[TOP], &m[HEIGHT]};
  return !two || bottom != top || keep_spelling(reader, given, 3, out);
}

static bool read_cylinder(api_reader *reader, const api_field *field, ct_collider *out) {
  api_field m[3] = {{.name = "radius", .required = true},
                    {.name = "height", .required = true},
                    {.name = "surfaceIds"}};
  if (!api_read_object(reader, field, m, 3)) return false;
  double radius = 0.0, height = 0.0;
  bool good = api_read_size(reader, &m[0], &radius);
  good = api_read_size(reader, &m[1], &height) && good;
  if (!read_surface_ids(reader, &m[2], out) || !good) return false;
  out->shape.cylinder.radius = radius;
  out->shape.cylinder.half_length = 0.5 * height;
  return true;
}

static bool read_cone(api_reader *reader, const api_field *field, ct_collider *out) {
  enum { RADIUS, HEIGHT, TOP, SURFACE_IDS, COUNT };
  api_field m[COUNT] = {{.name = "radius", .required = true},
                        {.name = "height", .required = true},
                        {.name = "radiusTop"},
                        {.name = "surfaceIds"}};
  if (!api_read_object(reader, field, m, COUNT)) return false;
  double radius = 0.0, height = 0.0, top = 0.0;
  bool good = api_read_size(reader, &m[RADIUS], &radius);
  good = api_read_size(reader, &m[HEIGHT], &height) && good;
  good = api_read_size_or_zero(reader, &m[TOP], &top) && good;
  if (!read_surface_ids(reader, &m[SURFACE_IDS], out) || !good) return false;
  out->shape.cone.half_length = 0.5 * height;
  out->shape.cone.radius_bottom = radius;
  out->shape.cone.radius_top = top;
  /* A cone with an apex is written without radiusTop, unless the request had it. */
  const api_field *given[] = {&m[RADIUS], &m[HEIGHT], &m[TOP]};
  return !m[TOP].value || top > 0.0 || keep_spelling(reader, given, 3, out);
}

static bool read_ellipsoid(api_reader *reader, const api_field *field, ct_collider *out) {
  api_field m[2] = {{.name = "radii", .required = true}, {.name = "surfaceIds"}};
  if (!api_read_object(reader, field, m, 2)) return false;
  bool good = read_sizes(reader, &m[0], &out->shape.ellipsoid.radii);
  return read_surface_ids(reader, &m[1], out) && good;
}

static bool read_plane(api_reader *reader, const api_field *field, ct_collider *out) {
  api_field ids = {.name = "surfaceIds"};
  return api_read_object(reader, field, &ids, 1) && read_surface_ids(reader, &ids, out);
}

bool api_read_primitive(api_reader *reader, const api_field *field, ct_collider *out) {
  switch (out->shape.kind) {
  case CT_KIND_SPHERE: return read_sphere(reader, field, out);
  case CT_KIND_BOX: return read_box(reader, field, out);
  case CT_KIND_CAPSULE: return read_capsule(reader, field, out);
  case CT_KIND_CYLINDER: return read_cylinder(reader, field, out);
  case CT_KIND_CONE: return read_cone(reader, field, out);
  case CT_KIND_ELLIPSOID: return read_ellipsoid(reader, field, out);
  default: return read_plane(reader, field, out);
  }
}

static void put_capsule(api_buffer *buffer, const ct_shape *shape) {
  double bottom = shape->capsule.radius_bottom, top = shape->capsule.radius_top;
  if (bottom == top) {
    api_put_member_number(buffer, "radius", bottom);
  } else {
    api_put_member_number(buffer, "radiusBottom", bottom);
    api_put_member_number(buffer, "radiusTop", top);
  }
  api_put_member_number(buffer, "height", 2.0 * shape->capsule.half_length);
}

static void put_cone(api_buffer *buffer, const ct_shape *shape) {
  api_put_member_number(buffer, "radius", shape->cone.radius_bottom);
  api_put_member_number(buffer, "height", 2.0 * shape->cone.half_length);
  if (shape->cone.radius_top > 0.0)
    api_put_member_number(buffer, "radiusTop", shape->cone.radius_top);
}

void api_put_primitive(api_buffer *buffer, const ct_shape *shape) {
  switch (shape->kind) {
  case CT_KIND_SPHERE: api_put_member_number(buffer, "radius", shape->sphere.radius); break;
  case CT_KIND_BOX: api_put_member_vec3(buffer, "size", ct_scale(shape->box.half, 2.0)); break;
  case CT_KIND_CAPSULE: put_capsule(buffer, shape); break;
  case CT_KIND_CYLINDER:
    api_put_member_number(buffer, "radius", shape->cylinder.radius);
    api_put_member_number(buffer, "height", 2.0 * shape->cylinder.half_length);
    break;
  case CT_KIND_CONE: put_cone(buffer, shape); break;
  case CT_KIND_ELLIPSOID: api_put_member_vec3(buffer, "radii", shape->ellipsoid.radii); break;
  default: break;
  }
  put_primitive_surface_ids(buffer, shape);
}
