/* One contact: without friction, by sticking or sliding, or followed through the impact; the
 * slide's point masses; the energy guard.
 *
 * Numbers are brought to the order of 1 by powers of two before, so that other units change no bit
 * of the answer.
 */
#include "impulse/impulse.h"

#include <string.h>

/* A slide whose normal velocity hardly answers to its impulse, relative to the normal one alone, is
 * followed instead. */
#define ANSWER_PART 1e-12
/* Least pivot of K that counts, relative to its diagonal: what is left after four digits of
 * sixteen. */
#define SINGULAR_PART 1e-12
/* Coupling of rotation that is round-off of the frame, relative to the inverse mass. */
#define COUPLING_PART (64.0 * CT_UNIT_ROUNDOFF)

/* ---- frames --------------------------------------------------------------------------------- */

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

/* ---- energy --------------------------------------------------------------------------------- */

static void after(const ct_impulse_point *point, const double p[3], double u[3]) {
  for (int i = 0; i < 3; i++) u[i] = point->u[i] + ct_dot3(point->k[i], p);
}

double ct_impulse_energy(const ct_impulse_point *point, const double p[3]) {
  double u[3];
  after(point, p, u);
  return 0.5 * (ct_dot3(p, point->u) + ct_dot3(p, u));
}

double ct_impulse_theta(double a, double b, double c) {
  double square = ct_max2(b * b - 4.0 * a * c, 0.0), theta = 0.0;
  if (b > 0.0) theta = -2.0 * c / (b + sqrt(square));
  else if (a > 0.0) theta = (sqrt(square) - b) / (2.0 * a);
  return ct_min2(ct_max2(theta, 0.0), 1.0);
}

/* ---- laws ----------------------------------------------------------------------------------- */

/* P with K P = w: K is positive definite, factors without pivots. */
static void solve(const double k[3][3], const double w[3], double p[3]) {
  double l10 = k[1][0] / k[0][0], l20 = k[2][0] / k[0][0];
  double d1 = k[1][1] - l10 * k[1][0], e = k[2][1] - l20 * k[1][0], l21 = e / d1,
         d2 = k[2][2] - l20 * k[2][0] - l21 * e;
  double y1 = w[1] - l10 * w[0], y2 = w[2] - l20 * w[0] - l21 * y1;
  p[2] = y2 / d2;
  p[1] = y1 / d1 - l21 * p[2];
  p[0] = (w[0] - k[0][1] * p[1] - k[0][2] * p[2]) / k[0][0];
}

/* How far the normal velocity is from what restitution asks for, and the slip from none; relative
 * to the velocity before. */
static double miss(const ct_impulse_point *point, const double p[3], bool sticks) {
  double u[3], size = ct_max2(fabs(point->u[0]), ct_max2(fabs(point->u[1]), fabs(point->u[2])));
  after(point, p, u);
  double most = fabs(u[0] + point->restitution * point->u[0]);
  if (sticks) most = ct_max2(most, ct_max2(fabs(u[1]), fabs(u[2])));
  return most / size;
}

static void along_normal(const ct_impulse_point *point, ct_impulse_answer *answer) {
  answer->p[0] = -(1.0 + point->restitution) * point->u[0] / point->k[0][0];
  answer->outcome = CT_IMPULSE_OUTCOME_FRICTIONLESS;
  answer->residual = miss(point, answer->p, false);
}

/* Stick, else slide as before the impact, else follow the slip. */
static void algebraic(const ct_impulse_point *point, ct_impulse_answer *answer) {
  double *p = answer->p,
         wanted[3] = {-(1.0 + point->restitution) * point->u[0], -point->u[1], -point->u[2]};
  solve(point->k, wanted, p);
  double held = sqrt(p[1] * p[1] + p[2] * p[2]),
         slip = sqrt(point->u[1] * point->u[1] + point->u[2] * point->u[2]);
  answer->outcome = CT_IMPULSE_OUTCOME_STICK;
  answer->residual = miss(point, p, true);
  if (p[0] >= 0.0 && held <= point->static_friction * p[0]) return;

  /* The direction of the slip, or the one that it would take. */
  bool slips = slip > point->slip_tolerance;
  double x = slips ? point->u[1] / slip : -p[1] / held,
         y = slips ? point->u[2] / slip : -p[2] / held;
  double mu = point->dynamic_friction, q[3] = {1.0, -mu * x, -mu * y}, u[3];
  double rate = ct_dot3(point->k[0], q), normal = -(1.0 + point->restitution) * point->u[0] / rate;
  bool answers = rate > ANSWER_PART * point->k[0][0];
  for (int i = 0; i < 3; i++) p[i] = normal * q[i];
  after(point, p, u);
  answer->outcome = CT_IMPULSE_OUTCOME_SLIDE;
  answer->residual = miss(point, p, false);
  if (!answers || u[1] * x + u[2] * y < 0.0) ct_impulse_path(point, false, answer);
}

