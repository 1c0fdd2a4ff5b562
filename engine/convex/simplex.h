/* The best separating direction of up to four Minkowski vertices.
 *
 * For vertices w_j with radii r_j: the unit normal n that maximises min_j (n.w_j - r_j). Where the origin lies outside their hull
 * that value is its distance and n the direction of the closest point. Working on the normal (the dual) instead of on
 * barycentric coordinates keeps every test well conditioned: a candidate that is wrong by round-off shows it in its value.
 * Candidates are the normals fixed by one, two or three vertices (Montanari et al. 2017 enumerate the same features as signed
 * volumes; the weights are those of hulls of balls). The `exact` mode takes cross products in double-double, so that directions of
 * slivers are right to round-off; vertices are then on a grid (see ct_grid) and their differences are exact.
 */
#ifndef CONVEX_SIMPLEX_H
#define CONVEX_SIMPLEX_H

#include "pair/convex_proxy.h"

typedef struct ct_simplex {
  ct_minkowski_vertex vertex[4];
  int count;
  ct_vec3 normal;
  double value;    /* min_j (normal.w_j - r_j) over the vertices */
  unsigned active; /* bits of the vertices that fix the normal */
} ct_simplex;

/* Finds normal and value. `newest_only`: the last vertex is known to be beyond the optimum of the others, so it must be among
 * those that fix the new normal. False when no candidate exists (all vertices at the origin, or balls
 * inside balls); the value is then 0 and the normal is as it was. */
bool ct_simplex_solve(ct_simplex *simplex, bool newest_only, bool exact);

/* The vertices whose hull's inside is nearest to the origin, as bits, the newest and last one among them as above; 0 where that is
 * not sure beyond rounding, or the origin is in four vertices. Without radii. Regions of a corner: Ericson 2005, 5.1. */
unsigned ct_simplex_voronoi_region(const ct_simplex *simplex);

/* How deep the origin lies in four vertices; zero when they do not hold it, or are fewer. Signs are those of exact normals. */
double ct_simplex_depth(const ct_simplex *simplex);

/* Drops the vertices that do not fix the normal. */
void ct_simplex_reduce(ct_simplex *simplex);

/* Convex weights that put the combination of the vertices on the line along the normal (or, with four vertices, at the origin).
 * Weights below zero are clamped. */
void ct_simplex_weights(const ct_simplex *simplex, double weights[4]);

/* By how much the weighted point of a reduced simplex misses the place on the line of the normal that the value says; its weights.
 */
double ct_simplex_witness_error(const ct_simplex *simplex, double weights[4]);

/* Reduces the simplex to the vertices whose hull comes closest to the origin and gives the weights of that point: every subset is
 * looked at, so it holds for an origin inside, on a face, on an edge or at a vertex. */
void ct_simplex_nearest(ct_simplex *simplex, double weights[4]);

/* Weights of the origin in the tetrahedron of four points: quotients of volumes in double-double, as it may be a sliver. They sum
 * to 1 and one is negative when the origin is outside. False, and nothing written, for a flat tetrahedron. */
bool ct_origin_weights(const ct_vec3 at[4], double weights[4]);

/* A power of two times 3/2: adding and subtracting it rounds numbers of magnitude up to `largest` to 51 bits of that magnitude. */
double ct_grid(double largest);
static inline ct_vec3 ct_round_to_grid(ct_vec3 p, double grid) {
  return (ct_vec3){(p.x + grid) - grid, (p.y + grid) - grid, (p.z + grid) - grid};
}

/* (b - a) x (c - a), each component right to about one unit in its last place for points on a grid; and (b - a) x d. */
ct_vec3 ct_exact_normal(ct_vec3 a, ct_vec3 b, ct_vec3 c);
ct_vec3 ct_exact_cross(ct_vec3 a, ct_vec3 b, ct_vec3 d);

#endif
