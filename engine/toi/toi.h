/* One pair of moving shapes, from inside the room: what is certain of it at a time, for how long it
 * stays so, and the search.
 *
 * All arithmetic here is the same to the bit when the sides change places.
 */
#ifndef TOI_TOI_H
#define TOI_TOI_H

#include "scene/body.h"

#include <contact/toi.h>

/* Vertices that are gone through to see how far a shape's points are from an axis; larger hulls and
 * meshes go by their ball. */
#define CT_TOI_VERTICES_MAX 2048

/* What all colliders of a group have of the slack of places at most, as a factor of what one has
 * with the group's reach: none of them has its origin farther from the world's than the pivot and
 * that reach. */
#define CT_TOI_GROUP_SLACK 2.0

/* A collider on its path. */
typedef struct ct_toi_side {
  const ct_body *body;
  uint32_t index;
  const ct_shape *shape; /* the collider's */
  const ct_path *path;
  ct_vec3 pivot;        /* body frame */
  ct_vec3 acceleration; /* of the pivot */
  ct_vec3 axis;         /* of rotation, where it is steady */
  double spin;          /* bound on the angular velocity */
  bool steady;          /* is the angular velocity constant? */
  bool moves;
  ct_vec3 ball; /* centre of a ball that holds the shape, body frame; of a half-space a point of its
                   plane */
  double radius, ball_arm;
  double reach; /* how far the shape's points are from the pivot; INFINITY: a half-space */
  double arm;   /* and from the axis; `reach` where that is not steady */
  bool group;   /* several colliders, as one ball: `shape` is NULL, but for a half-space alone, and
                   `index` any of them */
} ct_toi_side;

/* Are begin and end in order within the duration? */
bool ct_toi_is_within(const ct_toi_options *options, double duration);
/* Can two movers be asked: are there bodies and paths, and are begin and end within both durations?
 */
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
  double slack; /* how far points can be from where the paths have them, both sides' together, m */
  ct_pair_result result;
  double lower, upper; /* bounds of the signed distance, with the slack */
  bool fixed;   /* the pair stays apart while the planes across the normal of now are apart: `along`
                   is known */
  double along; /* lower bound of the gap between those planes */
  double room_a, room_b; /* how much farther than now a side can ever reach along the normal;
                            INFINITY: not known */
  double rate;           /* of the distance, from the velocities of the two points */
  ct_vec3 turn;          /* how the normal turned since the sample before, rad/s; 0: not known */
} ct_toi_sample;

static inline bool ct_sample_is_apart(const ct_toi_sample *sample) { return sample->lower > 0.0; }
/* Certainly in contact. Surfaces without an inside have no depth: that they cross is decided
 * exactly. */
static inline bool ct_sample_is_contact(const ct_toi_sample *sample) {
  const ct_pair_result *r = &sample->result;
  if (r->status == CT_PAIR_UNSUPPORTED || r->depth_kind == CT_DEPTH_NONE) return r->distance <= 0.0;
  return sample->upper <= 0.0;
}

typedef struct ct_toi_pair {
  ct_toi_side a, b;
} ct_toi_pair;

/* Places both sides, without a distance. */
void ct_toi_place_pair(const ct_toi_pair *pair, double time, ct_toi_sample *sample);
/* And with it. */
void ct_toi_measure(const ct_toi_pair *pair, double time, const ct_pair_options *options,
                    ct_workspace *workspace, ct_toi_sample *sample);

/* Velocity of b's material point less that of a's. */
ct_vec3 ct_toi_relative_velocity(const ct_toi_sample *sample, ct_vec3 point_a, ct_vec3 point_b);

/* Round-off of a gap along a direction, in units of u: unit normals 3, turned directions 26, which
 * move supports, placed supports 26, sums 4; times both reaches and the offset. */
#define ALONG_SLACK 64.0

/* How far the shape reaches along a direction of the world, which need not be unit, from its pivot:
 * max of direction.p. */
double ct_toi_support(const ct_toi_side *side, const ct_toi_side_pose *at, ct_vec3 direction);

bool ct_toi_are_planes(const ct_toi_pair *pair); /* half-spaces both */
/* How long after the sample, which is apart, the pair certainly stays apart: 0 to INFINITY. The
 * horizon is how far it matters. */
double ct_toi_separated_time(const ct_toi_pair *pair, const ct_toi_sample *sample, double horizon);
/* The same where turning is followed to second order; of convex pairs that turn, else 0. `least`:
 * no less is of use. */
double ct_toi_tilted_time(const ct_toi_pair *pair, const ct_toi_sample *sample, double least,
                          double horizon);
