/* Contact points of two sharp boxes whose axis of least penetration is certain: a face normal, or
 * the cross product of two edges.
 *
 * The face on the axis is the reference face, a rectangle with its sides as coordinate axes; the
 * incident face is the face of the other box whose normal is nearest to the opposite of the axis.
 * The corners of their overlap are corners of the incident face inside the rectangle, corners of
 * the rectangle inside the incident face, and crossings of edges, found by clipping (Liang, Barsky
 * 1984). All sixteen candidates are computed and the invalid ones dropped: as it is unpredictable
 * which are valid, the code has few branches.
 *
 * Limits: cases that round-off would decide are declined, namely corners on a side, parallel edges,
 * and incident faces that are equally inclined. manifold_box_box.c decides these by the rules of
 * all other paths. */
#include "base/simd_lanes.h"
#include "manifold/manifold.h"
#include "primitives/box_box.h"

#include <assert.h>
#include <string.h>

/* Greatest number of corners of the overlap of two rectangles. */
#define CORNERS_MAX 8
#define KEPT_MAX 4
/* A corner nearer to a side than this many ties of the pair (ct_contacts_tie) is on the side, and
 * thus undecided. In the general path, corners within one tie outside a side count as inside, and
 * two points within two ties along both coordinates are one point. */
#define ON_SIDE 4.0
/* Least sine of the angle between crossing edges; below it a crossing loses more than three
 * digits. */
#define SINE_MIN 1e-3
/* Cosines that differ by at most this may be equal. */
#define COSINE_TIE (2.0 * CT_COSINE_TIE)
/* Face separations closer to their limit than this fraction of the extents are left to the general
 * path. */
#define UNSURE 1e-9

static const uint8_t next[3] = {1, 2, 0};

#define F(f) 0x30 | (f)
#define V(v) 0x10 | (v)
#define E(e) 0x20 | (e)
/* Features of the face with number 2 * axis + (1 on the positive side), encoded as kind << 4 |
 * number. `own`: the face itself, four times. `vertex`: its vertices, by the sides on the next two
 * axes, the first of them as bit 0. `edge`: its edges on the lower and upper side of the first of
 * these axes, then of the second. */
static const struct {
  uint8_t own[4], vertex[4], edge[4];
} faces[6] = {
    {{F(0), F(0), F(0), F(0)}, {V(0), V(2), V(4), V(6)}, {E(8), E(10), E(4), E(6)}},
    {{F(1), F(1), F(1), F(1)}, {V(1), V(3), V(5), V(7)}, {E(9), E(11), E(5), E(7)}},
    {{F(2), F(2), F(2), F(2)}, {V(0), V(4), V(1), V(5)}, {E(0), E(2), E(8), E(9)}},
    {{F(3), F(3), F(3), F(3)}, {V(2), V(6), V(3), V(7)}, {E(1), E(3), E(10), E(11)}},
    {{F(4), F(4), F(4), F(4)}, {V(0), V(1), V(2), V(3)}, {E(4), E(5), E(0), E(1)}},
    {{F(5), F(5), F(5), F(5)}, {V(4), V(5), V(6), V(7)}, {E(6), E(7), E(2), E(3)}},
};
#undef F
#undef V
#undef E
_Static_assert(CT_FEATURE_VERTEX == 1 && CT_FEATURE_EDGE == 2 && CT_FEATURE_FACE == 3,
               "the table of faces");

/* Number of the box edge parallel to an axis that contains a vertex: edges[axis][vertex]. */
static const uint8_t edges[3][8] = {
    {0, 0, 1, 1, 2, 2, 3, 3}, {4, 5, 4, 5, 6, 7, 6, 7}, {8, 9, 10, 11, 8, 9, 10, 11}};

/* A position in the coordinates of the rectangle: x and y along its sides, z outward. */
typedef struct face_position {
  double x, y, z;
} face_position;

