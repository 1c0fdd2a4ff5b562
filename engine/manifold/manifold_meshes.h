/* Contacts of two meshes, internal interface: two features in contact, on two triangles.
 *
 * Everything is in the frame of the first mesh; corners of b are placed in it on demand, as in
 * mesh_tree_pairs.h. Distances are distances of the bare meshes until a contact is added; rounding
 * and margins are added then.
 */
#ifndef MANIFOLD_MANIFOLD_MESHES_H
#define MANIFOLD_MANIFOLD_MESHES_H

#include "manifold/manifold.h"
#include "mesh_pairs/mesh_tree_pairs.h"

/* Largest number of points of two meshes. If CT_CONTACT_POINTS_MAX contacts are found, the
 * CT_MESH_POINTS_MAX deepest are retained. */
#define CT_MESH_POINTS_MAX 65536u
#define CT_CONTACT_POINTS_MAX 131072u

typedef struct ct_mesh_contact {
  ct_contact_point point;
  uint32_t position[2];
  double facing; /* cosines of the two triangles towards each other along the normal, added */
} ct_mesh_contact;

typedef struct ct_mesh_contacts {
  ct_contacts *contacts;
  ct_mesh_pair pair;
  const ct_mesh *mesh[2];
  const ct_mesh_view *view[2];
  double growth[2];
  /* bounds of the bare distance: contacts farther apart or deeper are dropped */
  double reach, distance_min;
  /* as reach; lower once contacts were dropped, so that equally distant ones are dropped too */
  double distance_max;
  bool cut;     /* contacts were dropped */
  double slack; /* round-off bound, m */
  double tie;   /* ct_contacts_tie of the two bodies, m */
  bool overlap; /* both are solid and overlap: distances may be negative */
} ct_mesh_contacts;

/* Largest number of directions in which overlapping solids are projected: the pair's normal, and
 * clearly different normals of features inside. */
#define CT_FACING_DIRECTIONS_MAX 8

/* A triangle of one mesh. */
typedef struct ct_mesh_face {
  int which; /* 0: of a, 1: of b */
  uint32_t position;
  ct_triangle t;
  ct_vec3 normal; /* unit; zero if placing has made the triangle degenerate */
  double tie; /* points within this distance of a corner or an edge are on it, m: tie of the bodies
                 or, if smaller, of the triangle */
} ct_mesh_face;
ct_mesh_face ct_mesh_contacts_face(const ct_mesh_contacts *t, int which, uint32_t position);
ct_vec3 ct_mesh_contacts_vertex(const ct_mesh_contacts *t, int which, uint32_t vertex);

/* Two features in contact: features and points of the bare meshes in the order of the faces; normal
 * from the first face's mesh. */
typedef struct ct_mesh_candidate {
  ct_feature feature[2];
  ct_vec3 point[2], normal;
  double distance;
} ct_mesh_candidate;

/* Adds a contact if its distance is within reach. Its triangles are marked as in contact. */
void ct_mesh_contacts_add(ct_mesh_contacts *t, const ct_mesh_face face[2],
                          const ct_mesh_candidate *candidate);
/* Marks the triangles of two faces as in contact. */
void ct_mesh_contacts_mark(ct_mesh_contacts *t, const ct_mesh_face face[2]);
/* Writes the contacts to the points of the manifold, with patch numbers. A patch is a connected set
 * of triangles on both meshes. */
void ct_mesh_contacts_write_points(ct_mesh_contacts *t);

/* Feature of a face that contains a point: a corner or an edge within a tie, else the face. Edges
 * inside a flat part count as the face. */
ct_feature ct_face_feature(const ct_mesh_contacts *t, const ct_mesh_face *face, ct_vec3 point);

/* An edge of a face and the triangles beside it. */
typedef struct ct_manifold_edge {
  ct_feature feature;
  uint32_t number;   /* the lower of the two triangles' numbers for the edge */
  ct_vec3 p, q;      /* ends; p has the lower vertex number */
  ct_vec3 beyond[2]; /* third corners of the one or two triangles */
  ct_vec3 other;     /* unit normal of the adjacent triangle; zero if there is none */
  int wings;
  bool flat; /* the edge is inside a flat part */
} ct_manifold_edge;
ct_manifold_edge ct_mesh_contacts_edge(const ct_mesh_contacts *t, const ct_mesh_face *face, int k);

/* Largest lean of a face, as a sine, at the crossing of two edges. */
#define CT_LEAN_MAX 0.1
/* Directions that differ by a smaller sine are equal. */
#define CT_DIRECTION_TIE 1e-6
/* True if the mesh ends along `direction` at a point of an edge, or at corner k of a face: no
 * incident triangle reaches farther than `lean`, a sine, allows. */
bool ct_edge_ends(const ct_manifold_edge *e, ct_vec3 at, ct_vec3 direction, double slack,
                  double lean);
bool ct_vertex_ends(const ct_mesh_contacts *t, const ct_mesh_face *face, int k, ct_vec3 direction,
                    double lean);

/* True if a point is inside a solid, or within a tie of its surface. */
bool ct_mesh_contacts_is_inside(const ct_mesh_contacts *t, int which, ct_vec3 point);

/* True if corner k of a face is a corner of the solid. False: it is a subdivision point inside a
 * flat part or on a straight edge. */
bool ct_is_corner(const ct_mesh_contacts *t, const ct_mesh_face *face, int k);

/* Adds contacts of two faces: corners of the first over the second; edges over edges. */
void ct_mesh_contacts_corners(ct_mesh_contacts *t, const ct_mesh_face face[2]);
void ct_mesh_contacts_edges(ct_mesh_contacts *t, const ct_mesh_face face[2]);
/* Adds points where edges of the first face intersect the second: distance 0, along the given
 * normal. */
void ct_mesh_contacts_crossings(ct_mesh_contacts *t, const ct_mesh_face face[2], ct_vec3 normal);

/* Adds contacts of overlapping solids along a direction: rims over rims, and vertices over faces
 * that do not contain the vertices' nearest surface points.
 *
 * Marks the triangles of the overlap, so that patches stay connected. `number`: of the direction,
 * from 0; inside vertices are searched after direction 0.
 */
void ct_mesh_contacts_facing(ct_mesh_contacts *t, ct_vec3 normal, uint32_t number);
/* True if an inside vertex has a contact along direction 0. */
bool ct_mesh_contacts_has_vertex(const ct_mesh_contacts *t, int which, uint32_t vertex);

#endif
