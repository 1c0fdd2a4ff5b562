/* A triangulated convex hull that grows by points: the common core of quickhull and of EPA.
 *
 * All decisions are exact (base/predicates.h): a face sees a point only when the point lies strictly beyond its plane, so coplanar
 * triangles may lie side by side, no triangle has zero area and the surface stays a closed manifold whatever the points are.
 * Coordinates must be in the exactness range of base/predicates.h. Points are the caller's array, named by index; arrays of
 * faces belong to the ct_hull_builder and are kept from run to run, so a warm one does not allocate.
 * Not here: which point comes next, outside sets, heaps (keep those by face index), planes with unit normals.
 * Barber, Dobkin, Huhdanpaa 1996, section 2.
 */
#ifndef HULL_HULL_BUILDER_H
#define HULL_HULL_BUILDER_H

#include "base/predicates.h"
#include <contact/status.h>

#define CT_HULL_BUILDER_NONE UINT32_MAX

typedef struct ct_hull_builder_face {
  uint32_t vertex[3];    /* points, counter-clockwise from outside */
  uint32_t neighbour[3]; /* face across the edge vertex[i] -> vertex[(i + 1) % 3] */
  ct_vec3 normal;        /* outward, (v1 - v0) x (v2 - v0) as rounded: not unit */
  double slack;          /* |normal.(p - v0)| above slack * |p - v0|_1 has a certain sign */
  uint32_t mark;         /* this file's: stamp of the last flood; CT_HULL_BUILDER_NONE when the face is no longer of the hull */
  uint32_t user;         /* the caller's; 0 in a new face */
} ct_hull_builder_face;

typedef struct ct_hull_builder {
  ct_hull_builder_face *faces;
  uint32_t face_count; /* slots in use or removed; live faces are those with ct_hull_builder_is_alive */
  uint32_t live_count;
  const ct_vec3 *points; /* the caller may move the array between calls: set this again */

  /* Outcome of the last ct_hull_builder_start or ct_hull_builder_add, face indices. */
  uint32_t *created;
  uint32_t created_count;
  uint32_t *removed; /* their contents stay readable until ct_hull_builder_recycle */
  uint32_t removed_count;

  /* Private. */
  uint32_t *slot_of_vertex, *spare;
  uint32_t spare_count, face_capacity, list_capacity, vertex_capacity, stamp;
} ct_hull_builder;

/* A zeroed ct_hull_builder is empty and ready. */
void ct_hull_builder_free(ct_hull_builder *grow);

/* Starts anew with the tetrahedron of four points (indices into points). CT_DEGENERATE_HULL when they are exactly coplanar;
 * CT_OUT_OF_MEMORY. The faces are 0..3 and are listed in created. */
ct_status ct_hull_builder_start(ct_hull_builder *grow, const ct_vec3 *points, const uint32_t vertices[4]);

/* Adds a point that face `seen_from` sees (ct_hull_builder_face_sees > 0, alive): the faces that see it give way to a fan around
 * it. Every new face has the point as vertex[2], and neighbour[0] is the old face behind the horizon. The order of created is a
 * function of the input alone. CT_OUT_OF_MEMORY leaves the hull as it was. Cost: faces that see the point and their neighbours. */
ct_status ct_hull_builder_add(ct_hull_builder *grow, uint32_t point, uint32_t seen_from);

/* Hands the slots of the removed faces back for use by later additions. Callers that keep face indices (a heap with stale
 * entries) do not call this, and then no index is ever used twice in a run. */
void ct_hull_builder_recycle(ct_hull_builder *grow);

static inline bool ct_hull_builder_is_alive(const ct_hull_builder *grow, uint32_t face) {
  return grow->faces[face].mark != CT_HULL_BUILDER_NONE;
}

/* Exact sign of the point's side of the face: +1 strictly beyond (the face sees it), 0 on its plane, -1 within. */
static inline int ct_hull_builder_face_sees(const ct_hull_builder *grow, uint32_t face, ct_vec3 p) {
  const ct_hull_builder_face *f = &grow->faces[face];
  ct_vec3 d = ct_sub(p, grow->points[f->vertex[0]]);
  double height = ct_dot(f->normal, d), bound = f->slack * (fabs(d.x) + fabs(d.y) + fabs(d.z));
  if (height > bound) return 1;
  if (height < -bound) return -1;
  return ct_orient3d(grow->points[f->vertex[0]], grow->points[f->vertex[1]], grow->points[f->vertex[2]], p);
}

#endif
