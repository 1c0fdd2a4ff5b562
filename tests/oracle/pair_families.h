/* Seeded families of pairs at the limit of double precision: gaps of one unit in the last place,
 * coinciding features, prisms, clouds of nearly equal points, slivers, distant positions, denormal
 * offsets. They complement those of pair_cases.h.
 *
 * A case contains the signed distance where the geometry determines it: gaps along z between bodies
 * on opposite sides of a plane. */
#ifndef ORACLE_PAIR_FAMILIES_H
#define ORACLE_PAIR_FAMILIES_H

#include "tests/oracle/pair_cases.h"

/* 10^e, e uniform in [low, high). */
static inline double family_decade(check_random *r, double low, double high) {
  return pow(10.0, check_uniform(r, low, high));
}

/* A multiple of 2^-20 in [low, high): sums and products of a few such numbers are exact. */
static inline double family_short(check_random *r, double low, double high) {
  return snap(check_uniform(r, low, high), 0x1p-20);
}

/* Rotations that are exact as matrices; some quaternions are not of unit length. */
static inline ct_quat family_square(check_random *r) {
  static const ct_quat all[] = {{0, 0, 0, 1}, {1, 0, 0, 0}, {0, 1, 0, 1},
                                {1, 0, 0, 1}, {0, 0, 1, 1}, {0.5, 0.5, 0.5, 0.5}};
  return all[pick(r, 6)];
}

/* Rotates the whole case by an exact rotation; known values remain valid. */
static inline void family_turn(pair_case *c, check_random *r) {
  ct_quat turn = family_square(r);
  ct_mat3 m = ct_quat_matrix(turn);
  pair_body *both[2] = {&c->a, &c->b};
  for (int k = 0; k < 2; k++) {
    both[k]->pose.rotation = ct_quat_mul(turn, both[k]->pose.rotation);
    both[k]->pose.position = ct_mat_mul(m, both[k]->pose.position);
  }
}

/* A gap at the height z: zero, a few units in the last place of z, 2^-40 or 1e-9, of either
 * sign. */
static inline double family_gap(check_random *r, double z) {
  double step = nextafter(fabs(z), INFINITY) - fabs(z);
  const double gaps[] = {0.0,          step,    -step,    2.0 * step, -2.0 * step, 64.0 * step,
                         -64.0 * step, 0x1p-40, -0x1p-40, 1e-9,       -1e-9};
  return gaps[pick(r, 11)];
}

/* Puts the upper body at the height where its lowest point is `gap` above z = top. The gap after
 * rounding is recorded; it is the signed distance if it is positive or if the bodies touch face to
 * face. */
static inline void family_lift(pair_case *c, check_random *r, double top, double low, bool flat) {
  double z = top - low;
  c->b.pose.position.z = z + family_gap(r, z);
  c->truth = (double)((long double)c->b.pose.position.z + low - top);
  c->known = flat || c->truth >= 0.0;
}

/* A prism of `sides` sides about z, from -height to +height. */
static inline void family_prism_of(pair_body *b, int sides, double radius, double height) {
  b->count = 0;
  for (int i = 0; i < sides; i++) {
    double turn = 6.283185307179586 * i / sides;
    for (int end = -1; end <= 1; end += 2)
      b->points[b->count++] = ct_vec(radius * cos(turn), radius * sin(turn), end * height);
  }
  if (!make_hull(b)) abort();
}

static inline int family_sides(check_random *r) {
  return pick(r, 4) ? 3 + (int)pick(r, 14) : 3 + (int)pick(r, 254);
}

/* Drawn in statements: C does not order arguments. */
static inline void family_prism(pair_body *b, int sides, check_random *r, double size) {
  double radius = size * check_uniform(r, 0.1, 1.0), height = size * check_uniform(r, 0.1, 1.0);
  family_prism_of(b, sides, radius, height);
}

/* A body with flat ends at -height and +height: box, prism, cylinder, cone. */
static inline void family_flat_body(pair_body *b, check_random *r, double height) {
  double x = family_short(r, 0.5, 1.0), y = family_short(r, 0.5, 1.0);
  b->count = 0;
  switch (pick(r, 4)) {
  case 0: b->shape = (ct_shape){.kind = CT_KIND_BOX, .box = {{x, y, height}}}; return;
  case 1: b->shape = (ct_shape){.kind = CT_KIND_CYLINDER, .cylinder = {x, height}}; return;
  case 2: b->shape = (ct_shape){.kind = CT_KIND_CONE, .cone = {height, x, y}}; return;
  default: family_prism_of(b, family_sides(r), x, height);
  }
}

