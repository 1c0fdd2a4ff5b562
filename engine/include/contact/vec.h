/* Vectors, rotations, frames and AABBs, by value, in double precision.
 *
 * Right-handed axes, SI units. No function fails; inputs are finite. u is the unit round-off,
 * 2^-53. A quaternion {x, y, z, w} represents the rotation of q/|q|, so rounding of its length is
 * harmless. The zero quaternion is the identity, so a zeroed pose is the identity too. */
#ifndef CONTACT_VEC_H
#define CONTACT_VEC_H

#include <contact/base.h>

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

CT_DECLARATIONS_BEGIN

typedef struct ct_vec3 {
  double x, y, z;
} ct_vec3;

typedef struct ct_quat {
  double x, y, z, w;
} ct_quat;

/* A 3x3 matrix by rows. */
typedef struct ct_mat3 {
  ct_vec3 rx, ry, rz;
} ct_mat3;

/* Position and rotation of a local frame in its parent frame. */
typedef struct ct_pose {
  ct_vec3 position;
  ct_quat rotation;
} ct_pose;

/* A pose in matrix form: parent = rotation * local + position. */
typedef struct ct_frame {
  ct_mat3 rotation;
  ct_vec3 position;
} ct_frame;

/* Closed axis-aligned bounding box; sides may be infinite (half-spaces). */
typedef struct ct_aabb {
  ct_vec3 min, max;
} ct_aabb;

