/* Removes the round-off from rotations by quarter turns about the axes. */
#ifndef RAY_EXACT_FRAME_H
#define RAY_EXACT_FRAME_H

#include <contact/limits.h>
#include <contact/vec.h>

/* Upper bound of the error of an element of a quarter turn's matrix, in unit round-offs, for a
 * matrix computed from a quaternion or a product of several. */
#define CT_QUARTER_ROUNDOFFS 16.0

/* Rounds a matrix element to an integer (0, 1 or -1 for a rotation). Sets *is to false if the
 * element differs from it by more than the round-off bound. */
static inline double ct_quarter_turn(double x, bool *is) {
  double whole = rint(x);
  *is = *is && fabs(x - whole) <= CT_QUARTER_ROUNDOFFS * CT_UNIT_ROUNDOFF;
  return whole;
}

static inline ct_vec3 ct_quarters(ct_vec3 v, bool *is) {
  return ct_vec(ct_quarter_turn(v.x, is), ct_quarter_turn(v.y, is), ct_quarter_turn(v.z, is));
}

/* Returns the frame with an exact rotation if its rotation is a product of quarter turns within
 * round-off, else unchanged. Points and rays on a grid then remain on the grid after the
 * transformation, for example exactly on the edges of a solid. */
static inline ct_frame ct_frame_exact(const ct_frame *frame) {
  bool is = true;
  const ct_mat3 *from = &frame->rotation;
  ct_mat3 r = {ct_quarters(from->rx, &is), ct_quarters(from->ry, &is), ct_quarters(from->rz, &is)};
  return (ct_frame){is ? r : *from, frame->position};
}

#endif
