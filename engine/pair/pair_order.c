/* Content order of a pair: by kinds, parameters and poses, never by the order of the arguments.
 *
 * Pairs are computed in content order, so that exchanging the bodies exchanges the result bit for
 * bit. */
#include "pair/pair_order.h"
#include "shape/shape_compare.h"

#include <assert.h>

/* Difference of frame components below which they tie; for positions, relative to the largest
 * component of their difference. Ties are decided by exact comparison only if all components
 * tie. */
#define ORDER_TIE 1e-6

/* Returns the sign of the first difference that exceeds the tolerance: turn_least for the rotation
 * matrix, move_least for the position. 0: there is none. */
static int compare_frames_above(const ct_frame *a, const ct_frame *b, double turn_least,
                                double move_least) {
  const ct_vec3 apart[4] = {
      ct_sub(a->rotation.rx, b->rotation.rx), ct_sub(a->rotation.ry, b->rotation.ry),
      ct_sub(a->rotation.rz, b->rotation.rz), ct_sub(a->position, b->position)};
  for (int i = 0; i < 4; i++) {
    const double d[3] = {apart[i].x, apart[i].y, apart[i].z},
                 least = i == 3 ? move_least : turn_least;
    for (int k = 0; k < 3; k++)
      if (fabs(d[k]) > least) return d[k] < 0.0 ? -1 : 1;
  }
  return 0;
}

/* Compares frames with tolerances first, so that a small motion does not change the order of equal
 * shapes that are stacked. */
static int compare_frames(const ct_frame *a, const ct_frame *b) {
  int order = compare_frames_above(a, b, ORDER_TIE,
                                   ORDER_TIE * ct_max_abs(ct_sub(a->position, b->position)));
  return order ? order : compare_frames_above(a, b, 0.0, 0.0);
}

bool ct_frames_are_swapped(const ct_frame *a, const ct_frame *b) {
  return compare_frames(a, b) > 0;
}

bool ct_pair_is_swapped(ct_placed a, ct_placed b) {
  int order = ct_shape_compare(a.shape, b.shape);
  return order ? order > 0 : ct_frames_are_swapped(a.frame, b.frame);
}
