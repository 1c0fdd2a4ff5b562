/* Bodies in JSON: reading, writing, and lists of bodies. */
#ifndef API_DOCUMENTS_BODY_JSON_H
#define API_DOCUMENTS_BODY_JSON_H

#include "shapes/shape_json.h"

/* Greatest number of groups of a body; the verdict for a pair costs the product of both numbers. */
#define API_BODY_GROUPS_MAX 64

/* Reads opaque JSON as compact text into the arena, at most limits->user_bytes (LIMIT_EXCEEDED).
 * null counts as absent. */
bool api_read_user_data(api_reader *reader, const api_field *field, ct_text *out);

typedef struct api_body {
  const ct_body *body; /* owned */
  ct_pose pose;
  ct_velocity velocity; /* zero if not given */
} api_body;
void api_body_release(api_body *body);

typedef struct api_body_form {
  ct_text id;         /* id of the body if its document has no member id; empty: the document must
                         have one */
  bool id_is_fixed;   /* a document's id must equal `id` (BAD_VALUE), as for PUT of a body */
  bool allow_short;   /* a single collider with its pose is a body, as in stateless queries */
  bool without_scene; /* materials belong to a scene: colliders must not name one (UNKNOWN_ID) */
  const ct_body
      *kept; /* body with the colliders to retain; NULL: the document contains colliders */
} api_body_form;

/* Reads a body. form NULL: id required, no short form. On success *out owns a body; on failure
 * nothing is owned. Rewinds the reader's arena to its position at the call. */
bool api_read_body(api_reader *reader, const api_field *field, const api_body_form *form,
                   api_body *out);

/* Writes {"id":...}. velocity may be NULL. */
void api_put_body(api_buffer *buffer, const ct_body *body, const ct_pose *pose,
                  const ct_velocity *velocity);
/* The same without colliders. */
void api_put_bare_body(api_buffer *buffer, const ct_body *body, const ct_pose *pose,
                       const ct_velocity *velocity);
/* Writes the body of a scene's row. */
void api_put_row(api_buffer *buffer, const ct_scene *scene, uint32_t row);

/* A growable list of bodies. A zeroed list is empty and ready. */
typedef struct api_body_list {
  api_body *items;
  size_t count, capacity;
  size_t bytes; /* estimated memory of all bodies of the list, hulls and meshes included */
} api_body_list;
void api_body_list_free(api_body_list *list); /* releases the bodies */
/* owns the body afterwards; false: out of memory, the caller still owns the body */
bool api_body_list_add(api_body_list *list, api_body *body);

/* Appends an array of bodies, of at most limits->bodies elements. */
bool api_read_bodies(api_reader *reader, const api_field *field, api_body_list *list);
/* Inserts all bodies in order; faults point to at/i/id (at NULL: /i/id). ID_IN_USE: the id existed
 * before the call; DUPLICATE_ID: twice in the list; LIMIT_EXCEEDED: more than limits->bodies.
 * Discard the draft on false. */
bool api_add_bodies(api_reader *reader, const api_pointer *at, const api_body_list *list,
                    ct_draft *draft);
/* Replaces the body of the same id, or inserts it. *created: inserted; may be NULL. */
bool api_put_body_into(api_reader *reader, const api_pointer *at, const api_body *body,
                       ct_draft *draft, bool *created);
/* Reads a collider of the body by id or index; CT_NO_COLLIDER if the member is absent. Fault:
 * UNKNOWN_ID. */
bool api_read_collider_place(api_reader *reader, const api_field *field, const ct_body *body,
                             uint32_t *out);

#endif
