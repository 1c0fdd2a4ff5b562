/* Lists of volumetric contacts in the workspace, and values that all algorithms set: the relative
 * frame in double-double arithmetic, and the error bound of a volume. */
#include "volume/volume_pair.h"
#include "base/array.h"

#include <assert.h>
#include <stdlib.h>

static void release_volume_part(void *part) {
  ct_volume_scratch *memory = part;
  free(memory->contacts);
  free(memory->triangles);
  free(memory->points);
  free(memory->stage_vertices);
  free(memory->stage_faces);
  free(memory->stage_indices);
  for (int i = 0; i < 2; i++) free(memory->body_storage[i].numbers);
  free(memory->solid.numbers);
  ct_cut_free(&memory->cut);
  free(memory->shared);
  free(memory->elements);
}

const ct_workspace_part_type ct_volume_part_type = {
    sizeof(ct_volume_scratch), offsetof(ct_volume_scratch, out_of_memory), release_volume_part};
_Static_assert(sizeof(ct_volume_scratch) <= CT_WORKSPACE_PART_MAX, "the part fits its slot");

void ct_volume_widen(ct_volume_pair *pair) {
  if (!pair->has_wide)
    pair->wide = ct_wide_relative(&pair->a, &pair->poses[0], &pair->b, &pair->poses[1]);
  pair->has_wide = true;
}

void ct_volume_set_error(ct_volume_contact *contact, double error) {
  assert(!(error < 0.0) && !(contact->volume < 0.0));
  contact->volume_error = error;
  if (error > CT_VOLUME_RELATIVE_ERROR * contact->volume)
    contact->flags |= CT_VOLUME_FLAG_VOLUME_INEXACT;
  if (error > CT_VOLUME_RELATIVE_ERROR_LARGE * contact->volume && contact->status == CT_PAIR_OK)
    contact->status = CT_PAIR_DEGENERATE;
}

bool ct_volume_push(ct_volume_pair *pair, const ct_volume_contact *contact) {
  ct_volume_scratch *m = pair->memory;
  /* the contact's triangles are the last of the list */
  assert(contact->triangle_count == 0 ||
         contact->first_triangle + contact->triangle_count == m->triangle_count);
  pair->failed = pair->failed || !ct_array_reserve32(&m->contacts, &m->contact_capacity,
                                                     m->contact_count + 1, sizeof *contact);
  if (pair->failed) return false;
  m->contacts[m->contact_count++] = *contact;
  return true;
}

bool ct_volume_push_triangle(ct_volume_pair *pair, const ct_volume_triangle *triangle) {
  ct_volume_scratch *m = pair->memory;
  /* a triangle has a face of its owner and none of the other body; a shared triangle has both */
  assert((triangle->face_a == CT_NO_FACE) == (triangle->owner == CT_OWNER_B));
  assert((triangle->face_b == CT_NO_FACE) == (triangle->owner == CT_OWNER_A));
  pair->failed = pair->failed || !ct_array_reserve32(&m->triangles, &m->triangle_capacity,
                                                     m->triangle_count + 1, sizeof *triangle);
  if (pair->failed) return false;
  m->triangles[m->triangle_count++] = *triangle;
  return true;
}
