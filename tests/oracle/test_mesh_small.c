/* Every convex kind against small meshes, of one to a few dozen triangles, many at grid positions
 * where corners coincide with axes and centres; and tapered capsules, the union of the balls on
 * their axes, against a search along the axis in long double. */
#include "tests/oracle/mesh_oracle.h"
#include "tests/support/workspace.h"

static const ct_pair_options full = {.tolerance = 0.0, .threshold = INFINITY};

enum { MESH_KINDS = 6 };

/* One triangle, a tetrahedron, a cube, a star, an open box, separate triangles. Some corners are at
 * the origin. */
static void small_mesh(soup *s, int kind, check_random *r) {
  static const uint32_t faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  const ct_vec3 corners[4] = {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {0, 0, 2}};
  switch (kind) {
  case 0:
    for (int i = 0; i < 3; i++) soup_vertex(s, corners[i]);
    soup_triangle(s, 0, 1, 2);
    break;
  case 1:
    for (int i = 0; i < 4; i++) soup_vertex(s, corners[i]);
    for (int i = 0; i < 4; i++) soup_triangle(s, faces[i][0], faces[i][1], faces[i][2]);
    break;
  case 2: soup_box(s, ct_vec(0, 0, 0), ct_vec(1, 1, 1)); break;
  case 3: oracle_star(s, r, 1.5); break;
  case 4:
    soup_box(s, ct_vec(-1, -1, -1), ct_vec(1, 1, 1));
    s->tn -= 2;
    break;
  default: oracle_loose(s, r, 1.0);
  }
}

/* Random, or on the grid and rotated by right angles. */
static ct_pose small_pose(check_random *r) {
  static const ct_quat square[] = {
      {0, 0, 0, 1}, {1, 0, 0, 0}, {0, 1, 0, 1}, {1, 0, 0, 1}, {1, 1, 1, 1}};
  ct_pose pose = oracle_random_pose(r, 0.9);
  if (check_next(r) % 2) return pose;
  pose.position = ct_vec(0.5 * rint(2 * pose.position.x), 0.5 * rint(2 * pose.position.y),
                         0.5 * rint(2 * pose.position.z));
  pose.rotation = square[check_next(r) % 5];
  return pose;
}

/* Distance from a triangle, or from a point given three times: over its interior if the foot is
 * within all edges, else from the nearest edge. */
static long double from_triangle(ct_vec3 at, const ct_vec3 corner[3]) {
  quad3 p = quad_of(at), v[3] = {quad_of(corner[0]), quad_of(corner[1]), quad_of(corner[2])};
  quad3 n = quad_cross(quad_sub(v[1], v[0]), quad_sub(v[2], v[0]));
  long double least = INFINITY;
  bool over = quad_dot(n, n) > 0;
  for (int k = 0; k < 3; k++) {
    quad3 edge = quad_sub(v[(k + 1) % 3], v[k]), to = quad_sub(p, v[k]);
    quad length2 = quad_dot(edge, edge), t = length2 > 0 ? quad_dot(to, edge) / length2 : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    quad3 rest = {to.x - t * edge.x, to.y - t * edge.y, to.z - t * edge.z};
    least = fminl(least, sqrtl((long double)quad_dot(rest, rest)));
    over = over && quad_dot(quad_cross(edge, to), n) >= 0;
  }
  return over ? fabsl((long double)quad_dot(n, quad_sub(p, v[0]))) /
                    sqrtl((long double)quad_dot(n, n))
              : least;
}

/* The point of a mesh is on the named triangle; a surface always names one. */
static void check_triangle(ct_placed mesh, uint32_t triangle, ct_vec3 point) {
  const ct_mesh_view *view =
      mesh.shape->kind == CT_KIND_MESH ? ct_mesh_get(mesh.shape->mesh) : NULL;
  if (!view) CHECK_INT(triangle, CT_NO_TRIANGLE);
  if (!view || triangle == CT_NO_TRIANGLE) return;
  ct_vec3 corner[3];
  for (int k = 0; k < 3; k++)
    corner[k] = ct_to_parent(*mesh.frame, view->vertices[view->triangles[triangle][k]]);
  CHECK_NEAR((double)from_triangle(point, corner), mesh.shape->margin, mesh.shape->margin + 1e-9);
}

