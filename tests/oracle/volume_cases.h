/* Random pairs of polyhedra for volumetric contacts: from well shaped to needles, plates and tiny
 * bodies. */
#ifndef TESTS_VOLUME_CASES_H
#define TESTS_VOLUME_CASES_H

#include "tests/support/check.h"
#include "tests/support/shapes.h"

static inline ct_quat random_turn(check_random *r) {
  ct_quat q = {check_uniform(r, -1, 1), check_uniform(r, -1, 1), check_uniform(r, -1, 1),
               check_uniform(r, -1, 1)};
  double n = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return n > 0.1 ? (ct_quat){q.x / n, q.y / n, q.z / n, q.w / n} : ct_quat_identity();
}

/* About 1 m wide; every fourth is thin along one or two axes, down to a millionth. */
static inline ct_vec3 random_sizes(check_random *r) {
  double size[3];
  for (int k = 0; k < 3; k++) size[k] = check_uniform(r, 0.3, 1.0);
  if (check_next(r) % 4 == 0) size[check_next(r) % 3] *= pow(10.0, -check_uniform(r, 0.0, 6.0));
  return ct_vec(size[0], size[1], size[2]);
}

/* A box, or a hull of 4 to 60 points in or on an ellipsoid. */
static inline ct_shape random_polyhedron(check_random *r) {
  ct_vec3 size = random_sizes(r), p[60];
  if (check_next(r) % 3 == 0) return box(size.x, size.y, size.z);
  size_t count = 4 + check_next(r) % 57;
  bool on = check_next(r) % 2;
  for (size_t i = 0; i < count; i++) {
    ct_vec3 d = {check_uniform(r, -1, 1), check_uniform(r, -1, 1), check_uniform(r, -1, 1)};
    if (on && ct_norm(d) > 0.0) d = ct_scale(d, 1.0 / ct_norm(d));
    p[i] = ct_vec(size.x * d.x, size.y * d.y, size.z * d.z);
  }
  return hull_shape(p, count);
}

typedef struct volume_case {
  ct_shape a, b;
  ct_pose pose_a, pose_b;
} volume_case;

/* Mostly overlapping: the second body is shifted by less than about the first one's size. */
static inline volume_case random_case(check_random *r) {
  volume_case c = {.a = random_polyhedron(r), .b = random_polyhedron(r)};
  double reach = check_uniform(r, 0.0, 1.2);
  c.pose_a.position =
      ct_vec(check_uniform(r, -3, 3), check_uniform(r, -3, 3), check_uniform(r, -3, 3));
  c.pose_a.rotation = random_turn(r);
  ct_vec3 off = {check_uniform(r, -1, 1), check_uniform(r, -1, 1), check_uniform(r, -1, 1)};
  c.pose_b.position = ct_add_scaled(c.pose_a.position, off, reach);
  c.pose_b.rotation = random_turn(r);
  return c;
}

static inline void release_case(const volume_case *c) {
  ct_shape_release(&c->a);
  ct_shape_release(&c->b);
}

#endif
