/* Which bodies of a scene a question means: by id, by group, by prefix. */
#ifndef API_QUERIES_BODY_SELECTION_H
#define API_QUERIES_BODY_SELECTION_H

#include <contact/scene.h>

#include "json/fields.h"

/* The row of the body that a member names; CT_NO_ROW with a fault (UNKNOWN_ID). The member is there. */
uint32_t api_read_body_row(api_reader *reader, const api_field *field, const ct_scene *scene);
/* The row of the body that element i of an array names; CT_NO_ROW with a fault (UNKNOWN_ID). */
uint32_t api_read_row(api_reader *reader, const api_field *array, size_t i, const ct_scene *scene);
/* Rows of bodies named by an array of ids, one for each, in the reader's arena; NULL with a fault. */
uint32_t *api_read_rows(api_reader *reader, const api_field *field, const ct_scene *scene, size_t *count);
struct api_query;

/* {ids | groups | prefix} as a byte per row, in the reader's arena: 1 where it selects. Absent: every body. Warns in the query of
 * a group that no body is in and of a prefix that no id has, else of a selection that selects none. */
bool api_read_selection(api_reader *reader, const api_field *field, const ct_scene *scene, struct api_query *query,
                        const uint8_t **out);

#endif
