/* Solid meshes overlapping curved or rounded bodies: the points of the answer are on the two
 * surfaces, by closed forms of a point's distance from a body's surface and by all triangles in 113
 * bits; and the points are separated by the depth along the normal. */
#include "tests/oracle/mesh_oracle.h"
#include "tests/support/workspace.h"

static const ct_pair_options full = {.tolerance = 0.0, .threshold = INFINITY};

enum { PAIRS = 3000, BODIES = 9 };

/* Permitted distance of the answer's points from the surfaces, m; bodies are about 1 m in size.
 * Depths of curved kinds are computed iteratively. */
#define OFF_LIMIT 1e-9

/* Signed distance of (x, y, z) from a box, negative inside. */
static long double from_box(long double x, long double y, long double z, ct_vec3 half) {
  long double a = fabsl(x) - half.x, b = fabsl(y) - half.y, c = fabsl(z) - half.z,
              most = fmaxl(a, fmaxl(b, c));
  if (most <= 0) return most;
  a = fmaxl(a, 0);
  b = fmaxl(b, 0);
  c = fmaxl(c, 0);
  return sqrtl(a * a + b * b + c * c);
}

/* A cone from the ring `r` at -h to its tip at h, as a triangle in the half-plane x = ring. */
static long double from_cone(long double x, long double z, long double r, long double h) {
  long double slant = sqrtl(r * r + 4 * h * h), side = (2 * h * x + r * (z - h)) / slant,
              base = -h - z;
  if (side <= 0 && base <= 0) return fmaxl(side, base);
  long double along = (r * x - 2 * h * (z - h)) / slant, on = fminl(fmaxl(along, 0), slant);
  long double dx = x - r * on / slant, dz = z - (h - 2 * h * on / slant), rim = x - fminl(x, r);
  return fminl(sqrtl(dx * dx + dz * dz), sqrtl(rim * rim + (z + h) * (z + h)));
}

/* Least distance over the balls of a tapered capsule, a convex function along its axis, by ternary
 * search. */
static long double from_tapered(const ct_shape *s, long double ring, long double z) {
  long double low = -1, high = 1, mean = 0.5L * (s->capsule.radius_top + s->capsule.radius_bottom);
  long double rise = 0.5L * (s->capsule.radius_top - s->capsule.radius_bottom), least = 0;
  for (int i = 0; i < 160; i++) {
    long double at[2] = {low + (high - low) / 3, high - (high - low) / 3}, over[2];
    for (int k = 0; k < 2; k++) {
      long double along = z - at[k] * s->capsule.half_length;
      over[k] = sqrtl(ring * ring + along * along) - mean - rise * at[k];
    }
    *(over[0] < over[1] ? &high : &low) = at[over[0] < over[1]];
    least = fminl(over[0], over[1]);
  }
  return least;
}

/* Signed distance of a point in the body's frame; for an ellipsoid to first order, which is exact
 * on the surface. */
static long double from_surface(const ct_shape *s, ct_vec3 p) {
  long double x = p.x, y = p.y, z = p.z, ring = sqrtl(x * x + y * y),
              grown = (long double)s->rounding + s->margin;
  switch (s->kind) {
  case CT_KIND_SPHERE: return sqrtl(ring * ring + z * z) - s->sphere.radius - grown;
  case CT_KIND_BOX: return from_box(x, y, z, s->box.half) - grown;
  case CT_KIND_CAPSULE: {
    if (s->capsule.radius_bottom != s->capsule.radius_top) return from_tapered(s, ring, z) - grown;
    long double beyond = fmaxl(fabsl(z) - s->capsule.half_length, 0);
    return sqrtl(ring * ring + beyond * beyond) - s->capsule.radius_top - grown;
  }
  case CT_KIND_CYLINDER:
    return from_box(ring, 0, z, ct_vec(s->cylinder.radius, 0, s->cylinder.half_length)) - grown;
  case CT_KIND_CONE: return from_cone(ring, z, s->cone.radius_bottom, s->cone.half_length) - grown;
  default: {
    ct_vec3 r = s->ellipsoid.radii;
    long double u = x / r.x, v = y / r.y, w = z / r.z, f = u * u + v * v + w * w;
    long double slope = 2 * sqrtl(u * u / r.x / r.x + v * v / r.y / r.y + w * w / r.z / r.z);
    return (f - 1) / slope;
  }
  }
}

