/* Merge patches of bodies (RFC 7396). */
#ifndef API_DOCUMENTS_BODY_PATCH_H
#define API_DOCUMENTS_BODY_PATCH_H

#include "documents/body_json.h"

/* Merge patch of the body in a row of the draft: its JSON, patched, decoded, replaced. A patch cannot change the id (BAD_VALUE). A
 * patch with rotationWxyz, rpy or matrix replaces the rotation. */
bool api_patch_row(api_reader *reader, const api_field *patch, ct_draft *draft, uint32_t row);
/* A patch that names its body by the member id. MISSING_MEMBER, UNKNOWN_ID. */
bool api_patch_body(api_reader *reader, const api_field *patch, ct_draft *draft);

#endif
