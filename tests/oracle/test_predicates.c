/* Exact signs of the predicates, against 128-bit integers and against planes with sides in closed
 * form. */
#include "base/predicates.h"
#include "tests/support/check.h"

__extension__ typedef __int128 wide;

typedef struct grid_point {
  int64_t x, y, z;
} grid_point;

static int64_t uniform_int(check_random *r, int64_t limit) {
  return (int64_t)(check_next(r) % (uint64_t)(2 * limit + 1)) - limit;
}

static grid_point random_point(check_random *r, int64_t limit) {
  return (grid_point){uniform_int(r, limit), uniform_int(r, limit), uniform_int(r, limit)};
}

static ct_vec3 scaled(grid_point p, double unit) {
  return ct_vec((double)p.x * unit, (double)p.y * unit, (double)p.z * unit);
}

static int integer_sign(grid_point a, grid_point b, grid_point c, grid_point d) {
  wide bx = b.x - a.x, by = b.y - a.y, bz = b.z - a.z, cx = c.x - a.x, cy = c.y - a.y,
       cz = c.z - a.z;
  wide dx = d.x - a.x, dy = d.y - a.y, dz = d.z - a.z;
  wide det = dx * (by * cz - bz * cy) + dy * (bz * cx - bx * cz) + dz * (bx * cy - by * cx);
  return (det > 0) - (det < 0);
}

static void orientation_is_positive_on_the_side_of_the_normal(void) {
  CHECK_INT(ct_orient3d(ct_vec(0, 0, 0), ct_vec(1, 0, 0), ct_vec(0, 1, 0), ct_vec(0, 0, 1)), 1);
  CHECK_INT(ct_orient3d(ct_vec(0, 0, 0), ct_vec(1, 0, 0), ct_vec(0, 1, 0), ct_vec(5, 7, -1e-100)),
            -1);
  CHECK_INT(ct_orient3d(ct_vec(0, 0, 0), ct_vec(1, 0, 0), ct_vec(0, 1, 0), ct_vec(5, 7, 0)), 0);
}

static void random_integer_points_have_the_integer_sign(void) {
  check_random r = {11};
  for (int i = 0; i < 200000; i++) {
    int64_t limit = (int64_t)1 << (1 + check_next(&r) % 40);
    double unit = ldexp(1.0, (int)(check_next(&r) % 120) - 60);
    grid_point p[4];
    for (int k = 0; k < 4; k++) p[k] = random_point(&r, limit);
    CHECK_INT(
        ct_orient3d(scaled(p[0], unit), scaled(p[1], unit), scaled(p[2], unit), scaled(p[3], unit)),
        integer_sign(p[0], p[1], p[2], p[3]));
  }
}

/* d = a + i (b - a) + j (c - a), then moved by at most one unit: zeros and the smallest nonzero
 * determinants. */
static void points_within_one_unit_of_the_plane_have_the_integer_sign(void) {
  check_random r = {12};
  int zeros = 0;
  for (int i = 0; i < 200000; i++) {
    int64_t limit = (int64_t)1 << (1 + check_next(&r) % 34);
    double unit = ldexp(1.0, (int)(check_next(&r) % 120) - 60);
    grid_point a = random_point(&r, limit), b = random_point(&r, limit),
               c = random_point(&r, limit);
    int64_t s = uniform_int(&r, 8), t = uniform_int(&r, 8);
    grid_point move = random_point(&r, 1);
    grid_point d = {a.x + s * (b.x - a.x) + t * (c.x - a.x) + move.x,
                    a.y + s * (b.y - a.y) + t * (c.y - a.y) + move.y,
                    a.z + s * (b.z - a.z) + t * (c.z - a.z) + move.z};
    int expected = integer_sign(a, b, c, d);
    zeros += expected == 0;
    CHECK_INT(ct_orient3d(scaled(a, unit), scaled(b, unit), scaled(c, unit), scaled(d, unit)),
              expected);
  }
  CHECK(zeros > 5000);
}

/* A double with random mantissa and exponent: differences of such numbers are not doubles. */
static double rough(check_random *r, int exponents) {
  return ldexp(check_uniform(r, -1.0, 1.0),
               (int)(check_next(r) % (uint64_t)exponents) - exponents / 2);
}

