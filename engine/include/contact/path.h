/* Motions: where a body is at any time of a stretch, as a function of the time since its start.
 *
 * World frame, SI. The pivot is the point of the body that the translation is about: the centre of mass, or, of INTERPOLATED, the
 * origin of the body frame. A path is immutable once made, and may be read by any threads at once.
 */
#ifndef CONTACT_PATH_H
#define CONTACT_PATH_H

#include <contact/linkage.h>
#include <contact/scene.h>

CT_DECLARATIONS_BEGIN

typedef enum ct_path_kind {
  CT_PATH_REST,        /* stays at the start */
  CT_PATH_TWIST,       /* centre x0 + v t; rotation about it with the angular velocity, constant in the world */
  CT_PATH_BALLISTIC,   /* centre x0 + v t + a t^2/2; rotation as TWIST */
  CT_PATH_TORQUE_FREE, /* centre as BALLISTIC; rotation by Euler's equations without torque */
  CT_PATH_INTERPOLATED /* origin on the straight line and rotation on the shortest arc between two poses, both at constant speed */
} ct_path_kind;

typedef struct ct_path_options {
  ct_path_kind kind;
  ct_pose start;               /* of the body frame */
  double duration;             /* s; > 0, at most CT_DURATION_MAX */
  ct_vec3 center;              /* of mass, in the body frame, m; TWIST, BALLISTIC, TORQUE_FREE */
  ct_velocity velocity;        /* at the start, of the centre; likewise */
  ct_vec3 acceleration;        /* of the centre, constant; BALLISTIC, TORQUE_FREE */
  ct_vec3 inertia_diagonal;    /* principal moments about the centre, > 0; a greatest above the sum of the others, as rounding may
                                  leave it, counts as that sum; TORQUE_FREE */
  ct_quat inertia_orientation; /* of the principal axes in the body frame; likewise */
  ct_pose end;                 /* INTERPOLATED: of the body frame at `duration` */
} ct_path_options;
/* Defaults: REST; poses and axes the identity. `duration` has to be set. */
ct_path_options ct_path_options_default(void);

typedef struct ct_path ct_path;

/* CT_LIMIT: a duration out of its range;
 * the angle turned in the duration is beyond CT_TURN_MAX, the pivot leaves
 * CT_COORDINATE_MAX, or a velocity overflows. CT_OUT_OF_MEMORY. The caller owns *out: about 400 bytes, and 560 more where a
 * torque-free angular velocity is not constant, for any duration. */
ct_status ct_path_create(const ct_path_options *options, ct_path **out);
void ct_path_destroy(ct_path *path); /* NULL: nothing */

size_t ct_path_bytes(const ct_path *path); /* memory that it takes */

ct_path_kind ct_path_kind_of(const ct_path *path);
double ct_path_duration(const ct_path *path);
ct_vec3 ct_path_pivot(const ct_path *path); /* in the body frame */

/* At a time in [0, duration]. At 0 and, of INTERPOLATED, at the duration the given poses, to the bit but for the sign and the
 * length of the quaternion. Positions to a few u of the coordinates, rotations to a few u; of TORQUE_FREE to 2e-14 rad and 1e-14
 * for each rad turned, angular momentum and energy to 1e-13 relative. O(1): of TORQUE_FREE a closed form too (Jacobi 1849), half a
 * microsecond. */
ct_pose ct_path_pose(const ct_path *path, double time);
/* linear: of the pivot. */
ct_velocity ct_path_velocity(const ct_path *path, double time);
/* Of the pivot; constant. */
ct_vec3 ct_path_acceleration(const ct_path *path);
/* Bound on |angular velocity| over the whole path: the least, but for its rounding up. Equal to it where that is constant, with
 * *axis its unit direction (z where it is zero) and true; else *axis is that at the start. */
double ct_path_spin(const ct_path *path, ct_vec3 *axis, bool *constant);

/* Box that holds a ball of the radius about the pivot over the times [begin, end], rounded outward. */
ct_aabb ct_path_aabb(const ct_path *path, double begin, double end, double radius);

CT_DECLARATIONS_END

#endif
