/* The search for the first contact of one pair: steps that are certainly free, and what to do where they end. */
#include "motion/impact.h"

/* Ball steps between two distances: each is a few dozen operations. */
#define BALL_STEPS_MAX 64
/* Where steps along the bounds take too many distances, this part of them is kept for looking ahead. */
#define AHEAD_PART 8
#define AHEAD_MAX 100
/* How much farther each look ahead goes than the one before. */
#define AHEAD_GROWTH 4.0
#define FIRST_PART 0x1p-20
/* Looks for the least distance of a graze: halvings of a stretch down to its rounding. */
#define NEAREST_MAX 60

static bool begin_look(ct_impact_search *search) {
  if (ct_cancel_raised(search->options->cancel)) search->status = CT_CANCELLED;
  return search->status == CT_OK && search->spent < search->most;
}

bool ct_impact_look(ct_impact_search *search, double time, ct_impact_sample *sample) {
  if (!begin_look(search)) return false;
  if (search->bodies) {
    uint32_t distances = 0;
    search->spent++;
    search->status = ct_impact_nearest(search->bodies, time, &search->pair, sample, &distances);
    return search->status == CT_OK;
  }
  const ct_pair_options options = {search->options->tolerance, INFINITY};
  search->spent++;
  ct_impact_measure(&search->pair, time, &options, search->workspace, sample);
  if (ct_cancel_raised(search->options->cancel)) search->status = CT_CANCELLED;
  else if (ct_workspace_starved(search->workspace)) search->status = CT_OUT_OF_MEMORY;
  return search->status == CT_OK;
}

bool ct_impact_skip(const ct_impact_search *search, double *time) {
  ct_impact_sample placed;
  bool near = false;
  for (int i = 0; i < BALL_STEPS_MAX && !near; i++) {
    ct_impact_place_pair(&search->pair, *time, &placed);
    double left = search->limit - *time, step = ct_impact_ball_time(&search->pair, &placed, left, &near);
    if (step > 0.0 && step >= left) return true;
    double later = ct_impact_later(*time, step);
    if (!(later > *time)) return false;
    *time = later;
  }
  return false;
}

/* ---- where no step can be made ---- */

double ct_impact_ahead(const ct_impact_sample *s, double end, double sign) {
  double least = 4.0 * CT_UNIT_ROUNDOFF * ct_max2(s->time, FIRST_PART * end), rate = sign * s->rate;
  double band = sign > 0.0 ? -s->lower : s->upper;
  double ahead = rate > 0.0 && band > 0.0 ? 2.0 * band / rate : 0.0;
  return ct_max2(ahead, least);
}

static void note_graze(ct_impact_search *search, double time, double distance) {
  if (search->grazed) return;
  search->grazed = true;
  search->graze_time = time;
  search->graze_distance = distance;
}

/* Between two samples, neither certainly in contact: the least distance, by halving on the sign of its rate. True: a contact was
 * found after all, in *met. */
static bool nearest_between(ct_impact_search *search, ct_impact_sample *low, ct_impact_sample *high, ct_impact_sample *met) {
  const ct_impact_sample *nearest = high->result.distance < low->result.distance ? high : low;
  double time = nearest->time, distance = nearest->result.distance, from = low->time, to = high->time;
  double rate_from = low->rate, rate_to = high->rate;
  for (int i = 0; i < NEAREST_MAX && rate_from < 0.0 && rate_to > 0.0; i++) {
    double secant = from + (to - from) * (rate_from / (rate_from - rate_to)), middle = 0.5 * (from + to);
    double next = i % 3 == 2 || !(secant > from && secant < to) ? middle : secant;
    if (!(next > from && next < to) || !ct_impact_look(search, next, met)) break;
    if (ct_sample_meets(met)) return true;
    if (met->result.distance <= distance) {
      time = next;
      distance = met->result.distance;
    }
    if (met->rate == 0.0) break;
    if (met->rate < 0.0) {
      from = next;
      rate_from = met->rate;
    } else {
      to = next;
      rate_to = met->rate;
    }
  }
  note_graze(search, time, distance);
  return false;
}

/* From *at, which bounds cannot tell from contact, on in growing steps until one can. FREE: *next is apart; MET: it is in contact.
 * Tentative: *at is well apart, and one who finds nothing comes back to it. */
