/* Queries: pages, variants, selections, revisions, and bytes of answers that do not depend on the
 * order of ranges. Truth: closed forms of balls and planes, and brute force over their centres. */
#include "tests/support/api_rig.h"

#define BALLS 300
#define RADIUS 0.5

typedef struct cloud {
  double center[BALLS][3];
  size_t count;
} cloud;

/* Balls on a lattice of eighths: every sum of squares is exact. */
static cloud make_cloud(uint64_t seed, size_t count, int side) {
  check_random random = {seed};
  cloud c = {.count = count};
  for (size_t i = 0; i < count; i++)
    for (int k = 0; k < 3; k++)
      c.center[i][k] = (double)(check_next(&random) % (uint64_t)side) / 8.0;
  return c;
}

static char *cloud_document(const cloud *c) {
  json_t *bodies = json_array();
  for (size_t i = 0; i < c->count; i++) {
    char id[32];
    snprintf(id, sizeof id, "n%03zu", i);
    const double *p = c->center[i];
    json_array_append_new(bodies,
                          json_pack("{s:s, s:[fff], s:[{s:{s:f}}]}", "id", id, "position", p[0],
                                    p[1], p[2], "colliders", "sphere", "radius", RADIUS));
  }
  json_t *scene = json_pack("{s:o}", "bodies", bodies);
  char *text = json_dumps(scene, 0);
  json_decref(scene);
  return text;
}

static rig with_cloud(const cloud *c) {
  rig r = rig_open();
  char *document = cloud_document(c);
  rig_must(&r, "PUT", "/v1/scenes/s", document, 201);
  free(document);
  return r;
}

static double gap(const cloud *c, size_t i, size_t j) {
  double sum = 0.0;
  for (int k = 0; k < 3; k++)
    sum += (c->center[i][k] - c->center[j][k]) * (c->center[i][k] - c->center[j][k]);
  return sqrt(sum) - 2.0 * RADIUS;
}

static size_t index_of(json_t *result, const char *side) {
  return strtoul(json_string_value(json_object_get(result, side)) + 1, NULL, 10);
}

static void all_pairs_within_clearance_are_found_in_order(void) {
  cloud c = make_cloud(11, BALLS, 60);
  rig r = with_cloud(&c);
  rig_reply reply = rig_ask(&r, "POST", "/v1/scenes/s/query/distance", "{\"clearance\": 0.25}");
  CHECK_INT(reply.status, 200);
  size_t at = 0;
  for (size_t i = 0; i < c.count; i++) {
    for (size_t j = i + 1; j < c.count; j++) {
      /* No distance on the lattice is within rounding of the clearance without being equal: 1.25 is
       * the root of a sum of squares of eighths only where it is exact. */
      if (gap(&c, i, j) > 0.25) continue;
      json_t *result = rig_result(&reply, at++);
      if (!result || index_of(result, "a") != i || index_of(result, "b") != j) {
        CHECK_FAIL("result %zu should be n%03zu n%03zu", at - 1, i, j);
        break;
      }
      CHECK_NEAR(rig_number(result, "distance"), gap(&c, i, j), 1e-13);
    }
  }
  CHECK(at > 100);
  CHECK_INT(json_array_size(json_object_get(reply.json, "results")), at);
  CHECK_INT(rig_number(reply.json, "total"), at);
  CHECK(json_is_true(json_object_get(reply.json, "complete")));
  rig_free(&reply);
  rig_close(&r);
}

static void the_order_in_which_ranges_run_does_not_show(void) {
  static const char *const questions[][2] = {
      {"pairs", "{}"},
      {"overlap", "{}"},
      {"distance", "{\"clearance\": 1}"},
      {"distance", "{\"clearance\": 1, \"limit\": 17}"},
      {"distance", "{\"clearance\": 1, \"broadphase\": \"bruteForce\", \"limit\": 400}"},
      {"massProperties", "{\"limit\": 123}"},
  };
  cloud c = make_cloud(12, BALLS, 40);
  rig r = with_cloud(&c);
  for (size_t q = 0; q < sizeof questions / sizeof questions[0]; q++) {
    char path[64];
    snprintf(path, sizeof path, "/v1/scenes/s/query/%s", questions[q][0]);
    r.order = RIG_FORWARD;
    rig_reply forward = rig_ask(&r, "POST", path, questions[q][1]);
    size_t needed = r.ranges;
    r.order = RIG_BACKWARD;
    rig_reply backward = rig_ask(&r, "POST", path, questions[q][1]);
    CHECK_INT(forward.status, 200);
    CHECK_TEXT(backward.body, forward.body);
    CHECK(r.ranges >= needed);
    r.order = RIG_SERIAL;
    rig_reply serial = rig_ask(&r, "POST", path, questions[q][1]);
    CHECK_TEXT(serial.body, forward.body);
    rig_free(&serial);
    if (q == 2 && needed < 4) CHECK_FAIL("only %zu ranges: nothing was tried", needed);
    rig_free(&forward);
    rig_free(&backward);
  }
  rig_close(&r);
}

