/* The immutable copy of a scene's materials: lookup by name, and the values for a pair of
 * materials. */
#include "scene/materials.h"
#include "base/heap_sort.h"
#include "scene/scene.h"

#include <stdlib.h>

/* ---- order of names -------------------------------------------------------------------------- */

static int compare_material_names(ct_text a, ct_text b) {
  size_t both = a.length < b.length ? a.length : b.length;
  int order = both ? memcmp(a.bytes, b.bytes, both) : 0;
  return order ? order : (a.length > b.length) - (a.length < b.length);
}

static bool name_before(const void *items, const void *by, size_t i, size_t j) {
  const uint32_t *sorted = items;
  const ct_named_material *materials = by;
  return compare_material_names(materials[sorted[i]].name, materials[sorted[j]].name) < 0;
}

static void swap_places(void *items, size_t i, size_t j) {
  uint32_t *sorted = items, kept = sorted[i];
  sorted[i] = sorted[j];
  sorted[j] = kept;
}

/* Returns the index in `items` of the material with the name; UINT32_MAX: there is none. */
static uint32_t find_material_index(const ct_material_set *set, ct_text name) {
  size_t low = 0, high = set->materials.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = compare_material_names(set->materials.items[set->sorted[middle]].name, name);
    if (order == 0) return set->sorted[middle];
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return UINT32_MAX;
}

/* ---- order of pairs -------------------------------------------------------------------------- */

static bool ranked_before(const ct_ranked_pair *a, uint32_t low, uint32_t high) {
  return a->low != low ? a->low < low : a->high < high;
}

static bool pair_before(const void *items, const void *by, size_t i, size_t j) {
  const ct_ranked_pair *ranked = items;
  (void)by;
  return ranked_before(&ranked[i], ranked[j].low, ranked[j].high);
}

static void swap_pairs(void *items, size_t i, size_t j) {
  ct_ranked_pair *ranked = items, kept = ranked[i];
  ranked[i] = ranked[j];
  ranked[j] = kept;
}

static const ct_material_pair *find_pair(const ct_material_set *set, uint32_t a, uint32_t b) {
  uint32_t least = a < b ? a : b, greatest = a < b ? b : a;
  size_t low = 0, high = set->materials.pair_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (ranked_before(&set->ranked[middle], least, greatest)) low = middle + 1;
    else high = middle;
  }
  if (low == set->materials.pair_count || set->ranked[low].low != least ||
      set->ranked[low].high != greatest)
    return NULL;
  return &set->materials.pairs[set->ranked[low].index];
}

/* ---- the copy ------------------------------------------------------------------------------- */

static ct_text copy_material_text(char **to, ct_text text) {
  ct_text copy = {*to, text.length};
  if (text.length) memcpy(*to, text.bytes, text.length);
  *to += text.length;
  return copy;
}

static size_t text_bytes(const ct_materials *m) {
  size_t bytes = 0;
  for (size_t i = 0; i < m->count; i++) bytes += m->items[i].name.length;
  for (size_t i = 0; i < m->pair_count; i++) bytes += m->pairs[i].a.length + m->pairs[i].b.length;
  return bytes;
}

/* Copies the arrays behind the head of the block, in order of alignment, and sorts the indices. */
static void lay_out_materials(ct_material_set *set, const ct_materials *m) {
  ct_named_material *items = (ct_named_material *)(set + 1);
  ct_material_pair *pairs = (ct_material_pair *)(items + m->count);
  uint32_t *sorted = (uint32_t *)(pairs + m->pair_count);
  ct_ranked_pair *ranked = (ct_ranked_pair *)(sorted + m->count);
  char *to = (char *)(ranked + m->pair_count);
  for (size_t i = 0; i < m->count; i++) {
    items[i] = (ct_named_material){copy_material_text(&to, m->items[i].name), m->items[i].material};
    sorted[i] = (uint32_t)i;
  }
  for (size_t i = 0; i < m->pair_count; i++) {
    pairs[i] = m->pairs[i];
    pairs[i].a = copy_material_text(&to, m->pairs[i].a);
    pairs[i].b = copy_material_text(&to, m->pairs[i].b);
  }
  set->materials = (ct_materials){items, m->count, pairs, m->pair_count};
  set->sorted = sorted;
  set->ranked = ranked;
  /* Sort for binary search: the names, then the pairs by the indices of their materials. */
  ct_heap_sort(sorted, m->count, items, name_before, swap_places, NULL);
  for (size_t i = 0; i < m->pair_count; i++) {
    uint32_t a = find_material_index(set, pairs[i].a), b = find_material_index(set, pairs[i].b);
    ranked[i] = (ct_ranked_pair){a < b ? a : b, a < b ? b : a, (uint32_t)i};
  }
  ct_heap_sort(ranked, m->pair_count, NULL, pair_before, swap_pairs, NULL);
}

