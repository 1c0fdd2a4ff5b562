/* Two boxes by the separating axis test over fifteen axes (Gottschalk, Lin, Manocha 1996).
 *
 * The pair is separated along a face normal, or along the first cross product of edges with a gap;
 * otherwise the axis of least depth gives the penetration. All six face axes are evaluated before
 * any decision, then all nine cross products: which axis separates is unpredictable, and a
 * mispredicted branch costs more than the arithmetic. Ties for the least depth and parallel
 * features are declined. All values are in the frame of the first box in content order.
 *
 * ct_box_box_depth evaluates the same axes for cores that overlap, and breaks ties. */
#include "primitives/box_box.h"
#include "base/simd_lanes.h"
#include "pair/pair_order.h"

#include <assert.h>

/* Separations and differences of separations below this many u of the problem's size are
 * undecided. */
#define SURE_ROUNDOFFS 64.0
/* Edges whose angle has a sine up to this many u are parallel: their cross product adds no axis. */
#define PARALLEL_ROUNDOFFS 8.0
/* Fraction of ct_box_pair.sure by which the difference of the witness points of two crossing edges
 * may deviate from the normal. */
#define POINT_FRACTION 0.25
/* Features whose angle has a sine up to this are parallel, as documented for the API. */
#define FLAT 1e-6

typedef ct_box_pair boxes;

/* A candidate for the separating axis. index 0..2: axis of a; 3..5: axis of b; 6 + 3 j + i: cross
 * product of a's axis i and b's axis j. */
typedef struct axis {
  int index;
  double gap;     /* separation along the axis, m; negative: overlap */
  ct_vec3 normal; /* cross products only: unit normal in a's frame, from a to b */
  double length;  /* length of the cross product of the unit axes */
} axis;

CT_INLINE double select_component(ct_vec3 v, int i) { return i == 0 ? v.x : i == 1 ? v.y : v.z; }
CT_INLINE ct_vec3 select_matrix_column(const ct_mat3 *m, int j) {
  return ct_vec(select_component(m->rx, j), select_component(m->ry, j), select_component(m->rz, j));
}
CT_INLINE ct_vec3 compute_absolute(ct_vec3 v) { return ct_vec(fabs(v.x), fabs(v.y), fabs(v.z)); }

static int compare_box_sizes(const double *p, const double *q, int count) {
  for (int i = 0; i < count; i++)
    if (p[i] != q[i]) return p[i] < q[i] ? -1 : 1;
  return 0;
}

/* Does the comparisons of ct_pair_is_swapped for two boxes whose first half lengths are equal. */
static bool is_box_pair_swapped(ct_placed a, ct_placed b) {
  const ct_vec3 p = a.shape->box.half, q = b.shape->box.half;
  const double sizes[2][3] = {{p.x, p.y, p.z}, {q.x, q.y, q.z}};
  int order = compare_box_sizes(sizes[0], sizes[1], 3);
  if (order) return order > 0;
  return ct_frames_are_swapped(a.frame, b.frame);
}

/* Places two boxes in content order. Selects them by index: the order is unpredictable, so that
 * branches would be mispredicted. */
CT_INLINE void place_boxes(ct_placed first, ct_placed second, boxes *s) {
  double x = first.shape->box.half.x, y = second.shape->box.half.x;
  s->swapped = x != y ? x > y : is_box_pair_swapped(first, second);
  const ct_placed both[2] = {first, second};
  const ct_placed *a = &both[s->swapped], *b = &both[!s->swapped];
  const ct_frame *f = a->frame, *g = b->frame;
  const ct_vec3 p = a->shape->box.half, q = b->shape->box.half,
                d = ct_sub(g->position, f->position);
  s->frame[0] = f;
  s->frame[1] = g;
  s->half[0] = p;
  s->half[1] = q;
  s->axis[0] = ct_mat_tmul(f->rotation, select_matrix_column(&g->rotation, 0));
  s->axis[1] = ct_mat_tmul(f->rotation, select_matrix_column(&g->rotation, 1));
  s->axis[2] = ct_mat_tmul(f->rotation, select_matrix_column(&g->rotation, 2));
  s->center = ct_mat_tmul(f->rotation, d);
  const ct_vec3 on_b = ct_mat_tmul(g->rotation, d);
  s->along[0] = s->center.x, s->along[1] = s->center.y, s->along[2] = s->center.z;
  s->along[3] = on_b.x, s->along[4] = on_b.y, s->along[5] = on_b.z;
  s->sure = SURE_ROUNDOFFS * CT_UNIT_ROUNDOFF *
            (p.x + p.y + p.z + q.x + q.y + q.z + fabs(d.x) + fabs(d.y) + fabs(d.z));
}

