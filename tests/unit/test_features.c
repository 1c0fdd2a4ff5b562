/* Contact features of meshes: published closed forms, cases on edges, corners and surfaces, and
 * pairs without features. */
#include "tests/support/meshes.h"
#include "tests/support/workspace.h"

static const ct_frame here = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};

static ct_mesh *cube_at(ct_vec3 low) {
  soup s = {0};
  soup_box(&s, low, ct_add(low, ct_vec(1, 1, 1)));
  return soup_mesh(&s);
}

static ct_mesh *octahedron_at(ct_vec3 c, double r) {
  soup s = {0};
  soup_octahedron(&s, c, r);
  return soup_mesh(&s);
}

static ct_features ask_placed(const ct_mesh *a, const ct_frame *frame_a, const ct_mesh *b,
                              const ct_frame *frame_b, ct_features_mode mode) {
  ct_shape shape[2] = {{.kind = CT_KIND_MESH, .mesh = a}, {.kind = CT_KIND_MESH, .mesh = b}};
  ct_features_options options = {mode, CT_FEATURES_ANY_DEPTH};
  ct_features out;
  ct_pair_features((ct_placed){&shape[0], frame_a}, (ct_placed){&shape[1], frame_b}, &options,
                   workspace, &out);
  return out;
}

static ct_features run_query(const ct_mesh *a, const ct_mesh *b, ct_features_mode mode) {
  return ask_placed(a, &here, b, &here, mode);
}

static void near_vector(ct_vec3 actual, ct_vec3 wanted, double within) {
  CHECK_NEAR(actual.x, wanted.x, within);
  CHECK_NEAR(actual.y, wanted.y, within);
  CHECK_NEAR(actual.z, wanted.z, within);
}

/* T7.1: one vertex of an octahedron in the cube. Row 31: normals between vertices are linear. Row
 * 35: the modes differ. */
static void T7_1_an_octahedron_stands_in_a_cube(void) {
  ct_mesh *a = octahedron_at(ct_vec(.5, .4, 1.2), .3), *b = cube_at(ct_vec(0, 0, 0));
  ct_features f = run_query(a, b, CT_FEATURES_BACKWARD);
  CHECK_INT(f.status, CT_FEATURES_OK);
  CHECK_INT(f.count, 1);
  CHECK_INT(f.doubled, 0);
  const ct_pair_feature *p = &f.items[0];
  CHECK_INT(p->kind, CT_PAIR_FEATURE_VERTEX_A);
  CHECK_INT(p->vertex, 5);
  near_vector(p->a.point, ct_vec(.5, .4, .9), 1e-15);
  near_vector(p->a.normal, ct_vec(0, 0, -1), 1e-15);
  CHECK_INT(p->a.triangle, 4);
  CHECK_NEAR(p->a.barycentric[0] + p->a.barycentric[1], 0.0, 0.0);
  CHECK_NEAR(p->a.barycentric[2], 1.0, 0.0);
  near_vector(p->b.point, ct_vec(.5, .4, 1), 1e-15);
  CHECK_INT(p->b.triangle, 2);
  const double weight[3] = {.5, .1, .4};
  for (int k = 0; k < 3; k++) CHECK_NEAR(p->b.barycentric[k], weight[k], 1e-15);
  near_vector(p->b.normal, ct_vec(0, -.1961161351381840, .9805806756909201), 1e-15);
  CHECK_NEAR(p->distance, -.1, 1e-15);
  ct_vec3 apart = {0, .1961161351381840, -1.9805806756909201};
  near_vector(p->normal, ct_scale(apart, 1 / ct_norm(apart)), 1e-15);

  f = run_query(a, b, CT_FEATURES_FORWARD);
  CHECK_INT(f.count, 1);
  near_vector(f.items[0].b.point, ct_vec(.5, .4, 0), 1e-15);
  CHECK_NEAR(f.items[0].distance, -.9, 1e-15);
  f = run_query(a, b, CT_FEATURES_BOTH);
  CHECK_INT(f.count, 2);
  CHECK_INT(f.items[0].mode, CT_FEATURES_BACKWARD);
  CHECK_INT(f.items[1].mode, CT_FEATURES_FORWARD);
  CHECK_NEAR(f.items[1].distance, -.9, 1e-15);
  f = run_query(a, b, CT_FEATURES_CLOSEST);
  CHECK_INT(f.count, 1);
  near_vector(f.items[0].b.point, ct_vec(.5, .4, 1), 1e-15);
  CHECK_INT(f.items[0].b.triangle, 2);
  ct_mesh_release(a);
  ct_mesh_release(b);
}

