/* Pairs with cylinders, cones, frustums and ellipsoids against brute force in long double, over
 * families of hard cases.
 *
 * Each answer is proved in three parts. The supporting planes along the normal are as far apart as
 * the distance, so the distance is not too large. The points are on their bodies and on one line
 * along the normal, so for separated bodies it is not too small. No direction found by a search
 * separates better. Errors are relative to the size of the pair. */
#include "pair/pair_cell.h"

#include "tests/oracle/curved_oracle.h"
#include "tests/support/check.h"

/* Promised accuracy relative to the size: distances 1e-10, depths 1e-8. */
#define APART 1e-10
#define DEPTH 1e-8

typedef struct tally {
  int cases, inside, unsure, degenerate, limit;
  double value, points, miss, width;
  uint32_t supports;
  uint64_t total;
} tally;

static double wide(check_random *r, double low, double high) {
  return exp(check_uniform(r, log(low), log(high)));
}

/* Drawn in statements: C does not order arguments, so compilers would draw different cases. */
static ct_vec3 any_vec(check_random *r) {
  ct_vec3 v;
  v.x = check_uniform(r, -1, 1);
  v.y = check_uniform(r, -1, 1);
  v.z = check_uniform(r, -1, 1);
  return v;
}

static ct_quat any_rotation(check_random *r) {
  ct_quat q;
  do {
    ct_vec3 v = any_vec(r);
    q = (ct_quat){v.x, v.y, v.z, check_uniform(r, -1, 1)};
  } while (q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w < 0.05);
  return q;
}

static ct_quat square_rotation(check_random *r) {
  static const ct_quat all[] = {{0, 0, 0, 1}, {1, 0, 0, 0}, {0, 1, 0, 1},
                                {1, 0, 0, 1}, {1, 1, 1, 1}, {0.5, -0.5, 0.5, 0.5}};
  return all[check_next(r) % 6];
}

static const ct_kind kinds[] = {CT_KIND_SPHERE,   CT_KIND_BOX,  CT_KIND_CAPSULE,
                                CT_KIND_CYLINDER, CT_KIND_CONE, CT_KIND_ELLIPSOID,
                                CT_KIND_CONVEX};

typedef double (*length_of)(check_random *r);
static double plain_length(check_random *r) { return check_uniform(r, 0.2, 1.0); }
static double wide_length(check_random *r) { return wide(r, 1e-3, 1.0); }
static double huge_length(check_random *r) { return wide(r, 1e-6, 1e3); }
static double whole_length(check_random *r) { return 0.25 * (double)(1 + check_next(r) % 8); }

static curved_body body_of(check_random *r, ct_kind kind, length_of length) {
  curved_body b = {.shape = {.kind = kind}, .pose = ct_pose_identity()};
  double x = length(r), y = length(r), z = length(r);
  switch (kind) {
  case CT_KIND_SPHERE: b.shape.sphere.radius = x; break;
  case CT_KIND_BOX: b.shape.box.half = ct_vec(x, y, z); break;
  case CT_KIND_CAPSULE:
    b.shape.capsule.half_length = x;
    b.shape.capsule.radius_bottom = y;
    b.shape.capsule.radius_top = check_next(r) % 2 ? y : ct_max2(0.3 * y, y - x);
    break;
  case CT_KIND_CYLINDER:
    b.shape.cylinder.radius = x;
    b.shape.cylinder.half_length = y;
    break;
  case CT_KIND_CONE:
    b.shape.cone.half_length = x;
    b.shape.cone.radius_bottom = check_next(r) % 3 ? y : 0.0;
    b.shape.cone.radius_top = b.shape.cone.radius_bottom == 0.0 ? z : check_next(r) % 2 ? z : 0.0;
    break;
  case CT_KIND_ELLIPSOID:
    b.shape.ellipsoid.radii = check_next(r) % 3 ? ct_vec(x, y, z) : ct_vec(x, x, y);
    break;
  default:
    b.count = 6 + (int)(check_next(r) % 8);
    for (int i = 0; i < b.count; i++) {
      ct_vec3 v = any_vec(r);
      b.points[i] = ct_vec(x * v.x, y * v.y, z * v.z);
    }
    if (ct_hull_from_points(b.points, (size_t)b.count, NULL, &b.hull, NULL) != CT_OK) abort();
    b.shape.hull = b.hull;
    break;
  }
  return b;
}

static double reach(const curved_body *b) {
  ct_vec3 center;
  double radius;
  ct_shape_ball(&b->shape, &center, &radius);
  return ct_norm(center) + radius;
}

