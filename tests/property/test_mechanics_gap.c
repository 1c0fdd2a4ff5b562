/* Velocity and acceleration of the gap, against finite differences of the true distance along the
 * paths of two bodies: every kind of body against every other, with random poses, velocities,
 * rotations and accelerations.
 *
 * Bodies have margins, so that distances around zero are those of separated convex proxies: exact
 * to round-off. In some cases one body has no margin: its vertices and edges are sharp. Seven
 * distances give three central differences, and Richardson extrapolation of those gives the
 * reference. It is used only if its last two steps agree: they do not if the nearest features
 * change meanwhile. */
#include "mechanics/mechanics_curvature.h"
#include "tests/support/blocks.h"
#include "tests/support/check.h"
#include "tests/support/meshes.h"
#include "tests/support/motion.h"
#include "tests/support/shapes.h"
#include "tests/support/workspace.h"

#include <contact/manifold.h>

#define KINDS 11
#define STEP 0.04    /* s, the longest; bodies rotate at about one radian a second */
#define SETTLED 1e-7 /* tolerated difference of two extrapolations, relative */
#define PRECISE 1e-6 /* permitted error of the engine, relative */

typedef struct mover_case {
  ct_shape shape;
  ct_pose pose;
  ct_vec3 center; /* centre of mass, in the body's frame */
  ct_velocity velocity;
  ct_vec3 linear, angular; /* accelerations */
} mover_case;

/* ---- the true gap --------------------------------------------------------------------------- */

static ct_quat turned_by(ct_vec3 angle, ct_quat q) {
  double a = ct_norm(angle), half = 0.5 * a, s = a > 0.0 ? sin(half) / a : 0.5;
  return ct_quat_mul((ct_quat){s * angle.x, s * angle.y, s * angle.z, cos(half)}, q);
}

/* The rotation vector w t + a t^2 / 2 has the velocity w and the acceleration a at t = 0. */
static ct_frame frame_at(const mover_case *m, double t) {
  ct_vec3 center = ct_to_parent(ct_frame_of(m->pose), m->center);
  center = ct_add_scaled(ct_add_scaled(center, m->velocity.linear, t), m->linear, 0.5 * t * t);
  ct_vec3 angle = ct_add_scaled(ct_scale(m->velocity.angular, t), m->angular, 0.5 * t * t);
  ct_frame f = {.rotation = ct_quat_matrix(turned_by(angle, m->pose.rotation))};
  f.position = ct_sub(center, ct_mat_mul(f.rotation, m->center));
  return f;
}

static double gap_at(const mover_case c[2], double t) {
  static const ct_pair_options all = {.threshold = INFINITY};
  ct_frame a = frame_at(&c[0], t), b = frame_at(&c[1], t);
  ct_pair_result r;
  ct_pair_distance((ct_placed){&c[0].shape, &a}, (ct_placed){&c[1].shape, &b}, &all, workspace, &r);
  return r.distance;
}

/* Richardson extrapolation: halves the step twice and removes errors of second and fourth order.
 * False: the last step still changed the result. */
static bool converge(const double raw[3], double scale, double *out) {
  double first = (4.0 * raw[1] - raw[0]) / 3.0, second = (4.0 * raw[2] - raw[1]) / 3.0;
  *out = (16.0 * second - first) / 15.0;
  return fabs(*out - second) <= SETTLED * scale && fabs(second - first) <= 30.0 * SETTLED * scale;
}

static bool differences(const mover_case c[2], double step, double scale, double *velocity,
                        double *acceleration) {
  double v[3], a[3], here = gap_at(c, 0.0);
  for (int i = 0; i < 3; i++, step *= 0.5) {
    double before = gap_at(c, -step), after = gap_at(c, step);
    if (before == 0.0 || after == 0.0) return false; /* a surface crosses: it has no depth */
    v[i] = (after - before) / (2.0 * step);
    a[i] = ((after - here) - (here - before)) / (step * step);
  }
  return converge(v, scale, velocity) && converge(a, scale, acceleration);
}

/* ---- reported values ------------------------------------------------------------------------- */

static ct_mass_body body_of(const mover_case *m) {
  return (ct_mass_body){.mobility = CT_KINEMATIC,
                        .center = ct_to_parent(ct_frame_of(m->pose), m->center),
                        .velocity = m->velocity,
                        .linear_acceleration = m->linear,
                        .angular_acceleration = m->angular};
}

