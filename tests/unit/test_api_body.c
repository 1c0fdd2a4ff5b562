/* Bodies: a table of invalid documents, each member with each JSON type, and round trips of valid
 * documents. */
#include "documents/body_json.h"
#include "tests/support/document.h"

#include <ctype.h>

#define BALL "\"colliders\":[{\"sphere\":{\"radius\":0.5}}]"

static bool read_body(document *d, const char *text, const api_body_form *form, api_body *out) {
  document_init(d);
  return document_parse(d, text, strlen(text)) && api_read_body(&d->reader, &d->root, form, out);
}

/* The document of a body, null-terminated. The caller frees it. */
static char *body_text(const api_body *body) {
  api_buffer out = {0};
  size_t length;
  api_put_body(&out, body->body, &body->pose, &body->velocity);
  return api_buffer_detach(&out, &length);
}

static void bad_bodies_say_why_and_where(void) {
  static const struct {
    const char *text, *problem, *pointer, *words;
  } cases[] = {
      {"{}", "missing-member", "/id", NULL},
      {"{" BALL "}", "missing-member", "/id", NULL},
      {"{\"id\":\"a\"}", "missing-member", "/colliders", NULL},
      {"{\"id\":\"a\",\"colliders\":[]}", "missing-member", "/colliders", "At least 1"},
      {"{\"id\":\"a\",\"colliders\":[{}]}", "missing-member", "/colliders/0", NULL},
      {"{\"id\":\"a\",\"colliders\":[{\"sphere\":{\"radius\":1}},{\"box\":{\"size\":[1,1,-1]}}]}",
       "out-of-range", "/colliders/1/box/size/2", NULL},
      {"{\"id\":\"a\",\"sphere\":{\"radius\":1}}", "unknown-member", "/sphere", NULL},
      {"{\"id\":\"\"," BALL "}", "bad-value", "/id", NULL},
      {"{\"id\":\"a\\tb\"," BALL "}", "bad-value", "/id", NULL},
      {"{\"id\":\"a\",\"collider\":[]," BALL "}", "unknown-member", "/collider", NULL},
      {"{\"id\":\"a\",\"colldiers\":[]}", "unknown-member", "/colldiers",
       "did you mean \"colliders\""},
      {"{\"id\":\"a\",\"Motion\":{}," BALL "}", "unknown-member", "/Motion",
       "did you mean \"motion\""},
      {"{\"id\":\"a\",\"rotatoin\":[0,0,0,1]," BALL "}", "unknown-member", "/rotatoin",
       "did you mean \"rotation\""},
      {"{\"id\":\"a\",\"rotation\":[0,0,0,2]," BALL "}", "bad-rotation", "/rotation", NULL},
      {"{\"id\":\"a\",\"position\":[0,0,1e300]," BALL "}", "out-of-range", "/position/2", NULL},
      {"{\"id\":\"a\",\"motion\":{}," BALL "}", "bad-mass", "/motion", "mass, density"},
      {"{\"id\":\"a\",\"motion\":{\"mass\":1,\"density\":1}," BALL "}", "conflicting-members",
       "/motion", "exclude each other"},
      {"{\"id\":\"a\",\"motion\":{\"mass\":0}," BALL "}", "bad-mass", "/motion/mass", NULL},
      {"{\"id\":\"a\",\"motion\":{\"mass\":-1}," BALL "}", "bad-mass", "/motion/mass",
       "from 1e-12 to 1e15"},
      {"{\"id\":\"a\",\"motion\":{\"mass\":1e-13}," BALL "}", "bad-mass", "/motion/mass", NULL},
      {"{\"id\":\"a\",\"motion\":{\"mass\":1e16}," BALL "}", "bad-mass", "/motion/mass", NULL},
      {"{\"id\":\"a\",\"motion\":{\"mass\":5e-324}," BALL "}", "bad-mass", "/motion/mass", NULL},
      {"{\"id\":\"a\",\"motion\":{\"mass\":\"1 kg\"}," BALL "}", "wrong-type", "/motion/mass",
       NULL},
      {"{\"id\":\"a\",\"motion\":{\"density\":-7800}," BALL "}", "bad-mass", "/motion/density",
       NULL},
      {"{\"id\":\"a\",\"motion\":{\"density\":1e-12},\"colliders\":[{\"sphere\":{\"radius\":1e-3}}]"
       "}",
       "bad-mass", "/motion/density", NULL},
      {"{\"id\":\"a\",\"motion\":{\"density\":1000},\"colliders\":[{\"plane\":{}}]}", "bad-mass",
       "/motion", "no volume"},
      {"{\"id\":\"a\",\"motion\":{\"mass\":1,\"inertiaDiagonal\":[1,1]}," BALL "}", "wrong-type",
       "/motion/inertiaDiagonal", NULL},
      {"{\"id\":\"a\",\"motion\":{\"mass\":1,\"inertiaDiagonal\":[1,1,0]}," BALL "}", "bad-mass",
       "/motion/inertiaDiagonal/2", NULL},
      {"{\"id\":\"a\",\"motion\":{\"mass\":1,\"inertiaDiagonal\":[1,-1,1]}," BALL "}", "bad-mass",
       "/motion/inertiaDiagonal/1", NULL},
      {"{\"id\":\"a\",\"motion\":{\"mass\":1,\"inertiaDiagonal\":[3,1,1]}," BALL "}", "bad-mass",
       "/motion/inertiaDiagonal/0", "triangle rule"},
      {"{\"id\":\"a\",\"motion\":{\"mass\":1,\"inertiaDiagonal\":[2,1,1]}," BALL "}", NULL, NULL,
       NULL},
      {"{\"id\":\"a\",\"motion\":{\"mass\":1,\"inertiaDiagonal\":[2.000000001,1,1]}," BALL "}",
       NULL, NULL, NULL},
      {"{\"id\":\"a\",\"motion\":{\"mass\":1,\"inertiaDiagonal\":[1,2.00000001,1]}," BALL "}",
       "bad-mass", "/motion/inertiaDiagonal/1", NULL},
      {"{\"id\":\"a\",\"motion\":{\"mass\":1,\"inertiaOrientation\":[0,0,0,1]}," BALL "}",
       "conflicting-members", "/motion/inertiaOrientation", NULL},
      {"{\"id\":\"a\",\"motion\":{\"mass\":1,\"inertiaDiagonal\":[1,1,1],\"inertiaOrientation\":[0,"
       "0,0,3]}," BALL "}",
       "bad-rotation", "/motion/inertiaOrientation", NULL},
      {"{\"id\":\"a\",\"motion\":{\"mass\":1,\"centerOfMass\":[0,0,2e9]}," BALL "}", "out-of-range",
       "/motion/centerOfMass/2", NULL},
      {"{\"id\":\"a\",\"motion\":{\"mass\":1,\"linearVelocity\":[0,0,1e10]}," BALL "}",
       "out-of-range", "/motion/linearVelocity/2", NULL},
      {"{\"id\":\"a\",\"motion\":{\"mass\":1,\"angularVelocity\":[0,\"fast\",0]}," BALL "}",
       "wrong-type", "/motion/angularVelocity/1", NULL},
      {"{\"id\":\"a\",\"motion\":{\"mass\":1,\"isKinematic\":1}," BALL "}", "wrong-type",
       "/motion/isKinematic", NULL},
      {"{\"id\":\"a\",\"motion\":{\"mass\":1,\"linearAcceleration\":[0,0,0]}," BALL "}",
       "conflicting-members", "/motion/linearAcceleration", NULL},
      {"{\"id\":\"a\",\"motion\":{\"mass\":1,\"velocity\":[0,0,0]}," BALL "}", "unknown-member",
       "/motion/velocity", NULL},
      {"{\"id\":\"a\",\"motion\":{\"isKinematic\":true}," BALL "}", NULL, NULL, NULL},
      {"{\"id\":\"a\",\"colliders\":[{\"id\":\"x\",\"sphere\":{\"radius\":1}},{\"sphere\":{"
       "\"radius\":1}},{\"id\":\"x\",\"sphere\":"
       "{\"radius\":1}}]}",
       "duplicate-id", "/colliders/2/id", "\"x\""},
      {"{\"id\":\"a\",\"groups\":[\"g\",\"h\",\"g\"]," BALL "}", "duplicate-id", "/groups/2", NULL},
      {"{\"id\":\"a\",\"groups\":[\"g\",\"..\"]," BALL "}", "bad-value", "/groups/1", NULL},
      {"{\"id\":\"a\",\"groups\":\"g\"," BALL "}", "wrong-type", "/groups", NULL},
      {"{\"id\":\"a\",\"groups\":[1]," BALL "}", "wrong-type", "/groups/0", NULL},
      {"{\"id\":\"a\",\"mass\":1," BALL "}", "unknown-member", "/mass", NULL},
      {"{\"id\":\"a\",\"material\":\"steel\"," BALL "}", "unknown-member", "/material", NULL},
      {"3", "wrong-type", "", NULL},
      {"null", "wrong-type", "", NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    document d;
    api_body body = {0};
    bool good = read_body(&d, cases[i].text, NULL, &body);
    document_expect(&d, cases[i].text, cases[i].problem, cases[i].pointer, cases[i].words);
    CHECK_INT(good, cases[i].problem == NULL);
    CHECK_INT(good, body.body != NULL);
    CHECK_INT(good, !api_faults_any(&d.faults));
    api_body_release(&body);
    document_free(&d);
  }
}

/* Each member of a body with a value of each JSON type: a wrong type gives WRONG_TYPE at the
 * pointer of that value. */
/* True if the detail names the type of the value: "got an array", "got null", not "got 2". */
static bool names_a_type(const char *detail) {
  const char *got = strstr(detail, ", got ");
  return got && islower((unsigned char)got[strlen(", got ")]);
}

static void every_member_refuses_every_other_type(void) {
  enum { OBJECT = 1, ARRAY = 2, STRING = 4, NUMBER = 8, BOOL = 16, NONE = 32, ANY = 63 };
  static const struct {
    const char *before, *after, *pointer;
    int takes;
  } members[] = {
      {"", "", "", OBJECT},
      {"{\"id\":", "," BALL "}", "/id", STRING},
      {"{\"id\":\"a\",\"position\":", "," BALL "}", "/position", ARRAY},
      {"{\"id\":\"a\",\"position\":[0,", ",0]," BALL "}", "/position/1", NUMBER},
      {"{\"id\":\"a\",\"rotation\":", "," BALL "}", "/rotation", ARRAY},
      {"{\"id\":\"a\",\"rotation\":[0,0,0,", "]," BALL "}", "/rotation/3", NUMBER},
      {"{\"id\":\"a\",\"rotationWxyz\":", "," BALL "}", "/rotationWxyz", ARRAY},
      {"{\"id\":\"a\",\"rpy\":", "," BALL "}", "/rpy", ARRAY},
      {"{\"id\":\"a\",\"rpy\":[0,0,", "]," BALL "}", "/rpy/2", NUMBER},
      {"{\"id\":\"a\",\"matrix\":", "," BALL "}", "/matrix", ARRAY},
      {"{\"id\":\"a\",\"matrix\":[[1,0,0],", ",[0,0,1]]," BALL "}", "/matrix/1", ARRAY},
      {"{\"id\":\"a\",\"matrix\":[1,0,0,0,1,0,0,", ",1]," BALL "}", "/matrix/7", NUMBER},
      {"{\"id\":\"a\",\"motion\":", "," BALL "}", "/motion", OBJECT},
      {"{\"id\":\"a\",\"motion\":{\"mass\":", "}," BALL "}", "/motion/mass", NUMBER},
      {"{\"id\":\"a\",\"motion\":{\"density\":", "}," BALL "}", "/motion/density", NUMBER},
      {"{\"id\":\"a\",\"motion\":{\"mass\":1,\"inertiaDiagonal\":", "}," BALL "}",
       "/motion/inertiaDiagonal", ARRAY},
      {"{\"id\":\"a\",\"motion\":{\"mass\":1,\"inertiaDiagonal\":[1,1,", "]}," BALL "}",
       "/motion/inertiaDiagonal/2", NUMBER},
      {"{\"id\":\"a\",\"motion\":{\"mass\":1,\"inertiaDiagonal\":[1,1,1],\"inertiaOrientation\":",
       "}," BALL "}", "/motion/inertiaOrientation", ARRAY},
      {"{\"id\":\"a\",\"motion\":{\"mass\":1,\"centerOfMass\":", "}," BALL "}",
       "/motion/centerOfMass", ARRAY},
      {"{\"id\":\"a\",\"motion\":{\"mass\":1,\"linearVelocity\":", "}," BALL "}",
       "/motion/linearVelocity", ARRAY},
      {"{\"id\":\"a\",\"motion\":{\"mass\":1,\"angularVelocity\":", "}," BALL "}",
       "/motion/angularVelocity", ARRAY},
      {"{\"id\":\"a\",\"motion\":{\"mass\":1,\"isKinematic\":", "}," BALL "}",
       "/motion/isKinematic", BOOL},
      {"{\"id\":\"a\",\"groups\":", "," BALL "}", "/groups", ARRAY},
      {"{\"id\":\"a\",\"groups\":[", "]," BALL "}", "/groups/0", STRING},
      {"{\"id\":\"a\",\"user\":", "," BALL "}", "/user", ANY},
      {"{\"id\":\"a\",\"colliders\":", "}", "/colliders", ARRAY},
      {"{\"id\":\"a\",\"colliders\":[", "]}", "/colliders/0", OBJECT},
      {"{\"id\":\"a\",\"colliders\":[{\"sphere\":", "}]}", "/colliders/0/sphere", OBJECT},
      {"{\"id\":\"a\",\"colliders\":[{\"sphere\":{\"radius\":", "}}]}",
       "/colliders/0/sphere/radius", NUMBER},
      {"{\"id\":\"a\",\"colliders\":[{\"box\":", "}]}", "/colliders/0/box", OBJECT},
      {"{\"id\":\"a\",\"colliders\":[{\"box\":{\"size\":", "}}]}", "/colliders/0/box/size", ARRAY},
      {"{\"id\":\"a\",\"colliders\":[{\"box\":{\"size\":[1,1,", "]}}]}", "/colliders/0/box/size/2",
       NUMBER},
      {"{\"id\":\"a\",\"colliders\":[{\"capsule\":", "}]}", "/colliders/0/capsule", OBJECT},
      {"{\"id\":\"a\",\"colliders\":[{\"capsule\":{\"height\":1,\"radius\":", "}}]}",
       "/colliders/0/capsule/radius", NUMBER},
      {"{\"id\":\"a\",\"colliders\":[{\"capsule\":{\"radius\":1,\"height\":", "}}]}",
       "/colliders/0/capsule/height", NUMBER},
      {"{\"id\":\"a\",\"colliders\":[{\"capsule\":{\"height\":1,\"radiusTop\":1,\"radiusBottom\":",
       "}}]}", "/colliders/0/capsule/radiusBottom", NUMBER},
      {"{\"id\":\"a\",\"colliders\":[{\"capsule\":{\"height\":1,\"radiusBottom\":1,\"radiusTop\":",
       "}}]}", "/colliders/0/capsule/radiusTop", NUMBER},
      {"{\"id\":\"a\",\"colliders\":[{\"plane\":", "}]}", "/colliders/0/plane", OBJECT},
      {"{\"id\":\"a\",\"colliders\":[{\"convex\":", "}]}", "/colliders/0/convex", OBJECT},
      {"{\"id\":\"a\",\"colliders\":[{\"convex\":{\"vertices\":", "}}]}",
       "/colliders/0/convex/vertices", ARRAY},
      {"{\"id\":\"a\",\"colliders\":[{\"convex\":{\"vertices\":[[0,0,0],[1,0,0],[0,1,0],", "]}}]}",
       "/colliders/0/convex/vertices/3", ARRAY},
      {"{\"id\":\"a\",\"colliders\":[{\"convex\":{\"vertices\":[[0,0,0],[1,0,0],[0,1,0],[0,0,",
       "]]}}]}", "/colliders/0/convex/vertices/3/2", NUMBER},
      {"{\"id\":\"a\",\"colliders\":[{\"convex\":{\"planes\":", "}}]}",
       "/colliders/0/convex/planes", ARRAY},
      {"{\"id\":\"a\",\"colliders\":[{\"sphere\":{\"radius\":1},\"id\":", "}]}", "/colliders/0/id",
       STRING},
      {"{\"id\":\"a\",\"colliders\":[{\"sphere\":{\"radius\":1},\"position\":", "}]}",
       "/colliders/0/position", ARRAY},
      {"{\"id\":\"a\",\"colliders\":[{\"sphere\":{\"radius\":1},\"rotation\":", "}]}",
       "/colliders/0/rotation", ARRAY},
  };
  static const struct {
    const char *text;
    int type;
  } values[] = {{"{}", OBJECT},  {"[]", ARRAY},  {"\"x\"", STRING}, {"7", NUMBER},
                {"0.5", NUMBER}, {"true", BOOL}, {"false", BOOL},   {"null", NONE}};
  for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
    for (size_t j = 0; j < sizeof values / sizeof values[0]; j++) {
      char text[400];
      snprintf(text, sizeof text, "%s%s%s", members[i].before, values[j].text, members[i].after);
      document d;
      api_body body = {0};
      read_body(&d, text, NULL, &body);
      if (!(members[i].takes & values[j].type))
        document_expect(&d, text, "wrong-type", members[i].pointer, "Expected");
      else if (d.faults.count && d.faults.id == API_PROBLEM_WRONG_TYPE &&
               names_a_type(d.faults.items[0].detail) &&
               strcmp(d.faults.items[0].pointer, members[i].pointer) == 0)
        CHECK_FAIL("%s: refused for its type", text);
      api_body_release(&body);
      document_free(&d);
    }
  }
}

