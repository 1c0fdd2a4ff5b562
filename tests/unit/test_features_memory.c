/* Contact features without memory: every allocation fails in turn, alone and with all later ones.
 * Each reported feature is right, and an incomplete list is marked as such. */
#include "tests/support/failing_malloc.h"
#include "tests/support/meshes.h"

/* Large enough that both lists grow more than once. */
static ct_shape ball(uint32_t rings, uint32_t sectors) {
  soup s = {0};
  soup_sphere(&s, ct_vec(0, 0, 0), 1, rings, sectors);
  return (ct_shape){.kind = CT_KIND_MESH, .mesh = soup_mesh(&s)};
}

static const ct_frame home = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}},
                      there = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {.25, .125, .0625}};

/* A copy of the result, allocated while no allocation fails. */
typedef struct requested {
  ct_pair_feature *items;
  ct_triangle_pair *pairs;
  size_t count, pair_count;
  bool reported, pairs_told, out_of_memory;
  long allocations;
} requested;

static void *copy_of(const void *items, size_t size) {
  void *out = malloc(size + 1);
  if (!out) abort();
  if (size) memcpy(out, items, size);
  return out;
}

/* Runs the query in a new or used workspace with allocation n failing; 0: none. */
static requested run_query(const ct_shape shape[2], ct_workspace *workspace, long n) {
  const ct_placed a = {&shape[0], &home}, b = {&shape[1], &there};
  const ct_features_options options = {CT_FEATURES_BOTH, CT_FEATURES_ANY_DEPTH};
  ct_features f;
  ct_triangle_pairs t;
  memory.fail_at = n;
  memory.taken = 0;
  memory.counting = true;
  ct_pair_features(a, b, &options, workspace, &f);
  memory.counting = false;
  requested out = {.items = copy_of(f.items, f.count * sizeof *f.items),
                   .count = f.count,
                   .reported = f.status == CT_FEATURES_OUT_OF_MEMORY};
  CHECK(f.status == CT_FEATURES_OK || f.status == CT_FEATURES_OUT_OF_MEMORY);
  memory.counting = true;
  ct_pair_triangles(a, b, workspace, &t);
  memory.counting = false;
  out.pairs = copy_of(t.items, t.count * sizeof *t.items);
  out.pair_count = t.count;
  out.pairs_told = t.out_of_memory;
  out.allocations = memory.taken;
  memory.fail_at = 0;
  out.out_of_memory = workspace && ct_workspace_out_of_memory(workspace);
  return out;
}

static void drop(requested *a) {
  free(a->items);
  free(a->pairs);
}

static bool same_feature(const ct_pair_feature *p, const ct_pair_feature *q) {
  return p->kind == q->kind && p->mode == q->mode && p->vertex == q->vertex &&
         p->distance == q->distance && p->a.triangle == q->a.triangle &&
         p->b.triangle == q->b.triangle && memcmp(p->edge_a, q->edge_a, sizeof p->edge_a) == 0 &&
         memcmp(p->edge_b, q->edge_b, sizeof p->edge_b) == 0 &&
         memcmp(&p->a.point, &q->a.point, sizeof p->a.point) == 0;
}

static bool has_feature(const requested *full, const ct_pair_feature *f) {
  for (size_t i = 0; i < full->count; i++)
    if (same_feature(&full->items[i], f)) return true;
  return false;
}

static bool has_pair(const requested *full, ct_triangle_pair t) {
  for (size_t i = 0; i < full->pair_count; i++)
    if (full->pairs[i].a == t.a && full->pairs[i].b == t.b) return true;
  return false;
}

/* A list that is not marked as incomplete has all items of the full list. Reported pairs are always
 * in the full list. */
static void check_against(const requested *full, const requested *out, long n) {
  if (!out->reported && out->count != full->count)
    CHECK_FAIL("failure %ld: %zu of %zu features", n, out->count, full->count);
  if (!out->pairs_told && out->pair_count != full->pair_count)
    CHECK_FAIL("failure %ld: %zu of %zu pairs", n, out->pair_count, full->pair_count);
  for (size_t i = 0; i < out->pair_count; i++) CHECK(has_pair(full, out->pairs[i]));
  if (!out->reported)
    for (size_t i = 0; i < out->count; i++) CHECK(has_feature(full, &out->items[i]));
  CHECK_INT(out->out_of_memory, out->reported || out->pairs_told);
}

static void fail_each(bool all_after) {
  NEEDS_FAILING_MALLOC;
  ct_shape shape[2] = {ball(26, 36), ball(27, 35)};
  long reported = 0, pairs_told = 0;
  memory.rest = false;
  ct_workspace *workspace = ct_workspace_create();
  requested full = run_query(shape, workspace, 0);
  ct_workspace_destroy(workspace);
  printf("%zu features, %zu pairs of triangles, %ld allocations\n", full.count, full.pair_count,
         full.allocations);
  CHECK(full.count > 64 && full.pair_count > 256 && full.allocations > 3 && !full.reported &&
        !full.pairs_told && !full.out_of_memory);
  memory.rest = all_after;
  for (long n = 1; n <= full.allocations; n++) {
    long live = memory.live;
    workspace = ct_workspace_create();
    requested out = run_query(shape, workspace, n), again = run_query(shape, workspace, 0);
    check_against(&full, &out, n);
    reported += out.reported;
    pairs_told += out.pairs_told;
    /* With memory the same workspace gives complete lists. */
    CHECK(!again.reported && !again.pairs_told && !again.out_of_memory);
    CHECK_INT(again.count, full.count);
    CHECK_INT(again.pair_count, full.pair_count);
    drop(&out);
    drop(&again);
    ct_workspace_destroy(workspace);
    CHECK_INT(memory.live, live);
  }
  CHECK(reported > 0 && pairs_told > 0);
  drop(&full);
  for (int k = 0; k < 2; k++) ct_shape_release(&shape[k]);
}

static void one_refused_allocation_is_told(void) { fail_each(false); }

static void no_memory_from_some_point_on_is_told(void) { fail_each(true); }

static void without_a_workspace_nothing_is_found_and_that_is_told(void) {
  ct_shape shape[2] = {ball(4, 5), ball(5, 4)};
  requested out = run_query(shape, NULL, 0);
  CHECK(out.reported && out.pairs_told && out.count == 0 && out.pair_count == 0);
  drop(&out);
  for (int k = 0; k < 2; k++) ct_shape_release(&shape[k]);
}

static const check_test tests[] = {
    {"one_refused_allocation_is_told", one_refused_allocation_is_told},
    {"no_memory_from_some_point_on_is_told", no_memory_from_some_point_on_is_told},
    {"without_a_workspace_nothing_is_found_and_that_is_told",
     without_a_workspace_nothing_is_found_and_that_is_told},
};
CHECK_MAIN(tests)
