/* Records of scenes and shapes: a base and the changes after it restore each revision to the last
 * bit, after any writes. */
#include "tests/support/shadow.h"

/* ---- scenes ---------------------------------------------------------------------------------- */

static void all_kinds_of_bodies_come_back(void) {
  shadow s = shadow_open();
  rig_reply reply = rig_ask(&s.daemon, "PUT", "/v1/scenes/s", all_kinds);
  if (reply.status != 201) CHECK_FAIL("%d %s", reply.status, reply.body);
  rig_free(&reply);
  shadow_follow(&s);
  CHECK(s.last_base);
  /* Writes all bodies again, as a base of the scene that the record restored. */
  api_record first, second;
  CHECK(api_record_base(scene_in(&s.daemon), &first));
  CHECK(api_record_base(scene_in(&s.again), &second));
  CHECK_INT(first.length, second.length);
  CHECK(first.length == second.length && same_bits(first.bytes, second.bytes, first.length));
  api_record_free(&first);
  api_record_free(&second);
  shadow_close(&s);
}

static void writes_of_all_kinds_are_followed(void) {
  shadow s = shadow_open();
  shadow_write(&s, "PUT", "/v1/scenes/s", all_kinds, 201);
  shadow_write(&s, "PATCH", "/v1/scenes/s/bodies/hull",
               "{\"motion\":{\"density\":800},\"user\":[1]}", 200);
  CHECK(!s.last_base && s.bytes < 1024); /* its hulls are shared with the body before */
  shadow_write(&s, "PATCH", "/v1/scenes/s", "{\"user\":\"new\",\"gravity\":null}", 200);
  shadow_write(&s, "PATCH", "/v1/scenes/s", "{\"materials\":{\"oak\":{\"restitution\":0.5}}}", 200);
  shadow_write(&s, "PUT", "/v1/scenes/s/filters",
               "{\"groups\":{},\"pairs\":[{\"a\":\"floor\",\"b\":\"ball\"}]}", 200);
  shadow_write(&s, "POST", "/v1/scenes/s/bodies",
               "[{\"id\":\"x\",\"colliders\":[{\"sphere\":{\"radius\":1},\"material\":\"oak\"}]},{"
               "\"id\":\"y\","
               "\"colliders\":[{\"sphere\":{\"radius\":2}}]}]",
               201);
  shadow_write(&s, "DELETE", "/v1/scenes/s/bodies/ball", NULL, 200); /* and the pair rule */
  CHECK(s.bytes < 256);
  shadow_write(&s, "PUT", "/v1/scenes/s/bodies/ball",
               "{\"colliders\":[{\"sphere\":{\"radius\":1}}]}", 201);
  CHECK_INT(s.bases, 1);
  /* Rows are renumbered when most of them are empty. */
  static const char *const gone[] = {"x", "y", "crate", "hull", "mesh", "tet", "still"};
  for (size_t i = 0; i < sizeof gone / sizeof gone[0]; i++) {
    char path[64];
    snprintf(path, sizeof path, "/v1/scenes/s/bodies/%s", gone[i]);
    shadow_write(&s, "DELETE", path, NULL, 200);
  }
  CHECK_INT(s.bases, 2);
  shadow_write(&s, "PUT", "/v1/scenes/s/bodies/last",
               "{\"colliders\":[{\"sphere\":{\"radius\":1}}]}", 201);
  shadow_write(&s, "PUT", "/v1/scenes/s", "{\"bodies\":[]}", 200);
  CHECK(s.last_base);
  shadow_close(&s);
}

