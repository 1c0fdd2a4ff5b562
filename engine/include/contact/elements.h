/* Volume meshes: tetrahedra or hexahedra, built once, then immutable and shared by reference count. Vertices, elements and the
 * corners of each keep the caller's numbers. Coordinates are in the shape's frame, m.
 *
 * Corners are in the order of VTK. A tetrahedron has corner 3 on the side to which the normal (p1 - p0) x (p2 - p0) points; its
 * faces, outward: {0,1,3}, {1,2,3}, {2,0,3}, {0,2,1}. A hexahedron has corners 0, 1, 2, 3 around its bottom, counter-clockwise seen
 * from the top, and 4, 5, 6, 7 above them; its faces, outward: {0,4,7,3}, {1,2,6,5}, {0,1,5,4}, {3,7,6,2}, {0,3,2,1}, {4,5,6,7}.
 *
 * A node is a point: vertices that are bit-equal are one node, by the number of the first. Elements are neighbours where they share
 * a node. A face that one element has is outer; one that two have, from its two sides, is inner.
 *
 * The four corners of a hexahedron's face need not lie in a plane. Each such face is split on the diagonal through its lowest node,
 * which both elements that share it do alike, and the hexahedron is the union of the six tetrahedra from its own lowest node over
 * the triangles of the faces that do not have it: elements fill the surface without gap or overlap (Dompierre, Labbe, Vallet,
 * Camarero 1999).
 *
 * An element that takes part in a pair as a convex body is the convex hull of its corners: itself where its faces are plane or
 * bulge, and more than itself by what its faces are warped inwards where they are.
 */
#ifndef CONTACT_ELEMENTS_H
#define CONTACT_ELEMENTS_H

#include <contact/broad.h>
#include <contact/hull.h>
#include <contact/mesh.h>

#define CT_ELEMENT_CORNERS_MAX 8
#define CT_ELEMENT_FACES_MAX 6
#define CT_ELEMENT_FACE_CORNERS_MAX 4
/* No element. */
#define CT_NO_ELEMENT UINT32_MAX

typedef struct ct_elements ct_elements;

typedef enum ct_element_type { CT_TETRAHEDRA, CT_HEXAHEDRA } ct_element_type;

/* What elements of a type have. */
typedef struct ct_element_form {
  uint32_t corners, faces, face_corners; /* 4, 4, 3 or 8, 6, 4 */
  uint32_t face[CT_ELEMENT_FACES_MAX][CT_ELEMENT_FACE_CORNERS_MAX];
} ct_element_form;
const ct_element_form *ct_element_form_of(ct_element_type type); /* static storage */

/* Borrowed arrays of elements that are to be made. */
typedef struct ct_elements_data {
  ct_element_type type;
  const ct_vec3 *vertices; /* [vertex_count] */
  size_t vertex_count;
  const uint32_t *corners; /* [element_count * corners of the type] indices below vertex_count */
  size_t element_count;
  const ct_vec3 *normals;      /* [vertex_count] as in ct_mesh_data, for the surface; NULL: none */
  const uint32_t *surface_ids; /* [surface_id_count] one for each outer face, in the order of `outer`; NULL: none */
  size_t surface_id_count;
} ct_elements_data;

/* Borrowed view of the arrays; valid while the elements are retained. */
typedef struct ct_elements_view {
  ct_element_type type;
  ct_element_form form;
  uint32_t vertex_count, element_count; /* as given */
  const ct_vec3 *vertices;              /* as given, but that coordinates below 2^-260 of the largest are zero */
  const uint32_t *corners;              /* [element_count * form.corners] vertices as given */
  const uint32_t *nodes;                /* the same, of bit-equal vertices the first */
  const uint32_t *across;      /* [element_count * form.faces] the element beyond the face, or CT_NO_ELEMENT: an outer face */
  uint32_t outer_count;        /* outer faces */
  const uint32_t *outer;       /* [outer_count] element * form.faces + face, ascending */
  const uint32_t *surface_ids; /* [outer_count], or NULL */
  const ct_vec3 *normals;      /* [vertex_count] as given, or NULL: those of the surface */
  const ct_mesh *surface; /* a solid of all given vertices; its triangles are the outer faces in order, of a hexahedron two each:
                             2 i and 2 i + 1 are the halves of outer face i, both from its lowest node on */
  const ct_hull *const *hulls; /* [element_count] the convex hull of the corners; its vertex_input is the corner */
  const ct_box *boxes;         /* [element_count] of the corners, exactly */
  const ct_tree *tree;         /* over the boxes; the user value is the element */
  double volume;               /* of all elements: of the surface, m^3 */
} ct_elements_view;

/* Why elements cannot be made. */
typedef enum ct_element_fault {
  CT_ELEMENT_SOUND,
  CT_ELEMENT_REPEATED, /* two of its corners are one node: `corner` is the second */
  CT_ELEMENT_FLAT,     /* no volume: a tetrahedron of it is in a plane, by exact predicate */
  CT_ELEMENT_INVERTED, /* inside out: each of its tetrahedra is negative */
  CT_ELEMENT_TWISTED,  /* a hexahedron of which some tetrahedra are negative and some are not */
  CT_ELEMENT_CROWDED,  /* a face that three and more elements have: `element` is the third of them, `other` the first */
  CT_ELEMENT_ONE_SIDE, /* a face that two elements have from the same side, or with its corners in different order: `other` is the
                        * earlier one */
  CT_ELEMENT_OPEN,     /* the outer faces enclose no solid: no element in particular */
  CT_ELEMENT_IDS       /* surface_id_count is not the number of outer faces */
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
/* The outer face, by its place in `outer`, that a triangle of the surface is part of. */
static inline uint32_t ct_elements_outer_of(const ct_elements_view *view, uint32_t triangle) {
  return view->type == CT_HEXAHEDRA ? triangle / 2 : triangle;
}
/* The element that has a triangle of the surface. */
static inline uint32_t ct_elements_of_triangle(const ct_elements_view *view, uint32_t triangle) {
  return view->outer[ct_elements_outer_of(view, triangle)] / view->form.faces;
}
/* The face of the element all of whose corners a face of its hull has, or some of them alone: by its number in form.face, or
 * CT_NO_ELEMENT where there is none, as where two faces of a hexahedron lie in one plane. */
uint32_t ct_elements_hull_face(const ct_elements_view *view, uint32_t element, uint32_t hull_face);

#endif
