/* The best normal near a given one, by Newton's method on the separation s(n) of the cores over
 * unit normals n, and the witness points of a normal.
 *
 * s is smooth except at kinks: the normals at which a body's support point jumps along an edge,
 * along a line of its side, or across a face. The maximum of s may be on one kink (an edge or a
 * side line), on two (an edge of each body, or a face), or on none. Each case is tried: without
 * kinks, two parameters are free; one kink is a circle of normals; two kinks or a face are a single
 * normal. A case that does not apply has a low value, so the greatest value decides.
 *
 * Witness points: the face of the Minkowski difference that is extreme along the normal is flat.
 * The witness points belong to the point of this face that is closest to the line of the normal
 * through the origin. It is found by a GJK in the plane across the normal. */
#include "curved/curved.h"

#include <assert.h>

/* ---- witness points ------------------------------------------------------------------------- */

/* Largest number of iterations of the search in the plane. A disc that touches a line at one point
 * needs the most, because each iteration gains only two thirds of a digit. */
#define PATCH_ITERATIONS_MAX 64
/* Angles by which the normal is tilted to find the ends of flat features, rad. The least sufficient
 * one is used: a tilt by t includes features at an angle of up to t, but moves the support points
 * of curved features by t times their radius of curvature. */
static const double tilts[] = {0x1p-46, 0x1p-38, 0x1p-30, 0x1p-24};
/* Witness errors of at most this many u of the size count as zero. */
#define DEFECT_ROUNDOFFS 8.0

/* A vertex of the extreme face. */
typedef struct corner {
  ct_minkowski_vertex m;
  double x, y; /* coordinates of m.w in the plane across the normal */
} corner;

typedef struct patch {
  ct_curved *curved;
  ct_vec3 normal, across[2];
  double tilt;
  corner item[3];
  double weight[3];
  int count;
} patch;

