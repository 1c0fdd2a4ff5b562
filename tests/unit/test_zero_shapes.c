/* The public structs of shapes, frames, pairs of shapes and meshes, zero-initialised; those of
 * scenes and solvers are in test_zero_options.c, which describes the list. */
#include "tests/support/scenes.h"
#include "tests/support/workspace.h"
#include "tests/support/zero_rows.h"

static const ct_shape ball = {.kind = CT_KIND_SPHERE, .sphere = {1.0}};
static const ct_shape block = {.kind = CT_KIND_BOX, .box = {{1.0, 1.0, 1.0}}};
static const ct_shape point; /* a ball of radius 0 */
static const ct_frame unset;

/* ---- shapes and frames ---------------------------------------------------------------------- */

static void zero_frames_do_not_turn(void) {
  const ct_frame ahead = {.position = {4.0, 0.0, 0.0}};
  const ct_frame *places[] = {&unset, NULL};
  for (int i = 0; i < 2; i++) {
    const ct_placed a = {&block, places[i]}, b = {&block, &ahead};
    ct_pair_result r;
    ct_pair_distance(a, b, &(ct_pair_options){0}, workspace, &r);
    CHECK_INT(r.status, CT_PAIR_OK);
    CHECK_NEAR(r.distance, 2.0, 1e-12);
    CHECK_NEAR(r.normal.x, 1.0, 0.0);
    ct_pair_gjk_epa(a, b, &(ct_pair_options){0}, workspace, &r);
    CHECK_NEAR(r.distance, 2.0, 1e-12);
    CHECK(!ct_pair_overlap(a, b, workspace, NULL) && ct_pair_overlap(a, a, workspace, NULL));
    CHECK(!ct_pair_gjk_epa_overlap(a, b, workspace, NULL) &&
          ct_pair_gjk_epa_overlap(a, a, workspace, NULL));
    ct_mpr_result m;
    ct_pair_mpr(a, b, &(ct_mpr_options){0}, &m);
    CHECK_NEAR(m.distance, 2.0, 1e-6);
    ct_plane_cache cache = {0};
    ct_separating_plane plane;
    CHECK(ct_pair_separating_plane(a, b, &cache, workspace, &plane));
    CHECK_NEAR(plane.separation, 2.0, 1e-12);
    CHECK(!ct_pair_overlap_by_plane(a, b, NULL, workspace, &plane, NULL));
    ct_pair_separating_axis(a, b, workspace, &plane);
    CHECK_NEAR(plane.separation, 2.0, 1e-12);
    ct_volume volume;
    ct_pair_volume(a, a, &(ct_volume_options){0}, workspace, &volume);
    CHECK_INT(volume.count, 1);
    CHECK_NEAR(volume.count == 1 ? volume.contacts[0].volume : 0.0, 8.0, 1e-12);
    ct_manifold manifold;
    ct_pair_contacts(a, a, &(ct_contact_options){0}, workspace, &manifold);
    CHECK_NEAR(manifold.pair.distance, -2.0, 1e-12);
    const ct_aabb box = ct_shape_aabb(&block, places[i]);
    CHECK(box.min.x <= -1.0 && box.min.x >= -1.0 - 1e-12 && box.max.z >= 1.0 &&
          box.max.z <= 1.0 + 1e-12);
    ct_mass_properties mass;
    CHECK(ct_shape_mass(&block, 1.0, &mass));
    mass = ct_mass_place(&mass, places[i]);
    CHECK_NEAR(mass.inertia.rx.x, 8.0 * 2.0 / 3.0, 1e-12);
  }
}

