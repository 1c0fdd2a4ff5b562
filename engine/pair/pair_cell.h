/* Methods of pair queries, and their input and result.
 *
 * The dispatch table (dispatch/pair_matrix.c) has the methods of each pair of kinds. A closed form
 * for primitives, in the world frame, answers first; it may decline. Then the cell computes the
 * pair in content order (pair/pair_order.h), in the local frame of the first body.
 */
#ifndef PAIR_PAIR_CELL_H
#define PAIR_PAIR_CELL_H

#include "pair/convex_proxy.h"
#include <contact/pair.h>

/* Input of a cell. The proxy of a plane is unset: the relative frame and the shape define it. */
typedef struct ct_cell_input {
  const ct_shape *shape_a, *shape_b;
  ct_convex_proxy a, b;
  ct_frame relative;   /* of b in a's frame */
  double threshold;    /* as in ct_pair_options */
  bool iterative_only; /* convex pairs: GJK and EPA, no closed forms or scans of certain kinds */
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

/* Distance or depth of a pair in content order. The caller initialises *result to zeros and
 * CT_PAIR_OK. */
typedef void (*ct_cell)(const ct_cell_input *input, ct_cell_result *result);

/* The methods of a pair of kinds: an entry of the dispatch table. */
typedef struct ct_pair_methods {
  /* Closed forms in the caller's order (primitives/primitive_pairs.h); NULL: none. They return
   * false if they decline, and what they write is then unspecified. */
  bool (*primitive_distance)(ct_placed a, ct_placed b, const ct_pair_options *options,
                             ct_pair_result *result);
  bool (*primitive_overlap)(ct_placed a, ct_placed b, bool *overlap);
  bool (*primitive_common_point)(ct_placed a, ct_placed b, ct_vec3 *common); /* of an overlap */
  ct_cell cell;
  /* True if the bodies overlap: the cell's decision at lower cost. *common (may be NULL) receives a
   * common point. NULL: by the sign of the cell's distance and `common_point`. */
  bool (*overlap)(const ct_cell_input *input, ct_vec3 *common);
  /* A common point of bodies that overlap, from the result of the cell. NULL if `overlap` is set.
   */
  ct_vec3 (*common_point)(const ct_cell_input *input, const ct_cell_result *result);
  /* Relation of the bodies, from the result of the cell; distances up to `tolerance` touch. */
  ct_relation (*relation)(const ct_cell_input *input, const ct_cell_result *result,
                          double tolerance);
} ct_pair_methods;

/* The dispatch table: symmetric, never NULL. The cells need content order. */
extern const ct_pair_methods *const ct_pair_matrix[CT_KIND_COUNT][CT_KIND_COUNT];

/* Balls and capsules, a ball and a box, a bounded convex body and a half-space, two half-spaces,
 * all in closed form: primitives/primitive_cells.c. */
void ct_cell_sphere_capsule(const ct_cell_input *input, ct_cell_result *result);
void ct_cell_sphere_box(const ct_cell_input *input, ct_cell_result *result);
void ct_cell_convex_half_space(const ct_cell_input *input, ct_cell_result *result);
void ct_cell_half_spaces(const ct_cell_input *input, ct_cell_result *result);
ct_relation ct_convex_half_space_relation(const ct_cell_input *input, const ct_cell_result *result,
                                          double tolerance);
/* Two half-spaces with unbounded overlap: containment if their normals agree to round-off, else
 * penetration. */
ct_relation ct_half_spaces_relation(const ct_cell_input *input, const ct_cell_result *result,
                                    double tolerance);
/* The witness point of a: a half-space contains the deepest point of a body that overlaps it. */
ct_vec3 ct_first_witness(const ct_cell_input *input, const ct_cell_result *result);

/* Signed distance of two balls or capsules (point and segment cores) in closed form, and the best
 * normal. */
double ct_sphere_capsule_distance(const ct_convex_proxy *a, const ct_convex_proxy *b,
                                  ct_vec3 *normal);

/* Any two bounded convex bodies, by GJK and EPA: curved/convex_convex.c. */
void ct_cell_convex_convex(const ct_cell_input *input, ct_cell_result *result);
bool ct_convex_overlap(const ct_cell_input *input, ct_vec3 *common);
ct_vec3 ct_convex_common_point(const ct_cell_input *input, const ct_cell_result *result);

/* Containment of bounded convex bodies: curved/convex_containment.c. */
ct_relation ct_convex_relation(const ct_cell_input *input, const ct_cell_result *result,
                               double tolerance);
/* True if `outer` contains `inner`, both closed and in one frame, to round-off. `toward`: a
 * direction in which the inner body probably extends beyond, tested first. `cancel` may be NULL;
 * if raised, the result is unspecified. */
bool ct_proxy_contains(const ct_convex_proxy *outer, const ct_convex_proxy *inner, ct_vec3 toward,
                       const ct_cancel *cancel);

/* Meshes: mesh_pairs/mesh_mesh.c, mesh_pairs/mesh_convex.c. */
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

/* Bounding ball of a mesh as a proxy: only middle, size and extent are set. */
ct_convex_proxy ct_mesh_ball(const ct_shape *shape, const ct_frame *frame);

#endif
