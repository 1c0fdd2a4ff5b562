/* Root of the signed distance between two samples of opposite sign (Newton's method, safeguarded by
 * bisection), and the method CT_TOI_BISECTION. */
#include "toi/toi.h"

#include <assert.h>

/* ---- root of the signed distance ------------------------------------------------------------- */

/* Limit of iterations. After SLOW_ITERATIONS_MAX steps in a row that each reduce the bracket by
 * less than half, the next step is a bisection. */
#define ROOT_ITERATIONS_MAX 100
#define SLOW_ITERATIONS_MAX 3
/* Factor by which steps away from an end of the bracket grow, if Newton's step does not leave that
 * end. */
#define CLOSE_GROWTH 8.0
/* A distance below this fraction of its uncertainty (upper - lower bound) counts as zero. */
#define ZERO_PART 0x1p-6
/* Distance of the sample whose normal is used, in units of the uncertainty of the distance at the
 * root. */
#define NORMAL_GAP 4.0
/* Largest number of samples that bring one end of the bracket nearer to the root, and growth of
 * their steps. */
#define NEARER_SAMPLES_MAX 4
#define NEARER_GROWTH 4.0

/* Returns Newton's step from a sample to the root, s; INFINITY: unknown. */
static double newton_step(const ct_toi_sample *s) {
  if (s->result.distance == 0.0 && s->result.depth_kind == CT_DEPTH_NONE) return INFINITY;
  return s->rate == 0.0 ? INFINITY : -s->result.distance / s->rate;
}

static bool is_root_sample(const ct_toi_sample *s) {
  return s->result.depth_kind != CT_DEPTH_NONE &&
         fabs(s->result.distance) <= ZERO_PART * (s->upper - s->lower);
}

/* Returns the next time to evaluate, between the samples: the end of Newton's step from the sample
 * whose step is shorter; if that step does not leave its end of the bracket, a time *close inside
 * the bracket; the middle after SLOW_ITERATIONS_MAX slow steps (`slow`: their number so far).
 * *close, in and out: length of the last step inside the bracket, s, 0 at first; it grows by
 * CLOSE_GROWTH at each use. */
static double next_root_time(const ct_toi_sample *from, const ct_toi_sample *to, int slow,
                             double *close) {
  double middle = from->time + 0.5 * (to->time - from->time);
  double step_from = newton_step(from), step_to = newton_step(to);
  bool first = fabs(step_from) <= fabs(step_to);
  double time = first ? from->time + step_from : to->time + step_to;
  if (slow >= SLOW_ITERATIONS_MAX || !(fabs(time) < INFINITY)) return middle;
  if (time > from->time && time < to->time) return time;
  *close = ct_max2(2.0 * CT_UNIT_ROUNDOFF * to->time, CLOSE_GROWTH * *close);
  time = time <= from->time ? from->time + *close : to->time - *close;
  return time > from->time && time < to->time ? time : middle;
}

void ct_toi_set_normal(const ct_toi_pair *pair, const ct_toi_sample *apart, ct_toi_sample *root) {
  bool mesh = ct_kind_is_mesh(pair->a.shape->kind) || ct_kind_is_mesh(pair->b.shape->kind);
  bool near = root->lower <= 0.0 && root->upper >= 0.0;
  if (mesh && near && ct_sample_is_apart(apart) && root->result.status != CT_PAIR_UNSUPPORTED)
    root->result.normal = apart->result.normal;
}

/* Sets the root's normal from the sample `apart`, or from a new sample nearer to the root: where
 * the rate predicts that the gap is NORMAL_GAP times its uncertainty. */
static void refine_root_normal(ct_toi_search *search, const ct_toi_sample *apart, bool separates,
                               ct_toi_sample *root) {
  ct_toi_sample nearer;
  double rate = separates ? apart->rate : -apart->rate;
  double step = ct_sample_is_apart(apart) && rate > 0.0
                    ? NORMAL_GAP * (root->upper - root->lower) / rate
                    : 0.0;
  bool far = step > 0.0 && step < 0.5 * fabs(apart->time - root->time);
  bool evaluated =
      far && ct_toi_evaluate(search, separates ? root->time + step : root->time - step, &nearer);
  ct_toi_set_normal(&search->pair, evaluated && ct_sample_is_apart(&nearer) ? &nearer : apart,
                    root);
}

void ct_toi_root(ct_toi_search *search, const ct_toi_sample *before, const ct_toi_sample *after,
                 ct_toi_sample *root) {
  bool separates = !(before->result.distance > 0.0);
  assert(before->time <= after->time && (after->result.distance > 0.0) == separates);
  ct_toi_sample from = *before, to = *after, apart = separates ? to : from, now;
  double close = 0.0;
  int slow = 0;
  /* Newton steps or bisections until the distance is zero within its uncertainty */
  *root = fabs(from.result.distance) < fabs(to.result.distance) ? from : to;
  for (int i = 0; i < ROOT_ITERATIONS_MAX && !is_root_sample(root); i++) {
    double width = to.time - from.time, time = next_root_time(&from, &to, slow, &close);
    if (!(time > from.time && time < to.time) || !ct_toi_evaluate(search, time, &now)) break;
    if ((now.result.distance > 0.0) == separates) to = now;
    else from = now;
    if (ct_sample_is_apart(&now)) apart = now;
    if (fabs(now.result.distance) <= fabs(root->result.distance)) *root = now;
    slow = slow < SLOW_ITERATIONS_MAX && to.time - from.time > 0.5 * width ? slow + 1 : 0;
  }
  /* distances of meshes near zero have no reliable normal */
  bool mesh =
      ct_kind_is_mesh(search->pair.a.shape->kind) || ct_kind_is_mesh(search->pair.b.shape->kind);
  if (mesh) refine_root_normal(search, &apart, separates, root);
}