/* Face on face, shifted by less than the extent of either. */
static inline void family_faces(pair_case *c, check_random *r) {
  double low = family_short(r, 0.25, 1.0), high = family_short(r, 0.25, 1.0);
  family_flat_body(&c->a, r, low);
  family_flat_body(&c->b, r, high);
  c->a.pose = c->b.pose = ct_pose_identity();
  c->b.pose.position.x = family_short(r, -0.2, 0.2);
  c->b.pose.position.y = family_short(r, -0.2, 0.2);
  c->a.pose.position.z = family_short(r, -2.0, 2.0);
  family_lift(c, r, c->a.pose.position.z + low, -high, true);
  family_turn(c, r);
}

/* A wedge with its edge along x at z = 0, the rest below (side -1) or above (side +1). */
static inline void family_wedge(pair_body *b, check_random *r, double side) {
  double reach = family_short(r, 0.5, 1.0), left = family_short(r, 0.1, 1.0),
         right = family_short(r, 0.1, 1.0);
  double depth = side * family_short(r, 0.25, 1.0);
  const ct_vec3 points[] = {{-reach, 0, 0},        {reach, 0, 0},          {-reach, -left, depth},
                            {reach, -left, depth}, {-reach, right, depth}, {reach, right, depth}};
  b->count = 6;
  memcpy(b->points, points, sizeof points);
  if (!make_hull(b)) abort();
}

/* Edges at an angle of 0, of 1e-16 to 1e-2, or of any size. */
static inline void family_edges(pair_case *c, check_random *r) {
  family_wedge(&c->a, r, -1.0);
  family_wedge(&c->b, r, 1.0);
  c->a.pose = c->b.pose = ct_pose_identity();
  double angle = pick(r, 5)   ? family_decade(r, -16.0, -2.0)
                 : pick(r, 2) ? 0.0
                              : check_uniform(r, 0.0, 1.5);
  c->b.pose.rotation = (ct_quat){0.0, 0.0, 0.5 * angle, 1.0};
  c->a.pose.position.z = family_short(r, -2.0, 2.0);
  family_lift(c, r, c->a.pose.position.z, 0.0, false);
  family_turn(c, r);
}

/* A pyramid with its tip at z = 0, the rest below (side -1) or above (side +1). */
static inline void family_pyramid(pair_body *b, check_random *r, double side) {
  int sides = 3 + (int)pick(r, 6);
  double radius = family_short(r, 0.1, 1.0), depth = side * family_short(r, 0.25, 1.0);
  b->count = 0;
  b->points[b->count++] = ct_vec(0, 0, 0);
  for (int i = 0; i < sides; i++) {
    double turn = 6.283185307179586 * i / sides;
    b->points[b->count++] = ct_vec(radius * cos(turn), radius * sin(turn), depth);
  }
  if (!make_hull(b)) abort();
}

/* A tip on a face, an edge or another tip: the tip of a pyramid or a cone, or the pole of a
 * ball. */
static inline void family_tips(pair_case *c, check_random *r) {
  c->a.pose = c->b.pose = ct_pose_identity();
  c->a.pose.position.z = family_short(r, -2.0, 2.0);
  double top = c->a.pose.position.z, low = 0.0, height = family_short(r, 0.25, 1.0);
  uint32_t under = pick(r, 3);
  if (under == 0) family_flat_body(&c->a, r, height);
  if (under == 0) top += height;
  if (under == 1) family_wedge(&c->a, r, -1.0);
  if (under == 2) family_pyramid(&c->a, r, -1.0);
  double size = family_short(r, 0.25, 1.0);
  c->b.count = 0;
  uint32_t over = pick(r, 4);
  if (over < 2) family_pyramid(&c->b, r, 1.0);
  else if (over == 2)
    c->b.shape = (ct_shape){.kind = CT_KIND_CONE, .cone = {size, 0.0, family_short(r, 0.25, 1.0)}};
  else c->b.shape = (ct_shape){.kind = CT_KIND_SPHERE, .sphere = {size}};
  if (over >= 2) low = -size;
  if (under == 0) c->b.pose.position.x = family_short(r, -0.2, 0.2);
  if (under == 1) c->b.pose.position.x = family_short(r, -0.4, 0.4);
  /* For a tip over a face the depth is along the vertical too. */
  family_lift(c, r, top, low, under == 0);
  family_turn(c, r);
}

