/* How the signed distance of a pair changes as its bodies move.
 *
 * Of a distance d = normal.(point_b - point_a) whose normal is the one best: moved by v and turned by the small rotation vector w
 * about its frame's origin, body a changes it by a.translation.v + a.rotation.w, and b likewise. World axes; translation is free of
 * units, rotation in m per rad. Where witness points slide (CT_FLAG_WITNESS_NOT_UNIQUE) the distance has a kink under rotation: the
 * rotation parts are then those of the points given, one of the set that the distance lies between. Danskin 1967.
 */
#ifndef CONTACT_GRADIENT_H
#define CONTACT_GRADIENT_H

#include <contact/linkage.h>
#include <contact/pair.h>

CT_DECLARATIONS_BEGIN

typedef struct ct_pose_gradient {
  ct_vec3 translation, rotation;
} ct_pose_gradient;

typedef struct ct_gradient {
  ct_pose_gradient a, b;
} ct_gradient;

/* False where the distance has none: unsupported depths, surfaces that cross, several normals equally right; and where a depth is
 * that of a feature (CT_DEPTH_FEATURE), whose slope is not the normal. The result must be one that was answered in full; origins:
 * of the bodies' frames, world. O(1). */
bool ct_pair_gradient(const ct_pair_result *result, ct_vec3 origin_a, ct_vec3 origin_b, ct_gradient *out);

CT_DECLARATIONS_END

#endif
