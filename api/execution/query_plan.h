/* Execution of queries in ranges. A plan has one task per query. A task is divided into ranges
 * by content alone, each range writes its results as text, and the reply concatenates them up to
 * the page's limit. The bytes do not depend on the order in which ranges ran, or on superfluous
 * ranges. */
#ifndef API_EXECUTION_QUERY_PLAN_H
#define API_EXECUTION_QUERY_PLAN_H

#include "queries/query_request.h"

#include <contact/broad.h>

#include "execution/plane_caches.h"
#include "execution/scratch.h"

/* End of a result in its range's text, its cursor position, and the candidate pairs evaluated up to
 * it, in the range or in its variant. */
typedef struct api_mark {
  size_t end;
  uint64_t candidates;
  uint32_t item, after;
  uint32_t part;  /* kinds contacts, volume and features: number of results of this pair so far,
                     this result included; other kinds: 0 */
  size_t removed; /* length of api_range.removed (text of the contacts that sparsify removed) before
                     this result */
  size_t sums;    /* length of api_range.sums (text of the sums over elements) after this result's
                     own sums */
} api_mark;

/* A variant's part of a range. */
typedef struct api_variant_extent {
  uint32_t count; /* results */
  size_t more;    /* end in api_range.frames of the variant's members beside its results; they begin
                     at the end of the previous variant's */
  size_t removed; /* end in api_range.removed of the variant's removed contacts */
  size_t sums;    /* end in api_range.sums of the variant's sums over elements */
} api_variant_extent;

/* Reason of a contact limit. */
typedef enum api_contact_limit {
  API_CONTACT_LIMIT_NONE,
  API_CONTACT_LIMIT_MEMORY,  /* more than requestMemoryBytes allows */
  API_CONTACT_LIMIT_METHOD,  /* more in an island than the requested method accepts */
  API_CONTACT_LIMIT_PYRAMID, /* more than the method accepts with polyhedral friction cones */
  API_CONTACT_LIMIT_COUPLED  /* too many coupled pairs of contacts (Delassus matrix) */
} api_contact_limit;

/* FORCE: whether some island of the range did not converge, does not stay at rest, or is
 * undecided. */
typedef struct api_force_outcome {
  bool diverged, falls, undecided;
  api_contact_limit limit_kind;    /* reason of CT_LIMIT */
  size_t contacts, contacts_limit; /* number of contacts found, and largest number allowed; for
                                      PYRAMID, largest number of rows of the pyramids' matrix */
  unsigned sides;
} api_force_outcome;

typedef struct api_range {
  api_buffer text; /* JSON of the results, separated by commas */
  api_mark *marks; /* [count] */
  size_t count, capacity;
  uint64_t found;               /* number of results, those not written to `text` included; only set
                                   if the query counts a total */
  bool counts_only;             /* the range was scheduled when the page was full: results are
                                   counted but not written */
  bool overflow;                /* `text` would exceed requestMemoryBytes: further results are only
                                   counted */
  api_variant_extent *variants; /* VARIANTS: one per variant of the range */
  size_t variant_count;         /* variants run so far */
  api_plane_counts planes;      /* VARIANTS: cache statistics, summed over the variants whose
                                   results are reported */
  api_buffer removed;           /* JSON of the contacts that sparsify removed, separated by
                                   commas */
  api_buffer sums;              /* VOLUME: JSON of the sums over the elements of each pair of
                                   colliders, separated by commas */
  ct_range_statistics statistics;
  api_force_outcome force; /* FORCE */
  ct_frame_pairs boxes;    /* BOXES: statistics of the first frame, whose pair lists have been
                              freed */
  api_buffer frames;       /* JSON. BOXES: the frames after the first; VARIANTS, timelines, elastic
                              forces: members of the reply beside `results` */
  ct_status status;
  bool memory; /* out of memory */
  bool complete;
} api_range;

/* Velocity of a body after the impulses, if some island contains the body. */
typedef struct api_velocity_after {
  ct_velocity velocity;
  bool reported;
} api_velocity_after;

