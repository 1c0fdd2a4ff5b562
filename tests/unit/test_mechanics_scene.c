/* A scene's mechanics: mass properties of bodies, contacts found and given, islands; the matrices
 * of many contacts. */
#include "mechanics/mechanics.h"
#include "tests/support/scenes.h"
#include "tests/support/workspace.h"

static void near_vec(ct_vec3 a, ct_vec3 b, double tolerance) {
  CHECK_NEAR(ct_max_abs(ct_sub(a, b)), 0.0, tolerance);
}

static bool same_vec(ct_vec3 a, ct_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static const ct_vec3 down = {0.0, 0.0, -9.81};

/* ---- scenes --------------------------------------------------------------------------------- */

static uint32_t add_moving(ct_draft *draft, const char *id, ct_shape shape, ct_pose pose,
                           const ct_motion *motion, const ct_velocity *velocity) {
  ct_collider collider = {.shape = shape, .pose = ct_pose_identity()};
  ct_body_options options = {
      .id = text_of(id), .colliders = &collider, .collider_count = 1, .motion = motion};
  const ct_body *body = NULL;
  uint32_t row = CT_NO_ROW;
  CHECK_INT(ct_body_create(&options, &body), CT_OK);
  CHECK_INT(ct_draft_insert(draft, body, &pose, velocity, &row), CT_OK);
  ct_body_release(body);
  return row;
}

static const ct_motion one_kg = {
    .source = CT_MASS_MASS, .value = 1.0, .inertia_orientation = {0, 0, 0, 1}};
static const ct_motion kinematic = {.is_kinematic = true, .inertia_orientation = {0, 0, 0, 1}};

static uint32_t add_box(ct_draft *draft, const char *id, double x, double z) {
  return add_moving(draft, id, box_of(.5, .5, .5), pose_at(x, 0, z), &one_kg, NULL);
}

/* A floor; a stack of two boxes; one box beside it; a ball in the air; a kinematic plate that also
 * touches the first box, with a box on it. */
static const ct_scene *heap_scene(void) {
  const ct_scene *empty = ct_scene_create(1);
  ct_draft *draft = ct_draft_begin(empty);
  add_shape(draft, "floor", plane_of(), pose_at(0, 0, 0));
  add_box(draft, "upper", 0, 1.5);                                                   /* row 1 */
  add_box(draft, "beside", 5, .5);                                                   /* row 2 */
  add_box(draft, "lower", 0, .5);                                                    /* row 3 */
  add_moving(draft, "ball", sphere_of(.5), pose_at(20, 0, 9), &one_kg, NULL);        /* row 4 */
  add_moving(draft, "plate", box_of(1, 1, .5), pose_at(10, 0, 5), &kinematic, NULL); /* row 5 */
  add_box(draft, "on the plate", 10, 6);                                             /* row 6 */
  return seal(draft, empty);
}

static ct_mechanics *prepare(const ct_scene *scene, const ct_mechanics_options *options) {
  ct_mechanics *mechanics = NULL;
  CHECK_INT(ct_mechanics_prepare(scene, options, workspace, &mechanics), CT_OK);
  return mechanics;
}

static void check_island(const ct_mechanics *m, size_t index, const uint32_t *rows, size_t count,
                         size_t contacts) {
  ct_island island = ct_mechanics_island(m, index);
  CHECK_INT(island.set.body_count, count);
  CHECK_INT(island.set.count, contacts);
  for (size_t i = 0; i < count && i < island.set.body_count; i++)
    CHECK_INT(island.rows[i], rows[i]);
  for (size_t k = 0; k < island.set.count; k++) {
    CHECK(island.set.contacts[k].a < count && island.set.contacts[k].b < count);
    CHECK(k == 0 || island.numbers[k] > island.numbers[k - 1]);
  }
}

/* ---- facts ---------------------------------------------------------------------------------- */

static const ct_mechanics_options standard = {.contact_tolerance = 1e-6,
                                              .detail = CT_DETAIL_MANIFOLD};

static void islands_by_their_first_row(void) {
  const ct_scene *scene = heap_scene();
  ct_mechanics *m = prepare(scene, &standard);
  CHECK_INT(ct_mechanics_count(m), 16);
  CHECK_INT(ct_mechanics_islands(m), 4);
  check_island(m, 0, (uint32_t[]){0, 1, 3}, 3, 8);
  check_island(m, 1, (uint32_t[]){0, 2}, 2, 4);
  check_island(m, 2, (uint32_t[]){4}, 1, 0);
  check_island(m, 3, (uint32_t[]){5, 6}, 2, 4);
  ct_mechanics_destroy(m);
  ct_scene_release(scene);
}

/* Contacts name their bodies and colliders, in the order of rows. */
static void contacts_as_the_query_has_them(void) {
  const ct_scene *scene = heap_scene();
  ct_mechanics *m = prepare(scene, &standard);
  ct_island island = ct_mechanics_island(m, 0);
  for (size_t k = 0; k < island.set.count; k++) {
    const ct_contact *t = &island.set.contacts[k];
    uint32_t a = island.rows[t->a], b = island.rows[t->b];
    CHECK((a == 0 && b == 3) || (a == 1 && b == 3));
    CHECK(a < b && t->collider_a == 0 && t->collider_b == 0);
    CHECK(same_vec(t->normal, ct_vec(0, 0, a == 0 ? 1 : -1)));
    CHECK_NEAR(t->distance, 0, 1e-15);
    near_vec(t->position, ct_scale(ct_add(t->point_a, t->point_b), 0.5), 1e-15);
    if (a == 0)
      CHECK(t->surface_a.form == CT_SURFACE_FACE && t->surface_b.form == CT_SURFACE_POINT);
  }
  ct_mechanics_destroy(m);
  ct_scene_release(scene);
}

/* Islands contain only the selected bodies; contacts of two immovable bodies belong to no island.
 */
static void who_takes_part(void) {
  const ct_scene *scene = heap_scene();
  ct_mechanics_options o = standard;
  const uint8_t just_upper[7] = {[1] = 1};
  o.where_a = just_upper;
  ct_mechanics *m = prepare(scene, &o);
  CHECK_INT(ct_mechanics_islands(m), 1);
  check_island(m, 0, (uint32_t[]){1, 3}, 2, 4);
  ct_mechanics_destroy(m);
  const ct_row_pair pairs[] = {{4, 0}, {3, 0}, {5, 0}, {0, 5}};
  o = (ct_mechanics_options){.contact_tolerance = 1e-6,
                             .detail = CT_DETAIL_MANIFOLD,
                             .pairs = pairs,
                             .pair_count = 4,
                             .explicit_pairs = true};
  m = prepare(scene, &o);
  CHECK_INT(ct_mechanics_islands(m), 2);
  check_island(m, 0, (uint32_t[]){0, 3}, 2, 4);
  check_island(m, 1, (uint32_t[]){4}, 1, 0);
  CHECK(same_vec(ct_mechanics_island(m, 0).set.contacts[0].normal, ct_vec(0, 0, -1)));
  ct_mechanics_destroy(m);
  ct_scene_release(scene);
}

/* What-if: another pose separates the stack; another velocity, gravity, and a load off the centre.
 */
static void what_if(void) {
  const ct_scene *scene = heap_scene();
  ct_mechanics_options o = standard;
  const ct_override lifted = {1, {{0, 0, 3}, {0, 0, 0, 1}}};
  const ct_row_velocity rises = {1, {{1, 2, 3}, {4, 5, 6}}};
  const ct_vec3 sideways = {2, 0, 0};
  const ct_load loads[] = {{.row = 1, .force = {0, 0, 8}, .has_at = true, .at = {.5, 0, 3}},
                           {.row = 1, .torque = {0, 0, 6}},
                           {.row = 0, .force = {1, 1, 1}}};
  o.overrides = &lifted;
  o.override_count = 1;
  o.velocities = &rises;
  o.velocity_count = 1;
  o.gravity = &sideways;
  o.loads = loads;
  o.load_count = 3;
  ct_mechanics *m = prepare(scene, &o);
  CHECK_INT(ct_mechanics_islands(m), 5);
  check_island(m, 0, (uint32_t[]){1}, 1, 0);
  const ct_mass_body *body = &ct_mechanics_island(m, 0).set.bodies[0];
  CHECK(same_vec(body->center, ct_vec(0, 0, 3)) &&
        same_vec(body->velocity.angular, ct_vec(4, 5, 6)));
  near_vec(body->force, ct_vec(2, 0, 8), 1e-15);
  near_vec(body->torque, ct_vec(0, -4, 6), 1e-15);
  near_vec(body->linear_acceleration, ct_vec(2, 0, 8), 1e-15);
  near_vec(body->angular_acceleration, ct_vec(0, -24, 36), 1e-13); /* a cube of side 1: I = 1/6 */
  ct_mechanics_destroy(m);
  ct_scene_release(scene);
}

static void given_contacts(void) {
  const ct_scene *scene = heap_scene();
  ct_mechanics_options o = standard;
  const ct_given_contact given[] = {
      {.a = 4,
       .b = 1,
       .collider_a = CT_NO_COLLIDER,
       .collider_b = CT_NO_COLLIDER,
       .position = {1, 2, 3},
       .normal = {0, 1, 0}},
      {.a = 0, .b = 5, .collider_a = 0, .collider_b = 0, .normal = {0, 0, 1}},
      {.a = 2,
       .b = 0,
       .collider_a = 0,
       .collider_b = 0,
       .normal = {0, 0, -1},
       .fixed_to_b = true,
       .has_material = true,
       .material = {.static_friction = .5, .restitution = .25}}};
  o.only_given = true;
  o.given = given;
  o.given_count = 3;
  ct_mechanics *m = prepare(scene, &o);
  CHECK_INT(ct_mechanics_count(m), 2);
  CHECK_INT(ct_mechanics_islands(m), 4);
  check_island(m, 0, (uint32_t[]){1, 4}, 2, 1);
  check_island(m, 1, (uint32_t[]){0, 2}, 2, 1);
  const ct_contact *first = &ct_mechanics_island(m, 0).set.contacts[0],
                   *second = &ct_mechanics_island(m, 1).set.contacts[0];
  CHECK(first->a == 1 && first->b == 0 && same_vec(first->position, ct_vec(1, 2, 3)));
  CHECK(first->surface_a.form == CT_SURFACE_FACE && first->surface_b.form == CT_SURFACE_POINT);
  CHECK(second->surface_a.form == CT_SURFACE_POINT && second->surface_b.form == CT_SURFACE_FACE);
  CHECK(second->material.static_friction == .5 && second->material.restitution == .25);
  ct_mechanics_destroy(m);
  ct_scene_release(scene);
}

/* A rule excludes the pair of the stack's boxes; an explicit pair overrides it. */
static void filters_hold(void) {
  const ct_scene *scene = heap_scene();
  const ct_pair_rule rule = {.a = text_of("upper"), .b = text_of("lower"), .collide = false};
  const ct_filters filters = {.pairs = &rule, .pair_count = 1};
  ct_draft *draft = ct_draft_begin(scene);
  CHECK_INT(ct_draft_set_filters(draft, &filters), CT_OK);
  scene = seal(draft, scene);
  ct_mechanics *m = prepare(scene, &standard);
  CHECK_INT(ct_mechanics_count(m), 12);
  CHECK_INT(ct_mechanics_islands(m), 5);
  check_island(m, 0, (uint32_t[]){1}, 1, 0);
  ct_mechanics_destroy(m);
  const ct_row_pair pair = {1, 3};
  ct_mechanics_options o = standard;
  o.pairs = &pair;
  o.pair_count = 1;
  o.explicit_pairs = true;
  m = prepare(scene, &o);
  CHECK_INT(ct_mechanics_islands(m), 1);
  check_island(m, 0, (uint32_t[]){1, 3}, 2, 4);
  ct_mechanics_destroy(m);
  ct_scene_release(scene);
}

/* Each contact has the materials of its own two colliders; a collider without a material has the
 * scene's default. */
static void materials_of_colliders(void) {
  const ct_named_material items[] = {
      {text_of("default"), {.static_friction = .25, .dynamic_friction = .25, .restitution = 1}},
      {text_of("ice"), {.static_friction = .01, .dynamic_friction = .01, .restitution = .5}},
      {text_of("rubber"), {.static_friction = 4, .dynamic_friction = 1}}};
  const ct_material_pair pair = {.a = text_of("rubber"),
                                 .b = text_of("default"),
                                 .static_friction = 3,
                                 .dynamic_friction = 2,
                                 .restitution = NAN,
                                 .rolling_friction = NAN};
  const ct_materials materials = {items, 3, &pair, 1};
  const ct_scene *empty = ct_scene_create(1);
  ct_draft *draft = ct_draft_begin(empty);
  add_shape(draft, "floor", plane_of(), pose_at(0, 0, 0));
  ct_collider feet[2] = {
      {.shape = sphere_of(.5), .pose = pose_at(-1, 0, 0), .material = text_of("ice")},
      {.shape = sphere_of(.5), .pose = pose_at(1, 0, 0), .material = text_of("rubber")}};
  ct_body_options options = {
      .id = text_of("body"), .colliders = feet, .collider_count = 2, .motion = &one_kg};
  const ct_body *body = NULL;
  CHECK_INT(ct_body_create(&options, &body), CT_OK);
  add_body(draft, body, pose_at(0, 0, .5));
  CHECK_INT(ct_draft_set_materials(draft, &materials), CT_OK);
  const ct_scene *scene = seal(draft, empty);
  ct_mechanics *m = prepare(scene, &standard);
  ct_contact_set set = ct_mechanics_island(m, 0).set;
  CHECK_INT(set.count, 2);
  for (size_t k = 0; k < set.count; k++) {
    const ct_contact *t = &set.contacts[k];
    bool ice = t->collider_b == 0;
    CHECK_NEAR(t->material.static_friction, ice ? .05 : 3, 1e-16);
    CHECK_NEAR(t->material.dynamic_friction, ice ? .05 : 2, 1e-16);
    CHECK(t->material.restitution == (ice ? .5 : 0));
  }
  ct_mechanics_destroy(m);
  /* Given contacts, too: the material of the named collider, else that of the first. */
  const ct_given_contact given[2] = {
      {.a = 0, .b = 1, .collider_a = CT_NO_COLLIDER, .collider_b = 1, .normal = {0, 0, 1}},
      {.a = 1, .b = 0, .collider_a = CT_NO_COLLIDER, .collider_b = 0, .normal = {0, 0, -1}}};
  m = prepare(scene, &(ct_mechanics_options){.only_given = true, .given = given, .given_count = 2});
  set = ct_mechanics_island(m, 0).set;
  CHECK(set.contacts[0].material.static_friction == 3);
  CHECK_NEAR(set.contacts[1].material.static_friction, .05, 1e-16);
  ct_mechanics_destroy(m);
  ct_scene_release(scene);
}

/* Row 52. A rotated body with its own inertia: centre, R I R', its inverse, Euler's equations. */
static void a_body_and_its_mass(void) {
  const ct_scene *empty = ct_scene_create(1);
  ct_draft *draft = ct_draft_begin(empty);
  const ct_motion motion = {.source = CT_MASS_MASS,
                            .value = 2,
                            .has_center = true,
                            .center = {1, 0, 0},
                            .has_inertia = true,
                            .inertia_diagonal = {1, 2, 4},
                            .inertia_orientation = {0, 0, 0, 1}};
  /* A quarter turn about z: x to y. */
  const double half = sqrt(.5);
  const ct_pose pose = {{10, 0, 0}, {0, 0, half, half}};
  const ct_velocity velocity = {{1, 2, 3}, {1, 1, 1}};
  uint32_t row = add_moving(draft, "body", box_of(1, 1, 1), pose, &motion, &velocity);
  const ct_scene *scene = seal(draft, empty);
  ct_mass_body body;
  CHECK(ct_scene_mass_body(scene, row, &pose, &velocity, down, &body));
  CHECK_INT(body.mobility, CT_DYNAMIC);
  near_vec(body.center, ct_vec(10, 1, 0), 1e-15);
  near_vec(body.inertia.rx, ct_vec(2, 0, 0), 1e-15);
  near_vec(body.inertia.ry, ct_vec(0, 1, 0), 1e-15);
  near_vec(body.inverse_inertia.rz, ct_vec(0, 0, .25), 1e-15);
  CHECK(same_vec(body.force, ct_vec(0, 0, -19.62)) && same_vec(body.linear_acceleration, down));
  /* (I2 - I3) w2 w3 / I1 and so on, I = (2, 1, 4) */
  near_vec(body.angular_acceleration, ct_vec((1 - 4) / 2.0, (4 - 2) / 1.0, (2 - 1) / 4.0), 1e-15);
  ct_scene_release(scene);
}

/* Row 52: the inertia in world axes is the sum over the rotated points of a cloud of masses, and
 * its inverse is exact to rounding. */
static void inertia_of_turned_points(void) {
  check_random r = {5201};
  for (int i = 0; i < 500; i++) {
    const ct_motion motion = {.source = CT_MASS_MASS,
                              .value = 3,
                              .has_center = true,
                              .has_inertia = true,
                              .inertia_diagonal = {check_uniform(&r, 1, 1.9),
                                                   check_uniform(&r, 1, 1.9),
                                                   check_uniform(&r, 1, 1.9)},
                              .inertia_orientation = random_rotation(&r)};
    const ct_pose pose = random_pose(&r, 5);
    const ct_velocity still = {{0, 0, 0}, {0, 0, 0}};
    const ct_scene *empty = ct_scene_create(1);
    ct_draft *draft = ct_draft_begin(empty);
    uint32_t row = add_moving(draft, "cloud", sphere_of(1), pose, &motion, NULL);
    const ct_scene *scene = seal(draft, empty);
    ct_mass_body body;
    CHECK(ct_scene_mass_body(scene, row, &pose, &still, down, &body));
    /* Unit masses at both ends of each principal axis, at the squared distances that give these
     * moments. */
    ct_vec3 d = motion.inertia_diagonal, sum[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    const double squared[3] = {(d.y + d.z - d.x) / 4, (d.z + d.x - d.y) / 4, (d.x + d.y - d.z) / 4};
    for (int k = 0; k < 3; k++) {
      ct_vec3 axis = ct_vec(k == 0, k == 1, k == 2);
      ct_vec3 p = ct_mat_mul(ct_quat_matrix(pose.rotation),
                             ct_mat_mul(ct_quat_matrix(motion.inertia_orientation), axis));
      p = ct_scale(p, sqrt(squared[k]));
      for (int e = 0; e < 3; e++) {
        ct_vec3 unit = ct_vec(e == 0, e == 1, e == 2);
        sum[e] = ct_add_scaled(sum[e], ct_cross(p, ct_cross(unit, p)), 2.0);
      }
    }
    near_vec(body.inertia.rx, sum[0], 1e-14);
    near_vec(body.inertia.ry, sum[1], 1e-14);
    near_vec(body.inertia.rz, sum[2], 1e-14);
    ct_mat3 one = ct_mat_mat(body.inertia, body.inverse_inertia);
    near_vec(one.rx, ct_vec(1, 0, 0), 1e-14);
    near_vec(one.ry, ct_vec(0, 1, 0), 1e-14);
    near_vec(one.rz, ct_vec(0, 0, 1), 1e-14);
    ct_scene_release(scene);
  }
}

/* Fixed and kinematic bodies: no mass, and the prescribed velocity and acceleration. */
static void immovable_bodies(void) {
  const ct_scene *empty = ct_scene_create(1);
  ct_draft *draft = ct_draft_begin(empty);
  const ct_acceleration prescribed = {{1, 2, 3}, {4, 5, 6}};
  const ct_motion moved = {.is_kinematic = true,
                           .has_center = true,
                           .center = {0, 0, 1},
                           .inertia_orientation = {0, 0, 0, 1},
                           .acceleration = &prescribed};
  const ct_velocity velocity = {{1, 0, 0}, {0, 1, 0}};
  uint32_t wall = add_shape(draft, "wall", box_of(1, 1, 1), pose_at(3, 0, 0));
  uint32_t lift = add_moving(draft, "lift", box_of(1, 1, 1), pose_at(5, 0, 0), &moved, &velocity);
  const ct_scene *scene = seal(draft, empty);
  ct_mass_body body;
  ct_pose pose = pose_at(3, 0, 0);
  CHECK(ct_scene_mass_body(scene, wall, &pose, &velocity, down, &body));
  CHECK(body.mobility == CT_FIXED && same_vec(body.center, pose.position) &&
        same_vec(body.velocity.linear, ct_vec(0, 0, 0)));
  pose = pose_at(5, 0, 0);
  CHECK(ct_scene_mass_body(scene, lift, &pose, &velocity, down, &body));
  CHECK(body.mobility == CT_KINEMATIC && same_vec(body.center, ct_vec(5, 0, 1)) &&
        body.inverse_mass == 0 && body.mass == 0);
  CHECK(same_vec(body.linear_acceleration, prescribed.linear) &&
        same_vec(body.angular_acceleration, prescribed.angular));
  CHECK(same_vec(body.velocity.linear, velocity.linear) && same_vec(body.force, ct_vec(0, 0, 0)));
  ct_scene_release(scene);
}

/* Without a mass, or with an inertia of 0 about an axis, the function returns false and gives a
 * fixed body. */
static void a_mass_that_cannot_be_had(void) {
  const ct_scene *empty = ct_scene_create(1);
  ct_draft *draft = ct_draft_begin(empty);
  const ct_motion thin = {.source = CT_MASS_MASS,
                          .value = 1,
                          .has_center = true,
                          .has_inertia = true,
                          .inertia_diagonal = {1, 1, 0},
                          .inertia_orientation = {0, 0, 0, 1}};
  uint32_t rows[2] = {add_moving(draft, "needle", box_of(1, 1, 1), pose_at(0, 0, .5), &thin, NULL),
                      add_moving(draft, "plane", plane_of(), pose_at(0, 0, 0), &one_kg, NULL)};
  const ct_scene *scene = seal(draft, empty);
  for (int i = 0; i < 2; i++) {
    ct_pose pose = ct_scene_pose(scene, rows[i]);
    ct_velocity still = {{0, 0, 0}, {0, 0, 0}};
    ct_mass_body body;
    CHECK(!ct_scene_mass_body(scene, rows[i], &pose, &still, down, &body));
    CHECK_INT(body.mobility, CT_FIXED);
  }
  ct_mechanics *m = prepare(scene, &standard);
  CHECK_INT(ct_mechanics_islands(m), 0);
  ct_mechanics_destroy(m);
  ct_scene_release(scene);
}

static void velocity_tolerances(void) {
  CHECK_NEAR(ct_scene_velocity_tolerance(1e-6, down), 4.4294469180700204e-3, 1e-17);
  CHECK(ct_scene_velocity_tolerance(1e-6, ct_vec(0, 0, 0)) == 1e-9);
  CHECK(ct_scene_velocity_tolerance(0, down) == 1e-9);
}

/* Row 47: a rolling body stays on the floor: the gap of each contact accelerates at -g, for any
 * rolling velocity and any spin about the vertical. A standing body spins. */
static void rolling_bodies_keep_to_the_floor(void) {
  const double half = sqrt(.5);
  const ct_quat lying = {half, 0, 0, half}, upright = {0, 0, 0, 1};
  const ct_shape can = {.kind = CT_KIND_CYLINDER, .cylinder = {.5, 1}};
  const ct_shape coin = {
      .kind = CT_KIND_CYLINDER, .cylinder = {.5, 1}, .rounding = .2, .inset = true};
  const ct_shape egg = {.kind = CT_KIND_ELLIPSOID, .ellipsoid = {{.5, .5, 1}}};
  const struct {
    ct_shape shape;
    ct_quat rotation;
    double height, roll;
    size_t contacts;
  } cases[] = {{sphere_of(.5), lying, .5, 4, 1},
               {can, lying, .5, 4, 2},
               {coin, lying, .5, 4, 2},
               {capsule_of(1, .5), lying, .5, 4, 2},
               {egg, lying, .5, 4, 1},
               {can, upright, 1, 0, 4},
               {coin, upright, 1, 0, 4},
               {capsule_of(1, .5), upright, 1.5, 0, 1},
               {box_of(.5, .5, .5), lying, .5, 0, 4}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const ct_scene *empty = ct_scene_create(1);
    ct_draft *draft = ct_draft_begin(empty);
    add_shape(draft, "floor", plane_of(), pose_at(0, 0, 0));
    /* The axis of a lying body is y. */
    const ct_velocity velocity = {{cases[i].roll * cases[i].height, 0, 0}, {0, cases[i].roll, 3}};
    const ct_pose pose = {{0, 0, cases[i].height}, cases[i].rotation};
    add_moving(draft, "body", cases[i].shape, pose, &one_kg, &velocity);
    const ct_scene *scene = seal(draft, empty);
    ct_mechanics *m = prepare(scene, &standard);
    ct_contact_set set = ct_mechanics_island(m, 0).set;
    CHECK_INT(set.count, cases[i].contacts);
    for (size_t k = 0; k < set.count; k++) {
      ct_mass_body bodies[2] = {set.bodies[0], set.bodies[1]};
      bodies[1].angular_acceleration =
          ct_vec(-3 * cases[i].roll, 0, 0); /* the level axis rotates, and the roll with it */
      const ct_contact_set free = {bodies, 2, set.contacts, set.count};
      CHECK_NEAR(ct_contact_free_acceleration(&free, &set.contacts[k], NULL), -9.81, 1e-12);
    }
    ct_mechanics_destroy(m);
    ct_scene_release(scene);
  }
}

/* ---- matrices ------------------------------------------------------------------------------- */

static double entry(const ct_matrix *m, size_t row, uint32_t column) {
  for (size_t k = m->starts[row]; k < m->starts[row + 1]; k++)
    if (m->columns[k] == column) return m->values[k];
  return 0.0;
}

/* A tower and a brick on two others, all on a floor: each entry equals the Delassus block, none is
 * missing, columns ascend. */
static void matrices_of_many_contacts(void) {
  const ct_scene *empty = ct_scene_create(1);
  ct_draft *draft = ct_draft_begin(empty);
  add_shape(draft, "floor", plane_of(), pose_at(0, 0, 0));
  add_box(draft, "a", 0, .5);
  add_box(draft, "b", 1.25, .5);
  add_box(draft, "c", .5, 1.5);
  add_box(draft, "d", .5, 2.5);
  const ct_scene *scene = seal(draft, empty);
  ct_mechanics *m = prepare(scene, &standard);
  CHECK_INT(ct_mechanics_islands(m), 1);
  ct_contact_set set = ct_mechanics_island(m, 0).set;
  CHECK(set.count > 16);
  ct_contact_graph graph;
  CHECK_INT(ct_contact_graph_open(&graph, &set), CT_OK);
  for (unsigned dimension = 1; dimension <= 3; dimension++) {
    ct_delassus_matrix w;
    CHECK_INT(ct_delassus_matrix_open(&w, &set, &graph, dimension), CT_OK);
    CHECK_INT(w.matrix.size, dimension * set.count);
    for (size_t row = 0; row < w.matrix.size; row++)
      for (size_t k = w.matrix.starts[row] + 1; k < w.matrix.starts[row + 1]; k++)
        CHECK(w.matrix.columns[k - 1] < w.matrix.columns[k]);
    for (size_t i = 0; i < set.count; i++)
      for (size_t j = 0; j < set.count; j++) {
        const ct_contact *x = &set.contacts[i], *y = &set.contacts[j];
        ct_vec3 f[3] = {x->normal}, g[3] = {y->normal};
        ct_contact_tangents(x->normal, &f[1], &f[2]);
        ct_contact_tangents(y->normal, &g[1], &g[2]);
        ct_mat3 coupling = ct_delassus_block(&set, x, y);
        for (unsigned p = 0; p < dimension; p++)
          for (unsigned q = 0; q < dimension; q++) {
            double got = entry(&w.matrix, dimension * i + p, (uint32_t)(dimension * j + q));
            CHECK_NEAR(got, ct_dot(f[p], ct_mat_mul(coupling, g[q])), 1e-14);
            CHECK(got == entry(&w.matrix, dimension * j + q, (uint32_t)(dimension * i + p)));
          }
      }
    ct_delassus_matrix_close(&w);
  }
  ct_contact_graph_close(&graph);
  ct_mechanics_destroy(m);
  ct_scene_release(scene);
}

/* A contact of immovable bodies has only itself as neighbour. */
static void a_graph_without_bodies_that_move(void) {
  const ct_mass_body bodies[2] = {{.mobility = CT_FIXED}, {.mobility = CT_KINEMATIC}};
  const ct_contact contacts[2] = {{.a = 0, .b = 1, .normal = {0, 0, 1}},
                                  {.a = 1, .b = 0, .normal = {0, 0, 1}}};
  const ct_contact_set set = {bodies, 2, contacts, 2};
  ct_contact_graph graph;
  CHECK_INT(ct_contact_graph_open(&graph, &set), CT_OK);
  CHECK(graph.starts[1] == 1 && graph.starts[2] == 2 && graph.others[0] == 0 &&
        graph.others[1] == 1);
  ct_contact_graph_close(&graph);
}

/* A body in 2,001 contacts: four million blocks exceed the limit, which is reported before their
 * memory is allocated. */
static void too_many_couplings(void) {
  const ct_mass_body bodies[2] = {{.mobility = CT_FIXED},
                                  {.mobility = CT_DYNAMIC, .inverse_mass = 1}};
  static ct_contact contacts[2001];
  for (size_t i = 0; i < 2001; i++) contacts[i] = (ct_contact){.a = 0, .b = 1, .normal = {0, 0, 1}};
  ct_contact_graph graph;
  CHECK_INT(ct_contact_graph_open(&graph, &(ct_contact_set){bodies, 2, contacts, 2001}), CT_LIMIT);
  CHECK_INT(ct_contact_graph_open(&graph, &(ct_contact_set){bodies, 2, contacts, 2000}), CT_OK);
  ct_contact_graph_close(&graph);
}

static const check_test tests[] = {
    {"islands by their first row", islands_by_their_first_row},
    {"contacts as the query has them", contacts_as_the_query_has_them},
    {"who takes part", who_takes_part},
    {"what if", what_if},
    {"given contacts", given_contacts},
    {"filters hold", filters_hold},
    {"materials of colliders", materials_of_colliders},
    {"a body and its mass", a_body_and_its_mass},
    {"inertia of turned points", inertia_of_turned_points},
    {"immovable bodies", immovable_bodies},
    {"a mass that cannot be had", a_mass_that_cannot_be_had},
    {"velocity tolerances", velocity_tolerances},
    {"rolling bodies keep to the floor", rolling_bodies_keep_to_the_floor},
    {"matrices of many contacts", matrices_of_many_contacts},
    {"a graph without bodies that move", a_graph_without_bodies_that_move},
    {"too many couplings", too_many_couplings},
};

WORKSPACE_MAIN(tests)
