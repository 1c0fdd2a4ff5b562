/* Building a mesh: failing allocations leak nothing, a raised flag ends the build soon, and hostile
 * input is not slow. */
#include "tests/support/failing_malloc.h"
#include "tests/support/meshes.h"
#include "tests/support/polls.h"

static void every_refused_allocation_is_told_and_leaves_nothing(void) {
  NEEDS_FAILING_MALLOC;
  soup s = {0};
  soup_sphere(&s, ct_vec(0, 0, 0), 1, 12, 16);
  soup_explode(&s);
  soup_triangle(&s, 0, 0, 1);
  long before = memory.live;
  ct_mesh *mesh = NULL;
  for (long at = 1;; at++) {
    ct_mesh_report report = {.triangles = 77};
    mesh = NULL;
    memory.fail_at = at, memory.taken = 0, memory.counting = true;
    ct_status status = soup_build(&s, CT_MESH_AUTO, &mesh, &report);
    memory.counting = false;
    if (status == CT_OK) {
      CHECK(at > 8);
      break;
    }
    CHECK_INT(status, CT_OUT_OF_MEMORY);
    CHECK(mesh == NULL && report.triangles == 77);
    CHECK_INT(memory.live, before);
  }
  /* The mesh is one block. */
  CHECK_INT(memory.live, before + 1);
  ct_mesh_release(mesh);
  CHECK_INT(memory.live, before);
  memory.fail_at = 0;
  /* Refused meshes leak nothing either. */
  CHECK_INT(soup_build(&s, CT_MESH_SOLID, &mesh, NULL), CT_OK);
  ct_mesh_release(mesh);
  s.tn -= 5;
  CHECK_INT(soup_build(&s, CT_MESH_SOLID, &mesh, NULL), CT_OPEN_MESH);
  CHECK_INT(memory.live, before);
  soup_free(&s);
}

typedef struct build {
  ct_mesh_data data;
  double volume; /* of the mesh without a flag, m^3 */
} build;

static ct_status run_build(void *context, ct_cancel *cancel) {
  const build *b = context;
  ct_mesh *mesh = NULL;
  ct_mesh_report report = {.triangles = 77};
  ct_status status = ct_mesh_create(&b->data, CT_MESH_AUTO, cancel, &mesh, &report);
  CHECK((mesh != NULL) == (status == CT_OK));
  if (mesh) CHECK(ct_mesh_get(mesh)->volume == b->volume);
  if (!mesh) CHECK(report.triangles == 77);
  ct_mesh_release(mesh);
  return status;
}

static void check_stops(const soup *s) {
  ct_mesh *whole = NULL;
  CHECK_INT(soup_build(s, CT_MESH_AUTO, &whole, NULL), CT_OK);
  build b = {{s->v, s->vn, (const uint32_t(*)[3])s->t, s->tn, NULL}, ct_mesh_get(whole)->volume};
  ct_mesh_release(whole);
  polls_check_stops(run_build, &b, CT_OK, 0.0);
}

static void a_raised_flag_ends_the_building_soon(void) {
  soup s = {0};
  soup_sphere(&s, ct_vec(0, 0, 0), 1, 180, 200);
  soup_explode(&s);
  check_stops(&s);
  soup_free(&s);
  /* A fan of 60,000 triangles about one vertex: all triangles are neighbours of each other. */
  uint32_t hub = soup_vertex(&s, ct_vec(0, 0, 1));
  for (uint32_t i = 0; i < 60000; i++)
    soup_vertex(&s, ct_vec(cos(i * 1e-4), sin(i * 1e-4), i * 1e-9));
  for (uint32_t i = 1; i < 60000; i++) soup_triangle(&s, hub, i, i + 1);
  check_stops(&s);
  soup_free(&s);
  /* Sizes over 140 powers of two: every split of the tree is unbalanced. */
  for (uint32_t i = 0; i < 40000; i++) {
    double size = ldexp(1, -(int)(i % 140)), turn = i * 1e-3;
    uint32_t a = soup_vertex(&s, ct_vec(size, 0, 0)),
             b = soup_vertex(&s, ct_vec(size * 0.5, size * cos(turn), size * sin(turn)));
    soup_triangle(&s, a, b, soup_vertex(&s, ct_vec(0.7 * size, -size * sin(turn), size)));
  }
  check_stops(&s);
  soup_free(&s);
}

static void a_flag_already_raised_builds_nothing(void) {
  soup s = {0};
  soup_octahedron(&s, ct_vec(0, 0, 0), 1);
  ct_cancel *cancel = ct_cancel_create();
  ct_cancel_raise(cancel);
  ct_mesh *mesh = NULL;
  ct_mesh_data data = {s.v, s.vn, (const uint32_t(*)[3])s.t, s.tn, NULL};
  CHECK_INT(ct_mesh_create(&data, CT_MESH_AUTO, cancel, &mesh, NULL), CT_CANCELLED);
  CHECK(mesh == NULL);
  ct_cancel_destroy(cancel);
  soup_free(&s);
}

/* Bytes of the mesh per triangle: the bound that memory limits assume. */
static void a_mesh_takes_a_known_number_of_bytes_a_triangle(void) {
  for (int k = 0; k < 2; k++) {
    soup s = {0};
    soup_sphere(&s, ct_vec(0, 0, 0), 1, 100, 100);
    if (k) soup_explode(&s);
    uint32_t triangles = s.tn;
    ct_mesh *mesh = soup_mesh(&s);
    CHECK((double)ct_mesh_bytes(mesh) < (k ? 220.0 : 160.0) * triangles);
    ct_mesh_release(mesh);
  }
}

static const check_test tests[] = {
    {"every_refused_allocation_is_told_and_leaves_nothing",
     every_refused_allocation_is_told_and_leaves_nothing},
    {"a_raised_flag_ends_the_building_soon", a_raised_flag_ends_the_building_soon},
    {"a_flag_already_raised_builds_nothing", a_flag_already_raised_builds_nothing},
    {"a_mesh_takes_a_known_number_of_bytes_a_triangle",
     a_mesh_takes_a_known_number_of_bytes_a_triangle},
};

CHECK_MAIN(tests)
