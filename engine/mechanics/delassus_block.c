/* What an impulse at one contact does to the velocity at another.
 *
 * Each body X that both share adds, signed by the sides that it is on, 1/m 1 - [r_i] I^-1 [r_j],
 * [r] the matrix of the cross product with the arm r of a contact. Its element (p, q) is x.I^-1 y
 * with x = r_i x e_p and y = r_j x e_q, which is added up so that exchanging x and y changes no
 * bit; two contacts share two bodies at most, and the sum of two terms has no order. So matrices
 * made of these are symmetric, bit for bit.
 */
#include <contact/mechanics.h>

/* x.M y of a symmetric matrix, of which the upper triangle counts; the same bits for y.M x. */
static double between(const ct_mat3 *m, ct_vec3 x, ct_vec3 y) {
  double straight = m->rx.x * (x.x * y.x) + m->ry.y * (x.y * y.y) + m->rz.z * (x.z * y.z);
  double crosswise = m->rx.y * (x.x * y.y + x.y * y.x) + m->rx.z * (x.x * y.z + x.z * y.x) +
                     m->ry.z * (x.y * y.z + x.z * y.y);
  return straight + crosswise;
}

/* What a unit impulse along one direction does to the body's velocity along another. */
static double answer(const ct_mass_body *body, const ct_vec3 contact[2], const ct_vec3 cause[2]) {
  ct_vec3 x = ct_cross(ct_sub(contact[0], body->center), contact[1]),
          y = ct_cross(ct_sub(cause[0], body->center), cause[1]);
  return ct_dot(contact[1], cause[1]) * body->inverse_mass + between(&body->inverse_inertia, x, y);
}

double ct_delassus_along(const ct_contact_set *set, const ct_contact *contact, ct_vec3 along,
                         const ct_contact *cause, ct_vec3 impulse) {
  const ct_mass_body *a = &set->bodies[contact->a], *b = &set->bodies[contact->b];
  const ct_vec3 at[2] = {contact->position, along}, from[2] = {cause->position, impulse};
  double sum = 0.0;
  if (a->mobility == CT_DYNAMIC && (contact->a == cause->a || contact->a == cause->b))
    sum += contact->a == cause->a ? answer(a, at, from) : -answer(a, at, from);
  if (b->mobility == CT_DYNAMIC && (contact->b == cause->a || contact->b == cause->b))
    sum += contact->b == cause->b ? answer(b, at, from) : -answer(b, at, from);
  return sum;
}

static ct_vec3 row_of(const ct_contact_set *set, const ct_contact *contact, ct_vec3 along,
                      const ct_contact *cause) {
  return ct_vec(ct_delassus_along(set, contact, along, cause, ct_vec(1.0, 0.0, 0.0)),
                ct_delassus_along(set, contact, along, cause, ct_vec(0.0, 1.0, 0.0)),
                ct_delassus_along(set, contact, along, cause, ct_vec(0.0, 0.0, 1.0)));
}

ct_mat3 ct_delassus_block(const ct_contact_set *set, const ct_contact *contact,
                          const ct_contact *cause) {
  return (ct_mat3){row_of(set, contact, ct_vec(1.0, 0.0, 0.0), cause),
                   row_of(set, contact, ct_vec(0.0, 1.0, 0.0), cause),
                   row_of(set, contact, ct_vec(0.0, 0.0, 1.0), cause)};
}

void ct_contact_tangents(ct_vec3 normal, ct_vec3 *t1, ct_vec3 *t2) {
  double x = fabs(normal.x), y = fabs(normal.y), z = fabs(normal.z);
  ct_vec3 axis = x <= y && x <= z ? ct_vec(1.0, 0.0, 0.0)
                 : y <= z         ? ct_vec(0.0, 1.0, 0.0)
                                  : ct_vec(0.0, 0.0, 1.0);
  /* The axis makes at least 54 degrees with the normal: what is left of it is not small. */
  *t1 = ct_unit_or(ct_add_scaled(axis, normal, -ct_dot(axis, normal)), axis);
  *t2 = ct_cross(normal, *t1);
}
