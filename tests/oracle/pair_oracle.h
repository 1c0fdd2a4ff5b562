/* Signed distance of two placed bodies by brute force in long double: the oracle of the pair tests.
 *
 * A body is a set of balls (its hull) with lists of edges and triangles among their centres; the
 * lists may contain more than the true edges and faces. Signed distance = max over unit n of min_j
 * (n.b_j - s_j) - max_i (n.a_i + r_i). The maximum is at a normal fixed by one, two or three
 * Minkowski vertices. All such normals are tried, and each is evaluated over all vertices, so a
 * superfluous candidate does no harm. Rotations are those of q/|q| in long double. Only data types
 * of the engine are used. */
#ifndef ORACLE_PAIR_ORACLE_H
#define ORACLE_PAIR_ORACLE_H

#include <contact/contact.h>

#include <math.h>

#define ORACLE_BALLS_MAX 16
#define ORACLE_LISTS_MAX 600

typedef struct oracle_vec {
  long double x, y, z;
} oracle_vec;

/* 113 bits, for cross products of slivers, which suffer cancellation. */
__extension__ typedef __float128 oracle_quad;
typedef struct oracle_wide {
  oracle_quad x, y, z;
} oracle_wide;

typedef struct oracle_body {
  oracle_wide exact[ORACLE_BALLS_MAX]; /* centres */
  long double radius[ORACLE_BALLS_MAX];
  int balls;
  int edge[ORACLE_LISTS_MAX][2], edges;
  int face[ORACLE_LISTS_MAX][3], faces;
} oracle_body;

