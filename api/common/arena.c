/* Bump allocation. Fresh blocks come from calloc and are zero; released memory is cleared only when
 * it is allocated again. */
#include "common/arena.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Size of the first block, bytes: enough for most requests, and small because calloc clears it. */
#define FIRST_BLOCK_BYTES 2048
#define LARGEST_BLOCK_BYTES 1048576
#define ALIGNMENT 16

typedef struct api_arena_block {
  struct api_arena_block *older;
  size_t size, used; /* number of bytes after this header: capacity of the block, and part of it
                        that has been handed out */
  size_t dirty; /* length of the prefix whose bytes may be nonzero; the bytes after it are still
                   zero from calloc */
} api_arena_block;

_Static_assert(sizeof(api_arena_block) % ALIGNMENT == 0, "the bytes after the head are aligned");

static char *block_bytes(api_arena_block *block) { return (char *)(block + 1); }

void api_arena_init(api_arena *arena, size_t budget) { *arena = (api_arena){.budget = budget}; }

static void drop_newest(api_arena *arena) {
  api_arena_block *block = arena->blocks;
  assert(block && arena->bytes >= sizeof *block + block->size);
  arena->blocks = block->older;
  arena->bytes -= sizeof *block + block->size;
  free(block);
}

void api_arena_free(api_arena *arena) {
  while (arena->blocks) drop_newest(arena);
  assert(arena->bytes == 0);
}

static api_arena_block *new_block(api_arena *arena, size_t bytes) {
  /* Block sizes grow with the arena, so that the number of blocks is logarithmic up to
   * LARGEST_BLOCK_BYTES. */
  size_t size = arena->bytes > FIRST_BLOCK_BYTES ? arena->bytes : FIRST_BLOCK_BYTES;
  if (size > LARGEST_BLOCK_BYTES) size = LARGEST_BLOCK_BYTES;
  /* An allocation above this size, or a budget without room for such a block, gets a block of
   * exactly the requested size. */
  if (size < bytes) size = bytes;
  if (arena->budget && (arena->bytes > arena->budget ||
                        sizeof(api_arena_block) + size > arena->budget - arena->bytes))
    size = bytes;
  if (size > SIZE_MAX - sizeof(api_arena_block)) return NULL;
  if (arena->budget && (arena->bytes > arena->budget ||
                        sizeof(api_arena_block) + size > arena->budget - arena->bytes))
    return NULL;
  api_arena_block *block = calloc(1, sizeof *block + size);
  if (!block) return NULL;
  block->size = size;
  block->older = arena->blocks;
  arena->blocks = block;
  arena->bytes += sizeof *block + size;
  assert(size >= bytes && (!arena->budget || arena->bytes <= arena->budget));
  return block;
}

void *api_arena_alloc(api_arena *arena, size_t bytes) {
  if (bytes > SIZE_MAX - ALIGNMENT) return NULL;
  bytes = (bytes + (bytes == 0) + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
  api_arena_block *block = arena->blocks;
  if (!block || block->size - block->used < bytes) block = new_block(arena, bytes);
  if (!block) return NULL;
  /* Clear the bytes that an earlier allocation may have written. */
  char *result = block_bytes(block) + block->used;
  if (block->dirty > block->used) {
    size_t dirty = block->dirty - block->used;
    memset(result, 0, dirty < bytes ? dirty : bytes);
  }
  block->used += bytes;
  assert(block->used <= block->size && block->used % ALIGNMENT == 0);
  if (block->dirty < block->used) block->dirty = block->used;
  assert(block->dirty <= block->size);
  return result;
}

void *api_arena_array(api_arena *arena, size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) return NULL;
  return api_arena_alloc(arena, bytes);
}

char *api_arena_copy(api_arena *arena, const char *bytes, size_t length) {
  assert(bytes || length == 0);
  if (length == SIZE_MAX) return NULL;
  char *copy = api_arena_alloc(arena, length + 1);
  if (!copy) return NULL;
  if (length) memcpy(copy, bytes, length);
  copy[length] = 0;
  return copy;
}

api_arena_mark api_arena_position(const api_arena *arena) {
  return (api_arena_mark){arena->blocks, arena->blocks ? arena->blocks->used : 0};
}

void api_arena_rewind(api_arena *arena, api_arena_mark mark) {
  /* If the arena was empty at the mark, keep its oldest block. */
  while (arena->blocks != mark.block && (mark.block || arena->blocks->older)) drop_newest(arena);
  assert(!mark.block || mark.used <= arena->blocks->used);
  if (arena->blocks) arena->blocks->used = mark.block ? mark.used : 0;
}
