/* Every public struct that callers fill, zero-initialised: its meaning, or the status that refuses
 * it. This program has the structs of the broad phase, scenes, motion, forces and solvers; those of
 * shapes and meshes are in test_zero_shapes.c. The list at the end of each program names the
 * structs and the test of each, or NULL for structs that only functions fill. tests/house/zero.py
 * compares both lists with the headers. */
#include "tests/support/scenes.h"
#include "tests/support/workspace.h"
#include "tests/support/zero_rows.h"

#include <contact/toi.h>

static const ct_shape ball = {.kind = CT_KIND_SPHERE, .sphere = {1.0}};

/* ---- broad phase and sparsification --------------------------------------------------------- */

static void a_zero_limit_of_pairs_allows_none(void) {
  const ct_aabb boxes[2] = {{{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}, {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}};
  ct_pair_list list = {0};
  CHECK_INT(ct_broad_pairs(boxes, 2, &(ct_broad_options){0}, &list, NULL), CT_PAIR_LIMIT);
  ct_pair_list_free(&list);
  list = (ct_pair_list){0};
  CHECK_INT(ct_broad_pairs(boxes, 2, &(ct_broad_options){.limit = 1}, &list, NULL), CT_OK);
  CHECK_INT(list.count, 1); /* zero boxes are closed points at one position */
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
  CHECK(out[0] == CT_KEPT &&
        out[1] == CT_KEPT); /* without an adjacency function no pieces are adjacent */
}

/* ---- scenes --------------------------------------------------------------------------------- */

static bool count_pairs(void *context, const ct_pair_hit *hit) {
  (void)hit;
  ++*(size_t *)context;
  return true;
}

static bool count_overlaps(void *context, const ct_overlap_hit *hit) {
  *(size_t *)context += hit->overlap;
  return true;
}

static bool count_distances(void *context, const ct_distance_hit *hit) {
  *(size_t *)context += hit->overlap;
  return true;
}

static bool count_contacts(void *context, const ct_contacts_hit *hit) {
  *(size_t *)context += hit->point_count;
  return true;
}

static bool count_volumes(void *context, const ct_volume_hit *hit) {
  *(size_t *)context += hit->contact != NULL;
  return true;
}

static bool count_features(void *context, const ct_feature_hit *hit) {
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

static const ct_query_range two_rows = {0, 2, CT_NO_ROW, 0};

static void zero_query_options_ask_for_all_pairs(void) {
  const ct_scene *scene = two_balls(1.0), *empty = ct_scene_create(0);
  const ct_query_options zero = {0};
  ct_query *query = NULL;
  size_t hits = 0;
  CHECK_INT(ct_query_prepare_pairs(scene, &zero, NULL, &query), CT_OK);
  CHECK_INT(ct_query_run_pairs(query, &(ct_query_range){0}, count_pairs, &hits, NULL), CT_OK);
  CHECK_INT(hits, 0); /* no items */
  CHECK_INT(ct_query_run_pairs(query, &two_rows, count_pairs, &hits, NULL), CT_OK);
  CHECK_INT(hits, 1);
  ct_query_destroy(query);
  const ct_row_pair pair = {0};
  const ct_override override = {0};
  ct_query_options bad = {.pairs = &pair, .pair_count = 1, .explicit_pairs = true};
  CHECK_INT(ct_query_prepare_pairs(scene, &bad, NULL, &query), CT_LIMIT);
  CHECK_INT(ct_query_prepare_pairs(empty,
                                   &(ct_query_options){.overrides = &override, .override_count = 1},
                                   NULL, &query),
            CT_LIMIT);
  ct_scene_release(scene);
  ct_scene_release(empty);
}

/* Two balls of radius 1 at a distance of 1: every kind of query has one hit, except features, which
 * need triangles. Running a query as another kind than it was prepared for gives CT_LIMIT. */
static void zero_questions_have_the_answers_of_their_defaults(void) {
  const ct_scene *scene = two_balls(1.0);
  const ct_query_options zero = {0};
  ct_query *query = NULL;
  size_t hits[5] = {0};
  CHECK_INT(ct_query_prepare_overlaps(scene, &zero, &(ct_query_overlap_options){0}, &query), CT_OK);
  CHECK_INT(ct_query_run_overlaps(query, &two_rows, workspace, count_overlaps, &hits[0], NULL),
            CT_OK);
  CHECK_INT(ct_query_run_pairs(query, &two_rows, count_pairs, &hits[4], NULL), CT_LIMIT);
  ct_query_destroy(query);
  CHECK_INT(ct_query_prepare_distances(scene, &zero, &(ct_query_distance_options){0}, &query),
            CT_OK);
  CHECK_INT(ct_query_run_distances(query, &two_rows, workspace, count_distances, &hits[1], NULL),
            CT_OK);
  CHECK_INT(ct_query_run_overlaps(query, &two_rows, workspace, count_overlaps, &hits[4], NULL),
            CT_LIMIT);
  ct_query_destroy(query);
  CHECK_INT(ct_query_prepare_contacts(scene, &zero, &(ct_query_contacts_options){0}, &query),
            CT_OK);
  CHECK_INT(ct_query_run_contacts(query, &two_rows, workspace, count_contacts, &hits[2], NULL),
            CT_OK);
  CHECK_INT(ct_query_run_distances(query, &two_rows, workspace, count_distances, &hits[4], NULL),
            CT_LIMIT);
  ct_query_destroy(query);
  CHECK_INT(ct_query_prepare_volumes(scene, &zero, &(ct_query_volume_options){0}, &query), CT_OK);
  CHECK_INT(ct_query_run_volumes(query, &two_rows, workspace, count_volumes, &hits[3], NULL),
            CT_OK);
  CHECK_INT(ct_query_run_contacts(query, &two_rows, workspace, count_contacts, &hits[4], NULL),
            CT_LIMIT);
  CHECK_INT(ct_query_run_features(query, &two_rows, workspace, count_features, &hits[4], NULL),
            CT_LIMIT);
  ct_query_destroy(query);
  CHECK_INT(ct_query_prepare_features(scene, &zero, NULL, &query), CT_OK);
  CHECK_INT(ct_query_run_features(query, &two_rows, workspace, count_features, &hits[4], NULL),
            CT_OK);
  CHECK_INT(ct_query_run_volumes(query, &two_rows, workspace, count_volumes, &hits[4], NULL),
            CT_LIMIT);
  ct_query_destroy(query);
  for (int k = 0; k < 4; k++) CHECK_INT(hits[k], 1);
  CHECK_INT(hits[4], 0);
  ct_scene_release(scene);
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
  CHECK_INT(ct_probe_items(probe), 1); /* a point at the origin: the first ball contains it */
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
  /* Limit and iterations of 0 select the defaults: the balls touch after 1 s and part after 3 s. */
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

/* A zeroed contact joins a body with itself, which no step finds in contact. */
static void zero_advance_contacts_end_at_the_first_step(void) {
  const ct_scene *scene = two_balls(4.0);
  ct_arena *arena = ct_arena_create();
  for (int mode = 0; mode < CT_ADVANCE_COMPLIANT; mode++) {
    const ct_advance_options options = {
        .mode = (ct_advance_mode)mode, .duration = 1.0, .time_step = 0.25, .contact_events = true};
    const ct_advance_contact zero = {0};
    ct_advance *advance = NULL;
    bool done = false;
    size_t count = 0;
    CHECK_INT(ct_advance_create(scene, &options, &advance), CT_OK);
    CHECK_INT(ct_advance_set_contacts(advance, &zero, 1), CT_OK);
    CHECK_INT(ct_advance_step(advance, workspace, arena, &done), CT_OK);
    const ct_advance_event *events = ct_advance_events(advance, &count);
    CHECK_INT(count, 1);
    if (count == 1) CHECK_INT(events[0].kind, CT_ADVANCE_EVENT_ENDED);
    (void)ct_advance_contacts(advance, &count);
    CHECK_INT(count, 0);
    ct_advance_destroy(advance);
  }
  ct_arena_destroy(arena);
  ct_scene_release(scene);
}

/* The last step ends with the duration: in a free fall of t, v = g t. */
static void a_time_step_longer_than_the_duration_is_one_step(void) {
  const ct_scene *scene = two_balls(4.0);
  ct_arena *arena = ct_arena_create();
  for (int mode = 0; mode <= CT_ADVANCE_IMPULSES; mode++) {
    const ct_advance_options fall = {.mode = (ct_advance_mode)mode,
                                     .duration = 1e-4,
                                     .time_step = CT_DURATION_MAX,
                                     .gravity = {0.0, 0.0, -10.0}};
    ct_advance *advance = NULL;
    bool done = false;
    CHECK_INT(ct_advance_create(scene, &fall, &advance), CT_OK);
    CHECK_INT(ct_advance_step(advance, workspace, arena, &done), CT_OK);
    CHECK(done && ct_advance_now(advance).time == 1e-4);
    ct_pose pose;
    ct_velocity velocity;
    ct_advance_body(advance, 0, &pose, &velocity);
    CHECK_NEAR(velocity.linear.z, -1e-3, 1e-15);
    ct_advance_destroy(advance);
  }
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
  static const double bad[] = {-1.0, NAN};
  for (size_t i = 0; i < 2; i++) {
    const ct_advance_options options[] = {
        {.duration = bad[i], .time_step = 0.25},
        {.duration = 1.0, .time_step = bad[i]},
        {.duration = 1.0, .time_step = 0.25, .contact_tolerance = bad[i]},
        {.duration = 1.0, .time_step = 0.25, .velocity_tolerance = bad[i]},
        {.duration = 1.0, .time_step = 0.25, .rest_velocity = bad[i]},
        {.duration = 1.0, .time_step = 0.25, .margin = bad[i]},
        {.duration = 1.0, .time_step = 0.25, .tolerance = bad[i]},
        {.duration = 1.0, .time_step = 0.25, .separation_speed = bad[i]},
        {.duration = 1.0, .time_step = INFINITY},
        {.duration = 1.0, .time_step = 0.25, .loads = &(ct_load){.row = 2}, .load_count = 1},
        {.duration = 1.0, .time_step = 0.25, .mode = CT_ADVANCE_MODE_COUNT},
        {.duration = 1.0, .time_step = 0.25, .contact_law = CT_CONTACT_LAW_COUNT}};
    for (size_t k = 0; k < sizeof options / sizeof options[0]; k++)
      CHECK_INT(ct_advance_create(scene, &options[k], &advance), CT_LIMIT);
  }
  CHECK(advance == NULL);
  /* With only the two required members: a free fall with the default method, v = g t. */
  ct_arena *arena = ct_arena_create();
  const ct_advance_options fall = {
      .duration = 1.0, .time_step = 0.25, .gravity = {0.0, 0.0, -10.0}};
  bool done = false;
  CHECK_INT(ct_advance_create(scene, &fall, &advance), CT_OK);
  size_t count = 1; /* contacts are not reported unless the options say so */
  const ct_advance_contact contact = {.row_b = 1};
  CHECK_INT(ct_advance_set_contacts(advance, &contact, 1), CT_OK);
  (void)ct_advance_contacts(advance, &count);
  CHECK_INT(count, 0);
  const ct_load lost = {.row = 2, .force = {1.0, 0.0, 0.0}};
  CHECK_INT(ct_advance_set_loads(advance, &lost, 1), CT_LIMIT);
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

/* ---- the list ---- */

static const zero_row rows[] = {
    {"ct_broad_options ct_sweep_options ct_aabb ct_pair_list", a_zero_limit_of_pairs_allows_none},
    {"ct_sparsify_options ct_sparse_contact", zero_sparsify_options_remove_nothing},
    {"ct_query_options ct_query_range ct_row_pair ct_override ct_filters ct_materials "
     "ct_attachment_type ct_motion",
     zero_query_options_ask_for_all_pairs},
    {"ct_query_overlap_options ct_query_distance_options ct_query_contacts_options "
     "ct_query_volume_options",
     zero_questions_have_the_answers_of_their_defaults},
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
    {"ct_advance_contact", zero_advance_contacts_end_at_the_first_step},
    {"ct_elastic_options ct_elastic_solid ct_elastic_pair ct_material ct_pair_material",
     zero_elastic_structs_give_no_force},
    {"ct_lcp ct_lcp_options ct_lcp_result ct_matrix ct_friction_problem ct_friction_options "
     "ct_friction_result",
     zero_problems_have_no_rows_or_are_refused},
    /* Structs that only functions fill, or that have a meaning only inside of these. No function
       takes one of them by value or by a pointer to const. */
    {"ct_acceleration ct_advance_event ct_advance_state ct_attachment "
     "ct_body_acceleration "
     "ct_body_sum ct_broad_statistics ct_collider_pair ct_compliant_contact ct_compliant_force "
     "ct_contact_change ct_contact_ended ct_contact_event ct_contact_name ct_contact_point "
     "ct_contact_record ct_contact_side ct_dual_point ct_element_form "
     "ct_elements_report ct_error_scale ct_feature ct_features ct_filter_verdict "
     "ct_frame_pairs ct_friction_bodies ct_gradient ct_graze ct_pair_hit ct_overlap_hit "
     "ct_distance_hit "
     "ct_contacts_hit ct_volume_hit ct_feature_hit ct_hit_position ct_hull_report ct_hull_view "
     "ct_toi ct_island ct_manifold ct_mesh_foot ct_mesh_hit ct_mesh_node ct_mesh_report "
     "ct_mesh_defects ct_mesh_edge ct_mesh_hole ct_mesh_repaired "
     "ct_mesh_view ct_motion_hit ct_pair_feature ct_pair_feature_point "
     "ct_pair_index ct_pose_gradient ct_probe_hit ct_query_frame ct_range_statistics "
     "ct_ray_crossing ct_separating_plane ct_stage_face ct_stage_vertex ct_surface "
     "ct_sweep_frame ct_contact_force ct_contact_impulse ct_triangle_pair ct_triangle_pairs "
     "ct_volume_contact ct_volume_stages ct_volume_total ct_volume_triangle "
     "ct_zero_crossing",
     NULL},
};

static void each_row_names_a_fact(void);

#define FACT(name)                                                                                 \
  { #name, name }
static const check_test tests[] = {
    FACT(a_zero_limit_of_pairs_allows_none),
    FACT(zero_sparsify_options_remove_nothing),
    FACT(zero_query_options_ask_for_all_pairs),
    FACT(zero_questions_have_the_answers_of_their_defaults),
    FACT(zero_probes_are_safe_or_refused),
    FACT(zero_contact_events_are_refused),
    FACT(zero_movers_and_motions_are_safe_or_refused),
    FACT(zero_mechanics_are_safe_or_refused),
    FACT(zero_parts_of_scenes_and_mechanics_change_nothing),
    FACT(zero_advances_are_refused),
    FACT(a_time_step_longer_than_the_duration_is_one_step),
    FACT(zero_advance_contacts_end_at_the_first_step),
    FACT(zero_elastic_structs_give_no_force),
    FACT(zero_problems_have_no_rows_or_are_refused),
    FACT(each_row_names_a_fact),
};

static void each_row_names_a_fact(void) {
  zero_rows_name_facts(rows, sizeof rows / sizeof rows[0], tests, sizeof tests / sizeof tests[0]);
}

WORKSPACE_MAIN(tests)
