/* Support functions, boxes and bounding balls of the kinds. Mass properties: mass.c; hulls: hull*.c.
 *
 * A capsule of two radii is the convex hull of two balls; where one ball holds the other the shape is that ball.
 */
#include "shape/capsule.h"
#include "shape/hull_cells.h"

#include "base/double_double.h"

/* Rounding of an entry of the matrix of a quaternion (|error| <= 17 u: s, two products and a sum on terms up to 2) and of a row
 * times a vector (3 u more), as a factor of the vector's sizes. */
#define ROTATION_BOUND (24.0 * CT_UNIT_ROUNDOFF)
/* Widening of radii of bounding balls, above the rounding of a length. */
#define BALL_WIDENING (8.0 * CT_UNIT_ROUNDOFF)

const char *ct_kind_word(ct_kind kind) {
  static const char *const words[] = {
#define KIND_WORD(name, word) [CT_KIND_##name] = word,
      CT_KIND_MAP(KIND_WORD)
#undef KIND_WORD
  };
  if ((unsigned)kind >= CT_KIND_COUNT) return "unknown";
  return words[kind];
}

static ct_vec3 capsule_support(const ct_shape *shape, ct_vec3 direction) {
  ct_capsule_form c = ct_capsule_reduce(shape);
  ct_vec3 e = ct_unit_or(direction, ct_vec(0.0, 0.0, 1.0));
  if (c.is_ball) {
    ct_vec3 p = ct_scale(e, c.radius_top);
    if (c.top != 0.0) p.z += c.top;
    return p;
  }
  /* The top ball reaches farther when its centre's lead makes up for what it lacks in radius. */
  bool top = 2.0 * c.top * e.z >= c.radius_bottom - c.radius_top;
  ct_vec3 p = ct_scale(e, top ? c.radius_top : c.radius_bottom);
  p.z += top ? c.top : -c.top;
  return p;
}

ct_vec3 ct_shape_support(const ct_shape *shape, ct_vec3 d) {
  switch (shape->kind) {
  case CT_KIND_SPHERE: return ct_scale(ct_unit_or(d, ct_vec(0.0, 0.0, 1.0)), shape->sphere.radius);
  case CT_KIND_BOX: {
    ct_vec3 h = shape->box.half;
    return ct_vec(d.x >= 0.0 ? h.x : -h.x, d.y >= 0.0 ? h.y : -h.y, d.z >= 0.0 ? h.z : -h.z);
  }
  case CT_KIND_CAPSULE: return capsule_support(shape, d);
  case CT_KIND_CONVEX: return ct_hull_vertex(ct_hull_get(shape->hull), ct_hull_support(shape->hull, d, 0));
  case CT_KIND_PLANE:
  case CT_KIND_COUNT: break;
  }
  return ct_vec(0.0, 0.0, 0.0);
}

/* Where a row of a rotation is exactly a signed axis, its products are exact and need no allowance. */
static bool is_axis(ct_vec3 row) { return fabs(row.x) + fabs(row.y) + fabs(row.z) == 1.0 && ct_max_abs(row) == 1.0; }

/* The next double up, or the one after it. */
static double above(double x) { return x + (fabs(x) * 0x1p-52 + 0x1p-1074); }

/* a + b rounded up, or down. */
static double sum_up(double a, double b) {
  ct_dd s = ct_two_sum(a, b);
  return s.low > 0.0 ? above(s.high) : s.high;
}
static double sum_down(double a, double b) { return -sum_up(-a, -b); }

typedef struct span {
  double low, high;
} span;

static span box_span(const ct_shape *shape, ct_vec3 row, double position) {
  ct_vec3 h = shape->box.half;
  double reach = fabs(row.x) * h.x + fabs(row.y) * h.y + fabs(row.z) * h.z;
  if (!is_axis(row)) reach += ROTATION_BOUND * (h.x + h.y + h.z);
  return (span){sum_down(position, -reach), sum_up(position, reach)};
}

static span capsule_span(const ct_capsule_form *c, ct_vec3 row, double position) {
  double top = row.z * c->top, bottom = c->is_ball ? top : -top;
  double slack = is_axis(row) ? 0.0 : ROTATION_BOUND * fabs(c->top);
  double high = ct_max2(sum_up(top, c->radius_top), sum_up(bottom, c->radius_bottom));
  double low = ct_min2(sum_down(top, -c->radius_top), sum_down(bottom, -c->radius_bottom));
  if (slack > 0.0) {
    high = sum_up(high, slack);
    low = sum_down(low, -slack);
  }
  return (span){sum_down(position, low), sum_up(position, high)};
}

