/* Arrangement of the surfaces of two solids: the parts of each surface that are inside the other
 * solid.
 *
 * The boundary of the intersection consists of parts of the one's triangles inside the other, and
 * vice versa. A part is represented by its directed border: sections of the triangle's own edges,
 * and segments where triangles of the other solid cross it. Sums over the border give area,
 * centroid and volume of the part. Parts are therefore not assembled into polygons, and none is
 * classified by a sample point; errors are those of the border's points.
 *
 * Which edges cross which triangles, and the winding number of each vertex, are decided exactly for
 * the second solid moved by (e, e^2, e^3) with an infinitesimal e: a configuration without
 * degeneracies, whose borders close. Coplanar faces are corrected afterwards (boundary_sums.c).
 * Sources: Franklin 1987 (boundary sums); Edelsbrunner, Muecke 1990 (symbolic perturbation);
 * Mirtich 1996 (moments). Derivation: arrangement/README.md.
 *
 * A part counts as often as the other solid winds around it, consistent with volume and mass of a
 * mesh that intersects itself.
 */
#ifndef ARRANGEMENT_ARRANGEMENT_H
#define ARRANGEMENT_ARRANGEMENT_H

#include "arrangement/trapezoids.h"
#include "base/double_double.h"
#include "pair/workspace.h"
#include <contact/hull.h>
#include <contact/limits.h>
#include <contact/mesh.h>

/* Limit of segments, and of crossings of each side: about 100 MiB. */
#define CT_SURFACE_CROSSINGS_MAX 1000000u

/* The surface of a solid as triangles in the arrangement's frame. */
typedef struct ct_placed_surface {
  const ct_vec3 *vertices;      /* [vertex_count] */
  const uint32_t (*corners)[3]; /* [triangle_count] counter-clockwise from outside */
  const uint32_t (*across)[3];  /* [triangle_count] as of a mesh; NULL: not known */
  uint32_t vertex_count, triangle_count;
  const ct_mesh_view *view; /* mesh, for its tree; NULL if the solid is no mesh */
  const uint32_t *faces; /* [triangle_count] of a hull or box: the face that contains a triangle */
  ct_frame frame;        /* of the tree in the arrangement's frame */
  ct_mat3 size;          /* absolute values of its rotation */
  double slack;          /* round-off of the placement of a box, m */
  ct_aabb box;           /* of the vertices that triangles use */
} ct_placed_surface;

/* A segment common to two triangles, directed as the border of the first solid's part; the second's
 * part has it reversed. */
typedef struct ct_arrangement_segment {
  ct_vec3 p, q;                  /* from the arrangement's origin */
  uint32_t triangle[2], next[2]; /* next segment of the same triangle, or CT_NO_TRIANGLE */
} ct_arrangement_segment;

/* A point where an edge of a triangle crosses the other solid's surface. Both triangles of the edge
 * have their own crossing, equal bit by bit. */
typedef struct ct_surface_crossing {
  ct_vec3 point; /* from the arrangement's origin */
  double at;     /* along the triangle's directed edge, 0 to 1 */
  uint32_t triangle;
  int8_t edge; /* from corner `edge` to the next one */
  int8_t jump; /* change of the other solid's winding number */
} ct_surface_crossing;

/* Two triangles that are coplanar to the round-off of placed points. */
typedef struct ct_coplanar_pair {
  uint32_t triangle[2];
  double height[3]; /* of the first one's corners above the second one's plane, m; relative error
                       some u */
  int8_t side;      /* where the heights are 0: side of the first one after the perturbation */
} ct_coplanar_pair;

/* The part of one triangle inside the other solid. Coordinates are from the arrangement's origin.
 */
typedef struct ct_arrangement_part {
  uint32_t triangle;
  uint32_t first_segment; /* or CT_NO_TRIANGLE */
  uint32_t first_border;  /* of the area subtracted by coplanar faces when the part is triangulated,
                             or CT_NO_TRIANGLE */
  uint32_t first_crossing, crossing_count;
  ct_vec3 normal; /* unit */
  double height;  /* of its plane above the origin */
  double area;
  double shared; /* part of `area` that is also surface of the other solid, with the same normal */
  double
      subtracted; /* area subtracted: also surface of the other solid, with the opposite normal */
  ct_vec3 first,
      volume_first; /* moments of the area, and of the volume between the origin and the part */
  double volume;
  ct_vec3 gap;   /* sum of the border's vectors: zero except for round-off */
  double border; /* length of the border */
  bool seen;     /* the winding numbers of its corners are known */
} ct_arrangement_part;

/* One solid's side of the arrangement. */
typedef struct ct_arrangement_side {
  int32_t *winding; /* [vertices] winding number of the other solid, or CT_ARRANGEMENT_UNKNOWN */
  uint32_t *slot;   /* [triangles] index of its part, or a CT_ARRANGEMENT mark */
  uint32_t *stack;  /* [triangles] */
  ct_arrangement_part *part; /* [part_count] of the triangles that meet the other surface, in the
                                order they were found */
  ct_surface_crossing *crossing; /* sorted by triangle, edge and position */
  size_t winding_room, slot_room, stack_room, part_count, part_room, crossing_count, crossing_room;
} ct_arrangement_side;

#define CT_ARRANGEMENT_UNKNOWN INT32_MIN
/* Marks in `slot`: triangles without a part, not visited yet and visited. */
#define CT_ARRANGEMENT_PLAIN UINT32_MAX
#define CT_ARRANGEMENT_SEEN (UINT32_MAX - 1)

