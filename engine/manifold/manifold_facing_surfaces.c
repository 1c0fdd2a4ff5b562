/* Solids that overlap, seen along a normal: the parts of their surfaces that face each other, laid over each other.
 *
 * Where neither solid has a vertex in the other, as with bars laid across, and where a vertex is nearer to a side than to the face
 * it has sunk into, the overlap of the two surfaces in the view tells where they meet: its corners are vertices over faces and rims
 * over rims. Theory: sections 6.1, 6.3.
 */
#include "manifold/manifold_meshes.h"
#include "pair/workspace.h"

#include <assert.h>

/* Cosine between the normal and that of a face that is seen, at least. */
#define FACING_MIN 0.1
/* Rims whose sine in the view is less are parallel: they meet in their ends. */
#define SKEW_MIN 1e-3
#define STACK_SIZE (2 * CT_MESH_DEPTH_MAX + 4)
/* Steps of 100 ns that two triangles that are seen take, for the flag. */
#define FACES_STEPS 32

/* What is known of a vertex; CT_NO_GROUP: nothing. */
#define LEFT 1u /* to its nearest surface point */
#define HAD 2u  /* it has its place along the normal of a look, + the look's number */

typedef struct spot {
  double x, y, height;
} spot;

/* A triangle that is seen. */
typedef struct seen {
  ct_mesh_face face;
  spot corner[3];
} seen;

typedef struct look {
  ct_mesh_contacts *t;
  ct_vec3 axis[2][3]; /* x, y and the normal in the frame of either mesh */
  double origin[3];   /* of b along them */
  double depth;       /* points are not deeper, m */
  uint32_t number;    /* of the look */
} look;

static uint32_t *known_of(const ct_mesh_contacts *t, int which, uint32_t vertex) {
  uint32_t base = t->view[0]->live_count + t->view[1]->live_count + (which ? t->view[0]->vertex_count : 0);
  return &t->contacts->memory->root[base + vertex];
}

bool ct_mesh_contacts_has_vertex(const ct_mesh_contacts *t, int which, uint32_t vertex) {
  return known_of(t, which, vertex)[0] == HAD;
}

/* ---- boxes in the view ---- */

typedef struct span {
  double low, high;
} span;

static span span_of(const look *l, int which, int axis, const ct_aabb *box) {
  ct_vec3 d = l->axis[which][axis], half = ct_scale(ct_sub(box->max, box->min), 0.5);
  double middle = ct_dot(d, ct_scale(ct_add(box->min, box->max), 0.5)) + (which ? l->origin[axis] : 0.0);
  double size = fabs(d.x) * half.x + fabs(d.y) * half.y + fabs(d.z) * half.z + l->t->slack;
  return (span){middle - size, middle + size};
}

static bool spans_meet(const look *l, const span a[3], const span b[3]) {
  for (int i = 0; i < 2; i++)
    if (a[i].low > b[i].high || b[i].low > a[i].high) return false;
  return a[2].low - b[2].high <= l->depth + l->t->tie && a[2].high - b[2].low >= -l->t->reach;
}

static bool nodes_meet(const look *l, uint32_t a, uint32_t b) {
  span s[2][3];
  for (int i = 0; i < 3; i++) {
    s[0][i] = span_of(l, 0, i, &l->t->view[0]->nodes[a].box);
    s[1][i] = span_of(l, 1, i, &l->t->view[1]->nodes[b].box);
  }
  return spans_meet(l, s[0], s[1]);
}

/* ---- two triangles in the view ---- */

static bool is_seen(const look *l, const ct_mesh_face *face) {
  double cosine = ct_dot(l->axis[0][2], face->normal);
  return (face->which ? -cosine : cosine) >= FACING_MIN;
}

static spot spot_of(const look *l, ct_vec3 p) {
  return (spot){ct_dot(l->axis[0][0], p), ct_dot(l->axis[0][1], p), ct_dot(l->axis[0][2], p)};
}

static double turn(spot p, spot q, spot r) { return (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x); }

static double length(spot p, spot q) { return sqrt((q.x - p.x) * (q.x - p.x) + (q.y - p.y) * (q.y - p.y)); }

/* Is a place over a triangle, its border included to a tie? */
static bool is_over(const seen *s, spot p) {
  for (int k = 0; k < 3; k++) {
    spot a = s->corner[k], b = s->corner[k == 2 ? 0 : k + 1];
    double side = turn(a, b, p);
    if ((s->face.which ? -side : side) < -s->face.tie * length(a, b)) return false;
  }
  return true;
}

