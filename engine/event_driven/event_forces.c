/* Contact forces of an interval, to second order in its length.
 *
 * The forces are constant over the interval, act at the points and along the normals of its middle,
 * and are found from the velocities at its end: contacts with a force have no normal velocity
 * there, contacts that stick no slip (half-explicit midpoint method; Hairer, Lubich, Roche 1989;
 * Hairer, Wanner 1996, VII.6). Friction of a sliding contact is opposite to the mean of the slips
 * at start and end. If that reverses the slip, the contact sticks at the end. So travelling contact
 * points of rolling bodies, and normals that turn, need no formula: the contacts are found at the
 * end of the motion under the forces of the start.
 *
 * Unknown impulses P: u = J_end M^-1 J_middle' P + velocity without contact forces. The matrix is
 * symmetric only up to the change over the interval. */
#include "event_driven/event_driven.h"
#include "linear/arena.h"
#include <contact/friction.h>

#include <assert.h>
#include <string.h>

/* Normal and two tangents. */
#define PARTS 3
/* Greatest way of a contact point on its bodies, as a multiple of that of their material points:
 * points of bodies of very different curvature travel faster than the bodies turn. */
#define TRAVEL_FACTOR 8.0
/* Residual that Newton's method aims at: it converges quadratically to round-off. */
#define NEWTON_TOLERANCE 1e-12
/* Iterations that Newton's method may take before the method of the options. */
#define NEWTON_ITERATIONS 50
/* Greatest number of solutions of an interval, and the distance of contacts at its end, in contact
 * tolerances, from which on one more is made. */
#define PASSES_MAX 3
#define NEAR_PART 0.1
/* A slip that turns round within this part of the interval from its ends does not cut it. */
#define REVERSAL_PART 0.01

/* A contact at the end of the interval. */
typedef struct end_contact {
  const ct_contact *contact;
  ct_event_support *start; /* the same contact at the start; NULL: it is new */
  ct_mat3 axes, middle;    /* rows: normal and tangents, at the end and in the middle */
  ct_vec3 arm_a, arm_b;    /* from the centres to the point in the middle */
  bool slides;             /* friction opposes the mean slip */
  /* Part of the interval after which the slip of the start ends; 1: it does not. */
  double slip_part;
} end_contact;

/* The contacts of one island at the end. */
typedef struct end_problem {
  ct_event_step *step;
  ct_contact_set set; /* bodies have their velocities at the end without contact forces */
  const uint32_t *rows;
  end_contact *contacts;
  size_t count;
  double *matrix, *q, *mu, *impulses, *u;
  double residual;
} end_problem;

static ct_vec3 arm_to(const ct_contact_set *set, uint32_t body, const ct_contact *contact) {
  return ct_sub(contact->position, set->bodies[body].center);
}

/* ---- contacts at the end --------------------------------------------------------------------- */

static bool have_equal_colliders(const end_problem *p, const ct_contact *contact,
                                 const ct_event_support *s) {
  return s->row_a == p->rows[contact->a] && s->row_b == p->rows[contact->b] &&
         s->collider_a == contact->collider_a && s->collider_b == contact->collider_b;
}

/* Distance of the contact at the end from its place at the start, on its dynamic bodies, m. */
static double support_distance(const end_problem *p, const ct_contact *contact,
                               const ct_event_support *s) {
  double away = 0.0;
  if (p->set.bodies[contact->a].mobility == CT_DYNAMIC)
    away += ct_norm(ct_sub(arm_to(&p->set, contact->a, contact), s->arm_a));
  if (p->set.bodies[contact->b].mobility == CT_DYNAMIC)
    away += ct_norm(ct_sub(arm_to(&p->set, contact->b, contact), s->arm_b));
  return away;
}

