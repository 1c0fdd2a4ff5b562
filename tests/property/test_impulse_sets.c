/* Impulses of random contact sets by every law, one contact and many, with and without friction.
 * Invariants: momentum, action and reaction, energy, friction, the solver's promises; exchanging a
 * and b, or changing units by powers of two, changes no bit. CONTACTD_FULL=1: 100,000 sets. */
#include "tests/support/contact_sets.h"

#include <float.h>

/* For sums of about ten numbers, relative to their sizes. */
#define SUM_ROUNDOFF 1e-12
/* For solutions of iterative solvers, relative to the velocities. */
#define SOLVED 1e-6

typedef struct tally {
  int sets, converged, guarded, infeasible, sliding, sticking, integrated;
} tally;

static ct_vec3 random_vec(check_random *r, double size) {
  double x = check_uniform(r, -size, size), y = check_uniform(r, -size, size);
  return ct_vec(x, y, check_uniform(r, -size, size));
}

static int below(check_random *r, int n) { return (int)(check_next(r) % (uint64_t)n); }

/* R diag R', exactly symmetric. */
static ct_mat3 turned(ct_mat3 r, ct_vec3 d) {
  ct_mat3 m = ct_mat_mat(ct_mat_mat(r, diagonal(d.x, d.y, d.z)), ct_mat_transpose(r));
  m.ry.x = m.rx.y, m.rz.x = m.rx.z, m.rz.y = m.ry.z;
  return m;
}

static void random_body(check_random *r, contact_set *s) {
  ct_mass_body b = {.center = random_vec(r, 1.0), .mobility = CT_DYNAMIC};
  int kind = below(r, 8);
  if (kind == 0) b.mobility = CT_FIXED;
  if (kind == 1) b.mobility = CT_KINEMATIC;
  if (b.mobility != CT_FIXED)
    b.velocity = (ct_velocity){.linear = random_vec(r, 2.0), .angular = random_vec(r, 2.0)};
  if (b.mobility == CT_DYNAMIC) {
    double x = check_uniform(r, 0.05, 0.5), y = check_uniform(r, 0.05, 0.5);
    ct_vec3 i = ct_vec(x, y, check_uniform(r, fabs(x - y) + 0.01, x + y));
    ct_quat q = {check_uniform(r, -1, 1), check_uniform(r, -1, 1), check_uniform(r, -1, 1), 1.0};
    b.mass = check_uniform(r, 0.1, 10.0);
    b.inverse_mass = 1.0 / b.mass;
    b.inertia = turned(ct_quat_matrix(q), ct_scale(i, b.mass));
    b.inverse_inertia = turned(ct_quat_matrix(q),
                               ct_vec(1 / (b.mass * i.x), 1 / (b.mass * i.y), 1 / (b.mass * i.z)));
  }
  set_body(s, b);
}

static void random_touch(check_random *r, contact_set *s, bool friction) {
  uint32_t a = (uint32_t)below(r, (int)s->body_count),
           b = (uint32_t)below(r, (int)s->body_count - 1);
  if (b >= a) b++;
  ct_vec3 middle = ct_lerp(s->bodies[a].center, s->bodies[b].center, check_uniform(r, 0.2, 0.8));
  ct_vec3 toward = ct_sub(s->bodies[b].center, s->bodies[a].center);
  ct_vec3 normal =
      ct_unit_or(ct_add(ct_unit_or(toward, ct_vec(0, 0, 1)), random_vec(r, 0.6)), ct_vec(0, 0, 1));
  ct_contact *t = set_touch(s, a, b, ct_add(middle, random_vec(r, 0.2)), normal);
  double mu = friction && below(r, 5) ? check_uniform(r, 0.0, 1.2) : 0.0;
  double e = below(r, 3) ? check_uniform(r, 0.0, 1.0) : below(r, 2);
  t->material = (ct_pair_material){mu * check_uniform(r, 1.0, 1.3), mu, e, 0.0};
}

