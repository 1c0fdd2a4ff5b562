/* Colliders: shapes decode to the engine's shapes, encode to the given text, and faults name the
 * reason and the pointer. */
#include "shapes/shape_json.h"
#include "tests/support/document.h"

static bool read_collider(document *d, const char *text, ct_collider *out) {
  document_init(d);
  return document_parse(d, text, strlen(text)) && api_read_collider(&d->reader, &d->root, out);
}

static void shapes_become_the_engines(void) {
  document d;
  ct_collider c = {0};
  CHECK(read_collider(&d, "{\"sphere\":{\"radius\":0.25}}", &c));
  CHECK(c.shape.kind == CT_KIND_SPHERE && c.shape.sphere.radius == 0.25 && c.note.length == 0 &&
        c.id.length == 0);
  document_free(&d);
  CHECK(
      read_collider(&d, "{\"box\":{\"size\":[1,0.2,3]},\"position\":[1,2,3],\"id\":\"lid\"}", &c));
  CHECK(c.shape.kind == CT_KIND_BOX && c.shape.box.half.x == 0.5 && c.shape.box.half.y == 0.1 &&
        c.shape.box.half.z == 1.5);
  CHECK(c.pose.position.z == 3 && c.id.length == 3);
  document_free(&d);
  CHECK(read_collider(&d, "{\"capsule\":{\"radius\":1,\"height\":4}}", &c));
  CHECK(c.shape.kind == CT_KIND_CAPSULE && c.shape.capsule.half_length == 2);
  CHECK(c.shape.capsule.radius_bottom == 1 && c.shape.capsule.radius_top == 1);
  document_free(&d);
  CHECK(read_collider(&d, "{\"capsule\":{\"radiusBottom\":1,\"radiusTop\":2,\"height\":0}}", &c));
  CHECK(c.shape.capsule.half_length == 0 && c.shape.capsule.radius_bottom == 1 &&
        c.shape.capsule.radius_top == 2);
  document_free(&d);
  CHECK(read_collider(&d, "{\"cylinder\":{\"radius\":0.25,\"height\":1.5}}", &c));
  CHECK(c.shape.kind == CT_KIND_CYLINDER && c.shape.cylinder.radius == 0.25 &&
        c.shape.cylinder.half_length == 0.75);
  document_free(&d);
  CHECK(read_collider(&d, "{\"cone\":{\"radius\":0.25,\"height\":1.5}}", &c));
  CHECK(c.shape.kind == CT_KIND_CONE && c.shape.cone.half_length == 0.75);
  CHECK(c.shape.cone.radius_bottom == 0.25 && c.shape.cone.radius_top == 0);
  document_free(&d);
  CHECK(read_collider(&d, "{\"cone\":{\"radius\":0.25,\"height\":1.5,\"radiusTop\":2}}", &c));
  CHECK(c.shape.cone.radius_bottom == 0.25 && c.shape.cone.radius_top == 2);
  document_free(&d);
  CHECK(read_collider(&d, "{\"ellipsoid\":{\"radii\":[0.5,1,2]}}", &c));
  CHECK(c.shape.kind == CT_KIND_ELLIPSOID && c.shape.ellipsoid.radii.x == 0.5 &&
        c.shape.ellipsoid.radii.z == 2);
  document_free(&d);
  CHECK(read_collider(&d, "{\"plane\":{}}", &c));
  CHECK(c.shape.kind == CT_KIND_PLANE);
  document_free(&d);
  CHECK(read_collider(
      &d, "{\"convex\":{\"vertices\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1],[0.1,0.1,0.1]]}}", &c));
  CHECK(c.shape.kind == CT_KIND_CONVEX && ct_hull_get(c.shape.hull)->vertex_count == 4);
  CHECK_NEAR(ct_hull_get(c.shape.hull)->volume, 1.0 / 6.0, 1e-15);
  api_collider_release(&c);
  document_free(&d);
  CHECK(read_collider(&d,
                      "{\"convex\":{\"planes\":[[2,0,0,-2],[-1,0,0,-1],[0,1,0,-1],[0,-1,0,-1],[0,0,"
                      "1,-1],[0,0,-1,-1]]}}",
                      &c));
  CHECK_NEAR(ct_hull_get(c.shape.hull)->volume, 8.0, 1e-13);
  api_collider_release(&c);
  document_free(&d);
}