/* Requests page after page and appends the results to a list; returns the number of pages. */
static size_t join_pages(rig *r, const char *path, const char *request, json_t *joined) {
  json_t *question = json_loads(request, 0, NULL);
  size_t pages = 0;
  json_int_t total = 0;
  for (bool more = true; more && pages < 2000; pages++) {
    char *body = json_dumps(question, 0);
    rig_reply reply = rig_ask(r, "POST", path, body);
    free(body);
    if (reply.status != 200)
      CHECK_FAIL("page %zu of %s is %d: %s", pages, path, reply.status, reply.body);
    json_array_extend(joined, json_object_get(reply.json, "results"));
    json_t *next = json_object_get(reply.json, "nextCursor");
    more = next != NULL;
    CHECK(more == json_is_true(json_object_get(reply.json, "truncated")));
    CHECK(more != json_is_true(json_object_get(reply.json, "complete")));
    json_t *of_all = json_object_get(reply.json, "total");
    if (pages == 0) total = json_integer_value(of_all);
    CHECK(json_is_integer(of_all) && json_integer_value(of_all) == total);
    if (more) json_object_set(question, "cursor", next);
    rig_free(&reply);
    /* The scene changes between pages; the pages do not. */
    if (pages == 0)
      rig_must(r, "PATCH", "/v1/scenes/s/poses",
               "{\"ids\": [\"n001\"], \"positions\": [[900, 0, 0]]}", 200);
    rig_scene *s = rig_find(r, "s");
    while (s->kept_count > 1) ct_scene_release(s->kept[--s->kept_count]);
  }
  json_decref(question);
  return pages;
}

static void pages_of_any_size_join_to_the_whole_answer(void) {
  static const char *const questions[][2] = {
      {"pairs", ""},
      {"overlap", ""},
      {"distance", ", \"clearance\": 0.5"},
      {"distance", ", \"pairs\": [[\"n005\", \"n001\"], [\"n001\", \"n005\"], [\"n002\", "
                   "\"n003\"], [\"n005\", \"n001\"]]"},
      {"distance", ", \"clearance\": 0.5, \"where\": {\"a\": {\"ids\": [\"n001\", \"n002\"]}}"},
      {"massProperties", ""},
      {"massProperties", ", \"bodies\": [\"n005\", \"n001\", \"n005\"]"},
  };
  static const int limits[] = {1, 2, 3, 10, 64, 100000};
  cloud c = make_cloud(13, 60, 24);
  for (size_t q = 0; q < sizeof questions / sizeof questions[0]; q++) {
    rig r = with_cloud(&c);
    char path[64], body[300];
    snprintf(path, sizeof path, "/v1/scenes/s/query/%s", questions[q][0]);
    snprintf(body, sizeof body, "{\"limit\": 100000%s}", questions[q][1]);
    rig_reply whole = rig_ask(&r, "POST", path, body);
    size_t total = json_array_size(json_object_get(whole.json, "results"));
    rig_close(&r);
    for (size_t l = 0; l < sizeof limits / sizeof limits[0]; l++) {
      rig fresh = with_cloud(&c);
      fresh.order = l % 2 ? RIG_BACKWARD : RIG_FORWARD;
      json_t *joined = json_array();
      snprintf(body, sizeof body, "{\"limit\": %d%s}", limits[l], questions[q][1]);
      size_t pages = join_pages(&fresh, path, body, joined);
      if (!json_equal(joined, json_object_get(whole.json, "results")))
        CHECK_FAIL("%s by %d: %zu results, should be %zu", path, limits[l], json_array_size(joined),
                   total);
      size_t wanted = (total + (size_t)limits[l] - 1) / (size_t)limits[l];
      CHECK_INT(pages, wanted ? wanted : 1);
      json_decref(joined);
      rig_close(&fresh);
    }
    rig_free(&whole);
  }
}

/* The results of an answer with variants as [[variant, a, b], ...], each once. */
static void flatten(json_t *results, json_t *out) {
  size_t v, i;
  json_t *variant, *result;
  json_array_foreach(results, v, variant) {
    json_array_foreach(json_object_get(variant, "results"), i, result) {
      json_array_append_new(out,
                            json_pack("[OOO]", json_object_get(variant, "variant"),
                                      json_object_get(result, "a"), json_object_get(result, "b")));
    }
  }
}

