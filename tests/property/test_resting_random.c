/* Forces of random islands, with and without friction: recomputed residuals, action and reaction,
 * friction within its cone that opposes the slip, invariance under rotation, translation and
 * exchange of each pair of bodies; and proofs of stability and of falling. */
#include "base/trigonometry.h"
#include "tests/support/island.h"

#define CASES (getenv("CONTACTD_FULL") ? 20000 : 1000)

static ct_vec3 random_unit(check_random *r) {
  for (;;) {
    ct_vec3 v = {check_uniform(r, -1.0, 1.0), check_uniform(r, -1.0, 1.0),
                 check_uniform(r, -1.0, 1.0)};
    if (ct_norm(v) > 0.1 && ct_norm(v) < 1.0) return ct_unit_or(v, v);
  }
}

/* Bodies above each other: some contacts with the floor, some between bodies, most normals
 * upwards. */
static void make(island *i, check_random *r, ct_resting_friction friction) {
  island_begin(i, friction);
  uint32_t bodies = 1 + (uint32_t)(check_next(r) % 4);
  for (uint32_t b = 1; b <= bodies; b++) {
    double mass = check_uniform(r, 0.5, 4.0);
    island_body(i, mass, ct_vec(mass * 0.1, mass * 0.12, mass * 0.15),
                ct_vec(check_uniform(r, -0.2, 0.2), 0.0, b));
    island_load(i, b, ct_vec(check_uniform(r, -1.0, 1.0), 0.0, -mass * ISLAND_GRAVITY),
                ct_scale(random_unit(r), 0.3));
    uint64_t points = 1 + check_next(r) % 6;
    for (uint64_t k = 0; k < points; k++) {
      ct_vec3 at = {check_uniform(r, -0.6, 0.6), check_uniform(r, -0.6, 0.6), b - 0.5};
      ct_vec3 normal = ct_unit_or(
          ct_add(ct_vec(0.0, 0.0, 1.0), ct_scale(random_unit(r), check_uniform(r, 0.0, 0.4))), at);
      island_touch(i, b - 1, b, at, normal,
                   friction == CT_RESTING_FRICTION_NONE ? 0.0 : check_uniform(r, 0.0, 1.2));
    }
  }
}

static void move_randomly(island *i, check_random *r) {
  for (uint32_t b = 1; b < i->body_count; b++) {
    i->bodies[b].velocity.linear = ct_scale(random_unit(r), check_uniform(r, 0.0, 2.0));
    i->bodies[b].velocity.angular = ct_scale(random_unit(r), check_uniform(r, 0.0, 2.0));
    island_load(i, b, ct_vec(0.0, 0.0, 0.0), ct_vec(0.0, 0.0, 0.0));
  }
}

/* Verifies that the reported accelerations follow from the reported forces on each body. */
static void check_bodies(const island *i) {
  for (uint32_t b = 1; b < i->body_count; b++) {
    const ct_mass_body *body = &i->bodies[b];
    ct_vec3 force = body->force, torque = body->torque;
    double size = ct_norm(force);
    for (size_t k = 0; k < i->count; k++) {
      const ct_contact *t = &i->contacts[k];
      if (t->a != b && t->b != b) continue;
      ct_vec3 f = t->b == b ? i->forces[k].force : ct_neg(i->forces[k].force);
      force = ct_add(force, f);
      torque = ct_add(torque, ct_cross(ct_sub(t->position, body->center), f));
      size += ct_norm(f);
    }
    ct_vec3 spin = body->velocity.angular,
            gyroscopic = ct_cross(spin, ct_mat_mul(body->inertia, spin));
    ct_vec3 linear = ct_scale(force, 1.0 / body->mass),
            angular = ct_mat_mul(body->inverse_inertia, ct_sub(torque, gyroscopic));
    CHECK(ct_norm(ct_sub(i->accelerations[b].linear, linear)) <= 1e-14 * size / body->mass);
    CHECK(ct_norm(ct_sub(i->accelerations[b].angular, angular)) <=
          1e-13 * size * body->inverse_inertia.rx.x + 1e-12);
    CHECK(ct_norm(ct_sub(i->accelerations[b].residual_force, force)) <= 1e-14 * size);
  }
}

