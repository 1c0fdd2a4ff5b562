/* Invariants of every pair: mirrored by a swap, unchanged by powers of two and by representable
 * translations, all to the last bit; certified by support functions alone; 1-Lipschitz under
 * translation; unchanged by rigid motion. */
#include "tests/oracle/pair_cases.h"

#define PAIRS 6000

static const ct_pair_options full = {.tolerance = 0.0, .threshold = INFINITY};

static const pair_family families[] = {family_random,          family_grid,
                                       family_concentric,      family_thin,
                                       family_nearly_parallel, family_scales};
#define FAMILIES (sizeof families / sizeof families[0])

static void solve(const pair_body *a, const pair_body *b, ct_workspace *workspace,
                  ct_pair_result *result) {
  ct_frame fa = ct_frame_of(a->pose), fb = ct_frame_of(b->pose);
  ct_pair_distance((ct_placed){&a->shape, &fa}, (ct_placed){&b->shape, &fb}, &full, workspace,
                   result);
}

/* Rounding, inset if the body supports it, and a margin: as large as the body, or a thousandth of
 * it. */
static void round_body(pair_body *b, check_random *r) {
  ct_vec3 center;
  double radius;
  ct_shape_ball(&b->shape, &center, &radius);
  if (pick(r, 2)) radius *= 1e-3;
  if (pick(r, 2)) b->shape.margin = radius * check_uniform(r, 0.01, 1.0);
  if (pick(r, 2)) return;
  b->shape.inset = b->shape.kind != CT_KIND_CONVEX && pick(r, 2);
  double most = b->shape.inset ? ct_shape_inset_limit(&b->shape, NULL) : radius;
  b->shape.rounding = most * check_uniform(r, 0.01, 0.99);
}

/* Calls visit with PAIRS cases of all families; every fifth is rounded, every third is brought to
 * contact first. */
static void each_case(uint64_t seed,
                      void (*visit)(const pair_case *, ct_workspace *, check_random *)) {
  check_random r = {seed};
  ct_workspace *workspace = ct_workspace_create();
  static const double gaps[] = {0.0, 1e-12, -1e-12, 1e-9, -1e-9};
  for (int i = 0; i < PAIRS; i++) {
    pair_case c;
    families[(size_t)i % FAMILIES](&c, &r);
    if (i % 5 == 0) round_body(&c.a, &r);
    if (i % 10 == 0) round_body(&c.b, &r);
    if (i % 3 == 0) bring_to_gap(&c, workspace, gaps[i / 3 % 5]);
    visit(&c, workspace, &r);
    case_release(&c);
  }
  ct_workspace_destroy(workspace);
}

static bool same(ct_vec3 a, ct_vec3 b) { return memcmp(&a, &b, sizeof a) == 0; }
static ct_vec3 opposite(ct_vec3 v) { return ct_vec(0.0 - v.x, 0.0 - v.y, 0.0 - v.z); }

static void check_swap(const pair_case *c, ct_workspace *workspace, check_random *r) {
  (void)r;
  ct_pair_result p, q;
  solve(&c->a, &c->b, workspace, &p);
  solve(&c->b, &c->a, workspace, &q);
  CHECK(p.distance == q.distance && p.lower_bound == q.lower_bound &&
        p.upper_bound == q.upper_bound);
  CHECK(same(p.normal, opposite(q.normal)) && same(p.point_a, q.point_b) &&
        same(p.point_b, q.point_a));
  CHECK(p.flags == q.flags && p.status == q.status && p.iterations == q.iterations);
  if (p.relation == CT_CONTAINING) CHECK_INT(q.relation, CT_CONTAINED);
  if (p.relation == CT_CONTAINED) CHECK_INT(q.relation, CT_CONTAINING);
  if (p.relation < CT_CONTAINING) CHECK_INT(q.relation, p.relation);
}
static void swapped_pairs_mirror_bit_for_bit(void) { each_case(11, check_swap); }

/* The body with all lengths times a power of two. */
static pair_body scaled(const pair_body *b, double s) {
  pair_body t = *b;
  t.pose.position = ct_scale(b->pose.position, s);
  switch (b->shape.kind) {
  case CT_KIND_SPHERE: t.shape.sphere.radius *= s; break;
  case CT_KIND_BOX: t.shape.box.half = ct_scale(b->shape.box.half, s); break;
  case CT_KIND_CAPSULE:
    t.shape.capsule.half_length *= s;
    t.shape.capsule.radius_bottom *= s;
    t.shape.capsule.radius_top *= s;
    break;
  default:
    for (int i = 0; i < t.count; i++) t.points[i] = ct_scale(b->points[i], s);
    if (!make_hull(&t)) CHECK_FAIL("scaled hull is degenerate");
  }
  t.shape.rounding = s * b->shape.rounding;
  t.shape.margin = s * b->shape.margin;
  return t;
}

