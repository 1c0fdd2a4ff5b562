/* Building a hull stops soon after the flag is raised, at any stage, and returns no hull; without
 * the flag it completes. */
#include "tests/support/polls.h"

enum { POINTS = 60000, PLANES = 8000 };

typedef struct build {
  ct_status (*make)(const ct_cancel *cancel, ct_hull **hull);
  ct_status at_rest; /* the status without a flag */
  double volume;     /* of the hull without a flag, m^3 */
} build;

static ct_vec3 points[POINTS];
static double planes[PLANES][4];

static ct_vec3 on_sphere(check_random *r) {
  for (;;) {
    ct_vec3 p = {check_uniform(r, -1, 1), check_uniform(r, -1, 1), check_uniform(r, -1, 1)};
    double n = ct_norm(p);
    if (n > 0.1 && n < 1.0) return ct_scale(p, 1.0 / n);
  }
}

static ct_status of_points(const ct_cancel *cancel, ct_hull **hull) {
  return ct_hull_from_points(points, POINTS, cancel, hull, NULL);
}

static ct_status of_planes(const ct_cancel *cancel, ct_hull **hull) {
  return ct_hull_from_planes((const double(*)[4])planes, PLANES, cancel, hull, NULL);
}

/* All points in one plane: every sign needs exact arithmetic, and the set has no hull. */
static ct_vec3 flat[POINTS];
static ct_status of_flat(const ct_cancel *cancel, ct_hull **hull) {
  return ct_hull_from_points(flat, POINTS, cancel, hull, NULL);
}

static ct_status run_build(void *context, ct_cancel *cancel) {
  const build *b = context;
  ct_hull *hull = NULL;
  ct_status status = b->make(cancel, &hull);
  CHECK((hull != NULL) == (status == CT_OK));
  if (hull) CHECK(ct_hull_get(hull)->volume == b->volume);
  ct_hull_release(hull);
  return status;
}

static void fill_with_sphere(void) {
  check_random r = {81};
  for (int i = 0; i < POINTS; i++) points[i] = on_sphere(&r);
}

/* Time of a hull of as many points, all of which are vertices, s. */
static double sphere_seconds(void) {
  fill_with_sphere();
  ct_hull *hull = NULL;
  CHECK_INT(of_points(NULL, &hull), CT_OK);
  build b = {of_points, CT_OK, ct_hull_get(hull)->volume};
  ct_hull_release(hull);
  return polls_measure(run_build, &b, 0, CT_OK).whole;
}

static void check_stops(build b, double reference) {
  ct_hull *whole = NULL;
  CHECK_INT(b.make(NULL, &whole), b.at_rest);
  if (whole) b.volume = ct_hull_get(whole)->volume;
  ct_hull_release(whole);
  polls_check_stops(run_build, &b, b.at_rest, reference);
}

static void a_hull_of_points_stops_soon(void) {
  fill_with_sphere();
  check_stops((build){of_points, CT_OK, 0.0}, 0.0);
}

static void an_intersection_of_planes_stops_soon(void) {
  check_random r = {82};
  for (int i = 0; i < PLANES; i++) {
    ct_vec3 n = on_sphere(&r);
    planes[i][0] = n.x, planes[i][1] = n.y, planes[i][2] = n.z, planes[i][3] = -1.0;
  }
  check_stops((build){of_planes, CT_OK, 0.0}, 0.0);
}

/* Facets of thousands of coplanar triangles. */
static void a_hull_of_a_lattice_on_a_cube_stops_soon(void) {
  const double reference = sphere_seconds();
  check_random r = {83};
  for (int i = 0; i < POINTS; i++) {
    double p[3] = {0.1 * (double)(check_next(&r) % 200), 0.1 * (double)(check_next(&r) % 200),
                   0.1 * (double)(check_next(&r) % 200)};
    p[i % 3] = i % 2 ? 0.0 : 19.9;
    points[i] = ct_vec(p[0], p[1], p[2]);
  }
  check_stops((build){of_points, CT_OK, 0.0}, reference);
}

static void points_in_a_plane_stop_soon(void) {
  check_random r = {84};
  for (int i = 0; i < POINTS; i++) {
    double u = check_uniform(&r, -1, 1), v = check_uniform(&r, -1, 1);
    flat[i] = ct_vec(u, v, u);
  }
  check_stops((build){of_flat, CT_DEGENERATE_HULL, 0.0}, sphere_seconds());
}

static void a_flag_already_raised_builds_nothing(void) {
  ct_cancel *cancel = ct_cancel_create();
  ct_cancel_raise(cancel);
  const ct_vec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const double sides[4][4] = {{-1, 0, 0, 0}, {0, -1, 0, 0}, {0, 0, -1, 0}, {1, 1, 1, -1}};
  ct_hull *hull = NULL;
  CHECK_INT(ct_hull_from_points(corners, 4, cancel, &hull, NULL), CT_CANCELLED);
  CHECK_INT(ct_hull_from_planes(sides, 4, cancel, &hull, NULL), CT_CANCELLED);
  CHECK(hull == NULL);
  ct_cancel_destroy(cancel);
}

static const check_test tests[] = {
    {"a_hull_of_points_stops_soon", a_hull_of_points_stops_soon},
    {"an_intersection_of_planes_stops_soon", an_intersection_of_planes_stops_soon},
    {"a_hull_of_a_lattice_on_a_cube_stops_soon", a_hull_of_a_lattice_on_a_cube_stops_soon},
    {"points_in_a_plane_stop_soon", points_in_a_plane_stop_soon},
    {"a_flag_already_raised_builds_nothing", a_flag_already_raised_builds_nothing},
};

CHECK_MAIN(tests)
