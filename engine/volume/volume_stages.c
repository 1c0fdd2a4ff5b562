/* Stages of an intersection for display: dual points, and vertices and faces of the intersection.
 *
 * Polarity maps the faces of the intersection to vertices of the dual hull, and its vertices to the
 * dual hull's faces (Muller, Preparata 1978), whether it was computed by clipping or by the dual
 * hull. */

#include "volume/volume_stages.h"
#include "base/array.h"
#include "pair/workspace.h"

#include <assert.h>
#include <stdlib.h>

typedef struct stages {
  const ct_volume_common *common;
  ct_volume_scratch *memory;
  ct_volume_stages *out;
  ct_vec3 inner;
  const ct_cancel *cancel;
  uint32_t *point_of_b; /* [b's faces] index of each face's dual point */
  uint32_t *before;     /* [cut edges] the preceding half-edge in the same face */
} stages;

/* Builds the tables point_of_b and before, which save a search per vertex. False: out of memory. */
static bool build_stage_tables(stages *s) {
  const ct_volume_common *c = s->common;
  const ct_cut *cut = c->cut;
  uint32_t number = c->a->face_count;
  s->point_of_b = malloc((c->b->face_count + (size_t)1) * sizeof *s->point_of_b);
  s->before = malloc((cut->edge_count + (size_t)1) * sizeof *s->before);
  if (!s->point_of_b || !s->before) return false;
  for (uint32_t f = 0; f < c->b->face_count; f++) s->point_of_b[f] = CT_CUT_NONE;
  for (uint32_t f = 0; f < c->a->face_count; f++)
    if (c->shared[f] != CT_CUT_NONE) s->point_of_b[c->shared[f]] = f;
  for (uint32_t f = 0; f < c->b->face_count; f++)
    if (s->point_of_b[f] == CT_CUT_NONE) s->point_of_b[f] = number++;
  for (uint32_t f = 0; f < cut->face_count; f++) {
    uint32_t first = cut->first[f], e = first;
    if (first == CT_CUT_NONE) continue;
    do {
      s->before[cut->edges[e].next] = e;
      e = cut->edges[e].next;
    } while (e != first);
  }
  return true;
}

/* Returns the index of a plane's dual point. First come those of a's faces, then those of b's faces
 * that are not shared. */
static uint32_t find_dual_point(const stages *s, const ct_volume_origin *from) {
  return from->of_a ? from->face : s->point_of_b[from->face];
}

/* Returns the distance of the inner point from a plane, m; at least epsilon, to which the Solfec
 * method displaces planes. */
static double compute_inner_distance(const stages *s, const ct_volume_origin *from) {
  const ct_volume_common *c = s->common;
  double distance;
  if (c->is_wide) {
    const ct_wide_plane plane =
        ct_wide_face(from->body, from->face, from->of_a ? NULL : &c->pair->wide);
    const ct_dd3 inner = ct_dd3_of(s->inner);
    distance = -ct_dd_value(ct_wide_height(&plane, &inner));
  } else {
    distance = from->body->offset[from->face] -
               ct_dot(ct_volume_body_normal(from->body, from->face), s->inner);
  }
  return ct_max2(distance, c->epsilon);
}

/* Appends the dual point of a plane. False: out of memory. */
static bool push_dual_point(stages *s, const ct_volume_origin *from, uint32_t other) {
  ct_volume_scratch *m = s->memory;
  if (!ct_array_reserve32(&m->points, &m->point_capacity, m->point_count + 1, sizeof *m->points))
    return false;
  double distance = compute_inner_distance(s, from);
  m->points[m->point_count++] = (ct_dual_point){
      .point = ct_scale(ct_volume_body_normal(from->body, from->face), 1.0 / distance),
      .owner = other != CT_CUT_NONE ? CT_OWNER_SHARED
               : from->of_a         ? CT_OWNER_A
                                    : CT_OWNER_B,
      .face_a = from->of_a ? from->face : CT_NO_FACE,
      .face_b = from->of_a ? other : from->face};
  s->out->point_count++;
  return true;
}

static bool push_dual_points(stages *s) {
  const ct_volume_common *c = s->common;
  for (uint32_t f = 0; f < c->a->face_count; f++) {
    const ct_volume_origin from = {c->a, f, true};
    if (!push_dual_point(s, &from, c->shared[f])) return false;
  }
  for (uint32_t f = 0; f < c->b->face_count; f++) {
    const ct_volume_origin from = {c->b, f, false};
    bool is_shared = find_dual_point(s, &from) < c->a->face_count;
    if (!is_shared && !push_dual_point(s, &from, CT_CUT_NONE)) return false;
  }
  return true;
}

