/* Hulls of small integer point sets against brute force: every plane through three points with no
 * point beyond it is a facet's plane. */
#include "tests/unit/hull_checks.h"

#define POINTS_MAX 24
#define PLANES_MAX 4096

__extension__ typedef __int128 wide;

typedef struct integer_point {
  wide x, y, z;
} integer_point;

/* n.p = offset with n divided by the common divisor of its components, and the points on the plane
 * as bits. */
typedef struct facet {
  integer_point n;
  wide offset;
  uint32_t on;
} facet;

typedef struct oracle {
  facet facets[PLANES_MAX];
  int facet_count;
  uint32_t vertices; /* bits */
} oracle;

static oracle truth;

static wide divisor(wide a, wide b) {
  while (b) {
    wide t = a % b;
    a = b;
    b = t;
  }
  return a < 0 ? -a : a;
}

static integer_point minus(integer_point a, integer_point b) {
  return (integer_point){a.x - b.x, a.y - b.y, a.z - b.z};
}
static wide dot(integer_point a, integer_point b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static integer_point cross(integer_point a, integer_point b) {
  return (integer_point){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static bool same_plane(const facet *a, const facet *b) {
  return a->n.x == b->n.x && a->n.y == b->n.y && a->n.z == b->n.z && a->offset == b->offset;
}

static void add_facet(facet f) {
  for (int i = 0; i < truth.facet_count; i++) {
    if (same_plane(&truth.facets[i], &f)) return;
  }
  truth.facets[truth.facet_count++] = f;
}

/* The facet through three points, if all other points are on one side. */
static void try_plane(const integer_point *p, int count, int a, int b, int c) {
  integer_point n = cross(minus(p[b], p[a]), minus(p[c], p[a]));
  wide g = divisor(divisor(n.x, n.y), n.z);
  if (g == 0) return;
  n = (integer_point){n.x / g, n.y / g, n.z / g};
  int above = 0, below = 0;
  uint32_t on = 0;
  for (int i = 0; i < count; i++) {
    wide h = dot(n, minus(p[i], p[a]));
    above += h > 0;
    below += h < 0;
    if (h == 0) on |= 1u << i;
  }
  if (above == 0 && below > 0) add_facet((facet){n, dot(n, p[a]), on});
  if (below == 0 && above > 0) add_facet((facet){{-n.x, -n.y, -n.z}, -dot(n, p[a]), on});
}

/* A vertex is on three facets with independent normals; of duplicate points only the first
 * counts. */
static bool is_vertex(const integer_point *p, int v) {
  for (int i = 0; i < v; i++) {
    if (p[i].x == p[v].x && p[i].y == p[v].y && p[i].z == p[v].z) return false;
  }
  for (int i = 0; i < truth.facet_count; i++) {
    for (int j = i + 1; j < truth.facet_count; j++) {
      for (int k = j + 1; k < truth.facet_count; k++) {
        uint32_t on = truth.facets[i].on & truth.facets[j].on & truth.facets[k].on;
        if (on >> v & 1 && dot(truth.facets[i].n, cross(truth.facets[j].n, truth.facets[k].n)) != 0)
          return true;
      }
    }
  }
  return false;
}

static void find_truth(const integer_point *p, int count) {
  truth.facet_count = 0;
  truth.vertices = 0;
  for (int a = 0; a < count; a++) {
    for (int b = a + 1; b < count; b++) {
      for (int c = b + 1; c < count; c++) try_plane(p, count, a, b, c);
    }
  }
  for (int v = 0; v < count; v++) {
    if (is_vertex(p, v)) truth.vertices |= 1u << v;
  }
}

static int affine_rank(const integer_point *p, int count) {
  int rank = 0;
  integer_point first = {0, 0, 0}, normal = {0, 0, 0};
  for (int i = 1; i < count; i++) {
    integer_point d = minus(p[i], p[0]);
    if (rank == 0 && dot(d, d) != 0) {
      first = d;
      rank = 1;
    }
  }
  for (int i = 1; i < count && rank == 1; i++) {
    normal = cross(first, minus(p[i], p[0]));
    if (dot(normal, normal) != 0) rank = 2;
  }
  for (int i = 1; i < count && rank == 2; i++) {
    if (dot(normal, minus(p[i], p[0])) != 0) rank = 3;
  }
  return rank;
}

/* Matches the facets one to one, as sets of vertices. */
static void compare_faces(const ct_hull_view *h) {
  double far = ct_max2(ct_max_abs(h->box.min), ct_max_abs(h->box.max));
  CHECK_INT(h->face_count, truth.facet_count);
  for (uint32_t f = 0; f < h->face_count; f++) {
    uint32_t on = 0;
    for (uint32_t i = h->face_start[f]; i < h->face_start[f + 1]; i++)
      on |= 1u << h->vertex_input[h->face_loop[i]];
    int matches = 0;
    for (int k = 0; k < truth.facet_count; k++) {
      const facet *t = &truth.facets[k];
      if ((t->on & truth.vertices) != on) continue;
      matches++;
      double length = sqrt((double)dot(t->n, t->n));
      CHECK_NEAR(h->nx[f], (double)t->n.x / length, 4e-16);
      CHECK_NEAR(h->ny[f], (double)t->n.y / length, 4e-16);
      CHECK_NEAR(h->nz[f], (double)t->n.z / length, 4e-16);
      /* The normal is rounded to 2^-53 a component, and the offset belongs to the rounded normal: 3
       * u at that distance, plus its own u. */
      CHECK_NEAR(h->offset[f], (double)t->offset / length, 8.0 * 0x1p-53 * far);
    }
    CHECK_INT(matches, 1);
  }
}

static void compare(const integer_point *p, int count, double unit) {
  ct_vec3 points[POINTS_MAX];
  for (int i = 0; i < count; i++)
    points[i] = ct_vec((double)p[i].x * unit, (double)p[i].y * unit, (double)p[i].z * unit);
  ct_hull *hull = NULL;
  ct_hull_report report;
  ct_status status = ct_hull_from_points(points, (size_t)count, NULL, &hull, &report);
  CHECK_INT(report.rank, affine_rank(p, count));
  CHECK_INT(status, report.rank == 3 ? CT_OK : CT_DEGENERATE_HULL);
  if (status != CT_OK) {
    CHECK(hull == NULL);
    return;
  }
  const ct_hull_view *h = ct_hull_get(hull);
  find_truth(p, count);
  uint32_t vertices = 0;
  for (uint32_t v = 0; v < h->vertex_count; v++) vertices |= 1u << h->vertex_input[v];
  CHECK_INT(vertices, truth.vertices);
  if (unit == 1.0) compare_faces(h);
  hull_check(h, points, (size_t)count);
  ct_hull_release(hull);
}

static void random_sets(uint64_t seed, int runs, int64_t range) {
  check_random r = {seed};
  for (int i = 0; i < runs; i++) {
    integer_point p[POINTS_MAX];
    int count = 1 + (int)(check_next(&r) % POINTS_MAX);
    for (int k = 0; k < count; k++) {
      uint64_t m = (uint64_t)range;
      p[k] = (integer_point){(int64_t)(check_next(&r) % m), (int64_t)(check_next(&r) % m),
                             (int64_t)(check_next(&r) % m)};
    }
    compare(p, count, 1.0);
  }
}

static void hulls_of_tiny_grids_with_heavy_ties_are_the_brute_force_hulls(void) {
  random_sets(1, 1500, 2);
  random_sets(2, 1500, 3);
  random_sets(3, 1000, 4);
}

/* Row 18: hulls of points on wider grids. */
static void hulls_of_wider_grids_are_the_brute_force_hulls(void) {
  random_sets(4, 300, 10);
  random_sets(5, 200, 1000);
  random_sets(6, 100, 100000);
}

/* On a sheared grid no face is parallel to an axis, so that zeros occur only after cancellation. */
static void hulls_of_sheared_grids_are_the_brute_force_hulls(void) {
  check_random r = {7};
  for (int i = 0; i < 1000; i++) {
    integer_point p[POINTS_MAX];
    int count = 8 + (int)(check_next(&r) % (POINTS_MAX - 8));
    for (int k = 0; k < count; k++) {
      int64_t a = (int64_t)(check_next(&r) % 3), b = (int64_t)(check_next(&r) % 3),
              c = (int64_t)(check_next(&r) % 3);
      p[k] =
          (integer_point){31 * a + 7 * b - 5 * c, 11 * a - 37 * b + 3 * c, 2 * a + 13 * b + 41 * c};
    }
    compare(p, count, 1.0);
  }
}

/* Scaling a grid by powers of two involves no rounding. */
static void scaled_grids_keep_vertices_and_ranks(void) {
  check_random r = {8};
  for (int i = 0; i < 500; i++) {
    integer_point p[POINTS_MAX];
    int count = 1 + (int)(check_next(&r) % POINTS_MAX);
    for (int k = 0; k < count; k++) {
      p[k] = (integer_point){(int64_t)(check_next(&r) % 3), (int64_t)(check_next(&r) % 3),
                             (int64_t)(check_next(&r) % 3)};
    }
    compare(p, count, i & 1 ? 0x1p-30 : 0x1p28);
  }
}

static const check_test tests[] = {
    {"hulls_of_tiny_grids_with_heavy_ties_are_the_brute_force_hulls",
     hulls_of_tiny_grids_with_heavy_ties_are_the_brute_force_hulls},
    {"hulls_of_wider_grids_are_the_brute_force_hulls",
     hulls_of_wider_grids_are_the_brute_force_hulls},
    {"hulls_of_sheared_grids_are_the_brute_force_hulls",
     hulls_of_sheared_grids_are_the_brute_force_hulls},
    {"scaled_grids_keep_vertices_and_ranks", scaled_grids_keep_vertices_and_ranks},
};

CHECK_MAIN(tests)
