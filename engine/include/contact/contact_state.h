/* Contact states: which pairs are in contact since the last event, for an outside integrator.
 *
 * A state is a value, immutable and reference-counted: an event makes the next one. Between events the membership is frozen, and
 * two numbers tell when it no longer holds: z1 < 0 while no contact has ended, z2 > 0 while none has begun. The stored membership,
 * not the value, carries the hysteresis: distance = signed distance - contact_epsilon; contact iff distance <= 0 at an event; z1 =
 * max of distance over contacts - contact_epsilon, z2 = min of distance over all others. Pairs are of colliders; pairs of bodies of
 * which none has a motion, and pairs that filters exclude, take no part. Pairs whose boxes are apart by more than contact_epsilon
 * count with the distance of their boxes, a lower bound; a body that is nothing but a half-space has that for a box. After an event
 * z1 < 0 and z2 > 0, strictly: both come from the same computation, bit for bit.
 * The distance is that of ct_pair_distance, or of ct_pair_mpr where the state's method says so. By the former surfaces are in
 * contact, at distance 0, while they share a point; and so are two
 * half-spaces that overlap, whose depth is unsupported. Modia3D (Neumayr, Otter 2017), Contact Detection.
 */
#ifndef CONTACT_CONTACT_STATE_H
#define CONTACT_CONTACT_STATE_H

#include <contact/linkage.h>
#include <contact/mpr.h>
#include <contact/query.h>

CT_DECLARATIONS_BEGIN

/* z[0] and z[1]: z1 and z2 of so many pairs by their signed distances, m. in_contact: the frozen membership. The same to the bit as
 * what ct_contact_monitor_run makes of the same distances: both take them in one by one in the same way. */
void ct_contact_functions(const double *signed_distances, const bool *in_contact, size_t count, double epsilon, double z[2]);

/* Values of z1 without a contact, and of z2 without another pair. */
#define CT_Z1_NONE (-42.0)
#define CT_Z2_NONE 42.0
/* Hysteresis where the caller names none, m: the value of Modia3D. */
#define CT_CONTACT_EPSILON 1e-16

/* By which method the distances of a state are computed. */
typedef enum ct_contact_method {
  CT_CONTACT_DISTANCE, /* ct_pair_distance */
  CT_CONTACT_MPR       /* ct_pair_mpr where it takes both shapes, else ct_pair_distance */
} ct_contact_method;

typedef enum ct_contact_cause {
  CT_CAUSE_INIT, /* the first event of a state */
  CT_CAUSE_Z1,   /* a contact ended */
  CT_CAUSE_Z2,   /* a contact began */
  CT_CAUSE_TIME, /* a contact began with a body that was put in since the event before: z2 could not announce it */
  CT_CAUSE_BODY, /* ended: a body of the pair is gone, was replaced by one without the collider, neither has a motion any more, or
                  * filters exclude the pair now */
  CT_CAUSE_STATE /* ended: with its state. No event tells it: it is for those who drop a state and tell others of it */
} ct_contact_cause;

/* A pair in contact. */
typedef struct ct_contact_record {
  uint64_t pair; /* id, counted up from 1: kept while the contact lasts, and never given again. A pair that parted and meets anew
                  * gets another: remembering all that ever met would take more and more memory */
  uint64_t serial_a, serial_b;     /* ct_scene_serial of the bodies */
  ct_text body_a, body_b;          /* ids; owned by the state */
  ct_text name_a, name_b;          /* ids of the colliders, empty where they have none; owned likewise */
  bool several_a, several_b;       /* the body had other colliders, too, when the contact began */
  bool surface;                    /* a collider of the two is a mesh read as a surface, at the last event */
  uint32_t collider_a, collider_b; /* indices at the last event: a body may be replaced by one with the same colliders elsewhere */
  double begun;                    /* time of the event at which it began, s */
  double normal_velocity;          /* of b against a along the normal when it began, at the middle of the two points, by the scene's
                                    * velocities, those of bodies without a motion 0; m/s; < 0 approaches; never computed again */
  ct_contact_cause cause;          /* of its beginning */
  double distance;                 /* signed distance - contact_epsilon, at the last event */
  ct_pair_result result;           /* at the last event */
  bool supports_defined;           /* asked for, and both convex, bounded and not two balls: the portal of method mpr */
  ct_vec3 support_a[3], support_b[3]; /* at the last event; where one support tells all, three times the same */
} ct_contact_record;

typedef struct ct_contact_state ct_contact_state;
const ct_contact_state *ct_contact_state_retain(const ct_contact_state *state);
void ct_contact_state_release(const ct_contact_state *state);    /* NULL: nothing */
double ct_contact_state_time(const ct_contact_state *state);     /* of the last event */
double ct_contact_state_epsilon(const ct_contact_state *state);  /* m */
ct_contact_method ct_contact_state_method(const ct_contact_state *state);
ct_mpr_options ct_contact_state_mpr(const ct_contact_state *state); /* with CT_CONTACT_MPR; else zeros */
uint64_t ct_contact_state_events(const ct_contact_state *state); /* events so far, the first one included */
size_t ct_contact_state_count(const ct_contact_state *state);
/* In the order of rows at the last event, then colliders. */
const ct_contact_record *ct_contact_state_record(const ct_contact_state *state, size_t index);
size_t ct_contact_state_bytes(const ct_contact_state *state);

