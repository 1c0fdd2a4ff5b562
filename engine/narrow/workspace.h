/* Scratch memory of one thread for pairs. */
#ifndef NARROW_WORKSPACE_H
#define NARROW_WORKSPACE_H

#include "narrow/epa.h"
#include "narrow/features.h"
#include "narrow/manifold.h"
#include "narrow/mesh_memory.h"
#include "narrow/overlay.h"
#include "narrow/ray_walk.h"
#include "narrow/volume.h"
#include <contact/pair.h>

/* Blocks that grow, for what goes through the colliders of two bodies. */
typedef struct ct_body_memory {
  void *blocks[2];
  size_t sizes[2];
  bool filled[2];
  bool keeps; /* bodies and paths stay what they are: what is filled need not be filled again for the same ones */
} ct_body_memory;

struct ct_workspace {
  ct_epa epa;
  ct_manifold_memory manifold;
  ct_ray_memory ray;
  ct_mesh_memory mesh;
  ct_feature_memory features;
  ct_volume_memory volume;
  ct_overlay_memory overlay;
  ct_body_memory bodies;
};

/* The flag that pairs of the workspace look at; NULL for none. */
static inline const ct_cancel *ct_workspace_flag(const ct_workspace *workspace) {
  return workspace ? workspace->mesh.cancel : NULL;
}

#endif
