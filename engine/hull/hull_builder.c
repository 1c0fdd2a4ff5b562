/* Incremental convex hull: floods the faces visible from a new point, and replaces them by a fan
 * from the point to their boundary, the horizon (Barber, Dobkin, Huhdanpaa 1996, section 2).
 *
 * The horizon is one simple cycle: exact predicates agree on coplanar triangles, so the faces that
 * see a point p strictly form whole facets of the polytope. The same facets are visible from p
 * moved slightly inward, a point in general position, and the region visible from such a point is a
 * disc. */
#include "hull/hull_builder.h"
#include "base/array.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Bound of the error of normal.(p - v0) in doubles against the exact determinant, relative to slack
 * and |p - v0|_1. The cross product contributes 4 u per product (u: unit round-off), the dot
 * product as much again; 10 u covers terms of second order. */
#define SLACK_FACTOR (10.0 * CT_UNIT_ROUNDOFF)
#define FIRST_CAPACITY 64u

void ct_hull_builder_free(ct_hull_builder *grow) {
  free(grow->faces);
  free(grow->created);
  free(grow->removed);
  free(grow->spare);
  free(grow->slot_of_vertex);
  memset(grow, 0, sizeof *grow);
}

static uint32_t grow_capacity(uint32_t capacity, uint32_t needed) {
  uint64_t next = capacity < FIRST_CAPACITY ? FIRST_CAPACITY : (uint64_t)capacity + capacity / 2;
  if (next < needed) next = needed;
  return next > CT_HULL_BUILDER_NONE - 1 ? CT_HULL_BUILDER_NONE - 1 : (uint32_t)next;
}

/* Reserves space for `faces` faces, index lists of the same length, and one entry for each of
 * `vertices` vertices. False: out of memory. */
static bool reserve_builder(ct_hull_builder *grow, uint32_t faces, uint32_t vertices) {
  if (faces > grow->face_capacity) {
    uint32_t n = grow_capacity(grow->face_capacity, faces);
    if (!ct_array_resize(&grow->faces, n, sizeof *grow->faces)) return false;
    grow->face_capacity = n;
  }
  if (grow->list_capacity < grow->face_capacity) {
    uint32_t n = grow->face_capacity;
    if (!ct_array_resize(&grow->created, n, sizeof *grow->created) ||
        !ct_array_resize(&grow->removed, n, sizeof *grow->removed) ||
        !ct_array_resize(&grow->spare, n, sizeof *grow->spare))
      return false;
    grow->list_capacity = n;
  }
  if (vertices > grow->vertex_capacity) {
    uint32_t n = grow_capacity(grow->vertex_capacity, vertices);
    if (!ct_array_resize(&grow->slot_of_vertex, n, sizeof *grow->slot_of_vertex)) return false;
    grow->vertex_capacity = n;
  }
  return true;
}

static void set_face(ct_hull_builder *grow, uint32_t face, uint32_t a, uint32_t b, uint32_t c) {
  ct_hull_builder_face *f = &grow->faces[face];
  ct_vec3 p = ct_sub(grow->points[b], grow->points[a]),
          q = ct_sub(grow->points[c], grow->points[a]);
  double yz = p.y * q.z, zy = p.z * q.y, zx = p.z * q.x, xz = p.x * q.z, xy = p.x * q.y,
         yx = p.y * q.x;
  double permanent =
      ct_max2(ct_max2(fabs(yz) + fabs(zy), fabs(zx) + fabs(xz)), fabs(xy) + fabs(yx));
  *f = (ct_hull_builder_face){
      .vertex = {a, b, c},
      .neighbour = {CT_HULL_BUILDER_NONE, CT_HULL_BUILDER_NONE, CT_HULL_BUILDER_NONE},
      .normal = {yz - zy, zx - xz, xy - yx},
      .slack = SLACK_FACTOR * permanent};
}

