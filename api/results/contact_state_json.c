/* Contact states as JSON. The values are defined in contact/contact_state.h. */
#include "results/contact_state_json.h"

#include "results/result_json.h"

#include <contact/compliant.h>
#include <math.h>

static void retain_state(const void *value) { ct_contact_state_retain(value); }
static void release_state(const void *value) { ct_contact_state_release(value); }
static size_t state_bytes(const void *value) { return ct_contact_state_bytes(value); }

const ct_attachment_type api_contact_state_type = {retain_state, release_state, state_bytes};

const ct_contact_state *api_contact_state_find(const ct_scene *scene, ct_text id) {
  return ct_scene_attached(scene, id);
}

bool api_scene_has_motion(const ct_scene *scene) {
  for (uint32_t row = 0; row < ct_scene_rows(scene); row++) {
    const ct_body *body = ct_scene_body(scene, row);
    if (body && ct_body_motion(body)) return true;
  }
  return false;
}

static const char *cause_word(ct_contact_cause cause) {
  switch (cause) {
  case CT_CAUSE_INIT: return "init";
  case CT_CAUSE_Z1: return "z1";
  case CT_CAUSE_Z2: return "z2";
  case CT_CAUSE_TIME: return "time";
  case CT_CAUSE_BODY: return "body";
  case CT_CAUSE_STATE: return "state";
  }
  return "";
}

/* Puts the collider's name as it was when the contact began; `several`: the body then had several
 * colliders. Otherwise puts nothing. */
static void put_collider(api_buffer *buffer, const char *member, bool several, ct_text name,
                         uint32_t index) {
  if (!several) return;
  if (name.length > 0) api_put_id(buffer, member, name);
  else api_put_member_unsigned(buffer, member, index);
}

/* Puts one collider in a pair's id: "~" and the percent-encoded id, or the index of a collider
 * without id. */
static void put_collider_part(api_buffer *buffer, ct_text name, uint32_t index) {
  static const char hex[] = "0123456789ABCDEF";
  if (name.length == 0) {
    api_put_unsigned(buffer, index);
    return;
  }
  api_put_byte(buffer, '~');
  for (size_t i = 0; i < name.length; i++) {
    unsigned char c = (unsigned char)name.bytes[i];
    bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                 c == '-' || c == '_' || c == '.';
    if (plain) {
      api_put_byte(buffer, (char)c);
    } else {
      api_put_byte(buffer, '%');
      api_put_byte(buffer, hex[c >> 4]);
      api_put_byte(buffer, hex[c & 15]);
    }
  }
}

/* Puts the member pairId. It contains the serial numbers of the bodies, so that two colliders have
 * the same pairId in all contacts and contact states of a scene. */
static void put_pair_id(api_buffer *buffer, const ct_contact_record *r) {
  api_put_key(buffer, "pairId");
  api_put_byte(buffer, '"');
  api_put_unsigned(buffer, r->serial_a);
  api_put_byte(buffer, '-');
  api_put_unsigned(buffer, r->serial_b);
  api_put_byte(buffer, '/');
  put_collider_part(buffer, r->name_a, r->collider_a);
  api_put_byte(buffer, '/');
  put_collider_part(buffer, r->name_b, r->collider_b);
  api_put_byte(buffer, '"');
}

void api_put_contact_pair(api_buffer *buffer, const ct_contact_record *r) {
  api_put_member_unsigned(buffer, "pair", r->pair);
  put_pair_id(buffer, r);
}

/* Puts the pair's members that are constant during the contact. */
static void put_pair(api_buffer *buffer, const ct_contact_record *r) {
  api_put_contact_pair(buffer, r);
  api_put_id(buffer, "a", r->body_a);
  api_put_id(buffer, "b", r->body_b);
  put_collider(buffer, "colliderA", r->several_a, r->name_a, r->collider_a);
  put_collider(buffer, "colliderB", r->several_b, r->name_b, r->collider_b);
  if (r->surface) api_put_member_bool(buffer, "surface", true);
  api_put_member_number(buffer, "begun", r->begun);
}

/* Puts distance, normal and points, and the status. Intersecting half-spaces (CT_PAIR_UNSUPPORTED)
 * have only a status. */
static void put_geometry(api_buffer *buffer, double distance, const ct_pair_result *result) {
  if (result->status != CT_PAIR_UNSUPPORTED) {
    api_put_member_number(buffer, "distance", distance);
    api_put_member_number(buffer, "signedDistance", result->distance);
    api_put_member_vec3(buffer, "normal", result->normal);
    api_put_member_vec3(buffer, "pointA", result->point_a);
    api_put_member_vec3(buffer, "pointB", result->point_b);
    api_put_member_vec3(buffer, "position",
                        ct_scale(ct_add(result->point_a, result->point_b), 0.5));
  }
  api_put_status(buffer, result->status, result->flags);
}

