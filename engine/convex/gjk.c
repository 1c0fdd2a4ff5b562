/* GJK on the dual problem (convex/simplex.h): support evaluation, start, descent with exact
 * arithmetic as fallback, and classification of the outcome. Pairs of small hulls use SIMD
 * lanes. */
#include "convex/gjk.h"
#include "base/simd_lanes.h"

#include <assert.h>

/* GJK stops when its bounds differ by at most this fraction of ct_roundoff, so that the round-off
 * of witness points and of transformations still fits into it. Mostly the bounds become equal. */
#define STOP_FRACTION 0.125
/* Fraction of ct_roundoff by which the simplex's closest point may miss the line of the normal. */
#define CARRY_FRACTION 0.0625
/* An overlap deeper than this fraction of the Minkowski difference's size cannot be due to
 * round-off. */
#define CLEAR_FRACTION 0x1p-20
/* Largest number of iterations without a decrease of the value; then round-off prevents
 * progress. */
#define IDLE_ITERATIONS_MAX 8

/* Support point of a hull. Hull pairs need the most iterations, so they avoid the dispatch by
 * kind. */
static inline ct_vec3 find_hull_support(const ct_convex_proxy *proxy, ct_vec3 direction,
                                        uint32_t *hint) {
  const ct_hull_view *view = proxy->view;
  uint32_t v = ct_hull_support(
      proxy->hull, proxy->turned ? ct_mat_tmul(proxy->rotation, direction) : direction, *hint);
  *hint = v;
  ct_vec3 p = ct_vec(view->x[v], view->y[v], view->z[v]);
  return proxy->turned ? ct_add(ct_mat_mul(proxy->rotation, p), proxy->center) : p;
}

static void find_minkowski_support(const ct_convex_proxy *a, const ct_convex_proxy *b,
                                   ct_vec3 normal, uint32_t hint[2], ct_minkowski_vertex *m) {
  if (a->kind == CT_PROXY_HULL && b->kind == CT_PROXY_HULL) {
    m->a = find_hull_support(a, normal, &hint[0]);
    m->b = find_hull_support(b, ct_neg(normal), &hint[1]);
    m->radius = 0.0;
  } else {
    double radius_a, radius_b;
    m->a = ct_proxy_point(a, normal, &hint[0], &radius_a);
    m->b = ct_proxy_point(b, ct_neg(normal), &hint[1], &radius_b);
    bool tapered = ct_proxy_is_tapered(a) || ct_proxy_is_tapered(b),
         smooth = tapered && ct_proxies_are_curved(a, b);
    m->radius = tapered && !smooth ? radius_a + radius_b : 0.0;
    if (smooth) {
      ct_vec3 n = ct_unit_or(normal, normal);
      if (ct_proxy_is_tapered(a)) m->a = ct_add_scaled(m->a, n, radius_a);
      if (ct_proxy_is_tapered(b)) m->b = ct_add_scaled(m->b, n, -radius_b);
    }
  }
  m->index_a = hint[0];
  m->index_b = hint[1];
  m->w = ct_sub(m->b, m->a);
}

ct_minkowski_vertex ct_minkowski_support(const ct_convex_proxy *a, const ct_convex_proxy *b,
                                         ct_vec3 normal, uint32_t hint[2]) {
  ct_minkowski_vertex m;
  find_minkowski_support(a, b, normal, hint, &m);
  return m;
}

double ct_minkowski_size(const ct_convex_proxy *a, const ct_convex_proxy *b) {
  return ct_norm(ct_sub(b->middle, a->middle)) + a->size + b->size;
}

double ct_roundoff(const ct_convex_proxy *a, const ct_convex_proxy *b, double distance) {
  return CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * (ct_proxy_scale(a, b) + fabs(distance));
}

/* Vertices of a hull with at most CT_HULL_LANES of them, in the frame of the pair. */
typedef struct small_hull {
  const double *x, *y, *z;
  _Alignas(ct_lanes) double placed[3][CT_HULL_LANES];
} small_hull;

typedef struct gjk_state {
  ct_gjk *gjk;
  double grid;
  uint32_t hint[2];
  /* true if both bodies are small hulls, that is, have at most CT_HULL_LANES vertices */
  bool small;
  small_hull hulls[2];
} gjk_state;

