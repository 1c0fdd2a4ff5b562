/* Probes: the members that rays, points and regions are given by. */
#ifndef API_QUERIES_PROBE_REQUEST_H
#define API_QUERIES_PROBE_REQUEST_H

#include <contact/probe.h>

#include "calls/routes.h"
#include "shapes/shape_json.h"

/* Largest component of a direction, and largest distance asked for, m: farther than any two coordinates. */
#define API_DIRECTION_MAX 1e300
#define API_REACH_MAX 1e10

/* Members of a question as they were found; those that its kind does not have are absent. */
typedef struct api_probe_fields {
  const api_field *rays, *hits, *points, *nearest, *max_distance, *region, *mode;
} api_probe_fields;

static inline bool api_kind_is_probe(api_kind kind) {
  return kind == API_KIND_REGION || kind == API_KIND_NEAREST || kind == API_KIND_POINT || kind == API_KIND_RAYCAST;
}

/* Sets the options' kind and what is asked; arrays are in the reader's arena. The region itself is not read. */
bool api_read_probe(api_reader *reader, api_kind kind, const api_probe_fields *fields, ct_probe_options *out);
/* A collider, or {min, max} as a box; on success it owns its shape: api_collider_release. */
bool api_read_region(api_reader *reader, const api_field *field, ct_collider *out);

#endif
