/* Arrangement of the surfaces of two solids: the parts of each surface that are inside the other
 * solid.
 *
 * The boundary of the intersection consists of the parts of each solid's triangles that are inside
 * the other solid. A part is represented by its directed border: sections of the triangle's own
 * edges, and segments where triangles of the other solid cross it. Sums over the border give area,
 * centroid and volume of the part. Parts are therefore neither assembled into polygons nor
 * classified by a sample point, and the only errors are those of the border's points.
 *
 * Which edges cross which triangles, and the winding number of each vertex, are decided exactly for
 * the second solid moved by (e, e^2, e^3) with an infinitesimal e: a configuration without
 * degeneracies, whose borders close. Coplanar faces are corrected afterwards (boundary_sums.c).
 * Sources: Franklin 1987 (boundary sums); Edelsbrunner, Muecke 1990 (symbolic perturbation);
 * Mirtich 1996 (moments). Derivation: arrangement/README.md.
 *
 * A part counts as many times as the other solid winds around it, consistent with volume and mass
 * of a mesh that intersects itself. */
#ifndef ARRANGEMENT_ARRANGEMENT_H
#define ARRANGEMENT_ARRANGEMENT_H

#include "arrangement/trapezoids.h"
#include "base/double_double.h"
#include "pair/workspace.h"
#include <contact/hull.h>
#include <contact/limits.h>
#include <contact/mesh.h>

/* Largest number of segments, and of crossings of each solid's edges: about 100 MiB. */
#define CT_SURFACE_CROSSINGS_MAX 1000000u

/* The surface of a solid as triangles in the arrangement's frame. */
typedef struct ct_placed_surface {
  const ct_vec3 *vertices;      /* [vertex_count] */
  const uint32_t (*corners)[3]; /* [triangle_count] counter-clockwise from outside */
  /* [triangle_count] neighbour across each edge, as in ct_mesh_view; NULL: not known */
  const uint32_t (*across)[3];
  uint32_t vertex_count, triangle_count;
  /* mesh of the solid, whose tree is searched; NULL if the solid is no mesh */
  const ct_mesh_view *view;
  /* [triangle_count] if the solid is a hull or box: face that contains each triangle */
  const uint32_t *faces;
  /* maps the mesh's own frame, in which its tree is, to the arrangement's frame */
  ct_frame frame;
  ct_mat3 size; /* absolute values of the frame's rotation, to transform boxes */
  double slack; /* upper bound of the round-off of a transformed node box, m */
  ct_aabb box;  /* AABB of the vertices that triangles use */
} ct_placed_surface;

/* A segment in which two triangles intersect, one of each solid. It is directed as part of the
 * border of the first solid's part; the border of the second solid's part contains it reversed. */
typedef struct ct_arrangement_segment {
  ct_vec3 p, q; /* end points, relative to the arrangement's origin, m */
  /* triangles of the first and second solid; for each, the next segment in its list, or
   * CT_NO_TRIANGLE */
  uint32_t triangle[2], next[2];
} ct_arrangement_segment;

/* A point in which an edge of a triangle crosses the other solid's surface. Each of the two
 * triangles at the edge has its own crossing, with a bit-equal point. */
typedef struct ct_surface_crossing {
  ct_vec3 point; /* relative to the arrangement's origin, m */
  double at;     /* position along the triangle's directed edge, 0 at its start, 1 at its end */
  uint32_t triangle;
  int8_t edge; /* the edge from corner `edge` of the triangle to the next corner */
  int8_t jump; /* change of the other solid's winding number as the edge crosses its surface, in the
                  direction of the edge */
} ct_surface_crossing;

/* Two triangles, one of each solid, that are coplanar up to the round-off of transformed points. */
typedef struct ct_coplanar_pair {
  uint32_t triangle[2];
  /* signed distances of the first triangle's corners from the second one's plane, m; their relative
   * error is a few unit round-offs */
  double height[3];
  /* if all heights are 0: side of the second one's plane on which the perturbation puts the first
   * triangle */
  int8_t side;
} ct_coplanar_pair;

/* The part of one triangle inside the other solid. Coordinates are relative to the arrangement's
 * origin. */
