/* Typed readers over jansson's tree that know where they are: each error gets its JSON pointer.
 *
 * Every reader returns true when its value is good or absent, and leaves *out alone when absent (set the default first; use
 * `required` for members that must be there). It returns false after adding a fault. Reading goes on after a fault, so that several
 * are told at once; stop when api_faults_full.
 */
#ifndef API_JSON_FIELDS_H
#define API_JSON_FIELDS_H

#include "common/arena.h"
#include "common/id_text.h"
#include "common/problem.h"

/* What a reader needs besides its value. */
typedef struct api_reader {
  api_faults *faults;
  const api_limits *limits;
  api_arena *arena;                    /* memory that lives as long as what is read */
  const ct_cancel *cancel;             /* may be NULL */
  struct api_shape_scope *shapes;      /* posted shapes that may be named; NULL: none */
  struct api_warnings *warnings;       /* takes warnings; NULL: nobody wants them */
  ct_mesh_report *mesh_report;         /* takes what building a mesh found; NULL: likewise */
  struct api_mesh_findings *findings;  /* takes what was repaired and what is left; NULL: likewise */
  ct_elements_report *elements_report; /* takes what building elements found; NULL: likewise */
} api_reader;

/* A value and its place. The parent's field must outlive this one; do not move it while its children are read. */
typedef struct api_field {
  const char *name; /* of a member: set by the caller before api_read_object */
  bool required;    /* likewise */
  json_t *value;    /* borrowed; NULL: absent */
  api_pointer path;
} api_field;

/* A document's root. */
api_field api_field_root(json_t *value);
/* A value at a given place. */
api_field api_field_at(json_t *value, api_pointer path);
/* Element of an array field; i below its length. */
api_field api_field_element(const api_field *array, size_t i);
static inline bool api_field_present(const api_field *field) { return field->value != NULL; }

/* An object with exactly these members: sets value and path of each of members[0..count). Faults: WRONG_TYPE, UNKNOWN_MEMBER (each
 * unknown name, with the nearest of the absent known ones), MISSING_MEMBER. True: none of these. The members are set in any case.
 */
bool api_read_object(api_reader *reader, const api_field *field, api_field *members, size_t count);
/* A fault for a required member that the object lacks: MISSING_MEMBER; or UNKNOWN_MEMBER at a member
 * whose name resembles it. */
void api_fault_missing(api_reader *reader, const api_field *object, const char *name);
/* Index of the one present member of members[0..count); `count` when there is none and it may be so, or after a fault at the
 * object: `problem` (none though required), or CONFLICTING_MEMBERS (several). */
size_t api_read_one_of(api_reader *reader, const api_field *object, const api_field *members, size_t count, bool required,
                       api_problem_id problem);

/* An array of least..greatest elements; *count is its length. Too many: LIMIT_EXCEEDED. Too few: MISSING_MEMBER. Where
 * only one length will do: WRONG_TYPE. Also false where the faults are full: its elements would be left unread. */
bool api_read_array(api_reader *reader, const api_field *field, size_t least, size_t greatest, size_t *count);

/* Numbers: integers are accepted as reals; -0 is read as 0. OUT_OF_RANGE names the limit. */
bool api_read_number(api_reader *reader, const api_field *field, double least, double greatest, double *out);
bool api_read_size(api_reader *reader, const api_field *field, double *out); /* CT_SIZE_MIN..CT_SIZE_MAX */
/* A whole number, written 3 or 3.0; at most 2^53. */
bool api_read_unsigned(api_reader *reader, const api_field *field, uint64_t least, uint64_t greatest, uint64_t *out);
/* An array of exactly count (at most 16) numbers, each of absolute value at most greatest. */
bool api_read_numbers(api_reader *reader, const api_field *field, double greatest, size_t count, double *out);
bool api_read_vec3(api_reader *reader, const api_field *field, double greatest, ct_vec3 *out);
bool api_read_position(api_reader *reader, const api_field *field, ct_vec3 *out); /* to CT_COORDINATE_MAX */
bool api_read_bool(api_reader *reader, const api_field *field, bool *out);

/* Texts are borrowed from the tree. */
bool api_read_text(api_reader *reader, const api_field *field, size_t bytes_max, ct_text *out); /* longer: LIMIT_EXCEEDED */
bool api_read_id(api_reader *reader, const api_field *field, ct_text *out);                     /* BAD_VALUE */
/* One of words[0..count); *out is its index. BAD_VALUE with the nearest word. */
bool api_read_word(api_reader *reader, const api_field *field, const char *const *words, size_t count, size_t *out);

/* Least index of a text that equals an earlier one, or count. Empty texts are passed over. SIZE_MAX: out of memory, with a fault.
 * O(n log n). */
size_t api_first_duplicate(api_reader *reader, const ct_text *texts, size_t count);
/* Copy of a text in the reader's arena; empty on failure, with a fault (bytes NULL). */
ct_text api_reader_copy(api_reader *reader, ct_text text);
/* False, with the fault CONFLICTING_MEMBERS, where the member is present although it is `idle`: it requires `needed`
 * ("method pgs"), which the request lacks. */
bool api_reject_unused(api_reader *reader, const api_field *field, bool idle, const char *needed);
/* The same where the member is present `beside` another one or a value, `other` ("pairs"), with which it cannot be combined. */
bool api_reject_combination(api_reader *reader, const api_field *field, bool beside, const char *other);
/* True when the request is cancelled; adds the fault. */
bool api_reader_cancelled(api_reader *reader);
/* "an object", "a number" ... */
const char *api_type_words(const json_t *value);

#endif
