/* One pair query: content order, the pair's frame, the cell of the matrix, and the result in world
 * coordinates.
 *
 * The pair is computed in content order, so exchanging the bodies mirrors the result bit for bit.
 * Only the difference of the positions enters, so a common translation without rounding changes no
 * bit of distance and normal.
 */
#include "pair/pair_cell.h"
#include "pair/pair_input.h"
#include "pair/pair_order.h"
#include "pair/placed_proxies.h"
#include "pair/round_off_bound.h"
#include "pair/workspace.h"
#include "primitives/primitive_pairs.h"
#include "shape/shape_compare.h"
#include "shape/tapered_capsule.h"

#include <contact/gjk_epa.h>

#include <assert.h>
#include <stdlib.h>

/* Frame components that differ by less than this are ties; positions are measured in parts of
 * their distance. A tie decides the order only if all components tie. */
#define ORDER_TIE 1e-6

/* Returns the sign of the first difference above the tolerance of its kind. */
static int compare_frames_above(const ct_frame *a, const ct_frame *b, double turn_least,
                                double move_least) {
  const ct_vec3 apart[4] = {
      ct_sub(a->rotation.rx, b->rotation.rx), ct_sub(a->rotation.ry, b->rotation.ry),
      ct_sub(a->rotation.rz, b->rotation.rz), ct_sub(a->position, b->position)};
  for (int i = 0; i < 4; i++) {
    const double d[3] = {apart[i].x, apart[i].y, apart[i].z},
                 least = i == 3 ? move_least : turn_least;
    for (int k = 0; k < 3; k++)
      if (fabs(d[k]) > least) return d[k] < 0.0 ? -1 : 1;
  }
  return 0;
}

/* Compares frames with tolerances first, so a small motion does not change the order of equal
 * stacked shapes. */
static int compare_frames(const ct_frame *a, const ct_frame *b) {
  int order = compare_frames_above(a, b, ORDER_TIE,
                                   ORDER_TIE * ct_max_abs(ct_sub(a->position, b->position)));
  return order ? order : compare_frames_above(a, b, 0.0, 0.0);
}

bool ct_frames_are_swapped(const ct_frame *a, const ct_frame *b) {
  return compare_frames(a, b) > 0;
}

bool ct_pair_is_swapped(ct_placed a, ct_placed b) {
  int order = ct_shape_compare(a.shape, b.shape);
  return order ? order > 0 : ct_frames_are_swapped(a.frame, b.frame);
}

/* A pair in content order. */
typedef struct ordered_pair {
  const ct_shape *a, *b;
  const ct_frame *frame_a, *frame_b;
  ct_kind kind_a, kind_b;
  bool swapped;
  double lift; /* z offset of the pair's frame in frame_a */
  ct_cell_input input;
} ordered_pair;

/* Rounding and margin of a plane raise its surface: shifts the frames of the cell to that
 * surface. */
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
  o->lift = 0.0;
  o->input.threshold = threshold;
  o->input.workspace = workspace;
  o->input.general = false;
  o->swapped = ct_pair_is_swapped(a, b);
  /* Selection by index: the order is unpredictable, so branches would be mispredicted. */
  const ct_placed both[2] = {a, b};
  o->a = both[o->swapped].shape;
  o->b = both[!o->swapped].shape;
  o->frame_a = both[o->swapped].frame;
  o->frame_b = both[!o->swapped].frame;
  o->kind_a = ct_shape_content_kind(o->a);
  o->kind_b = ct_shape_content_kind(o->b);
  ct_cell_input *in = &o->input;
  in->shape_a = o->a;
  in->shape_b = o->b;
  in->relative.rotation = ct_mat_mat(ct_mat_transpose(o->frame_a->rotation), o->frame_b->rotation);
  in->relative.position = ct_to_local(*o->frame_a, o->frame_b->position);
  lift_planes(o);
  if (o->kind_a != CT_KIND_PLANE) place_pair_shape(o->a, NULL, &in->a);
  if (o->kind_b != CT_KIND_PLANE) place_pair_shape(o->b, &in->relative, &in->b);
}

