/* From contact to apart: steps through which the contact certainly lasts, and where none is
 * certain, steps in which no parting of a size that matters fits. */
#include "toi/toi.h"

/* And what round-off leaves open, so many times over. */
#define OPEN_PART 2.0
/* How much farther each look ahead goes than the one before. */
#define AHEAD_GROWTH 4.0
/* The part of the distances after which steps that are short, but certain, no longer go before
 * longer ones. */
#define CERTAIN_PART 0.5

/* Do the points that matter only move on straight lines at constant speed, relative to each other,
 * of two convex shapes? Then the times of contact are one stretch. */
static bool is_straight(const ct_toi_pair *pair) {
  ct_vec3 a = pair->a.acceleration, b = pair->b.acceleration;
  bool turns = pair->a.spin * pair->a.arm > 0.0 || pair->b.spin * pair->b.arm > 0.0;
  return !turns && a.x == b.x && a.y == b.y && a.z == b.z &&
         !ct_kind_is_mesh(pair->a.shape->kind) && !ct_kind_is_mesh(pair->b.shape->kind);
}

/* Of such a pair, in contact now: how long it certainly stays so. 0: not reported. */
static double straight_time(const ct_toi_search *search, const ct_toi_sample *at) {
  ct_toi_search own = *search;
  ct_toi_sample last, root;
  double end = search->options->end;
  own.bodies = NULL;
  if (!ct_sample_is_contact(at) || !ct_toi_evaluate(&own, end, &last)) return 0.0;
  if (ct_sample_is_contact(&last)) return end - at->time;
  if (!(last.result.distance > 0.0)) return 0.0;
  ct_toi_root(&own, at, &last, &root);
  return root.time > at->time ? ct_toi_nearer(&own, &root, at->time, true) - at->time : 0.0;
}

/* How far apart the pair may come unseen, m. */
static double resolution_of(const ct_toi_search *search, const ct_toi_sample *at) {
  double radius = ct_min2(search->pair.a.radius, search->pair.b.radius);
  return (radius < INFINITY ? CT_TIMELINE_RESOLUTION * radius : 0.0) +
         OPEN_PART * ct_max2(0.0, at->upper);
}

ct_toi_outcome ct_toi_search_separation(ct_toi_search *search, ct_toi_sample *at,
                                        ct_toi_sample *parted) {
  double end = search->options->end, step = 0.0;
  bool straight = true;
  search->most = search->options->iterations_max;
  search->certain = at->time;
  uint32_t few = (uint32_t)(CERTAIN_PART * search->most);
  while (at->time < end) {
    double left = end - at->time,
           held = ct_toi_contact_lasts(&search->pair, at, 0.0, left, search->workspace);
    /* Once is enough: where that ends the contact is about to end, or another pair's goes on. */
    if (straight && held < left && is_straight(&search->pair)) {
      held = ct_max2(held, straight_time(search, at));
      straight = held == 0.0;
    }
    double time = held < left ? ct_toi_later(at->time, held) : end;
    bool certain = time > at->time;
    if (!certain || search->spent >= few) {
      step = step > 0.0 ? AHEAD_GROWTH * step : ct_toi_initial_lookahead(at, end, 1.0);
      step = ct_min2(step, ct_toi_contact_lasts(&search->pair, at, resolution_of(search, at), left,
                                                search->workspace));
      certain = certain && held >= step;
      if (!certain) time = ct_min2(end, at->time + step);
      if (!(time > at->time)) return CT_TOI_OUTCOME_UNDECIDED;
    } else {
      step = 0.0;
    }
    if (certain) search->certain = time;
    if (!ct_toi_evaluate(search, time, parted)) return CT_TOI_OUTCOME_UNDECIDED;
    if (ct_sample_is_apart(parted)) return CT_TOI_OUTCOME_FREE;
    if (ct_sample_is_contact(parted)) search->certain = parted->time;
    *at = *parted;
  }
  return CT_TOI_OUTCOME_UNDECIDED;
}
