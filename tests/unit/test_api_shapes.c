/* Posted shapes in process: failing allocations, consistent snapshots of the table, two calls that
 * commit at once. */
#include "shapes/shape_table.h"
#include "tests/support/api_rig.h"
#include "tests/support/failing_malloc.h"

#include <time.h>

#define OBJ                                                                                        \
  "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nf 4 3 2 1\nf 5 6 7 "    \
  "8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 "                                                              \
  "7\n"                                                                                            \
  "f 4 1 5 8\n"
#define STL                                                                                        \
  "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 "               \
  "0\nendloop\nendfacet\nendsolid x\n"
#define MESH                                                                                       \
  "{\"mesh\": {\"vertices\": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [5, 5, 5]], "            \
  "\"triangles\": [[0, 1, 2], [0, 3, 1], [1, "                                                     \
  "3, 2], [2, 3, "                                                                                 \
  "0], [0, 1, 2]]"
#define HULL                                                                                       \
  "{\"convex\": {\"vertices\": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.1, 0.1, 0.1]]}}"

typedef struct request {
  const char *method, *path, *type, *body;
} request;

static rig_reply run_query(rig *r, const request *q) {
  api_head head = {.method = q->method, .path = q->path, .content_type = q->type};
  return rig_send(r, &head, q->body, q->body ? strlen(q->body) : 0, 0);
}

/* Posts the hull and a scene whose body names it at twice its size. Returns the shape's path. */
static void prepare(rig *r, char path[64]) {
  char scene[160];
  rig_reply made = rig_ask(r, "POST", "/v1/shapes", HULL);
  CHECK_INT(made.status, 201);
  snprintf(path, 64, "%.60s", made.location);
  snprintf(scene, sizeof scene,
           "{\"bodies\": [{\"id\": \"b\", \"colliders\": [{\"shape\": \"%.40s\", \"scale\": 2}]}]}",
           made.location + 11);
  rig_free(&made);
  rig_must(r, "PUT", "/v1/scenes/s", scene, 201);
  rig_must(r, "PUT", "/v1/scenes/s/bodies/mesh", "{\"colliders\": [" MESH ", \"solid\": true}}]}",
           201);
}

static char *listing(rig *r) {
  rig_reply reply = rig_ask(r, "GET", "/v1/shapes", NULL);
  json_decref(reply.json);
  return reply.body;
}

/* One request with allocation n failing. False: the request made fewer allocations. */
static bool try_one(const request *q, long n, const char *usual, int usual_status) {
  rig r = rig_open();
  char path[64];
  prepare(&r, path);
  char *before = listing(&r);
  memory.taken = 0;
  memory.fail_at = n;
  r.counting = &memory.counting;
  rig_reply reply = run_query(&r, q);
  r.counting = NULL;
  memory.fail_at = 0;
  bool reached = memory.taken >= n;
  if (reply.status == usual_status ? strcmp(reply.body, usual) != 0 : reply.status != 503)
    CHECK_FAIL("%s %s, failure %ld: %d %.200s", q->method, q->path, n, reply.status, reply.body);
  char *after = listing(&r);
  if (reply.status == 503 && strcmp(before, after) != 0)
    CHECK_FAIL("%s %s, failure %ld: the shapes have changed", q->method, q->path, n);
  free(before);
  free(after);
  rig_free(&reply);
  rig_close(&r);
  return reached;
}