/* Invariants of every answer. */
static void check_pair(ct_placed a, ct_placed b, const ct_pair_result *r) {
  check_triangle(a, r->triangle_a, r->point_a);
  check_triangle(b, r->triangle_b, r->point_b);
  ct_vec3 witness;
  CHECK(isfinite(r->distance) && r->lower_bound <= r->distance && r->distance <= r->upper_bound);
  CHECK_NEAR(ct_norm(r->normal), 1.0, 1e-15);
  CHECK(ct_norm(ct_sub(ct_sub(r->point_b, r->point_a), ct_scale(r->normal, r->distance))) <= 1e-9);
  CHECK(ct_pair_overlap(a, b, workspace, &witness) == (r->distance <= 0.0));
  ct_contact_options options = {.clearance = 0.25};
  ct_manifold manifold;
  ct_pair_contacts(a, b, &options, workspace, &manifold);
  CHECK(!manifold.failed && (manifold.count > 0) == (r->distance <= 0.25));
  for (size_t i = 0; i < manifold.count; i++) CHECK(isfinite(manifold.points[i].distance));
}

/* ---- tapered capsules ------------------------------------------------------------------------ */

/* Minimises a convex function on [0, 1]. */
typedef long double (*along_axis)(const void *context, long double t);
static long double least_of(along_axis f, const void *context) {
  long double low = 0, high = 1, golden = 0.618033988749894848204587L;
  long double p = high - golden * (high - low), q = low + golden * (high - low), fp = f(context, p),
              fq = f(context, q);
  for (int i = 0; i < 80; i++) {
    if (fp <= fq) high = q, q = p, fq = fp, p = high - golden * (high - low), fp = f(context, p);
    else low = p, p = q, fp = fq, q = low + golden * (high - low), fq = f(context, q);
  }
  return fminl(fminl(fp, fq), fminl(f(context, 0), f(context, 1)));
}

typedef struct balls {
  ct_vec3 end[2];
  double radius[2];
  ct_vec3 corner[3]; /* of a triangle; for a point all three are equal */
} balls;

/* Distance of the triangle from the ball at t of the axis; negative if they overlap. */
static long double from_ball(const void *context, long double t) {
  const balls *b = context;
  ct_vec3 center = ct_lerp(b->end[0], b->end[1], (double)t);
  return from_triangle(center, b->corner) - ((1 - t) * b->radius[0] + t * b->radius[1]);
}

static balls balls_of(const ct_shape *capsule, const ct_frame *frame) {
  ct_vec3 half = {0.0, 0.0, capsule->capsule.half_length};
  return (balls){.end = {ct_to_parent(*frame, ct_neg(half)), ct_to_parent(*frame, half)},
                 .radius = {capsule->capsule.radius_bottom, capsule->capsule.radius_top}};
}

/* Least distance of the triangles, and the depth of the deepest corner, negative if none is
 * inside. */
static void search(const soup *s, const ct_pose *pose, balls b, double *distance, double *depth) {
  ct_vec3 *v = malloc(s->vn * sizeof *v);
  oracle_place(s, pose, v);
  *distance = INFINITY;
  *depth = -INFINITY;
  for (uint32_t i = 0; i < s->tn; i++) {
    for (int k = 0; k < 3; k++) b.corner[k] = v[s->t[i][k]];
    *distance = ct_min2(*distance, (double)least_of(from_ball, &b));
    for (int k = 0; k < 3; k++) {
      b.corner[0] = b.corner[1] = b.corner[2] = v[s->t[i][k]];
      *depth = ct_max2(*depth, -(double)least_of(from_ball, &b));
    }
  }
  free(v);
}