/* A redundant plane keeps its id in the document only; each face of the hull has the id of its
 * plane. */
static void faces_have_the_ids_of_their_planes(void) {
  document d;
  ct_collider c = {0};
  CHECK(read_collider(&d,
                      "{\"convex\":{\"planes\":[[1,0,0,-9],[2,0,0,-2],[-1,0,0,-1],[0,1,0,-1],[0,-1,"
                      "0,-1],[0,0,1,-1],[0,0,-1,-1]],"
                      "\"surfaceIds\":[90,0,1,2,3,4,5]}}",
                      &c));
  const ct_hull_view *view = ct_hull_get(c.shape.hull);
  CHECK_INT(view->face_count, 6);
  for (uint32_t f = 0; view->surface_ids && f < view->face_count; f++) {
    const double n[3] = {view->nx[f], view->ny[f], view->nz[f]};
    uint32_t id = view->surface_ids[f];
    CHECK(id < 6 && fabs(n[id / 2] - (id & 1 ? -1.0 : 1.0)) <= 1e-15);
  }
  CHECK(view->surface_ids != NULL);
  api_collider_release(&c);
  document_free(&d);
}

static void rounding_and_margin_become_the_engines(void) {
  document d;
  ct_collider c = {0};
  CHECK(read_collider(&d, "{\"box\":{\"size\":[1,1,1]}}", &c));
  CHECK(!c.shape.inset && c.shape.rounding == 0 && c.shape.margin == 0);
  document_free(&d);
  CHECK(
      read_collider(&d, "{\"box\":{\"size\":[1,1,1]},\"roundingRadius\":0.25,\"margin\":0.5}", &c));
  CHECK(c.shape.inset && c.shape.rounding == 0.25 && c.shape.margin == 0.5 &&
        c.shape.box.half.x == 0.5);
  document_free(&d);
  CHECK(read_collider(
      &d, "{\"box\":{\"size\":[1,1,1]},\"roundingRadius\":2,\"roundingMode\":\"add\"}", &c));
  CHECK(!c.shape.inset && c.shape.rounding == 2);
  document_free(&d);
  CHECK(read_collider(
      &d,
      "{\"box\":{\"size\":[1,1,1]},\"roundingRadius\":0,\"roundingMode\":\"inset\",\"margin\":0}",
      &c));
  CHECK(!c.shape.inset && c.shape.rounding == 0 && c.shape.margin == 0);
  document_free(&d);
  /* A tetrahedron of inradius 1 / (3 + sqrt 3), shrunk by 1/8: its corner at the origin moves by
   * 1/8 along each axis. */
  CHECK(read_collider(
      &d, "{\"convex\":{\"vertices\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]]},\"roundingRadius\":0.125}",
      &c));
  const ct_hull_view *inset = ct_hull_get(c.shape.hull),
                     *outer = ct_hull_get(ct_hull_outer(c.shape.hull));
  double edge = 1 - 0.125 * (3 + sqrt(3));
  CHECK(inset != outer && outer->vertex_count == 4 && inset->vertex_count == 4);
  CHECK_NEAR(outer->volume, 1.0 / 6.0, 1e-15);
  CHECK_NEAR(inset->volume, edge * edge * edge / 6.0, 1e-12);
  CHECK_NEAR(inset->box.min.x, 0.125, 1e-12);
  CHECK(ct_hull_bytes(c.shape.hull) > ct_hull_bytes(ct_hull_outer(c.shape.hull)));
  api_collider_release(&c);
  document_free(&d);
}

