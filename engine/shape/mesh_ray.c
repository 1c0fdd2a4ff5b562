/* Rays against a mesh. Exact signs decide which closed triangles the ray meets; only where along the ray is rounded.
 *
 * The line passes a triangle's inside when it passes its three edges on one side (Segura, Feito 2001); on an edge or a vertex signs
 * are zero, which counts as met, so no ray slips between two triangles. Boxes are compared with room for all rounding.
 */
#include "shape/mesh_ray.h"
#include "base/double_double.h"
#include "base/predicates.h"
#include "shape/mesh_parts.h"

/* Where a box's plane is met errs by less than this part: a difference, an inverse and a product. */
#define PLANE_ERROR (4.0 * CT_UNIT_ROUNDOFF)

typedef struct ray {
  ct_vec3 origin, direction; /* the largest component of direction is in [1, 2) */
  ct_vec3 inverse;
  double t_max;
  int exponent; /* direction is the caller's times 2^-exponent, and t the caller's times 2^exponent */
} ray;

typedef struct corners {
  ct_vec3 v[3];
} corners;

/* False: there is no such ray. */
static bool open_ray(ray *r, ct_vec3 origin, ct_vec3 direction, double t_max) {
  double size = ct_max_abs(direction);
  if (!(size > 0.0) || !isfinite(size) || !(t_max >= 0.0)) return false;
  (void)frexp(size, &r->exponent);
  r->exponent--;
  r->origin = (ct_vec3){ct_exact_flush(origin.x), ct_exact_flush(origin.y), ct_exact_flush(origin.z)};
  r->direction = (ct_vec3){ct_exact_flush(ldexp(direction.x, -r->exponent)), ct_exact_flush(ldexp(direction.y, -r->exponent)),
                           ct_exact_flush(ldexp(direction.z, -r->exponent))};
  r->inverse = (ct_vec3){1.0 / r->direction.x, 1.0 / r->direction.y, 1.0 / r->direction.z};
  r->t_max = ldexp(t_max, r->exponent);
  return ct_max_abs(r->origin) <= CT_EXACT_MAX;
}

/* Narrows the part of the ray that can be between two planes across one axis. */
static bool narrow(double part[2], double low, double high, double o, double d, double inverse) {
  if (d == 0.0) return low <= o && o <= high;
  double p = ((d > 0.0 ? low : high) - o) * inverse, q = ((d > 0.0 ? high : low) - o) * inverse;
  part[0] = ct_max2(part[0], p - fabs(p) * PLANE_ERROR);
  part[1] = ct_min2(part[1], q + fabs(q) * PLANE_ERROR);
  return part[0] <= part[1];
}

/* Can the ray meet the box at t <= limit? Then *t is no more than the first such t. */
static bool may_meet(const ray *r, const ct_box *box, double limit, double *t) {
  double part[2] = {0.0, limit};
  bool meets = narrow(part, box->min.x, box->max.x, r->origin.x, r->direction.x, r->inverse.x) &&
               narrow(part, box->min.y, box->max.y, r->origin.y, r->direction.y, r->inverse.y) &&
               narrow(part, box->min.z, box->max.z, r->origin.z, r->direction.z, r->inverse.z);
  *t = part[0];
  return meets;
}

/* How much a corner weighs in the point where the line meets the plane. */
static ct_dd weight(const ray *r, ct_vec3 a, ct_vec3 b) {
  ct_dd3 p = ct_dd3_sub(a, r->origin), q = ct_dd3_sub(b, r->origin), d = ct_dd3_of(r->direction), cross = ct_dd3_cross(&p, &q);
  return ct_dd3_dot(&d, &cross);
}

/* t of the point of the ray's line nearest to one; the point is given by its offset from the origin. */
static double along(const ray *r, const ct_dd3 *offset) {
  ct_dd3 d = ct_dd3_of(r->direction);
  return ct_max2(ct_dd_value(ct_dd_div(ct_dd3_dot(offset, &d), ct_dd3_dot(&d, &d))), 0.0);
}

