/* Steps in time: what an advance holds, for the files of this room. */
#ifndef ADVANCE_ADVANCE_H
#define ADVANCE_ADVANCE_H

#include <contact/advance.h>

/* IMPULSES: what bears an island that lies, kept by the first of its bodies. */
typedef struct ct_sleeping_support {
  ct_vec3 force;           /* of immovable bodies on those of the island, N */
  size_t contacts, acting; /* contacts, and those that push */
} ct_sleeping_support;

/* A row that moves. Between two steps its velocity is that of its momenta, angular = inertia^-1
 * angular_momentum. */
typedef struct ct_body_state {
  uint32_t row;
  bool is_dynamic; /* else kinematic */
  double mass;
  ct_vec3 center;   /* of mass, body frame */
  double radius;    /* of a ball about the centre that holds the body, m; of half-spaces infinite */
  ct_vec3 moments;  /* principal, about the centre */
  ct_quat axes;     /* of the principal axes in the body frame */
  ct_vec3 position; /* of the centre, world */
  ct_pose pose;     /* of the body frame */
  ct_velocity velocity;     /* of the centre */
  ct_vec3 angular_momentum; /* about the centre; dynamic */
  bool asleep; /* came to the last step at rest and was left so: again, as long as its island is
                  asked the same */
  ct_sleeping_support sleeping_support;
  ct_acceleration acceleration; /* prescribed; kinematic */
  /* In the middle of a step: */
  ct_velocity before;               /* the impulses */
  ct_vec3 force, torque;            /* loads without gravity, torque about the centre */
  ct_velocity free;                 /* after loads and before contacts */
  ct_vec3 free_momentum;            /* the angular one; dynamic */
  ct_mat3 inverse_inertia;          /* world axes; dynamic */
  uint32_t place;                   /* in its island, from 1; dynamic */
  ct_vec3 impulse, angular_impulse; /* of the contacts so far */
} ct_body_state;

/* A contact point in the middle of a step. */
typedef struct ct_step_contact {
  uint32_t row_a, row_b, collider_a, collider_b;
  ct_feature feature_a, feature_b;
  uint32_t number;
  uint32_t a, b; /* moved; CT_NO_ROW: stays */
  ct_vec3 position;
  ct_vec3 axes[3]; /* normal from a to b, two tangents */
  double distance;
  ct_pair_material material;
  ct_vec3 before;  /* relative velocity */
  double target;   /* normal velocity after the impulses is this at least, m/s */
  bool bounces;    /* the target is restitution's */
  double friction; /* that is in force */
  bool kept;       /* from the step before, to the bit: neither body has moved since */
  bool takes_part; /* it may act: contacts that are apart come in as the others leave them no other
                      way */
  ct_vec3 impulse; /* on b, world; of a contact just found that of the step before, if it had one */
} ct_step_contact;

typedef struct ct_step_contacts {
  ct_step_contact *items; /* [count] in the order of the query */
  size_t count, room;
} ct_step_contacts;

/* Contacts that dynamic bodies link, and these bodies, one island after the other; scratch of a
 * step. */
typedef struct ct_step_islands {
  size_t count;
  uint32_t *contacts;     /* numbers in `found`, ascending in each island */
  uint32_t *touch_starts; /* [count + 1] */
  uint32_t *bodies;       /* dynamic ones with a contact, ascending in each island */
  uint32_t *body_starts;  /* [count + 1] */
} ct_step_islands;

typedef struct ct_elastic ct_elastic;

typedef struct ct_advance_event_list {
  ct_advance_event *items;
  size_t count, room;
} ct_advance_event_list;

