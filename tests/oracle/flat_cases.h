/* Pairs of bodies that stand on each other with flat faces. Each body comes with the outline of its
 * face, so that the contact patch is known in closed form. Most poses are symmetric: concentric, of
 * equal size, rotated by multiples of 15 degrees. */
#ifndef TESTS_FLAT_CASES_H
#define TESTS_FLAT_CASES_H

#include "tests/support/meshes.h"
#include "tests/support/shapes.h"

#include <contact/contact.h>
#include <contact/manifold.h>

enum { FLAT_CORNERS_MAX = 12 };

typedef enum flat_form { FLAT_POLYGON, FLAT_DISC, FLAT_LINE, FLAT_ALL } flat_form;

/* The face of a body that touches the other body: in the plane z = 0, counter-clockwise seen from
 * above. */
typedef struct flat_outline {
  flat_form form;
  int count; /* corners of a polygon; 2 for a line */
  double at[FLAT_CORNERS_MAX][2];
  double radius; /* radius of a disc about the origin */
} flat_outline;

/* A body and the pose at which its outline is in z = 0, with the body below or above the plane. */
typedef struct flat_body {
  const char *name;
  ct_shape shape;
  ct_pose pose;
  flat_outline outline;
} flat_body;

typedef struct flat_case {
  flat_body a, b;    /* a is below b */
  double turn, x, y; /* rotation of b about the vertical, and its horizontal offset */
  double gap;
  ct_pose move; /* applied to both bodies */
  ct_frame frame_a, frame_b;
} flat_case;

static inline uint32_t flat_pick(check_random *r, uint32_t count) {
  return (uint32_t)(check_next(r) % count);
}

static const double flat_sizes[] = {0.25, 0.5, 0.5, 0.5, 1.0};
static inline double flat_size(check_random *r) {
  return flat_pick(r, 4) ? flat_sizes[flat_pick(r, 5)] : check_uniform(r, 0.2, 1.0);
}

static inline void flat_rectangle(flat_outline *o, double x, double y) {
  o->form = FLAT_POLYGON;
  o->count = 4;
  for (int k = 0; k < 4; k++) {
    o->at[k][0] = k == 1 || k == 2 ? x : -x;
    o->at[k][1] = k >= 2 ? y : -y;
  }
}

/* A regular polygon, or corners at random positions on an ellipse. */
static inline void flat_polygon(flat_outline *o, check_random *r) {
  bool regular = flat_pick(r, 3) > 0;
  double x = flat_size(r), y = regular ? x : flat_size(r);
  o->form = FLAT_POLYGON;
  o->count = 3 + (int)flat_pick(r, FLAT_CORNERS_MAX - 2);
  for (int k = 0; k < o->count; k++) {
    double angle = 2.0 * SOUP_PI * (k + (regular ? 0.0 : check_uniform(r, 0.0, 0.8))) / o->count;
    o->at[k][0] = x * cos(angle);
    o->at[k][1] = y * sin(angle);
  }
}

/* The hull of the outline at z = 0 and of an equal or smaller copy at z = height; a copy of size 0
 * is an apex. */
static inline ct_shape flat_hull(const flat_outline *o, double height, double scale) {
  ct_vec3 p[2 * FLAT_CORNERS_MAX];
  for (int k = 0; k < o->count; k++) {
    p[k] = ct_vec(o->at[k][0], o->at[k][1], 0.0);
    p[o->count + k] = ct_vec(scale * o->at[k][0], scale * o->at[k][1], height);
  }
  return hull_shape(p, (size_t)(2 * o->count));
}

