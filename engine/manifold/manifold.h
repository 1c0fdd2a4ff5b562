/* Contact manifolds, internal interface: the pair in content order, its view along the normal, and
 * the contact points found so far. All geometry is in the frame of the pair, which is the frame of
 * its first body. Content order is an order of the two bodies by their data, so that exchanged
 * arguments give the same results. */
#ifndef MANIFOLD_MANIFOLD_H
#define MANIFOLD_MANIFOLD_H

#include "manifold/supporting_face.h"
#include "pair/workspace.h"
#include "primitives/primitive_pairs.h"
#include <contact/manifold.h>

/* Scratch memory of manifolds, empty if zeroed. The workspace retains it from pair to pair. */
typedef struct ct_manifold_scratch {
  ct_supporting_face outline[2]; /* supporting faces of the two bodies; their lists are reused */
  ct_corner_list cut[2];         /* input and output polygon of one clipping step */
  ct_contact_point *points;      /* [capacity] */
  uint32_t count, capacity;
  uint32_t *root; /* [root_capacity] disjoint sets (ct_groups_open) of triangles or vertices, which
                     are patches */
  uint32_t root_capacity;
  struct ct_mesh_contact *contacts; /* [contact_capacity] contacts of two meshes */
  uint32_t contact_count, contact_capacity;
  uint32_t (*link)[2]; /* [link_capacity] index of the previous and of the next corner of a large
                          polygon while it is clipped */
  uint32_t link_capacity;
  bool out_of_memory; /* an allocation has failed; never reset here */
} ct_manifold_scratch;
/* The part of a workspace that contains the scratch memory of manifolds. */
extern const ct_workspace_part_type ct_manifold_part_type;
static inline ct_manifold_scratch *ct_workspace_manifold(ct_workspace *workspace) {
  return ct_workspace_part_of(workspace, CT_SLOT_MANIFOLD, &ct_manifold_part_type);
}

/* Reserves space for `count` contact points in all. False: out of memory. */
bool ct_contacts_reserve(ct_manifold_scratch *memory, uint32_t count);

typedef struct ct_contacts {
  ct_placed a, b;                 /* the two bodies in content order */
  ct_frame relative;              /* pose of b in the frame of a */
  ct_convex_proxy core_a, core_b; /* convex proxies of the two bodies; unset for a half-space or a
                                     mesh */
  ct_view view;
  double distance; /* signed distance of the two bodies, m */
  double reach;    /* greatest distance of a contact point, m; points farther apart are dropped */
  double slack;    /* bound of the round-off of coordinates and distances, m */
  double tie;      /* ct_contacts_tie of the two bodies, m */
  ct_workspace *workspace;
  ct_manifold_scratch *memory;
  uint32_t own_triangle[2]; /* for meshes: triangle of each witness point of the pair distance, or
                               CT_NO_TRIANGLE */
  ct_vec3 own_point;        /* witness point of the pair distance on a */
  bool failed;              /* an allocation failed; points are missing */
  bool cut_short;           /* points are missing because of cancellation or the limit on their
                               number */
} ct_contacts;

/* Two positions closer than this fraction of the bodies' extent are equal. Such ties are broken by
 * feature number, so that no choice at a flat or symmetric pose depends on round-off or on a
 * rotation by 1e-9 rad. */
#define CT_CONTACT_TIE 1e-6
/* Returns the length of a tie, m: CT_CONTACT_TIE times the smaller extent, but at least the
 * round-off `slack`. A corner that is outside a border by less counts as inside. */
static inline double ct_contacts_tie(double extent_a, double extent_b, double slack) {
  return ct_max2(CT_CONTACT_TIE * ct_min2(extent_a, extent_b), slack);
}

/* A candidate for a contact point: a point on one body, the feature of each body that contains it,
 * and the distance along the view's normal. The point on the other body is at this distance. */
typedef struct ct_contact_candidate {
  ct_feature a, b;
  ct_vec3 at; /* the contact point: on the second body if `on_second`, else on the first */
  bool on_second;
  uint32_t number; /* a number, such as the index of a corner, that differs between contact points
                      with the same two features */
  double distance;
} ct_contact_candidate;
/* Adds the candidate unless its distance exceeds contacts->reach. */
void ct_contacts_add(ct_contacts *contacts, const ct_contact_candidate *candidate);

/* Adds a complete contact point without testing its distance. */
void ct_contacts_push(ct_contacts *contacts, const ct_contact_point *point);

/* Adds the corners of the overlap of two supporting faces, both projected along the view's
 * normal. */
void ct_contacts_overlap(ct_contacts *contacts, const ct_supporting_face *first,
                         const ct_supporting_face *second);

/* Computes four unit directions from the centre of a rim to points of it, a quarter turn apart. The
 * first is the projection of `down` onto the rim's plane, or `across` if the projection is at most
 * `slack` long, that is if `down` is nearly the rim's axis. `axis`: unit normal of the rim. */
void ct_rim_points(ct_vec3 axis, ct_vec3 across, ct_vec3 down, double slack, ct_vec3 out[4]);

static inline bool ct_placed_is_half_space(ct_placed body) {
  return body.shape->kind == CT_KIND_PLANE;
}
static inline bool ct_placed_is_mesh(ct_placed body) { return ct_kind_is_mesh(body.shape->kind); }

/* Finds the supporting face of body `which` (0 or 1) along the view, and stores it in
 * memory->outline[which]. False: out of memory; `failed` is set. */
bool ct_contacts_find_face(ct_contacts *contacts, int which, ct_supporting_face_want want);

