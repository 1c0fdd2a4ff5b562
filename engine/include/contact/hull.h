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
  /* [vertex_count] index of the input point at the vertex; UINT32_MAX for hulls of planes */
  const uint32_t *vertex_input;
  /* [face_count] outward unit normals n and offsets: inside points p have n.p <= offset */
  const double *nx, *ny, *nz, *offset;
  /* [face_count + 1] face f has the entries face_start[f] to face_start[f + 1] - 1 of face_loop */
  const uint32_t *face_start;
  /* vertices of each face, counter-clockwise seen from outside, beginning with the lowest one */
  const uint32_t *face_loop;
  /* [face_count] index of the given plane that contains the face; NULL for hulls of points */
  const uint32_t *face_plane;
  const uint32_t *surface_ids; /* [face_count] caller's ids of the faces, or NULL */
  /* [vertex_count + 1] vertex v has the entries neighbour_start[v] to neighbour_start[v + 1] - 1 */
  const uint32_t *neighbour_start;
  const uint32_t *neighbour; /* adjacent vertices of each vertex, ascending */
  /* [edge_count] vertices of each edge, lower index first; edges in ascending order */
  const uint32_t (*edge_vertices)[2];
  /* [edge_count] faces to the left and right of the edge, seen from outside, looking from its first
   * to its second vertex */
  const uint32_t (*edge_faces)[2];
  ct_vec3 centroid; /* centroid of the volume, m */
  double radius;    /* radius of a ball around centroid that contains all vertices, m */
  double volume;    /* m^3, > 0 */
  ct_mat3 inertia;  /* inertia tensor about centroid for unit density, kg m^2 */
  ct_aabb box;      /* AABB of the vertices */
} ct_hull_view;

/* Why a hull could not be built: too few dimensions, or a plane that is at fault. */
typedef struct ct_hull_report {
  /* affine dimension of the points: 0 one point, 1 a line, 2 a plane, 3 a solid */
  int rank;
  uint32_t culprit; /* hulls of planes: index of a plane at fault; else UINT32_MAX */
} ct_hull_report;

/* Builds the convex hull of points [count]. Interior and repeated points are allowed; bit-equal
 * points count as one. Exactly coplanar triangles are merged into polygons; points in the interior
 * of a face or edge are no vertices. Exact predicates decide the dimension of the points and the
 * visibility of faces; coordinates below 2^-260 of the largest count as zero. The caller owns the
 * reference in *out. `cancel` and `report` may be NULL.
 * CT_DEGENERATE_HULL: the points are coplanar, see report->rank. CT_LIMIT: more than
 * CT_HULL_POINTS_MAX points; a coordinate that is not finite or beyond 2^300. CT_CANCELLED,
 * CT_OUT_OF_MEMORY.
 * O(n log n) expected. Barber, Dobkin, Huhdanpaa 1996 (quickhull); Shewchuk 1997 (predicates). */
ct_status ct_hull_from_points(const ct_vec3 *points, size_t count, const ct_cancel *cancel,
                              ct_hull **out, ct_hull_report *report);

/* As ct_hull_from_points with the same result, but faster if the faces stay the same: few points,
 * each with the index of its vertex of `like`, all faces of `like` triangular, and the same faces
 * in the new hull. Meant for moved points. */
ct_status ct_hull_from_moved_points(const ct_hull *like, const ct_vec3 *points, size_t count,
                                    const ct_cancel *cancel, ct_hull **out);

/* Intersection of half-spaces n.p + d <= 0; planes[i] = {nx, ny, nz, d}, where n has any nonzero
 * length. Redundant planes are dropped. A vertex is outside a given plane by at most 2^-40 of the
 * largest coordinate, and by only a few u if the planes meet at wide angles. Ownership, `cancel`
 * and `report` as in ct_hull_from_points.
 * CT_UNBOUNDED; CT_EMPTY; CT_DEGENERATE_HULL: no interior, or none that survives rounding;
 * CT_LIMIT, CT_CANCELLED and CT_OUT_OF_MEMORY as in ct_hull_from_points. Duality: Preparata, Muller
 * 1979. */
ct_status ct_hull_from_planes(const double (*planes)[4], size_t count, const ct_cancel *cancel,
                              ct_hull **out, ct_hull_report *report);

/* Builds the hull with each face plane moved inward by `by` > 0, m, for inset rounding; it retains
 * the original hull. CT_EMPTY or CT_DEGENERATE_HULL: `by` is not below the inradius, or too close
 * to it for a solid to remain; other errors as ct_hull_from_planes. */
ct_status ct_hull_inset(const ct_hull *hull, double by, const ct_cancel *cancel, ct_hull **out);
/* Returns the original hull of an inset hull, and any other hull itself; borrowed. */
const ct_hull *ct_hull_outer(const ct_hull *hull);
/* Radius of the largest inscribed ball, m, rounded down by at most 2^-40 of the hull's size. -1:
 * out of memory. Cost as ct_hull_from_planes. */
double ct_hull_inradius(const ct_hull *hull, const ct_cancel *cancel);

/* Sets the caller's ids of the faces; ids: [face_count], copied, in the view's order of faces
 * (ascending by the first two vertices of their loops). Only for a hull that is not shared yet.
 * CT_OUT_OF_MEMORY leaves the hull unchanged. */
ct_status ct_hull_set_surfaces(ct_hull *hull, const uint32_t *ids);
/* Copies the face ids, if any, from the hull `from`. `hull` must have been built from the vertices
 * of `from`, in their order, all scaled by one factor. If rounding split a face, its pieces get its
 * id; if rounding merged faces, the result gets the id of one of them. Errors as
 * ct_hull_set_surfaces. */
ct_status ct_hull_copy_surfaces(ct_hull *hull, const ct_hull *from);

/* Adds a reference, and returns the hull; ct_hull_release drops one, NULL is allowed. Thread-safe.
 */
const ct_hull *ct_hull_retain(const ct_hull *hull);
void ct_hull_release(const ct_hull *hull);
/* View of the hull; valid while it is retained. O(1). */
const ct_hull_view *ct_hull_get(const ct_hull *hull);
/* Memory of the hull, bytes, with its outer hull. */
size_t ct_hull_bytes(const ct_hull *hull);

/* Returns the vertex that maximises direction . p; of exactly equal products, the lowest index.
 * start: vertex at which hill climbing starts, or 0. Small hulls are scanned; large ones use hill
 * climbing over the adjacency with exact comparisons, so the result never depends on `start`. */
uint32_t ct_hull_support(const ct_hull *hull, ct_vec3 direction, uint32_t start);

CT_DECLARATIONS_END

#endif
