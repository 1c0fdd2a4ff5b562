/* The claims about resting contacts, `stable`, `unique` and `infeasible`, against exact statics.
 *
 * Bodies and contacts are in the plane y = 0. There an equilibrium within the circular cones exists
 * if and only if one within their plane sections does, since the mean of any forces and their
 * mirror image is one. So existence is a linear program in integers: positions, masses and loads
 * are small integers, normals Pythagorean, coefficients of friction fractions. Many cases are
 * exactly at a limit: a block at the friction angle, a load above the last support, collinear and
 * redundant supports. Lengths and masses are scaled by powers of two, which is exact.
 *
 * CONTACTD_FULL=1: 10,000 islands with a fresh seed; CONTACTD_SEED repeats a run. */
#include "tests/oracle/exact_program.h"
#include "tests/support/full.h"
#include "tests/support/island.h"

#include <contact/impulse.h>

enum { BODIES = 2, CONTACTS = 8, GRAVITY = 10 };

/* A normal (x, z) / length, and a coefficient of friction. */
typedef struct direction {
  int x, z, length;
} direction;

typedef struct fraction {
  int top, bottom;
} fraction;

static const direction upward[] = {{0, 1, 1}, {3, 4, 5},   {-3, 4, 5},
                                   {4, 3, 5}, {5, 12, 13}, {-4, 3, 5}};
static const direction all_round[] = {{0, 1, 1}, {1, 0, 1},  {-1, 0, 1}, {0, -1, 1},
                                      {3, 4, 5}, {-3, 4, 5}, {4, -3, 5}, {12, 5, 13}};
static const fraction coefficients[] = {{0, 1}, {1, 2}, {3, 4}, {4, 3}, {1, 4}, {5, 12}, {1, 1}};

typedef struct contact {
  uint32_t a, b;
  int x, z;
  direction normal;
  fraction mu;
} contact;

typedef struct statics {
  size_t bodies, count;
  int x[BODIES + 1], z[BODIES + 1], mass[BODIES + 1], push[BODIES + 1], turn_y[BODIES + 1];
  contact contacts[CONTACTS];
  int length_exponent, mass_exponent[BODIES + 1];
  ct_mat3 turn; /* of the whole scene, up to round-off */
} statics;

static int whole(check_random *r, int low, int high) {
  return low + (int)(check_next(r) % (uint64_t)(high - low + 1));
}

static void add_contact(statics *s, check_random *r, uint32_t b, bool frictionless) {
  contact *c = &s->contacts[s->count++];
  bool up = check_next(r) % 4 != 0;
  *c = (contact){.a = b - 1, .b = b, .x = whole(r, -3, 3), .z = s->z[b] - whole(r, 0, 2)};
  if (check_next(r) % 8 == 0) c->a = 0;
  c->normal =
      up ? upward[check_next(r) % (check_next(r) % 2 ? 6 : 1)] : all_round[check_next(r) % 8];
  c->mu = coefficients[frictionless ? 0 : check_next(r) % 7];
  if (check_next(r) % 4 || s->count < 2 || c[-1].b != b) return;
  c->normal = c[-1].normal; /* redundant, or collinear with the previous contact */
  c->mu = c[-1].mu;
  c->z = c[-1].z;
}

static ct_mat3 random_turn(check_random *r) {
  ct_quat q = {check_uniform(r, -1.0, 1.0), check_uniform(r, -1.0, 1.0),
               check_uniform(r, -1.0, 1.0), 0.5};
  double norm = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + 0.25);
  return ct_quat_matrix((ct_quat){q.x / norm, q.y / norm, q.z / norm, 0.5 / norm});
}

