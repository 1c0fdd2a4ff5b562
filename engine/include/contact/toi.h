/* Time of impact (continuous collision detection): the first time at which two moving bodies share
 * a point, with a certified bracket.
 *
 * Times are in s since the start of the two paths, which have one duration. Normal, points and
 * signed distance as in pair.h. The relative velocity is the velocity of b's material point minus
 * a's; a normal velocity < 0 approaches. Swapping a and b mirrors the result bit for bit.
 * Conservative advancement: Mirtich 1996. Convex pairs use the motion bound along a fixed
 * direction, other pairs the bound over all directions. Bisection: Baraff, Witkin 1997. */
#ifndef CONTACT_TOI_H
#define CONTACT_TOI_H

#include <contact/base.h>
#include <contact/pair.h>
#include <contact/path.h>
#include <contact/query.h>

CT_DECLARATIONS_BEGIN

typedef enum ct_toi_method {
  CT_TOI_CONSERVATIVE_ADVANCEMENT, /* the first contact, however short */
  /* bisects a change from separated to overlapping between the ends; finds none if the bodies are
   * apart at both ends, so it can tunnel */
  CT_TOI_BISECTION
} ct_toi_method;

typedef enum ct_toi_event {
  CT_TOI_NONE,    /* proven apart throughout (BISECTION: apart at both ends) */
  CT_TOI_CONTACT, /* first contact within [lower, upper] */
  CT_TOI_INITIAL, /* in contact at `begin`: not certainly apart there */
  /* the iterations ended, or the gap is below round-off; proven apart until free_until */
  CT_TOI_UNDECIDED
} ct_toi_event;

/* Flags of ct_toi. */
enum {
  /* The bodies touch at `begin` and separate; the search continued after the separation. CONTACT: a
   * later contact was found. INITIAL: none was found; with status CT_PAIR_OK there is none. With
   * several colliders, each pair is searched this way. */
  CT_TOI_FLAG_SEPARATING_AT_START = 1 << 0,
  /* The bodies came within round-off of touching at graze_time, and separated without a certain
   * contact. `free_until` is before graze_time; statements about later times exclude this instant.
   * If there are several grazes, the first is reported. */
  CT_TOI_FLAG_GRAZE = 1 << 1
};

typedef struct ct_toi_options {
  ct_toi_method method;
  double begin, end;         /* s; 0 <= begin <= end <= duration */
  double distance_tolerance; /* BISECTION: stops at this |distance|, m; 0: no such stop */
  double time_tolerance;     /* requested width of the bracket, s; 0: the limit of round-off */
  double tolerance;          /* as in ct_pair_options: only selects relation TOUCHING */
  /* distance evaluations per pair of colliders (timeline: per change); 0: CT_TOI_ITERATIONS */
  uint32_t iterations_max;
  bool list_grazes;        /* timeline: list every graze, with a further search after each */
  const ct_cancel *cancel; /* NULL: never */
} ct_toi_options;
/* Defaults: iterations_max CT_TOI_ITERATIONS. `end` has to be set. */
ct_toi_options ct_toi_options_default(void);

typedef struct ct_toi {
  ct_toi_event event;
  double time; /* CONTACT: best estimate of the first contact; INITIAL: begin; else `end`; s */
  /* CONTACT: certainly apart before lower (BISECTION: at lower), certainly in contact at upper, s.
   * Surfaces that passed through each other have certainly passed at upper. */
  double lower, upper;
  double free_until; /* certainly apart in [begin, free_until), s; BISECTION: begin */
  /* UNDECIDED, or INITIAL with an unfinished search for a later contact: ITERATION_LIMIT if more
   * iterations may decide, DEGENERATE if round-off prevents a decision; else OK. */
  ct_pair_status status;
  uint32_t flags;
  uint32_t iterations;               /* distance evaluations over all pairs of colliders */
  double graze_time, graze_distance; /* with CT_TOI_FLAG_GRAZE; s, m */
  double graze_end; /* with CT_TOI_FLAG_GRAZE: certainly apart again at this time, s */
  /* the pair in contact; NONE: the nearest pair if known, else 0 */
  uint32_t collider_a, collider_b;
  ct_pair_result contact;    /* CONTACT, INITIAL: pair result at `time` */
  ct_vec3 relative_velocity; /* at the contact's position, b minus a, m/s */
  double normal_velocity;    /* component along the normal, m/s */
} ct_toi;

