/* The exact decisions of the arrangement: which edges cross which triangles, and the winding
 * numbers of vertices.
 *
 * All signs are those after the second solid has moved by (e, e^2, e^3) with an infinitesimal e
 * (symbolic perturbation: Edelsbrunner, Muecke 1990): where the exact sign is zero, the first
 * nonzero derivative decides. Crossings: each triangle of the second solid is tested against the
 * tree of the first. Winding numbers propagate from vertex to vertex. The winding number at the
 * first vertex of a component is counted along a ray in direction z, which after the perturbation
 * meets no edge and no vertex. */
#include "arrangement/arrangement.h"
#include "base/heap_sort.h"
#include "base/predicates.h"
#include "triangle/triangle_distance.h"

#include <assert.h>

/* ---- perturbed signs ------------------------------------------------------------------------ */

static ct_vec2 project_along(ct_vec3 p, int axis) {
  return axis == 0 ? (ct_vec2){p.y, p.z} : axis == 1 ? (ct_vec2){p.z, p.x} : (ct_vec2){p.x, p.y};
}

/* Side of a triangle's plane on which a point of the other solid is, after the perturbation: +1 on
 * the side of the normal, -1 on the other; 0: the triangle has no area. mover: index of the solid
 * that has the triangle (1 is the perturbed one). */
static int orient3d_perturbed(const ct_vec3 t[3], ct_vec3 p, int mover) {
  int side = ct_orient3d(t[0], t[1], t[2], p);
  /* Exact sign 0: e is the largest component of the perturbation, so the first nonzero component of
   * the normal decides. */
  for (int axis = 0; axis < 3 && side == 0; axis++)
    side = ct_orient2d(project_along(t[0], axis), project_along(t[1], axis),
                       project_along(t[2], axis)) *
           (mover == 1 ? -1 : 1);
  return side;
}

/* Sign of ((q - p) x (r - p)) . (s - p) after the perturbation, for an edge pq of the first solid
 * and an edge rs of the second; 0 for parallel edges in one plane. */
static int find_perturbed_edge_side(ct_vec3 p, ct_vec3 q, ct_vec3 r, ct_vec3 s) {
  int turn = ct_orient3d(p, q, r, s);
  /* If r and s move by d, the derivative of the product is -((q - p) x (s - r)) . d. */
  for (int axis = 0; axis < 3 && turn == 0; axis++)
    turn = -ct_turn2d(project_along(p, axis), project_along(q, axis), project_along(r, axis),
                      project_along(s, axis));
  return turn;
}

/* ---- edge crossings ------------------------------------------------------------------------- */

/* Size of the stack of a tree traversal: each level pushes at most one node more than it pops. */
#define STACK_SIZE (CT_MESH_DEPTH_MAX + 4)
/* Cost of a pair of triangles in steps of the cancellation poll; exact signs take a few
 * microseconds. */
#define PAIR_STEPS 8

ct_arrangement_part *ct_arrangement_part_of(ct_arrangement *o, int side, uint32_t triangle) {
  assert(side == 0 || side == 1);
  assert(triangle < o->surface[side].triangle_count);
  ct_arrangement_side *s = &o->memory->side[side];
  if (s->slot[triangle] < CT_ARRANGEMENT_SEEN) return &s->part[s->slot[triangle]];
  if (!ct_arrangement_reserve(o->memory, &s->part, sizeof *s->part, &s->part_room,
                              s->part_count + 1))
    return NULL;
  s->slot[triangle] = (uint32_t)s->part_count;
  ct_arrangement_part *part = &s->part[s->part_count++];
  ct_vec3 v[3];
  ct_placed_surface_triangle(&o->surface[side], triangle, v);
  *part = (ct_arrangement_part){
      .triangle = triangle, .first_segment = CT_NO_TRIANGLE, .first_border = CT_NO_TRIANGLE};
  ct_triangle t = {{v[0], v[1], v[2]}};
  part->normal = ct_unit_or(ct_triangle_cross(&t), ct_vec(0.0, 0.0, 0.0));
  part->height = ct_dot(part->normal, ct_sub(v[0], o->origin));
  return part;
}

