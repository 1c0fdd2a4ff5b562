/* Time of impact (continuous collision detection): the first time at which two moving bodies share
 * a point, with a certified bracket.
 *
 * Times are in s since the start of the two paths, which have the same duration. Normal, points and
 * signed distance as in pair.h. The relative velocity is the velocity of b's material point minus
 * that of a's; a normal velocity < 0 approaches. Swapping a and b mirrors the result bit for bit.
 * Conservative advancement: Mirtich 1996; for convex pairs the motion is bounded along a fixed
 * direction, for other pairs over all directions. Bisection: Baraff, Witkin 1997. */
#ifndef CONTACT_TOI_H
#define CONTACT_TOI_H

#include <contact/base.h>
#include <contact/pair.h>
#include <contact/path.h>
#include <contact/query.h>

CT_DECLARATIONS_BEGIN

typedef enum ct_toi_method {
  CT_TOI_CONSERVATIVE_ADVANCEMENT, /* finds the first contact, however short it is */
  /* bisects for a change from separated to overlapping between begin and end; finds nothing if the
   * bodies are apart at both, so they may tunnel through each other */
  CT_TOI_BISECTION
} ct_toi_method;

typedef enum ct_toi_event {
  CT_TOI_NONE,    /* proven apart from begin to end (BISECTION: only at begin and at end) */
  CT_TOI_CONTACT, /* the first contact begins within [lower, upper] */
  CT_TOI_INITIAL, /* the bodies are in contact at `begin`, or not certainly apart at that time */
  /* the iterations ended, or the gap is below round-off; the bodies are proven apart until
   * free_until */
  CT_TOI_UNDECIDED
} ct_toi_event;

/* Flags of ct_toi. */
enum {
  /* The bodies touch at `begin` and separate; the search continued after their separation. With
   * event CONTACT, a later contact was found. With INITIAL, none was found, and there is none if
   * the status is CT_PAIR_OK. If there are several pairs of colliders, each pair is searched this
   * way. */
  CT_TOI_FLAG_SEPARATING_AT_START = 1 << 0,
  /* The bodies came within round-off of touching at graze_time, and separated without a certain
   * contact. `free_until` is before graze_time, and what the result says about later times excludes
   * this instant. Of several grazes the first is reported. */
  CT_TOI_FLAG_GRAZE = 1 << 1
};

typedef struct ct_toi_options {
  ct_toi_method method;
  double begin, end;         /* interval of time that is searched, s; 0 <= begin <= end <=
                                duration */
  double distance_tolerance; /* BISECTION: ends at this |distance|, m; 0: distances do not end it */
  /* width of the bracket [lower, upper] at which the search ends, s; 0: the limit of round-off */
  double time_tolerance;
  /* as in ct_pair_options: only decides whether the relation is TOUCHING, m */
  double tolerance;
  /* largest number of distance evaluations per pair of colliders, in a timeline per change; 0:
   * CT_TOI_ITERATIONS */
  uint32_t iterations_max;
  /* timeline: lists every graze, which needs a further search after each */
  bool list_grazes;
  const ct_cancel *cancel; /* NULL: never */
} ct_toi_options;
/* Defaults: iterations_max CT_TOI_ITERATIONS. `end` has to be set. */
ct_toi_options ct_toi_options_default(void);

typedef struct ct_toi {
  ct_toi_event event;
  double time; /* CONTACT: best estimate of the first contact; INITIAL: begin; else `end`; s */
  /* CONTACT: bracket of the first contact, s: certainly apart before lower (BISECTION: at lower),
   * certainly in contact at upper. Surfaces that passed through each other have certainly done so
   * at upper. */
  double lower, upper;
  /* the bodies are certainly apart in [begin, free_until), s; BISECTION: begin */
  double free_until;
  /* Reason if the event is UNDECIDED, or INITIAL with an unfinished search for a later contact:
   * ITERATION_LIMIT if more iterations may decide, DEGENERATE if round-off prevents a decision.
   * Otherwise OK. */
  ct_pair_status status;
  uint32_t flags;
  /* number of distance evaluations, over all pairs of colliders */
  uint32_t iterations;
  /* with CT_TOI_FLAG_GRAZE: time of the graze, s, and distance at that time, m */
  double graze_time, graze_distance;
  /* with CT_TOI_FLAG_GRAZE: a time after the graze at which the bodies are certainly apart again,
   * s */
  double graze_end;
  /* the colliders in contact; NONE: the nearest colliders if known, else 0 */
  uint32_t collider_a, collider_b;
  ct_pair_result contact;    /* CONTACT, INITIAL: result of the pair of colliders at `time` */
  ct_vec3 relative_velocity; /* velocity of b relative to a at the contact's position, m/s */
  double normal_velocity;    /* component of relative_velocity along the normal, m/s */
} ct_toi;

