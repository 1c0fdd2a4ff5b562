/* Volume meshes of tetrahedra, pyramids, wedges and hexahedra, of one type or mixed: built once,
 * then immutable and shared by reference count. Vertices, elements and corners keep the caller's
 * numbers. Coordinates are in the shape's frame, m.
 *
 * Order of corners and faces. The bottom is counter-clockwise seen from the top; each face is
 * counter-clockwise seen from outside.
 *
 *   tetrahedron  bottom 0 1 2, top 3          {0,1,3}, {1,2,3}, {2,0,3}, {0,2,1}
 *   pyramid      bottom 0 1 2 3, top 4        {0,3,2,1}, {0,1,4}, {1,2,4}, {2,3,4}, {3,0,4}
 *   wedge        bottom 0 1 2, top 3 4 5      {0,2,1}, {3,4,5}, {0,1,4,3}, {1,2,5,4}, {2,0,3,5}
 *   hexahedron   bottom 0 1 2 3, top 4 5 6 7  {0,4,7,3}, {1,2,6,5}, {0,1,5,4}, {3,7,6,2},
 *                                             {0,3,2,1}, {4,5,6,7}
 *
 * VTK and Solfec have the same corner order. VTK's documentation draws the wedge with the normal of
 * corners 0 1 2 outward, contrary to VTK's own shape functions. Such a wedge is inverted here;
 * exchange its triangles: 3 4 5 0 1 2.
 *
 * Nodes. A node is a point: bit-equal vertices are the same node, which has the index of the first
 * of them. Elements are neighbours if they share a node. A face that belongs to one element is
 * outer; a face that two elements share, from its two sides, is inner. Neighbours share whole
 * faces: a triangle with a triangle, a quadrilateral with a quadrilateral.
 *
 * Warped faces. The corners of a quadrilateral may be non-coplanar. Each quadrilateral is split
 * along the diagonal through its lowest node, identically in both elements. An element is the union
 * of the tetrahedra from its lowest node over the triangles of the faces without that node: two in
 * a pyramid, three in a wedge, six in a hexahedron. Elements therefore fill the surface without gap
 * or overlap (Dompierre, Labbe, Vallet, Camarero 1999).
 *
 * Convex pieces. In a pair query, an element is replaced by the convex hull of its corners. The
 * hull equals the element if its faces are planar or bulge outward, and is larger if faces are
 * warped inward. */
#ifndef CONTACT_ELEMENTS_H
#define CONTACT_ELEMENTS_H

#include <contact/base.h>
#include <contact/broad.h>
#include <contact/hull.h>
#include <contact/mesh.h>

CT_DECLARATIONS_BEGIN

#define CT_ELEMENT_CORNERS_MAX 8
#define CT_ELEMENT_FACES_MAX 6
#define CT_ELEMENT_FACE_CORNERS_MAX 4
/* No element. */
#define CT_NO_ELEMENT UINT32_MAX
/* In `corners`, after the vertices of an element that has fewer corners than others of the mesh. */
#define CT_NO_VERTEX UINT32_MAX

typedef struct ct_elements ct_elements;

typedef enum ct_element_type {
  CT_TETRAHEDRA,
  CT_HEXAHEDRA,
  CT_PYRAMIDS,
  CT_WEDGES,
  CT_MIXED_ELEMENTS /* only as the type of a mesh: each element has one of the types above */
} ct_element_type;

/* Numbers of corners and faces of an element type, and the corners of each face. */
typedef struct ct_element_form {
  uint32_t corners, faces;                     /* 4 and 4, 5 and 5, 6 and 5, or 8 and 6 */
  uint32_t face_corners[CT_ELEMENT_FACES_MAX]; /* 3 or 4 */
  uint32_t face[CT_ELEMENT_FACES_MAX][CT_ELEMENT_FACE_CORNERS_MAX];
} ct_element_form;
/* Returns the form of a type, in static storage. For CT_MIXED_ELEMENTS: the maxima 8 and 6, without
 * corners of faces. */
const ct_element_form *ct_element_form_of(ct_element_type type);
/* Returns the form of the elements with 4, 5, 6 or 8 corners, in static storage; NULL: no type has
 * so many. */
const ct_element_form *ct_element_form_of_corners(uint32_t corners);

