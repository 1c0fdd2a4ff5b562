/* Bodies of revolution in the half-plane of their axis, and the depth of two such bodies with
 * parallel axes, as a problem in the plane of the axis and the offset.
 *
 * For a given angle to the axis, a body's support value is the same in all directions around the
 * axis. The best normal is therefore in the plane of the axis and the offset; if the axes coincide,
 * a whole ring of normals ties. EPA would need a face for each direction of the ring; here its
 * polytope is a polygon. The depth over an arc of normals is bounded from below by the support
 * points at its ends. The arc with the least bound is split until the bound equals the depth up to
 * round-off. */
#include "curved/curved_profile.h"
#include "curved/curved.h"

/* ---- profiles ------------------------------------------------------------------------------- */

static ct_vec3 get_matrix_column(ct_mat3 m, int i) {
  return i == 0   ? ct_vec(m.rx.x, m.ry.x, m.rz.x)
         : i == 1 ? ct_vec(m.rx.y, m.ry.y, m.rz.y)
                  : ct_vec(m.rx.z, m.ry.z, m.rz.z);
}

bool ct_profile_of(const ct_convex_proxy *proxy, double unequal, ct_profile *p) {
  *p = (ct_profile){.half = 0.0};
  if (proxy->kind == CT_PROXY_ELLIPSOID) {
    /* An ellipsoid is a body of revolution about any axis if the two radii across this axis are
     * equal. */
    const double r[3] = {proxy->half.x, proxy->half.y, proxy->half.z};
    for (int i = 0; i < 3; i++) {
      double wide = ct_min2(r[(i + 1) % 3], r[(i + 2) % 3]),
             most = ct_max2(r[(i + 1) % 3], r[(i + 2) % 3]);
      if (most - wide > unequal * most) continue;
      p->axis = get_matrix_column(proxy->rotation, i);
      p->half = r[i];
      p->wide = wide;
    }
    return p->half > 0.0;
  }
  if (proxy->kind != CT_PROXY_FRUSTUM && proxy->kind != CT_PROXY_SEGMENT) return false;
  /* A frustum ends in discs, a tapered capsule in balls. The constant radius of an untapered
   * capsule is not part of its core. */
  bool frustum = proxy->kind == CT_PROXY_FRUSTUM;
  p->axis = ct_unit_or(proxy->axis[2], proxy->axis[2]);
  p->end[1] = frustum ? proxy->half.z : proxy->size;
  p->end[0] = -p->end[1];
  for (int i = 0; i < 2; i++) {
    if (frustum) p->disc[i] = proxy->rim[i];
    else if (ct_proxy_is_tapered(proxy)) p->ball[i] = proxy->radius[i];
  }
  return true;
}

ct_profile_point ct_profile_farthest(const ct_profile *p, ct_profile_point n) {
  if (p->half > 0.0) {
    double x = p->wide * n.across, z = p->half * n.along, k = sqrt(x * x + z * z);
    return (ct_profile_point){p->wide * (x / k), p->half * (z / k)};
  }
  double level[2];
  for (int i = 0; i < 2; i++) level[i] = p->disc[i] * n.across + p->end[i] * n.along + p->ball[i];
  int i = level[1] >= level[0] ? 1 : 0;
  return (ct_profile_point){p->disc[i] + p->ball[i] * n.across, p->end[i] + p->ball[i] * n.along};
}

double ct_profile_minimum(ct_profile_point at, ct_profile_point n, ct_profile_point m,
                          ct_profile_point *where) {
  ct_profile_point against = {-at.across, -at.along};
  if (ct_profile_cross(n, against) > 0.0 && ct_profile_cross(against, m) > 0.0) {
    double length = sqrt(at.across * at.across + at.along * at.along);
    if (length > 0.0) {
      *where = (ct_profile_point){against.across / length, against.along / length};
      return -length;
    }
  }
  double from = ct_profile_dot(n, at), to = ct_profile_dot(m, at);
  *where = from <= to ? n : m;
  return ct_min2(from, to);
}

ct_profile_point ct_profile_bisector(ct_profile_point from, ct_profile_point to, ct_profile_point n,
                                     ct_profile_point m) {
  ct_profile_point d = {to.across - from.across, to.along - from.along}, middle = n;
  double length = sqrt(d.across * d.across + d.along * d.along);
  /* The chord's normal is between n and m, except for round-off. */
  if (length > 0.0) middle = (ct_profile_point){d.along / length, -d.across / length};
  if (length > 0.0 && ct_profile_cross(n, middle) >= 0.0 && ct_profile_cross(middle, m) >= 0.0)
    return middle;
  ct_profile_point sum = {n.across + m.across, n.along + m.along};
  double size = sqrt(sum.across * sum.across + sum.along * sum.along);
  return (ct_profile_point){sum.across / size, sum.along / size};
}

/* ---- depth of bodies with parallel axes ----------------------------------------------------- */

/* Axes count as parallel if the length of their cross product is at most this many u, which is the
 * round-off of two rotations. */
#define PARALLEL_ROUNDOFFS 32.0
/* Largest number of arcs. Frustums and capsules need a dozen, ellipsoids about forty. */
#define ARCS_MAX 192
/* The search ends when the bounds of the depth differ by at most this many u of the size. */
#define CLOSED_ROUNDOFFS 4.0
/* Depths tie if they differ by at most this many u of the size. */
#define TIE_ROUNDOFFS 8.0

/* An evaluated normal, the support point of a - b along it, and the depth along it. */
typedef struct normal_sample {
  ct_profile_point normal, at;
  double depth;
} normal_sample;

/* The normals between two evaluated ones. No depth along them is less than `least`; `next` is the
 * normal for which this bound was found, at which the arc is split. */
