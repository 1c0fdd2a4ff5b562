/* Results and relations shared by the functions of mesh pairs. */
#ifndef MESH_PAIRS_MESH_MESH_H
#define MESH_PAIRS_MESH_MESH_H

#include "pair/pair_cell.h"
#include "triangle/triangle_distance.h"

/* Rounding radius and margin of both bodies, m. */
typedef struct ct_mesh_growth {
  double a, b;
} ct_mesh_growth;

/* Writes distance, points, bounds and the kind of depth from the distance `proxy` of the bodies
 * without growth; it is negative for overlapping solids. `solids`: both bodies are solid. */
void ct_mesh_write_result(double proxy, ct_gap gap, ct_mesh_growth growth, bool solids,
                          ct_cell_result *result);

/* Decides the relation of a mesh and another body from the distance alone: separated or touching.
 * Returns false if it is undecided. */
bool ct_mesh_relation_by_distance(const ct_cell_result *result, double tolerance,
                                  ct_relation *relation);

#endif
