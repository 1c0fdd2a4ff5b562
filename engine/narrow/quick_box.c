/* Two boxes by the fifteen axes that can part them: apart along the first that does, else out along the one of least depth.
 *
 * Everything is in the frame of the first box by content. A deepest axis that is not alone, and features that lie flat on each
 * other, are left to the matrix. Gottschalk, Lin, Manocha 1996.
 */
#include "narrow/quick.h"

/* Axes that part the boxes by less than this many u of the problem's size decide nothing. */
#define SURE_ROUNDOFFS 64.0
/* Edges whose sine is below this many u are parallel: their cross product adds nothing to the faces'. */
#define PARALLEL_ROUNDOFFS 8.0
/* Of the round-off of the contract, what the points of two edges may miss the normal by. */
#define POINT_FRACTION 0.25
/* Cosines below this are those of features that lie flat, rad: the documented meaning of parallel. */
#define FLAT 1e-6
/* Unit vectors whose product differs from 1 by less are one direction. */
#define SAME 1e-12

typedef struct boxes {
  const ct_frame *frame_a, *frame_b;
  double a[3], b[3];             /* half edges */
  double r[3][3];                /* r[i][j]: axis i of a times axis j of b */
  double size[3][3];             /* their absolute values, */
  double t[3], along[3];         /* from centre to centre: on the axes of a, on those of b */
  double reach_a[3], reach_b[3]; /* of a on the axes of b, of b on those of a */
  double sure;                   /* m */
  bool swapped;
} boxes;

/* An axis: 0..2 of a, 3..5 of b, 6 + 3 i + j the cross product of two. */
typedef struct axis {
  int index;
  double gap; /* what it parts the boxes by, m; below zero: they overlap by as much */
  bool tied;  /* another direction is as good */
} axis;

static int compare(const double *p, const double *q, int count) {
  for (int i = 0; i < count; i++)
    if (p[i] != q[i]) return p[i] < q[i] ? -1 : 1;
  return 0;
}

/* By size, then by pose. */
static bool swapped(ct_placed a, ct_placed b) {
  const double p[3] = {a.shape->box.half.x, a.shape->box.half.y, a.shape->box.half.z};
  const double q[3] = {b.shape->box.half.x, b.shape->box.half.y, b.shape->box.half.z};
  int order = compare(p, q, 3);
  if (order) return order > 0;
  const ct_mat3 *m = &a.frame->rotation, *n = &b.frame->rotation;
  const ct_vec3 u = a.frame->position, v = b.frame->position;
  const double f[12] = {u.x, u.y, u.z, m->rx.x, m->rx.y, m->rx.z, m->ry.x, m->ry.y, m->ry.z, m->rz.x, m->rz.y, m->rz.z};
  const double g[12] = {v.x, v.y, v.z, n->rx.x, n->rx.y, n->rx.z, n->ry.x, n->ry.y, n->ry.z, n->rz.x, n->rz.y, n->rz.z};
  return compare(f, g, 12) > 0;
}

