/* What an impulse at one contact does to the velocity at another.
 *
 * Each body X that both share adds, signed by the sides that it is on, 1/m 1 - [r_i] I^-1 [r_j], [r] the matrix of the cross
 * product with the arm r of a contact. Its element (p, q) is x.I^-1 y with x = r_i x e_p and y = r_j x e_q, which is added up so
 * that exchanging x and y changes no bit; two contacts share two bodies at most, and the sum of two terms has no order. So matrices
 * made of these are symmetric, bit for bit.
 */
#include <contact/mechanics.h>

/* x.M y of a symmetric matrix, of which the upper triangle counts; the same bits for y.M x. */
static double between(const ct_mat3 *m, ct_vec3 x, ct_vec3 y) {
  double straight = m->rx.x * (x.x * y.x) + m->ry.y * (x.y * y.y) + m->rz.z * (x.z * y.z);
  double crosswise = m->rx.y * (x.x * y.y + x.y * y.x) + m->rx.z * (x.x * y.z + x.z * y.x) + m->ry.z * (x.y * y.z + x.z * y.y);
  return straight + crosswise;
}

/* The arm across each of the world's axes. */
static ct_mat3 arms(ct_vec3 r) { return (ct_mat3){{0.0, r.z, -r.y}, {-r.z, 0.0, r.x}, {r.y, -r.x, 0.0}}; }

static ct_vec3 row_of(const ct_mass_body *body, ct_vec3 x, const ct_mat3 *y) {
  const ct_mat3 *m = &body->inverse_inertia;
  return ct_vec(between(m, x, y->rx), between(m, x, y->ry), between(m, x, y->rz));
}

/* Adds what one body does, times the sign of its sides. */
static void add_body(ct_mat3 *sum, const ct_mass_body *body, ct_vec3 touch, ct_vec3 cause, double sign) {
  if (body->mobility != CT_DYNAMIC) return;
  ct_mat3 x = arms(ct_sub(touch, body->center)), y = arms(ct_sub(cause, body->center));
  ct_mat3 term = {row_of(body, x.rx, &y), row_of(body, x.ry, &y), row_of(body, x.rz, &y)};
  term.rx.x += body->inverse_mass;
  term.ry.y += body->inverse_mass;
  term.rz.z += body->inverse_mass;
  sum->rx = ct_add_scaled(sum->rx, term.rx, sign);
  sum->ry = ct_add_scaled(sum->ry, term.ry, sign);
  sum->rz = ct_add_scaled(sum->rz, term.rz, sign);
}

ct_mat3 ct_touch_coupling(const ct_contact_set *set, const ct_touch *touch, const ct_touch *cause) {
  ct_mat3 sum = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  const ct_mass_body *a = &set->bodies[touch->a], *b = &set->bodies[touch->b];
  ct_vec3 at = touch->position, from = cause->position;
  if (touch->a == cause->a) add_body(&sum, a, at, from, 1.0);
  if (touch->a == cause->b) add_body(&sum, a, at, from, -1.0);
  if (touch->b == cause->a) add_body(&sum, b, at, from, -1.0);
  if (touch->b == cause->b) add_body(&sum, b, at, from, 1.0);
  return sum;
}

void ct_touch_tangents(ct_vec3 normal, ct_vec3 *t1, ct_vec3 *t2) {
  double x = fabs(normal.x), y = fabs(normal.y), z = fabs(normal.z);
  ct_vec3 axis = x <= y && x <= z ? ct_vec(1.0, 0.0, 0.0) : y <= z ? ct_vec(0.0, 1.0, 0.0) : ct_vec(0.0, 0.0, 1.0);
  /* The axis makes at least 54 degrees with the normal: what is left of it is not small. */
  *t1 = ct_unit_or(ct_add_scaled(axis, normal, -ct_dot(axis, normal)), axis);
  *t2 = ct_cross(normal, *t1);
}
