/* Rays: where a half-line crosses the surface of one placed shape.
 *
 * Shapes are closed: a ray that only touches a shape, or runs within its surface, hits it. Where the line's common part with a
 * convex shape begins is its entry, where it ends its exit; those not behind the origin, and not beyond the reach, are crossings.
 * So a ray from within has an exit alone, and one that touches a ball in one point has both there. What hangs on less than the
 * round-off of the shape's size, as a hit where the ray grazes or an origin on the surface, may fall either way.
 */
#ifndef CONTACT_RAY_H
#define CONTACT_RAY_H

#include <contact/pair.h>

typedef struct ct_ray {
  ct_vec3 origin;    /* world, m */
  ct_vec3 direction; /* of any length but zero: the line is the one through these very numbers */
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

/* The crossings in order: returns how many there are, and writes the first `room` of them. Convex shapes have at most two; of a
 * mesh each way through its triangles is one, those around an edge or a vertex together, `entering` telling whether through the
 * front; along a face a solid is entered and left where the face begins and ends, and an open mesh is entered where the ray comes
 * to it; with room 1 it is enough to find a mesh's first. SIZE_MAX: out of memory, meshes alone. Distances and positions are right
 * to some u of the shape's size, and of the distance, however far the origin is. A normal where faces meet is that of one of them.
 * Cost: closed forms; hulls O(faces); boxes, hulls and the like with a rounding or a margin a few point distances (pair.h) a
 * crossing; meshes as in mesh.h. Sphere as in Haines, Guenther, Akenine-Moeller 2019; slabs: Kay, Kajiya 1986; hulls: Cyrus, Beck
 * 1978; in a ball: van den Bergen 2004, from tangent plane to tangent plane. */
size_t ct_ray_cross(const ct_ray *ray, ct_placed shape, ct_workspace *workspace, ct_ray_crossing *out, size_t room);

#endif
