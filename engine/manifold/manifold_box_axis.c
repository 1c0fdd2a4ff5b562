/* Contacts of two boxes that overlap least along one axis beyond doubt: of a face, or of two edges.
 *
 * The box with that face is the frame: in its own axes its face is a rectangle, and what is left of the other's face is found by
 * comparing coordinates: corners of one within the other, and for each edge where it enters the rectangle and where it leaves it
 * (Liang, Barsky 1984). All sixteen places are worked out, and those that are none dropped: which they are is as good as random, so
 * that little branches on it. Whatever hangs on round-off is declined: corners on a side, edges side by side, faces that lean
 * equally. Those choices are made in manifold_box_box.c, once for all ways that a box is met.
 */
#include "base/simd_lanes.h"
#include "manifold/manifold.h"
#include "primitives/box_box.h"

#include <string.h>

/* Corners of a clipped rectangle at most. */
#define CORNERS_MAX 8
#define KEPT_MAX 4
/* Of the pair's tie: what is nearer to a side is on it. Corners within a tie are over a face, and places within two ties of each
 * other on both axes are one. */
#define ON_SIDE 4.0
/* Sines between edges below this: a crossing's place would lose more than three digits. */
#define SINE_MIN 1e-3
/* Cosines that differ by less are equal, beyond doubt. */
#define COSINE_TIE (2.0 * CT_COSINE_TIE)
/* Of the extents of both: separations of faces within this of their limit are left to the outlines. */
#define UNSURE 1e-9

static const uint8_t next[3] = {1, 2, 0};

#define F(f) 0x30 | (f)
#define V(v) 0x10 | (v)
#define E(e) 0x20 | (e)
/* Of a face 2 axis + (1: positive side), as kind << 4 | number: itself, four times; its vertices by the signs on the two axes that
 * follow its own, the first as bit 0; its edges on the lower and higher side of the first of these, and of the second. */
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
_Static_assert(CT_FEATURE_VERTEX == 1 && CT_FEATURE_EDGE == 2 && CT_FEATURE_FACE == 3, "the table of faces");

/* Of an axis and a vertex: the edge along it from there. */
static const uint8_t edges[3][8] = {{0, 0, 1, 1, 2, 2, 3, 3}, {4, 5, 4, 5, 6, 7, 6, 7}, {8, 9, 10, 11, 8, 9, 10, 11}};

/* A place in the rectangle's axes: across the face, and how high above it. */
typedef struct spot {
  double x, y, z;
} spot;

/* The other box's face: its middle, and half of its edges. */
typedef struct tilted {
  spot middle, edge[2];
  double sine; /* the least of an edge with a side */
  int face;
} tilted;

/* The box whose face is the rectangle. */
typedef struct rectangle {
  const ct_box_pair *pair;
  double x, y, level; /* half its sides, and the face from the centre, m */
  double way;         /* 1: on the positive side */
  double slack, tie, reach;
  double widest;  /* at least the ct_contacts_depth_tie of all that may be points, m */
  int axis, u, v; /* its own, and those along its sides */
  int face;
  bool second; /* of the second body */
} rectangle;

/* Places by kinds: the other's corners, edges entering, edges leaving, the rectangle's corners. */
enum { OF_BODY = 0, ENTERS = 4, LEAVES = 8, OF_FRAME = 12, PLACES = 16 };
typedef struct places {
  _Alignas(16) double x[PLACES], y[PLACES], z[PLACES];
  uint8_t of_frame[PLACES], of_body[PLACES]; /* features */
  unsigned valid;                            /* as bits */
  ct_lane_mask unsure;
} places;

/* Those that are points, in order. */
typedef struct ordered {
  uint32_t place[CORNERS_MAX], count;
  double least; /* distance */
} ordered;

/* ---- two at a time ---- */

CT_INLINE ct_lanes all(double x) { return (ct_lanes){x, x}; }
CT_INLINE ct_lanes size_of(ct_lanes x) { return (ct_lanes)((ct_lane_mask)x & INT64_MAX); }