static void random_set(check_random *r, contact_set *s, bool one, bool friction) {
  *s = (contact_set){0};
  int bodies = one ? 2 : 2 + below(r, 11), contacts = one ? 1 : 1 + below(r, 2 * bodies - 2);
  while ((int)s->body_count < bodies) random_body(r, s);
  if (s->bodies[0].mobility != CT_DYNAMIC && one) {
    s->body_count = 0;
    random_body(r, s);
    s->bodies[0].mobility = CT_FIXED;
    s->bodies[0].mass = s->bodies[0].inverse_mass = 0.0;
    s->bodies[0].inertia = s->bodies[0].inverse_inertia = diagonal(0, 0, 0);
    s->bodies[0].velocity = (ct_velocity){{0, 0, 0}, {0, 0, 0}};
    s->body_count = 2;
  }
  while ((int)s->count < contacts) random_touch(r, s, friction);
}

/* ---- invariants of every answer -------------------------------------------------------------- */

static ct_vec3 sized(ct_vec3 sum, ct_vec3 term) {
  return ct_vec(fabs(sum.x) + fabs(term.x), fabs(sum.y) + fabs(term.y), fabs(sum.z) + fabs(term.z));
}

static double length_sum(ct_vec3 v) { return v.x + v.y + v.z; }

/* Mass times the change of velocity is the sum of the impulses on a body, and inertia times the
 * change of angular velocity the sum of their moments. Each impulse acts on b, and its negative on
 * a. Immovable bodies do not change. */
static void check_momentum(const contact_set *s, const struck *k) {
  for (uint32_t i = 0; i < s->body_count; i++) {
    const ct_mass_body *b = &s->bodies[i];
    ct_velocity v = k->velocities[i];
    ct_vec3 linear = ct_scale(b->velocity.linear, b->mass),
            angular = ct_mat_mul(b->inertia, b->velocity.angular);
    ct_vec3 size = sized(ct_vec(0, 0, 0), linear), turn = sized(ct_vec(0, 0, 0), angular);
    for (size_t c = 0; c < s->count; c++) {
      const ct_contact *t = &s->contacts[c];
      if (t->a != i && t->b != i) continue;
      ct_vec3 p = t->b == i ? k->contacts[c].impulse : ct_neg(k->contacts[c].impulse);
      ct_vec3 moment = ct_cross(ct_sub(t->position, b->center), p);
      linear = ct_add(linear, p);
      angular = ct_add(angular, moment);
      size = sized(size, p);
      turn = sized(turn, moment);
    }
    if (b->mobility != CT_DYNAMIC) {
      CHECK(memcmp(&v, &b->velocity, sizeof v) == 0);
      continue;
    }
    /* The inverse inertia is exact only to round-off, and less so if the moments differ much. */
    CHECK(ct_norm(ct_sub(linear, ct_scale(v.linear, b->mass))) <= SUM_ROUNDOFF * length_sum(size));
    CHECK(ct_norm(ct_sub(angular, ct_mat_mul(b->inertia, v.angular))) <=
          100 * SUM_ROUNDOFF * length_sum(turn));
  }
}

/* Energy changes by the work of the impulses at the mean velocities, and grows by at most the work
 * of driven bodies. */
static void check_energy(const contact_set *s, const struck *k) {
  const ct_impulse_result *r = &k->result;
  double done = 0.0, size = r->energy_before + fabs(r->work);
  for (size_t c = 0; c < s->count; c++) {
    const ct_contact_impulse *t = &k->contacts[c];
    done += 0.5 * ct_dot(t->impulse, ct_add(t->before.relative, t->after));
    size += fabs(ct_dot(t->impulse, t->before.relative)) + fabs(ct_dot(t->impulse, t->after));
  }
  CHECK_NEAR(r->energy_after - r->energy_before - r->work, done, 100 * SUM_ROUNDOFF * size);
  CHECK(r->energy_after <= r->energy_before + r->work + 100 * SUM_ROUNDOFF * size);
}

/* Contacts push, friction is within its cone and, if the law ties it to the final slip, dissipates
 * energy. */
