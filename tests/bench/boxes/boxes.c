/* Runs the box benchmark: inputs, references, alternating rounds, medians, verdicts.
 *
 * Every measurement runs in a child process of its own, in processor time. An engine is correct if
 * its pairs are those of a sort and scan implemented here (for up to a hundred thousand boxes) and
 * match the input's specification (numbers and hashes of pairs). Prints lines
 * "row|steps|engine|ours|ms|correct" and "note|..." for the script that makes the tables.
 *
 *     boxes [rounds [seconds [most boxes]]] */
#include "boxes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "draw.h"

/* Limit of a child's processor time, which does not depend on the load of the machine. */
#define CHILD_SECONDS 60
/* Larger inputs are measured once, and compared only with the specification's numbers of pairs. */
#define MANY 100000
enum { ROUNDS_MAX = 15, ENGINES_MAX = 32 };

/* A set of pairs, identified by its size and the sum of its hashes. */
typedef struct digest {
  uint64_t count, hash;
} digest;

/* At the beginning and after all steps. */
static const struct {
  uint32_t count;
  digest pairs[2];
} specified[] = {
    {1000, {{1728, 0xf30f09e826dbaf28}, {1723, 0xd1b2899fe8b16cc1}}},
    {10000, {{19081, 0x3935bd25ae23a0d3}, {19098, 0xb373f6d65cd9d09c}}},
    {100000, {{195000, 0x697bfe0856362724}, {195029, 0x5b7ee9293401d9d1}}},
    {1000000, {{1975630, 0x19cb872fbcad2aad}, {1975591, 0xd365dece844b89da}}},
};

/* Boxes at the beginning and after each step, and the pairs at both times. */
typedef struct row {
  uint32_t count;
  bench_box *boxes[BENCH_STEPS + 1];
  digest pairs[2];
} row;

/* Result of a child, in memory shared with its parent. */
typedef struct cell {
  bool answered;
  double ms;
  digest pairs;
} cell;

typedef struct tally {
  double ms[ROUNDS_MAX];
  int rounds;
  bool correct;
} tally;

/* ---- inputs --------------------------------------------------------------------------------- */

static bool make_row(uint32_t count, row *r) {
  r->count = count;
  for (int step = 0; step <= BENCH_STEPS; step++)
    if (!(r->boxes[step] = malloc(count * sizeof *r->boxes[step]))) return false;
  source s = {7000u + count};
  double room = cbrt(2.0 * count);
  for (uint32_t i = 0; i < count; i++) {
    double centre[3];
    for (int k = 0; k < 3; k++) centre[k] = between(&s, 0.0, room);
    for (int k = 0; k < 3; k++) {
      double extent = between(&s, 0.5, 1.5);
      r->boxes[0][i].low[k] = to_float(centre[k] - extent / 2);
      r->boxes[0][i].high[k] = to_float(centre[k] + extent / 2);
    }
  }
  s.state = 8000u + count;
  for (int step = 1; step <= BENCH_STEPS; step++)
    for (uint32_t i = 0; i < count; i++)
      for (int k = 0; k < 3; k++) {
        const bench_box *b = &r->boxes[step - 1][i];
        double by = between(&s, -1.0, 1.0) * 0.01 * (b->high[k] - b->low[k]);
        r->boxes[step][i].low[k] = to_float(b->low[k] + by);
        r->boxes[step][i].high[k] = to_float(b->high[k] + by);
      }
  return true;
}

/* ---- references ----------------------------------------------------------------------------- */

static digest digest_of(const bench_pairs *pairs) {
  digest d = {pairs->count, 0};
  for (size_t k = 0; k < pairs->count; k++) {
    uint64_t i = pairs->items[k][0], j = pairs->items[k][1];
    source s = {i < j ? i << 32 | j : j << 32 | i};
    d.hash += draw(&s);
  }
  return d;
}

typedef struct numbered {
  bench_box box;
  uint32_t number;
} numbered;

static int by_low_x(const void *a, const void *b) {
  double x = ((const numbered *)a)->box.low[0], y = ((const numbered *)b)->box.low[0];
  return (x > y) - (x < y);
}

static bool scan(const bench_box *boxes, uint32_t count, digest *found) {
  numbered *list = malloc(count * sizeof *list);
  if (!list) return false;
  for (uint32_t i = 0; i < count; i++) list[i] = (numbered){boxes[i], i};
  qsort(list, count, sizeof *list, by_low_x);
  bench_pairs pairs = {NULL, 0, 0};
  for (uint32_t a = 0; a < count; a++)
    for (uint32_t b = a + 1; b < count && list[b].box.low[0] <= list[a].box.high[0]; b++) {
      const bench_box *p = &list[a].box, *q = &list[b].box;
      if (p->low[1] <= q->high[1] && q->low[1] <= p->high[1] && p->low[2] <= q->high[2] &&
          q->low[2] <= p->high[2])
        bench_add(&pairs, list[a].number, list[b].number);
    }
  *found = digest_of(&pairs);
  free(pairs.items);
  free(list);
  return true;
}

