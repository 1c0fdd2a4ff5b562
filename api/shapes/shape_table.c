/* Posted shapes, and tables that contain them by id. */
#include "shapes/shape_table.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Memory of a shape, bytes, from which on copying or scaling it takes noticeable time. */
#define HEAVY_BYTES 65536u

struct api_shape {
  _Atomic size_t references;
  api_shape_form form; /* id, report and face ids are stored behind this struct */
  uint64_t memory;
};

struct api_shape_table {
  _Atomic size_t references;
  size_t count;
  uint64_t memory;
  const api_shape *items[];
};

/* ---- shapes --------------------------------------------------------------------------------- */

const api_shape *api_shape_create(const api_shape_form *form) {
  assert(form->id && (form->report.bytes || form->report.length == 0));
  const uint32_t *surface_ids = form->shape.surface_ids;
  size_t surface_bytes =
      surface_ids ? ct_kind_surface_count(form->shape.kind) * sizeof *surface_ids : 0;
  size_t id_length = strlen(form->id),
         bytes = sizeof(api_shape) + surface_bytes + id_length + 1 + form->report.length;
  api_shape *shape = malloc(bytes);
  if (!shape) return NULL;
  char *own_ids = (char *)(shape + 1), *id = own_ids + surface_bytes, *report = id + id_length + 1;
  if (surface_bytes) memcpy(own_ids, surface_ids, surface_bytes);
  memcpy(id, form->id, id_length + 1);
  memcpy(report, form->report.bytes, form->report.length);
  atomic_init(&shape->references, 1);
  shape->form = *form;
  shape->form.shape.lent = true;
  shape->form.shape.surface_ids = surface_bytes ? (const uint32_t *)(const void *)own_ids : NULL;
  shape->form.id = id;
  shape->form.report.bytes = report;
  shape->memory = bytes + ct_shape_bytes(&form->shape);
  ct_shape_retain(&form->shape);
  return shape;
}

static const api_shape *retain(const api_shape *shape) {
  assert(shape);
  atomic_fetch_add_explicit(&((api_shape *)(uintptr_t)shape)->references, 1, memory_order_relaxed);
  return shape;
}

void api_shape_release(const api_shape *shape) {
  api_shape *mine = (api_shape *)(uintptr_t)shape;
  if (!mine || atomic_fetch_sub_explicit(&mine->references, 1, memory_order_acq_rel) != 1) return;
  ct_shape_release(&mine->form.shape);
  free(mine);
}

const api_shape_form *api_shape_get(const api_shape *shape) { return &shape->form; }

uint64_t api_shape_memory(const api_shape *shape) { return shape->memory; }

/* ---- tables --------------------------------------------------------------------------------- */

static api_shape_table *allocate_table(size_t count) {
  api_shape_table *table = malloc(sizeof *table + count * sizeof(const api_shape *));
  if (!table) return NULL;
  atomic_init(&table->references, 1);
  table->count = 0;
  table->memory = 0;
  return table;
}

static void add(api_shape_table *table, const api_shape *shape) {
  table->items[table->count++] = retain(shape);
  table->memory += shape->memory;
}

const api_shape_table *api_shapes_create(void) { return allocate_table(0); }

const api_shape_table *api_shapes_retain(const api_shape_table *table) {
  if (table)
    atomic_fetch_add_explicit(&((api_shape_table *)(uintptr_t)table)->references, 1,
                              memory_order_relaxed);
  return table;
}

void api_shapes_release(const api_shape_table *table) {
  api_shape_table *mine = (api_shape_table *)(uintptr_t)table;
  if (!mine || atomic_fetch_sub_explicit(&mine->references, 1, memory_order_acq_rel) != 1) return;
  for (size_t i = 0; i < mine->count; i++) api_shape_release(mine->items[i]);
  free(mine);
}

bool api_shapes_scale_slowly(const api_shape_table *table) {
  return table && table->memory > HEAVY_BYTES;
}

