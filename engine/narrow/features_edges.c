/* Contact features of two edges that pass each other: both trees at once, down to pairs of edges.
 *
 * An edge belongs to the one of its two triangles that has the lower number. A pair can be a feature only where the edges are not
 * farther apart than half the shorter one, which is no more than the radius of either node: that bounds the descent. Everything is
 * in the frame of the mesh that comes first by content. Source: theory, sections 6.2 and 7.5; Gauss arcs: Gregorius 2013.
 */
#include "base/predicates.h"
#include "narrow/features.h"
#include "narrow/mesh_pair.h"
#include "narrow/workspace.h"

#include <stdlib.h>

/* Edges are parallel from this squared sine down. */
#define SINE2_MIN 1e-6
/* The nearest points lie between these parts of the edges: nearer to an end it is the vertex that counts. */
#define END_PART 1e-6
/* Edges of a leaf: three of each triangle. */
#define LEAF_EDGES (3 * CT_MESH_LEAF_MAX)
/* One node waits per level, and the last level brings two. */
#define STACK_SIZE (2 * CT_MESH_DEPTH_MAX + 4)
#define NO_NODE UINT32_MAX

/* A convex edge. */
typedef struct edge {
  ct_vec3 p, e;      /* from p to p + e, its first triangle on the left as seen from outside */
  ct_vec3 normal[2]; /* of the triangles on the left and on the right */
  double length2;
  uint32_t position, corner; /* of the triangle that it belongs to */
} edge;

typedef struct leaf {
  uint32_t node;
  int count;
  edge edges[LEAF_EDGES];
} leaf;

typedef struct search {
  ct_feature_run *run;
  ct_mesh_pair pair; /* a: the first by content */
  ct_mat3 size;      /* absolute values of the relative rotation */
  leaf leaf[2];      /* of the first, of the second; kept while the next pair has the same */
  const ct_feature_body *body[2];
} search;

/* ---- edges of a leaf ---- */

/* The corner of a triangle that is on none of two vertices. */
static uint32_t third_corner(const uint32_t corner[3], uint32_t p, uint32_t q) {
  for (int k = 0; k < 3; k++)
    if (corner[k] != p && corner[k] != q) return corner[k];
  return corner[0];
}

/* False: not this triangle's, not between two triangles, flat, or concave. */
static bool make_edge(const ct_feature_body *body, uint32_t position, uint32_t k, edge *out) {
  const ct_mesh_view *view = body->view;
  const uint32_t *corner = view->corners[position];
  uint32_t beyond = view->across[position][k], p = corner[k], q = corner[(k + 1) % 3];
  if (beyond == CT_NO_TRIANGLE || view->order[beyond] < view->order[position]) return false;
  ct_vec3 apex = view->vertices[third_corner(view->corners[beyond], p, q)];
  if (ct_orient3d(view->vertices[corner[0]], view->vertices[corner[1]], view->vertices[corner[2]], apex) >= 0) return false;
  *out = (edge){.p = view->vertices[p],
                .e = ct_sub(view->vertices[q], view->vertices[p]),
                .normal = {ct_mesh_normal(body->mesh, view->order[position]), ct_mesh_normal(body->mesh, view->order[beyond])},
                .position = position,
                .corner = k};
  out->length2 = ct_norm2(out->e);
  return true;
}

static void place_edge(const ct_frame *frame, edge *e) {
  ct_vec3 q = ct_to_parent(*frame, ct_add(e->p, e->e));
  e->p = ct_to_parent(*frame, e->p);
  e->e = ct_sub(q, e->p);
  for (int i = 0; i < 2; i++) e->normal[i] = ct_mat_mul(frame->rotation, e->normal[i]);
}

static void load_leaf(search *s, int which, uint32_t node) {
  leaf *l = &s->leaf[which];
  if (l->node == node) return;
  const ct_mesh_node *n = &s->body[which]->view->nodes[node];
  l->node = node;
  l->count = 0;
  for (uint32_t i = n->first; i < n->first + n->count; i++) {
    for (uint32_t k = 0; k < 3; k++) {
      edge *e = &l->edges[l->count];
      if (!make_edge(s->body[which], i, k, e)) continue;
      if (which == 1) place_edge(&s->pair.relative, e);
      l->count++;
    }
  }
}

/* ---- two edges ---- */

/* Where two edges pass each other. */
typedef struct passing {
  double at[2];   /* 0 at p, 1 at p + e */
  ct_vec3 normal; /* common, unit, outward of the first */
  double distance;
} passing;

/* Do the Gauss arc of one edge and the negated one of the other cross? With the first triangle on the left, normal[0] x normal[1]
 * is along a convex edge, so the planes of the arcs are known by the edges themselves. */
