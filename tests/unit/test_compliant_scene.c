/* The elastic contact law at all contacts of a scene: sums per body, initial velocities of
 * contacts, missing inputs, failing allocations. */
#include "tests/support/contact_states.h"
#include "tests/support/failing_malloc.h"

#include <contact/compliant.h>

static const ct_material RUBBER = {.static_friction = 0.5,
                                   .dynamic_friction = 0.5,
                                   .restitution = 0.5,
                                   .rolling_friction = 0.01,
                                   .youngs_modulus = 1e6,
                                   .poisson_ratio = 0.4};
enum { BALLS = 5 };

static void drop_ball(ct_draft *draft, int i) {
  char id[16];
  snprintf(id, sizeof id, "b%d", i);
  uint32_t row = add_mover(draft, id, sphere_of(0.5), pose_at(0.99 * i, 0, 0.499));
  const ct_velocity velocity = {{0.1 * i, 0.2, -1.0 - i}, {i, 0, 1}};
  CHECK_INT(ct_draft_set_velocity(draft, row, &velocity), CT_OK);
}

/* Balls in a row that overlap each other and the ground. */
static const ct_scene *row_of(const ct_material *material) {
  const ct_scene *empty = ct_scene_create(0);
  ct_draft *draft = ct_draft_begin(empty);
  add_shape(draft, "ground", plane_of(), pose_at(0, 0, 0));
  for (int i = 0; i < BALLS; i++) drop_ball(draft, i);
  const ct_named_material item = {text_of(CT_MATERIAL_DEFAULT), *material};
  const ct_materials materials = {.items = &item, .count = 1};
  CHECK_INT(ct_draft_set_materials(draft, &materials), CT_OK);
  return seal(draft, empty);
}

static ct_mechanics *mechanics_of(const ct_scene *scene) {
  const ct_mechanics_options options = {.detail = CT_DETAIL_DEEPEST};
  ct_mechanics *mechanics = NULL;
  CHECK_INT(ct_mechanics_prepare(scene, &options, workspace, &mechanics), CT_OK);
  return mechanics;
}

static void near_vec(ct_vec3 a, ct_vec3 b, double tolerance) {
  CHECK_NEAR(ct_max_abs(ct_sub(a, b)), 0.0, tolerance);
}

/* Recomputes each ball's force and torque from the contacts. Inner forces cancel, so their total is
 * the force of the ground. */
static void sums_are_those_of_the_contacts(void) {
  const ct_scene *scene = row_of(&RUBBER);
  ct_mechanics *mechanics = mechanics_of(scene);
  ct_compliant_answer answer;
  CHECK_INT(ct_compliant_solve(scene, mechanics, &(ct_compliant_options){0}, &answer), CT_OK);
  CHECK_INT(answer.count, 2 * BALLS - 1);
  CHECK_INT(answer.body_count, BALLS);
  ct_vec3 all = {0, 0, 0}, ground = {0, 0, 0};
  for (size_t k = 0; k < answer.body_count; k++) {
    const ct_body_sum *sum = &answer.bodies[k];
    ct_vec3 center = ct_scene_pose(scene, sum->row).position, force = {0, 0, 0}, torque = {0, 0, 0};
    for (size_t i = 0; i < answer.count; i++) {
      const ct_compliant_contact *c = &answer.contacts[i];
      double sign = c->b == sum->row ? 1.0 : c->a == sum->row ? -1.0 : 0.0;
      force = ct_add_scaled(force, c->force.force, sign);
      torque = ct_add_scaled(torque, ct_cross(ct_sub(c->contact->position, center), c->force.force),
                             sign);
      torque = ct_add_scaled(torque, c->force.torque, sign);
    }
    near_vec(sum->force, force, 1e-9);
    near_vec(sum->torque, torque, 1e-9);
    all = ct_add(all, sum->force);
    CHECK(k == 0 || answer.bodies[k - 1].row < sum->row);
  }
  for (size_t i = 0; i < answer.count; i++)
    if (answer.contacts[i].a == 0) ground = ct_add(ground, answer.contacts[i].force.force);
  near_vec(all, ground, 1e-9);
  CHECK(ground.z > 1.0);
  ct_compliant_answer_free(&answer);
  ct_mechanics_destroy(mechanics);
  ct_scene_release(scene);
}

/* Row 20: the velocity stored by the contact state is used although the scene's velocity differs.
 */