/* T7.2: winding numbers of the cube. */
static void T7_2_a_cube_winds_once_around_its_inside(void) {
  ct_mesh *cube = cube_at(ct_vec(0, 0, 0));
  CHECK_NEAR(ct_mesh_winding(cube, ct_vec(.5, .5, .5)), 1.0, 1e-14);
  CHECK_NEAR(ct_mesh_winding(cube, ct_vec(.5, .5, 1.1)), 0.0, 1e-14);
  CHECK_NEAR(ct_mesh_winding(cube, ct_vec(.999999, .999999, .999999)), 1.0, 1e-9);
  soup s = {0};
  soup_box(&s, ct_vec(0, 0, 0), ct_vec(1, 1, 1));
  s.tn -= 2; /* one of six sides is a sixth of the sphere from the middle */
  ct_mesh *open = soup_mesh(&s);
  CHECK_NEAR(ct_mesh_winding(open, ct_vec(.5, .5, .5)), 5.0 / 6.0, 1e-14);
  ct_mesh_release(cube);
  ct_mesh_release(open);
}

static void winding_agrees_with_the_exact_side(void) {
  check_random r = {7};
  for (int i = 0; i < 40; i++) {
    soup s = {0};
    for (int k = 0; k < 2; k++) {
      ct_vec3 c = {check_uniform(&r, -.5, .5), check_uniform(&r, -.5, .5),
                   check_uniform(&r, -.5, .5)};
      soup_octahedron(&s, c, check_uniform(&r, .3, 1));
    }
    ct_mesh *mesh = soup_mesh(&s);
    for (int j = 0; j < 100; j++) {
      ct_vec3 p = {check_uniform(&r, -1, 1), check_uniform(&r, -1, 1), check_uniform(&r, -1, 1)};
      double w = ct_mesh_winding(mesh, p);
      CHECK_NEAR(w, round(w), 1e-9);
      CHECK_INT(ct_mesh_side_of(mesh, p, NULL), w > .5 ? CT_MESH_INSIDE : CT_MESH_OUTSIDE);
    }
    ct_mesh_release(mesh);
  }
}

/* T7.3: two cubes, row 32: both sets and their union. */
static void T7_3_a_cube_is_shifted_into_another(void) {
  ct_mesh *a = cube_at(ct_vec(0, 0, 0));
  const ct_frame shifted = {here.rotation, {.9, .3, .2}};
  ct_features f = ask_placed(a, &here, a, &shifted, CT_FEATURES_BACKWARD);
  double third = 1 / sqrt(3.0);
  CHECK_INT(f.status, CT_FEATURES_OK);
  CHECK(f.count >= 2);
  const ct_pair_feature *p = &f.items[0], *q = &f.items[1];
  CHECK_INT(p->kind, CT_PAIR_FEATURE_VERTEX_A);
  CHECK_INT(p->vertex, 6);
  near_vector(p->a.normal, ct_vec(third, third, third), 1e-15);
  near_vector(p->b.point, ct_vec(.9, .9, .9), 1e-15);
  CHECK_NEAR(p->distance, -.1 * sqrt(3.0), 1e-15);
  CHECK_INT(q->kind, CT_PAIR_FEATURE_VERTEX_B);
  CHECK_INT(q->vertex, 0);
  near_vector(q->b.point, ct_vec(.9, .3, .2), 1e-15);
  near_vector(q->a.point, ct_vec(1, .4, .3), 1e-15);
  CHECK_NEAR(q->distance, -.1 * sqrt(3.0), 1e-15);
  for (size_t i = 2; i < f.count; i++) CHECK_INT(f.items[i].kind, CT_PAIR_FEATURE_EDGE_EDGE);
  ct_mesh_release(a);
}

/* If a vertex and its match have the same normal, the vertex's own normal is reported, pointing out
 * of its body; equal meshes included. */
