/* Contact features of two edges that cross on the boundary of what two solids share: the nearest
 * points of the two edges.
 *
 * Which edges cross is found by features_edge_crossings.c. Left out here are crossings inside
 * another part of a mesh that passes through itself, and pairs deeper than the caller allows.
 * Everything is in the frame of the mesh that comes first by content.
 */
#include "features/features.h"
#include "pair/workspace.h"

#include <stdlib.h>
#include <string.h>

/* Distance outside a surface at which a crossing is tested for being inside another part of the
 * same mesh, in units of the larger mesh's extent: above the rounding of placed points, below walls
 * that are modelled. */
#define OUTSIDE_PART 0x1p-40
/* A pair of edges in steps of the flag of some 100 ns. */
#define CROSSING_STEPS 64

typedef struct search {
  ct_feature_run *run;
  ct_feature_meshes meshes;
} search;

/* Two edges that cross. */
typedef struct crossing_pair {
  ct_feature_edge edge[2];
  ct_feature_gap nearest;
} crossing_pair;

/* ---- inside another part of the same mesh ---- */

/* Is a point of a mesh's surface, with a direction out of it, on the boundary of the solid? */
static bool is_boundary(const search *s, int side, ct_vec3 p, ct_vec3 outward) {
  double step = OUTSIDE_PART * s->meshes.pair.extent;
  ct_vec3 beside = ct_add_scaled(p, ct_unit_or(outward, ct_vec(0.0, 0.0, 0.0)), step);
  if (side == 1) beside = ct_to_local(s->meshes.pair.relative, beside);
  return ct_mesh_side_of(s->meshes.body[side]->mesh, beside, NULL) != CT_MESH_INSIDE;
}

static ct_triangle triangle_of(const search *s, int side, uint32_t position) {
  ct_triangle t = ct_mesh_triangle(s->meshes.body[side]->view, position);
  for (int k = 0; k < 3 && side == 1; k++) t.v[k] = ct_to_parent(s->meshes.pair.relative, t.v[k]);
  return t;
}

/* The point in which an edge passes the plane of a triangle, on the edge to rounding. */
static ct_vec3 point_through(const ct_feature_edge *e, const ct_triangle *t, ct_vec3 normal) {
  double from = ct_dot(normal, ct_sub(e->p, t->v[0])), along = ct_dot(normal, e->e);
  double at = along != 0.0 ? ct_min2(ct_max2(-from / along, 0.0), 1.0) : 0.5;
  return ct_add_scaled(e->p, e->e, at);
}

/* Is the line between two ends on the boundary of both solids: at the ends and halfway? Fills the
 * ends. */
static bool is_on_boundary(const search *s, const ct_feature_crossing *c,
                           const ct_feature_edge edge[2], ct_vec3 point[2]) {
  const ct_feature_scratch *memory = s->meshes.memory;
  ct_vec3 normal[2], outward[2];
  for (int side = 0; side < 2; side++) {
    uint32_t position = memory->segments[memory->ends[c->end[1 - side]].segment].position[side];
    ct_triangle face = triangle_of(s, side, position);
    normal[side] = ct_triangle_cross(&face);
    outward[side] = ct_add(edge[side].normal[0], edge[side].normal[1]);
    point[1 - side] = point_through(&edge[1 - side], &face, normal[side]);
  }
  if (!is_boundary(s, 0, point[0], outward[0]) || !is_boundary(s, 1, point[1], outward[1]))
    return false;
  if (c->end[0] == c->end[1]) return true;
  ct_vec3 middle = ct_lerp(point[0], point[1], 0.5);
  return is_boundary(s, 0, middle, normal[0]) && is_boundary(s, 1, middle, normal[1]);
}

/* ---- the list ---- */

/* Is a vertex of the body a feature less deep than this? */
static bool is_counted(const ct_feature_run *run, int which, uint32_t vertex, double depth) {
  const ct_pair_feature *items = run->memory->items;
  size_t low = which ? run->vertices_a : 0,
         high = which ? run->vertices_a + run->vertices_b : run->vertices_a, end = high;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (items[middle].vertex < vertex) low = middle + 1;
    else high = middle;
  }
  for (; low < end && items[low].vertex == vertex; low++)
    if (-items[low].distance < depth) return true;
  return false;
}

static bool has_counted_end(const ct_feature_run *run, int which, const ct_feature_edge *e,
                            double depth) {
  const uint32_t *corner = run->body[which].view->corners[e->position];
  return is_counted(run, which, corner[e->corner], depth) ||
         is_counted(run, which, corner[(e->corner + 1) % 3], depth);
}

/* The point of an edge on the triangle that it belongs to, and the edge's vertices as that one
 * names them. */
