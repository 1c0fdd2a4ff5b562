/* The heap benchmark: steps of the same scenes with the same time step by this engine and by the
 * engines that Debian packages, in one run, on one thread.
 *
 * Bodies are boxes and hulls whose frames are at their centres of mass, along their principal axes.
 * They fall on a fixed floor, a wide box with its upper face at z = 0. All engines have no
 * restitution, no damping, and the same coefficient of friction for every pair. */
#ifndef BENCH_HEAPS_H
#define BENCH_HEAPS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HEAPS_GRAVITY 9.81         /* m/s^2, along -z */
#define HEAPS_TIME_STEP (1. / 120) /* s: two steps for each frame of a display with 60 Hz */
#define HEAPS_FRICTION 0.5
#define HEAPS_TOLERANCE 1e-8 /* of this engine's solver, relative: far below the peers' errors */
#define HEAPS_DENSITY 1000.0 /* kg/m^3 */
#define HEAPS_FLOOR_HALF 100.0
#define HEAPS_FLOOR_DEPTH 1.0 /* half the thickness of the floor, m */

enum { HEAPS_SHAPES_MAX = 9 };

/* A box, or the hull of `points`. */
typedef struct heaps_shape {
  bool is_hull;
  double half[3];            /* box: half edge lengths, m */
  const double (*points)[3]; /* hull: [point_count] vertices, m */
  uint32_t point_count;
  double mass;       /* kg */
  double inertia[3]; /* principal moments, kg m^2 */
} heaps_shape;

/* Rotations are quaternions x, y, z, w. Velocities are those of the centre of mass, world axes. */
typedef struct heaps_body {
  uint32_t shape;
  double position[3], rotation[4], velocity[3], angular_velocity[3];
} heaps_body;

typedef struct heaps_scene {
  const char *name;
  heaps_shape shapes[HEAPS_SHAPES_MAX];
  uint32_t shape_count;
  heaps_body *bodies; /* [count] */
  uint32_t count;
  bool has_hulls;
} heaps_scene;

typedef struct heaps_engine {
  const char *name;
  bool ours;
  bool hulls;         /* false: has no contacts of hulls with boxes */
  double hull_margin; /* radius of the ball that the engine adds to each hull, m */
  void *(*create)(const heaps_scene *scene, bool sleeping);
  /* Measured. False: the engine refused the step. */
  bool (*step)(void *state);
  /* Writes poses and velocities of all bodies, and the impulse of the floor in the last step. */
  void (*read)(void *state, heaps_body *bodies, double floor_impulse[3]);
  /* Number of steps so far in which the solver did not reach its tolerance; NULL: has none */
  uint64_t (*unconverged)(void *state);
} heaps_engine;

extern const heaps_engine heaps_ours, heaps_bullet, heaps_ode;

enum { HEAPS_SCENES = 5 };

/* Creates a scene; the caller frees its bodies. False: out of memory. */
bool heaps_scene_create(int number, heaps_scene *out);

/* Greatest depth of two bodies, or of a body and the floor, by the exact query of contactd, m. Each
 * hull has a ball of radius `hull_margin` added. NaN: out of memory. */
double heaps_penetration(const heaps_scene *scene, const heaps_body *bodies, double hull_margin);

#ifdef __cplusplus
}
#endif

#endif