/* Returns the index of the first shape whose id is not below `id`, or the number of shapes. */
static size_t find_shape_index(const api_shape_table *table, ct_text id) {
  size_t low = 0, high = table ? table->count : 0;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (api_text_compare(api_text(table->items[middle]->form.id), id) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

const api_shape *api_shapes_find(const api_shape_table *table, ct_text id) {
  size_t at = find_shape_index(table, id);
  return at < api_shapes_count(table) && api_text_equal(api_text(table->items[at]->form.id), id)
             ? table->items[at]
             : NULL;
}

size_t api_shapes_count(const api_shape_table *table) { return table ? table->count : 0; }

const api_shape *api_shapes_at(const api_shape_table *table, size_t index) {
  assert(table && index < table->count);
  return table->items[index];
}

uint64_t api_shapes_memory(const api_shape_table *table) { return table ? table->memory : 0; }

const api_shape_table *api_shapes_with(const api_shape_table *table, const api_shape *shape) {
  size_t count = api_shapes_count(table), at = find_shape_index(table, api_text(shape->form.id));
  assert(!api_shapes_find(table, api_text(shape->form.id)));
  api_shape_table *next = allocate_table(count + 1);
  if (!next) return NULL;
  for (size_t i = 0; i < at; i++) add(next, table->items[i]);
  add(next, shape);
  for (size_t i = at; i < count; i++) add(next, table->items[i]);
  return next;
}

const api_shape_table *api_shapes_without(const api_shape_table *table, ct_text id) {
  assert(api_shapes_find(table, id));
  size_t at = find_shape_index(table, id);
  api_shape_table *next = allocate_table(table->count - 1);
  if (!next) return NULL;
  for (size_t i = 0; i < table->count; i++)
    if (i != at) add(next, table->items[i]);
  return next;
}

const api_shape_table *api_shapes_union(const api_shape_table *table, const api_shape_table *more) {
  const api_shape_table *joined = api_shapes_retain(table);
  for (size_t i = 0; joined && i < api_shapes_count(more); i++) {
    if (api_shapes_find(joined, api_text(more->items[i]->form.id))) continue;
    const api_shape_table *next = api_shapes_with(joined, more->items[i]);
    api_shapes_release(joined);
    joined = next;
  }
  return joined;
}

const char *api_shapes_id(const api_shape_table *table, size_t index) {
  assert(table && index < table->count);
  return table->items[index]->form.id;
}

bool api_shapes_has(const api_shape_table *table, const char *id) {
  return api_shapes_find(table, api_text(id)) != NULL;
}

const api_shape_table *api_shapes_drop(const api_shape_table *table, const char *id) {
  return api_shapes_has(table, id) ? api_shapes_without(table, api_text(id))
                                   : api_shapes_retain(table);
}

/* True if the sorted list contains the id. *at advances to the id's index in the list, or to where
 * it would have to be inserted. */
static bool walk_to(const char *id, const char *ids, size_t count, size_t stride, size_t *at) {
  int order = 1;
  while (*at < count && (order = strcmp(ids + *at * stride, id)) < 0) ++*at;
  return *at < count && order == 0;
}

/* Both lists ascend in id: a merge pass counts the shapes that stay; a second pass builds the table
 * only if some do not. */
const api_shape_table *api_shapes_intersect(const api_shape_table *table, const char *ids,
                                            size_t count, size_t stride) {
  assert(table && stride > 0);
  size_t left = 0;
  for (size_t i = 0, at = 0; i < table->count; i++)
    left += walk_to(table->items[i]->form.id, ids, count, stride, &at);
  if (left == table->count) return api_shapes_retain(table);
  api_shape_table *next = allocate_table(left);
  for (size_t i = 0, at = 0; next && i < table->count; i++)
    if (walk_to(table->items[i]->form.id, ids, count, stride, &at)) add(next, table->items[i]);
  return next;
}
