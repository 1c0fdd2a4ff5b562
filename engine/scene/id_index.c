/* The index of ids: linear probing, with a mark in the slots of removed ids (tombstones). The table
 * is rebuilt when two thirds of its slots are not empty. */
#include "scene/id_index.h"

#include <assert.h>

#define ROW_BITS 21
#define ROW_MASK ((1u << ROW_BITS) - 1)
#define REMOVED UINT32_MAX
#define FIRST_SLOTS 8

_Static_assert(2u * CT_BODIES_MAX < ROW_MASK, "row + 1 and the mark of a removed slot must fit");

/* 4 KiB of slots per chunk: an insert into a shared table copies this much. */
static const ct_column_type slot_type = {.element = sizeof(uint32_t), .chunk_shift = 10};

ct_index ct_index_empty(void) { return (ct_index){ct_column_empty(&slot_type), 0, 0}; }

bool ct_index_copy(const ct_index *index, ct_index *copy) {
  *copy = *index;
  return ct_column_copy(&index->slots, &copy->slots);
}

static uint32_t slot_at(const ct_index *index, uint32_t at) {
  return *(const uint32_t *)ct_column_at(&index->slots, at);
}

static uint32_t slot_value(uint64_t hash, uint32_t row) {
  return (uint32_t)(hash >> 32 & ~(uint64_t)ROW_MASK) | (row + 1);
}

static ct_text id_at(const ct_column *bodies, uint32_t row) {
  return ct_body_id(*(const ct_body *const *)ct_column_at(bodies, row));
}

/* Returns the index of the id's slot, or UINT32_MAX. */
static uint32_t find_slot(const ct_index *index, const ct_column *bodies, uint64_t hash,
                          ct_text id) {
  if (index->slots.rows == 0) return UINT32_MAX;
  uint32_t mask = index->slots.rows - 1;
  for (uint32_t at = (uint32_t)hash & mask;; at = (at + 1) & mask) {
    uint32_t slot = slot_at(index, at);
    if (slot == 0) return UINT32_MAX;
    if (slot == REMOVED || (slot & ~ROW_MASK) != (slot_value(hash, 0) & ~ROW_MASK)) continue;
    if (ct_text_same(id_at(bodies, (slot & ROW_MASK) - 1), id)) return at;
  }
}

uint32_t ct_index_find(const ct_index *index, const ct_column *bodies, ct_hash_key key,
                       ct_text id) {
  uint32_t at = find_slot(index, bodies, ct_hash_text(key, id), id);
  return at == UINT32_MAX ? CT_NO_ROW : (slot_at(index, at) & ROW_MASK) - 1;
}

/* Returns the index of the first slot in the probe sequence of the hash that contains no row. */
static uint32_t free_slot(const ct_index *index, uint64_t hash) {
  assert(index->slots.rows > index->live); /* the search ends at a free slot */
  assert((index->slots.rows & (index->slots.rows - 1)) == 0);
  uint32_t mask = index->slots.rows - 1, at = (uint32_t)hash & mask;
  while (slot_at(index, at) != 0 && slot_at(index, at) != REMOVED) at = (at + 1) & mask;
  return at;
}

/* Rebuilds the table without removed slots, with at least twice as many slots as rows. False: out
 * of memory. */
static bool rebuild(ct_index *index, const ct_column *bodies, ct_hash_key key) {
  ct_index fresh = ct_index_empty();
  size_t ignored = 0;
  uint32_t slots = FIRST_SLOTS;
  while (slots < 2 * (index->live + 1)) slots *= 2;
  if (!ct_column_extend(&fresh.slots, slots, &ignored)) {
    ct_column_free(&fresh.slots);
    return false;
  }
  for (uint32_t at = 0; at < index->slots.rows; at++) {
    uint32_t slot = slot_at(index, at);
    if (slot == 0 || slot == REMOVED) continue;
    uint64_t hash = ct_hash_text(key, id_at(bodies, (slot & ROW_MASK) - 1));
    uint32_t *to = ct_column_write(&fresh.slots, free_slot(&fresh, hash),
                                   &ignored); /* the chunk is already unshared: no allocation */
    *to = slot;
  }
  fresh.used = fresh.live = index->live;
  ct_column_free(&index->slots);
  *index = fresh;
  return true;
}

uint32_t *ct_index_slot(ct_index *index, const ct_column *bodies, ct_hash_key key, ct_text id,
                        size_t *copied) {
  if ((uint64_t)(index->used + 1) * 3 > (uint64_t)index->slots.rows * 2 &&
      !rebuild(index, bodies, key))
    return NULL;
  return ct_column_write(&index->slots, free_slot(index, ct_hash_text(key, id)), copied);
}

void ct_index_fill(ct_index *index, uint32_t *slot, ct_hash_key key, ct_text id, uint32_t row) {
  assert(*slot == 0 || *slot == REMOVED);
  if (*slot == 0) index->used++;
  index->live++;
  *slot = slot_value(ct_hash_text(key, id), row);
}

bool ct_index_remove(ct_index *index, const ct_column *bodies, ct_hash_key key, uint32_t row,
                     size_t *copied) {
  ct_text id = id_at(bodies, row);
  uint32_t at = find_slot(index, bodies, ct_hash_text(key, id), id);
  assert(at != UINT32_MAX && index->live > 0);
  uint32_t *slot = ct_column_write(&index->slots, at, copied);
  if (!slot) return false;
  *slot = REMOVED;
  index->live--;
  return true;
}
