/* Posted shapes: immutable and reference-counted. The tables that contain them by id are immutable
 * too, so that a call works on a snapshot. The server holds the current table. */
#ifndef API_SHAPES_SHAPE_TABLE_H
#define API_SHAPES_SHAPE_TABLE_H

#include "common/digest.h"
#include "common/problem.h"

typedef struct api_shape api_shape;

/* Content of a posted shape. api_shape_create copies it, except for the hull or mesh, to which it
 * takes a reference. */
typedef struct api_shape_form {
  const char *id;
  ct_shape shape;
  const char *unit; /* unit of the posted file; static; NULL: metres */
  uint64_t bytes;   /* length of the request body that posted it */
  ct_text report;   /* the members of the report's JSON object from `kind` on, without the number of
                       references */
} api_shape_form;

/* Creates a posted shape, to which the caller has a reference. NULL: out of memory. */
const api_shape *api_shape_create(const api_shape_form *form);
void api_shape_release(const api_shape *shape);
/* Returns the content, borrowed from the shape. */
const api_shape_form *api_shape_get(const api_shape *shape);
/* Returns the memory that the shape uses, bytes. */
uint64_t api_shape_memory(const api_shape *shape);

/* Returns the shape with the id, borrowed from the table; NULL: the table does not contain it, or
 * is NULL. O(log n). api_shapes_count and api_shapes_memory are declared in api/api.h. */
const api_shape *api_shapes_find(const api_shape_table *table, ct_text id);
/* Returns the shape at an index in ascending order of id, borrowed from the table. */
const api_shape *api_shapes_at(const api_shape_table *table, size_t index);

/* Return a reference to a new table with the shape added, or without the shape of the id, which
 * must be in the table. NULL: out of memory. O(n). */
const api_shape_table *api_shapes_with(const api_shape_table *table, const api_shape *shape);
const api_shape_table *api_shapes_without(const api_shape_table *table, ct_text id);

#endif
