/* Internal access to bodies: shapes without a copy, frames and boxes of colliders, sizes in memory,
 * and an order of placed bodies. */
#ifndef SCENE_BODY_H
#define SCENE_BODY_H

#include <contact/scene.h>

/* Overhead of a heap block in bytes: its header and alignment padding. */
#define CT_BLOCK_OVERHEAD 24u

/* Return a collider's shape, and its pose in the body frame, NULL for the identity. Both are owned
 * by the body. */
const ct_shape *ct_body_shape(const ct_body *body, size_t index);
const ct_pose *ct_body_shape_pose(const ct_body *body, size_t index);
ct_text ct_body_collider_id(
    const ct_body *body,
    size_t index); /* id or material of the collider, owned by the body; empty: it has none */

/* Returns a collider's frame in the world; `frame` is the body's. */
static inline ct_frame ct_body_shape_frame(const ct_body *body, size_t index,
                                           const ct_frame *frame) {
  const ct_pose *pose = ct_body_shape_pose(body, index);
  return pose ? ct_frame_mul(*frame, ct_frame_of(*pose)) : *frame;
}

/* Returns the union of the colliders' boxes in the world; ct_aabb_empty if the body has no
 * colliders. */
ct_aabb ct_body_aabb(const ct_body *body, const ct_frame *frame);

/* Compares two placed bodies by content: < 0 if a is before b, 0 if they are equal. The keys are
 * the poses, the numbers of colliders, then each collider's shape and pose; ids and addresses have
 * no influence. */
int ct_body_compare(const ct_body *a, const ct_pose *pose_a, const ct_body *b,
                    const ct_pose *pose_b);

/* Returns the bytes of the body, with the hulls, meshes and elements that its colliders own; posted
 * shapes are not counted. O(colliders) */
size_t ct_body_weight(const ct_body *body);

/* Returns the bytes of the body's block, without hulls and meshes, if it has a single reference,
 * else 0. */
size_t ct_body_owned_bytes(const ct_body *body);

#endif
