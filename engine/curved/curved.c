/* Distance, depth and overlap of curved pairs: runs GJK, Newton's method, EPA and the ring search,
 * and combines their bounds into one bracket. Theory: curved/README.md. */
#include "curved/curved.h"

#include "convex/epa.h"

#include <assert.h>

/* Largest number of GJK iterations. */
#define GJK_ITERATIONS_MAX 128
/* GJK counts as stalled after this many iterations without a decrease of the value. */
#define IDLE_ITERATIONS_MAX 6
/* Differences of GJK's bounds, relative to the size, at which GJK is interrupted to refine its
 * normal. The next one is used only if the refinement did not close the bracket. */
static const double refine_widths[] = {0x1p-10, 0x1p-20, 0x1p-32, 0x1p-44, 0.0};
/* Newton's method also tries the kinks whose normals are within this angle of the start normal,
 * rad. */
#define FEATURE_ANGLE 0.25
/* Difference of a depth's bounds, relative to the size, at which the search ends: in the first
 * stages, and in the last ones. */
#define DEPTH_WIDTH 0x1p-31
#define DEPTH_WIDTH_LATE 0x1p-27
/* Stages of the search for a depth. The first EPA run finds the basins, that is, the regions of
 * normals around local minima of the depth; later runs certify the depth. If EPA does not converge
 * soon, a ring of normals is almost equally deep. The ring search then converges faster; it is
 * first tried with a low limit. */
typedef struct depth_stage {
  double width;       /* EPA ends when its bounds differ by this, relative to the size */
  int iterations_max; /* largest number of EPA iterations */
  /* largest number of normals of the ring search after EPA; 0: no ring search */
  int normals_max;
  /* the ring search ends when the bounds of the depth differ by at most this, relative to the
   * size */
  double ring_width;
} depth_stage;
static const depth_stage stages[] = {{0x1p-6, CT_EPA_ITERATIONS_MAX, 0, 0.0},
                                     {DEPTH_WIDTH, 256, 1024, DEPTH_WIDTH},
                                     {DEPTH_WIDTH, 1024, 6144, DEPTH_WIDTH_LATE},
                                     {DEPTH_WIDTH_LATE, CT_EPA_ITERATIONS_MAX, 0, 0.0}};
/* Values of ct_curved.stiff, the least ratio of second derivatives that Newton's method uses. The
 * larger one damps steps along a ring of nearly equal depths, where undamped steps circle the ring
 * instead of crossing it. */
#define STIFF 0x1p-62
#define STIFF_RING 0x1p-16
/* Largest number of refinements that continue from the last result. */
#define REFINEMENTS_MAX 16
/* Largest number of repetitions of the ring search after it found a lesser depth. */
#define TRIES_MAX 3
/* GJK stops when its bounds differ by at most this fraction of the round-off, as in gjk.c. */
#define STOP_FRACTION 0.125
/* Largest difference of a depth's bounds, relative to the size, with status OK: documented as
 * 2e-8. */
#define DEPTH_WIDTH_ALLOWED 0x1p-26
/* Largest number of refined basins; two normals with a greater cosine are in one basin. */
#define BASINS_MAX 12
#define SAME_BASIN 0.99
/* Largest witness error, and largest difference of a separated pair's bounds, both relative to the
 * size, with status OK: documented as 1e-10. */
#define DEFECT_ALLOWED 0x1p-35
/* Normals tie if their values differ by at most this fraction of the round-off; ct_normal_greater
 * selects one of them. */
#define TIE_FRACTION 0.25

/* A better common point is searched if the first one is outside of a body by more than this many u
 * of the size. */
#define COMMON_ROUNDOFFS 8.0
typedef enum gjk_outcome { SEPARATED, BEYOND, WITHIN, INSIDE, STALLED } gjk_outcome;

typedef struct curved_gjk {
  ct_curved *curved;
  double threshold, enough; /* as in ct_gjk */
  ct_simplex simplex;
  double lower;
  ct_vec3 lower_normal;
} curved_gjk;

static double get_uniform_radius(const ct_convex_proxy *proxy) {
  return ct_proxy_is_tapered(proxy) ? 0.0 : proxy->radius[0];
}
static double sum_uniform_radii(const ct_cell_input *in) {
  return get_uniform_radius(&in->a) + get_uniform_radius(&in->b);
}