/* A pair rule is deleted with its bodies, and the rest of a long list is not recorded again. */
static void rules_of_bodies_that_go_are_not_told(void) {
  enum { BODIES = 60, ROOM = 65536 };
  shadow s = shadow_open();
  char *body = malloc(ROOM);
  size_t used = (size_t)snprintf(body, ROOM, "{\"bodies\":[");
  for (int i = 0; i < BODIES; i++)
    used += (size_t)snprintf(body + used, ROOM - used,
                             "%s{\"id\":\"b%d\",\"colliders\":[{\"sphere\":{\"radius\":1}}]}",
                             i ? "," : "", i);
  used += (size_t)snprintf(
      body + used, ROOM - used,
      "],\"filters\":{\"groups\":{\"g\":{\"notCollideWith\":[\"h\"]}},\"pairs\":[");
  for (int i = 1; i < BODIES; i++)
    used += (size_t)snprintf(body + used, ROOM - used, "%s{\"a\":\"b%d\",\"b\":\"b%d\"}",
                             i > 1 ? "," : "", i - 1, i);
  snprintf(body + used, ROOM - used, "]}}");
  shadow_write(&s, "PUT", "/v1/scenes/s", body, 201);
  shadow_write(&s, "DELETE", "/v1/scenes/s/bodies/b7", NULL, 200);
  CHECK(!s.last_base && s.bytes < 256);
  CHECK_INT(ct_scene_filters(scene_in(&s.again))->pair_count, BODIES - 3);
  shadow_write(&s, "DELETE", "/v1/scenes/s/bodies?prefix=b1", NULL, 200);
  CHECK(!s.last_base && s.bytes < 512);
  /* New filters are recorded as a whole. */
  shadow_write(&s, "PUT", "/v1/scenes/s/filters", "{\"pairs\":[{\"a\":\"b0\",\"b\":\"b2\"}]}", 200);
  CHECK_INT(ct_scene_filters(scene_in(&s.again))->pair_count, 1);
  free(body);
  shadow_close(&s);
}

static void what_does_not_follow_is_told_whole(void) {
  const ct_scene *empty = ct_scene_create(0), *twin = ct_scene_create(0), *sides[2];
  for (int i = 0; i < 2; i++) {
    ct_collider collider = {.shape = {.kind = CT_KIND_SPHERE, .sphere = {1}},
                            .pose = ct_pose_identity()};
    ct_body_options options = {
        .id = {i ? "x" : "y", 1}, .colliders = &collider, .collider_count = 1};
    const ct_body *body = NULL;
    ct_pose pose = ct_pose_identity();
    CHECK_INT(ct_body_create(&options, &body), CT_OK);
    ct_draft *draft = ct_draft_begin(empty);
    CHECK_INT(ct_draft_insert(draft, body, &pose, NULL, NULL), CT_OK);
    sides[i] = ct_draft_seal(draft);
    ct_body_release(body);
  }
  const struct {
    const ct_scene *before, *after;
    bool base;
  } cases[] = {{NULL, sides[0], true},  {empty, sides[0], false}, {sides[0], sides[0], false},
               {sides[0], empty, true}, {twin, sides[0], true},   {sides[0], sides[1], true}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    api_record record;
    CHECK(api_record_change(cases[i].before, cases[i].after, &record));
    if (record.base != cases[i].base)
      CHECK_FAIL("case %zu is told %s", i, record.base ? "whole" : "as a change");
    api_record_free(&record);
  }
  ct_scene_release(sides[0]);
  ct_scene_release(sides[1]);
  ct_scene_release(empty);
  ct_scene_release(twin);
}

static const ct_scene *reread(const ct_scene *before, const ct_scene *after) {
  api_record record;
  const ct_scene *again = NULL;
  char why[API_RESTORE_WHY] = "";
  CHECK(api_record_change(before, after, &record));
  CHECK(!record.base);
  if (api_record_apply(NULL, before, record.bytes, record.length, &again, why) != API_RESTORED)
    CHECK_FAIL("%s", why);
  api_record_free(&record);
  return again;
}

/* Several writes that no single request makes: a rule is set in the revision in which the body of
 * another rule is deleted, and this body is inserted, deleted and inserted again. */
