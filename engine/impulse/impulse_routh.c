/* Friction followed through an impact (Routh 1905; Mirtich 1996, chapter 3; Stronge 1990).
 *
 * The normal impulse j takes the place of time: du/dj = K q, where q = (1, -mu u_t / |u_t|) while
 * the contact slides, and the rate that holds it where it does not. With dj = |u_t| dt all of it is
 * analytic in t, u_t' = |u_t| K_tn - mu K_tt u_t, also where the slip stops, which is at t =
 * infinity. So a Taylor series of high order is the integrator, and its polynomials tell where
 * events are. A slip that has come to keep its direction goes on in a line, in closed form; plane
 * problems do from the start. Once it has stopped the contact sticks, or slips off in the one
 * direction that friction cannot turn back, in a line too.
 */
#include "impulse/impulse.h"

#include <string.h>

/* Order of the series, and steps: a slip that dies loses about half of itself in each. */
#define ORDER 24
#define STEPS_MAX 2000
/* Terms left out, relative to the slip: below the round-off of what is added up. */
#define TERM_PART 0x1p-58
/* Longest and shortest step in t, whose unit is 1/K; numbers are of the order of 1. */
#define STEP_EXPONENT_MAX 40
/* A slip that turns slower than this, relative to what turns and holds it, keeps its direction:
 * round-off turns it as fast. */
#define STRAIGHT_PART (16.0 * CT_UNIT_ROUNDOFF)
/* Velocities, whose greatest is about 1, are not known better than this: a slip below it has
 * stopped. (It may pass so near to rest and, exactly followed, slip on; nothing in the numbers
 * tells.) */
#define SLIP_NONE 0x1p-54
/* Halvings of an interval down to neighbours, at most. */
#define ROOT_STEPS 200

typedef struct follower {
  const ct_impulse_point *point;
  bool energetic;
  double u[3], p[3];
  double normal_work, friction_work;
  bool parting; /* compression is over */
  double end,
      kept; /* normal impulse at which restitution ends; normal work at the end of compression */
  bool done;
} follower;

/* Coefficients of powers of t. */
typedef struct series {
  double x[ORDER + 1], y[ORDER + 1]; /* slip */
  double s[ORDER + 1], square[ORDER + 1];
  double v[ORDER + 1]; /* normal velocity */
  double j[ORDER + 1], px[ORDER + 1], py[ORDER + 1];
  double work[ORDER + 1], friction[ORDER + 1];
} series;

static void times_k(const ct_impulse_point *point, const double q[3], double r[3]) {
  for (int i = 0; i < 3; i++) r[i] = ct_dot3(point->k[i], q);
}

static void end_compression(follower *f) {
  f->u[0] = 0.0;
  f->parting = true;
  f->end = (1.0 + f->point->restitution) * f->p[0];
  f->kept = f->normal_work;
  f->done = f->point->restitution == 0.0;
}

/* Work that restitution has still to do. */
static double work_left(const follower *f) {
  double e = f->point->restitution;
  return ct_max2(-e * e * f->kept - (f->normal_work - f->kept), 0.0);
}

/* ---- lines ---------------------------------------------------------------------------------- */

/* Normal impulse to the end of restitution, at a constant rate of the normal velocity; INFINITY:
 * never. */
static double line_to_end(const follower *f, double rate) {
  if (!f->energetic) return ct_max2(f->end - f->p[0], 0.0);
  double w = work_left(f), square = f->u[0] * f->u[0] + 2.0 * rate * w;
  if (w == 0.0) return 0.0;
  return square < 0.0 ? INFINITY : 2.0 * w / (f->u[0] + sqrt(square));
}

static void move_on_line(follower *f, const double q[3], const double r[3], double length) {
  for (int i = 0; i < 3; i++) {
    double work = q[i] * length * (f->u[i] + 0.5 * r[i] * length);
    *(i == 0 ? &f->normal_work : &f->friction_work) += work;
    f->p[i] += q[i] * length;
    f->u[i] += r[i] * length;
  }
}

