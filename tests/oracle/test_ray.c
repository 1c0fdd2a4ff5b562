/* Rays against closed forms and against bisection in long double. */
#include "tests/oracle/ray_oracle.h"
#include "tests/support/scenes.h"

static int cross(const ct_ray *ray, const ct_shape *shape, const ct_pose *pose,
                 ct_ray_crossing out[2]) {
  static ct_workspace *workspace;
  if (!workspace) workspace = ct_workspace_create();
  ct_frame frame = ct_frame_of(*pose);
  return (int)ct_ray_cross(ray, (ct_placed){shape, &frame}, workspace, out, 2);
}

static ct_ray ray_of(ct_vec3 origin, ct_vec3 direction) {
  return (ct_ray){origin, direction, INFINITY};
}

/* ---- random shapes and rays ----------------------------------------------------------------- */

static ct_hull *random_hull(check_random *r, double size) {
  ct_vec3 points[12];
  for (int i = 0; i < 12; i++)
    points[i] = ct_vec(check_uniform(r, -size, size), check_uniform(r, -size, size),
                       check_uniform(r, -size, size));
  ct_hull *hull = NULL;
  CHECK_INT(ct_hull_from_points(points, 12, NULL, &hull, NULL), CT_OK);
  return hull;
}

/* The caller releases the hull: release_shape. */
static ct_shape random_shape(check_random *r, double size) {
  static const ct_kind kinds[] = {CT_KIND_SPHERE,   CT_KIND_BOX,  CT_KIND_CAPSULE,
                                  CT_KIND_CYLINDER, CT_KIND_CONE, CT_KIND_ELLIPSOID,
                                  CT_KIND_CONVEX,   CT_KIND_PLANE};
  ct_shape shape = {.kind = kinds[check_next(r) % (sizeof kinds / sizeof kinds[0])]};
  double low = 0.05 * size;
  switch (shape.kind) {
  case CT_KIND_SPHERE: shape.sphere.radius = check_uniform(r, low, size); break;
  case CT_KIND_BOX:
    shape.box.half = ct_vec(check_uniform(r, low, size), check_uniform(r, low, size),
                            check_uniform(r, low, size));
    break;
  case CT_KIND_CAPSULE:
    shape.capsule.half_length = check_uniform(r, 0.0, size);
    shape.capsule.radius_bottom = check_uniform(r, low, size);
    shape.capsule.radius_top =
        check_next(r) % 3 ? check_uniform(r, low, size) : shape.capsule.radius_bottom;
    break;
  case CT_KIND_CYLINDER:
    shape.cylinder.radius = check_uniform(r, low, size);
    shape.cylinder.half_length = check_uniform(r, low, size);
    break;
  case CT_KIND_CONE:
    shape.cone.half_length = check_uniform(r, low, size);
    shape.cone.radius_bottom = check_next(r) % 3 ? check_uniform(r, low, size) : 0.0;
    shape.cone.radius_top =
        shape.cone.radius_bottom > 0.0 && check_next(r) % 2 ? 0.0 : check_uniform(r, low, size);
    break;
  case CT_KIND_ELLIPSOID:
    shape.ellipsoid.radii = ct_vec(check_uniform(r, low, size), check_uniform(r, low, size),
                                   check_uniform(r, low, size));
    break;
  case CT_KIND_CONVEX: shape.hull = random_hull(r, size); break;
  default: break;
  }
  return shape;
}

static void release_shape(const ct_shape *shape) {
  if (shape->kind == CT_KIND_CONVEX) ct_hull_release(shape->hull);
}

static ct_vec3 random_vec(check_random *r, double size) {
  return ct_vec(check_uniform(r, -size, size), check_uniform(r, -size, size),
                check_uniform(r, -size, size));
}

/* Compares every member of a ray's result with the oracle. `slack`: permitted offset of the line,
 * m. */
