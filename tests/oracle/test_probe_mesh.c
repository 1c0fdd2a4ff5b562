/* Probes of meshes. Rays: against the convex shape that the mesh represents, against containment of
 * points, and the first hit against all hits. Also points and regions. */
#include "tests/oracle/mesh_cases.h"
#include "tests/support/scenes.h"

#define CROSSINGS_MAX 256

static ct_mesh *mesh_of(const soup *s) {
  ct_mesh *mesh = NULL;
  ct_mesh_report report;
  CHECK_INT(soup_build(s, CT_MESH_AUTO, &mesh, &report), CT_OK);
  return mesh;
}

static size_t cross(const ct_ray *ray, const ct_shape *shape, const ct_pose *pose,
                    ct_ray_crossing *out, size_t room) {
  static ct_workspace *workspace;
  if (!workspace) workspace = ct_workspace_create();
  ct_frame frame = ct_frame_of(*pose);
  return ct_ray_cross(ray, (ct_placed){shape, &frame}, workspace, out, room);
}

static ct_vec3 vec_in(check_random *r, double size) {
  double x = check_uniform(r, -size, size), y = check_uniform(r, -size, size);
  return ct_vec(x, y, check_uniform(r, -size, size));
}

static void a_box_of_triangles_is_crossed_like_a_box(void) {
  check_random r = {1};
  soup s = {0};
  soup_box(&s, ct_vec(-1.0, -2.0, -0.5), ct_vec(1.0, 2.0, 0.5));
  ct_mesh *mesh = mesh_of(&s);
  ct_shape shape = {.kind = CT_KIND_MESH, .mesh = mesh}, box = box_of(1.0, 2.0, 0.5);
  size_t hits = 0;
  for (int i = 0; i < 4000; i++) {
    double far = i % 4 == 0 ? 1e6 : i % 4 == 1 ? 0.4 : 4.0;
    ct_pose pose = {vec_in(&r, 3.0), random_rotation(&r)};
    ct_vec3 from = ct_add(pose.position, vec_in(&r, far));
    ct_ray ray = {from, ct_sub(ct_add(pose.position, vec_in(&r, 1.5)), from),
                  i % 3 ? INFINITY : 4.0};
    ct_ray_crossing a[2], b[CROSSINGS_MAX];
    size_t count = cross(&ray, &box, &pose, a, 2);
    CHECK_INT(cross(&ray, &shape, &pose, b, CROSSINGS_MAX), count);
    hits += count;
    for (size_t k = 0; k < count; k++) {
      CHECK_NEAR(b[k].distance, a[k].distance, 1e-13 + 1e-15 * a[k].distance);
      CHECK_NEAR(ct_norm(ct_sub(b[k].position, a[k].position)), 0.0, 1e-13);
      CHECK_NEAR(ct_norm(ct_sub(b[k].normal, a[k].normal)), 0.0, 1e-13);
      CHECK(b[k].entering == a[k].entering && b[k].triangle < 12);
    }
  }
  CHECK(hits > 2000);
  ct_mesh_release(mesh);
  soup_free(&s);
}

/* A mesh with a margin is a box with round edges. */
static void a_margin_grows_a_mesh_like_a_box(void) {
  check_random r = {3};
  soup s = {0};
  soup_box(&s, ct_vec(-1.0, -2.0, -0.5), ct_vec(1.0, 2.0, 0.5));
  ct_mesh *mesh = mesh_of(&s);
  ct_shape shape = {.kind = CT_KIND_MESH, .mesh = mesh, .margin = 0.25},
           box = box_of(1.0, 2.0, 0.5);
  box.margin = 0.25;
  size_t hits = 0;
  for (int i = 0; i < 300; i++) {
    ct_pose pose = {vec_in(&r, 3.0), random_rotation(&r)};
    ct_vec3 from = ct_add(pose.position, vec_in(&r, i % 4 ? 4.0 : 0.4));
    ct_ray ray = {from, ct_sub(ct_add(pose.position, vec_in(&r, 1.5)), from), INFINITY};
    ct_ray_crossing a[2], b[8];
    size_t count = cross(&ray, &box, &pose, a, 2);
    CHECK_INT(cross(&ray, &shape, &pose, b, 8), count);
    hits += count;
    for (size_t k = 0; k < count; k++) {
      CHECK_NEAR(b[k].distance, a[k].distance, 1e-11);
      CHECK_NEAR(ct_norm(ct_sub(b[k].normal, a[k].normal)), 0.0, 1e-9);
      CHECK(b[k].entering == a[k].entering && b[k].status == CT_PAIR_OK);
    }
  }
  CHECK(hits > 150);
  ct_mesh_release(mesh);
  soup_free(&s);
}

