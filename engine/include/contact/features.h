/* Contact features of two solid meshes: the points in which a solver of soft bodies holds two surfaces apart. Each is a point of a
 * and a point of b, each with its triangle, barycentric coordinates and outward normal, by the caller's numbers.
 *
 * Source: Castro, SoftSim Geometric Query Specifications, 2020, after Duriez, Dubois, Kheddar, Andriot 2006. World frame, m.
 * A vertex of the one mesh strictly inside the other is matched along its normal or to the nearest
 * point; a vertex exactly on the other's surface is its own match. Two edges that cross on the
 * boundary of the common solid are a feature of their own. Which vertices are inside or on, which
 * triangle a ray leaves through, and which edges cross is decided by exact signs for the vertices as
 * placed in the other mesh's frame, each to the same bits in every triangle.
 *
 * Edges that cross. An edge lies between exactly two triangles, at an angle of more than 1e-6 rad,
 * and the solid is convex there; triangles that join at smaller angles are one face. Let a line be a
 * connected part of the intersection of a face of a with a face of b that are not in one plane. An
 * edge of a and an edge of b cross where a line has one end inside the one edge and one end inside
 * the other, or where the two edges have an inner point in common: so do edges of coplanar faces and
 * of solids that only touch, at distance 0. Lines are edges of the common solid. The ends of an edge
 * are not inside of it: where a line ends in a vertex, that vertex is on the other surface and a
 * feature itself. Concave edges hold nothing apart. Lines inside another part of a mesh that passes
 * through itself do not count, and neither do two edges that only pass each other inside the common
 * solid. The points of the feature are the nearest points of the two edges; where the edges are
 * apart there, because they pass each other the wrong way round, the ends of the shortest line.
 *
 * Unlike in pair.h, point_b - point_a of a vertex is along the direction that was searched, and
 * `normal` is derived from the two
 * normals.
 */
#ifndef CONTACT_FEATURES_H
#define CONTACT_FEATURES_H

#include <contact/linkage.h>
#include <contact/pair.h>

CT_DECLARATIONS_BEGIN

/* Where the match of a vertex is looked for: against its outward normal, out through the near surface; along its normal, out
 * through the far one; at the nearest point; or the first two, as two features. */
typedef enum ct_features_mode { CT_FEATURES_BACKWARD, CT_FEATURES_FORWARD, CT_FEATURES_CLOSEST, CT_FEATURES_BOTH } ct_features_mode;

/* All edges that cross, however deep. */
#define CT_FEATURES_ANY_DEPTH 0.0

typedef struct ct_features_options {
  ct_features_mode mode;
  /* Edges that cross whose points are farther apart than this are left out, m: > 0, or ANY_DEPTH. */
  double edge_depth;
} ct_features_options;
/* Defaults: BACKWARD, edges that cross at any depth. */
ct_features_options ct_features_options_default(void);

typedef enum ct_pair_feature_kind {
  CT_PAIR_FEATURE_VERTEX_A, /* a vertex of a in b, or on its surface */
  CT_PAIR_FEATURE_VERTEX_B,
  CT_PAIR_FEATURE_EDGE_EDGE /* an edge of a and one of b that cross: see above */
} ct_pair_feature_kind;

/* Flags of a feature. */
enum {
  CT_PAIR_FEATURE_ON_SURFACE = 1 << 0,    /* the vertex is on the other surface, exactly: distance 0, both points are one */
  CT_PAIR_FEATURE_FALLBACK = 1 << 1,      /* the ray left the solid nowhere: the match is the nearest point */
  CT_PAIR_FEATURE_FACE_NORMAL_A = 1 << 2, /* normals of the vertices cancel: the normal is the triangle's own */
  CT_PAIR_FEATURE_FACE_NORMAL_B = 1 << 3,
  CT_PAIR_FEATURE_NORMAL_ARBITRARY = 1 << 4, /* the two normals are equal: `normal` is the vertex' own, out of its body */
  /* Both edges end in a vertex that is a less deep feature: a solver may leave the pair out. */
  CT_PAIR_FEATURE_DOUBLED = 1 << 5
};

