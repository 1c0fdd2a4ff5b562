/* Manifolds of two meshes: features that face each other, overlapping solids, crossing surfaces,
 * patches. */
#include "tests/support/manifold.h"
#include "tests/support/meshes.h"

#include <contact/contact.h>

static bool has_point(const ct_manifold *m, ct_vec3 p) {
  for (size_t i = 0; i < m->count; i++)
    if (ct_norm(ct_sub(ct_lerp(m->points[i].point_a, m->points[i].point_b, 0.5), p)) < 1e-12)
      return true;
  return false;
}

static uint32_t patches_of(const ct_manifold *m) {
  uint32_t most = 0;
  for (size_t i = 0; i < m->count; i++)
    if (m->points[i].patch >= most) most = m->points[i].patch + 1;
  return most;
}

static ct_shape box_mesh(ct_vec3 half) {
  soup s = {0};
  soup_box(&s, ct_neg(half), half);
  return soup_shape(&s);
}

/* A copy, because the points of a manifold belong to the workspace. */
typedef struct kept {
  ct_manifold m;
  ct_contact_point points[256];
} kept;
static void keep(kept *k, ct_manifold m) {
  CHECK(m.count <= 256);
  k->m = m;
  if (m.count > 0) memcpy(k->points, m.points, m.count * sizeof *m.points);
  k->m.points = k->points;
}

/* Boxes as meshes and as boxes: the same points, apart and overlapping. */
static void boxes_meet_as_the_convex_ones_do(void) {
  static const struct {
    ct_vec3 half_a, half_b, at;
    int points; /* corners of the faces' overlap */
  } cases[] = {
      {{1, 1, 1}, {0.5, 0.5, 0.5}, {0.8, 0.3, 1.55}, 4},
      {{1, 1, 1}, {0.5, 0.5, 0.5}, {0.8, 0.3, 1.49}, 4},
      {{1, 1, 1}, {1, 0.9, 1}, {1, 0, 1.99}, 4},
      {{1, 1, 1}, {1, 1, 1}, {0, 0, 2.03125}, 4},
      {{1, 1, 1}, {1, 1, 1}, {0, 0, 1.96875}, 4},
      {{1, 1, 1}, {0.5, 0.5, 0.5}, {0.25, -0.25, 1.5}, 4},
      {{2, 0.25, 0.25}, {0.25, 2, 0.25}, {0, 0, 0.53}, 4},
      {{2, 0.25, 0.25}, {0.25, 2, 0.25}, {0, 0, 0.49}, 4},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    ct_shape a = {.kind = CT_KIND_BOX, .box = {cases[i].half_a}},
             b = {.kind = CT_KIND_BOX, .box = {cases[i].half_b}};
    ct_shape mesh_a = box_mesh(cases[i].half_a), mesh_b = box_mesh(cases[i].half_b);
    kept convex;
    keep(&convex, meet(&a, ct_vec(0, 0, 0), &b, cases[i].at, full));
    ct_manifold m = meet(&mesh_a, ct_vec(0, 0, 0), &mesh_b, cases[i].at, full);
    CHECK_NEAR(m.pair.distance, convex.m.pair.distance, 1e-12);
    CHECK_INT(convex.m.count, cases[i].points);
    for (size_t k = 0; k < convex.m.count; k++)
      CHECK(has_point(&m, ct_lerp(convex.points[k].point_a, convex.points[k].point_b, 0.5)));
    for (size_t k = 0; k < m.count; k++) {
      CHECK_NEAR(m.points[k].distance, convex.m.pair.distance, 1e-12);
      CHECK(m.points[k].normal.z > 1 - 1e-12);
    }
    CHECK_INT(patches_of(&m), 1);
    if (m.count > 5) CHECK_FAIL("case %d: %d points", (int)i, (int)m.count);
    ct_mesh_release(mesh_a.mesh);
    ct_mesh_release(mesh_b.mesh);
  }
}

