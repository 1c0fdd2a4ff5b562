/* Digests of content: BLAKE2b against Python's values, and the order of shapes that compares
 * digests. */
#include "base/digest.h"
#include "shape/shape_compare.h"
#include "tests/support/meshes.h"
#include "tests/support/workspace.h"

/* The values are Python's: hashlib.blake2b(words as little-endian bytes, digest_size=32). */
static void it_is_blake2b_of_256_bits(void) {
  static const struct {
    size_t count;
    double divisor;
    uint64_t word[4];
  } cases[] = {
      {0, 1, {0xb243e526c051570e, 0xa1da9960b02eabe8, 0x87778f7747dfe5d1, 0xa8e32ff1cd45abfa}},
      {16, 1, {0x28c69bb8a9cf6f59, 0x8c865401ed262b69, 0x85b53ce11ec4a5cd, 0xad8b50f957545004}},
      {17, 1, {0x6a21d3a30a262643, 0x69eede1367a1ce74, 0x138b565392330204, 0x50a4816ceed68efe}},
      {1000, 7, {0xb72ee3477b54499e, 0x19d64f9236a526d, 0x398e2137e9a849b3, 0xc4b33ee14012dbf9}}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ct_digest_state state;
    ct_digest_open(&state, NULL);
    for (size_t k = 0; k < cases[i].count; k++) {
      double value = (double)k / cases[i].divisor;
      CHECK(ct_digest_doubles(&state, &value, 1));
    }
    ct_digest digest = ct_digest_close(&state);
    for (int k = 0; k < 4; k++) CHECK(digest.word[k] == cases[i].word[k]);
  }
}

static void indices_are_two_to_a_word(void) {
  static const uint32_t indices[7] = {1, 2, 3, 4, 5, 6, 7};
  static const uint64_t wanted[4] = {0x8d53ab9fd813374d, 0xcdd05da70b9f5456, 0xcfbc7d67a188024c,
                                     0xfa9b9f62a410fea7};
  ct_digest_state state;
  ct_digest_open(&state, NULL);
  CHECK(ct_digest_indices(&state, indices, 7));
  ct_digest digest = ct_digest_close(&state);
  for (int k = 0; k < 4; k++) CHECK(digest.word[k] == wanted[k]);
}

static void zero_has_no_sign(void) {
  const double plus[2] = {0.0, 1.0}, minus[2] = {-0.0, 1.0};
  ct_digest digest[2];
  for (int i = 0; i < 2; i++) {
    ct_digest_state state;
    ct_digest_open(&state, NULL);
    CHECK(ct_digest_doubles(&state, i ? minus : plus, 2));
    digest[i] = ct_digest_close(&state);
  }
  CHECK_INT(ct_digest_compare(&digest[0], &digest[1]), 0);
}

/* ---- shapes --------------------------------------------------------------------------------- */

enum { VARIANTS = 6 };

/* The same sphere with one change: the last bit of the last vertex, the corners of the last
 * triangle, one vertex more, or the sign of a zero. */
static ct_shape variant(int which) {
  soup s = {0};
  soup_sphere(&s, ct_vec(0, 0, 0), 1.0, 8, 12);
  ct_vec3 *last = &s.v[s.vn - 1];
  uint32_t *t = s.t[s.tn - 1], first = t[0];
  if (which == 2) last->z = nextafter(last->z, 2.0);
  if (which == 3) t[0] = t[1], t[1] = t[2], t[2] = first;
  if (which == 4) soup_vertex(&s, ct_vec(0, 0, 0));
  if (which == 5) last->z = nextafter(last->z, -2.0);
  return soup_shape(&s);
}

/* Variants 0 and 1 are equal; all others differ from them and from each other: a strict order. */
static void equal_meshes_are_equal_and_others_are_in_order(void) {
  ct_shape shapes[VARIANTS];
  for (int i = 0; i < VARIANTS; i++) shapes[i] = variant(i);
  CHECK(shapes[0].mesh != shapes[1].mesh);
  for (int i = 0; i < VARIANTS; i++)
    for (int j = 0; j < VARIANTS; j++) {
      int order = ct_shape_compare(&shapes[i], &shapes[j]);
      CHECK_INT(order, -ct_shape_compare(&shapes[j], &shapes[i]));
      CHECK_INT(order == 0, i == j || (i < 2 && j < 2));
      for (int k = 0; k < VARIANTS; k++)
        if (order < 0 && ct_shape_compare(&shapes[j], &shapes[k]) < 0)
          CHECK(ct_shape_compare(&shapes[i], &shapes[k]) < 0);
    }
  for (int i = 0; i < VARIANTS; i++) ct_mesh_release(shapes[i].mesh);
}