static void a_shape_comes_back_as_it_was_given(void) {
  static const char *const texts[] = {
      "{\"sphere\":{\"radius\":0.1}}",
      "{\"id\":\"a\",\"box\":{\"size\":[0.1,0.2,0.30000000000000004]},\"position\":[1e-9,0,5e-324]"
      "}",
      "{\"capsule\":{\"radius\":0.3,\"height\":0.7}}",
      "{\"capsule\":{\"radius\":0.3,\"height\":0}}",
      "{\"capsule\":{\"radiusBottom\":0.3,\"radiusTop\":0.3,\"height\":0.7}}",
      "{\"capsule\":{\"radiusBottom\":0.3,\"radiusTop\":0.1,\"height\":0.7}}",
      "{\"cylinder\":{\"radius\":0.3,\"height\":0.7}}",
      "{\"cone\":{\"radius\":0.3,\"height\":0.7}}",
      "{\"cone\":{\"radius\":0.3,\"height\":0.7,\"radiusTop\":0}}",
      "{\"cone\":{\"radius\":0.3,\"height\":0.7,\"radiusTop\":0.1}}",
      "{\"cone\":{\"radius\":0.3,\"height\":0.7,\"radiusTop\":0.3}}",
      "{\"ellipsoid\":{\"radii\":[0.1,0.2,0.30000000000000004]}}",
      "{\"sphere\":{\"radius\":0.1},\"roundingRadius\":0.1}",
      "{\"box\":{\"size\":[1,2,3]},\"roundingRadius\":0.1,\"margin\":0.01,\"position\":[1,0,0]}",
      "{\"ellipsoid\":{\"radii\":[0.1,0.2,0.3]},\"roundingRadius\":0.1,\"roundingMode\":\"add\"}",
      "{\"convex\":{\"vertices\":[[0,0,1],[1,0,0],[0,1,0],[0,0,0]]},\"roundingRadius\":0.1}",
      "{\"convex\":{\"vertices\":[[0,0,1],[1,0,0],[0,1,0],[0,0,0]]},\"roundingRadius\":1,"
      "\"roundingMode\":\"add\"}",
      "{\"plane\":{},\"margin\":0.1}",
      "{\"plane\":{},\"rotation\":[0,0.7071067811865475,0,0.7071067811865475]}",
      "{\"convex\":{\"vertices\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]]}}",
      "{\"convex\":{\"vertices\":[[0,0,1],[1,0,0],[0,1,0],[0,0,0]]}}",
      /* A point inside, a point twice, points on an edge and on a face. */
      "{\"convex\":{\"vertices\":[[0.1,0.1,0.1],[0,0,0],[1,0,0],[0,1,0],[0,0,1]]}}",
      "{\"convex\":{\"vertices\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1],[1,0,0]]}}",
      "{\"convex\":{\"vertices\":[[0,0,0],[1,0,0],[0.5,0,0],[0.25,0.25,0],[0,1,0],[0,0,1]]}}",
      "{\"convex\":{\"vertices\":[[0,0,0],[1,0,5e-324],[0,1,0],[0,0,1]]}}",
      "{\"convex\":{\"planes\":[[2,0,0,-2],[-1,0,0,-1],[0,1,0,-1],[0,-1,0,-1],[0,0,1,-1],[0,0,-1,-"
      "1],[1,0,0,-100]]}}",
      "{\"convex\":{\"vertices\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]],\"surfaceIds\":[7,0,4294967295,"
      "7]}}",
      "{\"convex\":{\"vertices\":[[0.1,0.1,0.1],[0,0,0],[1,0,0],[0,1,0],[0,0,1]],\"surfaceIds\":[4,"
      "3,2,1]}}",
      "{\"convex\":{\"planes\":[[-1,0,0,0],[0,-1,0,0],[0,0,-1,0],[1,1,1,-1]],\"surfaceIds\":[1,2,3,"
      "4]}}",
  };
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    document d;
    ct_collider c = {0};
    if (!read_collider(&d, texts[i], &c)) CHECK_FAIL("%s: %s", texts[i], d.faults.items[0].detail);
    api_buffer out = {0};
    api_put_collider(&out, &c);
    api_put_byte(&out, 0);
    CHECK_TEXT(out.bytes, texts[i]);
    api_buffer_free(&out);
    api_collider_release(&c);
    document_free(&d);
  }
}