/* A point of one of the meshes. */
typedef struct ct_pair_feature_point {
  ct_vec3 point;
  ct_vec3 normal;        /* outward, unit: the vertices' normals by the barycentric coordinates */
  uint32_t triangle;     /* as given; of a vertex or an edge the lowest around it */
  double barycentric[3]; /* of the triangle's corners in the order given; >= 0, sum 1 */
} ct_pair_feature_point;

typedef struct ct_pair_feature {
  ct_pair_feature_kind kind;
  ct_features_mode mode; /* how a vertex was matched: BACKWARD, FORWARD or CLOSEST; of edges BACKWARD */
  uint32_t flags;
  ct_pair_feature_point a, b;
  uint32_t vertex;               /* of the kinds of a vertex: its number, of bit-equal ones the lowest */
  uint32_t edge_a[2], edge_b[2]; /* of edges: their vertices, as the triangle of the point names them */
  double distance;               /* <= 0: minus the length from point_a to point_b, which of edges are their nearest points */
  /* Unit, from a to b. Of edges point_b - point_a = distance normal; at distance 0 the common normal
   * that points out of a and into b. Of vertices that of normal a - normal b;
   * where these are equal to 1e-6 (NORMAL_ARBITRARY), normal a of a vertex of a, - normal b of a vertex of b. */
  ct_vec3 normal;
} ct_pair_feature;

typedef enum ct_features_status {
  CT_FEATURES_OK,
  CT_FEATURES_OPEN_MESH,    /* one is a surface: it has no inside */
  CT_FEATURES_NO_TRIANGLES, /* one has no triangles of the caller's */
  CT_FEATURES_OUT_OF_MEMORY /* memory was short: features are missing */
} ct_features_status;

typedef struct ct_features {
  ct_features_status status;
  /* [count] vertices of a by number (of BOTH first the one backward), then those of b, then edges by those of a, then b; borrowed
   * from the workspace until its next use. */
  const ct_pair_feature *items;
  size_t count;
  size_t doubled; /* features with the flag DOUBLED */
} ct_features;

/* Has the shape triangles of the caller's: is it a mesh, or elements, whose surface has them? Whether it is a solid is told by the
 * answer. */
bool ct_features_are_supported(const ct_shape *shape);

/* Features of two placed meshes; margins and rounding do not count. Vertices without triangles are none. Normals are the caller's
 * where the mesh has any, else those of the triangles around a vertex weighted by their angles there (Thuermer, Wuethrich 1998).
 * Rays take the triangle of the lowest number where several are left through in one point: never none, never two. Swapping a and b
 * swaps the kinds of vertices and exchanges the points, to the bit. A raised flag of the workspace cuts the search short: features
 * are missing. Cost O((V_a + V_b) log F + k): about 10 ns for a vertex outside the other's box, 25 us
 * for one inside, most of it for normals, and some us for each pair of triangles that intersect. */
void ct_pair_features(ct_placed a, ct_placed b, const ct_features_options *options, ct_workspace *workspace, ct_features *out);

typedef struct ct_triangle_pair {
  uint32_t a, b; /* numbers as given */
} ct_triangle_pair;

typedef struct ct_triangle_pairs {
  const ct_triangle_pair *items; /* [count] by a, then b; borrowed from the workspace until its next use */
  size_t count;
  bool out_of_memory; /* memory was short: pairs are missing */
} ct_triangle_pairs;

/* All pairs of live triangles of two meshes, solids or surfaces, that share a point: closed sets, so touching counts. Exact for the
 * corners of the one as placed in the other's frame, which loses nothing where that is by quarter turns. None where a shape is no
 * mesh. O(log n) for each pair whose boxes overlap. */
void ct_pair_triangles(ct_placed a, ct_placed b, ct_workspace *workspace, ct_triangle_pairs *out);

CT_DECLARATIONS_END

#endif