static ct_impact_outcome look_ahead(ct_impact_search *search, ct_impact_sample *at, ct_impact_sample *next, bool tentative) {
  ct_impact_sample low = *at;
  double step = ct_impact_ahead(at, search->options->end, -1.0), end = search->options->end;
  while (low.time < end) {
    double time = ct_min2(end, low.time + step);
    if (!ct_impact_look(search, time, next)) return CT_OUTCOME_LOST;
    if (ct_sample_meets(next)) return CT_OUTCOME_MET;
    if (ct_sample_apart(next)) {
      if (tentative) return CT_OUTCOME_FREE;
      ct_impact_sample met;
      if (!nearest_between(search, &low, next, &met)) return search->status == CT_OK ? CT_OUTCOME_FREE : CT_OUTCOME_LOST;
      *next = met;
      return CT_OUTCOME_MET;
    }
    low = *next;
    step *= AHEAD_GROWTH;
  }
  return CT_OUTCOME_LOST;
}

/* Iterations are about to end: any contact ahead bounds the first one from above. */
static ct_impact_outcome find_any(ct_impact_search *search, const ct_impact_sample *at, ct_impact_sample *met) {
  double step = at->rate < 0.0 ? 1.5 * at->result.distance / -at->rate : 0.0, time = at->time;
  for (search->most = search->options->iterations_max; step > 0.0 && time < search->options->end; step *= AHEAD_GROWTH) {
    time = ct_min2(search->options->end, at->time + step);
    if (!ct_impact_look(search, time, met)) break;
    if (ct_sample_meets(met)) return CT_OUTCOME_MET;
  }
  return CT_OUTCOME_LOST;
}

uint32_t ct_impact_kept(uint32_t all) { return all / AHEAD_PART < AHEAD_MAX ? all / AHEAD_PART : AHEAD_MAX; }

/* Certainly apart until then. */
static void note_apart(ct_impact_search *search, double time) {
  search->certain = time;
  if (!search->grazed) search->free = time;
}

ct_impact_outcome ct_impact_start(ct_impact_search *search, double begin, ct_impact_sample *at) {
  search->most = search->options->iterations_max;
  double time = begin;
  bool free = ct_impact_skip(search, &time);
  note_apart(search, free ? search->limit : time);
  if (free) return CT_OUTCOME_FREE;
  if (!ct_impact_look(search, time, at) || ct_sample_apart(at)) return CT_OUTCOME_LOST;
  /* Steps of balls end where they touch, and rounding may see more than that. */
  if (time > begin && (!ct_impact_look(search, begin, at) || ct_sample_apart(at))) return CT_OUTCOME_LOST;
  return CT_OUTCOME_MET;
}

/* Angular velocity that takes one sample's normal to the other's. */
static ct_vec3 turn_between(const ct_impact_sample *from, const ct_impact_sample *to) {
  ct_vec3 turn = ct_cross(from->result.normal, to->result.normal);
  return ct_scale(turn, 1.0 / (to->time - from->time));
}

/* Is the contact, at the present rate, so near that the bracket is as narrow as was asked for? */
static bool is_soon(const ct_impact_search *search, const ct_impact_sample *at) {
  return at->upper > 0.0 && 4.0 * at->upper <= -at->rate * search->options->time_tolerance;
}

ct_impact_outcome ct_impact_advance(ct_impact_search *search, ct_impact_sample *at, ct_impact_sample *met) {
  bool hurried = search->options->time_tolerance > 0.0;
  search->most = search->options->iterations_max - ct_impact_kept(search->options->iterations_max);
  for (;;) {
    note_apart(search, at->time);
    double left = search->limit - at->time, step = ct_impact_free_time(&search->pair, at, left);
    double time = step < left ? ct_impact_later(at->time, step) : search->limit;
    if (!(time < search->limit) || ct_impact_skip(search, &time)) {
      note_apart(search, search->limit);
      return CT_OUTCOME_FREE;
    }
    bool soon = hurried && is_soon(search, at), on = time > at->time && !soon;
    if (on) note_apart(search, time);
    if (on && !ct_impact_look(search, time, met)) return search->status == CT_OK ? find_any(search, at, met) : CT_OUTCOME_LOST;
    if (on && ct_sample_meets(met)) return CT_OUTCOME_MET;
    if (on) met->turn = turn_between(at, met);
    if (on) *at = *met;
    if (on && ct_sample_apart(at)) continue;
    ct_impact_outcome outcome = look_ahead(search, at, met, soon);
    if (outcome == CT_OUTCOME_LOST && search->status == CT_OK && at->time < search->options->end) return find_any(search, at, met);
    if (outcome != CT_OUTCOME_FREE) return outcome;
    hurried = hurried && !soon;
    if (!soon) *at = *met;
  }
}
