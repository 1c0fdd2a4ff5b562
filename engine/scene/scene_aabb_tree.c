/* Builds a revision's derived data, from scratch or from an older revision's data by moving the
 * rows that changed.
 *
 * Several threads may need the data at once. One of them updates the older data; the others build
 * from scratch and stop as soon as one thread has published its result. Threads that finish later
 * free theirs. */
#include "base/array.h"
#include "scene/body.h"
#include "scene/scene.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void ct_derived_retain(ct_derived *derived) {
  atomic_fetch_add_explicit(&derived->refs, 1, memory_order_relaxed);
}

void ct_derived_release(ct_derived *derived) {
  if (!derived || atomic_fetch_sub_explicit(&derived->refs, 1, memory_order_acq_rel) != 1) return;
  ct_tree_destroy(derived->tree);
  free(derived->proxies);
  free(derived->unbounded);
  free(derived);
}

size_t ct_derived_bytes(const ct_derived *derived) {
  return sizeof *derived + ct_tree_bytes(derived->tree) + derived->rows * sizeof *derived->proxies +
         derived->unbounded_capacity * sizeof *derived->unbounded;
}

uint32_t ct_derived_unbounded_from(const ct_derived *derived, uint32_t row) {
  uint32_t low = 0, high = derived->unbounded_count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (derived->unbounded[middle].row < row) low = middle + 1;
    else high = middle;
  }
  return low;
}

static ct_derived *new_derived(uint32_t rows) {
  ct_derived *derived = calloc(1, sizeof *derived);
  if (!derived) return NULL;
  atomic_init(&derived->refs, 1);
  derived->rows = rows;
  derived->tree = ct_tree_create();
  derived->proxies = malloc((rows ? rows : 1) * sizeof *derived->proxies);
  if (derived->tree && derived->proxies) {
    memset(derived->proxies, 0xff, rows * sizeof *derived->proxies);
    return derived;
  }
  ct_tree_destroy(derived->tree);
  free(derived->proxies);
  free(derived);
  return NULL;
}

static ct_derived *clone_derived(const ct_derived *from) {
  ct_derived *derived = new_derived(from->rows);
  if (!derived) return NULL;
  ct_tree *tree = ct_tree_clone(from->tree);
  ct_unbounded_body *unbounded =
      malloc((from->unbounded_count ? from->unbounded_count : 1) * sizeof *unbounded);
  if (!tree || !unbounded) {
    ct_tree_destroy(tree);
    free(unbounded);
    ct_derived_release(derived);
    return NULL;
  }
  ct_tree_destroy(derived->tree);
  derived->tree = tree;
  memcpy(derived->proxies, from->proxies, from->rows * sizeof *derived->proxies);
  if (from->unbounded_count)
    memcpy(unbounded, from->unbounded, from->unbounded_count * sizeof *unbounded);
  derived->unbounded = unbounded;
  derived->unbounded_count = derived->unbounded_capacity = from->unbounded_count;
  return derived;
}

/* Adds a body to the sorted list of unbounded bodies, or replaces its box there. False: out of
 * memory. */
static bool set_unbounded(ct_derived *derived, uint32_t row, const ct_aabb *box) {
  assert(row < derived->rows);
  uint32_t at = ct_derived_unbounded_from(derived, row);
  bool there = at < derived->unbounded_count && derived->unbounded[at].row == row;
  if (!there) {
    if (!ct_array_reserve32(&derived->unbounded, &derived->unbounded_capacity,
                            derived->unbounded_count + 1, sizeof *derived->unbounded))
      return false;
    memmove(derived->unbounded + at + 1, derived->unbounded + at,
            (derived->unbounded_count - at) * sizeof *derived->unbounded);
    derived->unbounded_count++;
  }
  derived->unbounded[at] = (ct_unbounded_body){row, *box};
  return true;
}

static void drop_unbounded(ct_derived *derived, uint32_t row) {
  uint32_t at = ct_derived_unbounded_from(derived, row);
  if (at == derived->unbounded_count || derived->unbounded[at].row != row) return;
  derived->unbounded_count--;
  memmove(derived->unbounded + at, derived->unbounded + at + 1,
          (derived->unbounded_count - at) * sizeof *derived->unbounded);
}

/* Computes the row's box. False: the body was removed or has no colliders. */
static bool row_box(const ct_scene *scene, uint32_t row, ct_aabb *box) {
  const ct_body *body = ct_scene_body_at(scene, row);
  if (!body || ct_body_collider_count(body) == 0) return false;
  ct_frame frame = ct_frame_of(*ct_scene_pose_at(scene, row));
  *box = ct_body_aabb(body, &frame);
  return true;
}

/* ---- build from scratch ---------------------------------------------------------------------- */

static bool stop_building(const ct_scene *scene, const ct_cancel *cancel) {
  return ct_cancel_raised(cancel) ||
         atomic_load_explicit(&scene->derived, memory_order_relaxed) != NULL;
}

/* Computes the boxes of all rows and builds the tree of the bounded ones. `boxes` and `rows` are
 * scratch arrays with capacity for all rows. */
