/* Errors of requests: the table of problem types, the collector of errors and the problem document
 * (RFC 9457). Also defines api_refuse, which api/api.h declares. */
#ifndef API_COMMON_PROBLEM_H
#define API_COMMON_PROBLEM_H

#include <api/api.h>

#include "common/buffer.h"

typedef struct api_problem {
  const char *name; /* "unknown-member" */
  int status;
  const char *title;
  const char *text; /* cause and remedy, served at /problems/{name} */
} api_problem;

/* Returns the entry of a problem type in the table, which is static. */
const api_problem *api_problem_get(api_problem_id id);
/* Finds a problem type by its kebab-case name. False: unknown name. */
bool api_problem_find(const char *name, api_problem_id *id);

/* ---- JSON pointers -------------------------------------------------------------------------- */

/* A location in a JSON document as a linked list of tokens from the value up to the root, usually
 * on the stack. Its text, a JSON pointer (RFC 6901), is written only if an error needs it. */
typedef enum api_pointer_kind {
  API_POINTER_ROOT,
  API_POINTER_MEMBER,
  API_POINTER_INDEX
} api_pointer_kind;
typedef struct api_pointer {
  const struct api_pointer *parent; /* NULL: the document's root */
  api_pointer_kind kind;            /* ROOT has no token */
  const char *name;                 /* MEMBER: the member's name */
  size_t length;                    /* MEMBER: length of name, bytes */
  size_t index;                     /* INDEX: the index in the array */
} api_pointer;

api_pointer
api_pointer_member(const api_pointer *parent,
                   const char *name); /* name: NUL-terminated; must outlive the pointer */
api_pointer api_pointer_member_text(const api_pointer *parent, ct_text name);
api_pointer api_pointer_index(const api_pointer *parent, size_t index);
/* Writes the escaped pointer, NUL-terminated. A pointer longer than `size` ends after its last
 * whole token; tokens from the input are cut at 64 bytes. at NULL: writes "". */
void api_pointer_write(const api_pointer *at, char *out, size_t size);

/* ---- faults --------------------------------------------------------------------------------- */

#define API_FAULTS_MAX 20
/* Maximal number of input bytes that a detail repeats. */
#define API_ECHO_MAX 64
/* Buffer size for a list of names in a detail, NUL included: the longest list of the API fits. */
#define API_NAMES_MAX 768
/* Buffer size for a detail: a list of names, an echo of the input and the text around them. */
#define API_DETAIL_MAX (API_NAMES_MAX + 128)

typedef struct api_fault {
  char pointer[256];
  char detail[API_DETAIL_MAX];
  char suggestion[72];
  bool has_pointer, has_limit, has_actual;
  double limit, actual;
} api_fault;

/* The errors of a request, approximately 26 KiB, part of the call; nothing is allocated. A zeroed
 * value is empty. The reply has the problem type of the first error, unless OUT_OF_MEMORY or
 * DEADLINE_EXCEEDED overrides it. */
typedef struct api_faults {
  api_problem_id id; /* valid if count > 0 */
  size_t count;      /* number of errors added, of which only the first API_FAULTS_MAX are stored in
                        `items` */
  bool alone; /* items[0] is OUT_OF_MEMORY or DEADLINE_EXCEEDED and the only error reported */
  api_fault items[API_FAULTS_MAX];
  api_fault spare; /* overwritten by each error beyond API_FAULTS_MAX, so that callers can always
                      fill one in; never reported */
} api_faults;

static inline bool api_faults_any(const api_faults *faults) { return faults->count > 0; }
/* True if further errors would not be stored: the caller may stop validation. */
static inline bool api_faults_full(const api_faults *faults) {
  return faults->count >= API_FAULTS_MAX;
}

/* Like api_refuse, with a suggested word that is also appended to the detail. suggestion "":
 * none. */
__attribute__((format(printf, 4, 5))) void api_refuse_suggesting(api_reply *reply,
                                                                 api_problem_id id,
                                                                 const char *suggestion,
                                                                 const char *detail, ...);

/* Adds an error at a location; `at` NULL: the whole document. Never returns NULL; limit and actual
 * value are added with api_fault_limit. */
__attribute__((format(printf, 4, 5))) api_fault *
api_fault_at(api_faults *faults, api_problem_id id, const api_pointer *at, const char *detail, ...);
/* Adds an error that has no location in the body (path, header, revision, memory). */
__attribute__((format(printf, 3, 4))) api_fault *
api_fault_plain(api_faults *faults, api_problem_id id, const char *detail, ...);
void api_fault_limit(api_fault *fault, double limit, double actual);
void api_fault_suggest(api_fault *fault, ct_text word); /* cut at 64 bytes */
/* Sets the suggestion and appends "; did you mean ...?" to the detail. No effect if no candidate is
 * near the word. */
void api_fault_did_you_mean(api_fault *fault, api_spelling likeness);
/* Add one of the two errors that override all others and can occur in every step. */
void api_fault_memory(api_faults *faults);    /* OUT_OF_MEMORY */
void api_fault_cancelled(api_faults *faults); /* DEADLINE_EXCEEDED */

/* Copies at most API_ECHO_MAX bytes of input for use in a detail ("%s"). Longer input is cut after
 * a whole character and "..." is appended; control characters become '?'. out has API_ECHO_MAX + 4
 * bytes. Returns out. */
const char *api_echo(ct_text text, char *out);

/* Puts the problem document {type, title, status, detail, errors}. detail is that of the first
 * error; errors lists the errors with a location and is absent if there are none. */
void api_put_problem(api_buffer *buffer, const api_faults *faults);
#define API_PROBLEM_TYPE "application/problem+json"
/* Sets the header Retry-After: 1, the only header of an OUT_OF_MEMORY reply: memory may be free
 * after a second. */
void api_reply_retry(api_reply *reply);

#endif
