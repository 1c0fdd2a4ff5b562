/* Contacts of two triangles of two meshes: vertices over faces, edges over edges, edges through
 * faces; and the list of these contacts.
 *
 * A contact is valid if each mesh ends at its feature: no adjacent triangle extends farther along
 * the normal than the permitted inclination allows. This is a test that the normal is in the
 * feature's normal cone (for two edges, that their arcs on the Gauss sphere intersect).
 *
 * Duplicates are removed by sorting by features. Patches are disjoint sets of marked triangles; a
 * point's patch is the pair of the sets that contain its two triangles. Limit: the
 * CT_MESH_POINTS_MAX deepest contacts. */
#include "base/array.h"
#include "manifold/manifold_meshes.h"

#include <assert.h>
#include <stdlib.h>

/* If the cosine between a face's normal and the direction to the other body is smaller, a vertex of
 * the face has contacts only where the mesh ends. */
#define FACING_MIN 0.1
/* Two edges whose angle has a smaller sine are parallel; they intersect at their ends only. */
#define SKEW_MIN 1e-3
/* Greatest number of triangles visited around a vertex, in case the mesh is not a manifold. */
#define FAN_MAX 4096

ct_vec3 ct_mesh_contacts_vertex(const ct_mesh_contacts *t, int which, uint32_t vertex) {
  ct_vec3 v = t->view[which]->vertices[vertex];
  return which ? ct_to_parent(t->pair.relative, v) : v;
}

