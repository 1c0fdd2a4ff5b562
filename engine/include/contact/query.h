/* Queries of a scene: overlap, distance, contacts, volumes and features of all candidate pairs, or
 * of given pairs.
 *
 * A query is prepared once and then run over ranges of work items, by any number of threads with
 * one workspace each. Hits are in canonical order within a range, so concatenated ranges give the
 * same list for every partition.
 * Work items: the explicit pairs; without explicit pairs the rows of the scene, where item i has
 * the pairs (i, j), j > i. */
#ifndef CONTACT_QUERY_H
#define CONTACT_QUERY_H

#include <contact/broad.h>
#include <contact/features.h>
#include <contact/linkage.h>
#include <contact/manifold.h>
#include <contact/scene.h>
#include <contact/sparsify.h>
#include <contact/volume.h>

CT_DECLARATIONS_BEGIN

/* Hits of each kind:
 * - PAIRS: the bodies' AABBs overlap, one of them expanded by the clearance.
 * - OVERLAP: a pair of colliders shares a point. With a clearance, separated bodies within the
 *   clearance are hits too; `overlap` distinguishes them.
 * - DISTANCE: the least distance over the pairs of colliders is at most the clearance.
 * - CONTACTS: one hit per pair of colliders within the clearance, ordered by a's colliders, then
 *   b's.
 * - VOLUME: one hit per volumetric contact of two colliders or elements, ordered by a's colliders,
 *   b's colliders, elements. An overlapping pair of colliders without a computable contact has one
 *   hit without a contact. Example: method SOLFEC and elements without outer faces.
 * - FEATURES: one hit per feature of two colliders with triangles, ordered by a's colliders, b's
 *   colliders, then as in ct_features. A pair without features because a mesh is open has one hit
 *   without a feature. Other colliders have no hits.
 *
 * Explicit pairs are always hits. PAIRS: `overlap` is the result. CONTACTS: separated bodies have
 * one hit of the nearest colliders, without points. VOLUME: bodies without a contact have one such
 * hit without a contact. FEATURES: pairs without features have no hit. Bodies without colliders
 * have no hits. */
typedef enum ct_query_kind {
  CT_QUERY_PAIRS,
  CT_QUERY_OVERLAP,
  CT_QUERY_DISTANCE,
  CT_QUERY_CONTACTS,
  CT_QUERY_VOLUME,
  CT_QUERY_FEATURES
} ct_query_kind;

/* One side of a volumetric contact: row, collider, and element or CT_NO_ELEMENT. */
typedef struct ct_contact_side {
  uint32_t row, collider, element;
} ct_contact_side;

/* Identity of a volumetric contact; the order of the two sides is irrelevant. */
typedef struct ct_contact_name {
  ct_contact_side a, b;
} ct_contact_name;

/* VOLUME: sparsification of the contacts by ct_sparsify. Contacts listed in `present` count as
 * carried over, all others as new. Pieces are elements and convex colliders. Elements of one
 * collider are adjacent if they share a node; colliders are adjacent if their shapes share a point
 * in the body frame. Ids follow the order of hits. All contacts of the query are sparsified
 * together. */
typedef struct ct_query_sparsify {
  double threshold, min_area, min_distance;
  size_t bytes_max;               /* memory limit of the query's contacts, bytes; CT_LIMIT beyond */
  const ct_contact_name *present; /* [present_count] in any order; unknown contacts are ignored */
  size_t present_count;
} ct_query_sparsify;

/* A pose that replaces the scene's pose of a row during one query. */
typedef struct ct_override {
  uint32_t row;
  ct_pose pose;
} ct_override;

/* Index of the first override with a row >= `row`; `count` if there is none. overrides: [count]
 * sorted by row. O(log count). */
size_t ct_override_from(const ct_override *overrides, size_t count, uint32_t row);
/* Pose of the row: its override, or the scene's pose. O(log count). */
ct_pose ct_override_pose(const ct_scene *scene, const ct_override *overrides, size_t count,
                         uint32_t row);

typedef struct ct_row_pair {
  uint32_t a, b; /* in the order of the result; a != b */
} ct_row_pair;

/* Consecutive frames of one scene: a series of PAIRS queries with changing poses. If given in the
 * options, a sweep reuses its lists of the previous frame, as ct_frames does, and reports the
 * changes. All frames share one scene, clearance and `where`, and have no explicit pairs. The pairs
 * are the same as without frames. */
