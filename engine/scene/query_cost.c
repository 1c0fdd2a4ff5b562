/* A guess at what a query costs, from a few of its items. */
#include "scene/body.h"
#include "scene/query.h"

#include <stdlib.h>

/* Nanoseconds on one core of 2020, measured to within a factor of two: an item of an all-pairs query, a box test while the tree is
 * in the cache and when it is not, and a pair of colliders by kind of query. */
#define ITEM_NS 50.0
#define BOX_TEST_NS 2.0
#define FAR_BOX_TEST_NS 15.0
#define NEAR_ROWS_MAX 8192
#define PAIR_NS 20.0
#define OVERLAP_NS 800.0
#define DISTANCE_NS 1500.0
#define CONTACTS_NS 2000.0
/* A distance that a mesh takes part in, and what it grows by with the root of the triangles: about as many are at a contact. An
 * overlap ends at the first crossing. */
#define MESH_NS 3000.0
#define MESH_ROOT_NS 300.0
#define MESH_OVERLAP_PART 0.25
/* Colliders of a body that are asked whether they are meshes. */
#define COLLIDERS_ASKED 8
/* Items looked at, and partners counted for one of them. */
#define SAMPLES 32
#define PARTNERS_MAX 4096

/* What a pair costs more because of a body's meshes; of its first colliders the largest counts. */
static double mesh_ns(const ct_body *body) {
  size_t count = ct_body_collider_count(body), asked = count < COLLIDERS_ASKED ? count : COLLIDERS_ASKED;
  double most = 0.0;
  for (size_t i = 0; i < asked; i++) {
    const ct_shape *shape = ct_body_shape(body, i);
    if (shape->kind != CT_KIND_MESH) continue;
    double ns = MESH_NS + MESH_ROOT_NS * sqrt((double)ct_mesh_get(shape->mesh)->live_count);
    if (ns > most) most = ns;
  }
  return most;
}

/* Of compounds about as many pairs of colliders reach the narrow phase, or cost as much in boxes, as there are colliders. */
double ct_query_pair_cost(ct_query_kind kind, const ct_body *a, const ct_body *b) {
  if (kind == CT_QUERY_PAIRS) return PAIR_NS;
  double count_a = (double)ct_body_collider_count(a), count_b = (double)ct_body_collider_count(b);
  double pairs = count_a * count_b < count_a + count_b ? count_a * count_b : count_a + count_b;
  double each = kind == CT_QUERY_OVERLAP ? OVERLAP_NS : kind == CT_QUERY_DISTANCE ? DISTANCE_NS : CONTACTS_NS;
  double meshes = (mesh_ns(a) + mesh_ns(b)) * (kind == CT_QUERY_OVERLAP ? MESH_OVERLAP_PART : 1.0);
  return PAIR_NS + pairs * (each + meshes);
}

static double pair_ns(const ct_query *query, uint32_t a, uint32_t b) {
  return ct_query_pair_cost(query->options.kind, ct_scene_body_at(query->scene, a), ct_scene_body_at(query->scene, b));
}

/* Cost of the pairs of some of the items, scaled to all; `stride` items apart. */
static double explicit_cost(const ct_query *query) {
  size_t count = query->options.pair_count, stride = count / SAMPLES + 1, seen = 0;
  double sum = 0.0;
  for (size_t k = 0; k < count; k += stride, seen++) sum += pair_ns(query, query->options.pairs[k].a, query->options.pairs[k].b);
  return seen ? sum / (double)seen * (double)count : 0.0;
}

static double listed_cost(const ct_query *query) {
  size_t count = query->listed_count, stride = count / SAMPLES + 1, seen = 0;
  double sum = 0.0;
  for (size_t k = 0; k < count; k += stride, seen++) sum += pair_ns(query, query->listed[k].i, query->listed[k].j);
  return seen ? sum / (double)seen * (double)count : 0.0;
}

/* Partners above the row, by cost. */
static double row_cost(ct_row_finder *finder, uint32_t row) {
  const ct_query *query = finder->query;
  ct_row_view view;
  uint64_t tests = 0;
  double sum = ITEM_NS;
  if (!ct_row_view_set(finder, row, &view)) return sum;
  if (query->source == CT_SOURCE_BOXES) {
    for (uint32_t j = row + 1; j < query->scene->rows && j - row <= PARTNERS_MAX; j++)
      if (ct_query_accepts(query, &view, j)) sum += pair_ns(query, row, j);
    return sum + BOX_TEST_NS * (double)(query->scene->rows - row);
  }
  if (ct_query_find(finder, &view, row + 1, &tests) != CT_OK) return sum;
  for (size_t k = 0; k < finder->count; k++)
    if (ct_query_accepts(query, &view, finder->rows[k])) sum += pair_ns(query, row, finder->rows[k]);
  return sum + (query->scene->rows > NEAR_ROWS_MAX ? FAR_BOX_TEST_NS : BOX_TEST_NS) * (double)tests;
}

static double rows_cost(const ct_query *query) {
  ct_row_finder *finder = malloc(sizeof *finder);
  if (!finder) return ITEM_NS * (double)query->items;
  ct_row_finder_init(finder, query);
  finder->most = PARTNERS_MAX;
  uint32_t rows = query->scene->rows, stride = rows / SAMPLES + 1, seen = 0;
  double sum = 0.0;
  for (uint32_t row = 0; row < rows; row += stride, seen++) sum += row_cost(finder, row);
  ct_row_finder_free(finder);
  free(finder);
  return seen ? sum / (double)seen * (double)rows : 0.0;
}

double ct_query_cost(const ct_query *query) {
  switch (query->source) {
  case CT_SOURCE_EXPLICIT: return explicit_cost(query);
  case CT_SOURCE_LISTED: return listed_cost(query);
  case CT_SOURCE_BOXES:
  case CT_SOURCE_TREE: break;
  }
  return rows_cost(query);
}
