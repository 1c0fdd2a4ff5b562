/* GJK and its sub-problem of up to four vertices, against brute force in long double. */
#include "convex/gjk.h"

#include "tests/oracle/pair_cases.h"
#include "tests/oracle/pair_oracle.h"

/* Signed distance of the origin to the hull of the simplex's vertices. */
static double oracle_origin(const ct_simplex *s) {
  oracle_body origin = {.balls = 1}, hull = {.balls = s->count};
  for (int i = 0; i < s->count; i++) {
    hull.exact[i] = (oracle_wide){s->vertex[i].w.x, s->vertex[i].w.y, s->vertex[i].w.z};
    hull.radius[i] = s->vertex[i].radius;
  }
  oracle_complete(&hull);
  return (double)oracle_distance(&origin, &hull, NULL);
}

static ct_simplex random_simplex(check_random *r, int count, double flat, double shift) {
  ct_simplex s = {.count = count};
  for (int i = 0; i < count; i++) {
    ct_vec3 p = random_vec(r, 1.0);
    s.vertex[i].w = ct_round_to_grid(ct_vec(p.x, p.y * flat, p.z * flat + shift), ct_grid(4.0));
  }
  return s;
}

static void simplex_value_is_the_distance_of_the_origin(void) {
  check_random r = {21};
  for (int i = 0; i < 8000; i++) {
    ct_simplex s = random_simplex(&r, 1 + i % 4, 1.0, i & 4 ? 0.6 : 0.0);
    double truth = oracle_origin(&s);
    bool exact = i & 8;
    if (truth < 0.0) continue;
    CHECK(ct_simplex_solve(&s, false, exact));
    CHECK_NEAR(s.value, truth, 8 * 0x1p-53);
    CHECK_NEAR(ct_norm(s.normal), 1.0, 4 * 0x1p-53);
    ct_simplex_reduce(&s);
    double weights[4];
    CHECK(ct_simplex_witness_error(&s, weights) <= 64 * 0x1p-53);
  }
}

/* As in GJK: a new vertex beyond the best normal of the others joins the vertices that define it.
 */
static void a_vertex_that_joins_is_weighed_by_signs_or_else_by_the_search(void) {
  check_random r = {25};
  int reported = 0, requested = 0, of_kind[4] = {0};
  for (int i = 0; i < 20000; i++) {
    ct_simplex s = random_simplex(&r, 1 + i % 3, 1.0, i & 4 ? 0.6 : 0.0);
    if (oracle_origin(&s) <= 0.0) continue;
    CHECK(ct_simplex_solve(&s, false, false));
    ct_simplex_reduce(&s);
    ct_simplex next = random_simplex(&r, 1, 1.0, 0.2);
    if (!(ct_dot(s.normal, next.vertex[0].w) < s.value)) continue;
    s.vertex[s.count++] = next.vertex[0];
    double truth = oracle_origin(&s);
    unsigned region = ct_simplex_voronoi_region(&s);
    requested++;
    reported += region != 0;
    if (truth < 0.0) CHECK(region == 0);
    if (truth <= 0.0) continue;
    CHECK(ct_simplex_solve(&s, true, false));
    CHECK_NEAR(s.value, truth, 8 * 0x1p-53);
    CHECK(region == 0 || s.active == region);
    CHECK(s.active >> (s.count - 1) == 1);
    ct_simplex_reduce(&s);
    of_kind[s.count]++;
    double weights[4];
    CHECK(ct_simplex_witness_error(&s, weights) <= 64 * 0x1p-53);
  }
  CHECK(requested > 5000 && reported > requested * 8 / 10);
  for (int k = 1; k < 4; k++) CHECK(of_kind[k] > 300);
}

/* Needles 1e-12 wide at a distance of the same size: plain cross products have no significant
 * digit. */
static void exact_mode_is_right_for_slivers(void) {
  check_random r = {22};
  for (int i = 0; i < 4000; i++) {
    ct_simplex s = random_simplex(&r, 2 + i % 3, 1e-12, i & 4 ? 1e-12 : 3e-13);
    double truth = oracle_origin(&s);
    if (truth < 0.0) continue;
    CHECK(ct_simplex_solve(&s, false, true));
    CHECK_NEAR(s.value, truth, 8 * 0x1p-53);
  }
}

