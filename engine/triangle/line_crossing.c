/* Places on a line as ratios: of differences for a vertex, of minors in a coordinate plane for an
 * edge, of determinants for a triangle. */
#include "triangle/line_crossing.h"
#include "base/determinant_ratio.h"
#include "base/predicates.h"

/* A minor in double-double that is larger than this part of its terms is right to 2^-55 of itself.
 */
#define MINOR_CERTAIN 0x1p-45

static bool same_point(ct_vec3 a, ct_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/* Is it the same vertex or edge? */
static bool is_same_place(const ct_line_place *a, const ct_line_place *b) {
  if (a->count != b->count || a->count > 2) return false;
  if (a->count == 1) return same_point(a->corner[0], b->corner[0]);
  return (same_point(a->corner[0], b->corner[0]) && same_point(a->corner[1], b->corner[1])) ||
         (same_point(a->corner[0], b->corner[1]) && same_point(a->corner[1], b->corner[0]));
}

static ct_dd component_of(const ct_dd3 *v, int axis) {
  return axis == 0 ? v->x : axis == 1 ? v->y : v->z;
}

/* The axis along which the vector is longest. */
static int longest_axis(ct_vec3 v) {
  double x = fabs(v.x), y = fabs(v.y), z = fabs(v.z);
  return x >= y && x >= z ? 0 : y >= z ? 1 : 2;
}

static int pair_to_expansion(ct_dd a, double *out) {
  int count = 0;
  if (a.low != 0.0) out[count++] = a.low;
  if (a.high != 0.0) out[count++] = a.high;
  return count;
}

static void ratio_of_vertex(ct_vec3 origin, ct_vec3 direction, ct_vec3 vertex, ct_ratio *out) {
  int axis = longest_axis(direction);
  ct_dd3 from = ct_dd3_sub(vertex, origin), d = ct_dd3_of(direction);
  out->top_count = pair_to_expansion(component_of(&from, axis), out->top);
  out->bottom_count = pair_to_expansion(component_of(&d, axis), out->bottom);
}

/* A component of a x b, exact. */
static int minor_to_expansion(const ct_dd3 *a, const ct_dd3 *b, int axis, double *out) {
  int u = (axis + 1) % 3, v = (axis + 2) % 3;
  return ct_expansion_minor(component_of(a, u), component_of(a, v), component_of(b, u),
                            component_of(b, v), out);
}

/* (p - origin) x (q - p) over direction x (q - p), along an axis where the latter is not zero: the
 * largest to round-off, if it is not. */
static void ratio_of_edge(ct_vec3 origin, ct_vec3 direction, ct_vec3 p, ct_vec3 q, ct_ratio *out) {
  ct_dd3 from = ct_dd3_sub(p, origin), edge = ct_dd3_sub(q, p), d = ct_dd3_of(direction);
  int first = longest_axis(ct_cross(direction, ct_sub(q, p)));
  for (int k = 0; k < 3; k++) {
    int axis = (first + k) % 3;
    out->bottom_count = minor_to_expansion(&d, &edge, axis, out->bottom);
    out->top_count = minor_to_expansion(&from, &edge, axis, out->top);
    if (out->bottom_count > 0) return;
  }
}

static void ratio_of_triangle(ct_vec3 origin, ct_vec3 direction, const ct_vec3 v[3],
                              ct_ratio *out) {
  ct_dd3 from = ct_dd3_sub(v[0], origin), d = ct_dd3_of(direction), ab = ct_dd3_sub(v[1], v[0]),
         ac = ct_dd3_sub(v[2], v[0]);
  out->top_count = ct_expansion_triple(&from, &ab, &ac, out->top);
  out->bottom_count = ct_expansion_triple(&d, &ab, &ac, out->bottom);
}

static void ratio_of(ct_vec3 origin, ct_vec3 direction, const ct_line_place *place, ct_ratio *out) {
  if (place->count == 1) ratio_of_vertex(origin, direction, place->corner[0], out);
  else if (place->count == 2)
    ratio_of_edge(origin, direction, place->corner[0], place->corner[1], out);
  else ratio_of_triangle(origin, direction, place->corner, out);
}

int ct_line_place_compare(ct_vec3 origin, ct_vec3 direction, const ct_line_place *a,
                          const ct_line_place *b) {
  ct_ratio p, q;
  if (is_same_place(a, b)) return 0;
  ratio_of(origin, direction, a, &p);
  ratio_of(origin, direction, b, &q);
  return ct_ratio_compare(&p, &q);
}

int ct_line_place_sign(ct_vec3 origin, ct_vec3 direction, const ct_line_place *place) {
  ct_ratio p;
  if (place->count == 1) return ct_dot_sign(direction, place->corner[0], origin);
  ratio_of(origin, direction, place, &p);
  return ct_expansion_sign(p.top, p.top_count) * ct_expansion_sign(p.bottom, p.bottom_count);
}

double ct_line_place_at(ct_vec3 origin, ct_vec3 direction, const ct_line_place *place) {
  ct_vec3 p = place->corner[0], q = place->corner[1];
  ct_dd3 from = ct_dd3_sub(p, origin), d = ct_dd3_of(direction);
  if (place->count == 1) {
    int axis = longest_axis(direction);
    return ct_dd_value(ct_dd_div(component_of(&from, axis), component_of(&d, axis)));
  }
  int axis = longest_axis(ct_cross(direction, ct_sub(q, p))), u = (axis + 1) % 3,
      v = (axis + 2) % 3;
  ct_dd3 edge = ct_dd3_sub(q, p);
  ct_dd du = component_of(&d, u), dv = component_of(&d, v), eu = component_of(&edge, u),
        ev = component_of(&edge, v);
  ct_dd bottom = ct_dd_minor(du, dv, eu, ev),
        top = ct_dd_minor(component_of(&from, u), component_of(&from, v), eu, ev);
  if (fabs(bottom.high) > MINOR_CERTAIN * (fabs(du.high * ev.high) + fabs(dv.high * eu.high)))
    return ct_dd_value(ct_dd_div(top, bottom));
  ct_ratio exact;
  ratio_of_edge(origin, direction, p, q, &exact);
  return ct_ratio_value(&exact);
}
