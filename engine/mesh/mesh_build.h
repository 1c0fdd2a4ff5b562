/* A mesh under construction: properties of the caller's arrays, which are computed before the
 * arrays of the mesh are allocated. Files in the order of the steps: mesh_merge_vertices.c,
 * mesh_edges.c, mesh_mass.c, mesh_bvh.c, mesh.c. */
#ifndef MESH_MESH_BUILD_H
#define MESH_MESH_BUILD_H

#include "base/digest.h"
#include "base/group_sort.h"

#include <contact/mesh.h>
#include <stdatomic.h>

struct ct_mesh {
  ct_mesh_view view;
  ct_mesh_report report; /* report of the mesh's creation */
  double tree_cost;      /* ct_mesh_tree_cost of the BVH when it was built */
  const uint32_t *first; /* [vertex_count] first vertex with the same coordinates as each vertex */
  const ct_mesh *origin; /* if the mesh was moved and shares connectivity: reference to the mesh
                            that owns it, and for whose vertices the tree was built; else NULL */
  atomic_uint_least64_t references;
  size_t bytes;
  ct_digest digest; /* digest of the given vertices and triangles; defines the order of meshes */
};

/* Arrays in a mesh's block of memory. */
typedef struct ct_mesh_layout {
  ct_mesh *mesh;
  ct_mesh_node *nodes;
  ct_vec3 *vertices, *normals;
  uint32_t (*triangles)[3], *order, (*corners)[3], (*across)[3], *points, *component_vertex, *first;
} ct_mesh_layout;

/* Lengths of the arrays, which determine the size of the block. */
typedef struct ct_mesh_counts {
  uint32_t vertices, triangles, live, points, components, nodes;
  bool normals;
  bool shared; /* connectivity belongs to another mesh: the block contains only the mesh, vertices,
                  normals and nodes */
} ct_mesh_counts;

/* Allocates a block for these counts, assigns its arrays to *l, and initialises l->mesh, which owns
 * the block. False: out of memory. */
bool ct_mesh_allocate(ct_mesh_layout *l, const ct_mesh_counts *counts);

/* Number of triangles, corners or vertices between two polls of the cancel flag: less than 1 ms if
 * each takes 100 ns. */
#define CT_MESH_POLL 8192u

/* Greatest number of copies of a triangle that can be retained; further ones are dropped. */
#define CT_MESH_COPIES_MAX 8u

typedef enum ct_mesh_part_state {
  CT_MESH_LIVE,
  CT_MESH_LINE,      /* three distinct collinear vertices: used to join edges if that closes the
                        mesh */
  CT_MESH_DROPPED,   /* has two equal vertices, or is a duplicate */
  CT_MESH_DUPLICATE, /* duplicate with an area, while it is examined whether to retain its patch */
  CT_MESH_COPY       /* value CT_MESH_COPY + k: copy number k + 1 of a triangle, not examined yet */
} ct_mesh_part_state;

/* Parts of a mesh under construction. `vertices`, `triangles` and `normals` are the caller's
 * arrays; the others are owned. A corner is 3 t + k, vertex k of triangle t; it also stands for the
 * edge from that vertex to the next one of t. */
typedef struct ct_mesh_parts {
  const ct_vec3 *vertices;
  const uint32_t (*triangles)[3];
  const ct_vec3 *normals; /* NULL: none */
  uint32_t vertex_count, triangle_count, live_count;
  double flush; /* coordinates with a smaller magnitude are treated as zero, m */
  const ct_cancel *cancel;
  uint32_t *first;  /* [vertex_count] first vertex with the same coordinates */
  uint8_t *state;   /* [triangle_count] ct_mesh_part_state */
  uint32_t *across; /* [3 triangle_count] for each edge of a live triangle: the edge (corner) of the
                       only other live triangle there, or CT_NO_TRIANGLE */
  uint32_t *parent; /* [vertex_count] union-find parent for connected components; a root is the
                       lowest used vertex of its component; CT_NO_TRIANGLE for unused vertices */
  bool lines;       /* collinear triangles are used to join edges */
  bool repeats;     /* duplicate triangles may be retained where the mesh would be open without
                       them */
} ct_mesh_parts;

static inline double ct_mesh_flushed(double x, double below) { return fabs(x) < below ? 0.0 : x; }

static inline ct_vec3 ct_mesh_point(const ct_mesh_parts *m, uint32_t vertex) {
  ct_vec3 p = m->vertices[vertex];
  return (ct_vec3){ct_mesh_flushed(p.x, m->flush), ct_mesh_flushed(p.y, m->flush),
                   ct_mesh_flushed(p.z, m->flush)};
}

/* Returns the vertex of a corner; of equal vertices, the first. */
static inline uint32_t ct_mesh_corner(const ct_mesh_parts *m, uint32_t corner) {
  return m->first[m->triangles[corner / 3][corner % 3]];
}

static inline uint32_t ct_mesh_next_corner(uint32_t corner) {
  return corner % 3 == 2 ? corner - 2 : corner + 1;
}

static inline bool ct_mesh_cancelled(uint32_t step, const ct_cancel *cancel) {
  return step % CT_MESH_POLL == 0 && ct_cancel_raised(cancel);
}

/* True if the triangle is counted when edges are tested for closedness. */
static inline bool ct_mesh_triangle_closes_edges(const ct_mesh_parts *m, uint32_t triangle) {
  return m->state[triangle] == CT_MESH_LIVE || m->state[triangle] == CT_MESH_DUPLICATE ||
         (m->lines && m->state[triangle] == CT_MESH_LINE);
}

