/* Methods of distance and overlap queries that a query names: decoding, evaluation, additional
 * results. */
#ifndef API_RESULTS_METHOD_JSON_H
#define API_RESULTS_METHOD_JSON_H

#include <contact/pair_methods.h>

#include "common/buffer.h"
#include "json/fields.h"

typedef enum api_method_kind {
  API_METHOD_AUTO,
  API_METHOD_GJK_EPA,
  API_METHOD_MPR,
  API_METHOD_SEPARATING_AXIS
} api_method_kind;

typedef struct api_method {
  api_method_kind kind;
  ct_mpr_options mpr;
  bool support_points;   /* MPR: include support points */
  bool separating_plane; /* SEPARATING_AXIS: include the separating plane */
  bool cache;            /* SEPARATING_AXIS: cache planes from variant to variant */
} api_method;

/* Result of a method for a pair. */
typedef struct api_method_answer {
  api_method_kind
      by; /* the evaluating method: AUTO if the requested one does not support the pair */
  ct_mpr_result portal;      /* set by MPR */
  ct_separating_plane plane; /* set by SEPARATING_AXIS; kind NONE: none was found */
} api_method_answer;

/* Workspace and cache of a pair query. */
typedef struct api_method_memory {
  ct_workspace *workspace;
  ct_plane_cache *cache; /* SEPARATING_AXIS: cached plane of the pair, or NULL */
} api_method_memory;

typedef struct api_method_fields {
  const api_field *method, *tolerance, *iterations, *include, *cache;
} api_method_fields;

/* Decodes the method and its members. `include`: the path at which its includes were requested;
 * their flags are set before the call. */
bool api_read_method(api_reader *reader, const api_method_fields *fields, api_method *out);

/* Decodes a method restricted to auto and mpr. `out` contains the defaults of method, tolerance and
 * iterations (0: the usual ones). */
bool api_read_auto_or_portal(api_reader *reader, const api_method_fields *fields, api_method *out);

/* Evaluates a pair with known distance by the method. MPR and GJK/EPA replace distance, bounds,
 * normal, points, status and flags; the pair is touching if its distance is at most the tolerance.
 * Pairs that the method does not support are unchanged. With a cache, the plane of a separated pair
 * is the cached one while it separates. */
void api_apply_method(const api_method *method, const ct_placed pair[2], double tolerance,
                      const api_method_memory *memory, ct_pair_result *result,
                      api_method_answer *out);

/* True if a pair overlaps according to the method. MPR decides by the sign of its distance; its
 * witness is the midpoint of its points if the bodies have no common point. The other methods
 * decide like ct_pair_overlap, up to round-off. */
bool api_test_overlap(const api_method *method, const ct_placed pair[2],
                      const api_method_memory *memory, ct_vec3 *witness, api_method_answer *out);

/* Puts the members that are specific to methods, of a distance and of an overlap result. */
void api_put_method_answer(api_buffer *buffer, const api_method *method,
                           const api_method_answer *answer);
void api_put_overlap_answer(api_buffer *buffer, const api_method *method,
                            const api_method_answer *answer);

#endif
