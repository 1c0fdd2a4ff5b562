/* Events of the step: kept until the next one. */
#include "advance/advance.h"

#include <stdlib.h>

ct_status ct_advance_add_event(ct_advance *advance, const ct_advance_event *event) {
  ct_advance_event_list *told = &advance->told;
  if (told->count == told->room) {
    size_t room = 2 * told->room + 16;
    ct_advance_event *items = realloc(told->items, room * sizeof *items);
    if (!items) return CT_OUT_OF_MEMORY;
    told->items = items;
    told->room = room;
  }
  told->items[told->count++] = *event;
  return CT_OK;
}

const ct_advance_event *ct_advance_events(const ct_advance *advance, size_t *count) {
  *count = advance->told.count;
  return advance->told.items;
}