static void equal_normals_are_told_out_of_the_vertex_body(void) {
  ct_mesh *a = cube_at(ct_vec(0, 0, 0)), *b = cube_at(ct_vec(0, 0, 0));
  const double third = 1 / sqrt(3.0);
  ct_features f = run_query(a, b, CT_FEATURES_BACKWARD);
  CHECK_INT(f.count, 16);
  for (size_t i = 0; i < f.count; i++) {
    const ct_pair_feature *p = &f.items[i];
    ct_vec3 corner = ct_sub(p->a.point, ct_vec(.5, .5, .5)), out = ct_scale(corner, 2 * third);
    CHECK(p->flags == (CT_PAIR_FEATURE_ON_SURFACE | CT_PAIR_FEATURE_NORMAL_ARBITRARY));
    near_vector(p->normal, p->kind == CT_PAIR_FEATURE_VERTEX_A ? out : ct_neg(out), 1e-15);
  }
  /* If the normals differ, the reported normal is their difference. */
  const ct_frame above = {here.rotation, {0, 0, 1}};
  f = ask_placed(a, &here, b, &above, CT_FEATURES_BACKWARD);
  CHECK_INT(f.count, 8);
  for (size_t i = 0; i < f.count; i++) {
    CHECK_INT(f.items[i].flags, CT_PAIR_FEATURE_ON_SURFACE);
    near_vector(f.items[i].normal, ct_vec(0, 0, 1), 1e-15);
  }
  ct_mesh_release(a);
  ct_mesh_release(b);
}

/* A roof: an edge along x at z = 0 between two slopes of 45 degrees, over a floor at z = -1. */
static ct_mesh *roof(void) {
  soup s = {0};
  for (int i = 0; i < 2; i++) {
    double x = i ? 1 : -1;
    soup_vertex(&s, ct_vec(x, 0, 0));
    soup_vertex(&s, ct_vec(x, -1, -1));
    soup_vertex(&s, ct_vec(x, 1, -1));
  }
  static const uint32_t t[8][3] = {{0, 1, 4}, {0, 4, 3}, {2, 0, 3}, {2, 3, 5},
                                   {1, 2, 5}, {1, 5, 4}, {0, 2, 1}, {3, 4, 5}};
  for (int i = 0; i < 8; i++) soup_triangle(&s, t[i][0], t[i][1], t[i][2]);
  return soup_mesh(&s);
}

/* T6.3 as meshes, row 34: two crossing edges are a feature in the same format as the others. */
static void row_34_the_edges_of_two_roofs_are_one_feature(void) {
  ct_mesh *a = roof();
  /* Upside down, a quarter turned, .02 into the other. */
  const ct_frame down = {{{0, 1, 0}, {1, 0, 0}, {0, 0, -1}}, {.25, -.125, -.02}};
  ct_features f = ask_placed(a, &here, a, &down, CT_FEATURES_BACKWARD);
  CHECK_INT(f.count, 1);
  const ct_pair_feature *p = &f.items[0];
  CHECK_INT(p->kind, CT_PAIR_FEATURE_EDGE_EDGE);
  near_vector(p->normal, ct_vec(0, 0, 1), 1e-15);
  near_vector(p->a.point, ct_vec(.25, 0, 0), 1e-15);
  near_vector(p->b.point, ct_vec(.25, 0, -.02), 1e-15);
  CHECK_NEAR(p->distance, -.02, 1e-16);
  CHECK(p->edge_a[0] == 0 && p->edge_a[1] == 3 && p->edge_b[0] == 0 && p->edge_b[1] == 3);
  CHECK_INT(p->a.triangle, 1);
  CHECK_INT(p->b.triangle, 1);
  CHECK_NEAR(p->a.barycentric[0], .375, 1e-15);
  CHECK_NEAR(p->a.barycentric[1], 0.0, 0.0);
  CHECK_NEAR(p->a.barycentric[2], .625, 1e-15);
  CHECK_NEAR(p->b.barycentric[0] + p->b.barycentric[2], 1.0, 1e-15);
  CHECK_INT(f.doubled, 0);
  /* Apart, and deeper than half an edge. */
  const ct_frame apart = {down.rotation, {.25, -.125, .02}},
                 deep = {down.rotation, {.25, -.125, -1.02}};
  CHECK_INT(ask_placed(a, &here, a, &apart, CT_FEATURES_BACKWARD).count, 0);
  f = ask_placed(a, &here, a, &deep, CT_FEATURES_BACKWARD);
  for (size_t i = 0; i < f.count; i++)
    CHECK(f.items[i].edge_a[0] != 0 || f.items[i].edge_a[1] != 3);
  ct_mesh_release(a);
}

