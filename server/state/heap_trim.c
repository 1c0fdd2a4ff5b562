/* Heap trimming. glibc by itself only returns free memory at an arena's end. malloc_trim(3) also
 * returns free pages between used blocks; it scans all arenas, so it runs on a worker. */
#include "scenes/scene_cache.h"
#include "state/request.h"

#include <malloc.h>
#include <stdlib.h>

/* Freed bytes that start a trim. */
#define FREED_BYTES 4194304u
/* Pause after a trim, in multiples of its duration: it takes at most 5 % of one worker. */
#define PAUSE_FACTOR 20u

typedef struct trimming {
  srv_job job; /* first: the pool's view */
  srv_server *server;
  bool taken;
  uint64_t took_ns;
} trimming;

static long take_trim_piece(srv_job *job) {
  trimming *t = (trimming *)job;
  if (t->taken) return SRV_NO_PIECE;
  t->taken = true;
  return 0;
}

static void run_trim(srv_job *job, long piece, api_scratch *scratch) {
  uint64_t begun_ns = uv_hrtime();
  (void)piece;
  (void)scratch;
  malloc_trim(0);
  ((trimming *)job)->took_ns = uv_hrtime() - begun_ns;
}

static void on_trim_done(srv_job *job, long piece) {
  trimming *t = (trimming *)job;
  srv_server *server = t->server;
  (void)piece;
  srv_pool_withdraw(server->pool, job);
  server->heap.trimming = false;
  server->heap.next_ns = uv_hrtime() + PAUSE_FACTOR * t->took_ns;
  free(t);
}

void srv_heap_note_freed(srv_server *server, uint64_t bytes) { server->heap.freed += bytes; }

void srv_heap_trim_tick(srv_server *server, uint64_t now_ns) {
  srv_heap *heap = &server->heap;
  uint64_t gone = srv_registry_scene_cache(server->registry)->gone;
  heap->freed += gone - heap->gone;
  heap->gone = gone;
  bool due = heap->freed >= FREED_BYTES && !heap->trimming && now_ns >= heap->next_ns;
  trimming *t = due ? calloc(1, sizeof *t) : NULL;
  if (!t) return;
  /* Bytes noted recently may not be freed yet: they count once more towards the next trim. */
  heap->freed -= heap->seen;
  heap->seen = heap->freed;
  heap->trimming = true;
  *t = (trimming){.job = {.take = take_trim_piece, .run = run_trim, .done = on_trim_done},
                  .server = server};
  srv_pool_submit(server->pool, &t->job, &server->stateless, false);
  srv_pool_pump(server->pool);
}
