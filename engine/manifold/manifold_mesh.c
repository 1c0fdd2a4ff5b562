/* Contacts of meshes: triangle by triangle against a convex body, vertex by vertex over a half-space.
 *
 * Triangles in contact that share an edge and whose normals differ little are one patch of connected contact, as are vertices that
 * an edge joins. Pairs of meshes: manifold_meshes.c.
 */
#include "manifold/manifold_meshes.h"
#include "pair/pair_cell.h"
#include "pair/workspace.h"

#include <stdlib.h>

/* A triangle of a solid that faces the other body less than this, as a cosine, is not met along the pair's normal. */
#define FACING_MIN 0.1
/* The cosine of CT_LEAN_MAX. */
#define LEVEL_MIN 0.995
/* Steps of 100 ns that a triangle takes, for the flag. */
#define TRIANGLE_STEPS 16
/* Sine between a cap and a mesh below which it lies on that. */
#define FLAT_CAP 1e-3
/* Triangles around a vertex that are looked at: a guard for fans of broken meshes. */
#define FAN_MAX 4096
/* The mark of a group that has points. */
#define NUMBERED (CT_NO_GROUP - 1u)

/* ---- groups ---- */

bool ct_groups_open(ct_contacts *c, uint32_t count) {
  ct_manifold_scratch *m = c->memory;
  if (count > m->root_capacity) {
    uint32_t *root = realloc(m->root, count * sizeof *root);
    c->failed = c->failed || !root;
    if (!root) return false;
    m->root = root;
    m->root_capacity = count;
  }
  for (uint32_t i = 0; i < count; i++) m->root[i] = CT_NO_GROUP;
  return true;
}

uint32_t ct_groups_find(uint32_t *root, uint32_t i) {
  while (root[i] != i) {
    root[i] = root[root[i]];
    i = root[i];
  }
  return i;
}

void ct_groups_join(uint32_t *root, uint32_t i, uint32_t k) {
  i = ct_groups_find(root, i);
  k = ct_groups_find(root, k);
  if (i < k) root[k] = i;
  else root[i] = k;
}

/* From members to the number of their group among those that have points, in the order of the groups' lowest members. */
static void number_groups(ct_manifold_scratch *m, uint32_t count) {
  uint32_t *root = m->root, next = 0;
  for (uint32_t i = 0; i < count; i++)
    if (root[i] != CT_NO_GROUP) root[i] = ct_groups_find(root, i);
  for (uint32_t i = 0; i < m->count; i++) m->points[i].patch = root[m->points[i].patch];
  for (uint32_t i = 0; i < m->count; i++) root[m->points[i].patch] = NUMBERED;
  for (uint32_t i = 0; i < count; i++)
    if (root[i] == NUMBERED) root[i] = next++;
  for (uint32_t i = 0; i < m->count; i++) m->points[i].patch = root[m->points[i].patch];
}

/* ---- over a half-space ---- */

void ct_contacts_mesh_plane(ct_contacts *c) {
  const ct_mesh_view *mesh = ct_mesh_get(c->a.shape->mesh);
  ct_manifold_scratch *m = c->memory;
  ct_vec3 down = c->view.normal;
  double level = ct_dot(down, c->relative.position), radius = c->a.shape->rounding + c->a.shape->margin;
  if (!ct_groups_open(c, mesh->vertex_count)) return;
  for (uint32_t i = 0; i < mesh->point_count && !c->failed; i++) {
    uint32_t vertex = mesh->points[i], before = m->count;
    ct_vec3 at = ct_add_scaled(mesh->vertices[vertex], down, radius);
    ct_contact_candidate meeting = {
        .a = {CT_FEATURE_VERTEX, vertex}, .b = {CT_FEATURE_FACE, 0}, .at = at, .distance = level - ct_dot(down, at)};
    ct_contacts_add(c, &meeting);
    if (m->count == before) continue;
    m->points[before].patch = vertex;
    m->root[vertex] = vertex;
  }
  for (uint32_t i = 0; i < mesh->live_count; i++) {
    for (int k = 0; k < 3; k++) {
      uint32_t v = mesh->corners[i][k], w = mesh->corners[i][(k + 1) % 3];
      if (m->root[v] != CT_NO_GROUP && m->root[w] != CT_NO_GROUP) ct_groups_join(m->root, v, w);
    }
  }
  number_groups(m, mesh->vertex_count);
}

