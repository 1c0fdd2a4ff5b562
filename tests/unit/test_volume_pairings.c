/* Volumetric contacts of every kind with every kind; where the common volume has a closed form, it
 * is compared. */
#include "tests/support/blocks.h"
#include "tests/support/meshes.h"

#include <contact/volume.h>

#define PI SOUP_PI

static ct_workspace *workspace;

static ct_volume volume_of(const ct_shape *a, ct_pose pose_a, const ct_shape *b, ct_pose pose_b) {
  if (!workspace) workspace = ct_workspace_create();
  ct_frame frame_a = ct_frame_of(pose_a), frame_b = ct_frame_of(pose_b);
  ct_volume_options options = {.weighting = CT_WEIGHTING_LINEAR};
  ct_volume v;
  ct_pair_volume((ct_placed){a, &frame_a}, (ct_placed){b, &frame_b}, &options, workspace, &v);
  CHECK(!v.failed);
  return v;
}

static ct_pose at(double x, double y, double z) { return (ct_pose){{x, y, z}, {0, 0, 0, 1}}; }

static double apart(ct_vec3 p, ct_vec3 q) { return ct_norm(ct_sub(p, q)); }

static void is_contact(const ct_volume *v, double volume, ct_vec3 centroid, ct_vec3 normal,
                       double gap) {
  CHECK_INT(v->status, CT_PAIR_OK);
  CHECK_INT(v->count, 1);
  if (v->count != 1) return;
  const ct_volume_contact *c = &v->contacts[0];
  CHECK(!(c->flags & CT_VOLUME_FLAG_VOLUME_UNDEFINED));
  CHECK_NEAR(c->volume, volume, 1e-14 * fmax(1.0, volume));
  CHECK_NEAR(apart(c->centroid, centroid), 0.0, 1e-14);
  CHECK_NEAR(apart(c->normal, normal), 0.0, 1e-14);
  CHECK_NEAR(c->gap, gap, 1e-14);
}

/* ---- every kind with every kind ------------------------------------------------------------- */

#define KINDS 11

/* A body of each kind about the origin that contains a ball of 0.3 m; the plane is last. */
static void make_kinds(ct_shape shape[KINDS]) {
  soup s = {0};
  ct_hull *hull = NULL;
  const ct_vec3 points[6] = {{.7, 0, 0},  {-.7, 0, 0}, {0, .6, 0},
                             {0, -.6, 0}, {0, 0, .8},  {0, 0, -.8}};
  if (ct_hull_from_points(points, 6, NULL, &hull, NULL) != CT_OK) abort();
  soup_box(&s, ct_vec(-0.5, -0.4, -0.5), ct_vec(0.5, 0.4, 0.5));
  shape[0] = (ct_shape){.kind = CT_KIND_SPHERE, .sphere.radius = 0.5};
  shape[1] = (ct_shape){.kind = CT_KIND_BOX, .box.half = {0.4, 0.5, 0.6}};
  shape[2] = (ct_shape){.kind = CT_KIND_CAPSULE, .capsule = {0.3, 0.4, 0.4}};
  shape[3] = (ct_shape){.kind = CT_KIND_CYLINDER, .cylinder = {0.4, 0.5}};
  shape[4] = (ct_shape){.kind = CT_KIND_CONE, .cone = {0.7, 0.8, 0.2}};
  shape[5] = (ct_shape){.kind = CT_KIND_ELLIPSOID, .ellipsoid.radii = {0.4, 0.5, 0.6}};
  shape[6] = (ct_shape){.kind = CT_KIND_CONVEX, .hull = hull};
  shape[7] = soup_shape(&s);
  for (int k = 0; k < 2; k++) {
    block b = block_make(k ? CT_HEXAHEDRA : CT_TETRAHEDRA, 1, 1, 1);
    for (uint32_t i = 0; i < b.vn; i++) b.v[i] = ct_sub(b.v[i], ct_vec(0.5, 0.5, 0.5));
    shape[8 + k] = ct_shape_of_elements(block_elements(&b));
    block_free(&b);
  }
  shape[10] = (ct_shape){.kind = CT_KIND_PLANE};
}

