/* Totals of volumetric contacts per element: the whole intersection of two bodies.
 *
 * Compensated summation (Neumaier 1974) keeps the total as accurate as its terms, for any number of
 * terms.
 */
#include "pair/convex_proxy.h"

#include <contact/volume.h>

/* A running sum and its accumulated round-off. */
typedef struct compensated {
  double sum, lost;
} compensated;

static void add_compensated_term(compensated *c, double term) {
  double sum = c->sum + term;
  c->lost += fabs(c->sum) >= fabs(term) ? (c->sum - sum) + term : (term - sum) + c->sum;
  c->sum = sum;
}

static double get_compensated_value(const compensated *c) { return c->sum + c->lost; }

bool ct_volume_add_up(const ct_volume *volume, ct_volume_total *out) {
  compensated total = {0.0, 0.0}, error = {0.0, 0.0}, patch = {0.0, 0.0}, x = {0.0, 0.0},
              y = {0.0, 0.0}, z = {0.0, 0.0};
  *out = (ct_volume_total){.contacts = volume->count};
  if (volume->count == 0) return false;
  /* Moments about the first centroid: no digits are lost far from the origin. */
  ct_vec3 origin = volume->contacts[0].centroid;
  for (size_t i = 0; i < volume->count; i++) {
    const ct_volume_contact *c = &volume->contacts[i];
    if (c->element_a == CT_NO_ELEMENT && c->element_b == CT_NO_ELEMENT) return false;
    ct_vec3 d = ct_sub(c->centroid, origin);
    add_compensated_term(&total, c->volume);
    add_compensated_term(&error, c->volume_error);
    add_compensated_term(&patch, c->patch_area);
    add_compensated_term(&x, c->volume * d.x);
    add_compensated_term(&y, c->volume * d.y);
    add_compensated_term(&z, c->volume * d.z);
    if (c->status != CT_PAIR_OK) out->status = c->status;
  }
  out->volume = get_compensated_value(&total);
  out->volume_error = get_compensated_value(&error) + CT_UNIT_ROUNDOFF * 2.0 * out->volume;
  out->patch_area = get_compensated_value(&patch);
  ct_vec3 moment = {get_compensated_value(&x), get_compensated_value(&y),
                    get_compensated_value(&z)};
  out->centroid = ct_add(origin, ct_scale(moment, 1.0 / out->volume));
  return true;
}
