/* Typed readers of JSON values (jansson) that report faults with JSON pointers (RFC 6901). A
 * reader returns true if the value is valid or absent; an absent value leaves *out unchanged, so
 * set the default before and `required` for required members. It returns false after adding a
 * fault. Callers continue after a fault, so that one reply reports several; they stop at
 * api_faults_full. */
#ifndef API_JSON_FIELDS_H
#define API_JSON_FIELDS_H

#include "common/arena.h"
#include "common/id_text.h"
#include "common/problem.h"

/* Context of a reader. */
typedef struct api_reader {
  api_faults *faults;
  const api_limits *limits;
  api_arena *arena;                    /* memory with the lifetime of the results */
  const ct_cancel *cancel;             /* may be NULL */
  struct api_shape_scope *shapes;      /* posted shapes that may be referenced; NULL: none */
  struct api_warnings *warnings;       /* collects warnings; NULL: discarded */
  ct_mesh_report *mesh_report;         /* receives the report of mesh construction; NULL:
                                        * discarded */
  struct api_mesh_findings *findings;  /* receives repairs and remaining defects; NULL: discarded */
  ct_elements_report *elements_report; /* receives the report of element construction; NULL:
                                        * discarded */
} api_reader;

/* A value and its location. A field must outlive the fields of its children and must not be moved
 * while they are read. */
typedef struct api_field {
  const char *name; /* name of a member, set by the caller before api_read_object */
  bool required;    /* set by the caller too */
  json_t *value;    /* borrowed; NULL: absent */
  api_pointer path;
} api_field;

/* The root of a document. */
api_field api_field_root(json_t *value);
/* A value at a given location. */
api_field api_field_at(json_t *value, api_pointer path);
/* Element i of an array; i is below its length. */
api_field api_field_element(const api_field *array, size_t i);
static inline bool api_field_present(const api_field *field) { return field->value != NULL; }

/* Reads an object with exactly these members: sets value and path of members[0..count). Faults:
 * WRONG_TYPE, UNKNOWN_MEMBER (each unknown name, with the nearest absent known name),
 * MISSING_MEMBER. True: no fault. The members are set in any case. */
bool api_read_object(api_reader *reader, const api_field *field, api_field *members, size_t count);
/* Adds a fault for a missing required member: MISSING_MEMBER, or UNKNOWN_MEMBER at a member with a
 * similar name. */
void api_fault_missing(api_reader *reader, const api_field *object, const char *name);
/* Index of the one present member of members[0..count). `count`: none is present though not
 * required, or after a fault at the object: `problem` (none though required), CONFLICTING_MEMBERS
 * (several). */
size_t api_read_one_of(api_reader *reader, const api_field *object, const api_field *members,
                       size_t count, bool required, api_problem_id problem);

/* Reads an array of least..greatest elements; *count is its length. Too many: LIMIT_EXCEEDED. Too
 * few: MISSING_MEMBER. If least equals greatest: WRONG_TYPE. Also false if the faults are full, so
 * that its elements are not read. */
bool api_read_array(api_reader *reader, const api_field *field, size_t least, size_t greatest,
                    size_t *count);

/* Reads a number; integers are accepted, -0 is read as 0. OUT_OF_RANGE reports the limit. */
bool api_read_number(api_reader *reader, const api_field *field, double least, double greatest,
                     double *out);
bool api_read_size(api_reader *reader, const api_field *field,
                   double *out); /* CT_SIZE_MIN..CT_SIZE_MAX */
/* Reads a whole number, written 3 or 3.0, of at most 2^53. */
bool api_read_unsigned(api_reader *reader, const api_field *field, uint64_t least,
                       uint64_t greatest, uint64_t *out);
/* Reads an array of exactly `count` numbers (at most 16), each of absolute value at most
 * `greatest`. */
bool api_read_numbers(api_reader *reader, const api_field *field, double greatest, size_t count,
                      double *out);
bool api_read_vec3(api_reader *reader, const api_field *field, double greatest, ct_vec3 *out);
/* components to CT_COORDINATE_MAX */
bool api_read_position(api_reader *reader, const api_field *field, ct_vec3 *out);
bool api_read_bool(api_reader *reader, const api_field *field, bool *out);

/* Texts are borrowed from the JSON value. */
bool api_read_text(api_reader *reader, const api_field *field, size_t bytes_max,
                   ct_text *out); /* longer: LIMIT_EXCEEDED */
bool api_read_id(api_reader *reader, const api_field *field, ct_text *out); /* BAD_VALUE */
/* Reads one of words[0..count); *out is its index. BAD_VALUE with the nearest word. */
bool api_read_word(api_reader *reader, const api_field *field, const char *const *words,
                   size_t count, size_t *out);

/* Least index of a text that equals an earlier one; `count`: none. Empty texts are ignored.
 * SIZE_MAX: out of memory, with a fault. O(n log n). */
size_t api_first_duplicate(api_reader *reader, const ct_text *texts, size_t count);
/* Copies a text to the reader's arena; bytes NULL after a fault. */
ct_text api_reader_copy(api_reader *reader, ct_text text);
/* False with fault CONFLICTING_MEMBERS if the member is present and `idle`: it requires `needed`
 * ("method pgs"), which the request lacks. */
bool api_reject_unused(api_reader *reader, const api_field *field, bool idle, const char *needed);
/* False with the same fault if the member is present and `beside`: it cannot be combined with
 * `other` ("pairs"). */
bool api_reject_combination(api_reader *reader, const api_field *field, bool beside,
                            const char *other);
/* True if the request is cancelled; adds the fault. */
bool api_reader_cancelled(api_reader *reader);
/* The value's type with an article: "an object", "a number". */
const char *api_type_words(const json_t *value);

#endif
