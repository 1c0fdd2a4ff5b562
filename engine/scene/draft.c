/* A draft: the next revision before it is sealed. Its scene is referenced by no other owner and
 * shares the chunks of the base revision. Every function allocates all memory before it changes the
 * draft, so that a failure changes nothing. */
#include "base/array.h"
#include "scene/body.h"
#include "scene/scene.h"

#include <contact/restore.h>

#include <stdlib.h>

/* Largest number of rows, including those of removed bodies; compact_rows renumbers the rows before
 * it is reached. */
#define ROWS_MAX (2u * CT_BODIES_MAX - 1)
/* The tree is updated row by row if at most one row in CHANGED_SHARE changed; above, rebuilding it
 * is cheaper. */
#define CHANGED_SHARE 4

struct ct_draft {
  ct_scene *next;
  const ct_scene *base;
  size_t copied;
  ct_row_list changes;
  bool many_changes;       /* too many changes for the list: the next revision's tree is built from
                              scratch */
  bool filters_changed;    /* bodies or rules changed: the row filter must be rebuilt */
  const ct_body **removed; /* bodies removed since the pair rules were set, one reference each;
                              sealing removes the pair rules that name them */
  uint32_t removed_count, removed_capacity;
};

static ct_draft *create_draft(const ct_scene *base, uint64_t revision) {
  ct_draft *draft = calloc(1, sizeof *draft);
  ct_scene *next = draft ? ct_scene_branch(base) : NULL;
  if (!next) {
    free(draft);
    return NULL;
  }
  next->revision = revision;
  draft->next = next;
  draft->base = ct_scene_retain(base);
  return draft;
}

ct_draft *ct_draft_begin(const ct_scene *base) { return create_draft(base, base->revision + 1); }

ct_draft *ct_draft_amend(const ct_scene *base) { return create_draft(base, base->revision); }

ct_draft *ct_draft_restore(const ct_scene *base, uint64_t revision) {
  return create_draft(base, revision);
}

static void release_removed(ct_draft *draft) {
  for (uint32_t i = 0; i < draft->removed_count; i++) ct_body_release(draft->removed[i]);
  draft->removed_count = 0;
}

/* Frees the draft; its scene is not released. */
static void free_draft(ct_draft *draft) {
  release_removed(draft);
  free(draft->removed);
  free(draft->changes.rows);
  ct_scene_release(draft->base);
  free(draft);
}

void ct_draft_discard(ct_draft *draft) {
  if (!draft) return;
  ct_scene_release(draft->next);
  free_draft(draft);
}

uint32_t ct_draft_find(const ct_draft *draft, ct_text id) { return ct_scene_find(draft->next, id); }
uint32_t ct_draft_count(const ct_draft *draft) { return draft->next->count; }
const ct_body *ct_draft_body(const ct_draft *draft, uint32_t row) {
  return ct_scene_body_at(draft->next, row);
}
ct_pose ct_draft_pose(const ct_draft *draft, uint32_t row) {
  return *ct_scene_pose_at(draft->next, row);
}
ct_velocity ct_draft_velocity(const ct_draft *draft, uint32_t row) {
  return ct_scene_velocity(draft->next, row);
}
uint32_t ct_draft_rows(const ct_draft *draft) { return draft->next->rows; }
const ct_materials *ct_draft_materials(const ct_draft *draft) {
  return ct_scene_materials(draft->next);
}
bool ct_draft_has_material(const ct_draft *draft, ct_text name) {
  return ct_material_set_has(draft->next->materials, name);
}
size_t ct_draft_copied_bytes(const ct_draft *draft) { return draft->copied; }

/* ---- changes -------------------------------------------------------------------------------- */

static bool push_row(ct_row_list *list, uint32_t row) {
  if (!ct_array_reserve32(&list->rows, &list->capacity, list->count + 1, sizeof *list->rows))
    return false;
  list->rows[list->count++] = row;
  return true;
}

/* Records that the row's box may have changed. After too many changes the list is dropped, and the
 * next tree is built from scratch. */
static void record_changed_row(ct_draft *draft, uint32_t row) {
  if (draft->many_changes) return;
  if (draft->changes.count <= draft->next->rows / CHANGED_SHARE && push_row(&draft->changes, row))
    return;
  draft->many_changes = true;
  free(draft->changes.rows);
  draft->changes = (ct_row_list){NULL, 0, 0};
}

/* True if the velocity is NULL or zero. Compares bits, so that a negative zero is stored in every
 * case, independent of other bodies. */
