/* Estimates the cost of a query from a sample of its items. */
#include "query/query.h"
#include "scene/body.h"

#include <stdlib.h>

/* Costs in ns on one core of 2020, to within a factor of two. ITEM_NS: one work item of an
 * all-pairs query, that is, one body with all its partners. BOX_TEST_NS and FAR_BOX_TEST_NS: a box
 * test with the AABB tree in the cache (scenes of up to NEAR_ROWS_MAX rows) and outside the cache.
 * The other constants: one pair of colliders, by kind of query. */
#define ITEM_NS 50.0
#define BOX_TEST_NS 2.0
#define FAR_BOX_TEST_NS 15.0
#define NEAR_ROWS_MAX 8192
#define PAIR_NS 20.0
#define OVERLAP_NS 800.0
#define DISTANCE_NS 1500.0
#define CONTACTS_NS 2000.0
#define VOLUME_NS 5000.0
/* MESH_NS: a distance query with a mesh. MESH_ROOT_NS: its growth with the square root of the
 * number of triangles, since about as many are in contact. MESH_OVERLAP_PART: fraction for an
 * overlap query, which ends at the first intersection. */
#define MESH_NS 3000.0
#define MESH_ROOT_NS 300.0
#define MESH_OVERLAP_PART 0.25
/* Factor for volumes, which evaluate every face. */
#define FACES_VOLUME_PART 3.0
/* Cost per triangle of a mesh deep inside a simple solid, or of the reverse. At most
 * MESH_TRIANGLES_MOST triangles count, since most pairs are not deep; this many ensure that such a
 * pair is never estimated as cheap. */
#define MESH_TRIANGLE_NS 100.0
#define MESH_TRIANGLES_MOST 300.0
/* Features: each triangle's vertices are transformed to the other mesh's frame, and some of them
 * cast rays. */
#define FEATURES_TRIANGLE_NS 100.0
/* The cost of a hull's support function grows with the square root of its number of vertices. */
#define HULL_ROOT_NS 500.0
/* Cost per facet of the shape with fewer facets, for overlapping hulls and for meshes with hulls or
 * meshes. The true cost is between a tenth of it and, for nearly coincident surfaces, ten times
 * it. */
#define HULL_FACET_NS 200.0
#define MESH_FACET_NS 2000.0
/* An element of a tetmesh or hexmesh costs as much as this many facets, because it intersects some
 * 20 elements of the other mesh. */
#define ELEMENT_FACETS 10.0
/* Largest number of a body's colliders that are inspected: a body with more is expensive by their
 * number alone. */
#define COLLIDERS_INSPECTED 32
/* Number of items sampled, and largest number of partners counted for one item. */
#define SAMPLES 32
#define PARTNERS_MAX 4096

/* Cost that a shape adds to the distance query of any pair, ns, and its number of triangles or
 * vertices; 0 for simple shapes. */
typedef struct fineness {
  double ns, facets;
  bool mesh;
} fineness;

static fineness shape_fineness(const ct_shape *shape) {
  if (ct_kind_is_mesh(shape->kind)) {
    double n = (double)ct_mesh_get(shape->mesh)->live_count, facets = n;
    if (ct_kind_has_elements(shape->kind))
      facets = ELEMENT_FACETS * (double)ct_elements_get(shape->elements)->element_count;
    return (fineness){MESH_NS + MESH_ROOT_NS * sqrt(n) +
                          MESH_TRIANGLE_NS * ct_min2(n, MESH_TRIANGLES_MOST),
                      facets, true};
  }
  if (shape->kind != CT_KIND_CONVEX) return (fineness){0.0, 0.0, false};
  double n = (double)ct_hull_get(shape->hull)->vertex_count;
  return (fineness){HULL_ROOT_NS * sqrt(n), n, false};
}

/* The inspected shapes of a body. */
typedef struct shape_sample {
  const ct_shape *shapes[COLLIDERS_INSPECTED];
  size_t inspected, count; /* count: colliders of the body */
} shape_sample;

static void sample_shapes(const ct_body *body, shape_sample *out) {
  out->count = ct_body_collider_count(body);
  out->inspected = out->count < COLLIDERS_INSPECTED ? out->count : COLLIDERS_INSPECTED;
  for (size_t i = 0; i < out->inspected; i++) out->shapes[i] = ct_body_shape(body, i);
}

static fineness greatest_fineness(const shape_sample *body) {
  fineness most = {0.0, 0.0, false};
  for (size_t i = 0; i < body->inspected; i++) {
    fineness f = shape_fineness(body->shapes[i]);
    most.ns = ct_max2(most.ns, f.ns);
    most.facets = ct_max2(most.facets, f.facets);
    most.mesh = most.mesh || f.mesh;
  }
  return most;
}