/* Each number of a body with values outside every limit: refused at the number's own pointer. */
static void every_number_refuses_the_huge(void) {
  static const struct {
    const char *before, *after, *pointer;
  } members[] = {
      {"{\"id\":\"a\",\"position\":[", ",0,0]," BALL "}", "/position/0"},
      {"{\"id\":\"a\",\"rotation\":[", ",0,0,0]," BALL "}", "/rotation/0"},
      {"{\"id\":\"a\",\"rotationWxyz\":[0,0,0,", "]," BALL "}", "/rotationWxyz/3"},
      {"{\"id\":\"a\",\"rpy\":[0,", ",0]," BALL "}", "/rpy/1"},
      {"{\"id\":\"a\",\"matrix\":[1,0,0,0,1,0,0,0,", "]," BALL "}", "/matrix/8"},
      {"{\"id\":\"a\",\"motion\":{\"mass\":", "}," BALL "}", "/motion/mass"},
      {"{\"id\":\"a\",\"motion\":{\"density\":", "}," BALL "}", "/motion/density"},
      {"{\"id\":\"a\",\"motion\":{\"mass\":1,\"inertiaDiagonal\":[1,1,", "]}," BALL "}",
       "/motion/inertiaDiagonal/2"},
      {"{\"id\":\"a\",\"motion\":{\"mass\":1,\"centerOfMass\":[0,0,", "]}," BALL "}",
       "/motion/centerOfMass/2"},
      {"{\"id\":\"a\",\"motion\":{\"mass\":1,\"linearVelocity\":[0,0,", "]}," BALL "}",
       "/motion/linearVelocity/2"},
      {"{\"id\":\"a\",\"motion\":{\"mass\":1,\"angularVelocity\":[0,0,", "]}," BALL "}",
       "/motion/angularVelocity/2"},
      {"{\"id\":\"a\",\"colliders\":[{\"sphere\":{\"radius\":", "}}]}",
       "/colliders/0/sphere/radius"},
      {"{\"id\":\"a\",\"colliders\":[{\"box\":{\"size\":[1,", ",1]}}]}", "/colliders/0/box/size/1"},
      {"{\"id\":\"a\",\"colliders\":[{\"capsule\":{\"radius\":1,\"height\":", "}}]}",
       "/colliders/0/capsule/height"},
      {"{\"id\":\"a\",\"colliders\":[{\"convex\":{\"vertices\":[[0,0,0],[1,0,0],[0,1,0],[0,0,",
       "]]}}]}", "/colliders/0/convex/vertices/3/2"}};
  static const char *const values[] = {"1e308",
                                       "-1e308",
                                       "1.7976931348623157e308",
                                       "1e155",
                                       "-1e40",
                                       "9223372036854775807",
                                       "-9223372036854775808"};
  for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
    for (size_t j = 0; j < sizeof values / sizeof values[0]; j++) {
      char text[400];
      snprintf(text, sizeof text, "%s%s%s", members[i].before, values[j], members[i].after);
      /* Two limits are wider than an integer. */
      if (values[j][0] == '9' && strstr(members[i].before, "inertia")) continue;
      document d;
      api_body body = {0};
      CHECK(!read_body(&d, text, NULL, &body));
      document_expect(&d, text,
                      strstr(members[i].before, "motion") &&
                              !strstr(members[i].before, "elocity") &&
                              !strstr(members[i].before, "center")
                          ? "bad-mass"
                          : "out-of-range",
                      members[i].pointer, NULL);
      CHECK(d.faults.items[0].has_limit && d.faults.items[0].has_actual);
      document_free(&d);
    }
  }
}