static void fail_each(bool all_after) {
  NEEDS_FAILING_MALLOC;
  char path[64];
  rig first = rig_open();
  prepare(&first, path);
  rig_close(&first);
  char named[200], scaled[200];
  snprintf(named, sizeof named,
           "[{\"id\": \"n\", \"colliders\": [{\"shape\": \"%s\", \"scale\": 3}]}]", path + 11);
  snprintf(scaled, sizeof scaled,
           "{\"a\": {\"shape\": \"%s\"}, \"b\": {\"shape\": \"%s\", \"scale\": 5, \"position\": "
           "[9, 0, 0]}}",
           path + 11, path + 11);
  const request requests[] = {
      {"POST", "/v1/shapes?unit=mm", "model/obj", OBJ},
      {"POST", "/v1/shapes?unit=mm", "model/stl", STL},
      {"POST", "/v1/shapes", NULL, "{\"box\": {\"size\": [1, 2, 3]}}"},
      {"POST", "/v1/shapes", NULL, HULL},
      {"POST", "/v1/shapes?unit=m&solid=true", "model/stl", STL},
      {"POST", "/v1/shapes", NULL, MESH "}}"},
      {"POST", "/v1/shapes", NULL, MESH ", \"convexHull\": true}}"},
      {"PUT", "/v1/scenes/s/bodies/m", NULL, "{\"colliders\": [" MESH ", \"solid\": true}}]}"},
      {"GET", "/v1/shapes", NULL, NULL},
      {"GET", path, NULL, NULL},
      {"DELETE", path, NULL, NULL},
      {"POST", "/v1/scenes/s/bodies", NULL, named},
      {"PATCH", "/v1/scenes/s/bodies/b", NULL, "{\"position\": [1, 2, 3]}"},
      {"POST", "/v1/query/distance", NULL, scaled},
      {"GET", "/v1/scenes/s", NULL, NULL},
  };
  memory.rest = all_after;
  for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
    rig r = rig_open();
    prepare(&r, path);
    rig_reply usual = run_query(&r, &requests[i]);
    rig_close(&r);
    long start = memory.live;
    for (long n = 1; n < 5000; n++) {
      if (!try_one(&requests[i], n, usual.body, usual.status)) break;
      if (memory.live == start) continue;
      CHECK_FAIL("%s %s, failure %ld: %ld allocations are lost", requests[i].method,
                 requests[i].path, n, memory.live - start);
      start = memory.live;
    }
    rig_free(&usual);
  }
}

static void one_failed_allocation_is_told_and_nothing_is_lost(void) { fail_each(false); }

static void no_memory_from_some_point_on_is_told_and_nothing_is_lost(void) { fail_each(true); }

/* A shape that can be deleted. */
static void a_shape_without_references_goes_or_stays_whole(void) {
  NEEDS_FAILING_MALLOC;
  memory.rest = false;
  for (long n = 1; n < 200; n++) {
    rig r = rig_open();
    rig_reply made = rig_ask(&r, "POST", "/v1/shapes", HULL);
    char *before = listing(&r);
    memory.taken = 0;
    memory.fail_at = n;
    r.counting = &memory.counting;
    rig_reply gone = rig_ask(&r, "DELETE", made.location, NULL);
    r.counting = NULL;
    memory.fail_at = 0;
    bool reached = memory.taken >= n;
    char *after = listing(&r);
    if (gone.status == 200 ? strcmp(before, after) == 0
                           : gone.status != 503 || strcmp(before, after) != 0)
      CHECK_FAIL("failure %ld: %d, %s then %s", n, gone.status, before, after);
    rig_free(&gone);
    rig_free(&made);
    free(before);
    free(after);
    rig_close(&r);
    if (!reached) break;
  }
}

/* ---- tables --------------------------------------------------------------------------------- */

/* A call that has started but not committed. */
typedef struct pending {
  api_call *call;
  api_match match;
} pending;

static pending begin(rig *r, const char *method, const char *path, const char *body) {
  pending p;
  api_head head = {.method = method, .path = path};
  api_reply refusal = {0};
  CHECK(api_match_head(r->service, &head, &p.match, &refusal));
  p.call = api_call_create(r->service, &head, &p.match);
  api_call_set_shapes(p.call, r->shapes);
  api_input input = {.body = body, .body_length = body ? strlen(body) : 0};
  CHECK(api_call_begin(p.call, &input) == API_STEP_DONE);
  return p;
}

static int commit(rig *r, pending *p) {
  rig_commit_shapes(r, p->call);
  int status = api_call_reply(p->call)->status;
  api_call_destroy(p->call);
  return status;
}

static void two_posts_at_once_are_both_kept_and_two_of_one_are_one(void) {
  rig r = rig_open();
  pending a = begin(&r, "POST", "/v1/shapes", "{\"sphere\": {\"radius\": 1}}");
  pending b = begin(&r, "POST", "/v1/shapes", "{\"sphere\": {\"radius\": 2}}");
  pending c = begin(&r, "POST", "/v1/shapes", "{\"sphere\": {\"radius\": 1}}");
  CHECK_INT(commit(&r, &a), 201);
  CHECK_INT(commit(&r, &b), 201);
  CHECK_INT(commit(&r, &c), 201);
  CHECK_INT(api_shapes_count(r.shapes), 2);
  rig_close(&r);
}

