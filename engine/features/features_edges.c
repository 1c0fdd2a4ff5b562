/* Edge-edge contact features: the closest points of two edges that cross on the boundary of the
 * intersection of two solids.
 *
 * features_edge_crossings.c finds the crossings. This file drops crossings inside another part of a
 * self-intersecting mesh, and pairs of edges deeper than the caller's limit. Crossing edges may be
 * separated at their closest points: if the lower face of a bar is tilted, only a part of its edge
 * is inside the other solid. Then the ends of the intersection line are used. Everything is in the
 * frame of the mesh that comes first by content. */
#include "features/features.h"
#include "pair/workspace.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- nearest points of two edges ------------------------------------------------------------ */

/* Nearest points of two crossing edges. */
typedef struct edge_gap {
  double at[2];    /* position of the point on each edge: 0 at p, 1 at p + e */
  double distance; /* <= 0: minus the distance between the points, m */
  /* Unit, with point_b - point_a = distance * normal. For distances up to `slack`, the common
   * normal of both edges, out of the first solid and into the second. */
  ct_vec3 normal;
} edge_gap;

/* Round-off of positions on an edge, as a fraction of the edge. */
#define AT_ROUNDING 1e-14

/* The closest points found so far, as positions on both edges, and their squared distance. */
typedef struct best_points {
  double at[2], square;
} best_points;

static ct_vec3 evaluate_edge_point(const ct_feature_edge *e, double at) {
  return ct_add_scaled(e->p, e->e, at);
}

static double clamp_parameter(double at) { return ct_min2(ct_max2(at, 0.0), 1.0); }

static double project_onto_edge(const ct_feature_edge *e, ct_vec3 p) {
  return clamp_parameter(ct_dot(ct_sub(p, e->p), e->e) / ct_norm2(e->e));
}

static void keep_nearer_points(const ct_feature_edge edge[2], double at_a, double at_b,
                               best_points *best) {
  double square =
      ct_norm2(ct_sub(evaluate_edge_point(&edge[1], at_b), evaluate_edge_point(&edge[0], at_a)));
  if (square < best->square) *best = (best_points){{at_a, at_b}, square};
}

/* Finds the closest points of two edges if the closest points of their lines are not on both edges:
 * one of them is then an end of an edge. */
static best_points find_nearest_ends(const ct_feature_edge edge[2]) {
  best_points best = {{0.0, 0.0}, INFINITY};
  for (int i = 0; i < 2; i++) {
    keep_nearer_points(edge, i, project_onto_edge(&edge[1], evaluate_edge_point(&edge[0], i)),
                       &best);
    keep_nearer_points(edge, project_onto_edge(&edge[0], evaluate_edge_point(&edge[1], i)), i,
                       &best);
  }
  return best;
}

/* Makes the gap between two positions on the edges. If the points coincide within `slack`, its
 * normal is the common normal of the edges, on the side of `out`. */
static edge_gap make_edge_gap(const ct_feature_edge edge[2], double at_a, double at_b, ct_vec3 out,
                              double slack) {
  ct_vec3 apart = ct_sub(evaluate_edge_point(&edge[0], at_a), evaluate_edge_point(&edge[1], at_b));
  ct_vec3 upright = ct_unit_or(ct_cross(edge[0].e, edge[1].e), edge[0].normal[0]);
  double length = ct_norm(apart);
  assert(at_a >= 0.0 && at_a <= 1.0 && at_b >= 0.0 && at_b <= 1.0);
  if (ct_dot(upright, out) < 0.0) upright = ct_neg(upright);
  return (edge_gap){.at = {at_a, at_b},
                    .distance = 0.0 - length,
                    .normal = length > slack ? ct_unit_or(apart, upright) : upright};
}

static bool is_edge_parameter(double at) { return at >= -AT_ROUNDING && at <= 1.0 + AT_ROUNDING; }

static edge_gap find_nearest_points(const ct_feature_edge edge[2], ct_vec3 out, double slack) {
  const ct_feature_edge *a = &edge[0], *b = &edge[1];
  ct_vec3 m = ct_cross(a->e, b->e), r = ct_sub(b->p, a->p);
  double square = ct_norm2(m),
         at[2] = {ct_dot(ct_cross(r, b->e), m) / square, ct_dot(ct_cross(r, a->e), m) / square};
  if (!(square > 0.0 && is_edge_parameter(at[0]) && is_edge_parameter(at[1]))) {
    best_points ends = find_nearest_ends(edge);
    return make_edge_gap(edge, ends.at[0], ends.at[1], out, slack);
  }
  m = ct_scale(m, 1.0 / sqrt(square));
  double height = ct_dot(m, r);
  bool turn = fabs(height) > slack ? height > 0.0 : ct_dot(m, out) < 0.0;
  return (edge_gap){.at = {clamp_parameter(at[0]), clamp_parameter(at[1])},
                    .distance = 0.0 - fabs(height),
                    .normal = turn ? ct_neg(m) : m};
}

