/* Contact points of a mesh against a convex body, triangle by triangle, and over a half-space,
 * vertex by vertex.
 *
 * Triangles in contact that share an edge and have similar normals form one patch, as do vertices
 * joined by an edge (disjoint sets). Interior edges and corners of flat parts give no points, so
 * results do not depend on the triangulation, as with the internal-edge filters of game engines.
 * Each pair of features gives one point. Cost: a traversal of the bounding volume hierarchy, and
 * one manifold per triangle within reach. Pairs of meshes: manifold_meshes.c.
 *
 * An open surface that intersects the body has the corners of the intersection curves: surface
 * edges entering and leaving the body (ray casts), and edges of a polytope through surface
 * triangles. All get the pair's distance, and the normal of the triangle, away from the middle of
 * the body. Limit: POINTS_MAX points of one pair.
 */
#include "manifold/manifold.h"
#include "manifold/manifold_meshes.h"
#include "pair/pair_cell.h"
#include "pair/workspace.h"
#include "triangle/triangle_distance.h"
#include <contact/ray.h>

#include <assert.h>
#include <stdlib.h>

/* A triangle of a solid that faces the other body by a smaller cosine is skipped along the pair's
 * normal. */
#define FACING_MIN 0.1
/* The cosine of CT_LEAN_MAX. */
#define LEVEL_MIN 0.995
/* Cost of a triangle in steps of 100 ns, for the cancellation budget. */
#define TRIANGLE_STEPS 16
/* Largest sine between a cap and a face in flat contact. */
#define FLAT_CAP 1e-3
/* Largest number of triangles visited around a vertex: guards against broken meshes. */
#define FAN_MAX 4096
/* Marks a set that has points. */
#define NUMBERED (CT_NO_GROUP - 1u)

/* ---- patches -------------------------------------------------------------------------------- */

/* Replaces members by the number of their set, counting only sets with points, in the order of
 * their lowest members. */
static void number_patches(ct_manifold_scratch *m, uint32_t count) {
  uint32_t *root = m->root, next = 0;
  for (uint32_t i = 0; i < count; i++)
    if (root[i] != CT_NO_GROUP) root[i] = ct_groups_find(root, i);
  for (uint32_t i = 0; i < m->count; i++) m->points[i].patch = root[m->points[i].patch];
  for (uint32_t i = 0; i < m->count; i++) root[m->points[i].patch] = NUMBERED;
  for (uint32_t i = 0; i < count; i++)
    if (root[i] == NUMBERED) root[i] = next++;
  for (uint32_t i = 0; i < m->count; i++) m->points[i].patch = root[m->points[i].patch];
}

/* ---- over a half-space ---------------------------------------------------------------------- */

void ct_contacts_mesh_plane(ct_contacts *c) {
  const ct_mesh_view *mesh = ct_mesh_get(c->a.shape->mesh);
  ct_manifold_scratch *m = c->memory;
  ct_vec3 down = c->view.normal;
  double level = ct_dot(down, c->relative.position),
         radius = c->a.shape->rounding + c->a.shape->margin;
  if (!ct_groups_open(c, mesh->vertex_count)) return;
  for (uint32_t i = 0; i < mesh->point_count && !c->failed; i++) {
    uint32_t vertex = mesh->points[i], before = m->count;
    ct_vec3 at = ct_add_scaled(mesh->vertices[vertex], down, radius);
    ct_contact_candidate candidate = {.a = {CT_FEATURE_VERTEX, vertex},
                                      .b = {CT_FEATURE_FACE, 0},
                                      .at = at,
                                      .distance = level - ct_dot(down, at)};
    ct_contacts_add(c, &candidate);
    if (m->count == before) continue;
    m->points[before].patch = vertex;
    m->root[vertex] = vertex;
  }
  /* vertices joined by an edge form one patch */
  for (uint32_t i = 0; i < mesh->live_count; i++) {
    for (int k = 0; k < 3; k++) {
      uint32_t v = mesh->corners[i][k], w = mesh->corners[i][(k + 1) % 3];
      if (m->root[v] != CT_NO_GROUP && m->root[w] != CT_NO_GROUP) ct_groups_join(m->root, v, w);
    }
  }
  number_patches(m, mesh->vertex_count);
}

