/* Triangle meshes: built once, then immutable and shared by reference count. Vertices and triangles
 * keep the caller's numbers.
 *
 * Meshes are exact and may be non-convex. A mesh is a surface or, if closed and consistently
 * oriented, a solid. Triangles of a solid are counter-clockwise seen from outside, so normals point
 * out of the material. Bit-equal vertices connect triangles: the separate triangles of an STL file
 * are joined without a tolerance. Coordinates are in the shape's frame, m. */
#ifndef CONTACT_MESH_H
#define CONTACT_MESH_H

#include <contact/base.h>
#include <contact/vec.h>

CT_DECLARATIONS_BEGIN

/* Largest number of triangles in a leaf of the bounding volume hierarchy (BVH). */
#define CT_MESH_LEAF_MAX 4
/* Largest number of BVH levels below the root, and so the stack size of a traversal with one
 * pending node per level. */
#define CT_MESH_DEPTH_MAX 64
/* No triangle. */
#define CT_NO_TRIANGLE UINT32_MAX
/* A refitted BVH is rebuilt when its expected search cost has grown by this factor. At 1.5,
 * features of a twisted ball of 10,000 triangles take 1.25 times, distances 1.5 times and rays 1.5
 * to 2 times as long as with a new tree (tests/bench/run soft). One features query then loses 7 ms
 * of 27, about the difference between rebuilding (8 ms) and refitting (5.5 ms). */
#define CT_MESH_REFIT_COST 1.5

typedef struct ct_mesh ct_mesh;

/* Node of the BVH over the live triangles; one cache line. nodes[0] is the root, nodes[1] is
 * unused. The two children of a node are adjacent, starting at an even index, so they are one
 * aligned block of 128 bytes. */
typedef struct ct_mesh_node {
  ct_aabb box; /* exact AABB of the node's triangles */
  /* radius of a ball around the box's centre, 0.5 (min + max), that contains the triangles; at most
   * half the box's diagonal, m */
  double radius;
  /* inner node: index of the first child, the second is first + 1; leaf: index in `order` of its
   * first triangle */
  uint32_t first;
  uint32_t count; /* number of triangles of a leaf; 0 in an inner node */
} ct_mesh_node;

/* Borrowed view of a mesh's arrays; valid while the mesh is retained. A position is an index into
 * `order`, the order of leaves, in which the triangles of a node are contiguous. */
typedef struct ct_mesh_view {
  uint32_t vertex_count, triangle_count; /* numbers of all vertices and triangles, as given */
  const ct_vec3 *vertices;
  /* [vertex_count] outward normals as given, of any length but 0; NULL: none */
  const ct_vec3 *normals;
  /* [triangle_count] vertex indices as given; counter-clockwise seen from outside, clockwise if
   * `flipped` */
  const uint32_t (*triangles)[3];
  bool flipped; /* a closed mesh was given inside out: every triangle is reversed */
  bool solid;
  /* duplicate triangles were kept because the mesh is open without them (ct_mesh_repair) */
  bool repeats;
  uint32_t live_count;   /* live triangles: neither degenerate nor duplicate */
  const uint32_t *order; /* [live_count] indices of the live triangles in the order of the leaves */
  /* [live_count] vertices of triangle order[i], counter-clockwise seen from outside. Of bit-equal
   * vertices the first is used, so triangles that share an edge have two common indices */
  const uint32_t (*corners)[3];
  /* [live_count] position of the neighbouring triangle across the edge from corners[i][k] to the
   * next corner; CT_NO_TRIANGLE unless exactly two live triangles share the edge */
  const uint32_t (*across)[3];
  const ct_mesh_node *nodes; /* [node_count], aligned to 128 bytes */
  uint32_t node_count;
  uint32_t point_count; /* number of distinct points that live triangles use */
  /* [point_count] vertex at each of these points, the first of bit-equal ones, ascending */
  const uint32_t *points;
  /* number of connected components; triangles are connected by shared vertices */
  uint32_t component_count;
  const uint32_t *component_vertex; /* [component_count] first vertex of each component */
  /* centre of mass: of the volume if the mesh is a solid, else of the area; m */
  ct_vec3 centroid;
  double radius;   /* radius of a ball around centroid that contains all live triangles, m */
  double volume;   /* m^3; 0 for a surface */
  ct_mat3 inertia; /* inertia tensor of a solid about centroid for unit density, kg m^2 */
  ct_aabb box;     /* of the live triangles */
} ct_mesh_view;