typedef struct question {
  const curved_body *a, *b;
  int index;
} question;

static void expect(const question *q, double *worst, double error, double limit, const char *what) {
  if (error > *worst) *worst = error;
  if (!(error <= limit))
    CHECK_FAIL("case %d (%s, %s): %s off by %g of the size, allowed %g", q->index,
               ct_kind_word(q->a->shape.kind), ct_kind_word(q->b->shape.kind), what, error, limit);
}

static void query_pair(const curved_body *a, const curved_body *b, ct_workspace *workspace,
                       ct_pair_result *r) {
  const ct_pair_options options = {.tolerance = 0.0, .threshold = INFINITY};
  ct_frame fa = ct_frame_of(a->pose), fb = ct_frame_of(b->pose);
  ct_pair_distance((ct_placed){&a->shape, &fa}, (ct_placed){&b->shape, &fb}, &options, workspace,
                   r);
}

static void judge(const question *q, ct_workspace *workspace, tally *t) {
  const curved_body *a = q->a, *b = q->b;
  ct_pair_result r, swapped;
  query_pair(a, b, workspace, &r);
  query_pair(b, a, workspace, &swapped);
  CHECK(swapped.distance == r.distance && swapped.lower_bound == r.lower_bound &&
        swapped.upper_bound == r.upper_bound);
  double far = ct_max2(ct_max_abs(a->pose.position), ct_max_abs(b->pose.position));
  double size = ct_max2(reach(a) + reach(b), fabs(r.distance)),
         far_off = 8.0 * 0x1p-52 * far / size;
  double k = (r.distance > 0.0 ? APART : DEPTH) + far_off;
  t->cases++;
  t->inside += r.distance < 0.0;
  t->degenerate += r.status == CT_PAIR_DEGENERATE;
  t->limit += r.status == CT_PAIR_ITERATION_LIMIT;
  t->total += r.iterations;
  if (r.iterations > t->supports) t->supports = r.iterations;
  CHECK_NEAR(ct_norm(r.normal), 1.0, 4 * 0x1p-52);
  CHECK(r.lower_bound <= r.distance && r.distance <= r.upper_bound);
  oracle_vec n = {r.normal.x, r.normal.y, r.normal.z};
  double planes = (double)curved_value(a, b, n);
  expect(q, &t->value, fabs(planes - r.distance) / size, 1e-12 + far_off, "planes");
  double grow_a = a->shape.rounding + a->shape.margin, grow_b = b->shape.rounding + b->shape.margin;
  ct_vec3 gap = ct_sub(ct_sub(r.point_b, r.point_a), ct_scale(r.normal, r.distance));
  expect(q, &t->points, ct_norm(gap) / size, k, "points one above the other");
  ct_vec3 pa = ct_add_scaled(r.point_a, r.normal, -grow_a),
          pb = ct_add_scaled(r.point_b, r.normal, grow_b);
  expect(q, &t->points, (double)curved_outside(a, pa) / size, k, "point a in its body");
  expect(q, &t->points, (double)curved_outside(b, pb) / size, k, "point b in its body");
  if (r.status == CT_PAIR_OK)
    expect(q, &t->width, (r.upper_bound - r.lower_bound) / size, 2.0 * (k - far_off), "bracket");
  if (r.distance < 0.0) {
    double found = (double)curved_search(a, b);
    expect(q, &t->miss, (found - r.distance) / size, k, "a better direction");
    expect(q, &t->miss, (found - r.upper_bound) / size, far_off, "a direction beyond the bound");
  }
  ct_frame fa = ct_frame_of(a->pose), fb = ct_frame_of(b->pose);
  ct_vec3 common;
  bool overlap =
      ct_pair_overlap((ct_placed){&a->shape, &fa}, (ct_placed){&b->shape, &fb}, workspace, &common);
  CHECK(overlap == (r.distance <= 0.0));
}

typedef struct family {
  const char *name;
  length_of length;
  bool square, concentric, touching, rounded;
  double far;
} family;

/* Puts b at this gap along the normal found by the engine: the true distance may be smaller. */
static void bring_near(const curved_body *a, curved_body *b, double gap, ct_workspace *workspace) {
  ct_pair_result r;
  query_pair(a, b, workspace, &r);
  b->pose.position = ct_add_scaled(b->pose.position, r.normal, gap - r.distance);
}

