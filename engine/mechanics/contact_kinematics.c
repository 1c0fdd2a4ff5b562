/* Relative velocity at a contact, and the acceleration of its gap without contact forces.
 *
 * Two surfaces touch with normal n. Their material points separate at u, and the bodies rotate at
 * w. While the gap g is tracked, n changes at a tangential rate v, and the closest point of
 * surface X moves over X by W_X (v + k_X), where k_X = n x w_X is the negative rate of n if it
 * rotated with X. Then g'' = n.(acc_b - acc_a) + max over v of 2 v.u - sum over X of (v + k_X).W_X
 * (v + k_X), as the gap is the maximum over all normals (support functions: Schneider 2014, 1.7).
 *
 * A face fixes v = -k_X. A line along e has v.e = -k_X.e, as n stays normal to it. A vertex has W
 * = 0. The added terms are 2 v.u for a vertex on a face and for two crossing edges, and for smooth
 * bodies -k_a.W_a k_a - k_b.W_b k_b + q.(W_a + W_b)^+ q with q = u - W_a k_a - W_b k_b. An edge in
 * a face, or parallel edges, of bodies that rotate against each other require more than two
 * numbers can satisfy: their gap has a kink instead of a curvature. Such contacts have several
 * points, and only the terms common to both surfaces are included.
 */
#include <contact/mechanics.h>

#include <assert.h>

/* ---- velocity -------------------------------------------------------------------------------- */

/* Velocity of a body's material point at a world position. */
static ct_vec3 compute_point_velocity(const ct_mass_body *body, ct_vec3 at) {
  return ct_add(body->velocity.linear, ct_cross(body->velocity.angular, ct_sub(at, body->center)));
}

ct_contact_velocity ct_contact_relative_velocity(const ct_contact_set *set,
                                                 const ct_contact *contact, double tolerance) {
  ct_contact_velocity v = {.velocity_class = CT_CLASS_RESTING};
  if (contact->a >= set->body_count || contact->b >= set->body_count) return v;
  v.relative = ct_sub(compute_point_velocity(&set->bodies[contact->b], contact->position),
                      compute_point_velocity(&set->bodies[contact->a], contact->position));
  v.normal = ct_dot(contact->normal, v.relative);
  v.tangential = ct_add_scaled(v.relative, contact->normal, -v.normal);
  v.slip = ct_norm(v.tangential);
  v.velocity_class = v.normal > tolerance    ? CT_CLASS_SEPARATING
                     : v.normal < -tolerance ? CT_CLASS_COLLIDING
                                             : CT_CLASS_RESTING;
  v.sliding = v.slip > tolerance;
  return v;
}

/* ---- acceleration of the gap ----------------------------------------------------------------- */

/* Sine of the angle between two lines: below the first they count as parallel, above the second as
 * crossing, and in between the rate of the normal is interpolated. */
#define CROSSING_NONE 1e-6
#define CROSSING_FULL 1e-5
/* A radius below this part of the largest one is round-off and counts as zero. */
#define FLAT_PART 1e-12

/* Vector in the tangent plane. */
typedef struct flat {
  double x, y;
} flat;

/* A surface at the contact: its form, k, and W; for a line W of the direction across it. */
typedef struct bend {
  ct_surface_form form;
  flat k, line;
  double radius;     /* LINE */
  double xx, xy, yy; /* W */
} bend;

typedef struct meeting {
  bend a, b;
  flat u;
} meeting;

static double flat_dot(flat p, flat q) { return p.x * q.x + p.y * q.y; }
static flat flat_add_scaled(flat p, flat q, double s) {
  return (flat){p.x + s * q.x, p.y + s * q.y};
}
static flat flat_across(flat e) { return (flat){-e.y, e.x}; }
static flat apply_curvature(const bend *s, flat v) {
  return (flat){s->xx * v.x + s->xy * v.y, s->xy * v.x + s->yy * v.y};
}