/* Scratch memory, reused for the next pair; zeroed is empty. */
typedef struct ct_arrangement_scratch {
  ct_arrangement_side side[2];
  ct_arrangement_segment *segment;
  ct_coplanar_pair *coplanar;
  ct_vec3 *placed;
  size_t segment_count, segment_room, coplanar_count, coplanar_room, placed_room;
  ct_border_segment *border; /* [border_count] in lists, then those of the triangulated part */
  ct_trapezoid_scratch pieces;
  size_t border_count, border_room;
  ct_vec3 *own_vertex; /* of a surface that is no mesh */
  uint32_t (*own_corner)[3];
  uint32_t *own_face;
  double *face_area; /* [triangles] */
  size_t own_vertex_room, own_corner_room, own_face_room, face_area_room;
  bool out_of_memory; /* an allocation failed; never cleared here */
} ct_arrangement_scratch;

/* Returns the arrangement part of a workspace. */
extern const ct_workspace_part_type ct_arrangement_part_type;
static inline ct_arrangement_scratch *ct_workspace_arrangement(ct_workspace *workspace) {
  return ct_workspace_part_of(workspace, CT_SLOT_ARRANGEMENT, &ct_arrangement_part_type);
}
/* Reserves room for `count` items of the array at which `array` points; returns false if out of
 * memory. */
bool ct_arrangement_reserve(ct_arrangement_scratch *m, void *array, size_t item, size_t *room,
                            size_t count);

typedef struct ct_arrangement {
  ct_placed_surface surface[2];
  ct_arrangement_scratch *memory;
  ct_mesh_scratch *flag;
  ct_vec3 origin; /* in the arrangement's frame */
  ct_aabb common; /* intersection of both surfaces' boxes, slightly enlarged: nothing outside of it
                     is common to both solids or coplanar with a face of the other */
  double coordinates; /* the largest coordinate: the round-off of points is some u of it */
  bool sound;         /* false: the borders do not close */
  bool winds;         /* the winding number around a part is not always 1 */
} ct_arrangement;

/* ---- surfaces: placed_surfaces.c ------------------------------------------------------------ */

/* Surface of a solid. `frame` NULL: the arrangement's frame is the solid's own. Returns false if
 * out of memory. */
bool ct_placed_surface_of_mesh(ct_placed_surface *surface, ct_arrangement_scratch *m,
                               const ct_mesh *mesh, const ct_frame *frame);
bool ct_placed_surface_of_hull(ct_placed_surface *surface, ct_arrangement_scratch *m,
                               const ct_hull *hull, const ct_frame *frame);
/* Faces as numbered in volume.h. */
bool ct_placed_surface_of_box(ct_placed_surface *surface, ct_arrangement_scratch *m, ct_vec3 half,
                              const ct_frame *frame);

/* ---- steps ---------------------------------------------------------------------------------- */

/* Finds segments, crossings and coplanar pairs, and makes a part for each triangle that has any.
 * Returns false if out of memory or cancelled. */
bool ct_arrangement_find_crossings(ct_arrangement *o);
/* Returns the part of a triangle, made if there is none; NULL if out of memory. */
ct_arrangement_part *ct_arrangement_part_of(ct_arrangement *o, int side, uint32_t triangle);
/* Computes the winding numbers of vertices, and marks triangles that may be inside. Returns false
 * if out of memory or cancelled. */
bool ct_arrangement_find_winding(ct_arrangement *o, int side);
/* Adds a border section to the sums of a part, `weight` times. */
void ct_arrangement_add_segment(ct_arrangement_part *part, ct_vec3 p, ct_vec3 q, double weight);
/* Visits the sections of a triangle's own edges that are inside the other solid, in order. */
typedef bool (*ct_arrangement_visit)(void *context, ct_vec3 p, ct_vec3 q, int32_t weight);
bool ct_arrangement_edges(const ct_arrangement *o, int side, const ct_arrangement_part *part,
                          ct_arrangement_visit visit, void *context);
/* Returns the part of a triangle that nothing crosses: all of it, `winding` times. */
ct_arrangement_part ct_arrangement_whole(const ct_arrangement *o, int side, uint32_t triangle,
                                         int32_t winding);
/* Computes the heights of points above the plane of a triangle times the length *size of its
 * normal; in double-double, because they are small differences. */
void ct_arrangement_heights(const ct_vec3 triangle[3], const ct_vec3 *points, int count,
                            ct_dd *heights, double *size);
/* The intersection of two coplanar triangles: where the first is below the second, and the rest.
 * Corners are from the arrangement's origin, counter-clockwise with the first one's normal up.
 * Returns true if both normals point the same way. */
typedef struct ct_arrangement_polygon {
  int count;
  ct_vec3 v[8];
} ct_arrangement_polygon;
bool ct_coplanar_common_area(const ct_arrangement *o, const ct_coplanar_pair *f,
                             ct_arrangement_polygon *below, ct_arrangement_polygon *above);
/* Runs all steps. Returns false if out of memory or cancelled; the result is then undefined. */
bool ct_arrangement_build(ct_arrangement *o);

/* Bound of the error of border points, in u of the largest coordinate: placement 55 (pair.c), the
 * position on an edge 4, the origin 1. */
#define CT_ARRANGEMENT_ROUNDOFFS 64.0

static inline double ct_arrangement_error(const ct_arrangement *o) {
  return CT_ARRANGEMENT_ROUNDOFFS * CT_UNIT_ROUNDOFF * o->coordinates;
}

static inline void ct_placed_surface_triangle(const ct_placed_surface *surface, uint32_t triangle,
                                              ct_vec3 out[3]) {
  for (int k = 0; k < 3; k++) out[k] = surface->vertices[surface->corners[triangle][k]];
}

static inline ct_aabb ct_triangle_aabb(const ct_vec3 v[3]) {
  return ct_aabb_union(ct_aabb_union((ct_aabb){v[0], v[0]}, (ct_aabb){v[1], v[1]}),
                       (ct_aabb){v[2], v[2]});
}

#endif