static ct_shape body_of(int kind, check_random *r) {
  double p = check_uniform(r, 0.1, 0.6), q = check_uniform(r, 0.1, 0.6),
         t = check_uniform(r, 0.1, 0.6);
  ct_shape s = {.kind = CT_KIND_SPHERE, .sphere = {p}};
  switch (kind) {
  case 0: break;
  case 1:
  case 2:
    s = (ct_shape){
        .kind = CT_KIND_BOX, .box = {{p, q, t}}, .rounding = check_uniform(r, 0.05, 0.5)};
    break;
  case 3: s = (ct_shape){.kind = CT_KIND_CAPSULE, .capsule = {p, q, q}}; break;
  case 4: s = (ct_shape){.kind = CT_KIND_CYLINDER, .cylinder = {p, q}}; break;
  case 5:
    s = (ct_shape){
        .kind = CT_KIND_CYLINDER, .cylinder = {p, q}, .rounding = check_uniform(r, 0.05, 0.5)};
    break;
  case 7: s = (ct_shape){.kind = CT_KIND_CAPSULE, .capsule = {p, q, t}}; break;
  case 6: s = (ct_shape){.kind = CT_KIND_CONE, .cone = {p, q, 0.0}}; break;
  default: s = (ct_shape){.kind = CT_KIND_ELLIPSOID, .ellipsoid = {{p, q, t}}};
  }
  if (kind == 4 || kind == 6) s.margin = check_next(r) % 2 ? 0.0 : check_uniform(r, 0.05, 0.3);
  return s;
}

/* A cube, a slab, a star. */
static void solid_of(soup *s, int kind, check_random *r) {
  if (kind == 0) soup_box(s, ct_vec(-0.5, -0.5, -0.5), ct_vec(0.5, 0.5, 0.5));
  else if (kind == 1) soup_box(s, ct_vec(-2, -2, -0.3), ct_vec(2, 2, 0.3));
  else oracle_star(s, r, 1.0);
}

typedef struct worst {
  double body, mesh, between;
  int deep;
} worst;

static void note_pair(check_random *r, int kind, int solid, worst *w) {
  soup s = {0};
  solid_of(&s, solid, r);
  ct_pose pose = oracle_random_pose(r, 0.7), mesh_pose = oracle_random_pose(r, 0.2);
  if (check_next(r) % 4 == 0) pose = mesh_pose;
  ct_shape body = body_of(kind, r), mesh = oracle_shape_of(&s, CT_MESH_SOLID);
  ct_frame fa = ct_frame_of(pose), fb = ct_frame_of(mesh_pose);
  ct_pair_result p;
  ct_pair_distance((ct_placed){&body, &fa}, (ct_placed){&mesh, &fb}, &full, workspace, &p);
  if (p.distance < 0.0) {
    ct_mesh_foot foot;
    CHECK(ct_mesh_nearest(mesh.mesh, ct_to_local(fb, p.point_b), INFINITY, &foot));
    ct_vec3 gap = ct_sub(ct_sub(p.point_b, p.point_a), ct_scale(p.normal, p.distance));
    double off = (double)fabsl(from_surface(&body, ct_to_local(fa, p.point_a)));
    CHECK_INT(p.depth_kind, CT_DEPTH_FEATURE);
    w->body = ct_max2(w->body, off);
    w->mesh = ct_max2(w->mesh, foot.distance);
    w->between = ct_max2(w->between, ct_norm(gap));
    w->deep++;
  }
  soup_free(&s);
  ct_shape_release(&mesh);
}

static void points_of_a_depth_are_on_both_surfaces(void) {
  check_random r = {57};
  for (int kind = 0; kind < BODIES; kind++) {
    worst w = {0};
    for (int i = 0; i < PAIRS / BODIES; i++) note_pair(&r, kind, i % 3, &w);
    CHECK(w.deep > PAIRS / BODIES / 2);
    CHECK_NEAR(w.body, 0.0, OFF_LIMIT);
    CHECK_NEAR(w.mesh, 0.0, OFF_LIMIT);
    CHECK_NEAR(w.between, 0.0, OFF_LIMIT);
  }
}

/* A capsule upright in a slab thinner than its ball: the depth along a face normal is that of the
 * whole capsule. */
static void a_body_thicker_than_the_solid_leaves_it_as_a_whole(void) {
  soup s = {0};
  soup_box(&s, ct_vec(-4, -4, -0.5), ct_vec(4, 4, 0.5));
  ct_shape slab = oracle_shape_of(&s, CT_MESH_SOLID),
           capsule = {.kind = CT_KIND_CAPSULE, .capsule = {0.125, 1.0, 1.0}};
  ct_frame fa = ct_frame_of((ct_pose){{0.25, 0.5, 0.0625}, ct_quat_identity()}),
           fb = ct_frame_of((ct_pose){.rotation = {0, 0, 0, 1}});
  ct_pair_result p;
  ct_pair_distance((ct_placed){&capsule, &fa}, (ct_placed){&slab, &fb}, &full, workspace, &p);
  CHECK_NEAR(p.distance, -1.5625, 1e-14); /* up: 0.5 - 0.0625 + 0.125 + 1 */
  CHECK_NEAR(p.normal.z, -1.0, 1e-14);
  CHECK_NEAR(p.point_a.z, -1.0625, 1e-14);
  CHECK_NEAR(p.point_b.z, 0.5, 1e-14);
  soup_free(&s);
  ct_shape_release(&slab);
}

static const check_test tests[] = {
    {"points_of_a_depth_are_on_both_surfaces", points_of_a_depth_are_on_both_surfaces},
    {"a_body_thicker_than_the_solid_leaves_it_as_a_whole",
     a_body_thicker_than_the_solid_leaves_it_as_a_whole},
};

WORKSPACE_MAIN(tests)
