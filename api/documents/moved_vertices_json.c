/* Replaces vertices of triangle and element meshes: reads the arrays, rebuilds the shapes and
 * replaces each affected body once. */
#include "documents/moved_vertices_json.h"

#include <assert.h>
#include <contact/limits.h>
#include <math.h>
#include <stdlib.h>

#include "common/spelling.h"
#include "documents/body_json.h"
#include "shapes/elements_json.h"
#include "shapes/mesh_arrays.h"
#include "shapes/mesh_build.h"
#include "shapes/mesh_json.h"

/* Least value of a normal's largest component, the same as in mesh_arrays.c; a shorter normal is
 * refused as zero. */
#define FLAT_NORMAL_LEAST 1e-9

enum { BODY, COLLIDER, VERTICES, NORMALS, MEMBER_COUNT };

/* A collider whose vertices move: the row of its body in the draft, its index in the body, and the
 * collider that replaces it. */
typedef struct target {
  size_t item; /* index in the request */
  uint32_t row, collider;
  bool is_read;
  ct_collider moved; /* the replacement; owns its shape if is_read */
} target;

/* ---- arrays --------------------------------------------------------------------------------- */

/* True if the array starts with a number: it then lists components, not vectors. */
static bool is_component_array(const api_field *field) {
  return json_is_number(json_array_get(field->value, 0));
}

static bool check_array_length(api_reader *reader, const api_field *field, size_t vertices,
                               bool flat) {
  size_t wanted = flat ? 3 * vertices : vertices, length = json_array_size(field->value);
  if (!json_is_array(field->value)) {
    api_fault_at(reader->faults, API_PROBLEM_WRONG_TYPE, &field->path, "Expected an array, got %s.",
                 api_type_words(field->value));
    return false;
  }
  if (length == wanted) return true;
  api_fault *fault = api_fault_at(
      reader->faults, API_PROBLEM_WRONG_TYPE, &field->path,
      flat ? "%s needs three numbers for each vertex of the mesh (%zu), got %zu numbers."
           : "%s needs one vector for each vertex of the mesh (%zu), got %zu.",
      field->name, vertices, length);
  api_fault_limit(fault, (double)wanted, (double)length);
  return false;
}

static bool read_components(api_reader *reader, const api_field *field, size_t vertices,
                            ct_vec3 *out) {
  bool good = true;
  for (size_t i = 0; i < 3 * vertices && !api_faults_full(reader->faults); i++) {
    api_field element = api_field_element(field, i);
    double value = 0.0;
    if (i % API_ITEMS_PER_POLL == 0 && api_reader_cancelled(reader)) return false;
    good = api_read_number(reader, &element, -CT_COORDINATE_MAX, CT_COORDINATE_MAX, &value) && good;
    if (i % 3 == 0) out[i / 3].x = value;
    else if (i % 3 == 1) out[i / 3].y = value;
    else out[i / 3].z = value;
  }
  return good;
}

/* Checks that no normal is zero; normals of any other length are valid. */
static bool check_nonzero_normals(api_reader *reader, const api_field *field, size_t vertices,
                                  const ct_vec3 *normals) {
  bool good = true;
  for (size_t i = 0; i < vertices && !api_faults_full(reader->faults); i++) {
    double size = ct_max_abs(normals[i]);
    if (size >= FLAT_NORMAL_LEAST) continue;
    api_pointer at = api_pointer_index(&field->path, 3 * i);
    api_fault_limit(
        api_fault_at(reader->faults, API_PROBLEM_OUT_OF_RANGE, &at,
                     "The normal must not be zero: its largest component must be at least 1e-9."),
        FLAT_NORMAL_LEAST, size);
    good = false;
  }
  return good;
}

/* Reads one vector per vertex into the arena. NULL: a fault was added. */
static ct_vec3 *read_moved_vectors(api_reader *reader, const api_field *field, size_t vertices,
                                   bool normals) {
  bool flat = is_component_array(field);
  size_t count = 0;
  ct_vec3 *out = NULL;
  if (!check_array_length(reader, field, vertices, flat)) return NULL;
  if (!flat && normals) return api_read_normals(reader, field, vertices, &out) ? out : NULL;
  if (!flat) return api_read_vertices(reader, field, vertices, &out, &count) ? out : NULL;
  out = api_arena_array(reader->arena, vertices, sizeof *out);
  if (!out) {
    api_fault_memory(reader->faults);
    return NULL;
  }
  if (!read_components(reader, field, vertices, out) ||
      (normals && !check_nonzero_normals(reader, field, vertices, out)))
    return NULL;
  return out;
}

