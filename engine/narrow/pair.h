/* The order in which a pair is computed. */
#ifndef NARROW_PAIR_H
#define NARROW_PAIR_H

#include <contact/pair.h>

/* Does b come before a by content: kind, parameters, pose? Cost: a few comparisons; of equal hulls or meshes their vertices. */
bool ct_pair_swapped(ct_placed a, ct_placed b);

#endif
