/* The search for the first contact of one pair: conservative advancement (Mirtich 1996, section
 * 2.3) with bounds of the distance, as a state machine. If the bounds straddle zero, it samples
 * beyond that time to distinguish contacts, grazes, and open surfaces that pass through each other.
 * README.md of this folder has the derivation.
 *
 * Every time until which the pair is reported as apart is certified by a motion bound, except for
 * steps below the resolution of time and the instants of grazes. At most options->iterations_max
 * samples are evaluated. */
#include "toi/toi.h"

#include <assert.h>

/* Largest number of steps by bounding balls between two samples; each costs a few dozen
 * operations. */
#define BALL_STEPS_MAX 64
/* The first step of a lookahead is at least the resolution of doubles at this fraction of `end`,
 * also at earlier times. */
#define FIRST_PART 0x1p-20
/* Largest number of samples that locate the least distance of a graze: bisection to round-off. */
#define GRAZE_SAMPLES_MAX 60
/* An advance is stuck if the gap is below STUCK_GAP times its uncertainty, and the certified step
 * so short that the gap decreases by less than STUCK_STEP of itself at the present rate. */
#define STUCK_GAP 4.0
#define STUCK_STEP 0.25
/* Behind a straddle, the lookahead continues, at most STUCK_MAX times, while motion bounds certify
 * less than this fraction of the time since the straddle. */
#define STUCK_PART 0.125
#define STUCK_MAX 4
/* Samples reserved for state EXHAUSTED: one in RESERVED_PART of all, at most RESERVED_MAX. */
#define RESERVED_PART 8
#define RESERVED_MAX 100

/* ---- samples -------------------------------------------------------------------------------- */

static bool may_evaluate(ct_toi_search *search) {
  if (ct_cancel_raised(search->options->cancel)) search->status = CT_CANCELLED;
  if (search->evaluations >= search->evaluations_max) search->out_of_evaluations = true;
  return search->status == CT_OK && search->evaluations < search->evaluations_max;
}

