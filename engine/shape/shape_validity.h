/* Validity of shapes and of frames. A zero-initialised rotation counts as not set. */
#ifndef SHAPE_SHAPE_VALIDITY_H
#define SHAPE_SHAPE_VALIDITY_H

#include <contact/shape.h>

/* True if the shape has what its kind requires: positive sizes, a hull, a mesh, or elements. A
 * sphere or capsule of radius 0 is valid (a point or a segment), and so is a flat box. */
static inline bool ct_shape_is_valid(const ct_shape *s) {
  switch (s->kind) {
  case CT_KIND_BOX: return ct_max_abs(s->box.half) > 0.0;
  case CT_KIND_CYLINDER: return s->cylinder.radius > 0.0 && s->cylinder.half_length > 0.0;
  case CT_KIND_CONE:
    return s->cone.half_length > 0.0 && ct_max2(s->cone.radius_bottom, s->cone.radius_top) > 0.0;
  case CT_KIND_ELLIPSOID:
    return ct_min2(ct_min2(s->ellipsoid.radii.x, s->ellipsoid.radii.y), s->ellipsoid.radii.z) > 0.0;
  case CT_KIND_CONVEX: return s->hull != NULL;
  case CT_KIND_MESH: return s->mesh != NULL;
  case CT_KIND_TETMESH:
  case CT_KIND_HEXMESH:
  case CT_KIND_ELEMENTMESH: return s->mesh != NULL && s->elements != NULL;
  default: return true;
  }
}

/* True if the first row of the rotation is zero, as in a zero-initialised frame. */
static inline bool ct_frame_is_unset(const ct_frame *frame) {
  return frame->rotation.rx.x == 0.0 && frame->rotation.rx.y == 0.0 && frame->rotation.rx.z == 0.0;
}

/* Returns `frame` if its rotation is set. Otherwise writes a frame with the identity as rotation to
 * *room and returns it; its position is the frame's, or zero if frame is NULL. */
static inline const ct_frame *ct_frame_or_unturned(const ct_frame *frame, ct_frame *room) {
  if (frame && !ct_frame_is_unset(frame)) return frame;
  *room = ct_frame_of((ct_pose){.position = frame ? frame->position : ct_vec(0.0, 0.0, 0.0)});
  return room;
}

#endif
