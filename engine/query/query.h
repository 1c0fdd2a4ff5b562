/* A prepared query, private to engine/query. */
#ifndef QUERY_QUERY_H
#define QUERY_QUERY_H

#include "broad/aabb_tree.h"
#include "scene/body.h"
#include "scene/scene.h"

#include <contact/query.h>

/* Where an all-pairs query finds its pairs. */
typedef enum ct_pair_source {
  CT_SOURCE_EXPLICIT, /* listed by the caller */
  CT_SOURCE_BOXES,    /* the AABBs of every two bodies are tested, in an array */
  CT_SOURCE_TREE,     /* the AABB tree is queried for the partners of each body */
  CT_SOURCE_LISTED    /* pairs are listed during preparation, because `where` selects few bodies or
                         because the broad phase method lists all pairs at once */
} ct_pair_source;

/* What a query evaluates for each pair. Only the members of the query's kind are used. */
typedef struct ct_query_question {
  ct_query_kind kind;
  ct_query_frames
      *frames; /* kind PAIRS: frames to update; used during preparation only, not owned */
  ct_query_overlap_options overlap; /* kind OVERLAP */
  ct_query_distance_options distance;
  ct_query_contacts_options contacts;
  ct_query_volume_options volume;
  ct_features_options features;
} ct_query_question;

struct ct_query {
  const ct_scene *scene;
  ct_query_options options;
  ct_query_question question;
  ct_pair_source source;
  ct_broadphase broadphase;
  size_t items;
  const ct_row_filter *filter; /* collision filter of the bodies, by row; NULL: none */
  const ct_derived *derived;   /* AABBs and AABB tree of the scene's revision; set for source TREE,
                                  and for source LISTED if few bodies are selected */
  ct_aabb *boxes;      /* [rows of the scene] AABBs at the query's poses, ct_aabb_empty for bodies
                          without one; set for source BOXES, for source LISTED by a broad phase
                          method, and with own_tree */
  uint8_t *overridden; /* bit set of the rows whose bodies have an overriding pose; NULL: there
                          are none */
  ct_aabb *override_boxes; /* [override_count] AABB of each body at its overriding pose,
                              ct_aabb_empty without colliders */
  ct_tree *own_tree; /* AABB tree of `boxes` whose user values are rows; set for source TREE with
                        `nearest` and many overrides. NULL: use the tree of `derived` */
  double reach;      /* largest finite absolute coordinate of any row's box, m */
  ct_pair_index *listed; /* LISTED: the accepted pairs, in the order in which hits are reported */
  size_t listed_count;
  uint64_t listed_tests; /* number of box pairs tested to find the listed pairs */
};

/* A body of the scene, by its row, and the data that are needed for all tests with other bodies. */
typedef struct ct_row_view {
  uint32_t row;
  ct_aabb box;
  double magnitude; /* largest finite absolute coordinate of the box, m */
  const ct_body *body;
  const uint64_t *mask; /* bit set of the groups with which the body does not collide, or NULL */
} ct_row_view;

/* Scratch memory of one range: rows found, and a second array for radix sort. */
typedef struct ct_row_finder {
  const ct_query *query;
  uint32_t *rows, *spare;
  size_t count, capacity;
  uint32_t low; /* only bodies with rows >= low are found */
  size_t most;  /* the search ends when this many rows have been found */
  bool failed;  /* out of memory */
  uint64_t mask[CT_GROUPS_MAX / 64];
} ct_row_finder;

static inline bool ct_query_overridden(const ct_query *query, uint32_t row) {
  return query->overridden && (query->overridden[row / 8] >> (row % 8) & 1);
}
/* Returns the index in options.overrides of the overriding pose of the body in a row or, if there
 * is none, of the first overriding pose of a higher row. */
size_t ct_query_override_from(const ct_query *query, uint32_t row);
/* Returns the pose of the body in a row in this query: its overriding pose, else its pose in the
 * scene. */
const ct_pose *ct_query_pose(const ct_query *query, uint32_t row);
/* True if where_a selects one of the bodies in rows i and j, and where_b the other. */
bool ct_query_selects(const ct_query *query, uint32_t i, uint32_t j);

/* True if the body is a single half-space and the box is farther above its surface than `reach`. */
bool ct_plane_below(const ct_body *body, const ct_pose *pose, const ct_aabb *box, double reach);
/* Returns the largest finite absolute coordinate of the box; 0 if all are infinite. */
double ct_aabb_magnitude(const ct_aabb *box);
/* Estimates the cost of a shape against every collider of a body, ns, in the units of
 * ct_query_pair_cost. */
double ct_shape_body_cost(ct_query_kind kind, const ct_shape *shape, const ct_body *body);
/* Writes the AABB, at the query's pose, of the body in a row. False: the row has no body, or the
 * body no colliders. Not for source EXPLICIT, which computes no boxes. */
bool ct_query_aabb(const ct_query *query, uint32_t row, ct_aabb *box);

void ct_row_finder_init(ct_row_finder *finder, const ct_query *query);
void ct_row_finder_free(ct_row_finder *finder);
/* Sets the view of the body in a row; view->mask may point into the finder. False: the body has no
 * pairs. */
bool ct_row_view_set(ct_row_finder *finder, uint32_t row, ct_row_view *view);
/* Returns the AABB of the view's body, expanded so far that it intersects the AABB of every partner
 * that ct_query_accepts. */
ct_aabb ct_query_expanded_aabb(const ct_query *query, const ct_row_view *view);
/* Finds the bodies in rows >= low that may be partners of the view's body and writes their rows to
 * finder->rows, ascending: a superset of the partners that ct_query_accepts; the body itself may be
 * included. Adds the number of nodes and boxes tested to *tests. */
