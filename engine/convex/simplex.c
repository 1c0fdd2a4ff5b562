/* GJK sub-problem: candidate normals of vertices, edges and faces, their values, and the weights of
 * the closest point.
 *
 * The Voronoi region of the origin around the newest vertex is found by the signs of dot products
 * (Ericson 2005, 5.1). Signs that round-off leaves undecided cause a full search over all
 * candidates. */
#include "convex/simplex.h"
#include "base/double_double.h"

#include <assert.h>

/* ---- Voronoi region of the origin
 * ---------------------------------------------------------------- */

/* A product's sign counts as undecided if the product is at most this fraction of the size of its
 * terms. */
#define UNSURE 0x1p-40

/* The newest vertex of the simplex (tip) and the edges from it to the other vertices. */
typedef struct corner {
  ct_vec3 tip, edge[3];
  /* Dot products of each edge with the direction from the tip to the origin, and with itself. */
  double along[3], square[3];
  double size; /* largest squared length among the edges and the tip */
  bool unsure;
} corner;

static inline corner build_corner(const ct_simplex *s) {
  corner c = {.tip = s->vertex[s->count - 1].w};
  c.size = ct_norm2(c.tip);
  for (int i = 0; i < s->count - 1; i++) {
    c.edge[i] = ct_sub(s->vertex[i].w, c.tip);
    c.along[i] = -ct_dot(c.tip, c.edge[i]);
    c.square[i] = ct_norm2(c.edge[i]);
    c.size = ct_max2(c.size, c.square[i]);
  }
  for (int i = 0; i < s->count - 1; i++) c.unsure |= fabs(c.along[i]) <= UNSURE * c.size;
  return c;
}

/* Position of the origin in the plane of edges i and j. Bit 0: its projection is on the same side
 * of edge j as edge i. Bit 1: on the same side of edge i as edge j. */
static inline unsigned classify_edge_sides(corner *c, int i, int j) {
  double cross = ct_dot(c->edge[i], c->edge[j]), limit = UNSURE * (c->size * c->size);
  double p = c->square[j] * c->along[i] - cross * c->along[j],
         q = c->square[i] * c->along[j] - cross * c->along[i];
  c->unsure |= (fabs(p) <= limit) | (fabs(q) <= limit);
  return (unsigned)(p > 0.0) | (unsigned)(q > 0.0) << 1;
}

/* Bits 0, 1, 2: the origin is beyond the face of edges 0 and 1, 0 and 2, 1 and 2, seen from the
 * third edge. */
static inline unsigned classify_face_sides(corner *c) {
  ct_vec3 m = ct_cross(c->edge[0], c->edge[1]);
  double volume = ct_dot(m, c->edge[2]), limit = UNSURE * (c->size * c->size);
  double h01 = volume * ct_dot(m, c->tip),
         h12 = volume * ct_dot(ct_cross(c->edge[1], c->edge[2]), c->tip);
  double h02 = volume * ct_dot(ct_cross(c->edge[2], c->edge[0]), c->tip);
  limit *= c->size;
  c->unsure |= (fabs(h01) <= limit) | (fabs(h02) <= limit) | (fabs(h12) <= limit);
  return (unsigned)(h01 > 0.0) | (unsigned)(h02 > 0.0) << 1 | (unsigned)(h12 > 0.0) << 2;
}

static inline unsigned find_triangle_region(corner *c) {
  unsigned s = classify_edge_sides(c, 0, 1), f0 = c->along[0] > 0.0, f1 = c->along[1] > 0.0;
  unsigned edges = (f0 & ~(s >> 1)) | (f1 & ~s) << 1, face = s == 3u ? 3u : 0u;
  return edges | face;
}

/* Returns the other vertices of the Voronoi region; each of the six regions besides that of the tip
 * has one bit of `region`. No bit is set if the origin is in the region of the tip or inside the
 * tetrahedron. */