static void check_friction(const contact_set *s, const ct_impulse_options *o, const struck *k,
                           double speed) {
  bool tied = k->result.guard != CT_GUARD_APPLIED && k->result.converged &&
              (strcmp(k->result.law, "algebraic") == 0 || strcmp(k->result.law, "newton") == 0);
  for (size_t c = 0; c < s->count; c++) {
    const ct_contact_impulse *t = &k->contacts[c];
    double mu = o->frictionless ? 0.0 : s->contacts[c].material.static_friction,
           held = ct_norm(t->tangential);
    CHECK(t->normal >= 0.0);
    CHECK(held <= mu * t->normal * (1 + 1e-9) + 1e-15 * t->normal);
    ct_vec3 slip = ct_add_scaled(t->after, s->contacts[c].normal, -t->normal_after);
    if (tied) CHECK(ct_dot(t->tangential, slip) <= SOLVED * held * speed);
    if (k->result.converged && t->outcome != CT_IMPULSE_OUTCOME_IMMOVABLE &&
        !k->result.rotation_ignored)
      CHECK(t->normal_after >= -SOLVED * speed);
    CHECK(isfinite(t->normal) && isfinite(held) && isfinite(ct_norm(t->after)));
  }
  CHECK(k->result.residual >= 0.0 && isfinite(k->result.residual));
}

static bool same_velocities(const contact_set *s, const struck *a, const struck *b, double scale) {
  for (size_t i = 0; i < s->body_count; i++) {
    ct_velocity v = a->velocities[i], w = b->velocities[i];
    double x[6] = {v.linear.x, v.linear.y, v.linear.z, v.angular.x, v.angular.y, v.angular.z};
    double y[6] = {w.linear.x, w.linear.y, w.linear.z, w.angular.x, w.angular.y, w.angular.z};
    for (int c = 0; c < 6; c++)
      if (x[c] * scale != y[c]) return false;
  }
  return true;
}

/* Action and reaction: with a and b exchanged at every contact the impulses are the negatives, bit
 * for bit. */
static void check_exchange(const contact_set *s, const ct_impulse_options *o, const struck *k) {
  contact_set other = *s;
  for (size_t c = 0; c < s->count; c++) {
    other.contacts[c].a = s->contacts[c].b;
    other.contacts[c].b = s->contacts[c].a;
    other.contacts[c].normal = ct_neg(s->contacts[c].normal);
  }
  struck m;
  strike(&other, o, &m);
  bool same = same_velocities(s, k, &m, 1.0);
  for (size_t c = 0; c < s->count; c++) {
    ct_vec3 p = k->contacts[c].impulse, q = ct_neg(m.contacts[c].impulse);
    same = same && p.x == q.x && p.y == q.y && p.z == q.z &&
           k->contacts[c].outcome == m.contacts[c].outcome;
  }
  CHECK(same);
}

/* Velocities times 8 and masses times 4: impulses times 32, bit for bit. */
static void check_units(const contact_set *s, const ct_impulse_options *o, const struck *k) {
  contact_set other = *s;
  for (size_t i = 0; i < s->body_count; i++) {
    ct_mass_body *b = &other.bodies[i];
    b->velocity.linear = ct_scale(b->velocity.linear, 8.0);
    b->velocity.angular = ct_scale(b->velocity.angular, 8.0);
    b->mass *= 4.0;
    b->inverse_mass *= 0.25;
    for (int row = 0; row < 3; row++) {
      (&b->inertia.rx)[row] = ct_scale((&b->inertia.rx)[row], 4.0);
      (&b->inverse_inertia.rx)[row] = ct_scale((&b->inverse_inertia.rx)[row], 0.25);
    }
  }
  struck m;
  strike(&other, o, &m);
  bool same = same_velocities(s, k, &m, 8.0);
  for (size_t c = 0; c < s->count; c++) {
    ct_vec3 p = ct_scale(k->contacts[c].impulse, 32.0), q = m.contacts[c].impulse;
    same = same && p.x == q.x && p.y == q.y && p.z == q.z &&
           k->contacts[c].outcome == m.contacts[c].outcome;
  }
  CHECK(same);
}

