/* Records of a contact state by their colliders. */
#include "contact_state/contact_pairs.h"

#include <stdlib.h>

struct ct_contact_index {
  const ct_contact_state *state; /* borrowed */
  ct_contact_member *members;
  size_t count;
};

ct_status ct_contact_index_create(const ct_scene *scene, const ct_contact_state *state,
                                  const ct_cancel *cancel, ct_contact_index **out) {
  ct_contact_pairs pairs = {.scene = scene, .cancel = cancel};
  ct_contact_index *index = calloc(1, sizeof *index);
  if (!index) return CT_OUT_OF_MEMORY;
  index->state = state;
  ct_status status = ct_scene_row_filter(scene, cancel, &pairs.filter);
  if (status == CT_OK)
    status = ct_contact_members_of(&pairs, state, &index->members, &index->count);
  if (status == CT_OK) *out = index;
  else free(index);
  return status;
}

void ct_contact_index_destroy(ct_contact_index *index) {
  if (!index) return;
  free(index->members);
  free(index);
}

const ct_contact_record *ct_contact_index_find(const ct_contact_index *index, uint32_t a,
                                               uint32_t b, uint32_t collider_a,
                                               uint32_t collider_b) {
  const ct_contact_key key = a < b ? (ct_contact_key){a, b, collider_a, collider_b}
                                   : (ct_contact_key){b, a, collider_b, collider_a};
  size_t found = ct_contact_member_find(index->members, index->count, &key);
  return found < index->count ? ct_contact_state_record(index->state, index->members[found].record)
                              : NULL;
}
