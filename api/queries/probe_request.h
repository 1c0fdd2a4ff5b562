/* Probe queries: members of rays, points and regions. */
#ifndef API_QUERIES_PROBE_REQUEST_H
#define API_QUERIES_PROBE_REQUEST_H

#include <contact/probe.h>

#include "calls/routes.h"
#include "shapes/shape_json.h"

/* Greatest component of a ray's direction, and greatest maxDistance, m: beyond the distance of any
 * two coordinates. */
#define API_DIRECTION_MAX 1e300
#define API_REACH_MAX 1e10

/* Members of the request; those that the kind does not have are absent. */
typedef struct api_probe_fields {
  const api_field *rays, *hits, *points, *nearest, *max_distance, *region, *mode;
} api_probe_fields;

static inline bool api_kind_is_probe(api_kind kind) {
  return kind == API_KIND_REGION || kind == API_KIND_NEAREST || kind == API_KIND_POINT ||
         kind == API_KIND_RAYCAST;
}

/* Reads the options of the kind; arrays are in the reader's arena. api_read_region reads the region
 * itself. */
bool api_read_probe(api_reader *reader, api_kind kind, const api_probe_fields *fields,
                    ct_probe_options *out);
/* A collider, or {min, max} as a box; on success it owns its shape: api_collider_release. */
bool api_read_region(api_reader *reader, const api_field *field, ct_collider *out);

#endif
