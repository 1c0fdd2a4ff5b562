/* Square matrices and vectors of raw problems in JSON.
 *
 * A matrix is an array of rows, or its entries by their places: {"n", "rows", "cols", "values"}, in any order, no place twice; what
 * is not named is 0. Numbers may be anything that a double holds.
 */
#ifndef API_HANDLERS_MATRIX_JSON_H
#define API_HANDLERS_MATRIX_JSON_H

#include <contact/arena.h>

#include "json/fields.h"

/* Of the reader's arena. Faults: WRONG_TYPE (rows of another length too), OUT_OF_RANGE (a place outside), BAD_VALUE (a place that
 * is given twice), LIMIT_EXCEEDED (more than CT_LCP_ITERATIVE_MAX rows). */
bool api_read_matrix(api_reader *reader, const api_field *field, ct_matrix *out);

/* An array of exactly count numbers in a range, in the reader's arena. Absent: *out stays. */
bool api_read_vector(api_reader *reader, const api_field *field, size_t count, const double range[2], const double **out);

/* "name":[...] */
void api_put_member_vector(api_buffer *out, const char *name, const double *values, size_t count);

#endif