static inline unsigned find_tetrahedron_region(corner *c) {
  static const unsigned char vertices[64] = {
      [0x01] = 1, [0x02] = 2, [0x04] = 4, [0x08] = 3, [0x10] = 5, [0x20] = 6};
  unsigned s01 = classify_edge_sides(c, 0, 1), s02 = classify_edge_sides(c, 0, 2),
           s12 = classify_edge_sides(c, 1, 2), beyond = classify_face_sides(c);
  unsigned f0 = c->along[0] > 0.0, f1 = c->along[1] > 0.0, f2 = c->along[2] > 0.0;
  unsigned region =
      (f0 & ~(s01 >> 1) & ~(s02 >> 1)) | (f1 & ~s01 & ~(s12 >> 1)) << 1 | (f2 & ~s02 & ~s12) << 2;
  region |= (beyond & (s01 == 3u)) << 3 | (beyond >> 1 & (s02 == 3u)) << 4 |
            (beyond >> 2 & (s12 == 3u)) << 5;
  unsigned others = vertices[region];
  c->unsure |= others == 0 && (f0 | f1 | f2);
  return others;
}

unsigned ct_simplex_voronoi_region(const ct_simplex *s) {
  if (s->count == 1) return 1;
  corner c = build_corner(s);
  unsigned others = s->count == 2   ? c.along[0] > 0.0
                    : s->count == 3 ? find_triangle_region(&c)
                                    : find_tetrahedron_region(&c);
  return c.unsure ? 0 : others | 1u << (s->count - 1);
}

/* ---- candidate normals
 * --------------------------------------------------------------------------- */

/* Two candidates tie if their values differ by at most this many u of the largest |vertex|. */
#define TIE_ROUNDOFFS 4.0
/* Squares that differ by more than this fraction certainly differ; squares below SQUARE_MIN may
 * have lost digits by underflow. */
#define CERTAIN 0x1p-40
#define SQUARE_MIN 0x1p-900

double ct_grid(double largest) {
  int exponent;
  frexp(largest, &exponent);
  return ldexp(1.5, exponent + 1);
}

/* Returns a x b, computed in double-double from exact a and b and rounded to double. */
static ct_vec3 round_exact_cross(ct_dd3 a, ct_dd3 b) {
  ct_dd3 n = ct_dd3_cross(&a, &b);
  return ct_dd3_value(&n);
}

ct_vec3 ct_exact_normal(ct_vec3 a, ct_vec3 b, ct_vec3 c) {
  return round_exact_cross(ct_dd3_sub(b, a), ct_dd3_sub(c, a));
}

ct_vec3 ct_exact_cross(ct_vec3 a, ct_vec3 b, ct_vec3 d) {
  return round_exact_cross(ct_dd3_sub(b, a), ct_dd3_of(d));
}

static double compute_simplex_value(const ct_simplex *s, ct_vec3 n) {
  double least = INFINITY;
  for (int i = 0; i < s->count; i++)
    least = ct_min2(least, ct_dot(n, s->vertex[i].w) - s->vertex[i].radius);
  return least;
}

/* State of the search. Pass 1 finds the greatest value. In exact mode, pass 2 selects among the
 * normals with values within `tie` of it the one that its vertices support best: on a long simplex,
 * normals far apart may have equal values. */
typedef struct simplex_search {
  ct_simplex *simplex;
  bool exact;
  bool balls;       /* true if any vertex has a radius */
  double most, tie; /* pass 2: greatest value found by pass 1, and tolerance within which values
                       tie; pass 1: tie < 0 */
  double defect;    /* pass 2: least ct_simplex_witness_error among the candidates that tie */
} simplex_search;

/* True if the value of the normal n, which need not be unit, is certainly not greater than the best
 * so far. Rejects most candidates without a square root or a division. */
static bool is_certainly_worse(const simplex_search *f, ct_vec3 n) {
  const ct_simplex *s = f->simplex;
  if (!(s->value > 0.0) || f->tie >= 0.0 || f->balls) return false;
  double least = INFINITY;
  for (int i = 0; i < s->count; i++) least = ct_min2(least, ct_dot(n, s->vertex[i].w));
  double square = least * least;
  if (least <= 0.0) return true;
  return square > SQUARE_MIN && square < (1.0 - CERTAIN) * (s->value * s->value) * ct_norm2(n);
}

/* Replaces the best candidate by the normal n (which need not be unit) if n is better; active: the
 * vertices that determine n. */
