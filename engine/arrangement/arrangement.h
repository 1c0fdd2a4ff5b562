/* Two solids laid over each other: what of each one's surface is inside the other.
 *
 * The boundary of what two solids share is made of parts of the one's triangles inside the other
 * and the other way round. A part is known by its border, directed: stretches of the triangle's own
 * edges, and segments where triangles of the other pass. Sums over the border give area, centroid
 * and volume of the part, so parts need not be strung into polygons and no piece is classified by
 * a point: errors are those of the border's points.
 *
 * Which edges pass which triangles, and on which side a vertex is, is decided exactly, of the
 * second solid moved by (e, e^2, e^3) with e infinitely small: a configuration without any
 * coincidence, which closes. Faces that lie on each other are put right afterwards
 * (boundary_sums.c). Sources: Franklin 1987 (sums over borders); Edelsbrunner, Muecke 1990
 * (symbolic perturbation); Mirtich 1996 (moments); theory, section 5.3.
 *
 * A part counts as often as the other solid winds around it, as do volume and mass of a mesh that
 * passes through itself.
 */
#ifndef ARRANGEMENT_ARRANGEMENT_H
#define ARRANGEMENT_ARRANGEMENT_H

#include "arrangement/trapezoids.h"
#include "base/double_double.h"
#include "pair/workspace.h"
#include <contact/hull.h>
#include <contact/limits.h>
#include <contact/mesh.h>

/* Segments, and places where edges pass triangles, at most: some 100 MiB. */
#define CT_SURFACE_CROSSINGS_MAX 1000000u

/* The surface of a solid as triangles in the overlay's frame. */
typedef struct ct_placed_surface {
  const ct_vec3 *vertices;      /* [vertex_count] */
  const uint32_t (*corners)[3]; /* [triangle_count] counter-clockwise from outside */
  const uint32_t (*across)[3];  /* [triangle_count] as of a mesh, or NULL: not known */
  uint32_t vertex_count, triangle_count;
  const ct_mesh_view *view; /* of a mesh, for its tree; else NULL */
  const uint32_t
      *faces;     /* [triangle_count] of what is no mesh: the face that a triangle is part of */
  ct_frame frame; /* of the tree in the overlay's frame */
  ct_mat3 size;   /* absolute values of its rotation */
  double slack;   /* what placing does to a box, m */
  ct_aabb box;    /* of the vertices that triangles use */
} ct_placed_surface;

/* A segment that two triangles share, directed as the border of the first solid's part; of the
 * second's the other way round. */
typedef struct ct_arrangement_segment {
  ct_vec3 p, q;                  /* from the overlay's origin */
  uint32_t triangle[2], next[2]; /* the next segment of the same triangle, or CT_NO_TRIANGLE */
} ct_arrangement_segment;

/* A place where an edge of a triangle passes the other solid's surface. Each triangle of the edge
 * has its own, to the same bits. */
typedef struct ct_surface_crossing {
  ct_vec3 point; /* from the overlay's origin */
  double at;     /* along the triangle's edge as it runs, 0 to 1 */
  uint32_t triangle;
  int8_t edge; /* from corner `edge` to the next one */
  int8_t jump; /* what the other solid's winding changes by */
} ct_surface_crossing;

/* Two triangles that lie in one plane, to the rounding of placed points. */
typedef struct ct_coplanar_pair {
  uint32_t triangle[2];
  double height[3]; /* of the first one's corners above the second one's plane, m, right to some u
                       of themselves */
  int8_t side;      /* where these are 0: on which side they are after the move */
} ct_coplanar_pair;

/* What of one triangle is inside the other solid. Coordinates are from the overlay's origin. */
typedef struct ct_arrangement_part {
  uint32_t triangle;
  uint32_t first_segment; /* or CT_NO_TRIANGLE */
  uint32_t first_border;  /* of what is taken out of it when it is cut into triangles, or
                             CT_NO_TRIANGLE */
  uint32_t first_passing, passing_count;
  ct_vec3 normal; /* unit */
  double height;  /* of its plane above the origin */
  double area;
  double shared; /* of it: also surface of the other solid, facing the same way */
  double taken;  /* off it: also surface of the other solid, facing it */
  ct_vec3 first,
      volume_first; /* moments of the area, and of the volume between the origin and the part */
  double volume;
  ct_vec3 gap;   /* from the border's end to its start: zero but for rounding */
  double border; /* length of the border */
  bool seen;     /* its corners' windings are known */
} ct_arrangement_part;

/* One solid's side of the overlay. */
typedef struct ct_arrangement_side {
  int32_t *winding; /* [vertices] of the other solid around a vertex, or CT_ARRANGEMENT_UNKNOWN */
  uint32_t *slot;   /* [triangles] its part, or a CT_OVERLAY mark */
  uint32_t *stack;  /* [triangles] */
  ct_arrangement_part *part; /* [part_count] of the triangles that touch the other surface, in the
                                order they were met */
  ct_surface_crossing *passing; /* by triangle, edge and place */
  size_t winding_room, slot_room, stack_room, part_count, part_room, passing_count, passing_room;
} ct_arrangement_side;

#define CT_ARRANGEMENT_UNKNOWN INT32_MIN
/* Marks in `slot`: a triangle without a part that nobody has come to, and one that somebody has. */
#define CT_ARRANGEMENT_PLAIN UINT32_MAX
#define CT_ARRANGEMENT_SEEN (UINT32_MAX - 1)