static void equal_hulls_are_equal_and_others_are_in_order(void) {
  ct_shape shapes[3];
  for (int i = 0; i < 3; i++) {
    soup s = {0};
    ct_hull *hull = NULL;
    soup_sphere(&s, ct_vec(0, 0, 0), 1.0, 8, 12);
    if (i == 2) s.v[0].z = nextafter(s.v[0].z, s.v[0].z > 0 ? 2.0 : -2.0);
    CHECK_INT(ct_hull_from_points(s.v, s.vn, NULL, &hull, NULL), CT_OK);
    shapes[i] = (ct_shape){.kind = CT_KIND_CONVEX, .hull = hull};
    soup_free(&s);
  }
  CHECK_INT(ct_shape_compare(&shapes[0], &shapes[1]), 0);
  int order = ct_shape_compare(&shapes[0], &shapes[2]);
  CHECK(order != 0 && ct_shape_compare(&shapes[2], &shapes[1]) == -order);
  for (int i = 0; i < 3; i++) ct_hull_release(shapes[i].hull);
}

/* The digest is computed when a mesh is built. A comparison reads a fixed number of vertices, so
 * its cost does not depend on the size. */
static void comparing_equal_meshes_costs_the_same_for_any_size(void) {
  ct_shape one = variant(0), other = variant(1);
  ct_vec3 *vertices = (ct_vec3 *)(uintptr_t)ct_mesh_get(other.mesh)->vertices;
  uint32_t last = ct_mesh_get(other.mesh)->vertex_count - 1;
  ct_vec3 kept = vertices[last];
  vertices[last] = ct_vec(NAN, NAN, NAN);
  CHECK_INT(ct_shape_compare(&one, &other), 0);
  CHECK_INT(ct_shape_compare(&other, &one), 0);
  vertices[last] = kept;
  ct_mesh_release(one.mesh);
  ct_mesh_release(other.mesh);
}

/* Objects of equal content give the same result bit for bit, and swapped arguments its mirror
 * image. */
static void two_objects_answer_as_one_and_swap(void) {
  ct_shape one = variant(0), other = variant(1), third = variant(2);
  check_random r = {3};
  for (int i = 0; i < 200; i++) {
    ct_vec3 at =
        ct_vec(check_uniform(&r, -2, 2), check_uniform(&r, -2, 2), check_uniform(&r, -2, 2));
    ct_frame here = ct_frame_of(ct_pose_identity());
    ct_frame there = ct_frame_of((ct_pose){at, {at.y, at.z, 0.5, 1.0}});
    const ct_shape *second[3] = {&one, &other, &third};
    ct_pair_options options = {.threshold = INFINITY};
    ct_pair_result there_back[2], shared;
    for (int k = 0; k < 3; k++) {
      ct_placed a = {&one, &here}, b = {second[k], &there};
      ct_pair_distance(a, b, &options, workspace, &there_back[0]);
      ct_pair_distance(b, a, &options, workspace, &there_back[1]);
      if (k == 0) shared = there_back[0];
      CHECK(there_back[0].distance == there_back[1].distance);
      CHECK(memcmp(&there_back[0].point_a, &there_back[1].point_b, sizeof(ct_vec3)) == 0);
      CHECK(memcmp(&there_back[0].point_b, &there_back[1].point_a, sizeof(ct_vec3)) == 0);
      if (k == 1) CHECK(memcmp(&shared, &there_back[0], sizeof shared) == 0);
    }
  }
  ct_mesh_release(one.mesh);
  ct_mesh_release(other.mesh);
  ct_mesh_release(third.mesh);
}

static const check_test tests[] = {
    {"it is BLAKE2b of 256 bits", it_is_blake2b_of_256_bits},
    {"indices are two to a word", indices_are_two_to_a_word},
    {"zero has no sign", zero_has_no_sign},
    {"equal meshes are equal and others are in order",
     equal_meshes_are_equal_and_others_are_in_order},
    {"comparing equal meshes costs the same for any size",
     comparing_equal_meshes_costs_the_same_for_any_size},
    {"equal hulls are equal and others are in order",
     equal_hulls_are_equal_and_others_are_in_order},
    {"two objects answer as one, and swap", two_objects_answer_as_one_and_swap},
};

WORKSPACE_MAIN(tests)