/* ---- open surface that intersects the body -------------------------------------------------- */

/* Largest number of points of one pair. */
#define POINTS_MAX 65536u
/* Cost of one edge through the body in steps of 100 ns, for the cancellation budget. */
#define EDGE_STEPS 4

static bool is_sharp_polytope(const ct_shape *s) {
  return (s->kind == CT_KIND_BOX || s->kind == CT_KIND_CONVEX) && s->rounding == 0.0 &&
         s->margin == 0.0;
}

static void add_crossing_point(ct_contacts *c, uint32_t position, ct_contact_point point) {
  uint32_t *root = c->memory->root;
  if (c->memory->count >= POINTS_MAX) c->cut_short = true;
  if (c->cut_short) return;
  point.normal = c->view.normal;
  point.distance = c->distance;
  point.point_b = ct_add_scaled(point.point_a, point.normal, point.distance);
  point.patch = position;
  ct_contacts_push(c, &point);
  root[position] = position;
}

static ct_vec3 get_placed_vertex(const ct_contacts *c, const ct_mesh_view *mesh, uint32_t vertex) {
  return ct_to_parent(c->relative, mesh->vertices[vertex]);
}

/* Adds the points where a surface edge enters and leaves the body. Edges run from the lower vertex
 * number; the first of two triangles tests the edge. */
static void intersect_surface_edge(ct_contacts *c, const ct_mesh_view *mesh, uint32_t position,
                                   int k) {
  const uint32_t *corner = mesh->corners[position];
  uint32_t v = corner[k], w = corner[(k + 1) % 3], other = mesh->across[position][k],
           number = 3 * mesh->order[position] + (uint32_t)k;
  if (other != CT_NO_TRIANGLE && other < position) return;
  /* number of the edge: the lower of its two triangles' numbers */
  for (uint32_t i = 0; other != CT_NO_TRIANGLE && i < 3; i++)
    if (mesh->corners[other][i] == w && mesh->corners[other][(i + 1) % 3] == v &&
        3 * mesh->order[other] + i < number)
      number = 3 * mesh->order[other] + i;
  ct_vec3 p = get_placed_vertex(c, mesh, v < w ? v : w),
          q = get_placed_vertex(c, mesh, v < w ? w : v), d = ct_sub(q, p);
  const ct_ray ray = {p, d, ct_norm(d)};
  if (!(ray.reach > 0.0)) return;
  /* cast along the edge: at most one entry and one exit */
  const ct_frame here = ct_frame_of(ct_pose_identity());
  ct_ray_crossing crossing[2];
  size_t count = ct_ray_cross(&ray, (ct_placed){c->a.shape, &here}, c->workspace, crossing, 2);
  for (uint32_t i = 0; i < count && i < 2; i++) {
    add_crossing_point(c, position,
                       (ct_contact_point){.b = {CT_FEATURE_EDGE, number},
                                          .point_a = crossing[i].position,
                                          .number = i});
    if (other != CT_NO_TRIANGLE) c->memory->root[other] = other;
  }
}

/* Adds the point where an edge of a polytope intersects a triangle. */
static void intersect_polytope_edge(ct_contacts *c, uint32_t position, const ct_triangle *t,
                                    const ct_vec3 edge[2], uint32_t number) {
  const ct_mesh_view *mesh = ct_mesh_get(c->b.shape->mesh);
  double at;
  if (!ct_segment_meets(edge[0], edge[1], t, &at)) return;
  add_crossing_point(c, position,
                     (ct_contact_point){.a = {CT_FEATURE_EDGE, number},
                                        .b = {CT_FEATURE_FACE, mesh->order[position]},
                                        .point_a = ct_lerp(edge[0], edge[1], at)});
}

