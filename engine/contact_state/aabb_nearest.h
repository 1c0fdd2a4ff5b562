/* How far boxes are apart, and a search of a scene's boxes from one of them outwards: near ones
 * first, as far as the caller wants.
 *
 * A bound is never above the distance of what is in the boxes, and never more for a box that holds
 * another; so a tree's node bounds its leaves, to the last bit, and what is found does not depend
 * on the tree.
 */
#ifndef CONTACT_STATE_AABB_NEAREST_H
#define CONTACT_STATE_AABB_NEAREST_H

#include "query/query.h"

/* A box, and the half-space of a body that is nothing else, of which more is known than an
 * unbounded box. */
typedef struct ct_aabb_view {
  ct_aabb box;
  double size; /* largest finite coordinate */
  bool is_plane;
  ct_vec3 normal, point;     /* of the plane */
  double growth, plane_size; /* how far it stands out of its plane; largest coordinate of that */
} ct_aabb_view;

static inline ct_aabb_view ct_aabb_view_of(const ct_aabb *box) {
  return (ct_aabb_view){.box = *box, .size = ct_aabb_magnitude(box)};
}
/* The row's, at the query's pose. False: it has no collider. */
bool ct_aabb_view_row(const ct_query *query, uint32_t row, ct_aabb_view *view);

/* Lower bound of the distance of what is in them, m; 0 where they overlap. */
double ct_aabb_distance_bound(const ct_aabb_view *a, const ct_aabb_view *b);

/* What the rows below a node of a tree have in common: one group with rules, its number, and no
 * pair rule; or one of these. */
#define CT_NODE_EMPTY 0xffffu /* they are elsewhere: overridden */
#define CT_NODE_MIXED 0xfffeu
_Static_assert(CT_GROUPS_MAX < CT_NODE_MIXED, "a group's number is no mark");

/* The boxes of a query's rows; the query came from ct_query_prepare for all pairs, by the tree or
 * by brute force. */
typedef struct ct_aabb_field {
  const ct_query *query;
  ct_tree *moved;   /* of the bounded boxes of the overrides, where they are many; user value: index
                       of the override. Else NULL */
  bool moved_loose; /* some override's box is not bounded */
  uint16_t *marks,
      *moved_marks; /* of the nodes of the scene's tree and of `moved`; NULL: not made */
} ct_aabb_field;

/* `searches`: how many there will be; it decides whether to search for whole branches that none of
 * them is about. */
ct_status ct_aabb_field_open(ct_aabb_field *field, const ct_query *query, uint64_t searches);
void ct_aabb_field_close(ct_aabb_field *field);

typedef struct ct_aabb_search ct_aabb_search;
/* A row whose bound is not above the limit; it may lower that. Anything but CT_OK ends the search.
 */
typedef ct_status (*ct_aabb_visit)(ct_aabb_search *search, uint32_t row, const ct_aabb_view *view,
                                   double bound);

struct ct_aabb_search {
  const ct_aabb_field *field;
  const ct_aabb_view *from;
  const uint64_t *mask; /* bit by group: rows in it are not wanted; NULL: all are */
  double limit;         /* bounds above do not matter, m */
  ct_aabb_visit visit;
  void *context;
  uint32_t steps; /* since the cancel flag was looked at */
};

/* Visits every row, the searcher's own included; of those in groups that are not wanted only some.
 * O(log n) and what is visited. */
ct_status ct_aabb_search_run(ct_aabb_search *search);

#endif
