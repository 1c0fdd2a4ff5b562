/* Minkowski portal refinement (MPR; Neumayr, Otter 2017): special cases, portal discovery, and
 * refinement of the portal towards the surface.
 *
 * A portal is a triangle of support points of the Minkowski difference a - b that the ray from an
 * interior point through the origin pierces. Tolerances are scaled instead of the points, so
 * distances need no rescaling. Points and normals are in the frame of the pair's first body in
 * content order (an order that does not depend on the arguments' order); the result is transformed
 * at the end. */
#include "pair/pair_input.h"
#include "pair/placed_proxies.h"
#include "pair/round_off_bound.h"
#include "primitives/primitive_pairs.h"
#include <contact/pair_methods.h>

#include <assert.h>

/* ---- portals -------------------------------------------------------------------------------- */

/* Products of points up to this fraction of the squared scale are round-off and define no
 * direction. */
#define PORTAL_FLAT (200.0 * CT_UNIT_ROUNDOFF)

/* A support point of the Minkowski difference: r = a - b is extreme along the unit vector e; a and
 * b are points of the bodies. */
typedef struct portal_point {
  ct_vec3 r, e, a, b;
} portal_point;

typedef struct portal {
  const ct_convex_proxy *a, *b;
  uint32_t hint[2];
  ct_vec3 inside;         /* a point inside the Minkowski difference: the difference of an interior
                             point of each body */
  portal_point corner[3]; /* clockwise seen from the inside: (r1 - r0) x (r2 - r0) . (r3 - r0) > 0
                             for a support r3 beyond the portal */
  double scale; /* largest component of `inside` and of the first corners; tolerances are relative
                   to it */
  double lower; /* greatest lower bound of the signed distance that the supports so far give, and
                   the normal of that bound */
  ct_vec3 lower_normal;
  double upper; /* upper bound of the distance: length of the shortest support point r */
  uint32_t supports;
} portal;

/* Signed distance and the points that it follows from, computed from a portal or from a single
 * support point. */
typedef struct portal_answer {
  double distance;
  double reached;          /* distance of the surface from the portal (or of the origin from the
                              support's normal), relative to the scale */
  ct_vec3 normal, nearest; /* normal of the portal, and its point nearest to the origin */
  portal_point point[3];   /* support points, of which `nearest` is the combination with the weights
                              `weight` */
  double weight[3];
  int count;     /* number of supports used: 1 or 3 */
  bool is_foot;  /* `nearest`, the projection of the origin onto the portal's plane, is inside the
                    portal; otherwise `nearest` is on an edge */
  bool is_over;  /* the portal shows that the origin is inside the difference: the bodies overlap */
  bool is_plane; /* only a supporting plane is known, and the point is any support point on it */
} portal_answer;

typedef enum portal_outcome {
  PORTAL_FOUND,
  PORTAL_PLANAR, /* no triangle exists: the Minkowski difference is flat */
  PORTAL_LIMIT,  /* iteration limit reached */
  PORTAL_LOST    /* round-off: the ray pierces none of the next portals */
} portal_outcome;

/* Returns the support point along a nonzero direction, counts it, and tightens the bounds. */
static portal_point find_portal_support(portal *p, ct_vec3 direction) {
  portal_point s = {.e = ct_unit_or(direction, ct_vec(1.0, 0.0, 0.0))};
  double radius_a, radius_b;
  ct_vec3 a = ct_proxy_point(p->a, s.e, &p->hint[0], &radius_a);
  ct_vec3 b = ct_proxy_point(p->b, ct_neg(s.e), &p->hint[1], &radius_b);
  s.a = ct_add_scaled(a, s.e, radius_a);
  s.b = ct_add_scaled(b, s.e, -radius_b);
  s.r = ct_sub(s.a, s.b);
  p->supports++;
  double lower = -ct_dot(s.e, s.r);
  if (lower > p->lower) {
    p->lower = lower;
    p->lower_normal = s.e;
  }
  p->upper = ct_min2(p->upper, ct_norm(s.r));
  return s;
}

/* Writes the answer that follows from a single support point; exact for separated bodies if the
 * point is on the line through the origin along the normal. */
static void write_single_support(const portal_point *point, ct_vec3 normal, portal_answer *answer) {
  answer->distance = -ct_dot(normal, point->r);
  answer->normal = normal;
  answer->nearest = point->r;
  answer->point[0] = *point;
  answer->weight[0] = 1.0;
  answer->count = 1;
  answer->is_foot = true;
  answer->is_over = answer->is_plane = false;
}