static void intersect_polytope_edges(ct_contacts *c, uint32_t position, const ct_triangle *t) {
  if (c->a.shape->kind == CT_KIND_CONVEX) {
    const ct_hull_view *hull = ct_hull_get(c->a.shape->hull);
    for (uint32_t i = 0; i < hull->edge_count && !ct_mesh_is_cancelled(&c->workspace->mesh, 1);
         i++) {
      uint32_t v = hull->edge_vertices[i][0], w = hull->edge_vertices[i][1];
      const ct_vec3 edge[2] = {{hull->x[v], hull->y[v], hull->z[v]},
                               {hull->x[w], hull->y[w], hull->z[w]}};
      intersect_polytope_edge(c, position, t, edge, i);
    }
    return;
  }
  /* box: four edges along each axis */
  ct_vec3 h = c->a.shape->box.half;
  for (uint32_t i = 0; i < 12; i++) {
    double s = i & 1 ? 1.0 : -1.0, u = i & 2 ? 1.0 : -1.0;
    ct_vec3 high = i < 4   ? ct_vec(h.x, s * h.y, u * h.z)
                   : i < 8 ? ct_vec(s * h.x, h.y, u * h.z)
                           : ct_vec(s * h.x, u * h.y, h.z);
    ct_vec3 low = {i < 4 ? -h.x : high.x, i >= 4 && i < 8 ? -h.y : high.y, i >= 8 ? -h.z : high.z};
    const ct_vec3 edge[2] = {low, high};
    intersect_polytope_edge(c, position, t, edge, i);
  }
}

/* The triangle's normal that points away from the middle of the body: most of the body is then on
 * one side. */
static ct_vec3 find_outward_normal(const ct_contacts *c, const ct_triangle *t) {
  ct_vec3 n = ct_unit_or(ct_triangle_cross(t), c->view.normal);
  return ct_dot(n, ct_sub(t->v[0], c->core_a.middle)) < 0.0 ? ct_neg(n) : n;
}

/* Adds the points where a surface triangle and its edges intersect the body. */
static void intersect_surface_triangle(ct_contacts *c, uint32_t position) {
  const ct_mesh_view *mesh = ct_mesh_get(c->b.shape->mesh);
  ct_triangle t = {{{0.0, 0.0, 0.0}}};
  for (int k = 0; k < 3; k++) t.v[k] = get_placed_vertex(c, mesh, mesh->corners[position][k]);
  c->view.normal = find_outward_normal(c, &t);
  for (int k = 0; k < 3; k++) intersect_surface_edge(c, mesh, position, k);
  if (is_sharp_polytope(c->a.shape)) intersect_polytope_edges(c, position, &t);
  c->cut_short = c->cut_short || ct_mesh_is_cancelled(&c->workspace->mesh, EDGE_STEPS);
}

/* ---- against a convex body ------------------------------------------------------------------ */

typedef struct mesh_query {
  ct_contacts *contacts;
  const ct_mesh_view *mesh;
  ct_mesh_contacts side; /* the mesh as the second of two, for shared functions */
  double radius;         /* rounding plus margin of the mesh, m */
  bool apart;
  bool crossed; /* an open surface that intersects the body */
} mesh_query;

static ct_vec3 get_placed_corner(const mesh_query *query, uint32_t position, int k) {
  return ct_to_parent(query->contacts->relative,
                      query->mesh->vertices[query->mesh->corners[position][k]]);
}

static ct_vec3 compute_placed_normal(const mesh_query *query, uint32_t position) {
  ct_vec3 a = get_placed_corner(query, position, 0);
  assert(position < query->mesh->live_count);
  ct_vec3 n = ct_cross(ct_sub(get_placed_corner(query, position, 1), a),
                       ct_sub(get_placed_corner(query, position, 2), a));
  return ct_unit_or(n, ct_vec(0.0, 0.0, 1.0));
}

/* Largest lean of the normal, as a sine: the points that define it are accurate to a tie, over the
 * distance between the cores. */
static double compute_lean_limit(const mesh_query *query, double distance) {
  double apart = ct_max2(distance, 0.0) +
                 ct_min2(query->contacts->core_a.radius[0], query->contacts->core_a.radius[1]) +
                 query->radius;
  return CT_DIRECTION_TIE + ct_min2(query->contacts->tie / apart, CT_LEAN_MAX);
}

/* The vertex or edge of a face that contains a point, with its number in the face; `otherwise` if
 * neither does. */
