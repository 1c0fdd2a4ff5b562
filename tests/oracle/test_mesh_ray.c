/* Rays against meshes, by brute force over all triangles in exact fractions of 128-bit integers. */
#include "tests/oracle/mesh_cases.h"

/* t as a fraction with a positive denominator. */
typedef struct fraction {
  wide n, d;
} fraction;

static int compare(fraction a, fraction b) {
  wide l = a.n * b.d, r = b.n * a.d;
  return (l > r) - (l < r);
}

/* Clips t in [0, inf) to A + B t >= 0; *last.d == 0: unbounded. */
static bool clip(fraction *first, fraction *last, wide a, wide b) {
  if (b == 0) return a >= 0;
  fraction at = b > 0 ? (fraction){-a, b} : (fraction){a, -b};
  if (b > 0 && compare(at, *first) > 0) *first = at;
  if (b < 0 && (last->d == 0 || compare(at, *last) < 0)) *last = at;
  return last->d == 0 || compare(*first, *last) <= 0;
}

/* First t >= 0 at which o + t d is in the closed triangle; false if there is none. *side as in
 * ct_mesh_hit. */
static bool meets(ipoint o, ipoint d, const ipoint t[3], fraction *at, int *side) {
  ipoint n = ipoint_cross(ipoint_sub(t[1], t[0]), ipoint_sub(t[2], t[0]));
  wide rises = ipoint_dot(n, d), height = ipoint_dot(n, ipoint_sub(t[0], o));
  fraction first = {0, 1}, last = {0, 0};
  if (rises == 0 && height != 0) return false;
  if (rises != 0) {
    first = rises > 0 ? (fraction){height, rises} : (fraction){-height, -rises};
    if (first.n < 0) return false;
    last = first;
  }
  for (int k = 0; k < 3; k++) { /* n . (e x (o + t d - v)) >= 0 */
    ipoint e = ipoint_sub(t[(k + 1) % 3], t[k]);
    wide a = ipoint_dot(n, ipoint_cross(e, ipoint_sub(o, t[k]))),
         b = ipoint_dot(n, ipoint_cross(e, d));
    if (rises != 0) {
      if (a * first.d + b * first.n < 0) return false;
    } else if (!clip(&first, &last, a, b)) {
      return false;
    }
  }
  *at = first;
  *side = rises < 0 ? 1 : rises > 0 ? -1 : 0;
  return true;
}

typedef struct expected {
  fraction t;
  uint32_t triangle;
  int side;
} expected;

static int by_t(const void *a, const void *b) {
  const expected *p = a, *q = b;
  int order = compare(p->t, q->t);
  return order ? order : p->triangle < q->triangle ? -1 : 1;
}

static size_t brute(const ct_mesh_view *v, ipoint o, ipoint d, expected *out) {
  size_t count = 0;
  for (uint32_t i = 0; i < v->live_count; i++) {
    ipoint t[3];
    for (int k = 0; k < 3; k++) t[k] = ipoint_of(v->vertices[v->corners[i][k]]);
    if (meets(o, d, t, &out[count].t, &out[count].side)) out[count++].triangle = v->order[i];
  }
  qsort(out, count, sizeof *out, by_t);
  return count;
}

enum { HITS = 4096 };
static expected truth[HITS];
static ct_mesh_hit found[HITS], some[3];

static bool same_bits(const ct_mesh_hit *a, const ct_mesh_hit *b) {
  return a->t == b->t && a->triangle == b->triangle && a->side == b->side &&
         a->point.x == b->point.x && a->point.y == b->point.y && a->point.z == b->point.z;
}

/* The ray with its direction multiplied by 2^power. */
static size_t check_ray(const ct_mesh *mesh, ipoint o, ipoint d, int power) {
  const ct_mesh_view *v = ct_mesh_get(mesh);
  size_t count = brute(v, o, d, truth);
  ct_vec3 origin = vec_of(o), direction = ct_scale(vec_of(d), ldexp(1, power));
  size_t got = ct_mesh_ray_all(mesh, origin, direction, INFINITY, found, HITS);
  if (got != count) CHECK_FAIL("%zu hits, should be %zu", got, count);
  for (size_t i = 0; i < count && got == count; i++) {
    double t = (double)((long double)truth[i].t.n / (long double)truth[i].t.d);
    CHECK_NEAR(ldexp(found[i].t, power), t, 4e-16 * t);
    CHECK_INT(found[i].triangle, truth[i].triangle);
    CHECK_INT(found[i].side, truth[i].side);
    ct_vec3 p = ct_add_scaled(origin, vec_of(d), t);
    CHECK_NEAR(ct_max_abs(ct_sub(found[i].point, p)), 0, 2e-13);
  }
  ct_mesh_hit first = {.triangle = 77};
  bool hit = ct_mesh_ray_first(mesh, origin, direction, INFINITY, &first);
  CHECK_INT(hit, count > 0);
  if (count == 0) CHECK_INT(first.triangle, 77);
  else CHECK(same_bits(&first, &found[0]));
  CHECK_INT(ct_mesh_ray_all(mesh, origin, direction, INFINITY, some, 3), count);
  for (size_t i = 0; i < count && i < 3; i++) CHECK(same_bits(&some[i], &found[i]));
  CHECK_INT(ct_mesh_ray_all(mesh, origin, direction, INFINITY, NULL, 0), count);
  if (count > 0) { /* the limit is respected and ends the ray */
    double limit = found[count / 2].t;
    CHECK(ct_mesh_ray_first(mesh, origin, direction, found[0].t, &first) &&
          first.triangle == found[0].triangle);
    size_t within = ct_mesh_ray_all(mesh, origin, direction, limit, found, HITS);
    CHECK(within > count / 2 && within <= count && found[within - 1].t <= limit);
  }
  return count;
}

