/* Contact states against values by hand: events at the begin and the end of each contact, the state
 * between events, and the zero-crossing functions. */
#include "tests/support/contact_states.h"
#include "tests/support/failing_malloc.h"

/* Balls of radius 1 in a row along x, and a hammer of radius 1 above them: at x it touches the
 * balls within 2. */
static const ct_scene *row_of_balls(void) {
  const ct_scene *empty = ct_scene_create(0);
  ct_draft *draft = ct_draft_begin(empty);
  add_shape(draft, "left", sphere_of(1), pose_at(0, 0, 0));
  add_shape(draft, "middle", sphere_of(1), pose_at(2.5, 0, 0));
  add_shape(draft, "right", sphere_of(1), pose_at(5, 0, 0));
  add_mover(draft, "hammer", sphere_of(1), pose_at(1.25, 0, 0));
  return seal(draft, empty);
}

static const ct_scene *with_at(const ct_scene *scene, const char *id, ct_pose pose) {
  ct_draft *draft = ct_draft_begin(scene);
  place(draft, id, pose);
  return seal(draft, scene);
}

static const ct_scene *with_hammer_at(const ct_scene *scene, double x) {
  return with_at(scene, "hammer", pose_at(x, 0, 0));
}

static void give_back(ct_contact_event *event) {
  ct_contact_event_free(event);
  ct_contact_state_release(event->state);
}

static const ct_contact_record *record_with(const ct_contact_state *state, const char *id) {
  for (size_t i = 0; i < ct_contact_state_count(state); i++) {
    const ct_contact_record *r = ct_contact_state_record(state, i);
    if (text_is(r->body_a, id) || text_is(r->body_b, id)) return r;
  }
  CHECK_FAIL("no contact with %s", id);
  return ct_contact_state_record(state, 0);
}

/* T8.5, row 19: {P1, P2}, then {P2, P3}: P1 ends, P2 persists, P3 begins. */
static void the_end_of_one_contact_and_the_begin_of_another_are_told_at_their_event(void) {
  const ct_scene *scene = row_of_balls();
  ct_contact_event first = next_event(scene, NULL, 0.5);
  CHECK_INT(first.began_count, 2);
  CHECK_INT(first.persisted_count + first.ended_count, 0);
  const ct_contact_record *p1 = record_with(first.state, "left"),
                          *p2 = record_with(first.state, "middle");
  CHECK(p1->cause == CT_CAUSE_INIT && p2->cause == CT_CAUSE_INIT && p1->begun == 0.5);
  CHECK_NEAR(p1->distance, -0.75 - 1e-16, 1e-15);

  scene = with_hammer_at(scene, 3.75);
  ct_contact_event second = next_event(scene, first.state, 1.5);
  CHECK_INT(second.ended_count, 1);
  CHECK_INT(second.persisted_count, 1);
  CHECK_INT(second.began_count, 1);
  CHECK(second.ended[0].record.pair == p1->pair && second.ended[0].cause == CT_CAUSE_Z1);
  CHECK_NEAR(second.ended[0].distance, 1.75, 1e-15);
  const ct_contact_record *kept = ct_contact_state_record(second.state, second.persisted[0]);
  const ct_contact_record *begun = ct_contact_state_record(second.state, second.began[0]);
  CHECK(kept->pair == p2->pair && kept->begun == 0.5 && kept->cause == CT_CAUSE_INIT);
  CHECK(text_is(begun->body_a, "right") && text_is(begun->body_b, "hammer"));
  CHECK(begun->cause == CT_CAUSE_Z2 && begun->begun == 1.5 && begun->pair > p1->pair &&
        begun->pair > p2->pair);
  CHECK_INT(ct_contact_state_events(second.state), 2);
  CHECK(ct_contact_state_time(second.state) == 1.5 &&
        ct_contact_state_epsilon(second.state) == CT_CONTACT_EPSILON);
  /* The earlier state is unchanged. */
  CHECK_INT(ct_contact_state_count(first.state), 2);
  give_back(&first);
  give_back(&second);
  ct_scene_release(scene);
}

