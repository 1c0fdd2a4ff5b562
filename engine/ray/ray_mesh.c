/* Crossings of a ray with a mesh: points at which it enters or leaves a solid, or intersects an
 * open surface.
 *
 * ray_mesh_crossings.h provides the stops of the ray, that is the points at which it hits
 * triangles, in exact order, for the ray in the mesh's frame. A solid includes its surface: a ray
 * that runs in a face is inside. A tangent point is no crossing, and a part of the surface inside
 * another part (winding number) has none. An open surface has no inside: each intersection is a
 * crossing, unless the ray touches a fold or a peak and remains on its side.
 *
 * Rounded meshes (Minkowski sum of a mesh and a ball) use sphere tracing (Hart 1996): each step
 * advances by the distance from the surface, so no crossing is missed. Limit: STEPS_MAX steps for
 * one ray. */
#include "ray/ray_mesh.h"
#include "base/double_double.h"
#include "pair/workspace.h"
#include "ray/ray_mesh_crossings.h"
#include <contact/limits.h>

#include <assert.h>

/* Upper bound of the difference between the distances computed for triangles hit in one point, in
 * unit round-offs of the mesh's size. */
#define SAME_ROUNDOFFS 64.0
/* A ray whose origin is farther from the mesh's bounding ball than this many radii is started at
 * the ball instead, which moves it by round-off of the mesh's size. A nearer origin is unchanged,
 * so that the ray is exactly the given one. Rays against rounded meshes always start at the
 * ball. */
#define FAR_RADII 16.0
/* As FAR_RADII, for an origin without round-off in the mesh's frame: moving it would lose this
 * exactness. */
#define FAR_RADII_EXACT 0x1p20

/* A ray in a mesh's frame. */
typedef struct mesh_ray {
  const ct_ray *ray;
  ct_placed shape;
  const ct_mesh *mesh;
  ct_vec3 origin, direction; /* in the mesh's frame, as ct_mesh_ray_flush returns them */
  double before;             /* distance of `origin` from the origin of the given ray, m */
  double length;             /* length of the direction: distance = before + t length */
  double t_max;              /* upper limit of t: the ray's reach plus round-off */
  double same;               /* two values of t that differ by more are certainly in this order */
  double end;                /* t at which the ray leaves the mesh's bounding ball */
} mesh_ray;

/* The crossings found so far. */
typedef struct crossing_list {
  ct_ray_crossing *out;
  size_t capacity, count;
  double last;  /* distance of the crossing added last, m */
  bool entered; /* the last crossing entered */
} crossing_list;

/* Adds a crossing. An exit at the distance of the last entry means that the ray only touches the
 * surface: both crossings are dropped. */
static void add_ray_crossing(crossing_list *list, const ct_ray_crossing *c) {
  bool is_tangent = !c->entering && list->entered && list->count > 0 && c->distance == list->last;
  list->entered = c->entering;
  list->last = c->distance;
  if (is_tangent) {
    assert(list->count > 0);
    list->count--;
    return;
  }
  if (list->count < list->capacity) list->out[list->count] = *c;
  list->count++;
}

static bool is_whole_vector(ct_vec3 v) {
  return v.x == rint(v.x) && v.y == rint(v.y) && v.z == rint(v.z);
}

/* True if the coordinates of the point in the frame are computed without rounding. */
static bool is_exact_in_frame(const ct_frame *frame, ct_vec3 point) {
  ct_dd3 from = ct_dd3_sub(point, frame->position);
  return is_whole_vector(frame->rotation.rx) && is_whole_vector(frame->rotation.ry) &&
         is_whole_vector(frame->rotation.rz) && from.x.low == 0.0 && from.y.low == 0.0 &&
         from.z.low == 0.0;
}

