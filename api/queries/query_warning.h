/* Warnings of a query, listed in the reply beside its results. */
#ifndef API_QUERIES_QUERY_WARNING_H
#define API_QUERIES_QUERY_WARNING_H

#include "json/fields.h"

/* Greatest number of warnings listed in a reply. */
#define API_WARNINGS_MAX 20

/* Zeroed: none. */
typedef struct api_query_warnings {
  const char *items[API_WARNINGS_MAX]; /* in the arena */
  size_t count, omitted;
} api_query_warnings;

/* Buffer of a JSON pointer in a warning, as in api_fault. */
#define API_WARNED_POINTER_BYTES 256

/* Adds the text once, in the reader's arena. Texts beyond API_WARNINGS_MAX are counted. */
__attribute__((format(printf, 3, 4))) void
api_warn_query(api_reader *reader, api_query_warnings *out, const char *detail, ...);

/* Warns of each group in `groups`, elements of the array `field`, that has no body in the scene.
 * False: cancelled. O(rows x groups of a body x count). */
bool api_warn_empty_groups(api_reader *reader, const api_field *field, const ct_text *groups,
                           size_t count, const ct_scene *scene, api_query_warnings *out);

/* Warns that no body id of the scene begins with the prefix. */
void api_warn_empty_prefix(api_reader *reader, const api_field *field, ct_text prefix,
                           const ct_scene *scene, api_query_warnings *out);

/* Copies the reader's warnings of type unknownGroup, from index `from`, to the query. */
void api_copy_group_warnings(api_reader *reader, size_t from, api_query_warnings *out);
/* The same; removes them from the reader. */
void api_store_group_warnings(api_reader *reader, size_t from, api_query_warnings *out);

#endif
