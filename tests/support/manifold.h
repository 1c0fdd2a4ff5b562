/* Queries of manifolds with meshes, and the invariants of every manifold. */
#ifndef TESTS_MANIFOLD_H
#define TESTS_MANIFOLD_H

#include "tests/support/workspace.h"

#include <contact/manifold.h>

static const ct_contact_options full = {0.0625, 0, CT_DETAIL_FULL},
                                four = {0.0625, 0, CT_DETAIL_MANIFOLD},
                                deepest = {0.0625, 0, CT_DETAIL_DEEPEST};

/* Unique ids, points as far apart as their distances, none deeper than the pair. */
static inline void check_points(const ct_manifold *m, double clearance) {
  CHECK(!m->failed);
  for (size_t i = 0; i < m->count; i++) {
    const ct_contact_point *p = &m->points[i];
    CHECK(ct_norm(ct_add_scaled(ct_sub(p->point_b, p->point_a), p->normal, -p->distance)) <= 1e-13);
    CHECK(p->distance >= m->pair.distance - 1e-12 && p->distance <= clearance + 1e-12);
    CHECK_NEAR(ct_norm(p->normal), 1.0, 1e-15);
    for (size_t k = 0; k < i; k++) {
      const ct_contact_point *q = &m->points[k];
      CHECK(p->a.kind != q->a.kind || p->a.index != q->a.index || p->b.kind != q->b.kind ||
            p->b.index != q->b.index || p->number != q->number || p->patch != q->patch);
    }
  }
  if (m->count > 0) CHECK_NEAR(m->points[0].distance, m->pair.distance, 1e-12);
}

/* Both without rotation. */
static inline ct_manifold meet(const ct_shape *a, ct_vec3 at_a, const ct_shape *b, ct_vec3 at_b,
                               ct_contact_options options) {
  ct_frame fa = ct_frame_of((ct_pose){at_a, {0, 0, 0, 1}}),
           fb = ct_frame_of((ct_pose){at_b, {0, 0, 0, 1}});
  ct_manifold m;
  ct_pair_contacts((ct_placed){a, &fa}, (ct_placed){b, &fb}, &options, workspace, &m);
  check_points(&m, options.clearance);
  return m;
}

#endif