static size_t count_of(const ct_features *f, ct_pair_feature_kind kind) {
  size_t count = 0;
  for (size_t i = 0; i < f->count; i++) count += f->items[i].kind == kind;
  return count;
}

/* Row 36: coincident vertices and edges are each reported exactly once. */
static void row_36_aligned_cubes_have_each_vertex_once(void) {
  ct_mesh *a = cube_at(ct_vec(0, 0, 0));
  const struct {
    ct_vec3 shift;
    size_t vertices; /* vertices of each on the surface of the other */
    size_t edges;    /* edges that cross within both */
  } cases[] = {{{0, 0, 1}, 4, 0},  {{1, 1, 0}, 2, 0},   {{1, 1, 1}, 1, 0},  {{0, 0, 0}, 8, 0},
               {{.5, 0, 1}, 2, 0}, {{.5, .5, 1}, 1, 2}, {{0, 0, 1.5}, 0, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    for (int mode = CT_FEATURES_BACKWARD; mode <= CT_FEATURES_BOTH; mode++) {
      const ct_frame shifted = {here.rotation, cases[i].shift};
      ct_features f = ask_placed(a, &here, a, &shifted, (ct_features_mode)mode);
      CHECK_INT(count_of(&f, CT_PAIR_FEATURE_VERTEX_A), cases[i].vertices);
      CHECK_INT(count_of(&f, CT_PAIR_FEATURE_VERTEX_B), cases[i].vertices);
      CHECK_INT(f.count, 2 * cases[i].vertices + cases[i].edges);
      for (size_t k = 0; k < f.count; k++) {
        CHECK(f.items[k].kind == CT_PAIR_FEATURE_EDGE_EDGE ||
              f.items[k].flags & CT_PAIR_FEATURE_ON_SURFACE);
        CHECK(f.items[k].distance == 0.0);
        near_vector(f.items[k].a.point, f.items[k].b.point, 0.0);
      }
    }
  }
  ct_mesh_release(a);
}

/* Row 36: a cube, turned by quarters and sunk by .25 into the other, has its four lower vertices;
 * backward, each is matched through the face above. */
static void row_36_a_smaller_cube_sunk_straight_down_has_its_lower_vertices(void) {
  ct_mesh *big = cube_at(ct_vec(0, 0, 0));
  soup s = {0};
  soup_box(&s, ct_vec(.25, .25, .75), ct_vec(.75, .75, 1.25));
  ct_mesh *small = soup_mesh(&s);
  ct_features f = run_query(small, big, CT_FEATURES_CLOSEST);
  CHECK_INT(f.count, 4);
  for (size_t i = 0; i < f.count; i++) {
    CHECK_INT(f.items[i].vertex, i);
    CHECK_NEAR(f.items[i].distance, -.25, 0.0);
  }
  ct_mesh_release(small);
  ct_mesh_release(big);
}

/* A needle of four faces with its tip at a point, opening along -d. */
static ct_mesh *needle(ct_vec3 tip, ct_vec3 d) {
  soup s = {0};
  ct_vec3 side = ct_cross(d, fabs(d.x) < fabs(d.z) ? ct_vec(1, 0, 0) : ct_vec(0, 0, 1)),
          up = ct_cross(d, side);
  soup_vertex(&s, tip);
  for (int i = 0; i < 3; i++)
    soup_vertex(&s, ct_add(ct_add_scaled(tip, d, -8),
                           ct_add(ct_scale(side, i - 1.0), ct_scale(up, i == 1 ? 1 : -1))));
  soup_triangle(&s, 1, 2, 3);
  for (uint32_t i = 0; i < 3; i++) soup_triangle(&s, 0, 1 + (i + 1) % 3, 1 + i);
  return soup_mesh(&s);
}

/* The same with a normal at its tip. */
static ct_mesh *with_normal(const ct_mesh *mesh, ct_vec3 normal) {
  const ct_mesh_view *v = ct_mesh_get(mesh);
  ct_vec3 normals[8];
  for (int i = 0; i < 8; i++) normals[i] = normal;
  ct_mesh_data data = {v->vertices, v->vertex_count, v->triangles, v->triangle_count, normals};
  ct_mesh *out = NULL;
  CHECK_INT(ct_mesh_create(&data, CT_MESH_SOLID, NULL, &out, NULL), CT_OK);
  return out;
}

/* Rays that leave through an edge or a corner: one hit, on the face with the lowest index. */
static void a_ray_through_an_edge_or_a_corner_takes_the_lowest_face_once(void) {
  static const struct {
    ct_vec3 out;
    uint32_t face;
    double weight[3];
  } cases[] = {{{0, 0, 1}, 2, {.5, 0, .5}},  /* the diagonal of faces 2 and 3 */
               {{1, 1, 1}, 2, {0, 0, 1}},    /* vertex 6: faces 2, 3, 6, 7, 8, 9 */
               {{-1, -1, -1}, 0, {1, 0, 0}}, /* vertex 0: faces 0, 1, 4, 5, 10 */
               {{1, 0, 1}, 2, {0, .5, .5}},  /* the edge of 5 and 6: faces 2 and 7 */
               {{0, 1, -1}, 1, {0, .5, .5}}, /* the edge of 3 and 2: faces 1 and 8 */
               {{-1, 0, 0}, 10, {.5, 0, .5}}};
  ct_mesh *cube = cube_at(ct_vec(0, 0, 0));
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    ct_mesh *bare = needle(ct_vec(.5, .5, .5), ct_neg(cases[i].out)),
            *a = with_normal(bare, ct_scale(cases[i].out, -3));
    ct_features f = run_query(a, cube, CT_FEATURES_BACKWARD);
    CHECK_INT(count_of(&f, CT_PAIR_FEATURE_VERTEX_A), 1);
    const ct_pair_feature *p = &f.items[0];
    CHECK_INT(p->b.triangle, cases[i].face);
    for (int k = 0; k < 3; k++) CHECK_NEAR(p->b.barycentric[k], cases[i].weight[k], 0.0);
    near_vector(p->b.point, ct_add_scaled(ct_vec(.5, .5, .5), cases[i].out, .5), 0.0);
    CHECK_NEAR(p->distance, -.5 * ct_norm(cases[i].out), 2e-16);
    near_vector(p->a.normal, ct_scale(cases[i].out, -1 / ct_norm(cases[i].out)), 2e-16);
    ct_mesh_release(bare);
    ct_mesh_release(a);
  }
  ct_mesh_release(cube);
}