/* Finds the closest points of two edges. If the edges are separated there, the ends of the
 * intersection line `line` are used instead. */
static edge_gap find_edge_gap(const ct_feature_edge edge[2], const ct_vec3 line[2], double slack) {
  ct_vec3 out = ct_sub(ct_add(edge[0].normal[0], edge[0].normal[1]),
                       ct_add(edge[1].normal[0], edge[1].normal[1]));
  edge_gap nearest = find_nearest_points(edge, out, slack);
  if (ct_dot(nearest.normal, out) >= 0.0) return nearest;
  return make_edge_gap(edge, project_onto_edge(&edge[0], line[0]),
                       project_onto_edge(&edge[1], line[1]), out, slack);
}

/* Distance outside a surface at which a crossing is tested against other parts of the same mesh,
 * relative to the larger extent: more than the round-off of transformed points, less than the
 * thickness of modelled walls. */
#define OUTSIDE_PART 0x1p-40
/* Cost of a pair of edges, in steps of 100 ns, for the polls of the cancel flag. */
#define CROSSING_STEPS 64

typedef struct search {
  ct_feature_run *run;
  ct_feature_meshes meshes;
} search;

/* Two crossing edges and their nearest points. */
typedef struct crossing_pair {
  ct_feature_edge edge[2];
  edge_gap nearest;
} crossing_pair;

/* ---- inside another part of the same mesh --------------------------------------------------- */

/* True if a point of a mesh's surface, with an outward direction there, is on the boundary of the
 * mesh's solid, and not inside another part of it. */
static bool is_solid_boundary(const search *s, int side, ct_vec3 p, ct_vec3 outward) {
  double step = OUTSIDE_PART * s->meshes.pair.extent;
  ct_vec3 beside = ct_add_scaled(p, ct_unit_or(outward, ct_vec(0.0, 0.0, 0.0)), step);
  if (side == 1) beside = ct_to_local(s->meshes.pair.relative, beside);
  return ct_mesh_side_of(s->meshes.body[side]->mesh, beside, NULL) != CT_MESH_INSIDE;
}

static ct_triangle get_placed_triangle(const search *s, int side, uint32_t position) {
  ct_triangle t = ct_mesh_triangle(s->meshes.body[side]->view, position);
  for (int k = 0; k < 3 && side == 1; k++) t.v[k] = ct_to_parent(s->meshes.pair.relative, t.v[k]);
  return t;
}

/* Returns the intersection of an edge with the plane of a triangle, clamped to the edge. */
static ct_vec3 intersect_edge_plane(const ct_feature_edge *e, const ct_triangle *t,
                                    ct_vec3 normal) {
  double from = ct_dot(normal, ct_sub(e->p, t->v[0])), along = ct_dot(normal, e->e);
  double at = along != 0.0 ? ct_min2(ct_max2(-from / along, 0.0), 1.0) : 0.5;
  return ct_add_scaled(e->p, e->e, at);
}

/* True if the intersection line between the two ends of a crossing is on the boundary of both
 * solids, which is tested at the ends and halfway. point: set to the ends. */
static bool is_line_on_boundary(const search *s, const ct_feature_crossing *c,
                                const ct_feature_edge edge[2], ct_vec3 point[2]) {
  const ct_feature_scratch *memory = s->meshes.memory;
  ct_vec3 normal[2], outward[2];
  for (int side = 0; side < 2; side++) {
    uint32_t position = memory->segments[memory->ends[c->end[1 - side]].segment].position[side];
    ct_triangle face = get_placed_triangle(s, side, position);
    normal[side] = ct_triangle_cross(&face);
    outward[side] = ct_add(edge[side].normal[0], edge[side].normal[1]);
    point[1 - side] = intersect_edge_plane(&edge[1 - side], &face, normal[side]);
  }
  if (!is_solid_boundary(s, 0, point[0], outward[0]) ||
      !is_solid_boundary(s, 1, point[1], outward[1]))
    return false;
  if (c->end[0] == c->end[1]) return true;
  ct_vec3 middle = ct_lerp(point[0], point[1], 0.5);
  return is_solid_boundary(s, 0, middle, normal[0]) && is_solid_boundary(s, 1, middle, normal[1]);
}

/* ---- the list ------------------------------------------------------------------------------- */

/* True if a vertex of the body has a feature of less depth than `depth`: binary search in the
 * vertex features, which are sorted. */
