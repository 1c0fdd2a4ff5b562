/* Two boxes without rounding and margin, placed once for their distance, their overlap and their contacts.
 *
 * Everything is in the frame of the first box by content: the order of pair/pair_order.h. From box_box.c.
 */
#ifndef PRIMITIVES_BOX_BOX_H
#define PRIMITIVES_BOX_BOX_H

#include "primitives/primitive_pairs.h"

typedef struct ct_box_pair {
  const ct_frame *frame[2];
  ct_vec3 half[2];
  ct_vec3 axis[3]; /* of b, unit */
  ct_vec3 size[3]; /* their absolute values */
  ct_vec3 center;  /* of b */
  double along[6]; /* from centre to centre: on the axes of a, on those of b */
  double reach[6]; /* of b on the axes of a, of a on those of b */
  double sure;     /* axes that part the boxes by less decide nothing, m */
  double flat_gap; /* the greatest that a face's axis parts them by */
  ct_vec3 normal;  /* of the axis that parts them most, if `axis_found` */
  int axis_found;  /* 0..2 of a, 3..5 of b, 6 + 3 j + i the cross product of a's i and b's j; -1: left to the matrix */
  bool swapped;    /* the first by content is the second of the call */
} ct_box_pair;

/* Absolute values, reaches and what follows them are set by ct_box_pair_near alone. */
void ct_box_pair_place(ct_placed a, ct_placed b, ct_box_pair *pair);

/* As ct_primitive_distance, of a pair just placed; one farther apart than the threshold has bounds, but normal and points of zeros.
 */
bool ct_box_pair_near(ct_box_pair *pair, const ct_pair_options *options, ct_pair_result *result);

/* A coordinate by number, without a branch. */
CT_INLINE double ct_vec3_component(const ct_vec3 *v, int i) { return ((const double *)v)[i]; }

static inline bool ct_box_is_sharp(const ct_shape *s) { return s->kind == CT_KIND_BOX && s->rounding == 0.0 && s->margin == 0.0; }

#endif