/* The same of a mesh triangle by triangle, of pairs without a half-space; `all` is what is certain
 * of all. */
double ct_toi_parts_time(const ct_toi_pair *pair, const ct_toi_sample *sample, double all);
/* Gap between the balls around the shapes, at least, or between one and a half-space that does not
 * turn, and its unit direction from a to b; of others with half-spaces -INFINITY. */
double ct_toi_ball_gap(const ct_toi_pair *pair, const ct_toi_sample *sample, ct_vec3 *direction);
/* The same from these balls alone: the sample is placed, not measured. *near: the balls are near
 * each other, and a distance tells more. */
double ct_toi_ball_time(const ct_toi_pair *pair, const ct_toi_sample *sample, double horizon,
                        bool *near);
/* How long after the sample no point of the one side can have gone farther from any of the other
 * than by the gap. */
double ct_toi_gap_time(const ct_toi_pair *pair, const ct_toi_sample *sample, double gap,
                       double horizon);
/* Two surfaces that cross, without growth, cross while no point of the one has gone farther from
 * any of the other than this; below 0 where that is not known. m */
double ct_toi_crossing_lasts(const ct_toi_pair *pair, const ct_toi_sample *sample);
/* How long after the sample the pair is certainly no farther apart than `allowed`, 0: in contact; 0
 * where that is not known. Points of each shape in the other are followed, which takes some
 * distances of a point. */
double ct_toi_contact_lasts(const ct_toi_pair *pair, const ct_toi_sample *sample, double allowed,
                            double horizon, ct_workspace *workspace);

/* The latest time that is certainly not beyond `time` + `step`. */
double ct_toi_later(double time, double step);

typedef struct ct_toi_colliders ct_toi_colliders;

/* Two bodies as pairs of colliders. */
typedef struct ct_toi_bodies {
  ct_moving_body a, b;
  bool b_first; /* pairs of colliders are taken in an order of the bodies' contents; ties go to the
                   first */
  const ct_toi_options *options;
  ct_workspace *workspace;
  ct_toi_pair single;      /* where both have one collider; else */
  ct_toi_colliders *in[2]; /* those of a, of b; in the workspace */
} ct_toi_bodies;

/* A search along one pair, or, for the end of a contact, along the nearest pair of two bodies,
 * which may change. */
typedef struct ct_toi_search {
  const ct_toi_options *options;
  ct_workspace *workspace;
  ct_toi_pair pair;
  const ct_toi_bodies *bodies; /* NULL: the one pair */
  double limit;                /* where being apart until then is enough; at most options->end */
  double free;    /* certainly apart from where the search began until here; a graze ends it */
  double certain; /* certainly apart from there, or since a graze, until here */
  bool grazed;
  double graze_time, graze_distance, graze_end;
  double
      passed; /* > 0: surfaces passed through each other within round-off, and were past by then */
  uint32_t spent;     /* looks: distances of any one pair */
  uint32_t most;      /* of them */
  uint32_t distances; /* of all pairs */
  bool ended;         /* one more than `most` was wanted */
  ct_status status;   /* not CT_OK: the call ends */
} ct_toi_search;

typedef enum ct_toi_outcome {
  CT_TOI_OUTCOME_FREE,     /* apart until the limit */
  CT_TOI_OUTCOME_CONTACT,  /* in contact at a sample */
  CT_TOI_OUTCOME_UNDECIDED /* not known after `free`: iterations, round-off; or a status other than
                              CT_OK */
} ct_toi_outcome;

/* A distance, of bodies that of their nearest pair, counted. False: no more are left, or the status
 * is no longer CT_OK. */
bool ct_toi_evaluate(ct_toi_search *search, double time, ct_toi_sample *sample);

/* From a time on as far as the balls around the shapes are certainly apart, and that is quick.
 * True: until the limit. */
bool ct_toi_skip_separated(const ct_toi_search *search, double *time);
/* The first sample at or after `begin`; until `known` the pair is certainly apart. FREE: certainly
 * apart until the limit, and there is none. MET: *at is at `begin`, and not certainly apart. LOST:
 * *at is apart, and certainly was since `begin`; or the search ended. */
ct_toi_outcome ct_toi_start(ct_toi_search *search, double begin, double known, ct_toi_sample *at);
/* From *at, which bounds cannot tell from contact, on in growing steps until one can. FREE: *next
 * is apart; MET: it is in contact, or, with `passed`, the surfaces are on each other's other sides
 * then. `sure`: the last that was apart, with the normal of such a contact. *at may be apart,
 * though bounds tell next to nothing; where *next then still comes nearer, or with `tentative`, one
 * who finds nothing comes back to it. */
