/* Sort-and-sweep that keeps its lists from frame to frame (Baraff 1992; Cohen, Lin, Manocha and Ponamgi 1995): boxes that move
 * little cost what moves past each other.
 *
 * For each axis there is a sorted list of the boxes' ends. A frame writes the new values and sorts by insertion: an end and a
 * beginning that change places are a pair that begins or ends to overlap along the axis. The lists are sorted anew where that
 * costs less, and in the first frame. One writer at a time.
 */
#ifndef CONTACT_SWEEP_H
#define CONTACT_SWEEP_H

#include <contact/broad.h>
#include <contact/linkage.h>

CT_DECLARATIONS_BEGIN

typedef struct ct_sweep ct_sweep;

typedef struct ct_sweep_options {
  size_t limit;            /* pairs at most */
  bool keep_order;         /* never sort anew after the first frame: for tests and measurements */
  const ct_cancel *cancel; /* NULL: never */
} ct_sweep_options;
/* Defaults: limit CT_PAIRS_MAX, where 0 allows no pair. */
ct_sweep_options ct_sweep_options_default(void);

/* What a frame found. Lists are sorted, i < j, and owned by the sweep until its next frame. */
typedef struct ct_sweep_frame {
  const ct_pair_index *pairs, *begun, *ended; /* all; those not in the frame before; those only there */
  size_t pair_count, begun_count, ended_count;
  uint64_t swaps;          /* neighbours that changed places, on the three axes together */
  uint64_t box_tests;      /* box against box */
  uint32_t full_sorts;     /* 1 if the lists were sorted anew, else 0 */
  uint32_t longest_active; /* most boxes in the active list at once; 0 unless sorted anew */
} ct_sweep_frame;

ct_sweep *ct_sweep_create(void); /* no boxes; NULL: out of memory */
void ct_sweep_destroy(ct_sweep *sweep);

/* Changes count from the next frame on. A new box has the lowest number that is free; that of a removed one is free after the next
 * frame. Numbers given are of boxes that are there. CT_OUT_OF_MEMORY, CT_LIMIT. */
ct_status ct_sweep_add(ct_sweep *sweep, const ct_aabb *box, uint32_t *number);
void ct_sweep_remove(ct_sweep *sweep, uint32_t number);
void ct_sweep_move(ct_sweep *sweep, uint32_t number, const ct_aabb *box);
size_t ct_sweep_count(const ct_sweep *sweep);

/* The next frame. O(n + swaps), or O(n log n + pairs that overlap along the axis of the largest variance) where the lists are
 * sorted anew: in the first frame, when more than a tenth of the boxes came or went, when there are more than n^2 / 8 swaps, after
 * a frame that failed. CT_PAIR_LIMIT, CT_CANCELLED, CT_OUT_OF_MEMORY: the pairs of the frame before still count as such. */
ct_status ct_sweep_update(ct_sweep *sweep, const ct_sweep_options *options, ct_sweep_frame *frame);

/* Frames of the same boxes one after the other, by any method. SWEEP goes on from the frame before; other methods start over; AUTO
 * takes what it would take for one frame, and the sweep for up to 2000 boxes that took many tests each in a frame before. */
typedef struct ct_frames ct_frames;

typedef struct ct_frame_pairs {
  ct_broadphase method;                       /* the one used; never AUTO */
  const ct_pair_index *pairs, *begun, *ended; /* as in ct_sweep_frame; owned by the frames until the next one */
  size_t pair_count, begun_count, ended_count;
  uint64_t swaps;
  uint64_t box_tests;
  uint32_t full_sorts;
  uint32_t tree_height;
} ct_frame_pairs;

ct_frames *ct_frames_create(size_t count); /* of `count` boxes each; NULL: out of memory */
void ct_frames_destroy(ct_frames *frames);
/* The pairs of boxes[0..count), and what changed since the frame before. As ct_broad_pairs; on failure the frame before stays the
 * one before. */
ct_status ct_frames_next(ct_frames *frames, const ct_aabb *boxes, const ct_broad_options *options, ct_frame_pairs *found);

CT_DECLARATIONS_END

#endif
