/* A body's motion in JSON: mass, inertia, velocities, accelerations. */
#ifndef API_DOCUMENTS_MOTION_JSON_H
#define API_DOCUMENTS_MOTION_JSON_H

#include "json/pose_json.h"

#include <contact/scene.h>

/* Greatest component of a velocity, m/s and rad/s. */
#define API_SPEED_MAX CT_SPEED_MAX
/* Greatest component of an acceleration, m/s^2 and rad/s^2. */
#define API_ACCELERATION_MAX 1e9

static inline bool api_is_zero(ct_vec3 v) { return v.x == 0.0 && v.y == 0.0 && v.z == 0.0; }

/* Reads the object `motion`. The velocity of an absent member is unchanged; an acceleration is
 * allocated in the arena. BAD_MASS: a mass, density or moment is out of range, mass and density are
 * both given, or the moments violate the triangle rule. */
bool api_read_motion(api_reader *reader, const api_field *field, ct_motion *motion,
                     ct_velocity *velocity);
/* Checks that all members of the object are known. */
bool api_check_motion_names(api_reader *reader, const api_field *field);
/* Checks that the body's mass and inertia, as given or computed from its shapes, exist and are
 * within limits. False with BAD_MASS at `field`, the motion. */
bool api_check_mass(api_reader *reader, const api_field *field, const ct_body *body);

/* Puts the member "motion":{...}; velocity NULL: without velocities. */
void api_put_motion(api_buffer *buffer, const ct_motion *motion, const ct_velocity *velocity);

#endif