ct_minkowski_vertex ct_curved_support(ct_curved *c, ct_vec3 normal) {
  c->supports++;
  return ct_minkowski_support(c->a, c->b, normal, c->hint);
}

static ct_curved init_curved_query(const ct_cell_input *in) {
  ct_curved c = {.a = &in->a, .b = &in->b, .scale = ct_proxy_scale(&in->a, &in->b), .stiff = STIFF};
  c.cancel = ct_workspace_cancel(in->workspace);
  c.roundoff = CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * c.scale;
  return c;
}

/* Evaluates one support along n and raises the lower bound. Returns the support vertex; *low: the
 * lower bound along n. */
static ct_minkowski_vertex evaluate_gjk_support(curved_gjk *d, ct_vec3 n, double *low) {
  ct_minkowski_vertex m = ct_curved_support(d->curved, n);
  *low = ct_dot(n, m.w);
  if (*low > d->lower) {
    d->lower = *low;
    d->lower_normal = n;
  }
  return m;
}

static bool simplex_has_point(const ct_simplex *s, ct_vec3 w) {
  assert(s->count <= 4);
  for (int i = 0; i < s->count; i++)
    if (s->vertex[i].w.x == w.x && s->vertex[i].w.y == w.y && s->vertex[i].w.z == w.z) return true;
  return false;
}

static bool is_beyond_threshold(const curved_gjk *d) {
  return d->lower > d->threshold + d->curved->roundoff +
                        CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * fabs(d->lower);
}

static void begin_curved_gjk(curved_gjk *d, ct_vec3 n) {
  d->lower = -INFINITY;
  double low;
  d->simplex = (ct_simplex){.count = 1, .normal = n};
  d->simplex.vertex[0] = evaluate_gjk_support(d, n, &low);
}

static ct_vec3 guess_first_normal(const ct_curved *c) {
  return ct_unit_or(ct_sub(c->b->middle, c->a->middle), ct_vec(1.0, 0.0, 0.0));
}

/* Corrects the value of a solved simplex if it is negative; true if the simplex contains the
 * origin, up to round-off. */
static bool simplex_contains_origin(ct_simplex *s, double roundoff) {
  if (s->value < 0.0) s->value = -ct_simplex_depth(s);
  return s->value <= roundoff;
}

/* Runs GJK until its bounds differ by less than `tolerance`, or the outcome is known otherwise. */
static gjk_outcome run_curved_gjk(curved_gjk *d, double tolerance) {
  ct_simplex *s = &d->simplex;
  double roundoff = d->curved->roundoff;
  if (is_beyond_threshold(d)) return BEYOND;
  if (!ct_simplex_solve(s, false, false)) return INSIDE;
  int idle = 0;
  for (int step = 0; step < GJK_ITERATIONS_MAX; step++) {
    /* The value of the simplex is an upper bound of the distance. */
    if (simplex_contains_origin(s, roundoff)) return INSIDE;
    if (s->value < d->enough) return WITHIN;
    ct_simplex_reduce(s);
    double low, before = s->value;
    /* The support along its normal is a lower bound. */
    ct_minkowski_vertex m = evaluate_gjk_support(d, s->normal, &low);
    if (is_beyond_threshold(d)) return BEYOND;
    if (before - d->lower <= ct_max2(tolerance, STOP_FRACTION * roundoff)) return SEPARATED;
    if (simplex_has_point(s, m.w)) return STALLED;
    /* Add the vertex; stalled if the simplex has no solution, or the value stops decreasing. */
    s->vertex[s->count++] = m;
    if (!ct_simplex_solve(s, true, false)) return STALLED;
    idle = s->value < before ? 0 : idle + 1;
    if (idle > IDLE_ITERATIONS_MAX) return STALLED;
  }
  return STALLED;
}

static void write_curved_result(const ct_cell_input *in, const ct_curved *c,
                                const ct_curved_answer *r, ct_cell_result *result) {
  double rest_a = get_uniform_radius(&in->a), rest_b = get_uniform_radius(&in->b);
  result->normal = r->normal;
  result->distance = result->lower = r->value - (rest_a + rest_b);
  result->radius_a = rest_a;
  result->radius_b = rest_b;
  result->point_a = ct_add_scaled(r->a, r->normal, rest_a);
  result->point_b = ct_add_scaled(r->b, r->normal, -rest_b);
  result->iterations = c->supports;
}

