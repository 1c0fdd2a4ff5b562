/* Expensive pairs: their estimated cost, which decides where they run, and their end after the
 * cancel flag is raised. */
#include "tests/support/api_rig.h"
#include "tests/support/meshes.h"
#include "tests/support/polls.h"
#include "tests/support/scenes.h"

/* Highest cost that the server runs on its event loop, ns (server/jobs/job.c). */
#define INLINE_NS 25000.0
/* Some 4000 triangles: the distance of the mesh to a copy at the same place takes seconds. */
#define RINGS 32
/* Poll at which the flag is raised, long before the work completes. */
#define FLAG_POLL 4000

static ct_shape ball_mesh(uint32_t rings) {
  soup s = {0};
  soup_sphere(&s, ct_vec(0, 0, 0), 1.0, rings, 2 * rings);
  return soup_shape(&s);
}

static ct_shape ball_hull(uint32_t rings) {
  soup s = {0};
  ct_hull *hull = NULL;
  soup_sphere(&s, ct_vec(0, 0, 0), 1.0, rings, 2 * rings);
  CHECK_INT(ct_hull_from_points(s.v, s.vn, NULL, &hull, NULL), CT_OK);
  soup_free(&s);
  return (ct_shape){.kind = CT_KIND_CONVEX, .hull = hull};
}

/* ---- costs ---------------------------------------------------------------------------------- */

/* None of these runs on the event loop; simple pairs do. */
static void the_cost_of_a_pair_knows_meshes_and_hulls(void) {
  ct_shape mesh = ball_mesh(RINGS), coarse = ball_mesh(3), hull = ball_hull(RINGS),
           box = box_of(1, 1, 1);
  ct_pose here = ct_pose_identity();
  const ct_body *fine_mesh = body_of("m", &mesh, NULL, 1, NULL),
                *coarse_mesh = body_of("c", &coarse, NULL, 1, NULL);
  const ct_body *fine_hull = body_of("h", &hull, NULL, 1, NULL),
                *simple = body_of("s", &box, &here, 1, NULL);
  const struct {
    const ct_body *a, *b;
  } longer[] = {{fine_mesh, fine_mesh},
                {coarse_mesh, coarse_mesh},
                {fine_mesh, fine_hull},
                {fine_hull, fine_hull},
                {fine_mesh, simple}};
  const ct_query_kind kinds[] = {CT_QUERY_DISTANCE, CT_QUERY_CONTACTS};
  for (size_t i = 0; i < sizeof longer / sizeof longer[0]; i++)
    for (size_t k = 0; k < 2; k++) {
      double ns = ct_query_pair_cost(kinds[k], longer[i].a, longer[i].b),
             back = ct_query_pair_cost(kinds[k], longer[i].b, longer[i].a);
      if (!(ns > INLINE_NS) || ns != back)
        CHECK_FAIL("pair %zu costs %g ns, swapped %g ns", i, ns, back);
    }
  CHECK(ct_query_pair_cost(CT_QUERY_OVERLAP, fine_mesh, fine_mesh) > INLINE_NS);
  CHECK(ct_query_pair_cost(CT_QUERY_OVERLAP, fine_hull, fine_hull) > INLINE_NS);
  CHECK(ct_query_pair_cost(CT_QUERY_DISTANCE, simple, simple) < INLINE_NS);
  const ct_body *bodies[] = {fine_mesh, coarse_mesh, fine_hull, simple};
  for (int i = 0; i < 4; i++) ct_body_release(bodies[i]);
  ct_shape_release(&mesh);
  ct_shape_release(&coarse);
  ct_shape_release(&hull);
}

/* A mesh among many colliders counts at any index. */
static void the_cost_of_a_pair_counts_what_stands_late_in_a_body(void) {
  enum { COLLIDERS = 12 };
  ct_shape shapes[COLLIDERS];
  ct_pose poses[COLLIDERS];
  for (int i = 0; i < COLLIDERS; i++) shapes[i] = sphere_of(1.0), poses[i] = pose_at(3.0 * i, 0, 0);
  ct_shape mesh = ball_mesh(RINGS);
  const ct_body *plain = body_of("p", shapes, poses, COLLIDERS, NULL);
  shapes[COLLIDERS - 1] = mesh;
  const ct_body *late = body_of("l", shapes, poses, COLLIDERS, NULL),
                *one = body_of("o", shapes, NULL, 1, NULL);
  CHECK(ct_query_pair_cost(CT_QUERY_DISTANCE, plain, one) < INLINE_NS);
  CHECK(ct_query_pair_cost(CT_QUERY_DISTANCE, late, one) > INLINE_NS);
  ct_body_release(plain);
  ct_body_release(late);
  ct_body_release(one);
  ct_shape_release(&mesh);
}

/* ---- regions -------------------------------------------------------------------------------- */

static double region_cost(const ct_scene *scene, ct_shape region) {
  ct_probe_options o = {
      .kind = CT_PROBE_REGION, .region = region, .region_pose = ct_pose_identity()};
  ct_probe *probe = NULL;
  CHECK_INT(ct_probe_prepare(scene, &o, &probe), CT_OK);
  double cost = ct_probe_cost(probe);
  ct_probe_destroy(probe);
  return cost;
}