/* A body and its path; both borrowed and required. */
typedef struct ct_moving_body {
  const ct_body *body;
  const ct_path *path;
} ct_moving_body;

/* First contact of two bodies over [begin, end], written to *impact; numerical trouble is in the
 * result. Cost: about ten distances per pair of colliders that comes near. Bounding balls over
 * groups of colliders exclude pairs that cannot touch before the best pair; bodies that stay apart
 * cost one test.
 *
 * Surfaces without an interior may pass through each other face on, sharing a point at a single
 * instant that no sample hits. If they come within round-off and the direction between them
 * reverses afterwards, the event is CONTACT. Its normal is the normal at the last certainly
 * separated time. Two half-spaces overlap as soon as one rotates away from being opposite to the
 * other: CONTACT with CT_PAIR_UNSUPPORTED. Bodies without colliders have no contact.
 * CT_LIMIT: a missing body or path, or not 0 <= begin <= end <= both durations. CT_CANCELLED,
 * CT_OUT_OF_MEMORY. */
ct_status ct_body_toi(ct_moving_body a, ct_moving_body b, const ct_toi_options *options,
                      ct_workspace *workspace, ct_toi *impact);

/* Beginning or end of a contact. */
typedef struct ct_contact_change {
  bool began;  /* else ended */
  double time; /* time of the change, s */
  /* Bracket, s: certainly in the previous state before lower, certainly in the new state at upper.
   * For surfaces that passed through each other, the end is reported at the end of the beginning's
   * bracket. */
  double lower, upper;
  uint32_t collider_a, collider_b;
  ct_pair_result contact;
  double normal_velocity;
} ct_contact_change;

/* The bodies came within round-off of touching and separated without a certain contact. */
typedef struct ct_graze {
  double time;     /* s */
  double distance; /* distance at that time, m */
} ct_graze;

typedef enum ct_timeline_status {
  CT_TIMELINE_COMPLETE,
  /* the limit of changes, grazes or iterations was reached: nothing is known after `known_until` */
  CT_TIMELINE_LIMIT
} ct_timeline_status;

typedef struct ct_timeline {
  bool in_contact; /* at `begin` */
  ct_timeline_status status;
  double known_until;
  /* [count] owned; free with ct_timeline_free; ascending in time, beginnings and ends alternate */
  ct_contact_change *changes;
  size_t count, capacity;
  ct_graze *grazes; /* [graze_count] if list_grazes is set; owned; ascending in time */
  size_t graze_count, graze_capacity;
} ct_timeline;
/* Frees the arrays of the timeline and empties it. */
void ct_timeline_free(ct_timeline *timeline);

/* Resolution of a timeline if nothing certifies that a contact persists: separations smaller than
 * this fraction of the smaller bounding radius may be missed. For two half-spaces: normals within
 * this angle of opposite, rad. */
#define CT_TIMELINE_RESOLUTION 1e-3

/* All contact changes of two bodies over [begin, end], each bracketed like an impact. Bodies are in
 * contact while some pair of their colliders is. Contacts shorter than round-off resolves are
 * grazes, not contacts. A contact ends only if all colliders are certainly apart, so bodies at rest
 * or sliding within round-off stay in contact.
 *
 * Method: conservative advancement. A contact certainly persists while a depth, a common point, or
 * a surface edge that pierces the other surface is not used up. Otherwise steps are limited so that
 * the separation stays below CT_TIMELINE_RESOLUTION or round-off. Such steps are used near the end
 * of a contact, where rims of surfaces cross, and once certain steps took half of the iterations,
 * as in shallow non-convex contacts. Beyond the iterations, the timeline ends there (LIMIT).
 *
 * `timeline` is emptied first and its memory is reused; the caller frees it. limit: changes, and
 * grazes, at most; 0: CT_CHANGES_MAX. iterations_max applies to each pair of colliders and each
 * change.
 * CT_LIMIT: as ct_body_toi; the timeline is unchanged. CT_CANCELLED, CT_OUT_OF_MEMORY: the timeline
 * may only be freed. */