struct ct_advance {
  const ct_scene *scene;
  ct_advance_options options; /* its loads are ours */
  ct_load *loads;
  size_t load_count, load_room;
  ct_body_state *now, *next; /* [moved_count] ascending in rows; a step works on `next`, and fails
                                without a trace */
  size_t moved_count;
  uint32_t *moved_of; /* [rows] index into both; CT_NO_ROW: stays */
  ct_step_contacts contacts, asked,
      found;     /* of the step before; what has moved, and all, of this one while it is made */
  double margin; /* that contacts were looked for within, m; 0: not yet */
  uint64_t rest_try, rest_wait; /* the step from which many sweeps are spent on coming to rest
                                   again; steps between */
  uint64_t at_once;             /* impacts since the last stretch that took time */
  uint64_t
      squeezes; /* IMPULSES: steps in succession with an impact that no impulses are right for */
  double last_time;       /* of the step before, s; 0: the loads are not what they were then */
  ct_override *overrides; /* [moved_count] */
  uint8_t *moving_rows;   /* [rows] */
  double pace;            /* how long the last step was, s */
  uint32_t pace_row;      /* whose error made it so short; CT_NO_ROW */
  uint64_t steps_whole;
  double step_rest;       /* s, the last step; 0: there is none but whole ones */
  ct_elastic *elastic;    /* COMPLIANT; else NULL */
  ct_advance_limit limit; /* of the step that ended so last */
  uint32_t limit_row;
  ct_advance_state state;
  ct_advance_event_list reported; /* of the last step */
};

/* One more event of the step. CT_OUT_OF_MEMORY. */
ct_status ct_advance_add_event(ct_advance *advance, const ct_advance_event *event);

/* All hits of a query of the scene with the bodies where `overrides` puts them, which is all that
 * moves; the caller leaves overrides and cancel of the options out. CT_PAIR_LIMIT, CT_CANCELLED,
 * CT_OUT_OF_MEMORY. */
ct_status ct_advance_run_query(ct_advance *advance, ct_query_options *options,
                               ct_workspace *workspace, ct_hit_sink sink, void *context);

/* Are the bodies where, and as fast as, bodies of a scene may be, also if they go on for the time
 * `ahead` and turn for `longest`? False: `limit` and `limit_row` say which is not. What is no
 * number is beyond every limit. */
bool ct_advance_is_within_limits(ct_advance *advance, const ct_body_state *moved, double ahead,
                                 double longest);
/* Energies and momenta of `now` into the state. */
void ct_advance_sum_energy(ct_advance *advance);

/* Lets the body go on for a time without any force: with constant velocity, and turning as a free
 * top, whose momenta and energy stay. A kinematic body keeps its angular velocity. */
void ct_body_state_drift(ct_body_state *moved, double time);
/* Turns it with an angular velocity, constant in the world, about its centre. */
void ct_body_state_rotate(ct_body_state *moved, ct_vec3 angular, double time);
void ct_body_state_translate(ct_body_state *moved, ct_vec3 way);
/* Angular velocity of the angular momentum, at the pose. */
ct_vec3 ct_body_state_angular_velocity(const ct_body_state *moved);
/* World axes, at the pose. */
ct_mat3 ct_body_state_inverse_inertia(const ct_body_state *moved);
/* inertia v, world axes. */
ct_vec3 ct_body_state_inertia(const ct_body_state *moved, ct_vec3 v);
/* Neither goes anywhere nor turns. */
bool ct_body_state_is_fixed(const ct_body_state *moved);
/* Changes the momenta, and the velocity with them. */
void ct_body_state_apply_impulse(ct_body_state *moved, ct_vec3 impulse, ct_vec3 angular_impulse);

/* ---- a step with contacts ------------------------------------------------------------------- */

/* How fast and how hard it goes: what the files of a step hand on. */
typedef struct ct_step {
  ct_advance *advance; /* its `next` is in the middle of the step */
  double time;         /* s */
  ct_workspace *workspace;
  ct_arena *arena;
  uint64_t sweeps;              /* that the solver may make of each island */
  bool rough;                   /* only to see which contacts take part */
  uint64_t rest_try, rest_wait; /* as in ct_advance, which they become */
  /* What it comes to: */
  double margin;           /* that contacts were looked for within, m */
  ct_vec3 contact_impulse; /* as in ct_advance_state */
  double load_work, kinematic_work, residual;
  double depth;
  bool converged, guarded, contradictory;
  size_t acting; /* contacts that give an impulse */
  uint64_t events, iterations;
  /* Of a step to an event: */
  double velocity_tolerance; /* in force: the option's, or the least that can be reported */
  double
      slack; /* s: an impact so soon after the stretch belongs to it, which becomes longer then */
  ct_row_pair *held; /* [held_count] rows with a resting contact */
  size_t held_count;
  bool plastic;  /* impacts have no restitution */
  bool squeezed; /* driven bodies press others into each other, this row among them */
  uint32_t squeezed_row;
  bool tells;     /* impacts are events, */
  double instant; /* at this time */
} ct_step;

