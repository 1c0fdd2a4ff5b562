/* One contact: r in the cone, u = A r + b, u + mu |u_t| n in the dual cone, r at right angles to
 * it.
 *
 * With the normal eliminated and sliding written as u_t = -k r_t, k >= 0: (S + k) r_t = c, u_n = 0,
 * S the Schur complement of the normal in A. k = 0 sticks. Where that is outside of the cone, r
 * goes from there to frictionless (inside) as k goes to infinity, without a pole for positive
 * definite S: a slide is a k with |r_t| = mu r_n, which a bracketed Newton iteration finds. It is a
 * quartic in k; Bonnefon, Daviet 2011 have one in the angle.
 */
#include "friction/friction.h"

/* A bracket of doubles is halved to nothing in about 1100 steps where the ends are far apart, 60
 * where they are near; Newton takes some 6. */
#define ROOT_STEPS_MAX 1200
/* Round-off of S: stick is reported from k this small, relative to A. */
#define STICK_PART (8.0 * CT_UNIT_ROUNDOFF)

/* The contact without its normal: adj(S + k) c = v + k c, det(S + k) = det + k trace + k^2. */
typedef struct slide {
  double ann, ans, ant; /* row of A */
  double bn, mu;
  double cs, ct, vs, vt, det, trace;
} slide;

static slide slide_of(const ct_block *a, ct_triple b, double mu, double k0) {
  const double *m = a->m;
  double gs = m[3] / m[0], gt = m[6] / m[0];
  double ss = m[4] - gs * m[1] + k0, st = m[5] - gs * m[2], ts = m[7] - gt * m[1],
         tt = m[8] - gt * m[2] + k0;
  slide f = {.ann = m[0],
             .ans = m[1],
             .ant = m[2],
             .bn = b.n,
             .mu = mu,
             .cs = gs * b.n - b.s,
             .ct = gt * b.n - b.t};
  f.vs = tt * f.cs - st * f.ct;
  f.vt = ss * f.ct - ts * f.cs;
  f.det = ss * tt - st * ts;
  f.trace = ss + tt;
  return f;
}

/* r times det(S + k). */
static ct_triple slide_at(const slide *f, double k) {
  double s = f->vs + k * f->cs, t = f->vt + k * f->ct, det = f->det + k * (f->trace + k);
  return (ct_triple){(-f->bn * det - f->ans * s - f->ant * t) / f->ann, s, t};
}

/* |r_t| - mu r_n times the determinant, and its derivative. */
static double outside(const slide *f, double k, double *derivative) {
  ct_triple r = slide_at(f, k);
  double length = ct_length2(r.s, r.t);
  double dn = (-f->bn * (f->trace + 2.0 * k) - f->ans * f->cs - f->ant * f->ct) / f->ann;
  *derivative = (length > 0.0 ? (r.s * f->cs + r.t * f->ct) / length : 0.0) - f->mu * dn;
  return length - f->mu * r.n;
}

/* The k in (0, infinity) where r passes the border of the cone: outside at 0. */
static double slide_root(const slide *f, double scale) {
  double low = 0.0, high = scale, slope;
  for (int i = 0; i < ROOT_STEPS_MAX && outside(f, high, &slope) > 0.0; i++) {
    low = high;
    high *= 2.0;
  }
  double k = high;
  for (int i = 0; i < ROOT_STEPS_MAX; i++) {
    double value = outside(f, k, &slope);
    if (value > 0.0) low = k;
    else high = k;
    double next = k - value / slope;
    if (next == k) break;
    if (!(next > low && next < high))
      next = low > 0.0 && high > 4.0 * low ? sqrt(low) * sqrt(high) : 0.5 * (low + high);
    if (!(next > low && next < high)) break;
    k = next;
  }
  return k;
}

/* The force that slides in the direction of (s, t) with u_n = 0. */
static bool sliding(const slide *f, double s, double t, ct_triple *r) {
  double length = ct_length2(s, t);
  if (!(length > 0.0)) return false;
  s /= length;
  t /= length;
  double along = f->ann + f->mu * (f->ans * s + f->ant * t);
  if (!(along > 0.0)) return false;
  double n = -f->bn / along;
  *r = (ct_triple){n, f->mu * n * s, f->mu * n * t};
  return true;
}

/* One tangent: S is a number, r_t has the sign of c, and |r_t| = mu r_n is linear in 1 / (S + k).
 */
static bool plane(const ct_block *a, ct_triple b, double mu, ct_triple *r) {
  const double *m = a->m;
  double g = m[3] / m[0], s = m[4] - g * m[1], c = g * b.n - b.s;
  if (s > 0.0 || c == 0.0) {
    double t = s > 0.0 ? c / s : 0.0, n = (-b.n - m[1] * t) / m[0];
    *r = (ct_triple){n, t, 0.0};
    if (fabs(t) <= mu * n) return true;
  }
  slide f = {.ann = m[0], .ans = m[1], .bn = b.n, .mu = mu};
  return sliding(&f, c, 0.0, r);
}

bool ct_friction_local(const ct_block *a, ct_triple b, double mu, unsigned dimension,
                       ct_triple *r) {
  *r = (ct_triple){0.0, 0.0, 0.0};
  if (b.n >= 0.0) return true;
  const double *m = a->m;
  if (!(m[0] > 0.0)) return false;
  if (mu == 0.0) {
    r->n = -b.n / m[0];
    return true;
  }
  if (dimension == 2) return plane(a, b, mu, r);
  double scale = fmax(fabs(m[4]), fabs(m[8]));
  slide f = slide_of(a, b, mu, STICK_PART * scale);
  if (!(f.det > 0.0 && f.trace > 0.0)) return false;
  ct_triple stick = slide_at(&f, 0.0);
  if (ct_length2(stick.s, stick.t) <= mu * stick.n) {
    *r = ct_triple_scale(stick, 1.0 / f.det);
    return true;
  }
  double k = slide_root(&f, scale);
  return sliding(&f, f.vs + k * f.cs, f.vt + k * f.ct, r);
}
