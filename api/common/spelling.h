/* Spelling suggestions ("did you mean"): the candidate nearest to an unknown word. Declares
 * searches over the names of a scene; api_spelling itself is declared in api/api.h. */
#ifndef API_COMMON_SPELLING_H
#define API_COMMON_SPELLING_H

#include <api/api.h>
#include <contact/scene.h>

#include "common/problem.h"

/* Search the name of a scene that is nearest to an unknown word. At most the first
 * API_SPELLING_CANDIDATES names are compared. */
api_spelling api_spelling_of_bodies(const ct_scene *scene,
                                    ct_text id); /* candidates: ids of the bodies */
api_spelling api_spelling_of_draft(const ct_draft *draft,
                                   ct_text id); /* candidates: ids of the draft's bodies */
api_spelling api_spelling_of_groups(const ct_draft *draft,
                                    ct_text name); /* candidates: groups of the draft's bodies */
/* Candidates: groups of the scene's bodies. */
api_spelling api_spelling_of_scene_groups(const ct_scene *scene, ct_text name);
/* Candidates: prefixes of body ids that are as long as the given prefix, or one byte longer or
 * shorter. */
api_spelling api_spelling_of_prefixes(const ct_scene *scene, ct_text prefix);
api_spelling api_spelling_of_attachments(const ct_scene *scene,
                                         ct_text name); /* candidates: ids of the contact states */
api_spelling api_spelling_of_materials(const ct_materials *materials, ct_text name);

/* Buffer size for the end of a sentence about an unknown word. */
#define API_SPELLING_END (API_ECHO_MAX + 32)
/* Writes "; did you mean ...?" with the nearest candidate, or a full stop if there is none. Returns
 * out. */
const char *api_spelling_end(const api_spelling *likeness, char out[API_SPELLING_END]);

#endif
