/* Distance of any two convex bodies: GJK for separated cores; otherwise the depth by a scan that
 * suits the kinds, or by EPA; then witness points.
 *
 * Depth: two boxes by separating axes, a point or segment in a hull by a scan over planes, a
 * tapered capsule and a polytope by pairs of features, all others by EPA. Pairs with curved cores
 * are in curved/curved.h. */
#include "convex/plane_scans.h"
#include "curved/curved.h"
#include "pair/workspace.h"
#include "primitives/box_box.h"

#include <assert.h>

/* Distances (in units of the pair's size) by which b is pushed out along the normal before GJK is
 * rerun for witness points. For a step s, in these units, the witness error is at most sqrt(16 u
 * s). */
static const double push_out_steps[] = {1.0, 0x1p-20, 0x1p-36, 0x1p-10, 0x1p-28};
/* Witness points are accepted if they are at most this fraction of ct_roundoff away from the line
 * of the normal. */
#define POINT_FRACTION 0.25

static bool is_tapered_cell(const ct_cell_input *in) {
  return ct_proxy_is_tapered(&in->a) || ct_proxy_is_tapered(&in->b);
}

/* Sum of the radii to be subtracted from a distance of the cores; 0 for tapered pairs, whose
 * supports include the radii. */
static double sum_core_radii(const ct_cell_input *in) {
  return is_tapered_cell(in) ? 0.0 : in->a.radius[0] + in->b.radius[0];
}

/* Writes the witness points of the bodies: the points of the cores, moved along the normal by the
 * radii. */
static void write_witness_points(ct_cell_result *result, const ct_proxy_points *p) {
  result->radius_a = p->radius_a;
  result->radius_b = p->radius_b;
  result->point_a = ct_add_scaled(p->a, result->normal, p->radius_a);
  result->point_b = ct_add_scaled(p->b, result->normal, -p->radius_b);
}

/* Distance between the given witness points and points that would be opposite each other along the
 * normal, at the known distance. */
static double compute_witness_error(const ct_cell_result *result, const ct_proxy_points *p) {
  double apart = result->distance + p->radius_a + p->radius_b;
  return ct_norm(ct_add_scaled(ct_sub(p->b, p->a), result->normal, -apart));
}

/* Largest accepted witness error. */
static double compute_allowed_error(const ct_cell_input *in) {
  return POINT_FRACTION * ct_roundoff(&in->a, &in->b, 0.0);
}

/* Writes the result of a GJK run that ended separated. */
static void write_separated_result(const ct_cell_input *in, const ct_gjk *g,
                                   ct_cell_result *result) {
  double rest = sum_core_radii(in);
  ct_proxy_points p = ct_gjk_points(g);
  result->normal = g->simplex.normal;
  result->distance = g->simplex.value - rest;
  result->lower = g->lower - rest;
  write_witness_points(result, &p);
  result->upper = ct_norm(ct_sub(p.b, p.a)) - p.radius_a - p.radius_b;
}

/* Writes an early-out result: the lower bound as distance, its normal, and the support points along
 * it. */
static void write_early_out_result(const ct_cell_input *in, const ct_gjk *g,
                                   ct_cell_result *result) {
  uint32_t hint[2] = {result->hint_a, result->hint_b};
  ct_minkowski_vertex m = ct_minkowski_support(&in->a, &in->b, g->lower_normal, hint);
  result->normal = g->lower_normal;
  result->distance = result->lower = g->lower - sum_core_radii(in);
  result->point_a = ct_add_scaled(m.a, result->normal, ct_proxy_vertex_radius(&in->a, m.index_a));
  result->point_b = ct_add_scaled(m.b, result->normal, -ct_proxy_vertex_radius(&in->b, m.index_b));
  result->upper = ct_norm(ct_sub(result->point_b, result->point_a));
}

/* Sets the witness points to a point (or an end of a segment) and its projection onto a polytope's
 * surface along the normal. Returns false for other kinds, or if the projection is outside the
 * polytope without its rounding radius. Fallback for hulls with thousands of nearly equal faces. */
