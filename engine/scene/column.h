/* A chunked column with copy-on-write: rows of one fixed size in reference-counted chunks.
 *
 * Copying a column copies pointers to pages of chunks, nothing else. A write to a row copies its
 * page (pointers) and its chunk if another column shares them, and works in place otherwise.
 * Columns of pointers keep a reference per element and chunk. A column belongs to one owner at a
 * time; different threads may read, copy and free columns that share chunks. */
#ifndef SCENE_COLUMN_H
#define SCENE_COLUMN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ct_column_type {
  size_t element;                       /* bytes per row */
  unsigned chunk_shift;                 /* log2 of the rows per chunk */
  void (*retain)(const void *element);  /* for columns of pointers: an element's object gains or
                                           loses an owner; never called with NULL; */
  void (*release)(const void *element); /* both NULL: plain data */
  size_t (*owned)(
      const void *element); /* bytes of an element that only this owner references; NULL: 0 */
} ct_column_type;

typedef struct ct_column_chunk {
  _Atomic uint32_t refs;
  uint32_t capacity; /* in rows; a column's first chunk grows by doubling, so that small columns
                        stay small */
  uint64_t align;
} ct_column_chunk; /* the rows follow the head */

#define CT_COLUMN_PAGE_SHIFT 7

typedef struct ct_column_page {
  _Atomic uint32_t refs;
  uint32_t capacity; /* number of chunk pointers; unused ones are NULL */
  ct_column_chunk *chunks[];
} ct_column_page;

typedef struct ct_column {
  const ct_column_type *type;
  ct_column_page **pages;
  uint32_t page_count;
  uint32_t rows;
} ct_column;

static inline ct_column ct_column_empty(const ct_column_type *type) {
  return (ct_column){type, NULL, 0, 0};
}

/* A copy that shares every chunk. False: out of memory. O(rows / 16384). */
bool ct_column_copy(const ct_column *column, ct_column *copy);
void ct_column_free(ct_column *column);

/* Extends the column to at least `rows` rows; new rows are zero bytes. False: out of memory, rows
 * unchanged. Adds to *copied the bytes copied from shared chunks. */
bool ct_column_extend(ct_column *column, uint32_t rows, size_t *copied);

/* The row for writing, referenced by this column only; NULL: out of memory. Valid until the column
 * is copied. */
void *ct_column_write(ct_column *column, uint32_t row, size_t *copied);

/* Stores a pointer in a row returned by ct_column_write: retains the new object and releases the
 * old one. */
void ct_column_set_pointer(const ct_column *column, void *element, const void *pointer);

/* Bytes of chunks and pages that no other column shares, and of the elements that only these own.
 */
size_t ct_column_unshared_bytes(const ct_column *column);

/* True if both columns share the chunk of the row; false if one of them has no such row. */
bool ct_column_shares(const ct_column *a, const ct_column *b, uint32_t row);

static inline const void *ct_column_at(const ct_column *column, uint32_t row) {
  uint32_t chunk = row >> column->type->chunk_shift;
  const ct_column_page *page = column->pages[chunk >> CT_COLUMN_PAGE_SHIFT];
  const char *data = (const char *)(page->chunks[chunk & ((1u << CT_COLUMN_PAGE_SHIFT) - 1)] + 1);
  return data + (row & ((1u << column->type->chunk_shift) - 1)) * column->type->element;
}

#endif
