/* Motion of a scene in time: velocity-level time stepping with contacts, impulses at events, or the elastic law.
 *
 * STEPPING: Moreau, Jean: contacts at the middle of a step, impulses for its end (Moreau 1988; Jean 1999; Stewart, Trinkle 1996).
 * Half a step each body moves without forces; there contacts are found, all impulses of the step (gravity, loads, contacts) act at
 * once, and the other half goes on without forces. So energy and momenta change by impulses alone: with the means of the velocities
 * before and after, which is how far a body goes. Afterwards contacts that touch do not approach, or part by restitution; those
 * apart do not come nearer than touching; Coulomb's law holds between impulses and velocities after. First order in the step with
 * contacts, second without. Depth that bodies have stays: no position is corrected. What comes to touch before the middle of the
 * first step is hit at the start. Where bodies that move by themselves squeeze others, so that no impulses hold all contacts, each
 * gives way at the speed that its impulse gives it alone: work stays bounded (`contradictory`). So does a jam, where no impulses
 * are found or they would throw bodies out a hundred times as fast as anything moved before.
 * Energy: impulses that push along what they lead to are those of a solver that has not ended, and restitution may make energy
 * among several contacts: both are drawn back (`guarded`). What is left is of the discrete motion: a contact that parts at the
 * beginning of a step and is held at its end gives half its impulse times the speed that it parted with, at most m |g| times the
 * way of that speed in half a step; it gets that back when it falls. Rest: bodies whose momenta after a solve that converged are
 * within the solver's tolerance of the greatest impulse of their island do not move at all; poses, contacts and so impulses are
 * then the same, bit for bit, until something else moves them. This is no damping: what the solver can tell from rest moves.
 * Where it has not converged and no body is faster than gravity makes it in a step, impulses are looked for that stop the whole
 * island; where there are any they are an answer of the same problem, and it rests from then on.
 *
 * IMPULSES: free flight in closed form to the first impact of two bodies, whose time is that of ct_body_toi; there
 * ct_impulse_solve changes velocities, together with contacts within the contact tolerance of it. What touches and does not part is
 * held by the forces of ct_resting_solve, constant over a stretch of a time step at most, first order in it; such bodies turn at
 * the mean angular velocity, and the stretch ends early where they come to touch elsewhere. Energy: what velocity_tolerance calls
 * rest and is pushed neither parts nor meets, its normal velocity is taken away first; and forces that would make energy over a
 * stretch are drawn back (`guarded`). So impacts that become ever faster end as soon as bodies part no faster than
 * velocity_tolerance, approach no faster than rest_velocity, or time no longer goes on. The velocity tolerance in force is at least
 * what gravity and loads give a body over the contact tolerance: what parts more slowly comes back before it is seen apart. Rest:
 * an island whose forces and momenta are but the solver's tolerance of what they are sums of does not move at all, and is not asked
 * again until something touches it, bears it otherwise or loads it otherwise.
 *
 * COMPLIANT: the elastic law between the deepest points of pairs of colliders, by a rule of fifth order with an error of
 * `tolerance` a step; contacts begin and end at the first double of time at which their distance says so, and between events
 * membership is frozen (Modia3D; Dormand, Prince 1980). A step into a contact is a part of its duration at most. Steel at rest
 * takes steps of 1e-6 s.
 */
#ifndef CONTACT_ADVANCE_H
#define CONTACT_ADVANCE_H

#include <contact/compliant.h>
#include <contact/impulse.h>
#include <contact/linkage.h>
#include <contact/resting.h>

CT_DECLARATIONS_BEGIN

#define CT_ADVANCE_MODE_MAP(X)                                                                                                     \
  X(STEPPING, "timeStepping")                                                                                                      \
  X(IMPULSES, "eventImpulses")                                                                                                     \
  X(COMPLIANT, "eventCompliant")

typedef enum ct_advance_mode {
#define CT_ADVANCE_MODE_ENUM(name, word) CT_ADVANCE_##name,
  CT_ADVANCE_MODE_MAP(CT_ADVANCE_MODE_ENUM)
#undef CT_ADVANCE_MODE_ENUM
      CT_ADVANCE_MODE_COUNT
} ct_advance_mode;

