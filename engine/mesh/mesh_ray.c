/* Ray casting against a mesh. Exact signs decide which closed triangles the ray intersects, and
 * whether in a vertex, an edge or the interior; only the position along the ray is rounded.
 *
 * A line intersects a triangle unless the signs of its sides relative to the three edges differ
 * (Segura, Feito 2001). On an edge or vertex a sign is zero, which counts as an intersection, so
 * that no ray passes between adjacent triangles. Boxes of the BVH are tested with the slab method,
 * widened by its round-off. */
#include "mesh/mesh_ray.h"
#include "base/double_double.h"
#include "base/predicates.h"
#include "mesh/mesh_build.h"

#include <assert.h>

/* Relative round-off of the ray parameter at a slab plane: a difference, an inverse and a
 * product. */
#define PLANE_ERROR (4.0 * CT_UNIT_ROUNDOFF)
/* Least sum of the double-double weights, relative to the squared distance of the vertices from the
 * origin, for which it is accurate to 2^-52. Weights have errors of up to 2^-98 of that square. */
#define WEIGHTS_CERTAIN 0x1p-46

typedef struct ray {
  ct_vec3 origin, direction; /* as scaled by ct_mesh_ray_flush: the largest component of direction
                                is in [1, 2) */
  ct_vec3 inverse;
  double t_max;
  int exponent; /* direction = caller's * 2^-exponent; t = caller's t * 2^exponent */
} ray;

typedef struct corners {
  ct_vec3 v[3];
} corners;

static ct_vec3 flush_vector(ct_vec3 v) {
  return ct_vec(ct_exact_flush(v.x), ct_exact_flush(v.y), ct_exact_flush(v.z));
}

bool ct_mesh_ray_flush(ct_vec3 *origin, ct_vec3 *direction, int *exponent) {
  double size = ct_max_abs(*direction);
  if (!(size > 0.0) || !isfinite(size) || !(ct_max_abs(*origin) <= CT_EXACT_MAX)) return false;
  (void)frexp(size, exponent);
  int e = --*exponent;
  *origin = flush_vector(*origin);
  *direction = flush_vector(
      ct_vec(ldexp(direction->x, -e), ldexp(direction->y, -e), ldexp(direction->z, -e)));
  return true;
}

/* Initialises a scaled ray. False: the ray is invalid. */
static bool scale_ray(ray *r, ct_vec3 origin, ct_vec3 direction, double t_max) {
  r->origin = origin;
  r->direction = direction;
  if (!(t_max >= 0.0) || !ct_mesh_ray_flush(&r->origin, &r->direction, &r->exponent)) return false;
  r->inverse = (ct_vec3){1.0 / r->direction.x, 1.0 / r->direction.y, 1.0 / r->direction.z};
  r->t_max = ldexp(t_max, r->exponent);
  return true;
}

/* Clips the parameter range `part` of the ray to the slab between two planes of a box. False:
 * nothing is left. */
static bool clip_to_slab(double part[2], double low, double high, double o, double d,
                         double inverse) {
  if (d == 0.0) return low <= o && o <= high;
  double p = ((d > 0.0 ? low : high) - o) * inverse, q = ((d > 0.0 ? high : low) - o) * inverse;
  part[0] = ct_max2(part[0], p - fabs(p) * PLANE_ERROR);
  part[1] = ct_min2(part[1], q + fabs(q) * PLANE_ERROR);
  return part[0] <= part[1];
}

/* True if the ray may intersect the box at a parameter t <= limit. *t is then a lower bound of such
 * parameters. */
static bool may_intersect_box(const ray *r, const ct_aabb *box, double limit, double *t) {
  double part[2] = {0.0, limit};
  bool meets =
      clip_to_slab(part, box->min.x, box->max.x, r->origin.x, r->direction.x, r->inverse.x) &&
      clip_to_slab(part, box->min.y, box->max.y, r->origin.y, r->direction.y, r->inverse.y) &&
      clip_to_slab(part, box->min.z, box->max.z, r->origin.z, r->direction.z, r->inverse.z);
  *t = part[0];
  return meets;
}

/* Returns the barycentric weight, not normalised, of the vertex opposite to the edge a b at the
 * ray's intersection. */
static ct_dd compute_weight(const ray *r, ct_vec3 a, ct_vec3 b) {
  ct_dd3 p = ct_dd3_sub(a, r->origin), q = ct_dd3_sub(b, r->origin), d = ct_dd3_of(r->direction),
         cross = ct_dd3_cross(&p, &q);
  return ct_dd3_dot(&d, &cross);
}