static ct_feature locate_on_face(const ct_mesh_face *face, ct_vec3 point, ct_feature otherwise) {
  const ct_vec3 *v = face->t.v;
  double tie = face->tie;
  for (uint32_t k = 0; k < 3; k++)
    if (ct_norm(ct_sub(point, v[k])) <= tie) return (ct_feature){CT_FEATURE_VERTEX, k};
  for (uint32_t k = 0; k < 3; k++) {
    ct_vec3 d = ct_sub(v[k == 2 ? 0 : k + 1], v[k]);
    if (ct_norm(ct_cross(d, ct_sub(point, v[k]))) <= tie * ct_norm(d))
      return (ct_feature){CT_FEATURE_EDGE, k};
  }
  return otherwise;
}

/* True if a point is on a capsule's line, or on the side line of a frustum. */
static bool is_on_core_line(const ct_contacts *c, const ct_contact_point *p) {
  return (c->core_a.kind == CT_PROXY_SEGMENT && p->a.kind == CT_FEATURE_EDGE) ||
         (c->core_a.kind == CT_PROXY_FRUSTUM && p->a.kind == CT_FEATURE_SMOOTH);
}

/* Feature of a point on a line: the line's end if the point coincides with it. */
static ct_feature find_line_feature(const ct_contacts *c, const ct_contact_point *p) {
  const ct_convex_proxy *proxy = &c->core_a;
  bool segment = proxy->kind == CT_PROXY_SEGMENT;
  if (!is_on_core_line(c, p)) return p->a;
  double half = ct_norm(proxy->axis[2]);
  double along =
      half > 0.0 ? ct_dot(proxy->axis[2], ct_sub(p->point_a, proxy->center)) / half : 0.0;
  for (uint32_t top = 0; top < 2; top++) {
    ct_vec3 end = ct_add_scaled(proxy->center, proxy->axis[2], top ? 1.0 : -1.0);
    double radius = segment ? proxy->radius[top] : proxy->radius[0];
    double at =
        ct_dot(proxy->axis[2], ct_sub(ct_add_scaled(end, p->normal, radius), proxy->center)) /
        ct_max2(half, c->tie);
    if (fabs(along - at) > c->tie) continue;
    if (segment) return (ct_feature){CT_FEATURE_VERTEX, top};
    return proxy->rim[top] > 0.0 ? (ct_feature){CT_FEATURE_EDGE, top}
                                 : (ct_feature){CT_FEATURE_VERTEX, 0};
  }
  return p->a;
}

/* Numbers the crossing of an edge with a rim: 0 enters, 1 leaves, from the edge's vertex of the
 * lower number, for either triangle. False: the edge is a tangent of a cap in flat contact, as in
 * manifold_face.c. */
static bool number_rim_crossing(const ct_contacts *c, const ct_manifold_edge *e, ct_vec3 foot,
                                ct_contact_point *p) {
  const ct_convex_proxy *proxy = &c->core_a;
  double along = ct_dot(ct_unit_or(ct_sub(e->q, e->p), p->normal), ct_sub(foot, proxy->center));
  ct_vec3 axis = ct_unit_or(proxy->axis[2], ct_vec(0.0, 0.0, 1.0));
  bool flat = ct_norm(ct_cross(axis, p->normal)) <= FLAT_CAP;
  p->number = along > 0.0;
  return !flat || along * along > 2.0 * c->tie * proxy->rim[p->a.index];
}

/* Replaces the triangle's feature of a point by the mesh's feature. False: the mesh has no contact
 * there.
 *
 * Edges and corners inside flat parts come from the triangulation; edges of the body do not touch
 * them. If the bodies are apart, the mesh must end at the feature along the normal.
 */