/* ---- against a convex body ---- */

typedef struct mesh_run {
  ct_contacts *contacts;
  const ct_mesh_view *mesh;
  ct_mesh_contacts at; /* the mesh as one of two: its second */
  double radius;  /* of the mesh's rounding and margin */
  bool apart;
  bool crossed; /* a surface that passes through the body, or lies in it */
} mesh_run;

static ct_vec3 corner_of(const mesh_run *run, uint32_t position, int k) {
  return ct_to_parent(run->contacts->relative, run->mesh->vertices[run->mesh->corners[position][k]]);
}

static ct_vec3 normal_of(const mesh_run *run, uint32_t position) {
  ct_vec3 a = corner_of(run, position, 0);
  ct_vec3 n = ct_cross(ct_sub(corner_of(run, position, 1), a), ct_sub(corner_of(run, position, 2), a));
  return ct_unit_or(n, ct_vec(0.0, 0.0, 1.0));
}

/* By how much the normal may lean, as a sine: the points it goes through are a tie off at most, and the distance of the cores
 * apart.
 */
static double lean_of(const mesh_run *run, double distance) {
  double apart = ct_max2(distance, 0.0) + ct_min2(run->contacts->core_a.radius[0], run->contacts->core_a.radius[1]) + run->radius;
  return CT_DIRECTION_TIE + ct_min2(run->contacts->tie / apart, CT_LEAN_MAX);
}

/* The part of a face that a point is on, with its number in the face; none: `otherwise`. */
static ct_feature place_of(const ct_mesh_face *face, ct_vec3 point, ct_feature otherwise) {
  const ct_vec3 *v = face->t.v;
  double tie = face->tie;
  for (uint32_t k = 0; k < 3; k++)
    if (ct_norm(ct_sub(point, v[k])) <= tie) return (ct_feature){CT_FEATURE_VERTEX, k};
  for (uint32_t k = 0; k < 3; k++) {
    ct_vec3 d = ct_sub(v[k == 2 ? 0 : k + 1], v[k]);
    if (ct_norm(ct_cross(d, ct_sub(point, v[k]))) <= tie * ct_norm(d)) return (ct_feature){CT_FEATURE_EDGE, k};
  }
  return otherwise;
}

/* Is a point between the ends of a capsule's line, or of the line along a frustum's side? */
static bool is_on_line(const ct_contacts *c, const ct_contact_point *p) {
  return (c->core_a.kind == CT_PROXY_SEGMENT && p->a.kind == CT_FEATURE_EDGE) ||
         (c->core_a.kind == CT_PROXY_FRUSTUM && p->a.kind == CT_FEATURE_SMOOTH);
}

/* What a point is on, of a line: its end where it falls on that. */
static ct_feature place_on_line(const ct_contacts *c, const ct_contact_point *p) {
  const ct_convex_proxy *proxy = &c->core_a;
  bool segment = proxy->kind == CT_PROXY_SEGMENT;
  if (!is_on_line(c, p)) return p->a;
  double half = ct_norm(proxy->axis[2]);
  double along = half > 0.0 ? ct_dot(proxy->axis[2], ct_sub(p->point_a, proxy->center)) / half : 0.0;
  for (uint32_t top = 0; top < 2; top++) {
    ct_vec3 end = ct_add_scaled(proxy->center, proxy->axis[2], top ? 1.0 : -1.0);
    double radius = segment ? proxy->radius[top] : proxy->radius[0];
    double at = ct_dot(proxy->axis[2], ct_sub(ct_add_scaled(end, p->normal, radius), proxy->center)) / ct_max2(half, c->tie);
    if (fabs(along - at) > c->tie) continue;
    if (segment) return (ct_feature){CT_FEATURE_VERTEX, top};
    return proxy->rim[top] > 0.0 ? (ct_feature){CT_FEATURE_EDGE, top} : (ct_feature){CT_FEATURE_VERTEX, 0};
  }
  return p->a;
}

/* An edge enters a rim, 0, or leaves it, 1, from its vertex of the lower number, whichever triangle has found that. False: it is a
 * tangent of a cap that lies on the mesh, as in manifold_cap.c. */