static bool find_foot_in_polytope(const ct_cell_input *in, ct_cell_result *result) {
  bool first = in->a.kind == CT_PROXY_POINT || in->a.kind == CT_PROXY_SEGMENT;
  const ct_convex_proxy *thin = first ? &in->a : &in->b, *polytope = first ? &in->b : &in->a;
  if (thin->kind != CT_PROXY_POINT && thin->kind != CT_PROXY_SEGMENT) return false;
  ct_vec3 toward = first ? result->normal : ct_neg(result->normal);
  uint32_t end = ct_proxy_support(thin, toward, 0);
  double radius = ct_proxy_vertex_radius(thin, end), rounding = polytope->radius[0];
  ct_vec3 center = ct_proxy_vertex(thin, end);
  ct_vec3 foot = ct_add_scaled(center, toward, result->distance + radius + rounding);
  ct_convex_proxy point = {.kind = CT_PROXY_POINT, .center = foot, .middle = foot},
                  bare = *polytope;
  bare.radius[0] = bare.radius[1] = 0.0;
  if (!ct_proxy_contains(&bare, &point, toward, NULL)) return false;
  write_witness_points(result, first ? &(ct_proxy_points){center, foot, radius, rounding}
                                     : &(ct_proxy_points){foot, center, rounding, radius});
  return true;
}

/* Finds witness points for a known normal and depth: b is pushed out along the normal until the
 * cores are slightly separated, and GJK finds the closest points there. After a large step GJK
 * converges fast, but small features leave its normal undetermined by an angle that shifts the
 * points in proportion to the step. Smaller steps follow until the points are opposite each other.
 * False: the witness error exceeds round-off. */
static bool find_witness_points(const ct_cell_input *in, ct_cell_result *result) {
  double scale = ct_proxy_scale(&in->a, &in->b), allowed = compute_allowed_error(in),
         least = INFINITY;
  uint32_t hint[2] = {0, 0};
  ct_minkowski_vertex m = ct_minkowski_support(&in->a, &in->b, result->normal, hint);
  ct_proxy_points p = {m.a, m.b, ct_proxy_vertex_radius(&in->a, m.index_a),
                       ct_proxy_vertex_radius(&in->b, m.index_b)};
  write_witness_points(result, &p);
  for (size_t step = 0; step < sizeof push_out_steps / sizeof push_out_steps[0] && least > allowed;
       step++) {
    double out = push_out_steps[step] * scale - (result->distance + sum_core_radii(in));
    ct_convex_proxy moved = ct_proxy_translated(&in->b, ct_scale(result->normal, out));
    ct_gjk g = {.a = &in->a,
                .b = &moved,
                .threshold = INFINITY,
                .enough = -INFINITY,
                .first = result->normal};
    if (ct_gjk_run(&g) == CT_GJK_INSIDE) continue;
    result->iterations += g.supports;
    p = ct_gjk_points(&g);
    p.b = ct_add_scaled(p.b, result->normal, -out);
    double defect = compute_witness_error(result, &p);
    if (defect >= least) continue;
    least = defect;
    write_witness_points(result, &p);
  }
  return least <= ct_roundoff(&in->a, &in->b, 0.0) || find_foot_in_polytope(in, result);
}

static void compute_tapered_depth(const ct_cell_input *in, ct_cell_result *result) {
  assert(is_tapered_cell(in));
  bool flip = in->a.kind == CT_PROXY_SEGMENT;
  const ct_convex_proxy *segment = flip ? &in->a : &in->b, *polytope = flip ? &in->b : &in->a;
  ct_tangent t =
      ct_polytope_capsule_separation(polytope, segment, ct_workspace_cancel(in->workspace));
  result->normal = flip ? ct_neg(t.normal) : t.normal;
  double rounding = polytope->radius[0];
  result->distance = result->lower = t.value - rounding;
  result->upper = t.first_value - rounding; /* the greatest candidate is the distance */
  if (t.cancelled) {
    result->upper = ct_minkowski_size(polytope, segment);
    result->status = CT_PAIR_ITERATION_LIMIT;
  }
  if (t.several) result->flags |= CT_FLAG_NORMAL_ARBITRARY;
  bool found = find_witness_points(in, result);
  if (!found && t.several) {
    /* The normal selected among ties has no contact points: use the normal of the greatest
     * value. */
    result->normal = flip ? ct_neg(t.first_normal) : t.first_normal;
    result->distance = result->lower = t.first_value - rounding;
    found = find_witness_points(in, result);
  }
  if (!found && !t.cancelled) result->status = CT_PAIR_DEGENERATE;
}

