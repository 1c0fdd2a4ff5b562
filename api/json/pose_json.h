/* Poses as members of an object: a position, and a rotation in one of four notations. */
#ifndef API_JSON_POSE_JSON_H
#define API_JSON_POSE_JSON_H

#include "json/fields.h"

/* Entries of an object's member list for a pose, in this order. */
#define API_POSE_MEMBERS                                                                           \
  {.name = "position"}, {.name = "rotation"}, {.name = "rotationWxyz"}, {.name = "rpy"}, {         \
    .name = "matrix"                                                                               \
  }
#define API_POSE_MEMBER_COUNT 5

/* Tolerance by which a quaternion's length may differ from 1, and the scalar products of a matrix's
 * rows from 1 and 0. */
#define API_ROTATION_TOLERANCE 1e-3
/* Greatest angle of rpy, rad: argument reduction is exact up to this angle. */
#define API_ANGLE_MAX 1e6

/* As api_read_pose, if at least one of the members is present. */
bool api_read_given_pose(api_reader *reader, const api_field *object,
                         const api_field members[API_POSE_MEMBER_COUNT], ct_pose *out);
/* Reads a pose. An absent position is zero, an absent rotation the identity. rpy: rotations about
 * the fixed axes x, y and z in this order (Rz Ry Rx). Faults: BAD_ROTATION, WRONG_TYPE,
 * OUT_OF_RANGE. A quaternion whose length is 1 up to round-off keeps its bits; others are
 * normalised. */
static inline bool api_read_pose(api_reader *reader, const api_field *object,
                                 const api_field members[API_POSE_MEMBER_COUNT], ct_pose *out) {
  for (size_t i = 0; i < API_POSE_MEMBER_COUNT; i++)
    if (api_field_present(&members[i])) return api_read_given_pose(reader, object, members, out);
  *out = ct_pose_identity();
  return true;
}
/* Reads and normalises a quaternion [x, y, z, w]. */
bool api_read_rotation(api_reader *reader, const api_field *field, ct_quat *out);
/* Puts the members position and rotation; one that is zero or the identity only if `always`. */
void api_put_pose_members(api_buffer *buffer, const ct_pose *pose, bool always);

#endif
