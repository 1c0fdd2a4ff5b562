/* Walls of unit boxes of unit mass on the ground, every second row shifted by half a box, with a
 * contact at each corner of the common area of two boxes: far more contacts than degrees of
 * freedom. M = J M^-1 J'; q has the contact accelerations without contact forces. */
#ifndef TESTS_PILE_H
#define TESTS_PILE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PILE_GRAVITY 9.81

typedef struct pile {
  size_t boxes, count;
  double *m, *q; /* [count count], [count] */
  double *rows;  /* J: of each contact on the lower box (-1: the ground) and on the upper one */
  int (*pairs)[2];
  double (*centers)[2]; /* x, z */
  double noise;         /* greatest perturbation of the normals */
  uint64_t state;
} pile;

static inline double pile_noise(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(*state >> 11) * 0x1p-52 - 1.0;
}

/* A contact at `at` (x, z; y is `side`) with the normal along x or z, perturbed by the noise. */
static inline void pile_contact(pile *p, const int pair[2], const double at[2], double side,
                                int axis) {
  double normal[3] = {axis == 0, 0.0, axis == 2};
  for (int k = 0; k < 3; k++) normal[k] += p->noise * pile_noise(&p->state);
  for (int e = 0; e < 2; e++) {
    double *row = p->rows + 12 * p->count + 6 * e, sign = e ? 1.0 : -1.0;
    p->pairs[p->count][e] = pair[e];
    memset(row, 0, 6 * sizeof *row);
    if (pair[e] < 0) continue;
    double arm[3] = {at[0] - p->centers[pair[e]][0], side, at[1] - p->centers[pair[e]][1]};
    for (int k = 0; k < 3; k++) {
      int i = (k + 1) % 3, j = (k + 2) % 3;
      row[k] = sign * normal[k];
      row[3 + k] = sign * (arm[i] * normal[j] - arm[j] * normal[i]);
    }
  }
  p->count++;
}

/* The four corners of a face from (x0, z0) to (x1, z1) that is one box deep. */
static inline void pile_face(pile *p, int lower, int upper, const double face[4], int axis) {
  for (int k = 0; k < 4; k++)
    pile_contact(p, (const int[]){lower, upper}, face + (k & 1 ? 2 : 0), k & 2 ? 0.5 : -0.5, axis);
}

static inline void pile_fill(pile *p) {
  size_t n = p->count;
  for (size_t i = 0; i < n; i++) {
    p->q[i] = 0.0;
    for (size_t j = 0; j < n; j++) p->m[i * n + j] = 0.0;
    for (int e = 0; e < 2; e++) {
      const double *a = p->rows + 12 * i + 6 * e;
      if (p->pairs[i][e] >= 0) p->q[i] -= PILE_GRAVITY * a[2];
      for (size_t j = 0; j < 2 * n; j++) {
        const double *b = p->rows + 6 * j;
        if (p->pairs[i][e] < 0 || p->pairs[j / 2][j % 2] != p->pairs[i][e]) continue;
        /* The inertia of a unit cube is 1/6. */
        for (int k = 0; k < 3; k++)
          p->m[i * n + j / 2] += a[k] * b[k] + 6.0 * (a[3 + k] * b[3 + k]);
      }
    }
  }
}

static inline int pile_make(pile *p, int wide, int high, double noise) {
  size_t boxes = (size_t)wide * (size_t)high, most = 12 * boxes;
  *p = (pile){.boxes = boxes, .noise = noise, .state = 1};
  p->centers = calloc(boxes, sizeof *p->centers);
  p->rows = calloc(12 * most, sizeof *p->rows);
  p->pairs = calloc(most, sizeof *p->pairs);
  for (int i = 0; p->centers && p->rows && p->pairs && i < wide * high; i++) {
    int row = i / wide, column = i % wide;
    double x = p->centers[i][0] = column + 0.5 * (row % 2), z = row;
    p->centers[i][1] = z + 0.5;
    if (row == 0) pile_face(p, -1, i, (const double[]){x - 0.5, z, x + 0.5, z}, 2);
    for (int below = (row - 1) * wide; row > 0 && below < row * wide; below++) {
      double low = fmax(x, p->centers[below][0]) - 0.5, end = fmin(x, p->centers[below][0]) + 0.5;
      if (low < end) pile_face(p, below, i, (const double[]){low, z, end, z}, 2);
    }
    if (column > 0) pile_face(p, i - 1, i, (const double[]){x - 0.5, z, x - 0.5, z + 1.0}, 0);
  }
  p->m = calloc(p->count * p->count, sizeof *p->m);
  p->q = calloc(p->count, sizeof *p->q);
  if (!p->count || !p->m || !p->q) return 0;
  pile_fill(p);
  return 1;
}

static inline void pile_free(pile *p) {
  free(p->m);
  free(p->q);
  free(p->rows);
  free(p->pairs);
  free(p->centers);
}

#endif