ct_status ct_hull_builder_start(ct_hull_builder *grow, const ct_vec3 *points,
                                const uint32_t vertices[4]) {
  uint32_t v[4] = {vertices[0], vertices[1], vertices[2], vertices[3]};
  int side = ct_orient3d(points[v[0]], points[v[1]], points[v[2]], points[v[3]]);
  if (side == 0) return CT_DEGENERATE_HULL;
  uint32_t highest = 0;
  for (int i = 0; i < 4; i++) highest = v[i] > highest ? v[i] : highest;
  if (!reserve_builder(grow, 4, highest + 1)) return CT_OUT_OF_MEMORY;
  /* Orient the base 0 1 2 outward, so that vertex 3 is on its inner side. */
  if (side > 0) {
    uint32_t t = v[1];
    v[1] = v[2];
    v[2] = t;
  }
  grow->points = points;
  grow->face_count = grow->live_count = grow->created_count = 4;
  grow->removed_count = grow->spare_count = grow->stamp = 0;

  /* Each other face shares one edge with the base. */
  set_face(grow, 0, v[0], v[1], v[2]);
  set_face(grow, 1, v[1], v[0], v[3]);
  set_face(grow, 2, v[2], v[1], v[3]);
  set_face(grow, 3, v[0], v[2], v[3]);
  static const uint32_t neighbours[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
  for (uint32_t i = 0; i < 4; i++) {
    memcpy(grow->faces[i].neighbour, neighbours[i], sizeof neighbours[i]);
    grow->created[i] = i;
  }
  return CT_OK;
}

static uint32_t find_edge_to(const ct_hull_builder_face *face, uint32_t neighbour) {
  for (uint32_t i = 0; i < 2; i++) {
    if (face->neighbour[i] == neighbour) return i;
  }
  return 2;
}

/* Collects the faces that see p and are connected with `seen_from`, which must see p, in `removed`.
 * Marks a face 2 * stamp if it does not see p, 2 * stamp + 1 if it does. Returns the number of
 * horizon edges. */
static uint32_t flood_visible_faces(ct_hull_builder *grow, ct_vec3 p, uint32_t seen_from) {
  uint32_t no = 2 * grow->stamp, yes = no + 1, horizon = 0;
  grow->removed[0] = seen_from;
  grow->faces[seen_from].mark = yes;
  grow->removed_count = 1;
  for (uint32_t i = 0; i < grow->removed_count; i++) {
    const ct_hull_builder_face *f = &grow->faces[grow->removed[i]];
    for (int e = 0; e < 3; e++) {
      uint32_t next = f->neighbour[e];
      ct_hull_builder_face *g = &grow->faces[next];
      if (g->mark != no && g->mark != yes) {
        bool sees = ct_hull_builder_face_sees(grow, next, p) > 0;
        g->mark = sees ? yes : no;
        if (sees) grow->removed[grow->removed_count++] = next;
      }
      if (g->mark == no) horizon++;
    }
  }
  return horizon;
}

static void reset_stamps(ct_hull_builder *grow) {
  for (uint32_t i = 0; i < grow->face_count; i++) {
    if (grow->faces[i].mark != CT_HULL_BUILDER_NONE) grow->faces[i].mark = 0;
  }
  grow->stamp = 0;
}

/* Builds a triangle from the point to each horizon edge. Two new triangles are neighbours if one's
 * horizon edge ends where the other's starts, so the triangles are found by the start vertex. */
static void build_fan(ct_hull_builder *grow, uint32_t point) {
  uint32_t no = 2 * grow->stamp;
  grow->created_count = 0;
  for (uint32_t i = 0; i < grow->removed_count; i++) {
    uint32_t old = grow->removed[i];
    for (uint32_t e = 0; e < 3; e++) {
      uint32_t behind = grow->faces[old].neighbour[e];
      if (grow->faces[behind].mark != no) continue;
      uint32_t face = grow->spare_count ? grow->spare[--grow->spare_count] : grow->face_count++;
      uint32_t from = grow->faces[old].vertex[e], to = grow->faces[old].vertex[(e + 1) % 3];
      set_face(grow, face, from, to, point);
      grow->faces[face].neighbour[0] = behind;
      grow->faces[behind].neighbour[find_edge_to(&grow->faces[behind], old)] = face;
      grow->slot_of_vertex[from] = face;
      grow->created[grow->created_count++] = face;
    }
  }
  for (uint32_t i = 0; i < grow->created_count; i++) {
    uint32_t face = grow->created[i], next = grow->slot_of_vertex[grow->faces[face].vertex[1]];
    grow->faces[face].neighbour[1] = next;
    grow->faces[next].neighbour[2] = face;
  }
}

ct_status ct_hull_builder_add(ct_hull_builder *grow, uint32_t point, uint32_t seen_from) {
  assert(ct_hull_builder_is_alive(grow, seen_from));
  if (!reserve_builder(grow, grow->face_count, point + 1)) return CT_OUT_OF_MEMORY;
  if (++grow->stamp >= CT_HULL_BUILDER_NONE / 2) {
    reset_stamps(grow);
    grow->stamp = 1;
  }
  uint32_t horizon = flood_visible_faces(grow, grow->points[point], seen_from);
  assert(horizon >= 3);
  uint32_t fresh = horizon > grow->spare_count ? horizon - grow->spare_count : 0;
  if (fresh > CT_HULL_BUILDER_NONE - 1 - grow->face_count ||
      !reserve_builder(grow, grow->face_count + fresh, 0)) {
    grow->removed_count = 0;
    return CT_OUT_OF_MEMORY;
  }
  build_fan(grow, point);
  for (uint32_t i = 0; i < grow->removed_count; i++)
    grow->faces[grow->removed[i]].mark = CT_HULL_BUILDER_NONE;
  grow->live_count = grow->live_count - grow->removed_count + grow->created_count;
  return CT_OK;
}

void ct_hull_builder_recycle(ct_hull_builder *grow) {
  memcpy(grow->spare + grow->spare_count, grow->removed, grow->removed_count * sizeof *grow->spare);
  grow->spare_count += grow->removed_count;
  grow->removed_count = 0;
}
