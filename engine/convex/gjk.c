/* Distance of two cores. */
#include "convex/gjk.h"
#include "base/simd_lanes.h"

#include <assert.h>

/* The descent stops when the bracket is this part of the round-off of the contract; it mostly closes completely. */
#define STOP_FRACTION 0.125
/* Its points may be off the line of the normal by this part. */
#define CARRY_FRACTION 0.0625
/* A depth of this part of the difference's size is no matter of rounding. */
#define CLEAR_FRACTION 0x1p-20
/* Rounds without gain in value before the arithmetic is held to be at its end. */
#define IDLE_ROUNDS_MAX 8

/* Two hulls are the pair that takes most steps: no kinds to be told apart at each of them. */
static inline ct_vec3 hull_point(const ct_convex_proxy *proxy, ct_vec3 direction, uint32_t *near) {
  const ct_hull_view *view = proxy->view;
  uint32_t v = ct_hull_support(proxy->hull, proxy->turned ? ct_mat_tmul(proxy->rotation, direction) : direction, *near);
  *near = v;
  ct_vec3 p = ct_vec(view->x[v], view->y[v], view->z[v]);
  return proxy->turned ? ct_add(ct_mat_mul(proxy->rotation, p), proxy->center) : p;
}

static void support(const ct_convex_proxy *a, const ct_convex_proxy *b, ct_vec3 normal, uint32_t near[2], ct_minkowski_vertex *m) {
  if (a->kind == CT_PROXY_HULL && b->kind == CT_PROXY_HULL) {
    m->a = hull_point(a, normal, &near[0]);
    m->b = hull_point(b, ct_neg(normal), &near[1]);
    m->radius = 0.0;
  } else {
    double radius_a, radius_b;
    m->a = ct_proxy_point(a, normal, &near[0], &radius_a);
    m->b = ct_proxy_point(b, ct_neg(normal), &near[1], &radius_b);
    bool tapered = ct_proxy_is_tapered(a) || ct_proxy_is_tapered(b), smooth = tapered && ct_proxies_are_curved(a, b);
    m->radius = tapered && !smooth ? radius_a + radius_b : 0.0;
    if (smooth) {
      ct_vec3 n = ct_unit_or(normal, normal);
      if (ct_proxy_is_tapered(a)) m->a = ct_add_scaled(m->a, n, radius_a);
      if (ct_proxy_is_tapered(b)) m->b = ct_add_scaled(m->b, n, -radius_b);
    }
  }
  m->index_a = near[0];
  m->index_b = near[1];
  m->w = ct_sub(m->b, m->a);
}

ct_minkowski_vertex ct_minkowski_support(const ct_convex_proxy *a, const ct_convex_proxy *b, ct_vec3 normal, uint32_t near[2]) {
  ct_minkowski_vertex m;
  support(a, b, normal, near, &m);
  return m;
}

double ct_minkowski_size(const ct_convex_proxy *a, const ct_convex_proxy *b) {
  return ct_norm(ct_sub(b->middle, a->middle)) + a->size + b->size;
}

double ct_roundoff(const ct_convex_proxy *a, const ct_convex_proxy *b, double distance) {
  return CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * (ct_proxy_scale(a, b) + fabs(distance));
}

/* The vertices of a hull that fills the lanes once at most, in the frame of the pair. */
typedef struct few {
  const double *x, *y, *z;
  _Alignas(ct_lanes) double placed[3][CT_HULL_LANES];
} few;

typedef struct run {
  ct_gjk *gjk;
  double grid;
  uint32_t near[2];
  bool small; /* are both bodies such hulls? */
  few of[2];
} run;

static bool is_small(const ct_convex_proxy *proxy) {
  return proxy->kind == CT_PROXY_HULL && proxy->view->vertex_count <= CT_HULL_LANES;
}

static inline ct_lanes place_row(ct_vec3 row, double center, const ct_hull_view *view, int i) {
  return row.x * ct_lanes_load(view->x + i) + row.y * ct_lanes_load(view->y + i) + row.z * ct_lanes_load(view->z + i) + center;
}

/* Each coordinate as ct_proxy_vertex has it. */
static inline void place_few(const ct_convex_proxy *proxy, few *out) {
  const ct_hull_view *view = proxy->view;
  out->x = proxy->turned ? out->placed[0] : view->x;
  out->y = proxy->turned ? out->placed[1] : view->y;
  out->z = proxy->turned ? out->placed[2] : view->z;
  for (int i = 0; i < CT_HULL_LANES && proxy->turned; i += 2) {
    ct_lanes_store(out->placed[0] + i, place_row(proxy->rotation.rx, proxy->center.x, view, i));
    ct_lanes_store(out->placed[1] + i, place_row(proxy->rotation.ry, proxy->center.y, view, i));
    ct_lanes_store(out->placed[2] + i, place_row(proxy->rotation.rz, proxy->center.z, view, i));
  }
}

