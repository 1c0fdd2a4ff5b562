/* Common point of two bodies that barely overlap: projections onto one body or onto both, then
 * cutting planes if projections converge too slowly.
 *
 * Projections: alternating projections always converge, but at a rate proportional to the angle
 * between the surfaces, which is small where bodies touch. Each iteration therefore first tries the
 * intersection line of the tangent planes at both closest points: the shortest Newton step for both
 * distances. The step is accepted only if it reduces the distance, because it may fail on curved
 * surfaces.
 *
 * Cutting planes (Kelley, The Cutting-Plane Method for Solving Convex Programs, 1960, with the
 * least step of bundle methods): a point outside of a body is cut off by the tangent plane at the
 * body's closest point. Both bodies are below all planes found so far. The next trial point is the
 * point below the retained planes that is closest to the best point. On smooth surfaces these are
 * Newton steps. Unlike the steps onto two planes, they are valid where three or more surfaces bound
 * the sliver. If no point is below all planes, the bodies are proven to be separated. */
#include "curved/curved.h"

/* ---- cutting planes ------------------------------------------------------------------------- */

/* Largest number of retained planes. The closest point below them is found by enumerating all
 * triples of planes: one step costs about 3000 dot products. */
#define CUTS_MAX 12
#define CUT_STEPS_MAX 64
/* Iterations of refinement of each linear system, because nearly parallel planes lose digits. */
#define SOLVE_ITERATIONS 2
/* A trial point may be above the planes by this fraction of `enough`, because it may be slightly
 * outside of curved bodies. */
#define PART_OF_ENOUGH 0.25

/* Half-space normal.(x - at) <= 0 that contains both bodies. */
typedef struct cut {
  ct_vec3 normal, at;
} cut;

typedef struct plane_set {
  cut cut[CUTS_MAX];
  int count, next; /* index of the plane to replace next */
  double enough;   /* tolerated height of a trial point above a plane, m */
} plane_set;

/* A trial point, its greatest height above the planes, and the squared length of the step to it. */
typedef struct trial {
  ct_vec3 point;
  double above, away;
} trial;

static double height_above_plane(const cut *c, ct_vec3 p) {
  return ct_dot(c->normal, ct_sub(p, c->at));
}

static void retain_plane(plane_set *all, ct_vec3 normal, ct_vec3 at) {
  all->cut[all->next] = (cut){normal, at};
  all->next = (all->next + 1) % CUTS_MAX;
  if (all->count < CUTS_MAX) all->count++;
}

/* Adds the planes that cut off p from the bodies outside of which p is; returns the greatest
 * distance of p from a body, or 0. */
static double evaluate_cut_point(const ct_convex_proxy *const body[2], plane_set *all, ct_vec3 p) {
  double worst = 0.0;
  for (int i = 0; i < 2; i++) {
    double distance;
    ct_vec3 normal;
    if (!ct_proxy_point_distance(body[i], p, &distance, &normal) || !(distance > 0.0)) continue;
    retain_plane(all, normal, ct_add_scaled(p, normal, -distance));
    worst = ct_max2(worst, distance);
  }
  return worst;
}

/* Computes the point on the given `count` planes that is closest to p, and replaces *best if the
 * point is better. */
static void try_plane_intersection(const plane_set *all, const cut *const plane[3], int count,
                                   ct_vec3 p, trial *best) {
  ct_vec3 across[3], x = p;
  double whole;
  /* Basis dual to the normals; the cross product of two normals completes them to three. */
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
  /* Project p onto all planes at once, then repeat to correct the round-off. */
  for (int pass = 0; pass < SOLVE_ITERATIONS; pass++) {
    ct_vec3 step = {0.0, 0.0, 0.0};
    for (int i = 0; i < count; i++)
      step = ct_add_scaled(step, across[i], -height_above_plane(plane[i], x) / whole);
    x = ct_add(x, step);
  }
  /* Compare by the height above the other planes, then by the length of the step. */
  trial t = {.point = x, .above = all->enough, .away = ct_norm2(ct_sub(x, p))};
  for (int i = 0; i < all->count && t.above <= best->above; i++)
    t.above = ct_max2(t.above, height_above_plane(&all->cut[i], x));
  if (t.above < best->above || (t.above == best->above && t.away < best->away)) *best = t;
}

/* Returns the point below all planes that is closest to p; if there is none, the point that is
 * least above the planes. */
static trial find_nearest_below_planes(const plane_set *all, ct_vec3 p) {
  trial best = {.point = p, .above = INFINITY, .away = INFINITY};
  const cut *plane[3];
  for (int i = 0; i < all->count; i++) {
    plane[0] = &all->cut[i];
    try_plane_intersection(all, plane, 1, p, &best);
    for (int j = i + 1; j < all->count; j++) {
      plane[1] = &all->cut[j];
      try_plane_intersection(all, plane, 2, p, &best);
      for (int k = j + 1; k < all->count; k++) {
        plane[2] = &all->cut[k];
        try_plane_intersection(all, plane, 3, p, &best);
      }
    }
  }
  return best;
}

/* Writes the result if the planes exclude every point: the points of both bodies that are closest
 * to a point between them. */