/* Greatest distance by which a contact point moves on its bodies over the interval, m. */
static double travel_limit(const end_problem *p, const ct_contact *contact) {
  const uint32_t sides[2] = {contact->a, contact->b};
  double speed = 0.0;
  for (int i = 0; i < 2; i++) {
    const ct_mass_body *body = &p->set.bodies[sides[i]];
    speed += ct_norm(body->velocity.linear) +
             ct_norm(body->velocity.angular) * ct_norm(arm_to(&p->set, sides[i], contact));
  }
  return TRAVEL_FACTOR *
         (p->step->result.time * speed + p->step->driven->common->options.contact_tolerance);
}

/* Returns the support of the same colliders that is nearest to the contact, if the contact is also
 * the island's nearest to it; NULL: none. */
static ct_event_support *match_support(const end_problem *p, const ct_island *island,
                                       const ct_contact *contact) {
  ct_event_step *step = p->step;
  ct_event_support *best = NULL;
  double least = travel_limit(p, contact);
  for (size_t i = 0; i < step->support_count; i++) {
    ct_event_support *s = &step->supports[i];
    if (s->matched || !have_equal_colliders(p, contact, s)) continue;
    double away = support_distance(p, contact, s);
    if (away > least) continue;
    least = away;
    best = s;
  }
  for (size_t i = 0; i < island->set.count && best; i++) {
    const ct_contact *other = &island->set.contacts[i];
    if (other != contact && have_equal_colliders(p, other, best) &&
        support_distance(p, other, best) < least)
      best = NULL;
  }
  return best;
}

/* Returns the axes (rows) of a contact with this normal, with the first tangent as near as possible
 * to `tangent`. */
static ct_mat3 axes_along(ct_vec3 normal, ct_vec3 tangent) {
  ct_mat3 axes = {.rx = normal};
  axes.ry = ct_unit_or(ct_add_scaled(tangent, normal, -ct_dot(tangent, normal)), tangent);
  axes.rz = ct_cross(normal, axes.ry);
  return axes;
}

static void set_end_contact(const end_problem *p, const ct_island *island,
                            const ct_contact *contact, end_contact *out) {
  ct_event_support *start = match_support(p, island, contact);
  *out = (end_contact){.contact = contact,
                       .start = start,
                       .arm_a = arm_to(&p->set, contact->a, contact),
                       .arm_b = arm_to(&p->set, contact->b, contact),
                       .slip_part = 1.0};
  out->axes.rx = contact->normal;
  ct_contact_tangents(contact->normal, &out->axes.ry, &out->axes.rz);
  out->middle = out->axes;
  if (!start) return;
  start->matched = true;
  out->slides = !ct_is_zero_vec(start->slip);
  out->arm_a = ct_scale(ct_add(out->arm_a, start->arm_a), 0.5);
  out->arm_b = ct_scale(ct_add(out->arm_b, start->arm_b), 0.5);
  out->middle =
      axes_along(ct_unit_or(ct_add(contact->normal, start->normal), contact->normal), out->axes.ry);
}

static bool is_asleep(const ct_event_step *step, uint32_t row) {
  const ct_body_state *m = ct_integration_next_of(step->driven->common, row);
  return ct_body_state_is_dynamic(m) && m->asleep;
}

/* True if a contact that does not exist at the start rests at the end under the forces of the
 * start: a further point of a face, not an impact. */
static bool is_new_rest(const ct_event_step *step, const ct_island *island,
                        const ct_contact *contact) {
  if (fabs(contact->distance) > step->driven->common->options.contact_tolerance) return false;
  ct_contact_velocity v =
      ct_contact_relative_velocity(&island->set, contact, step->result.velocity_tolerance);
  return v.velocity_class == CT_CLASS_RESTING;
}

/* Selects the contacts of pairs that rest at the start: those that exist at the start, and new
 * points at rest. */
static void select_end_contacts(end_problem *p, const ct_island *island) {
  p->count = 0;
  for (size_t i = 0; i < island->set.count; i++) {
    const ct_contact *t = &island->set.contacts[i];
    if (!ct_event_is_resting_pair(p->step, p->rows[t->a], p->rows[t->b])) continue;
    if (is_asleep(p->step, p->rows[t->a]) || is_asleep(p->step, p->rows[t->b])) continue;
    end_contact *chosen = &p->contacts[p->count];
    set_end_contact(p, island, t, chosen);
    p->count += chosen->start || is_new_rest(p->step, island, t);
  }
}