CT_INLINE void put(places *p, int place, ct_lanes x, ct_lanes y, ct_lanes z) {
  ct_lanes_store(p->x + place, x);
  ct_lanes_store(p->y + place, y);
  ct_lanes_store(p->z + place, z);
}

/* ---- faces ---- */

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
  r->way = copysign(1.0, pair->along[pair->axis_found]) * (double)(1 - 2 * (int)r->second);
  r->face = 2 * r->axis + (r->way > 0.0);
}

/* The other's axis as the rectangle's box sees it. */
CT_INLINE spot axis_of(const rectangle *r, int i) {
  const double *m = &r->pair->axis[0].x;
  static const int8_t strides[3] = {3, 1, 3};
  int by = strides[r->second], to = strides[1 + r->second];
  return (spot){m[by * i + to * r->u], m[by * i + to * r->v], r->way * m[by * i + to * r->axis]};
}

CT_INLINE spot times(spot p, double by) { return (spot){p.x * by, p.y * by, p.z * by}; }
CT_INLINE spot plus(spot p, spot q) { return (spot){p.x + q.x, p.y + q.y, p.z + q.z}; }

/* The face that leans least; false: another one leans as little. */
CT_INLINE bool find_tilted(const rectangle *r, tilted *t) {
  const spot axes[3] = {axis_of(r, 0), axis_of(r, 1), axis_of(r, 2)};
  const ct_vec3 *half = &r->pair->half[!r->second];
  const double x = fabs(axes[0].z), y = fabs(axes[1].z), z = fabs(axes[2].z), most = ct_max2(ct_max2(x, y), z);
  const double near = most - COSINE_TIE;
  const int last = z == most, i = last ? 2 : y == most;
  const spot *own = &axes[i], *first = &axes[next[i]], *second = &axes[next[next[i]]];
  const double along = copysign(ct_vec3_component(half, i), -own->z), sign = r->second ? -1.0 : 1.0;
  const double *center = &r->pair->along[r->second ? 3 : 0];
  const spot from = {sign * center[r->u], sign * center[r->v], sign * r->way * center[r->axis] - r->level};
  t->middle = plus(from, times(*own, along));
  t->edge[0] = times(*first, ct_vec3_component(half, next[i]));
  t->edge[1] = times(*second, ct_vec3_component(half, next[next[i]]));
  t->sine = ct_min2(ct_min2(fabs(first->x), fabs(first->y)), ct_min2(fabs(second->x), fabs(second->y)));
  t->face = 2 * i + (own->z < 0.0);
  return (x >= near) + (y >= near) + (z >= near) == 1;
}

/* The other's corners. */
CT_INLINE void find_corners(const rectangle *r, const tilted *t, places *p) {
  const spot m = t->middle, e = t->edge[0], f = t->edge[1];
  const ct_lanes on_side = all(ON_SIDE * r->tie), none = all(0.0);
  for (int i = 0; i < 4; i += 2) {
    const double way = i - 1;
    const ct_lanes x = all(m.x + way * f.x) + (ct_lanes){-e.x, e.x}, y = all(m.y + way * f.y) + (ct_lanes){-e.y, e.y};
    const ct_lanes z = all(m.z + way * f.z) + (ct_lanes){-e.z, e.z};
    const ct_lanes out_x = size_of(x) - all(r->x), out_y = size_of(y) - all(r->y);
    put(p, OF_BODY + i, x, y, z);
    p->unsure |= (size_of(out_x) <= on_side) | (size_of(out_y) <= on_side);
    p->valid |= ct_lanes_bits((out_x < none) & (out_y < none) & (z <= all(r->reach))) << (OF_BODY + i);
  }
  memcpy(p->of_frame + OF_BODY, faces[r->face].own, 4);
  memcpy(p->of_body + OF_BODY, faces[t->face].vertex, 4);
}