static ct_contact touch_of(const mover_case c[2], const ct_contact_point *p) {
  ct_frame a = ct_frame_of(c[0].pose), b = ct_frame_of(c[1].pose);
  return (ct_contact){.a = 0,
                      .b = 1,
                      .position = ct_lerp(p->point_a, p->point_b, 0.5),
                      .normal = p->normal,
                      .surface_a = ct_surface_at(&c[0].shape, &a, p->a, p->point_a, p->normal),
                      .surface_b =
                          ct_surface_at(&c[1].shape, &b, p->b, p->point_b, ct_neg(p->normal))};
}

/* ---- cases ---------------------------------------------------------------------------------- */

/* Elements of a cell with displaced corners. */
static ct_shape random_cell(check_random *r) {
  block b = block_make(CT_TETRAHEDRA, 1, 1, 1);
  block_jitter(&b, r, 0.09);
  ct_shape shape = ct_shape_of_elements(block_elements(&b));
  block_free(&b);
  return shape;
}

static ct_shape random_shape(check_random *r, int kind) {
  double x = check_uniform(r, 0.3, 1), y = check_uniform(r, 0.3, 1), z = check_uniform(r, 0.3, 1);
  ct_vec3 points[12];
  for (int i = 0; i < 12; i++) points[i] = random_vector(r, 1.0);
  switch (kind) {
  case 0: return sphere(x);
  case 1: return box(x, y, z);
  case 2: return capsule(x, y, check_next(r) % 2 ? y : y + 0.5 * x);
  case 3: return cylinder(x, y);
  case 4: return cone(x, y, 0);
  case 5: return cone(x, y, 0.5 * z);
  case 6: return ellipsoid(x, y, z);
  case 7: return hull_shape(points, 12);
  case 8: return soup_random(r);
  case 9: return random_cell(r);
  default: return plane();
  }
}

static mover_case random_mover(check_random *r, int kind, double margin) {
  mover_case m = {.shape = random_shape(r, kind),
                  .pose = {random_vector(r, 1), random_rotation(r)},
                  .center = random_vector(r, 0.3),
                  .velocity = {random_vector(r, 1), random_vector(r, 1)},
                  .linear = random_vector(r, 5),
                  .angular = random_vector(r, 2)};
  m.shape.margin = margin;
  if (kind >= 1 && kind <= 7 && check_next(r) % 3 == 0) {
    m.shape.rounding = check_uniform(r, 0.02, 0.1);
    m.shape.inset = kind <= 5 && check_next(r) % 2;
  }
  return m;
}

/* Moves b along the pair's normal until the two touch, with separated convex proxies. False: in
 * most cases because a surface crosses the other body. */
static bool bring_together(mover_case c[2], ct_manifold *out) {
  static const ct_pair_options all = {.threshold = INFINITY};
  static const ct_contact_options near = {1e-9, 0.0, CT_DETAIL_FULL};
  for (int i = 0; i < 60; i++) {
    ct_frame a = ct_frame_of(c[0].pose), b = ct_frame_of(c[1].pose);
    ct_placed pa = {&c[0].shape, &a}, pb = {&c[1].shape, &b};
    ct_pair_result r;
    ct_pair_distance(pa, pb, &all, workspace, &r);
    if (r.status != CT_PAIR_OK || (r.distance == 0.0 && r.depth_kind == CT_DEPTH_NONE))
      return false;
    if (fabs(r.distance) <= 1e-14) {
      ct_pair_contacts(pa, pb, &near, workspace, out);
      return true;
    }
    c[1].pose.position = ct_add_scaled(c[1].pose.position, r.normal, -r.distance);
  }
  return false;
}

typedef struct tally {
  int tried, compared;
  double worst_velocity, worst;
} tally;

static void compare(const mover_case c[2], const ct_contact_point *p, tally *t) {
  const ct_mass_body bodies[2] = {body_of(&c[0]), body_of(&c[1])};
  const ct_contact contact = touch_of(c, p);
  const ct_contact_set set = {bodies, 2, &contact, 1};
  double reported = ct_contact_free_acceleration(&set, &contact, NULL),
         scale = 10.0 + fabs(reported), velocity, acceleration;
  t->tried++;
  bool settled = false;
  for (double step = STEP; step > STEP / 10 && !settled; step *= 0.5)
    settled = differences(c, step, scale, &velocity, &acceleration);
  if (!settled) return;
  t->compared++;
  double off = fabs(acceleration - reported) / scale,
         off_velocity = fabs(velocity - ct_contact_relative_velocity(&set, &contact, 0).normal);
  t->worst = ct_max2(t->worst, off);
  t->worst_velocity = ct_max2(t->worst_velocity, off_velocity);
  CHECK_NEAR(off, 0, PRECISE);
  CHECK_NEAR(off_velocity, 0, PRECISE);
}

