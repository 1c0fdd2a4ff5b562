/* Contact points of two meshes: triangle pairs within reach, vertices of a solid inside the other,
 * and intersections of surfaces.
 *
 * Triangle pairs come from a traversal of both bounding volume hierarchies. Points are found on the
 * bare meshes; rounding radii and margins are added with each contact. Deeply overlapping solids
 * are projected along the pair's normal and along the normals of inside vertices
 * (manifold_facing_surfaces.c). No point is deeper than the pair. */
#include "manifold/manifold_meshes.h"

#include "pair/workspace.h"
#include "shape/tapered_capsule.h"

#include <assert.h>

/* Number of slots of a direct-mapped cache of nearest points; the slot is the vertex index modulo
 * this. A vertex belongs to approximately six triangles, most of them in the same leaf. */
#define RECENT 64u

/* ---- pairs of triangles --------------------------------------------------------------------- */

/* Returns the normal from face[0]'s mesh to face[1]'s at an intersection of surfaces. If exactly
 * one mesh is an open surface: the surface's normal, on the side away from the solid's centroid;
 * else `otherwise`. */
static ct_vec3 find_crossing_normal(const ct_mesh_contacts *t, const ct_mesh_face face[2],
                                    ct_vec3 otherwise) {
  if (t->view[0]->solid == t->view[1]->solid) return otherwise;
  int surface = t->view[0]->solid ? 1 : 0;
  ct_vec3 n = face[surface].normal, middle = t->view[1 - surface]->centroid;
  if (!(ct_max_abs(n) > 0.0)) return otherwise;
  if (!surface) middle = ct_to_parent(t->pair.relative, middle);
  bool back = ct_dot(n, ct_sub(face[surface].t.v[0], middle)) < 0.0;
  return back == (surface == 1) ? ct_neg(n) : n;
}

static bool add_near_pair_contacts(void *context, const ct_near_triangles *near) {
  ct_mesh_contacts *t = context;
  ct_mesh_face face[2] = {ct_mesh_contacts_face(t, 0, near->position_a),
                          ct_mesh_contacts_face(t, 1, near->position_b)};
  const ct_mesh_face turned[2] = {face[1], face[0]};
  bool solids = t->view[0]->solid && t->view[1]->solid;
  double facing = ct_dot(face[0].normal, face[1].normal);
  if (near->gap.distance <= t->reach && (solids ? -facing : fabs(facing)) >= CT_PATCH_COSINE_MIN)
    ct_mesh_contacts_mark(t, face);
  ct_mesh_contacts_corners(t, face);
  ct_mesh_contacts_corners(t, turned);
  ct_mesh_contacts_edges(t, face);
  /* Intersecting surfaces: add the points where edges of either face pass through the other. */
  if (near->gap.distance == 0.0 && !solids) {
    ct_vec3 direction = find_crossing_normal(t, face, near->gap.normal);
    ct_mesh_contacts_crossings(t, face, direction);
    ct_mesh_contacts_crossings(t, turned, ct_neg(direction));
  }
  return !t->contacts->failed && !t->contacts->cut_short &&
         !ct_mesh_is_cancelled(t->pair.memory, 32);
}

static bool does_aabb_contain(const ct_aabb *box, const ct_aabb *part) {
  ct_aabb whole = ct_aabb_union(*box, *part);
  return ct_max_abs(ct_sub(whole.min, box->min)) == 0.0 &&
         ct_max_abs(ct_sub(whole.max, box->max)) == 0.0;
}

/* Returns the position in the leaves of a triangle, by searching the nodes whose AABB contains it;
 * 0 for CT_NO_TRIANGLE. */
static uint32_t find_leaf_position(const ct_mesh_view *view, uint32_t triangle) {
  if (triangle == CT_NO_TRIANGLE) return 0;
  const uint32_t *corner = view->triangles[triangle];
  ct_aabb box = {view->vertices[corner[0]], view->vertices[corner[0]]};
  for (int k = 1; k < 3; k++)
    box = ct_aabb_union(box, (ct_aabb){view->vertices[corner[k]], view->vertices[corner[k]]});
  uint32_t stack[CT_MESH_DEPTH_MAX + 2], top = 0;
  stack[top++] = 0;
  while (top > 0) {
    const ct_mesh_node *node = &view->nodes[stack[--top]];
    if (!does_aabb_contain(&node->box, &box)) continue;
    for (uint32_t i = node->first; i < node->first + node->count; i++)
      if (view->order[i] == triangle) return i;
    if (node->count > 0) continue;
    assert(top + 2 <= CT_MESH_DEPTH_MAX + 2);
    stack[top++] = node->first + 1;
    stack[top++] = node->first;
  }
  return 0;
}