static void legs_on_a_floor_mesh_are_patches(void) {
  soup legs = {0}, sheet = {0}, slab = {0};
  for (int i = 0; i < 4; i++) {
    double x = i & 1 ? 1 : -1.5, y = i & 2 ? 1 : -1.5;
    soup_box(&legs, ct_vec(x, y, 0), ct_vec(x + 0.5, y + 0.5, 1));
  }
  soup_box(&legs, ct_vec(-1.5, -1.5, 0.75), ct_vec(1.5, 1.5, 1.25));
  soup_sheet(&sheet, 6);
  soup_box(&slab, ct_vec(-3, -3, -1), ct_vec(3, 3, 0));
  ct_shape table = soup_shape(&legs), floors[2] = {soup_shape(&sheet), soup_shape(&slab)};
  for (int f = 0; f < 2; f++) {
    ct_manifold m = meet(&floors[f], ct_vec(0, 0, 0), &table, ct_vec(0.125, 0.0625, 0.03125), full);
    CHECK_INT(patches_of(&m), 4);
    for (size_t i = 0; i < m.count; i++)
      CHECK(m.points[i].distance == 0.03125 && m.points[i].normal.z > 1 - 1e-15);
    for (int i = 0; i < 16; i++) {
      ct_vec3 foot = {(i & 4 ? 1 : -1.5) + (i & 1 ? 0.5 : 0),
                      (i & 8 ? 1 : -1.5) + (i & 2 ? 0.5 : 0), 0};
      CHECK(has_point(&m, ct_add(foot, ct_vec(0.125, 0.0625, 0.015625))));
    }
    m = meet(&table, ct_vec(0.125, 0.0625, 0.03125), &floors[f], ct_vec(0, 0, 0), four);
    CHECK_INT(m.count, 16);
    CHECK_INT(
        meet(&table, ct_vec(0.125, 0.0625, 0.03125), &floors[f], ct_vec(0, 0, 0), deepest).count,
        1);
    ct_mesh_release(floors[f].mesh);
  }
  ct_mesh_release(table.mesh);
}

/* Bars turned on edge, one across the other. Apart: one point of two edges. Overlapping: one edge,
 * whose depth below the sloping side of the other bar is the greatest. */
static void crossing_bars_meet_in_two_edges(void) {
  ct_shape bar = box_mesh(ct_vec(2, 0.25, 0.25));
  double top = 0.25 * sqrt(2.0), eighth = 0.39269908169872414;
  for (int sign = -1; sign <= 1; sign += 2) {
    ct_frame low = ct_frame_of((ct_pose){{0, 0, 0}, {sin(eighth), 0, 0, cos(eighth)}});
    ct_frame high = {{{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}}, {0, 0, 2 * top + sign * 0.03125}};
    ct_frame turned = {ct_mat_mat(high.rotation, low.rotation), high.position};
    ct_manifold m;
    ct_pair_contacts((ct_placed){&bar, &low}, (ct_placed){&bar, &turned}, &full, workspace, &m);
    CHECK_INT(m.count, 1);
    const ct_contact_point *p = m.points;
    if (sign > 0) {
      CHECK(p->a.kind == CT_FEATURE_EDGE && p->b.kind == CT_FEATURE_EDGE);
      CHECK_NEAR(p->distance, 0.03125, 1e-12);
      CHECK_NEAR(p->normal.z, 1, 1e-12);
      CHECK(ct_norm(ct_sub(p->point_a, ct_vec(0, 0, top))) < 1e-12);
    } else {
      CHECK((p->a.kind == CT_FEATURE_EDGE) != (p->b.kind == CT_FEATURE_EDGE));
      CHECK_NEAR(p->distance, -0.03125 / sqrt(2.0), 1e-12);
    }
  }
  ct_mesh_release(bar.mesh);
}

