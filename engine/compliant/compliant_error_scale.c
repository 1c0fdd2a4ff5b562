/* Scale of the integration error: a relative part, and floors that the contacts of each body
 * determine (Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, section II.4).
 *
 * A relative error alone is not attainable near rest: the body's speed tends to 0, but the
 * round-off of its depth does not. A depth that is computed from coordinates of size X has the
 * round-off u X; over a step of about 1 / w it changes the velocity by w u X, where w = sqrt(F' /
 * m) is the frequency of the contact. Each floor is the greater of this round-off and a small part
 * of the depth at which the contact carries the load. So floors scale with the units of the
 * problem. */
#include "compliant/compliant_motion.h"

#include <assert.h>

/* Floor of the position error in units of `tolerance` times the contact's depth under load. With
 * the default tolerance, the depth of a settling body is exact to about 1e-10 of itself. */
#define FLOOR_PART 10.0
/* Multiples of u X. The first one bounds the round-off of a distance: of the transforms of both
 * bodies, and of a few operations on coordinates of size X. The second one is the floor: with this
 * or a greater round-off, steps stay in proportion to 1 / w. */
#define HYSTERESIS_UNITS 16.0
#define FLOOR_UNITS 2.0
/* Least relative tolerance, in units of u. */
#define RELATIVE_UNITS 16.0

/* Root of degree 3 or 5 by Newton's method: unlike pow, the same bits on every platform. */
static double odd_root(double x, int degree) {
  if (!(x > 0.0)) return 0.0;
  if (isinf(x)) return x;
  int exponent;
  double part = frexp(x, &exponent); /* in [1/2, 1) */
  int whole = exponent >= 0 ? exponent / degree : -((degree - 1 - exponent) / degree);
  /* in [1/2, 2^(degree - 1)): its root is below 2, and Newton's method descends to it */
  part = ldexp(part, exponent - degree * whole);
  double root = 2.0;
  for (int i = 0; i < 12; i++) {
    double power = degree == 3 ? root * root : root * root * root * root;
    root = ((degree - 1) * root + part / power) / degree;
  }
  return ldexp(root, whole);
}

double ct_fifth_root(double x) { return odd_root(x, 5); }

double ct_elastic_reduced_mass(const ct_compliant_motion *motion, uint32_t row_a, uint32_t row_b) {
  double sum = 0.0;
  const uint32_t rows[2] = {row_a, row_b};
  for (int k = 0; k < 2; k++)
    if (ct_integration_is_dynamic(motion->common, rows[k]))
      sum += 1.0 / motion->common->now[motion->common->moved_of[rows[k]]].mass;
  assert(sum > 0.0);
  return 1.0 / sum;
}

/* ---- floors ---------------------------------------------------------------------------------- */

/* Acceleration of the row's body without contacts, m/s^2: of gravity and loads, or prescribed. The
 * magnitudes are added, so that opposite ones do not cancel. */
static double free_acceleration(const ct_compliant_motion *motion, uint32_t row) {
  const ct_integration *common = motion->common;
  uint32_t index = common->moved_of[row];
  if (index == CT_NO_ROW) return 0.0;
  const ct_body_state *m = &common->now[index];
  if (!m->is_dynamic) return ct_norm(m->acceleration.linear);
  double sum = ct_norm(common->options.gravity);
  for (size_t k = 0; k < common->load_count; k++)
    if (common->loads[k].row == row) sum += ct_norm(common->loads[k].force) / m->mass;
  return sum;
}

/* Depth at which the contact's force is `mass` times the bodies' free acceleration. If nothing
 * accelerates the bodies: greatest depth of an impact at `speed`. m */
static double depth_under_load(const ct_compliant_motion *motion, const ct_elastic_contact *member,
                               double mass, double speed) {
  double factor = member->pair.c_res * member->pair.c_geo;
  double pull = ct_max2(free_acceleration(motion, member->a), free_acceleration(motion, member->b));
  double root;
  if (pull > 0.0) {
    root = odd_root(mass * pull / factor, 3);
    return root * root;
  }
  root = odd_root(1.25 * mass * speed * speed / factor, 5);
  return root * root;
}

