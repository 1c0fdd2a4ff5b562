/* Depth of overlapping elements: the deepest pair, and the number of overlapping pairs. */
#ifndef MESH_PAIRS_ELEMENTS_DEPTH_H
#define MESH_PAIRS_ELEMENTS_DEPTH_H

#include "pair/pair_cell.h"

/* True if the depth of the pair is that of its elements: both bodies have elements, or the second
 * has and the first is convex. */
bool ct_elements_have_depth(const ct_cell_input *input);

/* Computes distance, bounds, points, normal, elements and their number for an overlapping pair, in
 * the frame of the pair. Among equally deep pairs the one with the lowest element numbers wins,
 * those of the first body first. A convex body counts as one element, CT_NO_ELEMENT. Returns false,
 * and writes nothing, if no elements overlap: the bodies touch to round-off. Cost: an overlap test
 * for each pair of overlapping boxes, and a depth query where the boxes allow a depth greater than
 * the best one. */
bool ct_elements_deepest(const ct_cell_input *input, ct_cell_result *result);

/* Completes the result of the surfaces if ct_elements_deepest returned false: sets the elements
 * that own the triangles. */
void ct_elements_surface_contact(const ct_cell_input *input, ct_cell_result *result);

#endif
