/* Every pair of features of a polytope and a tapered capsule. */
#include "convex/polytope_tapered_capsule.h"

#include <assert.h>

/* The polytope's faces and edges in one form for boxes and hulls, and the capsule, all in the polytope's own frame. */
typedef struct problem {
  const ct_convex_proxy *polytope; /* in its own frame */
  ct_vec3 end[2];
  double radius[2];
  ct_vec3 inner;    /* a point within the polytope */
  double tolerance; /* of local tests; and values that differ by less are equal, m */
  double most;      /* greatest value of all, and the first normal that has it */
  ct_vec3 first_normal;
  bool choosing;  /* first pass: look for the greatest value; second: choose among the normals that are as good */
  ct_vec3 normal; /* chosen so far, and its value */
  double value;
  bool several;
} problem;

/* Features between two looks at the cancel flag: below 1 ms. */
#define FEATURES_PER_POLL 1024u

static const uint8_t box_edges[12][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3},
                                         {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};

static uint32_t edge_count(const ct_convex_proxy *p) { return p->kind == CT_PROXY_BOX ? 12 : p->view->edge_count; }
static uint32_t face_count(const ct_convex_proxy *p) { return p->kind == CT_PROXY_BOX ? 6 : p->view->face_count; }

static void edge_at(const ct_convex_proxy *p, uint32_t i, uint32_t ends[2]) {
  ends[0] = p->kind == CT_PROXY_BOX ? box_edges[i][0] : p->view->edge_vertices[i][0];
  ends[1] = p->kind == CT_PROXY_BOX ? box_edges[i][1] : p->view->edge_vertices[i][1];
}

static ct_vec3 face_normal(const ct_convex_proxy *p, uint32_t i) {
  if (p->kind == CT_PROXY_HULL) return ct_vec(p->view->nx[i], p->view->ny[i], p->view->nz[i]);
  double sign = i & 1 ? -1.0 : 1.0;
  return ct_vec(i / 2 == 0 ? sign : 0.0, i / 2 == 1 ? sign : 0.0, i / 2 == 2 ? sign : 0.0);
}

/* Is no neighbour of the vertex farther along n? Only then n is a normal of the polytope there. */
static bool extreme_at(const problem *q, uint32_t vertex, ct_vec3 n) {
  const ct_convex_proxy *p = q->polytope;
  double level = ct_dot(n, ct_proxy_vertex(p, vertex)) + q->tolerance;
  if (p->kind == CT_PROXY_BOX)
    return ct_dot(n, ct_proxy_vertex(p, vertex ^ 1u)) <= level && ct_dot(n, ct_proxy_vertex(p, vertex ^ 2u)) <= level &&
           ct_dot(n, ct_proxy_vertex(p, vertex ^ 4u)) <= level;
  for (uint32_t i = p->view->neighbour_start[vertex]; i < p->view->neighbour_start[vertex + 1]; i++)
    if (ct_dot(n, ct_proxy_vertex(p, p->view->neighbour[i])) > level) return false;
  return true;
}

/* Judges a unit normal made for a vertex. The cheap tests first: it must lead outward, and be no worse than the best. What is as
 * good is measured from the greatest value alone: from a chosen one, a chain of nearly equal normals would lead away. */
static void offer(problem *q, ct_vec3 n, uint32_t vertex) {
  ct_vec3 v = ct_proxy_vertex(q->polytope, vertex);
  if (ct_dot(n, ct_sub(v, q->inner)) < 0.0) return;
  double near = ct_min2(ct_dot(n, q->end[0]) - q->radius[0], ct_dot(n, q->end[1]) - q->radius[1]);
  double limit = q->choosing ? q->most - q->tolerance : q->most;
  if (near - ct_dot(n, v) < limit || !extreme_at(q, vertex, n)) return;
  double value = near - ct_dot(n, ct_proxy_vertex(q->polytope, ct_proxy_support(q->polytope, n, vertex)));
  if (!q->choosing && value > q->most) {
    q->most = value;
    q->first_normal = n;
  }
  if (!q->choosing || value < limit) return;
  bool first = !(q->value > -INFINITY);
  if (!first && ct_norm(ct_sub(n, q->normal)) > 1e-6) q->several = true;
  if (!first && !ct_normal_greater(n, q->normal)) return;
  q->value = value;
  q->normal = n;
}

static ct_vec3 without(ct_vec3 p, ct_vec3 unit) { return ct_cross(unit, ct_cross(p, unit)); }

/* Unit normal with normal.axis = sine that is best for a point at `to`; false where none is. */
static bool lean(ct_vec3 axis, double sine, ct_vec3 to, ct_vec3 *n) {
  ct_vec3 flat = without(to, axis);
  if (!(fabs(sine) < 1.0) || ct_max_abs(flat) == 0.0) return false;
  *n = ct_unit_or(ct_add_scaled(ct_scale(axis, sine), ct_unit_or(flat, flat), sqrt((1.0 - sine) * (1.0 + sine))), flat);
  return true;
}

