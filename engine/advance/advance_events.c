/* Events of the step: kept until the next one. */
#include "advance/advance.h"

#include <stdlib.h>

ct_status ct_advance_add_event(ct_advance *advance, const ct_advance_event *event) {
  ct_advance_event_list *reported = &advance->reported;
  if (reported->count == reported->room) {
    size_t room = 2 * reported->room + 16;
    ct_advance_event *items = realloc(reported->items, room * sizeof *items);
    if (!items) return CT_OUT_OF_MEMORY;
    reported->items = items;
    reported->room = room;
  }
  reported->items[reported->count++] = *event;
  return CT_OK;
}

const ct_advance_event *ct_advance_events(const ct_advance *advance, size_t *count) {
  *count = advance->reported.count;
  return advance->reported.items;
}
