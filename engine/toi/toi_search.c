/* The search for the first contact of one pair. */
#include "toi/toi.h"

/* ---- past a time at which bounds straddle zero ----------------------------------------------- */

#define FIRST_PART 0x1p-20
/* Looks for the least distance of a graze: halvings of a stretch down to its rounding. */
#define NEAREST_MAX 60
/* Beyond a graze one goes on while bounds tell less than this part of the time since before it,
 * some times. */
#define STUCK_PART 0.125
#define STUCK_MAX 4

double ct_toi_initial_lookahead(const ct_toi_sample *s, double end, double sign) {
  double least = 4.0 * CT_UNIT_ROUNDOFF * ct_max2(s->time, FIRST_PART * end), rate = sign * s->rate;
  double band = sign > 0.0 ? -s->lower : s->upper;
  double ahead = rate > 0.0 && band > 0.0 ? 2.0 * band / rate : 0.0;
  return ct_max2(ahead, least);
}

/* Samples of which none is certainly in contact: the nearest of them, and those next to it in time.
 */
typedef struct near_samples {
  ct_toi_sample before, nearest, after;
  bool is_last; /* nothing is after it yet */
} near_samples;

static void note_near_sample(near_samples *near, const ct_toi_sample *last,
                             const ct_toi_sample *next) {
  if (next->result.distance < near->nearest.result.distance) {
    near->before = *last;
    near->nearest = *next;
    near->is_last = true;
  } else if (near->is_last) {
    near->after = *next;
    near->is_last = false;
  }
}

/* Is s nearer, or, as far as the distances tell, where that changes less? */
static bool is_nearer_sample(const ct_toi_sample *s, const ct_toi_sample *nearest) {
  double open = s->upper - s->lower, more = s->result.distance - nearest->result.distance;
  return more <= -open || (more <= open && fabs(s->rate) <= fabs(nearest->rate));
}

/* The least distance about the nearest, which is brought there, by halving on the sign of its rate.
 * True: that is a contact. */
static bool minimise_distance(ct_toi_search *search, near_samples *near) {
  bool comes = near->nearest.rate < 0.0;
  const ct_toi_sample *low = comes ? &near->nearest : &near->before,
                      *high = comes ? &near->after : &near->nearest;
  double from = low->time, to = high->time, rate_from = low->rate, rate_to = high->rate;
  ct_toi_sample now;
  for (int i = 0; i < NEAREST_MAX && rate_from < 0.0 && rate_to > 0.0; i++) {
    double secant = from + (to - from) * (rate_from / (rate_from - rate_to)),
           middle = 0.5 * (from + to);
    double next = i % 3 == 2 || !(secant > from && secant < to) ? middle : secant;
    if (!(next > from && next < to) || !ct_toi_evaluate(search, next, &now)) break;
    bool meets = ct_sample_is_contact(&now);
    if (meets || is_nearer_sample(&now, &near->nearest)) near->nearest = now;
    if (meets) return true;
    if (now.rate == 0.0) break;
    if (now.rate < 0.0) {
      from = next;
      rate_from = now.rate;
    } else {
      to = next;
      rate_to = now.rate;
    }
  }
  return false;
}

/* The nearest sample of a graze, and the first one behind it that is certainly apart. */
static void record_graze(ct_toi_search *search, const ct_toi_sample *s,
                         const ct_toi_sample *apart) {
  if (search->grazed) return;
  search->grazed = true;
  search->graze_time = s->time;
  search->graze_distance = s->result.distance;
  search->graze_end = apart->time;
}

/* Only surfaces can pass through each other between two times at which they do not cross: the
 * direction from one to the other is turned round. */
static bool have_surface(const ct_toi_pair *pair) {
  return ct_toi_is_open_surface(pair->a.shape) || ct_toi_is_open_surface(pair->b.shape);
}

static bool has_passed_through(const ct_toi_search *search, const ct_toi_sample *sure,
                               const ct_toi_sample *next) {
  return have_surface(&search->pair) && ct_dot(sure->result.normal, next->result.normal) < 0.0;
}

