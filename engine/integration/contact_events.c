/* Compares the pairs of colliders in contact before and after a step, by merging two lists that are
 * sorted by pair. */
#include "integration/contact_events.h"
#include "base/array.h"

#include <assert.h>
#include <stdlib.h>

static int compare_contact_pairs(const ct_advance_contact *x, const ct_advance_contact *y) {
  if (x->row_a != y->row_a) return x->row_a < y->row_a ? -1 : 1;
  if (x->row_b != y->row_b) return x->row_b < y->row_b ? -1 : 1;
  if (x->collider_a != y->collider_a) return x->collider_a < y->collider_a ? -1 : 1;
  if (x->collider_b != y->collider_b) return x->collider_b < y->collider_b ? -1 : 1;
  return 0;
}

static int compare_contact_items(const void *x, const void *y) {
  return compare_contact_pairs(x, y);
}

/* Returns the contact with the lower row first. Relative velocities along the normal are the same
 * either way. */
static ct_advance_contact sort_contact_rows(const ct_advance_contact *contact) {
  if (contact->row_a < contact->row_b) return *contact;
  ct_advance_contact swapped = *contact;
  swapped.row_a = contact->row_b;
  swapped.row_b = contact->row_a;
  swapped.collider_a = contact->collider_b;
  swapped.collider_b = contact->collider_a;
  swapped.normal = ct_neg(contact->normal);
  return swapped;
}

static ct_status append_contact(ct_contact_list *list, const ct_advance_contact *contact) {
  assert(list->count <= list->room);
  if (!ct_array_reserve(&list->items, &list->room, list->count + 1, sizeof *list->items))
    return CT_OUT_OF_MEMORY;
  list->items[list->count++] = *contact;
  return CT_OK;
}

/* Joins two points of one pair. */
static void join_points(ct_advance_contact *contact, const ct_advance_contact *point) {
  contact->impulse += point->impulse;
  contact->normal_velocity = ct_min2(contact->normal_velocity, point->normal_velocity);
  contact->separation = ct_min2(contact->separation, point->separation);
  if (!(point->distance < contact->distance)) return;
  contact->distance = point->distance;
  contact->position = point->position;
  contact->normal = point->normal;
}

/* Sorts the list by pair, and joins contacts of the same pair. */
static void sort_contacts(ct_contact_list *list) {
  bool sorted = true;
  for (size_t i = 1; i < list->count && sorted; i++)
    sorted = compare_contact_pairs(&list->items[i - 1], &list->items[i]) < 0;
  if (sorted) return;
  qsort(list->items, list->count, sizeof *list->items, compare_contact_items);
  size_t count = 1;
  for (size_t i = 1; i < list->count; i++) {
    if (compare_contact_pairs(&list->items[count - 1], &list->items[i]) == 0)
      join_points(&list->items[count - 1], &list->items[i]);
    else list->items[count++] = list->items[i];
  }
  list->count = count;
}

/* ---- the tracker ----------------------------------------------------------------------------- */

void ct_contact_tracker_free(ct_contact_tracker *tracker) {
  free(tracker->open.items);
  free(tracker->current.items);
  free(tracker->found.items);
  free(tracker->reported.items);
}

ct_status ct_contact_tracker_set(ct_contact_tracker *tracker, const ct_advance_contact *contacts,
                                 size_t count) {
  ct_contact_list list = {0};
  ct_status status = CT_OK;
  if (!tracker->enabled) return CT_OK;
  for (size_t i = 0; i < count && status == CT_OK; i++) {
    ct_advance_contact contact = sort_contact_rows(&contacts[i]);
    contact.impulse = 0.0;
    status = append_contact(&list, &contact);
  }
  if (status != CT_OK) {
    free(list.items);
    return status;
  }
  sort_contacts(&list);
  free(tracker->open.items);
  tracker->open = list;
  return CT_OK;
}

void ct_contact_tracker_begin_step(ct_contact_tracker *tracker) {
  tracker->found.count = tracker->reported.count = 0;
  tracker->compared = false;
}

void ct_contact_tracker_commit(ct_contact_tracker *tracker) {
  if (!tracker->compared) return;
  ct_contact_list open = tracker->open;
  tracker->open = tracker->current;
  tracker->current = open;
  tracker->compared = false;
}

/* Returns the contacts before the next comparison. */
static ct_contact_list *present_contacts(ct_contact_tracker *tracker) {
  return tracker->compared ? &tracker->current : &tracker->open;
}

/* Returns the index of the pair in the list, or of the place where it belongs; *is_found: the list
 * has it. */
static size_t find_contact_place(const ct_contact_list *list, const ct_advance_contact *pair,
                                 bool *is_found) {
  size_t low = 0, high = list->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (compare_contact_pairs(&list->items[middle], pair) < 0) low = middle + 1;
    else high = middle;
  }
  *is_found = low < list->count && compare_contact_pairs(&list->items[low], pair) == 0;
  return low;
}

/* ---- events ---------------------------------------------------------------------------------- */

static ct_status append_event(ct_advance_event_list *reported, const ct_advance_event *event) {
  assert(reported->count <= reported->room);
  if (!ct_array_reserve(&reported->items, &reported->room, reported->count + 1,
                        sizeof *reported->items))
    return CT_OUT_OF_MEMORY;
  reported->items[reported->count++] = *event;
  return CT_OK;
}

