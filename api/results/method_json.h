/* Methods that a question asks for by name, of the distance or the overlap of a pair: decoded,
 * asked, and what they tell beside. */
#ifndef API_RESULTS_METHOD_JSON_H
#define API_RESULTS_METHOD_JSON_H

#include <contact/gjk_epa.h>
#include <contact/mpr.h>
#include <contact/separating_plane.h>

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
  bool support_points;   /* MPR: included */
  bool separating_plane; /* SEPARATING_AXIS: included */
  bool cache;            /* SEPARATING_AXIS: planes are remembered from variant to variant */
} api_method;

/* What a method reported of a pair. */
typedef struct api_method_answer {
  api_method_kind by;        /* what answered: AUTO where the method is not for the pair */
  ct_mpr_result portal;      /* by MPR */
  ct_separating_plane plane; /* SEPARATING_AXIS; of kind NONE: none was found */
} api_method_answer;

/* What a pair is asked with. */
typedef struct api_method_memory {
  ct_workspace *workspace;
  ct_plane_cache *cache; /* SEPARATING_AXIS: the pair's, or NULL */
} api_method_memory;

typedef struct api_method_fields {
  const api_field *method, *tolerance, *iterations, *include, *cache;
} api_method_fields;

/* Decodes the method and its members; `include` is where what it includes was asked for. The
 * includes are set before. */
bool api_read_method(api_reader *reader, const api_method_fields *fields, api_method *out);

/* The same where only auto and mpr are offered; `out` holds the method, and the tolerance and
 * iterations (0: the usual ones), that stand where none are given. */
bool api_read_auto_or_portal(api_reader *reader, const api_method_fields *fields, api_method *out);

/* Asks for a pair whose distance is known. The answer of a portal or of the general iterations
 * takes the place of distance, bounds, normal, points, status and flags; the pair is touching when
 * its distance is at most the tolerance. Pairs that the method is not for stay as they are. With a
 * cache the plane of a pair apart is the one remembered, as long as it separates. */
void api_ask_method(const api_method *method, const ct_placed pair[2], double tolerance,
                    const api_method_memory *memory, ct_pair_result *result,
                    api_method_answer *out);

/* Does a pair overlap, by the method? A portal's yes or no is the sign of its distance, and its
 * witness, where the bodies share no point after all, the middle between its points; the others
 * decide as ct_pair_overlap does, to round-off. */
bool api_ask_overlap(const api_method *method, const ct_placed pair[2],
                     const api_method_memory *memory, ct_vec3 *witness, api_method_answer *out);

/* The members that only results by a method have: of a distance, and of an overlap. */
void api_put_method_answer(api_buffer *buffer, const api_method *method,
                           const api_method_answer *answer);
void api_put_overlap_answer(api_buffer *buffer, const api_method *method,
                            const api_method_answer *answer);

#endif
