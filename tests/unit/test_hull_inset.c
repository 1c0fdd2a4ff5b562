/* Inset hulls: against the shifted planes, closed forms and clipped volumes; ownership. */
#include "tests/support/check.h"
#include <contact/hull.h>

static ct_vec3 random_vector(check_random *r) {
  double x = check_uniform(r, -1, 1), y = check_uniform(r, -1, 1);
  return ct_vec(x, y, check_uniform(r, -1, 1));
}

static ct_hull *hull_of(const ct_vec3 *points, size_t count) {
  ct_hull *hull = NULL;
  CHECK_INT(ct_hull_from_points(points, count, NULL, &hull, NULL), CT_OK);
  return hull;
}

static ct_hull *random_hull(check_random *r, int count) {
  ct_vec3 p[200];
  for (int i = 0; i < count; i++) p[i] = ct_unit_or(random_vector(r), ct_vec(1, 0, 0));
  return hull_of(p, (size_t)count);
}

/* How far the point is beyond the hull's planes shifted inward by `by`; at most 0 inside. */
static double beyond(const ct_hull_view *h, double by, ct_vec3 p) {
  double most = -INFINITY;
  for (uint32_t i = 0; i < h->face_count; i++)
    most = ct_max2(most, h->nx[i] * p.x + h->ny[i] * p.y + h->nz[i] * p.z - (h->offset[i] - by));
  return most;
}

static ct_vec3 support(const ct_hull *h, ct_vec3 d) {
  const ct_hull_view *v = ct_hull_get(h);
  uint32_t i = ct_hull_support(h, d, 0);
  return ct_vec(v->x[i], v->y[i], v->z[i]);
}

static void an_inset_is_what_the_moved_planes_enclose(void) {
  check_random r = {31};
  for (int k = 0; k < 60; k++) {
    ct_hull *hull = random_hull(&r, 4 + (int)(check_next(&r) % 60)), *inset = NULL;
    const ct_hull_view *outer = ct_hull_get(hull);
    double limit = ct_hull_inradius(hull, NULL), by = limit * check_uniform(&r, 0.05, 0.95);
    CHECK_INT(ct_hull_inset(hull, by, NULL, &inset), CT_OK);
    const ct_hull_view *v = ct_hull_get(inset);
    /* No vertex is beyond a shifted plane, and each is on at least three of them. */
    for (uint32_t i = 0; i < v->vertex_count; i++) {
      ct_vec3 p = {v->x[i], v->y[i], v->z[i]};
      int on = 0;
      CHECK(beyond(outer, by, p) <= 1e-11);
      for (uint32_t f = 0; f < outer->face_count; f++)
        on += fabs(outer->nx[f] * p.x + outer->ny[f] * p.y + outer->nz[f] * p.z -
                   (outer->offset[f] - by)) <= 1e-9;
      CHECK(on >= 3);
    }
    /* Points of the outer hull within the shifted planes are in the inset hull. */
    for (int i = 0; i < 200; i++) {
      ct_vec3 p = random_vector(&r);
      if (beyond(outer, by, p) > -1e-9) continue;
      ct_vec3 d = ct_unit_or(random_vector(&r), ct_vec(1, 0, 0));
      CHECK(ct_dot(support(inset, d), d) >= ct_dot(p, d));
    }
    ct_hull_release(inset);
    ct_hull_release(hull);
  }
}

