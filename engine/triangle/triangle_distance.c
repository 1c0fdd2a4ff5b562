/* Distance of two triangles, segments or points: all pairs of edges, and vertices against faces
 * (Larsen, Gottschalk, Lin, Manocha 1999).
 *
 * The result in doubles is certified by a slab, the space between two parallel planes across its
 * normal that separates the sets. If no slab is wider than round-off, exact signs decide whether
 * the sets intersect (triangle_intersection.c). Intersecting sets report the axis of least
 * overlap. */
#include "triangle/triangle_distance.h"

#include "base/double_double.h"

/* If the squared sine of the angle between two edges is below this, their cross product and nearest
 * parameter are computed in double-double. At 0.2 rad a quotient of differences still has 14
 * digits; the cross product has lost three bits. */
#define SKEW_SINE2 0.05
/* Upper bound of the round-off of a slab's width, in unit round-offs of the extent: 1 for a
 * difference and 3 for a dot product, doubled. */
#define SLAB_ROUNDOFFS 8.0
/* Overlaps that differ by less than this many unit round-offs of the extent count as equal; the
 * first axis is then chosen. */
#define AXIS_ROUNDOFFS 64.0

typedef struct side {
  ct_vec3 p, q, d; /* d = q - p */
  double dd;
} side;

/* A point, segment or triangle. */
typedef struct set {
  const ct_vec3 *v;
  int corners, sides;
  side side[3];
} set;

/* Features that contain the nearest points. */
typedef enum meeting { CORNERS, CORNER_EDGE, EDGES, CORNER_FACE } meeting;

typedef struct search {
  double square;
  ct_vec3 a, b; /* nearest points so far */
  meeting meeting;
  const side *e, *f; /* EDGES: both edges; CORNER_EDGE: the edge is e */
  ct_vec3 corner;    /* CORNER_EDGE: the vertex */
  ct_vec3 normal;    /* CORNER_FACE: normal of the face, of any length */
} search;

static ct_vec3 cross_in_dd(ct_vec3 a, ct_vec3 b, ct_vec3 c, ct_vec3 d) {
  ct_dd3 e = ct_dd3_sub(b, a), f = ct_dd3_sub(d, c), n = ct_dd3_cross(&e, &f);
  return ct_dd3_value(&n);
}

/* Returns the cross product of two edges, accurate to a few unit round-offs. */
static ct_vec3 cross_edges(const side *e, const side *f) {
  ct_vec3 n = ct_cross(e->d, f->d);
  return ct_norm2(n) > SKEW_SINE2 * e->dd * f->dd ? n : cross_in_dd(e->p, e->q, f->p, f->q);
}

ct_vec3 ct_triangle_cross(const ct_triangle *t) {
  ct_vec3 e[3] = {ct_sub(t->v[1], t->v[0]), ct_sub(t->v[2], t->v[1]), ct_sub(t->v[0], t->v[2])};
  double square[3] = {ct_norm2(e[0]), ct_norm2(e[1]), ct_norm2(e[2])};
  /* Use the two edges at the vertex opposite the longest side, where the angle is largest: only
   * triangles that are nearly a segment then lose accuracy. */
  int k = square[0] >= square[1]   ? (square[0] >= square[2] ? 0 : 2)
          : square[1] >= square[2] ? 1
                                   : 2;
  int l = k == 2 ? 0 : k + 1, m = l == 2 ? 0 : l + 1;
  ct_vec3 n = ct_cross(e[l], e[m]);
  if (ct_norm2(n) > SKEW_SINE2 * square[l] * square[m]) return n;
  return cross_in_dd(t->v[l], t->v[m], t->v[m], t->v[k]);
}

/* Returns the vector from a vertex's projection onto the line of an edge to the vertex; its
 * direction is accurate at any distance. */
static ct_vec3 perpendicular_to_edge(const side *e, ct_vec3 corner) {
  ct_dd3 r = ct_dd3_sub(corner, e->p), d = ct_dd3_sub(e->q, e->p);
  ct_dd s = ct_dd_neg(ct_dd_div(ct_dd3_dot(&r, &d), ct_dd3_dot(&d, &d)));
  return ct_vec(ct_dd_value(ct_dd_add(r.x, ct_dd_mul(s, d.x))),
                ct_dd_value(ct_dd_add(r.y, ct_dd_mul(s, d.y))),
                ct_dd_value(ct_dd_add(r.z, ct_dd_mul(s, d.z))));
}

