/* Triangle meshes: built once, then immutable and shared by reference count. Vertices and triangles keep the caller's numbers.
 *
 * A mesh is concave and exact. It is a surface or, when it is closed and consistently oriented, a solid (its normals,
 * counter-clockwise triangles seen from outside, point out of the material). Which triangles belong together is decided by
 * bit-equal vertices, so the separate triangles of an STL file are joined without any tolerance. Coordinates are in the shape's
 * frame, m.
 */
#ifndef CONTACT_MESH_H
#define CONTACT_MESH_H

#include <contact/cancel.h>
#include <contact/status.h>
#include <contact/vec.h>

/* Triangles of a leaf of the mesh's tree, at most. */
#define CT_MESH_LEAF_MAX 4
/* No triangle. */
#define CT_NO_TRIANGLE UINT32_MAX

typedef struct ct_mesh ct_mesh;

/* Node of the tree over the live triangles. nodes[0] is the root; children stand side by side. */
typedef struct ct_mesh_node {
  ct_box box;     /* of the node's triangles, exactly */
  uint32_t first; /* inner node: its first child, the second is first + 1; leaf: position of its first triangle in `order` */
  uint32_t count; /* leaf: its triangles; 0: inner node */
} ct_mesh_node;

/* Borrowed view of a mesh's arrays; valid while the mesh is retained. */
typedef struct ct_mesh_view {
  uint32_t vertex_count, triangle_count; /* as given, all of them */
  const ct_vec3 *vertices;
  const uint32_t (*triangles)[3]; /* vertex indices as given; seen from outside counter-clockwise, or clockwise when `flipped` */
  bool flipped;                   /* a closed mesh that was given inside out: read every triangle the other way round */
  bool solid;
  uint32_t live_count;       /* triangles that take part: neither degenerate nor given twice */
  const uint32_t *order;     /* [live_count] live triangles in the order of the leaves */
  const ct_mesh_node *nodes; /* [node_count] */
  uint32_t node_count;
  uint32_t component_count;         /* connected parts, by shared vertices */
  const uint32_t *component_vertex; /* [component_count] a vertex of each part */
  ct_vec3 centroid;                 /* of the volume of a solid, else of the area */
  double radius;                    /* of the ball about centroid that holds all live triangles, m */
  double volume;                    /* m^3; 0 for a surface */
  ct_mat3 inertia;                  /* of a solid about centroid for unit density, kg m^2 */
  ct_box box;                       /* of the live triangles */
} ct_mesh_view;

/* What building a mesh found. Filled on success, and on CT_OPEN_MESH and CT_DEGENERATE_MESH too. */
typedef struct ct_mesh_report {
  uint32_t triangles;            /* live */
  uint32_t vertices;             /* different points that live triangles use */
  uint32_t merged_vertices;      /* given vertices that are bit-equal to an earlier one */
  uint32_t unused_vertices;      /* given vertices that no live triangle uses */
  uint32_t degenerate_triangles; /* dropped: two corners are one point, or all three lie on a line, by exact predicate */
  uint32_t duplicate_triangles;  /* dropped: the three corners of an earlier one, either way round */
  uint32_t components;
  uint32_t open_edges;         /* edges of one triangle */
  uint32_t crowded_edges;      /* edges of three and more triangles: the mesh is no manifold */
  uint32_t inconsistent_edges; /* edges that two triangles run through in the same direction */
  uint32_t pinched_vertices;   /* vertices whose triangles form more than one fan: no manifold there */
  bool closed;     /* no open edge, and every edge has as many triangles one way as the other or is merely inconsistent */
  bool oriented;   /* no inconsistent edge */
  bool manifold;   /* no crowded edge, no pinched vertex */
  bool watertight; /* closed, oriented and manifold */
  bool flipped;    /* closed, but inside out: read the other way round */
  bool solid;
  uint32_t bad_triangle; /* a triangle at the first open, crowded or inconsistent edge, or CT_NO_TRIANGLE */
  uint32_t bad_edge[2];  /* that edge's vertices as given */
  double volume, area;   /* m^3 (0 unless closed and oriented), m^2 */
  ct_box box;
} ct_mesh_report;

typedef enum ct_mesh_reading { CT_MESH_AUTO, CT_MESH_SURFACE, CT_MESH_SOLID } ct_mesh_reading;

/* A mesh of copies of the given arrays; every index must be < vertex_count and every coordinate finite. AUTO: a solid when closed
 * and oriented, else a surface. CT_OPEN_MESH: SOLID was asked of a mesh that is not closed and oriented, or encloses no volume.
 * CT_DEGENERATE_MESH: no live triangle. CT_LIMIT: more than CT_MESH_TRIANGLES_MAX triangles. CT_OUT_OF_MEMORY, CT_CANCELLED.
 * Cost O(n log n). The caller owns the reference in *out. Mass: Mirtich 1996 in the form of sums over triangles. */
ct_status ct_mesh_create(const ct_vec3 *vertices, size_t vertex_count, const uint32_t (*triangles)[3], size_t triangle_count,
                         ct_mesh_reading reading, const ct_cancel *cancel, ct_mesh **out, ct_mesh_report *report);
const ct_mesh *ct_mesh_retain(const ct_mesh *mesh);
void ct_mesh_release(const ct_mesh *mesh);
const ct_mesh_view *ct_mesh_get(const ct_mesh *mesh);
size_t ct_mesh_bytes(const ct_mesh *mesh);

/* The nearest point of the surface. */
typedef struct ct_mesh_foot {
  double distance; /* >= 0, m */
  ct_vec3 point;
  uint32_t triangle; /* the lowest number among equally near ones */
} ct_mesh_foot;

/* Nearest point to p among those not farther than `limit` (INFINITY: any); false when there is none. Tree, best first. */
bool ct_mesh_nearest(const ct_mesh *mesh, ct_vec3 p, double limit, ct_mesh_foot *out);

/* Is p inside a closed and oriented mesh, or on it? By the parity of crossings of a ray, with exact predicates and ties broken
 * symbolically: right for every p, near edges and vertices too. Solids only. O(log n) expected. */
bool ct_mesh_contains(const ct_mesh *mesh, ct_vec3 p);

#endif
