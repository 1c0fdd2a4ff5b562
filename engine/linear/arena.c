/* Scratch memory of a thread: a stack over blocks; see arena.h. */
#include "linear/arena.h"

#include <stdlib.h>

/* A cache line, and more than any vector needs. */
#define ALIGNMENT 64u
#define BLOCK_BYTES_MIN ((size_t)16384)

struct ct_arena_block {
  ct_arena_block *before;
  unsigned char *bytes; /* aligned, in what follows the head */
  size_t size, used;
};

ct_arena *ct_arena_create(void) { return calloc(1, sizeof(ct_arena)); }

static void drop_to(ct_arena *solver, ct_arena_block *block) {
  while (solver->last != block) {
    ct_arena_block *before = solver->last->before;
    free(solver->last);
    solver->last = before;
  }
}

void ct_arena_destroy(ct_arena *solver) {
  if (!solver) return;
  drop_to(solver, NULL);
  free(solver);
}

static bool add_block(ct_arena *solver, size_t size) {
  ct_arena_block *block = malloc(sizeof *block + size + ALIGNMENT);
  if (!block) return false;
  uintptr_t start = (uintptr_t)(block + 1);
  block->bytes = (unsigned char *)(block + 1) + (ALIGNMENT - start % ALIGNMENT) % ALIGNMENT;
  block->size = size;
  block->used = 0;
  block->before = solver->last;
  solver->last = block;
  return true;
}

ct_arena_mark ct_arena_enter(ct_arena *solver) {
  solver->depth++;
  return (ct_arena_mark){solver->last, solver->last ? solver->last->used : 0, solver->taken};
}

void ct_arena_leave(ct_arena *solver, ct_arena_mark mark) {
  solver->depth--;
  solver->taken = mark.taken;
  if (!solver->last) return;
  if (solver->depth == 0 && (solver->last->before || solver->last->size < solver->most)) {
    /* One block for all of it, so that next time nothing has to grow. Where that cannot be had it grows again. */
    drop_to(solver, NULL);
    (void)add_block(solver, solver->most);
    return;
  }
  while (solver->last != mark.block && solver->last->before) drop_to(solver, solver->last->before);
  solver->last->used = mark.block ? mark.used : 0;
}

void *ct_arena_alloc(ct_arena *solver, size_t count, size_t bytes) {
  if (bytes && count > (SIZE_MAX / 4 - ALIGNMENT) / bytes) return NULL;
  size_t size = (count * bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  if (!solver->last || solver->last->size - solver->last->used < size) {
    size_t doubled = solver->last ? 2 * solver->last->size : BLOCK_BYTES_MIN;
    if (!add_block(solver, size > doubled ? size : doubled)) return NULL;
  }
  void *taken = solver->last->bytes + solver->last->used;
  solver->last->used += size;
  solver->taken += size;
  if (solver->taken > solver->most) solver->most = solver->taken;
  return taken;
}
