/* Removes the round-off from rotations by quarter turns about the axes. */
#ifndef RAY_EXACT_FRAME_H
#define RAY_EXACT_FRAME_H

#include <contact/limits.h>
#include <contact/vec.h>

/* Round-off bound of an element of such a rotation, in unit round-offs: of a quaternion's matrix,
 * and of a product of several. */
#define CT_QUARTER_ROUNDOFFS 16.0

/* Rounds an element to 0, 1 or -1. Clears *is if the element is farther away than the round-off. */
static inline double ct_quarter_turn(double x, bool *is) {
  double whole = rint(x);
  *is = *is && fabs(x - whole) <= CT_QUARTER_ROUNDOFFS * CT_UNIT_ROUNDOFF;
  return whole;
}

static inline ct_vec3 ct_quarters(ct_vec3 v, bool *is) {
  return ct_vec(ct_quarter_turn(v.x, is), ct_quarter_turn(v.y, is), ct_quarter_turn(v.z, is));
}

/* Returns the frame, with an exact rotation if it is a product of quarter turns. Points and rays on
 * a grid then stay on the grid, exactly on the edges of a solid. */
static inline ct_frame ct_frame_exact(const ct_frame *frame) {
  bool is = true;
  const ct_mat3 *from = &frame->rotation;
  ct_mat3 r = {ct_quarters(from->rx, &is), ct_quarters(from->ry, &is), ct_quarters(from->rz, &is)};
  return (ct_frame){is ? r : *from, frame->position};
}

#endif
