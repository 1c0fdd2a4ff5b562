/* Overlapping pairs for which a ring of normals, or an arc of one, is equally or almost equally
 * deep: nearly coincident axes, axes through corners and along edges, ellipsoids nearly of
 * revolution. Their depth is bracketed to the promised 2e-8 in bounded work; planes sampled in long
 * double over the whole ring are never farther apart than the upper bound. */
#include "tests/oracle/kind_oracle.h"

/* Relative to the sum of both reaches. */
#define WIDTH 2e-8
/* Support evaluations of all stages of a search that ends before its limit. */
#define SUPPORTS 8192u
/* Permitted excess of the sampled planes over a bound, in u of the size: rounding of their own
 * normal and sums. */
#define ROUNDING 96.0

enum { AROUND = 64, ALONG = 17 };

static double reach_of(const pair_body *b) {
  ct_vec3 center;
  double radius;
  ct_shape_ball(&b->shape, &center, &radius);
  return ct_norm(center) + radius;
}

/* Samples normals around the axis of the first body, inclined to it like the answer's normal and
 * near that. */
static long double best_of_ring(const pair_case *c, ct_vec3 normal) {
  ct_mat3 m = ct_quat_matrix(c->a.pose.rotation);
  ct_vec3 n = ct_mat_tmul(m, normal);
  long double best = -INFINITY;
  for (int i = 0; i < AROUND; i++)
    for (int k = 0; k < ALONG; k++) {
      double angle = 6.283185307179586 * i / AROUND,
             lean = n.z + ldexp(k % 2 ? 1.0 : -1.0, -4 * (k / 2) - 4) * (k > 0);
      double level = ct_min2(ct_max2(lean, -1.0), 1.0), across = sqrt(1.0 - level * level);
      ct_vec3 local = {across * cos(angle), across * sin(angle), level};
      best = kind_greater(best, kind_gap(c, ct_mat_mul(m, local)));
    }
  return best;
}

static void judge(const pair_case *c, ct_workspace *workspace, const char *family, int index,
                  double *widest) {
  ct_frame fa = ct_frame_of(c->a.pose), fb = ct_frame_of(c->b.pose);
  const ct_pair_options options = {.tolerance = 0.0, .threshold = INFINITY};
  ct_pair_result r;
  ct_pair_distance((ct_placed){&c->a.shape, &fa}, (ct_placed){&c->b.shape, &fb}, &options,
                   workspace, &r);
  if (r.distance > 0.0) return;
  double size = reach_of(&c->a) + reach_of(&c->b), unit = 0x1p-53 * size,
         width = (r.upper_bound - r.lower_bound) / size;
  *widest = ct_max2(*widest, width);
  if (width > WIDTH || r.status != CT_PAIR_OK || r.iterations > SUPPORTS)
    CHECK_FAIL("%s %d (%s, %s): width %g, status %d, %u supports", family, index,
               ct_kind_word(c->a.shape.kind), ct_kind_word(c->b.shape.kind), width, (int)r.status,
               r.iterations);
  double own = (double)kind_gap(c, r.normal), ring = (double)best_of_ring(c, r.normal);
  if (own < r.lower_bound - ROUNDING * unit)
    CHECK_FAIL("%s %d: its normal does not prove the lower bound", family, index);
  if (ct_max2(own, ring) > r.upper_bound)
    CHECK_FAIL("%s %d: planes prove %g more than the upper bound", family, index,
               ct_max2(own, ring) - r.upper_bound);
}

static ct_kind round_kind(check_random *r) {
  static const ct_kind kinds[] = {CT_KIND_CYLINDER, CT_KIND_CONE, CT_KIND_CAPSULE,
                                  CT_KIND_ELLIPSOID};
  return kinds[pick(r, 4)];
}

/* A body of revolution; for ellipsoids, up to the relative difference `unequal` of a radius. */
static void make_round(pair_body *b, ct_kind kind, check_random *r, double unequal) {
  make_body(b, kind, r, 1.0, ct_vec(0.3, 0.3, 1.0));
  if (kind == CT_KIND_ELLIPSOID)
    b->shape.ellipsoid.radii.y = b->shape.ellipsoid.radii.x * (1.0 + unequal);
}

/* 10^-e, e uniform between low and high. */
static double power(check_random *r, double low, double high) {
  return pow(10.0, -check_uniform(r, low, high));
}

static void run(const char *name, void (*make)(pair_case *, check_random *), int count,
                uint64_t seed) {
  check_random r = {seed};
  ct_workspace *workspace = ct_workspace_create();
  double widest = 0.0;
  for (int i = 0; i < count && check_failures < 10; i++) {
    pair_case c;
    make(&c, &r);
    judge(&c, workspace, name, i, &widest);
    case_release(&c);
  }
  printf("%-24s %d pairs, brackets up to %.2g of the size\n", name, count, widest);
  ct_workspace_destroy(workspace);
}