static void write_curved_separation(const ct_cell_input *in, const ct_curved *c,
                                    const ct_curved_answer *r, ct_cell_result *result) {
  write_curved_result(in, c, r, result);
  result->upper = ct_max2(result->distance, r->upper - sum_uniform_radii(in));
  double allowed = DEFECT_ALLOWED * (c->scale + fabs(r->value));
  if (r->upper - r->value > allowed || r->defect > allowed) result->status = CT_PAIR_DEGENERATE;
}

static void write_curved_early_out(const ct_cell_input *in, curved_gjk *d, ct_cell_result *result) {
  ct_minkowski_vertex m = ct_curved_support(d->curved, d->lower_normal);
  ct_curved_answer r = {.normal = d->lower_normal, .value = d->lower, .a = m.a, .b = m.b};
  write_curved_result(in, d->curved, &r, result);
  result->upper = ct_norm(ct_sub(result->point_b, result->point_a));
}

/* Replaces the best answer by r if r has the greater value, or ties and has the greater normal.
 * *several: whether normals tie for the best value. */
static void keep_better_normal(ct_curved_answer *best, const ct_curved_answer *r, double tie,
                               bool *several) {
  double lead = r->value - best->value;
  if (lead < -tie) return;
  bool equal = lead <= tie && ct_norm(ct_sub(r->normal, best->normal)) > 1e-6;
  *several = lead > tie ? false : *several || equal;
  if (lead > tie || (equal && ct_normal_greater(r->normal, best->normal))) *best = *r;
}

/* Lower bound of the depth from points alone: the depth is at least that of any point of one body
 * in the other. */
static double bound_depth_by_points(const ct_curved *c, const ct_curved_answer *r) {
  double least = -INFINITY;
  if (ct_proxy_is_curved(c->a)) least = -ct_curved_closest_point(c->a, r->b, 1.0).distance;
  if (ct_proxy_is_curved(c->b))
    least = ct_max2(least, -ct_curved_closest_point(c->b, r->a, 1.0).distance);
  return least;
}

/* Refines the normals of EPA faces in other basins whose offset does not exceed the best depth: one
 * of them may tie. */
static void refine_tied_basins(const ct_cell_input *in, ct_curved *c, ct_curved_answer *best,
                               bool *several) {
  ct_vec3 normals[BASINS_MAX];
  int basins =
      ct_epa_directions(ct_workspace_epa(in->workspace), -best->value, normals, BASINS_MAX);
  for (int i = 0; i < basins; i++) {
    if (ct_dot(normals[i], best->normal) > SAME_BASIN) continue;
    ct_curved_answer r = ct_curved_newton(c, FEATURE_ANGLE, normals[i]);
    keep_better_normal(best, &r, TIE_FRACTION * c->roundoff, several);
  }
}

/* Refines a normal that has a lesser depth than the best one. */
static void refine_from_normal(ct_curved *c, ct_vec3 normal, ct_curved_answer *best,
                               bool *several) {
  ct_curved_answer r = ct_curved_newton(c, FEATURE_ANGLE, normal);
  keep_better_normal(best, &r, TIE_FRACTION * c->roundoff, several);
}

/* Runs EPA once: it may find a lesser depth, and raises *least, the lower bound of the depth. */
static void run_epa_stage(const ct_cell_input *in, curved_gjk *d, const depth_stage *now,
                          ct_curved_answer *best, bool *several, double *least) {
  ct_curved *c = d->curved;
  ct_epa_result depth;
  bool resume = now > stages;
  ct_epa_bracket_options options = {now->width * c->scale, -best->value, resume,
                                    now->iterations_max};
  ct_epa_bracket(ct_workspace_epa(in->workspace), c->a, c->b, &d->simplex, options, &depth);
  c->supports += depth.supports;
  if (depth.depth < -best->value || !resume) refine_from_normal(c, depth.normal, best, several);
  *least = ct_max2(ct_max2(*least, depth.least), bound_depth_by_points(c, best));
}