/* Between two crossings of a solid the line is inside if the first crossing enters and the second
 * leaves. */
static void check_walls(const ct_mesh *mesh, const ct_ray *ray, const ct_ray_crossing *c,
                        size_t count) {
  ct_vec3 d = ct_unit_or(ray->direction, ray->direction);
  for (size_t k = 0; k + 1 < count; k++) {
    if (c[k + 1].distance - c[k].distance < 1e-9) continue;
    ct_vec3 middle = ct_add_scaled(ray->origin, d, 0.5 * (c[k].distance + c[k + 1].distance));
    bool inside = ct_mesh_contains(mesh, middle);
    CHECK(inside == c[k].entering && inside == !c[k + 1].entering);
  }
}

static void crossings_are_the_boundary_of_the_solid(void) {
  check_random r = {2};
  size_t walls = 0;
  for (int i = 0; i < 4; i++) {
    for (int kind = 0; kind < MESH_CASE_COUNT; kind++) {
      soup s = {0};
      mesh_case(&s, kind, &r);
      ct_mesh *mesh = mesh_of(&s);
      ct_shape shape = {.kind = CT_KIND_MESH, .mesh = mesh};
      ct_pose origin = ct_pose_identity();
      for (int k = 0; k < 400 && ct_mesh_get(mesh)->solid; k++) {
        ct_vec3 from = vec_in(&r, k % 2 ? 90.0 : 20.0);
        ct_ray ray = {from, ct_sub(vec_in(&r, 30.0), from), INFINITY};
        ct_ray_crossing c[CROSSINGS_MAX], first;
        size_t count = cross(&ray, &shape, &origin, c, CROSSINGS_MAX);
        CHECK(count < CROSSINGS_MAX);
        walls += count;
        if (count > 0)
          CHECK(ct_mesh_contains(mesh, from) == !c[0].entering && !c[count - 1].entering);
        else CHECK(!ct_mesh_contains(mesh, from));
        check_walls(mesh, &ray, c, count);
        size_t found = cross(&ray, &shape, &origin, &first, 1);
        CHECK((found > 0) == (count > 0));
        if (found)
          CHECK(first.distance == c[0].distance && first.triangle == c[0].triangle &&
                first.entering == c[0].entering);
      }
      ct_mesh_release(mesh);
      soup_free(&s);
    }
  }
  CHECK(walls > 3000);
}

/* From, to and through vertices, edges and faces of the same meshes: between crossings the ray is
 * inside or outside the solid, tested at points off the surface. */