static void make(statics *s, check_random *r, bool frictionless) {
  static const int exponents[] = {0, 0, 0, -20, 20};
  *s = (statics){.bodies = 1 + check_next(r) % BODIES};
  s->turn = check_next(r) % 2 ? random_turn(r) : ct_quat_matrix((ct_quat){0.0, 0.0, 0.0, 1.0});
  s->length_exponent = exponents[check_next(r) % 5];
  bool far_apart = check_next(r) % 4 == 0;
  for (uint32_t b = 1; b <= s->bodies; b++) {
    s->x[b] = whole(r, -2, 2);
    s->z[b] = 3 * (int)b;
    s->mass[b] = whole(r, 1, 5);
    s->mass_exponent[b] = far_apart && check_next(r) % 2 ? 20 : 0;
    if (check_next(r) % 3 == 0) s->push[b] = whole(r, -9, 9) * 5;
    if (check_next(r) % 4 == 0) s->turn_y[b] = whole(r, -4, 4) * 5;
    int points = whole(r, 1, CONTACTS / BODIES);
    for (int k = 0; k < points; k++) add_contact(s, r, b, frictionless);
  }
}

/* ---- exact statics --------------------------------------------------------------------------- */

/* A force (x, z) at a contact, on b, as a column of the equilibrium of all bodies. */
static void put_column(const statics *s, const contact *c, int x, int z, exact_program *p) {
  for (int side = 0; side < 2; side++) {
    uint32_t body = side ? c->b : c->a;
    int sign = side ? 1 : -1;
    if (body == 0) continue;
    long long(*row)[EXACT_COLUMNS] = &p->a[3 * (body - 1)];
    row[0][p->columns] = sign * x;
    row[1][p->columns] = sign * z;
    row[2][p->columns] = sign * ((c->z - s->z[body]) * x - (c->x - s->x[body]) * z);
  }
  p->columns++;
}

/* Columns: the edges of the cones, or the normals of frictionless contacts, of any length. */
static exact_program balance_of(const statics *s) {
  exact_program p = {.rows = 3 * s->bodies};
  for (size_t i = 0; i < s->count; i++) {
    const contact *c = &s->contacts[i];
    int x = c->normal.x, z = c->normal.z, top = c->mu.top, bottom = c->mu.bottom;
    if (top == 0) put_column(s, c, x, z, &p);
    if (top == 0) continue;
    put_column(s, c, bottom * x + top * z, bottom * z - top * x, &p);
    put_column(s, c, bottom * x - top * z, bottom * z + top * x, &p);
  }
  for (uint32_t b = 1; b <= s->bodies; b++) {
    long long unit = 1LL << s->mass_exponent[b];
    p.b[3 * (b - 1)] = -unit * s->push[b];
    p.b[3 * (b - 1) + 1] = unit * s->mass[b] * GRAVITY;
    p.b[3 * (b - 1) + 2] = -unit * s->turn_y[b];
  }
  return p;
}

/* ---- the engine ----------------------------------------------------------------------------- */

static ct_vec3 placed(const statics *s, double x, double z, double scale) {
  return ct_scale(ct_mat_mul(s->turn, ct_vec(x, 0.0, z)), scale);
}

static void put_body(const statics *s, island *i, uint32_t b, double width) {
  double mass = ldexp(s->mass[b], s->mass_exponent[b]), unit = ldexp(1.0, s->mass_exponent[b]);
  double inertia = 0.5 * mass * width * width;
  island_body(i, mass, ct_vec(inertia, inertia, inertia), placed(s, s->x[b], s->z[b], width));
  /* Torques about y rotate z to x. */
  island_load(i, b, ct_add(placed(s, s->push[b], 0.0, unit), placed(s, 0.0, -GRAVITY, mass)),
              ct_scale(ct_mat_mul(s->turn, ct_vec(0.0, 1.0, 0.0)), s->turn_y[b] * unit * width));
}

static void build(const statics *s, island *i, ct_resting_friction friction) {
  double width = ldexp(1.0, s->length_exponent);
  island_begin(i, friction);
  for (uint32_t b = 1; b <= s->bodies; b++) put_body(s, i, b, width);
  for (size_t k = 0; k < s->count; k++) {
    const contact *c = &s->contacts[k];
    double mu = friction == CT_RESTING_FRICTION_NONE ? 0.0 : (double)c->mu.top / c->mu.bottom;
    ct_vec3 normal = placed(s, c->normal.x, c->normal.z, 1.0 / c->normal.length);
    island_touch(i, c->a, c->b, placed(s, c->x, c->z, width), normal, mu);
  }
}