ct_toi_outcome ct_toi_search_past_straddle(ct_toi_search *search, const ct_toi_sample *sure,
                                           const ct_toi_sample *at, ct_toi_sample *next,
                                           bool tentative);
/* From *at, which is apart, to the first contact. MET: *met is a sample in contact and *at one
 * before it, the last that was looked at before contact was possible. */
ct_toi_outcome ct_toi_advance(ct_toi_search *search, ct_toi_sample *at, ct_toi_sample *met);
/* From *at, which is not certainly apart, to where it is: FREE: *parted is apart, *at the last
 * sample before that, which was not, and `certain` is until when the contact certainly lasted since
 * it last was within round-off of ending. LOST: it does not part before the end, where *at is then,
 * or the search ended. */
ct_toi_outcome ct_toi_search_separation(ct_toi_search *search, ct_toi_sample *at,
                                        ct_toi_sample *parted);

/* How much farther each look ahead goes than the one before. */
#define CT_TOI_AHEAD_GROWTH 4.0
/* The first look ahead, where no step can be made: twice to where the distance is zero at its
 * present rate (sign < 0: it shrinks), or what time resolves, near 0 a part of what it does at the
 * end. */
double ct_toi_initial_lookahead(const ct_toi_sample *sample, double end, double sign);

/* Where meshes cross, or are within round-off of it, the distance has no direction: of such a root
 * the normal is that of the last, or first, sample apart. */
void ct_toi_set_normal(const ct_toi_pair *pair, const ct_toi_sample *apart, ct_toi_sample *root);
/* Where the signed distance passes zero between two samples, of which the distance is > 0 at one
 * and <= 0 at the other: *root is the sample nearest to it. */
void ct_toi_root(ct_toi_search *search, const ct_toi_sample *before, const ct_toi_sample *after,
                 ct_toi_sample *root);

/* ---- two bodies ----------------------------------------------------------------------------- */

/* They use the workspace's memory until the next two are set. CT_OUT_OF_MEMORY. */
ct_status ct_toi_bodies_set(ct_toi_bodies *bodies, ct_moving_body a, ct_moving_body b,
                            const ct_toi_options *options, ct_workspace *workspace);

/* From now on bodies and paths stay as they are, so that those of many colliders are set once while
 * one pair after the other is asked about; or no longer. */
void ct_toi_retain_colliders(ct_workspace *workspace, bool keeps);

/* What to do with the pairs of colliders. */
typedef struct ct_toi_visitor {
  /* Ends the walk where it is not CT_OK. The key is what skipping made of it; -INFINITY of two
   * single colliders. */
  ct_status (*visit)(void *context, const ct_toi_pair *pair, double key);
  /* Can two groups of colliders be left out? *key: that of the groups which hold them, -INFINITY at
   * first; becomes their own, not less. Of several the groups with the lower key are gone through
   * first. */
  bool (*skips)(void *context, const ct_toi_pair *groups, double *key);
  /* And since something was visited, by their key? */
  bool (*late)(void *context, double key);
} ct_toi_visitor;
/* All pairs of colliders that cannot be left out: groups of the one body's with groups of the
 * other's, down to pairs. Cost: O(1) where the bodies can be left out as wholes. */
ct_status ct_toi_each_pair(const ct_toi_bodies *bodies, const ct_toi_visitor *visitor,
                           void *context);
/* The first contact, as ct_body_toi. */
ct_status ct_toi_first(const ct_toi_bodies *bodies, ct_toi *impact);

/* The pair of colliders of the least distance at a time; adds the distances taken to *spent. Bodies
 * have colliders. */
ct_status ct_toi_nearest(const ct_toi_bodies *bodies, double time, ct_toi_pair *pair,
                         ct_toi_sample *sample, uint32_t *spent);

/* A time between `far` and the root, on the side of it that `far` is on, where the pair is certain
 * to be as it is there: apart, or in contact. Parts: the contact ends at the root. `far` where none
 * is found. */
double ct_toi_nearer(ct_toi_search *search, const ct_toi_sample *root, double far, bool parts);

/* Tells of a contact at the sample. */
void ct_toi_write_result(const ct_toi_sample *sample, ct_toi *impact);

ct_status ct_toi_bisect(const ct_toi_bodies *bodies, ct_toi *impact);

/* Appends the graze that the impact has to the list of the timeline. CT_OUT_OF_MEMORY: nothing
 * changed. */
ct_status ct_timeline_append_graze(ct_timeline *timeline, const ct_toi *impact);

#endif
