/* Sums over the borders of parts: areas, volumes and their moments (Franklin 1987; Mirtich 1996);
 * and the correction for triangles of the two solids that are coplanar up to the round-off of
 * points.
 *
 * Coplanar triangles: where the first one is below the second, it is inside the other solid. If
 * their normals are opposite, the second is inside there as well: the common area would count
 * twice, although nothing is between the two, and is subtracted from both parts. If their normals
 * are equal, the second is inside where the first is not, so the common area counts once; it is
 * recorded as shared. */
#include "arrangement/arrangement.h"
#include "triangle/triangle_distance.h"

#include <assert.h>

/* ---- coplanar triangles --------------------------------------------------------------------- */

/* Largest number of vertices of the intersection of two triangles after one more clip: a triangle
 * has 3, and each of four clips adds at most one. */
#define CORNERS_MAX 8

typedef ct_arrangement_polygon polygon;

/* Clips a polygon to the region in which a linear function is >= 0; height: its values at the
 * polygon's vertices. */
static polygon clip_coplanar_polygon(const polygon *from, const double *height) {
  polygon out = {.count = 0};
  for (int k = 0; k < from->count && out.count < CORNERS_MAX - 1; k++) {
    int l = k + 1 == from->count ? 0 : k + 1;
    double h = height[k], i = height[l];
    if (h >= 0.0) out.v[out.count++] = from->v[k];
    if ((h > 0.0 && i < 0.0) || (h < 0.0 && i > 0.0))
      out.v[out.count++] = ct_lerp(from->v[k], from->v[l], h / (h - i));
  }
  return out;
}

/* Clips a polygon to the left side of the line from p to q, seen with the normal up. */
static polygon clip_polygon_left(const polygon *from, ct_vec3 p, ct_vec3 q, ct_vec3 normal) {
  ct_vec3 left = ct_cross(normal, ct_sub(q, p));
  double height[CORNERS_MAX];
  for (int k = 0; k < from->count; k++) height[k] = ct_dot(left, ct_sub(from->v[k], p));
  return clip_coplanar_polygon(from, height);
}

static polygon intersect_coplanar_triangles(const ct_arrangement *o, const ct_coplanar_pair *f,
                                            ct_vec3 normal, bool same) {
  ct_vec3 a[3], b[3];
  ct_placed_surface_triangle(&o->surface[0], f->triangle[0], a);
  ct_placed_surface_triangle(&o->surface[1], f->triangle[1], b);
  polygon p = {.count = 3};
  for (int k = 0; k < 3; k++) p.v[k] = ct_sub(a[k], o->origin);
  for (int k = 0; k < 3; k++) {
    ct_vec3 from = ct_sub(b[k], o->origin), to = ct_sub(b[(k + 1) % 3], o->origin);
    p = same ? clip_polygon_left(&p, from, to, normal) : clip_polygon_left(&p, to, from, normal);
  }
  return p;
}

/* Returns the area of a polygon and sets *first to its first moment. */
static double compute_polygon_area(const polygon *p, ct_vec3 normal, ct_vec3 *first) {
  double area = 0.0;
  *first = ct_vec(0.0, 0.0, 0.0);
  for (int k = 2; k < p->count; k++) {
    double part =
        0.5 * ct_dot(normal, ct_cross(ct_sub(p->v[k - 1], p->v[0]), ct_sub(p->v[k], p->v[0])));
    *first = ct_add_scaled(*first, ct_add(ct_add(p->v[0], p->v[k - 1]), p->v[k]), part / 3.0);
    area += part;
  }
  return area;
}

static void subtract_common_area(ct_arrangement_part *part, double area, ct_vec3 first) {
  part->area -= area;
  part->subtracted += area;
  part->first = ct_sub(part->first, first);
  part->volume -= area * part->height / 3.0;
  part->volume_first = ct_add_scaled(part->volume_first, first, -0.25 * part->height);
}

/* Clips a polygon in the first triangle to the region in which the first triangle is below the
 * second one; above it if `sign` is -1. */
static polygon clip_polygon_below(const ct_arrangement *o, const ct_coplanar_pair *f,
                                  const polygon *p, ct_vec3 normal, double sign) {
  ct_vec3 v[3];
  double below[CORNERS_MAX], all;
  ct_placed_surface_triangle(&o->surface[0], f->triangle[0], v);
  for (int k = 0; k < 3; k++) v[k] = ct_sub(v[k], o->origin);
  all = ct_dot(normal, ct_cross(ct_sub(v[1], v[0]), ct_sub(v[2], v[0])));
  bool none = f->height[0] == 0.0 && f->height[1] == 0.0 && f->height[2] == 0.0;
  for (int i = 0; i < p->count; i++) {
    below[i] = none ? -sign * (double)f->side : 0.0;
    for (int k = 0; k < 3 && !none; k++) {
      ct_vec3 q = ct_sub(v[(k + 1) % 3], p->v[i]), r = ct_sub(v[(k + 2) % 3], p->v[i]);
      below[i] -= sign * f->height[k] * ct_dot(normal, ct_cross(q, r)) / all;
    }
  }
  return clip_coplanar_polygon(p, below);
}

static const ct_arrangement_part *get_arrangement_part(const ct_arrangement *o, int side,
                                                       uint32_t triangle) {
  const ct_arrangement_side *s = &o->memory->side[side];
  return &s->part[s->slot[triangle]];
}