static void check_scale(const pair_case *c, ct_workspace *workspace, check_random *r) {
  double s = pick(r, 2) ? 0x1p+13 : 0x1p-17;
  pair_body a = scaled(&c->a, s), b = scaled(&c->b, s);
  ct_pair_result p, q;
  solve(&c->a, &c->b, workspace, &p);
  solve(&a, &b, workspace, &q);
  CHECK(q.distance == s * p.distance && q.lower_bound == s * p.lower_bound &&
        q.upper_bound == s * p.upper_bound);
  CHECK(same(p.normal, q.normal) && same(ct_scale(p.point_a, s), q.point_a) &&
        same(ct_scale(p.point_b, s), q.point_b));
  CHECK(p.relation == q.relation && p.flags == q.flags && p.status == q.status &&
        p.iterations == q.iterations);
  body_release(&a);
  body_release(&b);
}
static void powers_of_two_scale_every_bit(void) { each_case(12, check_scale); }

/* Positions on a grid of 2^-30 m, translated by whole metres: the sums are exact. */
static void check_translation(const pair_case *c, ct_workspace *workspace, check_random *r) {
  pair_body a = c->a, b = c->b, far_a, far_b;
  a.pose.position = snap_vec(a.pose.position, 0x1p-30);
  b.pose.position = snap_vec(b.pose.position, 0x1p-30);
  ct_vec3 by = snap_vec(random_vec(r, 4096.0), 1.0);
  far_a = a;
  far_b = b;
  far_a.pose.position = ct_add(a.pose.position, by);
  far_b.pose.position = ct_add(b.pose.position, by);
  ct_pair_result p, q;
  solve(&a, &b, workspace, &p);
  solve(&far_a, &far_b, workspace, &q);
  CHECK(p.distance == q.distance && p.lower_bound == q.lower_bound &&
        p.upper_bound == q.upper_bound && same(p.normal, q.normal));
  CHECK(p.relation == q.relation && p.flags == q.flags && p.iterations == q.iterations);
}
static void exact_translations_change_no_bit(void) { each_case(13, check_translation); }

/* Extent of the body along a world direction, by its support function alone. */
static double reach_along(const pair_body *b, ct_vec3 n) {
  ct_frame f = ct_frame_of(b->pose);
  ct_vec3 d = ct_mat_tmul(f.rotation, n);
  return ct_dot(d, ct_shape_support(&b->shape, d)) + ct_dot(n, b->pose.position);
}

static double size_of(const pair_case *c) {
  ct_vec3 p, q;
  double r, s;
  ct_shape_ball(&c->a.shape, &p, &r);
  ct_shape_ball(&c->b.shape, &q, &s);
  return ct_norm(p) + r + ct_norm(q) + s + ct_max_abs(c->a.pose.position) +
         ct_max_abs(c->b.pose.position);
}

/* The normal proves the lower bound; the points prove the upper one if the bodies are apart. */
static void check_certificate(const pair_case *c, ct_workspace *workspace, check_random *r) {
  (void)r;
  ct_pair_result p;
  solve(&c->a, &c->b, workspace, &p);
  double unit = 0x1p-53 * size_of(c);
  double proven = -reach_along(&c->b, opposite(p.normal)) - reach_along(&c->a, p.normal);
  CHECK(proven >= p.distance - 64.0 * unit);
  CHECK(p.lower_bound <= p.distance && p.distance <= p.upper_bound);
  ct_vec3 gap = ct_sub(p.point_b, p.point_a);
  CHECK(ct_norm(ct_add_scaled(gap, p.normal, -p.distance)) <= 64.0 * unit);
  CHECK_NEAR(ct_dot(p.normal, p.point_a), reach_along(&c->a, p.normal), 64.0 * unit);
  CHECK_NEAR(-ct_dot(p.normal, p.point_b), reach_along(&c->b, opposite(p.normal)), 64.0 * unit);
  CHECK_NEAR(ct_norm(p.normal), 1.0, 4.0 * 0x1p-52);
}
/* Row 18: bounds of distances prove themselves. */
static void answers_satisfy_their_certificates(void) { each_case(14, check_certificate); }

