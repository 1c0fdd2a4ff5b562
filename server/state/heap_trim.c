/* The C library gives back what is free at a heap's end by itself; what is free between blocks in use goes by malloc_trim, which
 * looks through all heaps. */
#include "scenes/scene_cache.h"
#include "state/request.h"

#include <malloc.h>
#include <stdlib.h>

/* Bytes that are freed before the heaps are looked through. */
#define FREED_BYTES 4194304u
/* A worker is so many times as long away from it as it was about it. */
#define PAUSES 20u

typedef struct trimming {
  srv_job job; /* first: the pool's view */
  srv_server *server;
  bool taken;
  uint64_t took_ns;
} trimming;

static long take(srv_job *job) {
  trimming *t = (trimming *)job;
  if (t->taken) return SRV_NO_PIECE;
  t->taken = true;
  return 0;
}

static void run(srv_job *job, long piece, api_scratch *scratch) {
  uint64_t begun_ns = uv_hrtime();
  (void)piece;
  (void)scratch;
  malloc_trim(0);
  ((trimming *)job)->took_ns = uv_hrtime() - begun_ns;
}

static void done(srv_job *job, long piece) {
  trimming *t = (trimming *)job;
  srv_server *server = t->server;
  (void)piece;
  srv_pool_withdraw(server->pool, job);
  server->heap.trimming = false;
  server->heap.next_ns = uv_hrtime() + PAUSES * t->took_ns;
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
  /* What has been noted of late may not have been freed yet: it is looked for once more. */
  heap->freed -= heap->seen;
  heap->seen = heap->freed;
  heap->trimming = true;
  *t = (trimming){.job = {.take = take, .run = run, .done = done}, .server = server};
  srv_pool_submit(server->pool, &t->job, &server->stateless, false);
  srv_pool_pump(server->pool);
}
