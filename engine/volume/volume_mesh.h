/* Volumetric contacts of pairs with a closed mesh: integrals over the parts of an arrangement, and
 * the contact made of them. */
#ifndef VOLUME_VOLUME_MESH_H
#define VOLUME_VOLUME_MESH_H

#include "arrangement/arrangement.h"
#include "volume/volume.h"

/* Makes the surface of a solid mesh, a box or a hull, without rounding and margin. `frame` NULL:
 * the own frame. False: out of memory. */
bool ct_volume_surface_of(ct_placed_surface *skin, ct_arrangement_scratch *m, const ct_shape *shape,
                          const ct_frame *frame);

/* The arrangement of a pair of surfaces. */
typedef struct ct_overlaid_pair {
  ct_arrangement o;
  bool turned;   /* the first solid of the arrangement is b */
  ct_frame to_a; /* from the arrangement's frame to a's */
} ct_overlaid_pair;

/* Adds the surface of the intersection as triangles. False: out of memory.
 * volume_mesh_triangles.c */
bool ct_volume_mesh_triangles(ct_volume_pair *pair, const ct_overlaid_pair *laid);

/* True if the area of a part exceeds its round-off. */
bool ct_arrangement_part_is_significant(const ct_arrangement *o, const ct_arrangement_part *part);

/* Visits the parts of one side that bound the intersection, by triangle. */
typedef void (*ct_arrangement_visit)(void *context, int side, const ct_arrangement_part *part);
void ct_arrangement_visit_parts(const ct_arrangement *o, int side, ct_arrangement_visit visit,
                                void *context);

/* Sum of normals weighted by squared areas of whole faces. A face of a mesh consists of connected,
 * exactly coplanar triangles. False: out of memory. */
bool ct_arrangement_faces(ct_arrangement *o, int side, ct_vec3 *sum);

#endif
