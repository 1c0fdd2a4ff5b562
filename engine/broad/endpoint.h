/* Ends of boxes along an axis, in the order in which a sweep meets them. */
#ifndef BROAD_ENDPOINT_H
#define BROAD_ENDPOINT_H

#include <contact/cancel.h>
#include <contact/vec.h>

/* The box's number, and the mark of an upper end: among equal values beginnings come before ends, so that boxes which touch meet,
 * and lower numbers first. */
typedef struct ct_endpoint {
  double value;
  uint32_t tag;
  uint32_t place; /* the owner's; not compared */
} ct_endpoint;
#define CT_ENDPOINT_END 0x80000000u

static inline uint32_t ct_endpoint_box(ct_endpoint e) { return e.tag & ~CT_ENDPOINT_END; }
static inline bool ct_endpoint_ends(ct_endpoint e) { return e.tag & CT_ENDPOINT_END; }
/* Strict and total. */
static inline bool ct_endpoint_before(ct_endpoint a, ct_endpoint b) {
  return a.value < b.value || (a.value == b.value && a.tag < b.tag);
}

static inline double ct_axis_of(ct_vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

/* Sorts by merging; `spare` has room for as many. O(n log n) whatever the order. False: cancelled, the items are in any order. */
bool ct_endpoint_sort(ct_endpoint *items, ct_endpoint *spare, size_t count, const ct_cancel *cancel);

/* The axis along which the middles of the boxes vary most; of equals the first. Infinite boxes do not count. */
int ct_widest_axis(const ct_aabb *boxes, size_t count);

#endif
