/* Contacts of two overlapping solid meshes in one view direction: the parts of their surfaces that
 * face each other, projected along the direction and intersected.
 *
 * These contacts are needed where no vertex of either solid is inside the other (crossed bars), and
 * where a vertex is nearer to a side than to the face it has penetrated. The corners of the
 * intersection are vertices over faces, and rims over rims, where a rim is an edge at which the
 * facing surface ends. Triangle pairs come from a simultaneous traversal of both bounding volume
 * hierarchies, with boxes projected to the view. Points deeper than the pair are dropped. */
#include "manifold/manifold_meshes.h"
#include "pair/workspace.h"

#include <assert.h>

/* Least cosine between the direction and the normal of a triangle that faces the other solid. */
#define FACING_MIN 0.1
/* Two rims whose angle in the view has a smaller sine are parallel; they intersect at their ends
 * only. */
#define SKEW_MIN 1e-3
#define STACK_SIZE (2 * CT_MESH_DEPTH_MAX + 4)
/* Cost of intersecting two facing triangles in steps of 100 ns, for polling the cancel flag. */
#define FACES_STEPS 32

/* State of a vertex in memory->root; CT_NO_GROUP: not determined yet. */
#define USES_NEAREST 1u /* the contact of the vertex is that with its nearest surface point */
#define HAS_CONTACT                                                                                \
  2u /* the vertex has a contact along a direction, whose number is added to                       \
        this */

typedef struct view_point {
  double x, y, height;
} view_point;

/* A triangle that faces the other solid, with its vertices in the view. */
typedef struct facing_triangle {
  ct_mesh_face face;
  view_point corner[3];
} facing_triangle;

typedef struct facing_query {
  ct_mesh_contacts *t;
  ct_vec3 axis[2][3]; /* for each mesh, in its frame: x and y of the view, and the direction */
  double origin[3];   /* position of b's frame along these axes */
  double depth;       /* greatest depth of a contact, m: that of the pair */
  uint32_t number;    /* index of the direction, from 0 */
} facing_query;

static uint32_t *get_vertex_state(const ct_mesh_contacts *t, int which, uint32_t vertex) {
  uint32_t base =
      t->view[0]->live_count + t->view[1]->live_count + (which ? t->view[0]->vertex_count : 0);
  return &t->contacts->memory->root[base + vertex];
}

bool ct_mesh_contacts_has_vertex(const ct_mesh_contacts *t, int which, uint32_t vertex) {
  return get_vertex_state(t, which, vertex)[0] == HAS_CONTACT;
}

/* ---- projected bounding boxes --------------------------------------------------------------- */

typedef struct span {
  double low, high;
} span;

static span project_aabb_to_view(const facing_query *l, int which, int axis, const ct_aabb *box) {
  ct_vec3 d = l->axis[which][axis], half = ct_scale(ct_sub(box->max, box->min), 0.5);
  double middle =
      ct_dot(d, ct_scale(ct_add(box->min, box->max), 0.5)) + (which ? l->origin[axis] : 0.0);
  double size = fabs(d.x) * half.x + fabs(d.y) * half.y + fabs(d.z) * half.z + l->t->slack;
  return (span){middle - size, middle + size};
}

static bool spans_overlap(const facing_query *l, const span a[3], const span b[3]) {
  for (int i = 0; i < 2; i++)
    if (a[i].low > b[i].high || b[i].low > a[i].high) return false;
  return a[2].low - b[2].high <= l->depth + l->t->tie && a[2].high - b[2].low >= -l->t->reach;
}

static bool nodes_overlap_in_view(const facing_query *l, uint32_t a, uint32_t b) {
  span s[2][3];
  for (int i = 0; i < 3; i++) {
    s[0][i] = project_aabb_to_view(l, 0, i, &l->t->view[0]->nodes[a].box);
    s[1][i] = project_aabb_to_view(l, 1, i, &l->t->view[1]->nodes[b].box);
  }
  return spans_overlap(l, s[0], s[1]);
}

/* ---- two triangles in the view -------------------------------------------------------------- */