ct_status ct_query_find(ct_row_finder *finder, const ct_row_view *view, uint32_t low,
                        uint64_t *tests);
/* Returns true if the pair is a candidate: `where` selects it, its boxes intersect within the
 * clearance, no half-space is certainly farther, and the collision filters accept it. The result
 * depends on the pair alone: no other body and no broad phase method can change it. */
bool ct_query_accepts(const ct_query *query, const ct_row_view *view, uint32_t partner);

/* Relative error of a computed distance, in units of the coordinates; bounds from boxes are lowered
 * by it. */
#define CT_GAP_SLACK (CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF)
/* Returns a lower bound of the distance between the contents of two boxes; 0 if the boxes overlap.
 * `size`: at least the largest absolute coordinate of both. Monotone: a box that contains b, with
 * at least the same size, never has a larger bound. */
double ct_aabb_gap(const ct_aabb *a, const ct_aabb *b, double size);

/* A body in the narrow phase: the frames of its colliders in the world. The arrays only grow and
 * are reused for the next body. */
typedef struct ct_placed_body {
  const ct_body *body;
  const ct_pose *pose;
  uint32_t count;
  ct_frame *frames; /* [count] frames of the colliders */
  uint32_t capacity;

  /* Built only when a pair of compounds needs them. */
  bool boxed, treed; /* `boxes` is valid; `tree` is valid */
  ct_aabb *boxes;    /* [count] boxes of the colliders */
  double reach;      /* largest finite absolute coordinate of `boxes`, m */
  ct_tree *tree;     /* tree of `boxes`; user value: index of the collider */
  uint32_t *found;   /* [count] scratch for results of queries of the tree */
} ct_placed_body;

/* Sets the body and the frames of its colliders. False: out of memory. */
bool ct_placed_body_set(ct_placed_body *placed, const ct_body *body, const ct_pose *pose);
void ct_placed_body_free(ct_placed_body *placed);
static inline ct_placed ct_placed_collider(const ct_placed_body *placed, uint32_t i) {
  return (ct_placed){ct_body_shape(placed->body, i), &placed->frames[i]};
}

typedef struct ct_body_pair {
  ct_placed_body *a, *b;
  double limit; /* pairs of colliders farther apart than this are no hits, m; INFINITY: all pairs
                   are hits */
  double tolerance;
  const ct_cancel *cancel;
  ct_workspace *workspace;
  ct_overlap_test overlap_test; /* NULL: ct_pair_overlap */
  void *context;                /* context passed to overlap_test */
} ct_body_pair;

/* Finds the pair of colliders with the least signed distance. *found: the distance is at most
 * pair->limit, and the colliders, overlap and result of *hit are set. */
ct_status ct_body_pair_distance(const ct_body_pair *pair, ct_distance_hit *hit, bool *found);
/* Finds the first pair of colliders that overlaps; the hit contains its witness point. If none
 * overlaps and pair->limit > 0, finds the least distance instead, with hit->overlap false. *found:
 * *hit is set. */
ct_status ct_body_pair_overlap(const ct_body_pair *pair, ct_overlap_hit *hit, bool *found);

/* Calls visit for each pair of colliders whose boxes may be within pair->limit, in the order of a's
 * colliders, then b's. A status other than CT_OK ends the loop and is returned. */
typedef ct_status (*ct_collider_visit)(void *context, uint32_t collider_a, uint32_t collider_b);
ct_status ct_body_pair_visit(const ct_body_pair *pair, ct_collider_visit visit, void *context);

/* State of the evaluation of all pairs of colliders of two bodies. `position` is that of the next
 * hit, except its part. */
typedef struct ct_body_pair_run {
  const ct_body_pair *pair;
  uint32_t a, b; /* rows of the bodies */
  ct_hit_position position;
  uint32_t part; /* the first `part` hits are skipped: they were reported on an earlier page */
  bool all;      /* explicit pair: one hit is reported even if no colliders are within the limit */
  void *context; /* context pointer of the caller, passed to the sink */
  bool stopped;  /* the sink ended the query */
} ct_body_pair_run;

/* Calls the sink with the manifold of each pair of colliders within the limit. */
ct_status ct_body_pair_contacts(ct_body_pair_run *run, ct_detail detail, ct_contacts_sink sink);
/* Calls the sink with the volumetric contacts of each pair of colliders. */
ct_status ct_body_pair_volumes(ct_body_pair_run *run, const ct_volume_options *options,
                               ct_volume_sink sink);
/* Calls the sink with the features of each pair of colliders whose boxes are within the limit. Adds
 * the number of edge pairs with flag DOUBLED to *doubled. */
ct_status ct_body_pair_features(ct_body_pair_run *run, const ct_features_options *options,
                                ct_feature_sink sink, uint64_t *doubled);

/* Evaluates a range as ct_query_run_volumes, for a query with sparsified contacts. */
ct_status ct_query_run_sparse(const ct_query *query, const ct_query_range *range,
                              ct_workspace *workspace, ct_volume_sink sink, void *context,
                              ct_range_statistics *statistics);

/* Evaluates a range as ct_query_run_distances, for a query with `nearest`. */
ct_status ct_query_run_nearest(const ct_query *query, const ct_query_range *range,
                               ct_workspace *workspace, ct_distance_sink sink, void *context);

/* True if each pair consists of two different rows below scene->rows. */
bool ct_query_pairs_are_valid(const ct_scene *scene, const ct_row_pair *pairs, size_t count);

#endif
