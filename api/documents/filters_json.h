/* Filters in JSON: {"groups": {name: {"notCollideWith": [names]}}, "pairs": [{"a", "b", "collide",
 * "reason"}]}. */
#ifndef API_DOCUMENTS_FILTERS_JSON_H
#define API_DOCUMENTS_FILTERS_JSON_H

#include "json/fields.h"

/* Longest reason, bytes. */
#define API_REASON_BYTES_MAX 256

/* Reads filters; *out is in the reader's arena, its texts in the JSON value. DUPLICATE_ID: two
 * rules for a pair. */
bool api_read_filters(api_reader *reader, const api_field *field, ct_filters *out);
/* Checks that the bodies of pair rules exist in the draft (UNKNOWN_ID at at/pairs/i/a), and sets
 * the filters. */
bool api_apply_filters(api_reader *reader, const api_pointer *at, const ct_filters *filters,
                       ct_draft *draft);
/* Warns ("unknownGroup") of group names without a body in the draft. `at` is the location of the
 * filters. */
void api_warn_groups(api_reader *reader, const api_pointer *at, const ct_filters *filters,
                     const ct_draft *draft);
void api_put_filters(api_buffer *buffer, const ct_filters *filters);
/* Writes {"a","b","collide","decidedBy":"pair"|"groups"|"default","reason"?,"groups"?}: whether the
 * pair is tested, and which rule decides. */
void api_put_effective(api_buffer *buffer, const ct_scene *scene, uint32_t row_a, uint32_t row_b);

#endif
