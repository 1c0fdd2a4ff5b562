/* Context of decoding a record: memory, posted shapes, and limits. The limits are the widest ones,
 * not those of the daemon: an accepted record can be decoded under any later configuration. */
#ifndef API_RECORDS_RECORD_DECODER_H
#define API_RECORDS_RECORD_DECODER_H

#include <api/record.h>

#include "records/record_bytes.h"
#include "shapes/shape_reference.h"
#include "json/fields.h"

typedef struct api_record_decoder {
  api_reader reader; /* uses the members below */
  api_record_kind kind;
  api_record_cursor in;
  api_arena arena;
  api_shape_scope scope;
  api_limits limits;
  api_faults faults;
  bool memory;     /* out of memory */
  const char *why; /* reason of the first rejection; static */
} api_record_decoder;

/* Opens a record and verifies head and digest. Not API_RESTORED: the reason is in why. */
api_restored api_decoder_begin(const char *bytes, size_t length, const api_shape_table *shapes,
                               api_record_decoder **out, char why[API_RESTORE_WHY]);
/* Frees the decoder and returns the outcome for api_record_apply. */
api_restored api_decoder_end(api_record_decoder *r, bool good, char why[API_RESTORE_WHY]);

/* Notes the reason of a rejection, unless there is one. Returns false. */
bool api_decoder_reject(api_record_decoder *r, const char *why);
bool api_decoder_out_of_memory(api_record_decoder *r);
/* Notes a rejection if the status is not CT_OK. Returns true for CT_OK. */
bool api_decoder_check_status(api_record_decoder *r, ct_status status, const char *why);
/* True if the cursor has not failed; otherwise notes a rejection. */
bool api_decoder_is_valid(api_record_decoder *r);
/* Parses a JSON text; the caller frees the tree (json_decref). NULL: rejected. */
json_t *api_decoder_read_json(api_record_decoder *r, const char *bytes, size_t length);
/* True if the text is what api_put_json writes for a value other than null. */
bool api_decoder_read_user(api_record_decoder *r, ct_text text);
/* Reads and checks an id. */
bool api_decoder_read_id(api_record_decoder *r, ct_text *out);

#endif