static void rays_through_features_cross_walls(void) {
  check_random r = {4};
  size_t walls = 0;
  for (int i = 0; i < 3 * MESH_CASE_COUNT; i++) {
    soup s = {0};
    mesh_case(&s, i, &r);
    ct_mesh *mesh = mesh_of(&s);
    ct_shape shape = {.kind = CT_KIND_MESH, .mesh = mesh};
    ct_pose origin = ct_pose_identity();
    for (int k = 0; k < 300 && ct_mesh_get(mesh)->solid; k++) {
      ipoint from = case_point(ct_mesh_get(mesh), &r), to = case_point(ct_mesh_get(mesh), &r);
      ipoint way = ipoint_sub(to, from);
      int64_t back = k % 3 ? case_integer(&r, 0, 3) : 0;
      if (way.x == 0 && way.y == 0 && way.z == 0) continue;
      ct_ray ray = {ct_add_scaled(vec_of(from), vec_of(way), (double)-back), vec_of(way), INFINITY};
      ct_ray_crossing c[CROSSINGS_MAX];
      size_t count = cross(&ray, &shape, &origin, c, CROSSINGS_MAX);
      double end = count ? c[count - 1].distance + 1.0 : 1.0, length = ct_norm(vec_of(way));
      walls += count;
      for (size_t n = 0; n <= count; n++) {
        double a = n == 0 ? 0.0 : c[n - 1].distance, b = n == count ? end : c[n].distance;
        bool inside = n < count ? !c[n].entering : false;
        ct_vec3 middle = ct_add_scaled(ray.origin, ray.direction, 0.5 * (a + b) / length);
        ct_mesh_foot foot;
        if (n > 0) CHECK(c[n - 1].entering == inside);
        if (b - a < 1e-9 || !ct_mesh_nearest(mesh, middle, INFINITY, &foot) || foot.distance < 1e-9)
          continue;
        CHECK(ct_mesh_contains(mesh, middle) == inside);
      }
    }
    ct_mesh_release(mesh);
    soup_free(&s);
  }
  CHECK(walls > 4000);
}

/* Through vertices and along edges, where many triangles meet: one crossing in each direction. */
static void triangles_around_an_edge_are_one_crossing(void) {
  soup s = {0};
  soup_octahedron(&s, ct_vec(0.0, 0.0, 0.0), 2.0);
  ct_mesh *mesh = mesh_of(&s);
  ct_shape shape = {.kind = CT_KIND_MESH, .mesh = mesh};
  ct_pose origin = ct_pose_identity();
  ct_ray_crossing c[CROSSINGS_MAX];
  ct_ray through = {ct_vec(0.0, 0.0, 5.0), ct_vec(0.0, 0.0, -3.0), INFINITY};
  CHECK_INT(cross(&through, &shape, &origin, c, CROSSINGS_MAX), 2);
  CHECK(c[0].distance == 3.0 && c[0].entering && c[1].distance == 7.0 && !c[1].entering);
  ct_ray edge = {ct_vec(1.0, 0.0, 5.0), ct_vec(0.0, 0.0, -1.0), INFINITY};
  CHECK_INT(cross(&edge, &shape, &origin, c, CROSSINGS_MAX), 2);
  CHECK(c[0].distance == 4.0 && c[0].entering && c[1].distance == 6.0 && !c[1].entering);
  ct_ray graze = {ct_vec(-5.0, 0.0, 2.0), ct_vec(1.0, 0.0, 0.0), INFINITY};
  CHECK_INT(cross(&graze, &shape, &origin, c, CROSSINGS_MAX), 0);
  ct_mesh_release(mesh);
  soup_free(&s);
}

/* An open sheet has a front and a back. */
static void a_sheet_is_crossed_once(void) {
  soup s = {0};
  for (int i = 0; i < 4; i++) soup_vertex(&s, ct_vec(i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, 0.0));
  soup_triangle(&s, 0, 1, 3);
  soup_triangle(&s, 0, 3, 2);
  ct_mesh *mesh = mesh_of(&s);
  ct_shape shape = {.kind = CT_KIND_MESH, .mesh = mesh};
  ct_pose origin = ct_pose_identity();
  ct_ray_crossing c[CROSSINGS_MAX];
  ct_ray down = {ct_vec(0.25, 0.25, 2.0), ct_vec(0.0, 0.0, -1.0), INFINITY},
         up = {ct_vec(0.25, 0.25, -2.0), ct_vec(0.0, 0.0, 1.0), 2.0};
  CHECK_INT(cross(&down, &shape, &origin, c, CROSSINGS_MAX), 1);
  CHECK(c[0].distance == 2.0 && c[0].entering && c[0].normal.z == 1.0);
  CHECK_INT(cross(&up, &shape, &origin, c, CROSSINGS_MAX), 1);
  CHECK(c[0].distance == 2.0 && !c[0].entering && c[0].normal.z == 1.0);
  up.reach = 2.0 - 0x1p-50;
  CHECK_INT(cross(&up, &shape, &origin, c, CROSSINGS_MAX), 0);
  ct_mesh_release(mesh);
  soup_free(&s);
}

