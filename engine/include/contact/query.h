/* Questions to a scene: the drivers that turn candidate pairs into answers.
 *
 * A query is prepared once, then run over ranges of its work items by any number of threads, each with its own workspace; hits come
 * out in canonical order within a range, so ranges laid end to end give the same list whatever the cut.
 * Work items: with explicit pairs, the pairs; else the rows of the scene (item i yields the pairs (i, j), j > i).
 */
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

/* PAIRS: the bodies' boxes overlap, the first grown by the clearance. OVERLAP: some pair of colliders shares a point; with a
 * clearance also the bodies apart by no more, `overlap` telling which. DISTANCE: the least over the pairs of colliders is at most
 * the clearance. CONTACTS: one hit for each pair of colliders within the clearance, in the order of a's colliders, then b's.
 * VOLUME: one hit for each volumetric contact, of a pair of colliders or of elements, in the order of a's colliders, then b's, then
 * the elements; and one, without a contact, of a pair of colliders that overlap and have none that can be told, as by method solfec
 * among elements that have no outer face.
 * FEATURES: one hit for each feature of the pairs of colliders that have triangles, in the order of a's colliders, then b's, then
 * as in ct_features; one hit without a feature for such a pair that has none because a mesh is open. Other colliders have none.
 * Explicit pairs are hits whatever comes out (PAIRS: `overlap` tells; CONTACTS: of bodies apart, one hit of the nearest colliders,
 * without points; VOLUME: of bodies without a contact, the same without one; FEATURES: pairs
 * without any are in no hit). Bodies without colliders are in no hit. */
typedef enum ct_query_kind {
  CT_QUERY_PAIRS,
  CT_QUERY_OVERLAP,
  CT_QUERY_DISTANCE,
  CT_QUERY_CONTACTS,
  CT_QUERY_VOLUME,
  CT_QUERY_FEATURES
} ct_query_kind;

/* One side of a volumetric contact: a row's collider, and the element or CT_NO_ELEMENT. */
typedef struct ct_contact_side {
  uint32_t row, collider, element;
} ct_contact_side;

/* A volumetric contact by what makes it; which side is which does not matter. */
typedef struct ct_contact_name {
  ct_contact_side a, b;
} ct_contact_name;

/* VOLUME: which contacts are left out, as ct_sparsify; those that `present` names were there before, all others are new.
 * Pieces are elements, of one collider those that share a node being adjacent, and colliders that are convex, adjacent where
 * their shapes share a point in the body's frame. Ids follow the order of the hits. Contacts of all the query's pairs are looked
 * at together. */
typedef struct ct_query_sparsify {
  double threshold, min_area, min_distance;
  size_t bytes_max;               /* that the query's contacts may take; CT_LIMIT beyond */
  const ct_contact_name *present; /* [present_count] in any order; those that there are no more do no harm */
  size_t present_count;
} ct_query_sparsify;

/* Poses that replace the scene's for one question. */
typedef struct ct_override {
  uint32_t row;
  ct_pose pose;
} ct_override;

/* The first of them, sorted by row, that is not before the row; count: none is. */
size_t ct_override_from(const ct_override *overrides, size_t count, uint32_t row);
/* The row's pose where they hold: theirs, or the scene's. O(log count). */
ct_pose ct_override_pose(const ct_scene *scene, const ct_override *overrides, size_t count, uint32_t row);

typedef struct ct_row_pair {
  uint32_t a, b; /* in the order to answer; a != b */
} ct_row_pair;

/* Frames of one scene: queries of kind PAIRS, one after the other, each over other poses. Given in options, they let a sweep go on
 * from its lists of the frame before, as ct_frames does, and tell what changed. One scene, clearance and `where` for all frames,
 * and no explicit pairs. The pairs are the same as without. */
typedef struct ct_query_frames ct_query_frames;

/* What the query prepared last told. Pairs are rows, i < j, sorted; owned by the frames until the next one. */
typedef struct ct_query_frame {
  ct_broadphase method;               /* the one used; never AUTO, which picks by number and history */
  const ct_pair_index *begun, *ended; /* candidates that the frame before did not have, and those that only it had */
  size_t pairs, begun_count, ended_count;
  uint64_t swaps, box_tests; /* as in ct_frame_pairs: of the boxes as they are asked for, grown by clearance and round-off */
  uint32_t full_sorts, tree_height;
} ct_query_frame;

/* NULL: out of memory. A sweep's lists depend on the boxes alone: a frame tells the same after all those before it and after the
 * one before it alone. What AUTO takes depends on all of them. */
ct_query_frames *ct_query_frames_create(void);
void ct_query_frames_destroy(ct_query_frames *frames);
const ct_query_frame *ct_query_frames_last(const ct_query_frames *frames);

/* Two colliders of two rows. */
typedef struct ct_collider_pair {
  uint32_t a, b, collider_a, collider_b;
} ct_collider_pair;

/* Decides kind OVERLAP in place of ct_pair_overlap, and finds the witness; `context` is the sink's. */
typedef bool (*ct_overlap_test)(void *context, const ct_collider_pair *which, ct_placed a, ct_placed b, ct_workspace *workspace,
                                ct_vec3 *witness);

