/* Contact features of two solid meshes: the contact points of soft-body solvers. A feature has a
 * point of a and a point of b, each with triangle, barycentric coordinates and outward normal, by
 * the caller's numbers.
 *
 * Castro, SoftSim Geometric Query Specifications, 2020, after Duriez, Dubois, Kheddar, Andriot
 * 2006. World frame, m.
 *
 * Vertex features. A vertex of one mesh strictly inside the other is matched along its normal, or
 * to the closest point. A vertex exactly on the other surface matches itself. Crossing edges on the
 * boundary of the common solid are edge-edge features. Exact predicates decide which vertices are
 * inside or on the surface, where rays exit, and which edges cross. They use vertices as placed in
 * the other mesh's frame, with identical bits in all triangles.
 *
 * Edge-edge features. An edge joins exactly two triangles at an angle of more than 1e-6 rad and is
 * convex; triangles at smaller angles form one face. A line is a connected part of the intersection
 * of a face of a and a face of b that are not coplanar. An edge of a and an edge of b cross in two
 * cases. Either a line has one end inside one edge and the other end inside the other edge, or the
 * edges share an inner point, also for coplanar faces and touching solids, at distance 0. Lines are
 * edges of the common solid. Ends of an edge are not inside it: a line that ends in a vertex makes
 * that vertex a feature on the other surface. Concave edges carry no contact. Lines inside another
 * part of a self-intersecting mesh are ignored, and so are edges that only pass each other inside
 * the common solid. The feature's points are the closest points of the two edges. If the edges are
 * separated there, because they pass each other on the wrong side, the points are the ends of the
 * shortest line.
 *
 * Unlike in pair.h, point_b - point_a of a vertex feature is along the search direction, and
 * `normal` derives from both normals. */
#ifndef CONTACT_FEATURES_H
#define CONTACT_FEATURES_H

#include <contact/base.h>
#include <contact/pair.h>

CT_DECLARATIONS_BEGIN

/* Search for a vertex's match: BACKWARD against its outward normal, out through the near surface;
 * FORWARD along the normal, out through the far surface; CLOSEST: closest point; BOTH: the first
 * two, as two features. */
typedef enum ct_features_mode {
  CT_FEATURES_BACKWARD,
  CT_FEATURES_FORWARD,
  CT_FEATURES_CLOSEST,
  CT_FEATURES_BOTH
} ct_features_mode;

/* Report crossing edges of any depth. */
#define CT_FEATURES_ANY_DEPTH 0.0

typedef struct ct_features_options {
  ct_features_mode mode;
  /* Crossing edges with points farther apart are omitted, m: > 0, or ANY_DEPTH. */
  double edge_depth;
} ct_features_options;
/* Defaults: BACKWARD, crossing edges of any depth. */
ct_features_options ct_features_options_default(void);

typedef enum ct_pair_feature_kind {
  CT_PAIR_FEATURE_VERTEX_A, /* a vertex of a inside b or on its surface */
  CT_PAIR_FEATURE_VERTEX_B,
  CT_PAIR_FEATURE_EDGE_EDGE /* crossing edges of a and b, as defined above */
} ct_pair_feature_kind;

/* Flags of a feature. */
enum {
  /* the vertex is exactly on the other surface: distance 0, both points coincide */
  CT_PAIR_FEATURE_ON_SURFACE = 1 << 0,
  CT_PAIR_FEATURE_FALLBACK = 1 << 1, /* the ray has no exit: the match is the closest point */
  /* the vertex normals cancel: the triangle's own normal is used */
  CT_PAIR_FEATURE_FACE_NORMAL_A = 1 << 2,
  CT_PAIR_FEATURE_FACE_NORMAL_B = 1 << 3,
  /* both normals are equal: `normal` is the vertex's own, out of its body */
  CT_PAIR_FEATURE_NORMAL_ARBITRARY = 1 << 4,
  /* Both edges end in vertices that are shallower features: a solver may ignore the pair. */
  CT_PAIR_FEATURE_DOUBLED = 1 << 5
};

