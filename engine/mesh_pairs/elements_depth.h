/* Overlapping elements: the deepest pair, and how many pairs overlap. */
#ifndef MESH_PAIRS_ELEMENTS_DEPTH_H
#define MESH_PAIRS_ELEMENTS_DEPTH_H

#include "pair/pair_cell.h"

/* Is the depth of the pair that of its elements: are both of elements, or one of elements and the
 * other convex? */
bool ct_elements_have_depth(const ct_cell_input *input);

/* Of such a pair that overlaps: distance, bounds, points, normal, elements and their count, in the
 * frame of the pair; of pairs that are equally deep the one with the lowest numbers, those of the
 * first body before. A convex body counts as one element, and as CT_NO_ELEMENT. False, and nothing
 * written: no element overlaps another, as where bodies touch to round-off. Cost: the pairs whose
 * boxes meet, each an overlap, and a depth where the boxes leave room for more than the deepest so
 * far. */
bool ct_elements_deepest(const ct_cell_input *input, ct_cell_result *result);

/* The same where it is false: the answer in *result is that of the surfaces, and of the elements
 * that have the triangles. */
void ct_elements_surface_contact(const ct_cell_input *input, ct_cell_result *result);

#endif