/* A small cube in a large one, a corner near the wall. */
static void nested_solids_have_the_depths_of_vertices(void) {
  ct_shape out = box_mesh(ct_vec(2, 2, 2)), in = box_mesh(ct_vec(0.5, 0.5, 0.5));
  ct_manifold m = meet(&out, ct_vec(0, 0, 0), &in, ct_vec(1.25, 0, 0), full);
  CHECK_NEAR(m.pair.distance, -1.25, 1e-12);
  CHECK_INT(m.count, 8);
  for (size_t i = 0; i < m.count; i++) {
    CHECK_INT(m.points[i].b.kind, CT_FEATURE_VERTEX);
    CHECK(fabs(m.points[i].distance + 0.25) < 1e-12 || fabs(m.points[i].distance + 1.25) < 1e-12);
  }
  ct_mesh_release(out.mesh);
  ct_mesh_release(in.mesh);
}

/* A box that stands in a sheet crosses it in a rectangle; two sheets in a line. */
static void surfaces_meet_where_they_cross(void) {
  soup s = {0};
  soup_sheet(&s, 2);
  ct_shape sheet = soup_shape(&s), box = box_mesh(ct_vec(0.25, 0.375, 0.5));
  static const ct_contact_options close = {0, 0, CT_DETAIL_FULL};
  ct_manifold m = meet(&sheet, ct_vec(0, 0, 0), &box, ct_vec(0.5, -0.5, 0.125), close);
  CHECK(m.pair.distance == 0 && m.pair.depth_kind == CT_DEPTH_NONE);
  for (int i = 0; i < 4; i++)
    CHECK(has_point(&m, ct_vec(i & 1 ? 0.75 : 0.25, i & 2 ? -0.125 : -0.875, 0)));
  for (size_t i = 0; i < m.count; i++) {
    ct_vec3 d = ct_sub(m.points[i].point_a, ct_vec(0.5, -0.5, 0));
    CHECK(m.points[i].distance == 0 && fabs(d.z) < 1e-14);
    CHECK(fabs(fabs(d.x) - 0.25) < 1e-14 || fabs(fabs(d.y) - 0.375) < 1e-14);
    CHECK(m.points[i].normal.z == 1 && m.points[i].patch < 4);
  }
  CHECK(meet(&box, ct_vec(0.5, -0.5, 0.125), &sheet, ct_vec(0, 0, 0), deepest).points[0].normal.z ==
        -1);
  ct_frame flat = ct_frame_of((ct_pose){{0, 0, 0}, {0, 0, 0, 1}}),
           upright = {{{0, 0, 1}, {0, 1, 0}, {-1, 0, 0}}, {0.25, 0, 0}};
  ct_pair_contacts((ct_placed){&sheet, &flat}, (ct_placed){&sheet, &upright}, &close, workspace,
                   &m);
  CHECK(m.pair.distance == 0 && has_point(&m, ct_vec(0.25, 1, 0)) &&
        has_point(&m, ct_vec(0.25, -1, 0)));
  for (size_t i = 0; i < m.count; i++)
    CHECK(fabs(m.points[i].point_a.x - 0.25) < 1e-14 && fabs(m.points[i].point_a.z) < 1e-14);
  ct_mesh_release(sheet.mesh);
  ct_mesh_release(box.mesh);
}

static double number_in(uint64_t *state, double low, double high) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return low + (high - low) * (double)(*state >> 11) * 0x1p-53;
}

/* A bumpy ball: an octahedron whose sides are cut in four, each corner moved in or out. */
static ct_shape bumpy(uint64_t *state, bool open) {
  static const double sign[2] = {1, -1};
  soup s = {0};
  for (int n = 0; n < 27; n++) {
    ct_vec3 d = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
    soup_vertex(&s, n == 13 ? d : ct_scale(d, number_in(state, 0.6, 1.2) / ct_norm(d)));
  }
  for (int n = 0; n < 8; n++) {
    int x = (int)sign[n & 1], y = (int)sign[n >> 1 & 1], z = (int)sign[n >> 2];
    uint32_t c[6] = {
        (uint32_t)(13 + x),         (uint32_t)(13 + 3 * y),         (uint32_t)(13 + 9 * z),
        (uint32_t)(13 + x + 3 * y), (uint32_t)(13 + 3 * y + 9 * z), (uint32_t)(13 + x + 9 * z)};
    static const int faces[4][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}};
    for (int f = 0; f < (open && n == 0 ? 3 : 4); f++) {
      int turn = x * y * z < 0;
      soup_triangle(&s, c[faces[f][0]], c[faces[f][1 + turn]], c[faces[f][2 - turn]]);
    }
  }
  return soup_shape(&s);
}

