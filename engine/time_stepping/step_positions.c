/* Targets of the velocities at contacts that move over the bodies.
 *
 * The velocity problem is solved at the poses in the middle of the step, and its velocities u move
 * the bodies from there to the middle of the next step, through the time h. On this path the gap g
 * changes by h n.u + (h^2 / 2) c, with the acceleration c of the gap that the velocities alone
 * cause (ct_contact_free_acceleration). With n.u >= 0 a body that rolls over a flat end would sink
 * by h^2 |c| / 2 in each step. The target therefore contains c, so that neither
 *
 *   g + h n.u + (h^2 / 2) c          in the middle of the next step, nor
 *   g + (h / 2) n.u + (h^2 / 8) c    at the end of this one
 *
 * is negative. Likewise a point that sticks has no slip at the end of the step, where its slip is
 * u_t + (h / 2) d, with d = w x (p' - v) of b less that of a: p' is the velocity at which the point
 * of contact moves in space (ct_contact_travel), v and w the velocities of a body's centre; c and d
 * include the angular acceleration of a free top. Without friction, and with
 * both sides of the constraint, the method is SHAKE (Ryckaert, Ciccotti, Berendsen 1977), of second
 * order. Rotations by an angle f in a step replace h^2 / 2 by h^2 (1 - cos f) / f^2, which is exact
 * for a vertex.
 *
 * Corrections after the velocity problem: positions of contacts that are too deep, and energy that
 * the impulses would create.
 *
 * Positions: the displacement of least kinetic norm after which no contact of the island is deeper
 * than tolerated, to first order: dq = M^-1 J' y with y >= 0, J M^-1 J' y + g >= 0, and one of both
 * zero in each row (projection in the mass metric; nonlinear Gauss-Seidel of Box2D and Jolt has the
 * same fixed point). The next step evaluates the gaps again, so that the correction continues on
 * the contacts that are then active. Momenta do not change; the energy of the displacement is
 * counted. A contact moves by at most separation_speed times the step. */
#include "linear/arena.h"
#include "mechanics/mechanics.h"
#include "mechanics/mechanics_curvature.h"
#include "scene/body.h"
#include "time_stepping/time_stepping.h"

#include <assert.h>
#include <string.h>

/* A contact moves if its surfaces move by more than this fraction of the smaller body's radius in a
 * step; below, the changes of gap and slip are this fraction squared. */
#define MOTION_PART 1e-5
/* A penetrating contact that moves is pushed out by its velocity target, at most at this fraction
 * of the speed at which loads press it together in one step: so it does not separate. */
#define PUSH_PART 0.5
/* A gap, or a change of gap or slip in a step, below this fraction of the tolerated depth is
 * round-off, and counts as zero. */
#define ROUNDOFF_PART 1e-3
/* Part of the tolerated depth that a correction leaves. */
#define LEFT_PART 0.5
/* Largest angle of rotation in a step for which the gap is predicted, rad. */
#define TURN_MAX 1.5

/* ---- motion of a contact --------------------------------------------------------------------- */

/* Both sides of a contact. */
typedef struct contact_sides {
  const ct_body_state *states[2]; /* NULL: static */
  ct_velocity velocities[2];
  ct_vec3 u;     /* velocity of b relative to a */
  double turn;   /* greater angular speed, rad/s */
  double radius; /* smaller radius of the moving bodies, m */
} contact_sides;

static contact_sides contact_sides_of(const ct_step *step, const ct_step_contact *t, bool before) {
  contact_sides s = {.radius = INFINITY,
                     .states = {ct_step_state(step, t->a), ct_step_state(step, t->b)}};
  for (int k = 0; k < 2; k++) {
    const ct_body_state *m = s.states[k];
    if (!m) continue;
    s.velocities[k] = before ? m->before : m->velocity;
    s.turn = ct_max2(s.turn, ct_norm(s.velocities[k].angular));
    s.radius = ct_min2(s.radius, m->radius);
  }
  s.u = ct_step_contact_velocity(step, t, before);
  return s;
}

/* True if the contact moves, is not so far apart that it cannot close in the step, and turns so
 * little that its path is predicted by its curvature. */
