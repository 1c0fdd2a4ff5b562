/* Volumetric contact of two convex polyhedra in one frame: shapes, or elements of a mesh. */
#ifndef VOLUME_VOLUME_CONVEX_H
#define VOLUME_VOLUME_CONVEX_H

#include "volume/volume.h"

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
  bool is_wide; /* cut and integrate in double-double arithmetic; pair->wide is set */
  double moved; /* largest displacement of planes and vertices by the method, m */
} ct_volume_common;

/* Adds the contact of two polyhedra, a before b by content, if they intersect. */
void ct_volume_bodies(ct_volume_pair *pair, const ct_volume_body *a, const ct_volume_body *b);

/* Integrates over the intersection and adds its contact, or sets a flag that states why there is
 * none.
 *
 * False: nothing was added; the intersection is so thin that its volume in double arithmetic may be
 * off by more than CT_VOLUME_RELATIVE_ERROR. Never false with an epsilon.
 */
bool ct_volume_add_common(const ct_volume_common *common);

/* Adds the contact of the intersection by the dual hull, or as Solfec 1.0 computes it. Allocates
 * its lists. False: as ct_volume_add_common, with `inner` and `margin` set. */
bool ct_volume_by_dual(ct_volume_common *common);

/* The body and face that a face of the intersection comes from. */
typedef struct ct_volume_origin {
  const ct_volume_body *body;
  uint32_t face;
  bool of_a;
} ct_volume_origin;
ct_volume_origin ct_volume_origin_of(const ct_volume_common *common, uint32_t face);

/* Adds the stages of a contact with a known inner point. volume_dual_stages.c */
void ct_volume_push_stages(const ct_volume_common *common, ct_volume_contact *contact);

/* Finds the face of a that is coplanar with b's face to round-off, with the same outward side, and
 * is not yet shared; else CT_CUT_NONE. */
uint32_t ct_volume_same_plane(const ct_volume_common *common, uint32_t face);

#endif