/* A body and its path; both borrowed and required. */
typedef struct ct_moving_body {
  const ct_body *body;
  const ct_path *path;
} ct_moving_body;

/* Finds the first contact of two bodies in [begin, end], written to *impact, which also reports
 * numerical trouble. Cost: about ten distances per pair of colliders that comes near. Bounding
 * balls of groups of colliders exclude pairs that cannot touch before the earliest contact found so
 * far; for bodies that stay apart one test suffices.
 *
 * Surfaces without an interior may pass through each other face on: they share a point only at a
 * single instant, which no sample hits. If they come within round-off and the direction between
 * them is reversed afterwards, the event is CONTACT, with the normal at the last time at which they
 * were certainly separated. Two half-spaces overlap as soon as their normals are not exactly
 * opposite: CONTACT with CT_PAIR_UNSUPPORTED. Bodies without colliders have no contact.
 * CT_LIMIT: a missing body or path, or not 0 <= begin <= end <= both durations. CT_CANCELLED,
 * CT_OUT_OF_MEMORY. */
ct_status ct_body_toi(ct_moving_body a, ct_moving_body b, const ct_toi_options *options,
                      ct_workspace *workspace, ct_toi *impact);

/* Beginning or end of a contact of two bodies. */
typedef struct ct_contact_change {
  bool began;  /* true: a contact began; false: it ended */
  double time; /* time of the change, s */
  /* Bracket of the change, s: the bodies are certainly in the previous state before lower, and
   * certainly in the new state at upper. If surfaces passed through each other, the end of the
   * contact is reported at the end of the bracket of its beginning. */
  double lower, upper;
  uint32_t collider_a, collider_b;
  ct_pair_result contact;
  double normal_velocity;
} ct_contact_change;

/* Instant at which the bodies came within round-off of touching and then separated without a
 * certain contact. */
typedef struct ct_graze {
  double time;     /* s */
  double distance; /* distance at that time, m */
} ct_graze;

typedef enum ct_timeline_status {
  CT_TIMELINE_COMPLETE,
  /* the limit of changes, grazes or iterations was reached, so nothing is known about times after
   * `known_until` */
  CT_TIMELINE_LIMIT
} ct_timeline_status;

typedef struct ct_timeline {
  bool in_contact; /* true if the bodies are in contact at `begin` */
  ct_timeline_status status;
  double known_until;
  /* [count] ascending in time, beginnings and ends alternate; owned by the timeline, free with
   * ct_timeline_free */
  ct_contact_change *changes;
  size_t count, capacity;
  /* [graze_count] ascending in time, only if list_grazes is set; owned by the timeline */
  ct_graze *grazes;
  size_t graze_count, graze_capacity;
} ct_timeline;
/* Frees the arrays of the timeline and empties it. */
void ct_timeline_free(ct_timeline *timeline);

/* Resolution of a timeline where nothing certifies that a contact persists: separations smaller
 * than this fraction of the smaller bounding radius may be missed. For two half-spaces it is an
 * angle, rad: the normals may deviate by it from opposite directions. */
#define CT_TIMELINE_RESOLUTION 1e-3

/* Finds all contact changes of two bodies in [begin, end], each bracketed like an impact. Bodies
 * are in contact while any pair of their colliders is. Contacts that are too short for round-off
 * are grazes, not contacts. A contact ends only when all pairs of colliders are certainly apart, so
 * bodies that rest or slide within round-off stay in contact.
 *
 * Method: conservative advancement. During a contact, a step is certain if the motion in it is too
 * small to undo a known overlap: a depth, a common point, or an edge of one surface that pierces
 * the other surface. Other steps are limited so that a separation in between stays below
 * CT_TIMELINE_RESOLUTION or round-off. They are used near the end of a contact, where rims of
 * surfaces cross, and, as in shallow non-convex contacts, when certain steps have taken half of the
 * iterations. If all iterations are used up, the timeline ends there (CT_TIMELINE_LIMIT).
 *
 * `timeline` is emptied first and its memory is reused; the caller frees it. limit: largest number
 * of changes, and of grazes; 0: CT_CHANGES_MAX. iterations_max applies to each pair of colliders
 * and each change.
 * CT_LIMIT: as ct_body_toi; the timeline is unchanged. CT_CANCELLED, CT_OUT_OF_MEMORY: the timeline
 * may only be freed. */
