/* Time stepping of bodies that roll, rock, slide, tip and are carried, against closed forms and
 * integrations of the rolling equations with a relative error below 1e-12 (motion_references.jsonl
 * of the reference corpus, whose ids are the names here). The error falls with the square of the
 * step, the depth at the ends of steps stays below a millionth of the body, energy never grows, and
 * its balance closes to round-off. */
#include "tests/support/advance.h"

#include "base/trigonometry.h"

#define STEPS_TRIED 4
#define TRUTHS_MAX 12
#define ORDER_MIN 1.8
#define DEPTH_MAX 1e-6  /* relative to the radius */
#define ROUND_OFF 1e-12 /* relative; errors below it have no order */

/* ---- what is measured ------------------------------------------------------------------------ */

typedef struct sample {
  ct_pose pose;
  ct_velocity velocity;
} sample;

typedef double measure(const sample *s);

static double at_x(const sample *s) { return s->pose.position.x; }
static double at_y(const sample *s) { return s->pose.position.y; }
static double at_z(const sample *s) { return s->pose.position.z; }
static double speed_x(const sample *s) { return s->velocity.linear.x; }
static double speed_y(const sample *s) { return s->velocity.linear.y; }
static double spin_x(const sample *s) { return s->velocity.angular.x; }
static double spin_y(const sample *s) { return s->velocity.angular.y; }
static double spin_z(const sample *s) { return s->velocity.angular.z; }
static double spin_y_size(const sample *s) { return fabs(s->velocity.angular.y); }
static ct_vec3 axis_of(const sample *s) {
  return ct_mat_mul(ct_quat_matrix(s->pose.rotation), ct_vec(0, 0, 1));
}
static double axis_z(const sample *s) { return axis_of(s).z; }
/* Azimuth of the contact line of a cone whose axis points to its apex. */
static double azimuth(const sample *s) { return atan2(-axis_of(s).y, -axis_of(s).x); }
static double tilt_y(const sample *s) {
  ct_vec3 x = ct_mat_mul(ct_quat_matrix(s->pose.rotation), ct_vec(1, 0, 0));
  return atan2(-x.z, x.x);
}
/* Distance along a board that the y axis turns upwards at 0.2 rad/s, and its rate, after
 * BOARD_TIME. */
#define BOARD_RATE 0.2
#define BOARD_TIME 2.828723182858528
static double along_board(const sample *s) {
  ct_sin_cos turn = ct_sin_cos_of(BOARD_RATE * BOARD_TIME);
  return s->pose.position.x * turn.cosine + s->pose.position.z * turn.sine;
}
static double speed_along_board(const sample *s) {
  ct_sin_cos turn = ct_sin_cos_of(BOARD_RATE * BOARD_TIME);
  double up = s->pose.position.z * turn.cosine - s->pose.position.x * turn.sine;
  return s->velocity.linear.x * turn.cosine + s->velocity.linear.z * turn.sine + BOARD_RATE * up;
}

/* A quantity at a time; `scale` makes errors of several quantities comparable. */
typedef struct truth {
  double time;
  measure *of;
  double value, scale;
} truth;

typedef struct motion_case {
  const char *id;
  placed_body body; /* without its motion, which has the mass */
  double mass;
  ct_vec3 gravity;
  double friction;
  ct_velocity floor;           /* of the half-space z <= 0, if it is kinematic */
  ct_acceleration floor_gains; /* its acceleration */
  bool is_floor_driven;
  double radius;            /* of the body; the depth is relative to it */
  double error;             /* largest error at the smallest step */
  double order;             /* least order of convergence; 0: ORDER_MIN */
  truth truths[TRUTHS_MAX]; /* those with a quantity, by ascending time */
} motion_case;

static size_t count_truths(const motion_case *c) {
  size_t count = 0;
  while (count < TRUTHS_MAX && c->truths[count].of) count++;
  return count;
}

/* ---- depth below the floor, in closed form --------------------------------------------------- */

