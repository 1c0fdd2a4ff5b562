/* Crossing edges on the boundary of the intersection of two solid meshes.
 *
 * Each pair of intersecting triangles has an intersection segment. Segments that continue each
 * other within one face of either mesh form one line. If a line ends in an edge of one mesh and in
 * an edge of the other, the two edges cross; so do two edges with a common point in the interior of
 * both. Duriez, Dubois, Kheddar, Andriot 2006 show the case of two triangles (figure 3).
 *
 * Each end of a segment is identified by the vertex, edge or triangle of either mesh that contains
 * it. Exact orientation predicates in the first mesh's frame decide this, so that the ends of
 * neighbouring segments are identified alike in every pose, parallel and coplanar ones included. A
 * face consists of triangles that are coplanar within FLAT_SINE. */
#include "base/predicates.h"
#include "features/features.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Largest sine of the angle between two triangles of one face. Planes that were rotated or stored
 * in single precision are bent by 1e-7; an edge with an angle below this sine counts as flat. */
#define FLAT_SINE 1e-6
/* Cost of a pair of triangles, in steps of 100 ns, for the polls of the cancel flag. */
#define PAIR_STEPS 4

/* ---- edges and faces ------------------------------------------------------------------------ */

static bool are_in_one_plane(ct_vec3 n, ct_vec3 m) {
  return ct_dot(n, m) > 0.0 && ct_norm2(ct_cross(n, m)) <= FLAT_SINE * FLAT_SINE;
}

static ct_vec3 get_triangle_normal(const ct_feature_body *body, uint32_t position) {
  return ct_mesh_normal(body->mesh, body->view->order[position]);
}

static uint32_t find_opposite_vertex(const uint32_t corner[3], uint32_t p, uint32_t q) {
  for (int k = 0; k < 3; k++)
    if (corner[k] != p && corner[k] != q) return corner[k];
  return corner[0];
}

static bool is_edge_between(uint32_t p, uint32_t q, const uint32_t vertices[2]) {
  return (p == vertices[0] && q == vertices[1]) || (q == vertices[0] && p == vertices[1]);
}

static ct_vec3 get_vertex_in_pair_frame(const ct_feature_meshes *m, int side, uint32_t vertex) {
  ct_vec3 v = m->body[side]->view->vertices[vertex];
  return side == 1 ? ct_to_parent(m->pair.relative, v) : v;
}

bool ct_feature_edge_of(const ct_feature_meshes *m, int side, uint32_t position,
                        const uint32_t vertices[2], ct_feature_edge *out) {
  const ct_feature_body *body = m->body[side];
  const ct_mesh_view *view = body->view;
  const uint32_t *corner = view->corners[position];
  uint32_t k = 0;
  while (k < 2 && !is_edge_between(corner[k], corner[(k + 1) % 3], vertices)) k++;
  assert(is_edge_between(corner[k], corner[(k + 1) % 3], vertices));
  /* The edge belongs to that one of its triangles that has the lower index. */
  uint32_t beyond = view->across[position][k], p = corner[k], q = corner[(k + 1) % 3];
  if (beyond == CT_NO_TRIANGLE) return false;
  if (view->order[beyond] < view->order[position])
    return ct_feature_edge_of(m, side, beyond, vertices, out);
  ct_vec3 apex = view->vertices[find_opposite_vertex(view->corners[beyond], p, q)];
  if (ct_orient3d(view->vertices[corner[0]], view->vertices[corner[1]], view->vertices[corner[2]],
                  apex) >= 0)
    return false;
  ct_vec3 left = get_triangle_normal(body, position), right = get_triangle_normal(body, beyond);
  if (are_in_one_plane(left, right)) return false;
  *out = (ct_feature_edge){.p = get_vertex_in_pair_frame(m, side, p),
                           .normal = {left, right},
                           .position = position,
                           .corner = k};
  out->e = ct_sub(get_vertex_in_pair_frame(m, side, q), out->p);
  for (int i = 0; i < 2 && side == 1; i++)
    out->normal[i] = ct_mat_mul(m->pair.relative.rotation, out->normal[i]);
  return true;
}

