/* Exact orientation by stages: floating-point filter, exactly representable chain, double-double filter, expansions.
 *
 * Source: Shewchuk 1997, "Adaptive precision floating-point arithmetic and fast robust geometric predicates" (sums, products,
 * filter bound); Dekker 1971 (splitting, double-double). Needs round-to-nearest and no contraction of a*b+c.
 */
#include "base/predicates.h"
#include "base/expansion.h"

/* Filter of the determinant in doubles: |error| <= (7 + 56 u) u permanent (Shewchuk 1997, section 4.3). */
#define FILTER_BOUND ((7.0 + 56.0 * CT_UNIT_ROUNDOFF) * CT_UNIT_ROUNDOFF)
/* Double-double determinant: exact differences; a product errs by at most 8 u^2, a sum by 4 u^2 of its terms' sizes, which adds up
 * to 28 u^2 permanent; 64 leaves room for the rounding of the permanent. */
#define PAIR_BOUND (64.0 * CT_UNIT_ROUNDOFF * CT_UNIT_ROUNDOFF)
/* Filter of a determinant of two rows of differences: (3 + 16 u) u (Shewchuk 1997, section 4.2). */
#define FLAT_BOUND ((3.0 + 16.0 * CT_UNIT_ROUNDOFF) * CT_UNIT_ROUNDOFF)
/* Dot product with a difference in doubles: u for the difference, the product and each of two sums; 5 u with second order. */
#define DOT_BOUND (5.0 * CT_UNIT_ROUNDOFF)

static ct_vec3 highs(const ct_dd3 *a) { return (ct_vec3){a->x.high, a->y.high, a->z.high}; }

static bool has_lows(const ct_dd3 *a) { return a->x.low != 0.0 || a->y.low != 0.0 || a->z.low != 0.0; }

/* Products and sums that note whether anything was lost. */
static double exact_product(double a, double b, bool *lost) {
  ct_dd p = ct_two_product(a, b);
  *lost |= p.low != 0.0;
  return p.high;
}

static double exact_sum(double a, double b, bool *lost) {
  ct_dd s = ct_two_sum(a, b);
  *lost |= s.low != 0.0;
  return s.high;
}

/* a . (b x c) in doubles; *lost is set when any step was rounded. */
static double chain(ct_vec3 a, ct_vec3 b, ct_vec3 c, bool *lost) {
  double x = exact_sum(exact_product(b.y, c.z, lost), -exact_product(b.z, c.y, lost), lost);
  double y = exact_sum(exact_product(b.z, c.x, lost), -exact_product(b.x, c.z, lost), lost);
  double z = exact_sum(exact_product(b.x, c.y, lost), -exact_product(b.y, c.x, lost), lost);
  double sum = exact_sum(exact_product(a.x, x, lost), exact_product(a.y, y, lost), lost);
  return exact_sum(sum, exact_product(a.z, z, lost), lost);
}

/* Sign of a . (b x c), exact. */
static int determinant_sign(const ct_dd3 *a, const ct_dd3 *b, const ct_dd3 *c) {
  double all[CT_EXPANSION_TRIPLE];
  return ct_expansion_sign(all, ct_expansion_triple(a, b, c, all));
}

static int sign_of(double x) { return (x > 0.0) - (x < 0.0); }

/* Sign of p . (q x r): the stages after the filter. */
static int triple_sign(const ct_dd3 *p, const ct_dd3 *q, const ct_dd3 *r, double permanent) {
  bool lost = has_lows(p) || has_lows(q) || has_lows(r);
  if (!lost) {
    double exact = chain(highs(p), highs(q), highs(r), &lost);
    if (!lost) return sign_of(exact);
  }
  ct_dd3 cross = ct_dd3_cross(q, r);
  double det = ct_dd3_dot(p, &cross).high;
  if (fabs(det) > PAIR_BOUND * permanent) return sign_of(det);
  return determinant_sign(p, q, r);
}

