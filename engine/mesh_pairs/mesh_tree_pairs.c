/* Simultaneous descent of the BVHs of two meshes. */
#include "mesh_pairs/mesh_tree_pairs.h"

#include "mesh/mesh_support.h"

#include <assert.h>

/* Bound of the round-off of a lower bound between boxes, in units of u times the sum of the meshes'
 * extent and offset: centre and half extents of a node 2, placement 55 (as in pair.c), differences,
 * rotation to b's axes 29, sums and the square root 10. */
#define BOUND_ROUNDOFFS 128.0
/* Relative round-off of the squared gap of two boxes with exact corners: a difference, a square,
 * two sums. */
#define BOX_GAP_ROUNDOFFS 8.0
/* Cost of two leaves in steps of 100 ns, for polling the cancel flag: up to 100 us, because
 * touching triangles need exact predicates. */
#define LEAF_STEPS 64
/* Capacity of the stack: a descent of two trees keeps one node pending per level; the last level
 * adds two. */
#define STACK_SIZE (2 * CT_MESH_DEPTH_MAX + 4)
/* Limit of the number of support steps before the search of all nodes. */
#define SLAB_STEPS 16

double ct_mesh_extent(const ct_mesh_view *view) {
  ct_vec3 far = {ct_max2(fabs(view->box.min.x), fabs(view->box.max.x)),
                 ct_max2(fabs(view->box.min.y), fabs(view->box.max.y)),
                 ct_max2(fabs(view->box.min.z), fabs(view->box.max.z))};
  return ct_min2(ct_norm(far), ct_norm(view->centroid) + view->radius);
}

void ct_mesh_pair_open(ct_mesh_pair *p, const ct_mesh *a, const ct_mesh *b,
                       const ct_frame *relative, ct_mesh_scratch *memory) {
  assert(a && b && memory);
  *p = (ct_mesh_pair){.mesh_a = a,
                      .mesh_b = b,
                      .a = ct_mesh_get(a),
                      .b = ct_mesh_get(b),
                      .relative = *relative,
                      .memory = memory};
  p->size = ct_mat_abs(relative->rotation);
  p->extent = ct_max2(ct_mesh_extent(p->a), ct_mesh_extent(p->b));
  p->slack = BOUND_ROUNDOFFS * CT_UNIT_ROUNDOFF * (p->extent + ct_norm(relative->position));
}

ct_triangle ct_mesh_triangle(const ct_mesh_view *view, uint32_t position) {
  const uint32_t *c = view->corners[position];
  return (ct_triangle){{view->vertices[c[0]], view->vertices[c[1]], view->vertices[c[2]]}};
}

static ct_triangle place_triangle(const ct_mesh_view *view, const ct_frame *frame,
                                  uint32_t position) {
  ct_triangle t = ct_mesh_triangle(view, position);
  for (int k = 0; k < 3; k++) t.v[k] = ct_to_parent(*frame, t.v[k]);
  return t;
}

/* The box of a node along the axes of both frames, and its bounding ball. */
typedef struct node_bounds {
  ct_vec3 center;         /* centre of box and ball, in a's frame */
  ct_vec3 half_a, half_b; /* half extents along a's axes, and along b's */
  double radius;
} node_bounds;

static ct_vec3 clamp_components(ct_vec3 v, double most) {
  return ct_vec(ct_min2(v.x, most), ct_min2(v.y, most), ct_min2(v.z, most));
}

static node_bounds make_node_bounds_a(const ct_mesh_pair *p, const ct_mesh_node *n) {
  node_bounds s = {.center = ct_scale(ct_add(n->box.min, n->box.max), 0.5), .radius = n->radius};
  s.half_a = ct_scale(ct_sub(n->box.max, n->box.min), 0.5);
  s.half_b = clamp_components(ct_mat_tmul(p->size, s.half_a), n->radius);
  return s;
}

static node_bounds make_node_bounds_b(const ct_mesh_pair *p, const ct_mesh_node *n) {
  node_bounds s = {.center =
                       ct_to_parent(p->relative, ct_scale(ct_add(n->box.min, n->box.max), 0.5)),
                   .radius = n->radius};
  s.half_b = ct_scale(ct_sub(n->box.max, n->box.min), 0.5);
  s.half_a = clamp_components(ct_mat_mul(p->size, s.half_b), n->radius);
  return s;
}

