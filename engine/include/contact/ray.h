/* Rays: where a half-line crosses the surface of one placed shape.
 *
 * A crossing is where the points of the line just before and just after are one inside and one
 * outside. A solid is closed: its surface belongs to it, so a ray that runs within a face or along
 * an edge is inside there, and enters and leaves where the solid begins and ends along the line. A
 * point in which the line only touches, with outside on both sides or inside on both, is no
 * crossing: a tangent of a ball, a line past a corner, a line through an edge that two parts share.
 * Before and after are points of the line through the origin: a ray that starts on the surface
 * crosses it at distance 0 where the line does. Crossings behind the origin and beyond the reach
 * are none; a ray from within has its exits alone. Each solid is entered and left in turns.
 *
 * A surface (a mesh that is no solid) has no inside. It is crossed where the line passes it,
 * through the front or the back, at a vertex and an edge too; on a rim; and where a ray comes to
 * triangles in whose plane it runs, or starts within them, once for all that are joined along it. A
 * line that touches a fold or a peak and stays on one side does not cross it.
 *
 * Of meshes all of this is exact for the ray as it is in the mesh's frame, and so crossings always
 * alternate. The ray comes there without rounding where the frame's rotation is made of quarter
 * turns about the axes (to 16 u, which count as exact ones), the differences between origin and
 * position are doubles, and the origin is not farther than 2^20 radii; else its numbers are
 * rounded. Of other shapes what hangs on less than the round-off of the shape's size may fall
 * either way: whether a ray grazes or crosses; chords of such a length are touches, and an exit so
 * little behind the origin is at the origin.
 */
#ifndef CONTACT_RAY_H
#define CONTACT_RAY_H

#include <contact/linkage.h>
#include <contact/pair.h>

CT_DECLARATIONS_BEGIN

typedef struct ct_ray {
  ct_vec3 origin;    /* world, m */
  ct_vec3 direction; /* the line is the one through these very numbers; of length zero: no line, which
                      * crosses nothing */
  double reach;      /* crossings farther from the origin are none, m; INFINITY: any */
} ct_ray;

typedef struct ct_ray_crossing {
  double distance;       /* from the origin along the ray, >= 0, m */
  ct_vec3 position;      /* on the surface, world */
  ct_vec3 normal;        /* of the surface there, unit, out of the shape */
  bool entering;         /* else leaving */
  uint32_t triangle;     /* of a mesh; else CT_NO_TRIANGLE */
  ct_pair_status status; /* OK, or ITERATION_LIMIT: an entry is then certainly no nearer, an exit no farther */
} ct_ray_crossing;

/* The crossings in order: returns how many there are, and writes the first `room` of them. Convex
 * shapes have at most two. At one vertex or edge of a mesh there is one crossing, whose triangle
 * has the lowest number of those passed that way; walls within a solid, of parts that overlap, are
 * none. With room 1 it is enough to find a mesh's first. SIZE_MAX: out of memory, meshes alone.
 * Distances and positions are right to some u of the shape's size, and of the distance, however far
 * the origin is. A normal where faces meet is that of one of them. Cost: closed forms; hulls
 * O(faces); boxes, hulls and the like with a rounding or a margin a few point distances (pair.h) a
 * crossing; meshes as in mesh.h, exact arithmetic only where doubles leave a sign open. Sphere as
 * in Haines, Guenther, Akenine-Moeller 2019; slabs: Kay, Kajiya 1986; hulls: Cyrus, Beck 1978; in a
 * ball: van den Bergen 2004, from tangent plane to tangent plane; meshes: Segura, Feito 2001, with
 * vertices and edges by simulation of simplicity, Edelsbrunner, Muecke 1990. */
size_t ct_ray_cross(const ct_ray *ray, ct_placed shape, ct_workspace *workspace, ct_ray_crossing *out, size_t room);

CT_DECLARATIONS_END

#endif
