/* Intermediate form of a hull: polygon faces and vertices, before assembly into a ct_hull. */
#ifndef HULL_HULL_FACES_H
#define HULL_HULL_FACES_H

#include "base/digest.h"
#include "hull/hull_builder.h"
#include <contact/base.h>
#include <contact/hull.h>
#include <stdatomic.h>

/* A closed convex surface of polygons. Owns its arrays. */
typedef struct ct_hull_cells {
  uint32_t vertex_count, face_count;
  ct_vec3 *vertices;      /* [vertex_count] */
  uint32_t *vertex_input; /* [vertex_count] input index, or NULL */
  uint32_t *face_start;   /* [face_count + 1] into face_loop */
  uint32_t *face_loop;    /* counter-clockwise from outside, any first vertex */
  uint32_t *face_source;  /* [face_count] index of the input plane, or NULL */
  double (
      *planes)[4]; /* [face_count] unit normal and offset, or NULL: computed from the vertices */
} ct_hull_cells;

struct ct_hull {
  ct_hull_view view;
  atomic_uint_least64_t references;
  size_t bytes;
  ct_digest digest;      /* of vertices and planes; defines the order of hulls */
  const ct_hull *outer;  /* for an inset: the original hull, a reference; else NULL */
  uint32_t *surface_ids; /* the view's; owned */
  bool exact; /* vertices are exactly convex, so hill climbing ends at the true maximum */
};

/* Joins exactly coplanar neighbours into facets and drops points on faces and edges. Vertices
 * are in ascending order of input index. Input point i of point_count is
 * grow->points[position[i]]; CT_HULL_BUILDER_NONE marks culled points; without position it is
 * point i. CT_OUT_OF_MEMORY, CT_CANCELLED: *cells is zeroed. */
ct_status ct_hull_cells_join(const ct_hull_builder *grow, uint32_t point_count,
                             const uint32_t *position, const ct_cancel *cancel,
                             ct_hull_cells *cells);
void ct_hull_cells_free(ct_hull_cells *cells);

/* Three vertices of a convex loop that span a wide triangle, in loop order: the first vertex,
 * the farthest from it, and the farthest from their line. */
void ct_wide_triangle(const ct_vec3 *vertices, const uint32_t *loop, uint32_t count,
                      uint32_t wide[3]);

/* Outward planes (unit normal, offset) of a face, or of two consecutive triangles from it on.
 * Returns their number. Requires complete face loops; `vertices` are the view's. All vertices
 * are inside to round-off. */
uint32_t ct_hull_face_planes(const ct_hull_view *view, const ct_vec3 *vertices, uint32_t face,
                             double planes[2][4]);

/* Assembles the hull, with one reference. Faces begin at their lowest vertex and are sorted by
 * their first two vertices, so the result does not depend on the order of the cells.
 * CT_OUT_OF_MEMORY, CT_CANCELLED. */
ct_status ct_hull_assemble(const ct_hull_cells *cells, bool exact, const ct_cancel *cancel,
                           ct_hull **out);

/* Computes volume, centroid, inertia, box and radius of a view with complete arrays. False:
 * cancelled. */
bool ct_hull_measure(ct_hull_view *view, const ct_cancel *cancel);

/* Faces, vertices or points between two polls of the cancel flag: 1 ms at 1 us each, the cost of
 * double-double or an exact sign. */
#define CT_HULL_POLL 1024u
static inline bool ct_hull_cancelled(uint32_t step, const ct_cancel *cancel) {
  return step % CT_HULL_POLL == 0 && ct_cancel_raised(cancel);
}

static inline ct_vec3 ct_hull_vertex(const ct_hull_view *view, uint32_t i) {
  return (ct_vec3){view->x[i], view->y[i], view->z[i]};
}

#endif
