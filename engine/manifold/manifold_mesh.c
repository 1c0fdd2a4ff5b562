/* Contact points of a mesh against a convex body, triangle by triangle, and over a half-space,
 * vertex by vertex.
 *
 * Triangles in contact that share an edge and have similar normals form one patch, as do vertices
 * joined by an edge (disjoint sets). Edges and vertices inside a flat part of the mesh give no
 * points, so results do not depend on the triangulation, as with the internal-edge filters of game
 * engines. Each pair of features gives one point. Cost: a traversal of the bounding volume
 * hierarchy, and one manifold per triangle within reach. Pairs of meshes: manifold_meshes.c.
 *
 * If the mesh is an open surface that intersects the body, the points are corners of the
 * intersection curves: points where edges of the surface enter and leave the body (ray casts), and
 * where edges of a polytope intersect triangles of the surface. All have the pair's distance; their
 * normal is that of the triangle, away from the middle of the body. Limit: POINTS_MAX points of one
 * pair. */
#include "manifold/manifold.h"
#include "manifold/manifold_meshes.h"
#include "pair/pair_cell.h"
#include "pair/workspace.h"
#include "triangle/triangle_distance.h"
#include <contact/ray.h>

#include <assert.h>
#include <stdlib.h>

/* Least cosine between the normal of a solid's triangle and the direction to the other body; other
 * triangles are skipped. */
#define FACING_MIN 0.1
/* Least cosine between a triangle's normal and the normal for flat contact: that of the angle with
 * sine CT_LEAN_MAX. */
#define LEVEL_MIN 0.995
/* Cost of one triangle in steps of 100 ns, for polling the cancel flag. */
#define TRIANGLE_STEPS 16
/* Greatest sine of the angle between the axis of a cap and the normal in flat contact. */
#define FLAT_CAP 1e-3
/* Greatest number of triangles visited around a vertex, in case the mesh is not a manifold. */
#define FAN_MAX 4096
/* Entry of memory->root that marks a set with points. */
#define NUMBERED (CT_NO_GROUP - 1u)

/* ---- patches -------------------------------------------------------------------------------- */

/* Replaces the patch of each point, which is a member of a set, by the number of the set. Only sets
 * with points are counted, in the order of their lowest members. */
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
  /* Vertices joined by an edge are in the same patch. */
  for (uint32_t i = 0; i < mesh->live_count; i++) {
    for (int k = 0; k < 3; k++) {
      uint32_t v = mesh->corners[i][k], w = mesh->corners[i][(k + 1) % 3];
      if (m->root[v] != CT_NO_GROUP && m->root[w] != CT_NO_GROUP) ct_groups_join(m->root, v, w);
    }
  }
  number_patches(m, mesh->vertex_count);
}

/* ---- open surface that intersects the body -------------------------------------------------- */

/* Greatest number of points of one pair. */
#define POINTS_MAX 65536u
/* Cost of one surface triangle in steps of 100 ns, for polling the cancel flag. */
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

/* Adds the points where edge k of a surface triangle enters and leaves the body. The edge is
 * directed from its vertex of lower index; of two adjacent triangles only the first tests it. */
