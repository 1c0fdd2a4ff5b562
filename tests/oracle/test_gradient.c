/* Gradients of the distance against finite differences of the long double oracle, for each body and
 * each axis. */
#include "tests/oracle/pair_cases.h"
#include "tests/oracle/pair_oracle.h"

#define STEP 1e-5

static long double distance_of(const pair_case *c) {
  oracle_body a = oracle_of(&c->a.shape, &c->a.pose, c->a.points, c->a.count);
  oracle_body b = oracle_of(&c->b.shape, &c->b.pose, c->b.points, c->b.count);
  return oracle_distance(&a, &b, NULL);
}

static double part(ct_vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }
static ct_vec3 along(int axis, double size) {
  return ct_vec(axis == 0 ? size : 0.0, axis == 1 ? size : 0.0, axis == 2 ? size : 0.0);
}

/* The pose, shifted or rotated about its position by a small step along an axis. */
static ct_pose stepped(ct_pose pose, bool turn, int axis, double size) {
  if (!turn) {
    pose.position = ct_add(pose.position, along(axis, size));
    return pose;
  }
  ct_vec3 half = along(axis, sin(size / 2.0));
  pose.rotation = ct_quat_mul((ct_quat){half.x, half.y, half.z, cos(size / 2.0)}, pose.rotation);
  return pose;
}

/* The one-sided slopes. */
static void slopes(const pair_case *c, bool second, bool turn, int axis, long double out[2]) {
  long double here = distance_of(c);
  for (int side = 0; side < 2; side++) {
    pair_case moved = *c;
    ct_pose *pose = second ? &moved.b.pose : &moved.a.pose;
    double size = side ? STEP : -STEP;
    *pose = stepped(*pose, turn, axis, size);
    long double step =
        turn ? size
             : part(ct_sub(pose->position, second ? c->b.pose.position : c->a.pose.position), axis);
    out[side] = (distance_of(&moved) - here) / step;
  }
}

static ct_pair_result answer(const pair_case *c, ct_workspace *workspace) {
  ct_frame a = ct_frame_of(c->a.pose), b = ct_frame_of(c->b.pose);
  ct_pair_options options = {.threshold = INFINITY};
  ct_pair_result r;
  ct_pair_distance((ct_placed){&c->a.shape, &a}, (ct_placed){&c->b.shape, &b}, &options, workspace,
                   &r);
  return r;
}

static void slopes_are_those_of_the_oracle(void) {
  check_random r = {31};
  ct_workspace *workspace = ct_workspace_create();
  int smooth = 0, apart = 0;
  for (int i = 0; i < 700; i++) {
    pair_case c;
    family_random(&c, &r);
    ct_pair_result result = answer(&c, workspace);
    ct_gradient g;
    bool has = ct_pair_gradient(&result, c.a.pose.position, c.b.pose.position, &g);
    CHECK(has == !(result.flags & CT_FLAG_NORMAL_ARBITRARY));
    for (int k = 0; has && k < 12; k++) {
      bool second = k >= 6, turn = k / 3 % 2;
      long double slope[2];
      slopes(&c, second, turn, k % 3, slope);
      const ct_pose_gradient *of = second ? &g.b : &g.a;
      double got = part(turn ? of->rotation : of->translation, k % 3);
      /* Curvature, or a kink nearby, makes the two one-sided slopes differ. */
      double bend = (double)fabsl(slope[0] - slope[1]);
      CHECK_NEAR(got, (double)(slope[0] + slope[1]) / 2.0, 1e-9 + bend);
      smooth += bend < 1e-4;
      apart += result.distance > 0.0;
    }
    case_release(&c);
  }
  CHECK(smooth > 6500 && apart > 2000 && apart < 6400);
  ct_workspace_destroy(workspace);
}

/* A common motion does not change the distance: the parts of a and b, taken about one point,
 * cancel. */