/* ---- the problem ----------------------------------------------------------------------------- */

/* Velocity of a body's point at `arm` along `along`, caused by a unit impulse at `from` along
 * `impulse`. */
static double body_response(const ct_mass_body *body, ct_vec3 arm, ct_vec3 along, ct_vec3 from,
                            ct_vec3 impulse) {
  if (body->mobility != CT_DYNAMIC) return 0.0;
  return ct_dot(along, impulse) * body->inverse_mass +
         ct_dot(ct_cross(arm, along), ct_mat_mul(body->inverse_inertia, ct_cross(from, impulse)));
}

/* Relative velocity at contact `at`, along `along` at the end, caused by a unit impulse of contact
 * `cause` along `impulse` in the middle. */
static double middle_response(const end_problem *p, const end_contact *at, ct_vec3 along,
                              const end_contact *cause, ct_vec3 impulse) {
  const ct_contact *t = at->contact, *c = cause->contact;
  double sum = 0.0;
  const uint32_t sides[2] = {t->a, t->b}, causes[2] = {c->a, c->b};
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      if (sides[i] == causes[j])
        sum += (i == j ? 1.0 : -1.0) * body_response(&p->set.bodies[sides[i]],
                                                     arm_to(&p->set, sides[i], t), along,
                                                     j ? cause->arm_b : cause->arm_a, impulse);
  return sum;
}

static void fill_end_matrix(end_problem *p) {
  size_t n = p->count * PARTS;
  for (size_t i = 0; i < n; i++) {
    const end_contact *at = &p->contacts[i / PARTS];
    const ct_vec3 along[PARTS] = {at->axes.rx, at->axes.ry, at->axes.rz};
    for (size_t j = 0; j < n; j++) {
      const end_contact *cause = &p->contacts[j / PARTS];
      const ct_vec3 impulse[PARTS] = {cause->middle.rx, cause->middle.ry, cause->middle.rz};
      p->matrix[i * n + j] = middle_response(p, at, along[i % PARTS], cause, impulse[j % PARTS]);
    }
  }
}

/* Fills q: velocities without contact forces, and for sliding contacts the slip at the start. A
 * contact without a force may close its gap. */
static void fill_end_velocities(end_problem *p) {
  const bool frictionless = p->step->driven->common->options.frictionless;
  for (size_t i = 0; i < p->count; i++) {
    const end_contact *c = &p->contacts[i];
    ct_vec3 u = ct_contact_relative_velocity(&p->set, c->contact, 0.0).relative;
    double normal = ct_dot(c->axes.rx, u);
    if (c->slides) u = ct_add(u, c->start->slip);
    if (!c->start || ct_is_zero_vec(c->start->force))
      normal += ct_max2(c->contact->distance, 0.0) / p->step->result.time;
    p->q[i * PARTS] = normal;
    p->q[i * PARTS + 1] = ct_dot(c->axes.ry, u);
    p->q[i * PARTS + 2] = ct_dot(c->axes.rz, u);
    const ct_pair_material *material = &c->contact->material;
    p->mu[i] = frictionless ? 0.0
               : c->slides  ? material->dynamic_friction
                            : material->static_friction;
  }
}

/* Makes the contacts stick at the end whose slip would reverse. True: there are any. */
static bool stop_reversed_slips(end_problem *p) {
  bool any = false;
  for (size_t i = 0; i < p->count; i++) {
    end_contact *c = &p->contacts[i];
    if (!c->slides) continue;
    ct_vec3 sum = ct_add(ct_scale(c->axes.ry, p->u[i * PARTS + 1]),
                         ct_scale(c->axes.rz, p->u[i * PARTS + 2]));
    ct_vec3 end = ct_sub(sum, c->start->slip);
    double before = ct_dot(c->start->slip, c->start->slip), after = ct_dot(end, c->start->slip);
    if (!(after < 0.0)) continue;
    c->slides = false;
    c->slip_part = before / (before - after);
    any = true;
  }
  return any;
}

