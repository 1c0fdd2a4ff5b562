/* Contact manifolds, internal interface: the pair in content order, its view along the normal, and
 * the contact points found so far. All geometry is in the frame of the pair, which is the frame of
 * its first body. */
#ifndef MANIFOLD_MANIFOLD_H
#define MANIFOLD_MANIFOLD_H

#include "manifold/supporting_face.h"
#include "pair/workspace.h"
#include "primitives/primitive_pairs.h"
#include <contact/manifold.h>

/* Scratch memory of manifolds. Zero-initialised: empty. The workspace retains it from pair to pair.
 */
typedef struct ct_manifold_scratch {
  ct_supporting_face outline[2]; /* supporting faces of both bodies; their lists are reused */
  ct_corner_list cut[2];         /* input and output of one clipping step */
  ct_contact_point *points;      /* [capacity] */
  uint32_t count, capacity;
  uint32_t *root; /* [root_capacity] disjoint sets of triangles or vertices: patches */
  uint32_t root_capacity;
  struct ct_mesh_contact *contacts; /* [contact_capacity] contacts of two meshes */
  uint32_t contact_count, contact_capacity;
  uint32_t (*link)[2]; /* [link_capacity] previous and next corner of a large polygon while it is
                          clipped */
  uint32_t link_capacity;
  bool out_of_memory; /* an allocation failed; never cleared here */
} ct_manifold_scratch;
/* The manifold part of a workspace. */
extern const ct_workspace_part_type ct_manifold_part_type;
static inline ct_manifold_scratch *ct_workspace_manifold(ct_workspace *workspace) {
  return ct_workspace_part_of(workspace, CT_SLOT_MANIFOLD, &ct_manifold_part_type);
}

/* Reserves `capacity` contact points. False: out of memory. */
bool ct_contacts_reserve(ct_manifold_scratch *memory, uint32_t capacity);

typedef struct ct_contacts {
  ct_placed a, b;                 /* in content order */
  ct_frame relative;              /* of b in a's frame */
  ct_convex_proxy core_a, core_b; /* unset for a plane or a mesh */
  ct_view view;
  double distance; /* of the pair */
  double reach;    /* points with a larger distance are dropped: the clearance plus round-off */
  double slack;    /* round-off bound of coordinates and distances, m */
  double tie;      /* ct_contacts_tie of the two bodies, m */
  ct_workspace *workspace;
  ct_manifold_scratch *memory;
  uint32_t own_triangle[2]; /* triangles of the witness points, for meshes */
  ct_vec3 own_point;        /* witness point of the pair distance on a */
  bool failed;              /* out of memory */
  bool cut_short;           /* by cancellation or by the limit on points */
} ct_contacts;

/* Two positions closer than this part of the size are equal. Ties are then broken by feature
 * number, so that no choice at a flat or symmetric pose depends on round-off or on a tilt of 1e-9
 * rad. */
#define CT_CONTACT_TIE 1e-6
/* CT_CONTACT_TIE as a length: of the smaller extent, at least the round-off. A corner outside a
 * border by less counts as inside. */
static inline double ct_contacts_tie(double extent_a, double extent_b, double slack) {
  return ct_max2(CT_CONTACT_TIE * ct_min2(extent_a, extent_b), slack);
}

/* A candidate contact point: one point, the feature of each body that carries it, and the distance
 * along the view's normal. The point on the other body follows from the distance. */
typedef struct ct_contact_candidate {
  ct_feature a, b;
  ct_vec3 at; /* on the second body if `on_second`, else on the first */
  bool on_second;
  uint32_t number; /* distinguishes points with the same two features */
  double distance;
} ct_contact_candidate;
/* Adds the candidate unless its distance exceeds contacts->reach. */
void ct_contacts_add(ct_contacts *contacts, const ct_contact_candidate *candidate);

/* Adds a complete point without a test of its distance. */
void ct_contacts_push(ct_contacts *contacts, const ct_contact_point *point);

/* Adds the corners of the overlap of two supporting faces, projected along the normal. */
void ct_contacts_overlap(ct_contacts *contacts, const ct_supporting_face *first,
                         const ct_supporting_face *second);

/* Four unit directions to points of a rim, a quarter turn apart. The first points as far along
 * `down` as the plane of the rim allows, or along `across` if the rim is perpendicular to `down`
 * within the angle `slack`. `axis`: unit normal of the rim. */
void ct_rim_points(ct_vec3 axis, ct_vec3 across, ct_vec3 down, double slack, ct_vec3 out[4]);

static inline bool ct_placed_is_half_space(ct_placed body) {
  return body.shape->kind == CT_KIND_PLANE;
}
static inline bool ct_placed_is_mesh(ct_placed body) { return ct_kind_is_mesh(body.shape->kind); }

/* Finds the supporting face of a body, 0 or 1, along the view, in memory->outline. False: out of
 * memory, `failed` is set. */
bool ct_contacts_find_face(ct_contacts *contacts, int which, ct_supporting_face_want want);

