/* Triangulates a region of a plane that is given by its border segments, in any order. */
#ifndef ARRANGEMENT_TRAPEZOIDS_H
#define ARRANGEMENT_TRAPEZOIDS_H

#include <contact/base.h>
#include <contact/vec.h>

/* A segment of the border of a region. The region is on its left, seen with the normal up. */
typedef struct ct_border_segment {
  ct_vec3 p, q;
  int32_t weight; /* multiplicity; negative: reversed */
  uint32_t next;  /* for callers that keep lists: index of the next segment of the same region */
} ct_border_segment;

/* Scratch; zeroed is empty. */
typedef struct ct_trapezoid_scratch {
  struct ct_sweep_segment *segment;
  double *cut;
  uint32_t *active, *open;
  size_t segment_room, cut_room, active_room, open_room;
} ct_trapezoid_scratch;
void ct_trapezoid_scratch_free(ct_trapezoid_scratch *m);

/* Receives a triangle, counter-clockwise seen with the normal up; returns false to stop the
 * triangulation. */
typedef bool (*ct_trapezoid_sink)(void *context, const ct_vec3 triangle[3]);

/* Divides the region of winding number >= 1 into trapezoids, and these into triangles, which are
 * passed to `sink`. The two non-parallel sides of each trapezoid are on border segments; a
 * trapezoid extends as far as the same two segments bound the region. The triangles fill the region
 * up to the round-off of the border's points; a vertex of one may be inside an edge of another.
 * False: out of memory, or `sink` returned false. Cost: O(n log n), plus the number of segments
 * that intersect each slab. */
bool ct_trapezoids_of(ct_trapezoid_scratch *m, const ct_border_segment *border, size_t count,
                      ct_vec3 normal, ct_trapezoid_sink sink, void *context);

#endif