static bool same(digest a, digest b) { return a.count == b.count && a.hash == b.hash; }

static bool find_references(row *r, const digest *reported) {
  memcpy(r->pairs, reported, sizeof r->pairs);
  if (r->count > MANY) return true;
  for (int end = 0; end < 2; end++)
    if (!scan(r->boxes[end ? BENCH_STEPS : 0], r->count, &r->pairs[end])) return false;
  if (!same(r->pairs[0], reported[0]) || !same(r->pairs[1], reported[1]))
    printf("note|%u boxes: the pairs are not those of the specification: this libm rounds some "
           "inputs differently\n",
           r->count);
  return true;
}

/* ---- measuring ------------------------------------------------------------------------------ */

static double processor_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double timed(const bench_broad *engine, void *state, const bench_box *boxes,
                    bench_pairs *pairs) {
  double start = processor_seconds();
  engine->answer(state, boxes, pairs);
  return processor_seconds() - start;
}

/* From scratch: answers after a reset each. In steps: the answers of the steps, after one
 * unmeasured answer. */
static void measure(const bench_broad *engine, const row *r, bool steps, double seconds,
                    cell *out) {
  void *state = engine->prepare(r->boxes[0], r->count);
  if (!state) return;
  bench_pairs pairs = {NULL, 0, 0};
  double spent = 0.0;
  int answers = 0;
  do {
    engine->reset(state);
    engine->place(state, r->boxes[0]);
    double first = timed(engine, state, r->boxes[0], &pairs);
    if (!steps) {
      spent += first;
      answers++;
    }
    for (int step = 1; steps && step <= BENCH_STEPS; step++) {
      engine->place(state, r->boxes[step]);
      spent += timed(engine, state, r->boxes[step], &pairs);
      answers++;
    }
  } while (spent < seconds);
  out->pairs = digest_of(&pairs);
  out->ms = 1e3 * spent / answers;
  out->answered = true;
}

static bool measure_apart(const bench_broad *engine, const row *r, bool steps, double seconds,
                          cell *out) {
  out->answered = false;
  fflush(NULL);
  pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) {
    const struct rlimit most = {CHILD_SECONDS, CHILD_SECONDS};
    if (setrlimit(RLIMIT_CPU, &most) != 0) _exit(1);
    measure(engine, r, steps, seconds, out);
    _exit(0);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0 &&
         out->answered;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static int engines_for(const row *r, bool steps, const bench_broad *found[ENGINES_MAX]) {
  const struct {
    const bench_broad *list;
    int count;
  } all[] = {{bench_broad_ours, bench_broad_ours_count},
             {bench_broad_cgal, bench_broad_cgal_count},
             {bench_broad_fcl, bench_broad_fcl_count},
             {bench_broad_bullet, bench_broad_bullet_count},
             {bench_broad_ode, bench_broad_ode_count}};
  int count = 0;
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    for (int k = 0; k < all[i].count; k++)
      if (all[i].list[k].most[steps] >= r->count && count < ENGINES_MAX)
        found[count++] = &all[i].list[k];
  return count;
}

static void run_row(const row *r, bool steps, int rounds, double seconds, cell *shared) {
  const bench_broad *engines[ENGINES_MAX];
  tally tallies[ENGINES_MAX] = {{{0}, 0, false}};
  int count = engines_for(r, steps, engines);
  for (int round = 0; round < rounds; round++)
    for (int e = 0; e < count; e++) {
      tally *t = &tallies[e];
      if (!measure_apart(engines[e], r, steps, seconds, shared)) continue;
      t->correct = same(shared->pairs, r->pairs[steps]) && (t->correct || t->rounds == 0);
      t->ms[t->rounds++] = shared->ms;
    }
  for (int e = 0; e < count; e++) {
    tally *t = &tallies[e];
    qsort(t->ms, (size_t)t->rounds, sizeof t->ms[0], ascending);
    printf("%u|%d|%s|%d|%.4f|%d\n", r->count, steps, engines[e]->name, engines[e]->ours,
           t->rounds ? t->ms[t->rounds / 2] : NAN, t->correct);
  }
  fflush(stdout);
}

int main(int count, char **words) {
  int rounds = count > 1 ? (int)strtol(words[1], NULL, 10) : 3;
  double seconds = count > 2 ? strtod(words[2], NULL) : 0.03,
         most = count > 3 ? strtod(words[3], NULL) : 1e6;
  if (rounds < 1 || rounds > ROUNDS_MAX || !(seconds > 0.0)) return 2;
  cell *shared =
      mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 1;
  for (size_t i = 0; i < sizeof specified / sizeof specified[0] && specified[i].count <= most;
       i++) {
    row r;
    if (!make_row(specified[i].count, &r) || !find_references(&r, specified[i].pairs)) return 1;
    for (int steps = 0; steps < 2; steps++)
      run_row(&r, steps, r.count > MANY ? 1 : rounds, seconds, shared);
    for (int step = 0; step <= BENCH_STEPS; step++) free(r.boxes[step]);
  }
  return 0;
}
