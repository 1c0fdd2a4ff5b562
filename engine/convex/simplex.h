/* Sub-problem of GJK: the best separating direction of up to four Minkowski vertices.
 *
 * For vertices w_j with radii r_j, finds the unit normal n that maximises min_j (n.w_j - r_j),
 * which is the value of the simplex. If the origin is outside the hull of the vertices, the value
 * is its distance from the hull, and n the direction of the closest point. The unknown is the
 * normal n instead of barycentric coordinates, so every test is well conditioned: a candidate that
 * is wrong by round-off has a value that is wrong by as little. Candidates are the normals
 * determined by one, two or three vertices, the same features as the signed volumes of Montanari et
 * al. 2017.
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
  double value;    /* min_j (normal.w_j - r_j) over the vertices, m */
  unsigned active; /* bit mask of the vertices that determine the normal */
} ct_simplex;

/* Computes normal and value of the simplex. newest_only: the last vertex is beyond the optimum of
 * the others, so only candidate normals that involve it count. Returns false, with value 0, if
 * there is no candidate: all vertices are at the origin, or one ball contains the others. */
bool ct_simplex_solve(ct_simplex *simplex, bool newest_only, bool exact);

/* Returns the Voronoi region of the origin as a bit mask of vertices, which always includes the
 * newest vertex. 0: round-off leaves the region undecided, or the origin is inside the tetrahedron.
 * Ignores radii. Regions of a vertex: Ericson 2005, 5.1. */
unsigned ct_simplex_voronoi_region(const ct_simplex *simplex);

/* Returns the depth of the origin inside the tetrahedron, computed with exact normals; 0 if the
 * origin is outside or there are fewer than four vertices. */
double ct_simplex_depth(const ct_simplex *simplex);

/* Drops the vertices that do not determine the normal. */
void ct_simplex_reduce(ct_simplex *simplex);

/* Computes convex weights of the point in which the line of the normal through the origin
 * intersects the simplex; for four vertices, of the origin. Negative weights are replaced by 0. */
void ct_simplex_weights(const ct_simplex *simplex, double weights[4]);

/* Returns the distance between the weighted point of a reduced simplex and the point normal *
 * (value + weighted radii), and writes the weights. It is 0, up to round-off, if the normal is the
 * direction of the closest point. */
double ct_simplex_witness_error(const ct_simplex *simplex, double weights[4]);

/* Reduces the simplex to the feature closest to the origin, and writes the weights of its closest
 * point. Evaluates every subset of vertices, so the origin may be inside, on a face, on an edge or
 * at a vertex. */
void ct_simplex_nearest(ct_simplex *simplex, double weights[4]);

/* Computes the barycentric coordinates of the origin in a tetrahedron, as ratios of double-double
 * volumes, because it may be a sliver. They sum to 1; some are negative if the origin is outside.
 * Returns false, and writes nothing, if the tetrahedron is flat. */
bool ct_origin_weights(const ct_vec3 at[4], double weights[4]);

/* Returns 3/2 times a power of two. Adding and then subtracting it rounds a number of magnitude up
 * to `largest` to a multiple of the last of 51 bits of `largest`. */
double ct_grid(double largest);
static inline ct_vec3 ct_round_to_grid(ct_vec3 p, double grid) {
  return (ct_vec3){(p.x + grid) - grid, (p.y + grid) - grid, (p.z + grid) - grid};
}

/* Cross products (b - a) x (c - a), and (b - a) x d, for points on a grid; the error of each
 * component is about one unit in its last place. */
ct_vec3 ct_exact_normal(ct_vec3 a, ct_vec3 b, ct_vec3 c);
ct_vec3 ct_exact_cross(ct_vec3 a, ct_vec3 b, ct_vec3 d);

#endif
