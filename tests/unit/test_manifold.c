/* Contact manifolds whose points are known in closed form: published examples and each kind of
 * contact. */
#include <contact/contact.h>

#include "tests/support/shapes.h"
#include "tests/support/workspace.h"

#define TIGHT 4e-15

static const double root_half = 0.70710678118654752440;

static ct_manifold meet_as(const ct_shape *a, ct_pose pa, const ct_shape *b, ct_pose pb,
                           ct_contact_options options) {
  ct_frame fa = ct_frame_of(pa), fb = ct_frame_of(pb);
  ct_manifold m;
  ct_pair_contacts((ct_placed){a, &fa}, (ct_placed){b, &fb}, &options, workspace, &m);
  CHECK(!m.failed);
  for (size_t i = 0; i < m.count; i++) {
    const ct_contact_point *p = &m.points[i];
    CHECK_NEAR(ct_norm(p->normal), 1.0, 4 * 0x1p-52);
    CHECK(ct_norm(ct_add_scaled(ct_sub(p->point_b, p->point_a), p->normal, -p->distance)) <=
          16 * TIGHT);
    CHECK(p->distance >= m.pair.distance - TIGHT);
  }
  if (m.count > 0) CHECK_NEAR(m.points[0].distance, m.pair.distance, 8 * TIGHT);
  return m;
}
static ct_manifold meet(const ct_shape *a, ct_pose pa, const ct_shape *b, ct_pose pb,
                        double clearance) {
  return meet_as(a, pa, b, pb, (ct_contact_options){clearance, 0.0, CT_DETAIL_FULL});
}

/* The point whose midpoint is at the position, or NULL. */
static const ct_contact_point *point_at(const ct_manifold *m, double x, double y, double z) {
  for (size_t i = 0; i < m->count; i++) {
    ct_vec3 middle = ct_lerp(m->points[i].point_a, m->points[i].point_b, 0.5);
    if (ct_norm(ct_sub(middle, ct_vec(x, y, z))) <= 4 * TIGHT) return &m->points[i];
  }
  CHECK_FAIL("no point at %g %g %g", x, y, z);
  return NULL;
}
static void check_point(const ct_manifold *m, double x, double y, double z, ct_feature_kind a,
                        ct_feature_kind b) {
  const ct_contact_point *p = point_at(m, x, y, z);
  if (!p) return;
  CHECK_INT(p->a.kind, a);
  CHECK_INT(p->b.kind, b);
}
static void check_normal(const ct_manifold *m, double x, double y, double z) {
  for (size_t i = 0; i < m->count; i++)
    CHECK(ct_norm(ct_sub(m->points[i].normal, ct_vec(x, y, z))) <= TIGHT);
}
static void check_distances(const ct_manifold *m, double distance) {
  for (size_t i = 0; i < m->count; i++) CHECK_NEAR(m->points[i].distance, distance, 4 * TIGHT);
}

/* Area of the convex polygon of the points seen along z. */
static double area_of(const ct_manifold *m) {
  double best = 0.0;
  ct_vec3 c = {0, 0, 0};
  for (size_t i = 0; i < m->count; i++)
    c = ct_add_scaled(c, m->points[i].point_a, 1.0 / (double)m->count);
  for (size_t i = 0; i < m->count; i++) {
    /* The next point counter-clockwise about the centre. */
    ct_vec3 p = ct_sub(m->points[i].point_a, c);
    double least = INFINITY, area = 0.0;
    for (size_t k = 0; k < m->count; k++) {
      ct_vec3 q = ct_sub(m->points[k].point_a, c);
      double cross = p.x * q.y - p.y * q.x, angle = atan2(cross, p.x * q.x + p.y * q.y);
      if (k == i || angle <= 0.0 || angle >= least) continue;
      least = angle;
      area = cross;
    }
    best += 0.5 * area;
  }
  return best;
}

/* T6.1, row 41 */
static void small_cube_over_the_rim_of_a_large_one(void) {
  const ct_shape forms[] = {box(1, 1, 1), hull_box(1, 1, 1), box(0.5, 0.5, 0.5),
                            hull_box(0.5, 0.5, 0.5)};
  for (int i = 0; i < 4; i++) {
    ct_manifold m = meet(&forms[i & 1], at(0, 0, 0), &forms[2 + (i >> 1)], at(0.8, 0.3, 1.4), 0);
    CHECK_INT(m.count, 4);
    check_normal(&m, 0, 0, 1);
    check_distances(&m, -0.1);
    check_point(&m, 0.3, -0.2, 0.95, CT_FEATURE_FACE, CT_FEATURE_VERTEX);
    check_point(&m, 0.3, 0.8, 0.95, CT_FEATURE_FACE, CT_FEATURE_VERTEX);
    check_point(&m, 1, -0.2, 0.95, CT_FEATURE_EDGE, CT_FEATURE_EDGE);
    check_point(&m, 1, 0.8, 0.95, CT_FEATURE_EDGE, CT_FEATURE_EDGE);
  }
  ct_manifold m = meet(&forms[0], at(0, 0, 0), &forms[2], at(0.8, 0.3, 1.4), 0);
  const ct_contact_point *p = point_at(&m, 1, -0.2, 0.95);
  /* Edge of the large cube along y at +x +z; edge of the small one along x at -y -z. */
  CHECK_INT(p->a.index, 4 + 1 + 2);
  CHECK_INT(p->b.index, 0);
  CHECK_INT(point_at(&m, 0.3, 0.8, 0.95)->b.index, 2);
  CHECK_INT(point_at(&m, 0.3, 0.8, 0.95)->a.index, 5);
  ct_hull_release(forms[1].hull);
  ct_hull_release(forms[3].hull);
}

