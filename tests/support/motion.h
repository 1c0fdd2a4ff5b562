/* Rotations in long double as a reference for motions; needs support/check.h. */
#ifndef TESTS_MOTION_H
#define TESTS_MOTION_H

#include <contact/vec.h>

typedef struct vec_l {
  long double x, y, z;
} vec_l;

static inline vec_l to_l(ct_vec3 v) {
  return (vec_l){(long double)v.x, (long double)v.y, (long double)v.z};
}
static inline ct_vec3 of_l(vec_l v) { return ct_vec((double)v.x, (double)v.y, (double)v.z); }
static inline vec_l add_l(vec_l a, vec_l b) { return (vec_l){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline vec_l scale_l(vec_l a, long double s) { return (vec_l){a.x * s, a.y * s, a.z * s}; }
static inline long double dot_l(vec_l a, vec_l b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline vec_l cross_l(vec_l a, vec_l b) {
  return (vec_l){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* v rotated by q/|q|. */
static inline vec_l turned_l(ct_quat q, vec_l v) {
  vec_l u = {(long double)q.x, (long double)q.y, (long double)q.z}, across = cross_l(u, v);
  long double w = (long double)q.w, s = 2.0L / (dot_l(u, u) + w * w);
  return add_l(v, scale_l(add_l(scale_l(across, w), cross_l(u, across)), s));
}

/* Rodrigues' formula: v rotated by |w| about w. */
static inline vec_l rodrigues_l(vec_l w, vec_l v) {
  long double angle = sqrtl(dot_l(w, w));
  if (angle == 0.0L) return v;
  vec_l k = scale_l(w, 1.0L / angle), across = cross_l(k, v);
  long double half = sinl(0.5L * angle);
  return add_l(
      v, add_l(scale_l(across, sinl(angle)), scale_l(cross_l(k, across), 2.0L * half * half)));
}

/* Largest difference between the entries of two rotation matrices: at most the angle between them.
 */
static inline double rotations_apart(ct_quat p, ct_quat q) {
  ct_mat3 a = ct_quat_matrix(p), b = ct_quat_matrix(q);
  return ct_max2(ct_max2(ct_max_abs(ct_sub(a.rx, b.rx)), ct_max_abs(ct_sub(a.ry, b.ry))),
                 ct_max_abs(ct_sub(a.rz, b.rz)));
}

/* Angle in [0, pi] and axis that take one rotation to another. */
static inline double rotation_angle(ct_quat from, ct_quat to, ct_vec3 *axis) {
  ct_quat q = ct_quat_mul(to, (ct_quat){-from.x, -from.y, -from.z, from.w});
  if (q.w < 0.0) q = (ct_quat){-q.x, -q.y, -q.z, -q.w};
  *axis = ct_unit_or(ct_vec(q.x, q.y, q.z), ct_vec(0, 0, 0));
  return 2.0 * atan2(ct_norm(ct_vec(q.x, q.y, q.z)), q.w);
}

static inline ct_vec3 random_vector(check_random *r, double size) {
  return ct_vec(check_uniform(r, -size, size), check_uniform(r, -size, size),
                check_uniform(r, -size, size));
}

/* A quaternion within 2e-3 of unit length. */
static inline ct_quat random_rotation(check_random *r) {
  for (;;) {
    ct_quat q = {check_uniform(r, -1, 1), check_uniform(r, -1, 1), check_uniform(r, -1, 1),
                 check_uniform(r, -1, 1)};
    double n = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w),
           s = check_uniform(r, 0.999, 1.001) / n;
    if (n > 0.1 && n < 1.0) return (ct_quat){s * q.x, s * q.y, s * q.z, s * q.w};
  }
}

#endif
