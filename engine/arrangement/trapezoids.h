/* Triangulates a plane region from its border segments, which may be in any order. */
#ifndef ARRANGEMENT_TRAPEZOIDS_H
#define ARRANGEMENT_TRAPEZOIDS_H

#include <contact/base.h>
#include <contact/vec.h>

/* A segment of a border; the region is on its left, seen with the normal up. */
typedef struct ct_border_segment {
  ct_vec3 p, q;
  int32_t weight; /* multiplicity; negative: reversed */
  uint32_t next;  /* next segment of the same region, for callers that keep lists */
} ct_border_segment;

/* Scratch; zeroed is empty. */
typedef struct ct_trapezoid_scratch {
  struct ct_sweep_segment *segment;
  double *cut;
  uint32_t *active, *open;
  size_t segment_room, cut_room, active_room, open_room;
} ct_trapezoid_scratch;
void ct_trapezoid_scratch_free(ct_trapezoid_scratch *m);

/* Receives a triangle, counter-clockwise with the normal up; returns false to end the work. */
typedef bool (*ct_trapezoid_sink)(void *context, const ct_vec3 triangle[3]);

/* Cuts the region of winding number 1 or more into trapezoids, and these into triangles. Each
 * trapezoid is bounded by two border segments, and is as long as they bound it. Together they fill
 * the region, to the round-off of the border's points; corners of one may be on sides of another.
 * Returns false if out of memory or ended by `sink`. Cost: O(n log n), plus the number of segments
 * above each cut. */
bool ct_trapezoids_of(ct_trapezoid_scratch *m, const ct_border_segment *border, size_t count,
                      ct_vec3 normal, ct_trapezoid_sink sink, void *context);

#endif
