/* Encodes and decodes contact states of records. */
#ifndef API_RECORDS_RECORD_CONTACT_STATE_H
#define API_RECORDS_RECORD_CONTACT_STATE_H

#include <contact/contact_state.h>

#include "records/record_decoder.h"

void api_record_put_state(api_buffer *out, const ct_contact_state *state);
/* Decodes a contact state; *out is a reference for the caller. False: the record is rejected. */
bool api_record_get_state(api_record_decoder *r, const ct_contact_state **out);

#endif
