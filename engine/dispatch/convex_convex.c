/* Any two cores: distance by descent; depth by the scan that fits the kinds, or by the growing polytope where both have many faces;
 * the points. */
#include "convex/enclosed_depth.h"
#include "convex/polytope_tapered_capsule.h"
#include "curved/curved.h"
#include "pair/workspace.h"
#include "primitives/box_cells.h"

/* Ways that b is moved out by to find points, in scales. Of a way s the points may be off by sqrt(16 u s) at worst. */
static const double ways[] = {1.0, 0x1p-20, 0x1p-36, 0x1p-10, 0x1p-28};
/* Points are good enough when they miss the line of the normal by this part of the round-off of the contract. */
#define POINT_FRACTION 0.25

static bool tapered(const ct_cell_input *in) { return ct_proxy_is_tapered(&in->a) || ct_proxy_is_tapered(&in->b); }

/* What is still to be taken off the distance of the cores. */
static double radii(const ct_cell_input *in) { return tapered(in) ? 0.0 : in->a.radius[0] + in->b.radius[0]; }

/* Points of the bodies over those of their cores, along the normal. */
static void set_points(ct_cell_result *result, const ct_proxy_points *p) {
  result->radius_a = p->radius_a;
  result->radius_b = p->radius_b;
  result->point_a = ct_add_scaled(p->a, result->normal, p->radius_a);
  result->point_b = ct_add_scaled(p->b, result->normal, -p->radius_b);
}

/* By how much points miss the line of the normal, at the distance that is known. */
static double defect_of(const ct_cell_result *result, const ct_proxy_points *p) {
  double apart = result->distance + p->radius_a + p->radius_b;
  return ct_norm(ct_add_scaled(ct_sub(p->b, p->a), result->normal, -apart));
}

/* What it may be for good points. */
static double allowed_defect(const ct_cell_input *in) { return POINT_FRACTION * ct_roundoff(&in->a, &in->b, 0.0); }

/* The answer of a descent that ended apart. */
static void answer_apart(const ct_cell_input *in, const ct_gjk *g, ct_cell_result *result) {
  double rest = radii(in);
  ct_proxy_points p = ct_gjk_points(g);
  result->normal = g->simplex.normal;
  result->distance = g->simplex.value - rest;
  result->lower = g->lower - rest;
  set_points(result, &p);
  result->upper = ct_norm(ct_sub(p.b, p.a)) - p.radius_a - p.radius_b;
}

/* Farther than asked: the bound and the direction that shows it; the points are the supports along it. */
static void answer_beyond(const ct_cell_input *in, const ct_gjk *g, ct_cell_result *result) {
  uint32_t near[2] = {result->near_a, result->near_b};
  ct_minkowski_vertex m = ct_minkowski_support(&in->a, &in->b, g->lower_normal, near);
  result->normal = g->lower_normal;
  result->distance = result->lower = g->lower - radii(in);
  result->point_a = ct_add_scaled(m.a, result->normal, ct_proxy_vertex_radius(&in->a, m.index_a));
  result->point_b = ct_add_scaled(m.b, result->normal, -ct_proxy_vertex_radius(&in->b, m.index_b));
  result->upper = ct_norm(ct_sub(result->point_b, result->point_a));
}

/* A point or an end of a segment may stand over the middle of a face of which there are thousands alike: its foot there, if the
 * polytope, bare of its rounding, holds it. */
static bool find_foot(const ct_cell_input *in, ct_cell_result *result) {
  bool first = in->a.kind == CT_PROXY_POINT || in->a.kind == CT_PROXY_SEGMENT;
  const ct_convex_proxy *thin = first ? &in->a : &in->b, *polytope = first ? &in->b : &in->a;
  if (thin->kind != CT_PROXY_POINT && thin->kind != CT_PROXY_SEGMENT) return false;
  ct_vec3 toward = first ? result->normal : ct_neg(result->normal);
  uint32_t end = ct_proxy_support(thin, toward, 0);
  double radius = ct_proxy_vertex_radius(thin, end), rounding = polytope->radius[0];
  ct_vec3 center = ct_proxy_vertex(thin, end);
  ct_vec3 foot = ct_add_scaled(center, toward, result->distance + radius + rounding);
  ct_convex_proxy point = {.kind = CT_PROXY_POINT, .center = foot, .middle = foot}, bare = *polytope;
  bare.radius[0] = bare.radius[1] = 0.0;
  if (!ct_proxy_contains(&bare, &point, toward, NULL)) return false;
  set_points(result,
             first ? &(ct_proxy_points){center, foot, radius, rounding} : &(ct_proxy_points){foot, center, rounding, radius});
  return true;
}

/* Points for a known normal and depth: with b moved out along the normal until the cores are a little apart, the closest points
 * are the touching ones. Far apart the descent is quick; but round-off leaves the normal of small features open, by an angle that
 * shifts the points in proportion to the way out, so smaller ways follow until the points lie one above the other. */
