/* Contact ids and points are stable at flat and symmetric poses: a tilt of 1e-9 rad and a shift of
 * 1e-9 m leave the set of ids unchanged and move each point by at most a multiple of that. The
 * points are compared with the overlap of the two outlines, clipped in long double: each point is
 * in that patch, the first is as deep as the pair, and the points of the manifold span enough of
 * it.
 *
 * CONTACTD_FULL=1: 10,000 cases with a fresh seed, which is printed. CONTACTD_SEED=n repeats
 * one. */
#include "tests/oracle/flat_cases.h"
#include "tests/support/workspace.h"

#include <time.h>

#define CASES 1200
#define CASES_FULL 10000
#define MOVES 4
#define SMALL 1e-9
#define POINTS_MAX 64
#define CLEARANCE 0.05
/* Stated in manifold.h: relative to the patch's size. */
#define TIE 1e-6
/* Greatest sine between the pair's normal and that of a point beside a rounded edge for which the
 * point counts to the patch. */
#define LEAN 0.1
/* Edges that cross at less than about 30 mrad are skipped: a small move shifts their crossing past
 * a tie. */
#define LIMIT_MAX 1e-6

/* Normals that rotate by more during a small move, as a distance of unit vectors, belong to two
 * different directions of least depth. */
#define OTHER_WAY 1e-3

/* Extent of the largest body, m: its farthest corner is at (1, 1, 2), plus 0.125. */
#define EXTENT_MAX 2.6

typedef struct kept {
  ct_contact_point points[POINTS_MAX];
  ct_pair_result pair;
  size_t count;
} kept;

static void meet(const flat_case *c, ct_detail detail, kept *out) {
  const ct_contact_options options = {CLEARANCE, 0.0, detail};
  ct_manifold m;
  ct_pair_contacts((ct_placed){&c->a.shape, &c->frame_a}, (ct_placed){&c->b.shape, &c->frame_b},
                   &options, workspace, &m);
  CHECK(!m.failed && m.count <= POINTS_MAX);
  out->pair = m.pair;
  out->count = m.count < POINTS_MAX ? m.count : POINTS_MAX;
  if (out->count > 0) memcpy(out->points, m.points, out->count * sizeof *m.points);
}

/* ---- the patch ------------------------------------------------------------------------------ */

enum { RING = 96, RING_MAX = 2 * RING + 2 * FLAT_CORNERS_MAX };

typedef struct ring {
  long double at[RING_MAX][2];
  int count;
} ring;

/* An outline in the plane, rotated and shifted; a disc becomes a polygon of many corners. */
static void ring_of(const flat_outline *o, double turn, double x, double y, ring *out) {
  long double c = cosl(turn), s = sinl(turn);
  out->count = o->form == FLAT_DISC ? RING : o->form == FLAT_ALL ? 4 : o->count;
  for (int k = 0; k < out->count; k++) {
    long double angle = 2 * acosl(-1) * k / RING, p[2];
    if (o->form == FLAT_DISC) p[0] = o->radius * cosl(angle), p[1] = o->radius * sinl(angle);
    else if (o->form == FLAT_ALL) p[0] = k == 1 || k == 2 ? 100 : -100, p[1] = k >= 2 ? 100 : -100;
    else p[0] = o->at[k][0], p[1] = o->at[k][1];
    out->at[k][0] = c * p[0] - s * p[1] + x;
    out->at[k][1] = s * p[0] + c * p[1] + y;
  }
}

static long double side_of(const long double p[2], const long double q[2], const long double r[2]) {
  return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
}

/* Clips a ring, or a line as a ring of two corners, to the inside of another ring. */
static void cut_ring(ring *in, const ring *by) {
  for (int k = 0; k < by->count; k++) {
    const long double *p = by->at[k], *q = by->at[(k + 1) % by->count];
    ring out = {.count = 0};
    if (hypotl(q[0] - p[0], q[1] - p[1]) < 1e-12L) continue;
    for (int i = 0; i < in->count; i++) {
      const long double *u = in->at[i], *v = in->at[(i + 1) % in->count];
      long double su = side_of(p, q, u), sv = side_of(p, q, v);
      if (su >= 0) memcpy(out.at[out.count++], u, sizeof out.at[0]);
      if ((su >= 0) == (sv >= 0)) continue;
      out.at[out.count][0] = u[0] + (v[0] - u[0]) * su / (su - sv);
      out.at[out.count++][1] = u[1] + (v[1] - u[1]) * su / (su - sv);
    }
    *in = out;
  }
}