static double compute_gap_square(ct_vec3 d, ct_vec3 p, ct_vec3 q) {
  double x = ct_max2(fabs(d.x) - p.x - q.x, 0.0), y = ct_max2(fabs(d.y) - p.y - q.y, 0.0),
         z = ct_max2(fabs(d.z) - p.z - q.z, 0.0);
  return x * x + y * y + z * z;
}

/* Returns a lower bound of the distance between the triangles of two nodes: from their balls, and
 * from their boxes along a's axes and along b's. */
static double compute_node_gap(const ct_mesh_pair *p, const node_bounds *s, const node_bounds *t) {
  ct_vec3 d = ct_sub(t->center, s->center);
  double balls = sqrt(ct_norm2(d)) - s->radius - t->radius;
  double square = compute_gap_square(d, s->half_a, t->half_a);
  square = ct_max2(square,
                   compute_gap_square(ct_mat_tmul(p->relative.rotation, d), s->half_b, t->half_b));
  return ct_max2(balls, sqrt(square)) - p->slack;
}

/* Writes the pairs that result from opening the larger node of a pair, or the only one that has
 * children, the nearer pair first. Returns 2, or 0 for two leaves. */
static int open_node_pair(const ct_mesh_pair *p, ct_search_node w, ct_search_node out[2]) {
  const ct_mesh_node *n = &p->a->nodes[w.a], *m = &p->b->nodes[w.b];
  if (n->count > 0 && m->count > 0) return 0;
  bool first = m->count > 0 || (n->count == 0 && n->radius >= m->radius);
  node_bounds rest = first ? make_node_bounds_b(p, m) : make_node_bounds_a(p, n);
  for (uint32_t k = 0; k < 2; k++) {
    uint32_t child = (first ? n : m)->first + k;
    node_bounds s = first ? make_node_bounds_a(p, &p->a->nodes[child])
                          : make_node_bounds_b(p, &p->b->nodes[child]);
    double key = first ? compute_node_gap(p, &s, &rest) : compute_node_gap(p, &rest, &s);
    out[k] = (ct_search_node){ct_max2(key, w.key), first ? child : w.a, first ? w.b : child};
  }
  if (out[1].key < out[0].key) {
    ct_search_node nearer = out[1];
    out[1] = out[0];
    out[0] = nearer;
  }
  return 2;
}

static ct_search_node make_root_pair(const ct_mesh_pair *p) {
  node_bounds s = make_node_bounds_a(p, &p->a->nodes[0]),
              t = make_node_bounds_b(p, &p->b->nodes[0]);
  return (ct_search_node){compute_node_gap(p, &s, &t), 0, 0};
}

/* ---- leaves --------------------------------------------------------------------------------- */

static ct_aabb bound_triangle(const ct_triangle *t) {
  ct_aabb box = {t->v[0], t->v[0]};
  for (int k = 1; k < 3; k++) box = ct_aabb_union(box, (ct_aabb){t->v[k], t->v[k]});
  return box;
}

static double compute_box_gap2(const ct_aabb *a, const ct_aabb *b) {
  return ct_norm2(ct_aabb_gaps(a, b)) * (1.0 - BOX_GAP_ROUNDOFFS * CT_UNIT_ROUNDOFF);
}

/* The triangles of two leaves in a's frame, and their AABBs. */
typedef struct leaves {
  uint32_t first_a, first_b, count_a, count_b;
  ct_triangle a[CT_MESH_LEAF_MAX], b[CT_MESH_LEAF_MAX];
  ct_aabb box_a[CT_MESH_LEAF_MAX], box_b[CT_MESH_LEAF_MAX];
} leaves;

static void load_leaves(const ct_mesh_pair *p, ct_search_node w, leaves *l) {
  const ct_mesh_node *n = &p->a->nodes[w.a], *m = &p->b->nodes[w.b];
  l->first_a = n->first;
  l->first_b = m->first;
  l->count_a = n->count;
  l->count_b = m->count;
  for (uint32_t i = 0; i < n->count; i++) {
    l->a[i] = ct_mesh_triangle(p->a, n->first + i);
    l->box_a[i] = bound_triangle(&l->a[i]);
  }
  for (uint32_t j = 0; j < m->count; j++) {
    l->b[j] = place_triangle(p->b, &p->relative, m->first + j);
    l->box_b[j] = bound_triangle(&l->b[j]);
  }
}

