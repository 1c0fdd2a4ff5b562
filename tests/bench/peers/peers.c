/* Runs the peer benchmark: rows, alternating rounds, medians, verdicts.
 *
 * Every measurement runs in a child process of its own, forked after inputs and references are
 * complete, so that all engines get the same bytes, and an engine that aborts or hangs is only a
 * failed cell. Processor time is measured, without time spent waiting. Prints lines
 * "row|work|engine|ours|ns|failed|wrong|largest error|correct" and "note|..." for the script that
 * makes the tables.
 *
 *     peers [rounds [seconds]] [W1|W2|W3|W5|W6] */
#include "peers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Greatest permitted distance from the reference, m: the bodies are about 1 m large. */
#define WRONG 1e-6
/* Greatest permitted relative error of a volume. */
#define WRONG_VOLUME 1e-6
#define CHILD_SECONDS 20u
enum { ROUNDS_MAX = 15, ENGINES_MAX = 32 };

/* Result of a child, in memory shared with its parent. */
typedef struct cell {
  bool answered;
  double ns;
  double values[BENCH_PAIRS_MAX];
} cell;

typedef struct settings {
  int rounds;
  double seconds;
  const char *only;
} settings;

typedef struct tally {
  double ns[ROUNDS_MAX];
  int rounds, failed, wrong;
  double error;
} tally;

static double processor_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void measure(const bench_engine *engine, const bench_row *row, double seconds, cell *out) {
  void *state = engine->prepare(row);
  if (!state) return;
  void (*first)(void *, const bench_row *, double *) =
      engine->answer_all ? engine->answer_all : engine->answer;
  first(state, row,
        out->values); /* warms caches and scratch memory; the errors come from this call */
  long passes = 0;
  double start = processor_seconds(), now = start;
  static double ignored[BENCH_PAIRS_MAX];
  while (now - start < seconds) {
    engine->answer(state, row, ignored);
    passes++;
    now = processor_seconds();
  }
  out->ns = 1e9 * (now - start) / ((double)passes * row->count);
  out->answered = true;
}

/* One measurement in a child process. */
static bool measure_apart(const bench_engine *engine, const bench_row *row, double seconds,
                          cell *out) {
  out->answered = false;
  fflush(NULL);
  pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) {
    alarm(CHILD_SECONDS);
    if (!freopen("/dev/null", "w", stdout)) _exit(1);
    measure(engine, row, seconds, out);
    _exit(0);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0 &&
         out->answered;
}

/* W3: contact as in the reference; for pairs that touch to 1e-12 either answer is accepted. */
static void judge_contact(const bench_engine *engine, double value, double reference, tally *t) {
  bool contact = value != BENCH_NO_CONTACT;
  if (fabs(reference) > 1e-12 && contact != (reference < 0.0)) t->wrong++;
  if (contact && reference < 0.0 && engine->tells_depth)
    t->error = fmax(t->error, fabs(value + reference));
}

/* The right number of vertices and of facets, and the volume. */
static void judge_hull(const double *value, const double *reference, tally *t) {
  if (value[0] == BENCH_FAILED) {
    t->failed++;
    return;
  }
  double error = fabs(value[2] - reference[2]) / reference[2];
  t->error = fmax(t->error, error);
  t->wrong += value[0] != reference[0] || value[1] != reference[1] || !(error <= WRONG_VOLUME);
}

