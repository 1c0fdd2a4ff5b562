/* Past a time from which bounds tell nothing: grazes, and surfaces that pass through each other
 * between two times. */
#include "toi/toi.h"

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

static void note_sample(near_samples *near, const ct_toi_sample *last, const ct_toi_sample *next) {
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
static bool is_nearer(const ct_toi_sample *s, const ct_toi_sample *nearest) {
  double open = s->upper - s->lower, more = s->result.distance - nearest->result.distance;
  return more <= -open || (more <= open && fabs(s->rate) <= fabs(nearest->rate));
}

/* The least distance about the nearest, which is brought there, by halving on the sign of its rate.
 * True: that is a contact. */
static bool find_nearest(ct_toi_search *search, near_samples *near) {
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
    if (meets || is_nearer(&now, &near->nearest)) near->nearest = now;
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
static void note_graze(ct_toi_search *search, const ct_toi_sample *s, const ct_toi_sample *apart) {
  if (search->grazed) return;
  search->grazed = true;
  search->graze_time = s->time;
  search->graze_distance = s->result.distance;
  search->graze_end = apart->time;
}

static bool is_surface(const ct_shape *shape) {
  return shape->kind == CT_KIND_MESH && !ct_mesh_get(shape->mesh)->solid;
}

/* Only surfaces can pass through each other between two times at which they do not cross: the
 * direction from one to the other is turned round. */
static bool have_surface(const ct_toi_pair *pair) {
  return is_surface(pair->a.shape) || is_surface(pair->b.shape);
}

static bool passes(const ct_toi_search *search, const ct_toi_sample *sure,
                   const ct_toi_sample *next) {
  return have_surface(&search->pair) && ct_dot(sure->result.normal, next->result.normal) < 0.0;
}

/* Apart before, apart after, and between the two so near that round-off cannot tell, or in contact
 * at one time. */
static ct_toi_outcome tell_between(ct_toi_search *search, const ct_toi_sample *sure,
                                   near_samples *near, ct_toi_sample *next) {
  bool met = ct_sample_is_contact(&near->nearest) || find_nearest(search, near);
  bool passed = passes(search, sure, next);
  if (passed) {
    search->passed = next->time;
    near->nearest.result.normal = sure->result.normal;
  }
  if (passed || met) {
    *next = near->nearest;
    return CT_TOI_OUTCOME_CONTACT;
  }
  note_graze(search, &near->nearest, next);
  return search->status == CT_OK ? CT_TOI_OUTCOME_FREE : CT_TOI_OUTCOME_UNDECIDED;
}

/* Apart again, do bounds still tell next to nothing, of what was looked over, so that one had
 * better go farther? */
static bool is_stuck(const ct_toi_search *search, const ct_toi_sample *at, const ct_toi_sample *s) {
  double left = search->limit - s->time;
  return left > 0.0 &&
         ct_toi_separated_time(&search->pair, s, left) < STUCK_PART * (s->time - at->time);
}

ct_toi_outcome ct_toi_search_past_straddle(ct_toi_search *search, const ct_toi_sample *sure,
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
    note_sample(&near, &low, next);
    bool comes = ct_sample_is_apart(at) && near.is_last && next->rate < 0.0;
    if (ct_sample_is_apart(next) && !planes && (tentative || comes) && !touched)
      return CT_TOI_OUTCOME_FREE;
    bool longer = (planes || (stuck < STUCK_MAX && !passes(search, sure, next))) &&
                  is_stuck(search, at, next);
    if (ct_sample_is_apart(next) && !longer) {
      if (near.is_last) near.after = *next;
      return tell_between(search, sure, &near, next);
    }
    stuck += ct_sample_is_apart(next);
    low = *next;
    step *= CT_TOI_AHEAD_GROWTH;
  }
  if (search->status != CT_OK || !touched) return CT_TOI_OUTCOME_UNDECIDED;
  *next = near.nearest;
  return CT_TOI_OUTCOME_CONTACT;
}
