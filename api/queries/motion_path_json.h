/* Motions in JSON: the path that one body takes during a query. */
#ifndef API_QUERIES_MOTION_PATH_JSON_H
#define API_QUERIES_MOTION_PATH_JSON_H

#include <contact/path.h>

#include "json/fields.h"

/* Greatest component of an acceleration, m/s^2. */
#define API_ACCELERATION_MAX 1e9

/* Initial state of a moving body. Its velocity applies if the motion does not contain one. */
typedef struct api_motion_start {
  const ct_body *body;
  ct_pose pose;
  ct_velocity velocity; /* velocity of the centre of mass, and angular velocity */
} api_motion_start;

/* Returns the point, in the body frame, to which a twist and the scene's velocities refer: the
 * centre of mass of a body with a motion, else the origin of the body frame. */
ct_vec3 api_motion_center(const ct_body *body);

/* Entries of an object's member list: the forms of a motion, in this order. */
#define API_MOTION_PATH_MEMBERS                                                                    \
  {.name = "twist"}, {.name = "ballistic"}, {.name = "torqueFree"}, { .name = "to" }
#define API_MOTION_PATH_MEMBER_COUNT 4

/* Reads the form that `members` has, exactly one of "twist", "ballistic", "torqueFree" and "to";
 * `object` is the motion that contains them. BAD_MASS: torqueFree of a body without mass. */
bool api_read_motion_path(api_reader *reader, const api_field *object,
                          const api_field members[API_MOTION_PATH_MEMBER_COUNT],
                          const api_motion_start *start, ct_path_options *out);
/* Builds the path of a motion; `at` is the motion's location. NULL: a fault was added, OUT_OF_RANGE
 * if rotation or position exceed the limits of a path. */
ct_path *api_build_motion_path(api_reader *reader, const api_pointer *at,
                               const ct_path_options *options);

#endif
