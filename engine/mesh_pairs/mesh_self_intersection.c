/* Self-intersection test of a mesh: a descent of its BVH against itself, then exact predicates for
 * pairs of triangles.
 *
 * Adjacent triangles always touch, so their common edge or vertex is excluded. Two triangles with a
 * common edge intersect if one is folded onto the other. Two with a common vertex intersect if the
 * side opposite to the vertex intersects the other triangle. In a sound mesh, arithmetic in doubles
 * with an error bound proves nearly all pairs disjoint: first one plane that is likely to separate
 * them is tried, then the planes of the triangles and those through their sides (for coplanar
 * triangles one of these always separates). Only the remaining pairs need exact predicates. The
 * number of steps is limited, so that triangles whose boxes all overlap do not take a time
 * quadratic in their number. */
#include "base/poll.h"
#include "base/predicates.h"
#include "mesh_pairs/mesh_tree_pairs.h"

#include <assert.h>

/* Limit of steps: STEPS_PER_TRIANGLE for each triangle, and STEPS_FREE for any mesh. Evenly shaped
 * meshes take 100 to 150 per triangle; a fan of n triangles around one vertex takes 5 n^2, so that
 * a cylinder of 2000 sides with fans as caps is tested completely. A step takes 2 to 10 ns, so no
 * mesh takes much longer than 1 s. */
#define STEPS_PER_TRIANGLE 192u
#define STEPS_FREE 48000000u
/* Steps of the second test of a pair, and of an exact decision, which takes some microseconds for
 * coplanar points. */
#define PLANES_STEPS 16u
#define EXACT_STEPS 128u
/* Number of steps between two polls of the cancel flag: a few ms at most. */
#define POLL_STEPS 65536u
/* Bound of the round-off of the tests in doubles, relative to the product of the factors'
 * magnitudes; it is less than 30 u. */
#define FILTER (64.0 * CT_UNIT_ROUNDOFF)
/* Least product of the factors' magnitudes; smaller products may have lost bits to underflow. */
#define SIZE_MIN 0x1p-900
/* Capacity of the stack: a descent against itself keeps two pairs pending per level, and below them
 * one for each level of the two halves. */
#define STACK_SIZE (4 * CT_MESH_DEPTH_MAX + 8)

typedef struct self_search {
  const ct_mesh_view *view;
  ct_poll poll;
  uint64_t left; /* steps left */
  bool cancelled, meets;
  uint32_t at[2]; /* positions in the leaves of the intersecting triangles */
} self_search;

/* Counts steps. False: the search is out of steps, or cancelled. */
static bool spend_steps(self_search *w, uint32_t steps) {
  if (w->left < steps) return false;
  w->left -= steps;
  if (ct_poll_cancelled(&w->poll, steps)) w->cancelled = true;
  return !w->cancelled;
}

/* ---- two triangles -------------------------------------------------------------------------- */

/* The vertices of two triangles: s[0] to s[shared - 1] are common, the others belong to one
 * triangle only. */
typedef struct triangle_pair {
  int shared;
  ct_vec3 s[3], a[3], b[3];
} triangle_pair;

static triangle_pair make_triangle_pair(const ct_mesh_view *view, uint32_t i, uint32_t j) {
  const uint32_t *p = view->corners[i], *q = view->corners[j];
  triangle_pair c = {0};
  int own_a = 0, own_b = 0;
  for (int k = 0; k < 3; k++) {
    bool both = p[k] == q[0] || p[k] == q[1] || p[k] == q[2];
    if (both) c.s[c.shared++] = view->vertices[p[k]];
    else c.a[own_a++] = view->vertices[p[k]];
    if (q[k] != p[0] && q[k] != p[1] && q[k] != p[2]) c.b[own_b++] = view->vertices[q[k]];
  }
  return c;
}

/* True if a sum of products is certainly negative. `size`: product of the factors' magnitudes. */
static bool is_certainly_negative(double value, double size) {
  return size > SIZE_MIN && value < -(FILTER * size);
}

/* Returns an upper bound of the length of v. */
static double sum_abs_components(ct_vec3 v) { return fabs(v.x) + fabs(v.y) + fabs(v.z); }

/* Two side vectors of a triangle from the same vertex, with upper bounds of their lengths. */
typedef struct sides {
  ct_vec3 e, f, normal; /* e x f */
  double size_e, size_f;
} sides;

static sides make_triangle_sides(ct_vec3 e, ct_vec3 f) {
  return (sides){e, f, ct_cross(e, f), sum_abs_components(e), sum_abs_components(f)};
}

