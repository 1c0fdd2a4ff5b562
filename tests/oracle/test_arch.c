/* A masonry arch of 27 blocks on mu = 0.5 (Solfec's validation) stands if it is thick enough, else
 * it falls. The limit is that of the line of thrust: half an arch, pushed at the crown, with a
 * thrust that must pass through every joint. Friction is not the limiting factor. */
#include "tests/support/advance.h"

#define BLOCKS 27
#define MIDDLE (BLOCKS / 2)
#define PI 3.14159265358979323846

static double angle(int joint) { return PI * joint / BLOCKS; }

/* Area of the half keystone or of a block below it, between joint k and the next, and area times
 * the centre's x. */
static void block_area(int k, double inner, double outer, double *area, double *moment) {
  double a = angle(k), b = angle(k + 1);
  double x[4] = {inner * cos(a), outer * cos(a), outer * cos(b), inner * cos(b)};
  double y[4] = {inner * sin(a), outer * sin(a), outer * sin(b), inner * sin(b)};
  if (k == MIDDLE) x[2] = x[3] = 0.0;
  for (int i = 0; i < 4; i++) {
    int j = (i + 1) % 4;
    double cross = x[i] * y[j] - y[i] * x[j];
    *area += 0.5 * cross;
    *moment += cross * (x[i] + x[j]) / 6.0;
  }
}

/* True if some thrust H >= 0 at the height A / H has a line of thrust within all joints. The two
 * ends of each joint give two linear conditions p H + q A + r >= 0; the vertices of the feasible
 * region are intersections of two of them. */
static bool thrust_fits(double ratio) {
  double inner = 1.0 - 0.5 * ratio, outer = 1.0 + 0.5 * ratio, weight = 0.0, moment = 0.0;
  double c[2 * MIDDLE + 3][3];
  int count = 0;
  for (int k = MIDDLE; k >= 0; k--) {
    block_area(k, inner, outer, &weight, &moment);
    for (int end = 0; end < 2; end++) {
      double sign = end ? 1.0 : -1.0, radius = end ? outer : inner, x = radius * cos(angle(k)),
             y = radius * sin(angle(k));
      c[count][0] = sign * y;
      c[count][1] = -sign;
      c[count++][2] = sign * (x * weight - moment);
    }
  }
  for (int i = 0; i < count; i++)
    for (int j = 0; j < i; j++) {
      double d = c[i][0] * c[j][1] - c[i][1] * c[j][0];
      if (fabs(d) < 1e-14) continue;
      double h = (c[i][1] * c[j][2] - c[i][2] * c[j][1]) / d,
             a = (c[i][2] * c[j][0] - c[i][0] * c[j][2]) / d;
      bool fits = h >= 0.0;
      for (int k = 0; k < count && fits; k++) fits = c[k][0] * h + c[k][1] * a + c[k][2] >= -1e-12;
      if (fits) return true;
    }
  return false;
}

static double least_thickness(void) {
  double low = 0.09, high = 0.13;
  for (int i = 0; i < 40; i++) {
    double middle = 0.5 * (low + high);
    if (thrust_fits(middle)) high = middle;
    else low = middle;
  }
  return high;
}

static ct_shape voussoir(int k, double ratio) {
  ct_vec3 points[8];
  for (int i = 0; i < 8; i++) {
    int joint = k + (i & 1);
    double radius = i & 2 ? 1.0 + 0.5 * ratio : 1.0 - 0.5 * ratio;
    bool ground_joint = joint == 0 || joint == BLOCKS;
    points[i] = ct_vec(radius * cos(angle(joint)), i & 4 ? 0.1 : -0.1,
                       ground_joint ? 0.0 : radius * sin(angle(joint)));
  }
  ct_hull *hull = NULL;
  CHECK_INT(ct_hull_from_points(points, 8, NULL, &hull, NULL), CT_OK);
  return (ct_shape){.kind = CT_KIND_CONVEX, .hull = hull};
}

/* The kinetic energy after `count` steps, J. */
static double after(double ratio, double time_step, int count, uint64_t sweeps) {
  static const ct_motion stone = {.source = CT_MASS_DENSITY, .value = 1000.0};
  static char ids[BLOCKS][16];
  placed_body bodies[BLOCKS + 1] = {ground};
  for (int k = 0; k < BLOCKS; k++) {
    snprintf(ids[k], sizeof ids[k], "%d", k);
    bodies[k + 1] = (placed_body){ids[k], voussoir(k, ratio), pose_at(0, 0, 0), AT_REST, &stone};
  }
  const ct_scene *scene = scene_with(bodies, BLOCKS + 1, friction_of(0.5));
  const ct_advance_options o = {.duration = 10.0,
                                .time_step = time_step,
                                .gravity = {0, 0, -9.81},
                                .contact_tolerance = 1e-7,
                                .velocity_tolerance = 1e-4,
                                .iterations_max = sweeps,
                                .contacts_max = 10000};
  ct_advance *advance = advance_of(scene, &o);
  steps(advance, (uint64_t)count);
  double energy = ct_advance_now(advance).kinetic_energy;
  ct_advance_destroy(advance);
  ct_scene_release(scene);
  for (int k = 0; k < BLOCKS; k++) ct_shape_release(&bodies[k + 1].shape);
  return energy;
}

static void an_arch_stands_or_falls_by_its_line_of_thrust(void) {
  double least = least_thickness();
  CHECK_NEAR(least, 0.1067209, 1e-6); /* the same value from another program */
  CHECK(after(1.001 * least, 1e-3, 100, 20000) < 1e-4);
  /* The energy of a mechanism under a constant load grows at least with the square of the time. */
  double early = after(0.99 * least, 1e-2, 10, 1000), late = after(0.99 * least, 1e-2, 20, 1000);
  CHECK(early > 1e-4 && late > 4.0 * early);
}

int main(int argc, char **argv) {
  static const check_test tests[] = {
      {"an_arch_stands_or_falls_by_its_line_of_thrust",
       an_arch_stands_or_falls_by_its_line_of_thrust},
  };
  return advance_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