/* Kept between pairs; zeroed is empty. */
typedef struct ct_arrangement_scratch {
  ct_arrangement_side side[2];
  ct_arrangement_segment *segment;
  ct_coplanar_pair *flat;
  ct_vec3 *placed;
  size_t segment_count, segment_room, flat_count, flat_room, placed_room;
  ct_border_segment *border; /* [border_count] kept in lists, then those of the part that is cut */
  ct_trapezoid_scratch pieces;
  size_t border_count, border_room;
  ct_vec3 *own_vertex; /* of a skin that is no mesh */
  uint32_t (*own_corner)[3];
  uint32_t *own_face;
  double *face_area; /* [triangles] */
  size_t own_vertex_room, own_corner_room, own_face_room, face_area_room;
  bool out_of_memory; /* memory was refused; never cleared here */
} ct_arrangement_scratch;

/* The arrangement part of a workspace. */
extern const ct_workspace_part_type ct_arrangement_part_type;
static inline ct_arrangement_scratch *ct_workspace_arrangement(ct_workspace *workspace) {
  return ct_workspace_part_of(workspace, CT_SLOT_ARRANGEMENT, &ct_arrangement_part_type);
}
/* Room for `count` items of the array at which `array` points; false: there is none. */
bool ct_arrangement_reserve(ct_arrangement_scratch *m, void *array, size_t item, size_t *room,
                            size_t count);

typedef struct ct_arrangement {
  ct_placed_surface skin[2];
  ct_arrangement_scratch *memory;
  ct_mesh_scratch *flag;
  ct_vec3 origin;     /* in the overlay's frame */
  ct_aabb common;     /* of both skins' boxes, and a little more: outside of it there is nothing in
                         common, nor any face of both */
  double coordinates; /* the largest there are: rounding of points is some u of it */
  bool sound;         /* false: the borders do not close as they must */
  bool winds;         /* the other solid winds around a part not just once */
} ct_arrangement;

/* ---- skins: placed_surfaces.c --------------------------------------------------------------- */

/* Of a solid; `frame` NULL: the overlay's frame is its own. False: no memory. */
bool ct_placed_surface_of_mesh(ct_placed_surface *skin, ct_arrangement_scratch *m,
                               const ct_mesh *mesh, const ct_frame *frame);
bool ct_placed_surface_of_hull(ct_placed_surface *skin, ct_arrangement_scratch *m,
                               const ct_hull *hull, const ct_frame *frame);
/* Faces as numbered in volume.h. */
bool ct_placed_surface_of_box(ct_placed_surface *skin, ct_arrangement_scratch *m, ct_vec3 half,
                              const ct_frame *frame);

/* ---- the steps ------------------------------------------------------------------------------ */

/* Finds what passes what: segments, passings, flats, and a part for each triangle that has any.
 * False: out of room or stopped. */
bool ct_arrangement_find_crossings(ct_arrangement *o);
/* The part of a triangle, made when there is none; NULL without memory. */
ct_arrangement_part *ct_arrangement_part_of(ct_arrangement *o, int side, uint32_t triangle);
/* Windings of vertices and marks of triangles that may be inside. False as above. */
bool ct_arrangement_find_winding(ct_arrangement *o, int side);
/* Adds a stretch of a border to the part, `weight` times. */
void ct_arrangement_add_segment(ct_arrangement_part *part, ct_vec3 p, ct_vec3 q, double weight);
/* The stretches of a part's own edges that are inside, in order. */
typedef bool (*ct_arrangement_take)(void *context, ct_vec3 p, ct_vec3 q, int32_t weight);
bool ct_arrangement_edges(const ct_arrangement *o, int side, const ct_arrangement_part *part,
                          ct_arrangement_take take, void *context);
/* The part of a triangle that nothing passes, all of it `winding` times. */
ct_arrangement_part ct_arrangement_whole(const ct_arrangement *o, int side, uint32_t triangle,
                                         int32_t winding);
/* Heights of points above the plane of a triangle times the length of its normal, which is *size:
 * small differences, so they are taken in double-double. */
void ct_arrangement_heights(const ct_vec3 triangle[3], const ct_vec3 *points, int count,
                            ct_dd *heights, double *size);
/* What two triangles that lie in one plane have in common: where the first is below the second, and
 * the rest. Corners are from the overlay's origin, counter-clockwise with the first one's normal
 * up. Returns whether the two face one way. */
typedef struct ct_arrangement_polygon {
  int count;
  ct_vec3 v[8];
} ct_arrangement_polygon;
bool ct_coplanar_common_area(const ct_arrangement *o, const ct_coplanar_pair *f,
                             ct_arrangement_polygon *below, ct_arrangement_polygon *above);
/* All steps. False: out of room or stopped, nothing is known. */
bool ct_arrangement_build(ct_arrangement *o);

/* Points of borders err by less, in u of the largest coordinate: placing 55 (pair.c), the place on
 * an edge 4, the origin 1. */
#define CT_ARRANGEMENT_ROUNDOFFS 64.0

static inline double ct_arrangement_error(const ct_arrangement *o) {
  return CT_ARRANGEMENT_ROUNDOFFS * CT_UNIT_ROUNDOFF * o->coordinates;
}

static inline void ct_placed_surface_triangle(const ct_placed_surface *skin, uint32_t triangle,
                                              ct_vec3 out[3]) {
  for (int k = 0; k < 3; k++) out[k] = skin->vertices[skin->corners[triangle][k]];
}

static inline ct_aabb ct_triangle_aabb(const ct_vec3 v[3]) {
  return ct_aabb_union(ct_aabb_union((ct_aabb){v[0], v[0]}, (ct_aabb){v[1], v[1]}),
                       (ct_aabb){v[2], v[2]});
}

#endif