/* The rectangle's corners. */
CT_INLINE void find_frame_corners(const rectangle *r, const tilted *t, places *p) {
  const spot m = t->middle, e = t->edge[0], f = t->edge[1];
  const double area = e.x * f.y - e.y * f.x, slope_e = e.z / area, slope_f = f.z / area, on_side = ON_SIDE * r->tie;
  const ct_lanes whole = all(fabs(area)), none = all(0.0);
  const ct_lanes near_e = all(on_side * (fabs(e.x) + fabs(e.y))), near_f = all(on_side * (fabs(f.x) + fabs(f.y)));
  const ct_lanes x = {-r->x, r->x}, from_x = x - all(m.x);
  for (int i = 0; i < 4; i += 2) {
    const double up = (i - 1) * r->y, from_y = up - m.y;
    const ct_lanes along_e = from_x * all(f.y) - all(from_y * f.x), along_f = all(e.x * from_y) - all(e.y) * from_x;
    const ct_lanes past_e = size_of(along_e) - whole, past_f = size_of(along_f) - whole;
    const ct_lanes z = all(m.z) + along_e * all(slope_e) + along_f * all(slope_f);
    put(p, OF_FRAME + i, x, all(up), z);
    p->unsure |= (size_of(past_e) <= near_f) | (size_of(past_f) <= near_e);
    p->valid |= ct_lanes_bits((past_e < none) & (past_f < none) & (z <= all(r->reach))) << (OF_FRAME + i);
  }
  memcpy(p->of_frame + OF_FRAME, faces[r->face].vertex, 4);
  memcpy(p->of_body + OF_FRAME, faces[t->face].own, 4);
}

/* Two edges side by side, and the two sides whose lines both pass. */
typedef struct crossing {
  spot edge;        /* half of it */
  ct_lanes x, y, z; /* their middles */
  double side_x, side_y;
  uint8_t feature[2]; /* of these sides */
} crossing;

CT_INLINE void put_crossings(places *p, int place, const crossing *c, ct_lanes at, ct_lane_mask second) {
  const ct_lanes x = c->x + at * all(c->edge.x), y = c->y + at * all(c->edge.y);
  put(p, place, ct_lanes_choose(second, all(c->side_x), x), ct_lanes_choose(second, y, all(c->side_y)), c->z + at * all(c->edge.z));
  const unsigned bits = ct_lanes_bits(second);
  p->of_frame[place] = c->feature[bits & 1u];
  p->of_frame[place + 1] = c->feature[bits >> 1];
}

/* Where the other's edges enter the rectangle and leave it. Edges on the sides of the first axis run along the second. */
CT_INLINE void find_crossings(const rectangle *r, const tilted *t, places *p) {
  const uint8_t *sides = faces[r->face].edge;
  const ct_lanes one = all(1.0), sign = {-1.0, 1.0}, reach = all(r->reach);
  for (int k = 0; k < 2; k++) {
    const spot e = t->edge[k], f = t->edge[!k], m = t->middle;
    const ct_lanes x = all(m.x) + sign * all(f.x), y = all(m.y) + sign * all(f.y), z = all(m.z) + sign * all(f.z);
    const ct_lanes by_x = all(1.0 / e.x), by_y = all(1.0 / e.y);
    const double ahead_x = copysign(r->x, e.x), ahead_y = copysign(r->y, e.y);
    const unsigned up_x = e.x > 0.0, up_y = e.y > 0.0;
    const crossing enter = {e, x, y, z, -ahead_x, -ahead_y, {sides[up_x ^ 1u], sides[2u + (up_y ^ 1u)]}};
    const crossing leave = {e, x, y, z, ahead_x, ahead_y, {sides[up_x], sides[2u + up_y]}};
    const ct_lanes low_x = (all(-ahead_x) - x) * by_x, low_y = (all(-ahead_y) - y) * by_y;
    const ct_lanes high_x = (all(ahead_x) - x) * by_x, high_y = (all(ahead_y) - y) * by_y;
    const ct_lanes low = ct_lanes_higher(low_x, low_y), high = ct_lanes_lower(high_x, high_y);
    const ct_lane_mask passes = (low < high) & (low < one) & (high > -one);
    const int in = ENTERS + 2 * (1 - k), out = LEAVES + 2 * (1 - k);
    put_crossings(p, in, &enter, low, low_y > low_x);
    put_crossings(p, out, &leave, high, high_y < high_x);
    p->valid |= ct_lanes_bits(passes & (low > -one) & (ct_lanes_load(p->z + in) <= reach)) << in;
    p->valid |= ct_lanes_bits(passes & (high < one) & (ct_lanes_load(p->z + out) <= reach)) << out;
  }
  memcpy(p->of_body + ENTERS, faces[t->face].edge, 4);
  memcpy(p->of_body + LEAVES, faces[t->face].edge, 4);
}