static void check_lipschitz(const pair_case *c, ct_workspace *workspace, check_random *r) {
  pair_body moved = c->b;
  ct_vec3 by = random_vec(r, pick(r, 2) ? 0.1 : 1e-9);
  moved.pose.position = ct_add(c->b.pose.position, by);
  by = ct_sub(moved.pose.position, c->b.pose.position);
  ct_pair_result p, q;
  solve(&c->a, &c->b, workspace, &p);
  solve(&c->a, &moved, workspace, &q);
  CHECK(fabs(q.distance - p.distance) <= ct_norm(by) + 64.0 * 0x1p-53 * size_of(c));
}
static void distance_changes_no_faster_than_position(void) { each_case(15, check_lipschitz); }

static void check_motion(const pair_case *c, ct_workspace *workspace, check_random *r) {
  ct_pose motion = {.position = random_vec(r, 10.0)};
  motion.rotation = random_rotation(r);
  ct_mat3 turn = ct_quat_matrix(motion.rotation);
  pair_body moved[2] = {c->a, c->b};
  for (int i = 0; i < 2; i++) {
    moved[i].pose.rotation = ct_quat_mul(motion.rotation, moved[i].pose.rotation);
    moved[i].pose.position = ct_add(ct_mat_mul(turn, moved[i].pose.position), motion.position);
  }
  ct_pair_result p, q;
  solve(&c->a, &c->b, workspace, &p);
  solve(&moved[0], &moved[1], workspace, &q);
  CHECK_NEAR(q.distance, p.distance, 64.0 * 0x1p-53 * (size_of(c) + 20.0));
}
static void a_rigid_motion_does_not_change_the_distance(void) { each_case(16, check_motion); }

/* Axis-aligned bodies step through contact by one unit in the last place: there is exactly one
 * change from free to overlapping. */
static void one_ulp_steps_cross_contact_once(void) {
  ct_vec3 corners[8];
  for (int i = 0; i < 8; i++)
    corners[i] = ct_vec(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5);
  ct_hull *cube = NULL;
  CHECK_INT(ct_hull_from_points(corners, 8, NULL, &cube, NULL), CT_OK);
  const ct_shape shapes[] = {{.kind = CT_KIND_SPHERE, .sphere = {0.5}},
                             {.kind = CT_KIND_BOX, .box = {{0.5, 0.5, 0.5}}},
                             {.kind = CT_KIND_CAPSULE, .capsule = {0.25, 0.5, 0.5}},
                             {.kind = CT_KIND_CONVEX, .hull = cube}};
  ct_workspace *workspace = ct_workspace_create();
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      ct_frame fa = ct_frame_of(ct_pose_identity()), fb = fa;
      int changes = 0;
      bool before = false;
      double x = 1.0 + 40 * 0x1p-52;
      for (int step = 0; step < 80; step++, x = nextafter(x, 0.0)) {
        fb.position.x = x;
        ct_pair_result p;
        ct_pair_distance((ct_placed){&shapes[i], &fa}, (ct_placed){&shapes[j], &fb}, &full,
                         workspace, &p);
        bool now = ct_pair_overlap((ct_placed){&shapes[i], &fa}, (ct_placed){&shapes[j], &fb},
                                   workspace, NULL);
        CHECK(now == (p.distance <= 0.0));
        CHECK_NEAR(p.distance, x - 1.0, 8 * 0x1p-53);
        changes += now != before;
        before = now;
      }
      CHECK_INT(changes, 1);
    }
  ct_workspace_destroy(workspace);
  ct_hull_release(cube);
}

static const check_test tests[] = {
    {"swapped_pairs_mirror_bit_for_bit", swapped_pairs_mirror_bit_for_bit},
    {"powers_of_two_scale_every_bit", powers_of_two_scale_every_bit},
    {"exact_translations_change_no_bit", exact_translations_change_no_bit},
    {"answers_satisfy_their_certificates", answers_satisfy_their_certificates},
    {"distance_changes_no_faster_than_position", distance_changes_no_faster_than_position},
    {"a_rigid_motion_does_not_change_the_distance", a_rigid_motion_does_not_change_the_distance},
    {"one_ulp_steps_cross_contact_once", one_ulp_steps_cross_contact_once},
};

CHECK_MAIN(tests)