static double off_surface(const ct_shape *shape, const ct_frame *frame, ct_vec3 p) {
  ct_mesh_foot foot;
  return ct_mesh_nearest(shape->mesh, ct_to_local(*frame, p), INFINITY, &foot) ? foot.distance
                                                                               : INFINITY;
}

static bool same(ct_vec3 p, ct_vec3 q) { return p.x == q.x && p.y == q.y && p.z == q.z; }

/* Each point is on both surfaces, none is deeper than the pair, and swapped arguments give the
 * mirror image bit for bit. */
static void random_pair(uint64_t *state, int kinds, bool far) {
  ct_shape a = bumpy(state, kinds & 1), b = bumpy(state, kinds & 2);
  ct_quat q = {number_in(state, -1, 1), number_in(state, -1, 1), number_in(state, -1, 1),
               number_in(state, -1, 1)};
  double n = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  q = (ct_quat){q.x / n, q.y / n, q.z / n, q.w / n};
  double x = far ? number_in(state, 1.6, 2.2) : number_in(state, 0.2, 1.6);
  ct_frame fa = ct_frame_of(ct_pose_identity()),
           fb = ct_frame_of((ct_pose){{x, number_in(state, -0.3, 0.3), 0.1}, q});
  const ct_contact_options options = {0.125, 0, CT_DETAIL_FULL};
  kept one;
  ct_manifold m;
  ct_pair_contacts((ct_placed){&a, &fa}, (ct_placed){&b, &fb}, &options, workspace, &m);
  keep(&one, m);
  CHECK(m.pair.status == CT_PAIR_OK && (m.count > 0) == (m.pair.distance <= 0.125));
  check_points(&one.m, options.clearance);
  for (size_t i = 0; i < one.m.count; i++) {
    const ct_contact_point *p = &one.points[i];
    CHECK(off_surface(&a, &fa, p->point_a) <= 1e-12 && off_surface(&b, &fb, p->point_b) <= 1e-12);
    bool in = ct_mesh_contains(a.mesh, ct_to_local(fa, p->point_b)) ||
              ct_mesh_contains(b.mesh, ct_to_local(fb, p->point_a));
    if (p->distance < -1e-12) CHECK(in);
  }
  ct_pair_contacts((ct_placed){&b, &fb}, (ct_placed){&a, &fa}, &options, workspace, &m);
  CHECK_INT(m.count, one.m.count);
  for (size_t i = 0; i < m.count && i < one.m.count; i++) {
    const ct_contact_point *p = &m.points[i];
    const ct_contact_point *mirror = NULL;
    for (size_t k = 0; k < one.m.count && !mirror; k++) {
      const ct_contact_point *o = &one.points[k];
      if (same(p->point_a, o->point_b) && same(p->point_b, o->point_a) &&
          same(p->normal, ct_neg(o->normal)))
        mirror = o;
    }
    CHECK(mirror && mirror->distance == p->distance && mirror->patch == p->patch);
  }
  ct_mesh_release(a.mesh);
  ct_mesh_release(b.mesh);
}

static void points_are_on_both_surfaces(void) {
  uint64_t state = 7;
  for (int i = 0; i < 400; i++) random_pair(&state, i & 3, i & 4);
}

