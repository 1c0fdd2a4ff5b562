/* Intermediate form of a hull, polygon faces and vertices, from which a ct_hull is assembled. */
#ifndef HULL_HULL_FACES_H
#define HULL_HULL_FACES_H

#include "base/digest.h"
#include "hull/hull_builder.h"
#include <contact/base.h>
#include <contact/hull.h>
#include <stdatomic.h>

/* A closed convex surface of polygons; owns its arrays. */
typedef struct ct_hull_cells {
  uint32_t vertex_count, face_count;
  ct_vec3 *vertices;      /* [vertex_count] */
  uint32_t *vertex_input; /* [vertex_count] index of the input point of each vertex, or NULL */
  uint32_t *face_start;   /* [face_count + 1] position in face_loop of each face's first vertex */
  uint32_t *face_loop;    /* vertices of all faces, counter-clockwise seen from outside; a loop may
                             begin at any vertex */
  uint32_t *face_source;  /* [face_count] index of the input plane, or NULL */
  double (*planes)[4];    /* [face_count] unit normal and offset of each face; NULL: to be computed
                             from the vertices */
} ct_hull_cells;

struct ct_hull {
  ct_hull_view view;
  atomic_uint_least64_t references;
  size_t bytes;
  ct_digest digest;      /* digest of vertices and planes; defines the order of hulls */
  const ct_hull *outer;  /* if this hull is an inset: the original hull, referenced; else NULL */
  uint32_t *surface_ids; /* owned array of view.surface_ids; may be NULL */
  bool exact; /* vertices are exactly in convex position, so hill climbing ends at the true
                 maximum */
};

/* Joins exactly coplanar neighbouring triangles into facets, and drops points inside faces and
 * edges. Vertices are in ascending order of input index. Input point i < point_count is
 * grow->points[position[i]], and was culled if position[i] is CT_HULL_BUILDER_NONE; if `position`
 * is NULL, it is grow->points[i]. CT_OUT_OF_MEMORY, CT_CANCELLED: *cells is zeroed. */
ct_status ct_hull_cells_join(const ct_hull_builder *grow, uint32_t point_count,
                             const uint32_t *position, const ct_cancel *cancel,
                             ct_hull_cells *cells);
void ct_hull_cells_free(ct_hull_cells *cells);

/* Selects three vertices of a convex loop that span a wide triangle: the first vertex, the farthest
 * from it, and the farthest from the line through both. Writes them in loop order. */
void ct_wide_triangle(const ct_vec3 *vertices, const uint32_t *loop, uint32_t count,
                      uint32_t wide[3]);

/* Computes the outward plane (unit normal, offset) of a face, or of this and the next face if both
 * are triangles. Returns the number of planes written. The view's face loops must be complete;
 * `vertices` are those of the view. All vertices of a face are inside its plane to round-off. */
uint32_t ct_hull_face_planes(const ct_hull_view *view, const ct_vec3 *vertices, uint32_t face,
                             double planes[2][4]);

/* Assembles the hull; *out has one reference. Faces begin at their lowest vertex and are sorted by
 * their first two vertices, so the result does not depend on the order of the cells. `exact`: the
 * vertices are exactly in convex position. CT_OUT_OF_MEMORY, CT_CANCELLED. */
ct_status ct_hull_assemble(const ct_hull_cells *cells, bool exact, const ct_cancel *cancel,
                           ct_hull **out);

/* Computes volume, centroid, inertia, AABB and bounding radius of a view whose arrays are complete.
 * False: cancelled. */
bool ct_hull_measure(ct_hull_view *view, const ct_cancel *cancel);

/* Number of faces, vertices or points between two polls of the cancel flag: 1 ms if each costs 1
 * us, the cost of a double-double plane or an exact sign. */
#define CT_HULL_POLL 1024u
static inline bool ct_hull_cancelled(uint32_t step, const ct_cancel *cancel) {
  return step % CT_HULL_POLL == 0 && ct_cancel_raised(cancel);
}

static inline ct_vec3 ct_hull_vertex(const ct_hull_view *view, uint32_t i) {
  return (ct_vec3){view->x[i], view->y[i], view->z[i]};
}

#endif
