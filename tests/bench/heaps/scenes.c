/* The scenes of the heap benchmark, from fixed seeds. */
#include "draw.h"
#include "heaps.h"
#include "shapes.h"

#include <stdlib.h>
#include <string.h>

enum { HULLS = 8, CORNERS = 3, HULL_POINTS = 8 * CORNERS };

#define HULL_RADIUS 0.45 /* m: hulls with Bullet's margin do not overlap at the start */

static double hull_points[HULLS][HULL_POINTS][3];

static heaps_shape box_shape(double x, double y, double z) {
  heaps_shape shape = {.half = {x, y, z}, .mass = HEAPS_DENSITY * 8.0 * x * y * z};
  for (int axis = 0; axis < 3; axis++) {
    double p = shape.half[(axis + 1) % 3], q = shape.half[(axis + 2) % 3];
    shape.inertia[axis] = shape.mass * (p * p + q * q) / 3.0;
  }
  return shape;
}

/* Hull of three random points of a sphere and their images in the three coordinate planes. By
 * symmetry its centre of mass is the origin, and its principal axes are those of the frame. */
static bool make_hull(source *s, double (*points)[3], heaps_shape *out) {
  for (int k = 0; k < CORNERS; k++) {
    double d[3];
    direction(s, d);
    for (int image = 0; image < 8; image++)
      for (int axis = 0; axis < 3; axis++) {
        double side = HULL_RADIUS * (0.2 + fabs(d[axis])) / 1.2;
        points[8 * k + image][axis] = (image >> axis & 1) ? -side : side;
      }
  }
  *out = (heaps_shape){
      .is_hull = true, .points = (const double(*)[3])points, .point_count = HULL_POINTS};
  ct_shape shape;
  ct_mass_properties mass;
  if (!heaps_contact_shape(out, &shape)) return false;
  bool solid = ct_shape_mass(&shape, HEAPS_DENSITY, &mass);
  ct_shape_release(&shape);
  out->mass = mass.mass;
  out->inertia[0] = mass.inertia.rx.x;
  out->inertia[1] = mass.inertia.ry.y;
  out->inertia[2] = mass.inertia.rz.z;
  return solid;
}

bool heaps_contact_shape(const heaps_shape *shape, ct_shape *out) {
  *out = (ct_shape){.kind = shape->is_hull ? CT_KIND_CONVEX : CT_KIND_BOX};
  if (!shape->is_hull) {
    out->box.half = (ct_vec3){shape->half[0], shape->half[1], shape->half[2]};
    return true;
  }
  ct_vec3 points[HULL_POINTS];
  ct_hull *hull = NULL;
  for (uint32_t i = 0; i < shape->point_count; i++)
    points[i] = (ct_vec3){shape->points[i][0], shape->points[i][1], shape->points[i][2]};
  if (ct_hull_from_points(points, shape->point_count, NULL, &hull, NULL) != CT_OK) return false;
  out->hull = hull;
  return true;
}

static bool make_shapes(heaps_scene *scene) {
  scene->shapes[scene->shape_count++] = box_shape(0.5, 0.5, 0.5);
  source s = {7};
  for (int i = 0; i < HULLS && scene->has_hulls; i++)
    if (!make_hull(&s, hull_points[i], &scene->shapes[scene->shape_count++])) return false;
  return true;
}

/* Layers of wide x deep bodies, every other layer shifted by 0.6, that fall from small heights
 * above each other, each turned and displaced by up to 0.05. With hulls, every other body is one of
 * them, in a random orientation. */
static void fill_heap(heaps_scene *scene, uint32_t wide, uint32_t deep) {
  source s = {9};
  for (uint32_t i = 0; i < scene->count; i++) {
    heaps_body *b = &scene->bodies[i];
    uint32_t layer = i / (wide * deep), y = i / wide % deep, x = i % wide;
    double aside = layer % 2 ? 0.6 : 0.0, turn = between(&s, -0.05, 0.05);
    b->position[0] = (x - wide / 2.0) * 1.25 + aside + between(&s, -0.05, 0.05);
    b->position[1] = (y - deep / 2.0) * 1.25 + aside + between(&s, -0.05, 0.05);
    b->position[2] = 0.51 + 1.02 * layer;
    b->rotation[2] = sin(turn / 2);
    b->rotation[3] = cos(turn / 2);
    if (!scene->has_hulls || i % 2 == 0) continue;
    b->shape = 1 + (uint32_t)(draw(&s) % HULLS);
    rotation(&s, b->rotation);
  }
}

/* A wall of bricks in courses that are shifted in turns, one brick deep, at rest. It stands: each
 * brick's centre of mass is above a brick of the course below. */
static void fill_wall(heaps_scene *scene, uint32_t wide) {
  scene->shapes[0] = box_shape(0.5, 0.25, 0.25);
  for (uint32_t i = 0; i < scene->count; i++) {
    heaps_body *b = &scene->bodies[i];
    uint32_t layer = i / wide, x = i % wide;
    b->position[0] = (x - wide / 2.0) * 1.01 + (layer % 2 ? 0.3 : 0.0);
    b->position[2] = 0.25 + 0.5 * layer;
    b->rotation[3] = 1.0;
  }
}

bool heaps_scene_create(int number, heaps_scene *out) {
  static const struct {
    const char *name;
    uint32_t wide, deep, high;
    bool has_hulls, is_wall;
  } list[HEAPS_SCENES] = {{"heap of 100 boxes", 5, 5, 4, false, false},
                          {"heap of 100 boxes and hulls", 5, 5, 4, true, false},
                          {"wall of 200 bricks", 20, 1, 10, false, true},
                          {"heap of 1,000 boxes", 10, 10, 10, false, false},
                          {"heap of 5,000 boxes", 25, 20, 10, false, false}};
  memset(out, 0, sizeof *out);
  out->name = list[number].name;
  out->count = list[number].wide * list[number].deep * list[number].high;
  out->has_hulls = list[number].has_hulls;
  out->bodies = calloc(out->count, sizeof *out->bodies);
  if (!out->bodies || !make_shapes(out)) return false;
  if (list[number].is_wall) fill_wall(out, list[number].wide);
  else fill_heap(out, list[number].wide, list[number].deep);
  return true;
}
