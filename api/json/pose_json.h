/* Poses as members of an object: position and one of the four spellings of a rotation. */
#ifndef API_JSON_POSE_JSON_H
#define API_JSON_POSE_JSON_H

#include "json/fields.h"

/* To be put into an object's list of members, in this order. */
#define API_POSE_MEMBERS                                                                                                           \
  {.name = "position"}, {.name = "rotation"}, {.name = "rotationWxyz"}, {.name = "rpy"}, { .name = "matrix" }
#define API_POSE_MEMBER_COUNT 5

/* A quaternion's length, and the products of a matrix's rows, may be off by this much. */
#define API_ROTATION_TOLERANCE 1e-3
/* Largest angle of rpy, rad: the reduction of the argument is exact up to here. */
#define API_ANGLE_MAX 1e6

/* *out is the identity where nothing is given. rpy: fixed axes, x, then y, then z (Rz Ry Rx). BAD_ROTATION, WRONG_TYPE,
 * OUT_OF_RANGE. A quaternion that is unit to rounding keeps its bits, others are brought to unit length. */
bool api_read_pose(api_reader *reader, const api_field *object, const api_field members[API_POSE_MEMBER_COUNT], ct_pose *out);
/* A value [x, y, z, w]. */
bool api_read_rotation(api_reader *reader, const api_field *field, ct_quat *out);
/* Puts the members position and rotation; those that are identity only if `always`. */
void api_put_pose_members(api_buffer *buffer, const ct_pose *pose, bool always);

#endif