static void a_common_motion_changes_nothing(void) {
  check_random r = {32};
  ct_workspace *workspace = ct_workspace_create();
  for (int i = 0; i < 2000; i++) {
    pair_case c;
    family_random(&c, &r);
    ct_pair_result result = answer(&c, workspace);
    ct_gradient g;
    if (ct_pair_gradient(&result, ct_vec(0.0, 0.0, 0.0), ct_vec(0.0, 0.0, 0.0), &g)) {
      CHECK_NEAR(ct_norm(ct_add(g.a.translation, g.b.translation)), 0.0, 0.0);
      CHECK_NEAR(ct_norm(ct_add(g.a.rotation, g.b.rotation)), 0.0, 1e-14);
    }
    case_release(&c);
  }
  ct_workspace_destroy(workspace);
}

static void a_pair_with_several_normals_has_none(void) {
  ct_workspace *workspace = ct_workspace_create();
  pair_case c = {
      .a = {.shape = {.kind = CT_KIND_SPHERE, .sphere = {1.0}}, .pose = ct_pose_identity()}};
  c.b = c.a;
  ct_pair_result r = answer(&c, workspace);
  ct_gradient g;
  CHECK(!ct_pair_gradient(&r, c.a.pose.position, c.b.pose.position, &g));
  c.a.shape = c.b.shape = (ct_shape){.kind = CT_KIND_PLANE};
  c.b.pose.rotation = (ct_quat){0.6, 0.0, 0.0, 0.8};
  r = answer(&c, workspace);
  CHECK_INT(r.status, CT_PAIR_UNSUPPORTED);
  CHECK(!ct_pair_gradient(&r, c.a.pose.position, c.b.pose.position, &g));
  ct_workspace_destroy(workspace);
}

/* Gradients are absent where they are undefined: the depth of a deepest feature depends on more
 * than the normal, and crossing surfaces have no depth. */
static void depths_that_are_not_minimal_have_no_gradient(void) {
  ct_pair_result r = {.distance = -0.5, .normal = {0.0, 0.0, 1.0}, .point_a = {0.0, 0.0, 0.5}};
  ct_gradient g;
  CHECK(ct_pair_gradient(&r, ct_vec(0.0, 0.0, 0.0), ct_vec(0.0, 0.0, 0.0), &g));
  r.depth_kind = CT_DEPTH_FEATURE;
  CHECK(!ct_pair_gradient(&r, ct_vec(0.0, 0.0, 0.0), ct_vec(0.0, 0.0, 0.0), &g));
  r = (ct_pair_result){.normal = {0.0, 0.0, 1.0}, .depth_kind = CT_DEPTH_NONE};
  CHECK(!ct_pair_gradient(&r, ct_vec(0.0, 0.0, 0.0), ct_vec(0.0, 0.0, 0.0), &g));
}

/* A ball over the ground on a lever arm: rotating the arm lifts it in proportion to the arm. */
static void a_lever_lifts(void) {
  ct_pair_result r = {.distance = 0.5,
                      .normal = {0.0, 0.0, 1.0},
                      .point_a = {2.0, 0.0, 0.0},
                      .point_b = {2.0, 0.0, 0.5}};
  ct_gradient g;
  CHECK(ct_pair_gradient(&r, ct_vec(0.0, 0.0, 0.0), ct_vec(0.0, 0.0, 1.0), &g));
  CHECK(g.b.translation.z == 1.0 && g.a.translation.z == -1.0);
  CHECK(g.b.rotation.x == 0.0 && g.b.rotation.y == -2.0 &&
        g.b.rotation.z == 0.0); /* about +y, +x goes down */
  CHECK(g.a.rotation.x == 0.0 && g.a.rotation.y == 2.0 && g.a.rotation.z == 0.0);
}

static const check_test tests[] = {
    {"slopes are those of the oracle", slopes_are_those_of_the_oracle},
    {"a common motion changes nothing", a_common_motion_changes_nothing},
    {"a pair with several normals has none", a_pair_with_several_normals_has_none},
    {"depths that are not minimal have none", depths_that_are_not_minimal_have_no_gradient},
    {"a lever lifts", a_lever_lifts},
};

CHECK_MAIN(tests)
