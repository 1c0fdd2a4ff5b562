/* Triangulated convex hull that grows point by point, used by quickhull and EPA.
 *
 * All decisions are exact (base/predicates.h). A face sees a point only if the point is strictly
 * beyond its plane. Coplanar triangles may therefore be adjacent, no triangle has zero area, and
 * the surface is a closed manifold for any input. Coordinates must be in the exactness range of
 * base/predicates.h.
 *
 * Points belong to the caller and are referenced by index. Face arrays belong to the
 * ct_hull_builder and are reused, so that a builder that was used before rarely allocates. The
 * caller chooses the next point, and maintains outside sets, heaps and unit normals itself. Barber,
 * Dobkin, Huhdanpaa 1996, section 2. */
#ifndef HULL_HULL_BUILDER_H
#define HULL_HULL_BUILDER_H

#include "base/predicates.h"
#include <contact/base.h>

#define CT_HULL_BUILDER_NONE UINT32_MAX

typedef struct ct_hull_builder_face {
  uint32_t vertex[3];    /* point indices, counter-clockwise seen from outside */
  uint32_t neighbour[3]; /* face across the edge vertex[i] -> vertex[(i + 1) % 3] */
  ct_vec3 normal;        /* outward, (v1 - v0) x (v2 - v0) in doubles, not normalised */
  double slack;          /* the sign of normal.(p - v0) is certain if its magnitude exceeds slack *
                            |p - v0|_1 (1-norm) */
  uint32_t mark; /* private: whether the last flood found the face visible; CT_HULL_BUILDER_NONE:
                    removed */
  uint32_t user; /* free for the caller; 0 in a new face */
} ct_hull_builder_face;

typedef struct ct_hull_builder {
  ct_hull_builder_face *faces;
  uint32_t face_count; /* length of `faces`, removed faces included; see ct_hull_builder_is_alive */
  uint32_t live_count;
  const ct_vec3 *points; /* the caller's array; must be assigned again if it is moved */

  /* Indices of the faces created by the last ct_hull_builder_start or ct_hull_builder_add. */
  uint32_t *created;
  uint32_t created_count;
  uint32_t *removed; /* faces removed by the last add; readable until ct_hull_builder_recycle */
  uint32_t removed_count;

  /* Private. */
  uint32_t *slot_of_vertex, *spare;
  uint32_t spare_count, face_capacity, list_capacity, vertex_capacity, stamp;
} ct_hull_builder;

/* Frees all arrays and zeroes *grow. A zeroed ct_hull_builder is empty and ready for use. */
void ct_hull_builder_free(ct_hull_builder *grow);

/* Restarts with the tetrahedron of four points, given by their indices in `points`. Its faces are 0
 * to 3, listed in `created`. CT_DEGENERATE_HULL: the points are exactly coplanar.
 * CT_OUT_OF_MEMORY. */
ct_status ct_hull_builder_start(ct_hull_builder *grow, const ct_vec3 *points,
                                const uint32_t vertices[4]);

/* Adds a point that the live face `seen_from` sees (ct_hull_builder_face_sees > 0): all faces that
 * see it are replaced by a fan of triangles around it. Every new face has the point as vertex[2]
 * and the face on the other side of the horizon edge as neighbour[0]. The order of `created`
 * depends on the input alone. CT_OUT_OF_MEMORY leaves the hull unchanged. The cost is proportional
 * to the number of visible faces and their neighbours. */
ct_status ct_hull_builder_add(ct_hull_builder *grow, uint32_t point, uint32_t seen_from);

/* Makes the slots of removed faces available to new faces. Callers that store face indices, such as
 * a heap with stale entries, do not call it; then no index is used twice. */
void ct_hull_builder_recycle(ct_hull_builder *grow);

static inline bool ct_hull_builder_is_alive(const ct_hull_builder *grow, uint32_t face) {
  return grow->faces[face].mark != CT_HULL_BUILDER_NONE;
}

/* Returns the exact side of p: +1 strictly beyond the face (the face sees p), 0 on its plane, -1
 * behind it. */
static inline int ct_hull_builder_face_sees(const ct_hull_builder *grow, uint32_t face, ct_vec3 p) {
  const ct_hull_builder_face *f = &grow->faces[face];
  ct_vec3 d = ct_sub(p, grow->points[f->vertex[0]]);
  double height = ct_dot(f->normal, d), bound = f->slack * (fabs(d.x) + fabs(d.y) + fabs(d.z));
  if (height > bound) return 1;
  if (height < -bound) return -1;
  return ct_orient3d(grow->points[f->vertex[0]], grow->points[f->vertex[1]],
                     grow->points[f->vertex[2]], p);
}

#endif
