/* Memory of one request: bumped out of blocks, freed whole, under a budget. */
#ifndef API_COMMON_ARENA_H
#define API_COMMON_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct api_arena_block;

/* A zeroed arena with a budget is ready for use. One thread at a time. */
typedef struct api_arena {
  struct api_arena_block *blocks; /* newest first */
  size_t bytes;                   /* taken from the system so far */
  size_t budget;                  /* at most this many; 0: no bound */
} api_arena;

/* A point to go back to. */
typedef struct api_arena_mark {
  struct api_arena_block *block;
  size_t used;
} api_arena_mark;

void api_arena_init(api_arena *arena, size_t budget);
void api_arena_free(api_arena *arena); /* ready for use again */

/* Zeroed memory aligned to 16 bytes, of at least one byte. NULL: out of memory or beyond the budget. */
void *api_arena_alloc(api_arena *arena, size_t bytes);
/* count items of the given size; checks the product. */
void *api_arena_array(api_arena *arena, size_t count, size_t size);
/* A copy with a terminating NUL. */
char *api_arena_copy(api_arena *arena, const char *bytes, size_t length);

api_arena_mark api_arena_position(const api_arena *arena);
/* Gives back everything taken since the mark; one block is kept for the next use. */
void api_arena_rewind(api_arena *arena, api_arena_mark mark);

#endif
