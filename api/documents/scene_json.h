/* Whole scenes and their settings: decode, encode, merge patch. Settings are all members but bodies. */
#ifndef API_DOCUMENTS_SCENE_JSON_H
#define API_DOCUMENTS_SCENE_JSON_H

#include "documents/body_json.h"
#include "documents/filters_json.h"
#include "documents/material_json.h"

typedef struct api_scene_document {
  ct_text id;               /* empty: not given; in the tree */
  ct_filters filters;       /* in the arena and the tree */
  double geometric_epsilon; /* 0: not given */
  api_materials matter;     /* materials, gravity */
  ct_text user;             /* compact JSON text in the arena; empty: none */
  api_body_list bodies;
  ct_text origin;          /* not of the document: ct_scene_origin of the scene that it makes */
  uint64_t contacts_begun; /* not of the document: in the scene whose place it takes, whose ids are not to be given again */
} api_scene_document;

/* *out must be zeroed; release it in any case. */
bool api_read_scene(api_reader *reader, const api_field *field, api_scene_document *out);
void api_scene_document_release(api_scene_document *document);
/* Bodies, filters and user into a draft of an empty scene. `at` is the document's place (NULL: root). Discard the draft on false.
 */
bool api_add_scene_members(api_reader *reader, const api_pointer *at, const api_scene_document *document, ct_draft *draft);
/* The same from nothing to a sealed revision of the given number; the caller owns it. NULL: faults. */
const ct_scene *api_make_scene(api_reader *reader, const api_pointer *at, const api_scene_document *document, uint64_t revision);

/* {"id"?,"filters","geometricEpsilon"?,"gravity"?,"materials"?,"materialPairs"?,"user"?,"bodies"}; id empty: left out. Takes as
 * long as the scene is large. */
void api_put_scene(api_buffer *buffer, ct_text id, const ct_scene *scene);
/* The same without "bodies". */
void api_put_settings(api_buffer *buffer, ct_text id, const ct_scene *scene);
/* Reads what that puts; *out as in api_read_scene. */
bool api_read_settings(api_reader *reader, const api_field *field, api_scene_document *out);
/* Merge patch of the settings of `scene`, into a draft of it. The id cannot change (BAD_VALUE). */
bool api_patch_settings(api_reader *reader, const api_field *patch, ct_text id, const ct_scene *scene, ct_draft *draft);

#endif
