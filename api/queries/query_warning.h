/* Warnings of queries: texts in the reply, beside its results. */
#ifndef API_QUERIES_QUERY_WARNING_H
#define API_QUERIES_QUERY_WARNING_H

#include "queries/query_request.h"

/* Bytes of a pointer in a warning, as in a fault. */
#define API_WARNED_POINTER_BYTES 256

/* Adds the text, unless the query has it already, in the reader's arena. Texts beyond
 * API_WARNINGS_MAX are counted. */
__attribute__((format(printf, 3, 4))) void api_warn_query(api_reader *reader, api_query *out,
                                                          const char *detail, ...);

/* Warns of each group among `groups`, elements of the array `field`, which no body of the scene is
 * in. False: cancelled. O(rows x groups of a body x count) */
bool api_warn_empty_groups(api_reader *reader, const api_field *field, const ct_text *groups,
                           size_t count, const ct_scene *scene, api_query *out);

/* Warns that the ids of no body of the scene begin with the prefix. */
void api_warn_empty_prefix(api_reader *reader, const api_field *field, ct_text prefix,
                           const ct_scene *scene, api_query *out);

/* Warnings of type unknownGroup that the reader collected from `from` on are the query's, too. */
void api_copy_group_warnings(api_reader *reader, size_t from, api_query *out);
/* The same; they are removed from the reader's collector. */
void api_store_group_warnings(api_reader *reader, size_t from, api_query *out);

#endif
