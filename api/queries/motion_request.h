/* Reads queries of the kinds sweep and timeline: moving bodies, their motions, and the search for
 * times of impact. */
#ifndef API_QUERIES_MOTION_REQUEST_H
#define API_QUERIES_MOTION_REQUEST_H

#include <contact/toi.h>

#include "documents/packed_poses_json.h"

/* Greatest value of maxIterations, the number of distance evaluations for one pair. */
#define API_IMPACT_ITERATIONS_MAX 100000
/* Least duration, s. */
#define API_DURATION_MIN 1e-12

/* Members of the request. A member that the kind does not have is absent. */
typedef struct api_motion_fields {
  const api_field *duration, *motions, *standard, *from, *to;
  const api_field *given[2]; /* motions of the given bodies a and b, which are rows 0 and 1 */
  const api_field *method, *distance_tolerance, *time_tolerance, *iterations, *earliest, *changes;
  const api_pointer *question;
} api_motion_fields;

typedef struct api_motions {
  ct_motion_options options;
  ct_row_motion *moving; /* in the arena; its paths are owned */
} api_motions;

/* What was read before the members of motions: the selection, poses and velocities. */
typedef struct api_motion_scope {
  bool timeline; /* true: a timeline; false: a sweep */
  const ct_scene *scene;
  const ct_query_options *options; /* where, pairs, poses */
  double tolerance;                /* tolerance of distances, m */
  const api_velocities
      *velocities; /* [2] replaced velocities of the query's poses, then of the batch's poses */
} api_motion_scope;

/* Reads a query of moving bodies. *out must be zeroed before, and released even after a failure. */
bool api_read_motions(api_reader *reader, const api_motion_fields *fields,
                      const api_motion_scope *scope, api_motions *out);
void api_motions_release(api_motions *motions);

#endif