typedef struct ct_contact_event_options {
  double time;             /* s; not before that of the last event */
  double epsilon;          /* m, > 0 (with 0 a touching pair would leave z1 at 0), at most CT_CONTACT_EPSILON_MAX; of the first
                            * event, the state keeps it */
  ct_contact_method method; /* of the first event, the state keeps it */
  ct_mpr_options mpr;       /* with CT_CONTACT_MPR; likewise. CT_LIMIT: a tolerance or a number of iterations that is not > 0 */
  bool supports;           /* records carry support points */
  size_t contacts_max;     /* CT_LIMIT beyond */
  const ct_cancel *cancel; /* NULL: never */
} ct_contact_event_options;
/* Defaults: epsilon CT_CONTACT_EPSILON and contacts_max CT_CONTACTS_MAX, where 0 is refused and allows
 * no contact; mpr as its own default. */
ct_contact_event_options ct_contact_event_options_default(void);

/* What an event changed. */
typedef struct ct_contact_ended {
  ct_contact_record record; /* as it was at the event before; its texts are owned by the previous state */
  ct_contact_cause cause;
  double distance; /* now, with hysteresis; of CAUSE_BODY 0 */
} ct_contact_ended;

typedef struct ct_contact_event {
  const ct_contact_state *state; /* the next one; owned by the caller */
  ct_contact_ended *ended;       /* [ended_count] owned; ascending in pair ids; free with ct_contact_event_free */
  size_t ended_count;
  uint32_t *began, *persisted; /* indices into the state's records; ascending in pair ids; owned likewise */
  size_t began_count, persisted_count;
  /* Pairs of colliders whose distance was computed, and all others of bodies of which one has a motion: those that boxes ruled out,
   * one by one or many at once, and those that filters exclude. The same whatever the tree. */
  uint64_t narrow, boxes;
} ct_contact_event;
void ct_contact_event_free(ct_contact_event *event); /* the state is not released */

/* Rebuilds the contacts of the scene's revision. previous: the state before, or NULL at the first event. Persisting records keep
 * what was stored at their beginning, bit for bit. The causes z1 and z2 are the engine's own finding: of the next state, a pair
 * that began is Z2, one that ended Z1, save as the causes above say. CT_LIMIT: more contacts than contacts_max, epsilon,
 * or a time that is not finite or before that of the last event.
 * Ids go on from ct_scene_contacts_begun, or from those of the state before where they are greater; who writes the state into a
 * revision counts those that began there (ct_draft_count_contacts), so that the states of a scene never share one. A collider with
 * an id is known by that, another by its index. CT_CANCELLED, CT_OUT_OF_MEMORY. Cost: one broad phase and a distance for each
 * candidate.
 */
ct_status ct_contact_event_run(const ct_scene *scene, const ct_contact_state *previous, const ct_contact_event_options *options,
                               ct_workspace *workspace, ct_contact_event *event);

typedef enum ct_contact_evaluation {
  CT_EVALUATE_MONITOR, /* z1 and z2: all pairs */
  CT_EVALUATE_SAMPLE   /* only the pairs in contact are computed; no z2 */
} ct_contact_evaluation;

typedef struct ct_contact_monitor_options {
  ct_contact_evaluation evaluation;
  const ct_override *overrides; /* other poses for some rows; sorted, each once */
  size_t override_count;
  const ct_cancel *cancel; /* NULL: never */
} ct_contact_monitor_options;
/* Defaults: zeros: MONITOR, the scene's poses. */
ct_contact_monitor_options ct_contact_monitor_options_default(void);

/* One of the functions, and whose pair it is. */
typedef struct ct_zero_crossing {
  double value;
  bool present;  /* false: value is the constant for none */
  bool narrow;   /* false: the value is of boxes */
  uint32_t a, b; /* rows */
  uint32_t collider_a, collider_b;
} ct_zero_crossing;

typedef struct ct_contact_monitor {
  ct_zero_crossing z1, z2;
  ct_pair_result *contacts; /* [count of the state] in its order: its contacts now; of one that takes no part CT_SEPARATED and
                               CT_PAIR_UNSUPPORTED, without distances. The caller's room, set before the call; NULL: not wanted */
  uint64_t narrow, boxes;   /* as in ct_contact_event */
} ct_contact_monitor;

/* Evaluates the state in the scene's revision. A contact whose body is gone, or that filters exclude now, takes no part. Equal
 * values: the first pair by rows, then colliders. CT_CANCELLED, CT_OUT_OF_MEMORY; out is untouched then, its contacts are not.
 * Cost: SAMPLE, a distance for each contact; MONITOR, that of an event, and O(log n) for each body with a motion. */
ct_status ct_contact_monitor_run(const ct_scene *scene, const ct_contact_state *state, const ct_contact_monitor_options *options,
                                 ct_workspace *workspace, ct_contact_monitor *out);

/* The records of a state by the colliders that they are of in the scene's revision; borrows the state. Pairs that take no part any
 * more are not in it. CT_CANCELLED, CT_OUT_OF_MEMORY. Cost: O(records). */
typedef struct ct_contact_index ct_contact_index;
ct_status ct_contact_index_create(const ct_scene *scene, const ct_contact_state *state, const ct_cancel *cancel,
                                  ct_contact_index **out);
void ct_contact_index_destroy(ct_contact_index *index); /* NULL: nothing */
/* Of two colliders of two rows, in either order; NULL: the state has them not in contact. O(log records). */
const ct_contact_record *ct_contact_index_find(const ct_contact_index *index, uint32_t a, uint32_t b, uint32_t collider_a,
                                               uint32_t collider_b);

CT_DECLARATIONS_END

#endif
