/* Internals of the search for times of impact: a pair of moving shapes, its sample at a time (poses
 * and certified bounds of the distance), the motion bounds, and the search. README.md of this
 * folder has the derivation.
 *
 * All arithmetic is symmetric: exchanging a and b gives bit-identical results. */
#ifndef TOI_TOI_H
#define TOI_TOI_H

#include "scene/body.h"

#include <contact/toi.h>

/* Largest number of vertices for which the arm of a hull or mesh is computed from its vertices;
 * above, its bounding ball is used. */
#define CT_TOI_VERTICES_MAX 2048

/* Factor of the pose round-off bound for a group of colliders: the bound for a single collider with
 * the group's reach, times this, covers every collider of the group, since the distance of each
 * collider's origin from the pivot is at most the reach. */
#define CT_TOI_GROUP_SLACK 2.0

/* ---- one pair of shapes --------------------------------------------------------------------- */

/* A collider, or a group of colliders of one body, on its path. */
typedef struct ct_toi_side {
  const ct_body *body;
  uint32_t index;
  const ct_shape
      *shape; /* shape of the collider; NULL for a group, unless it is a single half-space */
  const ct_path *path;
  ct_vec3 pivot;        /* pivot of the path, in the body frame */
  ct_vec3 acceleration; /* acceleration of the pivot, constant, m/s^2 */
  ct_vec3 axis;         /* unit axis of rotation, if `steady` */
  double spin;          /* upper bound of the angular speed, rad/s */
  bool steady;          /* the angular velocity is constant in the world */
  bool moves;
  ct_vec3 ball; /* centre of the shape's bounding ball in the body frame; for a half-space, a point
                   of its plane */
  double radius, ball_arm;
  double
      reach;  /* largest distance of the shape's points from the pivot, m; INFINITY: a half-space */
  double arm; /* largest distance of the shape's points from the axis of rotation, m; `reach` if not
                 `steady` */
  bool group; /* a group of colliders bounded by one ball. `shape` is then NULL, unless the group is
                 a single half-space; `index` is any collider of the group */
} ct_toi_side;

/* True if 0 <= begin <= end <= duration. */
bool ct_toi_is_within(const ct_toi_options *options, double duration);
/* True if both bodies have a body and a path, and begin and end are within the durations of both
 * paths. */
bool ct_toi_is_supported(ct_moving_body a, ct_moving_body b, const ct_toi_options *options);

ct_toi_side ct_toi_side_of(ct_moving_body mover, uint32_t index);
/* Returns a side with the members that all colliders of a body share. Shape, ball, reach and arm
 * are not set. */
ct_toi_side ct_toi_side_start(ct_moving_body mover);

/* Velocity and frames of a side at one time; the frames are those of the body and of the shape in
 * the world. */
typedef struct ct_toi_side_pose {
  ct_frame body, shape;
  ct_vec3 pivot; /* position of the pivot in the world */
  ct_velocity velocity;
} ct_toi_side_pose;

/* A sample: the pair of sides evaluated at one time. */
typedef struct ct_toi_sample {
  double time;
  uint32_t collider_a, collider_b;
  ct_toi_side_pose a, b;
  double slack; /* upper bound of the pose round-off of both sides together, m */
  ct_pair_result result;
  double lower, upper; /* lower and upper bound of the signed distance, which include `slack`, m */
  bool has_plane_gap; /* there is a separating plane: the pair is apart as long as the planes across
                         the present normal, one through the support of each side, are apart.
                         `along` is then valid */
  double along;       /* lower bound of the gap between those two planes, m */
  double growth_a, growth_b; /* upper bound, for each side, of the growth of its support along the
                                normal by any rotation, m; INFINITY: unknown */
  double rate;  /* rate of change of the distance, computed from the velocities of the two nearest
                   points, m/s; negative: the bodies approach */
  ct_vec3 turn; /* angular velocity of the normal since the previous sample, rad/s; 0: unknown */
} ct_toi_sample;

static inline bool ct_sample_is_apart(const ct_toi_sample *sample) { return sample->lower > 0.0; }
/* True if the pair is certainly in contact. Open surfaces have no depth; for them the distance is 0
 * exactly if they cross. */
static inline bool ct_sample_is_contact(const ct_toi_sample *sample) {
  const ct_pair_result *r = &sample->result;
  if (r->status == CT_PAIR_UNSUPPORTED || r->depth_kind == CT_DEPTH_NONE) return r->distance <= 0.0;
  return sample->upper <= 0.0;
}

/* True for a triangle mesh that encloses no solid. */
static inline bool ct_toi_is_open_surface(const ct_shape *shape) {
  return shape->kind == CT_KIND_MESH && !ct_mesh_get(shape->mesh)->solid;
}

typedef struct ct_toi_pair {
  ct_toi_side a, b;
} ct_toi_pair;

/* Sets the poses of both sides at a time; computes no distance. */
void ct_toi_place_pair(const ct_toi_pair *pair, double time, ct_toi_sample *sample);
/* Sets the poses of both sides at a time, the signed distance and its bounds. */
void ct_toi_measure(const ct_toi_pair *pair, double time, const ct_pair_options *options,
                    ct_workspace *workspace, ct_toi_sample *sample);

