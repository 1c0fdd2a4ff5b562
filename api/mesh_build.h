/* Points and triangles to a mesh of the engine: what is wrong becomes a fault, what was repaired a warning. */
#ifndef API_MESH_BUILD_H
#define API_MESH_BUILD_H

#include "fields.h"
#include "warning.h"

typedef struct api_mesh_source {
  ct_mesh_data data;
  ct_mesh_reading reading;
  const api_path *at; /* the mesh in the document, whose member `triangles` has the triangles; NULL: a file */
  bool whole;         /* the document has no triangles: faults are at `at` itself */
} api_mesh_source;

/* False with a fault: OPEN_MESH that names the first bad edge, DEGENERATE_MESH, OUT_OF_RANGE for a mesh below the least size,
 * LIMIT_EXCEEDED, OUT_OF_MEMORY, DEADLINE_EXCEEDED. The caller owns *out. */
bool api_build_mesh(api_reader *reader, const api_mesh_source *source, ct_mesh **out, ct_mesh_report *report);

/* What building dropped or turned, and what the mesh lacks of a solid. */
void api_warn_mesh(api_warnings *warnings, const api_path *at, const ct_mesh_report *report);

#endif
