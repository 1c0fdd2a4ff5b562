/* Builds a mesh of the engine from points and triangles. Errors become faults, repairs become
 * warnings. */
#ifndef API_SHAPES_MESH_BUILD_H
#define API_SHAPES_MESH_BUILD_H

#include <contact/mesh.h>

#include "common/warning.h"
#include "json/fields.h"

typedef struct api_mesh_source {
  ct_mesh_data data;
  ct_mesh_reading reading;
  const api_pointer
      *at;    /* location of the mesh, whose member `triangles` has the triangles; NULL: a file */
  bool whole; /* faults are reported at `at` itself, because the request has no triangles */
  const ct_mesh *moved; /* the mesh whose vertices and normals are replaced by those of `data`, of
                           which other members are ignored; NULL: none */
  const ct_mesh_repair_options *repair; /* NULL: none */
  ct_mesh_repaired
      *repaired; /* with `repair`: receives what was repaired, without the mesh; NULL: not needed */
} api_mesh_source;

/* Builds the mesh, which the caller owns. Faults: OPEN_MESH at the first edge that prevents a
 * solid, DEGENERATE_MESH, OUT_OF_RANGE for a mesh below the least size, LIMIT_EXCEEDED,
 * OUT_OF_MEMORY, DEADLINE_EXCEEDED. */
bool api_build_mesh(api_reader *reader, const api_mesh_source *source, ct_mesh **out,
                    ct_mesh_report *report);

/* Warns of triangles that were ignored or reversed, and of defects that prevent a solid. defects:
 * the mesh's open and other bad edges and its holes, whose positions the warnings state; NULL: not
 * known. */
void api_warn_mesh(api_warnings *warnings, const api_pointer *at, const ct_mesh_report *report,
                   const ct_mesh *mesh, const ct_mesh_defects *defects);
/* Finds the defects of a mesh that is not watertight; a watertight mesh has none. The caller frees
 * them. False with a fault: out of memory, or cancelled. */
bool api_find_defects(const api_reader *reader, const ct_mesh *mesh, const ct_mesh_report *report,
                      ct_mesh_defects *out);

#endif
