/* Reads the motions of bodies and builds their paths. */
#include "queries/motion_path_json.h"

#include <contact/limits.h>

#include "documents/motion_json.h"

ct_vec3 api_motion_center(const ct_body *body) {
  const ct_motion *motion = ct_body_motion(body);
  ct_mass_properties mass;
  bool overlap;
  if (!motion) return ct_vec(0.0, 0.0, 0.0);
  if (motion->has_center) return motion->center;
  return ct_body_mass(body, &mass, &overlap) ? mass.center : ct_vec(0.0, 0.0, 0.0);
}

/* Reads {"linearVelocity"?, "angularVelocity"?, "linearAcceleration"?}; values of absent members
 * are unchanged. */
static bool read_velocities(api_reader *reader, const api_field *field, bool accelerated,
                            bool required, ct_path_options *out) {
  api_field members[] = {{.name = "linearVelocity"},
                         {.name = "angularVelocity"},
                         {.name = "linearAcceleration", .required = required}};
  bool good = api_read_object(reader, field, members, accelerated ? 3 : 2);
  good = api_read_vec3(reader, &members[0], API_SPEED_MAX, &out->velocity.linear) && good;
  good = api_read_vec3(reader, &members[1], API_SPEED_MAX, &out->velocity.angular) && good;
  if (accelerated)
    good = api_read_vec3(reader, &members[2], API_ACCELERATION_MAX, &out->acceleration) && good;
  return good;
}

/* Sets principal moments and axes of inertia: those of the body's motion if given, else those
 * computed from its colliders. */
static bool set_inertia(api_reader *reader, const api_field *field, const ct_body *body,
                        ct_path_options *out) {
  ct_mass_properties mass;
  bool overlap;
  if (!ct_body_mass(body, &mass, &overlap)) {
    api_fault_at(
        reader->faults, API_PROBLEM_BAD_MASS, &field->path,
        "A torque-free motion needs an inertia, but the colliders have no volume: set mass, "
        "inertiaDiagonal and centerOfMass in the body's motion.");
    return false;
  }
  const ct_motion *motion = ct_body_motion(body);
  if (motion && motion->has_inertia) {
    out->inertia_diagonal = motion->inertia_diagonal;
    out->inertia_orientation = motion->inertia_orientation;
  } else {
    ct_inertia_principal(&mass.inertia, &out->inertia_diagonal, &out->inertia_orientation);
  }
  out->center = mass.center;
  return true;
}

/* Reads the end pose of a motion; an absent position or rotation is that of the start pose. */
static bool read_end_pose(api_reader *reader, const api_field *field, ct_path_options *out) {
  api_field members[] = {API_POSE_MEMBERS};
  ct_pose end;
  bool turned = false;
  if (!api_read_object(reader, field, members, API_POSE_MEMBER_COUNT)) return false;
  if (!api_read_pose(reader, field, members, &end)) return false;
  for (size_t i = 1; i < API_POSE_MEMBER_COUNT; i++)
    turned = turned || api_field_present(&members[i]);
  if (api_field_present(&members[0])) out->end.position = end.position;
  if (turned) out->end.rotation = end.rotation;
  return true;
}

bool api_read_motion_path(api_reader *reader, const api_field *object,
                          const api_field members[API_MOTION_PATH_MEMBER_COUNT],
                          const api_motion_start *start, ct_path_options *out) {
  static const ct_path_kind kinds[] = {CT_PATH_TWIST, CT_PATH_BALLISTIC, CT_PATH_TORQUE_FREE,
                                       CT_PATH_INTERPOLATED};
  size_t which = api_read_one_of(reader, object, members, API_MOTION_PATH_MEMBER_COUNT, true,
                                 API_PROBLEM_MISSING_MEMBER);
  if (which == API_MOTION_PATH_MEMBER_COUNT) return false;
  const api_field *field = &members[which];
  out->kind = kinds[which];
  out->start = out->end = start->pose;
  out->velocity = start->velocity;
  out->center = api_motion_center(start->body);
  out->inertia_diagonal = ct_vec(1.0, 1.0, 1.0);
  out->inertia_orientation = ct_quat_identity();
  switch (out->kind) {
  case CT_PATH_TWIST: return read_velocities(reader, field, false, false, out);
  case CT_PATH_BALLISTIC: return read_velocities(reader, field, true, true, out);
  case CT_PATH_TORQUE_FREE:
    return read_velocities(reader, field, true, false, out) &&
           set_inertia(reader, field, start->body, out);
  case CT_PATH_REST:
  case CT_PATH_INTERPOLATED: break;
  }
  return read_end_pose(reader, field, out);
}

ct_path *api_build_motion_path(api_reader *reader, const api_pointer *at,
                               const ct_path_options *options) {
  ct_path *path = NULL;
  ct_status status = ct_path_create(options, &path);
  if (status == CT_OK) return path;
  if (status == CT_LIMIT)
    api_fault_at(reader->faults, API_PROBLEM_OUT_OF_RANGE, at,
                 "The body turns by more than %g rad, or moves beyond the largest coordinate, %g "
                 "m, within %g s: use a shorter duration or smaller velocities.",
                 CT_TURN_MAX, CT_COORDINATE_MAX, options->duration);
  else api_fault_memory(reader->faults);
  return NULL;
}
