/* Calls without memory: each allocation of a call fails in turn, alone or with all later ones. The
 * call ends with its usual reply or with out-of-memory, the scene is the one before or after the
 * write, and nothing leaks. */
#include "tests/support/api_rig.h"
#include "tests/support/failing_malloc.h"

#define BODY(id, x)                                                                                \
  "{\"id\": \"" id "\", \"position\": [" x                                                         \
  ", 0, 0], \"motion\": {\"mass\": 1}, \"groups\": [\"g\"], \"user\": [1, {}],"                    \
  " \"colliders\": [{\"convex\": {\"vertices\": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}}, "  \
  "{\"sphere\": {\"radius\": 0.5}}]}"
#define SCENE                                                                                      \
  "{\"bodies\": [" BODY("a", "0") ", " BODY("b", "0.5") ", " BODY(                                 \
      "c", "3") "], \"user\": {\"k\": 1},"                                                         \
                " \"filters\": {\"groups\": {\"g\": {\"notCollideWith\": [\"h\"]}}, \"pairs\": "   \
                "[{\"a\": \"a\", \"b\": \"c\", "                                                   \
                "\"collide\": false}]}}"

/* Bodies whose overlap needs EPA, or queues of mesh pairs. */
#define POINTS                                                                                     \
  "[[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1], [0.6, 0.6, 0.6], [-0.6, " \
  "0.5, -0.6]]"
#define GEM "{\"convex\": {\"vertices\": " POINTS "}}"
#define TURN "\"position\": [0.3, 0.2, 0.1], \"rpy\": [0.1, 0.2, 0.3]"
#define GEM_TURNED "{\"convex\": {\"vertices\": " POINTS "}, " TURN "}"
#define CAN "{\"cylinder\": {\"radius\": 1, \"height\": 2}}"
#define HORN "{\"cone\": {\"radius\": 1, \"height\": 2}, " TURN "}"
#define EGG "{\"ellipsoid\": {\"radii\": [0.5, 0.7, 0.9]}, \"position\": [0.1, 0.2, 0.3]}"
#define CRATE                                                                                      \
  "{\"mesh\": {\"vertices\": [[0,0,0],[1,0,0],[0,1,0],[0,0,1]], \"triangles\": "                   \
  "[[0,2,1],[0,1,3],[0,3,2],[1,2,3]]}}"
#define WEDGES                                                                                     \
  "{\"tetmesh\": {\"vertices\": [[0,0,0],[1,0,0],[0,1,0],[0,0,1],[1,1,1]], \"tetrahedra\": "       \
  "[[0,1,2,3],[1,4,2,3]]}}"
#define GEMS                                                                                       \
  "{\"bodies\": [{\"id\": \"a\", \"colliders\": [" GEM "]}, {\"id\": \"b\", " TURN                 \
  ", \"colliders\": [" GEM "]}, "                                                                  \
  "{\"id\": \"c\", \"position\": [0.5, 0.5, 0.5], \"colliders\": [" CAN "]}]}"
#define GEMS_LOOSE                                                                                 \
  "{\"bodies\": [{\"id\": \"a\", \"colliders\": [" GEM "]}, {\"id\": \"b\", " TURN                 \
  ", \"motion\": {\"mass\": 1}, \"colliders\": [" CAN "]}, "                                       \
  "{\"id\": \"c\", \"position\": [0, 0, 8], \"motion\": {\"mass\": 1}, \"colliders\": [" GEM       \
  "]}]}"

typedef struct request {
  const char *method, *path, *type, *body;
} request;

