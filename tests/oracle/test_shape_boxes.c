/* Bounding boxes, support values and bounding balls of random shapes of every bounded kind, over
 * all sizes, with rounding and margin: against their definitions in long double. */
#include "tests/oracle/shape_truth.h"
#include "tests/support/check.h"

static ct_vec3 random_vector(check_random *r) {
  double x = check_uniform(r, -1, 1), y = check_uniform(r, -1, 1);
  return ct_vec(x, y, check_uniform(r, -1, 1));
}

/* Sizes range over 1e-9 .. 1e9; those of one shape are within three orders of each other here. */
static double random_size(check_random *r, double scale) {
  return scale * pow(10.0, check_uniform(r, -1.5, 1.5));
}

static const ct_mesh *random_mesh(check_random *r, double scale) {
  ct_vec3 p[60];
  uint32_t triangles[80][3];
  for (int i = 0; i < 60; i++) p[i] = ct_scale(random_vector(r), scale);
  for (int i = 0; i < 80; i++)
    for (int k = 0; k < 3; k++) triangles[i][k] = (uint32_t)(check_next(r) % 60);
  ct_mesh *mesh = NULL;
  const ct_mesh_data data = {p, 60, (const uint32_t(*)[3])triangles, 80, NULL};
  CHECK_INT(ct_mesh_create(&data, CT_MESH_SURFACE, NULL, &mesh, NULL), CT_OK);
  return mesh;
}

static const ct_hull *random_hull(check_random *r, double scale) {
  ct_vec3 p[40];
  int count = 4 + (int)(check_next(r) % 36);
  for (int i = 0; i < count; i++) p[i] = ct_scale(random_vector(r), scale);
  ct_hull *hull = NULL;
  CHECK_INT(ct_hull_from_points(p, (size_t)count, NULL, &hull, NULL), CT_OK);
  return hull;
}

static ct_shape random_shape(check_random *r, ct_kind kind, double scale) {
  double a = random_size(r, scale), b = random_size(r, scale), c = random_size(r, scale);
  switch (kind) {
  case CT_KIND_SPHERE: return sphere(a);
  case CT_KIND_BOX: return box(a, b, c);
  case CT_KIND_CAPSULE: return capsule(a, b, c);
  case CT_KIND_CYLINDER: return cylinder(a, b);
  case CT_KIND_CONE: return cone(a, b, check_next(r) % 3 ? c : 0.0);
  case CT_KIND_ELLIPSOID: return ellipsoid(a, b, c);
  case CT_KIND_CONVEX: return (ct_shape){.kind = CT_KIND_CONVEX, .hull = random_hull(r, scale)};
  default: return (ct_shape){.kind = CT_KIND_MESH, .mesh = random_mesh(r, scale)};
  }
}

static double size_of(const ct_shape *s) {
  ct_vec3 center;
  double radius;
  ct_shape_ball(s, &center, &radius);
  return radius + ct_norm(center);
}

/* Rounds a shape in a random way that it supports; returns the size of the sharp shape plus the
 * added radii. */
static double round_shape(ct_shape *s, check_random *r, double scale) {
  int way = (int)(check_next(r) % 4);
  double limit = ct_shape_inset_limit(s, NULL), size = size_of(s);
  if (way & 1) s->margin = random_size(r, 0.1 * scale);
  if (way & 2) {
    s->inset = limit > 0.0 && s->kind != CT_KIND_CONVEX && check_next(r) % 2;
    s->rounding = s->inset ? limit * check_uniform(r, 0, 0.999) : random_size(r, 0.1 * scale);
  }
  return size + s->rounding + s->margin;
}

static void check_box(const ct_shape *s, ct_pose pose, double size) {
  long double m[3][3];
  exact_rotation(pose.rotation, m);
  ct_frame f = ct_frame_of(pose);
  ct_aabb b = ct_shape_aabb(s, &f);
  double low[3] = {b.min.x, b.min.y, b.min.z}, high[3] = {b.max.x, b.max.y, b.max.z};
  double at[3] = {pose.position.x, pose.position.y, pose.position.z};
  for (int axis = 0; axis < 3; axis++) {
    long double under = at[axis] - truth_of(s, -m[axis][0], -m[axis][1], -m[axis][2], 1.0L);
    long double over = at[axis] + truth_of(s, m[axis][0], m[axis][1], m[axis][2], 1.0L);
    CHECK(low[axis] <= under && high[axis] >= over);
    double loose = 256.0 * 0x1p-53 * size + 4.0 * 0x1p-53 * fabs(at[axis]);
    CHECK(low[axis] >= under - loose && high[axis] <= over + loose);
  }
}