static ct_vec3 compute_portal_normal(const portal *p) {
  return ct_cross(ct_sub(p->corner[1].r, p->corner[0].r), ct_sub(p->corner[2].r, p->corner[0].r));
}

/* True if the corners are collinear to round-off. */
static bool is_portal_collinear(const portal *p) {
  return ct_norm(compute_portal_normal(p)) <= PORTAL_FLAT * p->scale * p->scale;
}

/* Replaces the third corner by the support in the opposite direction, and exchanges the first two
 * corners to keep the orientation. */
static void flip_portal(portal *p) {
  portal_point first = p->corner[0];
  p->corner[0] = p->corner[1];
  p->corner[1] = first;
  p->corner[2] = find_portal_support(p, ct_neg(p->corner[2].e));
}

/* Returns the weight of q in the point of the edge p q that is nearest to the origin. */
static double compute_edge_weight(ct_vec3 p, ct_vec3 q) {
  ct_vec3 d = ct_sub(q, p);
  double length2 = ct_norm2(d);
  if (!(length2 > 0.0)) return 0.0;
  return ct_min2(ct_max2(-ct_dot(p, d) / length2, 0.0), 1.0);
}

/* Computes the weights of the portal's point nearest to the origin: the projection onto the plane
 * if it is inside the triangle, else the nearest point of the three edges. True: it is the
 * projection. */
static bool compute_nearest_weights(const portal_point corner[3], ct_vec3 normal,
                                    double weight[3]) {
  /* Barycentric coordinates of the projection of the origin. */
  double sum = 0.0;
  for (int i = 0; i < 3; i++) {
    weight[i] = ct_dot(normal, ct_cross(corner[(i + 1) % 3].r, corner[(i + 2) % 3].r));
    sum += weight[i];
  }
  bool inside = sum != 0.0;
  for (int i = 0; i < 3 && inside; i++) inside = weight[i] / sum >= 0.0;
  if (inside) {
    for (int i = 0; i < 3; i++) weight[i] /= sum;
    return true;
  }
  /* The projection is outside: use the nearest point of the three edges. */
  double least = INFINITY;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3;
    double t = compute_edge_weight(corner[i].r, corner[j].r),
           length = ct_norm(ct_lerp(corner[i].r, corner[j].r, t));
    if (!(length < least)) continue;
    least = length;
    weight[i] = 1.0 - t;
    weight[j] = t;
    weight[(i + 2) % 3] = 0.0;
  }
  return false;
}

/* Writes the signed distance from the origin to the portal, negative if the portal shows that the
 * origin is inside. */
static void write_portal_distance(const portal_point corner[3], ct_vec3 normal,
                                  portal_answer *answer) {
  answer->is_foot = compute_nearest_weights(corner, normal, answer->weight);
  answer->nearest = ct_vec(0.0, 0.0, 0.0);
  for (int i = 0; i < 3; i++) {
    answer->point[i] = corner[i];
    answer->nearest = ct_add_scaled(answer->nearest, corner[i].r, answer->weight[i]);
  }
  double length = ct_norm(answer->nearest);
  answer->is_over = ct_dot(answer->nearest, normal) > 0.0;
  answer->distance = answer->is_over ? -length : length;
  answer->normal = normal;
  answer->count = 3;
  answer->is_plane = false;
}

/* True if the ray passes between the half-planes that begin at the line from the interior point
 * through r and contain corner i and corner j. */
static bool is_ray_between(const portal *p, ct_vec3 r, int i, int j) {
  ct_vec3 out = ct_sub(r, p->inside);
  ct_vec3 left = ct_cross(ct_sub(p->corner[i].r, p->inside), out),
          right = ct_cross(out, ct_sub(p->corner[j].r, p->inside));
  return ct_dot(left, p->inside) >= 0.0 && ct_dot(right, p->inside) >= 0.0;
}

static bool is_portal_pierced(const portal *p) {
  ct_vec3 m = ct_cross(ct_sub(p->corner[0].r, p->inside), ct_sub(p->corner[1].r, p->inside));
  return ct_dot(m, p->inside) <= 0.0 && is_ray_between(p, p->corner[2].r, 0, 1);
}

