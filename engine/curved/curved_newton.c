/* The best normal near a given one, by Newton's method on s over the unit sphere, and the witness
 * points of a normal.
 *
 * s is smooth but for kinks: the normals at which a body's support jumps along an edge, a line of
 * its side or across a face. The optimum of a pair may be on one kink (edge or side line), on two
 * (an edge of each, a face) or on none. Each case is tried: on no kink two parameters are free, on
 * one kink a circle of normals, on two kinks and on faces nothing. A case that does not apply has a
 * low value, so the greatest value decides.
 *
 * Witness points: the part of the Minkowski difference that is extreme along the normal is flat.
 * The points are those of the origin's projection on that part, a search in the plane across the
 * normal.
 */
#include "curved/curved.h"

#include <assert.h>

/* ---- witness points
 * ------------------------------------------------------------------------------ */

/* Rounds of the search in the plane: a disc that touches a line at one point takes the most, two
 * thirds of a digit each. */
#define ROUNDS_MAX 64
/* How far the normal is tilted to see the ends of flat features, rad. The least tilt that shows
 * them is right: a tilt t takes in features that lean by t, and moves points of curved ones by t
 * times the radius of curvature. */
static const double tilts[] = {0x1p-46, 0x1p-38, 0x1p-30, 0x1p-24};
/* Points that miss each other by less than this many u of the size are one above the other. */
#define DEFECT_ROUNDOFFS 8.0

typedef struct corner {
  ct_minkowski_vertex m;
  double x, y; /* of m.w across the normal */
} corner;

typedef struct patch {
  ct_curved *curved;
  ct_vec3 normal, across[2];
  double tilt;
  corner item[3];
  double weight[3];
  int count;
} patch;

static corner corner_toward(patch *p, double x, double y) {
  double length = sqrt(x * x + y * y);
  ct_vec3 n = p->normal;
  if (length > 0.0) {
    ct_vec3 t = ct_add(ct_scale(p->across[0], x / length), ct_scale(p->across[1], y / length));
    n = ct_unit_or(ct_add_scaled(n, t, p->tilt), n);
  }
  corner c = {.m = ct_curved_support(p->curved, n)};
  c.x = ct_dot(p->across[0], c.m.w);
  c.y = ct_dot(p->across[1], c.m.w);
  return c;
}

/* Closest point of the segment from corner i to corner j to the origin; its square and weights. */
static double closest_on_edge(const patch *p, int i, int j, double weight[3]) {
  double x = p->item[j].x - p->item[i].x, y = p->item[j].y - p->item[i].y, square = x * x + y * y;
  double t = square > 0.0 ? -(p->item[i].x * x + p->item[i].y * y) / square : 0.0;
  t = ct_min2(ct_max2(t, 0.0), 1.0);
  weight[0] = weight[1] = weight[2] = 0.0;
  weight[i] = 1.0 - t;
  weight[j] = t;
  double u = p->item[i].x + t * x, v = p->item[i].y + t * y;
  return u * u + v * v;
}

static bool holds_origin(patch *p) {
  const corner *c = p->item;
  double d[3], sum = 0.0;
  for (int i = 0; i < 3; i++) {
    const corner *u = &c[(i + 1) % 3], *v = &c[(i + 2) % 3];
    d[i] = u->x * v->y - u->y * v->x;
    sum += d[i];
  }
  if (sum == 0.0) return false;
  for (int i = 0; i < 3; i++)
    if (d[i] / sum < 0.0) return false;
  for (int i = 0; i < 3; i++) p->weight[i] = d[i] / sum;
  return true;
}

