/* Cancel flag: an atomic bool that any thread raises and long computations poll. */
#include <contact/base.h>

#include <stdatomic.h>
#include <stdlib.h>

struct ct_cancel {
  atomic_bool raised;
};

ct_cancel *ct_cancel_create(void) {
  ct_cancel *cancel = malloc(sizeof *cancel);
  if (cancel) atomic_init(&cancel->raised, false);
  return cancel;
}

void ct_cancel_raise(ct_cancel *cancel) {
  atomic_store_explicit(&cancel->raised, true, memory_order_relaxed);
}

bool ct_cancel_raised(const ct_cancel *cancel) {
  return cancel && atomic_load_explicit(&cancel->raised, memory_order_relaxed);
}

void ct_cancel_destroy(ct_cancel *cancel) { free(cancel); }