static void consider_simplex_normal(simplex_search *f, ct_vec3 n, unsigned active) {
  ct_simplex *s = f->simplex;
  /* Normalise and evaluate. */
  if (is_certainly_worse(f, n)) return;
  double length = ct_norm(n);
  if (!(length > 0.0)) return;
  n = (ct_vec3){n.x / length, n.y / length, n.z / length};
  double value = compute_simplex_value(s, n);
  /* Pass 2: least witness error among ties. Pass 1: greatest value. */
  if (f->tie >= 0.0) {
    if (value < f->most - f->tie) return;
    ct_simplex part = *s;
    part.normal = n;
    part.value = value;
    part.active = active;
    ct_simplex_reduce(&part);
    double weights[4], defect = ct_max2(ct_simplex_witness_error(&part, weights), f->tie);
    if (defect > f->defect || (defect == f->defect && value <= s->value)) return;
    f->defect = defect;
  } else if (value <= s->value) {
    return;
  }
  s->value = value;
  s->normal = n;
  s->active = active;
}

/* Considers the normal perpendicular to edge pq, tilted by the difference of the radii. */
static void consider_simplex_edge(simplex_search *f, int p, int q) {
  const ct_simplex *s = f->simplex;
  ct_vec3 w = s->vertex[p].w, t = ct_sub(s->vertex[q].w, w);
  ct_vec3 m = f->exact ? round_exact_cross(ct_dd3_of(w), ct_dd3_of(t)) : ct_cross(w, t);
  ct_vec3 across = ct_cross(t, m);
  unsigned active = 1u << p | 1u << q;
  double rise = s->vertex[q].radius - s->vertex[p].radius;
  if (rise == 0.0) {
    consider_simplex_normal(f, across, active);
    return;
  }
  double length = ct_norm(t), sine = rise / length, size = ct_norm(across);
  if (!(fabs(sine) < 1.0) || !(size > 0.0)) return;
  double cosine = sqrt((1.0 - sine) * (1.0 + sine));
  consider_simplex_normal(f, ct_add(ct_scale(t, sine / length), ct_scale(across, cosine / size)),
                          active);
}

/* Considers the normals of the two planes that are tangent to three balls; without radii, the
 * normal of the plane through three vertices. */
static void consider_simplex_face(simplex_search *f, const int at[3]) {
  const ct_simplex *s = f->simplex;
  const ct_minkowski_vertex *p = &s->vertex[at[0]], *q = &s->vertex[at[1]], *r = &s->vertex[at[2]];
  ct_vec3 t1 = ct_sub(q->w, p->w), t2 = ct_sub(r->w, p->w);
  ct_vec3 m = f->exact ? ct_exact_normal(p->w, q->w, r->w) : ct_cross(t1, t2);
  unsigned active = 1u << at[0] | 1u << at[1] | 1u << at[2];
  double rise1 = q->radius - p->radius, rise2 = r->radius - p->radius;
  if (rise1 == 0.0 && rise2 == 0.0) {
    consider_simplex_normal(f, ct_dot(m, p->w) < 0.0 ? ct_neg(m) : m, active);
    return;
  }
  double square = ct_norm2(m);
  if (!(square > 0.0)) return;
  ct_vec3 tilt =
      ct_add(ct_scale(ct_cross(t2, m), rise1 / square), ct_scale(ct_cross(m, t1), rise2 / square));
  double rest = 1.0 - ct_norm2(tilt);
  if (!(rest > 0.0)) return;
  ct_vec3 up = ct_scale(m, sqrt(rest / square));
  consider_simplex_normal(f, ct_add(tilt, up), active);
  consider_simplex_normal(f, ct_sub(tilt, up), active);
}

static void evaluate_simplex_normals(simplex_search *f, bool newest_only) {
  const ct_simplex *s = f->simplex;
  int n = s->count, newest = n - 1;
  for (int i = newest_only ? newest : 0; i < n; i++)
    consider_simplex_normal(f, s->vertex[i].w, 1u << i);
  for (int j = newest_only ? newest : 1; j < n; j++)
    for (int i = 0; i < j; i++) consider_simplex_edge(f, j, i);
  for (int k = newest_only && newest > 2 ? newest : 2; k < n; k++)
    for (int j = 1; j < k; j++)
      for (int i = 0; i < j; i++) consider_simplex_face(f, (const int[3]){k, j, i});
}

/* Computes normal and value for the Voronoi region of the vertices `active`, with the same bits as
 * the full search. False: the full search has to decide. */