/* Height of the body's lowest point above the plane z = 0 of the floor's frame. */
static double lowest_of(const ct_shape *shape, const sample *s, const sample *floor) {
  ct_vec3 up = ct_mat_mul(ct_quat_matrix(floor->pose.rotation), ct_vec(0, 0, 1));
  ct_vec3 n = ct_mat_tmul(ct_quat_matrix(s->pose.rotation), up);
  double reach = 0.0, round = sqrt(n.x * n.x + n.y * n.y);
  switch (shape->kind) {
  case CT_KIND_SPHERE: reach = shape->sphere.radius; break;
  case CT_KIND_ELLIPSOID: {
    ct_vec3 r = shape->ellipsoid.radii;
    reach = ct_norm(ct_vec(r.x * n.x, r.y * n.y, r.z * n.z));
    break;
  }
  case CT_KIND_CYLINDER:
    reach = shape->cylinder.radius * round + shape->cylinder.half_length * fabs(n.z);
    break;
  case CT_KIND_CONE:
    reach = fmax(-shape->cone.half_length * n.z,
                 shape->cone.half_length * n.z + shape->cone.radius_bottom * round);
    break;
  default: {
    ct_vec3 h = shape->box.half;
    reach = fabs(h.x * n.x) + fabs(h.y * n.y) + fabs(h.z * n.z);
  }
  }
  return ct_dot(up, ct_sub(s->pose.position, floor->pose.position)) - reach;
}

/* ---- run ------------------------------------------------------------------------------------- */

typedef struct outcome {
  double error, depth, imbalance, gain;
} outcome;

/* The larger number; NaN if one of them is NaN. */
static double larger(double a, double b) { return isnan(a) || a > b ? a : b; }

static const ct_scene *scene_of_case(const motion_case *c, const ct_motion *mass,
                                     const ct_motion *driven) {
  placed_body bodies[2] = {ground, c->body};
  bodies[1].motion = mass;
  if (c->is_floor_driven) {
    bodies[0].motion = driven;
    bodies[0].velocity = c->floor;
  }
  return scene_with(bodies, 2, friction_of(c->friction));
}

static sample sample_of(const ct_advance *advance, uint32_t row) {
  sample s;
  ct_advance_body(advance, row, &s.pose, &s.velocity);
  return s;
}

/* Runs one advance to a time, in steps of at most `step`, and adds the errors of all values at this
 * time to the outcome. */
static void run_to(const motion_case *c, const ct_scene *scene, double step, double time,
                   outcome *out) {
  double count = ceil(time / step - 1e-9);
  ct_advance_options o = stepping_under_gravity(time, time / count);
  o.gravity = c->gravity;
  ct_advance *advance = advance_of(scene, &o);
  const ct_advance_state start = ct_advance_now(advance);
  double begin = start.kinetic_energy + start.potential_energy, size = 0.0;
  for (bool done = false; !done;) {
    CHECK_INT(ct_advance_step(advance, workspace, arena, &done), CT_OK);
    sample floor = sample_of(advance, 0), s = sample_of(advance, 1);
    out->depth = larger(out->depth, -lowest_of(&c->body.shape, &s, &floor) / c->radius);
    ct_advance_state now = ct_advance_now(advance);
    double energy = now.kinetic_energy + now.potential_energy,
           balance = begin + now.work + now.correction_work + now.separation_work - now.dissipation;
    size = larger(size, now.kinetic_energy + fabs(now.potential_energy));
    out->imbalance = larger(out->imbalance, fabs(energy - balance) / larger(size, fabs(begin)));
    out->gain = larger(out->gain, (energy - begin - now.work) / larger(size, fabs(begin)));
  }
  sample s = sample_of(advance, 1);
  for (size_t i = 0; i < count_truths(c); i++) {
    const truth *t = &c->truths[i];
    if (t->time == time) out->error = larger(out->error, fabs(t->of(&s) - t->value) / t->scale);
  }
  ct_advance_destroy(advance);
}

