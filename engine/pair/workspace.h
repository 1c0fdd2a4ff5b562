/* Workspace: scratch memory of pair queries, for one thread. */
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

/* Growing blocks for the colliders of two bodies. */
typedef struct ct_body_scratch {
  void *blocks[2];
  size_t sizes[2];
  bool filled[2];
  bool keeps; /* bodies and paths are unchanged between calls: filled blocks stay valid for the same
                 ones */
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

/* Cancel flag of the workspace's pair queries; NULL: none. */
static inline const ct_cancel *ct_workspace_cancel(const ct_workspace *workspace) {
  return workspace ? workspace->mesh.cancel : NULL;
}

#endif
