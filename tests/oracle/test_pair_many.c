/* Very many pairs of every convex kind, each answer proved by itself in long double: the normal's supporting planes prove how far
 * apart at least, the points (or, of an overlap, a common point) how far at most. CONTACTD_FULL=1 for the full numbers.
 *
 * Where a pair overlaps nothing but a search over all normals proves a depth; polytopes and round bodies have one in pair_oracle.h,
 * and the families of hard cases are judged by it, box against box also by integers alone.
 */
#include "tests/oracle/kind_oracle.h"

/* Of the reach of both bodies: what the yes or no may not be wrong beyond, and what the rounding of points in the world costs. */
#define BAND 64.0
#define ROUNDING 96.0

typedef struct tally {
  long pairs, overlap, unsure, wide; /* wide: a bracket above 1e-7 of the size */
  double outside, points;            /* worst, in u of the size */
} tally;

static long count_of(long quick, long full) { return getenv("CONTACTD_FULL") ? full : quick; }

static double reach_of(const pair_body *b) {
  ct_vec3 center;
  double radius;
  ct_shape_ball(&b->shape, &center, &radius);
  return ct_norm(center) + radius;
}

static bool finite3(ct_vec3 v) { return isfinite(v.x) && isfinite(v.y) && isfinite(v.z); }

static bool is_finite(const ct_pair_result *r) {
  return isfinite(r->distance) && isfinite(r->lower_bound) && isfinite(r->upper_bound) && finite3(r->normal) &&
         finite3(r->point_a) && finite3(r->point_b);
}

static void blame(const pair_case *c, long index, const char *what, double by) {
  CHECK_FAIL("pair %ld (%s, %s): %s by %g", index, ct_kind_word(c->a.shape.kind), ct_kind_word(c->b.shape.kind), what, by);
}

/* Proves what can be proved of one answer. */
static void prove(const pair_case *c, ct_workspace *workspace, long index, tally *t) {
  ct_frame fa = ct_frame_of(c->a.pose), fb = ct_frame_of(c->b.pose);
  ct_placed a = {&c->a.shape, &fa}, b = {&c->b.shape, &fb};
  const ct_pair_options options = {.tolerance = 0.0, .threshold = INFINITY};
  ct_pair_result r;
  ct_pair_distance(a, b, &options, workspace, &r);
  ct_vec3 common = {0, 0, 0};
  bool overlap = ct_pair_overlap(a, b, workspace, &common);
  if (!is_finite(&r) || !finite3(common)) CHECK_FAIL("pair %ld: a number is not finite", index);
  double far = ct_max2(ct_max_abs(c->a.pose.position), ct_max_abs(c->b.pose.position));
  double unit = 0x1p-53 * (reach_of(&c->a) + reach_of(&c->b) + fabs(r.distance)), world = unit + 0x1p-53 * far;
  double gap = (double)kind_gap(c, r.normal);
  t->pairs++;
  t->overlap += overlap;
  t->wide += r.upper_bound - r.lower_bound > 1e-7 * 0x1p53 * unit;
  /* The supporting planes are a true lower bound of the distance. */
  t->outside = ct_max2(t->outside, (gap - r.upper_bound) / unit);
  if (gap > r.upper_bound) blame(c, index, "the planes prove more than the upper bound", (gap - r.upper_bound) / unit);
  if (gap < r.lower_bound - ROUNDING * unit)
    blame(c, index, "the normal does not prove the lower bound", (r.lower_bound - gap) / unit);
  if (!(r.lower_bound <= r.distance && r.distance <= r.upper_bound))
    blame(c, index, "the distance is outside its bounds", r.distance);
  if (overlap != (r.distance <= 0.0)) blame(c, index, "overlap contradicts the distance", r.distance);
  double size = fabs(ct_norm(r.normal) - 1.0);
  if (size > 4 * 0x1p-52) blame(c, index, "the normal is not unit", size);
  /* Points in the bodies prove an upper bound where the bodies are apart, a common point the overlap. */
  ct_vec3 p = overlap ? common : r.point_a, q = overlap ? common : r.point_b;
  double off = (double)kind_greater(kind_outside(&c->a, p), kind_outside(&c->b, q));
  double slack = overlap ? 0.0 : r.upper_bound - r.lower_bound; /* a point may be as far off as the bracket is wide */
  t->points = ct_max2(t->points, (off - slack) / world);
  if (off > slack + ROUNDING * world)
    blame(c, index, overlap ? "the common point is outside" : "a point is outside its body", off / world);
  double apart = ct_norm(ct_sub(r.point_b, r.point_a));
  if (!overlap && apart < r.lower_bound - ROUNDING * world) blame(c, index, "the points are nearer than the lower bound", apart);
  t->unsure += fabs(gap) <= BAND * unit;
  if (overlap && gap > BAND * unit) blame(c, index, "a separating plane exists, overlap is answered", gap / unit);
}