/* All points of a ball's surface are vertices: they are returned in their order without a note. */
static void points_that_are_all_vertices_need_no_note(void) {
  check_random r = {21};
  api_buffer text = {0}, out = {0};
  api_put_raw(&text, "{\"convex\":{\"vertices\":[");
  for (int i = 0; i < 500; i++) {
    ct_vec3 p = {check_uniform(&r, -1, 1), check_uniform(&r, -1, 1), check_uniform(&r, -1, 1)};
    api_put_item(&text);
    api_put_vec3(&text, ct_scale(p, 1.0 / ct_norm(p)));
  }
  api_put_raw(&text, "]}}");
  api_put_byte(&text, 0);
  document d;
  ct_collider c = {0};
  CHECK(read_collider(&d, text.bytes, &c));
  CHECK_INT(c.note.length, 0);
  api_put_collider(&out, &c);
  api_put_byte(&out, 0);
  CHECK_TEXT(out.bytes, text.bytes);
  api_collider_release(&c);
  document_free(&d);
  api_buffer_free(&text);
  api_buffer_free(&out);
}

/* A shape's text and its expected problem: type, pointer, part of the detail. */
typedef struct refused_shape {
  const char *text, *problem, *pointer, *words;
} refused_shape;

static void expect_refused(const refused_shape *cases, size_t count) {
  for (size_t i = 0; i < count; i++) {
    document d;
    ct_collider c = {0};
    CHECK(!read_collider(&d, cases[i].text, &c));
    document_expect(&d, cases[i].text, cases[i].problem, cases[i].pointer, cases[i].words);
    document_free(&d);
  }
}

