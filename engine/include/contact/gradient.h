/* Gradient of the signed distance with respect to the poses of both bodies.
 *
 * For a distance d = normal.(point_b - point_a) with a unique normal: translating body a by v, and
 * rotating it by the small rotation vector w about its frame's origin, changes d by a.translation.v
 * + a.rotation.w; likewise for b. World axes; translation is dimensionless, rotation in m per rad.
 * If witness points are not unique (CT_FLAG_WITNESS_NOT_UNIQUE), the distance has a kink under
 * rotation. The rotation parts then belong to the given points: one of the directional derivatives.
 * Danskin 1967. */
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

/* Writes the gradient of a full (not early-out) result. origin_a, origin_b: origins of the body
 * frames, world, m. False if no gradient exists: unsupported depths, crossing surfaces, arbitrary
 * normals, and depths of a feature (CT_DEPTH_FEATURE), which do not change along the normal. O(1).
 */
bool ct_pair_gradient(const ct_pair_result *result, ct_vec3 origin_a, ct_vec3 origin_b,
                      ct_gradient *out);

CT_DECLARATIONS_END

#endif
