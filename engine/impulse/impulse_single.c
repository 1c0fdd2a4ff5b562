/* Impulse at one contact: without friction, by sticking or sliding (algebraic law), for point
 * masses, or with friction integrated through the impact; and the energy guard. Values are scaled
 * to the order of 1 by powers of two, so that other units change no bit of the result.
 *
 * Friction through the impact (Routh 1905; Mirtich 1996, chapter 3; Stronge 1990): the normal
 * impulse j takes the role of time. The relative velocity u changes by du/dj = K q, where K is the
 * Delassus block and q = (1, -mu u_t / |u_t|) while the contact slides; while it sticks, q is the
 * impulse per normal impulse that prevents slip. With a parameter t, dj = |u_t| dt, all functions
 * are analytic in t: u_t' = |u_t| K_tn - mu K_tt u_t, and the slip ends at t = infinity. The
 * integrator is a Taylor series of high order, and its polynomials locate the events. If the
 * direction of slip is constant, as in plane problems, the motion follows a line, in closed form.
 * After the slip has stopped, the contact sticks, or slips in the one direction that friction
 * cannot reverse, again along a line. */
#include "impulse/impulse.h"

#include <assert.h>
#include <string.h>

/* Least rate of the normal velocity with the impulse of a sliding contact, relative to the rate
 * without friction. Below it, friction is integrated through the impact instead. */
#define ANSWER_PART 1e-12
/* Least pivot of K relative to its diagonal entry. A smaller one has lost twelve of sixteen
 * digits. */
#define SINGULAR_PART 1e-12
/* Entries of K that differ from those without rotation by at most this fraction of the inverse mass
 * differ by the round-off of the frame. */
#define COUPLING_PART (64.0 * CT_UNIT_ROUNDOFF)

/* ---- frames ---------------------------------------------------------------------------------- */

ct_impulse_frame ct_impulse_frame_of(ct_vec3 normal) {
  double first = normal.x != 0.0 ? normal.x : normal.y != 0.0 ? normal.y : normal.z;
  ct_impulse_frame f = {.sign = first < 0.0 ? -1.0 : 1.0};
  f.normal = ct_scale(normal, f.sign);
  ct_contact_tangents(f.normal, &f.t1, &f.t2);
  return f;
}

void ct_impulse_to_frame(const ct_impulse_frame *frame, ct_vec3 v, double out[3]) {
  out[0] = frame->sign * ct_dot(frame->normal, v);
  out[1] = frame->sign * ct_dot(frame->t1, v);
  out[2] = frame->sign * ct_dot(frame->t2, v);
}

ct_vec3 ct_impulse_to_world(const ct_impulse_frame *frame, const double p[3]) {
  ct_vec3 v = ct_add_scaled(ct_scale(frame->normal, p[0]), frame->t1, p[1]);
  return ct_scale(ct_add_scaled(v, frame->t2, p[2]), frame->sign);
}

void ct_impulse_block(const ct_impulse_frame *a, const ct_impulse_frame *b, const ct_mat3 *coupling,
                      double out[3][3]) {
  ct_vec3 rows[3] = {a->normal, a->t1, a->t2}, columns[3] = {b->normal, b->t1, b->t2};
  double sign = a->sign * b->sign;
  for (int j = 0; j < 3; j++) {
    ct_vec3 moved = ct_mat_mul(*coupling, columns[j]);
    for (int i = 0; i < 3; i++) out[i][j] = sign * ct_dot(rows[i], moved);
  }
  if (a != b) return;
  for (int j = 0; j < 3; j++)
    for (int i = j + 1; i < 3; i++) out[i][j] = out[j][i];
}

/* ---- energy ---------------------------------------------------------------------------------- */

static void velocity_after(const ct_impulse_point *point, const double p[3], double u[3]) {
  for (int i = 0; i < 3; i++) u[i] = point->u[i] + ct_dot3(point->k[i], p);
}

