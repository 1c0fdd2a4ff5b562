/* The cells of the kind x kind matrix of pair queries, their input and result.
 *
 * Each cell computes a pair in content order (dispatch/pair.c), in the local frame of the first
 * body. Only one triangle of the matrix is filled: the first kind never follows the second in the
 * order of ct_shape_compare.
 */
#ifndef PAIR_PAIR_CELL_H
#define PAIR_PAIR_CELL_H

#include "pair/convex_proxy.h"
#include <contact/pair.h>

/* Input of a cell. The proxy of a plane is unset: the relative frame and the shape define it. */
typedef struct ct_cell_input {
  const ct_shape *shape_a, *shape_b;
  ct_convex_proxy a, b;
  ct_frame relative; /* of b in a's frame */
  double threshold;  /* as in ct_pair_options */
  bool general;      /* only GJK and EPA: no closed forms or scans of certain kinds */
  ct_workspace *workspace;
} ct_cell_input;

/* Result of a cell, in the local frame of the first body. The normal points from a to b, of unit
 * length to a few u. */
typedef struct ct_cell_result {
  double distance, lower, upper;
  ct_vec3 normal, point_a, point_b;
  double radius_a, radius_b; /* radii of the cores' balls at the witness points */
  ct_pair_status status;
  uint32_t flags, iterations;
  uint32_t hint_a,
      hint_b; /* hulls: support vertices along the normal, for ct_convex_proxy's hint */
  ct_depth_kind depth_kind;
  uint32_t triangle_a, triangle_b;              /* meshes: index of the caller's triangle */
  uint32_t element_a, element_b, element_pairs; /* if depth_kind is ELEMENT, as in ct_pair_result */
  bool crossed;                                 /* meshes: the surfaces share a point */
  double overlap; /* if depth_kind is NONE: local overlap along the normal, m */
} ct_cell_result;

typedef void (*ct_cell)(const ct_cell_input *input, ct_cell_result *result);

/* Returns the cell of two kinds in the order of ct_shape_compare; never NULL. */
ct_cell ct_dispatch_cell(ct_kind a, ct_kind b);

/* The cells. The caller initialises *result to zeros and CT_PAIR_OK. */

/* Balls and capsules, closed form: sphere_capsule.c. */
void ct_cell_sphere_capsule(const ct_cell_input *input, ct_cell_result *result);
/* A ball and a box, closed form: box_cells.c. */
void ct_cell_sphere_box(const ct_cell_input *input, ct_cell_result *result);
/* Any two cores, by GJK and EPA: convex_convex.c. */
void ct_cell_convex_convex(const ct_cell_input *input, ct_cell_result *result);
/* A bounded convex body and a half-space, or two half-spaces: half_space.c. */
void ct_cell_convex_half_space(const ct_cell_input *input, ct_cell_result *result);
void ct_cell_half_spaces(const ct_cell_input *input, ct_cell_result *result);

/* Meshes: mesh_mesh.c, mesh_convex.c, mesh_half_space.c. */
void ct_cell_mesh_mesh(const ct_cell_input *input, ct_cell_result *result);
void ct_cell_convex_mesh(const ct_cell_input *input, ct_cell_result *result);
void ct_cell_mesh_half_space(const ct_cell_input *input, ct_cell_result *result);

/* True if a body and a mesh, or a mesh and a half-space, overlap; the decision of the cells at
 * lower cost. *common (may be NULL) receives a common point. */
bool ct_mesh_overlap(const ct_cell_input *input, ct_vec3 *common);

/* Relation of two bodies, at least one a mesh, from the result of their cell. */
ct_relation ct_mesh_relation(const ct_cell_input *input, const ct_cell_result *result,
                             double tolerance);

/* Bounding ball of a mesh as a proxy: only middle, size and extent are set. */
ct_convex_proxy ct_mesh_ball(const ct_shape *shape, const ct_frame *frame);

/* Signed distance of two balls or capsules (point and segment cores) in closed form, and the best
 * normal. */
double ct_sphere_capsule_distance(const ct_convex_proxy *a, const ct_convex_proxy *b,
                                  ct_vec3 *normal);

/* True if two bounded convex bodies overlap; the decision of ct_cell_convex_convex at lower cost.
 * *common (may be NULL) receives a common point. */
bool ct_convex_overlap(const ct_cell_input *input, ct_vec3 *common);

/* A common point of two bounded convex bodies, from the result of their overlap. */
ct_vec3 ct_convex_common_point(const ct_cell_input *input, const ct_cell_result *result);

/* True if `outer` contains `inner`, both closed and in one frame, to round-off. `toward`: a
 * direction in which the inner body probably extends beyond, tested first. `cancel` may be NULL;
 * if raised, the result is unspecified. */
bool ct_proxy_contains(const ct_convex_proxy *outer, const ct_convex_proxy *inner, ct_vec3 toward,
                       const ct_cancel *cancel);

/* Relation of two half-spaces with unbounded overlap: containment if their normals agree to
 * round-off, else penetration. */
ct_relation ct_half_spaces_relation(const ct_frame *relative);

/* True if the half-space contains the body, to round-off. */
bool ct_half_space_contains(const ct_frame *plane, const ct_convex_proxy *inner);

#endif