static bool solve_voronoi_region(ct_simplex *s, unsigned active) {
  int newest = s->count - 1, others[2] = {0, 0}, count = 0;
  for (int i = newest - 1; i >= 0; i--) {
    others[count & 1] = active >> i & 1u ? i : others[count & 1];
    count += (int)(active >> i & 1u);
  }
  ct_vec3 w = s->vertex[newest].w, n = w;
  if (count > 0) {
    ct_vec3 t = ct_sub(s->vertex[others[0]].w, w);
    if (count == 1) {
      n = ct_cross(t, ct_cross(w, t));
    } else {
      n = ct_cross(t, ct_sub(s->vertex[others[1]].w, w));
      n = ct_scale(n, ct_dot(n, w) < 0.0 ? -1.0 : 1.0);
    }
  }
  double length = ct_norm(n);
  if (!(length > 0.0)) return false;
  s->normal = ct_vec(n.x / length, n.y / length, n.z / length);
  s->value = compute_simplex_value(s, s->normal);
  s->active = active;
  return s->value > 0.0;
}

bool ct_simplex_solve(ct_simplex *s, bool newest_only, bool exact) {
  assert(s->count >= 1 && s->count <= 4);
  simplex_search f = {.simplex = s, .exact = exact, .tie = -1.0};
  for (int i = 0; i < s->count; i++) f.balls = f.balls || s->vertex[i].radius != 0.0;
  /* Fast path: the Voronoi region by signs. */
  if (!exact && !f.balls && (newest_only || s->count == 1)) {
    unsigned active = ct_simplex_voronoi_region(s);
    if (active && solve_voronoi_region(s, active)) return true;
  }
  /* Full search over all candidates; in exact mode a second pass breaks ties. */
  s->value = -INFINITY;
  evaluate_simplex_normals(&f, newest_only);
  if (s->value > -INFINITY) {
    if (!exact) return true;
    double size = 0.0;
    for (int i = 0; i < s->count; i++) size = ct_max2(size, ct_norm(s->vertex[i].w));
    f.most = s->value;
    f.tie = TIE_ROUNDOFFS * CT_UNIT_ROUNDOFF * size;
    f.defect = INFINITY;
    evaluate_simplex_normals(&f, newest_only);
    return true;
  }
  s->value = 0.0;
  s->active = 1;
  return false;
}

double ct_simplex_depth(const ct_simplex *s) {
  if (s->count < 4) return 0.0;
  double least = INFINITY;
  for (int skip = 0; skip < 4; skip++) {
    ct_vec3 p = s->vertex[(skip + 1) % 4].w, q = s->vertex[(skip + 2) % 4].w,
            r = s->vertex[(skip + 3) % 4].w;
    ct_vec3 n = ct_unit_or(ct_exact_normal(p, q, r), ct_vec(0.0, 0.0, 0.0));
    double to_origin = -ct_dot(n, p), to_vertex = ct_dot(n, ct_sub(s->vertex[skip].w, p));
    if (!(to_origin * to_vertex > 0.0)) return 0.0;
    least = ct_min2(least, fabs(to_origin));
  }
  return least;
}

void ct_simplex_reduce(ct_simplex *s) {
  int count = 0;
  /* Compaction without branches, because it is unpredictable which vertices are dropped. */
  for (int i = 0; i < s->count; i++) {
    s->vertex[count] = s->vertex[i];
    count += (int)(s->active >> i & 1u);
  }
  s->count = count;
  s->active = (1u << count) - 1u;
}

static ct_vec3 project_across(ct_vec3 p, ct_vec3 n) { return ct_add_scaled(p, n, -ct_dot(p, n)); }

/* Weights of three vertices by Cramer's rule in the plane perpendicular to the normal, with one
 * step of iterative refinement. */
static void compute_face_weights(const ct_simplex *s, double weights[4]) {
  ct_vec3 n = s->normal, origin = project_across(s->vertex[0].w, n);
  ct_vec3 t1 = project_across(ct_sub(s->vertex[1].w, s->vertex[0].w), n),
          t2 = project_across(ct_sub(s->vertex[2].w, s->vertex[0].w), n);
  double det = ct_dot(n, ct_cross(t1, t2));
  weights[0] = 1.0;
  weights[1] = weights[2] = 0.0;
  if (det == 0.0) return;
  for (int round = 0; round < 2; round++) {
    ct_vec3 rest = ct_neg(ct_add_scaled(ct_add_scaled(origin, t1, weights[1]), t2, weights[2]));
    weights[1] += ct_dot(n, ct_cross(rest, t2)) / det;
    weights[2] += ct_dot(n, ct_cross(t1, rest)) / det;
  }
  weights[0] = 1.0 - weights[1] - weights[2];
}