typedef struct ct_advance_options {
  ct_advance_mode mode;
  double duration;  /* s, > 0, at most CT_DURATION_MAX */
  double time_step; /* STEPPING: s, > 0; the last one may be shorter. Others: the longest stretch between looks at contacts */
  ct_vec3 gravity;
  double contact_tolerance, velocity_tolerance; /* as in ct_mechanics_options, ct_resting_options */
  double rest_velocity;                         /* m/s: approaches slower have restitution 0 */
  double margin; /* STEPPING: contacts so far apart are looked at ahead: they may close, not pass, in a step; m; 0: what the
                  * two fastest bodies can close in a step, up to a power of two */
  bool frictionless;
  ct_friction_method method;  /* of the velocity problem */
  double tolerance;           /* 0: CT_ADVANCE_TOLERANCE */
  uint64_t iterations_max;    /* of each velocity problem, which begins from the step before's impulses; 0: 50, of
                               * fewer than 1000 contacts more, up to 1000 */
  ct_friction_proof proof;    /* STEPPING: that no impulses hold all contacts. WHEN_INDICATED: looked for where bodies that move by
                               * themselves or restitution take part, and the solver's iterates indicate it */
  ct_elastic_options elastic; /* COMPLIANT */
  const ct_load *loads;       /* act all the time */
  size_t load_count;
  size_t contacts_max; /* at one time; CT_LIMIT beyond; 0: CT_CONTACTS_MAX */
  const ct_cancel *cancel;
} ct_advance_options;
/* Defaults: STEPPING; contacts_max CT_CONTACTS_MAX, elastic as its own default; tolerance and iterations of the mode's solvers.
 * `duration` and `time_step` have to be set. */
ct_advance_options ct_advance_options_default(void);

/* Sums over the dynamic bodies, world frame. */
typedef struct ct_advance_state {
  double time;            /* s, from the start */
  uint64_t steps, events; /* so far; events: impacts, beginnings and ends of contacts; STEPPING: contacts more or less in force */
  uint64_t iterations;    /* of the solvers so far; COMPLIANT: 0 */
  size_t contacts;        /* that are in force now */
  double kinetic_energy, potential_energy; /* J; potential by gravity from the origin */
  ct_vec3 momentum, angular_momentum;      /* about the origin */
  ct_vec3 contact_impulse;                 /* of immovable bodies on dynamic ones in the last step, N s */
  double work;                             /* by loads and kinematic bodies so far, J */
  double residual;                         /* the worst of the steps so far */
  uint64_t not_converged;                  /* steps whose solver ended before its tolerance */
  uint64_t guarded;                        /* steps in which impulses or forces were drawn back lest they make energy */
  uint64_t contradictory;                  /* STEPPING: steps in which no impulses held all contacts: bodies that move by
                                            * themselves squeezed others, which gave way; not converged either */
  double velocity_tolerance;               /* in force in the last step, m/s */
  double penetration;                      /* the deepest contact now, m; STEPPING: in the middle of the last step */
} ct_advance_state;

#define CT_ADVANCE_EVENT_MAP(X)                                                                                                    \
  X(BEGAN, "began")                                                                                                                \
  X(ENDED, "ended")                                                                                                                \
  X(IMPACT, "impact")

typedef enum ct_advance_event_kind {
#define CT_ADVANCE_EVENT_ENUM(name, word) CT_ADVANCE_EVENT_##name,
  CT_ADVANCE_EVENT_MAP(CT_ADVANCE_EVENT_ENUM)
#undef CT_ADVANCE_EVENT_ENUM
      CT_ADVANCE_EVENT_COUNT
} ct_advance_event_kind;

/* What happened to two colliders. */
typedef struct ct_advance_event {
  ct_advance_event_kind kind;
  double time; /* s, from the start */
  uint32_t row_a, row_b, collider_a, collider_b;
  double normal_velocity; /* of b against a, m/s; IMPACT: before it, of the fastest point; ENDED: 0 where it is out of reach */
} ct_advance_event;