static void pages_of_variants_join_to_the_whole_answer(void) {
  static const char variants[] = "\"variants\": [{\"ids\": [\"n001\"], \"positions\": [[1, 1, "
                                 "1]]}, {\"ids\": [\"n001\"], \"positions\": [[500, 1, 1]]}, "
                                 "{\"ids\": [], \"positions\": []}, {\"ids\": [\"n002\", "
                                 "\"n001\"], \"positions\": [[1, 1, 1], [2, 1, 1]]}]";
  cloud c = make_cloud(14, 30, 16);
  rig r = with_cloud(&c);
  char body[500];
  snprintf(body, sizeof body, "{%s}", variants);
  rig_reply whole = rig_ask(&r, "POST", "/v1/scenes/s/query/overlap", body);
  json_t *wanted = json_array();
  flatten(json_object_get(whole.json, "results"), wanted);
  CHECK_INT(json_array_size(json_object_get(whole.json, "results")), 4);
  CHECK(json_array_size(wanted) > 30);
  for (int limit = 1; limit < 40; limit += 6) {
    rig fresh = with_cloud(&c);
    json_t *pages = json_array(), *joined = json_array();
    snprintf(body, sizeof body, "{\"limit\": %d, %s}", limit, variants);
    join_pages(&fresh, "/v1/scenes/s/query/overlap", body, pages);
    flatten(pages, joined);
    if (!json_equal(joined, wanted))
      CHECK_FAIL("by %d: %zu, should be %zu", limit, json_array_size(joined),
                 json_array_size(wanted));
    json_decref(pages);
    json_decref(joined);
    rig_close(&fresh);
  }
  json_decref(wanted);
  rig_free(&whole);
  rig_close(&r);
}

static void a_variant_is_answered_as_the_scene_would_be_after_the_move(void) {
  cloud c = make_cloud(15, 40, 20);
  rig r = with_cloud(&c);
  const char *move = "{\"ids\": [\"n003\", \"n007\"], \"positions\": [[1, 1, 1], [1.5, 1, 1]], "
                     "\"rotations\": [[0, 0, 1, 0], [0, 0, 0, 1]]}";
  char body[500];
  snprintf(body, sizeof body,
           "{\"clearance\": 1, \"variants\": [{\"ids\": [], \"positions\": []}, %s]}", move);
  rig_reply variants = rig_ask(&r, "POST", "/v1/scenes/s/query/distance", body);
  snprintf(body, sizeof body, "{\"clearance\": 1, \"poses\": %s}", move);
  rig_reply poses = rig_ask(&r, "POST", "/v1/scenes/s/query/distance", body);
  rig_reply before = rig_ask(&r, "POST", "/v1/scenes/s/query/distance", "{\"clearance\": 1}");
  rig_must(&r, "PATCH", "/v1/scenes/s/poses", move, 200);
  rig_reply after = rig_ask(&r, "POST", "/v1/scenes/s/query/distance", "{\"clearance\": 1}");
  json_t *first = json_object_get(rig_result(&variants, 0), "results"),
         *second = json_object_get(rig_result(&variants, 1), "results");
  CHECK(json_equal(first, json_object_get(before.json, "results")));
  CHECK(json_equal(second, json_object_get(after.json, "results")));
  CHECK(json_equal(json_object_get(poses.json, "results"), json_object_get(after.json, "results")));
  CHECK(!json_equal(first, second));
  rig_free(&variants);
  rig_free(&poses);
  rig_free(&before);
  rig_free(&after);
  rig_close(&r);
}

static void variants_lie_over_the_poses_of_their_question(void) {
  rig r = rig_open();
  rig_must(&r, "PUT", "/v1/scenes/s",
           "{\"bodies\": [{\"id\": \"a\", \"colliders\": [{\"sphere\": {\"radius\": 1}}]},"
           " {\"id\": \"b\", \"colliders\": [{\"sphere\": {\"radius\": 1}}]}, {\"id\": \"c\", "
           "\"colliders\": [{\"sphere\": "
           "{\"radius\": 1}}]}]}",
           201);
  rig_reply reply =
      rig_ask(&r, "POST", "/v1/scenes/s/query/distance",
              "{\"pairs\": [[\"a\", \"b\"], [\"a\", \"c\"]],"
              " \"poses\": {\"ids\": [\"c\", \"b\"], \"positions\": [[5, 0, 0], [3, 0, 0]]},"
              " \"variants\": [{\"ids\": [\"a\"], \"positions\": [[-1, 0, 0]]}, {\"ids\": [\"b\"], "
              "\"positions\": [[4, 0, 0]]}]}");
  const double wanted[2][2] = {{2, 4}, {2, 3}};
  for (size_t v = 0; v < 2; v++)
    for (size_t p = 0; p < 2; p++)
      CHECK_NEAR(rig_number(json_array_get(json_object_get(rig_result(&reply, v), "results"), p),
                            "distance"),
                 wanted[v][p], 0.0);
  rig_free(&reply);
  rig_close(&r);
}