static bool is_contact_moving(const contact_sides *s, double distance, double time) {
  double path = time * (ct_norm(s->u) + s->turn * s->radius);
  return s->radius < INFINITY && path > MOTION_PART * s->radius && path > distance &&
         time * s->turn <= TURN_MAX;
}

static ct_surface surface_of(const ct_step *step, const ct_step_contact *t, bool of_b) {
  const ct_integration *common = step->stepping->common;
  uint32_t row = of_b ? t->row_b : t->row_a, index = of_b ? t->b : t->a,
           collider = of_b ? t->collider_b : t->collider_a;
  const ct_body *body = ct_scene_body(common->scene, row);
  ct_frame frame = ct_frame_of(index == CT_NO_ROW ? ct_scene_pose(common->scene, row)
                                                  : common->next[index].pose);
  ct_frame placed = ct_body_shape_frame(body, collider, &frame);
  ct_vec3 outward = of_b ? ct_neg(t->axes[0]) : t->axes[0];
  ct_vec3 point = ct_add_scaled(t->position, outward, -0.5 * t->distance);
  return ct_surface_at(ct_body_shape(body, collider), &placed, of_b ? t->feature_b : t->feature_a,
                       point, outward);
}

/* Returns the angular acceleration of a free top. */
static ct_vec3 gyroscopic_acceleration(const ct_body_state *m, ct_vec3 w) {
  return ct_mat_mul(m->inverse_inertia, ct_cross(ct_body_state_inertia(m, w), w));
}

/* A contact as a set of its two bodies, which have velocities only. */
typedef struct lone_contact {
  ct_mass_body bodies[2];
  ct_contact contact;
} lone_contact;

static void set_lone_contact(const ct_step *step, const ct_step_contact *t, const contact_sides *s,
                             lone_contact *out) {
  for (int k = 0; k < 2; k++) {
    const ct_body_state *m = s->states[k];
    ct_vec3 w = s->velocities[k].angular;
    out->bodies[k] = (ct_mass_body){.mobility = CT_FIXED,
                                    .center = m ? m->position : t->position,
                                    .velocity = s->velocities[k],
                                    .angular_acceleration = ct_body_state_is_dynamic(m)
                                                                ? gyroscopic_acceleration(m, w)
                                                                : ct_vec(0, 0, 0)};
  }
  out->contact = (ct_contact){.a = 0,
                              .b = 1,
                              .position = t->position,
                              .normal = t->axes[0],
                              .distance = t->distance,
                              .surface_a = surface_of(step, t, false),
                              .surface_b = surface_of(step, t, true)};
}

/* Returns the rate of the slip, m/s^2: d of the head of this file. Zero if the motion of the point
 * of contact is unknown. */
static ct_vec3 slip_rate(const ct_contact_set *set, const contact_sides *s) {
  ct_vec3 moves, rate = ct_vec(0, 0, 0);
  if (!ct_contact_travel(set, &set->contacts[0], &moves)) return rate;
  for (int k = 0; k < 2; k++) {
    const ct_mass_body *body = &set->bodies[k];
    ct_vec3 arm = ct_sub(set->contacts[0].position, body->center),
            turns = ct_cross(s->velocities[k].angular, ct_sub(moves, s->velocities[k].linear));
    rate = ct_add_scaled(rate, ct_add(turns, ct_cross(body->angular_acceleration, arm)),
                         k ? 1.0 : -1.0);
  }
  return rate;
}

/* ---- targets --------------------------------------------------------------------------------- */

/* Returns (1 - cos f) / f^2 * 2, which is 1 for small angles. */
static double versine_part(double f) {
  assert(f <= TURN_MAX);
  return 1.0 - f * f / 12.0 + f * f * f * f / 360.0;
}

/* Greatest speed at which the target may push out a penetrating contact, m/s: 0 unless the contact
 * also acted in the previous step. */
static double push_speed(const ct_step *step, const ct_step_contact *t) {
  if (!t->acted || t->overlaps) return 0.0;
  const ct_body_state *states[2] = {ct_step_state(step, t->a), ct_step_state(step, t->b)};
  double pressing = 0.0;
  for (int k = 0; k < 2; k++) {
    const ct_body_state *m = states[k];
    if (!m) continue;
    ct_vec3 gained = ct_sub(m->free.linear, m->before.linear);
    pressing += (k ? -1.0 : 1.0) * ct_dot(t->axes[0], gained);
  }
  return PUSH_PART * ct_max2(pressing, 0.0);
}

