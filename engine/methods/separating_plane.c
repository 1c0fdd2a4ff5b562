/* Separating planes in the caller's order, and the cache that keeps one.
 *
 * A plane that is remembered is judged exactly as a search over all would judge it, in the same order and frame; so it may hit only
 * where the search would find one too, and with or without a cache the answer is the same.
 */
#include "methods/separating_axis.h"
#include "pair/pair_input.h"

#include "pair/placed_proxies.h"
#include "pair/round_off_bound.h"
#include "pair/workspace.h"
#include "primitives/primitive_pairs.h"

#include <assert.h>

/* A plane separates surely when it does so by this many times the round-off of a distance: that of the distance that is asked
 * otherwise, and its own. */
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

static ct_plane_kind exchanged(ct_plane_kind kind) {
  return kind == CT_PLANE_FACE_A ? CT_PLANE_FACE_B : kind == CT_PLANE_FACE_B ? CT_PLANE_FACE_A : kind;
}

/* From the pair's frame and order to the world's and the caller's. */
static void hand_back(const ct_placed_proxies *pair, const ct_separating_plane *found, ct_separating_plane *plane) {
  ct_vec3 n = ct_unit_or(ct_mat_mul(pair->frame->rotation, found->normal), ct_vec(1.0, 0.0, 0.0));
  ct_vec3 p = ct_clear_negative_zero(ct_to_parent(*pair->frame, found->point_a)),
          q = ct_clear_negative_zero(ct_to_parent(*pair->frame, found->point_b));
  *plane = *found;
  plane->normal = ct_clear_negative_zero(pair->swapped ? ct_neg(n) : n);
  plane->point_a = pair->swapped ? q : p;
  plane->point_b = pair->swapped ? p : q;
  if (!pair->swapped) return;
  plane->kind = exchanged(found->kind);
  plane->feature_a = found->feature_b;
  plane->feature_b = found->feature_a;
}

static bool separates(const ct_axis_search *s) { return s->best.separation >= 0.0; }

/* The plane remembered, then those beside it. */
static bool try_cache(const ct_placed_proxies *pair, ct_plane_cache *cache, ct_axis_search *s) {
  ct_plane_kind kind = pair->swapped ? exchanged(cache->kind) : cache->kind;
  uint32_t feature_a = pair->swapped ? cache->feature_b : cache->feature_a;
  uint32_t feature_b = pair->swapped ? cache->feature_a : cache->feature_b;
  ct_axis_feature(s, kind, feature_a, feature_b);
  if (separates(s)) {
    cache->hits++;
    return true;
  }
  ct_axis_neighbours(s, kind, feature_a, feature_b);
  if (separates(s)) cache->repairs++;
  return separates(s);
}

static bool search_all(ct_axis_search *s) {
  ct_axis_faces(s, CT_PLANE_FACE_A);
  if (!separates(s)) ct_axis_faces(s, CT_PLANE_FACE_B);
  if (!separates(s)) ct_axis_edges(s);
  return separates(s);
}

static bool separate_polyhedra(const ct_placed_proxies *pair, ct_plane_cache *cache, const ct_cancel *cancel,
                               ct_separating_plane *plane) {
  ct_axis_search s = ct_axis_search_of(&pair->a, &pair->b, cancel);
  bool found = cache && try_cache(pair, cache, &s);
  if (!found) {
    s = ct_axis_search_of(&pair->a, &pair->b, cancel);
    found = search_all(&s);
    if (cache) cache->searches++;
  }
  if (!found) return false;
  hand_back(pair, &s.best, plane);
  if (cache) {
    cache->kind = plane->kind;
    cache->feature_a = plane->feature_a;
    cache->feature_b = plane->feature_b;
  }
  return true;
}

/* The plane across a world direction from the caller's a to b. */
static void look_along(const ct_placed_proxies *pair, ct_vec3 world, ct_separating_plane *plane) {
  ct_vec3 n = ct_mat_tmul(pair->frame->rotation, pair->swapped ? ct_neg(world) : world);
  ct_separating_plane p = {.kind = CT_PLANE_DIRECTION, .feature_a = CT_NO_FEATURE, .feature_b = CT_NO_FEATURE};
  p.normal = ct_unit_or(n, ct_vec(1.0, 0.0, 0.0));
  ct_axis_search s = ct_axis_search_of(&pair->a, &pair->b, NULL);
  ct_axis_consider(&s, &p);
  hand_back(pair, &s.best, plane);
}