void ct_box_pair_place(ct_placed a, ct_placed b, ct_box_pair *pair) {
  assert(ct_box_is_sharp(a.shape) && ct_box_is_sharp(b.shape));
  place_boxes(a, b, pair);
}

CT_INLINE void compute_face_gaps(boxes *s, double gap[6]) {
  const ct_vec3 p = s->half[0], q = s->half[1];
  s->size[0] = compute_absolute(s->axis[0]);
  s->size[1] = compute_absolute(s->axis[1]);
  s->size[2] = compute_absolute(s->axis[2]);
  ct_vec3 of_b =
      ct_add_scaled(ct_add_scaled(ct_scale(s->size[0], q.x), s->size[1], q.y), s->size[2], q.z);
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

CT_INLINE double find_greatest_gap(const double v[6]) {
  return ct_max2(ct_max2(ct_max2(v[0], v[1]), ct_max2(v[2], v[3])), ct_max2(v[4], v[5]));
}

/* Returns a bit mask of the gaps that are at least `least`. */
CT_INLINE unsigned select_gaps_above(const double v[6], double least) {
  return (unsigned)(v[0] >= least) | (unsigned)(v[1] >= least) << 1 |
         (unsigned)(v[2] >= least) << 2 | (unsigned)(v[3] >= least) << 3 |
         (unsigned)(v[4] >= least) << 4 | (unsigned)(v[5] >= least) << 5;
}

/* Returns a value that is negative only if the axis of a cross product certainly overlaps by more
 * than the depth, given the gap along the cross product before normalisation: the signed square of
 * the gap, plus the squared depth times the squared length, plus a bound of the round-off. The
 * cross product is at most 1 long. */
CT_INLINE double bound_gap_excess(double gap, double length2, double depth2, double slack2) {
  return gap * fabs(gap) + depth2 * length2 + slack2;
}

CT_INLINE ct_vec3 bound_gap_excesses(const boxes *s, int j, double depth2, double slack2) {
  const int j1 = j == 2 ? 0 : j + 1, j2 = j == 0 ? 2 : j - 1;
  const ct_vec3 p = s->half[0], b = s->axis[j], z = s->size[j], t = s->center, on_b = s->half[1];
  double u = select_component(on_b, j1), v = select_component(on_b, j2);
  ct_vec3 level = compute_absolute(ct_cross(b, t)),
          of_b = ct_add_scaled(ct_scale(s->size[j2], u), s->size[j1], v);
  ct_vec3 of_a = {p.y * z.z + p.z * z.y, p.z * z.x + p.x * z.z, p.x * z.y + p.y * z.x};
  ct_vec3 gap = ct_sub(ct_sub(level, of_a), of_b);
  double x2 = z.x * z.x, y2 = z.y * z.y, z2 = z.z * z.z;
  return ct_vec(bound_gap_excess(gap.x, y2 + z2, depth2, slack2),
                bound_gap_excess(gap.y, z2 + x2, depth2, slack2),
                bound_gap_excess(gap.z, x2 + y2, depth2, slack2));
}

static const uint8_t next[3] = {1, 2, 0}, last[3] = {2, 0, 1};

CT_INLINE double compute_cross_length(const boxes *s, int i, int j) {
  double x = ct_vec3_component(&s->axis[j], next[i]), y = ct_vec3_component(&s->axis[j], last[i]);
  return sqrt(x * x + y * y);
}

CT_INLINE double compute_center_level(const boxes *s, ct_vec3 n) { return ct_dot(n, s->center); }

/* Returns the unit normal along the cross product of a's axis i and b's axis j, from a to b. */
CT_INLINE ct_vec3 compute_cross_normal(const boxes *s, int i, int j, double length) {
  double n[3];
  n[i] = 0.0;
  n[next[i]] = -ct_vec3_component(&s->axis[j], last[i]) / length;
  n[last[i]] = ct_vec3_component(&s->axis[j], next[i]) / length;
  ct_vec3 normal = {n[0], n[1], n[2]};
  return ct_scale(normal, copysign(1.0, compute_center_level(s, normal)));
}

/* Returns the separation along a unit normal; accurate even if the normal is that of nearly
 * parallel edges. */
CT_INLINE double compute_gap_along(const boxes *s, ct_vec3 n) {
  double reach = ct_dot(s->half[0], compute_absolute(n));
  for (int j = 0; j < 3; j++)
    reach += select_component(s->half[1], j) * fabs(ct_dot(n, s->axis[j]));
  return fabs(compute_center_level(s, n)) - reach;
}

typedef enum verdict { APART, OVERLAPPING, UNSURE } verdict;

/* Evaluates the cross products in the bit mask `open`, which may separate the boxes more than the
 * best axis so far. *second: greatest gap except that of the best axis. */
static __attribute__((noinline)) verdict
search_cross_axes(const boxes *s, unsigned open, double limit, axis *best, double *second) {
  verdict found = OVERLAPPING;
  ct_vec3 normal[9];
  double length[9];
  for (; open; open &= open - 1) {
    int k = __builtin_ctz(open);
    length[k] = compute_cross_length(s, k % 3, k / 3);
    if (length[k] <= PARALLEL_ROUNDOFFS * CT_UNIT_ROUNDOFF) continue;
    normal[k] = compute_cross_normal(s, k % 3, k / 3, length[k]);
    double gap = compute_gap_along(s, normal[k]), lesser = ct_min2(gap, best->gap);
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

/* Searches all axes for the greatest separation; if a face axis separates the boxes by more than
 * `limit`, no others. OVERLAPPING: the boxes overlap along all axes and, if `depth`, *best is the
 * axis of least depth. UNSURE: a separation below the limit, ties, near contact, or separated boxes
 * without an early-out. */
CT_INLINE verdict search_axes(boxes *s, double limit, bool depth, axis *best) {
  double gap[6], sure = s->sure;
  compute_face_gaps(s, gap);
  /* Face axes first: the search ends if one separates by more than the limit. */
  double most = find_greatest_gap(gap);
  s->flat_gap = most;
  bool apart = most > limit;
  unsigned near = select_gaps_above(gap, apart ? most : most - sure);
  best->index = __builtin_ctz(near | 1u << 6);
  best->gap = most;
  if (apart) return APART;
  if (most > sure && !(limit < INFINITY)) return UNSURE;
  /* Bit mask, without branches, of the cross products that may separate more than the best face
   * axis. */
  double deep = (depth ? ct_max2(-most, 0.0) : 0.0) + sure, deep2 = deep * deep,
         slack2 = (deep + sure) * sure;
  const ct_vec3 u = bound_gap_excesses(s, 0, deep2, slack2),
                v = bound_gap_excesses(s, 1, deep2, slack2),
                w = bound_gap_excesses(s, 2, deep2, slack2);
  const ct_lanes none = {0.0, 0.0};
  const unsigned open = ct_lanes_bits((ct_lanes){u.x, u.y} >= none) |
                        ct_lanes_bits((ct_lanes){u.z, v.x} >= none) << 2 |
                        ct_lanes_bits((ct_lanes){v.y, v.z} >= none) << 4 |
                        ct_lanes_bits((ct_lanes){w.x, w.y} >= none) << 6 |
                        (unsigned)(w.z >= 0.0) << 8;
  double second = -INFINITY;
  /* Evaluate these cross products; ties are undecided. */
  if (open && search_cross_axes(s, open, limit, best, &second) == APART) return APART;
  if (!(best->gap < -sure) || (depth && second >= best->gap - sure)) return UNSURE;
  return depth && best->index < 6 && (near & (near - 1)) ? UNSURE : OVERLAPPING;
}

CT_INLINE ct_vec3 copy_signs(ct_vec3 size, ct_vec3 sign) {
  return ct_vec(copysign(size.x, sign.x), copysign(size.y, sign.y), copysign(size.z, sign.z));
}

/* Returns the components of a vector along b's axes. */
CT_INLINE ct_vec3 rotate_to_b(const boxes *s, ct_vec3 n) {
  return ct_vec(ct_dot(n, s->axis[0]), ct_dot(n, s->axis[1]), ct_dot(n, s->axis[2]));
}

/* Transforms a point from b's frame to a's. */
CT_INLINE ct_vec3 transform_from_b(const boxes *s, ct_vec3 p) {
  return ct_add_scaled(ct_add_scaled(ct_add_scaled(s->center, s->axis[0], p.x), s->axis[1], p.y),
                       s->axis[2], p.z);
}

CT_INLINE bool is_within_box(ct_vec3 p, ct_vec3 half, double slack) {
  return (fabs(p.x) <= half.x + slack) & (fabs(p.y) <= half.y + slack) &
         (fabs(p.z) <= half.z + slack);
}

/* True if no axis of the box, except number `but`, is perpendicular to the normal, so that the
 * support feature is unique. `cosine`: components of the normal along the box's axes. */
CT_INLINE bool has_unique_support(ct_vec3 cosine, int but) {
  return ((fabs(cosine.x) > FLAT) | (but == 0)) & ((fabs(cosine.y) > FLAT) | (but == 1)) &
         ((fabs(cosine.z) > FLAT) | (but == 2));
}

/* Normal and witness points (p on a, q on b) of a pair, in a's frame. */
typedef struct points {
  ct_vec3 normal, p, q;
} points;

/* Returns the unit normal of a face axis, from a to b. */
CT_INLINE ct_vec3 compute_face_axis_normal(const boxes *s, int index) {
  const ct_vec3 axes[6] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0},
                           s->axis[0],      s->axis[1],      s->axis[2]};
  return ct_scale(axes[index], copysign(1.0, s->along[index]));
}

/* Computes the witness points for a vertex of b and a face of a. False: the vertex is not unique,
 * or not over the face. */
static bool find_vertex_on_a(const boxes *s, int i, points *out) {
  double sign = copysign(1.0, s->along[i]);
  ct_vec3 cosine = {sign * ct_vec3_component(&s->axis[0], i),
                    sign * ct_vec3_component(&s->axis[1], i),
                    sign * ct_vec3_component(&s->axis[2], i)};
  out->q = transform_from_b(s, ct_neg(copy_signs(s->half[1], cosine)));
  double p[3] = {out->q.x, out->q.y, out->q.z};
  p[i] = sign * ct_vec3_component(&s->half[0], i);
  out->p = ct_vec(p[0], p[1], p[2]);
  bool alone = has_unique_support(cosine, 3), over = is_within_box(out->p, s->half[0], s->sure);
  return alone & over;
}

/* Computes the witness points for a vertex of a and a face of b. False: as for find_vertex_on_a. */
static bool find_vertex_on_b(const boxes *s, int j, double gap, points *out) {
  out->p = copy_signs(s->half[0], out->normal);
  out->q = ct_add_scaled(out->p, out->normal, gap);
  ct_vec3 at = rotate_to_b(s, ct_sub(out->q, s->center));
  const double local[3] = {j == 0 ? 0.0 : at.x, j == 1 ? 0.0 : at.y, j == 2 ? 0.0 : at.z};
  bool alone = has_unique_support(out->normal, 3),
       over = is_within_box(ct_vec(local[0], local[1], local[2]), s->half[1], s->sure);
  return alone & over;
}

/* Computes the witness points of two crossing edges. False: the edges do not cross between their
 * ends. */
static bool find_edge_crossing(const boxes *s, const axis *best, points *out) {
  int j = (best->index - 6) / 3, i = (best->index - 6) % 3;
  ct_vec3 n = out->normal, cosine = rotate_to_b(s, n), edge = s->axis[j];
  bool alone_a = has_unique_support(n, i), alone_b = has_unique_support(cosine, j);
  if (!(alone_a & alone_b)) return false;
  ct_vec3 top_a = copy_signs(s->half[0], n), top_b = ct_neg(copy_signs(s->half[1], cosine));
  double p[3] = {top_a.x, top_a.y, top_a.z}, q[3] = {top_b.x, top_b.y, top_b.z};
  p[i] = q[j] = 0.0;
  ct_vec3 on_a = {p[0], p[1], p[2]}, near_b = transform_from_b(s, ct_vec(q[0], q[1], q[2])),
          w = ct_sub(near_b, on_a);
  double along = ct_dot(w, edge), along_a = ct_vec3_component(&w, i),
         product = ct_vec3_component(&edge, i);
  double square = best->length * best->length, x = (along_a - product * along) / square,
         y = (product * along_a - along) / square;
  p[i] = x;
  out->p = ct_vec(p[0], p[1], p[2]);
  out->q = ct_add_scaled(near_b, edge, y);
  double defect = ct_max_abs(ct_add_scaled(ct_sub(out->q, out->p), n, -best->gap));
  double limit_x = ct_vec3_component(&s->half[0], i) + s->sure,
         limit_y = ct_vec3_component(&s->half[1], j) + s->sure;
  return (fabs(x) <= limit_x) & (fabs(y) <= limit_y) & (defect <= POINT_FRACTION * s->sure);
}

CT_INLINE bool find_box_witnesses(const boxes *s, const axis *best, points *out) {
  out->normal = best->index < 6 ? compute_face_axis_normal(s, best->index) : best->normal;
  if (compute_center_level(s, out->normal) <= s->sure) return false;
  if (best->index < 3) return find_vertex_on_a(s, best->index, out);
  if (best->index < 6) return find_vertex_on_b(s, best->index - 3, best->gap, out);
  return find_edge_crossing(s, best, out);
}

/* Computes the support points along the normal, which are reported for an early-out. */
CT_INLINE void find_box_supports(const boxes *s, const axis *best, points *out) {
  out->normal = best->index < 6 ? compute_face_axis_normal(s, best->index) : best->normal;
  out->p = copy_signs(s->half[0], out->normal);
  out->q = transform_from_b(s, ct_neg(copy_signs(s->half[1], rotate_to_b(s, out->normal))));
}

/* Returns the relation of overlapping boxes (containment or penetration), to round-off, in the
 * caller's order. */
CT_INLINE ct_relation classify_box_containment(const boxes *s) {
  const double *t = s->along, *r = s->reach;
  bool a_holds = is_within_box(ct_vec(fabs(t[0]) + r[0], fabs(t[1]) + r[1], fabs(t[2]) + r[2]),
                               s->half[0], s->sure);
  bool b_holds = is_within_box(ct_vec(fabs(t[3]) + r[3], fabs(t[4]) + r[4], fabs(t[5]) + r[5]),
                               s->half[1], s->sure);
  if (!(a_holds | b_holds)) return CT_PENETRATING;
  return a_holds != s->swapped ? CT_CONTAINING : CT_CONTAINED;
}

/* Writes the result of an early-out: distance and bounds, without normal and points. */
CT_INLINE void write_box_bounds(const boxes *s, double gap, ct_pair_result *out) {
  const ct_vec3 none = {0.0, 0.0, 0.0};
  ct_write_primitive_result(out, s->swapped, none, none, none, gap);
  ct_write_primitive_bounds(out, gap, sqrt(ct_max2(ct_norm2(s->half[0]), ct_norm2(s->half[1]))));
  out->upper_bound += ct_norm(s->center);
}

/* Writes the result in the world frame, with the bodies in the caller's order. */
CT_INLINE void write_box_result(const boxes *s, double gap, const points *found,
                                ct_pair_result *out) {
  const ct_frame *frame = s->frame[0];
  ct_vec3 normal = ct_renormalize(ct_mat_mul(frame->rotation, found->normal));
  ct_write_primitive_result(out, s->swapped, normal, ct_to_parent(*frame, found->p),
                            ct_to_parent(*frame, found->q), gap);
  ct_write_primitive_bounds(out, gap, sqrt(ct_max2(ct_norm2(s->half[0]), ct_norm2(s->half[1]))));
}

/* Solves a pair. False: undecided, left to the dispatch table. `far`: write normal and points also
 * for an early-out. */
CT_INLINE bool solve_box_pair(boxes *s, const ct_pair_options *options, bool far,
                              ct_pair_result *result) {
  axis best;
  points found;
  /* Search all axes; an early-out needs no witness points unless `far`. */
  verdict seen = search_axes(s, options->threshold + s->sure, true, &best);
  s->axis_found = -1;
  if (seen == UNSURE) return false;
  if (seen == APART && !far) {
    write_box_bounds(s, best.gap, result);
    result->relation = CT_SEPARATED;
    return true;
  }
  if (seen == APART) {
    find_box_supports(s, &best, &found);
    write_box_result(s, best.gap, &found, result);
    result->upper_bound += ct_norm(ct_sub(found.q, found.p)) - best.gap;
    result->relation = CT_SEPARATED;
    return true;
  }
  /* Overlap or contact: use the features of the best axis for the witness points. */
  if (!find_box_witnesses(s, &best, &found)) return false;
  s->axis_found = best.index;
  s->normal = found.normal;
  write_box_result(s, best.gap, &found, result);
  result->relation = best.gap >= -options->tolerance ? CT_TOUCHING : classify_box_containment(s);
  return true;
}

bool ct_box_pair_near(ct_box_pair *pair, const ct_pair_options *options, ct_pair_result *result) {
  return solve_box_pair(pair, options, false, result);
}

bool ct_box_box_distance(ct_placed a, ct_placed b, const ct_pair_options *options,
                         ct_pair_result *result) {
  boxes s;
  if (!ct_box_is_sharp(a.shape) || !ct_box_is_sharp(b.shape)) return false;
  place_boxes(a, b, &s);
  return solve_box_pair(&s, options, true, result);
}

bool ct_box_box_overlap(ct_placed a, ct_placed b, bool *overlap) {
  boxes s;
  axis best;
  if (!ct_box_is_sharp(a.shape) || !ct_box_is_sharp(b.shape)) return false;
  place_boxes(a, b, &s);
  verdict found = search_axes(&s, s.sure, false, &best);
  *overlap = found == OVERLAPPING;
  return found != UNSURE;
}

/* ---- depth in the frame of the pair, with ties broken ---------------------------------------- */

/* Search for the least depth over the axes of two boxes. */
typedef struct box_axis_search {
  const ct_convex_proxy *a, *b;
  ct_vec3 between; /* vector between the centres */
  double tie;
  bool breaking_ties; /* false: first pass, finds the least depth; true: second pass, breaks ties
                         near it */
  ct_epa_result *result;
} box_axis_search;

static double project_half_width(const ct_convex_proxy *box, ct_vec3 n) {
  return fabs(ct_dot(n, box->axis[0])) + fabs(ct_dot(n, box->axis[1])) +
         fabs(ct_dot(n, box->axis[2]));
}

/* Evaluates an axis, oriented from a to b; if the centres do not decide the orientation, the
 * greater of both normals is used. */
static void consider_box_axis(box_axis_search *f, ct_vec3 direction) {
  double length = ct_norm(direction);
  if (!(length > 0.0)) return;
  ct_vec3 n = ct_vec(direction.x / length, direction.y / length, direction.z / length);
  double level = ct_dot(n, f->between);
  if (level < 0.0 || (level == 0.0 && ct_normal_greater(ct_neg(n), n))) n = ct_neg(n);
  double depth = project_half_width(f->a, n) + project_half_width(f->b, n) - fabs(level);
  ct_epa_result *r = f->result;
  if (!f->breaking_ties && depth < r->first_depth) {
    r->first_depth = depth;
    r->first_normal = n;
  }
  if (!f->breaking_ties || depth > r->first_depth + f->tie) return;
  bool first = !(r->depth < INFINITY);
  if (fabs(level) <= f->tie || (!first && ct_norm(ct_sub(n, r->normal)) > 1e-6)) r->several = true;
  if (!first && !ct_normal_greater(n, r->normal)) return;
  r->depth = depth;
  r->normal = n;
}

static void evaluate_box_axes(box_axis_search *f) {
  for (int i = 0; i < 3; i++) consider_box_axis(f, f->a->axis[i]);
  for (int j = 0; j < 3; j++) consider_box_axis(f, f->b->axis[j]);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) consider_box_axis(f, ct_cross(f->a->axis[i], f->b->axis[j]));
}

void ct_box_box_depth(const ct_convex_proxy *a, const ct_convex_proxy *b, ct_epa_result *result) {
  assert(a->kind == CT_PROXY_BOX && b->kind == CT_PROXY_BOX);
  box_axis_search f = {.a = a, .b = b, .between = ct_sub(b->center, a->center), .result = result};
  f.tie = 2.0 * CT_UNIT_ROUNDOFF * (ct_norm(f.between) + a->size + b->size);
  *result = (ct_epa_result){.depth = INFINITY, .first_depth = INFINITY, .status = CT_PAIR_OK};
  evaluate_box_axes(&f);
  f.breaking_ties = true;
  evaluate_box_axes(&f);
  result->least = result->first_depth;
}
