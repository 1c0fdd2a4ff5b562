/* Volumetric contacts in the making: the pair in content order, in the frame of its first body, and the lists of the workspace. */
#ifndef VOLUME_VOLUME_H
#define VOLUME_VOLUME_H

#include "volume/volume_cut.h"
#include <contact/volume.h>

/* Scratch of volumes; zeroed is empty. Kept warm by the workspace. */
typedef struct ct_volume_scratch {
  ct_volume_contact *contacts; /* [contact_capacity] */
  uint32_t contact_count, contact_capacity;
  ct_volume_triangle *triangles; /* [triangle_capacity] */
  uint32_t triangle_count, triangle_capacity;
  ct_dual_point *points; /* [point_count] stages */
  ct_stage_vertex *stage_vertices;
  ct_stage_face *stage_faces;
  uint32_t *stage_indices;
  uint32_t point_count, point_capacity, stage_vertex_count, stage_vertex_capacity;
  uint32_t stage_face_count, stage_face_capacity, stage_index_count, stage_index_capacity;
  ct_volume_body_storage room[2]; /* of convex polyhedra: as placed, while they are cut, and what is known of their faces */
  ct_volume_body_storage solid;   /* of a dual hull: its polar */
  ct_cut cut;
  uint32_t *shared;
  size_t face_capacity;
  uint32_t *elements; /* [element_capacity] of meshes of elements: candidates */
  size_t element_capacity;
  bool out_of_memory; /* memory was refused; never cleared here */
} ct_volume_scratch;
void ct_volume_scratch_free(ct_volume_scratch *memory);

/* What a cell is given. Contacts and triangles are pushed in content order and in a's frame: a and b below are the first and the
 * second body by content, normals point from a to b. The dispatcher turns them to the world and mirrors them. */
typedef struct ct_volume_pair {
  ct_placed a, b;
  ct_frame relative; /* of b in a's frame */
  ct_volume_poses poses[2]; /* of a and b */
  ct_wide_frame wide;       /* `relative` to about 106 bits, once ct_volume_widen has set it */
  bool has_wide;
  const ct_volume_options *options;
  ct_workspace *workspace;
  ct_volume_scratch *memory;
  ct_pair_status status; /* of the list; OK at the start */
  uint32_t flags;        /* of the list; 0 at the start */
  bool failed;
} ct_volume_pair;

/* Sets pair->wide. */
void ct_volume_widen(ct_volume_pair *pair);

/* Sets the bound of a contact's volume, and the flag and the status where it is wide. */
void ct_volume_set_error(ct_volume_contact *contact, double error);

/* Adds a contact to the list, or a triangle; false: memory was refused, pair->failed is set. The triangles of a contact are pushed
 * before it: first_triangle and triangle_count are the caller's to set. */
bool ct_volume_push(ct_volume_pair *pair, const ct_volume_contact *contact);
bool ct_volume_push_triangle(ct_volume_pair *pair, const ct_volume_triangle *triangle);

/* Room for one more item of `size` bytes in *items, which may move. False: memory was refused and nothing has changed. */
bool ct_volume_reserve(void *items, uint32_t count, uint32_t *capacity, size_t size);

/* Two boxes or hulls without rounding and margin. volume_convex.c */
void ct_volume_convex(ct_volume_pair *pair);

/* A solid mesh and another one, a box or a hull, without rounding and margin. volume_mesh.c */
void ct_volume_mesh(ct_volume_pair *pair);

/* Two bodies of which one at least is a mesh of elements, the other one too, or a box or hull as above. volume_elements.c */
void ct_volume_elements(ct_volume_pair *pair);

/* One of these and a half-space, which comes second. volume_half_space.c */
void ct_volume_plane(ct_volume_pair *pair);

/* Any other two bodies, of which one may be a half-space: by their distance. volume_curved.c */
void ct_volume_curved(ct_volume_pair *pair);

#endif