/* The same crossings as of a box, first and all. */
static void check_like_a_box(const ct_shape *mesh, ct_vec3 from, ct_vec3 direction,
                             const ct_pose *at_mesh) {
  ct_shape box = box_of(0.5, 0.5, 0.5);
  ct_pose at_box = {ct_add(at_mesh->position, ct_vec(0.5, 0.5, 0.5)), ct_quat_identity()};
  ct_ray ray = {ct_add(at_mesh->position, from), direction, INFINITY};
  ct_ray_crossing a[2], b[CROSSINGS_MAX], first;
  size_t count = cross(&ray, &box, &at_box, a, 2);
  CHECK_INT(count, ct_max_abs(from) > 1.0 ? 2 : 1);
  CHECK_INT(cross(&ray, mesh, at_mesh, b, CROSSINGS_MAX), count);
  CHECK(cross(&ray, mesh, at_mesh, &first, 1) > 0 && first.distance == b[0].distance &&
        first.entering == b[0].entering);
  for (size_t k = 0; k < count; k++) {
    CHECK_NEAR(b[k].distance, a[k].distance, 1e-13);
    CHECK(b[k].entering == a[k].entering);
  }
}

/* In the planes of all faces: across, along edges and diagonals, and oblique, in both directions,
 * starting far away and on the face. */
static void along_a_face_a_box_of_triangles_is_crossed_like_a_box(void) {
  const double ways[][4] = {{0, 0.5, 1, 0}, {0, 0.25, 1, 0}, {0, 0, 1, 0},     {0, 1, 1, 0},
                            {0, 0, 1, 1},   {0, 1, 1, -1},   {0, 0.25, 1, 0.5}};
  soup s = {0};
  soup_box(&s, ct_vec(0, 0, 0), ct_vec(1, 1, 1));
  ct_mesh *mesh = mesh_of(&s);
  ct_shape shape = {.kind = CT_KIND_MESH, .mesh = mesh};
  const ct_pose poses[] = {ct_pose_identity(), {{3.0, -2.0, 0.5}, ct_quat_identity()}};
  for (int i = 0; i < 2 * 6 * 2 * 7 * 3; i++) {
    const double *w = ways[i % 7];
    int axis = i / 7 % 3;
    double level = i / 21 % 2, turn = i / 42 % 2 ? -1.0 : 1.0,
           back = i / 84 % 3 == 0   ? -20.0
                  : i / 84 % 3 == 1 ? -4.0
                                    : 0.0;
    /* Starts `back` before the point where the line enters the face, or, reversed, as far behind
     * the point where it leaves. */
    double u = w[0] + (turn > 0.0 ? back : 1.0 - back) * w[2],
           v = w[1] + (turn > 0.0 ? back : 1.0 - back) * w[3];
    if (back == 0.0) u = w[0] + 0.5 * w[2], v = w[1] + 0.5 * w[3];
    const double p[3] = {level, u, v}, d[3] = {0.0, turn * w[2], turn * w[3]};
    ct_vec3 from = ct_vec(p[(3 - axis) % 3], p[(4 - axis) % 3], p[(5 - axis) % 3]);
    ct_vec3 way = ct_vec(d[(3 - axis) % 3], d[(4 - axis) % 3], d[(5 - axis) % 3]);
    check_like_a_box(&shape, from, way, &poses[i / 252]);
  }
  ct_mesh_release(mesh);
  soup_free(&s);
}