static const ct_scene *scene_of(ct_shape shape) {
  const ct_scene *empty = ct_scene_create(0);
  ct_draft *draft = ct_draft_begin(empty);
  add_shape(draft, "b", shape, ct_pose_identity());
  return seal(draft, empty);
}

static void the_cost_of_a_region_knows_its_shapes(void) {
  ct_shape mesh = ball_mesh(RINGS), hull = ball_hull(RINGS);
  const ct_scene *meshes = scene_of(mesh), *hulls = scene_of(hull),
                 *simple = scene_of(box_of(1, 1, 1));
  CHECK(region_cost(meshes, mesh) > INLINE_NS);
  CHECK(region_cost(hulls, hull) > INLINE_NS);
  CHECK(region_cost(meshes, sphere_of(1.0)) > INLINE_NS);
  CHECK(region_cost(simple, mesh) > INLINE_NS);
  double plain = region_cost(simple, sphere_of(1.0));
  CHECK(plain > 0.0 && plain < INLINE_NS);
  ct_scene_release(meshes);
  ct_scene_release(hulls);
  ct_scene_release(simple);
  ct_shape_release(&mesh);
  ct_shape_release(&hull);
}

/* Points among bodies of many colliders; the query has to transform each collider. */
static void the_cost_of_a_point_counts_colliders(void) {
  enum { THOUSAND = 1000 };
  static ct_collider colliders[THOUSAND];
  for (int i = 0; i < THOUSAND; i++)
    colliders[i] = (ct_collider){.shape = sphere_of(1.0), .pose = pose_at(i, 0, 0)};
  ct_body_options options = {
      .id = text_of("many"), .colliders = colliders, .collider_count = THOUSAND};
  const ct_body *body = NULL;
  CHECK_INT(ct_body_create(&options, &body), CT_OK);
  const ct_scene *empty = ct_scene_create(0);
  ct_draft *draft = ct_draft_begin(empty);
  add_body(draft, body, ct_pose_identity());
  const ct_scene *many = seal(draft, empty), *one = scene_of(sphere_of(1.0));
  const ct_vec3 point = {0.0, 0.0, 0.0};
  ct_probe_options o = {
      .kind = CT_PROBE_NEAREST, .points = &point, .count = 1, .nearest = 1, .reach = INFINITY};
  const ct_scene *scenes[2] = {one, many};
  double cost[2] = {0.0, 0.0};
  for (int i = 0; i < 2; i++) {
    ct_probe *probe = NULL;
    CHECK_INT(ct_probe_prepare(scenes[i], &o, &probe), CT_OK);
    cost[i] = ct_probe_cost(probe);
    ct_probe_destroy(probe);
  }
  CHECK(cost[0] < INLINE_NS && cost[1] > INLINE_NS);
  ct_scene_release(many);
  ct_scene_release(one);
}

/* ---- flags ---------------------------------------------------------------------------------- */

static bool count_hit(void *context, const ct_probe_hit *hit) {
  (void)hit;
  ++*(int *)context;
  return true;
}

typedef struct region_work {
  const ct_scene *scene;
  ct_shape region;
  ct_workspace *workspace;
} region_work;

static ct_status run_region(void *context, ct_cancel *cancel) {
  const region_work *w = context;
  ct_probe_options o = {.kind = CT_PROBE_REGION,
                        .region = w->region,
                        .region_pose = ct_pose_identity(),
                        .inside = false,
                        .cancel = cancel};
  ct_probe *probe = NULL;
  int hits = 0;
  CHECK_INT(ct_probe_prepare(w->scene, &o, &probe), CT_OK);
  CHECK_INT((int)ct_probe_items(probe), 1);
  ct_query_range range = {0, 1, CT_NO_ROW, 0};
  ct_status status = ct_probe_run(probe, &range, w->workspace, count_hit, &hits);
  CHECK_INT(hits, 0);
  ct_probe_destroy(probe);
  return status;
}

static void a_region_of_meshes_stops_soon(void) {
  ct_shape mesh = ball_mesh(RINGS);
  region_work w = {scene_of(mesh), mesh, ct_workspace_create()};
  polls_check_long_stop(run_region, &w, FLAG_POLL);
  ct_workspace_destroy(w.workspace);
  ct_scene_release(w.scene);
  ct_shape_release(&mesh);
}

static json_t *json_of(ct_vec3 v) { return json_pack("[fff]", v.x, v.y, v.z); }