int ct_orient3d(ct_vec3 a, ct_vec3 b, ct_vec3 c, ct_vec3 d) {
  ct_vec3 p = ct_sub(a, d), q = ct_sub(b, d), r = ct_sub(c, d);
  double qxry = q.x * r.y, qyrx = q.y * r.x, rxpy = r.x * p.y, rypx = r.y * p.x, pxqy = p.x * q.y, pyqx = p.y * q.x;
  double det = p.z * (qxry - qyrx) + q.z * (rxpy - rypx) + r.z * (pxqy - pyqx);
  double permanent =
      (fabs(qxry) + fabs(qyrx)) * fabs(p.z) + (fabs(rxpy) + fabs(rypx)) * fabs(q.z) + (fabs(pxqy) + fabs(pyqx)) * fabs(r.z);
  if (fabs(det) > FILTER_BOUND * permanent) return -sign_of(det);
  /* Nothing underflows in the exactness range, so each of the six terms is exactly zero: points on a coordinate plane. */
  if (permanent == 0.0) return 0;
  ct_dd3 exact_p = ct_dd3_sub(a, d), exact_q = ct_dd3_sub(b, d), exact_r = ct_dd3_sub(c, d);
  return -triple_sign(&exact_p, &exact_q, &exact_r, permanent);
}

/* Exact where it fits a pair. */
static ct_dd difference(ct_dd a, ct_dd b) {
  ct_dd high = ct_two_sum(a.high, -b.high), low = ct_two_sum(a.low, -b.low), middle = ct_two_sum(high.low, low.high);
  ct_dd sum = ct_fast_two_sum(high.high, middle.high);
  return ct_fast_two_sum(sum.high, sum.low + (middle.low + low.low));
}

static ct_dd3 differences(const ct_dd3 *a, const ct_dd3 *b) {
  return (ct_dd3){difference(a->x, b->x), difference(a->y, b->y), difference(a->z, b->z)};
}

int ct_orient3d_wide(const ct_dd3 *a, const ct_dd3 *b, const ct_dd3 *c, const ct_dd3 *d) {
  ct_dd3 wide_p = differences(a, d), wide_q = differences(b, d), wide_r = differences(c, d);
  ct_vec3 p = highs(&wide_p), q = highs(&wide_q), r = highs(&wide_r);
  double permanent = (fabs(q.x * r.y) + fabs(q.y * r.x)) * fabs(p.z) + (fabs(r.x * p.y) + fabs(r.y * p.x)) * fabs(q.z) +
                     (fabs(p.x * q.y) + fabs(p.y * q.x)) * fabs(r.z);
  return permanent == 0.0 ? 0 : -triple_sign(&wide_p, &wide_q, &wide_r, permanent);
}

int ct_line_side(ct_vec3 origin, ct_vec3 direction, ct_vec3 a, ct_vec3 b) {
  ct_vec3 p = direction, q = ct_sub(a, origin), r = ct_sub(b, origin);
  double qyrz = q.y * r.z, qzry = q.z * r.y, qzrx = q.z * r.x, qxrz = q.x * r.z, qxry = q.x * r.y, qyrx = q.y * r.x;
  double det = p.x * (qyrz - qzry) + p.y * (qzrx - qxrz) + p.z * (qxry - qyrx);
  double permanent =
      (fabs(qyrz) + fabs(qzry)) * fabs(p.x) + (fabs(qzrx) + fabs(qxrz)) * fabs(p.y) + (fabs(qxry) + fabs(qyrx)) * fabs(p.z);
  if (fabs(det) > FILTER_BOUND * permanent) return sign_of(det);
  if (permanent == 0.0) return 0;
  ct_dd3 exact_p = ct_dd3_of(direction), exact_q = ct_dd3_sub(a, origin), exact_r = ct_dd3_sub(b, origin);
  return triple_sign(&exact_p, &exact_q, &exact_r, permanent);
}

