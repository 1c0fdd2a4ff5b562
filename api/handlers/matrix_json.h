/* Square matrices and vectors of raw problems in JSON. A matrix is an array of rows, or a list of
 * entries {"n", "rows", "cols", "values"} (coordinate format) in any order without duplicates;
 * other entries are 0. Any finite double is accepted. */
#ifndef API_HANDLERS_MATRIX_JSON_H
#define API_HANDLERS_MATRIX_JSON_H

#include <contact/arena.h>

#include "json/fields.h"

/* Reads a matrix into the reader's arena. Faults: WRONG_TYPE (also a row of wrong length),
 * OUT_OF_RANGE (an index), BAD_VALUE (a duplicate entry), LIMIT_EXCEEDED (more than
 * CT_LCP_ITERATIVE_MAX rows). */
bool api_read_matrix(api_reader *reader, const api_field *field, ct_matrix *out);

/* Reads an array of exactly `count` numbers in a range, into the reader's arena. Absent: *out is
 * unchanged. */
bool api_read_vector(api_reader *reader, const api_field *field, size_t count,
                     const double range[2], const double **out);

/* Writes "name":[...]. */
void api_put_member_vector(api_buffer *out, const char *name, const double *values, size_t count);

#endif