static void several_writes_in_one_revision_are_told(void) {
  shadow s = shadow_open();
  shadow_write(&s, "PUT", "/v1/scenes/s",
               "{\"bodies\":[{\"id\":\"a\",\"colliders\":[{\"sphere\":{\"radius\":1}}]},{\"id\":"
               "\"b\",\"colliders\":[{\"sphere\":"
               "{\"radius\":1}}]},{\"id\":\"c\",\"colliders\":[{\"sphere\":{\"radius\":1}}]},{"
               "\"id\":\"d\",\"colliders\":"
               "[{\"sphere\":{\"radius\":1}}]}],\"filters\":{\"pairs\":[{\"a\":\"b\",\"b\":\"c\"},{"
               "\"a\":\"a\",\"b\":\"b\"}]}}",
               201);
  const ct_scene *before = scene_in(&s.daemon);
  ct_draft *draft = ct_draft_begin(before);
  const ct_pair_rule rules[] = {{.a = {"b", 1}, .b = {"c", 1}}, {.a = {"c", 1}, .b = {"d", 1}}};
  const ct_filters filters = {.pairs = rules, .pair_count = 2};
  const ct_velocity velocity = {{-0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  const ct_pose pose = {{-0.0, 1.0, 2.0}, {0.6, 0.0, -0.0, 0.8}};
  const ct_body *body = ct_body_retain(ct_scene_body(before, 0));
  CHECK_INT(ct_draft_remove(draft, 0), CT_OK);
  CHECK_INT(ct_draft_set_filters(draft, &filters), CT_OK);
  CHECK_INT(ct_draft_insert(draft, body, &pose, &velocity, NULL), CT_OK); /* and deleted again */
  CHECK_INT(ct_draft_remove(draft, 4), CT_OK);
  CHECK_INT(ct_draft_insert(draft, body, &pose, &velocity, NULL), CT_OK);
  ct_draft_count_contacts(draft, 3);
  const ct_scene *after = ct_draft_seal(draft), *again = reread(before, after);
  if (again) {
    check_same(after, again);
    const ct_velocity kept = ct_scene_velocity(again, 5);
    CHECK(signbit(kept.linear.x) && kept.linear.x == 0.0);
    CHECK_INT(ct_scene_serial(again, 5), 5);
    CHECK_INT(ct_scene_filters(again)->pair_count, 2);
    CHECK(ct_scene_filter_verdict(again, 2, 3).pair_rule != NULL);
    ct_scene_release(again);
  }
  ct_scene_release(after);
  ct_body_release(body);
  shadow_close(&s);
}

/* ---- contact states ------------------------------------------------------------------------- */

#define MOVER(id, x, shape)                                                                        \
  "{\"id\":\"" id "\",\"position\":[" x                                                            \
  ",0,0.25],\"motion\":{\"mass\":1,\"linearVelocity\":[0,0,-1]},\"colliders\":[" shape "]}"
static const char moving[] =
    "{\"bodies\":[{\"id\":\"floor\",\"colliders\":[{\"plane\":{}}]}," MOVER(
        "a", "0",
        "{\"sphere\":{\"radius\":0.5}}") "," MOVER("b", "4",
                                                   "{\"box\":{\"size\":[1,1,1]},\"id\":\"k\"},{"
                                                   "\"sphere\":{\"radius\":0.3}}") "]}";

static void check_crossings(shadow *s, const char *state) {
  char body[160];
  snprintf(body, sizeof body, "{\"contactState\":\"%s\",\"include\":[\"contacts\"]}", state);
  rig_reply a = rig_ask(&s->daemon, "POST", "/v1/scenes/s/query/zeroCrossings", body);
  rig_reply b = rig_ask(&s->again, "POST", "/v1/scenes/s/query/zeroCrossings", body);
  CHECK_INT(a.status, 200);
  CHECK_TEXT(a.body, b.body);
  rig_free(&a);
  rig_free(&b);
}

static void contact_states_go_on_where_they_were(void) {
  shadow s = shadow_open();
  shadow_write(&s, "PUT", "/v1/scenes/s", moving, 201);
  shadow_write(&s, "POST", "/v1/scenes/s/contactStates/one", "{\"supportPoints\":true}", 201);
  shadow_write(&s, "POST", "/v1/scenes/s/contactStates/two",
               "{\"contactEpsilon\":1e-6,\"time\":-3.5}", 201);
  check_crossings(&s, "one");
  check_crossings(&s, "two");
  /* One contact ends, one persists, one begins. */
  shadow_write(
      &s, "POST", "/v1/scenes/s/contactStates/one",
      "{\"time\":1,\"supportPoints\":true,\"poses\":{\"ids\":[\"a\"],\"positions\":[[3.5,0,2]],"
      "\"linearVelocities\":[[0,0,-1]]}}",
      200);
  CHECK(!s.last_base);
  shadow_restart(&s);
  check_crossings(&s, "one");
  check_documents(&s, "/v1/scenes/s/contactStates");
  check_documents(&s, "/v1/scenes/s/contactStates/one");
  check_documents(&s, "/v1/scenes/s/contactStates/two");
  /* The next event, evaluated by both daemons on their own: the same pair ids, causes and stored
   * velocities. */
  static const char event[] =
      "{\"time\":2,\"poses\":{\"ids\":[\"a\",\"b\"],\"positions\":[[0,0,0.5],[9,0,9]]}}";
  rig_reply a = rig_ask(&s.daemon, "POST", "/v1/scenes/s/contactStates/one", event);
  rig_reply b = rig_ask(&s.again, "POST", "/v1/scenes/s/contactStates/one", event);
  CHECK_INT(a.status, 200);
  CHECK_TEXT(a.body, b.body);
  rig_free(&a);
  rig_free(&b);
  check_same(scene_in(&s.daemon), scene_in(&s.again));
  shadow_close(&s);

  s = shadow_open();
  shadow_write(&s, "PUT", "/v1/scenes/s", moving, 201);
  shadow_write(&s, "POST", "/v1/scenes/s/contactStates/one", "{}", 201);
  shadow_write(&s, "DELETE", "/v1/scenes/s/bodies/a", NULL, 200);
  shadow_write(&s, "DELETE", "/v1/scenes/s/contactStates/one", NULL, 200);
  CHECK_INT(s.bases, 1);
  CHECK_INT(ct_scene_attachment_count(scene_in(&s.again)), 0);
  shadow_write(&s, "PUT", "/v1/scenes/s", moving, 200); /* rebuilt: pair ids continue */
  CHECK_INT(s.bases, 2);
  CHECK(ct_scene_contacts_begun(scene_in(&s.again)) > 0);
  shadow_close(&s);
}

/* ---- posted shapes -------------------------------------------------------------------------- */

static const char tetrahedron_stl[] =
    "solid t\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 0 1 0\nvertex 1 0 0\nendloop\n"
    "endfacet\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 0 1\nendloop\n"
    "endfacet\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 0 0 1\nvertex 0 1 0\nendloop\n"
    "endfacet\nfacet normal 0 0 0\nouter loop\nvertex 1 0 0\nvertex 0 1 0\nvertex 0 0 1\nendloop\n"
    "endfacet\nendsolid t\n";

static void post(shadow *s, const char *path, const char *type, const char *body, char id[64]) {
  const api_head head = {.method = "POST", .path = path, .content_type = type};
  rig_reply reply = shadow_post(s, &head, body, strlen(body));
  CHECK_INT(reply.status, 201);
  snprintf(id, 64, "%s", json_string_value(json_object_get(reply.json, "id")));
  rig_free(&reply);
}

static void posted_shapes_and_who_names_them_come_back(void) {
  shadow s = shadow_open();
  char stl[64], obj[64], hull[64], box[64], other[64], body[1024];
  post(&s, "/v1/shapes?unit=mm&solid=true", "model/stl", tetrahedron_stl, stl);
  post(&s, "/v1/shapes?unit=in", "model/obj",
       "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n", obj);
  post(&s, "/v1/shapes", "application/json",
       "{\"convex\":{\"vertices\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1],[0.2,0.2,0.2]],\"surfaceIds\":["
       "1,2,3,4]}}",
       hull);
  post(&s, "/v1/shapes", NULL, "{\"box\":{\"size\":[1,2,3]}}", box);
  post(&s, "/v1/shapes", NULL, "{\"box\":{\"size\":[3,2,1]}}", other);
  check_documents(&s, "/v1/shapes");
  snprintf(body, sizeof body,
           "{\"bodies\":[{\"id\":\"a\",\"colliders\":[{\"shape\":\"%s\"},{\"shape\":\"%s\","
           "\"scale\":0.3}]},{\"id\":\"b\","
           "\"colliders\":[{\"shape\":\"%s\",\"scale\":1.5,\"roundingRadius\":0.01},{\"shape\":\"%"
           "s\",\"scale\":1.0}]}]}",
           stl, obj, hull, box);
  shadow_write(&s, "PUT", "/v1/scenes/s", body, 201);
  CHECK(s.last_base && s.last_names && s.names == 4);
  CHECK(s.bytes < 2048);
  shadow_write(&s, "PATCH", "/v1/scenes/s/bodies/b", "{\"position\":[1,2,3]}", 200);
  CHECK(!s.last_base && !s.last_names);
  snprintf(body, sizeof body, "{\"colliders\":[{\"shape\":\"%s\",\"scale\":2}]}", stl);
  shadow_write(&s, "PUT", "/v1/scenes/s/bodies/c", body, 201);
  CHECK(!s.last_base && !s.last_names); /* body a names it, too */
  snprintf(body, sizeof body, "{\"colliders\":[{\"shape\":\"%s\"}]}", other);
  shadow_write(&s, "PUT", "/v1/scenes/s/bodies/d", body, 201);
  CHECK(!s.last_base && s.last_names && s.names == 5);
  /* If a shape is no longer named, the record is a base without its name: the shape may be deleted
   * from then on. */
  shadow_write(&s, "DELETE", "/v1/scenes/s/bodies/a", NULL, 200);
  CHECK(s.last_base && s.last_names && s.names == 4);
  shadow_write(&s, "DELETE", "/v1/scenes/s/bodies/b", NULL, 200);
  CHECK(s.last_base && s.last_names && s.names == 2);
  shadow_write(&s, "DELETE", "/v1/scenes/s/bodies/c", NULL, 200);
  CHECK(s.last_base && s.last_names && s.names == 1);
  shadow_write(&s, "DELETE", "/v1/scenes/s/bodies/d", NULL, 200);
  CHECK(s.last_base && s.last_names && s.names == 0);
  check_documents(&s, "/v1/shapes");
  /* The shape is known when it is posted again: there is nothing to record. */
  const api_head head = {.method = "POST", .path = "/v1/shapes"};
  static const char again[] = "{\"box\":{\"size\":[1,2,3]}}";
  rig_reply reply = shadow_post(&s, &head, again, strlen(again));
  CHECK_INT(reply.status, 200);
  rig_free(&reply);
  shadow_close(&s);
}

static void a_scene_whose_shape_is_missing_says_so(void) {
  shadow s = shadow_open();
  char box[64], body[256], why[API_RESTORE_WHY] = "";
  post(&s, "/v1/shapes", NULL, "{\"box\":{\"size\":[1,2,3]}}", box);
  snprintf(body, sizeof body, "{\"bodies\":[{\"id\":\"a\",\"colliders\":[{\"shape\":\"%s\"}]}]}",
           box);
  shadow_write(&s, "PUT", "/v1/scenes/s", body, 201);
  api_record record;
  const ct_scene *after = NULL;
  CHECK(api_record_base(scene_in(&s.daemon), &record));
  CHECK_INT(api_record_apply(NULL, NULL, record.bytes, record.length, &after, why),
            API_RESTORE_DAMAGED);
  CHECK(after == NULL && strstr(why, "shape") != NULL);
  api_record_free(&record);
  shadow_close(&s);
}

/* ---- random writes --------------------------------------------------------------------------- */

/* A random body of the scene; NULL in an empty scene. */
static const char *pick(shadow *s, check_random *r, char id[32]) {
  const ct_scene *scene = scene_in(&s->daemon);
  uint32_t rows = ct_scene_rows(scene), from = (uint32_t)check_uniform(r, 0, rows);
  snprintf(id, 32, "none");
  for (uint32_t i = 0; i < rows; i++) {
    const ct_body *body = ct_scene_body(scene, (from + i) % rows);
    if (!body) continue;
    snprintf(id, 32, "%.*s", (int)ct_body_id(body).length, ct_body_id(body).bytes);
    break;
  }
  return id;
}

/* One random write; some are refused and write nothing. */
static void write_something(shadow *s, check_random *r) {
  char body[1024], path[96];
  unsigned a = (unsigned)check_uniform(r, 0, 12), b = (unsigned)check_uniform(r, 0, 12);
  double x = check_uniform(r, -3, 3), y = check_uniform(r, -3, 3), z = check_uniform(r, 0, 3);
  const char *method = "POST";
  char id[32], other[32];
  pick(s, r, id);
  pick(s, r, other);
  snprintf(path, sizeof path, "/v1/scenes/s");
  switch ((int)check_uniform(r, 0, 13.3)) {
  case 0:
  case 1:
    method = "PUT";
    snprintf(path, sizeof path, "/v1/scenes/s/bodies/m%u", a);
    snprintf(body, sizeof body,
             "{\"position\":[%.17g,%.17g,%.17g],\"rpy\":[%.17g,%.17g,0],\"motion\":{\"density\":%."
             "17g},\"groups\":[\"g%u\"],"
             "\"colliders\":[{\"box\":{\"size\":[%.17g,1,0.7]},\"id\":\"k%u\",\"roundingRadius\":0."
             "01},{\"convex\":{\"vertices\":"
             "[[0,0,0],[%.17g,0,0],[0,1,0],[0,0,1],[0.1,0.1,0.1]]}}]}",
             x, y, z, x, y, 100 + z, b % 3, 0.3 + z, b, 1 + z);
    break;
  case 2:
    snprintf(path, sizeof path, "/v1/scenes/s/bodies");
    snprintf(body, sizeof body,
             "[{\"id\":\"m%u\",\"position\":[%.17g,0,0],\"motion\":{\"mass\":1},\"colliders\":[{"
             "\"sphere\":{\"radius\":0.4}}]},"
             "{\"id\":\"f%u\",\"colliders\":[{\"mesh\":{\"vertices\":[[0,0,0],[1,0,0],[0,1,0]],"
             "\"triangles\":[[0,1,2]]}}]}]",
             a, x, b);
    break;
  case 3:
  case 4:
    method = "DELETE";
    snprintf(path, sizeof path, "/v1/scenes/s/bodies/%c%u", b % 2 ? 'm' : 'f', a);
    body[0] = 0;
    break;
  case 5:
  case 6:
    method = "PATCH";
    snprintf(path, sizeof path, "/v1/scenes/s/poses");
    snprintf(body, sizeof body, "{\"ids\":[\"%s\"],\"positions\":[[%.17g,%.17g,%.17g]]}", id, x, y,
             z);
    break;
  case 7:
    method = "PATCH";
    snprintf(path, sizeof path, "/v1/scenes/s/bodies/%s", id);
    snprintf(body, sizeof body,
             "{\"motion\":{\"linearVelocity\":[%.17g,0,%.17g]},\"user\":{\"n\":%u}}", x, y, b);
    break;
  case 8:
    method = "PUT";
    snprintf(path, sizeof path, "/v1/scenes/s/filters");
    snprintf(body, sizeof body,
             "{\"groups\":{\"g0\":{\"notCollideWith\":[\"g%u\"]}},\"pairs\":[{\"a\":\"%s\",\"b\":"
             "\"%s\",\"reason\":\"r\"}]}",
             b % 3, id, other);
    break;
  case 9:
    method = "PATCH";
    snprintf(body, sizeof body, "{\"user\":[%u],\"geometricEpsilon\":%s,\"gravity\":[0,0,%.17g]}",
             a, b % 2 ? "1e-5" : "null", -z);
    break;
  case 10:
    snprintf(path, sizeof path, "/v1/scenes/s/contactStates/c%u", a % 3);
    snprintf(body, sizeof body, "{\"supportPoints\":%s}", b % 2 ? "true" : "false");
    break;
  case 11:
    snprintf(path, sizeof path, "/v1/scenes/s/advance");
    snprintf(body, sizeof body, "{\"duration\":0.02,\"timeStep\":0.01}");
    break;
  case 12:
    method = "DELETE";
    snprintf(path, sizeof path, "/v1/scenes/s/contactStates/c%u", a % 3);
    body[0] = 0;
    break;
  default:
    method = "DELETE";
    snprintf(path, sizeof path, "/v1/scenes/s/bodies?prefix=%c", b % 2 ? 'm' : 'f');
    body[0] = 0;
  }
  rig_reply reply = rig_ask(&s->daemon, method, path, body[0] ? body : NULL);
  if (reply.status >= 500)
    CHECK_FAIL("%s %s %s is %d: %s", method, path, body, reply.status, reply.body);
  bool written = reply.status < 300;
  rig_free(&reply);
  if (written) shadow_follow(s);
}

/* Only scenes are compared here, so a revision of a contact state counts like any other. */
static void any_writes_are_followed(void) {
  const char *full = getenv("CONTACTD_FULL");
  int scenes = full && *full ? 200 : 8;
  size_t bases = 0, changes = 0;
  for (int k = 0; k < scenes && !check_failures; k++) {
    check_random r = {7000 + (uint64_t)k};
    shadow s = shadow_open();
    shadow_write(&s, "PUT", "/v1/scenes/s", "{\"bodies\":[]}", 201);
    for (int i = 0; i < 120 && !check_failures; i++) {
      write_something(&s, &r);
      if (check_uniform(&r, 0, 20) < 1.0) shadow_restart(&s);
    }
    for (int i = 0; i < 3; i++) {
      char state[16];
      snprintf(state, sizeof state, "c%d", i);
      if (ct_scene_attached(scene_in(&s.daemon), (ct_text){state, strlen(state)}))
        check_crossings(&s, state);
    }
    bases += s.bases;
    changes += s.changes;
    shadow_close(&s);
  }
  CHECK(changes > 20 * (size_t)scenes);
  CHECK(bases > (size_t)scenes + 2); /* rows have been renumbered */
}

static const check_test tests[] = {
    {"all_kinds_of_bodies_come_back", all_kinds_of_bodies_come_back},
    {"writes_of_all_kinds_are_followed", writes_of_all_kinds_are_followed},
    {"rules_of_bodies_that_go_are_not_told", rules_of_bodies_that_go_are_not_told},
    {"what_does_not_follow_is_told_whole", what_does_not_follow_is_told_whole},
    {"several_writes_in_one_revision_are_told", several_writes_in_one_revision_are_told},
    {"contact_states_go_on_where_they_were", contact_states_go_on_where_they_were},
    {"posted_shapes_and_who_names_them_come_back", posted_shapes_and_who_names_them_come_back},
    {"a_scene_whose_shape_is_missing_says_so", a_scene_whose_shape_is_missing_says_so},
    {"any_writes_are_followed", any_writes_are_followed},
};

int main(int argc, char **argv) {
  return check_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
