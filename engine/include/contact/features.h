/* Contact features of two solid meshes: the contact points of soft-body solvers. A feature has a
 * point of a and a point of b, each with triangle, barycentric coordinates and outward normal, by
 * the caller's numbers.
 *
 * World frame, m. Castro, SoftSim Geometric Query Specifications, 2020, after Duriez, Dubois,
 * Kheddar, Andriot 2006.
 *
 * Vertex features. A vertex of one mesh strictly inside the other is matched with a point of the
 * other surface: along its normal, or the closest one. A vertex exactly on the other surface is its
 * own match. Exact predicates decide which vertices are inside or on the surface, where rays exit,
 * and which edges cross. They use vertices as transformed into the other mesh's frame, with the
 * same bits in all triangles.
 *
 * Edge-edge features. Edges that cross on the boundary of the common solid have a feature. Only
 * convex edges between exactly two triangles count, at an angle of more than 1e-6 rad; triangles at
 * smaller angles form one face. An intersection line is a connected part of the intersection of a
 * face of a and a face of b that are not coplanar; it is an edge of the common solid. An edge of a
 * and an edge of b cross in two cases: an intersection line has one end in the interior of one edge
 * and its other end in the interior of the other edge; or the edges share an inner point, also if
 * faces are coplanar or the solids only touch, at distance 0. A line that ends in a vertex makes
 * this vertex a feature on the other surface instead. Intersection lines inside another part of a
 * self-intersecting mesh are ignored, and so are edges that only pass each other inside the common
 * solid. The feature's points are the closest points of the two edges. If the edges are separated
 * there, because they pass each other on the wrong side, the points are the ends of the shortest
 * intersection line.
 *
 * Unlike in pair.h, point_b - point_a of a vertex feature is along the search direction, and
 * `normal` is computed from the normals of both surfaces. */
#ifndef CONTACT_FEATURES_H
#define CONTACT_FEATURES_H

#include <contact/base.h>
#include <contact/pair.h>

CT_DECLARATIONS_BEGIN

/* How the match of a vertex is searched. BACKWARD: along a ray against its outward normal, which
 * leaves the other solid through the near surface. FORWARD: along its normal, through the far
 * surface. CLOSEST: the closest point of the other surface. BOTH: BACKWARD and FORWARD, as two
 * features. */
typedef enum ct_features_mode {
  CT_FEATURES_BACKWARD,
  CT_FEATURES_FORWARD,
  CT_FEATURES_CLOSEST,
  CT_FEATURES_BOTH
} ct_features_mode;

/* Value of edge_depth: crossing edges of any depth are reported. */
#define CT_FEATURES_ANY_DEPTH 0.0

typedef struct ct_features_options {
  ct_features_mode mode;
  /* Crossing edges with contact points farther apart than this are omitted, m; > 0, or
   * CT_FEATURES_ANY_DEPTH. */
  double edge_depth;
} ct_features_options;
/* Defaults: BACKWARD, CT_FEATURES_ANY_DEPTH. */
ct_features_options ct_features_options_default(void);

typedef enum ct_pair_feature_kind {
  CT_PAIR_FEATURE_VERTEX_A, /* a vertex of a inside b or on its surface */
  CT_PAIR_FEATURE_VERTEX_B,
  CT_PAIR_FEATURE_EDGE_EDGE /* crossing edges of a and b, as defined above */
} ct_pair_feature_kind;

/* Flags of a feature, bits of ct_pair_feature.flags. */
enum {
  /* the vertex is exactly on the other surface, so the distance is 0 and both points coincide */
  CT_PAIR_FEATURE_ON_SURFACE = 1 << 0,
  /* the ray of the search has no exit, so the match is the closest point */
  CT_PAIR_FEATURE_FALLBACK = 1 << 1,
  /* in a (b): the normals of the vertices cancel each other, so the triangle's own normal is
   * used */
  CT_PAIR_FEATURE_FACE_NORMAL_A = 1 << 2,
  CT_PAIR_FEATURE_FACE_NORMAL_B = 1 << 3,
  /* both normals are equal, so `normal` is the vertex's own normal, out of its body */
  CT_PAIR_FEATURE_NORMAL_ARBITRARY = 1 << 4,
  /* Both edges end in vertices that are features of smaller depth: a solver may ignore this pair of
   * edges. */
  CT_PAIR_FEATURE_DOUBLED = 1 << 5
};