/* ---- shapes --------------------------------------------------------------------------------- */

static size_t count_vertices(const ct_shape *shape) {
  assert(ct_kind_is_mesh(shape->kind));
  if (ct_kind_has_elements(shape->kind)) return ct_elements_get(shape->elements)->vertex_count;
  return ct_mesh_get(shape->mesh)->vertex_count;
}

static bool rebuild_mesh(api_reader *reader, const api_pointer *at, const ct_mesh_data *moved,
                         ct_shape *shape) {
  const ct_mesh_view *view = ct_mesh_get(shape->mesh);
  ct_mesh *mesh = NULL;
  ct_mesh_report report = {.bad_triangle = CT_NO_TRIANGLE};
  api_mesh_source source = {.data = *moved,
                            .reading = view->solid ? CT_MESH_SOLID : CT_MESH_SURFACE,
                            .at = at,
                            .whole = true,
                            .moved = shape->mesh};
  if (!api_build_mesh(reader, &source, &mesh, &report)) return false;
  api_warn_mesh(reader->warnings, at, &report, mesh, NULL);
  shape->mesh = mesh;
  return true;
}

static bool rebuild_elements(api_reader *reader, const api_pointer *at, const ct_mesh_data *moved,
                             ct_shape *shape) {
  const ct_elements_view *view = ct_elements_get(shape->elements);
  api_elements_source source = {
      .data = {.type = view->type,
               .vertices = moved->vertices,
               .vertex_count = view->vertex_count,
               .corners = view->corners,
               .element_count = view->element_count,
               .normals = moved->normals,
               .surface_ids = view->surface_ids,
               .surface_id_count = view->surface_ids ? view->outer_count : 0,
               .corner_counts = view->corner_counts,
               .corner_stride = view->corner_stride},
      .at = at,
      .whole = true,
      .moved = shape->elements};
  ct_elements *elements = NULL;
  ct_elements_report report;
  if (!api_build_elements(reader, &source, &elements, &report)) return false;
  ct_shape before = *shape;
  *shape = ct_shape_of_elements(elements);
  shape->rounding = before.rounding;
  shape->margin = before.margin;
  shape->inset = before.inset;
  return true;
}

/* Sets the collider's note, which states whether its mesh is a solid ("true") or a surface
 * ("false") if the arrays alone would not be read so. A posted shape with moved vertices becomes
 * the collider's own mesh, whose note replaces the shape's name. A surface stays one even if its
 * edges are closed. */
static bool update_mesh_note(api_reader *reader, ct_collider *collider) {
  const ct_mesh_view *view = ct_mesh_get(collider->shape.mesh);
  bool spelled = collider->note.length && collider->note.bytes[0] == '"';
  if (view->repeats) return api_describe_duplicates(reader, collider->shape.mesh, &collider->note);
  if (spelled || !view->solid) collider->note = api_text(view->solid ? "true" : "false");
  return true;
}

/* Replaces the collider's shape by one with moved vertices, which the collider owns. */
static bool move_collider(api_reader *reader, const api_field m[MEMBER_COUNT],
                          ct_collider *collider) {
  ct_shape *shape = &collider->shape;
  size_t count = count_vertices(shape);
  ct_mesh_data moved = {.vertex_count = count};
  const ct_vec3 *vertices = read_moved_vectors(reader, &m[VERTICES], count, false), *normals = NULL;
  if (api_field_present(&m[NORMALS])) {
    normals = read_moved_vectors(reader, &m[NORMALS], count, true);
    if (!normals) return false;
  }
  if (!vertices || api_reader_cancelled(reader)) return false;
  moved.vertices = vertices;
  moved.normals = normals;
  bool is_mesh = shape->kind == CT_KIND_MESH;
  if (is_mesh ? !rebuild_mesh(reader, &m[VERTICES].path, &moved, shape)
              : !rebuild_elements(reader, &m[VERTICES].path, &moved, shape))
    return false;
  shape->lent = false;
  if (!is_mesh) {
    if (collider->note.length && collider->note.bytes[0] == '"') collider->note = (ct_text){0};
    return true;
  }
  if (update_mesh_note(reader, collider)) return true;
  ct_shape_release(shape);
  return false;
}

/* ---- bodies --------------------------------------------------------------------------------- */

