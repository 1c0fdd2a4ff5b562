/* The hull builder: closed after every insertion, contains all inserted points, lists as
 * documented, no allocation once warm. */
#include "hull/hull_builder.h"
#include "tests/support/check.h"

static void check_surface(const ct_hull_builder *g, const ct_vec3 *points, uint32_t count) {
  uint32_t live = 0;
  for (uint32_t f = 0; f < g->face_count; f++) {
    if (!ct_hull_builder_is_alive(g, f)) continue;
    live++;
    for (uint32_t e = 0; e < 3; e++) {
      uint32_t other = g->faces[f].neighbour[e], matches = 0;
      CHECK(ct_hull_builder_is_alive(g, other));
      for (uint32_t k = 0; k < 3; k++) {
        matches += g->faces[other].neighbour[k] == f &&
                   g->faces[other].vertex[k] == g->faces[f].vertex[(e + 1) % 3] &&
                   g->faces[other].vertex[(k + 1) % 3] == g->faces[f].vertex[e];
      }
      CHECK_INT(matches, 1);
    }
    for (uint32_t i = 0; i < count; i++) CHECK(ct_hull_builder_face_sees(g, f, points[i]) <= 0);
  }
  CHECK_INT(live, g->live_count);
  CHECK_INT(g->live_count % 2, 0);
}

static uint32_t seeing_face(const ct_hull_builder *g, ct_vec3 p) {
  for (uint32_t f = 0; f < g->face_count; f++) {
    if (ct_hull_builder_is_alive(g, f) && ct_hull_builder_face_sees(g, f, p) > 0) return f;
  }
  return CT_HULL_BUILDER_NONE;
}

/* Points of small grids: coplanar and collinear in every way. */
static void the_surface_stays_closed_and_convex_under_ties(void) {
  check_random r = {51};
  ct_hull_builder g = {0};
  for (int run = 0; run < 3000; run++) {
    ct_vec3 p[24];
    uint64_t range = 2 + check_next(&r) % 4;
    uint32_t count = 5 + (uint32_t)(check_next(&r) % 20);
    for (uint32_t i = 0; i < count; i++) {
      p[i] = ct_vec((double)(check_next(&r) % range), (double)(check_next(&r) % range),
                    (double)(check_next(&r) % range));
    }
    uint32_t first[4] = {0, 1, 2, 3};
    ct_status status = ct_hull_builder_start(&g, p, first);
    CHECK_INT(status, ct_orient3d(p[0], p[1], p[2], p[3]) ? CT_OK : CT_DEGENERATE_HULL);
    if (status != CT_OK) continue;
    for (uint32_t i = 4; i < count; i++) {
      uint32_t from = seeing_face(&g, p[i]);
      if (from != CT_HULL_BUILDER_NONE) {
        CHECK_INT(ct_hull_builder_add(&g, i, from), CT_OK);
        for (uint32_t k = 0; k < g.created_count; k++) {
          CHECK_INT(g.faces[g.created[k]].vertex[2], i);
          CHECK_INT(g.faces[g.created[k]].user, 0);
        }
        for (uint32_t k = 0; k < g.removed_count; k++)
          CHECK(!ct_hull_builder_is_alive(&g, g.removed[k]));
        if (run & 1) ct_hull_builder_recycle(&g);
      }
      check_surface(&g, p, i + 1);
    }
  }
  ct_hull_builder_free(&g);
}

/* Points of one side of a plane at distances down to rounding. */
static void near_coplanar_points_cannot_break_the_surface(void) {
  check_random r = {52};
  ct_hull_builder g = {0};
  for (int run = 0; run < 300; run++) {
    ct_vec3 p[40] = {{0, 0, 0}, {1, 0, 0.1}, {0, 1, 0.7}, {0.3, 0.3, -1}};
    for (int i = 4; i < 40; i++) {
      double x = check_uniform(&r, -1, 2), y = check_uniform(&r, -1, 2);
      p[i] = ct_vec(x, y, 0.1 * x + 0.7 * y + 1e-16 * check_uniform(&r, -1, 1));
    }
    CHECK_INT(ct_hull_builder_start(&g, p, (uint32_t[4]){0, 1, 2, 3}), CT_OK);
    for (uint32_t i = 4; i < 40; i++) {
      uint32_t from = seeing_face(&g, p[i]);
      if (from != CT_HULL_BUILDER_NONE) CHECK_INT(ct_hull_builder_add(&g, i, from), CT_OK);
    }
    check_surface(&g, p, 40);
  }
  ct_hull_builder_free(&g);
}

static void a_warm_hull_does_not_allocate(void) {
  check_random r = {53};
  ct_hull_builder g = {0};
  ct_vec3 p[64];
  for (int i = 0; i < 64; i++)
    p[i] = ct_vec(check_uniform(&r, -1, 1), check_uniform(&r, -1, 1), check_uniform(&r, -1, 1));
  const ct_hull_builder_face *faces = NULL;
  for (int run = 0; run < 3; run++) {
    CHECK_INT(ct_hull_builder_start(&g, p, (uint32_t[4]){0, 1, 2, 3}), CT_OK);
    for (uint32_t i = 4; i < 64; i++) {
      uint32_t from = seeing_face(&g, p[i]);
      if (from != CT_HULL_BUILDER_NONE) CHECK_INT(ct_hull_builder_add(&g, i, from), CT_OK);
    }
    if (run > 0) CHECK(g.faces == faces);
    faces = g.faces;
  }
  ct_hull_builder_free(&g);
  CHECK(g.faces == NULL);
}

static const check_test tests[] = {
    {"the_surface_stays_closed_and_convex_under_ties",
     the_surface_stays_closed_and_convex_under_ties},
    {"near_coplanar_points_cannot_break_the_surface",
     near_coplanar_points_cannot_break_the_surface},
    {"a_warm_hull_does_not_allocate", a_warm_hull_does_not_allocate},
};

CHECK_MAIN(tests)