static void release(mover_case c[2]) {
  ct_shape_release(&c[0].shape);
  ct_shape_release(&c[1].shape);
}

static void random_pair(check_random *r, int i, int j, int k, mover_case c[2]) {
  c[0] = random_mover(r, k % 2 ? i : j, 0.05);
  c[1] = random_mover(r, k % 2 ? j : i, k % 3 ? 0.03 : 0.0);
}

/* Rows 42, 47 and 52: dg/dt is the normal velocity, d2g/dt2 the free acceleration, of bodies that
 * rotate at their angular velocities. */
static void kinds_against_kinds(void) {
  check_random r = {4702};
  int pairs = getenv("CONTACTD_FULL") ? 1000 : 60;
  for (int i = 0; i < KINDS; i++)
    for (int j = 0; j <= i && j < KINDS - 1; j++) {
      tally t = {0};
      for (int k = 0; k < pairs; k++) {
        mover_case c[2];
        ct_manifold m;
        random_pair(&r, i, j, k, c);
        if (bring_together(c, &m) && m.count == 1) compare(c, &m.points[0], &t);
        release(c);
      }
      CHECK(t.tried > pairs * 3 / 4 && t.compared > t.tried * 3 / 5);
      if (getenv("CONTACTD_FULL"))
        printf("%d %d: %d of %d, off by %.1e, %.1e\n", i, j, t.compared, t.tried, t.worst_velocity,
               t.worst);
    }
}

/* The second body moves rigidly with the first. */
static void move_as_one(mover_case c[2]) {
  ct_vec3 arm = ct_sub(ct_to_parent(ct_frame_of(c[1].pose), c[1].center),
                       ct_to_parent(ct_frame_of(c[0].pose), c[0].center));
  ct_vec3 w = c[0].velocity.angular;
  c[1].velocity.angular = w;
  c[1].angular = c[0].angular;
  c[1].velocity.linear = ct_add(c[0].velocity.linear, ct_cross(w, arm));
  c[1].linear =
      ct_add(c[0].linear, ct_add(ct_cross(c[0].angular, arm), ct_cross(w, ct_cross(w, arm))));
}

/* Row 47: the contacts of two bodies that move as one rigid body do not change: flat, along edges,
 * in corners. */
static void moving_as_one(void) {
  check_random r = {4703};
  static const ct_quat turns[] = {{0, 0, 0, 1},
                                  {0, 0, .7071067811865476, .7071067811865476},
                                  {.7071067811865476, 0, 0, .7071067811865476},
                                  {0, 0, .3826834323650898, .9238795325112867}};
  int points = 0, several = 0;
  for (int k = 0; k < 3000; k++) {
    static const int flat[] = {1, 1, 2, 3, 3, 5, 8, KINDS - 1};
    int i = flat[check_next(&r) % 8], j = flat[check_next(&r) % 7];
    mover_case c[2];
    ct_manifold m;
    random_pair(&r, i, j, k, c);
    c[0].pose.rotation = turns[check_next(&r) % 4];
    if (k % 5) c[1].pose.rotation = turns[check_next(&r) % 4];
    if (k % 7 == 0) c[1].pose.rotation.x += 1e-9;
    c[1].pose.position = ct_add(c[0].pose.position,
                                ct_vec(check_uniform(&r, -.3, .3), check_uniform(&r, -.3, .3), 4));
    if (bring_together(c, &m)) {
      move_as_one(c);
      const ct_mass_body bodies[2] = {body_of(&c[0]), body_of(&c[1])};
      for (size_t n = 0; n < m.count; n++) {
        const ct_contact contact = touch_of(c, &m.points[n]);
        const ct_contact_set set = {bodies, 2, &contact, 1};
        CHECK_NEAR(ct_contact_free_acceleration(&set, &contact, NULL), 0, 1e-8);
      }
      points += (int)m.count;
      several += m.count > 1;
    }
    release(c);
  }
  CHECK(points > 5000);
  CHECK(several > 1000);
}

typedef struct answers {
  double velocity[64], acceleration[64];
  ct_vec3 relative[64], tangential[64];
  size_t count;
} answers;

static void answer(const mover_case c[2], answers *out) {
  ct_frame a = ct_frame_of(c[0].pose), b = ct_frame_of(c[1].pose);
  const ct_mass_body bodies[2] = {body_of(&c[0]), body_of(&c[1])};
  ct_manifold m;
  ct_pair_contacts((ct_placed){&c[0].shape, &a}, (ct_placed){&c[1].shape, &b},
                   &(ct_contact_options){1e-6, 0.0, CT_DETAIL_FULL}, workspace, &m);
  out->count = m.count < 64 ? m.count : 64;
  for (size_t i = 0; i < out->count; i++) {
    const ct_contact contact = touch_of(c, &m.points[i]);
    const ct_contact_set set = {bodies, 2, &contact, 1};
    ct_contact_velocity v = ct_contact_relative_velocity(&set, &contact, 0.0);
    out->velocity[i] = v.normal;
    out->relative[i] = v.relative;
    out->acceleration[i] = ct_contact_free_acceleration(&set, &contact, &out->tangential[i]);
  }
}

