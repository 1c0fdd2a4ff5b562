/* Contacts of two meshes: the list, removal of duplicates, and patches.
 *
 * Duplicates are removed by sorting by features. Patches are disjoint sets of marked triangles; a
 * point belongs to the patch of its two sets.
 */
#include "manifold/manifold_meshes.h"

#include <stdlib.h>

ct_vec3 ct_mesh_contacts_vertex(const ct_mesh_contacts *t, int which, uint32_t vertex) {
  ct_vec3 v = t->view[which]->vertices[vertex];
  return which ? ct_to_parent(t->pair.relative, v) : v;
}

ct_mesh_face ct_mesh_contacts_face(const ct_mesh_contacts *t, int which, uint32_t position) {
  ct_mesh_face f = {.which = which, .position = position};
  for (int k = 0; k < 3; k++)
    f.t.v[k] = ct_mesh_contacts_vertex(t, which, t->view[which]->corners[position][k]);
  f.normal = ct_unit_or(ct_triangle_cross(&f.t), ct_vec(0.0, 0.0, 0.0));
  double size =
      ct_max2(ct_max_abs(ct_sub(f.t.v[1], f.t.v[0])), ct_max_abs(ct_sub(f.t.v[2], f.t.v[0])));
  f.tie = ct_max2(ct_min2(t->tie, CT_CONTACT_TIE * size), t->slack);
  return f;
}

/* ---- the list ------------------------------------------------------------------------------- */

void ct_mesh_contacts_mark(ct_mesh_contacts *t, const ct_mesh_face face[2]) {
  uint32_t *root = t->contacts->memory->root;
  for (int i = 0; i < 2; i++) {
    uint32_t member = face[i].position + (face[i].which ? t->view[0]->live_count : 0);
    if (root[member] == CT_NO_GROUP) root[member] = member;
  }
}

static int compare_leaf_positions(uint32_t p, uint32_t q) { return (p > q) - (p < q); }

static int compare_feature(ct_feature p, ct_feature q) {
  return p.kind != q.kind ? (p.kind > q.kind) - (p.kind < q.kind)
                          : compare_leaf_positions(p.index, q.index);
}

static int compare_feature_pairs(const ct_mesh_contact *p, const ct_mesh_contact *q) {
  int order = compare_feature(p->point.a, q->point.a);
  return order ? order : compare_feature(p->point.b, q->point.b);
}

/* Order by features, then by triangle positions and distance. */
static int compare_contact_rank(const void *first, const void *second) {
  const ct_mesh_contact *p = first, *q = second;
  int order = compare_feature_pairs(p, q);
  if (order == 0) order = compare_leaf_positions(p->position[0], q->position[0]);
  if (order == 0) order = compare_leaf_positions(p->position[1], q->position[1]);
  return order ? order
               : (p->point.distance > q->point.distance) - (p->point.distance < q->point.distance);
}

/* Of contacts with the same features, the first on triangles that face each other most, within a
 * tie. */
static const ct_mesh_contact *find_most_facing(const ct_mesh_contact *contacts, uint32_t count) {
  double most = -INFINITY;
  for (uint32_t i = 0; i < count; i++) most = ct_max2(most, contacts[i].facing);
  uint32_t i = 0;
  while (contacts[i].facing < most - CT_DIRECTION_TIE) i++;
  return &contacts[i];
}

void ct_mesh_contacts_unique(ct_mesh_contacts *t) {
  ct_manifold_scratch *m = t->contacts->memory;
  uint32_t retained = 0;
  if (m->contact_count > 0)
    qsort(m->contacts, m->contact_count, sizeof *m->contacts, compare_contact_rank);
  for (uint32_t first = 0, end; first < m->contact_count; first = end) {
    for (end = first + 1; end < m->contact_count &&
                          compare_feature_pairs(&m->contacts[first], &m->contacts[end]) == 0;
         end++)
      continue;
    m->contacts[retained++] = *find_most_facing(&m->contacts[first], end - first);
  }
  m->contact_count = retained;
}

/* Order by distance, deepest first; ties by features. */
static int compare_contact_depth(const void *first, const void *second) {
  const ct_mesh_contact *p = first, *q = second;
  if (p->point.distance != q->point.distance) return p->point.distance < q->point.distance ? -1 : 1;
  return compare_feature_pairs(p, q);
}

