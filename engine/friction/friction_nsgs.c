/* Nonsmooth block Gauss-Seidel method (Jourdan, Alart, Jean 1998). The contacts are solved one
 * after the other, each exactly with the forces of the others fixed, in alternating order.
 * Convergence is not proven if contacts are redundant; the method ends when the residual no longer
 * decreases.
 *
 * Problem of one contact: r is in the cone, u = A r + b, and u + mu |u_t| n is in the dual cone and
 * orthogonal to r, where A is the contact's diagonal block of W and b its velocity without its own
 * force. The normal is eliminated, and sliding is written as u_t = -k r_t with k >= 0: (S + k) r_t
 * = c, u_n = 0, where S is the Schur complement of the normal in A. The contact sticks for k = 0.
 * If that solution is outside the cone, then r moves from there to the frictionless solution,
 * inside the cone, as k goes to infinity; it has no pole if S is positive definite. A sliding
 * solution is a k with |r_t| = mu r_n, found by a bracketed Newton iteration. The equation is a
 * quartic in k; Bonnefon, Daviet 2011 solve a quartic in the angle. */
#include "friction/friction.h"

#include <assert.h>

/* ---- one contact ----------------------------------------------------------------------------- */

/* Largest number of steps: bisection of an interval of doubles ends after at most about 1100 steps,
 * after 60 if its ends are close. Newton's method takes about 6. */
#define ROOT_STEPS_MAX 1200
/* Round-off of S relative to A; a k up to this, relative to A, counts as sticking. */
#define STICK_PART (8.0 * CT_UNIT_ROUNDOFF)

/* Coefficients of the contact with its normal eliminated (head of this file): adj(S + k) c = v + k
 * c, det(S + k) = det + k trace + k^2. */
typedef struct slide {
  double ann, ans, ant; /* first row of A */
  double bn, mu;
  double cs, ct, vs, vt, det, trace;
} slide;

