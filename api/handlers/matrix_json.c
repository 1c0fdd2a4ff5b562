/* Reads dense and sparse matrices and vectors. Sparse matrices are converted from coordinate to
 * row-compressed format by two stable counting sorts, by column and then by row. */
#include "handlers/matrix_json.h"

#include <assert.h>
#include <float.h>
#include <string.h>

static const double finite_range[2] = {-DBL_MAX, DBL_MAX};

/* Reads the numbers of an array that is known to have `count` elements. */
static bool read_array_numbers(api_reader *reader, const api_field *field, size_t count,
                               const double range[2], double *out) {
  bool good = true;
  for (size_t i = 0; i < count; i++) {
    json_t *value = json_array_get(field->value, i);
    out[i] = json_number_value(value) + 0.0;
    if (json_is_number(value) && out[i] >= range[0] && out[i] <= range[1]) continue;
    api_field element = api_field_element(field, i);
    good = api_read_number(reader, &element, range[0], range[1], &out[i]) && good;
    if (api_faults_full(reader->faults)) return false;
  }
  return good;
}

bool api_read_vector(api_reader *reader, const api_field *field, size_t count,
                     const double range[2], const double **out) {
  size_t length = 0;
  if (!api_field_present(field)) return true;
  if (!api_read_array(reader, field, count, count, &length)) return false;
  double *values = api_arena_array(reader->arena, count ? count : 1, sizeof *values);
  if (!values) {
    api_fault_memory(reader->faults);
    return false;
  }
  *out = values;
  return read_array_numbers(reader, field, count, range, values);
}

static bool read_dense_matrix(api_reader *reader, const api_field *field, ct_matrix *out) {
  size_t n = 0;
  if (!api_read_array(reader, field, 0, CT_LCP_ITERATIVE_MAX, &n)) return false;
  double *entries = api_arena_array(reader->arena, n ? n * n : 1, sizeof *entries);
  if (!entries) {
    api_fault_memory(reader->faults);
    return false;
  }
  bool good = true;
  for (size_t i = 0; i < n && !api_faults_full(reader->faults); i++) {
    api_field row = api_field_element(field, i);
    size_t length = 0;
    if (api_reader_cancelled(reader)) return false;
    good = api_read_array(reader, &row, n, n, &length) &&
           read_array_numbers(reader, &row, n, finite_range, entries + i * n) && good;
  }
  *out = (ct_matrix){.size = n, .dense = entries};
  return good;
}

/* ---- coordinate format ---------------------------------------------------------------------- */

enum { N, ROWS, COLUMNS, VALUES, MEMBERS };

typedef struct coordinates {
  size_t count;
  uint32_t *rows, *columns;
  double *values;
} coordinates;

static bool read_matrix_indices(api_reader *reader, const api_field *field, size_t count, size_t n,
                                uint32_t *out) {
  bool good = true;
  for (size_t i = 0; i < count && !api_faults_full(reader->faults); i++) {
    json_t *value = json_array_get(field->value, i);
    if (json_is_integer(value) && json_integer_value(value) >= 0 &&
        (uint64_t)json_integer_value(value) < n) {
      out[i] = (uint32_t)json_integer_value(value);
      continue;
    }
    api_field element = api_field_element(field, i);
    uint64_t index = 0;
    bool fits = api_read_unsigned(reader, &element, 0, n > 0 ? n - 1 : 0, &index);
    if (fits && n == 0)
      api_fault_at(reader->faults, API_PROBLEM_OUT_OF_RANGE, &element.path,
                   "n is 0, so rows, cols and values must be empty: set n to the number of rows of "
                   "the matrix.");
    out[i] = (uint32_t)index;
    good = fits && n > 0 && good;
  }
  return good;
}

static bool read_coordinates(api_reader *reader, const api_field *m, size_t n, coordinates *p) {
  size_t lengths[MEMBERS] = {0};
  for (int k = ROWS; k <= VALUES; k++)
    if (!api_read_array(reader, &m[k], k == ROWS ? 0 : lengths[ROWS],
                        k == ROWS ? SIZE_MAX : lengths[ROWS], &lengths[k]))
      return false;
  p->count = lengths[ROWS];
  p->rows = api_arena_array(reader->arena, p->count + 1, sizeof *p->rows);
  p->columns = api_arena_array(reader->arena, p->count + 1, sizeof *p->columns);
  p->values = api_arena_array(reader->arena, p->count + 1, sizeof *p->values);
  if (!p->rows || !p->columns || !p->values) {
    api_fault_memory(reader->faults);
    return false;
  }
  bool good = read_matrix_indices(reader, &m[ROWS], p->count, n, p->rows);
  good = read_matrix_indices(reader, &m[COLUMNS], p->count, n, p->columns) && good;
  return read_array_numbers(reader, &m[VALUES], p->count, finite_range, p->values) && good &&
         !api_reader_cancelled(reader);
}

