/* Volumetric contacts, internal interface: the pair in content order, in the frame of its first
 * body, and the lists of the workspace. */
#ifndef VOLUME_VOLUME_PAIR_H
#define VOLUME_VOLUME_PAIR_H

#include "pair/workspace.h"
#include "volume/volume_cut.h"
#include <contact/volume.h>

/* Scratch memory of volumetric contacts. Zero-initialised: empty. The workspace retains it from
 * pair to pair. */
typedef struct ct_volume_scratch {
  ct_volume_contact *contacts; /* [contact_capacity] */
  uint32_t contact_count, contact_capacity;
  ct_volume_triangle *triangles; /* [triangle_capacity] */
  uint32_t triangle_count, triangle_capacity;
  ct_dual_point *points; /* [point_count] dual points of the stages */
  ct_stage_vertex *stage_vertices;
  ct_stage_face *stage_faces;
  uint32_t *stage_indices;
  uint32_t point_count, point_capacity, stage_vertex_count, stage_vertex_capacity;
  uint32_t stage_face_count, stage_face_capacity, stage_index_count, stage_index_capacity;
  ct_volume_body_storage body_storage[2]; /* placed convex polyhedra and data of their faces */
  ct_volume_body_storage solid;           /* polar of a dual hull: the intersection */
  ct_cut cut;
  uint32_t *shared;
  size_t face_capacity;
  uint32_t *elements; /* [element_capacity] candidate elements of a mesh */
  size_t element_capacity;
  bool out_of_memory; /* an allocation failed; never cleared here */
} ct_volume_scratch;
/* The volumetric part of a workspace. */
extern const ct_workspace_part_type ct_volume_part_type;
static inline ct_volume_scratch *ct_workspace_volume(ct_workspace *workspace) {
  return ct_workspace_part_of(workspace, CT_SLOT_VOLUME, &ct_volume_part_type);
}

/* Input and output of one volume algorithm. Contacts and triangles are added in content order and
 * in a's frame: a is the first body by content, normals point from a to b. The dispatcher
 * transforms them to the world and the caller's order. */
typedef struct ct_volume_pair {
  ct_placed a, b;
  ct_frame relative;        /* frame of b in a's frame */
  ct_volume_poses poses[2]; /* poses of a and b before rounding to frames */
  ct_wide_frame wide;       /* `relative` to about 106 bits; valid after ct_volume_widen */
  bool has_wide;
  const ct_volume_options *options;
  ct_workspace *workspace;
  ct_volume_scratch *memory;
  ct_pair_status status; /* status of the result; OK at the start */
  uint32_t flags;        /* flags of the result; 0 at the start */
  bool failed;
} ct_volume_pair;

/* Computes pair->wide once. */
void ct_volume_widen(ct_volume_pair *pair);

/* Sets the error bound of a contact's volume, m^3, and the flag and the status that report a large
 * bound. */
void ct_volume_set_error(ct_volume_contact *contact, double error);

/* Adds a contact or a triangle to the lists. False: out of memory, pair->failed is set. A contact's
 * triangles are added before the contact; the caller sets first_triangle and triangle_count. */
bool ct_volume_push(ct_volume_pair *pair, const ct_volume_contact *contact);
bool ct_volume_push_triangle(ct_volume_pair *pair, const ct_volume_triangle *triangle);

/* Reserves one more item of `size` bytes; `items` is the address of the array's pointer. False: out
 * of memory, nothing has changed. */
bool ct_volume_reserve(void *items, uint32_t count, uint32_t *capacity, size_t size);

/* Contact of two boxes or hulls without rounding and margin. volume_convex.c */
void ct_volume_convex(ct_volume_pair *pair);

/* Contact of a solid mesh and another one, a box or a hull, without rounding and margin.
 * volume_mesh.c */
void ct_volume_mesh(ct_volume_pair *pair);

/* Contacts per element: at least one body is a mesh of elements, the other one too or a box or hull
 * as above. volume_elements.c */
void ct_volume_elements(ct_volume_pair *pair);

/* Contact of one of these bodies and a half-space, which is the second body. volume_half_space.c */
void ct_volume_plane(ct_volume_pair *pair);

/* Contact of any other pair, from its distance; one body may be a half-space. volume_curved.c */
void ct_volume_curved(ct_volume_pair *pair);

#endif