static void judge(const ct_ray *ray, const ct_shape *shape, const ct_pose *pose, double size,
                  double slack) {
  oracle_ray o = {.ray = ray, .shape = shape, .pose = pose};
  o.length = sqrtl((long double)ray->direction.x * ray->direction.x +
                   (long double)ray->direction.y * ray->direction.y +
                   (long double)ray->direction.z * ray->direction.z);
  ct_ray_crossing got[2];
  int count = cross(ray, shape, pose, got);
  long double middle = -ct_dot(ct_sub(ray->origin, pose->position), ray->direction) / o.length;
  long double wide = shape->kind == CT_KIND_PLANE ? 1e6 * size : 8 * size, low = middle - wide,
              high = middle + wide;
  long double least = oracle_ray_least(&o, low, high);
  long double depth = -oracle_ray_level(&o, least);
  if (depth < -slack) {
    CHECK_INT(count, 0);
    return;
  }
  if (depth < slack) return; /* the ray grazes: either result is right */
  long double ends[2] = {-INFINITY, INFINITY};
  if (oracle_ray_level(&o, low) > 0) ends[0] = oracle_ray_root(&o, least, low);
  if (oracle_ray_level(&o, high) > 0) ends[1] = oracle_ray_root(&o, least, high);
  int at = 0;
  for (int end = 0; end < 2; end++) {
    long double t = ends[end];
    if (t < 0 || !(fabsl(t) < INFINITY) || fabsl(t) <= slack) continue;
    if (at == count) {
      CHECK_FAIL("kind %d: a crossing at %Lg is missing", shape->kind, t);
      return;
    }
    const ct_ray_crossing *c = &got[at++];
    CHECK_INT(c->entering, end == 0);
    CHECK_NEAR(ct_norm(c->normal), 1.0, 4e-16);
    /* Growth of the level along the ray converts round-off of the level into a distance along the
     * ray. */
    long double step = 1e-7L * size,
                slope = fabsl(oracle_ray_level(&o, t + step) - oracle_ray_level(&o, t - step)) /
                        (2 * step);
    long double off = fabsl(c->distance - t),
                allowed = slack * (1 + 1 / fmaxl(slope, 1e-9L)) + 4e-16L * fabsl(t);
    /* A plane is as large as the ray is long, and so is the round-off of its rotation. */
    if (shape->kind == CT_KIND_PLANE) allowed *= 1 + fabsl(t) / size;
    if (off > allowed)
      CHECK_FAIL("kind %d: distance %.17g, should be %.21Lg within %Lg", shape->kind, c->distance,
                 t, allowed);
    /* On the surface, up to the round-off of world coordinates. */
    oracle_vec p = {(long double)c->position.x - pose->position.x,
                    (long double)c->position.y - pose->position.y,
                    (long double)c->position.z - pose->position.z};
    long double level = oracle_level(shape, oracle_local(pose, p));
    CHECK_NEAR((double)level, 0.0, (double)allowed + 4e-16 * ct_max_abs(c->position));
    double along = ct_dot(c->normal, ray->direction);
    CHECK(c->entering ? along <= 1e-9 * (double)o.length : along >= -1e-9 * (double)o.length);
  }
  CHECK(at == count || (count > at && got[count - 1].distance <= slack));
}

static void random_rays_are_right(void) {
  check_random r = {17};
  for (int i = 0; i < 6000; i++) {
    double size = i % 5 == 0 ? 1e-6 : i % 5 == 1 ? 1e6 : 1.0;
    ct_shape shape = random_shape(&r, size);
    ct_pose pose = {random_vec(&r, size), random_rotation(&r)};
    ct_vec3 from = ct_add(pose.position, random_vec(&r, i % 3 ? 3.0 * size : 0.5 * size));
    ct_vec3 to = ct_add(pose.position, random_vec(&r, size));
    ct_vec3 direction = ct_scale(ct_sub(to, from), check_uniform(&r, 0.1, 10.0));
    ct_ray ray = ray_of(from, direction);
    judge(&ray, &shape, &pose, size, 64.0 * CT_UNIT_ROUNDOFF * 4.0 * size);
    release_shape(&shape);
  }
}

