/* What decoding a record needs: memory, posted shapes, and limits. These are the widest ones, not
 * those of the daemon: what was taken once is taken back, however it is configured now. */
#ifndef API_RECORDS_RECORD_DECODER_H
#define API_RECORDS_RECORD_DECODER_H

#include <api/record.h>

#include "records/record_bytes.h"
#include "shapes/shape_reference.h"
#include "json/fields.h"

typedef struct api_record_decoder {
  api_reader reader; /* of the members below */
  api_record_kind kind;
  api_record_cursor in;
  api_arena arena;
  api_shape_scope scope;
  api_limits limits;
  api_faults faults;
  bool memory;     /* none was left */
  const char *why; /* the first thing that is wrong; static */
} api_record_decoder;

/* Opens a record, whose head and digest are right. Not API_RESTORED: why tells. */
api_restored api_decoder_begin(const char *bytes, size_t length, const api_shape_table *shapes,
                               api_record_decoder **out, char why[API_RESTORE_WHY]);
/* Gives it up. What has become of it: the answer of api_record_apply. */
api_restored api_decoder_end(api_record_decoder *r, bool good, char why[API_RESTORE_WHY]);

/* Notes what is wrong. False. */
bool api_decoder_reject(api_record_decoder *r, const char *why);
bool api_decoder_out_of_memory(api_record_decoder *r);
/* By the status of making something; CT_OK is true. */
bool api_decoder_check_status(api_record_decoder *r, ct_status status, const char *why);
/* Is the cursor still good? */
bool api_decoder_is_valid(api_record_decoder *r);
/* The tree of a JSON text, for the caller to json_decref; NULL with what is wrong. */
json_t *api_decoder_read_json(api_record_decoder *r, const char *bytes, size_t length);
/* Is the text what api_put_json makes of some value but null? */
bool api_decoder_read_user(api_record_decoder *r, ct_text text);
/* An id of the record. */
bool api_decoder_read_id(api_record_decoder *r, ct_text *out);

#endif
