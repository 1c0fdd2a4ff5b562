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
#include <contact/linkage.h>
#include <contact/status.h>
#include <contact/vec.h>

CT_DECLARATIONS_BEGIN

/* Triangles of a leaf of the mesh's tree, at most. */
#define CT_MESH_LEAF_MAX 4
/* Levels of the tree below its root, at most: a descent that keeps one waiting node a level needs a stack of this many. */
#define CT_MESH_DEPTH_MAX 64
/* No triangle. */
#define CT_NO_TRIANGLE UINT32_MAX
/* Growth of a tree's cost by moves at which it is rebuilt. At 1.5 features of a twisted ball of 10,000
 * triangles take 1.25 times, distances 1.5 times and rays 1.5 to 2 times as long as with a tree of its own
 * (tests/bench/run soft). One query of features then loses 7 ms of 27, about what rebuilding adds to
 * a fit once (8 ms to 5.5 ms). */
#define CT_MESH_REFIT_COST 1.5

typedef struct ct_mesh ct_mesh;

/* Node of the tree over the live triangles: one cache line. nodes[0] is the root, nodes[1] is not used; children stand side by
 * side from an even index, so that a pair of them is one aligned block of 128 bytes. */
typedef struct ct_mesh_node {
  ct_aabb box;    /* of the node's triangles, exactly */
  double radius;  /* of a ball about the box's middle, 0.5 (min + max), that holds the triangles; at most half the diagonal */
  uint32_t first; /* inner node: its first child, the second is first + 1; leaf: position of its first triangle in `order` */
  uint32_t count; /* leaf: its triangles; 0: inner node */
} ct_mesh_node;

/* Borrowed view of a mesh's arrays; valid while the mesh is retained. A position is a place in the order of the leaves, which has
 * the triangles of a node side by side. */
typedef struct ct_mesh_view {
  uint32_t vertex_count, triangle_count; /* as given, all of them */
  const ct_vec3 *vertices;
  const ct_vec3 *normals;         /* [vertex_count] outward normals as given, of any length but 0; NULL: none were given */
  const uint32_t (*triangles)[3]; /* vertex indices as given; seen from outside counter-clockwise, or clockwise when `flipped` */
  bool flipped;                   /* a closed mesh that was given inside out: every triangle is read the other way round */
  bool solid;
  bool repeats; /* duplicate triangles were kept where it would be open without them (contact/mesh_repair.h) */
  uint32_t live_count;          /* triangles that take part: neither degenerate nor given twice */
  const uint32_t *order;        /* [live_count] live triangles in the order of the leaves */
  const uint32_t (*corners)[3]; /* [live_count] vertices of order[i], counter-clockwise from outside; of bit-equal ones the first,
                                   so that triangles share an edge where they share two indices */
  const uint32_t (*across)[3];  /* [live_count] position of the triangle beyond the edge from corners[i][k] to the next corner, or
                                   CT_NO_TRIANGLE where not exactly two live triangles meet */
  const ct_mesh_node *nodes;    /* [node_count], aligned to 128 bytes */
  uint32_t node_count;
  uint32_t point_count;             /* different points that live triangles use */
  const uint32_t *points;           /* [point_count] their vertices, the first of bit-equal ones, ascending */
  uint32_t component_count;         /* connected parts, by shared vertices */
  const uint32_t *component_vertex; /* [component_count] the first vertex of each part */
  ct_vec3 centroid;                 /* of the volume of a solid, else of the area */
  double radius;                    /* of the ball about centroid that holds all live triangles, m */
  double volume;                    /* m^3; 0 for a surface */
  ct_mat3 inertia;                  /* of a solid about centroid for unit density, kg m^2 */
  ct_aabb box;                      /* of the live triangles */
} ct_mesh_view;

/* What building a mesh found. Filled on success, and on CT_OPEN_MESH and CT_DEGENERATE_MESH too. */
typedef struct ct_mesh_report {
  uint32_t triangles;            /* live */
  uint32_t vertices;             /* different points that live triangles use */
  uint32_t merged_vertices;      /* given vertices that are bit-equal to an earlier one */
  uint32_t unused_vertices;      /* given vertices in whose point no live triangle has a corner */
  uint32_t degenerate_triangles; /* dropped: two corners are one point, or all three lie on a line, by exact predicate */
  uint32_t duplicate_triangles;  /* dropped: the three corners of an earlier one, the same way round */
  uint32_t opposed_triangles;    /* kept: the three corners of an earlier one, the other way round; the two cancel in a solid */
  uint32_t components;
  uint32_t open_edges;         /* edges of one triangle */
  uint32_t crowded_edges;      /* edges of three and more triangles: the mesh is no manifold */
  uint32_t inconsistent_edges; /* edges that triangles run through more often one way than the other, by two and more */
  uint32_t pinched_vertices;   /* vertices whose triangles form more than one fan: no manifold there */
  bool closed;                 /* every edge has an even number of triangles */
  bool oriented;               /* no inconsistent edge */
  bool manifold;               /* no crowded edge, no pinched vertex */
  bool watertight;             /* closed, oriented and manifold */
  bool flipped;                /* closed and oriented, but inside out: read the other way round */
  bool solid;
  uint32_t bad_triangle; /* the first triangle at an open, crowded or inconsistent edge, or CT_NO_TRIANGLE */
  uint32_t bad_edge[2];  /* that edge's vertices as given */
  double volume, area;   /* m^3 (0 unless closed and oriented), m^2 */
  ct_aabb box;
} ct_mesh_report;