static void run(const family *f, int count, uint64_t seed) {
  check_random r = {seed};
  ct_workspace *workspace = ct_workspace_create();
  tally t = {.cases = 0};
  for (int i = 0; i < count; i++) {
    ct_kind first = kinds[3 + check_next(&r) % 3], second = kinds[check_next(&r) % 7];
    curved_body a = body_of(&r, first, f->length), b = body_of(&r, second, f->length);
    a.pose.rotation = f->square ? square_rotation(&r) : any_rotation(&r);
    b.pose.rotation = f->square ? square_rotation(&r) : any_rotation(&r);
    double spread = check_uniform(&r, 0.0, 1.2) * (reach(&a) + reach(&b));
    if (f->far > 0.0) a.pose.position = ct_scale(any_vec(&r), f->far);
    ct_vec3 way = any_vec(&r);
    way = ct_scale(ct_unit_or(way, way), spread);
    if (f->square)
      way = ct_vec(0.25 * floor(5.0 * fabs(way.x)), 0.25 * floor(5.0 * fabs(way.y)),
                   0.25 * floor(5.0 * fabs(way.z)));
    b.pose.position = f->concentric ? a.pose.position : ct_add(a.pose.position, way);
    if (f->rounded) {
      a.shape.rounding = 0.1 * check_uniform(&r, 0, 1);
      b.shape.margin = 0.1 * check_uniform(&r, 0, 1);
    }
    if (f->touching) {
      static const double gaps[] = {0.0, 1e-12, -1e-12, 1e-9, -1e-9, 1e-6, -1e-6};
      bring_near(&a, &b, gaps[check_next(&r) % 7] * (reach(&a) + reach(&b)), workspace);
    }
    judge(&(question){&a, &b, i}, workspace, &t);
    if (a.hull) ct_hull_release(a.hull);
    if (b.hull) ct_hull_release(b.hull);
  }
  printf("%s: %d cases, %d overlap, %d degenerate, %d at the limit; parts of the size: planes %.1e "
         "points %.1e missed %.1e bracket "
         "%.1e; supports %.1f, at most %u\n",
         f->name, t.cases, t.inside, t.degenerate, t.limit, t.value, t.points, t.miss, t.width,
         (double)t.total / t.cases, t.supports);
  ct_workspace_destroy(workspace);
}

#define COUNT 400

/* No shape kind has triangles as its convex proxy, so they are tested here: a triangle must agree
 * with the hull of itself and a slightly lowered copy, up to that offset. */
static void triangles_agree_with_hulls_a_hair_thick(void) {
  const double hair = 1e-7;
  check_random r = {11};
  ct_workspace *workspace = ct_workspace_create();
  double worst = 0.0;
  int inside = 0;
  for (int i = 0; i < COUNT; i++) {
    curved_body a = body_of(&r, kinds[2 + check_next(&r) % 4], plain_length);
    if (a.shape.kind == CT_KIND_CAPSULE)
      a.shape.capsule.radius_top = 0.5 * a.shape.capsule.radius_bottom;
    ct_vec3 corner[3], hull_points[6], middle = ct_scale(any_vec(&r), 0.8);
    for (int k = 0; k < 3; k++) corner[k] = ct_add(middle, ct_scale(any_vec(&r), 0.7));
    ct_vec3 up = ct_unit_or(ct_cross(ct_sub(corner[1], corner[0]), ct_sub(corner[2], corner[0])),
                            ct_vec(1, 0, 0));
    for (int k = 0; k < 6; k++)
      hull_points[k] = ct_add_scaled(corner[k % 3], up, k < 3 ? 0.0 : hair);
    ct_hull *hull = NULL;
    if (ct_hull_from_points(hull_points, 6, NULL, &hull, NULL) != CT_OK) continue;
    ct_cell_input thin = {.threshold = INFINITY, .workspace = workspace}, thick = thin;
    ct_proxy_place(&a.shape, NULL, &thin.a);
    thick.a = thin.a;
    thin.b = ct_proxy_triangle(corner, 2.0);
    ct_proxy_place(&(ct_shape){.kind = CT_KIND_CONVEX, .hull = hull}, NULL, &thick.b);
    ct_cell_result p = {.status = CT_PAIR_OK}, q = p;
    ct_cell_convex_convex(&thin, &p);
    ct_cell_convex_convex(&thick, &q);
    worst = ct_max2(worst, fabs(p.distance - q.distance));
    inside += p.distance < 0.0;
    CHECK(p.status == CT_PAIR_OK && p.lower <= p.distance && p.distance <= p.upper);
    /* The thicker body is no farther, and its depth no less. */
    CHECK(q.distance <= p.distance + 1e-9 && q.distance >= p.distance - hair - 1e-9);
    CHECK(ct_norm(ct_sub(ct_sub(p.point_b, p.point_a), ct_scale(p.normal, p.distance))) <= 1e-10);
    CHECK(ct_convex_overlap(&thin, NULL) == (p.distance <= 0.0));
    ct_hull_release(hull);
  }
  printf("triangles: %d overlap, differ by %.1e from hulls %.0e thick\n", inside, worst, hair);
  ct_workspace_destroy(workspace);
}

