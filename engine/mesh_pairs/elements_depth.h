/* Depth of a pair whose bodies consist of elements: the deepest pair of elements, and the number of
 * overlapping pairs. */
#ifndef MESH_PAIRS_ELEMENTS_DEPTH_H
#define MESH_PAIRS_ELEMENTS_DEPTH_H

#include "pair/pair_cell.h"

/* True if the depth of the pair is that of its elements: both bodies have elements, or the second
 * has and the first is convex. */
bool ct_elements_have_depth(const ct_cell_input *input);

/* For an overlapping pair, writes distance, bounds, points, normal, the deepest pair of elements
 * and the number of overlapping pairs, in the frame of the pair. Among equally deep pairs the one
 * with the lowest element numbers is selected, compared first by the element of the first body. A
 * convex body counts as one element, CT_NO_ELEMENT. False, and nothing is written: no elements
 * overlap, as when the bodies touch to round-off. Cost: an overlap test for each pair of elements
 * with overlapping boxes, and a depth query where the boxes permit a depth greater than the
 * greatest so far. */
bool ct_elements_deepest(const ct_cell_input *input, ct_cell_result *result);

/* Completes the result for the surfaces, after ct_elements_deepest has returned false: sets the
 * elements that the witness triangles belong to. */
void ct_elements_surface_contact(const ct_cell_input *input, ct_cell_result *result);

#endif
