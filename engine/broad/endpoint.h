/* Endpoints of boxes along an axis, in the order of a sweep. */
#ifndef BROAD_ENDPOINT_H
#define BROAD_ENDPOINT_H

#include <contact/base.h>
#include <contact/vec.h>

/* An end of a box's interval on an axis. tag: number of the box, plus CT_ENDPOINT_END for the upper
 * end. At equal values lower ends come before upper ends, so that touching boxes overlap, and
 * otherwise lower box numbers come first. */
typedef struct ct_endpoint {
  double value;
  uint32_t tag;
  uint32_t place; /* index that the caller may store; not compared */
} ct_endpoint;
#define CT_ENDPOINT_END 0x80000000u

static inline uint32_t ct_endpoint_box(ct_endpoint e) { return e.tag & ~CT_ENDPOINT_END; }
static inline bool ct_endpoint_ends(ct_endpoint e) { return e.tag & CT_ENDPOINT_END; }
/* Strict total order of endpoints. */
static inline bool ct_endpoint_before(ct_endpoint a, ct_endpoint b) {
  return a.value < b.value || (a.value == b.value && a.tag < b.tag);
}

static inline double ct_axis_of(ct_vec3 v, int axis) {
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

/* Merge sort of endpoints; `spare` is scratch memory of the same size as items. O(n log n) for any
 * order. False: cancelled, the order is arbitrary. */
bool ct_endpoint_sort(ct_endpoint *items, ct_endpoint *spare, size_t count,
                      const ct_cancel *cancel);

/* Returns the axis along which the centres of the boxes have the largest variance; the first among
 * equals. Unbounded boxes are ignored. */
int ct_widest_axis(const ct_aabb *boxes, size_t count);

#endif