static void limits_hold_for_posts_at_once(void) {
  api_limits limits = rig_limits();
  limits.shapes = 1;
  rig r = rig_open_with(&limits);
  pending a = begin(&r, "POST", "/v1/shapes", "{\"sphere\": {\"radius\": 1}}");
  pending b = begin(&r, "POST", "/v1/shapes", "{\"sphere\": {\"radius\": 2}}");
  CHECK_INT(commit(&r, &a), 201);
  CHECK_INT(commit(&r, &b), 422);
  CHECK_INT(api_shapes_count(r.shapes), 1);
  rig_close(&r);
}

static void of_two_deletions_at_once_one_finds_nothing(void) {
  rig r = rig_open();
  rig_reply made = rig_ask(&r, "POST", "/v1/shapes", "{\"sphere\": {\"radius\": 1}}");
  pending a = begin(&r, "DELETE", made.location, NULL);
  pending b = begin(&r, "DELETE", made.location, NULL);
  CHECK_INT(commit(&r, &a), 200);
  CHECK_INT(commit(&r, &b), 404);
  CHECK_INT(api_shapes_count(r.shapes), 0);
  rig_free(&made);
  rig_close(&r);
}

/* Bodies that are being written while the references are counted may name the shape. */
static void a_shape_stays_while_bodies_are_written(void) {
  rig r = rig_open();
  rig_reply made = rig_ask(&r, "POST", "/v1/shapes", "{\"sphere\": {\"radius\": 1}}");
  r.written = true;
  rig_refused(&r, "DELETE", made.location, NULL, (rig_fault){409, "shape-in-use", NULL});
  CHECK_INT(api_shapes_count(r.shapes), 1);
  rig_must(&r, "POST", "/v1/shapes", "{\"sphere\": {\"radius\": 2}}", 201);
  rig_must(&r, "DELETE", "/v1/shapes/none", NULL, 404);
  r.written = false;
  rig_must(&r, "DELETE", made.location, NULL, 200);
  CHECK_INT(api_shapes_count(r.shapes), 1);
  rig_free(&made);
  rig_close(&r);
}

static void a_count_that_is_cut_short_is_no_count(void) {
  rig r = rig_open();
  char path[64];
  prepare(&r, path);
  r.cancel = ct_cancel_create();
  ct_cancel_raise(r.cancel);
  rig_refused(&r, "DELETE", path, NULL, (rig_fault){504, "deadline-exceeded", NULL});
  rig_refused(&r, "GET", path, NULL, (rig_fault){504, "deadline-exceeded", NULL});
  CHECK_INT(api_shapes_count(r.shapes), 1);
  ct_cancel_destroy(r.cancel);
  r.cancel = NULL;
  rig_must(&r, "DELETE", path, NULL, 409);
  rig_close(&r);
}

static void only_writes_of_bodies_may_name_shapes(void) {
  static const struct {
    const char *method, *path;
    bool names;
  } routes[] = {{"POST", "/v1/scenes", true},
                {"PUT", "/v1/scenes/s", true},
                {"PATCH", "/v1/scenes/s", true},
                {"POST", "/v1/scenes/s/bodies", true},
                {"PATCH", "/v1/scenes/s/bodies", true},
                {"PUT", "/v1/scenes/s/bodies/b", true},
                {"PATCH", "/v1/scenes/s/bodies/b", true},
                {"PUT", "/v1/scenes/s/poses", false},
                {"PUT", "/v1/scenes/s/filters", false},
                {"DELETE", "/v1/scenes/s/bodies/b", false},
                {"DELETE", "/v1/scenes/s", false},
                {"POST", "/v1/query/distance", false},
                {"POST", "/v1/shapes", false}};
  rig r = rig_open();
  for (size_t i = 0; i < sizeof routes / sizeof routes[0]; i++) {
    api_head head = {.method = routes[i].method, .path = routes[i].path};
    api_match match;
    api_reply refusal = {0};
    CHECK(api_match_head(r.service, &head, &match, &refusal));
    if (api_match_names_shapes(&match) != routes[i].names)
      CHECK_FAIL("%s %s", routes[i].method, routes[i].path);
  }
  rig_close(&r);
}