/* Finds the corners and weights closest to the origin and drops the others. */
static void settle(patch *p) {
  if (p->count == 1) p->weight[0] = 1.0;
  if (p->count == 1 || (p->count == 3 && holds_origin(p))) return;
  double least = INFINITY;
  for (int j = 1; j < p->count; j++)
    for (int i = 0; i < j; i++) {
      double w[3], square = closest_on_edge(p, i, j, w);
      if (square >= least) continue;
      least = square;
      for (int k = 0; k < 3; k++) p->weight[k] = w[k];
    }
  int kept = 0;
  for (int i = 0; i < p->count; i++) {
    if (p->weight[i] == 0.0) continue;
    p->item[kept] = p->item[i];
    p->weight[kept++] = p->weight[i];
  }
  p->count = kept;
}

/* defect: what the points miss each other by across the normal. */
typedef struct place {
  ct_vec3 a, b;
  double x, y, defect;
} place;

static place place_of(const patch *p) {
  place r = {.defect = 0.0};
  for (int i = 0; i < p->count; i++) {
    r.a = ct_add_scaled(r.a, p->item[i].m.a, p->weight[i]);
    r.b = ct_add_scaled(r.b, p->item[i].m.b, p->weight[i]);
    r.x += p->weight[i] * p->item[i].x;
    r.y += p->weight[i] * p->item[i].y;
  }
  r.defect = sqrt(r.x * r.x + r.y * r.y);
  return r;
}

static place search(patch *p, double allowed) {
  place r = place_of(p);
  for (int round = 0; round < ROUNDS_MAX && r.defect > allowed && p->count < 3; round++) {
    /* s is the least over the difference: the support along a tilted normal is the corner farthest
     * against the tilt. */
    corner c = corner_toward(p, r.x, r.y);
    if (c.x * r.x + c.y * r.y >= r.defect * r.defect * (1.0 - 0x1p-40)) break;
    p->item[p->count++] = c;
    settle(p);
    place next = place_of(p);
    if (next.defect >= r.defect) break;
    r = next;
  }
  return r;
}

static bool is_in(const ct_convex_proxy *proxy, ct_vec3 p, double allowed) {
  return ct_proxy_is_curved(proxy) && ct_curved_closest_point(proxy, p, 1.0).distance <= allowed;
}

/* What the points miss each other by at the distance of the planes. More than across where a tilt
 * has led round a body that is hardly thicker than nothing, to its far side. */
static double missed(const ct_curved_answer *answer, ct_vec3 a, ct_vec3 b) {
  return ct_norm(ct_add_scaled(ct_sub(b, a), answer->normal, -answer->value));
}

/* Points that are better than the answer's become its. */
static void take(ct_curved_answer *answer, ct_vec3 a, ct_vec3 b) {
  double defect = missed(answer, a, b);
  if (!(defect < answer->defect)) return;
  answer->a = a;
  answer->b = b;
  answer->defect = defect;
}

/* Where a body is so flat that a double's last place of the normal moves its point far, the point
 * may go across the normal to where the other one is: it leaves the body by the square of that. */
static void slide(const ct_curved *c, double allowed, ct_vec3 a, ct_vec3 b,
                  ct_curved_answer *answer) {
  ct_vec3 n = answer->normal, apart = ct_sub(b, a),
          across = ct_add_scaled(apart, n, -ct_dot(n, apart));
  ct_vec3 to_a = ct_add(a, across), to_b = ct_sub(b, across);
  if (is_in(c->a, to_a, allowed)) take(answer, to_a, b);
  else if (is_in(c->b, to_b, allowed)) take(answer, a, to_b);
}