static bool advance_portal(portal *p, const portal_point *fourth) {
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3;
    if (!is_ray_between(p, fourth->r, i, j)) continue;
    portal_point first = p->corner[i], second = p->corner[j];
    p->corner[0] = first;
    p->corner[1] = second;
    p->corner[2] = *fourth;
    return true;
  }
  return false;
}

/* True if a single support point on the normal through the origin gives the distance: it shows the
 * origin outside, or is at the origin to the tolerance, or the portal shows the origin inside.
 * Otherwise it would report a depth for an origin beside the body. */
static bool is_single_valid(const portal *p, const portal_point *fourth, double tolerance) {
  double height = ct_dot(fourth->e, fourth->r);
  return height <= tolerance * p->scale || ct_dot(fourth->e, p->corner[0].r) >= 0.0;
}

/* Evaluates a portal with the support `fourth` along its normal and writes the answer. Returns the
 * distance of the surface from the portal, relative to the scale. */
static double evaluate_portal(const portal *p, const portal_point *fourth, double tolerance,
                              portal_answer *answer) {
  double aside = ct_norm(ct_cross(fourth->r, fourth->e)) / p->scale;
  double above = fabs(ct_dot(ct_sub(fourth->r, p->corner[0].r), fourth->e)) / p->scale;
  bool single = (aside < tolerance || aside < above) && is_single_valid(p, fourth, tolerance);
  if (single) {
    write_single_support(fourth, fourth->e, answer);
    answer->is_over = ct_dot(fourth->e, p->corner[0].r) >= 0.0;
  } else {
    write_portal_distance(p->corner, fourth->e, answer);
  }
  return answer->reached = single ? aside : above;
}

/* Refines a portal that the ray pierces until it is on the surface, within the tolerance. With
 * LIMIT and LOST, *answer is that of the best portal. With PLANAR it may be unset (count 0). */
static portal_outcome refine_portal(portal *p, double tolerance, uint32_t limit,
                                    portal_answer *answer) {
  bool turned = false;
  answer->count = 0;
  answer->reached = INFINITY;
  for (uint32_t step = 0; step < limit; step++) {
    /* A degenerate portal is flipped once to the opposite side. */
    if (is_portal_collinear(p)) {
      if (turned) return PORTAL_PLANAR;
      turned = true;
      flip_portal(p);
      if (is_portal_collinear(p) || !is_portal_pierced(p)) return PORTAL_PLANAR;
    }
    /* Evaluate the support along the outward normal, and retain the best answer. */
    ct_vec3 n = compute_portal_normal(p);
    if (ct_dot(n, p->inside) > 0.0) n = ct_neg(n);
    portal_point fourth = find_portal_support(p, n);
    portal_answer candidate;
    if (evaluate_portal(p, &fourth, tolerance, &candidate) < answer->reached) *answer = candidate;
    if (answer->reached < tolerance) return PORTAL_FOUND;
    if (!advance_portal(p, &fourth)) return PORTAL_LOST;
  }
  return PORTAL_LIMIT;
}

/* ---- MPR ------------------------------------------------------------------------------------ */

bool ct_mpr_is_supported(ct_kind kind) { return ct_kind_is_bounded_convex(kind); }

/* Returns an interior point of a body: its centroid; for a tapered capsule, the middle of its
 * axis. */
static ct_vec3 find_interior_point(const ct_convex_proxy *proxy) {
  if (proxy->kind != CT_PROXY_FRUSTUM) return proxy->middle;
  double r = proxy->rim[0], s = proxy->rim[1];
  return ct_add_scaled(proxy->middle, proxy->axis[2],
                       (s - r) * (s + r) / (2.0 * (r * r + r * s + s * s)));
}

static double compute_body_size(const ct_convex_proxy *proxy) {
  return proxy->size + ct_max2(proxy->radius[0], proxy->radius[1]);
}

static void update_portal_scale(portal *p, ct_vec3 r) {
  p->scale = ct_max2(p->scale, ct_max_abs(r));
}

static bool is_flat_product(const portal *p, ct_vec3 product) {
  return ct_norm(product) <= PORTAL_FLAT * p->scale * p->scale;
}

/* Completes the first portal, whose first corner is set. `across` is the cross product of the ray
 * and that corner. */
