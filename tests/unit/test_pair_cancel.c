/* Pairs of large hulls end soon after the flag of their workspace is raised, with
 * CT_PAIR_ITERATION_LIMIT and valid bounds. Without a flag they complete. */
#include "tests/support/polls.h"

enum { POINTS = 40000 };
/* Support evaluations before the first poll of the flag, and those for the witness points after it.
 */
#define SUPPORTS_MAX 200u
/* The same with a curved kind, of which the surface is sampled before the first poll. */
#define CURVED_SUPPORTS_MAX 1000u

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

typedef struct pair_work {
  ct_placed a, b;
  ct_workspace *workspace;
  ct_pair_result result;
} pair_work;

static ct_status run_pair(void *context, ct_cancel *cancel) {
  pair_work *w = context;
  const ct_pair_options options = {.tolerance = 0.0, .threshold = INFINITY};
  ct_workspace_watch(w->workspace, cancel);
  ct_pair_distance(w->a, w->b, &options, w->workspace, &w->result);
  ct_workspace_watch(w->workspace, NULL);
  return w->result.status == CT_PAIR_ITERATION_LIMIT ? CT_CANCELLED : CT_OK;
}

/* Runs a pair without a flag, with a flag that is not raised, and with the flag raised. */
static void check_pair(const ct_shape *a, const ct_shape *b, ct_vec3 offset,
                       uint32_t supports_max) {
  ct_frame fa = ct_frame_of(ct_pose_identity()),
           fb = ct_frame_of((ct_pose){offset, {0.3, 0.2, 0.1, 1.0}});
  pair_work work = {.a = {a, &fa}, .b = {b, &fb}, .workspace = ct_workspace_create()};
  CHECK_INT(run_pair(&work, NULL), CT_OK);
  const ct_pair_result whole = work.result;
  CHECK_INT(whole.status, CT_PAIR_OK);
  poll_times whole_polls = polls_measure(run_pair, &work, 0, CT_OK);
  CHECK(same(&work.result, &whole));
  poll_times cut_polls = polls_measure(run_pair, &work, 1, CT_CANCELLED);
  const ct_pair_result cut = work.result;
  if (cut_polls.polls > 1 + POLLS_AFTER || cut.iterations > supports_max)
    CHECK_FAIL("%s, %s: %ld polls and %u supports (whole: %ld and %u)", ct_kind_word(a->kind),
               ct_kind_word(b->kind), cut_polls.polls, cut.iterations, whole_polls.polls,
               whole.iterations);
  CHECK(cut.lower_bound <= whole.upper_bound && cut.upper_bound >= whole.lower_bound);
  CHECK(cut.lower_bound <= cut.distance && cut.distance <= cut.upper_bound);
  CHECK(isfinite(cut.distance) && isfinite(cut.upper_bound) &&
        fabs(ct_norm(cut.normal) - 1.0) <= 1e-15);
  CHECK(isfinite(ct_norm(cut.point_a)) && isfinite(ct_norm(cut.point_b)));
  /* The flag has no effect on later queries. */
  CHECK_INT(run_pair(&work, NULL), CT_OK);
  CHECK(same(&work.result, &whole));
  ct_workspace_destroy(work.workspace);
}

static void hulls_stop_soon(void) {
  ct_hull *first = round_hull(1), *second = round_hull(2);
  ct_shape a = {.kind = CT_KIND_CONVEX, .hull = first},
           b = {.kind = CT_KIND_CONVEX, .hull = second};
  check_pair(&a, &b, ct_vec(0.01, 0.02, 0.03), SUPPORTS_MAX);
  check_pair(&a, &b, ct_vec(0.3, 0.1, 0.4), SUPPORTS_MAX);
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
    check_pair(&large, &other[i], ct_vec(0.05, 0.1, 0.15),
               curved ? CURVED_SUPPORTS_MAX : SUPPORTS_MAX);
  }
  ct_hull_release(hull);
}

static const check_test tests[] = {
    {"hulls_stop_soon", hulls_stop_soon},
    {"hulls_against_other_kinds_stop_soon", hulls_against_other_kinds_stop_soon},
};

CHECK_MAIN(tests)