/* Finds the witness points of a normal. */
static void find_curved_witness(ct_curved *c, ct_curved_answer *answer) {
  double allowed = DEFECT_ROUNDOFFS * CT_UNIT_ROUNDOFF * c->scale;
  ct_vec3 n = answer->normal;
  patch p = {.curved = c, .normal = n, .count = 1, .weight = {1.0}};
  ct_vec3 e = fabs(n.x) < 0.6 ? ct_vec(1.0, 0.0, 0.0) : ct_vec(0.0, 1.0, 0.0);
  p.across[0] = ct_unit_or(ct_cross(n, e), e);
  p.across[1] = ct_cross(n, p.across[0]);
  corner first = p.item[0] = corner_toward(&p, 0.0, 0.0);
  answer->defect = INFINITY;
  take(answer, first.m.a, first.m.b);
  for (size_t i = 0; i < sizeof tilts / sizeof tilts[0] && answer->defect > allowed; i++) {
    p.tilt = tilts[i];
    p.count = 1;
    p.weight[0] = 1.0;
    p.item[0] = first;
    place r = search(&p, allowed);
    take(answer, r.a, r.b);
  }
  if (answer->defect > allowed) {
    slide(c, allowed, answer->a, answer->b, answer);
    slide(c, allowed, first.m.a, first.m.b, answer);
  }
  answer->matched = true;
  answer->upper = ct_norm(ct_sub(answer->b, answer->a));
}

/* ---- Newton's method
 * ----------------------------------------------------------------------------- */

/* Kinks of one body that are tried, nearest first. */
#define KINKS_MAX 3
/* Newton steps of one way; it gains digits twofold each, from wherever it starts to contract. */
#define NEWTON_STEPS_MAX 12
/* After a step this short, rad, the next one would be round-off. */
#define STEP_LAST 0x1p-27
/* Steps that lead down before a way is given up: there is a kink on it. */
#define DROPS_MAX 2
/* Longest step, rad. */
#define STEP_LONGEST 0.5
/* Neighbours of a hull's vertex that are looked at. */
#define NEIGHBOURS_MAX 64
/* Values that differ by this many u of the size are equal. */
#define TIE_ROUNDOFFS 4.0

/* Normals with n.along = level are those at which the support jumps; a fixed one is the one normal
 * `along`. */
typedef struct kink {
  ct_vec3 along;       /* unit */
  double level, reach; /* the cosine and the sine of the angle to it */
  double distance;     /* of the present normal from the kink */
} kink;

typedef struct kinks {
  kink line[2 * KINKS_MAX], fixed[4];
  int lines, fixes, first; /* first: where those of the present body begin */
} kinks;

/* Keeps the nearest of a body's lines. */
static void add_line(kinks *k, const kink *line) {
  assert(k->lines >= k->first && k->lines - k->first <= KINKS_MAX);
  int i = k->lines;
  if (k->lines - k->first < KINKS_MAX) k->lines++;
  else if (k->line[--i].distance <= line->distance) return;
  while (i > k->first && k->line[i - 1].distance > line->distance) {
    k->line[i] = k->line[i - 1];
    i--;
  }
  k->line[i] = *line;
}

static void add_edge(kinks *k, ct_vec3 edge, ct_vec3 n, double angle) {
  double length = ct_norm(edge);
  if (!(length > 0.0)) return;
  ct_vec3 along = ct_scale(edge, 1.0 / length);
  double distance = fabs(ct_dot(along, n));
  if (distance <= angle) add_line(k, &(kink){along, 0.0, 1.0, distance});
}

static void add_hull(kinks *k, const ct_convex_proxy *proxy, ct_vec3 out, double angle) {
  const ct_hull_view *view = proxy->view;
  uint32_t top = ct_proxy_support(proxy, out, 0);
  ct_vec3 p = ct_proxy_vertex(proxy, top);
  uint32_t first = view->neighbour_start[top], end = view->neighbour_start[top + 1];
  if (end - first > NEIGHBOURS_MAX) end = first + NEIGHBOURS_MAX;
  for (uint32_t i = first; i < end; i++)
    add_edge(k, ct_sub(ct_proxy_vertex(proxy, view->neighbour[i]), p), out, angle);
}