/* ---- one pair of triangles ------------------------------------------------------------------ */

typedef struct triangle_couple {
  uint32_t triangle[2];
  ct_vec3 v[2][3];
  int side[2][3]; /* sides of the other triangle's plane on which each triangle's corners are */
  /* orientation sign of edge k of the first triangle relative to edge l of the second; 2: not
   * computed yet */
  int turn[3][3];
} triangle_couple;

static int get_edge_turn(triangle_couple *c, int k, int l) {
  if (c->turn[k][l] == 2)
    c->turn[k][l] = find_perturbed_edge_side(c->v[0][k], c->v[0][(k + 1) % 3], c->v[1][l],
                                             c->v[1][(l + 1) % 3]);
  return c->turn[k][l];
}

/* Tests if an edge of triangle `which` crosses the other triangle: +1 if it enters the other solid
 * there, -1 if it leaves it, 0 if it does not cross. */
static int test_edge_crossing(triangle_couple *c, int which, int edge) {
  int from = c->side[which][edge], to = c->side[which][(edge + 1) % 3], turn[3];
  if (from == to) return 0;
  for (int k = 0; k < 3; k++)
    turn[k] = which == 0 ? get_edge_turn(c, edge, k) : get_edge_turn(c, k, edge);
  return turn[0] == turn[1] && turn[1] == turn[2] ? from : 0;
}

void ct_arrangement_heights(const ct_vec3 t[3], const ct_vec3 *points, int count, ct_dd *heights,
                            double *size) {
  ct_dd3 u = ct_dd3_sub(t[1], t[0]), v = ct_dd3_sub(t[2], t[0]), normal = ct_dd3_cross(&u, &v);
  for (int k = 0; k < count; k++) {
    ct_dd3 from = ct_dd3_sub(points[k], t[0]);
    heights[k] = ct_dd3_dot(&normal, &from);
  }
  *size = ct_norm(ct_dd3_value(&normal));
}

/* Returns the intersection of the segment from p to q with the plane of a triangle; *at: its
 * position along the segment, 0 at p, 1 at q. */
static ct_vec3 find_edge_plane_point(ct_vec3 p, ct_vec3 q, const ct_vec3 t[3], double *at) {
  const ct_vec3 ends[2] = {p, q};
  ct_dd height[2];
  double size;
  ct_arrangement_heights(t, ends, 2, height, &size);
  ct_dd all = ct_dd_add(height[0], ct_dd_neg(height[1]));
  bool known = all.high != 0.0;
  double s = known ? ct_dd_value(ct_dd_div(height[0], all)) : 0.5,
         rest = known ? -ct_dd_value(ct_dd_div(height[1], all)) : 0.5;
  *at = ct_min2(ct_max2(s, 0.0), 1.0);
  rest = ct_min2(ct_max2(rest, 0.0), 1.0);
  return *at <= 0.5 ? ct_lerp(p, q, *at) : ct_lerp(q, p, rest);
}

/* Adds the crossing of an edge of triangle `which` with the other triangle; *point: set to it. It
 * is computed from the edge's vertex of lower index to the other one, so both triangles of the edge
 * have the same point. False: out of memory, or too many crossings. */
static bool add_surface_crossing(ct_arrangement *o, const triangle_couple *c, int which, int edge,
                                 int jump, ct_vec3 *point) {
  const uint32_t *corner = o->surface[which].corners[c->triangle[which]];
  int next = (edge + 1) % 3;
  bool turned = corner[edge] > corner[next];
  double at;
  *point = find_edge_plane_point(c->v[which][turned ? next : edge],
                                 c->v[which][turned ? edge : next], c->v[1 - which], &at);
  *point = ct_sub(*point, o->origin);
  ct_arrangement_side *s = &o->memory->side[which];
  if (s->crossing_count >= CT_SURFACE_CROSSINGS_MAX ||
      !ct_arrangement_reserve(o->memory, &s->crossing, sizeof *s->crossing, &s->crossing_room,
                              s->crossing_count + 1))
    return false;
  s->crossing[s->crossing_count++] = (ct_surface_crossing){.point = *point,
                                                           .at = turned ? 1.0 - at : at,
                                                           .triangle = c->triangle[which],
                                                           .edge = (int8_t)edge,
                                                           .jump = (int8_t)jump};
  return true;
}