static void release_kinds(ct_shape shape[KINDS]) {
  for (int i = 0; i < KINDS; i++) ct_shape_release(&shape[i]);
}

static bool has_flat_faces(const ct_shape *shape) {
  return shape->kind == CT_KIND_BOX || shape->kind == CT_KIND_CONVEX ||
         shape->kind == CT_KIND_PLANE || ct_kind_is_mesh(shape->kind);
}

/* Overlapping bodies: consistent contacts, and their mirror image for swapped arguments. */
static void is_answered(const ct_shape *a, ct_pose pose_a, const ct_shape *b, ct_pose pose_b) {
  ct_volume v = volume_of(a, pose_a, b, pose_b);
  ct_mass_properties mass;
  double sum = 0.0, most = ct_shape_mass(a, 1.0, &mass) ? mass.volume : INFINITY;
  bool flat = has_flat_faces(a) && has_flat_faces(b), defined = true;
  if (ct_shape_mass(b, 1.0, &mass)) most = fmin(most, mass.volume);
  CHECK_INT(v.status, CT_PAIR_OK);
  CHECK(v.count >= 1);
  for (size_t i = 0; i < v.count; i++) {
    const ct_volume_contact *c = &v.contacts[i];
    CHECK_INT(c->area_defined, flat);
    CHECK(flat ? c->area > 0.0 : c->area == 0.0 && c->patch_area == 0.0);
    CHECK_NEAR(ct_norm(c->normal), 1.0, 1e-15);
    CHECK(c->gap < 0.0 && c->raw_gap < 0.0 && c->depth_along_normal > 0.0);
    CHECK_INT(c->status, CT_PAIR_OK);
    defined = defined && !(c->flags & CT_VOLUME_FLAG_VOLUME_UNDEFINED);
    sum += c->volume;
  }
  CHECK(defined ? sum > 0.0 && sum <= most * (1.0 + 1e-12) : sum == 0.0);
  CHECK(!flat || defined);
  if (v.count == 0) return;
  ct_volume_contact first = v.contacts[0];
  v = volume_of(b, pose_b, a, pose_a);
  CHECK(v.count >= 1 && v.contacts[0].volume == first.volume && v.contacts[0].gap == first.gap);
  CHECK(v.count >= 1 && apart(ct_neg(v.contacts[0].normal), first.normal) == 0.0);
  CHECK(v.count >= 1 && v.contacts[0].surface_a == first.surface_b &&
        v.contacts[0].surface_b == first.surface_a);
}

static void row_17_each_pairing_of_kinds_is_answered(void) {
  ct_shape shape[KINDS];
  make_kinds(shape);
  for (int i = 0; i < KINDS; i++)
    for (int j = i; j < KINDS; j++) {
      if (i == KINDS - 1) continue;
      bool plane = j == KINDS - 1;
      is_answered(&shape[i], at(1, 2, 3), &shape[j], plane ? at(0, 0, 2.9) : at(1.35, 2.11, 3.07));
      ct_volume v =
          volume_of(&shape[i], at(1, 2, 3), &shape[j], plane ? at(0, 0, -10) : at(10, 2, 3));
      CHECK_INT(v.count, 0);
      CHECK_INT(v.flags, 0);
      CHECK_INT(v.status, CT_PAIR_OK);
    }
  release_kinds(shape);
}

static void two_half_spaces_and_open_meshes_are_unsupported(void) {
  ct_shape shape[KINDS];
  soup s = {0};
  soup_sheet(&s, 2);
  ct_shape sheet = soup_shape(&s);
  make_kinds(shape);
  ct_volume v = volume_of(&shape[10], at(0, 0, 0), &shape[10], at(0, 0, 1));
  CHECK(v.status == CT_PAIR_UNSUPPORTED && v.count == 0);
  for (int i = 0; i < KINDS; i++) {
    v = volume_of(&shape[i], at(0, 0, 0), &sheet, at(0, 0, 0));
    CHECK(v.status == CT_PAIR_UNSUPPORTED && v.count == 0);
  }
  ct_shape_release(&sheet);
  release_kinds(shape);
}

