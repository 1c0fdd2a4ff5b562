/* Selections of bodies in queries: by id, by group, by id prefix. */
#ifndef API_QUERIES_BODY_SELECTION_H
#define API_QUERIES_BODY_SELECTION_H

#include <contact/scene.h>

#include "queries/query_warning.h"

/* The row of the body whose id is the member's value; CT_NO_ROW with fault UNKNOWN_ID. The member
 * is present. */
uint32_t api_read_body_row(api_reader *reader, const api_field *field, const ct_scene *scene);
/* The same for element i of an array of ids. */
uint32_t api_read_row(api_reader *reader, const api_field *array, size_t i, const ct_scene *scene);
/* Rows of the bodies in an array of ids, in the array's order, in the reader's arena; NULL with a
 * fault. */
uint32_t *api_read_rows(api_reader *reader, const api_field *field, const ct_scene *scene,
                        size_t *count);
/* Reads {ids | groups | prefix} as a mask in the reader's arena: a byte per row, 1 if selected.
 * Absent: all bodies. Warns of an empty group, an unused prefix, or an empty
 * selection. */
bool api_read_selection(api_reader *reader, const api_field *field, const ct_scene *scene,
                        api_query_warnings *warnings, const uint8_t **out);

#endif
