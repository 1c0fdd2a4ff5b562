/* A point of two bodies that barely overlap, by projections: onto the body that is farther away, or
 * onto both at once.
 *
 * Turn by turn onto one body and the other always comes closer, but in proportion to the angle of
 * the surfaces, which is small where bodies touch. So the line in which the planes of both nearest
 * places cross is tried first: Newton's step for both distances, the shortest that leads there. It
 * is taken when it pays, as surfaces that bend may lead it astray. Where all that does not arrive,
 * cutting planes do (curved_cutting_planes.c).
 */
#include "curved/curved.h"

/* Most ways end in ten; in the acute corners of slivers they are long. */
#define STEPS_MAX 128
/* What a step onto both planes has to leave at most. */
#define GAIN 0.9
/* Squared sine of the angle of planes below which they have no line in common. */
#define PARALLEL 0x1p-100

/* The bodies are held to be apart when turns onto one and the other, with normals that differ by
 * less than this, rad, gain less than this part of the gap in STILL_TURNS of them. */
#define STILL_ANGLE 0x1p-6
#define STILL_GAIN 0x1p-10
#define STILL_TURNS 8

/* A point, how far it is outside of each body, and the normals there, or where it was last outside.
 */
typedef struct spot {
  ct_vec3 point, normal[2];
  double outside[2];
} spot;

static void measure(const ct_convex_proxy *const body[2], spot *s) {
  for (int i = 0; i < 2; i++) {
    double distance;
    ct_vec3 normal;
    bool out = ct_proxy_point_distance(body[i], s->point, &distance, &normal) && distance > 0.0;
    s->outside[i] = out ? distance : 0.0;
    if (out) s->normal[i] = normal;
  }
}

static double worst(const spot *s) { return ct_max2(s->outside[0], s->outside[1]); }

/* Onto the planes of both bodies; false where that does not pay. */
static bool step_onto_both(const ct_convex_proxy *const body[2], spot *s) {
  ct_vec3 p = s->normal[0], q = s->normal[1];
  double cosine = ct_dot(p, q), square = ct_norm2(ct_cross(p, q));
  if (square <= PARALLEL) return false;
  double x = (s->outside[0] - cosine * s->outside[1]) / square,
         y = (s->outside[1] - cosine * s->outside[0]) / square;
  spot next = *s;
  next.point = ct_add_scaled(ct_add_scaled(s->point, p, -x), q, -y);
  measure(body, &next);
  if (!(worst(&next) < GAIN * worst(s))) return false;
  *s = next;
  return true;
}

static void step_onto_farther(const ct_convex_proxy *const body[2], spot *s) {
  int i = s->outside[1] >= s->outside[0] ? 1 : 0;
  s->point = ct_add_scaled(s->point, s->normal[i], -s->outside[i]);
  measure(body, s);
}

/* Are the places nearest to each other on both bodies found? */
static bool at_gap(const spot *s, double before) {
  if (!(before - worst(s) < STILL_GAIN * before) || ct_dot(s->normal[0], s->normal[1]) > 0.0)
    return false;
  return ct_norm2(ct_cross(s->normal[0], s->normal[1])) < STILL_ANGLE * STILL_ANGLE;
}

/* The end of a way: the normal there, and both places. */
static void end_at(const spot *s, ct_curved_common *m) {
  bool first = s->outside[0] >= s->outside[1];
  m->normal = first ? s->normal[0] : ct_neg(s->normal[1]);
  m->a = first ? ct_add_scaled(s->point, s->normal[0], -s->outside[0]) : s->point;
  m->b = first ? s->point : ct_add_scaled(s->point, s->normal[1], -s->outside[1]);
}

ct_curved_common ct_curved_project(const ct_convex_proxy *a, const ct_convex_proxy *b,
                                   ct_vec3 start, ct_vec3 normal, double enough) {
  const ct_convex_proxy *const body[2] = {a, b};
  spot s = {.point = start, .normal = {normal, ct_neg(normal)}};
  measure(body, &s);
  ct_curved_common best = {.point = s.point, .outside = worst(&s)};
  double before = INFINITY;
  for (int step = 0, turns = 0; step < STEPS_MAX && best.outside > enough && !best.apart; step++) {
    if (step_onto_both(body, &s)) {
      turns = 0;
    } else {
      if (turns % STILL_TURNS == 0) before = worst(&s);
      step_onto_farther(body, &s);
      best.apart = ++turns % STILL_TURNS == 0 && turns > STILL_TURNS && at_gap(&s, before);
    }
    if (!(worst(&s) < best.outside)) continue;
    best.point = s.point;
    best.outside = worst(&s);
  }
  end_at(&s, &best);
  if (best.outside > enough) ct_curved_cutting_planes(a, b, enough, &best);
  return best;
}