/* A ray in the plane of sheets enters each sheet once, whichever triangles it is made of. */
static void a_ray_within_a_sheet_enters_it_once(void) {
  soup s = {0};
  for (int part = 0; part < 2; part++)
    for (int i = 0; i < 4; i++) {
      double x = 8.0 * part + i;
      uint32_t base = s.vn;
      for (int k = 0; k < 4; k++) soup_vertex(&s, ct_vec(x + (k & 1), k & 2 ? 1.0 : 0.0, 0.0));
      soup_triangle(&s, base, base + 1, base + 3);
      soup_triangle(&s, base, base + 3, base + 2);
    }
  ct_mesh *mesh = mesh_of(&s);
  ct_shape shape = {.kind = CT_KIND_MESH, .mesh = mesh};
  ct_pose origin = ct_pose_identity();
  ct_ray_crossing c[CROSSINGS_MAX];
  for (int i = 0; i < 5; i++) {
    ct_ray there = {ct_vec(-5.0, 0.25 * i, 0.0), ct_vec(2.0, 0.0, 0.0), INFINITY},
           back = {ct_vec(20.0, 0.25 * i, 0.0), ct_vec(-1.0, 0.0, 0.0), INFINITY};
    CHECK_INT(cross(&there, &shape, &origin, c, CROSSINGS_MAX), 2);
    CHECK(c[0].distance == 5.0 && c[1].distance == 13.0 && c[0].entering && c[1].entering);
    CHECK_INT(cross(&back, &shape, &origin, c, CROSSINGS_MAX), 2);
    CHECK(c[0].distance == 8.0 && c[1].distance == 16.0);
    CHECK(cross(&back, &shape, &origin, c, 1) > 0 && c[0].distance == 8.0);
  }
  ct_mesh_release(mesh);
  soup_free(&s);
}

/* Points: signed distance to a solid box of triangles, and to an open sheet, which contains points
 * only if it has a margin. */
static bool keep_hit(void *context, const ct_probe_hit *hit) {
  ct_probe_hit **next = context;
  *(*next)++ = *hit;
  return true;
}

static size_t probe_all(const ct_scene *scene, ct_probe_options o, ct_probe_hit *out) {
  ct_workspace *workspace = ct_workspace_create();
  ct_probe *p = NULL;
  ct_probe_hit *next = out;
  CHECK_INT(ct_probe_prepare(scene, &o, &p), CT_OK);
  CHECK_INT(
      ct_probe_run(p, &(ct_query_range){.begin = 0, .end = ct_probe_items(p), .after = CT_NO_ROW},
                   workspace, keep_hit, &next),
      CT_OK);
  ct_probe_destroy(p);
  ct_workspace_destroy(workspace);
  return (size_t)(next - out);
}