typedef enum ct_mesh_reading { CT_MESH_AUTO, CT_MESH_SURFACE, CT_MESH_SOLID } ct_mesh_reading;

/* Borrowed arrays of a mesh that is to be made. */
typedef struct ct_mesh_data {
  const ct_vec3 *vertices; /* [vertex_count] */
  size_t vertex_count;
  const uint32_t (*triangles)[3]; /* [triangle_count] indices below vertex_count */
  size_t triangle_count;
  const ct_vec3 *normals; /* [vertex_count] outward, finite, of any length but 0; NULL: none. No answer but contact features asks */
} ct_mesh_data;

/* A mesh of copies of the given arrays. AUTO: a solid when closed and oriented with a volume,
 * else a surface. A triangle whose three different corners lie on a line has no points of its own, but it joins edges: where a
 * mesh is closed and oriented with such triangles and not without, it is closed. Coordinates below 2^-260 of the largest are read
 * as zero. CT_OPEN_MESH: SOLID was asked of a mesh that is not closed and oriented, or encloses no volume. CT_DEGENERATE_MESH: no
 * live triangle. CT_LIMIT: more than CT_MESH_TRIANGLES_MAX triangles or CT_MESH_VERTICES_MAX vertices, or a coordinate that is not
 * finite or beyond 2^300. CT_OUT_OF_MEMORY, CT_CANCELLED. `cancel` and `report` may be NULL. Cost O(n log n). The caller owns the
 * reference in *out. Mass: Mirtich 1996 in the form of sums over triangles; where parts overlap, theirs counts twice
 * (ct_mesh_self_test tells whether any may). */
ct_status ct_mesh_create(const ct_mesh_data *data, ct_mesh_reading reading, const ct_cancel *cancel, ct_mesh **out,
                         ct_mesh_report *report);
const ct_mesh *ct_mesh_retain(const ct_mesh *mesh);

/* The mesh with its vertices, and normals, elsewhere: a mesh of its own, of copies of the given arrays;
 * the first one stays as it is. `vertices`: [vertex_count], m; `normals`: [vertex_count] as in
 * ct_mesh_data, or NULL: none. Answers are those of a mesh that ct_mesh_create makes of the same arrays
 * in the reading that the first one has: volume, centroid, inertia, bounds, the number of distinct
 * points, triangles without an area and the sense of an inside-out solid are computed again, and
 * duplicate triangles that were kept are kept. Only the order of the tree's leaves may differ, and
 * with it the rounding of sums and which of several crossing triangles a result names.
 *
 * Where the same vertices still are one point and every triangle has an area before and after, the
 * tree keeps its branches and its boxes are fitted; the connectivity is shared with the mesh for
 * whose vertices the tree was built (ct_mesh_origin). A tree whose boxes have grown so that a search
 * costs CT_MESH_REFIT_COST times what it did when the tree was built is rebuilt. Anything else is
 * made from the beginning. Moving the origin to the same place gives the same bits as any sequence
 * of moves that led there.
 *
 * CT_OPEN_MESH: a solid encloses no volume any more, or its vertices that were one point are not.
 * CT_DEGENERATE_MESH, CT_LIMIT, CT_OUT_OF_MEMORY, CT_CANCELLED as above; `cancel` and `report` may be
 * NULL. O(n): for 10,000 triangles less than half of what ct_mesh_create costs. */
ct_status ct_mesh_move(const ct_mesh *mesh, const ct_vec3 *vertices, const ct_vec3 *normals,
                       const ct_cancel *cancel, ct_mesh **out, ct_mesh_report *report);
/* The mesh for whose vertices a moved mesh's tree was built; NULL: the tree was built for its own.
 * Borrowed. */
const ct_mesh *ct_mesh_origin(const ct_mesh *mesh);
void ct_mesh_release(const ct_mesh *mesh);
const ct_mesh_view *ct_mesh_get(const ct_mesh *mesh);
/* Bytes that the mesh holds, with those of its origin. */
size_t ct_mesh_bytes(const ct_mesh *mesh);

/* Unit normal of a triangle that is live, outward where the mesh is closed, else from its corners' sense. Right to some u for
 * needles too. */