static inline ct_vec3 few_point(const few *f, ct_vec3 direction, uint32_t *index) {
  uint32_t v = ct_lanes_farthest(f->x, f->y, f->z, direction);
  *index = v;
  return ct_vec(f->x[v], f->y[v], f->z[v]);
}

static inline void next_vertex(run *r, ct_vec3 normal, ct_minkowski_vertex *m) {
  if (r->small) {
    m->a = few_point(&r->of[0], normal, &m->index_a);
    m->b = few_point(&r->of[1], ct_neg(normal), &m->index_b);
    m->w = ct_sub(m->b, m->a);
    m->radius = 0.0;
  } else {
    support(r->gjk->a, r->gjk->b, normal, r->near, m);
  }
  if (r->gjk->exact) m->w = ct_round_to_grid(m->w, r->grid);
  r->gjk->supports++;
}

static bool in_simplex(const ct_simplex *s, const ct_minkowski_vertex *m) {
  bool found = false;
  for (int i = 0; i < s->count; i++) found |= (s->vertex[i].index_a == m->index_a) & (s->vertex[i].index_b == m->index_b);
  return found;
}

static ct_vec3 first_direction(const ct_gjk *g) {
  if (ct_max_abs(g->first) > 0.0) return ct_unit_or(g->first, g->first);
  return ct_unit_or(ct_sub(g->b->middle, g->a->middle), ct_vec(1.0, 0.0, 0.0));
}

static void begin(run *r) {
  ct_gjk *g = r->gjk;
  g->supports = 0;
  g->exact = g->weighed = false;
  r->small = is_small(g->a) && is_small(g->b);
  if (r->small) {
    place_few(g->a, &r->of[0]);
    place_few(g->b, &r->of[1]);
  }
  ct_vec3 n = first_direction(g);
  g->simplex.count = 1;
  next_vertex(r, n, &g->simplex.vertex[0]);
  g->lower = ct_dot(n, g->simplex.vertex[0].w) - g->simplex.vertex[0].radius;
  g->lower_normal = n;
}

static ct_proxy_points combine(const ct_gjk *g, const double weights[4]) {
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
  if (g->weighed) return combine(g, g->weights);
  double weights[4];
  ct_simplex_weights(&g->simplex, weights);
  return combine(g, weights);
}

/* Do the vertices carry the normal: is their weighted point on its line, at the distance of the value? A sliver may fix a normal
 * that is a fine bound and yet not its own. */
static bool carries(ct_gjk *g) {
  g->weighed = true;
  return ct_simplex_witness_error(&g->simplex, g->weights) <= CARRY_FRACTION * ct_roundoff(g->a, g->b, g->simplex.value);
}

/* Finds the normal of the simplex anew. */
static bool solve(ct_gjk *g, bool newest_only) {
  g->weighed = false;
  return ct_simplex_solve(&g->simplex, newest_only, g->exact);
}

/* From here on all vertices are on a grid and cross products are exact. False if that was so already. */
static bool turn_exact(run *r) {
  ct_gjk *g = r->gjk;
  if (g->exact) return false;
  g->exact = true;
  r->grid = ct_grid(ct_minkowski_size(g->a, g->b));
  for (int i = 0; i < g->simplex.count; i++) g->simplex.vertex[i].w = ct_round_to_grid(g->simplex.vertex[i].w, r->grid);
  return solve(g, false);
}

static bool tapered(const ct_gjk *g) { return ct_proxy_is_tapered(g->a) || ct_proxy_is_tapered(g->b); }

/* Does the simplex say that no tangent plane separates? The cores meet; or, for a tapered pair, the plane found is not carried by
 * the vertices that fix it, because the optimum lies inside the ball of normals. */
static bool inside(const ct_gjk *g) {
  const ct_simplex *s = &g->simplex;
  double roundoff = ct_roundoff(g->a, g->b, 0.0);
  if (!tapered(g)) return s->value <= roundoff;
  ct_gjk carried = *g;
  carried.weighed = false;
  ct_simplex_reduce(&carried.simplex);
  ct_proxy_points p = ct_gjk_points(&carried);
  return s->value + p.radius_a + p.radius_b <= roundoff || !carries(&carried);
}

/* Do four vertices hold the origin so deep that rounding has no say? Signs and depths by plain normals, which slivers would spoil.
 */
