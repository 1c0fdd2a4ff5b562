/* Moreau-Jean time stepping: state of the integrator, and data that the files of a step share. */
#ifndef TIME_STEPPING_TIME_STEPPING_H
#define TIME_STEPPING_TIME_STEPPING_H

#include "integration/integration.h"

/* Depth, in tolerated depths, that is not corrected where a correction would keep bodies from
 * coming to rest, or end it; deeper contacts at the start are an overlap. 1 % of the radius of the
 * smallest dynamic body. */
#define CT_STEP_DEPTH_AT_REST 1e4

/* A contact point of a step, and its constraint. */
typedef struct ct_step_contact {
  uint32_t row_a, row_b, collider_a, collider_b;
  ct_feature feature_a, feature_b;
  uint32_t number;
  uint32_t a, b; /* indices of the body states; CT_NO_ROW: the row does not move */
  ct_vec3 position;
  ct_vec3 axes[3]; /* normal from a to b, then two tangents */
  double distance;
  ct_pair_material material;
  ct_vec3 before; /* relative velocity before the step's gravity, loads and impulses, m/s */
  double target; /* least normal velocity allowed after the impulses, m/s; negative: the contact may
                    close */
  bool bounces;  /* the target velocity includes restitution */
  double shift[3];      /* velocity along the axes that is added to the target, because the contact
                           moves and turns during the step (step_contacts.c), m/s */
  bool acted;           /* it had an impulse in the previous step, or was closed at the start */
  bool closed_at_start; /* it was closed at the start of the simulation */
  bool overlaps;        /* its colliders overlap since the start of the simulation */
  double friction; /* coefficient of friction in use: dynamic if the contact slides, else static */
  bool kept;       /* reused from the previous step, because neither body has moved since */
  bool takes_part; /* the contact may have an impulse; a separated contact takes part once a
                      solution would close it */
  ct_vec3 impulse; /* impulse on b, world, N s; initially that of the previous step */
} ct_step_contact;

typedef struct ct_step_contacts {
  ct_step_contact *items; /* [count] contacts in the order of the query */
  size_t count, room;
} ct_step_contacts;

/* The islands of a step: contacts linked by dynamic bodies, and these bodies, sorted by island. */
typedef struct ct_step_islands {
  size_t count;
  uint32_t *contacts;       /* indices in `found`, ascending in each island */
  uint32_t *contact_starts; /* [count + 1] start of each island in `contacts` */
  uint32_t *bodies;         /* dynamic bodies with a contact, ascending in each island */
  uint32_t *body_starts;    /* [count + 1] start of each island in `bodies` */
} ct_step_islands;

typedef struct ct_time_stepping {
  ct_integration *common;
  ct_step_contacts contacts; /* contacts of the previous step */
  ct_step_contacts
      queried; /* contacts of this step that were queried, of the pairs that have moved */
  ct_step_contacts found; /* contacts of this step, of all pairs: queried ones, and reused ones of
                             pairs that have not moved */
  double margin;          /* clearance of the previous contact query, m; 0: none yet */
  uint64_t next_rest_attempt,
      rest_attempt_interval; /* step from which on many sweeps may be spent again to bring islands
                                to rest; number of steps between such attempts */
  double depth_tolerance;    /* depth that is not corrected, m */
  double separation_speed;   /* speed at which overlapping bodies are separated, m/s */
  uint64_t steps_whole;
  double
      step_rest; /* duration of the last, shorter step, s; 0: all steps have the full time step */
} ct_time_stepping;

/* Creates the integrator of a simulation. CT_OUT_OF_MEMORY: *out is NULL. */
ct_status ct_time_stepping_create(ct_integration *common, ct_time_stepping **out);
void ct_time_stepping_destroy(ct_time_stepping *stepping); /* NULL: no operation */
/* Advances by the time step; the last step covers the remaining duration. Returns the status of
 * ct_advance_step. */
ct_status ct_time_stepping_step(ct_time_stepping *stepping, ct_workspace *workspace,
                                ct_arena *arena, bool *done);

/* ---- within a step -------------------------------------------------------------------------- */

typedef struct ct_step {
  ct_time_stepping *stepping; /* its `common->next` contains the bodies in the middle of the step */
  ct_workspace *workspace;
  ct_arena *arena;
  uint64_t sweeps;    /* largest number of sweeps that the solver may use for an island */
  bool rough;         /* the pass only finds which contacts take part, with few sweeps */
  bool at_start;      /* the step of duration 0 at the start of the simulation */
  bool marks_overlap; /* the contacts are those at the start of the simulation */
  uint64_t next_rest_attempt,
      rest_attempt_interval; /* new values of the members of ct_time_stepping */
  double margin;             /* clearance of the contact query, m */
  ct_step_result result;
} ct_step;

/* One island of ct_step_islands. */
typedef struct ct_step_island {
  const uint32_t *bodies,
      *contacts; /* [body_count] indices of body states; [count] indices of contacts in `found` */
  size_t body_count, count;
} ct_step_island;

