/* A prepared query, private to engine/query. */
#ifndef QUERY_QUERY_H
#define QUERY_QUERY_H

#include "broad/aabb_tree.h"
#include "scene/body.h"
#include "scene/scene.h"

#include <contact/query.h>

/* Where the pairs of an all-pairs query come from. */
typedef enum ct_pair_source {
  CT_SOURCE_EXPLICIT, /* the caller */
  CT_SOURCE_BOXES,    /* every pair of an array of boxes */
  CT_SOURCE_TREE,     /* each row asks the tree */
  CT_SOURCE_LISTED    /* found by preparing: `where` selects few, or the method lists all at once */
} ct_pair_source;

/* What a query evaluates of each pair; members of other kinds are unused. */
typedef struct ct_query_question {
  ct_query_kind kind;
  ct_query_frames *frames;          /* PAIRS; borrowed only during preparation */
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
  const ct_derived *derived;   /* TREE, and LISTED for few */
  ct_aabb *boxes;      /* BOXES, and LISTED by a method: [rows], ct_aabb_empty for rows without */
  uint8_t *overridden; /* bit per row; NULL: no overrides */
  ct_aabb *override_boxes; /* [override_count], ct_aabb_empty without colliders */
  ct_tree *own_tree; /* TREE with `nearest` and many overrides: of `boxes`; user value: row. NULL:
                        derived holds it */
  double reach;      /* largest finite coordinate of any box, m */
  ct_pair_index *listed; /* LISTED: accepted pairs in order */
  size_t listed_count;
  uint64_t listed_tests; /* box pairs looked at to find them */
};

/* A row in the loops: what is the same for all its partners. */
typedef struct ct_row_view {
  uint32_t row;
  ct_aabb box;
  double magnitude; /* largest finite coordinate of the box */
  const ct_body *body;
  const uint64_t *mask; /* groups that it does not collide with, or NULL */
} ct_row_view;

/* Scratch of one range: rows found, and a second array to sort them with. */
typedef struct ct_row_finder {
  const ct_query *query;
  uint32_t *rows, *spare;
  size_t count, capacity;
  uint32_t low; /* rows below are not wanted */
  size_t most;  /* stop after this many */
  bool failed;  /* out of memory */
  uint64_t mask[CT_GROUPS_MAX / 64];
} ct_row_finder;

static inline bool ct_query_overridden(const ct_query *query, uint32_t row) {
  return query->overridden && (query->overridden[row / 8] >> (row % 8) & 1);
}
/* Index of a row among the overrides; the first one at or after it. */
size_t ct_query_override_from(const ct_query *query, uint32_t row);
/* The row's pose in this query. */
const ct_pose *ct_query_pose(const ct_query *query, uint32_t row);
/* Does `where` select the pair? */
bool ct_query_selects(const ct_query *query, uint32_t i, uint32_t j);

/* Is the body nothing but a half-space, and the box farther above its surface than reach? */
bool ct_plane_below(const ct_body *body, const ct_pose *pose, const ct_aabb *box, double reach);
/* Largest finite absolute coordinate. */
double ct_aabb_magnitude(const ct_aabb *box);
/* Rough cost of a shape with every collider of a body, ns, as ct_query_pair_cost of two bodies. */
double ct_shape_body_cost(ct_query_kind kind, const ct_shape *shape, const ct_body *body);
/* The row's box; false: none. Not for EXPLICIT. */
bool ct_query_aabb(const ct_query *query, uint32_t row, ct_aabb *box);

void ct_row_finder_init(ct_row_finder *finder, const ct_query *query);
void ct_row_finder_free(ct_row_finder *finder);
/* Sets the view, its mask in the finder. False: the row takes part in no pair. */
bool ct_row_view_set(ct_row_finder *finder, uint32_t row, ct_row_view *view);
/* The row's box grown so that it meets the box of every row that ct_query_accepts. */
ct_aabb ct_query_expanded_aabb(const ct_query *query, const ct_row_view *view);
/* Rows >= low that may be partners of the row, ascending, and the row itself if it is one: a
 * superset of those that ct_query_accepts. *tests is added to: nodes and boxes looked at. */
ct_status ct_query_find(ct_row_finder *finder, const ct_row_view *view, uint32_t low,
                        uint64_t *tests);
/* The test of a pair that decides whether it is a candidate: `where`, boxes, planes, filters. It
 * looks at nothing but the pair, so that no other body and no method can change the answer. */
bool ct_query_accepts(const ct_query *query, const ct_row_view *view, uint32_t partner);