/* Computes the depth of two boxes by separating axes, or of a point or segment in a hull by the
 * hull's planes. Returns false for other kinds, or if the hull's planes do not bound it. */
static bool scan_depth(const ct_cell_input *in, ct_epa_result *depth) {
  ct_proxy_kind a = in->a.kind, b = in->b.kind;
  if (a == CT_PROXY_BOX && b == CT_PROXY_BOX) {
    ct_box_box_depth(&in->a, &in->b, depth);
    return true;
  }
  bool thin = a == CT_PROXY_POINT || a == CT_PROXY_SEGMENT;
  return thin && b == CT_PROXY_HULL &&
         ct_hull_segment_depth(&in->a, &in->b, ct_workspace_cancel(in->workspace), depth);
}

/* Computes the depth of cores that overlap or nearly touch; the same arithmetic distinguishes a
 * tiny gap from a tiny depth. Returns true if EPA ran. */
static bool compute_overlap_depth(const ct_cell_input *in, const ct_gjk *g,
                                  ct_cell_result *result) {
  assert(!is_tapered_cell(in));
  /* Depth by the scan of the kinds, or by EPA. */
  ct_epa_result depth;
  bool used_epa = in->iterative_only || !scan_depth(in, &depth);
  if (used_epa) ct_epa_run(ct_workspace_epa(in->workspace), &in->a, &in->b, &g->simplex, &depth);
  double rest = sum_core_radii(in);
  result->normal = depth.normal;
  result->distance = -depth.depth - rest;
  result->upper = -depth.least - rest;
  result->status = depth.status;
  result->iterations += depth.supports;
  /* The two sides of a flat Minkowski difference are equally deep; only queries by GJK and EPA
   * alone pass points and segments to EPA. */
  bool flat = in->iterative_only && depth.status == CT_PAIR_OK && !depth.on_face && used_epa;
  if (depth.several || flat) result->flags |= CT_FLAG_NORMAL_ARBITRARY;
  /* Witness points: the projection of a point, the points of the EPA face, or GJK on separated
   * copies. */
  bool found = in->a.kind == CT_PROXY_POINT && !used_epa && depth.depth >= 0.0;
  if (found) {
    /* A point inside: its foot on the nearest face. */
    ct_vec3 foot = ct_add_scaled(in->a.center, result->normal, -depth.depth);
    write_witness_points(result,
                         &(ct_proxy_points){in->a.center, foot, in->a.radius[0], in->b.radius[0]});
  } else if (used_epa && depth.on_face &&
             compute_witness_error(result, &depth.points) <= compute_allowed_error(in)) {
    found = true;
    write_witness_points(result, &depth.points);
    result->hint_a = depth.hint[0];
    result->hint_b = depth.hint[1];
  } else {
    found = find_witness_points(in, result);
  }
  if (!found && depth.several) {
    /* The direction selected among ties has no contact points: use the direction of least depth. */
    result->normal = depth.first_normal;
    result->distance = -depth.first_depth - rest;
    found = find_witness_points(in, result);
  }
  result->lower = result->distance;
  if (!found && result->status == CT_PAIR_OK) result->status = CT_PAIR_DEGENERATE;
  return used_epa;
}

/* Computes the signed distance of two convex bodies, rounding radii included: GJK on the cores,
 * then the depth by face or axis tests, tapered-capsule search or EPA. Returns true if EPA ran; its
 * polytope is then in the workspace. */
