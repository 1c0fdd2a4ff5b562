/* The pairs of a scene that meet first.
 *
 * The motion is looked at in slices, one after the other: pairs whose boxes, swept in a slice, meet
 * are searched, no farther than the best so far, and once; all others wait for the next slice. It
 * ends with the slice that holds the best. The few that may be first are then asked once more over
 * the whole time, so that they say what they say without the others.
 */
#include "toi/toi_query.h"

#include <stdlib.h>

/* Parts of the motion. */
#define SLICES 8
/* A pair is looked at beyond the best bracket by this part of the motion: what is asked again
 * decides. */
#define BEYOND 1e-9

/* A pair that may be first. */
typedef struct maybe {
  size_t index;
  double from; /* s: it certainly does not meet before */
} maybe;

typedef struct first_search {
  const ct_motion_query *query;
  ct_workspace *workspace;
  size_t *waiting; /* [waiting_count] pairs that are not searched yet, ascending */
  size_t waiting_count;
  ct_aabb *swept; /* [moving_count] in the slice */
  maybe *maybe;   /* [maybe_count] */
  size_t maybe_count;
  double best_time, best_upper; /* of the contact whose bracket ends first; INFINITY: none yet */
  size_t searched;
} first_search;

/* ---- slices --------------------------------------------------------------------------------- */

static double slice_time(const ct_toi_options *o, int slice) {
  return slice == SLICES ? o->end : o->begin + (o->end - o->begin) * ((double)slice / SLICES);
}

static ct_status set_slice(first_search *s, int slice) {
  const ct_motion_query *query = s->query;
  const ct_toi_options *o = &query->options.impact;
  for (size_t m = 0; m < query->options.moving_count; m++) {
    if (ct_cancel_raised(query->options.cancel)) return CT_CANCELLED;
    s->swept[m] = ct_motion_swept(query, m, slice_time(o, slice), slice_time(o, slice + 1));
  }
  return CT_OK;
}

static ct_aabb box_of(const first_search *s, uint32_t row) {
  size_t mover;
  ct_aabb box;
  if (ct_motion_find_moving_body(s->query, row, &mover)) return s->swept[mover];
  return ct_query_aabb(s->query->still, row, &box) ? box : ct_aabb_empty();
}

static bool slice_apart(const first_search *s, ct_row_pair pair) {
  ct_aabb a = box_of(s, pair.a), b = box_of(s, pair.b);
  double slack =
      CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * (ct_aabb_magnitude(&a) + ct_aabb_magnitude(&b));
  a = ct_aabb_expand(a, slack);
  return !ct_aabb_overlap(&a, &b);
}

/* ---- the search ----------------------------------------------------------------------------- */

/* Bodies that part at the start have not met again. */
static bool meets(const ct_toi *impact) {
  return impact->event == CT_TOI_CONTACT ||
         (impact->event == CT_TOI_INITIAL && !(impact->flags & CT_TOI_FLAG_SEPARATING_AT_START));
}

/* As far as a pair has to be looked at. A bisection depends on where it ends. */
static double far_enough(const first_search *s) {
  const ct_toi_options *o = &s->query->options.impact;
  if (o->method == CT_TOI_BISECTION || !(s->best_upper < INFINITY)) return o->end;
  return ct_min2(o->end, s->best_upper + o->time_tolerance + BEYOND * (o->end - o->begin));
}

static void note_best(first_search *s, const ct_toi *impact) {
  if (!meets(impact)) return;
  s->best_time = ct_min2(s->best_time, impact->time);
  s->best_upper = ct_min2(s->best_upper, ct_max2(impact->upper, impact->time));
}

static ct_status search_pair(first_search *s, size_t index) {
  ct_toi impact;
  s->searched++;
  ct_status status = ct_motion_toi(s->query, ct_motion_pair(s->query, index), far_enough(s),
                                   s->workspace, &impact);
  if (status != CT_OK || !(meets(&impact) || impact.event == CT_TOI_UNDECIDED)) return status;
  note_best(s, &impact);
  s->maybe[s->maybe_count++] =
      (maybe){index, impact.event == CT_TOI_UNDECIDED ? impact.free_until : impact.lower};
  return CT_OK;
}

/* The pairs that may meet in the slice; those that wait longer stay in order. */
static ct_status search_slice(first_search *s) {
  size_t left = 0;
  ct_status status = CT_OK;
  for (size_t k = 0; k < s->waiting_count && status == CT_OK; k++) {
    if (ct_cancel_raised(s->query->options.cancel)) return CT_CANCELLED;
    if (slice_apart(s, ct_motion_pair(s->query, s->waiting[k]))) s->waiting[left++] = s->waiting[k];
    else status = search_pair(s, s->waiting[k]);
  }
  s->waiting_count = left;
  return status;
}

static ct_status search(first_search *s) {
  const ct_motion_options *o = &s->query->options;
  size_t count = ct_motion_candidates(s->query);
  s->waiting = malloc((count + 1) * sizeof *s->waiting);
  s->maybe = malloc((count + 1) * sizeof *s->maybe);
  s->swept = malloc((o->moving_count + 1) * sizeof *s->swept);
  if (!s->waiting || !s->maybe || !s->swept) return CT_OUT_OF_MEMORY;
  for (; s->waiting_count < count; s->waiting_count++)
    s->waiting[s->waiting_count] = s->waiting_count;
  ct_status status = CT_OK;
  for (int slice = 0; slice < SLICES && status == CT_OK && s->waiting_count > 0; slice++) {
    if (slice_time(&o->impact, slice) > far_enough(s)) break;
    status = set_slice(s, slice);
    if (status == CT_OK) status = search_slice(s);
  }
  return status;
}

static int compare_index(const void *a, const void *b) {
  const maybe *x = a, *y = b;
  return (x->index > y->index) - (x->index < y->index);
}

/* Is nothing certainly earlier? One that is undecided may be first when it is not free for long
 * enough. */
static bool is_first(const first_search *s, const ct_toi *impact) {
  double tolerance = s->query->options.impact.time_tolerance;
  if (impact->event == CT_TOI_UNDECIDED) return impact->free_until <= s->best_upper + tolerance;
  if (!meets(impact)) return false;
  return impact->lower <= s->best_upper || impact->time - s->best_time <= tolerance;
}

static ct_status tell(first_search *s, ct_motion_sink sink, void *context) {
  ct_status status = CT_OK;
  size_t item = 0;
  bool wanted = true;
  qsort(s->maybe, s->maybe_count, sizeof *s->maybe, compare_index);
  double end = far_enough(s);
  for (size_t k = 0; k < s->maybe_count && status == CT_OK && wanted; k++) {
    if (s->maybe[k].from > end) continue;
    ct_row_pair pair = ct_motion_pair(s->query, s->maybe[k].index);
    ct_toi impact;
    s->searched++;
    status = ct_motion_toi(s->query, pair, s->query->options.impact.end, s->workspace, &impact);
    if (status != CT_OK || !is_first(s, &impact)) continue;
    const ct_motion_hit hit = {.a = pair.a, .b = pair.b, .item = item++, .impact = &impact};
    wanted = sink(context, &hit);
  }
  return status;
}

ct_status ct_motion_earliest(const ct_motion_query *query, ct_workspace *workspace,
                             ct_motion_sink sink, void *context, size_t *searched) {
  first_search s = {
      .query = query, .workspace = workspace, .best_time = INFINITY, .best_upper = INFINITY};
  ct_status status = search(&s);
  if (status == CT_OK) status = tell(&s, sink, context);
  free(s.waiting);
  free(s.maybe);
  free(s.swept);
  *searched = s.searched;
  return status;
}