static void bodies_come_back_as_they_were_given(void) {
  static const char *const texts[] = {
      "{\"id\":\"a\",\"position\":[0,0,0],\"rotation\":[0,0,0,1]," BALL "}",
      "{\"id\":\"arm.link-1~x:y@z\",\"position\":[1e-9,-1000000000,0.1],\"rotation\":[0.5,0.5,0.5,"
      "0.5],\"motion\":{\"mass\":2.5},"
      "\"colliders\":[{\"id\":\"c1\",\"box\":{\"size\":[1,2,3]},\"position\":[0,0,1],\"rotation\":["
      "0,0,1,0]},{\"sphere\":"
      "{\"radius\":1}}],\"groups\":[\"arm\",\"left\"],\"user\":{\"z\":[1,2.5,\"\xc3\xa4\",null],"
      "\"a\":{}}}",
      "{\"id\":\"b\",\"position\":[0,0,0],\"rotation\":[0,0,0,1],\"motion\":{\"density\":1000,"
      "\"linearVelocity\":[1,0,0],"
      "\"angularVelocity\":[0,0,-3.5]}," BALL "}",
      "{\"id\":\"k\",\"position\":[0,0,0],\"rotation\":[0,0,0,1],\"motion\":{\"angularVelocity\":["
      "0,0,1],\"isKinematic\":true}"
      "," BALL "}",
      "{\"id\":\"m\",\"position\":[0,0,0],\"rotation\":[0,0,0,1],\"motion\":{\"mass\":1,"
      "\"inertiaDiagonal\":[3,2,1.5],"
      "\"inertiaOrientation\":[0,0,0.7071067811865475,0.7071067811865475],\"centerOfMass\":[0.1,0,"
      "0]}," BALL ",\"user\":0}",
      "{\"id\":\"u\",\"position\":[0,0,0],\"rotation\":[0,0,0,1]," BALL ",\"user\":\"\"}",
      "{\"id\":\"u\",\"position\":[0,0,0],\"rotation\":[0,0,0,1]," BALL
      ",\"user\":12345678901234567}",
  };
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    document d;
    api_body body = {0};
    if (!read_body(&d, texts[i], NULL, &body))
      CHECK_FAIL("%s: %s", texts[i], d.faults.items[0].detail);
    char *text = body_text(&body);
    CHECK_TEXT(text, texts[i]);
    free(text);
    api_body_release(&body);
    document_free(&d);
  }
}