typedef struct tally {
  int cases, stays, falls, undecided, moving, unique, several, unknown, unconverged;
} tally;

static void check_stability(const statics *s, const island *i, uint64_t state, exact_answer truth,
                            tally *t) {
  ct_stability reported = i->result.stability;
  t->stays += reported == CT_STABILITY_STAYS;
  t->falls += reported == CT_STABILITY_FALLS;
  t->undecided += reported == CT_STABILITY_UNDECIDED;
  t->moving += reported == CT_STABILITY_MOVING;
  bool false_claim = (reported == CT_STABILITY_STAYS && truth == EXACT_NO) ||
                     (reported == CT_STABILITY_FALLS && truth == EXACT_YES) ||
                     reported == CT_STABILITY_MOVING;
  if (false_claim)
    CHECK_FAIL("state %llu: %zu bodies, %zu contacts: claim %d, equilibrium %d, margin %g",
               (unsigned long long)state, s->bodies, s->count, (int)reported, (int)truth,
               i->result.stability_margin);
  if (i->result.status == CT_RESTING_STATUS_INFEASIBLE)
    CHECK_FAIL("state %llu: infeasible, and nothing is driven", (unsigned long long)state);
  t->unconverged += !i->result.converged;
}

static void check_unique(const island *i, uint64_t state, const exact_program *p,
                         exact_answer truth, tally *t) {
  t->unique += i->result.unique == CT_YES;
  t->several += i->result.unique == CT_NO;
  t->unknown += i->result.unique == CT_UNKNOWN;
  if (truth != EXACT_YES || i->result.unique == CT_UNKNOWN) return;
  exact_answer single = exact_is_single(p);
  if (single != EXACT_OVERFLOW && (single == EXACT_YES) != (i->result.unique == CT_YES))
    CHECK_FAIL("state %llu: unique %d, should be %d", (unsigned long long)state,
               (int)i->result.unique, single == EXACT_YES);
}

static void claims_hold(const char *fact, uint64_t seed, ct_resting_friction friction) {
  check_random r = full_random(fact, seed);
  tally t = {0};
  int cases = full_cases(1000, 10000);
  while (t.cases < cases) {
    uint64_t state = r.state;
    statics s;
    static island i;
    make(&s, &r, friction == CT_RESTING_FRICTION_NONE);
    exact_program p = balance_of(&s);
    exact_answer truth = exact_solve(&p);
    if (truth == EXACT_OVERFLOW) continue;
    t.cases++;
    build(&s, &i, friction);
    CHECK_INT(island_solve(&i), CT_OK);
    check_stability(&s, &i, state, truth, &t);
    if (friction == CT_RESTING_FRICTION_NONE) check_unique(&i, state, &p, truth, &t);
  }
  printf(
      "%s: %d stay, %d fall, %d undecided; %d unique, %d several, %d unknown; %d not converged\n",
      fact, t.stays, t.falls, t.undecided, t.unique, t.several, t.unknown, t.unconverged);
  CHECK(t.undecided <= cases / 50);
}

static void without_friction(void) { claims_hold("normals", 501, CT_RESTING_FRICTION_NONE); }
static void with_cones(void) { claims_hold("cones", 502, CT_RESTING_FRICTION_CONE); }
static void with_pyramids(void) { claims_hold("pyramids", 503, CT_RESTING_FRICTION_POLYHEDRAL); }

/* ---- driven bodies --------------------------------------------------------------------------- */

/* Two bodies of prescribed motion, listed behind the dynamic ones: rotated about the origin and
 * shifted, together or with a small difference. `converged` permits forces of CT_FRICTION_GROWTH
 * times the driving velocities to be off by the tolerance; the differences are above that. */
typedef struct drive {
  int x[2], z[2], spin[2];
} drive;