/* Apart before, apart after, and between the two so near that round-off cannot tell, or in contact
 * at one time. */
static ct_toi_outcome classify_straddle(ct_toi_search *search, const ct_toi_sample *sure,
                                        near_samples *near, ct_toi_sample *next) {
  bool met = ct_sample_is_contact(&near->nearest) || minimise_distance(search, near);
  bool passed = has_passed_through(search, sure, next);
  if (passed) {
    search->passed_at = next->time;
    near->nearest.result.normal = sure->result.normal;
  }
  if (passed || met) {
    *next = near->nearest;
    return CT_TOI_OUTCOME_CONTACT;
  }
  record_graze(search, &near->nearest, next);
  return search->status == CT_OK ? CT_TOI_OUTCOME_FREE : CT_TOI_OUTCOME_UNDECIDED;
}

/* Apart again, do bounds still tell next to nothing, of what was looked over, so that one had
 * better go farther? */
static bool is_still_stuck(const ct_toi_search *search, const ct_toi_sample *at,
                           const ct_toi_sample *s) {
  double left = search->limit - s->time;
  return left > 0.0 &&
         ct_toi_separated_time(&search->pair, s, left) < STUCK_PART * (s->time - at->time);
}

static ct_toi_outcome search_past_straddle(ct_toi_search *search, const ct_toi_sample *sure,
                                           const ct_toi_sample *at, ct_toi_sample *next,
                                           bool tentative) {
  ct_toi_sample low = *at;
  bool planes = ct_toi_are_planes(&search->pair);
  /* Half-spaces that turn overlap as soon as that can be reported. */
  if (planes) low.rate = 0.0;
  double end = search->options->end, step = ct_toi_initial_lookahead(&low, end, -1.0);
  int stuck = 0;
  near_samples near = {.before = *sure, .nearest = *at, .is_last = true};
  /* Of surfaces in contact at one time the next look says whether they only pass then, which
   * rounding may place too early. */
  bool once = have_surface(&search->pair), touched = false;
  while (low.time < end) {
    double time = ct_min2(end, low.time + step);
    if (!ct_toi_evaluate(search, time, next)) break;
    bool meets = ct_sample_is_contact(next);
    if (meets && !once) return CT_TOI_OUTCOME_CONTACT;
    if (meets && touched) break;
    touched = touched || meets;
    note_near_sample(&near, &low, next);
    bool comes = ct_sample_is_apart(at) && near.is_last && next->rate < 0.0;
    if (ct_sample_is_apart(next) && !planes && (tentative || comes) && !touched)
      return CT_TOI_OUTCOME_FREE;
    bool longer = (planes || (stuck < STUCK_MAX && !has_passed_through(search, sure, next))) &&
                  is_still_stuck(search, at, next);
    if (ct_sample_is_apart(next) && !longer) {
      if (near.is_last) near.after = *next;
      return classify_straddle(search, sure, &near, next);
    }
    stuck += ct_sample_is_apart(next);
    low = *next;
    step *= CT_TOI_AHEAD_GROWTH;
  }
  if (search->status != CT_OK || !touched) return CT_TOI_OUTCOME_UNDECIDED;
  *next = near.nearest;
  return CT_TOI_OUTCOME_CONTACT;
}

/* ---- advancement ----------------------------------------------------------------------------- */

/* Ball steps between two distances: each is a few dozen operations. */
#define BALL_STEPS_MAX 64
/* A gap below so many times its uncertainty is little, and a step below this part of it. */
#define STUCK_GAP 4.0
#define STUCK_STEP 0.25
/* Where steps along the bounds take too many distances, this part of them is kept for looking
 * ahead. */
#define AHEAD_PART 8
#define AHEAD_MAX 100

static bool may_evaluate(ct_toi_search *search) {
  if (ct_cancel_raised(search->options->cancel)) search->status = CT_CANCELLED;
  if (search->evaluations >= search->evaluations_max) search->out_of_evaluations = true;
  return search->status == CT_OK && search->evaluations < search->evaluations_max;
}

