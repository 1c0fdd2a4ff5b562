/* Heap trimming. By itself, glibc only returns free memory at the end of an arena. malloc_trim(3)
 * also returns free pages between used blocks, but scans all arenas, so it runs on a worker. */
#include "state/heap_trim.h"

#include <assert.h>
#include <malloc.h>
#include <stdlib.h>

/* Number of freed bytes from which on a trim starts. */
#define FREED_BYTES 4194304u
/* Pause after a trim, in multiples of its duration: trims use at most 5 % of one worker. */
#define PAUSE_FACTOR 20u

typedef struct trimming {
  srv_job job; /* first: the pool's view */
  srv_heap *heap;
  srv_pool *pool;
  uint64_t took_ns;
} trimming;

static void run_trim(srv_job *job, long piece, api_scratch *scratch) {
  uint64_t begun_ns = uv_hrtime();
  (void)piece;
  (void)scratch;
  malloc_trim(0);
  ((trimming *)job)->took_ns = uv_hrtime() - begun_ns;
}

static void on_trim_done(srv_job *job, long piece) {
  trimming *t = (trimming *)job;
  srv_heap *heap = t->heap;
  (void)piece;
  assert(heap->trimming);
  srv_pool_withdraw(t->pool, job);
  heap->trimming = false;
  heap->next_ns = uv_hrtime() + PAUSE_FACTOR * t->took_ns;
  free(t);
}

void srv_heap_trim_tick(srv_heap *heap, srv_pool *pool, srv_lane *lane, uint64_t freed_of_scenes,
                        uint64_t now_ns) {
  assert(freed_of_scenes >= heap->seen_of_scenes);
  heap->freed += freed_of_scenes - heap->seen_of_scenes;
  heap->seen_of_scenes = freed_of_scenes;
  bool due = heap->freed >= FREED_BYTES && !heap->trimming && now_ns >= heap->next_ns;
  trimming *t = due ? calloc(1, sizeof *t) : NULL;
  if (!t) return;
  /* Bytes noted recently may not have been freed yet: they count a second time, towards the next
   * trim. */
  assert(heap->freed >= heap->seen);
  heap->freed -= heap->seen;
  heap->seen = heap->freed;
  heap->trimming = true;
  *t = (trimming){.job = {.run = run_trim, .done = on_trim_done}, .heap = heap, .pool = pool};
  srv_pool_submit(pool, &t->job, lane, false);
  srv_pool_pump(pool);
}
