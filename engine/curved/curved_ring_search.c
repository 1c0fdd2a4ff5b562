/* Lower bound of the depth of a pair with a body of revolution, by sectors of directions around its
 * axis.
 *
 * If a ring of normals, or part of one, is equally deep or nearly so (axes that nearly coincide; an
 * axis that passes along an edge or through a vertex), EPA needs a face for each direction of the
 * ring, and its bound converges only with the square of the angle between these directions.
 *
 * Here the directions across the axis are divided into sectors. For one direction the Minkowski
 * difference is a figure in a half-plane, and its depth is found as in curved/curved_profile.c. The
 * depth over a sector is bounded by points of the difference that rotate with the direction.
 * Support points of the body of revolution follow its meridian exactly. Support points of the other
 * body follow its own meridian if it is a body of revolution about nearly the same axis, and are
 * fixed otherwise. The position of such a point in the half-plane is linear in the direction, so
 * its support value over the sector is least at a corner of the triangle around the sector's arc.
 * All these points belong to the difference, so the bound is valid for any choice of evaluated
 * normals. A sector with an insufficient bound is halved. Chords between two support points rotate
 * as well, so the error of the bound is of second order in the sector's angle. */
#include "curved/curved.h"
#include "curved/curved_profile.h"

/* Support points of the other body rotate with the direction if the squared sine of the angle
 * between the axes is at most this. */
#define NEARLY_PARALLEL 0x1p-8
/* Radii of an ellipsoid count as equal if they differ by at most this fraction, which is within the
 * documented accuracy of the depth. */
#define UNEQUAL 0x1p-32
/* Largest number of halvings of a sector. */
#define HALVINGS_MAX 40
#define SECTORS 8
/* Largest number of arcs of one sector that are not proven yet. */
#define ARCS_MAX 24
/* Axes nearly coincide if their directions differ by at most this, and their offset is at most this
 * fraction of the size. */
#define NEARLY_ONE 0x1p-8
/* Round-off of the bound, in u of the size: three products and sums of each of seven terms. */
#define BOUND_ROUNDOFFS 64.0

/* A point of the difference as a function of the unit direction d across the axis: base + (wide e +
 * across.d, along.d), where e is the cosine of the angle between d and the meridian of the other
 * body. */
typedef struct track {
  ct_profile_point base;
  double wide, across[2], along[2];
} track;

/* A sector of directions across the axis, and a triangle around its arc: two corners are the ends
 * of the arc, the third is the intersection of the tangents there. */
typedef struct sector {
  double corner[3][2];
  double middle[2];
  double cosine; /* least e (see track) in the sector */
  int halvings;
} sector;

/* An evaluated normal, and its support point for the directions at the corners and in the middle of
 * the sector. */
typedef struct sector_sample {
  ct_profile_point normal, at[3], middle;
} sector_sample;

/* The normals between two evaluated ones. No depth along them, for any direction of the sector, is
 * less than `least`; `next` is the normal for which this bound was found. */
typedef struct arc {
  sector_sample from, to;
  double least;
  ct_profile_point next;
} arc;

typedef struct ring_search {
  ct_curved *curved;
  bool second; /* true: the body of revolution is the pair's second body */
  ct_profile round, other;
  /* true: the other body is one of revolution about a nearly parallel axis, so its points rotate */
  bool turns;
  double turn;        /* 1: the axes point the same way, -1: opposite ways */
  ct_vec3 across[2];  /* two directions that complete the axis to a frame */
  ct_vec3 other_axis; /* axis of the other body, oriented less than a right angle from the axis */
  double lean[2];     /* components of other_axis across the axis */
  double cosine;      /* component of other_axis along the axis */
  ct_vec3 center;
  /* vector from the other body's centre to this body's: its component along the axis */
  ct_profile_point toward;
  double aside[2]; /* components of that vector across the axis */
  double target;
  int evaluations;
  ct_curved_bound *bound;
} ring_search;

static double dot_2d(const double p[2], const double q[2]) { return p[0] * q[0] + p[1] * q[1]; }

/* Returns e (see track) for a direction d with (d.lean)^2 = square. */
static double compute_meridian_cosine(const ring_search *r, double square) {
  double most = dot_2d(r->lean, r->lean);
  return 1.0 - ct_min2(square, most) / (1.0 + r->cosine);
}

