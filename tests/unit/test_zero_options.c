/* Every public struct, zero-initialised: in `taken` those that callers fill, each with the test
 * that shows what it means or that it is refused; in `results` those that functions fill alone. The
 * headers' own list is compared with both by tests/house/zero.py.
 */
#include "tests/support/scenes.h"
#include "tests/support/workspace.h"

#include <contact/toi.h>

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

/* Each function of a shape that lacks what its kind needs. A sphere, a capsule and a plane lack
 * nothing. */
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

/* Structs that functions fill, given to others as zeros. */
static void zero_results_as_input_are_safe(void) {
  ct_volume_total total;
  CHECK(!ct_volume_add_up(&(ct_volume){0}, &total));
  ct_pair_result r = {0};
  ct_mpr_write_result(&(ct_mpr_result){0}, 0.0, &r);
  CHECK_INT(r.status, CT_PAIR_OK);
  CHECK_INT(r.relation, CT_TOUCHING);
  /* Functions of a view take numbers of its elements: a zeroed one has none. */
  const ct_elements_view view = {0};
  for (uint32_t i = 0; i < view.element_count; i++) CHECK(!ct_elements_adjacent(&view, i, i));
  const ct_contact_velocity v =
      ct_contact_relative_velocity(&(ct_contact_set){0}, &(ct_contact){0}, 0.0);
  CHECK_INT(v.velocity_class, CT_CLASS_RESTING);
  CHECK(!v.sliding && v.slip == 0.0 && v.normal == 0.0);
}

/* Without a tolerance the method of Solfec is that of the dual hull. */
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

/* Open edges, and their holes, are found and left. */
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

/* ---- broad phase and sparsification --------------------------------------------------------- */