/* Random convex pairs, answered alone and from a scene: the texts are equal. */
static void a_stateless_pair_has_the_bytes_of_the_same_pair_in_a_scene(void) {
  static const char *const shapes[] = {
      "{\"sphere\": {\"radius\": 0.5}, %s}", "{\"box\": {\"size\": [1, 0.5, 0.25]}, %s}",
      "{\"capsule\": {\"radius\": 0.25, \"height\": 1}, %s}",
      "{\"convex\": {\"vertices\": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}, %s}",
      "{\"plane\": {}, %s}"};
  check_random random = {16};
  for (int round = 0; round < 200; round++) {
    char shape[2][500], pose[300], body[1200];
    for (int s = 0; s < 2; s++) {
      double q[4], n = 0.0;
      for (int k = 0; k < 4; k++) q[k] = check_uniform(&random, -1, 1);
      for (int k = 0; k < 4; k++) n += q[k] * q[k];
      for (int k = 0; k < 4; k++) q[k] /= sqrt(n);
      snprintf(pose, sizeof pose,
               "\"position\": [%.17g, %.17g, %.17g], \"rotation\": [%.17g, %.17g, %.17g, %.17g]",
               check_uniform(&random, -1, 1), check_uniform(&random, -1, 1),
               check_uniform(&random, -1, 1), q[0], q[1], q[2], q[3]);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
      snprintf(shape[s], sizeof shape[s], shapes[check_next(&random) % 5], pose);
#pragma GCC diagnostic pop
    }
    rig r = rig_open();
    snprintf(body, sizeof body,
             "{\"bodies\": [{\"id\": \"a\", \"colliders\": [%s]}, {\"id\": \"b\", \"colliders\": "
             "[%s]}]}",
             shape[0], shape[1]);
    rig_must(&r, "PUT", "/v1/scenes/s", body, 201);
    static const char *const kinds[] = {"overlap", "distance", "pairs"};
    for (int k = 0; k < 3; k++) {
      char path[64];
      snprintf(path, sizeof path, "/v1/scenes/s/query/%s", kinds[k]);
      rig_reply kept = rig_ask(&r, "POST", path, "{\"pairs\": [[\"a\", \"b\"]]}");
      snprintf(path, sizeof path, "/v1/query/%s", kinds[k]);
      snprintf(body, sizeof body, "{\"a\": {\"colliders\": [%s]}, \"b\": {\"colliders\": [%s]}}",
               shape[0], shape[1]);
      rig_reply free_one = rig_ask(&r, "POST", path, body);
      CHECK_INT(free_one.status, 200);
      CHECK_TEXT(strstr(free_one.body, "\"results\""), strstr(kept.body, "\"results\""));
      rig_free(&kept);
      rig_free(&free_one);
    }
    rig_close(&r);
  }
}

static void the_short_form_is_a_body_of_one_collider(void) {
  rig r = rig_open();
  rig_reply brief = rig_ask(&r, "POST", "/v1/query/distance",
                            "{\"a\": {\"box\": {\"size\": [1, 1, 1]}}, \"b\": {\"sphere\": "
                            "{\"radius\": 0.5}, \"position\": [3, 0, 0]}}");
  rig_reply full = rig_ask(
      &r, "POST", "/v1/query/distance",
      "{\"a\": {\"colliders\": [{\"box\": {\"size\": [1, 1, 1]}}]}, "
      "\"b\": {\"position\": [3, 0, 0], \"colliders\": [{\"sphere\": {\"radius\": 0.5}}]}}");
  CHECK_TEXT(brief.body, full.body);
  CHECK_NEAR(rig_number(rig_result(&brief, 0), "distance"), 2.0, 0.0);
  CHECK(!json_object_get(brief.json, "revision"));
  rig_free(&brief);
  rig_free(&full);
  rig_close(&r);
}

static void a_compound_answers_with_its_extreme_collider(void) {
  rig r = rig_open();
  rig_reply reply =
      rig_ask(&r, "POST", "/v1/query/distance",
              "{\"a\": {\"id\": \"dumbbell\", \"colliders\": [{\"sphere\": {\"radius\": 1}, "
              "\"position\": [-3, 0, 0]}, "
              "{\"id\": \"right\", \"sphere\": {\"radius\": 1}, \"position\": [3, 0, 0]}]}, "
              "\"b\": {\"sphere\": {\"radius\": 1}, \"position\": [7, 0, 0]}}");
  json_t *result = rig_result(&reply, 0);
  CHECK_TEXT(json_string_value(json_object_get(result, "a")), "dumbbell");
  CHECK_TEXT(json_string_value(json_object_get(result, "b")), "b");
  CHECK_TEXT(json_string_value(json_object_get(result, "colliderA")), "right");
  CHECK(!json_object_get(result, "colliderB"));
  CHECK_NEAR(rig_number(result, "distance"), 2.0, 0.0);
  rig_free(&reply);
  rig_refused(&r, "POST", "/v1/query/distance",
              "{\"a\": {\"id\": \"x\", \"colliders\": [{\"sphere\": {\"radius\": 1}}]}, \"b\": "
              "{\"id\": \"x\", \"colliders\": "
              "[{\"sphere\": {\"radius\": 1}}]}}",
              (rig_fault){422, "duplicate-id", "/b"});
  rig_close(&r);
}