/* Height of a triangle's plane at a place. */
static double height_at(const look *l, const seen *s, spot p) {
  ct_vec3 n = s->face.normal;
  double nx = ct_dot(n, l->axis[0][0]), ny = ct_dot(n, l->axis[0][1]), nz = ct_dot(n, l->axis[0][2]);
  return s->corner[0].height - (nx * (p.x - s->corner[0].x) + ny * (p.y - s->corner[0].y)) / nz;
}

/* Points above each other, of a at the one height and of b at the other: is either in the other's solid? */
static bool overlap_at(const look *l, ct_vec3 on_a, double depth) {
  ct_mesh_contacts *t = l->t;
  if (!(depth <= l->depth + t->tie) || depth < -t->reach) return false;
  if (depth <= t->tie) return true;
  return ct_mesh_contacts_is_inside(t, 1, on_a) || ct_mesh_contacts_is_inside(t, 0, ct_add_scaled(on_a, l->axis[0][2], -depth));
}

static void take(const look *l, const seen s[2], ct_feature a, ct_feature b, ct_vec3 on_a, double depth) {
  const ct_mesh_face face[2] = {s[0].face, s[1].face};
  ct_vec3 n = l->axis[0][2];
  ct_feature_meeting meet = {.feature = {a, b}, .point = {on_a, ct_add_scaled(on_a, n, -depth)}, .normal = n, .distance = -depth};
  ct_mesh_contacts_add(l->t, face, &meet);
}

/* Is a vertex inside left to its nearest surface point? It is when that is along the normal too. */
static bool is_left(const look *l, int which, uint32_t vertex, ct_vec3 v) {
  ct_mesh_contacts *t = l->t;
  uint32_t *known = known_of(t, which, vertex);
  if (*known != CT_NO_GROUP) return *known != HAD + l->number;
  ct_mesh_foot foot;
  ct_vec3 there = which ? v : ct_to_local(t->pair.relative, v);
  if (!ct_mesh_nearest(t->mesh[1 - which], there, INFINITY, &foot) || foot.distance <= t->tie) return false;
  ct_vec3 point = which ? foot.point : ct_to_parent(t->pair.relative, foot.point);
  ct_vec3 way = ct_scale(ct_sub(v, point), 1.0 / foot.distance);
  bool left = l->number > 0 || ct_dot(which ? ct_neg(way) : way, l->axis[0][2]) >= CT_PATCH_COSINE_MIN;
  if (left) *known = LEFT;
  return left;
}

/* Vertices of one triangle over the other; true: one is, and the solids overlap there. */
static bool vertices_over(const look *l, const seen s[2], int which) {
  const seen *one = &s[which], *other = &s[1 - which];
  const ct_mesh_face *face = &other->face;
  bool met = false;
  for (int k = 0; k < 3; k++) {
    spot p = one->corner[k];
    if (!is_over(other, p)) continue;
    double over = height_at(l, other, p), depth = which ? over - p.height : p.height - over;
    ct_vec3 n = l->axis[0][2], v = one->face.t.v[k], on_a = which ? ct_add_scaled(v, n, depth) : v;
    if (!overlap_at(l, on_a, depth)) continue;
    met = true;
    uint32_t vertex = l->t->view[which]->corners[one->face.position][k];
    bool flat = fabs(ct_dot(face->normal, n)) >= CT_PATCH_COSINE_MIN;
    if (!flat || depth <= l->t->tie || is_left(l, which, vertex, v)) continue;
    if (!ct_is_corner(l->t, &one->face, k)) continue;
    *known_of(l->t, which, vertex) = HAD + l->number;
    ct_vec3 foot = which ? on_a : ct_add_scaled(on_a, n, -depth);
    ct_feature f = {CT_FEATURE_VERTEX, vertex}, g = ct_face_feature(l->t, face, foot);
    take(l, s, which ? g : f, which ? f : g, on_a, depth);
  }
  return met;
}

/* What an edge is in the view: a rim ends what is seen, a ridge bends it away from the other solid. */
typedef enum line_kind { LINE_PLAIN, LINE_RIDGE, LINE_RIM } line_kind;

static line_kind kind_of(const look *l, const ct_mesh_face *face, const ct_mesh_edge *e) {
  ct_vec3 along = ct_sub(e->q, e->p);
  if (e->flat || fabs(ct_dot(along, l->axis[0][2])) >= CT_PATCH_COSINE_MIN * ct_norm(along)) return LINE_PLAIN;
  double cosine = ct_dot(e->other, l->axis[0][2]);
  if (e->wings < 2 || (face->which ? -cosine : cosine) < FACING_MIN) return LINE_RIM;
  return ct_dot(face->normal, ct_sub(e->beyond[1], e->p)) < 0.0 ? LINE_RIDGE : LINE_PLAIN;
}

