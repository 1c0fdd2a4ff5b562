/* Flat contacts of the elastic law (compliant_patch.h): polygons of the bodies are clipped by the
 * planes of the other body and integrated exactly; a cylinder by quadrature over its angle. */
#include "compliant/compliant_patch.h"
#include "base/trigonometry.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- integrals ------------------------------------------------------------------------------- */

typedef struct patch_sums {
  ct_patch *patch;
  ct_vec3 plane_point; /* a point of the reference plane */
  ct_vec3 first;       /* int x dV */
} patch_sums;

/* Adds a sample of the common solid's surface: point, outward normal and area. By the divergence
 * theorem, an integral over the solid is that of the integrand's z-primitive times n_z over its
 * surface. of_body: the sample is on the body, else on the reference. */
static void add_patch_sample(patch_sums *s, ct_vec3 x, ct_vec3 n, double area, bool of_body) {
  ct_patch *p = s->patch;
  double z = ct_dot(ct_sub(x, s->plane_point), p->inward);
  double down = area * ct_dot(n, p->inward);
  double u = ct_dot(x, p->tangents[0]), v = ct_dot(x, p->tangents[1]);
  p->volume += down * z;
  p->moment += 0.5 * down * z * z;
  s->first = ct_add_scaled(s->first, x, down * z);
  p->second[0] += down * z * u * u;
  p->second[1] += down * z * u * v;
  p->second[2] += down * z * v * v;
  if (!of_body) return;
  ct_vec3 lever = ct_cross(x, n);
  p->area = ct_add_scaled(p->area, n, area);
  p->lever = ct_add_scaled(p->lever, lever, area);
  p->depth_area = ct_add_scaled(p->depth_area, n, area * z);
  p->depth_lever = ct_add_scaled(p->depth_lever, lever, area * z);
}

/* Six points of a triangle that integrate polynomials of degree 4 (Strang, Fix 1973): barycentric
 * coordinate of the two equal ones, and weight. */
static const double TRIANGLE_POINTS[2][2] = {{0.445948490915965, 0.223381589678011},
                                             {0.091576213509771, 0.109951743655322}};

/* Adds a polygon with the outward normal n as a fan of triangles. */
static void add_patch_polygon(patch_sums *s, const ct_vec3 *points, size_t count, ct_vec3 n,
                              bool of_body) {
  for (size_t i = 2; i < count; i++) {
    const ct_vec3 corner[3] = {points[0], points[i - 1], points[i]};
    double area =
        0.5 * ct_dot(n, ct_cross(ct_sub(corner[1], corner[0]), ct_sub(corner[2], corner[0])));
    for (int rule = 0; rule < 2; rule++)
      for (int k = 0; k < 3; k++) {
        double equal = TRIANGLE_POINTS[rule][0], own = 1.0 - 2.0 * equal;
        ct_vec3 x = ct_scale(ct_add(corner[(k + 1) % 3], corner[(k + 2) % 3]), equal);
        add_patch_sample(s, ct_add_scaled(x, corner[k], own), n, area * TRIANGLE_POINTS[rule][1],
                         of_body);
      }
  }
}

/* ---- polyhedra ------------------------------------------------------------------------------- */

static bool is_crossing(double height, double next) {
  return (height < 0.0 && next > 0.0) || (height > 0.0 && next < 0.0);
}

/* Clips a convex polygon to n . p <= offset (Sutherland, Hodgman 1974); returns the number of
 * corners in `out`, at most count + 1. The boundary of a convex polygon crosses a plane twice; if
 * it crosses more often, an edge or the polygon is in the plane to round-off, and all of the
 * polygon is on the side of its mean height. */
static size_t clip_patch_polygon(const ct_vec3 *in, size_t count, ct_vec3 n, double offset,
                                 ct_vec3 *out) {
  size_t kept = 0, crossings = 0;
  double sum = 0.0;
  for (size_t i = 0; i < count; i++) {
    double height = ct_dot(n, in[i]) - offset, next = ct_dot(n, in[(i + 1) % count]) - offset;
    crossings += is_crossing(height, next);
    sum += height;
  }
  if (crossings > 2) {
    memcpy(out, in, count * sizeof *out);
    return sum > 0.0 ? 0 : count;
  }
  for (size_t i = 0; i < count; i++) {
    ct_vec3 from = in[i], to = in[(i + 1) % count];
    double height = ct_dot(n, from) - offset, next = ct_dot(n, to) - offset;
    if (height <= 0.0) out[kept++] = from;
    if (is_crossing(height, next)) out[kept++] = ct_lerp(from, to, height / (height - next));
  }
  assert(kept <= count + 1);
  return kept;
}

