/* What the sweep keeps, for the files of this room. */
#ifndef BROAD_SWEEP_H
#define BROAD_SWEEP_H

#include <contact/sweep.h>

#include "broad/endpoint.h"
#include "broad/pair_list.h"

typedef enum ct_swept { CT_SWEPT_FREE, CT_SWEPT_NEW, CT_SWEPT_IN, CT_SWEPT_GONE } ct_swept;

struct ct_sweep {
  ct_box *boxes;  /* [used] of the frame to come */
  ct_box *before; /* [used] of the frame before; nothing for new ones */
  uint8_t *state; /* [used] ct_swept */
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
typedef struct ct_sweeping {
  ct_sweep *sweep;
  const ct_sweep_options *options;
  ct_sweep_frame *frame;
  ct_pair_list pairs, begun, ended;
  uint64_t swaps_most; /* beyond, the lists are sorted anew */
  bool too_many;       /* they were */
} ct_sweeping;

/* Lists from the boxes, and all pairs by an active list. Fills s->pairs, sorted. */
ct_status ct_sweep_afresh(ct_sweeping *s);
/* From the lists of the frame before. Fills s->begun and s->ended, in any order, some twice. s->too_many: nothing is filled. */
ct_status ct_sweep_go_on(ct_sweeping *s);

#endif
