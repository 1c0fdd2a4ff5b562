/* Joining of vertices closer than their round-off. */
#ifndef HULL_HULL_EDGE_COLLAPSE_H
#define HULL_HULL_EDGE_COLLAPSE_H

#include "hull/hull_faces.h"

/* Contracts edges no longer than the sum of rounding[] at their ends, then drops faces without
 * area and vertices with fewer than three faces. Such edges occur if four planes through one
 * point have duals that are not exactly coplanar. Modifies loops and face_source; a joined
 * vertex keeps one of the positions. The cells stay unchanged if no edge is that short or the
 * result is not a closed surface. CT_OUT_OF_MEMORY, CT_CANCELLED. */
ct_status ct_hull_collapse(ct_hull_cells *cells, const double *rounding, const ct_cancel *cancel);

#endif
