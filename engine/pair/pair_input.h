/* Validation of the placed shapes that a caller passes to a pair query. */
#ifndef PAIR_PAIR_INPUT_H
#define PAIR_PAIR_INPUT_H

#include "shape/shape_validity.h"

#include <contact/pair.h>

#include <math.h>

/* Returns the frame, or the identity in *room if it is unset. Not inlined, as frames are rarely
 * unset: otherwise the check of a pair of spheres would cost as much as their distance. */
static __attribute__((noinline, unused)) const ct_frame *ct_placed_set_frame(const ct_frame *frame,
                                                                             ct_frame *room) {
  return ct_frame_or_unturned(frame, room);
}

/* Replaces a missing frame by the identity, stored in *room. False: the shape is missing or
 * invalid. */
static inline __attribute__((always_inline)) bool ct_placed_prepare(ct_placed *placed,
                                                                    ct_frame *room) {
  if (!placed->frame || ct_frame_is_unset(placed->frame))
    placed->frame = ct_placed_set_frame(placed->frame, room);
  return placed->shape && ct_shape_is_valid(placed->shape);
}

static inline __attribute__((always_inline)) bool ct_placed_prepare_both(ct_placed *a, ct_placed *b,
                                                                         ct_frame room[2]) {
  bool first = ct_placed_prepare(a, &room[0]), second = ct_placed_prepare(b, &room[1]);
  return first && second;
}

/* Returns the threshold of a query; 0 stands for INFINITY. */
static inline double ct_resolve_threshold(const ct_pair_options *options) {
  return options->threshold == 0.0 ? INFINITY : options->threshold;
}

/* Returns the result for a pair with a missing or invalid shape. */
static inline ct_pair_result ct_pair_unsupported(void) {
  return (ct_pair_result){.normal = {1.0, 0.0, 0.0},
                          .relation = CT_SEPARATED,
                          .status = CT_PAIR_UNSUPPORTED,
                          .triangle_a = CT_NO_TRIANGLE,
                          .triangle_b = CT_NO_TRIANGLE,
                          .element_a = CT_NO_ELEMENT,
                          .element_b = CT_NO_ELEMENT};
}

#endif