/* Row 20: the velocity stored when a contact begins stays bit for bit, for any later velocities. */
static void the_velocity_at_the_beginning_is_kept_while_the_contact_lasts(void) {
  const ct_scene *scene = row_of_balls();
  ct_draft *draft = ct_draft_begin(scene);
  const ct_velocity v = {{0.1, 7, 0}, {0, 0, 0}};
  CHECK_INT(ct_draft_set_velocity(draft, ct_draft_find(draft, text_of("hammer")), &v), CT_OK);
  scene = seal(draft, scene);
  ct_contact_event event = next_event(scene, NULL, 0);
  /* The normal points to the hammer, which moves away from the left ball and towards the middle
   * one. */
  double away = record_with(event.state, "left")->normal_velocity,
         nears = record_with(event.state, "middle")->normal_velocity;
  CHECK_NEAR(away, 0.1, 1e-16);
  CHECK_NEAR(nears, -0.1, 1e-16);
  for (int k = 1; k < 20; k++) {
    draft = ct_draft_begin(scene);
    const ct_velocity other = {{-1.0 * k, 0, 3}, {k, 0, 1}};
    CHECK_INT(ct_draft_set_velocity(draft, ct_draft_find(draft, text_of("hammer")), &other), CT_OK);
    scene = with_hammer_at(seal(draft, scene), 1.25 + 0.01 * k);
    ct_contact_event next = next_event(scene, event.state, k);
    CHECK_INT(next.persisted_count, 2);
    CHECK(memcmp(&record_with(next.state, "left")->normal_velocity, &away, sizeof away) == 0);
    CHECK(memcmp(&record_with(next.state, "middle")->normal_velocity, &nears, sizeof nears) == 0);
    CHECK(record_with(next.state, "left")->begun == 0.0);
    CHECK_NEAR(record_with(next.state, "left")->distance, -0.75 + 0.01 * k, 1e-14);
    ct_contact_event_free(&event);
    ct_contact_state_release(event.state);
    event = next;
  }
  give_back(&event);
  ct_scene_release(scene);
}

/* A body that rotates about a centre away from its contact: the contact's velocity is v + w x r. */
static void a_turning_body_has_the_velocity_of_the_point_that_touches(void) {
  const ct_scene *empty = ct_scene_create(0);
  ct_draft *draft = ct_draft_begin(empty);
  add_shape(draft, "ground", plane_of(), pose_at(0, 0, 0));
  ct_collider ball = {.shape = sphere_of(1), .pose = ct_pose_identity()};
  ct_motion motion = {.source = CT_MASS_MASS,
                      .value = 1,
                      .has_center = true,
                      .center = {-3, 0, 0},
                      .inertia_orientation = {0, 0, 0, 1}};
  ct_body_options options = {
      .id = text_of("wheel"), .colliders = &ball, .collider_count = 1, .motion = &motion};
  const ct_body *body;
  CHECK_INT(ct_body_create(&options, &body), CT_OK);
  ct_pose pose = pose_at(10, 20, 0.5);
  const ct_velocity v = {{0, 0, -1}, {0, 2, 0}};
  CHECK_INT(ct_draft_insert(draft, body, &pose, &v, NULL), CT_OK);
  ct_body_release(body);
  const ct_scene *scene = seal(draft, empty);
  ct_contact_event event = next_event(scene, NULL, 0);
  CHECK_INT(event.began_count, 1);
  /* At (10, 20, -0.25), the centre at (7, 20, 0.5): w x r = (0, 2, 0) x (3, 0, -0.75) = (-1.5, 0,
   * -6). */
  CHECK_NEAR(ct_contact_state_record(event.state, 0)->normal_velocity, -7.0, 1e-14);
  give_back(&event);
  ct_scene_release(scene);
}

/* Rows 21, 22: a gap within the hysteresis is contact at an event; at a restart neither function is
 * zero. */
static void no_function_is_zero_at_a_restart(void) {
  const double eps = CT_CONTACT_EPSILON;
  const double gaps[] = {0, eps, 1.0000000001 * eps, 0.5 * eps, -eps, 2 * eps, 1e-15, 1e-300};
  for (size_t i = 0; i < sizeof gaps / sizeof gaps[0]; i++) {
    const ct_scene *empty = ct_scene_create(0);
    ct_draft *draft = ct_draft_begin(empty);
    add_shape(draft, "floor", box_of(1, 1, 0), pose_at(0, 0, 0));
    add_mover(draft, "leaf", box_of(0.5, 0.5, 0), pose_at(0, 0, gaps[i]));
    const ct_scene *scene = seal(draft, empty);
    ct_contact_event event = next_event(scene, NULL, 0);
    ct_contact_monitor z = monitor_of(scene, event.state);
    CHECK_INT(ct_contact_state_count(event.state), gaps[i] <= eps);
    CHECK(z.z1.present == (gaps[i] <= eps) && z.z2.present == !z.z1.present);
    CHECK(z.z1.value <= -eps && z.z2.value > 0);
    if (!z.z1.present) CHECK(z.z1.value == CT_Z1_NONE);
    if (!z.z2.present) CHECK(z.z2.value == CT_Z2_NONE);
    ct_contact_event_free(&event);
    ct_contact_state_release(event.state);
    ct_scene_release(scene);
  }
}