static void init_set(set *s, const ct_vec3 *v, int corners) {
  s->v = v;
  s->corners = corners;
  s->sides = corners == 3 ? 3 : corners - 1;
  for (int k = 0; k < s->sides; k++) {
    side *e = &s->side[k];
    e->p = v[k];
    e->q = v[k + 1 < corners ? k + 1 : 0];
    e->d = ct_sub(e->q, e->p);
    e->dd = ct_norm2(e->d);
  }
}

static double clamp01(double x) { return x < 0.0 ? 0.0 : x > 1.0 ? 1.0 : x; }

static ct_vec3 point_on_edge(const side *e, double s) {
  return s <= 0.0 ? e->p : s >= 1.0 ? e->q : ct_add_scaled(e->p, e->d, s);
}

static ct_vec3 project_on_edge(const side *e, ct_vec3 p) {
  return e->dd > 0.0 ? point_on_edge(e, ct_dot(ct_sub(p, e->p), e->d) / e->dd) : e->p;
}

/* Returns the parameter on e of its point nearest to the line of f. Nearly parallel edges use an
 * accurate cross product; its error then moves the point only along the edges. */
static double nearest_parameter(const side *e, const side *f, ct_vec3 r, double b) {
  double c = ct_dot(e->d, r), g = ct_dot(f->d, r), both = e->dd * f->dd, den = both - b * b;
  if (den > SKEW_SINE2 * both) return (c * f->dd - b * g) / den;
  ct_vec3 n = cross_edges(e, f);
  double nn = ct_norm2(n);
  return nn > 0.0 ? ct_dot(ct_cross(r, f->d), n) / nn : 0.0;
}

/* Computes the nearest points of two edges, and the features that contain them. */
static void nearest_on_edges(const side *e, const side *f, search *s) {
  s->meeting = CORNER_EDGE;
  /* An edge without length is a point: project it on the other edge. */
  if (!(e->dd > 0.0)) {
    s->e = f;
    s->corner = s->a = e->p;
    s->b = project_on_edge(f, s->a);
    return;
  }
  s->e = e;
  if (!(f->dd > 0.0)) {
    s->corner = s->b = f->p;
    s->a = project_on_edge(e, s->b);
    return;
  }
  /* Nearest point on e to the line of f, then its nearest point on f. */
  ct_vec3 r = ct_sub(f->p, e->p);
  double place = clamp01(nearest_parameter(e, f, r, ct_dot(e->d, f->d)));
  s->a = point_on_edge(e, place);
  double t = ct_dot(ct_sub(s->a, f->p), f->d) / f->dd;
  s->b = point_on_edge(f, t);
  if (t > 0.0 && t < 1.0) {
    s->meeting = place > 0.0 && place < 1.0 ? EDGES : CORNER_EDGE;
    s->f = f;
    s->corner = s->a;
    if (s->meeting == CORNER_EDGE) s->e = f;
    return;
  }
  /* The nearest point of f is an end: project that end on e. */
  s->corner = s->b;
  place = ct_dot(ct_sub(s->b, e->p), e->d) / e->dd;
  s->a = point_on_edge(e, place);
  if (!(place > 0.0 && place < 1.0)) s->meeting = CORNERS;
}

/* True if, in doubles, all vertices of a are below the slab between x and y across v, and all
 * vertices of b above it: then x and y are the nearest points. */
static bool does_slab_separate(const set *a, const set *b, ct_vec3 x, ct_vec3 y, ct_vec3 v) {
  for (int k = 0; k < a->corners; k++)
    if (ct_dot(ct_sub(a->v[k], x), v) > 0.0) return false;
  for (int k = 0; k < b->corners; k++)
    if (ct_dot(ct_sub(b->v[k], y), v) < 0.0) return false;
  return true;
}

/* Tests only the vertices opposite edges i and j against the slab between the nearest points: the
 * ends of the edges are on their sides by construction. */
static bool do_third_corners_separate(const set *a, int i, const set *b, int j, const search *s) {
  ct_vec3 v = ct_sub(s->b, s->a);
  if (a->corners == 3 && ct_dot(ct_sub(a->v[i == 0 ? 2 : i - 1], s->a), v) > 0.0) return false;
  return !(b->corners == 3 && ct_dot(ct_sub(b->v[j == 0 ? 2 : j - 1], s->b), v) < 0.0);
}

