/* A chunked column with copy-on-write: rows of one fixed size in reference-counted chunks.
 *
 * Copying a column copies pointers to pages of chunks, nothing else. Writing to a row copies its
 * page (pointers) and its chunk if they are shared with another column, and works in place if not.
 * Columns of pointers keep a reference per element and chunk. A column belongs to one owner at a
 * time; columns that share chunks may be read, copied and freed by different threads.
 */
#ifndef SCENE_COLUMN_H
#define SCENE_COLUMN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ct_column_type {
  size_t element;                       /* bytes of a row */
  unsigned chunk_shift;                 /* log2 of the rows of a chunk */
  void (*retain)(const void *element);  /* for columns of pointers: what an element points to gains
                                           or loses a holder; NULL pointers */
  void (*release)(const void *element); /* never get here. Both NULL: plain data */
  size_t (*owned)(const void *element); /* bytes that only this holder keeps; NULL: none */
} ct_column_type;

typedef struct ct_column_chunk {
  _Atomic uint32_t refs;
  uint32_t capacity; /* rows; a column's first chunk grows by doubling, so that small columns are
                        small */
  uint64_t align;
} ct_column_chunk; /* rows follow */

#define CT_COLUMN_PAGE_SHIFT 7

typedef struct ct_column_page {
  _Atomic uint32_t refs;
  uint32_t capacity; /* chunks that there is room for; unused ones NULL */
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

/* The same rows, sharing every chunk. False: out of memory. O(rows / 16384). */
bool ct_column_copy(const ct_column *column, ct_column *copy);
void ct_column_free(ct_column *column);

/* At least `rows` rows; new ones are zero bytes. False: out of memory, rows unchanged. Adds bytes
 * copied out of shared chunks. */
bool ct_column_extend(ct_column *column, uint32_t rows, size_t *copied);

/* The row for writing, alone with this column; NULL: out of memory. Valid until the column is
 * copied. */
void *ct_column_write(ct_column *column, uint32_t row, size_t *copied);

/* Stores a pointer in a row got by ct_column_write: takes a reference to the new one, gives back
 * the old one. */
void ct_column_set_pointer(const ct_column *column, void *element, const void *pointer);

/* Bytes in chunks and pages that no other column shares, with what their elements own. */
size_t ct_column_unshared_bytes(const ct_column *column);

/* Do both columns hold the same chunk of the row? False where one has no such row. */
bool ct_column_shares(const ct_column *a, const ct_column *b, uint32_t row);

static inline const void *ct_column_at(const ct_column *column, uint32_t row) {
  uint32_t chunk = row >> column->type->chunk_shift;
  const ct_column_page *page = column->pages[chunk >> CT_COLUMN_PAGE_SHIFT];
  const char *data = (const char *)(page->chunks[chunk & ((1u << CT_COLUMN_PAGE_SHIFT) - 1)] + 1);
  return data + (row & ((1u << column->type->chunk_shift) - 1)) * column->type->element;
}

#endif