/* Input of ct_elements_create; borrowed arrays. */
typedef struct ct_elements_data {
  ct_element_type type;
  const ct_vec3 *vertices; /* [vertex_count] */
  size_t vertex_count;
  const uint32_t *corners; /* indices below vertex_count, element after element */
  size_t element_count;
  /* [vertex_count] outward normals of the surface at the vertices, as in ct_mesh_data; NULL:
   * none */
  const ct_vec3 *normals;
  /* [surface_id_count] id of each outer face, in the order of ct_elements_view.outer; NULL: none */
  const uint32_t *surface_ids;
  size_t surface_id_count;
  /* CT_MIXED_ELEMENTS: [element_count] number of corners of each element, 4, 5, 6 or 8; ignored for
   * other types */
  const uint8_t *corner_counts;
  /* Distance in `corners` between the first corners of two consecutive elements; 0: elements follow
   * each other without gaps */
  size_t corner_stride;
} ct_elements_data;

/* Borrowed view of the arrays; valid while the elements are retained. */
typedef struct ct_elements_view {
  ct_element_type type;                 /* type of the mesh, as given */
  uint32_t vertex_count, element_count; /* as given */
  /* Distance between the first entries of two consecutive elements: in `corners` and `nodes`, and
   * in `across`. Equal to the numbers of corners and faces of the type; CT_MIXED_ELEMENTS: 8 and
   * 6 */
  uint32_t corner_stride, face_stride;
  /* [element_count] number of corners, 4, 5, 6 or 8, which defines the type of each element */
  const uint8_t *corner_counts;
  /* [vertex_count] as given, but with 0 for coordinates below 2^-260 of the largest */
  const ct_vec3 *vertices;
  /* [element_count * corner_stride] vertices as given; CT_NO_VERTEX beyond an element's corners */
  const uint32_t *corners;
  /* [element_count * corner_stride] nodes of the corners: for each, the first of the bit-equal
   * vertices */
  const uint32_t *nodes;
  /* [element_count * face_stride] neighbouring element across each face; CT_NO_ELEMENT for an outer
   * face, and beyond the element's faces */
  const uint32_t *across;
  uint32_t outer_count; /* number of outer faces */
  /* [outer_count] outer faces, each as element * face_stride + face, ascending */
  const uint32_t *outer;
  const uint32_t *surface_ids; /* [outer_count] ids as given, or NULL */
  /* [vertex_count] as given; NULL: not given, the surface's own normals apply */
  const ct_vec3 *normals;
  /* Solid mesh of all given vertices. Its triangles are the outer faces in the order of `outer`; a
   * quadrilateral is two triangles, both with its lowest node. */
  const ct_mesh *surface;
  /* [triangles of the surface] for each, the index in `outer` of the face that contains it. */
  const uint32_t *triangle_outer;
  /* [element_count] convex hull of each element's corners; vertex_input is the corner. */
  const ct_hull *const *hulls;
  const ct_aabb *boxes; /* [element_count] exact AABBs of the corners */
  const ct_tree *tree;  /* tree over `boxes`; the user value is the element */
  double volume;        /* total volume, equal to the volume of the surface, m^3 */
} ct_elements_view;

/* What is wrong with an element. */
typedef enum ct_element_fault {
  CT_ELEMENT_SOUND,
  CT_ELEMENT_REPEATED, /* two corners are the same node; `corner` is the second */
  /* an element without volume: one of its tetrahedra is coplanar, by exact predicate */
  CT_ELEMENT_FLAT,
  CT_ELEMENT_INVERTED, /* the element is inside out: each of its tetrahedra has negative volume */
  CT_ELEMENT_TWISTED,  /* some, but not all, of the element's tetrahedra have negative volume */
  /* more than two elements share a face: `element` is the third, `other` the first */
  CT_ELEMENT_CROWDED,
  /* two elements share a face but lie on the same side of it, or have its corners in incompatible
   * orders: `other` is the earlier element */
  CT_ELEMENT_ONE_SIDE,
  CT_ELEMENT_OPEN, /* the outer faces enclose no solid; no specific element is at fault */
  CT_ELEMENT_IDS,  /* the number of given surface ids differs from the number of outer faces */
  /* the element's number of corners is not 4, 5, 6 or 8; also reported, for element 0, if
   * corner_counts is NULL */
  CT_ELEMENT_CORNERS,
  /* a triangular face has the same three corners as part of a quadrilateral face of `other`, an
   * earlier element, or vice versa */
  CT_ELEMENT_SPLIT
} ct_element_fault;

