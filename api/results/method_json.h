/* Methods that a query of distance or overlap may request: reading, evaluation, and the additional
 * members of results. */
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
  bool support_points;   /* MPR: report the support points */
  bool separating_plane; /* SEPARATING_AXIS: report the separating plane */
  bool cache;            /* SEPARATING_AXIS: test the pair's separating plane of the previous
                            variant first */
} api_method;

/* Data that MPR or the separating axis test reports about one pair of convex shapes, beyond the
 * result that all methods have. */
typedef struct api_method_answer {
  api_method_kind by;   /* the method that evaluated the pair: AUTO if the requested method does not
                           support the pair's shapes */
  ct_mpr_result portal; /* MPR's result, with its bounds and support points; valid if `by` is MPR */
  ct_separating_plane
      plane; /* separating plane, set if SEPARATING_AXIS is requested; kind NONE: none was found */
} api_method_answer;

/* Workspace and cached plane for the evaluation of a pair. */
typedef struct api_method_memory {
  ct_workspace *workspace;
  ct_plane_cache *cache; /* SEPARATING_AXIS: the pair's plane in the cache; NULL: not cached */
} api_method_memory;

typedef struct api_method_fields {
  const api_field *method, *tolerance, *iterations, *include, *cache;
} api_method_fields;

/* True if the request has one of the members; without them the method is AUTO. */
static inline bool api_method_is_requested(const api_method_fields *fields) {
  return api_field_present(fields->method) || api_field_present(fields->tolerance) ||
         api_field_present(fields->iterations) || api_field_present(fields->include) ||
         api_field_present(fields->cache);
}

/* Reads the method and its members. `include`: location at which results of a method were
 * requested; out->support_points and out->separating_plane are set before the call. */
bool api_read_method(api_reader *reader, const api_method_fields *fields, api_method *out);

/* Reads a method that may only be auto or mpr, with its tolerance and iterations. Before the call,
 * *out has the defaults; 0 stands for CT_MPR_TOLERANCE and CT_MPR_ITERATIONS. */
bool api_read_auto_or_portal(api_reader *reader, const api_method_fields *fields, api_method *out);

/* Evaluates a pair, whose distance is known, by the requested method. MPR and GJK/EPA replace
 * distance, bounds, normal, points, status and flags of *result; the pair touches if its distance
 * is at most `tolerance`. A pair that the method does not support is unchanged. If a cached plane
 * still separates the pair, it is the reported plane. */
void api_apply_method(const api_method *method, const ct_placed pair[2], double tolerance,
                      const api_method_memory *memory, ct_pair_result *result,
                      api_method_answer *out);

/* True if the pair overlaps according to the requested method. MPR decides by the sign of its
 * distance; if the bodies have no common point, its witness is the midpoint of its two points. The
 * other methods decide like ct_pair_overlap, up to round-off. */
bool api_test_overlap(const api_method *method, const ct_placed pair[2],
                      const api_method_memory *memory, ct_vec3 *witness, api_method_answer *out);

/* Put the members that depend on the method, of a result of distance and of a result of overlap. */
void api_put_method_answer(api_buffer *buffer, const api_method *method,
                           const api_method_answer *answer);
void api_put_overlap_answer(api_buffer *buffer, const api_method *method,
                            const api_method_answer *answer);

#endif