/* Goes on by impulses along q, for at most so much normal impulse. False: it never ends. */
static bool follow_line(follower *f, const double q[3], double most) {
  double r[3];
  times_k(f->point, q, r);
  /* Compression and restitution, twice where friction presses the bodies together again. */
  for (int event = 0; event < 4 && !f->done; event++) {
    double to_zero = f->u[0] * r[0] < 0.0 ? -f->u[0] / r[0] : INFINITY;
    double to_end = f->parting ? line_to_end(f, r[0]) : INFINITY,
           length = ct_min2(ct_min2(to_zero, to_end), most);
    if (!(length < INFINITY)) return false;
    move_on_line(f, q, r, length);
    most -= length;
    if (f->parting && length == to_end) f->done = true;
    else if (length == to_zero && !f->parting) end_compression(f);
    else if (length == to_zero) f->parting = false, f->u[0] = 0.0;
    else break;
  }
  return true;
}

/* ---- series --------------------------------------------------------------------------------- */

static double product(const double *a, const double *b, int k) {
  double sum = 0.0;
  for (int i = 0; i <= k; i++) sum += a[i] * b[k - i];
  return sum;
}

static void expand(const follower *f, series *c) {
  const double(*k)[3] = f->point->k;
  double mu = f->point->dynamic_friction;
  c->x[0] = f->u[1], c->y[0] = f->u[2], c->v[0] = f->u[0];
  c->j[0] = f->p[0], c->px[0] = f->p[1], c->py[0] = f->p[2];
  c->work[0] = f->normal_work, c->friction[0] = f->friction_work;
  for (int i = 0; i <= ORDER; i++) {
    c->square[i] = product(c->x, c->x, i) + product(c->y, c->y, i);
    double inner = 0.0;
    for (int m = 1; m < i; m++) inner += c->s[m] * c->s[i - m];
    c->s[i] = i == 0 ? sqrt(c->square[0]) : (c->square[i] - inner) / (2.0 * c->s[0]);
    if (i == ORDER) return;
    double n = i + 1;
    c->x[i + 1] = (k[1][0] * c->s[i] - mu * (k[1][1] * c->x[i] + k[1][2] * c->y[i])) / n;
    c->y[i + 1] = (k[2][0] * c->s[i] - mu * (k[2][1] * c->x[i] + k[2][2] * c->y[i])) / n;
    c->v[i + 1] = (k[0][0] * c->s[i] - mu * (k[0][1] * c->x[i] + k[0][2] * c->y[i])) / n;
    c->j[i + 1] = c->s[i] / n;
    c->px[i + 1] = -mu * c->x[i] / n;
    c->py[i + 1] = -mu * c->y[i] / n;
    c->work[i + 1] = product(c->v, c->s, i) / n;
    c->friction[i + 1] = -mu * c->square[i] / n;
  }
}

static double value(const double *c, double t) {
  double sum = c[ORDER];
  for (int i = ORDER - 1; i >= 0; i--) sum = sum * t + c[i];
  return sum;
}

static double slope(const double *c, double t) {
  double sum = ORDER * c[ORDER];
  for (int i = ORDER - 1; i >= 1; i--) sum = sum * t + i * c[i];
  return sum;
}

/* The longest power of two whose last terms are below round-off. */
static double step_of(const series *c) {
  int exponent = STEP_EXPONENT_MAX;
  for (int i = ORDER - 3; i <= ORDER; i++) {
    double term = ct_max2(ct_max2(fabs(c->x[i]), fabs(c->y[i])), fabs(c->s[i])),
           limit = TERM_PART * c->s[0];
    while (exponent > -STEP_EXPONENT_MAX && ldexp(term, exponent * i) > limit) exponent--;
  }
  return ldexp(1.0, exponent);
}

/* Where a polynomial less `level`, negative at `from` and not at `to`, passes zero (or the other
 * way round, `sign` -1). */
static double root(const double *c, double level, double from, double to, double sign) {
  double t = to;
  for (int i = 0; i < ROOT_STEPS; i++) {
    double now = sign * (value(c, t) - level), rate = sign * slope(c, t), next = t - now / rate;
    if (now < 0.0) from = t;
    else to = t;
    if (!(next > from && next < to)) next = from + 0.5 * (to - from);
    if (next == t || next <= from || next >= to) break;
    t = next;
  }
  return t;
}