/* ---- order ---- */

typedef int32_t keys __attribute__((vector_size(16)));

/* How many keys come before each. */
CT_INLINE void rank(const int32_t key[CORNERS_MAX], int32_t out[CORNERS_MAX]) {
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

/* The first of ordered points that is as deep as `least` to ct_contacts_depth_tie; `deepest` is one to round-off. */
static __attribute__((noinline)) int first_as_deep(const places *p, const uint32_t place[], uint32_t count, double least,
                                                   int deepest) {
  double most = 0.0;
  for (uint32_t i = 1; i < count; i++) {
    const double x = p->x[place[i]] - p->x[place[0]], y = p->y[place[i]] - p->y[place[0]];
    most = ct_max2(most, x * x + y * y);
  }
  int i = 0;
  while (i < deepest && p->z[place[i]] > least + CT_CONTACT_TIE * sqrt(most)) i++;
  return i;
}

/* The points by features, the deepest first. How many there are is as good as random: each step is made for as many as there can
 * be, and those that are none come last. False: there are more. */
CT_INLINE bool put_in_order(const rectangle *r, const places *p, ordered *out) {
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
  rank(key, before);
  for (int i = 0; i < CORNERS_MAX; i++) place[before[i]] = from[i];
  /* No two points are farther apart than the tilted face is wide: few have others that may tie. */
  const double above = least + 2.0 * r->slack, widest = least + r->widest;
  unsigned deep = 0, tied = 0;
  for (int i = 0; i < CORNERS_MAX; i++) {
    deep |= (unsigned)(p->z[place[i]] <= above) << i;
    tied |= (unsigned)(p->z[place[i]] <= widest) << i;
  }
  int deepest = __builtin_ctz(deep);
  if (__builtin_ctz(tied) < deepest) deepest = first_as_deep(p, place, n, least, deepest);
  out->least = least;
  out->place[0] = place[deepest];
  for (int i = 1; i < CORNERS_MAX; i++) out->place[i] = place[i - (i <= deepest)];
  out->count = n;
  return true;
}

/* ---- the four that stand for many, as in manifold_reduce.c ---- */

/* The first of the greatest, to a `tie`; CORNERS_MAX: none is above `least`. */
CT_INLINE unsigned first_of_most(const double gain[CORNERS_MAX], double least, double tie) {
  double most = ct_max2(ct_max2(ct_max2(gain[0], gain[1]), ct_max2(gain[2], gain[3])),
                        ct_max2(ct_max2(gain[4], gain[5]), ct_max2(gain[6], gain[7])));
  unsigned equal = 0;
  for (int i = 0; i < CORNERS_MAX; i++) equal |= (unsigned)(gain[i] >= most - tie) << i;
  return most > least ? (unsigned)__builtin_ctz(equal) : CORNERS_MAX;
}

/* Across the face, by columns. */
typedef struct corners {
  double x[CORNERS_MAX], y[CORNERS_MAX];
} corners;

/* Twice the signed areas of triangles with a side from p to q. */
CT_INLINE void find_areas(const corners *c, unsigned p, unsigned q, double area[CORNERS_MAX]) {
  const double x = c->x[p], y = c->y[p], dx = c->x[q] - x, dy = c->y[q] - y;
  for (int i = 0; i < CORNERS_MAX; i++) area[i] = dx * (c->y[i] - y) - dy * (c->x[i] - x);
}

/* As bits; 0: fewer than four stand for all. */
static unsigned reduce(const rectangle *r, const places *p_all, const ordered *order) {
  corners all_of, *c = &all_of;
  for (uint32_t i = 0; i < CORNERS_MAX; i++) {
    const uint32_t k = order->place[i < order->count ? i : 0];
    c->x[i] = p_all->x[k];
    c->y[i] = p_all->y[k];
  }
  double gain[CORNERS_MAX], one[CORNERS_MAX], two[CORNERS_MAX], three[CORNERS_MAX];
  for (int i = 0; i < CORNERS_MAX; i++)
    gain[i] = (c->x[i] - c->x[0]) * (c->x[i] - c->x[0]) + (c->y[i] - c->y[0]) * (c->y[i] - c->y[0]);
  double square = 0.0;
  for (int i = 0; i < CORNERS_MAX; i++) square = ct_max2(square, gain[i]);
  const double tie = CT_CONTACT_TIE * square, least = ct_max2(2.0 * tie, 2.0 * r->slack * sqrt(square));
  unsigned p = first_of_most(gain, 4.0 * r->slack * r->slack, tie);
  if (p == CORNERS_MAX) return 0;
  find_areas(c, 0, p, one);
  for (int i = 0; i < CORNERS_MAX; i++) gain[i] = fabs(one[i]);
  unsigned q = first_of_most(gain, least, tie);
  if (q == CORNERS_MAX) return 0;
  const double outside = one[q] < 0.0 ? 1.0 : -1.0;
  find_areas(c, p, q, two);
  find_areas(c, q, 0, three);
  for (int i = 0; i < CORNERS_MAX; i++) gain[i] = ct_max2(ct_max2(outside * one[i], outside * two[i]), outside * three[i]);
  unsigned s = first_of_most(gain, least, tie);
  return s == CORNERS_MAX ? 0 : 1u | 1u << p | 1u << q | 1u << s;
}

/* ---- the world ---- */

CT_INLINE ct_vec3 column(const ct_mat3 *m, int j) {
  return ct_vec(ct_vec3_component(&m->rx, j), ct_vec3_component(&m->ry, j), ct_vec3_component(&m->rz, j));
}

CT_INLINE ct_feature unpacked(uint32_t f) { return (ct_feature){(ct_feature_kind)(f >> 4), f & 15u}; }

CT_INLINE void hand_back(const rectangle *r, const places *p, const ordered *order, unsigned chosen, ct_vec3 normal,
                         ct_contact_point *out) {
  const ct_frame *frame = r->pair->frame[r->second];
  const ct_vec3 u = column(&frame->rotation, r->u), v = column(&frame->rotation, r->v);
  const ct_vec3 middle = ct_scale(column(&frame->rotation, r->axis), r->way * r->level);
  const bool swapped = r->pair->swapped, of_frame = r->second != swapped;
  const double up = (double)(1 - 2 * (int)of_frame);
  for (; chosen; chosen &= chosen - 1, out++) {
    const uint32_t i = order->place[__builtin_ctz(chosen)];
    ct_vec3 at = ct_add(ct_add_scaled(ct_add_scaled(middle, u, p->x[i]), v, p->y[i]), frame->position);
    ct_vec3 *points[2] = {&out->point_a, &out->point_b};
    *points[of_frame] = ct_clear_negative_zero(at);
    *points[!of_frame] = ct_clear_negative_zero(ct_add_scaled(at, normal, up * p->z[i]));
    ct_feature *features[2] = {&out->a, &out->b};
    *features[of_frame] = unpacked(p->of_frame[i]);
    *features[!of_frame] = unpacked(p->of_body[i]);
    out->normal = normal;
    out->distance = p->z[i] + 0.0;
    out->patch = out->number = 0;
  }
}

static bool meet_on_face(const ct_box_pair *pair, rectangle *r, ct_detail detail, ct_manifold_scratch *memory, ct_manifold *out) {
  tilted t;
  places p;
  ordered order;
  p.valid = 0;
  p.unsure = (ct_lane_mask){0, 0};
  find_rectangle(pair, r);
  const bool sure = find_tilted(r, &t);
  find_corners(r, &t, &p);
  find_frame_corners(r, &t, &p);
  find_crossings(r, &t, &p);
  if (!sure || t.sine < SINE_MIN || ct_lanes_bits(p.unsure) || p.valid == 0) return false;
  if (!put_in_order(r, &p, &order)) return false;
  if (!(order.least <= out->pair.distance + 2.0 * r->slack)) return false;
  unsigned chosen = (1u << order.count) - 1u;
  if (detail == CT_DETAIL_DEEPEST) chosen = 1;
  if (detail == CT_DETAIL_MANIFOLD && order.count > KEPT_MAX) chosen = reduce(r, &p, &order);
  if (chosen == 0) return false;
  hand_back(r, &p, &order, chosen, out->pair.normal, memory->points);
  memory->count = order.count;
  out->count = chosen == (1u << order.count) - 1u ? order.count : detail == CT_DETAIL_DEEPEST ? 1 : KEPT_MAX;
  return true;
}

/* ---- edges ---- */

/* Edges that cross share one point, unless the bodies may be said to meet on a face. */
static bool meet_on_edges(const ct_box_pair *pair, const double extent[2], ct_manifold_scratch *memory, ct_manifold *out) {
  const int j = (pair->axis_found - 6) / 3, i = (pair->axis_found - 6) % 3;
  const double distance = out->pair.distance, level = pair->flat_gap;
  const double least = distance - CT_FACE_OVER_EDGE_SIZE * ct_min2(extent[0], extent[1]) - CT_FACE_OVER_EDGE * fabs(level);
  if (level > least - UNSURE * (extent[0] + extent[1] + fabs(distance))) return false;
  const double x = ct_vec3_component(&pair->axis[j], next[i]), y = ct_vec3_component(&pair->axis[j], next[next[i]]);
  if (!(x * x + y * y >= SINE_MIN * SINE_MIN)) return false;
  const ct_vec3 n = pair->normal;
  uint32_t top_a = (uint32_t)(n.x >= 0.0) | (uint32_t)(n.y >= 0.0) << 1 | (uint32_t)(n.z >= 0.0) << 2, top_b = 0;
  for (int k = 0; k < 3; k++) top_b |= (uint32_t)(ct_dot(n, pair->axis[k]) <= 0.0) << k;
  const ct_feature features[2] = {{CT_FEATURE_EDGE, edges[i][top_a]}, {CT_FEATURE_EDGE, edges[j][top_b]}};
  const bool swapped = pair->swapped;
  ct_contact_point *point = &memory->points[0];
  ct_vec3 *points[2] = {&point->point_a, &point->point_b};
  const ct_vec3 *own[2] = {&out->pair.point_a, &out->pair.point_b};
  *points[swapped] = *own[swapped];
  *points[!swapped] =
      ct_clear_negative_zero(ct_add_scaled(*own[swapped], out->pair.normal, distance * (double)(1 - 2 * (int)swapped)));
  point->a = features[swapped];
  point->b = features[!swapped];
  point->normal = out->pair.normal;
  point->distance = distance;
  point->patch = point->number = 0;
  memory->count = 1;
  out->count = 1;
  return true;
}

bool ct_contacts_boxes_axis(const ct_box_pair *pair, const ct_contact_options *options, ct_manifold_scratch *memory,
                            ct_manifold *out) {
  const double extent[2] = {sqrt(ct_norm2(pair->half[0])), sqrt(ct_norm2(pair->half[1]))};
  bool met;
  if (pair->axis_found >= 6) {
    met = meet_on_edges(pair, extent, memory, out);
  } else {
    rectangle r;
    r.slack = CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * (ct_max2(extent[0], extent[1]) + fabs(out->pair.distance));
    r.widest = 4.0 * CT_CONTACT_TIE * ct_min2(extent[0], extent[1]) + 2.0 * r.slack;
    r.tie = ct_contacts_tie(extent[0], extent[1], r.slack);
    r.reach = options->clearance + r.tie;
    met = meet_on_face(pair, &r, options->detail, memory, out);
  }
  if (met) out->points = memory->points;
  return met;
}