/* Rounding, inset or added, and margins: balls and capsules in closed form, boxes by tangent
 * planes. */
static void rounded_shapes_are_right(void) {
  check_random r = {21};
  for (int i = 0; i < 4000; i++) {
    double size = i % 3 == 0 ? 1e-4 : 1.0;
    ct_shape shape = random_shape(&r, size);
    bool round = shape.kind != CT_KIND_ELLIPSOID && shape.kind != CT_KIND_CONVEX;
    if (round) {
      shape.inset =
          (shape.kind == CT_KIND_BOX || shape.kind == CT_KIND_CYLINDER) && check_next(&r) % 2;
      shape.rounding = check_next(&r) % 3 ? check_uniform(&r, 1e-3, 0.04) * size : 0.0;
      shape.margin = check_next(&r) % 3 ? check_uniform(&r, 1e-9, 0.3) * size : 0.0;
      if (shape.kind == CT_KIND_PLANE) shape.rounding = 0.0;
      ct_pose pose = {random_vec(&r, size), random_rotation(&r)};
      ct_vec3 from = ct_add(pose.position, random_vec(&r, i % 4 ? 3.0 * size : 0.5 * size));
      ct_ray ray = ray_of(from, ct_sub(ct_add(pose.position, random_vec(&r, 1.2 * size)), from));
      judge(&ray, &shape, &pose, size, 64.0 * CT_UNIT_ROUNDOFF * 4.0 * size);
    }
    release_shape(&shape);
  }
}

/* A hull of a box's corners with a margin equals the box with that margin. */
static void a_hull_with_a_margin_is_right(void) {
  check_random r = {22};
  ct_vec3 corners[8];
  for (int i = 0; i < 8; i++)
    corners[i] = ct_vec(i & 1 ? 1.0 : -1.0, i & 2 ? 0.5 : -0.5, i & 4 ? 2.0 : -2.0);
  ct_hull *hull = NULL;
  CHECK_INT(ct_hull_from_points(corners, 8, NULL, &hull, NULL), CT_OK);
  ct_shape shape = {.kind = CT_KIND_CONVEX, .hull = hull, .margin = 0.125},
           box = box_of(1.0, 0.5, 2.0);
  box.margin = 0.125;
  for (int i = 0; i < 1000; i++) {
    ct_pose pose = {random_vec(&r, 1.0), random_rotation(&r)};
    ct_vec3 from = random_vec(&r, 4.0);
    ct_ray ray = ray_of(from, ct_sub(random_vec(&r, 2.0), from));
    ct_ray_crossing a[2], b[2];
    int count = cross(&ray, &box, &pose, a);
    CHECK_INT(cross(&ray, &shape, &pose, b), count);
    for (int k = 0; k < count; k++) {
      CHECK_NEAR(b[k].distance, a[k].distance, 1e-12);
      CHECK_NEAR(ct_norm(ct_sub(b[k].normal, a[k].normal)), 0.0, 1e-11);
    }
  }
  ct_hull_release(hull);
}

static void far_origins_lose_no_accuracy(void) {
  check_random r = {18};
  for (int i = 0; i < 3000; i++) {
    ct_shape shape = random_shape(&r, 1.0);
    ct_pose pose = {random_vec(&r, 1.0), random_rotation(&r)};
    double far = i % 2 ? 1e4 : 1e6;
    ct_vec3 from = ct_add(pose.position, random_vec(&r, far)),
            to = ct_add(pose.position, random_vec(&r, 0.7));
    ct_ray ray = ray_of(from, ct_sub(to, from));
    /* The matrix of a quaternion is accurate to 23 u; the oracle's own round-off is 2^-64 of the
     * distance. */
    if (shape.kind != CT_KIND_PLANE)
      judge(&ray, &shape, &pose, 1.0, 64.0 * CT_UNIT_ROUNDOFF * 4.0 + 0x1p-61 * far);
    release_shape(&shape);
  }
}

