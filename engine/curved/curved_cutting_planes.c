/* A point of two bodies that barely overlap, by cutting planes, where projections close in too
 * slowly.
 *
 * A point outside of a body is cut off by the plane of the place nearest to it; both bodies are
 * below all planes found so. The next point tried is the nearest one to the best that is below the
 * planes kept: Kelley, The Cutting-Plane Method for Solving Convex Programs, 1960, with the least
 * step of bundle methods. Where surfaces are smooth these are Newton's steps, and unlike those for
 * two planes they also hold where three or more bound the sliver. Planes that leave no point prove
 * the bodies to be apart.
 */
#include "curved/curved.h"

/* Planes kept: of those the nearest point is found by trying all threes, so that one step costs
 * some 3000 dot products. */
#define CUTS_MAX 12
#define STEPS_MAX 64
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
static double measure(const ct_convex_proxy *const body[2], cuts *all, ct_vec3 p) {
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

void ct_curved_cutting_planes(const ct_convex_proxy *a, const ct_convex_proxy *b, double enough,
                              ct_curved_common *m) {
  const ct_convex_proxy *const body[2] = {a, b};
  cuts all = {.enough = PART_OF_ENOUGH * enough};
  measure(body, &all, m->point);
  for (int step = 0; step < STEPS_MAX && m->outside > enough && all.count > 0; step++) {
    trial t = nearest_below(&all, m->point);
    double outside = measure(body, &all, t.point);
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
