/* Methods of pair queries, and their input and result.
 *
 * The dispatch table (dispatch/pair_matrix.c) contains the methods of each pair of kinds. First a
 * closed form for primitives, in the world frame, is tried; it may decline. Then the cell, a
 * function for the pair of kinds, computes the result in content order (pair/pair_order.h), in the
 * local frame of the first body. */
#ifndef PAIR_PAIR_CELL_H
#define PAIR_PAIR_CELL_H

#include "pair/convex_proxy.h"
#include <contact/pair.h>

/* Input of a cell. For a half-space the proxy is unset, and for a mesh it is a bounding ball
 * (ct_mesh_ball); their geometry is in the shape and the relative frame. */
typedef struct ct_cell_input {
  const ct_shape *shape_a, *shape_b;
  ct_convex_proxy a, b;
  ct_frame relative;   /* pose of b in a's frame */
  double threshold;    /* as in ct_pair_options */
  bool iterative_only; /* for convex pairs: use GJK and EPA without closed forms and scans for
                          certain kinds of shapes */
  ct_workspace *workspace;
} ct_cell_input;

/* Result of a cell, in the local frame of the first body. The normal points from a to b and has
 * unit length to a few u. */
typedef struct ct_cell_result {
  double distance, lower, upper;
  ct_vec3 normal, point_a, point_b;
  double radius_a, radius_b; /* radii, m, of the balls around the cores' witness points; the
                                surfaces' witness points are at these distances from them along the
                                normal */
  ct_pair_status status;
  uint32_t flags, iterations;
  uint32_t hint_a, hint_b; /* hulls: support vertices along the normal, for the member `hint` of
                              ct_convex_proxy */
  ct_depth_kind depth_kind;
  uint32_t triangle_a, triangle_b;              /* meshes: triangle of each witness point, by its
                                                   number in the caller's order */
  uint32_t element_a, element_b, element_pairs; /* set if depth_kind is ELEMENT; as in
                                                   ct_pair_result */
  bool crossed;                                 /* meshes: the surfaces have a common point */
  double overlap; /* if depth_kind is NONE: overlap of the surfaces at the witness points along the
                     normal, m */
} ct_cell_result;

/* Computes the distance or depth of a pair in content order. The caller initialises *result to
 * zeros and CT_PAIR_OK. */
typedef void (*ct_cell)(const ct_cell_input *input, ct_cell_result *result);

/* The methods of a pair of kinds: an entry of the dispatch table. */
typedef struct ct_pair_methods {
  /* Closed forms, in the caller's order (primitives/primitive_pairs.h); NULL: there are none. They
   * return false if they decline; what they have written is then unspecified. */
  bool (*primitive_distance)(ct_placed a, ct_placed b, const ct_pair_options *options,
                             ct_pair_result *result);
  bool (*primitive_overlap)(ct_placed a, ct_placed b, bool *overlap);
  bool (*primitive_common_point)(ct_placed a, ct_placed b, ct_vec3 *common); /* called only for a
                                                                                pair that
                                                                                overlaps */
  ct_cell cell;
  /* True if the bodies overlap; decides as the cell does, at lower cost. *common (may be NULL)
   * receives a common point. If NULL, the sign of the cell's distance decides, and `common_point`
   * gives the point. */
  bool (*overlap)(const ct_cell_input *input, ct_vec3 *common);
  /* Returns a common point of bodies that overlap, from the result of the cell. NULL if `overlap`
   * is set. */
  ct_vec3 (*common_point)(const ct_cell_input *input, const ct_cell_result *result);
  /* Returns the relation of the bodies, from the result of the cell; distances of magnitude up to
   * `tolerance` touch. */
  ct_relation (*relation)(const ct_cell_input *input, const ct_cell_result *result,
                          double tolerance);
} ct_pair_methods;

/* The dispatch table, indexed by the kinds of both bodies: symmetric, without NULL entries. Cells
 * must be called in content order. */
extern const ct_pair_methods *const ct_pair_matrix[CT_KIND_COUNT][CT_KIND_COUNT];

/* Cells in closed form: balls and capsules, a ball and a box, a bounded convex body and a
 * half-space, two half-spaces (primitives/primitive_cells.c). */
void ct_cell_sphere_capsule(const ct_cell_input *input, ct_cell_result *result);
void ct_cell_sphere_box(const ct_cell_input *input, ct_cell_result *result);
void ct_cell_convex_half_space(const ct_cell_input *input, ct_cell_result *result);
void ct_cell_half_spaces(const ct_cell_input *input, ct_cell_result *result);
ct_relation ct_convex_half_space_relation(const ct_cell_input *input, const ct_cell_result *result,
                                          double tolerance);
/* Relation of two half-spaces. If their overlap is unbounded: containment if their normals agree to
 * round-off, else penetration. */
ct_relation ct_half_spaces_relation(const ct_cell_input *input, const ct_cell_result *result,
                                    double tolerance);
/* Returns the witness point of a, as a common point: if a body overlaps a half-space, the
 * half-space contains the body's deepest point. */
ct_vec3 ct_first_witness(const ct_cell_input *input, const ct_cell_result *result);

/* Returns the signed distance of two balls or capsules (point and segment cores), radii included,
 * in closed form, and the normal that attains it. */
double ct_sphere_capsule_distance(const ct_convex_proxy *a, const ct_convex_proxy *b,
                                  ct_vec3 *normal);

/* Cell of any two bounded convex bodies, by GJK and EPA (curved/convex_convex.c). */
void ct_cell_convex_convex(const ct_cell_input *input, ct_cell_result *result);
bool ct_convex_overlap(const ct_cell_input *input, ct_vec3 *common);
ct_vec3 ct_convex_common_point(const ct_cell_input *input, const ct_cell_result *result);

/* Relation of bounded convex bodies, containment included (curved/convex_containment.c). */
ct_relation ct_convex_relation(const ct_cell_input *input, const ct_cell_result *result,
                               double tolerance);
/* True if `outer` contains `inner` to round-off, both closed bodies with radii, in the same frame.
 * `toward`: a direction in which the inner body probably extends beyond the outer, which is tested
 * first. `cancel` may be NULL; if it is raised, the result is unspecified. */
bool ct_proxy_contains(const ct_convex_proxy *outer, const ct_convex_proxy *inner, ct_vec3 toward,
                       const ct_cancel *cancel);

/* Cells of meshes (mesh_pairs/mesh_mesh.c, mesh_pairs/mesh_convex.c). */
void ct_cell_mesh_mesh(const ct_cell_input *input, ct_cell_result *result);
void ct_cell_convex_mesh(const ct_cell_input *input, ct_cell_result *result);
void ct_cell_mesh_half_space(const ct_cell_input *input, ct_cell_result *result);
bool ct_mesh_mesh_overlap(const ct_cell_input *input, ct_vec3 *common);
bool ct_convex_mesh_overlap(const ct_cell_input *input, ct_vec3 *common);
ct_relation ct_mesh_mesh_relation(const ct_cell_input *input, const ct_cell_result *result,
                                  double tolerance);
ct_relation ct_convex_mesh_relation(const ct_cell_input *input, const ct_cell_result *result,
                                    double tolerance);
ct_relation ct_mesh_half_space_relation(const ct_cell_input *input, const ct_cell_result *result,
                                        double tolerance);

/* Returns the bounding ball of a mesh as a proxy of kind POINT; radius and extent include rounding
 * radius and margin. */
ct_convex_proxy ct_mesh_ball(const ct_shape *shape, const ct_frame *frame);

#endif