/* Encoding may normalise a document; decoding and encoding the result gives the same text. */
static void random_bodies_are_stable_after_one_round(void) {
  check_random r = {31};
  for (int i = 0; i < 3000; i++) {
    char text[700];
    double a = check_uniform(&r, -3, 3), b = check_uniform(&r, -3, 3);
    static const char *const rotations[] = {
        "\"rpy\":[%.17g,%.17g,1]", "\"matrix\":[1,0,0,0,1,0,0,0,1],\"user\":[%.17g,%.17g]",
        "\"rotationWxyz\":[1,0,0,0],\"user\":{\"x\":%.17g,\"y\":%.17g}",
        ("\"rotation\":[0,0,0,1.0005],\"motion\":{\"density\":1,"
         "\"linearVelocity\":[%.17g,%.17g,0]}")};
    char rotation[200];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(rotation, sizeof rotation, rotations[i % 4], a, b);
#pragma GCC diagnostic pop
    snprintf(text, sizeof text,
             "{\"id\":\"a\",%s,\"position\":[%.17g,%.17g,0],\"colliders\":[{\"capsule\":{"
             "\"radius\":%.17g,\"height\":%.17g},"
             "\"rpy\":[%.17g,0,0]}]}",
             rotation, a * 1e3, b * 1e-7, fabs(a) + 1e-9, fabs(b) + 1e-9, b);
    document d, e;
    api_body first = {0}, second = {0};
    if (!read_body(&d, text, NULL, &first)) CHECK_FAIL("%s: %s", text, d.faults.items[0].detail);
    char *once = body_text(&first);
    if (!read_body(&e, once, NULL, &second)) CHECK_FAIL("%s: %s", once, e.faults.items[0].detail);
    char *twice = body_text(&second);
    CHECK_TEXT(twice, once);
    CHECK(memcmp(&first.pose, &second.pose, sizeof first.pose) == 0);
    CHECK(memcmp(&first.velocity, &second.velocity, sizeof first.velocity) == 0);
    free(once);
    free(twice);
    api_body_release(&first);
    api_body_release(&second);
    document_free(&d);
    document_free(&e);
  }
}

