/* Total order of shapes by content.
 *
 * Primitives are compared by their parameters; hulls, meshes and elements by counts, leading
 * vertices and the digest that was computed when they were built. Comparing equal geometry in
 * different objects therefore costs no more than comparing an object with itself. */
#include "shape/shape_compare.h"
#include "elements/elements_build.h"
#include "hull/hull_faces.h"
#include "shape/sharp_shape.h"
#include "shape/tapered_capsule.h"

ct_kind ct_shape_content_kind(const ct_shape *shape) {
  double center, radius;
  if (ct_shape_is_ball(shape, &center, &radius)) return CT_KIND_SPHERE;
  bool straight =
      shape->kind == CT_KIND_CONE && shape->cone.radius_bottom == shape->cone.radius_top;
  return straight ? CT_KIND_CYLINDER : shape->kind;
}

int ct_numbers_compare(const double *a, const double *b, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}

/* Number of vertices compared one by one before the digests. Different shapes mostly differ in
 * these, and their order is invariant under scaling by a power of two; the order of digests is
 * not. */
#define LEADING_VERTICES 8u

static size_t count_leading_vertices(uint32_t count) {
  return count < LEADING_VERTICES ? count : LEADING_VERTICES;
}

static int compare_counts(uint32_t a, uint32_t b) { return (a > b) - (a < b); }

static int compare_hulls(const ct_hull *a, const ct_hull *b) {
  if (a == b) return 0;
  int order = compare_counts(a->view.vertex_count, b->view.vertex_count);
  size_t count = count_leading_vertices(a->view.vertex_count);
  if (!order) order = ct_numbers_compare(a->view.x, b->view.x, count);
  if (!order) order = ct_numbers_compare(a->view.y, b->view.y, count);
  if (!order) order = ct_numbers_compare(a->view.z, b->view.z, count);
  return order ? order : ct_digest_compare(&a->digest, &b->digest);
}

static int compare_meshes(const ct_mesh *a, const ct_mesh *b) {
  if (a == b) return 0;
  const ct_mesh_view *p = &a->view, *q = &b->view;
  if (p->solid != q->solid) return p->solid ? -1 : 1;
  int order = compare_counts(p->vertex_count, q->vertex_count);
  if (!order) order = compare_counts(p->triangle_count, q->triangle_count);
  if (!order) order = compare_counts(p->live_count, q->live_count);
  if (!order)
    order = ct_numbers_compare(&p->vertices[0].x, &q->vertices[0].x,
                               3 * count_leading_vertices(p->vertex_count));
  return order ? order : ct_digest_compare(&a->digest, &b->digest);
}

/* Compares elements by counts, leading vertices and digest. The surface mesh follows from them and
 * is not compared. */
static int compare_elements(const ct_elements *a, const ct_elements *b) {
  if (a == b) return 0;
  int order = compare_counts(a->view.vertex_count, b->view.vertex_count);
  if (!order) order = compare_counts(a->view.element_count, b->view.element_count);
  if (!order)
    order = ct_numbers_compare(&a->view.vertices[0].x, &b->view.vertices[0].x,
                               3 * count_leading_vertices(a->view.vertex_count));
  return order ? order : ct_digest_compare(&a->digest, &b->digest);
}

/* Returns the parameters of a sharp primitive, padded with zeros; zeros for hulls, meshes, elements
 * and planes. */
static ct_vec3 get_parameters(const ct_shape *shape) {
  switch (shape->kind) {
  case CT_KIND_SPHERE: return ct_vec(shape->sphere.radius, 0.0, 0.0);
  case CT_KIND_BOX: return shape->box.half;
  case CT_KIND_CAPSULE:
    return ct_vec(shape->capsule.half_length, shape->capsule.radius_bottom,
                  shape->capsule.radius_top);
  case CT_KIND_CYLINDER: return ct_vec(shape->cylinder.radius, shape->cylinder.half_length, 0.0);
  case CT_KIND_CONE:
    return ct_vec(shape->cone.half_length, shape->cone.radius_bottom, shape->cone.radius_top);
  case CT_KIND_ELLIPSOID: return shape->ellipsoid.radii;
  case CT_KIND_CONVEX:
  case CT_KIND_MESH:
  case CT_KIND_TETMESH:
  case CT_KIND_HEXMESH:
  case CT_KIND_ELEMENTMESH:
  case CT_KIND_PLANE:
  case CT_KIND_COUNT: break;
  }
  return ct_vec(0.0, 0.0, 0.0);
}

/* Compares kinds by number, but planes come last: pair functions require a plane to be the second
 * shape. */
static int compare_kinds(ct_kind a, ct_kind b) {
  if (a == b) return 0;
  if (a == CT_KIND_PLANE || b == CT_KIND_PLANE) return a == CT_KIND_PLANE ? 1 : -1;
  return a < b ? -1 : 1;
}

int ct_shape_compare(const ct_shape *a, const ct_shape *b) {
  ct_kind kind_a = ct_shape_content_kind(a), kind_b = ct_shape_content_kind(b);
  if (kind_a != kind_b) return compare_kinds(kind_a, kind_b);
  if (ct_shape_is_plain(a) && ct_shape_is_plain(b)) {
    if (kind_a == CT_KIND_CONVEX) return compare_hulls(a->hull, b->hull);
    ct_vec3 u = get_parameters(a), v = get_parameters(b);
    return ct_numbers_compare(&u.x, &v.x, 3);
  }
  ct_sharp_shape p = ct_shape_sharp(a), q = ct_shape_sharp(b);
  ct_vec3 u = get_parameters(&p.shape), v = get_parameters(&q.shape);
  const double first[] = {u.x, u.y, u.z, p.center_z, p.radius},
               second[] = {v.x, v.y, v.z, q.center_z, q.radius};
  int order = ct_numbers_compare(first, second, 5);
  if (order) return order;
  if (kind_a == CT_KIND_CONVEX) return compare_hulls(a->hull, b->hull);
  if (ct_kind_has_elements(kind_a)) return compare_elements(a->elements, b->elements);
  return kind_a == CT_KIND_MESH ? compare_meshes(a->mesh, b->mesh) : 0;
}
