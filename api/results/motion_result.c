/* Results of queries over moving bodies: when and where two bodies collide, and when contacts begin
 * and end. */
#include "results/motion_result.h"

#include <assert.h>

static const char *const event_words[] = {[CT_TOI_NONE] = "none",
                                          [CT_TOI_CONTACT] = "contact",
                                          [CT_TOI_INITIAL] = "initialContact",
                                          [CT_TOI_UNDECIDED] = "undecided"};

/* Puts the status and the flags of the time of impact. meets: there is a contact, whose status and
 * flags are included. */
static void put_motion_status(api_buffer *buffer, const ct_toi *impact, bool meets) {
  const char *words[API_PAIR_FLAGS_MAX + 2], *pair[API_PAIR_FLAGS_MAX];
  size_t count = 0, pairs = meets ? api_pair_flag_words(impact->contact.flags, pair) : 0;
  if (impact->flags & CT_TOI_FLAG_SEPARATING_AT_START) words[count++] = "separatingAtStart";
  if (impact->flags & CT_TOI_FLAG_GRAZE) words[count++] = "graze";
  for (size_t i = 0; i < pairs; i++) words[count++] = pair[i];
  assert(count <= API_PAIR_FLAGS_MAX + 2);
  bool of_contact = meets && impact->status == CT_PAIR_OK;
  api_put_status_words(buffer, of_contact ? impact->contact.status : impact->status, words, count);
}

static void put_bodies(api_buffer *buffer, const ct_body *a, const ct_body *b) {
  api_put_id(buffer, "a", ct_body_id(a));
  api_put_id(buffer, "b", ct_body_id(b));
  api_put_surface(buffer, a, b);
}

static void put_colliders(api_buffer *buffer, const ct_body *a, uint32_t collider_a,
                          const ct_body *b, uint32_t collider_b) {
  api_put_collider_name(buffer, "colliderA", a, collider_a);
  api_put_collider_name(buffer, "colliderB", b, collider_b);
}

/* Puts the member grazes, [{"time", "distance"}]. */
static void put_grazes_of(api_buffer *buffer, const ct_motion_hit *hit) {
  api_put_key(buffer, "grazes");
  api_put_byte(buffer, '[');
  for (size_t k = 0; k < hit->graze_count; k++) {
    api_put_item(buffer);
    api_put_byte(buffer, '{');
    api_put_member_number(buffer, "time", hit->grazes[k].time);
    api_put_member_number(buffer, "distance", hit->grazes[k].distance);
    api_put_byte(buffer, '}');
  }
  api_put_byte(buffer, ']');
}

void api_put_time_of_impact(api_buffer *buffer, const ct_body *a, const ct_body *b,
                            const ct_motion_hit *hit) {
  const ct_toi *impact = hit->impact;
  bool meets = impact->event == CT_TOI_CONTACT || impact->event == CT_TOI_INITIAL;
  bool grazes = impact->flags & CT_TOI_FLAG_GRAZE;
  api_put_byte(buffer, '{');
  put_bodies(buffer, a, b);
  if (meets || grazes) put_colliders(buffer, a, impact->collider_a, b, impact->collider_b);
  api_put_member_string(buffer, "event", api_text(event_words[impact->event]));
  if (meets) {
    api_put_member_number(buffer, "time", impact->time);
    api_put_member_number(buffer, "lowerTime", impact->lower);
    api_put_member_number(buffer, "upperTime", impact->upper);
  }
  api_put_member_number(buffer, "freeUntil", impact->free_until);
  if (meets) {
    api_put_pair_geometry(buffer, &impact->contact);
    api_put_depth_kind(buffer, &impact->contact);
    api_put_member_vec3(buffer, "relativeVelocity", impact->relative_velocity);
    api_put_member_number(buffer, "normalVelocity", impact->normal_velocity);
  }
  api_put_member_unsigned(buffer, "iterations", impact->iterations);
  put_motion_status(buffer, impact, meets);
  if (grazes) {
    api_put_member_number(buffer, "grazeTime", impact->graze_time);
    api_put_member_number(buffer, "grazeDistance", impact->graze_distance);
  }
  if (hit->graze_count > 0) put_grazes_of(buffer, hit);
  api_put_byte(buffer, '}');
}

void api_put_contact_change(api_buffer *buffer, const ct_body *a, const ct_body *b,
                            const ct_contact_change *change) {
  const ct_pair_result *r = &change->contact;
  api_put_byte(buffer, '{');
  api_put_member_number(buffer, "time", change->time);
  api_put_member_number(buffer, "lowerTime", change->lower);
  api_put_member_number(buffer, "upperTime", change->upper);
  api_put_member_string(buffer, "event", api_text(change->began ? "began" : "ended"));
  put_bodies(buffer, a, b);
  put_colliders(buffer, a, change->collider_a, b, change->collider_b);
  if (r->status == CT_PAIR_UNSUPPORTED) {
    /* Intersecting half-spaces have neither a distance nor closest points. */
    api_put_member_bool(buffer, "overlap", r->relation != CT_SEPARATED);
    api_put_member_string(buffer, "status", api_text("unsupported"));
  } else {
    api_put_member_number(buffer, "distance", r->distance);
    api_put_member_vec3(buffer, "normal", r->normal);
    api_put_member_vec3(buffer, "pointA", r->point_a);
    api_put_member_vec3(buffer, "pointB", r->point_b);
    api_put_member_vec3(buffer, "position", ct_scale(ct_add(r->point_a, r->point_b), 0.5));
    api_put_member_number(buffer, "normalVelocity", change->normal_velocity);
  }
  api_put_byte(buffer, '}');
}