/* Searches the rings of normals around the axis of either body, to raise *least; repeats a search
 * that found a lesser depth. */
static void search_rings(ct_curved *c, const depth_stage *now, ct_curved_answer *best,
                         bool *several, double *least) {
  double width = now->ring_width * c->scale;
  for (int i = 0, tries = 0; i < 2; i++) {
    ct_curved_bound bound = {.normals_max = now->normals_max};
    if (ct_curved_search_ring(c, i == 1, -best->value, width, &bound)) {
      *least = ct_max2(*least, bound.least);
      return;
    }
    double before = best->value;
    if (bound.least_found < -before - width) refine_from_normal(c, bound.normal, best, several);
    if (best->value > before && tries++ < TRIES_MAX) i--;
  }
}

/* Searches the depth: EPA finds the basin of the least depth, and Newton's method refines its
 * normal. A point, the polytope or the ring search certifies the depth. Returns the lower bound of
 * the depth. */
static double search_curved_depth(const ct_cell_input *in, curved_gjk *d, ct_curved_answer *best,
                                  bool *several) {
  ct_curved *c = d->curved;
  double least = -INFINITY, enough = ct_max2(DEPTH_WIDTH * c->scale, c->roundoff);
  bool coaxial = ct_curved_coaxial(c);
  for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++) {
    if (i != 1 || !coaxial) run_epa_stage(in, d, &stages[i], best, several, &least);
    if (-best->value - least <= enough || ct_workspace_epa(in->workspace)->out_of_memory ||
        ct_cancel_raised(c->cancel))
      break;
    if (i >= 2) enough = ct_max2(DEPTH_WIDTH_LATE * c->scale, c->roundoff);
    if (stages[i].normals_max) search_rings(c, &stages[i], best, several, &least);
    if (-best->value - least <= enough) break;
  }
  refine_tied_basins(in, c, best, several);
  return least;
}

/* Repeats Newton's method with damped steps: on a ring of nearly equal depths it may end before the
 * witness points are opposite each other. */
static void refine_along_ring(ct_curved *c, ct_curved_answer *best) {
  c->stiff = STIFF_RING;
  for (int i = 0; i < REFINEMENTS_MAX && best->defect > DEFECT_ALLOWED * c->scale; i++) {
    ct_curved_answer r = ct_curved_newton(c, FEATURE_ANGLE, best->normal);
    if (!(r.value >= best->value) || !(r.defect < best->defect)) return;
    *best = r;
  }
}

/* Writes the result for overlapping cores: the best normal, refined, and bounds of the depth. */
static void write_curved_depth(const ct_cell_input *in, curved_gjk *d, ct_cell_result *result) {
  assert(in->workspace);
  ct_curved *c = d->curved;
  ct_curved_ring ring = {.normal = d->lower_normal};
  bool turned = !in->iterative_only && ct_curved_parallel_axes(c, &ring), several = ring.several;
  ct_curved_answer best = ct_curved_newton(c, FEATURE_ANGLE, ring.normal);
  double least = turned ? ring.least : bound_depth_by_points(c, &best);
  if (-best.value - least > c->roundoff && !turned)
    least = ct_max2(least, search_curved_depth(in, d, &best, &several));
  refine_along_ring(c, &best);
  write_curved_result(in, c, &best, result);
  result->upper = ct_max2(result->distance, -least - sum_uniform_radii(in));
  if (several) result->flags |= CT_FLAG_NORMAL_ARBITRARY;
  if (result->upper - result->distance > DEPTH_WIDTH_ALLOWED * c->scale)
    result->status = CT_PAIR_ITERATION_LIMIT;
  else if (best.defect > DEFECT_ALLOWED * c->scale) result->status = CT_PAIR_DEGENERATE;
}