static const request requests[] = {
    {"POST", "/v1/scenes", NULL, SCENE},
    {"PUT", "/v1/scenes/s", NULL, SCENE},
    {"PATCH", "/v1/scenes/s", NULL,
     "{\"user\": {\"k\": 2}, \"filters\": {\"groups\": {\"h\": {\"notCollideWith\": [\"h\"]}}}}"},
    {"GET", "/v1/scenes", NULL, NULL},
    {"GET", "/v1/scenes/s", NULL, NULL},
    {"DELETE", "/v1/scenes/s", NULL, NULL},
    {"GET", "/v1/scenes/s/bodies?limit=1", NULL, NULL},
    {"POST", "/v1/scenes/s/bodies", NULL, "[" BODY("d", "4") ", " BODY("e", "5") "]"},
    {"POST", "/v1/scenes/s/bodies", "application/x-ndjson",
     BODY("d", "4") "\n" BODY("e", "5") "\n"},
    {"PATCH", "/v1/scenes/s/bodies", NULL, "[{\"id\": \"b\", \"position\": [1, 2, 3]}]"},
    {"PATCH", "/v1/scenes/s/bodies", "application/x-ndjson",
     "{\"id\": \"b\", \"position\": [1, 2, 3]}"},
    {"DELETE", "/v1/scenes/s/bodies?id=a&id=c", NULL, NULL},
    {"PUT", "/v1/scenes/s/bodies/n", NULL, BODY("n", "7")},
    {"PATCH", "/v1/scenes/s/bodies/a", NULL, "{\"colliders\": [{\"box\": {\"size\": [1, 1, 1]}}]}"},
    {"PUT", "/v1/scenes/s/poses", NULL,
     "{\"ids\": [\"c\", \"b\", \"a\"], \"positions\": [[1, 0, 0], [2, 0, 0], [3, 0, 0]]}"},
    {"PUT", "/v1/scenes/s/filters", NULL,
     "{\"pairs\": [{\"a\": \"b\", \"b\": \"c\", \"collide\": false, \"reason\": \"why\"}]}"},
    {"GET", "/v1/scenes/s/filters/effective?a=a&b=c", NULL, NULL},
    {"POST", "/v1/scenes/s/query/pairs", NULL, "{\"broadphase\": \"tree\"}"},
    {"POST", "/v1/scenes/s/query/overlap", NULL,
     "{\"where\": {\"a\": {\"groups\": [\"g\"]}}, \"clearance\": 9, \"limit\": 1}"},
    {"POST", "/v1/scenes/s/query/distance", NULL,
     "{\"clearance\": 9, \"poses\": {\"ids\": [\"b\"], \"positions\": [[8, 0, 0]]}}"},
    {"POST", "/v1/scenes/s/query/distance", NULL,
     "{\"pairs\": [[\"a\", \"b\"]], \"variants\": [{\"ids\": [\"a\"], \"positions\": [[5, 0, "
     "0]]}]}"},
    {"POST", "/v1/scenes/s/query/distance", NULL,
     "{\"pairs\": [[\"a\", \"c\"]], \"include\": [\"gradient\"]}"},
    {"POST", "/v1/scenes/s/query/raycast", NULL,
     "{\"hits\": \"all\", \"broadphase\": \"tree\", \"rays\": [{\"origin\": [-5, 0.1, 0.1], "
     "\"direction\": [1, 0, 0]}]}"},
    {"POST", "/v1/scenes/s/query/nearest", NULL,
     "{\"points\": [[1, 2, 3]], \"k\": 2, \"where\": {\"groups\": [\"g\"]}, \"poses\": {\"ids\": "
     "[\"b\"], \"positions\": [[8, 0, "
     "0]]}}"},
    {"POST", "/v1/scenes/s/query/point", NULL, "{\"points\": [[0.1, 0.1, 0.1]]}"},
    {"POST", "/v1/scenes/s/query/region", NULL,
     "{\"region\": {\"convex\": {\"vertices\": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}}}"},
    {"POST", "/v1/query/raycast", NULL,
     "{\"a\": " BODY("a",
                     "3") ", \"rays\": [{\"origin\": [0, 0.1, 0.1], \"direction\": [1, 0, 0]}]}"},
    {"POST", "/v1/scenes/s/query/sweep", NULL,
     "{\"duration\": 1, \"defaultMotion\": \"twist\", \"poses\": {\"ids\": [\"c\"], \"positions\": "
     "[[0, 4, 0]], "
     "\"linearVelocities\": "
     "[[0, -4, 0]]}, \"motions\": [{\"id\": \"b\", \"torqueFree\": {\"angularVelocity\": [1, 2, "
     "3]}}]}"},
    {"POST", "/v1/scenes/s/query/sweep", NULL,
     "{\"duration\": 1, \"earliest\": true, \"motions\": [{\"id\": \"c\", \"to\": {\"position\": "
     "[0, 0, 0]}}]}"},
    {"POST", "/v1/scenes/s/query/timeline", NULL,
     "{\"duration\": 1, \"limit\": 1, \"motions\": [{\"id\": \"c\", \"to\": {\"position\": [-3, 0, "
     "0]}}]}"},
    {"POST", "/v1/query/sweep", NULL,
     "{\"a\": " CAN ", \"b\": " EGG
     ", \"duration\": 1, \"motionB\": {\"ballistic\": {\"linearAcceleration\": [0, 0, 9]}}}"},
    {"POST", "/v1/scenes/s/query/massProperties", NULL, "{}"},
    {"POST", "/v1/scenes/s/query", NULL,
     "{\"queries\": [{\"id\": \"x\", \"kind\": \"overlap\"}, {\"kind\": \"distance\", \"bad\": "
     "1}]}"},
    {"POST", "/v1/query/distance", NULL,
     "{\"a\": {\"sphere\": {\"radius\": 1}}, \"b\": " BODY("b", "3") "}"},
    {"POST", "/v1/query/overlap", NULL, "{\"scene\": " SCENE "}"},
    {"POST", "/v1/query/distance", NULL, "{\"a\": " GEM ", \"b\": " GEM_TURNED "}"},
    {"POST", "/v1/query/overlap", NULL, "{\"a\": " GEM ", \"b\": " GEM_TURNED "}"},
    {"POST", "/v1/query/distance", NULL, "{\"a\": " CAN ", \"b\": " HORN "}"},
    {"POST", "/v1/query/distance", NULL, "{\"a\": " CRATE ", \"b\": " GEM_TURNED "}"},
    {"POST", "/v1/query/distance", NULL, "{\"scene\": " GEMS "}"},
    {"POST", "/v1/query/contacts", NULL, "{\"scene\": " GEMS "}"},
    {"POST", "/v1/query/volume", NULL, "{\"scene\": " GEMS ", \"triangles\": true}"},
    {"POST", "/v1/query/volume", NULL,
     "{\"scene\": " GEMS ", \"triangles\": true, \"method\": \"solfec\", \"epsilon\": 1e-6, "
     "\"sparsify\": {\"minArea\": 0.1}}"},
    {"POST", "/v1/query/volume", NULL,
     "{\"scene\": " GEMS
     ", \"sparsify\": {}, \"variants\": [{\"ids\": [\"a\"], \"positions\": [[0.5, 0, 0]]}]}"},
    {"POST", "/v1/query/volume", NULL,
     "{\"a\": " WEDGES ", \"b\": " GEM_TURNED ", \"triangles\": true}"},
    {"POST", "/v1/query/volume", NULL, "{\"a\": " CRATE ", \"b\": " GEM_TURNED "}"},
    {"POST", "/v1/query/nearest", NULL, "{\"scene\": " GEMS ", \"points\": [[0.1, 0.2, 0.1]]}"},
    {"POST", "/v1/query/region", NULL, "{\"scene\": " GEMS ", \"region\": " EGG "}"},
    {"POST", "/v1/query/pairs", NULL,
     "{\"boxes\": [[0, 0, 0, 1, 1, 1], [0, 0, 0, 2, 2, 2]], \"broadphase\": \"tree\"}"},
    {"POST", "/v1/query/pairs", NULL,
     "{\"boxes\": [[0, 0, 0, 1, 1, 1], [0, 0, 0, 2, 2, 2]], \"frames\": [[[0, 0, 0, 1, 1, 1], [3, "
     "0, 0, 4, 2, 2]]], "
     "\"broadphase\": \"sweep\", \"include\": [\"changes\"]}"},
    {"POST", "/v1/query/pairs", NULL,
     "{\"boxes\": [[0, 0, 0, 1, 1, 1], [0, 0, 0, 2, 2, 2]], \"broadphase\": \"grid\"}"},
    {"POST", "/v1/query/pairs", NULL,
     "{\"boxes\": [[0, 0, 0, 1, 1, 1], [0, 0, 0, 2, 2, 2]], \"broadphase\": \"hybrid\"}"},
    {"POST", "/v1/query/pairs", NULL,
     "{\"boxes\": [[0, 0, 0, 1, 1, 1], [0, 0, 0, 2, 2, 2]], \"broadphase\": \"sweepSingleAxis\"}"},
    {"POST", "/v1/scenes/s/query/pairs", NULL, "{\"broadphase\": \"grid\"}"},
    {"POST", "/v1/scenes/s/query/pairs", NULL,
     "{\"broadphase\": \"sweep\", \"include\": [\"changes\"], \"variants\": [{\"ids\": [\"a\"], "
     "\"positions\": [[5, 0, 0]]}, "
     "{\"ids\": [\"a\"], \"positions\": [[6, 0, 0]]}]}"},
    {"POST", "/v1/scenes/s/query/overlap", NULL,
     "{\"method\": \"separatingAxis\", \"variants\": [{\"ids\": [\"a\"], \"positions\": [[5, 0, "
     "0]]}, "
     "{\"ids\": [\"a\"], \"positions\": [[5.1, 0, 0]]}]}"},
    {"PATCH", "/v1/scenes/s", NULL,
     "{\"gravity\": [0, 0, 1], \"materials\": {\"m\": {\"staticFriction\": 1}, \"n\": {}}, "
     "\"materialPairs\": [{\"a\": \"n\", "
     "\"b\": "
     "\"m\"}, {\"a\": \"m\", \"b\": \"m\"}]}"},
    {"PUT", "/v1/scenes/s", NULL,
     "{\"materials\": {\"m\": {}}, \"bodies\": [{\"id\": \"a\", \"motion\": {\"isKinematic\": "
     "true, \"angularAcceleration\": [0, "
     "0, 1]}, "
     "\"colliders\": [{\"sphere\": {\"radius\": 1}, \"material\": \"m\"}]}]}"},
    {"POST", "/v1/query/restingForces", NULL,
     "{\"scene\": " GEMS_LOOSE ", \"material\": {\"staticFriction\": 0.5}, \"include\": [\"A\", "
     "\"b\"], \"loads\": [{\"body\": \"b\", "
     "\"torque\": [0, 0, 1]}]}"},
    {"POST", "/v1/query/impulse", NULL,
     "{\"scene\": " GEMS_LOOSE ", \"poses\": {\"ids\": [\"b\"], \"linearVelocities\": [[0, 0, "
     "-1]]}, \"contacts\": [{\"a\": \"a\", \"b\": "
     "\"b\", \"position\": [0, 0, 0], \"normal\": [0, 0, 1]}]}"},
    {"POST", "/v1/scenes/s/impulses", NULL,
     "{\"poses\": {\"ids\": [\"c\"], \"positions\": [[0.25, 0, 0]], \"linearVelocities\": [[-1, 0, "
     "0]]}}"},
    {"POST", "/v1/query/compliantForces", NULL,
     "{\"scene\": " GEMS_LOOSE ", \"material\": {\"restitution\": 0.5}, "
     "\"elastic\": {\"youngsModulus\": 1e6, \"poissonRatio\": 0.4}}"},
    {"POST", "/v1/scenes/s/query/compliantForces", NULL,
     "{\"elastic\": {\"youngsModulus\": 1e6, \"poissonRatio\": 0.4}, \"pairs\": [[\"a\", \"b\"]]}"},
    {"POST", "/v1/scenes/s/advance", NULL,
     "{\"duration\": 0.001, \"mode\": \"eventImpulses\", \"include\": [\"events\"]}"},
    {"PUT", "/v1/scenes/s", NULL, "{\"bodies\": [{\"id\": \"a\"}]}"},
    {"POST", "/v1/solve/lcp", NULL,
     "{\"M\": [[0, 0, 10], [0, 0, 30], [10, 20, 0]], \"q\": [-1, -1, -1], \"start\": [0, 0, 0]}"},
    {"POST", "/v1/solve/lcp", NULL,
     "{\"M\": {\"n\": 2, \"rows\": [1, 0], \"cols\": [0, 1], \"values\": [-1, -1]}, \"q\": [-1, "
     "1], \"method\": \"lemke\"}"},
    {"POST", "/v1/solve/friction", NULL,
     "{\"W\": [[2, 0, 1], [0, 2, 0], [1, 0, 2]], \"q\": [-1, 2, 3], \"mu\": [0.5], \"method\": "
     "\"polyhedral\"}"},
};