/* The plane z = x: its normal for counter-clockwise corners is known, and the side of d is the sign
 * of z - x. */
static void points_of_the_plane_z_equals_x_are_distinguished_from_their_neighbours(void) {
  check_random r = {13};
  for (int i = 0; i < 100000; i++) {
    ct_vec3 p[4];
    for (int k = 0; k < 4; k++) {
      double x = rough(&r, 80);
      p[k] = ct_vec(x, rough(&r, 80), x);
    }
    CHECK_INT(ct_orient3d(p[0], p[1], p[2], p[3]), 0);
    int turn = ct_orient3d(p[0], p[1], p[2], ct_vec(0.0, 0.0, 0x1p60));
    if (turn == 0) continue;
    ct_vec3 up = p[3], down = p[3];
    up.z += fabs(up.z) * 0x1p-52;
    down.z -= fabs(down.z) * 0x1p-52;
    CHECK_INT(ct_orient3d(p[0], p[1], p[2], up), turn);
    CHECK_INT(ct_orient3d(p[0], p[1], p[2], down), -turn);
  }
}

/* A permutation of the points multiplies the sign by that of the permutation; rounded arithmetic
 * does not have this symmetry. */
static void the_sign_alternates_under_permutation(void) {
  check_random r = {14};
  static const int order[6][4] = {{1, 0, 2, 3}, {0, 2, 1, 3}, {0, 1, 3, 2},
                                  {1, 2, 0, 3}, {3, 1, 2, 0}, {2, 3, 0, 1}};
  static const int parity[6] = {-1, -1, -1, 1, -1, 1};
  for (int i = 0; i < 50000; i++) {
    ct_vec3 p[4];
    for (int k = 0; k < 3; k++) p[k] = ct_vec(rough(&r, 20), rough(&r, 20), rough(&r, 20));
    double s = check_uniform(&r, -2.0, 2.0), t = check_uniform(&r, -2.0, 2.0);
    p[3] = ct_add_scaled(ct_add_scaled(p[0], ct_sub(p[1], p[0]), s), ct_sub(p[2], p[0]), t);
    int sign = ct_orient3d(p[0], p[1], p[2], p[3]);
    for (int k = 0; k < 6; k++) {
      CHECK_INT(ct_orient3d(p[order[k][0]], p[order[k][1]], p[order[k][2]], p[order[k][3]]),
                parity[k] * sign);
    }
  }
}

static void the_range_of_exactness_reaches_its_ends(void) {
  double units[2] = {CT_EXACT_MIN, CT_EXACT_MAX / 0x1p53};
  for (int k = 0; k < 2; k++) {
    double u = units[k];
    grid_point a = {0, 0, 0}, b = {(1 << 20) + 1, 3, 1 << 20}, c = {7, 1 << 21, 11};
    grid_point d = {b.x + c.x, b.y + c.y, b.z + c.z}, e = {d.x, d.y, d.z + 1};
    CHECK_INT(ct_orient3d(scaled(a, u), scaled(b, u), scaled(c, u), scaled(d, u)), 0);
    CHECK_INT(ct_orient3d(scaled(a, u), scaled(b, u), scaled(c, u), scaled(e, u)),
              integer_sign(a, b, c, e));
  }
}

static void collinear_points_are_those_with_zero_cross_product(void) {
  check_random r = {15};
  int lines = 0;
  for (int i = 0; i < 100000; i++) {
    int64_t limit = (int64_t)1 << (1 + check_next(&r) % 44);
    grid_point a = random_point(&r, limit), b = random_point(&r, limit), move = random_point(&r, 1);
    int64_t s = uniform_int(&r, 8);
    if (check_next(&r) & 1) move = (grid_point){0, 0, 0};
    grid_point c = {a.x + s * (b.x - a.x) + move.x, a.y + s * (b.y - a.y) + move.y,
                    a.z + s * (b.z - a.z) + move.z};
    wide bx = b.x - a.x, by = b.y - a.y, bz = b.z - a.z, cx = c.x - a.x, cy = c.y - a.y,
         cz = c.z - a.z;
    bool expected = by * cz == bz * cy && bz * cx == bx * cz && bx * cy == by * cx;
    lines += expected;
    CHECK_INT(ct_collinear(scaled(a, 0x1p-20), scaled(b, 0x1p-20), scaled(c, 0x1p-20)), expected);
  }
  CHECK(lines > 20000);
}