static void contacts_keep_the_speed_of_their_beginning(void) {
  const ct_scene *scene = row_of(&RUBBER);
  ct_contact_event event = next_event(scene, NULL, 0.0);
  ct_draft *draft = ct_draft_begin(scene);
  for (uint32_t row = 1; row <= BALLS; row++)
    CHECK_INT(ct_draft_set_velocity(draft, row, &(ct_velocity){{0, 0, 3}, {0, 0, 0}}), CT_OK);
  const ct_scene *later = seal(draft, scene);
  ct_mechanics *mechanics = mechanics_of(later);
  ct_compliant_answer answer;
  CHECK_INT(
      ct_compliant_solve(later, mechanics, &(ct_compliant_options){.state = event.state}, &answer),
      CT_OK);
  for (size_t i = 0; i < answer.count; i++) {
    const ct_compliant_contact *c = &answer.contacts[i];
    CHECK(c->stored);
    if (c->a != 0) continue;
    double speed = 1.0 + (c->b - 1);
    CHECK_NEAR(c->approach, speed, 1e-15);
    CHECK_NEAR(c->pair.damping, 8.0 * 0.5 / (5.0 * 0.5 * speed), 1e-14);
    CHECK_NEAR(c->force.depth_rate, -3.0, 0.0);
  }
  ct_compliant_answer_free(&answer);
  ct_mechanics_destroy(mechanics);
  ct_contact_event_free(&event);
  ct_contact_state_release(event.state);
  ct_scene_release(later);
}

static void what_is_of_unknown_stiffness_has_no_force_unless_moduli_are_given(void) {
  const ct_scene *scene = row_of(&(ct_material){.restitution = 0.5});
  ct_mechanics *mechanics = mechanics_of(scene);
  ct_compliant_answer answer;
  CHECK_INT(ct_compliant_solve(scene, mechanics, &(ct_compliant_options){0}, &answer),
            CT_NOT_FOUND);
  CHECK(answer.contacts == NULL && answer.bodies == NULL && answer.count == 0 &&
        answer.body_count == 0);
  const ct_compliant_options given = {.youngs_modulus = 1e6, .poisson_ratio = 0.4};
  CHECK_INT(ct_compliant_solve(scene, mechanics, &given, &answer), CT_OK);
  CHECK_NEAR(answer.contacts[0].pair.c_res, 1e6 / (1.0 - 0.16) / 2.0, 1e-9);
  ct_compliant_answer_free(&answer);
  ct_mechanics_destroy(mechanics);
  ct_scene_release(scene);
}

static void want_of_memory_and_a_raised_flag_are_told(void) {
  NEEDS_FAILING_MALLOC;
  const ct_scene *scene = row_of(&RUBBER);
  ct_contact_event event = next_event(scene, NULL, 0.0);
  ct_mechanics *mechanics = mechanics_of(scene);
  ct_compliant_answer answer;
  ct_cancel *cancel = ct_cancel_create();
  const ct_compliant_options options = {.state = event.state, .cancel = cancel};
  long live = memory.live, failed = 0;
  ct_status status = CT_OUT_OF_MEMORY;
  for (memory.fail_at = 1; status != CT_OK; memory.fail_at++) {
    memory.taken = 0;
    memory.counting = true;
    status = ct_compliant_solve(scene, mechanics, &options, &answer);
    memory.counting = false;
    if (status == CT_OK) break;
    CHECK_INT(status, CT_OUT_OF_MEMORY);
    CHECK(answer.contacts == NULL && answer.bodies == NULL);
    CHECK_INT(memory.live, live);
    failed++;
  }
  CHECK(failed >= 5);
  ct_compliant_answer_free(&answer);
  ct_cancel_raise(cancel);
  CHECK_INT(ct_compliant_solve(scene, mechanics, &options, &answer), CT_CANCELLED);
  CHECK_INT(memory.live, live);
  ct_cancel_destroy(cancel);
  ct_mechanics_destroy(mechanics);
  ct_contact_event_free(&event);
  ct_contact_state_release(event.state);
  ct_scene_release(scene);
}

static const check_test tests[] = {
    {"sums are those of the contacts", sums_are_those_of_the_contacts},
    {"row 20 contacts keep the speed of their beginning",
     contacts_keep_the_speed_of_their_beginning},
    {"unknown stiffness", what_is_of_unknown_stiffness_has_no_force_unless_moduli_are_given},
    {"want of memory and a raised flag", want_of_memory_and_a_raised_flag_are_told},
};
WORKSPACE_MAIN(tests)