static drive random_drive(check_random *r) {
  bool apart = check_next(r) % 2, large = check_next(r) % 2;
  int size = large ? (apart ? 1000 : 100000) : 9;
  drive d = {{whole(r, -size, size)}, {whole(r, -size, size)}, {whole(r, -size, size)}};
  d.x[1] = d.x[0] + (apart ? whole(r, -1, 1) : 0);
  d.z[1] = d.z[0] + (apart ? whole(r, -1, 1) : 0);
  d.spin[1] = d.spin[0] + (apart ? whole(r, -1, 1) : 0);
  return d;
}

/* Contacts of fixed bodies become contacts of driven ones; the two sides of a clamp are
 * opposite. */
static void drive_contacts(statics *s, check_random *r) {
  for (size_t i = 0; i < s->count; i++) {
    contact *c = &s->contacts[i];
    c->a = check_next(r) % 3 && s->bodies > 1 ? c->a : 0;
    c->normal = all_round[check_next(r) % 8];
    if (c->a == 0) c->a = (uint32_t)s->bodies + 1 + (uint32_t)(check_next(r) % 2);
    if (i == 0 || check_next(r) % 3 == 0) continue;
    direction n = c[-1].normal;
    c->b = c[-1].b;
    c->normal = (direction){-n.x, -n.z, n.length};
    int along = whole(r, -2, 2); /* on the line of the previous contact */
    c->x = c[-1].x + along * n.x;
    c->z = c[-1].z + along * n.z;
    if (c->a == c->b) c->a = (uint32_t)s->bodies + 1;
  }
}

/* Farkas: some y >= 0 cancels on all dynamic bodies, while the gaps close. */
static exact_answer squeezes(const statics *s, const drive *d) {
  exact_program p = {.rows = 3 * s->bodies + 1};
  statics dynamic = *s;
  for (size_t i = 0; i < s->count; i++) {
    contact *c = &dynamic.contacts[i];
    bool driven = c->a > s->bodies;
    size_t k = driven ? c->a - s->bodies - 1 : 0;
    long long x = d->x[k] + (long long)d->spin[k] * c->z,
              z = d->z[k] - (long long)d->spin[k] * c->x;
    if (driven) c->a = 0;
    put_column(&dynamic, c, c->normal.x, c->normal.z, &p);
    p.a[p.rows - 1][p.columns - 1] = driven ? x * c->normal.x + z * c->normal.z : 0;
  }
  p.b[p.rows - 1] = 1;
  return exact_solve(&p);
}

static void build_driven(const statics *s, const drive *d, bool velocity, island *i,
                         ct_resting_friction friction) {
  double width = ldexp(1.0, s->length_exponent);
  build(s, i, friction);
  for (size_t b = 1; b <= s->bodies;
       b++) { /* loads scale with the lengths, as prescribed motion does */
    ct_mass_body *body = &i->bodies[b];
    ct_vec3 *rates[] = {&body->force, &body->torque, &body->linear_acceleration,
                        &body->angular_acceleration};
    for (int k = 0; k < 4; k++) *rates[k] = ct_scale(*rates[k], width);
  }
  for (size_t k = 0; k < 2; k++) {
    ct_mass_body *body = &i->bodies[i->body_count++];
    ct_vec3 linear = placed(s, d->x[k], d->z[k], width);
    ct_vec3 angular = ct_scale(ct_mat_mul(s->turn, ct_vec(0.0, 1.0, 0.0)), d->spin[k]);
    *body = (ct_mass_body){.mobility = CT_KINEMATIC};
    if (velocity) body->velocity = (ct_velocity){linear, angular};
    else body->linear_acceleration = linear, body->angular_acceleration = angular;
  }
}

typedef struct driven_tally {
  int squeezed, free, unproven, unconverged;
} driven_tally;

/* `converged` is relative to the greatest force: with masses a million times apart it guarantees
 * little for the lighter body. */
static bool masses_are_alike(const statics *s) {
  return s->bodies < 2 || s->mass_exponent[1] == s->mass_exponent[2];
}

