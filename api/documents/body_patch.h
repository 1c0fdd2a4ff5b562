/* Merge patches of bodies (RFC 7396). */
#ifndef API_DOCUMENTS_BODY_PATCH_H
#define API_DOCUMENTS_BODY_PATCH_H

#include "documents/body_json.h"

/* Applies a merge patch to the body in a row of the draft. The id cannot change (BAD_VALUE). A
 * patch with rotationWxyz, rpy or matrix replaces the rotation. */
bool api_patch_row(api_reader *reader, const api_field *patch, ct_draft *draft, uint32_t row);
/* Applies a merge patch with the member id, which selects the body. MISSING_MEMBER, UNKNOWN_ID. */
bool api_patch_body(api_reader *reader, const api_field *patch, ct_draft *draft);

#endif