/* Each contact satisfies Coulomb's law at the end of the step. */
static void check_contacts(const island *i) {
  for (size_t k = 0; k < i->count; k++) {
    const ct_contact_force *f = &i->forces[k];
    double mu = f->velocity.sliding ? i->contacts[k].material.dynamic_friction
                                    : i->contacts[k].material.static_friction;
    if (!f->takes_part) {
      CHECK(f->normal == 0.0 && ct_norm(f->force) == 0.0);
      continue;
    }
    double limit = mu * f->normal, along = ct_norm(f->tangential);
    CHECK(f->normal >= 0.0 && along <= limit * (1.0 + 1e-12));
    CHECK(f->acceleration >= -1e-8);
    CHECK(f->normal <= 1e-8 || f->acceleration <= 1e-8);
    ct_vec3 slip =
        ct_add_scaled(f->velocity.tangential, f->tangential_acceleration, i->options.time_step);
    CHECK(ct_dot(slip, f->tangential) <= 1e-9);
    if (i->options.friction == CT_RESTING_FRICTION_CONE && along < limit * (1.0 - 1e-6) &&
        limit > 1e-6)
      CHECK(ct_norm(slip) <= 1e-9);
  }
}

static void answers_hold(void) {
  check_random r = {20260101};
  int converged = 0;
  for (int k = 0; k < CASES; k++) {
    static island i;
    make(&i, &r, k & 1 ? CT_RESTING_FRICTION_CONE : CT_RESTING_FRICTION_NONE);
    if (k & 2) move_randomly(&i, &r);
    CHECK_INT(island_solve(&i), CT_OK);
    check_bodies(&i);
    converged += i.result.converged;
    if (i.result.converged) check_contacts(&i);
  }
  CHECK_INT(converged, CASES);
}

/* Stable: forces within the cones that balance the load. Falling: a motion along which the loads do
 * work, and in which every contact opens at least mu times as fast as it slips. */
static void proofs_hold(void) {
  check_random r = {20260102};
  int counts[5] = {0};
  for (int k = 0; k < CASES; k++) {
    static island i;
    make(&i, &r, k & 1 ? CT_RESTING_FRICTION_CONE : CT_RESTING_FRICTION_NONE);
    CHECK_INT(island_solve(&i), CT_OK);
    counts[i.result.stability]++;
    if (i.result.stability == CT_STABILITY_STAYS) {
      for (size_t c = 0; c < i.count; c++) i.forces[c].force = i.holding[c];
      for (uint32_t b = 1; b < i.body_count; b++) {
        ct_vec3 force = i.bodies[b].force;
        for (size_t c = 0; c < i.count; c++)
          if (i.contacts[c].a == b || i.contacts[c].b == b)
            force = ct_add_scaled(force, i.holding[c], i.contacts[c].b == b ? 1.0 : -1.0);
        CHECK(ct_norm(force) < 1e-10);
      }
      for (size_t c = 0; c < i.count; c++) {
        double normal = ct_dot(i.holding[c], i.contacts[c].normal);
        double along = ct_norm(ct_add_scaled(i.holding[c], i.contacts[c].normal, -normal));
        CHECK(normal >= 0.0 && along <= i.contacts[c].material.static_friction * normal + 1e-10);
      }
    } else if (i.result.stability == CT_STABILITY_FALLS) {
      double work = 0.0;
      for (uint32_t b = 1; b < i.body_count; b++)
        work += ct_dot(i.bodies[b].force, i.motion[b].linear) +
                ct_dot(i.bodies[b].torque, i.motion[b].angular);
      CHECK(work > 0.0);
      for (size_t c = 0; c < i.count; c++) {
        const ct_contact *t = &i.contacts[c];
        ct_vec3 u = ct_sub(
            ct_add(i.motion[t->b].linear,
                   ct_cross(i.motion[t->b].angular, ct_sub(t->position, i.bodies[t->b].center))),
            ct_add(i.motion[t->a].linear,
                   ct_cross(i.motion[t->a].angular, ct_sub(t->position, i.bodies[t->a].center))));
        double normal = ct_dot(u, t->normal);
        CHECK(normal >=
              t->material.static_friction * ct_norm(ct_add_scaled(u, t->normal, -normal)) -
                  1e-5 * ct_norm(u) - 1e-9);
      }
    }
  }
  CHECK(counts[CT_STABILITY_STAYS] > CASES / 20 && counts[CT_STABILITY_FALLS] > CASES / 5);
  CHECK_INT(counts[CT_STABILITY_UNDECIDED], 0);
}

/* Row 48: without friction the accelerations of the complementarity problem are those of a
 * quadratic program, Gauss' principle of least constraint, which the proof of falling solves. */
static void least_constraint(void) {
  check_random r = {20260107};
  int compared = 0;
  for (int k = 0; k < CASES; k++) {
    static island i;
    make(&i, &r, CT_RESTING_FRICTION_NONE);
    CHECK_INT(island_solve(&i), CT_OK);
    if (i.result.stability != CT_STABILITY_FALLS) continue;
    compared++;
    for (size_t b = 1; b < i.body_count; b++) {
      CHECK(ct_norm(ct_sub(i.motion[b].linear, i.accelerations[b].linear)) < 1e-9);
      CHECK(ct_norm(ct_sub(i.motion[b].angular, i.accelerations[b].angular)) < 1e-9);
    }
  }
  CHECK(compared > CASES / 2);
}

