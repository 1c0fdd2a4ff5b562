/* Contacts of two meshes, internal interface: two features in contact, on two triangles.
 *
 * All positions are in the frame of the first mesh; vertices of b are transformed to it when
 * needed, as in mesh_tree_pairs.h. Distances are those of the bare meshes, without rounding radii
 * and margins, until a contact is added to the list. */
#ifndef MANIFOLD_MANIFOLD_MESHES_H
#define MANIFOLD_MANIFOLD_MESHES_H

#include "manifold/manifold.h"
#include "mesh_pairs/mesh_tree_pairs.h"

/* Greatest number of points of two meshes. If CT_CONTACT_POINTS_MAX contacts are found, the
 * CT_MESH_POINTS_MAX deepest are retained. */
#define CT_MESH_POINTS_MAX 65536u
#define CT_CONTACT_POINTS_MAX 131072u

typedef struct ct_mesh_contact {
  ct_contact_point point;
  uint32_t position[2];
  double facing; /* n.(outward normal of a's triangle) - n.(outward normal of b's triangle), n: the
                    contact's normal; 2 if the planes of the triangles are parallel and face each
                    other */
} ct_mesh_contact;

typedef struct ct_mesh_contacts {
  ct_contacts *contacts;
  ct_mesh_pair pair;
  const ct_mesh *mesh[2];
  const ct_mesh_view *view[2];
  double growth[2];
  /* greatest and least distance of the bare meshes (without rounding radii and margins) in a
   * contact, m; candidates outside these limits are dropped */
  double reach, distance_min;
  /* as `reach`; reduced once contacts have been dropped, so that later ones as far apart are
   * dropped too */
  double distance_max;
  bool cut;     /* contacts have been dropped because there are too many */
  double slack; /* bound of round-off, m */
  double tie;   /* ct_contacts_tie of the two bodies, m */
  bool overlap; /* both meshes are solid and overlap, so distances may be negative */
} ct_mesh_contacts;

/* Greatest number of directions along which overlapping solids are projected: the pair's normal,
 * and clearly different normals of contacts of inside vertices. */
#define CT_FACING_DIRECTIONS_MAX 8

/* A triangle of one of the meshes. */
typedef struct ct_mesh_face {
  int which; /* 0: triangle of a, 1: of b */
  uint32_t position;
  ct_triangle t;
  ct_vec3 normal; /* unit; zero if the triangle is degenerate in the frame of the pair */
  double tie;     /* points within this distance of a vertex or an edge are on it, m: the tie of the
                     bodies or, if smaller, that of the triangle */
} ct_mesh_face;
ct_mesh_face ct_mesh_contacts_face(const ct_mesh_contacts *t, int which, uint32_t position);
ct_vec3 ct_mesh_contacts_vertex(const ct_mesh_contacts *t, int which, uint32_t vertex);

/* Two features in contact. Features and points, on the bare meshes, are in the order of the two
 * faces given with the candidate; the normal points from the first face's mesh to the second's. */
typedef struct ct_mesh_candidate {
  ct_feature feature[2];
  ct_vec3 point[2], normal;
  double distance;
} ct_mesh_candidate;

/* Adds the candidate as a contact if its distance, on the bare meshes, is from t->distance_min to
 * t->distance_max, and marks its two triangles as in contact. These limits include the rounding
 * radii and margins of the bodies. */
void ct_mesh_contacts_add(ct_mesh_contacts *t, const ct_mesh_face face[2],
                          const ct_mesh_candidate *candidate);
/* Marks the triangles of the two faces as in contact. */
void ct_mesh_contacts_mark(ct_mesh_contacts *t, const ct_mesh_face face[2]);
/* Writes the contacts to the points of the manifold, with the numbers of their patches. A patch is
 * a pair of connected sets of triangles in contact, one on each mesh. */
void ct_mesh_contacts_write_points(ct_mesh_contacts *t);

/* Returns the feature of a face that contains the point: a vertex or an edge within a tie, else the
 * face. An edge inside a flat part counts as the face. */
ct_feature ct_face_feature(const ct_mesh_contacts *t, const ct_mesh_face *face, ct_vec3 point);

/* An edge of a face, and the triangles adjacent to it. */
typedef struct ct_manifold_edge {
  ct_feature feature;
  uint32_t number;   /* lower of the edge's numbers in the adjacent triangles */
  ct_vec3 p, q;      /* ends; p is the vertex of lower index */
  ct_vec3 beyond[2]; /* opposite vertices of the one or two adjacent triangles */
  ct_vec3 other;     /* unit normal of the second adjacent triangle; zero if there is none */
  int wings;
  bool flat; /* the edge is inside a flat part of the mesh */
} ct_manifold_edge;
ct_manifold_edge ct_mesh_contacts_edge(const ct_mesh_contacts *t, const ct_mesh_face *face, int k);

/* Greatest inclination of a face, as a sine, beside two edges in contact. */
#define CT_LEAN_MAX 0.1
/* Directions whose angle has a smaller sine are equal. */
#define CT_DIRECTION_TIE 1e-6
/* True if the mesh ends along `direction` at a point of an edge, or at vertex k of a face: no
 * adjacent triangle extends beyond the plane through that point by more than the inclination
 * `lean`, a sine, allows. */
bool ct_edge_ends(const ct_manifold_edge *e, ct_vec3 at, ct_vec3 direction, double slack,
                  double lean);
bool ct_vertex_ends(const ct_mesh_contacts *t, const ct_mesh_face *face, int k, ct_vec3 direction,
                    double lean);

/* True if the point is inside the solid mesh `which`, or within a tie of its surface. */
bool ct_mesh_contacts_is_inside(const ct_mesh_contacts *t, int which, ct_vec3 point);

/* True if vertex k of a face is a vertex of the solid. False: it is a subdivision point inside a
 * flat part or on a straight edge. */
bool ct_is_corner(const ct_mesh_contacts *t, const ct_mesh_face *face, int k);

/* Adds the contacts of two faces: vertices of the first over the second (corners); edges of one
 * over edges of the other (edges). */
void ct_mesh_contacts_corners(ct_mesh_contacts *t, const ct_mesh_face face[2]);
void ct_mesh_contacts_edges(ct_mesh_contacts *t, const ct_mesh_face face[2]);
/* Adds the points where edges of the first face intersect the second, with distance 0 and the given
 * normal. */
void ct_mesh_contacts_crossings(ct_mesh_contacts *t, const ct_mesh_face face[2], ct_vec3 normal);

/* Adds contacts of overlapping solids along a direction: rims over rims, and vertices over faces
 * that do not contain the nearest surface point of the vertex.
 *
 * Marks the triangles of the overlap, so that patches stay connected. `number` is the index of the
 * direction; contacts of inside vertices are added after direction 0. */
void ct_mesh_contacts_facing(ct_mesh_contacts *t, ct_vec3 normal, uint32_t number);
/* True if the vertex has a contact along direction 0. */
bool ct_mesh_contacts_has_vertex(const ct_mesh_contacts *t, int which, uint32_t vertex);

#endif