static long double area_of(const ring *r) {
  long double sum = 0;
  for (int k = 1; k + 1 < r->count; k++) sum += side_of(r->at[0], r->at[k], r->at[k + 1]);
  return sum / 2;
}

static long double length_of(const ring *r) {
  long double most = 0;
  for (int i = 0; i < r->count; i++)
    for (int k = 0; k < i; k++)
      most = fmaxl(most, hypotl(r->at[i][0] - r->at[k][0], r->at[i][1] - r->at[k][1]));
  return most;
}

static int by_place(const void *p, const void *q) {
  const long double *a = p, *b = q;
  if (a[0] != b[0]) return a[0] < b[0] ? -1 : 1;
  return (a[1] > b[1]) - (a[1] < b[1]);
}

/* The hull of points, by Andrew's monotone chain. */
static void hull_of(ring *r) {
  ring chain = {.count = 0};
  qsort(r->at, (size_t)r->count, sizeof r->at[0], by_place);
  for (int pass = 0; pass < 2; pass++) {
    int floor = chain.count + 1;
    for (int k = 0; k < r->count; k++) {
      const long double *p = r->at[pass ? r->count - 1 - k : k];
      while (chain.count > floor &&
             side_of(chain.at[chain.count - 2], chain.at[chain.count - 1], p) <= 0)
        chain.count--;
      memcpy(chain.at[chain.count++], p, sizeof chain.at[0]);
    }
    chain.count--;
  }
  *r = chain;
}

/* Projects contact points to the plane of the outlines: those with normals within a sine `lean` of
 * the pair's, and for a line those as deep as the pair, as a curved side has further points beside
 * it. */
static void places_of(const flat_case *c, const kept *m, double lean, ring *out) {
  ct_frame move = ct_frame_of(c->move);
  bool line = c->a.outline.form == FLAT_LINE || c->b.outline.form == FLAT_LINE;
  out->count = 0;
  for (size_t i = 0; i < m->count; i++) {
    const ct_contact_point *q = &m->points[i];
    if (ct_norm(ct_sub(q->normal, m->pair.normal)) > lean ||
        (line && q->distance > m->pair.distance + SMALL))
      continue;
    ct_vec3 p = ct_to_local(move, q->point_b);
    out->at[out->count][0] = p.x;
    out->at[out->count++][1] = p.y;
  }
}

/* Distance of a point outside a convex ring. */
static long double outside(const ring *r, const long double p[2]) {
  long double most = 0;
  for (int k = 0; k < r->count; k++) {
    const long double *u = r->at[k], *v = r->at[(k + 1) % r->count];
    long double length = hypotl(v[0] - u[0], v[1] - u[1]);
    if (length > 1e-12L) most = fmaxl(most, -side_of(u, v, p) / length);
  }
  return most;
}

/* ---- one case ------------------------------------------------------------------------------- */

typedef struct count_of {
  int cases;
  int ways;   /* poses that are equally deep in two directions */
  int depths; /* poses at which the depth of two meshes jumps */
} count_of;

static bool same_id(const ct_contact_point *p, const ct_contact_point *q) {
  return p->a.kind == q->a.kind && p->a.index == q->a.index && p->b.kind == q->b.kind &&
         p->b.index == q->b.index && p->number == q->number && p->patch == q->patch;
}

/* The sine of the angle between a line and a circle that it crosses; 1: no crossing. */
static long double sine_with_disc(const long double p[2], const long double q[2], long double x,
                                  long double y, long double radius) {
  const long double c[2] = {x, y};
  long double part = side_of(p, q, c) / (hypotl(q[0] - p[0], q[1] - p[1]) * radius);
  return fabsl(part) < 1 ? sqrtl(1 - part * part) : 1;
}

/* The sine of the angle between two edges that cross or nearly do. */
static long double sine_of_edges(const long double *p, const long double *q, const long double *u,
                                 const long double *v) {
  long double dx = q[0] - p[0], dy = q[1] - p[1], ex = v[0] - u[0], ey = v[1] - u[1],
              d = hypotl(dx, dy), e = hypotl(ex, ey);
  if (side_of(p, q, u) * side_of(p, q, v) > 1e-5L * d * d ||
      side_of(u, v, p) * side_of(u, v, q) > 1e-5L * e * e)
    return 1;
  return fabsl(dx * ey - dy * ex) / (d * e);
}

/* The greatest speed of a crossing of two borders: one over the least sine between two that cross.
 * Parallel borders have no crossing. */