/* ---- closed forms --------------------------------------------------------------------------- */

static ct_shape ball(double radius) {
  return (ct_shape){.kind = CT_KIND_SPHERE, .sphere.radius = radius};
}

/* Two unit balls 1 m apart share 5 pi / 12. Balls of 3 and 1, 3 m apart: their common plane is at
 * (9 + 9 - 1) / 6 = 17/6 from the first centre, the caps 1/6 and 5/6 high; a cap's volume is pi h^2
 * (3 r - h) / 3, its centroid 3 (2 r - h)^2 / (4 (3 r - h)) from the centre of its ball. */
static void balls_share_a_lens(void) {
  ct_shape unit = ball(1), large = ball(3), small = ball(0.25);
  ct_volume v = volume_of(&unit, at(0, 0, 0), &unit, at(1, 0, 0));
  is_contact(&v, 5.0 * PI / 12.0, ct_vec(0.5, 0, 0), ct_vec(1, 0, 0), -1.0);
  v = volume_of(&large, at(0, 0, 0), &unit, at(0, 3, 0));
  double v1 = PI / 36.0 * (9.0 - 1.0 / 6.0) / 3.0, v2 = PI * 25.0 / 36.0 * (3.0 - 5.0 / 6.0) / 3.0;
  double c1 = 3.0 * (35.0 / 6.0) * (35.0 / 6.0) / (4.0 * (9.0 - 1.0 / 6.0)),
         c2 = 3.0 * (7.0 / 6.0) * (7.0 / 6.0) / (4.0 * (3.0 - 5.0 / 6.0));
  is_contact(&v, v1 + v2, ct_vec(0, (v1 * c1 + v2 * (3.0 - c2)) / (v1 + v2), 0), ct_vec(0, 1, 0),
             -1.0);
  v = volume_of(&unit, at(0, 0, 0), &small, at(0, 0, 0.5));
  is_contact(&v, PI / 48.0, ct_vec(0, 0, 0.5), ct_vec(0, 0, 1), -0.75);
  CHECK_INT(volume_of(&unit, at(0, 0, 0), &unit, at(2, 0, 0)).flags, CT_VOLUME_FLAG_TOUCHING_ONLY);
}

/* A ball or an ellipsoid sunk to its centre has half of its volume below, whose centroid is 3/8 of
 * its extent below the plane. */
static void half_balls_and_half_ellipsoids(void) {
  ct_shape unit = ball(1), egg = {.kind = CT_KIND_ELLIPSOID, .ellipsoid.radii = {0.5, 0.3, 0.8}},
           ground = {.kind = CT_KIND_PLANE};
  ct_volume v = volume_of(&unit, at(1, 2, 3), &ground, at(0, 0, 3));
  is_contact(&v, 2.0 * PI / 3.0, ct_vec(1, 2, 3.0 - 0.375), ct_vec(0, 0, -1), -1.0);
  v = volume_of(&ground, at(0, 0, 3), &egg, at(1, 2, 3));
  is_contact(&v, PI * 0.5 * 0.3 * 0.8 * 2.0 / 3.0, ct_vec(1, 2, 3.0 - 0.3), ct_vec(0, 0, 1), -0.8);
  v = volume_of(&unit, at(0, 0, -5), &ground, at(0, 0, 0));
  is_contact(&v, 4.0 * PI / 3.0, ct_vec(0, 0, -5), ct_vec(0, 0, -1), -6.0);
}

/* Ellipsoids with random rotations: sections parallel to the plane are similar, of area pi a b c /
 * H (1 - t^2 / H^2) at height t, with H the extent along the normal; Simpson's rule is exact. */
