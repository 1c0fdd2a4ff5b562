/* Runs each engine on each scene in a child process, one after the other. Of four seconds of steps,
 * or two for large scenes, the first and the last one are measured.
 *
 *   heaps [full]     full: four seconds and sleep for all scenes, also the heap of 5,000 boxes
 *
 * Prints a row per scene, sleep, second and engine: scene, 1 with sleep, second, engine, 1 for this
 * engine, CPU time of a step in ms, greatest depth in m, greatest gain of energy in a step relative
 * to the potential energy at the start, error of the momentum relative to the weight times the
 * step, drift in m of the median and of the fastest body, share of steps not converged; "nan" where
 * a value does not apply. Energies and momenta are computed here, from poses and velocities. */
#include "heaps.h"
#include "../timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
  SECOND = 120, /* steps */
  SECONDS = 4,
  SECONDS_OF_LARGE = 2,
  CHILD_SECONDS = 3600, /* CPU time of one engine on one scene */
  LARGE = 201,          /* bodies */
  ENGINES = 3
};

typedef struct second_result {
  double ms, depth, gain, momentum, drift, drift_most, unconverged;
} second_result;

/* Written by the child. */
typedef struct scene_result {
  second_result first, last;
  bool finished;
} scene_result;

typedef struct run {
  const heaps_scene *scene;
  const heaps_engine *engine;
  void *state;
  bool sleeping;
  int seconds;
  heaps_body *now, *start; /* start: at the begin of the second */
  double energy, momentum[3];
  double energy_scale; /* potential energy at the start, J */
  double weight;       /* sum of masses times gravity, N */
} run;

/* ---- energy and momentum -------------------------------------------------------------------- */