static bool add_crossing_segment(ct_arrangement *o, const triangle_couple *c, ct_vec3 p,
                                 ct_vec3 q) {
  ct_arrangement_scratch *m = o->memory;
  if (m->segment_count >= CT_SURFACE_CROSSINGS_MAX ||
      !ct_arrangement_reserve(m, &m->segment, sizeof *m->segment, &m->segment_room,
                              m->segment_count + 1))
    return false;
  ct_arrangement_segment *s = &m->segment[m->segment_count];
  *s = (ct_arrangement_segment){.p = p, .q = q};
  for (int which = 0; which < 2; which++) {
    ct_arrangement_part *part = ct_arrangement_part_of(o, which, c->triangle[which]);
    if (!part) return false;
    s->triangle[which] = c->triangle[which];
    s->next[which] = part->first_segment;
    part->first_segment = (uint32_t)m->segment_count;
    if (which == 0) ct_arrangement_add_segment(part, p, q, 1.0);
    else ct_arrangement_add_segment(part, q, p, 1.0);
  }
  m->segment_count++;
  return true;
}

/* Adds the crossings and the common segment of two triangles. If they intersect, there are two
 * points in which an edge of one crosses the other. The segment connects them; on its left, seen
 * with the first one's normal up, the first triangle is below the second. Any other number of
 * points means that the surfaces are not sound. */
static bool add_triangle_couple(ct_arrangement *o, triangle_couple *c) {
  ct_vec3 end[2] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  int ends[2] = {0, 0};
  for (int which = 0; which < 2; which++) {
    for (int edge = 0; edge < 3; edge++) {
      int jump = test_edge_crossing(c, which, edge);
      if (jump == 0) continue;
      int role = (which == 0) == (jump > 0) ? 1 : 0;
      if (!add_surface_crossing(o, c, which, edge, jump, &end[role])) return false;
      ends[role]++;
    }
  }
  if (ends[0] == 0 && ends[1] == 0) return true;
  if (ends[0] == 1 && ends[1] == 1) return add_crossing_segment(o, c, end[0], end[1]);
  o->sound = false;
  return true;
}

static bool add_coplanar_pair(ct_arrangement *o, const triangle_couple *c) {
  ct_arrangement_scratch *m = o->memory;
  if (!ct_arrangement_reserve(m, &m->coplanar, sizeof *m->coplanar, &m->coplanar_room,
                              m->coplanar_count + 1))
    return false;
  if (!ct_arrangement_part_of(o, 0, c->triangle[0]) ||
      !ct_arrangement_part_of(o, 1, c->triangle[1]))
    return false;
  ct_coplanar_pair *f = &m->coplanar[m->coplanar_count++];
  ct_dd height[3];
  double size;
  *f = (ct_coplanar_pair){.triangle = {c->triangle[0], c->triangle[1]},
                          .side = (int8_t)c->side[0][0]};
  ct_arrangement_heights(c->v[1], c->v[0], 3, height, &size);
  for (int k = 0; k < 3; k++) f->height[k] = ct_dd_value(height[k]) / size;
  return true;
}

/* True if the points are in the plane of triangle t, up to the error of border points. */
static bool is_in_plane(const ct_arrangement *o, const ct_vec3 t[3], const ct_vec3 points[3]) {
  ct_vec3 normal = ct_cross(ct_sub(t[1], t[0]), ct_sub(t[2], t[0]));
  double least = ct_arrangement_error(o) * ct_norm(normal);
  for (int k = 0; k < 3; k++)
    if (fabs(ct_dot(normal, ct_sub(points[k], t[0]))) > least) return false;
  return true;
}

static bool signs_are_equal(const int side[3]) { return side[0] == side[1] && side[1] == side[2]; }

