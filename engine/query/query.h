/* A prepared query, private to engine/query. */
#ifndef QUERY_QUERY_H
#define QUERY_QUERY_H

#include "broad/aabb_tree.h"
#include "scene/body.h"
#include "scene/scene.h"

#include <contact/query.h>

/* Source of the pairs of an all-pairs query. */
typedef enum ct_pair_source {
  CT_SOURCE_EXPLICIT, /* listed by the caller */
  CT_SOURCE_BOXES,    /* every pair of an array of boxes */
  CT_SOURCE_TREE,     /* each row queries the tree */
  CT_SOURCE_LISTED /* listed by preparation: `where` selects few, or the method lists all pairs at
                      once */
} ct_pair_source;

/* What a query evaluates for each pair; members of other kinds are unused. */
typedef struct ct_query_question {
  ct_query_kind kind;
  ct_query_frames *frames;          /* PAIRS; borrowed during preparation */
  ct_query_overlap_options overlap; /* OVERLAP */
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
  const ct_row_filter *filter; /* NULL: none */
  const ct_derived *derived;   /* TREE, and LISTED with few selected rows */
  ct_aabb *boxes; /* BOXES, LISTED by a method, and with own_tree: [rows], ct_aabb_empty for rows
                     without a box */
  uint8_t *overridden;     /* bit per row; NULL: no overrides */
  ct_aabb *override_boxes; /* [override_count], ct_aabb_empty without colliders */
  ct_tree *own_tree; /* TREE with `nearest` and many overrides: tree of `boxes`; user value: row.
                        NULL: use derived's tree */
  double reach;      /* largest finite coordinate of any box, m */
  ct_pair_index *listed; /* LISTED: accepted pairs in order */
  size_t listed_count;
  uint64_t listed_tests; /* box pairs tested to find them */
};

/* A row in the loops over pairs: data common to all its partners. */
typedef struct ct_row_view {
  uint32_t row;
  ct_aabb box;
  double magnitude; /* largest finite coordinate of the box */
  const ct_body *body;
  const uint64_t *mask; /* groups that the row does not collide with, or NULL */
} ct_row_view;

/* Scratch of one range: rows found, and a second array for sorting. */
typedef struct ct_row_finder {
  const ct_query *query;
  uint32_t *rows, *spare;
  size_t count, capacity;
  uint32_t low; /* rows below are excluded */
  size_t most;  /* limit of rows */
  bool failed;  /* out of memory */
  uint64_t mask[CT_GROUPS_MAX / 64];
} ct_row_finder;

static inline bool ct_query_overridden(const ct_query *query, uint32_t row) {
  return query->overridden && (query->overridden[row / 8] >> (row % 8) & 1);
}
/* Index of the row's override, or of the first override of a higher row. */
size_t ct_query_override_from(const ct_query *query, uint32_t row);
/* The row's pose in this query. */
const ct_pose *ct_query_pose(const ct_query *query, uint32_t row);
/* True if `where` selects the pair. */
bool ct_query_selects(const ct_query *query, uint32_t i, uint32_t j);

/* True if the body is a single half-space and the box is farther above its surface than reach. */
bool ct_plane_below(const ct_body *body, const ct_pose *pose, const ct_aabb *box, double reach);
/* Largest finite absolute coordinate. */
double ct_aabb_magnitude(const ct_aabb *box);
/* Rough cost of a shape against every collider of a body, ns, in the units of ct_query_pair_cost.
 */
double ct_shape_body_cost(ct_query_kind kind, const ct_shape *shape, const ct_body *body);
/* The row's box; false: it has none. Not for EXPLICIT. */
bool ct_query_aabb(const ct_query *query, uint32_t row, ct_aabb *box);

void ct_row_finder_init(ct_row_finder *finder, const ct_query *query);
void ct_row_finder_free(ct_row_finder *finder);
/* Sets the view; its mask is in the finder. False: the row has no pairs. */
bool ct_row_view_set(ct_row_finder *finder, uint32_t row, ct_row_view *view);
/* The row's box expanded so that it intersects the box of every row that ct_query_accepts. */
ct_aabb ct_query_expanded_aabb(const ct_query *query, const ct_row_view *view);
/* Rows >= low that may be partners of the row, ascending, possibly including the row itself: a
 * superset of those that ct_query_accepts. Adds the nodes and boxes tested to *tests. */
ct_status ct_query_find(ct_row_finder *finder, const ct_row_view *view, uint32_t low,
                        uint64_t *tests);
/* Decides whether a pair is a candidate: `where`, boxes, planes, filters. The result depends on the
 * pair alone, so that no other body and no method can change it. */
