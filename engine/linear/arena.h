/* Scratch memory that is taken and given back as a stack. Whoever takes enters first and leaves
 * when done, so a solve may ask another solve in between. Once the blocks have grown to what a
 * problem needs there is one block and no allocation. */
#ifndef LINEAR_ARENA_H
#define LINEAR_ARENA_H

#include <contact/arena.h>

typedef struct ct_arena_block ct_arena_block;

struct ct_arena {
  ct_arena_block *last; /* the block that is taken from; older ones are behind it */
  unsigned depth;       /* entered and not left */
  size_t taken, most;   /* bytes: now, and ever at once */
};

/* What was taken when it was set. */
typedef struct ct_arena_mark {
  ct_arena_block *block;
  size_t used, taken;
} ct_arena_mark;

ct_arena_mark ct_arena_enter(ct_arena *arena);
/* Everything taken since is gone. The last to be entered is the first to be left. */
void ct_arena_leave(ct_arena *arena, ct_arena_mark mark);

/* count items of so many bytes, not set to anything, at a multiple of 64 bytes. NULL: out of
 * memory. */
void *ct_arena_alloc(ct_arena *arena, size_t count, size_t bytes);
static inline double *ct_arena_alloc_doubles(ct_arena *arena, size_t count) {
  return ct_arena_alloc(arena, count, sizeof(double));
}

#endif
