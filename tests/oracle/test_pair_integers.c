/* Boxes rotated by quaternions of small integers. Rotations are rational, so 128-bit integers
 * decide which boxes overlap, and along which axis they are deepest. Half of the pairs are brought
 * to touch along one of the fifteen axes exactly, or to miss it by a few units of the last place.
 * CONTACTD_FULL=1 for the full numbers. */
#include <contact/contact.h>

#include "tests/support/check.h"

__extension__ typedef __int128 wide;

/* A length is an integer of at most 2^51, which a double represents. */
typedef struct whole_box {
  long half[3], at[3]; /* m */
  long q[4];           /* x, y, z, w */
  long axis[3][3];     /* columns of the rotation, times norm */
  long norm;           /* |q|^2 */
} whole_box;

static long pick(check_random *r, long low, long high) {
  return low + (long)(check_next(r) >> 20) % (high - low + 1);
}

static void turn(whole_box *b, check_random *r) {
  do {
    for (int i = 0; i < 4; i++) b->q[i] = pick(r, -3, 3);
    b->norm = b->q[0] * b->q[0] + b->q[1] * b->q[1] + b->q[2] * b->q[2] + b->q[3] * b->q[3];
  } while (b->norm == 0);
  long x = b->q[0], y = b->q[1], z = b->q[2], w = b->q[3];
  const long m[3][3] = {{w * w + x * x - y * y - z * z, 2 * (x * y + w * z), 2 * (x * z - w * y)},
                        {2 * (x * y - w * z), w * w - x * x + y * y - z * z, 2 * (y * z + w * x)},
                        {2 * (x * z + w * y), 2 * (y * z - w * x), w * w - x * x - y * y + z * z}};
  memcpy(b->axis, m, sizeof m);
}

static wide dot(const long a[3], const long b[3]) {
  return (wide)a[0] * b[0] + (wide)a[1] * b[1] + (wide)a[2] * b[2];
}
static wide magnitude(wide x) { return x < 0 ? -x : x; }

/* Axis k of the fifteen: faces of a, faces of b, cross products of edges. */
static void axis_of(const whole_box *a, const whole_box *b, int k, long out[3]) {
  if (k < 6) {
    memcpy(out, k < 3 ? a->axis[k] : b->axis[k - 3], 3 * sizeof *out);
    return;
  }
  const long *u = a->axis[(k - 6) / 3], *v = b->axis[(k - 6) % 3];
  out[0] = u[1] * v[2] - u[2] * v[1];
  out[1] = u[2] * v[0] - u[0] * v[2];
  out[2] = u[0] * v[1] - u[1] * v[0];
}

/* Overlap along an axis times |axis| and both norms: negative if the axis separates. */
static wide overlap_along(const whole_box *a, const whole_box *b, const long axis[3]) {
  const long apart[3] = {b->at[0] - a->at[0], b->at[1] - a->at[1], b->at[2] - a->at[2]};
  wide reach = 0;
  for (int i = 0; i < 3; i++) reach += a->half[i] * magnitude(dot(axis, a->axis[i])) * b->norm;
  for (int i = 0; i < 3; i++) reach += b->half[i] * magnitude(dot(axis, b->axis[i])) * a->norm;
  return reach - magnitude(dot(axis, apart)) * a->norm * b->norm;
}

/* Least overlap over all axes, as a length: the depth, or minus the largest gap along an axis.
 * *sign: exact. */
static long double least_overlap(const whole_box *a, const whole_box *b, int *sign) {
  long double least = INFINITY;
  *sign = 1;
  for (int k = 0; k < 15; k++) {
    long axis[3];
    axis_of(a, b, k, axis);
    wide square = dot(axis, axis);
    if (square == 0) continue;
    wide overlap = overlap_along(a, b, axis);
    int s = (overlap > 0) - (overlap < 0);
    if (s < *sign) *sign = s;
    least = fminl(least, (long double)overlap / (sqrtl((long double)square) * (long double)a->norm *
                                                 (long double)b->norm));
  }
  return least;
}

static void scale(whole_box *b, long by) {
  for (int i = 0; i < 3; i++) {
    b->half[i] *= by;
    b->at[i] *= by;
  }
}

/* Changes a's first half size so that the boxes touch exactly along one of the axes, then misses by
 * some units. */
static void bring_to_touch(whole_box *a, whole_box *b, check_random *r) {
  static const long deltas[] = {0, 0, 1, -1, 2, -2, 3, -3, 64, -64, 4096, -4096};
  long axis[3];
  axis_of(a, b, (int)pick(r, 0, 14), axis);
  wide missing = overlap_along(a, b, axis), unit = magnitude(dot(axis, a->axis[0])) * b->norm;
  /* half[0] * unit must change by -missing: all lengths are multiplied by unit, so that the
   * quotient is whole. */
  long by = (long)unit;
  if (by == 0) return;
  wide half = (wide)a->half[0] * by - missing;
  if (half <= 0 || half / by > 4096) return;
  scale(a, by);
  scale(b, by);
  a->half[0] = (long)half;
  long largest = 1;
  for (int i = 0; i < 3; i++) {
    long more[] = {a->half[i], b->half[i], labs(a->at[i]), labs(b->at[i])};
    for (int k = 0; k < 4; k++) largest = more[k] > largest ? more[k] : largest;
  }
  long room = 1;
  while (largest * room * 2 < 1L << 51) room *= 2;
  scale(a, room);
  scale(b, room);
  a->half[0] += deltas[pick(r, 0, 11)];
}