static void add_side(kinks *k, const ct_convex_proxy *proxy, ct_vec3 n, double sign, double angle) {
  ct_side_slope lean = ct_proxy_side_slope(proxy);
  ct_vec3 axis = ct_unit_or(proxy->axis[2], proxy->axis[2]);
  double distance = fabs(ct_dot(axis, n) - sign * lean.sine);
  if (distance <= angle && lean.cosine > 0.0)
    add_line(k, &(kink){axis, sign * lean.sine, lean.cosine, distance});
}

static void add_caps(kinks *k, const ct_convex_proxy *proxy, ct_vec3 n, double sign, double angle) {
  ct_vec3 axis = ct_unit_or(proxy->axis[2], proxy->axis[2]);
  double up = ct_dot(axis, n) >= 0.0 ? 1.0 : -1.0;
  if (proxy->rim[sign * up > 0.0 ? 1 : 0] > 0.0 && ct_norm(ct_cross(axis, n)) <= angle)
    k->fixed[k->fixes++] = (kink){.along = ct_scale(axis, up)};
}

/* The kinks of a body near the normal n of the pair; its outward normal is sign * n. */
static void collect(kinks *k, const ct_convex_proxy *proxy, ct_vec3 n, double sign, double angle) {
  k->first = k->lines;
  switch (proxy->kind) {
  case CT_PROXY_SEGMENT: add_side(k, proxy, n, sign, angle); break;
  case CT_PROXY_BOX:
    for (int i = 0; i < 3; i++) add_edge(k, proxy->axis[i], n, angle);
    break;
  case CT_PROXY_TRIANGLE:
    for (int i = 0; i < 3; i++)
      add_edge(k, ct_sub(proxy->axis[(i + 1) % 3], proxy->axis[i]), n, angle);
    break;
  case CT_PROXY_HULL: add_hull(k, proxy, ct_scale(n, sign), angle); break;
  case CT_PROXY_FRUSTUM:
    add_side(k, proxy, n, sign, angle);
    add_caps(k, proxy, n, sign, angle);
    break;
  case CT_PROXY_POINT:
  case CT_PROXY_ELLIPSOID: break;
  }
}

/* u.H v, H the second derivative of the support function of a core at the unit vector `out`. */
static double bend(const ct_convex_proxy *proxy, ct_vec3 out, ct_vec3 u, ct_vec3 v) {
  if (proxy->kind == CT_PROXY_SEGMENT && ct_proxy_is_tapered(proxy))
    return ct_proxy_vertex_radius(proxy, ct_proxy_support(proxy, out, 0)) *
           (ct_dot(u, v) - ct_dot(u, out) * ct_dot(v, out));
  if (!ct_proxy_is_curved(proxy)) return 0.0;
  ct_vec3 d = ct_mat_tmul(proxy->rotation, out), p = ct_mat_tmul(proxy->rotation, u),
          q = ct_mat_tmul(proxy->rotation, v);
  if (proxy->kind == CT_PROXY_FRUSTUM) {
    double across = sqrt(d.x * d.x + d.y * d.y);
    bool top = 2.0 * proxy->half.z * d.z + (proxy->rim[1] - proxy->rim[0]) * across >= 0.0;
    if (!(across > 0.0)) return 0.0;
    ct_vec3 round = {-d.y / across, d.x / across, 0.0};
    return proxy->rim[top ? 1 : 0] / across * (ct_dot(p, round) * ct_dot(q, round));
  }
  ct_vec3 s = proxy->half;
  ct_vec3 m = {s.x * d.x, s.y * d.y, s.z * d.z};
  p = ct_vec(s.x * p.x, s.y * p.y, s.z * p.z);
  q = ct_vec(s.x * q.x, s.y * q.y, s.z * q.z);
  double k = ct_norm(m);
  if (!(k > 0.0)) return 0.0;
  m = ct_scale(m, 1.0 / k);
  return ct_dot(ct_cross(p, m), ct_cross(q, m)) / k;
}

static double bend_both(const ct_curved *c, ct_vec3 n, ct_vec3 u, ct_vec3 v) {
  return bend(c->a, n, u, v) + bend(c->b, ct_neg(n), u, v);
}

