/* Triangles of two solids that lie in one plane, to the rounding of points.
 *
 * Where the first one is below the second it is inside the other solid, and so is the second when
 * the two face each other. Of two that face one way the rest of the second is inside, so what they
 * have in common counts once; it is noted as shared. Of two that face each other what counts twice,
 * with nothing between it, is taken off.
 */
#include "arrangement/arrangement.h"

/* Corners of two triangles' intersection, and of what a plane leaves of it: each of four cuts adds
 * one. */
#define CORNERS_MAX 8

typedef ct_arrangement_polygon polygon;

/* What is left of a polygon where a linear function is not below 0. */
static polygon cut(const polygon *from, const double *height) {
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

/* What is to the left of the way from p to q, seen with the normal up. */
static polygon cut_left(const polygon *from, ct_vec3 p, ct_vec3 q, ct_vec3 normal) {
  ct_vec3 left = ct_cross(normal, ct_sub(q, p));
  double height[CORNERS_MAX];
  for (int k = 0; k < from->count; k++) height[k] = ct_dot(left, ct_sub(from->v[k], p));
  return cut(from, height);
}

static polygon common_of(const ct_arrangement *o, const ct_coplanar_pair *f, ct_vec3 normal,
                         bool same) {
  ct_vec3 a[3], b[3];
  ct_placed_surface_triangle(&o->skin[0], f->triangle[0], a);
  ct_placed_surface_triangle(&o->skin[1], f->triangle[1], b);
  polygon p = {.count = 3};
  for (int k = 0; k < 3; k++) p.v[k] = ct_sub(a[k], o->origin);
  for (int k = 0; k < 3; k++) {
    ct_vec3 from = ct_sub(b[k], o->origin), to = ct_sub(b[(k + 1) % 3], o->origin);
    p = same ? cut_left(&p, from, to, normal) : cut_left(&p, to, from, normal);
  }
  return p;
}

/* The polygon's area and first moment. */
static double area_of(const polygon *p, ct_vec3 normal, ct_vec3 *first) {
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

static void take_off(ct_arrangement_part *part, double area, ct_vec3 first) {
  part->area -= area;
  part->taken += area;
  part->first = ct_sub(part->first, first);
  part->volume -= area * part->height / 3.0;
  part->volume_first = ct_add_scaled(part->volume_first, first, -0.25 * part->height);
}

/* The part of a polygon in the first triangle that is below the second one, or with `way` -1 above
 * it. */
static polygon below_of(const ct_arrangement *o, const ct_coplanar_pair *f, const polygon *p,
                        ct_vec3 normal, double way) {
  ct_vec3 v[3];
  double below[CORNERS_MAX], all;
  ct_placed_surface_triangle(&o->skin[0], f->triangle[0], v);
  for (int k = 0; k < 3; k++) v[k] = ct_sub(v[k], o->origin);
  all = ct_dot(normal, ct_cross(ct_sub(v[1], v[0]), ct_sub(v[2], v[0])));
  bool none = f->height[0] == 0.0 && f->height[1] == 0.0 && f->height[2] == 0.0;
  for (int i = 0; i < p->count; i++) {
    below[i] = none ? -way * (double)f->side : 0.0;
    for (int k = 0; k < 3 && !none; k++) {
      ct_vec3 q = ct_sub(v[(k + 1) % 3], p->v[i]), r = ct_sub(v[(k + 2) % 3], p->v[i]);
      below[i] -= way * f->height[k] * ct_dot(normal, ct_cross(q, r)) / all;
    }
  }
  return cut(p, below);
}

static const ct_arrangement_part *part_at(const ct_arrangement *o, int side, uint32_t triangle) {
  const ct_arrangement_side *s = &o->memory->side[side];
  return &s->part[s->slot[triangle]];
}

bool ct_coplanar_common_area(const ct_arrangement *o, const ct_coplanar_pair *f, polygon *below,
                             polygon *above) {
  ct_vec3 normal = part_at(o, 0, f->triangle[0])->normal;
  bool same = ct_dot(normal, part_at(o, 1, f->triangle[1])->normal) > 0.0;
  polygon all = common_of(o, f, normal, same);
  *below = below_of(o, f, &all, normal, 1.0);
  *above = below_of(o, f, &all, normal, -1.0);
  return same;
}

void ct_arrangement_apply_coplanar(ct_arrangement *o) {
  for (size_t i = 0; i < o->memory->flat_count; i++) {
    const ct_coplanar_pair *f = &o->memory->flat[i];
    ct_arrangement_part *part[2] = {ct_arrangement_part_of(o, 0, f->triangle[0]),
                                    ct_arrangement_part_of(o, 1, f->triangle[1])};
    ct_vec3 normal = part[0]->normal, first, unused;
    polygon below, above;
    bool same = ct_coplanar_common_area(o, f, &below, &above);
    double area = area_of(&below, normal, &first);
    for (int k = 0; k < 2 && !same; k++) take_off(part[k], area, first);
    if (!same) continue;
    part[0]->shared += area;
    part[1]->shared += area_of(&above, normal, &unused);
  }
}
