/* Mesh under construction: properties of the caller's arrays, computed before the mesh's own
 * arrays are allocated. Steps in order: mesh_merge_vertices.c, mesh_edges.c, mesh_mass.c,
 * mesh_bvh.c, mesh.c. */
#ifndef MESH_MESH_BUILD_H
#define MESH_MESH_BUILD_H

#include "base/digest.h"
#include "base/group_sort.h"

#include <contact/mesh.h>
#include <stdatomic.h>

struct ct_mesh {
  ct_mesh_view view;
  ct_mesh_report report; /* report of its creation */
  double tree_cost;      /* ct_mesh_tree_cost of the tree when it was built */
  const uint32_t *first; /* [vertex_count] first vertex with the same coordinates */
  const ct_mesh *origin; /* reference to the mesh that owns the connectivity; the tree was built for
                            its vertices; NULL: this mesh */
  atomic_uint_least64_t references;
  size_t bytes;
  ct_digest digest; /* of the given vertices and triangles: defines the order of meshes */
};

/* Pieces of a mesh's block. */
typedef struct ct_mesh_layout {
  ct_mesh *mesh;
  ct_mesh_node *nodes;
  ct_vec3 *vertices, *normals;
  uint32_t (*triangles)[3], *order, (*corners)[3], (*across)[3], *points, *component_vertex, *first;
} ct_mesh_layout;

/* Counts that determine the length of a block. */
typedef struct ct_mesh_counts {
  uint32_t vertices, triangles, live, points, components, nodes;
  bool normals;
  bool shared; /* connectivity belongs to another mesh: the block contains only vertices, normals
                  and nodes */
} ct_mesh_counts;

/* Allocates a block for these counts and assigns its pieces to *l. The mesh inside owns the
 * block. False: out of memory. */
bool ct_mesh_allocate(ct_mesh_layout *l, const ct_mesh_counts *counts);

/* Triangles, corners or vertices between two polls of the cancel flag: below 1 ms at 100 ns
 * each. */
#define CT_MESH_POLL 8192u

/* Copies of a triangle that can be retained; later copies are dropped. */
#define CT_MESH_COPIES_MAX 8u

typedef enum ct_mesh_part_state {
  CT_MESH_LIVE,
  CT_MESH_LINE,      /* three distinct collinear corners: joins edges if that closes the mesh */
  CT_MESH_DROPPED,   /* two equal corners, or a duplicate */
  CT_MESH_DUPLICATE, /* duplicate with an area, while its patch is examined */
  CT_MESH_COPY       /* + k: duplicate number k + 1, not yet examined */
} ct_mesh_part_state;

/* The caller's arrays are borrowed, the others owned. Corner 3 t + k is vertex k of triangle t,
 * and also the edge from that vertex to the next one of t. */
typedef struct ct_mesh_parts {
  const ct_vec3 *vertices;
  const uint32_t (*triangles)[3];
  const ct_vec3 *normals; /* NULL: none */
  uint32_t vertex_count, triangle_count, live_count;
  double flush; /* coordinates below this are treated as zero, m */
  const ct_cancel *cancel;
  uint32_t *first;  /* [vertex_count] first vertex with the same coordinates */
  uint8_t *state;   /* [triangle_count] ct_mesh_part_state */
  uint32_t *across; /* [3 triangle_count] opposite corner across the edge of a live triangle's
                       corner, or CT_NO_TRIANGLE */
  uint32_t *parent; /* [vertex_count] union-find of connected components; the root is the first used
                       vertex of its component, unused vertices are CT_NO_TRIANGLE */
  bool lines;       /* collinear triangles join edges */
  bool repeats;     /* duplicate triangles are retained if the mesh would be open without them */
} ct_mesh_parts;

static inline double ct_mesh_flushed(double x, double below) { return fabs(x) < below ? 0.0 : x; }

static inline ct_vec3 ct_mesh_point(const ct_mesh_parts *m, uint32_t vertex) {
  ct_vec3 p = m->vertices[vertex];
  return (ct_vec3){ct_mesh_flushed(p.x, m->flush), ct_mesh_flushed(p.y, m->flush),
                   ct_mesh_flushed(p.z, m->flush)};
}

/* Vertex of a corner, after merging of equal vertices. */
static inline uint32_t ct_mesh_corner(const ct_mesh_parts *m, uint32_t corner) {
  return m->first[m->triangles[corner / 3][corner % 3]];
}

static inline uint32_t ct_mesh_next_corner(uint32_t corner) {
  return corner % 3 == 2 ? corner - 2 : corner + 1;
}

static inline bool ct_mesh_cancelled(uint32_t step, const ct_cancel *cancel) {
  return step % CT_MESH_POLL == 0 && ct_cancel_raised(cancel);
}