/* Report of building a mesh. Filled for CT_OK, CT_OPEN_MESH and CT_DEGENERATE_MESH. */
typedef struct ct_mesh_report {
  uint32_t triangles;       /* number of live triangles */
  uint32_t vertices;        /* number of distinct points of live triangles */
  uint32_t merged_vertices; /* number of given vertices that are bit-equal to an earlier one */
  uint32_t unused_vertices; /* number of given vertices at points that no live triangle uses */
  /* dropped triangles with coincident corners, or with corners that are collinear by an exact
   * predicate */
  uint32_t degenerate_triangles;
  /* dropped triangles with the corners of an earlier triangle in the same orientation */
  uint32_t duplicate_triangles;
  /* kept triangles with the corners of an earlier triangle in opposite orientation; the two cancel
   * each other in a solid */
  uint32_t opposed_triangles;
  uint32_t components;
  uint32_t open_edges; /* edges that belong to one triangle only */
  /* edges that belong to three or more triangles, so the mesh is not a manifold */
  uint32_t crowded_edges;
  /* edges that triangles traverse at least twice more often in one direction than in the other */
  uint32_t inconsistent_edges;
  /* vertices at which more than one fan of triangles meet, so the mesh is not a manifold */
  uint32_t pinched_vertices;
  bool closed;     /* every edge has an even number of triangles */
  bool oriented;   /* there are no inconsistent edges */
  bool manifold;   /* there are no crowded edges and no pinched vertices */
  bool watertight; /* closed, oriented and manifold */
  /* the mesh is closed and oriented, but was given inside out, so its triangles were reversed */
  bool flipped;
  bool solid;
  /* first triangle at an open, crowded or inconsistent edge; CT_NO_TRIANGLE if there is none */
  uint32_t bad_triangle;
  uint32_t bad_edge[2]; /* vertices of that edge of bad_triangle, as given */
  double volume, area;  /* volume, m^3, 0 unless the mesh is closed and oriented; surface area,
                           m^2 */
  ct_aabb box;
} ct_mesh_report;

/* How a mesh is interpreted; see ct_mesh_create. */
typedef enum ct_mesh_reading { CT_MESH_AUTO, CT_MESH_SURFACE, CT_MESH_SOLID } ct_mesh_reading;

/* Input of ct_mesh_create; borrowed arrays. */
typedef struct ct_mesh_data {
  const ct_vec3 *vertices; /* [vertex_count] */
  size_t vertex_count;
  const uint32_t (*triangles)[3]; /* [triangle_count] indices below vertex_count */
  size_t triangle_count;
  /* [vertex_count] outward normals at the vertices, finite, of any nonzero length; NULL: none. Only
   * contact features use them */
  const ct_vec3 *normals;
} ct_mesh_data;

/* Builds a mesh from copies of the arrays; the caller owns the reference in *out. `cancel` and
 * `report` may be NULL. reading AUTO: the mesh is a solid if it is closed and oriented and encloses
 * a volume, else a surface. Collinear triangles have no area, but they connect edges: they are
 * considered if the mesh is closed and oriented only with them. Coordinates below 2^-260 of the
 * largest count as zero. Overlapping parts of a solid count twice in its mass (ct_mesh_self_test
 * detects overlaps).
 * CT_OPEN_MESH: SOLID was requested for a mesh that is not closed and oriented, or encloses no
 * volume. CT_DEGENERATE_MESH: no live triangle. CT_LIMIT: more than CT_MESH_TRIANGLES_MAX triangles
 * or CT_MESH_VERTICES_MAX vertices; a coordinate that is not finite or beyond 2^300.
 * CT_OUT_OF_MEMORY, CT_CANCELLED.
 * O(n log n). Mass: Mirtich 1996, as sums over triangles. */