static bool map_to_mesh_feature(const mesh_query *query, const ct_mesh_face *face,
                                ct_contact_point *p) {
  const ct_mesh_contacts *t = &query->side;
  const ct_feature found = p->a;
  p->a = find_line_feature(query->contacts, p);
  const bool end_of_line = p->a.kind != found.kind;
  const bool line = is_on_core_line(query->contacts, p),
             whole = line || p->a.kind == CT_FEATURE_EDGE || p->a.kind == CT_FEATURE_FACE;
  ct_vec3 opposite = ct_neg(p->normal), foot = ct_add_scaled(p->point_b, p->normal, query->radius);
  double facing = ct_dot(opposite, face->normal), lean = compute_lean_limit(query, p->distance);
  if (!query->mesh->solid) facing = fabs(facing);
  if (query->apart && facing < FACING_MIN && p->b.kind == CT_FEATURE_FACE) return false;
  /* In flat contact the lean of the faces is not an end of the mesh. */
  if (whole && facing >= LEVEL_MIN) lean = CT_LEAN_MAX;
  if (whole && p->b.kind == CT_FEATURE_FACE) {
    /* A cap that crosses a side by less than a tie has no crossing there; its point is off by as
     * much again, hence twice the tie. */
    ct_mesh_face wide = *face;
    wide.tie *= 2.0;
    bool amid = locate_on_face(&wide, foot, p->b).kind == CT_FEATURE_FACE;
    p->b = ct_face_feature(t, face, foot);
    /* Numbers 0 and 1 are the crossings of an edge with a rim. */
    if (p->b.kind == CT_FEATURE_EDGE && !end_of_line) p->number += 2;
    /* A face or line that only touches one of several coplanar triangles has its points over the
     * others. */
    return amid || !(line || p->a.kind == CT_FEATURE_FACE);
  }
  /* vertex or edge of the mesh, else the face itself */
  ct_feature place = locate_on_face(face, foot, p->b);
  const int k = (int)place.index;
  if (place.kind == CT_FEATURE_VERTEX) {
    p->b = (ct_feature){CT_FEATURE_VERTEX, query->mesh->corners[face->position][k]};
    return !(whole && !ct_is_corner(t, face, k)) &&
           (!query->apart || ct_vertex_ends(t, face, k, opposite, lean));
  }
  if (place.kind == CT_FEATURE_EDGE) {
    ct_manifold_edge e = ct_mesh_contacts_edge(t, face, k);
    p->b = e.feature;
    if (p->a.kind == CT_FEATURE_EDGE && query->contacts->core_a.kind == CT_PROXY_FRUSTUM &&
        !end_of_line && !number_rim_crossing(query->contacts, &e, foot, p))
      return false;
    if (p->a.kind == CT_FEATURE_FACE) return false;
    return !(whole && e.flat) &&
           (!query->apart || ct_edge_ends(&e, foot, opposite, t->slack, lean));
  }
  if (place.kind == CT_FEATURE_FACE) p->b.index = query->mesh->order[face->position];
  return true;
}

static void mark_contact_triangle(const mesh_query *query, uint32_t position) {
  uint32_t *root = query->contacts->memory->root;
  if (position != CT_NO_TRIANGLE && root[position] == CT_NO_GROUP) root[position] = position;
}

/* Marks all triangles that contain a point: patches stay connected whichever triangle has the
 * point. */
static void mark_incident_triangles(const mesh_query *query, const ct_mesh_face *face,
                                    const ct_contact_point *p) {
  const ct_mesh_view *mesh = query->mesh;
  ct_feature place = locate_on_face(face, ct_add_scaled(p->point_b, p->normal, query->radius),
                                    (ct_feature){CT_FEATURE_FACE, 0});
  mark_contact_triangle(query, face->position);
  if (place.kind == CT_FEATURE_EDGE)
    mark_contact_triangle(query, mesh->across[face->position][place.index]);
  if (place.kind != CT_FEATURE_VERTEX) return;
  /* vertex: traverse the fan of triangles in both directions */
  uint32_t vertex = mesh->corners[face->position][place.index];
  for (uint32_t turn = 0; turn < 2; turn++) {
    uint32_t at = face->position;
    for (int step = 0; step < FAN_MAX && at != CT_NO_TRIANGLE; step++) {
      uint32_t k = 0;
      while (k < 2 && mesh->corners[at][k] != vertex) k++;
      at = mesh->across[at][turn ? (k + 2) % 3 : k];
      if (at == face->position) return;
      mark_contact_triangle(query, at);
    }
  }
}

/* Keeps the valid points of one triangle along the view, from index `before` on. Points deeper than
 * the pair belong to features that the distance query has not chosen. */
static void filter_triangle_points(mesh_query *query, uint32_t position, uint32_t before) {
  ct_contacts *c = query->contacts;
  ct_manifold_scratch *m = c->memory;
  ct_mesh_face face = ct_mesh_contacts_face(&query->side, 1, position);
  uint32_t retained = before;
  assert(before <= m->count);
  for (uint32_t i = before; i < m->count; i++) {
    ct_contact_point p = m->points[i];
    if (p.distance < c->distance - c->tie) continue;
    /* Mark before filtering: dropped points still connect patches. */
    mark_incident_triangles(query, &face, &p);
    if (!map_to_mesh_feature(query, &face, &p)) continue;
    p.patch = position;
    m->points[retained++] = p;
  }
  m->count = retained;
}

