/* Totals of volumetric contacts that are element by element: what two bodies share as a whole.
 *
 * Volumes are added with compensation (Neumaier 1974), so that the total is as good as its terms however many there are.
 */
#include "pair/convex_proxy.h"

#include <contact/volume.h>

/* A running sum and what rounding has taken from it. */
typedef struct compensated {
  double sum, lost;
} compensated;

static void add_term(compensated *c, double term) {
  double sum = c->sum + term;
  c->lost += fabs(c->sum) >= fabs(term) ? (c->sum - sum) + term : (term - sum) + c->sum;
  c->sum = sum;
}

static double value_of(const compensated *c) { return c->sum + c->lost; }

bool ct_volume_add_up(const ct_volume *volume, ct_volume_total *out) {
  compensated total = {0.0, 0.0}, error = {0.0, 0.0}, patch = {0.0, 0.0}, x = {0.0, 0.0}, y = {0.0, 0.0}, z = {0.0, 0.0};
  *out = (ct_volume_total){.contacts = volume->count};
  if (volume->count == 0) return false;
  /* About the first centroid: far from the origin no digits are lost. */
  ct_vec3 origin = volume->contacts[0].centroid;
  for (size_t i = 0; i < volume->count; i++) {
    const ct_volume_contact *c = &volume->contacts[i];
    if (c->element_a == CT_NO_ELEMENT && c->element_b == CT_NO_ELEMENT) return false;
    ct_vec3 d = ct_sub(c->centroid, origin);
    add_term(&total, c->volume);
    add_term(&error, c->volume_error);
    add_term(&patch, c->patch_area);
    add_term(&x, c->volume * d.x);
    add_term(&y, c->volume * d.y);
    add_term(&z, c->volume * d.z);
    if (c->status != CT_PAIR_OK) out->status = c->status;
  }
  out->volume = value_of(&total);
  out->volume_error = value_of(&error) + CT_UNIT_ROUNDOFF * 2.0 * out->volume;
  out->patch_area = value_of(&patch);
  ct_vec3 moment = {value_of(&x), value_of(&y), value_of(&z)};
  out->centroid = ct_add(origin, ct_scale(moment, 1.0 / out->volume));
  return true;
}
