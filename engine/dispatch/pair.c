/* One pair query: the closed form of the pair's kinds, if there is one; otherwise the pair is put
 * in content order and in the frame of the first shape in content order, the cell of the dispatch
 * table computes the result, and the result is transformed to the world. Also the gradient of the
 * distance with respect to rigid motions of both bodies.
 *
 * The pair is computed in content order, so exchanging the bodies mirrors the result bit for bit.
 * Only the difference of the positions is used, so a common translation that causes no rounding
 * changes no bit of distance and normal. */
#include "dispatch/pair_query.h"
#include "pair/pair_input.h"
#include "pair/pair_order.h"
#include "pair/round_off_bound.h"
#include "primitives/primitive_pairs.h"
#include "shape/shape_compare.h"
#include "shape/tapered_capsule.h"

#include <contact/pair.h>

#include <assert.h>

/* A pair in content order. */
typedef struct ordered_pair {
  const ct_shape *a, *b;
  const ct_frame *frame_a, *frame_b;
  ct_kind kind_a, kind_b;
  bool swapped;
  double lift; /* offset of the pair's frame from frame_a along its z axis, m */
  ct_cell_input input;
} ordered_pair;

/* Rounding radius and margin of a half-space raise its surface: shifts the pair's frames to the
 * raised surface. */
static void lift_planes(ordered_pair *o) {
  ct_cell_input *in = &o->input;
  if (o->kind_b != CT_KIND_PLANE) return;
  ct_vec3 up = {in->relative.rotation.rx.z, in->relative.rotation.ry.z, in->relative.rotation.rz.z};
  in->relative.position = ct_add_scaled(in->relative.position, up, ct_shape_growth(o->b));
  if (o->kind_a != CT_KIND_PLANE) return;
  o->lift = ct_shape_growth(o->a);
  in->relative.position.z -= o->lift;
}

static void place_pair_shape(const ct_shape *shape, const ct_frame *frame, ct_convex_proxy *proxy) {
  if (ct_kind_is_mesh(shape->kind)) *proxy = ct_mesh_ball(shape, frame);
  else ct_proxy_place(shape, frame, proxy);
}

static bool has_mesh(const ordered_pair *o) {
  return ct_kind_is_mesh(o->kind_a) || ct_kind_is_mesh(o->kind_b);
}

static void order_pair(ct_placed a, ct_placed b, double threshold, ct_workspace *workspace,
                       ordered_pair *o) {
  assert(a.shape && a.frame && b.shape && b.frame);
  o->lift = 0.0;
  o->input.threshold = threshold;
  o->input.workspace = workspace;
  o->input.iterative_only = false;
  o->swapped = ct_pair_is_swapped(a, b);
  /* Selection by index, because the order is unpredictable and branches would be mispredicted. */
  const ct_placed both[2] = {a, b};
  o->a = both[o->swapped].shape;
  o->b = both[!o->swapped].shape;
  o->frame_a = both[o->swapped].frame;
  o->frame_b = both[!o->swapped].frame;
  o->kind_a = ct_shape_content_kind(o->a);
  o->kind_b = ct_shape_content_kind(o->b);
  /* In content order a half-space comes after all other kinds. */
  assert(o->kind_a != CT_KIND_PLANE || o->kind_b == CT_KIND_PLANE);
  ct_cell_input *in = &o->input;
  in->shape_a = o->a;
  in->shape_b = o->b;
  in->relative.rotation = ct_mat_mat(ct_mat_transpose(o->frame_a->rotation), o->frame_b->rotation);
  in->relative.position = ct_to_local(*o->frame_a, o->frame_b->position);
  lift_planes(o);
  if (o->kind_a != CT_KIND_PLANE) place_pair_shape(o->a, NULL, &in->a);
  if (o->kind_b != CT_KIND_PLANE) place_pair_shape(o->b, &in->relative, &in->b);
}

/* Widens the bounds by the round-off of transforming the bodies, of support values and of sums. */
static void widen_bounds(const ordered_pair *o, ct_cell_result *r) {
  if (r->status == CT_PAIR_UNSUPPORTED || r->depth_kind == CT_DEPTH_NONE) return;
  const ct_cell_input *in = &o->input;
  double length;
  if (o->kind_b != CT_KIND_PLANE) length = ct_proxy_scale(&in->a, &in->b);
  else length = ct_norm(in->relative.position) + (o->kind_a == CT_KIND_PLANE ? 0.0 : in->a.extent);
  double slack = ct_bracket_slack(length, r->distance);
  r->lower -= slack;
  r->upper += slack;
}

/* True if the features of both bodies along the normal are parallel, so that the witness points are
 * not unique. */
