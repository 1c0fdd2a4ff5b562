/* Encodes and decodes bodies: id, colliders, motion, groups and user data. */
#include "records/record_body.h"

#include <contact/limits.h>

#include "documents/body_json.h"
#include "shapes/shape_json.h"

/* Relative tolerance of the triangle rule for principal moments of inertia (none exceeds the sum of
 * the other two). */
#define TRIANGLE_SLACK 1e-6

/* Flag bits in a record: the first ones of a body, the second ones of a motion. */
enum { HAS_MOTION = 1, HAS_USER = 2 };
enum { IS_KINEMATIC = 1, HAS_CENTER = 2, HAS_INERTIA = 4, HAS_ACCELERATION = 8, MOTION_BITS = 15 };

/* ---- encode --------------------------------------------------------------------------------- */

static void put_motion(api_buffer *out, const ct_motion *motion) {
  const ct_acceleration *acceleration = motion->acceleration;
  api_record_put_u8(out, (unsigned)motion->source);
  api_record_put_u8(
      out, (motion->is_kinematic ? IS_KINEMATIC : 0u) | (motion->has_center ? HAS_CENTER : 0u) |
               (motion->has_inertia ? HAS_INERTIA : 0u) | (acceleration ? HAS_ACCELERATION : 0u));
  api_record_put_f64(out, motion->value);
  if (motion->has_center) api_record_put_vec3(out, motion->center);
  if (motion->has_inertia) {
    api_record_put_vec3(out, motion->inertia_diagonal);
    api_record_put_quat(out, motion->inertia_orientation);
  }
  if (!acceleration) return;
  api_record_put_vec3(out, acceleration->linear);
  api_record_put_vec3(out, acceleration->angular);
}

void api_record_put_body(api_buffer *out, const ct_body *body, const ct_body *before) {
  const ct_motion *motion = ct_body_motion(body);
  ct_text user = ct_body_user(body);
  size_t colliders = ct_body_collider_count(body), groups = ct_body_group_count(body);
  api_record_put_text(out, ct_body_id(body));
  api_record_put_u8(out, (motion ? HAS_MOTION : 0u) | (user.length ? HAS_USER : 0u));
  api_record_put_u32(out, (uint32_t)colliders);
  for (size_t i = 0; i < colliders; i++) {
    ct_collider collider = ct_body_collider(body, i);
    api_record_put_collider(out, &collider, before);
  }
  if (motion) put_motion(out, motion);
  api_record_put_u32(out, (uint32_t)groups);
  for (size_t i = 0; i < groups; i++) api_record_put_text(out, ct_body_group(body, i));
  if (user.length) api_record_put_text(out, user);
}

/* ---- decode --------------------------------------------------------------------------------- */

static bool is_finite(ct_vec3 v) { return isfinite(v.x) && isfinite(v.y) && isfinite(v.z); }

static bool check_inertia(const ct_motion *motion) {
  ct_vec3 m = motion->inertia_diagonal;
  ct_quat q = motion->inertia_orientation;
  double sum = m.x + m.y + m.z, length = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
  return m.x > 0.0 && m.y > 0.0 && m.z > 0.0 && isfinite(sum) &&
         2.0 * ct_max_abs(m) <= sum * (1.0 + TRIANGLE_SLACK) &&
         fabs(length - 1.0) <= API_ROTATION_TOLERANCE;
}

static bool check_motion(const ct_motion *motion) {
  if (motion->source == CT_MASS_NONE
          ? !motion->is_kinematic || motion->value != 0.0
          : !(motion->value >= CT_MASS_MIN && motion->value <= CT_MASS_MAX))
    return false;
  if (!is_finite(motion->center) || (motion->has_inertia && !check_inertia(motion))) return false;
  const ct_acceleration *a = motion->acceleration;
  return !a || (motion->is_kinematic && is_finite(a->linear) && is_finite(a->angular));
}