static void a_zero_shape_is_a_point(void) {
  const ct_frame ahead = {.position = {4.0, 0.0, 0.0}};
  const ct_placed there = {&point, &ahead};
  const ct_shape others[] = {ball,
                             block,
                             {.kind = CT_KIND_CAPSULE, .capsule = {1.0, 1.0, 1.0}},
                             {.kind = CT_KIND_CYLINDER, .cylinder = {1.0, 1.0}},
                             {.kind = CT_KIND_CONE, .cone = {1.0, 1.0, 1.0}},
                             {.kind = CT_KIND_ELLIPSOID, .ellipsoid = {{1.0, 1.0, 1.0}}}};
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    const ct_placed here = {&others[i], &unset};
    ct_pair_result r;
    ct_pair_distance(here, there, &(ct_pair_options){0}, workspace, &r);
    CHECK_NEAR(r.distance, 3.0, 1e-12);
    ct_mpr_result m;
    ct_pair_mpr(here, there, &(ct_mpr_options){0}, &m);
    CHECK_NEAR(m.distance, 3.0, 1e-6);
    ct_manifold manifold;
    ct_pair_contacts(here, there, &(ct_contact_options){.clearance = 5.0}, workspace, &manifold);
    CHECK_INT(manifold.count, 1);
    CHECK_NEAR(manifold.pair.distance, 3.0, 1e-12);
    ct_volume volume;
    ct_pair_volume(here, there, &(ct_volume_options){0}, workspace, &volume);
    CHECK_INT(volume.count, 0);
  }
  const ct_placed twice = {&point, NULL};
  ct_pair_result r;
  ct_pair_distance(twice, there, &(ct_pair_options){0}, workspace, &r);
  CHECK_NEAR(r.distance, 4.0, 0.0);
  CHECK(ct_pair_overlap(twice, twice, workspace, NULL));
  const ct_aabb box = ct_shape_aabb(&point, NULL);
  CHECK_NEAR(box.max.x, 0.0, 1e-300);
  ct_vec3 center;
  double radius;
  ct_shape_ball(&point, &center, &radius);
  CHECK_NEAR(radius, 0.0, 1e-300);
  const ct_ray ray = {.direction = {1.0, 0.0, 0.0}, .reach = 9.0};
  ct_ray_crossing crossing[2];
  CHECK_INT(ct_ray_cross(&ray, there, workspace, crossing, 2), 0);
  const ct_collider collider = {0};
  const ct_body *body = NULL;
  CHECK_INT(ct_body_create(
                &(ct_body_options){.id = text_of("a"), .colliders = &collider, .collider_count = 1},
                &body),
            CT_LIMIT);
  CHECK(body == NULL);
}

static void shapes_without_form_are_refused(void) {
  for (int kind = 0; kind <= CT_KIND_COUNT; kind++) {
    const bool none = kind == CT_KIND_COUNT;
    if (kind == CT_KIND_SPHERE || kind == CT_KIND_CAPSULE || kind == CT_KIND_PLANE) continue;
    const ct_shape shape = {.kind = none ? CT_KIND_BOX : (ct_kind)kind};
    const ct_placed a = none ? (ct_placed){0} : (ct_placed){&shape, &unset}, b = {&ball, &unset};
    for (int swap = 0; swap < 2; swap++) {
      const ct_placed first = swap ? b : a, second = swap ? a : b;
      ct_pair_result r;
      ct_pair_distance(first, second, &(ct_pair_options){0}, workspace, &r);
      CHECK_INT(r.status, CT_PAIR_UNSUPPORTED);
      ct_gradient gradient;
      CHECK(!ct_pair_gradient(&r, point.box.half, point.box.half, &gradient));
      ct_pair_gjk_epa(first, second, &(ct_pair_options){0}, workspace, &r);
      CHECK_INT(r.status, CT_PAIR_UNSUPPORTED);
      CHECK(!ct_pair_overlap(first, second, workspace, NULL));
      CHECK(!ct_pair_gjk_epa_overlap(first, second, workspace, NULL));
      ct_mpr_result m;
      ct_pair_mpr(first, second, &(ct_mpr_options){0}, &m);
      CHECK_INT(m.status, CT_PAIR_UNSUPPORTED);
      ct_manifold manifold;
      ct_pair_contacts(first, second, &(ct_contact_options){0}, workspace, &manifold);
      CHECK_INT(manifold.pair.status, CT_PAIR_UNSUPPORTED);
      CHECK_INT(manifold.count, 0);
      ct_volume volume;
      ct_pair_volume(first, second, &(ct_volume_options){0}, workspace, &volume);
      CHECK_INT(volume.status, CT_PAIR_UNSUPPORTED);
      ct_features features;
      ct_pair_features(first, second, &(ct_features_options){0}, workspace, &features);
      CHECK_INT(features.status, CT_FEATURES_NO_TRIANGLES);
      ct_triangle_pairs triangles;
      ct_pair_triangles(first, second, workspace, &triangles);
      CHECK_INT(triangles.count, 0);
      ct_separating_plane plane;
      CHECK(!ct_pair_separating_plane(first, second, NULL, workspace, &plane));
      CHECK(!ct_pair_overlap_by_plane(first, second, NULL, workspace, &plane, NULL));
      ct_pair_separating_axis(first, second, workspace, &plane);
      CHECK_INT(plane.kind, CT_PLANE_NONE);
    }
    ct_ray_crossing crossing;
    const ct_ray ray = {.direction = {1.0, 0.0, 0.0}, .reach = 9.0};
    CHECK_INT(ct_ray_cross(&ray, a, workspace, &crossing, 1), 0);
    if (none) continue;
    CHECK(ct_shape_aabb(&shape, NULL).min.x == INFINITY);
    const ct_collider collider = {.shape = shape};
    const ct_body *body = NULL;
    CHECK_INT(
        ct_body_create(
            &(ct_body_options){.id = text_of("a"), .colliders = &collider, .collider_count = 1},
            &body),
        CT_LIMIT);
  }
  ct_ray_crossing crossing;
  CHECK_INT(ct_ray_cross(&(ct_ray){0}, (ct_placed){&ball, NULL}, workspace, &crossing, 1), 0);
  ct_gradient gradient;
  CHECK(!ct_pair_gradient(&(ct_pair_result){0}, point.box.half, point.box.half, &gradient));
  ct_vec3 moments;
  ct_quat axes;
  ct_inertia_principal(&(ct_mat3){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}, &moments,
                       &axes);
  CHECK(moments.x == 0.0 && moments.z == 0.0 && fabs(axes.w) == 1.0);
}

