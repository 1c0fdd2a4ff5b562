/* Scratch memory that is taken and given back as a stack. Whoever takes enters first and leaves when done, so a solve may ask
 * another solve in between. Once the blocks have grown to what a problem needs there is one block and no allocation. */
#ifndef LINEAR_ARENA_H
#define LINEAR_ARENA_H

#include <contact/arena.h>

typedef struct ct_solver_block ct_solver_block;

struct ct_solver {
  ct_solver_block *last; /* the block that is taken from; older ones are behind it */
  unsigned depth;        /* entered and not left */
  size_t taken, most;    /* bytes: now, and ever at once */
};

/* What was taken when it was set. */
typedef struct ct_solver_mark {
  ct_solver_block *block;
  size_t used, taken;
} ct_solver_mark;

ct_solver_mark ct_solver_enter(ct_solver *solver);
/* Everything taken since is gone. The last to be entered is the first to be left. */
void ct_solver_leave(ct_solver *solver, ct_solver_mark mark);

/* count items of so many bytes, not set to anything, at a multiple of 64 bytes. NULL: out of memory. */
void *ct_solver_take(ct_solver *solver, size_t count, size_t bytes);
static inline double *ct_solver_doubles(ct_solver *solver, size_t count) { return ct_solver_take(solver, count, sizeof(double)); }

#endif
