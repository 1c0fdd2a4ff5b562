/* Depth features of two solid meshes: deepest vertices by branch and bound, deepest sections of
 * edges between their crossings, normals of touching bodies. */
#include "mesh_pairs/mesh_depth.h"

#include "mesh/mesh_support.h"
#include "pair/convex_proxy.h"

#include <assert.h>
#include <stdlib.h>

/* Number of slots of a cache of recently evaluated vertices; the slot is the vertex index modulo
 * this. A vertex belongs to approximately six triangles, most of them in the same leaf or its
 * neighbours. */
#define RECENT 64u
#define STACK_SIZE (CT_MESH_DEPTH_MAX + 4)
/* Limit of the number of evaluated normals of touching triangles, and of the pairs of triangles
 * that supply them. */
#define NORMALS_MAX 32
#define NORMAL_PAIRS_MAX 4096
/* Cost of evaluating a point against a solid in steps of 100 ns, for polling the cancel flag: up to
 * 100 us on the surface, where many triangles are near and the predicates are exact. */
#define POINT_STEPS 1024
/* A vertex less deep than this fraction of the smaller mesh's radius counts as being on the
 * surface: edges and triangles are then evaluated too. The feature of flush bodies thus does not
 * depend on the round-off of their position. */
#define FLUSH 1e-6
/* Squared distance of two unit normals up to which they are equal. */
#define SAME_NORMAL2 1e-20

/* ---- the greatest value over vertices ------------------------------------------------------- */

typedef struct value_search {
  const ct_mesh_view *view;
  ct_mesh_scratch *memory;
  ct_mesh_value value;
  void *context;
  ct_lipschitz_function peak;
  double floor;
  uint32_t recent[RECENT]; /* vertex index + 1 of each slot; 0: empty */
} value_search;

static double get_best_value(const value_search *c) { return ct_max2(c->peak.value, c->floor); }

static void test_leaf_vertices(value_search *c, const ct_mesh_node *leaf) {
  for (uint32_t i = leaf->first; i < leaf->first + leaf->count; i++) {
    for (int k = 0; k < 3; k++) {
      uint32_t vertex = c->view->corners[i][k];
      if (c->recent[vertex % RECENT] == vertex + 1) continue;
      c->recent[vertex % RECENT] = vertex + 1;
      double value = c->value(c->context, c->view->vertices[vertex], get_best_value(c));
      if (!(value > get_best_value(c))) continue;
      c->peak.value = value;
      c->peak.vertex = vertex;
      c->peak.position = i;
    }
  }
}

/* Returns the search node for a tree node. Its key is minus the upper bound of the vertices'
 * values, which is at most `above`. */
static ct_search_node bound_node_value(value_search *c, uint32_t node, double above) {
  const ct_mesh_node *n = &c->view->nodes[node];
  ct_vec3 middle = ct_scale(ct_add(n->box.min, n->box.max), 0.5);
  double bound = c->value(c->context, middle, get_best_value(c) - n->radius) + n->radius;
  return (ct_search_node){-ct_min2(bound, above), node, 0};
}

static void maximize_depth_first(value_search *c, ct_search_node w) {
  ct_search_node stack[STACK_SIZE];
  int top = 0;
  stack[top++] = w;
  while (top > 0 && !ct_mesh_is_cancelled(c->memory, POINT_STEPS)) {
    w = stack[--top];
    const ct_mesh_node *n = &c->view->nodes[w.a];
    if (!(-w.key > get_best_value(c))) continue;
    if (n->count > 0) {
      test_leaf_vertices(c, n);
      continue;
    }
    assert(top + 2 <= STACK_SIZE);
    for (uint32_t k = 0; k < 2; k++) stack[top++] = bound_node_value(c, n->first + k, -w.key);
  }
}

ct_lipschitz_function ct_mesh_maximize(const ct_mesh_view *view, ct_mesh_scratch *memory,
                                       double floor, ct_mesh_value value, void *context) {
  value_search c = {
      .view = view, .memory = memory, .value = value, .context = context, .floor = floor};
  c.peak = (ct_lipschitz_function){.value = -INFINITY, .bound = INFINITY};
  memory->count = 0;
  ct_search_node w = bound_node_value(&c, 0, INFINITY);
  if (!ct_search_heap_push(memory, w)) maximize_depth_first(&c, w);
  /* Best first: open the node with the greatest bound until no bound exceeds the best value. */
  while (memory->count > 0) {
    w = ct_search_heap_pop(memory);
    if (!(-w.key > get_best_value(&c))) break;
    const ct_mesh_node *n = &view->nodes[w.a];
    if (n->count > 0) test_leaf_vertices(&c, n);
    for (uint32_t k = 0; k < 2 && n->count == 0; k++) {
      ct_search_node child = bound_node_value(&c, n->first + k, -w.key);
      if (-child.key > get_best_value(&c) && !ct_search_heap_push(memory, child))
        maximize_depth_first(&c, child);
    }
    if (ct_mesh_is_cancelled(memory, POINT_STEPS)) {
      c.peak.stopped = true;
      c.peak.bound = -w.key;
      return c.peak;
    }
  }
  c.peak.bound = get_best_value(&c);
  return c.peak;
}

