/* Scratch memory of one thread for pairs. */
#ifndef PAIR_WORKSPACE_H
#define PAIR_WORKSPACE_H

#include "arrangement/arrangement.h"
#include "convex/epa.h"
#include "features/features.h"
#include "manifold/manifold.h"
#include "pair/mesh_scratch.h"
#include "ray/ray_mesh_crossings.h"
#include "volume/volume.h"
#include <contact/pair.h>

/* Blocks that grow, for what goes through the colliders of two bodies. */
typedef struct ct_body_scratch {
  void *blocks[2];
  size_t sizes[2];
  bool filled[2];
  bool keeps; /* bodies and paths stay what they are: what is filled need not be filled again for the same ones */
} ct_body_scratch;

struct ct_workspace {
  ct_epa epa;
  ct_manifold_scratch manifold;
  ct_ray_scratch ray;
  ct_mesh_scratch mesh;
  ct_feature_scratch features;
  ct_volume_scratch volume;
  ct_arrangement_scratch arrangement;
  ct_body_scratch bodies;
};

/* The flag that pairs of the workspace look at; NULL for none. */
static inline const ct_cancel *ct_workspace_cancel(const ct_workspace *workspace) {
  return workspace ? workspace->mesh.cancel : NULL;
}

#endif
