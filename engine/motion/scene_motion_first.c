/* The pairs of a scene that meet first.
 *
 * Each candidate waits with a lower bound on its time, from the boxes swept in slices of the motion; the pair with the least bound
 * is looked at next, no farther than the best so far, and the search ends when all that wait are later. The pairs that may be first
 * are then asked once more over the whole time, so that they say what they say without the others.
 */
#include "motion/scene_motion.h"

#include <stdlib.h>

/* Parts of the motion whose swept boxes are looked at for a lower bound. */
#define SLICES 8
/* A pair is looked at beyond the best bracket by this part of the motion: what is asked again decides. */
#define BEYOND 1e-9

typedef struct waiting_pair {
  double bound; /* s: the pair certainly does not meet before */
  size_t index;
} waiting_pair;

typedef struct first_search {
  const ct_motion_query *query;
  ct_workspace *workspace;
  waiting_pair *heap; /* least bound first; of equal ones the lower index */
  size_t waiting;
  size_t *maybe; /* [maybe_count] pairs that may be first */
  size_t maybe_count;
  double best_time, best_upper; /* of the contact whose bracket ends first; INFINITY: none yet */
} first_search;

static bool before(const waiting_pair *a, const waiting_pair *b) {
  return a->bound < b->bound || (a->bound == b->bound && a->index < b->index);
}

/* The heap's item sinks to where it belongs. */
static void sift(first_search *s, size_t at) {
  for (size_t child = 2 * at + 1; child < s->waiting; child = 2 * at + 1) {
    if (child + 1 < s->waiting && before(&s->heap[child + 1], &s->heap[child])) child++;
    if (!before(&s->heap[child], &s->heap[at])) return;
    waiting_pair swap = s->heap[at];
    s->heap[at] = s->heap[child];
    s->heap[child] = swap;
    at = child;
  }
}

/* ---- lower bounds ---- */

static ct_box box_of(const ct_motion_query *query, uint32_t row, double begin, double end) {
  size_t mover;
  ct_box box;
  if (ct_motion_mover(query, row, &mover)) return ct_motion_swept(query, mover, begin, end);
  return ct_query_box(query->still, row, &box) ? box : ct_box_nothing();
}

static bool slice_apart(const ct_motion_query *query, ct_row_pair pair, double begin, double end) {
  ct_box a = box_of(query, pair.a, begin, end), b = box_of(query, pair.b, begin, end);
  double slack = CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * (ct_box_magnitude(&a) + ct_box_magnitude(&b));
  a = ct_box_grow(a, slack);
  return !ct_box_overlap(&a, &b);
}

static double slice_time(const ct_impact_options *o, int slice) {
  return slice == SLICES ? o->end : o->begin + (o->end - o->begin) * ((double)slice / SLICES);
}

static double lower_bound(const ct_motion_query *query, ct_row_pair pair) {
  const ct_impact_options *o = &query->options.impact;
  for (int slice = 0; slice < SLICES; slice++)
    if (!slice_apart(query, pair, slice_time(o, slice), slice_time(o, slice + 1))) return slice_time(o, slice);
  return INFINITY;
}

static ct_status make_heap(first_search *s) {
  size_t count = ct_motion_candidates(s->query);
  s->heap = malloc((count + 1) * sizeof *s->heap);
  s->maybe = malloc((count + 1) * sizeof *s->maybe);
  if (!s->heap || !s->maybe) return CT_OUT_OF_MEMORY;
  for (size_t k = 0; k < count; k++) {
    if (ct_cancel_raised(s->query->options.cancel)) return CT_CANCELLED;
    double bound = lower_bound(s->query, ct_motion_pair(s->query, k));
    if (bound < INFINITY) s->heap[s->waiting++] = (waiting_pair){bound, k};
  }
  for (size_t k = s->waiting / 2; k > 0; k--) sift(s, k - 1);
  return CT_OK;
}

/* ---- the search ---- */

/* Bodies that part at the start have not met again. */
static bool meets(const ct_impact *impact) {
  return impact->event == CT_IMPACT_CONTACT ||
         (impact->event == CT_IMPACT_INITIAL && !(impact->flags & CT_IMPACT_FLAG_SEPARATING_AT_START));
}

/* As far as a pair has to be looked at. A bisection depends on where it ends. */
static double far_enough(const first_search *s) {
  const ct_impact_options *o = &s->query->options.impact;
  if (o->method == CT_IMPACT_BISECTION || !(s->best_upper < INFINITY)) return o->end;
  return ct_min2(o->end, s->best_upper + o->time_tolerance + BEYOND * (o->end - o->begin));
}

static void note_best(first_search *s, const ct_impact *impact) {
  if (!meets(impact)) return;
  s->best_time = ct_min2(s->best_time, impact->time);
  s->best_upper = ct_min2(s->best_upper, ct_max2(impact->upper, impact->time));
}

static ct_status search(first_search *s) {
  ct_status status = make_heap(s);
  while (status == CT_OK && s->waiting > 0) {
    waiting_pair next = s->heap[0];
    double end = far_enough(s);
    if (next.bound > end) break;
    s->heap[0] = s->heap[--s->waiting];
    sift(s, 0);
    ct_impact impact;
    status = ct_motion_impact(s->query, ct_motion_pair(s->query, next.index), end, s->workspace, &impact);
    if (status != CT_OK || !(meets(&impact) || impact.event == CT_IMPACT_UNDECIDED)) continue;
    note_best(s, &impact);
    s->maybe[s->maybe_count++] = next.index;
  }
  return status;
}

static int compare_index(const void *a, const void *b) {
  const size_t *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

/* Is nothing certainly earlier? One that is undecided may be first when it is not free for long enough. */
static bool is_first(const first_search *s, const ct_impact *impact) {
  double tolerance = s->query->options.impact.time_tolerance;
  if (impact->event == CT_IMPACT_UNDECIDED) return impact->free_until <= s->best_upper + tolerance;
  if (!meets(impact)) return false;
  return impact->lower <= s->best_upper || impact->time - s->best_time <= tolerance;
}

static ct_status tell(first_search *s, ct_motion_sink sink, void *context) {
  ct_status status = CT_OK;
  size_t item = 0;
  bool wanted = true;
  qsort(s->maybe, s->maybe_count, sizeof *s->maybe, compare_index);
  for (size_t k = 0; k < s->maybe_count && status == CT_OK && wanted; k++) {
    ct_row_pair pair = ct_motion_pair(s->query, s->maybe[k]);
    ct_impact impact;
    status = ct_motion_impact(s->query, pair, s->query->options.impact.end, s->workspace, &impact);
    if (status != CT_OK || !is_first(s, &impact)) continue;
    const ct_motion_hit hit = {.a = pair.a, .b = pair.b, .item = item++, .impact = &impact};
    wanted = sink(context, &hit);
  }
  return status;
}

ct_status ct_motion_earliest(const ct_motion_query *query, ct_workspace *workspace, ct_motion_sink sink, void *context) {
  first_search s = {.query = query, .workspace = workspace, .best_time = INFINITY, .best_upper = INFINITY};
  ct_status status = search(&s);
  if (status == CT_OK) status = tell(&s, sink, context);
  free(s.heap);
  free(s.maybe);
  return status;
}