/* T6.2, row 41 */
static void cube_turned_by_45_degrees_meets_in_an_octagon(void) {
  const ct_shape forms[] = {box(1, 1, 1), hull_box(1, 1, 1)};
  const double r = sqrt(2.0) - 1.0, sine = sin(atan(1.0) / 2.0), cosine = cos(atan(1.0) / 2.0);
  for (int i = 0; i < 4; i++) {
    ct_manifold m = meet(&forms[i & 1], at(0, 0, 0), &forms[i >> 1],
                         turned(at(0, 0, 1.95), 0, 0, sine, cosine), 0);
    CHECK_INT(m.count, 8);
    check_distances(&m, -0.05);
    check_normal(&m, 0, 0, 1);
    for (int k = 0; k < 8; k++) {
      double x = k & 1 ? 1 : -1, y = k & 2 ? r : -r;
      check_point(&m, k & 4 ? x : y, k & 4 ? y : x, 0.975, CT_FEATURE_EDGE, CT_FEATURE_EDGE);
    }
    CHECK_NEAR(area_of(&m), 8 * r, 1e-13);
    m = meet_as(&forms[i & 1], at(0, 0, 0), &forms[i >> 1],
                turned(at(0, 0, 1.95), 0, 0, sine, cosine),
                (ct_contact_options){0, 0, CT_DETAIL_MANIFOLD});
    CHECK_INT(m.count, 4);
    CHECK_NEAR(area_of(&m), 2.3431457505076203, 1e-13);
    m = meet_as(&forms[i & 1], at(0, 0, 0), &forms[i >> 1],
                turned(at(0, 0, 1.95), 0, 0, sine, cosine),
                (ct_contact_options){0, 0, CT_DETAIL_DEEPEST});
    CHECK_INT(m.count, 1);
  }
  ct_hull_release(forms[1].hull);
}

/* Boxes and hulls find their supporting faces by different methods: random rotations, rotations in
 * steps of a grid, rotations about one axis. */
static void boxes_meet_where_their_hulls_do(void) {
  check_random r = {7};
  ct_shape a = box(0.5, 0.4, 0.3), b = box(0.25, 0.5, 0.75),
           hulls[] = {hull_box(0.5, 0.4, 0.3), hull_box(0.25, 0.5, 0.75)};
  int crossings = 0;
  for (int i = 0; i < 3000; i++) {
    double q[4], p[3];
    for (int k = 0; k < 4; k++) q[k] = i % 3 == 0 || k >= 2 ? check_uniform(&r, -1.0, 1.0) : 0.0;
    for (int k = 0; k < 3; k++)
      p[k] = i % 3 == 1 ? 0.25 * (double)(check_next(&r) % 5) - 0.5 : check_uniform(&r, -0.7, 0.7);
    ct_pose pose = turned(at(p[0], p[1], p[2]), q[0], q[1], q[2], q[3]);
    ct_manifold m = meet(&a, at(0, 0, 0), &b, pose, 0);
    ct_contact_point points[16];
    size_t count = m.count;
    double distance = m.pair.distance;
    ct_vec3 normal = m.pair.normal;
    CHECK(count <= 16);
    if (count > 16) continue;
    for (size_t k = 0; k < count; k++) points[k] = m.points[k];
    m = meet(&hulls[0], at(0, 0, 0), &hulls[1], pose, 0);
    /* Normals that are equally good to round-off may differ. */
    if (count == 0 || ct_norm(ct_sub(normal, m.pair.normal)) > 64 * TIGHT) continue;
    CHECK_NEAR(distance, m.pair.distance, 4 * TIGHT);
    CHECK_INT(m.count, count);
    crossings += points[0].a.kind == CT_FEATURE_EDGE && count == 1;
    for (size_t k = 0; k < count; k++) {
      double least = INFINITY;
      for (size_t n = 0; n < m.count; n++) {
        if (m.points[n].a.kind != points[k].a.kind || m.points[n].b.kind != points[k].b.kind)
          continue;
        least = ct_min2(least, ct_norm(ct_sub(m.points[n].point_a, points[k].point_a)));
      }
      CHECK(least <= 1e-12);
    }
  }
  CHECK(crossings > 100);
  ct_hull_release(hulls[0].hull);
  ct_hull_release(hulls[1].hull);
}