/* A raised flag ends the search, and the status reports it. */
static void raised_flag_cuts_the_search_short(void) {
  static const ct_contact_options close = {0.125, 0, CT_DETAIL_FULL};
  soup s = {0};
  soup_sheet(&s, 20);
  ct_shape sheet = soup_shape(&s);
  ct_frame low = ct_frame_of(ct_pose_identity()),
           high = ct_frame_of((ct_pose){{0.25, 0.125, 0.0625}, {0, 0, 0, 1}});
  ct_cancel *cancel = ct_cancel_create();
  ct_manifold m;
  ct_pair_contacts((ct_placed){&sheet, &low}, (ct_placed){&sheet, &high}, &close, workspace, &m);
  size_t all = m.count;
  CHECK(m.pair.status == CT_PAIR_OK && all >= 400);
  ct_cancel_raise(cancel);
  ct_workspace_watch(workspace, cancel);
  ct_pair_contacts((ct_placed){&sheet, &low}, (ct_placed){&sheet, &high}, &close, workspace, &m);
  ct_workspace_watch(workspace, NULL);
  CHECK(m.pair.status == CT_PAIR_ITERATION_LIMIT && !m.failed && m.count >= 1 && m.count < all);
  ct_cancel_destroy(cancel);
  ct_mesh_release(sheet.mesh);
}

static int by_value(const void *p, const void *q) {
  double x = *(const double *)p, y = *(const double *)q;
  return (x > y) - (x < y);
}

/* Spikes under a floor of two triangles, each nearer than those before it: of too many, the nearest
 * are kept. The last is nearer than the others by more than the tie tolerance, 1e-6 of the extent
 * of 373 m, and is the only minimum. */
static void of_too_many_points_the_deepest_are_kept(void) {
  enum { SIDE = 264, SPIKES = SIDE * SIDE, KEPT = 65536 };
  soup s = {0}, t = {0};
  double *heights = malloc(SPIKES * sizeof *heights);
  CHECK(heights != NULL);
  if (!heights) return;
  for (int i = 0; i < SPIKES; i++) {
    double x = i % SIDE, y = i / SIDE;
    heights[i] = i == SPIKES - 1
                     ? 0.00390625
                     : 0.03125 * (1.0 - (double)(i * 7919L % SPIKES) / SPIKES) + 0.0078125;
    uint32_t tip = soup_vertex(&s, ct_vec(x, y, -heights[i]));
    soup_triangle(&s, tip, soup_vertex(&s, ct_vec(x + 0.25, y, -1)),
                  soup_vertex(&s, ct_vec(x, y + 0.25, -1)));
  }
  for (int i = 0; i < 4; i++) soup_vertex(&t, ct_vec(i & 1 ? SIDE : -1, i & 2 ? SIDE : -1, 0));
  soup_triangle(&t, 0, 1, 3);
  soup_triangle(&t, 0, 3, 2);
  ct_shape spikes = soup_shape(&s), floor = soup_shape(&t);
  ct_frame frame = ct_frame_of(ct_pose_identity());
  ct_manifold m;
  ct_pair_contacts((ct_placed){&spikes, &frame}, (ct_placed){&floor, &frame}, &full, workspace, &m);
  CHECK(m.pair.status == CT_PAIR_ITERATION_LIMIT && !m.failed);
  CHECK_INT(m.count, KEPT);
  qsort(heights, SPIKES, sizeof *heights, by_value);
  double most = 0;
  for (size_t i = 0; i < m.count; i++) most = ct_max2(most, m.points[i].distance);
  if (m.count == KEPT) CHECK_NEAR(most, heights[KEPT - 1], 1e-12);
  CHECK(m.count > 0 && fabs(m.points[0].distance - heights[0]) <= 1e-12);
  free(heights);
  ct_mesh_release(spikes.mesh);
  ct_mesh_release(floor.mesh);
}

static const check_test tests[] = {
    {"of_too_many_points_the_deepest_are_kept", of_too_many_points_the_deepest_are_kept},
    {"boxes_meet_as_the_convex_ones_do", boxes_meet_as_the_convex_ones_do},
    {"legs_on_a_floor_mesh_are_patches", legs_on_a_floor_mesh_are_patches},
    {"crossing_bars_meet_in_two_edges", crossing_bars_meet_in_two_edges},
    {"nested_solids_have_the_depths_of_vertices", nested_solids_have_the_depths_of_vertices},
    {"surfaces_meet_where_they_cross", surfaces_meet_where_they_cross},
    {"raised_flag_cuts_the_search_short", raised_flag_cuts_the_search_short},
    {"points_are_on_both_surfaces", points_are_on_both_surfaces},
};

WORKSPACE_MAIN(tests)
