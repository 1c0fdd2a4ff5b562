/* Pairs of triangles of two meshes that intersect or touch.
 *
 * If the relative rotation consists of quarter turns, a transformed corner is a vertex with
 * exchanged coordinates plus a position. Sums of two doubles represent it exactly, so the
 * intersection test is exact. Other rotations round the corners. */
#include "features/features.h"
#include "mesh_pairs/mesh_tree_pairs.h"
#include "pair/pair_input.h"
#include "pair/pair_order.h"
#include "pair/workspace.h"
#include "triangle/triangle_double_double.h"

#include <stdlib.h>

typedef struct pair_listing {
  const ct_mesh_view *first, *second;
  bool swapped;
  ct_feature_scratch *memory;
  ct_frame relative; /* frame of the second mesh relative to the first */
  bool quarters;     /* true: the rotation of `relative` consists of quarter turns */
} pair_listing;

static bool is_unit_or_zero(double x) { return x == 0.0 || x == 1.0 || x == -1.0; }

static bool is_quarter_rotation(const ct_mat3 *m) {
  const ct_vec3 rows[3] = {m->rx, m->ry, m->rz};
  for (int i = 0; i < 3; i++)
    if (!is_unit_or_zero(rows[i].x) || !is_unit_or_zero(rows[i].y) || !is_unit_or_zero(rows[i].z))
      return false;
  return true;
}

/* Transforms a triangle of the second mesh into the first's frame without rounding, as
 * double-doubles; the rotation must consist of quarter turns. *lost: set to true if a coordinate
 * does not fit one double, else unchanged. */
static ct_wide_triangle place_triangle_exactly(const pair_listing *l, uint32_t position,
                                               bool *lost) {
  ct_triangle t = ct_mesh_triangle(l->second, position);
  ct_vec3 at = l->relative.position;
  ct_wide_triangle out;
  for (int k = 0; k < 3; k++) {
    ct_vec3 v = ct_mat_mul(l->relative.rotation, t.v[k]);
    out.v[k] = (ct_dd3){ct_two_sum(v.x, at.x), ct_two_sum(v.y, at.y), ct_two_sum(v.z, at.z)};
    *lost = *lost || out.v[k].x.low != 0.0 || out.v[k].y.low != 0.0 || out.v[k].z.low != 0.0;
  }
  return out;
}

static bool do_triangles_meet(const pair_listing *l, const ct_near_triangles *near) {
  bool lost = false;
  if (!l->quarters) return ct_triangles_meet(&near->a, &near->b, NULL);
  ct_wide_triangle b = place_triangle_exactly(l, near->position_b, &lost);
  if (!lost) return ct_triangles_meet(&near->a, &near->b, NULL);
  ct_wide_triangle a;
  for (int k = 0; k < 3; k++) a.v[k] = ct_dd3_of(near->a.v[k]);
  return ct_wide_triangles_meet(&a, &b);
}

static bool add_if_meeting(void *context, const ct_near_triangles *near) {
  pair_listing *l = context;
  ct_feature_scratch *m = l->memory;
  if (!do_triangles_meet(l, near)) return true;
  if (!ct_feature_reserve(m, &m->pairs, sizeof *m->pairs, &m->pair_capacity, m->pair_count + 1))
    return false;
  uint32_t first = l->first->order[near->position_a], second = l->second->order[near->position_b];
  m->pairs[m->pair_count++] =
      l->swapped ? (ct_triangle_pair){second, first} : (ct_triangle_pair){first, second};
  return true;
}

static int compare_triangle_pairs(const void *left, const void *right) {
  const ct_triangle_pair *p = left, *q = right;
  if (p->a != q->a) return p->a < q->a ? -1 : 1;
  return (p->b > q->b) - (p->b < q->b);
}

void ct_pair_triangles(ct_placed a, ct_placed b, ct_workspace *workspace, ct_triangle_pairs *out) {
  *out = (ct_triangle_pairs){.out_of_memory = !workspace};
  ct_frame prepared[2];
  if (!workspace || !ct_placed_prepare_both(&a, &b, prepared)) return;
  if (!ct_features_are_supported(a.shape) || !ct_features_are_supported(b.shape)) return;
  bool swapped = ct_pair_is_swapped(a, b);
  ct_placed first = swapped ? b : a, second = swapped ? a : b;
  const ct_mesh *mesh[2] = {ct_feature_mesh(first.shape), ct_feature_mesh(second.shape)};
  ct_feature_scratch *memory = ct_workspace_features(workspace);
  ct_frame relative = ct_feature_relative(second.frame, first.frame);
  ct_mesh_pair pair;
  ct_mesh_pair_open(&pair, mesh[0], mesh[1], &relative, &workspace->mesh);
  pair_listing l = {ct_mesh_get(mesh[0]),
                    ct_mesh_get(mesh[1]),
                    swapped,
                    memory,
                    relative,
                    is_quarter_rotation(&relative.rotation)};
  bool was_out_of_memory = memory->out_of_memory;
  memory->out_of_memory = workspace->mesh.stopped = false;
  memory->pair_count = 0;
  /* Rounded boxes may be separate although triangles touch: visit pairs within the round-off
   * too. */
  if (l.quarters) ct_mesh_pair_visit(&pair, pair.slack, add_if_meeting, &l);
  else ct_mesh_pair_visit_boxes(&pair, add_if_meeting, &l);
  if (memory->pair_count > 0)
    qsort(memory->pairs, memory->pair_count, sizeof *memory->pairs, compare_triangle_pairs);
  *out = (ct_triangle_pairs){memory->pairs, memory->pair_count, memory->out_of_memory};
  memory->out_of_memory = memory->out_of_memory || was_out_of_memory;
}