/* Returns the change of kinetic energy by the impulse p, plus the work done on kinematic bodies. */
static double point_energy_change(const ct_impulse_point *point, const double p[3]) {
  double u[3];
  velocity_after(point, p, u);
  return 0.5 * (ct_dot3(p, point->u) + ct_dot3(p, u));
}

double ct_impulse_theta(double a, double b, double c) {
  assert(!(c > 0.0));
  double square = ct_max2(b * b - 4.0 * a * c, 0.0), theta = 0.0;
  if (b > 0.0) theta = -2.0 * c / (b + sqrt(square));
  else if (a > 0.0) theta = (sqrt(square) - b) / (2.0 * a);
  return ct_min2(ct_max2(theta, 0.0), 1.0);
}

/* ---- friction integrated through the impact -------------------------------------------------- */

/* Order of the series, and limit of the number of steps. One step approximately halves a decaying
 * slip. */
#define ORDER 24
#define STEPS_MAX 2000
/* Greatest last terms of the series relative to the slip; below its round-off. */
#define TERM_PART 0x1p-58
/* The length of a step in t (head of this file) is between 2^-STEP_EXPONENT_MAX and
 * 2^STEP_EXPONENT_MAX; all values are of the order of 1. */
#define STEP_EXPONENT_MAX 40
/* The direction of slip counts as constant if its rate of turning is at most this fraction of the
 * sum of its terms, which is round-off. */
#define STRAIGHT_PART (16.0 * CT_UNIT_ROUNDOFF)
/* Slip velocity up to which the slip has stopped. Velocities of the order of 1 are not more
 * accurate, so a slip that passes this close to zero and continues cannot be distinguished. */
#define SLIP_NONE 0x1p-54
/* Limit of bisections, which end when the ends of the interval are neighbouring doubles. */
#define ROOT_STEPS 200

typedef struct impact_path {
  const ct_impulse_point *point;
  bool energetic;
  double u[3], p[3];
  double normal_work, friction_work;
  bool separating;              /* true: the impact is in the phase of restitution; false: in the
                                   phase of compression */
  double end, compression_work; /* normal impulse at the end of restitution, for restitution by
                                   Poisson; normal work at the end of compression */
  bool done;
} impact_path;

/* Taylor coefficients in t (head of this file), about the present state. s: |u_t|, square: s^2, j:
 * normal impulse, px and py: tangential impulse, work: normal work, friction: work of friction. */
typedef struct series {
  double x[ORDER + 1], y[ORDER + 1]; /* slip velocity u_t */
  double s[ORDER + 1], square[ORDER + 1];
  double v[ORDER + 1]; /* normal velocity */
  double j[ORDER + 1], px[ORDER + 1], py[ORDER + 1];
  double work[ORDER + 1], friction[ORDER + 1];
} series;

static void multiply_block(const ct_impulse_point *point, const double q[3], double r[3]) {
  for (int i = 0; i < 3; i++) r[i] = ct_dot3(point->k[i], q);
}

static void end_compression(impact_path *f) {
  assert(!f->separating);
  f->u[0] = 0.0;
  f->separating = true;
  f->end = (1.0 + f->point->restitution) * f->p[0];
  f->compression_work = f->normal_work;
  f->done = f->point->restitution == 0.0;
}

/* Returns the work that restitution still has to do, for restitution by the normal work
 * (Stronge). */
static double remaining_restitution_work(const impact_path *f) {
  double e = f->point->restitution;
  return ct_max2(-e * e * f->compression_work - (f->normal_work - f->compression_work), 0.0);
}

/* ---- sticking and constant slip direction ---------------------------------------------------- */

/* Returns the normal impulse from now to the end of restitution if the normal velocity changes at
 * the constant rate `rate` with it; INFINITY if the end is never reached. */
static double line_length_to_end(const impact_path *f, double rate) {
  if (!f->energetic) return ct_max2(f->end - f->p[0], 0.0);
  double w = remaining_restitution_work(f), square = f->u[0] * f->u[0] + 2.0 * rate * w;
  if (w == 0.0) return 0.0;
  return square < 0.0 ? INFINITY : 2.0 * w / (f->u[0] + sqrt(square));
}