/* Ends the interval where a slip ends that then turns round, because friction changes there. If the
 * contact sticks from there on, the impulses at the end are right to second order, and the interval
 * is not cut. */
static void end_at_reversals(end_problem *p) {
  ct_event_step *step = p->step;
  for (size_t i = 0; i < p->count; i++) {
    const end_contact *c = &p->contacts[i];
    const double *r = &p->impulses[i * PARTS], part = c->slip_part;
    if (part > 1.0 - REVERSAL_PART || part < REVERSAL_PART) continue;
    /* Friction after the slip: the impulse less that of the slip, over the rest of the interval. */
    ct_vec3 along = ct_unit_or(c->start->slip, c->axes.ry);
    double slid = c->contact->material.dynamic_friction * r[0] * part;
    double y = r[1] + slid * ct_dot(along, c->axes.ry), z = r[2] + slid * ct_dot(along, c->axes.rz);
    double most = (1.0 - part) * c->contact->material.static_friction * r[0];
    if (y * y + z * z > most * most)
      step->reversal = ct_min2(step->reversal, part * step->result.time);
  }
}

/* Solves the problem, from the impulses given: by Newton's method, which is near the solution in
 * smooth motion, otherwise by the method of the options. */
static ct_status solve_end_problem(end_problem *p, const ct_friction_problem *problem,
                                   bool *solved) {
  const ct_advance_options *o = &p->step->driven->common->options;
  const ct_friction_method methods[2] = {CT_FRICTION_NEWTON, o->method};
  const double tolerance = o->tolerance > 0.0 ? o->tolerance : CT_FRICTION_TOLERANCE;
  ct_friction_options options = ct_friction_options_default();
  options.cancel = o->cancel;
  options.start = p->impulses;
  options.proof = CT_FRICTION_PROOF_NEVER;
  ct_friction_result result = {.r = p->impulses, .u = p->u};
  *solved = false;
  for (int i = 0; i < 2 && !*solved; i++) {
    options.method = methods[i];
    options.iterations_max = i ? o->iterations_max : NEWTON_ITERATIONS;
    options.tolerance = i ? tolerance : ct_min2(tolerance, NEWTON_TOLERANCE);
    ct_status status = ct_friction_solve(problem, &options, p->step->arena, &result);
    if (status != CT_OK) return status;
    p->step->result.iterations += result.iterations;
    *solved = result.residual <= tolerance;
    p->residual = result.residual;
  }
  return CT_OK;
}

/* Solves the impulses. *solved: the solver reached its tolerance. */
static ct_status solve_end_impulses(end_problem *p, bool *solved) {
  const ct_friction_problem problem = {.matrix = {.size = p->count * PARTS, .dense = p->matrix},
                                       .q = p->q,
                                       .mu = p->mu,
                                       .contacts = p->count,
                                       .dimension = PARTS};
  fill_end_matrix(p);
  *solved = true;
  for (bool again = true; again && *solved;) {
    fill_end_velocities(p);
    ct_status status = solve_end_problem(p, &problem, solved);
    if (status != CT_OK) return status;
    again = *solved && stop_reversed_slips(p);
  }
  if (*solved) end_at_reversals(p);
  return CT_OK;
}

/* ---- forces of the interval ------------------------------------------------------------------ */

/* Sets the velocities of the island's bodies at the end without contact forces. */
static void set_free_velocities(end_problem *p, ct_mass_body *bodies) {
  const ct_integration *common = p->step->driven->common;
  double h = p->step->result.time;
  for (size_t i = 0; i < p->set.body_count; i++) {
    if (bodies[i].mobility != CT_DYNAMIC) continue;
    const ct_body_state *m = ct_integration_next_of(common, p->rows[i]);
    const ct_event_load *load = &p->step->loads[common->moved_of[p->rows[i]]];
    bodies[i].velocity.linear = ct_add_scaled(m->velocity.linear, load->force, h / m->mass);
    bodies[i].velocity.angular =
        ct_mat_mul(bodies[i].inverse_inertia, ct_add_scaled(m->angular_momentum, load->torque, h));
  }
}

