/* Separating planes in the caller's order, with a cache of the last plane (temporal coherence).
 *
 * The cached plane is evaluated exactly as the full search would, in the same order and frame. It
 * is accepted only where the search would find a plane, too, so the answer is the same with and
 * without a cache.
 */
#include "methods/separating_axis.h"
#include "pair/pair_input.h"

#include "pair/placed_proxies.h"
#include "pair/round_off_bound.h"
#include "pair/workspace.h"
#include "primitives/primitive_pairs.h"

#include <assert.h>

/* A plane certainly separates above this many round-off bounds of the distance: the bound of the
 * distance query and the plane's own. */
#define SURE_SLACKS 2.0

const char *ct_plane_kind_word(ct_plane_kind kind) {
  static const char *const words[] = {
#define PLANE_KIND_WORD(name, word) [CT_PLANE_##name] = word,
      CT_PLANE_KIND_MAP(PLANE_KIND_WORD)
#undef PLANE_KIND_WORD
  };
  if ((unsigned)kind >= sizeof words / sizeof words[0]) return "none";
  return words[kind];
}

static ct_plane_kind swap_plane_kind(ct_plane_kind kind) {
  return kind == CT_PLANE_FACE_A   ? CT_PLANE_FACE_B
         : kind == CT_PLANE_FACE_B ? CT_PLANE_FACE_A
                                   : kind;
}

/* Writes a plane in the world frame and the caller's order. */
static void write_separating_plane(const ct_placed_proxies *pair, const ct_separating_plane *found,
                                   ct_separating_plane *plane) {
  ct_vec3 n = ct_unit_or(ct_mat_mul(pair->frame->rotation, found->normal), ct_vec(1.0, 0.0, 0.0));
  ct_vec3 p = ct_clear_negative_zero(ct_to_parent(*pair->frame, found->point_a)),
          q = ct_clear_negative_zero(ct_to_parent(*pair->frame, found->point_b));
  *plane = *found;
  plane->normal = ct_clear_negative_zero(pair->swapped ? ct_neg(n) : n);
  plane->point_a = pair->swapped ? q : p;
  plane->point_b = pair->swapped ? p : q;
  if (!pair->swapped) return;
  plane->kind = swap_plane_kind(found->kind);
  plane->feature_a = found->feature_b;
  plane->feature_b = found->feature_a;
}

static bool has_separation(const ct_axis_search *s) { return s->best.separation >= 0.0; }

/* Evaluates the cached plane, then its adjacent features. */
static bool query_plane_cache(const ct_placed_proxies *pair, ct_plane_cache *cache,
                              ct_axis_search *s) {
  ct_plane_kind kind = pair->swapped ? swap_plane_kind(cache->kind) : cache->kind;
  uint32_t feature_a = pair->swapped ? cache->feature_b : cache->feature_a;
  uint32_t feature_b = pair->swapped ? cache->feature_a : cache->feature_b;
  ct_axis_feature(s, kind, feature_a, feature_b);
  if (has_separation(s)) {
    cache->hits++;
    return true;
  }
  ct_axis_neighbours(s, kind, feature_a, feature_b);
  if (has_separation(s)) cache->repairs++;
  return has_separation(s);
}

static bool search_all_axes(ct_axis_search *s) {
  ct_axis_faces(s, CT_PLANE_FACE_A);
  if (!has_separation(s)) ct_axis_faces(s, CT_PLANE_FACE_B);
  if (!has_separation(s)) ct_axis_edges(s);
  return has_separation(s);
}

static bool separate_polyhedra(const ct_placed_proxies *pair, ct_plane_cache *cache,
                               const ct_cancel *cancel, ct_separating_plane *plane) {
  ct_axis_search s = ct_axis_search_of(&pair->a, &pair->b, cancel);
  bool found = cache && query_plane_cache(pair, cache, &s);
  if (!found) {
    s = ct_axis_search_of(&pair->a, &pair->b, cancel);
    found = search_all_axes(&s);
    if (cache) cache->searches++;
  }
  if (!found) return false;
  write_separating_plane(pair, &s.best, plane);
  if (cache) {
    cache->kind = plane->kind;
    cache->feature_a = plane->feature_a;
    cache->feature_b = plane->feature_b;
  }
  return true;
}

/* Evaluates the plane normal to a world direction, from the caller's a to b. */
static void evaluate_direction(const ct_placed_proxies *pair, ct_vec3 world,
                               ct_separating_plane *plane) {
  ct_vec3 n = ct_mat_tmul(pair->frame->rotation, pair->swapped ? ct_neg(world) : world);
  ct_separating_plane p = {
      .kind = CT_PLANE_DIRECTION, .feature_a = CT_NO_FEATURE, .feature_b = CT_NO_FEATURE};
  p.normal = ct_unit_or(n, ct_vec(1.0, 0.0, 0.0));
  ct_axis_search s = ct_axis_search_of(&pair->a, &pair->b, NULL);
  ct_axis_consider(&s, &p);
  write_separating_plane(pair, &s.best, plane);
}