static void intersect_separated_triangle(mesh_query *query, uint32_t position) {
  ct_contacts *c = query->contacts;
  ct_cell_input input = {.shape_a = c->a.shape,
                         .shape_b = c->b.shape,
                         .a = c->core_a,
                         .b = c->core_b,
                         .relative = c->relative,
                         .threshold = c->reach,
                         .workspace = c->workspace};
  /* distance and normal of this triangle */
  ct_cell_result r = {.status = CT_PAIR_OK};
  ct_cell_convex_convex(&input, &r);
  if (!(r.distance <= c->reach) || !(r.distance > 0.0)) return;
  uint32_t before = c->memory->count;
  double pair_distance = c->distance;
  /* points along the triangle's own normal */
  c->view = ct_view_along(ct_unit_or(r.normal, c->view.normal));
  c->distance = r.distance;
  ct_contacts_intersect_faces(c);
  /* A face beside a rounded edge that is lower where it curves away: parallel edges share their
   * ends. */
  bool edges = c->core_a.kind == CT_PROXY_BOX || c->core_a.kind == CT_PROXY_HULL;
  if (edges && c->memory->count == before &&
      -ct_dot(compute_placed_normal(query, position), c->view.normal) >= LEVEL_MIN)
    ct_contacts_intersect_edges(c);
  ct_contacts_own(c, before, &(ct_contact_candidate){.at = r.point_a, .distance = r.distance});
  c->distance = pair_distance;
  filter_triangle_points(query, position, before);
}

static void intersect_mesh_triangle(mesh_query *query, uint32_t position) {
  ct_contacts *c = query->contacts;
  c->cut_short = c->cut_short || ct_mesh_is_cancelled(&c->workspace->mesh, TRIANGLE_STEPS);
  ct_vec3 corner[3] = {get_placed_corner(query, position, 0), get_placed_corner(query, position, 1),
                       get_placed_corner(query, position, 2)};
  c->core_b = ct_proxy_triangle(corner, c->core_a.extent);
  c->core_b.radius[0] = c->core_b.radius[1] = query->radius;
  if (query->apart) {
    intersect_separated_triangle(query, position);
    return;
  }
  if (ct_dot(compute_placed_normal(query, position), c->view.normal) > -FACING_MIN) return;
  uint32_t before = c->memory->count;
  ct_contacts_intersect_faces(c);
  filter_triangle_points(query, position, before);
}

static ct_aabb expand_node_aabb(const ct_mesh_node *node, double by) {
  return ct_aabb_expand(node->box, by);
}

/* Visits each triangle with a box within reach of the body's box. */
static void visit_triangles_near(mesh_query *query, const ct_aabb *box) {
  const ct_mesh_view *mesh = query->mesh;
  uint32_t stack[CT_MESH_DEPTH_MAX + 2], top = 0;
  stack[top++] = 0;
  while (top > 0 && !query->contacts->failed && !query->contacts->cut_short) {
    const ct_mesh_node *node = &mesh->nodes[stack[--top]];
    ct_aabb node_box = expand_node_aabb(node, query->radius);
    if (!ct_aabb_overlap(box, &node_box)) continue;
    for (uint32_t i = 0; i < node->count && !query->contacts->cut_short; i++) {
      if (query->crossed) intersect_surface_triangle(query->contacts, node->first + i);
      else intersect_mesh_triangle(query, node->first + i);
    }
    if (node->count > 0) continue;
    assert(top + 2 <= CT_MESH_DEPTH_MAX + 2);
    stack[top++] = node->first + 1;
    stack[top++] = node->first;
  }
}

static int order_feature_numbers(uint32_t p, uint32_t q) { return (p > q) - (p < q); }

static int order_point_features(const ct_contact_point *p, const ct_contact_point *q) {
  int order = order_feature_numbers(p->a.kind, q->a.kind);
  if (order == 0) order = order_feature_numbers(p->a.index, q->a.index);
  if (order == 0) order = order_feature_numbers(p->b.kind, q->b.kind);
  return order ? order : order_feature_numbers(p->b.index, q->b.index);
}