/* ---- the nearest pair ----------------------------------------------------------------------- */

typedef struct nearest_pair_search {
  const ct_mesh_pair *pair;
  ct_mesh_nearest_pair *best;
  double drop; /* pairs of nodes with a greater lower distance bound are dropped: the threshold plus
                  round-off, m */
  double dropped;
  double cut; /* least bound of the pairs of nodes that were pruned within round-off of the best
                 distance */
} nearest_pair_search;

/* True if a pair of nodes with this bound cannot reduce the best distance by more than round-off.
 * Parallel faces have thousands of pairs that are equally near, and evaluating each would gain
 * nothing. Whether the bodies touch is never left to round-off. */
static bool prune_node_pair(nearest_pair_search *s, double key) {
  double best = s->best->gap.distance, contact = s->pair->contact;
  if (key + 2.0 * s->pair->slack < best || (key <= contact && contact < best)) return false;
  s->cut = ct_min2(s->cut, key);
  return true;
}

/* True if the pair has lower triangle numbers than the best one so far, compared first by the
 * triangle of the first mesh. */
static bool triangle_pair_precedes(const nearest_pair_search *s, uint32_t a, uint32_t b) {
  const ct_mesh_pair *p = s->pair;
  uint32_t old_a = p->a->order[s->best->position_a], old_b = p->b->order[s->best->position_b];
  uint32_t new_a = p->a->order[a], new_b = p->b->order[b];
  return new_a != old_a ? new_a < old_a : new_b < old_b;
}

/* Returns the greatest n.p over a triangle's vertices. */
static double compute_triangle_reach(const ct_triangle *t, ct_vec3 n) {
  return ct_max2(ct_max2(ct_dot(n, t->v[0]), ct_dot(n, t->v[1])), ct_dot(n, t->v[2]));
}

static void test_nearest_leaves(nearest_pair_search *s, ct_search_node w) {
  leaves l;
  load_leaves(s->pair, w, &l);
  ct_mesh_nearest_pair *best = s->best;
  /* Along the best normal most pairs are proven to be farther. */
  double far_a[CT_MESH_LEAF_MAX], far_b[CT_MESH_LEAF_MAX];
  ct_vec3 n = best->gap.normal, back = ct_neg(n);
  for (uint32_t i = 0; i < l.count_a; i++) far_a[i] = compute_triangle_reach(&l.a[i], n);
  for (uint32_t j = 0; j < l.count_b; j++) far_b[j] = compute_triangle_reach(&l.b[j], back);
  for (uint32_t i = 0; i < l.count_a && best->gap.distance > 0.0; i++) {
    for (uint32_t j = 0; j < l.count_b && best->gap.distance > 0.0; j++) {
      if (-far_b[j] - far_a[i] - s->pair->slack > best->gap.distance) continue;
      if (compute_box_gap2(&l.box_a[i], &l.box_b[j]) > best->gap.distance * best->gap.distance)
        continue;
      ct_gap gap;
      best->tests++;
      if (!ct_triangles_gap(&l.a[i], &l.b[j], best->gap.distance, &gap)) continue;
      uint32_t a = l.first_a + i, b = l.first_b + j;
      if (gap.distance > best->gap.distance ||
          (gap.distance == best->gap.distance && !triangle_pair_precedes(s, a, b)))
        continue;
      best->gap = gap;
      best->position_a = a;
      best->position_b = b;
    }
  }
}

/* Descends to one pair of leaves: the distance found there prunes the search. */
static ct_search_node descend_to_first_leaves(const ct_mesh_pair *p) {
  ct_search_node w = make_root_pair(p), child[2];
  while (open_node_pair(p, w, child)) w = child[0];
  return w;
}

/* True if the slab perpendicular to the best normal separates the whole meshes: the best pair is
 * then the nearest. *extreme: the leaves with the support points of both meshes along this
 * normal. */
