/* Compares places on a line exactly, as ratios (base/determinant_ratio.h): of coordinate
 * differences for a vertex, of minors in a coordinate plane for an edge, of determinants for a
 * triangle. Valid in the exactness range of base/predicates.h. */
#include "triangle/line_crossing.h"
#include "base/determinant_ratio.h"
#include "base/predicates.h"

/* A double-double minor larger than this fraction of its terms has a relative error below 2^-55. */
#define MINOR_CERTAIN 0x1p-45

static bool has_equal_coordinates(ct_vec3 a, ct_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* True if both places are certainly the same vertex or edge; false for triangles. */
static bool is_same_place(const ct_line_place *a, const ct_line_place *b) {
  if (a->count != b->count || a->count > 2) return false;
  if (a->count == 1) return has_equal_coordinates(a->corner[0], b->corner[0]);
  return (has_equal_coordinates(a->corner[0], b->corner[0]) &&
          has_equal_coordinates(a->corner[1], b->corner[1])) ||
         (has_equal_coordinates(a->corner[0], b->corner[1]) &&
          has_equal_coordinates(a->corner[1], b->corner[0]));
}

static ct_dd get_component(const ct_dd3 *v, int axis) {
  return axis == 0 ? v->x : axis == 1 ? v->y : v->z;
}

/* Returns the axis of the vector's largest component. */
static int find_longest_axis(ct_vec3 v) {
  double x = fabs(v.x), y = fabs(v.y), z = fabs(v.z);
  return x >= y && x >= z ? 0 : y >= z ? 1 : 2;
}

static int convert_pair(ct_dd a, double *out) {
  int count = 0;
  if (a.low != 0.0) out[count++] = a.low;
  if (a.high != 0.0) out[count++] = a.high;
  return count;
}

static void compute_vertex_ratio(ct_vec3 origin, ct_vec3 direction, ct_vec3 vertex, ct_ratio *out) {
  int axis = find_longest_axis(direction);
  ct_dd3 from = ct_dd3_sub(vertex, origin), d = ct_dd3_of(direction);
  out->top_count = convert_pair(get_component(&from, axis), out->top);
  out->bottom_count = convert_pair(get_component(&d, axis), out->bottom);
}

/* Computes one component of a x b exactly, as an expansion in `out`. Returns its number of
 * terms. */
static int compute_minor(const ct_dd3 *a, const ct_dd3 *b, int axis, double *out) {
  int u = (axis + 1) % 3, v = (axis + 2) % 3;
  return ct_expansion_minor(get_component(a, u), get_component(a, v), get_component(b, u),
                            get_component(b, v), out);
}

/* Computes t of the crossing with edge pq as the exact ratio of one component of (p - origin) x (q
 * - p) and of direction x (q - p): the first nonzero divisor, from the axis of the largest one
 * on. */
static void compute_edge_ratio(ct_vec3 origin, ct_vec3 direction, ct_vec3 p, ct_vec3 q,
                               ct_ratio *out) {
  ct_dd3 from = ct_dd3_sub(p, origin), edge = ct_dd3_sub(q, p), d = ct_dd3_of(direction);
  int first = find_longest_axis(ct_cross(direction, ct_sub(q, p)));
  for (int k = 0; k < 3; k++) {
    int axis = (first + k) % 3;
    out->bottom_count = compute_minor(&d, &edge, axis, out->bottom);
    out->top_count = compute_minor(&from, &edge, axis, out->top);
    if (out->bottom_count > 0) return;
  }
}

static void compute_triangle_ratio(ct_vec3 origin, ct_vec3 direction, const ct_vec3 v[3],
                                   ct_ratio *out) {
  ct_dd3 from = ct_dd3_sub(v[0], origin), d = ct_dd3_of(direction), ab = ct_dd3_sub(v[1], v[0]),
         ac = ct_dd3_sub(v[2], v[0]);
  out->top_count = ct_expansion_triple(&from, &ab, &ac, out->top);
  out->bottom_count = ct_expansion_triple(&d, &ab, &ac, out->bottom);
}

static void compute_ratio(ct_vec3 origin, ct_vec3 direction, const ct_line_place *place,
                          ct_ratio *out) {
  if (place->count == 1) compute_vertex_ratio(origin, direction, place->corner[0], out);
  else if (place->count == 2)
    compute_edge_ratio(origin, direction, place->corner[0], place->corner[1], out);
  else compute_triangle_ratio(origin, direction, place->corner, out);
}

int ct_line_place_compare(ct_vec3 origin, ct_vec3 direction, const ct_line_place *a,
                          const ct_line_place *b) {
  ct_ratio p, q;
  if (is_same_place(a, b)) return 0;
  compute_ratio(origin, direction, a, &p);
  compute_ratio(origin, direction, b, &q);
  return ct_ratio_compare(&p, &q);
}

int ct_line_place_sign(ct_vec3 origin, ct_vec3 direction, const ct_line_place *place) {
  ct_ratio p;
  if (place->count == 1) return ct_dot_sign(direction, place->corner[0], origin);
  compute_ratio(origin, direction, place, &p);
  return ct_expansion_sign(p.top, p.top_count) * ct_expansion_sign(p.bottom, p.bottom_count);
}

double ct_line_place_at(ct_vec3 origin, ct_vec3 direction, const ct_line_place *place) {
  ct_vec3 p = place->corner[0], q = place->corner[1];
  ct_dd3 from = ct_dd3_sub(p, origin), d = ct_dd3_of(direction);
  if (place->count == 1) {
    int axis = find_longest_axis(direction);
    return ct_dd_value(ct_dd_div(get_component(&from, axis), get_component(&d, axis)));
  }
  int axis = find_longest_axis(ct_cross(direction, ct_sub(q, p))), u = (axis + 1) % 3,
      v = (axis + 2) % 3;
  ct_dd3 edge = ct_dd3_sub(q, p);
  ct_dd du = get_component(&d, u), dv = get_component(&d, v), eu = get_component(&edge, u),
        ev = get_component(&edge, v);
  ct_dd bottom = ct_dd_minor(du, dv, eu, ev),
        top = ct_dd_minor(get_component(&from, u), get_component(&from, v), eu, ev);
  if (fabs(bottom.high) > MINOR_CERTAIN * (fabs(du.high * ev.high) + fabs(dv.high * eu.high)))
    return ct_dd_value(ct_dd_div(top, bottom));
  ct_ratio exact;
  compute_edge_ratio(origin, direction, p, q, &exact);
  return ct_ratio_value(&exact);
}
