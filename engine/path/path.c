/* Paths: a rotation about the pivot and a translation of the pivot, each in closed form as a
 * function of time. */
#include "path/path.h"

#include "base/trigonometry.h"
#include <assert.h>
#include <contact/limits.h>
#include <stdlib.h>

/* Bound of the round-off of the pivot's displacement, relative to the sum of its terms' magnitudes:
 * a sum of three products. */
#define DISPLACEMENT_BOUND (8.0 * CT_UNIT_ROUNDOFF)
/* Bound of the round-off of the pivot as a transformed point of the body, relative to the arm: some
 * 30 u for an entry of a product of quaternion matrices. */
#define ARM_BOUND (32.0 * CT_UNIT_ROUNDOFF)
/* Bound of the relative round-off, with a safety factor, of the angle between two poses
 * (base/trigonometry.h) and of its quotient by the duration. */
#define SPIN_BOUND (16.0 * CT_UNIT_ROUNDOFF)

/* Returns the argument of displacement_at: for INTERPOLATED the fraction of the duration, else the
 * time, s. */
static double clock_at(const ct_path *path, double time) {
  assert(time >= 0.0 && path->options.duration > 0.0);
  return path->options.kind == CT_PATH_INTERPOLATED ? time / path->options.duration : time;
}

/* Returns the displacement of the pivot since the start. */
static ct_vec3 displacement_at(const ct_path *path, double clock) {
  return ct_scale(ct_add_scaled(path->rate, path->options.acceleration, 0.5 * clock), clock);
}

/* ---- rotation -------------------------------------------------------------------------------- */

/* Sets a rotation with constant angular velocity w. Its magnitude is a double-double, since angles
 * reach CT_TURN_MAX, and is scaled by a power of two so that it neither overflows nor
 * underflows. */
static void set_steady_turn(ct_path *path, ct_vec3 w) {
  double m = ct_max_abs(w);
  int exponent = 0;
  if (m > 0.0) (void)frexp(m, &exponent);
  path->axis = ct_unit_or(w, ct_vec(0.0, 0.0, 1.0));
  path->angle_rate =
      ct_turn_rate(ct_vec(ldexp(w.x, -exponent), ldexp(w.y, -exponent), ldexp(w.z, -exponent)));
  path->rate_exponent = exponent;
  /* The least double that is not below the double-double. */
  double least = path->angle_rate.low > 0.0
                     ? nextafter(path->angle_rate.high, 2.0 * path->angle_rate.high)
                     : path->angle_rate.high;
  path->spin = ldexp(least, exponent);
}

static void set_interpolated_turn(ct_path *path) {
  double angle =
      ct_turn_between(path->options.start.rotation, path->options.end.rotation, &path->axis);
  path->angle_rate = ct_dd_of(angle);
  path->spin = angle * (1.0 + SPIN_BOUND) / path->options.duration;
}

/* Sets torque-free rotation; if that has a constant angular velocity, sets only this.
 * CT_OUT_OF_MEMORY. */
static ct_status set_free_turn(ct_path *path) {
  const ct_path_options *o = &path->options;
  const ct_free_top_options options = {o->start.rotation, o->inertia_diagonal,
                                       o->inertia_orientation, o->velocity.angular};
  ct_free_top top;
  set_steady_turn(path, o->velocity.angular);
  if (!isfinite(path->spin) || !ct_free_top_set(&top, &options)) return CT_OK;
  path->spin = top.spin;
  path->top = malloc(sizeof top);
  if (!path->top) return CT_OUT_OF_MEMORY;
  *path->top = top;
  return CT_OK;
}

/* Returns the rotation since the start, in world axes. */
static ct_quat rotation_at(const ct_path *path, double time) {
  ct_vec3 angular;
  if (path->top) return ct_free_top_turn(path->top, time, &angular);
  double clock = path->options.kind == CT_PATH_INTERPOLATED ? time / path->options.duration
                                                            : ldexp(time, path->rate_exponent);
  return ct_turn_about(path->axis, ct_dd_mul(path->angle_rate, ct_dd_of(clock)));
}

/* ---- creation -------------------------------------------------------------------------------- */

/* Copies the options, with those that the kind does not use set to zero, and sets `arm` and
 * `rate`. */