static bool is_facing_view(const facing_query *l, const ct_mesh_face *face) {
  double cosine = ct_dot(l->axis[0][2], face->normal);
  return (face->which ? -cosine : cosine) >= FACING_MIN;
}

static view_point project_to_view(const facing_query *l, ct_vec3 p) {
  return (view_point){ct_dot(l->axis[0][0], p), ct_dot(l->axis[0][1], p), ct_dot(l->axis[0][2], p)};
}

static double compute_view_turn(view_point p, view_point q, view_point r) {
  return (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x);
}

static double compute_view_length(view_point p, view_point q) {
  return sqrt((q.x - p.x) * (q.x - p.x) + (q.y - p.y) * (q.y - p.y));
}

/* True if a position of the view is over the triangle, or outside its border by less than a tie. */
static bool is_over_triangle(const facing_triangle *s, view_point p) {
  for (int k = 0; k < 3; k++) {
    view_point a = s->corner[k], b = s->corner[k == 2 ? 0 : k + 1];
    double side = compute_view_turn(a, b, p);
    if ((s->face.which ? -side : side) < -s->face.tie * compute_view_length(a, b)) return false;
  }
  return true;
}

/* Returns the height of the triangle's plane at a position of the view. */
static double compute_triangle_height(const facing_query *l, const facing_triangle *s,
                                      view_point p) {
  ct_vec3 n = s->face.normal;
  double nx = ct_dot(n, l->axis[0][0]), ny = ct_dot(n, l->axis[0][1]),
         nz = ct_dot(n, l->axis[0][2]);
  return s->corner[0].height - (nx * (p.x - s->corner[0].x) + ny * (p.y - s->corner[0].y)) / nz;
}

/* True if the solids overlap between two points on one line along the direction: on_a on the
 * surface of a, and the point on the surface of b at `depth` below it. This holds within a tie, or
 * if one of the points is inside the other solid. False also for depths that exceed the pair's, and
 * for distances out of reach. */
static bool is_overlap_at(const facing_query *l, ct_vec3 on_a, double depth) {
  ct_mesh_contacts *t = l->t;
  if (!(depth <= l->depth + t->tie) || depth < -t->reach) return false;
  if (depth <= t->tie) return true;
  return ct_mesh_contacts_is_inside(t, 1, on_a) ||
         ct_mesh_contacts_is_inside(t, 0, ct_add_scaled(on_a, l->axis[0][2], -depth));
}

static void add_facing_contact(const facing_query *l, const facing_triangle s[2], ct_feature a,
                               ct_feature b, ct_vec3 on_a, double depth) {
  const ct_mesh_face face[2] = {s[0].face, s[1].face};
  ct_vec3 n = l->axis[0][2];
  ct_mesh_candidate candidate = {.feature = {a, b},
                                 .point = {on_a, ct_add_scaled(on_a, n, -depth)},
                                 .normal = n,
                                 .distance = -depth};
  ct_mesh_contacts_add(l->t, face, &candidate);
}

/* True if a vertex inside the other solid has its contact with the nearest surface point instead of
 * the one along the direction. False if the nearest surface point lies along the direction, number
 * 0, or is within a tie of the vertex. */
static bool uses_nearest_point(const facing_query *l, int which, uint32_t vertex, ct_vec3 v) {
  ct_mesh_contacts *t = l->t;
  uint32_t *state = get_vertex_state(t, which, vertex);
  if (*state != CT_NO_GROUP) return *state != HAS_CONTACT + l->number;
  ct_mesh_foot foot;
  ct_vec3 there = which ? v : ct_to_local(t->pair.relative, v);
  if (!ct_mesh_nearest(t->mesh[1 - which], there, INFINITY, &foot) || foot.distance <= t->tie)
    return false;
  ct_vec3 point = which ? foot.point : ct_to_parent(t->pair.relative, foot.point);
  ct_vec3 direction = ct_scale(ct_sub(v, point), 1.0 / foot.distance);
  bool left = l->number > 0 ||
              ct_dot(which ? ct_neg(direction) : direction, l->axis[0][2]) >= CT_PATCH_COSINE_MIN;
  if (left) *state = USES_NEAREST;
  return left;
}