typedef struct arc {
  normal_sample from, to;
  double least;
  ct_profile_point next;
} arc;

typedef struct parallel_axes {
  ct_profile a, b;
  ct_profile_point offset; /* vector from the centre of a to the centre of b */
  double turn;             /* 1: the axes point the same way, -1: opposite ways */
  double size;
  arc arcs[ARCS_MAX];
  int count;
} parallel_axes;

static normal_sample sample_half_plane(const parallel_axes *t, ct_profile_point n) {
  ct_profile_point p = ct_profile_farthest(&t->a, n),
                   q = ct_profile_farthest(&t->b, (ct_profile_point){n.across, -t->turn * n.along});
  normal_sample s = {.normal = n,
                     .at = {p.across + q.across - t->offset.across,
                            p.along - t->turn * q.along - t->offset.along}};
  s.depth = ct_profile_dot(n, s.at);
  return s;
}

static arc make_profile_arc(const normal_sample *from, const normal_sample *to) {
  arc r = {.from = *from, .to = *to};
  ct_profile_point middle = ct_profile_bisector(from->at, to->at, from->normal, to->normal), where;
  r.least = ct_profile_minimum(from->at, from->normal, middle, &r.next);
  double second = ct_profile_minimum(to->at, middle, to->normal, &where);
  if (second < r.least) {
    r.least = second;
    r.next = where;
  }
  return r;
}

static ct_vec3 lift_half_plane_normal(const parallel_axes *t, ct_profile_point n, ct_vec3 across) {
  return ct_unit_or(ct_add(ct_scale(across, n.across), ct_scale(t->a.axis, n.along)), across);
}

/* Replaces the best sample if s has the lesser depth, or ties and has the greater normal. */
static void keep_least_depth(const parallel_axes *t, const normal_sample *s, normal_sample *best,
                             ct_vec3 across) {
  double lead = best->depth - s->depth, tie = TIE_ROUNDOFFS * CT_UNIT_ROUNDOFF * t->size;
  bool apart = fabs(ct_profile_cross(s->normal, best->normal)) > 1e-6;
  if (lead < -tie || (lead <= 0.0 && !apart)) return;
  if (lead > tie || !apart ||
      ct_normal_greater(lift_half_plane_normal(t, s->normal, across),
                        lift_half_plane_normal(t, best->normal, across)))
    *best = *s;
}

/* Returns the lexicographically greatest unit direction perpendicular to the axis. */
static ct_vec3 choose_greatest_across(ct_vec3 axis) {
  for (int i = 0; i < 3; i++) {
    ct_vec3 e = {i == 0, i == 1, i == 2}, flat = ct_add_scaled(e, axis, -ct_dot(e, axis));
    if (ct_norm(flat) > 1e-9) return ct_unit_or(flat, e);
  }
  return ct_vec(1.0, 0.0, 0.0);
}

/* Splits the arc with the least bound until the bounds of the depth agree; returns the lower bound
 * of the depth. */
static double split_arcs(parallel_axes *t, normal_sample *best, ct_vec3 across) {
  double least = -INFINITY;
  while (t->count < ARCS_MAX) {
    int lowest = 0;
    for (int i = 1; i < t->count; i++)
      if (t->arcs[i].least < t->arcs[lowest].least) lowest = i;
    arc cut = t->arcs[lowest];
    least = cut.least;
    if (best->depth - least <= CLOSED_ROUNDOFFS * CT_UNIT_ROUNDOFF * t->size) break;
    normal_sample s = sample_half_plane(t, cut.next);
    keep_least_depth(t, &s, best, across);
    arc first = make_profile_arc(&cut.from, &s), second = make_profile_arc(&s, &cut.to);
    first.least = ct_max2(first.least, cut.least);
    second.least = ct_max2(second.least, cut.least);
    t->arcs[lowest] = first;
    t->arcs[t->count++] = second;
  }
  return ct_min2(least, best->depth);
}

bool ct_curved_parallel_axes(const ct_curved *c, ct_curved_ring *ring) {
  parallel_axes t = {.size = ct_minkowski_size(c->a, c->b)};
  if (!ct_profile_of(c->a, 0.0, &t.a) || !ct_profile_of(c->b, 0.0, &t.b)) return false;
  if (ct_norm(ct_cross(t.a.axis, t.b.axis)) > PARALLEL_ROUNDOFFS * CT_UNIT_ROUNDOFF) return false;
  t.turn = ct_dot(t.a.axis, t.b.axis) >= 0.0 ? 1.0 : -1.0;
  ct_vec3 offset = ct_sub(c->b->center, c->a->center),
          flat = ct_cross(t.a.axis, ct_cross(offset, t.a.axis));
  t.offset = (ct_profile_point){ct_norm(flat), ct_dot(offset, t.a.axis)};
  bool coaxial = t.offset.across <= TIE_ROUNDOFFS * CT_UNIT_ROUNDOFF * t.size;
  ct_vec3 across = coaxial ? choose_greatest_across(t.a.axis) : ct_unit_or(flat, flat);
  const ct_profile_point start[3] = {{0.0, -1.0}, {1.0, 0.0}, {0.0, 1.0}};
  normal_sample s[3], best;
  for (int i = 0; i < 3; i++) s[i] = sample_half_plane(&t, start[i]);
  best = s[0];
  for (int i = 1; i < 3; i++) keep_least_depth(&t, &s[i], &best, across);
  for (int i = 0; i < 2; i++) t.arcs[t.count++] = make_profile_arc(&s[i], &s[i + 1]);
  ring->least = split_arcs(&t, &best, across);
  ring->normal = lift_half_plane_normal(&t, best.normal, across);
  ring->several = coaxial && best.normal.across > 1e-6;
  return true;
}