static void half_spaces_that_meet_overlap_without_a_depth(void) {
  rig r = rig_open();
  rig_reply reply =
      rig_ask(&r, "POST", "/v1/query/distance",
              "{\"a\": {\"plane\": {}}, \"b\": {\"plane\": {}, \"position\": [0, 0, -1]}}");
  json_t *result = rig_result(&reply, 0);
  CHECK_TEXT(json_string_value(json_object_get(result, "status")), "unsupported");
  CHECK(json_is_true(json_object_get(result, "overlap")));
  CHECK(!json_object_get(result, "distance") && !json_object_get(result, "normal") &&
        !json_object_get(result, "depthKind"));
  rig_free(&reply);
  reply = rig_ask(&r, "POST", "/v1/query/distance",
                  "{\"a\": {\"plane\": {}}, \"b\": {\"plane\": {}, \"position\": [0, 0, 3], "
                  "\"rotation\": [1, 0, 0, 0]}}");
  result = rig_result(&reply, 0);
  CHECK_TEXT(json_string_value(json_object_get(result, "status")), "ok");
  CHECK_NEAR(rig_number(result, "distance"), 3.0, 0.0);
  rig_free(&reply);
  rig_close(&r);
}

static void raw_boxes_are_listed_in_full(void) {
  rig r = rig_open();
  rig_reply reply = rig_ask(&r, "POST", "/v1/query/pairs",
                            "{\"boxes\": [[0, 0, 0, 1, 1, 1], [1, 1, 1, 2, 2, 2], [2.5, 0, 0, 3, "
                            "1, 1], [0, 0, 0, 9, 9, 9]], \"broadphase\": \"tree\"}");
  CHECK(strstr(reply.body, "\"pairs\":[[0,1],[0,3],[1,3],[2,3]]}") != NULL);
  CHECK_INT(rig_number(reply.json, "count"), 4);
  CHECK_TEXT(json_string_value(json_object_get(reply.json, "broadphase")), "tree");
  rig_free(&reply);
  rig_must(&r, "POST", "/v1/query/pairs", "{\"boxes\": []}", 200);
  rig_refused(&r, "POST", "/v1/query/pairs", "{\"boxes\": [[0, 0, 0, 1, 1]]}",
              (rig_fault){422, "wrong-type", "/boxes/0"});
  rig_refused(&r, "POST", "/v1/query/pairs", "{\"boxes\": [[0, 0, 0, 1, -1, 1]]}",
              (rig_fault){422, "bad-value", "/boxes/0/1"});
  rig_must(&r, "POST", "/v1/query/pairs", "{\"boxes\": [], \"limit\": 5}", 200);
  rig_refused(&r, "POST", "/v1/query/overlap", "{\"boxes\": []}",
              (rig_fault){422, "unknown-member", "/boxes"});
  rig_close(&r);
}

static void more_candidates_than_the_limit_are_refused_unless_a_page_needs_fewer(void) {
  api_limits limits = rig_limits();
  limits.pairs = 100;
  rig r = rig_open_with(&limits);
  cloud c = make_cloud(17, 60, 4);
  char *document = cloud_document(&c);
  rig_must(&r, "PUT", "/v1/scenes/s", document, 201);
  free(document);
  rig_refused(&r, "POST", "/v1/scenes/s/query/pairs", "{}", (rig_fault){422, "pair-limit", ""});
  r.order = RIG_BACKWARD;
  rig_refused(&r, "POST", "/v1/scenes/s/query/distance", "{}", (rig_fault){422, "pair-limit", ""});
  rig_must(&r, "POST", "/v1/scenes/s/query/distance", "{\"limit\": 50}", 200);
  rig_refused(&r, "POST", "/v1/query/pairs",
              "{\"boxes\": [[0,0,0,1,1,1], [0,0,0,1,1,1], [0,0,0,1,1,1], [0,0,0,1,1,1], "
              "[0,0,0,1,1,1], [0,0,0,1,1,1], "
              "[0,0,0,1,1,1], [0,0,0,1,1,1],"
              " [0,0,0,1,1,1], [0,0,0,1,1,1], [0,0,0,1,1,1], [0,0,0,1,1,1], [0,0,0,1,1,1], "
              "[0,0,0,1,1,1], [0,0,0,1,1,1]]}",
              (rig_fault){422, "pair-limit", "/boxes"});
  rig_close(&r);
}

/* Every pair is a hit, so a page evaluates one candidate more than it has results; ranges of about
 * one row evaluate more. Rows of deleted bodies shift the ranges. */