/* Components of a world vector along the axes of a body. */
static void rotate_back(const double q[4], const double v[3], double out[3]) {
  double x = q[0], y = q[1], z = q[2], w = q[3];
  double rows[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
                       {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
                       {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}};
  for (int i = 0; i < 3; i++) out[i] = rows[i][0] * v[0] + rows[i][1] * v[1] + rows[i][2] * v[2];
}

static double body_energy(const heaps_shape *shape, const heaps_body *b) {
  double spin[3], twice = 0.0;
  rotate_back(b->rotation, b->angular_velocity, spin);
  for (int axis = 0; axis < 3; axis++)
    twice += shape->mass * b->velocity[axis] * b->velocity[axis] +
             shape->inertia[axis] * spin[axis] * spin[axis];
  return 0.5 * twice + shape->mass * HEAPS_GRAVITY * b->position[2];
}

static void sum_bodies(const heaps_scene *scene, const heaps_body *bodies, double *energy,
                       double momentum[3]) {
  *energy = 0.0;
  memset(momentum, 0, 3 * sizeof *momentum);
  for (uint32_t i = 0; i < scene->count; i++) {
    const heaps_shape *shape = &scene->shapes[bodies[i].shape];
    *energy += body_energy(shape, &bodies[i]);
    for (int axis = 0; axis < 3; axis++) momentum[axis] += shape->mass * bodies[i].velocity[axis];
  }
}

/* Adds the gain of energy of the last step, and the difference between the change of momentum and
 * the impulses of gravity and the floor. Disabled bodies of an engine have neither. */
static void compare_step(run *r, second_result *out) {
  double energy, momentum[3], floor_impulse[3], square = 0.0;
  r->engine->read(r->state, r->now, floor_impulse);
  sum_bodies(r->scene, r->now, &energy, momentum);
  for (int axis = 0; axis < 3; axis++) {
    double fall = axis == 2 ? -r->weight * HEAPS_TIME_STEP : 0.0;
    double error = momentum[axis] - r->momentum[axis] - fall - floor_impulse[axis];
    square += error * error;
  }
  out->gain = fmax(out->gain, (energy - r->energy) / r->energy_scale);
  out->momentum =
      r->sleeping ? NAN : fmax(out->momentum, sqrt(square) / (r->weight * HEAPS_TIME_STEP));
  r->energy = energy;
  memcpy(r->momentum, momentum, sizeof momentum);
}

/* ---- a run ---------------------------------------------------------------------------------- */

static void measure_drift(const run *r, second_result *out) {
  double *lengths = calloc(r->scene->count, sizeof *lengths);
  if (!lengths) _exit(1);
  for (uint32_t i = 0; i < r->scene->count; i++) {
    double square = 0.0;
    for (int axis = 0; axis < 3; axis++) {
      double move = r->now[i].position[axis] - r->start[i].position[axis];
      square += move * move;
    }
    lengths[i] = sqrt(square);
  }
  out->drift = timing_median(lengths, r->scene->count);
  out->drift_most = lengths[r->scene->count - 1];
  free(lengths);
}

static uint64_t count_unconverged(const run *r) {
  return r->engine->unconverged ? r->engine->unconverged(r->state) : 0;
}

/* One second. The energy may only grow, so a gain of 0 is the least; steps are timed alone. */
static second_result run_second(run *r) {
  second_result out = {0};
  double spent = 0.0;
  uint64_t before = count_unconverged(r);
  memcpy(r->start, r->now, r->scene->count * sizeof *r->now);
  for (int k = 0; k < SECOND; k++) {
    double start = timing_ns();
    if (!r->engine->step(r->state)) _exit(1);
    spent += timing_ns() - start;
    compare_step(r, &out);
  }
  out.ms = 1e-6 * spent / SECOND;
  out.depth = heaps_penetration(r->scene, r->now, r->engine->hull_margin);
  out.unconverged = r->engine->unconverged ? (double)(count_unconverged(r) - before) / SECOND : NAN;
  measure_drift(r, &out);
  return out;
}

static void run_scene(run *r, scene_result *shared) {
  size_t bytes = r->scene->count * sizeof *r->now;
  r->now = malloc(bytes);
  r->start = malloc(bytes);
  r->state = r->engine->create(r->scene, r->sleeping);
  if (!r->now || !r->start || !r->state) _exit(1);
  memcpy(r->now, r->scene->bodies, bytes);
  sum_bodies(r->scene, r->now, &r->energy, r->momentum);
  r->energy_scale = r->energy;
  for (uint32_t i = 0; i < r->scene->count; i++)
    r->weight += HEAPS_GRAVITY * r->scene->shapes[r->now[i].shape].mass;
  for (int second = 1; second <= r->seconds; second++) {
    second_result result = run_second(r);
    if (second == 1) result.drift = result.drift_most = NAN; /* bodies still fall */
    if (second == 1) shared->first = result;
    if (second == r->seconds) shared->last = result;
  }
  shared->finished = true;
}

static bool run_in_child(run *r, scene_result *shared) {
  *shared = (scene_result){.finished = false};
  fflush(NULL);
  pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) {
    const struct rlimit most = {CHILD_SECONDS, CHILD_SECONDS};
    if (setrlimit(RLIMIT_CPU, &most) != 0) _exit(1);
    run_scene(r, shared);
    _exit(0);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && shared->finished;
}

static void print_second(const run *r, const char *name, const second_result *s) {
  printf("%s|%d|%s|%s|%d|%.4f|%.3g|%.3g|%.3g|%.3g|%.3g|%.3f\n", r->scene->name, r->sleeping, name,
         r->engine->name, r->engine->ours, s->ms, s->depth, s->gain, s->momentum, s->drift,
         s->drift_most, s->unconverged);
}

static void compare_engines(const heaps_scene *scene, bool sleeping, int seconds,
                            scene_result *shared) {
  const heaps_engine *engines[ENGINES] = {&heaps_ours, &heaps_bullet, &heaps_ode};
  for (int e = 0; e < ENGINES; e++) {
    run r = {.scene = scene, .engine = engines[e], .sleeping = sleeping, .seconds = seconds};
    if (scene->has_hulls && !r.engine->hulls) continue;
    if (!run_in_child(&r, shared)) {
      printf("note|%s did not finish the %s\n", r.engine->name, scene->name);
      continue;
    }
    print_second(&r, "first", &shared->first);
    print_second(&r, "last", &shared->last);
  }
  fflush(stdout);
}

int main(int count, char **words) {
  bool full = count > 1 && strcmp(words[1], "full") == 0;
  scene_result *shared =
      mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 1;
  for (int i = 0; i < (full ? HEAPS_SCENES : HEAPS_SCENES - 1); i++) {
    heaps_scene scene;
    if (!heaps_scene_create(i, &scene)) return 1;
    bool is_short = scene.count >= LARGE && !full;
    int seconds = is_short ? SECONDS_OF_LARGE : SECONDS;
    compare_engines(&scene, false, seconds, shared);
    if (!is_short) compare_engines(&scene, true, seconds, shared);
    free(scene.bodies);
  }
  return 0;
}
