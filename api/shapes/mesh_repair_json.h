/* Repairs and defects of meshes: members of requests and of reports, and warnings. */
#ifndef API_SHAPES_MESH_REPAIR_JSON_H
#define API_SHAPES_MESH_REPAIR_JSON_H

#include <contact/mesh.h>

#include "common/buffer.h"
#include "common/warning.h"
#include "json/fields.h"

/* Ranges of the weld tolerance, m, and of planarity, which is relative to the size of a hole. */
#define API_WELD_MIN 1e-12
#define API_WELD_MAX CT_SIZE_MAX
#define API_PLANARITY_MAX 1.0

/* The repair that a request asks for. */
typedef struct api_repair {
  bool requested;
  ct_mesh_repair_options options;
} api_repair;

/* What was found out about a mesh, in addition to its report. */
typedef struct api_mesh_findings {
  api_repair repair;
  ct_mesh_repaired repaired; /* what was repaired; its members mesh and report are not set */
  ct_mesh_defects defects;   /* defects that remain */
} api_mesh_findings;
void api_mesh_findings_free(api_mesh_findings *findings);

/* Reads {"weld"?, "capHoles"?, "planarity"?, "keepDuplicates"?}, of which at least one must be
 * present. Faults: MISSING_MEMBER, OUT_OF_RANGE, CONFLICTING_MEMBERS for planarity without
 * capHoles. */
bool api_read_repair(api_reader *reader, const api_field *field, api_repair *out);

/* Puts the member `repair` as it was requested, without planarity if that was absent. */
void api_put_repair(api_buffer *buffer, const api_repair *repair);

/* Puts the member `repair` of a report: what was requested and what was repaired. */
void api_put_repaired(api_buffer *buffer, const api_repair *repair, const ct_mesh_repaired *done);
/* Puts the member `defects` of a report. */
void api_put_defects(api_buffer *buffer, const ct_mesh *mesh, const ct_mesh_report *report,
                     const ct_mesh_defects *defects);

/* Warns of the repairs that were made. at NULL: the mesh is from a file. */
void api_warn_repaired(api_warnings *warnings, const api_pointer *at, const ct_mesh_repaired *done);

#endif