static bool check_moved_mass(api_reader *reader, const api_field *at, const ct_body *body) {
  const ct_motion *motion = ct_body_motion(body);
  ct_mass_properties mass;
  bool overlap;
  if (!motion || motion->is_kinematic) return true;
  if (ct_body_mass(body, &mass, &overlap) && mass.mass >= CT_MASS_MIN && mass.mass <= CT_MASS_MAX)
    return true;
  api_fault_at(
      reader->faults, API_PROBLEM_BAD_MASS, &at->path,
      "The moved colliders have no volume from which to compute mass, inertia and centre of "
      "mass, or the density makes their mass less than %g kg or more than %g kg: correct "
      "the vertices, or give the body mass, inertiaDiagonal and centerOfMass.",
      CT_MASS_MIN, CT_MASS_MAX);
  return false;
}

/* Creates a copy of a body in which the colliders of its targets are replaced. */
static const ct_body *make_moved_body(api_reader *reader, const ct_body *own, const target *targets,
                                      size_t target_count) {
  size_t count = ct_body_collider_count(own), groups = ct_body_group_count(own);
  ct_collider *colliders = api_arena_array(reader->arena, count, sizeof *colliders);
  ct_text *names = api_arena_array(reader->arena, groups, sizeof *names);
  const ct_body *body = NULL;
  bool good = colliders && names;
  for (size_t i = 0; good && i < count; i++) colliders[i] = ct_body_collider(own, i);
  for (size_t i = 0; good && i < target_count; i++) {
    assert(targets[i].is_read && targets[i].collider < count);
    colliders[targets[i].collider] = targets[i].moved;
  }
  for (size_t i = 0; good && i < groups; i++) names[i] = ct_body_group(own, i);
  const ct_body_options options = {.id = ct_body_id(own),
                                   .colliders = colliders,
                                   .collider_count = count,
                                   .motion = ct_body_motion(own),
                                   .groups = names,
                                   .group_count = groups,
                                   .user = ct_body_user(own)};
  if (!good || ct_body_create(&options, &body) != CT_OK) api_fault_memory(reader->faults);
  return body;
}

/* Replaces the body of a row in the draft; targets[0..count) are all targets of that body. Faults
 * are reported at `at`, the last item about the body. */
static bool replace_body(api_reader *reader, const api_field *at, ct_draft *draft,
                         const target *targets, size_t count) {
  assert(count > 0);
  uint32_t row = targets[0].row;
  const ct_body *body = make_moved_body(reader, ct_draft_body(draft, row), targets, count);
  if (!body) return false;
  bool good = check_moved_mass(reader, at, body);
  ct_pose pose = ct_draft_pose(draft, row);
  ct_velocity velocity = ct_draft_velocity(draft, row);
  if (good && ct_draft_replace(draft, row, body, &pose, &velocity) != CT_OK) {
    api_fault_memory(reader->faults);
    good = false;
  }
  ct_body_release(body);
  return good;
}

static bool find_body_row(api_reader *reader, const api_field *field, const ct_draft *draft,
                          uint32_t *row) {
  ct_text id = {0};
  char echo[API_ECHO_MAX + 4];
  if (!api_read_id(reader, field, &id)) return false;
  *row = ct_draft_find(draft, id);
  if (*row != CT_NO_ROW) return true;
  api_fault_did_you_mean(api_fault_at(reader->faults, API_PROBLEM_UNKNOWN_ID, &field->path,
                                      "The scene has no body \"%s\".", api_echo(id, echo)),
                         api_spelling_of_draft(draft, id));
  return false;
}

/* Finds the collider that an item selects: the named one, or the body's only collider with
 * vertices. */
static bool find_target(api_reader *reader, const api_field *item, const api_field m[MEMBER_COUNT],
                        const ct_draft *draft, target *t) {
  uint32_t movable = 0;
  if (!find_body_row(reader, &m[BODY], draft, &t->row)) return false;
  const ct_body *body = ct_draft_body(draft, t->row);
  if (!api_read_collider_place(reader, &m[COLLIDER], body, &t->collider)) return false;
  const bool named = t->collider != CT_NO_COLLIDER;
  for (uint32_t i = 0; !named && i < ct_body_collider_count(body); i++)
    if (ct_kind_is_mesh(ct_body_collider(body, i).shape.kind) && movable++ == 0) t->collider = i;
  if (movable > 1) {
    api_pointer at = api_pointer_member(&item->path, "collider");
    api_fault_at(reader->faults, API_PROBLEM_MISSING_MEMBER, &at,
                 "The body has %u colliders with vertices: select one by the member collider, an "
                 "id or index.",
                 movable);
    return false;
  }
  const api_pointer *at = api_field_present(&m[COLLIDER]) ? &m[COLLIDER].path : &m[BODY].path;
  if (t->collider == CT_NO_COLLIDER ||
      !ct_kind_is_mesh(ct_body_collider(body, t->collider).shape.kind)) {
    api_fault_at(reader->faults, API_PROBLEM_NO_TRIANGLES, at,
                 "Only a mesh, a tetmesh, a hexmesh or an elementmesh has vertices that can be "
                 "moved: select such a collider.");
    return false;
  }
  return true;
}

