/* Methods of the distance of a pair that a question asks for by name: decoded, asked, and what they tell beside the distance. */
#ifndef API_METHOD_JSON_H
#define API_METHOD_JSON_H

#include <contact/mpr.h>
#include <contact/separating_plane.h>

#include "buffer.h"
#include "fields.h"

typedef enum api_method_kind { API_METHOD_AUTO, API_METHOD_MPR, API_METHOD_SEPARATING_AXIS } api_method_kind;

typedef struct api_method {
  api_method_kind kind;
  ct_mpr_options mpr;
  bool support_points;   /* MPR: included */
  bool separating_plane; /* SEPARATING_AXIS: included */
} api_method;

/* What a method told of a pair. */
typedef struct api_method_answer {
  bool by_portal;
  ct_mpr_result portal;
  bool by_axis;              /* all planes of two polyhedra were looked through */
  ct_separating_plane plane; /* of kind NONE: none was found */
} api_method_answer;

typedef struct api_method_fields {
  const api_field *method, *tolerance, *iterations, *include;
} api_method_fields;

/* Decodes the method and its members; `include` is where what it includes was asked for. The includes are set before. */
bool api_read_method(api_reader *reader, const api_method_fields *fields, api_method *out);

/* Asks for a pair whose distance is known. A portal's answer takes the place of distance, bounds, normal, points, status and flags;
 * the pair is touching when its distance is at most the tolerance. Pairs that the method is not for stay as they are. */
void api_ask_method(const api_method *method, const ct_placed pair[2], double tolerance, ct_workspace *workspace,
                    ct_pair_result *result, api_method_answer *out);

/* The members of a result that only methods have. */
void api_put_method_answer(api_buffer *buffer, const api_method *method, const api_method_answer *answer);

#endif