ct_status ct_material_set_create(const ct_materials *materials, ct_material_set **out) {
  if (materials->count > CT_MATERIALS_MAX || materials->pair_count > CT_MATERIAL_PAIRS_MAX)
    return CT_LIMIT;
  size_t bytes = sizeof(ct_material_set) +
                 materials->count * (sizeof(ct_named_material) + sizeof(uint32_t)) +
                 materials->pair_count * (sizeof(ct_material_pair) + sizeof(ct_ranked_pair)) +
                 text_bytes(materials);
  ct_material_set *set = malloc(bytes);
  if (!set) return CT_OUT_OF_MEMORY;
  atomic_init(&set->refs, 1);
  set->bytes = bytes;
  lay_out_materials(set, materials);
  set->standard =
      find_material_index(set, (ct_text){CT_MATERIAL_DEFAULT, sizeof CT_MATERIAL_DEFAULT - 1});
  *out = set;
  return CT_OK;
}

ct_material_set *ct_material_set_retain(ct_material_set *set) {
  if (set) atomic_fetch_add_explicit(&set->refs, 1, memory_order_relaxed);
  return set;
}

void ct_material_set_release(ct_material_set *set) {
  if (set && atomic_fetch_sub_explicit(&set->refs, 1, memory_order_acq_rel) == 1) free(set);
}

bool ct_material_set_has(const ct_material_set *set, ct_text name) {
  return set && find_material_index(set, name) != UINT32_MAX;
}

size_t ct_material_set_bytes(const ct_material_set *set) {
  return set && atomic_load_explicit(&set->refs, memory_order_relaxed) == 1 ? set->bytes : 0;
}

/* ---- lookup ---------------------------------------------------------------------------------- */

const ct_materials *ct_scene_materials(const ct_scene *scene) {
  static const ct_materials none = {NULL, 0, NULL, 0};
  return scene->materials ? &scene->materials->materials : &none;
}

/* Returns the index of the material with the name or, if the name is empty or unknown, of the
 * default material; UINT32_MAX if there is none. */
static uint32_t resolve_material(const ct_material_set *set, ct_text name) {
  uint32_t at = name.length ? find_material_index(set, name) : UINT32_MAX;
  return at != UINT32_MAX ? at : set->standard;
}

static ct_material material_at(const ct_material_set *set, uint32_t at) {
  return at != UINT32_MAX ? set->materials.items[at].material : (ct_material){0};
}

ct_material ct_scene_material(const ct_scene *scene, ct_text name) {
  return scene->materials ? material_at(scene->materials, resolve_material(scene->materials, name))
                          : (ct_material){0};
}

ct_pair_material ct_material_combine(const ct_material *a, const ct_material *b) {
  return (ct_pair_material){.static_friction = sqrt(a->static_friction * b->static_friction),
                            .dynamic_friction = sqrt(a->dynamic_friction * b->dynamic_friction),
                            .restitution = ct_min2(a->restitution, b->restitution),
                            .rolling_friction = sqrt(a->rolling_friction * b->rolling_friction)};
}

/* Replaces the values combined from the two materials by those that the pair has of its own; NAN
 * means that the pair has none. A single given coefficient of friction limits the other one, so
 * that static >= dynamic. */
static void override_values(ct_pair_material *out, const ct_material_pair *own) {
  bool has_static = !isnan(own->static_friction), has_dynamic = !isnan(own->dynamic_friction);
  if (has_static) out->static_friction = own->static_friction;
  if (has_dynamic) out->dynamic_friction = own->dynamic_friction;
  if (has_static && !has_dynamic)
    out->dynamic_friction = ct_min2(out->dynamic_friction, out->static_friction);
  if (has_dynamic && !has_static)
    out->static_friction = ct_max2(out->static_friction, out->dynamic_friction);
  if (!isnan(own->restitution)) out->restitution = own->restitution;
  if (!isnan(own->rolling_friction)) out->rolling_friction = own->rolling_friction;
}

ct_pair_material ct_scene_pair_material(const ct_scene *scene, ct_text a, ct_text b) {
  const ct_material_set *set = scene->materials;
  if (!set) return (ct_pair_material){0};
  uint32_t place_a = resolve_material(set, a), place_b = resolve_material(set, b);
  ct_material material_a = material_at(set, place_a), material_b = material_at(set, place_b);
  ct_pair_material out = ct_material_combine(&material_a, &material_b);
  const ct_material_pair *own = find_pair(set, place_a, place_b);
  if (own) override_values(&out, own);
  return out;
}
