/* Manifolds of flat contacts against the overlap of two polygons by brute force in long double;
 * invariants of every manifold over random pairs; the reduction against all choices of four. */
#include <contact/contact.h>

#include "tests/support/workspace.h"

enum { CORNERS_MAX = 8, PLACES_MAX = 256, ROUNDS = 400 };

typedef struct place {
  long double x, y;
} place;
typedef struct polygon {
  place at[CORNERS_MAX];
  int count;
} polygon;

static long double cross(place o, place p, place q) {
  return (p.x - o.x) * (q.y - o.y) - (p.y - o.y) * (q.x - o.x);
}

static int by_place(const void *p, const void *q) {
  const place *a = p, *b = q;
  if (a->x != b->x) return a->x < b->x ? -1 : 1;
  return a->y < b->y ? -1 : a->y > b->y;
}

/* Area of the convex hull of points, by Andrew's monotone chain. */
static long double hull_area(place *at, int count) {
  place chain[2 * PLACES_MAX];
  int n = 0;
  qsort(at, (size_t)count, sizeof *at, by_place);
  for (int pass = 0; pass < 2; pass++) {
    int floor = n + 1;
    for (int k = 0; k < count; k++) {
      place p = at[pass ? count - 1 - k : k];
      while (n > floor && cross(chain[n - 2], chain[n - 1], p) <= 0) n--;
      chain[n++] = p;
    }
    n--;
  }
  long double sum = 0;
  for (int k = 1; k + 1 < n; k++) sum += cross(chain[0], chain[k], chain[k + 1]);
  return sum / 2;
}

static bool inside(const polygon *p, place q) {
  for (int k = 0; k < p->count; k++)
    if (cross(p->at[k], p->at[(k + 1) % p->count], q) < -1e-15L) return false;
  return true;
}

/* Collects every corner of one polygon inside the other and every crossing of two edges. */
static long double overlap_area(const polygon *p, const polygon *q) {
  place found[PLACES_MAX];
  int n = 0;
  for (int i = 0; i < p->count; i++)
    if (inside(q, p->at[i])) found[n++] = p->at[i];
  for (int k = 0; k < q->count; k++)
    if (inside(p, q->at[k])) found[n++] = q->at[k];
  for (int i = 0; i < p->count; i++) {
    for (int k = 0; k < q->count; k++) {
      place a = p->at[i], b = p->at[(i + 1) % p->count], c = q->at[k],
            d = q->at[(k + 1) % q->count];
      long double s = cross(c, d, a), t = cross(c, d, b), u = cross(a, b, c), v = cross(a, b, d);
      if (s * t < 0 && u * v < 0)
        found[n++] = (place){a.x + (b.x - a.x) * s / (s - t), a.y + (b.y - a.y) * s / (s - t)};
    }
  }
  return n < 3 ? 0 : hull_area(found, n);
}

static ct_quat random_turn(check_random *r) {
  ct_quat q = {check_uniform(r, -1, 1), 0, 0, 0};
  q.y = check_uniform(r, -1, 1);
  q.z = check_uniform(r, -1, 1);
  q.w = check_uniform(r, 0.1, 1);
  return q;
}

static ct_manifold meet(const ct_shape *a, const ct_frame *fa, const ct_shape *b,
                        const ct_frame *fb, ct_contact_options options) {
  ct_manifold m;
  ct_pair_contacts((ct_placed){a, fa}, (ct_placed){b, fb}, &options, workspace, &m);
  CHECK(!m.failed);
  return m;
}

/* Area spanned by the points across the pair's normal. */
static double area_of(const ct_contact_point *points, size_t count, ct_vec3 normal) {
  place at[PLACES_MAX];
  ct_vec3 x = ct_unit_or(ct_cross(normal, fabs(normal.x) < 0.6 ? ct_vec(1, 0, 0) : ct_vec(0, 1, 0)),
                         normal),
          y = ct_cross(normal, x);
  for (size_t i = 0; i < count; i++)
    at[i] = (place){ct_dot(points[i].point_a, x), ct_dot(points[i].point_a, y)};
  return count < 3 ? 0.0 : (double)hull_area(at, (int)count);
}

/* ---- flat contacts -------------------------------------------------------------------------- */