static void ellipsoids_turned_anyhow_share_what_their_sections_add_up_to(void) {
  check_random r = {61};
  ct_shape ground = {.kind = CT_KIND_PLANE};
  for (int i = 0; i < 200; i++) {
    ct_vec3 radii = {check_uniform(&r, 0.2, 2), check_uniform(&r, 0.2, 2),
                     check_uniform(&r, 0.2, 2)};
    ct_shape egg = {.kind = CT_KIND_ELLIPSOID, .ellipsoid.radii = radii};
    ct_pose pose = {{check_uniform(&r, -1, 1), check_uniform(&r, -1, 1), 0},
                    {check_uniform(&r, -1, 1), check_uniform(&r, -1, 1), check_uniform(&r, -1, 1),
                     check_uniform(&r, -1, 1)}};
    ct_vec3 up = ct_quat_matrix(pose.rotation).rz;
    double reach = ct_norm(ct_vec(up.x * radii.x, up.y * radii.y, up.z * radii.z)),
           top = check_uniform(&r, -0.9, 0.9) * reach;
    double section = PI * radii.x * radii.y * radii.z / reach, middle = 0.5 * (top - reach);
    double all =
        section *
        ((1.0 - middle / reach * middle / reach) * 4.0 + (1.0 - top / reach * top / reach)) *
        (top + reach) / 6.0;
    ct_volume v = volume_of(&egg, pose, &ground, at(0, 0, top));
    CHECK_INT(v.count, 1);
    if (v.count == 0) continue;
    CHECK_NEAR(v.contacts[0].volume, all, 1e-13);
    CHECK_NEAR(v.contacts[0].gap, -(top + reach), 1e-13);
    CHECK(v.contacts[0].centroid.z > -reach && v.contacts[0].centroid.z < top);
  }
}

static long double cap_of(long double radius, long double height) {
  return (long double)PI * height * height * (3.0L * radius - height) / 3.0L;
}

/* An overlap of a few units in the last place has a positive volume that matches the reported
 * depth: for an ellipsoid that of the ball in coordinates scaled by its axes, for two balls that of
 * both caps. */
static void what_barely_overlaps_has_the_volume_of_its_depth(void) {
  check_random r = {67};
  ct_shape ground = {.kind = CT_KIND_PLANE};
  int found[3] = {0, 0, 0};
  for (int i = 0; i < 30000; i++) {
    ct_vec3 radii = {check_uniform(&r, 0.01, 2), check_uniform(&r, 0.01, 2),
                     check_uniform(&r, 0.01, 2)};
    ct_shape ball_a = ball(radii.x), ball_b = ball(radii.y),
             egg = {.kind = CT_KIND_ELLIPSOID, .ellipsoid.radii = radii};
    ct_vec3 center = {check_uniform(&r, -1, 1), check_uniform(&r, -1, 1),
                      i % 2 ? check_uniform(&r, -1, 1) : 0.0};
    ct_pose pose = {center,
                    {check_uniform(&r, -1, 1), check_uniform(&r, -1, 1), check_uniform(&r, -1, 1),
                     check_uniform(&r, -1, 1)}};
    ct_vec3 up = ct_quat_matrix(pose.rotation).rz;
    double reach = ct_norm(ct_vec(up.x * radii.x, up.y * radii.y, up.z * radii.z));
    /* Depths from 1e-18 m to 1e-3 m, and the round-off of the positions. */
    double deep = i % 3 ? ldexp(check_uniform(&r, 1, 2), -10 - i % 51) : 0.0;
    ct_volume v;
    long double volume;
    int way = i / 3 % 3;
    if (way == 0) v = volume_of(&ball_a, pose, &ground, at(0, 0, center.z - radii.x + deep));
    else if (way == 1) v = volume_of(&egg, pose, &ground, at(0, 0, center.z - reach + deep));
    else
      v = volume_of(&ball_a, pose, &ball_b,
                    at(center.x + 0.6 * (radii.x + radii.y - deep), center.y,
                       center.z - 0.8 * (radii.x + radii.y - deep)));
    if (v.count == 0) continue;
    long double depth = -(long double)v.contacts[0].gap, size = way == 1 ? reach : radii.x;
    CHECK(depth > 0.0L && v.contacts[0].volume > 0.0);
    if (way == 2) {
      long double a = radii.x, b = radii.y, between = a + b - depth;
      volume = cap_of(a, depth * (2.0L * b - depth) / (2.0L * between)) +
               cap_of(b, depth * (2.0L * a - depth) / (2.0L * between));
    } else {
      volume = cap_of(1.0L, depth / size) * radii.x * (way ? radii.y * radii.z : radii.x * radii.x);
    }
    CHECK_NEAR(v.contacts[0].volume, (double)volume,
               1e-14 * (double)volume * (double)(1.0L + depth / size));
    found[way]++;
  }
  for (int way = 0; way < 3; way++) CHECK(found[way] > 5000);
}

