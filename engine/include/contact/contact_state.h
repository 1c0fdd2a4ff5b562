/* A state is an immutable, reference-counted value; an event creates the next state. Between events
 * the set of contacts is frozen, and two zero-crossing functions signal when it becomes invalid: z1
 * < 0 while no contact has ended, z2 > 0 while no contact has begun.
 * The hysteresis contact_epsilon is subtracted: distance = signed distance - contact_epsilon. At an
 * event, the pairs with distance <= 0 are in contact. z1 = (largest distance of a contact) -
 * contact_epsilon; z2 = smallest distance of all other pairs. After an event z1 < 0 and z2 > 0
 * strictly, because z1 and z2 use the event's computation bit for bit.
 * Pairs are pairs of colliders. Pairs of two bodies without motion, and filtered pairs, are
 * excluded. If the AABBs are farther apart than contact_epsilon, the distance of the AABBs, a lower
 * bound, is used instead of the signed distance; this includes bodies that are a single half-space.
 * The signed distance is from ct_pair_distance, or from ct_pair_mpr if the state's method is
 * CT_CONTACT_MPR. ct_pair_distance returns 0, so the pair is in contact, in two cases: surfaces
 * that share a point, and overlapping half-spaces (whose depth is unsupported).
 * Modia3D: Neumayr, Otter 2017 (contact detection). */
#ifndef CONTACT_CONTACT_STATE_H
#define CONTACT_CONTACT_STATE_H

#include <contact/base.h>
#include <contact/pair_methods.h>
#include <contact/query.h>

CT_DECLARATIONS_BEGIN

/* Computes z[0] = z1 and z[1] = z2, m, from [count] signed distances, m, and the frozen membership
 * in_contact [count]. The result equals ct_contact_monitor_run on the same distances bit for bit:
 * both use one accumulation. O(count). */
void ct_contact_functions(const double *signed_distances, const bool *in_contact, size_t count,
                          double epsilon, double z[2]);

/* Values of z1 if there is no contact, and of z2 if all pairs are in contact. */
#define CT_Z1_NONE (-42.0)
#define CT_Z2_NONE 42.0
/* Default hysteresis, m: the value of Modia3D. */
#define CT_CONTACT_EPSILON 1e-16

/* Distance method of a state. */
typedef enum ct_contact_method {
  CT_CONTACT_DISTANCE, /* ct_pair_distance */
  CT_CONTACT_MPR       /* ct_pair_mpr if it supports both shapes, else ct_pair_distance */
} ct_contact_method;

typedef enum ct_contact_cause {
  CT_CAUSE_INIT, /* the first event of a state */
  CT_CAUSE_Z1,   /* a contact ended */
  CT_CAUSE_Z2,   /* a contact began */
  /* a contact began with a body inserted since the last event; z2 could not signal it, because the
   * body was missing before */
  CT_CAUSE_TIME,
  /* a contact ended because a body was deleted, was replaced by one without the collider, or lost
   * its motion (so that neither body has one now), or because a filter now excludes the pair */
  CT_CAUSE_BODY,
  /* a contact ended because its state was deleted. Events never report this cause; it is for
   * callers that delete a state and notify others */
  CT_CAUSE_STATE
} ct_contact_cause;

/* A pair in contact. */
typedef struct ct_contact_record {
  /* Pair id: counted up from 1, the same while the contact lasts, never reused. A pair that
   * separates and touches again gets a new id, because remembering all past pairs would need
   * unbounded memory. */
  uint64_t pair;
  uint64_t serial_a, serial_b; /* ct_scene_serial of the bodies */
  ct_text body_a, body_b;      /* body ids; owned by the state */
  ct_text name_a, name_b;      /* collider ids, or empty; owned by the state */
  bool several_a, several_b;   /* true: the body had several colliders when the contact began */
  /* true if one of the colliders was a surface mesh at the last event */
  bool surface;
  /* collider indices at the last event; a replaced body may have the same colliders at other
   * indices */
  uint32_t collider_a, collider_b;
  double begun; /* time of the contact's first event, s */
  /* Normal component of the velocity of b relative to a when the contact began, at the midpoint of
   * the two witness points, m/s; < 0: approaching. Computed from the scene's velocities, with 0 for
   * bodies without motion. Never recomputed. */
  double normal_velocity;
  ct_contact_cause cause; /* cause of the beginning */
  double distance;        /* signed distance - contact_epsilon at the last event, m */
  ct_pair_result result;  /* at the last event */
  /* the support points below are valid: they were requested, and both shapes are convex and bounded
   * and not two balls (they are the vertices of MPR's portal) */
  bool supports_defined;
  /* support points of a and of b at the last event, world, m; a single support point is repeated
   * three times */
  ct_vec3 support_a[3], support_b[3];
} ct_contact_record;

