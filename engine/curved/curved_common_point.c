/* A point of two bodies that barely overlap: by projections onto the body that is farther away, or
 * onto both at once; and by cutting planes, where projections converge too slowly.
 *
 * Projections: alternating between the bodies always approaches, but at a rate proportional to the
 * angle of the surfaces, which is small where bodies touch. So the line in which the planes of both
 * nearest points cross is tried first: Newton's step for both distances, the shortest one. It is
 * accepted only if it gains, as curved surfaces may mislead it.
 *
 * Cutting planes (Kelley, The Cutting-Plane Method for Solving Convex Programs, 1960, with the
 * least step of bundle methods): a point outside of a body is cut off by the plane of the nearest
 * point of the body; both bodies are below all planes found so. The next point tried is the nearest
 * one to the best point that is below the retained planes. On smooth surfaces these are Newton's
 * steps, and unlike those for two planes they are valid where three or more surfaces bound the
 * sliver. Planes that leave no point prove that the bodies are apart.
 */
#include "curved/curved.h"

/* ---- cutting planes
 * ------------------------------------------------------------------------------ */

/* Planes kept: of those the nearest point is found by trying all threes, so that one step costs
 * some 3000 dot products. */
#define CUTS_MAX 12
#define CUT_STEPS_MAX 64
/* Solutions for planes that are nearly parallel lose digits: each round gives them again. */
#define SOLVE_ROUNDS 2
/* What a point may be above the planes, so that it may still be a little outside of bodies that
 * bend. */
#define PART_OF_ENOUGH 0.25

/* Both bodies are where normal.(x - at) <= 0. */
typedef struct cut {
  ct_vec3 normal, at;
} cut;

typedef struct cuts {
  cut cut[CUTS_MAX];
  int count, next; /* the next to be replaced */
  double enough;   /* m above a plane that count as none */
} cuts;

/* A point below the planes as far as is possible, and its distance from the point it began at. */
typedef struct trial {
  ct_vec3 point;
  double above, away;
} trial;

static double above(const cut *c, ct_vec3 p) { return ct_dot(c->normal, ct_sub(p, c->at)); }

static void keep(cuts *all, ct_vec3 normal, ct_vec3 at) {
  all->cut[all->next] = (cut){normal, at};
  all->next = (all->next + 1) % CUTS_MAX;
  if (all->count < CUTS_MAX) all->count++;
}

/* The greatest distance of a point from the bodies; cuts it off. */
static double evaluate_cut_point(const ct_convex_proxy *const body[2], cuts *all, ct_vec3 p) {
  double worst = 0.0;
  for (int i = 0; i < 2; i++) {
    double distance;
    ct_vec3 normal;
    if (!ct_proxy_point_distance(body[i], p, &distance, &normal) || !(distance > 0.0)) continue;
    keep(all, normal, ct_add_scaled(p, normal, -distance));
    worst = ct_max2(worst, distance);
  }
  return worst;
}

/* Offers the point of `count` planes that is nearest to p. */
static void offer(const cuts *all, const cut *const plane[3], int count, ct_vec3 p, trial *best) {
  ct_vec3 across[3], x = p;
  double whole;
  if (count == 1) {
    across[0] = plane[0]->normal;
    whole = ct_norm2(across[0]);
  } else {
    ct_vec3 third = count == 3 ? plane[2]->normal : ct_cross(plane[0]->normal, plane[1]->normal);
    across[0] = ct_cross(plane[1]->normal, third);
    across[1] = ct_cross(third, plane[0]->normal);
    across[2] = ct_cross(plane[0]->normal, plane[1]->normal);
    whole = ct_dot(across[2], third);
  }
  if (whole == 0.0) return;
  for (int round = 0; round < SOLVE_ROUNDS; round++) {
    ct_vec3 step = {0.0, 0.0, 0.0};
    for (int i = 0; i < count; i++)
      step = ct_add_scaled(step, across[i], -above(plane[i], x) / whole);
    x = ct_add(x, step);
  }
  trial t = {.point = x, .above = all->enough, .away = ct_norm2(ct_sub(x, p))};
  for (int i = 0; i < all->count && t.above <= best->above; i++)
    t.above = ct_max2(t.above, above(&all->cut[i], x));
  if (t.above < best->above || (t.above == best->above && t.away < best->away)) *best = t;
}

/* The point below all planes that is nearest to p; of planes that leave none, one that is least
 * above them. */
static trial nearest_below(const cuts *all, ct_vec3 p) {
  trial best = {.point = p, .above = INFINITY, .away = INFINITY};
  const cut *plane[3];
  for (int i = 0; i < all->count; i++) {
    plane[0] = &all->cut[i];
    offer(all, plane, 1, p, &best);
    for (int j = i + 1; j < all->count; j++) {
      plane[1] = &all->cut[j];
      offer(all, plane, 2, p, &best);
      for (int k = j + 1; k < all->count; k++) {
        plane[2] = &all->cut[k];
        offer(all, plane, 3, p, &best);
      }
    }
  }
  return best;
}

/* The planes leave nothing: the places nearest to a point between the bodies. */
static void end_apart(const ct_convex_proxy *const body[2], ct_vec3 between, ct_curved_common *m) {
  ct_vec3 foot[2] = {between, between};
  for (int i = 0; i < 2; i++) {
    double distance;
    ct_vec3 normal;
    if (ct_proxy_point_distance(body[i], between, &distance, &normal) && distance > 0.0)
      foot[i] = ct_add_scaled(between, normal, -distance);
  }
  m->apart = true;
  m->a = foot[0];
  m->b = foot[1];
  m->normal = ct_unit_or(ct_sub(foot[1], foot[0]), m->normal);
}

/* Improves *m by cutting planes; the other members of *m change only if the planes prove that the
 * bodies are apart. */
static void find_point_by_cutting_planes(const ct_convex_proxy *a, const ct_convex_proxy *b,
                                         double enough, ct_curved_common *m) {
  const ct_convex_proxy *const body[2] = {a, b};
  cuts all = {.enough = PART_OF_ENOUGH * enough};
  evaluate_cut_point(body, &all, m->point);
  for (int step = 0; step < CUT_STEPS_MAX && m->outside > enough && all.count > 0; step++) {
    trial t = nearest_below(&all, m->point);
    double outside = evaluate_cut_point(body, &all, t.point);
    if (outside < m->outside) {
      m->outside = outside;
      m->point = t.point;
    }
    if (t.above > enough && m->outside > enough) {
      end_apart(body, t.point, m);
      return;
    }
  }
}

/* ---- projections
 * --------------------------------------------------------------------------------- */

/* Most ways end in ten; in the acute corners of slivers they are long. */
#define PROJECTION_STEPS_MAX 128
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

static void measure_spot(const ct_convex_proxy *const body[2], spot *s) {
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
  measure_spot(body, &next);
  if (!(worst(&next) < GAIN * worst(s))) return false;
  *s = next;
  return true;
}

static void step_onto_farther(const ct_convex_proxy *const body[2], spot *s) {
  int i = s->outside[1] >= s->outside[0] ? 1 : 0;
  s->point = ct_add_scaled(s->point, s->normal[i], -s->outside[i]);
  measure_spot(body, s);
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
  measure_spot(body, &s);
  ct_curved_common best = {.point = s.point, .outside = worst(&s)};
  double before = INFINITY;
  for (int step = 0, turns = 0; step < PROJECTION_STEPS_MAX && best.outside > enough && !best.apart;
       step++) {
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
  if (best.outside > enough) find_point_by_cutting_planes(a, b, enough, &best);
  return best;
}
