/* Seeded families of hard pairs: near contact, parallel, thin, far apart, very unequal in size,
 * snapped to grids.
 *
 * A case owns its hulls; release it. All randomness comes from the check_random passed in. */
#ifndef ORACLE_PAIR_CASES_H
#define ORACLE_PAIR_CASES_H

#include <contact/contact.h>

#include "tests/support/check.h"

#define CASE_POINTS_MAX 512

typedef struct pair_body {
  ct_shape shape;
  ct_pose pose;
  ct_vec3 points[CASE_POINTS_MAX];
  int count;
} pair_body;

typedef struct pair_case {
  pair_body a, b;
  bool known;   /* the family knows the signed distance; callers set it to false first */
  double truth; /* valid if known: the signed distance, m */
} pair_case;

static inline void body_release(pair_body *b) { ct_shape_release(&b->shape); }
static inline void case_release(pair_case *c) {
  body_release(&c->a);
  body_release(&c->b);
}

static inline uint32_t pick(check_random *r, uint32_t count) {
  return (uint32_t)(check_next(r) >> 33) % count;
}
static inline double snap(double x, double grid) { return floor(x / grid + 0.5) * grid; }
static inline ct_vec3 snap_vec(ct_vec3 v, double grid) {
  return ct_vec(snap(v.x, grid), snap(v.y, grid), snap(v.z, grid));
}

/* Draws x, y, z in this order; C orders neither arguments nor initialisers. */
static inline ct_vec3 uniform_vec(check_random *r, double low, double high) {
  double x = check_uniform(r, low, high);
  double y = check_uniform(r, low, high);
  return ct_vec(x, y, check_uniform(r, low, high));
}
static inline ct_vec3 random_vec(check_random *r, double size) {
  return uniform_vec(r, -size, size);
}
static inline ct_quat random_rotation(check_random *r) {
  ct_vec3 v = random_vec(r, 1.0);
  ct_quat q = {v.x, v.y, v.z, check_uniform(r, -1, 1)};
  double n = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return n > 0.1 ? (ct_quat){q.x / n, q.y / n, q.z / n, q.w / n} : ct_quat_identity();
}
/* Multiples of 45 degrees about an axis or a diagonal; those of 90 degrees are exact. */
static inline ct_quat special_rotation(check_random *r) {
  static const double h = 0.70710678118654752440, c = 0.92387953251128675613,
                      s = 0.38268343236508977173;
  const ct_quat choices[] = {{0, 0, 0, 1}, {1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0},
                             {h, 0, 0, h}, {0, h, 0, h}, {0, 0, h, h}, {0.5, 0.5, 0.5, 0.5},
                             {h, h, 0, 0}, {s, 0, 0, c}, {0, s, 0, c}, {0, 0, s, c}};
  return choices[pick(r, 12)];
}

/* The hull of the points; NULL if they span no solid. */
static inline const ct_hull *hull_of(const ct_vec3 *points, int count) {
  ct_hull *hull = NULL;
  return ct_hull_from_points(points, (size_t)count, NULL, &hull, NULL) == CT_OK ? hull : NULL;
}

/* Makes the body the hull of its points; false if they span no solid. */
static inline bool make_hull(pair_body *b) {
  const ct_hull *hull = hull_of(b->points, b->count);
  if (!hull) return false;
  b->shape = (ct_shape){.kind = CT_KIND_CONVEX, .hull = hull};
  return true;
}

/* A body of the kind, about `size` large, with random stretches along three directions. Half of the
 * capsules are tapered. */
static inline void make_body(pair_body *b, ct_kind kind, check_random *r, double size,
                             ct_vec3 stretch) {
  b->count = 0;
  b->shape = (ct_shape){.kind = kind};
  switch (kind) {
  case CT_KIND_SPHERE: b->shape.sphere.radius = size * check_uniform(r, 0.1, 1); return;
  case CT_KIND_BOX: {
    ct_vec3 h = uniform_vec(r, 0.1, 1);
    b->shape.box.half =
        ct_vec(size * h.x * stretch.x, size * h.y * stretch.y, size * h.z * stretch.z);
    return;
  }
  case CT_KIND_CAPSULE:
    b->shape.capsule.half_length = size * check_uniform(r, 0.1, 1) * stretch.z;
    b->shape.capsule.radius_bottom = b->shape.capsule.radius_top =
        size * check_uniform(r, 0.1, 0.6) * stretch.x;
    if (pick(r, 2)) b->shape.capsule.radius_top = size * check_uniform(r, 0.1, 0.6) * stretch.x;
    return;
  case CT_KIND_CYLINDER:
    b->shape.cylinder.half_length = size * check_uniform(r, 0.1, 1) * stretch.z;
    b->shape.cylinder.radius = size * check_uniform(r, 0.1, 1) * stretch.x;
    return;
  case CT_KIND_CONE:
    b->shape.cone.half_length = size * check_uniform(r, 0.1, 1) * stretch.z;
    b->shape.cone.radius_bottom = size * check_uniform(r, 0.1, 1) * stretch.x;
    b->shape.cone.radius_top = pick(r, 2) ? size * check_uniform(r, 0.1, 1) * stretch.x : 0.0;
    return;
  case CT_KIND_ELLIPSOID: {
    ct_vec3 s = uniform_vec(r, 0.1, 1);
    b->shape.ellipsoid.radii =
        ct_vec(size * s.x * stretch.x, size * s.y * stretch.y, size * s.z * stretch.z);
    return;
  }
  default: break;
  }
  do {
    b->count = 4 + (int)pick(r, 5);
    for (int i = 0; i < b->count; i++) {
      ct_vec3 p = random_vec(r, size);
      b->points[i] = ct_vec(p.x * stretch.x, p.y * stretch.y, p.z * stretch.z);
    }
  } while (!make_hull(b));
}

