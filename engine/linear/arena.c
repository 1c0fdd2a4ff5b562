/* Scratch memory of one thread: a stack that consists of blocks; see arena.h. */
#include "linear/arena.h"

#include <assert.h>
#include <stdlib.h>

/* Alignment of allocations: a cache line, which is more than any SIMD vector requires. */
#define ALIGNMENT 64u
#define BLOCK_BYTES_MIN ((size_t)16384)

struct ct_arena_block {
  ct_arena_block *before;
  unsigned char *bytes; /* first aligned byte behind the header */
  size_t size, used;
};

ct_arena *ct_arena_create(void) { return calloc(1, sizeof(ct_arena)); }

static void free_blocks_to(ct_arena *arena, ct_arena_block *block) {
  while (arena->last != block) {
    assert(arena->last);
    ct_arena_block *before = arena->last->before;
    free(arena->last);
    arena->last = before;
  }
}

void ct_arena_destroy(ct_arena *arena) {
  if (!arena) return;
  free_blocks_to(arena, NULL);
  free(arena);
}

static bool add_block(ct_arena *arena, size_t size) {
  ct_arena_block *block = malloc(sizeof *block + size + ALIGNMENT);
  if (!block) return false;
  uintptr_t start = (uintptr_t)(block + 1);
  block->bytes = (unsigned char *)(block + 1) + (ALIGNMENT - start % ALIGNMENT) % ALIGNMENT;
  block->size = size;
  block->used = 0;
  block->before = arena->last;
  arena->last = block;
  return true;
}

ct_arena_mark ct_arena_enter(ct_arena *arena) {
  arena->depth++;
  return (ct_arena_mark){arena->last, arena->last ? arena->last->used : 0, arena->taken};
}

void ct_arena_leave(ct_arena *arena, ct_arena_mark mark) {
  assert(arena->depth > 0 && mark.taken <= arena->taken);
  arena->depth--;
  arena->taken = mark.taken;
  if (!arena->last) return;
  if (arena->depth == 0 && (arena->last->before || arena->last->size < arena->most)) {
    /* Replace all blocks by a single one of the greatest use, so that later solves need no heap
     * allocation. If that fails, blocks are added again as needed. */
    free_blocks_to(arena, NULL);
    (void)add_block(arena, arena->most);
    return;
  }
  while (arena->last != mark.block && arena->last->before)
    free_blocks_to(arena, arena->last->before);
  arena->last->used = mark.block ? mark.used : 0;
}

void *ct_arena_alloc(ct_arena *arena, size_t count, size_t bytes) {
  assert(bytes > 0);
  assert(arena->depth > 0);
  if (bytes && count > (SIZE_MAX / 4 - ALIGNMENT) / bytes) return NULL;
  size_t size = (count * bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  if (!arena->last || arena->last->size - arena->last->used < size) {
    size_t doubled = arena->last ? 2 * arena->last->size : BLOCK_BYTES_MIN;
    if (!add_block(arena, size > doubled ? size : doubled)) return NULL;
  }
  assert(arena->last->size - arena->last->used >= size);
  void *taken = arena->last->bytes + arena->last->used;
  arena->last->used += size;
  arena->taken += size;
  if (arena->taken > arena->most) arena->most = arena->taken;
  return taken;
}