static bool get_motion(api_record_decoder *r, ct_motion *motion, ct_acceleration *acceleration) {
  unsigned source = api_record_get_u8(&r->in), bits = api_record_get_u8(&r->in);
  if (source > CT_MASS_DENSITY || bits > MOTION_BITS)
    return api_decoder_reject(r, "A motion has an unknown form");
  *motion = (ct_motion){.source = (ct_mass_source)source,
                        .is_kinematic = (bits & IS_KINEMATIC) != 0,
                        .has_center = (bits & HAS_CENTER) != 0,
                        .has_inertia = (bits & HAS_INERTIA) != 0,
                        .value = api_record_get_f64(&r->in),
                        .inertia_orientation = ct_quat_identity()};
  if (motion->has_center) motion->center = api_record_get_vec3(&r->in);
  if (motion->has_inertia) {
    motion->inertia_diagonal = api_record_get_vec3(&r->in);
    motion->inertia_orientation = api_record_get_quat(&r->in);
  }
  if (bits & HAS_ACCELERATION) {
    acceleration->linear = api_record_get_vec3(&r->in);
    acceleration->angular = api_record_get_vec3(&r->in);
    motion->acceleration = acceleration;
  }
  return api_decoder_is_valid(r) &&
         (check_motion(motion) || api_decoder_reject(r, "A motion has an invalid number"));
}

/* Decodes the colliders of a body. *count: the number of colliders to release, also after a
 * failure. */
static bool get_colliders(api_record_decoder *r, const ct_body *before, ct_collider **out,
                          size_t *count) {
  size_t length = api_record_get_count(&r->in, 3);
  ct_collider *colliders = api_arena_array(&r->arena, length, sizeof *colliders);
  ct_text *ids = api_arena_array(&r->arena, length, sizeof *ids);
  if (!colliders || !ids) return api_decoder_out_of_memory(r);
  *out = colliders;
  for (*count = 0; *count < length; ++*count) {
    if (!api_record_get_collider(r, before, &colliders[*count])) return false;
    ids[*count] = colliders[*count].id;
  }
  if (!api_decoder_is_valid(r)) return false;
  size_t twice = length < 2 ? length : api_first_duplicate(&r->reader, ids, length);
  if (twice == SIZE_MAX) return api_decoder_out_of_memory(r);
  return twice == length || api_decoder_reject(r, "A body has two colliders with the same id");
}

static bool get_groups(api_record_decoder *r, ct_body_options *options) {
  size_t count = api_record_get_count(&r->in, 4);
  ct_text *groups = api_arena_array(&r->arena, count, sizeof *groups);
  if (!groups) return api_decoder_out_of_memory(r);
  for (size_t i = 0; i < count; i++)
    if (!api_decoder_read_id(r, &groups[i])) return false;
  options->groups = groups;
  options->group_count = count;
  return api_decoder_is_valid(r);
}

static bool create_recorded_body(api_record_decoder *r, const ct_body_options *options,
                                 const ct_body **out) {
  const ct_body *body = NULL;
  ct_mass_properties mass;
  bool overlap;
  if (!api_decoder_check_status(r, ct_body_create(options, &body), "A body exceeds a limit"))
    return false;
  if (!options->motion || options->motion->is_kinematic || ct_body_mass(body, &mass, &overlap)) {
    *out = body;
    return true;
  }
  ct_body_release(body);
  return api_decoder_reject(r, "A dynamic body has no mass");
}

bool api_record_get_body(api_record_decoder *r, const ct_body *before, const ct_body **out) {
  api_arena_mark mark = api_arena_position(&r->arena);
  ct_body_options options = {0};
  ct_motion motion;
  ct_acceleration acceleration;
  ct_collider *colliders = NULL;
  size_t owned = 0;
  bool good = api_decoder_read_id(r, &options.id);
  unsigned bits = api_record_get_u8(&r->in);
  if (good && bits > (HAS_MOTION | HAS_USER))
    good = api_decoder_reject(r, "A body has an unknown form");
  good = good && get_colliders(r, before, &colliders, &owned);
  good = good && (!(bits & HAS_MOTION) || get_motion(r, &motion, &acceleration));
  good = good && get_groups(r, &options);
  if (good && bits & HAS_USER) {
    options.user = api_record_get_text(&r->in, UINT32_MAX);
    good = api_decoder_is_valid(r) && api_decoder_read_user(r, options.user);
  }
  options.colliders = colliders;
  options.collider_count = owned;
  options.motion = bits & HAS_MOTION ? &motion : NULL;
  good = good && create_recorded_body(r, &options, out);
  for (size_t i = 0; i < owned; i++) api_collider_release(&colliders[i]);
  api_arena_rewind(&r->arena, mark);
  return good;
}