/* The incident face: its centre, the halves of its two edge vectors, and its number. */
typedef struct incident_face {
  face_position middle, edge[2];
  double sine; /* least |component| of a unit edge vector along a side: sine of an angle between
                  edge and side */
  int face;
} incident_face;

/* The reference face and its box. */
typedef struct rectangle {
  const ct_box_pair *pair;
  double x, y, level; /* half lengths of the sides; distance of the face from the centre of its box,
                         m */
  double sense;       /* 1: the face is on the positive side of its box, -1: on the negative side */
  double slack, tie, reach;
  double widest;  /* upper bound of ct_contacts_depth_tie for any set of the candidates, m */
  int axis, u, v; /* axis of the box that is the face's normal, and the axes along its sides */
  int face;
  bool second; /* the reference face belongs to the pair's second box */
} rectangle;

/* First index of each kind of candidate: corners of the incident face, points where its edges enter
 * the rectangle, points where they leave it, corners of the reference face. PLACES: number of
 * candidates. */
enum { OF_BODY = 0, ENTERS = 4, LEAVES = 8, OF_FRAME = 12, PLACES = 16 };
typedef struct candidates {
  _Alignas(16) double x[PLACES], y[PLACES], z[PLACES];
  uint8_t of_frame[PLACES], of_body[PLACES]; /* features of the reference face's box and of the
                                                other box, encoded as in `faces` */
  unsigned valid;                            /* bit i is set if candidate i is a contact point */
  ct_lane_mask unsure;
} candidates;

/* Indices of the valid candidates in their final order. */
typedef struct ordered {
  uint32_t place[CORNERS_MAX], count;
  double least; /* least distance of a candidate, m */
} ordered;

/* ---- two SIMD lanes ------------------------------------------------------------------------- */

CT_INLINE ct_lanes broadcast_lanes(double x) { return (ct_lanes){x, x}; }
CT_INLINE ct_lanes abs_lanes(ct_lanes x) { return (ct_lanes)((ct_lane_mask)x & INT64_MAX); }

CT_INLINE void store_candidates(candidates *p, int place, ct_lanes x, ct_lanes y, ct_lanes z) {
  ct_lanes_store(p->x + place, x);
  ct_lanes_store(p->y + place, y);
  ct_lanes_store(p->z + place, z);
}

/* ---- faces ---------------------------------------------------------------------------------- */

CT_INLINE void find_rectangle(const ct_box_pair *pair, rectangle *r) {
  r->pair = pair;
  r->second = pair->axis_found >= 3;
  r->axis = pair->axis_found - 3 * (int)r->second;
  r->u = next[r->axis];
  r->v = next[r->u];
  const ct_vec3 *half = &pair->half[r->second];
  r->x = ct_vec3_component(half, r->u);
  r->y = ct_vec3_component(half, r->v);
  r->level = ct_vec3_component(half, r->axis);
  r->sense = copysign(1.0, pair->along[pair->axis_found]) * (double)(1 - 2 * (int)r->second);
  r->face = 2 * r->axis + (r->sense > 0.0);
}

/* Returns axis i of the incident box in the coordinates of the rectangle. */
CT_INLINE face_position get_incident_axis(const rectangle *r, int i) {
  const double *m = &r->pair->axis[0].x;
  static const int8_t strides[3] = {3, 1, 3};
  int by = strides[r->second], to = strides[1 + r->second];
  return (face_position){m[by * i + to * r->u], m[by * i + to * r->v],
                         r->sense * m[by * i + to * r->axis]};
}

CT_INLINE face_position scale_position(face_position p, double by) {
  return (face_position){p.x * by, p.y * by, p.z * by};
}
CT_INLINE face_position add_positions(face_position p, face_position q) {
  return (face_position){p.x + q.x, p.y + q.y, p.z + q.z};
}

/* Finds the incident face. False: another face of the box is inclined as little, within the tie of
 * cosines. */