/* Row 24, in long double by hand. */
static void hand_made_distances_give_the_functions_of_the_seed(void) {
  const double distances[] = {-1e-6, 0.3, -2e-9, 0.01};
  const bool in_contact[] = {true, false, true, false};
  double z[2];
  ct_contact_functions(distances, in_contact, 4, 1e-16, z);
  CHECK_NEAR(z[0], (double)(-2e-9L - 2e-16L), 1e-24);
  CHECK_NEAR(z[1], (double)(0.01L - 1e-16L), 2e-18);
  CHECK(z[0] < -2e-9 && z[1] < 0.01);
  ct_contact_functions(distances, in_contact, 1, 1e-16, z);
  CHECK(z[0] < -1e-6 && z[1] == 42.0);
  ct_contact_functions(distances + 1, in_contact + 1, 1, 1e-16, z);
  CHECK(z[0] == -42.0 && z[1] == 0.3 - 1e-16);
}

/* Rows 21 and 24 in a scene: balls of a micrometre, whose distances resolve 1e-22 m. */
static void a_scene_of_such_distances_gives_the_same(void) {
  const double r = 1e-6, across = 1e-3;
  const ct_scene *empty = ct_scene_create(0);
  ct_draft *draft = ct_draft_begin(empty);
  add_shape(draft, "p", sphere_of(r), pose_at(0, 0, 0));
  add_mover(draft, "deep", sphere_of(r), pose_at(1e-6, 0, 0));
  add_shape(draft, "q", sphere_of(r), pose_at(0, across, 0));
  add_mover(draft, "shallow", sphere_of(r), pose_at(2e-6 - 2e-9, across, 0));
  const ct_scene *scene = seal(draft, empty);
  ct_contact_event event = next_event(scene, NULL, 0);
  CHECK_INT(ct_contact_state_count(event.state), 2);
  ct_contact_monitor z = monitor_of(scene, event.state);
  CHECK_NEAR(z.z1.value, -2e-9 - 2e-16, 1e-21);
  CHECK(z.z1.a == 2 && z.z1.b == 3 && z.z1.narrow);
  /* The boxes of the other pairs are a millimetre apart. */
  CHECK(!z.z2.narrow && z.z2.value <= across - 2e-6 && z.z2.value > across - 2.1e-6);
  give_back(&event);
  ct_scene_release(scene);
}

/* Row 23: a record has the points, the normal, both bodies, the distance with hysteresis, and three
 * supports of each body. */
static void a_record_has_the_fields_of_a_contact_pair(void) {
  const ct_scene *empty = ct_scene_create(0);
  ct_draft *draft = ct_draft_begin(empty);
  add_shape(draft, "ground", box_of(2, 0.05, 0.35), pose_at(0, -0.15, 0));
  add_mover(draft, "block", box_of(0.1, 0.1, 0.1), pose_at(0.3, -0.0125, 0.1));
  const ct_scene *scene = seal(draft, empty);
  ct_contact_event_options options = event_at(0);
  options.supports = true;
  ct_contact_event event;
  CHECK_INT(ct_contact_event_run(scene, NULL, &options, workspace, &event), CT_OK);
  CHECK_INT(event.began_count, 1);
  const ct_contact_record *r = ct_contact_state_record(event.state, 0);
  CHECK(text_is(r->body_a, "ground") && text_is(r->body_b, "block"));
  CHECK_NEAR(r->result.normal.y, 1, 1e-15);
  CHECK_NEAR(r->result.distance, -0.0125, 1e-15);
  CHECK(r->distance == r->result.distance - CT_CONTACT_EPSILON);
  CHECK_NEAR(r->result.point_a.y, -0.1, 1e-15);
  CHECK_NEAR(r->result.point_b.y, -0.1125, 1e-15);
  CHECK(r->supports_defined);
  for (int i = 0; i < 3; i++) {
    /* Corners on the two faces in contact: the support along -n is the lowest corner of the other
     * body. */
    CHECK_NEAR(fabs(r->support_a[i].x), 2, 1e-14);
    CHECK_NEAR(fabs(r->support_a[i].z), 0.35, 1e-14);
    CHECK_NEAR(fabs(r->support_b[i].x - 0.3), 0.1, 1e-14);
    CHECK_NEAR(fabs(r->support_b[i].z - 0.1), 0.1, 1e-14);
  }
  give_back(&event);
  ct_scene_release(scene);
}

/* Row 25: an event has everything that Modia3D logs for its bouncing sphere: time, cause, pair,
 * distance, normal, position. */
