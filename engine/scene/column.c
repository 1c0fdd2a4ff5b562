/* The chunked copy-on-write column in two levels: a top array of pages, and pages of chunks of
 * rows. */
#include "scene/column.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_CHUNKS (1u << CT_COLUMN_PAGE_SHIFT)
#define FIRST_ROWS 4
#define FIRST_CHUNKS 2

/* True if the caller's column alone references the block. The acquire load pairs with the release
 * of the last other owner. */
static bool is_unshared(const _Atomic uint32_t *refs) {
  return atomic_load_explicit(refs, memory_order_acquire) == 1;
}
static void add_reference(_Atomic uint32_t *refs) {
  assert(atomic_load_explicit(refs, memory_order_relaxed) > 0);
  atomic_fetch_add_explicit(refs, 1, memory_order_relaxed);
}
static bool drop_reference(_Atomic uint32_t *refs) {
  assert(atomic_load_explicit(refs, memory_order_relaxed) > 0);
  return atomic_fetch_sub_explicit(refs, 1, memory_order_acq_rel) == 1;
}

/* Returns the smallest power of two times `first` that is at least `needed`, but at most `most`. */
static uint32_t capacity_for(uint32_t needed, uint32_t first, uint32_t most) {
  assert(0 < first && first <= most);
  uint32_t room = first;
  while (room < needed && room < most) room *= 2;
  return room < most ? room : most;
}

/* ---- chunks --------------------------------------------------------------------------------- */

static size_t chunk_bytes(const ct_column_type *type, uint32_t capacity) {
  return sizeof(ct_column_chunk) + capacity * type->element;
}

static ct_column_chunk *new_chunk(const ct_column_type *type, uint32_t capacity) {
  ct_column_chunk *chunk = calloc(1, chunk_bytes(type, capacity));
  if (!chunk) return NULL;
  atomic_init(&chunk->refs, 1);
  chunk->capacity = capacity;
  return chunk;
}

static void each_pointer(const ct_column_chunk *chunk, void (*act)(const void *element)) {
  const void *const *pointers = (const void *const *)(chunk + 1);
  for (uint32_t i = 0; i < chunk->capacity; i++)
    if (pointers[i]) act(pointers[i]);
}

static void release_chunk(const ct_column_type *type, ct_column_chunk *chunk) {
  if (!chunk || !drop_reference(&chunk->refs)) return;
  if (type->release) each_pointer(chunk, type->release);
  free(chunk);
}

/* Returns a new chunk of this capacity with the rows of `old`, whose reference is released. NULL:
 * out of memory; `old` is unchanged. */
static ct_column_chunk *renew_chunk(const ct_column_type *type, ct_column_chunk *old,
                                    uint32_t capacity, size_t *copied) {
  ct_column_chunk *chunk = new_chunk(type, capacity);
  if (!chunk || !old) return chunk;
  assert(old->capacity <= capacity);
  memcpy(chunk + 1, old + 1, old->capacity * type->element);
  if (is_unshared(&old->refs)) {
    free(old); /* the references to the objects have moved to the new chunk */
    return chunk;
  }
  *copied += chunk_bytes(type, old->capacity);
  if (type->retain) each_pointer(chunk, type->retain);
  release_chunk(type, old);
  return chunk;
}

/* ---- pages ---------------------------------------------------------------------------------- */

static ct_column_page *new_page(uint32_t capacity) {
  ct_column_page *page = calloc(1, sizeof *page + capacity * sizeof page->chunks[0]);
  if (!page) return NULL;
  atomic_init(&page->refs, 1);
  page->capacity = capacity;
  return page;
}

static void release_page(const ct_column_type *type, ct_column_page *page) {
  if (!page || !drop_reference(&page->refs)) return;
  for (uint32_t i = 0; i < page->capacity; i++) release_chunk(type, page->chunks[i]);
  free(page);
}

/* Returns a new page of this capacity with the chunk pointers of `old`, like renew_chunk. */
static ct_column_page *renew_page(const ct_column_type *type, ct_column_page *old,
                                  uint32_t capacity, size_t *copied) {
  ct_column_page *page = new_page(capacity);
  if (!page || !old) return page;
  assert(old->capacity <= capacity);
  memcpy(page->chunks, old->chunks, old->capacity * sizeof page->chunks[0]);
  if (is_unshared(&old->refs)) {
    free(old);
    return page;
  }
  *copied += sizeof *page + old->capacity * sizeof page->chunks[0];
  for (uint32_t i = 0; i < old->capacity; i++)
    if (page->chunks[i]) add_reference(&page->chunks[i]->refs);
  release_page(type, old);
  return page;
}

/* Returns page `index`, with capacity for chunk `slot` and referenced by this column only; it is
 * copied if needed. NULL: out of memory. */
static ct_column_page *own_page(ct_column *column, uint32_t index, uint32_t slot, size_t *copied) {
  assert(index < column->page_count && slot < PAGE_CHUNKS);
  ct_column_page *page = index < column->page_count ? column->pages[index] : NULL;
  if (page && page->capacity > slot && is_unshared(&page->refs)) return page;
  uint32_t capacity = index > 0 ? PAGE_CHUNKS : capacity_for(slot + 1, FIRST_CHUNKS, PAGE_CHUNKS);
  if (page && page->capacity > capacity) capacity = page->capacity;
  page = renew_page(column->type, page, capacity, copied);
  if (page) column->pages[index] = page;
  return page;
}

