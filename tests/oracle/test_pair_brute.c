/* Distance, depth, bracket, points and overlap of pairs against brute force in long double, over
 * families of hard cases. */
#include "tests/oracle/pair_cases.h"
#include "tests/oracle/pair_oracle.h"

/* Errors are measured in units of u (L + |distance|), where L is the sum of the bodies' extents
 * from their origins. The contract permits 64; this limit leaves room for the rounding of two
 * rotation matrices (3 u an entry). */
#define LIMIT 24.0

typedef struct worst {
  double distance, bracket, outside,
      points; /* outside: the truth beyond a bound; negative if it is well within the bounds */
  int cases, inside, unsure, degenerate;
  uint32_t supports;
} worst;

static double reach(const pair_body *b) {
  ct_vec3 center;
  double radius;
  ct_shape_ball(&b->shape, &center, &radius);
  return ct_norm(center) + radius;
}

static void expect(double *record, double error, double limit, const char *what, const pair_case *c,
                   int index) {
  *record = ct_max2(*record, error);
  if (!(error <= limit))
    CHECK_FAIL("case %d (%s, %s): %s off by %g units", index, ct_kind_word(c->a.shape.kind),
               ct_kind_word(c->b.shape.kind), what, error);
}

/* Signed distance of a point to a body, by the oracle. */
static double oracle_point(const oracle_body *body, ct_vec3 p) {
  oracle_body point = {.balls = 1};
  point.exact[0] = (oracle_wide){p.x, p.y, p.z};
  return (double)oracle_distance(body, &point, NULL);
}

static void judge(const pair_case *c, ct_workspace *workspace, worst *w, int index) {
  ct_frame fa = ct_frame_of(c->a.pose), fb = ct_frame_of(c->b.pose);
  const ct_pair_options options = {.tolerance = 0.0, .threshold = INFINITY};
  ct_pair_result r;
  ct_pair_distance((ct_placed){&c->a.shape, &fa}, (ct_placed){&c->b.shape, &fb}, &options,
                   workspace, &r);
  oracle_body a = oracle_of(&c->a.shape, &c->a.pose, c->a.points, c->a.count);
  oracle_body b = oracle_of(&c->b.shape, &c->b.pose, c->b.points, c->b.count);
  double truth = (double)oracle_distance(&a, &b, NULL);
  double far = ct_max2(ct_max_abs(c->a.pose.position), ct_max_abs(c->b.pose.position));
  double size = reach(&c->a) + reach(&c->b), unit = 0x1p-53 * (size + fabs(truth)),
         unit_far = unit + 0x1p-53 * 4.0 * far;
  w->cases++;
  w->inside += truth < 0.0;
  w->degenerate += r.status != CT_PAIR_OK;
  if (r.iterations > w->supports) w->supports = r.iterations;
  expect(&w->distance, fabs(r.distance - truth) / unit, LIMIT, "distance", c, index);
  /* The bounds are certified, so no error is permitted. Their width is at most 64 units of the
   * descent plus 384 of round-off on either side. */
  expect(&w->outside, ct_max2(r.lower_bound - truth, truth - r.upper_bound) / unit, 0.0, "bracket",
         c, index);
  expect(&w->bracket, (r.upper_bound - r.lower_bound) / unit, 832.0, "width of bracket", c, index);
  CHECK(r.lower_bound <= r.distance && r.distance <= r.upper_bound);
  CHECK_NEAR(ct_norm(r.normal), 1.0, 4 * 0x1p-52);
  ct_vec3 gap = ct_sub(ct_sub(r.point_b, r.point_a), ct_scale(r.normal, r.distance));
  expect(&w->points, ct_norm(gap) / unit_far, 4.0 * LIMIT, "gap between points", c, index);
  expect(&w->points, fabs(oracle_point(&a, r.point_a)) / unit_far, 2.0 * LIMIT,
         "point a on its surface", c, index);
  expect(&w->points, fabs(oracle_point(&b, r.point_b)) / unit_far, 2.0 * LIMIT,
         "point b on its surface", c, index);
  ct_vec3 common;
  bool overlap = ct_pair_overlap((ct_placed){&c->a.shape, &fa}, (ct_placed){&c->b.shape, &fb},
                                 workspace, &common);
  if (fabs(truth) > 64.0 * unit) {
    if (overlap != (truth < 0.0)) CHECK_FAIL("case %d: overlap %d at %g", index, overlap, truth);
  } else {
    w->unsure++;
  }
  if (overlap != (r.distance <= 0.0))
    CHECK_FAIL("case %d: overlap %d but distance %g", index, overlap, r.distance);
  if (overlap) {
    expect(&w->points, oracle_point(&a, common) / unit_far, 2.0 * LIMIT, "common point in a", c,
           index);
    expect(&w->points, oracle_point(&b, common) / unit_far, 2.0 * LIMIT, "common point in b", c,
           index);
  }
}

