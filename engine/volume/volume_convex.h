/* Volumetric contact of two convex polyhedra in one frame, whatever they are part of. */
#ifndef VOLUME_VOLUME_CONVEX_H
#define VOLUME_VOLUME_CONVEX_H

#include "volume/volume.h"

/* The solid that two polyhedra have in common, and what is known of its faces. */
typedef struct ct_volume_common {
  ct_volume_pair *pair;
  const ct_volume_body *a, *b;
  ct_cut *cut;
  const uint32_t *source; /* [cut->face_count] of each face: a face of a, or a's face_count and a face of b; NULL: its own number */
  uint32_t *shared;       /* [a faces] the face of b on the same plane, or CT_CUT_NONE */
  double size;            /* of both bodies, as seen from a's origin */
  double epsilon;         /* m; 0 but for the seed's method */
  ct_vec3 inner;          /* a point inside both, when it was found before */
  double margin;          /* its distance from the planes; 0: none was found before */
  uint32_t flags;         /* of the contact to come */
  ct_vec3 start;          /* SOLFEC: where the inner point was pushed from */
  bool has_start;
  bool is_wide;           /* cut and summed up in double-double arithmetic; pair->wide is set */
  double moved;           /* m: the method moves planes and vertices by up to so much */
} ct_volume_common;

/* The contact of two polyhedra, a before b by content, is added to the pair's lists when there is one. */
void ct_volume_bodies(ct_volume_pair *pair, const ct_volume_body *a, const ct_volume_body *b);

/* Sums up the common solid and adds its contact, or sets the list's flag for why there is none. False: the solid was found
 * in double arithmetic and is so thin that its volume may be off by more than CT_VOLUME_RELATIVE_ERROR; nothing was added. Never so
 * with an epsilon. */
bool ct_volume_add_common(const ct_volume_common *common);

/* The same solid by the dual hull, or as Solfec 1.0 finds it, and its contact. Its lists are allocated. False as above; `inner` and
 * `margin` are set. */
bool ct_volume_by_dual(ct_volume_common *common);

/* The plane that a face of the solid is on. */
typedef struct ct_volume_origin {
  const ct_volume_body *body;
  uint32_t face;
  bool of_a;
} ct_volume_origin;
ct_volume_origin ct_volume_origin_of(const ct_volume_common *common, uint32_t face);

/* Pushes the stages of the contact, whose inner point is known. volume_dual_stages.c */
void ct_volume_push_stages(const ct_volume_common *common, ct_volume_contact *contact);

/* The face of a that lies on the same plane as b's, with one outward side, to round-off, and is not shared yet; or CT_CUT_NONE. */
uint32_t ct_volume_same_plane(const ct_volume_common *common, uint32_t face);

#endif