static bool consider_candidate(search *s, search *found) {
  found->square = ct_norm2(ct_sub(found->b, found->a));
  if (found->square >= s->square) return false;
  *s = *found;
  return true;
}

/* Evaluates all pairs of edges. Unless `all`, returns true at the first pair that is proven to
 * contain the nearest points. */
static bool search_edges(const set *a, const set *b, bool all, search *s) {
  for (int i = 0; i < a->sides; i++) {
    for (int j = 0; j < b->sides; j++) {
      search found;
      nearest_on_edges(&a->side[i], &b->side[j], &found);
      if (consider_candidate(s, &found) && !all && s->square > 0.0 &&
          do_third_corners_separate(a, i, b, j, s))
        return true;
    }
  }
  return false;
}

/* True if the projection of p along the normal n onto the triangle's plane is in the triangle. */
static bool is_above_triangle(const ct_vec3 *t, ct_vec3 n, ct_vec3 p) {
  for (int k = 0; k < 3; k++) {
    ct_vec3 edge = ct_sub(t[k == 2 ? 0 : k + 1], t[k]);
    if (ct_dot(ct_cross(n, edge), ct_sub(p, t[k])) < 0.0) return false;
  }
  return true;
}

static ct_vec3 project_on_plane(const ct_vec3 *t, ct_vec3 n, ct_vec3 p) {
  double nn = ct_norm2(n);
  return nn > 0.0 ? ct_add_scaled(p, n, -ct_dot(n, ct_sub(p, t[0])) / nn) : t[0];
}

/* Finds the vertex nearest to the triangle's plane. False: the vertices are on both sides of the
 * plane, or this vertex does not project into the triangle. */
static bool find_corner_above(const ct_vec3 *t, ct_vec3 n, const ct_vec3 *points, int count,
                              ct_vec3 *corner) {
  double least = INFINITY, sign = 0.0;
  for (int k = 0; k < count; k++) {
    double h = ct_dot(n, ct_sub(points[k], t[0]));
    if (k == 0) sign = h;
    if (!(h * sign > 0.0)) return false;
    if (fabs(h) >= least) continue;
    least = fabs(h);
    *corner = points[k];
  }
  return is_above_triangle(t, n, *corner);
}

/* Returns the triangle of a set with three vertices; zeros for fewer. */
static ct_triangle get_triangle(const set *a) {
  return a->corners == 3 ? (ct_triangle){{a->v[0], a->v[1], a->v[2]}}
                         : (ct_triangle){{{0.0, 0.0, 0.0}}};
}

/* Considers a vertex of one set and its projection onto the other set's face. `turned`: the face
 * belongs to a. */
static void consider_foot(const set *face, ct_vec3 n, ct_vec3 corner, bool turned, search *s) {
  ct_vec3 foot = project_on_plane(face->v, n, corner);
  search found = {.a = turned ? foot : corner,
                  .b = turned ? corner : foot,
                  .meeting = CORNER_FACE,
                  .normal = n};
  consider_candidate(s, &found);
}

static void search_faces(const set *a, const set *b, search *s) {
  for (int turn = 0; turn < 2; turn++) {
    const set *face = turn ? a : b, *points = turn ? b : a;
    if (face->corners < 3) continue;
    ct_triangle t = get_triangle(face);
    ct_vec3 corner, n = ct_triangle_cross(&t);
    if (find_corner_above(face->v, n, points->v, points->corners, &corner))
      consider_foot(face, n, corner, turn, s);
  }
}

/* Considers every vertex that projects into the other set's face, on either side of it. */
static void search_corners(const set *a, const set *b, search *s) {
  for (int turn = 0; turn < 2; turn++) {
    const set *face = turn ? a : b, *points = turn ? b : a;
    if (face->corners < 3) continue;
    ct_triangle t = get_triangle(face);
    ct_vec3 n = ct_triangle_cross(&t);
    for (int k = 0; k < points->corners; k++)
      if (is_above_triangle(face->v, n, points->v[k]))
        consider_foot(face, n, points->v[k], turn, s);
  }
}

