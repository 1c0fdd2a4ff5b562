/* Applies merge patches (RFC 7396) to bodies. */
#ifndef API_DOCUMENTS_BODY_PATCH_H
#define API_DOCUMENTS_BODY_PATCH_H

#include "documents/body_json.h"

/* Applies a merge patch to the body in the given row of the draft. A patch that changes the id is
 * refused (BAD_VALUE). A patch with rotationWxyz, rpy or matrix replaces the rotation. */
bool api_patch_row(api_reader *reader, const api_field *patch, ct_draft *draft, uint32_t row);
/* Applies a merge patch to the body that its member id selects. Faults: MISSING_MEMBER (no id),
 * UNKNOWN_ID, and those of api_patch_row. */
bool api_patch_body(api_reader *reader, const api_field *patch, ct_draft *draft);

#endif