/* Every function with a shape that lacks its kind's data. A sphere, a capsule and a plane need
 * none. */
static void functions_of_shapes_without_form_are_safe(void) {
  for (int kind = 0; kind < CT_KIND_COUNT; kind++) {
    if (kind == CT_KIND_SPHERE || kind == CT_KIND_CAPSULE || kind == CT_KIND_PLANE) continue;
    const ct_shape shape = {.kind = (ct_kind)kind};
    ct_shape hull;
    ct_vec3 center;
    double radius;
    ct_mass_properties mass;
    CHECK(!ct_shape_is_surface(&shape));
    CHECK_INT(ct_shape_convex_hull(&shape, NULL, &hull), CT_LIMIT);
    ct_shape_retain(&shape);
    ct_shape_release(&shape);
    CHECK_INT(ct_shape_bytes(&shape), 0);
    CHECK_NEAR(ct_shape_inset_limit(&shape, NULL), 0.0, 0.0);
    CHECK_NEAR(ct_norm(ct_shape_support(&shape, ct_vec(1.0, 0.0, 0.0))), 0.0, 0.0);
    CHECK_INT(ct_shape_surface_at(&shape, ct_vec(0.0, 0.0, 0.0), ct_vec(0.0, 0.0, 1.0)),
              CT_NO_FACE);
    ct_shape_ball(&shape, &center, &radius);
    CHECK_NEAR(radius, 0.0, 0.0);
    CHECK_NEAR(ct_norm(center), 0.0, 0.0);
    CHECK(!ct_shape_mass(&shape, 1.0, &mass));
  }
}

/* Structs that functions fill, passed as zeros to other functions. */
static void zero_results_as_input_are_safe(void) {
  ct_volume_total total;
  CHECK(!ct_volume_add_up(&(ct_volume){0}, &total));
  ct_pair_result r = {0};
  ct_mpr_write_result(&(ct_mpr_result){0}, 0.0, &r);
  CHECK_INT(r.status, CT_PAIR_OK);
  CHECK_INT(r.relation, CT_TOUCHING);
  /* Functions of a view take indices of its elements: a zeroed view has none. */
  const ct_elements_view view = {0};
  for (uint32_t i = 0; i < view.element_count; i++) CHECK(!ct_elements_adjacent(&view, i, i));
  const ct_contact_velocity v =
      ct_contact_relative_velocity(&(ct_contact_set){0}, &(ct_contact){0}, 0.0);
  CHECK_INT(v.velocity_class, CT_CLASS_RESTING);
  CHECK(!v.sliding && v.slip == 0.0 && v.normal == 0.0);
}