static int order_points_by_rank(const void *first, const void *second) {
  const ct_contact_point *p = first, *q = second;
  int order = order_point_features(p, q);
  if (order == 0) order = order_feature_numbers(p->number, q->number);
  if (order == 0) order = order_feature_numbers(p->patch, q->patch);
  return order ? order : (p->distance > q->distance) - (p->distance < q->distance);
}

static double compute_facing(const mesh_query *query, const ct_contact_point *p) {
  return -ct_dot(compute_placed_normal(query, p->patch), p->normal);
}

/* Finds the same point among the points from `from` on; numbers of equal features depend on the
 * order of a triangle's sides. */
static ct_contact_point *find_same_point(const mesh_query *query, uint32_t from, uint32_t retained,
                                         const ct_contact_point *p) {
  const ct_contacts *c = query->contacts;
  for (uint32_t i = from; i < retained; i++) {
    ct_contact_point *q = &c->memory->points[i];
    if (q->number == p->number || ct_norm(ct_sub(q->point_a, p->point_a)) <= 2.0 * c->tie) return q;
  }
  return NULL;
}

/* Keeps one point per pair of features, on the triangle that faces the body most. */
static void merge_equal_points(mesh_query *query) {
  ct_manifold_scratch *m = query->contacts->memory;
  uint32_t retained = 0, from = 0;
  if (m->count > 0) qsort(m->points, m->count, sizeof *m->points, order_points_by_rank);
  for (uint32_t i = 0; i < m->count; i++) {
    ct_contact_point p = m->points[i], *same;
    if (retained > 0 && order_point_features(&m->points[retained - 1], &p) != 0) from = retained;
    same = find_same_point(query, from, retained, &p);
    if (!same) {
      m->points[retained++] = p;
    } else if (compute_facing(query, &p) > compute_facing(query, same)) {
      p.number = same->number;
      *same = p;
    }
  }
  m->count = retained;
}

/* Joins adjacent triangles in contact to patches, and numbers the patches. */
static void group_triangle_patches(mesh_query *query) {
  ct_manifold_scratch *m = query->contacts->memory;
  const ct_mesh_view *mesh = query->mesh;
  for (uint32_t i = 0; i < mesh->live_count; i++) {
    for (int k = 0; k < 3 && m->root[i] != CT_NO_GROUP; k++) {
      uint32_t other = mesh->across[i][k];
      if (other == CT_NO_TRIANGLE || other < i || m->root[other] == CT_NO_GROUP) continue;
      if (ct_dot(compute_placed_normal(query, i), compute_placed_normal(query, other)) >=
          CT_PATCH_COSINE_MIN)
        ct_groups_join(m->root, i, other);
    }
  }
  number_patches(m, mesh->live_count);
}

void ct_contacts_mesh(ct_contacts *c) {
  const ct_mesh_view *mesh = ct_mesh_get(c->b.shape->mesh);
  mesh_query query = {.contacts = c,
                      .mesh = mesh,
                      .apart = c->distance > 0.0,
                      .crossed = c->distance <= 0.0 && !mesh->solid};
  assert(!ct_placed_is_mesh(c->a) && !ct_placed_is_half_space(c->a));
  query.radius = c->b.shape->rounding + c->b.shape->margin;
  query.side = (ct_mesh_contacts){.contacts = c, .slack = c->slack, .tie = c->tie};
  query.side.pair.relative = c->relative;
  query.side.mesh[1] = c->b.shape->mesh;
  query.side.view[1] = mesh;
  c->workspace->mesh.stopped = false;
  if (!ct_groups_open(c, mesh->live_count)) return;
  /* visit the triangles near the body, in the frame of the mesh */
  ct_frame back = {ct_mat_transpose(c->relative.rotation), {0.0, 0.0, 0.0}};
  back.position = ct_neg(ct_mat_mul(back.rotation, c->relative.position));
  ct_aabb box = ct_aabb_expand(ct_shape_aabb(c->a.shape, &back), c->reach + c->slack);
  ct_view view = c->view;
  visit_triangles_near(&query, &box);
  c->view = view;
  if (!query.crossed) merge_equal_points(&query);
  group_triangle_patches(&query);
}
