/* A mesh in the making: what is found out about the caller's arrays before the mesh's own are laid out. Steps in order:
 * mesh_merge_vertices.c, mesh_edges.c, mesh_mass.c, mesh_bvh.c, mesh.c. */
#ifndef MESH_MESH_BUILD_H
#define MESH_MESH_BUILD_H

#include "base/digest.h"
#include "base/group_sort.h"

#include <contact/mesh.h>
#include <stdatomic.h>

struct ct_mesh {
  ct_mesh_view view;
  ct_mesh_report report; /* of what it was made of */
  double tree_cost;      /* ct_mesh_tree_cost of the tree when it was built */
  const uint32_t *first; /* [vertex_count] the first of the vertices in the same point */
  const ct_mesh *origin; /* a reference to the mesh that owns the connectivity and for whose
                            vertices the tree was built; NULL: this one */
  atomic_uint_least64_t references;
  size_t bytes;
  ct_digest
      digest; /* of vertices and triangles as given: the content by which meshes are ordered */
};

/* The block of a mesh, piece by piece. */
typedef struct ct_mesh_layout {
  ct_mesh *mesh;
  ct_mesh_node *nodes;
  ct_vec3 *vertices, *normals;
  uint32_t (*triangles)[3], *order, (*corners)[3], (*across)[3], *points, *component_vertex, *first;
} ct_mesh_layout;

/* What decides how long a block is. */
typedef struct ct_mesh_counts {
  uint32_t vertices, triangles, live, points, components, nodes;
  bool normals;
  bool shared; /* the connectivity is that of another mesh: only vertices, normals and nodes are
                  in the block */
} ct_mesh_counts;

/* A block for these counts, its pieces in *l; NULL: no memory. Owned by the mesh in it. */
bool ct_mesh_allocate(ct_mesh_layout *l, const ct_mesh_counts *counts);

/* Triangles, corners or vertices between two looks at the cancel flag: below 1 ms at 100 ns each. */
#define CT_MESH_POLL 8192u

/* Copies of a triangle that may be kept; later ones are dropped. */
#define CT_MESH_COPIES_MAX 8u

typedef enum ct_mesh_part_state {
  CT_MESH_LIVE,
  CT_MESH_LINE,      /* three different corners on a line: joins edges where that closes the mesh */
  CT_MESH_DROPPED,   /* two corners in one point, or given before */
  CT_MESH_DUPLICATE, /* given before, with an area; while it is decided whether it is kept */
  CT_MESH_COPY       /* + k: given k + 1 times before, until it is the turn of these copies */
} ct_mesh_part_state;

/* The arrays given are borrowed, the others owned. A corner is a number 3 t + k: vertex k of triangle t, and the edge from there to
 * the next vertex of t. */
typedef struct ct_mesh_parts {
  const ct_vec3 *vertices;
  const uint32_t (*triangles)[3];
  const ct_vec3 *normals; /* NULL: none */
  uint32_t vertex_count, triangle_count, live_count;
  double flush; /* coordinates below this are read as zero */
  const ct_cancel *cancel;
  uint32_t *first; /* [vertex_count] the first vertex in the same point */
  uint8_t *state;  /* [triangle_count] ct_mesh_part_state */
  uint32_t
      *across; /* [3 triangle_count] of a live triangle's corner: the corner on the other side of its edge, or CT_NO_TRIANGLE */
  uint32_t *parent; /* [vertex_count] union-find of the parts by vertices; a root is its part's first vertex that is used, and an
                       unused vertex is CT_NO_TRIANGLE */
  bool lines;       /* collinear triangles count as joining edges */
  bool repeats;     /* duplicate triangles are kept where the mesh would be open without them */
} ct_mesh_parts;

static inline double ct_mesh_flushed(double x, double below) { return fabs(x) < below ? 0.0 : x; }

static inline ct_vec3 ct_mesh_point(const ct_mesh_parts *m, uint32_t vertex) {
  ct_vec3 p = m->vertices[vertex];
  return (ct_vec3){ct_mesh_flushed(p.x, m->flush), ct_mesh_flushed(p.y, m->flush), ct_mesh_flushed(p.z, m->flush)};
}

/* The first of the bit-equal vertices at a corner. */
static inline uint32_t ct_mesh_corner(const ct_mesh_parts *m, uint32_t corner) {
  return m->first[m->triangles[corner / 3][corner % 3]];
}

static inline uint32_t ct_mesh_next_corner(uint32_t corner) { return corner % 3 == 2 ? corner - 2 : corner + 1; }

static inline bool ct_mesh_cancelled(uint32_t step, const ct_cancel *cancel) {
  return step % CT_MESH_POLL == 0 && ct_cancel_raised(cancel);
}

/* Does the triangle take part in the question which edges are closed? */
static inline bool ct_mesh_triangle_closes_edges(const ct_mesh_parts *m, uint32_t triangle) {
  return m->state[triangle] == CT_MESH_LIVE || m->state[triangle] == CT_MESH_DUPLICATE ||
         (m->lines && m->state[triangle] == CT_MESH_LINE);
}

/* Fills flush. False: a coordinate is not finite or beyond the exactness range. */
bool ct_mesh_open_vertices(ct_mesh_parts *m);