static bool has_shallower_vertex(const ct_feature_run *run, int which, uint32_t vertex,
                                 double depth) {
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

static bool has_shallower_end(const ct_feature_run *run, int which, const ct_feature_edge *e,
                              double depth) {
  const uint32_t *corner = run->body[which].view->corners[e->position];
  return has_shallower_vertex(run, which, corner[e->corner], depth) ||
         has_shallower_vertex(run, which, corner[(e->corner + 1) % 3], depth);
}

/* Returns the feature point of an edge, on its triangle; vertices: set to the edge's vertices in
 * ascending order. */
static ct_pair_feature_point make_edge_point(const ct_feature_body *body, const ct_feature_edge *e,
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

static void add_edge_feature(search *s, const crossing_pair *c) {
  ct_feature_run *run = s->run;
  const ct_feature_edge *e[2] = {&c->edge[run->swapped], &c->edge[!run->swapped]};
  ct_pair_feature f = {.kind = CT_PAIR_FEATURE_EDGE_EDGE,
                       .mode = CT_FEATURES_BACKWARD,
                       .distance = c->nearest.distance};
  if (has_shallower_end(run, 0, e[0], -c->nearest.distance) &&
      has_shallower_end(run, 1, e[1], -c->nearest.distance)) {
    f.flags |= CT_PAIR_FEATURE_DOUBLED;
    run->doubled++;
  }
  f.a = make_edge_point(&run->body[0], e[0], c->nearest.at[run->swapped], f.edge_a,
                        CT_PAIR_FEATURE_FACE_NORMAL_A, &f.flags);
  f.b = make_edge_point(&run->body[1], e[1], c->nearest.at[!run->swapped], f.edge_b,
                        CT_PAIR_FEATURE_FACE_NORMAL_B, &f.flags);
  f.normal = ct_mat_mul(s->meshes.body[0]->frame->rotation,
                        run->swapped ? ct_neg(c->nearest.normal) : c->nearest.normal);
  ct_feature_add(run->memory, &f);
}

/* ---- crossings by edges --------------------------------------------------------------------- */

static int compare_crossings(const void *left, const void *right) {
  const ct_feature_crossing *p = left, *q = right;
  int order = memcmp(p->edge, q->edge, sizeof p->edge);
  if (order) return order;
  if (p->end[0] != q->end[0]) return p->end[0] < q->end[0] ? -1 : 1;
  return (p->end[1] > q->end[1]) - (p->end[1] < q->end[1]);
}

/* Adds one feature for all `count` crossings of the same two edges, starting at *run. */
static void add_crossing_run(search *s, const ct_feature_crossing *run, size_t count) {
  const ct_feature_scratch *memory = s->meshes.memory;
  double depth = s->run->options->edge_depth;
  assert(count > 0);
  ct_vec3 line[2]; /* ends of the shortest line, on the first edge and on the second */
  crossing_pair pair;
  for (int side = 0; side < 2; side++) {
    uint32_t position = memory->segments[memory->ends[run->end[side]].segment].position[side];
    if (!ct_feature_edge_of(&s->meshes, side, position, run->edge[side], &pair.edge[side])) return;
  }
  /* Find the shortest intersection line that is on the boundary of both solids. */
  double least = INFINITY;
  for (size_t i = 0; i < count; i++) {
    ct_vec3 end[2];
    if (!is_line_on_boundary(s, &run[i], pair.edge, end)) continue;
    double square = ct_norm2(ct_sub(end[1], end[0]));
    if (square >= least) continue;
    least = square;
    memcpy(line, end, sizeof line);
  }
  if (least == INFINITY) return;
  pair.nearest = find_edge_gap(pair.edge, line, s->meshes.pair.slack);
  if (depth == CT_FEATURES_ANY_DEPTH || -pair.nearest.distance <= depth) add_edge_feature(s, &pair);
}

static int compare_edge_features(const void *left, const void *right) {
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
  qsort(c, memory->crossing_count, sizeof *c, compare_crossings);
  /* Add one feature per pair of edges. */
  for (size_t i = 0, end; i < memory->crossing_count; i = end) {
    for (end = i + 1; end < memory->crossing_count;) {
      if (memcmp(c[i].edge, c[end].edge, sizeof c[i].edge) != 0) break;
      end++;
    }
    if (ct_mesh_is_cancelled(&run->workspace->mesh, CROSSING_STEPS)) return;
    add_crossing_run(&s, &c[i], end - i);
  }
  /* Order the features by vertex indices, independent of the search. */
  size_t from = run->vertices_a + run->vertices_b;
  if (memory->count > from)
    qsort(memory->items + from, memory->count - from, sizeof *memory->items, compare_edge_features);
}