static void count_claim(driven_tally *t, bool claimed, bool converged, exact_answer truth,
                        const char *what, uint64_t state) {
  bool squeezed = truth == EXACT_YES;
  if (claimed && !squeezed)
    CHECK_FAIL("%s, state %llu: a squeeze is claimed that is none", what,
               (unsigned long long)state);
  if (converged && squeezed)
    CHECK_FAIL("%s, state %llu: forces for a squeeze", what, (unsigned long long)state);
  t->squeezed += squeezed;
  t->free += !squeezed;
  t->unproven += squeezed && !claimed;
  t->unconverged += !squeezed && !converged;
}

static void resting_squeezes(const statics *s, const drive *d, exact_answer truth, uint64_t state,
                             driven_tally *t) {
  static island i;
  build_driven(s, d, false, &i, (ct_resting_friction)(state % 3));
  i.options.stability = false;
  CHECK_INT(island_solve(&i), CT_OK);
  bool claimed = i.result.status == CT_RESTING_STATUS_INFEASIBLE;
  bool converged = i.result.converged && (truth != EXACT_YES || masses_are_alike(s));
  count_claim(t, claimed, converged, truth, "forces", state);
}

static void impulse_squeezes(const statics *s, const drive *d, exact_answer truth, uint64_t state,
                             driven_tally *t) {
  static island i;
  static ct_contact_impulse contacts[CONTACTS];
  static ct_velocity velocities[BODIES + 3];
  static double certificate[CONTACTS];
  build_driven(s, d, true, &i, CT_RESTING_FRICTION_CONE);
  double width = ldexp(1.0, s->length_exponent);
  for (size_t b = 1; b <= s->bodies; b++)
    i.bodies[b].velocity.linear = placed(s, s->push[b], s->turn_y[b], 0.1 * width);
  const ct_impulse_options options = {.simultaneity = (ct_simultaneity)(state % 2),
                                      .energy_guard = true,
                                      .velocity_tolerance = 1e-9 * width};
  ct_impulse_result result = {
      .contacts = contacts, .velocities = velocities, .certificate = certificate};
  ct_contact_set set = island_set(&i);
  ct_arena *arena = ct_arena_create();
  CHECK_INT(ct_impulse_solve(&set, &options, arena, &result), CT_OK);
  ct_arena_destroy(arena);
  bool converged = result.converged && (truth != EXACT_YES || masses_are_alike(s));
  count_claim(t, result.contradictory, converged, truth, "impulses", state);
}

/* A rotating gripper, at any speed and distance, does not squeeze the body inside it. */
static void driven_bodies_squeeze(void) {
  check_random r = full_random("squeezes", 504);
  driven_tally forces = {0}, impulses = {0};
  int cases = full_cases(1000, 10000);
  for (int n = 0; n < cases;) {
    uint64_t state = r.state;
    statics s;
    make(&s, &r, false);
    drive d = random_drive(&r);
    drive_contacts(&s, &r);
    exact_answer truth = squeezes(&s, &d);
    if (truth == EXACT_OVERFLOW) continue;
    n++;
    resting_squeezes(&s, &d, truth, state, &forces);
    impulse_squeezes(&s, &d, truth, state, &impulses);
  }
  printf("%d squeezed, %d not; forces: %d unproven, %d not converged; impulses: %d, %d\n",
         forces.squeezed, forces.free, forces.unproven, forces.unconverged, impulses.unproven,
         impulses.unconverged);
  CHECK(forces.squeezed > cases / 20);
  CHECK(forces.unproven <= forces.squeezed / 50 && impulses.unproven <= impulses.squeezed / 50);
}

static const check_test tests[] = {
    {"without friction bodies stay, fall and have one answer where exact statics says so",
     without_friction},
    {"with friction bodies stay and fall where exact statics says so", with_cones},
    {"with pyramids bodies stay and fall where exact statics says so", with_pyramids},
    {"driven bodies squeeze others where an exact Farkas vector says so", driven_bodies_squeeze},
};

CHECK_MAIN(tests)
