/* The pairs of triangles of two meshes that share a point.
 */
#include "narrow/features.h"
#include "narrow/mesh_pair.h"
#include "narrow/pair.h"
#include "narrow/workspace.h"

#include <stdlib.h>

#define FIRST_CAPACITY 256u

typedef struct listing {
  const ct_mesh_view *first, *second;
  bool swapped;
  ct_feature_memory *memory;
} listing;

static bool visit(void *context, const ct_mesh_near *near) {
  listing *l = context;
  ct_feature_memory *m = l->memory;
  if (!ct_triangles_meet(&near->a, &near->b, NULL)) return true;
  if (m->pair_count == m->pair_capacity) {
    size_t capacity = m->pair_capacity ? 2 * m->pair_capacity : FIRST_CAPACITY;
    ct_triangle_pair *pairs = realloc(m->pairs, capacity * sizeof *pairs);
    m->starved = m->starved || !pairs;
    if (!pairs) return false;
    m->pairs = pairs;
    m->pair_capacity = capacity;
  }
  uint32_t first = l->first->order[near->position_a], second = l->second->order[near->position_b];
  m->pairs[m->pair_count++] = l->swapped ? (ct_triangle_pair){second, first} : (ct_triangle_pair){first, second};
  return true;
}

static int by_numbers(const void *left, const void *right) {
  const ct_triangle_pair *p = left, *q = right;
  if (p->a != q->a) return p->a < q->a ? -1 : 1;
  return (p->b > q->b) - (p->b < q->b);
}

void ct_pair_triangles(ct_placed a, ct_placed b, ct_workspace *workspace, ct_triangle_pairs *out) {
  *out = (ct_triangle_pairs){.starved = !workspace};
  if (!workspace || !ct_features_takes(a.shape) || !ct_features_takes(b.shape)) return;
  bool swapped = ct_pair_swapped(a, b);
  ct_placed first = swapped ? b : a, second = swapped ? a : b;
  const ct_mesh *mesh[2] = {ct_feature_mesh(first.shape), ct_feature_mesh(second.shape)};
  ct_feature_memory *memory = &workspace->features;
  ct_frame relative = ct_feature_relative(second.frame, first.frame);
  ct_mesh_pair pair;
  ct_mesh_pair_open(&pair, mesh[0], mesh[1], &relative, &workspace->mesh);
  listing l = {ct_mesh_get(mesh[0]), ct_mesh_get(mesh[1]), swapped, memory};
  bool starved_before = memory->starved;
  memory->starved = workspace->mesh.stopped = false;
  memory->pair_count = 0;
  ct_mesh_pair_visit_boxes(&pair, visit, &l);
  if (memory->pair_count > 0) qsort(memory->pairs, memory->pair_count, sizeof *memory->pairs, by_numbers);
  *out = (ct_triangle_pairs){memory->pairs, memory->pair_count, memory->starved};
  memory->starved = memory->starved || starved_before;
}
