/* Lower bounds of the distance of boxes, and a search of a scene's boxes outwards from one of them,
 * nearest first, up to a limit that the caller may lower.
 *
 * A bound is never above the distance of the boxes' contents, and never more for a box that
 * contains another: a tree node bounds its leaves to the last bit, so that the result does not
 * depend on the tree. */
#ifndef CONTACT_STATE_AABB_NEAREST_H
#define CONTACT_STATE_AABB_NEAREST_H

#include "query/query.h"

/* A box. For a body that is a single half-space also its plane, which is tighter than the unbounded
 * box. */
typedef struct ct_aabb_view {
  ct_aabb box;
  double size; /* largest finite coordinate */
  bool is_plane;
  ct_vec3 normal, point; /* of the plane */
  double growth,
      plane_size; /* how far the box extends beyond its plane; largest coordinate of the sum */
} ct_aabb_view;

static inline ct_aabb_view ct_aabb_view_of(const ct_aabb *box) {
  return (ct_aabb_view){.box = *box, .size = ct_aabb_magnitude(box)};
}
/* The row's box at the query's pose. False: the body has no collider. */
bool ct_aabb_view_row(const ct_query *query, uint32_t row, ct_aabb_view *view);

/* Lower bound of the distance of the boxes' contents, m; 0 if they overlap. */
double ct_aabb_distance_bound(const ct_aabb_view *a, const ct_aabb_view *b);

/* Common group of the rows below a tree node: the number of the one group with rules that all are
 * in, without a pair rule; or one of these. */
#define CT_NODE_EMPTY 0xffffu /* no row: all are overridden */
#define CT_NODE_MIXED 0xfffeu
_Static_assert(CT_GROUPS_MAX < CT_NODE_MIXED, "a group's number is no mark");

/* The boxes of a query's rows. The query comes from ct_query_prepare for all pairs, by the tree or
 * by brute force. */
typedef struct ct_aabb_field {
  const ct_query *query;
  ct_tree *moved; /* tree of the overrides' bounded boxes if there are many; user value: index of
                     the override. Else NULL */
  bool moved_unbounded; /* an override's box is unbounded */
  uint16_t *marks,
      *moved_marks; /* marks of the nodes of the scene's tree and of `moved`; NULL: not computed */
} ct_aabb_field;

/* `searches`: expected number of searches; decides whether marks, by which searches skip branches
 * with excluded rows only, pay off. */
ct_status ct_aabb_field_open(ct_aabb_field *field, const ct_query *query, uint64_t searches);
void ct_aabb_field_close(ct_aabb_field *field);

typedef struct ct_aabb_search ct_aabb_search;
/* Visits a row with a bound of at most the limit; may lower the limit. A status other than CT_OK
 * ends the search. */
typedef ct_status (*ct_aabb_visit)(ct_aabb_search *search, uint32_t row, const ct_aabb_view *view,
                                   double bound);

struct ct_aabb_search {
  const ct_aabb_field *field;
  const ct_aabb_view *from;
  const uint64_t *mask; /* bit per group: its rows are excluded; NULL: none are */
  double limit;         /* rows with greater bounds are skipped, m */
  ct_aabb_visit visit;
  void *context;
  uint32_t steps; /* since the last poll of the cancel flag */
};

/* Visits every row within the limit, including the searching one; of excluded groups some rows may
 * be visited. O(log n) plus the visits. */
ct_status ct_aabb_search_run(ct_aabb_search *search);

#endif
