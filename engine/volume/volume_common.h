/* The intersection of two convex polyhedra, as the algorithms of its contact share it. */
#ifndef VOLUME_VOLUME_COMMON_H
#define VOLUME_VOLUME_COMMON_H

#include "volume/volume_pair.h"

#include <assert.h>

/* The intersection of two polyhedra and data of its faces. */
typedef struct ct_volume_common {
  ct_volume_pair *pair;
  const ct_volume_body *a, *b;
  ct_cut *cut;
  const uint32_t *source; /* [cut->face_count] origin of each face: a face of a, or a's face_count
                             plus a face of b; NULL: its own number */
  uint32_t *shared;       /* [a faces] the coplanar face of b, or CT_CUT_NONE */
  double size;            /* extent of both bodies about a's origin, m */
  double epsilon;         /* tolerance of the Solfec method, m; else 0 */
  ct_vec3 inner;          /* a point inside both, if known before */
  double margin;          /* its distance from the planes, m; 0: no point is known */
  uint32_t flags;         /* flags of the contact to be added */
  ct_vec3 start;          /* SOLFEC: start of the inner point's iteration */
  bool has_start;
  bool is_wide;            /* cut and integrate in double-double arithmetic; pair->wide is set */
  double displacement_max; /* largest displacement of planes and vertices by the method, m */
} ct_volume_common;

/* The body and face that a face of the intersection comes from. */
typedef struct ct_volume_origin {
  const ct_volume_body *body;
  uint32_t face;
  bool of_a;
} ct_volume_origin;

static inline ct_volume_origin ct_volume_origin_of(const ct_volume_common *common, uint32_t face) {
  uint32_t plane = common->source ? common->source[face] : face, count = common->a->face_count;
  bool of_a = plane < count;
  assert(plane < count + common->b->face_count);
  return (ct_volume_origin){of_a ? common->a : common->b, of_a ? plane : plane - count, of_a};
}

#endif