/* ---- invariances ----------------------------------------------------------------------------- */

static ct_mat3 turned_matrix(const ct_mat3 *turn, const ct_mat3 *m) {
  return ct_mat_mat(ct_mat_mat(*turn, *m), ct_mat_transpose(*turn));
}

static island turned(const island *from, ct_mat3 turn, ct_vec3 by) {
  island i = *from;
  for (size_t b = 0; b < i.body_count; b++) {
    ct_mass_body *body = &i.bodies[b];
    body->center = ct_add(ct_mat_mul(turn, body->center), by);
    body->inertia = turned_matrix(&turn, &body->inertia);
    body->inverse_inertia = turned_matrix(&turn, &body->inverse_inertia);
    ct_vec3 *vectors[] = {&body->force,
                          &body->torque,
                          &body->linear_acceleration,
                          &body->angular_acceleration,
                          &body->velocity.linear,
                          &body->velocity.angular};
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
      *vectors[k] = ct_mat_mul(turn, *vectors[k]);
  }
  for (size_t c = 0; c < i.count; c++) {
    ct_contact *t = &i.contacts[c];
    t->position = t->point_a = t->point_b = ct_add(ct_mat_mul(turn, t->position), by);
    t->normal = ct_unit_or(ct_mat_mul(turn, t->normal), t->normal);
  }
  return i;
}

static void same_when_turned(void) {
  check_random r = {20260103};
  for (int k = 0; k < CASES; k++) {
    static island i, other;
    make(&i, &r, k & 1 ? CT_RESTING_FRICTION_CONE : CT_RESTING_FRICTION_NONE);
    ct_sin_cos t = ct_sin_cos_of(check_uniform(&r, 0.0, 1.5));
    ct_vec3 axis = ct_scale(random_unit(&r), t.sine);
    other = turned(&i, ct_quat_matrix((ct_quat){axis.x, axis.y, axis.z, t.cosine}),
                   ct_scale(random_unit(&r), 3.0));
    ct_mat3 turn = ct_quat_matrix((ct_quat){axis.x, axis.y, axis.z, t.cosine});
    CHECK_INT(island_solve(&i), CT_OK);
    CHECK_INT(island_solve(&other), CT_OK);
    CHECK_INT(i.result.stability, other.result.stability);
    if (k & 1) continue; /* with friction the answer may not be unique */
    for (size_t b = 1; b < i.body_count; b++)
      CHECK(ct_norm(ct_sub(ct_mat_mul(turn, i.accelerations[b].linear),
                           other.accelerations[b].linear)) < 1e-9);
  }
}

/* One contact with its bodies exchanged: the force is reversed, to the bit. */
static void same_when_exchanged(void) {
  check_random r = {20260104};
  for (int k = 0; k < CASES; k++) {
    static island i, other;
    make(&i, &r, k & 1 ? CT_RESTING_FRICTION_CONE : CT_RESTING_FRICTION_NONE);
    if (k & 2) move_randomly(&i, &r);
    i.count = 1;
    i.options.stability = false;
    other = i;
    ct_contact *t = &other.contacts[0];
    t->a = i.contacts[0].b;
    t->b = i.contacts[0].a;
    t->normal = ct_neg(t->normal);
    t->surface_a = i.contacts[0].surface_b;
    t->surface_b = i.contacts[0].surface_a;
    CHECK_INT(island_solve(&i), CT_OK);
    CHECK_INT(island_solve(&other), CT_OK);
    ct_vec3 f = i.forces[0].force, g = other.forces[0].force;
    CHECK(f.x == -g.x && f.y == -g.y && f.z == -g.z);
    CHECK(i.forces[0].normal == other.forces[0].normal &&
          i.forces[0].acceleration == other.forces[0].acceleration);
    for (size_t b = 1; b < i.body_count; b++)
      CHECK(ct_norm(ct_sub(i.accelerations[b].linear, other.accelerations[b].linear)) == 0.0);
  }
}

static const check_test tests[] = {
    {"forces, accelerations and Coulomb's law hold, computed anew", answers_hold},
    {"what stays has forces that hold it, what falls a motion that proves it", proofs_hold},
    {"without friction, complementarity and least constraint give the same accelerations",
     least_constraint},
    {"turned and moved as a whole, an island answers the same", same_when_turned},
    {"with its bodies exchanged a contact's force turns round, to the bit", same_when_exchanged},
};

CHECK_MAIN(tests)