bool ct_toi_evaluate(ct_toi_search *search, double time, ct_toi_sample *sample) {
  assert(time >= search->options->begin && time <= search->options->end);
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

/* Advances *time while the bounding balls are certainly apart and not near each other. Returns true
 * if the limit is reached. */
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

/* Records that the pair is certainly apart until the time. */
static void extend_apart(ct_toi_search *search, double time) {
  assert(time >= search->apart_until && search->free_until <= search->apart_until);
  search->apart_until = time;
  if (!search->grazed) search->free_until = time;
}

ct_toi_outcome ct_toi_start(ct_toi_search *search, double begin, double known, ct_toi_sample *at) {
  assert(search->evaluations == 0 && !search->grazed);
  search->evaluations_max = search->options->iterations_max;
  double time = ct_max2(begin, known);
  bool is_free = skip_separated_balls(search, &time);
  extend_apart(search, is_free ? search->limit : time);
  if (is_free) return CT_TOI_OUTCOME_FREE;
  if (!ct_toi_evaluate(search, time, at) || ct_sample_is_apart(at)) return CT_TOI_OUTCOME_UNDECIDED;
  /* The balls may touch where the steps by balls end; the sample there may then straddle zero by
   * round-off. */
  if (time > begin && (!ct_toi_evaluate(search, begin, at) || ct_sample_is_apart(at)))
    return CT_TOI_OUTCOME_UNDECIDED;
  return CT_TOI_OUTCOME_CONTACT;
}

double ct_toi_initial_lookahead(const ct_toi_sample *s, double end, double sign) {
  assert(sign == 1.0 || sign == -1.0);
  double least = 4.0 * CT_UNIT_ROUNDOFF * ct_max2(s->time, FIRST_PART * end), rate = sign * s->rate;
  double band = sign > 0.0 ? -s->lower : s->upper;
  double ahead = rate > 0.0 && band > 0.0 ? 2.0 * band / rate : 0.0;
  return ct_max2(ahead, least);
}

/* ---- the machine ----------------------------------------------------------------------------
 *
 *              +--------------------- apart ---------------------+
 *              v                                                 |
 *   start -> APART ------ certified to a later time --------> STEP
 *            ^ | ^                                               |
 *            | | +-------- nothing found ------+                 |
 *      graze | |                               |                 | bounds straddle zero
 *            | +---- no certified step ---> STRADDLE <-----------+
 *            |                               |  ^  |
 *            +----- BEYOND <---- apart ------+  +--+ not apart: four times the step
 *
 *   FREE       after APART: certified until the limit
 *   CONTACT    after STEP, STRADDLE, EXHAUSTED: a sample is in contact; after BEYOND: the nearest
 *              sample is, or open surfaces passed through each other
 *   EXHAUSTED  after STEP, STRADDLE: no samples left, or the end of the motion is not apart
 *   UNDECIDED  after EXHAUSTED: no contact found; after any state: the status is not CT_OK
 *
 * Invariants: free_until <= apart_until <= at->time in APART and STRADDLE; apart_until grows; at is
 * apart in APART, next is apart in BEYOND.
 */
typedef enum toi_state {
  TOI_STATE_APART,     /* certainly apart at *at: motion bounds choose the next time */
  TOI_STATE_STEP,      /* certainly apart until that time: evaluate there */
  TOI_STATE_STRADDLE,  /* motion bounds certify no step from *at: sample ahead in growing steps */
  TOI_STATE_BEYOND,    /* *next is apart behind a straddle: decide what happened in between */
  TOI_STATE_EXHAUSTED, /* no certified step: spend the reserved samples on any contact ahead */
  /* Final. */
  TOI_STATE_FREE,
  TOI_STATE_CONTACT,
  TOI_STATE_UNDECIDED,
} toi_state;
#define RUNNING_STATES TOI_STATE_FREE

/* The nearest sample of a lookahead that is not certainly in contact, and its neighbours in
 * time. */
typedef struct near_samples {
  ct_toi_sample before, nearest, after;
  bool is_last; /* no sample has been evaluated after `nearest` */
} near_samples;

typedef struct toi_machine {
  ct_toi_search *search;
  ct_toi_sample *
      at; /* APART: the sample, which is apart. STRADDLE: the sample at which the lookahead began */
  ct_toi_sample *next; /* the sample evaluated last; in state CONTACT, the result of the search */
  ct_toi_sample
      last_apart;     /* the last sample that is apart; its normal is used for a mesh contact */
  double time;        /* STEP: time to evaluate, s */
  double retry_after; /* end of the last lookahead without a result, s; before this time, `is_stuck`
                         starts none */
  bool narrow_bracket; /* a bracket as narrow as time_tolerance suffices, so that a predicted
                          contact may be tried */
  /* Reasons for which a lookahead began although the bounds do not straddle zero: */
  bool is_tentative; /* a contact is predicted within time_tolerance; if there is none, the search
                        returns to *at */
  bool is_stuck;     /* steps with a proof that the pair stays apart are much shorter than the
                        present rate of approach suggests */
  /* STRADDLE and BEYOND: */
  ct_toi_sample low; /* the sample before *next */
  double step;
  int continuations;         /* number of samples apart from which the lookahead continued */
  near_samples near;         /* nearest sample since *at */
  bool planes, open_surface; /* both shapes are half-spaces; at least one is an open surface */
  bool touched; /* open surfaces were in contact at one sample; a contact at a second sample must
                   confirm this */
} toi_machine;

/* ---- state APART ---------------------------------------------------------------------------- */

/* True if the present rate predicts a contact within a fraction of time_tolerance. */
static bool is_bracket_narrow(const ct_toi_search *search, const ct_toi_sample *at) {
  return at->upper > 0.0 && 4.0 * at->upper <= -at->rate * search->options->time_tolerance;
}

/* True if the gap is little more than round-off, and motion bounds certify a much shorter time than
 * the rate of the two nearest points suggests: for example, a vertex that rotates past the other
 * body at a tiny distance. */
static bool is_advance_stuck(const ct_toi_sample *at, double step) {
  double uncertainty = at->upper - at->lower;
  return at->rate < 0.0 && at->lower < STUCK_GAP * uncertainty &&
         -at->rate * step < STUCK_STEP * at->lower;
}

/* True if at least one side is an open surface. Only open surfaces can pass through each other
 * between two samples apart; the normal is then reversed. */
static bool have_open_surface(const ct_toi_pair *pair) {
  return ct_toi_is_open_surface(pair->a.shape) || ct_toi_is_open_surface(pair->b.shape);
}

static toi_state begin_lookahead(toi_machine *m) {
  assert(m->search->apart_until == m->at->time);
  m->low = *m->at;
  m->planes = ct_toi_are_planes(&m->search->pair);
  /* Half-spaces that rotate overlap as soon as their angle exceeds round-off, so the rate predicts
   * nothing. */
  if (m->planes) m->low.rate = 0.0;
  m->step = ct_toi_initial_lookahead(&m->low, m->search->options->end, -1.0);
  m->continuations = 0;
  m->near.before = m->last_apart;
  m->near.nearest = *m->at;
  m->near.is_last = true;
  /* Open surfaces in contact at one sample may only be passing through each other; a second sample
   * in contact decides. */
  m->open_surface = have_open_surface(&m->search->pair);
  m->touched = false;
  return TOI_STATE_STRADDLE;
}

static toi_state advance_apart(toi_machine *m) {
  ct_toi_search *search = m->search;
  const ct_toi_sample *at = m->at;
  assert(ct_sample_is_apart(at));
  extend_apart(search, at->time);
  double left = search->limit - at->time, step = ct_toi_separated_time(&search->pair, at, left);
  assert(step >= 0.0);
  m->time = step < left ? ct_toi_later(at->time, step) : search->limit;
  if (!(m->time < search->limit) || skip_separated_balls(search, &m->time)) {
    /* The contact of another pair may have lowered the limit below the sample's time. */
    extend_apart(search, ct_max2(search->limit, at->time));
    return TOI_STATE_FREE;
  }
  m->is_tentative = m->narrow_bracket && is_bracket_narrow(search, at);
  m->is_stuck = !m->is_tentative && at->time >= m->retry_after && is_advance_stuck(at, step);
  if (m->time > at->time && !m->is_tentative && !m->is_stuck) return TOI_STATE_STEP;
  m->last_apart = *at;
  return begin_lookahead(m);
}

/* ---- state STEP ----------------------------------------------------------------------------- */

/* Returns the angular velocity of the normal between two samples, for small angles, rad/s. */
static ct_vec3 turn_between(const ct_toi_sample *from, const ct_toi_sample *to) {
  assert(to->time > from->time);
  ct_vec3 turn = ct_cross(from->result.normal, to->result.normal);
  return ct_scale(turn, 1.0 / (to->time - from->time));
}

static toi_state evaluate_step(toi_machine *m) {
  ct_toi_search *search = m->search;
  extend_apart(search, m->time);
  if (!ct_toi_evaluate(search, m->time, m->next))
    return search->status == CT_OK ? TOI_STATE_EXHAUSTED : TOI_STATE_UNDECIDED;
  if (ct_sample_is_contact(m->next)) return TOI_STATE_CONTACT;
  m->next->turn = turn_between(m->at, m->next);
  *m->at = *m->next;
  if (!ct_sample_is_apart(m->at)) return begin_lookahead(m);
  m->last_apart = *m->at;
  return TOI_STATE_APART;
}

/* ---- state STRADDLE ------------------------------------------------------------------------- */

static void record_near_sample(near_samples *near, const ct_toi_sample *last,
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

static bool has_passed_through(const toi_machine *m) {
  return m->open_surface && ct_dot(m->last_apart.result.normal, m->next->result.normal) < 0.0;
}

/* True if motion bounds at *next, which is apart, certify only a small fraction of the time since
 * the lookahead began: a longer lookahead is then better. */
static bool is_still_stuck(const toi_machine *m) {
  double left = m->search->limit - m->next->time;
  return left > 0.0 && ct_toi_separated_time(&m->search->pair, m->next, left) <
                           STUCK_PART * (m->next->time - m->at->time);
}

/* Reports *next as the contact. A mesh contact gets the normal of the last sample apart. */
static toi_state report_straddle_contact(toi_machine *m) {
  const ct_toi_pair *pair = &m->search->pair;
  if (ct_kind_is_mesh(pair->a.shape->kind) || ct_kind_is_mesh(pair->b.shape->kind))
    *m->at = m->last_apart;
  return TOI_STATE_CONTACT;
}

/* Ends a lookahead that found no sample apart, because the motion ends or no samples are left. */
static toi_state abandon_lookahead(toi_machine *m) {
  const ct_toi_search *search = m->search;
  if (search->status != CT_OK) return TOI_STATE_UNDECIDED;
  if (m->touched) {
    *m->next = m->near.nearest;
    return report_straddle_contact(m);
  }
  return m->at->time < search->options->end ? TOI_STATE_EXHAUSTED : TOI_STATE_UNDECIDED;
}

/* Resumes the advancement, because *next is apart and no contact was found: from *at if the
 * lookahead was tentative, or if it was stuck and the pair still approaches; otherwise from
 * *next. */
static toi_state resume_advancement(toi_machine *m) {
  assert(ct_sample_is_apart(m->next) && m->next->time > m->at->time);
  const bool approaches = m->next->rate < 0.0 && m->next->result.distance < m->at->result.distance,
             back = m->is_tentative || (m->is_stuck && approaches);
  m->narrow_bracket = m->narrow_bracket && !m->is_tentative;
  if (back) m->retry_after = m->next->time;
  else *m->at = *m->next;
  return TOI_STATE_APART;
}

static toi_state lookahead(toi_machine *m) {
  ct_toi_search *search = m->search;
  const double end = search->options->end;
  assert(m->low.time >= m->at->time && m->step > 0.0);
  /* evaluate the next sample */
  if (!(m->low.time < end)) return abandon_lookahead(m);
  if (!ct_toi_evaluate(search, ct_min2(end, m->low.time + m->step), m->next))
    return abandon_lookahead(m);
  bool apart = ct_sample_is_apart(m->next), in_contact = ct_sample_is_contact(m->next);
  /* in contact: report; open surfaces need a second sample in contact */
  if (in_contact && !m->open_surface) return report_straddle_contact(m);
  if (in_contact && m->touched) return abandon_lookahead(m);
  m->touched = m->touched || in_contact;
  record_near_sample(&m->near, &m->low, m->next);
  /* apart: resume, classify the straddle, or continue behind it */
  bool approaches = ct_sample_is_apart(m->at) && m->near.is_last && m->next->rate < 0.0;
  if (apart && !m->planes && (m->is_tentative || approaches) && !m->touched)
    return resume_advancement(m);
  bool may_continue = m->planes || (m->continuations < STUCK_MAX && !has_passed_through(m));
  if (apart && !(may_continue && is_still_stuck(m))) return TOI_STATE_BEYOND;
  m->continuations += apart;
  m->low = *m->next;
  m->step *= CT_TOI_AHEAD_GROWTH;
  return TOI_STATE_STRADDLE;
}

/* ---- state BEYOND --------------------------------------------------------------------------- */

/* True if s is nearer than *nearest or, if the distances are equal within their uncertainty, has
 * the smaller |rate|. */
static bool is_nearer_sample(const ct_toi_sample *s, const ct_toi_sample *nearest) {
  double uncertainty = s->upper - s->lower,
         difference = s->result.distance - nearest->result.distance;
  return difference <= -uncertainty ||
         (difference <= uncertainty && fabs(s->rate) <= fabs(nearest->rate));
}

/* Locates the least distance around near->nearest, by regula falsi and bisection on the sign of the
 * rate. True: it is a contact. */
static bool minimise_distance(ct_toi_search *search, near_samples *near) {
  /* the least distance is where the rate changes from negative to positive */
  bool approaches = near->nearest.rate < 0.0;
  const ct_toi_sample *low = approaches ? &near->nearest : &near->before,
                      *high = approaches ? &near->after : &near->nearest;
  double from = low->time, to = high->time, rate_from = low->rate, rate_to = high->rate;
  assert(from <= to);
  ct_toi_sample now;
  /* find that time by regula falsi; every third step is a bisection */
  for (int i = 0; i < GRAZE_SAMPLES_MAX && rate_from < 0.0 && rate_to > 0.0; i++) {
    double secant = from + (to - from) * (rate_from / (rate_from - rate_to)),
           middle = 0.5 * (from + to);
    double next = i % 3 == 2 || !(secant > from && secant < to) ? middle : secant;
    if (!(next > from && next < to) || !ct_toi_evaluate(search, next, &now)) break;
    bool in_contact = ct_sample_is_contact(&now);
    if (in_contact || is_nearer_sample(&now, &near->nearest)) near->nearest = now;
    if (in_contact) return true;
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

/* Records a graze: its sample of least distance, and the first sample behind it that is apart. Only
 * the first graze of a search is recorded. */
static void record_graze(ct_toi_search *search, const ct_toi_sample *nearest,
                         const ct_toi_sample *apart) {
  assert(search->free_until <= nearest->time && nearest->time <= apart->time);
  if (search->grazed) return;
  search->grazed = true;
  search->graze_time = nearest->time;
  search->graze_distance = nearest->result.distance;
  search->graze_end = apart->time;
}

/* Classifies a straddle between two samples apart as contact, passage of open surfaces, or
 * graze. */
static toi_state classify_straddle(toi_machine *m) {
  ct_toi_search *search = m->search;
  assert(ct_sample_is_apart(m->next) && m->next->time > m->at->time);
  if (m->near.is_last) m->near.after = *m->next;
  bool in_contact = ct_sample_is_contact(&m->near.nearest) || minimise_distance(search, &m->near);
  bool passed = has_passed_through(m);
  if (passed) {
    search->passage_time = m->next->time;
    m->near.nearest.result.normal = m->last_apart.result.normal;
  }
  if (passed || in_contact) {
    *m->next = m->near.nearest;
    return report_straddle_contact(m);
  }
  record_graze(search, &m->near.nearest, m->next);
  return search->status == CT_OK ? resume_advancement(m) : TOI_STATE_UNDECIDED;
}

/* ---- state EXHAUSTED ------------------------------------------------------------------------ */

static uint32_t reserved_evaluations(uint32_t all) {
  return all / RESERVED_PART < RESERVED_MAX ? all / RESERVED_PART : RESERVED_MAX;
}

/* Evaluates the reserved samples ahead of *at, in growing steps: any contact found is an upper
 * bound of the time of the first one. */
static toi_state spend_reserved_samples(toi_machine *m) {
  ct_toi_search *search = m->search;
  const ct_toi_sample *at = m->at;
  const double end = search->options->end;
  double step = at->rate < 0.0 ? 1.5 * at->result.distance / -at->rate : 0.0, time = at->time;
  search->evaluations_max = search->options->iterations_max;
  for (; step > 0.0 && time < end; step *= CT_TOI_AHEAD_GROWTH) {
    time = ct_min2(end, at->time + step);
    if (!ct_toi_evaluate(search, time, m->next)) break;
    if (ct_sample_is_contact(m->next)) return TOI_STATE_CONTACT;
  }
  return TOI_STATE_UNDECIDED;
}

/* ---- the loop ------------------------------------------------------------------------------- */

static toi_state (*const TRANSITIONS[RUNNING_STATES])(toi_machine *) = {
    [TOI_STATE_APART] = advance_apart,
    [TOI_STATE_STEP] = evaluate_step,
    [TOI_STATE_STRADDLE] = lookahead,
    [TOI_STATE_BEYOND] = classify_straddle,
    [TOI_STATE_EXHAUSTED] = spend_reserved_samples,
};

ct_toi_outcome ct_toi_advance(ct_toi_search *search, ct_toi_sample *at, ct_toi_sample *contact) {
  assert(ct_sample_is_apart(at) && at != contact && !search->bodies);
  assert(!search->grazed && search->passage_time == 0.0);
  const uint32_t all = search->options->iterations_max;
  toi_machine m;
  m.search = search;
  m.at = at;
  m.next = contact;
  m.last_apart = *at;
  m.retry_after = at->time;
  m.narrow_bracket = search->options->time_tolerance > 0.0;
  search->evaluations_max = all - reserved_evaluations(all);
  /* The steps by balls may have certified a later time than the sample; the sample's time is
   * used. */
  search->free_until = search->apart_until = at->time;
  toi_state state = TOI_STATE_APART;
  while (state < RUNNING_STATES) {
    state = TRANSITIONS[state](&m);
    assert(search->free_until <= search->apart_until);
    assert(search->evaluations <= all && search->distances >= search->evaluations);
    assert(search->status == CT_OK || state == TOI_STATE_UNDECIDED);
  }
  assert(state != TOI_STATE_CONTACT || search->passage_time > 0.0 ||
         contact->result.distance <= 0.0);
  return state == TOI_STATE_FREE      ? CT_TOI_OUTCOME_FREE
         : state == TOI_STATE_CONTACT ? CT_TOI_OUTCOME_CONTACT
                                      : CT_TOI_OUTCOME_UNDECIDED;
}
