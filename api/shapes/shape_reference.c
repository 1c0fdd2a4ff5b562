/* References to posted shapes, and scaled copies. The note of a collider that names a shape is the
 * text after the member's key: "s-...","scale":2. No other note begins with a quoted id of a shape.
 */
#include "shapes/shape_reference.h"

#include <assert.h>
#include <contact/limits.h>
#include <stdlib.h>
#include <string.h>

#include "shapes/elements_json.h"
#include "shapes/mesh_build.h"

/* Number of bodies checked between two polls of the cancel flag. */
#define ROWS_PER_POLL 4096

void api_shape_scope_free(api_shape_scope *scope) {
  for (size_t i = 0; i < scope->scaled_count && i < API_SCALED_MAX; i++)
    ct_shape_release(&scope->scaled[i].copy);
  api_shapes_release(scope->table);
  scope->scaled_count = 0;
  scope->table = NULL;
}

/* ---- scaling -------------------------------------------------------------------------------- */

typedef struct scaling {
  api_reader *reader;
  const api_field *field; /* the member `scale` */
  double scale;
} scaling;

static bool refuse_size(const scaling *s, double size) {
  api_fault *fault =
      api_fault_at(s->reader->faults, API_PROBLEM_OUT_OF_RANGE, &s->field->path,
                   "The scaled shape has a size of %.17g m; sizes are 1e-9 to 1e9 m.", size);
  api_fault_limit(fault, size < CT_SIZE_MIN ? CT_SIZE_MIN : CT_SIZE_MAX, size);
  return false;
}

/* Scales a length whose least value is `part` of the least size. 0 stays 0. */
static bool scale_length(const scaling *s, double *length, double part) {
  double scaled = *length * s->scale, size = scaled / part;
  if (*length != 0.0 && !(size >= CT_SIZE_MIN && size <= CT_SIZE_MAX)) return refuse_size(s, size);
  *length = scaled;
  return true;
}

static bool scale_lengths(const scaling *s, ct_vec3 *lengths, double part) {
  return scale_length(s, &lengths->x, part) && scale_length(s, &lengths->y, part) &&
         scale_length(s, &lengths->z, part);
}

/* Allocates and scales points, after their box was checked. */
static ct_vec3 *scaled_points(const scaling *s, ct_aabb box, size_t count) {
  assert(s->scale > 0.0);
  double widest = ct_max_abs(ct_sub(box.max, box.min)) * s->scale;
  double farthest = ct_max2(ct_max_abs(box.min), ct_max_abs(box.max)) * s->scale;
  if (!(widest >= CT_SIZE_MIN)) {
    refuse_size(s, widest);
    return NULL;
  }
  if (!(farthest <= CT_COORDINATE_MAX)) {
    api_fault_limit(api_fault_at(s->reader->faults, API_PROBLEM_OUT_OF_RANGE, &s->field->path,
                                 "The scaled shape has a point beyond 1e9 m: use a smaller scale."),
                    CT_COORDINATE_MAX, farthest);
    return NULL;
  }
  ct_vec3 *points = malloc((count ? count : 1) * sizeof *points);
  if (!points) api_fault_memory(s->reader->faults);
  return points;
}

static bool scale_hull(const scaling *s, ct_shape *shape) {
  const ct_hull_view *view = ct_hull_get(shape->hull);
  ct_vec3 *points = scaled_points(s, view->box, view->vertex_count);
  if (!points) return false;
  for (uint32_t i = 0; i < view->vertex_count; i++)
    points[i] = ct_scale(ct_vec(view->x[i], view->y[i], view->z[i]), s->scale);
  ct_hull *hull = NULL;
  ct_status status =
      ct_hull_from_points(points, view->vertex_count, s->reader->cancel, &hull, NULL);
  free(points);
  if (status == CT_OK && ct_hull_copy_surfaces(hull, shape->hull) != CT_OK) {
    ct_hull_release(hull);
    status = CT_OUT_OF_MEMORY;
  }
  if (status == CT_OUT_OF_MEMORY) api_fault_memory(s->reader->faults);
  else if (status == CT_CANCELLED) api_fault_cancelled(s->reader->faults);
  else if (status != CT_OK)
    api_fault_at(s->reader->faults, API_PROBLEM_DEGENERATE_HULL, &s->field->path,
                 "After scaling, %s.", ct_status_text(status));
  shape->hull = hull;
  return status == CT_OK;
}

