/* Touches of two meshes in the making: two features that meet, on two triangles.
 *
 * Everything is in the frame of the first mesh, b's corners placed in it one by one as in mesh_tree_pairs.h; distances are those of
 * the bare meshes until a touch is taken, which adds what rounding and margins add.
 */
#ifndef MANIFOLD_MANIFOLD_MESHES_H
#define MANIFOLD_MANIFOLD_MESHES_H

#include "manifold/manifold.h"
#include "mesh_pairs/mesh_tree_pairs.h"

/* Points of two meshes, at most: the deepest, which touches are cut to when they are as many as CT_CONTACT_POINTS_MAX. */
#define CT_MESH_POINTS_MAX 65536u
#define CT_CONTACT_POINTS_MAX 131072u

typedef struct ct_mesh_contact {
  ct_contact_point point;
  uint32_t position[2];
  double facing; /* how much the two triangles face each other along the normal */
} ct_mesh_contact;

typedef struct ct_mesh_contacts {
  ct_contacts *contacts;
  ct_mesh_pair pair;
  const ct_mesh *mesh[2];
  const ct_mesh_view *view[2];
  double growth[2];
  double reach, least; /* of bare meshes: touches farther apart or deeper are left out */
  double most;         /* the same as reach, but for touches that were cut: others as far apart are left out too */
  bool cut;            /* touches were */
  double slack;        /* round-off, m */
  double tie;          /* ct_contacts_tie of the two bodies, m */
  bool overlap;        /* of solids that overlap touches may be below 0 */
} ct_mesh_contacts;

/* Solids that overlap are looked at along the pair's normal and, where features inside have quite other ones, along those. */
#define CT_FACING_DIRECTIONS_MAX 8

/* A triangle of one mesh. */
typedef struct ct_mesh_face {
  int which; /* 0: of a, 1: of b */
  uint32_t position;
  ct_triangle t;
  ct_vec3 normal; /* unit; zero of one that placing has made a segment */
  double tie; /* points within this of a corner or an edge are on it, m: of the bodies or, where it is smaller, of the triangle */
} ct_mesh_face;
ct_mesh_face ct_mesh_contacts_face(const ct_mesh_contacts *t, int which, uint32_t position);
ct_vec3 ct_mesh_contacts_vertex(const ct_mesh_contacts *t, int which, uint32_t vertex);

/* What meets: features and points of the two bare meshes in the order of the faces; the normal from the first face's mesh. */
typedef struct ct_feature_meeting {
  ct_feature feature[2];
  ct_vec3 point[2], normal;
  double distance;
} ct_feature_meeting;

/* Keeps it if it is within reach. */
void ct_mesh_contacts_add(ct_mesh_contacts *t, const ct_mesh_face face[2], const ct_feature_meeting *meet);
/* Marks the triangles of two faces as being in contact. */
void ct_mesh_contacts_mark(ct_mesh_contacts *t, const ct_mesh_face face[2]);
/* Each meeting of two features once, in the order of their features. */
void ct_mesh_contacts_unique(ct_mesh_contacts *t);
/* From touches to the points of the manifold, numbered by patches: those of triangles that hang together on both meshes. */
void ct_mesh_contacts_write_points(ct_mesh_contacts *t);

/* The part of a face that a point of it is on: a corner or an edge when within a tie; edges inside a flat part are of the face.
 */
ct_feature ct_face_feature(const ct_mesh_contacts *t, const ct_mesh_face *face, ct_vec3 point);

/* An edge of a face. */
typedef struct ct_mesh_edge {
  ct_feature feature;
  uint32_t number;   /* the lower of its two triangles' numbers for it */
  ct_vec3 p, q;      /* from the vertex of the lower number */
  ct_vec3 beyond[2]; /* the third corners of its triangles */
  ct_vec3 other;     /* unit normal of the triangle beyond; zero where there is none */
  int wings;
  bool flat; /* inside a flat part */
} ct_mesh_edge;
ct_mesh_edge ct_mesh_contacts_edge(const ct_mesh_contacts *t, const ct_mesh_face *face, int k);

/* By how much a face may lean, as a sine, where two of its edges and the other's meet. */
#define CT_LEAN_MAX 0.1
/* Directions that differ by less, as a sine, are equal. */
#define CT_DIRECTION_TIE 1e-6
/* Does the mesh end along a way at a point of an edge, or in corner k of a face: do none of the triangles there reach farther by
 * more than `lean`, a sine? */
bool ct_edge_ends(const ct_mesh_edge *e, ct_vec3 at, ct_vec3 way, double slack, double lean);
bool ct_vertex_ends(const ct_mesh_contacts *t, const ct_mesh_face *face, int k, ct_vec3 way, double lean);

/* Is a point inside a solid, or on its surface to a tie? */
bool ct_mesh_contacts_is_inside(const ct_mesh_contacts *t, int which, ct_vec3 point);

/* Is corner k of a face one of the solid too, or is it amid a flat part or on a straight edge, where cutting faces finer has put
 * it?
 */
bool ct_is_corner(const ct_mesh_contacts *t, const ct_mesh_face *face, int k);

/* Touches of two faces: corners of the first over the second, and edges over edges. */
void ct_mesh_contacts_corners(ct_mesh_contacts *t, const ct_mesh_face face[2]);
void ct_mesh_contacts_edges(ct_mesh_contacts *t, const ct_mesh_face face[2]);
/* Where edges of the first pass the second: points at distance 0, along a given normal. */
void ct_mesh_contacts_crossings(ct_mesh_contacts *t, const ct_mesh_face face[2], ct_vec3 normal);

/* Solids that overlap, seen along a normal: where rims of the one run over rims of the other, and vertices over faces that the
 * vertices' nearest surface points are not on. Marks the triangles of the overlap, so that patches hang together. `number`: of the
 * look, from 0; vertices inside are found after the first. */
void ct_mesh_contacts_facing(ct_mesh_contacts *t, ct_vec3 normal, uint32_t number);
/* Has a vertex that is inside got its place along a normal? */
bool ct_mesh_contacts_has_vertex(const ct_mesh_contacts *t, int which, uint32_t vertex);

#endif