static ct_status compute_row_boxes(const ct_scene *scene, const ct_cancel *cancel,
                                   ct_derived *derived, ct_aabb *boxes, uint32_t *rows) {
  uint32_t count = 0;
  for (uint32_t row = 0; row < scene->rows; row++) {
    if (stop_building(scene, cancel)) return CT_CANCELLED;
    if (!row_box(scene, row, &boxes[count])) continue;
    if (ct_aabb_is_bounded(&boxes[count])) rows[count++] = row;
    else if (!set_unbounded(derived, row, &boxes[count])) return CT_OUT_OF_MEMORY;
  }
  /* `proxies` first contains the leaves in the order of `boxes`. They are moved to their rows in
   * place, from the end: since rows[i] >= i, no leaf is overwritten before it is moved. */
  ct_status status = ct_tree_build(derived->tree, boxes, rows, count, derived->proxies, cancel);
  if (status != CT_OK) return status;
  assert(derived->rows == scene->rows);
  uint32_t row = scene->rows;
  for (uint32_t i = count; i-- > 0;) {
    assert(rows[i] >= i); /* ascending, each once */
    uint32_t proxy = derived->proxies[i];
    while (row > rows[i]) derived->proxies[--row] = CT_TREE_NULL;
    derived->proxies[rows[i]] = proxy;
  }
  while (row > 0) derived->proxies[--row] = CT_TREE_NULL;
  return CT_OK;
}

static ct_status build_derived(const ct_scene *scene, const ct_cancel *cancel, ct_derived **out) {
  ct_derived *derived = new_derived(scene->rows);
  ct_aabb *boxes = malloc(((size_t)scene->rows + 1) * sizeof *boxes);
  uint32_t *rows = malloc(((size_t)scene->rows + 1) * sizeof *rows);
  ct_status status = derived && boxes && rows
                         ? compute_row_boxes(scene, cancel, derived, boxes, rows)
                         : CT_OUT_OF_MEMORY;
  free(boxes);
  free(rows);
  if (status == CT_OK) *out = derived;
  else ct_derived_release(derived);
  return status;
}

/* ---- update of an older revision's data ------------------------------------------------------ */

static bool extend_rows(ct_derived *derived, uint32_t rows) {
  if (rows <= derived->rows) return true;
  uint32_t *proxies = realloc(derived->proxies, rows * sizeof *proxies);
  if (!proxies) return false;
  memset(proxies + derived->rows, 0xff, (rows - derived->rows) * sizeof *proxies);
  derived->proxies = proxies;
  derived->rows = rows;
  return true;
}

static bool update_row(ct_derived *derived, const ct_scene *scene, uint32_t row) {
  ct_aabb box;
  bool has_box = row_box(scene, row, &box), bounded = has_box && ct_aabb_is_bounded(&box);
  assert(row < derived->rows && row < scene->rows);
  uint32_t *proxy = &derived->proxies[row];
  if (has_box && !bounded) {
    if (!set_unbounded(derived, row, &box)) return false;
  } else {
    drop_unbounded(derived, row);
  }
  if (bounded && *proxy != CT_TREE_NULL) {
    ct_tree_move(derived->tree, *proxy, &box);
  } else if (bounded) {
    if (ct_tree_insert(derived->tree, &box, row, proxy) != CT_OK) return false;
  } else if (*proxy != CT_TREE_NULL) {
    ct_tree_remove(derived->tree, *proxy);
    *proxy = CT_TREE_NULL;
  }
  return true;
}

/* Updates the older data to the scene by its changed rows. Takes over the caller's reference to
 * `prior`, which is copied if it has other owners. */
static ct_status update_derived(ct_derived *prior, const ct_scene *scene, const ct_cancel *cancel,
                                ct_derived **out) {
  ct_derived *mine = prior;
  if (atomic_load_explicit(&prior->refs, memory_order_acquire) != 1) {
    mine = clone_derived(prior);
    ct_derived_release(prior);
    if (!mine) return CT_OUT_OF_MEMORY;
  }
  ct_status status = extend_rows(mine, scene->rows) ? CT_OK : CT_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < scene->changes.count && status == CT_OK; i++) {
    if (ct_cancel_raised(cancel)) status = CT_CANCELLED;
    else if (!update_row(mine, scene, scene->changes.rows[i])) status = CT_OUT_OF_MEMORY;
  }
  if (status == CT_OK) *out = mine;
  else ct_derived_release(mine);
  return status;
}

static void lock_prior(ct_scene *scene) {
  while (atomic_flag_test_and_set_explicit(&scene->prior_lock, memory_order_acquire)) {
  }
}

static void unlock_prior(ct_scene *scene) {
  atomic_flag_clear_explicit(&scene->prior_lock, memory_order_release);
}

ct_derived *ct_scene_retain_prior(ct_scene *scene) {
  lock_prior(scene);
  ct_derived *prior = scene->prior;
  if (prior) ct_derived_retain(prior);
  unlock_prior(scene);
  return prior;
}

/* Moves the older data out of the scene; only one caller gets them, the others get NULL. */
static ct_derived *move_prior_out(ct_scene *scene) {
  lock_prior(scene);
  ct_derived *prior = scene->prior;
  scene->prior = NULL;
  unlock_prior(scene);
  return prior;
}

ct_status ct_scene_derive(const ct_scene *scene, const ct_cancel *cancel, const ct_derived **out) {
  ct_scene *late = ct_scene_mutable(scene);
  ct_derived *derived = atomic_load_explicit(&late->derived, memory_order_acquire);
  if (!derived) {
    ct_derived *mine = NULL, *prior = move_prior_out(late);
    ct_status status =
        prior ? update_derived(prior, scene, cancel, &mine) : build_derived(scene, cancel, &mine);
    if (mine && atomic_compare_exchange_strong_explicit(
                    &late->derived, &derived, mine, memory_order_acq_rel, memory_order_acquire)) {
      derived = mine;
    } else {
      ct_derived_release(mine);
      /* Use the result of another thread, which may have been published just now. */
      derived = atomic_load_explicit(&late->derived, memory_order_acquire);
      if (!derived) return status;
    }
  }
  *out = derived;
  return CT_OK;
}
