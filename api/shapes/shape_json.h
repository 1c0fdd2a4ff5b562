/* Shapes and colliders in JSON. */
#ifndef API_SHAPES_SHAPE_JSON_H
#define API_SHAPES_SHAPE_JSON_H

#include "json/pose_json.h"

/* Members of a collider: first the shapes, X(KIND, "name") for each kind, in this order; id, pose
 * and rounding follow. */
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
 * out->note is in the reader's arena. On success *out owns a reference to its hull or mesh, to be
 * released with api_collider_release or ct_shape_release; on failure it owns nothing. */
bool api_read_shape(api_reader *reader, const api_field *object,
                    const api_field members[API_SHAPE_MEMBER_COUNT], ct_collider *out);
/* Reads a collider: a shape or the name of a posted shape, id, pose, rounding, margin and the name
 * of a material, which the caller looks up. */
bool api_read_collider(api_reader *reader, const api_field *field, ct_collider *out);
void api_collider_release(ct_collider *collider);

/* Puts a collider {"box":{...},...} as the request gave it. */
void api_put_collider(api_buffer *buffer, const ct_collider *collider);

#endif