/* True if the plane separates by more than round-off. */
static bool is_certainly_separating(const ct_placed_proxies *pair,
                                    const ct_separating_plane *plane) {
  return plane->separation >
         SURE_SLACKS * ct_bracket_slack(ct_proxy_scale(&pair->a, &pair->b), plane->separation);
}

static bool separate_by_distance(const ct_placed body[2], const ct_placed_proxies *pair,
                                 ct_plane_cache *cache, ct_workspace *workspace,
                                 ct_separating_plane *plane) {
  /* Try the cached direction first. */
  if (cache && cache->kind == CT_PLANE_DIRECTION) {
    evaluate_direction(pair, ct_mat_mul(body[0].frame->rotation, cache->direction), plane);
    if (is_certainly_separating(pair, plane)) {
      cache->hits++;
      return true;
    }
  }
  /* Otherwise use the normal of a distance query. */
  const ct_pair_options options = {.tolerance = 0.0, .threshold = INFINITY};
  ct_pair_result r;
  ct_pair_distance(body[0], body[1], &options, workspace, &r);
  if (cache) cache->searches++;
  if (!(r.distance >= 0.0)) return false;
  evaluate_direction(pair, r.normal, plane);
  if (cache) {
    cache->kind = CT_PLANE_DIRECTION;
    cache->feature_a = cache->feature_b = CT_NO_FEATURE;
    cache->direction = ct_mat_tmul(body[0].frame->rotation, r.normal);
  }
  return true;
}

static bool find_separating_plane(const ct_placed body[2], const ct_placed_proxies *pair,
                                  ct_plane_cache *cache, ct_workspace *workspace,
                                  ct_separating_plane *plane) {
  if (ct_proxy_is_polyhedron(&pair->a) && ct_proxy_is_polyhedron(&pair->b))
    return separate_polyhedra(pair, cache, ct_workspace_cancel(workspace), plane);
  return separate_by_distance(body, pair, cache, workspace, plane);
}

static bool are_bounded_convex(ct_placed a, ct_placed b) {
  return ct_kind_is_bounded_convex(a.shape->kind) && ct_kind_is_bounded_convex(b.shape->kind);
}

bool ct_pair_separating_plane(ct_placed a, ct_placed b, ct_plane_cache *cache,
                              ct_workspace *workspace, ct_separating_plane *plane) {
  ct_frame room[2];
  if (!ct_placed_prepare_both(&a, &b, room) || !are_bounded_convex(a, b)) return false;
  ct_separating_plane ignored;
  ct_placed_proxies pair = ct_place_proxies(a, b);
  return find_separating_plane((ct_placed[2]){a, b}, &pair, cache, workspace,
                               plane ? plane : &ignored);
}

bool ct_pair_overlap_by_plane(ct_placed a, ct_placed b, ct_plane_cache *cache,
                              ct_workspace *workspace, ct_separating_plane *plane,
                              ct_vec3 *witness) {
  ct_separating_plane found = {.kind = CT_PLANE_NONE};
  ct_frame room[2];
  bool overlap = ct_placed_prepare_both(&a, &b, room);
  if (overlap && are_bounded_convex(a, b)) {
    ct_placed_proxies pair = ct_place_proxies(a, b);
    overlap = !find_separating_plane((ct_placed[2]){a, b}, &pair, cache, workspace, &found) ||
              !is_certainly_separating(&pair, &found);
  }
  if (overlap) overlap = ct_pair_overlap(a, b, workspace, witness);
  if (overlap) found.kind = CT_PLANE_NONE;
  if (plane) *plane = found;
  return overlap;
}

static bool is_sharp_polyhedron(const ct_shape *s) {
  return (s->kind == CT_KIND_BOX || s->kind == CT_KIND_CONVEX) && s->rounding == 0.0 &&
         s->margin == 0.0;
}

bool ct_separating_axis_is_supported(const ct_shape *a, const ct_shape *b) {
  return is_sharp_polyhedron(a) && is_sharp_polyhedron(b);
}

void ct_pair_separating_axis(ct_placed a, ct_placed b, ct_workspace *workspace,
                             ct_separating_plane *plane) {
  ct_frame room[2];
  if (!ct_placed_prepare_both(&a, &b, room)) {
    *plane = (ct_separating_plane){
        .kind = CT_PLANE_NONE, .feature_a = CT_NO_FEATURE, .feature_b = CT_NO_FEATURE};
    return;
  }
  assert(ct_separating_axis_is_supported(a.shape, b.shape));
  ct_placed_proxies pair = ct_place_proxies(a, b);
  ct_axis_search s = ct_axis_search_of(&pair.a, &pair.b, ct_workspace_cancel(workspace));
  ct_axis_faces(&s, CT_PLANE_FACE_A);
  ct_axis_faces(&s, CT_PLANE_FACE_B);
  ct_axis_edges(&s);
  write_separating_plane(&pair, &s.best, plane);
}
