/* Pairs of meshes against brute force over all pairs of triangles in 113 bits, and against the same
 * solids given as other kinds. */
#include "tests/oracle/mesh_oracle.h"
#include "tests/support/workspace.h"

#include <float.h>

static const ct_pair_options full = {.tolerance = 0.0, .threshold = INFINITY};

static bool same_vec(ct_vec3 a, ct_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/* The same answer bit for bit; iteration counts may differ. */
static bool same(const ct_pair_result *p, const ct_pair_result *q) {
  return p->distance == q->distance && p->lower_bound == q->lower_bound &&
         p->upper_bound == q->upper_bound && same_vec(p->normal, q->normal) &&
         same_vec(p->point_a, q->point_a) && same_vec(p->point_b, q->point_b) &&
         p->relation == q->relation && p->status == q->status && p->flags == q->flags &&
         p->depth_kind == q->depth_kind && p->triangle_a == q->triangle_a &&
         p->triangle_b == q->triangle_b;
}

/* Invariants of every answer. */
static void check_answer(ct_placed a, ct_placed b, const ct_pair_result *r, double unit) {
  ct_pair_result swapped;
  ct_pair_distance(b, a, &full, workspace, &swapped);
  CHECK(swapped.distance == r->distance && swapped.lower_bound == r->lower_bound &&
        swapped.upper_bound == r->upper_bound);
  CHECK(swapped.normal.x == -r->normal.x && swapped.normal.y == -r->normal.y &&
        swapped.normal.z == -r->normal.z);
  CHECK(same_vec(swapped.point_a, r->point_b) && same_vec(swapped.point_b, r->point_a));
  CHECK(swapped.triangle_a == r->triangle_b && swapped.triangle_b == r->triangle_a &&
        swapped.depth_kind == r->depth_kind);
  CHECK_NEAR(ct_norm(r->normal), 1.0, 8 * 0x1p-53);
  CHECK(r->lower_bound <= r->distance && r->distance <= r->upper_bound);
  CHECK(r->upper_bound - r->lower_bound <= 2048 * unit);
  CHECK(ct_norm(ct_sub(ct_sub(r->point_b, r->point_a), ct_scale(r->normal, r->distance))) <=
        128 * unit);
  ct_vec3 witness;
  CHECK(ct_pair_overlap(a, b, workspace, &witness) == (r->distance <= 0.0));
  CHECK((r->relation == CT_SEPARATED) == (r->distance > 0.0));
  const double thresholds[] = {0.0, 0.5 * fabs(r->distance), fabs(r->distance),
                               2.0 * fabs(r->distance)};
  for (int i = 0; i < 4; i++) {
    ct_pair_result early;
    ct_pair_distance(a, b, &(ct_pair_options){0.0, thresholds[i]}, workspace, &early);
    if (r->distance <= thresholds[i]) CHECK(same(&early, r));
    else
      CHECK(early.distance > thresholds[i] && early.distance <= r->upper_bound &&
            early.relation == CT_SEPARATED);
  }
}

static void distances_of_surfaces_agree_with_brute_force(void) {
  check_random r = {11};
  for (int i = 0; i < 40; i++) {
    const double scales[] = {1.0, 1e-3, 1e3};
    double scale = scales[i % 3];
    soup a = {0}, b = {0};
    if (i % 4 < 2) oracle_star(&a, &r, scale);
    else oracle_loose(&a, &r, scale);
    if (i % 8 < 4) oracle_star(&b, &r, scale);
    else oracle_loose(&b, &r, scale);
    ct_shape sa = oracle_shape_of(&a, CT_MESH_SURFACE), sb = oracle_shape_of(&b, CT_MESH_SURFACE);
    ct_pose pa = oracle_random_pose(&r, 1.5 * scale), pb = oracle_random_pose(&r, 1.5 * scale);
    ct_frame fa = ct_frame_of(pa), fb = ct_frame_of(pb);
    ct_pair_result result;
    ct_pair_distance((ct_placed){&sa, &fa}, (ct_placed){&sb, &fb}, &full, workspace, &result);
    double truth = oracle_brute_force(&a, &pa, &b, &pb), unit = 0x1p-53 * 4.0 * scale;
    CHECK_NEAR(result.distance, truth, 64 * unit);
    CHECK(result.lower_bound <= truth && truth <= result.upper_bound);
    check_answer((ct_placed){&sa, &fa}, (ct_placed){&sb, &fb}, &result, unit);
    if (truth > 0.0) {
      const uint32_t *t = a.t[result.triangle_a], *u = b.t[result.triangle_b];
      ct_vec3 *p = malloc(a.vn * sizeof *p), *q = malloc(b.vn * sizeof *q);
      oracle_place(&a, &pa, p);
      oracle_place(&b, &pb, q);
      const ct_vec3 on_a[3] = {p[t[0]], p[t[1]], p[t[2]]}, on_b[3] = {q[u[0]], q[u[1]], q[u[2]]};
      const ct_vec3 point_a[3] = {result.point_a, result.point_a, result.point_a};
      const ct_vec3 point_b[3] = {result.point_b, result.point_b, result.point_b};
      CHECK(oracle_triangles(on_a, point_a) <= 64 * unit &&
            oracle_triangles(on_b, point_b) <= 64 * unit);
      free(p);
      free(q);
    } else {
      CHECK_INT(result.depth_kind, CT_DEPTH_NONE);
      CHECK(result.distance == 0.0 && result.lower_bound == 0.0 && result.upper_bound == 0.0);
      CHECK(result.flags & CT_FLAG_NORMAL_ARBITRARY);
    }
    soup_free(&a);
    soup_free(&b);
    ct_shape_release(&sa);
    ct_shape_release(&sb);
  }
}

/* A box given as a mesh behaves as the box: equal up to round-off when apart, and overlapping
 * exactly when the box does. */
static void a_box_of_triangles_is_a_box_to_every_convex_kind(void) {
  check_random r = {12};
  ct_hull *hull = NULL;
  const ct_vec3 points[] = {
      {0.7, 0, -0.5}, {-0.4, 0.6, -0.5}, {-0.4, -0.6, -0.5}, {0.1, 0.2, 0.9}, {-0.2, 0.1, 0.8}};
  CHECK_INT(ct_hull_from_points(points, 5, NULL, &hull, NULL), CT_OK);
  const ct_shape kinds[] = {
      {.kind = CT_KIND_SPHERE, .sphere = {0.6}},
      {.kind = CT_KIND_BOX, .box = {{0.3, 0.5, 0.7}}},
      {.kind = CT_KIND_BOX, .box = {{0.3, 0.5, 0.7}}, .rounding = 0.1},
      {.kind = CT_KIND_CAPSULE, .capsule = {0.5, 0.25, 0.25}},
      {.kind = CT_KIND_CAPSULE, .capsule = {0.5, 0.35, 0.15}},
      {.kind = CT_KIND_CYLINDER, .cylinder = {0.4, 0.6}},
      {.kind = CT_KIND_CONE, .cone = {0.6, 0.5, 0.0}},
      {.kind = CT_KIND_ELLIPSOID, .ellipsoid = {{0.3, 0.5, 0.8}}},
      {.kind = CT_KIND_CONVEX, .hull = hull},
      {.kind = CT_KIND_CONVEX, .hull = hull, .margin = 0.05},
      {.kind = CT_KIND_PLANE},
  };
  ct_vec3 half = {0.8, 1.0, 0.5};
  ct_shape mesh = oracle_box_mesh(half), box = {.kind = CT_KIND_BOX, .box = {half}};
  int met = 0, apart = 0;
  for (int k = 0; k < (int)(sizeof kinds / sizeof *kinds); k++)
    for (int i = 0; i < 60; i++) {
      ct_frame fa = ct_frame_of(oracle_random_pose(&r, 1.0)),
               fb = ct_frame_of(oracle_random_pose(&r, 1.0));
      ct_pair_result as_mesh, as_box;
      ct_placed other = {&kinds[k], &fb};
      ct_pair_distance((ct_placed){&mesh, &fa}, other, &full, workspace, &as_mesh);
      ct_pair_distance((ct_placed){&box, &fa}, other, &full, workspace, &as_box);
      CHECK_INT(as_mesh.status, CT_PAIR_OK);
      CHECK((as_mesh.distance <= 0.0) == (as_box.distance <= 0.0));
      if (as_box.distance > 0.0) {
        CHECK_NEAR(as_mesh.distance, as_box.distance, 1e-11);
        CHECK(as_mesh.lower_bound <= as_box.upper_bound &&
              as_box.lower_bound <= as_mesh.upper_bound);
        apart++;
      } else {
        CHECK(as_mesh.distance < 0.0);
        if (k < 10) CHECK(as_mesh.distance >= -2.0 && as_mesh.depth_kind == CT_DEPTH_FEATURE);
        else CHECK_NEAR(as_mesh.distance, as_box.distance, 1e-14);
        met++;
      }
      if (as_box.relation == CT_CONTAINING || as_box.relation == CT_CONTAINED)
        CHECK_INT(as_mesh.relation, as_box.relation);
      check_answer((ct_placed){&mesh, &fa}, other, &as_mesh, 0x1p-53 * 4.0);
    }
  CHECK(met > 100 && apart > 100);
  ct_shape_release(&mesh);
  ct_hull_release(hull);
}

static void a_surface_crosses_a_body_at_distance_zero(void) {
  soup s = {0};
  soup_box(&s, ct_vec(-1, -1, -1), ct_vec(1, 1, 1));
  s.tn -= 2; /* open on one side */
  ct_shape open = oracle_shape_of(&s, CT_MESH_AUTO),
           ball = {.kind = CT_KIND_SPHERE, .sphere = {0.5}};
  soup_free(&s);
  CHECK(!ct_mesh_get(open.mesh)->solid);
  const struct {
    double x, distance;
    ct_relation relation;
  } cases[] = {{0.0, 0.5, CT_SEPARATED},   {0.5, 0.0, CT_TOUCHING}, {0.75, 0.0, CT_PENETRATING},
               {1.0, 0.0, CT_PENETRATING}, {1.5, 0.0, CT_TOUCHING}, {2.0, 0.5, CT_SEPARATED}};
  for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
    ct_frame fa = ct_frame_of(ct_pose_identity()),
             fb = ct_frame_of((ct_pose){{cases[i].x, 0, 0}, ct_quat_identity()});
    ct_pair_result r;
    ct_pair_distance((ct_placed){&open, &fa}, (ct_placed){&ball, &fb}, &full, workspace, &r);
    CHECK(r.distance == cases[i].distance);
    CHECK_INT(r.relation, cases[i].relation);
    if (r.distance == 0.0) CHECK(r.depth_kind == CT_DEPTH_NONE && same_vec(r.point_a, r.point_b));
    if (r.distance == 0.0)
      CHECK(ct_norm(ct_sub(r.point_b, fb.position)) <= 0.5 && fabs(r.point_a.x - 1.0) <= 1e-15);
    check_answer((ct_placed){&open, &fa}, (ct_placed){&ball, &fb}, &r, 0x1p-53 * 4.0);
  }
  ct_shape_release(&open);
}

