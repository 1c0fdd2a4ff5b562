/* Steps of a repair: vertices welded (mesh_weld.c), holes found (mesh_defects.c) and filled
 * (mesh_fill_holes.c, polygon_triangulation.c). */
#ifndef MESH_MESH_REPAIR_STEPS_H
#define MESH_MESH_REPAIR_STEPS_H

#include "mesh/mesh_build.h"
#include <contact/mesh_repair.h>

/* Moves vertices into earlier ones within the tolerance, > 0. *moved: how many; *displacement: the
 * largest, m. CT_OUT_OF_MEMORY, CT_CANCELLED. O(n) expected */
ct_status ct_mesh_weld(ct_vec3 *vertices, uint32_t count, double tolerance, const ct_cancel *cancel,
                       uint32_t *moved, double *displacement);

/* Fills *out from parts that ct_mesh_edges has seen. CT_OUT_OF_MEMORY, CT_CANCELLED: *out is
 * zeroed. */
ct_status ct_mesh_collect_defects(ct_mesh_parts *m, ct_mesh_defects *out);

/* Triangles of caps by the first ones of bit-equal vertices; owned. */
typedef struct ct_mesh_caps {
  uint32_t (*triangles)[3];
  uint32_t count;
} ct_mesh_caps;

/* Fills holes of the parts, and sets their outcome; cap_first counts from the first triangle of
 * caps. CT_OUT_OF_MEMORY, CT_CANCELLED: *out holds nothing. */
ct_status ct_mesh_cap(const ct_mesh_parts *m, double planarity, ct_mesh_defects *defects,
                      ct_mesh_caps *out);

#endif
