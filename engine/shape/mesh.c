/* Meshes, shared by reference count. */
#include <contact/mesh.h>

#include <stdatomic.h>
#include <stdlib.h>

struct ct_mesh {
  ct_mesh_view view;
  atomic_uint_least64_t references;
  size_t bytes;
};

const ct_mesh *ct_mesh_retain(const ct_mesh *mesh) {
  atomic_fetch_add_explicit(&((ct_mesh *)(uintptr_t)mesh)->references, 1, memory_order_relaxed);
  return mesh;
}

void ct_mesh_release(const ct_mesh *mesh) {
  if (!mesh) return;
  ct_mesh *mine = (ct_mesh *)(uintptr_t)mesh;
  if (atomic_fetch_sub_explicit(&mine->references, 1, memory_order_acq_rel) == 1) free(mine);
}

const ct_mesh_view *ct_mesh_get(const ct_mesh *mesh) { return &mesh->view; }

size_t ct_mesh_bytes(const ct_mesh *mesh) { return mesh->bytes; }
