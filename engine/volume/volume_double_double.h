/* Double-double geometry of a pair of polyhedra, for thin intersections.
 *
 * Transforming a body in double arithmetic rounds its points by a few unit round-offs of the pair's
 * size, which may be a large fraction of a thin intersection's width. Here, transformed points,
 * planes and heights have about 106 bits. */
#ifndef VOLUME_VOLUME_DOUBLE_DOUBLE_H
#define VOLUME_VOLUME_DOUBLE_DOUBLE_H

#include "base/double_double.h"
#include "volume/volume_body.h"
#include <contact/volume.h>

/* A transformation: p in the parent = (x . p, y . p, z . p) + position, with x, y, z the rows of
 * the rotation. */
typedef struct ct_wide_frame {
  ct_dd3 x, y, z, position;
} ct_wide_frame;

/* The plane normal . p = offset. The normal is a unit vector up to a few unit round-offs; its lower
 * digits are those of the plane through the face's vertices, not of the unit length. */
typedef struct ct_wide_plane {
  ct_dd3 normal;
  ct_dd offset;
} ct_wide_plane;

/* Returns the frame of b in a's frame. If a pose is given, its rotation is used as it was before it
 * was rounded to a frame; otherwise the numbers of the frame count as exact. Cost: about 3000
 * flops. */
ct_wide_frame ct_wide_relative(const ct_placed *a, const ct_volume_poses *poses_a,
                               const ct_placed *b, const ct_volume_poses *poses_b);

/* Transforms a point to the parent frame. */
ct_dd3 ct_wide_place(const ct_wide_frame *frame, ct_vec3 local);

/* Returns the height of a point above a plane, in multiples of the normal's length. */
ct_dd ct_wide_height(const ct_wide_plane *plane, const ct_dd3 *point);

/* Returns the surface of a half-space, which is z = height in its own frame, transformed by
 * `frame`. */
ct_wide_plane ct_wide_half_space(const ct_wide_frame *frame, double height);

/* Returns the plane of a face through three of its vertices: of the triangles from its first
 * vertex, the one of largest area. frame NULL: in the body's own frame. Cost: O(vertices of the
 * face). */
ct_wide_plane ct_wide_face(const ct_volume_body *body, uint32_t face, const ct_wide_frame *frame);

/* Returns an upper bound of the distance between a shape's surface and the planes by which it was
 * given, m. Nonzero only for a hull given by planes, whose vertices and unit normals are rounded.
 * Cost: O(vertices of all faces). */
double ct_wide_plane_error(const ct_convex_proxy *proxy);

/* Returns twice the signed area of a triangle, positive if it is counter-clockwise seen against the
 * normal. Relative error: a few unit round-offs, even for slivers. */
double ct_wide_double_area(const ct_dd3 corner[3], ct_vec3 normal);

/* Returns the square root of a; a >= 0 is required. */
ct_dd ct_dd_sqrt(ct_dd a);

static inline ct_dd3 ct_dd3_minus(const ct_dd3 *a, const ct_dd3 *b) {
  return (ct_dd3){ct_dd_add(a->x, ct_dd_neg(b->x)), ct_dd_add(a->y, ct_dd_neg(b->y)),
                  ct_dd_add(a->z, ct_dd_neg(b->z))};
}

#endif