ct_status ct_mesh_create(const ct_mesh_data *data, ct_mesh_reading reading, const ct_cancel *cancel,
                         ct_mesh **out, ct_mesh_report *report);
/* Adds a reference, and returns the mesh; ct_mesh_release drops one, NULL is allowed. Thread-safe.
 */
const ct_mesh *ct_mesh_retain(const ct_mesh *mesh);

/* Builds a mesh with moved vertices and normals from copies of the arrays; the original is
 * unchanged. vertices: [vertex_count], m. normals: [vertex_count] as in ct_mesh_data, or NULL.
 * Results are as from ct_mesh_create on the same arrays with the original's reading. Volume,
 * centroid, inertia, bounds, distinct points, collinear triangles and orientation are recomputed;
 * kept duplicates stay. Only the leaf order may differ: it affects the rounding of sums, and which
 * of several crossing triangles a result names.
 *
 * If the same vertices coincide before and after, and every triangle has an area before and after,
 * the BVH is refitted, and the connectivity is shared with the mesh for which the BVH was built
 * (ct_mesh_origin). If the search cost of the refitted BVH reaches CT_MESH_REFIT_COST times the
 * cost when it was built, only the BVH is rebuilt. In all other cases the mesh is built from
 * scratch. Moving the origin to given vertices has the same result, to the bit, as any sequence of
 * moves to them. CT_OPEN_MESH: a solid no longer encloses a volume, or coincident vertices were
 * separated. CT_DEGENERATE_MESH, CT_LIMIT, CT_OUT_OF_MEMORY, CT_CANCELLED, `cancel` and `report` as
 * in ct_mesh_create. O(n): for 10,000 triangles less than half the cost of ct_mesh_create. */
ct_status ct_mesh_move(const ct_mesh *mesh, const ct_vec3 *vertices, const ct_vec3 *normals,
                       const ct_cancel *cancel, ct_mesh **out, ct_mesh_report *report);
/* Returns the mesh for which the BVH was built, borrowed; NULL: it was built for this mesh. */
const ct_mesh *ct_mesh_origin(const ct_mesh *mesh);
void ct_mesh_release(const ct_mesh *mesh);
/* View of the mesh; valid while it is retained. O(1). */
const ct_mesh_view *ct_mesh_get(const ct_mesh *mesh);
/* Memory of the mesh and its origin, bytes. */
size_t ct_mesh_bytes(const ct_mesh *mesh);

/* Returns the unit normal of a live triangle: outward if the mesh is closed, else by the corners'
 * orientation. Its error is a few unit round-offs, also for needles. O(1). */
ct_vec3 ct_mesh_normal(const ct_mesh *mesh, uint32_t triangle);

/* Closest point of the surface. */
typedef struct ct_mesh_foot {
  double distance; /* >= 0, m */
  ct_vec3 point;
  uint32_t triangle; /* triangle that contains the closest point; of equally near triangles, the one
                        with the lowest index */
} ct_mesh_foot;

/* Finds the point of the surface closest to p, at most `limit` away, m (INFINITY: unlimited).
 * False: there is none. O(log n) expected. */
bool ct_mesh_nearest(const ct_mesh *mesh, ct_vec3 p, double limit, ct_mesh_foot *out);

/* True if p is inside a solid or on its surface; always false for a surface mesh. Inside means
 * winding number >= 1, so cavities are outside, and where parts overlap is inside. Exact for every
 * p: counts the crossings of a ray along z, by exact predicates with symbolic tie-breaking. O(log
 * n) expected if the mesh has no coincident walls. Simulation of simplicity: Edelsbrunner, Muecke
 * 1990. */
