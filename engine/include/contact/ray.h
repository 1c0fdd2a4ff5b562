/* Ray casts: the points at which a ray crosses the surface of one placed shape.
 *
 * Solids. At a crossing the line of the ray passes from inside the solid to outside, or vice versa.
 * A solid is closed: a ray within a face or along an edge is inside there, and enters and leaves at
 * the ends of the common part of line and solid. A point of mere contact, where the line is outside
 * (or inside) before and after, is no crossing: a tangent of a ball, a line past a vertex, a line
 * through an edge that two parts share. The whole line counts: a ray that starts on the surface
 * crosses it at distance 0 if the line does. Crossings behind the origin or beyond the reach are
 * omitted; the first crossing of a ray from inside is an exit. Entries and exits alternate.
 *
 * Surface meshes have no interior. A ray crosses such a mesh where the line passes through it, from
 * front or back, also at a vertex or edge; at a border edge; and once for all connected triangles
 * that are coplanar with the ray. A line that touches a fold or peak and stays on one side does not
 * cross.
 *
 * Accuracy. For meshes the decisions are exact for the ray in the mesh's frame, so entries and
 * exits always alternate. The transformation to that frame is exact under three conditions: the
 * rotation consists of quarter turns about the axes (within 16 u), origin - position is exact in
 * doubles, and the origin is within 2^20 radii. Otherwise it is rounded. For other shapes,
 * differences below the round-off of the shape's size may be decided either way. This concerns
 * grazing rays: chords shorter than that count as touching, and an exit closer behind the origin
 * than that is reported at the origin. */
#ifndef CONTACT_RAY_H
#define CONTACT_RAY_H

#include <contact/base.h>
#include <contact/pair.h>

CT_DECLARATIONS_BEGIN

typedef struct ct_ray {
  ct_vec3 origin;    /* world, m */
  ct_vec3 direction; /* direction of the ray, of any length; a ray with a zero direction crosses
                        nothing */
  /* crossings farther from the origin are omitted, m; INFINITY: all are reported */
  double reach;
} ct_ray;

typedef struct ct_ray_crossing {
  double distance;   /* distance from the origin along the ray, >= 0, m */
  ct_vec3 position;  /* point on the surface, world, m */
  ct_vec3 normal;    /* unit normal of the surface at `position`, out of the shape */
  bool entering;     /* true: the ray enters the shape; false: it leaves it */
  uint32_t triangle; /* triangle of a mesh that contains `position`; other shapes: CT_NO_TRIANGLE */
  /* OK; or ITERATION_LIMIT: then the crossing is approximate: an entry is certainly no nearer, an
   * exit certainly no farther */
  ct_pair_status status;
} ct_ray_crossing;

/* Finds the crossings of a ray with a placed shape: returns their number, and writes the first
 * `capacity` of them in the order of distance. Convex shapes have at most two. SIZE_MAX: out of
 * memory (meshes only). At a mesh's vertex or edge there is one crossing, with the lowest triangle
 * crossed in that direction. Inner walls of overlapping parts are no crossings. With capacity 1 the
 * search ends at a mesh's first crossing. Errors of distances and positions are a few unit
 * round-offs of the shape's size and the distance, for any origin. At an edge the normal is that of
 * one adjacent face.
 * Cost: closed forms for most kinds; hulls O(faces); rounded boxes, hulls and similar a few point
 * distances (pair.h) per crossing; meshes as in mesh.h, with exact arithmetic only if doubles leave
 * a sign open. Sphere: Haines, Guenther, Akenine-Moeller 2019; slabs: Kay, Kajiya 1986; hulls:
 * Cyrus, Beck 1978; rounded shapes: van den Bergen 2004; meshes: Segura, Feito 2001, with
 * simulation of simplicity at vertices and edges (Edelsbrunner, Muecke 1990). */
size_t ct_ray_cross(const ct_ray *ray, ct_placed shape, ct_workspace *workspace,
                    ct_ray_crossing *out, size_t capacity);

CT_DECLARATIONS_END

#endif
