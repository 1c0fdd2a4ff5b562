/* Typed readers of JSON values (jansson) that report faults with JSON pointers (RFC 6901). A reader
 * returns true if the value is valid or absent. An absent value leaves *out unchanged: the caller
 * sets the default before, and `required` for required members. A reader returns false after adding
 * a fault. Callers continue after a fault, so that one reply reports several, until
 * api_faults_full. */
#ifndef API_JSON_FIELDS_H
#define API_JSON_FIELDS_H

#include "common/arena.h"
#include "common/id_text.h"
#include "common/problem.h"

/* Context of the readers of one request. */
typedef struct api_reader {
  api_faults *faults;
  const api_limits *limits;
  api_arena *arena;               /* memory with the lifetime of the results */
  const ct_cancel *cancel;        /* may be NULL */
  struct api_shape_scope *shapes; /* posted shapes to which colliders may refer; NULL: none */
  struct api_warnings *warnings;  /* receives warnings; NULL: warnings are discarded */
  ct_mesh_report *mesh_report;    /* receives the report of mesh construction; NULL: discarded */
  struct api_mesh_findings
      *findings; /* receives repairs of a mesh and its remaining defects; NULL: discarded */
  ct_elements_report
      *elements_report; /* receives the report of element construction; NULL: discarded */
} api_reader;

/* A JSON value and its location. A field must outlive the fields of its children, which point to
 * it, and must not be moved while they are read. */
typedef struct api_field {
  const char *name; /* name of a member, set by the caller before api_read_object */
  bool required;    /* set by the caller before api_read_object */
  json_t *value;    /* borrowed; NULL: absent */
  api_pointer path;
} api_field;

/* Returns the field of the root of a document. */
api_field api_field_root(json_t *value);
/* Returns the field of a value at a given location. */
api_field api_field_at(json_t *value, api_pointer path);
/* Returns the field of element i of an array; i must be below the array's length. */
api_field api_field_element(const api_field *array, size_t i);
static inline bool api_field_present(const api_field *field) { return field->value != NULL; }

/* Reads an object that may have only the given members: sets value and path of members[0..count),
 * even after a fault. Faults: WRONG_TYPE, UNKNOWN_MEMBER (for each unknown name, with the nearest
 * name of an absent member), MISSING_MEMBER. True: no fault was added. */
bool api_read_object(api_reader *reader, const api_field *field, api_field *members, size_t count);
/* Adds the fault for a missing required member: UNKNOWN_MEMBER at a member of the object that has a
 * similar name, else MISSING_MEMBER. */
void api_fault_missing(api_reader *reader, const api_field *object, const char *name);
/* Returns the index of the only present member of members[0..count). Returns `count` if none is
 * present and none is required, or after adding a fault at the object: `problem` if none is present
 * though required, CONFLICTING_MEMBERS if several are. */
size_t api_read_one_of(api_reader *reader, const api_field *object, const api_field *members,
                       size_t count, bool required, api_problem_id problem);

/* Checks that a value is an array of least..greatest elements and sets *count to their number.
 * Faults: WRONG_TYPE (not an array, or another length if least equals greatest), LIMIT_EXCEEDED
 * (too many), MISSING_MEMBER (too few). Also returns false if the faults are full, so that the
 * caller does not read the elements. */
bool api_read_array(api_reader *reader, const api_field *field, size_t least, size_t greatest,
                    size_t *count);

/* Returns whether least <= value <= greatest; if not, reports `problem` at `path` with the limit.
 */
bool api_check_range(api_reader *reader, api_problem_id problem, const api_pointer *path,
                     double value, double least, double greatest);
/* Reads a number from least to greatest, both included; -0 is read as 0. OUT_OF_RANGE reports the
 * limit. */
bool api_read_number(api_reader *reader, const api_field *field, double least, double greatest,
                     double *out);
bool api_read_size(api_reader *reader, const api_field *field,
                   double *out); /* CT_SIZE_MIN..CT_SIZE_MAX */
/* Reads a whole number from least to greatest, written 3 or 3.0; greatest is at most 2^53. */
bool api_read_unsigned(api_reader *reader, const api_field *field, uint64_t least,
                       uint64_t greatest, uint64_t *out);
/* Reads an array of exactly `count` numbers (at most 16), each with an absolute value of at most
 * `greatest`. */
bool api_read_numbers(api_reader *reader, const api_field *field, double greatest, size_t count,
                      double *out);
bool api_read_vec3(api_reader *reader, const api_field *field, double greatest, ct_vec3 *out);
/* Reads a vector with components of at most CT_COORDINATE_MAX. */
bool api_read_position(api_reader *reader, const api_field *field, ct_vec3 *out);
bool api_read_bool(api_reader *reader, const api_field *field, bool *out);

/* Read a text, which is borrowed from the JSON value. */
bool api_read_text(api_reader *reader, const api_field *field, size_t bytes_max,
                   ct_text *out); /* LIMIT_EXCEEDED: more than bytes_max bytes */
bool api_read_id(api_reader *reader, const api_field *field,
                 ct_text *out); /* BAD_VALUE: not a valid id */
/* Reads one of words[0..count) and sets *out to its index. BAD_VALUE with the nearest word as
 * suggestion. */
bool api_read_word(api_reader *reader, const api_field *field, const char *const *words,
                   size_t count, size_t *out);

/* Returns the least index of a text that equals an earlier one; `count` if all are distinct. Empty
 * texts are ignored. SIZE_MAX: out of memory, with a fault. O(n log n). */
size_t api_first_duplicate(api_reader *reader, const ct_text *texts, size_t count);
/* Copies a text into the reader's arena. The result's bytes are NULL after a fault. */
ct_text api_reader_copy(api_reader *reader, ct_text text);
/* Refuses a member that has no effect: if it is present and `idle`, adds CONFLICTING_MEMBERS and
 * returns false. needed: what the member requires and the request lacks, for example "method
 * pgs". */
bool api_reject_unused(api_reader *reader, const api_field *field, bool idle, const char *needed);
/* Refuses a member beside another: if it is present and `beside`, adds CONFLICTING_MEMBERS and
 * returns false. other: what it cannot be combined with, for example "pairs". */
bool api_reject_combination(api_reader *reader, const api_field *field, bool beside,
                            const char *other);
/* True if the request is cancelled; a fault is then added. */
bool api_reader_cancelled(api_reader *reader);
/* Returns the value's type with an article for use in a message: "an object", "a number". */
const char *api_type_words(const json_t *value);

#endif