bool ct_mesh_contains(const ct_mesh *mesh, ct_vec3 p);

typedef enum ct_mesh_side { CT_MESH_OUTSIDE, CT_MESH_ON, CT_MESH_INSIDE } ct_mesh_side;

/* Classifies a point as ct_mesh_contains does, with ON for points on the surface; OUTSIDE for every
 * point if the mesh is a surface. *triangle (may be NULL): set to the lowest triangle that contains
 * p if ON, else to CT_NO_TRIANGLE. */
ct_mesh_side ct_mesh_side_of(const ct_mesh *mesh, ct_vec3 p, uint32_t *triangle);

/* Winding number of the triangles around p. For closed meshes it is an integer, up to a few unit
 * round-offs per triangle. For open meshes it is the fraction of a sphere around p that the
 * triangles cover, counted positive where p sees their inner side. Undefined if p is on a triangle.
 * O(n); for solids ct_mesh_side_of is exact and faster. Jacobson, Kavan, Sorkine-Hornung 2013. */
double ct_mesh_winding(const ct_mesh *mesh, ct_vec3 p);

/* Intersection of a ray and a triangle. */
typedef struct ct_mesh_hit {
  double t;          /* the point is origin + t direction, t >= 0 */
  ct_vec3 point;     /* point of intersection, which is in the triangle up to round-off */
  uint32_t triangle; /* as given */
  /* +1: the ray enters through the triangle's front; -1: it leaves through its back; 0: the ray is
   * in the triangle's plane */
  int side;
  uint32_t position; /* index of the triangle in ct_mesh_view.order */
  /* bit k is set if the barycentric coordinate of corner k is exactly zero: one bit, the point is
   * on an edge; two bits, it is at a corner. 0 if side is 0 */
  uint32_t zero;
} ct_mesh_hit;

/* Finds the first intersection of the ray origin + t direction, 0 <= t <= t_max, with the
 * triangles; true if there is one. Of intersections at the same t, the one with the lowest triangle
 * is written. Triangles are closed and predicates exact, so no ray passes through a shared edge or
 * vertex. The error of t is a few unit round-offs of the largest coordinate difference. direction:
 * any nonzero vector; components below 2^-300 of its largest count as zero. O(log n) expected. */
bool ct_mesh_ray_first(const ct_mesh *mesh, ct_vec3 origin, ct_vec3 direction, double t_max,
                       ct_mesh_hit *out);

/* Finds all triangles that the ray intersects: returns their number, and writes the first `room`
 * hits in the order of (t, triangle). At a shared edge or vertex every adjacent triangle has a hit,
 * at points equal up to round-off. */
size_t ct_mesh_ray_all(const ct_mesh *mesh, ct_vec3 origin, ct_vec3 direction, double t_max,
                       ct_mesh_hit *out, size_t room);

/* Largest number of triangles for which ct_mesh_self_test is decided: it takes about as long as
 * building the mesh, which is seconds for larger ones. */
#define CT_MESH_SELF_TRIANGLES_MAX 250000

typedef enum ct_mesh_self_intersection {
  CT_MESH_SELF_FREE,         /* triangles share only corners and edges */
  CT_MESH_SELF_INTERSECTING, /* two triangles share another point */
  CT_MESH_SELF_UNKNOWN
} ct_mesh_self_intersection;

/* Tests for self-intersection: whether two live triangles share a point that is not on a common
 * corner or edge. Exact; parts that only touch intersect too. INTERSECTING: triangles[0] <
 * triangles[1], as given, is such a pair. UNKNOWN: more than CT_MESH_SELF_TRIANGLES_MAX live
 * triangles, or too many steps, for example because thousands of triangle boxes overlap.
 * Deterministic. `cancel` may be NULL.
 * CT_CANCELLED: *out is unchanged.
 * O(n log n) if few boxes overlap. */