/* Finds the point of triangle b nearest to p, on either side. */
static search find_nearest_to_point(const set *b, ct_vec3 p) {
  search s = {.square = INFINITY};
  for (int j = 0; j < 3; j++) {
    search found = {.a = p,
                    .b = project_on_edge(&b->side[j], p),
                    .meeting = CORNER_EDGE,
                    .e = &b->side[j],
                    .corner = p};
    consider_candidate(&s, &found);
  }
  ct_triangle t = get_triangle(b);
  ct_vec3 n = ct_triangle_cross(&t);
  if (is_above_triangle(b->v, n, p)) consider_foot(b, n, p, false, &s);
  return s;
}

/* Returns the width of the slab across n that separates a from b, negative if they overlap along n.
 * Raises *extent to the largest coordinate relative to x, to which the round-off is relative. */
static double measure_slab(const set *a, const set *b, ct_vec3 x, ct_vec3 n, double *extent) {
  double far_a = -INFINITY, near_b = INFINITY;
  for (int k = 0; k < a->corners; k++) {
    ct_vec3 d = ct_sub(a->v[k], x);
    far_a = ct_max2(far_a, ct_dot(n, d));
    *extent = ct_max2(*extent, ct_max_abs(d));
  }
  for (int k = 0; k < b->corners; k++) {
    ct_vec3 d = ct_sub(b->v[k], x);
    near_b = ct_min2(near_b, ct_dot(n, d));
    *extent = ct_max2(*extent, ct_max_abs(d));
  }
  return near_b - far_a;
}

/* State of the search for the widest separating slab. */
typedef struct slabs {
  const set *a, *b;
  ct_vec3 from, normal;
  double widest, extent;
} slabs;

static void consider_normal(slabs *s, ct_vec3 direction) {
  ct_vec3 n = ct_unit_or(direction, ct_vec(0.0, 0.0, 0.0));
  for (int turn = 0; turn < 2 && ct_max_abs(n) > 0.0; turn++, n = ct_neg(n)) {
    double width = measure_slab(s->a, s->b, s->from, n, &s->extent);
    if (!(width > s->widest + AXIS_ROUNDOFFS * CT_UNIT_ROUNDOFF * s->extent)) continue;
    s->widest = width;
    s->normal = n;
  }
}

/* Finds the widest separating slab or, if the sets intersect, the axis of least overlap, over face
 * normals and cross products of edges. The faces are tried first, of a before b, so that among
 * equals a resting body gets a face normal. */
static slabs find_widest_slab(const set *a, const set *b, ct_vec3 from) {
  slabs s = {.a = a, .b = b, .from = from, .normal = {1.0, 0.0, 0.0}, .widest = -INFINITY};
  ct_triangle p = get_triangle(a), q = get_triangle(b);
  if (a->corners == 3) consider_normal(&s, ct_triangle_cross(&p));
  if (b->corners == 3) consider_normal(&s, ct_neg(ct_triangle_cross(&q)));
  for (int i = 0; i < a->sides; i++)
    for (int j = 0; j < b->sides; j++) consider_normal(&s, cross_edges(&a->side[i], &b->side[j]));
  if (!(s.widest > -INFINITY)) s.widest = measure_slab(a, b, from, s.normal, &s.extent);
  return s;
}

/* As find_widest_slab, with the directions between vertices and from edges to vertices too; for
 * sets that nearly touch. */
static slabs find_widest_slab_of_all(const set *a, const set *b, ct_vec3 from) {
  slabs s = find_widest_slab(a, b, from);
  for (int turn = 0; turn < 2; turn++) {
    const set *edges = turn ? a : b, *points = turn ? b : a;
    for (int k = 0; k < points->corners; k++)
      for (int j = 0; j < edges->sides; j++) {
        consider_normal(&s, ct_sub(points->v[k], edges->side[j].p));
        if (edges->side[j].dd > 0.0)
          consider_normal(&s, perpendicular_to_edge(&edges->side[j], points->v[k]));
      }
  }
  return s;
}

static bool do_sets_intersect(const set *a, const set *b, ct_vec3 *point) {
  ct_triangle t = get_triangle(b);
  if (a->corners == 3) {
    ct_triangle first = get_triangle(a);
    return ct_triangles_meet(&first, &t, point);
  }
  double at;
  ct_vec3 p = a->v[0], q = a->v[a->corners - 1];
  if (!ct_segment_meets(p, q, &t, &at)) return false;
  *point = ct_lerp(p, q, at);
  return true;
}

/* Returns the direction given by the features that contain the nearest points, of any length and
 * sign. */
