/* Spelling suggestions ("did you mean"): the candidate nearest to an unknown word. Declares the
 * candidate sets; api_spelling itself is in api/api.h. */
#ifndef API_COMMON_SPELLING_H
#define API_COMMON_SPELLING_H

#include <api/api.h>
#include <contact/scene.h>

#include "common/problem.h"

/* Candidates from a scene, compared with an unknown word. At most the first API_SPELLING_CANDIDATES
 * of api/api.h are compared. */
api_spelling api_spelling_of_bodies(const ct_scene *scene, ct_text id);   /* ids */
api_spelling api_spelling_of_draft(const ct_draft *draft, ct_text id);    /* ids */
api_spelling api_spelling_of_groups(const ct_draft *draft, ct_text name); /* groups of bodies */
/* groups of bodies */
api_spelling api_spelling_of_scene_groups(const ct_scene *scene, ct_text name);
/* prefixes of ids, about as long as the given one */
api_spelling api_spelling_of_prefixes(const ct_scene *scene, ct_text prefix);
api_spelling api_spelling_of_attachments(const ct_scene *scene, ct_text name); /* contact states */
api_spelling api_spelling_of_materials(const ct_materials *materials, ct_text name);

/* Buffer of the end of a sentence about an unknown word. */
#define API_SPELLING_END (API_ECHO_MAX + 32)
/* Writes the suggestion, or a full stop if there is none. Returns out. */
const char *api_spelling_end(const api_spelling *likeness, char out[API_SPELLING_END]);

#endif
