/* Ids and names: validation, UTF-8 decoding (RFC 3629), percent-encoding for URLs (RFC 3986).
 * Defines api_utf8_next and the api_id_ functions of api/api.h. */
#ifndef API_COMMON_ID_TEXT_H
#define API_COMMON_ID_TEXT_H

#include <api/api.h>

/* The rule for ids, quoted by error messages. */
#define API_ID_RULE                                                                                \
  "an id is UTF-8 of 1 to 256 bytes without control characters, and neither \".\" nor \"..\""

/* True if the text is a valid id. Ids are compared byte by byte, without case folding or Unicode
 * normalisation. */
bool api_id_valid(ct_text text);
/* Describes why an invalid id is invalid, for example "has 300 bytes". Returns a static text, or
 * `out`. */
const char *api_id_fault(ct_text text, char out[64]);

#endif
