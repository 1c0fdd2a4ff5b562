/* Overlap of solid meshes and their deepest feature against brute force; touching, flush and equal
 * solids; half-spaces. */
#include "tests/oracle/mesh_oracle.h"
#include "tests/support/workspace.h"

static const ct_pair_options full = {.tolerance = 0.0, .threshold = INFINITY};

static ct_pair_result distance_of(const ct_shape *a, ct_pose pose_a, const ct_shape *b,
                                  ct_pose pose_b) {
  ct_frame fa = ct_frame_of(pose_a), fb = ct_frame_of(pose_b);
  ct_pair_result r;
  ct_pair_distance((ct_placed){a, &fa}, (ct_placed){b, &fb}, &full, workspace, &r);
  CHECK(ct_pair_overlap((ct_placed){a, &fa}, (ct_placed){b, &fb}, workspace, NULL) ==
        (r.distance <= 0.0));
  return r;
}

static ct_pose at(double x, double y, double z) { return (ct_pose){{x, y, z}, ct_quat_identity()}; }

/* Counts crossings of a slanted ray from p with the triangles, in 113 bits; random points hit no
 * edge. */
static bool is_inside(const ct_vec3 *v, const soup *s, ct_vec3 p) {
  const quad3 d = {0.3141592653589793L, 0.2718281828459045L, 0.9092974268256817L};
  int winding = 0;
  for (uint32_t i = 0; i < s->tn; i++) {
    quad3 a = quad_sub(quad_of(v[s->t[i][0]]), quad_of(p)),
          b = quad_sub(quad_of(v[s->t[i][1]]), quad_of(p));
    quad3 c = quad_sub(quad_of(v[s->t[i][2]]), quad_of(p));
    quad ab = quad_dot(quad_cross(a, b), d), bc = quad_dot(quad_cross(b, c), d),
         ca = quad_dot(quad_cross(c, a), d);
    int side = ab > 0 && bc > 0 && ca > 0 ? 1 : ab < 0 && bc < 0 && ca < 0 ? -1 : 0;
    quad3 n = quad_cross(quad_sub(b, a), quad_sub(c, a));
    if (side != 0 && quad_dot(n, a) * quad_dot(n, d) > 0) winding += side;
  }
  return winding > 0;
}

/* The depth of the deepest vertex of `points` in the solid, or 0. */
static double deepest(const soup *points, const ct_vec3 *p, const soup *solid, const ct_vec3 *q) {
  double most = 0.0;
  for (uint32_t i = 0; i < points->vn; i++) {
    if (!is_inside(q, solid, p[i])) continue;
    long double least = INFINITY;
    const ct_vec3 point[3] = {p[i], p[i], p[i]};
    for (uint32_t j = 0; j < solid->tn; j++) {
      const ct_vec3 t[3] = {q[solid->t[j][0]], q[solid->t[j][1]], q[solid->t[j][2]]};
      long double d = oracle_triangles(point, t);
      if (d < least) least = d;
    }
    if ((double)least > most) most = (double)least;
  }
  return most;
}

static void overlapping_solids_report_their_deepest_vertex(void) {
  check_random r = {21};
  int deep = 0, edges = 0, inside = 0;
  for (int i = 0; i < 60; i++) {
    soup a = {0}, b = {0};
    oracle_star(&a, &r, 1.0);
    oracle_star(&b, &r, i % 5 == 0 ? 0.2 : 1.0);
    ct_pose pa = oracle_random_pose(&r, 0.4), pb = oracle_random_pose(&r, i % 5 == 0 ? 0.1 : 0.4);
    ct_vec3 *p = malloc(a.vn * sizeof *p), *q = malloc(b.vn * sizeof *q);
    oracle_place(&a, &pa, p);
    oracle_place(&b, &pb, q);
    ct_shape sa = oracle_shape_of(&a, CT_MESH_SOLID), sb = oracle_shape_of(&b, CT_MESH_SOLID);
    ct_pair_result result = distance_of(&sa, pa, &sb, pb);
    double truth = ct_max2(deepest(&a, p, &b, q), deepest(&b, q, &a, p)),
           surfaces = oracle_brute_force(&a, &pa, &b, &pb);
    bool overlap = truth > 0.0 || surfaces == 0.0;
    CHECK((result.distance <= 0.0) == overlap);
    if (truth > 0.0) {
      CHECK_NEAR(result.distance, -truth, 1e-14);
      CHECK(result.lower_bound <= -truth && -truth <= result.upper_bound);
      CHECK_INT(result.depth_kind, CT_DEPTH_FEATURE);
      ct_vec3 gap =
          ct_sub(ct_sub(result.point_b, result.point_a), ct_scale(result.normal, result.distance));
      CHECK(ct_norm(gap) <= 1e-14);
      deep++;
    } else if (overlap) {
      /* No vertex is inside, so the deepest feature is an edge. */
      CHECK(result.distance < 0.0 && result.distance > -2.0);
      edges++;
    } else {
      CHECK_NEAR(result.distance, surfaces, 1e-14);
    }
    if (surfaces > 0.0 && overlap) {
      CHECK(result.relation == CT_CONTAINING || result.relation == CT_CONTAINED);
      inside++;
    } else if (overlap) {
      CHECK_INT(result.relation, CT_PENETRATING);
    }
    free(p);
    free(q);
    soup_free(&a);
    soup_free(&b);
    ct_shape_release(&sa);
    ct_shape_release(&sb);
  }
  CHECK(deep > 20 && inside > 3);
}

