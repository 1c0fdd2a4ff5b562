/* Rays against a mesh on one core: crossings, which are decided exactly, and for comparison the
 * bare traversal of the tree to the triangles near the ray. Prints one row per query: name, ns per
 * ray of the traversal, ns per ray of the crossings. The two alternate; medians are reported. */
#include "tests/bench/timing.h"
#include "tests/support/meshes.h"

#include <contact/contact.h>
#include <contact/ray.h>

enum { ROUNDS = 9, RAYS = 4000, HITS = 256 };

/* A torus of 100,352 triangles in the plane z = 0, so that origins may be inside its box but
 * outside the torus. */
static ct_mesh *torus(void) {
  soup s = {0};
  enum { M = 224 };
  for (uint32_t i = 0; i < M * M; i++) {
    double u = 2 * SOUP_PI * (i / M) / M, v = 2 * SOUP_PI * (i % M) / M, q = 1.0 + 0.3 * cos(v);
    soup_vertex(&s, ct_vec(q * cos(u), q * sin(u), 0.3 * sin(v)));
  }
  for (uint32_t i = 0; i < M; i++)
    for (uint32_t j = 0; j < M; j++) {
      uint32_t a = i * M + j, b = (i + 1) % M * M + j, c = (i + 1) % M * M + (j + 1) % M,
               d = i * M + (j + 1) % M;
      soup_triangle(&s, a, b, c);
      soup_triangle(&s, a, c, d);
    }
  return soup_mesh(&s);
}

/* Towards random points of the torus' box; from far outside, or from inside its hole. */
static void draw_rays(ct_ray *out, bool inside) {
  check_random r = {9};
  for (int i = 0; i < RAYS; i++) {
    double x = check_uniform(&r, -1, 1), y = check_uniform(&r, -1, 1), z = check_uniform(&r, -1, 1);
    ct_vec3 to = ct_vec(1.3 * x, 1.3 * y, 0.3 * z);
    double u = check_uniform(&r, -1, 1), v = check_uniform(&r, -1, 1), w = check_uniform(&r, -1, 1);
    ct_vec3 from = inside ? ct_vec(0.4 * u, 0.4 * v, 0.2 * w) : ct_vec(4 * u, 4 * v, 4 + w);
    out[i] = (ct_ray){from, ct_sub(to, from), INFINITY};
  }
}

static double descend(const ct_mesh *mesh, const ct_ray *rays, bool all) {
  static ct_mesh_hit hits[HITS];
  double from = timing_ns();
  for (int i = 0; i < RAYS; i++) {
    if (all) ct_mesh_ray_all(mesh, rays[i].origin, rays[i].direction, INFINITY, hits, HITS);
    else ct_mesh_ray_first(mesh, rays[i].origin, rays[i].direction, INFINITY, hits);
  }
  return (timing_ns() - from) / RAYS;
}

static double cross(const ct_mesh *mesh, const ct_ray *rays, bool all, ct_workspace *workspace) {
  static ct_ray_crossing crossings[HITS];
  const ct_shape shape = {.kind = CT_KIND_MESH, .mesh = mesh};
  const ct_frame here = ct_frame_of(ct_pose_identity());
  double from = timing_ns();
  for (int i = 0; i < RAYS; i++)
    ct_ray_cross(&rays[i], (ct_placed){&shape, &here}, workspace, crossings, all ? HITS : 1);
  return (timing_ns() - from) / RAYS;
}

int main(void) {
  static const char *names[4] = {"first, from outside", "all, from outside",
                                 "first, from within its box", "all, from within its box"};
  static ct_ray rays[RAYS];
  ct_workspace *workspace = ct_workspace_create();
  ct_mesh *mesh = torus();
  for (int question = 0; question < 4; question++) {
    double bare[ROUNDS], exact[ROUNDS];
    bool all = question % 2;
    draw_rays(rays, question >= 2);
    for (int round = 0; round < ROUNDS; round++) {
      bare[round] = descend(mesh, rays, all);
      exact[round] = cross(mesh, rays, all, workspace);
    }
    printf("%s|%.0f|%.0f\n", names[question], timing_median(bare, ROUNDS),
           timing_median(exact, ROUNDS));
  }
  ct_mesh_release(mesh);
  ct_workspace_destroy(workspace);
  return 0;
}
