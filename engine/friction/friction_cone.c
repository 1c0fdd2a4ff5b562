/* The cone |r_t| <= mu r_n, and how far an iterate is from a solution. */
#include "friction/friction.h"

ct_triple ct_cone_nearest(ct_triple x, double mu) {
  double length = ct_length2(x.s, x.t);
  if (x.n >= 0.0 && length <= mu * x.n) return x;
  double n = (x.n + mu * length) / (1.0 + mu * mu);
  if (!(n > 0.0)) return (ct_triple){0.0, 0.0, 0.0};
  double part = length > 0.0 ? mu * n / length : 0.0;
  return (ct_triple){n, part * x.s, part * x.t};
}

/* Rounding of the length and of the products is some 4 u; 8 leaves room. */
ct_triple ct_cone_contains(ct_triple r, double mu) {
  if (!(r.n > 0.0)) return (ct_triple){0.0, 0.0, 0.0};
  double length = ct_length2(r.s, r.t), most = mu * r.n * (1.0 - 8.0 * CT_UNIT_ROUNDOFF);
  /* Where doubles are not as fine as that, none. */
  if (!(most > 0x1p-960)) return (ct_triple){r.n, 0.0, 0.0};
  if (length <= most) return r;
  double part = most / length;
  return (ct_triple){r.n, part * r.s, part * r.t};
}

/* Of a contact that slides fast, u_t is far longer than r and all but drops out of x_n + mu |x_t|,
 * x = r - rho (u + mu |u_t| n): the difference of the lengths |x_t| - rho |u_t| is had from that of
 * their squares. */
ct_triple ct_friction_defect(ct_triple r, ct_triple u, double mu, double rho, double *size) {
  double slip = rho * ct_length2(u.s, u.t), along = r.n - rho * u.n;
  ct_triple x = {along - mu * slip, r.s - rho * u.s, r.t - rho * u.t}, p = x;
  double length = ct_length2(x.s, x.t);
  /* Without friction mu x_n is no less than a length of 0, whatever the sign of x_n. */
  if (!(x.n >= 0.0) || length > mu * x.n) {
    double both = length + slip,
           less = both > 0.0 ? r.s * ((x.s - rho * u.s) / both) + r.t * ((x.t - rho * u.t) / both)
                             : 0.0;
    p.n = fmax(0.0, (along + mu * less) / (1.0 + mu * mu));
    double part = length > 0.0 ? mu * p.n / length : 0.0;
    p.s = part * x.s;
    p.t = part * x.t;
  }
  double most = fmax(ct_length2(r.n, ct_length2(r.s, r.t)), ct_length2(p.n, ct_length2(p.s, p.t)));
  if (!(*size > most)) *size = most;
  return ct_triple_sub(r, p);
}

double ct_friction_evaluate(ct_friction_work *w) {
  double sum = 0.0, size = 0.0;
  for (size_t i = 0; i < w->contacts; i++) {
    ct_triple u =
        ct_triple_add(ct_friction_sum_others(w, w->r, i), ct_block_times(&w->diagonal[i], w->r[i]));
    sum += ct_triple_norm2(ct_friction_defect(w->r[i], u, w->mu[i], w->rho[i], &size));
  }
  double residual = sum == 0.0 ? 0.0 : sqrt(sum) / fmin(size, w->size_max);
  residual = fmax(residual, ct_friction_roundoff(size, w->size_max));
  if (residual < w->best_residual) {
    w->best_residual = residual;
    w->best_method = w->method;
    for (size_t i = 0; i < w->contacts; i++) w->best[i] = w->r[i];
  }
  return residual;
}
