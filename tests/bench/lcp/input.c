/* Walls of boxes as problems of normal impulses: M = J M^-1 J', and q the contact velocities after
 * one unconstrained step of 1/60 s. */
#include "lcp.h"

#include "../../support/pile.h"
#include "draw.h"

#include <stdlib.h>
#include <string.h>

typedef struct box {
  double mass, size[3], inertia[3], velocity[6];
} box;

/* The row of J: on the box above and on the one below, -1 for the ground. */
typedef struct contact {
  int upper, lower;
  double on_upper[6], on_lower[6];
} contact;

typedef struct wall {
  int boxes, contacts;
  box *box;
  contact *contact;
  double added; /* added to the diagonal, so that M is regular: 1e-6 of its mean */
} wall;

static void make_box(source *s, box *b) {
  b->mass = between(s, 0.5, 2.0);
  for (int k = 0; k < 3; k++) b->size[k] = between(s, 0.8, 1.2);
  for (int k = 0; k < 6; k++) b->velocity[k] = between(s, -0.1, 0.1);
  b->velocity[2] -= 9.81 / 60.0;
  for (int k = 0; k < 3; k++) {
    double x = b->size[(k + 1) % 3], y = b->size[(k + 2) % 3];
    b->inertia[k] = b->mass * (x * x + y * y) / 12.0;
  }
}

static void make_arm(source *s, const box *b, double side, double arm[3]) {
  for (int k = 0; k < 2; k++) arm[k] = between(s, -b->size[k] / 2.0, b->size[k] / 2.0);
  arm[2] = side * b->size[2] / 2.0;
}

static void make_row(const double arm[3], const double normal[3], double sign, double row[6]) {
  for (int k = 0; k < 3; k++) {
    row[k] = sign * normal[k];
    row[3 + k] =
        sign * (arm[(k + 1) % 3] * normal[(k + 2) % 3] - arm[(k + 2) % 3] * normal[(k + 1) % 3]);
  }
}

static void make_contact(source *s, const wall *w, contact *c) {
  double upper[3], lower[3] = {0}, normal[3];
  make_arm(s, &w->box[c->upper], -1.0, upper);
  if (c->lower >= 0) make_arm(s, &w->box[c->lower], 1.0, lower);
  normal[0] = between(s, -0.1, 0.1);
  normal[1] = between(s, -0.1, 0.1);
  normal[2] = 1.0;
  double length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + 1.0);
  for (int k = 0; k < 3; k++) normal[k] /= length;
  make_row(upper, normal, 1.0, c->on_upper);
  make_row(lower, normal, -1.0, c->on_lower);
}

static double over_mass(const box *b, const double *j, const double *k) {
  double sum = 0.0;
  for (int t = 0; t < 3; t++) sum += j[t] * k[t] / b->mass + j[3 + t] * k[3 + t] / b->inertia[t];
  return sum;
}

static double entry(const wall *w, const contact *a, const contact *b) {
  double sum = 0.0;
  if (a->upper == b->upper) sum += over_mass(&w->box[a->upper], a->on_upper, b->on_upper);
  if (a->upper == b->lower) sum += over_mass(&w->box[a->upper], a->on_upper, b->on_lower);
  if (a->lower >= 0 && a->lower == b->upper)
    sum += over_mass(&w->box[a->lower], a->on_lower, b->on_upper);
  if (a->lower >= 0 && a->lower == b->lower)
    sum += over_mass(&w->box[a->lower], a->on_lower, b->on_lower);
  return a == b ? sum + w->added : sum;
}

static double side(const wall *w, const contact *c) {
  double sum = 0.0;
  for (int k = 0; k < 6; k++) {
    sum += c->on_upper[k] * w->box[c->upper].velocity[k];
    if (c->lower >= 0) sum += c->on_lower[k] * w->box[c->lower].velocity[k];
  }
  return sum;
}

static bool make_wall(int wide, int high, int number, wall *w) {
  *w = (wall){.boxes = wide * high, .contacts = 4 * wide * high};
  w->box = calloc((size_t)w->boxes, sizeof *w->box);
  w->contact = calloc((size_t)w->contacts, sizeof *w->contact);
  if (!w->box || !w->contact) return false;
  source s = {11000u + (uint64_t)w->contacts + 100000u * (uint64_t)number};
  for (int i = 0; i < w->boxes; i++) make_box(&s, &w->box[i]);
  for (int i = 0; i < w->contacts; i++) {
    contact *c = &w->contact[i];
    int level = i / 4 / wide, column = i / 4 % wide;
    c->upper = i / 4;
    c->lower = level == 0 ? -1 : (level - 1) * wide + (i % 4 < 2 ? column : (column + 1) % wide);
    make_contact(&s, w, c);
  }
  double trace = 0.0;
  for (int i = 0; i < w->contacts; i++) trace += entry(w, &w->contact[i], &w->contact[i]);
  w->added = 1e-6 * trace / w->contacts;
  return true;
}