static bool scale_mesh(const scaling *s, ct_shape *shape) {
  const ct_mesh_view *view = ct_mesh_get(shape->mesh);
  ct_vec3 *points = scaled_points(s, view->box, view->vertex_count);
  if (!points) return false;
  for (uint32_t i = 0; i < view->vertex_count; i++)
    points[i] = ct_scale(view->vertices[i], s->scale);
  const ct_mesh_repair_options keep = {.keep_duplicates = true};
  api_mesh_source source = {
      .data = {points, view->vertex_count, view->triangles, view->triangle_count, view->normals},
      .reading = view->solid ? CT_MESH_SOLID : CT_MESH_SURFACE,
      .at = &s->field->path,
      .repair = view->repeats ? &keep : NULL};
  ct_mesh *mesh = NULL;
  ct_mesh_report report;
  bool good = api_build_mesh(s->reader, &source, &mesh, &report);
  free(points);
  shape->mesh = mesh;
  return good;
}

static bool scale_elements(const scaling *s, ct_shape *shape) {
  const ct_elements_view *view = ct_elements_get(shape->elements);
  ct_vec3 *points = scaled_points(s, ct_mesh_get(view->surface)->box, view->vertex_count);
  if (!points) return false;
  for (uint32_t i = 0; i < view->vertex_count; i++)
    points[i] = ct_scale(view->vertices[i], s->scale);
  api_elements_source source = {
      .data = {.type = view->type,
               .vertices = points,
               .vertex_count = view->vertex_count,
               .corners = view->corners,
               .element_count = view->element_count,
               .normals = view->normals,
               .surface_ids = view->surface_ids,
               .surface_id_count = view->surface_ids ? view->outer_count : 0,
               .corner_counts = view->corner_counts,
               .corner_stride = view->corner_stride},
      .at = &s->field->path};
  source.whole = true;
  ct_elements *elements = NULL;
  ct_elements_report report;
  bool good = api_build_elements(s->reader, &source, &elements, &report);
  free(points);
  if (good) *shape = ct_shape_of_elements(elements);
  return good;
}

/* Scales *shape, which is borrowed before and owned afterwards. */
static bool scale_shape(const scaling *s, ct_shape *shape) {
  switch (shape->kind) {
  case CT_KIND_SPHERE: return scale_length(s, &shape->sphere.radius, 1.0);
  case CT_KIND_BOX: return scale_lengths(s, &shape->box.half, 0.5);
  case CT_KIND_CAPSULE:
    return scale_length(s, &shape->capsule.half_length, 0.5) &&
           scale_length(s, &shape->capsule.radius_bottom, 1.0) &&
           scale_length(s, &shape->capsule.radius_top, 1.0);
  case CT_KIND_CYLINDER:
    return scale_length(s, &shape->cylinder.half_length, 0.5) &&
           scale_length(s, &shape->cylinder.radius, 1.0);
  case CT_KIND_CONE:
    return scale_length(s, &shape->cone.half_length, 0.5) &&
           scale_length(s, &shape->cone.radius_bottom, 1.0) &&
           scale_length(s, &shape->cone.radius_top, 1.0);
  case CT_KIND_ELLIPSOID: return scale_lengths(s, &shape->ellipsoid.radii, 1.0);
  case CT_KIND_CONVEX: return scale_hull(s, shape);
  case CT_KIND_MESH: return scale_mesh(s, shape);
  case CT_KIND_TETMESH:
  case CT_KIND_HEXMESH:
  case CT_KIND_ELEMENTMESH: return scale_elements(s, shape);
  default: return true; /* a half-space does not change */
  }
}

/* ---- reading -------------------------------------------------------------------------------- */

static const api_scaled *find_scaled(const api_shape_scope *scope, const api_scaled *like) {
  for (size_t i = 0; i < scope->scaled_count && i < API_SCALED_MAX; i++) {
    const api_scaled *s = &scope->scaled[i];
    if (s->shape == like->shape && s->scale == like->scale && s->hull == like->hull) return s;
  }
  return NULL;
}