typedef struct ct_arrangement_part {
  uint32_t triangle;
  uint32_t first_segment; /* index in `segment` of the first intersection segment on the part's
                             triangle, which begins a linked list; CT_NO_TRIANGLE: there is none */
  /* head of the list of border segments, in `border` of the scratch, of the area that coplanar
   * faces subtract; only set when the part is triangulated, else CT_NO_TRIANGLE */
  uint32_t first_border;
  uint32_t first_crossing, crossing_count;
  ct_vec3 normal; /* unit */
  double height;  /* signed distance of the part's plane from the origin, along the part's normal,
                     m */
  double area;
  /* area of the portion that is also surface of the other solid, with the same normal; included in
   * `area` */
  double shared;
  /* area of the portion that is also surface of the other solid, with the opposite normal; not
   * included in `area` */
  double subtracted;
  /* first moments: of the area, and of the volume of the cone from the origin over the part */
  ct_vec3 first, volume_first;
  /* signed volume of the cone from the origin over the part */
  double volume;
  /* sum of the directed segments of the part's border: zero for a closed border, up to round-off */
  ct_vec3 gap;
  double border; /* length of the border */
  bool seen;     /* true if the other solid's winding numbers at the corners of the part's triangle
                    are known */
} ct_arrangement_part;

/* Results and scratch memory for one solid of the arrangement. */
typedef struct ct_arrangement_side {
  /* [vertices] winding number of the other solid around each vertex, or CT_ARRANGEMENT_UNKNOWN */
  int32_t *winding;
  uint32_t *slot;  /* [triangles] index in `part` of each triangle's part, or one of the marks
                      CT_ARRANGEMENT_PLAIN and CT_ARRANGEMENT_SEEN */
  uint32_t *stack; /* [triangles] scratch of flood fills */
  /* [part_count] parts of the triangles that meet the other surface, in the order in which they
   * were found */
  ct_arrangement_part *part;
  ct_surface_crossing *crossing; /* sorted by triangle, edge and position */
  size_t winding_room, slot_room, stack_room, part_count, part_room, crossing_count, crossing_room;
} ct_arrangement_side;

#define CT_ARRANGEMENT_UNKNOWN INT32_MIN
/* Marks in `slot` for triangles without a part: PLAIN if not visited yet, SEEN if visited. */
#define CT_ARRANGEMENT_PLAIN UINT32_MAX
#define CT_ARRANGEMENT_SEEN (UINT32_MAX - 1)

/* Scratch memory, reused for the next pair; zeroed is empty. */
typedef struct ct_arrangement_scratch {
  ct_arrangement_side side[2];
  ct_arrangement_segment *segment;
  ct_coplanar_pair *coplanar;
  ct_vec3 *placed;
  size_t segment_count, segment_room, coplanar_count, coplanar_room, placed_room;
  /* [border_count] first the border segments that parts list, then those of the part being
   * triangulated */
  ct_border_segment *border;
  /* scratch memory of the triangulation */
  ct_trapezoid_scratch pieces;
  size_t border_count, border_room;
  ct_vec3 *own_vertex; /* vertices, corners and faces of a solid that is a hull or a box */
  uint32_t (*own_corner)[3];
  uint32_t *own_face;
  double *face_area; /* [triangles] */
  size_t own_vertex_room, own_corner_room, own_face_room, face_area_room;
  bool out_of_memory; /* an allocation failed; set here, cleared only by the owner of the scratch
                         memory */
} ct_arrangement_scratch;

/* Returns the arrangement part of a workspace. */
extern const ct_workspace_part_type ct_arrangement_part_type;
static inline ct_arrangement_scratch *ct_workspace_arrangement(ct_workspace *workspace) {
  return ct_workspace_part_of(workspace, CT_SLOT_ARRANGEMENT, &ct_arrangement_part_type);
}
/* Reserves room for `count` items of `item` bytes in an array. array: address of the pointer to the
 * array; *room: its capacity in items. False: out of memory, and m->out_of_memory is set. */
bool ct_arrangement_reserve(ct_arrangement_scratch *m, void *array, size_t item, size_t *room,
                            size_t count);

