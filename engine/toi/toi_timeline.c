/* Times at which contacts of two bodies begin and end: searches alternate between the next contact
 * and the next separation. */
#include "base/array.h"
#include "toi/toi.h"

#include <assert.h>
#include <stdlib.h>

void ct_timeline_free(ct_timeline *timeline) {
  free(timeline->changes);
  free(timeline->grazes);
  *timeline = (ct_timeline){.changes = NULL};
}

static ct_status append_change(ct_timeline *timeline, const ct_contact_change *change) {
  assert(timeline->count == 0 || timeline->changes[timeline->count - 1].began != change->began);
  if (!ct_array_reserve(&timeline->changes, &timeline->capacity, timeline->count + 1,
                        sizeof *timeline->changes))
    return CT_OUT_OF_MEMORY;
  timeline->changes[timeline->count++] = *change;
  return CT_OK;
}

ct_status ct_timeline_append_graze(ct_timeline *timeline, const ct_toi *impact) {
  if (!ct_array_reserve(&timeline->grazes, &timeline->graze_capacity, timeline->graze_count + 1,
                        sizeof *timeline->grazes))
    return CT_OUT_OF_MEMORY;
  timeline->grazes[timeline->graze_count++] =
      (ct_graze){impact->graze_time, impact->graze_distance};
  return CT_OK;
}

/* Result of one search for the next change. */
typedef struct step {
  bool changed;
  ct_contact_change change;
  double known; /* if nothing changed: the state is known until this time, s */
} step;

static ct_contact_change change_of(const ct_toi *reported, bool began) {
  return (ct_contact_change){.began = began,
                             .time = reported->time,
                             .lower = reported->lower,
                             .upper = reported->upper,
                             .collider_a = reported->collider_a,
                             .collider_b = reported->collider_b,
                             .contact = reported->contact,
                             .normal_velocity = reported->normal_velocity};
}

/* Searches from options->begin, where the bodies are apart, to the next contact. If grazes are
 * listed, the search is repeated from the end of each, and ends at a graze beyond the limit. */
static ct_status next_contact(const ct_toi_bodies *bodies, ct_toi_options *options, size_t limit,
                              ct_timeline *timeline, step *out) {
  ct_toi impact;
  ct_status status = ct_toi_first(bodies, &impact);
  /* list grazes before the contact */
  while (status == CT_OK && options->list_grazes && impact.flags & CT_TOI_FLAG_GRAZE) {
    if (timeline->graze_count == limit) {
      out->known = impact.graze_time;
      return CT_OK;
    }
    status = ct_timeline_append_graze(timeline, &impact);
    if (status != CT_OK || !(impact.graze_end > options->begin)) break;
    options->begin = impact.graze_end;
    status = ct_toi_first(bodies, &impact);
  }
  if (status != CT_OK) return status;
  /* report the contact, or the time until which nothing changes */
  out->changed = impact.event == CT_TOI_CONTACT;
  if (out->changed) out->change = change_of(&impact, true);
  out->known = impact.event == CT_TOI_NONE ? options->end : impact.free_until;
  return CT_OK;
}

/* Searches from options->begin, where the bodies are in contact, to the time at which all pairs of
 * colliders are apart. */
static ct_status next_parting(const ct_toi_bodies *bodies, const ct_toi_options *options,
                              step *out) {
  ct_toi_search search = {
      .options = options, .workspace = bodies->workspace, .bodies = bodies, .limit = options->end};
  ct_toi_sample at, separated, root;
  search.evaluations_max = options->iterations_max;
  if (!ct_toi_evaluate(&search, options->begin, &at)) return search.status;
  /* advance to the first sample apart */
  ct_toi_outcome outcome = ct_toi_search_separation(&search, &at, &separated);
  out->changed = outcome == CT_TOI_OUTCOME_FREE;
  out->known = at.time;
  if (!out->changed) return search.status;
  /* find the root of the distance and its bracket */
  search.evaluations_max = UINT32_MAX;
  root = at;
  if (at.result.distance <= 0.0) ct_toi_root(&search, &at, &separated, &root);
  if (search.status != CT_OK) return search.status;
  ct_toi reported;
  ct_toi_write_result(&root, &reported);
  reported.lower = ct_min2(search.contact_until, root.time);
  reported.upper = ct_toi_narrow_bracket(&search, &root, separated.time, true);
  out->change = change_of(&reported, false);
  return search.status;
}

static ct_status follow_contact_changes(const ct_toi_bodies *bodies, size_t limit,
                                        ct_timeline *timeline) {
  ct_toi_options options = *bodies->options;
  ct_toi_bodies now = *bodies;
  now.options = &options;
  bool touching = timeline->in_contact;
  ct_status status = CT_OK;
  while (status == CT_OK && options.begin < options.end) {
    step next = {.changed = false};
    /* find the next change of the state */
    status = touching ? next_parting(&now, &options, &next)
                      : next_contact(&now, &options, limit, timeline, &next);
    if (status != CT_OK) break;
    /* no change, or no more changes requested: the timeline ends */
    bool full = next.changed && timeline->count == limit;
    if (!next.changed || full) {
      timeline->known_until = full ? next.change.lower : next.known;
      timeline->status =
          timeline->known_until < options.end || full ? CT_TIMELINE_LIMIT : CT_TIMELINE_COMPLETE;
      break;
    }
    status = append_change(timeline, &next.change);
    touching = !touching;
    options.begin = next.change.upper;
  }
  return status;
}

ct_status ct_body_timeline(ct_moving_body a, ct_moving_body b, const ct_toi_options *options,
                           size_t limit, ct_workspace *workspace, ct_timeline *timeline) {
  if (!ct_toi_is_supported(a, b, options)) return CT_LIMIT;
  if (limit == 0) limit = CT_CHANGES_MAX;
  timeline->count = timeline->graze_count = 0;
  timeline->in_contact = false;
  timeline->status = CT_TIMELINE_COMPLETE;
  timeline->known_until = options->end;
  if (ct_body_collider_count(a.body) == 0 || ct_body_collider_count(b.body) == 0) return CT_OK;
  /* set defaults */
  ct_toi_options first = *options;
  first.method = CT_TOI_CONSERVATIVE_ADVANCEMENT;
  if (first.iterations_max == 0) first.iterations_max = CT_TOI_ITERATIONS;
  ct_toi_bodies bodies;
  ct_toi_pair pair;
  ct_toi_sample sample;
  uint32_t distances = 0;
  /* find the state at the begin, then its changes */
  ct_status status = ct_toi_bodies_set(&bodies, a, b, &first, workspace);
  if (status == CT_OK) status = ct_toi_nearest(&bodies, options->begin, &pair, &sample, &distances);
  if (status != CT_OK) return status;
  timeline->in_contact = !ct_sample_is_apart(&sample);
  return follow_contact_changes(&bodies, limit, timeline);
}