static ct_profile_point evaluate_track(const track *t, const double d[2], double e) {
  return (ct_profile_point){t->base.across + t->wide * e + dot_2d(t->across, d),
                            t->base.along + dot_2d(t->along, d)};
}

/* Adds the support point of the other body along a unit normal n of the difference to the track. */
static void add_other_track(ring_search *r, ct_vec3 n, track *t) {
  if (r->turns) {
    /* A body of revolution with a nearly parallel axis: its support point rotates with the
     * direction. */
    double along = ct_dot(n, r->other_axis);
    double across = ct_norm(ct_add_scaled(n, r->other_axis, -along));
    ct_profile_point p =
        ct_profile_farthest(&r->other, (ct_profile_point){across, -r->turn * along});
    double up = -r->turn * p.along;
    t->wide = p.across;
    t->base.along += up * r->cosine + r->toward.along;
    for (int i = 0; i < 2; i++) {
      t->across[i] = up * r->lean[i] + r->aside[i];
      t->along[i] = -p.across * r->lean[i];
    }
    return;
  }
  /* Otherwise the support point is fixed. */
  ct_minkowski_vertex m = ct_curved_support(r->curved, r->second ? ct_neg(n) : n);
  ct_vec3 q = ct_sub(r->center, r->second ? m.a : m.b);
  t->wide = 0.0;
  t->base.along += ct_dot(q, r->round.axis);
  for (int i = 0; i < 2; i++) {
    t->across[i] = ct_dot(q, r->across[i]);
    t->along[i] = 0.0;
  }
}

static ct_vec3 lift_to_space(const ring_search *r, const double d[2], ct_profile_point m) {
  ct_vec3 flat = ct_add(ct_scale(r->across[0], d[0]), ct_scale(r->across[1], d[1]));
  return ct_unit_or(ct_add(ct_scale(flat, m.across), ct_scale(r->round.axis, m.along)), flat);
}

static sector_sample sample_normal(ring_search *r, const sector *s, ct_profile_point m) {
  r->evaluations++;
  ct_vec3 n = lift_to_space(r, s->middle, m);
  track t = {.base = ct_profile_farthest(&r->round, m)};
  add_other_track(r, n, &t);
  sector_sample x = {.normal = m, .middle = evaluate_track(&t, s->middle, s->cosine)};
  for (int i = 0; i < 3; i++) x.at[i] = evaluate_track(&t, s->corner[i], s->cosine);
  double along = dot_2d(s->middle, r->lean),
         depth = ct_profile_dot(
             m, evaluate_track(&t, s->middle, compute_meridian_cosine(r, along * along)));
  if (depth < r->bound->least_found) {
    r->bound->least_found = depth;
    r->bound->normal = r->second ? ct_neg(n) : n;
  }
  return x;
}

/* Returns the minimum of a track's support value over the normals from n to m and over the sector;
 * *next: the normal at the minimum. */
static double minimize_track(const ct_profile_point at[3], ct_profile_point n, ct_profile_point m,
                             ct_profile_point *next) {
  double least = INFINITY;
  for (int i = 0; i < 3; i++) {
    ct_profile_point where;
    double value = ct_profile_minimum(at[i], n, m, &where);
    if (value >= least) continue;
    least = value;
    *next = where;
  }
  return least;
}

/* Lowers the bound of the arc *r to the bound for the normals from n to m, which is the better one
 * of two tracks; the second may be NULL. */
static void lower_arc_bound(const ct_profile_point at[3], const ct_profile_point *other,
                            ct_profile_point n, ct_profile_point m, arc *r) {
  ct_profile_point where, next;
  double least = minimize_track(at, n, m, &where);
  if (least >= r->least) return;
  double value = other ? minimize_track(other, n, m, &next) : -INFINITY;
  if (ct_max2(least, value) >= r->least) return;
  r->least = ct_max2(least, value);
  r->next = value > least ? next : where;
}

static double measure_variation(const sector_sample *s) {
  double most = 0.0;
  for (int i = 0; i < 3; i++)
    most = ct_max2(most, ct_max2(fabs(s->at[i].across - s->middle.across),
                                 fabs(s->at[i].along - s->middle.along)));
  return most;
}

/* Rotates a normal by the angle with tangent t, but not beyond `limit`. */
static ct_profile_point turn_normal(ct_profile_point n, double t, ct_profile_point limit) {
  double length = sqrt(1.0 + t * t);
  ct_profile_point m = {(n.across - t * n.along) / length, (n.along + t * n.across) / length};
  return (t < 0.0 ? ct_profile_cross(limit, m) : ct_profile_cross(m, limit)) > 0.0 ? m : limit;
}