static void a_page_at_the_limit_of_candidates_does_not_depend_on_the_cut(void) {
  static const size_t pages[] = {1, 298, 299, 500, 1000};
  cloud c = make_cloud(18, BALLS, 4);
  char *document = cloud_document(&c);
  for (size_t k = 0; k < 2 * sizeof pages / sizeof pages[0]; k++) {
    api_limits limits = rig_limits();
    limits.pairs = pages[k / 2] + k % 2;
    for (int holes = 0; holes < 2; holes++) {
      rig r = rig_open_with(&limits);
      rig_must(&r, "PUT", "/v1/scenes/s", document, 201);
      for (size_t i = 0; holes && i < 12; i++) {
        char path[64];
        snprintf(path, sizeof path, "/v1/scenes/s/bodies/n%03zu", 7 * i);
        rig_must(&r, "DELETE", path, "", 200);
      }
      for (int variants = 0; variants < 2; variants++) {
        char question[128];
        snprintf(question, sizeof question, "{\"limit\":%zu%s}", pages[k / 2],
                 variants
                     ? ",\"variants\":[{\"ids\":[],\"positions\":[]},{\"ids\":[],\"positions\":[]}]"
                     : "");
        r.order = holes ? RIG_BACKWARD : RIG_FORWARD;
        rig_reply reply = rig_ask(&r, "POST", "/v1/scenes/s/query/distance", question);
        CHECK_INT(reply.status, k % 2 ? 200 : 422);
        rig_free(&reply);
      }
      rig_close(&r);
    }
  }
  free(document);
}

static void questions_never_write(void) {
  cloud c = make_cloud(18, 20, 8);
  rig r = with_cloud(&c);
  const ct_scene *before = rig_find(&r, "s")->current;
  rig_must(&r, "POST", "/v1/scenes/s/query/distance",
           "{\"poses\": {\"ids\": [\"n001\"], \"positions\": [[0, 0, 0]]}}", 200);
  rig_must(&r, "POST", "/v1/scenes/s/query/overlap", "{\"limit\": 1}", 200);
  CHECK(rig_find(&r, "s")->current == before);
  rig_close(&r);
}

static void if_match_pins_a_question_to_a_revision_that_is_kept(void) {
  rig r = rig_open();
  cloud c = make_cloud(19, 10, 4);
  char *document = cloud_document(&c);
  rig_must(&r, "PUT", "/v1/scenes/s", document, 201);
  free(document);
  rig_must(&r, "POST", "/v1/scenes/s/query/overlap", "{\"limit\": 1}", 200);
  rig_must(&r, "PUT", "/v1/scenes/s", "{}", 200);
  api_head head = {
      .method = "POST", .path = "/v1/scenes/s/query/massProperties", .if_match = "\"r1\""};
  rig_reply reply = rig_send(&r, &head, "{}", 2, 0);
  CHECK_INT(reply.status, 200);
  CHECK_TEXT(reply.etag, "\"r1\"");
  CHECK_INT(rig_number(reply.json, "count"), 10);
  rig_free(&reply);
  head.if_match = "\"r2\"";
  reply = rig_send(&r, &head, "{}", 2, 0);
  CHECK_INT(rig_number(reply.json, "count"), 0);
  rig_free(&reply);
  head.if_match = "\"r3\"";
  rig_problem(&r, &head, "{}", (rig_fault){412, "revision-mismatch", NULL});
  rig_close(&r);
}

static void a_cursor_is_bound_to_its_request_and_gone_with_its_revision(void) {
  cloud c = make_cloud(20, 30, 8);
  rig r = with_cloud(&c);
  rig_reply reply = rig_ask(&r, "POST", "/v1/scenes/s/query/overlap",
                            "{\"limit\": 2, \"where\": {\"a\": {\"prefix\": \"n00\"}}}");
  const char *cursor = json_string_value(json_object_get(reply.json, "nextCursor"));
  char body[300];
  snprintf(body, sizeof body, "{\"cursor\": \"%s\", \"where\": {\"a\": {\"prefix\": \"n01\"}}}",
           cursor);
  rig_refused(&r, "POST", "/v1/scenes/s/query/overlap", body,
              (rig_fault){422, "bad-cursor", "/cursor"});
  snprintf(body, sizeof body, "{\"cursor\": \"%s\", \"where\": {\"a\": {\"prefix\": \"n00\"}}}",
           cursor);
  rig_refused(&r, "POST", "/v1/scenes/s/query/pairs", body,
              (rig_fault){422, "bad-cursor", "/cursor"});
  rig_must(&r, "POST", "/v1/scenes/s/query/overlap", body, 200);
  rig_must(&r, "PATCH", "/v1/scenes/s", "{\"user\": 1}", 200);
  rig_must(&r, "POST", "/v1/scenes/s/query/overlap", body, 200);
  rig_scene *s = rig_find(&r, "s");
  while (s->kept_count > 0) ct_scene_release(s->kept[--s->kept_count]);
  rig_refused(&r, "POST", "/v1/scenes/s/query/overlap", body,
              (rig_fault){410, "revision-gone", NULL});
  rig_free(&reply);
  rig_close(&r);
}

