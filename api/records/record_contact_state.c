/* Encodes and decodes contact states contact by contact. Their content is validated by the
 * engine. */
#include "records/record_contact_state.h"

#include <contact/restore.h>

/* Least number of bytes of an encoded contact. */
#define CONTACT_BYTES 200

/* First format in which a contact state has a method. States of older formats use
 * ct_pair_distance. */
#define FORMAT_WITH_METHOD 2

/* Flag bits of a contact; IS_SURFACE occurs since FORMAT_WITH_METHOD. */
enum { SEVERAL_A = 1, SEVERAL_B = 2, HAS_SUPPORTS = 4, IS_SURFACE = 8, ALL_BITS = 15 };

/* ---- encode --------------------------------------------------------------------------------- */

static void put_result(api_buffer *out, const ct_pair_result *r) {
  const double numbers[12] = {r->distance,  r->lower_bound, r->upper_bound, r->normal.x,
                              r->normal.y,  r->normal.z,    r->point_a.x,   r->point_a.y,
                              r->point_a.z, r->point_b.x,   r->point_b.y,   r->point_b.z};
  const uint32_t words[7] = {r->flags,     r->iterations, r->triangle_a,   r->triangle_b,
                             r->element_a, r->element_b,  r->element_pairs};
  api_record_put_doubles(out, numbers, 12);
  api_record_put_words(out, words, 7);
  api_record_put_u8(out, (unsigned)r->relation);
  api_record_put_u8(out, (unsigned)r->status);
  api_record_put_u8(out, (unsigned)r->depth_kind);
}

static void put_contact_record(api_buffer *out, const ct_contact_record *c) {
  api_record_put_u8(out, (c->several_a ? SEVERAL_A : 0u) | (c->several_b ? SEVERAL_B : 0u) |
                             (c->supports_defined ? HAS_SUPPORTS : 0u) |
                             (c->surface ? IS_SURFACE : 0u));
  api_record_put_u8(out, (unsigned)c->cause);
  api_record_put_u64(out, c->pair);
  api_record_put_u64(out, c->serial_a);
  api_record_put_u64(out, c->serial_b);
  api_record_put_text(out, c->body_a);
  api_record_put_text(out, c->body_b);
  api_record_put_text(out, c->name_a);
  api_record_put_text(out, c->name_b);
  api_record_put_u32(out, c->collider_a);
  api_record_put_u32(out, c->collider_b);
  api_record_put_f64(out, c->begun);
  api_record_put_f64(out, c->normal_velocity);
  api_record_put_f64(out, c->distance);
  put_result(out, &c->result);
  for (int i = 0; i < 3 && c->supports_defined; i++) {
    api_record_put_vec3(out, c->support_a[i]);
    api_record_put_vec3(out, c->support_b[i]);
  }
}

void api_record_put_state(api_buffer *out, const ct_contact_state *state) {
  const ct_contact_state_data data = ct_contact_state_save(state);
  api_record_put_f64(out, data.time);
  api_record_put_f64(out, data.epsilon);
  api_record_put_u8(out, (unsigned)data.method);
  if (data.method == CT_CONTACT_MPR) {
    api_record_put_f64(out, data.mpr.tolerance);
    api_record_put_u32(out, data.mpr.iterations_max);
  }
  api_record_put_u64(out, data.events);
  api_record_put_u64(out, data.last_pair);
  api_record_put_u64(out, data.next_serial);
  if (data.count > UINT32_MAX) out->failed = true;
  api_record_put_u32(out, (uint32_t)data.count);
  for (size_t i = 0; i < data.count; i++) put_contact_record(out, &data.records[i]);
}

/* ---- decode --------------------------------------------------------------------------------- */

static void get_result(api_record_cursor *in, ct_pair_result *r) {
  double numbers[12];
  uint32_t words[7];
  api_record_get_doubles(in, numbers, 12);
  api_record_get_words(in, words, 7);
  *r = (ct_pair_result){.distance = numbers[0],
                        .lower_bound = numbers[1],
                        .upper_bound = numbers[2],
                        .normal = {numbers[3], numbers[4], numbers[5]},
                        .point_a = {numbers[6], numbers[7], numbers[8]},
                        .point_b = {numbers[9], numbers[10], numbers[11]},
                        .flags = words[0],
                        .iterations = words[1],
                        .triangle_a = words[2],
                        .triangle_b = words[3],
                        .element_a = words[4],
                        .element_b = words[5],
                        .element_pairs = words[6]};
  r->relation = (ct_relation)api_record_get_u8(in);
  r->status = (ct_pair_status)api_record_get_u8(in);
  r->depth_kind = (ct_depth_kind)api_record_get_u8(in);
}

static bool get_contact(api_record_decoder *r, ct_contact_record *c) {
  api_record_cursor *in = &r->in;
  unsigned bits = api_record_get_u8(in);
  if (bits > ALL_BITS || (bits & IS_SURFACE && in->format < FORMAT_WITH_METHOD)) in->failed = true;
  *c = (ct_contact_record){.several_a = (bits & SEVERAL_A) != 0,
                           .several_b = (bits & SEVERAL_B) != 0,
                           .supports_defined = (bits & HAS_SUPPORTS) != 0,
                           .surface = (bits & IS_SURFACE) != 0};
  c->cause = (ct_contact_cause)api_record_get_u8(in);
  c->pair = api_record_get_u64(in);
  c->serial_a = api_record_get_u64(in);
  c->serial_b = api_record_get_u64(in);
  c->body_a = api_record_get_text(in, CT_ID_LENGTH_MAX);
  c->body_b = api_record_get_text(in, CT_ID_LENGTH_MAX);
  c->name_a = api_record_get_text(in, CT_ID_LENGTH_MAX);
  c->name_b = api_record_get_text(in, CT_ID_LENGTH_MAX);
  c->collider_a = api_record_get_u32(in);
  c->collider_b = api_record_get_u32(in);
  c->begun = api_record_get_f64(in);
  c->normal_velocity = api_record_get_f64(in);
  c->distance = api_record_get_f64(in);
  get_result(in, &c->result);
  for (int i = 0; i < 3 && c->supports_defined; i++) {
    c->support_a[i] = api_record_get_vec3(in);
    c->support_b[i] = api_record_get_vec3(in);
  }
  return api_decoder_is_valid(r);
}

bool api_record_get_state(api_record_decoder *r, const ct_contact_state **out) {
  ct_contact_state_data data = {.time = api_record_get_f64(&r->in)};
  data.epsilon = api_record_get_f64(&r->in);
  if (r->in.format >= FORMAT_WITH_METHOD)
    data.method = (ct_contact_method)api_record_get_u8(&r->in);
  if (data.method == CT_CONTACT_MPR) {
    data.mpr.tolerance = api_record_get_f64(&r->in);
    data.mpr.iterations_max = api_record_get_u32(&r->in);
  }
  data.events = api_record_get_u64(&r->in);
  data.last_pair = api_record_get_u64(&r->in);
  data.next_serial = api_record_get_u64(&r->in);
  data.count = api_record_get_count(&r->in, CONTACT_BYTES);
  api_arena_mark mark = api_arena_position(&r->arena);
  ct_contact_record *records = api_arena_array(&r->arena, data.count, sizeof *records);
  bool good = records || api_decoder_out_of_memory(r);
  for (size_t i = 0; i < data.count && good; i++) good = get_contact(r, &records[i]);
  data.records = records;
  good = good && api_decoder_is_valid(r) &&
         api_decoder_check_status(r, ct_contact_state_restore(&data, out),
                                  "A contact state has an invalid number");
  api_arena_rewind(&r->arena, mark);
  return good;
}