typedef struct ct_contact_state ct_contact_state;
/* Adds a reference, and returns the state; ct_contact_state_release drops one. Thread-safe. */
const ct_contact_state *ct_contact_state_retain(const ct_contact_state *state);
void ct_contact_state_release(const ct_contact_state *state);   /* NULL is allowed */
double ct_contact_state_time(const ct_contact_state *state);    /* time of the last event, s */
double ct_contact_state_epsilon(const ct_contact_state *state); /* m */
ct_contact_method ct_contact_state_method(const ct_contact_state *state);
/* options of ct_pair_mpr; zeros unless the method is CT_CONTACT_MPR */
ct_mpr_options ct_contact_state_mpr(const ct_contact_state *state);
/* number of events so far, including the first */
uint64_t ct_contact_state_events(const ct_contact_state *state);
/* Number of contacts. */
size_t ct_contact_state_count(const ct_contact_state *state);
/* Returns the record of a contact, index < ct_contact_state_count; borrowed from the state. Records
 * are ordered by the rows at the last event, then by colliders. */
const ct_contact_record *ct_contact_state_record(const ct_contact_state *state, size_t index);
/* Memory of the state, bytes. */
size_t ct_contact_state_bytes(const ct_contact_state *state);

typedef struct ct_contact_event_options {
  double time; /* time of the event, s; not before that of the last event */
  /* contact_epsilon, m; > 0, because 0 would leave a touching pair at z1 = 0; <=
   * CT_CONTACT_EPSILON_MAX. Fixed by the first event: later events use its value and ignore this
   * one */
  double epsilon;
  ct_contact_method method; /* fixed by the first event; ignored by later events */
  /* for CT_CONTACT_MPR; fixed by the first event, ignored by later ones. CT_LIMIT if tolerance or
   * iterations are not > 0 */
  ct_mpr_options mpr;
  bool supports;           /* records include support points */
  size_t contacts_max;     /* CT_LIMIT if there are more contacts */
  const ct_cancel *cancel; /* NULL: never */
} ct_contact_event_options;
/* Defaults: epsilon CT_CONTACT_EPSILON, contacts_max CT_CONTACTS_MAX, mpr from
 * ct_mpr_options_default. An epsilon of 0 is refused; contacts_max 0 allows no contact. */
ct_contact_event_options ct_contact_event_options_default(void);

/* A contact that ended at an event. */
typedef struct ct_contact_ended {
  /* record of the previous event; its texts belong to the previous state */
  ct_contact_record record;
  ct_contact_cause cause;
  double distance; /* current signed distance - contact_epsilon, m; 0 for CT_CAUSE_BODY */
} ct_contact_ended;

typedef struct ct_contact_event {
  const ct_contact_state *state; /* the next state; owned by the caller */
  /* [ended_count] owned; ascending pair ids; free with ct_contact_event_free */
  ct_contact_ended *ended;
  size_t ended_count;
  /* indices into the new state's records of the contacts that began and that persisted; ascending
   * pair ids; owned */
  uint32_t *began, *persisted;
  size_t began_count, persisted_count;
  /* narrow: number of pairs of colliders with a computed distance. boxes: number of all other pairs
   * with a moving body, which their boxes (singly or in bulk) or filters excluded. Neither number
   * depends on the structure of the tree. */
  uint64_t narrow, boxes;
} ct_contact_event;
/* Frees the arrays of the event; does not release event->state. */
void ct_contact_event_free(ct_contact_event *event);

