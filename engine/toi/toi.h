/* Internals of the search for times of impact: one pair of moving shapes, its sample at a time
 * (poses and certified bounds of the distance), the motion bounds, and the search. README.md has
 * the derivation.
 *
 * All arithmetic is symmetric: exchanging a and b gives bit-identical results. */
#ifndef TOI_TOI_H
#define TOI_TOI_H

#include "scene/body.h"

#include <contact/toi.h>

/* Vertices inspected for the arm of a shape; larger hulls and meshes use their bounding ball. */
#define CT_TOI_VERTICES_MAX 2048

/* Bound on the pose round-off of any collider of a group, as a factor of the bound of one collider
 * with the group's reach: each collider's origin is within pivot and reach. */
#define CT_TOI_GROUP_SLACK 2.0

/* ---- one pair of shapes --------------------------------------------------------------------- */

/* A collider on its path. */
typedef struct ct_toi_side {
  const ct_body *body;
  uint32_t index;
  const ct_shape *shape; /* shape of the collider */
  const ct_path *path;
  ct_vec3 pivot;        /* body frame */
  ct_vec3 acceleration; /* acceleration of the pivot */
  ct_vec3 axis;         /* axis of rotation if `steady` */
  double spin;          /* bound on the angular velocity */
  bool steady;          /* the angular velocity is constant */
  bool moves;
  ct_vec3 ball; /* centre of the shape's bounding ball, body frame; for a half-space a point of its
                   plane */
  double radius, ball_arm;
  double reach; /* greatest distance of the shape's points from the pivot; INFINITY: a half-space */
  double arm;   /* greatest distance of the shape's points from the axis; `reach` if not `steady` */
  bool group;   /* several colliders bounded by one ball: `shape` is NULL, except for a single
                 * half-space; `index` is any collider of the group */
} ct_toi_side;

/* True if 0 <= begin <= end <= duration. */
bool ct_toi_is_within(const ct_toi_options *options, double duration);
/* True if both movers have body and path, and begin and end are within both durations. */
bool ct_toi_is_supported(ct_moving_body a, ct_moving_body b, const ct_toi_options *options);

ct_toi_side ct_toi_side_of(ct_moving_body mover, uint32_t index);
/* The fields that all colliders of a body share. Shape, ball and reach are not set. */
ct_toi_side ct_toi_side_start(ct_moving_body mover);

/* Pose and velocity of a side at a time. */
typedef struct ct_toi_side_pose {
  ct_frame body, shape;
  ct_vec3 pivot; /* world frame */
  ct_velocity velocity;
} ct_toi_side_pose;

/* A sample: the pair at a time. */
typedef struct ct_toi_sample {
  double time;
  uint32_t collider_a, collider_b;
  ct_toi_side_pose a, b;
  double slack; /* bound on the pose round-off of both sides together, m */
  ct_pair_result result;
  double lower, upper; /* bounds of the signed distance, including the slack */
  bool has_plane_gap;  /* the pair is apart while the planes across the present normal are apart;
                  `along` is  valid */
  double along;        /* lower bound of the gap between those planes */
  double growth_a, growth_b; /* upper bound on the growth of a side's support along the normal by
                            rotation; INFINITY: unknown */
  double rate;  /* rate of the distance, from the velocities of the two nearest points */
  ct_vec3 turn; /* rotation of the normal since the previous sample, rad/s; 0: unknown */
} ct_toi_sample;

static inline bool ct_sample_is_apart(const ct_toi_sample *sample) { return sample->lower > 0.0; }
/* True if certainly in contact. Open surfaces have no depth; their crossing is decided exactly. */
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

/* Poses of both sides, without a distance. */
void ct_toi_place_pair(const ct_toi_pair *pair, double time, ct_toi_sample *sample);
/* Poses and the signed distance. */
void ct_toi_measure(const ct_toi_pair *pair, double time, const ct_pair_options *options,
                    ct_workspace *workspace, ct_toi_sample *sample);

/* Velocity of b's material point minus that of a's. */
ct_vec3 ct_toi_relative_velocity(const ct_toi_sample *sample, ct_vec3 point_a, ct_vec3 point_b);

/* Round-off of a gap along a direction, in unit round-offs: unit normals 3, rotated directions 26
 * (they displace supports), transformed supports 26, sums 4. Multiplied by the sum of both reaches
 * and the offset. */
#define ALONG_SLACK 64.0