static inline oracle_vec oracle_sub(oracle_vec a, oracle_vec b) {
  return (oracle_vec){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline long double oracle_dot(oracle_vec a, oracle_vec b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline oracle_vec oracle_cross(oracle_vec a, oracle_vec b) {
  return (oracle_vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
/* s a + t b */
static inline oracle_vec oracle_mix(oracle_vec a, long double s, oracle_vec b, long double t) {
  return (oracle_vec){s * a.x + t * b.x, s * a.y + t * b.y, s * a.z + t * b.z};
}
static inline long double oracle_norm(oracle_vec a) { return sqrtl(oracle_dot(a, a)); }

static inline oracle_wide oracle_wide_sub(oracle_wide a, oracle_wide b) {
  return (oracle_wide){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline oracle_wide oracle_wide_cross(oracle_wide a, oracle_wide b) {
  return (oracle_wide){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline oracle_vec oracle_narrow(oracle_wide a) {
  return (oracle_vec){(long double)a.x, (long double)a.y, (long double)a.z};
}

/* a x b, in 113 bits if long double would lose more than 5 digits. */
static inline oracle_vec oracle_safe_cross(oracle_wide a, oracle_wide b) {
  oracle_vec p = oracle_narrow(a), q = oracle_narrow(b), m = oracle_cross(p, q);
  if (oracle_dot(m, m) > 1e-10L * oracle_dot(p, p) * oracle_dot(q, q)) return m;
  return oracle_narrow(oracle_wide_cross(a, b));
}

static inline oracle_wide oracle_place(const ct_pose *pose, const oracle_vec *local) {
  oracle_quad x = pose->rotation.x, y = pose->rotation.y, z = pose->rotation.z,
              w = pose->rotation.w;
  oracle_quad s = 2 / (x * x + y * y + z * z + w * w);
  oracle_wide p = {local->x, local->y, local->z}, v = {x, y, z}, t = oracle_wide_cross(v, p),
              tt = oracle_wide_cross(v, t);
  return (oracle_wide){p.x + s * (w * t.x + tt.x) + pose->position.x,
                       p.y + s * (w * t.y + tt.y) + pose->position.y,
                       p.z + s * (w * t.z + tt.z) + pose->position.z};
}

/* Lists all pairs and triples: valid for any small set of points. */
static inline void oracle_complete(oracle_body *b) {
  b->edges = b->faces = 0;
  for (int i = 0; i < b->balls; i++)
    for (int j = i + 1; j < b->balls; j++) {
      b->edge[b->edges][0] = i;
      b->edge[b->edges++][1] = j;
      for (int k = j + 1; k < b->balls; k++) {
        b->face[b->faces][0] = i;
        b->face[b->faces][1] = j;
        b->face[b->faces++][2] = k;
      }
    }
}

static inline void oracle_box_lists(oracle_body *b) {
  b->edges = b->faces = 0;
  for (int i = 0; i < 8; i++)
    for (int bit = 1; bit < 8; bit *= 2)
      if (!(i & bit)) {
        b->edge[b->edges][0] = i;
        b->edge[b->edges++][1] = i | bit;
      }
  for (int axis = 0; axis < 3; axis++)
    for (int side = 0; side < 2; side++) {
      int u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3, base = side << axis;
      b->face[b->faces][0] = base;
      b->face[b->faces][1] = base | u;
      b->face[b->faces++][2] = base | v;
    }
}

/* The body of a shape; `points`: of a convex hull, at most ORACLE_BALLS_MAX. */
static inline oracle_body oracle_of(const ct_shape *shape, const ct_pose *pose,
                                    const ct_vec3 *points, int count) {
  oracle_body b = {.balls = 0};
  oracle_vec local[ORACLE_BALLS_MAX];
  switch (shape->kind) {
  case CT_KIND_SPHERE:
    local[0] = (oracle_vec){0, 0, 0};
    b.radius[b.balls++] = shape->sphere.radius;
    break;
  case CT_KIND_CAPSULE:
    local[0] = (oracle_vec){0, 0, -(long double)shape->capsule.half_length};
    local[1] = (oracle_vec){0, 0, shape->capsule.half_length};
    b.radius[b.balls++] = shape->capsule.radius_bottom;
    b.radius[b.balls++] = shape->capsule.radius_top;
    oracle_complete(&b);
    break;
  case CT_KIND_BOX:
    for (int i = 0; i < 8; i++) {
      ct_vec3 h = shape->box.half;
      local[i] = (oracle_vec){i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z};
    }
    b.balls = 8;
    oracle_box_lists(&b);
    break;
  default:
    for (int i = 0; i < count; i++) local[i] = (oracle_vec){points[i].x, points[i].y, points[i].z};
    b.balls = count;
    oracle_complete(&b);
    break;
  }
  for (int i = 0; i < b.balls; i++) b.exact[i] = oracle_place(pose, &local[i]);
  return b;
}

typedef struct oracle_search {
  const oracle_body *a, *b;
  oracle_vec from_a[ORACLE_BALLS_MAX],
      from_b[ORACLE_BALLS_MAX]; /* relative to a's first centre, so that distant positions lose no
                                   digits */
  long double best;
  oracle_vec normal;
} oracle_search;

static inline void oracle_offer(oracle_search *s, oracle_vec n) {
  long double length = oracle_norm(n);
  if (!(length > 0)) return;
  n = (oracle_vec){n.x / length, n.y / length, n.z / length};
  long double reach = -INFINITY;
  for (int i = 0; i < s->a->balls; i++) {
    long double h = oracle_dot(n, s->from_a[i]) + s->a->radius[i];
    if (h > reach) reach = h;
  }
  long double near = INFINITY;
  for (int j = 0; j < s->b->balls; j++) {
    long double h = oracle_dot(n, s->from_b[j]) - s->b->radius[j];
    if (h < near) near = h;
    if (near - reach <= s->best) return;
  }
  s->best = near - reach;
  s->normal = n;
}

/* Candidate with n.t = rise, and otherwise as far along `to` as possible. */
static inline void oracle_offer_edge(oracle_search *s, oracle_wide edge, long double rise,
                                     oracle_wide to) {
  oracle_vec t = oracle_narrow(edge);
  long double square = oracle_dot(t, t);
  if (!(square > 0) || rise * rise >= square) return;
  oracle_vec p = oracle_cross(t, oracle_safe_cross(to, edge));
  long double across = oracle_norm(p);
  if (!(across > 0)) { /* on the line of t all directions across are equal */
    oracle_vec any = {fabsl(t.x) <= fabsl(t.y), fabsl(t.x) > fabsl(t.y), 0};
    p = oracle_cross(t, any);
    across = oracle_norm(p);
  }
  long double k = sqrtl(1 - rise * rise / square) / across;
  oracle_offer(s, oracle_mix(t, rise / square, p, k));
}

/* Candidates with n.t = rise and n.u = lift: two normals. */
static inline void oracle_offer_face(oracle_search *s, oracle_wide p, long double rise,
                                     oracle_wide q, long double lift) {
  oracle_vec t = oracle_narrow(p), u = oracle_narrow(q), m = oracle_safe_cross(p, q);
  long double square = oracle_dot(m, m);
  if (!(square > 0)) return;
  oracle_vec tilt =
      oracle_mix(oracle_cross(u, m), rise / square, oracle_cross(m, t), lift / square);
  long double rest = 1 - oracle_dot(tilt, tilt);
  if (rest < 0) return;
  oracle_offer(s, oracle_mix(tilt, 1, m, sqrtl(rest / square)));
  oracle_offer(s, oracle_mix(tilt, 1, m, -sqrtl(rest / square)));
}

/* Constraint of an edge of a (sign +1: n.t + rise of radii = 0) or of b. */
static inline oracle_wide oracle_edge(const oracle_body *body, int i, int j, int sign,
                                      long double *rise) {
  *rise = sign * (body->radius[i] - body->radius[j]);
  return oracle_wide_sub(body->exact[j], body->exact[i]);
}

static inline void oracle_edges_faces(oracle_search *s, const oracle_body *own,
                                      const oracle_body *other, int sign) {
  long double rise, lift;
  for (int e = 0; e < own->edges; e++) {
    int i = own->edge[e][0];
    oracle_wide t = oracle_edge(own, i, own->edge[e][1], sign, &rise);
    for (int j = 0; j < other->balls; j++) {
      oracle_wide own_at = own->exact[i], other_at = other->exact[j];
      oracle_offer_edge(s, t, rise,
                        sign > 0 ? oracle_wide_sub(other_at, own_at)
                                 : oracle_wide_sub(own_at, other_at));
    }
  }
  for (int f = 0; f < own->faces; f++) {
    oracle_wide t = oracle_edge(own, own->face[f][0], own->face[f][1], sign, &rise);
    oracle_wide u = oracle_edge(own, own->face[f][0], own->face[f][2], sign, &lift);
    oracle_offer_face(s, t, rise, u, lift);
  }
}

/* Signed distance, and its normal from a to b. */
static inline long double oracle_distance(const oracle_body *a, const oracle_body *b,
                                          oracle_vec *normal) {
  oracle_search s = {.a = a, .b = b, .best = -INFINITY};
  for (int i = 0; i < a->balls; i++)
    s.from_a[i] = oracle_narrow(oracle_wide_sub(a->exact[i], a->exact[0]));
  for (int j = 0; j < b->balls; j++)
    s.from_b[j] = oracle_narrow(oracle_wide_sub(b->exact[j], a->exact[0]));
  oracle_offer(&s, (oracle_vec){1, 0, 0});
  for (int i = 0; i < a->balls; i++)
    for (int j = 0; j < b->balls; j++)
      oracle_offer(&s, oracle_narrow(oracle_wide_sub(b->exact[j], a->exact[i])));
  oracle_edges_faces(&s, a, b, 1);
  oracle_edges_faces(&s, b, a, -1);
  for (int e = 0; e < a->edges; e++) {
    long double rise, lift;
    oracle_wide t = oracle_edge(a, a->edge[e][0], a->edge[e][1], 1, &rise);
    for (int f = 0; f < b->edges; f++) {
      oracle_wide u = oracle_edge(b, b->edge[f][0], b->edge[f][1], -1, &lift);
      oracle_offer_face(&s, t, rise, u, lift);
    }
  }
  if (normal) *normal = s.normal;
  return s.best;
}

#endif