typedef struct ct_query_frames ct_query_frames;

/* Statistics and changes of the last prepared query. Pairs are rows, i < j, sorted; owned by the
 * frames until the next query. */
typedef struct ct_query_frame {
  ct_broadphase method; /* the method used; never AUTO, which chooses by count and history */
  /* candidates that are new since, or gone since, the previous frame */
  const ct_pair_index *begun, *ended;
  size_t pairs, begun_count, ended_count;
  /* as in ct_frame_pairs, for boxes expanded by clearance and round-off */
  uint64_t swaps, box_tests;
  uint32_t full_sorts, tree_height;
} ct_query_frame;

/* Returns an empty series, owned by the caller; NULL: out of memory. The lists of a sweep depend on
 * the boxes alone, so a frame has the same result after any earlier frames with the same previous
 * frame. The choice of AUTO depends on all earlier frames. */
ct_query_frames *ct_query_frames_create(void);
/* Frees the series; NULL is allowed. */
void ct_query_frames_destroy(ct_query_frames *frames);
/* The last prepared frame; borrowed from `frames` until the next query is prepared. */
const ct_query_frame *ct_query_frames_last(const ct_query_frames *frames);

/* Two colliders of two rows. */
typedef struct ct_collider_pair {
  uint32_t a, b, collider_a, collider_b;
} ct_collider_pair;

/* Replaces ct_pair_overlap for kind OVERLAP: returns the decision and writes the witness point.
 * `context` is the sink's. */
typedef bool (*ct_overlap_test)(void *context, const ct_collider_pair *which, ct_placed a,
                                ct_placed b, ct_workspace *workspace, ct_vec3 *witness);

typedef struct ct_query_options {
  ct_query_kind kind;
  /* m, >= 0: hits are pairs at most this far apart. Explicit pairs: limits only their contact
   * points */
  double clearance;
  double tolerance; /* see ct_pair_options */
  ct_detail detail; /* CONTACTS */
  /* DISTANCE: only the pair of least distance is a hit, at any clearance; ties: the first in order.
   * Unsupported depths count as unbounded. Searched in the tree, or over all pairs with
   * BRUTE_FORCE. */
  bool nearest;
  /* explicit pairs beyond the clearance are no hits either (PAIRS: with disjoint boxes) */
  bool hits_only;
  ct_overlap_test overlap_test;      /* OVERLAP; NULL: ct_pair_overlap */
  ct_volume_options volume;          /* VOLUME; method SOLFEC requires clearance = its epsilon */
  ct_features_options features;      /* FEATURES */
  const ct_query_sparsify *sparsify; /* VOLUME; NULL: keep all contacts */
  /* Methods other than TREE and BRUTE_FORCE find all pairs during preparation, at most CT_PAIRS_MAX
   * before filters. */
  ct_broadphase broadphase;
  /* [rows] 1 = selected; NULL: all. A pair takes part if one body is in where_a and the other in
   * where_b */
  const uint8_t *where_a;
  const uint8_t *where_b;
  /* [pair_count] explicit pairs, answered in this order; filters are ignored */
  const ct_row_pair *pairs;
  size_t pair_count;   /* 0: all pairs of the scene */
  bool explicit_pairs; /* `pairs` applies even if it is empty */
  /* PAIRS: the series that this query continues, or NULL; borrowed only by ct_query_prepare */
  ct_query_frames *frames;
  const ct_override *overrides; /* [override_count] what-if poses, sorted by row, each row once */
  size_t override_count;
  const ct_cancel *cancel; /* NULL: never */
} ct_query_options;
/* Defaults: PAIRS of all bodies, clearance 0; volume and features have their own defaults. */
ct_query_options ct_query_options_default(void);