/* True if the points, relative to the vertex of the sides, are certainly all on the same side of
 * the triangle's plane. */
static bool is_certainly_off_plane(const sides *t, const ct_vec3 *points, int count) {
  double size = t->size_e * t->size_f;
  bool above = true, below = true;
  for (int k = 0; k < count && (above || below); k++) {
    double height = ct_dot(t->normal, points[k]), full = size * sum_abs_components(points[k]);
    above = above && is_certainly_negative(-height, full);
    below = below && is_certainly_negative(height, full);
  }
  return above || below;
}

/* True if the points, relative to the vertex of the sides, are certainly all beyond the plane
 * through e that is perpendicular to the triangle. The triangle is on the near side: the plane's
 * normal m = (e x f) x e satisfies m . e = 0 and m . f = |e x f|^2. */
static bool is_certainly_beyond_side(const sides *t, const ct_vec3 *points, int count) {
  ct_vec3 m = ct_cross(t->normal, t->e);
  double size = t->size_e * t->size_e * t->size_f;
  for (int k = 0; k < count; k++)
    if (!is_certainly_negative(ct_dot(m, points[k]), size * sum_abs_components(points[k])))
      return false;
  return true;
}

/* True if the vertices opposite to the common edge are certainly on different sides of it, or not
 * coplanar with it: then neither triangle is folded onto the other. */
static bool is_certainly_unfolded(const triangle_pair *c) {
  ct_vec3 e = ct_sub(c->s[1], c->s[0]), a = ct_sub(c->a[0], c->s[0]), b = ct_sub(c->b[0], c->s[0]);
  double ee = ct_norm2(e), along_a = ct_dot(a, e), along_b = ct_dot(b, e);
  if (is_certainly_negative(ct_dot(a, b) * ee - along_a * along_b,
                            sum_abs_components(a) * sum_abs_components(b) * ee))
    return true;
  sides t = make_triangle_sides(e, a);
  return is_certainly_off_plane(&t, &b, 1);
}

/* True if (s1 - s0) x (a - s0) and (s1 - s0) x (b - s0) have the same sign along the first axis
 * with a nonzero component. */
static bool are_on_one_side(const triangle_pair *c) {
  for (int axis = 0; axis < 3; axis++) {
    ct_vec3 from[4] = {c->s[0], c->s[1], c->a[0], c->b[0]};
    ct_vec2 q[4];
    for (int k = 0; k < 4; k++) {
      ct_vec3 v = from[k];
      q[k] = axis == 0   ? (ct_vec2){v.y, v.z}
             : axis == 1 ? (ct_vec2){v.z, v.x}
                         : (ct_vec2){v.x, v.y};
    }
    int side = ct_orient2d(q[0], q[1], q[2]);
    if (side != 0) return side == ct_orient2d(q[0], q[1], q[3]);
  }
  return false;
}

static bool is_folded(const triangle_pair *c) {
  return ct_orient3d(c->s[0], c->s[1], c->a[0], c->b[0]) == 0 && are_on_one_side(c);
}

/* True if the coordinate `corner` of the common vertex separates the coordinates a, b of one
 * triangle from c, d of the other, those of one triangle strictly. */
static bool are_separated_along(double corner, double a, double b, double c, double d) {
  double least_a = ct_min2(a, b), most_a = ct_max2(a, b), least_b = ct_min2(c, d),
         most_b = ct_max2(c, d);
  return (least_a >= corner && most_b <= corner && (least_a > corner || most_b < corner)) ||
         (least_b >= corner && most_a <= corner && (least_b > corner || most_a < corner));
}

/* True if a coordinate plane through the common vertex separates the triangles. Exact; separates
 * three quarters of the pairs of a fan. */
static bool are_separated_by_axes(const triangle_pair *c) {
  return are_separated_along(c->s[0].x, c->a[0].x, c->a[1].x, c->b[0].x, c->b[1].x) ||
         are_separated_along(c->s[0].y, c->a[0].y, c->a[1].y, c->b[0].y, c->b[1].y) ||
         are_separated_along(c->s[0].z, c->a[0].z, c->a[1].z, c->b[0].z, c->b[1].z);
}

/* True if the plane through the common vertex perpendicular to the direction between the triangles'
 * middles certainly separates them. */
