/* Volume meshes: tetrahedra, pyramids, wedges and hexahedra, of one type or mixed, built once, then
 * immutable and shared by reference count. Vertices, elements and the corners of each keep the
 * caller's numbers. Coordinates are in the shape's frame, m.
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
 * Corners are in the order of VTK and of Solfec. VTK's documentation draws the wedge with the
 * normal of 0 1 2 outward, against its own shape functions: such a wedge is inside out here, and
 * right with its triangles exchanged, 3 4 5 0 1 2.
 *
 * A node is a point: vertices that are bit-equal are one node, by the number of the first. Elements
 * are neighbours where they share a node. A face that one element has is outer; one that two have,
 * from its two sides, is inner. Neighbours share whole faces: triangle with triangle, quadrilateral
 * with quadrilateral.
 *
 * The corners of a quadrilateral need not lie in a plane. Each is split on the diagonal through its
 * lowest node, which both elements that share it do alike, and an element is the union of the
 * tetrahedra from its own lowest node over the triangles of the faces that do not have it (two in a
 * pyramid, three in a wedge, six in a hexahedron): elements fill the surface without gap or overlap
 * (Dompierre, Labbe, Vallet, Camarero 1999).
 *
 * An element that takes part in a pair as a convex body is the convex hull of its corners: itself
 * where its faces are plane or bulge, and more than itself by what its faces are warped inwards
 * where they are.
 */
#ifndef CONTACT_ELEMENTS_H
#define CONTACT_ELEMENTS_H

#include <contact/broad.h>
#include <contact/hull.h>
#include <contact/linkage.h>
#include <contact/mesh.h>

CT_DECLARATIONS_BEGIN

#define CT_ELEMENT_CORNERS_MAX 8
#define CT_ELEMENT_FACES_MAX 6
#define CT_ELEMENT_FACE_CORNERS_MAX 4
/* No element. */
#define CT_NO_ELEMENT UINT32_MAX
/* No vertex: beyond the corners of an element that has fewer than others of its mesh. */
#define CT_NO_VERTEX UINT32_MAX

typedef struct ct_elements ct_elements;

typedef enum ct_element_type {
  CT_TETRAHEDRA,
  CT_HEXAHEDRA,
  CT_PYRAMIDS,
  CT_WEDGES,
  CT_MIXED_ELEMENTS /* of meshes alone: each element has one of the types above */
} ct_element_type;

/* What an element of a type has. */
typedef struct ct_element_form {
  uint32_t corners, faces;                     /* 4 and 4, 5 and 5, 6 and 5, or 8 and 6 */
  uint32_t face_corners[CT_ELEMENT_FACES_MAX]; /* 3 or 4 */
  uint32_t face[CT_ELEMENT_FACES_MAX][CT_ELEMENT_FACE_CORNERS_MAX];
} ct_element_form;
/* Static storage. Of CT_MIXED_ELEMENTS the most that an element has, 8 and 6, without faces. */
const ct_element_form *ct_element_form_of(ct_element_type type);
/* Of the elements with so many corners, 4, 5, 6 or 8; NULL: there are none. Static storage. */
const ct_element_form *ct_element_form_of_corners(uint32_t corners);

/* Borrowed arrays of elements that are to be made. */
typedef struct ct_elements_data {
  ct_element_type type;
  const ct_vec3 *vertices; /* [vertex_count] */
  size_t vertex_count;
  const uint32_t *corners; /* indices below vertex_count, element after element */
  size_t element_count;
  const ct_vec3 *normals;      /* [vertex_count] as in ct_mesh_data, for the surface; NULL: none */
  const uint32_t *surface_ids; /* [surface_id_count] one for each outer face, in the order of `outer`; NULL: none */
  size_t surface_id_count;
  /* CT_MIXED_ELEMENTS: [element_count] 4, 5, 6 or 8; of other types not read. */
  const uint8_t *corner_counts;
  /* From an element's first corner to the next one's, as in ct_elements_view; 0: side by side. */
  size_t corner_stride;
} ct_elements_data;

/* Borrowed view of the arrays; valid while the elements are retained. */
typedef struct ct_elements_view {
  ct_element_type type;                 /* of the mesh, as given */
  uint32_t vertex_count, element_count; /* as given */
  /* Corners and faces of an element of the type; of CT_MIXED_ELEMENTS 8 and 6. */
  uint32_t corner_stride, face_stride;
  const uint8_t *corner_counts; /* [element_count] 4, 5, 6 or 8: the type of each element */
  const ct_vec3 *vertices;              /* as given, but that coordinates below 2^-260 of the largest are zero */
  const uint32_t *corners; /* [element_count * corner_stride] vertices as given; CT_NO_VERTEX beyond
                            * an element's corners */
  const uint32_t *nodes;   /* the same, of bit-equal vertices the first */
  const uint32_t *across;  /* [element_count * face_stride] the element beyond the face, or
                            * CT_NO_ELEMENT: an outer face, or beyond the element's faces */
  uint32_t outer_count;    /* outer faces */
  const uint32_t *outer;   /* [outer_count] element * face_stride + face, ascending */
  const uint32_t *surface_ids; /* [outer_count], or NULL */
  const ct_vec3 *normals;      /* [vertex_count] as given, or NULL: those of the surface */
  const ct_mesh *surface; /* a solid of all given vertices; its triangles are the outer faces in
                           * order, two for a quadrilateral, both from its lowest node on */
  /* [triangles of the surface] the outer face, by its place in `outer`, that each is part of. */
  const uint32_t *triangle_outer;
  /* [element_count] the convex hull of the corners; its vertex_input is the corner. */
  const ct_hull *const *hulls;
  const ct_aabb *boxes; /* [element_count] of the corners, exactly */
  const ct_tree *tree; /* over the boxes; the user value is the element */
  double volume;       /* of all elements: of the surface, m^3 */
} ct_elements_view;