/* A convex polygon about the origin; the face of a box if `boxed`. */
static polygon random_polygon(check_random *r, bool boxed) {
  polygon p = {.count = boxed ? 4 : 3 + (int)(check_next(r) % (CORNERS_MAX - 2))};
  double a = check_uniform(r, 0.3, 1.5), b = check_uniform(r, 0.3, 1.5);
  for (int k = 0; k < p.count; k++) {
    double angle = 8 * atan(1.0) * (k + check_uniform(r, 0.1, 0.9)) / p.count;
    p.at[k] = (place){a * cos(angle), a * sin(angle)};
    if (boxed) p.at[k] = (place){k == 1 || k == 2 ? a : -a, k >= 2 ? b : -b};
  }
  return p;
}

/* The prism over a polygon from z = low to high; *middle: the box's frame origin. `turned`: points
 * are rotated before the hull is built, so that their rounding splits its faces. */
static ct_shape prism(const polygon *p, bool boxed, double low, double high,
                      const ct_frame *turned) {
  if (boxed)
    return (ct_shape){.kind = CT_KIND_BOX,
                      .box = {{(double)p->at[2].x, (double)p->at[2].y, (high - low) / 2}}};
  ct_vec3 points[2 * CORNERS_MAX];
  for (int k = 0; k < 2 * p->count; k++) {
    place at = p->at[k % p->count];
    points[k] = ct_vec((double)at.x, (double)at.y, k < p->count ? low : high);
    if (turned) points[k] = ct_to_parent(*turned, points[k]);
  }
  ct_hull *hull = NULL;
  if (ct_hull_from_points(points, (size_t)(2 * p->count), NULL, &hull, NULL) != CT_OK)
    CHECK_FAIL("no hull");
  return (ct_shape){.kind = CT_KIND_CONVEX, .hull = hull};
}

/* A prism below z = 0 and one above, rotated about z and shifted; both moved together. */
typedef struct stack {
  polygon p, q; /* seen along z */
  ct_shape a, b;
  ct_frame fa, fb;
} stack;

static stack random_stack(check_random *r, bool boxed_a, bool boxed_b, bool cut, double gap) {
  stack s = {.p = random_polygon(r, boxed_a), .q = random_polygon(r, boxed_b)};
  double half = check_uniform(r, -3, 3) / 2, x = check_uniform(r, -1, 1),
         y = check_uniform(r, -1, 1);
  ct_frame move = ct_frame_of((ct_pose){{check_uniform(r, -2, 2), 1, -1}, random_turn(r)});
  ct_frame up = ct_frame_of((ct_pose){{x, y, gap}, {0, 0, sin(half), cos(half)}});
  ct_frame cut_by = ct_frame_of((ct_pose){{0, 0, 0}, random_turn(r)});
  ct_frame back = {ct_mat_transpose(cut_by.rotation), {0, 0, 0}};
  bool cut_a = cut && !boxed_a, cut_b = cut && !boxed_b;
  s.a = prism(&s.p, boxed_a, -0.5, 0, cut_a ? &cut_by : NULL);
  s.b = prism(&s.q, boxed_b, 0, 0.75, cut_b ? &cut_by : NULL);
  ct_frame own_a = {ct_quat_matrix(ct_quat_identity()), {0, 0, boxed_a ? -0.25 : 0}};
  ct_frame own_b = {ct_quat_matrix(ct_quat_identity()), {0, 0, boxed_b ? 0.375 : 0}};
  s.fa = ct_frame_mul(move, cut_a ? back : own_a);
  s.fb = ct_frame_mul(ct_frame_mul(move, up), cut_b ? back : own_b);
  polygon q = s.q;
  for (int k = 0; k < q.count; k++) {
    ct_vec3 at = ct_to_parent(up, ct_vec((double)q.at[k].x, (double)q.at[k].y, 0));
    s.q.at[k] = (place){at.x, at.y};
  }
  return s;
}

static void stack_free(stack *s) {
  if (s->a.kind == CT_KIND_CONVEX) ct_hull_release(s->a.hull);
  if (s->b.kind == CT_KIND_CONVEX) ct_hull_release(s->b.hull);
}

