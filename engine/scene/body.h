/* Bodies seen from inside the room: their shapes without a copy, placed shapes and boxes, size. */
#ifndef SCENE_BODY_H
#define SCENE_BODY_H

#include <contact/scene.h>

/* Bytes that the heap adds to a block: its head, and what alignment leaves empty. */
#define CT_BLOCK_OVERHEAD 24u

/* A collider's shape, and its pose in the body frame or NULL where that is the identity. Borrowed
 * from the body. */
const ct_shape *ct_body_shape(const ct_body *body, size_t index);
const ct_pose *ct_body_shape_pose(const ct_body *body, size_t index);
ct_text ct_body_collider_id(const ct_body *body, size_t index); /* empty: none; likewise */

/* Frame of a collider in the world, from the body's frame. */
static inline ct_frame ct_body_shape_frame(const ct_body *body, size_t index,
                                           const ct_frame *frame) {
  const ct_pose *pose = ct_body_shape_pose(body, index);
  return pose ? ct_frame_mul(*frame, ct_frame_of(*pose)) : *frame;
}

/* Union of the colliders' boxes; ct_aabb_empty without colliders. */
ct_aabb ct_body_aabb(const ct_body *body, const ct_frame *frame);

/* An order of placed bodies by what they are, whichever is asked first: < 0 when a comes before b.
 * By pose, number of colliders, then each collider's shape and pose. */
int ct_body_compare(const ct_body *a, const ct_pose *pose_a, const ct_body *b,
                    const ct_pose *pose_b);

/* What the body takes with the hulls, meshes and elements of its colliders that are not lent.
 * O(colliders) */
size_t ct_body_weight(const ct_body *body);

/* Bytes of the body's block when it has one holder only, else 0; hulls are not in it. */
size_t ct_body_owned_bytes(const ct_body *body);

#endif
