/* Posted shapes: immutable, counted references; and tables of them by id, immutable as well, so
 * that a call sees the shapes of one moment. The server keeps the current table. */
#ifndef API_SHAPES_SHAPE_TABLE_H
#define API_SHAPES_SHAPE_TABLE_H

#include "common/digest.h"
#include "common/problem.h"

typedef struct api_shape api_shape;

/* What a shape is made of. All of it is copied, the shape's hull or mesh retained. */
typedef struct api_shape_form {
  const char *id;
  ct_shape shape;
  const char *unit; /* static, or NULL: metres by nature */
  uint64_t bytes;   /* of the request that posted it */
  ct_text report;   /* members of the report's JSON object, from kind on, but for references */
} api_shape_form;

/* NULL: out of memory. */
const api_shape *api_shape_create(const api_shape_form *form);
void api_shape_release(const api_shape *shape);
/* Borrowed. */
const api_shape_form *api_shape_get(const api_shape *shape);
/* Bytes that the shape holds. */
uint64_t api_shape_memory(const api_shape *shape);

/* NULL: no shape has the id; a table that is NULL is empty. O(log n). api_shapes_count and
 * api_shapes_memory are in api.h. */
const api_shape *api_shapes_find(const api_shape_table *table, ct_text id);
/* In ascending order of id. */
const api_shape *api_shapes_at(const api_shape_table *table, size_t index);

/* A new table with the shape, or without the one of the id, which must be there. NULL: out of
 * memory. O(n) */
const api_shape_table *api_shapes_with(const api_shape_table *table, const api_shape *shape);
const api_shape_table *api_shapes_without(const api_shape_table *table, ct_text id);

#endif
