/* What was posted to what is kept: JSON, STL and OBJ to a shape with its report. */
#ifndef API_HANDLERS_SHAPE_UPLOAD_H
#define API_HANDLERS_SHAPE_UPLOAD_H

#include "calls/call.h"
#include "import/import.h"
#include "shapes/mesh_repair_json.h"

/* How the body of a POST is to be read. */
typedef struct api_upload {
  api_form form;        /* JSON, STL or OBJ */
  const api_unit *unit; /* NULL for JSON */
  ct_mesh_reading reading;
  api_repair repair; /* of a file; JSON has a member */
  bool convex_hull;  /* the hull of what was posted */
  const char *id;
  uint64_t key; /* see api_triangle_soup */
} api_upload;

/* The shape of the call's body, a reference. NULL: faults. Cost O(n log n); for a mesh also whether it
 * meets itself (ct_mesh_self_test); that this is not known, because the mesh is large or the flag is raised, is no fault. */
const api_shape *api_shape_upload(api_call *call, const api_upload *upload);

#endif