/* Bounded kinds. The search over all normals (pair_oracle.h) supports the first four. */
static const ct_kind case_kinds[] = {CT_KIND_SPHERE,   CT_KIND_BOX,      CT_KIND_CAPSULE,
                                     CT_KIND_CONVEX,   CT_KIND_CYLINDER, CT_KIND_CONE,
                                     CT_KIND_ELLIPSOID};
/* How many of these kinds the families draw from. A program that also wants curved bodies sets it
 * to 7. */
static uint32_t case_kind_count = 4;

static inline ct_kind random_kind(check_random *r) { return case_kinds[pick(r, case_kind_count)]; }

/* Puts b so that its origin is about `far` times the sizes away from a's. */
static inline void place_near(pair_case *c, check_random *r, double far) {
  c->a.pose.position = random_vec(r, 1.0);
  c->b.pose.position = ct_add(c->a.pose.position, random_vec(r, far));
}

static inline void family_random(pair_case *c, check_random *r) {
  make_body(&c->a, random_kind(r), r, 1.0, ct_vec(1, 1, 1));
  make_body(&c->b, random_kind(r), r, 1.0, ct_vec(1, 1, 1));
  c->a.pose.rotation = random_rotation(r);
  c->b.pose.rotation = random_rotation(r);
  place_near(c, r, pick(r, 3) ? 1.2 : 4.0);
}

/* Sizes and positions on a coarse grid, right angles: faces, edges and vertices coincide
 * exactly. */
static inline void family_grid(pair_case *c, check_random *r) {
  const double grid = pick(r, 2) ? 0.25 : 0x1p-20;
  pair_body *both[2] = {&c->a, &c->b};
  for (int k = 0; k < 2; k++) {
    pair_body *b = both[k];
    b->count = 0;
    ct_kind kind = random_kind(r);
    b->shape = (ct_shape){.kind = kind};
    ct_vec3 h = snap_vec(uniform_vec(r, 0.25, 1.5), grid);
    if (kind == CT_KIND_SPHERE) b->shape.sphere.radius = h.x;
    if (kind == CT_KIND_BOX) b->shape.box.half = h;
    if (kind == CT_KIND_CAPSULE) {
      b->shape.capsule.half_length = h.z;
      b->shape.capsule.radius_bottom = b->shape.capsule.radius_top = h.x;
    }
    if (kind == CT_KIND_CYLINDER)
      b->shape.cylinder.radius = h.x, b->shape.cylinder.half_length = h.z;
    if (kind == CT_KIND_CONE)
      b->shape.cone.half_length = h.z, b->shape.cone.radius_bottom = h.x,
      b->shape.cone.radius_top = pick(r, 2) ? h.y : 0.0;
    if (kind == CT_KIND_ELLIPSOID) b->shape.ellipsoid.radii = h;
    if (kind == CT_KIND_CONVEX) {
      do {
        b->count = 4 + (int)pick(r, 5);
        for (int i = 0; i < b->count; i++) b->points[i] = snap_vec(random_vec(r, 1.5), grid);
      } while (!make_hull(b));
    }
    b->pose.rotation = special_rotation(r);
    b->pose.position = snap_vec(random_vec(r, 1.5), grid);
  }
}

/* Same centre, often the same orientation or the same body. */
static inline void family_concentric(pair_case *c, check_random *r) {
  make_body(&c->a, random_kind(r), r, 1.0, ct_vec(1, 1, 1));
  ct_kind kind = random_kind(r);
  make_body(&c->b, kind, r, pick(r, 2) ? 1.0 : 0.25, ct_vec(1, 1, 1));
  c->a.pose.position = c->b.pose.position = random_vec(r, 1.0);
  c->a.pose.rotation = c->b.pose.rotation = pick(r, 2) ? special_rotation(r) : random_rotation(r);
  if (pick(r, 3) == 0) c->b.pose.rotation = special_rotation(r);
}