static inline ct_vec3 ct_vec(double x, double y, double z) { return CT_VALUE(ct_vec3){x, y, z}; }
static inline ct_vec3 ct_add(ct_vec3 a, ct_vec3 b) {
  return CT_VALUE(ct_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline ct_vec3 ct_sub(ct_vec3 a, ct_vec3 b) {
  return CT_VALUE(ct_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline ct_vec3 ct_neg(ct_vec3 a) { return CT_VALUE(ct_vec3){-a.x, -a.y, -a.z}; }
static inline ct_vec3 ct_scale(ct_vec3 a, double s) {
  return CT_VALUE(ct_vec3){a.x * s, a.y * s, a.z * s};
}
/* a + s b */
static inline ct_vec3 ct_add_scaled(ct_vec3 a, ct_vec3 b, double s) {
  return CT_VALUE(ct_vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline double ct_dot(ct_vec3 a, ct_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
/* a x b */
static inline ct_vec3 ct_cross(ct_vec3 a, ct_vec3 b) {
  return CT_VALUE(ct_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
/* |a|^2 */
static inline double ct_norm2(ct_vec3 a) { return ct_dot(a, a); }
static inline double ct_max2(double a, double b) { return a > b ? a : b; }
static inline double ct_min2(double a, double b) { return a < b ? a : b; }
/* Maximum norm: the largest |component|. */
static inline double ct_max_abs(ct_vec3 a) {
  return ct_max2(ct_max2(fabs(a.x), fabs(a.y)), fabs(a.z));
}

/* Euclidean length, without overflow or underflow of the squares. */
static inline double ct_norm(ct_vec3 a) {
  double m = ct_max_abs(a);
  if (m > 1e-140 && m < 1e140) return sqrt(ct_norm2(a));
  if (m == 0.0) return 0.0;
  a = CT_VALUE(ct_vec3){a.x / m, a.y / m, a.z / m};
  return m * sqrt(ct_norm2(a));
}

/* Returns a/|a|, whose length is 1 to within 2 u, or `fallback` if a is zero. */
static inline ct_vec3 ct_unit_or(ct_vec3 a, ct_vec3 fallback) {
  double m = ct_max_abs(a);
  if (m == 0.0) return fallback;
  a = CT_VALUE(ct_vec3){a.x / m, a.y / m, a.z / m};
  double n = sqrt(ct_norm2(a));
  return CT_VALUE(ct_vec3){a.x / n, a.y / n, a.z / n};
}

/* a + t (b - a) */
static inline ct_vec3 ct_lerp(ct_vec3 a, ct_vec3 b, double t) {
  return CT_VALUE(ct_vec3){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z)};
}

static inline ct_quat ct_quat_identity(void) { return CT_VALUE(ct_quat){0.0, 0.0, 0.0, 1.0}; }

/* q; the identity if q is zero. */
static inline ct_quat ct_quat_or_identity(ct_quat q) {
  return q.x == 0.0 && q.y == 0.0 && q.z == 0.0 && q.w == 0.0 ? ct_quat_identity() : q;
}

/* Rotation matrix of q/|q|; the identity for the zero quaternion. */
static inline ct_mat3 ct_quat_matrix(ct_quat q) {
  double square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w,
         s = square > 0.0 ? 2.0 / square : 0.0;
  double xx = s * q.x * q.x, yy = s * q.y * q.y, zz = s * q.z * q.z;
  double xy = s * q.x * q.y, xz = s * q.x * q.z, yz = s * q.y * q.z;
  double wx = s * q.w * q.x, wy = s * q.w * q.y, wz = s * q.w * q.z;
  return CT_VALUE(ct_mat3){{1.0 - (yy + zz), xy - wz, xz + wy},
                           {xy + wz, 1.0 - (xx + zz), yz - wx},
                           {xz - wy, yz + wx, 1.0 - (xx + yy)}};
}

/* Hamilton product: applies the rotation b, then a. */
static inline ct_quat ct_quat_mul(ct_quat a, ct_quat b) {
  return CT_VALUE(ct_quat){
      a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
      a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

/* m v */
static inline ct_vec3 ct_mat_mul(ct_mat3 m, ct_vec3 v) {
  return CT_VALUE(ct_vec3){ct_dot(m.rx, v), ct_dot(m.ry, v), ct_dot(m.rz, v)};
}
/* Transpose of m times v. */
static inline ct_vec3 ct_mat_tmul(ct_mat3 m, ct_vec3 v) {
  return CT_VALUE(ct_vec3){m.rx.x * v.x + m.ry.x * v.y + m.rz.x * v.z,
                           m.rx.y * v.x + m.ry.y * v.y + m.rz.y * v.z,
                           m.rx.z * v.x + m.ry.z * v.y + m.rz.z * v.z};
}
static inline ct_mat3 ct_mat_transpose(ct_mat3 m) {
  return CT_VALUE(ct_mat3){
      {m.rx.x, m.ry.x, m.rz.x}, {m.rx.y, m.ry.y, m.rz.y}, {m.rx.z, m.ry.z, m.rz.z}};
}
/* Matrix of the absolute values of m's entries. If m is a rotation, it maps the half extents of a
 * box to the half extents of the rotated box's AABB. */
static inline ct_mat3 ct_mat_abs(ct_mat3 m) {
  return CT_VALUE(ct_mat3){{fabs(m.rx.x), fabs(m.rx.y), fabs(m.rx.z)},
                           {fabs(m.ry.x), fabs(m.ry.y), fabs(m.ry.z)},
                           {fabs(m.rz.x), fabs(m.rz.y), fabs(m.rz.z)}};
}
/* Matrix product a b. */
static inline ct_mat3 ct_mat_mat(ct_mat3 a, ct_mat3 b) {
  return CT_VALUE(ct_mat3){ct_mat_tmul(b, a.rx), ct_mat_tmul(b, a.ry), ct_mat_tmul(b, a.rz)};
}

static inline ct_pose ct_pose_identity(void) {
  return CT_VALUE(ct_pose){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 1.0}};
}
/* Frame of a pose. */
static inline ct_frame ct_frame_of(ct_pose p) {
  return CT_VALUE(ct_frame){ct_quat_matrix(p.rotation), p.position};
}
/* Transforms a point from the local frame f to f's parent frame. */
static inline ct_vec3 ct_to_parent(ct_frame f, ct_vec3 local) {
  return ct_add(ct_mat_mul(f.rotation, local), f.position);
}
/* Transforms a point from f's parent frame to the local frame f. */
static inline ct_vec3 ct_to_local(ct_frame f, ct_vec3 parent) {
  return ct_mat_tmul(f.rotation, ct_sub(parent, f.position));
}
/* Composes two frames: `child` is given relative to f, the result is relative to f's parent. */
static inline ct_frame ct_frame_mul(ct_frame f, ct_frame child) {
  return CT_VALUE(ct_frame){ct_mat_mat(f.rotation, child.rotation),
                            ct_to_parent(f, child.position)};
}

/* Empty box: overlaps no bounded box; the union with a box is that box. */
static inline ct_aabb ct_aabb_empty(void) {
  return CT_VALUE(ct_aabb){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}
/* True if the closed boxes share a point. */
static inline bool ct_aabb_overlap(const ct_aabb *a, const ct_aabb *b) {
  return a->min.x <= b->max.x && b->min.x <= a->max.x && a->min.y <= b->max.y &&
         b->min.y <= a->max.y && a->min.z <= b->max.z && b->min.z <= a->max.z;
}
/* Smallest box that contains both boxes. */
static inline ct_aabb ct_aabb_union(ct_aabb a, ct_aabb b) {
  return CT_VALUE(ct_aabb){
      {ct_min2(a.min.x, b.min.x), ct_min2(a.min.y, b.min.y), ct_min2(a.min.z, b.min.z)},
      {ct_max2(a.max.x, b.max.x), ct_max2(a.max.y, b.max.y), ct_max2(a.max.z, b.max.z)}};
}
/* Gap between two boxes along each axis, m; 0 on each axis on which their intervals overlap. */
static inline ct_vec3 ct_aabb_gaps(const ct_aabb *a, const ct_aabb *b) {
  return CT_VALUE(ct_vec3){ct_max2(ct_max2(a->min.x - b->max.x, b->min.x - a->max.x), 0.0),
                           ct_max2(ct_max2(a->min.y - b->max.y, b->min.y - a->max.y), 0.0),
                           ct_max2(ct_max2(a->min.z - b->max.z, b->min.z - a->max.z), 0.0)};
}
/* Moves each side of the box outward by `by`, m. */
static inline ct_aabb ct_aabb_expand(ct_aabb a, double by) {
  return CT_VALUE(ct_aabb){{a.min.x - by, a.min.y - by, a.min.z - by},
                           {a.max.x + by, a.max.y + by, a.max.z + by}};
}

CT_DECLARATIONS_END

#endif
