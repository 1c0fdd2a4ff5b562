/* Pairs of balls, boxes and capsules in closed form, in the world frame, where the closed form is
 * well conditioned.
 *
 * The cells of the dispatch table compute every pair. These functions compute most pairs of the
 * commonest kinds in a tenth of their time. They decline where digits might be lost: nearly
 * coincident centres or axes, nearly parallel axes, ties between normals; and for rounded boxes and
 * boxes with a margin. Distance and overlap of a pair use the same arithmetic.
 */
#ifndef PRIMITIVES_PRIMITIVE_PAIRS_H
#define PRIMITIVES_PRIMITIVE_PAIRS_H

#include "pair/round_off_bound.h"
#include <contact/pair.h>

/* Always inlined: the functions are small, and their values stay in registers. */
#define CT_INLINE static inline __attribute__((always_inline))

/* Signed distance of ct_pair_distance; not of two boxes. Returns false if declined: *result is then
 * unspecified and the cell must decide. */
bool ct_primitive_distance(ct_placed a, ct_placed b, const ct_pair_options *options,
                           ct_pair_result *result);

/* Overlap, by the sign of the distance. Returns false if declined. */
bool ct_primitive_overlap(ct_placed a, ct_placed b, bool *overlap);

/* A common point of an overlapping pair. Returns false if declined. */
bool ct_primitive_common_point(ct_placed a, ct_placed b, ct_vec3 *common);

/* ct_primitive_distance of two spheres: the commonest pair, without classification. */
bool ct_sphere_sphere_distance(ct_placed a, ct_placed b, const ct_pair_options *options,
                               ct_pair_result *result);

/* The same for two boxes: box_box.c. */
bool ct_box_box_distance(ct_placed a, ct_placed b, const ct_pair_options *options,
                         ct_pair_result *result);
bool ct_box_box_overlap(ct_placed a, ct_placed b, bool *overlap);

static inline ct_vec3 ct_frame_axis_z(const ct_frame *f) {
  return ct_vec(f->rotation.rx.z, f->rotation.ry.z, f->rotation.rz.z);
}

/* Replaces negative zeros, which no result may contain. */
static inline ct_vec3 ct_clear_negative_zero(ct_vec3 v) {
  return ct_vec(v.x + 0.0, v.y + 0.0, v.z + 0.0);
}

/* Restores the unit length of a vector that is unit to round-off: one Newton step, to 2 u. */
static inline ct_vec3 ct_renormalize(ct_vec3 v) { return ct_scale(v, 1.5 - 0.5 * ct_norm2(v)); }

/* Writes a result in the caller's order, exchanged if `swapped`. Selects by index: the order is
 * unpredictable, so branches would be mispredicted. */
CT_INLINE void ct_write_primitive_result(ct_pair_result *out, bool swapped, ct_vec3 normal,
                                         ct_vec3 p, ct_vec3 q, double distance) {
  ct_vec3 *points[2] = {&out->point_a, &out->point_b};
  out->distance = distance + 0.0;
  out->normal = ct_clear_negative_zero(ct_scale(normal, (double)(1 - 2 * (int)swapped)));
  *points[swapped] = ct_clear_negative_zero(p);
  *points[!swapped] = ct_clear_negative_zero(q);
  out->status = CT_PAIR_OK;
  out->flags = out->iterations = 0;
  out->depth_kind = CT_DEPTH_MINIMAL;
  out->triangle_a = out->triangle_b = CT_NO_TRIANGLE;
  out->element_a = out->element_b = CT_NO_ELEMENT;
  out->element_pairs = 0;
}

/* Writes the bounds: `lower` without round-off, widened for the length scale of the pair. */
CT_INLINE void ct_write_primitive_bounds(ct_pair_result *out, double lower, double length) {
  double slack = ct_bracket_slack(length, out->distance);
  out->lower_bound = lower - slack;
  out->upper_bound = out->distance + slack;
}

#endif