/* Returns the least normal velocity of a contact that moves, m/s. */
static double moving_target(const ct_step *step, const ct_step_contact *t, double c, double turn) {
  double h = step->result.time;
  double whole = 0.5 * h * h * c * versine_part(turn * h),
         half = 0.125 * h * h * c * versine_part(0.5 * turn * h);
  double tolerance = step->stepping->depth_tolerance;
  if (fabs(whole) <= ROUNDOFF_PART * tolerance && t->distance >= -tolerance) return t->target;
  bool acts = ct_max_abs(t->impulse) > 0.0;
  if (t->distance > step->stepping->common->options.contact_tolerance && !acts) {
    /* Another feature may touch first: only less approach is required, never more allowed. */
    whole = ct_min2(whole, 0.0);
    half = ct_min2(half, 0.0);
  }
  double gap = ct_max2(t->distance, -h * push_speed(step, t));
  if (fabs(gap) <= ROUNDOFF_PART * tolerance) gap = 0.0;
  return ct_max2(-(gap + whole) / h, -(2.0 * ct_max2(gap, 0.0) + 2.0 * half) / h);
}

/* Sets the shifts of a contact. Returns by how much they change, m/s. */
static double set_contact_shifts(const ct_step *step, ct_step_contact *t, bool before) {
  double past[3], change = 0.0;
  for (int k = 0; k < 3; k++) {
    past[k] = t->shift[k];
    t->shift[k] = 0.0;
  }
  contact_sides s = contact_sides_of(step, t, before);
  if (!t->bounces && is_contact_moving(&s, t->distance, step->result.time)) {
    lone_contact lone;
    set_lone_contact(step, t, &s, &lone);
    const ct_contact_set set = {lone.bodies, 2, &lone.contact, 1};
    double c = ct_contact_free_acceleration(&set, &lone.contact, NULL), h = step->result.time;
    t->shift[0] = moving_target(step, t, c, s.turn) - t->target;
    ct_vec3 rate = slip_rate(&set, &s);
    for (int k = 1; k < 3; k++) t->shift[k] = -0.5 * h * ct_dot(t->axes[k], rate);
    double most = ct_max2(fabs(t->shift[0]), ct_max2(fabs(t->shift[1]), fabs(t->shift[2])));
    if (h * most <= ROUNDOFF_PART * step->stepping->depth_tolerance)
      for (int k = 0; k < 3; k++) t->shift[k] = 0.0;
  }
  for (int k = 0; k < 3; k++) change = ct_max2(change, fabs(t->shift[k] - past[k]));
  return change;
}

double ct_step_set_shifts(const ct_step *step, bool before) {
  const ct_step_contacts *found = &step->stepping->found;
  double change = 0.0;
  assert(!step->at_start);
  for (size_t i = 0; i < found->count; i++)
    change = ct_max2(change, set_contact_shifts(step, &found->items[i], before));
  return change * step->result.time;
}

double ct_step_excess_depth(const ct_step *step, const ct_step_contact *t) {
  const ct_time_stepping *stepping = step->stepping;
  if (t->overlaps && stepping->common->options.keep_overlap) return 0.0;
  double depth = -t->distance, tolerance = stepping->depth_tolerance;
  if (depth <= tolerance) return 0.0;
  contact_sides s = contact_sides_of(step, t, false);
  bool is_pushed = !t->bounces && is_contact_moving(&s, t->distance, step->result.time) &&
                   depth - tolerance <= step->result.time * push_speed(step, t);
  return is_pushed ? 0.0 : depth - LEFT_PART * tolerance;
}

/* Largest number of sweeps; the correction continues in the next step. */
#define CORRECTION_SWEEPS_MAX 200
/* Sweeps end if no gap is deeper than required by more than this fraction of the tolerance. */
#define SWEEPS_PART 0.125
/* In a step whose solver has not converged, contacts sink because of its error, and corrections
 * would keep them from coming to rest; at rest they would end it. Then only depths beyond
 * CT_STEP_DEPTH_AT_REST are corrected, by this part, unless the bodies overlap since the start. */
#define UNCONVERGED_PART 0.2
/* Largest displacement of a body, in greatest required corrections: contacts that no displacement
 * separates would else move bodies without bound. */
