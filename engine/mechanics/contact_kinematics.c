/* Relative velocity at a contact, and the acceleration of its gap without contact forces.
 *
 * Two surfaces touch with normal n. Their material points separate at the relative velocity u, and
 * the bodies rotate at the angular velocities w_a and w_b. As the closest points move, n changes at
 * a tangential rate v, and the closest point of surface X (a or b) moves over X by W_X (v + k_X).
 * Here W_X is the inverse of the curvature tensor of X (reverse Weingarten map, m), and k_X = n x
 * w_X is minus the rate that n would have if it rotated with X. The gap g has g'' = n.(acc_b -
 * acc_a) + max over v of 2 v.u - sum over X of (v + k_X).W_X (v + k_X), as the gap is the maximum
 * over all normals (support functions: Schneider 2014, 1.7).
 *
 * A face fixes v = -k_X. A line along e fixes v.e = -k_X.e, as n stays normal to it. A vertex has W
 * = 0. The terms added to n.(acc_b - acc_a) are 2 v.u for a vertex on a face and for two crossing
 * edges, and for smooth bodies -k_a.W_a k_a - k_b.W_b k_b + q.(W_a + W_b)^+ q with q = u - W_a k_a
 * - W_b k_b. For an edge in a face, or parallel edges, of bodies that rotate against each other, v
 * would have to satisfy more conditions than it has components: the gap has a kink instead of a
 * curvature. Such contacts have several points, and only the terms common to both surfaces are
 * included. */
#include "mechanics/mechanics.h"

#include <assert.h>

/* ---- velocity -------------------------------------------------------------------------------- */

/* Returns the velocity of a body's material point at a world position. */
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

/* Sines of the angle between two lines: up to CROSSING_NONE they are parallel, from CROSSING_FULL
 * on they cross; in between, the rate of the normal is interpolated. */
#define CROSSING_NONE 1e-6
#define CROSSING_FULL 1e-5
/* A principal radius up to this fraction of the largest is round-off and counts as zero. */
#define FLAT_PART 1e-12

/* A vector in the tangent plane, in the coordinates of ct_contact_tangents. */
typedef struct plane_vec {
  double x, y;
} plane_vec;

/* One surface in the tangent plane: k and W of the head of this file. For a LINE, W = radius t t',
 * with the unit vector t across `line`, the direction of the line. */
typedef struct surface_curvature {
  ct_surface_form form;
  plane_vec k, line;
  double radius;     /* radius of a LINE, m */
  double xx, xy, yy; /* components of the symmetric tensor W, m */
} surface_curvature;

typedef struct surface_pair {
  surface_curvature a, b;
  plane_vec u;
} surface_pair;

static double plane_dot(plane_vec p, plane_vec q) { return p.x * q.x + p.y * q.y; }
static plane_vec plane_add_scaled(plane_vec p, plane_vec q, double s) {
  return (plane_vec){p.x + s * q.x, p.y + s * q.y};
}
static plane_vec plane_perpendicular(plane_vec e) { return (plane_vec){-e.y, e.x}; }
static plane_vec apply_curvature(const surface_curvature *s, plane_vec v) {
  return (plane_vec){s->xx * v.x + s->xy * v.y, s->xy * v.x + s->yy * v.y};
}

static surface_curvature curvature_in_frame(const ct_surface *surface, ct_vec3 turning,
                                            const ct_vec3 frame[3]) {
  ct_vec3 k = ct_cross(frame[0], turning);
  surface_curvature s = {.form = surface->form, .k = {ct_dot(frame[1], k), ct_dot(frame[2], k)}};
  if (s.form == CT_SURFACE_CURVED) {
    ct_vec3 wx = ct_mat_mul(surface->radii, frame[1]), wy = ct_mat_mul(surface->radii, frame[2]);
    s.xx = ct_dot(frame[1], wx);
    s.xy = ct_dot(frame[1], wy);
    s.yy = ct_dot(frame[2], wy);
  } else if (s.form == CT_SURFACE_LINE) {
    plane_vec e = {ct_dot(frame[1], surface->line), ct_dot(frame[2], surface->line)};
    double length = sqrt(plane_dot(e, e));
    s.form = length > CROSSING_NONE ? CT_SURFACE_LINE : CT_SURFACE_POINT;
    if (s.form == CT_SURFACE_LINE) s.line = (plane_vec){e.x / length, e.y / length};
    plane_vec t = plane_perpendicular(s.line);
    s.radius = surface->radius;
    s.xx = s.radius * (t.x * t.x);
    s.xy = s.radius * (t.x * t.y);
    s.yy = s.radius * (t.y * t.y);
  }
  return s;
}

/* Returns (v + k).W (v + k), the term of the closest point's motion over one surface. 0 for a
 * face. */
