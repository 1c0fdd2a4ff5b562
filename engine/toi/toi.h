/* One pair of moving shapes as the search for times of impact sees it: poses and certified distance
 * at a time, how long that distance certifies, and the search. README.md has the derivation.
 *
 * All arithmetic here is the same to the bit when the sides change places.
 */
#ifndef TOI_TOI_H
#define TOI_TOI_H

#include "scene/body.h"

#include <contact/toi.h>

/* Vertices inspected to find how far a shape's points are from an axis; larger hulls and meshes use
 * their bounding ball. */
#define CT_TOI_VERTICES_MAX 2048

/* Bound on the pose round-off of any collider of a group, as a factor of that of one collider with
 * the group's reach: no collider has its origin farther from the world's than the pivot and that
 * reach. */
#define CT_TOI_GROUP_SLACK 2.0

/* ---- one pair of shapes --------------------------------------------------------------------- */

/* A collider on its path. */
typedef struct ct_toi_side {
  const ct_body *body;
  uint32_t index;
  const ct_shape *shape; /* the collider's */
  const ct_path *path;
  ct_vec3 pivot;        /* body frame */
  ct_vec3 acceleration; /* of the pivot */
  ct_vec3 axis;         /* of rotation, if it is steady */
  double spin;          /* bound on the angular velocity */
  bool steady;          /* the angular velocity is constant */
  bool moves;
  ct_vec3 ball; /* centre of the shape's bounding ball, body frame; of a half-space a point of its
                   plane */
  double radius, ball_arm;
  double reach; /* greatest distance of the shape's points from the pivot; INFINITY: a half-space */
  double arm;   /* the same from the axis; `reach` if the axis is not steady */
  bool group;   /* several colliders, as one ball: `shape` is NULL, except for a single half-space,
                   and `index` any of them */
} ct_toi_side;

/* True if begin and end are in order within the duration. */
bool ct_toi_is_within(const ct_toi_options *options, double duration);
/* True if both movers have body and path, and begin and end are within both durations. */
bool ct_toi_is_supported(ct_moving_body a, ct_moving_body b, const ct_toi_options *options);

ct_toi_side ct_toi_side_of(ct_moving_body mover, uint32_t index);
/* What all colliders of a body have in common: no shape, no ball, no reach. */
ct_toi_side ct_toi_side_start(ct_moving_body mover);

/* A side at a time. */
typedef struct ct_toi_side_pose {
  ct_frame body, shape;
  ct_vec3 pivot; /* in the world */
  ct_velocity velocity;
} ct_toi_side_pose;

/* A pair at a time. */
typedef struct ct_toi_sample {
  double time;
  uint32_t collider_a, collider_b;
  ct_toi_side_pose a, b;
  double slack; /* bound on the pose round-off of both sides together, m */
  ct_pair_result result;
  double lower, upper; /* bounds of the signed distance, including the slack */
  bool fixed;          /* the pair stays apart while the planes across the present normal are apart:
                          `along` is known */
  double along;        /* lower bound of the gap between those planes */
  double room_a, room_b; /* how much farther than now a side can ever reach along the normal;
                            INFINITY: not known */
  double rate;           /* of the distance, from the velocities of the two points */
  ct_vec3 turn;          /* rotation of the normal since the previous sample, rad/s; 0: not known */
} ct_toi_sample;

static inline bool ct_sample_is_apart(const ct_toi_sample *sample) { return sample->lower > 0.0; }
/* Certainly in contact. Surfaces without an interior have no depth: that they cross is decided
 * exactly. */
static inline bool ct_sample_is_contact(const ct_toi_sample *sample) {
  const ct_pair_result *r = &sample->result;
  if (r->status == CT_PAIR_UNSUPPORTED || r->depth_kind == CT_DEPTH_NONE) return r->distance <= 0.0;
  return sample->upper <= 0.0;
}

/* A triangle mesh that encloses no solid. */
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

/* Round-off of a gap along a direction, in units of u: unit normals 3, rotated directions 26, which
 * move supports, placed supports 26, sums 4; times both reaches and the offset. */
#define ALONG_SLACK 64.0

/* How far the shape reaches from its pivot along a direction of the world, which need not be unit:
 * max of direction.p. */
