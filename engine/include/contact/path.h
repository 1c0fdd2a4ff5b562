/* Paths: pose and velocity of a body as a function of the time since the start of a motion.
 *
 * World frame, SI units. The translation refers to the pivot: the centre of mass, or for
 * INTERPOLATED the origin of the body frame. A path is immutable and may be read by any number of
 * threads. */
#ifndef CONTACT_PATH_H
#define CONTACT_PATH_H

#include <contact/base.h>
#include <contact/scene.h>

CT_DECLARATIONS_BEGIN

typedef enum ct_path_kind {
  CT_PATH_REST,  /* stays at the start */
  CT_PATH_TWIST, /* centre x0 + v t; rotation about it with the angular velocity, constant in the
                    world */
  CT_PATH_BALLISTIC,   /* centre x0 + v t + a t^2/2; rotation as TWIST */
  CT_PATH_TORQUE_FREE, /* centre as BALLISTIC; rotation by Euler's equations without torque */
  /* origin on a line segment, rotation on the shortest arc between two poses, both at constant
   * speed */
  CT_PATH_INTERPOLATED
} ct_path_kind;

typedef struct ct_path_options {
  ct_path_kind kind;
  ct_pose start;        /* pose of the body frame */
  double duration;      /* s; > 0, at most CT_DURATION_MAX */
  ct_vec3 center;       /* centre of mass in the body frame, m; TWIST, BALLISTIC, TORQUE_FREE */
  ct_velocity velocity; /* velocity of the centre at the start; TWIST, BALLISTIC, TORQUE_FREE */
  ct_vec3 acceleration; /* constant acceleration of the centre, m/s^2; BALLISTIC, TORQUE_FREE */
  /* TORQUE_FREE: principal moments about the centre, > 0, kg m^2. A moment that round-off leaves
   * above the sum of the other two counts as that sum. */
  ct_vec3 inertia_diagonal;
  ct_quat inertia_orientation; /* TORQUE_FREE: principal axes in the body frame */
  ct_pose end;                 /* INTERPOLATED: pose of the body frame at `duration` */
} ct_path_options;
/* Defaults: REST; poses and axes the identity. `duration` has to be set. */
ct_path_options ct_path_options_default(void);

typedef struct ct_path ct_path;

/* Creates a path that the caller owns: about 400 bytes, and 560 more for a torque-free rotation
 * with varying angular velocity, for any duration.
 * CT_LIMIT: a duration out of range; a rotation by more than CT_TURN_MAX; a pivot beyond
 * CT_COORDINATE_MAX; a velocity overflow. CT_OUT_OF_MEMORY. */
ct_status ct_path_create(const ct_path_options *options, ct_path **out);
void ct_path_destroy(ct_path *path); /* NULL is allowed */

size_t ct_path_bytes(const ct_path *path); /* memory of the path */

/* Kind, and duration in s, as created. O(1). */
ct_path_kind ct_path_kind_of(const ct_path *path);
double ct_path_duration(const ct_path *path);
ct_vec3 ct_path_pivot(const ct_path *path); /* in the body frame, m */

/* Pose of the body frame at a time in [0, duration]. At 0, and for INTERPOLATED at the duration,
 * the given pose to the bit, except sign and length of the quaternion. Positions are within a few u
 * of the coordinates, rotations within a few u. TORQUE_FREE: within 2e-14 rad + 1e-14 per rad
 * turned; angular momentum and energy within 1e-13 relative. O(1), closed form; TORQUE_FREE half a
 * microsecond (Jacobi 1849). */
ct_pose ct_path_pose(const ct_path *path, double time);
/* Velocity at a time in [0, duration]; `linear` is the pivot's. */
ct_velocity ct_path_velocity(const ct_path *path, double time);
/* Acceleration of the pivot, m/s^2; constant. */
ct_vec3 ct_path_acceleration(const ct_path *path);
/* Least upper bound of |angular velocity| over the path, rounded up, rad/s. True in *constant: the
 * angular velocity is constant, the bound is its length, and *axis its unit direction (z if zero).
 * False: *axis is the direction at the start. */
double ct_path_spin(const ct_path *path, ct_vec3 *axis, bool *constant);

/* AABB of a ball of the radius around the pivot over [begin, end], world, rounded outward. */
ct_aabb ct_path_aabb(const ct_path *path, double begin, double end, double radius);

CT_DECLARATIONS_END

#endif