typedef struct ct_query_options {
  ct_query_kind kind;
  double clearance; /* report pairs at most this far apart, m; >= 0; not applied to explicit pairs, but to their contact points */
  double tolerance; /* see ct_pair_options */
  ct_detail detail; /* CONTACTS */
  bool nearest; /* DISTANCE: the pair of least distance is the only hit, at any clearance; of equal ones the first in order.
                 * Depths that are unsupported count as unbounded. Found in the tree, or among all pairs by BRUTE_FORCE */
  bool hits_only; /* explicit pairs: those beyond the clearance are no hits either (PAIRS: whose boxes do not meet) */
  ct_overlap_test overlap_test;      /* OVERLAP; NULL: ct_pair_overlap */
  ct_volume_options volume;          /* VOLUME; with method SOLFEC the clearance is to be its epsilon */
  ct_features_options features;      /* FEATURES */
  const ct_query_sparsify *sparsify; /* VOLUME; NULL: no contact is left out */
  ct_broadphase broadphase; /* all but TREE and BRUTE_FORCE find all pairs in preparing, CT_PAIRS_MAX at most before filters */
  const uint8_t *where_a;   /* [rows] 1 = selected, NULL: all. A pair is kept if one body is in a, the other in b */
  const uint8_t *where_b;
  const ct_row_pair *pairs;     /* explicit pairs, answered all, in this order, filters ignored */
  size_t pair_count;            /* 0: all pairs of the scene */
  bool explicit_pairs;          /* pairs/pair_count are in force, even when empty */
  ct_query_frames *frames;      /* PAIRS: the frames that this query is the next of, or NULL; borrowed by ct_query_prepare alone */
  const ct_override *overrides; /* what-if, sorted by row, each row once */
  size_t override_count;
  const ct_cancel *cancel; /* NULL: never */
} ct_query_options;
/* Defaults: PAIRS of all bodies, clearance 0; volume and features as their own defaults. */
ct_query_options ct_query_options_default(void);

typedef struct ct_hit {
  uint32_t a, b;                   /* rows */
  uint32_t collider_a, collider_b; /* of the extreme pair: least distance (a depth that is unsupported counts as unbounded);
                                    * kind overlap: the first pair that overlaps. Ties and first go by (a, b), the body that comes
                                    * first by pose and content being a, so that swapped bodies mirror */
  bool overlap;                    /* kind overlap (result.point_a = point_b = the witness); kind distance: distance <= 0 */
  ct_pair_result result;           /* kinds distance and contacts, and overlap within a clearance */
  const ct_contact_point *points;  /* [point_count] kind contacts, as in ct_manifold; valid during the call of the sink */
  size_t point_count;
  const ct_volume_contact
      *volume; /* kind volume; valid during the call. NULL: none, and result tells the distance, or UNSUPPORTED */
  const ct_volume_triangle *triangles; /* [volume->triangle_count] of the contact; likewise */
  const ct_volume *volume_list;        /* kind volume: the list of the contact's stages; likewise. NULL: sparsified */
  uint32_t volume_flags;               /* kind volume, without a contact: why there is none, as bits of CT_VOLUME_FLAG_MAP */
  const ct_volume_total *total;        /* kind volume: of all contacts of the two colliders, where they are of elements; NULL: they
                                        * are not; valid during the call */
  ct_sparsified sparsified;            /* kind volume: what became of the contact */
  const ct_pair_feature *feature;      /* kind features; valid during the call. NULL: none, as features_status tells */
  ct_features_status features_status;
  size_t item;         /* work item that it is a hit of */
  uint32_t part;       /* kinds contacts, volume and features: hits of the pair of bodies up to and with this one; else 1 */
  uint64_t candidates; /* looked at in this range, up to and with this one */
} ct_hit;

typedef struct ct_query ct_query;

/* Borrows everything in options and the scene until ct_query_destroy; builds what the ranges share (tree, boxes). The first query
 * of a revision makes its tree, from the previous revision's where that had one. With `where` selecting few bodies all candidates
 * are found here. CT_LIMIT: an explicit pair of a row with itself; a pair or an
 * override of a row that is not there.
 * CT_CANCELLED, CT_PAIR_LIMIT. */
ct_status ct_query_prepare(const ct_scene *scene, const ct_query_options *options, ct_query **out);
void ct_query_destroy(ct_query *query);
size_t ct_query_items(const ct_query *query);
/* Rough cost of the whole query, ns on one core: to choose where to run it and how to cut it. */
double ct_query_cost(const ct_query *query);
/* The same for one pair of bodies. */
double ct_query_pair_cost(ct_query_kind kind, const ct_body *a, const ct_body *b);
ct_broadphase ct_query_broadphase(const ct_query *query); /* the one used; never AUTO */

/* Called for each hit in order; false stops the range (CT_OK is returned). */
typedef bool (*ct_hit_sink)(void *context, const ct_hit *hit);

typedef struct ct_range_statistics {
  uint64_t candidates; /* pairs of bodies whose boxes passed, after filters */
  uint64_t
      box_tests;    /* pairs of bodies' boxes looked at one by one; inner nodes of a tree do not count, so that the number does not
                     * depend on how the tree came to be. With `where` selecting few: all of them in the range that holds item 0 */
  uint64_t doubled; /* FEATURES: pairs of edges with the flag DOUBLED, as in ct_features */
} ct_range_statistics;

/* Items [begin, end), leaving out hits of item `begin` with b <= after (CT_NO_ROW: none), so that a page can resume inside an item.
 * part > 0: of its pair with b = after, or of an explicit pair, only the first `part` hits are left out. */
typedef struct ct_query_range {
  size_t begin, end;
  uint32_t after, part;
} ct_query_range;

/* CT_PAIR_LIMIT: more than CT_PAIRS_MAX candidates in this range alone. CT_CANCELLED. With `sparsify` or `nearest` each range looks
 * at the whole query, and yields its own hits: run it in one. With `nearest` the candidates and box tests are not counted.
 * *statistics is added to; it may be NULL. */
ct_status ct_query_run(const ct_query *query, const ct_query_range *range, ct_workspace *workspace, ct_hit_sink sink, void *context,
                       ct_range_statistics *statistics);

CT_DECLARATIONS_END

#endif