/* Where two edges cross in the view, as a part of either. */
static bool lines_cross(double tie, const spot e[2], const spot f[2], double at[2]) {
  double ex = e[1].x - e[0].x, ey = e[1].y - e[0].y, fx = f[1].x - f[0].x, fy = f[1].y - f[0].y;
  double whole = ex * fy - ey * fx, le = length(e[0], e[1]), lf = length(f[0], f[1]);
  if (!(fabs(whole) > SKEW_MIN * le * lf)) return false;
  double rx = f[0].x - e[0].x, ry = f[0].y - e[0].y;
  at[0] = (rx * fy - ry * fx) / whole;
  at[1] = (rx * ey - ry * ex) / whole;
  return at[0] * le > tie && (1.0 - at[0]) * le > tie && at[1] * lf > tie && (1.0 - at[1]) * lf > tie;
}

/* Where a rim of one triangle goes below the other's plane, a face to stand on, by more than the pair is deep: its place at that
 * depth. The depth of solids that are laid across is that of the middle of an edge, whose ends are deeper when they lean. */
static void rim_at_depth(const look *l, const seen s[2], int which, const ct_mesh_edge *e) {
  const seen *other = &s[1 - which];
  if (fabs(ct_dot(other->face.normal, l->axis[0][2])) < CT_PATCH_COSINE_MIN) return;
  spot end[2] = {spot_of(l, e->p), spot_of(l, e->q)};
  double excess[2];
  for (int i = 0; i < 2; i++) {
    double rise = end[i].height - height_at(l, other, end[i]);
    excess[i] = (which ? -rise : rise) - l->depth;
  }
  if (ct_min2(excess[0], excess[1]) > 0.0 || ct_max2(excess[0], excess[1]) <= 2.0 * l->t->tie) return;
  double at = excess[0] / (excess[0] - excess[1]);
  ct_vec3 v = ct_lerp(e->p, e->q, at), n = l->axis[0][2];
  if (!is_over(other, spot_of(l, v))) return;
  ct_vec3 on_a = which ? ct_add_scaled(v, n, l->depth) : v, foot = which ? on_a : ct_add_scaled(v, n, -l->depth);
  if (!overlap_at(l, on_a, l->depth)) return;
  ct_feature g = ct_face_feature(l->t, &other->face, foot);
  take(l, s, which ? g : e->feature, which ? e->feature : g, on_a, l->depth);
}

/* Edges of the two triangles over each other; true: some are, and the solids overlap there. */
static bool edges_over(const look *l, const seen s[2], bool met) {
  ct_mesh_edge edge[2][3];
  line_kind kind[2][3];
  for (int i = 0; i < 6; i++) {
    int which = i / 3, k = i % 3;
    edge[which][k] = ct_mesh_contacts_edge(l->t, &s[which].face, k);
    kind[which][k] = kind_of(l, &s[which].face, &edge[which][k]);
    if (kind[which][k] == LINE_RIM) rim_at_depth(l, s, which, &edge[which][k]);
  }
  for (int i = 0; i < 9; i++) {
    const ct_mesh_edge *e = &edge[0][i / 3], *f = &edge[1][i % 3];
    line_kind p = kind[0][i / 3], q = kind[1][i % 3];
    bool wanted = p != LINE_PLAIN && q != LINE_PLAIN && (p == LINE_RIM || q == LINE_RIM);
    if (met && !wanted) continue;
    const spot along[2] = {spot_of(l, e->p), spot_of(l, e->q)}, across[2] = {spot_of(l, f->p), spot_of(l, f->q)};
    double at[2];
    if (!lines_cross(ct_min2(s[0].face.tie, s[1].face.tie), along, across, at)) continue;
    ct_vec3 on_a = ct_lerp(e->p, e->q, at[0]);
    double depth = ct_dot(l->axis[0][2], ct_sub(on_a, ct_lerp(f->p, f->q, at[1])));
    if (!overlap_at(l, on_a, depth)) continue;
    met = true;
    if (wanted && depth > l->t->tie) take(l, s, e->feature, f->feature, on_a, depth);
  }
  return met;
}