static bool has_parallel_features(const ct_cell_input *in, ct_vec3 normal) {
  ct_vec3 a[2], b[2];
  int rank_a = ct_proxy_feature(&in->a, normal, 1e-6, a);
  if (rank_a == 0) return false;
  int rank_b = ct_proxy_feature(&in->b, ct_neg(normal), 1e-6, b);
  if (rank_a + rank_b > 2) return rank_b > 0;
  return rank_a == 1 && rank_b == 1 && ct_norm(ct_cross(a[0], b[0])) <= 1e-6;
}

static double clear_zero_sign(double x) { return x + 0.0; }

static ct_relation mirror_relation(ct_relation relation) {
  return relation == CT_CONTAINING  ? CT_CONTAINED
         : relation == CT_CONTAINED ? CT_CONTAINING
                                    : relation;
}

/* Transforms a point from the pair's frame to the world. */
static ct_vec3 transform_to_world(const ordered_pair *o, ct_vec3 p) {
  return ct_clear_negative_zero(ct_to_parent(*o->frame_a, ct_vec(p.x, p.y, p.z + o->lift)));
}

/* Returns the element of the body in the result, or CT_NO_ELEMENT. */
static uint32_t find_result_element(const ct_shape *shape, const ct_cell_result *r,
                                    uint32_t triangle, uint32_t element) {
  if (!ct_kind_has_elements(shape->kind)) return CT_NO_ELEMENT;
  if (r->depth_kind == CT_DEPTH_ELEMENT) return element;
  return triangle == CT_NO_TRIANGLE
             ? CT_NO_ELEMENT
             : ct_elements_of_triangle(ct_elements_get(shape->elements), triangle);
}

/* Writes the result in the world frame and in the caller's order of bodies. */
static void write_pair_result(const ordered_pair *o, const ct_cell_result *r, ct_relation relation,
                              ct_pair_result *result) {
  /* Selection by index, as in order_pair: points, triangles and elements are in the caller's
   * order. */
  ct_vec3 n = ct_unit_or(ct_mat_mul(o->frame_a->rotation, r->normal), ct_vec(1.0, 0.0, 0.0));
  uint32_t first = ct_kind_is_mesh(o->kind_a) ? r->triangle_a : CT_NO_TRIANGLE;
  uint32_t second = ct_kind_is_mesh(o->kind_b) ? r->triangle_b : CT_NO_TRIANGLE;
  ct_vec3 *const points[2] = {&result->point_a, &result->point_b};
  uint32_t *const triangles[2] = {&result->triangle_a, &result->triangle_b};
  uint32_t *const elements[2] = {&result->element_a, &result->element_b};
  result->distance = clear_zero_sign(r->distance);
  result->lower_bound = clear_zero_sign(r->lower);
  result->upper_bound = clear_zero_sign(r->upper);
  result->normal = ct_clear_negative_zero(ct_scale(n, (double)(1 - 2 * (int)o->swapped)));
  *points[o->swapped] = transform_to_world(o, r->point_a);
  *points[!o->swapped] = transform_to_world(o, r->point_b);
  result->relation = o->swapped ? mirror_relation(relation) : relation;
  result->status = r->status;
  result->flags = r->flags;
  result->iterations = r->iterations;
  result->depth_kind = r->depth_kind;
  *triangles[o->swapped] = first;
  *triangles[!o->swapped] = second;
  *elements[o->swapped] = find_result_element(o->a, r, first, r->element_a);
  *elements[!o->swapped] = find_result_element(o->b, r, second, r->element_b);
  result->element_pairs = r->element_pairs;
}

/* Runs the cell of an ordered pair, and writes the result. */
static void run_cell(ordered_pair *o, const ct_pair_methods *methods, double tolerance,
                     ct_pair_result *result) {
  assert(methods->cell && methods->relation);
  ct_cell_result r = {.status = CT_PAIR_OK};
  methods->cell(&o->input, &r);
  o->input.a.hint = r.hint_a;
  o->input.b.hint = r.hint_b;
  if (o->kind_b != CT_KIND_PLANE && !has_mesh(o) && has_parallel_features(&o->input, r.normal))
    r.flags |= CT_FLAG_WITNESS_NOT_UNIQUE;
  widen_bounds(o, &r);
  write_pair_result(o, &r, methods->relation(&o->input, &r, tolerance), result);
}

void ct_pair_distance_by_methods(ct_placed a, ct_placed b, const ct_pair_options *options,
                                 ct_workspace *workspace, const ct_pair_methods *methods,
                                 ct_pair_result *result) {
  ordered_pair o;
  order_pair(a, b, options->threshold, workspace, &o);
  run_cell(&o, methods, options->tolerance, result);
}