static bool test_triangle_pair(ct_arrangement *o, uint32_t i, const ct_vec3 a[3], uint32_t j,
                               const ct_vec3 b[3]) {
  triangle_couple c = {.triangle = {i, j}, .turn = {{2, 2, 2}, {2, 2, 2}, {2, 2, 2}}};
  for (int k = 0; k < 3; k++) {
    c.v[0][k] = a[k];
    c.v[1][k] = b[k];
    c.side[0][k] = orient3d_perturbed(b, a[k], 1);
  }
  if (c.side[0][0] == 0 && signs_are_equal(c.side[0])) return true;
  if ((is_in_plane(o, b, a) || is_in_plane(o, a, b)) && !add_coplanar_pair(o, &c)) return false;
  if (signs_are_equal(c.side[0])) return true;
  for (int k = 0; k < 3; k++) c.side[1][k] = orient3d_perturbed(a, b[k], 0);
  return signs_are_equal(c.side[1]) || add_triangle_couple(o, &c);
}

/* ---- the tree ------------------------------------------------------------------------------- */

/* Tests one triangle of the second solid against the triangles in the tree of the first. False: out
 * of memory or cancelled. */
static bool cross_triangle_with_tree(ct_arrangement *o, uint32_t j) {
  const ct_placed_surface *first = &o->surface[0];
  const ct_mesh_node *nodes = first->view->nodes;
  ct_vec3 a[3], b[3];
  ct_placed_surface_triangle(&o->surface[1], j, b);
  /* Triangles outside the intersection of both solids' boxes are irrelevant. */
  ct_aabb box = ct_aabb_expand(ct_triangle_aabb(b), ct_arrangement_error(o));
  if (!ct_aabb_overlap(&box, &o->common)) return true;
  /* Descend the BVH of the first solid's mesh depth first. */
  uint32_t stack[STACK_SIZE];
  int top = 0;
  stack[top++] = 0;
  while (top > 0) {
    const ct_mesh_node *n = &nodes[stack[--top]];
    if (!ct_aabb_overlap(&n->box, &box)) continue;
    assert(top + 2 <= STACK_SIZE);
    for (uint32_t k = 0; k < 2 && n->count == 0; k++) stack[top++] = n->first + k;
    for (uint32_t i = n->first; i < n->first + n->count; i++) {
      ct_placed_surface_triangle(first, i, a);
      ct_aabb there = ct_triangle_aabb(a);
      if (!ct_aabb_overlap(&there, &box)) continue;
      if (ct_mesh_is_cancelled(o->flag, PAIR_STEPS) || !test_triangle_pair(o, i, a, j, b))
        return false;
    }
  }
  return true;
}

static bool crossing_precedes(const void *items, const void *by, size_t i, size_t j) {
  (void)by;
  const ct_surface_crossing *p = (const ct_surface_crossing *)items + i,
                            *q = (const ct_surface_crossing *)items + j;
  if (p->triangle != q->triangle) return p->triangle < q->triangle;
  if (p->edge != q->edge) return p->edge < q->edge;
  if (p->at != q->at) return p->at < q->at;
  return p->jump < q->jump;
}

static void swap_crossings(void *items, size_t i, size_t j) {
  ct_surface_crossing *p = items, kept = p[i];
  p[i] = p[j];
  p[j] = kept;
}

/* Sorts the crossings of one solid by triangle, edge and position, and assigns to each part the
 * range of its triangle's crossings. A crossing belongs to a segment, so its triangle has a part,
 * unless the arrangement is not sound. */
static bool sort_crossings(ct_arrangement *o, int side) {
  ct_arrangement_side *s = &o->memory->side[side];
  if (!ct_heap_sort(s->crossing, s->crossing_count, NULL, crossing_precedes, swap_crossings,
                    o->flag->poll.cancel))
    return false;
  for (size_t i = 0; i < s->crossing_count; i++) {
    ct_arrangement_part *part = ct_arrangement_part_of(o, side, s->crossing[i].triangle);
    if (!part) return false;
    if (part->crossing_count++ == 0) part->first_crossing = (uint32_t)i;
  }
  return true;
}

bool ct_arrangement_find_crossings(ct_arrangement *o) {
  for (uint32_t j = 0; j < o->surface[1].triangle_count; j++)
    if (!cross_triangle_with_tree(o, j)) return false;
  return sort_crossings(o, 0) && sort_crossings(o, 1);
}

