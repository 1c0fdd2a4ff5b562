/* Friction problems of bodies in contact: W = J M^-1 J', q = J v, from random masses, inertias,
 * points, frames and velocities; body 0 is the ground. Dense, or as rows of blocks where contacts
 * share a movable body. Needs support/check.h. */
#ifndef TESTS_FRICTION_PROBLEMS_H
#define TESTS_FRICTION_PROBLEMS_H

#include <contact/friction.h>

/* Force and torque on one body per unit of each of a contact's three components, and the resulting
 * accelerations: the rows of J and of J M^-1. */
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
  void *zeros = calloc(count ? count : 1, size);
  if (!zeros) abort();
  return zeros;
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
  double mass, inertia[3]; /* in world axes */
  double velocity[6];
} case_body;

static inline contact_side case_side(const case_body *bodies, size_t body, double sign,
                                     double frame[3][3], const double arm[3]) {
  contact_side s = {.body = body};
  for (int i = 0; i < 3; i++) {
    const double *d = frame[i];
    double turn[3] = {arm[1] * d[2] - arm[2] * d[1], arm[2] * d[0] - arm[0] * d[2],
                      arm[0] * d[1] - arm[1] * d[0]};
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

/* Contacts of each body, ascending: those of b are list[first[b]] .. list[first[b + 1] - 1]. */
typedef struct contact_lists {
  size_t *first;
  uint32_t *list;
} contact_lists;

static inline contact_lists case_lists(const friction_case *c, size_t bodies) {
  contact_lists l = {case_zeros(bodies + 3, sizeof(size_t)),
                     case_zeros(2 * c->problem.contacts, sizeof(uint32_t))};
  for (size_t i = 0; i < c->problem.contacts; i++)
    for (int s = 0; s < 2; s++)
      if (c->sides[i][s].body) l.first[c->sides[i][s].body + 2]++;
  for (size_t b = 2; b < bodies + 3; b++) l.first[b] += l.first[b - 1];
  for (size_t i = 0; i < c->problem.contacts; i++)
    for (int s = 0; s < 2; s++)
      if (c->sides[i][s].body) l.list[l.first[c->sides[i][s].body + 1]++] = (uint32_t)i;
  return l;
}

/* The contacts that share a body with contact i, ascending; returns their number. */
static inline size_t case_neighbours(const friction_case *c, const contact_lists *l, size_t i,
                                     uint32_t *out) {
  size_t at[2] = {0, 0}, end[2] = {0, 0}, count = 0;
  for (int s = 0; s < 2; s++) {
    size_t body = c->sides[i][s].body;
    if (!body) continue;
    at[s] = l->first[body];
    end[s] = l->first[body + 1];
  }
  while (at[0] < end[0] || at[1] < end[1]) {
    uint32_t p = at[0] < end[0] ? l->list[at[0]] : UINT32_MAX,
             q = at[1] < end[1] ? l->list[at[1]] : UINT32_MAX;
    out[count++] = p < q ? p : q;
    at[0] += p <= q;
    at[1] += q <= p;
  }
  return count;
}

/* W of all contacts as sparse rows. */
static inline void case_assemble(friction_case *c, size_t bodies) {
  size_t n = c->problem.contacts, d = c->problem.dimension, links = 0;
  contact_lists l = case_lists(c, bodies);
  uint32_t *near = case_zeros(2 * n, sizeof *near);
  for (size_t i = 0; i < n; i++) links += case_neighbours(c, &l, i, near);
  c->starts = case_zeros(n * d + 1, sizeof(size_t));
  c->columns = case_zeros(links * d * d, sizeof(uint32_t));
  c->values = case_zeros(links * d * d, sizeof(double));
  for (size_t i = 0, e = 0; i < n; i++) {
    size_t count = case_neighbours(c, &l, i, near);
    for (size_t k = 0; k < count; k++) {
      double block[3][3];
      case_block(c, i, near[k], block);
      for (size_t row = 0; row < d; row++)
        for (size_t column = 0; column < d; column++) {
          size_t place = e + row * count * d + k * d + column;
          c->columns[place] = (uint32_t)(near[k] * d + column);
          c->values[place] = block[row][column];
        }
    }
    for (size_t row = 0; row < d; row++) c->starts[i * d + row + 1] = e += count * d;
  }
  free(near);
  free(l.first);
  free(l.list);
  c->problem.matrix = (ct_matrix){n * d, NULL, c->starts, c->columns, c->values};
}

static inline friction_case case_empty(size_t contacts, unsigned dimension) {
  friction_case c = {.problem = {.contacts = contacts, .dimension = dimension}};
  c.sides = case_zeros(contacts, sizeof *c.sides);
  c.q = case_zeros(contacts * dimension, sizeof(double));
  c.mu = case_zeros(contacts, sizeof(double));
  c.r = case_zeros(contacts * dimension, sizeof(double));
  c.u = case_zeros(contacts * dimension, sizeof(double));
  c.problem.q = c.q;
  c.problem.mu = c.mu;
  return c;
}

static inline void case_approach(friction_case *c, const case_body *bodies, size_t i) {
  size_t d = c->problem.dimension;
  for (size_t row = 0; row < d; row++)
    for (int side = 0; side < 2; side++)
      for (int k = 0; k < 6; k++)
        c->q[i * d + row] +=
            c->sides[i][side].rows[row][k] * bodies[c->sides[i][side].body].velocity[k];
}

/* A heap: balls (feet 1) or bricks (feet 4, redundant) in layers, each on the two below it, some
 * sliding; one step of gravity and random motion. Contacts: 2 feet for each body. */
static inline friction_case case_heap(check_random *random, size_t layers, size_t wide,
                                      size_t feet) {
  size_t bodies = layers * wide, i = 0;
  friction_case c = case_empty(2 * feet * bodies, 3);
  case_body *body = case_zeros(bodies + 1, sizeof *body);
  for (size_t b = 1; b <= bodies; b++) {
    body[b].mass = check_uniform(random, 0.5, 2.0);
    for (int k = 0; k < 3; k++) body[b].inertia[k] = 0.2 * body[b].mass;
    for (int k = 0; k < 6; k++)
      body[b].velocity[k] = check_uniform(random, -0.005, 0.005) - (k == 2 ? 0.01 : 0.0);
  }
  for (size_t b = 1; b <= bodies; b++)
    for (int side = -1; side <= 1; side += 2)
      for (size_t foot = 0; foot < feet; foot++, i++) {
        size_t layer = (b - 1) / wide,
               place = (b - 1) % wide + (side > 0 ? layer % 2 : wide - 1 + layer % 2);
        size_t below = layer ? (layer - 1) * wide + place % wide + 1 : 0;
        double tilt = feet == 1 ? (double)side * 0.5 : 0.0, up = sqrt(1.0 - tilt * tilt);
        double frame[3][3] = {{-tilt, 0.0, up}, {up, 0.0, tilt}, {0.0, 1.0, 0.0}};
        double x = feet == 1 ? 0.5 * tilt : (double)side * (foot & 1 ? 0.5 : 0.05),
               y = feet == 1  ? 0.0
                   : foot & 2 ? 0.5
                              : -0.5;
        double low[3] = {x, y, -0.5 * up},
               high[3] = {feet == 1 ? -x : x - (double)side * 0.5, y, 0.5 * up};
        c.sides[i][0] =
            below ? case_side(body, below, -1.0, frame, high) : (contact_side){.body = 0};
        c.sides[i][1] = case_side(body, b, 1.0, frame, low);
        c.mu[i] = check_uniform(random, 0.2, 0.8);
        case_approach(&c, body, i);
      }
  free(body);
  case_assemble(&c, bodies);
  return c;
}

/* Bodies of masses 0.1 to 10 near each other; contacts between random pairs of bodies, or a body
 * and the ground, all approaching or separating at random. Velocities are those of free bodies, so
 * that a motion without contact velocities exists and the problem has a solution. */
static inline friction_case case_random(check_random *random, size_t bodies, size_t contacts,
                                        unsigned dimension) {
  friction_case c = case_empty(contacts, dimension);
  case_body *body = case_zeros(bodies + 1, sizeof *body);
  for (size_t b = 1; b <= bodies; b++) {
    body[b].mass = check_uniform(random, 0.1, 10.0);
    for (int k = 0; k < 3; k++)
      body[b].inertia[k] = body[b].mass * check_uniform(random, 0.2, 0.35);
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
    case_approach(&c, body, i);
  }
  free(body);
  case_assemble(&c, bodies);
  return c;
}

#endif
