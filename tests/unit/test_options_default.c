/* ct_*_options_default: each query runs twice, with a zeroed options struct and with the defaults.
 * Required members are set in both. The results are the same, bit for bit.
 */
#include "tests/support/scenes.h"
#include "tests/support/workspace.h"

/* The results as numbers, with zeros and with defaults. */
static double noted[2][64];
static size_t counts[2];
static int use_defaults;

#define OPTIONS(type) (use_defaults ? type##_default() : (type){0})

static void note(double number) {
  if (counts[use_defaults] < 64) noted[use_defaults][counts[use_defaults]++] = number;
}

static void note_vector(ct_vec3 v) {
  note(v.x);
  note(v.y);
  note(v.z);
}

/* Runs `query` twice; it records at least `least` numbers. */
static void compare(void (*query)(void), size_t least) {
  for (use_defaults = 0; use_defaults < 2; use_defaults++) {
    counts[use_defaults] = 0;
    query();
  }
  CHECK_INT(counts[1], counts[0]);
  CHECK(counts[0] >= least && counts[0] < 64);
  for (size_t i = 0; i < counts[0]; i++)
    if (memcmp(&noted[0][i], &noted[1][i], sizeof(double)) != 0)
      CHECK_FAIL("number %zu is %.17g with zeros, %.17g with defaults", i, noted[0][i],
                 noted[1][i]);
}

/* ---- pairs ---------------------------------------------------------------------------------- */

static const ct_shape block = {.kind = CT_KIND_BOX, .box = {{1.0, 2.0, 0.5}}};
static const ct_shape egg = {.kind = CT_KIND_ELLIPSOID, .ellipsoid = {{1.0, 1.5, 0.75}}};

static void query_pairs(void) {
  const ct_frame tilted = ct_frame_of((ct_pose){{2.25, 1.0, 0.25}, {0.1, 0.2, 0.3, 0.9}});
  const ct_frame near = ct_frame_of((ct_pose){{1.25, 1.0, 0.25}, {0.1, 0.2, 0.3, 0.9}});
  const ct_placed here = {&block, NULL}, there = {&egg, &tilted}, inside = {&block, &near};
  const ct_pair_options options = OPTIONS(ct_pair_options);
  ct_pair_result r;
  ct_pair_distance(here, there, &options, workspace, &r);
  note(r.distance);
  note(r.lower_bound);
  note_vector(r.point_a);
  const ct_mpr_options portal = OPTIONS(ct_mpr_options);
  ct_mpr_result m;
  ct_pair_mpr(here, there, &portal, &m);
  note(m.distance);
  note(m.iterations);
  const ct_contact_options contact = OPTIONS(ct_contact_options);
  ct_manifold manifold;
  ct_pair_contacts(here, inside, &contact, workspace, &manifold);
  note((double)manifold.count);
  note(manifold.pair.distance);
  const ct_volume_options solid = OPTIONS(ct_volume_options);
  ct_volume volume;
  ct_pair_volume(here, inside, &solid, workspace, &volume);
  note((double)volume.count);
  note(volume.count ? volume.contacts[0].volume : 0.0);
}

static void pairs_are_the_same(void) { compare(query_pairs, 10); }