static ct_pair_feature_point point_on(const ct_feature_body *body, const ct_feature_edge *e,
                                      double at, uint32_t vertices[2], uint32_t flag,
                                      uint32_t *flags) {
  const ct_mesh_view *view = body->view;
  const uint32_t *corner = view->corners[e->position];
  ct_vec3 end[2] = {view->vertices[corner[e->corner]], view->vertices[corner[(e->corner + 1) % 3]]};
  ct_feature_match match = {.triangle = view->order[e->position],
                            .point = ct_lerp(end[0], end[1], at)};
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

static void add_pair(search *s, const crossing_pair *c) {
  ct_feature_run *run = s->run;
  const ct_feature_edge *e[2] = {&c->edge[run->swapped], &c->edge[!run->swapped]};
  ct_pair_feature f = {.kind = CT_PAIR_FEATURE_EDGE_EDGE,
                       .mode = CT_FEATURES_BACKWARD,
                       .distance = c->nearest.distance};
  if (has_counted_end(run, 0, e[0], -c->nearest.distance) &&
      has_counted_end(run, 1, e[1], -c->nearest.distance)) {
    f.flags |= CT_PAIR_FEATURE_DOUBLED;
    run->doubled++;
  }
  f.a = point_on(&run->body[0], e[0], c->nearest.at[run->swapped], f.edge_a,
                 CT_PAIR_FEATURE_FACE_NORMAL_A, &f.flags);
  f.b = point_on(&run->body[1], e[1], c->nearest.at[!run->swapped], f.edge_b,
                 CT_PAIR_FEATURE_FACE_NORMAL_B, &f.flags);
  f.normal = ct_mat_mul(s->meshes.body[0]->frame->rotation,
                        run->swapped ? ct_neg(c->nearest.normal) : c->nearest.normal);
  ct_feature_add(run->memory, &f);
}

/* ---- crossings by edges ---- */

static int by_edge_names(const void *left, const void *right) {
  const ct_feature_crossing *p = left, *q = right;
  int order = memcmp(p->edge, q->edge, sizeof p->edge);
  if (order) return order;
  if (p->end[0] != q->end[0]) return p->end[0] < q->end[0] ? -1 : 1;
  return (p->end[1] > q->end[1]) - (p->end[1] < q->end[1]);
}

/* Crossings of the same two edges make one feature. */
static void add_run(search *s, const ct_feature_crossing *run, size_t count) {
  const ct_feature_scratch *memory = s->meshes.memory;
  double depth = s->run->options->edge_depth;
  ct_vec3 line[2]; /* the shortest, from the first edge to the second */
  crossing_pair pair;
  for (int side = 0; side < 2; side++) {
    uint32_t position = memory->segments[memory->ends[run->end[side]].segment].position[side];
    if (!ct_feature_edge_of(&s->meshes, side, position, run->edge[side], &pair.edge[side])) return;
  }
  double least = INFINITY;
  for (size_t i = 0; i < count; i++) {
    ct_vec3 end[2];
    if (!is_on_boundary(s, &run[i], pair.edge, end)) continue;
    double square = ct_norm2(ct_sub(end[1], end[0]));
    if (square >= least) continue;
    least = square;
    memcpy(line, end, sizeof line);
  }
  if (least == INFINITY) return;
  pair.nearest = ct_feature_gap_of_edges(pair.edge, line, s->meshes.pair.slack);
  if (depth == CT_FEATURES_ANY_DEPTH || -pair.nearest.distance <= depth) add_pair(s, &pair);
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
  ct_feature_scratch *memory = run->memory;
  search s = {.run = run,
              .meshes = {.body = {&run->body[first], &run->body[1 - first]}, .memory = memory}};
  ct_frame relative = ct_feature_relative(s.meshes.body[1]->frame, s.meshes.body[0]->frame);
  ct_mesh_pair_open(&s.meshes.pair, s.meshes.body[0]->mesh, s.meshes.body[1]->mesh, &relative,
                    &run->workspace->mesh);
  if (!ct_feature_cross(&s.meshes) || memory->crossing_count == 0) return;
  ct_feature_crossing *c = memory->crossings;
  qsort(c, memory->crossing_count, sizeof *c, by_edge_names);
  for (size_t i = 0, end; i < memory->crossing_count; i = end) {
    for (end = i + 1; end < memory->crossing_count;) {
      if (memcmp(c[i].edge, c[end].edge, sizeof c[i].edge) != 0) break;
      end++;
    }
    if (ct_mesh_is_cancelled(&run->workspace->mesh, CROSSING_STEPS)) return;
    add_run(&s, &c[i], end - i);
  }
  size_t from = run->vertices_a + run->vertices_b;
  if (memory->count > from)
    qsort(memory->items + from, memory->count - from, sizeof *memory->items, by_edges);
}