static void move_along_line(impact_path *f, const double q[3], const double r[3], double length) {
  for (int i = 0; i < 3; i++) {
    double work = q[i] * length * (f->u[i] + 0.5 * r[i] * length);
    *(i == 0 ? &f->normal_work : &f->friction_work) += work;
    f->p[i] += q[i] * length;
    f->u[i] += r[i] * length;
  }
}

/* Advances the impact with the constant impulse direction q, by a normal impulse of at most `most`,
 * or to its end. False: the impact does not end. */
static bool follow_line(impact_path *f, const double q[3], double most) {
  double r[3];
  multiply_block(f->point, q, r);
  /* Compression and restitution may each occur twice if friction presses the bodies together
   * again. */
  for (int event = 0; event < 4 && !f->done; event++) {
    double to_zero = f->u[0] * r[0] < 0.0 ? -f->u[0] / r[0] : INFINITY;
    double to_end = f->separating ? line_length_to_end(f, r[0]) : INFINITY,
           length = ct_min2(ct_min2(to_zero, to_end), most);
    if (!(length < INFINITY)) return false;
    move_along_line(f, q, r, length);
    most -= length;
    if (f->separating && length == to_end) f->done = true;
    else if (length == to_zero && !f->separating) end_compression(f);
    else if (length == to_zero) f->separating = false, f->u[0] = 0.0;
    else break;
  }
  return true;
}

/* ---- series ---------------------------------------------------------------------------------- */

static double series_product(const double *a, const double *b, int k) {
  double sum = 0.0;
  for (int i = 0; i <= k; i++) sum += a[i] * b[k - i];
  return sum;
}

static void expand_series(const impact_path *f, series *c) {
  const double(*k)[3] = f->point->k;
  double mu = f->point->dynamic_friction;
  c->x[0] = f->u[1], c->y[0] = f->u[2], c->v[0] = f->u[0];
  c->j[0] = f->p[0], c->px[0] = f->p[1], c->py[0] = f->p[2];
  c->work[0] = f->normal_work, c->friction[0] = f->friction_work;
  for (int i = 0; i <= ORDER; i++) {
    c->square[i] = series_product(c->x, c->x, i) + series_product(c->y, c->y, i);
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
    c->work[i + 1] = series_product(c->v, c->s, i) / n;
    c->friction[i + 1] = -mu * c->square[i] / n;
  }
}

static double evaluate_series(const double *c, double t) {
  double sum = c[ORDER];
  for (int i = ORDER - 1; i >= 0; i--) sum = sum * t + c[i];
  return sum;
}

static double evaluate_series_slope(const double *c, double t) {
  double sum = ORDER * c[ORDER];
  for (int i = ORDER - 1; i >= 1; i--) sum = sum * t + i * c[i];
  return sum;
}

/* Returns the longest step, a power of two, for which the last four terms of the series are below
 * round-off. */
static double series_step(const series *c) {
  assert(c->s[0] > 0.0);
  int exponent = STEP_EXPONENT_MAX;
  for (int i = ORDER - 3; i <= ORDER; i++) {
    double term = ct_max2(ct_max2(fabs(c->x[i]), fabs(c->y[i])), fabs(c->s[i])),
           limit = TERM_PART * c->s[0];
    while (exponent > -STEP_EXPONENT_MAX && ldexp(term, exponent * i) > limit) exponent--;
  }
  return ldexp(1.0, exponent);
}

/* Returns the t in [from, to] at which the series c crosses `level`: from below for sign 1, from
 * above for sign -1. Newton's method, safeguarded by bisection. */
static double find_series_root(const double *c, double level, double from, double to, double sign) {
  double t = to;
  for (int i = 0; i < ROOT_STEPS; i++) {
    double now = sign * (evaluate_series(c, t) - level), rate = sign * evaluate_series_slope(c, t),
           next = t - now / rate;
    if (now < 0.0) from = t;
    else to = t;
    if (!(next > from && next < to)) next = from + 0.5 * (to - from);
    if (next == t || next <= from || next >= to) break;
    t = next;
  }
  return t;
}

