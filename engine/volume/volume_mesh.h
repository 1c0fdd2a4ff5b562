/* Volumetric contacts of pairs with a closed mesh: sums over the parts of an overlay, and the contact made of them. */
#ifndef VOLUME_VOLUME_MESH_H
#define VOLUME_VOLUME_MESH_H

#include "arrangement/arrangement.h"
#include "volume/volume.h"

/* The surface of a solid mesh, a box or a hull without rounding and margin; `frame` NULL: in its own frame. False: no memory. */
bool ct_volume_skin(ct_skin *skin, ct_overlay_memory *m, const ct_shape *shape, const ct_frame *frame);

/* A pair laid over each other. */
typedef struct ct_laid {
  ct_overlay o;
  bool turned;   /* the overlay's first solid is b */
  ct_frame to_a; /* from the overlay's frame to a's */
} ct_laid;

/* The common surface as triangles, pushed to the pair's list. False: no memory. volume_mesh_triangles.c */
bool ct_volume_mesh_triangles(ct_volume_pair *pair, const ct_laid *laid);

/* Is a part more than what rounding makes of nothing? */
bool ct_overlay_counts(const ct_overlay *o, const ct_overlay_part *part);

/* Visits the parts of one side that count, by triangle. */
typedef void (*ct_overlay_visit)(void *context, int side, const ct_overlay_part *part);
void ct_overlay_each(const ct_overlay *o, int side, ct_overlay_visit visit, void *context);

/* Sum of the squares of the areas of whole faces, times their normals: of a mesh, triangles that lie in one plane, exactly, and
 * hang together. False: no memory. */
bool ct_overlay_faces(ct_overlay *o, int side, ct_vec3 *sum);

#endif