double ct_toi_support(const ct_toi_side *side, const ct_toi_side_pose *at, ct_vec3 direction);

bool ct_toi_are_planes(const ct_toi_pair *pair); /* both half-spaces */

/* ---- motion bounds: how long a sample certifies --------------------------------------------- */

/* How long after the sample, which is apart, the pair certainly stays apart: 0 to INFINITY. Longer
 * than the horizon is of no use. */
double ct_toi_separated_time(const ct_toi_pair *pair, const ct_toi_sample *sample, double horizon);
/* Lower bound of the gap between the balls around the shapes, or between a ball and a half-space
 * that does not turn, and its unit direction from a to b; of other pairs with half-spaces
 * -INFINITY. */
double ct_toi_ball_gap(const ct_toi_pair *pair, const ct_toi_sample *sample, ct_vec3 *direction);
/* ct_toi_separated_time from these balls alone: the sample is placed, not measured. *near: the
 * balls are near each other, and a distance certifies more. */
double ct_toi_ball_time(const ct_toi_pair *pair, const ct_toi_sample *sample, double horizon,
                        bool *near);
/* How long after the sample no point of one side can have moved farther relative to any of the
 * other than by the gap. */
double ct_toi_gap_time(const ct_toi_pair *pair, const ct_toi_sample *sample, double gap,
                       double horizon);

/* The latest time that is certainly not beyond `time` + `step`. */
double ct_toi_later(double time, double step);

/* ---- the search of one pair ----------------------------------------------------------------- */

typedef struct ct_toi_colliders ct_toi_colliders;

/* Two bodies as pairs of colliders. */
typedef struct ct_toi_bodies {
  ct_moving_body a, b;
  bool b_first; /* pairs of colliders are visited in an order of the bodies' contents; ties go to
                   the first */
  const ct_toi_options *options;
  ct_workspace *workspace;
  ct_toi_pair single;      /* if both have one collider; else */
  ct_toi_colliders *in[2]; /* those of a, of b; in the workspace */
} ct_toi_bodies;

/* A search along one pair, or, for the end of a contact, along the nearest pair of two bodies,
 * which may change. Invariant: free_until <= apart_until, equal unless there is a graze. */
typedef struct ct_toi_search {
  const ct_toi_options *options;
  ct_workspace *workspace;
  ct_toi_pair pair;
  const ct_toi_bodies *bodies; /* NULL: the one pair */
  double limit;                /* apart until here is enough; at most options->end */
  double free_until; /* certainly apart from the begin of the search until here; ended by a graze */
  double apart_until;   /* certainly apart from the begin, or since a graze, until here */
  double contact_until; /* of the search for a separation: certainly in contact until here, since
                           the contact was last within round-off of ending */
  bool grazed;
  double graze_time, graze_distance, graze_end;
  double passed_at; /* > 0: surfaces passed through each other within round-off, before this time */
  uint32_t evaluations;     /* samples: distances of any one pair */
  uint32_t evaluations_max; /* of them */
  uint32_t distances;       /* of all pairs */
  bool out_of_evaluations;  /* one more than evaluations_max was needed */
  ct_status status;         /* not CT_OK: the call ends */
} ct_toi_search;

typedef enum ct_toi_outcome {
  CT_TOI_OUTCOME_FREE,     /* apart until the limit */
  CT_TOI_OUTCOME_CONTACT,  /* in contact at a sample */
  CT_TOI_OUTCOME_UNDECIDED /* nothing is known after free_until: iterations, round-off; or a status
                              other than CT_OK */
} ct_toi_outcome;

/* The sample at a time, of bodies that of their nearest pair; counted. False: no evaluations are
 * left, or the status is no longer CT_OK. */
bool ct_toi_evaluate(ct_toi_search *search, double time, ct_toi_sample *sample);

/* The first sample at or after `begin`; until `known` the pair is certainly apart. FREE: certainly
 * apart until the limit, and there is no sample. CONTACT: *at is at `begin`, and not certainly
 * apart. UNDECIDED: *at is apart, and certainly was since `begin`; or the search ended. */
ct_toi_outcome ct_toi_start(ct_toi_search *search, double begin, double known, ct_toi_sample *at);
/* From *at, which is apart, to the first contact. CONTACT: *contact is a sample in contact and *at
 * the last one before it from which contact was not possible. */