/* Returns the first t within the step at which the normal velocity changes its sign (sign 1: a
 * separation ends, -1: an approach ends); INFINITY if there is none. */
static double find_sign_change(const series *c, double step, double sign) {
  if (sign * evaluate_series(c->v, step) <= 0.0)
    return find_series_root(c->v, 0.0, 0.0, step, -sign);
  if (!(sign * evaluate_series_slope(c->v, 0.0) < 0.0 &&
        sign * evaluate_series_slope(c->v, step) > 0.0))
    return INFINITY;
  /* The velocity first moves towards zero and then away from it within the step: test its
   * extremum. */
  double from = 0.0, to = step;
  for (int i = 0; i < ROOT_STEPS; i++) {
    double middle = from + 0.5 * (to - from);
    if (middle <= from || middle >= to) break;
    *(sign * evaluate_series_slope(c->v, middle) < 0.0 ? &from : &to) = middle;
  }
  return sign * evaluate_series(c->v, from) <= 0.0 ? find_series_root(c->v, 0.0, 0.0, from, -sign)
                                                   : INFINITY;
}

/* Advances a sliding contact by one step, or to the next event if that is earlier. */
static void make_slide_step(impact_path *f) {
  series c;
  expand_series(f, &c);
  double step = series_step(&c), turn = INFINITY, end = INFINITY;
  if (!f->separating || f->u[0] > 0.0 || c.v[1] > 0.0)
    turn = find_sign_change(&c, step, f->separating ? 1.0 : -1.0);
  if (f->separating) {
    const double *gauge = f->energetic ? c.work : c.j;
    double level = f->energetic ? f->normal_work + remaining_restitution_work(f) : f->end;
    double first = ct_min2(step, turn);
    if (evaluate_series(gauge, first) >= level)
      end = find_series_root(gauge, level, 0.0, first, 1.0);
  }
  double t = ct_min2(ct_min2(step, turn), end);
  f->u[0] = evaluate_series(c.v, t), f->u[1] = evaluate_series(c.x, t),
  f->u[2] = evaluate_series(c.y, t);
  f->p[0] = evaluate_series(c.j, t), f->p[1] = evaluate_series(c.px, t),
  f->p[2] = evaluate_series(c.py, t);
  f->normal_work = evaluate_series(c.work, t), f->friction_work = evaluate_series(c.friction, t);
  if (t == end) f->done = true;
  else if (t == turn && !f->separating) end_compression(f);
  else if (t == turn) f->separating = false, f->u[0] = 0.0;
}

/* ---- phases of an impact --------------------------------------------------------------------- */

/* Advances the impact until the slip stops. False: the impact ends first, or neither occurs within
 * STEPS_MAX steps. */