/* ---- depth in a solid mesh ------------------------------------------------------------------ */

typedef struct solid {
  const ct_mesh *mesh;
  const ct_mesh_view *view;
  const ct_frame *frame; /* pose of b in a's frame */
  bool second;           /* true: points are of b, and the solid is a */
  double sign;           /* +1: points are valued by their depth inside the solid; -1: by their
                            distance outside of it */
} solid;

static ct_vec3 to_solid_frame(const solid *s, ct_vec3 p) {
  return s->second ? ct_to_parent(*s->frame, p) : ct_to_local(*s->frame, p);
}

static double compute_point_box_distance(const ct_aabb *box, ct_vec3 p) {
  const ct_aabb point = {p, p};
  return sqrt(ct_norm2(ct_aabb_gaps(box, &point)));
}

static double compute_depth_in_solid(void *context, ct_vec3 point, double need) {
  const solid *s = context;
  ct_vec3 p = to_solid_frame(s, point);
  if (s->sign > 0.0) {
    double out = compute_point_box_distance(&s->view->box, p);
    if (out > 0.0 && -out <= need) return -out;
  }
  ct_mesh_foot foot;
  bool inside = ct_mesh_contains(s->mesh, p);
  if (s->sign > 0.0 && !inside) {
    /* Any bound that is at most `need` suffices. */
    if (!(need < 0.0) || !ct_mesh_nearest(s->mesh, p, -need, &foot)) return ct_min2(need, 0.0);
    return -foot.distance;
  }
  ct_mesh_nearest(s->mesh, p, INFINITY, &foot);
  return inside ? s->sign * foot.distance : -s->sign * foot.distance;
}

static solid make_solid_query(const ct_mesh_pair *p, bool second, double sign) {
  return (solid){second ? p->mesh_a : p->mesh_b, second ? p->a : p->b, &p->relative, second, sign};
}

static ct_lipschitz_function maximize_depth_in_solid(const ct_mesh_pair *p, bool second,
                                                     double sign, double floor) {
  solid s = make_solid_query(p, second, sign);
  return ct_mesh_maximize(second ? p->b : p->a, p->memory, floor, compute_depth_in_solid, &s);
}

double ct_mesh_pair_outside(const ct_mesh_pair *p, bool second) {
  double slack = CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * p->extent;
  ct_lipschitz_function peak = maximize_depth_in_solid(p, second, -1.0, slack);
  return peak.stopped ? INFINITY : peak.value;
}

double ct_mesh_pair_inside(const ct_mesh_pair *p, bool second) {
  double slack = CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * p->extent;
  return maximize_depth_in_solid(p, second, 1.0, slack).value;
}

/* ---- features ------------------------------------------------------------------------------- */

static ct_vec3 to_frame_of_a(const ct_mesh_pair *p, ct_vec3 v) {
  return ct_to_parent(p->relative, v);
}

/* Sets the feature for a point of one solid inside the other. The point is in its own mesh's frame;
 * `position` is that of its triangle in the leaves. */
static void set_point_feature(const ct_mesh_pair *p, bool second, ct_vec3 point, uint32_t position,
                              ct_mesh_feature *f) {
  solid s = make_solid_query(p, second, 1.0);
  ct_mesh_foot foot;
  ct_mesh_nearest(s.mesh, to_solid_frame(&s, point), INFINITY, &foot);
  ct_vec3 out = ct_mesh_normal(s.mesh, foot.triangle);
  f->depth = foot.distance;
  f->point_a = second ? foot.point : point;
  f->point_b = to_frame_of_a(p, second ? point : foot.point);
  f->triangle_a = second ? foot.triangle : p->a->order[position];
  f->triangle_b = second ? p->b->order[position] : foot.triangle;
  /* The normal is the outward normal of a, or the opposite of the outward normal of b. */
  ct_vec3 direction = second ? out : ct_neg(ct_mat_mul(p->relative.rotation, out));
  f->normal = direction;
  if (f->depth > CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * p->extent)
    f->normal = ct_unit_or(ct_sub(f->point_a, f->point_b), direction);
}