/* Report of building elements; filled on CT_OK and on CT_BAD_ELEMENT. */
typedef struct ct_elements_report {
  ct_element_fault fault;
  /* the first faulty element, and a second one that is involved; CT_NO_ELEMENT: none */
  uint32_t element, other;
  /* indices of a corner and a face of `element`, if the fault concerns one */
  uint32_t corner, face;
  /* FLAT, INVERTED, TWISTED: corners, in VTK's order, of the tetrahedron of `element` with the
   * smallest volume */
  uint32_t tetrahedron[4];
  double tetrahedron_volume; /* volume of `tetrahedron`, m^3; rounded, but with the exact sign */
  uint32_t nodes;            /* number of nodes that elements use */
  uint32_t unused_vertices;  /* number of given vertices at points that no element uses */
  uint32_t outer_faces;
  double least_volume, greatest_volume; /* smallest and largest volume of an element's hull, m^3 */
  ct_mesh_report surface;
} ct_elements_report;

/* Builds elements from copies of the arrays; the caller owns the reference in *out. `cancel` and
 * `report` may be NULL.
 * CT_BAD_ELEMENT: an element is faulty, see the report. CT_LIMIT: no element, or more than
 * CT_ELEMENTS_MAX; more than CT_MESH_VERTICES_MAX vertices; a coordinate that is not finite or
 * beyond 2^300. CT_OUT_OF_MEMORY, CT_CANCELLED.
 * O(n log n), with a hull per element. */
ct_status ct_elements_create(const ct_elements_data *data, const ct_cancel *cancel,
                             ct_elements **out, ct_elements_report *report);

/* Builds elements with moved vertices and normals; the original is unchanged. vertices, normals
 * (may be NULL): [vertex_count]. Connectivity, faces and surface ids are shared. Sides, hulls,
 * boxes, volume and surface are recomputed, so results are as from ct_elements_create on the same
 * arrays, except for the leaf order of both trees. The trees are refitted as in ct_mesh_move. They
 * are rebuilt if a tree's cost reaches CT_MESH_REFIT_COST times its cost when built, or if other
 * vertices coincide.
 * CT_BAD_ELEMENT: the report names the first element that is now flat, inverted, or has two corners
 * at one point. Other errors, `cancel` and `report` as in ct_elements_create.
 * O(n). */
ct_status ct_elements_move(const ct_elements *elements, const ct_vec3 *vertices,
                           const ct_vec3 *normals, const ct_cancel *cancel, ct_elements **out,
                           ct_elements_report *report);

/* Returns the elements for which the trees were built, borrowed; NULL: the trees were built for
 * these elements. */
const ct_elements *ct_elements_origin(const ct_elements *elements);

/* Adds a reference, and returns the elements; ct_elements_release drops one, NULL is allowed.
 * Thread-safe. */
const ct_elements *ct_elements_retain(const ct_elements *elements);
void ct_elements_release(const ct_elements *elements);
/* View of the elements; valid while they are retained. O(1). */
const ct_elements_view *ct_elements_get(const ct_elements *elements);
/* Memory of the elements, bytes, with surface, hulls, trees and origin. */
size_t ct_elements_bytes(const ct_elements *elements);

/* True if two elements share a node; also true for i = j. In this and the following functions,
 * indices must be in range. */
bool ct_elements_adjacent(const ct_elements_view *view, uint32_t i, uint32_t j);
/* Returns the form (corners and faces) of an element. */
static inline const ct_element_form *ct_elements_form(const ct_elements_view *view,
                                                      uint32_t element) {
  return ct_element_form_of_corners(view->corner_counts[element]);
}
/* Returns the index in `outer` of the face that contains a surface triangle. */
static inline uint32_t ct_elements_outer_of(const ct_elements_view *view, uint32_t triangle) {
  return view->triangle_outer[triangle];
}
/* Returns the element whose face contains a surface triangle. */
static inline uint32_t ct_elements_of_triangle(const ct_elements_view *view, uint32_t triangle) {
  return view->outer[ct_elements_outer_of(view, triangle)] / view->face_stride;
}
/* Returns the face of the element, as an index of form.face, of which a face of its hull is all or
 * a part. CT_NO_ELEMENT: there is no such single face, for example if two faces of the element are
 * coplanar. */
uint32_t ct_elements_hull_face(const ct_elements_view *view, uint32_t element, uint32_t hull_face);

CT_DECLARATIONS_END

#endif