static void an_event_has_what_the_log_of_the_seed_says(void) {
  const double begin = 2.3924142776549155, end = 2.3924413895015424;
  const ct_scene *empty = ct_scene_create(0);
  ct_draft *draft = ct_draft_begin(empty);
  add_shape(draft, "ground", box_of(2, 0.05, 0.35), pose_at(0, -0.15, 0));
  add_mover(draft, "sphere", sphere_of(0.1), pose_at(0, 1, 0));
  const ct_scene *scene = seal(draft, empty);
  ct_contact_event start = next_event(scene, NULL, 0);
  ct_contact_monitor z = monitor_of(scene, start.state);
  CHECK(start.began_count == 0 && z.z1.value == CT_Z1_NONE);
  CHECK_NEAR(z.z2.value, 1, 1e-13);
  const ct_scene *down = with_at(scene, "sphere", pose_at(0, -1e-17, 0));
  CHECK(monitor_of(down, start.state).z2.value <= 0);
  ct_contact_event first = next_event(down, start.state, begin);
  CHECK_INT(first.began_count, 1);
  const ct_contact_record *r = ct_contact_state_record(first.state, first.began[0]);
  CHECK(r->begun == begin && r->cause == CT_CAUSE_Z2 && text_is(r->body_a, "ground") &&
        text_is(r->body_b, "sphere"));
  CHECK(r->distance <= 0 && r->distance > -1e-15);
  CHECK(r->result.normal.x == 0 && r->result.normal.y == 1 && r->result.normal.z == 0);
  ct_vec3 position = ct_scale(ct_add(r->result.point_a, r->result.point_b), 0.5);
  CHECK_NEAR(position.x, 0, 1e-16);
  CHECK_NEAR(position.y, -0.1, 1e-16);
  CHECK_NEAR(position.z, 0, 1e-16);
  const ct_scene *up = with_at(down, "sphere", pose_at(0, 1e-15, 0));
  CHECK(monitor_of(up, first.state).z1.value > 0);
  ct_contact_event second = next_event(up, first.state, end);
  CHECK(second.ended_count == 1 && second.ended[0].cause == CT_CAUSE_Z1 &&
        second.ended[0].record.pair == r->pair);
  CHECK(second.ended[0].distance > 0 && ct_contact_state_time(second.state) == end);
  give_back(&start);
  give_back(&first);
  give_back(&second);
  ct_scene_release(up);
}

static void a_body_made_again_under_the_same_id_is_another(void) {
  const ct_scene *scene = row_of_balls();
  ct_contact_event first = next_event(scene, NULL, 0);
  uint64_t old = record_with(first.state, "left")->pair;
  ct_draft *draft = ct_draft_begin(scene);
  CHECK_INT(ct_draft_remove(draft, ct_draft_find(draft, text_of("left"))), CT_OK);
  add_shape(draft, "left", sphere_of(1), pose_at(0, 0, 0));
  scene = seal(draft, scene);
  /* The contact of the deleted body is ignored. */
  ct_pair_result now[2];
  ct_contact_monitor out = {.contacts = now};
  const ct_contact_monitor_options all = {.evaluation = CT_EVALUATE_MONITOR};
  CHECK_INT(ct_contact_monitor_run(scene, first.state, &all, workspace, &out), CT_OK);
  CHECK(now[0].status == CT_PAIR_UNSUPPORTED && now[0].relation == CT_SEPARATED &&
        now[1].status == CT_PAIR_OK);
  CHECK_NEAR(out.z1.value, -0.75, 1e-14);
  CHECK_NEAR(out.z2.value, -0.75, 1e-14);
  CHECK(out.z2.a == ct_scene_find(scene, text_of("hammer")) &&
        out.z2.b == ct_scene_find(scene, text_of("left")));
  ct_contact_event second = next_event(scene, first.state, 1);
  CHECK_INT(second.ended_count, 1);
  CHECK_INT(second.began_count, 1);
  CHECK_INT(second.persisted_count, 1);
  CHECK(second.ended[0].record.pair == old && second.ended[0].cause == CT_CAUSE_BODY &&
        second.ended[0].distance == 0.0);
  const ct_contact_record *begun = ct_contact_state_record(second.state, second.began[0]);
  CHECK(begun->pair > old && begun->cause == CT_CAUSE_TIME);
  CHECK(text_is(begun->body_a, "hammer") && text_is(begun->body_b, "left"));
  give_back(&first);
  give_back(&second);
  ct_scene_release(scene);
}

