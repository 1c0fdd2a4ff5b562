/* From contact to apart: steps through which the contact certainly lasts, and where none is certain, steps in which no parting of a
 * size that matters fits. */
#include "motion/impact.h"

/* And what round-off leaves open, so many times over. */
#define OPEN_PART 2.0
/* A contact that ends within this part of the rest of the motion is looked at closely where distances run out. */
#define ENDING_PART 0x1p-8

/* Do the points that matter only move on straight lines at constant speed, relative to each other, of two convex shapes? Then the
 * times of contact are one stretch. */
static bool is_straight(const ct_impact_pair *pair) {
  ct_vec3 a = pair->a.acceleration, b = pair->b.acceleration;
  bool turns = pair->a.spin * pair->a.arm > 0.0 || pair->b.spin * pair->b.arm > 0.0;
  return !turns && a.x == b.x && a.y == b.y && a.z == b.z && !ct_kind_is_mesh(pair->a.shape->kind) &&
         !ct_kind_is_mesh(pair->b.shape->kind);
}

/* Of such a pair, in contact now: how long it certainly stays so. 0: not told. */
static double straight_time(const ct_impact_search *search, const ct_impact_sample *at) {
  ct_impact_search own = *search;
  ct_impact_sample last, root;
  double end = search->options->end;
  own.bodies = NULL;
  if (!ct_sample_meets(at) || !ct_impact_look(&own, end, &last)) return 0.0;
  if (ct_sample_meets(&last)) return end - at->time;
  if (!(last.result.distance > 0.0)) return 0.0;
  ct_impact_root(&own, at, &last, &root);
  return root.time > at->time ? ct_impact_nearer(&own, &root, at->time, true) - at->time : 0.0;
}

/* Does the contact end, at its present rate, within the time? */
static bool is_ending(const ct_impact_sample *at, double within) {
  return at->rate > 0.0 && at->lower < 0.0 && -at->lower <= at->rate * within;
}

/* How far apart the pair may come unseen, m. */
static double resolution_of(const ct_impact_search *search, const ct_impact_sample *at) {
  double radius = ct_min2(search->pair.a.radius, search->pair.b.radius);
  return (radius < INFINITY ? CT_TIMELINE_RESOLUTION * radius : 0.0) + OPEN_PART * ct_max2(0.0, at->upper);
}

ct_impact_outcome ct_impact_leave(ct_impact_search *search, ct_impact_sample *at, ct_impact_sample *parted) {
  double end = search->options->end, step = 0.0, soon = ENDING_PART * (end - at->time);
  bool straight = true;
  search->most = search->options->iterations_max;
  search->certain = at->time;
  uint32_t few = search->most - ct_impact_kept(search->most);
  while (at->time < end) {
    double left = end - at->time, held = ct_impact_held_time(&search->pair, at, 0.0, left, search->workspace);
    /* Once is enough: where that ends the contact is about to end, or another pair's goes on. */
    if (straight && held < left && is_straight(&search->pair)) {
      held = ct_max2(held, straight_time(search, at));
      straight = held == 0.0;
    }
    double time = held < left ? ct_impact_later(at->time, held) : end;
    if (time > at->time && !(search->spent >= few && is_ending(at, soon))) {
      search->certain = time;
      step = 0.0;
    } else {
      step = step > 0.0 ? CT_IMPACT_AHEAD_GROWTH * step : ct_impact_ahead(at, end, 1.0);
      step = ct_min2(step, ct_impact_held_time(&search->pair, at, resolution_of(search, at), left, search->workspace));
      time = ct_min2(end, at->time + step);
      if (!(time > at->time)) return CT_OUTCOME_LOST;
    }
    if (!ct_impact_look(search, time, parted)) return CT_OUTCOME_LOST;
    if (ct_sample_apart(parted)) return CT_OUTCOME_FREE;
    if (ct_sample_meets(parted)) search->certain = parted->time;
    *at = *parted;
  }
  return CT_OUTCOME_LOST;
}
