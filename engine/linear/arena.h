/* Scratch memory that is allocated and released like a stack. A function enters the arena before it
 * allocates and leaves it when done, so solvers can call each other. Once the arena has grown to
 * the greatest amount that a problem needs, it consists of one block, and no further heap
 * allocation is made. */
#ifndef LINEAR_ARENA_H
#define LINEAR_ARENA_H

#include <contact/arena.h>

typedef struct ct_arena_block ct_arena_block;

struct ct_arena {
  ct_arena_block *last; /* the block that memory is allocated from; older blocks are linked behind
                           it */
  unsigned depth;       /* number of calls of ct_arena_enter without a matching ct_arena_leave */
  size_t taken, most;   /* bytes allocated at present, and greatest value so far */
};

/* State of the arena when it was entered, to which ct_arena_leave returns. */
typedef struct ct_arena_mark {
  ct_arena_block *block;
  size_t used, taken;
} ct_arena_mark;

ct_arena_mark ct_arena_enter(ct_arena *arena);
/* Releases all memory allocated since the mark. Marks must be left in the reverse order of
 * entering. */
void ct_arena_leave(ct_arena *arena, ct_arena_mark mark);

/* Allocates count items of `bytes` bytes each, uninitialised, aligned to 64 bytes. NULL: out of
 * memory. */
void *ct_arena_alloc(ct_arena *arena, size_t count, size_t bytes);
static inline double *ct_arena_alloc_doubles(ct_arena *arena, size_t count) {
  return ct_arena_alloc(arena, count, sizeof(double));
}

#endif
