/* Quotients of exact expansions, and their exact order. They are the parameters at which a line
 * crosses planes, edges and points. */
#ifndef BASE_DETERMINANT_RATIO_H
#define BASE_DETERMINANT_RATIO_H

#include "base/expansion.h"

/* The quotient top / bottom of two exact expansions of top_count and bottom_count components.
 * Requires a nonzero bottom. */
typedef struct ct_ratio {
  double top[CT_EXPANSION_TRIPLE], bottom[CT_EXPANSION_TRIPLE];
  int top_count, bottom_count;
} ct_ratio;

/* Sign of a - b, exact for determinants of coordinates in the exactness range of base/predicates.h.
 * Cost: a few ns if doubles decide, else a product of long integers, at most 20 us. */
int ct_ratio_compare(const ct_ratio *a, const ct_ratio *b);

/* Returns the rounded value of the quotient; relative error of a few u. */
double ct_ratio_value(const ct_ratio *a);

#endif
