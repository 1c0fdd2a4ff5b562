/* Queries of a scene: overlap, distance, contacts, volumes and features of all candidate pairs, or
 * of given pairs.
 *
 * Each question has its own calls: ct_query_prepare_distances prepares a query and
 * ct_query_run_distances runs it, with ct_query_distance_options and ct_distance_hit. What all
 * questions share (clearance, selection, pairs, poses, broad phase, cancellation) is in
 * ct_query_options.
 *
 * A query is prepared once and then run over ranges of work items, by any number of threads with
 * one workspace each. Hits are in canonical order within a range, so concatenated ranges give the
 * same list for every partition.
 * Work items: the explicit pairs; without explicit pairs the rows of the scene, where item i has
 * the pairs (i, j), j > i. */
#ifndef CONTACT_QUERY_H
#define CONTACT_QUERY_H

#include <contact/base.h>
#include <contact/broad.h>
#include <contact/features.h>
#include <contact/manifold.h>
#include <contact/scene.h>
#include <contact/sparsify.h>
#include <contact/volume.h>

CT_DECLARATIONS_BEGIN

/* The question of a query; needed to estimate its cost. */
typedef enum ct_query_kind {
  CT_QUERY_PAIRS,
  CT_QUERY_OVERLAP,
  CT_QUERY_DISTANCE,
  CT_QUERY_CONTACTS,
  CT_QUERY_VOLUME,
  CT_QUERY_FEATURES
} ct_query_kind;

/* ---- common options -------------------------------------------------------------------------- */

/* A pose that replaces the scene's pose of a row during one query. */
typedef struct ct_override {
  uint32_t row;
  ct_pose pose;
} ct_override;

/* Returns the index of the first override with a row >= `row`; `count` if there is none. overrides:
 * [count] sorted by row. O(log count). */
size_t ct_override_from(const ct_override *overrides, size_t count, uint32_t row);
/* Returns the pose of a row: that of its override, or the scene's. O(log count). */
ct_pose ct_override_pose(const ct_scene *scene, const ct_override *overrides, size_t count,
                         uint32_t row);

typedef struct ct_row_pair {
  uint32_t a, b; /* rows of both bodies, a != b; the result has them in this order */
} ct_row_pair;

/* Options that all questions share: which pairs of bodies take part, and at which poses. */
typedef struct ct_query_options {
  /* pairs at most this far apart are hits, m, >= 0. Explicit pairs are hits at any distance; for
   * them `clearance` only limits the contact points */
  double clearance;
  /* explicit pairs beyond the clearance (question "pairs": with disjoint boxes) are no hits
   * either */
  bool hits_only;
  /* Broad-phase method. Methods other than TREE and BRUTE_FORCE find all pairs when the query is
   * prepared, at most CT_PAIRS_MAX before filters. */
  ct_broadphase broadphase;
  /* [rows] 1: the row is selected; NULL: all rows are. A pair takes part if one body is selected by
   * where_a and the other by where_b */
  const uint8_t *where_a;
  const uint8_t *where_b;
  /* [pair_count] explicit pairs, whose hits are in this order; the scene's filters do not apply */
  const ct_row_pair *pairs;
  size_t pair_count; /* 0: all pairs of the scene, unless explicit_pairs is set */
  /* true: only the pairs in `pairs` take part, even if there are none */
  bool explicit_pairs;
  const ct_override *overrides; /* [override_count] poses that replace those of the scene, sorted by
                                   row, each row once */
  size_t override_count;
  const ct_cancel *cancel; /* NULL: never */
} ct_query_options;
/* Defaults: all pairs of bodies, clearance 0. */
ct_query_options ct_query_options_default(void);

/* ---- a prepared query ------------------------------------------------------------------------ */

/* A prepared query; immutable, shared by the threads that run its ranges. */
typedef struct ct_query ct_query;

/* Frees the query; NULL is allowed. */
void ct_query_destroy(ct_query *query);
/* Number of work items. */
size_t ct_query_items(const ct_query *query);
/* Estimated cost of the whole query, ns on one core: for scheduling and partitioning. */
double ct_query_cost(const ct_query *query);
/* Returns an estimate of the cost of one pair of bodies, ns on one core. */
double ct_query_pair_cost(ct_query_kind kind, const ct_body *a, const ct_body *b);
ct_broadphase ct_query_broadphase(const ct_query *query); /* the method used; never AUTO */

/* A range of work items: [begin, end). An item is a body with its partners, or an explicit pair. Of
 * item `begin`, hits whose row b is at most `after` are skipped (CT_NO_ROW: none), so that a page
 * of results can start within an item. If part > 0, only the first `part` hits of the pair with b =
 * after, or of the explicit pair, are skipped. */