static bend surface_bend(const ct_surface *surface, ct_vec3 turning, const ct_vec3 frame[3]) {
  ct_vec3 k = ct_cross(frame[0], turning);
  bend s = {.form = surface->form, .k = {ct_dot(frame[1], k), ct_dot(frame[2], k)}};
  if (s.form == CT_SURFACE_CURVED) {
    ct_vec3 wx = ct_mat_mul(surface->radii, frame[1]), wy = ct_mat_mul(surface->radii, frame[2]);
    s.xx = ct_dot(frame[1], wx);
    s.xy = ct_dot(frame[1], wy);
    s.yy = ct_dot(frame[2], wy);
  } else if (s.form == CT_SURFACE_LINE) {
    flat e = {ct_dot(frame[1], surface->line), ct_dot(frame[2], surface->line)};
    double length = sqrt(flat_dot(e, e));
    s.form = length > CROSSING_NONE ? CT_SURFACE_LINE : CT_SURFACE_POINT;
    if (s.form == CT_SURFACE_LINE) s.line = (flat){e.x / length, e.y / length};
    flat t = flat_across(s.line);
    s.radius = surface->radius;
    s.xx = s.radius * (t.x * t.x);
    s.xy = s.radius * (t.x * t.y);
    s.yy = s.radius * (t.y * t.y);
  }
  return s;
}

/* Term of the closest point's motion over the surface: (v + k).W (v + k). */
static double running_term(const bend *s, flat v) {
  if (s->form == CT_SURFACE_FACE) return 0.0;
  flat d = flat_add_scaled(v, s->k, 1.0);
  return flat_dot(d, apply_curvature(s, d));
}

/* Rate of the normal that rotates with a face; the mean for two faces without a known vertex or
 * edge. */
static flat face_normal_rate(const meeting *m) {
  assert(m->a.form == CT_SURFACE_FACE || m->b.form == CT_SURFACE_FACE);
  bool both = m->a.form == m->b.form;
  const bend *face = m->a.form == CT_SURFACE_FACE ? &m->a : &m->b;
  if (!both) return (flat){-face->k.x, -face->k.y};
  return (flat){-0.5 * (m->a.k.x + m->b.k.x), -0.5 * (m->a.k.y + m->b.k.y)};
}

/* Optimal rate from v along direction t. Without curvature along t no optimum exists, and v is
 * returned. */
static flat best_normal_rate_along(const meeting *m, flat v, flat t) {
  double bent = flat_dot(t, apply_curvature(&m->a, t)) + flat_dot(t, apply_curvature(&m->b, t));
  double scale = m->a.xx + m->a.yy + m->b.xx + m->b.yy;
  if (!(bent > FLAT_PART * scale)) return v;
  flat run_a = apply_curvature(&m->a, flat_add_scaled(v, m->a.k, 1.0)),
       run_b = apply_curvature(&m->b, flat_add_scaled(v, m->b.k, 1.0));
  double slope = flat_dot(t, m->u) - flat_dot(t, run_a) - flat_dot(t, run_b);
  return flat_add_scaled(v, t, slope / bent);
}

/* Rate of a normal that stays normal to the line; its rotation about the line is the optimal one.
 */
static flat line_normal_rate(const meeting *m) {
  assert((m->a.form == CT_SURFACE_LINE) != (m->b.form == CT_SURFACE_LINE));
  const bend *line = m->a.form == CT_SURFACE_LINE ? &m->a : &m->b;
  flat v = {-flat_dot(line->k, line->line) * line->line.x,
            -flat_dot(line->k, line->line) * line->line.y};
  return best_normal_rate_along(m, v, flat_across(line->line));
}

/* Rate of a normal that stays normal to both lines, which determines it if they cross. Parallel
 * lines share the mean. */
static flat crossing_lines_normal_rate(const meeting *m) {
  assert(m->a.form == CT_SURFACE_LINE && m->b.form == CT_SURFACE_LINE);
  flat e = m->a.line, t = flat_across(e);
  double sine = flat_dot(t, m->b.line),
         apart = flat_dot(m->a.k, m->b.line) - flat_dot(m->b.k, m->b.line);
  double full = (fabs(sine) - CROSSING_NONE) / (CROSSING_FULL - CROSSING_NONE);
  flat crossing = {-m->a.k.x, -m->a.k.y};
  if (full > 0.0) crossing = flat_add_scaled(crossing, t, apart / sine);
  if (full >= 1.0) return crossing;
  double along = -0.5 * (flat_dot(m->a.k, e) + flat_dot(m->b.k, e));
  flat v = best_normal_rate_along(m, (flat){along * e.x, along * e.y}, t);
  return full > 0.0 ? flat_add_scaled(v, flat_add_scaled(crossing, v, -1.0), full) : v;
}