static void a_body_that_is_replaced_keeps_its_contacts_where_it_has_the_collider(void) {
  const ct_shape shapes[2] = {sphere_of(0.1), sphere_of(1)};
  const ct_pose poses[2] = {pose_at(0, 50, 0), pose_at(0, 0, 0)};
  const ct_scene *scene = row_of_balls();
  ct_draft *draft = ct_draft_begin(scene);
  uint32_t row = ct_draft_find(draft, text_of("left"));
  ct_pose origin = pose_at(0, 0, 0);
  const ct_body *two = body_of("left", shapes, poses, 2, NULL),
                *larger = body_of("left", shapes + 1, NULL, 1, NULL);
  CHECK_INT(ct_draft_replace(draft, row, two, &origin, NULL), CT_OK);
  scene = seal(draft, scene);
  ct_contact_event first = next_event(scene, NULL, 0);
  CHECK_INT(first.began_count, 2);
  const ct_contact_record *before = record_with(first.state, "left");
  CHECK(before->collider_a == 1 && before->collider_b == 0);
  /* Replaced with the same colliders, elsewhere: the contact persists. */
  draft = ct_draft_begin(scene);
  ct_pose nearer = pose_at(0.25, 0, 0);
  CHECK_INT(ct_draft_replace(draft, row, two, &nearer, NULL), CT_OK);
  scene = seal(draft, scene);
  ct_contact_event second = next_event(scene, first.state, 1);
  CHECK_INT(second.persisted_count, 2);
  CHECK_NEAR(record_with(second.state, "left")->distance, -1, 1e-14);
  /* Without the collider the contact ends, and a contact of the collider that touches now begins.
   */
  draft = ct_draft_begin(scene);
  CHECK_INT(ct_draft_replace(draft, row, larger, &origin, NULL), CT_OK);
  scene = seal(draft, scene);
  ct_contact_event third = next_event(scene, second.state, 2);
  CHECK(third.ended_count == 1 && third.began_count == 1 && third.persisted_count == 1);
  CHECK(third.ended[0].cause == CT_CAUSE_BODY && third.ended[0].record.pair == before->pair);
  CHECK_INT(record_with(third.state, "left")->collider_a, 0);
  ct_body_release(two);
  ct_body_release(larger);
  ct_contact_event events[3] = {first, second, third};
  for (int k = 0; k < 3; k++) {
    ct_contact_event_free(&events[k]);
    ct_contact_state_release(events[k].state);
  }
  ct_scene_release(scene);
}

/* A body of two concentric spheres with these ids and radii, in this order. */
static ct_status replace_hand(ct_draft *draft, const char *first, double radius, const char *second,
                              double other) {
  const ct_collider colliders[2] = {
      {.id = text_of(first), .shape = sphere_of(radius), .pose = ct_pose_identity()},
      {.id = text_of(second), .shape = sphere_of(other), .pose = ct_pose_identity()}};
  const ct_motion motion = {
      .source = CT_MASS_MASS, .value = 1.0, .inertia_orientation = {0, 0, 0, 1}};
  const ct_body_options options = {
      .id = text_of("hand"), .colliders = colliders, .collider_count = 2, .motion = &motion};
  const ct_body *body;
  CHECK_INT(ct_body_create(&options, &body), CT_OK);
  ct_pose pose = pose_at(0, 0, 0.5);
  uint32_t row = ct_draft_find(draft, text_of("hand"));
  ct_status status = row == CT_NO_ROW ? ct_draft_insert(draft, body, &pose, NULL, NULL)
                                      : ct_draft_replace(draft, row, body, &pose, NULL);
  ct_body_release(body);
  return status;
}

static void a_collider_with_an_id_is_known_by_it_wherever_it_is(void) {
  static const struct {
    const char *first, *second; /* of the replacing body; the replaced body has core .1, pad .5 */
    double radius, other;
    size_t persisted, ended, began;
    ct_contact_cause cause;
  } cases[] = {
      {"pad", "core", 0.5, 0.1, 1, 0, 0, CT_CAUSE_INIT}, /* another order */
      {"pad", "pin", 0.5, 0.1, 1, 0, 0, CT_CAUSE_INIT},
      {"core", "sole", 0.1, 0.5, 0, 1, 1, CT_CAUSE_BODY}, /* another collider in its place */
      {"core", "", 0.1, 0.5, 0, 1, 1, CT_CAUSE_BODY},
      {"pad", "core", 0.1, 0.5, 0, 1, 1, CT_CAUSE_Z1}, /* the same collider, but smaller */
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const ct_scene *empty = ct_scene_create(0);
    ct_draft *draft = ct_draft_begin(empty);
    add_shape(draft, "ground", plane_of(), pose_at(0, 0, 0));
    CHECK_INT(replace_hand(draft, "core", 0.1, "pad", 0.5), CT_OK);
    const ct_scene *scene = seal(draft, empty);
    ct_contact_event first = next_event(scene, NULL, 0);
    CHECK_INT(first.began_count, 1);
    draft = ct_draft_begin(scene);
    CHECK_INT(replace_hand(draft, cases[i].first, cases[i].radius, cases[i].second, cases[i].other),
              CT_OK);
    scene = seal(draft, scene);
    ct_contact_event second = next_event(scene, first.state, 1);
    CHECK(second.persisted_count == cases[i].persisted && second.began_count == cases[i].began);
    CHECK_INT(second.ended_count, cases[i].ended);
    const ct_contact_record *r =
        second.ended_count ? &second.ended[0].record : ct_contact_state_record(second.state, 0);
    if (second.ended_count) CHECK_INT(second.ended[0].cause, cases[i].cause);
    CHECK(r->pair == 1 && text_is(r->name_b, "pad") && r->several_b && !r->several_a &&
          r->name_a.length == 0);
    if (!second.ended_count) CHECK_INT(r->collider_b, 0);
    give_back(&first);
    give_back(&second);
    ct_scene_release(scene);
  }
}

