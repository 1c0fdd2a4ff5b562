/* Plane polygons cut into triangles. */
#ifndef TRIANGLE_POLYGON_TRIANGULATION_H
#define TRIANGLE_POLYGON_TRIANGULATION_H

#include "base/predicates.h"
#include <contact/cancel.h>
#include <contact/status.h>
#include <stdint.h>

/* A loop of corners, whose first follows the last. */
typedef struct ct_ring {
  const ct_vec2 *at; /* [count] */
  uint32_t count;
} ct_ring;

/* Do edges of the rings cross or touch, other than neighbours at their common corner? Exact. O(n^2)
 */
bool ct_rings_cross(const ct_ring *rings, uint32_t ring_count);

/* Is p inside the ring? Exact; of a point on the ring either. O(n) */
bool ct_ring_contains(const ct_ring *ring, ct_vec2 p);

/* Triangles of the region within rings[0], which runs counter-clockwise, and outside the others,
 * which run clockwise within it; no two edges cross or touch. Every corner is one of some triangle.
 * out: [corners + 2 (ring_count - 1) - 2] triangles of corners numbered through the rings,
 * counter-clockwise. *filled false: no triangulation was found. CT_OUT_OF_MEMORY, CT_CANCELLED.
 * O(n^2) for most polygons */
ct_status ct_polygon_fill(const ct_ring *rings, uint32_t ring_count, const ct_cancel *cancel,
                          uint32_t (*out)[3], bool *filled);

#endif
