/* A scene's materials: an immutable copy that revisions share, with lookup by name. */
#ifndef SCENE_MATERIALS_H
#define SCENE_MATERIALS_H

#include <contact/scene.h>

#include <stdatomic.h>

/* A pair of materials with values of its own: low <= high are the indices of the materials in
 * `items`. */
typedef struct ct_ranked_pair {
  uint32_t low, high;
  uint32_t index; /* index of the pair in `pairs` */
} ct_ranked_pair;

/* One block of memory: the caller's structures in their order, then sorted indices for lookup. */
typedef struct ct_material_set {
  _Atomic uint32_t refs;
  uint32_t standard; /* index of the material of colliders that name none; UINT32_MAX: no default */
  size_t bytes;
  ct_materials materials;
  const uint32_t
      *sorted; /* [materials.count] indices of the materials, in ascending order of names */
  const ct_ranked_pair *ranked; /* [materials.pair_count] sorted by (low, high) */
} ct_material_set;

/* Copies the materials. Returns CT_OK, CT_LIMIT or CT_OUT_OF_MEMORY. */
ct_status ct_material_set_create(const ct_materials *materials, ct_material_set **out);
ct_material_set *ct_material_set_retain(ct_material_set *set); /* NULL is returned as NULL */
void ct_material_set_release(ct_material_set *set);            /* NULL: no operation */
bool ct_material_set_has(const ct_material_set *set, ct_text name);
/* Returns the bytes of the set if no other revision shares it, else 0; 0 for NULL. */
size_t ct_material_set_bytes(const ct_material_set *set);

#endif