/* The scene's document, or NULL if there is no scene. */
static char *scene_text(rig *r) {
  rig_reply reply = rig_ask(r, "GET", "/v1/scenes/s", NULL);
  json_decref(reply.json);
  return reply.body;
}

/* Runs the request with the failure set. Returns its status. */
static int run(rig *r, const request *q, rig_reply *reply) {
  api_head head = {.method = q->method, .path = q->path, .content_type = q->type};
  if (strstr(q->path, "/impulses")) head.if_match = "*";
  memory.taken = 0;
  r->counting = &memory.counting;
  *reply = rig_send(r, &head, q->body, q->body ? strlen(q->body) : 0, 0);
  r->counting = NULL;
  return reply->status;
}

/* Runs the request with allocation n failing. False: the request made fewer allocations. */
static bool try_one(const request *q, long n, const char *usual, int usual_status) {
  rig r = rig_open();
  rig_must(&r, "PUT", "/v1/scenes/s", SCENE, 201);
  char *before = scene_text(&r);
  rig_reply reply;
  memory.fail_at = n;
  int status = run(&r, q, &reply);
  memory.fail_at = 0;
  bool reached = memory.taken >= n;
  if (status == usual_status) {
    /* A batch reports out-of-memory per query. */
    if (strcmp(reply.body, usual) != 0 && !strstr(reply.body, "/problems/out-of-memory"))
      CHECK_FAIL("%s %s, failure %ld: replied %.200s", q->method, q->path, n, reply.body);
  } else {
    if (status != 503 || !reply.tells_when)
      CHECK_FAIL("%s %s, failure %ld: %d %.200s", q->method, q->path, n, status, reply.body);
    char *after = scene_text(&r);
    if (strcmp(after, before) != 0)
      CHECK_FAIL("%s %s, failure %ld: the scene has changed", q->method, q->path, n);
    free(after);
  }
  rig_free(&reply);
  free(before);
  rig_close(&r);
  return reached;
}

