/* Two boxes by the fifteen axes that can part them: apart along one of the faces' or the first of the others that does, else out
 * along the one of least depth.
 *
 * Everything is in the frame of the first box by content. All six axes of the faces are looked at before anything is decided, then
 * all nine others: which of them parts a pair is as good as random, and a wrong guess costs more than the sums. A deepest axis that
 * is not alone, and features that lie flat on each other, are left to the matrix. Gottschalk, Lin, Manocha 1996.
 */
#include "primitives/box_box.h"
#include "base/simd_lanes.h"
#include "pair/pair_order.h"

/* Axes that part the boxes by less than this many u of the problem's size decide nothing. */
#define SURE_ROUNDOFFS 64.0
/* Edges whose sine is below this many u are parallel: their cross product adds nothing to the faces'. */
#define PARALLEL_ROUNDOFFS 8.0
/* Of the round-off of the contract, what the points of two edges may miss the normal by. */
#define POINT_FRACTION 0.25
/* Cosines below this are those of features that lie flat, rad: the documented meaning of parallel. */
#define FLAT 1e-6

typedef ct_box_pair boxes;

/* An axis: 0..2 of a, 3..5 of b, 6 + 3 j + i the cross product of a's i and b's j. */
typedef struct axis {
  int index;
  double gap;     /* what it parts the boxes by, m; below zero: they overlap by as much */
  ct_vec3 normal; /* of a cross product: unit, in a's frame, from a to b */
  double length;  /* of the product */
} axis;

CT_INLINE double part(ct_vec3 v, int i) { return i == 0 ? v.x : i == 1 ? v.y : v.z; }
CT_INLINE ct_vec3 column(const ct_mat3 *m, int j) { return ct_vec(part(m->rx, j), part(m->ry, j), part(m->rz, j)); }
CT_INLINE ct_vec3 absolute(ct_vec3 v) { return ct_vec(fabs(v.x), fabs(v.y), fabs(v.z)); }

static int compare(const double *p, const double *q, int count) {
  for (int i = 0; i < count; i++)
    if (p[i] != q[i]) return p[i] < q[i] ? -1 : 1;
  return 0;
}

/* As ct_pair_is_swapped. */
static bool swapped_by_rest(ct_placed a, ct_placed b) {
  const ct_vec3 p = a.shape->box.half, q = b.shape->box.half;
  const double sizes[2][3] = {{p.x, p.y, p.z}, {q.x, q.y, q.z}};
  int order = compare(sizes[0], sizes[1], 3);
  if (order) return order > 0;
  return ct_frames_are_swapped(a.frame, b.frame);
}

/* Which comes first is as good as random: nothing branches on it. */
CT_INLINE void place(ct_placed first, ct_placed second, boxes *s) {
  double x = first.shape->box.half.x, y = second.shape->box.half.x;
  s->swapped = x != y ? x > y : swapped_by_rest(first, second);
  const ct_placed both[2] = {first, second};
  const ct_placed *a = &both[s->swapped], *b = &both[!s->swapped];
  const ct_frame *f = a->frame, *g = b->frame;
  const ct_vec3 p = a->shape->box.half, q = b->shape->box.half, d = ct_sub(g->position, f->position);
  s->frame[0] = f;
  s->frame[1] = g;
  s->half[0] = p;
  s->half[1] = q;
  s->axis[0] = ct_mat_tmul(f->rotation, column(&g->rotation, 0));
  s->axis[1] = ct_mat_tmul(f->rotation, column(&g->rotation, 1));
  s->axis[2] = ct_mat_tmul(f->rotation, column(&g->rotation, 2));
  s->center = ct_mat_tmul(f->rotation, d);
  const ct_vec3 on_b = ct_mat_tmul(g->rotation, d);
  s->along[0] = s->center.x, s->along[1] = s->center.y, s->along[2] = s->center.z;
  s->along[3] = on_b.x, s->along[4] = on_b.y, s->along[5] = on_b.z;
  s->sure = SURE_ROUNDOFFS * CT_UNIT_ROUNDOFF * (p.x + p.y + p.z + q.x + q.y + q.z + fabs(d.x) + fabs(d.y) + fabs(d.z));
}

void ct_box_pair_place(ct_placed a, ct_placed b, ct_box_pair *pair) { place(a, b, pair); }

