/* Pairs of plain balls, boxes and capsules in short closed forms, in the world's frame, where these are well conditioned.
 *
 * The cells of the matrix answer every pair; these answer most pairs of the commonest kinds in a tenth of the time, and decline
 * where a few digits might be lost: centres or axes that nearly meet, axes nearly parallel, several normals that are equally good.
 * A pair is always answered by the same arithmetic, whichever question is asked.
 */
#ifndef PRIMITIVES_PRIMITIVE_PAIRS_H
#define PRIMITIVES_PRIMITIVE_PAIRS_H

#include "pair/round_off_bound.h"
#include <contact/pair.h>

/* Small enough to be worth no call; values then stay in registers. */
#define CT_INLINE static inline __attribute__((always_inline))

/* Signed distance as ct_pair_distance answers it. False, and nothing that counts written: ask the matrix. */
bool ct_primitive_distance(ct_placed a, ct_placed b, const ct_pair_options *options, ct_pair_result *result);

/* Do they overlap, as the distance's sign decides? False: ask the matrix. */
bool ct_primitive_overlap(ct_placed a, ct_placed b, bool *overlap);

/* A point of both of a pair that overlaps. False: ask the matrix; two boxes always do. */
bool ct_primitive_common_point(ct_placed a, ct_placed b, ct_vec3 *common);

/* Two boxes without rounding and margin, from box_box.c: as the two above. */
bool ct_box_box_distance(ct_placed a, ct_placed b, const ct_pair_options *options, ct_pair_result *result);
bool ct_box_box_overlap(ct_placed a, ct_placed b, bool *overlap);

static inline ct_vec3 ct_frame_axis_z(const ct_frame *f) { return ct_vec(f->rotation.rx.z, f->rotation.ry.z, f->rotation.rz.z); }

/* No negative zero leaves the engine. */
static inline ct_vec3 ct_clear_negative_zero(ct_vec3 v) { return ct_vec(v.x + 0.0, v.y + 0.0, v.z + 0.0); }

/* Brings a vector that was unit but for round-off to unit length again: one step of Newton's method, to 2 u. */
static inline ct_vec3 ct_renormalize(ct_vec3 v) { return ct_scale(v, 1.5 - 0.5 * ct_norm2(v)); }

/* Writes an answer in the order of the call: of the pair swapped when `swapped`. That is as good as random, so nothing branches on
 * it. */
CT_INLINE void ct_write_primitive_result(ct_pair_result *out, bool swapped, ct_vec3 normal, ct_vec3 p, ct_vec3 q, double distance) {
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

/* Bounds, given what is certain but for round-off, and the larger reach of the two. */
CT_INLINE void ct_write_primitive_bounds(ct_pair_result *out, double lower, double length) {
  double slack = ct_bracket_slack(length, out->distance);
  out->lower_bound = lower - slack;
  out->upper_bound = out->distance + slack;
}

#endif
