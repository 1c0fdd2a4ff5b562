/* Context in which a record is decoded: memory, posted shapes and limits. The limits are the widest
 * possible ones, not those of the daemon, so that a stored record can be decoded under any later
 * configuration. */
#ifndef API_RECORDS_RECORD_DECODER_H
#define API_RECORDS_RECORD_DECODER_H

#include <api/record.h>

#include "records/record_bytes.h"
#include "shapes/shape_reference.h"
#include "json/fields.h"

typedef struct api_record_decoder {
  api_reader reader; /* reader for JSON in the record; refers to the members arena, scope, limits
                        and faults below */
  api_record_kind kind;
  api_record_cursor in;
  api_arena arena;
  api_shape_scope scope;
  api_limits limits;
  api_faults faults;
  bool memory;     /* out of memory */
  const char *why; /* reason of the first rejection, static; NULL: none */
} api_record_decoder;

/* Verifies head and digest of a record and creates its decoder. Unless API_RESTORED is returned,
 * there is no decoder, and why has the reason. */
api_restored api_decoder_begin(const char *bytes, size_t length, const api_shape_table *shapes,
                               api_record_decoder **out, char why[API_RESTORE_WHY]);
/* Frees the decoder and returns the outcome for api_record_apply. good: the record was decoded;
 * otherwise why receives the reason. */
api_restored api_decoder_end(api_record_decoder *r, bool good, char why[API_RESTORE_WHY]);

/* Records the reason of a rejection, unless one is recorded already. Returns false. */
bool api_decoder_reject(api_record_decoder *r, const char *why);
bool api_decoder_out_of_memory(api_record_decoder *r);
/* Returns true for CT_OK; for other statuses records a rejection for the reason `why`, or that
 * memory ran out, and returns false. */
bool api_decoder_check_status(api_record_decoder *r, ct_status status, const char *why);
/* True if the cursor has not failed; otherwise records a rejection. */
bool api_decoder_is_valid(api_record_decoder *r);
/* Parses a JSON text; the caller frees the result (json_decref). NULL: the record is rejected. */
json_t *api_decoder_read_json(api_record_decoder *r, const char *bytes, size_t length);
/* Checks that the text is JSON other than null, written as api_put_json writes it. */
bool api_decoder_read_user(api_record_decoder *r, ct_text text);
/* Reads an id and checks that it is valid. */
bool api_decoder_read_id(api_record_decoder *r, ct_text *out);

#endif