/* ---- winding numbers ------------------------------------------------------------------------ */

#define RAY_STEPS 64
#define TRIANGLE_STEPS 2

static ct_vec2 project_down(ct_vec3 p) { return (ct_vec2){p.x, p.y}; }

/* Side of the line ab on which p is, seen from above, with p moved by sign (e, e^2); 0 only if the
 * projections of a and b coincide. */
static int side_of_projected_edge(ct_vec3 a, ct_vec3 b, ct_vec3 p, int sign) {
  int side = ct_orient2d(project_down(a), project_down(b), project_down(p));
  if (side != 0) return side;
  if (a.y != b.y) return a.y > b.y ? sign : -sign;
  return sign * ((b.x > a.x) - (b.x < a.x));
}

/* Crossing of the ray from p in direction +z with a triangle: +1 if it leaves the solid, through
 * the front of the triangle, -1 if it enters the solid, 0 if it misses. */
static int cross_ray_with_triangle(const ct_vec3 t[3], ct_vec3 p, int mover) {
  int sign = mover == 1 ? -1 : 1;
  int side = side_of_projected_edge(t[0], t[1], p, sign);
  if (side == 0 || side_of_projected_edge(t[1], t[2], p, sign) != side ||
      side_of_projected_edge(t[2], t[0], p, sign) != side)
    return 0;
  return orient3d_perturbed(t, p, mover) == -side ? side : 0;
}

/* True if the ray from p in direction +z may meet the box. */
static bool box_reaches_ray(const ct_aabb *box, ct_vec3 p) {
  return box->min.x <= p.x && p.x <= box->max.x && box->min.y <= p.y && p.y <= box->max.y &&
         p.z <= box->max.z;
}

static int count_ray_crossing(const ct_placed_surface *surface, uint32_t triangle, ct_vec3 p,
                              int mover) {
  ct_vec3 t[3];
  ct_placed_surface_triangle(surface, triangle, t);
  ct_aabb box = ct_triangle_aabb(t);
  return box_reaches_ray(&box, p) ? cross_ray_with_triangle(t, p, mover) : 0;
}

/* Box of a node in the arrangement's frame. */
static ct_aabb place_node_box(const ct_placed_surface *surface, const ct_mesh_node *n) {
  if (surface->slack == 0.0) return n->box;
  ct_vec3 middle = ct_to_parent(surface->frame, ct_scale(ct_add(n->box.min, n->box.max), 0.5));
  ct_vec3 half = ct_mat_mul(surface->size, ct_scale(ct_sub(n->box.max, n->box.min), 0.5));
  return ct_aabb_expand((ct_aabb){ct_sub(middle, half), ct_add(middle, half)}, surface->slack);
}

/* Winding number of a solid around a point of the other solid, counted along the ray in direction
 * +z; mover: index of the solid whose surface this is. */
static int32_t compute_winding_number(const ct_placed_surface *surface, ct_vec3 p, int mover) {
  int32_t winding = 0;
  /* A point beside, above or below the surface's box is outside the solid. */
  if (!box_reaches_ray(&surface->box, p) || p.z < surface->box.min.z) return 0;
  /* Hulls and boxes have no tree: test every triangle. */
  if (!surface->view) {
    for (uint32_t t = 0; t < surface->triangle_count; t++)
      winding += count_ray_crossing(surface, t, p, mover);
    return winding;
  }
  /* Meshes: visit the nodes that the ray may meet. */
  uint32_t stack[STACK_SIZE];
  int top = 0;
  stack[top++] = 0;
  while (top > 0) {
    const ct_mesh_node *n = &surface->view->nodes[stack[--top]];
    ct_aabb box = place_node_box(surface, n);
    if (!box_reaches_ray(&box, p)) continue;
    assert(top + 2 <= STACK_SIZE);
    for (uint32_t k = 0; k < 2 && n->count == 0; k++) stack[top++] = n->first + k;
    for (uint32_t i = n->first; i < n->first + n->count; i++)
      winding += count_ray_crossing(surface, i, p, mover);
  }
  return winding;
}