static void a_raised_cancel_flag_is_a_deadline(void) {
  cloud c = make_cloud(21, 100, 20);
  rig r = with_cloud(&c);
  r.cancel = ct_cancel_create();
  ct_cancel_raise(r.cancel);
  static const char *const paths[] = {"/v1/scenes/s/query/distance",
                                      "/v1/scenes/s/query/massProperties", "/v1/query/distance"};
  for (int i = 0; i < 3; i++)
    rig_refused(
        &r, "POST", paths[i],
        i < 2 ? "{}"
              : "{\"a\": {\"sphere\": {\"radius\": 1}}, \"b\": {\"sphere\": {\"radius\": 1}}}",
        (rig_fault){504, "deadline-exceeded", NULL});
  ct_cancel_destroy(r.cancel);
  rig_close(&r);
}

static void the_deadline_is_the_requests_own_or_the_default(void) {
  cloud c = make_cloud(22, 3, 8);
  rig r = with_cloud(&c);
  rig_reply reply = rig_ask(&r, "POST", "/v1/scenes/s/query/distance", "{\"deadlineMs\": 70}");
  CHECK_INT(reply.deadline_ms, 70);
  rig_free(&reply);
  reply = rig_ask(&r, "POST", "/v1/scenes/s/query/distance", "{}");
  CHECK_INT(reply.deadline_ms, 5000);
  rig_free(&reply);
  rig_close(&r);
}

static void members_out_of_place_are_refused(void) {
  static const struct {
    const char *path, *body;
    rig_fault fault;
  } rows[] = {
      {"/v1/scenes/s/query/distance", "[]", {422, "wrong-type", ""}},
      {"/v1/scenes/s/query/distance", "{\"clearence\": 1}", {422, "unknown-member", "/clearence"}},
      {"/v1/scenes/s/query/distance", "{\"a\": {}}", {422, "unknown-member", "/a"}},
      {"/v1/scenes/s/query/distance", "{\"bodies\": []}", {422, "unknown-member", "/bodies"}},
      {"/v1/scenes/s/query/massProperties", "{\"pairs\": []}", {422, "unknown-member", "/pairs"}},
      {"/v1/scenes/s/query/overlap", "{\"tolerance\": 1}", {422, "unknown-member", "/tolerance"}},
      {"/v1/scenes/s/query/distance", "{\"clearance\": -1}", {422, "out-of-range", "/clearance"}},
      {"/v1/scenes/s/query/distance", "{\"clearance\": \"1\"}", {422, "wrong-type", "/clearance"}},
      {"/v1/scenes/s/query/distance", "{\"limit\": 0}", {422, "out-of-range", "/limit"}},
      {"/v1/scenes/s/query/distance",
       "{\"deadlineMs\": 600001}",
       {422, "out-of-range", "/deadlineMs"}},
      {"/v1/scenes/s/query/distance",
       "{\"broadphase\": \"grd\"}",
       {422, "bad-value", "/broadphase"}},
      {"/v1/scenes/s/query/distance",
       "{\"pairs\": [[\"n001\", \"n001\"]]}",
       {422, "bad-value", "/pairs/0"}},
      {"/v1/scenes/s/query/distance",
       "{\"pairs\": [], \"where\": {}}",
       {422, "conflicting-members", "/where"}},
      {"/v1/scenes/s/query/distance", "{\"pairs\": [[\"n001\"]]}", {422, "wrong-type", "/pairs/0"}},
      {"/v1/scenes/s/query/distance",
       "{\"pairs\": [[\"n001\", \"x\"]]}",
       {422, "unknown-id", "/pairs/0/1"}},
      {"/v1/scenes/s/query/distance",
       "{\"where\": {\"a\": {\"ids\": [], \"prefix\": \"\"}}}",
       {422, "conflicting-members", "/where/a"}},
      {"/v1/scenes/s/query/distance",
       "{\"where\": {\"b\": {\"ids\": [\"x\"]}}}",
       {422, "unknown-id", "/where/b/ids/0"}},
      {"/v1/scenes/s/query/distance",
       "{\"where\": {\"c\": {}}}",
       {422, "unknown-member", "/where/c"}},
      {"/v1/scenes/s/query/distance",
       "{\"variants\": [{\"ids\": [\"x\"], \"positions\": [[0, 0, 0]]}]}",
       {422, "unknown-id", "/variants/0/ids/0"}},
      {"/v1/scenes/s/query/distance",
       "{\"cursor\": \"1-0-0-0-0\"}",
       {422, "bad-cursor", "/cursor"}},
      {"/v1/query/distance", "{}", {422, "missing-member", ""}},
      {"/v1/query/distance", "{\"a\": {\"sphere\": {\"radius\": 1}}}", {422, "missing-member", ""}},
      {"/v1/query/distance", "{\"a\": {}, \"b\": {}}", {422, "missing-member", NULL}},
      {"/v1/query/distance",
       "{\"a\": {\"sphere\": {\"radius\": 1}}, \"b\": {\"sphere\": {\"radius\": 1}}, \"limit\": 1}",
       {422, "conflicting-members", "/limit"}},
      {"/v1/query/distance",
       "{\"scene\": {}, \"a\": {\"sphere\": {\"radius\": 1}}}",
       {422, "conflicting-members", "/a"}},
      {"/v1/query/distance",
       "{\"scene\": {\"bodies\": [{\"id\": \"p\"}]}}",
       {422, "missing-member", NULL}},
      {"/v1/query/massProperties",
       "{\"b\": {\"sphere\": {\"radius\": 1}}}",
       {422, "missing-member", NULL}},
  };
  cloud c = make_cloud(23, 3, 8);
  rig r = with_cloud(&c);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    rig_refused(&r, "POST", rows[i].path, rows[i].body, rows[i].fault);
  rig_close(&r);
}

