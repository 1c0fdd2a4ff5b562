/* Pairs of balls, boxes and capsules in closed form, in the world frame, where the closed form is
 * well conditioned.
 *
 * The cells of the dispatch table can compute every pair. These functions compute most pairs of the
 * most frequent kinds in a tenth of the time. They decline (return false) where digits might be
 * lost: nearly coincident centres or axes, nearly parallel axes, ties between normals; and for
 * rounded boxes and boxes with a margin. Distance and overlap of a pair use the same arithmetic. */
#ifndef PRIMITIVES_PRIMITIVE_PAIRS_H
#define PRIMITIVES_PRIMITIVE_PAIRS_H

#include "pair/round_off_bound.h"
#include <contact/pair.h>

/* Always inlined: the functions are small, and their values stay in registers. */
#define CT_INLINE static inline __attribute__((always_inline))

/* Computes the signed distance as ct_pair_distance does, except for two boxes. False: declined;
 * *result is then unspecified, and the cell must decide. */
bool ct_primitive_distance(ct_placed a, ct_placed b, const ct_pair_options *options,
                           ct_pair_result *result);

/* Sets *overlap by the sign of the distance. False: declined. */
bool ct_primitive_overlap(ct_placed a, ct_placed b, bool *overlap);

/* Computes a common point of an overlapping pair. False: declined. */
bool ct_primitive_common_point(ct_placed a, ct_placed b, ct_vec3 *common);

/* ct_primitive_distance for two spheres, the most frequent pair, without classification of the
 * shapes. */
bool ct_sphere_sphere_distance(ct_placed a, ct_placed b, const ct_pair_options *options,
                               ct_pair_result *result);

/* Distance and overlap of two boxes (box_box.c); false: declined. */
bool ct_box_box_distance(ct_placed a, ct_placed b, const ct_pair_options *options,
                         ct_pair_result *result);
bool ct_box_box_overlap(ct_placed a, ct_placed b, bool *overlap);

static inline ct_vec3 ct_frame_axis_z(const ct_frame *f) {
  return ct_vec(f->rotation.rx.z, f->rotation.ry.z, f->rotation.rz.z);
}

/* Replaces negative zeros by zeros; no result may contain a negative zero. */
static inline ct_vec3 ct_clear_negative_zero(ct_vec3 v) {
  return ct_vec(v.x + 0.0, v.y + 0.0, v.z + 0.0);
}

/* Restores the unit length of a vector that is unit to round-off, by one Newton step; the result is
 * accurate to 2 u. */
static inline ct_vec3 ct_renormalize(ct_vec3 v) { return ct_scale(v, 1.5 - 0.5 * ct_norm2(v)); }

/* Writes a result; the bodies are exchanged if `swapped`. p and q are points of the first and
 * second body before the exchange. Selects by index: the order is unpredictable, so that branches
 * would be mispredicted. */
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

/* Writes the bounds of the distance, widened by its round-off for the length scale of the pair.
 * `lower`: lower bound in exact arithmetic. */
CT_INLINE void ct_write_primitive_bounds(ct_pair_result *out, double lower, double length) {
  double slack = ct_bracket_slack(length, out->distance);
  out->lower_bound = lower - slack;
  out->upper_bound = out->distance + slack;
}

#endif