/* q.W^+ q for W = W_a + W_b, by its principal radii (Golub, Van Loan 2013, 8.5.2: the smaller
 * angle). */
static double apply_inverse_curvature(const meeting *m, flat q) {
  double xx = m->a.xx + m->b.xx, xy = m->a.xy + m->b.xy, yy = m->a.yy + m->b.yy;
  flat e = {1.0, 0.0};
  if (xy != 0.0) {
    double half = (yy - xx) / (2.0 * xy),
           t = (half >= 0.0 ? 1.0 : -1.0) / (fabs(half) + sqrt(1.0 + half * half));
    double c = 1.0 / sqrt(1.0 + t * t);
    e = (flat){c, -t * c};
    xx -= t * xy;
    yy += t * xy;
  }
  double least = FLAT_PART * ct_max2(xx, yy), along = flat_dot(e, q),
         rest = flat_dot(flat_across(e), q), sum = 0.0;
  if (xx > least) sum += along * along / xx;
  if (yy > least) sum += rest * rest / yy;
  return sum;
}

static double smooth_gap_terms(const meeting *m) {
  flat run_a = apply_curvature(&m->a, m->a.k), run_b = apply_curvature(&m->b, m->b.k);
  flat q = flat_add_scaled(flat_add_scaled(m->u, run_a, -1.0), run_b, -1.0);
  return apply_inverse_curvature(m, q) - (flat_dot(m->a.k, run_a) + flat_dot(m->b.k, run_b));
}

static double velocity_gap_terms(const meeting *m) {
  bool line_a = m->a.form == CT_SURFACE_LINE, line_b = m->b.form == CT_SURFACE_LINE;
  flat v;
  if (m->a.form == CT_SURFACE_FACE || m->b.form == CT_SURFACE_FACE) v = face_normal_rate(m);
  else if (line_a && line_b) v = crossing_lines_normal_rate(m);
  else if (line_a || line_b) v = line_normal_rate(m);
  else return smooth_gap_terms(m);
  return 2.0 * flat_dot(v, m->u) - running_term(&m->a, v) - running_term(&m->b, v);
}

/* Acceleration of a body's material point at a world position, without contact forces. */
static ct_vec3 compute_point_acceleration(const ct_mass_body *body, ct_vec3 at) {
  ct_vec3 r = ct_sub(at, body->center), w = body->velocity.angular;
  ct_vec3 turning = ct_add(ct_cross(body->angular_acceleration, r), ct_cross(w, ct_cross(w, r)));
  return ct_add(body->linear_acceleration, turning);
}

/* True if the normal is reversed for the computation, so that the result does not depend on which
 * body is a. */
static bool is_normal_reversed(ct_vec3 n) {
  return n.x != 0.0 ? n.x < 0.0 : n.y != 0.0 ? n.y < 0.0 : n.z < 0.0;
}

double ct_contact_free_acceleration(const ct_contact_set *set, const ct_contact *contact,
                                    ct_vec3 *tangential) {
  assert(contact->a < set->body_count && contact->b < set->body_count);
  const ct_mass_body *a = &set->bodies[contact->a], *b = &set->bodies[contact->b];
  ct_vec3 apart = ct_sub(compute_point_acceleration(b, contact->position),
                         compute_point_acceleration(a, contact->position));
  double along = ct_dot(contact->normal, apart);
  if (tangential) *tangential = ct_add_scaled(apart, contact->normal, -along);
  bool turned = is_normal_reversed(contact->normal);
  ct_vec3 frame[3] = {turned ? ct_neg(contact->normal) : contact->normal};
  ct_contact_tangents(frame[0], &frame[1], &frame[2]);
  ct_vec3 u = ct_contact_relative_velocity(set, contact, 0.0).relative;
  if (turned) u = ct_neg(u);
  bend of_a = surface_bend(&contact->surface_a, a->velocity.angular, frame),
       of_b = surface_bend(&contact->surface_b, b->velocity.angular, frame);
  const meeting m = {.a = turned ? of_b : of_a,
                     .b = turned ? of_a : of_b,
                     .u = {ct_dot(frame[1], u), ct_dot(frame[2], u)}};
  return along + velocity_gap_terms(&m);
}