static void run(const char *name, pair_family family, long count, bool at_contact) {
  static const double gaps[] = {0.0, 0x1p-53, -0x1p-53, 0x1p-40, -0x1p-40, 1e-9, -1e-9};
  check_random r = {0xb00b5eedu + (uint64_t)count};
  ct_workspace *workspace = ct_workspace_create();
  case_kind_count = sizeof case_kinds / sizeof *case_kinds;
  tally t = {.outside = -INFINITY, .points = -INFINITY};
  for (long i = 0; i < count && check_failures < 10; i++) {
    pair_case c;
    family(&c, &r);
    if (at_contact) bring_to_gap(&c, workspace, gaps[i % 7]);
    prove(&c, workspace, i, &t);
    case_release(&c);
  }
  printf("%-24s %9ld pairs, %8ld overlap, %7ld within %g u of touching, %6ld brackets above 1e-7; planes beyond the upper bound by "
         "%.3g u, points off by %.3g u at most\n",
         name, t.pairs, t.overlap, t.unsure, BAND, t.wide, t.outside, t.points);
  ct_workspace_destroy(workspace);
}

/* Needles of which projections alone told the wrong: a sliver in an acute corner, and a gap between a tip and an edge. */
static void needles_that_barely_meet(void) {
  pair_case c[2] = {
      {.a = {.shape = {.kind = CT_KIND_CONE, .cone = {0x1.01926260050d7p-1, 0x1.d73d5af635fa8p-32, 0x1.8f93266a0b2e4p-31}},
             .pose = {{0x1.63b97b9639142p-1, -0x1.2a4f8a48346c4p-2, -0x1.2108dc7da7a5ap-1}, {0.5, 0.5, 0.5, 0.5}}},
       .b = {.shape = {.kind = CT_KIND_ELLIPSOID,
                       .ellipsoid = {{0x1.7770c275c7057p-25, 0x1.099ac03ed1989p-24, 0x1.c4c1d73f73f83p-1}}},
             .pose = {{0x1.61153d066aaa3p+0, -0x1.b01dc363efcap-3, -0x1.4fa9ea85e9f2cp-1},
                      {-0x1.132601d7e0cf1p-1, 0x1.4bbd8986024bfp-1, -0x1.2cc4c9c0c6b1ap-3, 0x1.09f4580346debp-1}}}},
      {.a = {.shape = {.kind = CT_KIND_ELLIPSOID,
                       .ellipsoid = {{0x1.0a40170c4887bp-32, 0x1.24c9159cc1eap-31, 0x1.2e0e358b951bap-1}}},
             .pose = {{-0x1.6efc3b2b3974ap-1, 0x1.80f5acc6e2688p-3, -0x1.8a5dd35ea40dcp-1}, {0.5, 0.5, 0.5, 0.5}}},
       .b = {.shape = {.kind = CT_KIND_BOX, .box = {{0x1.239c8847781b7p-31, 0x1.2e8ac68143a85p-32, 0x1.9ac74f5718f5p-3}}},
             .pose = {{-0x1.f05b738e3e3aap-2, 0x1.cca3c997de211p-3, -0x1.863f0c57d937bp-1},
                      {-0x1.df63d25ea7939p-2, 0x1.18d9c356fcbccp-1, 0x1.612324d6d6f67p-2, -0x1.33a1816cfa68dp-1}}}}};
  ct_workspace *workspace = ct_workspace_create();
  tally t = {.outside = -INFINITY, .points = -INFINITY};
  for (int i = 0; i < 2; i++) prove(&c[i], workspace, i, &t);
  CHECK(t.overlap == 1);
  ct_workspace_destroy(workspace);
}

static void random_pairs(void) { run("random", family_random, count_of(40000, 7000000), false); }
static void random_pairs_near_contact(void) { run("random at contact", family_random, count_of(10000, 1000000), true); }
static void pairs_of_unlike_sizes(void) { run("unlike sizes", family_scales, count_of(5000, 1000000), false); }
static void far_pairs(void) { run("far", family_far, count_of(5000, 1000000), false); }
static void adversarial_grid(void) { run("grid", family_grid, count_of(5000, 200000), false); }
static void adversarial_grid_at_contact(void) { run("grid at contact", family_grid, count_of(5000, 200000), true); }
static void adversarial_concentric(void) { run("concentric", family_concentric, count_of(3000, 150000), false); }
static void adversarial_thin(void) { run("thin", family_thin, count_of(5000, 150000), false); }
static void adversarial_thin_at_contact(void) { run("thin at contact", family_thin, count_of(3000, 100000), true); }
static void adversarial_parallel(void) { run("nearly parallel", family_nearly_parallel, count_of(5000, 200000), false); }
static void adversarial_parallel_at_contact(void) {
  run("parallel at contact", family_nearly_parallel, count_of(3000, 100000), true);
}

static const check_test tests[] = {
    {"needles_that_barely_meet", needles_that_barely_meet},
    {"random_pairs", random_pairs},
    {"random_pairs_near_contact", random_pairs_near_contact},
    {"pairs_of_unlike_sizes", pairs_of_unlike_sizes},
    {"far_pairs", far_pairs},
    {"adversarial_grid", adversarial_grid},
    {"adversarial_grid_at_contact", adversarial_grid_at_contact},
    {"adversarial_concentric", adversarial_concentric},
    {"adversarial_thin", adversarial_thin},
    {"adversarial_thin_at_contact", adversarial_thin_at_contact},
    {"adversarial_parallel", adversarial_parallel},
    {"adversarial_parallel_at_contact", adversarial_parallel_at_contact},
};

CHECK_MAIN(tests)
