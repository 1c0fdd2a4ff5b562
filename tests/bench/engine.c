/* Rates of the engine alone, on one core: signed distance by pair of kinds (apart and overlapping),
 * overlap, hull construction, broad phase. Inputs are from a fixed seed. Prints one row per
 * measurement: name, count, nanoseconds each. */
#include <contact/contact.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/support/check.h"

enum { PAIRS = 2000, HULL_POINTS = 32, HULLS = 16, ROUNDS = 3 };
static const double seconds_each = 0.08;

typedef struct pair {
  ct_shape a, b;
  ct_frame frame_a, frame_b;
} pair;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static ct_vec3 in_ball(check_random *random) {
  for (int i = 0; i < 64; i++) {
    ct_vec3 v = ct_vec(check_uniform(random, -1, 1), check_uniform(random, -1, 1),
                       check_uniform(random, -1, 1));
    if (ct_norm2(v) < 1.0 && ct_norm2(v) > 0.01) return v;
  }
  return ct_vec(0.5, 0.0, 0.0);
}

static ct_frame placed(check_random *random, ct_vec3 position) {
  ct_vec3 axis = in_ball(random);
  ct_pose pose = {position, {axis.x, axis.y, axis.z, check_uniform(random, 0.1, 1.0)}};
  return ct_frame_of(pose);
}

static ct_hull *random_hull(check_random *random, size_t count) {
  ct_vec3 *points = malloc(count * sizeof *points);
  if (!points) abort();
  for (size_t i = 0; i < count; i++) points[i] = ct_unit_or(in_ball(random), ct_vec(1, 0, 0));
  ct_hull *hull = NULL;
  if (ct_hull_from_points(points, count, NULL, &hull, NULL) != CT_OK) abort();
  free(points);
  return hull;
}

/* The measured kinds. */
static const ct_kind kinds[] = {CT_KIND_SPHERE, CT_KIND_BOX, CT_KIND_CAPSULE, CT_KIND_CONVEX,
                                CT_KIND_PLANE};
#define KINDS ((int)(sizeof kinds / sizeof *kinds))

static ct_shape shape_of(check_random *random, ct_kind kind, ct_hull *const *hulls) {
  ct_shape shape = {.kind = kind};
  if (kind == CT_KIND_SPHERE) shape.sphere.radius = check_uniform(random, 0.5, 1.0);
  if (kind == CT_KIND_BOX)
    shape.box.half = ct_vec(check_uniform(random, 0.3, 1), check_uniform(random, 0.3, 1),
                            check_uniform(random, 0.3, 1));
  if (kind == CT_KIND_CAPSULE) {
    shape.capsule.half_length = check_uniform(random, 0.2, 0.8);
    shape.capsule.radius_bottom = shape.capsule.radius_top = check_uniform(random, 0.2, 0.6);
  }
  if (kind == CT_KIND_CONVEX) shape.hull = hulls[check_next(random) % HULLS];
  return shape;
}

/* apart: centres at 2.5 to 4 from each other; else at 0.2 to 0.9, so that the shapes overlap. */
static void fill(pair *pairs, ct_kind kind_a, ct_kind kind_b, bool apart, ct_hull *const *hulls) {
  check_random random = {1000u + 100u * (unsigned)kind_a + 10u * (unsigned)kind_b + apart};
  for (int i = 0; i < PAIRS; i++) {
    double gap = apart ? check_uniform(&random, 2.5, 4.0) : check_uniform(&random, 0.2, 0.9);
    ct_vec3 offset = ct_scale(ct_unit_or(in_ball(&random), ct_vec(1, 0, 0)), gap);
    pairs[i] = (pair){shape_of(&random, kind_a, hulls), shape_of(&random, kind_b, hulls),
                      placed(&random, ct_vec(0, 0, 0)), placed(&random, offset)};
  }
}