static void set_displacement(ct_path *path, const ct_path_options *options) {
  const ct_vec3 zero = {0.0, 0.0, 0.0};
  ct_path_kind kind = options->kind;
  bool moves = kind == CT_PATH_TWIST || kind == CT_PATH_BALLISTIC || kind == CT_PATH_TORQUE_FREE;
  path->options = *options;
  if (!moves) path->options.center = zero;
  if (!moves) path->options.velocity = (ct_velocity){zero, zero};
  if (kind != CT_PATH_BALLISTIC && kind != CT_PATH_TORQUE_FREE) path->options.acceleration = zero;
  path->arm = ct_mat_mul(ct_quat_matrix(options->start.rotation), path->options.center);
  path->rate = kind == CT_PATH_INTERPOLATED ? ct_sub(options->end.position, options->start.position)
                                            : path->options.velocity.linear;
}

/* Computes the minimum and maximum of x + c (v + a c / 2) for c in [c[0], c[1]]: at the ends, or
 * where the velocity v + a c vanishes. */
static void find_quadratic_extremes(double x, double v, double a, const double c[2],
                                    double out[2]) {
  assert(c[0] <= c[1]);
  double first = x + c[0] * (v + 0.5 * a * c[0]), last = x + c[1] * (v + 0.5 * a * c[1]);
  out[0] = ct_min2(first, last);
  out[1] = ct_max2(first, last);
  double turning = a != 0.0 ? -v / a : c[0];
  if (!(turning > c[0] && turning < c[1])) return;
  double there = x + turning * (v + 0.5 * a * turning);
  out[0] = ct_min2(out[0], there);
  out[1] = ct_max2(out[1], there);
}

/* Returns the minima and maxima of the pivot's computed coordinates over the times [begin, end]. */
static ct_aabb bound_pivot(const ct_path *path, double begin, double end) {
  ct_vec3 x = ct_add(path->options.start.position, path->arm), v = path->rate,
          a = path->options.acceleration;
  const double c[2] = {clock_at(path, begin), clock_at(path, end)};
  double ox[2], oy[2], oz[2];
  find_quadratic_extremes(x.x, v.x, a.x, c, ox);
  find_quadratic_extremes(x.y, v.y, a.y, c, oy);
  find_quadratic_extremes(x.z, v.z, a.z, c, oz);
  return (ct_aabb){{ox[0], oy[0], oz[0]}, {ox[1], oy[1], oz[1]}};
}

static bool is_finite_vector(ct_vec3 v) { return isfinite(v.x) && isfinite(v.y) && isfinite(v.z); }

static bool is_within_limits(const ct_path *path) {
  double duration = path->options.duration;
  if (path->options.kind == CT_PATH_REST) return true;
  if (!(isfinite(path->spin) && path->spin * duration <= CT_TURN_MAX)) return false;
  ct_velocity last = ct_path_velocity(path, duration);
  if (!is_finite_vector(last.linear) || !is_finite_vector(last.angular)) return false;
  ct_vec3 displacement = displacement_at(path, clock_at(path, duration));
  ct_aabb box = bound_pivot(path, 0.0, duration);
  /* A sum of infinities of both signs is NaN, which is not within any limit. */
  return is_finite_vector(displacement) && ct_max_abs(box.min) <= CT_COORDINATE_MAX &&
         ct_max_abs(box.max) <= CT_COORDINATE_MAX;
}

ct_status ct_path_create(const ct_path_options *options, ct_path **out) {
  if (!(options->duration > 0.0 && options->duration <= CT_DURATION_MAX)) return CT_LIMIT;
  ct_path *path = calloc(1, sizeof *path);
  if (!path) return CT_OUT_OF_MEMORY;
  ct_path_options own = *options;
  own.start.rotation = ct_quat_or_identity(options->start.rotation);
  own.end.rotation = ct_quat_or_identity(options->end.rotation);
  own.inertia_orientation = ct_quat_or_identity(options->inertia_orientation);
  options = &own;
  set_displacement(path, options);
  ct_status status = CT_OK;
  if (options->kind == CT_PATH_INTERPOLATED) set_interpolated_turn(path);
  else if (options->kind == CT_PATH_TORQUE_FREE) status = set_free_turn(path);
  else set_steady_turn(path, path->options.velocity.angular);
  if (status == CT_OK && !is_within_limits(path)) status = CT_LIMIT;
  if (status != CT_OK) {
    ct_path_destroy(path);
    return status;
  }
  *out = path;
  return CT_OK;
}