typedef struct api_task {
  api_query question;
  uint64_t cursor_hash;      /* if the page has a cursor: hash of the request that the cursor
                                continues */
  ct_text id;                /* member id of the query, which only queries of a batch have; empty:
                                none */
  bool in_batch;             /* the query is one of a batch: pointers of faults begin with the
                                query's location in the batch */
  int status;                /* 0: the ranges contain the answer; else HTTP status of `problem` */
  api_buffer problem;        /* problem document (RFC 9457) that is the answer if status is not 0 */
  ct_query *query;           /* NULL: the range prepares its own query */
  ct_probe *probe;           /* PROBE; NULL: as for `query` */
  ct_motion_query *motion;   /* MOTION; NULL: as for `query` */
  ct_mechanics *mechanics;   /* FORCE: contact system, prepared by the first range while the other
                                ranges wait; NULL: the task has one range, which prepares its own */
  api_velocity_after *after; /* FORCE whose velocities are written to the scene: [rows of the scene]
                                new velocities; allocated by the first range */
  ct_broadphase broadphase;  /* broad phase method that the query uses */
  size_t start, items;       /* first work item of the task, and one more than its last */
  size_t step;               /* number of work items per range */
  size_t first;              /* index of the task's first range, counted over all tasks of the
                                plan */
  size_t range_count;
  api_range *ranges;
  double cost;   /* ns */
  size_t next;   /* index of the range to be scheduled next */
  size_t prefix; /* number of leading ranges that are all complete */
  uint64_t prefix_results;
  uint64_t prefix_candidates;
  uint64_t prefix_bytes;
  uint64_t islands; /* FORCE: number of islands, or of contacts, on all pages together; set by the
                       first range */
  bool enough;
} api_task;

struct api_plan {
  const ct_scene *supposed; /* hypothetical scene of a batch; owned, or NULL */
  api_task *tasks;
  size_t task_count;
  size_t range_count;
  size_t current;       /* index of the task whose ranges are being scheduled */
  size_t running;       /* number of ranges that are scheduled and not complete */
  uint64_t ahead_bytes; /* length of the texts of complete ranges that follow an incomplete one,
                           bytes */
  const api_limits *limits;
  const ct_cancel *cancel;
};

/* A plan with task_count zeroed tasks; limits and cancel (may be NULL) outlive it. NULL: out of
 * memory. */
api_plan *api_plan_create(const api_limits *limits, const ct_cancel *cancel, size_t task_count);
void api_plan_destroy(api_plan *plan);
/* Divides the tasks with valid queries into ranges. False with a fault: out of memory, cancelled,
 * or too many pairs. */
bool api_plan_cut(api_plan *plan, api_faults *faults);

/* The plan of a call as its work: see api_work_operations. The function `finish_call` writes the
 * reply from the complete ranges. */
#define API_PLAN_WORK(finish_call)                                                                 \
  {                                                                                                \
    .cost = api_plan_cost, .next = api_plan_next, .run = api_plan_run, .done = api_plan_done,      \
    .run_serially = api_plan_run_serially, .finish = finish_call, .destroy = api_plan_free         \
  }
double api_plan_cost(const api_call *call);
long api_plan_next(api_call *call);
void api_plan_run(api_call *call, long range, api_scratch *scratch);
void api_plan_done(api_call *call, long range);
void api_plan_run_serially(api_call *call, api_scratch *scratch);
void api_plan_free(api_call *call);

/* True if variants reuse separating planes, or update their pair lists from frame to frame. */
static inline bool api_reuses_planes(const api_query *q) {
  return q->mode == API_MODE_VARIANTS && q->method.kind == API_METHOD_SEPARATING_AXIS &&
         q->method.cache;
}
static inline bool api_reuses_pair_lists(const api_query *q) {
  return q->mode == API_MODE_VARIANTS && q->kind->pair && q->kind->pair->reuses_pair_lists &&
         !q->options.explicit_pairs;
}

/* True if a single range answers the query, again for each page; the cursor's item is then the
 * index of a result. */
static inline bool api_runs_in_one_range(const api_query *q) {
  return q->mode == API_MODE_MOTION && (q->motions.options.timeline || q->motions.options.earliest);
}

/* True if ranges continue beyond a full page, to count all results. */
static inline bool api_needs_total(const api_query *q) {
  bool counted =
      q->mode == API_MODE_SCENE || q->mode == API_MODE_PROBE || q->mode == API_MODE_MOTION;
  return counted && !q->without_total && !q->resumed && !q->writes;
}

/* A page composed from a task's complete ranges. */
typedef struct api_page {
  size_t ranges;   /* ranges used */
  uint64_t count;  /* results on the page */
  bool truncated;  /* further pages exist */
  uint64_t total;  /* number of results on all pages together, encoded by api_total_code */
  api_cursor next; /* if truncated */
  size_t variants; /* VARIANTS: number of variants on the page, counted from the task's first */
  ct_range_statistics statistics;
  api_plane_counts planes;
  api_force_outcome force;
} api_page;

/* Adds PAIR_LIMIT at the boxes or at the query. The search stops at the first pair beyond the
 * limit, so that `actual` is limit + 1. */
void api_pair_fault(const api_plan *plan, const api_task *task, api_faults *faults);

/* Composes the page. False: a fault. */
bool api_task_page(const api_plan *plan, const api_task *task, api_page *page, api_faults *faults);

#endif
