/* Cores: every bounded convex kind as a core and the balls around it, placed in the frame of a pair.
 *
 * A core is a hull of vertices (point, segment, triangle, box, hull) or curved (frustum, ellipsoid); the body is the core with a
 * ball of `radius` around each of its points. Only a tapered capsule has two radii, one per end of its segment. The frame of a
 * pair is the local frame of its first body. Minkowski vertices are differences w = b - a of points of the cores, so that the
 * normal from a to b is the direction of w.
 * Not here: half-spaces (they are no hulls), iterations.
 */
#ifndef PAIR_CONVEX_PROXY_H
#define PAIR_CONVEX_PROXY_H

#include <contact/limits.h>
#include <contact/shape.h>

/* Kinds before FRUSTUM have vertices. */
typedef enum ct_proxy_kind {
  CT_PROXY_POINT,
  CT_PROXY_SEGMENT,
  CT_PROXY_BOX,
  CT_PROXY_HULL,
  CT_PROXY_TRIANGLE,
  CT_PROXY_FRUSTUM, /* hull of two discs across one axis: cylinder, cone, frustum */
  CT_PROXY_ELLIPSOID
} ct_proxy_kind;

typedef struct ct_convex_proxy {
  ct_proxy_kind kind;
  double radius[2]; /* at vertex 0 and at vertex 1 of a segment; equal for all other kinds */
  ct_vec3 center;   /* point; middle of a segment, a box, a frustum's axis or an ellipsoid; origin of a hull's frame */
  ct_vec3 axis[3];  /* box: half edges; segment, frustum: axis[2] goes from the centre to vertex 1 or the top; triangle: corners */
  ct_vec3 half;     /* box: half edge lengths; ellipsoid: radii; frustum: z is half its length */
  double rim[2];    /* frustum: radii of the bottom and of the top disc; one of them may be 0 */
  ct_mat3 rotation; /* all but point, segment and triangle: its frame in the pair's */
  bool turned;      /* hull: are rotation and centre to be applied? */
  const ct_hull *hull;
  const ct_hull_view *view;
  ct_vec3 middle; /* centre and radius of a ball that holds the core */
  double size;
  uint32_t near; /* of a hull: a vertex that questions about the core may climb from; any will do */
  double extent; /* farthest that the body (with its radius) reaches from the origin of its own frame */
} ct_convex_proxy;

/* Vertex of the Minkowski difference b - a. */
typedef struct ct_minkowski_vertex {
  ct_vec3 w, a, b;
  double
      radius; /* of both balls together where the pair is tapered and has no curved core, else 0: radii are then added at the end */
  uint32_t index_a, index_b; /* of the vertices; of curved cores nothing */
} ct_minkowski_vertex;

/* Core of a bounded convex shape placed by *frame, or in its own frame when frame is NULL. */
void ct_proxy_place(const ct_shape *shape, const ct_frame *frame, ct_convex_proxy *proxy);

/* Core of a triangle in the frame of the pair; it may be flat to a segment or a point. `extent` as in ct_convex_proxy: of the body
 * that it is a part of. */
ct_convex_proxy ct_proxy_triangle(const ct_vec3 corner[3], double extent);

static inline bool ct_proxy_is_tapered(const ct_convex_proxy *proxy) { return proxy->radius[0] != proxy->radius[1]; }
static inline bool ct_proxy_is_curved(const ct_convex_proxy *proxy) { return proxy->kind >= CT_PROXY_FRUSTUM; }
/* Is the pair one for curved/curved.h? A capsule of two radii then counts whole, balls and all, as a curved core without a radius.
 */
static inline bool ct_proxies_are_curved(const ct_convex_proxy *a, const ct_convex_proxy *b) {
  if (ct_proxy_is_curved(a) || ct_proxy_is_curved(b)) return true;
  return (a->kind == CT_PROXY_TRIANGLE && ct_proxy_is_tapered(b)) || (b->kind == CT_PROXY_TRIANGLE && ct_proxy_is_tapered(a));
}

/* The same core, moved. */
ct_convex_proxy ct_proxy_translated(const ct_convex_proxy *proxy, ct_vec3 by);

/* Of cores with vertices. */
uint32_t ct_proxy_vertex_count(const ct_convex_proxy *proxy);
ct_vec3 ct_proxy_vertex(const ct_convex_proxy *proxy, uint32_t index);
static inline ct_vec3 ct_proxy_box_vertex(const ct_convex_proxy *proxy, uint32_t index) {
  double x = index & 1 ? 1.0 : -1.0, y = index & 2 ? 1.0 : -1.0, z = index & 4 ? 1.0 : -1.0;
  ct_vec3 arm = ct_add_scaled(ct_add_scaled(ct_scale(proxy->axis[0], x), proxy->axis[1], y), proxy->axis[2], z);
  return ct_add(proxy->center, arm);
}
static inline double ct_proxy_vertex_radius(const ct_convex_proxy *proxy, uint32_t index) {
  return proxy->kind == CT_PROXY_SEGMENT ? proxy->radius[index] : proxy->radius[0];
}

/* Vertex that maximises direction.p + radius; `start` is where hulls climb from. 0 for curved cores. */
uint32_t ct_proxy_support(const ct_convex_proxy *proxy, ct_vec3 direction, uint32_t start);

/* Point of the core, of any kind, that maximises direction.p + radius, and the radius of the ball around it. *near is where hulls
 * climb from, and is overwritten. */
ct_vec3 ct_proxy_point(const ct_convex_proxy *proxy, ct_vec3 direction, uint32_t *near, double *radius);

/* Support value of the body, radius and all: max of direction.p, direction unit. */
double ct_proxy_support_value(const ct_convex_proxy *proxy, ct_vec3 direction);

/* How the outward normals of the side of a frustum or a capsule lean: their parts along axis[2] and across it. */
typedef struct ct_side_slope {
  double sine, cosine;
} ct_side_slope;
ct_side_slope ct_proxy_side_slope(const ct_convex_proxy *proxy);

/* Directions spanned by the points that are within `slack` of extreme along `direction`: 0, 1 or 2 of them. */
int ct_proxy_feature(const ct_convex_proxy *proxy, ct_vec3 direction, double slack, ct_vec3 span[2]);

/* The rule that picks among normals that are equally good: the greater one, x before y before z; so the lowest axis, + before -. */
static inline bool ct_normal_greater(ct_vec3 n, ct_vec3 m) {
  if (n.x != m.x) return n.x > m.x;
  if (n.y != m.y) return n.y > m.y;
  return n.z > m.z;
}

/* Length scale of a pair: the larger body, seen from the origin of its frame. Round-off is measured against it. */
static inline double ct_proxy_scale(const ct_convex_proxy *a, const ct_convex_proxy *b) { return ct_max2(a->extent, b->extent); }

#endif
