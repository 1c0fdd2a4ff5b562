/* Gradient of a pair's distance with respect to rigid motions of both bodies: the normal and
 * its moments about the origins. Undefined where the normal is arbitrary or the depth is no
 * distance. */
#include <contact/gradient.h>

bool ct_pair_gradient(const ct_pair_result *r, ct_vec3 origin_a, ct_vec3 origin_b,
                      ct_gradient *out) {
  if (ct_max_abs(r->normal) == 0.0) return false;
  if (r->status == CT_PAIR_UNSUPPORTED || (r->flags & CT_FLAG_NORMAL_ARBITRARY)) return false;
  /* The depth of a feature changes along the direction to its nearest surface, which is not the
   * normal. */
  if (r->depth_kind == CT_DEPTH_FEATURE || r->depth_kind == CT_DEPTH_NONE) return false;
  ct_vec3 zero = {0.0, 0.0, 0.0}, n = r->normal;
  *out = (ct_gradient){.a = {ct_sub(zero, n), ct_cross(n, ct_sub(r->point_a, origin_a))},
                       .b = {n, ct_cross(ct_sub(r->point_b, origin_b), n)}};
  return true;
}