static void flat_contacts_span_the_overlap_of_the_faces(void) {
  check_random random = {61};
  int seen = 0;
  for (int round = 0; round < ROUNDS; round++) {
    double gap = round % 3 == 0 ? 0.01 : round % 3 == 1 ? -0.01 : -1e-6;
    stack s = random_stack(&random, round & 1, round & 2, round & 4, gap);
    long double truth = overlap_area(&s.p, &s.q);
    ct_manifold m = meet(&s.a, &s.fa, &s.b, &s.fb, (ct_contact_options){0.02, 0, CT_DETAIL_FULL});
    bool flat = ct_norm(ct_sub(m.pair.normal, ct_mat_mul(s.fa.rotation, ct_vec(0, 0, 1)))) < 1e-9 ||
                (round & 4);
    if (truth > 0.05L && fabs(m.pair.distance - gap) < 1e-9 && flat) {
      seen++;
      CHECK_NEAR(area_of(m.points, m.count, m.pair.normal), (double)truth, 1e-12);
      CHECK(m.count <= (size_t)(s.p.count + s.q.count));
      for (size_t i = 0; i < m.count; i++) CHECK_NEAR(m.points[i].distance, gap, 1e-13);
    }
    stack_free(&s);
  }
  CHECK(seen > ROUNDS / 3);
}

static double sum_of(const ct_contact_point *p, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += p[i].point_a.x + 2 * p[i].point_a.y + 3 * p[i].point_a.z;
  return sum;
}

/* Poses that differ by a unit in the last place have the same contacts, though corners may become
 * crossings. */
static void flat_contacts_are_steady_under_round_off(void) {
  check_random random = {62};
  const double turns[] = {0, 0, 0.25, 0.5};
  for (int round = 0; round < 64; round++) {
    ct_shape a = {.kind = CT_KIND_BOX, .box = {{1, 1, 0.5}}}, b = a;
    if (round & 8) b.box.half = ct_vec(0.5, 1, 0.25);
    ct_pose pa = {{0, 0, 0}, {0, 0, 0, 1}},
            pb = {{round & 4 ? 0.5 : 0, 0, 0.99}, {0, 0, turns[round & 3], 1}};
    if (round & 8) pb.position.z = 0.74;
    ct_frame fa = ct_frame_of(pa), fb = ct_frame_of(pb);
    ct_contact_options full = {0, 0, CT_DETAIL_FULL}, four = {0, 0, CT_DETAIL_MANIFOLD};
    ct_manifold m = meet(&a, &fa, &b, &fb, full);
    double area = area_of(m.points, m.count, m.pair.normal);
    m = meet(&a, &fa, &b, &fb, four);
    double reduced = area_of(m.points, m.count, m.pair.normal);
    if (!(area > 0.9 && reduced >= area / 2))
      CHECK_FAIL("round %d: %g of %g, distance %g", round, reduced, area, m.pair.distance);
    for (int k = 0; k < 32; k++) {
      ct_frame fc = fb;
      double *const numbers[] = {&fc.position.x, &fc.position.y, &fc.position.z, &fc.rotation.rx.z,
                                 &fc.rotation.ry.z};
      for (int i = 0; i < 5; i++) {
        uint64_t way = check_next(&random) % 3;
        double unit = i < 3 ? 0x1p-53 : 0x1p-54;
        if (way) *numbers[i] += way == 1 ? unit : -unit;
      }
      m = meet(&a, &fa, &b, &fc, full);
      CHECK_NEAR(area_of(m.points, m.count, m.pair.normal), area, 1e-12);
      m = meet(&a, &fa, &b, &fc, four);
      CHECK_NEAR(area_of(m.points, m.count, m.pair.normal), reduced, 1e-9);
    }
  }
}

/* ---- invariants of every manifold ------------------------------------------------------------ */

static ct_shape random_shape(check_random *r, ct_kind kind) {
  ct_shape s = {.kind = kind};
  double u = check_uniform(r, 0.2, 1), v = check_uniform(r, 0.2, 1), w = check_uniform(r, 0.2, 1);
  switch (kind) {
  case CT_KIND_SPHERE: s.sphere.radius = u; break;
  case CT_KIND_BOX: s.box.half = ct_vec(u, v, w); break;
  case CT_KIND_CAPSULE:
    s.capsule.half_length = u;
    s.capsule.radius_bottom = v;
    s.capsule.radius_top = check_next(r) & 1 ? v : v / 2;
    break;
  case CT_KIND_CYLINDER:
    s.cylinder.radius = u;
    s.cylinder.half_length = v;
    break;
  case CT_KIND_CONE:
    s.cone.half_length = u;
    s.cone.radius_bottom = v;
    s.cone.radius_top = check_next(r) & 1 ? 0 : w;
    break;
  case CT_KIND_ELLIPSOID: s.ellipsoid.radii = ct_vec(u, v, w); break;
  case CT_KIND_CONVEX: {
    polygon p = random_polygon(r, false);
    s = prism(&p, false, -u, v, NULL);
    break;
  }
  default: break;
  }
  return s;
}

