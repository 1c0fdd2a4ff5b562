/* A plane region as triangles, from its border in any order. */
#ifndef ARRANGEMENT_TRAPEZOIDS_H
#define ARRANGEMENT_TRAPEZOIDS_H

#include <contact/cancel.h>
#include <contact/vec.h>

/* A stretch of a border, the region on its left, seen with the normal up. */
typedef struct ct_border_segment {
  ct_vec3 p, q;
  int32_t weight; /* how often; below 0: the other way round */
  uint32_t next;  /* of the same region, for those who keep lists */
} ct_border_segment;

/* Scratch; zeroed is empty. */
typedef struct ct_trapezoid_scratch {
  struct ct_stretch *stretch;
  double *cut;
  uint32_t *active, *open;
  size_t stretch_room, cut_room, active_room, open_room;
} ct_trapezoid_scratch;
void ct_trapezoid_scratch_free(ct_trapezoid_scratch *m);

/* Takes a triangle, counter-clockwise with the normal up; false ends the work. */
typedef bool (*ct_trapezoid_sink)(void *context, const ct_vec3 triangle[3]);

/* Cuts the region that the border winds around once and more into trapezoids, halved: side by side
 * along one axis, each as long as the same two stretches bound it. They fill the region, to the
 * rounding of the border's points; corners of one may lie on sides of another. False: no memory, or
 * ended by `take`. O(n log n) and the stretches above each cut. */
bool ct_trapezoids_of(ct_trapezoid_scratch *m, const ct_border_segment *border, size_t count,
                      ct_vec3 normal, ct_trapezoid_sink take, void *context);

#endif