typedef struct ct_hit {
  uint32_t a, b; /* rows */
  /* Colliders of the extreme pair: least distance, unsupported depths counting as unbounded.
   * OVERLAP: the first overlapping pair. Order and ties follow (a, b) with the body first that is
   * first by pose and content, so swapped bodies give the mirrored hit. */
  uint32_t collider_a, collider_b;
  /* OVERLAP: shared point (result.point_a = point_b = witness); DISTANCE: distance <= 0 */
  bool overlap;
  ct_pair_result result; /* DISTANCE, CONTACTS, and OVERLAP with a clearance */
  /* CONTACTS: [point_count] as in ct_manifold; valid during the sink's call */
  const ct_contact_point *points;
  size_t point_count;
  const ct_volume_contact
      /* VOLUME: valid during the sink's call. NULL: no contact, and `result` has the distance or
       * UNSUPPORTED */
      *volume;
  /* VOLUME: [volume->triangle_count]; valid during the sink's call */
  const ct_volume_triangle *triangles;
  /* VOLUME: the list that contains the contact's stages; valid during the sink's call. NULL if
   * sparsified */
  const ct_volume *volume_list;
  uint32_t volume_flags; /* VOLUME without a contact: the reasons, as bits of CT_VOLUME_FLAG_MAP */
  /* VOLUME, contacts of elements: the total over all contacts of both colliders, valid during the
   * sink's call; else NULL */
  const ct_volume_total *total;
  ct_sparsified sparsified; /* VOLUME: sparsification result of the contact */
  /* FEATURES: valid during the sink's call. NULL: no feature; features_status has the reason */
  const ct_pair_feature *feature;
  ct_features_status features_status;
  size_t item; /* work item of the hit */
  /* CONTACTS, VOLUME, FEATURES: number of hits of this pair of bodies so far, this one included;
   * else 1 */
  uint32_t part;
  uint64_t candidates; /* candidate pairs of this range so far, this one included */
} ct_hit;

typedef struct ct_query ct_query;

/* Prepares a query: builds the data that all ranges share (tree, boxes), and all candidates if
 * `where` selects few bodies. Borrows the scene and everything in options until ct_query_destroy.
 * The first query of a revision builds its tree, from the previous revision's tree if there is one.
 * The caller owns *out.
 * CT_LIMIT: an explicit pair of a row with itself; a pair or override of a missing row.
 * CT_CANCELLED, CT_PAIR_LIMIT, CT_OUT_OF_MEMORY. */
ct_status ct_query_prepare(const ct_scene *scene, const ct_query_options *options, ct_query **out);
/* Frees the query; NULL is allowed. */
void ct_query_destroy(ct_query *query);
/* Number of work items. */
size_t ct_query_items(const ct_query *query);
/* Estimated cost of the whole query, ns on one core: for scheduling and partitioning. */
double ct_query_cost(const ct_query *query);
/* Estimated cost of one pair of bodies, ns on one core. */
double ct_query_pair_cost(ct_query_kind kind, const ct_body *a, const ct_body *b);
ct_broadphase ct_query_broadphase(const ct_query *query); /* the method used; never AUTO */

/* Receives each hit in order; returning false stops the range with CT_OK. */
typedef bool (*ct_hit_sink)(void *context, const ct_hit *hit);

typedef struct ct_range_statistics {
  uint64_t candidates; /* pairs of bodies with overlapping boxes, after filters */
  uint64_t
      /* Tests of single pairs of body boxes. Inner tree nodes do not count, so the number is
       * independent of the tree's history. With `where` selecting few bodies, the range with item 0
       * counts all of them. */
      box_tests;
  uint64_t doubled; /* FEATURES: edge pairs with flag DOUBLED, as in ct_features */
} ct_range_statistics;

/* Work items [begin, end). Hits of item `begin` with b <= after are skipped (CT_NO_ROW: none), so a
 * page can resume within an item. If part > 0, only the first `part` hits of its pair b = after, or
 * of an explicit pair, are skipped. */
typedef struct ct_query_range {
  size_t begin, end;
  uint32_t after, part;
} ct_query_range;

/* Runs a range and calls the sink for each hit. *statistics (may be NULL) is incremented. With
 * `sparsify` or `nearest` each range evaluates the whole query and reports its own hits: use one
 * range. With `nearest`, candidates and box tests are not counted.
 * CT_PAIR_LIMIT: more than CT_PAIRS_MAX candidates in this range. CT_CANCELLED, CT_OUT_OF_MEMORY.
 */
ct_status ct_query_run(const ct_query *query, const ct_query_range *range, ct_workspace *workspace,
                       ct_hit_sink sink, void *context, ct_range_statistics *statistics);

CT_DECLARATIONS_END

#endif