/* An L of three cubes: a ray from one of them touches the reentrant edge and continues into
 * another. */
static void a_ray_that_touches_a_reentrant_edge_goes_on(void) {
  static const uint32_t caps[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}};
  const double x[6] = {0, 2, 2, 1, 1, 0}, y[6] = {0, 0, 1, 1, 2, 2};
  soup s = {0};
  for (int i = 0; i < 12; i++) soup_vertex(&s, ct_vec(x[i % 6], y[i % 6], i / 6));
  for (uint32_t i = 0; i < 6; i++) {
    uint32_t next = (i + 1) % 6;
    soup_triangle(&s, i, next, next + 6);
    soup_triangle(&s, i, next + 6, i + 6);
  }
  for (int i = 0; i < 4; i++) {
    soup_triangle(&s, caps[i][0], caps[i][2], caps[i][1]);
    soup_triangle(&s, caps[i][0] + 6, caps[i][1] + 6, caps[i][2] + 6);
  }
  /* From (0.5, 1.5) by (1, 1) to (1.75, 0.25) and out at (2, 0). */
  ct_mesh *b = soup_mesh(&s), *bare = needle(ct_vec(.5, 1.5, .5), ct_vec(-1, 1, 0)),
          *a = with_normal(bare, ct_vec(-1, 1, 0));
  CHECK(ct_mesh_get(b)->solid);
  ct_features f = run_query(a, b, CT_FEATURES_BACKWARD);
  CHECK(f.count >= 1);
  near_vector(f.items[0].b.point, ct_vec(2, 0, .5), 1e-15);
  ct_mesh_release(bare);
  ct_mesh_release(a);
  ct_mesh_release(b);
}