static void bad_shapes_say_why_and_where(void) {
  static const refused_shape cases[] = {
      {"{}", "missing-member", "",
       "sphere, box, capsule, cylinder, cone, ellipsoid, convex, mesh, tetmesh, hexmesh, "
       "elementmesh, plane"},
      {"{\"sphere\":{\"radius\":1},\"box\":{\"size\":[1,1,1]}}", "conflicting-members", "",
       "exclude each other"},
      {"{\"sphere\":{\"radius\":1},\"colour\":1}", "unknown-member", "/colour", NULL},
      {"{\"spheer\":{\"radius\":1}}", "unknown-member", "/spheer", "did you mean \"sphere\""},
      {"{\"Box\":{\"size\":[1,1,1]}}", "unknown-member", "/Box", "did you mean \"box\""},
      {"{\"mesh\":{\"vertices\":[],\"triangles\":[]}}", "missing-member", "/mesh/vertices",
       "At least 3"},
      {"{\"triangles\":{\"vertices\":[]}}", "unknown-member", "/triangles", NULL},
      {"{\"sphere\":{\"radius\":1},\"rounding\":0.1}", "unknown-member", "/rounding", NULL},
      {"{\"sphere\":{\"radius\":1},\"material\":\"a\\u0007steel\"}", "bad-value", "/material",
       NULL},
      {"{\"sphere\":{}}", "missing-member", "/sphere/radius", NULL},
      {"{\"sphere\":{\"raduis\":1}}", "unknown-member", "/sphere/raduis",
       "did you mean \"radius\""},
      {"{\"sphere\":{\"radius\":0}}", "out-of-range", "/sphere/radius", "1e-9"},
      {"{\"sphere\":{\"radius\":-1}}", "out-of-range", "/sphere/radius", NULL},
      {"{\"sphere\":{\"radius\":5e-324}}", "out-of-range", "/sphere/radius", NULL},
      {"{\"sphere\":{\"radius\":1e308}}", "out-of-range", "/sphere/radius", NULL},
      {"{\"sphere\":{\"radius\":\"1\"}}", "wrong-type", "/sphere/radius", NULL},
      {"{\"sphere\":1}", "wrong-type", "/sphere", NULL},
      {"{\"sphere\":null}", "wrong-type", "/sphere", "got null"},
      {"{\"box\":{\"size\":[1,1]}}", "wrong-type", "/box/size", NULL},
      {"{\"box\":{\"size\":1}}", "wrong-type", "/box/size", "array of 3 numbers"},
      {"{\"box\":{\"size\":[1,0,1]}}", "out-of-range", "/box/size/1", NULL},
      {"{\"box\":{\"size\":[1,1,2e9]}}", "out-of-range", "/box/size/2", NULL},
      {"{\"box\":{\"size\":[1,1,-1]}}", "out-of-range", "/box/size/2", NULL},
      {"{\"box\":{\"halfExtents\":[1,1,1]}}", "unknown-member", "/box/halfExtents",
       "members: size"},
      {"{\"capsule\":{\"radius\":1}}", "missing-member", "/capsule/height", NULL},
      {"{\"capsule\":{\"height\":1}}", "missing-member", "/capsule", "radiusBottom and radiusTop"},
      {"{\"capsule\":{\"radius\":1,\"radiusTop\":1,\"height\":1}}", "conflicting-members",
       "/capsule", NULL},
      {"{\"capsule\":{\"radiusTop\":1,\"height\":1}}", "missing-member", "/capsule", NULL},
      {"{\"capsule\":{\"radius\":1,\"height\":-1}}", "out-of-range", "/capsule/height", NULL},
      {"{\"capsule\":{\"radius\":1,\"height\":1e-10}}", "out-of-range", "/capsule/height", NULL},
      {"{\"capsule\":{\"radiusBottom\":1,\"radiusTop\":0,\"height\":1}}", "out-of-range",
       "/capsule/radiusTop", NULL},
      {"{\"capsule\":{\"radius\":1,\"length\":1}}", "unknown-member", "/capsule/length", NULL},
      {"{\"cylinder\":{\"radius\":1,\"height\":0}}", "out-of-range", "/cylinder/height", NULL},
      {"{\"cylinder\":{\"height\":1}}", "missing-member", "/cylinder/radius", NULL},
      {"{\"cylinder\":{\"radius\":1,\"length\":1}}", "unknown-member", "/cylinder/length", NULL},
      {"{\"cone\":{\"radius\":0,\"height\":1}}", "out-of-range", "/cone/radius", NULL},
      {"{\"cone\":{\"radius\":1,\"height\":1,\"radiusTop\":1e-10}}", "out-of-range",
       "/cone/radiusTop", NULL},
      {"{\"cone\":{\"radius\":1,\"height\":1,\"radiusTop\":-1}}", "out-of-range", "/cone/radiusTop",
       NULL},
      {"{\"cone\":{\"radius\":1}}", "missing-member", "/cone/height", NULL},
      {"{\"ellipsoid\":{\"radii\":[1,2]}}", "wrong-type", "/ellipsoid/radii", NULL},
      {"{\"ellipsoid\":{\"radii\":[1,2,0]}}", "out-of-range", "/ellipsoid/radii/2", NULL},
      {"{\"ellipsoid\":{\"radius\":1}}", "unknown-member", "/ellipsoid/radius", NULL},
      {"{\"sphere\":{\"radius\":1},\"margin\":-0.1}", "out-of-range", "/margin", NULL},
      {"{\"sphere\":{\"radius\":1},\"margin\":\"1 mm\"}", "wrong-type", "/margin", NULL},
      {"{\"sphere\":{\"radius\":1},\"roundingRadius\":1e10,\"roundingMode\":\"add\"}",
       "out-of-range", "/roundingRadius", NULL},
      {"{\"box\":{\"size\":[1,1,1]},\"roundingRadius\":0.1,\"roundingMode\":\"ad\"}", "bad-value",
       "/roundingMode", NULL},
      {"{\"box\":{\"size\":[1,1,1]},\"roundingMode\":\"add\"}", "conflicting-members",
       "/roundingMode", "requires roundingRadius"},
      {"{\"box\":{\"size\":[1,1,3]},\"roundingRadius\":0.5}", "out-of-range", "/roundingRadius",
       "too thin"},
      {"{\"sphere\":{\"radius\":1},\"roundingRadius\":1.5}", "out-of-range", "/roundingRadius",
       "too thin"},
      {"{\"capsule\":{\"radiusBottom\":1,\"radiusTop\":0.5,\"height\":3},\"roundingRadius\":0.75}",
       "out-of-range", "/roundingRadius", "too thin"},
      {"{\"cylinder\":{\"radius\":1,\"height\":1},\"roundingRadius\":0.5}", "out-of-range",
       "/roundingRadius", "too thin"},
      /* 3, 4, 5: the inradius of the section is 3 * 4 / (3 + 5). */
      {"{\"cone\":{\"radius\":3,\"height\":4},\"roundingRadius\":1.5}", "out-of-range",
       "/roundingRadius", "too thin"},
      {"{\"convex\":{\"vertices\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]]},\"roundingRadius\":0.2114}",
       "out-of-range", "/roundingRadius", "too thin"},
      {"{\"ellipsoid\":{\"radii\":[1,2,3]},\"roundingRadius\":0.1}", "bad-value", "/roundingRadius",
       "add"},
      {"{\"ellipsoid\":{\"radii\":[1,2,3]},\"roundingRadius\":0.1,\"roundingMode\":\"inset\"}",
       "bad-value", "/roundingMode", "add"},
      {"{\"plane\":{\"normal\":[0,0,1]}}", "unknown-member", "/plane/normal", NULL},
      {"{\"plane\":true}", "wrong-type", "/plane", NULL},
      {"{\"sphere\":{\"radius\":1},\"id\":\"..\"}", "bad-value", "/id", NULL},
      {"{\"sphere\":{\"radius\":1},\"rpy\":[0,0,0],\"rotation\":[0,0,0,1]}", "conflicting-members",
       "", NULL},
      {"[]", "wrong-type", "", "Expected an object"},
  };
  expect_refused(cases, sizeof cases / sizeof cases[0]);
}

