/* Triangulated surface of the intersection of two solids.
 *
 * Triangles entirely inside the other solid are copied, other parts are decomposed into trapezoids,
 * and areas in both surfaces are added once, as shared.
 */
#include "triangle/triangle_distance.h"
#include "volume/volume_mesh.h"

typedef struct surface {
  ct_volume_pair *pair;
  const ct_overlaid_pair *laid;
  ct_volume_triangle next; /* owner and faces */
  size_t list_count;       /* borders of the lists; borders of the current part follow them */
  bool failed;
} surface;

static uint32_t get_face_number(const ct_placed_surface *skin, uint32_t triangle) {
  return skin->faces ? skin->faces[triangle] : skin->view->order[triangle];
}

/* Adds a triangle of a trapezoid unless its area is round-off. */
static bool push_surface_triangle(void *context, const ct_vec3 v[3]) {
  surface *s = context;
  const ct_overlaid_pair *l = s->laid;
  double border =
      ct_norm(ct_sub(v[1], v[0])) + ct_norm(ct_sub(v[2], v[1])) + ct_norm(ct_sub(v[0], v[2]));
  ct_triangle t = {{v[0], v[1], v[2]}};
  if (0.5 * ct_norm(ct_triangle_cross(&t)) <= ct_arrangement_error(&l->o) * border) return true;
  for (int k = 0; k < 3; k++) s->next.vertex[k] = ct_to_parent(l->to_a, ct_add(v[k], l->o.origin));
  return ct_volume_push_triangle(s->pair, &s->next);
}

static bool append_part_border(surface *s, ct_vec3 p, ct_vec3 q, int32_t weight, uint32_t next) {
  ct_arrangement_scratch *m = s->laid->o.memory;
  if (!ct_arrangement_reserve(m, &m->border, sizeof *m->border, &m->border_room,
                              m->border_count + 1))
    return false;
  m->border[m->border_count++] = (ct_border_segment){p, q, weight, next};
  return true;
}

/* ---- shared surface ------------------------------------------------------------------------- */

static bool subtract_polygon(surface *s, int side, uint32_t triangle,
                             const ct_arrangement_polygon *p, int32_t weight) {
  ct_arrangement_scratch *m = s->laid->o.memory;
  ct_arrangement_part *part = &m->side[side].part[m->side[side].slot[triangle]];
  for (int k = 0; k < p->count; k++) {
    if (!append_part_border(s, p->v[k], p->v[k + 1 == p->count ? 0 : k + 1], weight,
                            part->first_border))
      return false;
    part->first_border = (uint32_t)m->border_count - 1;
  }
  return true;
}

static bool push_polygon_triangles(surface *s, const ct_arrangement_polygon *p) {
  for (int k = 2; k < p->count; k++) {
    const ct_vec3 t[3] = {p->v[0], p->v[k - 1], p->v[k]};
    if (!push_surface_triangle(s, t)) return false;
  }
  return true;
}

/* Adds coplanar polygons of both surfaces. They have the orientation of the first triangle; the
 * second triangle's is opposite if the faces face each other. */
static bool push_shared_polygons(surface *s) {
  const ct_overlaid_pair *l = s->laid;
  const ct_arrangement_scratch *m = l->o.memory;
  for (size_t i = 0; i < m->flat_count; i++) {
    const ct_coplanar_pair *f = &m->flat[i];
    ct_arrangement_polygon below, above;
    bool same = ct_coplanar_common_area(&l->o, f, &below, &above);
    if (!subtract_polygon(s, 0, f->triangle[0], &below, -1)) return false;
    if (!subtract_polygon(s, 1, f->triangle[1], same ? &above : &below, same ? -1 : 1))
      return false;
    if (!same) continue;
    uint32_t face[2] = {get_face_number(&l->o.skin[0], f->triangle[0]),
                        get_face_number(&l->o.skin[1], f->triangle[1])};
    s->next = (ct_volume_triangle){
        .owner = CT_OWNER_SHARED, .face_a = face[l->turned], .face_b = face[!l->turned]};
    if (!push_polygon_triangles(s, &below) || !push_polygon_triangles(s, &above)) return false;
  }
  return true;
}

/* ---- parts ---------------------------------------------------------------------------------- */

static bool append_part_edge(void *context, ct_vec3 p, ct_vec3 q, int32_t weight) {
  return append_part_border(context, p, q, weight, 0);
}

static bool push_part_trapezoids(surface *s, int side, const ct_arrangement_part *part) {
  ct_arrangement_scratch *m = s->laid->o.memory;
  m->border_count = s->list_count;
  if (!ct_arrangement_edges(&s->laid->o, side, part, append_part_edge, s)) return false;
  for (uint32_t i = part->first_segment; i != CT_NO_TRIANGLE; i = m->segment[i].next[side])
    if (!append_part_border(s, m->segment[i].p, m->segment[i].q, side == 0 ? 1 : -1, 0))
      return false;
  for (uint32_t i = part->first_border; i != CT_NO_TRIANGLE; i = m->border[i].next)
    if (!append_part_border(s, m->border[i].p, m->border[i].q, m->border[i].weight, 0))
      return false;
  return ct_trapezoids_of(&m->pieces, m->border + s->list_count, m->border_count - s->list_count,
                          part->normal, push_surface_triangle, s);
}

static void push_visited_part(void *context, int side, const ct_arrangement_part *part) {
  surface *s = context;
  const ct_overlaid_pair *l = s->laid;
  const ct_placed_surface *skin = &l->o.skin[side];
  bool of_a = (side == 0) != l->turned;
  uint32_t face = get_face_number(skin, part->triangle);
  s->next = (ct_volume_triangle){.owner = of_a ? CT_OWNER_A : CT_OWNER_B,
                                 .face_a = of_a ? face : CT_NO_FACE,
                                 .face_b = of_a ? CT_NO_FACE : face};
  if (s->failed || !ct_arrangement_part_is_significant(&l->o, part)) return;
  if (part->first_segment != CT_NO_TRIANGLE || part->first_border != CT_NO_TRIANGLE ||
      part->passing_count > 0) {
    s->failed = !push_part_trapezoids(s, side, part);
    return;
  }
  ct_vec3 v[3];
  ct_placed_surface_triangle(skin, part->triangle, v);
  for (int k = 0; k < 3; k++) v[k] = ct_sub(v[k], l->o.origin);
  s->failed = !push_surface_triangle(s, v);
}

bool ct_volume_mesh_triangles(ct_volume_pair *pair, const ct_overlaid_pair *laid) {
  surface s = {.pair = pair, .laid = laid};
  ct_arrangement_scratch *m = laid->o.memory;
  m->border_count = 0;
  s.failed = !push_shared_polygons(&s);
  s.list_count = m->border_count;
  for (int side = 0; side < 2; side++)
    ct_arrangement_visit_parts(&laid->o, side, push_visited_part, &s);
  pair->failed = pair->failed || s.failed;
  return !s.failed;
}
