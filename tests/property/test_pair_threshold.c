/* A threshold ends a query early only if the pair is farther apart, by the distance of the full
 * query. */
#include "tests/oracle/pair_cases.h"

#define PAIRS 9000

static const pair_family families[] = {family_random,          family_grid,
                                       family_concentric,      family_thin,
                                       family_nearly_parallel, family_scales};
#define FAMILIES (sizeof families / sizeof families[0])

typedef struct counts {
  int apart, early;
} counts;

static ct_pair_result solve(const pair_case *c, double threshold, ct_workspace *workspace) {
  ct_frame fa = ct_frame_of(c->a.pose), fb = ct_frame_of(c->b.pose);
  const ct_pair_options options = {.tolerance = 0.0, .threshold = threshold};
  ct_pair_result result;
  ct_pair_distance((ct_placed){&c->a.shape, &fa}, (ct_placed){&c->b.shape, &fb}, &options,
                   workspace, &result);
  return result;
}

static void judge(const pair_case *c, ct_workspace *workspace, counts *n) {
  ct_pair_result full = solve(c, INFINITY, workspace);
  if (full.distance < 0.0) return;
  n->apart++;
  ct_pair_result at = solve(c, full.distance, workspace);
  CHECK(memcmp(&at, &full, sizeof at) == 0);
  const double below[] = {nextafter(full.distance, -1.0), full.distance * (1.0 - 1e-12),
                          0.5 * full.distance, 0.0};
  for (int i = 0; i < 4; i++) {
    if (!(below[i] < full.distance)) continue;
    ct_pair_result p = solve(c, below[i], workspace);
    CHECK(p.distance > below[i]);
    CHECK(p.lower_bound <= full.upper_bound && full.lower_bound <= p.upper_bound);
    CHECK_INT(p.relation, full.distance > 0.0 ? CT_SEPARATED : CT_TOUCHING);
    n->early += p.distance != full.distance;
  }
}

static void clearance_equal_to_the_distance_reports_the_pair_and_one_unit_less_does_not(void) {
  check_random r = {51};
  counts n = {0, 0};
  ct_workspace *workspace = ct_workspace_create();
  static const double gaps[] = {1e-15, 1e-12, 1e-6, 0.125};
  for (int i = 0; i < PAIRS; i++) {
    pair_case c;
    families[(size_t)i % FAMILIES](&c, &r);
    if (i % 2 == 0) bring_to_gap(&c, workspace, gaps[i / 2 % 4]);
    judge(&c, workspace, &n);
    case_release(&c);
  }
  printf("%d pairs apart, %d answers stopped early\n", n.apart, n.early);
  CHECK(n.apart > PAIRS / 3 && n.early > PAIRS / 10);
  ct_workspace_destroy(workspace);
}

static const check_test tests[] = {
    {"clearance_equal_to_the_distance_reports_the_pair_and_one_unit_less_does_not",
     clearance_equal_to_the_distance_reports_the_pair_and_one_unit_less_does_not},
};

CHECK_MAIN(tests)