static void add_scaled(ct_dd3 *sum, const ct_dd3 *by, ct_dd factor) {
  *sum = (ct_dd3){ct_dd_add(sum->x, ct_dd_mul(by->x, factor)), ct_dd_add(sum->y, ct_dd_mul(by->y, factor)),
                  ct_dd_add(sum->z, ct_dd_mul(by->z, factor))};
}

/* What the corners weigh, of one sign and not all zero, and their sum. `side` are the exact signs: a weight that is zero is zero.
 */
static ct_dd weigh(const ray *r, const corners *t, const int side[3], ct_dd w[3]) {
  ct_dd sum = {0.0, 0.0};
  for (int k = 0; k < 3; k++) {
    w[k] = side[k] == 0 ? ct_dd_of(0.0) : weight(r, t->v[(k + 1) % 3], t->v[(k + 2) % 3]);
    /* Double-double may miss the sign of what is almost zero. */
    if (side[k] != 0 && (side[k] > 0) != (w[k].high > 0.0)) w[k] = ct_dd_of(0.0);
    sum = ct_dd_add(sum, w[k]);
  }
  if (sum.high != 0.0) return sum;
  for (int k = 0; k < 3; k++) w[k] = ct_dd_of(1.0);
  return ct_dd_of(3.0);
}

/* The point between corners, and its t. */
static void place(const ray *r, const corners *t, const int side[3], ct_mesh_hit *hit) {
  ct_dd w[3], sum = weigh(r, t, side, w);
  ct_dd3 offset = {{0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}};
  for (int k = 0; k < 3; k++) {
    ct_dd3 from = ct_dd3_sub(t->v[k], r->origin);
    add_scaled(&offset, &from, ct_dd_div(w[k], sum));
  }
  hit->t = along(r, &offset);
  hit->point = ct_add(r->origin, ct_dd3_value(&offset));
}

/* Seen along an axis. */
static ct_vec2 flat(ct_vec3 v, int axis) {
  return axis == 0 ? (ct_vec2){v.y, v.z} : axis == 1 ? (ct_vec2){v.z, v.x} : (ct_vec2){v.x, v.y};
}

/* A vector whose product with v - origin tells on which side of the ray v is, seen along the axis. */
static ct_vec3 across_ray(const ray *r, int axis) {
  ct_vec3 d = r->direction;
  return axis == 0 ? (ct_vec3){0.0, -d.z, d.y} : axis == 1 ? (ct_vec3){d.z, 0.0, -d.x} : (ct_vec3){-d.y, d.x, 0.0};
}

static void offer_point(const ray *r, const ct_dd3 *offset, ct_mesh_hit *best) {
  double t = along(r, offset);
  if (t < best->t) {
    best->t = t;
    best->point = ct_add(r->origin, ct_dd3_value(offset));
  }
}

/* The part of an edge that a ray in its plane meets. */
static void cross_edge(const ray *r, ct_vec3 a, ct_vec3 b, int axis, ct_mesh_hit *best) {
  ct_vec3 across = across_ray(r, axis);
  ct_dd3 from_a = ct_dd3_sub(a, r->origin), from_b = ct_dd3_sub(b, r->origin), m = ct_dd3_of(across);
  int sa = ct_dot_sign(across, a, r->origin), sb = ct_dot_sign(across, b, r->origin);
  if (sa == 0 && ct_dot_sign(r->direction, a, r->origin) >= 0) offer_point(r, &from_a, best);
  if (sb == 0 && ct_dot_sign(r->direction, b, r->origin) >= 0) offer_point(r, &from_b, best);
  if (sa * sb >= 0) return;
  /* The line passes between a and b; the ray does when the edge turns around the origin the way it turns around the line. */
  if (ct_orient2d(flat(a, axis), flat(b, axis), flat(r->origin, axis)) * sb <= 0) return;
  ct_dd wa = ct_dd3_dot(&m, &from_a), wb = ct_dd3_dot(&m, &from_b), apart = ct_dd_add(wb, ct_dd_neg(wa));
  ct_dd3 edge = ct_dd3_sub(b, a);
  if (apart.high != 0.0) add_scaled(&from_a, &edge, ct_dd_div(ct_dd_neg(wa), apart));
  offer_point(r, &from_a, best);
}

