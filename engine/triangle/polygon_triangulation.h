/* Triangulation of plane polygons with holes. */
#ifndef TRIANGLE_POLYGON_TRIANGULATION_H
#define TRIANGLE_POLYGON_TRIANGULATION_H

#include "base/predicates.h"
#include <contact/base.h>
#include <stdint.h>

/* A closed loop of vertices. */
typedef struct ct_ring {
  const ct_vec2 *at; /* [count] */
  uint32_t count;
} ct_ring;

/* True if edges of the rings cross or touch, other than adjacent edges at their common vertex.
 * Exact. O(n^2). */
bool ct_rings_cross(const ct_ring *rings, uint32_t ring_count);

/* True if p is inside the ring. Exact; the result is arbitrary for points on the ring. O(n). */
bool ct_ring_contains(const ct_ring *ring, ct_vec2 p);

/* Triangulates the region inside rings[0], which must be counter-clockwise, and outside the other
 * rings, which must be clockwise and inside rings[0]. No two edges may cross or touch. Every vertex
 * is used. out: [vertices + 2 (ring_count - 1) - 2] counter-clockwise triangles, with vertices
 * numbered through all rings. *filled false: no triangulation was found. Returns CT_OK,
 * CT_OUT_OF_MEMORY or CT_CANCELLED. O(n^2) for most polygons. */
ct_status ct_polygon_fill(const ct_ring *rings, uint32_t ring_count, const ct_cancel *cancel,
                          uint32_t (*out)[3], bool *filled);

#endif