static const ct_kind kinds[] = {CT_KIND_SPHERE,   CT_KIND_BOX,  CT_KIND_CAPSULE,
                                CT_KIND_CYLINDER, CT_KIND_CONE, CT_KIND_ELLIPSOID,
                                CT_KIND_CONVEX,   CT_KIND_PLANE};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static bool same_point(const ct_contact_point *p, const ct_contact_point *q) {
  return p->a.kind == q->a.kind && p->a.index == q->a.index && p->b.kind == q->b.kind &&
         p->b.index == q->b.index && p->number == q->number && p->patch == q->patch;
}

static void check_manifold(const ct_manifold *m, double clearance, const char *what, int round) {
  if (m->pair.status == CT_PAIR_UNSUPPORTED || m->pair.distance > clearance) {
    CHECK_INT(m->count, 0);
    return;
  }
  if (m->count == 0) CHECK_FAIL("%s %d: no point", what, round);
  double tolerance = m->pair.status == CT_PAIR_OK ? 1e-9 : 1e-6;
  for (size_t i = 0; i < m->count; i++) {
    const ct_contact_point *p = &m->points[i];
    ct_vec3 miss = ct_add_scaled(ct_sub(p->point_b, p->point_a), p->normal, -p->distance);
    if (!(ct_norm(miss) <= 1e-13))
      CHECK_FAIL("%s %d: points off the normal by %g", what, round, ct_norm(miss));
    if (!(p->distance >= m->pair.distance - 1e-12))
      CHECK_FAIL("%s %d: deeper than the pair by %g", what, round, m->pair.distance - p->distance);
    if (!(p->distance <= clearance + 1e-12))
      CHECK_FAIL("%s %d: apart by %g", what, round, p->distance);
    for (size_t k = 0; k < i; k++)
      if (same_point(p, &m->points[k])) CHECK_FAIL("%s %d: two points of one id", what, round);
  }
  if (m->count > 0) CHECK_NEAR(m->points[0].distance, m->pair.distance, tolerance);
}

/* The greatest area spanned by four of the points. */
static double best_four(const ct_contact_point *p, size_t n, ct_vec3 normal) {
  double best = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = i + 1; j < n; j++)
      for (size_t k = j + 1; k < n; k++)
        for (size_t l = k; l < n; l++) {
          ct_contact_point four[4] = {p[i], p[j], p[k], p[l]};
          best = fmax(best, area_of(four, 4, normal));
        }
  return best;
}

/* Brings the pair near contact: moves b along the pair's normal to a random small distance. */
static void approach(check_random *r, const ct_shape *a, const ct_frame *fa, const ct_shape *b,
                     ct_frame *fb) {
  double wanted = check_uniform(r, -0.05, 0.05);
  ct_pair_options options = {0, INFINITY};
  for (int k = 0; k < 3; k++) {
    ct_pair_result result;
    ct_pair_distance((ct_placed){a, fa}, (ct_placed){b, fb}, &options, workspace, &result);
    if (result.status == CT_PAIR_UNSUPPORTED) return;
    fb->position = ct_add_scaled(fb->position, result.normal, wanted - result.distance);
  }
}