/* Adds the points of a bounded convex body, the first, over a half-space. */
void ct_contacts_plane(ct_contacts *contacts);

/* Adds the points of a mesh, the first, over a half-space. */
void ct_contacts_mesh_plane(ct_contacts *contacts);

/* Adds the points of a bounded convex body, the first, and a mesh. Separated bodies: each triangle
 * within reach uses its own normal. Overlapping bodies: all triangles use the pair's normal. */
void ct_contacts_mesh(ct_contacts *contacts);

/* Adds the points of two meshes: facing features within reach, vertices and edges inside the other
 * solid, and intersections of the surfaces. */
void ct_contacts_meshes(ct_contacts *contacts);

/* Adjacent triangles belong to one patch if the cosine between their normals is at least this: 45
 * degrees. */
#define CT_PATCH_COSINE_MIN 0.7071
/* Marks a triangle or vertex that is not in contact. */
#define CT_NO_GROUP UINT32_MAX
/* Disjoint sets (union-find) of the numbers below `count`, in memory->root. Each number starts as
 * CT_NO_GROUP; the lowest number represents its set. False: out of memory. */
bool ct_groups_open(ct_contacts *contacts, uint32_t count);
uint32_t ct_groups_find(uint32_t *root, uint32_t i);
void ct_groups_join(uint32_t *root, uint32_t i, uint32_t k);

/* Adds the points of two convex bodies along the view: face against face or edge, else edge against
 * edge. */
void ct_contacts_intersect_faces(ct_contacts *contacts);

/* Fallback if ct_contacts_intersect_faces found nothing: the ends of the shared part of two
 * parallel edges. Adds nothing if a face of either body is perpendicular to the normal. */
void ct_contacts_intersect_edges(ct_contacts *contacts);

/* A face contact is preferred to an edge contact unless its separation is smaller by more than this
 * part of the smaller body and of itself. The preference keeps a manifold from alternating between
 * the two. Distance and normal are those of the pair in both cases. */
#define CT_FACE_OVER_EDGE_SIZE 1e-7
#define CT_FACE_OVER_EDGE 0.01
/* Smallest cosine between the pair's normal and the normal of a preferred face. */
#define CT_FACE_COSINE_MIN 0.7

/* The view along a pair's normal, given in world coordinates. `frame`: pose of the first body. */
static inline ct_view ct_contacts_view(const ct_frame *frame, ct_vec3 normal) {
  return ct_view_along(ct_renormalize(ct_mat_tmul(frame->rotation, normal)));
}

/* ct_pair_contacts for two boxes without rounding and margin, with all data on the stack. Results
 * equal ct_pair_contacts_by_supporting_faces bit for bit. False: undecided, use the general path.
 */
bool ct_contacts_boxes(ct_placed a, ct_placed b, const ct_contact_options *options,
                       ct_workspace *workspace, ct_manifold *out);

/* Points of two sharp boxes with a known separating axis `axis_found`. out->pair contains the
 * result of the distance query; `memory` has a capacity of at least 16 points. Equal to the general
 * path except for round-off. False: undecided, use ct_contacts_boxes. */
struct ct_box_pair;
bool ct_contacts_boxes_axis(const struct ct_box_pair *pair, const ct_contact_options *options,
                            ct_manifold_scratch *memory, ct_manifold *out);

/* ct_pair_contacts without the specialised box and sphere paths: the reference that tests compare
 * them with. */
void ct_pair_contacts_by_supporting_faces(ct_placed a, ct_placed b,
                                          const ct_contact_options *options,
                                          ct_workspace *workspace, ct_manifold *out);

/* Adds the witness points `own` of the pair distance unless a point from index `first` on is as
 * deep within ct_contacts_depth_tie. */
void ct_contacts_own(ct_contacts *contacts, uint32_t first, const ct_contact_candidate *own);

/* Sorts by patch, features and number. Cost: n log n. */
void ct_contacts_order(ct_contact_point *points, uint32_t count);

/* Depths within a patch that differ by less are equal, m: CT_CONTACT_TIE times the distance from
 * the first to the farthest point across the view, at least twice the round-off. */
double ct_contacts_depth_tie(const ct_contact_point *points, uint32_t count, const ct_view *view,
                             double slack);

/* Moves the deepest of sorted points to the front. Among points equally deep within `tie`, the
 * first wins. */
void ct_contacts_deepest_first(ct_contact_point *points, uint32_t count, double tie);

/* Moves point k to the front and shifts the points before it back. */
void ct_contacts_move_front(ct_contact_point *points, uint32_t k);

/* Of sorted points with equal patch, features and number, keeps the deepest. Returns the number
 * left. */
uint32_t ct_contacts_unique(ct_contact_point *points, uint32_t count);

/* Reduces sorted points to at most four that span a large area, the first point among them. The
 * selected points move to the front in their order. Returns their number. Rules of Erin Catto
 * (2007), with ties broken by order. */
uint32_t ct_contacts_reduce(ct_contact_point *points, uint32_t count, const ct_view *view,
                            double slack);

#endif
