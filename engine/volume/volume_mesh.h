/* Volumetric contacts of pairs with a closed mesh: sums over the parts of an overlay, and the contact made of them. */
#ifndef VOLUME_VOLUME_MESH_H
#define VOLUME_VOLUME_MESH_H

#include "arrangement/arrangement.h"
#include "volume/volume.h"

/* The surface of a solid mesh, a box or a hull without rounding and margin; `frame` NULL: in its own frame. False: no memory. */
bool ct_volume_surface_of(ct_placed_surface *skin, ct_arrangement_scratch *m, const ct_shape *shape, const ct_frame *frame);

/* A pair laid over each other. */
typedef struct ct_overlaid_pair {
  ct_arrangement o;
  bool turned;   /* the overlay's first solid is b */
  ct_frame to_a; /* from the overlay's frame to a's */
} ct_overlaid_pair;

/* The common surface as triangles, pushed to the pair's list. False: no memory. volume_mesh_triangles.c */
bool ct_volume_mesh_triangles(ct_volume_pair *pair, const ct_overlaid_pair *laid);

/* Is a part more than what rounding makes of nothing? */
bool ct_arrangement_part_is_significant(const ct_arrangement *o, const ct_arrangement_part *part);

/* Visits the parts of one side that count, by triangle. */
typedef void (*ct_arrangement_visit)(void *context, int side, const ct_arrangement_part *part);
void ct_arrangement_visit_parts(const ct_arrangement *o, int side, ct_arrangement_visit visit, void *context);

/* Sum of the squares of the areas of whole faces, times their normals: of a mesh, triangles that lie in one plane, exactly, and
 * hang together. False: no memory. */
bool ct_arrangement_faces(ct_arrangement *o, int side, ct_vec3 *sum);

#endif
