/* Random meshes and poses, and the nearest pair of their triangles by brute force in 113 bits. */
#ifndef ORACLE_MESH_ORACLE_H
#define ORACLE_MESH_ORACLE_H

#include "tests/oracle/triangle_oracle.h"
#include "tests/support/meshes.h"

#include <contact/contact.h>

static inline ct_pose oracle_random_pose(check_random *r, double away) {
  ct_pose p = {
      {check_uniform(r, -away, away), check_uniform(r, -away, away), check_uniform(r, -away, away)},
      {check_uniform(r, -1, 1), check_uniform(r, -1, 1), check_uniform(r, -1, 1),
       check_uniform(r, -1, 1)}};
  double n = sqrt(p.rotation.x * p.rotation.x + p.rotation.y * p.rotation.y +
                  p.rotation.z * p.rotation.z + p.rotation.w * p.rotation.w);
  p.rotation = (ct_quat){p.rotation.x / n, p.rotation.y / n, p.rotation.z / n, p.rotation.w / n};
  return p;
}

/* A star: a coarse sphere with its vertices moved in and out. Closed, not convex. */
static inline void oracle_star(soup *s, check_random *r, double size) {
  soup_sphere(s, ct_vec(0, 0, 0), 1.0, 3 + (uint32_t)(check_next(r) % 3),
              4 + (uint32_t)(check_next(r) % 4));
  for (uint32_t i = 0; i < s->vn; i++)
    s->v[i] = ct_scale(s->v[i], size * check_uniform(r, 0.3, 1.0));
}

/* Loose triangles, some of them needles. */
static inline void oracle_loose(soup *s, check_random *r, double size) {
  for (int i = 0; i < 20; i++) {
    ct_vec3 c = {check_uniform(r, -size, size), check_uniform(r, -size, size),
                 check_uniform(r, -size, size)};
    double width = size * pow(10.0, check_uniform(r, -9.0, -0.3));
    uint32_t first = s->vn;
    for (int k = 0; k < 3; k++) {
      double reach = k == 2 ? width : 0.5 * size;
      ct_vec3 by = {check_uniform(r, -reach, reach), check_uniform(r, -reach, reach),
                    check_uniform(r, -reach, reach)};
      soup_vertex(s, ct_add(k == 2 ? s->v[first] : c, by));
    }
    soup_triangle(s, first, first + 1, first + 2);
  }
}

static inline ct_shape oracle_shape_of(soup *s, ct_mesh_reading reading) {
  ct_mesh *mesh = NULL;
  CHECK_INT(soup_build(s, reading, &mesh, NULL), CT_OK);
  return (ct_shape){.kind = CT_KIND_MESH, .mesh = mesh};
}

static inline ct_shape oracle_box_mesh(ct_vec3 half) {
  soup s = {0};
  soup_box(&s, ct_neg(half), half);
  ct_shape shape = oracle_shape_of(&s, CT_MESH_SOLID);
  soup_free(&s);
  return shape;
}

/* Vertices in the world, rounded once from long double. */
static inline void oracle_place(const soup *s, const ct_pose *pose, ct_vec3 *out) {
  long double x = pose->rotation.x, y = pose->rotation.y, z = pose->rotation.z,
              w = pose->rotation.w;
  long double f = 2 / (x * x + y * y + z * z + w * w);
  for (uint32_t i = 0; i < s->vn; i++) {
    long double px = s->v[i].x, py = s->v[i].y, pz = s->v[i].z;
    long double tx = y * pz - z * py, ty = z * px - x * pz, tz = x * py - y * px;
    out[i].x = (double)(px + f * (w * tx + y * tz - z * ty) + pose->position.x);
    out[i].y = (double)(py + f * (w * ty + z * tx - x * tz) + pose->position.y);
    out[i].z = (double)(pz + f * (w * tz + x * ty - y * tx) + pose->position.z);
  }
}

static inline double oracle_brute_force(const soup *a, const ct_pose *pose_a, const soup *b,
                                        const ct_pose *pose_b) {
  ct_vec3 *p = malloc(a->vn * sizeof *p), *q = malloc(b->vn * sizeof *q);
  long double least = INFINITY;
  oracle_place(a, pose_a, p);
  oracle_place(b, pose_b, q);
  for (uint32_t i = 0; i < a->tn && least > 0; i++)
    for (uint32_t j = 0; j < b->tn && least > 0; j++) {
      const ct_vec3 t[3] = {p[a->t[i][0]], p[a->t[i][1]], p[a->t[i][2]]},
                    u[3] = {q[b->t[j][0]], q[b->t[j][1]], q[b->t[j][2]]};
      long double d = oracle_triangles(t, u);
      if (d < least) least = d;
    }
  free(p);
  free(q);
  return (double)least;
}

#endif