CT_INLINE bool find_incident_face(const rectangle *r, incident_face *t) {
  const face_position axes[3] = {get_incident_axis(r, 0), get_incident_axis(r, 1),
                                 get_incident_axis(r, 2)};
  const ct_vec3 *half = &r->pair->half[!r->second];
  const double x = fabs(axes[0].z), y = fabs(axes[1].z), z = fabs(axes[2].z),
               most = ct_max2(ct_max2(x, y), z);
  const double near = most - COSINE_TIE;
  const int last = z == most, i = last ? 2 : y == most;
  const face_position *own = &axes[i], *first = &axes[next[i]], *second = &axes[next[next[i]]];
  const double along = copysign(ct_vec3_component(half, i), -own->z), sign = r->second ? -1.0 : 1.0;
  const double *center = &r->pair->along[r->second ? 3 : 0];
  const face_position from = {sign * center[r->u], sign * center[r->v],
                              sign * r->sense * center[r->axis] - r->level};
  t->middle = add_positions(from, scale_position(*own, along));
  t->edge[0] = scale_position(*first, ct_vec3_component(half, next[i]));
  t->edge[1] = scale_position(*second, ct_vec3_component(half, next[next[i]]));
  t->sine =
      ct_min2(ct_min2(fabs(first->x), fabs(first->y)), ct_min2(fabs(second->x), fabs(second->y)));
  t->face = 2 * i + (own->z < 0.0);
  return (x >= near) + (y >= near) + (z >= near) == 1;
}

/* Computes the candidates that are corners of the incident face, valid if inside the rectangle. */
CT_INLINE void find_incident_corners(const rectangle *r, const incident_face *t, candidates *p) {
  const face_position m = t->middle, e = t->edge[0], f = t->edge[1];
  const ct_lanes on_side = broadcast_lanes(ON_SIDE * r->tie), none = broadcast_lanes(0.0);
  for (int i = 0; i < 4; i += 2) {
    const double sense = i - 1;
    const ct_lanes x = broadcast_lanes(m.x + sense * f.x) + (ct_lanes){-e.x, e.x},
                   y = broadcast_lanes(m.y + sense * f.y) + (ct_lanes){-e.y, e.y};
    const ct_lanes z = broadcast_lanes(m.z + sense * f.z) + (ct_lanes){-e.z, e.z};
    const ct_lanes out_x = abs_lanes(x) - broadcast_lanes(r->x),
                   out_y = abs_lanes(y) - broadcast_lanes(r->y);
    store_candidates(p, OF_BODY + i, x, y, z);
    p->unsure |= (abs_lanes(out_x) <= on_side) | (abs_lanes(out_y) <= on_side);
    p->valid |= ct_lanes_bits((out_x < none) & (out_y < none) & (z <= broadcast_lanes(r->reach)))
                << (OF_BODY + i);
  }
  memcpy(p->of_frame + OF_BODY, faces[r->face].own, 4);
  memcpy(p->of_body + OF_BODY, faces[t->face].vertex, 4);
}

/* Computes the candidates that are corners of the reference face, valid if inside the incident
 * face, which is a parallelogram in the view. */
