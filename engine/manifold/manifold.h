/* Making the points of a manifold: the pair in content order, its view, and the points found so far, in the frame of the pair. */
#ifndef MANIFOLD_MANIFOLD_H
#define MANIFOLD_MANIFOLD_H

#include "manifold/supporting_face.h"
#include "primitives/primitive_pairs.h"
#include <contact/manifold.h>

/* Scratch of manifolds; zeroed is empty. Kept warm by the workspace. */
typedef struct ct_manifold_scratch {
  ct_supporting_face outline[2]; /* their lists */
  ct_corner_list cut[2];    /* a polygon while it is clipped */
  ct_contact_point *points; /* [capacity] */
  uint32_t count, capacity;
  uint32_t *root; /* [root_capacity] of meshes: groups of triangles, or of vertices, in the making */
  uint32_t root_capacity;
  struct ct_mesh_contact *contacts; /* [touch_capacity] of two meshes */
  uint32_t contact_count, touch_capacity;
  uint32_t (*link)[2]; /* [link_capacity] neighbours of the corners of a large polygon while it is clipped */
  uint32_t link_capacity;
  bool out_of_memory; /* memory was refused; never cleared here */
} ct_manifold_scratch;
void ct_manifold_scratch_free(ct_manifold_scratch *memory);

/* Room for so many points; false: memory was refused. */
bool ct_contacts_reserve(ct_manifold_scratch *memory, uint32_t capacity);

typedef struct ct_contacts {
  ct_placed a, b;         /* in content order */
  ct_frame relative;      /* of b in a's frame */
  ct_convex_proxy core_a, core_b; /* that of a plane or a mesh is not set */
  ct_view view;
  double distance; /* of the pair */
  double reach;    /* points farther apart are left out: the clearance and round-off */
  double slack;    /* round-off of the pair, m */
  double tie;      /* ct_contacts_tie of the two bodies, m */
  ct_workspace *workspace;
  ct_manifold_scratch *memory;
  uint32_t own_triangle[2]; /* of the pair's own points, of meshes */
  ct_vec3 own_point;        /* the pair's own, on a */
  bool failed;              /* out of memory */
  bool cut_short;           /* by the flag, or by the number of points */
} ct_contacts;

/* Places that differ by less, as a part of the size, are equal: features decide in their order, so that no choice at a flat or
 * symmetric pose depends on round-off or on a tilt of 1e-9 rad. */
#define CT_CONTACT_TIE 1e-6
/* The same as a length: of the smaller body's extent, and at least the round-off. Corners beyond a border by less are over it. */
static inline double ct_contacts_tie(double extent_a, double extent_b, double slack) {
  return ct_max2(CT_CONTACT_TIE * ct_min2(extent_a, extent_b), slack);
}

/* A point of the first body and the feature that it is on, and of the second. Left out when beyond the reach. The points are one
 * above the other: of one that is given, the other is made by the distance along the view's normal. */
typedef struct ct_contact_candidate {
  ct_feature a, b;
  ct_vec3 at; /* on the second body if `on_second`, else on the first */
  bool on_second;
  uint32_t number; /* of several of the same two features */
  double distance;
} ct_contact_candidate;
void ct_contacts_add(ct_contacts *contacts, const ct_contact_candidate *meeting);

/* A point as it is. */
void ct_contacts_push(ct_contacts *contacts, const ct_contact_point *point);

/* The points of two outlines that overlap in the view. */
void ct_contacts_overlap(ct_contacts *contacts, const ct_supporting_face *first, const ct_supporting_face *second);

/* Marks an edge of a clipped polygon as a side of the frame. */
#define CT_CLIP_SIDE 0x80000000u

/* The part of a convex polygon that lies over another one, the frame: its corners in order, none where nothing is left. Borrowed
 * from the memory. NULL: `failed` or `cut_short` is set, by the workspace's watched flag. Cost: linear but for small ones. */
const ct_corner_list *ct_contacts_clip(ct_contacts *contacts, const ct_corner_list *frame, const ct_corner_list *body);

/* The same where one of them is a disc. */
void ct_contacts_disc(ct_contacts *contacts, const ct_supporting_face *first, const ct_supporting_face *second);

/* Directions to four points of a rim, a quarter turn from each other, the first where it is farthest along `down`, or `across`
 * where the rim lies flat to `slack`, an angle. `axis`: unit, across the rim. */
void ct_rim_points(ct_vec3 axis, ct_vec3 across, ct_vec3 down, double slack, ct_vec3 out[4]);

