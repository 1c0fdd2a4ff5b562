/* Double-double geometry of a pair of polyhedra, for thin intersections.
 *
 * Placing a body in double arithmetic rounds its points by some u of the pair's size, a large part
 * of a thin intersection. Here placed points, planes and heights have about 106 bits.
 */
#ifndef VOLUME_VOLUME_DOUBLE_DOUBLE_H
#define VOLUME_VOLUME_DOUBLE_DOUBLE_H

#include "base/double_double.h"
#include "volume/volume_body.h"
#include <contact/volume.h>

/* parent = (x . local, y . local, z . local) + position: rows of the rotation. */
typedef struct ct_wide_frame {
  ct_dd3 x, y, z, position;
} ct_wide_frame;

/* n . p = offset. The normal is unit up to several u; its further digits belong to the plane
 * through the points. */
typedef struct ct_wide_plane {
  ct_dd3 normal;
  ct_dd offset;
} ct_wide_plane;

/* Frame of b in a's frame. `poses` gives the rotations before rounding to frames; without them, the
 * frames' numbers are exact. Cost: about 3000 flops. */
ct_wide_frame ct_wide_relative(const ct_placed *a, const ct_volume_poses *poses_a,
                               const ct_placed *b, const ct_volume_poses *poses_b);

/* A point in the parent frame. */
ct_dd3 ct_wide_place(const ct_wide_frame *frame, ct_vec3 local);

/* Height of a point over a plane. */
ct_dd ct_wide_height(const ct_wide_plane *plane, const ct_dd3 *point);

/* Surface of a half-space placed by `frame`: z = height in its own frame. */
ct_wide_plane ct_wide_half_space(const ct_wide_frame *frame, double height);

/* Plane of a face through three of its vertices, the triangle of largest area from its first
 * vertex. `frame` NULL: the body's own frame. Cost: O(vertices of the face). */
ct_wide_plane ct_wide_face(const ct_volume_body *body, uint32_t face, const ct_wide_frame *frame);

/* Bound of the distance between a shape's surface and the planes it was given by, m. Nonzero only
 * for a hull of planes, with rounded vertices and unit normals. Cost: O(vertices of all faces). */
double ct_wide_plane_error(const ct_convex_proxy *proxy);

/* Twice the signed area of a triangle, positive if counter-clockwise against the normal. Relative
 * error: some u, even for slivers. */
double ct_wide_double_area(const ct_dd3 corner[3], ct_vec3 normal);

/* Square root of a >= 0. */
ct_dd ct_dd_sqrt(ct_dd a);

static inline ct_dd3 ct_dd3_minus(const ct_dd3 *a, const ct_dd3 *b) {
  return (ct_dd3){ct_dd_add(a->x, ct_dd_neg(b->x)), ct_dd_add(a->y, ct_dd_neg(b->y)),
                  ct_dd_add(a->z, ct_dd_neg(b->z))};
}

#endif