static bool follow_slide(impact_path *f, uint64_t *steps) {
  const double(*k)[3] = f->point->k;
  double mu = f->point->dynamic_friction;
  for (*steps = 0; *steps < STEPS_MAX && !f->done; ++*steps) {
    double s = sqrt(f->u[1] * f->u[1] + f->u[2] * f->u[2]);
    if (s <= SLIP_NONE) break;
    double x = f->u[1] / s, y = f->u[2] / s, q[3] = {1.0, -mu * x, -mu * y}, r[3];
    multiply_block(f->point, q, r);
    double along = r[1] * x + r[2] * y, across = r[2] * x - r[1] * y;
    double size =
        fabs(k[1][0]) + fabs(k[2][0]) + mu * (fabs(k[1][1]) + 2.0 * fabs(k[1][2]) + fabs(k[2][2]));
    if (fabs(across) > STRAIGHT_PART * size && mu > 0.0) {
      make_slide_step(f);
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

/* Computes the tangential impulse per normal impulse that keeps a sticking contact from
 * slipping. */
static void sticking_rate(const double k[3][3], double rate[2]) {
  double determinant = k[1][1] * k[2][2] - k[1][2] * k[1][2];
  rate[0] = -(k[2][2] * k[1][0] - k[1][2] * k[2][0]) / determinant;
  rate[1] = -(k[1][1] * k[2][0] - k[1][2] * k[1][0]) / determinant;
}

/* Finds the unit direction d in which slip begins, with K_tn - mu K_tt d = g d for a rate g > 0.
 * The length of (g + mu K_tt)^-1 K_tn decreases with g, and is more than 1 at g = 0, where friction
 * cannot maintain sticking; the g sought makes it 1. The reciprocal of the length is nearly linear
 * in g, which suits Newton's method. */
static void find_slip_direction(const double k[3][3], double mu, double d[2]) {
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

/* Advances the impact after the slip has stopped, to its end. `pressed`: the slip pressed the
 * bodies together, so sticking is reported as a jam. False: the impact does not end. */
static bool continue_from_rest(impact_path *f, bool pressed, ct_impulse_outcome *outcome) {
  double rate[2], d[2], mu = f->point->dynamic_friction;
  sticking_rate(f->point->k, rate);
  if (sqrt(rate[0] * rate[0] + rate[1] * rate[1]) <= f->point->static_friction) {
    *outcome = pressed ? CT_IMPULSE_OUTCOME_JAM : CT_IMPULSE_OUTCOME_STICK;
    double line[3] = {1.0, rate[0], rate[1]};
    bool ended = follow_line(f, line, INFINITY);
    f->u[1] = f->u[2] = 0.0;
    return ended;
  }
  *outcome = CT_IMPULSE_OUTCOME_REVERSE;
  find_slip_direction(f->point->k, mu, d);
  double line[3] = {1.0, -mu * d[0], -mu * d[1]};
  return follow_line(f, line, INFINITY);
}

/* Computes the impulse with friction integrated through the impact. Restitution is by Poisson or,
 * if `energetic`, by the normal work (Stronge). Values must be of the order of 1. */
static void follow_impact(const ct_impulse_point *point, bool energetic,
                          ct_impulse_answer *answer) {
  assert(point->static_friction > 0.0);
  impact_path f = {.point = point, .energetic = energetic};
  memcpy(f.u, point->u, sizeof f.u);
  double s = sqrt(f.u[1] * f.u[1] + f.u[2] * f.u[2]), mu = point->dynamic_friction;
  bool slips = s > SLIP_NONE;
  double x = slips ? f.u[1] / s : 0.0, y = slips ? f.u[2] / s : 0.0;
  bool pressed = slips && point->k[0][0] - mu * (point->k[0][1] * x + point->k[0][2] * y) <= 0.0;
  answer->outcome = CT_IMPULSE_OUTCOME_SLIDE;
  bool stopped = !slips || follow_slide(&f, &answer->steps), ended = f.done;
  if (stopped) ended = continue_from_rest(&f, pressed, &answer->outcome);
  /* For a positive definite K, a slip that presses the bodies together stops. If it was not found
   * to stop, the cause is round-off: continue as if it had. */
  if (!ended) {
    f.u[1] = f.u[2] = 0.0;
    (void)continue_from_rest(&f, true, &answer->outcome);
  }
  memcpy(answer->p, f.p, sizeof f.p);
  double gained = point_energy_change(point, f.p),
         size = fabs(ct_dot3(f.p, point->u)) - f.normal_work - f.friction_work;
  answer->residual = size > 0.0 ? fabs(gained - (f.normal_work + f.friction_work)) / size : 0.0;
  answer->converged = ended;
  answer->integrated = true;
}

/* ---- laws ------------------------------------------------------------------------------------ */

/* Solves K p = w for a positive definite K, by factors L D L^T without pivoting. */
static void solve_symmetric(const double k[3][3], const double w[3], double p[3]) {
  double l10 = k[1][0] / k[0][0], l20 = k[2][0] / k[0][0];
  double d1 = k[1][1] - l10 * k[1][0], e = k[2][1] - l20 * k[1][0], l21 = e / d1,
         d2 = k[2][2] - l20 * k[2][0] - l21 * e;
  double y1 = w[1] - l10 * w[0], y2 = w[2] - l20 * w[0] - l21 * y1;
  p[2] = y2 / d2;
  p[1] = y1 / d1 - l21 * p[2];
  p[0] = (w[0] - k[0][1] * p[1] - k[0][2] * p[2]) / k[0][0];
}

/* Returns the error of the normal velocity after the impact against the law of restitution and, if
 * `sticks`, of the slip against zero, relative to the velocity before. */
static double law_violation(const ct_impulse_point *point, const double p[3], bool sticks) {
  double u[3], size = ct_max2(fabs(point->u[0]), ct_max2(fabs(point->u[1]), fabs(point->u[2])));
  velocity_after(point, p, u);
  double most = fabs(u[0] + point->restitution * point->u[0]);
  if (sticks) most = ct_max2(most, ct_max2(fabs(u[1]), fabs(u[2])));
  return most / size;
}

static void apply_frictionless_law(const ct_impulse_point *point, ct_impulse_answer *answer) {
  answer->p[0] = -(1.0 + point->restitution) * point->u[0] / point->k[0][0];
  answer->outcome = CT_IMPULSE_OUTCOME_FRICTIONLESS;
  answer->residual = law_violation(point, answer->p, false);
}

/* Tries sticking, then sliding in the direction of slip before the impact; if both contradict the
 * law, integrates friction through the impact. */
static void apply_algebraic_law(const ct_impulse_point *point, ct_impulse_answer *answer) {
  double *p = answer->p,
         wanted[3] = {-(1.0 + point->restitution) * point->u[0], -point->u[1], -point->u[2]};
  solve_symmetric(point->k, wanted, p);
  double tangential = sqrt(p[1] * p[1] + p[2] * p[2]),
         slip = sqrt(point->u[1] * point->u[1] + point->u[2] * point->u[2]);
  answer->outcome = CT_IMPULSE_OUTCOME_STICK;
  answer->residual = law_violation(point, p, true);
  if (p[0] >= 0.0 && tangential <= point->static_friction * p[0]) return;

  /* (x, y): direction of the slip before the impact or, if there is none, in which it would
   * begin. */
  bool slips = slip > point->slip_tolerance;
  double x = slips ? point->u[1] / slip : -p[1] / tangential,
         y = slips ? point->u[2] / slip : -p[2] / tangential;
  double mu = point->dynamic_friction, q[3] = {1.0, -mu * x, -mu * y}, u[3];
  double rate = ct_dot3(point->k[0], q), normal = -(1.0 + point->restitution) * point->u[0] / rate;
  bool answers = rate > ANSWER_PART * point->k[0][0];
  for (int i = 0; i < 3; i++) p[i] = normal * q[i];
  velocity_after(point, p, u);
  answer->outcome = CT_IMPULSE_OUTCOME_SLIDE;
  answer->residual = law_violation(point, p, false);
  if (!answers || u[1] * x + u[2] * y < 0.0) follow_impact(point, false, answer);
}

/* Computes the impulse as for point masses: the tangential velocity changes by at most mu times the
 * change of the normal velocity. Reports whether rotation was ignored. */
static void apply_point_mass_law(const ct_impulse_point *point, ct_impulse_answer *answer) {
  double normal = -(1.0 + point->restitution) * point->u[0] / point->inverse_mass;
  double slip = sqrt(point->u[1] * point->u[1] + point->u[2] * point->u[2]),
         tangential = slip / point->inverse_mass, part = 0.0;
  bool sticks = tangential <= point->static_friction * normal;
  if (slip > 0.0)
    part = sticks ? 1.0 / point->inverse_mass : point->dynamic_friction * normal / slip;
  answer->p[0] = normal;
  answer->p[1] = -part * point->u[1];
  answer->p[2] = -part * point->u[2];
  answer->outcome = sticks ? CT_IMPULSE_OUTCOME_STICK : CT_IMPULSE_OUTCOME_SLIDE;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double straight = i == j ? point->inverse_mass : 0.0;
      if (fabs(point->k[i][j] - straight) > COUPLING_PART * point->inverse_mass)
        answer->rotation_ignored = true;
    }
}

/* True if K is singular to round-off, as for a heavy body of very small extent on a long lever. The
 * tangential impulse that stops its slip is then undetermined. */
static bool is_block_singular(const double k[3][3]) {
  double left1 = k[1][1] - k[1][0] * k[1][0] / k[0][0],
         cross = k[2][1] - k[2][0] * k[1][0] / k[0][0];
  double left2 = k[2][2] - k[2][0] * k[2][0] / k[0][0] - cross * cross / left1;
  return !(left1 > SINGULAR_PART * k[1][1] && left2 > SINGULAR_PART * k[2][2]);
}

static ct_impulse_answer apply_impulse_law(const ct_impulse_point *point, ct_impulse_law law) {
  ct_impulse_answer answer = {.converged = true, .theta = 1.0};
  bool friction = point->static_friction > 0.0, singular = friction && is_block_singular(point->k);
  answer.converged = !singular;
  if (!friction || singular) apply_frictionless_law(point, &answer);
  else if (law == CT_IMPULSE_POINT_MASS) apply_point_mass_law(point, &answer);
  else if (law == CT_IMPULSE_ALGEBRAIC) apply_algebraic_law(point, &answer);
  else follow_impact(point, law == CT_IMPULSE_ENERGETIC, &answer);
  return answer;
}

/* If the impulse increases the energy, moves it towards the plastic impulse (without restitution)
 * until the energy does not increase; towards zero if the plastic impulse increases the energy
 * too. */
static void guard_point_energy(const ct_impulse_point *point, ct_impulse_law law,
                               ct_impulse_answer *answer) {
  double given = point_energy_change(point, answer->p), size = fabs(ct_dot3(answer->p, point->u));
  if (!(given > CT_ENERGY_ROUNDOFF * size)) return;
  ct_impulse_point plastic_point = *point;
  plastic_point.restitution = 0.0;
  ct_impulse_answer plastic = apply_impulse_law(&plastic_point, law);
  double c = point_energy_change(point, plastic.p), d[3], u[3], moved[3];
  if (c > 0.0) memset(plastic.p, 0, sizeof plastic.p), c = 0.0;
  for (int i = 0; i < 3; i++) d[i] = answer->p[i] - plastic.p[i];
  velocity_after(point, plastic.p, u);
  for (int i = 0; i < 3; i++) moved[i] = ct_dot3(point->k[i], d);
  answer->guarded = true;
  answer->theta = ct_impulse_theta(0.5 * ct_dot3(d, moved), ct_dot3(d, u), c);
  for (int i = 0; i < 3; i++) answer->p[i] = plastic.p[i] + answer->theta * d[i];
}

static int greatest_exponent(const double *v, int count) {
  double most = 0.0;
  for (int i = 0; i < count; i++) most = ct_max2(most, fabs(v[i]));
  int exponent = 0;
  (void)frexp(most, &exponent);
  return exponent;
}

void ct_impulse_at_point(const ct_impulse_point *point, ct_impulse_law law, bool guard,
                         ct_impulse_answer *answer) {
  ct_impulse_point scaled = *point;
  int exponent_k = greatest_exponent(&point->k[0][0], 9),
      exponent_u = greatest_exponent(point->u, 3);
  if (point->k[0][0] <= 0.0) {
    *answer = (ct_impulse_answer){
        .converged = true, .theta = 1.0, .outcome = CT_IMPULSE_OUTCOME_IMMOVABLE};
    return;
  }
  assert(point->u[0] < 0.0);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) scaled.k[i][j] = ldexp(point->k[i][j], -exponent_k);
    scaled.u[i] = ldexp(point->u[i], -exponent_u);
  }
  scaled.slip_tolerance = ldexp(point->slip_tolerance, -exponent_u);
  scaled.inverse_mass = ldexp(point->inverse_mass, -exponent_k);
  *answer = apply_impulse_law(&scaled, law);
  if (guard) guard_point_energy(&scaled, law, answer);
  for (int i = 0; i < 3; i++) answer->p[i] = ldexp(answer->p[i], exponent_u - exponent_k);
}