/* Slabs and needles as thin as 1e-9 of their length. */
static inline void family_thin(pair_case *c, check_random *r) {
  pair_body *both[2] = {&c->a, &c->b};
  for (int k = 0; k < 2; k++) {
    double thin = pow(10.0, -(double)pick(r, 10));
    ct_vec3 stretch = pick(r, 2) ? ct_vec(1, 1, thin) : ct_vec(thin, thin, 1);
    ct_kind kind = case_kinds[1 + pick(r, case_kind_count - 1)];
    make_body(both[k], kind, r, 1.0, stretch);
    both[k]->pose.rotation = pick(r, 3) ? random_rotation(r) : special_rotation(r);
  }
  place_near(c, r, pick(r, 2) ? 0.3 : 1.5);
}

/* Capsules and long boxes with axes 1e-16 .. 1e-2 rad from parallel, side by side, crossing or
 * overlapping. */
static inline void family_nearly_parallel(pair_case *c, check_random *r) {
  pair_body *both[2] = {&c->a, &c->b};
  for (int k = 0; k < 2; k++)
    make_body(both[k], pick(r, 2) ? CT_KIND_CAPSULE : random_kind(r), r, 1.0, ct_vec(0.2, 0.2, 1));
  double angle = pow(10.0, -2.0 - 14.0 * check_uniform(r, 0, 1));
  c->a.pose.rotation = pick(r, 2) ? ct_quat_identity() : random_rotation(r);
  ct_quat small = {0.5 * angle, pick(r, 2) ? 0.25 * angle : 0.0, 0.0, 1.0};
  c->b.pose.rotation = ct_quat_mul(c->a.pose.rotation, small);
  c->a.pose.position = random_vec(r, 1.0);
  double side = pick(r, 3) == 0 ? 0.0 : check_uniform(r, 0, 0.6);
  double across = pick(r, 2) ? 0.0 : check_uniform(r, -0.3, 0.3);
  ct_vec3 local = {side, across, check_uniform(r, -1.5, 1.5)};
  c->b.pose.position =
      ct_add(c->a.pose.position, ct_mat_mul(ct_quat_matrix(c->a.pose.rotation), local));
}

/* Sizes of 1e-3 and less against sizes of 1 .. 1e3. */
static inline void family_scales(pair_case *c, check_random *r) {
  double small = pow(10.0, -3.0 - (double)pick(r, 4));
  double big = pow(10.0, (double)pick(r, 4));
  make_body(&c->a, random_kind(r), r, small, ct_vec(1, 1, 1));
  make_body(&c->b, random_kind(r), r, big, ct_vec(1, 1, 1));
  c->a.pose.rotation = random_rotation(r);
  c->b.pose.rotation = random_rotation(r);
  place_near(c, r, pick(r, 2) ? 1.2 * big : 0.3 * big);
}

/* Hulls of up to 16 vertices against any kind. */
static inline void family_large_hulls(pair_case *c, check_random *r) {
  c->a.shape = (ct_shape){.kind = CT_KIND_CONVEX};
  do {
    c->a.count = 12 + (int)pick(r, 5);
    for (int i = 0; i < c->a.count; i++) {
      ct_vec3 p = random_vec(r, 1.0);
      c->a.points[i] = ct_scale(p, 1.0 / ct_max2(ct_norm(p), 0.1));
    }
  } while (!make_hull(&c->a));
  ct_kind kind = random_kind(r);
  make_body(&c->b, kind, r, pick(r, 2) ? 1.0 : 0.3, ct_vec(1, 1, 1));
  c->a.pose.rotation = random_rotation(r);
  c->b.pose.rotation = random_rotation(r);
  place_near(c, r, pick(r, 2) ? 0.5 : 2.0);
}

/* Apart by 10 to 1e7 times their sizes, which may differ as much. */
static inline void family_far(pair_case *c, check_random *r) {
  double size = pow(10.0, -(double)pick(r, 4)), thin = pick(r, 2) ? 1.0 : 0.01;
  make_body(&c->a, random_kind(r), r, size, ct_vec(1, 1, 1));
  make_body(&c->b, random_kind(r), r, 1.0, ct_vec(thin, thin, 1));
  c->a.pose.rotation = random_rotation(r);
  c->b.pose.rotation = random_rotation(r);
  place_near(c, r, pow(10.0, 1.0 + (double)pick(r, 7)));
}

typedef void (*pair_family)(pair_case *, check_random *);

/* Moves b along a direction until the gap reported by the engine is `gap`, within rounding: near
 * contact from either side. */
static inline void bring_to_gap(pair_case *c, ct_workspace *workspace, double gap) {
  const ct_pair_options options = {.tolerance = 0.0, .threshold = INFINITY};
  for (int step = 0; step < 3; step++) {
    ct_frame fa = ct_frame_of(c->a.pose), fb = ct_frame_of(c->b.pose);
    ct_pair_result result;
    ct_pair_distance((ct_placed){&c->a.shape, &fa}, (ct_placed){&c->b.shape, &fb}, &options,
                     workspace, &result);
    c->b.pose.position = ct_add_scaled(c->b.pose.position, result.normal, gap - result.distance);
  }
}

#endif
