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
typedef enum ct_core_kind {
  CT_CORE_POINT,
  CT_CORE_SEGMENT,
  CT_CORE_BOX,
  CT_CORE_HULL,
  CT_CORE_TRIANGLE,
  CT_CORE_FRUSTUM, /* hull of two discs across one axis: cylinder, cone, frustum */
  CT_CORE_ELLIPSOID
} ct_core_kind;

typedef struct ct_core {
  ct_core_kind kind;
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
} ct_core;

/* Vertex of the Minkowski difference b - a. */
typedef struct ct_mink {
  ct_vec3 w, a, b;
  double
      radius; /* of both balls together where the pair is tapered and has no curved core, else 0: radii are then added at the end */
  uint32_t index_a, index_b; /* of the vertices; of curved cores nothing */
} ct_mink;

/* Core of a bounded convex shape placed by *frame, or in its own frame when frame is NULL. */
void ct_core_place(const ct_shape *shape, const ct_frame *frame, ct_core *core);

/* Core of a triangle in the frame of the pair; it may be flat to a segment or a point. `extent` as in ct_core: of the body that
 * it is a part of. */
ct_core ct_core_triangle(const ct_vec3 corner[3], double extent);

static inline bool ct_core_tapered(const ct_core *core) { return core->radius[0] != core->radius[1]; }
static inline bool ct_core_curved(const ct_core *core) { return core->kind >= CT_CORE_FRUSTUM; }
/* Is the pair one for curved/curved.h? A capsule of two radii then counts whole, balls and all, as a curved core without a radius.
 */
static inline bool ct_cores_smooth(const ct_core *a, const ct_core *b) {
  if (ct_core_curved(a) || ct_core_curved(b)) return true;
  return (a->kind == CT_CORE_TRIANGLE && ct_core_tapered(b)) || (b->kind == CT_CORE_TRIANGLE && ct_core_tapered(a));
}

/* The same core, moved. */
ct_core ct_core_moved(const ct_core *core, ct_vec3 by);

/* Of cores with vertices. */
uint32_t ct_core_vertex_count(const ct_core *core);
ct_vec3 ct_core_vertex(const ct_core *core, uint32_t index);
static inline ct_vec3 ct_core_box_vertex(const ct_core *core, uint32_t index) {
  double x = index & 1 ? 1.0 : -1.0, y = index & 2 ? 1.0 : -1.0, z = index & 4 ? 1.0 : -1.0;
  ct_vec3 arm = ct_add_scaled(ct_add_scaled(ct_scale(core->axis[0], x), core->axis[1], y), core->axis[2], z);
  return ct_add(core->center, arm);
}
static inline double ct_core_vertex_radius(const ct_core *core, uint32_t index) {
  return core->kind == CT_CORE_SEGMENT ? core->radius[index] : core->radius[0];
}

/* Vertex that maximises direction.p + radius; `start` is where hulls climb from. 0 for curved cores. */
uint32_t ct_core_support(const ct_core *core, ct_vec3 direction, uint32_t start);

/* Point of the core, of any kind, that maximises direction.p + radius, and the radius of the ball around it. *near is where hulls
 * climb from, and is overwritten. */
ct_vec3 ct_core_point(const ct_core *core, ct_vec3 direction, uint32_t *near, double *radius);

/* Support value of the body, radius and all: max of direction.p, direction unit. */
double ct_core_reach(const ct_core *core, ct_vec3 direction);

/* How the outward normals of the side of a frustum or a capsule lean: their parts along axis[2] and across it. */
typedef struct ct_lean {
  double sine, cosine;
} ct_lean;
ct_lean ct_core_lean(const ct_core *core);

/* Directions spanned by the points that are within `slack` of extreme along `direction`: 0, 1 or 2 of them. */
int ct_core_feature(const ct_core *core, ct_vec3 direction, double slack, ct_vec3 span[2]);

/* The rule that picks among normals that are equally good: the greater one, x before y before z; so the lowest axis, + before -. */
static inline bool ct_normal_greater(ct_vec3 n, ct_vec3 m) {
  if (n.x != m.x) return n.x > m.x;
  if (n.y != m.y) return n.y > m.y;
  return n.z > m.z;
}

/* Length scale of a pair: the larger body, seen from the origin of its frame. Round-off is measured against it. */
static inline double ct_core_scale(const ct_core *a, const ct_core *b) { return ct_max2(a->extent, b->extent); }

#endif
