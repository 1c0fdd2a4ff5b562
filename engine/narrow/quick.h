/* Pairs of plain balls, boxes and capsules in short closed forms, in the world's frame, where these are well conditioned.
 *
 * The cells of the matrix answer every pair; these answer most pairs of the commonest kinds in a tenth of the time, and decline
 * where a few digits might be lost: centres or axes that nearly meet, axes nearly parallel, several normals that are equally good.
 * A pair is always answered by the same arithmetic, whichever question is asked.
 */
#ifndef NARROW_QUICK_H
#define NARROW_QUICK_H

#include <contact/pair.h>

/* Signed distance as ct_pair_distance answers it. False, and nothing that counts written: ask the matrix. */
bool ct_quick_distance(ct_placed a, ct_placed b, const ct_pair_options *options, ct_pair_result *result);

/* Do they overlap, as the distance's sign decides? False: ask the matrix. */
bool ct_quick_overlap(ct_placed a, ct_placed b, bool *overlap);

/* A point of both of a pair that overlaps. False: ask the matrix; two boxes always do. */
bool ct_quick_common(ct_placed a, ct_placed b, ct_vec3 *common);

/* Two boxes without rounding and margin, from quick_box.c: as the two above. */
bool ct_quick_boxes(ct_placed a, ct_placed b, const ct_pair_options *options, ct_pair_result *result);
bool ct_quick_boxes_overlap(ct_placed a, ct_placed b, bool *overlap);

static inline ct_vec3 ct_frame_axis_z(const ct_frame *f) { return ct_vec(f->rotation.rx.z, f->rotation.ry.z, f->rotation.rz.z); }

/* No negative zero leaves the engine. */
static inline ct_vec3 ct_plain(ct_vec3 v) { return ct_vec(v.x + 0.0, v.y + 0.0, v.z + 0.0); }

#endif