static void a_call_sees_the_shapes_that_it_was_given(void) {
  rig r = rig_open();
  rig_reply made = rig_ask(&r, "POST", "/v1/shapes", "{\"sphere\": {\"radius\": 1}}");
  char body[160];
  snprintf(body, sizeof body,
           "{\"a\": {\"shape\": \"%.40s\"}, \"b\": {\"sphere\": {\"radius\": 1}}}",
           made.location + 11);
  api_match match;
  api_head head = {.method = "POST", .path = "/v1/query/massProperties"};
  api_reply refusal = {0};
  CHECK(api_match_head(r.service, &head, &match, &refusal));
  api_call *call = api_call_create(r.service, &head, &match);
  api_call_set_shapes(call, r.shapes);
  rig_must(&r, "DELETE", made.location, NULL, 200);
  api_input input = {.body = body, .body_length = strlen(body)};
  if (api_call_begin(call, &input) == API_STEP_WORK) rig_run(&r, call);
  CHECK_INT(api_call_reply(call)->status, 200);
  api_call_destroy(call);
  rig_refused(&r, "POST", "/v1/query/massProperties", body,
              (rig_fault){422, "unknown-id", "/a/shape"});
  rig_free(&made);
  rig_close(&r);
}

/* ---- a list from the store ------------------------------------------------------------------- */

#define LISTED 160 /* bytes from one id to the next */

/* Shapes "s00000", "s00002", ...: other ids fit between them. */
static const api_shape_table *table_of(int count) {
  const api_shape_table *table = api_shapes_create();
  for (int i = 0; i < count; i++) {
    char id[16];
    snprintf(id, sizeof id, "s%05d", 2 * i);
    const api_shape_form form = {
        .id = id, .shape = {.kind = CT_KIND_SPHERE}, .report = api_text("")};
    const api_shape *shape = api_shape_create(&form);
    const api_shape_table *next = api_shapes_with(table, shape);
    api_shapes_release(table);
    api_shape_release(shape);
    table = next;
  }
  return table;
}

/* Ids of the table, and others before, between and after them. */
static void a_table_loses_the_shape_that_is_dropped_and_no_other(void) {
  enum { SHAPES = 5 };
  const api_shape_table *table = table_of(SHAPES), *empty = api_shapes_create();
  for (int i = -1; i <= 2 * SHAPES; i++) {
    char id[16], other[16];
    snprintf(id, sizeof id, i < 0 ? "a" : "s%05d", i);
    bool there = i >= 0 && i < 2 * SHAPES && i % 2 == 0;
    const api_shape_table *left = api_shapes_drop(table, id);
    CHECK_INT(api_shapes_count(left), there ? SHAPES - 1 : SHAPES);
    for (int k = 0; k < 2 * SHAPES; k += 2) {
      snprintf(other, sizeof other, "s%05d", k);
      CHECK(api_shapes_has(left, other) == (k != i));
    }
    api_shapes_release(left);
    left = api_shapes_drop(empty, id);
    CHECK(left == empty);
    api_shapes_release(left);
  }
  api_shapes_release(empty);
  api_shapes_release(table);
}

/* Each list has some of the table's ids and others before, between and after them: the remaining
 * ids are found one by one. */
