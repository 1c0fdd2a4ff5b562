/* The largest inscribed ball by the dual simplex method.
 *
 * A basis is four planes whose normals have a convex combination zero (weights >= 0); the ball touching these four is larger than
 * or equal to the optimum. The most violated plane enters, a ratio test on the weights says which one leaves. Four far artificial
 * planes give the first basis; if one stays, the ball is unbounded. Every step solves its 4x4 systems anew, so errors do not pile
 * up.
 */
#include "hull/inscribed_ball.h"
#include <contact/limits.h>

/* Steps in practice grow like the logarithm of the number of planes; beyond FAST the lowest index enters, which cannot cycle. */
#define STEPS_FAST 200
#define STEPS_MAX 2000
/* Distance of the artificial planes from the origin, relative to the largest offset. */
#define FAR 0x1p40
/* Weights and pivots below this are rounding: the rows of the 4x4 systems are of size 1. */
#define PIVOT_MIN 1e-12
/* Resolution of a plane's distance in units of u times the largest offset or coordinate. */
#define RESOLUTION (32.0 * CT_UNIT_ROUNDOFF)

typedef struct program {
  const ct_half_space *planes;
  uint32_t count;
  double scale;      /* largest |offset|, or 1 */
  uint32_t basis[4]; /* indices; count .. count + 3 are the artificial planes */
} program;

static ct_half_space plane_at(const program *lp, uint32_t i) {
  /* A regular tetrahedron's normals. */
  static const ct_vec3 corners[4] = {{1.0, 1.0, 1.0}, {1.0, -1.0, -1.0}, {-1.0, 1.0, -1.0}, {-1.0, -1.0, 1.0}};
  if (i < lp->count) return lp->planes[i];
  return (ct_half_space){ct_scale(corners[i - lp->count], 0.57735026918962573), FAR * lp->scale};
}

/* Gauss with partial pivoting on a 4x4 system with its right side in column 4; false when singular to rounding. */
static bool solve4(double m[4][5], double x[4]) {
  for (int c = 0; c < 4; c++) {
    int pivot = c;
    for (int r = c + 1; r < 4; r++) pivot = fabs(m[r][c]) > fabs(m[pivot][c]) ? r : pivot;
    if (!(fabs(m[pivot][c]) > PIVOT_MIN * PIVOT_MIN)) return false;
    for (int k = 0; k < 5; k++) {
      double t = m[c][k];
      m[c][k] = m[pivot][k];
      m[pivot][k] = t;
    }
    for (int r = c + 1; r < 4; r++) {
      double f = m[r][c] / m[c][c];
      for (int k = c; k < 5; k++) m[r][k] -= f * m[c][k];
    }
  }
  for (int r = 3; r >= 0; r--) {
    double s = m[r][4];
    for (int k = r + 1; k < 4; k++) s -= m[r][k] * x[k];
    x[r] = s / m[r][r];
  }
  return true;
}

/* The ball that touches the basis: normal.center + radius = offset. */
static bool basis_ball(const program *lp, ct_vec3 *center, double *radius) {
  double m[4][5], x[4];
  for (int i = 0; i < 4; i++) {
    ct_half_space h = plane_at(lp, lp->basis[i]);
    m[i][0] = h.normal.x;
    m[i][1] = h.normal.y;
    m[i][2] = h.normal.z;
    m[i][3] = 1.0;
    m[i][4] = h.offset;
  }
  if (!solve4(m, x)) return false;
  *center = ct_vec(x[0], x[1], x[2]);
  *radius = x[3];
  return true;
}

/* Weights w with sum w_i (normal_i, 1) = (v, 1) over the basis. */
static bool basis_weights(const program *lp, ct_vec3 v, double w[4]) {
  double m[4][5];
  for (int i = 0; i < 4; i++) {
    ct_half_space h = plane_at(lp, lp->basis[i]);
    m[0][i] = h.normal.x;
    m[1][i] = h.normal.y;
    m[2][i] = h.normal.z;
    m[3][i] = 1.0;
  }
  m[0][4] = v.x;
  m[1][4] = v.y;
  m[2][4] = v.z;
  m[3][4] = 1.0;
  return solve4(m, w);
}

/* The plane that enters: the most violated, or the first violated. UINT32_MAX when none is beyond the tolerance. */
static uint32_t entering(const program *lp, ct_vec3 center, double radius, bool first) {
  double most = RESOLUTION * (lp->scale + ct_max_abs(center));
  uint32_t found = UINT32_MAX;
  for (uint32_t i = 0; i < lp->count; i++) {
    double excess = ct_dot(lp->planes[i].normal, center) + radius - lp->planes[i].offset;
    if (excess <= most) continue;
    most = excess;
    found = i;
    if (first) break;
  }
  return found;
}

/* Slot of the basis that leaves so that all weights stay >= 0; lowest plane among equals; -1 when there is none. */
static int leaving(const program *lp, const double weight[4], const double change[4]) {
  int slot = -1;
  double least = INFINITY;
  for (int i = 0; i < 4; i++) {
    if (change[i] <= PIVOT_MIN) continue;
    double ratio = ct_max2(weight[i], 0.0) / change[i];
    if (ratio < least || (ratio == least && lp->basis[i] < lp->basis[slot])) {
      least = ratio;
      slot = i;
    }
  }
  return slot;
}

static void finish(const program *lp, ct_vec3 center, ct_inscribed *out) {
  double weight[4], most = 0.0;
  out->center = center;
  out->radius = INFINITY;
  for (uint32_t i = 0; i < lp->count; i++) {
    out->radius = ct_min2(out->radius, lp->planes[i].offset - ct_dot(lp->planes[i].normal, center));
  }
  out->resolution = RESOLUTION * (lp->scale + ct_max_abs(center));
  if (!basis_weights(lp, ct_vec(0.0, 0.0, 0.0), weight)) return;
  for (int i = 0; i < 4; i++) {
    if (lp->basis[i] >= lp->count) {
      out->open |= weight[i] > PIVOT_MIN;
    } else if (weight[i] > most) {
      most = weight[i];
      out->culprit = lp->basis[i];
    }
  }
}

ct_inscribed ct_inscribed_ball(const ct_half_space *planes, uint32_t count, const ct_cancel *cancel) {
  program lp = {.planes = planes, .count = count, .basis = {count, count + 1, count + 2, count + 3}};
  for (uint32_t i = 0; i < count; i++) lp.scale = ct_max2(lp.scale, fabs(planes[i].offset));
  if (lp.scale == 0.0) lp.scale = 1.0;
  ct_inscribed out = {.culprit = UINT32_MAX};
  ct_vec3 center = {0.0, 0.0, 0.0};
  double radius = FAR * lp.scale;
  for (int step = 0; step < STEPS_MAX && !ct_cancel_raised(cancel); step++) {
    double weight[4], change[4];
    if (!basis_ball(&lp, &center, &radius)) break;
    uint32_t enter = entering(&lp, center, radius, step >= STEPS_FAST);
    if (enter == UINT32_MAX) break;
    if (!basis_weights(&lp, ct_vec(0.0, 0.0, 0.0), weight) || !basis_weights(&lp, planes[enter].normal, change)) break;
    int slot = leaving(&lp, weight, change);
    if (slot < 0) break;
    lp.basis[slot] = enter;
  }
  finish(&lp, center, &out);
  return out;
}
