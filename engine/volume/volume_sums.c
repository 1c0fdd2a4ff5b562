/* Surface integrals over the triangles of a closed surface, by the divergence theorem. */
#include "volume/volume_sums.h"

#include "volume/volume_double_double.h"

/* Adds the terms of one triangle; `centre` and `height` are relative to the reference. */
static void add_triangle_sums(ct_volume_sum *s, ct_volume_face *face, double area, double height,
                              ct_vec3 centre) {
  double volume = area * height / 3.0;
  s->surface_moment = ct_add_scaled(s->surface_moment, centre, area);
  s->volume_moment = ct_add_scaled(s->volume_moment, centre, 0.75 * volume);
  s->volume += volume;
  face->area += area;
  face->squares += area * area;
}

void ct_volume_sum_triangle(ct_volume_sum *s, ct_volume_face *face, ct_vec3 p, ct_vec3 q,
                            ct_vec3 r) {
  ct_vec3 d = ct_sub(p, s->reference), e = ct_sub(q, p), f = ct_sub(r, p);
  double area = 0.5 * ct_dot(ct_cross(e, f), face->normal);
  add_triangle_sums(s, face, area, ct_dot(d, face->normal),
                    ct_add_scaled(d, ct_add(e, f), 1.0 / 3.0));
}

void ct_volume_sum_wide_triangle(ct_volume_sum *s, ct_volume_face *face, const ct_dd3 corner[3],
                                 double height) {
  const ct_dd3 reference = ct_dd3_of(s->reference);
  ct_vec3 sum = {0.0, 0.0, 0.0};
  for (int k = 0; k < 3; k++) {
    const ct_dd3 arm = ct_dd3_minus(&corner[k], &reference);
    sum = ct_add(sum, ct_dd3_value(&arm));
  }
  add_triangle_sums(s, face, 0.5 * ct_wide_double_area(corner, face->normal), height,
                    ct_scale(sum, 1.0 / 3.0));
}

void ct_volume_sum_close(ct_volume_sum *s, const ct_volume_face *face) {
  const double weight_of[CT_WEIGHTING_COUNT] = {[CT_WEIGHTING_LINEAR] = face->area,
                                                [CT_WEIGHTING_SQUARED] = face->squares,
                                                [CT_WEIGHTING_SQUARED_FACE] =
                                                    face->area * face->area};
  double weight = weight_of[s->weighting];
  s->surface += face->area;
  s->weights += weight;
  if (face->is_inner || face->owner == CT_OWNER_SHARED) return;
  double side = face->owner == CT_OWNER_A ? 1.0 : -1.0;
  s->normal = ct_add_scaled(s->normal, face->normal, side * weight);
  s->areas = ct_add_scaled(s->areas, face->normal, side * face->area);
}

bool ct_volume_sum_contact(const ct_volume_sum *s, ct_volume_contact *c) {
  if (!(s->surface > 0.0) || !(s->volume > 0.0)) return false;
  c->volume = s->volume;
  c->area = 0.5 * s->surface;
  c->area_defined = true;
  c->patch_area = 0.5 * ct_norm(s->areas);
  c->centroid = ct_add_scaled(s->reference, s->volume_moment, 1.0 / s->volume);
  c->position = ct_add_scaled(s->reference, s->surface_moment, 1.0 / s->surface);
  return true;
}

bool ct_volume_sum_normal(const ct_volume_sum *s, ct_vec3 *normal) {
  *normal = ct_unit_or(s->normal, ct_vec(0.0, 0.0, 0.0));
  return ct_norm(s->normal) > CT_NORMAL_VANISHES * s->weights;
}