/* The same solid as a mesh; its faces are triangle fans. */
static inline ct_shape flat_mesh(const flat_outline *o, double height) {
  soup s = {0};
  uint32_t n = (uint32_t)o->count;
  bool up = height > 0.0;
  for (uint32_t k = 0; k < 2 * n; k++)
    soup_vertex(&s, ct_vec(o->at[k % n][0], o->at[k % n][1], k < n ? 0.0 : height));
  for (uint32_t k = 0; k < n; k++) {
    uint32_t l = (k + 1) % n;
    soup_triangle(&s, k, up ? l : n + l, up ? n + l : l);
    soup_triangle(&s, k, up ? n + l : n + k, up ? n + k : n + l);
    if (k == 0 || l == 0) continue;
    soup_triangle(&s, 0, up ? l : k, up ? k : l);
    soup_triangle(&s, n, up ? n + k : n + l, up ? n + l : n + k);
  }
  ct_shape shape = {.kind = CT_KIND_MESH, .mesh = soup_mesh(&s)};
  soup_free(&s);
  return shape;
}

static inline ct_pose flat_at(double z) { return at(0.0, 0.0, z); }
static inline ct_pose flat_lying(double z) {
  return turned(flat_at(z), 0.0, sqrt(0.5), 0.0, sqrt(0.5));
}

static inline void flat_disc(flat_outline *o, double radius) {
  o->form = FLAT_DISC;
  o->radius = radius;
}

static inline void flat_line(flat_outline *o, double half) {
  o->form = FLAT_LINE;
  o->count = 2;
  for (int k = 0; k < 2; k++) {
    o->at[k][0] = k ? half : -half;
    o->at[k][1] = 0.0;
  }
}

enum {
  FLAT_BOX,
  FLAT_ROUNDED,
  FLAT_PRISM,
  FLAT_FRUSTUM_HULL,
  FLAT_MESH,
  FLAT_CYLINDER,
  FLAT_CONE,
  FLAT_ROUNDED_CYLINDER,
  FLAT_CAPSULE,
  FLAT_LYING_CYLINDER,
  FLAT_ABOVE,
  FLAT_PLANE = FLAT_ABOVE,
  FLAT_KINDS
};

/* side: 1 above the plane z = 0, -1 below it. */
static inline flat_body flat_body_make(int kind, double side, check_random *r) {
  static const char *const names[] = {"box",     "rounded box",    "prism", "frustum of a hull",
                                      "mesh",    "cylinder",       "cone",  "rounded cylinder",
                                      "capsule", "lying cylinder", "plane"};
  flat_body b = {.name = names[kind], .pose = flat_at(0.0)};
  double x = flat_size(r), y = flat_pick(r, 2) ? x : flat_size(r), h = flat_size(r);
  switch (kind) {
  case FLAT_BOX:
    b.shape = box(x, y, h);
    b.pose = flat_at(side * h);
    flat_rectangle(&b.outline, x, y);
    break;
  case FLAT_ROUNDED: {
    bool inset = flat_pick(r, 2);
    double by = inset ? 0.2 * fmin(fmin(x, y), h) : 0.125;
    b.shape = rounded(box(x, y, h), inset, by, 0.0);
    b.pose = flat_at(side * (inset ? h : h + by));
    flat_rectangle(&b.outline, inset ? x - by : x, inset ? y - by : y);
    break;
  }
  case FLAT_PRISM:
    flat_polygon(&b.outline, r);
    b.shape = flat_hull(&b.outline, side * 2.0 * h, 1.0);
    break;
  case FLAT_FRUSTUM_HULL:
    flat_polygon(&b.outline, r);
    b.shape = flat_hull(&b.outline, side * 2.0 * h, flat_pick(r, 2) ? 0.0 : 0.5);
    break;
  case FLAT_MESH:
    flat_polygon(&b.outline, r);
    if (flat_pick(r, 2)) flat_rectangle(&b.outline, x, y);
    b.shape = flat_mesh(&b.outline, side * 2.0 * h);
    break;
  case FLAT_CYLINDER:
    b.shape = cylinder(x, h);
    b.pose = flat_at(side * h);
    flat_disc(&b.outline, x);
    break;
  case FLAT_CONE: {
    bool foot = side > 0.0; /* which end is in the plane */
    double far = flat_pick(r, 2) ? 0.0 : y;
    b.shape = cone(h, foot ? x : far, foot ? far : x);
    b.pose = flat_at(side * h);
    flat_disc(&b.outline, x);
    break;
  }
  case FLAT_ROUNDED_CYLINDER:
    b.shape = rounded(cylinder(x, h), false, 0.125, 0.0);
    b.pose = flat_at(side * (h + 0.125));
    flat_disc(&b.outline, x);
    break;
  case FLAT_CAPSULE:
    b.shape = capsule(h, 0.25, 0.25);
    b.pose = flat_lying(side * 0.25);
    flat_line(&b.outline, h);
    break;
  case FLAT_LYING_CYLINDER:
    b.shape = cylinder(0.25, h);
    b.pose = flat_lying(side * 0.25);
    flat_line(&b.outline, h);
    break;
  default: b.shape = plane(); b.outline.form = FLAT_ALL;
  }
  return b;
}