static bool push_stage_index(stages *s, uint32_t index) {
  ct_volume_scratch *m = s->memory;
  if (!ct_array_reserve32(&m->stage_indices, &m->stage_index_capacity, m->stage_index_count + 1,
                          sizeof *m->stage_indices))
    return false;
  m->stage_indices[m->stage_index_count++] = index;
  return true;
}

static bool push_stage_face(stages *s, uint32_t f) {
  ct_volume_scratch *m = s->memory;
  const ct_cut *cut = s->common->cut;
  const ct_volume_origin from = ct_volume_origin_of(s->common, f);
  if (!ct_array_reserve32(&m->stage_faces, &m->stage_face_capacity, m->stage_face_count + 1,
                          sizeof *m->stage_faces))
    return false;
  uint32_t point = find_dual_point(s, &from), first = cut->first[f], e = first;
  assert(point < s->out->point_count && first != CT_CUT_NONE);
  ct_dual_point *dual = &m->points[s->out->first_point + point];
  ct_stage_face face = {.owner = dual->owner,
                        .face_a = dual->face_a,
                        .face_b = dual->face_b,
                        .normal = ct_volume_body_normal(from.body, from.face),
                        .offset = from.body->offset[from.face],
                        .point = point,
                        .first_index = m->stage_index_count};
  dual->on_hull = true;
  do {
    assert(cut->edges[e].origin < cut->vertex_count);
    if (!push_stage_index(s, cut->edges[e].origin)) return false;
    e = cut->edges[e].next;
  } while (e != first);
  face.index_count = m->stage_index_count - face.first_index;
  m->stage_faces[m->stage_face_count++] = face;
  s->out->face_count++;
  return true;
}

/* Appends a vertex of the intersection and the faces around it, counter-clockwise seen from
 * outside, which is the order of the dual points around the dual face. False: out of memory. */
static bool push_stage_vertex(stages *s, uint32_t v) {
  ct_volume_scratch *m = s->memory;
  const ct_cut *cut = s->common->cut;
  if (!ct_array_reserve32(&m->stage_vertices, &m->stage_vertex_capacity, m->stage_vertex_count + 1,
                          sizeof *m->stage_vertices))
    return false;
  ct_stage_vertex vertex = {.position = ct_cut_vertex(cut, v), .first_index = m->stage_index_count};
  uint32_t first = cut->edge_of[v], e = first;
  do {
    const ct_volume_origin from = ct_volume_origin_of(s->common, cut->edges[e].face);
    if (!push_stage_index(s, find_dual_point(s, &from))) return false;
    /* The preceding half-edge in the same face ends at this vertex; its twin is the next one around
     * the vertex, counter-clockwise. */
    e = cut->edges[s->before[e]].twin;
    assert(cut->edges[e].origin == v);
  } while (e != first);
  vertex.index_count = m->stage_index_count - vertex.first_index;
  m->stage_vertices[m->stage_vertex_count++] = vertex;
  s->out->vertex_count++;
  return true;
}

void ct_volume_push_stages(const ct_volume_common *c, ct_volume_contact *contact) {
  ct_volume_scratch *m = c->pair->memory;
  stages s = {.common = c,
              .memory = m,
              .out = &contact->stages,
              .inner = contact->inner,
              .cancel = ct_workspace_cancel(c->pair->workspace)};
  contact->stages = (ct_volume_stages){.first_point = m->point_count,
                                       .first_vertex = m->stage_vertex_count,
                                       .first_face = m->stage_face_count,
                                       .start = c->start,
                                       .has_start = c->has_start};
  bool ok = build_stage_tables(&s) && push_dual_points(&s);
  for (uint32_t v = 0; ok && v < c->cut->vertex_count && !ct_cancel_raised(s.cancel); v++)
    ok = push_stage_vertex(&s, v);
  for (uint32_t f = 0; ok && f < c->cut->face_count && !ct_cancel_raised(s.cancel); f++)
    if (c->cut->first[f] != CT_CUT_NONE) ok = push_stage_face(&s, f);
  c->pair->failed = c->pair->failed || !ok;
  free(s.point_of_b);
  free(s.before);
}
