/* Contact features in the making: what the files of that subject share.
 *
 * Vertices of the one mesh are looked at in the frame of the other, so that a swapped pair computes the same; edges in the frame of
 * the mesh that comes first by content.
 */
#ifndef FEATURES_FEATURES_H
#define FEATURES_FEATURES_H

#include "mesh_pairs/mesh_tree_pairs.h"
#include <contact/features.h>

/* The segment that two triangles share. Index 0: the mesh that comes first by content, 1: the other one. */
typedef struct ct_feature_segment {
  uint32_t position[2]; /* of the triangles in leaf order */
  uint32_t parent;      /* union-find over segments of one line in one face of each mesh */
  bool along[2];        /* the segment runs along an edge of the triangle */
} ct_feature_segment;

/* An end of a segment: the point in which a vertex, an edge or the inside of a triangle of one mesh meets one of the other. */
typedef struct ct_feature_end {
  uint32_t simplex[2][2]; /* of each mesh: {v, v}, {low, high} or {CT_NO_TRIANGLE, position} */
  uint32_t segment;
} ct_feature_end;

/* An end on a convex edge of one mesh, by line. */
typedef struct ct_feature_edge_end {
  uint32_t root, side, end;
} ct_feature_edge_end;

/* Ends of one line on an edge of each mesh. */
typedef struct ct_feature_crossing {
  uint32_t edge[2][2]; /* by their vertices, as the ends name them */
  uint32_t end[2];
} ct_feature_crossing;

/* Lists of the last pair. Zeroed is empty. */
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
  bool out_of_memory; /* memory was refused */
} ct_feature_scratch;

void ct_feature_scratch_free(ct_feature_scratch *m);

/* Memory for `count` items of a list; false: there is none. */
bool ct_feature_reserve(ct_feature_scratch *m, void *list, size_t item, size_t *capacity, size_t count);

/* Normals that cancel to less than this, of unit ones that are added with weights of sum 1 or more. */
#define CT_NORMALS_CANCEL 1e-9

/* What is known of a vertex of a mesh, in the mesh's frame. */
typedef struct ct_feature_vertex {
  ct_vec3 direction; /* outward, of any length but 0: as the caller gave it */
  ct_vec3 normal;    /* the same, unit */
  uint32_t triangle; /* the lowest number around it */
  bool cancels;      /* the triangles' normals do: the normal is that of the lowest */
} ct_feature_vertex;

/* Of a vertex, the first of bit-equal ones, that live triangles use. O(log n) and the triangles around it. */
ct_feature_vertex ct_feature_vertex_of(const ct_mesh *mesh, uint32_t vertex);

/* The normal in a point of a live triangle, unit; false: the corners' normals cancel, and it is the triangle's own. */
bool ct_feature_normal_at(const ct_mesh *mesh, uint32_t triangle, const double barycentric[3], ct_vec3 *normal);

/* The match of a point on a mesh's surface, in its frame. */
typedef struct ct_feature_match {
  uint32_t triangle;
  double barycentric[3];
  ct_vec3 point;
  double distance; /* >= 0, m */
} ct_feature_match;

/* Where the ray from a point inside leaves the solid first; of triangles that it leaves through in one point that of the lowest
 * number. False: nowhere. */
bool ct_feature_ray(const ct_mesh *mesh, ct_vec3 origin, ct_vec3 direction, ct_workspace *workspace, ct_feature_match *out);

/* The nearest point of the surface. */
void ct_feature_nearest(const ct_mesh *mesh, ct_vec3 point, ct_feature_match *out);

/* Barycentric coordinates of a point of a triangle in the order of its corners as given: >= 0, sum 1 to round-off. */
void ct_feature_barycentric(const ct_mesh *mesh, uint32_t triangle, ct_vec3 point, double out[3]);

/* A mesh of the pair, in the order of the question. */
typedef struct ct_feature_body {
  const ct_mesh *mesh;
  const ct_mesh_view *view;
  const ct_frame *frame;
} ct_feature_body;

typedef struct ct_feature_run {
  ct_feature_body body[2];
  bool swapped; /* the second comes first by content */
  const ct_features_options *options;
  ct_workspace *workspace;
  ct_feature_scratch *memory;
  size_t vertices_a, vertices_b; /* features of vertices in the list: of a, then of b */
  size_t doubled;
} ct_feature_run;

/* The mesh whose triangles are asked for; NULL: the shape has none. */
const ct_mesh *ct_feature_mesh(const ct_shape *shape);

/* The frame of one body in that of another. */
ct_frame ct_feature_relative(const ct_frame *of, const ct_frame *in);

/* A point of a body with its normal, seen from the world; the flag when the normal is the triangle's own. */
ct_pair_feature_point ct_feature_point_of(const ct_feature_body *body, const ct_feature_match *match, uint32_t flag,
                                          uint32_t *flags);

/* Adds the feature, where there is memory for it. */
void ct_feature_add(ct_feature_scratch *memory, const ct_pair_feature *feature);

/* Two meshes whose edges are compared, the first by content first, everything in its frame. */
typedef struct ct_feature_meshes {
  const ct_feature_body *body[2];
  ct_mesh_pair pair;
  ct_feature_scratch *memory;
} ct_feature_meshes;

/* A convex edge of a mesh, in the first one's frame. */
typedef struct ct_feature_edge {
  ct_vec3 p, e;      /* from p to p + e */
  ct_vec3 normal[2]; /* unit, of its two triangles */
  uint32_t position, corner; /* of the triangle that it belongs to: the one of the lower number */
} ct_feature_edge;

/* The edge of a triangle, by its vertices. False: it is not between two triangles, or flat, or
 * concave. */
bool ct_feature_edge_of(const ct_feature_meshes *m, int side, uint32_t position,
                        const uint32_t vertices[2], ct_feature_edge *out);

/* Finds the pairs of convex edges that cross, into the memory's crossings: a pair once for each line,
 * in any order. False: out of memory or stopped. */
bool ct_feature_cross(ct_feature_meshes *m);

/* The points of two edges that cross. */
typedef struct ct_feature_gap {
  double at[2];    /* 0 at p, 1 at p + e */
  double distance; /* <= 0: minus the length between the points */
  /* Unit: distance normal leads from the first point to the second. At distances below `slack` the
   * common normal that points out of the first edge and into the second. */
  ct_vec3 normal;
} ct_feature_gap;

/* The nearest points of the edges; where the edges are apart there, the ends of the line that they cross by. */
ct_feature_gap ct_feature_gap_of_edges(const ct_feature_edge edge[2], const ct_vec3 line[2], double slack);

/* Adds the pairs of edges, once the vertices are in the list. */
void ct_feature_edges(ct_feature_run *run);

#endif