static bool slab_separates_meshes(nearest_pair_search *s, ct_search_node *extreme) {
  const ct_mesh_pair *p = s->pair;
  ct_vec3 n = s->best->gap.normal;
  double far_a, far_b;
  *extreme = (ct_search_node){0.0, ct_mesh_support_leaf(p->a, n, &far_a), 0};
  extreme->b = ct_mesh_support_leaf(p->b, ct_neg(ct_mat_tmul(p->relative.rotation, n)), &far_b);
  double width = ct_dot(n, p->relative.position) - far_b - far_a - p->slack;
  if (!(width > 0.0) || !prune_node_pair(s, width)) return false;
  s->best->least = ct_min2(s->best->gap.distance, width);
  return true;
}

/* Repeatedly evaluates the leaves with the support points along the best normal, while the distance
 * decreases. True: a slab proves that the best pair is the nearest. This completes the search for
 * bodies that a plane separates, of any number of triangles. */
static bool search_along_slabs(nearest_pair_search *s) {
  ct_search_node extreme;
  for (int step = 0; step < SLAB_STEPS && s->best->gap.distance > 0.0; step++) {
    double before = s->best->gap.distance;
    if (slab_separates_meshes(s, &extreme)) return true;
    test_nearest_leaves(s, extreme);
    if (!(s->best->gap.distance < before)) return false;
  }
  return false;
}

/* Searches a pair of nodes and all pairs below it, nearer ones first. Used when the heap is
 * full. */
static void search_pairs_depth_first(nearest_pair_search *s, ct_search_node w) {
  ct_search_node stack[STACK_SIZE], child[2];
  int top = 0;
  stack[top++] = w;
  while (top > 0 && !ct_mesh_is_cancelled(s->pair->memory, 1)) {
    w = stack[--top];
    if (prune_node_pair(s, w.key)) continue;
    if (!open_node_pair(s->pair, w, child)) {
      test_nearest_leaves(s, w);
      continue;
    }
    assert(top + 2 <= STACK_SIZE);
    stack[top++] = child[1];
    stack[top++] = child[0];
  }
}

static void push_child_pairs(nearest_pair_search *s, ct_search_node child[2]) {
  for (int k = 0; k < 2; k++) {
    if (prune_node_pair(s, child[k].key)) continue;
    if (child[k].key > s->drop) s->dropped = ct_min2(s->dropped, child[k].key);
    else if (!ct_search_heap_push(s->pair->memory, child[k])) search_pairs_depth_first(s, child[k]);
  }
}

ct_mesh_outcome ct_mesh_pair_nearest(const ct_mesh_pair *p, double threshold,
                                     ct_mesh_nearest_pair *out) {
  *out = (ct_mesh_nearest_pair){.gap = {.distance = INFINITY}};
  nearest_pair_search s = {
      .pair = p, .best = out, .drop = threshold + p->slack, .dropped = INFINITY, .cut = INFINITY};
  ct_mesh_scratch *memory = p->memory;
  memory->count = 0;
  /* Find a first distance; if a slab separates the bodies, the search is complete. */
  test_nearest_leaves(&s, descend_to_first_leaves(p));
  if (search_along_slabs(&s)) return CT_MESH_FOUND;
  /* Best-first search of pairs of nodes. */
  ct_search_node w = make_root_pair(p), child[2] = {w, {INFINITY, 0, 0}};
  push_child_pairs(&s, child);
  bool stopped = false;
  while (memory->count > 0 && out->gap.distance > 0.0 && !stopped) {
    w = ct_search_heap_pop(memory);
    if (prune_node_pair(&s, w.key)) break;
    out->least = ct_max2(w.key, 0.0);
    double before = out->gap.distance;
    if (open_node_pair(p, w, child)) push_child_pairs(&s, child);
    else test_nearest_leaves(&s, w);
    if (out->gap.distance < before && search_along_slabs(&s)) return CT_MESH_FOUND;
    stopped = ct_mesh_is_cancelled(memory, 4);
  }
  /* The bounds of pruned and dropped pairs limit the distance from below. */
  if (stopped) return CT_MESH_STOPPED;
  if (s.dropped < out->gap.distance) {
    out->least = ct_min2(s.dropped, s.cut);
    return CT_MESH_BEYOND;
  }
  out->least = ct_min2(out->gap.distance, ct_max2(s.cut, 0.0));
  return CT_MESH_FOUND;
}

