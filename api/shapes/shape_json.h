/* Shapes and colliders: decode and encode. */
#ifndef API_SHAPES_SHAPE_JSON_H
#define API_SHAPES_SHAPE_JSON_H

#include "json/pose_json.h"

/* Members of a collider, in this order: the shapes, one row each (kind, JSON name), id, pose,
 * rounding. */
#define API_SHAPE_MAP(X)                                                                           \
  X(SPHERE, "sphere")                                                                              \
  X(BOX, "box")                                                                                    \
  X(CAPSULE, "capsule")                                                                            \
  X(CYLINDER, "cylinder")                                                                          \
  X(CONE, "cone")                                                                                  \
  X(ELLIPSOID, "ellipsoid")                                                                        \
  X(CONVEX, "convex")                                                                              \
  X(MESH, "mesh")                                                                                  \
  X(TETMESH, "tetmesh")                                                                            \
  X(HEXMESH, "hexmesh")                                                                            \
  X(ELEMENTMESH, "elementmesh")                                                                    \
  X(PLANE, "plane")
#define API_SHAPE_MEMBER(kind, word) {.name = (word)},
#define API_SHAPE_MEMBERS API_SHAPE_MAP(API_SHAPE_MEMBER)
#define API_SHAPE_COUNTED(kind, word) +1
enum { API_SHAPE_MEMBER_COUNT = 0 API_SHAPE_MAP(API_SHAPE_COUNTED) };

/* Reads exactly one of the shape members. out->id, out->material and out->pose are unchanged;
 * out->note is in the reader's arena. A convex owns a reference to its hull: api_collider_release.
 * On failure nothing is owned. */
bool api_read_shape(api_reader *reader, const api_field *object,
                    const api_field members[API_SHAPE_MEMBER_COUNT], ct_collider *out);
/* Reads a collider: shape or name of a posted one, id, pose, rounding, margin, material (resolved
 * by the caller). */
bool api_read_collider(api_reader *reader, const api_field *field, ct_collider *out);
void api_collider_release(ct_collider *collider);

/* Puts {"box":{...},...} as given. */
void api_put_collider(api_buffer *buffer, const ct_collider *collider);

#endif