/* T6.3, row 41: two roofs, ridge over ridge. */
static void crossed_roof_edges_meet_in_one_point(void) {
  const ct_vec3 lower[] = {{-2, 0, 0}, {2, 0, 0},    {-2, 2, -2},
                           {2, 2, -2}, {-2, -2, -2}, {2, -2, -2}};
  const ct_vec3 upper[] = {{0, -2, 0}, {0, 2, 0}, {2, -2, 2}, {2, 2, 2}, {-2, -2, 2}, {-2, 2, 2}};
  ct_shape a = hull_shape(lower, 6), b = hull_shape(upper, 6);
  ct_manifold m = meet(&a, at(0, 0, 0), &b, at(0, 0, -0.02), 0);
  CHECK_INT(m.count, 1);
  check_normal(&m, 0, 0, 1);
  check_distances(&m, -0.02);
  CHECK(ct_norm(m.points[0].point_a) <= TIGHT);
  CHECK(ct_norm(ct_sub(m.points[0].point_b, ct_vec(0, 0, -0.02))) <= TIGHT);
  CHECK_INT(m.points[0].a.kind, CT_FEATURE_EDGE);
  CHECK_INT(m.points[0].b.kind, CT_FEATURE_EDGE);
  /* Apart by as much, within the clearance: the same with a positive distance. */
  m = meet(&a, at(0, 0, 0), &b, at(0, 0, 0.02), 0.05);
  CHECK_INT(m.count, 1);
  check_distances(&m, 0.02);
  CHECK_INT(m.points[0].a.kind, CT_FEATURE_EDGE);
  CHECK_INT(m.points[0].b.kind, CT_FEATURE_EDGE);
  CHECK_INT(meet(&a, at(0, 0, 0), &b, at(0, 0, 0.02), 0.01).count, 0);
  ct_hull_release(a.hull);
  ct_hull_release(b.hull);
}

/* T6.4, row 41 */
static void cube_on_the_floor_stands_on_four_vertices(void) {
  const ct_shape floor = plane(), forms[] = {box(0.5, 0.5, 0.5), hull_box(0.5, 0.5, 0.5)};
  for (int i = 0; i < 2; i++) {
    ct_manifold m = meet(&floor, at(0, 0, 0), &forms[i], at(0, 0, 0.5), 0);
    CHECK_INT(m.count, 4);
    check_normal(&m, 0, 0, 1);
    for (size_t k = 0; k < m.count; k++) CHECK(m.points[k].distance == 0.0);
    for (int k = 0; k < 4; k++)
      check_point(&m, k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, 0, CT_FEATURE_FACE,
                  CT_FEATURE_VERTEX);
    m = meet(&forms[i], at(0, 0, 0.5), &floor, at(0, 0, 0), 0);
    CHECK_INT(m.count, 4);
    check_normal(&m, 0, 0, -1);
    check_point(&m, 0.5, 0.5, 0, CT_FEATURE_VERTEX, CT_FEATURE_FACE);
  }
  ct_hull_release(forms[1].hull);
}

/* T6.5, row 41: two corners of the upper box, two crossings of its edges with the rim of the lower
 * one. */
static void box_that_hangs_over_meets_in_two_corners_and_two_crossings(void) {
  const ct_shape a = box(1, 1, 1), b = box(1, 0.9, 1);
  ct_manifold m = meet(&a, at(0, 0, 0), &b, at(1, 0, 1.99), 0);
  CHECK_INT(m.count, 4);
  check_distances(&m, -0.01);
  for (int k = 0; k < 2; k++) {
    double y = k ? 0.9 : -0.9;
    check_point(&m, 0, y, 0.995, CT_FEATURE_FACE, CT_FEATURE_VERTEX);
    check_point(&m, 1, y, 0.995, CT_FEATURE_EDGE, CT_FEATURE_EDGE);
  }
  CHECK_NEAR(area_of(&m), 1.8, 1e-14);
}

static void corner_of_the_lower_face_counts_as_its_vertex(void) {
  const ct_shape a = box(0.5, 0.5, 0.5), b = box(1, 1, 1);
  ct_manifold m = meet(&a, at(0, 0, 0), &b, at(0.8, 0.9, 1.4), 0);
  CHECK_INT(m.count, 4);
  check_point(&m, 0.5, 0.5, 0.45, CT_FEATURE_VERTEX, CT_FEATURE_FACE);
  check_point(&m, -0.2, -0.1, 0.45, CT_FEATURE_FACE, CT_FEATURE_VERTEX);
  check_point(&m, 0.5, -0.1, 0.45, CT_FEATURE_EDGE, CT_FEATURE_EDGE);
  check_point(&m, -0.2, 0.5, 0.45, CT_FEATURE_EDGE, CT_FEATURE_EDGE);
}