static bool holds_origin(const ct_simplex *s, double clear) {
  if (s->count < 4) return false;
  for (int skip = 0; skip < 4; skip++) {
    ct_vec3 p = s->vertex[(skip + 1) % 4].w, q = s->vertex[(skip + 2) % 4].w, r = s->vertex[(skip + 3) % 4].w;
    ct_vec3 n = ct_cross(ct_sub(q, p), ct_sub(r, p));
    double to_origin = -ct_dot(n, p), to_vertex = ct_dot(n, ct_sub(s->vertex[skip].w, p)), square = to_origin * to_origin;
    if (!(to_origin * to_vertex > 0.0) || !(square > clear * clear * ct_norm2(n))) return false;
  }
  return true;
}

/* The last word on a descent that cannot go on. */
static ct_gjk_outcome finish(ct_gjk *g) {
  if (inside(g)) return CT_GJK_INSIDE;
  g->weighed = false;
  ct_simplex_reduce(&g->simplex);
  return g->simplex.value - g->lower <= ct_roundoff(g->a, g->b, g->simplex.value) ? CT_GJK_SEPARATED : CT_GJK_STALLED;
}

/* Is the distance above the threshold beyond doubt? The lower bound has the round-off of its own support and sum, so it may be a
 * little above the distance that a full descent would give. */
static bool beyond(const ct_gjk *g) { return g->lower > g->threshold + ct_roundoff(g->a, g->b, g->lower); }

/* One support along the simplex's normal: better lower bound, and the vertex that shows it. */
static double descend(run *r, ct_minkowski_vertex *m) {
  ct_gjk *g = r->gjk;
  next_vertex(r, g->simplex.normal, m);
  double low = ct_dot(g->simplex.normal, m->w) - m->radius;
  if (low > g->lower) {
    g->lower = low;
    g->lower_normal = g->simplex.normal;
  }
  return low;
}

ct_gjk_outcome ct_gjk_run(ct_gjk *g) {
  run r;
  r.gjk = g;
  r.grid = 0.0;
  r.near[0] = r.near[1] = 0;
  begin(&r);
  ct_simplex *s = &g->simplex;
  if (beyond(g)) return CT_GJK_BEYOND;
  if (!solve(g, false)) {
    s->normal = g->lower_normal;
    return CT_GJK_INSIDE;
  }
  int idle = 0;
  double clear = CLEAR_FRACTION * ct_minkowski_size(g->a, g->b);
  for (int round = 0; round < CT_GJK_ITERATIONS_MAX; round++) {
    if (s->value < 0.0 && !tapered(g)) {
      if (holds_origin(s, clear)) return g->enough > -INFINITY ? CT_GJK_WITHIN : CT_GJK_INSIDE;
      s->value = -ct_simplex_depth(s);
    }
    bool met = inside(g);
    if (met && s->value >= g->enough && turn_exact(&r)) {
      if (s->value < 0.0 && !tapered(g)) s->value = -ct_simplex_depth(s);
      met = inside(g);
    }
    if (s->value < g->enough && !(met && tapered(g))) return CT_GJK_WITHIN;
    if (met) return CT_GJK_INSIDE;
    ct_simplex_reduce(s);
    g->weighed = false;
    assert(s->count < 4 && "three vertices at most fix a normal");
    double before = s->value, low = descend(&r, &s->vertex[s->count]);
    if (beyond(g)) return CT_GJK_BEYOND;
    if (before - low <= STOP_FRACTION * ct_roundoff(g->a, g->b, before)) {
      if (carries(g) || !turn_exact(&r)) return CT_GJK_SEPARATED;
      continue;
    }
    bool repeated = in_simplex(s, &s->vertex[s->count]);
    if (!repeated) {
      s->count++;
      if (!solve(g, true)) return CT_GJK_STALLED;
      /* Another vertex cannot raise the value: the region of a sliver was misjudged, and the descent would go in a circle. */
      if (s->value > before + ct_roundoff(g->a, g->b, before) && !turn_exact(&r)) return finish(g);
    }
    /* A value at rest still lets the normal turn, so a few such rounds are allowed. Then either only round-off is left between
     * the bounds, or the plain arithmetic has reached its end and the exact one takes over. */
    idle = s->value < before ? 0 : idle + 1;
    if (!repeated && idle <= IDLE_ROUNDS_MAX) continue;
    bool closed = s->value - g->lower <= ct_roundoff(g->a, g->b, s->value);
    if ((closed && s->count < 4 && carries(g)) || !turn_exact(&r)) return finish(g);
    idle = 0;
  }
  return finish(g);
}

ct_proxy_points ct_gjk_nearest(ct_gjk *g) {
  double weights[4];
  ct_simplex_nearest(&g->simplex, weights);
  return combine(g, weights);
}