/* Returns the parameter of the ray's point nearest to origin + offset, at least 0. */
static double find_ray_parameter(const ray *r, const ct_dd3 *offset) {
  ct_dd3 d = ct_dd3_of(r->direction);
  return ct_max2(ct_dd_value(ct_dd_div(ct_dd3_dot(offset, &d), ct_dd3_dot(&d, &d))), 0.0);
}

static void add_scaled_dd(ct_dd3 *sum, const ct_dd3 *by, ct_dd factor) {
  *sum = (ct_dd3){ct_dd_add(sum->x, ct_dd_mul(by->x, factor)),
                  ct_dd_add(sum->y, ct_dd_mul(by->y, factor)),
                  ct_dd_add(sum->z, ct_dd_mul(by->z, factor))};
}

/* Returns the weight of vertex k, whose exact sign is `side`; exact if `exact`. A double-double
 * weight with the wrong sign is replaced by zero. */
static ct_dd weigh_corner(const ray *r, const corners *t, int k, int side, bool exact) {
  ct_vec3 a = t->v[(k + 1) % 3], b = t->v[(k + 2) % 3];
  if (side == 0) return ct_dd_of(0.0);
  if (exact) return ct_dd_of(ct_line_volume(r->origin, r->direction, a, b));
  ct_dd w = compute_weight(r, a, b);
  return (side > 0) == (w.high > 0.0) ? w : ct_dd_of(0.0);
}

/* Computes the weights of the vertices, which have the same sign or are zero, and returns their
 * sum. `side` contains the exact signs, not all zero. Exact arithmetic is used if the sum in
 * double-double is too small. */
static ct_dd find_weights(const ray *r, const corners *t, const int side[3], ct_dd w[3]) {
  double far = 0.0;
  for (int k = 0; k < 3; k++) far = ct_max2(far, ct_max_abs(ct_sub(t->v[k], r->origin)));
  for (int exact = 0;; exact++) {
    ct_dd sum = {0.0, 0.0};
    for (int k = 0; k < 3; k++) {
      w[k] = weigh_corner(r, t, k, side[k], exact);
      sum = ct_dd_add(sum, w[k]);
    }
    if (exact || fabs(sum.high) > WEIGHTS_CERTAIN * far * far) return sum;
  }
}

/* Computes the intersection point and its ray parameter from the weights. */
static void place_hit(const ray *r, const corners *t, const int side[3], ct_mesh_hit *hit) {
  ct_dd w[3], sum = find_weights(r, t, side, w);
  ct_dd3 offset = {{0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}}, point = ct_dd3_of(r->origin);
  for (int k = 0; k < 3; k++) {
    ct_dd3 from = ct_dd3_sub(t->v[k], r->origin);
    add_scaled_dd(&offset, &from, ct_dd_div(w[k], sum));
  }
  hit->t = find_ray_parameter(r, &offset);
  add_scaled_dd(&point, &offset, ct_dd_of(1.0));
  hit->point = ct_dd3_value(&point);
}

/* Returns the projection along a coordinate axis. */
static ct_vec2 drop_axis(ct_vec3 v, int axis) {
  return axis == 0 ? (ct_vec2){v.y, v.z} : axis == 1 ? (ct_vec2){v.z, v.x} : (ct_vec2){v.x, v.y};
}

/* Returns a vector perpendicular to the ray and to the axis: the sign of its dot product with v -
 * origin is the side of v relative to the ray, in the projection along the axis. */
static ct_vec3 find_ray_perpendicular(const ray *r, int axis) {
  ct_vec3 d = r->direction;
  return axis == 0   ? (ct_vec3){0.0, -d.z, d.y}
         : axis == 1 ? (ct_vec3){d.z, 0.0, -d.x}
                     : (ct_vec3){-d.y, d.x, 0.0};
}

/* Computes where a line in the triangle's plane enters and leaves the triangle, in order along the
 * line. Returns the number of places, 0 to 2. */