ct_vec3 ct_mesh_normal(const ct_mesh *mesh, uint32_t triangle);

/* The nearest point of the surface. */
typedef struct ct_mesh_foot {
  double distance; /* >= 0, m */
  ct_vec3 point;
  uint32_t triangle; /* the lowest number among equally near ones */
} ct_mesh_foot;

/* Nearest point to p among those not farther than `limit` (INFINITY: any); false when there is none. O(log n) expected. */
bool ct_mesh_nearest(const ct_mesh *mesh, ct_vec3 p, double limit, ct_mesh_foot *out);

/* Is p inside a closed and oriented mesh, or on its surface? Inside: the triangles wind around p at least once, so a cavity's
 * inside is outside, and where parts overlap is inside. Right for every p: crossings of a ray along z, with exact predicates and
 * ties broken symbolically; whether p is on a triangle is decided exactly. False for a surface. O(log n) expected where walls are
 * not on top of each other. Simulation of simplicity: Edelsbrunner, Muecke 1990. */
bool ct_mesh_contains(const ct_mesh *mesh, ct_vec3 p);

typedef enum ct_mesh_side { CT_MESH_OUTSIDE, CT_MESH_ON, CT_MESH_INSIDE } ct_mesh_side;

/* The same, told apart; OUTSIDE for every point of a surface. ON: *triangle (may be NULL) is the lowest number of those that hold
 * p, else CT_NO_TRIANGLE. */
ct_mesh_side ct_mesh_side_of(const ct_mesh *mesh, ct_vec3 p, uint32_t *triangle);

/* How often the triangles wind around p, of closed meshes a whole number, to some u for each triangle; of open ones what part of a
 * sphere about p they cover from inside. Without meaning where p is on a triangle. O(n); for solids ct_mesh_side_of decides exactly
 * and faster. Jacobson, Kavan, Sorkine-Hornung 2013. */
double ct_mesh_winding(const ct_mesh *mesh, ct_vec3 p);

/* A point where a ray meets a triangle. */
typedef struct ct_mesh_hit {
  double t;          /* the point is origin + t direction, t >= 0 */
  ct_vec3 point;     /* in the triangle, to round-off */
  uint32_t triangle; /* number as given */
  int side;          /* +1: the ray goes in through the front, -1: out through the back, 0: it runs in the triangle's plane */
  uint32_t position; /* of the triangle in the view's order */
  uint32_t zero;     /* bit k: corner k of corners[position] weighs nothing, exactly; one bit: on an
                        edge, two: in a corner. 0 where     side is 0 */
} ct_mesh_hit;

/* First point of the ray origin + t direction, 0 <= t <= t_max, on the triangles, the lowest triangle among equal t; false when
 * there is none. Triangles are closed sets and exact predicates decide whether the ray meets one, so nothing slips through a
 * shared edge or vertex; t errs by some u of the largest coordinate difference. Direction of any length but zero; components below
 * 2^-300 of its largest are read as zero. O(log n) expected. */
bool ct_mesh_ray_first(const ct_mesh *mesh, ct_vec3 origin, ct_vec3 direction, double t_max, ct_mesh_hit *out);

/* All triangles that the ray meets: returns how many, and writes the first `room` of them in the order of (t, triangle). A ray
 * through a shared edge or vertex meets every triangle there, at equal points to round-off. */
size_t ct_mesh_ray_all(const ct_mesh *mesh, ct_vec3 origin, ct_vec3 direction, double t_max, ct_mesh_hit *out, size_t room);

/* Triangles of the largest mesh that is looked at for whether it meets itself: it takes about as long as building the mesh, which
 * for more is seconds. */
#define CT_MESH_SELF_TRIANGLES_MAX 250000

typedef enum ct_mesh_self_intersection {
  CT_MESH_SELF_FREE,         /* triangles share corners and edges alone */
  CT_MESH_SELF_INTERSECTING, /* two share another point */
  CT_MESH_SELF_UNKNOWN
} ct_mesh_self_intersection;

/* Does the mesh meet itself: do two live triangles have a point in common that is not on a corner or an edge of both? Exact; parts
 * that only touch meet too. MEETS: triangles[0] < triangles[1], numbers as given, are two of them. UNKNOWN: there are more than
 * CT_MESH_SELF_TRIANGLES_MAX live triangles, or it was not found out within a number of steps that grows with the triangles, as
 * where thousands of boxes of triangles all overlap each other. The same mesh has the same answer. CT_OK or CT_CANCELLED, then *out
 * is untouched. `cancel` may be NULL. O(n log n) where few triangles' boxes overlap. */
ct_status ct_mesh_self_test(const ct_mesh *mesh, const ct_cancel *cancel, ct_mesh_self_intersection *out, uint32_t triangles[2]);

CT_DECLARATIONS_END

#endif