/* Extremes of row.v over all vertices, lane by lane; padding repeats a vertex and changes nothing. */
static span hull_reach(const ct_hull_view *view, ct_vec3 row) {
  double low[CT_HULL_LANES], high[CT_HULL_LANES];
  for (uint32_t l = 0; l < CT_HULL_LANES; l++) low[l] = high[l] = row.x * view->x[l] + row.y * view->y[l] + row.z * view->z[l];
  for (uint32_t i = CT_HULL_LANES; i < view->vertex_count; i += CT_HULL_LANES) {
    for (uint32_t l = 0; l < CT_HULL_LANES; l++) {
      double h = row.x * view->x[i + l] + row.y * view->y[i + l] + row.z * view->z[i + l];
      low[l] = h < low[l] ? h : low[l];
      high[l] = h > high[l] ? h : high[l];
    }
  }
  span s = {low[0], high[0]};
  for (uint32_t l = 1; l < CT_HULL_LANES; l++) {
    s.low = ct_min2(s.low, low[l]);
    s.high = ct_max2(s.high, high[l]);
  }
  return s;
}

/* The hull's own box serves for a row that is an axis: its extremes are coordinates of vertices. */
static span hull_span(const ct_hull_view *view, ct_vec3 row, double position) {
  const ct_box *b = &view->box;
  span s;
  if (is_axis(row)) {
    double sign = row.x + row.y + row.z;
    double low = row.x != 0.0 ? b->min.x : row.y != 0.0 ? b->min.y : b->min.z;
    double high = row.x != 0.0 ? b->max.x : row.y != 0.0 ? b->max.y : b->max.z;
    s = sign > 0.0 ? (span){low, high} : (span){-high, -low};
  } else {
    double size =
        ct_max2(fabs(b->min.x), fabs(b->max.x)) + ct_max2(fabs(b->min.y), fabs(b->max.y)) + ct_max2(fabs(b->min.z), fabs(b->max.z));
    s = hull_reach(view, row);
    s.low = sum_down(s.low, -ROTATION_BOUND * size);
    s.high = sum_up(s.high, ROTATION_BOUND * size);
  }
  return (span){sum_down(position, s.low), sum_up(position, s.high)};
}

/* n_i along this axis of the half-space's outward normal n. */
static span plane_span(ct_vec3 normal, double along, double position) {
  span s = {-INFINITY, INFINITY};
  if (is_axis(normal) && along == 1.0) s.high = position;
  if (is_axis(normal) && along == -1.0) s.low = position;
  return s;
}

static span axis_span(const ct_shape *shape, const ct_frame *frame, ct_vec3 row, double position) {
  switch (shape->kind) {
  case CT_KIND_BOX: return box_span(shape, row, position);
  case CT_KIND_CAPSULE: {
    ct_capsule_form c = ct_capsule_reduce(shape);
    return capsule_span(&c, row, position);
  }
  case CT_KIND_CONVEX: return hull_span(ct_hull_get(shape->hull), row, position);
  case CT_KIND_PLANE: return plane_span(ct_vec(frame->rotation.rx.z, frame->rotation.ry.z, frame->rotation.rz.z), row.z, position);
  case CT_KIND_SPHERE:
  case CT_KIND_COUNT: break;
  }
  return (span){sum_down(position, -shape->sphere.radius), sum_up(position, shape->sphere.radius)};
}

ct_box ct_shape_box(const ct_shape *shape, const ct_frame *frame) {
  span x = axis_span(shape, frame, frame->rotation.rx, frame->position.x);
  span y = axis_span(shape, frame, frame->rotation.ry, frame->position.y);
  span z = axis_span(shape, frame, frame->rotation.rz, frame->position.z);
  return (ct_box){{x.low, y.low, z.low}, {x.high, y.high, z.high}};
}

static void capsule_ball(const ct_shape *shape, ct_vec3 *center, double *radius) {
  ct_capsule_form c = ct_capsule_reduce(shape);
  if (c.is_ball) {
    *center = ct_vec(0.0, 0.0, c.top);
    *radius = c.radius_top;
    return;
  }
  *center = ct_vec(0.0, 0.0, 0.5 * (c.radius_top - c.radius_bottom));
  *radius = (c.top + 0.5 * (c.radius_top + c.radius_bottom)) * (1.0 + BALL_WIDENING);
}

void ct_shape_ball(const ct_shape *shape, ct_vec3 *center, double *radius) {
  *center = ct_vec(0.0, 0.0, 0.0);
  switch (shape->kind) {
  case CT_KIND_SPHERE: *radius = shape->sphere.radius; break;
  case CT_KIND_BOX: *radius = ct_norm(shape->box.half) * (1.0 + BALL_WIDENING); break;
  case CT_KIND_CAPSULE: capsule_ball(shape, center, radius); break;
  case CT_KIND_CONVEX:
    *center = ct_hull_get(shape->hull)->centroid;
    *radius = ct_hull_get(shape->hull)->radius;
    break;
  case CT_KIND_PLANE:
  case CT_KIND_COUNT: *radius = INFINITY; break;
  }
}
