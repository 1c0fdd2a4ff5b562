/* Motion of a scene in time: velocity-level time stepping, impulses at events, or the elastic law.
 *
 * STEPPING (Moreau 1988; Jean 1999; Stewart, Trinkle 1996). In each step, every body first moves
 * half a step without forces. There the contacts are found, and all impulses of the step (gravity,
 * loads, contacts) change the velocities at once. In the second half the bodies move without forces
 * again. So energy and momenta change by impulses alone, which do work with the mean of the
 * velocities before and after.
 *
 * At the end of a step, touching contacts do not approach, or separate with the velocity that
 * restitution prescribes. Contacts that are still apart close at most to touching. Coulomb's law
 * relates the impulses to the velocities at the end of the step. The curvature of the motion is
 * part of the constraint, so that bodies that roll and rock do not sink. The method is of second
 * order in the step while the contacts persist, and of first order over impacts. Contacts deeper
 * than a millionth of the smallest dynamic body's radius are moved apart without a change of
 * momenta, and so are bodies that overlap at the start, at separation_speed. Contacts that form
 * before the middle of the first step collide at its start.
 *
 * Infeasible steps: in a kinematic squeeze no impulses satisfy all contacts. Each contact is then
 * regularised (constraint force mixing): it may close at the velocity that its own impulse causes
 * alone. So work stays bounded (`contradictory`). The same applies if no impulses are found, or if
 * these would eject bodies a hundred times faster than anything moved before.
 *
 * Energy: the impulses of an unconverged solver, and restitution at several contacts, may create
 * energy; such impulses are scaled back (`guarded`). A contact that separates at the beginning of a
 * step and rests at its end gains half its impulse times the separation speed; this is removed from
 * the kinetic energy of its island (`guarded`), unless moving kinematic bodies touch the island. If
 * there is not as much, energy grows until the body falls, by at most m |g| times the distance
 * covered at this speed in half a step.
 *
 * Sleep: after a converged solve, bodies with momenta within the solver's tolerance of their
 * island's greatest impulse do not move at all. Poses, contacts and impulses then stay bit-equal
 * until another body moves them. This is no damping: any motion that the solver resolves continues.
 * If the solver has not converged, and no body is faster than gravity accelerates it in a step,
 * impulses that stop the whole island are sought. If they exist, they solve the same problem, and
 * the island is asleep from then on.
 *
 * IMPULSES. Bodies fly freely, in closed form, up to the first impact, whose time is from
 * ct_body_toi. At the impact ct_impulse_solve changes the velocities, at all contacts within the
 * contact tolerance. Between impacts, contact forces are constant for at most one time step. They
 * act in the middle of this interval and satisfy Coulomb's law at its end, so the motion is of
 * second order in the step (engine/event_driven/README.md). Gaps of contacts with a force are
 * restored after the interval. It ends early if touching bodies become deeper than the contact
 * tolerance.
 *
 * Energy: a loaded contact that rests within velocity_tolerance neither separates nor collides; its
 * normal velocity is removed first. Energy that an interval creates, beyond the work of loads and
 * kinematic bodies, is removed from the velocities relative to the island's kinematic body, or to
 * the world (`guarded`). Forces are not reduced. A sequence of ever faster impacts ends once bodies
 * separate no faster than velocity_tolerance, approach no faster than rest_velocity, or time no
 * longer advances. The velocity tolerance is at least the speed that gravity and loads add over the
 * contact tolerance: slower separations return before they become visible.
 *
 * Sleep: an island whose net forces and momenta are within the solver's tolerance, relative to the
 * sums of their terms, does not move at all. It is not evaluated again until another body touches
 * it, or its support or loads change.
 *
 * COMPLIANT. The elastic law acts on the patch of two flat bodies, and at the deepest point of
 * any other pair of colliders (ct_contact_law). It is integrated by a fifth-order method
 * (Dormand, Prince 1980) with the error `tolerance` per step, relative above the floors of
 * ct_error_scale. A contact begins at the first representable time at which its distance is <=
 * 0, and ends at the first at which its distance exceeds its round-off, about 16 u times the
 * coordinates; between these events the set of contacts is constant (Modia3D). A step into a
 * contact is limited to a fraction of the contact's duration. A steel ball of 1 kg at rest takes
 * steps of 1e-4 s. */
#ifndef CONTACT_ADVANCE_H
#define CONTACT_ADVANCE_H

#include <contact/base.h>
#include <contact/compliant.h>
#include <contact/impulse.h>
#include <contact/resting.h>

CT_DECLARATIONS_BEGIN

#define CT_ADVANCE_MODE_MAP(X)                                                                     \
  X(STEPPING, "timeStepping")                                                                      \
  X(IMPULSES, "eventImpulses")                                                                     \
  X(COMPLIANT, "eventCompliant")