bool ct_origin_weights(const ct_vec3 at[4], double weights[4]) {
  ct_dd3 w[4];
  for (int i = 0; i < 4; i++) w[i] = ct_dd3_of(at[i]);
  ct_dd volume[4], sum = ct_dd_of(0.0);
  for (int i = 0; i < 4; i++) {
    ct_dd3 across = ct_dd3_cross(&w[(i + 1) % 4], &w[(i + 2) % 4]);
    volume[i] = ct_dd3_dot(&across, &w[(i + 3) % 4]);
    if (i & 1) volume[i] = ct_dd_neg(volume[i]);
    sum = ct_dd_add(sum, volume[i]);
  }
  if (ct_dd_value(sum) == 0.0) return false;
  for (int i = 0; i < 4; i++) weights[i] = ct_dd_value(volume[i]) / ct_dd_value(sum);
  return true;
}

static void compute_tetrahedron_weights(const ct_simplex *s, double weights[4]) {
  const ct_vec3 at[4] = {s->vertex[0].w, s->vertex[1].w, s->vertex[2].w, s->vertex[3].w};
  ct_origin_weights(at, weights);
}

static void compute_edge_weights(const ct_simplex *s, ct_vec3 t, double weights[4]) {
  double square = ct_norm2(t);
  weights[1] = square > 0.0 ? -ct_dot(t, s->vertex[0].w) / square : 0.0;
  weights[0] = 1.0 - weights[1];
}

static void clamp_weights(double weights[4]) {
  double sum = 0.0;
  for (int i = 0; i < 4; i++) {
    weights[i] = ct_max2(weights[i], 0.0);
    sum += weights[i];
  }
  for (int i = 0; i < 4; i++) weights[i] /= sum;
}

void ct_simplex_weights(const ct_simplex *s, double weights[4]) {
  weights[0] = 1.0;
  weights[1] = weights[2] = weights[3] = 0.0;
  if (s->count == 2)
    compute_edge_weights(s, project_across(ct_sub(s->vertex[1].w, s->vertex[0].w), s->normal),
                         weights);
  if (s->count == 3) compute_face_weights(s, weights);
  if (s->count == 4) compute_tetrahedron_weights(s, weights);
  clamp_weights(weights);
}

double ct_simplex_witness_error(const ct_simplex *s, double weights[4]) {
  double apart = s->value;
  ct_simplex_weights(s, weights);
  ct_vec3 sum = {0.0, 0.0, 0.0};
  for (int i = 0; i < s->count; i++) {
    sum = ct_add_scaled(sum, s->vertex[i].w, weights[i]);
    apart += weights[i] * s->vertex[i].radius;
  }
  return ct_norm(ct_add_scaled(sum, s->normal, -apart));
}

/* Computes the point closest to the origin in the line, plane or space through the vertices, with
 * weights clamped to >= 0; writes them and returns the distance of the weighted point. */
static double find_closest_in_flat(ct_simplex *s, double weights[4]) {
  weights[0] = 1.0;
  weights[1] = weights[2] = weights[3] = 0.0;
  if (s->count == 2) compute_edge_weights(s, ct_sub(s->vertex[1].w, s->vertex[0].w), weights);
  if (s->count == 3) {
    s->normal = ct_unit_or(ct_exact_normal(s->vertex[0].w, s->vertex[1].w, s->vertex[2].w),
                           ct_vec(0.0, 0.0, 0.0));
    compute_face_weights(s, weights);
  }
  if (s->count == 4) compute_tetrahedron_weights(s, weights);
  clamp_weights(weights);
  ct_vec3 sum = {0.0, 0.0, 0.0};
  for (int i = 0; i < s->count; i++) sum = ct_add_scaled(sum, s->vertex[i].w, weights[i]);
  return ct_norm(sum);
}

void ct_simplex_nearest(ct_simplex *s, double weights[4]) {
  assert(s->count >= 1 && s->count <= 4);
  double best = INFINITY;
  ct_simplex all = *s;
  for (unsigned mask = 1; mask < 1u << all.count; mask++) {
    ct_simplex part = all;
    part.active = mask;
    ct_simplex_reduce(&part);
    double w[4], distance = find_closest_in_flat(&part, w);
    if (distance >= best) continue;
    best = distance;
    *s = part;
    for (int i = 0; i < 4; i++) weights[i] = w[i];
  }
}
