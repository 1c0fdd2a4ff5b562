/* Contact states: which pairs are in contact since the last event, for an outside integrator.
 *
 * A state is a value, immutable and reference-counted: an event makes the next one. Between events the membership is frozen, and
 * two numbers tell when it no longer holds: z1 < 0 while no contact has ended, z2 > 0 while none has begun. The stored membership,
 * not the value, carries the hysteresis: distance = signed distance - contact_epsilon; contact iff distance <= 0 at an event; z1 =
 * max of distance over contacts - contact_epsilon, z2 = min of distance over all others. Pairs are of colliders; pairs of bodies of
 * which none has a motion, and pairs that filters exclude, take no part. Pairs whose boxes are apart count with the distance of
 * their boxes, a lower bound. Modia3D (Neumayr, Otter 2017), Contact Detection.
 */
#ifndef CONTACT_CONTACT_STATE_H
#define CONTACT_CONTACT_STATE_H

#include <contact/query.h>

/* Values of z1 without a contact, and of z2 without another pair. */
#define CT_Z1_NONE (-42.0)
#define CT_Z2_NONE 42.0
/* Hysteresis where the caller names none, m: the value of Modia3D. */
#define CT_CONTACT_EPSILON 1e-16

typedef enum ct_contact_cause {
  CT_CAUSE_INIT, /* the first event of a state */
  CT_CAUSE_Z1,   /* a contact ended */
  CT_CAUSE_Z2,   /* a contact began */
  CT_CAUSE_TIME, /* an event of the caller's: what changed was not announced by z1 or z2 */
  CT_CAUSE_BODY  /* ended: a body of the pair is gone, was replaced by one without the collider, or filters exclude the pair now */
} ct_contact_cause;

/* A pair in contact. */
typedef struct ct_contact_record {
  uint64_t pair; /* id of the contact's pair: a pair that has been seen in contact keeps it in this state; never reused */
  uint64_t serial_a, serial_b;     /* ct_scene_serial of the bodies */
  ct_text body_a, body_b;          /* ids; owned by the state */
  uint32_t collider_a, collider_b; /* indices */
  double begun;                    /* time of the event at which it began, s */
  double normal_velocity;          /* of b against a along the normal when it began, m/s; < 0 approaches; never computed again */
  ct_contact_cause cause;          /* of its beginning */
  double distance;                 /* signed distance - contact_epsilon, at the last event */
  ct_pair_result result;           /* at the last event */
  bool supports_defined;           /* both convex and bounded: the portal of method mpr */
  ct_vec3 support_a[3], support_b[3];
} ct_contact_record;

typedef struct ct_contact_state ct_contact_state;
const ct_contact_state *ct_contact_state_retain(const ct_contact_state *state);
void ct_contact_state_release(const ct_contact_state *state);    /* NULL: nothing */
double ct_contact_state_time(const ct_contact_state *state);     /* of the last event */
double ct_contact_state_epsilon(const ct_contact_state *state);  /* m */
uint64_t ct_contact_state_events(const ct_contact_state *state); /* events so far, the first one included */
size_t ct_contact_state_count(const ct_contact_state *state);
/* In the order of rows at the last event, then colliders. */
const ct_contact_record *ct_contact_state_record(const ct_contact_state *state, size_t index);
size_t ct_contact_state_bytes(const ct_contact_state *state);

typedef struct ct_contact_event_options {
  double time;             /* s; not before that of the last event */
  double epsilon;          /* m, >= 0; of the first event, the state keeps it */
  bool supports;           /* records carry support points */
  size_t contacts_max;     /* CT_LIMIT beyond */
  const ct_cancel *cancel; /* NULL: never */
} ct_contact_event_options;

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
  uint64_t narrow, boxes; /* pairs whose distance was computed, and whose boxes alone were looked at */
} ct_contact_event;
void ct_contact_event_free(ct_contact_event *event); /* the state is not released */

/* Rebuilds the contacts of the scene's revision. previous: the state before, or NULL at the first event. Persisting records keep
 * what was stored at their beginning, bit for bit. The causes z1 and z2 are the engine's own finding: of the next state, a pair
 * that began is Z2, one that ended Z1. CT_LIMIT, CT_CANCELLED, CT_OUT_OF_MEMORY. Cost: one broad phase and a distance for each
 * candidate. */
ct_status ct_contact_event_run(const ct_scene *scene, const ct_contact_state *previous, const ct_contact_event_options *options,
                               ct_workspace *workspace, ct_contact_event *event);

typedef enum ct_contact_evaluation {
  CT_EVALUATE_MONITOR, /* z1 and z2: all pairs */
  CT_EVALUATE_SAMPLE   /* only the pairs in contact are computed; no z2 */
} ct_contact_evaluation;

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
  ct_pair_result *contacts; /* [count of the state] in its order: its contacts now. The caller's room; NULL: not wanted */
  uint64_t narrow, boxes;   /* as in ct_contact_event */
} ct_contact_monitor;

/* Evaluates the state in the scene's revision, with other poses for some rows. A contact whose body is gone takes no part. */
ct_status ct_contact_monitor_run(const ct_scene *scene, const ct_contact_state *state, ct_contact_evaluation evaluation,
                                 const ct_override *overrides, size_t override_count, const ct_cancel *cancel,
                                 ct_workspace *workspace, ct_contact_monitor *out);

#endif