static mesh_ray make_mesh_ray(const ct_ray *ray, ct_placed shape, const ct_local_ray *local) {
  mesh_ray m = {.ray = ray, .shape = shape, .mesh = shape.shape->mesh, .direction = local->line.d};
  ct_line_span ball = {0.0, 0.0, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  ct_line from = {ct_sub(local->line.o, local->middle), local->line.d};
  double unit = SAME_ROUNDOFFS * CT_UNIT_ROUNDOFF, start = local->start;
  int exponent = 0;
  ct_line_ball(&from, 0.0, local->radius * (1.0 + 0x1p-20), &ball);
  m.origin = ct_add_scaled(local->line.o, local->line.d, ball.in);
  m.before = (start + ball.in) * local->length;
  bool is_unrounded = shape.shape->rounding + shape.shape->margin == 0.0;
  /* an origin near the ball is not moved, so that the ray is exactly the given one */
  double far = is_exact_in_frame(shape.frame, ray->origin) ? FAR_RADII_EXACT : FAR_RADII;
  if (!(m.before > (is_unrounded ? far * local->radius : 0.0))) {
    m.before = 0.0;
    m.origin = ct_to_local(*shape.frame, ray->origin);
  }
  if (!ct_mesh_ray_flush(&m.origin, &m.direction, &exponent)) return (mesh_ray){.t_max = -1.0};
  /* parameter bounds for the scaled direction */
  m.length = ldexp(local->length, -exponent);
  m.end = ((start + ball.out) * local->length - m.before) / m.length;
  m.same = unit * (local->radius + ct_max_abs(m.origin)) / m.length;
  m.t_max = ct_max2((ray->reach - m.before) / m.length, 0.0) * (1.0 + unit) + m.same;
  return m;
}

/* ---- the list ------------------------------------------------------------------------------- */

/* Chooses the triangle that represents a stop: among the triangles that the ray passes to the given
 * side, else among coplanar ones, else among all, the one with the lowest index. */
static const ct_mesh_hit *choose_triangle(const ct_ray_walk *walk, const ct_ray_stop *stop,
                                          int side) {
  const ct_mesh_hit *best = NULL;
  int best_rank = 0;
  for (size_t i = stop->begin; i < stop->end; i++) {
    const ct_mesh_hit *hit = &walk->hits[walk->events[i].hit];
    int rank = hit->side == side ? 2 : hit->side == 0;
    if (best && (rank < best_rank || (rank == best_rank && hit->triangle >= best->triangle)))
      continue;
    best = hit;
    best_rank = rank;
  }
  return best;
}

/* Adds a crossing at a point of a triangle, in the mesh's frame, if it is within the ray's
 * reach. */
static void add_mesh_crossing(const mesh_ray *m, double distance, ct_vec3 point, uint32_t triangle,
                              bool entering, crossing_list *list) {
  ct_ray_crossing c;
  if (!ct_ray_crossing_at(m->ray, m->shape.frame, distance, point, &c)) return;
  ct_ray_crossing_normal(m->shape.frame, ct_mesh_normal(m->mesh, triangle), &c);
  c.entering = entering;
  c.triangle = triangle;
  add_ray_crossing(list, &c);
}

static void add_stop_crossing(const mesh_ray *m, const ct_ray_walk *walk, const ct_ray_stop *stop,
                              bool entering, crossing_list *list) {
  const ct_mesh_hit *hit = choose_triangle(walk, stop, entering ? 1 : -1);
  assert(hit); /* a stop has events */
  bool passes = hit->side != 0;
  ct_vec3 point = passes ? hit->point : ct_add_scaled(m->origin, m->direction, stop->t);
  double distance = m->before + (passes ? hit->t : stop->t) * m->length;
  if (list->count > 0) distance = ct_max2(distance, list->last);
  add_mesh_crossing(m, distance, point, hit->triangle, entering, list);
}

/* ---- solids --------------------------------------------------------------------------------- */

static void add_solid_crossings(const mesh_ray *m, ct_ray_walk *walk, crossing_list *list) {
  ct_ray_stop stop;
  while (ct_ray_walk_next(walk, &stop))
    if (stop.inside_before != stop.inside_after)
      add_stop_crossing(m, walk, &stop, stop.inside_after, list);
}

/* ---- surfaces ------------------------------------------------------------------------------- */

/* Returns how the ray passes an open surface at a stop: +1 through the front, -1 through the back,
 * 0 if it only touches.
 *
 * If the ray passes all triangles to the same side, that side is the result, also on a border.
 * Otherwise the sides are summed over two rays displaced infinitesimally to either side of the
 * line. A sum of 0 with an even number of passages of each displaced ray is a fold, which the ray
 * only touches. */
static int classify_stop_side(const ct_ray_walk *walk, const ct_ray_stop *stop) {
  int least = 1, most = -1, sum = 0, passed[2] = {0, 0};
  for (size_t i = stop->begin; i < stop->end; i++) {
    const ct_mesh_hit *hit = &walk->hits[walk->events[i].hit];
    if (hit->side == 0) continue;
    least = hit->side < least ? hit->side : least;
    most = hit->side > most ? hit->side : most;
    for (int k = 0; k < 2; k++) {
      int side = ct_mesh_ray_passage(walk->mesh, walk->direction, hit, k ? 1 : -1);
      sum += side;
      passed[k] += side != 0;
    }
  }
  if (most < least) return 0;
  if (least == most) return least;
  if (sum != 0) return sum > 0 ? 1 : -1;
  if (passed[0] % 2 == 0 && passed[1] % 2 == 0) return 0;
  const ct_mesh_hit *lowest = NULL;
  for (size_t i = stop->begin; i < stop->end; i++) {
    const ct_mesh_hit *hit = &walk->hits[walk->events[i].hit];
    if (hit->side != 0 && (!lowest || hit->triangle < lowest->triangle)) lowest = hit;
  }
  assert(lowest); /* both sides occur */
  return lowest->side;
}

/* Adds a crossing at the ray's origin if it is inside coplanar triangles; of these the lowest index
 * is reported. */
static void add_origin_crossing(const mesh_ray *m, const ct_ray_walk *walk, crossing_list *list) {
  const ct_mesh_hit *lowest = NULL;
  for (size_t i = 0; i < walk->hit_count && walk->hits[i].t == 0.0; i++)
    if (walk->hits[i].side == 0 && (!lowest || walk->hits[i].triangle < lowest->triangle))
      lowest = &walk->hits[i];
  if (lowest) add_mesh_crossing(m, m->before, m->origin, lowest->triangle, true, list);
}

/* Adds the crossings with an open surface. Triangles coplanar with the ray are crossed once, where
 * the ray reaches them, or at its origin. */
static void add_surface_crossings(const mesh_ray *m, ct_ray_walk *walk, crossing_list *list) {
  ct_ray_stop stop;
  bool starts_coplanar = walk->within > 0;
  if (starts_coplanar) add_origin_crossing(m, walk, list);
  while (ct_ray_walk_next(walk, &stop)) {
    int side = starts_coplanar && stop.t == 0.0 ? 0 : classify_stop_side(walk, &stop);
    if (side != 0 || (!stop.within_before && stop.within_after))
      add_stop_crossing(m, walk, &stop, side >= 0, list);
  }
}

/* ---- rounded meshes ------------------------------------------------------------------------- */

/* Largest number of steps of one ray. */
#define STEPS_MAX 4096

/* A point on the line: its parameter t, its signed distance `height` from the rounded surface
 * (negative inside), and the nearest triangle. */
typedef struct trace_point {
  double t, height;
  ct_vec3 point, out;
  uint32_t triangle;
} trace_point;

static trace_point evaluate_trace(const mesh_ray *m, double growth, double t) {
  trace_point at = {.t = t, .point = ct_add_scaled(m->origin, m->direction, t)};
  ct_mesh_foot foot = {.distance = INFINITY};
  ct_mesh_nearest(m->mesh, at.point, INFINITY, &foot);
  bool inside = ct_mesh_contains(m->mesh, at.point);
  at.height = (inside ? -foot.distance : foot.distance) - growth;
  at.out = inside ? ct_sub(foot.point, at.point) : ct_sub(at.point, foot.point);
  at.triangle = foot.triangle;
  return at;
}

static void add_trace_crossing(const mesh_ray *m, const trace_point *at, bool entering,
                               bool limited, crossing_list *list) {
  ct_ray_crossing c;
  if (!ct_ray_crossing_at(m->ray, m->shape.frame, m->before + at->t * m->length, at->point, &c))
    return;
  ct_ray_crossing_normal(m->shape.frame, at->out, &c);
  c.triangle = at->triangle;
  c.entering = entering;
  c.status = limited ? CT_PAIR_ITERATION_LIMIT : CT_PAIR_OK;
  add_ray_crossing(list, &c);
}

/* Adds the crossings with a mesh rounded by a ball of radius `growth`, accurate to round-off. While
 * the ray is on the surface within round-off, the step length is doubled until the ray leaves it;
 * the side reached then decides whether the surface was crossed. */
static void trace_rounded_mesh(const mesh_ray *m, double growth, crossing_list *list) {
  double zero_distance = m->same * m->length, nudge = m->same;
  assert(growth > 0.0);
  trace_point met = {.t = -1.0}, at = evaluate_trace(m, growth, 0.0);
  bool outside = at.height > 0.0, near = false;
  for (int step = 0;
       at.t <= m->end && at.t <= m->t_max && !(list->capacity == 1 && list->count > 0); step++) {
    bool limited = step == STEPS_MAX;
    /* on the surface: remember the first point and step on */
    if (fabs(at.height) <= zero_distance && !limited) {
      if (!near) met = at;
      near = true;
      at = evaluate_trace(m, growth, at.t + nudge);
      nudge *= 2.0;
      continue;
    }
    /* off the surface: a change of side is a crossing */
    bool is_outside = at.height > 0.0;
    if (limited || is_outside != outside)
      add_trace_crossing(m, near ? &met : &at, outside, limited, list);
    if (limited) return;
    outside = is_outside;
    near = false;
    nudge = m->same;
    at = evaluate_trace(m, growth, at.t + fabs(at.height) / m->length);
  }
}

/* ---- the first crossing, and all ------------------------------------------------------------ */

static void add_all_stops(const mesh_ray *m, ct_ray_walk *walk, crossing_list *list) {
  if (ct_mesh_get(m->mesh)->solid) add_solid_crossings(m, walk, list);
  else add_surface_crossings(m, walk, list);
}

/* Finds all crossings and adds them to the list. False: out of memory. */
static bool find_all_crossings(const mesh_ray *m, ct_ray_walk *walk, ct_workspace *workspace,
                               crossing_list *list) {
  bool solid = ct_mesh_get(m->mesh)->solid;
  assert(m->same > 0.0 && m->length > 0.0);
  bool summed = solid && !(m->t_max < INFINITY && ct_ray_walk_start(walk));
  if (!ct_ray_walk_open(walk, summed ? INFINITY : m->t_max, false, workspace)) return false;
  if (summed) ct_ray_walk_sum(walk);
  add_all_stops(m, walk, list);
  return true;
}

/* Finds the first crossing from the hits near the first one only. *enough: the list is complete up
 * to its first crossing; otherwise all hits are needed. False: out of memory. */
static bool find_first_crossing(const mesh_ray *m, ct_ray_walk *walk, ct_workspace *workspace,
                                crossing_list *list, bool *enough) {
  *enough = false;
  if (!ct_ray_walk_start(walk)) return true;
  if (!ct_ray_walk_open(walk, m->t_max, true, workspace)) return false;
  *enough = walk->hit_count == 0;
  if (*enough) return true;
  add_all_stops(m, walk, list);
  /* Near the far end of the searched interval hits may be missing: accept crossings only in its
   * first half. */
  double most = m->before + (walk->hits[0].t + 0.5 * m->same) * m->length;
  *enough = list->count > 0 && list->out[0].distance <= most;
  return true;
}

size_t ct_ray_cross_mesh(const ct_ray *ray, ct_placed shape, const ct_local_ray *local,
                         ct_workspace *workspace, ct_ray_crossing *out, size_t capacity) {
  mesh_ray m = make_mesh_ray(ray, shape, local);
  crossing_list list = {.out = out, .capacity = capacity};
  double growth = shape.shape->rounding + shape.shape->margin;
  if (m.t_max < 0.0) return 0;
  /* rounded mesh: sphere tracing */
  if (growth > 0.0) {
    trace_rounded_mesh(&m, growth, &list);
    return list.count;
  }
  ct_ray_walk walk = {.mesh = m.mesh, .origin = m.origin, .direction = m.direction, .same = m.same};
  /* if one crossing is requested, try the first stop; otherwise use all hits */
  bool enough = false;
  if (capacity == 1 && !find_first_crossing(&m, &walk, workspace, &list, &enough)) return SIZE_MAX;
  if (enough) return list.count;
  list = (crossing_list){.out = out, .capacity = capacity};
  return find_all_crossings(&m, &walk, workspace, &list) ? list.count : SIZE_MAX;
}