static void capsules_of_two_radii_are_balls_along_an_axis(void) {
  check_random r = {41};
  int apart = 0, crossed = 0, deep = 0;
  for (int i = 0; i < 240; i++) {
    soup s = {0};
    small_mesh(&s, i % MESH_KINDS, &r);
    bool closed = i % MESH_KINDS >= 1 && i % MESH_KINDS <= 3, solid = closed && i / MESH_KINDS % 2;
    ct_shape mesh = oracle_shape_of(&s, solid ? CT_MESH_SOLID : CT_MESH_SURFACE);
    static const ct_shape capsules[] = {{.kind = CT_KIND_CAPSULE, .capsule = {1.0, 1.0, 1.5}},
                                        {.kind = CT_KIND_CAPSULE, .capsule = {0.5, 0.5, 0.125}},
                                        {.kind = CT_KIND_CAPSULE, .capsule = {0.75, 0.0, 0.25}},
                                        {.kind = CT_KIND_CAPSULE, .capsule = {0.25, 0.25, 0.375}}};
    const ct_shape *capsule = &capsules[check_next(&r) % 4];
    ct_pose pose_mesh = small_pose(&r), pose_capsule = small_pose(&r);
    ct_frame fa = ct_frame_of(pose_capsule), fb = ct_frame_of(pose_mesh);
    double distance, depth;
    search(&s, &pose_mesh, balls_of(capsule, &fa), &distance, &depth);
    ct_pair_result result;
    ct_pair_distance((ct_placed){capsule, &fa}, (ct_placed){&mesh, &fb}, &full, workspace, &result);
    check_pair((ct_placed){capsule, &fa}, (ct_placed){&mesh, &fb}, &result);
    if (distance <= 1e-12) CHECK(result.distance <= 1e-11);
    if (distance > 1e-12 && !solid) CHECK_NEAR(result.distance, distance, 1e-10);
    if (distance > 1e-12 && solid && result.distance > 0.0)
      CHECK_NEAR(result.distance, distance, 1e-10);
    if (distance < -1e-12 && !solid)
      CHECK(result.distance == 0.0 && result.depth_kind == CT_DEPTH_NONE);
    if (distance < -1e-12 && solid) {
      CHECK(result.distance <= -depth + 1e-9);
      CHECK(result.distance < 0.0 && result.depth_kind == CT_DEPTH_FEATURE);
    }
    apart += distance > 1e-12;
    crossed += distance < -1e-12;
    deep += solid && depth > 1e-12;
    ct_shape_release(&mesh);
    soup_free(&s);
  }
  CHECK(apart > 40 && crossed > 80 && deep > 15);
}

/* A corner of the mesh coincides with the middle of the axis. */
static void a_corner_in_the_middle_of_a_capsule_is_inside(void) {
  soup s = {0};
  check_random r = {1};
  small_mesh(&s, 0, &r);
  ct_shape mesh = oracle_shape_of(&s, CT_MESH_SURFACE),
           capsule = {.kind = CT_KIND_CAPSULE, .capsule = {1.0, 1.0, 1.5}};
  ct_frame frame = ct_frame_of(ct_pose_identity());
  ct_pair_result result;
  ct_pair_distance((ct_placed){&capsule, &frame}, (ct_placed){&mesh, &frame}, &full, workspace,
                   &result);
  CHECK(result.distance == 0.0 && result.depth_kind == CT_DEPTH_NONE);
  CHECK_INT(result.relation, CT_PENETRATING);
  check_pair((ct_placed){&capsule, &frame}, (ct_placed){&mesh, &frame}, &result);
  capsule.capsule.radius_bottom = capsule.capsule.radius_top = 2.5;
  ct_pair_distance((ct_placed){&capsule, &frame}, (ct_placed){&mesh, &frame}, &full, workspace,
                   &result);
  CHECK_INT(result.relation, CT_CONTAINING);
  capsule.capsule.radius_top = 2.25;
  ct_pair_distance((ct_placed){&capsule, &frame}, (ct_placed){&mesh, &frame}, &full, workspace,
                   &result);
  CHECK_INT(result.relation, CT_CONTAINING);
  ct_shape_release(&mesh);
  soup_free(&s);
}

/* ---- all convex kinds ------------------------------------------------------------------------ */