static void remember(api_shape_scope *scope, const api_scaled *made) {
  api_scaled *place = &scope->scaled[scope->scaled_count % API_SCALED_MAX];
  if (scope->scaled_count >= API_SCALED_MAX) ct_shape_release(&place->copy);
  *place = *made;
  place->copy.lent = true; /* the memory of the shape has been counted at its first reference */
  ct_shape_retain(&made->copy);
  scope->scaled_count++;
}

/* Replaces a borrowed shape by its convex hull, owned. */
static bool substitute_hull(api_reader *reader, const api_field *field, ct_shape *shape) {
  ct_shape hull;
  ct_status status = ct_shape_convex_hull(shape, reader->cancel, &hull);
  if (status == CT_OUT_OF_MEMORY) api_fault_memory(reader->faults);
  else if (status == CT_CANCELLED) api_fault_cancelled(reader->faults);
  else if (status == CT_DEGENERATE_HULL)
    api_fault_at(reader->faults, API_PROBLEM_DEGENERATE_HULL, &field->path,
                 "The points of the mesh lie in a plane, so that their hull has no volume: omit "
                 "convexHull.");
  else if (status != CT_OK)
    api_fault_at(reader->faults, API_PROBLEM_LIMIT_EXCEEDED, &field->path, "%s.",
                 ct_status_text(status));
  if (status == CT_OK) *shape = hull;
  return status == CT_OK;
}

/* Makes a scaled copy or a hull of the shape; *out owns a reference. */
static bool make_copy(const scaling *s, const api_field *hull_field, bool hull, ct_shape *out) {
  ct_shape whole = *out;
  if (hull && !substitute_hull(s->reader, hull_field, &whole)) return false;
  *out = whole;
  out->lent = false;
  bool good = s->scale == 1.0 || scale_shape(s, out);
  if (hull && (!good || s->scale != 1.0)) ct_shape_release(&whole);
  return good;
}

/* Returns the scaled shape, or its hull, from the scope if it was made before; *out owns a
 * reference. */
static bool copy_scaled_shape(const scaling *s, const api_field *hull_field, api_scaled *made,
                              ct_shape *out) {
  assert(made->shape && s->reader->shapes);
  api_shape_scope *scope = s->reader->shapes;
  *out = api_shape_get(made->shape)->shape;
  /* Shapes of other kinds equal their hulls. */
  made->hull = made->hull && ct_kind_is_mesh(out->kind);
  bool plain = s->scale == 1.0 && !made->hull;
  const api_scaled *known = plain ? NULL : find_scaled(scope, made);
  if (known) *out = known->copy;
  if (known || plain) {
    ct_shape_retain(out);
    return true;
  }
  if (!make_copy(s, hull_field, made->hull, out)) return false;
  made->copy = *out;
  remember(scope, made);
  return true;
}

/* Puts the text after the key `shape` into the note. */
static bool put_note(api_reader *reader, const char *id,
                     const api_field members[API_REFERENCE_MEMBER_COUNT], double scale, bool hull,
                     ct_text *out) {
  api_buffer note = {0};
  api_put_string(&note, api_text(id));
  if (api_field_present(&members[1])) api_put_member_number(&note, "scale", scale);
  if (api_field_present(&members[2])) api_put_member_bool(&note, "convexHull", hull);
  if (note.failed) api_fault_memory(reader->faults);
  else *out = api_reader_copy(reader, (ct_text){note.bytes, note.length});
  api_buffer_free(&note);
  return out->bytes != NULL;
}

bool api_read_reference(api_reader *reader, const api_field members[API_REFERENCE_MEMBER_COUNT],
                        ct_collider *out) {
  scaling s = {reader, &members[1], 1.0};
  api_scaled made = {0};
  ct_text id = {0};
  bool good = api_read_id(reader, &members[0], &id);
  good = api_read_number(reader, &members[1], API_SCALE_MIN, API_SCALE_MAX, &s.scale) && good;
  good = api_read_bool(reader, &members[2], &made.hull) && good;
  if (!good) return false;
  made.scale = s.scale;
  made.shape = reader->shapes ? api_shapes_find(reader->shapes->table, id) : NULL;
  if (!made.shape) {
    char echo[API_ECHO_MAX + 4];
    api_spelling likeness = api_spelling_start(id.bytes, id.length);
    for (size_t i = 0; reader->shapes && i < api_shapes_count(reader->shapes->table); i++) {
      const char *known = api_shapes_id(reader->shapes->table, i);
      if (!api_spelling_consider(&likeness, known, strlen(known))) break;
    }
    api_fault_did_you_mean(
        api_fault_at(
            reader->faults, API_PROBLEM_UNKNOWN_ID, &members[0].path,
            "No shape has the id \"%s\"; POST /v1/shapes creates shapes and returns their ids.",
            api_echo(id, echo)),
        likeness);
    return false;
  }
  out->note = (ct_text){0};
  if (!put_note(reader, api_shape_get(made.shape)->id, members, s.scale, made.hull, &out->note))
    return false;
  if (!copy_scaled_shape(&s, &members[2], &made, &out->shape)) return false;
  if (ct_shape_is_surface(&out->shape))
    api_warn(reader->warnings, "surface", &members[0].path, 0,
             "The shape is a mesh that is read as a surface: it has no inside, and bodies within "
             "it are separated from it.");
  return true;
}

