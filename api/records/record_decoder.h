/* What decoding a record needs: memory, posted shapes, and limits. These are the widest ones, not those of the daemon: what was
 * taken once is taken back, however it is configured now. */
#ifndef API_RECORDS_RECORD_DECODER_H
#define API_RECORDS_RECORD_DECODER_H

#include <api/record.h>

#include "json/fields.h"
#include "records/record_bytes.h"
#include "shapes/shape_reference.h"

typedef struct api_restoring {
  api_reader reader; /* of the members below */
  api_record_kind kind;
  api_record_cursor in;
  api_arena arena;
  api_shape_scope scope;
  api_limits limits;
  api_faults faults;
  bool memory;     /* none was left */
  const char *why; /* the first thing that is wrong; static */
} api_restoring;

/* Opens a record, whose head and digest are right. Not API_RESTORED: why tells. */
api_restored api_restore_begin(const char *bytes, size_t length, const api_shape_table *shapes, api_restoring **out,
                               char why[API_RESTORE_WHY]);
/* Gives it up. What has become of it: the answer of api_record_apply. */
api_restored api_restore_end(api_restoring *r, bool good, char why[API_RESTORE_WHY]);

/* Notes what is wrong. False. */
bool api_restore_refuse(api_restoring *r, const char *why);
bool api_restore_memory(api_restoring *r);
/* By the status of making something; CT_OK is true. */
bool api_restore_status(api_restoring *r, ct_status status, const char *why);
/* Is the cursor still good? */
bool api_restore_whole(api_restoring *r);
/* The tree of a JSON text, for the caller to json_decref; NULL with what is wrong. */
json_t *api_restore_json(api_restoring *r, const char *bytes, size_t length);
/* Is the text what api_put_json makes of some value but null? */
bool api_restore_user(api_restoring *r, ct_text text);
/* An id of the record. */
bool api_restore_id(api_restoring *r, ct_text *out);

#endif
