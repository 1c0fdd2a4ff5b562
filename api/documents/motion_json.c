/* Reads and writes a body's motion: source of the mass, inertia, velocities and accelerations. */
#include "documents/motion_json.h"

#include <float.h>
#include <string.h>

#include <contact/limits.h>

/* Least and greatest density, kg/m^3: bodies of ordinary size can have the least and the greatest
 * mass. */
#define DENSITY_MIN 1e-12
#define DENSITY_MAX 1e15
/* Least and greatest principal moment, kg m^2: of the least mass and size, and of the greatest mass
 * and size. */
#define MOMENT_MIN (CT_MASS_MIN * CT_SIZE_MIN * CT_SIZE_MIN)
#define MOMENT_MAX (CT_MASS_MAX * CT_SIZE_MAX * CT_SIZE_MAX)
/* Relative tolerance of the triangle rule for principal moments (none exceeds the sum of the other
 * two), for rounded input. */
#define TRIANGLE_SLACK 1e-9

enum {
  MASS,
  DENSITY,
  INERTIA,
  ORIENTATION,
  CENTER,
  LINEAR,
  ANGULAR,
  KINEMATIC,
  LINEAR_ACCELERATION,
  ANGULAR_ACCELERATION,
  MOTION_COUNT
};
static const api_field motion_members[MOTION_COUNT] = {{.name = "mass"},
                                                       {.name = "density"},
                                                       {.name = "inertiaDiagonal"},
                                                       {.name = "inertiaOrientation"},
                                                       {.name = "centerOfMass"},
                                                       {.name = "linearVelocity"},
                                                       {.name = "angularVelocity"},
                                                       {.name = "isKinematic"},
                                                       {.name = "linearAcceleration"},
                                                       {.name = "angularAcceleration"}};

/* Checks that a mass, density or moment is in its range. False with BAD_MASS. */
static bool check_mass_range(api_reader *reader, const api_pointer *path, double value,
                             double least, double greatest) {
  return api_check_range(reader, API_PROBLEM_BAD_MASS, path, value, least, greatest);
}

static bool read_mass_source(api_reader *reader, const api_field *field,
                             const api_field m[MOTION_COUNT], ct_motion *out) {
  /* A kinematic body needs neither mass nor density. */
  size_t which =
      api_read_one_of(reader, field, m + MASS, 2, !out->is_kinematic, API_PROBLEM_BAD_MASS);
  if (which == 2) return !api_faults_any(reader->faults);
  const api_field *source = &m[MASS + which];
  if (!api_read_number(reader, source, -DBL_MAX, DBL_MAX, &out->value)) return false;
  out->source = which == 0 ? CT_MASS_MASS : CT_MASS_DENSITY;
  static const double range[2][2] = {{CT_MASS_MIN, CT_MASS_MAX}, {DENSITY_MIN, DENSITY_MAX}};
  return check_mass_range(reader, &source->path, out->value, range[which][0], range[which][1]);
}

static bool read_inertia(api_reader *reader, const api_field *diagonal,
                         const api_field *orientation, ct_motion *out) {
  if (!diagonal->value) {
    return api_reject_unused(reader, orientation, true, "inertiaDiagonal");
  }
  double moments[3];
  if (!api_read_numbers(reader, diagonal, DBL_MAX, 3, moments)) return false;
  bool good = true;
  for (size_t i = 0; i < 3; i++) {
    api_field element = api_field_element(diagonal, i);
    good = check_mass_range(reader, &element.path, moments[i], MOMENT_MIN, MOMENT_MAX) && good;
  }
  if (!good || !api_read_rotation(reader, orientation, &out->inertia_orientation)) return false;
  for (size_t i = 0; i < 3; i++) {
    double rest = moments[(i + 1) % 3] + moments[(i + 2) % 3];
    if (moments[i] <= rest * (1.0 + TRIANGLE_SLACK)) continue;
    api_field element = api_field_element(diagonal, i);
    api_fault *fault = api_fault_at(reader->faults, API_PROBLEM_BAD_MASS, &element.path,
                                    "This principal moment exceeds the sum of the other two "
                                    "(triangle rule): correct inertiaDiagonal.");
    api_fault_limit(fault, rest, moments[i]);
    return false;
  }
  out->has_inertia = true;
  out->inertia_diagonal = ct_vec(moments[0], moments[1], moments[2]);
  return true;
}

/* Reads accelerations. Only a kinematic body may have them: a dynamic body is accelerated by
 * forces. */
