/* Bisection: a change from apart to overlapping, between the ends of a motion. */
#include "toi/toi.h"

/* What is between the two ends. */
typedef struct bisection {
  ct_toi_search search; /* of the bodies */
  ct_toi *impact;
  ct_toi_sample free, held; /* apart, and not, as far as the distance tells */
  double apart, meets;      /* certainly */
} bisection;

static bool has_depth(const ct_toi_sample *s) {
  return s->result.status != CT_PAIR_UNSUPPORTED && s->result.depth_kind != CT_DEPTH_NONE;
}

/* Is the sample as near to the instant as was asked for? That surfaces cross does not tell by how
 * much. */
static bool is_near(const ct_toi_options *o, const ct_toi_sample *s) {
  return o->distance_tolerance > 0.0 && fabs(s->result.distance) <= o->distance_tolerance &&
         (has_depth(s) || !ct_sample_is_contact(s));
}

/* The sample is reported, and the bracket brought as near to it as round-off allows. */
static void tell(bisection *b, const ct_toi_sample *sample) {
  double low = b->free.time, high = b->held.time;
  if (b->apart < low) b->apart = ct_toi_nearer(&b->search, &b->free, b->apart, false);
  if (b->meets > high && has_depth(&b->held))
    b->meets = ct_toi_nearer(&b->search, &b->held, b->meets, false);
  ct_toi_write_result(sample, b->impact);
  b->impact->event = CT_TOI_CONTACT;
  b->impact->status = CT_PAIR_OK;
  b->impact->lower = ct_min2(b->apart, sample->time);
  b->impact->upper = ct_max2(b->meets, sample->time);
}

/* Between an end apart and one that overlaps. The state without penetration is reported, or one
 * within the tolerance; nothing, where the iterations end before that. */
static void halve(bisection *b) {
  const ct_toi_options *o = b->search.options;
  while (b->held.time - b->free.time > o->time_tolerance) {
    ct_toi_sample s;
    double low = b->free.time, high = b->held.time, middle = low + 0.5 * (high - low);
    if (!(middle > low && middle < high)) break;
    if (!ct_toi_evaluate(&b->search, middle, &s)) return;
    if (ct_sample_is_apart(&s)) b->apart = ct_max2(b->apart, middle);
    if (ct_sample_is_contact(&s)) b->meets = ct_min2(b->meets, middle);
    if (s.result.distance < 0.0 || ct_sample_is_contact(&s)) b->held = s;
    else b->free = s;
    if (is_near(o, &s)) {
      tell(b, &s);
      return;
    }
  }
  tell(b, &b->free);
}

static void look_at_ends(bisection *b) {
  const ct_toi_options *o = b->search.options;
  ct_toi *impact = b->impact;
  impact->event = CT_TOI_UNDECIDED;
  impact->status = CT_PAIR_ITERATION_LIMIT;
  if (!ct_toi_evaluate(&b->search, o->begin, &b->free)) return;
  if (!ct_sample_is_apart(&b->free)) {
    ct_toi_write_result(&b->free, impact);
    impact->event = CT_TOI_INITIAL;
    impact->status = CT_PAIR_OK;
    impact->lower = impact->upper = o->begin;
    return;
  }
  if (!ct_toi_evaluate(&b->search, o->end, &b->held)) return;
  if (ct_sample_is_contact(&b->held)) {
    halve(b);
    return;
  }
  bool apart = ct_sample_is_apart(&b->held);
  impact->event = apart ? CT_TOI_NONE : CT_TOI_UNDECIDED;
  impact->status = apart ? CT_PAIR_OK : CT_PAIR_DEGENERATE;
}

ct_status ct_toi_bisect(const ct_toi_bodies *bodies, ct_toi *impact) {
  const ct_toi_options *o = bodies->options;
  bisection b = {.impact = impact, .apart = o->begin, .meets = o->end};
  b.search = (ct_toi_search){
      .options = o, .workspace = bodies->workspace, .bodies = bodies, .most = o->iterations_max};
  impact->free_until = o->begin;
  look_at_ends(&b);
  impact->iterations = b.search.distances;
  return b.search.status;
}
