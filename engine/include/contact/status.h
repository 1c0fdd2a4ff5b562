/* Statuses of engine functions: faults of the caller's data, exceeded limits, lack of memory,
 * cancellation. Numerical trouble is never a status: the result reports it (see pair.h). On any
 * status but CT_OK, outputs and state are unchanged, unless the function's comment says otherwise.
 */
#ifndef CONTACT_STATUS_H
#define CONTACT_STATUS_H

#include <contact/linkage.h>

CT_DECLARATIONS_BEGIN

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

/* One sentence that describes the status; static storage. */
const char *ct_status_text(ct_status status);

CT_DECLARATIONS_END

#endif