/* A box turned by atan(3/4) whose face has two corners exactly on edges of the other face. */
static void corners_on_edges_are_corners(void) {
  const ct_shape a = box(1, 1, 0.5), b = box(0.5, 1, 0.25);
  ct_pose pose = turned(at(0, 0, 0.74), 0, 0, 0.5, 1);
  ct_manifold m = meet(&a, at(0, 0, 0), &b, pose, 0);
  CHECK_INT(m.count, 6);
  check_point(&m, -0.5, 1, 0.495, CT_FEATURE_FACE, CT_FEATURE_VERTEX);
  check_point(&m, 0.5, -1, 0.495, CT_FEATURE_FACE, CT_FEATURE_VERTEX);
  m = meet(&b, pose, &a, at(0, 0, 0), 0);
  CHECK_INT(m.count, 6);
}

static void equal_cubes_meet_in_four_vertices(void) {
  const ct_shape a = box(1, 1, 1);
  ct_manifold m = meet(&a, at(0, 0, 0), &a, at(0, 0, 2), 0);
  CHECK_INT(m.count, 4);
  CHECK_NEAR(area_of(&m), 4, 1e-14);
  /* Two boxes side by side with a common rim: the overlap is a line or empty; the manifold still
   * has a point. */
  m = meet(&a, at(0, 0, 0), &a, at(2, 0, 2), 0);
  CHECK(m.count >= 1);
  m = meet(&a, at(0, 0, 0), &a, at(2, 2, 2), 0);
  CHECK(m.count >= 1);
  m = meet(&a, at(0, 0, 0), &a, at(2.1, 2.2, 2.3), 0.5);
  CHECK_INT(m.count, 1);
  CHECK_INT(m.points[0].a.kind, CT_FEATURE_VERTEX);
  CHECK_INT(m.points[0].b.kind, CT_FEATURE_VERTEX);
}

static void parallel_edges_meet_in_the_ends_of_what_they_share(void) {
  const ct_shape a = box(1, 1, 1), b = box(0.5, 1, 0.5);
  /* Edges along y, at (1, 1) and, 0.3 and 0.4 farther, at (1.3, 1.4); b shifted along y by 0.5. */
  ct_manifold m = meet(&a, at(0, 0, 0), &b, at(1.8, 0.5, 1.9), 0.6);
  CHECK_INT(m.count, 2);
  check_distances(&m, 0.5);
  check_normal(&m, 0.6, 0, 0.8);
  check_point(&m, 1.15, 1, 1.2, CT_FEATURE_VERTEX, CT_FEATURE_EDGE);
  check_point(&m, 1.15, -0.5, 1.2, CT_FEATURE_EDGE, CT_FEATURE_VERTEX);
}

static void ball_meets_in_one_point(void) {
  const ct_shape ball = sphere(0.5), cube = box(1, 1, 1), floor = plane();
  ct_manifold m = meet(&cube, at(0, 0, 0), &ball, at(0.2, 0.3, 1.4), 0);
  CHECK_INT(m.count, 1);
  CHECK_INT(m.points[0].a.kind, CT_FEATURE_FACE);
  CHECK_INT(m.points[0].a.index, 5);
  CHECK_INT(m.points[0].b.kind, CT_FEATURE_SMOOTH);
  m = meet(&cube, at(0, 0, 0), &ball, at(1.3, 0.3, 1.3), 0);
  CHECK_INT(m.points[0].a.kind, CT_FEATURE_EDGE);
  CHECK_INT(m.points[0].a.index, 4 + 1 + 2);
  m = meet(&cube, at(0, 0, 0), &ball, at(1.2, 1.2, 1.2), 0);
  CHECK_INT(m.points[0].a.kind, CT_FEATURE_VERTEX);
  CHECK_INT(m.points[0].a.index, 7);
  m = meet(&ball, at(0, 0, 0.4), &floor, at(0, 0, 0), 0);
  CHECK_INT(m.count, 1);
  check_distances(&m, -0.1);
  check_point(&m, 0, 0, -0.05, CT_FEATURE_SMOOTH, CT_FEATURE_FACE);
  m = meet(&ball, at(0, 0, 0), &ball, at(0, 0.9, 0), 0);
  CHECK_INT(m.count, 1);
  CHECK_INT(m.points[0].b.kind, CT_FEATURE_SMOOTH);
}