/* Adds the contact points of a bounded convex body a over a half-space b. */
void ct_contacts_plane(ct_contacts *contacts);

/* Adds the contact points of a mesh a over a half-space b. */
void ct_contacts_mesh_plane(ct_contacts *contacts);

/* Adds the contact points of a bounded convex body a and a mesh b. If the bodies are separated, the
 * points of each triangle within reach are along the normal from the triangle to a; if they
 * overlap, all points are along the pair's normal. */
void ct_contacts_mesh(ct_contacts *contacts);

/* Adds the contact points of two meshes: features within reach that face each other, vertices and
 * edges inside the other solid, and intersections of the surfaces. */
void ct_contacts_meshes(ct_contacts *contacts);

/* Least cosine between the normals of adjacent triangles in one patch: 45 degrees. */
#define CT_PATCH_COSINE_MIN 0.7071
/* Entry of memory->root for a triangle or vertex that is not in contact. */
#define CT_NO_GROUP UINT32_MAX
/* Disjoint sets (union-find) of the numbers below `count`, in memory->root. After ct_groups_open
 * every entry is CT_NO_GROUP; a number i is added with root[i] = i. The lowest number of a set
 * represents it. ct_groups_find returns the representative of i, ct_groups_join unites the sets of
 * i and k. False: out of memory. */
bool ct_groups_open(ct_contacts *contacts, uint32_t count);
uint32_t ct_groups_find(uint32_t *root, uint32_t i);
void ct_groups_join(uint32_t *root, uint32_t i, uint32_t k);

/* Adds the contact points of two convex bodies along the view: the overlap of two faces or of a
 * face and an edge, else of two parallel edges. */
void ct_contacts_intersect_faces(ct_contacts *contacts);

/* For two convex bodies without a point from ct_contacts_intersect_faces: adds the ends of the
 * common part of two parallel supporting edges. Adds nothing if a supporting face of either body is
 * perpendicular to the normal. */
void ct_contacts_intersect_edges(ct_contacts *contacts);

/* A face contact is preferred to an edge contact unless the separation along the face's normal is
 * smaller than the distance by more than CT_FACE_OVER_EDGE_SIZE times the smaller extent plus
 * CT_FACE_OVER_EDGE times that separation. The preference keeps a manifold from alternating between
 * the two; distance and normal are those of the pair in both cases. */
#define CT_FACE_OVER_EDGE_SIZE 1e-7
#define CT_FACE_OVER_EDGE 0.01
/* Least cosine between the pair's normal and the normal of a preferred face. */
#define CT_FACE_COSINE_MIN 0.7

/* Returns the view along a normal in world coordinates. `frame`: pose of the pair's first body. */
static inline ct_view ct_contacts_view(const ct_frame *frame, ct_vec3 normal) {
  return ct_view_along(ct_renormalize(ct_mat_tmul(frame->rotation, normal)));
}

/* Does what ct_pair_contacts does, for two boxes without rounding radius and margin, with all data
 * on the stack. Results equal those of ct_pair_contacts_by_supporting_faces bit for bit, or to
 * round-off where ct_contacts_boxes_axis is used. False: undecided, use the general path. */
bool ct_contacts_boxes(ct_placed a, ct_placed b, const ct_contact_options *options,
                       ct_workspace *workspace, ct_manifold *out);

/* Computes the contact points of two sharp boxes whose separating axis pair->axis_found is certain.
 * out->pair contains the result of the distance query; `memory` has space for at least 16 points.
 * The points equal those of the general path to round-off. False: undecided, nothing is written. */
struct ct_box_pair;
bool ct_contacts_boxes_axis(const struct ct_box_pair *pair, const ct_contact_options *options,
                            ct_manifold_scratch *memory, ct_manifold *out);

/* Does what ct_pair_contacts does without the paths for boxes and spheres: the reference that tests
 * compare these paths with. */
void ct_pair_contacts_by_supporting_faces(ct_placed a, ct_placed b,
                                          const ct_contact_options *options,
                                          ct_workspace *workspace, ct_manifold *out);

/* Adds the witness point `own` of the pair distance, unless a point with an index of at least
 * `first` is as deep within ct_contacts_depth_tie. */
void ct_contacts_own(ct_contacts *contacts, uint32_t first, const ct_contact_candidate *own);

/* Sorts the points by patch, features and number. Cost: n log n. */
void ct_contacts_order(ct_contact_point *points, uint32_t count);

/* Returns the difference of depths, m, up to which points of a patch are equally deep:
 * CT_CONTACT_TIE times the largest distance from the first point to another across the view, but at
 * least twice the round-off `slack`. */
double ct_contacts_depth_tie(const ct_contact_point *points, uint32_t count, const ct_view *view,
                             double slack);

/* Moves the deepest of the sorted points to the front; among points equally deep within `tie`, the
 * first. */
void ct_contacts_deepest_first(ct_contact_point *points, uint32_t count, double tie);

/* Moves point k to the front; points 0 to k - 1 move back by one. */
void ct_contacts_move_front(ct_contact_point *points, uint32_t k);

/* Keeps only the deepest of sorted points with equal patch, features and number. Returns the number
 * of points that remain. */
uint32_t ct_contacts_unique(ct_contact_point *points, uint32_t count);

/* Reduces sorted points to at most four that span a large area, among them the first point. The
 * selected points move to the front and keep their order. Returns their number. Rules of Erin Catto
 * (2007); ties are broken by order. */
uint32_t ct_contacts_reduce(ct_contact_point *points, uint32_t count, const ct_view *view,
                            double slack);

#endif