static portal_outcome complete_first_portal(portal *p, ct_vec3 across) {
  p->corner[1] = find_portal_support(p, across);
  update_portal_scale(p, p->corner[1].r);
  ct_vec3 d = ct_sub(p->corner[0].r, p->inside), n = ct_cross(d, ct_sub(p->corner[1].r, p->inside));
  if (is_flat_product(p, n)) {
    p->corner[1] = find_portal_support(p, ct_neg(p->corner[1].e));
    update_portal_scale(p, p->corner[1].r);
    n = ct_cross(d, ct_sub(p->corner[1].r, p->inside));
    if (is_flat_product(p, n)) return PORTAL_PLANAR;
  }
  if (ct_dot(n, p->inside) > 0.0) {
    n = ct_neg(n);
    portal_point first = p->corner[0];
    p->corner[0] = p->corner[1];
    p->corner[1] = first;
  }
  p->corner[2] = find_portal_support(p, n);
  update_portal_scale(p, p->corner[2].r);
  if (!is_portal_collinear(p)) return PORTAL_FOUND;
  flip_portal(p);
  update_portal_scale(p, p->corner[2].r);
  return is_portal_collinear(p) ? PORTAL_PLANAR : PORTAL_FOUND;
}

/* Rotates the portal around the interior point until the ray pierces it. */
static portal_outcome discover_portal(portal *p, uint32_t limit) {
  for (uint32_t step = 0; step < limit; step++) {
    ct_vec3 third = ct_sub(p->corner[2].r, p->inside);
    ct_vec3 m = ct_cross(ct_sub(p->corner[0].r, p->inside), third);
    if (ct_dot(m, p->inside) < 0.0) {
      p->corner[1] = p->corner[2];
    } else {
      m = ct_cross(third, ct_sub(p->corner[1].r, p->inside));
      if (!(ct_dot(m, p->inside) < 0.0)) return PORTAL_FOUND;
      p->corner[0] = p->corner[2];
    }
    p->corner[2] = find_portal_support(p, m);
  }
  return PORTAL_LIMIT;
}

/* Writes the answer that follows from the best supporting plane so far. */
static void write_bound_result(portal *p, portal_answer *answer) {
  portal_point s = find_portal_support(p, p->lower_normal);
  write_single_support(&s, s.e, answer);
  answer->is_plane = true;
  answer->reached = (ct_min2(p->upper, ct_norm(s.r)) - answer->distance) /
                    ct_max2(p->scale, compute_body_size(p->a) + compute_body_size(p->b));
}

/* For coincident interior points, writes the least depth along the coordinate axes. */
static void write_coincident_result(portal *p, portal_answer *answer) {
  for (int i = 0; i < 6; i++) {
    double s = i & 1 ? -1.0 : 1.0;
    find_portal_support(p, ct_vec(i < 2 ? s : 0.0, i / 2 == 1 ? s : 0.0, i > 3 ? s : 0.0));
  }
  write_bound_result(p, answer);
  answer->is_over = true;
}

static void report_portal_outcome(portal_outcome outcome, portal *p, portal_answer *answer,
                                  ct_mpr_result *result) {
  if (outcome == PORTAL_FOUND) return;
  result->status = outcome == PORTAL_LIMIT ? CT_PAIR_ITERATION_LIMIT : CT_PAIR_DEGENERATE;
  if (answer->count == 0) {
    result->flags |= CT_FLAG_PLANAR_MINKOWSKI;
    write_bound_result(p, answer);
  } else {
    result->flags |= CT_FLAG_TOLERANCE_RAISED;
  }
}

static void solve_mpr(portal *p, const ct_mpr_options *options, portal_answer *answer,
                      ct_mpr_result *result) {
  /* Coincident interior points define no ray. */
  double size = compute_body_size(p->a) + compute_body_size(p->b);
  answer->count = 0;
  if (ct_norm(p->inside) <= PORTAL_FLAT * size) {
    result->flags |= CT_FLAG_CENTRES_COINCIDE;
    result->status = CT_PAIR_DEGENERATE;
    write_coincident_result(p, answer);
    return;
  }
  /* First support along the ray: if it is on the ray, it gives the distance. */
  ct_vec3 ray = ct_neg(p->inside);
  p->corner[0] = find_portal_support(p, ray);
  update_portal_scale(p, p->inside);
  update_portal_scale(p, p->corner[0].r);
  ct_vec3 across = ct_cross(ray, p->corner[0].r);
  if (is_flat_product(p, across)) {
    write_single_support(&p->corner[0], p->corner[0].e, answer);
    answer->reached = ct_norm(across) / (p->scale * p->scale);
    answer->is_over = answer->distance <= 0.0;
    return;
  }
  /* Discover a portal, then refine it. */
  portal_outcome outcome = complete_first_portal(p, across);
  uint32_t most = options->iterations_max > 0 ? options->iterations_max : CT_MPR_ITERATIONS;
  double tolerance = options->tolerance > 0.0 ? options->tolerance : CT_MPR_TOLERANCE;
  if (outcome == PORTAL_FOUND) outcome = discover_portal(p, most);
  if (outcome == PORTAL_FOUND) outcome = refine_portal(p, tolerance, most, answer);
  report_portal_outcome(outcome, p, answer, result);
}

