/* The instant at which the signed distance passes zero, between a sample on each side of it. */
#include "toi/toi.h"

/* Newton's method, with halvings where that leaves the bracket wide: it is at rounding long before.
 */
#define ROOT_LOOKS_MAX 100
#define SLOW_LOOKS 3
/* Where Newton's step ends at what is an end already, steps away from it grow so. */
#define CLOSE_GROWTH 8.0
/* A distance that is this part of what its bounds leave open is zero as far as anyone can tell. */
#define ZERO_PART 0x1p-6
/* Times what the bounds of a distance leave open: it has a direction there. */
#define NORMAL_GAP 4.0
/* Looks for an end of the bracket that is nearer to the root, and how much farther each goes than
 * the one before. */
#define NEARER_LOOKS 4
#define NEARER_GROWTH 4.0

/* How far in time a sample is from the root, at its rate; INFINITY: it does not tell. */
static double newton(const ct_toi_sample *s) {
  if (s->result.distance == 0.0 && s->result.depth_kind == CT_DEPTH_NONE) return INFINITY;
  return s->rate == 0.0 ? INFINITY : -s->result.distance / s->rate;
}

static bool is_zero(const ct_toi_sample *s) {
  return s->result.depth_kind != CT_DEPTH_NONE &&
         fabs(s->result.distance) <= ZERO_PART * (s->upper - s->lower);
}

/* The next time to look at. *close: how far from an end the last step along one went. */
static double next_time(const ct_toi_sample *from, const ct_toi_sample *to, int slow,
                        double *close) {
  double middle = from->time + 0.5 * (to->time - from->time);
  double step_from = newton(from), step_to = newton(to);
  bool first = fabs(step_from) <= fabs(step_to);
  double time = first ? from->time + step_from : to->time + step_to;
  if (slow >= SLOW_LOOKS || !(fabs(time) < INFINITY)) return middle;
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

/* The same of the sample apart, or of one that is nearer to the root, where it is reported by the
 * rate how near that is. */
static void take_near_normal(ct_toi_search *search, const ct_toi_sample *apart, bool parts,
                             ct_toi_sample *root) {
  ct_toi_sample nearer;
  double rate = parts ? apart->rate : -apart->rate;
  double step = ct_sample_is_apart(apart) && rate > 0.0
                    ? NORMAL_GAP * (root->upper - root->lower) / rate
                    : 0.0;
  bool far = step > 0.0 && step < 0.5 * fabs(apart->time - root->time);
  bool looked =
      far && ct_toi_evaluate(search, parts ? root->time + step : root->time - step, &nearer);
  ct_toi_set_normal(&search->pair, looked && ct_sample_is_apart(&nearer) ? &nearer : apart, root);
}

void ct_toi_root(ct_toi_search *search, const ct_toi_sample *before, const ct_toi_sample *after,
                 ct_toi_sample *root) {
  bool parts = !(before->result.distance > 0.0);
  ct_toi_sample from = *before, to = *after, apart = parts ? to : from, now;
  double close = 0.0;
  int slow = 0;
  *root = fabs(from.result.distance) < fabs(to.result.distance) ? from : to;
  for (int i = 0; i < ROOT_LOOKS_MAX && !is_zero(root); i++) {
    double width = to.time - from.time, time = next_time(&from, &to, slow, &close);
    if (!(time > from.time && time < to.time) || !ct_toi_evaluate(search, time, &now)) break;
    if ((now.result.distance > 0.0) == parts) to = now;
    else from = now;
    if (ct_sample_is_apart(&now)) apart = now;
    if (fabs(now.result.distance) <= fabs(root->result.distance)) *root = now;
    slow = slow < SLOW_LOOKS && to.time - from.time > 0.5 * width ? slow + 1 : 0;
  }
  bool mesh =
      ct_kind_is_mesh(search->pair.a.shape->kind) || ct_kind_is_mesh(search->pair.b.shape->kind);
  if (mesh) take_near_normal(search, &apart, parts, root);
}

double ct_toi_nearer(ct_toi_search *search, const ct_toi_sample *root, double far, bool parts) {
  bool after = far > root->time;
  double rate = parts ? root->rate : -root->rate,
         step = rate > 0.0 ? (root->upper - root->lower) / rate : 0.0;
  ct_toi_sample s;
  for (int i = 0; i < NEARER_LOOKS && step > 0.0 && NEARER_GROWTH * step < fabs(far - root->time);
       i++, step *= NEARER_GROWTH) {
    double time = after ? root->time + step : root->time - step;
    if (time == root->time) continue;
    if (!ct_toi_evaluate(search, time, &s)) break;
    if (parts == after ? ct_sample_is_apart(&s) : ct_sample_is_contact(&s)) return time;
  }
  return far;
}
