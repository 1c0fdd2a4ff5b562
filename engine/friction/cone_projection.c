/* Cones and the bodies that they act on: products with their columns, and projections. */
#include "friction/cone_projection.h"

#include <math.h>

static double dot_of(const double *a, const double *b, size_t count) {
  double sum = 0.0;
  for (size_t i = 0; i < count; i++) sum += a[i] * b[i];
  return sum;
}

void ct_cone_pull(const ct_cone *cone, const double *y, double *x) {
  for (size_t k = 0; k < 3; k++) x[k] = 0.0;
  for (size_t side = 0; side < 2; side++) {
    if (cone->block[side] == CT_CONE_NO_BLOCK) continue;
    for (size_t k = 0; k < 3; k++)
      x[k] += dot_of(&cone->columns[k][side * CT_CONE_BLOCK], &y[cone->block[side] * CT_CONE_BLOCK],
                     CT_CONE_BLOCK);
  }
}

void ct_cone_push(const ct_cone *cone, const double *x, double scale, double *out) {
  for (size_t side = 0; side < 2; side++) {
    if (cone->block[side] == CT_CONE_NO_BLOCK) continue;
    double *to = &out[cone->block[side] * CT_CONE_BLOCK];
    for (size_t k = 0; k < 3; k++)
      for (size_t e = 0; e < CT_CONE_BLOCK; e++)
        to[e] += scale * x[k] * cone->columns[k][side * CT_CONE_BLOCK + e];
  }
}

void ct_cone_project(double mu, const double *x, double *f, double *slope) {
  double across = sqrt(x[1] * x[1] + x[2] * x[2]);
  for (size_t k = 0; slope && k < 9; k++) slope[k] = 0.0;
  f[0] = f[1] = f[2] = 0.0;
  if (mu * across <= -x[0] || (mu == 0.0 && x[0] <= 0.0)) return;
  if (mu > 0.0 && across <= mu * x[0]) {
    for (size_t k = 0; k < 3; k++) f[k] = x[k];
    for (size_t k = 0; slope && k < 3; k++) slope[4 * k] = 1.0;
    return;
  }
  if (mu == 0.0) {
    f[0] = x[0];
    if (slope) slope[0] = 1.0;
    return;
  }
  const double e[2] = {x[1] / across, x[2] / across};
  double along = (x[0] + mu * across) / (1.0 + mu * mu), turn = mu * along / across;
  f[0] = along;
  f[1] = mu * along * e[0];
  f[2] = mu * along * e[1];
  if (!slope) return;
  const double g[3] = {1.0, mu * e[0], mu * e[1]};
  for (size_t r = 0; r < 3; r++)
    for (size_t c = 0; c < 3; c++) slope[3 * r + c] = g[r] * g[c] / (1.0 + mu * mu);
  for (size_t r = 0; r < 2; r++)
    for (size_t c = 0; c < 2; c++)
      slope[3 * (r + 1) + c + 1] += turn * ((r == c ? 1.0 : 0.0) - e[r] * e[c]);
}

void ct_cone_add_product(const ct_cone *cone, const double *slope, size_t r, size_t c,
                         double *out) {
  double half[3][CT_CONE_BLOCK];
  for (size_t k = 0; k < 3; k++)
    for (size_t e = 0; e < CT_CONE_BLOCK; e++) {
      half[k][e] = 0.0;
      for (size_t l = 0; l < 3; l++)
        half[k][e] += slope[3 * k + l] * cone->columns[l][c * CT_CONE_BLOCK + e];
    }
  for (size_t x = 0; x < CT_CONE_BLOCK; x++)
    for (size_t y = 0; y < CT_CONE_BLOCK; y++)
      for (size_t k = 0; k < 3; k++)
        out[x * CT_CONE_BLOCK + y] += cone->columns[k][r * CT_CONE_BLOCK + x] * half[k][y];
}