static bool solve_convex_pair(const ct_cell_input *in, ct_gjk *g, ct_cell_result *result) {
  g->a = &in->a;
  g->b = &in->b;
  g->threshold = in->threshold + sum_core_radii(in);
  g->enough = -INFINITY;
  g->first = ct_vec(0.0, 0.0, 0.0);
  /* GJK first; its outcome selects the method for the depth. */
  ct_gjk_outcome outcome = ct_gjk_run(g);
  bool used_epa = false;
  result->iterations = g->supports;
  result->hint_a = g->simplex.vertex[0].index_a;
  result->hint_b = g->simplex.vertex[0].index_b;
  if (outcome == CT_GJK_BEYOND) {
    write_early_out_result(in, g, result);
  } else if (outcome == CT_GJK_SEPARATED) {
    write_separated_result(in, g, result);
  } else if (is_tapered_cell(in)) {
    compute_tapered_depth(in, result);
  } else if (outcome == CT_GJK_STALLED) {
    write_separated_result(in, g, result);
    result->status = CT_PAIR_DEGENERATE;
  } else {
    used_epa = compute_overlap_depth(in, g, result);
  }
  result->lower = ct_min2(result->lower, result->distance);
  result->upper = ct_max2(result->upper, result->distance);
  return used_epa;
}

void ct_cell_convex_convex(const ct_cell_input *in, ct_cell_result *result) {
  if (ct_proxies_are_curved(&in->a, &in->b)) {
    ct_curved_distance(in, result);
    return;
  }
  ct_gjk g;
  solve_convex_pair(in, &g, result);
}

/* Interpolates between two core points whose distance is at most the sum of their radii: returns a
 * point inside both balls. */
static ct_vec3 interpolate_common_point(ct_proxy_points p) {
  double sum = p.radius_a + p.radius_b;
  return ct_lerp(p.a, p.b, sum > 0.0 ? p.radius_a / sum : 0.5);
}

ct_vec3 ct_convex_common_point(const ct_cell_input *in, const ct_cell_result *r) {
  if (ct_proxies_are_curved(&in->a, &in->b)) return ct_curved_common_point(in);
  double apart = r->distance + r->radius_a + r->radius_b;
  if (apart >= -ct_roundoff(&in->a, &in->b, 0.0)) {
    ct_proxy_points p = {ct_add_scaled(r->point_a, r->normal, -r->radius_a),
                         ct_add_scaled(r->point_b, r->normal, r->radius_b), r->radius_a,
                         r->radius_b};
    return interpolate_common_point(p);
  }
  /* The cores without radii overlap: combine the simplex vertices with the weights of the
   * origin. */
  ct_convex_proxy a = in->a, b = in->b;
  a.radius[0] = a.radius[1] = b.radius[0] = b.radius[1] = 0.0;
  ct_gjk g = {.a = &a, .b = &b, .threshold = INFINITY, .enough = -INFINITY};
  ct_gjk_run(&g);
  return interpolate_common_point(ct_gjk_nearest(&g));
}

/* Finds a common point after a full query: from the EPA polytope if it contains the origin by exact
 * signs, else as ct_convex_common_point. */
static ct_vec3 find_common_point_after(const ct_cell_input *in, bool used_epa,
                                       const ct_cell_result *full) {
  ct_minkowski_vertex vertex[4];
  double weights[4];
  if (!used_epa || !ct_epa_origin(ct_workspace_epa(in->workspace), vertex, weights))
    return ct_convex_common_point(in, full);
  ct_vec3 sum = {0.0, 0.0, 0.0};
  for (int i = 0; i < 4; i++)
    sum = ct_add_scaled(sum, ct_lerp(vertex[i].a, vertex[i].b, 0.5), weights[i]);
  return sum;
}

bool ct_convex_overlap(const ct_cell_input *in, ct_vec3 *common) {
  if (ct_proxies_are_curved(&in->a, &in->b)) return ct_curved_overlap(in, common);
  double rest = sum_core_radii(in), roundoff = 2.0 * ct_roundoff(&in->a, &in->b, rest);
  ct_gjk g = {.a = &in->a, .b = &in->b, .threshold = rest + roundoff, .enough = rest - roundoff};
  ct_gjk_outcome outcome = ct_gjk_run(&g);
  if (outcome == CT_GJK_BEYOND) return false;
  if (outcome == CT_GJK_WITHIN && !(is_tapered_cell(in) && common)) {
    if (common) *common = interpolate_common_point(ct_gjk_nearest(&g));
    return true;
  }
  ct_cell_result full = {.status = CT_PAIR_OK};
  bool used_epa = solve_convex_pair(in, &g, &full);
  if (full.distance > 0.0) return false;
  if (common) *common = find_common_point_after(in, used_epa, &full);
  return true;
}