static void place(ct_placed first, ct_placed second, boxes *s) {
  s->swapped = swapped(first, second);
  ct_placed a = s->swapped ? second : first, b = s->swapped ? first : second;
  s->frame_a = a.frame;
  s->frame_b = b.frame;
  const ct_vec3 p = a.shape->box.half, q = b.shape->box.half, d = ct_sub(b.frame->position, a.frame->position);
  s->a[0] = p.x, s->a[1] = p.y, s->a[2] = p.z;
  s->b[0] = q.x, s->b[1] = q.y, s->b[2] = q.z;
  const ct_vec3 rows[3] = {
      ct_mat_tmul(b.frame->rotation, ct_vec(a.frame->rotation.rx.x, a.frame->rotation.ry.x, a.frame->rotation.rz.x)),
      ct_mat_tmul(b.frame->rotation, ct_vec(a.frame->rotation.rx.y, a.frame->rotation.ry.y, a.frame->rotation.rz.y)),
      ct_mat_tmul(b.frame->rotation, ct_vec(a.frame->rotation.rx.z, a.frame->rotation.ry.z, a.frame->rotation.rz.z))};
  const ct_vec3 t = ct_mat_tmul(a.frame->rotation, d), along = ct_mat_tmul(b.frame->rotation, d);
  s->t[0] = t.x, s->t[1] = t.y, s->t[2] = t.z;
  s->along[0] = along.x, s->along[1] = along.y, s->along[2] = along.z;
  for (int i = 0; i < 3; i++) {
    s->r[i][0] = rows[i].x, s->r[i][1] = rows[i].y, s->r[i][2] = rows[i].z;
    for (int j = 0; j < 3; j++) s->size[i][j] = fabs(s->r[i][j]);
  }
  s->sure = SURE_ROUNDOFFS * CT_UNIT_ROUNDOFF * (p.x + p.y + p.z + q.x + q.y + q.z + fabs(d.x) + fabs(d.y) + fabs(d.z));
}

CT_INLINE double gap_of_a(boxes *s, int i) {
  s->reach_b[i] = s->b[0] * s->size[i][0] + s->b[1] * s->size[i][1] + s->b[2] * s->size[i][2];
  return fabs(s->t[i]) - s->a[i] - s->reach_b[i];
}

CT_INLINE double gap_of_b(boxes *s, int j) {
  s->reach_a[j] = s->a[0] * s->size[0][j] + s->a[1] * s->size[1][j] + s->a[2] * s->size[2][j];
  return fabs(s->along[j]) - s->b[j] - s->reach_a[j];
}

/* Of a cross product, times its length. */
CT_INLINE double gap_of_cross(const boxes *s, int i, int j) {
  int i1 = i == 2 ? 0 : i + 1, i2 = i == 0 ? 2 : i - 1, j1 = j == 2 ? 0 : j + 1, j2 = j == 0 ? 2 : j - 1;
  double level = s->t[i2] * s->r[i1][j] - s->t[i1] * s->r[i2][j];
  double reach_a = s->a[i1] * s->size[i2][j] + s->a[i2] * s->size[i1][j];
  double reach_b = s->b[j1] * s->size[i][j2] + s->b[j2] * s->size[i][j1];
  return fabs(level) - reach_a - reach_b;
}

CT_INLINE double length_of_cross(const boxes *s, int i, int j) {
  double x = s->r[i == 2 ? 0 : i + 1][j], y = s->r[i == 0 ? 2 : i - 1][j];
  return sqrt(x * x + y * y);
}

/* Along an axis of b. */
CT_INLINE double on_b(const boxes *s, ct_vec3 n, int j) { return n.x * s->r[0][j] + n.y * s->r[1][j] + n.z * s->r[2][j]; }
CT_INLINE double level_of(const boxes *s, ct_vec3 n) { return n.x * s->t[0] + n.y * s->t[1] + n.z * s->t[2]; }

/* The unit normal of an axis in a's frame, from a to b. */
CT_INLINE ct_vec3 normal_of(const boxes *s, int index) {
  ct_vec3 n;
  if (index < 3) {
    n = ct_vec(index == 0, index == 1, index == 2);
  } else if (index < 6) {
    n = ct_vec(s->r[0][index - 3], s->r[1][index - 3], s->r[2][index - 3]);
  } else {
    int i = (index - 6) / 3, j = (index - 6) % 3;
    double length = length_of_cross(s, i, j);
    ct_vec3 b = {s->r[0][j] / length, s->r[1][j] / length, s->r[2][j] / length};
    n = i == 0 ? ct_vec(0.0, -b.z, b.y) : i == 1 ? ct_vec(b.z, 0.0, -b.x) : ct_vec(-b.y, b.x, 0.0);
  }
  return level_of(s, n) < 0.0 ? ct_neg(n) : n;
}

