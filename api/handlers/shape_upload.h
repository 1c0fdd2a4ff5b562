/* Uploads of shapes: converts JSON, STL and OBJ to a stored shape with its report. */
#ifndef API_HANDLERS_SHAPE_UPLOAD_H
#define API_HANDLERS_SHAPE_UPLOAD_H

#include "calls/call.h"
#include "import/import.h"
#include "shapes/mesh_repair_json.h"

/* How the body of a POST is interpreted. */
typedef struct api_upload {
  api_form form;        /* JSON, STL or OBJ */
  const api_unit *unit; /* NULL for JSON */
  ct_mesh_reading reading;
  api_repair repair; /* of a file; JSON has the member repair */
  bool convex_hull;  /* replace the shape by its convex hull */
  const char *id;
  uint64_t key; /* see api_triangle_soup */
} api_upload;

/* Makes the shape of the call's body, owned by the caller. NULL: faults. O(n log n), plus for a
 * mesh the search for self-intersections (ct_mesh_self_test). A search that is skipped or cancelled
 * is no fault. */
const api_shape *api_shape_upload(api_call *call, const api_upload *upload);

#endif