static void free_wall(wall *w) {
  free(w->box);
  free(w->contact);
}

bool bench_wall_dense(int wide, int high, int number, bench_problem *p) {
  wall w;
  if (!make_wall(wide, high, number, &w)) return false;
  size_t n = (size_t)w.contacts;
  *p = (bench_problem){w.contacts, malloc(n * n * sizeof *p->m), malloc(n * sizeof *p->q)};
  if (!p->m || !p->q) return false;
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) p->m[i * n + j] = entry(&w, &w.contact[i], &w.contact[j]);
    p->q[i] = side(&w, &w.contact[i]);
  }
  free_wall(&w);
  return true;
}

/* Contacts that share a box with contact i belong to boxes of its level and of the adjacent levels,
 * at most two columns away. */
static void add_row(const wall *w, int wide, int i, bench_sparse *p) {
  const contact *c = &w->contact[i];
  int level = i / 4 / wide, column = i / 4 % wide, high = w->boxes / wide;
  for (int l = level > 0 ? level - 1 : 0; l <= level + 1 && l < high; l++)
    for (int k = 0; k < wide; k++) {
      int apart = abs(k - column), around = wide - apart;
      if (apart > 2 && around > 2) {
        /* Skips to the first column that may share a box. */
        if (k < column - 2) k = column - 3;
        else if (k < wide + column - 2 && column < 2) k = wide + column - 3;
        else break;
        continue;
      }
      for (int t = 0; t < 4; t++) {
        int j = 4 * (l * wide + k) + t;
        double value = entry(w, c, &w->contact[j]);
        if (value == 0.0) continue;
        p->columns[p->starts[i + 1]] = (uint32_t)j;
        p->values[p->starts[i + 1]++] = value;
      }
    }
}

enum { ROW_MAX = 60 };

bool bench_wall_sparse(int wide, int high, int number, bench_sparse *p) {
  wall w;
  if (!make_wall(wide, high, number, &w)) return false;
  size_t n = (size_t)w.contacts;
  *p = (bench_sparse){n, calloc(n + 1, sizeof *p->starts), malloc(ROW_MAX * n * sizeof *p->columns),
                      malloc(ROW_MAX * n * sizeof *p->values), malloc(n * sizeof *p->q)};
  if (!p->starts || !p->columns || !p->values || !p->q) return false;
  for (size_t i = 0; i < n; i++) {
    p->starts[i + 1] = p->starts[i];
    add_row(&w, wide, (int)i, p);
    p->q[i] = side(&w, &w.contact[i]);
  }
  free_wall(&w);
  return true;
}

bool bench_pile_dense(int wide, int high, int number, bench_problem *p) {
  pile wall;
  if (!pile_make(&wall, wide, high, 0.0)) return false;
  double *velocities = malloc(6 * wall.boxes * sizeof *velocities);
  if (!velocities) return false;
  source s = {21000u + (uint64_t)wall.count + 100000u * (uint64_t)number};
  for (size_t i = 0; i < 6 * wall.boxes; i++) velocities[i] = between(&s, -0.1, 0.1);
  for (size_t i = 0; i < wall.count; i++) {
    wall.q[i] /= 60.0;
    for (int e = 0; e < 2; e++)
      for (int k = 0; k < 6 && wall.pairs[i][e] >= 0; k++)
        wall.q[i] +=
            wall.rows[12 * i + 6 * (size_t)e + (size_t)k] * velocities[6 * wall.pairs[i][e] + k];
  }
  *p = (bench_problem){(int)wall.count, wall.m, wall.q};
  wall.m = wall.q = NULL;
  pile_free(&wall);
  free(velocities);
  return true;
}

void bench_problem_free(bench_problem *p) {
  free(p->m);
  free(p->q);
}

void bench_sparse_free(bench_sparse *p) {
  free(p->starts);
  free(p->columns);
  free(p->values);
  free(p->q);
}

static double off(long double w, double z) {
  long double least = w < z ? w : (long double)z;
  return (double)(least < 0 ? -least : least);
}

double bench_residual(const bench_problem *p, const double *z) {
  double most = 0.0;
  for (int i = 0; i < p->size; i++) {
    long double w = p->q[i];
    for (int j = 0; j < p->size; j++)
      w += (long double)p->m[(size_t)i * (size_t)p->size + (size_t)j] * z[j];
    double one = off(w, z[i]);
    if (!(one <= most)) most = one;
  }
  return most;
}

double bench_sparse_residual(const bench_sparse *p, const double *z) {
  double most = 0.0;
  for (size_t i = 0; i < p->size; i++) {
    long double w = p->q[i];
    for (size_t e = p->starts[i]; e < p->starts[i + 1]; e++)
      w += (long double)p->values[e] * z[p->columns[e]];
    double one = off(w, z[i]);
    if (!(one <= most)) most = one;
  }
  return most;
}