static void make(whole_box *a, whole_box *b, check_random *r) {
  whole_box *both[] = {a, b};
  for (int k = 0; k < 2; k++) {
    turn(both[k], r);
    for (int i = 0; i < 3; i++) {
      both[k]->half[i] = pick(r, 1, 64);
      both[k]->at[i] = pick(r, -64, 64);
    }
  }
}

static ct_pose pose_of(const whole_box *b) {
  return (ct_pose){{(double)b->at[0], (double)b->at[1], (double)b->at[2]},
                   {(double)b->q[0], (double)b->q[1], (double)b->q[2], (double)b->q[3]}};
}

static ct_shape shape_of(const whole_box *b) {
  return (ct_shape){.kind = CT_KIND_BOX,
                    .box = {{(double)b->half[0], (double)b->half[1], (double)b->half[2]}}};
}

/* Multiplies by 2^-20, exactly, so that lengths are of ordinary size. */
static void to_metres(ct_shape *shape, ct_pose *pose) {
  shape->box.half = ct_scale(shape->box.half, 0x1p-20);
  pose->position = ct_scale(pose->position, 0x1p-20);
}

typedef struct tally {
  long pairs, overlap, touching, band;
} tally;

static void judge(const whole_box *a, const whole_box *b, ct_workspace *workspace, tally *t) {
  ct_shape sa = shape_of(a), sb = shape_of(b);
  ct_pose pa = pose_of(a), pb = pose_of(b);
  to_metres(&sa, &pa);
  to_metres(&sb, &pb);
  ct_frame fa = ct_frame_of(pa), fb = ct_frame_of(pb);
  const ct_pair_options options = {.tolerance = 0.0, .threshold = INFINITY};
  ct_pair_result r;
  ct_pair_distance((ct_placed){&sa, &fa}, (ct_placed){&sb, &fb}, &options, workspace, &r);
  bool overlap = ct_pair_overlap((ct_placed){&sa, &fa}, (ct_placed){&sb, &fb}, workspace, NULL);
  int sign;
  double truth = -0x1p-20 * (double)least_overlap(a, b, &sign);
  double unit = 0x1p-53 * ct_max2(ct_norm(sa.box.half), ct_norm(sb.box.half));
  t->pairs++;
  t->overlap += sign >= 0;
  t->touching += sign == 0;
  if (overlap != (r.distance <= 0.0))
    CHECK_FAIL("pair %ld: overlap %d beside the distance %g", t->pairs, overlap, r.distance);
  if (fabs(truth) <= 64.0 * unit) {
    t->band++;
    if (fabs(r.distance) > 128.0 * unit)
      CHECK_FAIL("pair %ld: touching to %g, answered %g", t->pairs, truth, r.distance);
  } else if (overlap != (sign >= 0)) {
    CHECK_FAIL("pair %ld: overlap %d, the axes say %g", t->pairs, overlap, -truth);
  }
  /* A depth is the least overlap over the axes; for separated boxes the axes only bound the
   * distance from below. */
  if (sign >= 0 && (truth < r.lower_bound || truth > r.upper_bound))
    CHECK_FAIL("pair %ld: %g outside its bounds", t->pairs, truth);
  if (sign < 0 && truth > r.upper_bound)
    CHECK_FAIL("pair %ld: the axes prove %g, above the bound %g", t->pairs, truth, r.upper_bound);
}

static void run(const char *name, bool contact, long count) {
  check_random r = {0x1d7e6e5u};
  ct_workspace *workspace = ct_workspace_create();
  tally t = {0};
  for (long i = 0; i < count && check_failures < 10; i++) {
    whole_box a, b;
    make(&a, &b, &r);
    if (contact) bring_to_touch(&a, &b, &r);
    judge(&a, &b, workspace, &t);
  }
  printf("%-16s %8ld pairs, %8ld overlap, %8ld touch exactly, %8ld within 64 u\n", name, t.pairs,
         t.overlap, t.touching, t.band);
  ct_workspace_destroy(workspace);
}

static long count_of(long quick, long full) { return getenv("CONTACTD_FULL") ? full : quick; }

static void random_boxes(void) { run("random", false, count_of(20000, 300000)); }
static void boxes_that_touch(void) { run("touching", true, count_of(40000, 700000)); }

static const check_test tests[] = {{"random_boxes", random_boxes},
                                   {"boxes_that_touch", boxes_that_touch}};

CHECK_MAIN(tests)
