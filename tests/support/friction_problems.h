/* Friction problems of bodies that touch: W = J M^-1 J', q = J v, from random masses, inertias, points, frames and velocities; body
 * 0 is the ground. Dense, or as rows of blocks where contacts share a body that can move. Needs support/check.h.
 */
#ifndef TESTS_FRICTION_PROBLEMS_H
#define TESTS_FRICTION_PROBLEMS_H

#include <contact/friction.h>

/* Force and torque of a unit of each of a contact's three numbers on one body, and what that moves: the rows of J and of J M^-1. */
typedef struct contact_side {
  size_t body; /* 0: none */
  double rows[3][6], moved[3][6];
} contact_side;

typedef struct friction_case {
  ct_friction_problem problem;
  contact_side (*sides)[2];
  size_t *starts;
  uint32_t *columns;
  double *values, *q, *mu, *r, *u;
} friction_case;

static inline void *case_zeros(size_t count, size_t size) {
  void *memory = calloc(count ? count : 1, size);
  if (!memory) abort();
  return memory;
}

static inline void case_free(friction_case *c) {
  free(c->sides);
  free(c->starts);
  free(c->columns);
  free(c->values);
  free(c->q);
  free(c->mu);
  free(c->r);
  free(c->u);
}

/* Three orthonormal rows, random. */
static inline void case_frame(check_random *random, double f[3][3]) {
  for (int i = 0; i < 3; i++)
    for (double length = 0.0; !(length > 0.1);) {
      for (int k = 0; k < 3; k++) f[i][k] = check_uniform(random, -1.0, 1.0);
      for (int j = 0; j < i; j++) {
        double along = f[i][0] * f[j][0] + f[i][1] * f[j][1] + f[i][2] * f[j][2];
        for (int k = 0; k < 3; k++) f[i][k] -= along * f[j][k];
      }
      length = sqrt(f[i][0] * f[i][0] + f[i][1] * f[i][1] + f[i][2] * f[i][2]);
      for (int k = 0; k < 3; k++) f[i][k] /= length;
    }
}

typedef struct case_body {
  double mass, inertia[3]; /* about the world's axes */
  double velocity[6];
} case_body;

static inline contact_side case_side(const case_body *bodies, size_t body, double sign, double frame[3][3], const double arm[3]) {
  contact_side s = {.body = body};
  for (int i = 0; i < 3; i++) {
    const double *d = frame[i];
    double turn[3] = {arm[1] * d[2] - arm[2] * d[1], arm[2] * d[0] - arm[0] * d[2], arm[0] * d[1] - arm[1] * d[0]};
    for (int k = 0; k < 3; k++) {
      s.rows[i][k] = sign * d[k];
      s.rows[i][3 + k] = sign * turn[k];
      s.moved[i][k] = sign * d[k] / bodies[body].mass;
      s.moved[i][3 + k] = sign * turn[k] / bodies[body].inertia[k];
    }
  }
  return s;
}

/* The block of contacts i and j; plane problems leave out the second tangent. */
static inline void case_block(const friction_case *c, size_t i, size_t j, double block[3][3]) {
  memset(block, 0, 9 * sizeof(double));
  for (int p = 0; p < 2; p++)
    for (int q = 0; q < 2; q++) {
      const contact_side *a = &c->sides[i][p], *b = &c->sides[j][q];
      if (!a->body || a->body != b->body) continue;
      for (int m = 0; m < 3; m++)
        for (int n = 0; n < 3; n++)
          for (int k = 0; k < 6; k++) block[m][n] += a->rows[m][k] * b->moved[n][k];
    }
}

static inline bool case_linked(const friction_case *c, size_t i, size_t j) {
  for (int p = 0; p < 2; p++)
    for (int q = 0; q < 2; q++)
      if (c->sides[i][p].body && c->sides[i][p].body == c->sides[j][q].body) return true;
  return false;
}

/* W of all contacts, sparse; for small cases, since it asks of every two contacts. */
static inline void case_assemble(friction_case *c) {
  size_t n = c->problem.contacts, d = c->problem.dimension, links = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) links += case_linked(c, i, j);
  c->starts = case_zeros(n * d + 1, sizeof(size_t));
  c->columns = case_zeros(links * d * d, sizeof(uint32_t));
  c->values = case_zeros(links * d * d, sizeof(double));
  for (size_t i = 0, e = 0; i < n; i++)
    for (size_t row = 0; row < d; row++) {
      for (size_t j = 0; j < n; j++) {
        if (!case_linked(c, i, j)) continue;
        double block[3][3];
        case_block(c, i, j, block);
        for (size_t column = 0; column < d; column++) {
          c->columns[e] = (uint32_t)(j * d + column);
          c->values[e++] = block[row][column];
        }
      }
      c->starts[i * d + row + 1] = e;
    }
  c->problem.matrix = (ct_matrix){n * d, NULL, c->starts, c->columns, c->values};
}

/* Bodies of masses 0.1 to 10 near each other, contacts between random two of them or with the ground, all approaching or parting at
 * random: velocities of free bodies, so that one motion (no contact moves) is always there and the problem has a solution. */
static inline friction_case case_random(check_random *random, size_t bodies, size_t contacts, unsigned dimension) {
  friction_case c = {.problem = {.contacts = contacts, .dimension = dimension}};
  case_body *body = case_zeros(bodies + 1, sizeof *body);
  c.sides = case_zeros(contacts, sizeof *c.sides);
  c.q = case_zeros(contacts * dimension, sizeof(double));
  c.mu = case_zeros(contacts, sizeof(double));
  c.r = case_zeros(contacts * dimension, sizeof(double));
  c.u = case_zeros(contacts * dimension, sizeof(double));
  for (size_t b = 1; b <= bodies; b++) {
    body[b].mass = check_uniform(random, 0.1, 10.0);
    for (int k = 0; k < 3; k++) body[b].inertia[k] = body[b].mass * check_uniform(random, 0.2, 0.35);
    for (int k = 0; k < 6; k++) body[b].velocity[k] = check_uniform(random, -1.0, 1.0);
  }
  for (size_t i = 0; i < contacts; i++) {
    double frame[3][3], arm[2][3];
    size_t b = 1 + check_next(random) % bodies, a = check_next(random) % (bodies + 1);
    if (a == b) a = 0;
    case_frame(random, frame);
    for (int k = 0; k < 3; k++) {
      arm[0][k] = check_uniform(random, -1.0, 1.0);
      arm[1][k] = check_uniform(random, -1.0, 1.0);
    }
    c.sides[i][0] = a ? case_side(body, a, -1.0, frame, arm[0]) : (contact_side){.body = 0};
    c.sides[i][1] = case_side(body, b, 1.0, frame, arm[1]);
    c.mu[i] = check_next(random) % 8 ? check_uniform(random, 0.0, 1.5) : 0.0;
    for (size_t row = 0; row < dimension; row++)
      for (int side = 0; side < 2; side++)
        for (int k = 0; k < 6; k++)
          c.q[i * dimension + row] += c.sides[i][side].rows[row][k] * body[c.sides[i][side].body].velocity[k];
  }
  free(body);
  c.problem.q = c.q;
  c.problem.mu = c.mu;
  case_assemble(&c);
  return c;
}

#endif
