/* Steps of a mesh repair: weld vertices (mesh_repair.c), find holes (mesh_defects.c), and fill them
 * (mesh_fill_holes.c, triangle/polygon_triangulation.c). */
#ifndef MESH_MESH_REPAIR_STEPS_H
#define MESH_MESH_REPAIR_STEPS_H

#include "mesh/mesh_build.h"
#include <contact/mesh.h>

/* Collects the defects of parts that ct_mesh_edges has completed. CT_OUT_OF_MEMORY, CT_CANCELLED:
 * *out is zeroed. */
ct_status ct_mesh_collect_defects(ct_mesh_parts *m, ct_mesh_defects *out);

/* Triangles of the caps, as indices of merged vertices; owned. */
typedef struct ct_mesh_caps {
  uint32_t (*triangles)[3];
  uint32_t count;
} ct_mesh_caps;

/* Fills the holes that can be filled, and sets the outcome of each. Their cap_first is an index in
 * out->triangles. CT_OUT_OF_MEMORY, CT_CANCELLED: *out is zeroed. */
ct_status ct_mesh_cap(const ct_mesh_parts *m, double planarity, ct_mesh_defects *defects,
                      ct_mesh_caps *out);

#endif