static ct_vec3 direction_of_features(const search *s) {
  switch (s->meeting) {
  case EDGES: return cross_edges(s->e, s->f);
  case CORNER_EDGE:
    return s->e->dd > 0.0 ? perpendicular_to_edge(s->e, s->corner) : ct_sub(s->corner, s->e->p);
  case CORNER_FACE: return s->normal;
  case CORNERS: break;
  }
  return ct_sub(s->b, s->a);
}

/* Width of the separating slab across the normal of a result, and the bound of its round-off. */
typedef struct slab {
  double width, roundoff;
} slab;

/* Writes the nearest points, and of two directions the one with the wider slab: from point to
 * point, or given by the features. Points that nearly coincide have no accurate direction between
 * them. Returns the slab. */
static slab write_gap(const set *a, const set *b, const search *s, ct_gap *gap) {
  double distance = sqrt(s->square), extent = 0.0;
  ct_vec3 v = ct_sub(s->b, s->a), n = ct_unit_or(v, ct_vec(1.0, 0.0, 0.0)), best = n;
  double width = measure_slab(a, b, s->a, n, &extent);
  if (distance - width > SLAB_ROUNDOFFS * CT_UNIT_ROUNDOFF * extent) {
    ct_vec3 m = ct_unit_or(direction_of_features(s), n);
    for (int turn = 0; turn < 2; turn++, m = ct_neg(m)) {
      double other = measure_slab(a, b, s->a, m, &extent);
      if (other > width) best = m;
      width = ct_max2(width, other);
    }
  }
  *gap = (ct_gap){.distance = distance, .a = s->a, .b = s->b, .normal = best};
  return (slab){width, SLAB_ROUNDOFFS * CT_UNIT_ROUNDOFF * extent};
}

static bool find_gap(const set *a, const set *b, double limit, ct_gap *gap) {
  search s = {.square = INFINITY};
  if (a->corners == 1) s = find_nearest_to_point(b, a->v[0]);
  else if (!search_edges(a, b, false, &s)) search_faces(a, b, &s);
  /* Return early if the sets are certainly farther apart than the limit. */
  bool beyond = s.square > limit * limit * (1.0 + SLAB_ROUNDOFFS * CT_UNIT_ROUNDOFF);
  if (beyond && does_slab_separate(a, b, s.a, s.b, ct_sub(s.b, s.a))) return false;
  /* Certify the distance by the slab; if it is too thin, decide exactly whether the sets
   * intersect. */
  slab found = write_gap(a, b, &s, gap);
  ct_vec3 point;
  if (found.width <= found.roundoff && do_sets_intersect(a, b, &point)) {
    *gap = (ct_gap){.a = point, .b = point};
    slabs least = find_widest_slab(a, b, point);
    gap->normal = least.normal;
    gap->overlap = ct_max2(-least.widest, 0.0);
    return true;
  }
  if (found.width > found.roundoff && gap->distance - found.width <= found.roundoff) return true;
  /* The sets are separated by so little that the early exits may have been wrong: evaluate all
   * features. */
  search_edges(a, b, true, &s);
  search_corners(a, b, &s);
  slab again = write_gap(a, b, &s, gap);
  if (gap->distance - again.width > again.roundoff) {
    slabs all = find_widest_slab_of_all(a, b, s.a);
    if (all.widest > again.width) gap->normal = all.normal;
  }
  gap->distance = ct_max2(gap->distance, CT_UNIT_ROUNDOFF * found.roundoff + 0x1p-1000);
  return true;
}

bool ct_triangles_gap(const ct_triangle *a, const ct_triangle *b, double limit, ct_gap *gap) {
  set p, q;
  init_set(&p, a->v, 3);
  init_set(&q, b->v, 3);
  return find_gap(&p, &q, limit, gap);
}

bool ct_segment_gap(const ct_vec3 segment[2], const ct_triangle *t, double limit, ct_gap *gap) {
  set p, q;
  init_set(&p, segment, 2);
  init_set(&q, t->v, 3);
  return find_gap(&p, &q, limit, gap);
}

bool ct_point_gap(ct_vec3 point, const ct_triangle *t, double limit, ct_gap *gap) {
  set p, q;
  init_set(&p, &point, 1);
  init_set(&q, t->v, 3);
  return find_gap(&p, &q, limit, gap);
}

ct_vec3 ct_triangle_foot(const ct_triangle *t, ct_vec3 p) {
  set b;
  init_set(&b, t->v, 3);
  return find_nearest_to_point(&b, p).b;
}
