/* Builds a mesh of the engine from points and triangles; errors become faults, repairs warnings. */
#ifndef API_SHAPES_MESH_BUILD_H
#define API_SHAPES_MESH_BUILD_H

#include <contact/mesh.h>

#include "common/warning.h"
#include "json/fields.h"

typedef struct api_mesh_source {
  ct_mesh_data data;
  ct_mesh_reading reading;
  const api_pointer *at; /* the mesh in the document with the member `triangles`; NULL: a file */
  bool whole;            /* the document has no triangles: faults are reported at `at` itself */
  const ct_mesh *moved;  /* the mesh whose vertices and normals `data` replaces; other members of
                            `data` are ignored. NULL: none */
  const ct_mesh_repair_options *repair; /* NULL: none */
  ct_mesh_repaired
      *repaired; /* with `repair`: receives what was repaired, without the mesh; NULL: not needed */
} api_mesh_source;

/* False with a fault: OPEN_MESH at the first bad edge, DEGENERATE_MESH, OUT_OF_RANGE for a mesh
 * below the least size, LIMIT_EXCEEDED, OUT_OF_MEMORY, DEADLINE_EXCEEDED. The caller owns *out. */
bool api_build_mesh(api_reader *reader, const api_mesh_source *source, ct_mesh **out,
                    ct_mesh_report *report);

/* Warns of dropped or turned triangles, and of defects that prevent a solid. defects: of the mesh,
 * with holes and coordinates; NULL: unknown. */
void api_warn_mesh(api_warnings *warnings, const api_pointer *at, const ct_mesh_report *report,
                   const ct_mesh *mesh, const ct_mesh_defects *defects);
/* Finds the defects of a mesh that is not watertight, else none; the caller frees them. False with
 * a fault: out of memory, or timeout. */
bool api_find_defects(const api_reader *reader, const ct_mesh *mesh, const ct_mesh_report *report,
                      ct_mesh_defects *out);

#endif
