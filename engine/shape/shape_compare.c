/* Shapes by content. */
#include "shape/capsule.h"
#include "shape/compare.h"

ct_kind ct_shape_content_kind(const ct_shape *shape) {
  double center, radius;
  return ct_shape_is_ball(shape, &center, &radius) ? CT_KIND_SPHERE : shape->kind;
}

int ct_numbers_compare(const double *a, const double *b, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}

static int compare_hulls(const ct_hull *a, const ct_hull *b) {
  if (a == b) return 0;
  const ct_hull_view *p = ct_hull_get(a), *q = ct_hull_get(b);
  if (p->vertex_count != q->vertex_count) return p->vertex_count < q->vertex_count ? -1 : 1;
  int order = ct_numbers_compare(p->x, q->x, p->vertex_count);
  if (!order) order = ct_numbers_compare(p->y, q->y, p->vertex_count);
  return order ? order : ct_numbers_compare(p->z, q->z, p->vertex_count);
}

/* The numbers of a ball, box or capsule; zero where it has fewer than three. */
static void numbers_of(const ct_shape *shape, double v[3]) {
  v[0] = v[1] = v[2] = 0.0;
  if (ct_shape_is_ball(shape, &v[1], &v[0])) return;
  if (shape->kind == CT_KIND_BOX) {
    v[0] = shape->box.half.x;
    v[1] = shape->box.half.y;
    v[2] = shape->box.half.z;
  } else if (shape->kind == CT_KIND_CAPSULE) {
    v[0] = shape->capsule.half_length;
    v[1] = shape->capsule.radius_bottom;
    v[2] = shape->capsule.radius_top;
  }
}

int ct_shape_compare(const ct_shape *a, const ct_shape *b) {
  ct_kind kind_a = ct_shape_content_kind(a), kind_b = ct_shape_content_kind(b);
  if (kind_a != kind_b) return kind_a < kind_b ? -1 : 1;
  if (kind_a == CT_KIND_CONVEX) return compare_hulls(a->hull, b->hull);
  double p[3], q[3];
  numbers_of(a, p);
  numbers_of(b, q);
  return ct_numbers_compare(p, q, 3);
}