static bool is_small_hull(const ct_convex_proxy *proxy) {
  return proxy->kind == CT_PROXY_HULL && proxy->view->vertex_count <= CT_HULL_LANES;
}

static inline ct_lanes transform_lane_row(ct_vec3 row, double center, const ct_hull_view *view,
                                          int i) {
  return row.x * ct_lanes_load(view->x + i) + row.y * ct_lanes_load(view->y + i) +
         row.z * ct_lanes_load(view->z + i) + center;
}

/* Transforms a small hull's vertices to the pair's frame, with the same bits as ct_proxy_vertex. */
static inline void transform_small_hull(const ct_convex_proxy *proxy, small_hull *out) {
  const ct_hull_view *view = proxy->view;
  out->x = proxy->turned ? out->placed[0] : view->x;
  out->y = proxy->turned ? out->placed[1] : view->y;
  out->z = proxy->turned ? out->placed[2] : view->z;
  for (int i = 0; i < CT_HULL_LANES && proxy->turned; i += 2) {
    ct_lanes_store(out->placed[0] + i,
                   transform_lane_row(proxy->rotation.rx, proxy->center.x, view, i));
    ct_lanes_store(out->placed[1] + i,
                   transform_lane_row(proxy->rotation.ry, proxy->center.y, view, i));
    ct_lanes_store(out->placed[2] + i,
                   transform_lane_row(proxy->rotation.rz, proxy->center.z, view, i));
  }
}

static inline ct_vec3 find_small_hull_support(const small_hull *hull, ct_vec3 direction,
                                              uint32_t *index) {
  uint32_t v = ct_lanes_farthest(hull->x, hull->y, hull->z, direction);
  *index = v;
  return ct_vec(hull->x[v], hull->y[v], hull->z[v]);
}

static inline void evaluate_support(gjk_state *r, ct_vec3 normal, ct_minkowski_vertex *m) {
  if (r->small) {
    m->a = find_small_hull_support(&r->hulls[0], normal, &m->index_a);
    m->b = find_small_hull_support(&r->hulls[1], ct_neg(normal), &m->index_b);
    m->w = ct_sub(m->b, m->a);
    m->radius = 0.0;
  } else {
    find_minkowski_support(r->gjk->a, r->gjk->b, normal, r->hint, m);
  }
  if (r->gjk->exact) m->w = ct_round_to_grid(m->w, r->grid);
  r->gjk->supports++;
}

static bool simplex_contains_vertex(const ct_simplex *s, const ct_minkowski_vertex *m) {
  bool found = false;
  for (int i = 0; i < s->count; i++)
    found |= (s->vertex[i].index_a == m->index_a) & (s->vertex[i].index_b == m->index_b);
  return found;
}

static ct_vec3 choose_initial_direction(const ct_gjk *g) {
  if (ct_max_abs(g->first) > 0.0) return ct_unit_or(g->first, g->first);
  return ct_unit_or(ct_sub(g->b->middle, g->a->middle), ct_vec(1.0, 0.0, 0.0));
}

static void start_gjk(gjk_state *r) {
  ct_gjk *g = r->gjk;
  g->supports = 0;
  g->exact = g->has_weights = false;
  r->small = is_small_hull(g->a) && is_small_hull(g->b);
  if (r->small) {
    transform_small_hull(g->a, &r->hulls[0]);
    transform_small_hull(g->b, &r->hulls[1]);
  }
  ct_vec3 n = choose_initial_direction(g);
  g->simplex.count = 1;
  evaluate_support(r, n, &g->simplex.vertex[0]);
  g->lower = ct_dot(n, g->simplex.vertex[0].w) - g->simplex.vertex[0].radius;
  g->lower_normal = n;
}

static ct_proxy_points combine_vertices(const ct_gjk *g, const double weights[4]) {
  assert(g->simplex.count >= 1 && g->simplex.count <= 4);
  ct_proxy_points p = {.radius_a = 0.0};
  for (int i = 0; i < g->simplex.count; i++) {
    const ct_minkowski_vertex *m = &g->simplex.vertex[i];
    p.a = ct_add_scaled(p.a, m->a, weights[i]);
    p.b = ct_add_scaled(p.b, m->b, weights[i]);
    p.radius_a += weights[i] * ct_proxy_vertex_radius(g->a, m->index_a);
    p.radius_b += weights[i] * ct_proxy_vertex_radius(g->b, m->index_b);
  }
  return p;
}

