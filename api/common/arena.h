/* Arena of one request: bump allocation from a list of blocks, limited by a budget, freed as a
 * whole. */
#ifndef API_COMMON_ARENA_H
#define API_COMMON_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct api_arena_block;

/* A zeroed arena is ready for use and has no budget. One thread at a time. */
typedef struct api_arena {
  struct api_arena_block *blocks; /* newest first */
  size_t bytes;                   /* allocated from the system, block headers included */
  size_t budget;                  /* limit of `bytes`; 0: unlimited */
} api_arena;

/* A position to which the arena can be rewound. */
typedef struct api_arena_mark {
  struct api_arena_block *block;
  size_t used;
} api_arena_mark;

void api_arena_init(api_arena *arena, size_t budget);
void api_arena_free(api_arena *arena); /* frees all blocks; the arena is then empty and ready */

/* Zeroed memory of at least one byte, aligned to 16 bytes. NULL: out of memory, or over the budget.
 */
void *api_arena_alloc(api_arena *arena, size_t bytes);
/* Allocates `count` items of `size` bytes. NULL also if the product overflows. */
void *api_arena_array(api_arena *arena, size_t count, size_t size);
/* A copy with a terminating NUL; NULL as above. */
char *api_arena_copy(api_arena *arena, const char *bytes, size_t length);

api_arena_mark api_arena_position(const api_arena *arena);
/* Releases all allocations after the mark. An arena that was empty at the mark keeps its oldest
 * block for reuse. */
void api_arena_rewind(api_arena *arena, api_arena_mark mark);

#endif
