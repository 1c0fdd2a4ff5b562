/* Problems: the table of kinds, the collector of errors, the problem document (RFC 9457). api_refuse of api/api.h is here too. */
#ifndef API_COMMON_PROBLEM_H
#define API_COMMON_PROBLEM_H

#include <api/api.h>

#include "common/buffer.h"

typedef struct api_problem {
  const char *name; /* "unknown-member" */
  int status;
  const char *title;
  const char *text; /* what it means and what to do */
} api_problem;

/* Static storage. */
const api_problem *api_problem_get(api_problem_id id);
/* False: no problem has this name. */
bool api_problem_find(const char *name, api_problem_id *id);

/* ---- places ---------------------------------------------------------------------------------------------------------- */

/* A place in a document: nodes linked towards the root, usually on the stack, written as a JSON pointer (RFC 6901) only when an
 * error needs it. */
typedef enum api_pointer_kind { API_POINTER_ROOT, API_POINTER_MEMBER, API_POINTER_INDEX } api_pointer_kind;
typedef struct api_pointer {
  const struct api_pointer *parent; /* NULL: the document */
  api_pointer_kind kind;            /* ROOT adds nothing to the pointer */
  const char *name;              /* MEMBER */
  size_t length;                 /* of name */
  size_t index;                  /* INDEX */
} api_pointer;

api_pointer api_pointer_member(const api_pointer *parent, const char *name); /* name: terminated, outlives the path */
api_pointer api_pointer_member_text(const api_pointer *parent, ct_text name);
api_pointer api_pointer_index(const api_pointer *parent, size_t index);
/* Escaped pointer, terminated, cut at a token's end to fit `size` bytes; tokens of the input are cut at 64 bytes. at NULL: "". */
void api_pointer_write(const api_pointer *at, char *out, size_t size);

/* ---- faults ---------------------------------------------------------------------------------------------------------- */

#define API_FAULTS_MAX 20
/* Bytes of the caller's input that an error repeats at most. */
#define API_ECHO_MAX 64
/* Bytes of a list of names in a detail, terminator and all: room for every list there is. */
#define API_NAMES_MAX 768
/* Bytes of a detail: such a list, what is echoed, and the words around them. */
#define API_DETAIL_MAX (API_NAMES_MAX + 128)

typedef struct api_fault {
  char pointer[256];
  char detail[API_DETAIL_MAX];
  char suggestion[72];
  bool has_pointer, has_limit, has_actual;
  double limit, actual;
} api_fault;

/* What is wrong with a request. No memory of its own: about 26 KiB, kept in the call. Zeroed is empty. The problem's kind is the
 * first fault's; OUT_OF_MEMORY and DEADLINE_EXCEEDED override it. */
typedef struct api_faults {
  api_problem_id id; /* valid if count > 0 */
  size_t count;      /* raised, never falls; the first API_FAULTS_MAX are kept */
  bool alone;        /* items[0] is one of the two that override, and the only one told */
  api_fault items[API_FAULTS_MAX];
  api_fault spare; /* takes those beyond */
} api_faults;

static inline bool api_faults_any(const api_faults *faults) { return faults->count > 0; }
/* No use to look for more. */
static inline bool api_faults_full(const api_faults *faults) { return faults->count >= API_FAULTS_MAX; }

/* api_refuse with a suggestion, which the detail names too; empty: none. */
__attribute__((format(printf, 4, 5))) void api_refuse_suggesting(api_reply *reply, api_problem_id id, const char *suggestion,
                                                                 const char *detail, ...);

/* Adds an error at a place. Never NULL; fill limit and actual through the functions below. `at` NULL: the document itself. */
__attribute__((format(printf, 4, 5))) api_fault *api_fault_at(api_faults *faults, api_problem_id id, const api_pointer *at,
                                                              const char *detail, ...);
/* Adds an error that has no place in the body (path, header, revision, memory). */
__attribute__((format(printf, 3, 4))) api_fault *api_fault_plain(api_faults *faults, api_problem_id id, const char *detail, ...);
void api_fault_limit(api_fault *fault, double limit, double actual);
void api_fault_suggest(api_fault *fault, ct_text word); /* cut at 64 bytes */
/* "; did you mean ...?" at the detail's end, and the suggestion; nothing where nothing is near. */
void api_fault_did_you_mean(api_fault *fault, api_spelling likeness);
/* The two that any step may meet. */
void api_fault_memory(api_faults *faults);    /* OUT_OF_MEMORY */
void api_fault_cancelled(api_faults *faults); /* DEADLINE_EXCEEDED */

/* At most API_ECHO_MAX bytes of the caller's text for a detail ("%s"): cut at a character's end with "...", control characters as
 * '?'. out has API_ECHO_MAX + 4 bytes. Returns out. */
const char *api_echo(ct_text text, char *out);

/* Puts {type, title, status, detail, errors}. detail is the first error's; errors are those with a place, absent if none. */
void api_put_problem(api_buffer *buffer, const api_faults *faults);
#define API_PROBLEM_TYPE "application/problem+json"
/* The only header of a reply that tells of OUT_OF_MEMORY: there may be some in a second. */
void api_reply_retry(api_reply *reply);

#endif
