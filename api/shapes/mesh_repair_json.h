/* Repairs and defects of meshes: members of requests, reports, warnings. */
#ifndef API_SHAPES_MESH_REPAIR_JSON_H
#define API_SHAPES_MESH_REPAIR_JSON_H

#include <contact/mesh.h>

#include "common/buffer.h"
#include "common/warning.h"
#include "json/fields.h"

/* Bounds of the weld tolerance, m, and of planarity, relative to a hole's size. */
#define API_WELD_MIN 1e-12
#define API_WELD_MAX CT_SIZE_MAX
#define API_PLANARITY_MAX 1.0

/* A requested repair. */
typedef struct api_repair {
  bool requested;
  ct_mesh_repair_options options;
} api_repair;

/* Findings about a mesh in addition to its report. */
typedef struct api_mesh_findings {
  api_repair repair;
  ct_mesh_repaired repaired; /* its mesh and report are not set */
  ct_mesh_defects defects;   /* remaining defects */
} api_mesh_findings;
void api_mesh_findings_free(api_mesh_findings *findings);

/* Reads {"weld"?, "capHoles"?, "planarity"?, "keepDuplicates"?}, at least one of them. Faults:
 * MISSING_MEMBER, OUT_OF_RANGE, CONFLICTING_MEMBERS for planarity without capHoles. */
bool api_read_repair(api_reader *reader, const api_field *field, api_repair *out);

/* Puts the member `repair` as requested; an absent planarity stays absent. */
void api_put_repair(api_buffer *buffer, const api_repair *repair);

/* Puts the member `repair` of a report: the requested and the performed repairs. */
void api_put_repaired(api_buffer *buffer, const api_repair *repair, const ct_mesh_repaired *done);
/* Puts the member `defects` of a report. */
void api_put_defects(api_buffer *buffer, const ct_mesh *mesh, const ct_mesh_report *report,
                     const ct_mesh_defects *defects);

/* Warns of performed repairs. at NULL: a file. */
void api_warn_repaired(api_warnings *warnings, const api_pointer *at, const ct_mesh_repaired *done);

#endif
