/* Pairs without memory: every allocation fails in turn, alone and with all later ones. The
 * workspace reports it, and the bounds stay valid; without a report the result is complete. */
#include "tests/support/failing_malloc.h"
#include "tests/support/meshes.h"

enum { HULL, MESH, CYLINDER, CONE, KINDS };

/* The cube of half size 1 as a hull and as a solid mesh, and two curved bodies. */
static void make_shapes(ct_shape shapes[KINDS]) {
  soup s = {0};
  soup_box(&s, ct_vec(-1, -1, -1), ct_vec(1, 1, 1));
  ct_hull *hull = NULL;
  ct_mesh *mesh = NULL;
  ct_mesh_report report;
  const ct_mesh_data data = {s.v, s.vn, (const uint32_t(*)[3])s.t, s.tn, NULL};
  CHECK_INT(ct_hull_from_points(s.v, s.vn, NULL, &hull, NULL), CT_OK);
  CHECK_INT(ct_mesh_create(&data, CT_MESH_AUTO, NULL, &mesh, &report), CT_OK);
  soup_free(&s);
  shapes[HULL] = (ct_shape){.kind = CT_KIND_CONVEX, .hull = hull};
  shapes[MESH] = (ct_shape){.kind = CT_KIND_MESH, .mesh = mesh};
  shapes[CYLINDER] =
      (ct_shape){.kind = CT_KIND_CYLINDER, .cylinder = {.radius = 1, .half_length = 1}};
  shapes[CONE] = (ct_shape){.kind = CT_KIND_CONE,
                            .cone = {.half_length = 1, .radius_bottom = 1, .radius_top = 0}};
}

static void release_shapes(ct_shape shapes[KINDS]) {
  for (int i = 0; i < KINDS; i++) ct_shape_release(&shapes[i]);
}

typedef struct pair_of {
  int a, b;
  ct_pose pose; /* of b */
  double exact; /* distance, or NAN without a closed form */
} pair_of;

static const pair_of pairs[] = {
    {HULL, HULL, {{1.75, 0.25, -0.5}, {0, 0, 0, 1}}, -0.25},
    {HULL, HULL, {{2, 0.25, -0.5}, {0, 0, 0, 1}}, 0.0},
    {HULL, HULL, {{0.5, 0.25, -0.5}, {0.1, 0.2, 0.3, 0.9}}, NAN},
    {CYLINDER, CONE, {{0.5, 0.25, -0.5}, {0.1, 0.2, 0.3, 0.9}}, NAN},
    {CYLINDER, CYLINDER, {{0.5, 0.25, 0.75}, {0.3, 0.2, 0.1, 0.8}}, NAN},
    {HULL, CONE, {{0.5, 0.25, -0.5}, {0.1, 0.2, 0.3, 0.9}}, NAN},
    {MESH, MESH, {{1.75, 0.25, -0.5}, {0, 0, 0, 1}}, -0.25},
    {MESH, HULL, {{0.5, 0.25, -0.5}, {0.1, 0.2, 0.3, 0.9}}, NAN},
};

typedef struct requested {
  ct_pair_result result;
  bool out_of_memory;
  long allocations;
} requested;

/* The pair in a new workspace with allocation n failing; 0: none. */
static requested run_query(const ct_shape *shapes, const pair_of *p, long n) {
  const ct_frame home = ct_frame_of(ct_pose_identity()), there = ct_frame_of(p->pose);
  const ct_pair_options options = {.threshold = INFINITY};
  ct_workspace *workspace = ct_workspace_create();
  requested out;
  memory.fail_at = n;
  memory.taken = 0;
  memory.counting = true;
  ct_pair_distance((ct_placed){&shapes[p->a], &home}, (ct_placed){&shapes[p->b], &there}, &options,
                   workspace, &out.result);
  memory.counting = false;
  out.allocations = memory.taken;
  out.out_of_memory = ct_workspace_out_of_memory(workspace);
  CHECK(!ct_workspace_out_of_memory(workspace)); /* the previous call has cleared it */
  ct_workspace_destroy(workspace);
  return out;
}