/* Of a unit normal; good to round-off however skew the edges are that it comes from. */
CT_INLINE double gap_along(const boxes *s, ct_vec3 n) {
  double reach = s->a[0] * fabs(n.x) + s->a[1] * fabs(n.y) + s->a[2] * fabs(n.z);
  for (int j = 0; j < 3; j++) reach += s->b[j] * fabs(on_b(s, n, j));
  return fabs(level_of(s, n)) - reach;
}

typedef enum verdict { APART, OVERLAPPING, UNSURE } verdict;

/* Takes an axis if it is less deep than the best so far; notes whether another direction is as good. */
static void keep(const boxes *s, axis *best, int index, double gap) {
  if (gap < best->gap - s->sure) return;
  if (gap <= best->gap + s->sure) {
    best->tied = best->tied || ct_dot(normal_of(s, index), normal_of(s, best->index)) < 1.0 - SAME;
    return;
  }
  *best = (axis){index, gap, false};
}

/* Looks along a cross product that may part the boxes, or be the least deep. */
static verdict keep_cross(const boxes *s, axis *best, int index, double limit) {
  if (length_of_cross(s, (index - 6) / 3, (index - 6) % 3) <= PARALLEL_ROUNDOFFS * CT_UNIT_ROUNDOFF) return OVERLAPPING;
  double gap = gap_along(s, normal_of(s, index));
  if (gap > s->sure && !(limit < INFINITY)) return UNSURE;
  if (gap > limit) {
    *best = (axis){index, gap, false};
    return APART;
  }
  keep(s, best, index, gap);
  return OVERLAPPING;
}

CT_INLINE verdict look_across(const boxes *s, axis *best, int i, int j, double limit) {
  double gap = gap_of_cross(s, i, j);
  if (gap < 0.0 && gap < best->gap - s->sure) return OVERLAPPING;
  return keep_cross(s, best, 6 + 3 * i + j, limit);
}

CT_INLINE verdict keep_face(const boxes *s, axis *best, int index, double gap, double limit) {
  if (gap > limit) {
    *best = (axis){index, gap, false};
    return APART;
  }
  if (gap > s->sure && !(limit < INFINITY)) return UNSURE;
  if (index == 0) *best = (axis){index, gap, false};
  else if (gap >= best->gap - s->sure) keep(s, best, index, gap);
  return OVERLAPPING;
}

/* Looks along the axes until one parts the boxes by more than `limit`. OVERLAPPING: all show an overlap, and *best is the least
 * deep. Boxes apart that are not to be answered early are UNSURE at once. */
static __attribute__((noinline)) verdict search(boxes *s, double limit, axis *best) {
  *best = (axis){0, -INFINITY, false};
  verdict found = OVERLAPPING;
  if ((found = keep_face(s, best, 0, gap_of_a(s, 0), limit)) != OVERLAPPING) return found;
  if ((found = keep_face(s, best, 1, gap_of_a(s, 1), limit)) != OVERLAPPING) return found;
  if ((found = keep_face(s, best, 2, gap_of_a(s, 2), limit)) != OVERLAPPING) return found;
  if ((found = keep_face(s, best, 3, gap_of_b(s, 0), limit)) != OVERLAPPING) return found;
  if ((found = keep_face(s, best, 4, gap_of_b(s, 1), limit)) != OVERLAPPING) return found;
  if ((found = keep_face(s, best, 5, gap_of_b(s, 2), limit)) != OVERLAPPING) return found;
  if ((found = look_across(s, best, 0, 0, limit)) != OVERLAPPING) return found;
  if ((found = look_across(s, best, 0, 1, limit)) != OVERLAPPING) return found;
  if ((found = look_across(s, best, 0, 2, limit)) != OVERLAPPING) return found;
  if ((found = look_across(s, best, 1, 0, limit)) != OVERLAPPING) return found;
  if ((found = look_across(s, best, 1, 1, limit)) != OVERLAPPING) return found;
  if ((found = look_across(s, best, 1, 2, limit)) != OVERLAPPING) return found;
  if ((found = look_across(s, best, 2, 0, limit)) != OVERLAPPING) return found;
  if ((found = look_across(s, best, 2, 1, limit)) != OVERLAPPING) return found;
  if ((found = look_across(s, best, 2, 2, limit)) != OVERLAPPING) return found;
  return best->gap < -s->sure ? OVERLAPPING : UNSURE;
}