static void intersect_surface_edge(ct_contacts *c, const ct_mesh_view *mesh, uint32_t position,
                                   int k) {
  const uint32_t *corner = mesh->corners[position];
  uint32_t v = corner[k], w = corner[(k + 1) % 3], other = mesh->across[position][k],
           number = 3 * mesh->order[position] + (uint32_t)k;
  if (other != CT_NO_TRIANGLE && other < position) return;
  /* The number of the edge is the lower of its numbers in the two triangles. */
  for (uint32_t i = 0; other != CT_NO_TRIANGLE && i < 3; i++)
    if (mesh->corners[other][i] == w && mesh->corners[other][(i + 1) % 3] == v &&
        3 * mesh->order[other] + i < number)
      number = 3 * mesh->order[other] + i;
  ct_vec3 p = get_placed_vertex(c, mesh, v < w ? v : w),
          q = get_placed_vertex(c, mesh, v < w ? w : v), d = ct_sub(q, p);
  const ct_ray ray = {p, d, ct_norm(d)};
  if (!(ray.reach > 0.0)) return;
  /* A ray along the edge enters a convex body at most once and leaves it at most once. */
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

/* Adds the point where an edge of a polytope intersects a triangle of the surface. `number`: number
 * of the edge. */
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
  /* A box has four edges along each axis. */
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

/* Returns the triangle's normal that points away from the middle of the body, so that most of the
 * body is behind it. */
static ct_vec3 find_outward_normal(const ct_contacts *c, const ct_triangle *t) {
  ct_vec3 n = ct_unit_or(ct_triangle_cross(t), c->view.normal);
  return ct_dot(n, ct_sub(t->v[0], c->core_a.middle)) < 0.0 ? ct_neg(n) : n;
}

/* Adds the points where a surface triangle and its edges intersect the body, and sets the view's
 * normal to that of the triangle. */
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
  ct_mesh_contacts side; /* the mesh as the second of two meshes, for functions of
                            manifold_meshes.h */
  double radius;         /* rounding radius plus margin of the mesh, m */
  bool apart;
  bool crossed; /* the mesh is an open surface that intersects the body */
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

/* Returns the greatest inclination, as a sine, up to which the mesh ends along the normal: the two
 * points that define the normal are accurate to a tie, divided by their distance, rounding radii
 * included. */
static double compute_lean_limit(const mesh_query *query, double distance) {
  double apart = ct_max2(distance, 0.0) +
                 ct_min2(query->contacts->core_a.radius[0], query->contacts->core_a.radius[1]) +
                 query->radius;
  return CT_DIRECTION_TIE + ct_min2(query->contacts->tie / apart, CT_LEAN_MAX);
}

/* Returns the vertex or edge of a face that contains the point, with its index in the face (0 to
 * 2); `otherwise` if neither does. */
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

/* True if the point is on the side line of a capsule, or of a frustum. */
static bool is_on_core_line(const ct_contacts *c, const ct_contact_point *p) {
  return (c->core_a.kind == CT_PROXY_SEGMENT && p->a.kind == CT_FEATURE_EDGE) ||
         (c->core_a.kind == CT_PROXY_FRUSTUM && p->a.kind == CT_FEATURE_SMOOTH);
}

/* Returns the body's feature of a contact point; for a point on a side line, the end of the line (a
 * vertex or rim) if the point coincides with it. */
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

/* Sets the number of a point where an edge of the mesh crosses a rim: 0 where the edge enters, 1
 * where it leaves, as seen from its vertex of lower index, so that both adjacent triangles agree.
 * False: the edge is a tangent of a cap in flat contact, which has no point, as in
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

/* Replaces the feature of a triangle, as its supporting face has it, by the feature of the mesh.
 * False: the mesh has no contact there.
 *
 * Edges and vertices inside flat parts come from the triangulation; they have no contact with edges
 * and faces of the body. If the bodies are apart, the mesh must end at the feature along the
 * normal. */
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
  /* In flat contact a face may be inclined up to CT_LEAN_MAX. */
  if (whole && facing >= LEVEL_MIN) lean = CT_LEAN_MAX;
  if (whole && p->b.kind == CT_FEATURE_FACE) {
    /* A cap that crosses a side by less than a tie has no crossing there; its point is displaced by
     * up to the same distance, hence twice the tie. */
    ct_mesh_face wide = *face;
    wide.tie *= 2.0;
    bool amid = locate_on_face(&wide, foot, p->b).kind == CT_FEATURE_FACE;
    p->b = ct_face_feature(t, face, foot);
    /* Numbers 0 and 1 are for crossings of an edge with a rim. */
    if (p->b.kind == CT_FEATURE_EDGE && !end_of_line) p->number += 2;
    /* If a face or line of the body extends over several coplanar triangles, its points are over
     * the interior of one of them; a point on this triangle's border is dropped. */
    return amid || !(line || p->a.kind == CT_FEATURE_FACE);
  }
  /* A vertex or edge of the mesh, else the face itself. */
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

/* Marks all triangles that contain the point as in contact, so that patches stay connected
 * whichever triangle has the point. */
static void mark_incident_triangles(const mesh_query *query, const ct_mesh_face *face,
                                    const ct_contact_point *p) {
  const ct_mesh_view *mesh = query->mesh;
  ct_feature place = locate_on_face(face, ct_add_scaled(p->point_b, p->normal, query->radius),
                                    (ct_feature){CT_FEATURE_FACE, 0});
  mark_contact_triangle(query, face->position);
  if (place.kind == CT_FEATURE_EDGE)
    mark_contact_triangle(query, mesh->across[face->position][place.index]);
  if (place.kind != CT_FEATURE_VERTEX) return;
  /* For a vertex, traverse the triangles around it in both directions. */
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

/* Removes those points from index `before` on, all of one triangle, that are no contacts of the
 * mesh, and completes the others. Points deeper than the pair belong to features that the distance
 * query has not chosen. */
static void filter_triangle_points(mesh_query *query, uint32_t position, uint32_t before) {
  ct_contacts *c = query->contacts;
  ct_manifold_scratch *m = c->memory;
  ct_mesh_face face = ct_mesh_contacts_face(&query->side, 1, position);
  uint32_t retained = before;
  assert(before <= m->count);
  for (uint32_t i = before; i < m->count; i++) {
    ct_contact_point p = m->points[i];
    if (p.distance < c->distance - c->tie) continue;
    /* Mark before filtering: points that are dropped connect patches too. */
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
  /* Distance and normal of this triangle. */
  ct_cell_result r = {.status = CT_PAIR_OK};
  ct_cell_convex_convex(&input, &r);
  if (!(r.distance <= c->reach) || !(r.distance > 0.0)) return;
  uint32_t before = c->memory->count;
  double pair_distance = c->distance;
  /* Find the points along the triangle's own normal. */
  c->view = ct_view_along(ct_unit_or(r.normal, c->view.normal));
  c->distance = r.distance;
  ct_contacts_intersect_faces(c);
  /* No point was found on a triangle perpendicular to the normal, as beside a rounded edge where
   * the surface curves away: use the ends of the common part of parallel edges. */
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

/* Processes each triangle in a leaf whose AABB is within reach of the body's AABB. */
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

/* Returns the point that p repeats among those from index `from` on, which have the same features,
 * or NULL: one with the same number or at the same position. Numbers of equal features depend on
 * the order of a triangle's sides. */
static ct_contact_point *find_same_point(const mesh_query *query, uint32_t from, uint32_t retained,
                                         const ct_contact_point *p) {
  const ct_contacts *c = query->contacts;
  for (uint32_t i = from; i < retained; i++) {
    ct_contact_point *q = &c->memory->points[i];
    if (q->number == p->number || ct_norm(ct_sub(q->point_a, p->point_a)) <= 2.0 * c->tie) return q;
  }
  return NULL;
}

/* Keeps one point per pair of features: that of the triangle that faces the body most. */
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

/* Unites adjacent triangles in contact with similar normals to patches, and numbers the patches. */
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
  /* Process the triangles near the body, in the frame of the mesh. */
  ct_frame back = {ct_mat_transpose(c->relative.rotation), {0.0, 0.0, 0.0}};
  back.position = ct_neg(ct_mat_mul(back.rotation, c->relative.position));
  ct_aabb box = ct_aabb_expand(ct_shape_aabb(c->a.shape, &back), c->reach + c->slack);
  ct_view view = c->view;
  visit_triangles_near(&query, &box);
  c->view = view;
  if (!query.crossed) merge_equal_points(&query);
  group_triangle_patches(&query);
}
