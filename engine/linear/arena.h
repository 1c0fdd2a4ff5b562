/* Scratch memory that is allocated and released as a stack. A function enters the arena before it
 * allocates and leaves it when done, so solvers can call each other. Once the arena has grown to
 * the greatest use of a problem, it is one block, and no further heap allocation is made. */
#ifndef LINEAR_ARENA_H
#define LINEAR_ARENA_H

#include <contact/arena.h>

typedef struct ct_arena_block ct_arena_block;

struct ct_arena {
  ct_arena_block *last; /* the block that is allocated from; older blocks are linked behind it */
  unsigned depth;       /* enters without leave */
  size_t taken, most;   /* bytes in use now, and at most so far */
};

/* State of the arena when it was entered. */
typedef struct ct_arena_mark {
  ct_arena_block *block;
  size_t used, taken;
} ct_arena_mark;

ct_arena_mark ct_arena_enter(ct_arena *arena);
/* Releases all memory allocated since the mark. Marks are left in the reverse order of their
 * entering. */
void ct_arena_leave(ct_arena *arena, ct_arena_mark mark);

/* Allocates count items of `bytes` bytes each, uninitialised, aligned to 64 bytes. NULL: out of
 * memory. */
void *ct_arena_alloc(ct_arena *arena, size_t count, size_t bytes);
static inline double *ct_arena_alloc_doubles(ct_arena *arena, size_t count) {
  return ct_arena_alloc(arena, count, sizeof(double));
}

#endif