/* Prisms of 3 to 256 sides against every kind, often coaxial. */
static inline void family_prisms(pair_case *c, check_random *r) {
  family_prism(&c->a, family_sides(r), r, 1.0);
  ct_kind kind = random_kind(r);
  if (pick(r, 3)) make_body(&c->b, kind, r, 1.0, ct_vec(1, 1, 1));
  else family_prism(&c->b, family_sides(r), r, 1.0);
  c->a.pose.rotation = random_rotation(r);
  c->b.pose.rotation = pick(r, 2) ? c->a.pose.rotation : random_rotation(r);
  place_near(c, r, pick(r, 3) ? 1.0 : 3.0);
  if (pick(r, 3)) return;
  ct_vec3 axis =
      ct_mat_mul(ct_quat_matrix(c->a.pose.rotation), ct_vec(0, 0, check_uniform(r, -1.0, 1.0)));
  c->b.pose.position = ct_add(c->a.pose.position, axis);
}

/* 20 to 60 points of one of four sorts: on a ball, near a few planes, with exact duplicates, with
 * duplicates that differ by a few units in the last place. */
static inline void family_cloud_of(pair_body *b, check_random *r) {
  do {
    uint32_t sort = pick(r, 4);
    double apart = family_decade(r, -16.0, -6.0);
    b->count = 20 + (int)pick(r, 41);
    for (int i = 0; i < b->count; i++) {
      ct_vec3 p = random_vec(r, 1.0);
      if (sort == 0) p = ct_scale(p, 1.0 / ct_max2(ct_norm(p), 0.1));
      if (sort == 1) {
        uint32_t axis = pick(r, 3);
        double level =
            (pick(r, 2) ? 0.75 : -0.5) + (pick(r, 2) ? check_uniform(r, -apart, apart) : 0.0);
        if (axis == 0) p.x = level;
        if (axis == 1) p.y = level;
        if (axis == 2) p.z = level;
      }
      bool again = sort >= 2 && i >= 6;
      uint32_t of = pick(r, 6);
      ct_vec3 by = random_vec(r, apart);
      b->points[i] = !again ? p : sort == 2 ? b->points[of] : ct_add(b->points[of], by);
    }
  } while (!make_hull(b));
}

static inline void family_clouds(pair_case *c, check_random *r) {
  family_cloud_of(&c->a, r);
  ct_kind kind = random_kind(r);
  if (pick(r, 2)) family_cloud_of(&c->b, r);
  else make_body(&c->b, kind, r, 1.0, ct_vec(1, 1, 1));
  c->a.pose.rotation = random_rotation(r);
  c->b.pose.rotation = pick(r, 3) ? random_rotation(r) : c->a.pose.rotation;
  place_near(c, r, pick(r, 2) ? 1.2 : 2.5);
}

/* A tetrahedron with its fourth vertex 1e-13 to 1e-2 off the plane of the others, or its third off
 * the line of the first two. */
static inline void family_sliver_of(pair_body *b, check_random *r) {
  do {
    double flat = family_decade(r, -13.0, -2.0),
           thin = pick(r, 2) ? family_decade(r, -9.0, -1.0) : 1.0;
    ct_vec3 p = random_vec(r, 1.0), u = random_vec(r, 1.0), v = ct_scale(random_vec(r, 1.0), thin);
    ct_vec3 up = ct_scale(ct_unit_or(ct_cross(u, v), ct_vec(0, 0, 1)), flat * thin);
    double s = check_uniform(r, -0.2, 1.0), t = check_uniform(r, -0.2, 1.0);
    b->count = 4;
    b->points[0] = p;
    b->points[1] = ct_add(p, u);
    b->points[2] = ct_add(ct_add_scaled(p, u, s), v);
    b->points[3] = ct_add(ct_add_scaled(ct_add_scaled(p, u, t), v, s), up);
  } while (!make_hull(b));
}

static inline void family_slivers(pair_case *c, check_random *r) {
  family_sliver_of(&c->a, r);
  ct_kind kind = random_kind(r);
  if (pick(r, 2)) family_sliver_of(&c->b, r);
  else make_body(&c->b, kind, r, 1.0, ct_vec(1, 1, 1));
  c->a.pose.rotation = random_rotation(r);
  c->b.pose.rotation = random_rotation(r);
  place_near(c, r, pick(r, 2) ? 0.3 : 1.2);
}

