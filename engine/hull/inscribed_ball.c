/* Largest inscribed ball (Chebyshev centre) of half-spaces, by the dual simplex method.
 *
 * A basis is four planes for which a convex combination of the normals (weights >= 0) is zero; the
 * ball tangent to them is at least as large as the optimum. In each step the most violated plane
 * enters the basis, and a ratio test on the weights chooses the plane that leaves. The first basis
 * are four artificial planes far away; if one of them remains, the intersection is unbounded. Every
 * step solves its 4x4 systems from the planes, so errors do not accumulate. At most STEPS_MAX
 * steps. */
#include "hull/inscribed_ball.h"
#include <contact/limits.h>

/* Limits of steps. In practice their number grows like the logarithm of the number of planes. After
 * STEPS_FAST, the violated plane with the lowest index enters the basis, which cannot cycle (Bland
 * 1977). */
#define STEPS_FAST 200
#define STEPS_MAX 2000
/* Distance of the artificial planes from the origin, relative to the largest offset. */
#define ARTIFICIAL_DISTANCE 0x1p40
/* Weights and pivots not above this are round-off; the rows of the 4x4 systems are of the order of
 * 1. */
#define PIVOT_MIN 1e-12
/* Round-off of the distance to a plane, relative to the sum of the largest offset and the largest
 * coordinate. */
#define RESOLUTION (32.0 * CT_UNIT_ROUNDOFF)

typedef struct program {
  const ct_half_space *planes;
  uint32_t count;
  double scale;      /* largest |offset| of the planes; 1 if all are 0 */
  uint32_t basis[4]; /* indices of four planes; count to count + 3 are the artificial ones */
} program;

static ct_half_space get_plane(const program *lp, uint32_t i) {
  /* Normals of a regular tetrahedron, before normalisation. */
  static const ct_vec3 corners[4] = {
      {1.0, 1.0, 1.0}, {1.0, -1.0, -1.0}, {-1.0, 1.0, -1.0}, {-1.0, -1.0, 1.0}};
  if (i < lp->count) return lp->planes[i];
  return (ct_half_space){ct_scale(corners[i - lp->count], 0.57735026918962573),
                         ARTIFICIAL_DISTANCE * lp->scale};
}

/* Solves a 4x4 system, whose right side is column 4, by Gaussian elimination with partial pivoting.
 * False: singular to round-off. */
static bool solve_linear4(double m[4][5], double x[4]) {
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

/* Finds the ball tangent to the planes of the basis: normal.center + radius = offset for all four.
 * False: the system is singular. */
static bool solve_basis_ball(const program *lp, ct_vec3 *center, double *radius) {
  double m[4][5], x[4];
  for (int i = 0; i < 4; i++) {
    ct_half_space h = get_plane(lp, lp->basis[i]);
    m[i][0] = h.normal.x;
    m[i][1] = h.normal.y;
    m[i][2] = h.normal.z;
    m[i][3] = 1.0;
    m[i][4] = h.offset;
  }
  if (!solve_linear4(m, x)) return false;
  *center = ct_vec(x[0], x[1], x[2]);
  *radius = x[3];
  return true;
}

/* Finds the weights w with sum w_i (normal_i, 1) = (v, 1) over the planes of the basis. False: the
 * system is singular. */
static bool solve_basis_weights(const program *lp, ct_vec3 v, double w[4]) {
  double m[4][5];
  for (int i = 0; i < 4; i++) {
    ct_half_space h = get_plane(lp, lp->basis[i]);
    m[0][i] = h.normal.x;
    m[1][i] = h.normal.y;
    m[2][i] = h.normal.z;
    m[3][i] = 1.0;
  }
  m[0][4] = v.x;
  m[1][4] = v.y;
  m[2][4] = v.z;
  m[3][4] = 1.0;
  return solve_linear4(m, w);
}

/* Returns the plane to enter the basis: the most violated one or, if `first`, the violated one with
 * the lowest index. UINT32_MAX: all planes are satisfied within the tolerance. */
static uint32_t find_entering(const program *lp, ct_vec3 center, double radius, bool first) {
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

/* Returns the slot of the basis whose plane leaves, by the ratio test that keeps all weights >= 0;
 * the lowest plane among equal ratios. -1: none can leave. */
static int find_leaving(const program *lp, const double weight[4], const double change[4]) {
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

static void write_inscribed(const program *lp, ct_vec3 center, ct_inscribed *out) {
  double weight[4], most = 0.0;
  out->center = center;
  out->radius = INFINITY;
  for (uint32_t i = 0; i < lp->count; i++) {
    out->radius = ct_min2(out->radius, lp->planes[i].offset - ct_dot(lp->planes[i].normal, center));
  }
  out->resolution = RESOLUTION * (lp->scale + ct_max_abs(center));
  if (!solve_basis_weights(lp, ct_vec(0.0, 0.0, 0.0), weight)) return;
  for (int i = 0; i < 4; i++) {
    if (lp->basis[i] >= lp->count) {
      out->open |= weight[i] > PIVOT_MIN;
    } else if (weight[i] > most) {
      most = weight[i];
      out->culprit = lp->basis[i];
    }
  }
}

ct_inscribed ct_inscribed_ball(const ct_half_space *planes, uint32_t count,
                               const ct_cancel *cancel) {
  program lp = {
      .planes = planes, .count = count, .basis = {count, count + 1, count + 2, count + 3}};
  for (uint32_t i = 0; i < count; i++) lp.scale = ct_max2(lp.scale, fabs(planes[i].offset));
  if (lp.scale == 0.0) lp.scale = 1.0;
  ct_inscribed out = {.culprit = UINT32_MAX};
  ct_vec3 center = {0.0, 0.0, 0.0};
  double radius = ARTIFICIAL_DISTANCE * lp.scale;
  for (int step = 0; step < STEPS_MAX && !ct_cancel_raised(cancel); step++) {
    double weight[4], change[4];
    if (!solve_basis_ball(&lp, &center, &radius)) break;
    uint32_t enter = find_entering(&lp, center, radius, step >= STEPS_FAST);
    if (enter == UINT32_MAX) break;
    if (!solve_basis_weights(&lp, ct_vec(0.0, 0.0, 0.0), weight) ||
        !solve_basis_weights(&lp, planes[enter].normal, change))
      break;
    int slot = find_leaving(&lp, weight, change);
    if (slot < 0) break;
    lp.basis[slot] = enter;
  }
  write_inscribed(&lp, center, &out);
  return out;
}