/* Collects the points where edges of one mesh intersect the other's surface. */
typedef struct crossing_collector {
  const ct_mesh_pair *pair;
  bool second; /* true: edges of b, else of a */
  bool short_of_memory;
} crossing_collector;

static bool add_edge_crossings(void *context, const ct_near_triangles *near) {
  crossing_collector *x = context;
  const ct_mesh_view *view = x->second ? x->pair->b : x->pair->a;
  const ct_triangle *edges = x->second ? &near->b : &near->a,
                    *face = x->second ? &near->a : &near->b;
  uint32_t position = x->second ? near->position_b : near->position_a;
  for (int k = 0; k < 3; k++) {
    int l = k == 2 ? 0 : k + 1;
    uint32_t p = view->corners[position][k], q = view->corners[position][l];
    double at;
    if (!ct_segment_meets(edges->v[k], edges->v[l], face, &at)) continue;
    ct_crossing c = {p < q ? p : q, p < q ? q : p, position, p < q ? at : 1.0 - at};
    if (!ct_crossing_add(x->pair->memory, c)) x->short_of_memory = true;
  }
  return !x->short_of_memory;
}

static int compare_crossings_by_edge(const void *first, const void *second) {
  const ct_crossing *a = first, *b = second;
  if (a->low != b->low) return a->low < b->low ? -1 : 1;
  if (a->high != b->high) return a->high < b->high ? -1 : 1;
  if (a->at != b->at) return a->at < b->at ? -1 : 1;
  return (a->position > b->position) - (a->position < b->position);
}

/* Finds the deepest midpoint, inside the other solid, between two successive crossings of an edge,
 * and makes it the best feature if it is deeper. */
static void find_deepest_section(const ct_mesh_pair *p, bool second, ct_mesh_feature *best) {
  crossing_collector x = {p, second, false};
  ct_mesh_scratch *m = p->memory;
  /* Collect the crossings, and sort them along their edges. */
  m->crossing_count = 0;
  if (!ct_mesh_pair_visit_boxes(p, add_edge_crossings, &x)) best->complete = false;
  if (m->crossing_count > 1)
    qsort(m->crossing, m->crossing_count, sizeof *m->crossing, compare_crossings_by_edge);
  const ct_mesh_view *view = second ? p->b : p->a;
  solid s = make_solid_query(p, second, 1.0);
  /* Evaluate sections longer than twice the best depth whose midpoint is inside. */
  for (size_t i = 1; i < m->crossing_count; i++) {
    const ct_crossing *c = &m->crossing[i - 1], *d = &m->crossing[i];
    if (c->low != d->low || c->high != d->high) continue;
    ct_vec3 from = view->vertices[c->low], to = view->vertices[c->high];
    if (0.5 * (d->at - c->at) * ct_norm(ct_sub(to, from)) <= best->depth) continue;
    ct_vec3 middle = ct_lerp(from, to, 0.5 * (c->at + d->at));
    if (ct_mesh_is_cancelled(m, POINT_STEPS)) {
      best->complete = false;
      return;
    }
    if (!ct_mesh_contains(s.mesh, to_solid_frame(&s, middle))) continue;
    ct_mesh_feature f = *best;
    set_point_feature(p, second, middle, c->position, &f);
    if (f.depth > best->depth) *best = f;
  }
}

/* Search for the deepest centroid of the triangles that intersect the other solid: bodies with
 * flush sides may have no other feature. */
typedef struct centroid_search {
  const ct_mesh_pair *pair;
  ct_mesh_feature *best;
  uint32_t last_a, last_b; /* positions of the triangles evaluated last */
} centroid_search;

static void try_triangle_centroid(const ct_mesh_pair *p, bool second, uint32_t position,
                                  ct_mesh_feature *best) {
  ct_triangle t = ct_mesh_triangle(second ? p->b : p->a, position);
  ct_vec3 middle = ct_scale(ct_add(ct_add(t.v[0], t.v[1]), t.v[2]), 1.0 / 3.0);
  solid s = make_solid_query(p, second, 1.0);
  if (!(compute_depth_in_solid(&s, middle, best->depth) > best->depth)) return;
  ct_mesh_feature f = *best;
  set_point_feature(p, second, middle, position, &f);
  if (f.depth > best->depth) *best = f;
}