static int find_span_in_plane(const ray *r, const corners *t, ct_line_place out[2]) {
  /* Project along an axis for which the projection of the triangle has an area. */
  int axis = 0, count = 0, side[3];
  while (axis < 3 && ct_orient2d(drop_axis(t->v[0], axis), drop_axis(t->v[1], axis),
                                 drop_axis(t->v[2], axis)) == 0)
    axis++;
  if (axis == 3) return 0;
  ct_vec3 across = find_ray_perpendicular(r, axis);
  for (int k = 0; k < 3; k++) side[k] = ct_dot_sign(across, t->v[k], r->origin);
  for (int k = 0; k < 3 && count < 2; k++) {
    ct_vec3 a = t->v[k], b = t->v[(k + 1) % 3];
    if (side[k] == 0) out[count++] = (ct_line_place){.corner = {a}, .count = 1};
    if (count < 2 && side[k] * side[(k + 1) % 3] < 0)
      out[count++] = (ct_line_place){.corner = {a, b}, .count = 2};
  }
  if (count == 2 && ct_line_place_compare(r->origin, r->direction, &out[0], &out[1]) > 0) {
    ct_line_place first = out[1];
    out[1] = out[0];
    out[0] = first;
  }
  return count;
}

/* Intersects the triangle with a ray in its plane. True: they intersect; the hit has side 0. */
static bool intersect_in_plane(const ray *r, const corners *t, ct_mesh_hit *hit) {
  ct_line_place span[2];
  int count = find_span_in_plane(r, t, span);
  if (count == 0 || ct_line_place_sign(r->origin, r->direction, &span[count - 1]) < 0) return false;
  hit->t = 0.0;
  hit->side = 0;
  hit->point = r->origin;
  if (ct_line_place_sign(r->origin, r->direction, &span[0]) <= 0) return true;
  hit->t = ct_max2(ct_line_place_at(r->origin, r->direction, &span[0]), 0.0);
  hit->point =
      span[0].count == 1 ? span[0].corner[0] : ct_add_scaled(r->origin, r->direction, hit->t);
  return true;
}

/* Intersects the closed triangle with the ray, without its limit t_max. True: they intersect. */
static bool intersect_triangle(const ray *r, const corners *t, ct_mesh_hit *hit) {
  /* Compute the exact side of the line relative to each edge; different signs mean no
   * intersection. */
  int side[3], least = 0, most = 0;
  for (int k = 0; k < 3; k++) {
    side[k] = ct_line_side(r->origin, r->direction, t->v[(k + 1) % 3], t->v[(k + 2) % 3]);
    least = side[k] < least ? side[k] : least;
    most = side[k] > most ? side[k] : most;
    if (least < 0 && most > 0) return false;
  }
  if (least == 0 && most == 0) return intersect_in_plane(r, t, hit);
  /* `rises` is the sign of direction . normal. A triangle behind the origin is rejected. */
  int rises = least + most, beyond = ct_orient3d(t->v[0], t->v[1], t->v[2], r->origin);
  if (beyond * rises > 0) return false;
  hit->side = -rises;
  for (int k = 0; k < 3; k++) hit->zero |= (uint32_t)(side[k] == 0) << k;
  if (beyond == 0) {
    hit->t = 0.0;
    hit->point = r->origin;
  } else {
    place_hit(r, t, side, hit);
  }
  return true;
}

/* Hits that a descent of the BVH collects: the first, those near the first, or all in order. */
typedef enum hit_policy { KEEP_FIRST, KEEP_NEAR, KEEP_ALL } hit_policy;

typedef struct hits {
  ct_mesh_hit *out;
  size_t room, count; /* may exceed `room` for KEEP_ALL; `out` is then a heap with the last of the
                         retained hits on top */
  double limit;       /* greatest parameter t of hits that are retained */
  double same;        /* for KEEP_NEAR: range of parameters behind the first hit */
  bool overflow;      /* for KEEP_NEAR: there are more hits than `room` */
} hits;

static bool precedes_hit(const ct_mesh_hit *a, const ct_mesh_hit *b) {
  return a->t < b->t || (a->t == b->t && a->triangle < b->triangle);
}

static void sift_hit_down(ct_mesh_hit *heap, size_t at, size_t count) {
  for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
    if (child + 1 < count && precedes_hit(&heap[child], &heap[child + 1])) child++;
    if (!precedes_hit(&heap[at], &heap[child])) return;
    ct_mesh_hit t = heap[at];
    heap[at] = heap[child];
    heap[child] = t;
    at = child;
  }
}

static void heapify_hits(ct_mesh_hit *heap, size_t count) {
  for (size_t at = count / 2; at-- > 0;) sift_hit_down(heap, at, count);
}

