/* Manifolds of meshes: vertices over a half-space, triangles against convex bodies, patches. */
#include "tests/support/manifold.h"
#include "tests/support/meshes.h"

#include <contact/contact.h>

static bool has_point(const ct_manifold *m, double x, double y) {
  for (size_t i = 0; i < m->count; i++)
    if (fabs(m->points[i].point_a.x - x) < 1e-12 && fabs(m->points[i].point_a.y - y) < 1e-12) return true;
  return false;
}

/* Four legs under a board. */
static void table_stands_on_four_patches(void) {
  soup s = {0};
  for (int i = 0; i < 4; i++) {
    double x = i & 1 ? 2 : 0, y = i & 2 ? 2 : 0;
    soup_box(&s, ct_vec(x, y, 0), ct_vec(x + 0.5, y + 0.5, 1));
  }
  soup_box(&s, ct_vec(0, 0, 0.75), ct_vec(2.5, 2.5, 1.25));
  ct_shape table = soup_shape(&s), floor = {.kind = CT_KIND_PLANE};
  ct_manifold m = meet(&floor, ct_vec(0, 0, 0), &table, ct_vec(0, 0, -0.01), full);
  CHECK_INT(m.count, 16);
  for (size_t i = 0; i < m.count; i++) {
    CHECK_NEAR(m.points[i].distance, -0.01, 1e-14);
    CHECK_INT(m.points[i].a.kind, CT_FEATURE_FACE);
    CHECK_INT(m.points[i].b.kind, CT_FEATURE_VERTEX);
    CHECK(m.points[i].patch < 4 && m.points[i].b.index < 32 && m.points[i].b.index % 8 < 4); /* the soles of the legs */
    CHECK(m.points[i].normal.z == 1.0);
  }
  CHECK_INT(meet(&floor, ct_vec(0, 0, 0), &table, ct_vec(0, 0, -0.01), four).count, 16);
  CHECK_INT(meet(&floor, ct_vec(0, 0, 0), &table, ct_vec(0, 0, -0.01), deepest).count, 1);
  ct_mesh_release(table.mesh);
}

/* A grid of vertices reduces to its corners. */
static void sheet_on_the_floor_keeps_four_of_its_vertices(void) {
  soup s = {0};
  soup_sheet(&s, 4);
  ct_shape sheet = soup_shape(&s), floor = {.kind = CT_KIND_PLANE};
  CHECK_INT(meet(&sheet, ct_vec(0, 0, 0.05), &floor, ct_vec(0, 0, 0), full).count, 25);
  ct_manifold m = meet(&sheet, ct_vec(0, 0, 0.05), &floor, ct_vec(0, 0, 0), four);
  CHECK_INT(m.count, 4);
  for (int i = 0; i < 4; i++) CHECK(has_point(&m, i & 1 ? 2 : -2, i & 2 ? 2 : -2));
  ct_mesh_release(sheet.mesh);
}

/* A box over a sheet, apart: its corners are points, whatever triangles they are over. */
static void box_over_a_sheet_meets_in_its_corners(void) {
  soup s = {0};
  soup_sheet(&s, 6);
  ct_shape sheet = soup_shape(&s), box = {.kind = CT_KIND_BOX, .box = {{0.8, 0.7, 0.5}}};
  ct_manifold m = meet(&box, ct_vec(0.1, 0.2, 0.55), &sheet, ct_vec(0, 0, 0), full);
  CHECK(m.count >= 4);
  for (int i = 0; i < 4; i++) CHECK(has_point(&m, 0.1 + (i & 1 ? 0.8 : -0.8), 0.2 + (i & 2 ? 0.7 : -0.7)));
  for (size_t i = 0; i < m.count; i++) {
    CHECK_NEAR(m.points[i].distance, 0.05, 1e-12);
    CHECK(m.points[i].normal.z <= -1 + 1e-12 && m.points[i].patch == 0);
  }
  m = meet(&sheet, ct_vec(0, 0, 0), &box, ct_vec(0.1, 0.2, 0.55), four);
  CHECK_INT(m.count, 4);
  for (int i = 0; i < 4; i++) CHECK(has_point(&m, 0.1 + (i & 1 ? 0.8 : -0.8), 0.2 + (i & 2 ? 0.7 : -0.7)));
  ct_mesh_release(sheet.mesh);
}