static void mass_properties_are_of_the_body_frame(void) {
  rig r = rig_open();
  rig_reply reply = rig_ask(&r, "POST", "/v1/query/massProperties",
                            "{\"a\": {\"position\": [9, 9, 9], \"motion\": {\"mass\": 12}, "
                            "\"colliders\": [{\"box\": {\"size\": "
                            "[1, 2, 3]}, \"position\": [0, 0, 1]}]},"
                            " \"b\": {\"sphere\": {\"radius\": 1}}}");
  json_t *box = rig_result(&reply, 0), *ball = rig_result(&reply, 1);
  CHECK_NEAR(rig_number(box, "mass"), 12, 0);
  CHECK_NEAR(rig_number(box, "volume"), 6, 0);
  CHECK_NEAR(json_number_value(json_array_get(json_object_get(box, "centerOfMass"), 2)), 1, 0);
  const double moments[] = {13, 10, 5};
  for (size_t i = 0; i < 3; i++)
    CHECK_NEAR(json_number_value(json_array_get(json_object_get(box, "principalMoments"), i)),
               moments[i], 1e-14);
  CHECK(!json_object_get(box, "flags"));
  CHECK_TEXT(json_string_value(json_object_get(ball, "id")), "b");
  CHECK_NEAR(rig_number(ball, "mass"), 1000.0 * 4.0 / 3.0 * 3.14159265358979323846, 1e-9);
  CHECK_TEXT(json_string_value(json_array_get(json_object_get(ball, "flags"), 0)),
             "densityAssumed");
  rig_free(&reply);
  reply = rig_ask(&r, "POST", "/v1/query/massProperties", "{\"a\": {\"plane\": {}}}");
  CHECK(strstr(reply.body, "\"results\":[{\"id\":\"a\",\"status\":\"unsupported\"}]") != NULL);
  rig_free(&reply);
  rig_close(&r);
}

static const check_test tests[] = {
    {"all_pairs_within_clearance_are_found_in_order",
     all_pairs_within_clearance_are_found_in_order},
    {"the_order_in_which_ranges_run_does_not_show", the_order_in_which_ranges_run_does_not_show},
    {"pages_of_any_size_join_to_the_whole_answer", pages_of_any_size_join_to_the_whole_answer},
    {"pages_of_variants_join_to_the_whole_answer", pages_of_variants_join_to_the_whole_answer},
    {"a_variant_is_answered_as_the_scene_would_be_after_the_move",
     a_variant_is_answered_as_the_scene_would_be_after_the_move},
    {"variants_lie_over_the_poses_of_their_question",
     variants_lie_over_the_poses_of_their_question},
    {"a_stateless_pair_has_the_bytes_of_the_same_pair_in_a_scene",
     a_stateless_pair_has_the_bytes_of_the_same_pair_in_a_scene},
    {"the_short_form_is_a_body_of_one_collider", the_short_form_is_a_body_of_one_collider},
    {"a_compound_answers_with_its_extreme_collider", a_compound_answers_with_its_extreme_collider},
    {"half_spaces_that_meet_overlap_without_a_depth",
     half_spaces_that_meet_overlap_without_a_depth},
    {"raw_boxes_are_listed_in_full", raw_boxes_are_listed_in_full},
    {"a_page_at_the_limit_of_candidates_does_not_depend_on_the_cut",
     a_page_at_the_limit_of_candidates_does_not_depend_on_the_cut},
    {"more_candidates_than_the_limit_are_refused_unless_a_page_needs_fewer",
     more_candidates_than_the_limit_are_refused_unless_a_page_needs_fewer},
    {"questions_never_write", questions_never_write},
    {"if_match_pins_a_question_to_a_revision_that_is_kept",
     if_match_pins_a_question_to_a_revision_that_is_kept},
    {"a_cursor_is_bound_to_its_request_and_gone_with_its_revision",
     a_cursor_is_bound_to_its_request_and_gone_with_its_revision},
    {"a_raised_cancel_flag_is_a_deadline", a_raised_cancel_flag_is_a_deadline},
    {"the_deadline_is_the_requests_own_or_the_default",
     the_deadline_is_the_requests_own_or_the_default},
    {"members_out_of_place_are_refused", members_out_of_place_are_refused},
    {"mass_properties_are_of_the_body_frame", mass_properties_are_of_the_body_frame},
};
CHECK_MAIN(tests)