double ct_line_volume(ct_vec3 origin, ct_vec3 direction, ct_vec3 a, ct_vec3 b) {
  double all[CT_EXPANSION_TRIPLE];
  ct_dd3 p = ct_dd3_of(direction), q = ct_dd3_sub(a, origin), r = ct_dd3_sub(b, origin);
  return ct_expansion_value(all, ct_expansion_triple(&p, &q, &r, all));
}

/* Is (a - c) x (b - c) exactly zero in the plane of two axes? */
static bool minor_is_zero(ct_dd a, ct_dd b, ct_dd c, ct_dd d) {
  double minor[CT_EXPANSION_MINOR];
  double left = a.high * d.high, right = b.high * c.high;
  /* Relative error of either product with rounded differences is below 4 u. */
  if (fabs(left - right) > 8.0 * CT_UNIT_ROUNDOFF * (fabs(left) + fabs(right))) return false;
  return ct_expansion_sign(minor, ct_expansion_minor(a, b, c, d, minor)) == 0;
}

int ct_orient2d(ct_vec2 a, ct_vec2 b, ct_vec2 c) {
  double px = a.x - c.x, py = a.y - c.y, qx = b.x - c.x, qy = b.y - c.y, left = px * qy, right = py * qx;
  if (fabs(left - right) > FLAT_BOUND * (fabs(left) + fabs(right))) return sign_of(left - right);
  double minor[CT_EXPANSION_MINOR];
  return ct_expansion_sign(minor,
                           ct_expansion_minor(ct_two_sum(a.x, -c.x), ct_two_sum(a.y, -c.y),
                                              ct_two_sum(b.x, -c.x), ct_two_sum(b.y, -c.y), minor));
}

int ct_turn2d(ct_vec2 p, ct_vec2 q, ct_vec2 r, ct_vec2 s) {
  double ux = q.x - p.x, uy = q.y - p.y, vx = s.x - r.x, vy = s.y - r.y, left = ux * vy, right = uy * vx;
  if (fabs(left - right) > FLAT_BOUND * (fabs(left) + fabs(right))) return sign_of(left - right);
  double minor[CT_EXPANSION_MINOR];
  return ct_expansion_sign(minor,
                           ct_expansion_minor(ct_two_sum(q.x, -p.x), ct_two_sum(q.y, -p.y),
                                              ct_two_sum(s.x, -r.x), ct_two_sum(s.y, -r.y), minor));
}

int ct_dot_sign(ct_vec3 direction, ct_vec3 a, ct_vec3 b) {
  ct_vec3 d = ct_sub(a, b);
  double x = direction.x * d.x, y = direction.y * d.y, z = direction.z * d.z;
  double sum = x + y + z, size = fabs(x) + fabs(y) + fabs(z);
  if (fabs(sum) > DOT_BOUND * size) return sign_of(sum);
  if (size == 0.0) return 0;
  ct_dd3 exact = ct_dd3_sub(a, b), by = ct_dd3_of(direction);
  double better = ct_dd3_dot(&exact, &by).high;
  if (fabs(better) > PAIR_BOUND * size) return sign_of(better);

  double ex[4], ey[4], ez[4], xy[8], all[12];
  double px[2] = {exact.x.low, exact.x.high}, py[2] = {exact.y.low, exact.y.high}, pz[2] = {exact.z.low, exact.z.high};
  int nxy = ct_expansion_sum(ex, ct_expansion_scale(px, 2, direction.x, ex), ey,
                             ct_expansion_scale(py, 2, direction.y, ey), xy);
  return ct_expansion_sign(
      all, ct_expansion_sum(xy, nxy, ez, ct_expansion_scale(pz, 2, direction.z, ez), all));
}

bool ct_collinear(ct_vec3 a, ct_vec3 b, ct_vec3 c) {
  ct_dd3 p = ct_dd3_sub(a, c), q = ct_dd3_sub(b, c);
  return minor_is_zero(p.x, p.y, q.x, q.y) && minor_is_zero(p.y, p.z, q.y, q.z) && minor_is_zero(p.z, p.x, q.z, q.x);
}