static ct_vec3 perpendicular(ct_vec3 n) {
  ct_vec3 e = fabs(n.x) < 0.6 ? ct_vec(1.0, 0.0, 0.0) : ct_vec(0.0, 1.0, 0.0);
  return ct_unit_or(ct_cross(n, e), e);
}

static double limited(double step) { return ct_min2(ct_max2(step, -STEP_LONGEST), STEP_LONGEST); }

/* The second derivatives of s along two directions across n. */
typedef struct hessian {
  ct_vec3 along[2];
  double h11, h12, h22;
} hessian;

static void derive(const ct_curved *c, ct_vec3 n, double s, hessian *h) {
  h->h11 = bend_both(c, n, h->along[0], h->along[0]) + s;
  h->h12 = bend_both(c, n, h->along[0], h->along[1]);
  h->h22 = bend_both(c, n, h->along[1], h->along[1]) + s;
}

/* Along the principal directions: of needles one derivative may be 1e16 times the other, which in
 * any other frame would be round-off. */
static hessian principal(const ct_curved *c, ct_vec3 n, double s) {
  hessian h = {.along = {perpendicular(n)}};
  h.along[1] = ct_cross(n, h.along[0]);
  derive(c, n, s, &h);
  double half = 0.5 * (h.h11 - h.h22), radius = sqrt(half * half + h.h12 * h.h12);
  double x = half >= 0.0 ? half + radius : h.h12, y = half >= 0.0 ? h.h12 : radius - half;
  if (!(radius > 0.0)) return h;
  ct_vec3 first = ct_unit_or(
      ct_add(ct_scale(h.along[0], x / radius), ct_scale(h.along[1], y / radius)), h.along[0]);
  h.along[0] = first;
  h.along[1] = ct_cross(n, first);
  derive(c, n, s, &h);
  return h;
}

/* No kink: two free parameters. Where s is not concave the steps are shortened until it could be.
 */
static ct_vec3 climb_sphere(ct_curved *c, ct_vec3 n) {
  double before = -INFINITY;
  for (int step = 0, drops = 0; step < NEWTON_STEPS_MAX; step++) {
    ct_vec3 w = ct_curved_support(c, n).w;
    double s = ct_dot(n, w);
    if (s < before && ++drops == DROPS_MAX) break;
    before = s;
    hessian h = principal(c, n, s);
    double g1 = ct_dot(h.along[0], w), g2 = ct_dot(h.along[1], w);
    double mean = 0.5 * (h.h11 + h.h22), half = 0.5 * (h.h11 - h.h22);
    double most = mean + sqrt(half * half + h.h12 * h.h12);
    if (!(most > 0.0)) return n;
    double least = (h.h11 * h.h22 - h.h12 * h.h12) / most,
           floor = c->stiff * ct_max2(most, fabs(least));
    if (least < floor) {
      double shift = ct_max2(floor, -least) - least;
      h.h11 += shift;
      h.h22 += shift;
    }
    double det = h.h11 * h.h22 - h.h12 * h.h12;
    if (!(det > 0.0)) return n;
    double x = limited((g1 * h.h22 - g2 * h.h12) / det),
           y = limited((g2 * h.h11 - g1 * h.h12) / det);
    n = ct_unit_or(ct_add_scaled(ct_add_scaled(n, h.along[0], x), h.along[1], y), n);
    if (fabs(x) + fabs(y) <= STEP_LAST) break;
  }
  return n;
}

/* The normal nearest to n with n.along = level. */
static bool onto(const kink *k, ct_vec3 n, ct_vec3 *radial) {
  ct_vec3 flat = ct_cross(k->along, ct_cross(n, k->along));
  if (!(ct_max_abs(flat) > 0.0)) return false;
  *radial = ct_unit_or(flat, flat);
  return true;
}