/* Rays along axes and within planes that contain faces: zero components, equal coordinates. */
static void axis_parallel_rays_are_right(void) {
  check_random r = {19};
  for (int i = 0; i < 4000; i++) {
    ct_shape shape = random_shape(&r, 1.0);
    ct_pose pose = {ct_vec(0.0, 0.0, 0.0), ct_quat_identity()};
    ct_vec3 steps = {(double)(check_next(&r) % 9) - 4.0, (double)(check_next(&r) % 9) - 4.0,
                     (double)(check_next(&r) % 9) - 4.0};
    uint64_t axis = check_next(&r) % 6;
    double sense = axis % 2 ? -1.0 : 1.0;
    ct_vec3 direction = {axis / 2 == 0 ? sense : 0.0, axis / 2 == 1 ? sense : 0.0,
                         axis / 2 == 2 ? sense : 0.0};
    ct_ray ray = ray_of(ct_scale(steps, 0.25), direction);
    judge(&ray, &shape, &pose, 1.0, 64.0 * CT_UNIT_ROUNDOFF * 4.0);
    release_shape(&shape);
  }
}

/* ---- closed forms --------------------------------------------------------------------------- */

static void a_ball_is_entered_and_left_along_its_diameter(void) {
  ct_shape ball = sphere_of(2.0);
  ct_pose pose = pose_at(5.0, 0.0, 0.0);
  ct_ray_crossing c[2];
  ct_ray ray = ray_of(ct_vec(0.0, 0.0, 0.0), ct_vec(4.0, 0.0, 0.0));
  CHECK_INT(cross(&ray, &ball, &pose, c), 2);
  CHECK(c[0].distance == 3.0 && c[0].entering && c[0].normal.x == -1.0 && c[0].position.x == 3.0);
  CHECK(c[1].distance == 7.0 && !c[1].entering && c[1].normal.x == 1.0 && c[1].position.x == 7.0);
}

/* A common part of a single point is no crossing; a segment within a face is one. */
static void a_touch_is_no_hit(void) {
  ct_shape ball = sphere_of(1.0), box = box_of(1.0, 1.0, 1.0);
  ct_pose origin = ct_pose_identity();
  ct_ray_crossing c[2];
  ct_ray graze = ray_of(ct_vec(-3.0, 1.0, 0.0), ct_vec(1.0, 0.0, 0.0));
  CHECK_INT(cross(&graze, &ball, &origin, c), 0);
  CHECK_INT(cross(&graze, &box, &origin, c), 2); /* within the plane of a face */
  CHECK(c[0].distance == 2.0 && c[1].distance == 4.0);
  ct_ray by_an_edge = ray_of(ct_vec(-2.0, 0.0, 0.0), ct_vec(1.0, 1.0, 0.0)),
         by_a_corner = ray_of(ct_vec(0.0, 0.0, 3.0), ct_vec(1.0, 1.0, -2.0));
  CHECK_INT(cross(&by_an_edge, &box, &origin, c), 0);
  CHECK_INT(cross(&by_a_corner, &box, &origin, c), 0);
  ct_ray past = ray_of(ct_vec(-3.0, 1.0 + 0x1p-52, 0.0), ct_vec(1.0, 0.0, 0.0));
  CHECK_INT(cross(&past, &ball, &origin, c), 0);
  CHECK_INT(cross(&past, &box, &origin, c), 0);
}

