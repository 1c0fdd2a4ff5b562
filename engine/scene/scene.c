/* A sealed revision: creation of the first one, access, release. Drafts are in draft.c, derived
 * data in scene_aabb_tree.c. */
#include "scene/scene.h"
#include "scene/body.h"

#include <stdlib.h>

/* Bytes of the memory blocks of a scene without bodies. */
#define EMPTY_WEIGHT 2048u
/* Bytes per row of the index of ids, which has 1.5 to 4 slots per body. */
#define INDEX_WEIGHT (3 * sizeof(uint32_t))
/* Bytes per row of the tree, which the first query builds: two nodes per body and the row's leaf
 * index. */
#define DERIVED_WEIGHT (2 * CT_TREE_NODE_BYTES + sizeof(uint32_t))
#define ROW_WEIGHT (sizeof(const ct_body *) + sizeof(ct_pose) + INDEX_WEIGHT + DERIVED_WEIGHT)
/* Factor for filters: the rules are stored by name and by row. */
#define FILTERS_TIMES 2u

static void retain_body(const void *body) { ct_body_retain(body); }
static void release_body(const void *body) { ct_body_release(body); }
static size_t owned_of_body(const void *body) { return ct_body_owned_bytes(body); }

/* 128 rows per chunk: changing 100 scattered poses of a large scene copies 100 chunks of 7 KiB;
 * changing 10,000 of 100,000 copies all chunks, 5.6 MB. */
static const ct_column_type body_type = {sizeof(const ct_body *), 7, retain_body, release_body,
                                         owned_of_body};
static const ct_column_type pose_type = {sizeof(ct_pose), 7, NULL, NULL, NULL};
static const ct_column_type velocity_type = {sizeof(ct_velocity), 7, NULL, NULL, NULL};
static const ct_column_type serial_type = {sizeof(uint64_t), 7, NULL, NULL, NULL};

/* Makes a hash key from addresses, which differs between scenes and, with address space
 * randomisation, between processes. No result depends on it. */
static ct_hash_key new_key(const ct_scene *scene) {
  uint64_t heap = (uint64_t)(uintptr_t)scene, code = (uint64_t)(uintptr_t)&body_type,
           stack = (uint64_t)(uintptr_t)&heap;
  uint64_t k0 = ct_hash_number(0x9e3779b97f4a7c15u, heap ^ ct_rotate_left(code, 24));
  return (ct_hash_key){k0, ct_hash_number(k0, stack ^ ct_rotate_left(code, 40))};
}

static bool share_columns(ct_scene *scene, const ct_scene *base) {
  return ct_column_copy(&base->bodies, &scene->bodies) &&
         ct_column_copy(&base->poses, &scene->poses) &&
         ct_column_copy(&base->velocities, &scene->velocities) &&
         ct_column_copy(&base->serials, &scene->serials) &&
         ct_index_copy(&base->index, &scene->index);
}

/* Returns the base's numbering with one more reference, or a new one if base is NULL. NULL: out of
 * memory. */
static ct_numbering *numbering_of(const ct_scene *base) {
  ct_numbering *numbering = base ? base->numbering : malloc(sizeof *numbering);
  if (base) atomic_fetch_add_explicit(&numbering->refs, 1, memory_order_relaxed);
  else if (numbering) atomic_init(&numbering->refs, 1);
  return numbering;
}

static void release_numbering(ct_numbering *numbering) {
  if (atomic_fetch_sub_explicit(&numbering->refs, 1, memory_order_acq_rel) == 1) free(numbering);
}

ct_scene *ct_scene_branch(const ct_scene *base) {
  ct_scene *scene = calloc(1, sizeof *scene);
  ct_numbering *numbering = scene ? numbering_of(base) : NULL;
  if (!numbering) {
    free(scene);
    return NULL;
  }
  /* An empty scene without derived data. */
  scene->numbering = numbering;
  atomic_init(&scene->refs, 1);
  atomic_init(&scene->derived, NULL);
  atomic_init(&scene->row_filter, NULL);
  atomic_flag_clear_explicit(&scene->prior_lock, memory_order_relaxed);
  scene->bodies = ct_column_empty(&body_type);
  scene->poses = ct_column_empty(&pose_type);
  scene->velocities = ct_column_empty(&velocity_type);
  scene->serials = ct_column_empty(&serial_type);
  scene->index = ct_index_empty();
  if (!base) {
    scene->key = new_key(scene);
    return scene;
  }
  /* Copy the plain members of base, and share its reference-counted ones. */
  scene->key = base->key;
  scene->rows = base->rows;
  scene->count = base->count;
  scene->next_serial = base->next_serial;
  scene->contacts_begun = base->contacts_begun;
  scene->bodies_weight = base->bodies_weight;
  scene->filters = ct_filter_set_retain(base->filters);
  scene->user = base->user;
  scene->origin = base->origin;
  scene->geometric_epsilon = base->geometric_epsilon;
  scene->time = base->time;
  scene->gravity = base->gravity;
  scene->has_gravity = base->has_gravity;
  scene->materials = ct_material_set_retain(base->materials);
  scene->attached = ct_attached_list_retain(base->attached);
  if (scene->user) atomic_fetch_add_explicit(&scene->user->refs, 1, memory_order_relaxed);
  if (scene->origin) atomic_fetch_add_explicit(&scene->origin->refs, 1, memory_order_relaxed);
  if (share_columns(scene, base)) return scene;
  ct_scene_release(scene);
  return NULL;
}