/* A pair without a closed form has a flag; a contained body has its own volume. */
static void capsules_in_a_box_have_their_own_volume(void) {
  ct_shape box = {.kind = CT_KIND_BOX, .box.half = {2, 2, 2}},
           pill = {.kind = CT_KIND_CAPSULE, .capsule = {0.6, 0.5, 0.5}};
  ct_volume v = volume_of(&box, at(0, 0, 0), &pill, at(0.5, 0, 0));
  is_contact(&v, PI * (0.25 * 1.2 + 0.5 / 3.0), ct_vec(0.5, 0, 0), ct_vec(1, 0, 0), -2.0);
  v = volume_of(&box, at(0, 0, 0), &pill, at(2.25, 0, 0));
  CHECK(v.count == 1 && v.contacts[0].flags & CT_VOLUME_FLAG_VOLUME_UNDEFINED &&
        v.contacts[0].gap == -0.25);
}

/* A cube and a cylinder of 1 m, shrunk by 0.1 m and rounded by as much. The cube: a cube of 0.8 m,
 * six slabs, twelve quarters of cylinders and a ball. The cylinder: one of radius 0.4 m and full
 * height, and, by Pappus, a rectangle and a half disc rotated about its axis. */
static void rounded_bodies_in_another_have_their_rounded_volume(void) {
  ct_shape large = {.kind = CT_KIND_BOX, .box.half = {2.5, 2.5, 2.5}}, great = ball(9);
  ct_shape box = {.kind = CT_KIND_BOX, .inset = true, .box.half = {0.5, 0.5, 0.5}, .rounding = 0.1};
  ct_shape can = {.kind = CT_KIND_CYLINDER, .inset = true, .cylinder = {0.5, 0.5}, .rounding = 0.1};
  ct_shape cone = {.kind = CT_KIND_CONE, .inset = true, .cone = {0.5, 0.5, 0.2}, .rounding = 0.05};
  double cube = 0.512 + 6.0 * 0.064 + 12.0 * 0.8 * PI * 0.01 / 4.0 + 4.0 / 3.0 * PI * 0.001;
  double turned = 0.08 * 0.45 + 0.5 * PI * 0.01 * (0.4 + 0.4 / (3.0 * PI)),
         round = PI * 0.16 + 2.0 * PI * turned;
  const ct_shape *outer[2] = {&large, &great};
  for (int i = 0; i < 2; i++) {
    ct_volume v = volume_of(outer[i], at(0, 0, 0), &box, at(0.5, 0, 0));
    is_contact(&v, cube, ct_vec(0.5, 0, 0), ct_vec(1, 0, 0), i ? -9.0 : -2.5);
    v = volume_of(&can, at(0, 0, 0.5), outer[i], at(0, 0, 0));
    is_contact(&v, round, ct_vec(0, 0, 0.5), ct_vec(0, 0, -1), i ? -9.0 : -2.5);
    v = volume_of(&cone, at(0, 0, 0.5), outer[i], at(0, 0, 0));
    CHECK(v.count == 1 && v.contacts[0].flags & CT_VOLUME_FLAG_VOLUME_UNDEFINED &&
          v.contacts[0].volume == 0.0);
  }
  ct_shape grown = {
      .kind = CT_KIND_BOX, .box.half = {0.4, 0.4, 0.4}, .rounding = 0.06, .margin = 0.04};
  ct_volume v = volume_of(&large, at(0, 0, 0), &grown, at(0.5, 0, 0));
  is_contact(&v, cube, ct_vec(0.5, 0, 0), ct_vec(1, 0, 0), -2.5);
}

