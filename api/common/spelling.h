/* The nearest of many words to one that was mistyped: "did you mean". api_spelling of api/api.h is here. */
#ifndef API_COMMON_SPELLING_H
#define API_COMMON_SPELLING_H

#include <api/api.h>
#include <contact/scene.h>

#include "common/problem.h"

/* Words of a scene that are compared with an unknown one; of all others only the first API_SPELLING_CANDIDATES of api/api.h. */
api_spelling api_spelling_of_bodies(const ct_scene *scene, ct_text id);         /* ids */
api_spelling api_spelling_of_draft(const ct_draft *draft, ct_text id);          /* ids */
api_spelling api_spelling_of_groups(const ct_draft *draft, ct_text name);       /* groups of bodies */
api_spelling api_spelling_of_scene_groups(const ct_scene *scene, ct_text name); /* likewise */
api_spelling api_spelling_of_prefixes(const ct_scene *scene, ct_text prefix);   /* first letters of ids, about as many */
api_spelling api_spelling_of_attachments(const ct_scene *scene, ct_text name);  /* contact states */
api_spelling api_spelling_of_materials(const ct_materials *materials, ct_text name);

/* Bytes of the end of a sentence about an unknown word. */
#define API_SPELLING_END (API_ECHO_MAX + 32)
/* The end of such a sentence: the suggestion, or a full stop. Returns out. */
const char *api_spelling_end(const api_spelling *likeness, char out[API_SPELLING_END]);

#endif