typedef struct ct_query_range {
  size_t begin, end;
  uint32_t after, part;
} ct_query_range;

typedef struct ct_range_statistics {
  uint64_t candidates; /* number of pairs of bodies with overlapping boxes, after filters */
  uint64_t
      /* Number of tests of the boxes of two bodies. Tests of inner tree nodes do not count, so the
       * number does not depend on the tree's history. If `where` selects few bodies, the range that
       * contains item 0 counts all tests. */
      box_tests;
  /* features: number of pairs of edges with the flag DOUBLED, as in ct_features */
  uint64_t doubled;
} ct_range_statistics;

/* Position of a hit in the list of hits, from which a later query can resume. */
typedef struct ct_hit_position {
  size_t item; /* work item of the hit */
  /* contacts, volumes, features: number of hits of this pair of bodies so far, this one included;
   * other questions: 1 */
  uint32_t part;
  /* number of candidate pairs of this range so far, that of this hit included */
  uint64_t candidates;
} ct_hit_position;

/* Every question has one function to prepare and one to run it.
 *
 * ct_query_prepare_*: builds the data that all ranges share (tree, boxes), and all candidates if
 * `where` selects few bodies. The scene and everything in the options are borrowed until
 * ct_query_destroy; options of the question may be NULL for their defaults. The first query of a
 * revision builds its tree, from the previous revision's tree if there is one. The caller owns
 * *out.
 * CT_LIMIT: an explicit pair of a row with itself; a pair or override of a missing row.
 * CT_CANCELLED, CT_PAIR_LIMIT, CT_OUT_OF_MEMORY: *out is unchanged.
 *
 * ct_query_run_*: runs a range and calls the sink for each hit, in order; a sink that returns false
 * stops the range with CT_OK. Everything that a hit points to is valid during the sink's call.
 * *statistics (may be NULL) is incremented. Cost: candidate pairs times the evaluation of a pair.
 * CT_LIMIT: the query was prepared for another question. CT_PAIR_LIMIT: more than CT_PAIRS_MAX
 * candidates in this range. CT_CANCELLED, CT_OUT_OF_MEMORY.
 *
 * Bodies without colliders have no hits. */

/* ---- pairs: the bodies' AABBs overlap, one of them expanded by the clearance ----------------- */

/* Consecutive frames of one scene: a series of queries for pairs with changing poses. A query by
 * sweep that continues a series reuses the sorted lists of the previous frame, as ct_frames does;
 * every query of a series reports the changes of the pairs. All frames have the same scene,
 * clearance and `where`, and no explicit pairs. The pairs are the same as without a series. */
typedef struct ct_query_frames ct_query_frames;

/* Statistics and changes of the last prepared query. Pairs are pairs of rows, i < j, sorted; owned
 * by the ct_query_frames until the next query is prepared. */
typedef struct ct_query_frame {
  ct_broadphase method; /* the method used; never AUTO, which chooses by count and history */
  /* begun: candidates that the previous frame lacks; ended: candidates of the previous frame that
   * this one lacks */
  const ct_pair_index *begun, *ended;
  size_t pairs, begun_count, ended_count;
  /* as in ct_frame_pairs, for boxes that are expanded by the clearance and by round-off */
  uint64_t swaps, box_tests;
  uint32_t full_sorts, tree_height;
} ct_query_frame;

/* Returns an empty series of frames, owned by the caller; NULL: out of memory. The result of a
 * sweep depends on the boxes of this and the previous frame alone, not on earlier frames. The
 * choice of AUTO depends on all earlier frames. */
ct_query_frames *ct_query_frames_create(void);
/* Frees the series; NULL is allowed. */
void ct_query_frames_destroy(ct_query_frames *frames);
/* The last prepared frame; borrowed from `frames` until the next query is prepared. */
const ct_query_frame *ct_query_frames_last(const ct_query_frames *frames);

/* A pair of bodies. Explicit pairs are hits in any case; then `overlap` is the result. */
typedef struct ct_pair_hit {
  uint32_t a, b; /* rows */
  bool overlap;  /* true if the boxes overlap; always true unless the pair is explicit */
  ct_hit_position position;
} ct_pair_hit;
typedef bool (*ct_pair_sink)(void *context, const ct_pair_hit *hit);

/* Prepares a query for pairs of overlapping AABBs. frames: the series of frames that this query
 * continues, or NULL; borrowed only by this call. */
ct_status ct_query_prepare_pairs(const ct_scene *scene, const ct_query_options *options,
                                 ct_query_frames *frames, ct_query **out);
/* Runs a range of a query for pairs. Cost: 10 to 100 ns per candidate. */
ct_status ct_query_run_pairs(const ct_query *query, const ct_query_range *range, ct_pair_sink sink,
                             void *context, ct_range_statistics *statistics);