static bool find_points(const ct_cell_input *in, ct_cell_result *result) {
  double scale = ct_proxy_scale(&in->a, &in->b), allowed = allowed_defect(in), least = INFINITY;
  uint32_t near[2] = {0, 0};
  ct_minkowski_vertex m = ct_minkowski_support(&in->a, &in->b, result->normal, near);
  ct_proxy_points p = {m.a, m.b, ct_proxy_vertex_radius(&in->a, m.index_a), ct_proxy_vertex_radius(&in->b, m.index_b)};
  set_points(result, &p);
  for (size_t round = 0; round < sizeof ways / sizeof ways[0] && least > allowed; round++) {
    double out = ways[round] * scale - (result->distance + radii(in));
    ct_convex_proxy moved = ct_proxy_translated(&in->b, ct_scale(result->normal, out));
    ct_gjk g = {.a = &in->a, .b = &moved, .threshold = INFINITY, .enough = -INFINITY, .first = result->normal};
    if (ct_gjk_run(&g) == CT_GJK_INSIDE) continue;
    result->iterations += g.supports;
    p = ct_gjk_points(&g);
    p.b = ct_add_scaled(p.b, result->normal, -out);
    double defect = defect_of(result, &p);
    if (defect >= least) continue;
    least = defect;
    set_points(result, &p);
  }
  return least <= ct_roundoff(&in->a, &in->b, 0.0) || find_foot(in, result);
}

static void answer_tapered(const ct_cell_input *in, ct_cell_result *result) {
  bool flip = in->a.kind == CT_PROXY_SEGMENT;
  const ct_convex_proxy *segment = flip ? &in->a : &in->b, *polytope = flip ? &in->b : &in->a;
  ct_tangent t = ct_polytope_capsule_separation(polytope, segment, ct_workspace_cancel(in->workspace));
  result->normal = flip ? ct_neg(t.normal) : t.normal;
  double rounding = polytope->radius[0];
  result->distance = result->lower = t.value - rounding;
  result->upper = t.most - rounding; /* the optimum is among the normals tried */
  if (t.cut) {
    result->upper = ct_minkowski_size(polytope, segment);
    result->status = CT_PAIR_ITERATION_LIMIT;
  }
  if (t.several) result->flags |= CT_FLAG_NORMAL_ARBITRARY;
  bool found = find_points(in, result);
  if (!found && t.several) {
    /* As good to round-off, but not where the bodies meet after all. */
    result->normal = flip ? ct_neg(t.first_normal) : t.first_normal;
    result->distance = result->lower = t.most - rounding;
    found = find_points(in, result);
  }
  if (!found && !t.cut) result->status = CT_PAIR_DEGENERATE;
}

/* Depth by the axes of two boxes or by the planes of a hull around a point or segment; false where the pair has neither. */
static bool scanned_depth(const ct_cell_input *in, ct_epa_result *depth) {
  ct_proxy_kind a = in->a.kind, b = in->b.kind;
  if (a == CT_PROXY_BOX && b == CT_PROXY_BOX) {
    ct_box_box_depth(&in->a, &in->b, depth);
    return true;
  }
  bool thin = a == CT_PROXY_POINT || a == CT_PROXY_SEGMENT;
  return thin && b == CT_PROXY_HULL && ct_hull_segment_depth(&in->a, &in->b, ct_workspace_cancel(in->workspace), depth);
}

/* Cores that meet, or nearly: one arithmetic decides between a tiny gap and a tiny depth. True when the polytope was grown. */
static bool answer_inside(const ct_cell_input *in, const ct_gjk *g, ct_cell_result *result) {
  ct_epa_result depth;
  bool grown = in->general || !scanned_depth(in, &depth);
  if (grown) ct_epa_run(&in->workspace->epa, &in->a, &in->b, &g->simplex, &depth);
  double rest = radii(in);
  result->normal = depth.normal;
  result->distance = -depth.depth - rest;
  result->upper = -depth.least - rest;
  result->status = depth.status;
  result->iterations += depth.supports;
  /* Of a flat difference both sides are as near; general questions alone come here with points and segments. */
  bool flat = in->general && depth.status == CT_PAIR_OK && !depth.on_face && grown;
  if (depth.several || flat) result->flags |= CT_FLAG_NORMAL_ARBITRARY;
  bool found = in->a.kind == CT_PROXY_POINT && !grown && depth.depth >= 0.0;
  if (found) {
    /* Of a point within, the foot on the nearest face. */
    ct_vec3 foot = ct_add_scaled(in->a.center, result->normal, -depth.depth);
    set_points(result, &(ct_proxy_points){in->a.center, foot, in->a.radius[0], in->b.radius[0]});
  } else if (grown && depth.on_face && defect_of(result, &depth.points) <= allowed_defect(in)) {
    found = true;
    set_points(result, &depth.points);
    result->near_a = depth.near[0];
    result->near_b = depth.near[1];
  } else {
    found = find_points(in, result);
  }
  if (!found && depth.several) {
    /* As deep to round-off, but not the nearest way out after all. */
    result->normal = depth.first_normal;
    result->distance = -depth.first_depth - rest;
    found = find_points(in, result);
  }
  result->lower = result->distance;
  if (!found && result->status == CT_PAIR_OK) result->status = CT_PAIR_DEGENERATE;
  return grown;
}