/* Sets m->flush. False: a coordinate is not finite or exceeds the exactness range. */
bool ct_mesh_open_vertices(ct_mesh_parts *m);

/* Sets m->first and report->merged_vertices. CT_OUT_OF_MEMORY, CT_CANCELLED; the caller frees the
 * array in any case. */
ct_status ct_mesh_join_vertices(ct_mesh_parts *m, ct_mesh_report *report);

/* Sets first, state and live_count, and in the report the numbers of merged vertices, of dropped
 * and of live triangles. CT_OUT_OF_MEMORY, CT_CANCELLED, CT_DEGENERATE_MESH (no triangle has an
 * area); the caller frees the arrays in any case. */
ct_status ct_mesh_join(ct_mesh_parts *m, ct_mesh_report *report);

/* The two vertices of an edge (ct_mesh_corner). */
typedef struct ct_mesh_ends {
  uint32_t low, high;
} ct_mesh_ends;
ct_mesh_ends ct_mesh_edge_ends(const ct_mesh_parts *m, uint32_t corner);

/* Sorts the corners of triangles that are counted for closedness by edge: by lower vertex, higher
 * vertex, then corner. The corners of one edge are consecutive. CT_OUT_OF_MEMORY, CT_CANCELLED. */
ct_status ct_mesh_group_edges(const ct_mesh_parts *m, ct_groups *out);
/* Returns the index behind the last corner of the edge whose first corner is at index `first`. */
uint32_t ct_mesh_edge_end(const ct_mesh_parts *m, const ct_groups *groups, uint32_t first);

/* Union-find, where a root is the lowest member of its set. O(log n) per operation. */
uint32_t ct_mesh_find_root(uint32_t *parent, uint32_t i);
void ct_mesh_unite(uint32_t *parent, uint32_t a, uint32_t b);
/* Returns the corner at `vertex`, one of the two vertices of the edge `corner`, in the triangle of
 * that edge. */
uint32_t ct_mesh_corner_at(const ct_mesh_parts *m, uint32_t corner, uint32_t vertex);

/* Returns parts that refer to the caller's arrays. The counts must be within the limits. */
static inline ct_mesh_parts ct_mesh_parts_of(const ct_mesh_data *data, const ct_cancel *cancel) {
  return (ct_mesh_parts){.vertices = data->vertices,
                         .triangles = data->triangles,
                         .normals = data->normals,
                         .vertex_count = (uint32_t)data->vertex_count,
                         .triangle_count = (uint32_t)data->triangle_count,
                         .cancel = cancel};
}

/* Frees the arrays allocated by ct_mesh_join and ct_mesh_edges. */
void ct_mesh_parts_free(ct_mesh_parts *m);

/* As ct_mesh_create, from parts whose arrays belong to the caller. */
ct_status ct_mesh_create_parts(const ct_mesh_parts *parts, ct_mesh_reading reading, ct_mesh **out,
                               ct_mesh_report *report);

/* Sets across, parent and lines, and in the report the numbers of edges, pinched vertices and
 * components, and all booleans except `flipped` and `solid`. CT_OUT_OF_MEMORY, CT_CANCELLED. */
ct_status ct_mesh_edges(ct_mesh_parts *m, ct_mesh_report *report);

/* Integrals over the triangles of a mesh. */
typedef struct ct_mesh_sums {
  double volume; /* signed volume if the mesh is closed and oriented, m^3; 0 if it is zero to
                    round-off */
  ct_mat3 inertia;
  ct_vec3 volume_centroid, area_centroid;
} ct_mesh_sums;

/* Computes *sums, and in the report area and box. False: cancelled. */
bool ct_mesh_measure(const ct_mesh_parts *m, ct_mesh_report *report, ct_mesh_sums *sums);

/* Children or triangles of a tree node, as in ct_mesh_node. */
typedef struct ct_mesh_branch {
  uint32_t first, count;
} ct_mesh_branch;

/* Builds the topology of the BVH: the order of the live triangles in its leaves, and the nodes
 * without boxes. The caller frees both arrays. CT_OUT_OF_MEMORY, CT_CANCELLED: both are NULL. */
ct_status ct_mesh_branches(const ct_mesh_parts *m, const ct_aabb *box, uint32_t **order,
                           ct_mesh_branch **branches, uint32_t *branch_count);

/* Sets `flipped`, `volume` and `solid` of the report. CT_OPEN_MESH: a solid was requested, but the
 * mesh does not enclose a volume. */
ct_status ct_mesh_classify(const ct_mesh_sums *sums, ct_mesh_reading reading,
                           ct_mesh_report *report);

/* Writes mass properties, box and radius of the view, report and digest of the mesh. The arrays
 * must be complete. False: cancelled. */
bool ct_mesh_write_numbers(ct_mesh *mesh, const ct_mesh_sums *sums, const ct_mesh_report *report,
                           const ct_cancel *cancel);

/* Returns the surface-area cost of the tree: the sum of the areas of all boxes except the root's,
 * divided by the root's (Goldsmith, Salmon 1987). 0 if the root has no area. */
double ct_mesh_tree_cost(const ct_mesh_view *view);

/* True if equal vertices of the mesh are equal in the parts too, and distinct ones distinct. If
 * *out_of_memory is set, the question is not decided and the result false. */
bool ct_mesh_keeps_points(const ct_mesh *mesh, const ct_mesh_parts *m, bool *out_of_memory);

/* Computes boxes and radii of the nodes, bottom-up. Their first and count, and the view's vertices
 * and corners, must be set. False: cancelled. */
bool ct_mesh_fit(const ct_mesh_view *view, ct_mesh_node *nodes, const ct_cancel *cancel);

#endif