bool ct_toi_evaluate(ct_toi_search *search, double time, ct_toi_sample *sample) {
  if (!may_evaluate(search)) return false;
  search->evaluations++;
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

static bool skip_separated_balls(const ct_toi_search *search, double *time) {
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
static ct_toi_outcome search_any_contact(ct_toi_search *search, const ct_toi_sample *at,
                                         ct_toi_sample *met) {
  double step = at->rate < 0.0 ? 1.5 * at->result.distance / -at->rate : 0.0, time = at->time;
  for (search->evaluations_max = search->options->iterations_max;
       step > 0.0 && time < search->options->end; step *= CT_TOI_AHEAD_GROWTH) {
    time = ct_min2(search->options->end, at->time + step);
    if (!ct_toi_evaluate(search, time, met)) break;
    if (ct_sample_is_contact(met)) return CT_TOI_OUTCOME_CONTACT;
  }
  return CT_TOI_OUTCOME_UNDECIDED;
}

/* Distances that are kept for the end. */
static uint32_t reserved_evaluations(uint32_t all) {
  return all / AHEAD_PART < AHEAD_MAX ? all / AHEAD_PART : AHEAD_MAX;
}

/* Certainly apart until then. */
static void extend_apart(ct_toi_search *search, double time) {
  search->apart_until = time;
  if (!search->grazed) search->free_until = time;
}

ct_toi_outcome ct_toi_start(ct_toi_search *search, double begin, double known, ct_toi_sample *at) {
  search->evaluations_max = search->options->iterations_max;
  double time = ct_max2(begin, known);
  bool free = skip_separated_balls(search, &time);
  extend_apart(search, free ? search->limit : time);
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
static bool is_bracket_narrow(const ct_toi_search *search, const ct_toi_sample *at) {
  return at->upper > 0.0 && 4.0 * at->upper <= -at->rate * search->options->time_tolerance;
}

/* Apart by little more than round-off, do bounds tell much less than the two nearest points alone
 * come to? What turns past another body and all but touches it would take steps of that size. */
static bool is_advance_stuck(const ct_toi_sample *at, double step) {
  double open = at->upper - at->lower;
  return ct_sample_is_apart(at) && at->rate < 0.0 && at->lower < STUCK_GAP * open &&
         -at->rate * step < STUCK_STEP * at->lower;
}

ct_toi_outcome ct_toi_advance(ct_toi_search *search, ct_toi_sample *at, ct_toi_sample *met) {
  bool hurried = search->options->time_tolerance > 0.0;
  ct_toi_sample sure = *at;
  double tried = at->time; /* ahead from there, for nothing */
  search->evaluations_max =
      search->options->iterations_max - reserved_evaluations(search->options->iterations_max);
  for (;;) {
    extend_apart(search, at->time);
    double left = search->limit - at->time, step = ct_toi_separated_time(&search->pair, at, left);
    double time = step < left ? ct_toi_later(at->time, step) : search->limit;
    if (!(time < search->limit) || skip_separated_balls(search, &time)) {
      extend_apart(search, search->limit);
      return CT_TOI_OUTCOME_FREE;
    }
    bool soon = hurried && is_bracket_narrow(search, at),
         stuck = !soon && at->time >= tried && is_advance_stuck(at, step);
    bool on = time > at->time && !soon && !stuck;
    if (on) extend_apart(search, time);
    if (on && !ct_toi_evaluate(search, time, met))
      return search->status == CT_OK ? search_any_contact(search, at, met)
                                     : CT_TOI_OUTCOME_UNDECIDED;
    if (on && ct_sample_is_contact(met)) return CT_TOI_OUTCOME_CONTACT;
    if (on) met->turn = turn_between(at, met);
    if (on) *at = *met;
    if (ct_sample_is_apart(at)) sure = *at;
    if (on && ct_sample_is_apart(at)) continue;
    ct_toi_outcome outcome = search_past_straddle(search, &sure, at, met, soon);
    if (outcome == CT_TOI_OUTCOME_UNDECIDED && search->status == CT_OK &&
        at->time < search->options->end)
      return search_any_contact(search, at, met);
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
