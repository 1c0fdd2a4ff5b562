/* Uploads of shapes: converts a body of JSON, STL or OBJ to a shape with its report. */
#ifndef API_HANDLERS_SHAPE_UPLOAD_H
#define API_HANDLERS_SHAPE_UPLOAD_H

#include "calls/call.h"
#include "import/import.h"
#include "shapes/mesh_repair_json.h"

/* How the body of POST /v1/shapes is interpreted. */
typedef struct api_upload {
  api_form form;        /* JSON, STL or OBJ */
  const api_unit *unit; /* NULL for JSON */
  ct_mesh_reading reading;
  api_repair
      repair;       /* requested repair of a mesh from a file; in JSON it is a member of the mesh */
  bool convex_hull; /* replace the shape by its convex hull */
  const char *id;
  uint64_t key; /* key of the hash table in api_triangle_soup */
} api_upload;

/* Makes a shape from the call's body; the caller owns it. NULL: faults were added. O(n log n), and
 * for a mesh also the search for self-intersections (ct_mesh_self_test); that the search is skipped
 * or cancelled is not a fault. */
const api_shape *api_shape_upload(api_call *call, const api_upload *upload);

#endif
