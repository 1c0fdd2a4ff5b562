/* Results and relations used by the functions of mesh pairs. */
#ifndef MESH_PAIRS_MESH_MESH_H
#define MESH_PAIRS_MESH_MESH_H

#include "pair/pair_cell.h"
#include "triangle/triangle_distance.h"

/* Sum of rounding radius and margin of each body, m. */
typedef struct ct_mesh_growth {
  double a, b;
} ct_mesh_growth;

/* Writes distance, points, bounds and kind of depth from `proxy`, the distance of the bodies
 * without growth, which is negative for overlapping solids. `solids`: both bodies are solid. */
void ct_mesh_write_result(double proxy, ct_gap gap, ct_mesh_growth growth, bool solids,
                          ct_cell_result *result);

/* Decides the relation of a mesh and another body (separated or touching) from the distance alone.
 * False: the distance does not decide it. */
bool ct_mesh_relation_by_distance(const ct_cell_result *result, double tolerance,
                                  ct_relation *relation);

#endif