double ct_toi_narrow_bracket(ct_toi_search *search, const ct_toi_sample *root, double far,
                             bool separates) {
  bool after = far > root->time;
  double rate = separates ? root->rate : -root->rate,
         step = rate > 0.0 ? (root->upper - root->lower) / rate : 0.0;
  ct_toi_sample s;
  for (int i = 0;
       i < NEARER_SAMPLES_MAX && step > 0.0 && NEARER_GROWTH * step < fabs(far - root->time);
       i++, step *= NEARER_GROWTH) {
    double time = after ? root->time + step : root->time - step;
    if (time == root->time) continue;
    if (!ct_toi_evaluate(search, time, &s)) break;
    if (separates == after ? ct_sample_is_apart(&s) : ct_sample_is_contact(&s)) return time;
  }
  return far;
}

/* ---- bisection ------------------------------------------------------------------------------- */

/* Halves repeatedly an interval of time with a sample apart at one end and one in contact at the
 * other. */

/* State of a bisection. */
typedef struct bisection {
  ct_toi_search search; /* search of the bodies */
  ct_toi *impact;
  ct_toi_sample apart, in_contact;  /* ends of the bracket, by the sign of the distance */
  double apart_until, contact_from; /* certainly apart before; certainly in contact after, s */
} bisection;

static bool sample_has_depth(const ct_toi_sample *s) {
  return s->result.status != CT_PAIR_UNSUPPORTED && s->result.depth_kind != CT_DEPTH_NONE;
}

/* True if the distance is within the requested distance_tolerance. False for surfaces that cross,
 * which have no depth to compare. */
static bool is_within_distance_tolerance(const ct_toi_options *o, const ct_toi_sample *s) {
  return o->distance_tolerance > 0.0 && fabs(s->result.distance) <= o->distance_tolerance &&
         (sample_has_depth(s) || !ct_sample_is_contact(s));
}

/* Writes the sample as the result, and narrows the bracket of its time. */
static void write_bisection_result(bisection *b, const ct_toi_sample *sample) {
  double low = b->apart.time, high = b->in_contact.time;
  if (b->apart_until < low)
    b->apart_until = ct_toi_narrow_bracket(&b->search, &b->apart, b->apart_until, false);
  if (b->contact_from > high && sample_has_depth(&b->in_contact))
    b->contact_from = ct_toi_narrow_bracket(&b->search, &b->in_contact, b->contact_from, false);
  ct_toi_write_result(sample, b->impact);
  b->impact->event = CT_TOI_CONTACT;
  b->impact->status = CT_PAIR_OK;
  b->impact->lower = ct_min2(b->apart_until, sample->time);
  b->impact->upper = ct_max2(b->contact_from, sample->time);
}

/* Bisects until the bracket is as narrow as time_tolerance, and reports the end that is apart; or
 * until a sample is within distance_tolerance, and reports that. Reports nothing if the sample
 * limit is reached before. */
static void bisect_interval(bisection *b) {
  assert(b->apart.time <= b->in_contact.time && b->apart_until <= b->contact_from);
  const ct_toi_options *o = b->search.options;
  while (b->in_contact.time - b->apart.time > o->time_tolerance) {
    ct_toi_sample s;
    double low = b->apart.time, high = b->in_contact.time, middle = low + 0.5 * (high - low);
    if (!(middle > low && middle < high)) break;
    if (!ct_toi_evaluate(&b->search, middle, &s)) return;
    if (ct_sample_is_apart(&s)) b->apart_until = ct_max2(b->apart_until, middle);
    if (ct_sample_is_contact(&s)) b->contact_from = ct_min2(b->contact_from, middle);
    if (s.result.distance < 0.0 || ct_sample_is_contact(&s)) b->in_contact = s;
    else b->apart = s;
    if (is_within_distance_tolerance(o, &s)) {
      write_bisection_result(b, &s);
      return;
    }
  }
  write_bisection_result(b, &b->apart);
}

static void bisect_between_ends(bisection *b) {
  const ct_toi_options *o = b->search.options;
  ct_toi *impact = b->impact;
  impact->event = CT_TOI_UNDECIDED;
  impact->status = CT_PAIR_ITERATION_LIMIT;
  /* begin of the motion */
  if (!ct_toi_evaluate(&b->search, o->begin, &b->apart)) return;
  if (!ct_sample_is_apart(&b->apart)) {
    ct_toi_write_result(&b->apart, impact);
    impact->event = CT_TOI_INITIAL;
    impact->status = CT_PAIR_OK;
    impact->lower = impact->upper = o->begin;
    return;
  }
  /* end of the motion */
  if (!ct_toi_evaluate(&b->search, o->end, &b->in_contact)) return;
  if (ct_sample_is_contact(&b->in_contact)) {
    bisect_interval(b);
    return;
  }
  bool apart = ct_sample_is_apart(&b->in_contact);
  impact->event = apart ? CT_TOI_NONE : CT_TOI_UNDECIDED;
  impact->status = apart ? CT_PAIR_OK : CT_PAIR_DEGENERATE;
}

ct_status ct_toi_bisect(const ct_toi_bodies *bodies, ct_toi *impact) {
  const ct_toi_options *o = bodies->options;
  bisection b = {.impact = impact, .apart_until = o->begin, .contact_from = o->end};
  b.search = (ct_toi_search){.options = o,
                             .workspace = bodies->workspace,
                             .bodies = bodies,
                             .evaluations_max = o->iterations_max};
  impact->free_until = o->begin;
  bisect_between_ends(&b);
  impact->iterations = b.search.distances;
  return b.search.status;
}