typedef enum ct_advance_mode {
#define CT_ADVANCE_MODE_ENUM(name, word) CT_ADVANCE_##name,
  CT_ADVANCE_MODE_MAP(CT_ADVANCE_MODE_ENUM)
#undef CT_ADVANCE_MODE_ENUM
      CT_ADVANCE_MODE_COUNT
} ct_advance_mode;

/* COMPLIANT: force of a pair of colliders.
 * - PATCH: for two flat bodies, that of an elastic foundation over their common solid: a
 * half-space, box or convex with a box or convex, or a half-space with a cylinder, none of them
 * rounded. A level face of area A has the stiffness of a flat punch, 2 c_res sqrt(A / pi). The
 * force is the gradient of an energy, continuous in the pose. Other pairs have that of POINT.
 * - POINT: Hertz' law at the deepest point (Modia3D). For flat bodies that point jumps between the
 *   corners, so they do not come to rest. */
#define CT_CONTACT_LAW_MAP(X)                                                                      \
  X(PATCH, "patch")                                                                                \
  X(POINT, "point")

typedef enum ct_contact_law {
#define CT_CONTACT_LAW_ENUM(name, word) CT_CONTACT_LAW_##name,
  CT_CONTACT_LAW_MAP(CT_CONTACT_LAW_ENUM)
#undef CT_CONTACT_LAW_ENUM
      CT_CONTACT_LAW_COUNT
} ct_contact_law;

typedef struct ct_advance_options {
  ct_advance_mode mode;
  double duration; /* simulated time, s, > 0, at most CT_DURATION_MAX */
  /* STEPPING: length of each step, s; the last step may be shorter. Other modes: longest time
   * between two evaluations of the contacts, s. > 0, at most CT_DURATION_MAX */
  double time_step;
  ct_vec3 gravity;
  /* contact tolerance, m, as in ct_mechanics_options; velocity tolerance, m/s, as in
   * ct_resting_options */
  double contact_tolerance, velocity_tolerance;
  double rest_velocity; /* contacts that approach more slowly have restitution 0, m/s */
  /* STEPPING: distance up to which speculative contacts are found, m. Such a contact may close
   * during the step, but the bodies cannot pass each other. 0: the distance that the two fastest
   * bodies can close in a step, rounded up to a power of two. */
  double margin;
  bool frictionless;
  ct_friction_method method; /* solver of the friction problem at velocity level */
  double tolerance; /* of the solvers; 0: CT_ADVANCE_TOLERANCE, or of IMPULSES each solver's
                       own */
  /* Largest number of solver iterations for each velocity problem, which is warm-started with the
   * last step's impulses. 0: 50; for fewer than 1000 contacts a larger number, up to 1000. */
  uint64_t iterations_max;
  /* STEPPING: when a proof of infeasibility is sought. WHEN_INDICATED: if kinematic bodies or
   * restitution take part and the solver's iterates indicate infeasibility. */
  ct_friction_proof proof;
  /* STEPPING: speed at which bodies that overlap are separated, without a change of their
   * velocities, m/s. 0: 1 m/s, but at most the diameter of the largest dynamic body per second. */
  double separation_speed;
  /* STEPPING: bodies that overlap at the start are not separated; their contacts neither get deeper
   * nor are they moved apart. */
  bool keep_overlap;
  ct_elastic_options elastic; /* COMPLIANT */
  ct_contact_law contact_law; /* COMPLIANT */
  const ct_load *loads;       /* [load_count] constant loads */
  size_t load_count;
  /* largest number of contacts at one time, CT_LIMIT beyond; 0: CT_CONTACTS_MAX */
  size_t contacts_max;
  /* ct_advance_events reports the begin and end of contacts; COMPLIANT always reports them */
  bool contact_events;
  const ct_cancel *cancel;
} ct_advance_options;
/* Defaults: mode STEPPING, contacts_max CT_CONTACTS_MAX, elastic from ct_elastic_options_default,
 * tolerance and iterations_max 0. `duration` and `time_step` have to be set. */
ct_advance_options ct_advance_options_default(void);

/* COMPLIANT: scale of the error of one step. The error e of a quantity y of a body with contacts is
 * acceptable if |e| <= floor + relative |y|. The floors follow from the body's contacts: the depth
 * under its load and the stiffness, at least the round-off of the coordinates. */
typedef struct ct_error_scale {
  double relative;
  double position, velocity; /* least floors so far, m and m/s; 0: no contact with a force so far */
} ct_error_scale;

/* State of the simulation. Energies and momenta are sums over the dynamic bodies, in the world
 * frame. */