/* Change of the other solid's winding number from the start to the end of a triangle's edge. */
static int32_t sum_jumps_along_edge(const ct_arrangement_side *s, uint32_t triangle, int edge) {
  if (s->slot[triangle] >= CT_ARRANGEMENT_SEEN) return 0;
  const ct_arrangement_part *part = &s->part[s->slot[triangle]];
  int32_t jump = 0;
  for (uint32_t i = 0; i < part->crossing_count; i++) {
    const ct_surface_crossing *p = &s->crossing[part->first_crossing + i];
    if (p->edge == edge) jump += p->jump;
  }
  return jump;
}

/* Propagates the winding number around a triangle, from a corner where it is known to the other two
 * and back to the first. A contradiction means that the arrangement is not sound. */
static void propagate_winding(ct_arrangement *o, int side, uint32_t triangle) {
  ct_arrangement_side *s = &o->memory->side[side];
  const uint32_t *corner = o->surface[side].corners[triangle];
  int known = 0;
  while (known < 2 && s->winding[corner[known]] == CT_ARRANGEMENT_UNKNOWN) known++;
  for (int step = 0; step < 3; step++) {
    int k = (known + step) % 3, next = (k + 1) % 3;
    int32_t there = s->winding[corner[k]] + sum_jumps_along_edge(s, triangle, k);
    if (s->winding[corner[next]] == CT_ARRANGEMENT_UNKNOWN) s->winding[corner[next]] = there;
    else if (s->winding[corner[next]] != there) o->sound = false;
  }
}

static bool is_visited(const ct_arrangement_side *s, uint32_t triangle) {
  uint32_t slot = s->slot[triangle];
  return slot == CT_ARRANGEMENT_SEEN || (slot < CT_ARRANGEMENT_SEEN && s->part[slot].seen);
}

static void mark_visited(ct_arrangement_side *s, uint32_t triangle) {
  uint32_t slot = s->slot[triangle];
  if (slot < CT_ARRANGEMENT_SEEN) s->part[slot].seen = true;
  else s->slot[triangle] = CT_ARRANGEMENT_SEEN;
}

static bool is_in_common_box(const ct_arrangement *o, int side, uint32_t triangle) {
  ct_vec3 v[3];
  ct_placed_surface_triangle(&o->surface[side], triangle, v);
  ct_aabb box = ct_triangle_aabb(v);
  return ct_aabb_overlap(&box, &o->common);
}

/* Propagates winding numbers from a triangle to all triangles that are connected with it and may be
 * inside the other solid. */
static bool flood_winding(ct_arrangement *o, int side, uint32_t from) {
  ct_arrangement_side *s = &o->memory->side[side];
  const ct_placed_surface *surface = &o->surface[side];
  size_t top = 0;
  s->stack[top++] = from;
  while (top > 0) {
    uint32_t t = s->stack[--top];
    if (ct_mesh_is_cancelled(o->flag, TRIANGLE_STEPS)) return false;
    propagate_winding(o, side, t);
    for (int k = 0; k < 3 && surface->across; k++) {
      uint32_t next = surface->across[t][k];
      if (next == CT_NO_TRIANGLE || is_visited(s, next) || !is_in_common_box(o, side, next))
        continue;
      mark_visited(s, next);
      s->stack[top++] = next;
    }
  }
  return true;
}

bool ct_arrangement_find_winding(ct_arrangement *o, int side) {
  assert(side == 0 || side == 1);
  ct_arrangement_side *s = &o->memory->side[side];
  const ct_placed_surface *surface = &o->surface[side];
  for (uint32_t t = 0; t < surface->triangle_count; t++) {
    if (is_visited(s, t) || !is_in_common_box(o, side, t)) continue;
    const uint32_t *corner = surface->corners[t];
    bool known = false;
    for (int k = 0; k < 3; k++) known = known || s->winding[corner[k]] != CT_ARRANGEMENT_UNKNOWN;
    if (!known) {
      if (ct_mesh_is_cancelled(o->flag, RAY_STEPS)) return false;
      s->winding[corner[0]] =
          compute_winding_number(&o->surface[1 - side], surface->vertices[corner[0]], 1 - side);
    }
    mark_visited(s, t);
    if (!flood_winding(o, side, t)) return false;
  }
  return true;
}