/* ---- vertices inside ------------------------------------------------------------------------ */

typedef struct inside_search {
  ct_mesh_contacts *t;
  int which;               /* the mesh that the vertices belong to */
  uint32_t vertex[RECENT]; /* vertex index + 1 of each slot; 0: the slot is empty */
  ct_mesh_foot foot[RECENT];
  bool in[RECENT];
} inside_search;

static void add_inside_vertex(inside_search *x, uint32_t position, int k) {
  ct_mesh_contacts *t = x->t;
  const ct_mesh *solid = t->mesh[1 - x->which];
  uint32_t vertex = t->view[x->which]->corners[position][k], slot = vertex % RECENT;
  ct_vec3 v = ct_mesh_contacts_vertex(t, x->which, vertex);
  if (x->vertex[slot] != vertex + 1) {
    ct_vec3 there = x->which ? v : ct_to_local(t->pair.relative, v);
    x->vertex[slot] = vertex + 1;
    x->in[slot] =
        ct_mesh_contains(solid, there) && ct_mesh_nearest(solid, there, INFINITY, &x->foot[slot]);
  }
  /* Vertices on the surface are treated by the triangle pairs. */
  if (!x->in[slot] || x->foot[slot].distance <= t->tie ||
      ct_mesh_contacts_has_vertex(t, x->which, vertex))
    return;
  /* The contact is that with the nearest surface point. */
  const ct_mesh_foot *foot = &x->foot[slot];
  uint32_t at = find_leaf_position(t->view[1 - x->which], foot->triangle);
  ct_mesh_face face[2] = {ct_mesh_contacts_face(t, x->which, position),
                          ct_mesh_contacts_face(t, 1 - x->which, at)};
  ct_vec3 point = x->which ? foot->point : ct_to_parent(t->pair.relative, foot->point);
  ct_mesh_candidate candidate = {
      .feature = {{CT_FEATURE_VERTEX, vertex}, ct_face_feature(t, &face[1], point)},
      .point = {v, point},
      .normal = ct_unit_or(ct_sub(v, point), ct_neg(face[1].normal)),
      .distance = -foot->distance};
  if (ct_is_corner(t, &face[0], k)) ct_mesh_contacts_add(t, face, &candidate);
}

static void add_inside_vertices(ct_mesh_contacts *t, int which) {
  const ct_contacts *c = t->contacts;
  inside_search x = {.t = t, .which = which};
  const ct_mesh_view *view = t->view[which];
  /* Visit the leaves that intersect the AABB of the other mesh. */
  ct_frame back = {ct_mat_transpose(c->relative.rotation), {0.0, 0.0, 0.0}};
  back.position = ct_neg(ct_mat_mul(back.rotation, c->relative.position));
  ct_aabb box = ct_aabb_expand(
      which ? ct_shape_aabb(c->a.shape, &back) : ct_shape_aabb(c->b.shape, &c->relative), t->slack);
  uint32_t stack[CT_MESH_DEPTH_MAX + 2], top = 0;
  stack[top++] = 0;
  while (top > 0 && !c->failed && !c->cut_short && !ct_mesh_is_cancelled(t->pair.memory, 32)) {
    const ct_mesh_node *node = &view->nodes[stack[--top]];
    if (!ct_aabb_overlap(&box, &node->box)) continue;
    for (uint32_t i = 0; i < 3 * node->count; i++)
      add_inside_vertex(&x, node->first + i / 3, (int)(i % 3));
    if (node->count > 0) continue;
    assert(top + 2 <= CT_MESH_DEPTH_MAX + 2);
    stack[top++] = node->first + 1;
    stack[top++] = node->first;
  }
}

/* ---- the pair ------------------------------------------------------------------------------- */