/* What a step that ended with CT_LIMIT came upon. */
typedef enum ct_advance_limit {
  CT_ADVANCE_LIMIT_CONTACTS, /* more than contacts_max, or more of them linked than the solvers take */
  CT_ADVANCE_LIMIT_REACH,    /* a body leaves CT_COORDINATE_MAX */
  CT_ADVANCE_LIMIT_SPEED,    /* a body would move or turn faster than CT_SPEED_MAX */
  CT_ADVANCE_LIMIT_TURN,     /* a body turns by CT_TURN_MAX or more in a step */
  CT_ADVANCE_LIMIT_SQUEEZE   /* IMPULSES: kinematic bodies press the body into others, one impact after the other */
} ct_advance_limit;

typedef struct ct_advance ct_advance;

/* Begins at the scene's poses and velocities; keeps a copy of what it moves, and of the loads. Borrows the scene until
 * ct_advance_destroy. CT_NOT_FOUND: COMPLIANT, and a collider's material has no modulus or ratio. CT_LIMIT: a dynamic body without
 * a mass, or whose inertia cannot be inverted; a duration or a time step out of its range, as 0 is; more
 * than CT_ADVANCE_STEPS_MAX steps. CT_OUT_OF_MEMORY. */
ct_status ct_advance_create(const ct_scene *scene, const ct_advance_options *options, ct_advance **out);
void ct_advance_destroy(ct_advance *advance);
/* Loads that act from now on, in place of those before. CT_OUT_OF_MEMORY. */
ct_status ct_advance_set_loads(ct_advance *advance, const ct_load *loads, size_t count);
/* Goes on by one step, or to the next event; true in *done when the duration is over. Between impulses each body moves as it does
 * without forces: on a straight line, turning as a free top in closed form, so that its momenta and energy stay; kinematic bodies
 * turn with constant angular velocity. CT_LIMIT: a body leaves CT_COORDINATE_MAX, is faster than CT_SPEED_MAX, or turns by
 * CT_TURN_MAX in a step; is squeezed: CT_ADVANCE_SQUEEZES_MAX steps in succession had an impact that no impulses are right for;
 * more contacts than contacts_max. CT_PAIR_LIMIT, CT_CANCELLED, CT_OUT_OF_MEMORY; on any of them nothing has
 * changed. The same bits for the same scene, options and calls. Cost: a contact query of what has moved, and for each island that
 * does not rest a matrix and some sweeps: 324 bodies in a heap 5 to 30 ms while they fall, 0.2 ms at rest; to an event the contacts
 * of all bodies and the paths of those that move, nothing where nothing does. */
ct_status ct_advance_step(ct_advance *advance, ct_workspace *workspace, ct_arena *arena, bool *done);
ct_advance_state ct_advance_now(const ct_advance *advance);
/* How long the last step was, s; 0 before the first. *row: COMPLIANT, the body whose forces change fastest, for which it was so
 * short; else, or where nothing changes, CT_NO_ROW. */
double ct_advance_pace(const ct_advance *advance, uint32_t *row);
/* Right after a step that ended with CT_LIMIT: why; *row the body, CT_NO_ROW for contacts. */
ct_advance_limit ct_advance_limit_reason(const ct_advance *advance, uint32_t *row);
/* Events of the last step: IMPULSES, each pair of colliders that hits, island by island; COMPLIANT, contacts that begin (at the
 * start all that there are) and end, ends first, each in the order of rows and colliders. Of STEPPING, whose contacts have no
 * instants, none. Borrowed until the next step. */
const ct_advance_event *ct_advance_events(const ct_advance *advance, size_t *count);
/* Pose and velocity of a row now. */
void ct_advance_body(const ct_advance *advance, uint32_t row, ct_pose *pose, ct_velocity *velocity);
/* Puts poses and velocities of what has moved into a draft of the scene. */
ct_status ct_advance_write(const ct_advance *advance, ct_draft *draft);

CT_DECLARATIONS_END

#endif