/* Least time of several rounds, ns per pair. */
static double measure(const pair *pairs, bool overlap_only, ct_workspace *workspace, double *sum) {
  ct_pair_options options = {.threshold = INFINITY};
  double best = INFINITY;
  for (int round = 0; round < ROUNDS; round++) {
    long done = 0;
    double start = now(), end = start;
    while (end - start < seconds_each) {
      for (int i = 0; i < PAIRS; i++) {
        const pair *p = &pairs[i];
        ct_pair_result result;
        if (overlap_only) {
          *sum += ct_pair_overlap((ct_placed){&p->a, &p->frame_a}, (ct_placed){&p->b, &p->frame_b},
                                  workspace, NULL);
        } else {
          ct_pair_distance((ct_placed){&p->a, &p->frame_a}, (ct_placed){&p->b, &p->frame_b},
                           &options, workspace, &result);
          *sum += result.distance;
        }
      }
      done += PAIRS;
      end = now();
    }
    double each = 1e9 * (end - start) / (double)done;
    if (each < best) best = each;
  }
  return best;
}

static void pair_rates(ct_workspace *workspace, ct_hull *const *hulls, double *sum) {
  pair *pairs = malloc(PAIRS * sizeof *pairs);
  if (!pairs) abort();
  for (int i = 0; i < KINDS; i++)
    for (int j = i; j < KINDS; j++) {
      ct_kind a = kinds[i], b = kinds[j];
      if (a == CT_KIND_PLANE) continue;
      fill(pairs, a, b, true, hulls);
      double apart = measure(pairs, false, workspace, sum);
      double apart_overlap = measure(pairs, true, workspace, sum);
      fill(pairs, a, b, false, hulls);
      double deep = measure(pairs, false, workspace, sum);
      printf("pair %s-%s|%.0f|%.0f|%.0f\n", ct_kind_word(a), ct_kind_word(b), apart, apart_overlap,
             deep);
    }
  free(pairs);
}

static void hull_rates(void) {
  static const size_t counts[] = {32, 128, 512, 4096, 32768};
  for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
    check_random random = {77};
    double best = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
      double start = now();
      ct_hull *hull = random_hull(&random, counts[c]);
      double each = now() - start;
      ct_hull_release(hull);
      if (each < best) best = each;
    }
    printf("hull %zu points on a sphere|%.3f\n", counts[c], 1e3 * best);
  }
}

static void broad_rates(void) {
  static const size_t counts[] = {1000, 10000, 100000};
  for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
    check_random random = {5};
    size_t count = counts[c];
    ct_aabb *boxes = malloc(count * sizeof *boxes);
    if (!boxes) abort();
    double room = cbrt((double)count);
    for (size_t i = 0; i < count; i++) {
      ct_vec3 p = ct_vec(check_uniform(&random, 0, room), check_uniform(&random, 0, room),
                         check_uniform(&random, 0, room));
      boxes[i] = (ct_aabb){p, ct_add(p, ct_vec(0.8, 0.8, 0.8))};
    }
    ct_pair_list list = {0};
    ct_broad_statistics statistics = {0};
    ct_broad_options options = {CT_BROADPHASE_TREE, CT_PAIRS_MAX, NULL};
    double start = now();
    if (ct_broad_pairs(boxes, count, &options, &list, &statistics) != CT_OK) abort();
    printf("boxes %zu, tree|%.2f|%zu\n", count, 1e3 * (now() - start), list.count);
    ct_pair_list_free(&list);
    free(boxes);
  }
}

int main(void) {
  check_random random = {42};
  ct_workspace *workspace = ct_workspace_create();
  ct_hull *hulls[HULLS];
  for (int i = 0; i < HULLS; i++) hulls[i] = random_hull(&random, HULL_POINTS);
  if (!workspace) return 1;
  double sum = 0.0;
  pair_rates(workspace, hulls, &sum);
  hull_rates();
  broad_rates();
  for (int i = 0; i < HULLS; i++) ct_hull_release(hulls[i]);
  ct_workspace_destroy(workspace);
  return sum == sum ? 0 : 1;
}