/* Runs an event: finds all contacts of the scene's revision and reports the changes. previous: the
 * last state, or NULL at the first event. Records of persisting contacts keep the values of their
 * beginning bit for bit. The cause is Z2 for begun contacts and Z1 for ended ones, except as
 * ct_contact_cause says. New pair ids continue from ct_scene_contacts_begun, or from the previous
 * state if that is greater. Code that writes the state into a revision must count the begun
 * contacts (ct_draft_count_contacts); then no two states of a scene share ids. A collider is
 * identified by its id, or by its index if it has none. The caller owns event->state and the
 * arrays.
 * CT_LIMIT: more than contacts_max contacts; an epsilon out of range; a time that is not finite or
 * before the last event. CT_CANCELLED, CT_OUT_OF_MEMORY.
 * Cost: one broad phase, and a distance per candidate. */
ct_status ct_contact_event_run(const ct_scene *scene, const ct_contact_state *previous,
                               const ct_contact_event_options *options, ct_workspace *workspace,
                               ct_contact_event *event);

typedef enum ct_contact_evaluation {
  CT_EVALUATE_MONITOR, /* z1 and z2 over all pairs */
  CT_EVALUATE_SAMPLE   /* evaluates only the pairs in contact, so z2 is not computed */
} ct_contact_evaluation;

typedef struct ct_contact_monitor_options {
  ct_contact_evaluation evaluation;
  /* [override_count] poses that replace the scene's in this evaluation; sorted by row, each row
   * once */
  const ct_override *overrides;
  size_t override_count;
  const ct_cancel *cancel; /* NULL: never */
} ct_contact_monitor_options;
/* Defaults: all members 0: evaluation MONITOR, without overrides and cancel flag. */
ct_contact_monitor_options ct_contact_monitor_options_default(void);

/* Value of z1 or z2, and the pair of colliders that determines it. */
typedef struct ct_zero_crossing {
  double value;
  bool present;  /* false: there is no such pair; value is CT_Z1_NONE or CT_Z2_NONE */
  bool narrow;   /* false: value is the distance of two AABBs, a lower bound */
  uint32_t a, b; /* rows */
  uint32_t collider_a, collider_b;
} ct_zero_crossing;

typedef struct ct_contact_monitor {
  ct_zero_crossing z1, z2;
  /* In: array [ct_contact_state_count], or NULL. Out: current results of the state's contacts, in
   * the order of its records. Excluded contacts have CT_SEPARATED and CT_PAIR_UNSUPPORTED, without
   * distances. */
  ct_pair_result *contacts;
  uint64_t narrow, boxes; /* as in ct_contact_event */
} ct_contact_monitor;

/* Evaluates z1 and z2 of the state in the scene's revision. Contacts are excluded if one of their
 * bodies is deleted or a filter now excludes the pair. If several pairs have the same value, the
 * first by rows, then by colliders, is reported.
 * CT_CANCELLED, CT_OUT_OF_MEMORY: *out is unchanged, but its `contacts` may be overwritten.
 * Cost: SAMPLE a distance per contact; MONITOR as an event, plus O(log n) per body with a
 * motion. */
ct_status ct_contact_monitor_run(const ct_scene *scene, const ct_contact_state *state,
                                 const ct_contact_monitor_options *options, ct_workspace *workspace,
                                 ct_contact_monitor *out);

/* Index that finds a state's records by pair of colliders of the scene's revision; borrows the
 * state. It omits records whose pair takes part no longer: a body or collider is missing, a filter
 * excludes the pair, or neither body has a motion. The caller owns *out. CT_CANCELLED,
 * CT_OUT_OF_MEMORY. O(records). */
typedef struct ct_contact_index ct_contact_index;
ct_status ct_contact_index_create(const ct_scene *scene, const ct_contact_state *state,
                                  const ct_cancel *cancel, ct_contact_index **out);
void ct_contact_index_destroy(ct_contact_index *index); /* NULL is allowed */
/* Returns the record of two colliders of two rows, in either order; NULL: not in contact. O(log
 * records). */
const ct_contact_record *ct_contact_index_find(const ct_contact_index *index, uint32_t a,
                                               uint32_t b, uint32_t collider_a,
                                               uint32_t collider_b);

CT_DECLARATIONS_END

#endif