const ct_scene *ct_scene_create(uint64_t revision) {
  ct_scene *scene = ct_scene_branch(NULL);
  if (scene) scene->revision = revision;
  return scene;
}

const ct_scene *ct_scene_retain(const ct_scene *scene) {
  atomic_fetch_add_explicit(&ct_scene_mutable(scene)->refs, 1, memory_order_relaxed);
  return scene;
}

void ct_scene_release(const ct_scene *scene) {
  if (!scene) return;
  ct_scene *mine = ct_scene_mutable(scene);
  if (atomic_fetch_sub_explicit(&mine->refs, 1, memory_order_acq_rel) != 1) return;
  ct_derived_release(atomic_load_explicit(&mine->derived, memory_order_relaxed));
  ct_row_filter_release(atomic_load_explicit(&mine->row_filter, memory_order_relaxed));
  ct_derived_release(mine->prior);
  free(mine->changes.rows);
  ct_column_free(&mine->bodies);
  ct_column_free(&mine->poses);
  ct_column_free(&mine->velocities);
  ct_column_free(&mine->serials);
  ct_column_free(&mine->index.slots);
  ct_filter_set_release(mine->filters);
  ct_user_text_release(mine->user);
  ct_user_text_release(mine->origin);
  ct_material_set_release(mine->materials);
  ct_attached_list_release(mine->attached);
  release_numbering(mine->numbering);
  free(mine);
}

void ct_user_text_release(ct_user_text *text) {
  if (text && atomic_fetch_sub_explicit(&text->refs, 1, memory_order_acq_rel) == 1) free(text);
}

uint64_t ct_scene_revision(const ct_scene *scene) { return scene->revision; }
uint32_t ct_scene_rows(const ct_scene *scene) { return scene->rows; }
uint32_t ct_scene_count(const ct_scene *scene) { return scene->count; }

uint32_t ct_scene_find(const ct_scene *scene, ct_text id) {
  return ct_index_find(&scene->index, &scene->bodies, scene->key, id);
}

const ct_body *ct_scene_body(const ct_scene *scene, uint32_t row) {
  return ct_scene_body_at(scene, row);
}
ct_pose ct_scene_pose(const ct_scene *scene, uint32_t row) { return *ct_scene_pose_at(scene, row); }

