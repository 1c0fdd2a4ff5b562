/* A body's motion in JSON: mass, inertia, velocities, accelerations. */
#ifndef API_DOCUMENTS_MOTION_JSON_H
#define API_DOCUMENTS_MOTION_JSON_H

#include "json/pose_json.h"

#include <contact/scene.h>

/* Greatest speed, m/s and rad/s. */
#define API_SPEED_MAX CT_SPEED_MAX
/* Greatest acceleration, m/s^2 and rad/s^2. */
#define API_ACCELERATION_MAX 1e9

static inline bool api_is_zero(ct_vec3 v) { return v.x == 0.0 && v.y == 0.0 && v.z == 0.0; }

/* Reads the object `motion`. An absent velocity is unchanged; an acceleration is in the arena.
 * BAD_MASS: mass, density or moment out of range, two sources of mass, or impossible moments. */
bool api_read_motion(api_reader *reader, const api_field *field, ct_motion *motion,
                     ct_velocity *velocity);
/* Checks that all members of the object are known. */
bool api_check_motion_names(api_reader *reader, const api_field *field);
/* Checks that mass and inertia follow from the body's shapes and are within limits; `field` is the
 * motion. BAD_MASS. */
bool api_check_mass(api_reader *reader, const api_field *field, const ct_body *body);

/* Writes the member "motion":{...}. velocity may be NULL. */
void api_put_motion(api_buffer *buffer, const ct_motion *motion, const ct_velocity *velocity);

#endif
