/* Surface ids: finds the face of a shape at a boundary point, and returns the id of that face.
 *
 * A face has two scores: its distance from the point, with rounding radius and margin, and the
 * cosine between its normal and the contact normal. Of the faces within TIE_TOLERANCE of the
 * nearest one, the face with the largest cosine is chosen; of equal cosines, the lowest id. At the
 * rim, a cylinder on its side thus reports its side, an upright one its end. At flat and symmetric
 * poses the scores are not near the limits of these tolerances, so a small tilt changes nothing. */
#include "hull/hull_faces.h"
#include "mesh/mesh_build.h"
#include "shape/shape_validity.h"
#include "shape/tapered_capsule.h"
#include "triangle/triangle_closest_point.h"
#include <contact/limits.h>

#include <assert.h>

/* Tolerance of equality: relative to the shape's radius for distances, absolute for cosines. Equals
 * the tie tolerance of contact manifolds. */
#define TIE_TOLERANCE 1e-6

/* Face indices of cylinders, cones and capsules. */
enum { FACE_BOTTOM, FACE_TOP, FACE_SIDE };

/* Score of one face: its distance from the point, and its alignment with the contact normal. */
typedef struct face_score {
  double height; /* distance of the point from the face, m */
  double facing; /* cosine between the face's normal and the contact normal */
  uint32_t id;
} face_score;

/* A boundary point and the outward contact normal there, in the shape's frame. */
typedef struct surface_query {
  const ct_shape *shape;
  ct_vec3 point, outward;
  double growth; /* outward displacement of the faces by rounding radius and margin, m */
} surface_query;

uint32_t ct_kind_surface_count(ct_kind kind) {
  switch (kind) {
  case CT_KIND_BOX: return 6;
  case CT_KIND_CAPSULE:
  case CT_KIND_CYLINDER:
  case CT_KIND_CONE: return 3;
  case CT_KIND_SPHERE:
  case CT_KIND_ELLIPSOID:
  case CT_KIND_PLANE: return 1;
  case CT_KIND_CONVEX:
  case CT_KIND_MESH:
  case CT_KIND_TETMESH:
  case CT_KIND_HEXMESH:
  case CT_KIND_ELEMENTMESH:
  case CT_KIND_COUNT: break;
  }
  return 0;
}

static uint32_t map_surface_id(const uint32_t *ids, uint32_t face) {
  return ids ? ids[face] : face;
}

/* ---- faces of primitives -------------------------------------------------------------------- */

static face_score score_box_face(const surface_query *s, uint32_t face) {
  const double half[3] = {s->shape->box.half.x, s->shape->box.half.y, s->shape->box.half.z};
  const double p[3] = {s->point.x, s->point.y, s->point.z},
               n[3] = {s->outward.x, s->outward.y, s->outward.z};
  uint32_t axis = face / 2;
  double sign = face & 1 ? 1.0 : -1.0;
  return (face_score){fabs(sign * p[axis] - half[axis] - s->growth), sign * n[axis],
                      map_surface_id(s->shape->surface_ids, face)};
}

static double axis_distance(ct_vec3 p) { return sqrt(p.x * p.x + p.y * p.y); }

/* Returns the unit vector from the z axis to the point; for a point on the axis, the radial
 * direction of the contact normal. */
static ct_vec3 find_radial_direction(const surface_query *s) {
  ct_vec3 radial = {s->point.x, s->point.y, 0.0}, other = {s->outward.x, s->outward.y, 0.0};
  return ct_unit_or(radial, ct_unit_or(other, ct_vec(1.0, 0.0, 0.0)));
}

/* Scores a face of a frustum; a cylinder is a frustum of equal radii. The side is treated as the
 * infinite cone. */
