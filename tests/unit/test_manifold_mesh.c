/* Manifolds of meshes: vertices over a half-space, triangles against convex bodies, patches. */
#include "tests/support/manifold.h"
#include "tests/support/meshes.h"

#include <contact/contact.h>

static bool has_point(const ct_manifold *m, double x, double y) {
  for (size_t i = 0; i < m->count; i++)
    if (fabs(m->points[i].point_a.x - x) < 1e-12 && fabs(m->points[i].point_a.y - y) < 1e-12)
      return true;
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
    CHECK(m.points[i].patch < 4 && m.points[i].b.index < 32 &&
          m.points[i].b.index % 8 < 4); /* the soles of the legs */
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

/* A box above a sheet, apart: the points are the box's corners, for any triangles below them. */
static void box_over_a_sheet_meets_in_its_corners(void) {
  soup s = {0};
  soup_sheet(&s, 6);
  ct_shape sheet = soup_shape(&s), box = {.kind = CT_KIND_BOX, .box = {{0.8, 0.7, 0.5}}};
  ct_manifold m = meet(&box, ct_vec(0.1, 0.2, 0.55), &sheet, ct_vec(0, 0, 0), full);
  CHECK_INT(m.count, 4);
  for (int i = 0; i < 4; i++)
    CHECK(has_point(&m, 0.1 + (i & 1 ? 0.8 : -0.8), 0.2 + (i & 2 ? 0.7 : -0.7)));
  for (size_t i = 0; i < m.count; i++) {
    CHECK_NEAR(m.points[i].distance, 0.05, 1e-12);
    CHECK(m.points[i].normal.z <= -1 + 1e-12 && m.points[i].patch == 0);
  }
  m = meet(&sheet, ct_vec(0, 0, 0), &box, ct_vec(0.1, 0.2, 0.55), four);
  CHECK_INT(m.count, 4);
  for (int i = 0; i < 4; i++)
    CHECK(has_point(&m, 0.1 + (i & 1 ? 0.8 : -0.8), 0.2 + (i & 2 ? 0.7 : -0.7)));
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
  CHECK_INT(m.count, 1);
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

/* A sheet crosses a box in a rectangle and a ball in a circle. */
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

/* Every point has the distance along +z and is at one of the four corners of a rectangle about the
 * origin, at the height of either body. */
static void check_on_top(ct_manifold m, double distance, double x, double y, double height_a) {
  CHECK_INT(m.count, 4);
  CHECK_NEAR(m.pair.distance, distance, 1e-14);
  for (int i = 0; i < 4; i++) CHECK(has_point(&m, i & 1 ? x : -x, i & 2 ? y : -y));
  for (size_t i = 0; i < m.count; i++) {
    CHECK_NEAR(m.points[i].distance, distance, 1e-14);
    CHECK_NEAR(m.points[i].normal.z, 1.0, 1e-15);
    CHECK_NEAR(m.points[i].point_a.z, height_a, 1e-14);
    CHECK_NEAR(m.points[i].point_b.z, height_a + distance, 1e-14);
  }
}

/* A box of 2 x 1 x 0.5 m as a mesh with a rounding of 0.125 m, half of it as margin: contacts are
 * closer by the rounding. */
static void rounded_mesh_meets_at_its_rounding(void) {
  soup s = {0};
  soup_box(&s, ct_vec(-1, -0.5, -0.25), ct_vec(1, 0.5, 0.25));
  ct_shape mesh = soup_shape(&s), floor = {.kind = CT_KIND_PLANE},
           ball = {.kind = CT_KIND_SPHERE, .sphere = {0.5}};
  ct_shape box = {.kind = CT_KIND_BOX, .box = {{0.5, 0.375, 0.25}}};
  mesh.rounding = mesh.margin = 0.0625;
  for (int i = -1; i <= 1; i++) {
    double gap = i * 0.03125;
    ct_vec3 zero = ct_vec(0, 0, 0);
    check_on_top(meet(&floor, zero, &mesh, ct_vec(0, 0, 0.375 + gap), four), gap, 1, 0.5, 0);
    check_on_top(meet(&mesh, zero, &box, ct_vec(0, 0, 0.625 + gap), four), gap, 0.5, 0.375, 0.375);
    check_on_top(meet(&mesh, zero, &mesh, ct_vec(0, 0, 0.75 + gap), four), gap, 1, 0.5, 0.375);
    ct_manifold m = meet(&mesh, zero, &ball, ct_vec(0.5, -0.25, 0.875 + gap), four);
    CHECK_INT(m.count, 1);
    CHECK_NEAR(m.points[0].distance, gap, 1e-14);
    CHECK(ct_norm(ct_sub(m.points[0].point_a, ct_vec(0.5, -0.25, 0.375))) <= 1e-14);
    /* Off the corner, along (1, 2, 2) / 3: the three faces there have one point. */
    ct_vec3 way = ct_vec(1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0), corner = ct_vec(1, 0.5, 0.25);
    m = meet(&mesh, zero, &ball, ct_add_scaled(corner, way, 0.625 + gap), four);
    CHECK_INT(m.count, 1);
    for (size_t k = 0; k < m.count; k++) {
      CHECK_NEAR(m.points[k].distance, gap, 1e-14);
      CHECK(ct_norm(ct_sub(m.points[k].normal, way)) <= 1e-14);
      CHECK(ct_norm(ct_sub(m.points[k].point_a, ct_add_scaled(corner, way, 0.125))) <= 1e-14);
    }
  }
  /* Deeper than the rounding: the unrounded faces overlap by 0.0625 m. */
  check_on_top(meet(&mesh, ct_vec(0, 0, 0), &box, ct_vec(0, 0, 0.4375), four), -0.1875, 0.5, 0.375,
               0.375);
  check_on_top(meet(&mesh, ct_vec(0, 0, 0), &mesh, ct_vec(0, 0, 0.4375), four), -0.3125, 1, 0.5,
               0.375);
  ct_mesh_release(mesh.mesh);
}

/* One face of a box in n x n rectangles, each cut along a random diagonal. Corners are shared once
 * the mesh is built. */
static void cut_face(soup *s, ct_vec3 middle, ct_vec3 u, ct_vec3 v, uint32_t n, check_random *r) {
  for (uint32_t i = 0; i < n * n; i++) {
    uint32_t corner[4];
    for (uint32_t k = 0; k < 4; k++) {
      double x = (2.0 * (i % n + (k == 1 || k == 2)) - n) / n, y = (2.0 * (i / n + k / 2) - n) / n;
      corner[k] = soup_vertex(s, ct_add_scaled(ct_add_scaled(middle, u, x), v, y));
    }
    uint32_t turn = check_next(r) % 2;
    soup_triangle(s, corner[turn], corner[turn + 1], corner[turn + 2]);
    soup_triangle(s, corner[turn], corner[turn + 2], corner[(turn + 3) % 4]);
  }
}

static ct_shape cut_box(ct_vec3 half, uint32_t n, check_random *r) {
  soup s = {0};
  for (int sign = -1; sign <= 1; sign += 2) {
    ct_vec3 x = ct_vec(half.x, 0, 0), y = ct_vec(0, half.y, 0), z = ct_vec(0, 0, half.z);
    cut_face(&s, ct_scale(x, sign), ct_scale(y, sign), z, n, r);
    cut_face(&s, ct_scale(y, sign), ct_scale(z, sign), x, n, r);
    cut_face(&s, ct_scale(z, sign), ct_scale(x, sign), y, n, r);
  }
  return soup_shape(&s);
}

/* Bodies on and beside a box, in the order of their kinds; those with faces or edges stand or lie
 * on its top. */
static ct_placed body_near(ct_vec3 half, int kind, double gap, check_random *r, ct_shape *shape,
                           ct_frame *frame) {
  double turn = check_uniform(r, -1, 1), height = 0.25;
  ct_pose pose = {ct_vec(check_uniform(r, -1, 1), check_uniform(r, -0.5, 0.5), 0), {0, 0, turn, 1}};
  switch (kind) {
  case 0:
  case 1: {
    /* Outside a point of the surface: a face, an edge or a corner. */
    ct_vec3 at = ct_vec(check_uniform(r, -2, 2), check_uniform(r, -1, 1), check_uniform(r, -1, 1)),
            on = at;
    on =
        ct_vec(ct_max2(ct_min2(at.x, half.x), -half.x), ct_max2(ct_min2(at.y, half.y), -half.y), 0);
    on.z = kind ? half.z : ct_max2(ct_min2(at.z, half.z), -half.z);
    ct_vec3 way = kind || ct_norm(ct_sub(at, on)) < 0.1
                      ? ct_vec(0, 0, 1)
                      : ct_unit_or(ct_sub(at, on), ct_vec(0, 0, 1));
    if (way.z == 1.0) on.z = half.z;
    *shape = (ct_shape){.kind = CT_KIND_SPHERE, .sphere = {0.5}};
    pose.position = ct_add_scaled(on, way, 0.5 + gap);
    *frame = ct_frame_of(pose);
    return (ct_placed){shape, frame};
  }
  case 2: *shape = (ct_shape){.kind = CT_KIND_BOX, .box = {{0.75, 0.375, 0.25}}}; break;
  case 3: *shape = (ct_shape){.kind = CT_KIND_CYLINDER, .cylinder = {0.375, 0.25}}; break;
  default:
    *shape = (ct_shape){.kind = CT_KIND_CAPSULE, .capsule = {0.5, 0.25, 0.25}};
    pose.rotation = (ct_quat){1, turn, turn, 1}; /* a quarter turn about x, and then some about z */
  }
  pose.position.z = half.z + height + gap;
  *frame = ct_frame_of(pose);
  return (ct_placed){shape, frame};
}

static size_t missing(const ct_contact_point *p, size_t count, const ct_manifold *in) {
  size_t lost = 0;
  for (size_t i = 0; i < count; i++) {
    bool found = false;
    for (size_t k = 0; k < in->count && !found; k++)
      found = ct_norm(ct_sub(p[i].point_a, in->points[k].point_a)) < 1e-9 &&
              ct_norm(ct_sub(p[i].normal, in->points[k].normal)) < 1e-9;
    lost += !found;
  }
  return lost;
}

/* A flat face has the same contact points for any triangulation: those of the box itself. */
static void a_box_of_triangles_meets_as_the_box(void) {
  check_random r = {63};
  ct_vec3 half = ct_vec(1, 0.5, 0.25);
  ct_shape box = {.kind = CT_KIND_BOX, .box = {half}};
  for (uint32_t n = 1; n <= 4; n++) {
    ct_shape mesh = cut_box(half, n, &r);
    for (int i = 0; i < 250; i++) {
      ct_shape shape;
      ct_frame frame, zero = ct_frame_of((ct_pose){.rotation = {0, 0, 0, 1}});
      ct_placed body = body_near(half, i % 5, 0.03125, &r, &shape, &frame);
      ct_contact_point points[32];
      ct_manifold m;
      ct_pair_contacts(body, (ct_placed){&box, &zero}, &full, workspace, &m);
      size_t count = m.count;
      for (size_t k = 0; k < count && k < 32; k++) points[k] = m.points[k];
      ct_pair_contacts(body, (ct_placed){&mesh, &zero}, &full, workspace, &m);
      check_points(&m, full.clearance);
      CHECK_INT(m.count, count);
      CHECK_INT(missing(points, count, &m), 0);
    }
    ct_mesh_release(mesh.mesh);
  }
}

static const check_test tests[] = {
    {"a_box_of_triangles_meets_as_the_box", a_box_of_triangles_meets_as_the_box},
    {"rounded_mesh_meets_at_its_rounding", rounded_mesh_meets_at_its_rounding},
    {"table_stands_on_four_patches", table_stands_on_four_patches},
    {"sheet_on_the_floor_keeps_four_of_its_vertices",
     sheet_on_the_floor_keeps_four_of_its_vertices},
    {"box_over_a_sheet_meets_in_its_corners", box_over_a_sheet_meets_in_its_corners},
    {"box_in_a_solid_meets_in_the_overlap", box_in_a_solid_meets_in_the_overlap},
    {"cube_in_a_corner_meets_in_two_patches", cube_in_a_corner_meets_in_two_patches},
    {"surface_through_a_body_meets_where_it_crosses",
     surface_through_a_body_meets_where_it_crosses},
};

WORKSPACE_MAIN(tests)
