/* Lower bounds of the distance of AABBs, and a search of a scene's AABBs outwards from one of them,
 * nearest first, up to a limit that the caller may lower.
 *
 * A bound never exceeds the distance of the boxes' contents. The bound of a box never exceeds the
 * bound of a box that it contains, to the last bit. So no branch of a tree is skipped whose leaves
 * are within the limit, and the result does not depend on the tree. */
#ifndef CONTACT_STATE_AABB_NEAREST_H
#define CONTACT_STATE_AABB_NEAREST_H

#include "base/poll.h"
#include "query/query.h"

/* An AABB; for a body that is a single half-space also its plane, because the box is unbounded. */
typedef struct ct_aabb_view {
  ct_aabb box;
  double size; /* largest absolute value of the box's finite coordinates, m */
  bool is_plane;
  ct_vec3 normal, point; /* point and outward unit normal of the plane, world */
  /* growth: rounding radius and margin, by which the half-space extends beyond its plane, m;
   * plane_size: largest absolute coordinate of the plane's point, plus growth */
  double growth, plane_size;
} ct_aabb_view;

static inline ct_aabb_view ct_aabb_view_of(const ct_aabb *box) {
  return (ct_aabb_view){.box = *box, .size = ct_aabb_magnitude(box)};
}
/* Writes the AABB, at the query's pose, of the body in a row of the scene. False: the body has no
 * collider. */
bool ct_aabb_view_row(const ct_query *query, uint32_t row, ct_aabb_view *view);

/* Lower bound of the distance of the contents of both boxes, m; 0 if overlap is not excluded. */
double ct_aabb_distance_bound(const ct_aabb_view *a, const ct_aabb_view *b);

/* Marks of tree nodes, by which filters exclude whole branches. A node's mark is the number of a
 * filter group, if every body below the node belongs to this group, to no other group that has
 * rules, and no pair rule names one of these bodies. Otherwise the mark is EMPTY or MIXED. */
/* All bodies below the node have overriding poses, so none is found through the node */
#define CT_NODE_EMPTY 0xffffu
#define CT_NODE_MIXED 0xfffeu
_Static_assert(CT_GROUPS_MAX < CT_NODE_MIXED, "a group's number is no mark");

/* The AABBs of the bodies of a query's scene, with trees to search them. The query was prepared for
 * all pairs, by the tree or by brute force. */
typedef struct ct_aabb_field {
  const ct_query *query;
  /* if there are many overrides: tree of their bounded boxes, with the index of the override as
   * user value; else NULL */
  ct_tree *moved;
  bool moved_unbounded; /* true if the box of some override is unbounded */
  /* marks of the nodes of the scene's tree, and of the nodes of `moved`; NULL: not computed */
  uint16_t *marks, *moved_marks;
} ct_aabb_field;

/* Prepares the trees. searches: expected number of searches. If there are many, marks of tree nodes
 * are computed, with which searches skip branches that contain only excluded rows. */
ct_status ct_aabb_field_open(ct_aabb_field *field, const ct_query *query, uint64_t searches);
void ct_aabb_field_close(ct_aabb_field *field);

typedef struct ct_aabb_search ct_aabb_search;
/* Called for each body, by its row, whose lower distance bound is at most search->limit; may lower
 * this limit. A status other than CT_OK ends the search, and ct_aabb_search_run returns that
 * status. */
typedef ct_status (*ct_aabb_visit)(ct_aabb_search *search, uint32_t row, const ct_aabb_view *view,
                                   double bound);

struct ct_aabb_search {
  const ct_aabb_field *field;
  const ct_aabb_view *from;
  const uint64_t *mask; /* bit g is set: bodies of group g are excluded; NULL: no group is
                           excluded */
  double limit;         /* bodies whose AABBs have a greater lower bound of the distance are
                           skipped, m */
  ct_aabb_visit visit;
  void *context;
  ct_poll poll; /* counts visited boxes between polls of the cancel flag; the caller of
                   ct_aabb_search_run starts it with CT_AABB_BOXES_PER_POLL */
};

/* Boxes visited between two polls of the cancel flag: about 10 us. */
#define CT_AABB_BOXES_PER_POLL 1024

/* Visits every body within the limit, including the body whose AABB is `from`. Bodies of excluded
 * groups may be visited too. O(log n) plus the visits. CT_CANCELLED, or the status of a visit. */
ct_status ct_aabb_search_run(ct_aabb_search *search);

#endif