static void points_and_meshes(void) {
  soup solid = {0}, sheet = {0};
  soup_box(&solid, ct_vec(-1.0, -2.0, -0.5), ct_vec(1.0, 2.0, 0.5));
  for (int i = 0; i < 3; i++)
    soup_vertex(&sheet, ct_vec(i == 1 ? 9.0 : 0.0, i == 2 ? 9.0 : 0.0, 0.0));
  soup_triangle(&sheet, 0, 1, 2);
  ct_mesh *box = mesh_of(&solid), *open = mesh_of(&sheet);
  const ct_scene *empty = ct_scene_create(1);
  ct_draft *draft = ct_draft_begin(empty);
  add_shape(draft, "box", (ct_shape){.kind = CT_KIND_MESH, .mesh = box}, pose_at(10.0, 0.0, 0.0));
  add_shape(draft, "sheet", (ct_shape){.kind = CT_KIND_MESH, .mesh = open}, pose_at(0.0, 0.0, 5.0));
  add_shape(draft, "plate", (ct_shape){.kind = CT_KIND_MESH, .mesh = open, .margin = 0.25},
            pose_at(0.0, 0.0, -5.0));
  const ct_scene *scene = seal(draft, empty);
  const ct_vec3 points[] = {{10.25, 0.5, 0.125},
                            {10.0, 2.0, 0.0},
                            {1.0, 1.0, 5.0},
                            {1.0, 1.0, -4.875},
                            {10.0, -5.0, 4.5}};
  ct_probe_hit hits[16];
  ct_probe_options holds = {.kind = CT_PROBE_POINT, .points = points, .count = 5};
  CHECK_INT(probe_all(scene, holds, hits), 3);
  CHECK(hits[0].item == 0 && hits[0].row == 0 && hits[0].distance == -0.375 &&
        hits[0].normal.z == 1.0 && hits[0].position.z == 0.5);
  CHECK(hits[1].item == 1 && hits[1].row == 0 && hits[1].distance == 0.0 &&
        hits[1].normal.y == 1.0);
  CHECK(hits[2].item == 3 && hits[2].row == 2 && hits[2].distance == -0.125 &&
        hits[2].position.z == -4.75);
  ct_probe_options near = {
      .kind = CT_PROBE_NEAREST, .points = points, .count = 5, .nearest = 1, .reach = INFINITY};
  CHECK_INT(probe_all(scene, near, hits), 5);
  CHECK(hits[2].row == 1 && hits[2].distance == 0.0 && hits[2].triangle == 0 &&
        hits[2].normal.z == 1.0);
  CHECK(hits[4].row == 0 && hits[4].distance == 5.0 && hits[4].position.y == -2.0 &&
        hits[4].position.z == 0.5);
  CHECK_NEAR(hits[4].normal.y, -0.6, 1e-15);
  ct_scene_release(scene);
  ct_mesh_release(box);
  ct_mesh_release(open);
  soup_free(&solid);
  soup_free(&sheet);
}

/* Regions: a solid mesh contains bodies inside it, any region may contain a mesh, and a sheet only
 * crosses. */
static void regions_and_meshes(void) {
  soup solid = {0}, sheet = {0};
  soup_box(&solid, ct_vec(-2.0, -2.0, -2.0), ct_vec(2.0, 2.0, 2.0));
  for (int i = 0; i < 3; i++)
    soup_vertex(&sheet, ct_vec(i == 1 ? 1.0 : 0.0, i == 2 ? 1.0 : 0.0, 0.0));
  soup_triangle(&sheet, 0, 1, 2);
  ct_mesh *box = mesh_of(&solid), *open = mesh_of(&sheet);
  const ct_scene *empty = ct_scene_create(1);
  ct_draft *draft = ct_draft_begin(empty);
  add_shape(draft, "held", sphere_of(0.5), pose_at(1.0, 0.0, 0.0));
  add_shape(draft, "sheet", (ct_shape){.kind = CT_KIND_MESH, .mesh = open},
            pose_at(-1.0, -1.0, 1.0));
  add_shape(draft, "half", sphere_of(0.5), pose_at(2.0, 0.0, 0.0));
  add_shape(draft, "away", (ct_shape){.kind = CT_KIND_MESH, .mesh = open}, pose_at(4.0, 0.0, 0.0));
  add_shape(draft, "solid", (ct_shape){.kind = CT_KIND_MESH, .mesh = box}, pose_at(0.0, 0.0, 0.0));
  const ct_scene *scene = seal(draft, empty);
  ct_probe_hit hits[8];
  ct_probe_options by_mesh = {.kind = CT_PROBE_REGION,
                              .region = {.kind = CT_KIND_MESH, .mesh = box},
                              .region_pose = ct_pose_identity()};
  CHECK_INT(probe_all(scene, by_mesh, hits), 4);
  CHECK(hits[0].row == 0 && hits[0].inside && hits[1].row == 1 && hits[1].inside &&
        hits[2].row == 2 && !hits[2].inside);
  ct_probe_options by_ball = {
      .kind = CT_PROBE_REGION, .region = sphere_of(3.5), .region_pose = ct_pose_identity()};
  CHECK_INT(probe_all(scene, by_ball, hits), 4);
  CHECK(hits[1].row == 1 && hits[1].inside && hits[3].row == 4 && hits[3].inside);
  by_ball.region = sphere_of(3.25);
  CHECK_INT(probe_all(scene, by_ball, hits), 4);
  CHECK(hits[3].row == 4 && !hits[3].inside);
  ct_probe_options by_sheet = {.kind = CT_PROBE_REGION,
                               .region = {.kind = CT_KIND_MESH, .mesh = open},
                               .region_pose = pose_at(1.875, 0.0, 0.0)};
  CHECK_INT(probe_all(scene, by_sheet, hits), 2);
  CHECK(hits[0].row == 2 && !hits[0].inside && hits[1].row == 4 && !hits[1].inside);
  ct_scene_release(scene);
  ct_mesh_release(box);
  ct_mesh_release(open);
  soup_free(&solid);
  soup_free(&sheet);
}

