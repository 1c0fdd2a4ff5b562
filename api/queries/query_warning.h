/* Warnings of a query, listed in the reply beside the query's results. */
#ifndef API_QUERIES_QUERY_WARNING_H
#define API_QUERIES_QUERY_WARNING_H

#include "json/fields.h"

/* Greatest number of warnings listed in a reply. */
#define API_WARNINGS_MAX 20

/* A zeroed list is empty. */
typedef struct api_query_warnings {
  const char *items[API_WARNINGS_MAX]; /* in the arena */
  size_t count, omitted;
} api_query_warnings;

/* Buffer size for a JSON pointer in a warning, as in api_fault. */
#define API_WARNED_POINTER_BYTES 256

/* Adds a warning, unless it has been added already; its text is in the reader's arena. Warnings
 * beyond API_WARNINGS_MAX are only counted. */
__attribute__((format(printf, 3, 4))) void
api_warn_query(api_reader *reader, api_query_warnings *out, const char *detail, ...);

/* Warns of each group in `groups`, the elements of the array `field`, to which no body of the scene
 * belongs. False: cancelled. O(rows x groups of a body x count). */
bool api_warn_empty_groups(api_reader *reader, const api_field *field, const ct_text *groups,
                           size_t count, const ct_scene *scene, api_query_warnings *out);

/* Warns that no body id of the scene begins with the prefix. */
void api_warn_empty_prefix(api_reader *reader, const api_field *field, ct_text prefix,
                           const ct_scene *scene, api_query_warnings *out);

/* Copies the reader's warnings of type unknownGroup, starting at index `from`, to the query. */
void api_copy_group_warnings(api_reader *reader, size_t from, api_query_warnings *out);
/* As api_copy_group_warnings; also removes the warnings from the reader. */
void api_store_group_warnings(api_reader *reader, size_t from, api_query_warnings *out);

#endif