/* A solid box as a mesh under another box. */
static void box_in_a_solid_meets_in_the_overlap(void) {
  soup s = {0};
  soup_box(&s, ct_vec(-2, -2, -1), ct_vec(2, 2, 0));
  ct_shape solid = soup_shape(&s), box = {.kind = CT_KIND_BOX, .box = {{0.5, 0.5, 0.5}}};
  ct_manifold m = meet(&box, ct_vec(1.75, 0, 0.49), &solid, ct_vec(0, 0, 0), full);
  CHECK_NEAR(m.pair.distance, -0.01, 1e-12);
  for (int i = 0; i < 4; i++) CHECK(has_point(&m, i & 1 ? 2 : 1.25, i & 2 ? 0.5 : -0.5));
  CHECK_INT(meet(&box, ct_vec(1.75, 0, 0.49), &solid, ct_vec(0, 0, 0), four).count, 4);
  ct_shape ball = {.kind = CT_KIND_SPHERE, .sphere = {0.5}};
  m = meet(&ball, ct_vec(0.3, 0.1, 0.49), &solid, ct_vec(0, 0, 0), full);
  CHECK_INT(m.count, 1);
  CHECK_INT(m.points[0].b.kind, CT_FEATURE_FACE);
  m = meet(&ball, ct_vec(0.3, 0.1, 0.55), &solid, ct_vec(0, 0, 0), full);
  CHECK(m.count >= 1);
  CHECK_NEAR(m.points[0].distance, 0.05, 1e-12);
  ct_mesh_release(solid.mesh);
}

/* A cube in the notch between two walls has two patches. */
static void cube_in_a_corner_meets_in_two_patches(void) {
  soup s = {0};
  soup_box(&s, ct_vec(-2, -2, -1), ct_vec(2, 2, 0));
  soup_box(&s, ct_vec(-3, -2, -1), ct_vec(-2, 2, 2));
  ct_shape walls = soup_shape(&s), box = {.kind = CT_KIND_BOX, .box = {{0.5, 0.5, 0.5}}};
  ct_manifold m = meet(&box, ct_vec(-1.45, 0, 0.55), &walls, ct_vec(0, 0, 0), four);
  CHECK_NEAR(m.pair.distance, 0.05, 1e-12);
  uint32_t last = 0;
  bool floor = false, wall = false;
  for (size_t i = 0; i < m.count; i++) {
    last = m.points[i].patch > last ? m.points[i].patch : last;
    floor = floor || m.points[i].normal.z < -0.99;
    wall = wall || m.points[i].normal.x < -0.99;
  }
  CHECK(floor && wall && last >= 1);
  ct_mesh_release(walls.mesh);
}

/* A sheet through a box crosses it in a rectangle, through a ball in a circle. */
static void surface_through_a_body_meets_where_it_crosses(void) {
  soup s = {0};
  soup_sheet(&s, 2);
  ct_shape sheet = soup_shape(&s), box = {.kind = CT_KIND_BOX, .box = {{0.25, 0.375, 0.5}}},
           ball = {.kind = CT_KIND_SPHERE, .sphere = {0.5}};
  ct_manifold m = meet(&sheet, ct_vec(0, 0, 0), &box, ct_vec(0.5, -0.5, 0.125), full);
  CHECK(m.pair.distance == 0 && m.count >= 4);
  for (int i = 0; i < 4; i++) CHECK(has_point(&m, i & 1 ? 0.75 : 0.25, i & 2 ? -0.125 : -0.875));
  for (size_t i = 0; i < m.count; i++) {
    ct_vec3 d = ct_sub(m.points[i].point_a, ct_vec(0.5, -0.5, 0));
    CHECK(m.points[i].distance == 0 && fabs(d.z) < 1e-14 && m.points[i].patch == 0);
    CHECK(fabs(fabs(d.x) - 0.25) < 1e-14 || fabs(fabs(d.y) - 0.375) < 1e-14);
  }
  CHECK_INT(meet(&box, ct_vec(0.5, -0.5, 0.125), &sheet, ct_vec(0, 0, 0), four).count, 4);
  m = meet(&ball, ct_vec(0.1, 0.2, 0.3), &sheet, ct_vec(0, 0, 0), full);
  CHECK(m.count >= 4);
  for (size_t i = 0; i < m.count; i++) {
    ct_vec3 d = ct_sub(m.points[i].point_a, ct_vec(0.1, 0.2, 0.3));
    CHECK(fabs(m.points[i].point_b.z) < 1e-14);
    CHECK_NEAR(ct_norm(d), 0.5, 1e-14);
    CHECK_NEAR(m.points[i].normal.z, -1, 1e-15);
  }
  ct_mesh_release(sheet.mesh);
}

static const check_test tests[] = {
    {"table_stands_on_four_patches", table_stands_on_four_patches},
    {"sheet_on_the_floor_keeps_four_of_its_vertices", sheet_on_the_floor_keeps_four_of_its_vertices},
    {"box_over_a_sheet_meets_in_its_corners", box_over_a_sheet_meets_in_its_corners},
    {"box_in_a_solid_meets_in_the_overlap", box_in_a_solid_meets_in_the_overlap},
    {"cube_in_a_corner_meets_in_two_patches", cube_in_a_corner_meets_in_two_patches},
    {"surface_through_a_body_meets_where_it_crosses", surface_through_a_body_meets_where_it_crosses},
};

WORKSPACE_MAIN(tests)