static void bounding_boxes_contain_the_exact_shape_and_are_tight(void) {
  check_random r = {91};
  for (int i = 0; i < 12000; i++) {
    double scale = pow(10.0, check_uniform(&r, -7, 7));
    ct_shape s = random_shape(&r, (ct_kind)(i % CT_KIND_PLANE), scale);
    double size = round_shape(&s, &r, scale);
    double far = i % 3 ? 1.0 : 1e3, w = check_uniform(&r, -1, 1);
    ct_vec3 v = random_vector(&r);
    ct_pose pose = {ct_scale(random_vector(&r), far * scale), {v.x, v.y, v.z, w}};
    /* Every tenth shape has an axis along a world axis: exactly, or to a few digits. */
    if (i % 10 == 0) pose.rotation = (ct_quat){0, 0, v.z, w};
    if (i % 10 == 1) pose.rotation = (ct_quat){1e-9 * v.x, 0, 1, 1};
    check_box(&s, pose, size);
    ct_shape_release(&s);
  }
}

static void support_points_are_of_the_shape_and_farthest(void) {
  check_random r = {92};
  for (int i = 0; i < 4000; i++) {
    double scale = pow(10.0, check_uniform(&r, -7, 7));
    ct_shape s = random_shape(&r, (ct_kind)(i % CT_KIND_PLANE), scale);
    double size = round_shape(&s, &r, scale), slack = 32.0 * 0x1p-53 * size;
    for (int k = 0; k < 10; k++) {
      ct_vec3 d = ct_unit_or(random_vector(&r), ct_vec(1, 0, 0)),
              e = ct_unit_or(random_vector(&r), ct_vec(1, 0, 0));
      ct_vec3 p = ct_shape_support(&s, d), again = ct_shape_support(&s, ct_scale(d, 2.0));
      CHECK(!memcmp(&p, &again, sizeof p));
      CHECK_NEAR(ct_dot(p, d), (double)truth(&s, d), slack);
      CHECK(ct_dot(p, e) <= (double)truth(&s, e) + slack);
      /* Widths are positive; the support value of a sum of directions is at most the sum of their
       * support values. */
      CHECK(ct_dot(p, d) + ct_dot(ct_shape_support(&s, ct_neg(d)), ct_neg(d)) > 0.0);
      ct_vec3 sum = ct_add(d, e);
      CHECK(ct_dot(ct_shape_support(&s, sum), sum) <=
            ct_dot(p, d) + ct_dot(ct_shape_support(&s, e), e) + slack);
    }
    ct_shape_release(&s);
  }
}

/* A point of a sharp shape, by parameters: uniform in some of them, often on the surface. */
static ct_vec3 sampled_point(const ct_shape *s, check_random *r) {
  double u = check_uniform(r, 0, 1),
         t = check_next(r) % 3 ? check_uniform(r, 0, 1) : (double)(check_next(r) % 2);
  ct_vec3 d = ct_unit_or(random_vector(r), ct_vec(1, 0, 0)),
          ring = ct_unit_or(ct_vec(d.x, d.y, 0), ct_vec(1, 0, 0));
  u = check_next(r) % 2 ? 1.0 : u;
  switch (s->kind) {
  case CT_KIND_SPHERE: return ct_scale(d, u * s->sphere.radius);
  case CT_KIND_BOX:
    return ct_vec((2 * t - 1) * s->box.half.x, (d.x > 0 ? u : -u) * s->box.half.y,
                  (d.y > 0 ? u : -1) * s->box.half.z);
  case CT_KIND_CAPSULE: {
    double z = (2 * t - 1) * s->capsule.half_length;
    return ct_add(ct_vec(0, 0, z), ct_scale(d, u * ((1 - t) * s->capsule.radius_bottom +
                                                    t * s->capsule.radius_top)));
  }
  case CT_KIND_CYLINDER: {
    ct_vec3 p = ct_scale(ring, u * s->cylinder.radius);
    return ct_vec(p.x, p.y, (2 * t - 1) * s->cylinder.half_length);
  }
  case CT_KIND_CONE: {
    ct_vec3 p = ct_scale(ring, u * ((1 - t) * s->cone.radius_bottom + t * s->cone.radius_top));
    return ct_vec(p.x, p.y, (2 * t - 1) * s->cone.half_length);
  }
  default:
    return ct_vec(u * d.x * s->ellipsoid.radii.x, u * d.y * s->ellipsoid.radii.y,
                  u * d.z * s->ellipsoid.radii.z);
  }
}