static ct_status report_change(ct_contact_tracker *tracker, ct_advance_event_kind kind, double time,
                               const ct_advance_contact *contact) {
  bool ended = kind == CT_ADVANCE_EVENT_ENDED;
  return append_event(
      &tracker->reported,
      &(ct_advance_event){.kind = kind,
                          .time = time,
                          .row_a = contact->row_a,
                          .row_b = contact->row_b,
                          .collider_a = contact->collider_a,
                          .collider_b = contact->collider_b,
                          .normal_velocity = ended ? contact->separation : contact->normal_velocity,
                          .impulse = contact->impulse,
                          .position = contact->position,
                          .normal = contact->normal,
                          .distance = contact->distance});
}

ct_status ct_contact_events_add(ct_contact_tracker *tracker, const ct_advance_contact *contact) {
  if (!tracker->enabled) return CT_OK;
  ct_contact_list *found = &tracker->found;
  const ct_advance_contact ordered = sort_contact_rows(contact);
  if (found->count > 0 && compare_contact_pairs(&found->items[found->count - 1], &ordered) == 0) {
    join_points(&found->items[found->count - 1], &ordered);
    return CT_OK;
  }
  return append_contact(found, &ordered);
}

/* Reports the contacts of `before` that `after` lacks. */
static ct_status report_ended_contacts(ct_contact_tracker *tracker, const ct_contact_list *before,
                                       const ct_contact_list *after, double time) {
  ct_status status = CT_OK;
  for (size_t i = 0, k = 0; i < before->count && status == CT_OK; i++) {
    const ct_advance_contact *old = &before->items[i];
    while (k < after->count && compare_contact_pairs(&after->items[k], old) < 0) k++;
    if (k == after->count || compare_contact_pairs(&after->items[k], old) != 0)
      status = report_change(tracker, CT_ADVANCE_EVENT_ENDED, time, old);
  }
  return status;
}

/* Reports the contacts of `after` that `before` lacks; the others get the impulses of before added.
 */
static ct_status report_begun_contacts(ct_contact_tracker *tracker, const ct_contact_list *before,
                                       ct_contact_list *after, double time) {
  ct_status status = CT_OK;
  for (size_t i = 0, k = 0; i < after->count && status == CT_OK; i++) {
    ct_advance_contact *now = &after->items[i];
    while (k < before->count && compare_contact_pairs(&before->items[k], now) < 0) k++;
    if (k < before->count && compare_contact_pairs(&before->items[k], now) == 0)
      now->impulse += before->items[k].impulse;
    else status = report_change(tracker, CT_ADVANCE_EVENT_BEGAN, time, now);
  }
  return status;
}

ct_status ct_contact_events_compare(ct_contact_tracker *tracker, double time) {
  if (!tracker->enabled) return CT_OK;
  const ct_contact_list *before = present_contacts(tracker);
  sort_contacts(&tracker->found);
  ct_status status = report_ended_contacts(tracker, before, &tracker->found, time);
  if (status == CT_OK) status = report_begun_contacts(tracker, before, &tracker->found, time);
  if (status != CT_OK) return status;
  ct_contact_list current = tracker->current;
  tracker->current = tracker->found;
  tracker->found = current;
  tracker->found.count = 0;
  tracker->compared = true;
  return CT_OK;
}

/* Makes `current` a copy of the open contacts, if the step has compared none so far. */
static ct_status copy_open_contacts(ct_contact_tracker *tracker) {
  if (tracker->compared) return CT_OK;
  tracker->current.count = 0;
  for (size_t i = 0; i < tracker->open.count; i++)
    if (append_contact(&tracker->current, &tracker->open.items[i]) != CT_OK)
      return CT_OUT_OF_MEMORY;
  tracker->compared = true;
  return CT_OK;
}

/* Adds the impact to the present contacts, and reports BEGAN if the pair is not among them. */
static ct_status add_impact_contact(ct_contact_tracker *tracker, const ct_advance_contact *contact,
                                    double time) {
  ct_contact_list *current = &tracker->current;
  ct_status status = copy_open_contacts(tracker);
  if (status != CT_OK) return status;
  bool is_found;
  size_t place = find_contact_place(current, contact, &is_found);
  if (is_found) {
    current->items[place].impulse += contact->impulse;
    current->items[place].separation = contact->separation;
    return CT_OK;
  }
  status = append_contact(current, contact);
  if (status != CT_OK) return status;
  for (size_t i = current->count - 1; i > place; i--) current->items[i] = current->items[i - 1];
  current->items[place] = *contact;
  return report_change(tracker, CT_ADVANCE_EVENT_BEGAN, time, contact);
}

ct_status ct_contact_events_impact(ct_contact_tracker *tracker, const ct_advance_contact *contact,
                                   double time) {
  const ct_advance_contact ordered = sort_contact_rows(contact);
  ct_status status = tracker->enabled ? add_impact_contact(tracker, &ordered, time) : CT_OK;
  return status == CT_OK ? report_change(tracker, CT_ADVANCE_EVENT_IMPACT, time, &ordered) : status;
}

void ct_contact_events_set_separation(ct_contact_tracker *tracker,
                                      const ct_advance_contact *contact) {
  const ct_advance_contact ordered = sort_contact_rows(contact);
  ct_contact_list *present = present_contacts(tracker);
  bool is_found;
  size_t place = find_contact_place(present, &ordered, &is_found);
  if (is_found) present->items[place].separation = contact->separation;
}