/* Two states of one scene, with alternating events: both draw pair ids from one counter. */
static void contacts_of_all_states_of_a_scene_have_ids_of_their_own(void) {
  const ct_scene *scene = row_of_balls();
  ct_contact_event last[2] = {{.state = NULL}, {.state = NULL}};
  uint64_t begun = 0;
  for (int k = 0; k < 8; k++) {
    scene = with_hammer_at(scene, k % 4 < 2 ? 1.25 : 3.75);
    ct_contact_event next = next_event(scene, last[k % 2].state, k);
    for (size_t i = 0; i < next.began_count; i++)
      CHECK_INT(ct_contact_state_record(next.state, next.began[i])->pair, begun + i + 1);
    begun += next.began_count;
    ct_draft *draft = ct_draft_amend(scene);
    ct_draft_count_contacts(draft, next.began_count);
    scene = seal(draft, scene);
    CHECK_INT(ct_scene_contacts_begun(scene), begun);
    ct_contact_event_free(&last[k % 2]);
    ct_contact_state_release(last[k % 2].state);
    last[k % 2] = next;
  }
  CHECK_INT(begun, 10);
  /* The counter continues in a revision whose rows were compacted. */
  ct_draft *draft = ct_draft_begin(scene);
  for (const char **id = (const char *[]){"left", "middle", "right", NULL}; *id; id++)
    CHECK_INT(ct_draft_remove(draft, ct_draft_find(draft, text_of(*id))), CT_OK);
  scene = seal(draft, scene);
  CHECK(ct_scene_rows(scene) == 1 && ct_scene_contacts_begun(scene) == begun);
  give_back(&last[0]);
  give_back(&last[1]);
  ct_scene_release(scene);
}

static void pairs_that_filters_exclude_end_and_take_no_part(void) {
  const ct_scene *scene = row_of_balls();
  ct_contact_event first = next_event(scene, NULL, 0);
  const ct_pair_rule rule = {text_of("left"), text_of("hammer"), false, {NULL, 0}};
  const ct_filters filters = {.pairs = &rule, .pair_count = 1};
  ct_draft *draft = ct_draft_begin(scene);
  CHECK_INT(ct_draft_set_filters(draft, &filters), CT_OK);
  scene = seal(draft, scene);
  ct_contact_event second = next_event(scene, first.state, 1);
  CHECK(second.ended_count == 1 && second.began_count == 0 && second.persisted_count == 1);
  CHECK(second.ended[0].cause == CT_CAUSE_BODY &&
        second.ended[0].record.pair == record_with(first.state, "left")->pair);
  ct_contact_monitor z = monitor_of(scene, second.state);
  CHECK(z.z2.a == 2 && z.z2.b == 3 && z.z2.value > 0);
  give_back(&first);
  give_back(&second);
  ct_scene_release(scene);
}

/* 40 balls in a heap whose group excludes itself; a pair rule includes one pair. */
static void a_pair_rule_is_heard_among_many_that_groups_exclude(void) {
  const ct_scene *scene = ct_scene_create(0);
  ct_draft *draft = ct_draft_begin(scene);
  const ct_shape ball = sphere_of(1);
  for (int i = 0; i < 40; i++) {
    char id[16];
    snprintf(id, sizeof id, "b%d", i);
    add_body(draft, mover_of(id, &ball, NULL, 1, "heap"), pose_at(0.01 * i, 0, 0));
  }
  const ct_text heap = text_of("heap");
  const ct_group_rule group = {heap, &heap, 1};
  const ct_pair_rule pair = {text_of("b31"), text_of("b4"), true, {NULL, 0}};
  const ct_filters filters = {&group, 1, &pair, 1};
  CHECK_INT(ct_draft_set_filters(draft, &filters), CT_OK);
  scene = seal(draft, scene);
  ct_contact_event event = next_event(scene, NULL, 0);
  CHECK_INT(event.began_count, 1);
  CHECK(event.narrow == 1 && event.boxes == 40 * 39 / 2 - 1);
  const ct_contact_record *r = ct_contact_state_record(event.state, 0);
  CHECK(text_is(r->body_a, "b4") && text_is(r->body_b, "b31"));
  CHECK_NEAR(r->result.distance, 0.27 - 2, 1e-14);
  ct_contact_monitor z = monitor_of(scene, event.state);
  CHECK(z.z1.a == 4 && z.z1.b == 31 && !z.z2.present && z.narrow == 1);
  give_back(&event);
  ct_scene_release(scene);
}