/* Runs the case with four steps, prints errors and depths, and checks the order. */
static void converges(const motion_case *c) {
  static const double tried[STEPS_TRIED] = {0.01, 0.005, 0.0025, 0.00125};
  const ct_motion mass = {.source = CT_MASS_MASS, .value = c->mass},
                  driven = {.is_kinematic = true, .acceleration = &c->floor_gains};
  const ct_scene *scene = scene_of_case(c, &mass, &driven);
  outcome all[STEPS_TRIED] = {{0, 0, 0, 0}};
  for (int k = 0; k < STEPS_TRIED; k++)
    for (size_t i = 0; i < count_truths(c); i++)
      if (i == 0 || c->truths[i].time != c->truths[i - 1].time)
        run_to(c, scene, tried[k], c->truths[i].time, &all[k]);
  const outcome *first = &all[0], *last = &all[STEPS_TRIED - 1];
  double order = log2(first->error / last->error) / (STEPS_TRIED - 1);
  fprintf(stderr, "  %-20s error", c->id);
  for (int k = 0; k < STEPS_TRIED; k++) fprintf(stderr, " %8.1e", all[k].error);
  fprintf(stderr, "  order %5.2f  depth", order);
  for (int k = 0; k < STEPS_TRIED; k++) fprintf(stderr, " %8.1e", all[k].depth);
  fprintf(stderr, "  gain %8.1e imbalance %7.1e\n", first->gain, first->imbalance);
  CHECK(first->error <= ROUND_OFF || order >= (c->order > 0.0 ? c->order : ORDER_MIN));
  CHECK(last->error <= c->error);
  for (int k = 0; k < STEPS_TRIED; k++) {
    CHECK(all[k].depth <= DEPTH_MAX);
    CHECK(all[k].gain <= (c->is_floor_driven ? 1e-8 : ROUND_OFF));
    CHECK(all[k].imbalance <= ROUND_OFF);
  }
  ct_scene_release(scene);
}

/* ---- cases ----------------------------------------------------------------------------------- */

static const ct_vec3 down = {0, 0, -GRAVITY};

static ct_shape ellipsoid_of(double x, double y, double z) {
  return (ct_shape){.kind = CT_KIND_ELLIPSOID, .ellipsoid.radii = {x, y, z}};
}

static void an_ellipsoid_rocks_with_its_period(void) {
  const motion_case c = {
      .id = "ellipsoid-planar-0",
      .body = {"e",
               ellipsoid_of(0.3, 0.25, 0.2),
               {{0, 0, 0.2269194622620469}, {0, 0.24740395925452294, 0, 0.9689124217106447}},
               AT_REST,
               NULL},
      .mass = 2,
      .gravity = down,
      .friction = 1,
      .radius = 0.3,
      .error = 1e-4,
      .truths = {{0.31145150456498905, spin_y_size, 2.828855239024, 2.83},
                 {0.31145150456498905, at_z, 0.2, 0.2},
                 {1.2458060182599562, tilt_y, 0.5, 0.5},
                 {1.2458060182599562, at_x, 0.0, 0.3}}};
  converges(&c);
  const motion_case d = {
      .id = "ellipsoid-planar-1",
      .body = {"e",
               ellipsoid_of(0.5, 0.3, 0.2),
               {{0, 0, 0.21974666238579613}, {0, 0.09983341664682815, 0, 0.9950041652780258}},
               AT_REST,
               NULL},
      .mass = 5,
      .gravity = down,
      .friction = 1,
      .radius = 0.5,
      .error = 3e-4,
      .truths = {{0.17766879518834564, spin_y_size, 1.988306417094, 2},
                 {0.17766879518834564, at_z, 0.2, 0.2},
                 {0.7106751807533825, tilt_y, 0.2, 0.2},
                 {0.7106751807533825, at_x, 0.0, 0.5}}};
  converges(&d);
}

/* Lengths and gravity a thousand times as large: the same angles at the same times. Each of 1,500
 * steps of 10 ms, and of 1,500 of 1 ms, keeps the energy and the depth. */
