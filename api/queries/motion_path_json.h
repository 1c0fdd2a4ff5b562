/* Motions in JSON: what one body does during a question's duration. */
#ifndef API_QUERIES_MOTION_PATH_JSON_H
#define API_QUERIES_MOTION_PATH_JSON_H

#include <contact/path.h>

#include "json/fields.h"

/* Greatest acceleration, m/s^2. */
#define API_ACCELERATION_MAX 1e9

/* What a motion begins from: the body, its pose, and the velocity that holds where the motion names none. */
typedef struct api_motion_start {
  const ct_body *body;
  ct_pose pose;
  ct_velocity velocity; /* of the centre */
} api_motion_start;

/* Point that a twist is about, and whose velocity the scene keeps: the centre of mass of a body that has motion, else the origin of
 * the body frame. */
ct_vec3 api_motion_center(const ct_body *body);

/* Members of a motion: one of its forms. To be put into an object's list, in this order. */
#define API_MOTION_PATH_MEMBERS                                                                                                    \
  {.name = "twist"}, {.name = "ballistic"}, {.name = "torqueFree"}, { .name = "to" }
#define API_MOTION_PATH_MEMBER_COUNT 4

/* The one form that is there: {"twist" | "ballistic" | "torqueFree" | "to": {...}}, `object` being the whole. BAD_MASS: a body
 * without a mass cannot turn freely. */
bool api_read_motion_path(api_reader *reader, const api_field *object, const api_field members[API_MOTION_PATH_MEMBER_COUNT],
                          const api_motion_start *start, ct_path_options *out);
/* The path of options; `at` is their place. NULL: a fault, as OUT_OF_RANGE beyond what a path may turn or cover. */
ct_path *api_build_motion_path(api_reader *reader, const api_pointer *at, const ct_path_options *options);

#endif