static ct_vec3 polyhedron_vertex(const ct_volume_body *body, uint32_t i) {
  return ct_vec(body->x[i], body->y[i], body->z[i]);
}

/* Adds the parts of the faces of `of` that are inside `by`, and below the reference plane if that
 * is not a face of `by`. skip: face of `of` in the reference plane, whose part has z = 0;
 * CT_NO_FACE: none. by NULL: a half-space. */
static bool add_patch_faces(patch_sums *s, const ct_volume_body *of, const ct_volume_body *by,
                            uint32_t skip, bool of_body, ct_patch_scratch *scratch) {
  ct_vec3 up = ct_neg(s->patch->inward);
  double level = ct_dot(up, s->plane_point);
  size_t planes = 1 + (by ? by->face_count : 0);
  for (uint32_t f = 0; f < of->face_count; f++) {
    if (f == skip) continue;
    uint32_t start = of->face_start[f];
    size_t count = of->face_start[f + 1] - start;
    if (count + planes > scratch->room) {
      ct_vec3 *polygons = realloc(scratch->polygons, 2 * (count + planes) * sizeof *polygons);
      if (!polygons) return false;
      scratch->polygons = polygons;
      scratch->room = count + planes;
    }
    ct_vec3 *points = scratch->polygons, *other = points + scratch->room;
    for (size_t i = 0; i < count; i++) points[i] = polyhedron_vertex(of, of->face_loop[start + i]);
    count = clip_patch_polygon(points, count, up, level, other);
    for (uint32_t g = 0; by && g < by->face_count && count > 0; g++) {
      ct_vec3 *swap = points;
      points = other;
      other = swap;
      count = clip_patch_polygon(points, count, ct_volume_body_normal(by, g), by->offset[g], other);
    }
    add_patch_polygon(s, other, count, ct_volume_body_normal(of, f), of_body);
  }
  return true;
}

/* ---- cylinder and half-space ----------------------------------------------------------------- */

/* Gauss' rule of 16 points on [-1, 1]: the positive nodes, and the weights. */
static const double GAUSS[8][2] = {
    {0.0950125098376374402, 0.1894506104550684963}, {0.2816035507792589132, 0.1826034150449235889},
    {0.4580167776572273863, 0.1691565193950025382}, {0.6178762444026437484, 0.1495959888165767321},
    {0.7554044083550030339, 0.1246289712555338721}, {0.8656312023878317439, 0.0951585116824927848},
    {0.9445750230732325761, 0.0622535239386478929}, {0.9894009349916499326, 0.0271524594117540949}};
/* Node of Gauss' rule of two points, 1 / sqrt(3), of weight 1. */
#define GAUSS_TWO 0.577350269189625765

/* A cylinder over a half-space. The angle of a generator is 0 at the deepest one. */
typedef struct patch_cylinder {
  ct_vec3 end;             /* centre of the end that is deeper */
  ct_vec3 axis;            /* unit, towards that end */
  ct_vec3 steepest, level; /* unit, across the axis: of the deepest generator, and horizontal */
  double radius, length;
  double depth;             /* z of `end` */
  double descent, gradient; /* z per length along the axis, and along `steepest` */
} patch_cylinder;

/* Angle up to which the rim at z = depth + radius gradient cos(angle) is below the level `above`.
 */
static double submerged_angle(const patch_cylinder *c, double depth, double above) {
  double amplitude = c->radius * c->gradient, height = above - depth;
  if (height <= -amplitude) return CT_PI;
  if (height >= amplitude) return 0.0;
  double cosine = height / amplitude;
  return ct_atan2(sqrt((1.0 - cosine) * (1.0 + cosine)), cosine);
}

/* Adds the strip of the end's disk at an angle. end: its centre; weight: of the angle. */
static void add_disk_strip(patch_sums *s, const patch_cylinder *c, ct_vec3 end, ct_vec3 normal,
                           ct_sin_cos at, double weight) {
  double half = c->radius * at.sine;
  for (int side = -1; side <= 1; side += 2) {
    ct_vec3 x = ct_add_scaled(end, c->steepest, c->radius * at.cosine);
    x = ct_add_scaled(x, c->level, side * GAUSS_TWO * half);
    add_patch_sample(s, x, normal, weight * half * half, true);
  }
}