static void rays_between_integer_points_hit_what_exact_fractions_say(void) {
  check_random r = {401};
  size_t hits = 0, coplanar = 0, rays = 0, missed = 0;
  for (int k = 0; k < 160; k++) {
    soup s = {0};
    mesh_case(&s, k, &r);
    ct_mesh *mesh = soup_mesh(&s);
    const ct_mesh_view *v = ct_mesh_get(mesh);
    for (int i = 0; i < 80; i++, rays++) {
      ipoint o = case_point(v, &r), to = case_point(v, &r), d = ipoint_sub(to, o);
      if (i % 8 == 0) d = (ipoint){0, 0, i % 16 ? 1 : -2};
      if (i % 8 == 1) d = (ipoint){3, 0, 0};
      if (d.x == 0 && d.y == 0 && d.z == 0) d.y = -1;
      if (i % 3 == 0) o = ipoint_sub(o, (ipoint){3 * d.x, 3 * d.y, 3 * d.z});
      size_t n = check_ray(mesh, o, d, (int)(check_next(&r) % 60) - 30);
      hits += n, missed += n == 0;
      for (size_t h = 0; h < n; h++) coplanar += truth[h].side == 0;
    }
    ct_mesh_release(mesh);
  }
  CHECK(rays == 12800 && hits > 30000 && coplanar > 1000 && missed > 1000);
}

/* From outside towards points on edges of a closed mesh: something is always hit, for every
 * orientation of the edge. */
static void no_ray_misses_edges_and_vertices(void) {
  check_random r = {402};
  soup s = {0};
  soup_sphere(&s, ct_vec(0.1, 0.2, 0.3), 1, 40, 60);
  ct_mat3 turn = ct_quat_matrix((ct_quat){0.3, -0.2, 0.5, 0.7});
  for (uint32_t i = 0; i < s.vn; i++) s.v[i] = ct_mat_mul(turn, s.v[i]);
  ct_mesh *mesh = soup_mesh(&s);
  const ct_mesh_view *v = ct_mesh_get(mesh);
  for (int i = 0; i < 30000; i++) {
    const uint32_t *c = v->corners[check_next(&r) % v->live_count];
    ct_vec3 p = v->vertices[c[0]], q = v->vertices[c[1]];
    ct_vec3 at = i % 3 == 0 ? p : ct_add_scaled(p, ct_sub(q, p), check_uniform(&r, 0, 1));
    ct_vec3 from = case_vec(&r, -9, 9), d = ct_sub(v->centroid, at);
    /* Aimed slightly inwards, so that the rounding of the direction does not lead past the
     * outline. */
    if (i % 2) d = ct_sub(ct_add_scaled(at, ct_sub(v->centroid, at), 1e-9), from);
    else from = ct_add_scaled(at, d, -2);
    ct_mesh_hit hit;
    CHECK(ct_mesh_ray_first(mesh, from, d, INFINITY, &hit));
    size_t n = ct_mesh_ray_all(mesh, from, d, INFINITY, found, HITS);
    int in = 0, out = 0;
    for (size_t k = 0; k < n; k++) in += found[k].side > 0, out += found[k].side < 0;
    CHECK((in > 0 || ct_mesh_contains(mesh, from)) && out > 0);
    CHECK(hit.side == (ct_mesh_contains(mesh, from) ? -1 : 1));
  }
  ct_mesh_release(mesh);
}

static void an_invalid_ray_hits_nothing(void) {
  soup s = {0};
  soup_box(&s, ct_vec(-1, -1, -1), ct_vec(1, 1, 1));
  ct_mesh *mesh = soup_mesh(&s);
  ct_mesh_hit hit;
  CHECK(!ct_mesh_ray_first(mesh, ct_vec(0, 0, 0), ct_vec(0, 0, 0), INFINITY, &hit));
  CHECK(!ct_mesh_ray_first(mesh, ct_vec(0, 0, 0), ct_vec(0, NAN, 0), INFINITY, &hit));
  CHECK(!ct_mesh_ray_first(mesh, ct_vec(NAN, 0, 0), ct_vec(0, 1, 0), INFINITY, &hit));
  CHECK(!ct_mesh_ray_first(mesh, ct_vec(0, 0, 0), ct_vec(0, 1, 0), -1, &hit));
  CHECK(!ct_mesh_ray_first(mesh, ct_vec(0, 0, 0), ct_vec(0, 1, 0), 0.99, &hit));
  CHECK(ct_mesh_ray_first(mesh, ct_vec(0, 0, 0), ct_vec(0, 1e-300, 0), INFINITY, &hit) &&
        hit.t == 1 / 1e-300);
  CHECK(ct_mesh_ray_first(mesh, ct_vec(0, 0, 0), ct_vec(1e-320, 1, 0), 1, &hit) && hit.t == 1.0 &&
        hit.side == -1);
  ct_mesh_release(mesh);
}

static const check_test tests[] = {
    {"rays_between_integer_points_hit_what_exact_fractions_say",
     rays_between_integer_points_hit_what_exact_fractions_say},
    {"no_ray_misses_edges_and_vertices", no_ray_misses_edges_and_vertices},
    {"an_invalid_ray_hits_nothing", an_invalid_ray_hits_nothing},
};

CHECK_MAIN(tests)