/* Why elements cannot be made. */
typedef enum ct_element_fault {
  CT_ELEMENT_SOUND,
  CT_ELEMENT_REPEATED, /* two of its corners are one node: `corner` is the second */
  CT_ELEMENT_FLAT,     /* no volume: a tetrahedron of it is in a plane, by exact predicate */
  CT_ELEMENT_INVERTED, /* inside out: each of its tetrahedra is negative */
  CT_ELEMENT_TWISTED,  /* one of several tetrahedra of which some are negative and some are not */
  CT_ELEMENT_CROWDED,  /* a face that three and more elements have: `element` is the third of them,
                        * `other` the first */
  CT_ELEMENT_ONE_SIDE, /* a face that two elements have from the same side, or with its corners in
                        * different order: `other` is the earlier one */
  CT_ELEMENT_OPEN,     /* the outer faces enclose no solid: no element in particular */
  CT_ELEMENT_IDS,      /* surface_id_count is not the number of outer faces */
  CT_ELEMENT_CORNERS,  /* its corner count is not 4, 5, 6 or 8; of element 0, that corner_counts is
                        * NULL */
  CT_ELEMENT_SPLIT /* a face that meets one of `other`, an earlier element, with another number of
                    * corners: three corners of a quadrilateral are a triangle of the other one */
} ct_element_fault;

/* What building found; filled on CT_OK and on CT_BAD_ELEMENT. */
typedef struct ct_elements_report {
  ct_element_fault fault;
  uint32_t element, other;   /* the first element at fault, and another; or CT_NO_ELEMENT */
  uint32_t corner, face;     /* of `element`, where the fault is of one */
  uint32_t tetrahedron[4];   /* FLAT, INVERTED, TWISTED: corners of the least of the tetrahedra that `element` is made of, in the
                              * order of VTK */
  double tetrahedron_volume; /* of that one, m^3, to round-off; its sign is exact */
  uint32_t nodes;            /* that elements have */
  uint32_t unused_vertices;  /* given vertices in whose point no element has a corner */
  uint32_t outer_faces;
  double least_volume, greatest_volume; /* of the elements' hulls, m^3 */
  ct_mesh_report surface;
} ct_elements_report;

/* Elements of copies of the given arrays. CT_BAD_ELEMENT: the report says which and why. CT_LIMIT: no element or more than
 * CT_ELEMENTS_MAX, more than CT_MESH_VERTICES_MAX vertices, or a coordinate that is not finite or beyond 2^300. CT_OUT_OF_MEMORY,
 * CT_CANCELLED. `cancel` and `report` may be NULL. Cost O(n log n): a hull for each element. The caller owns the reference in
 * *out. */
ct_status ct_elements_create(const ct_elements_data *data, const ct_cancel *cancel, ct_elements **out, ct_elements_report *report);

/* The elements with their vertices, and normals, elsewhere: elements of their own, the first ones stay as they are. Connectivity,
 * faces and surface ids are shared; sides, hulls, boxes, volume and surface are computed again, so answers are those of elements
 * that ct_elements_create makes of the same arrays, but for the order of both trees' leaves. The trees are fitted as that of
 * ct_mesh_move; where one of them costs CT_MESH_REFIT_COST times what it did when it was built, or other vertices are one point
 * than before, all is created from the beginning. CT_BAD_ELEMENT: the report names the first element that is flat, inside out or
 * has two corners in one point now. Other errors, `cancel` and `report` as of ct_elements_create. O(n) */
ct_status ct_elements_move(const ct_elements *elements, const ct_vec3 *vertices, const ct_vec3 *normals, const ct_cancel *cancel,
                           ct_elements **out, ct_elements_report *report);

/* The elements for whose vertices the trees of moved ones were built; NULL: they were built for their own. Borrowed. */
const ct_elements *ct_elements_origin(const ct_elements *elements);

const ct_elements *ct_elements_retain(const ct_elements *elements);
void ct_elements_release(const ct_elements *elements);
const ct_elements_view *ct_elements_get(const ct_elements *elements);
/* Bytes held, with those of the surface, the hulls, the tree and the origin. */
size_t ct_elements_bytes(const ct_elements *elements);

/* The functions of a view take numbers that it has: a zeroed one has none. Do two elements share a node? An element does with
 * itself. */
bool ct_elements_adjacent(const ct_elements_view *view, uint32_t i, uint32_t j);
/* What the element has. */
static inline const ct_element_form *ct_elements_form(const ct_elements_view *view,
                                                      uint32_t element) {
  return ct_element_form_of_corners(view->corner_counts[element]);
}
/* The outer face, by its place in `outer`, that a triangle of the surface is part of. */
static inline uint32_t ct_elements_outer_of(const ct_elements_view *view, uint32_t triangle) {
  return view->triangle_outer[triangle];
}
/* The element that has a triangle of the surface. */
static inline uint32_t ct_elements_of_triangle(const ct_elements_view *view, uint32_t triangle) {
  return view->outer[ct_elements_outer_of(view, triangle)] / view->face_stride;
}
/* The face of the element all of whose corners a face of its hull has, or some of them alone: by
 * its number in form.face, or CT_NO_ELEMENT where there is none, as where two faces of an element
 * lie in one plane. */
uint32_t ct_elements_hull_face(const ct_elements_view *view, uint32_t element, uint32_t hull_face);

CT_DECLARATIONS_END

#endif