/* Support of the shape from its pivot along a direction in the world, not necessarily unit: the
 * maximum of direction.p. */
double ct_toi_support(const ct_toi_side *side, const ct_toi_side_pose *at, ct_vec3 direction);

bool ct_toi_are_planes(const ct_toi_pair *pair); /* True if both are half-spaces. */

/* ---- motion bounds: how long a sample certifies --------------------------------------------- */

/* Time after the sample, which is apart, for which the pair certainly stays apart: 0 to INFINITY.
 * Times beyond `horizon` need not be distinguished. */
double ct_toi_separated_time(const ct_toi_pair *pair, const ct_toi_sample *sample, double horizon);
/* Lower bound of the gap between the bounding balls, or between a ball and a half-space that does
 * not turn, and its unit direction from a to b. Other pairs with half-spaces: -INFINITY. */
double ct_toi_ball_gap(const ct_toi_pair *pair, const ct_toi_sample *sample, ct_vec3 *direction);
/* ct_toi_separated_time from the bounding balls alone; only the poses of the sample are used.
 * *near: the balls are close to each other, and a distance query certifies more. */
double ct_toi_ball_time(const ct_toi_pair *pair, const ct_toi_sample *sample, double horizon,
                        bool *near);
/* Time after the sample within which the displacement of any point of one side relative to any
 * point of the other is at most `gap`. */
double ct_toi_gap_time(const ct_toi_pair *pair, const ct_toi_sample *sample, double gap,
                       double horizon);

/* The latest representable time that is certainly at most `time` + `step`. */
double ct_toi_later(double time, double step);

/* ---- the search of one pair ----------------------------------------------------------------- */

typedef struct ct_toi_colliders ct_toi_colliders;

/* Two bodies as pairs of colliders. */
typedef struct ct_toi_bodies {
  ct_moving_body a, b;
  bool b_first; /* the first body of the canonical order is b: the result does not depend on the
                 * order of a and b, and the first of equal pairs wins */
  const ct_toi_options *options;
  ct_workspace *workspace;
  ct_toi_pair single;      /* pair of colliders if each body has one */
  ct_toi_colliders *in[2]; /* otherwise: colliders of a and of b, in the workspace */
} ct_toi_bodies;

/* A search of one pair of colliders or, for the end of a contact, of the nearest pair of two
 * bodies, which may change. Invariant: free_until <= apart_until; they are equal unless there is a
 * graze. */
typedef struct ct_toi_search {
  const ct_toi_options *options;
  ct_workspace *workspace;
  ct_toi_pair pair;
  const ct_toi_bodies *bodies; /* NULL: only `pair` is searched */
  double limit; /* the search ends if the pair is apart until this time; at most options->end */
  double free_until;  /* certainly apart from the begin of the search until this time; a graze ends
                         it */
  double apart_until; /* certainly apart from the begin, or since a graze, until this time */
  double contact_until; /* search for a separation: last time at which the pair is certainly in
                           contact */
  bool grazed;
  double graze_time, graze_distance, graze_end;
  double passage_time;      /* > 0: open surfaces passed through each other before this time, within
                            round-off */
  uint32_t evaluations;     /* samples taken */
  uint32_t evaluations_max; /* limit of `evaluations` */
  uint32_t distances;       /* distance queries over all pairs */
  bool out_of_evaluations;  /* the search was ended by evaluations_max */
  ct_status status;         /* other than CT_OK: the search ends */
} ct_toi_search;

typedef enum ct_toi_outcome {
  CT_TOI_OUTCOME_FREE,     /* apart until the limit */
  CT_TOI_OUTCOME_CONTACT,  /* in contact at a sample */
  CT_TOI_OUTCOME_UNDECIDED /* nothing is known after free_until: sample limit, round-off, or a
                              status other than CT_OK */
} ct_toi_outcome;

/* Evaluates and counts the sample at a time; for two bodies, the sample of their nearest pair.
 * False: the sample limit is reached, or the status is not CT_OK. */
bool ct_toi_evaluate(ct_toi_search *search, double time, ct_toi_sample *sample);

/* The first sample at or after `begin`; the pair is certainly apart until `known`. FREE: certainly
 * apart until the limit; *at is not set. CONTACT: *at is at `begin` and not certainly apart.
 * UNDECIDED: *at is apart, and the pair is certainly apart from `begin` to it; or the search ended.
 */
