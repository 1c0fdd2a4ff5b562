/* Queries of the kinds sweep and timeline: moving bodies, their motions, and the search for times
 * of impact. */
#ifndef API_QUERIES_MOTION_REQUEST_H
#define API_QUERIES_MOTION_REQUEST_H

#include <contact/toi.h>

#include "documents/packed_poses_json.h"

/* Greatest maxIterations: distance evaluations for one pair. */
#define API_IMPACT_ITERATIONS_MAX 100000
/* Shortest duration, s. */
#define API_DURATION_MIN 1e-12

/* Members of the request; those that the kind does not have are absent. */
typedef struct api_motion_fields {
  const api_field *duration, *motions, *standard, *from, *to;
  const api_field *given[2]; /* motions of bodies a and b: rows 0 and 1 */
  const api_field *method, *distance_tolerance, *time_tolerance, *iterations, *earliest, *changes;
  const api_pointer *question;
} api_motion_fields;

typedef struct api_motions {
  ct_motion_options options;
  ct_row_motion *moving; /* the paths are owned, the array is in the arena */
} api_motions;

/* The selection of the query, read before. */
typedef struct api_motion_scope {
  bool timeline; /* else a sweep */
  const ct_scene *scene;
  const ct_query_options *options;  /* where, pairs, poses */
  double tolerance;                 /* m, of distances */
  const api_velocities *velocities; /* [2] */
} api_motion_scope;

/* Reads a motion query. *out must be zeroed; release it in any case. */
bool api_read_motions(api_reader *reader, const api_motion_fields *fields,
                      const api_motion_scope *scope, api_motions *out);
void api_motions_release(api_motions *motions);

#endif