/* ---- the segment of two triangles ----------------------------------------------------------- */

typedef struct triangle_couple {
  const ct_vec3 *v[2];
  const uint32_t *corner[2];
  uint32_t position[2];
  int height[2][3]; /* sign of each corner's height above the plane of the other triangle */
  int ends;
  ct_feature_end end[2];
} triangle_couple;

static bool is_edge_simplex(const uint32_t simplex[2]) {
  return simplex[0] != CT_NO_TRIANGLE && simplex[0] != simplex[1];
}

static void name_vertex_simplex(const triangle_couple *c, int side, int k, uint32_t out[2]) {
  out[0] = out[1] = c->corner[side][k];
}

static void name_edge_simplex(const triangle_couple *c, int side, int k, uint32_t out[2]) {
  uint32_t p = c->corner[side][k], q = c->corner[side][(k + 1) % 3];
  out[0] = p < q ? p : q;
  out[1] = p < q ? q : p;
}

/* Finds the part (vertex, edge or interior) of a triangle that contains a point of the triangle's
 * plane; turn: sign of the side of each edge on which the point is. False: the point is outside. */
static bool name_containing_simplex(const triangle_couple *c, int side, const int turn[3],
                                    uint32_t out[2]) {
  int sum = turn[0] + turn[1] + turn[2], zeros = (turn[0] == 0) + (turn[1] == 0) + (turn[2] == 0);
  if (abs(sum) + zeros != 3 || zeros == 3) return false;
  if (zeros == 0) {
    out[0] = CT_NO_TRIANGLE;
    out[1] = c->position[side];
    return true;
  }
  assert(zeros == 1 || zeros == 2);
  /* on an edge, or in a vertex */
  int k = 0;
  while (turn[k] != 0) k++;
  if (zeros == 1) name_edge_simplex(c, side, k, out);
  else name_vertex_simplex(c, side, turn[(k + 1) % 3] == 0 ? (k + 1) % 3 : k, out);
  return true;
}

/* Adds the intersection of the line through two corners of a triangle with the other triangle to
 * the ends, unless it is already there. */
static void add_segment_end(triangle_couple *c, int side, int from, int to, bool at_vertex) {
  int turn[3], other = 1 - side;
  ct_feature_end end = {.segment = 0};
  for (int l = 0; l < 3; l++)
    turn[l] =
        ct_orient3d(c->v[side][from], c->v[side][to], c->v[other][l], c->v[other][(l + 1) % 3]);
  if (!name_containing_simplex(c, other, turn, end.simplex[other])) return;
  if (at_vertex) name_vertex_simplex(c, side, from, end.simplex[side]);
  else name_edge_simplex(c, side, to == (from + 1) % 3 ? from : to, end.simplex[side]);
  for (int i = 0; i < c->ends; i++)
    if (memcmp(c->end[i].simplex, end.simplex, sizeof end.simplex) == 0) return;
  if (c->ends < 2) c->end[c->ends++] = end;
}

/* Adds the ends at corners of one triangle that are in the plane of the other triangle, and at
 * edges that pass through this plane. */
static void add_segment_ends(triangle_couple *c, int side) {
  const int *height = c->height[side];
  for (int k = 0; k < 3; k++) {
    int next = (k + 1) % 3, last = (k + 2) % 3;
    if (height[k] == 0) add_segment_end(c, side, k, height[next] != 0 ? next : last, true);
    else if (height[k] * height[next] < 0) add_segment_end(c, side, k, next, false);
  }
}

/* Sets the signs of the heights of one triangle's corners above the other's plane. False: the
 * triangles are coplanar, or this one is on one side of the other's plane. */
static bool set_height_signs(triangle_couple *c, int side) {
  const ct_vec3 *t = c->v[1 - side];
  int *height = c->height[side];
  for (int k = 0; k < 3; k++) height[k] = ct_orient3d(t[0], t[1], t[2], c->v[side][k]);
  if (height[0] == 0 && height[1] == 0 && height[2] == 0) return false;
  return !(height[0] == height[1] && height[1] == height[2]);
}