/* A capsule along x over a face that ends at x = 1. */
static void lying_capsule_is_cut_at_the_rim(void) {
  const ct_shape forms[] = {box(1, 1, 1), hull_box(1, 1, 1)}, rod = capsule(1, 0.25, 0.25),
                 floor = plane();
  for (int i = 0; i < 2; i++) {
    ct_manifold m = meet(&forms[i], at(0, 0, 0), &rod,
                         turned(at(0.5, 0.2, 1.2), 0, root_half, 0, root_half), 0);
    CHECK_INT(m.count, 2);
    check_distances(&m, -0.05);
    check_point(&m, -0.5, 0.2, 0.975, CT_FEATURE_FACE, CT_FEATURE_VERTEX);
    check_point(&m, 1, 0.2, 0.975, CT_FEATURE_EDGE, CT_FEATURE_EDGE);
  }
  ct_manifold m =
      meet(&rod, turned(at(0, 0, 0.2), 0, root_half, 0, root_half), &floor, at(0, 0, 0), 0);
  CHECK_INT(m.count, 2);
  check_distances(&m, -0.05);
  check_point(&m, 1, 0, -0.025, CT_FEATURE_VERTEX, CT_FEATURE_FACE);
  check_point(&m, -1, 0, -0.025, CT_FEATURE_VERTEX, CT_FEATURE_FACE);
  ct_hull_release(forms[1].hull);
}

/* The cone of a tapered capsule is flat on the face when its axis is inclined by asin((r0 - r1) /
 * 2h). */
static void tapered_capsule_lies_on_its_cone(void) {
  const ct_shape cube = box(4, 4, 1), rod = capsule(1, 0.5, 0.25);
  double lean = asin(0.125), half = (atan(1.0) * 2 + lean) / 2;
  double low = 0.5 - 0.01; /* height of the larger end's centre over the face */
  ct_pose pose = {{cos(lean), 0, 1 + low - sin(lean)}, {0, sin(half), 0, cos(half)}};
  ct_manifold m = meet(&cube, at(0, 0, 0), &rod, pose, 0);
  CHECK_INT(m.count, 2);
  for (size_t i = 0; i < m.count; i++) {
    CHECK_NEAR(m.points[i].distance, -0.01, 1e-14);
    CHECK_NEAR(m.points[i].point_b.z, 0.99, 1e-14);
  }
}

static void capsules_side_by_side_meet_in_two_points(void) {
  const ct_shape rod = capsule(1, 0.25, 0.25);
  ct_manifold m = meet(&rod, at(0, 0, 0), &rod, at(0.45, 0, 0.5), 0);
  CHECK_INT(m.count, 2);
  check_distances(&m, -0.05);
  check_point(&m, 0.225, 0, 1, CT_FEATURE_VERTEX, CT_FEATURE_EDGE);
  check_point(&m, 0.225, 0, -0.5, CT_FEATURE_EDGE, CT_FEATURE_VERTEX);
  m = meet(&rod, at(0, 0, 0), &rod, turned(at(0.45, 0, 0.5), root_half, 0, 0, root_half), 0);
  CHECK_INT(m.count, 1);
  CHECK_INT(m.points[0].a.kind, CT_FEATURE_EDGE);
  CHECK_INT(m.points[0].b.kind, CT_FEATURE_EDGE);
  m = meet(&rod, at(0, 0, 0), &rod, at(0, 0, 2.4), 0);
  CHECK_INT(m.count, 1);
  CHECK_INT(m.points[0].a.kind, CT_FEATURE_VERTEX);
}

static void standing_cylinder_meets_in_four_points_of_its_rim(void) {
  const ct_shape post = cylinder(0.5, 1), slab = box(2, 2, 0.5), floor = plane();
  ct_manifold m = meet(&slab, at(0, 0, 0), &post, at(0.25, 0.5, 1.49), 0);
  CHECK_INT(m.count, 4);
  check_distances(&m, -0.01);
  check_normal(&m, 0, 0, 1);
  for (int k = 0; k < 4; k++)
    check_point(&m, 0.25 + (k == 0) * 0.5 - (k == 1) * 0.5, 0.5 + (k == 2) * 0.5 - (k == 3) * 0.5,
                0.495, CT_FEATURE_FACE, CT_FEATURE_EDGE);
  m = meet(&post, at(0.25, 0.5, 0.99), &floor, at(0, 0, 0), 0);
  CHECK_INT(m.count, 4);
  check_distances(&m, -0.01);
  check_point(&m, 0.75, 0.5, -0.005, CT_FEATURE_EDGE, CT_FEATURE_FACE);
  CHECK_INT(point_at(&m, 0.75, 0.5, -0.005)->a.index, 0);
}

/* A cap of radius 1 over the corner of a square: the corner, two points of the rim, two crossings.
 */
static void cap_over_a_corner_is_cut_by_both_edges(void) {
  const ct_shape post = cylinder(1, 1), slab = box(1, 1, 0.5);
  const double reach = sqrt(0.75);
  ct_manifold m = meet(&post, at(1.5, 1.5, 1.5), &slab, at(0, 0, 0), 0);
  CHECK_INT(m.count, 3);
  check_point(&m, 1, 1, 0.5, CT_FEATURE_FACE, CT_FEATURE_VERTEX);
  check_point(&m, 1.5 - reach, 1, 0.5, CT_FEATURE_EDGE, CT_FEATURE_EDGE);
  check_point(&m, 1, 1.5 - reach, 0.5, CT_FEATURE_EDGE, CT_FEATURE_EDGE);
}

