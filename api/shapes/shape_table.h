/* Posted shapes: immutable and reference-counted. Tables of them by id are immutable too, so that a
 * call sees a snapshot. The server keeps the current table. */
#ifndef API_SHAPES_SHAPE_TABLE_H
#define API_SHAPES_SHAPE_TABLE_H

#include "common/digest.h"
#include "common/problem.h"

typedef struct api_shape api_shape;

/* Content of a shape. It is copied, except for the hull or mesh, which is retained. */
typedef struct api_shape_form {
  const char *id;
  ct_shape shape;
  const char *unit; /* static; NULL: always metres */
  uint64_t bytes;   /* size of the request that posted it */
  ct_text report;   /* members of the report's JSON object from kind on, without references */
} api_shape_form;

/* NULL: out of memory. */
const api_shape *api_shape_create(const api_shape_form *form);
void api_shape_release(const api_shape *shape);
/* Borrowed. */
const api_shape_form *api_shape_get(const api_shape *shape);
/* Memory of the shape, B. */
uint64_t api_shape_memory(const api_shape *shape);

/* Finds a shape. NULL: none; a NULL table is empty. O(log n). api_shapes_count and
 * api_shapes_memory are in api.h. */
const api_shape *api_shapes_find(const api_shape_table *table, ct_text id);
/* Returns the shape at an index in ascending order of id. */
const api_shape *api_shapes_at(const api_shape_table *table, size_t index);

/* Returns a new table with the shape added, or without the shape of the id, which must exist. NULL:
 * out of memory. O(n) */
const api_shape_table *api_shapes_with(const api_shape_table *table, const api_shape *shape);
const api_shape_table *api_shapes_without(const api_shape_table *table, ct_text id);

#endif
