/* Contact features of two solid meshes, internal interface: the scratch lists, vertex normals,
 * matches, and edge crossings.
 *
 * A vertex of one mesh is tested in the frame of the other mesh, so that a swapped pair computes
 * the same values. Edges are tested in the frame of the mesh that comes first by content. */
#ifndef FEATURES_FEATURES_H
#define FEATURES_FEATURES_H

#include "mesh_pairs/mesh_tree_pairs.h"
#include <contact/features.h>

/* The intersection segment of two triangles. Index 0 of its arrays: the mesh that comes first by
 * content; 1: the other mesh. */
typedef struct ct_feature_segment {
  uint32_t position[2]; /* positions (indices in leaf order) of the two triangles */
  /* parent in the union-find structure of segments that form one line, in one face of each mesh */
  uint32_t parent;
  bool along[2]; /* [i]: true if the segment is along an edge of the triangle of mesh i */
} ct_feature_segment;

/* An end of a segment: the point in which a vertex, an edge or the interior of a triangle of one
 * mesh intersects a vertex, an edge or the interior of a triangle of the other. */
typedef struct ct_feature_end {
  /* for each mesh, the part that contains the point: vertex {v, v}, edge {lower vertex, higher
   * vertex} or interior of a triangle {CT_NO_TRIANGLE, position} */
  uint32_t simplex[2][2];
  uint32_t segment;
} ct_feature_end;

/* An end on a convex edge of one mesh, sorted by line: root: segment that represents the line;
 * side: the mesh; end: index in `ends`. */
typedef struct ct_feature_edge_end {
  uint32_t root, side, end;
} ct_feature_edge_end;

/* Two edges, one per mesh, in which the same intersection line ends, and these ends. */
typedef struct ct_feature_crossing {
  uint32_t edge[2][2]; /* vertices of each edge, as in ct_feature_end.simplex */
  uint32_t end[2];
} ct_feature_crossing;

/* Lists of the last pair. Zeroed: empty. */
typedef struct ct_feature_scratch {
  ct_pair_feature *items;
  size_t count, capacity;
  ct_triangle_pair *pairs;
  size_t pair_count, pair_capacity;
  ct_feature_segment *segments;
  size_t segment_count, segment_capacity;
  ct_feature_end *ends;
  size_t end_count, end_capacity;
  ct_feature_edge_end *stops;
  size_t stop_count, stop_capacity;
  ct_feature_crossing *crossings;
  size_t crossing_count, crossing_capacity;
  bool out_of_memory; /* an allocation failed */
} ct_feature_scratch;

/* The features part of a workspace. */
extern const ct_workspace_part_type ct_feature_part_type;
static inline ct_feature_scratch *ct_workspace_features(ct_workspace *workspace) {
  return ct_workspace_part_of(workspace, CT_SLOT_FEATURES, &ct_feature_part_type);
}

/* Reserves space for `count` items of `item` bytes in a list; list: address of the pointer to it;
 * *capacity: its capacity in items. False: out of memory, and m->out_of_memory is set. */
bool ct_feature_reserve(ct_feature_scratch *m, void *list, size_t item, size_t *capacity,
                        size_t count);

/* A weighted sum of unit normals, with weights that add up to at least 1, has no direction if it is
 * shorter than this. */
#define CT_NORMALS_CANCEL 1e-9

/* Normal of a mesh at a vertex, in the mesh's frame. */
typedef struct ct_feature_vertex {
  ct_vec3 direction; /* outward normal, not zero and of any length, such as the caller's */
  ct_vec3 normal;    /* `direction` as a unit vector */
  uint32_t triangle; /* lowest index of an adjacent triangle */
  /* true if the weighted normals cancel each other, so that the normal of that triangle is used */
  bool cancels;
} ct_feature_vertex;

/* Computes the normal at a vertex that live triangles use; of bit-equal vertices, the first one.
 * Cost: O(log n) plus the adjacent triangles. */