/* ---- points ---- */

static double sign_of(double x) { return x >= 0.0 ? 1.0 : -1.0; }

/* A vertex of b on a face of a. Points in a's frame; false: the vertex is not alone, or not over the face. */
static bool vertex_on_a(const boxes *s, int i, ct_vec3 n, double p[3], double q[3]) {
  double way = i == 0 ? n.x : i == 1 ? n.y : n.z;
  for (int k = 0; k < 3; k++) q[k] = s->t[k];
  for (int j = 0; j < 3; j++) {
    if (s->size[i][j] <= FLAT) return false;
    double step = -sign_of(way * s->r[i][j]) * s->b[j];
    for (int k = 0; k < 3; k++) q[k] += step * s->r[k][j];
  }
  bool over = true;
  for (int k = 0; k < 3; k++) {
    p[k] = k == i ? way * s->a[k] : q[k];
    over = over && fabs(p[k]) <= s->a[k] + s->sure;
  }
  return over;
}

/* A vertex of a on a face of b. */
static bool vertex_on_b(const boxes *s, int j, ct_vec3 n, double depth, double p[3], double q[3]) {
  const double way[3] = {n.x, n.y, n.z};
  double d[3];
  for (int i = 0; i < 3; i++) {
    if (fabs(way[i]) <= FLAT) return false;
    p[i] = sign_of(way[i]) * s->a[i];
    q[i] = p[i] - depth * way[i];
    d[i] = q[i] - s->t[i];
  }
  bool over = true;
  for (int k = 0; k < 3; k++)
    over = over && (k == j || fabs(d[0] * s->r[0][k] + d[1] * s->r[1][k] + d[2] * s->r[2][k]) <= s->b[k] + s->sure);
  return over;
}

/* An edge of each, crossing. */
static bool edges_cross(const boxes *s, const axis *best, ct_vec3 n, double p[3], double q[3]) {
  int i = (best->index - 6) / 3, j = (best->index - 6) % 3;
  const double way[3] = {n.x, n.y, n.z};
  double w[3], along = 0.0;
  for (int k = 0; k < 3; k++) {
    if (k != i && fabs(way[k]) <= FLAT) return false;
    p[k] = k == i ? 0.0 : sign_of(way[k]) * s->a[k];
    q[k] = s->t[k];
  }
  for (int k = 0; k < 3; k++) {
    double level = on_b(s, n, k);
    if (k == j) continue;
    if (fabs(level) <= FLAT) return false;
    for (int c = 0; c < 3; c++) q[c] -= sign_of(level) * s->b[k] * s->r[c][k];
  }
  for (int k = 0; k < 3; k++) {
    w[k] = q[k] - p[k];
    along += w[k] * s->r[k][j];
  }
  double cosine = s->r[i][j], length = length_of_cross(s, i, j), square = length * length;
  double x = (w[i] - cosine * along) / square, y = (cosine * w[i] - along) / square, defect = 0.0;
  p[i] = x;
  for (int k = 0; k < 3; k++) {
    q[k] += y * s->r[k][j];
    defect = ct_max2(defect, fabs(q[k] - p[k] - best->gap * way[k]));
  }
  return fabs(x) <= s->a[i] + s->sure && fabs(y) <= s->b[j] + s->sure && defect <= POINT_FRACTION * s->sure;
}