/* Fills first and the report's count of merged vertices. As below. */
ct_status ct_mesh_join_vertices(ct_mesh_parts *m, ct_mesh_report *report);

/* Fills first, state, live_count and the report's counts of vertices merged and triangles dropped. CT_OUT_OF_MEMORY, CT_CANCELLED;
 * the caller frees the arrays in any case. */
ct_status ct_mesh_join(ct_mesh_parts *m, ct_mesh_report *report);

/* Vertices of an edge, the first ones of bit-equal ones. */
typedef struct ct_mesh_ends {
  uint32_t low, high;
} ct_mesh_ends;
ct_mesh_ends ct_mesh_edge_ends(const ct_mesh_parts *m, uint32_t corner);

/* Corners of the triangles that join, in groups of one edge each: by its lower vertex, then its higher, then ascending.
 * CT_OUT_OF_MEMORY, CT_CANCELLED. */
ct_status ct_mesh_group_edges(const ct_mesh_parts *m, ct_groups *out);
/* One past the last item of the edge that begins at item `first`. */
uint32_t ct_mesh_edge_end(const ct_mesh_parts *m, const ct_groups *groups, uint32_t first);

/* Sets of numbers; a root is the least of its set. O(log n) for a step. */
uint32_t ct_mesh_find_root(uint32_t *parent, uint32_t i);
void ct_mesh_unite(uint32_t *parent, uint32_t a, uint32_t b);
/* The corner of the edge's triangle that is at the vertex, one of the edge's two. */
uint32_t ct_mesh_corner_at(const ct_mesh_parts *m, uint32_t corner, uint32_t vertex);

/* Decides on the triangles that are CT_MESH_COPY and more, the second copies first: those of a
 * patch without which the mesh would be open become live, the others are dropped. As above. */
ct_status ct_mesh_keep_duplicates(ct_mesh_parts *m, ct_mesh_report *report);

/* Borrows the arrays; the counts are within the limits. */
static inline ct_mesh_parts ct_mesh_parts_of(const ct_mesh_data *data, const ct_cancel *cancel) {
  return (ct_mesh_parts){.vertices = data->vertices,
                         .triangles = data->triangles,
                         .normals = data->normals,
                         .vertex_count = (uint32_t)data->vertex_count,
                         .triangle_count = (uint32_t)data->triangle_count,
                         .cancel = cancel};
}

/* Frees what ct_mesh_join and ct_mesh_edges have made. */
void ct_mesh_parts_free(ct_mesh_parts *m);

/* A mesh of parts whose borrowed arrays are there, as ct_mesh_create. */
ct_status ct_mesh_create_parts(const ct_mesh_parts *parts, ct_mesh_reading reading, ct_mesh **out, ct_mesh_report *report);

/* Fills across, parent, lines and the report's edges, fans, components and booleans but `flipped` and `solid`. As above. */
ct_status ct_mesh_edges(ct_mesh_parts *m, ct_mesh_report *report);

/* Sums over the triangles. */
typedef struct ct_mesh_sums {
  double volume; /* of a closed and oriented mesh, with the sign of its orientation; 0 when it is 0 to round-off */
  ct_mat3 inertia;
  ct_vec3 volume_centroid, area_centroid;
} ct_mesh_sums;

/* Fills *sums and the report's area and box. False: cancelled. */
bool ct_mesh_measure(const ct_mesh_parts *m, ct_mesh_report *report, ct_mesh_sums *sums);

/* The shape of a tree: nodes with first and count as in ct_mesh_node. */
typedef struct ct_mesh_branch {
  uint32_t first, count;
} ct_mesh_branch;

/* Order of the live triangles and the branches over it; both owned by the caller. CT_OUT_OF_MEMORY, CT_CANCELLED: both NULL. */
ct_status ct_mesh_branches(const ct_mesh_parts *m, const ct_aabb *box, uint32_t **order, ct_mesh_branch **branches,
                           uint32_t *branch_count);

/* What the numbers say of orientation and reading, into the report; CT_OPEN_MESH: not the reading that was asked for. */
ct_status ct_mesh_classify(const ct_mesh_sums *sums, ct_mesh_reading reading, ct_mesh_report *report);

/* The view's numbers from sums and report, and the radius; the arrays are there. */
void ct_mesh_write_numbers(ct_mesh *mesh, const ct_mesh_sums *sums, const ct_mesh_report *report);

/* What a search of the tree costs, relative to that of its root: the sum of the nodes' areas over the root's (Goldsmith, Salmon
 * 1987). 0 where the root has no area. */
double ct_mesh_tree_cost(const ct_mesh_view *view);

/* Are those of the mesh's vertices that are one point still one in the parts, and no others?
 * *out_of_memory: it could not be found out. */
bool ct_mesh_keeps_points(const ct_mesh *mesh, const ct_mesh_parts *m, bool *out_of_memory);

/* Boxes and radii of the view's nodes, whose first and count are there, as are order and corners. False: cancelled. */
bool ct_mesh_fit(const ct_mesh_view *view, ct_mesh_node *nodes, const ct_cancel *cancel);

#endif
