/* Collision filters in JSON: {"groups": {name: {"notCollideWith": [names]}}, "pairs": [{"a", "b",
 * "collide", "reason"}]}. */
#ifndef API_DOCUMENTS_FILTERS_JSON_H
#define API_DOCUMENTS_FILTERS_JSON_H

#include "json/fields.h"

/* Greatest length of a pair rule's reason, bytes. */
#define API_REASON_BYTES_MAX 256

/* Reads filters. *out is in the reader's arena, and its texts are borrowed from the JSON value.
 * DUPLICATE_ID: two rules for the same pair. */
bool api_read_filters(api_reader *reader, const api_field *field, ct_filters *out);
/* Sets the draft's filters after checking that the bodies of its pair rules exist in the draft
 * (UNKNOWN_ID at at/pairs/i/a or b). */
bool api_apply_filters(api_reader *reader, const api_pointer *at, const ct_filters *filters,
                       ct_draft *draft);
/* Warns ("unknownGroup") of each group in the filters that no body of the draft belongs to. `at` is
 * the location of the filters. */
void api_warn_groups(api_reader *reader, const api_pointer *at, const ct_filters *filters,
                     const ct_draft *draft);
void api_put_filters(api_buffer *buffer, const ct_filters *filters);
/* Puts {"a","b","collide","decidedBy":"pair"|"groups"|"default","reason"?,"groups"?}: whether the
 * pair may collide, and which rule decides. */
void api_put_effective(api_buffer *buffer, const ct_scene *scene, uint32_t row_a, uint32_t row_b);

#endif