static double speed_of(const flat_case *c) {
  const flat_outline *o[2] = {&c->a.outline, &c->b.outline};
  bool disc[2] = {o[0]->form == FLAT_DISC, o[1]->form == FLAT_DISC};
  long double least = 1, x = c->x, y = c->y, d2 = x * x + y * y;
  ring of[2];
  ring_of(o[0], 0.0, 0.0, 0.0, &of[0]);
  ring_of(o[1], c->turn, c->x, c->y, &of[1]);
  if (disc[0] && disc[1]) {
    long double r = o[0]->radius, s = o[1]->radius, cosine = (r * r + s * s - d2) / (2 * r * s);
    return 32.0 / (double)(fabsl(cosine) < 1 - 1e-10L ? sqrtl(1 - cosine * cosine) : 1);
  }
  for (int i = 0; i < of[0].count && o[0]->form != FLAT_ALL; i++) {
    for (int k = 0; k < of[1].count; k++) {
      const long double *p = of[0].at[i], *q = of[0].at[(i + 1) % of[0].count], *u = of[1].at[k],
                        *v = of[1].at[(k + 1) % of[1].count];
      long double sine = disc[0]   ? sine_with_disc(u, v, 0, 0, o[0]->radius)
                         : disc[1] ? sine_with_disc(p, q, x, y, o[1]->radius)
                                   : sine_of_edges(p, q, u, v);
      if (sine > 1e-5L) least = fminl(least, sine);
    }
  }
  return 32.0 / (double)least;
}

/* Distance of a point from the segment between two others. */
static long double segment_distance(const long double *p, const long double *u,
                                    const long double *v) {
  long double dx = v[0] - u[0], dy = v[1] - u[1], l2 = dx * dx + dy * dy;
  long double t = l2 > 0 ? ((p[0] - u[0]) * dx + (p[1] - u[1]) * dy) / l2 : 0;
  t = fminl(fmaxl(t, 0), 1);
  return hypotl(p[0] - u[0] - t * dx, p[1] - u[1] - t * dy);
}

/* Is a corner of one outline about a tie away from the border of the other? There, at 1e-6 of an
 * extent between 0.1 and EXTENT_MAX, equal positions become different ones. */
static bool at_end_of_tie(const flat_case *c) {
  const flat_outline *o[2] = {&c->a.outline, &c->b.outline};
  const long double middle[2][2] = {{0, 0}, {c->x, c->y}};
  ring of[2];
  ring_of(o[0], 0.0, 0.0, 0.0, &of[0]);
  ring_of(o[1], c->turn, c->x, c->y, &of[1]);
  for (int which = 0; which < 2; which++) {
    int other = 1 - which;
    if (o[which]->form == FLAT_DISC || o[which]->form == FLAT_ALL || o[other]->form == FLAT_ALL)
      continue;
    for (int i = 0; i < of[which].count; i++) {
      const long double *p = of[which].at[i];
      bool disc = o[other]->form == FLAT_DISC;
      for (int k = 0; k < (disc ? 1 : of[other].count); k++) {
        long double away =
            disc
                ? fabsl(hypotl(p[0] - middle[other][0], p[1] - middle[other][1]) - o[other]->radius)
                : segment_distance(p, of[other].at[k], of[other].at[(k + 1) % of[other].count]);
        if (away > 0.1L * TIE && away < 4 * EXTENT_MAX * TIE) return true;
      }
    }
  }
  return false;
}

static void print_ids(const char *what, const kept *m) {
  fprintf(stderr, "    %s, distance %.12g:", what, m->pair.distance);
  for (size_t i = 0; i < m->count; i++) {
    const ct_contact_point *p = &m->points[i];
    fprintf(stderr, " %c%u/%c%u.%u#%u(%.9g %.9g %.9g | %.3g)", "svef"[p->a.kind], p -> a.index,
            "svef"[p->b.kind], p -> b.index, p->number, p->patch, p->point_b.x, p->point_b.y,
            p->point_b.z, p->distance - m->pair.distance);
  }
  fputc('\n', stderr);
}

static bool steady(const kept *m, const kept *n, double limit) {
  if (m->count != n->count) return false;
  for (size_t i = 0; i < m->count; i++) {
    size_t k = 0;
    while (k < n->count && !same_id(&m->points[i], &n->points[k])) k++;
    if (k == n->count || (i == 0) != (k == 0)) return false;
    double moved = fmax(ct_norm(ct_sub(m->points[i].point_a, n->points[k].point_a)),
                        ct_norm(ct_sub(m->points[i].point_b, n->points[k].point_b)));
    if (!(moved <= limit)) return false;
  }
  return true;
}

