/* Warnings of a query, listed in the reply beside its results. */
#ifndef API_QUERIES_QUERY_WARNING_H
#define API_QUERIES_QUERY_WARNING_H

#include "queries/query_request.h"

/* Buffer of a JSON pointer in a warning, as in api_fault. */
#define API_WARNED_POINTER_BYTES 256

/* Adds the text once, in the reader's arena. Texts beyond API_WARNINGS_MAX are counted. */
__attribute__((format(printf, 3, 4))) void api_warn_query(api_reader *reader, api_query *out,
                                                          const char *detail, ...);

/* Warns of each group in `groups`, elements of the array `field`, that has no body in the scene.
 * False: cancelled. O(rows x groups of a body x count). */
bool api_warn_empty_groups(api_reader *reader, const api_field *field, const ct_text *groups,
                           size_t count, const ct_scene *scene, api_query *out);

/* Warns that no body id of the scene begins with the prefix. */
void api_warn_empty_prefix(api_reader *reader, const api_field *field, ct_text prefix,
                           const ct_scene *scene, api_query *out);

/* Copies the reader's warnings of type unknownGroup, from index `from`, to the query. */
void api_copy_group_warnings(api_reader *reader, size_t from, api_query *out);
/* The same; removes them from the reader. */
void api_store_group_warnings(api_reader *reader, size_t from, api_query *out);

#endif
