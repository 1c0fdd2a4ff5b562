/* Members of questions to a scene: which bodies, which pairs, at which poses. Each may be absent; arrays are in the reader's arena.
 */
#ifndef API_QUERY_MEMBERS_H
#define API_QUERY_MEMBERS_H

#include "query_request.h"

/* where: {"a": selection, "b": selection}, into the options' masks; a side that selects nothing is warned of. */
bool api_read_where(api_reader *reader, const api_field *field, api_question *out);
/* pairs: [["id", "id"], ...] */
bool api_read_row_pairs(api_reader *reader, const api_field *field, api_question *out);
/* poses: over those of the batch, into the options' overrides. */
bool api_read_what_if(api_reader *reader, const api_field *field, const api_asking *asking, api_question *out);
/* The velocities of poses, own before the batch's, in one list in the arena. */
bool api_merge_velocities(api_reader *reader, const api_question *question, ct_row_velocity **out, size_t *count);
/* variants: [poses, ...]; sets the mode. */
bool api_read_variants(api_reader *reader, const api_field *field, api_question *out);

#endif
