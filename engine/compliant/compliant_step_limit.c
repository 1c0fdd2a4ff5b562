/* How far a step of motion by the elastic law may go: no farther than to where bodies may meet, or
 * a little into their contact. */
#include "compliant/compliant_motion.h"

/* Part of a contact's duration, and of the smaller body's size, that a step may lead into it: so
 * none is passed over. */
#define DURATION_PART 0.1
#define SIZE_PART 0.1
/* Duration of an undamped contact: this times (5 m / (4 k))^(2/5) v^(-1/5) (Hertz). */
#define HERTZ_DURATION 2.94

double ct_fifth_root(double x) {
  if (!(x > 0.0)) return 0.0;
  if (isinf(x)) return x;
  int exponent;
  double part = frexp(x, &exponent); /* 1/2 .. 1 */
  int whole = exponent >= 0 ? exponent / 5 : -((4 - exponent) / 5);
  part = ldexp(part, exponent - 5 * whole); /* 1/2 .. 16: its root is 0.87 .. 1.75 */
  double root = 1.75;
  for (int i = 0; i < 12; i++) {
    double square = root * root;
    root = (4.0 * root + part / (square * square)) / 5.0;
  }
  return ldexp(root, whole);
}

/* A body's motion as bounds see it. One that does not move: zeros. */
typedef struct motion {
  ct_vec3 center, linear, angular;
  double radius;     /* INFINITY: of half-spaces, and of what does not move */
  double pull, turn; /* sizes of the linear and the angular acceleration */
  bool is_dynamic;
} motion;

/* The acceleration by the rates at the start of the step tried last, or at its end, whichever is
 * greater. */
static motion motion_of(const ct_advance *advance, uint32_t index) {
  const ct_elastic *elastic = advance->elastic;
  if (index == CT_NO_ROW) return (motion){.radius = INFINITY};
  const ct_body_state *m = &elastic->bodies[index];
  motion out = {.center = m->position,
                .linear = m->velocity.linear,
                .angular = m->velocity.angular,
                .radius = m->radius,
                .is_dynamic = m->is_dynamic};
  const ct_flow *rates[2] = {&elastic->rates[0][index], &elastic->rates[CT_FLOW_STAGES - 1][index]};
  for (int k = 0; k < 2; k++) {
    ct_vec3 turn = rates[k]->spin;
    if (m->is_dynamic) {
      turn = ct_sub(turn, ct_cross(out.angular, m->angular_momentum));
      turn = ct_mat_mul(ct_body_state_inverse_inertia(m), turn);
    }
    out.pull = ct_max2(out.pull, ct_norm(rates[k]->velocity));
    out.turn = ct_max2(out.turn, ct_norm(turn));
  }
  return out;
}

/* Of the body's points within the distance of its centre: greatest speed, and greatest
 * acceleration. */
static double speed_within(const motion *m, double distance) {
  double turning = ct_norm(m->angular);
  return ct_norm(m->linear) + (turning > 0.0 ? turning * distance : 0.0);
}

static double pull_within(const motion *m, double distance) {
  double turning = m->turn + ct_norm2(m->angular);
  return m->pull + (turning > 0.0 ? turning * distance : 0.0);
}

/* A bound of how fast a pair's gap closes, and of how fast that grows: the points where the two can
 * meet are in the ball of the smaller, and as far beyond as the gap. */
static void closing(const motion *a, const motion *b, double gap, double *speed, double *pull) {
  const motion *ball = a->radius < b->radius ? a : b, *other = ball == a ? b : a;
  ct_vec3 across = ct_sub(ball->center, other->center);
  ct_vec3 relative = ct_sub(ball->linear, ct_add(other->linear, ct_cross(other->angular, across)));
  double reach = ball->radius + gap;
  *speed = ct_norm(relative) + (ct_norm(ball->angular) + ct_norm(other->angular)) * reach;
  *pull = pull_within(ball, reach) + pull_within(other, ct_norm(across) + reach);
}

/* How long a step may be that leads into a contact which begins with the speed. */
static double into_contact(const ct_advance *advance, const ct_elastic_candidate *near,
                           const motion *a, const motion *b, double speed) {
  static const ct_pair_material none = {0};
  ct_elastic_solid solids[2];
  if (!ct_scene_elastic_solid(advance->scene, near->a, near->collider_a, &solids[0]) ||
      !ct_scene_elastic_solid(advance->scene, near->b, near->collider_b, &solids[1]))
    return 0.0;
  double sum = 0.0;
  if (a->is_dynamic) sum += 1.0 / advance->now[advance->moved_of[near->a]].mass;
  if (b->is_dynamic) sum += 1.0 / advance->now[advance->moved_of[near->b]].mass;
  ct_elastic_pair pair =
      ct_elastic_pair_of(&solids[0], &solids[1], &none, 0.0, &advance->options.elastic);
  double fifth = ct_fifth_root(5.0 / (4.0 * sum * pair.c_res * pair.c_geo));
  double duration = HERTZ_DURATION * fifth * fifth / ct_fifth_root(speed);
  return ct_min2(DURATION_PART * duration,
                 SIZE_PART * ct_min2(solids[0].radius, solids[1].radius) / speed);
}

double ct_elastic_step_ahead(const ct_advance *advance) {
  const ct_elastic *elastic = advance->elastic;
  double most = ct_min2(advance->options.time_step, elastic->horizon);
  for (size_t k = 0; k < elastic->nears.count; k++) {
    const ct_elastic_candidate *near = &elastic->nears.items[k];
    if (near->distance <= 0.0) continue;
    motion a = motion_of(advance, advance->moved_of[near->a]),
           b = motion_of(advance, advance->moved_of[near->b]);
    if (isinf(a.radius) && isinf(b.radius))
      continue; /* two half-spaces have no depth that pushes */
    double speed, pull;
    closing(&a, &b, near->distance, &speed, &pull);
    double last = sqrt(speed * speed + 2.0 * pull * near->distance);
    if (!(last > 0.0)) continue;
    double meet = 2.0 * near->distance / (speed + last);
    if (meet >= most) continue;
    most = ct_min2(most, ct_max2(meet, into_contact(advance, near, &a, &b, last)));
  }
  return most;
}

/* Of its own points, over a time; of a half-space those that the ball of another body may meet. */
static double way_of(const motion *m, double distance, double time) {
  return time * (speed_within(m, distance) + time * pull_within(m, distance));
}

double ct_elastic_find_candidates_ahead(const ct_advance *advance) {
  double own = 0.0, others = 0.0, time = advance->elastic->horizon;
  for (size_t i = 0; i < advance->moved_count; i++) {
    motion m = motion_of(advance, (uint32_t)i);
    if (isinf(m.radius)) continue;
    double way = way_of(&m, m.radius, time);
    if (m.is_dynamic) own = ct_max2(own, way);
    others = ct_max2(others, way);
  }
  for (size_t j = 0; j < advance->moved_count; j++) {
    motion wide = motion_of(advance, (uint32_t)j);
    if (!isinf(wide.radius)) continue;
    for (size_t i = 0; i < advance->moved_count; i++) {
      motion m = motion_of(advance, (uint32_t)i);
      if (isinf(m.radius)) continue;
      double reach = ct_norm(ct_sub(m.center, wide.center)) + m.radius + own;
      others = ct_max2(others, way_of(&wide, reach, time));
    }
  }
  return ct_min2(own + others, CT_SIZE_MAX);
}