typedef struct ct_advance_state {
  double time; /* s, from the start */
  /* numbers of steps and of events so far. Events are impacts, contacts begun and contacts ended;
   * for STEPPING, changes of the set of active contacts */
  uint64_t steps, events;
  uint64_t iterations;                     /* iterations of the solvers so far; COMPLIANT: 0 */
  size_t contacts;                         /* active contacts now */
  double kinetic_energy, potential_energy; /* kinetic energy; potential energy of gravity, zero at
                                              the world's origin; J */
  ct_vec3 momentum, angular_momentum;      /* momentum, N s; angular momentum about the world's
                                              origin, N m s */
  ct_vec3 contact_impulse; /* impulse of immovable bodies on dynamic ones in the last step, N s */
  double work;             /* work of the loads and of kinematic bodies so far, J */
  /* STEPPING, J, so far: energy that contacts dissipated; energy that corrections of positions
   * added, of bodies that did not overlap at the start, and of those that did. The kinetic and
   * potential energy is that of the start + work + correction_work + separation_work - dissipation,
   * to round-off. Other modes: 0. */
  double dissipation, correction_work, separation_work;
  /* STEPPING: depth of the deepest contact of bodies that overlap since the start, m; 0: none */
  double overlap_left;
  double residual;        /* worst residual of the solvers over the steps so far */
  uint64_t not_converged; /* number of steps with an unconverged solver */
  /* number of steps in which impulses or velocities were scaled back, so that energy did not grow
   */
  uint64_t guarded;
  /* STEPPING: number of infeasible steps (kinematic squeeze), solved with regularised contacts;
   * they also count as not converged */
  uint64_t contradictory;
  double velocity_tolerance;  /* velocity tolerance that the last step used, m/s */
  ct_error_scale error_scale; /* COMPLIANT; 0 in other modes */
  /* depth of the deepest contact, m; STEPPING: at the middle of the last step */
  double penetration;
} ct_advance_state;

#define CT_ADVANCE_EVENT_MAP(X)                                                                    \
  X(BEGAN, "began")                                                                                \
  X(ENDED, "ended")                                                                                \
  X(IMPACT, "impact")

typedef enum ct_advance_event_kind {
#define CT_ADVANCE_EVENT_ENUM(name, word) CT_ADVANCE_EVENT_##name,
  CT_ADVANCE_EVENT_MAP(CT_ADVANCE_EVENT_ENUM)
#undef CT_ADVANCE_EVENT_ENUM
      CT_ADVANCE_EVENT_COUNT
} ct_advance_event_kind;

/* An event of two colliders, row_a < row_b. BEGAN and ENDED of a pair alternate. */
typedef struct ct_advance_event {
  ct_advance_event_kind kind;
  double time; /* s, from the start */
  uint32_t row_a, row_b, collider_a, collider_b;
  /* normal component of the velocity of b relative to a, m/s, at the point that approaches fastest.
   * IMPACT, BEGAN: before the impulses of the impact or step. ENDED: the last one known, after
   * impulses; 0 if none is */
  double normal_velocity;
  /* sum of the normal impulses of the pair's points, N s. BEGAN of STEPPING: in the step; IMPACT:
   * in the impact; ENDED: the sum since the begin, or since the start if it began earlier, of
   * STEPPING all impulses, of IMPULSES those of impacts. COMPLIANT: 0 */
  double impulse;
  /* the deepest point when last evaluated: midpoint of the two witness points, normal from a to b,
   * world; distance, m, < 0: penetration */
  ct_vec3 position, normal;
  double distance;
} ct_advance_event;

/* A pair of colliders in contact, row_a < row_b. */
typedef struct ct_advance_contact {
  uint32_t row_a, row_b, collider_a, collider_b;
  /* normal components of the velocity of b relative to a, m/s: before the impulses of the step in
   * which the contact began or was evaluated, and after those of the last step */
  double normal_velocity, separation;
  double impulse; /* as in the ENDED event, so far */
  ct_vec3 position, normal;
  double distance;
} ct_advance_contact;

/* Why ct_advance_step returned CT_LIMIT. */
typedef enum ct_advance_limit {
  /* more than contacts_max, or more coupled contacts than the solvers support */
  CT_ADVANCE_LIMIT_CONTACTS,
  CT_ADVANCE_LIMIT_REACH,  /* a body would leave CT_COORDINATE_MAX */
  CT_ADVANCE_LIMIT_SPEED,  /* a body would move or turn faster than CT_SPEED_MAX */
  CT_ADVANCE_LIMIT_TURN,   /* a body would rotate by CT_TURN_MAX or more in a step */
  CT_ADVANCE_LIMIT_SQUEEZE /* IMPULSES: kinematic squeeze, in many consecutive impacts */
} ct_advance_limit;

typedef struct ct_advance ct_advance;