/* A vertex against both balls and against the cone. */
static void offer_vertex(problem *q, uint32_t vertex) {
  ct_vec3 v = ct_proxy_vertex(q->polytope, vertex), n, axis = ct_sub(q->end[1], q->end[0]);
  double length = ct_norm(axis);
  axis = ct_unit_or(axis, axis);
  for (int k = 0; k < 2; k++) {
    ct_vec3 d = ct_sub(q->end[k], v);
    if (ct_max_abs(d) > 0.0) offer(q, ct_unit_or(d, d), vertex);
  }
  if (lean(axis, (q->radius[1] - q->radius[0]) / length, ct_sub(q->end[0], v), &n)) offer(q, n, vertex);
}

/* An edge against both balls (across the edge) and against the cone (across the edge, leaning on the axis). */
static void offer_edge(problem *q, const uint32_t ends[2]) {
  ct_vec3 v = ct_proxy_vertex(q->polytope, ends[0]), to = ct_proxy_vertex(q->polytope, ends[1]);
  ct_vec3 edge = ct_unit_or(ct_sub(to, v), ct_vec(1.0, 0.0, 0.0)), n;
  for (int k = 0; k < 2; k++)
    if (lean(edge, 0.0, ct_sub(q->end[k], v), &n)) offer(q, n, ends[0]);
  ct_vec3 axis = without(ct_sub(q->end[1], q->end[0]), edge), side = ct_cross(edge, axis);
  double length = ct_norm(axis), sine = (q->radius[1] - q->radius[0]) / length;
  if (!(length > 0.0) || !(fabs(sine) < 1.0)) return;
  ct_vec3 tilt = ct_scale(axis, sine / length), up = ct_scale(side, sqrt((1.0 - sine) * (1.0 + sine)) / length);
  offer(q, ct_unit_or(ct_add(tilt, up), up), ends[0]);
  offer(q, ct_unit_or(ct_sub(tilt, up), up), ends[0]);
}

/* Looks at the flag now and then. */
static bool cancelled(uint32_t step, const ct_cancel *cancel) { return step % FEATURES_PER_POLL == 0 && ct_cancel_raised(cancel); }

/* False: cancelled. */
static bool offer_all(problem *q, const ct_cancel *cancel) {
  const ct_convex_proxy *p = q->polytope;
  for (uint32_t i = 0; i < face_count(p); i++) {
    if (cancelled(i, cancel)) return false;
    ct_vec3 n = face_normal(p, i);
    offer(q, n, ct_proxy_support(p, n, p->kind == CT_PROXY_HULL ? p->view->face_loop[p->view->face_start[i]] : 0));
  }
  for (uint32_t i = 0; i < edge_count(p); i++) {
    uint32_t ends[2];
    if (cancelled(i, cancel)) return false;
    edge_at(p, i, ends);
    offer_edge(q, ends);
  }
  for (uint32_t i = 0; i < ct_proxy_vertex_count(p); i++) {
    if (cancelled(i, cancel)) return false;
    offer_vertex(q, i);
  }
  return true;
}

/* Cancelled: the normal between the middles, and what it shows. */
static ct_tangent cut_short(const ct_convex_proxy *polytope, const ct_convex_proxy *segment) {
  ct_vec3 n = ct_unit_or(ct_sub(segment->middle, polytope->middle), ct_vec(1.0, 0.0, 0.0));
  double bare = ct_proxy_support_value(polytope, n) - polytope->radius[0],
         value = -ct_proxy_support_value(segment, ct_neg(n)) - bare;
  return (ct_tangent){.normal = n, .value = value, .first_normal = n, .most = INFINITY, .cut = true};
}

ct_tangent ct_polytope_capsule_separation(const ct_convex_proxy *polytope, const ct_convex_proxy *segment,
                                          const ct_cancel *cancel) {
  assert((polytope->kind == CT_PROXY_BOX || polytope->kind == CT_PROXY_HULL) && segment->kind == CT_PROXY_SEGMENT);
  ct_convex_proxy own = *polytope;
  ct_mat3 turn = polytope->rotation;
  problem q = {.polytope = &own, .radius = {segment->radius[0], segment->radius[1]}, .most = -INFINITY, .value = -INFINITY};
  q.tolerance = 8.0 * CT_UNIT_ROUNDOFF * ct_proxy_scale(polytope, segment);
  own.center = ct_vec(0.0, 0.0, 0.0);
  q.inner = own.kind == CT_PROXY_HULL ? own.view->centroid : own.center;
  own.turned = false;
  for (int i = 0; i < 3 && own.kind == CT_PROXY_BOX; i++) own.axis[i] = ct_vec(0.0, 0.0, 0.0);
  own.axis[0].x = own.half.x;
  own.axis[1].y = own.half.y;
  own.axis[2].z = own.half.z;
  for (uint32_t k = 0; k < 2; k++) q.end[k] = ct_mat_tmul(turn, ct_sub(ct_proxy_vertex(segment, k), polytope->center));
  bool whole = offer_all(&q, cancel);
  q.choosing = whole;
  whole = whole && offer_all(&q, cancel);
  if (!whole) return cut_short(polytope, segment);
  return (ct_tangent){.normal = ct_mat_mul(turn, q.normal),
                      .value = q.value,
                      .first_normal = ct_mat_mul(turn, q.first_normal),
                      .most = q.most,
                      .several = q.several};
}