static void check_set(const contact_set *s, const ct_impulse_options *o, tally *sum) {
  struck k;
  strike(s, o, &k);
  double speed = 0.0;
  for (size_t c = 0; c < s->count; c++) {
    speed = ct_max2(speed, ct_norm(k.contacts[c].before.relative));
    sum->sliding += k.contacts[c].outcome == CT_IMPULSE_OUTCOME_SLIDE;
    sum->sticking += k.contacts[c].outcome == CT_IMPULSE_OUTCOME_STICK;
  }
  sum->sets++;
  sum->converged += k.result.converged;
  sum->infeasible += k.result.infeasible;
  sum->guarded += k.result.guard == CT_GUARD_APPLIED;
  sum->integrated += strcmp(k.result.law, "integrated") == 0;
  check_momentum(s, &k);
  check_energy(s, &k);
  check_friction(s, o, &k, speed);
  check_exchange(s, o, &k);
  check_units(s, o, &k);
}

static int sets_of(int quick, int full) { return getenv("CONTACTD_FULL") ? full : quick; }

/* Rows 44, 45 and 51: every law, with and without friction. */
static void one_contact_by_every_law(void) {
  check_random r = {1};
  tally sum = {0};
  int count = sets_of(16000, 60000);
  for (int i = 0; i < count; i++) {
    contact_set s;
    random_set(&r, &s, true, i % 8 != 0);
    ct_impulse_options o =
        impulse_options((ct_impulse_law)(i % CT_IMPULSE_LAW_COUNT), CT_SIMULTANEITY_NEWTON);
    check_set(&s, &o, &sum);
  }
  CHECK_INT(sum.converged, sum.sets);
  CHECK(sum.guarded > 0 && sum.integrated > count / 8 && sum.sliding > count / 20 &&
        sum.sticking > count / 20);
}

static void many_contacts(ct_simultaneity mode, bool friction, int count) {
  check_random r = {100 + 2 * (uint64_t)mode + friction};
  tally sum = {0};
  for (int i = 0; i < count; i++) {
    contact_set s;
    random_set(&r, &s, false, friction);
    ct_impulse_options o = impulse_options((ct_impulse_law)(i % CT_IMPULSE_LAW_COUNT), mode);
    o.iterations_max = 200;
    check_set(&s, &o, &sum);
  }
  /* Random contacts may enclose bodies from all sides: occasionally restitution is infeasible, or
   * the sweeps do not converge. */
  CHECK(sum.converged >= count - count / 20 && sum.infeasible <= count / 20);
  CHECK(!friction || (sum.sliding > count / 2 && sum.sticking > count / 4));
}

static void many_by_newton(void) {
  many_contacts(CT_SIMULTANEITY_NEWTON, false, sets_of(1000, 8000));
}
static void many_by_newton_with_friction(void) {
  many_contacts(CT_SIMULTANEITY_NEWTON, true, sets_of(400, 8000));
}
static void many_by_poisson(void) {
  many_contacts(CT_SIMULTANEITY_POISSON, false, sets_of(1000, 8000));
}
static void many_by_poisson_with_friction(void) {
  many_contacts(CT_SIMULTANEITY_POISSON, true, sets_of(400, 8000));
}
static void many_in_sequence(void) {
  many_contacts(CT_SIMULTANEITY_SEQUENTIAL, true, sets_of(400, 8000));
}

static const check_test tests[] = {
    {"one_contact_by_every_law", one_contact_by_every_law},
    {"many_by_newton", many_by_newton},
    {"many_by_newton_with_friction", many_by_newton_with_friction},
    {"many_by_poisson", many_by_poisson},
    {"many_by_poisson_with_friction", many_by_poisson_with_friction},
    {"many_in_sequence", many_in_sequence},
};

CHECK_MAIN(tests)
