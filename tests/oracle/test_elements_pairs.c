/* Overlapping element meshes, of one type and mixed: the deepest pair of elements and the number of
 * overlapping pairs, against a loop over all pairs of elements.
 *
 * The depth of two elements is the minimum, over the normals of faces and the cross products of two
 * edges, of the extent of one beyond the other's near side. It is computed in long double from the
 * corners alone: faces and edges are all triples and pairs of corners, since spurious ones cannot
 * lower the minimum. */
#include "tests/support/blocks.h"
#include "tests/support/workspace.h"

/* Depths nearer to 0 than this leave the overlap undecided, m. */
#define OPEN_BAND 1e-9L
#define TOLERANCE 1e-12

typedef struct body {
  block b;
  ct_elements *elements;
  ct_shape shape;
  ct_frame frame;
  long double (*corner)[8][3]; /* [elements] placed */
} body;

static ct_frame random_frame(check_random *r, double apart) {
  ct_quat q = {check_uniform(r, -1, 1), check_uniform(r, -1, 1), check_uniform(r, -1, 1),
               check_uniform(r, -1, 1)};
  return ct_frame_of((ct_pose){{check_uniform(r, -apart, apart), check_uniform(r, -apart, apart),
                                check_uniform(r, -apart, apart)},
                               q});
}

static const ct_element_type types[3] = {CT_TETRAHEDRA, CT_HEXAHEDRA, CT_MIXED_ELEMENTS};

static body make_body(check_random *r, ct_element_type type, double apart) {
  body m = {.b = block_make(type, 1 + (uint32_t)(check_next(r) % 2),
                            1 + (uint32_t)(check_next(r) % 2), 1)};
  block_jitter(&m.b, r, 0.05);
  m.elements = block_elements(&m.b);
  m.shape = ct_shape_of_elements(m.elements);
  m.frame = random_frame(r, apart);
  m.corner = malloc(m.b.en * sizeof *m.corner);
  if (!m.corner) abort();
  for (uint32_t e = 0; e < m.b.en; e++)
    for (uint32_t k = 0; k < block_corners(&m.b, e); k++) {
      ct_vec3 v = m.b.v[m.b.c[e * block_each(&m.b) + k]];
      const ct_vec3 row[3] = {m.frame.rotation.rx, m.frame.rotation.ry, m.frame.rotation.rz};
      const double at[3] = {m.frame.position.x, m.frame.position.y, m.frame.position.z};
      for (int i = 0; i < 3; i++)
        m.corner[e][k][i] = (long double)row[i].x * v.x + (long double)row[i].y * v.y +
                            (long double)row[i].z * v.z + at[i];
    }
  return m;
}

static void free_body(body *m) {
  ct_elements_release(m->elements);
  free(m->corner);
  block_free(&m->b);
}

/* ---- brute force ---------------------------------------------------------------------------- */

static void cross(const long double a[3], const long double b[3], long double out[3]) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

static void minus(const long double a[3], const long double b[3], long double out[3]) {
  for (int i = 0; i < 3; i++) out[i] = a[i] - b[i];
}

/* The corners of a placed element. */
typedef struct points {
  const long double (*p)[3];
  uint32_t n;
} points;

static points element_of(const body *m, uint32_t element) {
  return (points){(const long double(*)[3])m->corner[element], block_corners(&m->b, element)};
}

static void reach(points of, const long double d[3], long double *low, long double *high) {
  *low = INFINITY;
  *high = -INFINITY;
  for (uint32_t i = 0; i < of.n; i++) {
    long double h = of.p[i][0] * d[0] + of.p[i][1] * d[1] + of.p[i][2] * d[2];
    *low = fminl(*low, h);
    *high = fmaxl(*high, h);
  }
}

/* The overlap along u x v, in the shorter sense, if it is less than `most`; else `most`, also if u
 * x v is zero. */