ct_status ct_body_timeline(ct_moving_body a, ct_moving_body b, const ct_toi_options *options,
                           size_t limit, ct_workspace *workspace, ct_timeline *timeline);

/* ---- times of impact of a scene -------------------------------------------------------------- */

/* Times of impact and timelines of a scene: of the pairs of bodies whose swept AABBs overlap, in
 * ranges as in query.h.
 *
 * Work items are the explicit pairs, or the candidate pairs in ascending order of rows. A range
 * reports its hits in order, so concatenated ranges give the same list for every partition. With
 * `earliest` all pairs are one item. */

/* Path of a body. Rows without a path stay at rest. */
typedef struct ct_row_motion {
  uint32_t row;
  /* borrowed; its start pose must be the pose of the row, or of the row's override */
  const ct_path *path;
} ct_row_motion;

typedef struct ct_motion_options {
  bool timeline; /* true: report all changes of each pair; false: its first impact */
  /* Impacts: report only the pairs with the earliest impacts: pairs whose impact no other impact
   * certainly precedes, and pairs whose impact is within time_tolerance of the first. For bodies
   * that touch and separate at the start, their next contact counts. */
  bool earliest;
  /* true: pairs that only graze are hits too, and impacts and timelines list all grazes; not
   * together with `earliest` */
  bool grazes;
  size_t changes_max;    /* timeline: largest number of changes per pair; 0: CT_CHANGES_MAX */
  ct_toi_options impact; /* options of each pair, as in ct_body_toi; its `cancel` is ignored */
  /* [moving_count] paths of the moving bodies, sorted by row, each row once; all have one
   * duration */
  const ct_row_motion *moving;
  size_t moving_count;
  const uint8_t *where_a, *where_b; /* as in ct_query_options */
  const ct_row_pair *pairs;
  size_t pair_count;
  bool explicit_pairs;
  /* broad-phase method for the swept boxes; AUTO uses trees. All methods find the same
   * candidates */
  ct_broadphase broadphase;
  /* [override_count] poses that replace those of the scene, of rows at rest */
  const ct_override *overrides;
  size_t override_count;
  const ct_cancel *cancel;
} ct_motion_options;
/* Defaults: changes_max CT_CHANGES_MAX; impact has its own default. */
ct_motion_options ct_motion_options_default(void);

typedef struct ct_motion_hit {
  uint32_t a, b; /* rows */
  size_t item;
  /* Result of the pair; one of the two is set. Explicit pairs are always hits. Other pairs are hits
   * if the event of their impact is CONTACT, INITIAL or UNDECIDED; if their timeline has a change,
   * begins in contact or was cut short; and with `grazes`, if they graze. */
  const ct_toi *impact;
  const ct_timeline *timeline;
  /* [graze_count] with `grazes`: all grazes before the impact, ascending in time */
  const ct_graze *grazes;
  size_t graze_count;
} ct_motion_hit;

/* Receives each hit, in order; if it returns false, the range ends. */
typedef bool (*ct_motion_sink)(void *context, const ct_motion_hit *hit);

typedef struct ct_motion_query ct_motion_query;

/* Finds the candidate pairs: their swept AABBs overlap, at least one of the two bodies moves, and
 * filters and `where` allow the pair. Two bodies at rest are examined only as an explicit pair.
 * Borrows the scene and everything in options until ct_motion_destroy. The caller owns *out.
 * CT_LIMIT: `begin` and `end` not in order within all durations; a moving row without a path or
 * body; an explicit pair of a row with itself, or of a missing row. CT_PAIR_LIMIT: more than
 * CT_PAIRS_MAX. CT_CANCELLED, CT_OUT_OF_MEMORY. */
ct_status ct_motion_prepare(const ct_scene *scene, const ct_motion_options *options,
                            ct_motion_query **out);
/* Frees the query; NULL is allowed. */
void ct_motion_destroy(ct_motion_query *query);
/* Returns the number of work items. */
size_t ct_motion_items(const ct_motion_query *query);
/* Returns the number of candidate pairs. */
size_t ct_motion_candidates(const ct_motion_query *query);
/* estimated cost of the whole query, ns on one core */
double ct_motion_cost(const ct_motion_query *query);
/* Runs the items [begin, end) and calls the sink for each hit; if the sink returns false, the range
 * ends with CT_OK.
 * CT_CANCELLED, CT_OUT_OF_MEMORY. */
ct_status ct_motion_run(const ct_motion_query *query, size_t begin, size_t end,
                        ct_workspace *workspace, ct_motion_sink sink, void *context);

CT_DECLARATIONS_END

#endif