#define DISPLACEMENT_MAX 8.0

/* ---- positions ------------------------------------------------------------------------------- */

/* Returns the depth by which a contact is corrected in this step, m; 0: not at all. */
static double correction_of(const ct_step *step, const ct_step_contact *t, bool at_rest) {
  double excess = ct_step_excess_depth(step, t);
  if ((at_rest || !step->result.converged) && !t->overlaps) {
    if (excess <= CT_STEP_DEPTH_AT_REST * step->stepping->depth_tolerance) return 0.0;
    excess *= UNCONVERGED_PART;
  }
  return ct_min2(excess, step->stepping->separation_speed * step->result.time);
}

/* Sets the gaps that the displacement has to bring to zero, m: those of contacts that are deep but
 * not corrected are 0, so that they get no deeper. Returns the greatest correction. */
static double set_gaps(const ct_step *step, const ct_step_island *island, double *gaps) {
  double most = 0.0;
  bool at_rest = true;
  for (size_t i = 0; i < island->body_count; i++)
    at_rest = at_rest && ct_body_state_is_fixed(ct_step_body_at(step, island, i));
  for (size_t i = 0; i < island->count; i++) {
    const ct_step_contact *t = ct_step_contact_at(step, island, i);
    double depth = correction_of(step, t, at_rest);
    gaps[i] = depth > 0.0 ? -depth : ct_max2(t->distance, 0.0);
    most = ct_max2(most, depth);
  }
  return most;
}

/* Projected Gauss-Seidel on y >= 0, A y + g >= 0. */
static void sweep_gaps(const ct_matrix *a, const double *gaps, double tolerance, double *y) {
  double worst = INFINITY;
  for (int sweep = 0; sweep < CORRECTION_SWEEPS_MAX && worst > tolerance; sweep++) {
    worst = 0.0;
    for (size_t i = 0; i < a->size; i++) {
      double gap = gaps[i], own = 0.0;
      for (size_t e = a->starts[i]; e < a->starts[i + 1]; e++) {
        gap += a->values[e] * y[a->columns[e]];
        if (a->columns[e] == i) own = a->values[e];
      }
      if (!(own > 0.0)) continue;
      double next = ct_max2(y[i] - gap / own, 0.0);
      worst = ct_max2(worst, fabs(next - y[i]) * own);
      y[i] = next;
    }
  }
}

/* Sums the impulses y along the normals on the bodies. */
static void sum_displacements(const ct_step *step, const ct_step_island *island, const double *y) {
  for (size_t i = 0; i < island->body_count; i++) {
    ct_body_state *m = ct_step_body_at(step, island, i);
    m->impulse = m->angular_impulse = ct_vec(0, 0, 0);
  }
  for (size_t i = 0; i < island->count; i++) {
    const ct_step_contact *t = ct_step_contact_at(step, island, i);
    ct_body_state_sum_impulse(ct_step_state(step, t->a), t->position, ct_scale(t->axes[0], -y[i]));
    ct_body_state_sum_impulse(ct_step_state(step, t->b), t->position, ct_scale(t->axes[0], y[i]));
  }
}

/* Displaces a body by its sums of impulses. Returns the energy that it gains, J. */
static double displace_body(const ct_step *step, ct_body_state *m, double limit) {
  ct_vec3 move = ct_scale(m->impulse, 1.0 / m->mass),
          turn = ct_mat_mul(m->inverse_inertia, m->angular_impulse);
  double size = ct_norm(move) + m->radius * ct_norm(turn);
  if (!(size > 0.0)) return 0.0;
  double part = size > limit ? limit / size : 1.0;
  ct_vec3 angular = m->velocity.angular;
  ct_body_state_rotate(m, ct_scale(turn, part), 1.0);
  ct_body_state_translate(m, ct_scale(move, part));
  m->velocity.angular = ct_body_state_angular_velocity(m);
  m->is_corrected = true;
  return 0.5 * ct_dot(m->angular_momentum, ct_sub(m->velocity.angular, angular)) -
         part * m->mass * ct_dot(step->stepping->common->options.gravity, move);
}

static bool has_overlap(const ct_step *step, const ct_step_island *island) {
  for (size_t i = 0; i < island->count; i++)
    if (ct_step_contact_at(step, island, i)->overlaps) return true;
  return false;
}

