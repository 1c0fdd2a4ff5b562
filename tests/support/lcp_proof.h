/* Farkas vectors of w = M z + q, M semidefinite: y >= 0 with M y <= 0 and q'y < 0 proves that no z
 * >= 0 has w >= 0. */
#ifndef TESTS_SUPPORT_LCP_PROOF_H
#define TESTS_SUPPORT_LCP_PROOF_H

#include "tests/support/check.h"

#include <math.h>

/* M is n x n, by rows. Round-off in a row of M y may be at most `slack` times the sum of its terms.
 */
static void check_farkas(const double *m, const double *q, size_t n, const double *y,
                         long double slack) {
  long double value = 0;
  for (size_t i = 0; i < n; i++) {
    long double product = 0, terms = 0;
    for (size_t j = 0; j < n; j++) {
      product += (long double)m[i * n + j] * y[j];
      terms += fabsl((long double)m[i * n + j] * y[j]);
    }
    CHECK(y[i] >= 0.0);
    CHECK(product <= slack * terms);
    value += (long double)q[i] * y[i];
  }
  CHECK(value < 0);
}

#endif
