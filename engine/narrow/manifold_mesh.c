/* Contacts of meshes: triangle by triangle against a convex body, vertex by vertex over a half-space.
 *
 * Triangles in contact that share an edge and whose normals differ little are one patch of connected contact, as are vertices that
 * an edge joins. Pairs of meshes: manifold_meshes.c.
 */
#include "narrow/manifold.h"
#include "narrow/matrix.h"
#include "narrow/workspace.h"

#include <stdlib.h>

/* A triangle of a solid that faces the other body less than this, as a cosine, is not met along the pair's normal. */
#define FACING_MIN 0.1
/* Steps of 100 ns that a triangle takes, for the flag. */
#define TRIANGLE_STEPS 16
/* The mark of a group's number. */
#define NUMBERED 0x80000000u

/* ---- groups ---- */

bool ct_groups_open(ct_contacts *c, uint32_t count) {
  ct_manifold_memory *m = c->memory;
  if (count > m->root_capacity) {
    uint32_t *root = realloc(m->root, count * sizeof *root);
    c->failed = c->failed || !root;
    if (!root) return false;
    m->root = root;
    m->root_capacity = count;
  }
  for (uint32_t i = 0; i < count; i++) m->root[i] = CT_NOT_MET;
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

/* From members to the number of their group, in the order of the groups' lowest members: those come first in the loop. */
static void number_groups(ct_manifold_memory *m, uint32_t count) {
  uint32_t *root = m->root, next = 0;
  for (uint32_t i = 0; i < count; i++)
    if (root[i] != CT_NOT_MET) root[i] = ct_groups_find(root, i);
  for (uint32_t i = 0; i < count; i++) {
    if (root[i] == CT_NOT_MET) continue;
    root[i] = root[i] == i ? NUMBERED | next++ : root[root[i]];
  }
  for (uint32_t i = 0; i < m->count; i++) m->points[i].patch = root[m->points[i].patch] & ~NUMBERED;
}

/* ---- over a half-space ---- */

void ct_contacts_mesh_plane(ct_contacts *c) {
  const ct_mesh_view *mesh = ct_mesh_get(c->a.shape->mesh);
  ct_manifold_memory *m = c->memory;
  ct_vec3 down = c->view.normal;
  double level = ct_dot(down, c->relative.position), radius = c->a.shape->rounding + c->a.shape->margin;
  if (!ct_groups_open(c, mesh->vertex_count)) return;
  for (uint32_t i = 0; i < mesh->point_count && !c->failed; i++) {
    uint32_t vertex = mesh->points[i], before = m->count;
    ct_vec3 at = ct_add_scaled(mesh->vertices[vertex], down, radius);
    ct_meeting meeting = {
        .a = {CT_FEATURE_VERTEX, vertex}, .b = {CT_FEATURE_FACE, 0}, .at = at, .distance = level - ct_dot(down, at)};
    ct_contacts_add(c, &meeting);
    if (m->count == before) continue;
    m->points[before].patch = vertex;
    m->root[vertex] = vertex;
  }
  for (uint32_t i = 0; i < mesh->live_count; i++) {
    for (int k = 0; k < 3; k++) {
      uint32_t v = mesh->corners[i][k], w = mesh->corners[i][(k + 1) % 3];
      if (m->root[v] != CT_NOT_MET && m->root[w] != CT_NOT_MET) ct_groups_join(m->root, v, w);
    }
  }
  number_groups(m, mesh->vertex_count);
}

/* ---- against a convex body ---- */

typedef struct mesh_run {
  ct_contacts *contacts;
  const ct_mesh_view *mesh;
  double radius; /* of the mesh's rounding and margin */
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

/* Numbers of the mesh for those of the triangle; an edge goes by the lower of the two triangles at it. */
static ct_feature in_mesh(const mesh_run *run, uint32_t position, ct_feature feature) {
  const ct_mesh_view *mesh = run->mesh;
  uint32_t k = feature.index, triangle = mesh->order[position];
  if (feature.kind == CT_FEATURE_FACE) return (ct_feature){CT_FEATURE_FACE, triangle};
  if (feature.kind == CT_FEATURE_VERTEX) return (ct_feature){CT_FEATURE_VERTEX, mesh->corners[position][k]};
  if (feature.kind != CT_FEATURE_EDGE) return feature;
  uint32_t edge = 3 * triangle + k, other = mesh->across[position][k];
  for (uint32_t i = 0; other != CT_NO_TRIANGLE && i < 3; i++)
    if (mesh->across[other][i] == position && mesh->corners[other][i] == mesh->corners[position][(k + 1) % 3] &&
        3 * mesh->order[other] + i < edge)
      edge = 3 * mesh->order[other] + i;
  return (ct_feature){CT_FEATURE_EDGE, edge};
}

/* The points of one triangle along the view. Those deeper than the pair are of other features that the pair has not chosen. */
static void take_points(mesh_run *run, uint32_t position, uint32_t before) {
  ct_contacts *c = run->contacts;
  ct_manifold_memory *m = c->memory;
  uint32_t kept = before;
  for (uint32_t i = before; i < m->count; i++) {
    ct_contact_point p = m->points[i];
    if (p.distance < c->distance - c->slack) continue;
    p.b = in_mesh(run, position, p.b);
    p.patch = position;
    m->points[kept++] = p;
  }
  m->count = kept;
  if (kept > before) m->root[position] = position;
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
  ct_cell_cores(&input, &r);
  if (!(r.distance <= c->reach) || !(r.distance > 0.0)) return;
  uint32_t before = c->memory->count;
  double of_pair = c->distance;
  c->view = ct_view_along(ct_unit_or(r.normal, c->view.normal));
  c->distance = r.distance;
  ct_contacts_meet(c);
  ct_contacts_own(c, before, &(ct_meeting){.at = r.point_a, .distance = r.distance});
  c->distance = of_pair;
  take_points(run, position, before);
}

static void meet_triangle(mesh_run *run, uint32_t position) {
  ct_contacts *c = run->contacts;
  c->cut_short = c->cut_short || ct_mesh_stopped(&c->workspace->mesh, TRIANGLE_STEPS);
  ct_vec3 corner[3] = {corner_of(run, position, 0), corner_of(run, position, 1), corner_of(run, position, 2)};
  c->core_b = ct_core_triangle(corner, c->core_a.extent);
  c->core_b.radius[0] = c->core_b.radius[1] = run->radius;
  if (run->apart) {
    meet_apart(run, position);
    return;
  }
  if (ct_dot(normal_of(run, position), c->view.normal) > -FACING_MIN) return;
  uint32_t before = c->memory->count;
  ct_contacts_meet(c);
  take_points(run, position, before);
}

static ct_box grown(const ct_mesh_node *node, double by) { return ct_box_grow(node->box, by); }

/* Every triangle whose box is within reach of the body's. */
static void visit_near(mesh_run *run, const ct_box *box) {
  const ct_mesh_view *mesh = run->mesh;
  uint32_t stack[CT_MESH_DEPTH_MAX + 2], top = 0;
  stack[top++] = 0;
  while (top > 0 && !run->contacts->failed && !run->contacts->cut_short) {
    const ct_mesh_node *node = &mesh->nodes[stack[--top]];
    ct_box node_box = grown(node, run->radius);
    if (!ct_box_overlap(box, &node_box)) continue;
    for (uint32_t i = 0; i < node->count && !run->contacts->cut_short; i++) {
      if (run->crossed) ct_contacts_pierce(run->contacts, node->first + i);
      else meet_triangle(run, node->first + i);
    }
    if (node->count > 0) continue;
    stack[top++] = node->first + 1;
    stack[top++] = node->first;
  }
}

/* Patches, and each meeting of two features once: the deepest. */
static void group_patches(mesh_run *run) {
  ct_manifold_memory *m = run->contacts->memory;
  const ct_mesh_view *mesh = run->mesh;
  for (uint32_t i = 0; i < mesh->live_count; i++) {
    for (int k = 0; k < 3 && m->root[i] != CT_NOT_MET; k++) {
      uint32_t other = mesh->across[i][k];
      if (other == CT_NO_TRIANGLE || other < i || m->root[other] == CT_NOT_MET) continue;
      if (ct_dot(normal_of(run, i), normal_of(run, other)) >= CT_PATCH_COSINE_MIN) ct_groups_join(m->root, i, other);
    }
  }
  number_groups(m, mesh->live_count);
}

void ct_contacts_mesh(ct_contacts *c) {
  const ct_mesh_view *mesh = ct_mesh_get(c->b.shape->mesh);
  mesh_run run = {c, mesh, c->b.shape->rounding + c->b.shape->margin, c->distance > 0.0, c->distance <= 0.0 && !mesh->solid};
  c->workspace->mesh.stopped = false;
  if (!ct_groups_open(c, mesh->live_count)) return;
  ct_frame back = {ct_mat_transpose(c->relative.rotation), {0.0, 0.0, 0.0}};
  back.position = ct_neg(ct_mat_mul(back.rotation, c->relative.position));
  ct_box box = ct_box_grow(ct_shape_box(c->a.shape, &back), c->reach + c->slack);
  ct_view view = c->view;
  visit_near(&run, &box);
  c->view = view;
  group_patches(&run);
}
