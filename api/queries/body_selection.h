/* Selections of bodies in queries: by ids, by groups or by a prefix of ids. */
#ifndef API_QUERIES_BODY_SELECTION_H
#define API_QUERIES_BODY_SELECTION_H

#include <contact/scene.h>

#include "queries/query_warning.h"

/* Returns the row of the body whose id is the field's value; the field must be present. CT_NO_ROW:
 * a fault was added (UNKNOWN_ID, or the value is not an id). */
uint32_t api_read_body_row(api_reader *reader, const api_field *field, const ct_scene *scene);
/* As api_read_body_row for element i of an array of ids. */
uint32_t api_read_row(api_reader *reader, const api_field *array, size_t i, const ct_scene *scene);
/* Returns the rows of the bodies in an array of ids, in the array's order, in the reader's arena.
 * NULL: a fault was added. */
uint32_t *api_read_rows(api_reader *reader, const api_field *field, const ct_scene *scene,
                        size_t *count);
/* Reads a selection {ids | groups | prefix} as a mask in the reader's arena: one byte per row of
 * the scene, 1 if the body is selected. Absent: all bodies are selected. Warns of a group without
 * bodies, of a prefix with which no id begins, and of an empty selection. */
bool api_read_selection(api_reader *reader, const api_field *field, const ct_scene *scene,
                        api_query_warnings *warnings, const uint8_t **out);

#endif
