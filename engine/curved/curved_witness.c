/* The points of two cores that lie one above the other along a normal: the origin's place in the
 * part of the Minkowski difference that is extreme along it, which is flat, so the search is one in
 * the plane across the normal. */
#include "curved/curved.h"

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

void ct_curved_witness(ct_curved *c, ct_curved_answer *answer) {
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