/* ---- axes ---- */

CT_INLINE void face_gaps(boxes *s, double gap[6]) {
  const ct_vec3 p = s->half[0], q = s->half[1];
  s->size[0] = absolute(s->axis[0]);
  s->size[1] = absolute(s->axis[1]);
  s->size[2] = absolute(s->axis[2]);
  ct_vec3 of_b = ct_add_scaled(ct_add_scaled(ct_scale(s->size[0], q.x), s->size[1], q.y), s->size[2], q.z);
  s->reach[0] = of_b.x, s->reach[1] = of_b.y, s->reach[2] = of_b.z;
  s->reach[3] = ct_dot(p, s->size[0]);
  s->reach[4] = ct_dot(p, s->size[1]);
  s->reach[5] = ct_dot(p, s->size[2]);
  gap[0] = fabs(s->along[0]) - p.x - s->reach[0];
  gap[1] = fabs(s->along[1]) - p.y - s->reach[1];
  gap[2] = fabs(s->along[2]) - p.z - s->reach[2];
  gap[3] = fabs(s->along[3]) - q.x - s->reach[3];
  gap[4] = fabs(s->along[4]) - q.y - s->reach[4];
  gap[5] = fabs(s->along[5]) - q.z - s->reach[5];
}

CT_INLINE double greatest(const double v[6]) {
  return ct_max2(ct_max2(ct_max2(v[0], v[1]), ct_max2(v[2], v[3])), ct_max2(v[4], v[5]));
}

/* Which of six are at least so large, as bits. */
CT_INLINE unsigned at_least(const double v[6], double least) {
  return (unsigned)(v[0] >= least) | (unsigned)(v[1] >= least) << 1 | (unsigned)(v[2] >= least) << 2 |
         (unsigned)(v[3] >= least) << 3 | (unsigned)(v[4] >= least) << 4 | (unsigned)(v[5] >= least) << 5;
}

/* What may be more than zero: the signed square of a cross product's gap, above that of `depth` with round-off. The products'
 * lengths are not above one, and `depth` has the round-off of an axis that ties already. */
CT_INLINE double excess(double gap, double length2, double depth2, double slack2) {
  return gap * fabs(gap) + depth2 * length2 + slack2;
}

CT_INLINE ct_vec3 excesses(const boxes *s, int j, double depth2, double slack2) {
  const int j1 = j == 2 ? 0 : j + 1, j2 = j == 0 ? 2 : j - 1;
  const ct_vec3 p = s->half[0], b = s->axis[j], z = s->size[j], t = s->center, on_b = s->half[1];
  double u = part(on_b, j1), v = part(on_b, j2);
  ct_vec3 level = absolute(ct_cross(b, t)), of_b = ct_add_scaled(ct_scale(s->size[j2], u), s->size[j1], v);
  ct_vec3 of_a = {p.y * z.z + p.z * z.y, p.z * z.x + p.x * z.z, p.x * z.y + p.y * z.x};
  ct_vec3 gap = ct_sub(ct_sub(level, of_a), of_b);
  double x2 = z.x * z.x, y2 = z.y * z.y, z2 = z.z * z.z;
  return ct_vec(excess(gap.x, y2 + z2, depth2, slack2), excess(gap.y, z2 + x2, depth2, slack2),
                excess(gap.z, x2 + y2, depth2, slack2));
}

static const uint8_t next[3] = {1, 2, 0}, last[3] = {2, 0, 1};

CT_INLINE double length_of_cross(const boxes *s, int i, int j) {
  double x = ct_vec3_component(&s->axis[j], next[i]), y = ct_vec3_component(&s->axis[j], last[i]);
  return sqrt(x * x + y * y);
}

CT_INLINE double level_of(const boxes *s, ct_vec3 n) { return ct_dot(n, s->center); }

/* The unit normal of the cross product of a's i and b's j. */
CT_INLINE ct_vec3 normal_of_cross(const boxes *s, int i, int j, double length) {
  double n[3];
  n[i] = 0.0;
  n[next[i]] = -ct_vec3_component(&s->axis[j], last[i]) / length;
  n[last[i]] = ct_vec3_component(&s->axis[j], next[i]) / length;
  ct_vec3 normal = {n[0], n[1], n[2]};
  return ct_scale(normal, copysign(1.0, level_of(s, normal)));
}