/* Two crossed bars, 1/8 deep: no vertex of one is inside the other. */
static void bars_across_each_other_are_as_deep_as_their_edges(void) {
  ct_shape a = oracle_box_mesh(ct_vec(4, 0.5, 0.5)), b = oracle_box_mesh(ct_vec(0.5, 4, 0.5));
  ct_pair_result r = distance_of(&a, at(0, 0, 0), &b, at(0, 0, 0.875));
  CHECK_NEAR(r.distance, -0.125, 1e-15);
  CHECK_NEAR(r.normal.z, 1.0, 1e-15);
  CHECK_INT(r.depth_kind, CT_DEPTH_FEATURE);
  CHECK_INT(r.relation, CT_PENETRATING);
  ct_shape_release(&a);
  ct_shape_release(&b);
}

static void solids_that_touch_are_at_zero_with_the_normal_between_them(void) {
  ct_shape large = oracle_box_mesh(ct_vec(2, 2, 1)), small = oracle_box_mesh(ct_vec(1, 1, 1));
  const struct {
    const ct_shape *other;
    ct_pose pose;
    ct_vec3 normal;
  } cases[] = {
      {&small, at(0.25, 0.5, 2), {0, 0, 1}}, /* face in face */
      {&large, at(0, 0, 2), {0, 0, 1}},      /* the same face */
      {&large, at(1, 1, 2), {0, 0, 1}},      /* flush edges cross */
      {&small, at(3, 0.5, 0.25), {1, 0, 0}},
      {&small, at(-3, 1, 0), {-1, 0, 0}}, /* flush at a side too */
      {&large, at(0, -4, 0), {0, -1, 0}},
  };
  for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
    ct_pair_result r = distance_of(&large, at(0, 0, 0), cases[i].other, cases[i].pose);
    CHECK(r.distance == 0.0);
    CHECK_INT(r.relation, CT_TOUCHING);
    CHECK(ct_norm(ct_sub(r.normal, cases[i].normal)) <= 1e-15);
    CHECK(ct_norm(ct_sub(r.point_a, r.point_b)) <= 1e-15);
    /* Slightly apart, and slightly overlapping. */
    for (int side = -1; side <= 1; side += 2) {
      ct_pose near = cases[i].pose;
      near.position = ct_add_scaled(near.position, cases[i].normal, side * 0x1p-40);
      r = distance_of(&large, at(0, 0, 0), cases[i].other, near);
      if (side > 0) CHECK(r.distance == 0x1p-40 && r.relation == CT_SEPARATED);
      else CHECK(r.distance <= 0.0 && r.distance >= -0x1p-39);
      if (side > 0) CHECK(ct_norm(ct_sub(r.normal, cases[i].normal)) <= 1e-15);
    }
  }
  ct_shape_release(&large);
  ct_shape_release(&small);
}

static void equal_solids_contain_each_other(void) {
  check_random r = {23};
  soup s = {0};
  oracle_star(&s, &r, 1.0);
  ct_shape star = oracle_shape_of(&s, CT_MESH_SOLID),
           surface = oracle_shape_of(&s, CT_MESH_SURFACE);
  soup_free(&s);
  ct_pose pose = {{0.5, -2, 3}, {0.5, 0.5, 0.5, 0.5}}, turned = oracle_random_pose(&r, 1.0);
  ct_pair_result same = distance_of(&star, pose, &star, pose);
  CHECK(same.distance <= 0.0 && same.relation == CT_CONTAINING && same.status == CT_PAIR_OK);
  same = distance_of(&surface, pose, &surface, pose);
  CHECK(same.distance == 0.0 && same.depth_kind == CT_DEPTH_NONE && same.relation == CT_TOUCHING);
  /* If the product of the frames is not exactly 1, neither are the positions. */
  same = distance_of(&star, turned, &star, turned);
  CHECK(fabs(same.distance) <= 64 * 0x1p-53 && same.status == CT_PAIR_OK);
  same = distance_of(&surface, turned, &surface, turned);
  CHECK(same.distance >= 0.0 && same.distance <= 64 * 0x1p-53);
  ct_shape_release(&star);
  ct_shape_release(&surface);
}