static bool opposite(ct_vec3 p, ct_vec3 q) { return p.x == -q.x && p.y == -q.y && p.z == -q.z; }

/* Rows 42 and 47: with the bodies exchanged, starting from the shapes, the results are equal to the
 * bit. */
static void swapped_bodies_mirror(void) {
  check_random r = {4705};
  size_t points = 0;
  for (int k = 0; k < 2000; k++) {
    mover_case c[2];
    ct_manifold m;
    random_pair(&r, (int)(check_next(&r) % KINDS), (int)(check_next(&r) % (KINDS - 1)), k, c);
    if (k % 2) c[0].pose.rotation = c[1].pose.rotation = ct_quat_identity();
    if (bring_together(c, &m)) {
      const mover_case d[2] = {c[1], c[0]};
      answers x, y;
      answer(c, &x);
      answer(d, &y);
      CHECK_INT(x.count, y.count);
      for (size_t i = 0; i < x.count && i < y.count; i++) {
        CHECK(x.velocity[i] == y.velocity[i] && x.acceleration[i] == y.acceleration[i]);
        CHECK(opposite(x.relative[i], y.relative[i]) && opposite(x.tangential[i], y.tangential[i]));
      }
      points += x.count;
    }
    release(c);
  }
  CHECK(points > 1800);
}

/* Shapes of a nanometre, of a million kilometres, flat plates and thin wires: every reported number
 * is finite. */
static void extreme_sizes_have_finite_answers(void) {
  check_random r = {4704};
  static const double sizes[] = {1e-9, 1e-3, 1, 1e9};
  size_t points = 0;
  for (int k = 0; k < 4000; k++) {
    mover_case c[2];
    ct_manifold m;
    random_pair(&r, 1 + (int)(check_next(&r) % 6), 1 + (int)(check_next(&r) % 6), k, c);
    for (int i = 0; i < 2; i++) {
      ct_shape *s = &c[i].shape;
      double size[3];
      for (int n = 0; n < 3; n++) size[n] = sizes[check_next(&r) % 4];
      s->rounding = s->margin = k % 3 ? 0.0 : 1e-9;
      s->inset = false;
      if (s->kind == CT_KIND_BOX) s->box.half = ct_vec(size[0], size[1], size[2]);
      if (s->kind == CT_KIND_CAPSULE)
        *s = rounded(capsule(size[0], size[1], size[2]), false, 0.0, s->margin);
      if (s->kind == CT_KIND_CYLINDER)
        *s = rounded(cylinder(size[0], size[1]), false, 0.0, s->margin);
      if (s->kind == CT_KIND_CONE)
        *s = rounded(cone(size[0], size[1], k % 2 ? 0.0 : size[2]), false, 0.0, s->margin);
      if (s->kind == CT_KIND_ELLIPSOID)
        *s = rounded(ellipsoid(size[0], size[1], size[2]), false, 0.0, s->margin);
    }
    ct_frame a = ct_frame_of(c[0].pose), b = ct_frame_of(c[1].pose);
    ct_pair_contacts((ct_placed){&c[0].shape, &a}, (ct_placed){&c[1].shape, &b},
                     &(ct_contact_options){10.0, 0.0, CT_DETAIL_FULL}, workspace, &m);
    const ct_mass_body bodies[2] = {body_of(&c[0]), body_of(&c[1])};
    for (size_t n = 0; n < m.count; n++) {
      const ct_contact contact = touch_of(c, &m.points[n]);
      const ct_contact_set set = {bodies, 2, &contact, 1};
      CHECK(isfinite(ct_contact_free_acceleration(&set, &contact, NULL)));
      CHECK(isfinite(ct_contact_relative_velocity(&set, &contact, 0).normal));
    }
    points += m.count;
    release(c);
  }
  CHECK(points > 4000);
}

static const check_test tests[] = {
    {"kinds against kinds", kinds_against_kinds},
    {"moving as one", moving_as_one},
    {"swapped bodies mirror", swapped_bodies_mirror},
    {"extreme sizes have finite answers", extreme_sizes_have_finite_answers}};

WORKSPACE_MAIN(tests)
