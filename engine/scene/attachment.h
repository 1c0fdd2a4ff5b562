/* Values attached to a revision: an immutable list that revisions share. Attaching a value to a
 * draft creates a new list that shares the other entries. */
#ifndef SCENE_ATTACHMENT_H
#define SCENE_ATTACHMENT_H

#include <contact/scene.h>

#include <stdatomic.h>

typedef struct ct_attached ct_attached;

typedef struct ct_attached_list {
  _Atomic uint32_t refs;
  uint32_t count;
  ct_attached
      *entries[]; /* [count] in ascending order of names; the list has a reference to each */
} ct_attached_list;

ct_attached_list *ct_attached_list_retain(ct_attached_list *list); /* NULL is returned as NULL */
void ct_attached_list_release(ct_attached_list *list);             /* NULL: no operation */
const ct_attachment *ct_attached_list_at(const ct_attached_list *list, size_t index);
/* Returns the entry with the name; NULL: there is none. The list may be NULL. */
const ct_attachment *ct_attached_list_find(const ct_attached_list *list, ct_text name);
/* Creates a list with the attachment added or replaced or, if its value is NULL, without the entry
 * of its name; *out is NULL if the new list is empty. O(count). */
ct_status ct_attached_list_with(ct_attached_list *list, const ct_attachment *attachment,
                                const ct_attachment_type *type, ct_attached_list **out);
/* Returns the bytes of the list and of the entries that no other list shares; 0 for NULL. */
size_t ct_attached_list_bytes(const ct_attached_list *list);
/* Returns the bytes of all values of the list, whether shared or not; 0 for NULL. */
uint64_t ct_attached_list_weight(const ct_attached_list *list);

#endif
