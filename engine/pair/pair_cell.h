/* The kind x kind matrix: one cell per pair of kinds, and what goes in and comes out of a cell.
 *
 * Cells see a pair in content order (pair.c), in the local frame of the first body. Only one
 * triangle is filled: the first kind never comes after the second in the order of ct_shape_compare.
 */
#ifndef PAIR_PAIR_CELL_H
#define PAIR_PAIR_CELL_H

#include "pair/convex_proxy.h"
#include <contact/pair.h>

/* What a cell is given. The core of a plane is not set; only the relative frame and shape tell where it is. */
typedef struct ct_cell_input {
  const ct_shape *shape_a, *shape_b;
  ct_convex_proxy a, b;
  ct_frame relative; /* of b in a's frame */
  double threshold;  /* as in ct_pair_options */
  bool general;      /* by the iterations that fit any two cores alone: no shorter way for some kinds */
  ct_workspace *workspace;
} ct_cell_input;

/* What it answers, in the local frame of the first body. The normal is from a to b and unit to a few u. */
typedef struct ct_cell_result {
  double distance, lower, upper;
  ct_vec3 normal, point_a, point_b;
  double radius_a, radius_b; /* of the balls of the cores that the points are on */
  ct_pair_status status;
  uint32_t flags, iterations;
  uint32_t near_a, near_b; /* of hulls: vertices near the normal, for ct_convex_proxy's near */
  ct_depth_kind depth_kind;
  uint32_t triangle_a, triangle_b;              /* of meshes: as given */
  uint32_t element_a, element_b, element_pairs; /* where depth_kind is ELEMENT, as in ct_pair_result */
  bool crossed;                                 /* of a mesh: the surfaces share a point */
  double overlap;                               /* where depth_kind is NONE: how far they overlap there, by the normal */
} ct_cell_result;

typedef void (*ct_cell)(const ct_cell_input *input, ct_cell_result *result);

/* The cell for kinds in the order of ct_shape_compare, never NULL. */
ct_cell ct_dispatch_cell(ct_kind a, ct_kind b);

/* The cells. */
void ct_cell_sphere_capsule(const ct_cell_input *input,
                            ct_cell_result *result);                         /* sphere_capsule.c: balls and capsules, closed form */
void ct_cell_sphere_box(const ct_cell_input *input, ct_cell_result *result); /* box_cells.c: closed form */
void ct_cell_convex_convex(const ct_cell_input *input, ct_cell_result *result); /* convex_convex.c: any two cores, by iteration */
void ct_cell_convex_half_space(const ct_cell_input *input,
                               ct_cell_result *result);                       /* half_space.c: a bounded body and a half-space */
void ct_cell_half_spaces(const ct_cell_input *input, ct_cell_result *result); /* half_space.c */

void ct_cell_mesh_mesh(const ct_cell_input *input, ct_cell_result *result);   /* mesh_mesh.c */
void ct_cell_convex_mesh(const ct_cell_input *input, ct_cell_result *result); /* mesh_convex.c */
void ct_cell_mesh_half_space(const ct_cell_input *input, ct_cell_result *result); /* mesh_half_space.c */

/* Do two bodies overlap of which the second is a mesh, or a mesh and a half-space? As the cells decide, cheaper. *common (may be
 * NULL), when they do: a point of both. */
bool ct_mesh_overlap(const ct_cell_input *input, ct_vec3 *common);

/* How two bodies lie of which one is a mesh, from the cell's answer. */
ct_relation ct_mesh_relation(const ct_cell_input *input, const ct_cell_result *result, double tolerance);

/* The ball of a mesh in place of a core: middle, size and extent are set. */
ct_convex_proxy ct_mesh_ball(const ct_shape *shape, const ct_frame *frame);

/* Signed distance of two balls or capsules (point and segment cores) along the best normal. Never fails. */
double ct_sphere_capsule_distance(const ct_convex_proxy *a, const ct_convex_proxy *b, ct_vec3 *normal);

/* Do two bounded bodies overlap, as ct_cell_convex_convex decides? Cheaper. *common, when they do: a point of both. */
bool ct_convex_overlap(const ct_cell_input *input, ct_vec3 *common);

/* A point of both of two bounded bodies, from the answer that says that they overlap. */
ct_vec3 ct_convex_common_point(const ct_cell_input *input, const ct_cell_result *result);

/* Does one bounded body hold another, both in one frame? Closed bodies, to round-off. `toward`: a direction in which the held body
 * is likely to stick out, looked at first. `cancel` may be NULL; raised, the answer is mostly false. */
bool ct_proxy_contains(const ct_convex_proxy *holder, const ct_convex_proxy *held, ct_vec3 toward, const ct_cancel *cancel);

/* Of two half-spaces that overlap without bound: one holds the other when their normals agree to round-off, else they cross. */
ct_relation ct_half_spaces_relation(const ct_frame *relative);

/* Does the half-space hold the body? */
bool ct_half_space_contains(const ct_frame *plane, const ct_convex_proxy *held);

#endif
