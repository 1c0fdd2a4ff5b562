/* Contact states: allocation, reference counting, access to the records, export as data, and
 * restoration from data with all checks. A state is one immutable block of memory. */
#include "contact_state/contact_state.h"
#include <contact/limits.h>
#include <contact/restore.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

ct_contact_state *ct_contact_state_new(size_t count, size_t text_bytes, char **texts) {
  size_t records = count * sizeof(ct_contact_record),
         bytes = sizeof(ct_contact_state) + records + text_bytes;
  ct_contact_state *state = calloc(1, bytes);
  if (!state) return NULL;
  atomic_init(&state->refs, 1);
  state->count = count;
  state->bytes = bytes;
  *texts = (char *)state->records + records;
  return state;
}

/* Returns the state without const, to change its reference count; its contents stay const. */
static ct_contact_state *mutable_state(const ct_contact_state *state) {
  return (ct_contact_state *)(uintptr_t)state;
}

const ct_contact_state *ct_contact_state_retain(const ct_contact_state *state) {
  assert(atomic_load_explicit(&state->refs, memory_order_relaxed) > 0);
  atomic_fetch_add_explicit(&mutable_state(state)->refs, 1, memory_order_relaxed);
  return state;
}

void ct_contact_state_release(const ct_contact_state *state) {
  if (state && atomic_fetch_sub_explicit(&mutable_state(state)->refs, 1, memory_order_acq_rel) == 1)
    free(mutable_state(state));
}

double ct_contact_state_time(const ct_contact_state *state) { return state->time; }
double ct_contact_state_epsilon(const ct_contact_state *state) { return state->epsilon; }
ct_contact_method ct_contact_state_method(const ct_contact_state *state) { return state->method; }
ct_mpr_options ct_contact_state_mpr(const ct_contact_state *state) { return state->mpr; }
uint64_t ct_contact_state_events(const ct_contact_state *state) { return state->events; }
size_t ct_contact_state_count(const ct_contact_state *state) { return state->count; }
const ct_contact_record *ct_contact_state_record(const ct_contact_state *state, size_t index) {
  assert(index < state->count);
  return &state->records[index];
}
size_t ct_contact_state_bytes(const ct_contact_state *state) { return state->bytes; }

void ct_contact_functions(const double *signed_distances, const bool *in_contact, size_t count,
                          double epsilon, double z[2]) {
  ct_contact_reduction fold = ct_contact_reduction_start(epsilon);
  for (size_t i = 0; i < count; i++)
    ct_contact_reduction_add(&fold, signed_distances[i], in_contact[i]);
  z[0] = fold.z[0];
  z[1] = fold.z[1];
}

/* ---- data ------------------------------------------------------------------------------------ */

/* Flags that a stored pair result may have: with any method, and in addition with method MPR. */
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

static bool is_finite_vec(ct_vec3 v) { return isfinite(v.x) && isfinite(v.y) && isfinite(v.z); }

/* True if the result has finite values and known enumerators, and no flag outside `flags`. Its
 * bounds may be infinite. */
static bool check_result(const ct_pair_result *r, uint32_t flags) {
  return isfinite(r->distance) && !isnan(r->lower_bound) && !isnan(r->upper_bound) &&
         is_finite_vec(r->normal) && is_finite_vec(r->point_a) && is_finite_vec(r->point_b) &&
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
    good = is_finite_vec(r->support_a[i]) && is_finite_vec(r->support_b[i]);
  return good;
}

/* True if record x comes before y: by serial numbers, which ascend with rows, then by colliders. */
static bool are_records_ordered(const ct_contact_record *x, const ct_contact_record *y) {
  if (x->serial_a != y->serial_a) return x->serial_a < y->serial_a;
  if (x->serial_b != y->serial_b) return x->serial_b < y->serial_b;
  if (x->collider_a != y->collider_a) return x->collider_a < y->collider_a;
  return x->collider_b < y->collider_b;
}

static int compare_state_pairs(const void *x, const void *y) {
  uint64_t p = *(const uint64_t *)x, q = *(const uint64_t *)y;
  return (p > q) - (p < q);
}

/* Checks that the records have distinct pair numbers. CT_LIMIT: two are equal; CT_OUT_OF_MEMORY. */
static ct_status check_pair_numbers(const ct_contact_state_data *data) {
  uint64_t *pairs = malloc((data->count + 1) * sizeof *pairs);
  if (!pairs) return CT_OUT_OF_MEMORY;
  for (size_t i = 0; i < data->count; i++) pairs[i] = data->records[i].pair;
  if (data->count > 1) qsort(pairs, data->count, sizeof *pairs, compare_state_pairs);
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

static ct_status check_state_data(const ct_contact_state_data *data) {
  if (!check_method(data)) return CT_LIMIT;
  if (!isfinite(data->time) || !(data->epsilon > 0.0 && data->epsilon <= CT_CONTACT_EPSILON_MAX) ||
      data->events < 1)
    return CT_LIMIT;
  for (size_t i = 0; i < data->count; i++) {
    if (!check_record(data, &data->records[i])) return CT_LIMIT;
    if (i > 0 && !are_records_ordered(&data->records[i - 1], &data->records[i])) return CT_LIMIT;
  }
  return check_pair_numbers(data);
}

/* ---- creation -------------------------------------------------------------------------------- */

static ct_text move_text(ct_text text, char **texts) {
  ct_text copy = {*texts, text.length};
  if (text.length) memcpy(*texts, text.bytes, text.length);
  *texts += text.length;
  return copy;
}

ct_status ct_contact_state_restore(const ct_contact_state_data *data,
                                   const ct_contact_state **out) {
  ct_status status = check_state_data(data);
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
    r->body_a = move_text(r->body_a, &texts);
    r->body_b = move_text(r->body_b, &texts);
    r->name_a = move_text(r->name_a, &texts);
    r->name_b = move_text(r->name_b, &texts);
  }
  *out = state;
  return CT_OK;
}