/* Adds contacts of the vertices of triangle s[which] over the other triangle. True: a vertex is
 * over it, and the solids overlap there. */
static bool add_vertices_over(const facing_query *l, const facing_triangle s[2], int which) {
  const facing_triangle *one = &s[which], *other = &s[1 - which];
  const ct_mesh_face *face = &other->face;
  bool overlapping = false;
  for (int k = 0; k < 3; k++) {
    view_point p = one->corner[k];
    if (!is_over_triangle(other, p)) continue;
    double over = compute_triangle_height(l, other, p),
           depth = which ? over - p.height : p.height - over;
    ct_vec3 n = l->axis[0][2], v = one->face.t.v[k], on_a = which ? ct_add_scaled(v, n, depth) : v;
    if (!is_overlap_at(l, on_a, depth)) continue;
    overlapping = true;
    uint32_t vertex = l->t->view[which]->corners[one->face.position][k];
    /* Add vertices that are no subdivision points, over a face that faces the view, unless their
     * contact is that with the nearest surface point. */
    bool flat = fabs(ct_dot(face->normal, n)) >= CT_PATCH_COSINE_MIN;
    if (!flat || depth <= l->t->tie || uses_nearest_point(l, which, vertex, v)) continue;
    if (!ct_is_corner(l->t, &one->face, k)) continue;
    *get_vertex_state(l->t, which, vertex) = HAS_CONTACT + l->number;
    ct_vec3 foot = which ? on_a : ct_add_scaled(on_a, n, -depth);
    ct_feature f = {CT_FEATURE_VERTEX, vertex}, g = ct_face_feature(l->t, face, foot);
    add_facing_contact(l, s, which ? g : f, which ? f : g, on_a, depth);
  }
  return overlapping;
}

/* Class of an edge in the view. RIM: the surface that faces the other solid ends there. RIDGE: it
 * bends away from the other solid there. PLAIN: any other edge. */
typedef enum view_edge_kind { LINE_PLAIN, LINE_RIDGE, LINE_RIM } view_edge_kind;

static view_edge_kind classify_view_edge(const facing_query *l, const ct_mesh_face *face,
                                         const ct_manifold_edge *e) {
  ct_vec3 along = ct_sub(e->q, e->p);
  if (e->flat || fabs(ct_dot(along, l->axis[0][2])) >= CT_PATCH_COSINE_MIN * ct_norm(along))
    return LINE_PLAIN;
  double cosine = ct_dot(e->other, l->axis[0][2]);
  if (e->wings < 2 || (face->which ? -cosine : cosine) < FACING_MIN) return LINE_RIM;
  return ct_dot(face->normal, ct_sub(e->beyond[1], e->p)) < 0.0 ? LINE_RIDGE : LINE_PLAIN;
}

/* Finds the crossing of two edges in the view, as a parameter of each. False: they are parallel, or
 * do not cross strictly between their ends. */
static bool find_view_crossing(double tie, const view_point e[2], const view_point f[2],
                               double at[2]) {
  double ex = e[1].x - e[0].x, ey = e[1].y - e[0].y, fx = f[1].x - f[0].x, fy = f[1].y - f[0].y;
  double whole = ex * fy - ey * fx, le = compute_view_length(e[0], e[1]),
         lf = compute_view_length(f[0], f[1]);
  if (!(fabs(whole) > SKEW_MIN * le * lf)) return false;
  double rx = f[0].x - e[0].x, ry = f[0].y - e[0].y;
  at[0] = (rx * fy - ry * fx) / whole;
  at[1] = (rx * ey - ry * ex) / whole;
  return at[0] * le > tie && (1.0 - at[0]) * le > tie && at[1] * lf > tie &&
         (1.0 - at[1]) * lf > tie;
}

/* Adds the point of a rim that is as deep as the pair below a facing triangle, where one end of the
 * rim is deeper than that. The depth of crossed solids may be the depth at an inner point of an
 * edge; the end of an inclined edge is deeper. */
