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
  CT_PATH_REST, /* stays at the start pose */
  /* centre x0 + v t; rotation about it with the angular velocity, constant in the world */
  CT_PATH_TWIST,
  CT_PATH_BALLISTIC,   /* centre x0 + v t + a t^2/2; rotation as for TWIST */
  CT_PATH_TORQUE_FREE, /* centre as BALLISTIC; rotation by Euler's equations without torque */
  /* the origin moves on a line segment, and the rotation on the shortest arc, between two poses,
   * both at constant speed */
  CT_PATH_INTERPOLATED
} ct_path_kind;

typedef struct ct_path_options {
  ct_path_kind kind;
  ct_pose start;        /* pose of the body frame */
  double duration;      /* duration of the motion, s, > 0, at most CT_DURATION_MAX */
  ct_vec3 center;       /* TWIST, BALLISTIC, TORQUE_FREE: centre of mass in the body frame, m */
  ct_velocity velocity; /* TWIST, BALLISTIC, TORQUE_FREE: velocity of the centre at the start */
  ct_vec3 acceleration; /* BALLISTIC, TORQUE_FREE: constant acceleration of the centre, m/s^2 */
  /* TORQUE_FREE: principal moments of inertia about the centre, > 0, kg m^2. If round-off makes one
   * moment greater than the sum of the other two, that sum is used instead. */
  ct_vec3 inertia_diagonal;
  ct_quat inertia_orientation; /* TORQUE_FREE: rotation from the principal axes to the body frame */
  ct_pose end;                 /* INTERPOLATED: pose of the body frame at `duration` */
} ct_path_options;
/* Defaults: REST; poses and axes the identity. `duration` has to be set. */
ct_path_options ct_path_options_default(void);

typedef struct ct_path ct_path;

/* Creates a path that the caller owns. It takes about 400 bytes, and 560 more for a torque-free
 * rotation with varying angular velocity, independent of the duration.
 * CT_LIMIT: a duration out of range; a rotation by more than CT_TURN_MAX; a pivot beyond
 * CT_COORDINATE_MAX; a velocity overflow. CT_OUT_OF_MEMORY. */
ct_status ct_path_create(const ct_path_options *options, ct_path **out);
void ct_path_destroy(ct_path *path); /* NULL is allowed */

size_t ct_path_bytes(const ct_path *path); /* memory of the path */

/* Kind of the path, as created. O(1). */
ct_path_kind ct_path_kind_of(const ct_path *path);
/* Duration of the path, s, as created. O(1). */
double ct_path_duration(const ct_path *path);
ct_vec3
ct_path_pivot(const ct_path *path); /* point of the body about which it rotates, body frame, m */

/* Returns the pose of the body frame at a time in [0, duration]. At 0, and for INTERPOLATED at the
 * duration, it is the given pose to the bit, except sign and length of the quaternion. The error is
 * a few unit round-offs of the coordinates for positions, and a few unit round-offs for rotations.
 * TORQUE_FREE: 2e-14 rad + 1e-14 per rad turned; the relative error of angular momentum and energy
 * is 1e-13. O(1), closed form; TORQUE_FREE takes half a microsecond (Jacobi 1849). */
ct_pose ct_path_pose(const ct_path *path, double time);
/* Returns the velocity at a time in [0, duration]: `linear` is the velocity of the pivot. */
ct_velocity ct_path_velocity(const ct_path *path, double time);
/* Returns the acceleration of the pivot, m/s^2, which is constant. */
ct_vec3 ct_path_acceleration(const ct_path *path);
/* Returns the least upper bound of |angular velocity| over the path, rounded up, rad/s. *constant:
 * set to true if the angular velocity is constant. If so, the bound is its magnitude and *axis its
 * unit direction (z if it is zero); else *axis is its direction at the start. */
double ct_path_spin(const ct_path *path, ct_vec3 *axis, bool *constant);

/* AABB that contains, at all times in [begin, end], the ball of this radius around the pivot;
 * world, rounded outward. */
ct_aabb ct_path_aabb(const ct_path *path, double begin, double end, double radius);

CT_DECLARATIONS_END

#endif
