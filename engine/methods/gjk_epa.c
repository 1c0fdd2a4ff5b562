/* Two bounded convex bodies by GJK and EPA alone, at the caller's request: the convex cell of the
 * dispatch table without its closed forms and without the scans for certain kinds of shapes. */
#include "dispatch/pair_query.h"
#include "pair/pair_input.h"
#include "pair/placed_proxies.h"

#include <contact/pair_methods.h>

#include <assert.h>

static bool is_tapered_shape(const ct_shape *s) {
  return s->kind == CT_KIND_CAPSULE && s->capsule.radius_bottom != s->capsule.radius_top;
}

bool ct_gjk_epa_is_supported(const ct_shape *a, const ct_shape *b) {
  return ct_kind_is_bounded_convex(a->kind) && ct_kind_is_bounded_convex(b->kind) &&
         !is_tapered_shape(a) && !is_tapered_shape(b);
}

static void solve_by_gjk_epa(const ct_cell_input *input, ct_cell_result *result) {
  ct_cell_input iterative = *input;
  iterative.iterative_only = true;
  ct_cell_convex_convex(&iterative, result);
}

static bool test_overlap_by_gjk_epa(const ct_cell_input *input, ct_vec3 *common) {
  ct_cell_input iterative = *input;
  iterative.iterative_only = true;
  return ct_convex_overlap(&iterative, common);
}

static const ct_pair_methods gjk_epa = {
    .cell = solve_by_gjk_epa, .overlap = test_overlap_by_gjk_epa, .relation = ct_convex_relation};

void ct_pair_gjk_epa(ct_placed a, ct_placed b, const ct_pair_options *options,
                     ct_workspace *workspace, ct_pair_result *result) {
  ct_frame room[2];
  if (!ct_placed_prepare_both(&a, &b, room)) {
    *result = ct_pair_unsupported();
    return;
  }
  assert(ct_gjk_epa_is_supported(a.shape, b.shape));
  const ct_pair_options own = {options->tolerance, ct_resolve_threshold(options)};
  ct_pair_distance_by_methods(a, b, &own, workspace, &gjk_epa, result);
}

bool ct_pair_gjk_epa_overlap(ct_placed a, ct_placed b, ct_workspace *workspace, ct_vec3 *witness) {
  ct_frame room[2];
  if (!ct_placed_prepare_both(&a, &b, room)) return false;
  assert(ct_gjk_epa_is_supported(a.shape, b.shape));
  return ct_pair_overlap_by_methods(a, b, workspace, &gjk_epa, witness);
}