CT_INLINE void find_reference_corners(const rectangle *r, const incident_face *t, candidates *p) {
  const face_position m = t->middle, e = t->edge[0], f = t->edge[1];
  const double area = e.x * f.y - e.y * f.x, slope_e = e.z / area, slope_f = f.z / area,
               on_side = ON_SIDE * r->tie;
  const ct_lanes whole = broadcast_lanes(fabs(area)), none = broadcast_lanes(0.0);
  const ct_lanes near_e = broadcast_lanes(on_side * (fabs(e.x) + fabs(e.y))),
                 near_f = broadcast_lanes(on_side * (fabs(f.x) + fabs(f.y)));
  const ct_lanes x = {-r->x, r->x}, from_x = x - broadcast_lanes(m.x);
  for (int i = 0; i < 4; i += 2) {
    const double up = (i - 1) * r->y, from_y = up - m.y;
    const ct_lanes along_e = from_x * broadcast_lanes(f.y) - broadcast_lanes(from_y * f.x),
                   along_f = broadcast_lanes(e.x * from_y) - broadcast_lanes(e.y) * from_x;
    const ct_lanes past_e = abs_lanes(along_e) - whole, past_f = abs_lanes(along_f) - whole;
    const ct_lanes z = broadcast_lanes(m.z) + along_e * broadcast_lanes(slope_e) +
                       along_f * broadcast_lanes(slope_f);
    store_candidates(p, OF_FRAME + i, x, broadcast_lanes(up), z);
    p->unsure |= (abs_lanes(past_e) <= near_f) | (abs_lanes(past_f) <= near_e);
    p->valid |= ct_lanes_bits((past_e < none) & (past_f < none) & (z <= broadcast_lanes(r->reach)))
                << (OF_FRAME + i);
  }
  memcpy(p->of_frame + OF_FRAME, faces[r->face].vertex, 4);
  memcpy(p->of_body + OF_FRAME, faces[t->face].own, 4);
}

/* Two parallel edges of the incident face, and the two sides (one per coordinate) whose lines both
 * edges cross. */
typedef struct crossing {
  face_position edge; /* half of the edge vector */
  ct_lanes x, y, z;   /* midpoints of the two edges */
  double side_x, side_y;
  uint8_t feature[2]; /* encoded features of the two sides */
} crossing;

CT_INLINE void store_crossings(candidates *p, int place, const crossing *c, ct_lanes at,
                               ct_lane_mask second) {
  const ct_lanes x = c->x + at * broadcast_lanes(c->edge.x),
                 y = c->y + at * broadcast_lanes(c->edge.y);
  store_candidates(p, place, ct_lanes_choose(second, broadcast_lanes(c->side_x), x),
                   ct_lanes_choose(second, y, broadcast_lanes(c->side_y)),
                   c->z + at * broadcast_lanes(c->edge.z));
  const unsigned bits = ct_lanes_bits(second);
  p->of_frame[place] = c->feature[bits & 1u];
  p->of_frame[place + 1] = c->feature[bits >> 1];
}

/* Clips the edges of the incident face to the rectangle (Liang, Barsky 1984) and computes the
 * candidates where they enter and leave it. Sides that are perpendicular to the first coordinate
 * are parallel to the second. */
CT_INLINE void clip_incident_edges(const rectangle *r, const incident_face *t, candidates *p) {
  const uint8_t *sides = faces[r->face].edge;
  const ct_lanes one = broadcast_lanes(1.0), sign = {-1.0, 1.0}, reach = broadcast_lanes(r->reach);
  for (int k = 0; k < 2; k++) {
    const face_position e = t->edge[k], f = t->edge[!k], m = t->middle;
    const ct_lanes x = broadcast_lanes(m.x) + sign * broadcast_lanes(f.x),
                   y = broadcast_lanes(m.y) + sign * broadcast_lanes(f.y),
                   z = broadcast_lanes(m.z) + sign * broadcast_lanes(f.z);
    const ct_lanes by_x = broadcast_lanes(1.0 / e.x), by_y = broadcast_lanes(1.0 / e.y);
    const double ahead_x = copysign(r->x, e.x), ahead_y = copysign(r->y, e.y);
    const unsigned up_x = e.x > 0.0, up_y = e.y > 0.0;
    /* sides where the edges enter and leave, for each coordinate */
    const crossing enter = {
        e, x, y, z, -ahead_x, -ahead_y, {sides[up_x ^ 1u], sides[2u + (up_y ^ 1u)]}};
    const crossing leave = {e, x, y, z, ahead_x, ahead_y, {sides[up_x], sides[2u + up_y]}};
    /* parameters of the crossings along the edges; an edge is outside if low >= high */
    const ct_lanes low_x = (broadcast_lanes(-ahead_x) - x) * by_x,
                   low_y = (broadcast_lanes(-ahead_y) - y) * by_y;
    const ct_lanes high_x = (broadcast_lanes(ahead_x) - x) * by_x,
                   high_y = (broadcast_lanes(ahead_y) - y) * by_y;
    const ct_lanes low = ct_lanes_higher(low_x, low_y), high = ct_lanes_lower(high_x, high_y);
    const ct_lane_mask passes = (low < high) & (low < one) & (high > -one);
    const int in = ENTERS + 2 * (1 - k), out = LEAVES + 2 * (1 - k);
    store_crossings(p, in, &enter, low, low_y > low_x);
    store_crossings(p, out, &leave, high, high_y < high_x);
    p->valid |= ct_lanes_bits(passes & (low > -one) & (ct_lanes_load(p->z + in) <= reach)) << in;
    p->valid |= ct_lanes_bits(passes & (high < one) & (ct_lanes_load(p->z + out) <= reach)) << out;
  }
  memcpy(p->of_body + ENTERS, faces[t->face].edge, 4);
  memcpy(p->of_body + LEAVES, faces[t->face].edge, 4);
}