static void add_rim_at_depth(const facing_query *l, const facing_triangle s[2], int which,
                             const ct_manifold_edge *e) {
  const facing_triangle *other = &s[1 - which];
  if (fabs(ct_dot(other->face.normal, l->axis[0][2])) < CT_PATCH_COSINE_MIN) return;
  view_point end[2] = {project_to_view(l, e->p), project_to_view(l, e->q)};
  double excess[2];
  for (int i = 0; i < 2; i++) {
    double rise = end[i].height - compute_triangle_height(l, other, end[i]);
    excess[i] = (which ? -rise : rise) - l->depth;
  }
  if (ct_min2(excess[0], excess[1]) > 0.0 || ct_max2(excess[0], excess[1]) <= 2.0 * l->t->tie)
    return;
  double at = excess[0] / (excess[0] - excess[1]);
  ct_vec3 v = ct_lerp(e->p, e->q, at), n = l->axis[0][2];
  if (!is_over_triangle(other, project_to_view(l, v))) return;
  ct_vec3 on_a = which ? ct_add_scaled(v, n, l->depth) : v,
          foot = which ? on_a : ct_add_scaled(v, n, -l->depth);
  if (!is_overlap_at(l, on_a, l->depth)) return;
  ct_feature g = ct_face_feature(l->t, &other->face, foot);
  add_facing_contact(l, s, which ? g : e->feature, which ? e->feature : g, on_a, l->depth);
}

/* Adds contacts at crossings of edges of the two triangles. True: edges cross where the solids
 * overlap, or `overlapping` was true. */
static bool add_crossing_edges(const facing_query *l, const facing_triangle s[2],
                               bool overlapping) {
  ct_manifold_edge edge[2][3];
  view_edge_kind kind[2][3];
  for (int i = 0; i < 6; i++) {
    int which = i / 3, k = i % 3;
    edge[which][k] = ct_mesh_contacts_edge(l->t, &s[which].face, k);
    kind[which][k] = classify_view_edge(l, &s[which].face, &edge[which][k]);
    if (kind[which][k] == LINE_RIM) add_rim_at_depth(l, s, which, &edge[which][k]);
  }
  for (int i = 0; i < 9; i++) {
    const ct_manifold_edge *e = &edge[0][i / 3], *f = &edge[1][i % 3];
    view_edge_kind p = kind[0][i / 3], q = kind[1][i % 3];
    /* Contacts are added only where a rim crosses a rim or ridge; any crossing proves the
     * overlap. */
    bool wanted = p != LINE_PLAIN && q != LINE_PLAIN && (p == LINE_RIM || q == LINE_RIM);
    if (overlapping && !wanted) continue;
    const view_point along[2] = {project_to_view(l, e->p), project_to_view(l, e->q)},
                     across[2] = {project_to_view(l, f->p), project_to_view(l, f->q)};
    double at[2];
    if (!find_view_crossing(ct_min2(s[0].face.tie, s[1].face.tie), along, across, at)) continue;
    ct_vec3 on_a = ct_lerp(e->p, e->q, at[0]);
    double depth = ct_dot(l->axis[0][2], ct_sub(on_a, ct_lerp(f->p, f->q, at[1])));
    if (!is_overlap_at(l, on_a, depth)) continue;
    overlapping = true;
    if (wanted && depth > l->t->tie) add_facing_contact(l, s, e->feature, f->feature, on_a, depth);
  }
  return overlapping;
}

/* True if a side of triangle `one` separates the two triangles in the view. */
static bool is_separated_by_side(const facing_query *l, const facing_triangle *one,
                                 const facing_triangle *other) {
  for (int k = 0; k < 3; k++) {
    view_point a = one->corner[k], b = one->corner[k == 2 ? 0 : k + 1];
    double least = l->t->slack * compute_view_length(a, b), sense = one->face.which ? -1.0 : 1.0;
    bool parts = true;
    for (int i = 0; i < 3 && parts; i++)
      parts = sense * compute_view_turn(a, b, other->corner[i]) < -least;
    if (parts) return true;
  }
  return false;
}