/* Of a unit normal; good to round-off however skew the edges are that it comes from. */
CT_INLINE double gap_along(const boxes *s, ct_vec3 n) {
  double reach = ct_dot(s->half[0], absolute(n));
  for (int j = 0; j < 3; j++) reach += part(s->half[1], j) * fabs(ct_dot(n, s->axis[j]));
  return fabs(level_of(s, n)) - reach;
}

typedef enum verdict { APART, OVERLAPPING, UNSURE } verdict;

/* Looks along those cross products, as bits, that may part the boxes by more than the best axis so far. *second: the greatest gap
 * but the best one's. */
static __attribute__((noinline)) verdict look_across(const boxes *s, unsigned open, double limit, axis *best, double *second) {
  verdict found = OVERLAPPING;
  ct_vec3 normal[9];
  double length[9];
  for (; open; open &= open - 1) {
    int k = __builtin_ctz(open);
    length[k] = length_of_cross(s, k % 3, k / 3);
    if (length[k] <= PARALLEL_ROUNDOFFS * CT_UNIT_ROUNDOFF) continue;
    normal[k] = normal_of_cross(s, k % 3, k / 3, length[k]);
    double gap = gap_along(s, normal[k]), lesser = ct_min2(gap, best->gap);
    *second = ct_max2(*second, lesser);
    best->index = gap > best->gap ? 6 + k : best->index;
    best->gap = ct_max2(gap, best->gap);
    found = gap > limit ? APART : OVERLAPPING;
    if (found == APART) break;
  }
  if (best->index >= 6) {
    best->normal = normal[best->index - 6];
    best->length = length[best->index - 6];
  }
  return found;
}

/* Looks along all axes, or along those of the faces where one parts the boxes by more than `limit`. OVERLAPPING: all show an
 * overlap, and *best is the least deep, if `depth` is asked for. UNSURE: boxes apart by less than the limit, ties, and boxes that
 * may touch. Boxes apart that are not to be answered early are UNSURE at once. */
CT_INLINE verdict search(boxes *s, double limit, bool depth, axis *best) {
  double gap[6], sure = s->sure;
  face_gaps(s, gap);
  double most = greatest(gap);
  s->flat_gap = most;
  bool apart = most > limit;
  unsigned near = at_least(gap, apart ? most : most - sure);
  best->index = __builtin_ctz(near | 1u << 6);
  best->gap = most;
  if (apart) return APART;
  if (most > sure && !(limit < INFINITY)) return UNSURE;
  double deep = (depth ? ct_max2(-most, 0.0) : 0.0) + sure, deep2 = deep * deep, slack2 = (deep + sure) * sure;
  const ct_vec3 u = excesses(s, 0, deep2, slack2), v = excesses(s, 1, deep2, slack2), w = excesses(s, 2, deep2, slack2);
  const ct_lanes none = {0.0, 0.0};
  const unsigned open = ct_lanes_bits((ct_lanes){u.x, u.y} >= none) | ct_lanes_bits((ct_lanes){u.z, v.x} >= none) << 2 |
                        ct_lanes_bits((ct_lanes){v.y, v.z} >= none) << 4 | ct_lanes_bits((ct_lanes){w.x, w.y} >= none) << 6 |
                        (unsigned)(w.z >= 0.0) << 8;
  double second = -INFINITY;
  if (open && look_across(s, open, limit, best, &second) == APART) return APART;
  if (!(best->gap < -sure) || (depth && second >= best->gap - sure)) return UNSURE;
  return depth && best->index < 6 && (near & (near - 1)) ? UNSURE : OVERLAPPING;
}

/* ---- points ---- */

CT_INLINE ct_vec3 like(ct_vec3 size, ct_vec3 sign) {
  return ct_vec(copysign(size.x, sign.x), copysign(size.y, sign.y), copysign(size.z, sign.z));
}

/* Cosines of a direction with the axes of b. */
CT_INLINE ct_vec3 on_b(const boxes *s, ct_vec3 n) {
  return ct_vec(ct_dot(n, s->axis[0]), ct_dot(n, s->axis[1]), ct_dot(n, s->axis[2]));
}

/* Of b's own coordinates. */
CT_INLINE ct_vec3 point_of_b(const boxes *s, ct_vec3 p) {
  return ct_add_scaled(ct_add_scaled(ct_add_scaled(s->center, s->axis[0], p.x), s->axis[1], p.y), s->axis[2], p.z);
}

