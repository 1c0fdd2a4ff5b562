/* The intersection of two convex polyhedra, as shared by the algorithms that compute its
 * contact. */
#ifndef VOLUME_VOLUME_COMMON_H
#define VOLUME_VOLUME_COMMON_H

#include "volume/volume_pair.h"

#include <assert.h>

/* The intersection of two polyhedra, and the data that its contact needs. */
typedef struct ct_volume_common {
  ct_volume_pair *pair;
  const ct_volume_body *a, *b;
  ct_cut *cut;
  const uint32_t
      *source; /* [cut->face_count] origin of each face: index of a face of a, or a's face_count
                  plus index of a face of b; NULL: the face's own index has this meaning */
  uint32_t *shared; /* [a's faces] index of the coplanar face of b with the same outward side, or
                       CT_CUT_NONE */
  double size;      /* extent of both bodies about the origin of a's frame, m */
  double epsilon;   /* tolerance of the Solfec method, m; 0 for other methods */
  ct_vec3 inner;    /* a point inside both bodies; valid if margin > 0 */
  double margin;    /* least distance of `inner` from the planes, m; 0: no point is known */
  uint32_t flags;   /* initial flags of the contact */
  ct_vec3 start;    /* SOLFEC: start of the iteration for the inner point, if has_start */
  bool has_start;
  bool is_wide; /* clip and integrate in double-double arithmetic; pair->wide is then set */
  double displacement_max; /* largest displacement of planes and vertices by the Solfec method, m */
} ct_volume_common;

/* The body and face from which a face of the intersection originates. */
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
