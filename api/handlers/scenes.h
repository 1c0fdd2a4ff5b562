/* Handlers of the resources of a scene: the scene itself, its bodies, poses and filters. */
#ifndef API_HANDLERS_SCENES_H
#define API_HANDLERS_SCENES_H

#include "calls/call.h"

/* scenes.c */
api_step api_scenes_list(api_call *call);
api_step api_scenes_create(api_call *call);
api_step api_scene_get(api_call *call);
api_step api_scene_put(api_call *call);
api_step api_scene_patch(api_call *call);
api_step api_scene_delete(api_call *call);

/* bodies.c */
api_step api_bodies_list(api_call *call);
api_step api_bodies_post(api_call *call);
api_step api_bodies_patch(api_call *call);
api_step api_bodies_delete(api_call *call);
api_step api_body_get(api_call *call);
api_step api_body_put(api_call *call);
api_step api_body_patch(api_call *call);
api_step api_body_delete(api_call *call);

/* packed_columns.c */
api_step api_poses_get(api_call *call);
api_step api_poses_put(api_call *call);
api_step api_poses_patch(api_call *call);
api_step api_vertices_patch(api_call *call);
api_step api_filters_get(api_call *call);
api_step api_filters_put(api_call *call);
api_step api_filters_effective(api_call *call);

/* What the handlers share (scenes.c). */

/* A GET of the current revision: replies 304 when If-None-Match says so. True: the reply is made. */
bool api_scene_not_modified(api_call *call);
/* The draft of a write after its preconditions, or NULL with a fault. */
ct_draft *api_scene_draft(api_call *call, bool exists);
/* limit and cursor of a listing. *cursor is untouched when none is sent. False: faults. */
bool api_scene_page(api_call *call, uint64_t *limit, char cursor[API_URL_VALUE_MAX + 1]);
/* What a listing's cursor is bound to. */
uint64_t api_scene_list_hash(const api_call *call);
/* limit, and the id that a list in the order of ids goes on after, "" for its beginning. False: faults. */
bool api_read_list_position(api_call *call, uint64_t *limit, char after[CT_ID_LENGTH_MAX + 1]);
/* The members of a page that more follow after: `last` is the last id of it. */
void api_scene_put_next(api_call *call, const char *last);

#endif