/* Widens the bounds by the round-off of placing the bodies, supports and sums. */
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

/* True if the features along the normal are parallel, so that the witness points are not unique. */
static bool has_parallel_features(const ct_cell_input *in, ct_vec3 normal) {
  ct_vec3 a[2], b[2];
  int rank_a = ct_proxy_feature(&in->a, normal, 1e-6, a);
  if (rank_a == 0) return false;
  int rank_b = ct_proxy_feature(&in->b, ct_neg(normal), 1e-6, b);
  if (rank_a + rank_b > 2) return rank_b > 0;
  return rank_a == 1 && rank_b == 1 && ct_norm(ct_cross(a[0], b[0])) <= 1e-6;
}

static ct_relation classify_pair_relation(const ordered_pair *o, const ct_cell_result *r,
                                          double tolerance) {
  const ct_cell_input *in = &o->input;
  if (r->status == CT_PAIR_UNSUPPORTED) return ct_half_spaces_relation(&in->relative);
  if (has_mesh(o)) return ct_mesh_relation(in, r, tolerance);
  if (r->distance > tolerance) return CT_SEPARATED;
  if (r->distance >= -tolerance) return CT_TOUCHING;
  if (o->kind_a == CT_KIND_PLANE) return CT_PENETRATING;
  if (o->kind_b == CT_KIND_PLANE)
    return ct_half_space_contains(&in->relative, &in->a) ? CT_CONTAINED : CT_PENETRATING;
  const ct_cancel *cancel = ct_workspace_cancel(in->workspace);
  if (ct_proxy_contains(&in->a, &in->b, r->normal, cancel)) return CT_CONTAINING;
  if (ct_proxy_contains(&in->b, &in->a, ct_neg(r->normal), cancel)) return CT_CONTAINED;
  return CT_PENETRATING;
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

/* Returns the body's element of the result, or CT_NO_ELEMENT. */
static uint32_t find_result_element(const ct_shape *shape, const ct_cell_result *r,
                                    uint32_t triangle, uint32_t element) {
  if (!ct_kind_has_elements(shape->kind)) return CT_NO_ELEMENT;
  if (r->depth_kind == CT_DEPTH_ELEMENT) return element;
  return triangle == CT_NO_TRIANGLE
             ? CT_NO_ELEMENT
             : ct_elements_of_triangle(ct_elements_get(shape->elements), triangle);
}

/* Writes the result in the world frame and the caller's order. */
static void write_pair_result(const ordered_pair *o, const ct_cell_result *r, ct_relation relation,
                              ct_pair_result *result) {
  /* Selection by index, as in order_pair: points, triangles and elements in the caller's order. */
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

/* Runs a cell on an ordered pair and writes the result. */
static void run_cell(ordered_pair *o, ct_cell cell, double tolerance, ct_pair_result *result) {
  ct_cell_result r = {.status = CT_PAIR_OK};
  cell(&o->input, &r);
  o->input.a.hint = r.hint_a;
  o->input.b.hint = r.hint_b;
  if (o->kind_b != CT_KIND_PLANE && !has_mesh(o) && has_parallel_features(&o->input, r.normal))
    r.flags |= CT_FLAG_WITNESS_NOT_UNIQUE;
  widen_bounds(o, &r);
  write_pair_result(o, &r, classify_pair_relation(o, &r, tolerance), result);
}

void ct_pair_distance_by_matrix(ct_placed a, ct_placed b, const ct_pair_options *options,
                                ct_workspace *workspace, ct_pair_result *result) {
  ordered_pair o;
  order_pair(a, b, options->threshold, workspace, &o);
  run_cell(&o, ct_dispatch_cell(o.kind_a, o.kind_b), options->tolerance, result);
}

static double resolve_threshold(const ct_pair_options *options) {
  return options->threshold == 0.0 ? INFINITY : options->threshold;
}

void ct_pair_gjk_epa(ct_placed a, ct_placed b, const ct_pair_options *options,
                     ct_workspace *workspace, ct_pair_result *result) {
  ct_frame room[2];
  if (!ct_placed_prepare_both(&a, &b, room)) {
    *result = ct_pair_unsupported();
    return;
  }
  assert(ct_gjk_epa_is_supported(a.shape, b.shape));
  ordered_pair o;
  order_pair(a, b, resolve_threshold(options), workspace, &o);
  o.input.general = true;
  run_cell(&o, ct_cell_convex_convex, options->tolerance, result);
}

void ct_pair_distance(ct_placed a, ct_placed b, const ct_pair_options *options,
                      ct_workspace *workspace, ct_pair_result *result) {
  ct_frame room[2];
  if (!ct_placed_prepare_both(&a, &b, room)) {
    *result = ct_pair_unsupported();
    return;
  }
  const ct_pair_options own = {options->tolerance, resolve_threshold(options)};
  ct_pair_distance_within(a, b, &own, workspace, result);
}

void ct_pair_distance_within(ct_placed a, ct_placed b, const ct_pair_options *options,
                             ct_workspace *workspace, ct_pair_result *result) {
  if (!ct_primitive_distance(a, b, options, result))
    ct_pair_distance_by_matrix(a, b, options, workspace, result);
}

bool ct_pair_overlap(ct_placed a, ct_placed b, ct_workspace *workspace, ct_vec3 *witness) {
  ct_frame room[2];
  if (!ct_placed_prepare_both(&a, &b, room)) return false;
  bool overlap;
  if (ct_primitive_overlap(a, b, &overlap) &&
      (!overlap || !witness || ct_primitive_common_point(a, b, witness)))
    return overlap;
  ordered_pair o;
  order_pair(a, b, INFINITY, workspace, &o);
  ct_vec3 common = {0.0, 0.0, 0.0};
  ct_cell cell = ct_dispatch_cell(o.kind_a, o.kind_b);
  if (has_mesh(&o)) {
    if (!ct_mesh_overlap(&o.input, witness ? &common : NULL)) return false;
  } else if (cell == ct_cell_convex_convex) {
    if (!ct_convex_overlap(&o.input, witness ? &common : NULL)) return false;
  } else {
    ct_cell_result r = {.status = CT_PAIR_OK};
    cell(&o.input, &r);
    if (r.distance > 0.0) return false;
    if (witness)
      common = o.kind_b == CT_KIND_PLANE ? r.point_a : ct_convex_common_point(&o.input, &r);
  }
  if (witness) *witness = transform_to_world(&o, common);
  return true;
}

static bool is_tapered_shape(const ct_shape *s) {
  return s->kind == CT_KIND_CAPSULE && s->capsule.radius_bottom != s->capsule.radius_top;
}

bool ct_gjk_epa_is_supported(const ct_shape *a, const ct_shape *b) {
  return ct_kind_is_bounded_convex(a->kind) && ct_kind_is_bounded_convex(b->kind) &&
         !is_tapered_shape(a) && !is_tapered_shape(b);
}

bool ct_pair_gjk_epa_overlap(ct_placed a, ct_placed b, ct_workspace *workspace, ct_vec3 *witness) {
  ct_frame room[2];
  if (!ct_placed_prepare_both(&a, &b, room)) return false;
  assert(ct_gjk_epa_is_supported(a.shape, b.shape));
  ordered_pair o;
  order_pair(a, b, INFINITY, workspace, &o);
  o.input.general = true;
  ct_vec3 common = {0.0, 0.0, 0.0};
  if (!ct_convex_overlap(&o.input, witness ? &common : NULL)) return false;
  if (witness) *witness = transform_to_world(&o, common);
  return true;
}
