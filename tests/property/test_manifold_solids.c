/* Manifolds of overlapping solid meshes equal those of the hulls of the same corners, for every
 * subdivision of the faces: as many points, at the corners of the overlap of the two faces, with
 * the same normal and distances. */
#include "tests/support/meshes.h"

#include <contact/contact.h>
#include <contact/manifold.h>

#define PAIRS 150
#define POINTS_MAX 64
#define CUTS_MAX 4

static ct_workspace *workspace;

static ct_shape hull_box(ct_vec3 half) {
  ct_vec3 v[8];
  for (int i = 0; i < 8; i++)
    v[i] = ct_vec(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
  ct_hull *hull = NULL;
  if (ct_hull_from_points(v, 8, NULL, &hull, NULL) != CT_OK) abort();
  return (ct_shape){.kind = CT_KIND_CONVEX, .hull = hull};
}

static void cut_face(soup *s, ct_vec3 half, int axis, double side, uint32_t cuts, check_random *r) {
  uint32_t at[CUTS_MAX + 1][CUTS_MAX + 1];
  for (uint32_t i = 0; i <= cuts; i++) {
    for (uint32_t j = 0; j <= cuts; j++) {
      double c[3];
      c[axis] = side;
      c[(axis + 1) % 3] = 2.0 * i / cuts - 1.0;
      c[(axis + 2) % 3] = 2.0 * j / cuts - 1.0;
      at[i][j] = soup_vertex(s, ct_vec(c[0] * half.x, c[1] * half.y, c[2] * half.z));
    }
  }
  for (uint32_t i = 0; i < cuts; i++) {
    for (uint32_t j = 0; j < cuts; j++) {
      uint32_t a = at[i][j], c = at[i + 1][j + 1];
      uint32_t b = side > 0 ? at[i + 1][j] : at[i][j + 1],
               d = side > 0 ? at[i][j + 1] : at[i + 1][j];
      bool turned = check_next(r) & 1;
      soup_triangle(s, a, b, turned ? c : d);
      soup_triangle(s, turned ? a : b, c, d);
    }
  }
}

/* A box whose sides are grids of cuts x cuts quadrilaterals, each split along a random diagonal. */
static ct_shape mesh_box(ct_vec3 half, uint32_t cuts, check_random *r) {
  soup s = {0};
  for (int axis = 0; axis < 3; axis++) {
    cut_face(&s, half, axis, -1.0, cuts, r);
    cut_face(&s, half, axis, 1.0, cuts, r);
  }
  return (ct_shape){.kind = CT_KIND_MESH, .mesh = soup_mesh(&s)};
}

/* Two boxes in the frame of the first; the second penetrates its top. */
typedef struct sunk {
  ct_vec3 half_a, half_b;
  ct_pose b;
} sunk;

static ct_quat quat_of(ct_vec3 turn) {
  double angle = ct_norm(turn);
  ct_vec3 v = ct_scale(turn, angle > 0.0 ? sin(0.5 * angle) / angle : 0.0);
  return (ct_quat){v.x, v.y, v.z, cos(0.5 * angle)};
}

static sunk sunk_blocks(check_random *r, double lean) {
  sunk s;
  s.half_a = ct_vec(check_uniform(r, 0.3, 1), check_uniform(r, 0.3, 1), check_uniform(r, 0.3, 1));
  s.half_b = ct_vec(check_uniform(r, 0.3, 1), check_uniform(r, 0.3, 1), check_uniform(r, 0.3, 1));
  ct_vec3 turn = ct_vec(lean * check_uniform(r, -1, 1), lean * check_uniform(r, -1, 1),
                        check_uniform(r, -3, 3));
  double x = 0.6 * (s.half_a.x + s.half_b.x), y = 0.6 * (s.half_a.y + s.half_b.y),
         z = s.half_a.z + s.half_b.z;
  double depth = check_uniform(r, 0.02, 0.4) * ct_min2(s.half_a.z, s.half_b.z);
  s.b = (ct_pose){{check_uniform(r, -x, x), check_uniform(r, -y, y), z - depth}, quat_of(turn)};
  return s;
}

static sunk crossed_bars(check_random *r) {
  sunk s;
  s.half_a = ct_vec(2, check_uniform(r, 0.2, 0.5), check_uniform(r, 0.2, 0.5));
  s.half_b = ct_vec(check_uniform(r, 0.2, 0.5), 2, check_uniform(r, 0.2, 0.5));
  double depth = check_uniform(r, 0.02, 0.9) * ct_min2(s.half_a.z, s.half_b.z);
  s.b =
      (ct_pose){{check_uniform(r, -1, 1), check_uniform(r, -1, 1), s.half_a.z + s.half_b.z - depth},
                quat_of(ct_vec(0, 0, check_uniform(r, -0.4, 0.4)))};
  return s;
}

typedef struct points {
  ct_pair_result pair;
  ct_contact_point items[POINTS_MAX];
  size_t count;
} points;

static void meet(const ct_shape *a, const ct_shape *b, const sunk *s, ct_detail detail,
                 points *out) {
  ct_frame fa = ct_frame_of(ct_pose_identity()), fb = ct_frame_of(s->b);
  const ct_contact_options options = {0.0, 0.0, detail};
  ct_manifold m;
  ct_pair_contacts((ct_placed){a, &fa}, (ct_placed){b, &fb}, &options, workspace, &m);
  CHECK(m.pair.status == CT_PAIR_OK && m.count <= POINTS_MAX);
  out->pair = m.pair;
  out->count = m.count < POINTS_MAX ? m.count : POINTS_MAX;
  if (out->count > 0) memcpy(out->items, m.points, out->count * sizeof *m.points);
}

/* Is the point among those of the hulls, with its distance? Points are above each other; with a
 * tilt either one may be the nearer. */
static bool among(const points *all, const ct_contact_point *p) {
  for (size_t i = 0; i < all->count; i++) {
    const ct_contact_point *q = &all->items[i];
    if (fabs(p->distance - q->distance) > 1e-9) continue;
    if (ct_norm(ct_sub(p->point_a, q->point_a)) <= 1e-9 &&
        ct_norm(ct_sub(p->point_b, q->point_b)) <= 1e-9)
      return true;
  }
  return false;
}

/* Compares manifolds if the deepest feature is as deep as the hulls: a subdivided side may have
 * deeper inner features. False: not compared. */
static int compare(const sunk *s, uint32_t cuts, bool level, check_random *r) {
  ct_shape hull[2] = {hull_box(s->half_a), hull_box(s->half_b)};
  ct_shape mesh[2] = {mesh_box(s->half_a, cuts, r), mesh_box(s->half_b, cuts, r)};
  points four, all, ours;
  meet(&hull[0], &hull[1], s, CT_DETAIL_MANIFOLD, &four);
  meet(&hull[0], &hull[1], s, CT_DETAIL_FULL, &all);
  meet(&mesh[0], &mesh[1], s, CT_DETAIL_MANIFOLD, &ours);
  bool same = fabs(ours.pair.distance - four.pair.distance) <= 1e-9 &&
              ct_dot(ours.pair.normal, four.pair.normal) >= 1.0 - 1e-9;
  if (same) {
    CHECK_INT(ours.count, four.count);
    for (size_t i = 0; i < ours.count; i++) {
      CHECK_INT(ours.items[i].patch, 0);
      if (level && !among(&all, &ours.items[i]))
        CHECK_FAIL("point %zu of %zu is none of the hulls'", i, ours.count);
    }
  }
  for (int i = 0; i < 2; i++) {
    ct_hull_release(hull[i].hull);
    ct_mesh_release(mesh[i].mesh);
  }
  return same;
}

static void level_blocks_touch_in_the_corners_of_their_common_area(void) {
  check_random r = {21};
  int same = 0;
  for (int i = 0; i < PAIRS; i++) {
    sunk s = sunk_blocks(&r, 0.0);
    same += compare(&s, 1 + (uint32_t)i % CUTS_MAX, true, &r);
  }
  CHECK(same > 2 * PAIRS / 3);
}

static void crossed_bars_touch_in_four_points(void) {
  check_random r = {22};
  int same = 0;
  for (int i = 0; i < PAIRS; i++) {
    sunk s = crossed_bars(&r);
    same += compare(&s, 1 + (uint32_t)i % CUTS_MAX, true, &r);
  }
  CHECK(same > 2 * PAIRS / 3);
}

static void tilted_blocks_have_as_many_points(void) {
  check_random r = {23};
  int same = 0;
  for (int i = 0; i < PAIRS; i++) {
    sunk s = sunk_blocks(&r, 0.1);
    same += compare(&s, 1 + (uint32_t)i % CUTS_MAX, false, &r);
  }
  CHECK(same > PAIRS / 5);
}

int main(int argc, char **argv) {
  static const check_test tests[] = {
      {"level_blocks_touch_in_the_corners_of_their_common_area",
       level_blocks_touch_in_the_corners_of_their_common_area},
      {"crossed_bars_touch_in_four_points", crossed_bars_touch_in_four_points},
      {"tilted_blocks_have_as_many_points", tilted_blocks_have_as_many_points},
  };
  workspace = ct_workspace_create();
  if (!workspace) return 1;
  int result = check_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
  ct_workspace_destroy(workspace);
  return result;
}
