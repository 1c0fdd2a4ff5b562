/* Time of impact: when do two moving bodies first share a point, with a certified bracket.
 *
 * Times are since the start of the two paths, which have one duration. Normal, points and signed distance as in pair.h; the
 * relative velocity is that of b's material point less a's, so that a normal velocity < 0 approaches. Swapping a and b mirrors the
 * answer bit for bit.
 * Mirtich 1996 (conservative advancement); the bound along a fixed direction is that of convex pairs, other pairs use the bound on
 * all directions. Bisection: Baraff, Witkin 1997.
 */
#ifndef CONTACT_TOI_H
#define CONTACT_TOI_H

#include <contact/linkage.h>
#include <contact/pair.h>
#include <contact/path.h>

CT_DECLARATIONS_BEGIN

typedef enum ct_toi_method {
  CT_TOI_CONSERVATIVE_ADVANCEMENT, /* the first contact, whatever its duration */
  CT_TOI_BISECTION                 /* a change from apart to overlapping between the ends; none where the ends are both apart */
} ct_toi_method;

typedef enum ct_toi_event {
  CT_TOI_NONE,     /* certainly apart throughout (BISECTION: apart at both ends) */
  CT_TOI_CONTACT,  /* first contact within [lower, upper] */
  CT_TOI_INITIAL,  /* in contact at `begin` already; what is not certainly apart there is in contact */
  CT_TOI_UNDECIDED /* the iterations ended, or the bodies come so near that round-off cannot tell; apart until free_until */
} ct_toi_event;

/* Flags of an impact. */
enum {
  /* In contact at `begin`, and parting: the search went on from where they had parted. CONTACT: a later one was found; INITIAL:
   * none was, and where the status is CT_PAIR_OK there is none. Bodies of several colliders: of each pair of these for itself. */
  CT_TOI_FLAG_SEPARATING_AT_START = 1 << 0,
  /* They came within round-off of touching, at graze_time, and parted without a certain contact; `free_until` is before that, and
   * what is said of the time after it leaves this one instant out. The first one, where there are several. */
  CT_TOI_FLAG_GRAZE = 1 << 1
};

typedef struct ct_toi_options {
  ct_toi_method method;
  double begin, end;         /* s; 0 <= begin <= end <= duration */
  double distance_tolerance; /* BISECTION: |distance| at which it stops, m; 0: none */
  double time_tolerance;     /* width of the bracket wanted, s; 0: what round-off allows */
  double tolerance;          /* as ct_pair_options: chooses the word touching, nothing else */
  uint32_t iterations_max;   /* distances of any one pair of colliders, of a timeline for each change; 0: CT_TOI_ITERATIONS */
  bool list_grazes;          /* of a timeline: list every graze, which searches again behind each */
  const ct_cancel *cancel;   /* NULL: never */
} ct_toi_options;
/* Defaults: iterations_max CT_TOI_ITERATIONS. `end` has to be set. */
ct_toi_options ct_toi_options_default(void);

typedef struct ct_toi {
  ct_toi_event event;
  double time; /* CONTACT: the best estimate of the first contact, INITIAL: begin; else `end` */
  /* CONTACT: certainly apart before lower (BISECTION: at lower), certainly in contact at upper, or, where surfaces passed through
   * each other, certainly past; s */
  double lower, upper;
  double free_until; /* certainly apart in [begin, free_until); BISECTION: begin */
  /* UNDECIDED, and INITIAL where the search for a later contact ended before the motion: ITERATION_LIMIT where more of them might
   * decide, DEGENERATE where round-off cannot tell; else OK. */
  ct_pair_status status;
  uint32_t flags;
  uint32_t iterations;               /* distances computed, of all pairs of colliders */
  double graze_time, graze_distance; /* with the flag */
  double graze_end;                  /* with the flag: certainly apart again at this time, s */
  uint32_t collider_a, collider_b;   /* of the pair that meets; NONE: of the pair that came nearest where that is known, else 0 */
  ct_pair_result contact;            /* CONTACT, INITIAL: at `time` */
  ct_vec3 relative_velocity;         /* of the contact's position there, b's less a's, m/s */
  double normal_velocity;            /* its part along the normal */
} ct_toi;