static double running_term(const surface_curvature *s, plane_vec v) {
  if (s->form == CT_SURFACE_FACE) return 0.0;
  plane_vec d = plane_add_scaled(v, s->k, 1.0);
  return plane_dot(d, apply_curvature(s, d));
}

/* Returns the rate v of a normal that rotates with a face; for two faces, the mean of both. */
static plane_vec face_normal_rate(const surface_pair *m) {
  assert(m->a.form == CT_SURFACE_FACE || m->b.form == CT_SURFACE_FACE);
  bool both = m->a.form == m->b.form;
  const surface_curvature *face = m->a.form == CT_SURFACE_FACE ? &m->a : &m->b;
  if (!both) return (plane_vec){-face->k.x, -face->k.y};
  return (plane_vec){-0.5 * (m->a.k.x + m->b.k.x), -0.5 * (m->a.k.y + m->b.k.y)};
}

/* Returns v + s t with the s that maximises the terms of the gap's acceleration; v itself if the
 * surfaces have no curvature along t, as then no maximum exists. */
static plane_vec best_normal_rate_along(const surface_pair *m, plane_vec v, plane_vec t) {
  double curvature =
      plane_dot(t, apply_curvature(&m->a, t)) + plane_dot(t, apply_curvature(&m->b, t));
  double scale = m->a.xx + m->a.yy + m->b.xx + m->b.yy;
  if (!(curvature > FLAT_PART * scale)) return v;
  plane_vec run_a = apply_curvature(&m->a, plane_add_scaled(v, m->a.k, 1.0)),
            run_b = apply_curvature(&m->b, plane_add_scaled(v, m->b.k, 1.0));
  double slope = plane_dot(t, m->u) - plane_dot(t, run_a) - plane_dot(t, run_b);
  return plane_add_scaled(v, t, slope / curvature);
}

/* Returns the rate v of a normal that stays normal to the line. Its component across the line, a
 * rotation about the line, is the one that maximises the gap's acceleration. */
static plane_vec line_normal_rate(const surface_pair *m) {
  assert((m->a.form == CT_SURFACE_LINE) != (m->b.form == CT_SURFACE_LINE));
  const surface_curvature *line = m->a.form == CT_SURFACE_LINE ? &m->a : &m->b;
  plane_vec v = {-plane_dot(line->k, line->line) * line->line.x,
                 -plane_dot(line->k, line->line) * line->line.y};
  return best_normal_rate_along(m, v, plane_perpendicular(line->line));
}

/* Returns the rate v of a normal that stays normal to both lines, which determines v if the lines
 * cross. For parallel lines the mean of both rates is used along them. */
static plane_vec crossing_lines_normal_rate(const surface_pair *m) {
  assert(m->a.form == CT_SURFACE_LINE && m->b.form == CT_SURFACE_LINE);
  plane_vec e = m->a.line, t = plane_perpendicular(e);
  double sine = plane_dot(t, m->b.line),
         apart = plane_dot(m->a.k, m->b.line) - plane_dot(m->b.k, m->b.line);
  double full = (fabs(sine) - CROSSING_NONE) / (CROSSING_FULL - CROSSING_NONE);
  plane_vec crossing = {-m->a.k.x, -m->a.k.y};
  if (full > 0.0) crossing = plane_add_scaled(crossing, t, apart / sine);
  if (full >= 1.0) return crossing;
  double along = -0.5 * (plane_dot(m->a.k, e) + plane_dot(m->b.k, e));
  plane_vec v = best_normal_rate_along(m, (plane_vec){along * e.x, along * e.y}, t);
  return full > 0.0 ? plane_add_scaled(v, plane_add_scaled(crossing, v, -1.0), full) : v;
}

/* Returns q.W^+ q for W = W_a + W_b with the pseudoinverse W^+, from the principal radii of W
 * (Golub, Van Loan 2013, 8.5.2: the smaller angle). */
static double apply_inverse_curvature(const surface_pair *m, plane_vec q) {
  double xx = m->a.xx + m->b.xx, xy = m->a.xy + m->b.xy, yy = m->a.yy + m->b.yy;
  plane_vec e = {1.0, 0.0};
  if (xy != 0.0) {
    double half = (yy - xx) / (2.0 * xy),
           t = (half >= 0.0 ? 1.0 : -1.0) / (fabs(half) + sqrt(1.0 + half * half));
    double c = 1.0 / sqrt(1.0 + t * t);
    e = (plane_vec){c, -t * c};
    xx -= t * xy;
    yy += t * xy;
  }
  double least = FLAT_PART * ct_max2(xx, yy), along = plane_dot(e, q),
         rest = plane_dot(plane_perpendicular(e), q), sum = 0.0;
  if (xx > least) sum += along * along / xx;
  if (yy > least) sum += rest * rest / yy;
  return sum;
}