static void of_a_table_those_are_left_that_a_list_has(void) {
  enum { SHAPES = 12 };
  char list[2 * SHAPES + 2][LISTED];
  check_random random = {29};
  const api_shape_table *table = table_of(SHAPES);
  for (int round = 0; round < 2000; round++) {
    bool has[2 * SHAPES + 1] = {false};
    size_t count = 0, kept = 0;
    unsigned in = round % 5 == 0 ? 1 : round % 5 == 1 ? 16 : 2; /* all, few, or half of them */
    if (round % 7 == 0) snprintf(list[count++], LISTED, "a");
    for (int i = 0; i < 2 * SHAPES; i++) {
      has[i] = in == 1 || check_next(&random) % in == 0;
      if (has[i]) snprintf(list[count++], LISTED, "s%05d", i);
      if (has[i] && i % 2 == 0) kept++;
    }
    if (round % 3 == 0) snprintf(list[count++], LISTED, "z");
    const api_shape_table *left = api_shapes_intersect(table, list[0], count, LISTED);
    CHECK((left == table) == (kept == SHAPES));
    CHECK_INT(api_shapes_count(left), kept);
    size_t at = 0;
    for (int i = 0; i < 2 * SHAPES; i += 2) {
      char id[16];
      snprintf(id, sizeof id, "s%05d", i);
      CHECK(api_shapes_has(left, id) == has[i]);
      if (has[i] && at < api_shapes_count(left)) CHECK_TEXT(api_shapes_id(left, at++), id);
    }
    api_shapes_release(left);
  }
  const api_shape_table *none = api_shapes_intersect(table, NULL, 0, LISTED);
  CHECK_INT(api_shapes_count(none), 0);
  CHECK_INT(api_shapes_memory(none), 0);
  api_shapes_release(none);
  api_shapes_release(table);
}

static double processor_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* With Redis, each call that may name a shape intersects the table with the list of all shapes, in
 * one pass over both. A linear search per id takes some hundred times as long as a bisection per
 * id; the single pass takes less. */
static void a_walk_through_a_list_takes_no_longer_than_finding_each_in_it(void) {
  enum { SHAPES = 4000, ROUNDS = 9 };
  const api_shape_table *table = table_of(SHAPES);
  char(*list)[LISTED] = calloc(SHAPES, LISTED);
  double walk = INFINITY, finding = INFINITY;
  for (int i = 0; i < SHAPES; i++) snprintf(list[i], LISTED, "s%05d", 2 * i);
  for (int round = 0; round < ROUNDS; round++) {
    /* Once with all ids, once without the first. */
    double before = processor_seconds();
    for (int i = 0; i < 2; i++) {
      const api_shape_table *left =
          api_shapes_intersect(table, list[i], (size_t)(SHAPES - i), LISTED);
      CHECK_INT(api_shapes_count(left), SHAPES - i);
      api_shapes_release(left);
    }
    double between = processor_seconds();
    for (int i = 0; i < SHAPES; i++) CHECK(api_shapes_has(table, list[i]));
    walk = fmin(walk, between - before);
    finding = fmin(finding, processor_seconds() - between);
  }
  if (walk > 8 * finding) CHECK_FAIL("%g s for two walks, %g s to find each", walk, finding);
  free(list);
  api_shapes_release(table);
}

static const check_test tests[] = {
    {"one_failed_allocation_is_told_and_nothing_is_lost",
     one_failed_allocation_is_told_and_nothing_is_lost},
    {"no_memory_from_some_point_on_is_told_and_nothing_is_lost",
     no_memory_from_some_point_on_is_told_and_nothing_is_lost},
    {"a_shape_without_references_goes_or_stays_whole",
     a_shape_without_references_goes_or_stays_whole},
    {"two_posts_at_once_are_both_kept_and_two_of_one_are_one",
     two_posts_at_once_are_both_kept_and_two_of_one_are_one},
    {"limits_hold_for_posts_at_once", limits_hold_for_posts_at_once},
    {"of_two_deletions_at_once_one_finds_nothing", of_two_deletions_at_once_one_finds_nothing},
    {"a_shape_stays_while_bodies_are_written", a_shape_stays_while_bodies_are_written},
    {"a_count_that_is_cut_short_is_no_count", a_count_that_is_cut_short_is_no_count},
    {"only_writes_of_bodies_may_name_shapes", only_writes_of_bodies_may_name_shapes},
    {"a_call_sees_the_shapes_that_it_was_given", a_call_sees_the_shapes_that_it_was_given},
    {"a_table_loses_the_shape_that_is_dropped_and_no_other",
     a_table_loses_the_shape_that_is_dropped_and_no_other},
    {"of_a_table_those_are_left_that_a_list_has", of_a_table_those_are_left_that_a_list_has},
    {"a_walk_through_a_list_takes_no_longer_than_finding_each_in_it",
     a_walk_through_a_list_takes_no_longer_than_finding_each_in_it},
};
CHECK_MAIN(tests)
