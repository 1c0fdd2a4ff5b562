/* A body's motion: decode and encode. */
#ifndef API_DOCUMENTS_MOTION_JSON_H
#define API_DOCUMENTS_MOTION_JSON_H

#include "json/pose_json.h"

#include <contact/scene.h>

/* Greatest speed, m/s and rad/s. */
#define API_SPEED_MAX CT_SPEED_MAX
/* Greatest acceleration, m/s^2 and rad/s^2. */
#define API_ACCELERATION_MAX 1e9

static inline bool api_is_zero(ct_vec3 v) { return v.x == 0.0 && v.y == 0.0 && v.z == 0.0; }

/* The object `motion`. velocity is as it was where none is given; an acceleration is in the arena. BAD_MASS: a mass, density or
 * moment out of range, two sources of mass, moments that no body has. */
bool api_read_motion(api_reader *reader, const api_field *field, ct_motion *motion, ct_velocity *velocity);
/* Are all members of the object known? */
bool api_check_motion_names(api_reader *reader, const api_field *field);
/* What the shapes make of the motion, whose place is the field: a mass inside the limits. BAD_MASS. */
bool api_check_mass(api_reader *reader, const api_field *field, const ct_body *body);

/* Puts the member "motion":{...}. velocity may be NULL. */
void api_put_motion(api_buffer *buffer, const ct_motion *motion, const ct_velocity *velocity);

#endif
