/* Bisection: a change from apart to overlapping, between the ends of a motion. */
#include "motion/impact.h"

/* A time to look at, and what is between the two ends. */
typedef struct bisection {
  const ct_impact_bodies *bodies;
  ct_impact *impact;
  ct_impact_sample free; /* apart, as far as the distance tells */
  double apart, meets;   /* certainly */
} bisection;

static ct_status look(bisection *b, double time, ct_impact_sample *sample) {
  ct_impact_pair pair;
  return ct_impact_nearest(b->bodies, time, &pair, sample, &b->impact->iterations);
}

static void tell(const bisection *b, const ct_impact_sample *sample) {
  ct_impact_tell(sample, b->impact);
  b->impact->event = CT_IMPACT_CONTACT;
  b->impact->lower = ct_min2(b->apart, sample->time);
  b->impact->upper = ct_max2(b->meets, sample->time);
}

/* Between an end apart and one that overlaps. The state without penetration is told, or one within the tolerance. */
static ct_status halve(bisection *b, double end) {
  const ct_impact_options *o = b->bodies->options;
  double low = b->free.time, high = end;
  for (uint32_t i = 2; i < o->iterations_max && high - low > o->time_tolerance; i++) {
    ct_impact_sample s;
    double middle = low + 0.5 * (high - low);
    if (!(middle > low && middle < high)) break;
    ct_status status = look(b, middle, &s);
    if (status != CT_OK) return status;
    if (ct_sample_apart(&s)) b->apart = ct_max2(b->apart, middle);
    if (ct_sample_meets(&s)) b->meets = ct_min2(b->meets, middle);
    if (fabs(s.result.distance) <= o->distance_tolerance && o->distance_tolerance > 0.0) {
      tell(b, &s);
      return CT_OK;
    }
    if (s.result.distance < 0.0 || ct_sample_meets(&s)) {
      high = middle;
    } else {
      low = middle;
      b->free = s;
    }
  }
  tell(b, &b->free);
  return CT_OK;
}

ct_status ct_impact_bisect(const ct_impact_bodies *bodies, ct_impact *impact) {
  const ct_impact_options *o = bodies->options;
  bisection b = {.bodies = bodies, .impact = impact, .apart = o->begin, .meets = o->end};
  impact->free_until = o->begin;
  ct_status status = look(&b, o->begin, &b.free);
  if (status != CT_OK) return status;
  if (!ct_sample_apart(&b.free)) {
    ct_impact_tell(&b.free, impact);
    impact->event = CT_IMPACT_INITIAL;
    impact->lower = impact->upper = o->begin;
    return CT_OK;
  }
  ct_impact_sample last;
  status = look(&b, o->end, &last);
  if (status != CT_OK) return status;
  if (ct_sample_meets(&last) && last.result.distance <= -o->distance_tolerance) return halve(&b, o->end);
  if (!ct_sample_apart(&last)) impact->event = CT_IMPACT_UNDECIDED;
  return CT_OK;
}