static bool are_separated_by_middle_plane(const triangle_pair *c) {
  ct_vec3 d[4];
  double size[4];
  ct_vec3 n = {0.0, 0.0, 0.0};
  for (int k = 0; k < 4; k++) {
    d[k] = ct_sub(k < 2 ? c->a[k] : c->b[k - 2], c->s[0]);
    size[k] = ct_norm(d[k]);
    n = ct_add_scaled(n, d[k], (k < 2 ? 1.0 : -1.0) / size[k]);
  }
  double floor = FILTER * ct_norm(n);
  for (int k = 0; k < 4; k++)
    if (!((k < 2 ? 1.0 : -1.0) * ct_dot(n, d[k]) > floor * size[k])) return false;
  return true;
}

/* True if the plane of one triangle, or one through a side at the common vertex, certainly
 * separates the triangles. */
static bool are_separated_by_own_planes(const triangle_pair *c) {
  ct_vec3 d[4];
  for (int k = 0; k < 4; k++) d[k] = ct_sub(k < 2 ? c->a[k] : c->b[k - 2], c->s[0]);
  for (int k = 0; k < 4; k += 2) {
    const ct_vec3 *other = d + 2 - k;
    sides one = make_triangle_sides(d[k], d[k + 1]), next = make_triangle_sides(d[k + 1], d[k]);
    if (is_certainly_off_plane(&one, other, 2) || is_certainly_beyond_side(&one, other, 2) ||
        is_certainly_beyond_side(&next, other, 2))
      return true;
  }
  return false;
}

static bool intersect_beyond_corner(const triangle_pair *c) {
  ct_triangle a = {{c->s[0], c->a[0], c->a[1]}}, b = {{c->s[0], c->b[0], c->b[1]}};
  return ct_segment_meets(c->a[0], c->a[1], &b, NULL) ||
         ct_segment_meets(c->b[0], c->b[1], &a, NULL);
}

/* True if a plane perpendicular to the line of the triangles' centres certainly separates them. */
static bool are_separated_by_center_plane(const ct_triangle *a, const ct_triangle *b) {
  ct_vec3 d[6], n = {0.0, 0.0, 0.0};
  double size = 0.0, most = -INFINITY, least = INFINITY;
  for (int k = 0; k < 6; k++) {
    d[k] = ct_sub(k < 3 ? a->v[k] : b->v[k - 3], a->v[0]);
    n = ct_add_scaled(n, d[k], k < 3 ? -1.0 : 1.0);
    size = ct_max2(size, ct_norm2(d[k]));
  }
  for (int k = 0; k < 3; k++) {
    most = ct_max2(most, ct_dot(n, d[k]));
    least = ct_min2(least, ct_dot(n, d[k + 3]));
  }
  return least - most > FILTER * ct_norm(n) * sqrt(size);
}

/* True if the plane of triangle a, or one through its sides, certainly separates it from triangle
 * b. */
static bool is_separated_by_planes_of(const ct_triangle *a, const ct_triangle *b) {
  for (int k = 0; k < 3; k++) {
    ct_vec3 from = a->v[k], d[3];
    for (int l = 0; l < 3; l++) d[l] = ct_sub(b->v[l], from);
    sides t = make_triangle_sides(ct_sub(a->v[(k + 1) % 3], from), ct_sub(a->v[(k + 2) % 3], from));
    if ((k == 0 && is_certainly_off_plane(&t, d, 3)) || is_certainly_beyond_side(&t, d, 3))
      return true;
  }
  return false;
}

/* True if the triangles at two positions have a common point that is not on a common vertex or
 * edge. *over: the search is out of steps, and the result has no meaning. */
static bool triangles_self_intersect(self_search *w, uint32_t i, uint32_t j, bool *over) {
  triangle_pair c = make_triangle_pair(w->view, i, j);
  if (c.shared == 3) return true;
  ct_triangle a = ct_mesh_triangle(w->view, i), b = ct_mesh_triangle(w->view, j);
  if (c.shared == 2   ? is_certainly_unfolded(&c)
      : c.shared == 1 ? are_separated_by_axes(&c) || are_separated_by_middle_plane(&c)
                      : are_separated_by_center_plane(&a, &b))
    return false;
  *over = !spend_steps(w, PLANES_STEPS);
  if (*over) return false;
  if (c.shared == 1 && are_separated_by_own_planes(&c)) return false;
  if (c.shared == 0 && (is_separated_by_planes_of(&a, &b) || is_separated_by_planes_of(&b, &a)))
    return false;
  *over = !spend_steps(w, EXACT_STEPS);
  if (c.shared == 2) return is_folded(&c);
  return c.shared == 1 ? intersect_beyond_corner(&c) : ct_triangles_meet(&a, &b, NULL);
}

/* ---- the tree ------------------------------------------------------------------------------- */

