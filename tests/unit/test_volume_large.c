/* Volumes of polyhedra with thousands of vertices: all steps of the construction for a prism that
 * is cut across, at a cost comparable to the volume alone; and a raised flag ends every method.
 *
 * Truth: a prism over a regular polygon of n corners, of which a box cuts off the upper half, is a
 * prism again: 2 n vertices, n + 2 faces, n h sin(2 pi / n) / 2 of volume. */
#include <contact/contact.h>

#include "tests/support/shapes.h"
#include "tests/support/workspace.h"

#include <time.h>

#define CORNERS 1000u

static const double turn = 6.283185307179586477;

/* Unit circle, z in [-1, 1], the first corner at an angle. */
static ct_shape prism(uint32_t corners, double from) {
  ct_vec3 *p = malloc(2 * corners * sizeof *p);
  if (!p) abort();
  for (uint32_t i = 0; i < corners; i++) {
    double angle = from + turn * (double)i / (double)corners;
    p[i] = ct_vec(cos(angle), sin(angle), -1.0);
    p[corners + i] = ct_vec(cos(angle), sin(angle), 1.0);
  }
  ct_shape shape = hull_shape(p, 2 * (size_t)corners);
  free(p);
  return shape;
}

/* b is 2 m below a, less `deep`. */
static ct_volume common_of(const ct_shape *a, const ct_shape *b, double deep, bool stages,
                           ct_volume_method method) {
  ct_pose pa = at(0, 0, 0), pb = at(0, 0, deep - 2.0);
  ct_frame fa = ct_frame_of(pa), fb = ct_frame_of(pb);
  ct_volume v;
  const ct_volume_options options = {.stages = stages, .method = method, .epsilon = 1e-6};
  ct_pair_volume((ct_placed){a, &fa}, (ct_placed){b, &fb}, &options, workspace, &v);
  return v;
}

static void stages_of_a_large_prism_are_those_of_a_prism(void) {
  ct_shape a = prism(CORNERS, 0.0), b = box(2.0, 2.0, 2.0);
  ct_volume v = common_of(&a, &b, 0.0, true, CT_VOLUME_AUTO);
  CHECK(!v.failed);
  CHECK_INT(v.count, 1);
  if (v.count == 1) {
    const ct_volume_contact *c = &v.contacts[0];
    const ct_volume_stages *s = &c->stages;
    CHECK_NEAR(c->volume, 0.5 * CORNERS * sin(turn / CORNERS), 1e-12);
    CHECK_INT(s->vertex_count, 2 * CORNERS);
    CHECK_INT(s->face_count, CORNERS + 2);
    CHECK_INT(s->point_count, CORNERS + 2 + 6);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < s->vertex_count; i++) {
      const ct_stage_vertex *at_corner = &v.stage_vertices[s->first_vertex + i];
      if (at_corner->index_count != 3) wrong++;
      for (uint32_t k = 0; k < at_corner->index_count; k++) {
        /* The plane of a dual point p is p.(x - inner) = 1. */
        const ct_dual_point *p =
            &v.points[s->first_point + v.stage_indices[at_corner->first_index + k]];
        if (fabs(ct_dot(p->point, ct_sub(at_corner->position, c->inner)) - 1.0) > 1e-12) wrong++;
      }
    }
    CHECK_INT(wrong, 0);
  }
  ct_hull_release(a.hull);
}

static double seconds_of(const ct_shape *a, const ct_shape *b, bool stages) {
  double least = INFINITY;
  for (int i = 0; i < 3; i++) {
    clock_t start = clock();
    common_of(a, b, 0.0, stages, CT_VOLUME_AUTO);
    least = fmin(least, (double)(clock() - start) / CLOCKS_PER_SEC);
  }
  return fmax(least, 1e-5);
}

/* Half of the prism, z <= 0, as one tetrahedron: four planes, which are cut off the prism. */
static ct_shape lower_half(void) {
  static const ct_vec3 vertices[] = {
      {0.0, 0.0, -20.0}, {60.0, 0.0, 2.0}, {-60.0, 60.0, 2.0}, {-60.0, -60.0, 2.0}};
  static const uint32_t corners[] = {0, 1, 2, 3};
  const ct_elements_data data = {.type = CT_TETRAHEDRA,
                                 .vertices = vertices,
                                 .vertex_count = 4,
                                 .corners = corners,
                                 .element_count = 1};
  ct_elements *elements = NULL;
  if (ct_elements_create(&data, NULL, &elements, NULL) != CT_OK) abort();
  return (ct_shape){
      .kind = CT_KIND_TETMESH, .mesh = ct_elements_get(elements)->surface, .elements = elements};
}

/* A search around a face for every corner would cost many times the volume. Both times are process
 * time, of one run. */
static void stages_of_a_large_prism_cost_a_few_times_its_volume(void) {
  ct_shape a = prism(4 * CORNERS, 0.0), b = lower_half();
  double ratio = seconds_of(&a, &b, true) / seconds_of(&a, &b, false);
  CHECK(ratio < 20.0);
  ct_hull_release(a.hull);
  ct_elements_release(b.elements);
}

static void a_raised_flag_ends_every_method(void) {
  ct_shape a = prism(CORNERS / 4, 0.0), b = prism(CORNERS / 4, 0.001);
  ct_cancel *cancel = ct_cancel_create();
  for (int method = 0; method < CT_VOLUME_METHOD_COUNT; method++) {
    ct_volume v = common_of(&a, &b, 1.0, true, (ct_volume_method)method);
    CHECK_INT(v.count, 1);
    ct_workspace_watch(workspace, cancel);
    ct_cancel_raise(cancel);
    CHECK_INT(common_of(&a, &b, 1.0, true, (ct_volume_method)method).count, 0);
    ct_workspace_watch(workspace, NULL);
  }
  ct_cancel_destroy(cancel);
  ct_hull_release(a.hull);
  ct_hull_release(b.hull);
}

static const check_test tests[] = {
    {"stages_of_a_large_prism_are_those_of_a_prism", stages_of_a_large_prism_are_those_of_a_prism},
    {"stages_of_a_large_prism_cost_a_few_times_its_volume",
     stages_of_a_large_prism_cost_a_few_times_its_volume},
    {"a_raised_flag_ends_every_method", a_raised_flag_ends_every_method},
};
WORKSPACE_MAIN(tests)