/* A rounded hull has no formula: the unrounded hull's volume must not be reported, in any
 * container. */
static void rounded_hulls_have_no_volume(void) {
  soup s = {0};
  ct_hull *hull = NULL, *inset = NULL;
  const ct_vec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  if (ct_hull_from_points(points, 4, NULL, &hull, NULL) != CT_OK ||
      ct_hull_inset(hull, 0.1, NULL, &inset) != CT_OK)
    abort();
  soup_box(&s, ct_vec(-3, -3, -3), ct_vec(3, 3, 3));
  ct_shape rounded = {.kind = CT_KIND_CONVEX, .inset = true, .hull = inset, .rounding = 0.1},
           mesh = soup_shape(&s), great = ball(9);
  const ct_shape *outer[2] = {&mesh, &great};
  for (int i = 0; i < 2; i++) {
    ct_volume v = volume_of(outer[i], at(0, 0, 0), &rounded, at(0.5, 0, 0));
    CHECK(v.count == 1 && v.contacts[0].flags & CT_VOLUME_FLAG_VOLUME_UNDEFINED &&
          v.contacts[0].volume == 0.0);
  }
  ct_shape_release(&mesh);
  ct_hull_release(inset);
  ct_hull_release(hull);
}

/* A unit cube sunk by a quarter. If it only rests, the shared face belongs to neither body. */
static void cubes_in_the_ground(void) {
  ct_shape cube = {.kind = CT_KIND_BOX, .box.half = {0.5, 0.5, 0.5}},
           ground = {.kind = CT_KIND_PLANE};
  ct_volume v = volume_of(&cube, at(0, 0, 0.25), &ground, at(0, 0, 0));
  is_contact(&v, 0.25, ct_vec(0, 0, -0.125), ct_vec(0, 0, -1), -0.25);
  CHECK_NEAR(v.contacts[0].area, 1.5, 1e-15);
  CHECK_NEAR(v.contacts[0].patch_area, 1.0, 1e-15);
  v = volume_of(&cube, at(0, 0, -0.5), &ground, at(0, 0, 0));
  is_contact(&v, 1.0, ct_vec(0, 0, -0.5), ct_vec(0, 0, -1), -1.0);
  CHECK(v.contacts[0].flags & CT_VOLUME_FLAG_SHARED_FACES);
  v = volume_of(&cube, at(0, 0, 0.5), &ground, at(0, 0, 0));
  CHECK(v.count == 0 && v.flags == CT_VOLUME_FLAG_TOUCHING_ONLY);
}

int main(int argc, char **argv) {
  static const check_test tests[] = {
      {"row_17_each_pairing_of_kinds_is_answered", row_17_each_pairing_of_kinds_is_answered},
      {"two_half_spaces_and_open_meshes_are_unsupported",
       two_half_spaces_and_open_meshes_are_unsupported},
      {"balls_share_a_lens", balls_share_a_lens},
      {"half_balls_and_half_ellipsoids", half_balls_and_half_ellipsoids},
      {"ellipsoids_turned_anyhow_share_what_their_sections_add_up_to",
       ellipsoids_turned_anyhow_share_what_their_sections_add_up_to},
      {"what_barely_overlaps_has_the_volume_of_its_depth",
       what_barely_overlaps_has_the_volume_of_its_depth},
      {"capsules_in_a_box_have_their_own_volume", capsules_in_a_box_have_their_own_volume},
      {"rounded_bodies_in_another_have_their_rounded_volume",
       rounded_bodies_in_another_have_their_rounded_volume},
      {"rounded_hulls_have_no_volume", rounded_hulls_have_no_volume},
      {"cubes_in_the_ground", cubes_in_the_ground},
  };
  int result = check_main(argc, argv, tests, sizeof tests / sizeof *tests);
  ct_workspace_destroy(workspace);
  return result;
}