static void caps_side_by_side_meet_in_a_lens(void) {
  const ct_shape post = cylinder(0.5, 1);
  ct_manifold m = meet(&post, at(0, 0, 0), &post, at(0.6, 0, 1.98), 0);
  CHECK_INT(m.count, 4);
  check_distances(&m, -0.02);
  check_point(&m, 0.5, 0, 0.99, CT_FEATURE_EDGE, CT_FEATURE_FACE);
  check_point(&m, 0.1, 0, 0.99, CT_FEATURE_FACE, CT_FEATURE_EDGE);
  check_point(&m, 0.3, 0.4, 0.99, CT_FEATURE_EDGE, CT_FEATURE_EDGE);
  check_point(&m, 0.3, -0.4, 0.99, CT_FEATURE_EDGE, CT_FEATURE_EDGE);
}

static void lying_cylinder_meets_in_the_ends_of_its_line(void) {
  const ct_shape log = cylinder(0.25, 1), slab = box(1, 1, 1), floor = plane();
  ct_pose lying = turned(at(0.5, 0.2, 1.2), 0, root_half, 0, root_half);
  ct_manifold m = meet(&slab, at(0, 0, 0), &log, lying, 0);
  CHECK_INT(m.count, 2);
  check_distances(&m, -0.05);
  check_point(&m, -0.5, 0.2, 0.975, CT_FEATURE_FACE, CT_FEATURE_EDGE);
  check_point(&m, 1, 0.2, 0.975, CT_FEATURE_EDGE, CT_FEATURE_SMOOTH);
  m = meet(&log, lying, &floor, at(0, 0, 1), 0);
  CHECK_INT(m.count, 2);
  check_point(&m, -0.5, 0.2, 0.975, CT_FEATURE_EDGE, CT_FEATURE_FACE);
  check_point(&m, 1.5, 0.2, 0.975, CT_FEATURE_EDGE, CT_FEATURE_FACE);
}

static void cone_stands_on_its_rim_and_its_apex(void) {
  const ct_shape hat = cone(1, 0.5, 0), slab = box(2, 2, 0.5), floor = plane();
  CHECK_INT(meet(&slab, at(0, 0, 0), &hat, at(0, 0, 1.5), 0).count, 4);
  ct_manifold m = meet(&slab, at(0, 0, 0), &hat, turned(at(0.5, 0.5, 1.4), 1, 0, 0, 0), 0);
  CHECK_INT(m.count, 1);
  check_point(&m, 0.5, 0.5, 0.45, CT_FEATURE_FACE, CT_FEATURE_VERTEX);
  m = meet(&hat, turned(at(0, 0, 0.9), 1, 0, 0, 0), &floor, at(0, 0, 0), 0);
  CHECK_INT(m.count, 1);
  check_point(&m, 0, 0, -0.05, CT_FEATURE_VERTEX, CT_FEATURE_FACE);
}

static void ellipsoid_meets_in_one_point(void) {
  const ct_shape egg = {.kind = CT_KIND_ELLIPSOID, .ellipsoid = {{1, 0.5, 0.25}}},
                 slab = box(2, 2, 0.5), floor = plane();
  ct_manifold m = meet(&slab, at(0, 0, 0), &egg, at(0.5, 0, 0.7), 0);
  CHECK_INT(m.count, 1);
  check_distances(&m, -0.05);
  CHECK_INT(m.points[0].b.kind, CT_FEATURE_SMOOTH);
  m = meet(&egg, at(0.5, 0, 0.2), &floor, at(0, 0, 0), 0);
  CHECK_INT(m.count, 1);
  check_point(&m, 0.5, 0, -0.025, CT_FEATURE_SMOOTH, CT_FEATURE_FACE);
}

/* With outset rounding `add`, the points are those of the core's face; an inclined box touches with
 * the rounded edge. */
static void rounded_boxes_meet_over_their_cores(void) {
  ct_shape soft = box(1, 1, 1), slab = box(4, 4, 0.5);
  soft.rounding = 0.25;
  ct_manifold m = meet(&slab, at(0, 0, 0), &soft, at(0.5, 0, 1.7), 0);
  CHECK_INT(m.count, 4);
  check_distances(&m, -0.05);
  check_point(&m, 1.5, 1, 0.475, CT_FEATURE_FACE, CT_FEATURE_VERTEX);
  soft.inset = true;
  m = meet(&slab, at(0, 0, 0), &soft, at(0.5, 0, 1.45), 0);
  CHECK_INT(m.count, 4);
  check_point(&m, 1.25, 0.75, 0.475, CT_FEATURE_FACE, CT_FEATURE_VERTEX);
  /* 0.1 rad about y. */
  soft.inset = false;
  const double sine = sin(0.05), cosine = cos(0.05), low = sin(0.1) + cos(0.1);
  m = meet(&slab, at(0, 0, 0), &soft, turned(at(0, 0, 0.5 + low + 0.25 - 0.01), 0, sine, 0, cosine),
           0.5);
  CHECK_INT(m.count, 5); /* the edge below the face, and the corners of the face */
  CHECK_NEAR(m.points[0].distance, -0.01, 1e-14);
  for (size_t i = 0; i < m.count; i++) CHECK_NEAR(m.points[i].point_a.z, 0.5, 1e-14);
}

