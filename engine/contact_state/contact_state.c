/* Contact states: one immutable block each. */
#include "contact_state/contact_state.h"

#include <stdlib.h>

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

/* The state for its own count of holders; what it says stays. */
static ct_contact_state *late(const ct_contact_state *state) {
  return (ct_contact_state *)(uintptr_t)state;
}

const ct_contact_state *ct_contact_state_retain(const ct_contact_state *state) {
  atomic_fetch_add_explicit(&late(state)->refs, 1, memory_order_relaxed);
  return state;
}

void ct_contact_state_release(const ct_contact_state *state) {
  if (state && atomic_fetch_sub_explicit(&late(state)->refs, 1, memory_order_acq_rel) == 1)
    free(late(state));
}

double ct_contact_state_time(const ct_contact_state *state) { return state->time; }
double ct_contact_state_epsilon(const ct_contact_state *state) { return state->epsilon; }
ct_contact_method ct_contact_state_method(const ct_contact_state *state) { return state->method; }
ct_mpr_options ct_contact_state_mpr(const ct_contact_state *state) { return state->mpr; }
uint64_t ct_contact_state_events(const ct_contact_state *state) { return state->events; }
size_t ct_contact_state_count(const ct_contact_state *state) { return state->count; }
const ct_contact_record *ct_contact_state_record(const ct_contact_state *state, size_t index) {
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