CT_INLINE bool within(ct_vec3 p, ct_vec3 half, double slack) {
  return (fabs(p.x) <= half.x + slack) & (fabs(p.y) <= half.y + slack) & (fabs(p.z) <= half.z + slack);
}

/* Is a feature alone that lies so to the normal? `but`: an axis that does not count. */
CT_INLINE bool leans(ct_vec3 cosine, int but) {
  return ((fabs(cosine.x) > FLAT) | (but == 0)) & ((fabs(cosine.y) > FLAT) | (but == 1)) & ((fabs(cosine.z) > FLAT) | (but == 2));
}

/* What a pair has besides the gap, in a's frame. */
typedef struct points {
  ct_vec3 normal, p, q;
} points;

/* The unit normal of a face's axis, from a to b. */
CT_INLINE ct_vec3 normal_of_face(const boxes *s, int index) {
  const ct_vec3 axes[6] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}, s->axis[0], s->axis[1], s->axis[2]};
  return ct_scale(axes[index], copysign(1.0, s->along[index]));
}

/* A vertex of b on a face of a; false: the vertex is not alone, or not over the face. */
static bool vertex_on_a(const boxes *s, int i, points *out) {
  double way = copysign(1.0, s->along[i]);
  ct_vec3 cosine = {way * ct_vec3_component(&s->axis[0], i), way * ct_vec3_component(&s->axis[1], i),
                    way * ct_vec3_component(&s->axis[2], i)};
  out->q = point_of_b(s, ct_neg(like(s->half[1], cosine)));
  double p[3] = {out->q.x, out->q.y, out->q.z};
  p[i] = way * ct_vec3_component(&s->half[0], i);
  out->p = ct_vec(p[0], p[1], p[2]);
  bool alone = leans(cosine, 3), over = within(out->p, s->half[0], s->sure);
  return alone & over;
}

/* A vertex of a on a face of b. */
static bool vertex_on_b(const boxes *s, int j, double gap, points *out) {
  out->p = like(s->half[0], out->normal);
  out->q = ct_add_scaled(out->p, out->normal, gap);
  ct_vec3 at = on_b(s, ct_sub(out->q, s->center));
  const double local[3] = {j == 0 ? 0.0 : at.x, j == 1 ? 0.0 : at.y, j == 2 ? 0.0 : at.z};
  bool alone = leans(out->normal, 3), over = within(ct_vec(local[0], local[1], local[2]), s->half[1], s->sure);
  return alone & over;
}

/* An edge of each, crossing. */
static bool edges_cross(const boxes *s, const axis *best, points *out) {
  int j = (best->index - 6) / 3, i = (best->index - 6) % 3;
  ct_vec3 n = out->normal, cosine = on_b(s, n), edge = s->axis[j];
  bool alone_a = leans(n, i), alone_b = leans(cosine, j);
  if (!(alone_a & alone_b)) return false;
  ct_vec3 top_a = like(s->half[0], n), top_b = ct_neg(like(s->half[1], cosine));
  double p[3] = {top_a.x, top_a.y, top_a.z}, q[3] = {top_b.x, top_b.y, top_b.z};
  p[i] = q[j] = 0.0;
  ct_vec3 on_a = {p[0], p[1], p[2]}, near_b = point_of_b(s, ct_vec(q[0], q[1], q[2])), w = ct_sub(near_b, on_a);
  double along = ct_dot(w, edge), along_a = ct_vec3_component(&w, i), product = ct_vec3_component(&edge, i);
  double square = best->length * best->length, x = (along_a - product * along) / square, y = (product * along_a - along) / square;
  p[i] = x;
  out->p = ct_vec(p[0], p[1], p[2]);
  out->q = ct_add_scaled(near_b, edge, y);
  double defect = ct_max_abs(ct_add_scaled(ct_sub(out->q, out->p), n, -best->gap));
  double limit_x = ct_vec3_component(&s->half[0], i) + s->sure, limit_y = ct_vec3_component(&s->half[1], j) + s->sure;
  return (fabs(x) <= limit_x) & (fabs(y) <= limit_y) & (defect <= POINT_FRACTION * s->sure);
}

