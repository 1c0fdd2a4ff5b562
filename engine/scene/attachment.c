/* Attachments of a revision. Entries and lists are immutable and reference-counted; creating a list
 * of n entries copies n pointers. */
#include "scene/attachment.h"

#include <stdlib.h>
#include <string.h>

struct ct_attached {
  _Atomic uint32_t refs;
  ct_attachment_type type;
  ct_attachment shown; /* what ct_attached_list_at returns; its name points into `bytes` */
  char bytes[];
};

static int compare_entry_names(ct_text a, ct_text b) {
  size_t both = a.length < b.length ? a.length : b.length;
  int order = both ? memcmp(a.bytes, b.bytes, both) : 0;
  return order ? order : (a.length > b.length) - (a.length < b.length);
}

static ct_attached *new_entry(const ct_attachment *attachment, const ct_attachment_type *type) {
  ct_text name = attachment->name;
  ct_attached *entry = malloc(sizeof *entry + name.length);
  if (!entry) return NULL;
  atomic_init(&entry->refs, 1);
  entry->type = *type;
  if (name.length) memcpy(entry->bytes, name.bytes, name.length);
  entry->shown = (ct_attachment){{entry->bytes, name.length}, attachment->value};
  type->retain(attachment->value);
  return entry;
}

static ct_attached *retain_entry(ct_attached *entry) {
  atomic_fetch_add_explicit(&entry->refs, 1, memory_order_relaxed);
  return entry;
}

static void release_entry(ct_attached *entry) {
  if (atomic_fetch_sub_explicit(&entry->refs, 1, memory_order_acq_rel) != 1) return;
  entry->type.release(entry->shown.value);
  free(entry);
}

ct_attached_list *ct_attached_list_retain(ct_attached_list *list) {
  if (list) atomic_fetch_add_explicit(&list->refs, 1, memory_order_relaxed);
  return list;
}

void ct_attached_list_release(ct_attached_list *list) {
  if (!list || atomic_fetch_sub_explicit(&list->refs, 1, memory_order_acq_rel) != 1) return;
  for (uint32_t i = 0; i < list->count; i++) release_entry(list->entries[i]);
  free(list);
}

const ct_attachment *ct_attached_list_at(const ct_attached_list *list, size_t index) {
  return &list->entries[index]->shown;
}

/* Returns the index of the first entry whose name is not less than the given one (binary search).
 * *there: its name is equal. */
static uint32_t find_entry_index(const ct_attached_list *list, ct_text name, bool *there) {
  uint32_t low = 0, high = list ? list->count : 0;
  *there = false;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    int order = compare_entry_names(list->entries[middle]->shown.name, name);
    if (order == 0) *there = true;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

const ct_attachment *ct_attached_list_find(const ct_attached_list *list, ct_text name) {
  bool there;
  uint32_t at = find_entry_index(list, name, &there);
  return there ? &list->entries[at]->shown : NULL;
}

ct_status ct_attached_list_with(ct_attached_list *list, const ct_attachment *attachment,
                                const ct_attachment_type *type, ct_attached_list **out) {
  bool there;
  uint32_t count = list ? list->count : 0, at = find_entry_index(list, attachment->name, &there);
  uint32_t left = count - (there ? 1 : 0), wanted = left + (attachment->value ? 1 : 0);
  if (wanted > CT_ATTACHMENTS_MAX) return CT_LIMIT;
  if (attachment->value && (!type || !type->retain || !type->release || !type->bytes))
    return CT_LIMIT;
  *out = NULL;
  if (wanted == 0) return CT_OK;
  ct_attached_list *made = malloc(sizeof *made + wanted * sizeof made->entries[0]);
  ct_attached *entry = made && attachment->value ? new_entry(attachment, type) : NULL;
  if (!made || (attachment->value && !entry)) {
    free(made);
    return CT_OUT_OF_MEMORY;
  }
  atomic_init(&made->refs, 1);
  made->count = 0;
  for (uint32_t i = 0; i < at; i++) made->entries[made->count++] = retain_entry(list->entries[i]);
  if (entry) made->entries[made->count++] = entry;
  for (uint32_t i = at + (there ? 1 : 0); i < count; i++)
    made->entries[made->count++] = retain_entry(list->entries[i]);
  *out = made;
  return CT_OK;
}

size_t ct_attached_list_bytes(const ct_attached_list *list) {
  if (!list || atomic_load_explicit(&list->refs, memory_order_relaxed) != 1) return 0;
  size_t bytes = sizeof *list + list->count * sizeof list->entries[0];
  for (uint32_t i = 0; i < list->count; i++) {
    const ct_attached *entry = list->entries[i];
    if (atomic_load_explicit(&entry->refs, memory_order_relaxed) != 1) continue;
    bytes += sizeof *entry + entry->shown.name.length + entry->type.bytes(entry->shown.value);
  }
  return bytes;
}

uint64_t ct_attached_list_weight(const ct_attached_list *list) {
  uint64_t weight = 0;
  for (uint32_t i = 0; list && i < list->count; i++)
    weight += list->entries[i]->type.bytes(list->entries[i]->shown.value);
  return weight;
}