static face_score score_frustum_face(const surface_query *s, double half, double bottom, double top,
                                     uint32_t face) {
  uint32_t id = map_surface_id(s->shape->surface_ids, face);
  if (face != FACE_SIDE) {
    double sign = face == FACE_TOP ? 1.0 : -1.0;
    bool is_apex = (face == FACE_TOP ? top : bottom) == 0.0;
    double height = is_apex ? INFINITY : fabs(sign * s->point.z - half - s->growth);
    return (face_score){height, sign * s->outward.z, id};
  }
  double drop = bottom - top, length = sqrt(drop * drop + 4.0 * half * half),
         along = 2.0 * half / length, rise = drop / length;
  double middle = along * (axis_distance(s->point) - 0.5 * (bottom + top)) + rise * s->point.z;
  ct_vec3 normal = ct_scale(find_radial_direction(s), along);
  normal.z = rise;
  return (face_score){fabs(middle - s->growth), ct_dot(normal, s->outward), id};
}

static face_score score_face(const surface_query *s, uint32_t face) {
  const ct_shape *shape = s->shape;
  switch (shape->kind) {
  case CT_KIND_BOX: return score_box_face(s, face);
  case CT_KIND_CYLINDER:
    return score_frustum_face(s, shape->cylinder.half_length, shape->cylinder.radius,
                              shape->cylinder.radius, face);
  case CT_KIND_CONE:
    return score_frustum_face(s, shape->cone.half_length, shape->cone.radius_bottom,
                              shape->cone.radius_top, face);
  case CT_KIND_CONVEX: {
    const ct_hull_view *view = ct_hull_get(shape->hull);
    ct_vec3 normal = {view->nx[face], view->ny[face], view->nz[face]};
    const ct_hull *outer = ct_hull_outer(shape->hull);
    /* Insetting a hull may remove faces; a face of the inset hull is mapped to its original
     * face. */
    uint32_t named = outer == shape->hull ? face : view->face_plane[face];
    double growth = shape->rounding + shape->margin;
    return (face_score){fabs(ct_dot(normal, s->point) - view->offset[face] - growth),
                        ct_dot(normal, s->outward),
                        map_surface_id(ct_hull_get(outer)->surface_ids, named)};
  }
  default: return (face_score){0.0, 0.0, face};
  }
}

/* Returns the face of a capsule. Points on the smooth border of side and caps belong to the side.
 * If one ball contains the other, the whole surface belongs to the larger ball. */
static uint32_t find_capsule_face(const surface_query *s, double tie) {
  double half = s->shape->capsule.half_length,
         drop = s->shape->capsule.radius_bottom - s->shape->capsule.radius_top;
  double length = 2.0 * half;
  if (drop != 0.0 && fabs(drop) >= length) return drop > 0.0 ? FACE_BOTTOM : FACE_TOP;
  /* z at which the cone's normal line through the point intersects the axis. */
  double slant = drop == 0.0 ? 0.0 : drop / sqrt((length - drop) * (length + drop));
  double foot = s->point.z - slant * axis_distance(s->point);
  if (fabs(foot) <= half + tie) return FACE_SIDE;
  return foot > 0.0 ? FACE_TOP : FACE_BOTTOM;
}

/* ---- choice --------------------------------------------------------------------------------- */

/* State of the choice between faces. The candidates within `reach` are visited twice: the first
 * pass finds the largest cosine, the second the lowest id with that cosine. */
typedef struct choice {
  double reach;  /* a face up to this distance counts as nearest, m */
  double facing; /* best cosine so far */
  uint32_t id;
  bool is_second;
} choice;

static void consider_face(choice *c, face_score score) {
  if (score.height > c->reach) return;
  if (!c->is_second) c->facing = ct_max2(c->facing, score.facing);
  else if (score.facing >= c->facing - TIE_TOLERANCE && score.id < c->id) c->id = score.id;
}

/* Returns the id of the face chosen among faces 0 .. count - 1. */
static uint32_t choose_face(const surface_query *s, uint32_t count, double tie) {
  double least = INFINITY;
  for (uint32_t f = 0; f < count; f++) least = ct_min2(least, score_face(s, f).height);
  choice c = {.reach = least + tie, .facing = -INFINITY, .id = CT_NO_FACE};
  for (uint32_t f = 0; f < count; f++) consider_face(&c, score_face(s, f));
  c.is_second = true;
  for (uint32_t f = 0; f < count; f++) consider_face(&c, score_face(s, f));
  return c.id;
}