static void an_origin_inside_has_an_exit_alone(void) {
  ct_shape box = box_of(1.0, 2.0, 3.0), ground = plane_of();
  ct_pose origin = ct_pose_identity();
  ct_ray_crossing c[2];
  ct_ray ray = ray_of(ct_vec(0.0, 0.5, -1.0), ct_vec(0.0, 0.0, 1.0));
  CHECK_INT(cross(&ray, &box, &origin, c), 1);
  CHECK(c[0].distance == 4.0 && !c[0].entering && c[0].normal.z == 1.0);
  CHECK_INT(cross(&ray, &ground, &origin, c), 1);
  CHECK(c[0].distance == 1.0 && !c[0].entering && c[0].normal.z == 1.0);
  ct_ray down = ray_of(ct_vec(0.0, 0.0, -1.0), ct_vec(0.0, 0.0, -1.0));
  CHECK_INT(cross(&down, &ground, &origin, c), 0);
}

static void the_reach_is_the_last_distance_that_counts(void) {
  ct_shape ball = sphere_of(1.0);
  ct_pose pose = pose_at(0.0, 0.0, 10.0);
  ct_ray_crossing c[2];
  ct_ray ray = {ct_vec(0.0, 0.0, 0.0), ct_vec(0.0, 0.0, 1e-200), 9.0};
  CHECK_INT(cross(&ray, &ball, &pose, c), 1);
  CHECK(c[0].distance == 9.0);
  ray.reach = 9.0 - 0x1p-49;
  CHECK_INT(cross(&ray, &ball, &pose, c), 0);
}

/* A ball of 1 m seen from 1e9 m: half the chord is sqrt(1 - h^2) for a line at distance h from the
 * centre. */
static void a_ball_at_the_end_of_the_world_is_hit_to_the_digit(void) {
  ct_shape ball = sphere_of(1.0);
  ct_pose pose = pose_at(1e9, 0.75, 0.0);
  ct_ray_crossing c[2];
  ct_ray ray = ray_of(ct_vec(-1e9, 0.0, 0.0), ct_vec(3e-7, 0.0, 0.0));
  CHECK_INT(cross(&ray, &ball, &pose, c), 2);
  CHECK_NEAR(c[0].distance, 2e9 - sqrt(0.4375), 3e-7);
  CHECK_NEAR(c[0].normal.x, -sqrt(0.4375), 1e-15);
  CHECK_NEAR(c[0].normal.y, -0.75, 1e-15);
}

static void the_length_of_the_direction_does_not_matter(void) {
  check_random r = {20};
  for (int i = 0; i < 500; i++) {
    ct_shape shape = random_shape(&r, 1.0);
    ct_pose pose = {random_vec(&r, 1.0), random_rotation(&r)};
    ct_ray ray = ray_of(random_vec(&r, 3.0), random_vec(&r, 1.0)), longer = ray;
    longer.direction = ct_scale(ray.direction, 0x1p300);
    ct_ray_crossing a[2], b[2];
    int count = cross(&ray, &shape, &pose, a);
    CHECK_INT(cross(&longer, &shape, &pose, b), count);
    for (int k = 0; k < count; k++)
      CHECK(a[k].distance == b[k].distance && a[k].normal.x == b[k].normal.x);
    release_shape(&shape);
  }
}

static const check_test tests[] = {
    {"random rays are right", random_rays_are_right},
    {"rounded shapes are right", rounded_shapes_are_right},
    {"a hull with a margin is right", a_hull_with_a_margin_is_right},
    {"origins far away cost no digits", far_origins_lose_no_accuracy},
    {"axis-parallel rays are right", axis_parallel_rays_are_right},
    {"a ball is entered and left along its diameter",
     a_ball_is_entered_and_left_along_its_diameter},
    {"a touch is no hit", a_touch_is_no_hit},
    {"an origin inside has an exit alone", an_origin_inside_has_an_exit_alone},
    {"the reach is the last distance that counts", the_reach_is_the_last_distance_that_counts},
    {"a ball at the end of the world is hit to the digit",
     a_ball_at_the_end_of_the_world_is_hit_to_the_digit},
    {"the length of the direction does not matter", the_length_of_the_direction_does_not_matter},
};

CHECK_MAIN(tests)