static bool arcs_cross(const edge *a, const edge *b) {
  double b0 = ct_dot(b->normal[0], a->e), b1 = ct_dot(b->normal[1], a->e);
  if (!((b0 < 0.0 && b1 > 0.0) || (b0 > 0.0 && b1 < 0.0))) return false;
  double a0 = ct_dot(a->normal[0], b->e), a1 = ct_dot(a->normal[1], b->e);
  return (a0 < 0.0 && a1 > 0.0 && b0 < 0.0) || (a0 > 0.0 && a1 < 0.0 && b0 > 0.0);
}

static bool within(double part) { return part > END_PART && part < 1.0 - END_PART; }

static bool pass(const edge *a, const edge *b, double depth, passing *out) {
  if (!arcs_cross(a, b)) return false;
  ct_vec3 m = ct_cross(a->e, b->e), r = ct_sub(b->p, a->p);
  double square = ct_norm2(m);
  if (!(square > SINE2_MIN * a->length2 * b->length2)) return false;
  out->at[0] = ct_dot(ct_cross(r, b->e), m) / square;
  out->at[1] = ct_dot(ct_cross(r, a->e), m) / square;
  if (!within(out->at[0]) || !within(out->at[1])) return false;
  double outward = ct_dot(m, ct_add(a->normal[0], a->normal[1]));
  out->normal = ct_scale(m, (outward < 0.0 ? -1.0 : 1.0) / sqrt(square));
  out->distance = ct_dot(out->normal, r);
  double most = depth > 0.0 ? depth : 0.5 * sqrt(ct_min2(a->length2, b->length2));
  return out->distance <= 0.0 && out->distance >= -most;
}

/* Is what is between the two points in both solids? Edges of bodies that lie apart or behind each other pass as well. Points that
 * are one to round-off are on both surfaces. */
static bool is_shared(const search *s, const edge *a, const edge *b, const passing *p) {
  if (-p->distance <= s->pair.slack) return true;
  ct_vec3 on_a = ct_add_scaled(a->p, a->e, p->at[0]), on_b = ct_add_scaled(b->p, b->e, p->at[1]);
  ct_vec3 middle = ct_lerp(on_a, on_b, 0.5);
  return ct_mesh_contains(s->body[0]->mesh, middle) && ct_mesh_contains(s->body[1]->mesh, ct_to_local(s->pair.relative, middle));
}

/* Is a vertex of the body a feature less deep than this? */
static bool is_counted(const ct_feature_run *run, int which, uint32_t vertex, double depth) {
  const ct_pair_feature *items = run->memory->items;
  size_t low = which ? run->vertices_a : 0, high = which ? run->vertices_a + run->vertices_b : run->vertices_a, end = high;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (items[middle].vertex < vertex) low = middle + 1;
    else high = middle;
  }
  for (; low < end && items[low].vertex == vertex; low++)
    if (-items[low].distance < depth) return true;
  return false;
}

static bool has_counted_end(const ct_feature_run *run, int which, const ct_mesh_view *view, const edge *e, double depth) {
  const uint32_t *corner = view->corners[e->position];
  return is_counted(run, which, corner[e->corner], depth) || is_counted(run, which, corner[(e->corner + 1) % 3], depth);
}

/* The point of an edge on the triangle that it belongs to, and the edge's vertices as that one names them. */
static ct_pair_feature_point point_on(const ct_feature_body *body, const edge *e, double at, uint32_t vertices[2], uint32_t flag,
                                      uint32_t *flags) {
  const ct_mesh_view *view = body->view;
  const uint32_t *corner = view->corners[e->position];
  ct_vec3 end[2] = {view->vertices[corner[e->corner]], view->vertices[corner[(e->corner + 1) % 3]]};
  ct_feature_match match = {.triangle = view->order[e->position], .point = ct_lerp(end[0], end[1], at)};
  for (int k = 0; k < 3; k++) {
    uint32_t given = view->triangles[match.triangle][k];
    ct_vec3 v = view->vertices[given];
    for (int i = 0; i < 2; i++) {
      if (v.x != end[i].x || v.y != end[i].y || v.z != end[i].z) continue;
      match.barycentric[k] = i ? at : 1.0 - at;
      vertices[i] = given;
    }
  }
  if (vertices[0] > vertices[1]) {
    uint32_t lower = vertices[1];
    vertices[1] = vertices[0];
    vertices[0] = lower;
  }
  return ct_feature_point_of(body, &match, flag, flags);
}

