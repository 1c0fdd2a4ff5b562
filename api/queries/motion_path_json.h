/* Motions in JSON: the path of one body during a query's duration. */
#ifndef API_QUERIES_MOTION_PATH_JSON_H
#define API_QUERIES_MOTION_PATH_JSON_H

#include <contact/path.h>

#include "json/fields.h"

/* Greatest acceleration, m/s^2. */
#define API_ACCELERATION_MAX 1e9

/* Initial state of a motion: body, pose, and the velocity if the motion gives none. */
typedef struct api_motion_start {
  const ct_body *body;
  ct_pose pose;
  ct_velocity velocity; /* of the centre of mass */
} api_motion_start;

/* Reference point of a twist and of the scene's velocities: the centre of mass of a body with
 * motion, else the origin of the body frame. Body frame. */
ct_vec3 api_motion_center(const ct_body *body);

/* The forms of a motion, as entries of an object's member list in this order. */
#define API_MOTION_PATH_MEMBERS                                                                    \
  {.name = "twist"}, {.name = "ballistic"}, {.name = "torqueFree"}, { .name = "to" }
#define API_MOTION_PATH_MEMBER_COUNT 4

/* Reads the one form that is present: {"twist" | "ballistic" | "torqueFree" | "to": {...}};
 * `object` is the motion. BAD_MASS: torqueFree of a body without mass. */
bool api_read_motion_path(api_reader *reader, const api_field *object,
                          const api_field members[API_MOTION_PATH_MEMBER_COUNT],
                          const api_motion_start *start, ct_path_options *out);
/* Builds the path; `at` is the motion's location. NULL with a fault; OUT_OF_RANGE: rotation or
 * position beyond the limits of a path. */
ct_path *api_build_motion_path(api_reader *reader, const api_pointer *at,
                               const ct_path_options *options);

#endif
