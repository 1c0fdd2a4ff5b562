/* Pairs of large hulls end soon after the flag of their workspace is raised, with
 * CT_PAIR_ITERATION_LIMIT and valid bounds. Without a flag they complete. */
#include "tests/support/raiser.h"

enum { POINTS = 40000 };
/* Longest time of a pair whose flag is up at its begin, s of process time: polls are about 100 us
 * apart; the rest is for sanitizers. */
#define SOON 0.1
/* Support evaluations before the first poll of the flag, and those for the witness points after it.
 */
#define SUPPORTS_MAX 200u

/* Vertices on a sphere of radius 1. */
static ct_hull *round_hull(uint64_t seed) {
  static ct_vec3 points[POINTS];
  check_random r = {seed};
  for (int i = 0; i < POINTS;) {
    double x = check_uniform(&r, -1, 1);
    double y = check_uniform(&r, -1, 1);
    ct_vec3 p = {x, y, check_uniform(&r, -1, 1)};
    double n = ct_norm(p);
    if (n > 0.1 && n < 1.0) points[i++] = ct_scale(p, 1.0 / n);
  }
  ct_hull *hull = NULL;
  CHECK_INT(ct_hull_from_points(points, POINTS, NULL, &hull, NULL), CT_OK);
  return hull;
}

static bool same(const ct_pair_result *p, const ct_pair_result *q) {
  const double x[] = {p->distance, p->lower_bound, p->upper_bound, p->normal.x,
                      p->normal.y, p->normal.z,    p->point_a.x,   p->point_b.x};
  const double y[] = {q->distance, q->lower_bound, q->upper_bound, q->normal.x,
                      q->normal.y, q->normal.z,    q->point_a.x,   q->point_b.x};
  return memcmp(x, y, sizeof x) == 0 && p->relation == q->relation && p->status == q->status &&
         p->iterations == q->iterations;
}

/* Runs a pair without a flag, with a flag that is not raised, and with the flag raised. */
static void check_pair(const ct_shape *a, const ct_shape *b, ct_vec3 offset, bool counted) {
  ct_frame fa = ct_frame_of(ct_pose_identity()),
           fb = ct_frame_of((ct_pose){offset, {0.3, 0.2, 0.1, 1.0}});
  const ct_pair_options options = {.tolerance = 0.0, .threshold = INFINITY};
  ct_workspace *workspace = ct_workspace_create();
  ct_pair_result whole, again, cut;
  ct_pair_distance((ct_placed){a, &fa}, (ct_placed){b, &fb}, &options, workspace, &whole);
  CHECK_INT(whole.status, CT_PAIR_OK);
  ct_cancel *cancel = ct_cancel_create();
  ct_workspace_watch(workspace, cancel);
  ct_pair_distance((ct_placed){a, &fa}, (ct_placed){b, &fb}, &options, workspace, &again);
  CHECK(same(&again, &whole));
  ct_cancel_raise(cancel);
  double begin = work_seconds();
  ct_pair_distance((ct_placed){a, &fa}, (ct_placed){b, &fb}, &options, workspace, &cut);
  double seconds = work_seconds() - begin;
  if (cut.status != CT_PAIR_ITERATION_LIMIT || seconds > SOON ||
      (counted && cut.iterations > SUPPORTS_MAX))
    CHECK_FAIL("%s, %s: status %d after %g ms of work and %u supports (whole: %u)",
               ct_kind_word(a->kind), ct_kind_word(b->kind), (int)cut.status, 1e3 * seconds,
               cut.iterations, whole.iterations);
  CHECK(cut.lower_bound <= whole.upper_bound && cut.upper_bound >= whole.lower_bound);
  CHECK(cut.lower_bound <= cut.distance && cut.distance <= cut.upper_bound);
  CHECK(isfinite(cut.distance) && isfinite(cut.upper_bound) &&
        fabs(ct_norm(cut.normal) - 1.0) <= 1e-15);
  CHECK(isfinite(ct_norm(cut.point_a)) && isfinite(ct_norm(cut.point_b)));
  /* The flag has no effect on later queries. */
  ct_workspace_watch(workspace, NULL);
  ct_pair_distance((ct_placed){a, &fa}, (ct_placed){b, &fb}, &options, workspace, &again);
  CHECK(same(&again, &whole));
  ct_cancel_destroy(cancel);
  ct_workspace_destroy(workspace);
}

static void hulls_stop_soon(void) {
  ct_hull *first = round_hull(1), *second = round_hull(2);
  ct_shape a = {.kind = CT_KIND_CONVEX, .hull = first},
           b = {.kind = CT_KIND_CONVEX, .hull = second};
  check_pair(&a, &b, ct_vec(0.01, 0.02, 0.03), true);
  check_pair(&a, &b, ct_vec(0.3, 0.1, 0.4), true);
  ct_hull_release(first);
  ct_hull_release(second);
}

static void hulls_against_other_kinds_stop_soon(void) {
  ct_hull *hull = round_hull(3);
  ct_shape large = {.kind = CT_KIND_CONVEX, .hull = hull};
  const ct_shape other[] = {
      {.kind = CT_KIND_SPHERE, .sphere = {0.2}},
      {.kind = CT_KIND_CAPSULE,
       .capsule = {.half_length = 0.3, .radius_bottom = 0.2, .radius_top = 0.2}},
      {.kind = CT_KIND_CAPSULE,
       .capsule = {.half_length = 0.3, .radius_bottom = 0.2, .radius_top = 0.1}},
      {.kind = CT_KIND_BOX, .box = {{0.5, 0.4, 0.3}}},
      {.kind = CT_KIND_CYLINDER, .cylinder = {.radius = 0.4, .half_length = 0.5}},
      {.kind = CT_KIND_CONE, .cone = {.half_length = 0.5, .radius_bottom = 0.4, .radius_top = 0.1}},
  };
  for (size_t i = 0; i < sizeof other / sizeof other[0]; i++) {
    bool curved = other[i].kind == CT_KIND_CYLINDER || other[i].kind == CT_KIND_CONE;
    check_pair(&large, &other[i], ct_vec(0.05, 0.1, 0.15), !curved);
  }
  ct_hull_release(hull);
}

static const check_test tests[] = {
    {"hulls_stop_soon", hulls_stop_soon},
    {"hulls_against_other_kinds_stop_soon", hulls_against_other_kinds_stop_soon},
};

CHECK_MAIN(tests)
