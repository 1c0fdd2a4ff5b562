/* Friction at many contacts, on the problems of the reference corpus (friction.jsonl, recorded from
 * other simulators). Since r need not be unique, an answer is judged by its residual in long double
 * (friction_oracle.h), not compared.
 *
 * The file is $CONTACTD_CORPUS/friction.jsonl or ../shared/corpus/friction.jsonl. Without a file
 * the facts are skipped, and the runner permits skipping only then. property/test_friction_sets
 * covers random contact sets. */
#include "tests/oracle/friction_oracle.h"

#include <jansson.h>

/* The engine divides by the greatest of |r| and |P(..)|, the oracle by |r| alone; plus rounding. */
#define ALLOWED 1.001L

typedef struct problem {
  ct_friction_problem given;
  size_t *starts;
  uint32_t *columns;
  double *values, *q, *mu, *r, *u;
} problem;

static FILE *corpus(void) {
  char path[4096];
  const char *folder = getenv("CONTACTD_CORPUS");
  snprintf(path, sizeof path, "%s/friction.jsonl", folder ? folder : "../shared/corpus");
  return fopen(path, "r");
}

static double number_at(const json_t *array, size_t i) {
  return json_number_value(json_array_get(array, i));
}
static size_t index_at(const json_t *array, size_t i) {
  return (size_t)json_integer_value(json_array_get(array, i));
}
static void *zeros(size_t count, size_t size) {
  void *memory = calloc(count ? count : 1, size);
  if (!memory) abort();
  return memory;
}

/* Entries are in the order of rows, then columns, as they are read. */
static problem read_problem(const json_t *j) {
  const json_t *w = json_object_get(j, "W"), *rows = json_object_get(w, "rows"),
               *cols = json_object_get(w, "cols"), *values = json_object_get(w, "values");
  size_t contacts = json_array_size(json_object_get(j, "mu"));
  unsigned d = (unsigned)json_integer_value(json_object_get(j, "dimension"));
  size_t n = contacts * d, entries = json_array_size(rows);
  problem p = {.starts = zeros(n + 1, sizeof(size_t)),
               .columns = zeros(entries, sizeof(uint32_t)),
               .values = zeros(entries, sizeof(double)),
               .q = zeros(n, sizeof(double)),
               .mu = zeros(contacts, sizeof(double)),
               .r = zeros(n, sizeof(double)),
               .u = zeros(n, sizeof(double))};
  for (size_t e = 0; e < entries; e++) {
    p.starts[index_at(rows, e) + 1] = e + 1;
    p.columns[e] = (uint32_t)index_at(cols, e);
    p.values[e] = number_at(values, e);
    if (e && (index_at(rows, e) < index_at(rows, e - 1) ||
              (index_at(rows, e) == index_at(rows, e - 1) && p.columns[e] <= p.columns[e - 1])))
      CHECK_FAIL("entries are not in order");
  }
  for (size_t i = 0; i < n; i++) {
    if (p.starts[i + 1] < p.starts[i]) p.starts[i + 1] = p.starts[i];
    p.q[i] = number_at(json_object_get(j, "q"), i);
  }
  for (size_t i = 0; i < contacts; i++) p.mu[i] = number_at(json_object_get(j, "mu"), i);
  p.given = (ct_friction_problem){.matrix = {n, NULL, p.starts, p.columns, p.values},
                                  .q = p.q,
                                  .mu = p.mu,
                                  .contacts = contacts,
                                  .dimension = d};
  return p;
}

static void free_problem(problem *p) {
  free(p->starts);
  free(p->columns);
  free(p->values);
  free(p->q);
  free(p->mu);
  free(p->r);
  free(p->u);
}

typedef struct figures {
  int cases, converged, solved;
  long double worst; /* of the converged cases */
} figures;

/* Solves one problem with one set of options; an answer reported as converged must be. */
static void judge(problem *p, const char *id, const ct_friction_options *options, figures *f) {
  static ct_arena *arena = NULL;
  if (!arena) arena = ct_arena_create();
  ct_friction_result result = {.r = p->r, .u = p->u};
  CHECK_INT(ct_friction_solve(&p->given, options, arena, &result), CT_OK);
  friction_oracle o = oracle_judge(&p->given, p->r, p->u);
  f->cases++;
  f->converged += result.converged;
  f->solved += o.residual <= 1e-8L;
  if (result.converged) f->worst = fmaxl(f->worst, o.residual);
  if (result.converged != (result.residual <= options->tolerance) ||
      (result.converged && !(o.residual <= ALLOWED * options->tolerance)))
    CHECK_FAIL("%s: converged is %d, the residual %Lg, told %g", id, result.converged, o.residual,
               result.residual);
  if (o.outside > 0.0L || o.power > 2.0L * o.residual + 1e-15L)
    CHECK_FAIL("%s: a force is outside of its cone by %Lg, or drives with %Lg", id, o.outside,
               o.power);
}

/* Solves every case of the file by one method. */
static figures judge_all(ct_friction_method method, double tolerance) {
  figures f = {0};
  FILE *file = corpus();
  if (!file) {
    CHECK_SKIP("the reference corpus is not here (CONTACTD_CORPUS)");
    return f;
  }
  char *line = NULL;
  size_t room = 0;
  while (getline(&line, &room, file) > 0) {
    json_t *j = json_loads(line, 0, NULL);
    problem p = read_problem(j);
    judge(&p, json_string_value(json_object_get(j, "id")),
          &(ct_friction_options){.method = method, .tolerance = tolerance}, &f);
    free_problem(&p);
    json_decref(j);
  }
  printf("%d cases: %d converged to %g, %d solved to 1e-8, worst residual of the converged %.2Lg\n",
         f.cases, f.converged, tolerance, f.solved, f.worst);
  free(line);
  fclose(file);
  return f;
}

/* At least 56 of 59 are required; all are solved. */
static void every_case_of_the_corpus_is_solved(void) {
  figures f = judge_all(CT_FRICTION_AUTO, 1e-8);
  CHECK(f.solved == f.cases && f.converged == f.cases);
}

static void every_case_is_solved_to_twelve_digits(void) {
  figures f = judge_all(CT_FRICTION_AUTO, 1e-12);
  CHECK(f.converged == f.cases);
}

static void the_gradient_solves_every_case_by_itself(void) {
  figures f = judge_all(CT_FRICTION_GRADIENT, 1e-8);
  CHECK(f.solved == f.cases && f.converged == f.cases);
}

/* Sweeps alone leave a few cases with redundant contacts unsolved; converged answers satisfy a
 * loose tolerance too. */
static void no_method_claims_more_than_its_residual_proves(void) {
  figures f = judge_all(CT_FRICTION_NSGS, 1e-8);
  CHECK(f.cases == 0 || f.converged >= 50);
  judge_all(CT_FRICTION_NEWTON, 1e-4);
}

static const check_test tests[] = {
    {"every_case_of_the_corpus_is_solved", every_case_of_the_corpus_is_solved},
    {"every_case_is_solved_to_twelve_digits", every_case_is_solved_to_twelve_digits},
    {"the_gradient_solves_every_case_by_itself", the_gradient_solves_every_case_by_itself},
    {"no_method_claims_more_than_its_residual_proves",
     no_method_claims_more_than_its_residual_proves},
};
CHECK_MAIN(tests)