/* The points of a bounded body, the first, over a half-space. */
void ct_contacts_plane(ct_contacts *contacts);

/* The same of a mesh, the first, over a half-space. */
void ct_contacts_mesh_plane(ct_contacts *contacts);

/* The points of a bounded convex body, the first, and a mesh. Apart, each triangle within reach is met along its own normal, else
 * along that of the pair. */
void ct_contacts_mesh(ct_contacts *contacts);

/* The points where a triangle of the second, a surface, and its edges cross the first, a convex body. */
void ct_contacts_pierce(ct_contacts *contacts, uint32_t position);

/* The points of two meshes: of features that face each other within reach, of vertices and edges in the other solid, and where
 * surfaces cross. */
void ct_contacts_meshes(ct_contacts *contacts);

/* Triangles side by side are one patch unless the cosine between their normals is below this: 45 degrees. */
#define CT_PATCH_COSINE_MIN 0.7071
/* Not in contact. */
#define CT_NO_GROUP UINT32_MAX
/* Groups of numbers below count, in memory->root, each CT_NO_GROUP at first; false: out of memory. The lowest stands for a group.
 */
bool ct_groups_open(ct_contacts *contacts, uint32_t count);
uint32_t ct_groups_find(uint32_t *root, uint32_t i);
void ct_groups_join(uint32_t *root, uint32_t i, uint32_t k);

/* The points of two bodies that have cores, along the view. */
void ct_contacts_intersect_faces(ct_contacts *contacts);

/* After the above has found nothing: the points of their edges, of two that run along each other in the view the ends of what they
 * share. None where a face of either is across the view. */
void ct_contacts_intersect_edges(ct_contacts *contacts);

/* A face is shown instead of an edge when its separation is less by no more than this part of the smaller body and of itself. It
 * keeps a manifold from flickering between the two; distance and normal are those of the pair either way. */
#define CT_FACE_OVER_EDGE_SIZE 1e-7
#define CT_FACE_OVER_EDGE 0.01
/* Cosine between the pair's normal and that of such a face, at least. */
#define CT_FACE_COSINE_MIN 0.7

/* The view along a pair's normal in the world, `frame` the first body's. */
static inline ct_view ct_contacts_view(const ct_frame *frame, ct_vec3 normal) {
  return ct_view_along(ct_renormalize(ct_mat_tmul(frame->rotation, normal)));
}

/* ct_pair_contacts of two boxes without rounding and margin, on the stack, to the bit as outlines give them. False: left to
 * those. */
bool ct_contacts_boxes(ct_placed a, ct_placed b, const ct_contact_options *options, ct_workspace *workspace, ct_manifold *out);

/* The points of two such boxes whose `axis_found` is known, and whose answer is in out->pair; memory for 16 points. As outlines
 * give them, but for round-off. False: left to the above. */
struct ct_box_pair;
bool ct_contacts_boxes_axis(const struct ct_box_pair *pair, const ct_contact_options *options, ct_manifold_scratch *memory,
                            ct_manifold *out);

/* ct_pair_contacts without the above, which it must agree with. */
void ct_pair_contacts_by_supporting_faces(ct_placed a, ct_placed b, const ct_contact_options *options, ct_workspace *workspace,
                                          ct_manifold *out);

/* Adds the pair's own points if no other one, of those from `first` on, is as deep to their ct_contacts_depth_tie. */
void ct_contacts_own(ct_contacts *contacts, uint32_t first, const ct_contact_candidate *own);

/* Sorts by patch, features and number. */
void ct_contacts_order(ct_contact_point *points, uint32_t count);

/* By how much the depths of points of a patch may differ and still be equal: CT_CONTACT_TIE of the distance from the first point to
 * the farthest across the view, and at least twice the round-off. */
double ct_contacts_depth_tie(const ct_contact_point *points, uint32_t count, const ct_view *view, double slack);

/* Moves the deepest of ordered points to the front: of those as deep to `tie` the first. */
void ct_contacts_deepest_first(ct_contact_point *points, uint32_t count, double tie);

/* Moves point k to the front, those before it back. */
void ct_contacts_move_front(ct_contact_point *points, uint32_t k);

/* Of sorted points with the same patch, features and number the deepest; how many are left. */
uint32_t ct_contacts_unique(ct_contact_point *points, uint32_t count);

/* At most four of points in that order, the first among them and the others such that they span much of the area, moved to the
 * front in their order; their number. Erin Catto 2007's rules with ties by order. */
uint32_t ct_contacts_reduce(ct_contact_point *points, uint32_t count, const ct_view *view, double slack);

#endif