static void bad_hulls_say_why_and_where(void) {
  static const refused_shape cases[] = {
      {"{\"convex\":{}}", "missing-member", "/convex", "vertices, planes"},
      {"{\"convex\":{\"vertices\":[],\"planes\":[]}}", "conflicting-members", "/convex",
       "exclude each other"},
      {"{\"convex\":{\"points\":[]}}", "unknown-member", "/convex/points", NULL},
      {"{\"convex\":{\"vertices\":[]}}", "degenerate-hull", "/convex/vertices", "at least 4"},
      {"{\"convex\":{\"vertices\":[[0,0,0],[1,0,0],[0,1,0]]}}", "degenerate-hull",
       "/convex/vertices", "at least 4"},
      {"{\"convex\":{\"vertices\":[[0,0,0],[1,0,0],[0,1,0],[0,0]]}}", "wrong-type",
       "/convex/vertices/3", NULL},
      {"{\"convex\":{\"vertices\":[[0,0,0],[1,0,0],[0,\"y\",0],[0,0,1]]}}", "wrong-type",
       "/convex/vertices/2/1", NULL},
      {"{\"convex\":{\"vertices\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1e10]]}}", "out-of-range",
       "/convex/vertices/3/2", NULL},
      {"{\"convex\":{\"vertices\":[0,0,0,1]}}", "wrong-type", "/convex/vertices/0", NULL},
      {"{\"convex\":{\"vertices\":[[0,0,0],[1e-10,0,0],[0,1e-10,0],[0,0,1e-10]]}}", "out-of-range",
       "/convex/vertices", "smaller than 1e-9"},
      {"{\"convex\":{\"planes\":[[1,0,0,-1],[-1,0,0,-1],[0,1,0,-1],[0,-1,0,-1],[0,0,1,-1]]}}",
       "degenerate-hull", NULL, "bounded"},
      {"{\"convex\":{\"planes\":[[1,0,0,1],[-1,0,0,1],[0,1,0,-1],[0,-1,0,-1],[0,0,1,-1],[0,0,-1,-1]"
       "]}}",
       "degenerate-hull", NULL, NULL},
      {"{\"convex\":{\"planes\":[[1,0,0,0],[-1,0,0,0],[0,1,0,-1],[0,-1,0,-1],[0,0,1,-1],[0,0,-1,-1]"
       "]}}",
       "degenerate-hull", NULL, NULL},
      {"{\"convex\":{\"planes\":[[1,0,0,-1],[-1,0,0,-1],[0,1,0,-1]]}}", "degenerate-hull",
       "/convex/planes", "at least 4"},
      {"{\"convex\":{\"planes\":[[0,0,0,-1],[-1,0,0,-1],[0,1,0,-1],[0,-1,0,-1]]}}", "out-of-range",
       "/convex/planes/0", "normal"},
      {"{\"convex\":{\"planes\":[[1,0,0,-2e9],[-1,0,0,-1],[0,1,0,-1],[0,-1,0,-1]]}}",
       "out-of-range", "/convex/planes/0", "1e9"},
      {"{\"convex\":{\"planes\":[[1,0,0],[-1,0,0,-1],[0,1,0,-1],[0,-1,0,-1]]}}", "wrong-type",
       "/convex/planes/0", NULL},
  };
  expect_refused(cases, sizeof cases / sizeof cases[0]);
}