/* One kink: the normals of a circle. */
static bool climb_circle(ct_curved *c, const kink *k, ct_vec3 *normal) {
  double reach = k->reach;
  ct_vec3 radial;
  if (!onto(k, *normal, &radial)) return false;
  double before = -INFINITY;
  for (int step = 0, drops = 0; step < NEWTON_STEPS_MAX; step++) {
    ct_vec3 n = ct_add_scaled(ct_scale(radial, reach), k->along, k->level),
            round = ct_cross(k->along, radial);
    *normal = n;
    ct_vec3 w = ct_curved_support(c, n).w;
    double s = ct_dot(n, w);
    if (s < before && ++drops == DROPS_MAX) break;
    before = s;
    double slope = ct_dot(round, w),
           curve = reach * bend_both(c, n, round, round) + ct_dot(radial, w);
    if (!(fabs(curve) > 0.0)) return true;
    double turn = limited(slope / fabs(curve));
    radial = ct_unit_or(ct_add_scaled(radial, round, turn), radial);
    radial = ct_unit_or(ct_cross(k->along, ct_cross(radial, k->along)), radial);
    if (fabs(turn) <= STEP_LAST) break;
  }
  *normal = ct_unit_or(ct_add_scaled(ct_scale(radial, reach), k->along, k->level), *normal);
  return true;
}

/* Two kinks: of the two normals on both circles the one nearer to n. */
static bool meet(const kink *p, const kink *q, ct_vec3 n, ct_vec3 *normal) {
  ct_vec3 m = ct_cross(p->along, q->along);
  double square = ct_norm2(m);
  if (!(square > 1e-24)) return false;
  ct_vec3 in = ct_add(ct_scale(ct_cross(q->along, m), p->level / square),
                      ct_scale(ct_cross(m, p->along), q->level / square));
  double rest = 1.0 - ct_norm2(in);
  if (!(rest > 0.0)) return false;
  double up = sqrt(rest / square);
  *normal = ct_unit_or(ct_add_scaled(in, m, ct_dot(m, n) >= 0.0 ? up : -up), n);
  return true;
}

/* Judges a normal. Of normals that are as good to round-off the one whose points lie best above
 * each other: a value is flat near its greatest, so that a normal which is off by the root of the
 * round-off still has it. */
static void offer(ct_curved *c, ct_curved_answer *best, ct_vec3 n) {
  ct_curved_answer r = {.normal = n, .value = ct_dot(n, ct_curved_support(c, n).w)};
  double tie = TIE_ROUNDOFFS * CT_UNIT_ROUNDOFF * (c->scale + fabs(r.value));
  if (r.value < best->value - tie) return;
  if (r.value <= best->value + tie) {
    if (!best->matched) find_curved_witness(c, best);
    find_curved_witness(c, &r);
    if (r.defect >= best->defect) return;
  }
  *best = r;
}

ct_curved_answer ct_curved_newton(ct_curved *c, double angle, ct_vec3 start) {
  assert(angle >= 0.0);
  ct_curved_answer best = {.normal = start, .value = ct_dot(start, ct_curved_support(c, start).w)};
  kinks k = {.lines = 0};
  ct_vec3 n;
  collect(&k, c->a, start, 1.0, angle);
  collect(&k, c->b, start, -1.0, angle);
  for (int i = 0; i < k.fixes; i++) offer(c, &best, k.fixed[i].along);
  for (int i = 0; i < k.lines; i++)
    for (int j = 0; j < i; j++)
      if (meet(&k.line[i], &k.line[j], start, &n)) offer(c, &best, n);
  for (int i = 0; i < k.lines; i++) {
    n = start;
    if (climb_circle(c, &k.line[i], &n)) offer(c, &best, n);
  }
  offer(c, &best, climb_sphere(c, start));
  if (!best.matched) find_curved_witness(c, &best);
  return best;
}
