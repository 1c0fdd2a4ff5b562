/* Contacts that can open at the same time. Truth: heaps on one floor can spread; a body between two
 * obstacles cannot leave both; if forces y >= 0 along the normals move no body, the contacts are
 * not reported as able to part. */
#include "tests/support/check.h"

#include "time_stepping/time_stepping.h"

enum { BODIES_MAX = 40, TOUCHES_MAX = 80, STAYS = -1 };

/* Bodies, the first of them dynamic unless they are kinematic, and contacts between them. */
typedef struct island {
  ct_integration common;
  ct_time_stepping stepping;
  ct_step step;
  ct_body_state moved[BODIES_MAX];
  ct_step_contact contacts[TOUCHES_MAX];
  uint32_t numbers[TOUCHES_MAX];
  uint32_t bodies, count;
} island;

static int add_body(island *s, ct_vec3 position, bool is_dynamic) {
  s->moved[s->bodies] = (ct_body_state){.position = position, .is_dynamic = is_dynamic};
  return (int)s->bodies++;
}

static void add_touch(island *s, int a, int b, ct_vec3 position, ct_vec3 normal) {
  s->contacts[s->count] = (ct_step_contact){.a = a == STAYS ? CT_NO_ROW : (uint32_t)a,
                                            .b = b == STAYS ? CT_NO_ROW : (uint32_t)b,
                                            .position = position,
                                            .axes[0] = normal};
  s->numbers[s->count] = s->count;
  s->count++;
}

static bool can_part(island *s) {
  s->common.next = s->moved;
  s->stepping.common = &s->common;
  s->stepping.found.items = s->contacts;
  s->step.stepping = &s->stepping;
  return ct_step_can_part(&s->step, s->numbers, s->count);
}

static bool has_one_driver(island *s) {
  (void)can_part(s);
  return ct_step_has_one_driver(&s->step, s->numbers, s->count);
}

/* A wall of unit balls, each on two balls below, on a floor at a random place and tilt. */
static void a_heap_on_one_floor_can_part(void) {
  check_random r = {17};
  for (int i = 0; i < 200; i++) {
    static island s;
    s = (island){0};
    double far = pow(10.0, check_uniform(&r, -3, 6));
    const ct_pose pose = {{far, check_uniform(&r, -far, far), check_uniform(&r, -far, far)},
                          {check_uniform(&r, -1, 1), check_uniform(&r, -1, 1), 0.5, 1.0}};
    const ct_frame frame = ct_frame_of(pose);
    int floor = i % 3 == 0 ? STAYS : add_body(&s, pose.position, false), ball[4][8] = {{0}};
    for (int row = 0; row < 4; row++)
      for (int k = 0; k < 8 - row; k++) {
        ct_vec3 at = {k + 0.5 * row, 0.0, 0.5 + row * sqrt(0.75)};
        ball[row][k] = add_body(&s, ct_to_parent(frame, at), true);
        if (row == 0)
          add_touch(&s, floor, ball[0][k], ct_to_parent(frame, ct_vec(k, 0, 0)),
                    ct_mat_mul(frame.rotation, ct_vec(0, 0, 1)));
        for (int side = 0; row > 0 && side < 2; side++) {
          ct_vec3 normal = {side ? -0.5 : 0.5, 0.0, sqrt(0.75)};
          ct_vec3 point = ct_sub(at, ct_scale(normal, 0.5));
          add_touch(&s, ball[row - 1][k + side], ball[row][k], ct_to_parent(frame, point),
                    ct_mat_mul(frame.rotation, normal));
        }
      }
    CHECK(can_part(&s));
    CHECK(has_one_driver(&s) == (floor != STAYS));
  }
}

/* A row of balls between two walls; a ball in a ring. */
static void what_is_held_from_two_sides_is_not_said_to_part(void) {
  for (int balls = 1; balls <= 5; balls++) {
    static island s;
    s = (island){0};
    int left = add_body(&s, ct_vec(-3, 0, 0), false), right = add_body(&s, ct_vec(9, 0, 0), false);
    int before = left;
    for (int k = 0; k < balls; k++) {
      int ball = add_body(&s, ct_vec(k + 0.5, 0, 0), true);
      add_touch(&s, before, ball, ct_vec(k, 0, 0), ct_vec(1, 0, 0));
      before = ball;
    }
    add_touch(&s, before, right, ct_vec(balls, 0, 0), ct_vec(1, 0, 0));
    CHECK(!can_part(&s) && !has_one_driver(&s));
  }
  for (int points = 2; points <= 20; points++) {
    static island s;
    s = (island){0};
    int ring = add_body(&s, ct_vec(0, 0, 0), false), ball = add_body(&s, ct_vec(5, 5, 5), true);
    for (int k = 0; k < points; k++) {
      double turn = 6.283185307179586 * k / points;
      ct_vec3 inward = {-cos(turn), -sin(turn), 0};
      add_touch(&s, ring, ball, ct_sub(ct_vec(5, 5, 5), inward), inward);
    }
    CHECK(!can_part(&s) && has_one_driver(&s));
  }
}

/* Random forces y >= 0 that move no body: the force of the last contact balances the others. */
static void forces_that_move_no_body_are_never_denied(void) {
  check_random r = {18};
  int claims = 0;
  for (int i = 0; i < 2000; i++) {
    static island s;
    s = (island){0};
    int count = 2 + (int)(check_next(&r) % 4), wall = add_body(&s, ct_vec(0, 0, 0), false);
    ct_vec3 at = {check_uniform(&r, -9, 9), check_uniform(&r, -9, 9), check_uniform(&r, -9, 9)};
    int ball = add_body(&s, at, true);
    ct_vec3 sum = {0, 0, 0};
    for (int k = 0; k < count; k++) {
      ct_vec3 n = {check_uniform(&r, -1, 1), check_uniform(&r, -1, 1), check_uniform(&r, -1, 1)};
      n = ct_scale(n, 1.0 / ct_norm(n));
      sum = ct_add_scaled(sum, n, check_uniform(&r, 0.1, 1));
      add_touch(&s, wall, ball, ct_sub(at, ct_scale(n, 0.5)), n);
    }
    claims += can_part(&s);
    ct_vec3 last = ct_scale(sum, -1.0 / ct_norm(sum));
    add_touch(&s, wall, ball, ct_sub(at, ct_scale(last, 0.5)), last);
    CHECK(!can_part(&s));
  }
  CHECK(claims > 100);
}

static const check_test tests[] = {
    {"a_heap_on_one_floor_can_part", a_heap_on_one_floor_can_part},
    {"what_is_held_from_two_sides_is_not_said_to_part",
     what_is_held_from_two_sides_is_not_said_to_part},
    {"forces_that_move_no_body_are_never_denied", forces_that_move_no_body_are_never_denied},
};
CHECK_MAIN(tests)