/* Where the normal velocity first leaves its sign (-1: approaching, 1: parting); INFINITY: not in
 * the step. */
static double leaves_sign(const series *c, double step, double sign) {
  if (sign * value(c->v, step) <= 0.0) return root(c->v, 0.0, 0.0, step, -sign);
  if (!(sign * slope(c->v, 0.0) < 0.0 && sign * slope(c->v, step) > 0.0)) return INFINITY;
  /* It comes near and goes away again: where it is nearest. */
  double from = 0.0, to = step;
  for (int i = 0; i < ROOT_STEPS; i++) {
    double middle = from + 0.5 * (to - from);
    if (middle <= from || middle >= to) break;
    *(sign * slope(c->v, middle) < 0.0 ? &from : &to) = middle;
  }
  return sign * value(c->v, from) <= 0.0 ? root(c->v, 0.0, 0.0, from, -sign) : INFINITY;
}

/* One step of sliding, at most to the next event. */
static void slide_step(follower *f) {
  series c;
  expand(f, &c);
  double step = step_of(&c), t = step, turn = INFINITY, end = INFINITY;
  if (!f->parting || f->u[0] > 0.0 || c.v[1] > 0.0)
    turn = leaves_sign(&c, step, f->parting ? 1.0 : -1.0);
  if (f->parting) {
    const double *gauge = f->energetic ? c.work : c.j;
    double level = f->energetic ? f->normal_work + work_left(f) : f->end;
    t = ct_min2(step, turn);
    if (value(gauge, t) >= level) end = root(gauge, level, 0.0, t, 1.0);
  }
  t = ct_min2(ct_min2(step, turn), end);
  f->u[0] = value(c.v, t), f->u[1] = value(c.x, t), f->u[2] = value(c.y, t);
  f->p[0] = value(c.j, t), f->p[1] = value(c.px, t), f->p[2] = value(c.py, t);
  f->normal_work = value(c.work, t), f->friction_work = value(c.friction, t);
  if (t == end) f->done = true;
  else if (t == turn && !f->parting) end_compression(f);
  else if (t == turn) f->parting = false, f->u[0] = 0.0;
}

/* ---- the way through an impact -------------------------------------------------------------- */

/* Slides until the slip has stopped (true) or the impact is over. False too where neither comes
 * about. */
static bool slide(follower *f, uint64_t *steps) {
  const double(*k)[3] = f->point->k;
  double mu = f->point->dynamic_friction;
  for (*steps = 0; *steps < STEPS_MAX && !f->done; ++*steps) {
    double s = sqrt(f->u[1] * f->u[1] + f->u[2] * f->u[2]);
    if (s <= SLIP_NONE) break;
    double x = f->u[1] / s, y = f->u[2] / s, q[3] = {1.0, -mu * x, -mu * y}, r[3];
    times_k(f->point, q, r);
    double along = r[1] * x + r[2] * y, across = r[2] * x - r[1] * y;
    double size =
        fabs(k[1][0]) + fabs(k[2][0]) + mu * (fabs(k[1][1]) + 2.0 * fabs(k[1][2]) + fabs(k[2][2]));
    if (fabs(across) > STRAIGHT_PART * size && mu > 0.0) {
      slide_step(f);
      continue;
    }
    double stop = along < 0.0 && mu > 0.0 ? s / -along : INFINITY;
    if (!follow_line(f, q, stop)) return false;
    if (f->done) return false;
    break;
  }
  if (f->done || *steps == STEPS_MAX) return false;
  f->u[1] = f->u[2] = 0.0;
  return true;
}

/* The impulse per normal impulse that keeps a contact from slipping: its tangential part. */
static void holding_rate(const double k[3][3], double rate[2]) {
  double determinant = k[1][1] * k[2][2] - k[1][2] * k[1][2];
  rate[0] = -(k[2][2] * k[1][0] - k[1][2] * k[2][0]) / determinant;
  rate[1] = -(k[1][1] * k[2][0] - k[1][2] * k[1][0]) / determinant;
}