/* A ray in the triangle's plane. */
static bool meet_in_plane(const ray *r, const corners *t, ct_mesh_hit *hit) {
  int axis = 0, turn = 0;
  for (; axis < 3; axis++) {
    turn = ct_orient2d(flat(t->v[0], axis), flat(t->v[1], axis), flat(t->v[2], axis));
    if (turn != 0) break;
  }
  if (turn == 0) return false;
  hit->t = INFINITY;
  hit->side = 0;
  bool inside = true;
  for (int k = 0; k < 3; k++) {
    ct_vec3 a = t->v[k], b = t->v[(k + 1) % 3];
    inside = inside && ct_orient2d(flat(a, axis), flat(b, axis), flat(r->origin, axis)) != -turn;
    cross_edge(r, a, b, axis, hit);
  }
  if (inside) {
    hit->t = 0.0;
    hit->point = r->origin;
  }
  return hit->t < INFINITY;
}

/* Does the ray meet the closed triangle? Its limit is not looked at. */
static bool meet(const ray *r, const corners *t, ct_mesh_hit *hit) {
  int side[3], least = 0, most = 0;
  for (int k = 0; k < 3; k++) {
    side[k] = ct_line_side(r->origin, r->direction, t->v[(k + 1) % 3], t->v[(k + 2) % 3]);
    least = side[k] < least ? side[k] : least;
    most = side[k] > most ? side[k] : most;
    if (least < 0 && most > 0) return false;
  }
  if (least == 0 && most == 0) return meet_in_plane(r, t, hit);
  /* The sign of direction . normal. */
  int rises = least + most, beyond = ct_orient3d(t->v[0], t->v[1], t->v[2], r->origin);
  if (beyond * rises > 0) return false;
  hit->side = -rises;
  if (beyond == 0) {
    hit->t = 0.0;
    hit->point = r->origin;
  } else {
    place(r, t, side, hit);
  }
  return true;
}

/* What the descent does with a hit: keeps the first, or all in order. */
typedef struct hits {
  ct_mesh_hit *out;
  size_t room, count; /* count may be above room: `out` is then a heap with its last hit on top */
  double limit;       /* no hit beyond is of use */
} hits;

static bool comes_before(const ct_mesh_hit *a, const ct_mesh_hit *b) {
  return a->t < b->t || (a->t == b->t && a->triangle < b->triangle);
}

static void sift_down(ct_mesh_hit *heap, size_t at, size_t count) {
  for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
    if (child + 1 < count && comes_before(&heap[child], &heap[child + 1])) child++;
    if (!comes_before(&heap[at], &heap[child])) return;
    ct_mesh_hit t = heap[at];
    heap[at] = heap[child];
    heap[child] = t;
    at = child;
  }
}

static void make_heap(ct_mesh_hit *heap, size_t count) {
  for (size_t at = count / 2; at-- > 0;) sift_down(heap, at, count);
}

static void keep(hits *h, const ct_mesh_hit *hit) {
  size_t at = h->count++;
  if (at < h->room) {
    h->out[at] = *hit;
    if (at + 1 == h->room) make_heap(h->out, h->room);
  } else if (h->room > 0 && comes_before(hit, &h->out[0])) {
    h->out[0] = *hit;
    sift_down(h->out, 0, h->room);
  }
}

static void sort_hits(hits *h) {
  size_t n = h->count < h->room ? h->count : h->room;
  make_heap(h->out, n);
  for (size_t end = n; end-- > 1;) {
    ct_mesh_hit t = h->out[0];
    h->out[0] = h->out[end];
    h->out[end] = t;
    sift_down(h->out, 0, end);
  }
}

