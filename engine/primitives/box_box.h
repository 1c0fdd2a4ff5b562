/* A pair of boxes without rounding radius and margin, placed once for its distance, overlap and
 * contacts.
 *
 * All members are in the frame of the first box in content order (pair/pair_order.h), called a; the
 * second box is b. Implemented in box_box.c. */
#ifndef PRIMITIVES_BOX_BOX_H
#define PRIMITIVES_BOX_BOX_H

#include "convex/epa.h"
#include "primitives/primitive_pairs.h"

typedef struct ct_box_pair {
  const ct_frame *frame[2];
  ct_vec3 half[2];
  ct_vec3 axis[3]; /* unit axes of b */
  ct_vec3 size[3]; /* absolute values of `axis` */
  ct_vec3 center;  /* centre of b */
  double along[6]; /* projections of the vector between the centres onto the axes of a, then onto
                      the axes of b */
  double reach[6]; /* half widths of b along the three axes of a, then half widths of a along the
                      three axes of b */
  double sure;     /* separations and differences of separations below this are undecided, m */
  double flat_gap; /* greatest separation along a face normal, m */
  ct_vec3 normal;  /* normal of the axis of greatest separation, from a to b, if `axis_found` >=
                      0 */
  int axis_found;  /* 0..2: axis of a; 3..5: axis of b; 6 + 3 j + i: cross product of a's axis i and
                      b's axis j; -1: none was found */
  bool swapped;    /* the first box in content order is the caller's second */
} ct_box_pair;

/* Places a pair of boxes. The members `size`, `reach`, `flat_gap`, `normal` and `axis_found` stay
 * unset; ct_box_pair_near sets them. */
void ct_box_pair_place(ct_placed a, ct_placed b, ct_box_pair *pair);

/* Computes what ct_primitive_distance does, for a placed pair of boxes. If they are farther apart
 * than the threshold, only distance, bounds and relation are valid; normal and points are zero. */
bool ct_box_pair_near(ct_box_pair *pair, const ct_pair_options *options, ct_pair_result *result);

/* Writes depth and normal of two box cores, radii excluded, that overlap or touch to round-off.
 * Among equal depths the greater normal (ct_normal_greater) is selected. Not for separated boxes:
 * their least overlap is not the distance. */
void ct_box_box_depth(const ct_convex_proxy *a, const ct_convex_proxy *b, ct_epa_result *result);

/* Returns component i of a vector without a branch. */
CT_INLINE double ct_vec3_component(const ct_vec3 *v, int i) { return ((const double *)v)[i]; }

static inline bool ct_box_is_sharp(const ct_shape *s) {
  return s->kind == CT_KIND_BOX && s->rounding == 0.0 && s->margin == 0.0;
}

#endif