/* ---- overlaps: a pair of colliders shares a point -------------------------------------------- */

/* Two colliders of two rows. */
typedef struct ct_collider_pair {
  uint32_t a, b, collider_a, collider_b;
} ct_collider_pair;

/* Test that replaces ct_pair_overlap: returns true if the two placed colliders overlap, and writes
 * a common point. `context` is the context passed to ct_query_run_overlaps. */
typedef bool (*ct_overlap_test)(void *context, const ct_collider_pair *which, ct_placed a,
                                ct_placed b, ct_workspace *workspace, ct_vec3 *witness);

typedef struct ct_query_overlap_options {
  /* tolerance of the distances within the clearance, m, as in ct_pair_options */
  double tolerance;
  ct_overlap_test test; /* NULL: ct_pair_overlap */
} ct_query_overlap_options;
ct_query_overlap_options ct_query_overlap_options_default(void);

/* Two bodies that overlap, or, with a clearance > 0, are separated by at most the clearance.
 * Explicit pairs are always hits. */
typedef struct ct_overlap_hit {
  uint32_t a, b; /* rows */
  /* if the bodies overlap: the first pair of colliders that overlaps; else the nearest pair. Pairs
   * are ordered with the colliders of that body first which is first by pose and content, so
   * swapped bodies give the mirrored hit */
  uint32_t collider_a, collider_b;
  bool overlap;
  /* if they overlap: only point_a = point_b are set, a shared point, world, m; else the result of
   * ct_pair_distance */
  ct_pair_result result;
  ct_hit_position position;
} ct_overlap_hit;
typedef bool (*ct_overlap_sink)(void *context, const ct_overlap_hit *hit);

ct_status ct_query_prepare_overlaps(const ct_scene *scene, const ct_query_options *options,
                                    const ct_query_overlap_options *overlap, ct_query **out);
ct_status ct_query_run_overlaps(const ct_query *query, const ct_query_range *range,
                                ct_workspace *workspace, ct_overlap_sink sink, void *context,
                                ct_range_statistics *statistics);

/* ---- distances: the least over the pairs of colliders is at most the clearance ---- */

typedef struct ct_query_distance_options {
  double tolerance; /* tolerance of the distances, m, as in ct_pair_options */
  /* true: only the pair of bodies of least distance is a hit, at any clearance; of equal distances,
   * the first pair in order. Unsupported depths count as infinitely deep. The tree is searched, or
   * all pairs with BRUTE_FORCE. Each range evaluates the whole query and reports its own hit, so
   * use one range. Candidates and box tests are not counted. */
  bool nearest;
} ct_query_distance_options;
ct_query_distance_options ct_query_distance_options_default(void);

/* Two bodies whose distance is at most the clearance. Explicit pairs are always hits. */
typedef struct ct_distance_hit {
  uint32_t a, b; /* rows */
  /* the pair of colliders of least distance, where unsupported depths count as infinitely deep;
   * order and ties as in ct_overlap_hit */
  uint32_t collider_a, collider_b;
  bool overlap; /* distance <= 0 */
  ct_pair_result result;
  ct_hit_position position;
} ct_distance_hit;
typedef bool (*ct_distance_sink)(void *context, const ct_distance_hit *hit);

ct_status ct_query_prepare_distances(const ct_scene *scene, const ct_query_options *options,
                                     const ct_query_distance_options *distance, ct_query **out);
ct_status ct_query_run_distances(const ct_query *query, const ct_query_range *range,
                                 ct_workspace *workspace, ct_distance_sink sink, void *context,
                                 ct_range_statistics *statistics);

/* ---- contacts: manifolds of the pairs of colliders within the clearance ---- */

typedef struct ct_query_contacts_options {
  double tolerance; /* tolerance of the distances, m, as in ct_pair_options */
  ct_detail detail;
} ct_query_contacts_options;
ct_query_contacts_options ct_query_contacts_options_default(void);

/* Two colliders within the clearance, with their manifold. Each such pair of colliders is one hit,
 * ordered by a's colliders, then b's. If the bodies of an explicit pair are farther apart, there is
 * one hit, of the nearest colliders, without points. */
typedef struct ct_contacts_hit {
  uint32_t a, b; /* rows */
  uint32_t collider_a, collider_b;
  bool overlap; /* distance <= 0 */
  ct_pair_result result;
  const ct_contact_point *points; /* [point_count] as in ct_manifold */
  size_t point_count;
  ct_hit_position position;
} ct_contacts_hit;
typedef bool (*ct_contacts_sink)(void *context, const ct_contacts_hit *hit);