static ct_status displace_island(ct_step *step, const ct_step_island *island, double most,
                                 const double *gaps) {
  ct_contact_set set;
  ct_contact_graph graph;
  ct_delassus_matrix matrix;
  double *y = ct_arena_alloc_doubles(step->arena, island->count);
  if (!y) return CT_OUT_OF_MEMORY;
  ct_status status = ct_step_make_set(step, island, &set);
  if (status == CT_OK) status = ct_contact_graph_open(&graph, &set);
  if (status != CT_OK) return status;
  status = ct_delassus_matrix_open(&matrix, &set, &graph, 1);
  ct_contact_graph_close(&graph);
  if (status != CT_OK) return status;
  memset(y, 0, island->count * sizeof *y);
  sweep_gaps(&matrix.matrix, gaps, SWEEPS_PART * step->stepping->depth_tolerance, y);
  ct_delassus_matrix_close(&matrix);
  sum_displacements(step, island, y);
  double work = 0.0;
  for (size_t i = 0; i < island->body_count; i++)
    work += displace_body(step, ct_step_body_at(step, island, i), DISPLACEMENT_MAX * most);
  if (has_overlap(step, island)) step->result.separation_work += work;
  else step->result.correction_work += work;
  return CT_OK;
}

ct_status ct_step_correct_positions(ct_step *step, const ct_step_island *island) {
  ct_arena_mark mark = ct_arena_enter(step->arena);
  double *gaps = ct_arena_alloc_doubles(step->arena, island->count);
  ct_status status = gaps ? CT_OK : CT_OUT_OF_MEMORY;
  double most = gaps ? set_gaps(step, island, gaps) : 0.0;
  if (most > 0.0) status = displace_island(step, island, most, gaps);
  ct_arena_leave(step->arena, mark);
  return status;
}

/* ---- energy ---------------------------------------------------------------------------------- */

/* The rigid motion of an island. */
typedef struct rigid_motion {
  ct_vec3 center;
  ct_velocity velocity; /* of the centre */
} rigid_motion;

static bool is_grounded(const ct_step *step, const ct_step_island *island) {
  for (size_t i = 0; i < island->count; i++) {
    const ct_step_contact *t = ct_step_contact_at(step, island, i);
    if (!ct_body_state_is_dynamic(ct_step_state(step, t->a)) ||
        !ct_body_state_is_dynamic(ct_step_state(step, t->b)))
      return true;
  }
  return false;
}

/* Adds the inertia of a mass at r about the origin. */
static void add_point_inertia(ct_mat3 *inertia, double mass, ct_vec3 r) {
  double rr = ct_dot(r, r);
  inertia->rx = ct_add(inertia->rx, ct_scale(ct_vec(rr - r.x * r.x, -r.x * r.y, -r.x * r.z), mass));
  inertia->ry = ct_add(inertia->ry, ct_scale(ct_vec(-r.y * r.x, rr - r.y * r.y, -r.y * r.z), mass));
  inertia->rz = ct_add(inertia->rz, ct_scale(ct_vec(-r.z * r.x, -r.z * r.y, rr - r.z * r.z), mass));
}

/* Solves the symmetric system a x = b by Cramer's rule. Zero if it is singular. */
static ct_vec3 solve_by_cramer(const ct_mat3 *a, ct_vec3 b) {
  ct_vec3 yz = ct_cross(a->ry, a->rz), zx = ct_cross(a->rz, a->rx), xy = ct_cross(a->rx, a->ry);
  double determinant = ct_dot(a->rx, yz);
  if (!(determinant > 0.0)) return ct_vec(0, 0, 0);
  return ct_scale(ct_vec(ct_dot(b, yz), ct_dot(b, zx), ct_dot(b, xy)), 1.0 / determinant);
}

/* Returns the motion of a rigid body with the island's momenta; at rest if immovable bodies touch
 * the island. */