/* A box inside another and flush against its wall is contained in it. */
static void a_solid_flush_inside_another_is_contained(void) {
  ct_shape large = oracle_box_mesh(ct_vec(2, 2, 2)), small = oracle_box_mesh(ct_vec(1, 1, 1));
  ct_shape box = {.kind = CT_KIND_BOX, .box = {{1, 1, 1}}}, surface_small;
  soup s = {0};
  soup_box(&s, ct_vec(-1, -1, -1), ct_vec(1, 1, 1));
  surface_small = oracle_shape_of(&s, CT_MESH_SURFACE);
  soup_free(&s);
  const ct_pose places[] = {at(0, 0, 0), at(1, 0, 0), at(1, -1, 1)};
  for (int i = 0; i < 3; i++) {
    CHECK_INT(distance_of(&large, at(0, 0, 0), &small, places[i]).relation, CT_CONTAINING);
    CHECK_INT(distance_of(&large, at(0, 0, 0), &box, places[i]).relation, CT_CONTAINING);
    CHECK_INT(distance_of(&large, at(0, 0, 0), &surface_small, places[i]).relation, CT_CONTAINING);
    ct_pair_result r = distance_of(&surface_small, places[i], &large, at(0, 0, 0));
    CHECK(r.distance == 0.0 && r.depth_kind == CT_DEPTH_NONE && r.relation == CT_CONTAINED);
  }
  CHECK_INT(distance_of(&large, at(0, 0, 0), &small, at(1.5, 0, 0)).relation, CT_PENETRATING);
  ct_shape_release(&large);
  ct_shape_release(&small);
  ct_shape_release(&surface_small);
}

static void a_half_space_is_as_far_as_the_lowest_vertex(void) {
  check_random r = {24};
  for (int i = 0; i < 200; i++) {
    soup s = {0};
    if (i % 2) oracle_star(&s, &r, 1.0);
    else oracle_loose(&s, &r, 1.0);
    ct_shape mesh = oracle_shape_of(&s, CT_MESH_AUTO), plane = {.kind = CT_KIND_PLANE};
    ct_pose pose = oracle_random_pose(&r, 2.0);
    ct_vec3 *p = malloc(s.vn * sizeof *p);
    oracle_place(&s, &pose, p);
    double low = INFINITY, high = -INFINITY;
    for (uint32_t k = 0; k < s.vn; k++) {
      low = ct_min2(low, p[k].z);
      high = ct_max2(high, p[k].z);
    }
    ct_pair_result result = distance_of(&mesh, pose, &plane, at(0, 0, 0));
    CHECK_NEAR(result.distance, low, 64 * 0x1p-53 * 4);
    CHECK_NEAR(result.normal.z, -1.0, 8 * 0x1p-53);
    CHECK_INT(result.depth_kind, CT_DEPTH_MINIMAL);
    CHECK_INT(result.relation, low > 0 ? CT_SEPARATED : high <= 0 ? CT_CONTAINED : CT_PENETRATING);
    CHECK(result.lower_bound <= low && low <= result.upper_bound);
    const uint32_t *t = s.t[result.triangle_a];
    CHECK(p[t[0]].z <= low + 1e-15 || p[t[1]].z <= low + 1e-15 || p[t[2]].z <= low + 1e-15);
    free(p);
    soup_free(&s);
    ct_shape_release(&mesh);
  }
}

/* Scaling by powers of two changes no digit. */
static void answers_scale(void) {
  check_random r = {25};
  for (int i = 0; i < 40; i++) {
    soup a = {0}, b = {0};
    oracle_star(&a, &r, 1.0);
    oracle_star(&b, &r, 1.0);
    ct_pose pa = oracle_random_pose(&r, 1.0), pb = oracle_random_pose(&r, 1.0);
    ct_shape sa = oracle_shape_of(&a, CT_MESH_SOLID), sb = oracle_shape_of(&b, CT_MESH_SOLID);
    ct_pair_result one = distance_of(&sa, pa, &sb, pb);
    for (uint32_t k = 0; k < a.vn; k++) a.v[k] = ct_scale(a.v[k], 0x1p10);
    for (uint32_t k = 0; k < b.vn; k++) b.v[k] = ct_scale(b.v[k], 0x1p10);
    pa.position = ct_scale(pa.position, 0x1p10);
    pb.position = ct_scale(pb.position, 0x1p10);
    ct_shape ta = oracle_shape_of(&a, CT_MESH_SOLID), tb = oracle_shape_of(&b, CT_MESH_SOLID);
    ct_pair_result large = distance_of(&ta, pa, &tb, pb);
    CHECK(large.distance == 0x1p10 * one.distance && large.relation == one.relation);
    CHECK(ct_norm(ct_sub(large.normal, one.normal)) == 0.0);
    soup_free(&a);
    soup_free(&b);
    ct_shape_release(&sa);
    ct_shape_release(&sb);
    ct_shape_release(&ta);
    ct_shape_release(&tb);
  }
}

static const check_test tests[] = {
    {"overlapping_solids_report_their_deepest_vertex",
     overlapping_solids_report_their_deepest_vertex},
    {"bars_across_each_other_are_as_deep_as_their_edges",
     bars_across_each_other_are_as_deep_as_their_edges},
    {"solids_that_touch_are_at_zero_with_the_normal_between_them",
     solids_that_touch_are_at_zero_with_the_normal_between_them},
    {"equal_solids_contain_each_other", equal_solids_contain_each_other},
    {"a_solid_flush_inside_another_is_contained", a_solid_flush_inside_another_is_contained},
    {"a_half_space_is_as_far_as_the_lowest_vertex", a_half_space_is_as_far_as_the_lowest_vertex},
    {"answers_scale", answers_scale},
};

WORKSPACE_MAIN(tests)
