/* Ratios of expansions and their exact order: where a line meets planes, edges and points, as
 * numbers along the line.
 */
#ifndef BASE_DETERMINANT_RATIO_H
#define BASE_DETERMINANT_RATIO_H

#include "base/expansion.h"

/* top / bottom, both exact; the bottom is not zero. */
typedef struct ct_ratio {
  double top[CT_EXPANSION_TRIPLE], bottom[CT_EXPANSION_TRIPLE];
  int top_count, bottom_count;
} ct_ratio;

/* Sign of a - b, exact for tops and bottoms of determinants in the exactness range of
 * base/predicates.h. Cost: some ns where doubles decide, else a product of long integers, up to
 * some 20 us where the components are far apart. */
int ct_ratio_compare(const ct_ratio *a, const ct_ratio *b);

/* Right to some u of itself. */
double ct_ratio_value(const ct_ratio *a);

#endif