/* Adds the generators at +- an angle, from the deeper end to the plane or to the other end. */
static void add_generators(patch_sums *s, const patch_cylinder *c, ct_sin_cos at, double weight) {
  double depth = c->depth + c->radius * c->gradient * at.cosine, length = c->length;
  if (depth < c->descent * length) length = depth / c->descent;
  for (int side = -1; side <= 1; side += 2) {
    ct_vec3 n = ct_add(ct_scale(c->steepest, at.cosine), ct_scale(c->level, side * at.sine));
    ct_vec3 rim = ct_add_scaled(c->end, n, c->radius);
    for (int k = -1; k <= 1; k += 2) {
      double along = 0.5 * length * (1.0 + k * GAUSS_TWO);
      add_patch_sample(s, ct_add_scaled(rim, c->axis, -along), n, weight * c->radius * 0.5 * length,
                       true);
    }
  }
}

typedef enum cylinder_part { CYLINDER_SIDE, CYLINDER_END, CYLINDER_OTHER_END } cylinder_part;

/* Adds the side, or one end, over the angles from `low` to `high` on both sides of the deepest
 * generator: each sample is taken at the angle and at its negative. 0 <= low. */
static void add_cylinder_part(patch_sums *s, const patch_cylinder *c, cylinder_part part,
                              double low, double high) {
  if (!(high > low)) return;
  double half = 0.5 * (high - low), middle = 0.5 * (high + low);
  for (int k = 0; k < 16; k++) {
    double node = k % 2 ? GAUSS[k / 2][0] : -GAUSS[k / 2][0], weight = half * GAUSS[k / 2][1];
    ct_sin_cos at = ct_sin_cos_of(middle + half * node);
    if (part == CYLINDER_SIDE) add_generators(s, c, at, weight);
    else if (part == CYLINDER_END) add_disk_strip(s, c, c->end, c->axis, at, weight);
    else
      add_disk_strip(s, c, ct_add_scaled(c->end, c->axis, -c->length), ct_neg(c->axis), at, weight);
  }
}

static void add_patch_cylinder(patch_sums *s, const ct_patch_side *side) {
  ct_vec3 inward = s->patch->inward;
  ct_vec3 axis = ct_mat_mul(side->frame.rotation, ct_vec(0.0, 0.0, 1.0));
  patch_cylinder c = {.radius = side->shape->cylinder.radius,
                      .length = 2.0 * side->shape->cylinder.half_length,
                      .descent = ct_dot(axis, inward)};
  c.axis = c.descent < 0.0 ? ct_neg(axis) : axis;
  c.descent = fabs(c.descent);
  c.end = ct_add_scaled(side->frame.position, c.axis, 0.5 * c.length);
  c.depth = ct_dot(ct_sub(c.end, s->plane_point), inward);
  /* The cross product has the digits of a small tilt; 1 - descent^2 does not. */
  ct_vec3 across = ct_cross(c.axis, inward);
  c.gradient = ct_norm(across);
  c.level = c.gradient > 0.0 ? ct_scale(across, 1.0 / c.gradient) : s->patch->tangents[1];
  c.steepest = ct_cross(c.level, c.axis);
  /* The generators from the rim reach the plane (beyond `whole`) or the other end. */
  double rim = submerged_angle(&c, c.depth, 0.0);
  double other = c.depth - c.descent * c.length, whole = submerged_angle(&c, other, 0.0);
  add_cylinder_part(s, &c, CYLINDER_END, 0.0, rim);
  add_cylinder_part(s, &c, CYLINDER_SIDE, 0.0, ct_min2(whole, rim));
  add_cylinder_part(s, &c, CYLINDER_SIDE, whole, rim);
  add_cylinder_part(s, &c, CYLINDER_OTHER_END, 0.0, whole);
}

/* ---- the patch of a pair --------------------------------------------------------------------- */

static bool is_polyhedron(const ct_shape *shape) {
  return shape->kind == CT_KIND_BOX || shape->kind == CT_KIND_CONVEX;
}

static bool is_sharp_shape(const ct_shape *shape) {
  return shape->rounding == 0.0 && shape->margin == 0.0;
}

bool ct_patch_applies(const ct_shape *a, const ct_shape *b) {
  if (!is_sharp_shape(a) || !is_sharp_shape(b)) return false;
  bool plane_a = a->kind == CT_KIND_PLANE, plane_b = b->kind == CT_KIND_PLANE;
  if (plane_a || plane_b) {
    const ct_shape *other = plane_a ? b : a;
    return is_polyhedron(other) || other->kind == CT_KIND_CYLINDER;
  }
  return is_polyhedron(a) && is_polyhedron(b);
}