static ct_pose small_move(check_random *r) {
  ct_vec3 w = ct_vec(check_uniform(r, -1, 1), check_uniform(r, -1, 1), check_uniform(r, -1, 1));
  ct_vec3 d = ct_vec(check_uniform(r, -1, 1), check_uniform(r, -1, 1), check_uniform(r, -1, 1));
  double half = 0.5 * SMALL;
  w = ct_unit_or(w, ct_vec(0, 0, 1));
  return (ct_pose){ct_scale(d, SMALL), {half * w.x, half * w.y, half * w.z, 1.0}};
}

static bool holds_center(const flat_case *c, const ring *patch) {
  const long double a[2] = {0, 0}, b[2] = {c->x, c->y};
  return (c->a.outline.form == FLAT_DISC && outside(patch, a) <= 0) ||
         (c->b.outline.form == FLAT_DISC && outside(patch, b) <= 0);
}

/* The points are within the patch, and the manifold covers enough of it. */
static bool covers(const flat_case *c, const ring *patch, const kept *m, bool all) {
  ring at;
  places_of(c, m, 1e-6, &at);
  long double size = length_of(patch), whole = area_of(patch);
  bool round = c->a.outline.form == FLAT_DISC || c->b.outline.form == FLAT_DISC;
  bool line = c->a.outline.form == FLAT_LINE || c->b.outline.form == FLAT_LINE;
  for (int i = 0; i < at.count; i++)
    if (outside(patch, at.at[i]) > TIE * size + (round ? 1e-3L : 0.0L)) return false;
  if (line) return length_of(&at) >= size * (1 - (round ? 2e-3L : 1e-5L));
  long double length = length_of(&at);
  hull_of(&at);
  if (!all) {
    /* A point beside a rounded edge represents the nearby border. */
    places_of(c, m, LEAN, &at);
    length = length_of(&at);
    hull_of(&at);
    cut_ring(&at, patch);
  }
  long double part = area_of(&at) / whole;
  if (all && !round) return part >= 1 - 1e-5L;
  if (!round) return part >= 0.5L - 1e-5L;
  return length >= 0.5L * size && (part >= 0.25L || !holds_center(c, patch));
}

/* The greatest radius of curvature of a body's surface, m; 0: it has flat faces and sharp edges. */
static double curvature_radius(const ct_shape *s) {
  double grown = s->rounding + s->margin;
  switch (s->kind) {
  case CT_KIND_CYLINDER: return s->cylinder.radius + grown;
  case CT_KIND_CAPSULE: return fmax(s->capsule.radius_bottom, s->capsule.radius_top) + grown;
  case CT_KIND_CONE: {
    double low = s->cone.radius_bottom, high = s->cone.radius_top, half = s->cone.half_length;
    return fmax(low, high) * hypot(1.0, (high - low) / (2.0 * half)) + grown;
  }
  case CT_KIND_ELLIPSOID: {
    ct_vec3 r = s->ellipsoid.radii;
    double most = fmax(fmax(r.x, r.y), r.z), least = fmin(fmin(r.x, r.y), r.z);
    return most * most / least + grown;
  }
  default: return grown;
  }
}

/* The greatest shift of a point by round-off. The nearest point of a curved side is where the
 * distance is stationary. At an offset s the distance grows by s^2 / 2R, so a distance with
 * round-off d determines s to sqrt(2 R d), before and after the move. d = CT_ROUNDOFF_FACTOR u (L +
 * gap) (limits.h). */
static double moved_by_roundoff(const flat_case *c) {
  double radius = fmax(curvature_radius(&c->a.shape), curvature_radius(&c->b.shape));
  double roundoff = CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * (EXTENT_MAX + CLEARANCE);
  return 2.0 * sqrt(2.0 * radius * roundoff);
}

/* Solids that are equally deep in two directions: the normal is that of ct_pair_distance, and
 * changes with it (manifold.h). */
static bool two_ways_out(const flat_case *c, const kept *m, const kept *n) {
  return c->gap < 0.0 && ct_norm(ct_sub(m->pair.normal, n->pair.normal)) > OTHER_WAY &&
         fabs(m->pair.distance - n->pair.distance) <= 4.0 * SMALL;
}

/* The depth of two meshes is that of their deepest feature (pair.h): it jumps when a corner on a
 * side wall of the other mesh leaves that wall, for any manifold. */
static bool depth_jumps(const flat_case *c, const kept *m, const kept *n) {
  return c->gap < 0.0 && ct_kind_is_mesh(c->a.shape.kind) && ct_kind_is_mesh(c->b.shape.kind) &&
         fabs(m->pair.distance - n->pair.distance) > 1e3 * SMALL;
}

