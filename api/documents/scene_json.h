/* Whole scenes and their settings in JSON: reading, writing, merge patches (RFC 7396). Settings are
 * all members except bodies. */
#ifndef API_DOCUMENTS_SCENE_JSON_H
#define API_DOCUMENTS_SCENE_JSON_H

#include "documents/body_json.h"
#include "documents/filters_json.h"
#include "documents/material_json.h"

typedef struct api_scene_document {
  ct_text id;               /* empty: absent; in the JSON value */
  ct_filters filters;       /* in the arena and the JSON value */
  double geometric_epsilon; /* 0: absent */
  api_materials matter;     /* materials, gravity */
  ct_text user;             /* compact JSON text in the arena; empty: absent */
  api_body_list bodies;
  ct_text origin;          /* not in the document: ct_scene_origin of the new scene */
  uint64_t contacts_begun; /* not in the document: pair numbers used by the replaced scene, which
                            * are not reused */
} api_scene_document;

/* Reads a scene. *out must be zeroed; release it in any case. */
bool api_read_scene(api_reader *reader, const api_field *field, api_scene_document *out);
void api_scene_document_release(api_scene_document *document);
/* Writes the document to a draft of an empty scene. `at` is the document's location (NULL: root).
 * Discard the draft on false. */
bool api_add_scene_members(api_reader *reader, const api_pointer *at,
                           const api_scene_document *document, ct_draft *draft);
/* Makes a sealed revision of the given number from the document; the caller owns it. NULL:
 * faults. */
const ct_scene *api_make_scene(api_reader *reader, const api_pointer *at,
                               const api_scene_document *document, uint64_t revision);

/* Writes
 * {"id"?,"filters","geometricEpsilon"?,"gravity"?,"materials"?,"materialPairs"?,"user"?,"bodies"};
 * an empty id is omitted. O(size of the scene). */
void api_put_scene(api_buffer *buffer, ct_text id, const ct_scene *scene);
/* The same without "bodies". */
void api_put_settings(api_buffer *buffer, ct_text id, const ct_scene *scene);
/* Reads the output of api_put_settings; *out as in api_read_scene. */
bool api_read_settings(api_reader *reader, const api_field *field, api_scene_document *out);
/* Applies a merge patch to the settings of `scene`, in a draft of it. The id cannot change
 * (BAD_VALUE). */
bool api_patch_settings(api_reader *reader, const api_field *patch, ct_text id,
                        const ct_scene *scene, ct_draft *draft);

#endif