static void the_inradius_is_the_depth_of_the_deepest_point(void) {
  const ct_vec3 corner[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const ct_vec3 slab[] = {{-3, -2, -1}, {3, -2, -1}, {-3, 2, -1}, {3, 2, -1},
                          {-3, -2, 1},  {3, -2, 1},  {-3, 2, 1},  {3, 2, 1}};
  ct_hull *a = hull_of(corner, 4), *b = hull_of(slab, 8);
  CHECK_NEAR(ct_hull_inradius(a, NULL), 1 / (3 + sqrt(3)), 1e-11);
  CHECK_NEAR(ct_hull_inradius(b, NULL), 1.0, 1e-11);
  ct_hull_release(a);
  ct_hull_release(b);
  check_random r = {32};
  for (int k = 0; k < 30; k++) {
    ct_hull *hull = random_hull(&r, 5 + k);
    double radius = ct_hull_inradius(hull, NULL), deepest = -INFINITY;
    /* No point is deeper; a local search from the deepest of many samples comes close. */
    ct_vec3 best = ct_hull_get(hull)->centroid;
    for (double step = 0.5; step > 1e-4; step *= 0.94)
      for (int i = 0; i < 150; i++) {
        ct_vec3 p = ct_add_scaled(best, random_vector(&r), step);
        double depth = -beyond(ct_hull_get(hull), 0.0, p);
        CHECK(depth <= radius + 1e-11);
        if (depth <= deepest) continue;
        deepest = depth;
        best = p;
      }
    CHECK_NEAR(deepest, radius, 5e-3 * radius);
    ct_hull_release(hull);
  }
}

static void boxes_and_tetrahedra_shrink_as_they_should(void) {
  const ct_vec3 slab[] = {{-3, -2, -1}, {3, -2, -1}, {-3, 2, -1}, {3, 2, -1},
                          {-3, -2, 1},  {3, -2, 1},  {-3, 2, 1},  {3, 2, 1}};
  ct_hull *hull = hull_of(slab, 8), *inset = NULL;
  CHECK_INT(ct_hull_inset(hull, 0.5, NULL, &inset), CT_OK);
  const ct_hull_view *v = ct_hull_get(inset);
  CHECK_INT(v->vertex_count, 8);
  CHECK_NEAR(v->volume, 5 * 3 * 1, 1e-13);
  CHECK_NEAR(v->box.max.x, 2.5, 1e-15);
  CHECK_NEAR(v->box.min.z, -0.5, 1e-15);
  ct_hull_release(inset);
  /* An inset of the inradius or more is empty. */
  inset = NULL;
  CHECK(ct_hull_inset(hull, 1.0, NULL, &inset) != CT_OK);
  CHECK(ct_hull_inset(hull, 1.5, NULL, &inset) != CT_OK);
  CHECK(inset == NULL);
  ct_hull_release(hull);
}

static void an_inset_keeps_its_outer_hull(void) {
  const ct_vec3 corner[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  ct_hull *hull = hull_of(corner, 4), *inset = NULL;
  size_t bytes = ct_hull_bytes(hull);
  CHECK(ct_hull_outer(hull) == hull);
  CHECK_INT(ct_hull_inset(hull, 0.125, NULL, &inset), CT_OK);
  CHECK(ct_hull_outer(inset) == hull);
  CHECK(ct_hull_bytes(inset) > bytes);
  ct_hull_release(hull);
  CHECK_INT(ct_hull_get(ct_hull_outer(inset))->vertex_count, 4);
  ct_hull_retain(inset);
  ct_hull_release(inset);
  CHECK_NEAR(ct_hull_get(ct_hull_outer(inset))->volume, 1.0 / 6.0, 1e-15);
  ct_hull_release(inset);
}

static void a_raised_flag_stops_it(void) {
  check_random r = {33};
  ct_hull *hull = random_hull(&r, 150), *inset = NULL;
  ct_cancel *cancel = ct_cancel_create();
  ct_cancel_raise(cancel);
  CHECK_INT(ct_hull_inset(hull, 0.1, cancel, &inset), CT_CANCELLED);
  CHECK(inset == NULL);
  ct_cancel_destroy(cancel);
  ct_hull_release(hull);
}

static const check_test tests[] = {
    {"an_inset_is_what_the_moved_planes_enclose", an_inset_is_what_the_moved_planes_enclose},
    {"the_inradius_is_the_depth_of_the_deepest_point",
     the_inradius_is_the_depth_of_the_deepest_point},
    {"boxes_and_tetrahedra_shrink_as_they_should", boxes_and_tetrahedra_shrink_as_they_should},
    {"an_inset_keeps_its_outer_hull", an_inset_keeps_its_outer_hull},
    {"a_raised_flag_stops_it", a_raised_flag_stops_it},
};

CHECK_MAIN(tests)