static double smooth_gap_terms(const surface_pair *m) {
  plane_vec run_a = apply_curvature(&m->a, m->a.k), run_b = apply_curvature(&m->b, m->b.k);
  plane_vec q = plane_add_scaled(plane_add_scaled(m->u, run_a, -1.0), run_b, -1.0);
  return apply_inverse_curvature(m, q) - (plane_dot(m->a.k, run_a) + plane_dot(m->b.k, run_b));
}

static double velocity_gap_terms(const surface_pair *m) {
  bool line_a = m->a.form == CT_SURFACE_LINE, line_b = m->b.form == CT_SURFACE_LINE;
  plane_vec v;
  if (m->a.form == CT_SURFACE_FACE || m->b.form == CT_SURFACE_FACE) v = face_normal_rate(m);
  else if (line_a && line_b) v = crossing_lines_normal_rate(m);
  else if (line_a || line_b) v = line_normal_rate(m);
  else return smooth_gap_terms(m);
  return 2.0 * plane_dot(v, m->u) - running_term(&m->a, v) - running_term(&m->b, v);
}

/* Returns the acceleration of a body's material point at a world position, without contact
 * forces. */
static ct_vec3 compute_point_acceleration(const ct_mass_body *body, ct_vec3 at) {
  ct_vec3 r = ct_sub(at, body->center), w = body->velocity.angular;
  ct_vec3 turning = ct_add(ct_cross(body->angular_acceleration, r), ct_cross(w, ct_cross(w, r)));
  return ct_add(body->linear_acceleration, turning);
}

/* True if the normal is reversed for the computation, so that the result does not depend on which
 * of the bodies is a. */
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
  surface_curvature of_a = curvature_in_frame(&contact->surface_a, a->velocity.angular, frame),
                    of_b = curvature_in_frame(&contact->surface_b, b->velocity.angular, frame);
  const surface_pair m = {.a = turned ? of_b : of_a,
                          .b = turned ? of_a : of_b,
                          .u = {ct_dot(frame[1], u), ct_dot(frame[2], u)}};
  return along + velocity_gap_terms(&m);
}

/* ---- motion of the closest points ------------------------------------------------------------ */

/* Returns the rate v of the normal of two smooth surfaces, of which one is curved in both
 * directions: the solution of (W_a + W_b) v = u - W_a k_a - W_b k_b. */
static plane_vec smooth_normal_rate(const surface_pair *m) {
  double xx = m->a.xx + m->b.xx, xy = m->a.xy + m->b.xy, yy = m->a.yy + m->b.yy,
         determinant = xx * yy - xy * xy;
  plane_vec q = plane_add_scaled(plane_add_scaled(m->u, apply_curvature(&m->a, m->a.k), -1.0),
                                 apply_curvature(&m->b, m->b.k), -1.0);
  if (!(determinant > FLAT_PART * ct_max2(xx * xx, yy * yy))) return (plane_vec){0.0, 0.0};
  return (plane_vec){(yy * q.x - xy * q.y) / determinant, (xx * q.y - xy * q.x) / determinant};
}

bool ct_contact_travel(const ct_contact_set *set, const ct_contact *contact, ct_vec3 *velocity) {
  const ct_mass_body *a = &set->bodies[contact->a], *b = &set->bodies[contact->b];
  ct_vec3 frame[3] = {contact->normal};
  ct_contact_tangents(frame[0], &frame[1], &frame[2]);
  ct_vec3 u = ct_contact_relative_velocity(set, contact, 0.0).relative;
  const surface_pair m = {.a = curvature_in_frame(&contact->surface_a, a->velocity.angular, frame),
                          .b = curvature_in_frame(&contact->surface_b, b->velocity.angular, frame),
                          .u = {ct_dot(frame[1], u), ct_dot(frame[2], u)}};
  bool face_a = m.a.form == CT_SURFACE_FACE, face_b = m.b.form == CT_SURFACE_FACE,
       line_a = m.a.form == CT_SURFACE_LINE, line_b = m.b.form == CT_SURFACE_LINE;
  if ((face_a && face_b) || (line_a && line_b)) return false;
  plane_vec v = face_a || face_b   ? face_normal_rate(&m)
                : line_a || line_b ? line_normal_rate(&m)
                                   : smooth_normal_rate(&m);
  /* Of the two surfaces, one on which the closest point is defined in both directions. */
  bool of_b = face_a || line_a;
  const surface_curvature *s = of_b ? &m.b : &m.a;
  plane_vec over = apply_curvature(s, plane_add_scaled(v, s->k, 1.0));
  double sign = of_b ? -1.0 : 1.0;
  ct_vec3 moves = compute_point_velocity(of_b ? b : a, contact->position);
  moves = ct_add_scaled(moves, frame[1], sign * over.x);
  *velocity = ct_add_scaled(moves, frame[2], sign * over.y);
  return true;
}
