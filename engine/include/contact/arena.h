/* What the solvers share: matrices as rows, scratch memory. Numbers in, numbers out: nothing here knows of geometry.
 */
#ifndef CONTACT_ARENA_H
#define CONTACT_ARENA_H

#include <contact/cancel.h>
#include <contact/limits.h>
#include <contact/linkage.h>
#include <contact/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

CT_DECLARATIONS_BEGIN

/* A square matrix, borrowed. */
typedef struct ct_matrix {
  size_t size;             /* n */
  const double *dense;     /* [n n] row by row; NULL: the three below */
  const size_t *starts;    /* [n + 1] row i is entries starts[i] .. starts[i + 1] - 1 */
  const uint32_t *columns; /* [starts[n]] ascending in each row */
  const double *values;    /* [starts[n]] */
} ct_matrix;

/* Scratch memory of one thread: no allocation per solve once warm. Not shared between threads. */
typedef struct ct_arena ct_arena;
ct_arena *ct_arena_create(void); /* NULL: out of memory */
void ct_arena_destroy(ct_arena *arena);

/* An answer that need not be known. */
typedef enum ct_tristate { CT_UNKNOWN, CT_NO, CT_YES } ct_tristate;

CT_DECLARATIONS_END

#endif