static const ct_vec3 corners[4] = {
    {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
static const uint32_t faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};

static void query_meshes(void) {
  const ct_mesh_data closed = {
      .vertices = corners, .vertex_count = 4, .triangles = faces, .triangle_count = 4};
  const ct_mesh_data open = {
      .vertices = corners, .vertex_count = 4, .triangles = faces, .triangle_count = 3};
  ct_mesh *mesh = NULL;
  CHECK_INT(ct_mesh_create(&closed, CT_MESH_AUTO, NULL, &mesh, NULL), CT_OK);
  const ct_shape shape = {.kind = CT_KIND_MESH, .mesh = mesh};
  const ct_frame moved = {.position = {0.25, 0.125, 0.0625}};
  const ct_features_options options = OPTIONS(ct_features_options);
  ct_features features;
  ct_pair_features((ct_placed){&shape, NULL}, (ct_placed){&shape, &moved}, &options, workspace,
                   &features);
  note((double)features.count);
  for (size_t i = 0; i < features.count; i++) note(features.items[i].distance);
  ct_mesh_release(mesh);
  ct_mesh_repair_options repair = OPTIONS(ct_mesh_repair_options);
  repair.cap_holes = true;
  ct_mesh_repaired repaired;
  CHECK_INT(ct_mesh_repair(&open, CT_MESH_SOLID, &repair, NULL, &repaired), CT_OK);
  note(repaired.cap_triangles);
  ct_mesh_release(repaired.mesh);
  ct_mesh_repaired_free(&repaired);
}

static void features_and_repairs_are_the_same(void) { compare(query_meshes, 3); }

/* ---- scenes --------------------------------------------------------------------------------- */

static const ct_motion with_mass = {.source = CT_MASS_DENSITY, .value = 1000.0};
static const ct_material steel = {0.5, 0.4, 0.5, 0.001, 2e11, 0.3};

static const ct_body *ball_body(const char *id, bool moves) {
  const ct_shape ball = {.kind = CT_KIND_SPHERE, .sphere = {1.0}};
  const ct_collider collider = {.shape = ball, .material = text_of("steel")};
  ct_body_options options = OPTIONS(ct_body_options);
  options.id = text_of(id);
  options.colliders = &collider;
  options.collider_count = 1;
  options.motion = moves ? &with_mass : NULL;
  const ct_body *body = NULL;
  CHECK_INT(ct_body_create(&options, &body), CT_OK);
  return body;
}

/* Three balls in a row: the first is fixed, the second overlaps it by 1 mm, the third is apart. */
static const ct_scene *row_of_balls(void) {
  const ct_scene *base = ct_scene_create(0);
  ct_draft *draft = ct_draft_begin(base);
  const ct_named_material named = {text_of("steel"), steel};
  CHECK_INT(ct_draft_set_materials(draft, &(ct_materials){&named, 1, NULL, 0}), CT_OK);
  add_body(draft, ball_body("a", false), pose_at(0.0, 0.0, 0.0));
  add_body(draft, ball_body("b", true), pose_at(0.0, 0.0, 1.999));
  add_body(draft, ball_body("c", true), pose_at(0.0, 0.0, 5.0));
  return seal(draft, base);
}

static void note_rows(uint32_t a, uint32_t b) {
  note(a);
  note(b);
}

static bool note_pair(void *context, const ct_pair_hit *hit) {
  (void)context;
  note_rows(hit->a, hit->b);
  return true;
}

static bool note_overlap(void *context, const ct_overlap_hit *hit) {
  (void)context;
  note_rows(hit->a, hit->b);
  note_vector(hit->result.point_a);
  return true;
}

static bool note_distance(void *context, const ct_distance_hit *hit) {
  (void)context;
  note_rows(hit->a, hit->b);
  note(hit->result.distance);
  return true;
}

static bool note_contacts(void *context, const ct_contacts_hit *hit) {
  (void)context;
  note_rows(hit->a, hit->b);
  note(hit->result.distance);
  note((double)hit->point_count);
  return true;
}

static bool note_volume(void *context, const ct_volume_hit *hit) {
  (void)context;
  note_rows(hit->a, hit->b);
  note(hit->contact ? hit->contact->volume : 0.0);
  return true;
}

static bool note_feature(void *context, const ct_feature_hit *hit) {
  (void)context;
  note_rows(hit->a, hit->b);
  return true;
}

static const ct_query_range two_rows = {0, 2, CT_NO_ROW, 0};

static void query_boxes_and_distances(const ct_scene *scene) {
  const ct_query_options options = OPTIONS(ct_query_options);
  const ct_query_overlap_options overlap = OPTIONS(ct_query_overlap_options);
  const ct_query_distance_options distance = OPTIONS(ct_query_distance_options);
  ct_query *query = NULL;
  CHECK_INT(ct_query_prepare_pairs(scene, &options, NULL, &query), CT_OK);
  CHECK_INT(ct_query_run_pairs(query, &two_rows, note_pair, NULL, NULL), CT_OK);
  ct_query_destroy(query);
  CHECK_INT(ct_query_prepare_overlaps(scene, &options, &overlap, &query), CT_OK);
  CHECK_INT(ct_query_run_overlaps(query, &two_rows, workspace, note_overlap, NULL, NULL), CT_OK);
  ct_query_destroy(query);
  CHECK_INT(ct_query_prepare_distances(scene, &options, &distance, &query), CT_OK);
  CHECK_INT(ct_query_run_distances(query, &two_rows, workspace, note_distance, NULL, NULL), CT_OK);
  ct_query_destroy(query);
}

static void query_contacts_and_volumes(const ct_scene *scene) {
  const ct_query_options options = OPTIONS(ct_query_options);
  const ct_query_contacts_options contacts = OPTIONS(ct_query_contacts_options);
  const ct_query_volume_options volume = OPTIONS(ct_query_volume_options);
  const ct_features_options features = OPTIONS(ct_features_options);
  ct_query *query = NULL;
  CHECK_INT(ct_query_prepare_contacts(scene, &options, &contacts, &query), CT_OK);
  CHECK_INT(ct_query_run_contacts(query, &two_rows, workspace, note_contacts, NULL, NULL), CT_OK);
  ct_query_destroy(query);
  CHECK_INT(ct_query_prepare_volumes(scene, &options, &volume, &query), CT_OK);
  CHECK_INT(ct_query_run_volumes(query, &two_rows, workspace, note_volume, NULL, NULL), CT_OK);
  ct_query_destroy(query);
  CHECK_INT(ct_query_prepare_features(scene, &options, &features, &query), CT_OK);
  CHECK_INT(ct_query_run_features(query, &two_rows, workspace, note_feature, NULL, NULL), CT_OK);
  ct_query_destroy(query);
}

static bool note_probe(void *context, const ct_probe_hit *hit) {
  (void)context;
  note(hit->row);
  note(hit->distance);
  return true;
}

static void query_queries(void) {
  const ct_scene *scene = row_of_balls();
  query_boxes_and_distances(scene);
  query_contacts_and_volumes(scene);
  const ct_vec3 point = {0.0, 0.5, 2.0};
  ct_probe_options options = OPTIONS(ct_probe_options);
  options.kind = CT_PROBE_NEAREST;
  options.points = &point;
  options.count = 1;
  ct_probe *probe = NULL;
  CHECK_INT(ct_probe_prepare(scene, &options, &probe), CT_OK);
  CHECK_INT(ct_probe_run(probe, &(ct_query_range){0, 1, CT_NO_ROW, 0}, workspace, note_probe, NULL),
            CT_OK);
  ct_probe_destroy(probe);
  ct_scene_release(scene);
}

static void queries_and_probes_are_the_same(void) { compare(query_queries, 19); }

/* A limit of 0 allows no pair: set in both. */
static void query_boxes(void) {
  static const ct_aabb boxes[3] = {
      {{0, 0, 0}, {2, 2, 2}}, {{1, 1, 1}, {3, 3, 3}}, {{2, 2, 2}, {4, 4, 4}}};
  ct_broad_options options = OPTIONS(ct_broad_options);
  if (use_defaults) CHECK_INT(options.limit, CT_PAIRS_MAX);
  options.limit = 3;
  ct_pair_list list = {0};
  CHECK_INT(ct_broad_pairs(boxes, 3, &options, &list, NULL), CT_OK);
  note((double)list.count);
  ct_pair_list_free(&list);
  ct_sweep *sweep = ct_sweep_create();
  ct_sweep_options sweeping = OPTIONS(ct_sweep_options);
  if (use_defaults) CHECK_INT(sweeping.limit, CT_PAIRS_MAX);
  sweeping.limit = 3;
  uint32_t number;
  for (int i = 0; i < 3; i++) CHECK_INT(ct_sweep_add(sweep, &boxes[i], &number), CT_OK);
  ct_sweep_frame frame;
  CHECK_INT(ct_sweep_update(sweep, &sweeping, &frame), CT_OK);
  note((double)frame.pair_count);
  ct_sweep_destroy(sweep);
  const ct_sparse_contact contacts[2] = {{.id = 0, .area_defined = true, .area = 1.0},
                                         {.id = 1, .area_defined = true, .area = 1e-9}};
  const ct_sparsify_options sparsify = OPTIONS(ct_sparsify_options);
  ct_sparsified out[2];
  CHECK_INT(ct_sparsify(contacts, 2, &sparsify, out), CT_OK);
  note(out[0]);
  note(out[1]);
}

static void boxes_are_the_same(void) { compare(query_boxes, 4); }

/* ---- motion --------------------------------------------------------------------------------- */

static bool note_motion(void *context, const ct_motion_hit *hit) {
  (void)context;
  note(hit->b);
  if (hit->timeline) note((double)hit->timeline->count);
  for (size_t i = 0; hit->timeline && i < hit->timeline->count; i++)
    note(hit->timeline->changes[i].time);
  return true;
}

static void query_motions(void) {
  const ct_scene *scene = row_of_balls();
  ct_path_options rest = OPTIONS(ct_path_options), falling = OPTIONS(ct_path_options);
  rest.duration = falling.duration = 4.0;
  rest.start.position.z = 1.999;
  falling.kind = CT_PATH_TWIST;
  falling.start.position.z = 5.0;
  falling.velocity.linear.z = -2.0;
  ct_path *paths[2];
  CHECK_INT(ct_path_create(&rest, &paths[0]), CT_OK);
  CHECK_INT(ct_path_create(&falling, &paths[1]), CT_OK);
  note(ct_path_pose(paths[0], 1.0).rotation.w);
  const ct_moving_body b = {ct_scene_body(scene, 1), paths[0]},
                       c = {ct_scene_body(scene, 2), paths[1]};
  ct_toi_options options = OPTIONS(ct_toi_options);
  options.end = 4.0;
  ct_toi impact;
  CHECK_INT(ct_body_toi(b, c, &options, workspace, &impact), CT_OK);
  note(impact.time);
  note(impact.lower);
  const ct_row_motion moving[2] = {{1, paths[0]}, {2, paths[1]}};
  ct_motion_options motion = OPTIONS(ct_motion_options);
  motion.timeline = true;
  motion.impact.end = 4.0;
  motion.moving = moving;
  motion.moving_count = 2;
  ct_motion_query *query = NULL;
  CHECK_INT(ct_motion_prepare(scene, &motion, &query), CT_OK);
  CHECK_INT(ct_motion_run(query, 0, ct_motion_items(query), workspace, note_motion, NULL), CT_OK);
  ct_motion_destroy(query);
  ct_path_destroy(paths[0]);
  ct_path_destroy(paths[1]);
  ct_scene_release(scene);
}

static void motions_are_the_same(void) { compare(query_motions, 6); }

/* An epsilon of 0 is refused and a limit of 0 allows no contact: set in both. */
static void query_events(void) {
  const ct_scene *scene = row_of_balls();
  ct_contact_event_options options = OPTIONS(ct_contact_event_options);
  if (use_defaults)
    CHECK(options.epsilon == CT_CONTACT_EPSILON && options.contacts_max == CT_CONTACTS_MAX);
  options.epsilon = CT_CONTACT_EPSILON;
  options.contacts_max = CT_CONTACTS_MAX;
  ct_contact_event event;
  CHECK_INT(ct_contact_event_run(scene, NULL, &options, workspace, &event), CT_OK);
  note((double)event.began_count);
  const ct_contact_monitor_options monitoring = OPTIONS(ct_contact_monitor_options);
  ct_contact_monitor monitor = {0};
  CHECK_INT(ct_contact_monitor_run(scene, event.state, &monitoring, workspace, &monitor), CT_OK);
  note(monitor.z1.value);
  note(monitor.z2.value);
  ct_contact_state_release(event.state);
  ct_contact_event_free(&event);
  ct_scene_release(scene);
}

static void events_are_the_same(void) { compare(query_events, 3); }

/* ---- forces --------------------------------------------------------------------------------- */

static void query_forces(void) {
  const ct_scene *scene = row_of_balls();
  ct_arena *arena = ct_arena_create();
  ct_mechanics *mechanics = NULL;
  const ct_mechanics_options options = OPTIONS(ct_mechanics_options);
  CHECK_INT(ct_mechanics_prepare(scene, &options, workspace, &mechanics), CT_OK);
  const ct_island island = ct_mechanics_island(mechanics, 0);
  note((double)island.set.count);
  ct_contact_impulse impulses[4];
  ct_velocity velocities[4];
  ct_impulse_result impulse = {.contacts = impulses, .velocities = velocities};
  const ct_impulse_options hitting = OPTIONS(ct_impulse_options);
  CHECK_INT(ct_impulse_solve(&island.set, &hitting, arena, &impulse), CT_OK);
  note(impulse.energy_after);
  ct_contact_force forces[4];
  ct_body_acceleration bodies[4];
  ct_resting_result rest = {.contacts = forces, .bodies = bodies};
  for (int friction = CT_RESTING_FRICTION_NONE; friction <= CT_RESTING_FRICTION_POLYHEDRAL;
       friction++) {
    ct_resting_options resting = OPTIONS(ct_resting_options);
    resting.friction = (ct_resting_friction)friction;
    resting.time_step = 0.01;
    CHECK_INT(ct_resting_solve(&island.set, &resting, arena, &rest), CT_OK);
    note_vector(forces[0].force);
  }
  const ct_compliant_options elastic = OPTIONS(ct_compliant_options);
  ct_compliant_answer answer = {0};
  CHECK_INT(ct_compliant_solve(scene, mechanics, &elastic, &answer), CT_OK);
  for (size_t i = 0; i < answer.count; i++) note_vector(answer.contacts[i].force.force);
  ct_compliant_answer_free(&answer);
  const ct_elastic_options zeros = {0}, own = OPTIONS(ct_elastic_options),
                           filled = ct_elastic_options_effective(&zeros);
  if (use_defaults)
    CHECK(memcmp(&own, &filled, offsetof(ct_elastic_options, pull)) == 0 && !own.pull);
  ct_mechanics_destroy(mechanics);
  ct_arena_destroy(arena);
  ct_scene_release(scene);
}

static void forces_are_the_same(void) { compare(query_forces, 14); }

static void query_advances(void) {
  const ct_scene *scene = row_of_balls();
  ct_arena *arena = ct_arena_create();
  for (int mode = 0; mode < CT_ADVANCE_MODE_COUNT; mode++) {
    ct_advance_options options = OPTIONS(ct_advance_options);
    options.mode = (ct_advance_mode)mode;
    options.duration = mode == CT_ADVANCE_COMPLIANT ? 1e-5 : 0.05;
    options.time_step = 0.01;
    options.gravity.z = CT_GRAVITY_Z;
    options.contact_tolerance = 1e-6;
    ct_advance *advance = NULL;
    CHECK_INT(ct_advance_create(scene, &options, &advance), CT_OK);
    bool done = false;
    for (int i = 0; i < 8 && !done; i++)
      CHECK_INT(ct_advance_step(advance, workspace, arena, &done), CT_OK);
    ct_pose pose;
    ct_velocity velocity;
    ct_advance_body(advance, 1, &pose, &velocity);
    note(ct_advance_now(advance).time);
    note(pose.position.z);
    note(velocity.linear.z);
    ct_advance_destroy(advance);
  }
  ct_arena_destroy(arena);
  ct_scene_release(scene);
}

static void advances_are_the_same(void) { compare(query_advances, 9); }

static void query_problems(void) {
  ct_arena *arena = ct_arena_create();
  const double matrix[9] = {2.0, 0.5, 0.25, 0.5, 2.0, 0.0, 0.25, 0.0, 3.0}, q[3] = {-6.0, 1.0, 0.5},
               mu = 0.75;
  for (int method = 0; method < CT_LCP_METHOD_COUNT; method++) {
    double z[3], w[3];
    ct_lcp_result result = {.z = z, .w = w};
    ct_lcp_options options = OPTIONS(ct_lcp_options);
    options.method = (ct_lcp_method)method;
    CHECK_INT(ct_lcp_solve(&(ct_lcp){{3, matrix, NULL, NULL, NULL}, q}, &options, arena, &result),
              CT_OK);
    note(z[0]);
    note((double)result.iterations);
  }
  const ct_friction_problem problem = {{3, matrix, NULL, NULL, NULL}, q, &mu, 1, 3};
  for (int method = 0; method < CT_FRICTION_METHOD_COUNT; method++) {
    double r[3], u[3];
    ct_friction_result result = {.r = r, .u = u};
    ct_friction_options options = OPTIONS(ct_friction_options);
    options.method = (ct_friction_method)method;
    CHECK_INT(ct_friction_solve(&problem, &options, arena, &result), CT_OK);
    note(r[0]);
    note(r[1]);
    note((double)result.iterations);
  }
  ct_arena_destroy(arena);
}

static void solvers_are_the_same(void) { compare(query_problems, 20); }

#define FACT(name)                                                                                 \
  { #name, name }
static const check_test tests[] = {
    FACT(pairs_are_the_same),
    FACT(features_and_repairs_are_the_same),
    FACT(queries_and_probes_are_the_same),
    FACT(boxes_are_the_same),
    FACT(motions_are_the_same),
    FACT(events_are_the_same),
    FACT(forces_are_the_same),
    FACT(advances_are_the_same),
    FACT(solvers_are_the_same),
};

WORKSPACE_MAIN(tests)
