/* The parts of which a ct_hull is made: polygon faces with their vertices, before they are put into its arrays. */
#ifndef HULL_HULL_FACES_H
#define HULL_HULL_FACES_H

#include "base/digest.h"
#include "hull/hull_builder.h"
#include <contact/cancel.h>
#include <contact/hull.h>
#include <stdatomic.h>

/* A closed convex surface of polygons. Owns its arrays. */
typedef struct ct_hull_cells {
  uint32_t vertex_count, face_count;
  ct_vec3 *vertices;      /* [vertex_count] */
  uint32_t *vertex_input; /* [vertex_count] input index, or NULL */
  uint32_t *face_start;   /* [face_count + 1] into face_loop */
  uint32_t *face_loop;    /* counter-clockwise from outside, any first vertex */
  uint32_t *face_source;  /* [face_count] index of the given plane, or NULL */
  double (*planes)[4];    /* [face_count] unit normal and offset, or NULL: found from the vertices */
} ct_hull_cells;

struct ct_hull {
  ct_hull_view view;
  atomic_uint_least64_t references;
  size_t bytes;
  ct_digest digest;      /* of vertices and planes: the content by which hulls are ordered */
  const ct_hull *outer;  /* of an inset: the hull whose planes were moved in, a reference; else NULL */
  uint32_t *surface_ids; /* the view's; owned */
  bool exact;            /* vertices are exactly convex over the adjacency, so that climbing ends at the true maximum */
};

/* Facets of the triangulation: exactly coplanar neighbours joined, points on faces and edges dropped, vertices in ascending order
 * of input index: input point i of point_count is grow->points[position[i]], or CT_HULL_BUILDER_NONE stands for one that is inside;
 * without position it is point i. *cells is zeroed on failure, CT_OUT_OF_MEMORY or CT_CANCELLED. */
ct_status ct_hull_cells_join(const ct_hull_builder *grow, uint32_t point_count, const uint32_t *position, const ct_cancel *cancel,
                             ct_hull_cells *cells);
void ct_hull_cells_free(ct_hull_cells *cells);

/* Three vertices of a convex loop that span a wide triangle, in the loop's sense: the first, the farthest from it, the farthest
 * from that line. */
void ct_wide_triangle(const ct_vec3 *vertices, const uint32_t *loop, uint32_t count, uint32_t wide[3]);

/* The outward planes, unit normal and offset, of a face or of two triangles from it on; returns how many. The view's vertices are
 * given as points too, its faces' loops are complete. Vertices are inside to rounding. */
uint32_t ct_hull_face_planes(const ct_hull_view *view, const ct_vec3 *vertices, uint32_t face, double planes[2][4]);

/* Makes the hull with one reference. Faces begin at their lowest vertex and are sorted by their first two vertices, so the result
 * does not depend on the order in which the cells were found. CT_OUT_OF_MEMORY, CT_CANCELLED. */
ct_status ct_hull_assemble(const ct_hull_cells *cells, bool exact, const ct_cancel *cancel, ct_hull **out);

/* Fills volume, centroid, inertia and radius of a view whose arrays are complete. False: cancelled. */
bool ct_hull_measure(ct_hull_view *view, const ct_cancel *cancel);

/* Faces, vertices or points between two looks at the cancel flag: 1 ms at 1 us each, which is double-double or an exact sign. */
#define CT_HULL_POLL 1024u
static inline bool ct_hull_cancelled(uint32_t step, const ct_cancel *cancel) {
  return step % CT_HULL_POLL == 0 && ct_cancel_raised(cancel);
}

static inline ct_vec3 ct_hull_vertex(const ct_hull_view *view, uint32_t i) { return (ct_vec3){view->x[i], view->y[i], view->z[i]}; }

#endif
