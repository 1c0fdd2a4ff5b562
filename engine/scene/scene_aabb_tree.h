/* Data that queries derive from a revision's bodies and poses: an AABB tree of the bodies' boxes in
 * the world, without margins. */
#ifndef SCENE_SCENE_AABB_TREE_H
#define SCENE_SCENE_AABB_TREE_H

#include <contact/broad.h>
#include <contact/scene.h>

#include <stdatomic.h>

/* A body with an unbounded box (a half-space), stored outside the tree. */
typedef struct ct_unbounded_body {
  uint32_t row;
  ct_aabb box;
} ct_unbounded_body;

/* Immutable once a scene publishes it; a sole owner may change it. */
typedef struct ct_derived {
  _Atomic uint32_t refs;
  uint32_t rows;
  ct_tree *tree;     /* leaves: bodies with colliders and a bounded box; user value: row */
  uint32_t *proxies; /* [rows] leaf of each row; CT_TREE_NULL: not in the tree */
  ct_unbounded_body *unbounded; /* ascending rows */
  uint32_t unbounded_count, unbounded_capacity;
} ct_derived;

void ct_derived_retain(ct_derived *derived);
void ct_derived_release(ct_derived *derived); /* NULL: no operation */
size_t ct_derived_bytes(const ct_derived *derived);

/* Returns the index in `unbounded` of the first body with a row >= `row`. */
uint32_t ct_derived_unbounded_from(const ct_derived *derived, uint32_t row);

/* True if all coordinates are finite. */
static inline bool ct_aabb_is_bounded(const ct_aabb *b) {
  return b->min.x > -INFINITY && b->min.y > -INFINITY && b->min.z > -INFINITY &&
         b->max.x < INFINITY && b->max.y < INFINITY && b->max.z < INFINITY;
}

#endif