static void put_support(api_buffer *buffer, const char *name, const ct_vec3 points[3]) {
  api_put_key(buffer, name);
  api_put_byte(buffer, '[');
  for (int i = 0; i < 3; i++) {
    api_put_item(buffer);
    api_put_vec3(buffer, points[i]);
  }
  api_put_byte(buffer, ']');
}

/* Finds the row of the body with this id and serial number, and checks that its collider still has
 * this index and id. False: the scene no longer has the body or the collider. */
static bool find_collider_of(const ct_scene *scene, ct_text body, uint64_t serial, ct_text name,
                             uint32_t collider, uint32_t *row) {
  *row = ct_scene_find(scene, body);
  if (*row == CT_NO_ROW || ct_scene_serial(scene, *row) != serial) return false;
  const ct_body *found = ct_scene_body(scene, *row);
  return collider < ct_body_collider_count(found) &&
         api_text_equal(ct_body_collider(found, collider).id, name);
}

/* Puts cRes and dRes for the approach velocity at the beginning of the contact. False: nothing was
 * put, since a body or a modulus is absent. */
static bool put_elasticity(api_buffer *buffer, const ct_scene *scene, const ct_contact_record *r) {
  uint32_t a, b;
  if (!find_collider_of(scene, r->body_a, r->serial_a, r->name_a, r->collider_a, &a) ||
      !find_collider_of(scene, r->body_b, r->serial_b, r->name_b, r->collider_b, &b))
    return false;
  ct_elastic_solid solid_a, solid_b;
  if (!ct_scene_elastic_solid(scene, a, r->collider_a, &solid_a) ||
      !ct_scene_elastic_solid(scene, b, r->collider_b, &solid_b))
    return false;
  const ct_pair_material material = ct_scene_pair_material(
      scene, ct_body_collider(ct_scene_body(scene, a), r->collider_a).material,
      ct_body_collider(ct_scene_body(scene, b), r->collider_b).material);
  const ct_elastic_options usual = ct_elastic_options_effective(&(ct_elastic_options){0});
  const ct_elastic_pair pair =
      ct_elastic_pair_of(&solid_a, &solid_b, &material, fabs(r->normal_velocity), &usual);
  api_put_member_number(buffer, "cRes", pair.c_res);
  api_put_member_number(buffer, "dRes", pair.damping);
  return true;
}

bool api_put_contact_members(api_buffer *buffer, const ct_scene *scene,
                             const ct_contact_record *r) {
  api_put_byte(buffer, '{');
  put_pair(buffer, r);
  api_put_member_string(buffer, "cause", api_text(cause_word(r->cause)));
  api_put_member_number(buffer, "normalVelocity", r->normal_velocity);
  put_geometry(buffer, r->distance, &r->result);
  if (r->supports_defined) {
    put_support(buffer, "supportA", r->support_a);
    put_support(buffer, "supportB", r->support_b);
  }
  bool elastic = put_elasticity(buffer, scene, r);
  api_put_byte(buffer, '}');
  return elastic;
}

void api_put_current_contact(api_buffer *buffer, const ct_contact_record *r, double epsilon,
                             const ct_pair_result *now) {
  api_put_byte(buffer, '{');
  put_pair(buffer, r);
  api_put_member_string(buffer, "cause", api_text(cause_word(r->cause)));
  api_put_member_number(buffer, "normalVelocity", r->normal_velocity);
  put_geometry(buffer, now->distance - epsilon, now);
  api_put_byte(buffer, '}');
}

void api_put_ended_contact(api_buffer *buffer, const ct_contact_ended *ended) {
  api_put_byte(buffer, '{');
  put_pair(buffer, &ended->record);
  api_put_member_string(buffer, "cause", api_text(cause_word(ended->cause)));
  api_put_member_number(buffer, "normalVelocity", ended->record.normal_velocity);
  if (ended->cause == CT_CAUSE_Z1 && isfinite(ended->distance))
    api_put_member_number(buffer, "distance", ended->distance);
  api_put_byte(buffer, '}');
}

void api_put_contact_state(api_buffer *buffer, ct_text id, const ct_contact_state *state) {
  api_put_id(buffer, "contactState", id);
  api_put_member_number(buffer, "time", ct_contact_state_time(state));
  api_put_member_number(buffer, "contactEpsilon", ct_contact_state_epsilon(state));
  if (ct_contact_state_method(state) == CT_CONTACT_MPR) {
    const ct_mpr_options mpr = ct_contact_state_mpr(state);
    api_put_member_string(buffer, "method", api_text("mpr"));
    api_put_member_number(buffer, "mprTolerance", mpr.tolerance);
    api_put_member_unsigned(buffer, "maxIterations", mpr.iterations_max);
  }
  api_put_member_unsigned(buffer, "events", ct_contact_state_events(state));
}