/* The hull of a box's corners, rotated and rounded, against that box, itself, or a box on one of
 * its faces. */
static inline void family_rounded_boxes(pair_case *c, check_random *r) {
  ct_vec3 half = uniform_vec(r, 0.2, 1.0);
  ct_quat turn = pick(r, 3) ? random_rotation(r) : special_rotation(r);
  ct_mat3 m = ct_quat_matrix(turn);
  c->a.count = 8;
  for (int i = 0; i < 8; i++)
    c->a.points[i] = ct_mat_mul(
        m, ct_vec(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z));
  if (!make_hull(&c->a)) abort();
  c->a.pose = ct_pose_identity();
  c->b = c->a;
  uint32_t other = pick(r, 3);
  if (other == 2) make_hull(&c->b);
  else c->b.shape = (ct_shape){.kind = CT_KIND_BOX, .box = {half}}, c->b.pose.rotation = turn;
  const ct_vec3 aside[] = {
      {2.0 * half.x, 0, 0}, {0, 2.0 * half.y, 0}, {0, 2.0 * half.x, 2.0 * half.z}, {0, 0, 0}};
  if (other) c->b.pose.position = ct_mat_mul(m, aside[pick(r, 4)]);
}

/* Both bodies 1e6 to 1e9 m from the origin, near each other. */
static inline void family_remote(pair_case *c, check_random *r) {
  if (pick(r, 2)) family_random(c, r);
  else family_grid(c, r);
  ct_vec3 away = random_vec(r, family_decade(r, 6.0, 8.9));
  away.x = pick(r, 8) ? away.x : 9.9e8;
  c->a.pose.position = ct_add(c->a.pose.position, away);
  c->b.pose.position = ct_add(c->b.pose.position, away);
}

/* Bodies that touch in z = 0, one shifted by 5e-324 to 1e-150; coordinates and quaternions may have
 * components as small. */
static inline void family_denormal(pair_case *c, check_random *r) {
  double tiny =
      pick(r, 2) ? 0x1p-1074 * (double)(1 + pick(r, 4)) : family_decade(r, -320.0, -150.0);
  uint32_t way = pick(r, 3);
  c->a.pose = c->b.pose = ct_pose_identity();
  if (way == 0) {
    family_wedge(&c->a, r, -1.0);
    family_pyramid(&c->b, r, 1.0);
  } else if (way == 1) {
    for (int k = 0; k < 2; k++) {
      pair_body *b = k ? &c->b : &c->a;
      double x = family_short(r, 0.5, 1.0), y = family_short(r, 0.5, 1.0), z = k ? 1.0 : -1.0;
      b->count = 8;
      for (int i = 0; i < 8; i++)
        b->points[i] = ct_vec(i & 1 ? x : tiny, i & 2 ? y : -y, i & 4 ? z : 0.0);
      if (!make_hull(b)) abort();
    }
  } else {
    make_body(&c->a, random_kind(r), r, 1.0, ct_vec(1, 1, 1));
    make_body(&c->b, random_kind(r), r, 1.0, ct_vec(1, 1, 1));
    c->b.pose.rotation = (ct_quat){tiny, -tiny, 2.0 * tiny, 1.0};
  }
  c->b.pose.position.x = pick(r, 2) ? tiny : 0.0;
  c->b.pose.position.y = pick(r, 2) ? -tiny : 0.0;
  c->b.pose.position.z = pick(r, 2) ? tiny : -tiny;
  c->known = way < 2;
  c->truth = c->b.pose.position.z;
}

/* The least and greatest permitted sizes, 1e-9 and 1e9 m, against each other and against others. */
static inline void family_extremes(pair_case *c, check_random *r) {
  double small = 1e-8 * family_decade(r, 0.0, 3.0), large = 1e9 * family_decade(r, -4.0, -0.5);
  double other = pick(r, 2) ? large : pick(r, 2) ? small : 1.0;
  ct_kind kind = random_kind(r);
  make_body(&c->a, kind, r, small, ct_vec(1, 1, 1));
  kind = random_kind(r);
  make_body(&c->b, kind, r, other, ct_vec(1, 1, 1));
  c->a.pose.rotation = random_rotation(r);
  c->b.pose.rotation = random_rotation(r);
  c->a.pose.position = c->b.pose.position = ct_vec(0, 0, 0);
  c->b.pose.position =
      random_vec(r, (pick(r, 2) ? 1.2 : 0.3) * ct_max2(small, ct_min2(other, 5e8)));
}

#endif