/* ---- order ---------------------------------------------------------------------------------- */

typedef int32_t keys __attribute__((vector_size(16)));

/* Writes the rank of each key: the number of smaller keys. */
CT_INLINE void rank_keys(const int32_t key[CORNERS_MAX], int32_t out[CORNERS_MAX]) {
  keys low, high, before_low = {0}, before_high = {0};
  memcpy(&low, key, sizeof low);
  memcpy(&high, key + 4, sizeof high);
  for (int k = 0; k < CORNERS_MAX; k++) {
    const keys one = {key[k], key[k], key[k], key[k]};
    before_low -= (keys)(one < low);
    before_high -= (keys)(one < high);
  }
  memcpy(out, &before_low, sizeof before_low);
  memcpy(out + 4, &before_high, sizeof before_high);
}

/* Returns the index of the first sorted point that is as deep as `least` within
 * ct_contacts_depth_tie. `deepest`: index of a point that is as deep up to round-off. */
static __attribute__((noinline)) int find_first_as_deep(const candidates *p, const uint32_t place[],
                                                        uint32_t count, double least, int deepest) {
  double most = 0.0;
  for (uint32_t i = 1; i < count; i++) {
    const double x = p->x[place[i]] - p->x[place[0]], y = p->y[place[i]] - p->y[place[0]];
    most = ct_max2(most, x * x + y * y);
  }
  int i = 0;
  while (i < deepest && p->z[place[i]] > least + CT_CONTACT_TIE * sqrt(most)) i++;
  return i;
}

/* Sorts the valid candidates by features, then moves the deepest to the front. The number of points
 * is unpredictable: each step processes CORNERS_MAX entries, and empty ones are sorted to the end.
 * False: there are more than CORNERS_MAX points. */
