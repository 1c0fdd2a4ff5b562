/* The normal along which a convex core and a solid mesh that only touch are parted. */
#include "narrow/mesh_convex.h"
#include "narrow/mesh_pair.h"
#include "shape/mesh_reach.h"

/* Normals of one sort that are judged by the whole bodies, and triangles inspected to find them. */
#define NORMALS_MAX 32
#define TRIANGLES_MAX 256
/* Square of the angle below which two normals are one. */
#define SAME_NORMAL2 1e-20

typedef struct normals {
  ct_vec3 items[NORMALS_MAX];
  int count;
} normals;

typedef struct touch {
  const ct_convex_mesh *p;
  normals faces, gaps;
  uint32_t triangle[TRIANGLES_MAX]; /* positions */
  int triangles;
  bool found, overflow;
  const normals *sort; /* of the best: faces or gaps */
  ct_vec3 normal;
  double width; /* of the slab across the normal that parts the bodies; below 0 they overlap */
} touch;

/* How far the mesh reaches against a normal: of a surface the triangles that the core touches. */
static double mesh_reach(const touch *t, ct_vec3 normal) {
  if (t->p->view->solid) return ct_mesh_reach(t->p->view, ct_neg(normal));
  double far = -INFINITY;
  for (int i = 0; i < t->triangles; i++) {
    ct_triangle face = ct_mesh_triangle(t->p->view, t->triangle[i]);
    for (int k = 0; k < 3; k++) far = ct_max2(far, -ct_dot(normal, face.v[k]));
  }
  return far;
}

static void judge_normal(touch *t, const normals *sort, ct_vec3 normal) {
  double width = -mesh_reach(t, normal) - ct_core_reach(&t->p->core, normal);
  bool better = !t->found || width > t->width + t->p->roundoff;
  /* A face's own normal is right to round-off, that of a gap beside a curved side to its root. */
  bool equal = !better && width >= t->width - t->p->roundoff;
  if (equal && sort == t->sort) better = ct_normal_greater(normal, t->normal);
  if (equal && sort != t->sort) better = sort == &t->faces;
  if (!better) return;
  t->found = true;
  t->sort = sort;
  t->width = width;
  t->normal = normal;
}

static void add_normal(normals *n, ct_vec3 normal) {
  if (n->count == NORMALS_MAX || !(ct_max_abs(normal) > 0.0)) return;
  for (int i = 0; i < n->count; i++)
    if (ct_norm2(ct_sub(n->items[i], normal)) <= SAME_NORMAL2) return;
  n->items[n->count++] = normal;
}

static bool note_triangle(void *context, uint32_t position, const ct_gap *gap) {
  touch *t = context;
  ct_triangle face = ct_mesh_triangle(t->p->view, position);
  ct_vec3 out = ct_unit_or(ct_triangle_cross(&face), ct_vec(0.0, 0.0, 0.0));
  t->overflow = t->triangles == TRIANGLES_MAX;
  if (t->overflow) return false;
  t->triangle[t->triangles++] = position;
  add_normal(&t->faces, ct_neg(out));
  if (!t->p->view->solid) add_normal(&t->faces, out);
  add_normal(&t->gaps, gap->normal);
  return true;
}

bool ct_convex_mesh_touch(const ct_convex_mesh *p, double reach, ct_vec3 *normal, double *width) {
  touch t = {.p = p};
  ct_convex_mesh_visit(p, reach, note_triangle, &t);
  if (t.overflow && !p->view->solid) return false;
  for (int i = 0; i < t.faces.count; i++) judge_normal(&t, &t.faces, t.faces.items[i]);
  for (int i = 0; i < t.gaps.count; i++) judge_normal(&t, &t.gaps, t.gaps.items[i]);
  *normal = t.normal;
  *width = t.width;
  return t.found;
}
