/* What the sweep keeps, for the files of this room. */
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
  ct_aabb *boxes;  /* [used] of the frame to come */
  ct_aabb *before; /* [used] of the frame before; nothing for new ones */
  uint8_t *state;  /* [used] ct_sweep_pair_state */
  uint32_t capacity, used;
  uint32_t count;       /* new or in */
  uint32_t added, gone; /* since the frame before */
  uint32_t lowest_free; /* no number below is free */
  ct_endpoint *ends[3]; /* [end_count] of the boxes that are in; after a failure of no use */
  ct_endpoint *spare;
  size_t end_count, end_capacity;
  bool sorted; /* the ends are those of the frame before */
  ct_pair_list pairs, begun, ended;
};

/* A frame in the making: committed whole or not at all. */
typedef struct ct_sweep_update_run {
  ct_sweep *sweep;
  const ct_sweep_options *options;
  ct_sweep_frame *frame;
  ct_pair_list pairs, begun, ended;
  uint64_t swaps_most; /* beyond, the lists are sorted anew */
  bool too_many;       /* they were */
} ct_sweep_update_run;

/* Lists from the boxes, and all pairs by an active list. Fills s->pairs, sorted. */
ct_status ct_sweep_rebuild(ct_sweep_update_run *s);
/* From the lists of the frame before. Fills s->begun and s->ended, in any order, some twice. s->too_many: nothing is filled. */
ct_status ct_sweep_update_incremental(ct_sweep_update_run *s);

#endif