/* ---- users of shapes ------------------------------------------------------------------------ */

ct_text api_shape_named(ct_text note) {
  if (note.length < 2 || note.bytes[0] != '"' || note.bytes[1] != 's') return (ct_text){NULL, 0};
  const char *end = memchr(note.bytes + 1, '"', note.length - 1);
  return end ? (ct_text){note.bytes + 1, (size_t)(end - note.bytes - 1)} : (ct_text){NULL, 0};
}

/* True if the collider's note names the shape. */
static bool note_names_shape(ct_text note, const char *shape_id) {
  size_t length = strlen(shape_id);
  return note.length >= length + 2 && note.bytes[0] == '"' &&
         memcmp(note.bytes + 1, shape_id, length) == 0 && note.bytes[length + 1] == '"';
}

/* A scene that is not in memory counts as having no rows. */
static uint32_t rows_of(const api_scene_entry *entry) {
  return entry->scene ? ct_scene_rows(entry->scene) : 0;
}

bool api_scenes_are_small(const api_scene_entry *scenes, size_t count, uint64_t limit) {
  uint64_t rows = 0, colliders = 0;
  for (size_t s = 0; s < count && rows <= limit; s++) rows += rows_of(&scenes[s]);
  if (rows > limit) return false;
  for (size_t s = 0; s < count; s++) {
    for (uint32_t row = 0; row < rows_of(&scenes[s]); row++) {
      const ct_body *body = ct_scene_body(scenes[s].scene, row);
      if (body) colliders += ct_body_collider_count(body);
    }
  }
  return colliders <= limit;
}

ct_status api_count_references(api_shape_users users, const char *shape_id, const ct_cancel *cancel,
                               uint64_t *out) {
  assert(users.scenes || users.count == 0);
  uint64_t references = 0;
  for (size_t s = 0; s < users.count; s++) {
    const ct_scene *scene = users.scenes[s].scene;
    for (uint32_t row = 0; row < rows_of(&users.scenes[s]); row++) {
      if (row % ROWS_PER_POLL == 0 && ct_cancel_raised(cancel)) return CT_CANCELLED;
      const ct_body *body = ct_scene_body(scene, row);
      if (!body) continue;
      for (size_t i = 0; i < ct_body_collider_count(body); i++)
        references += note_names_shape(ct_body_collider(body, i).note, shape_id);
    }
  }
  *out = references;
  return CT_OK;
}

/* Finds the index of a shape in the table. False: the table has no shape with the id. */
static bool find_table_index(const api_shape_table *shapes, ct_text id, size_t *out) {
  size_t low = 0, high = api_shapes_count(shapes);
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = strncmp(api_shapes_id(shapes, middle), id.bytes, id.length);
    if (order == 0 && api_shapes_id(shapes, middle)[id.length] == 0) {
      *out = middle;
      return true;
    }
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return false;
}

void api_shapes_mark_used(const api_shape_table *shapes, const api_scene_entry *scenes,
                          size_t count, bool *named) {
  for (size_t s = 0; s < count; s++) {
    for (uint32_t row = 0; row < rows_of(&scenes[s]); row++) {
      const ct_body *body = ct_scene_body(scenes[s].scene, row);
      for (size_t i = 0; body && i < ct_body_collider_count(body); i++) {
        ct_text id = api_shape_named(ct_body_collider(body, i).note);
        size_t place;
        if (id.length > 0 && find_table_index(shapes, id, &place)) named[place] = true;
      }
    }
  }
}