/* For shapes with added rounding and margin: a point of the sharp shape plus a ball around it. */
static void no_sampled_point_is_beyond_the_support_point(void) {
  check_random r = {95};
  for (int i = 0; i < 600; i++) {
    ct_shape s = random_shape(&r, (ct_kind)(i % CT_KIND_CONVEX), 1.0);
    double size = size_of(&s);
    if (i % 2) s = rounded(s, false, check_uniform(&r, 0, 0.5), check_uniform(&r, 0, 0.5));
    ct_vec3 d = ct_unit_or(random_vector(&r), ct_vec(1, 0, 0)), p = ct_shape_support(&s, d);
    double most = -INFINITY, reach = ct_dot(p, d), ball = s.rounding + s.margin;
    for (int k = 0; k < 2000; k++) most = ct_max2(most, ct_dot(sampled_point(&s, &r), d) + ball);
    CHECK(most <= reach + 16.0 * 0x1p-53 * (size + ball));
    CHECK(most >= reach - 0.35 * size);
  }
}

static void bounding_balls_contain_the_shape(void) {
  check_random r = {93};
  for (int i = 0; i < 4000; i++) {
    double scale = pow(10.0, check_uniform(&r, -7, 7)), radius;
    ct_shape s = random_shape(&r, (ct_kind)(i % CT_KIND_PLANE), scale);
    double size = round_shape(&s, &r, scale);
    ct_vec3 center;
    ct_shape_ball(&s, &center, &radius);
    for (int k = 0; k < 30; k++) {
      ct_vec3 d = k == 0   ? ct_vec(0, 0, 1)
                  : k == 1 ? ct_vec(0, 0, -1)
                           : ct_unit_or(random_vector(&r), ct_vec(1, 0, 0));
      CHECK((double)truth(&s, d) - ct_dot(center, d) <= radius + 4.0 * 0x1p-53 * size);
    }
    ct_shape_release(&s);
  }
}

/* Up to the limit the inset shape is valid: sizes above zero, no wider than the shape, and inset by
 * the requested depth. */
static void insets_up_to_the_limit_leave_a_solid(void) {
  check_random r = {94};
  static const ct_kind kinds[] = {CT_KIND_BOX, CT_KIND_CYLINDER, CT_KIND_CONE};
  for (int i = 0; i < 6000; i++) {
    double scale = pow(10.0, check_uniform(&r, -6, 6));
    ct_shape s = random_shape(&r, kinds[i % 3], scale);
    if (s.kind == CT_KIND_CONE && i % 2) s.cone.half_length *= pow(10.0, check_uniform(&r, -2, 2));
    double limit = ct_shape_inset_limit(&s, NULL);
    CHECK(limit > 0.0);
    double size = size_of(&s);
    ct_shape t = rounded(s, true, i % 4 ? limit * check_uniform(&r, 0, 1) : limit, 0.0);
    for (int k = 0; k < 20; k++) {
      ct_vec3 d = ct_unit_or(random_vector(&r), ct_vec(1, 0, 0));
      double within = (double)sharp_truth(&s, d.x, d.y, d.z, 1.0L),
             reach = ct_dot(ct_shape_support(&t, d), d);
      CHECK(reach <= within + 32.0 * 0x1p-53 * size);
      CHECK(reach + ct_dot(ct_shape_support(&t, ct_neg(d)), ct_neg(d)) >= 2.0 * t.rounding);
    }
  }
}

static const check_test tests[] = {
    {"bounding_boxes_contain_the_exact_shape_and_are_tight",
     bounding_boxes_contain_the_exact_shape_and_are_tight},
    {"support_points_are_of_the_shape_and_farthest", support_points_are_of_the_shape_and_farthest},
    {"no_sampled_point_is_beyond_the_support_point", no_sampled_point_is_beyond_the_support_point},
    {"bounding_balls_contain_the_shape", bounding_balls_contain_the_shape},
    {"insets_up_to_the_limit_leave_a_solid", insets_up_to_the_limit_leave_a_solid},
};

CHECK_MAIN(tests)
