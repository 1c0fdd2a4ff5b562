/* Random sets of contacts between random bodies, with and without friction, in space and in the
 * plane, some with many more contacts than degrees of freedom: reported errors are true, forces are
 * in their cones, friction opposes the slip, and no energy is created. CONTACTD_FULL=1: 1e5
 * sets. */
#include "tests/oracle/friction_oracle.h"
#include "tests/support/check.h"
#include "tests/support/friction_problems.h"

#define TOLERANCE 1e-10L

/* r'q + r'Wr / 2 of forces on bodies at rest in q = J v: the change of their kinetic energy,
 * divided by the greatest of its terms. */
static long double energy_gained(const ct_friction_problem *p, const double *r) {
  long double gained = 0.0L, parts = 0.0L, added;
  for (size_t i = 0; i < p->matrix.size; i++) {
    long double u = oracle_velocity(p, r, i, &added), part = r[i] * (p->q[i] + u) / 2.0L;
    gained += part;
    parts = fmaxl(parts, fabsl(part));
  }
  return parts > 0.0L ? gained / parts : 0.0L;
}

typedef struct tally {
  int sets, converged;
  long double worst;
} tally;

static void judge(tally *t, friction_case *c, ct_arena *arena, uint64_t seed) {
  ct_friction_result result = {.r = c->r, .u = c->u};
  ct_status status = ct_friction_solve(
      &c->problem, &(ct_friction_options){.tolerance = (double)TOLERANCE}, arena, &result);
  friction_oracle o = oracle_judge(&c->problem, c->r, c->u);
  t->sets++;
  t->converged += result.converged;
  bool right = status == CT_OK && result.converged == (result.status == CT_FRICTION_STATUS_OK);
  if (result.converged) {
    t->worst = fmaxl(t->worst, o.residual);
    right = right && result.residual <= (double)TOLERANCE && o.residual <= 1.001L * TOLERANCE;
  }
  /* The reported residual may be divided by less than the greatest force, and by |P| if that is
   * greater. */
  right = right && result.residual >= o.residual * (1.0L - 1e-3L - 2.0L * o.residual) - 1e-14L;
  right = right && o.outside <= 0.0L && o.power <= 2.0L * o.residual + 1e-15L &&
          o.velocity <= 64 * 0x1p-53L;
  right = right && energy_gained(&c->problem, c->r) <=
                       10.0L * (long double)c->problem.contacts * (o.residual + 1e-15L);
  if (!right)
    CHECK_FAIL("seed %llu: status %d, converged %d, residual %Lg (told %g), outside %Lg, power "
               "%Lg, u off by %Lg, energy %Lg",
               (unsigned long long)seed, (int)status, result.converged, o.residual, result.residual,
               o.outside, o.power, o.velocity, energy_gained(&c->problem, c->r));
}

/* Rows 14, 53: up to five bodies and 24 contacts. */
static void solutions_of_random_contact_sets_satisfy_their_claims(void) {
  ct_arena *arena = ct_arena_create();
  tally t = {0};
  int sets = getenv("CONTACTD_FULL") ? 100000 : 3000;
  for (int i = 0; i < sets; i++) {
    uint64_t seed = 14000000u + (uint64_t)i;
    check_random random = {seed};
    size_t bodies = 1 + check_next(&random) % 5,
           contacts = 1 + check_next(&random) % (i % 16 ? 8 : 24);
    friction_case c = case_random(&random, bodies, contacts, i % 4 ? 3 : 2);
    judge(&t, &c, arena, seed);
    case_free(&c);
  }
  printf("%d sets: %d converged to %.0Lg, worst residual of these %.2Lg\n", t.sets, t.converged,
         TOLERANCE, t.worst);
  CHECK(t.converged >= t.sets - t.sets / 1000);
  ct_arena_destroy(arena);
}

static const check_test tests[] = {
    {"solutions_of_random_contact_sets_satisfy_their_claims",
     solutions_of_random_contact_sets_satisfy_their_claims},
};
CHECK_MAIN(tests)
