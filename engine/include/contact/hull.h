/* Convex hulls: built once with exact predicates, then immutable and shared by reference count.
 *
 * Vertices and face planes are structures of arrays. Each array is 64-byte aligned and padded to a
 * multiple of CT_HULL_LANES with its last element, so SIMD loops need no tail. Coordinates are in
 * the shape's frame, m. */
#ifndef CONTACT_HULL_H
#define CONTACT_HULL_H

#include <contact/base.h>
#include <contact/vec.h>

CT_DECLARATIONS_BEGIN

#define CT_HULL_LANES 8

typedef struct ct_hull ct_hull;

/* Borrowed view of a hull's arrays; valid while the hull is retained. */
typedef struct ct_hull_view {
  uint32_t vertex_count, face_count, edge_count;
  const double *x, *y, *z; /* [vertex_count] vertices */
  /* [vertex_count] index of the input point; UINT32_MAX for hulls of planes */
  const uint32_t *vertex_input;
  const double *nx, *ny, *nz, *offset; /* [face_count] outward unit normals; n.p <= offset inside */
  const uint32_t *face_start;          /* [face_count + 1] into face_loop */
  /* vertices of each face, counter-clockwise seen from outside, the lowest first */
  const uint32_t *face_loop;
  const uint32_t *face_plane;  /* [face_count] given plane of the face; NULL for hulls of points */
  const uint32_t *surface_ids; /* [face_count] caller's ids of the faces, or NULL */
  const uint32_t *neighbour_start;    /* [vertex_count + 1] into neighbour */
  const uint32_t *neighbour;          /* adjacent vertices of each vertex, ascending */
  const uint32_t (*edge_vertices)[2]; /* [edge_count] lower index first, edges in ascending order */
  /* [edge_count] faces left and right of the edge, seen from the first to the second vertex */
  const uint32_t (*edge_faces)[2];
  ct_vec3 centroid; /* of the volume, m */
  double radius;    /* of a ball around centroid that contains all vertices, m */
  double volume;    /* m^3, > 0 */
  ct_mat3 inertia;  /* about centroid for unit density, kg m^2 */
  ct_aabb box;      /* of the vertices */
} ct_hull_view;

/* Reason of a failed build: the affine dimension of the points (0 point, 1 line, 2 plane), or a
 * faulty plane. */
typedef struct ct_hull_report {
  int rank;         /* 0..3 */
  uint32_t culprit; /* planes: index of a plane that shows the fault, else UINT32_MAX */
} ct_hull_report;

/* Convex hull of points [count]; interior and repeated points are allowed, bit-equal points are
 * one. Exactly coplanar triangles are merged into polygons; points inside a face or edge are no
 * vertices. Exact predicates decide rank and visibility; coordinates below 2^-260 of the largest
 * count as zero. The caller owns the reference in *out. `cancel` and `report` may be NULL.
 * CT_DEGENERATE_HULL: rank < 3, see report. CT_LIMIT: more than CT_HULL_POINTS_MAX points; a
 * coordinate that is not finite or beyond 2^300. CT_CANCELLED, CT_OUT_OF_MEMORY.
 * O(n log n) expected. Barber, Dobkin, Huhdanpaa 1996 (quickhull); Shewchuk 1997 (predicates). */
ct_status ct_hull_from_points(const ct_vec3 *points, size_t count, const ct_cancel *cancel,
                              ct_hull **out, ct_hull_report *report);

/* As ct_hull_from_points, but faster in one case: few points, each the vertex of `like` with the
 * same index, all faces of `like` triangular, and the same faces in the new hull. Meant for moved
 * points; the result is the same in all cases. */
ct_status ct_hull_from_moved_points(const ct_hull *like, const ct_vec3 *points, size_t count,
                                    const ct_cancel *cancel, ct_hull **out);

/* Intersection of half-spaces n.p + d <= 0; planes[i] = {nx, ny, nz, d}, n of any nonzero length.
 * Redundant planes are dropped. No vertex is outside a given plane by more than 2^-40 of the
 * largest coordinate, by some u at wide angles. Ownership, `cancel` and `report` as above.
 * CT_UNBOUNDED; CT_EMPTY; CT_DEGENERATE_HULL: no interior, or none that survives rounding;
 * CT_LIMIT, CT_CANCELLED and CT_OUT_OF_MEMORY as above. Duality: Preparata, Muller 1979. */
ct_status ct_hull_from_planes(const double (*planes)[4], size_t count, const ct_cancel *cancel,
                              ct_hull **out, ct_hull_report *report);

/* Hull with each face plane moved inward by `by` > 0 m, for inset rounding; retains the original
 * hull. CT_EMPTY or CT_DEGENERATE_HULL: `by` is not below the inradius, or too near to it for a
 * solid; others as above. */
ct_status ct_hull_inset(const ct_hull *hull, double by, const ct_cancel *cancel, ct_hull **out);
/* The original hull of an inset; any other hull itself. Borrowed. */
const ct_hull *ct_hull_outer(const ct_hull *hull);
/* Radius of the largest inscribed ball, m; at most 2^-40 of the size too small. -1: out of memory.
 * Cost as ct_hull_from_planes. */
double ct_hull_inradius(const ct_hull *hull, const ct_cancel *cancel);

/* Sets the caller's ids of the faces, in the view's order (ascending by the first two vertices of
 * their loops); copies ids [face_count]. Only for a hull that is not shared yet. CT_OUT_OF_MEMORY
 * leaves the hull unchanged. */
ct_status ct_hull_set_surfaces(ct_hull *hull, const uint32_t *ids);
/* Copies the ids, if any, from the hull `from`; this hull was built from its vertices, in order and
 * equally scaled. If rounding split a face, the pieces have its id; a merged face has the id of one
 * of its parts. Errors as ct_hull_set_surfaces. */
ct_status ct_hull_copy_surfaces(ct_hull *hull, const ct_hull *from);

/* Adds a reference, and returns the hull; ct_hull_release drops one, NULL is allowed. Thread-safe.
 */
const ct_hull *ct_hull_retain(const ct_hull *hull);
void ct_hull_release(const ct_hull *hull);
/* View of the hull; valid while it is retained. O(1). */
const ct_hull_view *ct_hull_get(const ct_hull *hull);
/* Bytes of the hull, with its outer hull. */
size_t ct_hull_bytes(const ct_hull *hull);

/* Vertex that maximises direction . p; ties (exactly equal products): the lowest index. `start`:
 * vertex at which hill climbing starts, or 0. Small hulls are scanned; large ones use hill climbing
 * over the adjacency with exact comparisons, so the result never depends on `start`. */
uint32_t ct_hull_support(const ct_hull *hull, ct_vec3 direction, uint32_t start);

CT_DECLARATIONS_END

#endif
