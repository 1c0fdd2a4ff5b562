/* State of the incremental sweep; private to engine/broad. */
#ifndef BROAD_SWEEP_H
#define BROAD_SWEEP_H

#include <contact/sweep.h>

#include "broad/endpoint.h"
#include "broad/pair_list.h"

typedef enum ct_sweep_pair_state {
  CT_SWEEP_PAIR_NONE,
  CT_SWEEP_PAIR_ADDED,
  CT_SWEEP_PAIR_KEPT,
  CT_SWEEP_PAIR_REMOVED
} ct_sweep_pair_state;

struct ct_sweep {
  ct_aabb *boxes;  /* [used] boxes of the next frame */
  ct_aabb *before; /* [used] boxes of the previous frame; empty for new ones */
  uint8_t *state;  /* [used] ct_sweep_pair_state */
  uint32_t capacity, used;
  uint32_t count;       /* boxes, new ones included */
  uint32_t added, gone; /* changes since the previous frame */
  uint32_t lowest_free; /* no lower number is free */
  ct_endpoint
      *ends[3]; /* [end_count] endpoints of all boxes in the frame; undefined after a failure */
  ct_endpoint *spare;
  size_t end_count, end_capacity;
  bool sorted; /* the endpoints are sorted as in the previous frame */
  ct_pair_list pairs, begun, ended;
};

/* Update of one frame: committed whole or not at all. */
typedef struct ct_sweep_update_run {
  ct_sweep *sweep;
  const ct_sweep_options *options;
  ct_sweep_frame *frame;
  ct_pair_list pairs, begun, ended;
  uint64_t swaps_most; /* above this, the lists are sorted again */
  bool too_many;       /* the limit was exceeded */
} ct_sweep_update_run;

/* Rebuilds the lists from the boxes, and all pairs with an active list. Sets s->pairs, sorted. */
ct_status ct_sweep_rebuild(ct_sweep_update_run *s);
/* Updates the lists of the previous frame. Sets s->begun and s->ended, unsorted and with
 * repeats. s->too_many: sets nothing. */
ct_status ct_sweep_update_incremental(ct_sweep_update_run *s);

#endif