ct_velocity ct_scene_velocity(const ct_scene *scene, uint32_t row) {
  if (scene->velocities.rows == 0) return (ct_velocity){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  return *(const ct_velocity *)ct_column_at(&scene->velocities, row);
}

uint64_t ct_scene_serial(const ct_scene *scene, uint32_t row) {
  return scene->serials.rows == 0 ? row : *(const uint64_t *)ct_column_at(&scene->serials, row);
}

uint64_t ct_scene_contacts_begun(const ct_scene *scene) { return scene->contacts_begun; }

const ct_filters *ct_scene_filters(const ct_scene *scene) {
  static const ct_filters none = {NULL, 0, NULL, 0};
  return scene->filters ? &scene->filters->filters : &none;
}

static ct_text text_of(const ct_user_text *text) {
  return text ? (ct_text){text->bytes, text->length} : (ct_text){NULL, 0};
}

ct_text ct_scene_user(const ct_scene *scene) { return text_of(scene->user); }
ct_text ct_scene_origin(const ct_scene *scene) { return text_of(scene->origin); }

size_t ct_scene_attachment_count(const ct_scene *scene) {
  return scene->attached ? scene->attached->count : 0;
}

const ct_attachment *ct_scene_attachment(const ct_scene *scene, size_t index) {
  return ct_attached_list_at(scene->attached, index);
}

const void *ct_scene_attached(const ct_scene *scene, ct_text name) {
  const ct_attachment *found = ct_attached_list_find(scene->attached, name);
  return found ? found->value : NULL;
}

double ct_scene_geometric_epsilon(const ct_scene *scene) { return scene->geometric_epsilon; }
double ct_scene_time(const ct_scene *scene) { return scene->time; }

ct_vec3 ct_scene_gravity(const ct_scene *scene) {
  return scene->has_gravity ? scene->gravity : ct_vec(0.0, 0.0, CT_GRAVITY_Z);
}

bool ct_scene_has_gravity(const ct_scene *scene) { return scene->has_gravity; }

double ct_scene_default_epsilon(const ct_scene *scene) {
  double least = INFINITY;
  for (uint32_t row = 0; row < scene->rows; row++) {
    const ct_body *body = ct_scene_body_at(scene, row);
    for (size_t i = 0; body && i < ct_body_collider_count(body); i++) {
      ct_vec3 center;
      double radius;
      ct_shape_ball(ct_body_shape(body, i), &center, &radius);
      least = ct_min2(least, radius);
    }
  }
  return CT_EPSILON_PART * (least < INFINITY ? least : 1.0);
}

size_t ct_scene_bytes(const ct_scene *scene) {
  size_t bytes = sizeof *scene + scene->changes.capacity * sizeof *scene->changes.rows;
  bytes += ct_column_unshared_bytes(&scene->bodies) + ct_column_unshared_bytes(&scene->poses);
  bytes +=
      ct_column_unshared_bytes(&scene->velocities) + ct_column_unshared_bytes(&scene->index.slots);
  bytes += ct_column_unshared_bytes(&scene->serials) + ct_attached_list_bytes(scene->attached);
  if (scene->filters && atomic_load_explicit(&scene->filters->refs, memory_order_relaxed) == 1)
    bytes += scene->filters->bytes;
  if (scene->user && atomic_load_explicit(&scene->user->refs, memory_order_relaxed) == 1)
    bytes += sizeof *scene->user + scene->user->length;
  bytes += ct_material_set_bytes(scene->materials);
  const ct_derived *derived = atomic_load_explicit(&scene->derived, memory_order_acquire);
  if (derived) bytes += ct_derived_bytes(derived);
  return bytes;
}

uint64_t ct_scene_weight(const ct_scene *scene) {
  uint64_t weight = EMPTY_WEIGHT + scene->bodies_weight + (uint64_t)scene->rows * ROW_WEIGHT;
  weight += (uint64_t)scene->velocities.rows * sizeof(ct_velocity) +
            (uint64_t)scene->serials.rows * sizeof(uint64_t);
  if (scene->filters)
    weight += FILTERS_TIMES * scene->filters->bytes + scene->rows * sizeof(uint32_t);
  if (scene->user) weight += scene->user->length;
  if (scene->materials) weight += scene->materials->bytes;
  return weight + ct_attached_list_weight(scene->attached);
}

/* ---- filters --------------------------------------------------------------------------------- */

/* Returns the first rule that names both bodies, in either order; NULL: there is none. */
static const ct_pair_rule *find_pair_rule(const ct_filters *f, ct_text a, ct_text b) {
  for (size_t i = 0; i < f->pair_count; i++) {
    const ct_pair_rule *p = &f->pairs[i];
    if ((ct_text_same(p->a, a) && ct_text_same(p->b, b)) ||
        (ct_text_same(p->a, b) && ct_text_same(p->b, a)))
      return p;
  }
  return NULL;
}

ct_filter_verdict ct_scene_filter_verdict(const ct_scene *scene, uint32_t row_a, uint32_t row_b) {
  ct_filter_verdict verdict = {true, NULL, {NULL, 0}, {NULL, 0}};
  const ct_filter_set *set = scene->filters;
  if (!set) return verdict;
  const ct_body *a = ct_scene_body(scene, row_a), *b = ct_scene_body(scene, row_b);
  verdict.pair_rule = find_pair_rule(&set->filters, ct_body_id(a), ct_body_id(b));
  if (verdict.pair_rule) {
    verdict.collide = verdict.pair_rule->collide;
    return verdict;
  }
  for (size_t i = 0; i < ct_body_group_count(a); i++) {
    uint32_t ga = ct_filter_set_group(set, ct_body_group(a, i));
    if (ga == UINT32_MAX) continue;
    for (size_t k = 0; k < ct_body_group_count(b); k++) {
      uint32_t gb = ct_filter_set_group(set, ct_body_group(b, k));
      if (gb == UINT32_MAX || !ct_filter_set_excludes(set, ga, gb)) continue;
      return (ct_filter_verdict){false, NULL, ct_body_group(a, i), ct_body_group(b, k)};
    }
  }
  return verdict;
}

/* ct_scene_find as a ct_find_row. */
static uint32_t find_row_by_id(const void *scene, ct_text id) { return ct_scene_find(scene, id); }

ct_status ct_scene_row_filter(const ct_scene *scene, const ct_cancel *cancel,
                              const ct_row_filter **out) {
  ct_scene *late = ct_scene_mutable(scene);
  ct_row_filter *filter = atomic_load_explicit(&late->row_filter, memory_order_acquire);
  if (!filter && scene->filters) {
    ct_row_filter *mine = ct_row_filter_create(scene->filters, &scene->bodies, scene->rows,
                                               find_row_by_id, scene, cancel);
    if (!mine) return ct_cancel_raised(cancel) ? CT_CANCELLED : CT_OUT_OF_MEMORY;
    if (atomic_compare_exchange_strong_explicit(&late->row_filter, &filter, mine,
                                                memory_order_acq_rel, memory_order_acquire))
      filter = mine;
    else ct_row_filter_release(mine);
  }
  *out = filter;
  return CT_OK;
}