static void intersect_facing_triangles(const facing_query *l, const facing_triangle s[2]) {
  if (is_separated_by_side(l, &s[0], &s[1]) || is_separated_by_side(l, &s[1], &s[0])) return;
  bool overlapping = add_vertices_over(l, s, 0);
  overlapping = add_vertices_over(l, s, 1) || overlapping;
  overlapping = add_crossing_edges(l, s, overlapping);
  if (overlapping) ct_mesh_contacts_mark(l->t, (const ct_mesh_face[2]){s[0].face, s[1].face});
}

/* ---- traversal of both trees ---------------------------------------------------------------- */

static uint32_t load_leaf_triangles(const facing_query *l, int which, const ct_mesh_node *leaf,
                                    facing_triangle out[CT_MESH_LEAF_MAX]) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < leaf->count; i++) {
    facing_triangle *s = &out[count];
    s->face = ct_mesh_contacts_face(l->t, which, leaf->first + i);
    if (!is_facing_view(l, &s->face)) continue;
    for (int k = 0; k < 3; k++) s->corner[k] = project_to_view(l, s->face.t.v[k]);
    count++;
  }
  return count;
}

static void compute_triangle_spans(const facing_query *l, const facing_triangle *s, span out[3]) {
  double slack = l->t->slack;
  const view_point *c = s->corner;
  out[0] = (span){ct_min2(ct_min2(c[0].x, c[1].x), c[2].x) - slack,
                  ct_max2(ct_max2(c[0].x, c[1].x), c[2].x) + slack};
  out[1] = (span){ct_min2(ct_min2(c[0].y, c[1].y), c[2].y) - slack,
                  ct_max2(ct_max2(c[0].y, c[1].y), c[2].y) + slack};
  out[2] = (span){ct_min2(ct_min2(c[0].height, c[1].height), c[2].height) - slack,
                  ct_max2(ct_max2(c[0].height, c[1].height), c[2].height) + slack};
}

static bool intersect_leaves(const facing_query *l, uint32_t a, uint32_t b) {
  facing_triangle first[CT_MESH_LEAF_MAX], second[CT_MESH_LEAF_MAX];
  span spans[CT_MESH_LEAF_MAX][3], other[3];
  uint32_t count = load_leaf_triangles(l, 0, &l->t->view[0]->nodes[a], first),
           n = count ? load_leaf_triangles(l, 1, &l->t->view[1]->nodes[b], second) : 0;
  for (uint32_t i = 0; i < count && n > 0; i++) compute_triangle_spans(l, &first[i], spans[i]);
  for (uint32_t k = 0; k < n; k++) {
    compute_triangle_spans(l, &second[k], other);
    for (uint32_t i = 0; i < count; i++) {
      if (!spans_overlap(l, spans[i], other)) continue;
      if (ct_mesh_is_cancelled(l->t->pair.memory, FACES_STEPS)) return false;
      intersect_facing_triangles(l, (const facing_triangle[2]){first[i], second[k]});
    }
  }
  return !l->t->contacts->failed && !l->t->contacts->cut_short;
}

void ct_mesh_contacts_facing(ct_mesh_contacts *t, ct_vec3 normal, uint32_t number) {
  ct_view view = ct_view_along(normal);
  facing_query l = {.t = t,
                    .axis = {{view.x, view.y, normal}},
                    .depth = -t->distance_min - t->tie,
                    .number = number};
  for (int i = 0; i < 3; i++) {
    l.axis[1][i] = ct_mat_tmul(t->pair.relative.rotation, l.axis[0][i]);
    l.origin[i] = ct_dot(l.axis[0][i], t->pair.relative.position);
  }
  /* Traverse both trees, opening the larger node first, and intersect pairs of leaves. */
  struct {
    uint32_t a, b;
  } stack[STACK_SIZE];
  int top = 0;
  stack[top].a = stack[top].b = 0;
  top++;
  while (top > 0 && !ct_mesh_is_cancelled(t->pair.memory, 1)) {
    uint32_t a = stack[--top].a, b = stack[top].b;
    if (!nodes_overlap_in_view(&l, a, b)) continue;
    const ct_mesh_node *p = &t->view[0]->nodes[a], *q = &t->view[1]->nodes[b];
    if (p->count > 0 && q->count > 0) {
      if (!intersect_leaves(&l, a, b)) return;
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
