/* Internal interface of volumetric contacts: the pair in the order of content and in the frame of
 * its first body, and the lists of results in the workspace. */
#ifndef VOLUME_VOLUME_PAIR_H
#define VOLUME_VOLUME_PAIR_H

#include "pair/workspace.h"
#include "volume/volume_cut.h"
#include <contact/volume.h>

/* Result lists and scratch memory of volumetric contacts. Zero-initialised: empty. The workspace
 * keeps the memory from pair to pair. */
typedef struct ct_volume_scratch {
  ct_volume_contact *contacts; /* [contact_capacity] */
  uint32_t contact_count, contact_capacity;
  ct_volume_triangle *triangles; /* [triangle_capacity] */
  uint32_t triangle_count, triangle_capacity;
  ct_dual_point *points; /* [point_capacity] dual points of the stages */
  ct_stage_vertex *stage_vertices;
  ct_stage_face *stage_faces;
  uint32_t *stage_indices;
  uint32_t point_count, point_capacity, stage_vertex_count, stage_vertex_capacity;
  uint32_t stage_face_count, stage_face_capacity, stage_index_count, stage_index_capacity;
  ct_volume_body_storage body_storage[2]; /* polyhedra of the two bodies */
  ct_volume_body_storage solid;           /* polar of a dual hull, which is the intersection */
  ct_cut cut;
  uint32_t *shared;
  size_t face_capacity;
  uint32_t *elements; /* [element_capacity] elements of a mesh that may intersect */
  size_t element_capacity;
  bool out_of_memory; /* an allocation failed; ct_workspace_out_of_memory clears it */
} ct_volume_scratch;
/* Size, out-of-memory flag and release function of ct_volume_scratch, which is a part of the
 * workspace. */
extern const ct_workspace_part_type ct_volume_part_type;
static inline ct_volume_scratch *ct_workspace_volume(ct_workspace *workspace) {
  return ct_workspace_part_of(workspace, CT_SLOT_VOLUME, &ct_volume_part_type);
}

/* Input and output of a volume algorithm. Contacts and triangles are added in the order of content
 * and in a's frame: a is the first body by content, and normals point from a to b. volume.c
 * transforms them to the world and to the caller's order. */
typedef struct ct_volume_pair {
  ct_placed a, b;
  ct_frame relative;        /* frame of b in a's frame */
  ct_volume_poses poses[2]; /* poses of a and b, as they were before they were rounded to frames */
  ct_wide_frame wide;       /* `relative` with about 106 bits; valid if has_wide */
  bool has_wide;
  const ct_volume_options *options;
  ct_workspace *workspace;
  ct_volume_scratch *memory;
  ct_pair_status status; /* status of the result; initially OK */
  uint32_t flags;        /* flags of the result; initially 0 */
  bool failed;
} ct_volume_pair;

/* Computes pair->wide if it has not been computed yet. */
void ct_volume_widen(ct_volume_pair *pair);

/* Sets the error bound of a contact's volume, m^3, and the flag and status that report a large
 * bound. */
void ct_volume_set_error(ct_volume_contact *contact, double error);

/* Append a contact or a triangle to the pair's result. False: out of memory, and pair->failed is
 * set. A contact's triangles are appended before the contact; the caller sets its first_triangle
 * and triangle_count. */
bool ct_volume_push(ct_volume_pair *pair, const ct_volume_contact *contact);
bool ct_volume_push_triangle(ct_volume_pair *pair, const ct_volume_triangle *triangle);

/* Contact of two boxes or hulls without rounding radius and margin. volume_convex.c */
void ct_volume_convex(ct_volume_pair *pair);

/* Contact of a solid mesh and another one, a box or a hull, without rounding radius and margin.
 * volume_mesh.c */
void ct_volume_mesh(ct_volume_pair *pair);

/* One contact per element: at least one body is a mesh of elements; the other one is too, or is a
 * box or hull without rounding radius and margin. volume_elements.c */
void ct_volume_elements(ct_volume_pair *pair);

/* Contact of a polyhedron or solid mesh without rounding radius and margin, and a half-space, which
 * is the second body. volume_half_space.c */
void ct_volume_plane(ct_volume_pair *pair);

/* Contact of any other pair, from its distance query; the second body may be a half-space.
 * volume_curved.c */
void ct_volume_curved(ct_volume_pair *pair);

#endif