static void solve_curved_pair(const ct_cell_input *in, ct_cell_result *result) {
  ct_curved c = init_curved_query(in);
  curved_gjk d = {
      .curved = &c, .threshold = in->threshold + sum_uniform_radii(in), .enough = -INFINITY};
  begin_curved_gjk(&d, guess_first_normal(&c));
  ct_curved_answer best = {.upper = INFINITY, .value = -INFINITY};
  for (size_t i = 0; i < sizeof refine_widths / sizeof refine_widths[0]; i++) {
    gjk_outcome o = run_curved_gjk(&d, refine_widths[i] * c.scale);
    /* Beyond the threshold a lower bound suffices. */
    if (o == BEYOND) {
      write_curved_early_out(in, &d, result);
      return;
    }
    if (o == INSIDE) break;
    /* Refine the best normal; the cores are separated if its bounds agree. */
    ct_curved_answer r = ct_curved_newton(&c, FEATURE_ANGLE, d.lower_normal);
    if (r.upper - r.value < best.upper - best.value) best = r;
    double roundoff = c.roundoff + CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * fabs(best.value);
    bool closed = best.upper - best.value <= roundoff;
    if (closed || (o == STALLED && best.value > 0.0)) {
      write_curved_separation(in, &c, &best, result);
      return;
    }
    /* Otherwise continue GJK, unless the cores overlap. */
    if (r.value < 0.0 && r.defect <= roundoff) break;
    if (o == STALLED) break;
  }
  write_curved_depth(in, &d, result);
}

/* Runs GJK until the sign of the distance, radii included, is certain beyond round-off, or GJK
 * ends. */
static gjk_outcome run_gjk_for_sign(const ct_cell_input *in, ct_curved *c, curved_gjk *d) {
  double rest = sum_uniform_radii(in),
         roundoff = 2.0 * (c->roundoff + CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * rest);
  *d = (curved_gjk){.curved = c, .threshold = rest + roundoff, .enough = rest - roundoff};
  begin_curved_gjk(d, guess_first_normal(c));
  return run_curved_gjk(d, 0.0);
}

/* Returns the point of the simplex that is closest to the origin, as points of a and b; reduces the
 * simplex. */
static ct_minkowski_vertex compute_simplex_nearest(ct_simplex *s) {
  double weights[4];
  ct_simplex_nearest(s, weights);
  ct_minkowski_vertex sum = {.radius = 0.0};
  for (int i = 0; i < s->count; i++) {
    sum.a = ct_add_scaled(sum.a, s->vertex[i].a, weights[i]);
    sum.b = ct_add_scaled(sum.b, s->vertex[i].b, weights[i]);
  }
  sum.w = ct_sub(sum.b, sum.a);
  return sum;
}

/* Distance of the points of a and b that the final simplex combines to its closest point. */
static double compute_core_distance(const curved_gjk *d) {
  ct_simplex nearest = d->simplex;
  return ct_norm(compute_simplex_nearest(&nearest).w);
}

/* True if GJK has proven that the bodies have a common point. */
static bool has_proven_overlap(const curved_gjk *d, gjk_outcome o) {
  if (o != WITHIN && !(o == INSIDE && d->simplex.value < d->enough)) return false;
  /* The value of a sliver may be less than the distance of its points; their distance decides. */
  double apart = compute_core_distance(d);
  return apart < d->enough ||
         (o == INSIDE && apart <= COMMON_ROUNDOFFS * CT_UNIT_ROUNDOFF * d->curved->scale);
}

/* Replaces the result if Newton's method from this normal proves a gap greater than the result's
 * distance. True if so. */
static bool replace_by_proven_gap(const ct_cell_input *in, ct_curved *c, ct_vec3 normal,
                                  ct_cell_result *result) {
  ct_curved_answer r = ct_curved_newton(c, FEATURE_ANGLE, normal);
  if (!(r.value - sum_uniform_radii(in) > ct_max2(0.0, result->distance))) return false;
  uint32_t before = result->iterations;
  result->status = CT_PAIR_OK;
  result->flags &= ~(uint32_t)CT_FLAG_NORMAL_ARBITRARY;
  write_curved_separation(in, c, &r, result);
  result->iterations += before;
  return true;
}

static curved_gjk run_full_gjk(ct_curved *c, ct_vec3 first) {
  curved_gjk d = {.curved = c, .threshold = INFINITY, .enough = -INFINITY};
  begin_curved_gjk(&d, first);
  run_curved_gjk(&d, 0.0);
  return d;
}

/* Decides the sign of a result whose bounds include zero, because between slivers Newton's method
 * may miss the best normal. First runs the GJK of ct_curved_overlap, so that both functions decide
 * alike. Then searches a common point; if there is none, that search ends at the closest points
 * across the gap. */
