/* Internal access to bodies: shapes without a copy, placed shapes and boxes, sizes, an order of
 * placed bodies. */
#ifndef SCENE_BODY_H
#define SCENE_BODY_H

#include <contact/scene.h>

/* Overhead of a heap block in bytes: its header and alignment padding. */
#define CT_BLOCK_OVERHEAD 24u

/* A collider's shape, and its pose in the body frame or NULL for the identity. Borrowed from the
 * body. */
const ct_shape *ct_body_shape(const ct_body *body, size_t index);
const ct_pose *ct_body_shape_pose(const ct_body *body, size_t index);
ct_text ct_body_collider_id(const ct_body *body,
                            size_t index); /* empty: no id or material; borrowed from the body */

/* A collider's frame in the world, composed with the body's frame. */
static inline ct_frame ct_body_shape_frame(const ct_body *body, size_t index,
                                           const ct_frame *frame) {
  const ct_pose *pose = ct_body_shape_pose(body, index);
  return pose ? ct_frame_mul(*frame, ct_frame_of(*pose)) : *frame;
}

/* Union of the colliders' boxes; ct_aabb_empty if the body has no colliders. */
ct_aabb ct_body_aabb(const ct_body *body, const ct_frame *frame);

/* A total order of placed bodies by content, independent of the order of the arguments: < 0 if a
 * comes before b. Compares poses, numbers of colliders, then each collider's shape and pose. */
int ct_body_compare(const ct_body *a, const ct_pose *pose_a, const ct_body *b,
                    const ct_pose *pose_b);

/* Memory of the body, with the hulls, meshes and elements that its colliders own (not those of
 * posted shapes). O(colliders) */
size_t ct_body_weight(const ct_body *body);

/* Bytes of the body's block if it has one reference only, else 0; hulls are not counted. */
size_t ct_body_owned_bytes(const ct_body *body);

#endif