/* Gap that the contact keeps, m: none, or its depth, if bodies overlap at the start of the motion.
 */
static double rest_distance_of(const end_problem *p, const end_contact *c) {
  const ct_event_driven *driven = p->step->driven;
  bool keeps = p->step->keeps_depth || driven->overlap > driven->common->options.contact_tolerance;
  return c->start && keeps ? ct_min2(c->start->distance, 0.0) : 0.0;
}

/* Lists the contacts and their forces. */
static void list_end_supports(const end_problem *p) {
  ct_event_step *step = p->step;
  for (size_t i = 0; i < p->count; i++) {
    const end_contact *c = &p->contacts[i];
    const ct_contact *t = c->contact;
    const double *r = &p->impulses[i * PARTS];
    ct_vec3 impulse = ct_add_scaled(
        ct_add(ct_scale(c->middle.ry, r[1]), ct_scale(c->middle.rz, r[2])), c->middle.rx, r[0]);
    step->candidates[step->candidate_count++] =
        (ct_event_support){.row_a = p->rows[t->a],
                           .row_b = p->rows[t->b],
                           .arm_a = c->arm_a,
                           .arm_b = c->arm_b,
                           .end_arm_a = arm_to(&p->set, t->a, t),
                           .end_arm_b = arm_to(&p->set, t->b, t),
                           .normal = t->normal,
                           .force = ct_scale(impulse, 1.0 / step->result.time),
                           .distance = t->distance,
                           .rest_distance = rest_distance_of(p, c),
                           .closes = r[0] > 0.0};
  }
}

/* Marks the bodies of contacts whose impulses are not solved. */
static void mark_unsolved(const end_problem *p) {
  const ct_integration *common = p->step->driven->common;
  for (size_t i = 0; i < p->set.body_count; i++)
    if (p->set.bodies[i].mobility == CT_DYNAMIC)
      p->step->loads[common->moved_of[p->rows[i]]].is_unsolved = true;
}

static ct_status refine_island(ct_event_step *step, const ct_island *island) {
  size_t n = island->set.count, rows = n * PARTS;
  end_problem p = {.step = step, .set = island->set, .rows = island->rows};
  if (n == 0) return CT_OK;
  if (n > CT_RESTING_CONTACTS_EXACT) {
    mark_unsolved(&p);
    return CT_OK;
  }
  ct_mass_body *bodies = ct_arena_alloc(step->arena, island->set.body_count, sizeof *bodies);
  p.contacts = ct_arena_alloc(step->arena, n, sizeof *p.contacts);
  double *memory = ct_arena_alloc_doubles(step->arena, rows * rows + 3 * rows + n);
  if (!bodies || !p.contacts || !memory) return CT_OUT_OF_MEMORY;
  memcpy(bodies, island->set.bodies, island->set.body_count * sizeof *bodies);
  p.set.bodies = bodies;
  p.matrix = memory;
  p.q = memory + rows * rows;
  p.impulses = p.q + rows;
  p.u = p.impulses + rows;
  p.mu = p.u + rows;
  select_end_contacts(&p, island);
  if (p.count == 0) return CT_OK;
  set_free_velocities(&p, bodies);
  /* Start from the forces of the start. */
  for (size_t i = 0; i < p.count; i++) {
    const ct_event_support *start = p.contacts[i].start;
    ct_vec3 known =
        start ? ct_mat_mul(p.contacts[i].middle, ct_scale(start->force, step->result.time))
              : ct_vec(0.0, 0.0, 0.0);
    p.impulses[i * PARTS] = known.x;
    p.impulses[i * PARTS + 1] = known.y;
    p.impulses[i * PARTS + 2] = known.z;
  }
  bool solved = false;
  ct_status status = solve_end_impulses(&p, &solved);
  if (status == CT_OK && solved) {
    step->result.residual = ct_max2(step->result.residual, p.residual);
    list_end_supports(&p);
  } else {
    mark_unsolved(&p);
  }
  return status;
}