ct_status ct_mesh_self_test(const ct_mesh *mesh, const ct_cancel *cancel,
                            ct_mesh_self_intersection *out, uint32_t triangles[2]);

/* ---- repair ---------------------------------------------------------------------------------- */

/* Mesh repair: defects that keep a mesh from bounding a solid, and repairs on request.
 *
 * Defects: edges of one triangle (open), of three or more (non-manifold), and edges that triangles
 * traverse more often in one direction than in the other (inconsistent). Open edges form holes:
 * loops that traverse the edges against the direction of the adjacent triangles, so that a cap
 * whose triangles follow the loop is oriented like the mesh. If several loops meet at a vertex,
 * each continues within its fan of triangles; a loop ends when it returns to a vertex.
 *
 * Repairs, in this order.
 * - Weld: each vertex moves to the nearest earlier vertex within the tolerance that has not moved
 *   itself, so no vertex moves farther.
 * - Keep duplicates: of triangles given twice, those are kept without which the mesh is open, as
 *   for closed parts that share a face. Parts duplicated as a whole are dropped, as always.
 * - Cap holes: each hole with planar vertices, to the planarity, is triangulated. A hole within
 *   another in the same plane, with opposite direction, leaves a ring, which is filled.
 *
 * Vertices and triangles keep the caller's numbers; the caps' triangles follow. */

/* Default planarity: largest distance of a capped hole's vertices from their plane, relative to the
 * hole's size. In models with polygons for circles, holes deviate by up to 0.4 %; holes around a
 * corner of the model by 10 % and more. */
#define CT_MESH_PLANARITY 0.01
/* Largest number of edges of a hole that is capped: triangulation takes a quadratic number of
 * steps. */
#define CT_MESH_CAP_EDGES_MAX 4096u
/* Largest number of defect edges that ct_mesh_defects lists. */
#define CT_MESH_DEFECT_EDGES 10u

typedef enum ct_mesh_edge_kind {
  CT_MESH_EDGE_OPEN,
  CT_MESH_EDGE_NON_MANIFOLD,
  CT_MESH_EDGE_INCONSISTENT
} ct_mesh_edge_kind;

/* A defect edge. Edges that are inconsistent and have three or more triangles are NON_MANIFOLD. */
typedef struct ct_mesh_edge {
  ct_mesh_edge_kind kind;
  uint32_t triangle;  /* lowest triangle that has this edge, by the caller's index */
  uint32_t triangles; /* number of triangles that have this edge: 1 for an open edge, 2 or more for
                         the other defects */
  uint32_t vertex[2]; /* vertices of the edge by the caller's indices, in the direction in which
                         `triangle` traverses the edge */
} ct_mesh_edge;

/* What was done with a hole. */
typedef enum ct_mesh_hole_outcome {
  CT_MESH_HOLE_LEFT,   /* caps were not requested */
  CT_MESH_HOLE_CAPPED, /* filled */
  /* not filled: not a loop, because it ends at non-manifold or inconsistent edges */
  CT_MESH_HOLE_BROKEN,
  CT_MESH_HOLE_NOT_PLANAR, /* not filled: flatness > planarity * size */
  /* not filled: its edges cross or touch each other in the projection along the normal */
  CT_MESH_HOLE_CROSSED,
  CT_MESH_HOLE_TOO_LARGE /* not filled: more than CT_MESH_CAP_EDGES_MAX edges */
} ct_mesh_hole_outcome;