/* Does a side of one triangle have the whole other one beyond it in the view? */
static bool side_parts(const look *l, const seen *one, const seen *other) {
  for (int k = 0; k < 3; k++) {
    spot a = one->corner[k], b = one->corner[k == 2 ? 0 : k + 1];
    double least = l->t->slack * length(a, b), sense = one->face.which ? -1.0 : 1.0;
    bool parts = true;
    for (int i = 0; i < 3 && parts; i++) parts = sense * turn(a, b, other->corner[i]) < -least;
    if (parts) return true;
  }
  return false;
}

static void faces_over(const look *l, const seen s[2]) {
  if (side_parts(l, &s[0], &s[1]) || side_parts(l, &s[1], &s[0])) return;
  bool met = vertices_over(l, s, 0);
  met = vertices_over(l, s, 1) || met;
  met = edges_over(l, s, met);
  if (met) ct_mesh_contacts_mark(l->t, (const ct_mesh_face[2]){s[0].face, s[1].face});
}

/* ---- all triangles that are seen over each other ---- */

static uint32_t load(const look *l, int which, const ct_mesh_node *leaf, seen out[CT_MESH_LEAF_MAX]) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < leaf->count; i++) {
    seen *s = &out[count];
    s->face = ct_mesh_contacts_face(l->t, which, leaf->first + i);
    if (!is_seen(l, &s->face)) continue;
    for (int k = 0; k < 3; k++) s->corner[k] = spot_of(l, s->face.t.v[k]);
    count++;
  }
  return count;
}

static void spans_of_seen(const look *l, const seen *s, span out[3]) {
  double slack = l->t->slack;
  const spot *c = s->corner;
  out[0] = (span){ct_min2(ct_min2(c[0].x, c[1].x), c[2].x) - slack, ct_max2(ct_max2(c[0].x, c[1].x), c[2].x) + slack};
  out[1] = (span){ct_min2(ct_min2(c[0].y, c[1].y), c[2].y) - slack, ct_max2(ct_max2(c[0].y, c[1].y), c[2].y) + slack};
  out[2] = (span){ct_min2(ct_min2(c[0].height, c[1].height), c[2].height) - slack,
                  ct_max2(ct_max2(c[0].height, c[1].height), c[2].height) + slack};
}

static bool look_at_leaves(const look *l, uint32_t a, uint32_t b) {
  seen first[CT_MESH_LEAF_MAX], second[CT_MESH_LEAF_MAX];
  span spans[CT_MESH_LEAF_MAX][3], other[3];
  uint32_t count = load(l, 0, &l->t->view[0]->nodes[a], first), n = count ? load(l, 1, &l->t->view[1]->nodes[b], second) : 0;
  for (uint32_t i = 0; i < count && n > 0; i++) spans_of_seen(l, &first[i], spans[i]);
  for (uint32_t k = 0; k < n; k++) {
    spans_of_seen(l, &second[k], other);
    for (uint32_t i = 0; i < count; i++) {
      if (!spans_meet(l, spans[i], other)) continue;
      if (ct_mesh_is_cancelled(l->t->pair.memory, FACES_STEPS)) return false;
      faces_over(l, (const seen[2]){first[i], second[k]});
    }
  }
  return !l->t->contacts->failed && !l->t->contacts->cut_short;
}

void ct_mesh_contacts_facing(ct_mesh_contacts *t, ct_vec3 normal, uint32_t number) {
  ct_view view = ct_view_along(normal);
  look l = {.t = t, .axis = {{view.x, view.y, normal}}, .depth = -t->least - t->tie, .number = number};
  for (int i = 0; i < 3; i++) {
    l.axis[1][i] = ct_mat_tmul(t->pair.relative.rotation, l.axis[0][i]);
    l.origin[i] = ct_dot(l.axis[0][i], t->pair.relative.position);
  }
  struct {
    uint32_t a, b;
  } stack[STACK_SIZE];
  int top = 0;
  stack[top].a = stack[top].b = 0;
  top++;
  while (top > 0 && !ct_mesh_is_cancelled(t->pair.memory, 1)) {
    uint32_t a = stack[--top].a, b = stack[top].b;
    if (!nodes_meet(&l, a, b)) continue;
    const ct_mesh_node *p = &t->view[0]->nodes[a], *q = &t->view[1]->nodes[b];
    if (p->count > 0 && q->count > 0) {
      if (!look_at_leaves(&l, a, b)) return;
      continue;
    }
    bool open_a = q->count > 0 || (p->count == 0 && p->radius >= q->radius);
    assert(top + 2 <= STACK_SIZE);
    for (uint32_t k = 2; k-- > 0; top++) {
      stack[top].a = open_a ? p->first + k : a;
      stack[top].b = open_a ? b : q->first + k;
    }
  }
}