static void a_large_ellipsoid_rocks_for_long(void) {
  const motion_case c = {
      .id = "planar-0 x 1000",
      .body = {"e",
               ellipsoid_of(300, 250, 200),
               {{0, 0, 226.9194622620469}, {0, 0.24740395925452294, 0, 0.9689124217106447}},
               AT_REST,
               NULL},
      .mass = 2,
      .gravity = {0, 0, -1000 * GRAVITY},
      .friction = 1,
      .radius = 300,
      .error = 1e-4,
      .truths = {{0.31145150456498905, spin_y_size, 2.828855239024, 2.83},
                 {0.31145150456498905, at_z, 200, 200},
                 {1.2458060182599562, tilt_y, 0.5, 0.5}}};
  converges(&c);
  const ct_motion mass = {.source = CT_MASS_MASS, .value = c.mass};
  const ct_scene *scene = scene_of_case(&c, &mass, NULL);
  for (double step = 0.01; step >= 0.001; step *= 0.1) {
    outcome out = {0, 0, 0, 0};
    run_to(&c, scene, step, 1500 * step, &out);
    fprintf(stderr, "  1500 steps of %g s: depth %.1e gain %.1e imbalance %.1e\n", step, out.depth,
            out.gain, out.imbalance);
    CHECK(out.depth <= DEPTH_MAX && out.gain <= ROUND_OFF && out.imbalance <= ROUND_OFF);
  }
  ct_scene_release(scene);
}

static void an_ellipsoid_rolls(void) {
  const motion_case c = {
      .id = "ellipsoid-0",
      .body = {"e",
               ellipsoid_of(0.3, 0.25, 0.2),
               {{0, 0, 0.217107880303037},
                {0.20254787341673333, 0.15191090506254998, 0.10127393670836667,
                 0.9621023987294832}},
               {{-0.19795792208040736, -0.1683768916257147, -0.035722552260368086}, {0.5, -0.8, 1}},
               NULL},
      .mass = 2,
      .gravity = down,
      .friction = 1,
      .radius = 0.3,
      .error = 1e-4,
      .truths = {{0.5, axis_z, 0.9649033790691, 1},
                 {0.5, at_x, -0.1777408871777, 0.3},
                 {0.5, at_z, 0.2072524269599, 0.3},
                 {0.5, spin_x, -1.71895882199, 2},
                 {1, axis_z, 0.8961696254872, 1},
                 {1, at_y, 0.1954312064357, 0.3},
                 {1, spin_y, 0.9684857377906, 2},
                 {2, axis_z, 0.9527197618636, 1},
                 {2, at_x, -0.09677240278291, 0.3},
                 {2, at_y, 0.1266444020539, 0.3},
                 {2, spin_y, -2.056483961895, 2},
                 {2, spin_z, 1.107529042142, 2}}};
  converges(&c);
}

static ct_shape disk(void) {
  return (ct_shape){.kind = CT_KIND_CYLINDER, .cylinder = {.radius = 0.2, .half_length = 0.02}};
}

static void a_disk_rolls_on_its_rim(void) {
  const motion_case c = {
      .id = "disk-steady-0",
      .body = {"d",
               disk(),
               {{0, 0, 0.11343675895864809}, {0, 0.24740395925452294, 0, 0.9689124217106447}},
               {{0, 0, 0}, {-8.228087697463264, 0, 5.625136154198465}},
               NULL},
      .mass = 1,
      .gravity = down,
      .friction = 1,
      .radius = 0.2,
      .error = 1e-4,
      .truths = {
          {1, axis_z, 0.8775825618904, 1}, {1, at_x, 0, 0.2}, {1, at_z, 0.1134367589586, 0.2}}};
  converges(&c);
  const motion_case d = {
      .id = "disk-nutating-0",
      .body = {"d",
               disk(),
               {{0, 0, 0.11343675895864809}, {0, 0.24740395925452294, 0, 0.9689124217106447}},
               {{0.02268735179172962, -0.03403102768759425, 0.0331856003211981},
                {-7.928087697463265, 0.2, 5.625136154198465}},
               NULL},
      .mass = 1,
      .gravity = down,
      .friction = 1,
      .radius = 0.2,
      .error = 5e-4,
      .truths = {{0.25, axis_z, 0.8912512343122, 1},
                 {0.25, spin_x, -4.47275634618, 8},
                 {0.25, spin_y, 7.404866818498, 8},
                 {0.5, axis_z, 0.8840306572962, 1},
                 {0.5, spin_y, 7.193290227936, 8},
                 {0.5, at_z, 0.1111663975113, 0.2}}};
  converges(&d);
}