static rigid_motion rigid_motion_of(const ct_step *step, const ct_step_island *island) {
  rigid_motion rigid = {{0, 0, 0}, {{0, 0, 0}, {0, 0, 0}}};
  if (is_grounded(step, island)) return rigid;
  double mass = 0.0;
  ct_vec3 momentum = ct_vec(0, 0, 0), angular = ct_vec(0, 0, 0);
  ct_mat3 inertia = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  for (size_t i = 0; i < island->body_count; i++) {
    const ct_body_state *m = ct_step_body_at(step, island, i);
    mass += m->mass;
    momentum = ct_add_scaled(momentum, m->velocity.linear, m->mass);
    rigid.center = ct_add_scaled(rigid.center, m->position, m->mass);
  }
  rigid.center = ct_scale(rigid.center, 1.0 / mass);
  rigid.velocity.linear = ct_scale(momentum, 1.0 / mass);
  for (size_t i = 0; i < island->body_count; i++) {
    const ct_body_state *m = ct_step_body_at(step, island, i);
    ct_vec3 arm = ct_sub(m->position, rigid.center);
    angular = ct_add(
        angular, ct_add(m->angular_momentum, ct_scale(ct_cross(arm, m->velocity.linear), m->mass)));
    add_point_inertia(&inertia, m->mass, arm);
    inertia.rx = ct_add(inertia.rx, ct_body_state_inertia(m, ct_vec(1, 0, 0)));
    inertia.ry = ct_add(inertia.ry, ct_body_state_inertia(m, ct_vec(0, 1, 0)));
    inertia.rz = ct_add(inertia.rz, ct_body_state_inertia(m, ct_vec(0, 0, 1)));
  }
  rigid.velocity.angular = solve_by_cramer(&inertia, angular);
  return rigid;
}

/* Returns the velocity of a body relative to the rigid motion. */
static ct_velocity relative_motion(const ct_body_state *m, const rigid_motion *rigid) {
  ct_vec3 arm = ct_sub(m->position, rigid->center);
  return (ct_velocity){ct_sub(m->velocity.linear, ct_add(rigid->velocity.linear,
                                                         ct_cross(rigid->velocity.angular, arm))),
                       ct_sub(m->velocity.angular, rigid->velocity.angular)};
}

static double relative_energy(const ct_body_state *m, ct_velocity v) {
  return 0.5 * (m->mass * ct_dot(v.linear, v.linear) +
                ct_dot(v.angular, ct_body_state_inertia(m, v.angular)));
}

/* Returns the factor f <= 1 of the relative velocities that removes `excess` of the energy at the
 * end of the step, T f^2 - G f with the work G of gravity and loads in the second half of the step;
 * the factor of least energy if there is not as much. */
static double scale_for_excess(double t, double g, double excess) {
  double radicand = g * g + 4.0 * t * (t - g - excess), root = sqrt(ct_max2(radicand, 0.0));
  return ct_min2(ct_max2((g + root) / (2.0 * t), 0.0), 1.0);
}

double ct_step_remove_energy(ct_step *step, const ct_step_island *island, double excess) {
  const rigid_motion rigid = rigid_motion_of(step, island);
  const ct_vec3 gravity = step->stepping->common->options.gravity;
  double t = 0.0, g = 0.0, half = step->at_start ? 0.0 : 0.5 * step->result.time;
  for (size_t i = 0; i < island->body_count; i++) {
    const ct_body_state *m = ct_step_body_at(step, island, i);
    ct_velocity v = relative_motion(m, &rigid);
    if (!(ct_norm(v.linear) <= CT_SPEED_MAX && ct_norm(v.angular) <= CT_SPEED_MAX)) return 0.0;
    t += relative_energy(m, v);
    g += half * (ct_dot(ct_add_scaled(m->force, gravity, m->mass), v.linear) +
                 ct_dot(m->torque, v.angular));
  }
  if (!(t > 0.0)) return 0.0;
  double part = 1.0 - scale_for_excess(t, g, excess);
  bool grounded = is_grounded(step, island);
  for (size_t i = 0; i < island->body_count; i++) {
    ct_body_state *m = ct_step_body_at(step, island, i);
    ct_velocity v = relative_motion(m, &rigid);
    ct_vec3 impulse = ct_scale(v.linear, -part * m->mass);
    ct_body_state_apply_impulse(m, impulse, ct_body_state_inertia(m, ct_scale(v.angular, -part)));
    /* The immovable bodies exert what the momentum changes by. */
    if (grounded) step->result.contact_impulse = ct_add(step->result.contact_impulse, impulse);
  }
  return t * part * (2.0 - part) - g * part;
}