static bool runs_along_edge(const triangle_couple *c, int side) {
  const int *height = c->height[side];
  return (height[0] == 0) + (height[1] == 0) + (height[2] == 0) == 2;
}

static bool append_segment(ct_feature_scratch *m, triangle_couple *c) {
  if (!ct_feature_reserve(m, &m->segments, sizeof *m->segments, &m->segment_capacity,
                          m->segment_count + 1) ||
      !ct_feature_reserve(m, &m->ends, sizeof *m->ends, &m->end_capacity, m->end_count + 2))
    return false;
  assert(c->ends == 1 || c->ends == 2);
  uint32_t number = (uint32_t)m->segment_count++;
  m->segments[number] = (ct_feature_segment){
      {c->position[0], c->position[1]},
      number,
      {runs_along_edge(c, 0) || c->ends < 2, runs_along_edge(c, 1) || c->ends < 2}};
  for (int i = 0; i < c->ends; i++) {
    c->end[i].segment = number;
    m->ends[m->end_count++] = c->end[i];
  }
  return true;
}

static bool add_triangle_segment(void *context, const ct_near_triangles *near) {
  ct_feature_meshes *m = context;
  triangle_couple c = {.v = {near->a.v, near->b.v},
                       .position = {near->position_a, near->position_b}};
  if (ct_mesh_is_cancelled(m->pair.memory, PAIR_STEPS)) return false;
  if (!set_height_signs(&c, 0) || !set_height_signs(&c, 1)) return true;
  for (int side = 0; side < 2; side++)
    c.corner[side] = m->body[side]->view->corners[c.position[side]];
  add_segment_ends(&c, 0);
  add_segment_ends(&c, 1);
  return c.ends == 0 || append_segment(m->memory, &c);
}

/* ---- lines ---------------------------------------------------------------------------------- */

static uint32_t find_segment_root(ct_feature_segment *s, uint32_t i) {
  while (s[i].parent != i) i = s[i].parent = s[s[i].parent].parent;
  return i;
}

static bool are_in_one_face(const ct_feature_meshes *m, int side, uint32_t p, uint32_t q) {
  return p == q || are_in_one_plane(get_triangle_normal(m->body[side], p),
                                    get_triangle_normal(m->body[side], q));
}

static void join_if_one_face(const ct_feature_meshes *m, uint32_t i, uint32_t j) {
  ct_feature_segment *s = m->memory->segments;
  for (int side = 0; side < 2; side++)
    if (!are_in_one_face(m, side, s[i].position[side], s[j].position[side])) return;
  uint32_t p = find_segment_root(s, i), q = find_segment_root(s, j);
  assert(p <= i && q <= j); /* the lowest segment represents its line */
  s[p < q ? q : p].parent = p < q ? p : q;
}

static int compare_segment_ends(const void *left, const void *right) {
  const ct_feature_end *p = left, *q = right;
  int order = memcmp(p->simplex, q->simplex, sizeof p->simplex);
  return order ? order : (p->segment > q->segment) - (p->segment < q->segment);
}

/* Joins segments that have a common end and are in one face of each mesh. False: cancelled. */
static bool join_segments(const ct_feature_meshes *m) {
  ct_feature_scratch *memory = m->memory;
  if (memory->end_count > 0)
    qsort(memory->ends, memory->end_count, sizeof *memory->ends, compare_segment_ends);
  for (size_t i = 0, end; i < memory->end_count; i = end) {
    for (end = i + 1; end < memory->end_count; end++)
      if (memcmp(memory->ends[i].simplex, memory->ends[end].simplex,
                 sizeof memory->ends[i].simplex) != 0)
        break;
    for (size_t j = i; j < end; j++) {
      if (ct_mesh_is_cancelled(m->pair.memory, (uint32_t)(end - j))) return false;
      for (size_t k = j + 1; k < end; k++)
        join_if_one_face(m, memory->ends[j].segment, memory->ends[k].segment);
    }
  }
  return true;
}