ct_proxy_points ct_gjk_points(const ct_gjk *g) {
  if (g->has_weights) return combine_vertices(g, g->weights);
  double weights[4];
  ct_simplex_weights(&g->simplex, weights);
  return combine_vertices(g, weights);
}

/* True if the simplex's closest point is on the line of the normal, at the distance `value`. For a
 * sliver, the normal may be valid for a bound without being the closest direction. */
static bool supports_normal(ct_gjk *g) {
  g->has_weights = true;
  return ct_simplex_witness_error(&g->simplex, g->weights) <=
         CARRY_FRACTION * ct_roundoff(g->a, g->b, g->simplex.value);
}

/* Recomputes the normal of the simplex. */
static bool solve_simplex(ct_gjk *g, bool newest_only) {
  g->has_weights = false;
  return ct_simplex_solve(&g->simplex, newest_only, g->exact);
}

/* Switches to points on a grid and exact cross products for the rest of the run. Returns false if
 * the run has already switched, or the simplex has no normal then. */
static bool switch_to_exact(gjk_state *r) {
  ct_gjk *g = r->gjk;
  if (g->exact) return false;
  g->exact = true;
  r->grid = ct_grid(ct_minkowski_size(g->a, g->b));
  for (int i = 0; i < g->simplex.count; i++)
    g->simplex.vertex[i].w = ct_round_to_grid(g->simplex.vertex[i].w, r->grid);
  return solve_simplex(g, false);
}

static bool is_tapered_pair(const ct_gjk *g) {
  return ct_proxy_is_tapered(g->a) || ct_proxy_is_tapered(g->b);
}

/* True if no tangent plane separates the cores, so that they overlap. For a tapered pair also true
 * if the simplex does not support its normal, because the optimum is then no tangent plane. */
static bool is_inside(const ct_gjk *g) {
  const ct_simplex *s = &g->simplex;
  double roundoff = ct_roundoff(g->a, g->b, 0.0);
  if (!is_tapered_pair(g)) return s->value <= roundoff;
  ct_gjk reduced = *g;
  reduced.has_weights = false;
  ct_simplex_reduce(&reduced.simplex);
  ct_proxy_points p = ct_gjk_points(&reduced);
  return s->value + p.radius_a + p.radius_b <= roundoff || !supports_normal(&reduced);
}

/* True if a tetrahedron contains the origin by more than `clear`. Uses rounded normals; slivers
 * fail the test and are decided with exact arithmetic. */
static bool contains_origin_clearly(const ct_simplex *s, double clear) {
  if (s->count < 4) return false;
  for (int skip = 0; skip < 4; skip++) {
    ct_vec3 p = s->vertex[(skip + 1) % 4].w, q = s->vertex[(skip + 2) % 4].w,
            r = s->vertex[(skip + 3) % 4].w;
    ct_vec3 n = ct_cross(ct_sub(q, p), ct_sub(r, p));
    double to_origin = -ct_dot(n, p), to_vertex = ct_dot(n, ct_sub(s->vertex[skip].w, p)),
           square = to_origin * to_origin;
    if (!(to_origin * to_vertex > 0.0) || !(square > clear * clear * ct_norm2(n))) return false;
  }
  return true;
}

/* Classifies a GJK that makes no more progress: the cores overlap, are separated, or the bounds
 * still differ by more than round-off. */
static ct_gjk_outcome classify_stalled_gjk(ct_gjk *g) {
  if (is_inside(g)) return CT_GJK_INSIDE;
  g->has_weights = false;
  ct_simplex_reduce(&g->simplex);
  return g->simplex.value - g->lower <= ct_roundoff(g->a, g->b, g->simplex.value) ? CT_GJK_SEPARATED
                                                                                  : CT_GJK_STALLED;
}

/* True if the distance certainly exceeds the threshold. The lower bound has round-off of its own,
 * so it may slightly exceed the distance of a full run. */
static bool exceeds_threshold(const ct_gjk *g) {
  return g->lower > g->threshold + ct_roundoff(g->a, g->b, g->lower);
}