static void add_to_sorted(hits *h, const ct_mesh_hit *hit) {
  size_t at = h->count++;
  if (at < h->room) {
    h->out[at] = *hit;
    if (at + 1 == h->room) heapify_hits(h->out, h->room);
  } else if (h->room > 0 && precedes_hit(hit, &h->out[0])) {
    h->out[0] = *hit;
    sift_hit_down(h->out, 0, h->room);
  }
}

static void sort_hits(hits *h) {
  size_t n = h->count < h->room ? h->count : h->room;
  heapify_hits(h->out, n);
  for (size_t end = n; end-- > 1;) {
    ct_mesh_hit t = h->out[0];
    h->out[0] = h->out[end];
    h->out[end] = t;
    sift_hit_down(h->out, 0, end);
  }
}

static void replace_first(hits *h, const ct_mesh_hit *hit) {
  if (h->count > 0 && !precedes_hit(hit, h->out)) return;
  *h->out = *hit;
  h->count = 1;
  h->limit = hit->t;
}

static void drop_beyond_limit(hits *h) {
  size_t left = 0;
  for (size_t i = 0; i < h->count; i++)
    if (h->out[i].t <= h->limit) h->out[left++] = h->out[i];
  h->count = left;
}

static void add_if_near(hits *h, const ct_mesh_hit *hit) {
  if (hit->t > h->limit) return;
  h->limit = ct_min2(h->limit, hit->t + h->same);
  if (h->count == h->room) drop_beyond_limit(h);
  if (h->count < h->room) h->out[h->count++] = *hit;
  else h->overflow = true;
}

static corners get_triangle_corners(const ct_mesh_view *view, uint32_t position) {
  const uint32_t *v = view->corners[position];
  return (corners){{view->vertices[v[0]], view->vertices[v[1]], view->vertices[v[2]]}};
}

static void consider_ray_triangle(const ct_mesh_view *view, uint32_t position, const ray *r,
                                  hit_policy kept, hits *h) {
  corners t = get_triangle_corners(view, position);
  ct_mesh_hit hit = {.triangle = view->order[position], .position = position};
  if (!intersect_triangle(r, &t, &hit) || !(hit.t <= r->t_max)) return;
  if (kept == KEEP_FIRST) replace_first(h, &hit);
  else if (kept == KEEP_NEAR) add_if_near(h, &hit);
  else add_to_sorted(h, &hit);
}

static void descend_bvh(const ct_mesh_view *view, const ray *r, hit_policy kept, hits *h) {
  struct {
    uint32_t node;
    double t;
  } stack[CT_MESH_DEPTH_MAX + 2];
  int top = 0;
  double t[2];
  if (!may_intersect_box(r, &view->box, h->limit, &t[0])) return;
  stack[top].node = 0, stack[top++].t = t[0];
  while (top > 0) {
    top--;
    const ct_mesh_node *node = &view->nodes[stack[top].node];
    if (stack[top].t > h->limit) continue;
    for (uint32_t i = node->first; i < node->first + node->count; i++)
      consider_ray_triangle(view, i, r, kept, h);
    if (node->count > 0) continue;
    bool meets[2];
    /* Push the farther child first, so that the nearer one is visited next. */
    for (int k = 0; k < 2; k++)
      meets[k] = may_intersect_box(r, &view->nodes[node->first + (uint32_t)k].box, h->limit, &t[k]);
    uint32_t near = meets[1] && (!meets[0] || t[1] < t[0]);
    assert(top + 2 <= CT_MESH_DEPTH_MAX + 2);
    if (meets[1 - near]) stack[top].node = node->first + 1 - near, stack[top++].t = t[1 - near];
    if (meets[near]) stack[top].node = node->first + near, stack[top++].t = t[near];
  }
}

bool ct_mesh_ray_first(const ct_mesh *mesh, ct_vec3 origin, ct_vec3 direction, double t_max,
                       ct_mesh_hit *out) {
  ray r;
  ct_mesh_hit best;
  if (!scale_ray(&r, origin, direction, t_max)) return false;
  hits h = {.out = &best, .room = 1, .limit = r.t_max};
  descend_bvh(&mesh->view, &r, KEEP_FIRST, &h);
  if (h.count == 0) return false;
  best.t = ldexp(best.t, -r.exponent);
  *out = best;
  return true;
}