/* Sorts the `count` indices of `from` stably by keys[index], which are below n, into `to`.
 * starts[k] is set to the offset of the first index with key k, starts[n] to count. */
static void sort_by_key(const uint32_t *keys, size_t n, const uint32_t *from, uint32_t *to,
                        size_t *starts, size_t count) {
  memset(starts, 0, (n + 1) * sizeof *starts);
  for (size_t k = 0; k < count; k++) starts[keys[from[k]] + 1]++;
  for (size_t i = 0; i < n; i++) starts[i + 1] += starts[i];
  for (size_t k = 0; k < count; k++) to[starts[keys[from[k]]]++] = from[k];
  for (size_t i = n; i > 0; i--) starts[i] = starts[i - 1];
  starts[0] = 0;
  assert(starts[n] == count);
}

/* Returns the least index of an entry that equals an earlier one in row and column; `count`: none.
 * `order` sorts the entries by row and column, so that duplicates are adjacent. */
static size_t find_duplicate_entry(const coordinates *p, const uint32_t *order) {
  size_t first = p->count;
  for (size_t k = 1; k < p->count; k++) {
    uint32_t a = order[k - 1], b = order[k];
    if (p->rows[a] == p->rows[b] && p->columns[a] == p->columns[b] && b < first) first = b;
  }
  return first;
}

static bool compress_rows(api_reader *reader, const api_field *columns, const coordinates *p,
                          ct_matrix *out) {
  size_t n = out->size, count = p->count,
         *starts = api_arena_array(reader->arena, n + 1, sizeof *starts);
  uint32_t *given = api_arena_array(reader->arena, count + 1, sizeof *given);
  uint32_t *order = api_arena_array(reader->arena, count + 1, sizeof *order);
  double *values = api_arena_array(reader->arena, count + 1, sizeof *values);
  if (!starts || !given || !order || !values) {
    api_fault_memory(reader->faults);
    return false;
  }
  assert(count <= UINT32_MAX);
  for (size_t k = 0; k < count; k++) given[k] = (uint32_t)k;
  sort_by_key(p->columns, n, given, order, starts, count);
  sort_by_key(p->rows, n, order, given, starts, count);
  /* The entries are sorted by row and column now: duplicates are adjacent. */
  size_t twice = find_duplicate_entry(p, given);
  if (twice < count) {
    api_field element = api_field_element(columns, twice);
    api_fault_at(
        reader->faults, API_PROBLEM_BAD_VALUE, &element.path,
        "Row %u has two entries in column %u: send only one entry for each row and column.",
        p->rows[twice], p->columns[twice]);
    return false;
  }
  for (size_t k = 0; k < count; k++) {
    values[k] = p->values[given[k]];
    order[k] = p->columns[given[k]];
  }
  out->starts = starts;
  out->columns = order;
  out->values = values;
  return true;
}

bool api_read_matrix(api_reader *reader, const api_field *field, ct_matrix *out) {
  if (!api_field_present(field)) return true;
  if (json_is_array(field->value)) return read_dense_matrix(reader, field, out);
  if (!json_is_object(field->value)) {
    api_fault_at(reader->faults, API_PROBLEM_WRONG_TYPE, &field->path,
                 "Expected an array of rows, or an object with n, rows, cols and values; got %s.",
                 api_type_words(field->value));
    return false;
  }
  api_field m[MEMBERS] = {{.name = "n", .required = true},
                          {.name = "rows", .required = true},
                          {.name = "cols", .required = true},
                          {.name = "values", .required = true}};
  uint64_t n = 0;
  coordinates p;
  if (!api_read_object(reader, field, m, MEMBERS) ||
      !api_read_unsigned(reader, &m[N], 0, CT_LCP_ITERATIVE_MAX, &n))
    return false;
  *out = (ct_matrix){.size = (size_t)n};
  return read_coordinates(reader, m, (size_t)n, &p) && compress_rows(reader, &m[COLUMNS], &p, out);
}

void api_put_member_vector(api_buffer *out, const char *name, const double *values, size_t count) {
  api_put_key(out, name);
  api_put_byte(out, '[');
  for (size_t i = 0; i < count; i++) {
    api_put_item(out);
    api_put_number(out, values[i]);
  }
  api_put_byte(out, ']');
}