static void the_sign_of_a_dot_product_is_the_integer_sign(void) {
  check_random r = {16};
  int zeros = 0;
  for (int i = 0; i < 200000; i++) {
    int64_t limit = (int64_t)1 << (1 + check_next(&r) % 48);
    grid_point d = random_point(&r, limit), a = random_point(&r, limit), move = random_point(&r, 1);
    /* a - b is perpendicular to d, or one unit off. */
    grid_point e = random_point(&r, 4);
    int64_t k = limit > ((int64_t)1 << 40) ? 0 : 1;
    grid_point b = {a.x - k * (d.y * e.z - d.z * e.y) + move.x,
                    a.y - k * (d.z * e.x - d.x * e.z) + move.y,
                    a.z - k * (d.x * e.y - d.y * e.x) + move.z};
    wide dot = (wide)d.x * (a.x - b.x) + (wide)d.y * (a.y - b.y) + (wide)d.z * (a.z - b.z);
    zeros += dot == 0;
    CHECK_INT(ct_dot_sign(scaled(d, 0x1p-30), scaled(a, 0x1p10), scaled(b, 0x1p10)),
              (dot > 0) - (dot < 0));
  }
  CHECK(zeros > 5000);
}

/* Direction (s, -s, 0) and a, b near the plane x = y, one coordinate of b tiny and one ulp off: s
 * (a.x - b.x) - s (a.y - b.y) is s (b.y - b.x), about 2^-105 of the products. */
static void dot_products_below_double_double_have_their_sign(void) {
  check_random r = {17};
  for (int i = 0; i < 100000; i++) {
    double s = check_uniform(&r, 0.5, 1.0), big = check_uniform(&r, 0.5, 1.0);
    double small = ldexp(check_uniform(&r, 0.5, 1.0), -40 - (int)(check_next(&r) % 20)),
           up = small + small * 0x1p-52;
    ct_vec3 d = ct_vec(s, -s, 0.0), a = ct_vec(big, big, 3.0);
    CHECK_INT(ct_dot_sign(d, a, ct_vec(small, small, -1.0)), 0);
    CHECK_INT(ct_dot_sign(d, a, ct_vec(small, up, -1.0)), 1);
    CHECK_INT(ct_dot_sign(d, a, ct_vec(up, small, 7.0)), -1);
  }
}

/* Lines through, beside and along segments: with small integers one side in ten is zero. */
static void lines_pass_segments_on_the_integer_side(void) {
  check_random r = {16};
  int zeros = 0;
  for (int i = 0; i < 200000; i++) {
    int64_t limit = (int64_t)1 << (1 + check_next(&r) % 38);
    double unit = ldexp(1.0, (int)(check_next(&r) % 120) - 60),
           length = ldexp(1.0, (int)(check_next(&r) % 200) - 100);
    grid_point o = random_point(&r, limit), a = random_point(&r, limit),
               b = random_point(&r, limit), d = random_point(&r, limit);
    if (i % 2) { /* towards a point of the segment's line, or nearly */
      int64_t s = uniform_int(&r, 4), hair = i % 4 == 1 ? 0 : 1;
      d = (grid_point){a.x - o.x + s * (b.x - a.x), a.y - o.y + s * (b.y - a.y),
                       a.z - o.z + s * (b.z - a.z) + hair};
    }
    wide px = a.x - o.x, py = a.y - o.y, pz = a.z - o.z, qx = b.x - o.x, qy = b.y - o.y,
         qz = b.z - o.z;
    wide det = d.x * (py * qz - pz * qy) + d.y * (pz * qx - px * qz) + d.z * (px * qy - py * qx);
    int expected = (det > 0) - (det < 0);
    zeros += expected == 0;
    CHECK_INT(ct_line_side(scaled(o, unit), scaled(d, length), scaled(a, unit), scaled(b, unit)),
              expected);
  }
  CHECK(zeros > 50000);
}