/* ---- triangles ------------------------------------------------------------------------------ */

static bool is_within_reach(const ct_aabb *box, ct_vec3 p, double reach) {
  return p.x >= box->min.x - reach && p.x <= box->max.x + reach && p.y >= box->min.y - reach &&
         p.y <= box->max.y + reach && p.z >= box->min.z - reach && p.z <= box->max.z + reach;
}

/* Returns the id of a surface triangle: for meshes of elements that of the element face that
 * contains the triangle, for surface meshes the triangle's index. */
static uint32_t find_triangle_id(const ct_shape *shape, uint32_t triangle) {
  if (!ct_kind_has_elements(shape->kind)) return triangle;
  const ct_elements_view *view = ct_elements_get(shape->elements);
  return map_surface_id(view->surface_ids, ct_elements_outer_of(view, triangle));
}

static void consider_triangles(const surface_query *s, choice *c) {
  const ct_mesh_view *view = ct_mesh_get(s->shape->mesh);
  uint32_t stack[CT_MESH_DEPTH_MAX + 2] = {0};
  int top = 1;
  while (top > 0) {
    const ct_mesh_node *node = &view->nodes[stack[--top]];
    if (!is_within_reach(&node->box, s->point, c->reach)) continue;
    for (uint32_t i = node->first; i < node->first + node->count; i++) {
      const uint32_t *v = view->corners[i], triangle = view->order[i];
      ct_triangle_near near = ct_triangle_nearest(view->vertices[v[0]], view->vertices[v[1]],
                                                  view->vertices[v[2]], s->point);
      double facing = ct_dot(ct_mesh_normal(s->shape->mesh, triangle), s->outward);
      consider_face(
          c, (face_score){sqrt(near.distance2), facing, find_triangle_id(s->shape, triangle)});
    }
    if (node->count > 0) continue;
    assert(top + 2 <= CT_MESH_DEPTH_MAX + 2);
    stack[top++] = node->first;
    stack[top++] = node->first + 1;
  }
}

/* Returns the id chosen among the triangles of a mesh: finds the distance of the nearest triangle,
 * then chooses among those within `tie` of it. */
static uint32_t choose_surface_triangle(const surface_query *s, double tie) {
  ct_mesh_foot foot;
  if (!ct_mesh_nearest(s->shape->mesh, s->point, INFINITY, &foot)) return CT_NO_FACE;
  choice c = {.reach = foot.distance + tie, .facing = -INFINITY, .id = CT_NO_FACE};
  consider_triangles(s, &c);
  c.is_second = true;
  consider_triangles(s, &c);
  return c.id;
}

uint32_t ct_shape_surface_at(const ct_shape *shape, ct_vec3 point, ct_vec3 outward) {
  surface_query s = {
      .shape = shape, .point = point, .outward = outward, .growth = ct_shape_growth(shape)};
  const uint32_t *ids = shape->surface_ids;
  uint32_t count = ct_kind_surface_count(shape->kind);
  if (!ct_shape_is_valid(shape)) return CT_NO_FACE;
  if (count == 1) return map_surface_id(ids, 0);
  ct_vec3 center;
  double radius;
  ct_shape_ball(shape, &center, &radius);
  double tie = TIE_TOLERANCE * radius;
  if (shape->kind == CT_KIND_CONVEX)
    return choose_face(&s, ct_hull_get(shape->hull)->face_count, tie);
  if (ct_kind_is_mesh(shape->kind)) return choose_surface_triangle(&s, tie);
  return shape->kind == CT_KIND_CAPSULE ? map_surface_id(ids, find_capsule_face(&s, tie))
                                        : choose_face(&s, count, tie);
}
