/* Errors of an answer to a friction problem, in long double and by definition. No code is shared
 * with the engine. */
#ifndef TESTS_FRICTION_ORACLE_H
#define TESTS_FRICTION_ORACLE_H

#include "tests/support/check.h"

#include <contact/friction.h>

typedef struct friction_oracle {
  long double residual; /* 2-norm over contacts of r - P(r - rho (u + mu |u_t| n)), rho = 1 /
                           |W_ii|, divided by the greatest |r_i| */
  long double outside;  /* greatest (|r_t| - mu r_n) / |r| */
  long double
      power; /* greatest rho r_t . u_t over the greatest |r_i| squared: at most about 2 residual */
  long double velocity; /* greatest |reported u - (W r + q)| over the sum of the absolute values of
                           the terms */
} friction_oracle;

static inline long double oracle_entry(const ct_matrix *m, size_t i, size_t j) {
  if (m->dense) return m->dense[i * m->size + j];
  for (size_t e = m->starts[i]; e < m->starts[i + 1]; e++)
    if (m->columns[e] == j) return m->values[e];
  return 0.0L;
}

/* W r + q of one row, and the sum of the absolute values of its terms. */
static inline long double oracle_velocity(const ct_friction_problem *p, const double *r, size_t row,
                                          long double *sum) {
  const ct_matrix *m = &p->matrix;
  long double u = p->q[row];
  *sum = fabsl(u);
  if (m->dense)
    for (size_t j = 0; j < m->size; j++) {
      u += (long double)m->dense[row * m->size + j] * r[j];
      *sum += fabsl((long double)m->dense[row * m->size + j] * r[j]);
    }
  else
    for (size_t e = m->starts[row]; e < m->starts[row + 1]; e++) {
      u += (long double)m->values[e] * r[m->columns[e]];
      *sum += fabsl((long double)m->values[e] * r[m->columns[e]]);
    }
  return u;
}

static inline long double oracle_length(const long double *x, size_t n) {
  long double sum = 0.0L;
  for (size_t i = 0; i < n; i++) sum += x[i] * x[i];
  return sqrtl(sum);
}

/* Norm of the diagonal block W_ii. */
static inline long double oracle_norm(const ct_friction_problem *p, size_t contact) {
  size_t d = p->dimension;
  long double sum = 0.0L;
  for (size_t i = d * contact; i < d * (contact + 1); i++)
    for (size_t j = d * contact; j < d * (contact + 1); j++) {
      long double w = oracle_entry(&p->matrix, i, j);
      sum += w * w;
    }
  return sqrtl(sum);
}

/* Square of one contact's part of the residual. */
static inline long double oracle_defect(const long double *r, const long double *u, size_t d,
                                        long double mu, long double rho) {
  long double x[3] = {r[0] - rho * (u[0] + mu * oracle_length(u + 1, d - 1))}, p[3] = {0.0L},
              sum = 0.0L;
  for (size_t k = 1; k < d; k++) x[k] = r[k] - rho * u[k];
  long double t = oracle_length(x + 1, d - 1);
  /* r = 0 solves the contact exactly if u_n >= 0. Rounding of mu |u_t| would spoil that below. */
  if (oracle_length(r, d) == 0.0L && u[0] >= 0.0L) return 0.0L;
  if (t <= mu * x[0])
    for (size_t k = 0; k < d; k++) p[k] = x[k];
  else if (x[0] + mu * t > 0.0L) {
    p[0] = (x[0] + mu * t) / (1.0L + mu * mu);
    for (size_t k = 1; k < d; k++) p[k] = t > 0.0L ? mu * p[0] * x[k] / t : 0.0L;
  }
  for (size_t k = 0; k < d; k++) sum += (r[k] - p[k]) * (r[k] - p[k]);
  return sum;
}

static inline friction_oracle oracle_judge(const ct_friction_problem *p, const double *r,
                                           const double *u_told) {
  friction_oracle o = {0.0L, 0.0L, 0.0L, 0.0L};
  size_t d = p->dimension;
  long double sum = 0.0L, greatest = 0.0L;
  for (size_t i = 0; i < p->contacts; i++) {
    long double ri[3] = {0.0L}, ui[3] = {0.0L}, added, dot = 0.0L;
    for (size_t k = 0; k < d; k++) {
      ri[k] = r[d * i + k];
      ui[k] = oracle_velocity(p, r, d * i + k, &added);
      long double off = fabsl(ui[k] - u_told[d * i + k]);
      if (off > 0.0L) o.velocity = fmaxl(o.velocity, off / added);
      if (k > 0) dot += ri[k] * ui[k];
    }
    long double norm = oracle_norm(p, i), length = oracle_length(ri, d);
    if (norm > 0.0L) sum += oracle_defect(ri, ui, d, p->mu[i], 1.0L / norm);
    greatest = fmaxl(greatest, length);
    if (length > 0.0L)
      o.outside = fmaxl(o.outside, (oracle_length(ri + 1, d - 1) - p->mu[i] * ri[0]) / length);
    if (norm > 0.0L) o.power = fmaxl(o.power, dot / norm);
  }
  if (greatest > 0.0L) o.power /= greatest * greatest;
  o.residual = sum > 0.0L ? (greatest > 0.0L ? sqrtl(sum) / greatest : 1.0L) : 0.0L;
  return o;
}

#endif