/* A hollow box, a box in its cavity, boxes in its wall, and a box around all of it. */
static void solids_in_solids_overlap_and_in_their_hollows_do_not(void) {
  soup s = {0};
  soup_box(&s, ct_vec(-4, -4, -4), ct_vec(4, 4, 4));
  uint32_t from = s.tn;
  soup_box(&s, ct_vec(-2, -2, -2), ct_vec(2, 2, 2));
  soup_invert(&s, from);
  ct_shape hollow = oracle_shape_of(&s, CT_MESH_SOLID), around = oracle_box_mesh(ct_vec(5, 6, 7)),
           small = oracle_box_mesh(ct_vec(0.5, 0.5, 0.5));
  soup_free(&s);
  ct_shape ball = {.kind = CT_KIND_SPHERE, .sphere = {0.5}},
           large = {.kind = CT_KIND_SPHERE, .sphere = {8.0}};
  const struct {
    const ct_shape *other;
    ct_vec3 at;
    double distance;
    ct_relation relation; /* of the hollow box to the other */
  } cases[] = {
      {&small, {0, 0, 0}, 1.5, CT_SEPARATED},
      {&small, {3, 0, 0}, -1.0, CT_CONTAINING}, /* in a wall 2 thick */
      {&small, {1.75, 0, 0}, -0.25, CT_PENETRATING},
      {&around, {0, 0, 0}, -3.0, CT_CONTAINED},
      {&ball, {0, 0.5, 0}, 1.0, CT_SEPARATED},
      {&ball, {0, 3, 0}, -1.5, CT_CONTAINING},
      {&ball, {2, 0, 0}, -0.5, CT_PENETRATING},
      {&large, {0, 0, 0}, -6.0, CT_CONTAINED},
  };
  for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
    ct_frame fa = ct_frame_of(ct_pose_identity()),
             fb = ct_frame_of((ct_pose){cases[i].at, ct_quat_identity()});
    ct_pair_result r;
    ct_pair_distance((ct_placed){&hollow, &fa}, (ct_placed){cases[i].other, &fb}, &full, workspace,
                     &r);
    CHECK_INT(r.relation, cases[i].relation);
    if (i != 1) CHECK_NEAR(r.distance, cases[i].distance, 1e-14);
    check_answer((ct_placed){&hollow, &fa}, (ct_placed){cases[i].other, &fb}, &r, 0x1p-53 * 16.0);
  }
  ct_shape_release(&hollow);
  ct_shape_release(&around);
  ct_shape_release(&small);
}

static const check_test tests[] = {
    {"distances_of_surfaces_agree_with_brute_force", distances_of_surfaces_agree_with_brute_force},
    {"a_box_of_triangles_is_a_box_to_every_convex_kind",
     a_box_of_triangles_is_a_box_to_every_convex_kind},
    {"a_surface_crosses_a_body_at_distance_zero", a_surface_crosses_a_body_at_distance_zero},
    {"solids_in_solids_overlap_and_in_their_hollows_do_not",
     solids_in_solids_overlap_and_in_their_hollows_do_not},
};

WORKSPACE_MAIN(tests)
