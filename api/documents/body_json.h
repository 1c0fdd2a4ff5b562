/* Bodies: decode, encode; lists of decoded bodies. */
#ifndef API_DOCUMENTS_BODY_JSON_H
#define API_DOCUMENTS_BODY_JSON_H

#include "shapes/shape_json.h"

/* Groups that one body may be in: a pair's verdict takes the product of both numbers. */
#define API_BODY_GROUPS_MAX 64

/* Opaque JSON as compact text in the arena, at most limits->user_bytes (LIMIT_EXCEEDED). null is none. */
bool api_read_user_data(api_reader *reader, const api_field *field, ct_text *out);

typedef struct api_body {
  const ct_body *body; /* a reference, owned */
  ct_pose pose;
  ct_velocity velocity; /* zero unless given */
} api_body;
void api_body_release(api_body *body);

typedef struct api_body_form {
  ct_text id;          /* id where the document names none; empty: the document must */
  bool id_is_fixed;    /* a document's id must equal `id` (BAD_VALUE), as with PUT of one body */
  bool allow_short;    /* one collider with its pose may stand for a body, as with stateless queries */
  const ct_body *kept; /* its colliders are the body's, and the document has none; NULL: the document has them */
} api_body_form;

/* form NULL: id required, no short form. On success *out owns a body; on failure nothing is owned. The reader's arena is rewound.
 */
bool api_read_body(api_reader *reader, const api_field *field, const api_body_form *form, api_body *out);

/* Puts {"id":...}. velocity may be NULL. */
void api_put_body(api_buffer *buffer, const ct_body *body, const ct_pose *pose, const ct_velocity *velocity);
/* The same without its colliders. */
void api_put_bare_body(api_buffer *buffer, const ct_body *body, const ct_pose *pose, const ct_velocity *velocity);
/* The body of a scene's row. */
void api_put_row(api_buffer *buffer, const ct_scene *scene, uint32_t row);

/* Growing list. A zeroed list is empty and ready. */
typedef struct api_body_list {
  api_body *items;
  size_t count, capacity;
  size_t bytes; /* about what the bodies take, hulls included */
} api_body_list;
void api_body_list_free(api_body_list *list);                /* releases the bodies */
bool api_body_list_add(api_body_list *list, api_body *body); /* takes the reference; false: out of memory, the caller keeps it */

/* Reads an array of bodies to the end of the list. `limit` on the length is limits->bodies. */
bool api_read_bodies(api_reader *reader, const api_field *field, api_body_list *list);
/* Inserts all in order; faults point to at/i/id, at NULL: /i/id. ID_IN_USE: the draft had a body of this id before the call;
 * DUPLICATE_ID: twice in the list; LIMIT_EXCEEDED: more than limits->bodies. Discard the draft on false. */
bool api_add_bodies(api_reader *reader, const api_pointer *at, const api_body_list *list, ct_draft *draft);
/* As PUT of one body: replaces the body of the same id, or inserts. *created tells which; may be NULL. */
bool api_put_body_into(api_reader *reader, const api_pointer *at, const api_body *body, ct_draft *draft, bool *created);

#endif