ct_feature_vertex ct_feature_vertex_of(const ct_mesh *mesh, uint32_t vertex);

/* Computes the unit normal at a point of a live triangle, interpolated from its corners. False: the
 * corners' normals cancel each other, and *normal is the triangle's own. */
bool ct_feature_normal_at(const ct_mesh *mesh, uint32_t triangle, const double barycentric[3],
                          ct_vec3 *normal);

/* The surface point with which a vertex is matched, in the mesh's frame. */
typedef struct ct_feature_match {
  uint32_t triangle;
  double barycentric[3];
  ct_vec3 point;
  double distance; /* >= 0, m */
} ct_feature_match;

/* Finds the point in which a ray from a point inside the solid first leaves it; of several
 * triangles at this point, the one of lowest index. False: there is no such point. */
bool ct_feature_ray(const ct_mesh *mesh, ct_vec3 origin, ct_vec3 direction, ct_workspace *workspace,
                    ct_feature_match *out);

/* Finds the nearest point of the surface. */
void ct_feature_nearest(const ct_mesh *mesh, ct_vec3 point, ct_feature_match *out);

/* Computes the barycentric coordinates of a point of a triangle, in the order of its corners; each
 * >= 0, sum 1 up to round-off. */
void ct_feature_barycentric(const ct_mesh *mesh, uint32_t triangle, ct_vec3 point, double out[3]);

/* A mesh of the pair, in the caller's order. */
typedef struct ct_feature_body {
  const ct_mesh *mesh;
  const ct_mesh_view *view;
  const ct_frame *frame;
} ct_feature_body;

typedef struct ct_feature_run {
  ct_feature_body body[2];
  bool swapped; /* true: the second body comes first by content */
  const ct_features_options *options;
  ct_workspace *workspace;
  ct_feature_scratch *memory;
  /* numbers of vertex features in the list: of a, which are first, and of b, which follow */
  size_t vertices_a, vertices_b;
  size_t doubled;
} ct_feature_run;

/* Returns the boundary mesh of a shape; NULL: the shape has none. */
const ct_mesh *ct_feature_mesh(const ct_shape *shape);

/* Returns the frame of a body `of`, relative to the frame of a body `in`. */
ct_frame ct_feature_relative(const ct_frame *of, const ct_frame *in);

/* Converts a match to a point and normal in the world frame. Sets `flag` in *flags if the normal is
 * the triangle's own. */
ct_pair_feature_point ct_feature_point_of(const ct_feature_body *body,
                                          const ct_feature_match *match, uint32_t flag,
                                          uint32_t *flags);

/* Appends a feature to the list. Out of memory: sets memory->out_of_memory instead. */
void ct_feature_add(ct_feature_scratch *memory, const ct_pair_feature *feature);

/* Two meshes with edges to be compared, in content order, in the frame of the first one. */
typedef struct ct_feature_meshes {
  const ct_feature_body *body[2];
  ct_mesh_pair pair;
  ct_feature_scratch *memory;
} ct_feature_meshes;

/* A convex edge of a mesh, in the frame of the first mesh. */
typedef struct ct_feature_edge {
  ct_vec3 p, e;      /* the edge is from p to p + e */
  ct_vec3 normal[2]; /* unit normals of its two triangles */
  /* position of that one of its triangles that has the lower index, and the corner at which the
   * edge starts */
  uint32_t position, corner;
} ct_feature_edge;

/* Finds an edge of a triangle by its vertices. False: it is a border, flat or concave edge. */
bool ct_feature_edge_of(const ct_feature_meshes *m, int side, uint32_t position,
                        const uint32_t vertices[2], ct_feature_edge *out);

/* Finds the pairs of convex edges that cross, and lists them in memory->crossings: once per
 * intersection line, unsorted. False: out of memory or cancelled. */
bool ct_feature_cross(ct_feature_meshes *m);

/* Adds the edge-edge features. The vertex features must already be in the list. */
void ct_feature_edges(ct_feature_run *run);

#endif
