/* What every header uses: linkage for C17 and C++17, byte spans, the cancel flag, statuses. */
#ifndef CONTACT_BASE_H
#define CONTACT_BASE_H

#include <stdbool.h>
#include <stddef.h>

/* ---- linkage --------------------------------------------------------------------------------- */

/* Linkage macros: make one header serve C17 and C++17 (C linkage, exported symbols, struct values).
 *
 * Every public header has its declarations between CT_DECLARATIONS_BEGIN and CT_DECLARATIONS_END.
 * The library is compiled with hidden visibility; libcontact.so exports exactly the functions
 * declared there. */

#ifdef __cplusplus
#define CT_DECLARATIONS_BEGIN _Pragma("GCC visibility push(default)") extern "C" {
#define CT_DECLARATIONS_END                                                                        \
  }                                                                                                \
  _Pragma("GCC visibility pop")
/* A struct value, written CT_VALUE(ct_vec3){x, y, z}: a compound literal in C, list initialisation
 * in C++. */
#define CT_VALUE(type) type
#else
#define CT_DECLARATIONS_BEGIN _Pragma("GCC visibility push(default)")
#define CT_DECLARATIONS_END _Pragma("GCC visibility pop")
#define CT_VALUE(type) (type)
#endif

CT_DECLARATIONS_BEGIN

/* ---- byte spans ------------------------------------------------------------------------------ */

/* Bytes of a text; borrowed, without a terminating zero. */
typedef struct ct_text {
  const char *bytes;
  size_t length;
} ct_text;

/* ---- cancellation ---------------------------------------------------------------------------- */

/* Cancel flag: any thread raises it to stop a long computation, which polls it every few
 * microseconds to milliseconds. */

/* Functions with a ct_cancel parameter borrow the flag. NULL: the call cannot be cancelled. */
typedef struct ct_cancel ct_cancel;

/* Creates a lowered flag that the caller owns; NULL: out of memory. */
ct_cancel *ct_cancel_create(void);
void ct_cancel_raise(ct_cancel *cancel);        /* any thread */
bool ct_cancel_raised(const ct_cancel *cancel); /* false for NULL; any thread */
void ct_cancel_destroy(ct_cancel *cancel);

/* ---- statuses -------------------------------------------------------------------------------- */

/* Statuses of engine functions: faults of the caller's data, exceeded limits, lack of memory,
 * cancellation. Numerical trouble is never a status: the result reports it (see pair.h). On any
 * status but CT_OK, outputs and state are unchanged, unless the function's comment says otherwise.
 */

#define CT_STATUS_MAP(X)                                                                           \
  X(OK, "ok")                                                                                      \
  X(OUT_OF_MEMORY, "out of memory")                                                                \
  X(CANCELLED, "the caller's cancel flag was raised")                                              \
  X(DEGENERATE_HULL, "the points or planes do not span a solid")                                   \
  X(UNBOUNDED, "the planes do not enclose a bounded solid")                                        \
  X(EMPTY, "the planes have no common point")                                                      \
  X(OPEN_MESH, "the mesh is not closed and consistently oriented, so it bounds no solid")          \
  X(DEGENERATE_MESH, "the mesh has no triangle with an area")                                      \
  X(BAD_ELEMENT, "an element is flat, inside out or does not fit the others")                      \
  X(EXISTS, "the id is in use")                                                                    \
  X(NOT_FOUND, "no such id")                                                                       \
  X(PAIR_LIMIT, "more candidate pairs than the limit allows")                                      \
  X(LIMIT, "a documented limit of the engine is exceeded")

typedef enum ct_status {
#define CT_STATUS_ENUM(name, text) CT_##name,
  CT_STATUS_MAP(CT_STATUS_ENUM)
#undef CT_STATUS_ENUM
} ct_status;

/* Returns one sentence that describes the status, in static storage. */
const char *ct_status_text(ct_status status);

CT_DECLARATIONS_END

#endif
