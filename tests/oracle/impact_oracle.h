/* Friction during an impact by fourth-order steps in long double: the oracle of the integrated
 * impulse laws.
 *
 * Vectors are in world axes. The parameter t has dt = dj / |u_t|, so a slip decays to zero only at
 * infinity and the equations have no singularity. The direction in which a contact slips off from
 * rest is found by scanning all directions. Steps of T_STEP leave errors of about 1e-13. */
#ifndef TESTS_IMPACT_ORACLE_H
#define TESTS_IMPACT_ORACLE_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

typedef long double real;

#define T_STEP 1.5e-3L
#define SLIP_GONE 1e-14L
#define LOOKS 3600
#define STEPS_LIMIT 3000000

typedef struct oracle_impact {
  real k[3][3], n[3], static_friction, dynamic_friction, restitution;
  bool energetic;
} oracle_impact;

/* Relative velocity, impulse, normal impulse, work of the normal impulse. */
typedef struct oracle_state {
  real v[8];
} oracle_state;

static real oracle_dot(const real *a, const real *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static real oracle_slip(const oracle_impact *o, const real *u, real t[3]) {
  real un = oracle_dot(o->n, u);
  for (int i = 0; i < 3; i++) t[i] = u[i] - un * o->n[i];
  return sqrtl(oracle_dot(t, t));
}

/* Derivatives by t while sliding; by j along a fixed impulse if `q` is given. */
static oracle_state oracle_rate(const oracle_impact *o, const oracle_state *s, const real *q) {
  oracle_state r;
  real t[3], p[3], slip = oracle_slip(o, s->v, t);
  for (int i = 0; i < 3; i++) p[i] = q ? q[i] : slip * o->n[i] - o->dynamic_friction * t[i];
  for (int i = 0; i < 3; i++) r.v[i] = oracle_dot(o->k[i], p), r.v[3 + i] = p[i];
  r.v[6] = oracle_dot(p, o->n);
  r.v[7] = oracle_dot(s->v, o->n) * r.v[6];
  return r;
}

static oracle_state oracle_add(const oracle_state *s, const oracle_state *r, real h) {
  oracle_state out;
  for (int i = 0; i < 8; i++) out.v[i] = s->v[i] + h * r->v[i];
  return out;
}

static oracle_state oracle_step(const oracle_impact *o, const oracle_state *s, const real *q,
                                real h) {
  oracle_state k1 = oracle_rate(o, s, q), at = oracle_add(s, &k1, h / 2),
               k2 = oracle_rate(o, &at, q);
  at = oracle_add(s, &k2, h / 2);
  oracle_state k3 = oracle_rate(o, &at, q);
  at = oracle_add(s, &k3, h);
  oracle_state k4 = oracle_rate(o, &at, q), out;
  for (int i = 0; i < 8; i++)
    out.v[i] = s->v[i] + h / 6 * (k1.v[i] + 2 * k2.v[i] + 2 * k3.v[i] + k4.v[i]);
  return out;
}

/* The phase ends when this value becomes positive. */
static real oracle_gauge(const oracle_impact *o, const oracle_state *s,
                         const oracle_state *turned) {
  if (!turned) return oracle_dot(s->v, o->n);
  real e = o->restitution;
  return o->energetic ? s->v[7] - turned->v[7] * (1 - e * e) : s->v[6] - (1 + e) * turned->v[6];
}

/* One step, or by bisection the part of it up to the end of the phase. True: the phase ended. */
static bool oracle_advance(const oracle_impact *o, oracle_state *s, const oracle_state *turned,
                           const real *q, real h) {
  oracle_state to = oracle_step(o, s, q, h);
  if (oracle_gauge(o, &to, turned) < 0) {
    *s = to;
    return false;
  }
  real low = 0, high = 1;
  for (int i = 0; i < 80; i++) {
    real middle = (low + high) / 2;
    to = oracle_step(o, s, q, h * middle);
    *(oracle_gauge(o, &to, turned) < 0 ? &low : &high) = middle;
  }
  *s = oracle_step(o, s, q, h * high);
  return true;
}

/* Tangents by projecting the axis farthest from the normal. The engine uses another
 * construction. */
static void oracle_tangents(const oracle_impact *o, real a[3], real b[3]) {
  real size = 0;
  for (int c = 0; c < 3; c++) {
    real axis[3] = {c == 0, c == 1, c == 2}, t[3], length = oracle_slip(o, axis, t);
    if (length > size) size = length, memcpy(a, t, sizeof t);
  }
  for (int i = 0; i < 3; i++) a[i] /= size;
  b[0] = o->n[1] * a[2] - o->n[2] * a[1], b[1] = o->n[2] * a[0] - o->n[0] * a[2],
  b[2] = o->n[0] * a[1] - o->n[1] * a[0];
}

/* Slip caused by friction against the direction of an angle: its components across and along that
 * direction. */
static real oracle_across(const oracle_impact *o, const real a[3], const real b[3], real angle,
                          real q[3], real *along) {
  real d[3], side[3], r[3];
  for (int i = 0; i < 3; i++) {
    d[i] = cosl(angle) * a[i] + sinl(angle) * b[i];
    side[i] = cosl(angle) * b[i] - sinl(angle) * a[i];
    q[i] = o->n[i] - o->dynamic_friction * d[i];
  }
  for (int i = 0; i < 3; i++) r[i] = oracle_dot(o->k[i], q);
  *along = oracle_dot(r, d);
  return oracle_dot(r, side);
}

/* The impulse per normal impulse from rest: sticking if the cone allows it, else slipping.
 * *reverse: it slips. */
static void oracle_from_rest(const oracle_impact *o, real q[3], bool *reverse) {
  real a[3], b[3], ka[3], kb[3], kn[3], along;
  oracle_tangents(o, a, b);
  for (int i = 0; i < 3; i++)
    ka[i] = oracle_dot(o->k[i], a), kb[i] = oracle_dot(o->k[i], b),
    kn[i] = oracle_dot(o->k[i], o->n);
  real aa = oracle_dot(a, ka), ab = oracle_dot(a, kb), bb = oracle_dot(b, kb),
       an = oracle_dot(a, kn), bn = oracle_dot(b, kn);
  real pa = -(bb * an - ab * bn) / (aa * bb - ab * ab),
       pb = -(aa * bn - ab * an) / (aa * bb - ab * ab);
  for (int i = 0; i < 3; i++) q[i] = o->n[i] + pa * a[i] + pb * b[i];
  *reverse = sqrtl(pa * pa + pb * pb) > o->static_friction;
  if (!*reverse) return;
  const real turn = 2 * acosl(-1.0L) / LOOKS;
  for (int i = 0; i < LOOKS; i++) {
    real low = i * turn, high = low + turn, at_low = oracle_across(o, a, b, low, q, &along);
    if ((at_low < 0) == (oracle_across(o, a, b, high, q, &along) < 0) || along <= 0) continue;
    for (int halving = 0; halving < 80; halving++) {
      real middle = (low + high) / 2;
      *((oracle_across(o, a, b, middle, q, &along) < 0) == (at_low < 0) ? &low : &high) = middle;
    }
    return;
  }
}

/* The impulse on b. *stopped: the slip ended before the impact did. *reverse: it started again. The
 * normal is normalised. False: the slip decays so slowly that too many steps would be needed. */
static bool oracle_impulse(oracle_impact *o, const real u[3], real p[3], bool *stopped,
                           bool *reverse) {
  oracle_state s = {{u[0], u[1], u[2]}}, turned;
  bool parting = false;
  real q[3], t[3], size = 0, length = sqrtl(oracle_dot(o->n, o->n));
  for (int i = 0; i < 3; i++) o->n[i] /= length;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) size = fmaxl(size, fabsl(o->k[i][j]));
  real h = T_STEP / (size * (1 + o->dynamic_friction));
  *stopped = *reverse = false;
  for (long i = 0; i < STEPS_LIMIT; i++) {
    if (!*stopped && oracle_slip(o, s.v, t) <= SLIP_GONE) {
      *stopped = true;
      oracle_from_rest(o, q, reverse);
      /* In one dimension velocities and work are polynomials, so steps of any length are exact. */
      h = 1 / size;
    }
    if (!oracle_advance(o, &s, parting ? &turned : NULL, *stopped ? q : NULL, h)) continue;
    if (parting || o->restitution == 0) {
      memcpy(p, s.v + 3, 3 * sizeof *p);
      return true;
    }
    parting = true;
    turned = s;
  }
  return false;
}

#endif