size_t ct_mesh_ray_all(const ct_mesh *mesh, ct_vec3 origin, ct_vec3 direction, double t_max,
                       ct_mesh_hit *out, size_t room) {
  ray r;
  if (!scale_ray(&r, origin, direction, t_max)) return 0;
  hits h = {.out = out, .room = room, .limit = r.t_max};
  descend_bvh(&mesh->view, &r, KEEP_ALL, &h);
  sort_hits(&h);
  for (size_t i = 0; i < h.count && i < room; i++) out[i].t = ldexp(out[i].t, -r.exponent);
  return h.count;
}

size_t ct_mesh_ray_near(const ct_mesh *mesh, const ct_ray_range *near, ct_mesh_hit *out,
                        size_t room) {
  ray r;
  if (!scale_ray(&r, near->origin, near->direction, near->t_max)) return 0;
  hits h = {.out = out, .room = room, .limit = r.t_max, .same = ldexp(near->same, r.exponent)};
  descend_bvh(&mesh->view, &r, KEEP_NEAR, &h);
  if (h.overflow) return room + 1;
  drop_beyond_limit(&h);
  sort_hits(&h);
  for (size_t i = 0; i < h.count; i++) out[i].t = ldexp(out[i].t, -r.exponent);
  return h.count;
}

ct_line_place ct_mesh_hit_place(const ct_mesh *mesh, const ct_mesh_hit *hit) {
  corners t = get_triangle_corners(&mesh->view, hit->position);
  ct_line_place at = {.count = 0};
  for (int k = 0; k < 3; k++)
    if (!(hit->zero & 1u << k)) at.corner[at.count++] = t.v[k];
  return at;
}

int ct_mesh_line_span(const ct_mesh *mesh, ct_vec3 origin, ct_vec3 direction, uint32_t position,
                      ct_line_place out[2]) {
  ray r;
  corners t = get_triangle_corners(&mesh->view, position);
  return scale_ray(&r, origin, direction, INFINITY) ? find_span_in_plane(&r, &t, out) : 0;
}

/* Returns the side of the segment a b, which the line crosses, relative to the line displaced by
 * (e, e^2, e^3): the sign of the first nonzero component of (a - b) x direction. */
static int find_perturbed_line_side(ct_vec3 direction, ct_vec3 a, ct_vec3 b) {
  const ct_vec3 none = {0.0, 0.0, 0.0};
  for (int axis = 0; axis < 3; axis++) {
    int side = ct_turn2d(drop_axis(b, axis), drop_axis(a, axis), drop_axis(none, axis),
                         drop_axis(direction, axis));
    if (side != 0) return side;
  }
  return 0;
}

int ct_mesh_ray_passage(const ct_mesh *mesh, ct_vec3 direction, const ct_mesh_hit *hit, int sense) {
  if (hit->zero == 0) return hit->side;
  corners t = get_triangle_corners(&mesh->view, hit->position);
  for (int k = 0; k < 3; k++)
    if (hit->zero & 1u << k &&
        sense * find_perturbed_line_side(direction, t.v[(k + 1) % 3], t.v[(k + 2) % 3]) !=
            -hit->side)
      return 0;
  return hit->side;
}

void ct_mesh_ray_weights(const ct_mesh *mesh, ct_vec3 origin, ct_vec3 direction, uint32_t triangle,
                         ct_mesh_weights *out) {
  const ct_mesh_view *view = &mesh->view;
  const uint32_t *v = view->triangles[triangle];
  const corners t = {{view->vertices[v[0]], view->vertices[v[1]], view->vertices[v[2]]}};
  ray r;
  ct_mesh_hit hit = {.t = 0.0, .point = origin};
  int side[3];
  ct_dd w[3];
  *out = (ct_mesh_weights){.point = origin};
  if (!scale_ray(&r, origin, direction, INFINITY)) return;
  for (int k = 0; k < 3; k++) {
    side[k] = ct_line_side(r.origin, r.direction, t.v[(k + 1) % 3], t.v[(k + 2) % 3]);
    out->zero |= (side[k] == 0) << k;
  }
  ct_dd sum = find_weights(&r, &t, side, w);
  for (int k = 0; k < 3; k++) out->weight[k] = ct_dd_value(ct_dd_div(w[k], sum)) + 0.0;
  place_hit(&r, &t, side, &hit);
  out->t = ldexp(hit.t, -r.exponent);
  out->point = hit.point;
}