ct_status ct_body_timeline(ct_moving_body a, ct_moving_body b, const ct_toi_options *options,
                           size_t limit, ct_workspace *workspace, ct_timeline *timeline);

/* ---- times of impact of a scene -------------------------------------------------------------- */

/* Times of impact and timelines of a scene: the body pairs with overlapping swept AABBs, in ranges
 * as in query.h.
 *
 * Work items are the explicit pairs, or the candidate pairs in ascending order of rows. A range
 * reports its hits in order, so concatenated ranges give the same list for every partition. With
 * `earliest` there is one item. */

/* Path of a body. Rows without a path stay at rest. */
typedef struct ct_row_motion {
  uint32_t row;
  const ct_path *path; /* borrowed; starts at the pose of the row or its override */
} ct_row_motion;

typedef struct ct_motion_options {
  bool timeline; /* report all changes of each pair; else the first impact */
  /* Impacts: report only the first pairs. These are the pairs that none precedes with certainty,
   * and those within time_tolerance of the first. Bodies that separate at the start count from
   * their next contact on. */
  bool earliest;
  /* pairs that only graze are hits too; impacts and timelines list all grazes. Not with `earliest`
   */
  bool grazes;
  size_t changes_max;    /* timeline: changes per pair; 0: CT_CHANGES_MAX */
  ct_toi_options impact; /* begin, end, method ...; its `cancel` is ignored */
  /* [moving_count] sorted by row, each row once; all paths have one duration */
  const ct_row_motion *moving;
  size_t moving_count;
  const uint8_t *where_a, *where_b; /* as in ct_query_options */
  const ct_row_pair *pairs;
  size_t pair_count;
  bool explicit_pairs;
  /* for swept boxes; AUTO uses trees. The candidates are the same for all methods */
  ct_broadphase broadphase;
  const ct_override *overrides; /* [override_count] what-if poses of rows at rest */
  size_t override_count;
  const ct_cancel *cancel;
} ct_motion_options;
/* Defaults: changes_max CT_CHANGES_MAX; impact has its own default. */
ct_motion_options ct_motion_options_default(void);

typedef struct ct_motion_hit {
  uint32_t a, b; /* rows */
  size_t item;
  /* One of the two is set. Explicit pairs are always hits. Other pairs are hits with event CONTACT,
   * INITIAL or UNDECIDED; timelines with a change, in contact at the start, or cut short; with
   * `grazes`, also if they graze. */
  const ct_toi *impact;
  const ct_timeline *timeline;
  /* [graze_count] impact with `grazes`: all grazes before it, ascending in time */
  const ct_graze *grazes;
  size_t graze_count;
} ct_motion_hit;

/* Receives each hit in order; returning false stops the range. */
typedef bool (*ct_motion_sink)(void *context, const ct_motion_hit *hit);

typedef struct ct_motion_query ct_motion_query;

/* Finds the candidate pairs: swept AABBs overlap, at least one body moves, filters and `where`
 * allow the pair. Two bodies at rest are only examined as an explicit pair. Borrows the scene and
 * everything in options until ct_motion_destroy. The caller owns *out.
 * CT_LIMIT: `begin` and `end` not in order within all durations; a moving row without a path or
 * body; an explicit pair of a row with itself, or of a missing row. CT_PAIR_LIMIT: more than
 * CT_PAIRS_MAX. CT_CANCELLED, CT_OUT_OF_MEMORY. */
ct_status ct_motion_prepare(const ct_scene *scene, const ct_motion_options *options,
                            ct_motion_query **out);
/* Frees the query; NULL is allowed. */
void ct_motion_destroy(ct_motion_query *query);
/* Numbers of work items and of candidate pairs. */
size_t ct_motion_items(const ct_motion_query *query);
size_t ct_motion_candidates(const ct_motion_query *query);
double ct_motion_cost(const ct_motion_query *query); /* estimate, ns on one core */
/* Runs the items [begin, end) and calls the sink for each hit; false from the sink stops the range.
 * CT_CANCELLED, CT_OUT_OF_MEMORY. */
ct_status ct_motion_run(const ct_motion_query *query, size_t begin, size_t end,
                        ct_workspace *workspace, ct_motion_sink sink, void *context);

CT_DECLARATIONS_END

#endif