CT_INLINE bool sort_candidates(const rectangle *r, const candidates *p, ordered *out) {
  int32_t key[CORNERS_MAX], before[CORNERS_MAX];
  uint32_t from[CORNERS_MAX] = {0}, place[CORNERS_MAX + 1] = {0}, n = 0;
  const unsigned frame_up = r->second ? 4u : 10u, body_up = 14u - frame_up;
  double least = INFINITY;
  for (int i = 0; i < CORNERS_MAX; i++) key[i] = INT32_MAX;
  for (unsigned left = p->valid; left; left &= left - 1) {
    if (n == CORNERS_MAX) return false;
    const uint32_t i = from[n] = (uint32_t)__builtin_ctz(left);
    least = ct_min2(least, p->z[i]);
    key[n++] = p->of_frame[i] << frame_up | p->of_body[i] << body_up;
  }
  /* Sort by rank, then find the first of the deepest points. */
  rank_keys(key, before);
  for (int i = 0; i < CORNERS_MAX; i++) place[before[i]] = from[i];
  /* The distance between points is bounded by the size of the incident face, so the exact tie is
   * needed for few pairs. */
  const double above = least + 2.0 * r->slack, widest = least + r->widest;
  unsigned deep = 0, tied = 0;
  for (int i = 0; i < CORNERS_MAX; i++) {
    deep |= (unsigned)(p->z[place[i]] <= above) << i;
    tied |= (unsigned)(p->z[place[i]] <= widest) << i;
  }
  int deepest = __builtin_ctz(deep);
  if (__builtin_ctz(tied) < deepest) deepest = find_first_as_deep(p, place, n, least, deepest);
  out->least = least;
  out->place[0] = place[deepest];
  for (int i = 1; i < CORNERS_MAX; i++) out->place[i] = place[i - (i <= deepest)];
  out->count = n;
  return true;
}

/* ---- reduction to four points, with the rules of manifold_points.c -------------------------- */

/* Returns the index of the first gain within `tie` of the largest; CORNERS_MAX if no gain exceeds
 * `least`. */
CT_INLINE unsigned find_largest_gain(const double gain[CORNERS_MAX], double least, double tie) {
  double most = ct_max2(ct_max2(ct_max2(gain[0], gain[1]), ct_max2(gain[2], gain[3])),
                        ct_max2(ct_max2(gain[4], gain[5]), ct_max2(gain[6], gain[7])));
  unsigned equal = 0;
  for (int i = 0; i < CORNERS_MAX; i++) equal |= (unsigned)(gain[i] >= most - tie) << i;
  return most > least ? (unsigned)__builtin_ctz(equal) : CORNERS_MAX;
}

/* Coordinates of the points in the plane of the face. */
typedef struct corners {
  double x[CORNERS_MAX], y[CORNERS_MAX];
} corners;

/* For each point i, computes twice the signed area of the triangle p, q, i. */
CT_INLINE void compute_triangle_areas(const corners *c, unsigned p, unsigned q,
                                      double area[CORNERS_MAX]) {
  const double x = c->x[p], y = c->y[p], dx = c->x[q] - x, dy = c->y[q] - y;
  for (int i = 0; i < CORNERS_MAX; i++) area[i] = dx * (c->y[i] - y) - dy * (c->x[i] - x);
}

/* Returns four points that span a large area, as bits of their indices in `order`. 0: no four
 * points span an area beyond round-off; all are nearly at one point, on a line or in a triangle. */
static unsigned select_four_points(const rectangle *r, const candidates *p_all,
                                   const ordered *order) {
  corners all_of, *c = &all_of;
  for (uint32_t i = 0; i < CORNERS_MAX; i++) {
    const uint32_t k = order->place[i < order->count ? i : 0];
    c->x[i] = p_all->x[k];
    c->y[i] = p_all->y[k];
  }
  /* Second point: the farthest from the first. */
  double gain[CORNERS_MAX], one[CORNERS_MAX], two[CORNERS_MAX], three[CORNERS_MAX];
  for (int i = 0; i < CORNERS_MAX; i++)
    gain[i] = (c->x[i] - c->x[0]) * (c->x[i] - c->x[0]) + (c->y[i] - c->y[0]) * (c->y[i] - c->y[0]);
  double square = 0.0;
  for (int i = 0; i < CORNERS_MAX; i++) square = ct_max2(square, gain[i]);
  const double tie = CT_CONTACT_TIE * square,
               least = ct_max2(2.0 * tie, 2.0 * r->slack * sqrt(square));
  unsigned p = find_largest_gain(gain, 4.0 * r->slack * r->slack, tie);
  if (p == CORNERS_MAX) return 0;
  /* Third point: the one with the largest triangle. */
  compute_triangle_areas(c, 0, p, one);
  for (int i = 0; i < CORNERS_MAX; i++) gain[i] = fabs(one[i]);
  unsigned q = find_largest_gain(gain, least, tie);
  if (q == CORNERS_MAX) return 0;
  /* Fourth point: the one with the largest triangle outside the first triangle. */
  const double outside = one[q] < 0.0 ? 1.0 : -1.0;
  compute_triangle_areas(c, p, q, two);
  compute_triangle_areas(c, q, 0, three);
  for (int i = 0; i < CORNERS_MAX; i++)
    gain[i] = ct_max2(ct_max2(outside * one[i], outside * two[i]), outside * three[i]);
  unsigned s = find_largest_gain(gain, least, tie);
  return s == CORNERS_MAX ? 0 : 1u | 1u << p | 1u << q | 1u << s;
}

