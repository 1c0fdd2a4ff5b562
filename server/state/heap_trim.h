/* Returns freed memory to the kernel by malloc_trim(3).
 *
 * glibc retains freed memory in arenas per thread, where other threads cannot reuse it. Evicted
 * scenes and request bodies would otherwise leave more unused memory than --scene-memory allows for
 * scenes. */
#ifndef SRV_STATE_HEAP_TRIM_H
#define SRV_STATE_HEAP_TRIM_H

#include "state/pool.h"

/* Bytes of JSON values and of decoded bodies per byte of a large request body: measured are 12 to
 * 33. A small body fits into memory that is reused. */
#define SRV_HEAP_BYTES_PER_BYTE 16u

typedef struct srv_heap {
  uint64_t freed;          /* approximate number of bytes freed since the last trim */
  uint64_t seen;           /* bytes of `freed` that were noted before the last trim */
  uint64_t seen_of_scenes; /* value of the registry's total of freed bytes that is already included
                              in `freed` */
  uint64_t next_ns;
  bool trimming;
} srv_heap;

/* Notes bytes that are freed now or soon, other than those of scenes, which the registry counts. */
static inline void srv_heap_note_freed(srv_heap *heap, uint64_t bytes) { heap->freed += bytes; }
/* Starts a trim on a worker if enough memory was freed. freed_of_scenes: the registry's total of
 * freed bytes. Called by the reaper. */
void srv_heap_trim_tick(srv_heap *heap, srv_pool *pool, srv_lane *lane, uint64_t freed_of_scenes,
                        uint64_t now_ns);

#endif
