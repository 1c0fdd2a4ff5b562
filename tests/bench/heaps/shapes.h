/* Shapes of the heap benchmark as shapes of this engine. */
#ifndef BENCH_HEAPS_SHAPES_H
#define BENCH_HEAPS_SHAPES_H

#include "heaps.h"

#include <contact/shape.h>

/* The caller releases the shape. False: out of memory. */
bool heaps_contact_shape(const heaps_shape *shape, ct_shape *out);

#endif
