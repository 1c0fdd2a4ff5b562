/* Running questions in ranges. A plan holds one task per question; a task is cut into ranges by content alone, each range writes
 * its results as text of its own, and the answer is their concatenation up to the page's limit: the same bytes whatever the order
 * in which ranges ran and however many ran needlessly. */
#ifndef API_EXECUTION_QUERY_RUN_H
#define API_EXECUTION_QUERY_RUN_H

#include "queries/query_request.h"

#include <contact/sweep.h>

#include "execution/plane_caches.h"
#include "execution/scratch.h"

/* Where a result ends in its range's text, what a cursor needs to go on after it, and the candidate pairs looked at up to it: in
 * the range, or in its variant. */
typedef struct api_mark {
  size_t end;
  uint64_t candidates;
  uint32_t item, after;
  uint32_t part;  /* kinds contacts, volume and features: results of the pair up to this one; else 0 */
  size_t removed; /* text of contacts left out before it */
  size_t sums;    /* text of sums of element-wise pairs up to its own */
} api_mark;

/* What a range tells of one of its variants. */
typedef struct api_variant_extent {
  uint32_t count; /* results */
  size_t more;    /* where its further members end in `frames`; they begin where the variant before has its end */
  size_t removed; /* likewise contacts left out, in `removed` */
  size_t sums;    /* likewise sums of element-wise pairs, in `sums` */
} api_variant_extent;

/* Contacts that are too many. */
typedef enum api_contact_limit {
  API_CONTACT_LIMIT_NONE,
  API_CONTACT_LIMIT_MEMORY,  /* for requestMemoryBytes */
  API_CONTACT_LIMIT_METHOD,  /* in an island for the method asked for */
  API_CONTACT_LIMIT_PYRAMID, /* likewise, by the sides of their pyramids */
  API_CONTACT_LIMIT_COUPLED  /* that answer to each other */
} api_contact_limit;

/* FORCE: is there an island of the range that did not converge, one that does not stay, one of which that is not known? */
typedef struct api_force_outcome {
  bool diverged, falls, undecided;
  api_contact_limit crowd;         /* why there was CT_LIMIT */
  size_t contacts, contacts_limit; /* there are, and may be; of SIDES rows */
  unsigned sides;
} api_force_outcome;

typedef struct api_range {
  api_buffer text; /* results with commas between them */
  api_mark *marks; /* [count] */
  size_t count, capacity;
  uint64_t found;             /* results with those beyond `text`, where the total is counted */
  bool counts_only;           /* handed out when the page was full: no result is written */
  bool overflow;              /* the text would be longer than requestMemoryBytes; counting went on */
  api_variant_extent *variants; /* VARIANTS: of each variant of the range */
  size_t variant_count;       /* variants reached */
  api_plane_counts planes;    /* VARIANTS: of those told */
  api_buffer removed;         /* contacts left out, with commas between them */
  api_buffer sums;            /* VOLUME: of element-wise pairs of colliders, with commas between them */
  ct_range_statistics statistics;
  api_force_outcome force; /* FORCE */
  ct_frame_pairs boxes; /* BOXES: what the first frame tells; its lists are gone */
  api_buffer frames;    /* BOXES: those after it; VARIANTS, timelines, elastic forces: members beside the results */
  ct_status status;
  bool memory; /* memory went out */
  bool complete;
} api_range;

/* What becomes of a row's velocity, where an island tells it. */
typedef struct api_velocity_after {
  ct_velocity velocity;
  bool told;
} api_velocity_after;

typedef struct api_task {
  api_query question;
  uint64_t cursor_hash;     /* of a page that has a cursor: what the cursor is bound to */
  ct_text id;               /* in a batch; empty: none */
  bool in_batch;            /* faults point at the batch's query */
  int status;               /* 0: answered by its ranges; else that of the problem */
  api_buffer problem;       /* its document */
  ct_query *query;          /* NULL: the range prepares its own */
  ct_probe *probe;          /* PROBE: likewise */
  ct_motion_query *motion;  /* MOTION: likewise */
  ct_mechanics *mechanics;  /* FORCE: made by the first range, which the others wait for; NULL: the only range makes its own */
  api_velocity_after *after; /* FORCE that is written: by row; made by the first range */
  ct_broadphase broadphase; /* the one used */
  size_t start, items;      /* first work item and one past the last */
  size_t step;              /* items in a range */
  size_t first;             /* number of the first range in the plan */
  size_t range_count;
  api_range *ranges;
  double cost;   /* ns */
  size_t next;   /* range to be handed out */
  size_t prefix; /* ranges before it are complete */
  uint64_t prefix_results;
  uint64_t prefix_candidates;
  uint64_t prefix_bytes;
  uint64_t islands; /* FORCE: results of the whole answer: islands, or contacts; set by the first range */
  bool enough;
} api_task;

struct api_plan {
  const ct_scene *supposed; /* of a batch; owned, or NULL */
  api_task *tasks;
  size_t task_count;
  size_t range_count;
  size_t current;       /* task whose ranges are handed out */
  size_t running;       /* ranges handed out and not done */
  uint64_t ahead_bytes; /* text of complete ranges beyond a prefix */
  const api_limits *limits;
  const ct_cancel *cancel;
};

/* Room for task_count questions, zeroed. NULL: out of memory. */
api_plan *api_plan_create(const api_call *call, size_t task_count);
void api_plan_destroy(api_plan *plan);
/* The task that a range of the plan belongs to. */
api_task *api_plan_task(api_plan *plan, size_t range);
/* Cuts the tasks whose question was read into ranges. False: out of memory or cancelled, with a fault. */
bool api_plan_cut(api_plan *plan, api_faults *faults);

double api_plan_cost(const api_plan *plan); /* ns on one core */
long api_plan_next(api_plan *plan);
void api_plan_run(api_plan *plan, size_t range, api_scratch *scratch);
void api_plan_done(api_plan *plan, size_t range);
/* Runs here what is still needed, if anything. */
void api_plan_complete(api_plan *plan);

/* The overlap of two colliders by the method that the question of the range names: a ct_overlap_test. */
bool api_overlap_by_method(void *context, const ct_collider_pair *which, ct_placed a, ct_placed b, ct_workspace *workspace,
                           ct_vec3 *witness);

/* Do variants remember separating planes? And, of pairs, go on from frame to frame? */
bool api_reuses_planes(const api_query *question);
bool api_reuses_pair_lists(const api_query *question);

/* Does one range answer it all, each page anew? The item of its cursor is the number of a result. */
bool api_runs_in_one_range(const api_query *question);

/* Do the ranges go on when the page is full, to count the results of the whole answer? */
bool api_needs_total(const api_query *question);

/* What a page holds of a task's complete ranges. */
typedef struct api_page {
  size_t ranges;   /* looked at */
  uint64_t count;  /* results in the page */
  bool truncated;  /* there are more */
  uint64_t total;  /* of the whole answer, as api_total_code */
  api_cursor next; /* if truncated */
  size_t variants; /* VARIANTS: entries in the page, from the task's start on */
  ct_range_statistics statistics;
  api_plane_counts planes;
  api_force_outcome force;
} api_page;

/* Too many candidate pairs: at the boxes, or at the question. The search ends with the first pair beyond the limit, so `actual` is
 * one more than that. */
void api_pair_fault(const api_plan *plan, const api_task *task, api_faults *faults);

/* False: a fault. */
bool api_task_page(const api_plan *plan, const api_task *task, api_page *page, api_faults *faults);

#endif