/* Returns the velocity of b's material point at point_b minus that of a's at point_a, m/s. */
ct_vec3 ct_toi_relative_velocity(const ct_toi_sample *sample, ct_vec3 point_a, ct_vec3 point_b);

/* Upper bound of the round-off of a gap along a direction, in unit round-offs of the sum of both
 * reaches and the offset of the pivots: unit normals 3, rotated directions 26 (they displace
 * supports), transformed supports 26, sums 4. */
#define ALONG_SLACK 64.0

/* Returns the support of the shape relative to its pivot: the maximum of direction . p over its
 * points p. The direction is in the world and need not be a unit vector. */
double ct_toi_support(const ct_toi_side *side, const ct_toi_side_pose *at, ct_vec3 direction);

bool ct_toi_are_planes(const ct_toi_pair *pair); /* True if both are half-spaces. */

/* ---- motion bounds: how long a sample certifies --------------------------------------------- */

/* Returns the time after the sample, which must be apart, for which the pair certainly stays apart:
 * 0 to INFINITY, s. Any value >= `horizon` means at least the horizon. */
double ct_toi_separated_time(const ct_toi_pair *pair, const ct_toi_sample *sample, double horizon);
/* Returns a lower bound of the gap between the bounding balls, or between a ball and a half-space
 * that does not rotate, m; *direction: unit, from a to b. -INFINITY for other pairs with
 * half-spaces. */
double ct_toi_ball_gap(const ct_toi_pair *pair, const ct_toi_sample *sample, ct_vec3 *direction);
/* Returns a time as ct_toi_separated_time, from the bounding balls alone; only the poses of the
 * sample are used. *near: the balls are near each other, so that a distance query would certify a
 * longer time. */
double ct_toi_ball_time(const ct_toi_pair *pair, const ct_toi_sample *sample, double horizon,
                        bool *near);
/* Returns a time after the sample within which no point of one side is displaced relative to any
 * point of the other by more than `gap`. */
double ct_toi_gap_time(const ct_toi_pair *pair, const ct_toi_sample *sample, double gap,
                       double horizon);

/* Returns the latest representable time that is certainly at most `time` + `step`. */
double ct_toi_later(double time, double step);

/* ---- the search of one pair ----------------------------------------------------------------- */

typedef struct ct_toi_colliders ct_toi_colliders;

/* Two bodies prepared for a search over their pairs of colliders. */
typedef struct ct_toi_bodies {
  ct_moving_body a, b;
  bool b_first; /* body b is first in the canonical order of the two bodies. Pairs of colliders are
                   visited in that order, and the first of equal pairs is chosen, so that the result
                   does not depend on which body is a */
  const ct_toi_options *options;
  ct_workspace *workspace;
  ct_toi_pair single;      /* the pair of colliders, if each body has one */
  ct_toi_colliders *in[2]; /* otherwise the colliders of a and of b, in the workspace's memory */
} ct_toi_bodies;

/* A search of one pair of colliders or, for the end of a contact, of the nearest pair of colliders
 * of two bodies, which may change with time. Invariant: free_until <= apart_until; they differ only
 * after a graze. */
typedef struct ct_toi_search {
  const ct_toi_options *options;
  ct_workspace *workspace;
  ct_toi_pair pair;
  const ct_toi_bodies
      *bodies;  /* bodies of which the nearest pair is searched; NULL: only `pair` is searched */
  double limit; /* the search ends if the pair is apart until this time, s; at most options->end */
  double free_until; /* the pair is certainly apart from the begin of the search until this time, s;
                        not extended after a graze */
  double apart_until; /* the pair is certainly apart from the begin of the search, or from the last
                         graze, until this time, s */
  double contact_until; /* search for a separation: last time at which the pair is certainly in
                           contact, s */
  bool grazed;
  double graze_time, graze_distance, graze_end;
  double passage_time;  /* if > 0: open surfaces passed through each other before this time, within
                           round-off, s */
  uint32_t evaluations; /* number of samples evaluated */
  uint32_t evaluations_max; /* limit of `evaluations` */
  uint32_t distances;       /* number of distance queries, over all pairs of colliders */
  bool out_of_evaluations;  /* evaluations_max ended the search */
  ct_status status;         /* status of the pair queries; other than CT_OK, it has ended the
                               search */
} ct_toi_search;

typedef enum ct_toi_outcome {
  CT_TOI_OUTCOME_FREE,     /* certainly apart until the limit */
  CT_TOI_OUTCOME_CONTACT,  /* a sample in contact was found */
  CT_TOI_OUTCOME_UNDECIDED /* nothing is known after free_until: the sample limit was reached,
                              round-off prevents a decision, or the status is not CT_OK */
} ct_toi_outcome;

/* Evaluates the sample at a time and counts it; with `bodies`, the sample of their nearest pair of
 * colliders. False: the sample limit is reached, or the status is not CT_OK. */
bool ct_toi_evaluate(ct_toi_search *search, double time, ct_toi_sample *sample);