static void judge(const bench_engine *engine, const bench_row *row, const cell *c, tally *t) {
  t->failed = t->wrong = 0;
  t->error = 0.0;
  for (int i = 0; i < row->count; i++) {
    if (row->work == BENCH_CLOUDS) {
      judge_hull(c->values + BENCH_HULL_VALUES * i, row->reference + BENCH_HULL_VALUES * i, t);
      continue;
    }
    double value = c->values[i];
    if (value == BENCH_FAILED || value != value) {
      t->failed++;
    } else if (row->work == BENCH_PRIMITIVES) {
      judge_contact(engine, value, row->reference[i], t);
    } else if (row->bodies) {
      double error = fabs(value - row->reference[i]) / row->reference[i];
      t->error = fmax(t->error, error);
      t->wrong += !(error <= WRONG_VOLUME);
    } else {
      double error = fabs(value - row->reference[i]);
      t->error = fmax(t->error, error);
      t->wrong += !(error <= WRONG);
    }
  }
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void print_cell(const bench_row *row, const bench_engine *engine, tally *t) {
  static const char *const works[] = {"W1", "W2", "W3", "W5", "W6", "W6"};
  qsort(t->ns, (size_t)t->rounds, sizeof t->ns[0], ascending);
  bool correct = t->rounds && !t->failed && !t->wrong;
  printf("%s|%s|%s|%d|%.1f|%d|%d|%.2g|%d\n", row->name, works[row->work], engine->name,
         engine->ours, t->rounds ? t->ns[t->rounds / 2] : NAN, t->failed, t->wrong,
         engine->tells_depth ? t->error : NAN, correct);
}

static int engines_for(const bench_row *row, const bench_engine *found[ENGINES_MAX]) {
  const struct {
    const bench_engine *list;
    int count;
  } all[] = {{bench_ours, bench_ours_count},
             {bench_fcl, bench_fcl_count},
             {bench_ccd, bench_ccd_count},
             {bench_bullet, bench_bullet_count},
             {bench_ode, bench_ode_count},
             {bench_ours_hull, bench_ours_hull_count},
             {bench_qhull, bench_qhull_count},
             {bench_cgal_hull, bench_cgal_hull_count},
             {bench_bullet_hull, bench_bullet_hull_count},
             {bench_ours_common, bench_ours_common_count},
             {bench_qhull_common, bench_qhull_common_count},
             {bench_cgal_common, bench_cgal_common_count}};
  int count = 0;
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    for (int k = 0; k < all[i].count; k++)
      if (all[i].list[k].takes(row) && count < ENGINES_MAX) found[count++] = &all[i].list[k];
  return count;
}

static bool run_row(const settings *s, bench_row *row, cell *shared) {
  const bench_engine *engines[ENGINES_MAX];
  int count = engines_for(row, engines);
  double *reference = calloc((size_t)row->count * BENCH_HULL_VALUES, sizeof *reference), gap = 0.0;
  tally *tallies = calloc((size_t)count, sizeof *tallies);
  bool ok = reference && tallies && bench_reference_make(row, reference, &gap);
  row->reference = reference;
  for (int round = 0; ok && round < s->rounds; round++) {
    for (int e = 0; e < count; e++) {
      tally *t = &tallies[e];
      if (!measure_apart(engines[e], row, s->seconds, shared)) {
        t->failed = row->count;
        continue;
      }
      t->ns[t->rounds++] = shared->ns;
      if (round == 0) judge(engines[e], row, shared, t);
    }
  }
  if (ok && gap > 1e-12) printf("note|%s: the reference is certain to %.2g only\n", row->name, gap);
  for (int e = 0; ok && e < count; e++) print_cell(row, engines[e], &tallies[e]);
  fflush(stdout);
  free(reference);
  free(tallies);
  return ok;
}

static const struct {
  bench_work work;
  int size;
  const char *name, *word;
} rows[] = {
    {BENCH_DISTANCE, 8, "distance, 8 vertices", "W1"},
    {BENCH_DISTANCE, 32, "distance, 32 vertices", "W1"},
    {BENCH_DISTANCE, 128, "distance, 128 vertices", "W1"},
    {BENCH_DISTANCE, 512, "distance, 512 vertices", "W1"},
    {BENCH_DEPTH, 8, "depth, 8 vertices", "W2"},
    {BENCH_DEPTH, 32, "depth, 32 vertices", "W2"},
    {BENCH_DEPTH, 128, "depth, 128 vertices", "W2"},
    {BENCH_DEPTH, 512, "depth, 512 vertices", "W2"},
    {BENCH_PRIMITIVES, 0, "box - box", "W3"},
    {BENCH_PRIMITIVES, 1, "sphere - sphere", "W3"},
    {BENCH_PRIMITIVES, 2, "capsule - capsule", "W3"},
    {BENCH_PRIMITIVES, 3, "box - sphere", "W3"},
    {BENCH_CLOUDS, 0, "hull, 32 points in a ball", "W5"},
    {BENCH_CLOUDS, 1, "hull, 128 points in a ball", "W5"},
    {BENCH_CLOUDS, 2, "hull, 1,000 points in a ball", "W5"},
    {BENCH_CLOUDS, 3, "hull, 10,000 points in a ball", "W5"},
    {BENCH_CLOUDS, 4, "hull, 32 points on a sphere", "W5"},
    {BENCH_CLOUDS, 5, "hull, 128 points on a sphere", "W5"},
    {BENCH_CLOUDS, 6, "hull, 1,000 points on a sphere", "W5"},
    {BENCH_CLOUDS, 7, "hull, 10,000 points on a sphere", "W5"},
    {BENCH_SHALLOW, 8, "common solid, shallow, 8 vertices", "W6"},
    {BENCH_SHALLOW, 32, "common solid, shallow, 32 vertices", "W6"},
    {BENCH_SHALLOW, 128, "common solid, shallow, 128 vertices", "W6"},
    {BENCH_DEEP, 8, "common solid, deep, 8 vertices", "W6"},
    {BENCH_DEEP, 32, "common solid, deep, 32 vertices", "W6"},
    {BENCH_DEEP, 128, "common solid, deep, 128 vertices", "W6"},
};

static bool read_settings(int count, char **words, settings *s) {
  *s = (settings){.rounds = 5, .seconds = 0.05};
  for (int i = 1, number = 0; i < count; i++) {
    if (words[i][0] == 'W') {
      s->only = words[i];
      continue;
    }
    double value = strtod(words[i], NULL);
    if (number == 0) s->rounds = (int)value;
    if (number == 1) s->seconds = value;
    number++;
  }
  return s->rounds >= 1 && s->rounds <= ROUNDS_MAX && s->seconds > 0.0;
}

int main(int count, char **words) {
  settings s;
  if (!read_settings(count, words, &s)) return 2;
  cell *shared =
      mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 1;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (s.only && strcmp(s.only, rows[i].word) != 0) continue;
    bench_row row;
    bool as_specified;
    if (!bench_input_make(rows[i].work, rows[i].size, &row, &as_specified)) return 1;
    row.name = rows[i].name;
    if (!as_specified)
      printf("note|%s: this libm rounds some inputs differently from the specification\n",
             row.name);
    bool ok = run_row(&s, &row, shared);
    bench_input_free(&row);
    if (!ok) return 1;
  }
  return 0;
}