/* ---- the world ------------------------------------------------------------------------------ */

CT_INLINE ct_vec3 get_axis_column(const ct_mat3 *m, int j) {
  return ct_vec(ct_vec3_component(&m->rx, j), ct_vec3_component(&m->ry, j),
                ct_vec3_component(&m->rz, j));
}

CT_INLINE ct_feature decode_feature(uint32_t f) {
  return (ct_feature){(ct_feature_kind)(f >> 4), f & 15u};
}

CT_INLINE void write_face_points(const rectangle *r, const candidates *p, const ordered *order,
                                 unsigned chosen, ct_vec3 normal, ct_contact_point *out) {
  const ct_frame *frame = r->pair->frame[r->second];
  const ct_vec3 u = get_axis_column(&frame->rotation, r->u),
                v = get_axis_column(&frame->rotation, r->v);
  const ct_vec3 middle = ct_scale(get_axis_column(&frame->rotation, r->axis), r->sense * r->level);
  const bool swapped = r->pair->swapped, of_frame = r->second != swapped;
  const double up = (double)(1 - 2 * (int)of_frame);
  for (; chosen; chosen &= chosen - 1, out++) {
    const uint32_t i = order->place[__builtin_ctz(chosen)];
    ct_vec3 at =
        ct_add(ct_add_scaled(ct_add_scaled(middle, u, p->x[i]), v, p->y[i]), frame->position);
    ct_vec3 *points[2] = {&out->point_a, &out->point_b};
    *points[of_frame] = ct_clear_negative_zero(at);
    *points[!of_frame] = ct_clear_negative_zero(ct_add_scaled(at, normal, up * p->z[i]));
    ct_feature *features[2] = {&out->a, &out->b};
    *features[of_frame] = decode_feature(p->of_frame[i]);
    *features[!of_frame] = decode_feature(p->of_body[i]);
    out->normal = normal;
    out->distance = p->z[i] + 0.0;
    out->patch = out->number = 0;
  }
}

static bool intersect_reference_face(const ct_box_pair *pair, rectangle *r, ct_detail detail,
                                     ct_manifold_scratch *memory, ct_manifold *out) {
  incident_face t;
  candidates p;
  ordered order;
  p.valid = 0;
  p.unsure = (ct_lane_mask){0, 0};
  /* Compute the candidates of all four kinds. */
  find_rectangle(pair, r);
  const bool sure = find_incident_face(r, &t);
  find_incident_corners(r, &t, &p);
  find_reference_corners(r, &t, &p);
  clip_incident_edges(r, &t, &p);
  /* Decline cases that are undecided, or whose deepest point is not as deep as the pair. */
  if (!sure || t.sine < SINE_MIN || ct_lanes_bits(p.unsure) || p.valid == 0) return false;
  if (!sort_candidates(r, &p, &order)) return false;
  if (!(order.least <= out->pair.distance + 2.0 * r->slack)) return false;
  /* Select points, and write them in the world frame. */
  unsigned chosen = (1u << order.count) - 1u;
  if (detail == CT_DETAIL_DEEPEST) chosen = 1;
  if (detail == CT_DETAIL_MANIFOLD && order.count > KEPT_MAX)
    chosen = select_four_points(r, &p, &order);
  if (chosen == 0) return false;
  write_face_points(r, &p, &order, chosen, out->pair.normal, memory->points);
  memory->count = order.count;
  out->count = chosen == (1u << order.count) - 1u ? order.count
               : detail == CT_DETAIL_DEEPEST      ? 1
                                                  : KEPT_MAX;
  return true;
}