bool ct_coplanar_common_area(const ct_arrangement *o, const ct_coplanar_pair *f, polygon *below,
                             polygon *above) {
  ct_vec3 normal = get_arrangement_part(o, 0, f->triangle[0])->normal;
  bool same = ct_dot(normal, get_arrangement_part(o, 1, f->triangle[1])->normal) > 0.0;
  polygon all = intersect_coplanar_triangles(o, f, normal, same);
  *below = clip_polygon_below(o, f, &all, normal, 1.0);
  *above = clip_polygon_below(o, f, &all, normal, -1.0);
  return same;
}

/* For each coplanar pair: subtracts the common area of faces with opposite normals from both parts;
 * records the common area of faces with equal normals as shared. */
static void apply_coplanar_faces(ct_arrangement *o) {
  for (size_t i = 0; i < o->memory->coplanar_count; i++) {
    const ct_coplanar_pair *f = &o->memory->coplanar[i];
    ct_arrangement_part *part[2] = {ct_arrangement_part_of(o, 0, f->triangle[0]),
                                    ct_arrangement_part_of(o, 1, f->triangle[1])};
    ct_vec3 normal = part[0]->normal, first, unused;
    polygon below, above;
    bool same = ct_coplanar_common_area(o, f, &below, &above);
    double area = compute_polygon_area(&below, normal, &first);
    for (int k = 0; k < 2 && !same; k++) subtract_common_area(part[k], area, first);
    if (!same) continue;
    part[0]->shared += area;
    part[1]->shared += compute_polygon_area(&above, normal, &unused);
  }
}

/* ---- boundary sums -------------------------------------------------------------------------- */

void ct_arrangement_add_segment(ct_arrangement_part *part, ct_vec3 p, ct_vec3 q, double weight) {
  /* The section spans a triangle with the foot of the origin on the part's plane, and a tetrahedron
   * with the origin itself. */
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
                          ct_arrangement_visit visit, void *context) {
  assert(side == 0 || side == 1);
  const ct_arrangement_side *s = &o->memory->side[side];
  const uint32_t *corner = o->surface[side].corners[part->triangle];
  const ct_surface_crossing *crossing = s->crossing + part->first_crossing,
                            *end = crossing + part->crossing_count;
  for (int k = 0; k < 3; k++) {
    int32_t winding = s->winding[corner[k]];
    ct_vec3 p = ct_sub(o->surface[side].vertices[corner[k]], o->origin);
    for (; crossing < end && crossing->edge == k; crossing++) {
      if (winding != 0 && !visit(context, p, crossing->point, winding)) return false;
      winding += crossing->jump;
      p = crossing->point;
    }
    ct_vec3 q = ct_sub(o->surface[side].vertices[corner[(k + 1) % 3]], o->origin);
    if (winding != 0 && !visit(context, p, q, winding)) return false;
  }
  return true;
}

typedef struct border_sum {
  ct_arrangement_part *part;
  /* round-off of the position of a point on an edge, m; shorter sections do not affect `winds` */
  double error;
  bool winds;
} border_sum;

static bool add_border_section(void *context, ct_vec3 p, ct_vec3 q, int32_t weight) {
  border_sum *s = context;
  ct_arrangement_add_segment(s->part, p, q, (double)weight);
  s->winds = s->winds || ((weight < 0 || weight > 1) && ct_norm(ct_sub(q, p)) > s->error);
  return true;
}

static void add_edge_sections(ct_arrangement *o, int side, ct_arrangement_part *part) {
  border_sum s = {part, ct_arrangement_error(o), o->winds};
  ct_arrangement_edges(o, side, part, add_border_section, &s);
  o->winds = s.winds;
}

ct_arrangement_part ct_arrangement_whole(const ct_arrangement *o, int side, uint32_t triangle,
                                         int32_t winding) {
  assert(side == 0 || side == 1);
  assert(triangle < o->surface[side].triangle_count);
  ct_vec3 v[3];
  ct_placed_surface_triangle(&o->surface[side], triangle, v);
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
  assert(o->memory && o->flag);
  ct_arrangement_scratch *m = o->memory;
  /* Reset the scratch: no segments, no parts, all winding numbers unknown. */
  m->segment_count = m->coplanar_count = 0;
  o->sound = true;
  o->winds = false;
  for (int side = 0; side < 2; side++) {
    ct_arrangement_side *s = &m->side[side];
    const ct_placed_surface *surface = &o->surface[side];
    s->part_count = s->crossing_count = 0;
    if (!ct_arrangement_reserve(m, &s->winding, sizeof *s->winding, &s->winding_room,
                                surface->vertex_count) ||
        !ct_arrangement_reserve(m, &s->slot, sizeof *s->slot, &s->slot_room,
                                surface->triangle_count) ||
        !ct_arrangement_reserve(m, &s->stack, sizeof *s->stack, &s->stack_room,
                                surface->triangle_count))
      return false;
    for (uint32_t v = 0; v < surface->vertex_count; v++) s->winding[v] = CT_ARRANGEMENT_UNKNOWN;
    for (uint32_t t = 0; t < surface->triangle_count; t++) s->slot[t] = CT_ARRANGEMENT_PLAIN;
  }
  /* Segments are added to the sums when they are found; then sections of the triangles' own edges
   * are added, then the coplanar faces are corrected. */
  if (!ct_arrangement_find_crossings(o)) return false;
  for (int side = 0; side < 2; side++) {
    if (!ct_arrangement_find_winding(o, side)) return false;
    for (size_t i = 0; i < m->side[side].part_count; i++)
      add_edge_sections(o, side, &m->side[side].part[i]);
  }
  apply_coplanar_faces(o);
  return true;
}