static void apart_by_more_than_the_clearance_there_is_nothing(void) {
  const ct_shape cube = box(1, 1, 1);
  ct_manifold m = meet(&cube, at(0, 0, 0), &cube, at(0, 0, 2.25), 0.2);
  CHECK_INT(m.count, 0);
  CHECK_INT(m.pair.relation, CT_SEPARATED);
  m = meet(&cube, at(0, 0, 0), &cube, at(0, 0, 2.25), 0.25);
  CHECK_INT(m.count, 4);
  check_distances(&m, 0.25);
}

static void half_spaces_meet_in_a_point_or_cannot_be_answered(void) {
  const ct_shape floor = plane();
  ct_manifold m = meet(&floor, at(0, 0, 0), &floor, turned(at(0, 0, 1), 1, 0, 0, 0), 2);
  CHECK_INT(m.count, 1);
  check_distances(&m, 1);
  ct_frame a = ct_frame_of(at(0, 0, 0)),
           b = ct_frame_of(turned(at(0, 0, 0), root_half, 0, 0, root_half));
  ct_contact_options options = {0, 0, CT_DETAIL_FULL};
  ct_pair_contacts((ct_placed){&floor, &a}, (ct_placed){&floor, &b}, &options, workspace, &m);
  CHECK_INT(m.count, 0);
  CHECK_INT(m.pair.status, CT_PAIR_UNSUPPORTED);
}

/* A prism of height 2 about a regular polygon with corners at distance 1, the first at an angle. */
static ct_shape prism(int corners, double angle) {
  ct_vec3 *p = malloc(2 * (size_t)corners * sizeof *p);
  for (int i = 0; i < corners; i++) {
    double turn = angle + 6.283185307179586 * i / corners;
    p[2 * i] = ct_vec(cos(turn), sin(turn), -1);
    p[2 * i + 1] = ct_vec(cos(turn), sin(turn), 1);
  }
  ct_shape shape = hull_shape(p, 2 * (size_t)corners);
  free(p);
  return shape;
}

static double flat_radius(const ct_contact_point *p) {
  return sqrt(p->point_a.x * p->point_a.x + p->point_a.y * p->point_a.y);
}

/* Regular polygons turned by half a side, small ones and large ones: every side crosses two others.
 */
static void prisms_turned_by_half_a_side_meet_in_all_crossings(void) {
  static const int corners[] = {6, 60, 255, 256, 257, 300, 1000};
  for (size_t k = 0; k < sizeof corners / sizeof corners[0]; k++) {
    int n = corners[k];
    double half = 3.141592653589793 / n, radius = cos(half) / cos(0.5 * half);
    ct_shape lower = prism(n, 0.1), upper = prism(n, 0.1 + half);
    ct_manifold m = meet(&lower, at(0, 0, 0), &upper, at(0, 0, 2.25), 1);
    CHECK_INT(m.count, 2 * n);
    for (size_t i = 0; i < m.count; i++) {
      CHECK_NEAR(flat_radius(&m.points[i]), radius, 1e-13 * n);
      CHECK(m.points[i].a.kind == CT_FEATURE_EDGE && m.points[i].b.kind == CT_FEATURE_EDGE);
    }
    ct_hull_release(lower.hull);
    ct_hull_release(upper.hull);
  }
}

/* A small prism over the middle of a large one keeps its whole face; off the middle it keeps the
 * overlap. */
static void a_prism_over_another_keeps_what_is_over_it(void) {
  const int n = 400;
  ct_shape lower = prism(n, 0.1), same = prism(n, 0.1);
  const ct_shape small = box(0.25, 0.25, 1), slab = box(3, 0.5, 1);
  ct_manifold m = meet(&lower, at(0, 0, 0), &small, at(0, 0, 2.25), 1);
  CHECK_INT(m.count, 4);
  m = meet(&lower, at(0, 0, 0), &same, at(0, 0, 2.25), 1);
  CHECK_INT(m.count, n);
  for (size_t i = 0; i < m.count; i++)
    CHECK(m.points[i].a.kind == CT_FEATURE_VERTEX || m.points[i].b.kind == CT_FEATURE_VERTEX);
  /* Two discs apart by d: the lens between x = d - 1 and x = 1, with two crossings. */
  m = meet(&lower, at(0, 0, 0), &same, at(0.75, 0, 2.25), 1);
  double area = area_of(&m), lens = 2 * acos(0.375) - 0.375 * sqrt(4 - 0.75 * 0.75);
  CHECK_NEAR(area, lens, 1e-3);
  int crossings = 0;
  for (size_t i = 0; i < m.count; i++)
    crossings += m.points[i].a.kind == CT_FEATURE_EDGE && m.points[i].b.kind == CT_FEATURE_EDGE;
  CHECK_INT(crossings, 2);
  m = meet(&lower, at(0, 0, 0), &slab, at(0, 0, 2.25), 1);
  crossings = 0;
  for (size_t i = 0; i < m.count; i++)
    crossings += m.points[i].a.kind == CT_FEATURE_EDGE && m.points[i].b.kind == CT_FEATURE_EDGE;
  CHECK_INT(crossings, 4);
  ct_hull_release(lower.hull);
  ct_hull_release(same.hull);
}