static bool cross_rim(const ct_contacts *c, const ct_mesh_edge *e, ct_vec3 foot, ct_contact_point *p) {
  const ct_convex_proxy *proxy = &c->core_a;
  double along = ct_dot(ct_unit_or(ct_sub(e->q, e->p), p->normal), ct_sub(foot, proxy->center));
  ct_vec3 axis = ct_unit_or(proxy->axis[2], ct_vec(0.0, 0.0, 1.0));
  bool flat = ct_norm(ct_cross(axis, p->normal)) <= FLAT_CAP;
  p->number = along > 0.0;
  return !flat || along * along > 2.0 * c->tie * proxy->rim[p->a.index];
}

/* From the feature of the triangle that a point is on to that of the mesh. False: the mesh is not met there. Edges and corners
 * amid flat faces and straight edges are where those were cut, and edges of the body do not meet them. Apart, a feature is met
 * where the mesh ends along the normal. */
static bool in_mesh(const mesh_run *run, const ct_mesh_face *face, ct_contact_point *p) {
  const ct_mesh_contacts *t = &run->at;
  const ct_feature found = p->a;
  p->a = place_on_line(run->contacts, p);
  const bool end_of_line = p->a.kind != found.kind;
  const bool line = is_on_line(run->contacts, p), whole = line || p->a.kind == CT_FEATURE_EDGE || p->a.kind == CT_FEATURE_FACE;
  ct_vec3 way = ct_neg(p->normal), foot = ct_add_scaled(p->point_b, p->normal, run->radius);
  double facing = ct_dot(way, face->normal), lean = lean_of(run, p->distance);
  if (!run->mesh->solid) facing = fabs(facing);
  if (run->apart && facing < FACING_MIN && p->b.kind == CT_FEATURE_FACE) return false;
  /* Points amid faces that lie on each other are not where the mesh ends, but for their lean. */
  if (whole && facing >= LEVEL_MIN) lean = CT_LEAN_MAX;
  if (whole && p->b.kind == CT_FEATURE_FACE) {
    /* Where a cap passes a side by less than a tie there is no crossing, and the place of its point is off by as much again. */
    ct_mesh_face wide = *face;
    wide.tie *= 2.0;
    bool amid = place_of(&wide, foot, p->b).kind == CT_FEATURE_FACE;
    p->b = ct_face_feature(t, face, foot);
    /* Beside the two places where an edge crosses a rim, 0 and 1. */
    if (p->b.kind == CT_FEATURE_EDGE && !end_of_line) p->number += 2;
    /* A face or a line that only touches one of several triangles in its plane has its points over the others. */
    return amid || !(line || p->a.kind == CT_FEATURE_FACE);
  }
  ct_feature place = place_of(face, foot, p->b);
  const int k = (int)place.index;
  if (place.kind == CT_FEATURE_VERTEX) {
    p->b = (ct_feature){CT_FEATURE_VERTEX, run->mesh->corners[face->position][k]};
    return !(whole && !ct_is_corner(t, face, k)) && (!run->apart || ct_vertex_ends(t, face, k, way, lean));
  }
  if (place.kind == CT_FEATURE_EDGE) {
    ct_mesh_edge e = ct_mesh_contacts_edge(t, face, k);
    p->b = e.feature;
    if (p->a.kind == CT_FEATURE_EDGE && run->contacts->core_a.kind == CT_PROXY_FRUSTUM && !end_of_line &&
        !cross_rim(run->contacts, &e, foot, p))
      return false;
    if (p->a.kind == CT_FEATURE_FACE) return false;
    return !(whole && e.flat) && (!run->apart || ct_edge_ends(&e, foot, way, t->slack, lean));
  }
  if (place.kind == CT_FEATURE_FACE) p->b.index = run->mesh->order[face->position];
  return true;
}

static void mark_met(const mesh_run *run, uint32_t position) {
  uint32_t *root = run->contacts->memory->root;
  if (position != CT_NO_TRIANGLE && root[position] == CT_NO_GROUP) root[position] = position;
}

/* A point on an edge or a corner is on all triangles there: whichever of these has it, patches hang together. */
static void mark_around(const mesh_run *run, const ct_mesh_face *face, const ct_contact_point *p) {
  const ct_mesh_view *mesh = run->mesh;
  ct_feature place = place_of(face, ct_add_scaled(p->point_b, p->normal, run->radius), (ct_feature){CT_FEATURE_FACE, 0});
  mark_met(run, face->position);
  if (place.kind == CT_FEATURE_EDGE) mark_met(run, mesh->across[face->position][place.index]);
  if (place.kind != CT_FEATURE_VERTEX) return;
  uint32_t vertex = mesh->corners[face->position][place.index];
  for (uint32_t turn = 0; turn < 2; turn++) {
    uint32_t at = face->position;
    for (int step = 0; step < FAN_MAX && at != CT_NO_TRIANGLE; step++) {
      uint32_t k = 0;
      while (k < 2 && mesh->corners[at][k] != vertex) k++;
      at = mesh->across[at][turn ? (k + 2) % 3 : k];
      if (at == face->position) return;
      mark_met(run, at);
    }
  }
}

