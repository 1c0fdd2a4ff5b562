/* Square matrices and vectors of problems posted to /v1/solve, in JSON. A dense matrix is an array
 * of rows. A sparse matrix is {"n", "rows", "cols", "values"}: entry k is values[k] in row rows[k]
 * and column cols[k], in any order without duplicates, and all other entries are 0. Any finite
 * double is accepted. */
#ifndef API_HANDLERS_MATRIX_JSON_H
#define API_HANDLERS_MATRIX_JSON_H

#include <contact/arena.h>

#include "json/fields.h"

/* Reads a matrix into the reader's arena. Faults: WRONG_TYPE (also for a row of wrong length),
 * OUT_OF_RANGE (an index), BAD_VALUE (a duplicate entry), LIMIT_EXCEEDED (more than
 * CT_LCP_ITERATIVE_MAX rows). */
bool api_read_matrix(api_reader *reader, const api_field *field, ct_matrix *out);

/* Reads an array of exactly `count` numbers, each from range[0] to range[1], into the reader's
 * arena. If the field is absent, *out is unchanged. */
bool api_read_vector(api_reader *reader, const api_field *field, size_t count,
                     const double range[2], const double **out);

/* Puts the member "name":[...]. */
void api_put_member_vector(api_buffer *out, const char *name, const double *values, size_t count);

#endif