/* A hole: a loop of open edges, or a chain of open edges that ends at other defect edges. */
typedef struct ct_mesh_hole {
  /* the hole's vertices are loop[first] to loop[first + edges - 1]; a chain has one more, its
   * end */
  uint32_t first, edges;
  bool closed;       /* true: a loop; false: a chain */
  uint32_t triangle; /* lowest triangle at the hole's edges, as given */
  double perimeter;  /* m */
  double size;       /* diagonal of the hole's AABB, m */
  /* largest distance of a vertex from the plane through `center` whose normal is the loop's area
   * vector, m */
  double flatness;
  ct_vec3 center; /* mean of the hole's vertices, m */
  ct_vec3 normal; /* outward unit normal of a cap; (0, 0, 0) if the loop encloses no area */
  ct_mesh_hole_outcome outcome;
  /* CAPPED: first triangle of the cap, and number of its triangles; the two loops of a ring have
   * the same */
  uint32_t cap_first, cap_triangles;
} ct_mesh_hole;

typedef struct ct_mesh_defects {
  uint32_t open_edges, non_manifold_edges, inconsistent_edges;
  uint32_t edge_count; /* number of listed edges */
  /* the first defect edges, ascending by triangle and corner */
  ct_mesh_edge edge[CT_MESH_DEFECT_EDGES];
  uint32_t hole_count;
  ct_mesh_hole *holes; /* [hole_count] ascending by `triangle` */
  /* vertices of all holes, one hole after the other; of bit-equal vertices the first */
  uint32_t *loop;
} ct_mesh_defects;

/* Finds the defects of a mesh as built; a watertight mesh has none. The caller frees them with
 * ct_mesh_defects_free. `cancel` may be NULL.
 * CT_OUT_OF_MEMORY, CT_CANCELLED.
 * O(n log n). */
ct_status ct_mesh_find_defects(const ct_mesh *mesh, const ct_cancel *cancel, ct_mesh_defects *out);
void ct_mesh_defects_free(ct_mesh_defects *defects); /* frees the arrays, and zeroes *defects */

/* What ct_mesh_repair repairs. Zeroed: nothing. */
typedef struct ct_mesh_repair_options {
  double weld;          /* distance up to which vertices are welded, m; 0: no welding */
  bool keep_duplicates; /* true: keep duplicate triangles if the mesh is open without them */
  bool cap_holes;
  /* largest flatness of a hole that is capped, relative to its size; 0: CT_MESH_PLANARITY */
  double planarity;
} ct_mesh_repair_options;
/* Defaults: planarity CT_MESH_PLANARITY; nothing is repaired. */
ct_mesh_repair_options ct_mesh_repair_options_default(void);

typedef struct ct_mesh_repaired {
  ct_mesh *mesh;         /* owned by the caller; NULL unless CT_OK */
  ct_mesh_report report; /* report of building the repaired mesh, as from ct_mesh_create */
  uint32_t welded;       /* number of vertices that welding moved */
  /* largest distance by which a vertex was moved, m; at most the tolerance */
  double displacement;
  uint32_t duplicates;    /* duplicate triangles that were kept */
  uint32_t cap_triangles; /* triangles that caps added */
  /* defects after welding, before the other repairs; its holes have their outcomes */
  ct_mesh_defects before;
} ct_mesh_repaired;

/* Builds a mesh from the repaired arrays, as ct_mesh_create; zeroed options repair nothing. *out is
 * filled on CT_OK, CT_OPEN_MESH and CT_DEGENERATE_MESH; the caller frees it and owns the reference
 * out->mesh. Statuses of ct_mesh_create, and CT_LIMIT for a negative or non-finite tolerance or
 * planarity. O(n log n), and O(e^2) for a hole of e edges. Ear clipping: Meisters 1975; bridges to
 * inner loops: Held 2001. */
ct_status ct_mesh_repair(const ct_mesh_data *data, ct_mesh_reading reading,
                         const ct_mesh_repair_options *options, const ct_cancel *cancel,
                         ct_mesh_repaired *out);
/* Frees the defects; does not release the mesh. */
void ct_mesh_repaired_free(ct_mesh_repaired *repaired);

CT_DECLARATIONS_END

#endif
