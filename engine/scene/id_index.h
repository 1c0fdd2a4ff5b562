/* Index from body ids to rows: an open-addressing hash table whose slots are in a copy-on-write
 * column, so that an insert into a large scene copies one chunk of slots. The bodies own the
 * ids. */
#ifndef SCENE_ID_INDEX_H
#define SCENE_ID_INDEX_H

#include "scene/column.h"
#include "scene/hash.h"

typedef struct ct_index {
  ct_column slots; /* element type uint32_t. 0: empty slot; REMOVED: the id was removed; else row +
                      1 in the low bits, and bits of the id's hash above them */
  uint32_t used;   /* number of slots that are not empty, including removed ones */
  uint32_t live;   /* number of slots that contain a row */
} ct_index;

ct_index ct_index_empty(void);
bool ct_index_copy(const ct_index *index, ct_index *copy);
/* Returns the row of an id; CT_NO_ROW: the id is absent. bodies: column of the bodies, by row. */
uint32_t ct_index_find(const ct_index *index, const ct_column *bodies, ct_hash_key key, ct_text id);
/* Returns the slot for an id that is not in the index; the caller then fills it by ct_index_fill.
 * The table grows if needed. NULL: out of memory. */
uint32_t *ct_index_slot(ct_index *index, const ct_column *bodies, ct_hash_key key, ct_text id,
                        size_t *copied);
void ct_index_fill(ct_index *index, uint32_t *slot, ct_hash_key key, ct_text id, uint32_t row);
/* Removes a row, which must be in the index. False: out of memory, and nothing has changed. */
bool ct_index_remove(ct_index *index, const ct_column *bodies, ct_hash_key key, uint32_t row,
                     size_t *copied);

#endif