static void turns_in_a_plane_have_the_integer_sign(void) {
  check_random r = {17};
  int zeros = 0;
  for (int i = 0; i < 200000; i++) {
    int64_t limit = (int64_t)1 << (1 + check_next(&r) % 48);
    double unit = ldexp(1.0, (int)(check_next(&r) % 120) - 60);
    grid_point a = random_point(&r, limit), b = random_point(&r, limit),
               c = random_point(&r, limit), move = random_point(&r, 1);
    int64_t s = uniform_int(&r, 4);
    if (i % 2) c = (grid_point){a.x + s * (b.x - a.x) + move.x, a.y + s * (b.y - a.y) + move.y, 0};
    wide det = (wide)(a.x - c.x) * (b.y - c.y) - (wide)(a.y - c.y) * (b.x - c.x);
    ct_vec3 p = scaled(a, unit), q = scaled(b, unit), t = scaled(c, unit);
    int expected = (det > 0) - (det < 0);
    zeros += expected == 0;
    CHECK_INT(ct_orient2d((ct_vec2){p.x, p.y}, (ct_vec2){q.x, q.y}, (ct_vec2){t.x, t.y}), expected);
  }
  CHECK(zeros > 10000);
  CHECK_INT(ct_orient2d((ct_vec2){0, 0}, (ct_vec2){1, 0}, (ct_vec2){0, 1}), 1);
}

/* Two lines without a common point; half of them nearly parallel. */
static void turns_of_ways_have_the_integer_sign(void) {
  check_random r = {19};
  int zeros = 0;
  for (int i = 0; i < 200000; i++) {
    int64_t limit = (int64_t)1 << (1 + check_next(&r) % 40);
    double unit = ldexp(1.0, (int)(check_next(&r) % 120) - 60);
    grid_point p[4], off = random_point(&r, 1);
    for (int k = 0; k < 4; k++) p[k] = random_point(&r, limit);
    int64_t s = uniform_int(&r, 8);
    if (i % 2)
      p[3] = (grid_point){p[2].x + s * (p[1].x - p[0].x) + off.x,
                          p[2].y + s * (p[1].y - p[0].y) + off.y, 0};
    wide turn =
        (wide)(p[1].x - p[0].x) * (p[3].y - p[2].y) - (wide)(p[1].y - p[0].y) * (p[3].x - p[2].x);
    ct_vec2 q[4];
    for (int k = 0; k < 4; k++) q[k] = (ct_vec2){(double)p[k].x * unit, (double)p[k].y * unit};
    zeros += turn == 0;
    CHECK_INT(ct_turn2d(q[0], q[1], q[2], q[3]), (turn > 0) - (turn < 0));
  }
  CHECK(zeros > 5000);
  CHECK_INT(ct_turn2d((ct_vec2){5, 5}, (ct_vec2){6, 5}, (ct_vec2){0, 0}, (ct_vec2){0, 1}), 1);
}

static const check_test tests[] = {
    {"orientation_is_positive_on_the_side_of_the_normal",
     orientation_is_positive_on_the_side_of_the_normal},
    {"random_integer_points_have_the_integer_sign", random_integer_points_have_the_integer_sign},
    {"points_within_one_unit_of_the_plane_have_the_integer_sign",
     points_within_one_unit_of_the_plane_have_the_integer_sign},
    {"points_of_the_plane_z_equals_x_are_distinguished_from_their_neighbours",
     points_of_the_plane_z_equals_x_are_distinguished_from_their_neighbours},
    {"the_sign_alternates_under_permutation", the_sign_alternates_under_permutation},
    {"the_range_of_exactness_reaches_its_ends", the_range_of_exactness_reaches_its_ends},
    {"collinear_points_are_those_with_zero_cross_product",
     collinear_points_are_those_with_zero_cross_product},
    {"the_sign_of_a_dot_product_is_the_integer_sign",
     the_sign_of_a_dot_product_is_the_integer_sign},
    {"dot_products_below_double_double_have_their_sign",
     dot_products_below_double_double_have_their_sign},
    {"lines_pass_segments_on_the_integer_side", lines_pass_segments_on_the_integer_side},
    {"turns_in_a_plane_have_the_integer_sign", turns_in_a_plane_have_the_integer_sign},
    {"turns_of_ways_have_the_integer_sign", turns_of_ways_have_the_integer_sign},
};

CHECK_MAIN(tests)