static void run_family(const char *name, pair_family family, int count, bool at_contact) {
  check_random r = {0x5eed0000u + (uint64_t)count};
  ct_workspace *workspace = ct_workspace_create();
  worst w = {.outside = -INFINITY};
  static const double gaps[] = {0.0,   0x1p-53, -0x1p-53, 0x1p-40, -0x1p-40, 1e-9,
                                -1e-9, 1e-14,   -1e-14,   1e-6,    -1e-6};
  for (int i = 0; i < count; i++) {
    pair_case c;
    family(&c, &r);
    if (at_contact) bring_to_gap(&c, workspace, gaps[i % 11]);
    judge(&c, workspace, &w, i);
    case_release(&c);
  }
  printf("%-28s %6d pairs, %6d overlap, %5d in the band; worst: distance %.1f bracket %.1f (truth "
         "outside by %.1f) points %.1f "
         "units; %u supports, %d "
         "degenerate\n",
         name, w.cases, w.inside, w.unsure, w.distance, w.bracket, w.outside, w.points, w.supports,
         w.degenerate);
  CHECK_INT(w.degenerate, 0);
  ct_workspace_destroy(workspace);
}

static void random_pairs(void) { run_family("random", family_random, 3000, false); }
static void random_pairs_at_contact(void) {
  run_family("random at contact", family_random, 2200, true);
}
static void grid_snapped_pairs(void) { run_family("grid", family_grid, 3000, false); }
static void grid_snapped_pairs_at_contact(void) {
  run_family("grid at contact", family_grid, 1100, true);
}
static void concentric_pairs(void) { run_family("concentric", family_concentric, 2000, false); }
static void thin_pairs(void) { run_family("thin", family_thin, 3000, false); }
static void thin_pairs_at_contact(void) { run_family("thin at contact", family_thin, 1100, true); }
static void nearly_parallel_pairs(void) {
  run_family("nearly parallel", family_nearly_parallel, 3000, false);
}
static void nearly_parallel_pairs_at_contact(void) {
  run_family("nearly parallel at contact", family_nearly_parallel, 1100, true);
}
static void small_against_big(void) { run_family("scales", family_scales, 2000, false); }
static void small_against_big_at_contact(void) {
  run_family("scales at contact", family_scales, 1100, true);
}

static void large_hulls(void) { run_family("large hulls", family_large_hulls, 150, false); }
static void large_hulls_at_contact(void) {
  run_family("large hulls at contact", family_large_hulls, 150, true);
}
static void far_apart(void) { run_family("far apart", family_far, 2000, false); }

static const check_test tests[] = {
    {"random_pairs", random_pairs},
    {"random_pairs_at_contact", random_pairs_at_contact},
    {"grid_snapped_pairs", grid_snapped_pairs},
    {"grid_snapped_pairs_at_contact", grid_snapped_pairs_at_contact},
    {"concentric_pairs", concentric_pairs},
    {"thin_pairs", thin_pairs},
    {"thin_pairs_at_contact", thin_pairs_at_contact},
    {"nearly_parallel_pairs", nearly_parallel_pairs},
    {"nearly_parallel_pairs_at_contact", nearly_parallel_pairs_at_contact},
    {"small_against_big", small_against_big},
    {"small_against_big_at_contact", small_against_big_at_contact},
    {"large_hulls", large_hulls},
    {"large_hulls_at_contact", large_hulls_at_contact},
    {"far_apart", far_apart},
};

CHECK_MAIN(tests)