/* Distance by which contacts that rest at the start may be apart at the end, m. Their gaps change
 * by the second-order terms of the motion: forces, and travel over curved surfaces. */
static double resting_margin(const ct_event_step *step) {
  const ct_integration *common = step->driven->common;
  double most = 0.0, h = step->result.time;
  for (size_t i = 0; i < step->support_count; i++) {
    const uint32_t rows[2] = {step->supports[i].row_a, step->supports[i].row_b};
    const ct_vec3 arms[2] = {step->supports[i].arm_a, step->supports[i].arm_b};
    for (int side = 0; side < 2; side++) {
      const ct_body_state *m = ct_integration_next_of(common, rows[side]);
      if (!m) continue;
      double reach = ct_max2(ct_norm(arms[side]), CT_UNIT_ROUNDOFF);
      double way = h * (ct_norm(m->velocity.linear) + reach * ct_norm(m->velocity.angular));
      double pull = m->is_dynamic ? ct_norm(m->force) / m->mass
                                  : ct_norm(m->acceleration.linear) +
                                        reach * ct_norm(m->acceleration.angular);
      most = ct_max2(most, ct_min2(way, way * way / reach) + h * h * pull);
    }
  }
  return most;
}

/* Decides for each island of the start whether its forces are replaced: it is awake, and all of its
 * contacts at the end are solved. Sets its bodies' forces to the loads. */
static void select_refined_bodies(ct_event_step *step, const ct_mechanics *mechanics) {
  const ct_integration *common = step->driven->common;
  for (size_t i = 0; i < ct_mechanics_islands(mechanics); i++) {
    const ct_island island = ct_mechanics_island(mechanics, i);
    bool solved = island.set.count > 0;
    for (size_t k = 0; k < island.set.body_count; k++)
      if (island.set.bodies[k].mobility == CT_DYNAMIC)
        solved = solved && !is_asleep(step, island.rows[k]) &&
                 !step->loads[common->moved_of[island.rows[k]]].is_unsolved;
    for (size_t k = 0; k < island.set.body_count && solved; k++) {
      if (island.set.bodies[k].mobility != CT_DYNAMIC) continue;
      uint32_t index = common->moved_of[island.rows[k]];
      step->loads[index].is_refined = true;
      common->next[index].force = step->loads[index].force;
      common->next[index].torque = step->loads[index].torque;
    }
  }
}

/* True if the forces of the support's bodies are replaced. */
static bool is_refined(const ct_event_step *step, const ct_event_support *s) {
  const ct_integration *common = step->driven->common;
  uint32_t row = ct_integration_is_dynamic(common, s->row_a) ? s->row_a : s->row_b;
  return step->loads[common->moved_of[row]].is_refined;
}

static void add_force_at_arm(ct_event_step *step, uint32_t row, ct_vec3 arm, ct_vec3 force) {
  ct_body_state *m = ct_integration_next_of(step->driven->common, row);
  if (!ct_body_state_is_dynamic(m)) return;
  m->force = ct_add(m->force, force);
  m->torque = ct_add(m->torque, ct_cross(arm, force));
}

/* Replaces the forces of refined bodies; the others keep theirs. Lists the supports of both.
 * Returns the greatest distance of a contact with a force from the gap that it keeps, m. */
static double apply_candidates(ct_event_step *step) {
  size_t count = 0;
  double worst = 0.0;
  for (size_t i = 0; i < step->candidate_count; i++) {
    const ct_event_support s = step->candidates[i];
    if (!is_refined(step, &s)) continue;
    step->candidates[count++] = s;
    add_force_at_arm(step, s.row_a, s.arm_a, ct_neg(s.force));
    add_force_at_arm(step, s.row_b, s.arm_b, s.force);
    if (s.closes) worst = ct_max2(worst, fabs(s.distance - s.rest_distance));
  }
  for (size_t i = 0; i < step->support_count; i++)
    if (!is_refined(step, &step->supports[i])) step->candidates[count++] = step->supports[i];
  step->refined = step->candidates;
  step->refined_count = count;
  return worst;
}