/* With a tolerance of zero, Solfec's method equals that of the dual hull. */
static void a_zero_epsilon_is_no_tolerance(void) {
  const ct_frame ahead = {.position = {1.5, 0.25, 0.125}};
  const ct_placed a = {&block, NULL}, b = {&block, &ahead};
  for (int i = 0; i < 2; i++) {
    ct_volume volume;
    ct_pair_volume(a, b, &(ct_volume_options){.method = i ? CT_VOLUME_SOLFEC : CT_VOLUME_DUAL_HULL},
                   workspace, &volume);
    CHECK_INT(volume.count, 1);
    CHECK_NEAR(volume.count == 1 ? volume.contacts[0].volume : 0.0, 0.5 * 1.75 * 1.875, 1e-14);
  }
}

/* Open edges and their holes are reported and not changed. */
static void zero_repair_options_change_nothing(void) {
  static const ct_vec3 corners[3] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
  static const uint32_t triangle[1][3] = {{0, 1, 2}};
  const ct_mesh_data data = {
      .vertices = corners, .vertex_count = 3, .triangles = triangle, .triangle_count = 1};
  ct_mesh_repaired repaired;
  CHECK_INT(ct_mesh_repair(&data, CT_MESH_AUTO, &(ct_mesh_repair_options){0}, NULL, &repaired),
            CT_OK);
  CHECK_INT(repaired.welded + repaired.duplicates + repaired.cap_triangles, 0);
  CHECK_INT(repaired.before.open_edges, 3);
  CHECK_INT(repaired.before.hole_count, 1);
  CHECK_INT(ct_mesh_get(repaired.mesh)->triangle_count, 1);
  ct_mesh_release(repaired.mesh);
  ct_mesh_repaired_free(&repaired);
}

static void zero_mesh_and_elements_data_are_refused(void) {
  ct_mesh *mesh = NULL;
  ct_elements *elements = NULL;
  ct_hull *hull = NULL;
  CHECK_INT(ct_mesh_create(&(ct_mesh_data){0}, CT_MESH_AUTO, NULL, &mesh, NULL),
            CT_DEGENERATE_MESH);
  CHECK_INT(ct_elements_create(&(ct_elements_data){0}, NULL, &elements, NULL), CT_LIMIT);
  CHECK_INT(ct_hull_from_points(NULL, 0, NULL, &hull, NULL), CT_DEGENERATE_HULL);
  CHECK(!mesh && !elements && !hull);
  const ct_contact_state *state = NULL;
  CHECK_INT(ct_contact_state_restore(&(ct_contact_state_data){0}, &state), CT_LIMIT);
  CHECK(!state);
}

/* ---- the list ---- */

static const zero_row rows[] = {
    {"ct_frame ct_placed ct_pose ct_quat ct_vec3 ct_plane_cache ct_pair_options ct_mpr_options "
     "ct_contact_options "
     "ct_volume_options ct_volume_poses ct_mass_properties",
     zero_frames_do_not_turn},
    {"ct_shape ct_collider ct_body_options ct_text", a_zero_shape_is_a_point},
    {"ct_features_options ct_ray ct_mat3 ct_pair_result", shapes_without_form_are_refused},
    {"ct_volume ct_mpr_result ct_elements_view ct_contact_velocity",
     zero_results_as_input_are_safe},
    {"ct_mesh_repair_options", zero_repair_options_change_nothing},
    {"ct_mesh_data ct_elements_data ct_contact_state_data",
     zero_mesh_and_elements_data_are_refused},
};

static void each_row_names_a_fact(void);

#define FACT(name)                                                                                 \
  { #name, name }
static const check_test tests[] = {
    FACT(zero_frames_do_not_turn),
    FACT(a_zero_shape_is_a_point),
    FACT(shapes_without_form_are_refused),
    FACT(functions_of_shapes_without_form_are_safe),
    FACT(zero_results_as_input_are_safe),
    FACT(a_zero_epsilon_is_no_tolerance),
    FACT(zero_repair_options_change_nothing),
    FACT(zero_mesh_and_elements_data_are_refused),
    FACT(each_row_names_a_fact),
};

static void each_row_names_a_fact(void) {
  zero_rows_name_facts(rows, sizeof rows / sizeof rows[0], tests, sizeof tests / sizeof tests[0]);
}

WORKSPACE_MAIN(tests)
