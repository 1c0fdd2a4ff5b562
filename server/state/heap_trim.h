/* Returns freed memory to the kernel with malloc_trim(3).
 *
 * glibc retains freed memory in per-thread arenas, where other threads cannot reuse it. Evicted
 * scenes and request bodies would otherwise leave more memory behind than --scene-memory allows for
 * scenes. */
#ifndef SRV_STATE_HEAP_TRIM_H
#define SRV_STATE_HEAP_TRIM_H

#include <stdbool.h>
#include <stdint.h>

struct srv_server;

typedef struct srv_heap {
  uint64_t freed; /* bytes freed since the last trim, approximately */
  uint64_t seen;  /* part of `freed` that was noted before the last trim */
  uint64_t gone;  /* the scene cache's total of freed bytes already counted */
  uint64_t next_ns;
  bool trimming;
} srv_heap;

/* Notes bytes that are freed now or soon. Scenes are counted by the scene cache. */
void srv_heap_note_freed(struct srv_server *server, uint64_t bytes);
/* Starts a trim on a worker if enough memory was freed. Called by the reaper. */
void srv_heap_trim_tick(struct srv_server *server, uint64_t now_ns);

#endif