/* A body and its path; both borrowed, both needed. */
typedef struct ct_moving_body {
  const ct_body *body;
  const ct_path *path;
} ct_moving_body;

/* First contact of two bodies over [begin, end]. Surfaces without an inside may pass through each other flat on, and share a point
 * at one instant only, which no time is: where they come within round-off, and the direction from one to the other is turned round
 * afterwards, that is a contact, with the normal of the last time at which they were certainly apart. Two half-spaces overlap
 * without end as soon as one turns out of being opposite to the other: a contact with CT_PAIR_UNSUPPORTED. Numerical trouble is in
 * the result. CT_LIMIT: a mover without a body or a path, or `begin` and `end` that are not in order
 * within both durations. CT_CANCELLED, CT_OUT_OF_MEMORY. Bodies without colliders never meet.
 * Cost: some ten distances per pair of colliders
 * that comes near; those that cannot meet before the best pair are left out by balls around groups of them, made as far as they are
 * looked at, and bodies that stay apart as wholes by one look. */
ct_status ct_body_toi(ct_moving_body a, ct_moving_body b, const ct_toi_options *options, ct_workspace *workspace, ct_toi *impact);

/* When contacts begin and end. */
typedef struct ct_contact_change {
  bool began;  /* else ended */
  double time; /* of the change */
  /* Bracket: certainly on the other side before lower, on this side at upper; of surfaces that passed through each other the end is
   * told where the bracket of the beginning ends; s */
  double lower, upper;
  uint32_t collider_a, collider_b;
  ct_pair_result contact;
  double normal_velocity;
} ct_contact_change;

/* Two bodies came within round-off of touching and parted without a certain contact. */
typedef struct ct_graze {
  double time;     /* s */
  double distance; /* then, m */
} ct_graze;

typedef enum ct_timeline_status {
  CT_TIMELINE_COMPLETE,
  CT_TIMELINE_LIMIT /* the limit of changes, of grazes, or of iterations, was reached: nothing is known after `known_until` */
} ct_timeline_status;

typedef struct ct_timeline {
  bool in_contact; /* at `begin` */
  ct_timeline_status status;
  double known_until;
  ct_contact_change *changes; /* owned; free with ct_timeline_free; ascending in time, began and ended in turn */
  size_t count, capacity;
  ct_graze *grazes; /* [graze_count] with list_grazes; owned; ascending in time */
  size_t graze_count, graze_capacity;
} ct_timeline;
void ct_timeline_free(ct_timeline *timeline);

/* What a timeline may miss, where nothing certifies that a contact lasts: a parting that stays below this part of the radius of the
 * smaller shape's ball. (Of two half-spaces: while their normals are within this of opposite, rad.) */
#define CT_TIMELINE_RESOLUTION 1e-3

/* All changes between apart and in contact of two bodies (of the least over their pairs of colliders) over [begin, end], each
 * bracketed as an impact. A contact that lasts for less than round-off can tell, a graze, is none; one ends only where all
 * colliders are certainly apart, so that what rests or slides within round-off of touching stays in contact. A contact is certain
 * to last while a depth, a point that the two have in common, or an edge of a surface that pierces another is not used up; else
 * (within round-off of a contact's end, where surfaces cross at their rims, and once half of the iterations are spent on certain
 * steps, as in shallow contacts of solids that are not convex) steps are so short that the two can come no farther apart than
 * CT_TIMELINE_RESOLUTION allows, or round-off leaves open. Where that takes more than the iterations, what is told ends there
 * (LIMIT). `timeline` is emptied first; its memory is used again. limit: changes, and grazes, at most; 0:
 * CT_CHANGES_MAX. CT_LIMIT as ct_body_toi; the timeline is untouched then.
 * iterations_max: of each pair of
 * colliders, for each change. The method is conservative advancement. CT_CANCELLED, CT_OUT_OF_MEMORY; what is in the timeline then
 * is to be freed and no more. */
ct_status ct_body_timeline(ct_moving_body a, ct_moving_body b, const ct_toi_options *options, size_t limit, ct_workspace *workspace,
                           ct_timeline *timeline);

CT_DECLARATIONS_END

#endif