static void every_convex_kind_answers_every_small_mesh(void) {
  check_random r = {42};
  ct_hull *hull = NULL;
  const ct_vec3 points[] = {
      {0.75, 0, -0.5}, {-0.5, 0.5, -0.5}, {-0.5, -0.5, -0.5}, {0, 0, 1}, {-0.25, 0, 0.75}};
  CHECK_INT(ct_hull_from_points(points, 5, NULL, &hull, NULL), CT_OK);
  const ct_shape kinds[] = {
      {.kind = CT_KIND_SPHERE, .sphere = {0.5}},
      {.kind = CT_KIND_BOX, .box = {{0.25, 0.5, 0.75}}},
      {.kind = CT_KIND_BOX, .box = {{0.25, 0.5, 0.75}}, .rounding = 0.125},
      {.kind = CT_KIND_BOX,
       .box = {{0.25, 0.5, 0.75}},
       .inset = true,
       .rounding = 0.125,
       .margin = 0.25},
      {.kind = CT_KIND_CAPSULE, .capsule = {0.5, 0.25, 0.25}},
      {.kind = CT_KIND_CAPSULE, .capsule = {0.5, 0.5, 0.25}, .margin = 0.125},
      {.kind = CT_KIND_CYLINDER, .cylinder = {0.5, 0.5}},
      {.kind = CT_KIND_CONE, .cone = {0.5, 0.5, 0.0}},
      {.kind = CT_KIND_CONE, .cone = {0.5, 0.5, 0.25}, .margin = 0.125},
      {.kind = CT_KIND_ELLIPSOID, .ellipsoid = {{0.25, 0.5, 0.75}}},
      {.kind = CT_KIND_CONVEX, .hull = hull},
      {.kind = CT_KIND_CONVEX, .hull = hull, .margin = 0.125},
  };
  int met = 0, apart = 0;
  for (int i = 0; i < 720; i++) {
    soup s = {0};
    small_mesh(&s, i % MESH_KINDS, &r);
    ct_shape mesh = oracle_shape_of(&s, i / MESH_KINDS % 2 ? CT_MESH_AUTO : CT_MESH_SURFACE);
    mesh.margin = check_next(&r) % 4 ? 0.0 : 0.125;
    ct_frame fa = ct_frame_of(small_pose(&r)), fb = ct_frame_of(small_pose(&r));
    ct_placed a = {&kinds[check_next(&r) % (sizeof kinds / sizeof *kinds)], &fa}, b = {&mesh, &fb};
    ct_pair_result result, swapped;
    ct_pair_distance(a, b, &full, workspace, &result);
    ct_pair_distance(b, a, &full, workspace, &swapped);
    CHECK(swapped.distance == result.distance && swapped.triangle_a == result.triangle_b);
    check_pair(a, b, &result);
    met += result.distance <= 0.0;
    apart += result.distance > 0.0;
    ct_shape_release(&mesh);
    soup_free(&s);
  }
  CHECK(met > 200 && apart > 100);
  ct_hull_release(hull);
}

/* A sheet, and separate parts of one, deep in a solid: a point inside the solid is on no triangle
 * of it, in either order of the bodies. */
static void inside_a_solid_no_triangle_is_named(void) {
  check_random r = {43};
  int held = 0;
  for (int i = 0; i < 200; i++) {
    soup s = {0}, t = {0};
    small_mesh(&s, i % MESH_KINDS, &r);
    if (i % 2) soup_sphere(&t, ct_vec(0, 0, 0), 4.0, 12, 12);
    else small_mesh(&t, 1 + i / 2 % 3, &r);
    ct_shape a = oracle_shape_of(&s, i % 4 ? CT_MESH_SURFACE : CT_MESH_AUTO),
             b = oracle_shape_of(&t, CT_MESH_SOLID);
    ct_frame fa = ct_frame_of(small_pose(&r)), fb = ct_frame_of(small_pose(&r));
    ct_pair_result result;
    ct_pair_distance((ct_placed){&a, &fa}, (ct_placed){&b, &fb}, &full, workspace, &result);
    check_pair((ct_placed){&a, &fa}, (ct_placed){&b, &fb}, &result);
    held += result.relation == CT_CONTAINED && result.triangle_a != CT_NO_TRIANGLE &&
            result.triangle_b == CT_NO_TRIANGLE;
    ct_shape_release(&a);
    ct_shape_release(&b);
    soup_free(&s);
    soup_free(&t);
  }
  CHECK(held > 40);
}

static const check_test tests[] = {
    {"in a solid no triangle of it is named", inside_a_solid_no_triangle_is_named},
    {"capsules of two radii are balls along an axis",
     capsules_of_two_radii_are_balls_along_an_axis},
    {"a corner in the middle of a capsule is inside",
     a_corner_in_the_middle_of_a_capsule_is_inside},
    {"every convex kind answers every small mesh", every_convex_kind_answers_every_small_mesh},
};

WORKSPACE_MAIN(tests)