/* Two overlapping boxes in one mesh: the ray ignores the inner wall of the second, and leaves
 * through the outer wall of the first. */
static void a_wall_inside_a_solid_that_the_ray_goes_in_through_is_no_match(void) {
  soup s = {0};
  soup_box(&s, ct_vec(0, 0, 0), ct_vec(1, 1, 1));
  soup_box(&s, ct_vec(.6, .25, .25), ct_vec(2, .75, .75));
  ct_mesh *b = soup_mesh(&s), *bare = needle(ct_vec(.25, .5, .5625), ct_vec(-1, 0, 0)),
          *a = with_normal(bare, ct_vec(-1, 0, 0));
  ct_features f = run_query(a, b, CT_FEATURES_BACKWARD);
  CHECK(f.count >= 1);
  near_vector(f.items[0].b.point, ct_vec(1, .5, .5625), 1e-16);
  CHECK(f.items[0].b.triangle == 6 || f.items[0].b.triangle == 7);
  ct_mesh_release(bare);
  ct_mesh_release(a);
  ct_mesh_release(b);
}

/* Row 31: the caller's normals are used, normalised, and are linear between vertices. */
static void row_31_normals_given_are_used(void) {
  soup s = {0};
  soup_box(&s, ct_vec(0, 0, 0), ct_vec(1, 1, 1));
  const ct_vec3 normals[8] = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1},
                              {0, 0, 2}, {3, 0, 0}, {0, 4, 0}, {0, 0, 1}};
  ct_mesh_data data = {s.v, s.vn, (const uint32_t(*)[3])s.t, s.tn, normals};
  ct_mesh *b = NULL, *a = octahedron_at(ct_vec(.5, .4, 1.2), .3);
  CHECK_INT(ct_mesh_create(&data, CT_MESH_AUTO, NULL, &b, NULL), CT_OK);
  for (uint32_t i = 0; i < 8; i++) near_vector(ct_mesh_get(b)->normals[i], normals[i], 0.0);
  ct_features f = run_query(a, b, CT_FEATURES_BACKWARD);
  CHECK_INT(f.count, 1);
  double length = sqrt(.25 + .01 + .16);
  near_vector(f.items[0].b.normal, ct_vec(.1 / length, .4 / length, .5 / length), 1e-15);
  soup_free(&s);
  ct_mesh_release(a);
  ct_mesh_release(b);
}

static void normals_that_cancel_give_way_to_the_face(void) {
  soup s = {0};
  soup_box(&s, ct_vec(0, 0, 0), ct_vec(1, 1, 1));
  ct_vec3 normals[8] = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1},  {0, 0, 1},
                        {1, 0, 0}, {1, 0, 0}, {-1, 0, 0}, {1, 0, 0}};
  ct_mesh_data data = {s.v, s.vn, (const uint32_t(*)[3])s.t, s.tn, normals};
  ct_mesh *b = NULL, *a = octahedron_at(ct_vec(.5, .5, 1.25), .5);
  CHECK_INT(ct_mesh_create(&data, CT_MESH_AUTO, NULL, &b, NULL), CT_OK);
  ct_features f =
      run_query(a, b, CT_FEATURES_BACKWARD); /* over the middle of the edge from 4 to 6 */
  CHECK_INT(count_of(&f, CT_PAIR_FEATURE_VERTEX_A), 1);
  near_vector(f.items[0].b.normal, ct_vec(0, 0, 1), 0.0);
  CHECK_INT(f.items[0].flags, CT_PAIR_FEATURE_FACE_NORMAL_B);
  soup_free(&s);
  ct_mesh_release(a);
  ct_mesh_release(b);
}