/* True if the triangle counts when edges are checked for closedness. */
static inline bool ct_mesh_triangle_closes_edges(const ct_mesh_parts *m, uint32_t triangle) {
  return m->state[triangle] == CT_MESH_LIVE || m->state[triangle] == CT_MESH_DUPLICATE ||
         (m->lines && m->state[triangle] == CT_MESH_LINE);
}

/* Sets m->flush. False: a coordinate is not finite or exceeds the exactness range. */
bool ct_mesh_open_vertices(ct_mesh_parts *m);

/* Sets m->first and report->merged_vertices. Errors as for ct_mesh_join. */
ct_status ct_mesh_join_vertices(ct_mesh_parts *m, ct_mesh_report *report);

/* Sets first, state, live_count and the report's counts of merged vertices and dropped
 * triangles. CT_OUT_OF_MEMORY, CT_CANCELLED, CT_DEGENERATE_MESH (no triangle has an area); the
 * caller frees the arrays in any case. */
ct_status ct_mesh_join(ct_mesh_parts *m, ct_mesh_report *report);

/* Merged vertices of an edge. */
typedef struct ct_mesh_ends {
  uint32_t low, high;
} ct_mesh_ends;
ct_mesh_ends ct_mesh_edge_ends(const ct_mesh_parts *m, uint32_t corner);

/* Sorts the corners that count for closedness into one group per edge: by lower vertex, higher
 * vertex, then corner. CT_OUT_OF_MEMORY, CT_CANCELLED. */
ct_status ct_mesh_group_edges(const ct_mesh_parts *m, ct_groups *out);
/* Returns the index after the last item of the edge that begins at item `first`. */
uint32_t ct_mesh_edge_end(const ct_mesh_parts *m, const ct_groups *groups, uint32_t first);

/* Union-find. A root is the least member of its set. O(log n) per operation. */
uint32_t ct_mesh_find_root(uint32_t *parent, uint32_t i);
void ct_mesh_unite(uint32_t *parent, uint32_t a, uint32_t b);
/* Corner of the edge's triangle at `vertex`, one of the edge's two vertices. */
uint32_t ct_mesh_corner_at(const ct_mesh_parts *m, uint32_t corner, uint32_t vertex);

/* Parts that borrow the caller's arrays. Requires counts within the limits. */
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

/* As ct_mesh_create, from parts with borrowed arrays. */
ct_status ct_mesh_create_parts(const ct_mesh_parts *parts, ct_mesh_reading reading, ct_mesh **out,
                               ct_mesh_report *report);

/* Sets across, parent, lines and the report's edges, fans, components and booleans except
 * `flipped` and `solid`. CT_OUT_OF_MEMORY, CT_CANCELLED. */
ct_status ct_mesh_edges(ct_mesh_parts *m, ct_mesh_report *report);

/* Integrals over the triangles. */
typedef struct ct_mesh_sums {
  double volume; /* signed volume of a closed and oriented mesh, m^3; 0 if it is 0 to round-off */
  ct_mat3 inertia;
  ct_vec3 volume_centroid, area_centroid;
} ct_mesh_sums;

/* Computes *sums and the report's area and box. False: cancelled. */
bool ct_mesh_measure(const ct_mesh_parts *m, ct_mesh_report *report, ct_mesh_sums *sums);

/* Topology of a tree node, as in ct_mesh_node. */
typedef struct ct_mesh_branch {
  uint32_t first, count;
} ct_mesh_branch;

/* Builds the tree's topology: the order of the live triangles and the branches. The caller owns
 * both. CT_OUT_OF_MEMORY, CT_CANCELLED: both NULL. */
ct_status ct_mesh_branches(const ct_mesh_parts *m, const ct_aabb *box, uint32_t **order,
                           ct_mesh_branch **branches, uint32_t *branch_count);

/* Sets the report's orientation, volume and `solid`. CT_OPEN_MESH: a solid was requested and the
 * mesh does not enclose a volume. */
ct_status ct_mesh_classify(const ct_mesh_sums *sums, ct_mesh_reading reading,
                           ct_mesh_report *report);

/* Writes the view's mass properties, box, radius and the digest. Requires complete arrays. */
void ct_mesh_write_numbers(ct_mesh *mesh, const ct_mesh_sums *sums, const ct_mesh_report *report);

/* Surface-area cost of the tree: the sum of the nodes' areas over the root's area (Goldsmith,
 * Salmon 1987). 0 if the root has no area. */
double ct_mesh_tree_cost(const ct_mesh_view *view);

/* True if equal vertices of the mesh are still equal in the parts and distinct ones still
 * distinct. *out_of_memory: not decided. */
bool ct_mesh_keeps_points(const ct_mesh *mesh, const ct_mesh_parts *m, bool *out_of_memory);

/* Computes boxes and radii of the view's nodes bottom-up. Requires first, count, order and
 * corners. False: cancelled. */
bool ct_mesh_fit(const ct_mesh_view *view, ct_mesh_node *nodes, const ct_cancel *cancel);

#endif
