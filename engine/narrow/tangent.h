/* The best separating normal of a polytope (box or hull) and a tapered capsule that overlap, by looking at every pair of features.
 *
 * Where the bodies are apart narrow/gjk.h finds it faster; it stops where the optimum is no convex one. The normals tried are those
 * of faces, of edges and vertices against either ball, and of edges and vertices against the cone between the balls; each gives a
 * certified bound and the true optimum is among them. Cost: vertices + edges + faces of the polytope.
 */
#ifndef NARROW_TANGENT_H
#define NARROW_TANGENT_H

#include "narrow/core.h"

/* Signed distance and unit normal from the polytope to the segment core. *several: another normal is as good to round-off. */
double ct_tangent_distance(const ct_core *polytope, const ct_core *segment, ct_vec3 *normal, bool *several);

#endif