/* Makes the arc between two samples. Their support points bound the normals up to the normal of
 * their chord. Near that normal, as far as the motion of the support points within the sector
 * matters, a second bound is the point of the chord that is closest to the origin in the middle of
 * the sector. */
static arc make_sector_arc(const sector_sample *from, const sector_sample *to) {
  arc r = {.from = *from, .to = *to, .least = INFINITY};
  ct_profile_point middle = ct_profile_bisector(from->middle, to->middle, from->normal, to->normal);
  ct_profile_point d = {to->middle.across - from->middle.across,
                        to->middle.along - from->middle.along};
  /* Point of the chord closest to the origin, in the middle of the sector. */
  double square = ct_profile_dot(d, d),
         part = square > 0.0 ? -ct_profile_dot(d, from->middle) / square : 0.0;
  part = ct_min2(ct_max2(part, 0.0), 1.0);
  /* Angle around the chord's normal within which the motion of the ends may matter. */
  double reach = square > 0.0
                     ? 2.0 * ct_max2(measure_variation(from), measure_variation(to)) / sqrt(square)
                     : 0.0;
  ct_profile_point first = turn_normal(middle, -reach, from->normal),
                   second = turn_normal(middle, reach, to->normal);
  ct_profile_point at[3];
  for (int i = 0; i < 3; i++)
    at[i] = (ct_profile_point){from->at[i].across + part * (to->at[i].across - from->at[i].across),
                               from->at[i].along + part * (to->at[i].along - from->at[i].along)};
  /* Outside of that angle the ends bound the arc; inside, the chord's point does too. */
  lower_arc_bound(from->at, NULL, from->normal, first, &r);
  lower_arc_bound(from->at, at, first, middle, &r);
  lower_arc_bound(to->at, at, middle, second, &r);
  lower_arc_bound(to->at, NULL, second, to->normal, &r);
  return r;
}

/* If a split hardly raised the bound, the next split of this arc is at the middle of its angle. */
static void bisect_slow_arc(const ring_search *r, const arc *before, arc *part) {
  if (part->least - before->least < 0.5 * (r->target - before->least))
    part->next = ct_profile_bisector(part->from.normal, part->from.normal, part->from.normal,
                                     part->to.normal);
}

/* True if the depth along every normal, for every direction of the sector, is proven to be at least
 * the target. */
static bool prove_sector(ring_search *r, const sector *s) {
  /* Two arcs: from either pole to the direction across the axis. */
  arc waiting[ARCS_MAX];
  sector_sample pole[2] = {sample_normal(r, s, (ct_profile_point){0.0, -1.0}),
                           sample_normal(r, s, (ct_profile_point){0.0, 1.0})},
                side = sample_normal(r, s, (ct_profile_point){1.0, 0.0});
  int count = 2;
  waiting[0] = make_sector_arc(&pole[0], &side);
  waiting[1] = make_sector_arc(&side, &pole[1]);
  while (count > 0) {
    arc cut = waiting[--count];
    /* The arc is proven. */
    if (cut.least >= r->target) {
      r->bound->least = ct_min2(r->bound->least, cut.least);
      continue;
    }
    /* Too many evaluations, or the arc cannot be split. */
    if (r->evaluations >= r->bound->normals_max || count + 2 > ARCS_MAX) return false;
    if (ct_profile_cross(cut.from.normal, cut.next) <= 0.0 ||
        ct_profile_cross(cut.next, cut.to.normal) <= 0.0)
      return false;
    /* Split at the normal of the bound; a depth below the target refutes the sector. */
    sector_sample x = sample_normal(r, s, cut.next);
    for (int i = 0; i < 3; i++)
      if (ct_profile_dot(cut.next, x.at[i]) < r->target) return false;
    arc part[2] = {make_sector_arc(&cut.from, &x), make_sector_arc(&x, &cut.to)};
    for (int i = 0; i < 2; i++) {
      bisect_slow_arc(r, &cut, &part[i]);
      waiting[count++] = part[i];
    }
  }
  return true;
}