/* Starts a search: evaluates the first sample at or after `begin`. The pair is known to be apart
 * until `known`. FREE: certainly apart until the limit; *at is not set. CONTACT: *at is at `begin`
 * and not certainly apart. UNDECIDED: *at is apart, and the pair is certainly apart from `begin` to
 * it; or the search has ended (sample limit or status). */
ct_toi_outcome ct_toi_start(ct_toi_search *search, double begin, double known, ct_toi_sample *at);
/* Searches from *at, which must be apart, to the first contact. CONTACT: *contact is a sample in
 * contact, and *at is the last sample that is certainly before the contact. */
ct_toi_outcome ct_toi_advance(ct_toi_search *search, ct_toi_sample *at, ct_toi_sample *contact);
/* Searches from *at, which is not certainly apart, to the first sample that is. FREE: *separated is
 * apart, and *at is the last sample before it that is not certainly apart. UNDECIDED: the pair does
 * not separate before the end of the motion, and *at is there; or the search has ended. */
ct_toi_outcome ct_toi_search_separation(ct_toi_search *search, ct_toi_sample *at,
                                        ct_toi_sample *separated);

/* Factor by which the steps of a lookahead grow. */
#define CT_TOI_AHEAD_GROWTH 4.0
/* Returns the first step of a lookahead, s: twice the time to zero distance at the present rate,
 * for sign < 0 of a decreasing and for sign > 0 of an increasing distance. It is at least the
 * resolution of doubles at the sample's time, and near time 0 at a fixed fraction of `end`. */
double ct_toi_initial_lookahead(const ct_toi_sample *sample, double end, double sign);

/* Replaces the normal of *root by that of the sample `apart` next to it, if one shape is a mesh and
 * the two cross or nearly cross: their distance has no reliable direction there. */
void ct_toi_set_normal(const ct_toi_pair *pair, const ct_toi_sample *apart, ct_toi_sample *root);
/* Finds the root of the signed distance between two samples, one with distance > 0 and one with
 * distance <= 0. *root: the sample nearest to the root. */
void ct_toi_root(ct_toi_search *search, const ct_toi_sample *before, const ct_toi_sample *after,
                 ct_toi_sample *root);
/* Returns a time between the root and `far` at which the pair is certainly in the same state as at
 * `far` (apart, or in contact); `far` if no nearer time is found. separates: the contact ends at
 * the root. */
double ct_toi_narrow_bracket(ct_toi_search *search, const ct_toi_sample *root, double far,
                             bool separates);

/* ---- two bodies ----------------------------------------------------------------------------- */

/* Prepares two bodies for a search. The data are in the workspace's memory and valid until the next
 * call. Returns CT_OK or CT_OUT_OF_MEMORY. */
ct_status ct_toi_bodies_set(ct_toi_bodies *bodies, ct_moving_body a, ct_moving_body b,
                            const ct_toi_options *options, ct_workspace *workspace);

/* retain: bodies and paths will not change from now on, so that the colliders of a body are
 * prepared once for all its pairs; false ends this. */
void ct_toi_retain_colliders(ct_workspace *workspace, bool retain);

/* Callbacks of ct_toi_each_pair. */
typedef struct ct_toi_visitor {
  /* Processes a pair of colliders. key: as set by `skips` for the pair; -INFINITY if each body has
   * one collider. A status other than CT_OK ends the traversal. */
  ct_status (*visit)(void *context, const ct_toi_pair *pair, double key);
  /* True if no pair of colliders of the two groups needs a visit. *key: on entry the key of the
   * parent groups, -INFINITY at the root; on return the key of these groups, not smaller. Groups
   * with the smaller key are visited first. */
  bool (*skips)(void *context, const ct_toi_pair *groups, double *key);
  /* True if the key alone excludes the groups, given the pairs visited so far. */
  bool (*is_excluded)(void *context, double key);
} ct_toi_visitor;
/* Visits all pairs of colliders that the visitor does not skip, by simultaneous traversal of both
 * bodies' ball trees. Cost: O(1) if the bodies are skipped as wholes. */
ct_status ct_toi_each_pair(const ct_toi_bodies *bodies, const ct_toi_visitor *visitor,
                           void *context);
/* Finds the first contact of the two bodies; the result is that of ct_body_toi. */
ct_status ct_toi_first(const ct_toi_bodies *bodies, ct_toi *impact);

/* Finds the pair of colliders of least distance at a time. Adds the number of distance queries to
 * *distances. Precondition: both bodies have colliders. */
ct_status ct_toi_nearest(const ct_toi_bodies *bodies, double time, ct_toi_pair *pair,
                         ct_toi_sample *sample, uint32_t *distances);

/* Writes time, colliders, contact and normal velocity of the sample to *impact. */
void ct_toi_write_result(const ct_toi_sample *sample, ct_toi *impact);

/* Searches the contact by the method CT_TOI_BISECTION. */
ct_status ct_toi_bisect(const ct_toi_bodies *bodies, ct_toi *impact);

/* Appends the graze of the result to the timeline. CT_OUT_OF_MEMORY: the timeline is unchanged. */
ct_status ct_timeline_append_graze(ct_timeline *timeline, const ct_toi *impact);

#endif
