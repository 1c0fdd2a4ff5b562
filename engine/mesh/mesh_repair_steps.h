/* Steps of a mesh repair: weld vertices (mesh_repair.c), find holes (mesh_defects.c) and fill them
 * (mesh_fill_holes.c, triangle/polygon_triangulation.c). */
#ifndef MESH_MESH_REPAIR_STEPS_H
#define MESH_MESH_REPAIR_STEPS_H

#include "mesh/mesh_build.h"
#include <contact/mesh.h>

/* Collects the defects of parts processed by ct_mesh_edges. CT_OUT_OF_MEMORY, CT_CANCELLED: *out
 * is zeroed. */
ct_status ct_mesh_collect_defects(ct_mesh_parts *m, ct_mesh_defects *out);

/* Triangles of caps, indexed by merged vertices; owned. */
typedef struct ct_mesh_caps {
  uint32_t (*triangles)[3];
  uint32_t count;
} ct_mesh_caps;

/* Fills holes and sets their outcome; cap_first counts from the first cap triangle.
 * CT_OUT_OF_MEMORY, CT_CANCELLED: *out is zeroed. */
ct_status ct_mesh_cap(const ct_mesh_parts *m, double planarity, ct_mesh_defects *defects,
                      ct_mesh_caps *out);

#endif
