/* Convex proxies: every bounded convex shape represented as a core with a radius, in the frame of a
 * pair.
 *
 * Each core is the hull of vertices (point, segment, triangle, box, hull) or curved (frustum,
 * ellipsoid). The body is the Minkowski sum of the core and a ball of `radius`; only a tapered
 * capsule has two different radii, one per end of its segment. The frame of a pair is the local
 * frame of its first body. Vertices of the Minkowski difference are differences w = b - a of core
 * points, so the normal from a to b has the direction of w.
 *
 * Half-spaces, which are unbounded, have no proxy. */
#ifndef PAIR_CONVEX_PROXY_H
#define PAIR_CONVEX_PROXY_H

#include <contact/limits.h>
#include <contact/shape.h>

/* Kinds before FRUSTUM have vertices; the others are curved. */
typedef enum ct_proxy_kind {
  CT_PROXY_POINT,
  CT_PROXY_SEGMENT,
  CT_PROXY_BOX,
  CT_PROXY_HULL,
  CT_PROXY_TRIANGLE,
  CT_PROXY_FRUSTUM, /* hull of two discs perpendicular to a common axis: cylinder, cone, frustum */
  CT_PROXY_ELLIPSOID
} ct_proxy_kind;

typedef struct ct_convex_proxy {
  ct_proxy_kind kind;
  double radius[2]; /* radii of the balls around vertices 0 and 1 of a segment; for all other kinds,
                       two equal rounding radii */
  ct_vec3 center;   /* the point; centre of a segment, a box, a frustum's axis or an ellipsoid;
                       origin of a hull's frame */
  ct_vec3 axis[3];  /* box: half edge vectors; segment, frustum: axis[2] from the centre to vertex 1
                       or the top disc; triangle: vertices */
  ct_vec3 half;     /* box: half edge lengths; ellipsoid: radii; frustum: z is the half length */
  double rim[2];    /* frustum: radii of the bottom and top disc; one of them may be 0 */
  ct_mat3 rotation; /* rotation from the core's frame to the pair's; unused by point, segment,
                       triangle */
  bool turned;      /* hull: the vertices of `view` must be rotated by `rotation` and moved by
                       `center` */
  const ct_hull *hull;
  const ct_hull_view *view;
  ct_vec3 middle; /* centre and radius of a bounding ball of the core, radii excluded */
  double size;
  uint32_t hint; /* hull: start vertex of hill climbing; any vertex is valid and gives the same
                    result */
  double extent; /* upper bound of the distance of the body's points, radius included, from the
                    origin of the body's own frame */
} ct_convex_proxy;

/* Vertex w of the Minkowski difference b - a, with the core points a and b. */
typedef struct ct_minkowski_vertex {
  ct_vec3 w, a, b;
  double radius; /* sum of both radii at the core points if a core is tapered and none curved; else
                    0, as the radii are then added at the end */
  uint32_t index_a, index_b; /* vertices of the cores; unspecified for curved cores */
} ct_minkowski_vertex;

/* Sets the proxy of a bounded convex shape placed by *frame, or in its own frame if `frame` is
 * NULL. The proxy refers to the shape's hull. */
void ct_proxy_place(const ct_shape *shape, const ct_frame *frame, ct_convex_proxy *proxy);

/* Returns the proxy of a triangle in the frame of the pair; degenerate triangles are permitted.
 * `extent`: as in ct_convex_proxy, for the mesh that contains the triangle. */
ct_convex_proxy ct_proxy_triangle(const ct_vec3 corner[3], double extent);

static inline bool ct_proxy_is_tapered(const ct_convex_proxy *proxy) {
  return proxy->radius[0] != proxy->radius[1];
}
static inline bool ct_proxy_is_curved(const ct_convex_proxy *proxy) {
  return proxy->kind >= CT_PROXY_FRUSTUM;
}
/* True if curved/curved.h handles the pair. It treats a tapered capsule, balls included, as a
 * curved core without radius. */
static inline bool ct_proxies_are_curved(const ct_convex_proxy *a, const ct_convex_proxy *b) {
  if (ct_proxy_is_curved(a) || ct_proxy_is_curved(b)) return true;
  return (a->kind == CT_PROXY_TRIANGLE && ct_proxy_is_tapered(b)) ||
         (b->kind == CT_PROXY_TRIANGLE && ct_proxy_is_tapered(a));
}

/* Returns the proxy translated by `by`; a hull's is then marked as `turned`. */
ct_convex_proxy ct_proxy_translated(const ct_convex_proxy *proxy, ct_vec3 by);

/* Number of vertices of the core, 0 if curved; vertex `index` in the frame of the pair. */
uint32_t ct_proxy_vertex_count(const ct_convex_proxy *proxy);
ct_vec3 ct_proxy_vertex(const ct_convex_proxy *proxy, uint32_t index);
static inline ct_vec3 ct_proxy_box_vertex(const ct_convex_proxy *proxy, uint32_t index) {
  double x = index & 1 ? 1.0 : -1.0, y = index & 2 ? 1.0 : -1.0, z = index & 4 ? 1.0 : -1.0;
  ct_vec3 arm = ct_add_scaled(ct_add_scaled(ct_scale(proxy->axis[0], x), proxy->axis[1], y),
                              proxy->axis[2], z);
  return ct_add(proxy->center, arm);
}
static inline double ct_proxy_vertex_radius(const ct_convex_proxy *proxy, uint32_t index) {
  return proxy->kind == CT_PROXY_SEGMENT ? proxy->radius[index] : proxy->radius[0];
}

/* Support function of cores with vertices: returns the vertex that maximises direction.p + radius.
 * `start`: start vertex of hill climbing for hulls. 0 for curved cores. */
uint32_t ct_proxy_support(const ct_convex_proxy *proxy, ct_vec3 direction, uint32_t start);

/* Support function of any core: returns the point that maximises direction.p + radius, and in
 * *radius the radius there. *hint: start vertex of hill climbing for hulls; receives the support
 * vertex. */
ct_vec3 ct_proxy_point(const ct_convex_proxy *proxy, ct_vec3 direction, uint32_t *hint,
                       double *radius);

/* Returns the support value of the body, radius included: the maximum of direction.p for a unit
 * direction. */
double ct_proxy_support_value(const ct_convex_proxy *proxy, ct_vec3 direction);

/* Inclination of the outward normals on the side of a frustum or a tapered capsule: their
 * components along axis[2] and perpendicular to it. */
typedef struct ct_side_slope {
  double sine, cosine;
} ct_side_slope;
ct_side_slope ct_proxy_side_slope(const ct_convex_proxy *proxy);

/* Writes the directions spanned by the core's support feature: the support points that are within
 * the angle `slack`, rad, of perpendicular to `direction`. Returns their number: 0 (a vertex), 1
 * (an edge) or 2 (a face). */
int ct_proxy_feature(const ct_convex_proxy *proxy, ct_vec3 direction, double slack,
                     ct_vec3 span[2]);

/* True if n is preferred to m among equally good normals: the lexicographically greater one, which
 * favours the lowest axis, and + over -. */
static inline bool ct_normal_greater(ct_vec3 n, ct_vec3 m) {
  if (n.x != m.x) return n.x > m.x;
  if (n.y != m.y) return n.y > m.y;
  return n.z > m.z;
}

/* Returns the length scale L of a pair, m: the greater extent. Round-off bounds are relative to
 * it. */
static inline double ct_proxy_scale(const ct_convex_proxy *a, const ct_convex_proxy *b) {
  return ct_max2(a->extent, b->extent);
}

#endif
