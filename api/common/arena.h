/* Arena of one request: bump allocation from a list of blocks, limited by a budget, freed as a
 * whole. */
#ifndef API_COMMON_ARENA_H
#define API_COMMON_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct api_arena_block;

/* A zeroed arena is ready for use and has no budget. Only one thread at a time may use it. */
typedef struct api_arena {
  struct api_arena_block *blocks; /* newest first */
  size_t bytes;                   /* number of bytes allocated from the heap, block headers
                                     included */
  size_t budget;                  /* largest permitted value of `bytes`; 0: unlimited */
} api_arena;

/* A position to which api_arena_rewind returns: the newest block, and its used bytes. */
typedef struct api_arena_mark {
  struct api_arena_block *block;
  size_t used;
} api_arena_mark;

void api_arena_init(api_arena *arena, size_t budget);
void api_arena_free(api_arena *arena); /* frees all blocks; the arena is then empty and ready */

/* Allocates `bytes` zeroed bytes (at least one), aligned to 16 bytes. NULL: out of memory, or the
 * budget would be exceeded. */
void *api_arena_alloc(api_arena *arena, size_t bytes);
/* Allocates `count` zeroed items of `size` bytes. NULL: as api_arena_alloc, or the product
 * overflows. */
void *api_arena_array(api_arena *arena, size_t count, size_t size);
/* Copies bytes[0..length) and appends a NUL. NULL: as api_arena_alloc. */
char *api_arena_copy(api_arena *arena, const char *bytes, size_t length);

api_arena_mark api_arena_position(const api_arena *arena);
/* Releases all allocations made after the mark. If the arena was empty at the mark, its oldest
 * block is kept for reuse. */
void api_arena_rewind(api_arena *arena, api_arena_mark mark);

#endif
