/* Ids and names: which texts they can be, and how they stand in URLs. api_utf8_next and the functions of api/api.h that begin with
 * api_id_ are here. */
#ifndef API_COMMON_ID_TEXT_H
#define API_COMMON_ID_TEXT_H

#include <api/api.h>

/* The rule, for errors. */
#define API_ID_RULE "an id is UTF-8 of 1 to 256 bytes without control characters, and neither \".\" nor \"..\""

/* Is the text an id? Ids are compared byte by byte: no letters are folded and no accents composed. */
bool api_id_valid(ct_text text);
/* What is wrong with a text that is no id: "has 300 bytes". Static storage, or `out`. */
const char *api_id_fault(ct_text text, char out[64]);

#endif