ct_toi_outcome ct_toi_start(ct_toi_search *search, double begin, double known, ct_toi_sample *at);
/* Searches from *at, which is apart, to the first contact. CONTACT: *contact is a sample in contact
 * and *at is the last sample before it that is certainly before the contact. */
ct_toi_outcome ct_toi_advance(ct_toi_search *search, ct_toi_sample *at, ct_toi_sample *contact);
/* Searches from *at, which is not certainly apart, to a sample that is. FREE: *separated is apart,
 * and *at is the last sample before it, which is not. UNDECIDED: the pair does not separate before
 * the end, where *at is then; or the search ended. */
ct_toi_outcome ct_toi_search_separation(ct_toi_search *search, ct_toi_sample *at,
                                        ct_toi_sample *separated);

/* Growth of the steps of a lookahead. */
#define CT_TOI_AHEAD_GROWTH 4.0
/* First step of a lookahead: twice the time to zero distance at the present rate (sign < 0: the
 * distance shrinks), at least the resolution of time. Near time 0, at least the resolution of a
 * fixed part of `end`. */
double ct_toi_initial_lookahead(const ct_toi_sample *sample, double end, double sign);

/* Replaces the normal of the root by the normal of the last (or first) sample apart if meshes cross
 * or are within round-off of crossing: their distance has no direction there. */
void ct_toi_set_normal(const ct_toi_pair *pair, const ct_toi_sample *apart, ct_toi_sample *root);
/* Root of the signed distance between two samples with distance > 0 at one of them and <= 0 at the
 * other. *root: the sample nearest to the root. */
void ct_toi_root(ct_toi_search *search, const ct_toi_sample *before, const ct_toi_sample *after,
                 ct_toi_sample *root);
/* A time between the root and `far` at which the pair is certainly in the same state as at `far`:
 * apart, or in contact. `far` if none is found. `separates`: the contact ends at the root. */
double ct_toi_narrow_bracket(ct_toi_search *search, const ct_toi_sample *root, double far,
                             bool separates);

/* ---- two bodies ----------------------------------------------------------------------------- */

/* Prepares two bodies. They use the workspace's memory until the next call. CT_OUT_OF_MEMORY. */
ct_status ct_toi_bodies_set(ct_toi_bodies *bodies, ct_moving_body a, ct_moving_body b,
                            const ct_toi_options *options, ct_workspace *workspace);

/* `retain`: bodies and paths do not change from now on, so that the colliders of a body are
 * prepared once for all its pairs. False: ends this. */
void ct_toi_retain_colliders(ct_workspace *workspace, bool retain);

/* Callbacks of ct_toi_each_pair. */
typedef struct ct_toi_visitor {
  /* Processes a pair. A status other than CT_OK ends the traversal. `key`: as set by `skips`;
   * -INFINITY for two bodies of one collider each. */
  ct_status (*visit)(void *context, const ct_toi_pair *pair, double key);
  /* True if no pair of the two groups needs a visit. *key: in, the key of the parent groups,
   * -INFINITY at the root; out, the key of these groups, not less. Groups with the lower key are
   * visited first. */
  bool (*skips)(void *context, const ct_toi_pair *groups, double *key);
  /* True if the key alone excludes the groups, given the pairs visited so far. */
  bool (*is_excluded)(void *context, double key);
} ct_toi_visitor;
/* Visits all pairs of colliders that the visitor does not skip, by simultaneous traversal of both
 * trees. Cost: O(1) if the bodies are skipped as wholes. */
ct_status ct_toi_each_pair(const ct_toi_bodies *bodies, const ct_toi_visitor *visitor,
                           void *context);
/* The first contact, as ct_body_toi. */
ct_status ct_toi_first(const ct_toi_bodies *bodies, ct_toi *impact);

/* The pair of colliders of least distance at a time. Adds the distance queries to *distances. Both
 * bodies must have colliders. */
ct_status ct_toi_nearest(const ct_toi_bodies *bodies, double time, ct_toi_pair *pair,
                         ct_toi_sample *sample, uint32_t *distances);

/* Writes the contact at the sample. */
void ct_toi_write_result(const ct_toi_sample *sample, ct_toi *impact);

/* The method CT_TOI_BISECTION. */
ct_status ct_toi_bisect(const ct_toi_bodies *bodies, ct_toi *impact);

/* Appends the graze of the impact to the timeline. CT_OUT_OF_MEMORY: the timeline is unchanged. */
ct_status ct_timeline_append_graze(ct_timeline *timeline, const ct_toi *impact);

#endif