static inline ct_step_island ct_step_island_at(const ct_step_islands *islands, size_t island) {
  const uint32_t *contacts = &islands->contact_starts[island],
                 *bodies = &islands->body_starts[island];
  return (ct_step_island){islands->bodies + bodies[0], islands->contacts + contacts[0],
                          bodies[1] - bodies[0], contacts[1] - contacts[0]};
}
static inline ct_step_contact *ct_step_contact_at(const ct_step *step, const ct_step_island *island,
                                                  size_t i) {
  return &step->stepping->found.items[island->contacts[i]];
}
static inline ct_body_state *ct_step_body_at(const ct_step *step, const ct_step_island *island,
                                             size_t i) {
  return &step->stepping->common->next[island->bodies[i]];
}

/* State of a body of the step; NULL: the row does not move. */
static inline ct_body_state *ct_step_state(const ct_step *step, uint32_t index) {
  return index == CT_NO_ROW ? NULL : &step->stepping->common->next[index];
}

/* Fills stepping->found with the contacts of the bodies in `common->next`, each with its impulse of
 * the previous step. Returns CT_OK, CT_LIMIT, CT_PAIR_LIMIT, CT_CANCELLED or CT_OUT_OF_MEMORY. */
ct_status ct_step_find_contacts(ct_step *step);
/* Velocity of body b relative to body a at the contact's position, m/s; before: before gravity,
 * loads and impulses of the step. */
ct_vec3 ct_step_contact_velocity(const ct_step *step, const ct_step_contact *contact, bool before);
/* Adds the separated contacts that would interpenetrate at the velocities found. False: there are
 * none. */
bool ct_step_add_speculative(ct_step *step);
/* Sets the shifts of the targets of all contacts found, from the present velocities of the
 * bodies; before: from those before the step's impulses. Returns by how much a gap or a slip at the
 * end of the step changes at most by the new shifts, m. */
double ct_step_set_shifts(const ct_step *step, bool before);
/* Returns the depth of a contact that its velocity target leaves to the correction of positions, m;
 * 0: none. */
double ct_step_excess_depth(const ct_step *step, const ct_step_contact *contact);
/* Solves an island and applies the impulses to its bodies. Returns CT_OK, CT_OUT_OF_MEMORY,
 * CT_CANCELLED or CT_LIMIT. */
ct_status ct_step_solve(ct_step *step, const ct_step_island *island);
/* Writes the bodies and contacts of an island to a set whose body 0 is the immovable world; body i
 * of the island has number i + 1, also in its `place`. CT_OUT_OF_MEMORY. */
ct_status ct_step_make_set(const ct_step *step, const ct_step_island *island, ct_contact_set *set);

/* ---- corrections ---------------------------------------------------------------------------- */

/* Moves the bodies of an island so that no contact is deeper than the tolerance, without a change
 * of momenta. Returns CT_OK, CT_OUT_OF_MEMORY or CT_LIMIT. */
ct_status ct_step_correct_positions(ct_step *step, const ct_step_island *island);
/* Removes kinetic energy of the island, at most `excess`, J, from the motion relative to its rigid
 * motion, and keeps its momenta; relative to the immovable bodies, if it touches them. Returns what
 * was removed: nothing if a body is faster than the limit of speeds, which ends the step. */
double ct_step_remove_energy(ct_step *step, const ct_step_island *island, double excess);

/* ---- feasibility ---------------------------------------------------------------------------- */

/* Computes impulses r, [3 set->count] normal and two tangents, for the `active` contacts. If
 * possible, they cancel the momenta of the set's bodies, which are given as `force` and `torque`;
 * otherwise the remaining momenta are approximately minimal. Returns CT_OK, CT_OUT_OF_MEMORY or
 * CT_CANCELLED. */
ct_status ct_step_stop(const ct_step *step, const ct_contact_set *set, uint32_t *active,
                       size_t count, double *r);
/* Computes impulses for an infeasible problem with regularised contacts, so that their work is
 * bounded. result->u and residual are those of the original problem, and the status is INFEASIBLE.
 * Returns CT_OK, CT_OUT_OF_MEMORY, CT_CANCELLED or CT_LIMIT. */
ct_status ct_step_solve_regularised(const ct_friction_problem *problem,
                                    const ct_friction_options *options, ct_arena *arena,
                                    ct_friction_result *result);
/* For the contacts of one island: true if some motion of its dynamic bodies certainly separates all
 * contacts. The contacts are then feasible for any motion of kinematic bodies. O(count) */
bool ct_step_can_part(const ct_step *step, const uint32_t *contacts, size_t count);
/* True if one kinematic body is the only body at the contacts that is not dynamic. If its motion is
 * given to all bodies, no contact approaches. */
bool ct_step_has_one_driver(const ct_step *step, const uint32_t *contacts, size_t count);

#endif