static void a_sphere_slides_and_then_rolls(void) {
  const motion_case c = {
      .id = "sphere-slide-roll-0",
      .body = {"s", sphere_of(0.1), pose_at(0, 0, 0.1), {{2, 0.5, 0}, {3, -8, 4}}, NULL},
      .mass = 1,
      .gravity = down,
      .friction = 0.3,
      .radius = 0.1,
      .error = 1e-5,
      .truths = {{1.5, speed_x, 1.2, 2},
                 {1.5, speed_y, 0.2714285714286, 2},
                 {1.5, at_x, 1.913083596164, 2},
                 {1.5, at_y, 0.4394524560468, 2},
                 {1.5, spin_x, -2.714285714286, 8},
                 {1.5, spin_y, 12, 8}}};
  converges(&c);
}

/* A cone of half angle 0.4 and height 0.3 with its apex at the origin and its contact line at the
 * azimuth phi, which turns at the rate `rate`. */
static placed_body cone_at(double phi, double rate) {
  const double alpha = 0.4, height = 0.3;
  ct_sin_cos a = ct_sin_cos_of(alpha), p = ct_sin_cos_of(phi);
  ct_vec3 e = ct_vec(p.cosine, p.sine, 0), d = ct_add(ct_scale(e, a.cosine), ct_vec(0, 0, a.sine)),
          up = ct_neg(d);
  /* The shortest rotation from z to the direction of the apex. */
  ct_vec3 turn = ct_cross(ct_vec(0, 0, 1), up);
  double w = 1.0 + up.z, length = sqrt(ct_dot(turn, turn) + w * w);
  ct_vec3 spin = ct_scale(e, -rate * a.cosine / a.sine);
  return (placed_body){
      "c",
      {.kind = CT_KIND_CONE,
       .cone = {.half_length = height / 2, .radius_bottom = 0.12683796562144853}},
      {ct_scale(d, height / 2), {turn.x / length, turn.y / length, turn.z / length, w / length}},
      {ct_cross(spin, ct_scale(d, 0.75 * height)), spin},
      NULL};
}

static void a_cone_rolls_on_its_side(void) {
  const motion_case c = {.id = "cone-0",
                         .body = cone_at(0.2, 1.3),
                         .mass = 1,
                         .gravity = down,
                         .friction = 1,
                         .radius = 0.15,
                         .error = 1e-4,
                         .truths = {{2, azimuth, 2.8, 1}}};
  converges(&c);
  const motion_case d = {.id = "cone-1",
                         .body = cone_at(0.8, 0.0),
                         .mass = 1,
                         .gravity = {1.4659880795660083, 0, -9.699844274552575},
                         .friction = 1,
                         .radius = 0.15,
                         .error = 1e-4,
                         .truths = {{2, azimuth, -0.5397140196284, 1}}};
  converges(&d);
}

static void a_box_is_carried_by_a_platform(void) {
  const motion_case c = {.id = "lift-1",
                         .body = {"b", box_of(0.3, 0.3, 0.1), pose_at(0, 0, 0.1), AT_REST, NULL},
                         .mass = 2,
                         .gravity = down,
                         .friction = 0.5,
                         .is_floor_driven = true,
                         .floor_gains = {.linear = {3, 0, 1}},
                         .radius = 0.4,
                         .error = 1e-9,
                         .truths = {{2, at_x, 6, 1}, {2, at_z, 2.1, 1}, {2, speed_x, 6, 1}}};
  converges(&c);
  const motion_case d = {.id = "board-0",
                         .body = {"b",
                                  box_of(0.1, 0.1, 0.05),
                                  pose_at(0.6, 0, 0.05),
                                  {{BOARD_RATE * -0.05, 0, BOARD_RATE * 0.6}, {0, -BOARD_RATE, 0}},
                                  NULL},
                         .mass = 1,
                         .gravity = down,
                         .friction = 0.5,
                         .is_floor_driven = true,
                         .floor = {{0, 0, 0}, {0, -BOARD_RATE, 0}},
                         .radius = 0.15,
                         .error = 1e-6,
                         .truths = {{BOARD_TIME, along_board, 0.5531367836893, 0.5},
                                    {BOARD_TIME, speed_along_board, -0.28355543378, 0.5}}};
  converges(&d);
}