/* Posts the ball; writes its id into `id`. */
static void post_ball(rig *r, uint32_t rings, char *id, size_t room) {
  soup s = {0};
  soup_sphere(&s, ct_vec(0, 0, 0), 1.0, rings, 2 * rings);
  json_t *vertices = json_array(), *triangles = json_array();
  for (uint32_t i = 0; i < s.vn; i++) json_array_append_new(vertices, json_of(s.v[i]));
  for (uint32_t i = 0; i < s.tn; i++)
    json_array_append_new(triangles,
                          json_pack("[iii]", (int)s.t[i][0], (int)s.t[i][1], (int)s.t[i][2]));
  json_t *document =
      json_pack("{s:{s:o,s:o}}", "mesh", "vertices", vertices, "triangles", triangles);
  char *text = json_dumps(document, JSON_COMPACT);
  rig_reply reply = rig_ask(r, "POST", "/v1/shapes", text);
  CHECK_INT(reply.status, 201);
  snprintf(id, room, "%s", json_string_value(json_object_get(reply.json, "id")));
  rig_free(&reply);
  free(text);
  json_decref(document);
  soup_free(&s);
}

typedef struct request_work {
  rig *rig;
  const char *path, *question;
} request_work;

/* Expected: deadline-exceeded. */
static ct_status run_request(void *context, ct_cancel *cancel) {
  const request_work *w = context;
  w->rig->cancel = cancel;
  rig_refused(w->rig, "POST", w->path, w->question, (rig_fault){504, "deadline-exceeded", NULL});
  w->rig->cancel = NULL;
  return CT_CANCELLED;
}

/* Sends a request whose flag is raised during the work. */
static void check_stops(rig *r, const char *path, const char *question) {
  r->cost_ns = 0.0;
  polls_check_long_stop(run_request, &(request_work){r, path, question}, FLAG_POLL);
  if (!(r->cost_ns > INLINE_NS)) CHECK_FAIL("%s is thought to take %g ns", path, r->cost_ns);
}

static void questions_about_given_meshes_stop_soon(void) {
  rig r = rig_open();
  char id[128], question[512];
  post_ball(&r, RINGS, id, sizeof id);
  snprintf(question, sizeof question, "{\"a\": {\"shape\": \"%s\"}, \"b\": {\"shape\": \"%s\"}}",
           id, id);
  check_stops(&r, "/v1/query/distance", question);
  snprintf(question, sizeof question,
           "{\"scene\": {\"bodies\": [{\"id\": \"b\", \"colliders\": [{\"shape\": \"%s\"}]}]}, "
           "\"region\": {\"shape\": \"%s\"}}",
           id, id);
  check_stops(&r, "/v1/query/region", question);
  /* The stopped request succeeds when it is sent without a flag, and no state of the flag is left.
   */
  snprintf(
      question, sizeof question,
      "{\"a\": {\"shape\": \"%s\"}, \"b\": {\"sphere\": {\"radius\": 1}, \"position\": [3, 0, 0]}}",
      id);
  rig_must(&r, "POST", "/v1/query/distance", question, 200);
  rig_close(&r);
}

/* Apart in the scene, in one place in the variant: the cost of the unmodified scene is no estimate.
 */
static void variants_that_bring_meshes_together_stop_soon(void) {
  static const char *const variants =
      "{\"variants\": [{\"ids\": [\"b\"], \"positions\": [[0, 0, 0]]}]}";
  rig r = rig_open();
  char id[128], scene[1024];
  post_ball(&r, RINGS, id, sizeof id);
  snprintf(scene, sizeof scene,
           "{\"bodies\": [{\"id\": \"a\", \"colliders\": [{\"shape\": \"%s\"}]}, "
           "{\"id\": \"b\", \"position\": [9, 0, 0], \"colliders\": [{\"shape\": \"%s\"}]}]}",
           id, id);
  rig_must(&r, "PUT", "/v1/scenes/s", scene, 201);
  check_stops(&r, "/v1/scenes/s/query/distance", variants);
  rig_close(&r);
}

static void questions_about_given_primitives_are_short(void) {
  rig r = rig_open();
  rig_must(&r, "POST", "/v1/query/distance",
           "{\"a\": {\"sphere\": {\"radius\": 1}}, \"b\": {\"sphere\": {\"radius\": 1}, "
           "\"position\": [3, 0, 0]}}",
           200);
  CHECK(r.cost_ns > 0.0 && r.cost_ns < INLINE_NS);
  rig_close(&r);
}

static const check_test tests[] = {
    {"the_cost_of_a_pair_knows_meshes_and_hulls", the_cost_of_a_pair_knows_meshes_and_hulls},
    {"the_cost_of_a_pair_counts_what_stands_late_in_a_body",
     the_cost_of_a_pair_counts_what_stands_late_in_a_body},
    {"the_cost_of_a_region_knows_its_shapes", the_cost_of_a_region_knows_its_shapes},
    {"the_cost_of_a_point_counts_colliders", the_cost_of_a_point_counts_colliders},
    {"a_region_of_meshes_stops_soon", a_region_of_meshes_stops_soon},
    {"questions_about_given_meshes_stop_soon", questions_about_given_meshes_stop_soon},
    {"variants_that_bring_meshes_together_stop_soon",
     variants_that_bring_meshes_together_stop_soon},
    {"questions_about_given_primitives_are_short", questions_about_given_primitives_are_short},
};

CHECK_MAIN(tests)