static void write_gap_points(const ct_convex_proxy *const body[2], ct_vec3 between,
                             ct_curved_common *m) {
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

/* Improves m->point and m->outside by cutting planes. Other members of *m change only if the planes
 * prove that the bodies are separated. */
static void find_point_by_cutting_planes(const ct_convex_proxy *a, const ct_convex_proxy *b,
                                         double enough, ct_curved_common *m) {
  const ct_convex_proxy *const body[2] = {a, b};
  plane_set all = {.enough = PART_OF_ENOUGH * enough};
  evaluate_cut_point(body, &all, m->point);
  for (int step = 0; step < CUT_STEPS_MAX && m->outside > enough && all.count > 0; step++) {
    trial t = find_nearest_below_planes(&all, m->point);
    double outside = evaluate_cut_point(body, &all, t.point);
    if (outside < m->outside) {
      m->outside = outside;
      m->point = t.point;
    }
    if (t.above > enough && m->outside > enough) {
      write_gap_points(body, t.point, m);
      return;
    }
  }
}

/* ---- projections ---------------------------------------------------------------------------- */

/* Largest number of iterations. Most pairs need ten; acute vertices of slivers need more. */
#define PROJECTION_STEPS_MAX 128
/* A step onto both tangent planes is accepted if it reduces the distance to less than this
 * fraction. */
#define GAIN 0.9
/* Planes count as parallel if the squared sine of their angle is at most this. */
#define PARALLEL 0x1p-100

/* The bodies count as separated if STILL_TURNS alternating projections, with normals that are
 * opposite within STILL_ANGLE (rad), reduce the gap by less than this fraction STILL_GAIN. */
#define STILL_ANGLE 0x1p-6
#define STILL_GAIN 0x1p-10
#define STILL_TURNS 8

/* A point, its distance outside of each body, and the outward normals of the bodies there. If the
 * point is inside a body, that body's normal is from the last point outside of it. */
typedef struct iterate {
  ct_vec3 point, normal[2];
  double outside[2];
} iterate;

static void measure_iterate(const ct_convex_proxy *const body[2], iterate *s) {
  for (int i = 0; i < 2; i++) {
    double distance;
    ct_vec3 normal;
    bool out = ct_proxy_point_distance(body[i], s->point, &distance, &normal) && distance > 0.0;
    s->outside[i] = out ? distance : 0.0;
    if (out) s->normal[i] = normal;
  }
}

static double max_outside(const iterate *s) { return ct_max2(s->outside[0], s->outside[1]); }

/* Moves the point by a Newton step onto the tangent planes of both bodies; returns false, and moves
 * nothing, if the step does not reduce the distance enough. */
static bool project_onto_both(const ct_convex_proxy *const body[2], iterate *s) {
  ct_vec3 p = s->normal[0], q = s->normal[1];
  double cosine = ct_dot(p, q), square = ct_norm2(ct_cross(p, q));
  if (square <= PARALLEL) return false;
  double x = (s->outside[0] - cosine * s->outside[1]) / square,
         y = (s->outside[1] - cosine * s->outside[0]) / square;
  iterate next = *s;
  next.point = ct_add_scaled(ct_add_scaled(s->point, p, -x), q, -y);
  measure_iterate(body, &next);
  if (!(max_outside(&next) < GAIN * max_outside(s))) return false;
  *s = next;
  return true;
}

static void project_onto_farther(const ct_convex_proxy *const body[2], iterate *s) {
  int i = s->outside[1] >= s->outside[0] ? 1 : 0;
  s->point = ct_add_scaled(s->point, s->normal[i], -s->outside[i]);
  measure_iterate(body, s);
}

/* True if alternating projections have converged to the closest points across a gap. */
static bool has_converged_to_gap(const iterate *s, double before) {
  if (!(before - max_outside(s) < STILL_GAIN * before) || ct_dot(s->normal[0], s->normal[1]) > 0.0)
    return false;
  return ct_norm2(ct_cross(s->normal[0], s->normal[1])) < STILL_ANGLE * STILL_ANGLE;
}

/* Writes the normal, and the closest points of both bodies, of the last iterate. */
static void write_last_iterate(const iterate *s, ct_curved_common *m) {
  bool first = s->outside[0] >= s->outside[1];
  m->normal = first ? s->normal[0] : ct_neg(s->normal[1]);
  m->a = first ? ct_add_scaled(s->point, s->normal[0], -s->outside[0]) : s->point;
  m->b = first ? s->point : ct_add_scaled(s->point, s->normal[1], -s->outside[1]);
}

ct_curved_common ct_curved_project(const ct_convex_proxy *a, const ct_convex_proxy *b,
                                   ct_vec3 start, ct_vec3 normal, double enough) {
  const ct_convex_proxy *const body[2] = {a, b};
  iterate s = {.point = start, .normal = {normal, ct_neg(normal)}};
  measure_iterate(body, &s);
  ct_curved_common best = {.point = s.point, .outside = max_outside(&s)};
  double before = INFINITY;
  for (int step = 0, turns = 0; step < PROJECTION_STEPS_MAX && best.outside > enough && !best.apart;
       step++) {
    /* A Newton step if it reduces the distance enough, else one alternating projection. */
    if (project_onto_both(body, &s)) {
      turns = 0;
    } else {
      if (turns % STILL_TURNS == 0) before = max_outside(&s);
      project_onto_farther(body, &s);
      best.apart =
          ++turns % STILL_TURNS == 0 && turns > STILL_TURNS && has_converged_to_gap(&s, before);
    }
    if (!(max_outside(&s) < best.outside)) continue;
    best.point = s.point;
    best.outside = max_outside(&s);
  }
  write_last_iterate(&s, &best);
  /* Slow convergence: cutting planes. */
  if (best.outside > enough) find_point_by_cutting_planes(a, b, enough, &best);
  return best;
}
