/* Ratios of expansions and their exact order: parameters of a line's crossings with planes,
 * edges and points. */
#ifndef BASE_DETERMINANT_RATIO_H
#define BASE_DETERMINANT_RATIO_H

#include "base/expansion.h"

/* top / bottom, both exact. Requires a nonzero bottom. */
typedef struct ct_ratio {
  double top[CT_EXPANSION_TRIPLE], bottom[CT_EXPANSION_TRIPLE];
  int top_count, bottom_count;
} ct_ratio;

/* Sign of a - b, exact for determinants in the exactness range of base/predicates.h. Cost: a few
 * ns if doubles decide, else a product of long integers, at most 20 us. */
int ct_ratio_compare(const ct_ratio *a, const ct_ratio *b);

/* Value of the ratio, accurate to a few u. */
double ct_ratio_value(const ct_ratio *a);

#endif
