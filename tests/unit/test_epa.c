/* EPA and the fifteen axes of two boxes: depth, normal and bracket, against brute force and against
 * each other. */
#include "convex/epa.h"
#include "primitives/box_box.h"

#include "tests/oracle/pair_cases.h"
#include "tests/oracle/pair_oracle.h"

static void place(const pair_case *c, ct_convex_proxy *a, ct_convex_proxy *b) {
  ct_frame fa = ct_frame_of(c->a.pose), fb = ct_frame_of(c->b.pose);
  ct_proxy_place(&c->a.shape, &fa, a);
  ct_proxy_place(&c->b.shape, &fb, b);
}

/* Boxes and hulls from any start, near contact on both sides: the depth is exact to round-off, also
 * where it is a tiny separation. */
static void depth_is_exact_to_round_off(void) {
  check_random r = {31};
  ct_epa epa = {0};
  ct_workspace *workspace = ct_workspace_create();
  for (int i = 0; i < 2000; i++) {
    pair_case c;
    make_body(&c.a, i & 1 ? CT_KIND_BOX : CT_KIND_CONVEX, &r, 1.0, ct_vec(1, 1, 1));
    make_body(&c.b, i & 2 ? CT_KIND_BOX : CT_KIND_CONVEX, &r, 1.0, ct_vec(1, 1, i & 8 ? 1e-6 : 1));
    c.a.pose.rotation = random_rotation(&r);
    c.b.pose.rotation = random_rotation(&r);
    place_near(&c, &r, 0.5);
    if (i & 4) bring_to_gap(&c, workspace, i & 16 ? -1e-12 : 0.0);
    oracle_body oa = oracle_of(&c.a.shape, &c.a.pose, c.a.points, c.a.count);
    oracle_body ob = oracle_of(&c.b.shape, &c.b.pose, c.b.points, c.b.count);
    double truth = -(double)oracle_distance(&oa, &ob, NULL);
    ct_convex_proxy a, b;
    place(&c, &a, &b);
    if (truth > -1e-15) {
      ct_epa_result e;
      ct_epa_run(&epa, &a, &b, NULL, &e);
      CHECK_NEAR(e.depth, truth, 64 * 0x1p-53 * 4.0);
      CHECK_NEAR(e.least, truth, 64 * 0x1p-53 * 4.0);
      CHECK_INT(e.status, CT_PAIR_OK);
      if (a.kind == CT_PROXY_BOX && b.kind == CT_PROXY_BOX) {
        ct_epa_result axes;
        ct_box_box_depth(&a, &b, &axes);
        CHECK_NEAR(axes.depth, truth, 64 * 0x1p-53 * 4.0);
      }
    }
    case_release(&c);
  }
  ct_workspace_destroy(workspace);
  ct_epa_free(&epa);
}

/* An initial polytope that does not contain the origin: expansion of the face of least offset
 * reaches the origin, and separate bodies are certified as separate. */
static void separation_by_a_face_is_certified(void) {
  ct_epa epa = {0};
  const ct_shape cube = {.kind = CT_KIND_BOX, .box = {{1, 1, 1}}};
  ct_convex_proxy a, b;
  ct_frame f = ct_frame_of(ct_pose_identity());
  ct_proxy_place(&cube, NULL, &a);
  for (int k = 0; k < 40; k += 3) {
    f.position = ct_vec(2.0 + ldexp(1.0, -k), 0.25, -0.5);
    ct_proxy_place(&cube, &f, &b);
    ct_epa_result e;
    ct_epa_run(&epa, &a, &b, NULL, &e);
    CHECK_NEAR(e.depth, -ldexp(1.0, -k), 32 * 0x1p-53);
    CHECK(e.normal.x == 1.0 && e.normal.y == 0.0 && e.normal.z == 0.0);
  }
  ct_epa_free(&epa);
}

static void origin_is_made_of_vertices_of_the_polytope(void) {
  ct_epa epa = {0};
  const ct_shape cube = {.kind = CT_KIND_BOX, .box = {{1, 1, 1}}};
  ct_frame f = ct_frame_of((ct_pose){{0.3, 0.4, 0.5}, {0.1, 0.2, 0.3, 0.9}});
  ct_convex_proxy a, b;
  ct_proxy_place(&cube, NULL, &a);
  ct_proxy_place(&cube, &f, &b);
  ct_epa_result e;
  ct_epa_run(&epa, &a, &b, NULL, &e);
  ct_minkowski_vertex vertex[4];
  double weights[4];
  CHECK(ct_epa_origin(&epa, vertex, weights));
  ct_vec3 sum = {0, 0, 0};
  for (int i = 0; i < 4; i++) {
    CHECK(weights[i] >= 0.0);
    sum = ct_add_scaled(sum, vertex[i].w, weights[i]);
  }
  CHECK(ct_norm(sum) <= 16 * 0x1p-53);
  ct_epa_free(&epa);
}

/* Two parallel segments: their difference is flat, which is not an error. */
static void flat_difference_has_depth_zero(void) {
  ct_epa epa = {0};
  const ct_shape capsule = {.kind = CT_KIND_CAPSULE, .capsule = {1, 0.5, 0.5}};
  ct_convex_proxy a, b;
  ct_frame f =
      ct_frame_of((ct_pose){{0, 0, 0.5}, {0.70710678118654752440, 0, 0, 0.70710678118654752440}});
  ct_proxy_place(&capsule, NULL, &a);
  ct_proxy_place(&capsule, &f, &b);
  ct_epa_result e;
  ct_epa_run(&epa, &a, &b, NULL, &e);
  CHECK_NEAR(e.depth, 0.0, 16 * 0x1p-53);
  CHECK_NEAR(fabs(e.normal.x), 1.0, 16 * 0x1p-53);
  CHECK(!ct_epa_origin(&epa, (ct_minkowski_vertex[4]){0}, (double[4]){0}));
  ct_epa_free(&epa);
}

static const check_test tests[] = {
    {"depth_is_exact_to_round_off", depth_is_exact_to_round_off},
    {"separation_by_a_face_is_certified", separation_by_a_face_is_certified},
    {"origin_is_made_of_vertices_of_the_polytope", origin_is_made_of_vertices_of_the_polytope},
    {"flat_difference_has_depth_zero", flat_difference_has_depth_zero},
};

CHECK_MAIN(tests)
