/* Frames whose rotation is made of quarter turns about the axes, without their round-off. */
#ifndef RAY_EXACT_FRAME_H
#define RAY_EXACT_FRAME_H

#include <contact/limits.h>
#include <contact/vec.h>

/* Elements of such a rotation are off by less, in u: of a quaternion's matrix, and of a few of
 * those multiplied. */
#define CT_QUARTER_ROUNDOFFS 16.0

/* 0, 1 or -1 where the element is that to round-off; *is: is it? */
static inline double ct_quarter_turn(double x, bool *is) {
  double whole = rint(x);
  *is = *is && fabs(x - whole) <= CT_QUARTER_ROUNDOFFS * CT_UNIT_ROUNDOFF;
  return whole;
}

static inline ct_vec3 ct_quarters(ct_vec3 v, bool *is) {
  return ct_vec(ct_quarter_turn(v.x, is), ct_quarter_turn(v.y, is), ct_quarter_turn(v.z, is));
}

/* The frame itself, or with the quarter turns that it stands for: what is on a grid stays there, so
 * that rays and points on the edges of a solid are where they were meant to be. */
static inline ct_frame ct_frame_exact(const ct_frame *frame) {
  bool is = true;
  const ct_mat3 *from = &frame->rotation;
  ct_mat3 r = {ct_quarters(from->rx, &is), ct_quarters(from->ry, &is), ct_quarters(from->rz, &is)};
  return (ct_frame){is ? r : *from, frame->position};
}

#endif
