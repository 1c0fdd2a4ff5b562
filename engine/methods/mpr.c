/* Minkowski portal refinement (MPR; Neumayr, Otter 2017): special cases, portal discovery, and the
 * result after refinement (mpr_portal.c). Points and normals are in the frame of the first body in
 * content order until the end. */
#include "methods/mpr_portal.h"
#include "pair/pair_input.h"
#include "pair/placed_proxies.h"
#include "pair/round_off_bound.h"
#include "primitives/primitive_pairs.h"
#include <contact/mpr.h>

#include <assert.h>

bool ct_mpr_is_supported(ct_kind kind) { return ct_kind_is_bounded_convex(kind); }

/* Interior point of a body: its centroid; for a tapered capsule the middle of its axis. */
static ct_vec3 find_interior_point(const ct_convex_proxy *proxy) {
  if (proxy->kind != CT_PROXY_FRUSTUM) return proxy->middle;
  double r = proxy->rim[0], s = proxy->rim[1];
  return ct_add_scaled(proxy->middle, proxy->axis[2],
                       (s - r) * (s + r) / (2.0 * (r * r + r * s + s * s)));
}

static double compute_body_size(const ct_convex_proxy *proxy) {
  return proxy->size + ct_max2(proxy->radius[0], proxy->radius[1]);
}

static void update_portal_scale(ct_portal *p, ct_vec3 r) {
  p->scale = ct_max2(p->scale, ct_max_abs(r));
}

static bool is_flat_product(const ct_portal *p, ct_vec3 product) {
  return ct_norm(product) <= CT_PORTAL_FLAT * p->scale * p->scale;
}

/* Completes the first portal after its first corner; `across` is the cross product of ray and
 * corner. */
static ct_portal_outcome complete_first_portal(ct_portal *p, ct_vec3 across) {
  p->corner[1] = ct_portal_support(p, across);
  update_portal_scale(p, p->corner[1].r);
  ct_vec3 d = ct_sub(p->corner[0].r, p->inside), n = ct_cross(d, ct_sub(p->corner[1].r, p->inside));
  if (is_flat_product(p, n)) {
    p->corner[1] = ct_portal_support(p, ct_neg(p->corner[1].e));
    update_portal_scale(p, p->corner[1].r);
    n = ct_cross(d, ct_sub(p->corner[1].r, p->inside));
    if (is_flat_product(p, n)) return CT_PORTAL_PLANAR;
  }
  if (ct_dot(n, p->inside) > 0.0) {
    n = ct_neg(n);
    ct_portal_point first = p->corner[0];
    p->corner[0] = p->corner[1];
    p->corner[1] = first;
  }
  p->corner[2] = ct_portal_support(p, n);
  update_portal_scale(p, p->corner[2].r);
  if (!ct_portal_is_line(p)) return CT_PORTAL_FOUND;
  ct_portal_flip(p);
  update_portal_scale(p, p->corner[2].r);
  return ct_portal_is_line(p) ? CT_PORTAL_PLANAR : CT_PORTAL_FOUND;
}

/* Rotates the portal around the interior point until the ray pierces it. */
static ct_portal_outcome discover_portal(ct_portal *p, uint32_t limit) {
  for (uint32_t step = 0; step < limit; step++) {
    ct_vec3 third = ct_sub(p->corner[2].r, p->inside);
    ct_vec3 m = ct_cross(ct_sub(p->corner[0].r, p->inside), third);
    if (ct_dot(m, p->inside) < 0.0) {
      p->corner[1] = p->corner[2];
    } else {
      m = ct_cross(third, ct_sub(p->corner[1].r, p->inside));
      if (!(ct_dot(m, p->inside) < 0.0)) return CT_PORTAL_FOUND;
      p->corner[0] = p->corner[2];
    }
    p->corner[2] = ct_portal_support(p, m);
  }
  return CT_PORTAL_LIMIT;
}

/* Writes the result of the best supporting plane so far. */
static void write_bound_result(ct_portal *p, ct_portal_answer *answer) {
  ct_portal_point s = ct_portal_support(p, p->lower_normal);
  ct_portal_single(&s, s.e, answer);
  answer->is_plane = true;
  answer->reached = (ct_min2(p->upper, ct_norm(s.r)) - answer->distance) /
                    ct_max2(p->scale, compute_body_size(p->a) + compute_body_size(p->b));
}

/* Coincident interior points: the least depth along the coordinate axes. */
static void write_coincident_result(ct_portal *p, ct_portal_answer *answer) {
  for (int i = 0; i < 6; i++) {
    double s = i & 1 ? -1.0 : 1.0;
    ct_portal_support(p, ct_vec(i < 2 ? s : 0.0, i / 2 == 1 ? s : 0.0, i > 3 ? s : 0.0));
  }
  write_bound_result(p, answer);
  answer->is_over = true;
}

static void report_portal_outcome(ct_portal_outcome outcome, ct_portal *p, ct_portal_answer *answer,
                                  ct_mpr_result *result) {
  if (outcome == CT_PORTAL_FOUND) return;
  result->status = outcome == CT_PORTAL_LIMIT ? CT_PAIR_ITERATION_LIMIT : CT_PAIR_DEGENERATE;
  if (answer->count == 0) {
    result->flags |= CT_FLAG_PLANAR_MINKOWSKI;
    write_bound_result(p, answer);
  } else {
    result->flags |= CT_FLAG_TOLERANCE_RAISED;
  }
}