/* The contacts of `next` into `found`, those that the step before had with its impulses. CT_LIMIT,
 * CT_PAIR_LIMIT, CT_CANCELLED, CT_OUT_OF_MEMORY. */
ct_status ct_step_find_contacts(ct_step *step);
/* Lets contacts take part that the velocities now found would let pass through each other; false:
 * there are none. */
bool ct_step_add_speculative(ct_step *step);
/* Scratch memory comes from the arena. CT_OUT_OF_MEMORY. */
ct_status ct_step_find_islands(const ct_step *step, ct_step_islands *islands);
/* Impulses of an island: onto the velocities of its bodies. CT_OUT_OF_MEMORY, CT_CANCELLED,
 * CT_LIMIT. */
ct_status ct_step_solve(ct_step *step, const ct_step_islands *islands, size_t island);
/* Impulses r, [3 set->count] normal and two tangents, of the `active` contacts: if they can, they
 * take away the momenta that the bodies of the set have, their `force` and `torque`; else they come
 * near that. CT_OUT_OF_MEMORY, CT_CANCELLED. */
ct_status ct_step_stop(const ct_step *step, const ct_contact_set *set, uint32_t *active,
                       size_t count, double *r);
/* Impulses for a problem that has no solution: contacts give way, and work is bounded. The result
 * is as of ct_friction_solve for the problem itself: its u and residual, status INFEASIBLE.
 * CT_OUT_OF_MEMORY, CT_CANCELLED, CT_LIMIT. */
ct_status ct_step_solve_regularised(const ct_friction_problem *problem,
                                    const ct_friction_options *options, ct_arena *arena,
                                    ct_friction_result *result);

/* step_feasibility.c. Of contacts that dynamic bodies link: is there surely a motion of these
 * bodies that parts all of them? Then none contradict each other, whatever drives them. O(count) */
bool ct_step_can_part(const ct_step *step, const uint32_t *contacts, size_t count);
/* Are all bodies of the contacts that are not dynamic one and the same that moves by itself? Its
 * motion, given to all, is one in which no contact approaches. */
bool ct_step_has_one_driver(const ct_step *step, const uint32_t *contacts, size_t count);

/* ---- a step to the next event --------------------------------------------------------------- */

/* From `now` to `next`: by step->time at most, which becomes how far it went. As ct_advance_step.
 */
ct_status ct_step_to_event(ct_step *step);
/* When two bodies of `next` meet first under their present forces; INFINITY: not within step->time.
 */
ct_status ct_step_first_impact(ct_step *step, double *time);
/* Does a resting contact hold the two rows? */
bool ct_step_has_resting_contact(const ct_step *step, uint32_t row_a, uint32_t row_b);
/* Are the bodies of the island at rest under the forces found: are forces and momenta but round-off
 * of what they are sums of? */
bool ct_step_island_is_at_rest(const ct_step *step, const ct_island *island,
                               const ct_resting_result *found);
/* They are: from now on they do not move at all. */
void ct_step_put_to_sleep(ct_step *step, const ct_island *island, const ct_resting_result *found);
/* Does the island lie since an earlier step, and is it asked the same? */
bool ct_step_island_is_asleep(const ct_step *step, const ct_island *island);
/* What the step has of a body of `next` that lies. */
void ct_step_restore_sleeping_body(ct_step *step, ct_body_state *moved);
/* Does nothing move at all? Then the step is done but for its time. */
bool ct_step_is_all_asleep(ct_step *step);
/* Sets moving_rows: of what lies or stays 0. */
void ct_step_mark_awake(ct_step *step);
/* Goes on for a time under constant forces, of a stretch that they are meant for. */
void ct_body_state_advance_flight(ct_body_state *moved, double stretch, double time);

/* ---- the elastic law ------------------------------------------------------------------------ */

/* Sets advance->elastic. CT_NOT_FOUND: a collider's material has no modulus or ratio.
 * CT_OUT_OF_MEMORY. */
ct_status ct_elastic_create(ct_advance *advance);
void ct_elastic_destroy(ct_elastic *elastic); /* NULL: nothing */
/* One step of the integration, or to the next event. */
ct_status ct_elastic_step(ct_advance *advance, ct_workspace *workspace, bool *done);

#endif