/* Truncates the list to the deepest contacts and lowers the bound for later ones. */
static void truncate_to_deepest(ct_mesh_contacts *t) {
  ct_manifold_scratch *m = t->contacts->memory;
  ct_mesh_contacts_unique(t);
  if (m->contact_count <= CT_MESH_POINTS_MAX) return;
  qsort(m->contacts, m->contact_count, sizeof *m->contacts, compare_contact_depth);
  m->contact_count = CT_MESH_POINTS_MAX;
  t->distance_max = m->contacts[m->contact_count - 1].point.distance + t->growth[0] + t->growth[1];
  t->cut = true;
}

static bool reserve_contact(ct_mesh_contacts *t) {
  ct_contacts *c = t->contacts;
  ct_manifold_scratch *m = c->memory;
  if (m->contact_count == CT_CONTACT_POINTS_MAX) truncate_to_deepest(t);
  if (m->contact_count < m->contact_capacity) return true;
  uint32_t capacity = m->contact_capacity ? 2 * m->contact_capacity : 64;
  ct_mesh_contact *contacts = realloc(m->contacts, capacity * sizeof *contacts);
  c->failed = c->failed || !contacts;
  if (!contacts) return false;
  m->contacts = contacts;
  m->contact_capacity = capacity;
  return true;
}

void ct_mesh_contacts_add(ct_mesh_contacts *t, const ct_mesh_face face[2],
                          const ct_mesh_candidate *candidate) {
  if (!(candidate->distance <= t->distance_max) || candidate->distance < t->distance_min ||
      t->contacts->cut_short || !reserve_contact(t))
    return;
  int a = face[0].which ? 1 : 0, b = 1 - a;
  ct_vec3 n = a ? ct_neg(candidate->normal) : candidate->normal;
  ct_mesh_contact contact = {.position = {face[a].position, face[b].position}};
  contact.facing = ct_dot(n, face[a].normal) - ct_dot(n, face[b].normal);
  contact.point =
      (ct_contact_point){.a = candidate->feature[a],
                         .b = candidate->feature[b],
                         .point_a = ct_add_scaled(candidate->point[a], n, t->growth[0]),
                         .point_b = ct_add_scaled(candidate->point[b], n, -t->growth[1]),
                         .normal = n,
                         .distance = candidate->distance - t->growth[0] - t->growth[1]};
  ct_mesh_contacts_mark(t, face);
  t->contacts->memory->contacts[t->contacts->memory->contact_count++] = contact;
}

/* ---- patches -------------------------------------------------------------------------------- */

static void join_neighbour_triangles(const ct_mesh_contacts *t, int which) {
  uint32_t *root = t->contacts->memory->root, base = which ? t->view[0]->live_count : 0;
  const ct_mesh_view *view = t->view[which];
  for (uint32_t i = 0; i < view->live_count; i++) {
    if (root[base + i] == CT_NO_GROUP) continue;
    for (int k = 0; k < 3; k++) {
      uint32_t other = view->across[i][k];
      if (other == CT_NO_TRIANGLE || other < i || root[base + other] == CT_NO_GROUP) continue;
      ct_vec3 n = ct_mesh_contacts_face(t, which, i).normal,
              m = ct_mesh_contacts_face(t, which, other).normal;
      if (ct_dot(n, m) >= CT_PATCH_COSINE_MIN) ct_groups_join(root, base + i, base + other);
    }
  }
}

static int compare_contact_sets(const void *first, const void *second) {
  const ct_mesh_contact *p = first, *q = second;
  int order = compare_leaf_positions(p->position[0], q->position[0]);
  return order ? order : compare_leaf_positions(p->position[1], q->position[1]);
}

void ct_mesh_contacts_write_points(ct_mesh_contacts *t) {
  ct_manifold_scratch *m = t->contacts->memory;
  uint32_t patch = 0, base = t->view[0]->live_count;
  truncate_to_deepest(t);
  t->contacts->cut_short = t->contacts->cut_short || t->cut;
  if (m->contact_count == 0) return;
  /* disjoint sets of adjacent triangles on either mesh */
  join_neighbour_triangles(t, 0);
  join_neighbour_triangles(t, 1);
  for (uint32_t i = 0; i < m->contact_count; i++) {
    ct_mesh_contact *contact = &m->contacts[i];
    contact->position[0] = ct_groups_find(m->root, contact->position[0]);
    contact->position[1] = ct_groups_find(m->root, base + contact->position[1]);
  }
  /* number the pairs of sets and write the points */
  qsort(m->contacts, m->contact_count, sizeof *m->contacts, compare_contact_sets);
  for (uint32_t i = 0; i < m->contact_count; i++) {
    if (i > 0 && compare_contact_sets(&m->contacts[i - 1], &m->contacts[i]) != 0) patch++;
    m->contacts[i].point.patch = patch;
    ct_contacts_push(t->contacts, &m->contacts[i].point);
  }
}