static void solve_mpr(ct_portal *p, const ct_mpr_options *options, ct_portal_answer *answer,
                      ct_mpr_result *result) {
  /* Coincident interior points define no ray. */
  double size = compute_body_size(p->a) + compute_body_size(p->b);
  answer->count = 0;
  if (ct_norm(p->inside) <= CT_PORTAL_FLAT * size) {
    result->flags |= CT_FLAG_CENTRES_COINCIDE;
    result->status = CT_PAIR_DEGENERATE;
    write_coincident_result(p, answer);
    return;
  }
  /* First support along the ray; done if it is on the ray. */
  ct_vec3 ray = ct_neg(p->inside);
  p->corner[0] = ct_portal_support(p, ray);
  update_portal_scale(p, p->inside);
  update_portal_scale(p, p->corner[0].r);
  ct_vec3 across = ct_cross(ray, p->corner[0].r);
  if (is_flat_product(p, across)) {
    ct_portal_single(&p->corner[0], p->corner[0].e, answer);
    answer->reached = ct_norm(across) / (p->scale * p->scale);
    answer->is_over = answer->distance <= 0.0;
    return;
  }
  /* Portal discovery, then refinement. */
  ct_portal_outcome outcome = complete_first_portal(p, across);
  uint32_t most = options->iterations_max > 0 ? options->iterations_max : CT_MPR_ITERATIONS;
  double tolerance = options->tolerance > 0.0 ? options->tolerance : CT_MPR_TOLERANCE;
  if (outcome == CT_PORTAL_FOUND) outcome = discover_portal(p, most);
  if (outcome == CT_PORTAL_FOUND) outcome = ct_portal_refine(p, tolerance, most, answer);
  report_portal_outcome(outcome, p, answer, result);
}

/* True if the surface point is a smooth function of the normal, with a different normal at every
 * point. */
static bool is_smooth_proxy(const ct_convex_proxy *proxy) {
  return proxy->kind == CT_PROXY_POINT || proxy->kind == CT_PROXY_ELLIPSOID;
}

static ct_vec3 combine_supports(const ct_vec3 point[3], const ct_portal_answer *answer) {
  ct_vec3 sum = ct_scale(point[0], answer->weight[0]);
  for (int i = 1; i < answer->count; i++) sum = ct_add_scaled(sum, point[i], answer->weight[i]);
  return sum;
}

/* Writes points, distance and exact normal. The points of smooth bodies are their supports along
 * the normal. */
static void write_mpr_points(ct_portal *p, const ct_portal_answer *answer, ct_mpr_result *result) {
  assert(answer->count == 1 || answer->count == 3);
  /* Combine the supports by the weights of the result. */
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
  /* Smooth bodies: their support along the normal is the witness point. */
  bool smooth_a = is_smooth_proxy(p->a), smooth_b = is_smooth_proxy(p->b),
       is_free = !answer->is_foot && !smooth_a && !smooth_b;
  if (smooth_a || smooth_b) {
    ct_portal_point s = ct_portal_support(p, answer->normal);
    result->point_a = smooth_a ? s.a : ct_add_scaled(s.b, answer->normal, -answer->distance);
    result->point_b = smooth_b ? s.b : ct_add_scaled(s.a, answer->normal, answer->distance);
    if (smooth_a && smooth_b) {
      result->distance = answer->distance < 0.0 ? -ct_norm(s.r) : ct_norm(s.r);
      is_free = true;
    }
  }
  /* The points define the normal more exactly than the portal, if they are apart. */
  ct_vec3 apart = ct_sub(result->point_b, result->point_a);
  if (is_free && ct_norm(apart) > CT_PORTAL_FLAT * p->scale)
    result->normal_exact =
        ct_unit_or(result->distance < 0.0 ? ct_neg(apart) : apart, answer->normal);
}

static void write_mpr_bounds(const ct_portal *p, const ct_portal_answer *answer,
                             ct_mpr_result *result) {
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

/* Transforms the result to the world frame and the caller's order. */
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
    ct_portal portal = {
        .a = &pair.a, .b = &pair.b, .hint = {0, 0}, .lower = -INFINITY, .upper = INFINITY};
    portal.inside = ct_sub(find_interior_point(&pair.a), find_interior_point(&pair.b));
    ct_portal_answer answer = {.count = 0};
    solve_mpr(&portal, options, &answer, result);
    write_mpr_points(&portal, &answer, result);
    write_mpr_bounds(&portal, &answer, result);
    result->tolerance_reached = ct_max2(answer.reached, 0.0); /* clears round-off below 0 */
    result->iterations = portal.supports;
  }
  transform_mpr_result(&pair, result);
}

static ct_relation classify_mpr_relation(double distance, double tolerance, ct_relation exact) {
  if (distance > tolerance) return CT_SEPARATED;
  if (distance >= -tolerance) return CT_TOUCHING;
  return exact >= CT_PENETRATING ? exact : CT_PENETRATING;
}

void ct_mpr_write_result(const ct_mpr_result *portal, double tolerance, ct_pair_result *result) {
  result->distance = portal->distance;
  result->lower_bound = portal->lower_bound;
  result->upper_bound = portal->upper_bound;
  result->normal = portal->normal;
  result->point_a = portal->point_a;
  result->point_b = portal->point_b;
  result->status = portal->status;
  result->flags = portal->flags;
  result->iterations = portal->iterations;
  result->relation = classify_mpr_relation(portal->distance, tolerance, result->relation);
}