/* The answer; true when it comes from the growing polytope, which is then in the workspace. */
static bool solve(const ct_cell_input *in, ct_gjk *g, ct_cell_result *result) {
  g->a = &in->a;
  g->b = &in->b;
  g->threshold = in->threshold + radii(in);
  g->enough = -INFINITY;
  g->first = ct_vec(0.0, 0.0, 0.0);
  ct_gjk_outcome outcome = ct_gjk_run(g);
  bool grown = false;
  result->iterations = g->supports;
  result->near_a = g->simplex.vertex[0].index_a;
  result->near_b = g->simplex.vertex[0].index_b;
  if (outcome == CT_GJK_BEYOND) {
    answer_beyond(in, g, result);
  } else if (outcome == CT_GJK_SEPARATED) {
    answer_apart(in, g, result);
  } else if (tapered(in)) {
    answer_tapered(in, result);
  } else if (outcome == CT_GJK_STALLED) {
    answer_apart(in, g, result);
    result->status = CT_PAIR_DEGENERATE;
  } else {
    grown = answer_inside(in, g, result);
  }
  result->lower = ct_min2(result->lower, result->distance);
  result->upper = ct_max2(result->upper, result->distance);
  return grown;
}

void ct_cell_convex_convex(const ct_cell_input *in, ct_cell_result *result) {
  if (ct_proxies_are_curved(&in->a, &in->b)) {
    ct_curved_distance(in, result);
    return;
  }
  ct_gjk g;
  solve(in, &g, result);
}

/* Between points of two cores that are not farther apart than their radii reach: a point within reach of both. */
static ct_vec3 between(ct_proxy_points p) {
  double sum = p.radius_a + p.radius_b;
  return ct_lerp(p.a, p.b, sum > 0.0 ? p.radius_a / sum : 0.5);
}

ct_vec3 ct_convex_common_point(const ct_cell_input *in, const ct_cell_result *r) {
  if (ct_proxies_are_curved(&in->a, &in->b)) return ct_curved_common_point(in);
  double apart = r->distance + r->radius_a + r->radius_b;
  if (apart >= -ct_roundoff(&in->a, &in->b, 0.0)) {
    ct_proxy_points p = {ct_add_scaled(r->point_a, r->normal, -r->radius_a), ct_add_scaled(r->point_b, r->normal, r->radius_b),
                         r->radius_a, r->radius_b};
    return between(p);
  }
  /* The bare cores overlap: the point is the origin's combination in a simplex of their difference. */
  ct_convex_proxy a = in->a, b = in->b;
  a.radius[0] = a.radius[1] = b.radius[0] = b.radius[1] = 0.0;
  ct_gjk g = {.a = &a, .b = &b, .threshold = INFINITY, .enough = -INFINITY};
  ct_gjk_run(&g);
  return between(ct_gjk_nearest(&g));
}

/* The same where the growing polytope may just have answered: it holds the origin, by exact signs. */
static ct_vec3 common_after(const ct_cell_input *in, bool grown, const ct_cell_result *full) {
  ct_minkowski_vertex vertex[4];
  double weights[4];
  if (!grown || !ct_epa_origin(&in->workspace->epa, vertex, weights)) return ct_convex_common_point(in, full);
  ct_vec3 sum = {0.0, 0.0, 0.0};
  for (int i = 0; i < 4; i++) sum = ct_add_scaled(sum, ct_lerp(vertex[i].a, vertex[i].b, 0.5), weights[i]);
  return sum;
}

bool ct_convex_overlap(const ct_cell_input *in, ct_vec3 *common) {
  if (ct_proxies_are_curved(&in->a, &in->b)) return ct_curved_overlap(in, common);
  double rest = radii(in), roundoff = 2.0 * ct_roundoff(&in->a, &in->b, rest);
  ct_gjk g = {.a = &in->a, .b = &in->b, .threshold = rest + roundoff, .enough = rest - roundoff};
  ct_gjk_outcome outcome = ct_gjk_run(&g);
  if (outcome == CT_GJK_BEYOND) return false;
  if (outcome == CT_GJK_WITHIN && !(tapered(in) && common)) {
    if (common) *common = between(ct_gjk_nearest(&g));
    return true;
  }
  ct_cell_result full = {.status = CT_PAIR_OK};
  bool grown = solve(in, &g, &full);
  if (full.distance > 0.0) return false;
  if (common) *common = common_after(in, grown, &full);
  return true;
}