typedef struct ct_arrangement {
  ct_placed_surface surface[2];
  ct_arrangement_scratch *memory;
  ct_mesh_scratch *flag;
  ct_vec3 origin; /* in the arrangement's frame */
  /* intersection of the AABBs of both surfaces, slightly enlarged: triangles outside of it can
   * neither be inside the other solid nor coplanar with one of its faces */
  ct_aabb common;
  /* largest absolute coordinate of both surfaces, m; points have a round-off of a few unit
   * round-offs of this coordinate */
  double coordinates;
  bool sound; /* false: the borders of some parts are not closed, so the sums of areas and volumes
                 are wrong */
  bool winds; /* true if the winding number on either side of some part is neither 0 nor 1 */
} ct_arrangement;

/* ---- surfaces: placed_surfaces.c ------------------------------------------------------------ */

/* Make the surface of a solid in the arrangement's frame. frame: pose of the solid; NULL: the
 * arrangement's frame is the solid's own. False: out of memory. */
bool ct_placed_surface_of_mesh(ct_placed_surface *surface, ct_arrangement_scratch *m,
                               const ct_mesh *mesh, const ct_frame *frame);
bool ct_placed_surface_of_hull(ct_placed_surface *surface, ct_arrangement_scratch *m,
                               const ct_hull *hull, const ct_frame *frame);
/* As above, for a box with these half extents; its faces are numbered as in volume.h. */
bool ct_placed_surface_of_box(ct_placed_surface *surface, ct_arrangement_scratch *m, ct_vec3 half,
                              const ct_frame *frame);

/* ---- steps ---------------------------------------------------------------------------------- */

/* Finds the segments, crossings and coplanar pairs, and makes a part for each triangle that has
 * any. False: out of memory, cancelled, or more than CT_SURFACE_CROSSINGS_MAX. */
bool ct_arrangement_find_crossings(ct_arrangement *o);
/* Returns the part of a triangle, which is made if there is none yet. NULL: out of memory. */
ct_arrangement_part *ct_arrangement_part_of(ct_arrangement *o, int side, uint32_t triangle);
/* Computes the winding numbers of one solid's vertices, and marks the triangles that may be inside
 * the other solid. False: out of memory or cancelled. */
bool ct_arrangement_find_winding(ct_arrangement *o, int side);
/* Adds the directed border segment from p to q to the sums of a part, `weight` times. */
void ct_arrangement_add_segment(ct_arrangement_part *part, ct_vec3 p, ct_vec3 q, double weight);
/* Calls visit for the sections of the triangle's own edges that are inside the other solid, in
 * order, with the winding number there as weight. False if a visit returned false. */
typedef bool (*ct_arrangement_visit)(void *context, ct_vec3 p, ct_vec3 q, int32_t weight);
bool ct_arrangement_edges(const ct_arrangement *o, int side, const ct_arrangement_part *part,
                          ct_arrangement_visit visit, void *context);
/* Returns the part of a triangle that nothing crosses: the whole triangle, `winding` times. */
ct_arrangement_part ct_arrangement_whole(const ct_arrangement *o, int side, uint32_t triangle,
                                         int32_t winding);
/* Computes for each point its signed distance from the plane of the triangle, times *size, the
 * length of the triangle's normal (b - a) x (c - a). In double-double, because these are small
 * differences of coordinates. */
void ct_arrangement_heights(const ct_vec3 triangle[3], const ct_vec3 *points, int count,
                            ct_dd *heights, double *size);
/* Common area of two coplanar triangles, split into the polygon where the first triangle is below
 * the second, and the polygon where it is above. Vertices are relative to the arrangement's origin,
 * counter-clockwise seen with the first one's normal up. True if both normals point the same
 * way. */
typedef struct ct_arrangement_polygon {
  int count;
  ct_vec3 v[8];
} ct_arrangement_polygon;
bool ct_coplanar_common_area(const ct_arrangement *o, const ct_coplanar_pair *f,
                             ct_arrangement_polygon *below, ct_arrangement_polygon *above);
/* Runs all steps. Returns false if out of memory or cancelled; the result is then undefined. */
bool ct_arrangement_build(ct_arrangement *o);

/* Upper bound of the error of border points, in u of the largest coordinate: transformation to the
 * frame 55 (pair.c), position on an edge 4, subtraction of the origin 1. */
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