static void fail_each(bool all_after) {
  NEEDS_FAILING_MALLOC;
  memory.rest = all_after;
  for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
    rig r = rig_open();
    rig_must(&r, "PUT", "/v1/scenes/s", SCENE, 201);
    rig_reply usual;
    int status = run(&r, &requests[i], &usual);
    rig_close(&r);
    long start = memory.live;
    for (long n = 1; n < 5000; n++) {
      if (!try_one(&requests[i], n, usual.body, status)) break;
      if (memory.live != start) {
        CHECK_FAIL("%s %s, failure %ld: %ld allocations are lost", requests[i].method,
                   requests[i].path, n, memory.live - start);
        start = memory.live;
      }
    }
    rig_free(&usual);
  }
}

static void one_failed_allocation_is_told_and_nothing_is_lost(void) { fail_each(false); }

static void no_memory_from_some_point_on_is_told_and_nothing_is_lost(void) { fail_each(true); }

static const check_test tests[] = {
    {"one_failed_allocation_is_told_and_nothing_is_lost",
     one_failed_allocation_is_told_and_nothing_is_lost},
    {"no_memory_from_some_point_on_is_told_and_nothing_is_lost",
     no_memory_from_some_point_on_is_told_and_nothing_is_lost},
};
CHECK_MAIN(tests)