/* Rounding of a computed distance against that of boxes, relative to the coordinates. */
#define CT_GAP_SLACK (CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF)
/* Lower bound of the distance of what is in two boxes, `size` the largest coordinates of both; 0
 * where they overlap. Never more for a box that holds b and no smaller size. */
double ct_aabb_gap(const ct_aabb *a, const ct_aabb *b, double size);

/* A body in the narrow phase: colliders placed. Arrays grow and are kept from body to body. */
typedef struct ct_placed_body {
  const ct_body *body;
  const ct_pose *pose;
  uint32_t count;
  ct_frame *frames; /* [count] of the colliders */
  uint32_t capacity;

  /* Made when a pair of compounds asks for them. */
  bool boxed, treed; /* boxes, the tree are made */
  ct_aabb *boxes;    /* [count] */
  double reach;      /* largest finite coordinate of the boxes */
  ct_tree *tree;     /* of the boxes; user value: collider */
  uint32_t *found;   /* [count] scratch, with the tree */
} ct_placed_body;

/* False: out of memory. */
bool ct_placed_body_set(ct_placed_body *placed, const ct_body *body, const ct_pose *pose);
void ct_placed_body_free(ct_placed_body *placed);
static inline ct_placed ct_placed_collider(const ct_placed_body *placed, uint32_t i) {
  return (ct_placed){ct_body_shape(placed->body, i), &placed->frames[i]};
}

typedef struct ct_body_pair {
  ct_placed_body *a, *b;
  double limit; /* pairs farther apart are no hits; INFINITY: all are */
  double tolerance;
  const ct_cancel *cancel;
  ct_workspace *workspace;
  ct_overlap_test overlap_test; /* NULL: ct_pair_overlap */
  void *context;                /* of the test */
} ct_body_pair;

/* Least distance over the pairs of colliders. *found: it is <= limit, and the hit's colliders,
 * overlap and result are set. */
ct_status ct_body_pair_distance(const ct_body_pair *pair, ct_distance_hit *hit, bool *found);
/* Overlap of any pair of colliders: the first that overlaps, with the witness. If none does and
 * limit > 0, the least distance, with hit.overlap false. *found: there is a hit. */
ct_status ct_body_pair_overlap(const ct_body_pair *pair, ct_overlap_hit *hit, bool *found);

/* Calls visit for each pair of colliders whose boxes may be within the limit, in the order of a's
 * colliders, then b's; one that is not CT_OK ends it and is returned. */
typedef ct_status (*ct_collider_visit)(void *context, uint32_t collider_a, uint32_t collider_b);
ct_status ct_body_pair_visit(const ct_body_pair *pair, ct_collider_visit visit, void *context);

/* Evaluation of all pairs of colliders of two bodies; `bodies` has the rows and the position of
 * the hits, except part. */
typedef struct ct_body_pair_run {
  const ct_body_pair *pair;
  uint32_t a, b; /* rows */
  ct_hit_position position;
  uint32_t part; /* skip this many hits */
  bool all;      /* explicit pair: one hit also if no colliders are near */
  void *context; /* of the sink */
  bool stopped;  /* by the sink */
} ct_body_pair_run;

/* Manifolds of the pairs of colliders within the limit, each as a hit. */
ct_status ct_body_pair_contacts(ct_body_pair_run *run, ct_detail detail, ct_contacts_sink sink);
/* Volumetric contacts, each as a hit. */
ct_status ct_body_pair_volumes(ct_body_pair_run *run, const ct_volume_options *options,
                               ct_volume_sink sink);
/* Features of the pairs of colliders whose boxes are within the limit, each as a hit. *doubled is
 * incremented by the pairs of edges with flag DOUBLED. */
ct_status ct_body_pair_features(ct_body_pair_run *run, const ct_features_options *options,
                                ct_feature_sink sink, uint64_t *doubled);

/* ct_query_run_volumes with sparsification. */
ct_status ct_query_run_sparse(const ct_query *query, const ct_query_range *range,
                              ct_workspace *workspace, ct_volume_sink sink, void *context,
                              ct_range_statistics *statistics);

/* ct_query_run_distances with `nearest`. */
ct_status ct_query_run_nearest(const ct_query *query, const ct_query_range *range,
                               ct_workspace *workspace, ct_distance_sink sink, void *context);

/* Does each of the pairs name two different rows of the scene? */
bool ct_query_pairs_are_valid(const ct_scene *scene, const ct_row_pair *pairs, size_t count);

#endif