static void add_edges(search *s, const edge *first, const edge *second, const passing *p) {
  ct_feature_run *run = s->run;
  const edge *e[2] = {run->swapped ? second : first, run->swapped ? first : second};
  double at[2] = {p->at[run->swapped], p->at[!run->swapped]};
  if (has_counted_end(run, 0, run->body[0].view, e[0], -p->distance) &&
      has_counted_end(run, 1, run->body[1].view, e[1], -p->distance)) {
    run->doubled++;
    return;
  }
  ct_pair_feature f = {.kind = CT_PAIR_FEATURE_EDGE_EDGE, .mode = CT_FEATURES_BACKWARD, .distance = p->distance + 0.0};
  f.a = point_on(&run->body[0], e[0], at[0], f.edge_a, CT_PAIR_FEATURE_FACE_NORMAL_A, &f.flags);
  f.b = point_on(&run->body[1], e[1], at[1], f.edge_b, CT_PAIR_FEATURE_FACE_NORMAL_B, &f.flags);
  f.normal = ct_mat_mul(s->body[0]->frame->rotation, run->swapped ? ct_neg(p->normal) : p->normal);
  ct_feature_add(run->memory, &f);
}

static void compare_leaves(search *s, uint32_t first, uint32_t second) {
  passing p;
  load_leaf(s, 0, first);
  load_leaf(s, 1, second);
  for (int i = 0; i < s->leaf[0].count; i++) {
    for (int j = 0; j < s->leaf[1].count; j++) {
      const edge *a = &s->leaf[0].edges[i], *b = &s->leaf[1].edges[j];
      if (pass(a, b, s->run->options->edge_depth, &p) && is_shared(s, a, b, &p)) add_edges(s, a, b, &p);
    }
  }
}

/* ---- the descent ---- */

static double beyond(double d, double half_a, double half_b) { return ct_max2(fabs(d) - half_a - half_b, 0.0); }

/* Can two nodes have a pair of edges near enough? */
static bool may_pass(const search *s, const ct_mesh_node *n, const ct_mesh_node *m) {
  ct_vec3 half_n = ct_scale(ct_sub(n->box.max, n->box.min), 0.5), half_m = ct_scale(ct_sub(m->box.max, m->box.min), 0.5);
  ct_vec3 middle = ct_to_parent(s->pair.relative, ct_scale(ct_add(m->box.min, m->box.max), 0.5));
  ct_vec3 d = ct_sub(middle, ct_scale(ct_add(n->box.min, n->box.max), 0.5));
  half_m = ct_mat_mul(s->size, half_m);
  ct_vec3 gap = {beyond(d.x, half_n.x, half_m.x), beyond(d.y, half_n.y, half_m.y), beyond(d.z, half_n.z, half_m.z)};
  double depth = s->run->options->edge_depth;
  double reach = (depth > 0.0 ? depth : ct_min2(n->radius, m->radius)) + s->pair.slack;
  if (ct_norm2(gap) > reach * reach) return false;
  double balls = reach + n->radius + m->radius;
  return ct_norm2(d) <= balls * balls;
}

typedef struct node_pair {
  uint32_t first, second;
} node_pair;

static void descend(search *s) {
  const ct_mesh_node *a = s->pair.a->nodes, *b = s->pair.b->nodes;
  node_pair stack[STACK_SIZE];
  int top = 0;
  stack[top++] = (node_pair){0, 0};
  while (top > 0) {
    node_pair w = stack[--top];
    const ct_mesh_node *n = &a[w.first], *m = &b[w.second];
    if (!may_pass(s, n, m)) continue;
    if (ct_mesh_stopped(s->pair.memory, 1)) return;
    if (n->count > 0 && m->count > 0) {
      compare_leaves(s, w.first, w.second);
    } else if (m->count > 0 || (n->count == 0 && n->radius >= m->radius)) {
      stack[top++] = (node_pair){n->first + 1, w.second};
      stack[top++] = (node_pair){n->first, w.second};
    } else {
      stack[top++] = (node_pair){w.first, m->first + 1};
      stack[top++] = (node_pair){w.first, m->first};
    }
  }
}

static int by_edges(const void *left, const void *right) {
  const ct_pair_feature *p = left, *q = right;
  const uint32_t u[4] = {p->edge_a[0], p->edge_a[1], p->edge_b[0], p->edge_b[1]};
  const uint32_t v[4] = {q->edge_a[0], q->edge_a[1], q->edge_b[0], q->edge_b[1]};
  for (int i = 0; i < 4; i++)
    if (u[i] != v[i]) return u[i] < v[i] ? -1 : 1;
  return 0;
}

void ct_feature_edges(ct_feature_run *run) {
  int first = run->swapped;
  search s = {.run = run, .body = {&run->body[first], &run->body[1 - first]}, .leaf = {{.node = NO_NODE}, {.node = NO_NODE}}};
  ct_frame relative = ct_feature_relative(s.body[1]->frame, s.body[0]->frame);
  ct_mesh_pair_open(&s.pair, s.body[0]->mesh, s.body[1]->mesh, &relative, &run->workspace->mesh);
  s.size = ct_mat_abs(relative.rotation);
  descend(&s);
  size_t from = run->vertices_a + run->vertices_b;
  if (run->memory->count > from) qsort(run->memory->items + from, run->memory->count - from, sizeof *run->memory->items, by_edges);
}