static corner compute_patch_corner(patch *p, double x, double y) {
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

/* Computes the weights of the point closest to the origin on the segment between vertices i and j
 * of the patch; returns its squared distance. */
static double find_nearest_on_edge(const patch *p, int i, int j, double weight[3]) {
  double x = p->item[j].x - p->item[i].x, y = p->item[j].y - p->item[i].y, square = x * x + y * y;
  double t = square > 0.0 ? -(p->item[i].x * x + p->item[i].y * y) / square : 0.0;
  t = ct_min2(ct_max2(t, 0.0), 1.0);
  weight[0] = weight[1] = weight[2] = 0.0;
  weight[i] = 1.0 - t;
  weight[j] = t;
  double u = p->item[i].x + t * x, v = p->item[i].y + t * y;
  return u * u + v * v;
}

static bool patch_contains_origin(patch *p) {
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

/* Computes the weights of the point of the patch closest to the origin, and drops vertices with
 * weight 0. */
static void reduce_patch(patch *p) {
  if (p->count == 1) p->weight[0] = 1.0;
  if (p->count == 1 || (p->count == 3 && patch_contains_origin(p))) return;
  double least = INFINITY;
  for (int j = 1; j < p->count; j++)
    for (int i = 0; i < j; i++) {
      double w[3], square = find_nearest_on_edge(p, i, j, w);
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

/* The points of a and b that a patch combines; x, y: their offset across the normal, `defect`: its
 * length. */
typedef struct patch_points {
  ct_vec3 a, b;
  double x, y, defect;
} patch_points;

static patch_points combine_patch_points(const patch *p) {
  patch_points r = {.defect = 0.0};
  for (int i = 0; i < p->count; i++) {
    r.a = ct_add_scaled(r.a, p->item[i].m.a, p->weight[i]);
    r.b = ct_add_scaled(r.b, p->item[i].m.b, p->weight[i]);
    r.x += p->weight[i] * p->item[i].x;
    r.y += p->weight[i] * p->item[i].y;
  }
  r.defect = sqrt(r.x * r.x + r.y * r.y);
  return r;
}

static patch_points search_patch(patch *p, double allowed) {
  patch_points r = combine_patch_points(p);
  for (int step = 0; step < PATCH_ITERATIONS_MAX && r.defect > allowed && p->count < 3; step++) {
    /* The extreme face is the minimum along n, so the support along the tilted normal is the vertex
     * farthest against the direction of the tilt. */
    corner c = compute_patch_corner(p, r.x, r.y);
    if (c.x * r.x + c.y * r.y >= r.defect * r.defect * (1.0 - 0x1p-40)) break;
    p->item[p->count++] = c;
    reduce_patch(p);
    patch_points next = combine_patch_points(p);
    if (next.defect >= r.defect) break;
    r = next;
  }
  return r;
}

static bool is_in_curved_body(const ct_convex_proxy *proxy, ct_vec3 p, double allowed) {
  return ct_proxy_is_curved(proxy) && ct_curved_closest_point(proxy, p, 1.0).distance <= allowed;
}

/* Distance between the difference b - a of two points and value * normal, which it should equal. It
 * includes the error along the normal: on a body of almost no thickness, a tilt may select a point
 * of the opposite side. */
static double compute_point_error(const ct_curved_answer *answer, ct_vec3 a, ct_vec3 b) {
  return ct_norm(ct_add_scaled(ct_sub(b, a), answer->normal, -answer->value));
}

/* Replaces the witness points if these have a smaller error. */
static void keep_better_points(ct_curved_answer *answer, ct_vec3 a, ct_vec3 b) {
  double defect = compute_point_error(answer, a, b);
  if (!(defect < answer->defect)) return;
  answer->a = a;
  answer->b = b;
  answer->defect = defect;
}

/* On a nearly flat body the last bit of the normal moves the support point far. The point may then
 * be moved across the normal to be opposite to the other body's point; it leaves the body only by
 * the square of that small angle. */
static void slide_points_across(const ct_curved *c, double allowed, ct_vec3 a, ct_vec3 b,
                                ct_curved_answer *answer) {
  ct_vec3 n = answer->normal, apart = ct_sub(b, a),
          across = ct_add_scaled(apart, n, -ct_dot(n, apart));
  ct_vec3 to_a = ct_add(a, across), to_b = ct_sub(b, across);
  if (is_in_curved_body(c->a, to_a, allowed)) keep_better_points(answer, to_a, b);
  else if (is_in_curved_body(c->b, to_b, allowed)) keep_better_points(answer, a, to_b);
}

/* Finds the witness points of answer->normal, and sets `matched`, `defect` and `upper`. */
static void find_curved_witness(ct_curved *c, ct_curved_answer *answer) {
  double allowed = DEFECT_ROUNDOFFS * CT_UNIT_ROUNDOFF * c->scale;
  ct_vec3 n = answer->normal;
  /* Frame across the normal; first candidate: the support points of the normal itself. */
  patch p = {.curved = c, .normal = n, .count = 1, .weight = {1.0}};
  ct_vec3 e = fabs(n.x) < 0.6 ? ct_vec(1.0, 0.0, 0.0) : ct_vec(0.0, 1.0, 0.0);
  p.across[0] = ct_unit_or(ct_cross(n, e), e);
  p.across[1] = ct_cross(n, p.across[0]);
  corner first = p.item[0] = compute_patch_corner(&p, 0.0, 0.0);
  answer->defect = INFINITY;
  keep_better_points(answer, first.m.a, first.m.b);
  /* Search the extreme face with increasing tilts. */
  for (size_t i = 0; i < sizeof tilts / sizeof tilts[0] && answer->defect > allowed; i++) {
    p.tilt = tilts[i];
    p.count = 1;
    p.weight[0] = 1.0;
    p.item[0] = first;
    patch_points r = search_patch(&p, allowed);
    keep_better_points(answer, r.a, r.b);
  }
  /* Last resort on nearly flat bodies. */
  if (answer->defect > allowed) {
    slide_points_across(c, allowed, answer->a, answer->b, answer);
    slide_points_across(c, allowed, first.m.a, first.m.b, answer);
  }
  answer->matched = true;
  answer->upper = ct_norm(ct_sub(answer->b, answer->a));
}

/* ---- Newton's method ------------------------------------------------------------------------ */

/* Largest number of kinks of one body; the nearest ones are used. */
#define KINKS_MAX 3
/* Largest number of Newton steps of one case; near the maximum each step doubles the number of
 * correct digits. */
#define NEWTON_STEPS_MAX 12
/* A step shorter than this, rad, is the last one, because the next would be round-off. */
#define STEP_LAST 0x1p-27
/* A case ends after this many steps that reduce s, because its path crosses a kink. */
#define DROPS_MAX 2
/* Largest Newton step, rad. */
#define STEP_LONGEST 0.5
/* Largest number of evaluated neighbours of a hull vertex. */
#define NEIGHBOURS_MAX 64
/* Values tie if they differ by at most this many u of the size. */
#define TIE_ROUNDOFFS 4.0

/* A kink: the normals n with n.along = level, at which the support point jumps. A fixed kink is the
 * single normal `along`. */
typedef struct kink {
  ct_vec3 along;       /* unit */
  double level, reach; /* cosine and sine of the angle between the kink's normals and `along` */
  double distance;     /* |n.along - level| of the start normal */
} kink;

typedef struct kinks {
  kink line[2 * KINKS_MAX], fixed[4];
  /* `first`: index of the first line of the body whose kinks are being collected */
  int lines, fixes, first;
} kinks;

/* Inserts a line in the order of distance; only the KINKS_MAX nearest lines of the current body
 * stay. */
static void insert_kink_line(kinks *k, const kink *line) {
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

static void add_edge_kink(kinks *k, ct_vec3 edge, ct_vec3 n, double angle) {
  double length = ct_norm(edge);
  if (!(length > 0.0)) return;
  ct_vec3 along = ct_scale(edge, 1.0 / length);
  double distance = fabs(ct_dot(along, n));
  if (distance <= angle) insert_kink_line(k, &(kink){along, 0.0, 1.0, distance});
}

static void add_hull_kinks(kinks *k, const ct_convex_proxy *proxy, ct_vec3 out, double angle) {
  const ct_hull_view *view = proxy->view;
  uint32_t top = ct_proxy_support(proxy, out, 0);
  ct_vec3 p = ct_proxy_vertex(proxy, top);
  uint32_t first = view->neighbour_start[top], end = view->neighbour_start[top + 1];
  if (end - first > NEIGHBOURS_MAX) end = first + NEIGHBOURS_MAX;
  for (uint32_t i = first; i < end; i++)
    add_edge_kink(k, ct_sub(ct_proxy_vertex(proxy, view->neighbour[i]), p), out, angle);
}

static void add_side_kink(kinks *k, const ct_convex_proxy *proxy, ct_vec3 n, double sign,
                          double angle) {
  ct_side_slope lean = ct_proxy_side_slope(proxy);
  ct_vec3 axis = ct_unit_or(proxy->axis[2], proxy->axis[2]);
  double distance = fabs(ct_dot(axis, n) - sign * lean.sine);
  if (distance <= angle && lean.cosine > 0.0)
    insert_kink_line(k, &(kink){axis, sign * lean.sine, lean.cosine, distance});
}

static void add_cap_kinks(kinks *k, const ct_convex_proxy *proxy, ct_vec3 n, double sign,
                          double angle) {
  ct_vec3 axis = ct_unit_or(proxy->axis[2], proxy->axis[2]);
  double up = ct_dot(axis, n) >= 0.0 ? 1.0 : -1.0;
  if (proxy->rim[sign * up > 0.0 ? 1 : 0] > 0.0 && ct_norm(ct_cross(axis, n)) <= angle)
    k->fixed[k->fixes++] = (kink){.along = ct_scale(axis, up)};
}

/* Adds the kinks of a body whose normals are within `angle` of the pair's normal n; the body's
 * outward normal is sign * n. */
static void collect_kinks(kinks *k, const ct_convex_proxy *proxy, ct_vec3 n, double sign,
                          double angle) {
  k->first = k->lines;
  switch (proxy->kind) {
  case CT_PROXY_SEGMENT: add_side_kink(k, proxy, n, sign, angle); break;
  case CT_PROXY_BOX:
    for (int i = 0; i < 3; i++) add_edge_kink(k, proxy->axis[i], n, angle);
    break;
  case CT_PROXY_TRIANGLE:
    for (int i = 0; i < 3; i++)
      add_edge_kink(k, ct_sub(proxy->axis[(i + 1) % 3], proxy->axis[i]), n, angle);
    break;
  case CT_PROXY_HULL: add_hull_kinks(k, proxy, ct_scale(n, sign), angle); break;
  case CT_PROXY_FRUSTUM:
    add_side_kink(k, proxy, n, sign, angle);
    add_cap_kinks(k, proxy, n, sign, angle);
    break;
  case CT_PROXY_POINT:
  case CT_PROXY_ELLIPSOID: break;
  }
}

/* Returns u.H v, where H is the second derivative of the support function of a core at the unit
 * vector `out`. */
static double evaluate_support_hessian(const ct_convex_proxy *proxy, ct_vec3 out, ct_vec3 u,
                                       ct_vec3 v) {
  /* Tapered capsule: a sphere, the end ball that has the support point. */
  if (proxy->kind == CT_PROXY_SEGMENT && ct_proxy_is_tapered(proxy))
    return ct_proxy_vertex_radius(proxy, ct_proxy_support(proxy, out, 0)) *
           (ct_dot(u, v) - ct_dot(u, out) * ct_dot(v, out));
  if (!ct_proxy_is_curved(proxy)) return 0.0;
  ct_vec3 d = ct_mat_tmul(proxy->rotation, out), p = ct_mat_tmul(proxy->rotation, u),
          q = ct_mat_tmul(proxy->rotation, v);
  /* Frustum: the rim that has the support point, curved around the axis only. */
  if (proxy->kind == CT_PROXY_FRUSTUM) {
    double across = sqrt(d.x * d.x + d.y * d.y);
    bool top = 2.0 * proxy->half.z * d.z + (proxy->rim[1] - proxy->rim[0]) * across >= 0.0;
    if (!(across > 0.0)) return 0.0;
    ct_vec3 round = {-d.y / across, d.x / across, 0.0};
    return proxy->rim[top ? 1 : 0] / across * (ct_dot(p, round) * ct_dot(q, round));
  }
  /* Ellipsoid: H = S (I - m m^T) S / k with S = diag(radii), where k is the length of S n and m its
   * direction. */
  ct_vec3 s = proxy->half;
  ct_vec3 m = {s.x * d.x, s.y * d.y, s.z * d.z};
  p = ct_vec(s.x * p.x, s.y * p.y, s.z * p.z);
  q = ct_vec(s.x * q.x, s.y * q.y, s.z * q.z);
  double k = ct_norm(m);
  if (!(k > 0.0)) return 0.0;
  m = ct_scale(m, 1.0 / k);
  return ct_dot(ct_cross(p, m), ct_cross(q, m)) / k;
}

static double evaluate_pair_hessian(const ct_curved *c, ct_vec3 n, ct_vec3 u, ct_vec3 v) {
  return evaluate_support_hessian(c->a, n, u, v) + evaluate_support_hessian(c->b, ct_neg(n), u, v);
}

static ct_vec3 choose_perpendicular(ct_vec3 n) {
  ct_vec3 e = fabs(n.x) < 0.6 ? ct_vec(1.0, 0.0, 0.0) : ct_vec(0.0, 1.0, 0.0);
  return ct_unit_or(ct_cross(n, e), e);
}

static double clamp_step(double step) {
  return ct_min2(ct_max2(step, -STEP_LONGEST), STEP_LONGEST);
}

/* Second derivatives of -s along two directions perpendicular to n. */
typedef struct hessian {
  ct_vec3 along[2];
  double h11, h12, h22;
} hessian;

static void fill_hessian(const ct_curved *c, ct_vec3 n, double s, hessian *h) {
  h->h11 = evaluate_pair_hessian(c, n, h->along[0], h->along[0]) + s;
  h->h12 = evaluate_pair_hessian(c, n, h->along[0], h->along[1]);
  h->h22 = evaluate_pair_hessian(c, n, h->along[1], h->along[1]) + s;
}

/* Hessian in its principal directions. For needles, one second derivative may be 1e16 times the
 * other and would lose all its digits in any other frame. */
static hessian compute_principal_hessian(const ct_curved *c, ct_vec3 n, double s) {
  hessian h = {.along = {choose_perpendicular(n)}};
  h.along[1] = ct_cross(n, h.along[0]);
  fill_hessian(c, n, s, &h);
  double half = 0.5 * (h.h11 - h.h22), radius = sqrt(half * half + h.h12 * h.h12);
  double x = half >= 0.0 ? half + radius : h.h12, y = half >= 0.0 ? h.h12 : radius - half;
  if (!(radius > 0.0)) return h;
  ct_vec3 first = ct_unit_or(
      ct_add(ct_scale(h.along[0], x / radius), ct_scale(h.along[1], y / radius)), h.along[0]);
  h.along[0] = first;
  h.along[1] = ct_cross(n, first);
  fill_hessian(c, n, s, &h);
  return h;
}

/* Case without kinks: Newton's method over all unit normals. Where s is not concave, the Hessian is
 * shifted until it is definite. */
static ct_vec3 maximize_on_sphere(ct_curved *c, ct_vec3 n) {
  double before = -INFINITY;
  for (int step = 0, drops = 0; step < NEWTON_STEPS_MAX; step++) {
    ct_vec3 w = ct_curved_support(c, n).w;
    double s = ct_dot(n, w);
    if (s < before && ++drops == DROPS_MAX) break;
    before = s;
    /* Gradient of s, and its negated Hessian, in the principal directions. */
    hessian h = compute_principal_hessian(c, n, s);
    double g1 = ct_dot(h.along[0], w), g2 = ct_dot(h.along[1], w);
    double mean = 0.5 * (h.h11 + h.h22), half = 0.5 * (h.h11 - h.h22);
    double most = mean + sqrt(half * half + h.h12 * h.h12);
    if (!(most > 0.0)) return n;
    /* Shift the negated Hessian if it is not positive definite. */
    double least = (h.h11 * h.h22 - h.h12 * h.h12) / most,
           floor = c->stiff * ct_max2(most, fabs(least));
    if (least < floor) {
      double shift = ct_max2(floor, -least) - least;
      h.h11 += shift;
      h.h22 += shift;
    }
    /* Newton step, limited in length. */
    double det = h.h11 * h.h22 - h.h12 * h.h12;
    if (!(det > 0.0)) return n;
    double x = clamp_step((g1 * h.h22 - g2 * h.h12) / det),
           y = clamp_step((g2 * h.h11 - g1 * h.h12) / det);
    n = ct_unit_or(ct_add_scaled(ct_add_scaled(n, h.along[0], x), h.along[1], y), n);
    if (fabs(x) + fabs(y) <= STEP_LAST) break;
  }
  return n;
}

/* Computes the unit component of n perpendicular to the kink's axis; false if n is parallel to the
 * axis. */
static bool project_onto_circle(const kink *k, ct_vec3 n, ct_vec3 *radial) {
  ct_vec3 flat = ct_cross(k->along, ct_cross(n, k->along));
  if (!(ct_max_abs(flat) > 0.0)) return false;
  *radial = ct_unit_or(flat, flat);
  return true;
}

/* Case of one kink: Newton's method on its circle of normals. False: the start is parallel to the
 * axis. */
static bool maximize_on_circle(ct_curved *c, const kink *k, ct_vec3 *normal) {
  double reach = k->reach;
  ct_vec3 radial;
  if (!project_onto_circle(k, *normal, &radial)) return false;
  double before = -INFINITY;
  for (int step = 0, drops = 0; step < NEWTON_STEPS_MAX; step++) {
    ct_vec3 n = ct_add_scaled(ct_scale(radial, reach), k->along, k->level),
            round = ct_cross(k->along, radial);
    *normal = n;
    ct_vec3 w = ct_curved_support(c, n).w;
    double s = ct_dot(n, w);
    if (s < before && ++drops == DROPS_MAX) break;
    before = s;
    /* Newton step along the circle, always in the direction in which s increases. */
    double slope = ct_dot(round, w),
           curve = reach * evaluate_pair_hessian(c, n, round, round) + ct_dot(radial, w);
    if (!(fabs(curve) > 0.0)) return true;
    double turn = clamp_step(slope / fabs(curve));
    radial = ct_unit_or(ct_add_scaled(radial, round, turn), radial);
    radial = ct_unit_or(ct_cross(k->along, ct_cross(radial, k->along)), radial);
    if (fabs(turn) <= STEP_LAST) break;
  }
  *normal = ct_unit_or(ct_add_scaled(ct_scale(radial, reach), k->along, k->level), *normal);
  return true;
}

/* Case of two kinks: computes the intersection of both circles of normals that is closer to n.
 * False: they do not intersect. */
static bool intersect_kinks(const kink *p, const kink *q, ct_vec3 n, ct_vec3 *normal) {
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

/* Replaces the best answer by the normal n if its value is greater. Ties are decided by the witness
 * error: s is flat near its maximum, so a normal that is wrong by the square root of the round-off
 * still has the same value. */
static void keep_better_answer(ct_curved *c, ct_curved_answer *best, ct_vec3 n) {
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
  collect_kinks(&k, c->a, start, 1.0, angle);
  collect_kinks(&k, c->b, start, -1.0, angle);
  for (int i = 0; i < k.fixes; i++) keep_better_answer(c, &best, k.fixed[i].along);
  for (int i = 0; i < k.lines; i++)
    for (int j = 0; j < i; j++)
      if (intersect_kinks(&k.line[i], &k.line[j], start, &n)) keep_better_answer(c, &best, n);
  for (int i = 0; i < k.lines; i++) {
    n = start;
    if (maximize_on_circle(c, &k.line[i], &n)) keep_better_answer(c, &best, n);
  }
  keep_better_answer(c, &best, maximize_on_sphere(c, start));
  if (!best.matched) find_curved_witness(c, &best);
  return best;
}