/* Creates an advance that starts at the scene's poses and velocities. Copies the moving bodies'
 * data and the loads; borrows the scene until ct_advance_destroy. The caller owns *out.
 * CT_NOT_FOUND: COMPLIANT, and a collider's material has no modulus or Poisson ratio. CT_OPEN_MESH:
 * COMPLIANT, and a collider is a surface mesh, in which bodies have no depth. CT_LIMIT: a
 * dynamic body without mass or with a singular inertia; a duration or time step out of range, such
 * as 0; more than CT_ADVANCE_STEPS_MAX steps; a tolerance, speed or margin that is negative or NaN;
 * an unknown mode or contact law; a load of a missing row. CT_OUT_OF_MEMORY. */
ct_status ct_advance_create(const ct_scene *scene, const ct_advance_options *options,
                            ct_advance **out);
/* NULL is allowed. */
void ct_advance_destroy(ct_advance *advance);
/* Replaces the loads for all later steps; copies `loads`. CT_LIMIT: a load of a missing row; the
 * loads are unchanged. CT_OUT_OF_MEMORY. */
ct_status ct_advance_set_loads(ct_advance *advance, const ct_load *loads, size_t count);
/* Advances by one step, or to the next event. *done: set to true once the duration is over. Between
 * impulses each body moves without forces: its centre moves on a straight line and it rotates as a
 * free top in closed form, with constant momenta and energy. Kinematic bodies rotate at constant
 * angular velocity. The same scene, options and calls give the same bits.
 * CT_LIMIT: see ct_advance_limit; SQUEEZE after CT_ADVANCE_SQUEEZES_MAX consecutive steps with an
 * unsolvable impact. CT_PAIR_LIMIT, CT_CANCELLED, CT_OUT_OF_MEMORY. On any error nothing has
 * changed.
 * Cost: a contact query of the moved bodies, and per awake island a matrix and some sweeps. A heap
 * of 324 bodies takes 5 to 30 ms per step while it falls, 0.2 ms at rest. A step to an event
 * evaluates the contacts of all bodies and the paths of the moving ones; it costs nothing if no
 * body moves. */
ct_status ct_advance_step(ct_advance *advance, ct_workspace *workspace, ct_arena *arena,
                          bool *done);
/* Current state. O(1). */
ct_advance_state ct_advance_now(const ct_advance *advance);
/* True if all dynamic bodies are at rest: STEPPING and IMPULSES put them to sleep, so that their
 * velocities are exactly 0 after a step. COMPLIANT has no sleep. O(bodies). */
bool ct_advance_is_at_rest(const ct_advance *advance);
/* Duration of the last step, s; 0 before the first step. *row: COMPLIANT, the body with the fastest
 * changing forces, which limited the step; CT_NO_ROW in other modes and if no force changes. */
double ct_advance_pace(const ct_advance *advance, uint32_t *row);
/* Reason of CT_LIMIT; valid only directly after ct_advance_step returned CT_LIMIT. *row: the body
 * concerned, or CT_NO_ROW for CT_ADVANCE_LIMIT_CONTACTS. */
ct_advance_limit ct_advance_limit_reason(const ct_advance *advance, uint32_t *row);
/* Events of the last step, [*count], borrowed until the next step. At one time, first the contacts
 * that ended, then those that began (at the start all that are not given by
 * ct_advance_set_contacts), each group ordered by rows and colliders; then impacts. Only pairs with
 * a dynamic body have events.
 * STEPPING: a pair is in contact if it has an impulse in the step, or a point within the contact
 * tolerance in its middle; begin and end have the time of the step's end. IMPULSES: each colliding
 * pair of colliders has IMPACT at the exact time, island by island; a contact begins with an
 * impact, or at the end of a step after which it is within the contact tolerance, and ends at the
 * end of the first step after which it is not. COMPLIANT: exact times. */
const ct_advance_event *ct_advance_events(const ct_advance *advance, size_t *count);
/* Sets the contacts that exist at the start, before the first step: they do not begin again. Only
 * pairs with a dynamic body. Copies `contacts`. Without effect if contacts are not reported
 * (ct_advance_contacts). CT_OUT_OF_MEMORY. */
ct_status ct_advance_set_contacts(ct_advance *advance, const ct_advance_contact *contacts,
                                  size_t count);
/* Contacts that have begun and not ended, [*count], by ascending rows and colliders; borrowed until
 * the next step. None unless the options' contact_events is set, or the mode is COMPLIANT. */
const ct_advance_contact *ct_advance_contacts(const ct_advance *advance, size_t *count);
/* Writes the current pose and velocity of the body in a row of the scene. */
void ct_advance_body(const ct_advance *advance, uint32_t row, ct_pose *pose, ct_velocity *velocity);
/* Writes the poses and velocities of the moved bodies to a draft of the scene.
 * CT_OUT_OF_MEMORY. */
ct_status ct_advance_write(const ct_advance *advance, ct_draft *draft);

CT_DECLARATIONS_END

#endif