static void look_at(const ct_mesh_view *view, uint32_t position, const ray *r, bool first, hits *h) {
  const uint32_t *v = view->corners[position];
  corners t = {{view->vertices[v[0]], view->vertices[v[1]], view->vertices[v[2]]}};
  ct_mesh_hit hit = {.triangle = view->order[position]};
  if (!meet(r, &t, &hit) || !(hit.t <= r->t_max)) return;
  if (!first) {
    keep(h, &hit);
  } else if (h->count == 0 || comes_before(&hit, h->out)) {
    *h->out = hit;
    h->count = 1;
    h->limit = hit.t;
  }
}

static void descend(const ct_mesh_view *view, const ray *r, bool first, hits *h) {
  struct {
    uint32_t node;
    double t;
  } stack[CT_MESH_DEPTH_MAX + 2];
  int top = 0;
  double t[2];
  if (!may_meet(r, &view->box, h->limit, &t[0])) return;
  stack[top].node = 0, stack[top++].t = t[0];
  while (top > 0) {
    top--;
    const ct_mesh_node *node = &view->nodes[stack[top].node];
    if (stack[top].t > h->limit) continue;
    for (uint32_t i = node->first; i < node->first + node->count; i++) look_at(view, i, r, first, h);
    if (node->count > 0) continue;
    bool meets[2];
    for (int k = 0; k < 2; k++) meets[k] = may_meet(r, &view->nodes[node->first + (uint32_t)k].box, h->limit, &t[k]);
    uint32_t near = meets[1] && (!meets[0] || t[1] < t[0]);
    if (meets[1 - near]) stack[top].node = node->first + 1 - near, stack[top++].t = t[1 - near];
    if (meets[near]) stack[top].node = node->first + near, stack[top++].t = t[near];
  }
}

bool ct_mesh_ray_first(const ct_mesh *mesh, ct_vec3 origin, ct_vec3 direction, double t_max, ct_mesh_hit *out) {
  ray r;
  ct_mesh_hit best;
  if (!open_ray(&r, origin, direction, t_max)) return false;
  hits h = {.out = &best, .room = 1, .limit = r.t_max};
  descend(&mesh->view, &r, true, &h);
  if (h.count == 0) return false;
  best.t = ldexp(best.t, -r.exponent);
  *out = best;
  return true;
}

size_t ct_mesh_ray_all(const ct_mesh *mesh, ct_vec3 origin, ct_vec3 direction, double t_max, ct_mesh_hit *out, size_t room) {
  ray r;
  if (!open_ray(&r, origin, direction, t_max)) return 0;
  hits h = {.out = out, .room = room, .limit = r.t_max};
  descend(&mesh->view, &r, false, &h);
  sort_hits(&h);
  for (size_t i = 0; i < h.count && i < room; i++) out[i].t = ldexp(out[i].t, -r.exponent);
  return h.count;
}

void ct_mesh_ray_weights(const ct_mesh *mesh, ct_vec3 origin, ct_vec3 direction, uint32_t triangle, ct_mesh_weights *out) {
  const ct_mesh_view *view = &mesh->view;
  const uint32_t *v = view->triangles[triangle];
  const corners t = {{view->vertices[v[0]], view->vertices[v[1]], view->vertices[v[2]]}};
  ray r;
  ct_mesh_hit hit = {.t = 0.0, .point = origin};
  int side[3];
  ct_dd w[3];
  *out = (ct_mesh_weights){.point = origin};
  if (!open_ray(&r, origin, direction, INFINITY)) return;
  for (int k = 0; k < 3; k++) {
    side[k] = ct_line_side(r.origin, r.direction, t.v[(k + 1) % 3], t.v[(k + 2) % 3]);
    out->zero |= (side[k] == 0) << k;
  }
  ct_dd sum = weigh(&r, &t, side, w);
  for (int k = 0; k < 3; k++) out->weight[k] = ct_dd_value(ct_dd_div(w[k], sum)) + 0.0;
  place(&r, &t, side, &hit);
  out->t = ldexp(hit.t, -r.exponent);
  out->point = hit.point;
}
