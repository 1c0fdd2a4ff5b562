/* Times of a distance query and of an overlap query for two bodies of equal content, as one shared
 * shape and as two objects, on one core. Prints one row per kind: name, size, ns with one object,
 * ns with two, for both queries. The two alternate; medians are reported. */
#include "tests/bench/timing.h"
#include "tests/support/meshes.h"

#include <contact/contact.h>
#include <contact/elements.h>

enum { ROUNDS = 15, POSES = 64 };

/* Poses of the second body around the first, with centres at the distance `apart`. */
static void draw_poses(ct_frame *out, double apart) {
  check_random r = {5};
  for (int i = 0; i < POSES; i++) {
    ct_vec3 way =
        ct_vec(check_uniform(&r, -1, 1), check_uniform(&r, -1, 1), check_uniform(&r, -1, 1));
    ct_pose pose = {ct_scale(way, apart / ct_norm(way)), {way.y, way.z, way.x, 1.0}};
    out[i] = ct_frame_of(pose);
  }
}

/* ns per query, over all poses. */
static double run_query(const ct_shape *a, const ct_shape *b, const ct_frame *poses, bool overlap,
                        ct_workspace *workspace) {
  const ct_frame here = ct_frame_of(ct_pose_identity());
  const ct_pair_options options = {.threshold = INFINITY};
  double from = timing_ns();
  for (int i = 0; i < POSES; i++) {
    const ct_placed first = {a, &here}, second = {b, &poses[i]};
    ct_pair_result r;
    ct_vec3 witness;
    if (overlap) ct_pair_overlap(first, second, workspace, &witness);
    else ct_pair_distance(first, second, &options, workspace, &r);
  }
  return (timing_ns() - from) / POSES;
}

static void measure(const char *name, size_t size, const ct_shape *one, const ct_shape *other,
                    ct_workspace *workspace) {
  ct_frame poses[POSES];
  printf("%s|%zu", name, size);
  for (int overlap = 0; overlap < 2; overlap++) {
    double shared[ROUNDS], apart[ROUNDS];
    draw_poses(poses, 2.5);
    for (int round = 0; round < ROUNDS; round++) {
      shared[round] = run_query(one, one, poses, overlap, workspace);
      apart[round] = run_query(one, other, poses, overlap, workspace);
    }
    printf("|%.0f|%.0f", timing_median(shared, ROUNDS), timing_median(apart, ROUNDS));
  }
  putchar('\n');
}

static ct_shape sphere_mesh(uint32_t rings, uint32_t sectors) {
  soup s = {0};
  soup_sphere(&s, ct_vec(0, 0, 0), 1.0, rings, sectors);
  return soup_shape(&s);
}

static ct_shape sphere_hull(void) {
  soup s = {0};
  ct_hull *hull = NULL;
  soup_sphere(&s, ct_vec(0, 0, 0), 1.0, 100, 100);
  if (ct_hull_from_points(s.v, s.vn, NULL, &hull, NULL) != CT_OK) abort();
  soup_free(&s);
  return (ct_shape){.kind = CT_KIND_CONVEX, .hull = hull};
}

/* A cube of n^3 hexahedra. */
static ct_shape cube_hexmesh(uint32_t n) {
  soup s = {0};
  static const uint32_t corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                        {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  uint32_t *corners = malloc((size_t)n * n * n * 8 * sizeof *corners), count = 0, m = n + 1;
  ct_elements *elements = NULL;
  if (!corners) abort();
  for (uint32_t i = 0; i < m * m * m; i++)
    soup_vertex(
        &s, ct_vec(i % m * 1.2 / n - 0.6, i / m % m * 1.2 / n - 0.6, i / m / m * 1.2 / n - 0.6));
  for (uint32_t i = 0; i < n * n * n; i++)
    for (int k = 0; k < 8; k++)
      corners[count++] = (i % n + corner[k][0]) + (i / n % n + corner[k][1]) * m +
                         (i / n / n + corner[k][2]) * m * m;
  const ct_elements_data data = {.type = CT_HEXAHEDRA,
                                 .vertices = s.v,
                                 .vertex_count = s.vn,
                                 .corners = corners,
                                 .element_count = (size_t)n * n * n};
  if (ct_elements_create(&data, NULL, &elements, NULL) != CT_OK) abort();
  free(corners);
  soup_free(&s);
  return (ct_shape){
      .kind = CT_KIND_HEXMESH, .elements = elements, .mesh = ct_elements_get(elements)->surface};
}

int main(void) {
  ct_workspace *workspace = ct_workspace_create();
  const ct_shape mesh[2] = {sphere_mesh(225, 225), sphere_mesh(225, 225)};
  const ct_shape hull[2] = {sphere_hull(), sphere_hull()};
  const ct_shape hexmesh[2] = {cube_hexmesh(20), cube_hexmesh(20)};
  measure("meshes", ct_mesh_get(mesh[0].mesh)->triangle_count, &mesh[0], &mesh[1], workspace);
  measure("hulls", ct_hull_get(hull[0].hull)->vertex_count, &hull[0], &hull[1], workspace);
  measure("hexmeshes", 8000, &hexmesh[0], &hexmesh[1], workspace);
  for (int i = 0; i < 2; i++) {
    ct_mesh_release(mesh[i].mesh);
    ct_hull_release(hull[i].hull);
    ct_elements_release(hexmesh[i].elements);
  }
  ct_workspace_destroy(workspace);
  return 0;
}