static void every_pair_of_kinds_has_a_true_manifold(void) {
  check_random random = {63};
  for (int i = 0; i < KINDS * KINDS; i++) {
    char what[64];
    snprintf(what, sizeof what, "%s, %s", ct_kind_word(kinds[i / KINDS]),
             ct_kind_word(kinds[i % KINDS]));
    for (int round = 0; round < 60; round++) {
      ct_shape a = random_shape(&random, kinds[i / KINDS]),
               b = random_shape(&random, kinds[i % KINDS]);
      if (round % 5 == 4 && a.kind == CT_KIND_BOX) a.rounding = 0.1;
      /* Every other pair is axis-aligned, so that faces and edges coincide. */
      bool straight = round & 1;
      ct_frame fa =
          ct_frame_of((ct_pose){{0, 0, 0}, straight ? ct_quat_identity() : random_turn(&random)});
      ct_quat quarter = {round & 2 ? 1 : 0, 0, round & 4 ? 1 : 0, 1};
      ct_frame fb =
          ct_frame_of((ct_pose){{check_uniform(&random, -1, 1), check_uniform(&random, -1, 1), 1},
                                straight ? quarter : random_turn(&random)});
      approach(&random, &a, &fa, &b, &fb);
      ct_manifold m = meet(&a, &fa, &b, &fb, (ct_contact_options){0.03, 0, CT_DETAIL_FULL});
      check_manifold(&m, 0.03, what, round);
      ct_contact_point all[PLACES_MAX];
      size_t count = m.count < PLACES_MAX ? m.count : PLACES_MAX;
      if (count) memcpy(all, m.points, count * sizeof *all);
      double area = area_of(all, count, m.pair.normal),
             four = count <= 10 ? best_four(all, count, m.pair.normal) : area;
      ct_manifold swapped = meet(&b, &fb, &a, &fa, (ct_contact_options){0.03, 0, CT_DETAIL_FULL});
      CHECK_INT(swapped.count, count);
      for (size_t k = 0; k < count && k < swapped.count; k++) {
        const ct_contact_point *p = &swapped.points[k], *q = &all[k];
        CHECK(p->distance == q->distance && p->point_a.x == q->point_b.x &&
              p->point_b.z == q->point_a.z);
        CHECK(p->a.kind == q->b.kind && p->a.index == q->b.index && p->b.index == q->a.index &&
              p->normal.y == -q->normal.y);
      }
      m = meet(&a, &fa, &b, &fb, (ct_contact_options){0.03, 0, CT_DETAIL_MANIFOLD});
      CHECK(m.count <= 4 && (count == 0) == (m.count == 0));
      if (m.count > 0) CHECK(same_point(&m.points[0], &all[0]));
      double kept = area_of(m.points, m.count, m.pair.normal);
      bool corner = count < 5 || area_of(all + 1, count - 1, m.pair.normal) < area * (1 - 1e-6);
      if (corner && !(kept >= 0.5 * area * (1 - 1e-9)))
        CHECK_FAIL("%s %d: %g kept of %g", what, round, kept, area);
      if (!(kept <= four * (1 + 1e-9) + 1e-15))
        CHECK_FAIL("%s %d: more than the best four: %g, %g", what, round, kept, four);
      double sum = sum_of(all, count);
      CHECK(isfinite(sum));
      if (a.kind == CT_KIND_CONVEX) ct_hull_release(a.hull);
      if (b.kind == CT_KIND_CONVEX) ct_hull_release(b.hull);
    }
  }
}

/* A scene scaled by 2 or 1/2 has the same ids, and exactly scaled distances. */
static void a_scale_by_a_power_of_two_changes_nothing_else(void) {
  check_random random = {64};
  for (int round = 0; round < 200; round++) {
    ct_shape a = random_shape(&random, CT_KIND_BOX),
             b = random_shape(&random, round & 1 ? CT_KIND_BOX : CT_KIND_CYLINDER);
    ct_frame fa = ct_frame_of((ct_pose){{0, 0, 0}, random_turn(&random)}), fb = fa;
    fb.position = ct_vec(0.3, 0.2, 0.9);
    approach(&random, &a, &fa, &b, &fb);
    ct_manifold m = meet(&a, &fa, &b, &fb, (ct_contact_options){0.0625, 0, CT_DETAIL_FULL});
    ct_contact_point before[PLACES_MAX];
    size_t count = m.count;
    memcpy(before, m.points, count * sizeof *before);
    ct_shape c = a, d = b;
    c.box.half = ct_scale(a.box.half, 1024);
    if (b.kind == CT_KIND_BOX) d.box.half = ct_scale(b.box.half, 1024);
    else d.cylinder.radius *= 1024, d.cylinder.half_length *= 1024;
    ct_frame fd = fb;
    fd.position = ct_scale(fb.position, 1024);
    m = meet(&c, &fa, &d, &fd, (ct_contact_options){64, 0, CT_DETAIL_FULL});
    CHECK_INT(m.count, count);
    for (size_t k = 0; k < count && k < m.count; k++) {
      CHECK(same_point(&m.points[k], &before[k]));
      CHECK_NEAR(m.points[k].distance, 1024 * before[k].distance, 1e-9);
    }
  }
}

static const check_test tests[] = {
    {"flat_contacts_span_the_overlap_of_the_faces", flat_contacts_span_the_overlap_of_the_faces},
    {"flat_contacts_are_steady_under_round_off", flat_contacts_are_steady_under_round_off},
    {"every_pair_of_kinds_has_a_true_manifold", every_pair_of_kinds_has_a_true_manifold},
    {"a_scale_by_a_power_of_two_changes_nothing_else",
     a_scale_by_a_power_of_two_changes_nothing_else},
};

WORKSPACE_MAIN(tests)