static void decide_distance_sign(const ct_cell_input *in, ct_cell_result *result) {
  ct_curved c = init_curved_query(in);
  curved_gjk d;
  gjk_outcome o = run_gjk_for_sign(in, &c, &d);
  double allowed = COMMON_ROUNDOFFS * CT_UNIT_ROUNDOFF * c.scale;
  if (o != BEYOND && compute_core_distance(&d) <= sum_uniform_radii(in) + allowed) return;
  if (o == BEYOND) {
    d.threshold = INFINITY;
    d.enough = -INFINITY;
    run_curved_gjk(&d, 0.0);
    if (replace_by_proven_gap(in, &c, d.lower_normal, result)) return;
  }
  if (result->upper <= c.roundoff) return;
  ct_vec3 middle = ct_lerp(result->point_a, result->point_b, 0.5);
  ct_curved_common m = ct_curved_project(&in->a, &in->b, middle, result->normal, allowed);
  if (m.outside <= allowed || replace_by_proven_gap(in, &c, m.normal, result)) return;
  if (replace_by_proven_gap(in, &c, run_full_gjk(&c, m.normal).lower_normal, result)) return;
  double gap = ct_norm(ct_sub(m.b, m.a));
  if (!m.apart || gap <= c.roundoff) return;
  /* The gap is too small for its normal to be computed; the best known normal still proves the
   * lower bound. */
  result->distance = result->upper = gap;
  result->point_a = m.a;
  result->point_b = m.b;
  result->status = CT_PAIR_DEGENERATE;
}

void ct_curved_distance(const ct_cell_input *in, ct_cell_result *result) {
  assert(ct_proxies_are_curved(&in->a, &in->b));
  if (!in->iterative_only && ct_curved_ball(in, result)) return;
  solve_curved_pair(in, result);
  if (result->distance <= 0.0 && result->upper > 0.0) decide_distance_sign(in, result);
}

static void compute_full_result(const ct_cell_input *in, ct_cell_result *full) {
  ct_cell_input whole = *in;
  whole.threshold = INFINITY;
  *full = (ct_cell_result){.status = CT_PAIR_OK};
  ct_curved_distance(&whole, full);
}

/* Computes a common point from the final GJK simplex of the cores. If the simplex is a sliver with
 * an inaccurate closest point, searches one from the witness points of the full answer; answer:
 * this answer, or NULL if it is not known yet. */
static ct_vec3 find_curved_common_point(const ct_cell_input *in, const ct_cell_result *answer) {
  ct_curved c = init_curved_query(in);
  curved_gjk d = run_full_gjk(&c, guess_first_normal(&c));
  double rest = sum_uniform_radii(in);
  ct_minkowski_vertex m = compute_simplex_nearest(&d.simplex);
  ct_curved_common best = {
      .point = ct_lerp(m.a, m.b, rest > 0.0 ? get_uniform_radius(&in->a) / rest : 0.5),
      .outside = ct_norm(m.w) - rest};
  double allowed = COMMON_ROUNDOFFS * CT_UNIT_ROUNDOFF * c.scale;
  if (best.outside <= allowed) return best.point;
  ct_cell_result full;
  if (!answer) {
    compute_full_result(in, &full);
    answer = &full;
  }
  ct_vec3 middle = ct_lerp(answer->point_a, answer->point_b, 0.5);
  ct_curved_common other = ct_curved_project(&in->a, &in->b, middle, answer->normal, allowed);
  return other.outside < best.outside ? other.point : best.point;
}

ct_vec3 ct_curved_common_point(const ct_cell_input *in) {
  return find_curved_common_point(in, NULL);
}

bool ct_curved_overlap(const ct_cell_input *in, ct_vec3 *common) {
  assert(ct_proxies_are_curved(&in->a, &in->b));
  ct_curved c = init_curved_query(in);
  curved_gjk d;
  gjk_outcome o = run_gjk_for_sign(in, &c, &d);
  if (o == BEYOND) return false;
  bool surely = has_proven_overlap(&d, o);
  ct_cell_result full;
  if (!surely) {
    compute_full_result(in, &full);
    if (full.distance > 0.0) return false;
  }
  if (common) *common = find_curved_common_point(in, surely ? NULL : &full);
  return true;
}