static void surfaces_and_other_kinds_have_no_features(void) {
  soup s = {0};
  soup_sheet(&s, 2);
  ct_mesh *open = soup_mesh(&s), *cube = cube_at(ct_vec(0, 0, 0));
  CHECK_INT(run_query(open, cube, CT_FEATURES_BACKWARD).status, CT_FEATURES_OPEN_MESH);
  CHECK_INT(run_query(cube, open, CT_FEATURES_BACKWARD).status, CT_FEATURES_OPEN_MESH);
  ct_shape mesh = {.kind = CT_KIND_MESH, .mesh = cube},
           ball = {.kind = CT_KIND_SPHERE, .sphere = {1}};
  ct_features_options options = {CT_FEATURES_BACKWARD, CT_FEATURES_ANY_DEPTH};
  ct_features out;
  ct_pair_features((ct_placed){&mesh, &here}, (ct_placed){&ball, &here}, &options, workspace, &out);
  CHECK_INT(out.status, CT_FEATURES_NO_TRIANGLES);
  CHECK(!ct_features_are_supported(&ball) && ct_features_are_supported(&mesh));
  ct_mesh_release(open);
  ct_mesh_release(cube);
}

/* Two cubes that share a side, and two that are one unit in the last place apart. */
static void pairs_of_triangles_that_touch_are_listed(void) {
  ct_mesh *a = cube_at(ct_vec(0, 0, 0));
  ct_shape shape = {.kind = CT_KIND_MESH, .mesh = a};
  const double height[2] = {1.0, 1.0 + 0x1p-52};
  for (int i = 0; i < 2; i++) {
    const ct_frame above = {here.rotation, {0, 0, height[i]}};
    ct_triangle_pairs pairs;
    ct_pair_triangles((ct_placed){&shape, &here}, (ct_placed){&shape, &above}, workspace, &pairs);
    CHECK(!pairs.out_of_memory);
    bool faces[2][2] = {{false, false}, {false, false}};
    for (size_t k = 0; k < pairs.count; k++)
      if (pairs.items[k].a / 2 == 1 && pairs.items[k].b / 2 == 0)
        faces[pairs.items[k].a % 2][pairs.items[k].b] = true;
    for (int k = 0; k < 4; k++) CHECK_INT(faces[k / 2][k % 2], i == 0);
    CHECK(i == 0 || pairs.count == 0);
    for (size_t k = 1; k < pairs.count; k++)
      CHECK(pairs.items[k - 1].a < pairs.items[k].a ||
            (pairs.items[k - 1].a == pairs.items[k].a && pairs.items[k - 1].b < pairs.items[k].b));
  }
  ct_mesh_release(a);
}

static const check_test tests[] = {
    {"T7.1_an_octahedron_stands_in_a_cube", T7_1_an_octahedron_stands_in_a_cube},
    {"T7.2_a_cube_winds_once_around_its_inside", T7_2_a_cube_winds_once_around_its_inside},
    {"winding_agrees_with_the_exact_side", winding_agrees_with_the_exact_side},
    {"T7.3_a_cube_is_shifted_into_another", T7_3_a_cube_is_shifted_into_another},
    {"equal_normals_are_told_out_of_the_vertex_body",
     equal_normals_are_told_out_of_the_vertex_body},
    {"row_34_the_edges_of_two_roofs_are_one_feature",
     row_34_the_edges_of_two_roofs_are_one_feature},
    {"row_36_aligned_cubes_have_each_vertex_once", row_36_aligned_cubes_have_each_vertex_once},
    {"row_36_a_smaller_cube_sunk_straight_down_has_its_lower_vertices",
     row_36_a_smaller_cube_sunk_straight_down_has_its_lower_vertices},
    {"a_ray_through_an_edge_or_a_corner_takes_the_lowest_face_once",
     a_ray_through_an_edge_or_a_corner_takes_the_lowest_face_once},
    {"a_ray_that_touches_a_reentrant_edge_goes_on", a_ray_that_touches_a_reentrant_edge_goes_on},
    {"a_wall_inside_a_solid_that_the_ray_goes_in_through_is_no_match",
     a_wall_inside_a_solid_that_the_ray_goes_in_through_is_no_match},
    {"row_31_normals_given_are_used", row_31_normals_given_are_used},
    {"normals_that_cancel_give_way_to_the_face", normals_that_cancel_give_way_to_the_face},
    {"surfaces_and_other_kinds_have_no_features", surfaces_and_other_kinds_have_no_features},
    {"pairs_of_triangles_that_touch_are_listed", pairs_of_triangles_that_touch_are_listed},
};
WORKSPACE_MAIN(tests)