ct_status ct_query_prepare_contacts(const ct_scene *scene, const ct_query_options *options,
                                    const ct_query_contacts_options *contacts, ct_query **out);
ct_status ct_query_run_contacts(const ct_query *query, const ct_query_range *range,
                                ct_workspace *workspace, ct_contacts_sink sink, void *context,
                                ct_range_statistics *statistics);

/* ---- volumes: volumetric contacts of two colliders or elements ---- */

/* One side of a volumetric contact: row, collider, and element or CT_NO_ELEMENT. */
typedef struct ct_contact_side {
  uint32_t row, collider, element;
} ct_contact_side;

/* Identity of a volumetric contact; the order of the two sides is irrelevant. */
typedef struct ct_contact_name {
  ct_contact_side a, b;
} ct_contact_name;

/* Sparsification of the contacts by ct_sparsify. Contacts listed in `present` count as carried
 * over, all others as new. Pieces are elements and convex colliders. Elements of one collider are
 * adjacent if they share a node; colliders of a body are adjacent if their shapes share a point in
 * the body frame. The ids of contacts follow the order of hits. All contacts of the query are
 * sparsified together. */
typedef struct ct_query_sparsify {
  double threshold, min_area, min_distance;
  size_t bytes_max;               /* memory limit of the query's contacts, bytes; CT_LIMIT beyond */
  const ct_contact_name *present; /* [present_count] in any order; unknown contacts are ignored */
  size_t present_count;
} ct_query_sparsify;

typedef struct ct_query_volume_options {
  ct_volume_options volume; /* for method SOLFEC the clearance must equal its epsilon */
  /* tolerance of the distances of bodies without a contact, m, as in ct_pair_options */
  double tolerance;
  /* removal of contacts that are close to each other; NULL: all contacts are reported. With
   * sparsification each range evaluates the whole query and reports only the hits of its own items,
   * so use a single range */
  const ct_query_sparsify *sparsify;
} ct_query_volume_options;
ct_query_volume_options ct_query_volume_options_default(void);

/* One volumetric contact; ordered by a's colliders, b's colliders, elements. If two colliders
 * overlap but no contact can be computed (for example with method SOLFEC and elements without outer
 * faces), they have one hit without a contact. So do the bodies of an explicit pair that have no
 * contact. */
typedef struct ct_volume_hit {
  uint32_t a, b; /* rows */
  uint32_t collider_a, collider_b;
  bool overlap;
  /* the contact; NULL: there is none, and `result` has the distance, or the status UNSUPPORTED */
  const ct_volume_contact *contact;
  ct_pair_result result;
  const ct_volume_triangle *triangles; /* [contact->triangle_count] */
  /* list of volumetric contacts whose arrays have the contact's stages; NULL if sparsified */
  const ct_volume *list;
  uint32_t flags; /* why there is no contact, as bits of CT_VOLUME_FLAG_MAP */
  /* contacts of elements: the total over all contacts of the two colliders; else NULL */
  const ct_volume_total *total;
  ct_sparsified sparsified; /* outcome of the sparsification for this contact */
  ct_hit_position position;
} ct_volume_hit;
typedef bool (*ct_volume_sink)(void *context, const ct_volume_hit *hit);

ct_status ct_query_prepare_volumes(const ct_scene *scene, const ct_query_options *options,
                                   const ct_query_volume_options *volume, ct_query **out);
/* Runs a range of a query for volumetric contacts. CT_LIMIT, in addition: with sparsification, the
 * contacts need more memory than bytes_max. */
ct_status ct_query_run_volumes(const ct_query *query, const ct_query_range *range,
                               ct_workspace *workspace, ct_volume_sink sink, void *context,
                               ct_range_statistics *statistics);

/* ---- features: of two colliders with triangles ---- */

/* One feature; ordered by a's colliders, b's colliders, then as in ct_features. If two colliders
 * have no features because one is an open mesh, they have one hit without a feature. Other pairs of
 * colliders without features have no hits, also if the pair is explicit. */
typedef struct ct_feature_hit {
  uint32_t a, b; /* rows */
  uint32_t collider_a, collider_b;
  const ct_pair_feature *feature; /* the feature; NULL: there is none, for the reason in `status` */
  ct_features_status status;
  ct_hit_position position;
} ct_feature_hit;
typedef bool (*ct_feature_sink)(void *context, const ct_feature_hit *hit);

ct_status ct_query_prepare_features(const ct_scene *scene, const ct_query_options *options,
                                    const ct_features_options *features, ct_query **out);
ct_status ct_query_run_features(const ct_query *query, const ct_query_range *range,
                                ct_workspace *workspace, ct_feature_sink sink, void *context,
                                ct_range_statistics *statistics);

CT_DECLARATIONS_END

#endif