void ct_pair_distance_by_matrix(ct_placed a, ct_placed b, const ct_pair_options *options,
                                ct_workspace *workspace, ct_pair_result *result) {
  ordered_pair o;
  order_pair(a, b, options->threshold, workspace, &o);
  run_cell(&o, ct_pair_matrix[o.kind_a][o.kind_b], options->tolerance, result);
}

/* Computes the pair by the closed form of its kinds, or by its cell. Inlined, because a call would
 * cost a tenth of a query for two spheres. */
CT_INLINE void solve_pair(ct_placed a, ct_placed b, const ct_pair_options *options,
                          ct_workspace *workspace, ct_pair_result *result) {
  assert(a.shape->kind < CT_KIND_COUNT && b.shape->kind < CT_KIND_COUNT);
  const ct_pair_methods *methods = ct_pair_matrix[a.shape->kind][b.shape->kind];
  if (methods->primitive_distance && methods->primitive_distance(a, b, options, result)) return;
  ct_pair_distance_by_matrix(a, b, options, workspace, result);
}

void ct_pair_distance(ct_placed a, ct_placed b, const ct_pair_options *options,
                      ct_workspace *workspace, ct_pair_result *result) {
  ct_frame room[2];
  if (!ct_placed_prepare_both(&a, &b, room)) {
    *result = ct_pair_unsupported();
    return;
  }
  const ct_pair_options own = {options->tolerance, ct_resolve_threshold(options)};
  solve_pair(a, b, &own, workspace, result);
}

void ct_pair_distance_within(ct_placed a, ct_placed b, const ct_pair_options *options,
                             ct_workspace *workspace, ct_pair_result *result) {
  solve_pair(a, b, options, workspace, result);
}

/* ---- overlap ------------------------------------------------------------------------------- */

/* True if an ordered pair overlaps; *witness: set to a common point, world. */
static bool test_ordered_overlap(const ordered_pair *o, const ct_pair_methods *methods,
                                 ct_vec3 *witness) {
  assert(methods->overlap || methods->common_point);
  ct_vec3 common = {0.0, 0.0, 0.0};
  if (methods->overlap) {
    if (!methods->overlap(&o->input, witness ? &common : NULL)) return false;
  } else {
    ct_cell_result r = {.status = CT_PAIR_OK};
    methods->cell(&o->input, &r);
    if (r.distance > 0.0) return false;
    if (witness) common = methods->common_point(&o->input, &r);
  }
  if (witness) *witness = transform_to_world(o, common);
  return true;
}

bool ct_pair_overlap_by_methods(ct_placed a, ct_placed b, ct_workspace *workspace,
                                const ct_pair_methods *methods, ct_vec3 *witness) {
  ordered_pair o;
  order_pair(a, b, INFINITY, workspace, &o);
  return test_ordered_overlap(&o, methods, witness);
}

bool ct_pair_overlap(ct_placed a, ct_placed b, ct_workspace *workspace, ct_vec3 *witness) {
  ct_frame room[2];
  if (!ct_placed_prepare_both(&a, &b, room)) return false;
  const ct_pair_methods *methods = ct_pair_matrix[a.shape->kind][b.shape->kind];
  bool overlap;
  if (methods->primitive_overlap && methods->primitive_overlap(a, b, &overlap)) {
    if (!overlap || !witness) return overlap;
    if (methods->primitive_common_point && methods->primitive_common_point(a, b, witness))
      return true;
  }
  ordered_pair o;
  order_pair(a, b, INFINITY, workspace, &o);
  return test_ordered_overlap(&o, ct_pair_matrix[o.kind_a][o.kind_b], witness);
}

/* ---- gradient ------------------------------------------------------------------------------ */

bool ct_pair_gradient(const ct_pair_result *r, ct_vec3 origin_a, ct_vec3 origin_b,
                      ct_gradient *out) {
  if (ct_max_abs(r->normal) == 0.0) return false;
  if (r->status == CT_PAIR_UNSUPPORTED || (r->flags & CT_FLAG_NORMAL_ARBITRARY)) return false;
  /* The depth of a feature changes along the direction to the surface point closest to it, which is
   * not the normal. */
  if (r->depth_kind == CT_DEPTH_FEATURE || r->depth_kind == CT_DEPTH_NONE) return false;
  ct_vec3 zero = {0.0, 0.0, 0.0}, n = r->normal;
  *out = (ct_gradient){.a = {ct_sub(zero, n), ct_cross(n, ct_sub(r->point_a, origin_a))},
                       .b = {n, ct_cross(ct_sub(r->point_b, origin_b), n)}};
  return true;
}