static void bodies_that_both_stand_still_take_no_part(void) {
  const ct_scene *empty = ct_scene_create(0);
  ct_draft *draft = ct_draft_begin(empty);
  add_shape(draft, "a", sphere_of(1), pose_at(0, 0, 0));
  add_shape(draft, "b", sphere_of(1), pose_at(1, 0, 0));
  add_shape(draft, "c", plane_of(), pose_at(0, 0, 0));
  const ct_scene *scene = seal(draft, empty);
  ct_contact_event event = next_event(scene, NULL, 0);
  ct_contact_monitor z = monitor_of(scene, event.state);
  CHECK(event.began_count == 0 && event.narrow == 0 && event.boxes == 0);
  CHECK(!z.z1.present && !z.z2.present && z.z1.value == -42.0 && z.z2.value == 42.0);
  give_back(&event);
  ct_scene_release(scene);
}

/* Row 26: at zero crossings, distances of all pairs whose boxes are near and bounds of the others;
 * between events, distances of contacts alone. */
static void only_contacts_are_computed_between_events(void) {
  const ct_scene *scene = row_of_balls();
  ct_contact_event event = next_event(scene, NULL, 0);
  CHECK(event.narrow == 2 && event.boxes == 1);
  ct_contact_monitor z = monitor_of(scene, event.state);
  CHECK(z.narrow == 2 && z.boxes == 1);
  ct_pair_result now[2];
  ct_contact_monitor sample = {.contacts = now};
  const ct_contact_monitor_options between = {.evaluation = CT_EVALUATE_SAMPLE};
  CHECK_INT(ct_contact_monitor_run(scene, event.state, &between, workspace, &sample), CT_OK);
  CHECK(sample.narrow == 2 && sample.boxes == 0);
  CHECK(!sample.z2.present && sample.z1.value == z.z1.value);
  for (int k = 0; k < 2; k++) {
    const ct_pair_result *stored = &ct_contact_state_record(event.state, (size_t)k)->result;
    CHECK(now[k].distance == stored->distance && now[k].normal.x == stored->normal.x);
  }
  /* Poses overridden without a new revision: a contact whose boxes are apart is still evaluated. */
  const ct_override there = {ct_scene_find(scene, text_of("hammer")), pose_at(30, 0, 0)};
  const ct_contact_monitor_options what_if = {
      .evaluation = CT_EVALUATE_MONITOR, .overrides = &there, .override_count = 1};
  CHECK_INT(ct_contact_monitor_run(scene, event.state, &what_if, workspace, &sample), CT_OK);
  CHECK_NEAR(sample.z1.value, 28, 1e-13);
  CHECK_NEAR(sample.z2.value, 23, 1e-12);
  CHECK(sample.narrow == 2 && sample.boxes == 1 && sample.z2.a == 2 && sample.z2.b == 3);
  give_back(&event);
  ct_scene_release(scene);
}

static void limits_are_told(void) {
  const ct_scene *scene = row_of_balls();
  ct_contact_event_options options = event_at(0);
  ct_contact_event event;
  options.contacts_max = 1;
  CHECK_INT(ct_contact_event_run(scene, NULL, &options, workspace, &event), CT_LIMIT);
  options.contacts_max = 2;
  options.epsilon = 0.0;
  CHECK_INT(ct_contact_event_run(scene, NULL, &options, workspace, &event), CT_LIMIT);
  options.epsilon = 1.1e-3;
  CHECK_INT(ct_contact_event_run(scene, NULL, &options, workspace, &event), CT_LIMIT);
  options.epsilon = 1e-3;
  ct_cancel *cancel = ct_cancel_create();
  ct_cancel_raise(cancel);
  options.cancel = cancel;
  CHECK_INT(ct_contact_event_run(scene, NULL, &options, workspace, &event), CT_CANCELLED);
  options.cancel = NULL;
  CHECK_INT(ct_contact_event_run(scene, NULL, &options, workspace, &event), CT_OK);
  ct_contact_monitor out = {.contacts = NULL};
  const ct_contact_monitor_options stopped = {.evaluation = CT_EVALUATE_MONITOR, .cancel = cancel};
  CHECK_INT(ct_contact_monitor_run(scene, event.state, &stopped, workspace, &out), CT_CANCELLED);
  CHECK(ct_contact_state_bytes(event.state) < 2000);
  ct_cancel_destroy(cancel);
  give_back(&event);
  ct_scene_release(scene);
}

