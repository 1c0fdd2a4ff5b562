/* Whole scenes and their settings in JSON: reading, writing, merge patches (RFC 7396). The settings
 * are all members of a scene except bodies. */
#ifndef API_DOCUMENTS_SCENE_JSON_H
#define API_DOCUMENTS_SCENE_JSON_H

#include "documents/body_json.h"
#include "documents/filters_json.h"
#include "documents/material_json.h"

typedef struct api_scene_document {
  ct_text id;               /* empty: absent; borrowed from the JSON value */
  ct_filters filters;       /* allocated in the arena; texts borrowed from the JSON value */
  double geometric_epsilon; /* 0: absent */
  double time;              /* s; 0: absent */
  api_materials matter;     /* materials, gravity */
  ct_text user;             /* compact JSON text in the arena; empty: absent */
  api_body_list bodies;
  ct_text origin; /* not in the document: text that api_scene_origin returns for the new scene */
  uint64_t contacts_begun; /* not in the document: number of pair numbers that the replaced scene
                              has used; the new scene continues after them */
} api_scene_document;

/* Reads a scene. *out must be zeroed before, and released with api_scene_document_release even
 * after a failure. */
bool api_read_scene(api_reader *reader, const api_field *field, api_scene_document *out);
void api_scene_document_release(api_scene_document *document);
/* Writes the document to a draft of an empty scene. `at` is the document's location (NULL: root).
 * If false is returned, the draft must be discarded. */
bool api_add_scene_members(api_reader *reader, const api_pointer *at,
                           const api_scene_document *document, ct_draft *draft);
/* Makes a sealed revision with the given number from the document; the caller owns it. NULL: faults
 * were added. */
const ct_scene *api_make_scene(api_reader *reader, const api_pointer *at,
                               const api_scene_document *document, uint64_t revision);

/* Puts the scene as
 * {"id"?,"filters","geometricEpsilon"?,"time"?,"gravity"?,"materials"?,"materialPairs"?,"user"?,
 * "bodies"}; an empty id and the time 0 are left out. O(size of the scene). */
void api_put_scene(api_buffer *buffer, ct_text id, const ct_scene *scene);
/* Puts the object of api_put_scene without the member bodies. */
void api_put_settings(api_buffer *buffer, ct_text id, const ct_scene *scene);
/* Reads an object as api_put_settings writes it. *out must be zeroed before, and released even
 * after a failure. */
bool api_read_settings(api_reader *reader, const api_field *field, api_scene_document *out);
/* Merges a patch into the settings of `scene` and writes the result to `draft`, a draft of the
 * scene. A patch that changes the id is refused (BAD_VALUE). */
bool api_patch_settings(api_reader *reader, const api_field *patch, ct_text id,
                        const ct_scene *scene, ct_draft *draft);

/* Greatest magnitude of a scene's time, s. */
#define API_SCENE_TIME_MAX 1e15

#endif