static void colliders_of_a_body_are_limited(void) {
  for (uint64_t limit = 2; limit <= 3; limit++) {
    static const char text[] =
        "{\"id\":\"a\",\"colliders\":[{\"plane\":{}},{\"plane\":{}},{\"plane\":{}}]}";
    document d;
    api_body body = {0};
    document_init(&d);
    d.limits.colliders = limit;
    CHECK(document_parse(&d, text, sizeof text - 1));
    CHECK_INT(api_read_body(&d.reader, &d.root, NULL, &body), limit == 3);
    document_expect(&d, "colliders", limit == 3 ? NULL : "limit-exceeded", "/colliders", NULL);
    if (limit == 2) CHECK(d.faults.items[0].limit == 2.0 && d.faults.items[0].actual == 3.0);
    api_body_release(&body);
    document_free(&d);
  }
}

static void user_data_is_limited_by_its_compact_text(void) {
  for (size_t extra = 0; extra < 2; extra++) {
    char text[6000] = "{\"id\":\"a\"," BALL ",\"user\":  \"";
    size_t n = strlen(text);
    memset(text + n, 'x', 4094 + extra);
    n += 4094 + extra;
    memcpy(text + n, "\"   }", sizeof "\"   }");
    document d;
    api_body body = {0};
    read_body(&d, text, NULL, &body);
    document_expect(&d, "user", extra ? "limit-exceeded" : NULL, "/user", NULL);
    if (extra) CHECK_NEAR(d.faults.items[0].actual, 4097, 0);
    api_body_release(&body);
    document_free(&d);
  }
  document d;
  api_body body = {0};
  CHECK(read_body(&d, "{\"id\":\"a\"," BALL ",\"user\":null}", NULL, &body));
  CHECK_INT(ct_body_user(body.body).length, 0);
  api_body_release(&body);
  document_free(&d);
}