/* Bodies as points: the change of velocity along the tangent is at most mu times that along the
 * normal (seed 004, slide 58). */
static void point_mass(const ct_impulse_point *point, ct_impulse_answer *answer) {
  double normal = -(1.0 + point->restitution) * point->u[0] / point->inverse_mass;
  double slip = sqrt(point->u[1] * point->u[1] + point->u[2] * point->u[2]),
         held = slip / point->inverse_mass, part = 0.0;
  bool sticks = held <= point->static_friction * normal;
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

/* K that a body of great mass and hardly any size has for a long lever: what impulse stops its slip
 * is lost in round-off. */
static bool is_singular(const double k[3][3]) {
  double left1 = k[1][1] - k[1][0] * k[1][0] / k[0][0],
         cross = k[2][1] - k[2][0] * k[1][0] / k[0][0];
  double left2 = k[2][2] - k[2][0] * k[2][0] / k[0][0] - cross * cross / left1;
  return !(left1 > SINGULAR_PART * k[1][1] && left2 > SINGULAR_PART * k[2][2]);
}

static ct_impulse_answer by_law(const ct_impulse_point *point, ct_impulse_law law) {
  ct_impulse_answer answer = {.converged = true, .theta = 1.0};
  bool friction = point->static_friction > 0.0, singular = friction && is_singular(point->k);
  answer.converged = !singular;
  if (!friction || singular) along_normal(point, &answer);
  else if (law == CT_IMPULSE_POINT_MASS) point_mass(point, &answer);
  else if (law == CT_IMPULSE_ALGEBRAIC) algebraic(point, &answer);
  else ct_impulse_path(point, law == CT_IMPULSE_ENERGETIC, &answer);
  return answer;
}

/* Draws an impulse by which energy grows back to where it does not: towards the plastic one, or,
 * where even that lets it grow, towards none. */
static void keep_energy(const ct_impulse_point *point, ct_impulse_law law,
                        ct_impulse_answer *answer) {
  double given = ct_impulse_energy(point, answer->p), size = fabs(ct_dot3(answer->p, point->u));
  if (!(given > CT_ENERGY_ROUNDOFF * size)) return;
  ct_impulse_point plastic_point = *point;
  plastic_point.restitution = 0.0;
  ct_impulse_answer plastic = by_law(&plastic_point, law);
  double c = ct_impulse_energy(point, plastic.p), d[3], u[3], moved[3];
  if (c > 0.0) memset(plastic.p, 0, sizeof plastic.p), c = 0.0;
  for (int i = 0; i < 3; i++) d[i] = answer->p[i] - plastic.p[i];
  after(point, plastic.p, u);
  for (int i = 0; i < 3; i++) moved[i] = ct_dot3(point->k[i], d);
  answer->guarded = true;
  answer->theta = ct_impulse_theta(0.5 * ct_dot3(d, moved), ct_dot3(d, u), c);
  for (int i = 0; i < 3; i++) answer->p[i] = plastic.p[i] + answer->theta * d[i];
}

static int exponent_of(const double *v, int count) {
  double most = 0.0;
  for (int i = 0; i < count; i++) most = ct_max2(most, fabs(v[i]));
  int exponent = 0;
  (void)frexp(most, &exponent);
  return exponent;
}

void ct_impulse_at_point(const ct_impulse_point *point, ct_impulse_law law, bool guard,
                         ct_impulse_answer *answer) {
  ct_impulse_point scaled = *point;
  int of_k = exponent_of(&point->k[0][0], 9), of_u = exponent_of(point->u, 3);
  if (point->k[0][0] <= 0.0) {
    *answer = (ct_impulse_answer){
        .converged = true, .theta = 1.0, .outcome = CT_IMPULSE_OUTCOME_IMMOVABLE};
    return;
  }
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) scaled.k[i][j] = ldexp(point->k[i][j], -of_k);
    scaled.u[i] = ldexp(point->u[i], -of_u);
  }
  scaled.slip_tolerance = ldexp(point->slip_tolerance, -of_u);
  scaled.inverse_mass = ldexp(point->inverse_mass, -of_k);
  *answer = by_law(&scaled, law);
  if (guard) keep_energy(&scaled, law, answer);
  for (int i = 0; i < 3; i++) answer->p[i] = ldexp(answer->p[i], of_u - of_k);
}