/* Adds the contact of the witness points, on their triangles, unless another contact is as deep. */
static void add_witness_contact(ct_mesh_contacts *t) {
  const ct_contacts *c = t->contacts;
  ct_manifold_scratch *m = c->memory;
  for (uint32_t i = 0; i < m->contact_count; i++)
    if (m->contacts[i].point.distance <= c->distance + 2.0 * c->slack) return;
  ct_mesh_face face[2];
  for (int i = 0; i < 2; i++)
    face[i] = ct_mesh_contacts_face(t, i, find_leaf_position(t->view[i], c->own_triangle[i]));
  double bare_distance = c->distance + t->growth[0] + t->growth[1];
  ct_vec3 n = c->view.normal, at = ct_add_scaled(c->own_point, n, -t->growth[0]);
  ct_mesh_candidate candidate = {
      .point = {at, ct_add_scaled(at, n, bare_distance)}, .normal = n, .distance = bare_distance};
  for (int i = 0; i < 2; i++)
    candidate.feature[i] = ct_face_feature(t, &face[i], candidate.point[i]);
  ct_mesh_contacts_add(t, face, &candidate);
}

static void init_mesh_contacts(ct_contacts *c, ct_mesh_contacts *t) {
  *t = (ct_mesh_contacts){.contacts = c};
  ct_mesh_pair_open(&t->pair, c->a.shape->mesh, c->b.shape->mesh, &c->relative,
                    &c->workspace->mesh);
  t->pair.memory->stopped = false;
  t->mesh[0] = c->a.shape->mesh;
  t->mesh[1] = c->b.shape->mesh;
  t->view[0] = t->pair.a;
  t->view[1] = t->pair.b;
  t->growth[0] = ct_shape_growth(c->a.shape);
  t->growth[1] = ct_shape_growth(c->b.shape);
  double grown = t->growth[0] + t->growth[1];
  t->slack = c->slack;
  t->tie = c->tie;
  t->reach = c->reach + grown;
  t->distance_max = t->reach;
  t->distance_min = c->distance + grown - c->tie;
  t->overlap = t->view[0]->solid && t->view[1]->solid && c->distance + grown < -c->slack;
}

/* Finds the normal of the deepest contact whose direction differs clearly from all `count`
 * directions used. False: there is none. */
static bool find_next_direction(const ct_mesh_contacts *t, const ct_vec3 *along, int count,
                                ct_vec3 *next) {
  const ct_manifold_scratch *m = t->contacts->memory;
  double least = INFINITY;
  for (uint32_t i = 0; i < m->contact_count; i++) {
    const ct_contact_point *p = &m->contacts[i].point;
    bool near = !(p->distance < least);
    for (int k = 0; k < count && !near; k++)
      near = ct_dot(p->normal, along[k]) >= CT_PATCH_COSINE_MIN;
    if (near) continue;
    least = p->distance;
    *next = p->normal;
  }
  return least < INFINITY;
}

/* Adds the contacts of overlapping solids: along the pair's normal, of inside vertices, then along
 * further directions. */
static void add_overlap_contacts(ct_mesh_contacts *t) {
  ct_vec3 along[CT_FACING_DIRECTIONS_MAX] = {t->contacts->view.normal};
  ct_mesh_contacts_facing(t, along[0], 0);
  add_inside_vertices(t, 0);
  add_inside_vertices(t, 1);
  for (int k = 1; k < CT_FACING_DIRECTIONS_MAX && find_next_direction(t, along, k, &along[k]); k++)
    ct_mesh_contacts_facing(t, along[k], (uint32_t)k);
}

void ct_contacts_meshes(ct_contacts *c) {
  ct_mesh_contacts t;
  init_mesh_contacts(c, &t);
  c->memory->contact_count = 0;
  uint32_t members = t.view[0]->live_count + t.view[1]->live_count;
  if (!ct_groups_open(c, members + t.view[0]->vertex_count + t.view[1]->vertex_count)) return;
  if (t.overlap) add_overlap_contacts(&t);
  if (!c->failed && !c->cut_short) ct_mesh_pair_visit(&t.pair, t.reach, add_near_pair_contacts, &t);
  c->cut_short = c->cut_short || t.pair.memory->stopped;
  if (!c->cut_short) add_witness_contact(&t);
  ct_mesh_contacts_write_points(&t);
}