/* The points of one triangle along the view. Those deeper than the pair are of other features that the pair has not chosen. */
static void take_points(mesh_run *run, uint32_t position, uint32_t before) {
  ct_contacts *c = run->contacts;
  ct_manifold_scratch *m = c->memory;
  ct_mesh_face face = ct_mesh_contacts_face(&run->at, 1, position);
  uint32_t kept = before;
  for (uint32_t i = before; i < m->count; i++) {
    ct_contact_point p = m->points[i];
    if (p.distance < c->distance - c->tie) continue;
    /* What lies between points belongs to their patch. */
    mark_around(run, &face, &p);
    if (!in_mesh(run, &face, &p)) continue;
    p.patch = position;
    m->points[kept++] = p;
  }
  m->count = kept;
}

static void meet_apart(mesh_run *run, uint32_t position) {
  ct_contacts *c = run->contacts;
  ct_cell_input input = {.shape_a = c->a.shape,
                         .shape_b = c->b.shape,
                         .a = c->core_a,
                         .b = c->core_b,
                         .relative = c->relative,
                         .threshold = c->reach,
                         .workspace = c->workspace};
  ct_cell_result r = {.status = CT_PAIR_OK};
  ct_cell_convex_convex(&input, &r);
  if (!(r.distance <= c->reach) || !(r.distance > 0.0)) return;
  uint32_t before = c->memory->count;
  double of_pair = c->distance;
  c->view = ct_view_along(ct_unit_or(r.normal, c->view.normal));
  c->distance = r.distance;
  ct_contacts_intersect_faces(c);
  /* A face beside a rounded one, lower where that curves away: of sides that run along each other the ends. */
  bool edges = c->core_a.kind == CT_PROXY_BOX || c->core_a.kind == CT_PROXY_HULL;
  if (edges && c->memory->count == before && -ct_dot(normal_of(run, position), c->view.normal) >= LEVEL_MIN)
    ct_contacts_intersect_edges(c);
  ct_contacts_own(c, before, &(ct_contact_candidate){.at = r.point_a, .distance = r.distance});
  c->distance = of_pair;
  take_points(run, position, before);
}

static void meet_triangle(mesh_run *run, uint32_t position) {
  ct_contacts *c = run->contacts;
  c->cut_short = c->cut_short || ct_mesh_is_cancelled(&c->workspace->mesh, TRIANGLE_STEPS);
  ct_vec3 corner[3] = {corner_of(run, position, 0), corner_of(run, position, 1), corner_of(run, position, 2)};
  c->core_b = ct_proxy_triangle(corner, c->core_a.extent);
  c->core_b.radius[0] = c->core_b.radius[1] = run->radius;
  if (run->apart) {
    meet_apart(run, position);
    return;
  }
  if (ct_dot(normal_of(run, position), c->view.normal) > -FACING_MIN) return;
  uint32_t before = c->memory->count;
  ct_contacts_intersect_faces(c);
  take_points(run, position, before);
}

static ct_aabb grown(const ct_mesh_node *node, double by) { return ct_aabb_expand(node->box, by); }

/* Every triangle whose box is within reach of the body's. */
static void visit_near(mesh_run *run, const ct_aabb *box) {
  const ct_mesh_view *mesh = run->mesh;
  uint32_t stack[CT_MESH_DEPTH_MAX + 2], top = 0;
  stack[top++] = 0;
  while (top > 0 && !run->contacts->failed && !run->contacts->cut_short) {
    const ct_mesh_node *node = &mesh->nodes[stack[--top]];
    ct_aabb node_box = grown(node, run->radius);
    if (!ct_aabb_overlap(box, &node_box)) continue;
    for (uint32_t i = 0; i < node->count && !run->contacts->cut_short; i++) {
      if (run->crossed) ct_contacts_pierce(run->contacts, node->first + i);
      else meet_triangle(run, node->first + i);
    }
    if (node->count > 0) continue;
    stack[top++] = node->first + 1;
    stack[top++] = node->first;
  }
}