/* Does the plane separate by more than round-off can have made of it? */
static bool separates_surely(const ct_placed_proxies *pair, const ct_separating_plane *plane) {
  return plane->separation > SURE_SLACKS * ct_bracket_slack(ct_proxy_scale(&pair->a, &pair->b), plane->separation);
}

static bool separate_others(const ct_placed body[2], const ct_placed_proxies *pair, ct_plane_cache *cache, ct_workspace *workspace,
                            ct_separating_plane *plane) {
  if (cache && cache->kind == CT_PLANE_DIRECTION) {
    look_along(pair, ct_mat_mul(body[0].frame->rotation, cache->direction), plane);
    if (separates_surely(pair, plane)) {
      cache->hits++;
      return true;
    }
  }
  const ct_pair_options options = {.tolerance = 0.0, .threshold = INFINITY};
  ct_pair_result r;
  ct_pair_distance(body[0], body[1], &options, workspace, &r);
  if (cache) cache->searches++;
  if (!(r.distance >= 0.0)) return false;
  look_along(pair, r.normal, plane);
  if (cache) {
    cache->kind = CT_PLANE_DIRECTION;
    cache->feature_a = cache->feature_b = CT_NO_FEATURE;
    cache->direction = ct_mat_tmul(body[0].frame->rotation, r.normal);
  }
  return true;
}

static bool separate(const ct_placed body[2], const ct_placed_proxies *pair, ct_plane_cache *cache, ct_workspace *workspace,
                     ct_separating_plane *plane) {
  if (ct_proxy_is_polyhedron(&pair->a) && ct_proxy_is_polyhedron(&pair->b))
    return separate_polyhedra(pair, cache, ct_workspace_cancel(workspace), plane);
  return separate_others(body, pair, cache, workspace, plane);
}

static bool have_planes(ct_placed a, ct_placed b) {
  return ct_kind_is_bounded_convex(a.shape->kind) && ct_kind_is_bounded_convex(b.shape->kind);
}

bool ct_pair_separating_plane(ct_placed a, ct_placed b, ct_plane_cache *cache, ct_workspace *workspace,
                              ct_separating_plane *plane) {
  ct_frame room[2];
  if (!ct_placed_prepare_both(&a, &b, room) || !have_planes(a, b)) return false;
  ct_separating_plane ignored;
  ct_placed_proxies pair = ct_place_proxies(a, b);
  return separate((ct_placed[2]){a, b}, &pair, cache, workspace, plane ? plane : &ignored);
}

bool ct_pair_overlap_by_plane(ct_placed a, ct_placed b, ct_plane_cache *cache, ct_workspace *workspace, ct_separating_plane *plane,
                              ct_vec3 *witness) {
  ct_separating_plane found = {.kind = CT_PLANE_NONE};
  ct_frame room[2];
  bool overlap = ct_placed_prepare_both(&a, &b, room);
  if (overlap && have_planes(a, b)) {
    ct_placed_proxies pair = ct_place_proxies(a, b);
    overlap = !separate((ct_placed[2]){a, b}, &pair, cache, workspace, &found) || !separates_surely(&pair, &found);
  }
  if (overlap) overlap = ct_pair_overlap(a, b, workspace, witness);
  if (overlap) found.kind = CT_PLANE_NONE;
  if (plane) *plane = found;
  return overlap;
}

static bool is_polyhedron(const ct_shape *s) {
  return (s->kind == CT_KIND_BOX || s->kind == CT_KIND_CONVEX) && s->rounding == 0.0 && s->margin == 0.0;
}

bool ct_separating_axis_is_supported(const ct_shape *a, const ct_shape *b) { return is_polyhedron(a) && is_polyhedron(b); }

void ct_pair_separating_axis(ct_placed a, ct_placed b, ct_workspace *workspace, ct_separating_plane *plane) {
  ct_frame room[2];
  if (!ct_placed_prepare_both(&a, &b, room)) {
    *plane = (ct_separating_plane){.kind = CT_PLANE_NONE, .feature_a = CT_NO_FEATURE, .feature_b = CT_NO_FEATURE};
    return;
  }
  assert(ct_separating_axis_is_supported(a.shape, b.shape));
  ct_placed_proxies pair = ct_place_proxies(a, b);
  ct_axis_search s = ct_axis_search_of(&pair.a, &pair.b, ct_workspace_cancel(workspace));
  ct_axis_faces(&s, CT_PLANE_FACE_A);
  ct_axis_faces(&s, CT_PLANE_FACE_B);
  ct_axis_edges(&s);
  hand_back(&pair, &s.best, plane);
}