static inline void flat_body_free(flat_body *b) {
  if (b->shape.kind == CT_KIND_CONVEX) ct_hull_release(b->shape.hull);
  if (b->shape.kind == CT_KIND_MESH) ct_mesh_release(b->shape.mesh);
}
static inline void flat_case_free(flat_case *c) {
  flat_body_free(&c->a);
  flat_body_free(&c->b);
}

static inline ct_pose flat_turn_about_z(double angle, double x, double y, double z) {
  return turned(at(x, y, z), 0.0, 0.0, sin(angle / 2.0), cos(angle / 2.0));
}

static inline ct_quat flat_any_turn(check_random *r) {
  return (ct_quat){check_uniform(r, -1, 1), check_uniform(r, -1, 1), check_uniform(r, -1, 1),
                   check_uniform(r, 0.1, 1)};
}

/* Both bodies in their poses; b is moved by *small, in world axes, about its own centre. */
static inline void flat_place(flat_case *c, const ct_pose *small) {
  ct_frame move = ct_frame_of(c->move);
  ct_frame up = ct_frame_mul(ct_frame_of(flat_turn_about_z(c->turn, c->x, c->y, c->gap)),
                             ct_frame_of(c->b.pose));
  c->frame_a = ct_frame_mul(move, ct_frame_of(c->a.pose));
  c->frame_b = ct_frame_mul(move, up);
  if (!small) return;
  c->frame_b.rotation = ct_mat_mat(ct_quat_matrix(small->rotation), c->frame_b.rotation);
  c->frame_b.position = ct_add(c->frame_b.position, small->position);
}

/* Rotated and shifted: on a grid, or at random. */
static inline void flat_case_make(flat_case *c, check_random *r) {
  int above = (int)flat_pick(r, FLAT_ABOVE), below = (int)flat_pick(r, FLAT_KINDS);
  bool same = flat_pick(r, 4) == 0;
  check_random again = *r;
  c->a = flat_body_make(same && below != FLAT_PLANE ? above : below, -1.0, same ? &again : r);
  c->b = flat_body_make(above, 1.0, r);
  c->turn =
      flat_pick(r, 4) ? (double)flat_pick(r, 24) * SOUP_PI / 12.0 : check_uniform(r, -3.0, 3.0);
  if (flat_pick(r, 3) == 0) c->turn = (double)flat_pick(r, 4) * SOUP_PI / 2.0;
  c->x = c->y = 0.0;
  int place = (int)flat_pick(r, 3);
  if (place == 1) {
    c->x = 0.25 * ((double)flat_pick(r, 5) - 2.0);
    c->y = 0.25 * ((double)flat_pick(r, 5) - 2.0);
  } else if (place == 2) {
    c->x = check_uniform(r, -0.5, 0.5);
    c->y = check_uniform(r, -0.5, 0.5);
  }
  c->gap = flat_pick(r, 2) ? 0.01 : -0.01;
  c->move = (ct_pose){{0, 0, 0}, ct_quat_identity()};
  if (flat_pick(r, 2)) c->move = (ct_pose){{1, -2, 0.5}, flat_any_turn(r)};
  flat_place(c, NULL);
}

#endif