ct_mesh_face ct_mesh_contacts_face(const ct_mesh_contacts *t, int which, uint32_t position) {
  assert((which == 0 || which == 1) && position < t->view[which]->live_count);
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

/* Compares by features, then by positions of the triangles, then by distance. */
static int compare_contact_rank(const void *first, const void *second) {
  const ct_mesh_contact *p = first, *q = second;
  int order = compare_feature_pairs(p, q);
  if (order == 0) order = compare_leaf_positions(p->position[0], q->position[0]);
  if (order == 0) order = compare_leaf_positions(p->position[1], q->position[1]);
  return order ? order
               : (p->point.distance > q->point.distance) - (p->point.distance < q->point.distance);
}

/* Returns the first of contacts with the same features whose triangles face each other most, within
 * a tie. */
static const ct_mesh_contact *find_most_facing(const ct_mesh_contact *contacts, uint32_t count) {
  double most = -INFINITY;
  for (uint32_t i = 0; i < count; i++) most = ct_max2(most, contacts[i].facing);
  uint32_t i = 0;
  while (contacts[i].facing < most - CT_DIRECTION_TIE) i++;
  return &contacts[i];
}

/* Sorts the contacts by features, and keeps one per pair of features. */
static void merge_equal_contacts(ct_mesh_contacts *t) {
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

/* Compares by distance, deepest first, then by features. */
static int compare_contact_depth(const void *first, const void *second) {
  const ct_mesh_contact *p = first, *q = second;
  if (p->point.distance != q->point.distance) return p->point.distance < q->point.distance ? -1 : 1;
  return compare_feature_pairs(p, q);
}

/* Removes duplicates; if too many contacts remain, keeps the deepest and lowers distance_max for
 * later ones. */
static void truncate_to_deepest(ct_mesh_contacts *t) {
  ct_manifold_scratch *m = t->contacts->memory;
  merge_equal_contacts(t);
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
  bool reserved = ct_array_reserve32(&m->contacts, &m->contact_capacity, m->contact_count + 1,
                                     sizeof *m->contacts);
  c->failed = c->failed || !reserved;
  return reserved;
}

void ct_mesh_contacts_add(ct_mesh_contacts *t, const ct_mesh_face face[2],
                          const ct_mesh_candidate *candidate) {
  if (!(candidate->distance <= t->distance_max) || candidate->distance < t->distance_min ||
      t->contacts->cut_short || !reserve_contact(t))
    return;
  int a = face[0].which ? 1 : 0, b = 1 - a;
  assert(face[0].which != face[1].which);
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
  /* Unite adjacent triangles in contact, on either mesh. */
  join_neighbour_triangles(t, 0);
  join_neighbour_triangles(t, 1);
  for (uint32_t i = 0; i < m->contact_count; i++) {
    ct_mesh_contact *contact = &m->contacts[i];
    contact->position[0] = ct_groups_find(m->root, contact->position[0]);
    contact->position[1] = ct_groups_find(m->root, base + contact->position[1]);
  }
  /* Number the pairs of sets, and write the points. */
  qsort(m->contacts, m->contact_count, sizeof *m->contacts, compare_contact_sets);
  for (uint32_t i = 0; i < m->contact_count; i++) {
    if (i > 0 && compare_contact_sets(&m->contacts[i - 1], &m->contacts[i]) != 0) patch++;
    m->contacts[i].point.patch = patch;
    ct_contacts_push(t->contacts, &m->contacts[i].point);
  }
}

/* ---- edges ---------------------------------------------------------------------------------- */

ct_manifold_edge ct_mesh_contacts_edge(const ct_mesh_contacts *t, const ct_mesh_face *face, int k) {
  const ct_mesh_view *view = t->view[face->which];
  int l = k == 2 ? 0 : k + 1, m = l == 2 ? 0 : l + 1;
  const uint32_t *corner = view->corners[face->position];
  assert(k >= 0 && k < 3);
  bool turned = corner[k] > corner[l];
  ct_manifold_edge e = {.p = face->t.v[turned ? l : k],
                        .q = face->t.v[turned ? k : l],
                        .beyond = {face->t.v[m]},
                        .wings = 1};
  uint32_t number = 3 * view->order[face->position] + (uint32_t)k,
           other = view->across[face->position][k];
  for (int i = 0; other != CT_NO_TRIANGLE && i < 3; i++) {
    const uint32_t *there = view->corners[other];
    if (there[i] != corner[l] || there[(i + 1) % 3] != corner[k]) continue;
    /* The adjacent triangle: its opposite vertex, its normal, and whether the edge is flat. */
    ct_mesh_face beyond = ct_mesh_contacts_face(t, face->which, other);
    e.beyond[e.wings++] = beyond.t.v[(i + 2) % 3];
    e.other = beyond.normal;
    double rise = ct_dot(face->normal, ct_sub(e.beyond[1], e.p));
    e.flat = fabs(rise) <= t->slack && ct_dot(face->normal, beyond.normal) > 0.0;
    uint32_t opposite = 3 * view->order[other] + (uint32_t)i;
    if (opposite < number) number = opposite;
    break;
  }
  e.number = number;
  e.feature =
      e.flat ? (ct_feature){CT_FEATURE_FACE, number / 3} : (ct_feature){CT_FEATURE_EDGE, number};
  return e;
}

bool ct_edge_ends(const ct_manifold_edge *e, ct_vec3 at, ct_vec3 direction, double slack,
                  double lean) {
  for (int i = 0; i < e->wings; i++) {
    ct_vec3 d = ct_sub(e->beyond[i], at);
    if (ct_dot(direction, d) > slack + lean * ct_norm(d)) return false;
  }
  return true;
}

ct_feature ct_face_feature(const ct_mesh_contacts *t, const ct_mesh_face *face, ct_vec3 point) {
  const ct_mesh_view *view = t->view[face->which];
  for (int k = 0; k < 3; k++)
    if (ct_norm(ct_sub(point, face->t.v[k])) <= face->tie)
      return (ct_feature){CT_FEATURE_VERTEX, view->corners[face->position][k]};
  for (int k = 0; k < 3; k++) {
    int l = k == 2 ? 0 : k + 1;
    ct_vec3 d = ct_sub(face->t.v[l], face->t.v[k]);
    double height = ct_norm(ct_cross(d, ct_sub(point, face->t.v[k])));
    if (height <= face->tie * ct_norm(d)) return ct_mesh_contacts_edge(t, face, k).feature;
  }
  return (ct_feature){CT_FEATURE_FACE, view->order[face->position]};
}

/* ---- vertices ------------------------------------------------------------------------------- */

static int find_triangle_corner(const ct_mesh_view *view, uint32_t position, uint32_t vertex) {
  for (int k = 0; k < 3; k++)
    if (view->corners[position][k] == vertex) return k;
  return 0;
}

static bool ends_at_triangle(const ct_mesh_contacts *t, int which, uint32_t position, int k,
                             ct_vec3 direction, double lean) {
  const uint32_t *corner = t->view[which]->corners[position];
  ct_vec3 at = ct_mesh_contacts_vertex(t, which, corner[k]);
  for (int i = 1; i < 3; i++) {
    ct_vec3 d = ct_sub(ct_mesh_contacts_vertex(t, which, corner[(k + i) % 3]), at);
    if (ct_dot(direction, d) > t->slack + lean * ct_norm(d)) return false;
  }
  return true;
}

/* Tests the triangles around the vertex, in both directions if the mesh has a border there. */
bool ct_vertex_ends(const ct_mesh_contacts *t, const ct_mesh_face *face, int k, ct_vec3 direction,
                    double lean) {
  const ct_mesh_view *view = t->view[face->which];
  uint32_t vertex = view->corners[face->position][k];
  for (int turn = 0; turn < 2; turn++) {
    uint32_t at = face->position;
    for (int step = 0; step < FAN_MAX; step++) {
      int corner = find_triangle_corner(view, at, vertex);
      if (!ends_at_triangle(t, face->which, at, corner, direction, lean)) return false;
      at = view->across[at][turn ? (corner + 2) % 3 : corner];
      if (at == face->position) return true;
      if (at == CT_NO_TRIANGLE) break;
    }
  }
  return true;
}

static bool is_in_plane_of(const ct_mesh_contacts *t, const ct_mesh_face *plane,
                           const ct_mesh_face *face) {
  for (int k = 0; k < 3; k++)
    if (fabs(ct_dot(plane->normal, ct_sub(face->t.v[k], plane->t.v[0]))) > t->slack) return false;
  return true;
}

bool ct_is_corner(const ct_mesh_contacts *t, const ct_mesh_face *face, int k) {
  const ct_mesh_view *view = t->view[face->which];
  uint32_t vertex = view->corners[face->position][k], at = face->position;
  ct_mesh_face plane[2];
  int planes = 0;
  for (int step = 0; step < FAN_MAX; step++) {
    ct_mesh_face there = ct_mesh_contacts_face(t, face->which, at);
    int i = 0;
    while (i < planes && !is_in_plane_of(t, &plane[i], &there)) i++;
    if (i == 2) return true;
    assert(i <= planes && planes <= 2);
    if (i == planes) plane[planes++] = there;
    at = view->across[at][find_triangle_corner(view, at, vertex)];
    if (at == CT_NO_TRIANGLE) return true;
    if (at == face->position) return false;
  }
  return true;
}

/* True if the mesh ends along a direction at the vertex or edge of the face that contains the point
 * `foot`; false if the point is in the face's interior. */
static bool ends_at_foot(const ct_mesh_contacts *t, const ct_mesh_face *face, ct_vec3 foot,
                         ct_vec3 direction) {
  for (int k = 0; k < 3; k++)
    if (ct_norm(ct_sub(foot, face->t.v[k])) <= face->tie)
      return ct_vertex_ends(t, face, k, direction, CT_DIRECTION_TIE);
  for (int k = 0; k < 3; k++) {
    ct_manifold_edge e = ct_mesh_contacts_edge(t, face, k);
    ct_vec3 d = ct_sub(e.q, e.p);
    if (ct_norm(ct_cross(d, ct_sub(foot, e.p))) > face->tie * ct_norm(d)) continue;
    return ct_edge_ends(&e, foot, direction, t->slack, CT_DIRECTION_TIE);
  }
  return false;
}

/* True if vertex k of a face may have a contact along a direction out of the mesh: the face is
 * inclined towards the direction, or the mesh ends there. */
static bool is_facing_at_corner(const ct_mesh_contacts *t, const ct_mesh_face *face, int k,
                                ct_vec3 direction) {
  double cosine = ct_dot(face->normal, direction);
  if (!t->view[face->which]->solid) cosine = fabs(cosine);
  if (cosine > FACING_MIN) return true;
  if (t->view[face->which]->solid && !(cosine > CT_DIRECTION_TIE)) return false;
  return ends_at_triangle(t, face->which, face->position, k, direction, CT_DIRECTION_TIE);
}

bool ct_mesh_contacts_is_inside(const ct_mesh_contacts *t, int which, ct_vec3 point) {
  ct_vec3 there = which ? ct_to_local(t->pair.relative, point) : point;
  ct_mesh_foot foot;
  return ct_mesh_contains(t->mesh[which], there) ||
         ct_mesh_nearest(t->mesh[which], there, t->tie, &foot);
}

/* Adds the contact of vertex k of face[0] with the other face, whose nearest point `foot` is in its
 * interior. */
static void add_corner_over_face(ct_mesh_contacts *t, const ct_mesh_face face[2], int k,
                                 ct_vec3 foot) {
  ct_vec3 v = face[0].t.v[k];
  double height = ct_dot(face[1].normal, ct_sub(v, face[1].t.v[0]));
  bool back = !t->view[face[1].which]->solid && height < 0.0;
  ct_vec3 direction = back ? face[1].normal : ct_neg(face[1].normal);
  double distance = back ? -height : height;
  if (distance > t->reach || distance < -t->tie) return;
  if (distance < t->distance_min || !is_facing_at_corner(t, &face[0], k, direction)) return;
  ct_mesh_candidate candidate = {
      .feature = {{CT_FEATURE_VERTEX, t->view[face[0].which]->corners[face[0].position][k]},
                  ct_face_feature(t, &face[1], foot)},
      .point = {v, ct_add_scaled(v, direction, distance)},
      .normal = direction,
      .distance = distance};
  ct_mesh_contacts_add(t, face, &candidate);
}

void ct_mesh_contacts_corners(ct_mesh_contacts *t, const ct_mesh_face face[2]) {
  for (int k = 0; k < 3 && ct_max_abs(face[1].normal) > 0.0; k++) {
    ct_vec3 v = face[0].t.v[k], foot = ct_triangle_foot(&face[1].t, v), d = ct_sub(foot, v);
    double distance = ct_norm(d);
    if (distance > ct_max2(t->reach, -t->distance_min)) continue;
    /* The nearest point is in the interior: use the exact normal of the face. */
    ct_vec3 aside = ct_add_scaled(d, face[1].normal, -ct_dot(face[1].normal, d));
    if (ct_norm(aside) <= face[1].tie + CT_DIRECTION_TIE * distance) {
      add_corner_over_face(t, face, k, foot);
      continue;
    }
    /* The nearest point is on the border: both meshes must end along the connection. */
    ct_vec3 direction = ct_scale(d, 1.0 / distance);
    if (distance > t->reach || !ct_vertex_ends(t, &face[0], k, direction, CT_DIRECTION_TIE) ||
        !ends_at_foot(t, &face[1], foot, ct_neg(direction)))
      continue;
    ct_mesh_candidate candidate = {
        .feature = {{CT_FEATURE_VERTEX, t->view[face[0].which]->corners[face[0].position][k]},
                    ct_face_feature(t, &face[1], foot)},
        .point = {v, foot},
        .normal = direction,
        .distance = distance};
    ct_mesh_contacts_add(t, face, &candidate);
  }
}

/* ---- edges over edges ----------------------------------------------------------------------- */

/* Finds the nearest points of two edges' lines. False: the edges are parallel, or a point is not
 * strictly between the ends of its edge. */
static bool find_nearest_line_points(const ct_manifold_edge *e, const ct_manifold_edge *f,
                                     double tie, ct_vec3 out[2]) {
  ct_vec3 u = ct_sub(e->q, e->p), v = ct_sub(f->q, f->p), r = ct_sub(f->p, e->p),
          n = ct_cross(u, v);
  double nn = ct_norm2(n), length = ct_norm(u), other = ct_norm(v);
  if (!(nn > SKEW_MIN * SKEW_MIN * ct_norm2(u) * ct_norm2(v))) return false;
  double s = ct_dot(ct_cross(r, v), n) / nn, r_at = ct_dot(ct_cross(r, u), n) / nn;
  if (!(s * length > tie && (1.0 - s) * length > tie && r_at * other > tie &&
        (1.0 - r_at) * other > tie))
    return false;
  out[0] = ct_lerp(e->p, e->q, s);
  out[1] = ct_lerp(f->p, f->q, r_at);
  return true;
}

static void add_edge_over_edge(ct_mesh_contacts *t, const ct_mesh_face face[2],
                               const ct_manifold_edge *e, const ct_manifold_edge *f) {
  ct_vec3 at[2];
  if (!find_nearest_line_points(e, f, ct_min2(face[0].tie, face[1].tie), at)) return;
  ct_vec3 n = ct_unit_or(ct_cross(ct_sub(e->q, e->p), ct_sub(f->q, f->p)), ct_vec(0.0, 0.0, 0.0));
  double distance = ct_dot(n, ct_sub(at[1], at[0]));
  if (distance < 0.0) n = ct_neg(n);
  distance = fabs(distance);
  if (distance > ct_max2(t->reach, -t->distance_min)) return;
  /* Try both signs of the normal: apart, or overlapping if the solids overlap. */
  for (int turn = 0; turn < 2; turn++, n = ct_neg(n), distance = -distance) {
    if (distance < -t->tie && !t->overlap) return;
    if (!ct_edge_ends(e, at[0], n, t->slack, CT_LEAN_MAX) ||
        !ct_edge_ends(f, at[1], ct_neg(n), t->slack, CT_LEAN_MAX))
      continue;
    if (distance < -t->tie && !(ct_mesh_contacts_is_inside(t, face[1].which, at[0]) &&
                                ct_mesh_contacts_is_inside(t, face[0].which, at[1])))
      continue;
    ct_mesh_candidate candidate = {
        {e->feature, f->feature}, {at[0], ct_add_scaled(at[0], n, distance)}, n, distance};
    ct_mesh_contacts_add(t, face, &candidate);
    return;
  }
}

void ct_mesh_contacts_edges(ct_mesh_contacts *t, const ct_mesh_face face[2]) {
  ct_manifold_edge other[3];
  for (int k = 0; k < 3; k++) other[k] = ct_mesh_contacts_edge(t, &face[1], k);
  for (int i = 0; i < 3; i++) {
    ct_manifold_edge e = ct_mesh_contacts_edge(t, &face[0], i);
    for (int k = 0; k < 3 && !e.flat; k++)
      if (!other[k].flat) add_edge_over_edge(t, face, &e, &other[k]);
  }
}

/* ---- surfaces that cross -------------------------------------------------------------------- */

void ct_mesh_contacts_crossings(ct_mesh_contacts *t, const ct_mesh_face face[2], ct_vec3 normal) {
  for (int k = 0; k < 3; k++) {
    ct_manifold_edge e = ct_mesh_contacts_edge(t, &face[0], k);
    double at;
    if (!ct_segment_meets(e.p, e.q, &face[1].t, &at)) continue;
    ct_vec3 point = ct_lerp(e.p, e.q, at);
    ct_mesh_candidate candidate = {.point = {point, point}, .normal = normal};
    candidate.feature[0] = ct_face_feature(t, &face[0], point);
    if (candidate.feature[0].kind != CT_FEATURE_VERTEX)
      candidate.feature[0] = (ct_feature){CT_FEATURE_EDGE, e.number};
    candidate.feature[1] = ct_face_feature(t, &face[1], point);
    ct_mesh_contacts_add(t, face, &candidate);
  }
}