static void check_same(const ct_pair_result *a, const ct_pair_result *b) {
  CHECK(a->distance == b->distance && a->lower_bound == b->lower_bound &&
        a->upper_bound == b->upper_bound);
  CHECK(ct_norm(ct_sub(a->normal, b->normal)) == 0.0);
  CHECK(ct_norm(ct_sub(a->point_a, b->point_a)) == 0.0 &&
        ct_norm(ct_sub(a->point_b, b->point_b)) == 0.0);
  CHECK(a->relation == b->relation && a->status == b->status && a->flags == b->flags);
}

static void fail_each(bool all_after) {
  NEEDS_FAILING_MALLOC;
  ct_shape shapes[KINDS];
  make_shapes(shapes);
  memory.rest = all_after;
  long reported = 0;
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
    const requested full = run_query(shapes, &pairs[i], 0);
    double low = isnan(pairs[i].exact) ? full.result.lower_bound : pairs[i].exact;
    double high = isnan(pairs[i].exact) ? full.result.upper_bound : pairs[i].exact;
    CHECK(!full.out_of_memory && full.allocations > 0);
    CHECK(full.result.lower_bound <= high && full.result.upper_bound >= low);
    for (long n = 1; n <= full.allocations; n++) {
      const requested out = run_query(shapes, &pairs[i], n);
      const ct_pair_result *r = &out.result;
      if (!(r->lower_bound <= high && r->upper_bound >= low))
        CHECK_FAIL("pair %zu, failure %ld: [%g, %g]", i, n, r->lower_bound, r->upper_bound);
      CHECK(r->lower_bound <= r->distance && r->distance <= r->upper_bound);
      CHECK_NEAR(ct_norm(r->normal), 1.0, 1e-12);
      if (!out.out_of_memory) check_same(r, &full.result);
      /* A wide bracket also sets the status. */
      if (r->upper_bound - r->lower_bound > 1e-6) CHECK_INT(r->status, CT_PAIR_ITERATION_LIMIT);
      reported += out.out_of_memory;
    }
  }
  CHECK(reported > 0);
  memory.fail_at = 0;
  release_shapes(shapes);
}

static void bounds_are_true_after_one_failed_allocation(void) { fail_each(false); }

static void bounds_are_true_without_memory_from_some_point_on(void) { fail_each(true); }

/* After a failed allocation the same workspace gives complete results once memory is available. */
static void a_workspace_recovers(void) {
  NEEDS_FAILING_MALLOC;
  ct_shape shapes[KINDS];
  make_shapes(shapes);
  memory.rest = false;
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
    const ct_frame home = ct_frame_of(ct_pose_identity()), there = ct_frame_of(pairs[i].pose);
    const ct_pair_options options = {.threshold = INFINITY};
    const ct_placed a = {&shapes[pairs[i].a], &home}, b = {&shapes[pairs[i].b], &there};
    const requested full = run_query(shapes, &pairs[i], 0);
    ct_workspace *workspace = ct_workspace_create();
    for (long n = 1; n <= full.allocations; n++) {
      ct_pair_result r;
      memory.fail_at = 1;
      memory.taken = 0;
      memory.counting = true;
      ct_pair_distance(a, b, &options, workspace, &r);
      memory.counting = false;
      ct_workspace_out_of_memory(workspace);
      ct_pair_distance(a, b, &options, workspace, &r);
      CHECK(!ct_workspace_out_of_memory(workspace));
      check_same(&r, &full.result);
    }
    ct_workspace_destroy(workspace);
  }
  memory.fail_at = 0;
  release_shapes(shapes);
}

static void no_workspace_is_not_starved(void) { CHECK(!ct_workspace_out_of_memory(NULL)); }

static const check_test tests[] = {
    {"bounds_are_true_after_one_failed_allocation", bounds_are_true_after_one_failed_allocation},
    {"bounds_are_true_without_memory_from_some_point_on",
     bounds_are_true_without_memory_from_some_point_on},
    {"a_workspace_recovers", a_workspace_recovers},
    {"no_workspace_is_not_starved", no_workspace_is_not_starved},
};
CHECK_MAIN(tests)
