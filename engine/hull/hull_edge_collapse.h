/* Joining of vertices that rounding cannot tell apart. */
#ifndef HULL_HULL_EDGE_COLLAPSE_H
#define HULL_HULL_EDGE_COLLAPSE_H

#include "hull/hull_faces.h"

/* Contracts edges no longer than the rounding[] of their two ends together (four planes through one point give two such vertices
 * when their duals are not exactly coplanar), drops faces that have no area left and vertices that have fewer than three faces.
 * Acts on the loops and on face_source; a joined vertex keeps the position of one of them. Leaves the cells as they are when
 * nothing is that short, or when what remained would not be a closed surface. CT_OUT_OF_MEMORY, CT_CANCELLED. */
ct_status ct_hull_collapse(ct_hull_cells *cells, const double *rounding, const ct_cancel *cancel);

#endif
