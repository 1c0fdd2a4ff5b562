/* Sort and sweep with lists that persist from frame to frame (Baraff 1992; Cohen, Lin, Manocha,
 * Ponamgi 1995): coherent motion costs only the exchanged neighbours.
 *
 * Each axis has a sorted list of interval ends. A frame writes the new values and sorts by
 * insertion; when an end and a beginning exchange places, a pair begins or ends to overlap on the
 * axis. The first frame sorts from scratch, and so do frames for which this is cheaper. One writer
 * at a time. */
#ifndef CONTACT_SWEEP_H
#define CONTACT_SWEEP_H

#include <contact/broad.h>
#include <contact/linkage.h>

CT_DECLARATIONS_BEGIN

typedef struct ct_sweep ct_sweep;

typedef struct ct_sweep_options {
  size_t limit;    /* largest number of pairs */
  bool keep_order; /* sort from scratch only in the first frame: for tests and measurements */
  const ct_cancel *cancel; /* NULL: never */
} ct_sweep_options;
/* Defaults: limit CT_PAIRS_MAX. A zero limit allows no pair. */
ct_sweep_options ct_sweep_options_default(void);

/* Result of a frame. Lists are sorted, i < j, and owned by the sweep until its next frame. */
typedef struct ct_sweep_frame {
  /* all pairs; new ones; ones that existed only in the previous frame */
  const ct_pair_index *pairs, *begun, *ended;
  size_t pair_count, begun_count, ended_count;
  uint64_t swaps;          /* exchanges of neighbours on the three axes */
  uint64_t box_tests;      /* tests of two boxes */
  uint32_t full_sorts;     /* 1 if sorted from scratch, else 0 */
  uint32_t longest_active; /* largest active list; 0 unless sorted from scratch */
} ct_sweep_frame;

ct_sweep *ct_sweep_create(void); /* an empty sweep; NULL: out of memory */
void ct_sweep_destroy(ct_sweep *sweep);

/* Add, remove and move a box; effective from the next frame on. A new box has the lowest free
 * number; the number of a removed box is free after the next frame. Numbers must be of existing
 * boxes.
 * CT_OUT_OF_MEMORY, CT_LIMIT. */
ct_status ct_sweep_add(ct_sweep *sweep, const ct_aabb *box, uint32_t *number);
void ct_sweep_remove(ct_sweep *sweep, uint32_t number);
void ct_sweep_move(ct_sweep *sweep, uint32_t number, const ct_aabb *box);
/* Number of boxes. */
size_t ct_sweep_count(const ct_sweep *sweep);

/* Computes the next frame. O(n + swaps). Sorting from scratch: O(n log n + pairs that overlap along
 * the axis of largest variance). This happens in the first frame, if more than a tenth of the boxes
 * were added or removed, beyond n^2 / 8 swaps, and after a failed frame.
 * CT_PAIR_LIMIT, CT_CANCELLED, CT_OUT_OF_MEMORY: the next frame reports changes relative to the
 * last successful one. */
ct_status ct_sweep_update(ct_sweep *sweep, const ct_sweep_options *options, ct_sweep_frame *frame);

/* Frames of a fixed number of boxes, by any method. SWEEP continues from the previous frame; other
 * methods start from scratch. AUTO chooses as for one frame, except that it prefers the sweep for
 * up to 2000 boxes that needed many tests each in an earlier frame. */
typedef struct ct_frames ct_frames;

typedef struct ct_frame_pairs {
  ct_broadphase method; /* the method used; never AUTO */
  const ct_pair_index *pairs, *begun,
      *ended; /* as in ct_sweep_frame; owned by the frames until the next one */
  size_t pair_count, begun_count, ended_count;
  uint64_t swaps;
  uint64_t box_tests;
  uint32_t full_sorts;
  uint32_t tree_height;
} ct_frame_pairs;

ct_frames *ct_frames_create(size_t count); /* frames of `count` boxes each; NULL: out of memory */
void ct_frames_destroy(ct_frames *frames);
/* Pairs of boxes[0..count), and the changes since the previous frame. Errors and cost as
 * ct_broad_pairs; after a failure, the previous frame remains the reference. */
ct_status ct_frames_next(ct_frames *frames, const ct_aabb *boxes, const ct_broad_options *options,
                         ct_frame_pairs *found);

CT_DECLARATIONS_END

#endif