ct_toi_outcome ct_toi_advance(ct_toi_search *search, ct_toi_sample *at, ct_toi_sample *contact);
/* From *at, which is not certainly apart, to where it is. FREE: *parted is apart, and *at the last
 * sample before that, which was not. UNDECIDED: it does not part before the end, where
 * *at is then, or the search ended. */
ct_toi_outcome ct_toi_search_separation(ct_toi_search *search, ct_toi_sample *at,
                                        ct_toi_sample *parted);

/* Growth of the steps of a lookahead. */
#define CT_TOI_AHEAD_GROWTH 4.0
/* The first step of a lookahead, where motion bounds allow no step: twice to where the distance is
 * zero at its present rate (sign < 0: it shrinks), or what time resolves, near 0 a part of what it
 * resolves at the end. */
double ct_toi_initial_lookahead(const ct_toi_sample *sample, double end, double sign);

/* If meshes cross, or are within round-off of it, the distance has no direction: such a root gets
 * the normal of the last, or first, sample apart. */
void ct_toi_set_normal(const ct_toi_pair *pair, const ct_toi_sample *apart, ct_toi_sample *root);
/* The zero of the signed distance between two samples, of which the distance is > 0 at one and <= 0
 * at the other: *root is the sample nearest to it. */
void ct_toi_root(ct_toi_search *search, const ct_toi_sample *before, const ct_toi_sample *after,
                 ct_toi_sample *root);
/* A time between `far` and the root, on the side of it that `far` is on, at which the pair is
 * certain to be as it is at `far`: apart, or in contact. Parts: the contact ends at the root. `far`
 * if none is found. */
double ct_toi_nearer(ct_toi_search *search, const ct_toi_sample *root, double far, bool parts);

/* ---- two bodies ----------------------------------------------------------------------------- */

/* They use the workspace's memory until the next two are set. CT_OUT_OF_MEMORY. */
ct_status ct_toi_bodies_set(ct_toi_bodies *bodies, ct_moving_body a, ct_moving_body b,
                            const ct_toi_options *options, ct_workspace *workspace);

/* From now on bodies and paths stay as they are, so that the colliders of a mover are prepared once
 * for all its pairs; or no longer. */
void ct_toi_retain_colliders(ct_workspace *workspace, bool keeps);

/* What to do with the pairs of colliders. */
typedef struct ct_toi_visitor {
  /* Ends the descent if it is not CT_OK. The key is the one that `skips` left; -INFINITY of two
   * single colliders. */
  ct_status (*visit)(void *context, const ct_toi_pair *pair, double key);
  /* True if two groups of colliders can be left out. *key: that of the groups which contain them,
   * -INFINITY at first; becomes their own, not less. Groups with the lower key are visited first.
   */
  bool (*skips)(void *context, const ct_toi_pair *groups, double *key);
  /* True if, since something was visited, their key alone excludes them. */
  bool (*late)(void *context, double key);
} ct_toi_visitor;
/* All pairs of colliders that cannot be left out: groups of one body with groups of the other, down
 * to pairs. Cost: O(1) if the bodies can be left out as wholes. */
ct_status ct_toi_each_pair(const ct_toi_bodies *bodies, const ct_toi_visitor *visitor,
                           void *context);
/* The first contact, as ct_body_toi. */
ct_status ct_toi_first(const ct_toi_bodies *bodies, ct_toi *impact);

/* The pair of colliders of the least distance at a time; adds the distances computed to *distances.
 * Bodies have colliders. */
ct_status ct_toi_nearest(const ct_toi_bodies *bodies, double time, ct_toi_pair *pair,
                         ct_toi_sample *sample, uint32_t *distances);

/* Reports a contact at the sample. */
void ct_toi_write_result(const ct_toi_sample *sample, ct_toi *impact);

/* Method BISECTION. */
ct_status ct_toi_bisect(const ct_toi_bodies *bodies, ct_toi *impact);

/* Appends the graze of the impact to the list of the timeline. CT_OUT_OF_MEMORY: nothing changed.
 */
ct_status ct_timeline_append_graze(ct_timeline *timeline, const ct_toi *impact);

#endif