/* ---- all near pairs ------------------------------------------------------------------------- */

typedef struct visit {
  const ct_mesh_pair *pair;
  double reach;
  ct_mesh_visit visit;
  void *context;
  bool by_boxes;
} visit;

static bool visit_leaf_pairs(const visit *v, ct_search_node w) {
  leaves l;
  load_leaves(v->pair, w, &l);
  for (uint32_t i = 0; i < l.count_a; i++) {
    for (uint32_t j = 0; j < l.count_b; j++) {
      if (compute_box_gap2(&l.box_a[i], &l.box_b[j]) > v->reach * v->reach) continue;
      ct_near_triangles near = {.position_a = l.first_a + i, .position_b = l.first_b + j};
      if (!v->by_boxes && (!ct_triangles_gap(&l.a[i], &l.b[j], v->reach, &near.gap) ||
                           near.gap.distance > v->reach))
        continue;
      near.a = l.a[i];
      near.b = l.b[j];
      if (!v->visit(v->context, &near)) return false;
    }
  }
  return true;
}

static bool visit_near_pairs(const visit *v) {
  const ct_mesh_pair *p = v->pair;
  ct_search_node stack[STACK_SIZE], child[2];
  int top = 0;
  stack[top++] = make_root_pair(p);
  while (top > 0) {
    ct_search_node w = stack[--top];
    if (w.key > v->reach) continue;
    if (ct_mesh_is_cancelled(p->memory, 1)) return false;
    if (open_node_pair(p, w, child)) {
      assert(top + 2 <= STACK_SIZE);
      stack[top++] = child[1];
      stack[top++] = child[0];
    } else if (ct_mesh_is_cancelled(p->memory, LEAF_STEPS) || !visit_leaf_pairs(v, w)) {
      return false;
    }
  }
  return true;
}

bool ct_mesh_pair_visit(const ct_mesh_pair *p, double reach, ct_mesh_visit visitor, void *context) {
  return visit_near_pairs(&(visit){p, reach, visitor, context, false});
}

bool ct_mesh_pair_visit_boxes(const ct_mesh_pair *p, ct_mesh_visit visitor, void *context) {
  return visit_near_pairs(&(visit){p, 0.0, visitor, context, true});
}

bool ct_mesh_pair_boxes_part(const ct_mesh_pair *p) { return make_root_pair(p).key > 0.0; }

static bool test_leaves_cross(const ct_mesh_pair *p, ct_search_node w, ct_mesh_nearest_pair *out) {
  leaves l;
  load_leaves(p, w, &l);
  for (uint32_t i = 0; i < l.count_a; i++) {
    for (uint32_t j = 0; j < l.count_b; j++) {
      if (!ct_aabb_overlap(&l.box_a[i], &l.box_b[j]) || !ct_triangles_meet(&l.a[i], &l.b[j], NULL))
        continue;
      *out = (ct_mesh_nearest_pair){
          .position_a = l.first_a + i, .position_b = l.first_b + j, .tests = 1};
      ct_triangles_gap(&l.a[i], &l.b[j], INFINITY, &out->gap);
      return true;
    }
  }
  return false;
}

bool ct_mesh_pair_cross(const ct_mesh_pair *p, ct_mesh_nearest_pair *out) {
  ct_search_node stack[STACK_SIZE], child[2];
  int top = 0;
  stack[top++] = make_root_pair(p);
  while (top > 0) {
    ct_search_node w = stack[--top];
    if (w.key > 0.0) continue;
    if (ct_mesh_is_cancelled(p->memory, 1)) return false;
    if (!open_node_pair(p, w, child)) {
      if (ct_mesh_is_cancelled(p->memory, LEAF_STEPS)) return false;
      if (test_leaves_cross(p, w, out)) return true;
      continue;
    }
    assert(top + 2 <= STACK_SIZE);
    stack[top++] = child[1];
    stack[top++] = child[0];
  }
  return false;
}