static void bad_surface_ids_say_why_and_where(void) {
  static const refused_shape cases[] = {
      {"{\"convex\":{\"vertices\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]],\"surfaceIds\":[1,2,3]}}",
       "wrong-type", "/convex/surfaceIds", "4 faces"},
      {"{\"convex\":{\"planes\":[[1,0,0,-1],[-1,0,0,-1],[0,1,0,-1],[0,-1,0,-1],[0,0,1,-1],[0,0,-1,-"
       "1]],\"surfaceIds\":[1]}}",
       "wrong-type", "/convex/surfaceIds", "6 planes"},
      {"{\"convex\":{\"vertices\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]],\"surfaceIds\":[1,2,3,-1]}}",
       "out-of-range", "/convex/surfaceIds/3", NULL},
  };
  expect_refused(cases, sizeof cases / sizeof cases[0]);
}

/* Points of affine rank 0, 1 and 2 in general position: affine images of integer grids, which
 * doubles represent exactly. */
static void degenerate_points_are_told_their_rank(void) {
  check_random r = {22};
  static const char *const words[] = {"are one point", "lie on a line", "lie in a plane"};
  for (int round = 0; round < 300; round++) {
    int rank = round % 3;
    ct_vec3 base = {(double)(check_next(&r) % 100), (double)(check_next(&r) % 100),
                    (double)(check_next(&r) % 100)};
    ct_vec3 u = {1 + (double)(check_next(&r) % 9), (double)(check_next(&r) % 9),
                 (double)(check_next(&r) % 9)};
    ct_vec3 v = {(double)(check_next(&r) % 9), -u.x, 3};
    api_buffer text = {0};
    api_put_raw(&text, "{\"convex\":{\"vertices\":[");
    for (int i = 0; i < 12; i++) {
      double s = rank > 0 ? (double)(i % 4) : 0, t = rank > 1 ? (double)(i / 4) : 0;
      api_put_item(&text);
      api_put_vec3(&text, ct_add_scaled(ct_add_scaled(base, u, s), v, t));
    }
    api_put_raw(&text, "]}}");
    api_put_byte(&text, 0);
    document d;
    ct_collider c = {0};
    CHECK(!read_collider(&d, text.bytes, &c));
    document_expect(&d, "rank", "degenerate-hull", "/convex/vertices", words[rank]);
    CHECK_NEAR(d.faults.items[0].actual, rank, 0);
    CHECK_NEAR(d.faults.items[0].limit, 3, 0);
    document_free(&d);
    api_buffer_free(&text);
  }
}

static void hull_points_are_limited(void) {
  document d;
  document_init(&d);
  d.limits.hull_points = 5;
  static const char text[] =
      "{\"convex\":{\"vertices\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1],[1,1,1],[2,2,2]]}}";
  ct_collider c = {0};
  CHECK(document_parse(&d, text, sizeof text - 1));
  CHECK(!api_read_collider(&d.reader, &d.root, &c));
  document_expect(&d, "hull points", "limit-exceeded", "/convex/vertices", NULL);
  CHECK_NEAR(d.faults.items[0].limit, 5, 0);
  CHECK_NEAR(d.faults.items[0].actual, 6, 0);
  document_free(&d);
}

static const check_test tests[] = {
    {"shapes_become_the_engines", shapes_become_the_engines},
    {"faces_have_the_ids_of_their_planes", faces_have_the_ids_of_their_planes},
    {"rounding_and_margin_become_the_engines", rounding_and_margin_become_the_engines},
    {"a_shape_comes_back_as_it_was_given", a_shape_comes_back_as_it_was_given},
    {"points_that_are_all_vertices_need_no_note", points_that_are_all_vertices_need_no_note},
    {"bad_shapes_say_why_and_where", bad_shapes_say_why_and_where},
    {"bad_hulls_say_why_and_where", bad_hulls_say_why_and_where},
    {"bad_surface_ids_say_why_and_where", bad_surface_ids_say_why_and_where},
    {"degenerate_points_are_told_their_rank", degenerate_points_are_told_their_rank},
    {"hull_points_are_limited", hull_points_are_limited}};

CHECK_MAIN(tests)
