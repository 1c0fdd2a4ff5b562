/* Points and triangles to a mesh of the engine: what is wrong becomes a fault, what was repaired a
 * warning. */
#ifndef API_SHAPES_MESH_BUILD_H
#define API_SHAPES_MESH_BUILD_H

#include <contact/mesh_repair.h>

#include "common/warning.h"
#include "json/fields.h"

typedef struct api_mesh_source {
  ct_mesh_data data;
  ct_mesh_reading reading;
  const api_pointer
      *at; /* the mesh in the document, whose member `triangles` has the triangles; NULL: a file */
  bool whole;           /* the document has no triangles: faults are at `at` itself */
  const ct_mesh *moved; /* the mesh whose vertices and normals `data` replaces; of `data` nothing
                           else counts. NULL: none */
  const ct_mesh_repair_options *repair; /* NULL: none */
  ct_mesh_repaired
      *repaired; /* with `repair`: takes what was done, but for the mesh; NULL: nobody wants it */
} api_mesh_source;

/* False with a fault: OPEN_MESH that names the first bad edge, DEGENERATE_MESH, OUT_OF_RANGE for a
 * mesh below the least size, LIMIT_EXCEEDED, OUT_OF_MEMORY, DEADLINE_EXCEEDED. The caller owns
 * *out. */
bool api_build_mesh(api_reader *reader, const api_mesh_source *source, ct_mesh **out,
                    ct_mesh_report *report);

/* What building dropped or turned, and what the mesh lacks of a solid. defects: of the mesh, with
 * holes and coordinates; NULL: they are not known. */
void api_warn_mesh(api_warnings *warnings, const api_pointer *at, const ct_mesh_report *report,
                   const ct_mesh *mesh, const ct_mesh_defects *defects);
/* The defects of a mesh that is not watertight, else none; the caller frees them. False with a
 * fault: out of memory, or out of time. */
bool api_find_defects(const api_reader *reader, const ct_mesh *mesh, const ct_mesh_report *report,
                      ct_mesh_defects *out);

#endif
