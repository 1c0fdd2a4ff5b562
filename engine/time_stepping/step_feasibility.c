/* Which islands cannot hold contacts that contradict each other, whatever their velocities are.
 *
 * Contacts contradict each other where forces y >= 0 along the normals, not all zero, move no
 * dynamic body: J'y = 0. A motion that parts all contacts, J v > 0, leaves none: y'(J v) = (J'y)'v
 * would be positive and zero (Gordan). Bodies that spread from a point, each as fast as its centre
 * is far from it, are such a motion for heaps of convex bodies on a floor, on a lift, a turntable
 * or a belt, and not where something is held from two sides.
 */
#include "advance/advance.h"

/* Speed at which a contact counts as parted, in parts of the speeds of the two centres. */
#define PARTED 1e-6
/* Rounding of the difference of two positions, in units of u of the larger. */
#define ROUNDOFFS 8.0

static const ct_body_state *dynamic_of(const ct_step *step, uint32_t index) {
  const ct_body_state *m = index == CT_NO_ROW ? NULL : &step->advance->next[index];
  return m && m->is_dynamic ? m : NULL;
}

/* The middle of the contacts with bodies that contacts do not move. */
static ct_vec3 find_middle(const ct_step *step, const uint32_t *contacts, size_t count) {
  ct_vec3 sum = ct_vec(0.0, 0.0, 0.0);
  double found = 0.0;
  for (size_t i = 0; i < count; i++) {
    const ct_step_contact *t = &step->advance->found.items[contacts[i]];
    if (dynamic_of(step, t->a) && dynamic_of(step, t->b)) continue;
    sum = ct_add(sum, t->position);
    found += 1.0;
  }
  return found > 0.0 ? ct_scale(sum, 1.0 / found) : sum;
}

bool ct_step_can_part(const ct_step *step, const uint32_t *contacts, size_t count) {
  ct_vec3 middle = find_middle(step, contacts, count);
  for (size_t i = 0; i < count; i++) {
    const ct_step_contact *t = &step->advance->found.items[contacts[i]];
    const ct_body_state *sides[2] = {dynamic_of(step, t->a), dynamic_of(step, t->b)};
    ct_vec3 away[2] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    double error = 0.0;
    for (int k = 0; k < 2; k++) {
      if (!sides[k]) continue;
      away[k] = ct_sub(sides[k]->position, middle);
      double far = ct_max2(ct_max_abs(sides[k]->position), ct_max_abs(middle));
      error += PARTED * ct_norm(away[k]) + ROUNDOFFS * CT_UNIT_ROUNDOFF * far;
    }
    if (!(ct_dot(t->axes[0], ct_sub(away[1], away[0])) > error)) return false;
  }
  return true;
}

bool ct_step_has_one_driver(const ct_step *step, const uint32_t *contacts, size_t count) {
  const uint32_t none = CT_NO_ROW;
  uint32_t driver = none;
  for (size_t i = 0; i < count; i++) {
    const ct_step_contact *t = &step->advance->found.items[contacts[i]];
    const uint32_t sides[2] = {t->a, t->b};
    for (int k = 0; k < 2; k++) {
      if (dynamic_of(step, sides[k])) continue;
      if (sides[k] == none || (driver != none && driver != sides[k])) return false;
      driver = sides[k];
    }
  }
  return true;
}