/* A scene returns crossings of more triangles than fit into its initial buffer; the first hit
 * equals the first of all hits. */
static bool take(void *context, const ct_probe_hit *hit) {
  size_t *count = context;
  CHECK(hit->triangle != CT_NO_TRIANGLE);
  CHECK_INT(hit->rank, *count);
  (*count)++;
  return true;
}

static void a_scene_lists_every_sheet_of_a_stack(void) {
  soup s = {0};
  for (int i = 0; i < 40; i++) soup_box(&s, ct_vec(-1.0, -1.0, i), ct_vec(1.0, 1.0, i + 0.5));
  ct_mesh *mesh = mesh_of(&s);
  const ct_scene *empty = ct_scene_create(1);
  ct_draft *draft = ct_draft_begin(empty);
  add_shape(draft, "stack", (ct_shape){.kind = CT_KIND_MESH, .mesh = mesh}, pose_at(1.0, 2.0, 3.0));
  const ct_scene *scene = seal(draft, empty);
  ct_ray ray = {ct_vec(1.0, 2.0, -5.0), ct_vec(0.0, 0.0, 1.0), INFINITY};
  ct_probe_options o = {.kind = CT_PROBE_RAYCAST, .rays = &ray, .count = 1, .all = true};
  ct_workspace *workspace = ct_workspace_create();
  for (int all = 0; all < 2; all++) {
    ct_probe *p = NULL;
    size_t count = 0;
    o.all = all;
    CHECK_INT(ct_probe_prepare(scene, &o, &p), CT_OK);
    CHECK_INT(ct_probe_run(p, &(ct_query_range){.begin = 0, .end = 1, .after = CT_NO_ROW},
                           workspace, take, &count),
              CT_OK);
    CHECK_INT(count, all ? 80 : 1);
    ct_probe_destroy(p);
  }
  ct_workspace_destroy(workspace);
  ct_scene_release(scene);
  ct_mesh_release(mesh);
  soup_free(&s);
}

static const check_test tests[] = {
    {"a box of triangles is crossed like a box", a_box_of_triangles_is_crossed_like_a_box},
    {"a margin grows a mesh like a box", a_margin_grows_a_mesh_like_a_box},
    {"crossings are the walls of what a solid holds", crossings_are_the_boundary_of_the_solid},
    {"rays through vertices, edges and faces cross the walls of what a solid holds",
     rays_through_features_cross_walls},
    {"triangles around an edge are one crossing", triangles_around_an_edge_are_one_crossing},
    {"a sheet is crossed once", a_sheet_is_crossed_once},
    {"along a face a box of triangles is crossed like a box",
     along_a_face_a_box_of_triangles_is_crossed_like_a_box},
    {"along a sheet it is entered once", a_ray_within_a_sheet_enters_it_once},
    {"points have signed distances to solids and plain ones to sheets", points_and_meshes},
    {"regions hold and cross meshes", regions_and_meshes},
    {"a scene lists every sheet of a stack", a_scene_lists_every_sheet_of_a_stack},
};

CHECK_MAIN(tests)