static bool try_triangle_centroids(void *context, const ct_near_triangles *near) {
  centroid_search *m = context;
  if (near->position_a != m->last_a)
    try_triangle_centroid(m->pair, false, near->position_a, m->best);
  if (near->position_b != m->last_b)
    try_triangle_centroid(m->pair, true, near->position_b, m->best);
  m->last_a = near->position_a;
  m->last_b = near->position_b;
  return !ct_mesh_is_cancelled(m->pair->memory, POINT_STEPS);
}

/* Searches edge sections, then centroids of triangles. The result replaces *out if the vertices are
 * on the surface, or if it is significantly deeper. */
static void search_between_vertices(const ct_mesh_pair *p, double slack, double flush,
                                    ct_mesh_feature *out) {
  ct_mesh_feature deeper = *out;
  find_deepest_section(p, false, &deeper);
  find_deepest_section(p, true, &deeper);
  if (deeper.complete) {
    centroid_search m = {p, &deeper, UINT32_MAX, UINT32_MAX};
    deeper.complete = ct_mesh_pair_visit(p, 0.0, try_triangle_centroids, &m);
  }
  if (out->depth <= slack || deeper.depth > 2.0 * flush) *out = deeper;
  else out->complete = deeper.complete;
}

bool ct_mesh_pair_deepest(const ct_mesh_pair *p, ct_mesh_feature *out) {
  *out = (ct_mesh_feature){
      .complete = true, .triangle_a = CT_NO_TRIANGLE, .triangle_b = CT_NO_TRIANGLE};
  double slack = CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * p->extent;
  ct_lipschitz_function a = maximize_depth_in_solid(p, false, 1.0, 0.0);
  if (a.value > 0.0) set_point_feature(p, false, p->a->vertices[a.vertex], a.position, out);
  ct_lipschitz_function b = maximize_depth_in_solid(p, true, 1.0, out->depth);
  if (b.value > out->depth) set_point_feature(p, true, p->b->vertices[b.vertex], b.position, out);
  out->complete = !a.stopped && !b.stopped;
  double flush = ct_max2(FLUSH * ct_min2(p->a->radius, p->b->radius), slack);
  if (out->complete && out->depth <= flush) search_between_vertices(p, slack, flush, out);
  out->bound = out->complete ? out->depth : 2.0 * ct_min2(p->a->radius, p->b->radius);
  return out->depth > 0.0;
}

/* ---- normals of bodies that touch ----------------------------------------------------------- */

typedef struct touch_search {
  const ct_mesh_pair *pair;
  ct_vec3 normal[NORMALS_MAX];
  int count, pairs;
  double best;
  int best_index;
} touch_search;

/* Returns the signed width of the slab perpendicular to n between the meshes; negative if they
 * overlap along n. */
static double measure_slab_width(const ct_mesh_pair *p, ct_vec3 n) {
  double far_a = ct_mesh_support_value(p->a, n),
         far_b = ct_mesh_support_value(p->b, ct_neg(ct_mat_tmul(p->relative.rotation, n)));
  return ct_dot(n, p->relative.position) - far_b - far_a;
}

static void keep_better_touch_normal(touch_search *t, ct_vec3 n) {
  if (t->count == NORMALS_MAX) return;
  for (int i = 0; i < t->count; i++)
    if (ct_norm2(ct_sub(t->normal[i], n)) <= SAME_NORMAL2) return;
  double width = measure_slab_width(t->pair, n),
         tie = CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * t->pair->extent;
  t->normal[t->count] = n;
  bool better = t->count == 0 || width > t->best + tie;
  if (!better && width >= t->best - tie) better = ct_normal_greater(n, t->normal[t->best_index]);
  if (better) {
    t->best = width;
    t->best_index = t->count;
  }
  t->count++;
}

static bool try_touch_normals(void *context, const ct_near_triangles *near) {
  touch_search *t = context;
  ct_vec3 zero = {0.0, 0.0, 0.0}, n = ct_unit_or(ct_triangle_cross(&near->a), zero),
          m = ct_unit_or(ct_triangle_cross(&near->b), zero);
  if (ct_max_abs(n) > 0.0) keep_better_touch_normal(t, n);
  if (ct_max_abs(m) > 0.0) keep_better_touch_normal(t, ct_neg(m));
  keep_better_touch_normal(t, near->gap.normal);
  return ++t->pairs < NORMAL_PAIRS_MAX && t->count < NORMALS_MAX;
}

bool ct_mesh_pair_touch_normal(const ct_mesh_pair *p, double reach, ct_vec3 *normal) {
  touch_search t = {.pair = p};
  ct_mesh_pair_visit(p, reach, try_touch_normals, &t);
  if (t.count > 0) *normal = t.normal[t.best_index];
  return t.count > 0;
}