/* Cancelled during the query: the status reports it, and the next query is complete. */
static void a_raised_flag_stops_a_large_overlap(void) {
  ct_shape lower = prism(300, 0.1), upper = prism(300, 0.105);
  ct_frame a = ct_frame_of(at(0, 0, 0)), b = ct_frame_of(at(0, 0, 2.25));
  ct_contact_options options = {1, 0, CT_DETAIL_FULL};
  ct_cancel *cancel = ct_cancel_create();
  ct_cancel_raise(cancel);
  ct_manifold m;
  ct_workspace_watch(workspace, cancel);
  ct_pair_contacts((ct_placed){&lower, &a}, (ct_placed){&upper, &b}, &options, workspace, &m);
  CHECK_INT(m.pair.status, CT_PAIR_ITERATION_LIMIT);
  ct_workspace_watch(workspace, NULL);
  ct_cancel_destroy(cancel);
  m = meet(&lower, at(0, 0, 0), &upper, at(0, 0, 2.25), 1);
  CHECK_INT(m.count, 600);
  ct_hull_release(lower.hull);
  ct_hull_release(upper.hull);
}

static const check_test tests[] = {
    {"small_cube_over_the_rim_of_a_large_one", small_cube_over_the_rim_of_a_large_one},
    {"cube_turned_by_45_degrees_meets_in_an_octagon",
     cube_turned_by_45_degrees_meets_in_an_octagon},
    {"boxes_meet_where_their_hulls_do", boxes_meet_where_their_hulls_do},
    {"crossed_roof_edges_meet_in_one_point", crossed_roof_edges_meet_in_one_point},
    {"cube_on_the_floor_stands_on_four_vertices", cube_on_the_floor_stands_on_four_vertices},
    {"box_that_hangs_over_meets_in_two_corners_and_two_crossings",
     box_that_hangs_over_meets_in_two_corners_and_two_crossings},
    {"corner_of_the_lower_face_counts_as_its_vertex",
     corner_of_the_lower_face_counts_as_its_vertex},
    {"corners_on_edges_are_corners", corners_on_edges_are_corners},
    {"equal_cubes_meet_in_four_vertices", equal_cubes_meet_in_four_vertices},
    {"parallel_edges_meet_in_the_ends_of_what_they_share",
     parallel_edges_meet_in_the_ends_of_what_they_share},
    {"ball_meets_in_one_point", ball_meets_in_one_point},
    {"lying_capsule_is_cut_at_the_rim", lying_capsule_is_cut_at_the_rim},
    {"tapered_capsule_lies_on_its_cone", tapered_capsule_lies_on_its_cone},
    {"capsules_side_by_side_meet_in_two_points", capsules_side_by_side_meet_in_two_points},
    {"standing_cylinder_meets_in_four_points_of_its_rim",
     standing_cylinder_meets_in_four_points_of_its_rim},
    {"cap_over_a_corner_is_cut_by_both_edges", cap_over_a_corner_is_cut_by_both_edges},
    {"caps_side_by_side_meet_in_a_lens", caps_side_by_side_meet_in_a_lens},
    {"lying_cylinder_meets_in_the_ends_of_its_line", lying_cylinder_meets_in_the_ends_of_its_line},
    {"cone_stands_on_its_rim_and_its_apex", cone_stands_on_its_rim_and_its_apex},
    {"ellipsoid_meets_in_one_point", ellipsoid_meets_in_one_point},
    {"rounded_boxes_meet_over_their_cores", rounded_boxes_meet_over_their_cores},
    {"apart_by_more_than_the_clearance_there_is_nothing",
     apart_by_more_than_the_clearance_there_is_nothing},
    {"prisms_turned_by_half_a_side_meet_in_all_crossings",
     prisms_turned_by_half_a_side_meet_in_all_crossings},
    {"a_prism_over_another_keeps_what_is_over_it", a_prism_over_another_keeps_what_is_over_it},
    {"a_raised_flag_stops_a_large_overlap", a_raised_flag_stops_a_large_overlap},
    {"half_spaces_meet_in_a_point_or_cannot_be_answered",
     half_spaces_meet_in_a_point_or_cannot_be_answered},
};

WORKSPACE_MAIN(tests)