/* Returns chunk `index`, with capacity for `rows` rows and referenced by this column only; it is
 * copied if needed. NULL: out of memory. */
static ct_column_chunk *own_chunk(ct_column *column, uint32_t index, uint32_t rows,
                                  size_t *copied) {
  uint32_t slot = index & (PAGE_CHUNKS - 1), full = 1u << column->type->chunk_shift;
  assert(0 < rows && rows <= full);
  ct_column_page *page = own_page(column, index >> CT_COLUMN_PAGE_SHIFT, slot, copied);
  if (!page) return NULL;
  ct_column_chunk *chunk = page->chunks[slot];
  if (chunk && chunk->capacity >= rows && is_unshared(&chunk->refs)) return chunk;
  uint32_t capacity =
      index > 0 ? full : capacity_for(rows, FIRST_ROWS < full ? FIRST_ROWS : full, full);
  if (chunk && chunk->capacity > capacity) capacity = chunk->capacity;
  chunk = renew_chunk(column->type, chunk, capacity, copied);
  if (chunk) page->chunks[slot] = chunk;
  return chunk;
}

/* ---- columns -------------------------------------------------------------------------------- */

bool ct_column_copy(const ct_column *column, ct_column *copy) {
  *copy = *column;
  copy->pages = NULL;
  if (column->page_count == 0) return true;
  copy->pages = malloc(column->page_count * sizeof *copy->pages);
  if (!copy->pages) {
    *copy = ct_column_empty(column->type);
    return false;
  }
  for (uint32_t i = 0; i < column->page_count; i++) {
    copy->pages[i] = column->pages[i];
    add_reference(&copy->pages[i]->refs);
  }
  return true;
}

void ct_column_free(ct_column *column) {
  for (uint32_t i = 0; i < column->page_count; i++) release_page(column->type, column->pages[i]);
  free(column->pages);
  *column = ct_column_empty(column->type);
}

/* Extends the top array by an empty page `index`, which must be the next one or exist. False: out
 * of memory. */
static bool add_page(ct_column *column, uint32_t index) {
  if (index < column->page_count) return true;
  ct_column_page **pages = realloc(column->pages, (index + 1) * sizeof *pages);
  if (!pages) return false;
  column->pages = pages;
  ct_column_page *page = new_page(index > 0 ? PAGE_CHUNKS : FIRST_CHUNKS);
  if (!page) return false;
  pages[index] = page;
  column->page_count = index + 1;
  return true;
}

bool ct_column_extend(ct_column *column, uint32_t rows, size_t *copied) {
  unsigned shift = column->type->chunk_shift;
  uint32_t full = 1u << shift;
  while (column->rows < rows) {
    uint32_t chunk = column->rows >> shift, begin = chunk << shift,
             end = rows - begin < full ? rows : begin + full;
    if (!add_page(column, chunk >> CT_COLUMN_PAGE_SHIFT)) return false;
    if (!own_chunk(column, chunk, end - begin, copied)) return false;
    column->rows = end;
  }
  return true;
}

void *ct_column_write(ct_column *column, uint32_t row, size_t *copied) {
  unsigned shift = column->type->chunk_shift;
  assert(row < column->rows);
  uint32_t in_chunk = row & ((1u << shift) - 1);
  ct_column_chunk *chunk = own_chunk(column, row >> shift, in_chunk + 1, copied);
  return chunk ? (char *)(chunk + 1) + in_chunk * column->type->element : NULL;
}

void ct_column_set_pointer(const ct_column *column, void *element, const void *pointer) {
  assert(column->type->retain && column->type->release);
  const void *old;
  memcpy(&old, element, sizeof old);
  if (pointer) column->type->retain(pointer);
  memcpy(element, &pointer, sizeof pointer);
  if (old) column->type->release(old);
}

/* Returns the chunk of a row; NULL: the column has no such row, or its chunk is not allocated. */
static const ct_column_chunk *chunk_of(const ct_column *column, uint32_t row) {
  if (row >= column->rows) return NULL;
  uint32_t chunk = row >> column->type->chunk_shift;
  return column->pages[chunk >> CT_COLUMN_PAGE_SHIFT]->chunks[chunk & (PAGE_CHUNKS - 1)];
}

bool ct_column_shares(const ct_column *a, const ct_column *b, uint32_t row) {
  const ct_column_chunk *chunk = chunk_of(a, row);
  return chunk && chunk == chunk_of(b, row);
}

static size_t owned_bytes(const ct_column_type *type, const ct_column_chunk *chunk) {
  size_t bytes = chunk_bytes(type, chunk->capacity);
  const void *const *pointers = (const void *const *)(chunk + 1);
  for (uint32_t i = 0; type->owned && i < chunk->capacity; i++)
    if (pointers[i]) bytes += type->owned(pointers[i]);
  return bytes;
}

size_t ct_column_unshared_bytes(const ct_column *column) {
  size_t bytes = column->page_count * sizeof *column->pages;
  for (uint32_t i = 0; i < column->page_count; i++) {
    const ct_column_page *page = column->pages[i];
    if (!is_unshared(&page->refs)) continue;
    bytes += sizeof *page + page->capacity * sizeof page->chunks[0];
    for (uint32_t k = 0; k < page->capacity; k++)
      if (page->chunks[k] && is_unshared(&page->chunks[k]->refs))
        bytes += owned_bytes(column->type, page->chunks[k]);
  }
  return bytes;
}
