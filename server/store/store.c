/* Functions shared by all implementations of the store. */
#include "store/store.h"

#include <stdlib.h>

void srv_store_load_free(srv_store_load *load) {
  for (size_t i = 0; i < load->count; i++) free(load->records[i].bytes);
  free(load->records);
  load->records = NULL;
  load->count = 0;
}
