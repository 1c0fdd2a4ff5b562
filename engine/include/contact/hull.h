/* Convex hulls: built once with exact predicates, then immutable and shared by reference count.
 *
 * Vertices and face planes are kept as structure of arrays, each array 64-byte aligned and padded to a multiple of
 * CT_HULL_LANES by repeating its last element, so that a vector loop needs no tail. Coordinates are in the shape's frame, m.
 */
#ifndef CONTACT_HULL_H
#define CONTACT_HULL_H

#include <contact/cancel.h>
#include <contact/linkage.h>
#include <contact/status.h>
#include <contact/vec.h>

CT_DECLARATIONS_BEGIN

#define CT_HULL_LANES 8

typedef struct ct_hull ct_hull;

/* Borrowed view of a hull's arrays; valid while the hull is retained. */
typedef struct ct_hull_view {
  uint32_t vertex_count, face_count, edge_count;
  const double *x, *y, *z;             /* vertices */
  const uint32_t *vertex_input;        /* [vertex_count] index of the input point it came from; UINT32_MAX for hulls of planes */
  const double *nx, *ny, *nz, *offset; /* [face_count] outward unit normals; n.p <= offset inside */
  const uint32_t *face_start;          /* [face_count + 1] into face_loop */
  const uint32_t *face_loop;           /* vertices of each face, counter-clockwise from outside, the lowest first */
  const uint32_t *face_plane;          /* [face_count] the given plane that the face is on; NULL for hulls of points */
  const uint32_t *surface_ids;         /* [face_count] what the caller calls the faces, or NULL */
  const uint32_t *neighbour_start;     /* [vertex_count + 1] into neighbour */
  const uint32_t *neighbour;           /* adjacent vertices of each vertex, ascending */
  const uint32_t (*edge_vertices)[2];  /* [edge_count] lower index first, edges in ascending order */
  const uint32_t (*edge_faces)[2];     /* [edge_count] the faces left and right of the edge, first to second vertex */
  ct_vec3 centroid;                    /* of the volume, m */
  double radius;                       /* of the ball about centroid that holds all vertices, m */
  double volume;                       /* m^3, > 0 */
  ct_mat3 inertia;                     /* about centroid for unit density, kg m^2 */
  ct_aabb box;                         /* of the vertices */
} ct_hull_view;

/* What a failed build tells: the affine dimension of the points (0 point, 1 line, 2 plane), or the plane at fault. */
typedef struct ct_hull_report {
  int rank;         /* 0..3 */
  uint32_t culprit; /* for planes: index of a plane that shows the fault, else UINT32_MAX */
} ct_hull_report;

/* Hull of `count` points (interior and repeated points allowed; bit-equal points are one). Faces whose triangles are exactly
 * coplanar are joined into polygons; a point on a face or an edge is no vertex. Rank and visibility are decided by exact
 * predicates; coordinates below 2^-260 of the largest are read as zero. CT_DEGENERATE_HULL: rank < 3, see report. CT_LIMIT:
 * more than CT_HULL_POINTS_MAX points, or a coordinate that is not finite or beyond 2^300. CT_CANCELLED. Cost O(n log n)
 * expected. The caller owns the reference in *out. Barber, Dobkin, Huhdanpaa 1996 (quickhull); Shewchuk 1997
 * (predicates). `cancel` and `report` may be NULL. */
ct_status ct_hull_from_points(const ct_vec3 *points, size_t count, const ct_cancel *cancel, ct_hull **out, ct_hull_report *report);

/* The same hull, in less time where each of a few points is a vertex of `like` by the same index, all
 * faces of `like` are triangles, and the points' hull has the same ones: of moved points, mostly.
 * Errors and ownership as above. */
ct_status ct_hull_from_moved_points(const ct_hull *like, const ct_vec3 *points, size_t count, const ct_cancel *cancel,
                                    ct_hull **out);

/* Intersection of half-spaces n.p + d <= 0, planes[i] = {nx, ny, nz, d} with n of any length but zero.
 * CT_UNBOUNDED, CT_EMPTY, or CT_DEGENERATE_HULL (no interior, or none that survives rounding), CT_LIMIT and CT_CANCELLED as
 * above. Redundant planes are dropped. No vertex is outside a given plane by more than 2^-40 of the largest coordinate, by some u
 * where angles are wide. Duality: Preparata, Muller 1979. */
ct_status ct_hull_from_planes(const double (*planes)[4], size_t count, const ct_cancel *cancel, ct_hull **out,
                              ct_hull_report *report);

/* The hull with each face plane moved in by `by` > 0 m, for inset rounding; it keeps a reference to the hull that it was made of.
 * CT_EMPTY or CT_DEGENERATE_HULL: `by` is not below the inradius, or too near to it for a solid to be told; others as above. */
ct_status ct_hull_inset(const ct_hull *hull, double by, const ct_cancel *cancel, ct_hull **out);
/* The hull that an inset was made of; any other hull itself. Borrowed. */
const ct_hull *ct_hull_outer(const ct_hull *hull);
/* Radius of the largest ball in the hull, m; at most 2^-40 of the size too small. -1 without memory. Cost as of CT_EMPTY planes. */
double ct_hull_inradius(const ct_hull *hull, const ct_cancel *cancel);

/* Gives each face, in the view's order (ascending by the first two vertices of their loops), the caller's id; the ids are copied.
 * For a hull that nobody else knows yet. CT_OUT_OF_MEMORY leaves it as it was. */
ct_status ct_hull_set_surfaces(ct_hull *hull, const uint32_t *ids);
/* The same with the ids, if any, of a hull from whose vertices, in their order and scaled alike, this one was made. Rounding may
 * have cut a face into pieces or joined two: a piece has its face's id, and a joined face that of one of them. */
ct_status ct_hull_copy_surfaces(ct_hull *hull, const ct_hull *from);

const ct_hull *ct_hull_retain(const ct_hull *hull);
void ct_hull_release(const ct_hull *hull);
const ct_hull_view *ct_hull_get(const ct_hull *hull);
/* Bytes that the hull holds, with those of its outer one. */
size_t ct_hull_bytes(const ct_hull *hull);

/* Vertex of greatest direction.p; lowest index among equals (exactly equal products). `start` is a vertex to climb from, or 0.
 * Small hulls are scanned, large ones climbed over the adjacency with exact comparisons, so the answer never depends on `start`. */
uint32_t ct_hull_support(const ct_hull *hull, ct_vec3 direction, uint32_t start);

CT_DECLARATIONS_END

#endif
