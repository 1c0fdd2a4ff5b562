/* Sub-problem of GJK: the best separating direction of up to four Minkowski vertices.
 *
 * For vertices w_j with radii r_j, finds the unit normal n that maximises min_j (n.w_j - r_j). If
 * the origin is outside the hull of the vertices, the value is its distance and n the direction of
 * the closest point. The dual unknown n, instead of barycentric coordinates, keeps every test well
 * conditioned: a candidate that is wrong by round-off shows the error in its value. Candidates are
 * the normals fixed by one, two or three vertices, the same features as the signed volumes of
 * Montanari et al. 2017.
 *
 * In `exact` mode cross products are double-double, so normals of slivers are right to round-off.
 * Vertices are then on a grid (ct_grid) and their differences are exact.
 */
#ifndef CONVEX_SIMPLEX_H
#define CONVEX_SIMPLEX_H

#include "pair/convex_proxy.h"

typedef struct ct_simplex {
  ct_minkowski_vertex vertex[4];
  int count;
  ct_vec3 normal;
  double value;    /* min_j (normal.w_j - r_j) over the vertices */
  unsigned active; /* bit mask of the vertices that fix the normal */
} ct_simplex;

/* Computes normal and value. `newest_only`: the last vertex is beyond the optimum of the others,
 * so only candidates that include it count. Returns false with value 0 if there is no candidate:
 * all vertices at the origin, or one ball inside another. */
bool ct_simplex_solve(ct_simplex *simplex, bool newest_only, bool exact);

/* Returns the Voronoi region of the origin as a bit mask of vertices; the newest vertex is always
 * included. 0: undecided by round-off, or the origin is inside the tetrahedron. Ignores radii.
 * Regions of a corner: Ericson 2005, 5.1. */
unsigned ct_simplex_voronoi_region(const ct_simplex *simplex);

/* Depth of the origin inside a tetrahedron, by exact normals; 0 if outside or fewer than four
 * vertices. */
double ct_simplex_depth(const ct_simplex *simplex);

/* Drops the vertices that do not fix the normal. */
void ct_simplex_reduce(ct_simplex *simplex);

/* Computes convex weights of the simplex's intersection with the normal's line; for four vertices,
 * of the origin. Negative weights are clamped to 0. */
void ct_simplex_weights(const ct_simplex *simplex, double weights[4]);

/* Distance from the weighted point of a reduced simplex to the point on the normal's line at
 * `value`; writes the weights. */
double ct_simplex_witness_error(const ct_simplex *simplex, double weights[4]);

/* Reduces the simplex to the feature closest to the origin and writes the weights of the closest
 * point. Evaluates every subset, so the origin may be inside, on a face, on an edge or at a
 * vertex. */
void ct_simplex_nearest(ct_simplex *simplex, double weights[4]);

/* Barycentric coordinates of the origin in a tetrahedron, as ratios of double-double volumes: it
 * may be a sliver. They sum to 1; one is negative if the origin is outside. Returns false, and
 * writes nothing, for a flat tetrahedron. */
bool ct_origin_weights(const ct_vec3 at[4], double weights[4]);

/* Returns 3/2 times a power of two: adding and subtracting it rounds a number of magnitude up to
 * `largest` to 51 bits of that magnitude. */
double ct_grid(double largest);
static inline ct_vec3 ct_round_to_grid(ct_vec3 p, double grid) {
  return (ct_vec3){(p.x + grid) - grid, (p.y + grid) - grid, (p.z + grid) - grid};
}

/* ct_exact_normal: (b - a) x (c - a); ct_exact_cross: (b - a) x d. Each component is right to
 * about one ulp for points on a grid. */
ct_vec3 ct_exact_normal(ct_vec3 a, ct_vec3 b, ct_vec3 c);
ct_vec3 ct_exact_cross(ct_vec3 a, ct_vec3 b, ct_vec3 d);

#endif