static long double overlap_across(points a, points b, const long double u[3],
                                  const long double v[3], long double most) {
  long double d[3], low[2], high[2];
  cross(u, v, d);
  long double length = sqrtl(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
  if (!(length > 1e-6L)) return most;
  reach(a, d, &low[0], &high[0]);
  reach(b, d, &low[1], &high[1]);
  return fminl(most, fminl(high[0] - low[1], high[1] - low[0]) / length);
}

static long double try_planes(points of, points a, points b, long double most) {
  for (uint32_t i = 0; i < of.n; i++)
    for (uint32_t j = i + 1; j < of.n; j++)
      for (uint32_t k = j + 1; k < of.n; k++) {
        long double u[3], v[3];
        minus(of.p[j], of.p[i], u);
        minus(of.p[k], of.p[i], v);
        most = overlap_across(a, b, u, v, most);
      }
  return most;
}

/* Positive if the elements overlap, negative if they are apart. */
static long double depth_of(points a, points b) {
  long double most = try_planes(b, a, b, try_planes(a, a, b, INFINITY));
  for (uint32_t i = 0; i < a.n; i++)
    for (uint32_t j = i + 1; j < a.n; j++)
      for (uint32_t k = 0; k < b.n; k++)
        for (uint32_t m = k + 1; m < b.n; m++) {
          long double u[3], v[3];
          minus(a.p[j], a.p[i], u);
          minus(b.p[m], b.p[k], v);
          most = overlap_across(a, b, u, v, most);
        }
  return most;
}

typedef struct truth {
  long double depth;
  uint32_t least_count, greatest_count; /* pairs that certainly overlap, and pairs that may */
} truth;

static truth brute_force(const body *a, const body *b) {
  truth t = {-INFINITY, 0, 0};
  for (uint32_t i = 0; i < a->b.en; i++)
    for (uint32_t j = 0; j < b->b.en; j++) {
      long double depth = depth_of(element_of(a, i), element_of(b, j));
      t.depth = fmaxl(t.depth, depth);
      t.least_count += depth > OPEN_BAND;
      t.greatest_count += depth > -OPEN_BAND;
    }
  return t;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static bool same_vec(ct_vec3 p, ct_vec3 q) { return p.x == q.x && p.y == q.y && p.z == q.z; }

/* Swapping a and b mirrors the answer to the bit. */
static void check_mirror(ct_placed a, ct_placed b, const ct_pair_result *r) {
  ct_pair_options options = {0.0, INFINITY};
  ct_pair_result s;
  ct_pair_distance(b, a, &options, workspace, &s);
  CHECK(s.distance == r->distance && s.lower_bound == r->lower_bound &&
        s.upper_bound == r->upper_bound && s.status == r->status);
  CHECK(same_vec(s.normal, ct_vec(-r->normal.x, -r->normal.y, -r->normal.z)));
  CHECK(same_vec(s.point_a, r->point_b) && same_vec(s.point_b, r->point_a));
  CHECK(s.element_a == r->element_b && s.element_b == r->element_a &&
        s.element_pairs == r->element_pairs);
  CHECK(s.triangle_a == r->triangle_b && s.triangle_b == r->triangle_a &&
        s.depth_kind == r->depth_kind);
}

/* The named elements are as deep as the answer says, and the points and the normal belong to
 * them. */
static void check_named(const body *a, const body *b, const ct_pair_result *r) {
  CHECK(r->element_a < a->b.en && r->element_b < b->b.en);
  if (r->element_a >= a->b.en || r->element_b >= b->b.en) return;
  long double depth = depth_of(element_of(a, r->element_a), element_of(b, r->element_b));
  CHECK_NEAR((double)depth, -r->distance, TOLERANCE);
  ct_vec3 gap = ct_sub(ct_sub(r->point_b, r->point_a), ct_scale(r->normal, r->distance));
  CHECK_NEAR(ct_norm(gap), 0, TOLERANCE);
}

static void the_deepest_pair_is_that_of_all_pairs(void) {
  check_random r = {11};
  int met = 0, apart = 0;
  for (int round = 0; round < 180; round++) {
    body a = make_body(&r, types[round % 3], 0.9), b = make_body(&r, types[round / 3 % 3], 0.9);
    ct_placed p = {&a.shape, &a.frame}, q = {&b.shape, &b.frame};
    ct_pair_options options = {0.0, INFINITY};
    ct_pair_result result;
    ct_pair_distance(p, q, &options, workspace, &result);
    check_mirror(p, q, &result);
    CHECK_INT(ct_pair_overlap(p, q, workspace, NULL), result.distance <= 0.0);
    if (result.distance > 0.0) {
      /* The convex hulls of elements with warped faces may overlap by as much as the warp. */
      if (a.b.type == CT_TETRAHEDRA && b.b.type == CT_TETRAHEDRA)
        CHECK(brute_force(&a, &b).depth <= OPEN_BAND);
      CHECK(result.element_pairs == 0 && result.depth_kind == CT_DEPTH_MINIMAL);
      CHECK(result.element_a ==
            ct_elements_of_triangle(ct_elements_get(a.elements), result.triangle_a));
      CHECK(result.element_b ==
            ct_elements_of_triangle(ct_elements_get(b.elements), result.triangle_b));
      apart++;
    } else {
      truth t = brute_force(&a, &b);
      CHECK_INT(result.status, CT_PAIR_OK);
      CHECK_INT(result.depth_kind, CT_DEPTH_ELEMENT);
      CHECK_NEAR(-result.distance, (double)t.depth, TOLERANCE);
      CHECK(result.lower_bound <= -(double)t.depth + 1e-15 &&
            -(double)t.depth - 1e-15 <= result.upper_bound);
      CHECK(t.least_count <= result.element_pairs && result.element_pairs <= t.greatest_count);
      check_named(&a, &b, &result);
      met++;
    }
    free_body(&a);
    free_body(&b);
  }
  CHECK(met > 30 && apart > 20);
}

/* Margins make each pair of elements deeper by their sum, and more pairs overlap. */
static void margins_add_to_the_depth(void) {
  check_random r = {12};
  for (int round = 0; round < 40; round++) {
    body a = make_body(&r, CT_TETRAHEDRA, 0.5), b = make_body(&r, CT_TETRAHEDRA, 0.5);
    ct_placed p = {&a.shape, &a.frame}, q = {&b.shape, &b.frame};
    ct_pair_options options = {0.0, INFINITY};
    ct_pair_result bare, grown;
    ct_pair_distance(p, q, &options, workspace, &bare);
    a.shape.margin = 0.125;
    b.shape.rounding = 0.25;
    ct_pair_distance(p, q, &options, workspace, &grown);
    check_mirror(p, q, &grown);
    CHECK_NEAR(grown.distance, bare.distance - 0.375, TOLERANCE);
    if (grown.distance <= 0.0) {
      uint32_t count = 0;
      for (uint32_t i = 0; i < a.b.en; i++)
        for (uint32_t j = 0; j < b.b.en; j++) {
          ct_shape s = {.kind = CT_KIND_CONVEX, .hull = ct_elements_get(a.elements)->hulls[i]};
          ct_shape t = {.kind = CT_KIND_CONVEX, .hull = ct_elements_get(b.elements)->hulls[j]};
          ct_pair_result one;
          ct_pair_distance((ct_placed){&s, &a.frame}, (ct_placed){&t, &b.frame}, &options,
                           workspace, &one);
          count += one.distance <= 0.375;
        }
      CHECK_INT(grown.depth_kind, CT_DEPTH_ELEMENT);
      CHECK_INT(grown.element_pairs, count);
    }
    free_body(&a);
    free_body(&b);
  }
}

/* A convex body of any kind, against each element as a convex body. */
static void convex_bodies_are_tested_with_every_element(void) {
  const ct_shape shapes[] = {{.kind = CT_KIND_SPHERE, .sphere = {0.5}},
                             {.kind = CT_KIND_BOX, .box = {{0.5, 0.25, 0.4}}},
                             {.kind = CT_KIND_CAPSULE, .capsule = {0.5, 0.25, 0.25}},
                             {.kind = CT_KIND_CAPSULE, .capsule = {0.5, 0.25, 0.125}},
                             {.kind = CT_KIND_CYLINDER, .cylinder = {0.25, 0.5}},
                             {.kind = CT_KIND_CONE, .cone = {0.5, 0.25, 0.0}},
                             {.kind = CT_KIND_ELLIPSOID, .ellipsoid = {{0.5, 0.25, 0.125}}},
                             {.kind = CT_KIND_SPHERE, .sphere = {0.25}, .margin = 0.25}};
  check_random r = {13};
  int met = 0;
  for (int round = 0; round < 240; round++) {
    const ct_shape *shape = &shapes[round % 8];
    body b = make_body(&r, types[round / 8 % 3], 0.5);
    ct_frame frame = random_frame(&r, 0.9);
    ct_placed p = {shape, &frame}, q = {&b.shape, &b.frame};
    ct_pair_options options = {0.0, INFINITY};
    ct_pair_result result;
    ct_pair_distance(p, q, &options, workspace, &result);
    check_mirror(p, q, &result);
    CHECK_INT(result.element_a, CT_NO_ELEMENT);
    if (result.distance > 0.0) {
      CHECK_INT(result.element_b,
                ct_elements_of_triangle(ct_elements_get(b.elements), result.triangle_b));
      CHECK_INT(result.element_pairs, 0);
    } else {
      double least = INFINITY;
      uint32_t count = 0, near = 0;
      for (uint32_t e = 0; e < b.b.en; e++) {
        ct_shape element = {.kind = CT_KIND_CONVEX, .hull = ct_elements_get(b.elements)->hulls[e]};
        ct_pair_result one;
        ct_pair_distance(p, (ct_placed){&element, &b.frame}, &options, workspace, &one);
        least = ct_min2(least, one.distance);
        count += one.distance <= 0.0;
        near += fabs(one.distance) < 1e-9;
        if (e == result.element_b) CHECK_NEAR(one.distance, result.distance, 1e-9);
      }
      CHECK_INT(result.depth_kind, CT_DEPTH_ELEMENT);
      CHECK_NEAR(result.distance, least, 1e-9);
      CHECK(result.element_pairs + near >= count && result.element_pairs <= count + near);
      met++;
    }
    free_body(&b);
  }
  CHECK(met > 60);
}

/* Blocks of whole cells at integer positions: touching faces and corners count as overlap, with
 * depth 0. */
static void touching_blocks_have_depth_zero(void) {
  block one = block_make(CT_HEXAHEDRA, 2, 2, 1);
  ct_elements *elements = block_elements(&one);
  ct_shape shape = ct_shape_of_elements(elements);
  const ct_frame here = ct_frame_of(ct_pose_identity());
  /* Shifted by a whole cell: the blocks share 2, 4 or 6 squares of a face, and corners. */
  static const struct {
    ct_vec3 by;
    uint32_t pairs; /* pairs of cells that share a point, counted by hand */
  } cases[] = {{{0, 0, 1}, 16}, {{1, 1, 1}, 9}, {{2, 0, 0}, 4},
               {{2, 1, 0}, 3},  {{2, 2, 0}, 1}, {{2, 2, 1}, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ct_frame there = here;
    there.position = cases[i].by;
    ct_placed p = {&shape, &here}, q = {&shape, &there};
    ct_pair_options options = {0.0, INFINITY};
    ct_pair_result result;
    ct_pair_distance(p, q, &options, workspace, &result);
    CHECK(result.distance == 0.0 && result.relation == CT_TOUCHING);
    CHECK_INT(result.element_pairs, cases[i].pairs);
    check_mirror(p, q, &result);
  }
  /* In the same pose: each cell is deepest in itself, and the lowest index wins. */
  ct_pair_options options = {0.0, INFINITY};
  ct_pair_result same;
  ct_pair_distance((ct_placed){&shape, &here}, (ct_placed){&shape, &here}, &options, workspace,
                   &same);
  CHECK_NEAR(same.distance, -1, 1e-15);
  CHECK_INT(same.element_a, 0);
  CHECK_INT(same.element_b, 0);
  CHECK_INT(same.element_pairs, 16);
  ct_elements_release(elements);
  block_free(&one);
}

static void a_raised_flag_ends_the_search_with_true_bounds(void) {
  ct_cancel *cancel = ct_cancel_create();
  block b = block_make(CT_TETRAHEDRA, 6, 6, 6);
  ct_elements *elements = block_elements(&b);
  ct_shape shape = ct_shape_of_elements(elements);
  const ct_frame here = ct_frame_of(ct_pose_identity());
  ct_frame there = here;
  there.position = ct_vec(0.25, 0.125, 0.0625);
  ct_pair_options options = {0.0, INFINITY};
  ct_pair_result whole, cut;
  ct_pair_distance((ct_placed){&shape, &here}, (ct_placed){&shape, &there}, &options, workspace,
                   &whole);
  CHECK_INT(whole.status, CT_PAIR_OK);
  ct_cancel_raise(cancel);
  ct_workspace_watch(workspace, cancel);
  ct_pair_distance((ct_placed){&shape, &here}, (ct_placed){&shape, &there}, &options, workspace,
                   &cut);
  CHECK_INT(cut.status, CT_PAIR_ITERATION_LIMIT);
  CHECK(cut.lower_bound <= whole.distance && whole.distance <= cut.upper_bound);
  ct_elements_release(elements);
  block_free(&b);
  ct_workspace_watch(workspace, NULL);
  ct_cancel_destroy(cancel);
}

static const check_test tests[] = {
    {"the_deepest_pair_is_that_of_all_pairs", the_deepest_pair_is_that_of_all_pairs},
    {"margins_add_to_the_depth", margins_add_to_the_depth},
    {"convex_bodies_are_tested_with_every_element", convex_bodies_are_tested_with_every_element},
    {"touching_blocks_have_depth_zero", touching_blocks_have_depth_zero},
    {"a_raised_flag_ends_the_search_with_true_bounds",
     a_raised_flag_ends_the_search_with_true_bounds},
};
WORKSPACE_MAIN(tests)