static sector make_sector(const ring_search *r, const double from[2], const double to[2],
                          int halvings) {
  sector s = {.halvings = halvings};
  double sum[2] = {from[0] + to[0], from[1] + to[1]}, length = sqrt(dot_2d(sum, sum)),
         tip = 1.0 + dot_2d(from, to), most = 0.0;
  for (int i = 0; i < 2; i++) {
    s.corner[0][i] = from[i];
    s.corner[1][i] = to[i];
    s.corner[2][i] = sum[i] / tip;
    s.middle[i] = sum[i] / length;
  }
  for (int i = 0; i < 3; i++) {
    double along = dot_2d(s.corner[i], r->lean);
    most = ct_max2(most, along * along);
  }
  s.cosine = compute_meridian_cosine(r, most);
  return s;
}

/* Halves sectors until each is proven; false if one cannot be. Depth first, because the target is
 * known. */
static bool prove_all_sectors(ring_search *r) {
  static const double start[SECTORS][2] = {{1.0, 0.0},  {0.6, 0.8},   {0.0, 1.0},  {-0.6, 0.8},
                                           {-1.0, 0.0}, {-0.6, -0.8}, {0.0, -1.0}, {0.6, -0.8}};
  for (int i = 0; i < SECTORS; i++) {
    sector waiting[HALVINGS_MAX + 2];
    int count = 1;
    waiting[0] = make_sector(r, start[i], start[(i + 1) % SECTORS], 0);
    while (count > 0) {
      if (ct_cancel_raised(r->curved->cancel)) return false;
      sector s = waiting[--count];
      if (prove_sector(r, &s)) continue;
      if (s.halvings == HALVINGS_MAX || r->evaluations >= r->bound->normals_max ||
          r->bound->least_found < r->target)
        return false;
      waiting[count++] = make_sector(r, s.middle, s.corner[1], s.halvings + 1);
      waiting[count++] = make_sector(r, s.corner[0], s.middle, s.halvings + 1);
    }
  }
  return true;
}

/* Computes the frame of the axis, and the relation to the other body; returns false if `round` is
 * no body of revolution. */
static bool init_ring_search(ring_search *r, const ct_convex_proxy *round,
                             const ct_convex_proxy *other) {
  if (!ct_profile_of(round, UNEQUAL, &r->round)) return false;
  ct_vec3 axis = r->round.axis,
          e = fabs(axis.x) < 0.6 ? ct_vec(1.0, 0.0, 0.0) : ct_vec(0.0, 1.0, 0.0);
  r->across[0] = ct_unit_or(ct_cross(axis, e), e);
  r->across[1] = ct_cross(axis, r->across[0]);
  r->center = round->center;
  if (!ct_profile_of(other, UNEQUAL, &r->other)) return true;
  r->turn = ct_dot(axis, r->other.axis) >= 0.0 ? 1.0 : -1.0;
  r->other_axis = ct_scale(r->other.axis, r->turn);
  ct_vec3 toward = ct_sub(round->center, other->center);
  for (int i = 0; i < 2; i++) {
    r->lean[i] = ct_dot(r->other_axis, r->across[i]);
    r->aside[i] = ct_dot(toward, r->across[i]);
  }
  r->turns = dot_2d(r->lean, r->lean) <= NEARLY_PARALLEL;
  r->cosine = ct_dot(r->other_axis, axis);
  r->toward.along = ct_dot(toward, axis);
  if (!r->turns) r->lean[0] = r->lean[1] = 0.0;
  return true;
}

bool ct_curved_search_ring(ct_curved *c, bool second, double known, double width,
                           ct_curved_bound *bound) {
  ring_search r = {.curved = c, .second = second, .bound = bound};
  *bound = (ct_curved_bound){
      .least = INFINITY, .least_found = INFINITY, .normals_max = bound->normals_max};
  if (!init_ring_search(&r, second ? c->b : c->a, second ? c->a : c->b)) return false;
  double roundoff = BOUND_ROUNDOFFS * CT_UNIT_ROUNDOFF * ct_minkowski_size(c->a, c->b);
  r.target = known - width + roundoff;
  bool all = prove_all_sectors(&r);
  bound->least -= roundoff;
  c->supports += (uint32_t)r.evaluations;
  return all;
}

bool ct_curved_coaxial(const ct_curved *c) {
  ct_profile a, b;
  if (!ct_profile_of(c->a, UNEQUAL, &a) || !ct_profile_of(c->b, UNEQUAL, &b)) return false;
  if (ct_norm(ct_cross(a.axis, b.axis)) > NEARLY_ONE) return false;
  return ct_norm(ct_cross(a.axis, ct_sub(c->b->center, c->a->center))) <= NEARLY_ONE * c->scale;
}
