/* What the cells of meshes share: an answer from the parts that were found. */
#ifndef MESH_PAIRS_MESH_MESH_H
#define MESH_PAIRS_MESH_MESH_H

#include "pair/pair_cell.h"
#include "triangle/triangle_distance.h"

/* What rounding and margin add around both bodies, m. */
typedef struct ct_mesh_growth {
  double a, b;
} ct_mesh_growth;

/* Fills in distance, points, bounds and what the depth means from the distance of the bare bodies.
 * `core`: of solids that overlap below 0. `solids`: both have an inside to be deep in. */
void ct_mesh_write_result(double proxy, ct_gap gap, ct_mesh_growth growth, bool solids,
                          ct_cell_result *result);

/* Relation of a mesh and another body, where the distance alone decides it: separated or touching.
 * False: undecided. */
bool ct_mesh_relation_by_distance(const ct_cell_result *result, double tolerance,
                                  ct_relation *relation);

#endif