/* Face whose normal is nearest to the direction, and the cosine of their angle. */
static uint32_t find_facing_face(const ct_volume_body *body, ct_vec3 direction, double *cosine) {
  uint32_t best = 0;
  *cosine = -INFINITY;
  for (uint32_t f = 0; f < body->face_count; f++) {
    double c = ct_dot(ct_volume_body_normal(body, f), direction);
    if (c > *cosine) {
      *cosine = c;
      best = f;
    }
  }
  return best;
}

/* Sets the reference plane, and two tangents of it. outward: its unit normal. */
static void set_reference(patch_sums *s, int body, ct_vec3 outward, ct_vec3 point) {
  ct_patch *p = s->patch;
  ct_vec3 least = fabs(outward.x) <= fabs(outward.y) && fabs(outward.x) <= fabs(outward.z)
                      ? ct_vec(1, 0, 0)
                  : fabs(outward.y) <= fabs(outward.z) ? ct_vec(0, 1, 0)
                                                       : ct_vec(0, 0, 1);
  ct_vec3 across = ct_cross(outward, least);
  p->body = body;
  p->inward = ct_neg(outward);
  p->tangents[0] = ct_scale(across, 1.0 / ct_norm(across));
  p->tangents[1] = ct_cross(outward, p->tangents[0]);
  s->plane_point = point;
}

static bool find_polyhedra_patch(patch_sums *s, const ct_patch_side *const sides[2], ct_vec3 normal,
                                 ct_patch_scratch *scratch) {
  ct_volume_body placed[2];
  double cosine[2];
  uint32_t face[2];
  for (int k = 0; k < 2; k++) {
    if (!ct_volume_body_place(sides[k]->shape, &sides[k]->frame, &scratch->bodies[k], &placed[k]))
      return false;
    face[k] = find_facing_face(&placed[k], k ? ct_neg(normal) : normal, &cosine[k]);
  }
  int reference = cosine[1] > cosine[0];
  const ct_volume_body *of = &placed[1 - reference], *by = &placed[reference];
  uint32_t f = face[reference];
  set_reference(s, 1 - reference, ct_volume_body_normal(by, f),
                polyhedron_vertex(by, by->face_loop[by->face_start[f]]));
  return add_patch_faces(s, of, by, CT_NO_FACE, true, scratch) &&
         add_patch_faces(s, by, of, f, false, scratch);
}

static bool find_half_space_patch(patch_sums *s, const ct_patch_side *const sides[2],
                                  ct_patch_scratch *scratch) {
  int reference = sides[1]->shape->kind == CT_KIND_PLANE;
  const ct_patch_side *body = sides[1 - reference];
  const ct_frame *frame = &sides[reference]->frame;
  set_reference(s, 1 - reference, ct_mat_mul(frame->rotation, ct_vec(0.0, 0.0, 1.0)),
                frame->position);
  if (body->shape->kind == CT_KIND_CYLINDER) {
    add_patch_cylinder(s, body);
    return true;
  }
  ct_volume_body placed;
  return ct_volume_body_place(body->shape, &body->frame, &scratch->bodies[0], &placed) &&
         add_patch_faces(s, &placed, NULL, CT_NO_FACE, true, scratch);
}

bool ct_patch_find(const ct_patch_side *a, const ct_patch_side *b, ct_vec3 normal,
                   ct_patch_scratch *scratch, ct_patch *out) {
  const ct_patch_side *const sides[2] = {a, b};
  *out = (ct_patch){0};
  patch_sums s = {.patch = out};
  assert(ct_patch_applies(a->shape, b->shape));
  bool good = a->shape->kind == CT_KIND_PLANE || b->shape->kind == CT_KIND_PLANE
                  ? find_half_space_patch(&s, sides, scratch)
                  : find_polyhedra_patch(&s, sides, normal, scratch);
  if (!good) return false;
  if (!(out->volume > 0.0 && out->moment > 0.0)) {
    out->volume = out->moment = 0.0;
    return true;
  }
  out->centroid = ct_scale(s.first, 1.0 / out->volume);
  double u = ct_dot(out->centroid, out->tangents[0]), v = ct_dot(out->centroid, out->tangents[1]);
  out->second[0] = ct_max2(out->second[0] - out->volume * u * u, 0.0);
  out->second[1] -= out->volume * u * v;
  out->second[2] = ct_max2(out->second[2] - out->volume * v * v, 0.0);
  return true;
}