static void a_zero_limit_of_pairs_allows_none(void) {
  const ct_aabb boxes[2] = {{{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}, {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}};
  ct_pair_list list = {0};
  CHECK_INT(ct_broad_pairs(boxes, 2, &(ct_broad_options){0}, &list, NULL), CT_PAIR_LIMIT);
  ct_pair_list_free(&list);
  list = (ct_pair_list){0};
  CHECK_INT(ct_broad_pairs(boxes, 2, &(ct_broad_options){.limit = 1}, &list, NULL), CT_OK);
  CHECK_INT(list.count, 1); /* zero boxes are closed points in one place */
  ct_pair_list_free(&list);
  ct_sweep *sweep = ct_sweep_create();
  uint32_t number;
  for (int i = 0; i < 2; i++) CHECK_INT(ct_sweep_add(sweep, &boxes[i], &number), CT_OK);
  ct_sweep_frame frame;
  CHECK_INT(ct_sweep_update(sweep, &(ct_sweep_options){0}, &frame), CT_PAIR_LIMIT);
  ct_sweep_destroy(sweep);
}

static void zero_sparsify_options_remove_nothing(void) {
  const ct_sparse_contact contacts[2] = {
      {.id = 0, .area_defined = true, .area = 1.0, .piece_a = 1, .piece_b = 1},
      {.id = 1, .area_defined = true, .area = 1e-9, .piece_a = 2, .piece_b = 2}};
  ct_sparsified out[2];
  CHECK_INT(ct_sparsify(contacts, 2, &(ct_sparsify_options){0}, out), CT_OK);
  CHECK(out[0] == CT_KEPT && out[1] == CT_KEPT);
  CHECK_INT(ct_sparsify(contacts, 2, &(ct_sparsify_options){.threshold = 0.5}, out), CT_OK);
  CHECK(out[0] == CT_KEPT && out[1] == CT_KEPT); /* no word of adjacency: no pieces are */
}

/* ---- scenes --------------------------------------------------------------------------------- */

static bool count_hits(void *context, const ct_hit *hit) {
  (void)hit;
  ++*(size_t *)context;
  return true;
}

static bool keep_probe_hit(void *context, const ct_probe_hit *hit) {
  *(ct_probe_hit *)context = *hit;
  return true;
}

static const ct_scene *two_balls(double apart) {
  const ct_scene *base = ct_scene_create(0);
  ct_draft *draft = ct_draft_begin(base);
  static const ct_motion motion; /* the mass of its colliders */
  const ct_collider collider = {.shape = ball};
  for (int i = 0; i < 2; i++) {
    const ct_body *body;
    CHECK_INT(ct_body_create(&(ct_body_options){.id = text_of(i ? "b" : "a"),
                                                .colliders = &collider,
                                                .collider_count = 1,
                                                .motion = &motion},
                             &body),
              CT_OK);
    add_body(draft, body, (ct_pose){.position = {apart * i, 0.0, 0.0}});
  }
  CHECK_INT(ct_draft_set_filters(draft, &(ct_filters){0}), CT_OK);
  CHECK_INT(ct_draft_set_materials(draft, &(ct_materials){0}), CT_OK);
  CHECK_INT(ct_draft_attach(draft, text_of("x"), &ball, &(ct_attachment_type){0}), CT_LIMIT);
  return seal(draft, base);
}

static void zero_query_options_ask_for_all_pairs(void) {
  const ct_scene *scene = two_balls(1.0), *empty = ct_scene_create(0);
  ct_query *query = NULL;
  size_t hits = 0;
  CHECK_INT(ct_query_prepare(scene, &(ct_query_options){0}, &query), CT_OK);
  CHECK_INT(ct_query_run(query, &(ct_query_range){0}, workspace, count_hits, &hits, NULL), CT_OK);
  CHECK_INT(hits, 0); /* no items */
  CHECK_INT(ct_query_run(query, &(ct_query_range){0, 2, CT_NO_ROW, 0}, workspace, count_hits, &hits,
                         NULL),
            CT_OK);
  CHECK_INT(hits, 1);
  ct_query_destroy(query);
  const ct_row_pair pair = {0};
  const ct_override override = {0};
  ct_query_options bad = {.pairs = &pair, .pair_count = 1, .explicit_pairs = true};
  CHECK_INT(ct_query_prepare(scene, &bad, &query), CT_LIMIT);
  CHECK_INT(ct_query_prepare(
                empty, &(ct_query_options){.overrides = &override, .override_count = 1}, &query),
            CT_LIMIT);
  ct_scene_release(scene);
  ct_scene_release(empty);
}

static void zero_probes_are_safe_or_refused(void) {
  const ct_scene *scene = two_balls(4.0);
  ct_probe *probe = NULL;
  const ct_query_range all = {0, 1, CT_NO_ROW, 0};
  ct_probe_hit hit = {0};
  CHECK_INT(ct_probe_prepare(scene, &(ct_probe_options){0}, &probe), CT_OK);
  CHECK_INT(ct_probe_items(probe), 0);
  ct_probe_destroy(probe);
  const ct_ray ray = {0};
  CHECK_INT(ct_probe_prepare(scene, &(ct_probe_options){.rays = &ray, .count = 1}, &probe),
            CT_LIMIT);
  const ct_vec3 at = {5.5, 0.0, 0.0};
  ct_probe_options nearest = {
      .kind = CT_PROBE_NEAREST, .points = &at, .count = 1, .reach = INFINITY};
  CHECK_INT(ct_probe_prepare(scene, &nearest, &probe), CT_OK);
  CHECK_INT(ct_probe_run(probe, &all, workspace, keep_probe_hit, &hit), CT_OK);
  CHECK_NEAR(hit.distance, 0.5, 1e-12); /* one body, the nearest */
  CHECK(hit.row == 1 && hit.rank == 0);
  ct_probe_destroy(probe);
  CHECK_INT(ct_probe_prepare(scene, &(ct_probe_options){.kind = CT_PROBE_REGION}, &probe), CT_OK);
  CHECK_INT(ct_probe_items(probe), 1); /* a point at the origin: the first ball holds it */
  ct_probe_destroy(probe);
  ct_probe_options box = {.kind = CT_PROBE_REGION, .region = {.kind = CT_KIND_BOX}};
  CHECK_INT(ct_probe_prepare(scene, &box, &probe), CT_LIMIT);
  ct_scene_release(scene);
}

static void zero_contact_events_are_refused(void) {
  const ct_scene *scene = two_balls(4.0);
  ct_contact_event event, next;
  CHECK_INT(ct_contact_event_run(scene, NULL, &(ct_contact_event_options){0}, workspace, &event),
            CT_LIMIT);
  const ct_contact_event_options late = {.time = 1.0, .epsilon = CT_CONTACT_EPSILON};
  CHECK_INT(ct_contact_event_run(scene, NULL, &late, workspace, &event), CT_OK);
  CHECK_INT(
      ct_contact_event_run(scene, event.state, &(ct_contact_event_options){0}, workspace, &next),
      CT_LIMIT);
  ct_contact_monitor monitor = {0};
  CHECK_INT(ct_contact_monitor_run(scene, event.state, &(ct_contact_monitor_options){0}, workspace,
                                   &monitor),
            CT_OK);
  CHECK_NEAR(monitor.z2.value, 2.0, 1e-12);
  ct_contact_state_release(event.state);
  ct_contact_event_free(&event);
  ct_scene_release(scene);
}

static void zero_movers_and_motions_are_safe_or_refused(void) {
  const ct_scene *scene = two_balls(4.0);
  ct_toi impact;
  ct_timeline timeline = {0};
  ct_path *path = NULL;
  CHECK_INT(ct_body_toi((ct_moving_body){0}, (ct_moving_body){0}, &(ct_toi_options){0}, workspace,
                        &impact),
            CT_LIMIT);
  CHECK_INT(ct_body_timeline((ct_moving_body){0}, (ct_moving_body){0}, &(ct_toi_options){0}, 0,
                             workspace, &timeline),
            CT_LIMIT);
  CHECK_INT(ct_path_create(&(ct_path_options){.duration = 4.0}, &path), CT_OK);
  ct_path *coming = NULL;
  const ct_path_options way = {.kind = CT_PATH_TWIST,
                               .duration = 4.0,
                               .start = {.position = {4.0, 0.0, 0.0}},
                               .velocity = {.linear = {-2.0, 0.0, 0.0}}};
  CHECK_INT(ct_path_create(&way, &coming), CT_OK);
  const ct_moving_body a = {ct_scene_body(scene, 0), path}, b = {ct_scene_body(scene, 1), coming};
  CHECK_INT(ct_body_toi(a, b, &(ct_toi_options){.begin = -1.0}, workspace, &impact), CT_LIMIT);
  CHECK_INT(ct_body_toi(a, b, &(ct_toi_options){.begin = 1.0}, workspace, &impact), CT_LIMIT);
  CHECK_INT(ct_body_toi(a, b, &(ct_toi_options){.end = 5.0}, workspace, &impact), CT_LIMIT);
  CHECK_INT(ct_body_toi(a, b, &(ct_toi_options){.end = NAN}, workspace, &impact), CT_LIMIT);
  CHECK_INT(ct_body_toi(a, b, &(ct_toi_options){0}, workspace, &impact), CT_OK);
  CHECK_INT(impact.event, CT_TOI_NONE);
  /* Limit and iterations of 0 are the standard ones: they touch after 1 s and part after 3 s. */
  CHECK_INT(ct_body_timeline(a, b, &(ct_toi_options){.end = 4.0}, 0, workspace, &timeline), CT_OK);
  CHECK_INT(timeline.status, CT_TIMELINE_COMPLETE);
  CHECK_INT(timeline.count, 2);
  CHECK_NEAR(timeline.count == 2 ? timeline.changes[0].time : 0.0, 1.0, 1e-9);
  CHECK_NEAR(timeline.count == 2 ? timeline.changes[1].time : 0.0, 3.0, 1e-9);
  ct_timeline_free(&timeline);
  ct_motion_query *query = NULL;
  CHECK_INT(ct_motion_prepare(scene, &(ct_motion_options){0}, &query), CT_OK);
  CHECK_INT(ct_motion_candidates(query), 0);
  ct_motion_destroy(query);
  const ct_row_motion moving = {0};
  const ct_row_pair pair = {0};
  CHECK_INT(
      ct_motion_prepare(scene, &(ct_motion_options){.moving = &moving, .moving_count = 1}, &query),
      CT_LIMIT);
  CHECK_INT(ct_motion_prepare(
                scene,
                &(ct_motion_options){.pairs = &pair, .pair_count = 1, .explicit_pairs = true},
                &query),
            CT_LIMIT);
  ct_path_destroy(path);
  ct_path_destroy(coming);
  ct_scene_release(scene);
}

/* ---- forces and solvers --------------------------------------------------------------------- */

static void zero_mechanics_are_safe_or_refused(void) {
  const ct_scene *scene = two_balls(4.0);
  ct_arena *arena = ct_arena_create();
  ct_mechanics *mechanics = NULL;
  CHECK_INT(ct_mechanics_prepare(scene, &(ct_mechanics_options){0}, workspace, &mechanics), CT_OK);
  CHECK_INT(ct_mechanics_islands(mechanics), 2);
  ct_compliant_answer answer = {0};
  CHECK_INT(ct_compliant_solve(scene, mechanics, &(ct_compliant_options){0}, &answer), CT_OK);
  CHECK_INT(answer.count, 0);
  ct_compliant_answer_free(&answer);
  ct_mechanics_destroy(mechanics);
  const ct_given_contact given = {0};
  CHECK_INT(ct_mechanics_prepare(
                scene,
                &(ct_mechanics_options){.given = &given, .given_count = 1, .only_given = true},
                workspace, &mechanics),
            CT_LIMIT);
  const ct_contact contact = {0};
  const ct_mass_body bodies[2] = {{.mobility = CT_FIXED}, {.mobility = CT_FIXED}};
  ct_contact_impulse impulses[1];
  ct_velocity velocities[2];
  ct_impulse_result result = {.contacts = impulses, .velocities = velocities};
  CHECK_INT(ct_impulse_solve(&(ct_contact_set){0}, &(ct_impulse_options){0}, arena, &result),
            CT_OK);
  CHECK(result.converged && result.energy_after == 0.0);
  const ct_contact_set set = {bodies, 2, &contact, 1};
  CHECK_INT(ct_impulse_solve(&set, &(ct_impulse_options){0}, arena, &result), CT_LIMIT);
  ct_contact_force forces[1];
  ct_body_acceleration accelerations[2];
  ct_resting_result rest = {.contacts = forces, .bodies = accelerations};
  CHECK_INT(ct_resting_solve(&(ct_contact_set){0}, &(ct_resting_options){0}, arena, &rest), CT_OK);
  CHECK(rest.converged && rest.status == CT_RESTING_STATUS_OK);
  CHECK_INT(ct_resting_solve(&set, &(ct_resting_options){0}, arena, &rest), CT_LIMIT);
  CHECK_INT(ct_resting_solve(&(ct_contact_set){0},
                             &(ct_resting_options){.friction = CT_RESTING_FRICTION_CONE}, arena,
                             &rest),
            CT_LIMIT);
  ct_arena_destroy(arena);
  ct_scene_release(scene);
}

static void zero_advances_are_refused(void) {
  const ct_scene *scene = two_balls(4.0);
  ct_advance *advance = NULL;
  for (int mode = 0; mode < CT_ADVANCE_MODE_COUNT; mode++) {
    CHECK_INT(
        ct_advance_create(scene, &(ct_advance_options){.mode = (ct_advance_mode)mode}, &advance),
        CT_LIMIT);
    CHECK_INT(
        ct_advance_create(
            scene, &(ct_advance_options){.mode = (ct_advance_mode)mode, .duration = 1.0}, &advance),
        CT_LIMIT);
    CHECK_INT(ct_advance_create(
                  scene, &(ct_advance_options){.mode = (ct_advance_mode)mode, .time_step = 1.0},
                  &advance),
              CT_LIMIT);
  }
  CHECK(advance == NULL);
  /* With nothing but the two: a free fall of the standard kind, v = g t. */
  ct_arena *arena = ct_arena_create();
  const ct_advance_options fall = {
      .duration = 1.0, .time_step = 0.25, .gravity = {0.0, 0.0, -10.0}};
  bool done = false;
  CHECK_INT(ct_advance_create(scene, &fall, &advance), CT_OK);
  for (int i = 0; i < 4; i++) CHECK_INT(ct_advance_step(advance, workspace, arena, &done), CT_OK);
  CHECK(done);
  ct_pose pose;
  ct_velocity velocity;
  ct_advance_body(advance, 0, &pose, &velocity);
  CHECK_NEAR(velocity.linear.z, -10.0, 1e-12);
  CHECK_NEAR(pose.position.z, -5.0, 1e-12);
  ct_advance_destroy(advance);
  ct_arena_destroy(arena);
  ct_scene_release(scene);
}

static void zero_elastic_structs_give_no_force(void) {
  const ct_elastic_options in_force = ct_elastic_options_effective(&(ct_elastic_options){0});
  CHECK(in_force.small_velocity == 0.01 && in_force.stiffness_factor == 1.0 &&
        in_force.damping_max == 2000.0);
  const ct_elastic_solid nothing = {0}, steel = {2e11, 0.3, 1.0, false};
  const ct_pair_material material = ct_material_combine(&(ct_material){0}, &(ct_material){0});
  CHECK(material.static_friction == 0.0 && material.restitution == 0.0);
  const ct_elastic_solid *solids[] = {&nothing, &steel};
  for (int i = 0; i < 2; i++) {
    const ct_elastic_pair pair =
        ct_elastic_pair_of(&nothing, solids[i], &material, 0.0, &(ct_elastic_options){0});
    CHECK(pair.c_res == 0.0 && pair.mu_geo == 0.0 && pair.c_geo == 0.0);
    const ct_mass_body bodies[2] = {{.mobility = CT_FIXED}, {.mobility = CT_FIXED}};
    const ct_contact contact = {.b = 1, .normal = {1.0, 0.0, 0.0}, .distance = -1.0};
    const ct_contact_set set = {bodies, 2, &contact, 1};
    const ct_compliant_force force =
        ct_compliant_law(&pair, &set, &contact, &(ct_elastic_options){0});
    CHECK(force.normal == 0.0 && force.force.x == 0.0 && force.torque.x == 0.0);
  }
}

static void zero_problems_have_no_rows_or_are_refused(void) {
  ct_arena *arena = ct_arena_create();
  double z[1], w[1];
  ct_lcp_result lcp = {.z = z, .w = w};
  CHECK_INT(ct_lcp_solve(&(ct_lcp){0}, &(ct_lcp_options){0}, arena, &lcp), CT_OK);
  CHECK(lcp.converged);
  CHECK_INT(ct_lcp_solve(&(ct_lcp){.matrix = {.size = 1}}, &(ct_lcp_options){0}, arena, &lcp),
            CT_LIMIT);
  const double one = 2.0, minus = -6.0;
  const ct_lcp single = {{1, &one, NULL, NULL, NULL}, &minus};
  CHECK_INT(ct_lcp_solve(&single, &(ct_lcp_options){0}, arena, &lcp), CT_OK);
  CHECK_NEAR(z[0], 3.0, 1e-15);
  double r[3], u[3];
  ct_friction_result friction = {.r = r, .u = u};
  CHECK_INT(
      ct_friction_solve(&(ct_friction_problem){0}, &(ct_friction_options){0}, arena, &friction),
      CT_LIMIT);
  CHECK_INT(ct_friction_solve(&(ct_friction_problem){.dimension = 3}, &(ct_friction_options){0},
                              arena, &friction),
            CT_OK);
  CHECK(friction.converged && friction.residual == 0.0);
  CHECK_INT(ct_friction_solve(&(ct_friction_problem){.dimension = 3, .contacts = 1},
                              &(ct_friction_options){0}, arena, &friction),
            CT_LIMIT);
  const double unit[9] = {2.0, 0, 0, 0, 2.0, 0, 0, 0, 2.0}, q[3] = {-6.0, 1.0, 0.0}, mu = 1.0;
  const ct_friction_problem stick = {{3, unit, NULL, NULL, NULL}, q, &mu, 1, 3};
  CHECK_INT(ct_friction_solve(&stick, &(ct_friction_options){0}, arena, &friction), CT_OK);
  CHECK_NEAR(r[0], 3.0, 1e-7);
  CHECK_NEAR(r[1], -0.5, 1e-7);
  ct_arena_destroy(arena);
}

static void zero_parts_of_scenes_and_mechanics_change_nothing(void) {
  const ct_scene *base = two_balls(4.0), *empty = ct_scene_create(0);
  ct_draft *draft = ct_draft_begin(base);
  const ct_group_rule group = {0};
  const ct_pair_rule rule = {0};
  CHECK_INT(ct_draft_set_filters(draft, &(ct_filters){&group, 1, &rule, 1}), CT_OK);
  const ct_named_material named = {0};
  const ct_material_pair pair = {0};
  CHECK_INT(ct_draft_set_materials(draft, &(ct_materials){&named, 1, &pair, 1}), CT_OK);
  const ct_scene *scene = seal(draft, base);
  CHECK(ct_scene_filter_verdict(scene, 0, 1).collide);
  CHECK(ct_scene_pair_material(scene, (ct_text){0}, (ct_text){0}).static_friction == 0.0);
  const ct_load load = {0};
  const ct_row_velocity velocity = {0};
  const ct_query_sparsify sparsify = {0};
  const ct_mechanics_volumes volumes = {.sparsify = &sparsify};
  ct_mechanics *mechanics = NULL;
  ct_mechanics_options options = {.loads = &load,
                                  .load_count = 1,
                                  .velocities = &velocity,
                                  .velocity_count = 1,
                                  .volumes = &volumes};
  CHECK_INT(ct_mechanics_prepare(scene, &options, workspace, &mechanics), CT_OK);
  CHECK_INT(ct_mechanics_count(mechanics), 0);
  ct_mechanics_destroy(mechanics);
  options.velocity_count = 0;
  CHECK_INT(ct_mechanics_prepare(empty, &options, workspace, &mechanics), CT_LIMIT);
  options.load_count = 0;
  options.velocity_count = 1;
  CHECK_INT(ct_mechanics_prepare(empty, &options, workspace, &mechanics), CT_LIMIT);
  ct_scene_release(scene);
  ct_scene_release(empty);
}

/* ---- the list ------------------------------------------------------------------------------- */

/* What callers fill. */
static const struct {
  const char *names;
  void (*test)(void);
} taken[] = {
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
    {"ct_broad_options ct_sweep_options ct_aabb ct_pair_list", a_zero_limit_of_pairs_allows_none},
    {"ct_sparsify_options ct_sparse_contact", zero_sparsify_options_remove_nothing},
    {"ct_query_options ct_query_range ct_row_pair ct_override ct_filters ct_materials "
     "ct_attachment_type ct_motion",
     zero_query_options_ask_for_all_pairs},
    {"ct_probe_options", zero_probes_are_safe_or_refused},
    {"ct_contact_event_options ct_contact_monitor_options ct_contact_monitor",
     zero_contact_events_are_refused},
    {"ct_moving_body ct_toi_options ct_timeline ct_path_options ct_motion_options ct_row_motion "
     "ct_velocity",
     zero_movers_and_motions_are_safe_or_refused},
    {"ct_mechanics_options ct_given_contact ct_contact ct_mass_body ct_contact_set "
     "ct_impulse_options ct_impulse_result "
     "ct_resting_options ct_resting_result ct_compliant_options ct_compliant_answer",
     zero_mechanics_are_safe_or_refused},
    {"ct_load ct_row_velocity ct_query_sparsify ct_mechanics_volumes ct_group_rule ct_pair_rule "
     "ct_named_material "
     "ct_material_pair",
     zero_parts_of_scenes_and_mechanics_change_nothing},
    {"ct_advance_options", zero_advances_are_refused},
    {"ct_elastic_options ct_elastic_solid ct_elastic_pair ct_material ct_pair_material",
     zero_elastic_structs_give_no_force},
    {"ct_lcp ct_lcp_options ct_lcp_result ct_matrix ct_friction_problem ct_friction_options "
     "ct_friction_result",
     zero_problems_have_no_rows_or_are_refused},
};

/* What functions fill alone, or what has a meaning only inside of what they filled. No function
 * takes one of them by value or by a pointer to const: tests/house/zero.py compares this with the
 * headers. */
static const char results[] =
    "ct_acceleration ct_advance_event ct_advance_state ct_attachment ct_body_acceleration "
    "ct_body_sum ct_broad_statistics ct_collider_pair ct_compliant_contact ct_compliant_force "
    "ct_contact_change ct_contact_ended ct_contact_event ct_contact_name ct_contact_point "
    "ct_contact_record ct_contact_side ct_dual_point ct_element_form "
    "ct_elements_report ct_feature ct_features ct_filter_verdict "
    "ct_frame_pairs ct_friction_bodies ct_gradient ct_graze ct_hit ct_hull_report ct_hull_view "
    "ct_toi ct_island ct_manifold ct_mesh_foot ct_mesh_hit ct_mesh_node ct_mesh_report "
    "ct_mesh_defects ct_mesh_edge ct_mesh_hole ct_mesh_repaired "
    "ct_mesh_view ct_motion_hit ct_pair_feature ct_pair_feature_point "
    "ct_pair_index ct_pose_gradient ct_probe_hit ct_query_frame ct_range_statistics "
    "ct_ray_crossing ct_separating_plane ct_stage_face ct_stage_vertex ct_surface "
    "ct_sweep_frame ct_contact_force ct_contact_impulse ct_triangle_pair ct_triangle_pairs "
    "ct_volume_contact ct_volume_stages ct_volume_total ct_volume_triangle "
    "ct_zero_crossing";

/* How often a text names a struct, as a word. */
static int times(const char *text, const char *name) {
  size_t length = strlen(name);
  int found = 0;
  for (const char *at = strstr(text, name); at; at = strstr(at + 1, name))
    found += (at == text || at[-1] == ' ') && (at[length] == ' ' || at[length] == 0);
  return found;
}

static void each_struct_is_listed_once(void) {
  char name[64];
  size_t count = sizeof taken / sizeof taken[0];
  for (size_t i = 0; i <= count; i++)
    for (const char *at = i < count ? taken[i].names : results; *at;) {
      size_t length = strcspn(at, " ");
      snprintf(name, sizeof name, "%.*s", (int)length, at);
      int found = times(results, name);
      for (size_t k = 0; k < count; k++) found += times(taken[k].names, name);
      if (found != 1) CHECK_FAIL("%s is listed %d times", name, found);
      at += length + (at[length] == ' ');
    }
}

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
    FACT(a_zero_limit_of_pairs_allows_none),
    FACT(zero_sparsify_options_remove_nothing),
    FACT(zero_query_options_ask_for_all_pairs),
    FACT(zero_probes_are_safe_or_refused),
    FACT(zero_contact_events_are_refused),
    FACT(zero_movers_and_motions_are_safe_or_refused),
    FACT(zero_mechanics_are_safe_or_refused),
    FACT(zero_parts_of_scenes_and_mechanics_change_nothing),
    FACT(zero_advances_are_refused),
    FACT(zero_elastic_structs_give_no_force),
    FACT(zero_problems_have_no_rows_or_are_refused),
    FACT(each_struct_is_listed_once),
};

WORKSPACE_MAIN(tests)