/* ---- crossings ------------------------------------------------------------------------------ */

static bool add_crossing_pair(ct_feature_scratch *m, uint32_t first, uint32_t second) {
  if (!ct_feature_reserve(m, &m->crossings, sizeof *m->crossings, &m->crossing_capacity,
                          m->crossing_count + 1))
    return false;
  ct_feature_crossing *c = &m->crossings[m->crossing_count++];
  c->end[0] = first;
  c->end[1] = second;
  for (int side = 0; side < 2; side++)
    memcpy(c->edge[side], m->ends[c->end[side]].simplex[side], sizeof c->edge[side]);
  return true;
}

static bool is_convex_edge(const ct_feature_meshes *m, int side, const ct_feature_end *end) {
  ct_feature_edge unused;
  return is_edge_simplex(end->simplex[side]) &&
         ct_feature_edge_of(m, side, m->memory->segments[end->segment].position[side],
                            end->simplex[side], &unused);
}

/* Lists the segment ends on convex edges, with their line and mesh. An end in the interior of two
 * convex edges is a crossing by itself. A segment along an edge does not end in that edge. False:
 * out of memory. */
static bool collect_edge_ends(const ct_feature_meshes *m) {
  ct_feature_scratch *memory = m->memory;
  for (uint32_t i = 0; i < memory->end_count; i++) {
    const ct_feature_end *end = &memory->ends[i];
    const ct_feature_segment *segment = &memory->segments[end->segment];
    bool convex[2] = {is_convex_edge(m, 0, end), is_convex_edge(m, 1, end)};
    if (convex[0] && convex[1] && !add_crossing_pair(memory, i, i)) return false;
    if (!ct_feature_reserve(memory, &memory->stops, sizeof *memory->stops, &memory->stop_capacity,
                            memory->stop_count + 2))
      return false;
    for (uint32_t side = 0; side < 2; side++)
      if (convex[side] && !segment->along[side])
        memory->stops[memory->stop_count++] =
            (ct_feature_edge_end){find_segment_root(memory->segments, end->segment), side, i};
  }
  return true;
}

static int compare_edge_ends(const void *left, const void *right) {
  const ct_feature_edge_end *p = left, *q = right;
  if (p->root != q->root) return p->root < q->root ? -1 : 1;
  if (p->side != q->side) return p->side < q->side ? -1 : 1;
  return (p->end > q->end) - (p->end < q->end);
}

/* Adds a crossing for each pair of convex edges, one per mesh, in which the same line ends. False:
 * out of memory or cancelled. */
static bool pair_edge_ends(const ct_feature_meshes *m) {
  ct_feature_scratch *memory = m->memory;
  const ct_feature_edge_end *stops = memory->stops;
  if (memory->stop_count > 0)
    qsort(memory->stops, memory->stop_count, sizeof *memory->stops, compare_edge_ends);
  for (size_t i = 0, middle, end; i < memory->stop_count; i = end) {
    for (middle = i; middle < memory->stop_count && stops[middle].root == stops[i].root &&
                     stops[middle].side == 0;)
      middle++;
    for (end = middle; end < memory->stop_count && stops[end].root == stops[i].root;) end++;
    for (size_t j = i; j < middle; j++) {
      if (ct_mesh_is_cancelled(m->pair.memory, (uint32_t)(end - middle))) return false;
      for (size_t k = middle; k < end; k++)
        if (!add_crossing_pair(memory, stops[j].end, stops[k].end)) return false;
    }
  }
  return true;
}

bool ct_feature_cross(ct_feature_meshes *m) {
  ct_feature_scratch *memory = m->memory;
  memory->segment_count = memory->end_count = memory->stop_count = memory->crossing_count = 0;
  return ct_mesh_pair_visit_boxes(&m->pair, add_triangle_segment, m) && join_segments(m) &&
         collect_edge_ends(m) && pair_edge_ends(m);
}