/* Evaluates one support along the simplex's normal, writes its vertex to *m and raises the lower
 * bound. Returns the lower bound along this normal. */
static double refine_lower_bound(gjk_state *r, ct_minkowski_vertex *m) {
  ct_gjk *g = r->gjk;
  evaluate_support(r, g->simplex.normal, m);
  double low = ct_dot(g->simplex.normal, m->w) - m->radius;
  if (low > g->lower) {
    g->lower = low;
    g->lower_normal = g->simplex.normal;
  }
  return low;
}

ct_gjk_outcome ct_gjk_run(ct_gjk *g) {
  assert(g->a && g->b);
  assert(!isnan(g->threshold) && !isnan(g->enough));
  /* Start with one vertex. */
  gjk_state r;
  r.gjk = g;
  r.grid = 0.0;
  r.hint[0] = r.hint[1] = 0;
  start_gjk(&r);
  ct_simplex *s = &g->simplex;
  if (exceeds_threshold(g)) return CT_GJK_BEYOND;
  if (!solve_simplex(g, false)) {
    s->normal = g->lower_normal;
    return CT_GJK_INSIDE;
  }
  int idle = 0;
  double clear = CLEAR_FRACTION * ct_minkowski_size(g->a, g->b);
  for (int iteration = 0; iteration < CT_GJK_ITERATIONS_MAX; iteration++) {
    /* A tetrahedron contains the origin: the cores overlap clearly, or its depth decides. */
    if (s->value < 0.0 && !is_tapered_pair(g)) {
      if (contains_origin_clearly(s, clear))
        return g->enough > -INFINITY ? CT_GJK_WITHIN : CT_GJK_INSIDE;
      s->value = -ct_simplex_depth(s);
    }
    /* An overlap found with rounded arithmetic has to be confirmed with exact arithmetic. */
    bool overlapping = is_inside(g);
    if (overlapping && s->value >= g->enough && switch_to_exact(&r)) {
      if (s->value < 0.0 && !is_tapered_pair(g)) s->value = -ct_simplex_depth(s);
      overlapping = is_inside(g);
    }
    if (s->value < g->enough && !(overlapping && is_tapered_pair(g))) return CT_GJK_WITHIN;
    if (overlapping) return CT_GJK_INSIDE;
    ct_simplex_reduce(s);
    g->has_weights = false;
    assert(s->count < 4 && "three vertices at most fix a normal");
    /* Evaluate the support along the normal; stop if the bounds are close enough. */
    double before = s->value, low = refine_lower_bound(&r, &s->vertex[s->count]);
    if (exceeds_threshold(g)) return CT_GJK_BEYOND;
    if (before - low <= STOP_FRACTION * ct_roundoff(g->a, g->b, before)) {
      if (supports_normal(g) || !switch_to_exact(&r)) return CT_GJK_SEPARATED;
      continue;
    }
    /* Add the new vertex and solve the simplex. */
    bool repeated = simplex_contains_vertex(s, &s->vertex[s->count]);
    if (!repeated) {
      s->count++;
      if (!solve_simplex(g, true)) return CT_GJK_STALLED;
      /* A new vertex cannot increase the value. If it does, a sliver's region was misjudged, and
       * GJK would cycle. */
      if (s->value > before + ct_roundoff(g->a, g->b, before) && !switch_to_exact(&r))
        return classify_stalled_gjk(g);
    }
    /* The normal may still rotate while the value stagnates, so a few idle iterations are allowed.
     * Then either the bounds are equal up to round-off, or the run continues with exact
     * arithmetic. */
    idle = s->value < before ? 0 : idle + 1;
    if (!repeated && idle <= IDLE_ITERATIONS_MAX) continue;
    bool closed = s->value - g->lower <= ct_roundoff(g->a, g->b, s->value);
    if ((closed && s->count < 4 && supports_normal(g)) || !switch_to_exact(&r))
      return classify_stalled_gjk(g);
    idle = 0;
  }
  return classify_stalled_gjk(g);
}

ct_proxy_points ct_gjk_nearest(ct_gjk *g) {
  assert(g->simplex.count >= 1 && g->simplex.count <= 4);
  double weights[4];
  ct_simplex_nearest(&g->simplex, weights);
  return combine_vertices(g, weights);
}