/* A point of one of the meshes. */
typedef struct ct_pair_feature_point {
  ct_vec3 point;
  ct_vec3 normal;        /* outward unit normal, interpolated from the vertices */
  uint32_t triangle;     /* as given; for a vertex or edge the lowest adjacent one */
  double barycentric[3]; /* of the triangle's corners in given order; >= 0, sum 1 */
} ct_pair_feature_point;

typedef struct ct_pair_feature {
  ct_pair_feature_kind kind;
  ct_features_mode mode; /* vertex features: BACKWARD, FORWARD or CLOSEST; edges: BACKWARD */
  uint32_t flags;
  ct_pair_feature_point a, b;
  uint32_t vertex; /* vertex features: vertex number, the lowest of bit-equal ones */
  /* edge features: vertices of the edge, as in the point's triangle */
  uint32_t edge_a[2], edge_b[2];
  /* <= 0: minus the distance of point_a and point_b (edges: their closest points), m */
  double distance;
  /* Unit, from a to b. Edges: point_b - point_a = distance normal; at distance 0 the common normal
   * out of a and into b. Vertices: direction of normal a - normal b; if these are equal to 1e-6
   * (NORMAL_ARBITRARY), normal a for a vertex of a, -normal b for a vertex of b. */
  ct_vec3 normal;
} ct_pair_feature;

typedef enum ct_features_status {
  CT_FEATURES_OK,
  CT_FEATURES_OPEN_MESH,    /* one is a surface mesh: no interior */
  CT_FEATURES_NO_TRIANGLES, /* one has no caller triangles */
  CT_FEATURES_OUT_OF_MEMORY /* out of memory: features are missing */
} ct_features_status;

typedef struct ct_features {
  ct_features_status status;
  /* [count] vertices of a by number (BOTH: backward first), vertices of b, then edges by edge of a,
   * then of b; borrowed from the workspace until its next use */
  const ct_pair_feature *items;
  size_t count;
  size_t doubled; /* features with the flag DOUBLED */
} ct_features;

/* True if the shape has caller triangles: a mesh, or elements with their surface. The result's
 * status reports open meshes. */
bool ct_features_are_supported(const ct_shape *shape);

/* Features of two placed meshes, written to *out; margins and rounding are ignored, and so are
 * vertices without triangles. Normals are the caller's, else the angle-weighted average of adjacent
 * triangles (Thuermer, Wuethrich 1998). A ray through several triangles at one point hits exactly
 * one, the lowest by number. Swapping a and b exchanges the vertex kinds and the points, bit for
 * bit. If the workspace is cancelled, features are missing. Cost O((V_a + V_b) log F + k): about 10
 * ns per vertex outside the other's box, 25 us per vertex inside (mostly for normals), some us per
 * pair of intersecting triangles. */
void ct_pair_features(ct_placed a, ct_placed b, const ct_features_options *options,
                      ct_workspace *workspace, ct_features *out);

typedef struct ct_triangle_pair {
  uint32_t a, b; /* as given */
} ct_triangle_pair;

typedef struct ct_triangle_pairs {
  /* [count] ordered by a, then b; borrowed from the workspace until its next use */
  const ct_triangle_pair *items;
  size_t count;
  bool out_of_memory; /* pairs are missing */
} ct_triangle_pairs;

/* All pairs of live triangles of two meshes, solids or surfaces, that share a point; touching
 * counts. Exact for the corners of one mesh as placed in the other's frame (lossless for quarter
 * turns). Empty if a shape is not a mesh. O(log n) per pair with overlapping boxes. */
void ct_pair_triangles(ct_placed a, ct_placed b, ct_workspace *workspace, ct_triangle_pairs *out);

CT_DECLARATIONS_END

#endif