void ct_path_destroy(ct_path *path) {
  if (path) free(path->top);
  free(path);
}

/* ---- evaluation ------------------------------------------------------------------------------ */

size_t ct_path_bytes(const ct_path *path) {
  return sizeof *path + (path->top ? sizeof *path->top : 0);
}

ct_path_kind ct_path_kind_of(const ct_path *path) { return path->options.kind; }
double ct_path_duration(const ct_path *path) { return path->options.duration; }
ct_vec3 ct_path_pivot(const ct_path *path) { return path->options.center; }
ct_vec3 ct_path_acceleration(const ct_path *path) { return path->options.acceleration; }

ct_pose ct_path_pose(const ct_path *path, double time) {
  const ct_path_options *options = &path->options;
  assert(time >= 0.0 && time <= options->duration);
  if (time == 0.0 || options->kind == CT_PATH_REST) return options->start;
  if (options->kind == CT_PATH_INTERPOLATED && time == options->duration) return options->end;
  ct_quat turn = rotation_at(path, time);
  ct_vec3 displacement = displacement_at(path, clock_at(path, time));
  /* The displacement of the pivot, minus the displacement that the rotation about the body's origin
   * gives to it: no cancellation if both are small. */
  ct_vec3 shift = ct_sub(displacement, ct_turn_change(turn, path->arm));
  return (ct_pose){ct_add(options->start.position, shift),
                   ct_quat_mul(turn, options->start.rotation)};
}

ct_velocity ct_path_velocity(const ct_path *path, double time) {
  const ct_path_options *options = &path->options;
  assert(time >= 0.0 && time <= options->duration);
  if (options->kind == CT_PATH_INTERPOLATED) {
    double s = options->duration;
    ct_vec3 angular = ct_scale(path->axis, path->angle_rate.high / s);
    return (ct_velocity){ct_vec(path->rate.x / s, path->rate.y / s, path->rate.z / s), angular};
  }
  ct_velocity v = {ct_add_scaled(path->rate, options->acceleration, time),
                   options->velocity.angular};
  if (path->top && time > 0.0) (void)ct_free_top_turn(path->top, time, &v.angular);
  return v;
}

double ct_path_spin(const ct_path *path, ct_vec3 *axis, bool *constant) {
  *constant = !path->top;
  *axis = path->axis;
  return path->spin;
}

/* Returns a + b rounded up. */
static double add_rounded_up(double a, double b) {
  ct_dd s = ct_two_sum(a, b);
  return s.low > 0.0 ? s.high + (fabs(s.high) * 0x1p-52 + 0x1p-1074) : s.high;
}

/* Returns a bound of the round-off of one coordinate of the pivot, for arguments up to c, and of
 * its sum with the radius. */
static double bound_roundoff(double x, double v, double a, double c) {
  return DISPLACEMENT_BOUND * (fabs(x) + c * (fabs(v) + 0.5 * fabs(a) * c));
}

ct_aabb ct_path_aabb(const ct_path *path, double begin, double end, double radius) {
  assert(begin >= 0.0 && begin <= end && end <= path->options.duration);
  ct_aabb box = bound_pivot(path, begin, end);
  ct_vec3 x = path->options.start.position, v = path->rate, a = path->options.acceleration;
  double c = clock_at(path, end);
  /* At rest the pose is exact, and so is the box except for the rounding of its sums. */
  bool rests = path->options.kind == CT_PATH_REST;
  double common =
      rests ? radius : radius + (4.0 * CT_UNIT_ROUNDOFF * radius + ARM_BOUND * ct_norm(path->arm));
  ct_vec3 reach = {common, common, common};
  if (!rests)
    reach = ct_add(reach, ct_vec(bound_roundoff(x.x, v.x, a.x, c), bound_roundoff(x.y, v.y, a.y, c),
                                 bound_roundoff(x.z, v.z, a.z, c)));
  return (ct_aabb){{-add_rounded_up(-box.min.x, reach.x), -add_rounded_up(-box.min.y, reach.y),
                    -add_rounded_up(-box.min.z, reach.z)},
                   {add_rounded_up(box.max.x, reach.x), add_rounded_up(box.max.y, reach.y),
                    add_rounded_up(box.max.z, reach.z)}};
}