static bool has_zero_bits(const ct_velocity *v) {
  static const ct_velocity still = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  return !v || memcmp(v, &still, sizeof still) == 0;
}

/* Sets *place to the row's velocity for writing, or to NULL if no velocity needs to be stored.
 * False: out of memory. */
static bool own_velocity(ct_draft *draft, uint32_t row, const ct_velocity *velocity,
                         ct_velocity **place) {
  ct_scene *next = draft->next;
  *place = NULL;
  if (next->velocities.rows == 0 && has_zero_bits(velocity)) return true;
  uint32_t rows = row < next->rows ? next->rows : row + 1;
  if (!ct_column_extend(&next->velocities, rows, &draft->copied)) return false;
  *place = ct_column_write(&next->velocities, row, &draft->copied);
  return *place != NULL;
}

static void store_velocity(ct_velocity *place, const ct_velocity *velocity) {
  if (place) *place = velocity ? *velocity : (ct_velocity){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
}

/* Creates the column of serials; so far each row number was the row's serial. False: out of memory,
 * and nothing has changed. */
static bool add_serial_column(ct_scene *scene, size_t *copied) {
  ct_column serials = ct_column_empty(scene->serials.type);
  bool done = ct_column_extend(&serials, scene->rows, copied);
  for (uint32_t row = 0; row < scene->rows && done; row++) {
    uint64_t *place = ct_column_write(&serials, row, copied);
    done = place != NULL;
    if (done) *place = row;
  }
  if (done) scene->serials = serials;
  else ct_column_free(&serials);
  return done;
}

/* Sets *place to the serial of a new row for writing, or to NULL if the column is empty and the row
 * number is the serial. `row` is at least the number of rows. False: out of memory. */
static bool own_serial(ct_scene *scene, uint32_t row, uint64_t serial, size_t *copied,
                       uint64_t **place) {
  *place = NULL;
  if (scene->serials.rows == 0 && serial == row) return true;
  if (scene->serials.rows == 0 && scene->rows > 0 && !add_serial_column(scene, copied))
    return false;
  if (!ct_column_extend(&scene->serials, row + 1, copied)) return false;
  *place = ct_column_write(&scene->serials, row, copied);
  return *place != NULL;
}

ct_status ct_draft_insert_at(ct_draft *draft, uint32_t at, uint64_t serial, const ct_body *body,
                             const ct_pose *pose, const ct_velocity *velocity) {
  ct_scene *next = draft->next;
  ct_text id = ct_body_id(body);
  if (ct_scene_find(next, id) != CT_NO_ROW) return CT_EXISTS;
  if (next->count >= CT_BODIES_MAX || at >= ROWS_MAX || at < next->rows ||
      serial < next->next_serial)
    return CT_LIMIT;
  if (!ct_column_extend(&next->bodies, at + 1, &draft->copied) ||
      !ct_column_extend(&next->poses, at + 1, &draft->copied))
    return CT_OUT_OF_MEMORY;
  ct_velocity *velocity_place;
  uint64_t *serial_place;
  void *body_place = ct_column_write(&next->bodies, at, &draft->copied);
  ct_pose *pose_place = ct_column_write(&next->poses, at, &draft->copied);
  uint32_t *slot = ct_index_slot(&next->index, &next->bodies, next->key, id, &draft->copied);
  if (!body_place || !pose_place || !slot || !own_velocity(draft, at, velocity, &velocity_place))
    return CT_OUT_OF_MEMORY;
  if (!own_serial(next, at, serial, &draft->copied, &serial_place)) return CT_OUT_OF_MEMORY;
  ct_column_set_pointer(&next->bodies, body_place, body);
  *pose_place = (ct_pose){pose->position, ct_quat_or_identity(pose->rotation)};
  store_velocity(velocity_place, velocity);
  if (serial_place) *serial_place = serial;
  next->next_serial = serial + 1;
  ct_index_fill(&next->index, slot, next->key, id, at);
  next->rows = at + 1;
  next->count++;
  next->bodies_weight += ct_body_weight(body);
  draft->filters_changed = true;
  record_changed_row(draft, at);
  return CT_OK;
}

ct_status ct_draft_insert(ct_draft *draft, const ct_body *body, const ct_pose *pose,
                          const ct_velocity *velocity, uint32_t *row) {
  uint32_t at = draft->next->rows;
  ct_status status = ct_draft_insert_at(draft, at, draft->next->next_serial, body, pose, velocity);
  if (status == CT_OK && row) *row = at;
  return status;
}

ct_status ct_draft_restore_numbers(ct_draft *draft, uint32_t rows, uint64_t next_serial,
                                   uint64_t contacts_begun) {
  ct_scene *next = draft->next;
  if (rows < next->rows || rows > ROWS_MAX || next_serial < next->next_serial ||
      contacts_begun < next->contacts_begun)
    return CT_LIMIT;
  bool moving = next->velocities.rows > 0, counted = next->serials.rows > 0;
  if (!ct_column_extend(&next->bodies, rows, &draft->copied) ||
      !ct_column_extend(&next->poses, rows, &draft->copied) ||
      (moving && !ct_column_extend(&next->velocities, rows, &draft->copied)) ||
      (counted && !ct_column_extend(&next->serials, rows, &draft->copied)))
    return CT_OUT_OF_MEMORY;
  next->rows = rows;
  next->next_serial = next_serial;
  next->contacts_begun = contacts_begun;
  return CT_OK;
}

ct_status ct_draft_replace(ct_draft *draft, uint32_t row, const ct_body *body, const ct_pose *pose,
                           const ct_velocity *velocity) {
  ct_scene *next = draft->next;
  ct_velocity *velocity_place;
  void *body_place = ct_column_write(&next->bodies, row, &draft->copied);
  ct_pose *pose_place = ct_column_write(&next->poses, row, &draft->copied);
  if (!body_place || !pose_place || !own_velocity(draft, row, velocity, &velocity_place))
    return CT_OUT_OF_MEMORY;
  next->bodies_weight += ct_body_weight(body) - ct_body_weight(ct_scene_body_at(next, row));
  ct_column_set_pointer(&next->bodies, body_place, body);
  *pose_place = (ct_pose){pose->position, ct_quat_or_identity(pose->rotation)};
  store_velocity(velocity_place, velocity);
  draft->filters_changed = true;
  record_changed_row(draft, row);
  return CT_OK;
}

static bool has_pair_rules(const ct_draft *draft) {
  return draft->next->filters && draft->next->filters->filters.pair_count > 0;
}

static bool reserve_removed(ct_draft *draft) {
  return ct_array_reserve32(&draft->removed, &draft->removed_capacity, draft->removed_count + 1,
                            sizeof *draft->removed);
}

ct_status ct_draft_remove(ct_draft *draft, uint32_t row) {
  ct_scene *next = draft->next;
  void *body_place = ct_column_write(&next->bodies, row, &draft->copied);
  if (!body_place || (has_pair_rules(draft) && !reserve_removed(draft))) return CT_OUT_OF_MEMORY;
  if (!ct_index_remove(&next->index, &next->bodies, next->key, row, &draft->copied))
    return CT_OUT_OF_MEMORY;
  if (has_pair_rules(draft))
    draft->removed[draft->removed_count++] = ct_body_retain(ct_scene_body_at(next, row));
  next->bodies_weight -= ct_body_weight(ct_scene_body_at(next, row));
  ct_column_set_pointer(&next->bodies, body_place, NULL);
  next->count--;
  draft->filters_changed = true;
  record_changed_row(draft, row);
  return CT_OK;
}

ct_status ct_draft_set_pose(ct_draft *draft, uint32_t row, const ct_pose *pose) {
  ct_pose *place = ct_column_write(&draft->next->poses, row, &draft->copied);
  if (!place) return CT_OUT_OF_MEMORY;
  *place = (ct_pose){pose->position, ct_quat_or_identity(pose->rotation)};
  record_changed_row(draft, row);
  return CT_OK;
}

ct_status ct_draft_set_velocity(ct_draft *draft, uint32_t row, const ct_velocity *velocity) {
  ct_velocity *place;
  if (!own_velocity(draft, row, velocity, &place)) return CT_OUT_OF_MEMORY;
  store_velocity(place, velocity);
  return CT_OK;
}

ct_status ct_draft_set_filters(ct_draft *draft, const ct_filters *filters) {
  ct_filter_set *set = NULL;
  if (filters->group_count || filters->pair_count) {
    ct_status status = ct_filter_set_create(filters, draft->next->key, &set);
    if (status != CT_OK) return status;
  }
  ct_filter_set_release(draft->next->filters);
  draft->next->filters = set;
  draft->filters_changed = true;
  release_removed(draft);
  return CT_OK;
}

void ct_draft_set_geometric_epsilon(ct_draft *draft, double epsilon) {
  draft->next->geometric_epsilon = epsilon;
}

void ct_draft_set_time(ct_draft *draft, double time) { draft->next->time = time; }

void ct_draft_set_gravity(ct_draft *draft, const ct_vec3 *gravity) {
  draft->next->has_gravity = gravity != NULL;
  draft->next->gravity = gravity ? *gravity : ct_vec(0.0, 0.0, 0.0);
}

ct_status ct_draft_set_materials(ct_draft *draft, const ct_materials *materials) {
  ct_material_set *set = NULL;
  if (materials->count || materials->pair_count) {
    ct_status status = ct_material_set_create(materials, &set);
    if (status != CT_OK) return status;
  }
  ct_material_set_release(draft->next->materials);
  draft->next->materials = set;
  return CT_OK;
}

/* Replaces the text *place by a copy of `text`; an empty text is stored as NULL. */
static ct_status replace_text(ct_user_text **place, ct_text text) {
  ct_user_text *copy = NULL;
  if (text.length) {
    copy = malloc(sizeof *copy + text.length);
    if (!copy) return CT_OUT_OF_MEMORY;
    atomic_init(&copy->refs, 1);
    copy->length = text.length;
    memcpy(copy->bytes, text.bytes, text.length);
  }
  ct_user_text_release(*place);
  *place = copy;
  return CT_OK;
}

ct_status ct_draft_set_user(ct_draft *draft, ct_text user) {
  return replace_text(&draft->next->user, user);
}
ct_status ct_draft_set_origin(ct_draft *draft, ct_text origin) {
  return replace_text(&draft->next->origin, origin);
}

ct_status ct_draft_attach(ct_draft *draft, ct_text name, const void *value,
                          const ct_attachment_type *type) {
  ct_attached_list *list;
  const ct_attachment attachment = {name, value};
  ct_status status = ct_attached_list_with(draft->next->attached, &attachment, type, &list);
  if (status != CT_OK) return status;
  ct_attached_list_release(draft->next->attached);
  draft->next->attached = list;
  return CT_OK;
}

void ct_draft_count_contacts(ct_draft *draft, uint64_t count) {
  draft->next->contacts_begun += count;
}

/* ---- sealing -------------------------------------------------------------------------------- */

/* Builds an index of the removed bodies' ids, and the column of bodies that it refers to. False:
 * out of memory. */
static bool index_removed(const ct_draft *draft, ct_column *bodies, ct_index *index) {
  size_t ignored = 0;
  *bodies = ct_column_empty(draft->next->bodies.type);
  *index = ct_index_empty();
  for (uint32_t i = 0; i < draft->removed_count; i++) {
    ct_text id = ct_body_id(draft->removed[i]);
    if (ct_index_find(index, bodies, draft->next->key, id) != CT_NO_ROW) continue;
    uint32_t row = bodies->rows;
    if (!ct_column_extend(bodies, row + 1, &ignored)) return false;
    uint32_t *slot = ct_index_slot(index, bodies, draft->next->key, id, &ignored);
    if (!slot) return false;
    ct_column_set_pointer(bodies, ct_column_write(bodies, row, &ignored), draft->removed[i]);
    ct_index_fill(index, slot, draft->next->key, id, row);
  }
  return true;
}

/* Removes the pair rules that name a removed body. False: out of memory. */
static bool drop_pair_rules(ct_draft *draft) {
  if (draft->removed_count == 0) return true;
  ct_column bodies;
  ct_index index;
  ct_filters filters = draft->next->filters->filters;
  ct_pair_rule *kept = malloc(filters.pair_count * sizeof *kept);
  bool done = index_removed(draft, &bodies, &index) && kept;
  if (done) {
    size_t count = 0;
    ct_hash_key key = draft->next->key;
    for (size_t i = 0; i < filters.pair_count; i++)
      if (ct_index_find(&index, &bodies, key, filters.pairs[i].a) == CT_NO_ROW &&
          ct_index_find(&index, &bodies, key, filters.pairs[i].b) == CT_NO_ROW)
        kept[count++] = filters.pairs[i];
    filters.pairs = kept;
    filters.pair_count = count;
    done = ct_draft_set_filters(draft, &filters) == CT_OK;
  }
  free(kept);
  ct_column_free(&bodies);
  ct_column_free(&index.slots);
  return done;
}

/* Appends the body of row `from` of the old scene to a new scene. False: out of memory. */
static bool copy_row(ct_scene *fresh, const ct_scene *old, uint32_t from) {
  size_t ignored = 0;
  uint32_t at = fresh->rows;
  const ct_body *body = ct_scene_body_at(old, from);
  bool moving = old->velocities.rows > 0;
  /* Allocate everything before the scene changes. */
  if (!ct_column_extend(&fresh->bodies, at + 1, &ignored) ||
      !ct_column_extend(&fresh->poses, at + 1, &ignored))
    return false;
  if (moving && !ct_column_extend(&fresh->velocities, at + 1, &ignored)) return false;
  uint64_t serial = ct_scene_serial(old, from), *serial_place;
  if (!own_serial(fresh, at, serial, &ignored, &serial_place)) return false;
  uint32_t *slot =
      ct_index_slot(&fresh->index, &fresh->bodies, old->key, ct_body_id(body), &ignored);
  if (!slot) return false;
  /* Store the row. */
  ct_column_set_pointer(&fresh->bodies, ct_column_write(&fresh->bodies, at, &ignored), body);
  *(ct_pose *)ct_column_write(&fresh->poses, at, &ignored) = *ct_scene_pose_at(old, from);
  if (moving)
    *(ct_velocity *)ct_column_write(&fresh->velocities, at, &ignored) =
        ct_scene_velocity(old, from);
  if (serial_place) *serial_place = serial;
  ct_index_fill(&fresh->index, slot, old->key, ct_body_id(body), at);
  fresh->rows++;
  return true;
}

/* Removes the rows without a body if they are more than half of all rows, or if the limit of rows
 * is near. The order of the bodies is unchanged. False: out of memory. */
static bool compact_rows(ct_draft *draft) {
  ct_scene *old = draft->next;
  uint32_t holes = old->rows - old->count;
  if (2 * holes <= old->rows && (holes == 0 || old->rows < ROWS_MAX / 4 * 3)) return true;
  /* Copy the rows with a body to an empty scene with a new numbering. */
  ct_scene *fresh = ct_scene_branch(NULL);
  if (!fresh) return false;
  fresh->key = old->key;
  for (uint32_t row = 0; row < old->rows; row++) {
    if (!ct_scene_body_at(old, row) || copy_row(fresh, old, row)) continue;
    ct_scene_release(fresh);
    return false;
  }
  /* Move all other members of the scene to the new one, or share them. */
  fresh->count = old->count;
  fresh->bodies_weight = old->bodies_weight;
  fresh->revision = old->revision;
  fresh->filters = ct_filter_set_retain(old->filters);
  fresh->user = old->user;
  fresh->origin = old->origin;
  old->user = old->origin = NULL;
  fresh->geometric_epsilon = old->geometric_epsilon;
  fresh->time = old->time;
  fresh->gravity = old->gravity;
  fresh->has_gravity = old->has_gravity;
  fresh->materials = ct_material_set_retain(old->materials);
  fresh->next_serial = old->next_serial;
  fresh->contacts_begun = old->contacts_begun;
  fresh->attached = ct_attached_list_retain(old->attached);
  /* Row numbers changed: derived data and row filter are rebuilt. */
  ct_scene_release(old);
  draft->next = fresh;
  draft->many_changes = true;
  draft->filters_changed = true;
  return true;
}

/* Selects the older derived data from which the new revision's data will be updated, and moves the
 * list of changed rows to the revision: the base's derived data or, if the base has none yet, the
 * data that the base would have been updated from. */
static void inherit_derived(ct_draft *draft) {
  if (draft->many_changes) return;
  ct_scene *base = ct_scene_mutable(draft->base);
  ct_derived *derived = atomic_load_explicit(&base->derived, memory_order_acquire);
  if (derived) {
    ct_derived_retain(derived);
  } else {
    derived = ct_scene_retain_prior(base);
    uint32_t total = derived ? draft->changes.count + base->changes.count : 0;
    bool few = total <= draft->next->rows / CHANGED_SHARE;
    for (uint32_t i = 0; derived && few && i < base->changes.count; i++)
      few = push_row(&draft->changes, base->changes.rows[i]);
    if (!few) {
      ct_derived_release(derived);
      derived = NULL;
    }
  }
  draft->next->prior = derived;
  if (!derived) return;
  draft->next->changes = draft->changes;
  draft->changes = (ct_row_list){NULL, 0, 0};
}

const ct_scene *ct_draft_seal(ct_draft *draft) {
  if (!drop_pair_rules(draft) || !compact_rows(draft)) return NULL;
  inherit_derived(draft);
  ct_scene *next = draft->next;
  if (!draft->filters_changed) {
    ct_row_filter *filter =
        atomic_load_explicit(&ct_scene_mutable(draft->base)->row_filter, memory_order_acquire);
    atomic_store_explicit(&next->row_filter, ct_row_filter_retain(filter), memory_order_relaxed);
  }
  free_draft(draft);
  return next;
}
