/* The point of a mesh's edges that is deepest in a cylinder, cone or frustum.
 *
 * A flat cap sunk into a face has no farthest point but by round-off, and its middle may be beside
 * the face. Where no vertex of the mesh is in the frustum either, the border of the face runs
 * through it. Depth in a convex body is concave along an edge and changes by no more than the point
 * moves: golden sections on edges, bounds on nodes.
 */
#include "mesh_pairs/mesh_convex.h"
#include "mesh_pairs/mesh_depth.h"
#include "pair/workspace.h"

#include <assert.h>

#define STACK_SIZE (CT_MESH_DEPTH_MAX + 4)
/* Golden sections of an edge: what is left is 1e-8 of it. */
#define SECTIONS 40
#define GOLDEN 0.61803398874989485
/* Share of the depth below the side that decides among points that are equally deep: the one that
 * is farthest from the rim. */
#define SIDE_SHARE 1e-6
/* Steps of 100 ns that a triangle takes, for the flag. */
#define TRIANGLE_STEPS 2

typedef struct frustum {
  ct_vec3 center, axis;               /* axis: unit */
  double half, middle, slope, cosine; /* of the radius along the axis; of the side's normal */
} frustum;

static bool is_solid_frustum(const ct_convex_proxy *proxy, frustum *f) {
  f->half = ct_norm(proxy->axis[2]);
  if (!(f->half > 0.0)) return false;
  f->center = proxy->center;
  f->axis = ct_scale(proxy->axis[2], 1.0 / f->half);
  f->middle = 0.5 * (proxy->rim[0] + proxy->rim[1]);
  f->slope = 0.5 * (proxy->rim[1] - proxy->rim[0]) / f->half;
  f->cosine = 1.0 / sqrt(1.0 + f->slope * f->slope);
  return true;
}

/* Depths below the nearer cap and below the side; below 0 outside. */
static void depths_in(const frustum *f, ct_vec3 p, double *cap, double *side) {
  ct_vec3 d = ct_sub(p, f->center);
  double z = ct_dot(d, f->axis), r = ct_norm(ct_add_scaled(d, f->axis, -z));
  *cap = f->half - fabs(z);
  *side = (f->middle + f->slope * z - r) * f->cosine;
}

static double depth_in(const frustum *f, ct_vec3 p, double share) {
  double cap, side;
  depths_in(f, p, &cap, &side);
  return ct_min2(cap, side) + share * side;
}

typedef struct search {
  frustum frustum;
  const ct_mesh_view *view;
  double depth; /* the greatest so far */
  ct_vec3 point;
  uint32_t position;
} search;

/* The part of an edge where it is deepest, from p. */
static double deepest_part(const frustum *f, ct_vec3 p, ct_vec3 q) {
  double low = 0.0, high = 1.0, at[2] = {1.0 - GOLDEN, GOLDEN}, depth[2];
  for (int i = 0; i < 2; i++) depth[i] = depth_in(f, ct_lerp(p, q, at[i]), SIDE_SHARE);
  for (int step = 0; step < SECTIONS; step++) {
    int keep = depth[0] >= depth[1] ? 0 : 1;
    *(keep ? &low : &high) = at[1 - keep];
    at[1 - keep] = at[keep];
    depth[1 - keep] = depth[keep];
    at[keep] = keep ? low + GOLDEN * (high - low) : high - GOLDEN * (high - low);
    depth[keep] = depth_in(f, ct_lerp(p, q, at[keep]), SIDE_SHARE);
  }
  return 0.5 * (low + high);
}

static void consider_edge(search *s, uint32_t position, ct_vec3 p, ct_vec3 q) {
  double z[2] = {ct_dot(ct_sub(p, s->frustum.center), s->frustum.axis),
                 ct_dot(ct_sub(q, s->frustum.center), s->frustum.axis)};
  /* No point is deeper below a cap than one of the ends. */
  double below_top = s->frustum.half - ct_min2(z[0], z[1]);
  double above_bottom = s->frustum.half + ct_max2(z[0], z[1]);
  if (ct_min2(below_top, above_bottom) <= s->depth) return;
  ct_vec3 at = ct_lerp(p, q, deepest_part(&s->frustum, p, q));
  double depth = depth_in(&s->frustum, at, 0.0);
  if (!(depth > s->depth)) return;
  s->depth = depth;
  s->point = at;
  s->position = position;
}

static void consider_leaf(search *s, const ct_mesh_node *leaf) {
  for (uint32_t i = leaf->first; i < leaf->first + leaf->count; i++) {
    const uint32_t *corner = s->view->corners[i];
    for (int k = 0; k < 3; k++) {
      uint32_t v = corner[k], w = corner[k == 2 ? 0 : k + 1], other = s->view->across[i][k];
      if (other != CT_NO_TRIANGLE && other < i) continue;
      consider_edge(s, i, s->view->vertices[v < w ? v : w], s->view->vertices[v < w ? w : v]);
    }
  }
}

bool ct_convex_mesh_deepest_edge(const ct_convex_mesh *p, double floor, ct_mesh_point *out) {
  search s = {.view = p->view, .depth = floor, .position = CT_NO_TRIANGLE};
  uint32_t stack[STACK_SIZE], top = 0;
  out->complete = true;
  if (p->proxy.kind != CT_PROXY_FRUSTUM || !is_solid_frustum(&p->proxy, &s.frustum)) return false;
  stack[top++] = 0;
  while (top > 0) {
    const ct_mesh_node *node = &p->view->nodes[stack[--top]];
    ct_vec3 middle = ct_scale(ct_add(node->box.min, node->box.max), 0.5);
    if (depth_in(&s.frustum, middle, 0.0) + node->radius <= s.depth) continue;
    if (node->count > 0) consider_leaf(&s, node);
    assert(top + 2 <= STACK_SIZE);
    for (uint32_t k = 2; k-- > 0 && node->count == 0;) stack[top++] = node->first + k;
    out->complete = !ct_mesh_is_cancelled(&p->workspace->mesh, TRIANGLE_STEPS * (node->count + 1));
    if (!out->complete) return false;
  }
  out->point = s.point;
  out->position = s.position;
  return s.position != CT_NO_TRIANGLE;
}