/* ---- edges ---------------------------------------------------------------------------------- */

/* Writes the only contact point of two crossing edges. False: the bodies may be in face contact, or
 * the edges are almost parallel. */
static bool write_edge_edge_point(const ct_box_pair *pair, const double extent[2],
                                  ct_manifold_scratch *memory, ct_manifold *out) {
  const int j = (pair->axis_found - 6) / 3, i = (pair->axis_found - 6) % 3;
  const double distance = out->pair.distance, level = pair->flat_gap;
  const double least = distance - CT_FACE_OVER_EDGE_SIZE * ct_min2(extent[0], extent[1]) -
                       CT_FACE_OVER_EDGE * fabs(level);
  if (level > least - UNSURE * (extent[0] + extent[1] + fabs(distance))) return false;
  /* Decline almost parallel edges. */
  const double x = ct_vec3_component(&pair->axis[j], next[i]),
               y = ct_vec3_component(&pair->axis[j], next[next[i]]);
  if (!(x * x + y * y >= SINE_MIN * SINE_MIN)) return false;
  const ct_vec3 n = pair->normal;
  /* The support vertices along the normal determine the two edges. */
  uint32_t top_a =
               (uint32_t)(n.x >= 0.0) | (uint32_t)(n.y >= 0.0) << 1 | (uint32_t)(n.z >= 0.0) << 2,
           top_b = 0;
  for (int k = 0; k < 3; k++) top_b |= (uint32_t)(ct_dot(n, pair->axis[k]) <= 0.0) << k;
  const ct_feature features[2] = {{CT_FEATURE_EDGE, edges[i][top_a]},
                                  {CT_FEATURE_EDGE, edges[j][top_b]}};
  const bool swapped = pair->swapped;
  ct_contact_point *point = &memory->points[0];
  ct_vec3 *points[2] = {&point->point_a, &point->point_b};
  const ct_vec3 *own[2] = {&out->pair.point_a, &out->pair.point_b};
  *points[swapped] = *own[swapped];
  *points[!swapped] = ct_clear_negative_zero(
      ct_add_scaled(*own[swapped], out->pair.normal, distance * (double)(1 - 2 * (int)swapped)));
  point->a = features[swapped];
  point->b = features[!swapped];
  point->normal = out->pair.normal;
  point->distance = distance;
  point->patch = point->number = 0;
  memory->count = 1;
  out->count = 1;
  return true;
}

bool ct_contacts_boxes_axis(const ct_box_pair *pair, const ct_contact_options *options,
                            ct_manifold_scratch *memory, ct_manifold *out) {
  assert(pair->axis_found >= 0 && pair->axis_found < 15);
  const double extent[2] = {sqrt(ct_norm2(pair->half[0])), sqrt(ct_norm2(pair->half[1]))};
  bool found;
  if (pair->axis_found >= 6) {
    found = write_edge_edge_point(pair, extent, memory, out);
  } else {
    rectangle r;
    r.slack = CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF *
              (ct_max2(extent[0], extent[1]) + fabs(out->pair.distance));
    r.widest = 4.0 * CT_CONTACT_TIE * ct_min2(extent[0], extent[1]) + 2.0 * r.slack;
    r.tie = ct_contacts_tie(extent[0], extent[1], r.slack);
    r.reach = options->clearance + r.tie;
    found = intersect_reference_face(pair, &r, options->detail, memory, out);
  }
  if (found) out->points = memory->points;
  return found;
}