void ct_patch_scratch_free(ct_patch_scratch *scratch) {
  free(scratch->bodies[0].numbers);
  free(scratch->bodies[1].numbers);
  free(scratch->polygons);
  *scratch = (ct_patch_scratch){0};
}

/* ---- force ----------------------------------------------------------------------------------- */

double ct_patch_energy(const ct_patch *patch, double modulus) {
  if (!(patch->volume > 0.0)) return 0.0;
  double i = 2.0 * patch->moment;
  return modulus / sqrt(CT_PI) * i * sqrt(i) / patch->volume;
}

static ct_vec3 patch_resistance(ct_vec3 v, double size, double small) {
  return ct_scale(v, -size / ct_regularised(ct_norm(v), small));
}

ct_compliant_force ct_patch_force(const ct_patch *patch, const ct_elastic_pair *pair,
                                  ct_vec3 velocity, ct_vec3 spin,
                                  const ct_elastic_options *options) {
  const ct_elastic_options limits = ct_elastic_options_effective(options);
  ct_compliant_force out = {.angular_speed = ct_norm(spin)};
  if (!(patch->volume > 0.0)) return out;
  double energy = ct_patch_energy(patch, pair->c_res), i = 2.0 * patch->moment;
  /* The force on the body is - dU of its displacement; on b it is that, or its opposite. */
  double by_volume = energy / patch->volume, by_moment = -2.0 * 1.5 * energy / i;
  ct_vec3 force = ct_add(ct_scale(patch->area, by_volume), ct_scale(patch->depth_area, by_moment));
  ct_vec3 torque =
      ct_add(ct_scale(patch->lever, by_volume), ct_scale(patch->depth_lever, by_moment));
  double pressed = -ct_dot(force, patch->inward);
  /* Velocity of the body relative to the reference, at the centroid. */
  double sign = patch->body == 1 ? 1.0 : -1.0;
  ct_vec3 at = ct_scale(ct_add(velocity, ct_cross(spin, patch->centroid)), sign);
  ct_vec3 turning = ct_scale(spin, sign);
  double closing = ct_dot(at, patch->inward);
  /* Damping in proportion to depth and closing velocity at each column of the solid. */
  double rate = pair->damping * pressed / patch->volume;
  ct_vec3 slope = ct_cross(patch->inward, turning);
  double su = ct_dot(slope, patch->tangents[0]), sv = ct_dot(slope, patch->tangents[1]);
  ct_vec3 tilt =
      ct_add(ct_scale(patch->tangents[0], patch->second[0] * su + patch->second[1] * sv),
             ct_scale(patch->tangents[1], patch->second[1] * su + patch->second[2] * sv));
  ct_vec3 damping = ct_scale(patch->inward, -rate * patch->volume * closing);
  out.normal = pressed * (1.0 + pair->damping * closing);
  out.depth = i / patch->volume;
  out.depth_rate = closing;
  if (out.normal < 0.0 && !limits.pull) {
    out.normal = 0.0;
    return out;
  }
  force = ct_add(force, damping);
  torque = ct_add(torque, ct_cross(patch->centroid, damping));
  torque = ct_add_scaled(torque, ct_cross(tilt, patch->inward), -rate);
  /* Friction at the centroid; torsion and rolling resistance. */
  double load = ct_max2(out.normal, 0.0);
  ct_vec3 tangential = ct_add_scaled(at, patch->inward, -closing);
  out.slip = ct_norm(tangential);
  ct_vec3 friction =
      patch_resistance(tangential, pair->dynamic_friction * load, limits.small_velocity);
  double radius = 2.0 / 3.0 * patch->volume / sqrt(CT_PI * i);
  ct_vec3 about = ct_scale(patch->inward, ct_dot(turning, patch->inward) * radius);
  ct_vec3 torsion =
      patch_resistance(about, pair->dynamic_friction * load * radius, limits.small_velocity);
  ct_vec3 rolling = patch_resistance(turning, pair->rolling_friction * pair->mu_geo * load,
                                     limits.small_angular_velocity);
  force = ct_add(force, friction);
  torque = ct_add(torque, ct_add(ct_cross(patch->centroid, friction), ct_add(torsion, rolling)));
  out.friction = ct_scale(friction, sign);
  out.force = ct_scale(force, sign);
  out.torque = ct_scale(torque, sign);
  out.tangential = ct_norm(friction);
  out.rolling = ct_norm(rolling);
  return out;
}