static void check_case(const flat_case *given, uint64_t number, check_random *r, count_of *count) {
  flat_case c = *given;
  ring patch, below;
  kept m, n;
  ring_of(&c.b.outline, c.turn, c.x, c.y, &patch);
  ring_of(&c.a.outline, 0.0, 0.0, 0.0, &below);
  bool line_a = c.a.outline.form == FLAT_LINE, line = line_a || c.b.outline.form == FLAT_LINE;
  if (line_a && c.b.outline.form == FLAT_LINE) return;
  if (line_a) {
    ring other = patch;
    patch = below;
    below = other;
  }
  cut_ring(&patch, &below);
  if (patch.count < 2 || length_of(&patch) < 0.01L || (!line && area_of(&patch) < 0.001L)) return;
  if (at_end_of_tie(&c)) return;
  meet(&c, CT_DETAIL_FULL, &m);
  if (m.count == 0 || fabs(m.pair.distance - c.gap) > 1e-9) return;
  ct_vec3 up = ct_mat_mul(ct_frame_of(c.move).rotation, ct_vec(0, 0, 1));
  if (!(ct_norm(ct_sub(m.pair.normal, up)) <= 1e-7)) return;
  double limit = speed_of(&c) * SMALL;
  if (limit > LIMIT_MAX) return;
  limit += moved_by_roundoff(&c);
  count->cases++;
  bool all = covers(&c, &patch, &m, true);
  if (!all) {
    CHECK_FAIL("case %llu, %s on %s: the points are not the patch", (unsigned long long)number,
               c.b.name, c.a.name);
    if (check_failures < 10) print_ids("all", &m);
  }
  for (int detail = 0; detail < 3; detail++) {
    flat_place(&c, NULL);
    meet(&c, (ct_detail)detail, &m);
    if (detail == CT_DETAIL_MANIFOLD && all && !covers(&c, &patch, &m, false)) {
      CHECK_FAIL("case %llu, %s on %s: those kept do not span the patch",
                 (unsigned long long)number, c.b.name, c.a.name);
      if (check_failures < 10) print_ids("kept", &m);
    }
    if (!(m.points[0].distance <= m.pair.distance + TIE * (double)length_of(&patch) + 1e-14))
      CHECK_FAIL("case %llu, %s on %s: the first is not the deepest", (unsigned long long)number,
                 c.b.name, c.a.name);
    for (int k = 0; k < MOVES; k++) {
      ct_pose small = small_move(r);
      flat_place(&c, &small);
      meet(&c, (ct_detail)detail, &n);
      if (steady(&m, &n, limit)) continue;
      if (two_ways_out(&c, &m, &n)) {
        count->ways++;
        break;
      }
      if (depth_jumps(&c, &m, &n)) {
        count->depths++;
        break;
      }
      CHECK_FAIL("case %llu, detail %d: %s on %s jumps (turn %g, aside %g %g, limit %g)",
                 (unsigned long long)number, detail, c.b.name, c.a.name, c.turn, c.x, c.y, limit);
      if (check_failures < 10) {
        print_ids("before", &m);
        print_ids("after", &n);
      }
      break;
    }
  }
}

static uint64_t seed_of(uint64_t otherwise) {
  const char *seed = getenv("CONTACTD_SEED");
  if (seed) return strtoull(seed, NULL, 10);
  return getenv("CONTACTD_FULL") ? (uint64_t)time(NULL) : otherwise;
}

static void flat_poses_keep_their_ids_under_a_tilt(void) {
  uint64_t seed = seed_of(1), cases = getenv("CONTACTD_FULL") ? CASES_FULL : CASES, number = 0;
  count_of count = {0};
  if (getenv("CONTACTD_FULL")) printf("seed %llu\n", (unsigned long long)seed);
  const char *only = getenv("CONTACTD_CASE");
  for (; count.cases < (int)cases && number < 20 * cases; number++) {
    check_random r = {seed * 1000003u + number};
    if (only && number != strtoull(only, NULL, 10)) continue;
    flat_case c;
    flat_case_make(&c, &r);
    check_case(&c, number, &r, &count);
    flat_case_free(&c);
  }
  CHECK(only || count.cases == (int)cases);
  /* At most three exceptions per 2,000 cases. */
  CHECK(count.ways + count.depths <= 3 * (1 + count.cases / 2000));
  if (getenv("CONTACTD_FULL"))
    printf("of %d details two ways out: %d, jumps of the depth of two meshes: %d\n",
           3 * count.cases, count.ways, count.depths);
}

static const check_test tests[] = {
    {"flat_poses_keep_their_ids_under_a_tilt", flat_poses_keep_their_ids_under_a_tilt},
};

WORKSPACE_MAIN(tests)
