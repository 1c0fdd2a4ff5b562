/* A chunked column with copy-on-write: rows of one fixed size in reference-counted chunks.
 *
 * Copying a column copies only the pointers to its pages; a page contains pointers to chunks. A
 * write to a row copies its page and its chunk if another column shares them, and writes in place
 * otherwise. In a column of pointers, each chunk has a reference to every object in it. A column
 * has one owner at a time; different threads may read, copy and free columns that share chunks. */
#ifndef SCENE_COLUMN_H
#define SCENE_COLUMN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ct_column_type {
  size_t element;                      /* size of an element, of which a column has one per row,
                                          bytes */
  unsigned chunk_shift;                /* log2 of the rows per chunk */
  void (*retain)(const void *element); /* for columns of pointers: adds a reference to the object of
                                          a non-NULL element, when a chunk is copied */
  void (*release)(
      const void *element); /* removes the reference; retain and release are NULL for plain data */
  size_t (*owned)(const void *element); /* bytes of the element's object if this is its only
                                           reference; NULL: not counted */
} ct_column_type;

typedef struct ct_column_chunk {
  _Atomic uint32_t refs;
  uint32_t capacity; /* number of rows; a column's first chunk grows by doubling, so that small
                        columns use little memory */
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

/* Makes a copy that shares every chunk. False: out of memory. O(rows / 16384). */
bool ct_column_copy(const ct_column *column, ct_column *copy);
void ct_column_free(ct_column *column);

/* Extends the column to at least `rows` rows; new rows are zero bytes. Adds the bytes copied from
 * shared chunks to *copied. False: out of memory, and the number of rows is unchanged. */
bool ct_column_extend(ct_column *column, uint32_t rows, size_t *copied);

/* Returns the row for writing, after copying its chunk if another column shares it; adds the bytes
 * copied to *copied. NULL: out of memory. The pointer is valid until the column is copied. */
void *ct_column_write(ct_column *column, uint32_t row, size_t *copied);

/* Stores a pointer in a row returned by ct_column_write: retains the new object and releases the
 * old one. */
void ct_column_set_pointer(const ct_column *column, void *element, const void *pointer);

/* Returns the bytes of the chunks and pages that no other column shares, and of objects that only
 * these chunks reference. */
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
