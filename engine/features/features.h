/* Contact features of two solid meshes, internal interface: the scratch lists, vertex normals,
 * matches, and edge crossings.
 *
 * A vertex of one mesh is tested in the frame of the other mesh, so that a swapped pair computes
 * the same. Edges are tested in the frame of the mesh that comes first by content.
 */
#ifndef FEATURES_FEATURES_H
#define FEATURES_FEATURES_H

#include "mesh_pairs/mesh_tree_pairs.h"
#include <contact/features.h>

/* The intersection segment of two triangles. Index 0: the mesh that comes first by content, 1: the
 * other. */
typedef struct ct_feature_segment {
  uint32_t position[2]; /* leaf positions of the triangles */
  uint32_t parent;      /* union-find: segments of one line in one face of each mesh */
  bool along[2];        /* the segment runs along an edge of the triangle */
} ct_feature_segment;

/* An end of a segment: the point where a vertex, an edge or the interior of a triangle of one mesh
 * intersects a vertex, an edge or the interior of a triangle of the other. */
typedef struct ct_feature_end {
  /* per mesh: vertex {v, v}, edge {low, high} or interior {CT_NO_TRIANGLE, position} */
  uint32_t simplex[2][2];
  uint32_t segment;
} ct_feature_end;

/* An end on a convex edge of one mesh, sorted by line. */
typedef struct ct_feature_edge_end {
  uint32_t root, side, end;
} ct_feature_edge_end;

/* Two edges, one per mesh, that are crossed by the same intersection line, and the ends on them. */
typedef struct ct_feature_crossing {
  uint32_t edge[2][2]; /* by their vertices, as in the simplices of the ends */
  uint32_t end[2];
} ct_feature_crossing;

/* Lists of the last pair. Zero-initialised: empty. */
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

/* Reserves `count` items of a list; `list` is the address of its pointer. False: out of memory,
 * memory->out_of_memory is set. */
bool ct_feature_reserve(ct_feature_scratch *m, void *list, size_t item, size_t *capacity,
                        size_t count);

/* A weighted sum of unit normals shorter than this has no direction; the weights add up to 1 or
 * more. */
#define CT_NORMALS_CANCEL 1e-9

/* Normals of a vertex of a mesh, in the mesh's frame. */
typedef struct ct_feature_vertex {
  ct_vec3 direction; /* outward, not normalised and not zero: as the caller gave it */
  ct_vec3 normal;    /* as `direction`, unit */
  uint32_t triangle; /* the lowest number of an incident triangle */
  bool cancels;      /* the weighted normals cancel: the normal of the lowest triangle is used */
} ct_feature_vertex;

/* Normals of a vertex that live triangles use; of bit-equal vertices, the first one. Cost: O(log n)
 * and the incident triangles. */
ct_feature_vertex ct_feature_vertex_of(const ct_mesh *mesh, uint32_t vertex);

/* Unit normal at a point of a live triangle, interpolated. False: the corners' normals cancel, and
 * *normal is the triangle's own. */
bool ct_feature_normal_at(const ct_mesh *mesh, uint32_t triangle, const double barycentric[3],
                          ct_vec3 *normal);

/* The surface point that is matched with a vertex, in the mesh's frame. */
typedef struct ct_feature_match {
  uint32_t triangle;
  double barycentric[3];
  ct_vec3 point;
  double distance; /* >= 0, m */
} ct_feature_match;

/* Finds where a ray from an inside point first leaves the solid; of several triangles in one point,
 * the lowest number. False: nowhere. */
bool ct_feature_ray(const ct_mesh *mesh, ct_vec3 origin, ct_vec3 direction, ct_workspace *workspace,
                    ct_feature_match *out);

/* Finds the nearest point of the surface. */
void ct_feature_nearest(const ct_mesh *mesh, ct_vec3 point, ct_feature_match *out);

/* Barycentric coordinates of a point of a triangle, in the order of its corners: >= 0, sum 1 to
 * round-off. */
void ct_feature_barycentric(const ct_mesh *mesh, uint32_t triangle, ct_vec3 point, double out[3]);

/* A mesh of the pair, in the caller's order. */
typedef struct ct_feature_body {
  const ct_mesh *mesh;
  const ct_mesh_view *view;
  const ct_frame *frame;
} ct_feature_body;

typedef struct ct_feature_run {
  ct_feature_body body[2];
  bool swapped; /* the second body comes first by content */
  const ct_features_options *options;
  ct_workspace *workspace;
  ct_feature_scratch *memory;
  size_t vertices_a, vertices_b; /* numbers of vertex features in the list: of a, then of b */
  size_t doubled;
} ct_feature_run;

/* The boundary mesh of a shape; NULL: the shape has none. */
const ct_mesh *ct_feature_mesh(const ct_shape *shape);

/* Frame of body `of` in the frame of body `in`. */
ct_frame ct_feature_relative(const ct_frame *of, const ct_frame *in);

/* A match as a point and normal in the world frame. Sets `flag` in *flags if the normal is the
 * triangle's own. */
ct_pair_feature_point ct_feature_point_of(const ct_feature_body *body,
                                          const ct_feature_match *match, uint32_t flag,
                                          uint32_t *flags);

/* Adds a feature; if memory fails, sets memory->out_of_memory instead. */
void ct_feature_add(ct_feature_scratch *memory, const ct_pair_feature *feature);

/* Two meshes with edges to compare, in content order, in the frame of the first. */
typedef struct ct_feature_meshes {
  const ct_feature_body *body[2];
  ct_mesh_pair pair;
  ct_feature_scratch *memory;
} ct_feature_meshes;

/* A convex edge of a mesh, in the frame of the first mesh. */
typedef struct ct_feature_edge {
  ct_vec3 p, e;              /* from p to p + e */
  ct_vec3 normal[2];         /* unit normals of its two triangles */
  uint32_t position, corner; /* leaf position and corner in its triangle of the lower number */
} ct_feature_edge;

/* Finds an edge of a triangle by its vertices. False: a border, flat or concave edge. */
bool ct_feature_edge_of(const ct_feature_meshes *m, int side, uint32_t position,
                        const uint32_t vertices[2], ct_feature_edge *out);

/* Finds pairs of crossing convex edges and lists them in memory->crossings: once per intersection
 * line, unsorted. False: out of memory or stopped. */
bool ct_feature_cross(ct_feature_meshes *m);

/* Adds edge-edge features. The vertex features must be in the list. */
void ct_feature_edges(ct_feature_run *run);

#endif
