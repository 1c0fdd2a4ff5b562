/* Corrections after the velocity problem of an island: positions of contacts that are too deep, and
 * energy that the impulses would create.
 *
 * Positions: the displacement of least kinetic norm after which no contact of the island is deeper
 * than tolerated, to first order: dq = M^-1 J' y with y >= 0, J M^-1 J' y + g >= 0, and one of both
 * zero in each row (projection in the mass metric; nonlinear Gauss-Seidel of Box2D and Jolt has the
 * same fixed point). The next step evaluates the gaps again, so that the correction continues on
 * the contacts that are then active. Momenta do not change; the energy of the displacement is
 * counted. A contact moves by at most separation_speed times the step. */
#include "linear/arena.h"
#include "mechanics/mechanics.h"
#include "time_stepping/time_stepping.h"

#include <string.h>

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
