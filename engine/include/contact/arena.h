/* Common types of the solvers: matrices by rows, scratch memory. Nothing here depends on geometry.
 */
#ifndef CONTACT_ARENA_H
#define CONTACT_ARENA_H

#include <contact/base.h>
#include <contact/limits.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

CT_DECLARATIONS_BEGIN

/* A square matrix, dense or in compressed rows; borrowed. */
typedef struct ct_matrix {
  size_t size;             /* n */
  const double *dense;     /* [n n] row by row; NULL: compressed rows below */
  const size_t *starts;    /* [n + 1] row i is entries starts[i] .. starts[i + 1] - 1 */
  const uint32_t *columns; /* [starts[n]] column of each entry, ascending in each row */
  const double *values;    /* [starts[n]] */
} ct_matrix;

/* Scratch memory of solvers, used by one thread at a time. It grows with the largest problem; later
 * solves of at most that size allocate nothing. */
typedef struct ct_arena ct_arena;
ct_arena *ct_arena_create(void); /* NULL: out of memory */
/* NULL is allowed. */
void ct_arena_destroy(ct_arena *arena);

/* Answer to a yes-or-no question that may stay undecided. */
typedef enum ct_tristate { CT_UNKNOWN, CT_NO, CT_YES } ct_tristate;

CT_DECLARATIONS_END

#endif