/* True if the surface point is a smooth function of the normal, and the normals differ at all
 * points. */
static bool is_smooth_proxy(const ct_convex_proxy *proxy) {
  return proxy->kind == CT_PROXY_POINT || proxy->kind == CT_PROXY_ELLIPSOID;
}

static ct_vec3 combine_supports(const ct_vec3 point[3], const portal_answer *answer) {
  ct_vec3 sum = ct_scale(point[0], answer->weight[0]);
  for (int i = 1; i < answer->count; i++) sum = ct_add_scaled(sum, point[i], answer->weight[i]);
  return sum;
}

/* Writes witness points, distance and exact normal. The witness points of smooth bodies are their
 * supports along the normal. */
static void write_mpr_points(portal *p, const portal_answer *answer, ct_mpr_result *result) {
  assert(answer->count == 1 || answer->count == 3);
  /* Combine the supports with the weights of the answer. */
  result->support_count = (uint32_t)answer->count;
  for (int i = 0; i < answer->count; i++) {
    result->support_a[i] = answer->point[i].a;
    result->support_b[i] = answer->point[i].b;
  }
  result->distance = answer->distance;
  result->normal = result->normal_exact = answer->normal;
  result->point_a = combine_supports(result->support_a, answer);
  result->point_b = combine_supports(result->support_b, answer);
  /* Only a plane is known: project the point onto the other body's plane. */
  if (answer->is_plane) {
    result->point_b = ct_add_scaled(result->point_a, answer->normal, answer->distance);
    return;
  }
  /* Smooth bodies: the support along the normal is the witness point. */
  bool smooth_a = is_smooth_proxy(p->a), smooth_b = is_smooth_proxy(p->b),
       is_free = !answer->is_foot && !smooth_a && !smooth_b;
  if (smooth_a || smooth_b) {
    portal_point s = find_portal_support(p, answer->normal);
    result->point_a = smooth_a ? s.a : ct_add_scaled(s.b, answer->normal, -answer->distance);
    result->point_b = smooth_b ? s.b : ct_add_scaled(s.a, answer->normal, answer->distance);
    if (smooth_a && smooth_b) {
      result->distance = answer->distance < 0.0 ? -ct_norm(s.r) : ct_norm(s.r);
      is_free = true;
    }
  }
  /* Unless the two witness points nearly coincide, the line through them defines the normal more
   * accurately than the portal does. This holds for overlapping bodies too. */
  ct_vec3 apart = ct_sub(result->point_b, result->point_a);
  if (is_free && ct_norm(apart) > PORTAL_FLAT * p->scale)
    result->normal_exact =
        ct_unit_or(result->distance < 0.0 ? ct_neg(apart) : apart, answer->normal);
}

static void write_mpr_bounds(const portal *p, const portal_answer *answer, ct_mpr_result *result) {
  double slack = ct_bracket_slack(ct_proxy_scale(p->a, p->b), result->distance);
  double upper = answer->is_over ? 0.0 : ct_min2(p->upper, ct_norm(answer->nearest));
  result->lower_bound = p->lower - slack;
  result->upper_bound = ct_max2(upper, p->lower) + slack;
}

