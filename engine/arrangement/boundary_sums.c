/* Sums over borders: areas, volumes and their moments. */
#include "arrangement/arrangement.h"
#include "triangle/triangle_distance.h"

void ct_arrangement_add_segment(ct_arrangement_part *part, ct_vec3 p, ct_vec3 q, double weight) {
  /* The triangle from the foot of the origin on the part's plane, and the tetrahedron from the
   * origin. */
  ct_vec3 foot = ct_scale(part->normal, part->height);
  double area = 0.5 * weight * ct_dot(part->normal, ct_cross(ct_sub(p, foot), ct_sub(q, foot)));
  double volume = area * part->height / 3.0;
  ct_vec3 sum = ct_add(ct_add(p, q), foot);
  part->area += area;
  part->first = ct_add_scaled(part->first, sum, area / 3.0);
  part->volume += volume;
  part->volume_first = ct_add_scaled(part->volume_first, sum, 0.25 * volume);
  part->gap = ct_add_scaled(part->gap, ct_sub(q, p), weight);
  part->border += fabs(weight) * ct_norm(ct_sub(q, p));
}

bool ct_arrangement_edges(const ct_arrangement *o, int side, const ct_arrangement_part *part,
                          ct_arrangement_take take, void *context) {
  const ct_arrangement_side *s = &o->memory->side[side];
  const uint32_t *corner = o->skin[side].corners[part->triangle];
  const ct_surface_crossing *passing = s->passing + part->first_passing,
                            *end = passing + part->passing_count;
  for (int k = 0; k < 3; k++) {
    int32_t winding = s->winding[corner[k]];
    ct_vec3 p = ct_sub(o->skin[side].vertices[corner[k]], o->origin);
    for (; passing < end && passing->edge == k; passing++) {
      if (winding != 0 && !take(context, p, passing->point, winding)) return false;
      winding += passing->jump;
      p = passing->point;
    }
    ct_vec3 q = ct_sub(o->skin[side].vertices[corner[(k + 1) % 3]], o->origin);
    if (winding != 0 && !take(context, p, q, winding)) return false;
  }
  return true;
}

typedef struct summing {
  ct_arrangement_part *part;
  double error; /* places on an edge are in order to this, so shorter stretches tell nothing */
  bool winds;
} summing;

static bool add_stretch(void *context, ct_vec3 p, ct_vec3 q, int32_t weight) {
  summing *s = context;
  ct_arrangement_add_segment(s->part, p, q, (double)weight);
  s->winds = s->winds || ((weight < 0 || weight > 1) && ct_norm(ct_sub(q, p)) > s->error);
  return true;
}

static void add_edges(ct_arrangement *o, int side, ct_arrangement_part *part) {
  summing s = {part, ct_arrangement_error(o), o->winds};
  ct_arrangement_edges(o, side, part, add_stretch, &s);
  o->winds = s.winds;
}

ct_arrangement_part ct_arrangement_whole(const ct_arrangement *o, int side, uint32_t triangle,
                                         int32_t winding) {
  ct_vec3 v[3];
  ct_placed_surface_triangle(&o->skin[side], triangle, v);
  for (int k = 0; k < 3; k++) v[k] = ct_sub(v[k], o->origin);
  ct_triangle t = {{v[0], v[1], v[2]}};
  ct_vec3 cross = ct_triangle_cross(&t), sum = ct_add(ct_add(v[0], v[1]), v[2]);
  ct_arrangement_part part = {.triangle = triangle,
                              .first_segment = CT_NO_TRIANGLE,
                              .first_border = CT_NO_TRIANGLE,
                              .normal = ct_unit_or(cross, ct_vec(0, 0, 0))};
  part.height = ct_dot(part.normal, v[0]);
  part.area = 0.5 * (double)winding * ct_norm(cross);
  part.first = ct_scale(sum, part.area / 3.0);
  part.volume = part.area * part.height / 3.0;
  part.volume_first = ct_scale(sum, 0.25 * part.volume);
  for (int k = 0; k < 3; k++) part.border += ct_norm(ct_sub(v[(k + 1) % 3], v[k]));
  return part;
}

bool ct_arrangement_build(ct_arrangement *o) {
  ct_arrangement_scratch *m = o->memory;
  m->segment_count = m->flat_count = 0;
  o->sound = true;
  o->winds = false;
  for (int side = 0; side < 2; side++) {
    ct_arrangement_side *s = &m->side[side];
    const ct_placed_surface *skin = &o->skin[side];
    s->part_count = s->passing_count = 0;
    if (!ct_arrangement_reserve(m, &s->winding, sizeof *s->winding, &s->winding_room,
                                skin->vertex_count) ||
        !ct_arrangement_reserve(m, &s->slot, sizeof *s->slot, &s->slot_room,
                                skin->triangle_count) ||
        !ct_arrangement_reserve(m, &s->stack, sizeof *s->stack, &s->stack_room,
                                skin->triangle_count))
      return false;
    for (uint32_t v = 0; v < skin->vertex_count; v++) s->winding[v] = CT_ARRANGEMENT_UNKNOWN;
    for (uint32_t t = 0; t < skin->triangle_count; t++) s->slot[t] = CT_ARRANGEMENT_PLAIN;
  }
  if (!ct_arrangement_find_crossings(o)) return false;
  for (int side = 0; side < 2; side++) {
    if (!ct_arrangement_find_winding(o, side)) return false;
    for (size_t i = 0; i < m->side[side].part_count; i++)
      add_edges(o, side, &m->side[side].part[i]);
  }
  ct_arrangement_apply_coplanar(o);
  return true;
}