static bool read_acceleration(api_reader *reader, const api_field *linear, const api_field *angular,
                              ct_motion *motion) {
  const api_field *given = api_field_present(linear) ? linear : angular;
  if (!api_field_present(given)) return true;
  if (!motion->is_kinematic) {
    return api_reject_unused(reader, given, true, "isKinematic: true");
  }
  ct_acceleration *own = api_arena_alloc(reader->arena, sizeof *own);
  if (!own) {
    api_fault_memory(reader->faults);
    return false;
  }
  *own = (ct_acceleration){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  bool good = api_read_vec3(reader, linear, API_ACCELERATION_MAX, &own->linear);
  good = api_read_vec3(reader, angular, API_ACCELERATION_MAX, &own->angular) && good;
  if (!api_is_zero(own->linear) || !api_is_zero(own->angular)) motion->acceleration = own;
  return good;
}

bool api_read_motion(api_reader *reader, const api_field *field, ct_motion *motion,
                     ct_velocity *velocity) {
  api_field m[MOTION_COUNT];
  memcpy(m, motion_members, sizeof m);
  *motion = (ct_motion){.inertia_orientation = ct_quat_identity()};
  bool good = api_read_object(reader, field, m, MOTION_COUNT);
  if (!json_is_object(field->value)) return false;
  good = api_read_bool(reader, &m[KINEMATIC], &motion->is_kinematic) && good;
  good = read_mass_source(reader, field, m, motion) && good;
  good = read_inertia(reader, &m[INERTIA], &m[ORIENTATION], motion) && good;
  good = api_read_position(reader, &m[CENTER], &motion->center) && good;
  motion->has_center = m[CENTER].value != NULL;
  good = api_read_vec3(reader, &m[LINEAR], API_SPEED_MAX, &velocity->linear) && good;
  good = api_read_vec3(reader, &m[ANGULAR], API_SPEED_MAX, &velocity->angular) && good;
  return read_acceleration(reader, &m[LINEAR_ACCELERATION], &m[ANGULAR_ACCELERATION], motion) &&
         good;
}

bool api_check_motion_names(api_reader *reader, const api_field *field) {
  api_field m[MOTION_COUNT];
  memcpy(m, motion_members, sizeof m);
  return api_read_object(reader, field, m, MOTION_COUNT);
}

bool api_check_mass(api_reader *reader, const api_field *motion_field, const ct_body *body) {
  const ct_motion *motion = ct_body_motion(body);
  if (!motion || motion->is_kinematic) return true;
  ct_mass_properties mass;
  bool overlap;
  if (!ct_body_mass(body, &mass, &overlap)) {
    api_fault_at(reader->faults, API_PROBLEM_BAD_MASS, &motion_field->path,
                 "The colliders have no volume from which to compute mass, inertia and centre of "
                 "mass: give mass, inertiaDiagonal and centerOfMass.");
    return false;
  }
  if (motion->source != CT_MASS_DENSITY) return true;
  api_pointer density = api_pointer_member(&motion_field->path, "density");
  return check_mass_range(reader, &density, mass.mass, CT_MASS_MIN, CT_MASS_MAX);
}

void api_put_motion(api_buffer *buffer, const ct_motion *motion, const ct_velocity *velocity) {
  ct_quat q = motion->inertia_orientation;
  api_put_key(buffer, "motion");
  api_put_byte(buffer, '{');
  if (motion->source == CT_MASS_MASS) api_put_member_number(buffer, "mass", motion->value);
  if (motion->source == CT_MASS_DENSITY) api_put_member_number(buffer, "density", motion->value);
  if (motion->has_inertia) api_put_member_vec3(buffer, "inertiaDiagonal", motion->inertia_diagonal);
  if (motion->has_inertia && (q.x != 0.0 || q.y != 0.0 || q.z != 0.0 || q.w != 1.0))
    api_put_member_quat(buffer, "inertiaOrientation", q);
  if (motion->has_center) api_put_member_vec3(buffer, "centerOfMass", motion->center);
  if (velocity && !api_is_zero(velocity->linear))
    api_put_member_vec3(buffer, "linearVelocity", velocity->linear);
  if (velocity && !api_is_zero(velocity->angular))
    api_put_member_vec3(buffer, "angularVelocity", velocity->angular);
  if (motion->is_kinematic) api_put_member_bool(buffer, "isKinematic", true);
  const ct_acceleration *acceleration = motion->acceleration;
  if (acceleration && !api_is_zero(acceleration->linear))
    api_put_member_vec3(buffer, "linearAcceleration", acceleration->linear);
  if (acceleration && !api_is_zero(acceleration->angular))
    api_put_member_vec3(buffer, "angularAcceleration", acceleration->angular);
  api_put_byte(buffer, '}');
}