/* Estimates the cost of a pair of colliders, ns. */
static double colliders_ns(ct_query_kind kind, fineness a, fineness b) {
  if (kind == CT_QUERY_FEATURES)
    return a.mesh && b.mesh ? (a.facets + b.facets) * FEATURES_TRIANGLE_NS : 0.0;
  static const double by_kind[] = {[CT_QUERY_PAIRS] = PAIR_NS,
                                   [CT_QUERY_OVERLAP] = OVERLAP_NS,
                                   [CT_QUERY_DISTANCE] = DISTANCE_NS,
                                   [CT_QUERY_CONTACTS] = CONTACTS_NS,
                                   [CT_QUERY_VOLUME] = VOLUME_NS};
  double each = by_kind[kind];
  double part = kind == CT_QUERY_OVERLAP  ? MESH_OVERLAP_PART
                : kind == CT_QUERY_VOLUME ? FACES_VOLUME_PART
                                          : 1.0;
  double facets = ct_min2(a.facets, b.facets) * (a.mesh || b.mesh ? MESH_FACET_NS : HULL_FACET_NS);
  return each + (a.ns + b.ns + facets) * part;
}

/* For two compounds, about as many pairs of colliders as there are colliders in both reach the
 * narrow phase, or cost as much in box tests. */
double ct_query_pair_cost(ct_query_kind kind, const ct_body *a, const ct_body *b) {
  if (kind == CT_QUERY_PAIRS) return PAIR_NS;
  shape_sample of_a, of_b;
  sample_shapes(a, &of_a);
  sample_shapes(b, &of_b);
  double count_a = (double)of_a.count, count_b = (double)of_b.count;
  double pairs = count_a * count_b < count_a + count_b ? count_a * count_b : count_a + count_b;
  return PAIR_NS + pairs * colliders_ns(kind, greatest_fineness(&of_a), greatest_fineness(&of_b));
}

double ct_shape_body_cost(ct_query_kind kind, const ct_shape *shape, const ct_body *body) {
  shape_sample of_body;
  sample_shapes(body, &of_body);
  return PAIR_NS + (double)of_body.count *
                       colliders_ns(kind, shape_fineness(shape), greatest_fineness(&of_body));
}

static double pair_ns(const ct_query *query, uint32_t a, uint32_t b) {
  return ct_query_pair_cost(query->question.kind, ct_scene_body_at(query->scene, a),
                            ct_scene_body_at(query->scene, b));
}

/* Estimates the cost of explicit pairs from every `stride`th pair, scaled to all. */
static double explicit_cost(const ct_query *query) {
  size_t count = query->options.pair_count, stride = count / SAMPLES + 1, seen = 0;
  double sum = 0.0;
  for (size_t k = 0; k < count; k += stride, seen++)
    sum += pair_ns(query, query->options.pairs[k].a, query->options.pairs[k].b);
  return seen ? sum / (double)seen * (double)count : 0.0;
}

static double listed_cost(const ct_query *query) {
  size_t count = query->listed_count, stride = count / SAMPLES + 1, seen = 0;
  double sum = 0.0;
  for (size_t k = 0; k < count; k += stride, seen++)
    sum += pair_ns(query, query->listed[k].i, query->listed[k].j);
  return seen ? sum / (double)seen * (double)count : 0.0;
}

/* Estimates the cost of the pairs of the body in a row with the bodies in higher rows, ns. */
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
    if (ct_query_accepts(query, &view, finder->rows[k]))
      sum += pair_ns(query, row, finder->rows[k]);
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

/* Estimates the cost of a query with `nearest`: few pairs are evaluated for each body, however many
 * bodies are near. */
static double nearest_cost(const ct_query *query) {
  const ct_scene *scene = query->scene;
  uint32_t stride = scene->rows / SAMPLES + 1, seen = 0;
  double sum = 0.0;
  for (uint32_t row = 0; row < scene->rows; row += stride, seen++) {
    const ct_body *body = ct_scene_body_at(scene, row);
    if (body) sum += ct_query_pair_cost(query->question.kind, body, body);
  }
  return seen ? (ITEM_NS + sum / (double)seen) * (double)scene->rows : 0.0;
}

double ct_query_cost(const ct_query *query) {
  if (query->question.distance.nearest && query->source != CT_SOURCE_EXPLICIT)
    return nearest_cost(query);
  switch (query->source) {
  case CT_SOURCE_EXPLICIT: return explicit_cost(query);
  case CT_SOURCE_LISTED: return listed_cost(query);
  case CT_SOURCE_BOXES:
  case CT_SOURCE_TREE: break;
  }
  return rows_cost(query);
}
