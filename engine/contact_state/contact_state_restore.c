/* Contact states as data, and made again from it. */
#include "contact_state/contact_state.h"

#include <contact/limits.h>
#include <contact/restore.h>

#include <stdlib.h>
#include <string.h>

/* Flags that a result may have. */
#define FLAGS ((uint32_t)(CT_FLAG_NORMAL_ARBITRARY | CT_FLAG_WITNESS_NOT_UNIQUE))
#define MPR_FLAGS                                                                                  \
  ((uint32_t)(CT_FLAG_TOLERANCE_RAISED | CT_FLAG_CENTRES_COINCIDE | CT_FLAG_PLANAR_MINKOWSKI))

ct_contact_state_data ct_contact_state_save(const ct_contact_state *state) {
  return (ct_contact_state_data){.time = state->time,
                                 .epsilon = state->epsilon,
                                 .method = state->method,
                                 .mpr = state->mpr,
                                 .events = state->events,
                                 .last_pair = state->last_pair,
                                 .next_serial = state->next_serial,
                                 .records = state->records,
                                 .count = state->count};
}

/* ---- checks --------------------------------------------------------------------------------- */

static bool is_finite(ct_vec3 v) { return isfinite(v.x) && isfinite(v.y) && isfinite(v.z); }

/* Bounds may be infinite. */
static bool check_result(const ct_pair_result *r, uint32_t flags) {
  return isfinite(r->distance) && !isnan(r->lower_bound) && !isnan(r->upper_bound) &&
         is_finite(r->normal) && is_finite(r->point_a) && is_finite(r->point_b) &&
         (unsigned)r->relation <= CT_CONTAINED && (unsigned)r->status <= CT_PAIR_UNSUPPORTED &&
         (unsigned)r->depth_kind <= CT_DEPTH_NONE && (r->flags & ~flags) == 0;
}

static bool check_texts(const ct_contact_record *r) {
  return r->body_a.length > 0 && r->body_a.length <= CT_ID_LENGTH_MAX && r->body_b.length > 0 &&
         r->body_b.length <= CT_ID_LENGTH_MAX && r->name_a.length <= CT_ID_LENGTH_MAX &&
         r->name_b.length <= CT_ID_LENGTH_MAX;
}

static bool check_record(const ct_contact_state_data *data, const ct_contact_record *r) {
  uint32_t flags = data->method == CT_CONTACT_MPR ? FLAGS | MPR_FLAGS : FLAGS;
  bool good = r->pair >= 1 && r->pair <= data->last_pair && r->serial_a < r->serial_b &&
              r->serial_b < data->next_serial;
  good = good && check_texts(r) && check_result(&r->result, flags) &&
         (unsigned)r->cause <= CT_CAUSE_TIME;
  good = good && isfinite(r->begun) && r->begun <= data->time && isfinite(r->normal_velocity) &&
         isfinite(r->distance);
  for (int i = 0; i < 3 && good && r->supports_defined; i++)
    good = is_finite(r->support_a[i]) && is_finite(r->support_b[i]);
  return good;
}

/* Serials grow with rows: records are in the order of these, then of colliders. */
static bool in_order(const ct_contact_record *x, const ct_contact_record *y) {
  if (x->serial_a != y->serial_a) return x->serial_a < y->serial_a;
  if (x->serial_b != y->serial_b) return x->serial_b < y->serial_b;
  if (x->collider_a != y->collider_a) return x->collider_a < y->collider_a;
  return x->collider_b < y->collider_b;
}

static int by_number(const void *x, const void *y) {
  uint64_t p = *(const uint64_t *)x, q = *(const uint64_t *)y;
  return (p > q) - (p < q);
}

/* Has each record a pair's id of its own? */
static ct_status check_pairs(const ct_contact_state_data *data) {
  uint64_t *pairs = malloc((data->count + 1) * sizeof *pairs);
  if (!pairs) return CT_OUT_OF_MEMORY;
  for (size_t i = 0; i < data->count; i++) pairs[i] = data->records[i].pair;
  if (data->count > 1) qsort(pairs, data->count, sizeof *pairs, by_number);
  ct_status status = CT_OK;
  for (size_t i = 1; i < data->count; i++)
    if (pairs[i] == pairs[i - 1]) status = CT_LIMIT;
  free(pairs);
  return status;
}

static bool check_method(const ct_contact_state_data *data) {
  if (data->method == CT_CONTACT_DISTANCE)
    return data->mpr.tolerance == 0.0 && data->mpr.iterations_max == 0;
  return data->method == CT_CONTACT_MPR && data->mpr.tolerance > 0.0 &&
         isfinite(data->mpr.tolerance) && data->mpr.iterations_max > 0;
}

static ct_status check(const ct_contact_state_data *data) {
  if (!check_method(data)) return CT_LIMIT;
  if (!isfinite(data->time) || !(data->epsilon > 0.0 && data->epsilon <= CT_CONTACT_EPSILON_MAX) ||
      data->events < 1)
    return CT_LIMIT;
  for (size_t i = 0; i < data->count; i++) {
    if (!check_record(data, &data->records[i])) return CT_LIMIT;
    if (i > 0 && !in_order(&data->records[i - 1], &data->records[i])) return CT_LIMIT;
  }
  return check_pairs(data);
}

/* ---- making --------------------------------------------------------------------------------- */

static ct_text copy_text(ct_text text, char **texts) {
  ct_text copy = {*texts, text.length};
  if (text.length) memcpy(*texts, text.bytes, text.length);
  *texts += text.length;
  return copy;
}

ct_status ct_contact_state_restore(const ct_contact_state_data *data,
                                   const ct_contact_state **out) {
  ct_status status = check(data);
  if (status != CT_OK) return status;
  size_t text_bytes = 0;
  for (size_t i = 0; i < data->count; i++) {
    const ct_contact_record *r = &data->records[i];
    text_bytes += r->body_a.length + r->body_b.length + r->name_a.length + r->name_b.length;
  }
  char *texts;
  ct_contact_state *state = ct_contact_state_new(data->count, text_bytes, &texts);
  if (!state) return CT_OUT_OF_MEMORY;
  state->time = data->time;
  state->epsilon = data->epsilon;
  state->method = data->method;
  state->mpr = data->mpr;
  state->events = data->events;
  state->last_pair = data->last_pair;
  state->next_serial = data->next_serial;
  for (size_t i = 0; i < data->count; i++) {
    ct_contact_record *r = &state->records[i];
    *r = data->records[i];
    r->body_a = copy_text(r->body_a, &texts);
    r->body_b = copy_text(r->body_b, &texts);
    r->name_a = copy_text(r->name_a, &texts);
    r->name_b = copy_text(r->name_b, &texts);
  }
  *out = state;
  return CT_OK;
}
