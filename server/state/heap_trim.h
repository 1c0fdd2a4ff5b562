/* What has been freed goes back to the kernel. The C library keeps it in a heap for each thread, where another thread's work does
 * not find it: scenes that are let go of and bodies that are read would leave more behind than all scenes in memory may take. */
#ifndef SRV_STATE_HEAP_TRIM_H
#define SRV_STATE_HEAP_TRIM_H

#include <stdbool.h>
#include <stdint.h>

struct srv_server;

typedef struct srv_heap {
  uint64_t freed; /* bytes since the heaps were last looked through, about */
  uint64_t seen;  /* of those, when that was done */
  uint64_t gone;  /* bytes of scenes that have gone, of which those know */
  uint64_t next_ns;
  bool trimming;
} srv_heap;

/* So many bytes have been freed, or soon will be, beside those of scenes. */
void srv_heap_note_freed(struct srv_server *server, uint64_t bytes);
/* Has a worker give back what is free, where that may be much. To be called now and then. */
void srv_heap_trim_tick(struct srv_server *server, uint64_t now_ns);

#endif
