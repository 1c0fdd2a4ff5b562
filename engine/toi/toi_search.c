/* The search for the first contact of one pair: steps that are certainly free, and what to do where
 * they end. */
#include "toi/toi.h"

/* Ball steps between two distances: each is a few dozen operations. */
#define BALL_STEPS_MAX 64
/* A gap below so many times its uncertainty is little, and a step below this part of it. */
#define STUCK_GAP 4.0
#define STUCK_STEP 0.25
/* Where steps along the bounds take too many distances, this part of them is kept for looking
 * ahead. */
#define AHEAD_PART 8
#define AHEAD_MAX 100

static bool begin_look(ct_toi_search *search) {
  if (ct_cancel_raised(search->options->cancel)) search->status = CT_CANCELLED;
  if (search->spent >= search->most) search->ended = true;
  return search->status == CT_OK && search->spent < search->most;
}

bool ct_toi_evaluate(ct_toi_search *search, double time, ct_toi_sample *sample) {
  if (!begin_look(search)) return false;
  search->spent++;
  if (search->bodies) {
    search->status =
        ct_toi_nearest(search->bodies, time, &search->pair, sample, &search->distances);
    return search->status == CT_OK;
  }
  const ct_pair_options options = {search->options->tolerance, INFINITY};
  search->distances++;
  ct_toi_measure(&search->pair, time, &options, search->workspace, sample);
  if (ct_cancel_raised(search->options->cancel)) search->status = CT_CANCELLED;
  else if (ct_workspace_out_of_memory(search->workspace)) search->status = CT_OUT_OF_MEMORY;
  return search->status == CT_OK;
}

bool ct_toi_skip_separated(const ct_toi_search *search, double *time) {
  ct_toi_sample placed;
  bool near = false;
  for (int i = 0; i < BALL_STEPS_MAX && !near; i++) {
    ct_toi_place_pair(&search->pair, *time, &placed);
    double left = search->limit - *time,
           step = ct_toi_ball_time(&search->pair, &placed, left, &near);
    if (step > 0.0 && step >= left) return true;
    double later = ct_toi_later(*time, step);
    if (!(later > *time)) return false;
    *time = later;
  }
  return false;
}

/* Iterations are about to end: any contact ahead bounds the first one from above. */
static ct_toi_outcome find_any(ct_toi_search *search, const ct_toi_sample *at, ct_toi_sample *met) {
  double step = at->rate < 0.0 ? 1.5 * at->result.distance / -at->rate : 0.0, time = at->time;
  for (search->most = search->options->iterations_max; step > 0.0 && time < search->options->end;
       step *= CT_TOI_AHEAD_GROWTH) {
    time = ct_min2(search->options->end, at->time + step);
    if (!ct_toi_evaluate(search, time, met)) break;
    if (ct_sample_is_contact(met)) return CT_TOI_OUTCOME_CONTACT;
  }
  return CT_TOI_OUTCOME_UNDECIDED;
}

/* Distances that are kept for the end. */
static uint32_t kept_of(uint32_t all) {
  return all / AHEAD_PART < AHEAD_MAX ? all / AHEAD_PART : AHEAD_MAX;
}

/* Certainly apart until then. */
static void note_apart(ct_toi_search *search, double time) {
  search->certain = time;
  if (!search->grazed) search->free = time;
}

ct_toi_outcome ct_toi_start(ct_toi_search *search, double begin, double known, ct_toi_sample *at) {
  search->most = search->options->iterations_max;
  double time = ct_max2(begin, known);
  bool free = ct_toi_skip_separated(search, &time);
  note_apart(search, free ? search->limit : time);
  if (free) return CT_TOI_OUTCOME_FREE;
  if (!ct_toi_evaluate(search, time, at) || ct_sample_is_apart(at)) return CT_TOI_OUTCOME_UNDECIDED;
  /* Steps of balls end where they touch, and rounding may see more than that. */
  if (time > begin && (!ct_toi_evaluate(search, begin, at) || ct_sample_is_apart(at)))
    return CT_TOI_OUTCOME_UNDECIDED;
  return CT_TOI_OUTCOME_CONTACT;
}

/* Angular velocity that takes one sample's normal to the other's. */
static ct_vec3 turn_between(const ct_toi_sample *from, const ct_toi_sample *to) {
  ct_vec3 turn = ct_cross(from->result.normal, to->result.normal);
  return ct_scale(turn, 1.0 / (to->time - from->time));
}

/* Is the contact, at the present rate, so near that the bracket is as narrow as was asked for? */
static bool is_soon(const ct_toi_search *search, const ct_toi_sample *at) {
  return at->upper > 0.0 && 4.0 * at->upper <= -at->rate * search->options->time_tolerance;
}

/* Apart by little more than round-off, do bounds tell much less than the two nearest points alone
 * come to? What turns past another body and all but touches it would take steps of that size. */
static bool is_stuck(const ct_toi_sample *at, double step) {
  double open = at->upper - at->lower;
  return ct_sample_is_apart(at) && at->rate < 0.0 && at->lower < STUCK_GAP * open &&
         -at->rate * step < STUCK_STEP * at->lower;
}

ct_toi_outcome ct_toi_advance(ct_toi_search *search, ct_toi_sample *at, ct_toi_sample *met) {
  bool hurried = search->options->time_tolerance > 0.0;
  ct_toi_sample sure = *at;
  double tried = at->time; /* ahead from there, for nothing */
  search->most = search->options->iterations_max - kept_of(search->options->iterations_max);
  for (;;) {
    note_apart(search, at->time);
    double left = search->limit - at->time, step = ct_toi_separated_time(&search->pair, at, left);
    double time = step < left ? ct_toi_later(at->time, step) : search->limit;
    if (!(time < search->limit) || ct_toi_skip_separated(search, &time)) {
      note_apart(search, search->limit);
      return CT_TOI_OUTCOME_FREE;
    }
    bool soon = hurried && is_soon(search, at),
         stuck = !soon && at->time >= tried && is_stuck(at, step);
    bool on = time > at->time && !soon && !stuck;
    if (on) note_apart(search, time);
    if (on && !ct_toi_evaluate(search, time, met))
      return search->status == CT_OK ? find_any(search, at, met) : CT_TOI_OUTCOME_UNDECIDED;
    if (on && ct_sample_is_contact(met)) return CT_TOI_OUTCOME_CONTACT;
    if (on) met->turn = turn_between(at, met);
    if (on) *at = *met;
    if (ct_sample_is_apart(at)) sure = *at;
    if (on && ct_sample_is_apart(at)) continue;
    ct_toi_outcome outcome = ct_toi_search_past_straddle(search, &sure, at, met, soon);
    if (outcome == CT_TOI_OUTCOME_UNDECIDED && search->status == CT_OK &&
        at->time < search->options->end)
      return find_any(search, at, met);
    /* The direction of meshes is that of before. */
    bool mesh =
        ct_kind_is_mesh(search->pair.a.shape->kind) || ct_kind_is_mesh(search->pair.b.shape->kind);
    if (outcome == CT_TOI_OUTCOME_CONTACT && mesh) *at = sure;
    if (outcome != CT_TOI_OUTCOME_FREE) return outcome;
    hurried = hurried && !soon;
    /* Nothing was found, and nothing passed over: back to small steps. */
    bool back = soon || (stuck && met->rate < 0.0 && met->result.distance < at->result.distance);
    if (back) tried = met->time;
    else *at = *met;
  }
}