/* Reads an item of the request and replaces the shape of the collider that it selects. */
static bool read_moved_item(api_reader *reader, const api_field *item, const ct_draft *draft,
                            target *t) {
  api_field m[MEMBER_COUNT] = {[BODY] = {.name = "body", .required = true},
                               [COLLIDER] = {.name = "collider"},
                               [VERTICES] = {.name = "vertices", .required = true},
                               [NORMALS] = {.name = "normals"}};
  if (!api_read_object(reader, item, m, MEMBER_COUNT)) return false;
  if (!find_target(reader, item, m, draft, t)) return false;
  t->moved = ct_body_collider(ct_draft_body(draft, t->row), t->collider);
  t->is_read = move_collider(reader, m, &t->moved);
  return t->is_read;
}

static int compare_targets(const void *left, const void *right) {
  const target *p = left, *q = right;
  if (p->row != q->row) return p->row < q->row ? -1 : 1;
  if (p->collider != q->collider) return p->collider < q->collider ? -1 : 1;
  return (p->item > q->item) - (p->item < q->item);
}

/* Sorts the targets by row and collider. False with DUPLICATE_ID if two elements of the request's
 * array select the same collider. */
static bool sort_targets(api_reader *reader, const api_field *items, target *targets,
                         size_t count) {
  bool good = true;
  qsort(targets, count, sizeof *targets, compare_targets);
  for (size_t i = 1; i < count; i++) {
    const target *p = &targets[i - 1], *q = &targets[i];
    if (p->row != q->row || p->collider != q->collider) continue;
    api_field item = api_field_element(items, q->item);
    api_fault_at(
        reader->faults, API_PROBLEM_DUPLICATE_ID, &item.path,
        "Element %zu of the array moves the same collider: remove one of the two elements.",
        p->item);
    good = false;
  }
  return good;
}

/* Replaces the bodies of all targets, each body once. */
static bool replace_bodies(api_reader *reader, const api_field *items, ct_draft *draft,
                           const target *targets, size_t count) {
  bool good = true;
  for (size_t i = 0, end; i < count && !api_faults_full(reader->faults); i = end) {
    for (end = i + 1; end < count && targets[end].row == targets[i].row;) end++;
    api_field item = api_field_element(items, targets[end - 1].item);
    api_field vertices = {.path = api_pointer_member(&item.path, "vertices")};
    good = replace_body(reader, &vertices, draft, targets + i, end - i) && good;
  }
  return good;
}

static bool apply_moved_items(api_reader *reader, const api_field *items, ct_draft *draft,
                              target *targets, size_t count) {
  bool good = true;
  for (size_t i = 0; i < count; i++)
    targets[i] = (target){.item = i, .row = CT_NO_ROW, .collider = CT_NO_COLLIDER};
  for (size_t i = 0; i < count && !api_faults_full(reader->faults); i++) {
    api_field item = api_field_element(items, i);
    if (api_reader_cancelled(reader)) return false;
    good = read_moved_item(reader, &item, draft, &targets[i]) && good;
  }
  return good && sort_targets(reader, items, targets, count) &&
         replace_bodies(reader, items, draft, targets, count);
}

bool api_move_vertices(api_reader *reader, const api_field *field, ct_draft *draft, size_t *count) {
  api_field m[1] = {{.name = "meshes", .required = true}};
  *count = 0;
  if (!api_read_object(reader, field, m, 1) ||
      !api_read_array(reader, &m[0], 1, API_MOVED_MESHES_MAX, count))
    return false;
  target *targets = api_arena_array(reader->arena, *count, sizeof *targets);
  if (!targets) {
    api_fault_memory(reader->faults);
    return false;
  }
  bool good = apply_moved_items(reader, &m[0], draft, targets, *count);
  for (size_t i = 0; i < *count; i++)
    if (targets[i].is_read) ct_shape_release(&targets[i].moved.shape);
  return good;
}