/* Ellipsoids as thin as 1e-9 of their length, very near each other and other needles. Their
 * curvatures differ by the square of that ratio, yet the points are on one line along the
 * normal. */
static void needles_a_hair_apart(void) {
  check_random r = {12};
  ct_workspace *workspace = ct_workspace_create();
  tally t = {.cases = 0};
  for (int i = 0; i < COUNT; i++) {
    curved_body a = body_of(&r, CT_KIND_ELLIPSOID, plain_length),
                b = body_of(&r, kinds[3 + check_next(&r) % 3], plain_length);
    double thin = wide(&r, 1e-9, 1e-6), other = wide(&r, 1e-9, 1e-6);
    a.shape.ellipsoid.radii.x *= thin;
    a.shape.ellipsoid.radii.y *= thin;
    if (b.shape.kind == CT_KIND_ELLIPSOID)
      b.shape.ellipsoid.radii.x *= other, b.shape.ellipsoid.radii.y *= other;
    if (b.shape.kind == CT_KIND_CYLINDER) b.shape.cylinder.radius *= other;
    if (b.shape.kind == CT_KIND_CONE)
      b.shape.cone.radius_bottom *= other, b.shape.cone.radius_top *= other;
    a.pose.rotation = any_rotation(&r);
    b.pose.rotation = any_rotation(&r);
    b.pose.position = any_vec(&r);
    bring_near(&a, &b, check_next(&r) % 2 ? 1e-12 : 1e-9, workspace);
    judge(&(question){&a, &b, i}, workspace, &t);
  }
  printf("needles a hair apart: %d cases, %d overlap, %d degenerate, %d at the limit; points %.1e "
         "bracket %.1e\n",
         t.cases, t.inside, t.degenerate, t.limit, t.points, t.width);
  CHECK_INT(t.degenerate + t.limit, 0);
  ct_workspace_destroy(workspace);
}

static void plain_pairs(void) { run(&(family){.name = "plain", .length = plain_length}, COUNT, 1); }
static void needles_and_plates(void) {
  run(&(family){.name = "needles and plates", .length = wide_length}, COUNT, 2);
}
static void sizes_of_nine_decades(void) {
  run(&(family){.name = "sizes of nine decades", .length = huge_length}, COUNT, 3);
}
static void concentric_pairs(void) {
  run(&(family){.name = "concentric", .length = plain_length, .concentric = true}, COUNT, 4);
}
static void whole_sizes_and_right_angles(void) {
  run(&(family){.name = "right angles", .length = whole_length, .square = true}, COUNT, 5);
}
static void concentric_right_angles(void) {
  run(&(family){.name = "concentric right angles",
                .length = whole_length,
                .square = true,
                .concentric = true},
      COUNT, 6);
}
static void touching_pairs(void) {
  run(&(family){.name = "touching", .length = plain_length, .touching = true}, COUNT, 7);
}
static void touching_needles(void) {
  run(&(family){.name = "touching needles", .length = wide_length, .touching = true}, COUNT, 8);
}
static void far_from_the_origin(void) {
  run(&(family){.name = "far", .length = plain_length, .far = 1e5}, COUNT, 9);
}
static void rounded_pairs(void) {
  run(&(family){.name = "rounded", .length = plain_length, .rounded = true}, COUNT, 10);
}

static const check_test tests[] = {
    {"plain_pairs", plain_pairs},
    {"needles_and_plates", needles_and_plates},
    {"sizes_of_nine_decades", sizes_of_nine_decades},
    {"concentric_pairs", concentric_pairs},
    {"whole_sizes_and_right_angles", whole_sizes_and_right_angles},
    {"concentric_right_angles", concentric_right_angles},
    {"touching_pairs", touching_pairs},
    {"touching_needles", touching_needles},
    {"far_from_the_origin", far_from_the_origin},
    {"rounded_pairs", rounded_pairs},
    {"needles_a_hair_apart", needles_a_hair_apart},
    {"triangles_agree_with_hulls_a_hair_thick", triangles_agree_with_hulls_a_hair_thick},
};

CHECK_MAIN(tests)