static void depth_of_an_enclosed_origin_is_that_of_the_nearest_face(void) {
  check_random r = {23};
  int enclosed = 0;
  for (int i = 0; i < 20000; i++) {
    ct_simplex s = random_simplex(&r, 4, i & 1 ? 1.0 : 1e-9, 0.0);
    double truth = oracle_origin(&s), depth = ct_simplex_depth(&s);
    CHECK_NEAR(depth, truth < 0.0 ? -truth : 0.0, 8 * 0x1p-53);
    if (truth >= 0.0) continue;
    enclosed++;
    double weights[4];
    ct_vec3 at[4], sum = {0, 0, 0};
    for (int k = 0; k < 4; k++) at[k] = s.vertex[k].w;
    CHECK(ct_origin_weights(at, weights));
    for (int k = 0; k < 4; k++) sum = ct_add_scaled(sum, at[k], weights[k]);
    CHECK(ct_norm(sum) <= 8 * 0x1p-53);
  }
  CHECK(enclosed > 1000);
}

static void origin_on_vertex_edge_or_face_is_found_at_distance_zero(void) {
  const ct_vec3 points[] = {{0, 0, 0}, {-1, 0, 0}, {1, 0, 0}, {-1, -1, 0}, {2, 0, 0}, {-1, 1, 0}};
  const int first[] = {0, 1, 3}, count[] = {1, 2, 3};
  for (int i = 0; i < 3; i++) {
    ct_simplex s = {.count = count[i]};
    for (int k = 0; k < count[i]; k++) s.vertex[k].w = points[first[i] + k];
    double weights[4];
    ct_vec3 sum = {0, 0, 0};
    ct_simplex_nearest(&s, weights);
    for (int k = 0; k < s.count; k++) sum = ct_add_scaled(sum, s.vertex[k].w, weights[k]);
    CHECK(ct_norm(sum) <= 2 * 0x1p-53);
  }
}

/* The bracket of each GJK run contains the true distance of the convex proxies, wherever the run
 * stopped. */
static void brackets_hold_the_truth_also_when_stopped_early(void) {
  check_random r = {24};
  for (int i = 0; i < 2000; i++) {
    pair_case c;
    family_random(&c, &r);
    ct_frame frame = ct_frame_of(c.b.pose);
    ct_convex_proxy a, b;
    ct_frame fa = ct_frame_of(c.a.pose);
    ct_proxy_place(&c.a.shape, &fa, &a);
    ct_proxy_place(&c.b.shape, &frame, &b);
    double threshold = i & 1 ? 0.25 : INFINITY, enough = i & 2 ? 0.5 : -INFINITY;
    ct_gjk g = {.a = &a, .b = &b, .threshold = threshold, .enough = enough};
    ct_gjk_outcome outcome = ct_gjk_run(&g);
    oracle_body oa = oracle_of(&c.a.shape, &c.a.pose, c.a.points, c.a.count);
    oracle_body ob = oracle_of(&c.b.shape, &c.b.pose, c.b.points, c.b.count);
    bool tapered = ct_proxy_is_tapered(&a) || ct_proxy_is_tapered(&b);
    double truth = (double)oracle_distance(&oa, &ob, NULL),
           proxy = tapered ? truth : truth + a.radius[0] + b.radius[0];
    double roundoff = ct_roundoff(&a, &b, truth) + 0x1p-50;
    CHECK(g.lower <= proxy + roundoff);
    if (outcome == CT_GJK_SEPARATED) CHECK_NEAR(g.simplex.value, proxy, roundoff);
    if (outcome == CT_GJK_BEYOND) CHECK(proxy > threshold - roundoff);
    if (outcome == CT_GJK_WITHIN) CHECK(proxy < enough + roundoff);
    if (outcome == CT_GJK_INSIDE && !tapered)
      CHECK(proxy <= roundoff || a.radius[0] + b.radius[0] > 0.0);
    CHECK(outcome != CT_GJK_STALLED);
    CHECK(g.supports <= CT_GJK_ITERATIONS_MAX);
    case_release(&c);
  }
}

static const check_test tests[] = {
    {"simplex_value_is_the_distance_of_the_origin", simplex_value_is_the_distance_of_the_origin},
    {"a_vertex_that_joins_is_weighed_by_signs_or_else_by_the_search",
     a_vertex_that_joins_is_weighed_by_signs_or_else_by_the_search},
    {"exact_mode_is_right_for_slivers", exact_mode_is_right_for_slivers},
    {"depth_of_an_enclosed_origin_is_that_of_the_nearest_face",
     depth_of_an_enclosed_origin_is_that_of_the_nearest_face},
    {"origin_on_vertex_edge_or_face_is_found_at_distance_zero",
     origin_on_vertex_edge_or_face_is_found_at_distance_zero},
    {"brackets_hold_the_truth_also_when_stopped_early",
     brackets_hold_the_truth_also_when_stopped_early},
};

CHECK_MAIN(tests)