static void solve_two_balls(const ct_convex_proxy *a, const ct_convex_proxy *b, ct_mpr_result *r) {
  ct_vec3 apart = ct_sub(b->center, a->center);
  r->normal = r->normal_exact = ct_unit_or(apart, ct_vec(1.0, 0.0, 0.0));
  r->distance = ct_norm(apart) - a->radius[0] - b->radius[0];
  if (ct_max_abs(apart) == 0.0) {
    r->flags = CT_FLAG_CENTRES_COINCIDE | CT_FLAG_NORMAL_ARBITRARY;
    r->status = CT_PAIR_DEGENERATE;
  }
  r->point_a = ct_add_scaled(a->center, r->normal, a->radius[0]);
  r->point_b = ct_add_scaled(b->center, r->normal, -b->radius[0]);
  double slack = ct_bracket_slack(ct_proxy_scale(a, b), r->distance);
  r->lower_bound = r->distance - slack;
  r->upper_bound = r->distance + slack;
}

static ct_vec3 transform_result_direction(const ct_placed_proxies *pair, ct_vec3 n) {
  ct_vec3 world = ct_unit_or(ct_mat_mul(pair->frame->rotation, n), ct_vec(1.0, 0.0, 0.0));
  return ct_clear_negative_zero(pair->swapped ? ct_neg(world) : world);
}

static void exchange_vectors(ct_vec3 *p, ct_vec3 *q) {
  ct_vec3 first = *p;
  *p = *q;
  *q = first;
}

/* Transforms the result to the world frame, with the bodies in the caller's order. */
static void transform_mpr_result(const ct_placed_proxies *pair, ct_mpr_result *r) {
  r->normal = transform_result_direction(pair, r->normal);
  r->normal_exact = transform_result_direction(pair, r->normal_exact);
  r->point_a = ct_clear_negative_zero(ct_to_parent(*pair->frame, r->point_a));
  r->point_b = ct_clear_negative_zero(ct_to_parent(*pair->frame, r->point_b));
  if (pair->swapped) exchange_vectors(&r->point_a, &r->point_b);
  for (uint32_t i = 0; i < r->support_count; i++) {
    r->support_a[i] = ct_clear_negative_zero(ct_to_parent(*pair->frame, r->support_a[i]));
    r->support_b[i] = ct_clear_negative_zero(ct_to_parent(*pair->frame, r->support_b[i]));
    if (pair->swapped) exchange_vectors(&r->support_a[i], &r->support_b[i]);
  }
}

void ct_pair_mpr(ct_placed a, ct_placed b, const ct_mpr_options *options, ct_mpr_result *result) {
  ct_frame room[2];
  *result = (ct_mpr_result){.status = CT_PAIR_OK};
  if (!ct_placed_prepare_both(&a, &b, room) || !ct_mpr_is_supported(a.shape->kind) ||
      !ct_mpr_is_supported(b.shape->kind)) {
    result->status = CT_PAIR_UNSUPPORTED;
    result->normal = result->normal_exact = ct_vec(1.0, 0.0, 0.0);
    return;
  }
  ct_placed_proxies pair = ct_place_proxies(a, b);
  if (pair.a.kind == CT_PROXY_POINT && pair.b.kind == CT_PROXY_POINT) {
    solve_two_balls(&pair.a, &pair.b, result);
  } else {
    portal p = {.a = &pair.a, .b = &pair.b, .hint = {0, 0}, .lower = -INFINITY, .upper = INFINITY};
    p.inside = ct_sub(find_interior_point(&pair.a), find_interior_point(&pair.b));
    portal_answer answer = {.count = 0};
    solve_mpr(&p, options, &answer, result);
    write_mpr_points(&p, &answer, result);
    write_mpr_bounds(&p, &answer, result);
    result->tolerance_reached = ct_max2(answer.reached, 0.0); /* removes round-off below 0 */
    result->iterations = p.supports;
  }
  transform_mpr_result(&pair, result);
}

static ct_relation classify_mpr_relation(double distance, double tolerance, ct_relation exact) {
  if (distance > tolerance) return CT_SEPARATED;
  if (distance >= -tolerance) return CT_TOUCHING;
  return exact >= CT_PENETRATING ? exact : CT_PENETRATING;
}

void ct_mpr_write_result(const ct_mpr_result *mpr, double tolerance, ct_pair_result *result) {
  result->distance = mpr->distance;
  result->lower_bound = mpr->lower_bound;
  result->upper_bound = mpr->upper_bound;
  result->normal = mpr->normal;
  result->point_a = mpr->point_a;
  result->point_b = mpr->point_b;
  result->status = mpr->status;
  result->flags = mpr->flags;
  result->iterations = mpr->iterations;
  result->relation = classify_mpr_relation(mpr->distance, tolerance, result->relation);
}
