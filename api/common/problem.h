/* Errors of requests: the table of problem types, the collector of errors, the problem document
 * (RFC 9457). Defines api_refuse of api/api.h. */
#ifndef API_COMMON_PROBLEM_H
#define API_COMMON_PROBLEM_H

#include <api/api.h>

#include "common/buffer.h"

typedef struct api_problem {
  const char *name; /* "unknown-member" */
  int status;
  const char *title;
  const char *text; /* meaning and remedy */
} api_problem;

/* Static storage. */
const api_problem *api_problem_get(api_problem_id id);
/* False: unknown name. */
bool api_problem_find(const char *name, api_problem_id *id);

/* ---- JSON pointers -------------------------------------------------------------------------- */

/* A location in a document as a list of tokens towards the root, usually on the stack. The text, a
 * JSON pointer (RFC 6901), is written only when an error needs it. */
typedef enum api_pointer_kind {
  API_POINTER_ROOT,
  API_POINTER_MEMBER,
  API_POINTER_INDEX
} api_pointer_kind;
typedef struct api_pointer {
  const struct api_pointer *parent; /* NULL: the document's root */
  api_pointer_kind kind;            /* ROOT has no token */
  const char *name;                 /* MEMBER */
  size_t length;                    /* of name */
  size_t index;                     /* INDEX */
} api_pointer;

api_pointer api_pointer_member(const api_pointer *parent,
                               const char *name); /* name: terminated, outlives the path */
api_pointer api_pointer_member_text(const api_pointer *parent, ct_text name);
api_pointer api_pointer_index(const api_pointer *parent, size_t index);
/* Writes the escaped pointer, NUL-terminated, cut at the end of a token to fit `size` bytes. Tokens
 * from the input are cut at 64 bytes. at NULL: "". */
void api_pointer_write(const api_pointer *at, char *out, size_t size);

/* ---- faults --------------------------------------------------------------------------------- */

#define API_FAULTS_MAX 20
/* Maximal number of input bytes that an error repeats. */
#define API_ECHO_MAX 64
/* Buffer of a list of names in a detail, NUL included: every list fits. */
#define API_NAMES_MAX 768
/* Buffer of a detail: a list of names, an echo, and the text around them. */
#define API_DETAIL_MAX (API_NAMES_MAX + 128)

typedef struct api_fault {
  char pointer[256];
  char detail[API_DETAIL_MAX];
  char suggestion[72];
  bool has_pointer, has_limit, has_actual;
  double limit, actual;
} api_fault;

/* The errors of a request, about 26 KiB, part of the call; allocates nothing. Zeroed is empty. The
 * problem type is the first error's, unless OUT_OF_MEMORY or DEADLINE_EXCEEDED overrides it. */
typedef struct api_faults {
  api_problem_id id; /* valid if count > 0 */
  size_t count;      /* errors added; the first API_FAULTS_MAX are stored */
  bool alone;        /* items[0] is one of the two overriding errors, and the only one reported */
  api_fault items[API_FAULTS_MAX];
  api_fault spare; /* overwritten by each error beyond the stored ones */
} api_faults;

static inline bool api_faults_any(const api_faults *faults) { return faults->count > 0; }
/* True if further errors would not be stored: validation may stop. */
static inline bool api_faults_full(const api_faults *faults) {
  return faults->count >= API_FAULTS_MAX;
}

/* api_refuse with a suggestion, also appended to the detail. Empty: none. */
__attribute__((format(printf, 4, 5))) void api_refuse_suggesting(api_reply *reply,
                                                                 api_problem_id id,
                                                                 const char *suggestion,
                                                                 const char *detail, ...);

/* Adds an error at a location; `at` NULL: the document. Never returns NULL. Set limit and actual
 * with the functions below. */
__attribute__((format(printf, 4, 5))) api_fault *
api_fault_at(api_faults *faults, api_problem_id id, const api_pointer *at, const char *detail, ...);
/* Adds an error without a location in the body (path, header, revision, memory). */
__attribute__((format(printf, 3, 4))) api_fault *
api_fault_plain(api_faults *faults, api_problem_id id, const char *detail, ...);
void api_fault_limit(api_fault *fault, double limit, double actual);
void api_fault_suggest(api_fault *fault, ct_text word); /* cut at 64 bytes */
/* Appends "; did you mean ...?" to the detail and sets the suggestion. No effect if no candidate is
 * near. */
void api_fault_did_you_mean(api_fault *fault, api_spelling likeness);
/* The two overriding errors, possible in every step. */
void api_fault_memory(api_faults *faults);    /* OUT_OF_MEMORY */
void api_fault_cancelled(api_faults *faults); /* DEADLINE_EXCEEDED */

/* Copies at most API_ECHO_MAX bytes of input for a detail ("%s"): cut after a whole character with
 * "...", control characters as '?'. out has API_ECHO_MAX + 4 bytes. Returns out. */
const char *api_echo(ct_text text, char *out);

/* Puts {type, title, status, detail, errors}. detail is the first error's; errors lists those with
 * a location, absent if none. */
void api_put_problem(api_buffer *buffer, const api_faults *faults);
#define API_PROBLEM_TYPE "application/problem+json"
/* Sets Retry-After: 1, the only header of an OUT_OF_MEMORY reply: memory may be free a second
 * later. */
void api_reply_retry(api_reply *reply);

#endif