static void the_short_form_is_one_collider_placed_as_a_body(void) {
  api_body_form form = {.id = {"a", 1}, .allow_short = true}, strict = {.id = {"a", 1}};
  static const char text[] = "{\"sphere\":{\"radius\":0.5},\"position\":[0.9,0,0],\"rpy\":[0,0,1]}";
  document d;
  api_body body = {0};
  CHECK(read_body(&d, text, &form, &body));
  CHECK(api_text_equal(ct_body_id(body.body), api_text("a")));
  CHECK_NEAR(body.pose.position.x, 0.9, 0);
  CHECK_NEAR(body.pose.rotation.z, sin(0.5), 1e-16);
  ct_collider c = ct_body_collider(body.body, 0);
  ct_pose identity = ct_pose_identity();
  CHECK(memcmp(&c.pose, &identity, sizeof identity) == 0);
  CHECK(!ct_body_motion(body.body));
  api_body_release(&body);
  document_free(&d);
  CHECK(!read_body(&d, text, &strict, &body));
  document_expect(&d, "strict", "unknown-member", "/sphere", NULL);
  document_free(&d);
  /* A complete body, with its own id or with the given one. */
  CHECK(read_body(&d, "{" BALL "}", &form, &body));
  CHECK(api_text_equal(ct_body_id(body.body), api_text("a")));
  api_body_release(&body);
  document_free(&d);
  CHECK(read_body(&d, "{\"id\":\"own\",\"box\":{\"size\":[1,1,1]}}", &form, &body));
  CHECK(api_text_equal(ct_body_id(body.body), api_text("own")));
  api_body_release(&body);
  document_free(&d);
  CHECK(!read_body(&d, "{\"sphere\":{\"radius\":0.5},\"motion\":{\"mass\":1}}", &form, &body));
  document_expect(&d, "short with motion", "unknown-member", "/motion", NULL);
  document_free(&d);
}