bool ct_query_accepts(const ct_query *query, const ct_row_view *view, uint32_t partner);

/* Round-off of a computed distance compared with that of boxes, relative to the coordinates. */
#define CT_GAP_SLACK (CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF)
/* Lower bound of the distance of the contents of two boxes, `size` the largest coordinate of both;
 * 0 if they overlap. Monotone: never more for a box that contains b and no smaller size. */
double ct_aabb_gap(const ct_aabb *a, const ct_aabb *b, double size);

/* A body in the narrow phase with its colliders placed. Arrays grow and are reused from body to
 * body. */
typedef struct ct_placed_body {
  const ct_body *body;
  const ct_pose *pose;
  uint32_t count;
  ct_frame *frames; /* [count] of the colliders */
  uint32_t capacity;

  /* Built when a pair of compounds needs them. */
  bool boxed, treed; /* boxes and tree are valid */
  ct_aabb *boxes;    /* [count] */
  double reach;      /* largest finite coordinate of the boxes */
  ct_tree *tree;     /* of the boxes; user value: collider */
  uint32_t *found;   /* [count] scratch, allocated with the tree */
} ct_placed_body;

/* False: out of memory. */
bool ct_placed_body_set(ct_placed_body *placed, const ct_body *body, const ct_pose *pose);
void ct_placed_body_free(ct_placed_body *placed);
static inline ct_placed ct_placed_collider(const ct_placed_body *placed, uint32_t i) {
  return (ct_placed){ct_body_shape(placed->body, i), &placed->frames[i]};
}

typedef struct ct_body_pair {
  ct_placed_body *a, *b;
  double limit; /* pairs farther apart are no hits; INFINITY: all pairs are hits */
  double tolerance;
  const ct_cancel *cancel;
  ct_workspace *workspace;
  ct_overlap_test overlap_test; /* NULL: ct_pair_overlap */
  void *context;                /* of overlap_test */
} ct_body_pair;

/* Least distance over the pairs of colliders. *found: it is <= limit, and the hit's colliders,
 * overlap and result are set. */
ct_status ct_body_pair_distance(const ct_body_pair *pair, ct_distance_hit *hit, bool *found);
/* Overlap of any pair of colliders: the first that overlaps, with the witness. If none does and
 * limit > 0, the least distance, with hit.overlap false. *found: there is a hit. */
ct_status ct_body_pair_overlap(const ct_body_pair *pair, ct_overlap_hit *hit, bool *found);

/* Calls visit for each pair of colliders whose boxes may be within the limit, in the order of a's
 * colliders, then b's. A status other than CT_OK ends the loop and is returned. */
typedef ct_status (*ct_collider_visit)(void *context, uint32_t collider_a, uint32_t collider_b);
ct_status ct_body_pair_visit(const ct_body_pair *pair, ct_collider_visit visit, void *context);

/* Evaluation of all pairs of colliders of two bodies; `bodies` contains the rows and the position
 * of the hits, except part. */
typedef struct ct_body_pair_run {
  const ct_body_pair *pair;
  uint32_t a, b; /* rows */
  ct_hit_position position;
  uint32_t part; /* skip this many hits */
  bool all;      /* explicit pair: reports one hit even if no colliders are near */
  void *context; /* of the sink */
  bool stopped;  /* by the sink */
} ct_body_pair_run;

/* Reports the manifold of each pair of colliders within the limit. */
ct_status ct_body_pair_contacts(ct_body_pair_run *run, ct_detail detail, ct_contacts_sink sink);
/* Reports volumetric contacts. */
ct_status ct_body_pair_volumes(ct_body_pair_run *run, const ct_volume_options *options,
                               ct_volume_sink sink);
/* Reports the features of each pair of colliders whose boxes are within the limit. Adds the pairs
 * of edges with flag DOUBLED to *doubled. */
ct_status ct_body_pair_features(ct_body_pair_run *run, const ct_features_options *options,
                                ct_feature_sink sink, uint64_t *doubled);

/* ct_query_run_volumes with sparsification. */
ct_status ct_query_run_sparse(const ct_query *query, const ct_query_range *range,
                              ct_workspace *workspace, ct_volume_sink sink, void *context,
                              ct_range_statistics *statistics);

/* ct_query_run_distances with `nearest`. */
ct_status ct_query_run_nearest(const ct_query *query, const ct_query_range *range,
                               ct_workspace *workspace, ct_distance_sink sink, void *context);

/* True if each pair names two different rows of the scene. */
bool ct_query_pairs_are_valid(const ct_scene *scene, const ct_row_pair *pairs, size_t count);

#endif