/* The direction d into which a contact slips off: K_tn - mu K_tt d = g d, g > 0. The length of (g +
 * mu K_tt)^-1 K_tn falls in g, from more than 1 at 0, where sticking is too much for friction; its
 * reciprocal is nearly straight, so Newton's method is. */
static void slip_direction(const double k[3][3], double mu, double d[2]) {
  double xx = mu * k[1][1], xy = mu * k[1][2], yy = mu * k[2][2], low = 0.0,
         high = fabs(k[1][0]) + fabs(k[2][0]), g = 0.0;
  for (int i = 0; i < ROOT_STEPS; i++) {
    double a = xx + g, b = yy + g, determinant = a * b - xy * xy;
    d[0] = (b * k[1][0] - xy * k[2][0]) / determinant;
    d[1] = (a * k[2][0] - xy * k[1][0]) / determinant;
    double length = sqrt(d[0] * d[0] + d[1] * d[1]);
    if (!(length < INFINITY) || length > 1.0) low = g;
    else high = g;
    double ex = (b * d[0] - xy * d[1]) / determinant, ey = (a * d[1] - xy * d[0]) / determinant;
    double next = g + (length - 1.0) * length * length / (d[0] * ex + d[1] * ey);
    if (length > 0.0) d[0] /= length, d[1] /= length;
    if (!(next > low && next < high)) next = low + 0.5 * (high - low);
    if (next == g || next <= low || next >= high) break;
    g = next;
  }
}

/* What goes on once the slip has stopped. False: it never ends. */
static bool from_rest(follower *f, bool pressed, ct_impulse_outcome *outcome) {
  double rate[2], d[2], mu = f->point->dynamic_friction;
  holding_rate(f->point->k, rate);
  if (sqrt(rate[0] * rate[0] + rate[1] * rate[1]) <= f->point->static_friction) {
    *outcome = pressed ? CT_IMPULSE_OUTCOME_JAM : CT_IMPULSE_OUTCOME_STICK;
    double line[3] = {1.0, rate[0], rate[1]};
    bool ended = follow_line(f, line, INFINITY);
    f->u[1] = f->u[2] = 0.0;
    return ended;
  }
  *outcome = CT_IMPULSE_OUTCOME_REVERSE;
  slip_direction(f->point->k, mu, d);
  double line[3] = {1.0, -mu * d[0], -mu * d[1]};
  return follow_line(f, line, INFINITY);
}

void ct_impulse_path(const ct_impulse_point *point, bool energetic, ct_impulse_answer *answer) {
  follower f = {.point = point, .energetic = energetic};
  memcpy(f.u, point->u, sizeof f.u);
  double s = sqrt(f.u[1] * f.u[1] + f.u[2] * f.u[2]), mu = point->dynamic_friction;
  bool slips = s > SLIP_NONE;
  double x = slips ? f.u[1] / s : 0.0, y = slips ? f.u[2] / s : 0.0;
  bool pressed = slips && point->k[0][0] - mu * (point->k[0][1] * x + point->k[0][2] * y) <= 0.0;
  answer->outcome = CT_IMPULSE_OUTCOME_SLIDE;
  bool stopped = !slips || slide(&f, &answer->steps), ended = f.done;
  if (stopped) ended = from_rest(&f, pressed, &answer->outcome);
  /* A slip that does not stop while it presses the bodies together is beyond positive definite K:
   * round-off made it. */
  if (!ended) {
    f.u[1] = f.u[2] = 0.0;
    (void)from_rest(&f, true, &answer->outcome);
  }
  memcpy(answer->p, f.p, sizeof f.p);
  double gained = ct_impulse_energy(point, f.p),
         size = fabs(ct_dot3(f.p, point->u)) - f.normal_work - f.friction_work;
  answer->residual = size > 0.0 ? fabs(gained - (f.normal_work + f.friction_work)) / size : 0.0;
  answer->converged = ended;
  answer->integrated = true;
}