static int by_number(uint32_t p, uint32_t q) { return (p > q) - (p < q); }

static int by_features(const ct_contact_point *p, const ct_contact_point *q) {
  int order = by_number(p->a.kind, q->a.kind);
  if (order == 0) order = by_number(p->a.index, q->a.index);
  if (order == 0) order = by_number(p->b.kind, q->b.kind);
  return order ? order : by_number(p->b.index, q->b.index);
}

static int by_rank(const void *first, const void *second) {
  const ct_contact_point *p = first, *q = second;
  int order = by_features(p, q);
  if (order == 0) order = by_number(p->number, q->number);
  if (order == 0) order = by_number(p->patch, q->patch);
  return order ? order : (p->distance > q->distance) - (p->distance < q->distance);
}

static double facing_of(const mesh_run *run, const ct_contact_point *p) { return -ct_dot(normal_of(run, p->patch), p->normal); }

/* Of the points kept from `from` on the one that is the same: several of two features go by the turn of a triangle's sides. */
static ct_contact_point *same_point(const mesh_run *run, uint32_t from, uint32_t kept, const ct_contact_point *p) {
  const ct_contacts *c = run->contacts;
  for (uint32_t i = from; i < kept; i++) {
    ct_contact_point *q = &c->memory->points[i];
    if (q->number == p->number || ct_norm(ct_sub(q->point_a, p->point_a)) <= 2.0 * c->tie) return q;
  }
  return NULL;
}

/* Each meeting of two features once, whichever triangles found it: on the one that faces the body most. */
static void take_once(mesh_run *run) {
  ct_manifold_scratch *m = run->contacts->memory;
  uint32_t kept = 0, from = 0;
  if (m->count > 0) qsort(m->points, m->count, sizeof *m->points, by_rank);
  for (uint32_t i = 0; i < m->count; i++) {
    ct_contact_point p = m->points[i], *same;
    if (kept > 0 && by_features(&m->points[kept - 1], &p) != 0) from = kept;
    same = same_point(run, from, kept, &p);
    if (!same) {
      m->points[kept++] = p;
    } else if (facing_of(run, &p) > facing_of(run, same)) {
      p.number = same->number;
      *same = p;
    }
  }
  m->count = kept;
}

/* Patches: triangles side by side. */
static void group_patches(mesh_run *run) {
  ct_manifold_scratch *m = run->contacts->memory;
  const ct_mesh_view *mesh = run->mesh;
  for (uint32_t i = 0; i < mesh->live_count; i++) {
    for (int k = 0; k < 3 && m->root[i] != CT_NO_GROUP; k++) {
      uint32_t other = mesh->across[i][k];
      if (other == CT_NO_TRIANGLE || other < i || m->root[other] == CT_NO_GROUP) continue;
      if (ct_dot(normal_of(run, i), normal_of(run, other)) >= CT_PATCH_COSINE_MIN) ct_groups_join(m->root, i, other);
    }
  }
  number_groups(m, mesh->live_count);
}

void ct_contacts_mesh(ct_contacts *c) {
  const ct_mesh_view *mesh = ct_mesh_get(c->b.shape->mesh);
  mesh_run run = {.contacts = c, .mesh = mesh, .apart = c->distance > 0.0, .crossed = c->distance <= 0.0 && !mesh->solid};
  run.radius = c->b.shape->rounding + c->b.shape->margin;
  run.at = (ct_mesh_contacts){.contacts = c, .slack = c->slack, .tie = c->tie};
  run.at.pair.relative = c->relative;
  run.at.mesh[1] = c->b.shape->mesh;
  run.at.view[1] = mesh;
  c->workspace->mesh.stopped = false;
  if (!ct_groups_open(c, mesh->live_count)) return;
  ct_frame back = {ct_mat_transpose(c->relative.rotation), {0.0, 0.0, 0.0}};
  back.position = ct_neg(ct_mat_mul(back.rotation, c->relative.position));
  ct_aabb box = ct_aabb_expand(ct_shape_aabb(c->a.shape, &back), c->reach + c->slack);
  ct_view view = c->view;
  visit_near(&run, &box);
  c->view = view;
  if (!run.crossed) take_once(&run);
  group_patches(&run);
}