/* Size of the coordinates from which the distance of the candidate's pair is computed, m. */
static double coordinate_size(const ct_compliant_motion *motion,
                              const ct_elastic_candidate *candidate) {
  double size = ct_max_abs(candidate->position);
  const uint32_t rows[2] = {candidate->a, candidate->b};
  for (int k = 0; k < 2; k++) {
    uint32_t index = motion->common->moved_of[rows[k]];
    ct_vec3 origin = index == CT_NO_ROW ? ct_scene_pose(motion->common->scene, rows[k]).position
                                        : motion->bodies[index].pose.position;
    size =
        ct_max2(size, ct_max2(ct_max_abs(origin), ct_max_abs(ct_sub(candidate->position, origin))));
  }
  return size;
}

static ct_error_floor lower_floor(ct_error_floor a, ct_error_floor b) {
  if (!(a.position > 0.0)) return b;
  if (!(b.position > 0.0)) return a;
  return (ct_error_floor){ct_min2(a.position, b.position), ct_min2(a.velocity, b.velocity)};
}

/* Floor of the error of a body that has this contact. */
static ct_error_floor contact_floor(const ct_compliant_motion *motion,
                                    const ct_elastic_candidate *candidate,
                                    const ct_elastic_contact *member, double fastest) {
  double factor = member->pair.c_res * member->pair.c_geo;
  if (!(factor > 0.0 && isfinite(factor))) return (ct_error_floor){0};
  double mass = ct_elastic_reduced_mass(motion, candidate->a, candidate->b);
  double depth = depth_under_load(motion, member, mass, fastest);
  double frequency = sqrt(1.5 * factor * sqrt(depth) / mass);
  double greatest = sqrt(1.5 * factor * sqrt(ct_max2(depth, -candidate->distance)) / mass);
  double part = FLOOR_PART * motion->common->options.tolerance * depth;
  double roundoff = FLOOR_UNITS / HYSTERESIS_UNITS * member->hysteresis;
  return (ct_error_floor){ct_max2(part, roundoff), ct_max2(part * frequency, roundoff * greatest)};
}

double ct_elastic_fastest_approach(const ct_compliant_motion *motion) {
  double fastest = 0.0;
  for (size_t k = 0; k < motion->member_count; k++)
    fastest = ct_max2(fastest, motion->members[k].approach);
  return fastest;
}

void ct_elastic_set_floors(ct_compliant_motion *motion) {
  for (size_t i = 0; i < motion->common->moved_count; i++) motion->floors[i] = (ct_error_floor){0};
  double fastest = ct_elastic_fastest_approach(motion);
  for (size_t k = 0; k < motion->candidates.count; k++) {
    const ct_elastic_candidate *candidate = &motion->candidates.items[k];
    size_t which = ct_elastic_find_contact(motion, candidate);
    if (which == motion->member_count) continue;
    ct_elastic_contact *member = &motion->members[which];
    member->hysteresis = HYSTERESIS_UNITS * CT_UNIT_ROUNDOFF * coordinate_size(motion, candidate);
    ct_error_floor contact = contact_floor(motion, candidate, member, fastest);
    const uint32_t rows[2] = {candidate->a, candidate->b};
    for (int side = 0; side < 2; side++) {
      uint32_t index = motion->common->moved_of[rows[side]];
      if (index == CT_NO_ROW) continue;
      motion->floors[index] = lower_floor(motion->floors[index], contact);
    }
  }
}

void ct_elastic_report_floors(ct_compliant_motion *motion) {
  ct_error_scale *scale = &motion->common->state.error_scale;
  ct_error_floor least = {scale->position, scale->velocity};
  for (size_t i = 0; i < motion->common->moved_count; i++)
    least = lower_floor(least, motion->floors[i]);
  scale->relative = ct_max2(motion->common->options.tolerance, RELATIVE_UNITS * CT_UNIT_ROUNDOFF);
  scale->position = least.position;
  scale->velocity = least.velocity;
}