static ct_aabb compute_triangle_box(const ct_mesh_view *view, uint32_t position) {
  ct_triangle t = ct_mesh_triangle(view, position);
  return ct_aabb_union(ct_aabb_union((ct_aabb){t.v[0], t.v[0]}, (ct_aabb){t.v[1], t.v[1]}),
                       (ct_aabb){t.v[2], t.v[2]});
}

/* Tests the pairs of triangles of two leaves, or of one leaf with itself. False: end the search. */
static bool test_self_leaves(self_search *w, uint32_t first, uint32_t second) {
  const ct_mesh_node *n = &w->view->nodes[first], *m = &w->view->nodes[second];
  ct_aabb boxes[CT_MESH_LEAF_MAX];
  for (uint32_t l = 0; l < m->count; l++) boxes[l] = compute_triangle_box(w->view, m->first + l);
  for (uint32_t k = 0; k < n->count; k++) {
    ct_aabb box = compute_triangle_box(w->view, n->first + k);
    for (uint32_t l = first == second ? k + 1 : 0; l < m->count; l++) {
      if (!ct_aabb_overlap(&box, &boxes[l])) continue;
      bool over = !spend_steps(w, 8);
      w->meets = !over && triangles_self_intersect(w, n->first + k, m->first + l, &over);
      if (!w->meets && !over) continue;
      w->at[0] = n->first + k;
      w->at[1] = m->first + l;
      return false;
    }
  }
  return spend_steps(w, 4 + n->count * m->count);
}

typedef struct node_pair {
  uint32_t first, second;
} node_pair;

/* Writes the child pairs of a pair of nodes. Returns their number; 0 for two leaves. */
static int open_self_pair(const ct_mesh_view *view, node_pair at, node_pair out[3]) {
  const ct_mesh_node *n = &view->nodes[at.first], *m = &view->nodes[at.second];
  if (n->count > 0 && m->count > 0) return 0;
  if (at.first == at.second) {
    out[0] = (node_pair){n->first, n->first + 1};
    out[1] = (node_pair){n->first + 1, n->first + 1};
    out[2] = (node_pair){n->first, n->first};
    return 3;
  }
  bool opens_first = m->count > 0 || (n->count == 0 && n->radius >= m->radius);
  uint32_t child = opens_first ? n->first : m->first;
  for (uint32_t k = 0; k < 2; k++)
    out[k] = opens_first ? (node_pair){child + k, at.second} : (node_pair){at.first, child + k};
  return 2;
}

/* Searches for a pair of intersecting triangles. UNKNOWN: out of steps, or cancelled. */
static ct_mesh_self_intersection descend_self_tree(self_search *w) {
  node_pair stack[STACK_SIZE], below[3];
  int top = 0;
  stack[top++] = (node_pair){0, 0};
  while (top > 0) {
    node_pair at = stack[--top];
    if (!spend_steps(w, 2)) return CT_MESH_SELF_UNKNOWN;
    if (!ct_aabb_overlap(&w->view->nodes[at.first].box, &w->view->nodes[at.second].box)) continue;
    int count = open_self_pair(w->view, at, below);
    if (count == 0 && !test_self_leaves(w, at.first, at.second))
      return w->meets ? CT_MESH_SELF_INTERSECTING : CT_MESH_SELF_UNKNOWN;
    assert(top + count <= STACK_SIZE);
    for (int k = 0; k < count; k++) stack[top++] = below[k];
  }
  return CT_MESH_SELF_FREE;
}

ct_status ct_mesh_self_test(const ct_mesh *mesh, const ct_cancel *cancel,
                            ct_mesh_self_intersection *out, uint32_t triangles[2]) {
  const ct_mesh_view *view = ct_mesh_get(mesh);
  if (view->live_count > CT_MESH_SELF_TRIANGLES_MAX) {
    *out = CT_MESH_SELF_UNKNOWN;
    return CT_OK;
  }
  uint64_t steps = STEPS_FREE + (uint64_t)view->live_count * STEPS_PER_TRIANGLE;
  self_search w = {.view = view, .poll = ct_poll_start_later(cancel, POLL_STEPS), .left = steps};
  ct_mesh_self_intersection self = descend_self_tree(&w);
  if (w.cancelled) return CT_CANCELLED;
  *out = self;
  if (self == CT_MESH_SELF_INTERSECTING) {
    uint32_t a = view->order[w.at[0]], b = view->order[w.at[1]];
    triangles[0] = a < b ? a : b;
    triangles[1] = a < b ? b : a;
  }
  return CT_OK;
}