/* Does one box hold the other, to round-off? */
static ct_relation held(const boxes *s) {
  bool a_holds = true, b_holds = true;
  for (int i = 0; i < 3; i++) {
    a_holds = a_holds && fabs(s->t[i]) + s->reach_b[i] <= s->a[i] + s->sure;
    b_holds = b_holds && fabs(s->along[i]) + s->reach_a[i] <= s->b[i] + s->sure;
  }
  return a_holds ? CT_CONTAINING : b_holds ? CT_CONTAINED : CT_PENETRATING;
}

/* The vertices farthest along the normal, in a's frame: points of a pair that is apart by more than was asked. */
static void farthest(const boxes *s, ct_vec3 n, double p[3], double q[3]) {
  const double way[3] = {n.x, n.y, n.z};
  for (int k = 0; k < 3; k++) {
    p[k] = sign_of(way[k]) * s->a[k];
    q[k] = s->t[k];
  }
  for (int j = 0; j < 3; j++) {
    double step = -sign_of(way[0] * s->r[0][j] + way[1] * s->r[1][j] + way[2] * s->r[2][j]) * s->b[j];
    for (int k = 0; k < 3; k++) q[k] += step * s->r[k][j];
  }
}

static bool deepest(const boxes *s, const axis *best, ct_vec3 n, double p[3], double q[3]) {
  if (best->index < 3) return vertex_on_a(s, best->index, n, p, q);
  if (best->index < 6) return vertex_on_b(s, best->index - 3, n, -best->gap, p, q);
  return edges_cross(s, best, n, p, q);
}

static double square_of(const double v[3]) { return v[0] * v[0] + v[1] * v[1] + v[2] * v[2]; }

/* From a's frame and the order by content to the world's and the caller's. */
CT_INLINE void hand_over(const boxes *s, const axis *best, ct_vec3 n, const double p[3], const double q[3], ct_pair_result *out) {
  ct_vec3 normal = ct_mat_mul(s->frame_a->rotation, n);
  double length = sqrt(ct_norm2(normal));
  normal = ct_vec(normal.x / length, normal.y / length, normal.z / length);
  ct_vec3 on_a = ct_to_parent(*s->frame_a, ct_vec(p[0], p[1], p[2])), on_b = ct_to_parent(*s->frame_a, ct_vec(q[0], q[1], q[2]));
  ct_quick_answer(out, s->swapped, normal, on_a, on_b, best->gap);
  ct_quick_bound(out, best->gap, sqrt(ct_max2(square_of(s->a), square_of(s->b))));
  out->relation = CT_SEPARATED;
}

bool ct_quick_boxes(ct_placed a, ct_placed b, const ct_pair_options *options, ct_pair_result *result) {
  boxes s;
  axis best;
  double p[3], q[3];
  place(a, b, &s);
  verdict found = search(&s, options->threshold + s.sure, &best);
  if (found == UNSURE || best.tied) return false;
  ct_vec3 n = normal_of(&s, best.index);
  if (found == APART) {
    farthest(&s, n, p, q);
    hand_over(&s, &best, n, p, q, result);
    result->upper_bound += ct_norm(ct_vec(q[0] - p[0], q[1] - p[1], q[2] - p[2])) - best.gap;
    return true;
  }
  if (level_of(&s, n) <= s.sure || !deepest(&s, &best, n, p, q)) return false;
  hand_over(&s, &best, n, p, q, result);
  ct_relation relation = best.gap >= -options->tolerance ? CT_TOUCHING : held(&s);
  if (s.swapped && relation >= CT_CONTAINING) relation = relation == CT_CONTAINING ? CT_CONTAINED : CT_CONTAINING;
  result->relation = relation;
  return true;
}

bool ct_quick_boxes_overlap(ct_placed a, ct_placed b, bool *overlap) {
  boxes s;
  axis best;
  place(a, b, &s);
  verdict found = search(&s, s.sure, &best);
  *overlap = found == OVERLAPPING;
  return found != UNSURE;
}
