/* Handlers of a scene's resources: the scene itself, its bodies, poses, vertices and filters. */
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

/* Shared by the handlers (scenes.c). */

/* Sets the ETag and, if If-None-Match lists the current revision, replies 304. True: the reply is
 * complete. */
bool api_scene_not_modified(api_call *call);
/* Checks the preconditions of a write and begins a draft of the call's scene. exists: the written
 * resource exists already (for If-Match: *). NULL: a fault was added. */
ct_draft *api_scene_draft(api_call *call, bool exists);
/* Reads the URL parameters limit and cursor of a listing; cursor is "" if it was not sent. False:
 * faults were added. */
bool api_scene_page(api_call *call, uint64_t *limit, char cursor[API_URL_VALUE_MAX + 1]);
/* Returns the hash to which the cursors of the call's listing are bound. */
uint64_t api_scene_list_hash(const api_call *call);
/* Reads the limit, and from the cursor the id after which a list in ascending order of id
 * continues; "" for its beginning. False: faults were added. */
bool api_read_list_position(api_call *call, uint64_t *limit, char after[CT_ID_LENGTH_MAX + 1]);
/* Puts the members truncated, true, and nextCursor, which continues the list after the id
 * `last`. */
void api_scene_put_next(api_call *call, const char *last);

#endif