static void a_refused_allocation_leaves_nothing(void) {
  NEEDS_FAILING_MALLOC;
  const ct_scene *scene = row_of_balls();
  ct_contact_event first = next_event(scene, NULL, 0);
  const ct_contact_event_options options = event_at(1);
  scene = with_hammer_at(scene, 3.75);
  ct_override moved[4];
  for (uint32_t row = 0; row < 4; row++) moved[row] = (ct_override){row, ct_scene_pose(scene, row)};
  const ct_contact_monitor_options what_if = {
      .evaluation = CT_EVALUATE_MONITOR, .overrides = moved, .override_count = 4};
  ct_status status = CT_OUT_OF_MEMORY, requested = CT_OUT_OF_MEMORY;
  for (long n = 1; (status != CT_OK || requested != CT_OK) && n < 1000; n++) {
    long before = memory.live;
    ct_contact_event event = {0};
    ct_contact_monitor out = {.contacts = NULL};
    memory.fail_at = n;
    memory.counting = true;
    memory.taken = 0;
    status = ct_contact_event_run(scene, first.state, &options, workspace, &event);
    memory.taken = 0;
    requested = ct_contact_monitor_run(scene, first.state, &what_if, workspace, &out);
    memory.counting = false;
    memory.fail_at = 0;
    CHECK(status == CT_OK || status == CT_OUT_OF_MEMORY);
    CHECK(requested == CT_OK || requested == CT_OUT_OF_MEMORY);
    if (status == CT_OK) CHECK(n > 5 && event.began_count == 1 && event.ended_count == 1);
    if (requested == CT_OK) CHECK(n > 3 && out.z1.value > 1.7);
    ct_contact_event_free(&event);
    ct_contact_state_release(event.state);
    CHECK_INT(memory.live, before);
  }
  CHECK(status == CT_OK && requested == CT_OK);
  give_back(&first);
  ct_scene_release(scene);
}

static const check_test tests[] = {
    {"the_end_of_one_contact_and_the_begin_of_another_are_told_at_their_event",
     the_end_of_one_contact_and_the_begin_of_another_are_told_at_their_event},
    {"the_velocity_at_the_beginning_is_kept_while_the_contact_lasts",
     the_velocity_at_the_beginning_is_kept_while_the_contact_lasts},
    {"a_turning_body_has_the_velocity_of_the_point_that_touches",
     a_turning_body_has_the_velocity_of_the_point_that_touches},
    {"no_function_is_zero_at_a_restart", no_function_is_zero_at_a_restart},
    {"hand_made_distances_give_the_functions_of_the_seed",
     hand_made_distances_give_the_functions_of_the_seed},
    {"a_scene_of_such_distances_gives_the_same", a_scene_of_such_distances_gives_the_same},
    {"a_record_has_the_fields_of_a_contact_pair", a_record_has_the_fields_of_a_contact_pair},
    {"an_event_has_what_the_log_of_the_seed_says", an_event_has_what_the_log_of_the_seed_says},
    {"a_body_made_again_under_the_same_id_is_another",
     a_body_made_again_under_the_same_id_is_another},
    {"a_body_that_is_replaced_keeps_its_contacts_where_it_has_the_collider",
     a_body_that_is_replaced_keeps_its_contacts_where_it_has_the_collider},
    {"a_collider_with_an_id_is_known_by_it_wherever_it_is",
     a_collider_with_an_id_is_known_by_it_wherever_it_is},
    {"contacts_of_all_states_of_a_scene_have_ids_of_their_own",
     contacts_of_all_states_of_a_scene_have_ids_of_their_own},
    {"pairs_that_filters_exclude_end_and_take_no_part",
     pairs_that_filters_exclude_end_and_take_no_part},
    {"a_pair_rule_is_heard_among_many_that_groups_exclude",
     a_pair_rule_is_heard_among_many_that_groups_exclude},
    {"bodies_that_both_stand_still_take_no_part", bodies_that_both_stand_still_take_no_part},
    {"only_contacts_are_computed_between_events", only_contacts_are_computed_between_events},
    {"limits_are_told", limits_are_told},
    {"a_refused_allocation_leaves_nothing", a_refused_allocation_leaves_nothing},
};

WORKSPACE_MAIN(tests)