/* The block stops and returns within a step, so the order is one. */
static void a_block_slides_on_a_slope(void) {
  const double angle = 0.580506377112365;
  ct_sin_cos slope = ct_sin_cos_of(angle);
  const motion_case c = {
      .id = "slope-1",
      .body = {"b", box_of(0.2, 0.2, 0.05), pose_at(0, 0, 0.05), {{-1.5, 0, 0}, {0, 0, 0}}, NULL},
      .mass = 1,
      .gravity = {GRAVITY * slope.sine, 0, -GRAVITY * slope.cosine},
      .friction = 0.4,
      .radius = 0.2,
      .order = 0.9,
      .error = 2e-3,
      .truths = {{2, at_x, 3.372708964708, 3}, {2, speed_x, 3.834637863497, 4}}};
  converges(&c);
}

/* Tilt of a box of half width b and half height h that rocks about its lower edge, by the
 * Runge-Kutta method with steps of 1e-5 s; *rate: its angular speed. */
static double tilt_after(double b, double h, double tilt, double time, double *rate) {
  long double r = sqrtl((long double)(b * b + h * h)), balance = atan2l(b, h), a = tilt, w = 0.0L,
              k = 0.75L * GRAVITY / r;
  int count = (int)(time * 1e5);
  long double dt = time / (long double)count;
  for (int i = 0; i < count; i++) {
    long double a1 = w, w1 = -k * sinl(balance - a);
    long double a2 = w + 0.5L * dt * w1, w2 = -k * sinl(balance - a - 0.5L * dt * a1);
    long double a3 = w + 0.5L * dt * w2, w3 = -k * sinl(balance - a - 0.5L * dt * a2);
    long double a4 = w + dt * w3, w4 = -k * sinl(balance - a - dt * a3);
    a += dt / 6.0L * (a1 + 2.0L * a2 + 2.0L * a3 + a4);
    w += dt / 6.0L * (w1 + 2.0L * w2 + 2.0L * w3 + w4);
  }
  *rate = (double)w;
  return (double)a;
}

static void a_box_tips_over_its_edge(void) {
  const double b = 0.1, h = 0.3, tilt = 0.15, time = 0.2;
  double rate, angle = tilt_after(b, h, tilt, time, &rate);
  ct_sin_cos t = ct_sin_cos_of(tilt), half = ct_sin_cos_of(tilt / 2);
  const motion_case c = {.id = "tip-0",
                         .body = {"b",
                                  box_of(b, 0.2, h),
                                  {{b * t.cosine - h * t.sine, 0, b * t.sine + h * t.cosine},
                                   {0, -half.sine, 0, half.cosine}},
                                  AT_REST,
                                  NULL},
                         .mass = 2,
                         .gravity = down,
                         .friction = 2,
                         .radius = 0.35,
                         .order = 1.7,
                         .error = 3e-5,
                         .truths = {{time, tilt_y, -angle, 0.15}, {time, spin_y, -rate, 1}}};
  converges(&c);
}

int main(int argc, char **argv) {
  static const check_test tests[] = {
      {"an_ellipsoid_rocks_with_its_period", an_ellipsoid_rocks_with_its_period},
      {"a_large_ellipsoid_rocks_for_long", a_large_ellipsoid_rocks_for_long},
      {"an_ellipsoid_rolls", an_ellipsoid_rolls},
      {"a_disk_rolls_on_its_rim", a_disk_rolls_on_its_rim},
      {"a_sphere_slides_and_then_rolls", a_sphere_slides_and_then_rolls},
      {"a_cone_rolls_on_its_side", a_cone_rolls_on_its_side},
      {"a_box_is_carried_by_a_platform", a_box_is_carried_by_a_platform},
      {"a_block_slides_on_a_slope", a_block_slides_on_a_slope},
      {"a_box_tips_over_its_edge", a_box_tips_over_its_edge},
  };
  return advance_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