/* Finds the greatest depth that resting contacts gain by the end of the interval. */
static void measure_drift(ct_event_step *step) {
  const ct_integration *common = step->driven->common;
  for (size_t i = 0; i < common->moved_count; i++) {
    step->begin[i] = common->next[i];
    ct_body_state_advance_flight(&step->begin[i], step->result.time, step->result.time);
  }
  for (size_t i = 0; i < step->refined_count; i++)
    if (step->refined[i].closes)
      step->drift =
          ct_max2(step->drift, -step->refined[i].rest_distance - step->result.depth -
                                   ct_event_gap_change(step, &step->refined[i], step->begin));
}

static bool has_unsolved_body(const ct_event_step *step) {
  for (size_t i = 0; i < step->driven->common->moved_count; i++)
    if (step->loads[i].is_unsolved) return true;
  return false;
}

/* Finds the contacts at the end under the present forces, and solves their impulses. */
static ct_status solve_candidates(ct_event_step *step, const ct_body_state *then) {
  ct_mechanics *end = NULL;
  ct_status status = ct_event_find_contacts(step, then, resting_margin(step), &end);
  if (status != CT_OK) return status;
  step->candidate_count = 0;
  step->candidates = ct_arena_alloc(step->arena, step->support_count + ct_mechanics_count(end) + 1,
                                    sizeof *step->candidates);
  if (!step->candidates) status = CT_OUT_OF_MEMORY;
  for (size_t i = 0; i < ct_mechanics_islands(end) && status == CT_OK; i++) {
    const ct_island island = ct_mechanics_island(end, i);
    ct_arena_mark mark = ct_arena_enter(step->arena);
    status = refine_island(step, &island);
    ct_arena_leave(step->arena, mark);
  }
  ct_mechanics_destroy(end);
  return status;
}

/* Repeats the solution with the motion under the forces found, until the contacts are where they
 * were expected: for contact points that travel fast. */
static ct_status refine_supports(ct_event_step *step, const ct_mechanics *mechanics) {
  const ct_integration *common = step->driven->common;
  double near = NEAR_PART * common->options.contact_tolerance, worst = INFINITY;
  for (int pass = 0; pass < PASSES_MAX && worst > near; pass++) {
    ct_body_state *then = ct_arena_alloc(step->arena, common->moved_count, sizeof *then);
    if (!then) return CT_OUT_OF_MEMORY;
    for (size_t i = 0; i < common->moved_count; i++) {
      step->loads[i].is_unsolved = false;
      then[i] = common->next[i];
      ct_body_state_advance_flight(&then[i], step->result.time, step->result.time);
    }
    for (size_t i = 0; i < step->support_count; i++) step->supports[i].matched = false;
    step->reversal = INFINITY;
    ct_status status = solve_candidates(step, then);
    if (status != CT_OK) return status;
    if (pass > 0 && has_unsolved_body(step)) break;
    select_refined_bodies(step, mechanics);
    worst = apply_candidates(step);
    step->then = then;
  }
  step->supports = step->refined;
  step->support_count = step->refined_count;
  measure_drift(step);
  return CT_OK;
}

ct_status ct_event_refine_forces(ct_event_step *step, const ct_mechanics *mechanics) {
  const ct_integration *common = step->driven->common;
  step->drift = 0.0;
  step->reversal = INFINITY;
  step->refined_count = 0;
  for (size_t i = 0; i < common->moved_count; i++)
    step->loads[i].is_refined = step->loads[i].is_unsolved = false;
  ct_status status = CT_OK;
  if (step->support_count > 0 && step->result.time > 0.0) status = refine_supports(step, mechanics);
  /* The other bodies have the forces of the start, and the residual of their solver. */
  for (size_t i = 0; i < common->moved_count; i++) {
    const ct_event_load *load = &step->loads[i];
    if (load->is_refined) continue;
    step->result.residual = ct_max2(step->result.residual, load->residual);
    step->result.converged = step->result.converged && load->converged;
  }
  return status;
}