static void make_axes_almost_one(pair_case *c, check_random *r) {
  make_round(&c->a, pick(r, 2) ? CT_KIND_CYLINDER : CT_KIND_CONE, r, 0.0);
  make_round(&c->b, round_kind(r), r, 0.0);
  double angle = power(r, 1.0, 16.0), aside = power(r, 1.0, 16.0);
  c->a.pose.rotation = random_rotation(r);
  ct_vec3 axis = random_vec(r, 1.0), off = random_vec(r, 1.0);
  c->b.pose.rotation =
      ct_quat_mul(c->a.pose.rotation, (ct_quat){angle * axis.x, angle * axis.y, axis.z, 1.0});
  c->a.pose.position = random_vec(r, 1.0);
  ct_vec3 local = {aside * off.x, aside * off.y, 0.7 * off.z};
  c->b.pose.position =
      ct_add(c->a.pose.position, ct_mat_mul(ct_quat_matrix(c->a.pose.rotation), local));
}

/* A corner of a box or hull on the axis, or almost. */
static void make_axis_through_a_corner(pair_case *c, check_random *r) {
  make_round(&c->a, pick(r, 2) ? CT_KIND_CYLINDER : CT_KIND_CONE, r, 0.0);
  make_body(&c->b, pick(r, 2) ? CT_KIND_BOX : CT_KIND_CONVEX, r, 1.0, ct_vec(1, 1, 1));
  c->a.pose.rotation = random_rotation(r);
  c->b.pose.rotation = random_rotation(r);
  c->a.pose.position = random_vec(r, 1.0);
  ct_vec3 corner = c->b.count ? c->b.points[0] : c->b.shape.box.half, along = random_vec(r, 0.6);
  double aside = pick(r, 2) ? power(r, 3.0, 16.0) : 0.0;
  ct_vec3 at = ct_mat_mul(ct_quat_matrix(c->a.pose.rotation),
                          ct_vec(aside * along.x, aside * along.y, along.z));
  c->b.pose.position = ct_sub(ct_add(c->a.pose.position, at),
                              ct_mat_mul(ct_quat_matrix(c->b.pose.rotation), corner));
}

/* An edge of a box along the axis, or almost. */
static void make_axis_along_an_edge(pair_case *c, check_random *r) {
  make_round(&c->a, pick(r, 2) ? CT_KIND_CYLINDER : CT_KIND_CONE, r, 0.0);
  make_body(&c->b, CT_KIND_BOX, r, 1.0, ct_vec(1, 1, 1));
  double angle = pick(r, 2) ? power(r, 2.0, 16.0) : 0.0,
         aside = pick(r, 2) ? power(r, 2.0, 16.0) : 0.0;
  ct_vec3 turn = random_vec(r, angle), half = c->b.shape.box.half, off = random_vec(r, 1.0);
  c->b.pose.rotation = (ct_quat){turn.x, turn.y, off.x, 1.0};
  c->b.pose.position =
      ct_sub(ct_vec(aside * off.x, aside * off.y, 0.5 * off.z),
             ct_mat_mul(ct_quat_matrix(c->b.pose.rotation), ct_vec(half.x, half.y, 0.0)));
}

/* Regressions found by grid families: cylinders whose axis is along an edge of a box, and arcs that
 * end in a corner. */
static void make_on_a_grid(pair_case *c, check_random *r) {
  c->a.count = c->b.count = 0;
  c->a.shape = (ct_shape){
      .kind = CT_KIND_CYLINDER,
      .cylinder = {.radius = 0.25 * (1 + pick(r, 6)), .half_length = 0.25 * (2 + pick(r, 6))}};
  ct_vec3 half = {0.25 * (2 + pick(r, 5)), 0.25 * (2 + pick(r, 5)), 0.25 * (2 + pick(r, 5))};
  c->b.shape = (ct_shape){.kind = CT_KIND_BOX, .box = {half}};
  c->a.pose = c->b.pose = ct_pose_identity();
  c->b.pose.rotation = special_rotation(r);
  ct_vec3 edge = {pick(r, 2) ? half.x : -half.x, pick(r, 2) ? half.y : -half.y, 0.25 * pick(r, 3)};
  c->b.pose.position = ct_neg(ct_mat_mul(ct_quat_matrix(c->b.pose.rotation), edge));
}

static void almost_parallel_axes(void) { run("axes almost one", make_axes_almost_one, 600, 1); }
static void axes_through_corners(void) {
  run("axis through a corner", make_axis_through_a_corner, 600, 2);
}
static void axes_along_edges(void) { run("axis along an edge", make_axis_along_an_edge, 600, 3); }
static void pairs_on_a_grid(void) { run("on a grid", make_on_a_grid, 600, 4); }

static const check_test tests[] = {
    {"almost_parallel_axes", almost_parallel_axes},
    {"axes_through_corners", axes_through_corners},
    {"axes_along_edges", axes_along_edges},
    {"pairs_on_a_grid", pairs_on_a_grid},
};

CHECK_MAIN(tests)