CT_INLINE bool deepest(const boxes *s, const axis *best, points *out) {
  out->normal = best->index < 6 ? normal_of_face(s, best->index) : best->normal;
  if (level_of(s, out->normal) <= s->sure) return false;
  if (best->index < 3) return vertex_on_a(s, best->index, out);
  if (best->index < 6) return vertex_on_b(s, best->index - 3, best->gap, out);
  return edges_cross(s, best, out);
}

/* The vertices farthest along the normal: points of a pair that is apart by more than was asked. */
CT_INLINE void farthest(const boxes *s, const axis *best, points *out) {
  out->normal = best->index < 6 ? normal_of_face(s, best->index) : best->normal;
  out->p = like(s->half[0], out->normal);
  out->q = point_of_b(s, ct_neg(like(s->half[1], on_b(s, out->normal))));
}

/* Does one box hold the other, to round-off? In the order of the call. */
CT_INLINE ct_relation held(const boxes *s) {
  const double *t = s->along, *r = s->reach;
  bool a_holds = within(ct_vec(fabs(t[0]) + r[0], fabs(t[1]) + r[1], fabs(t[2]) + r[2]), s->half[0], s->sure);
  bool b_holds = within(ct_vec(fabs(t[3]) + r[3], fabs(t[4]) + r[4], fabs(t[5]) + r[5]), s->half[1], s->sure);
  if (!(a_holds | b_holds)) return CT_PENETRATING;
  return a_holds != s->swapped ? CT_CONTAINING : CT_CONTAINED;
}

/* All that is said of a pair farther apart than was asked when no points are wanted. */
CT_INLINE void only_bound(const boxes *s, double gap, ct_pair_result *out) {
  const ct_vec3 none = {0.0, 0.0, 0.0};
  ct_write_primitive_result(out, s->swapped, none, none, none, gap);
  ct_write_primitive_bounds(out, gap, sqrt(ct_max2(ct_norm2(s->half[0]), ct_norm2(s->half[1]))));
  out->upper_bound += ct_norm(s->center);
}

/* From a's frame and the order by content to the world's and the caller's. */
CT_INLINE void hand_over(const boxes *s, double gap, const points *found, ct_pair_result *out) {
  const ct_frame *frame = s->frame[0];
  ct_vec3 normal = ct_renormalize(ct_mat_mul(frame->rotation, found->normal));
  ct_write_primitive_result(out, s->swapped, normal, ct_to_parent(*frame, found->p), ct_to_parent(*frame, found->q), gap);
  ct_write_primitive_bounds(out, gap, sqrt(ct_max2(ct_norm2(s->half[0]), ct_norm2(s->half[1]))));
}

/* `far`: are points of a pair wanted that is farther apart than was asked? */
CT_INLINE bool answer(boxes *s, const ct_pair_options *options, bool far, ct_pair_result *result) {
  axis best;
  points found;
  verdict seen = search(s, options->threshold + s->sure, true, &best);
  s->axis_found = -1;
  if (seen == UNSURE) return false;
  if (seen == APART && !far) {
    only_bound(s, best.gap, result);
    result->relation = CT_SEPARATED;
    return true;
  }
  if (seen == APART) {
    farthest(s, &best, &found);
    hand_over(s, best.gap, &found, result);
    result->upper_bound += ct_norm(ct_sub(found.q, found.p)) - best.gap;
    result->relation = CT_SEPARATED;
    return true;
  }
  if (!deepest(s, &best, &found)) return false;
  s->axis_found = best.index;
  s->normal = found.normal;
  hand_over(s, best.gap, &found, result);
  result->relation = best.gap >= -options->tolerance ? CT_TOUCHING : held(s);
  return true;
}

bool ct_box_pair_near(ct_box_pair *pair, const ct_pair_options *options, ct_pair_result *result) {
  return answer(pair, options, false, result);
}

bool ct_box_box_distance(ct_placed a, ct_placed b, const ct_pair_options *options, ct_pair_result *result) {
  boxes s;
  place(a, b, &s);
  return answer(&s, options, true, result);
}

bool ct_box_box_overlap(ct_placed a, ct_placed b, bool *overlap) {
  boxes s;
  axis best;
  place(a, b, &s);
  verdict found = search(&s, s.sure, false, &best);
  *overlap = found == OVERLAPPING;
  return found != UNSURE;
}