static void a_fixed_id_cannot_be_another(void) {
  api_body_form form = {.id = {"lid", 3}, .id_is_fixed = true};
  document d;
  api_body body = {0};
  CHECK(read_body(&d, "{" BALL "}", &form, &body));
  api_body_release(&body);
  document_free(&d);
  CHECK(read_body(&d, "{\"id\":\"lid\"," BALL "}", &form, &body));
  api_body_release(&body);
  document_free(&d);
  CHECK(!read_body(&d, "{\"id\":\"Lid\"," BALL "}", &form, &body));
  document_expect(&d, "other id", "bad-value", "/id", "\"lid\"");
  document_free(&d);
}

static void reading_gives_the_arena_back(void) {
  document d;
  document_init(&d);
  static const char text[] = "{\"id\":\"a\"," BALL ",\"groups\":[\"g\"],\"user\":[1]}";
  CHECK(document_parse(&d, text, sizeof text - 1));
  size_t bytes = 0;
  for (int i = 0; i < 1000; i++) {
    api_body body = {0};
    CHECK(api_read_body(&d.reader, &d.root, NULL, &body));
    api_body_release(&body);
    if (i == 0) bytes = d.arena.bytes;
  }
  CHECK_INT(d.arena.bytes, bytes);
  document_free(&d);
}

static const check_test tests[] = {
    {"bad_bodies_say_why_and_where", bad_bodies_say_why_and_where},
    {"every_member_refuses_every_other_type", every_member_refuses_every_other_type},
    {"every_number_refuses_the_huge", every_number_refuses_the_huge},
    {"bodies_come_back_as_they_were_given", bodies_come_back_as_they_were_given},
    {"random_bodies_are_stable_after_one_round", random_bodies_are_stable_after_one_round},
    {"colliders_of_a_body_are_limited", colliders_of_a_body_are_limited},
    {"user_data_is_limited_by_its_compact_text", user_data_is_limited_by_its_compact_text},
    {"the_short_form_is_one_collider_placed_as_a_body",
     the_short_form_is_one_collider_placed_as_a_body},
    {"a_fixed_id_cannot_be_another", a_fixed_id_cannot_be_another},
    {"reading_gives_the_arena_back", reading_gives_the_arena_back}};

CHECK_MAIN(tests)
