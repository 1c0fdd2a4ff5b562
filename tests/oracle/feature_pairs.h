/* Shared by the tests of crossing edges: sets of edge pairs, the engine's answer as a set, and
 * random seeds. */
#ifndef TESTS_FEATURE_PAIRS_H
#define TESTS_FEATURE_PAIRS_H

#include "tests/support/meshes.h"
#include "tests/support/workspace.h"

#include <time.h>

enum { PAIRS_MAX = 256 };

typedef struct edge_pair {
  uint32_t a[2], b[2];
} edge_pair;

typedef struct pair_set {
  edge_pair items[PAIRS_MAX];
  size_t count;
} pair_set;

static inline void sort_two(uint32_t v[2]) {
  if (v[0] <= v[1]) return;
  uint32_t low = v[1];
  v[1] = v[0];
  v[0] = low;
}

static inline void add_pair(pair_set *s, edge_pair p) {
  sort_two(p.a);
  sort_two(p.b);
  for (size_t i = 0; i < s->count; i++)
    if (memcmp(&s->items[i], &p, sizeof p) == 0) return;
  if (s->count == PAIRS_MAX) abort();
  s->items[s->count++] = p;
}

static inline bool has_pair(const pair_set *s, const edge_pair *p) {
  for (size_t i = 0; i < s->count; i++)
    if (memcmp(&s->items[i], p, sizeof *p) == 0) return true;
  return false;
}

static inline ct_features query(const ct_mesh *a, const ct_frame *frame_a, const ct_mesh *b,
                                const ct_frame *frame_b) {
  const ct_shape shape[2] = {{.kind = CT_KIND_MESH, .mesh = a}, {.kind = CT_KIND_MESH, .mesh = b}};
  const ct_features_options options = {0};
  ct_features out;
  ct_pair_features((ct_placed){&shape[0], frame_a}, (ct_placed){&shape[1], frame_b}, &options,
                   workspace, &out);
  CHECK_INT(out.status, CT_FEATURES_OK);
  return out;
}

static inline pair_set edges_of(const ct_features *f) {
  pair_set out = {.count = 0};
  for (size_t i = 0; i < f->count; i++) {
    const ct_pair_feature *p = &f->items[i];
    if (p->kind != CT_PAIR_FEATURE_EDGE_EDGE) continue;
    size_t before = out.count;
    add_pair(&out, (edge_pair){{p->edge_a[0], p->edge_a[1]}, {p->edge_b[0], p->edge_b[1]}});
    CHECK_INT(out.count, before + 1); /* no pair is reported twice */
  }
  return out;
}

/* Returns whether the sets are equal. */
static inline bool compare_sets(const pair_set *got, const pair_set *wanted, uint64_t seed) {
  bool same = got->count == wanted->count;
  for (size_t i = 0; i < wanted->count; i++) same = has_pair(got, &wanted->items[i]) && same;
  if (!same)
    CHECK_FAIL("case of state %llu: %zu pairs, should be %zu", (unsigned long long)seed, got->count,
               wanted->count);
  return same;
}

static inline double segment_distance(ct_vec3 p, ct_vec3 q, ct_vec3 r, ct_vec3 s) {
  /* The distance is convex in each parameter: alternating projections with exact line steps, then
   * all end points. */
  double best = INFINITY;
  ct_vec3 d = ct_sub(q, p), e = ct_sub(s, r), w = ct_sub(p, r);
  double a = ct_dot(d, d), b = ct_dot(d, e), c = ct_dot(e, e), det = a * c - b * b;
  double at[5][2] = {{0, 0}, {0, 0}, {1, 0}, {0, 0}, {0, 1}};
  int count = 5;
  at[0][0] = det > 0 ? (b * ct_dot(e, w) - c * ct_dot(d, w)) / det : 2;
  at[0][1] = det > 0 ? (a * ct_dot(e, w) - b * ct_dot(d, w)) / det : 2;
  at[1][1] = ct_dot(e, w) / c;
  at[2][1] = (ct_dot(e, w) + b) / c;
  at[3][0] = -ct_dot(d, w) / a;
  at[4][0] = (b - ct_dot(d, w)) / a;
  for (int i = 0; i < count; i++) {
    if (i == 0 && (at[0][0] < 0 || at[0][0] > 1 || at[0][1] < 0 || at[0][1] > 1)) continue;
    double x = fmin(fmax(at[i][0], 0), 1), y = fmin(fmax(at[i][1], 0), 1);
    best = fmin(best, ct_norm(ct_sub(ct_add_scaled(p, d, x), ct_add_scaled(r, e, y))));
  }
  return best;
}

/* The points lie on the named edges, no other points of the edges are nearer, and normal and
 * distance lead from one point to the other. */
static inline void check_points(const ct_features *f, const ct_mesh *a, const ct_frame *frame_a,
                                const ct_mesh *b, const ct_frame *frame_b) {
  for (size_t i = 0; i < f->count; i++) {
    const ct_pair_feature *p = &f->items[i];
    if (p->kind != CT_PAIR_FEATURE_EDGE_EDGE) continue;
    ct_vec3 v[4];
    for (int k = 0; k < 2; k++) {
      v[k] = ct_to_parent(*frame_a, ct_mesh_get(a)->vertices[p->edge_a[k]]);
      v[2 + k] = ct_to_parent(*frame_b, ct_mesh_get(b)->vertices[p->edge_b[k]]);
    }
    double size = 1 + ct_norm(v[0]) + ct_norm(v[2]);
    CHECK_NEAR(segment_distance(v[0], v[1], p->a.point, p->a.point), 0, 1e-13 * size);
    CHECK_NEAR(segment_distance(v[2], v[3], p->b.point, p->b.point), 0, 1e-13 * size);
    CHECK(-p->distance >= segment_distance(v[0], v[1], v[2], v[3]) - 1e-13 * size);
    CHECK_NEAR(ct_norm(ct_sub(ct_sub(p->b.point, p->a.point), ct_scale(p->normal, p->distance))), 0,
               1e-13 * size);
  }
}

static const ct_frame home = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};

static inline int whole(check_random *r, int low, int high) {
  return low + (int)(check_next(r) % (uint64_t)(high - low + 1));
}

/* ---- cases ---------------------------------------------------------------------------------- */

static inline long cases(long few) { return getenv("CONTACTD_FULL") ? 10000 : few; }

static inline check_random seeded(uint64_t fixed) {
  const char *given = getenv("CONTACTD_SEED");
  if (given) fixed = strtoull(given, NULL, 10);
  else if (getenv("CONTACTD_FULL")) fixed = (uint64_t)time(NULL) * 1000003u + fixed;
  printf("seed %llu\n", (unsigned long long)fixed);
  return (check_random){fixed};
}

#endif