static slide make_slide(const ct_block *a, ct_triple b, double mu, double k0) {
  const double *m = a->m;
  assert(m[0] > 0.0);
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

/* Returns det(S + k) r, where r is the contact force that slides with u_t = -k r_t (head of this
 * file). */
static ct_triple slide_force(const slide *f, double k) {
  double s = f->vs + k * f->cs, t = f->vt + k * f->ct, det = f->det + k * (f->trace + k);
  return (ct_triple){(-f->bn * det - f->ans * s - f->ant * t) / f->ann, s, t};
}

/* Returns (|r_t| - mu r_n) det(S + k), which is > 0 outside the cone, and sets *derivative to its
 * derivative in k. */
static double cone_violation(const slide *f, double k, double *derivative) {
  ct_triple r = slide_force(f, k);
  double length = ct_length2(r.s, r.t);
  double dn = (-f->bn * (f->trace + 2.0 * k) - f->ans * f->cs - f->ant * f->ct) / f->ann;
  *derivative = (length > 0.0 ? (r.s * f->cs + r.t * f->ct) / length : 0.0) - f->mu * dn;
  return length - f->mu * r.n;
}

/* Finds the k in (0, infinity) at which r crosses the boundary of the cone, given that r is outside
 * for k = 0. scale: first trial of k. */
static double find_slide_root(const slide *f, double scale) {
  double low = 0.0, high = scale, slope;
  for (int i = 0; i < ROOT_STEPS_MAX && cone_violation(f, high, &slope) > 0.0; i++) {
    low = high;
    high *= 2.0;
  }
  double k = high;
  for (int i = 0; i < ROOT_STEPS_MAX; i++) {
    double value = cone_violation(f, k, &slope);
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

/* Computes the force on the boundary of the cone with tangential direction (s, t) and u_n = 0.
 * False: there is none. */
static bool sliding_force(const slide *f, double s, double t, ct_triple *r) {
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

/* Solves a planar contact. With one tangent S is a scalar, r_t has the sign of c, and |r_t| = mu
 * r_n is linear in 1 / (S + k). False: no solution was found. */
static bool solve_plane_contact(const ct_block *a, ct_triple b, double mu, ct_triple *r) {
  const double *m = a->m;
  assert(m[0] > 0.0);
  double g = m[3] / m[0], s = m[4] - g * m[1], c = g * b.n - b.s;
  if (s > 0.0 || c == 0.0) {
    double t = s > 0.0 ? c / s : 0.0, n = (-b.n - m[1] * t) / m[0];
    *r = (ct_triple){n, t, 0.0};
    if (fabs(t) <= mu * n) return true;
  }
  slide f = {.ann = m[0], .ans = m[1], .bn = b.n, .mu = mu};
  return sliding_force(&f, c, 0.0, r);
}

/* Solves one contact, u = A r + b, up to round-off: separating, sticking or sliding. Returns false
 * if no solution was found, which can only occur if the block is not positive definite; blocks of
 * bodies are positive definite. */
static bool solve_one_friction_contact(const ct_block *a, ct_triple b, double mu,
                                       unsigned dimension, ct_triple *r) {
  assert(dimension == 2 || dimension == 3);
  *r = (ct_triple){0.0, 0.0, 0.0};
  if (b.n >= 0.0) return true;
  const double *m = a->m;
  if (!(m[0] > 0.0)) return false;
  if (mu == 0.0) {
    r->n = -b.n / m[0];
    return true;
  }
  if (dimension == 2) return solve_plane_contact(a, b, mu, r);
  double scale = fmax(fabs(m[4]), fabs(m[8]));
  slide f = make_slide(a, b, mu, STICK_PART * scale);
  if (!(f.det > 0.0 && f.trace > 0.0)) return false;
  ct_triple stick = slide_force(&f, 0.0);
  if (ct_length2(stick.s, stick.t) <= mu * stick.n) {
    *r = ct_triple_scale(stick, 1.0 / f.det);
    return true;
  }
  double k = find_slide_root(&f, scale);
  return sliding_force(&f, f.vs + k * f.cs, f.vt + k * f.ct, r);
}

/* ---- sweeps ---------------------------------------------------------------------------------- */

/* Sweeps between two evaluations of the residual, because these cost as much as a sweep. The
 * residual is also evaluated if the changes of a sweep are small. */
#define EVALUATION_SWEEPS 16u
/* The method ends if STALL_SWEEPS sweeps do not reduce the residual to the fraction STALL_PART. */
#define STALL_SWEEPS 1024u
#define STALL_PART 0.9
/* Cost of a sweep, in products with W, including the solution of each contact. */
#define SWEEP_COST 4.0
/* Number of contacts between two polls of the cancel flag. */
#define POLL_CONTACTS 1024u

/* Makes one step of projected gradient descent, for a contact whose exact solution was not found
 * because W_ii is not positive definite. */
static ct_triple descend_one_contact(const ct_friction_work *w, size_t i, ct_triple b) {
  ct_triple u = ct_triple_add(b, ct_block_times(&w->diagonal[i], w->r[i]));
  double size = 0.0;
  ct_triple defect = ct_friction_defect(w->r[i], u, w->mu[i], w->rho[i], &size);
  return ct_triple_sub(w->r[i], defect);
}

/* Solves all contacts once, in descending order if `back`. *change: set to the relative change of
 * the forces. False: cancelled. */
static bool sweep_all_contacts(ct_friction_work *w, bool back, double *change) {
  double sum = 0.0, size = 0.0;
  size_t n = w->contacts;
  for (size_t k = 0; k < n; k++) {
    if (k % POLL_CONTACTS == 0 && ct_cancel_raised(w->cancel)) return false;
    size_t i = back ? n - 1 - k : k;
    ct_triple b = ct_friction_sum_others(w, w->r, i), r;
    if (!solve_one_friction_contact(&w->diagonal[i], b, w->mu[i], w->dimension, &r))
      r = descend_one_contact(w, i, b);
    r = ct_cone_contains(r, w->mu[i]);
    sum += ct_triple_norm2(ct_triple_sub(r, w->r[i]));
    size = fmax(size, ct_triple_norm2(r));
    w->r[i] = r;
  }
  *change = sum > 0.0 ? sqrt(sum / size) : 0.0;
  return true;
}

ct_status ct_friction_nsgs(ct_friction_work *w, uint64_t sweeps) {
  double mark = INFINITY;
  uint64_t mark_at = 0;
  for (uint64_t k = 0; k < sweeps && w->iterations < w->iterations_max; k++) {
    double change = 0.0;
    if (!sweep_all_contacts(w, w->iterations % 2 == 1, &change)) return CT_CANCELLED;
    w->iterations++;
    w->multiplied += SWEEP_COST * ct_friction_entries(w);
    if (!(change <= w->tolerance) && (k + 1) % EVALUATION_SWEEPS != 0 && k + 1 < sweeps) continue;
    (void)ct_friction_evaluate(w);
    if (w->best_residual <= w->tolerance || change == 0.0) break;
    if (w->best_residual <= STALL_PART * mark) {
      mark = w->best_residual;
      mark_at = k;
    }
    if (k - mark_at >= STALL_SWEEPS) break;
  }
  return CT_OK;
}