/* A point of one of the meshes. */
typedef struct ct_pair_feature_point {
  ct_vec3 point;
  /* outward unit normal of the mesh, interpolated between the normals at the vertices */
  ct_vec3 normal;
  /* caller's index of the triangle that contains the point; of several (at a vertex or on an edge),
   * the lowest */
  uint32_t triangle;
  /* coordinates with respect to the triangle's corners in given order; each >= 0, sum 1 */
  double barycentric[3];
} ct_pair_feature_point;

typedef struct ct_pair_feature {
  ct_pair_feature_kind kind;
  /* the search that found the match of a vertex, never BOTH; unused for edge features, which have
   * BACKWARD */
  ct_features_mode mode;
  uint32_t flags;
  ct_pair_feature_point a, b;
  uint32_t vertex; /* vertex features: the caller's vertex index, the lowest of bit-equal ones */
  /* edge features: the vertices of the edge, by the caller's indices, in the order of the point's
   * triangle */
  uint32_t edge_a[2], edge_b[2];
  /* minus the distance of point_a and point_b, m, <= 0; for edges, minus the distance of the
   * closest points of both edges */
  double distance;
  /* Unit, from a to b. Edges: direction with point_b - point_a = distance normal; at distance 0 the
   * common normal out of a and into b. Vertices: direction of (normal of a) - (normal of b); if the
   * normals are equal to 1e-6 (NORMAL_ARBITRARY), the normal of a for a vertex of a, minus the
   * normal of b for a vertex of b. */
  ct_vec3 normal;
} ct_pair_feature;

typedef enum ct_features_status {
  CT_FEATURES_OK,
  CT_FEATURES_OPEN_MESH,    /* a or b is a surface mesh, which has no interior */
  CT_FEATURES_NO_TRIANGLES, /* a or b has no triangles given by the caller */
  CT_FEATURES_OUT_OF_MEMORY /* out of memory, so features are missing */
} ct_features_status;

typedef struct ct_features {
  ct_features_status status;
  /* [count] first vertices of a by index (BOTH: BACKWARD before FORWARD), then vertices of b, then
   * edges, by the edge of a, then of b; borrowed from the workspace until its next use */
  const ct_pair_feature *items;
  size_t count;
  size_t doubled; /* features with the flag DOUBLED */
} ct_features;

/* True if the caller gave the shape's triangles: a mesh, or elements with their surface. Open
 * meshes are supported here; the status of ct_pair_features reports them. */
bool ct_features_are_supported(const ct_shape *shape);

/* Computes the features of two placed meshes, written to *out; margins and rounding radii are
 * ignored, and so are vertices without triangles. Normals are the caller's, else the angle-weighted
 * average of the adjacent triangles' normals (Thuermer, Wuethrich 1998). If several triangles
 * contain the point at which a ray exits, the match is in the one of lowest index. Swapping a and b
 * exchanges the vertex kinds and the points, bit for bit. If the workspace is cancelled, features
 * are missing. O((V_a + V_b) log F + k) for V vertices, F triangles and k intersecting pairs of
 * triangles: about 10 ns per vertex outside the other mesh's box, 25 us per vertex inside (mostly
 * for normals), a few us per pair of intersecting triangles. */
void ct_pair_features(ct_placed a, ct_placed b, const ct_features_options *options,
                      ct_workspace *workspace, ct_features *out);

typedef struct ct_triangle_pair {
  uint32_t a, b; /* indices of a triangle of the first and of the second mesh, as given */
} ct_triangle_pair;

typedef struct ct_triangle_pairs {
  /* [count] ordered by a, then b; borrowed from the workspace until its next use */
  const ct_triangle_pair *items;
  size_t count;
  bool out_of_memory; /* out of memory, so pairs are missing */
} ct_triangle_pairs;

/* Finds all pairs of live triangles of two meshes, solids or surfaces, that share a point, touching
 * included. The decision is exact for the triangles of one mesh as transformed into the other's
 * frame; the transformation is exact if the rotation consists of quarter turns. No pairs if a shape
 * is not a mesh. O(log n) per pair with overlapping boxes. */
void ct_pair_triangles(ct_placed a, ct_placed b, ct_workspace *workspace, ct_triangle_pairs *out);

CT_DECLARATIONS_END

#endif
