/* Separating planes: proven by the bodies' supports, never beyond their distance, and equal with a
 * cache and without. */
#include "tests/oracle/pair_cases.h"
#include "tests/support/shapes.h"
#include "tests/support/workspace.h"

static long count_of(long quick, long full) { return getenv("CONTACTD_FULL") ? full : quick; }

static const ct_pair_options full = {.tolerance = 0.0, .threshold = INFINITY};

static double distance_of(const pair_body *a, const pair_body *b, ct_pair_result *result) {
  ct_frame fa = ct_frame_of(a->pose), fb = ct_frame_of(b->pose);
  ct_pair_distance((ct_placed){&a->shape, &fa}, (ct_placed){&b->shape, &fb}, &full, workspace,
                   result);
  return result->distance;
}

static bool separate(const pair_body *a, const pair_body *b, ct_plane_cache *cache,
                     ct_separating_plane *plane) {
  ct_frame fa = ct_frame_of(a->pose), fb = ct_frame_of(b->pose);
  return ct_pair_separating_plane((ct_placed){&a->shape, &fa}, (ct_placed){&b->shape, &fb}, cache,
                                  workspace, plane);
}

static ct_separating_plane best_axis(const pair_body *a, const pair_body *b) {
  ct_frame fa = ct_frame_of(a->pose), fb = ct_frame_of(b->pose);
  ct_separating_plane plane;
  ct_pair_separating_axis((ct_placed){&a->shape, &fa}, (ct_placed){&b->shape, &fb}, workspace,
                          &plane);
  return plane;
}

/* Extent of a body along a world direction, by its support function alone. */
static double reach_along(const pair_body *b, ct_vec3 n) {
  ct_vec3 d = ct_mat_tmul(ct_quat_matrix(b->pose.rotation), n);
  return ct_dot(d, ct_shape_support(&b->shape, d)) + ct_dot(n, b->pose.position);
}

static double size_of(const pair_body *a, const pair_body *b) {
  ct_vec3 p, q;
  double r, s;
  ct_shape_ball(&a->shape, &p, &r);
  ct_shape_ball(&b->shape, &q, &s);
  return ct_norm(p) + r + ct_norm(q) + s + ct_max_abs(a->pose.position) +
         ct_max_abs(b->pose.position);
}

/* The gap along the normal is the reported one, and the distance is no less. */
static void check_plane(const pair_body *a, const pair_body *b, const ct_separating_plane *plane) {
  double unit = 0x1p-53 * size_of(a, b);
  double gap = -reach_along(b, ct_neg(plane->normal)) - reach_along(a, plane->normal);
  CHECK_NEAR(plane->separation, gap, 128.0 * unit);
  CHECK_NEAR(ct_dot(plane->normal, ct_sub(plane->point_b, plane->point_a)), plane->separation,
             128.0 * unit);
  CHECK_NEAR(ct_norm(plane->normal), 1.0, 4 * 0x1p-52);
  ct_pair_result exact;
  distance_of(a, b, &exact);
  CHECK(plane->separation <= exact.upper_bound + 128.0 * unit);
}

static pair_body body(ct_shape shape, ct_pose pose) {
  return (pair_body){.shape = shape, .pose = pose};
}

/* T3.6, row 40: one search; then the cached face separates while the boxes slide along it. */
static void a_sliding_box_needs_one_search(void) {
  const ct_shape forms[] = {box(0.5, 0.5, 0.5), hull_box(0.5, 0.5, 0.5)};
  for (int i = 0; i < 4; i++) {
    ct_plane_cache cache = {.kind = CT_PLANE_NONE};
    pair_body a = body(forms[i & 1], at(0, 0, 0)), b = body(forms[i >> 1], at(1.2, 0, 0));
    bool first_by_content =
        i != 1; /* a box precedes a hull, so that of hull and box the box's face is found first */
    for (int frame = 0; frame <= 10; frame++) {
      b.pose.position.y = 0.1 * frame;
      ct_separating_plane plane;
      CHECK(separate(&a, &b, &cache, &plane));
      CHECK_NEAR(plane.separation, 0.2, 1e-15);
      CHECK(plane.normal.x == 1.0 && plane.normal.y == 0.0 && plane.normal.z == 0.0);
      CHECK_INT(plane.kind, first_by_content ? CT_PLANE_FACE_A : CT_PLANE_FACE_B);
      if (i == 0) CHECK_INT(plane.feature_a, 1); /* +x */
      CHECK_INT(cache.searches, 1);
      CHECK_INT(cache.hits, frame);
    }
    CHECK_INT(cache.repairs, 0);
  }
  ct_hull_release(forms[1].hull);
}

/* Around a box its faces succeed each other as the separating face, and at the corner the
 * neighbouring face is found without a search. */
static void the_plane_of_a_box_that_moves_around_is_found_by_repairs(void) {
  ct_plane_cache cache = {.kind = CT_PLANE_NONE};
  pair_body a = body(box(0.25, 0.25, 0.25), at(0, 0, 0)), b = body(box(1, 1, 1), at(2, 0, 0));
  const double way[][2] = {{2, 0},   {2, 2},  {0, 2},  {-2, 2}, {-2, 0},
                           {-2, -2}, {0, -2}, {2, -2}, {2, 0}};
  const uint32_t faces[] = {1, 1, 3, 3, 0, 0, 2, 2, 1};
  for (int i = 0; i < 9; i++) {
    b.pose.position = ct_vec(way[i][0], way[i][1], 0);
    ct_separating_plane plane;
    CHECK(separate(&a, &b, &cache, &plane));
    CHECK_INT(plane.kind, CT_PLANE_FACE_A);
    CHECK_INT(plane.feature_a, faces[i]);
    CHECK_NEAR(plane.separation, 0.75, 0);
  }
  CHECK_INT(cache.searches, 1);
  CHECK_INT(cache.repairs, 4);
  CHECK_INT(cache.hits, 4);
}

/* Crossed edges: the boxes are rotated by 45 degrees about x and about y, one over the other, as
 * boxes and as hulls. */
static void crossed_edges_separate_where_no_face_does(void) {
  static const double c = 0.92387953251128675613, s = 0.38268343236508977173;
  const double root_half = sqrt(0.5);
  const ct_shape forms[] = {box(0.5, 0.5, 0.5), hull_box(0.5, 0.5, 0.5)};
  for (int i = 0; i < 4; i++) {
    pair_body a = body(forms[i & 1], turned(at(0, 0, 0), s, 0, 0, c));
    pair_body b = body(forms[i >> 1], turned(at(0, 0, 2.0 * root_half + 0.0625), 0, s, 0, c));
    ct_separating_plane plane;
    CHECK(separate(&a, &b, NULL, &plane));
    CHECK_INT(plane.kind, CT_PLANE_EDGE_EDGE);
    CHECK_NEAR(plane.separation, 0.0625, 1e-15);
    CHECK_NEAR(plane.normal.z, 1.0, 1e-15);
    if (i == 0) {
      /* The edge of a along x and that of b along y, numbered as in the header: y and z of a are at
       * +, rotated by 45 degrees about x. */
      CHECK_INT(plane.feature_a, 3);
      CHECK_INT(plane.feature_b / 4, 1);
    }
    b.pose.position.z = 2.0 * root_half - 0.0625;
    CHECK(!separate(&a, &b, NULL, &plane));
    plane = best_axis(&a, &b);
    CHECK_INT(plane.kind, CT_PLANE_EDGE_EDGE);
    CHECK_NEAR(plane.separation, -0.0625, 1e-15);
  }
  ct_hull_release(forms[1].hull);
}

static void touching_boxes_have_a_plane_and_overlapping_ones_none(void) {
  pair_body a = body(box(0.5, 0.5, 0.5), at(0, 0, 0)),
            b = body(box(0.25, 0.5, 0.5), at(0.75, 0.25, 0));
  ct_separating_plane plane;
  CHECK(separate(&a, &b, NULL, &plane));
  CHECK(plane.separation == 0.0);
  b.pose.position.x = nextafter(0.75, 0.0);
  CHECK(!separate(&a, &b, NULL, &plane));
}

/* A polyhedron or, with all kinds, any body. */
static void random_case(pair_case *c, check_random *r, bool polyhedra) {
  static const pair_family families[] = {family_random, family_grid, family_nearly_parallel,
                                         family_large_hulls};
  do {
    families[pick(r, 4)](c, r);
    bool fits = ct_separating_axis_is_supported(&c->a.shape, &c->b.shape);
    if (fits || !polyhedra) return;
    case_release(c);
  } while (true);
}

/* The greatest separation of overlapping polyhedra is minus the depth. If they are apart it never
 * exceeds the distance, and equals it if the plane belongs to the closest features. */
static void the_best_axis_gives_exact_depths(void) {
  check_random r = {51};
  long apart = 0, equal = 0, deep = 0;
  for (long i = 0; i < count_of(3000, 200000); i++) {
    pair_case c;
    case_kind_count = 4;
    random_case(&c, &r, true);
    ct_separating_plane plane = best_axis(&c.a, &c.b);
    ct_pair_result exact;
    distance_of(&c.a, &c.b, &exact);
    check_plane(&c.a, &c.b, &plane);
    double unit = 0x1p-53 * size_of(&c.a, &c.b);
    if (exact.upper_bound < 0.0) {
      CHECK(plane.separation >= exact.lower_bound - 128.0 * unit);
      deep++;
    } else if (exact.lower_bound > 0.0) {
      apart++;
      CHECK(plane.separation >= -128.0 * unit);
      equal += plane.separation >= exact.lower_bound;
    }
    case_release(&c);
  }
  CHECK(deep > 500 && apart > 500 && 4 * equal > apart);
}

/* Axis-aligned boxes in integers: the greatest gap of an interval, separated or not. */
static void boxes_in_integers_have_their_widest_gap(void) {
  check_random r = {52};
  for (int i = 0; i < 5000; i++) {
    int gap = -1000, half[6], at_b[3];
    for (int k = 0; k < 6; k++) half[k] = 1 + (int)pick(&r, 8);
    for (int k = 0; k < 3; k++) {
      at_b[k] = (int)pick(&r, 41) - 20;
      int one = abs(at_b[k]) - half[k] - half[3 + k];
      gap = one > gap ? one : gap;
    }
    pair_body a = body(box(half[0], half[1], half[2]), at(0, 0, 0));
    pair_body b = body(box(half[3], half[4], half[5]), at(at_b[0], at_b[1], at_b[2]));
    ct_separating_plane plane = best_axis(&a, &b);
    CHECK(plane.separation == gap);
    CHECK_INT(separate(&a, &b, NULL, NULL), gap >= 0);
  }
}

/* A random motion of small steps. */
static void move(pair_body *b, check_random *r, double step) {
  b->pose.position = ct_add(b->pose.position, random_vec(r, step));
  ct_vec3 w = random_vec(r, step);
  b->pose.rotation = ct_quat_mul((ct_quat){w.x, w.y, w.z, 1.0}, b->pose.rotation);
}

/* With a cache and without: the same answers over random motions, and planes that are proven. */
static void a_cache_changes_no_answer(void) {
  check_random r = {53};
  case_kind_count = 7;
  uint64_t hits = 0, repairs = 0, searches = 0;
  for (long i = 0; i < count_of(400, 20000); i++) {
    pair_case c;
    random_case(&c, &r, i % 2 == 0);
    ct_plane_cache cache = {.kind = CT_PLANE_NONE};
    double step = pick(&r, 2) ? 0.02 : 0.2;
    for (int frame = 0; frame < 20; frame++) {
      ct_separating_plane cached, fresh;
      bool with = separate(&c.a, &c.b, &cache, &cached),
           without = separate(&c.a, &c.b, NULL, &fresh);
      CHECK_INT(with, without);
      if (with) check_plane(&c.a, &c.b, &cached);
      if (without) check_plane(&c.a, &c.b, &fresh);
      CHECK_INT(cache.hits + cache.repairs + cache.searches, frame + 1);
      ct_pair_result exact;
      distance_of(&c.a, &c.b, &exact);
      if (exact.lower_bound > 0.0) CHECK(with);
      if (exact.upper_bound < 0.0) CHECK(!with);
      move(&c.a, &r, step);
      move(&c.b, &r, step);
    }
    hits += cache.hits;
    repairs += cache.repairs;
    searches += cache.searches;
    case_release(&c);
  }
  CHECK(hits > searches && repairs > 0);
}

/* Queries with planes first: the overlap decision is that of the pair, with a cache and without,
 * and the witness is in both bodies. */
static void cached_planes_do_not_change_overlaps(void) {
  check_random r = {55};
  case_kind_count = 7;
  long overlapping = 0, apart = 0;
  for (long i = 0; i < count_of(300, 20000); i++) {
    pair_case c;
    random_case(&c, &r, i % 2 == 0);
    ct_plane_cache cache = {.kind = CT_PLANE_NONE};
    double step = pick(&r, 2) ? 0.02 : 0.2;
    for (int frame = 0; frame < 20; frame++) {
      ct_frame fa = ct_frame_of(c.a.pose), fb = ct_frame_of(c.b.pose);
      const ct_placed a = {&c.a.shape, &fa}, b = {&c.b.shape, &fb};
      ct_separating_plane plane;
      ct_vec3 witness;
      bool overlap = ct_pair_overlap(a, b, workspace, NULL);
      CHECK_INT(ct_pair_overlap_by_plane(a, b, NULL, workspace, NULL, &witness), overlap);
      CHECK_INT(ct_pair_overlap_by_plane(a, b, &cache, workspace, &plane, NULL), overlap);
      if (overlap) CHECK_INT(plane.kind, CT_PLANE_NONE);
      else if (plane.kind != CT_PLANE_NONE) check_plane(&c.a, &c.b, &plane);
      overlapping += overlap;
      apart += !overlap;
      move(&c.a, &r, step);
      move(&c.b, &r, step);
    }
    case_release(&c);
  }
  CHECK(overlapping > 500 && apart > 500);
}

static bool same(ct_vec3 a, ct_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static void a_swap_mirrors_bit_for_bit(void) {
  check_random r = {54};
  case_kind_count = 7;
  for (int i = 0; i < 1000; i++) {
    pair_case c;
    random_case(&c, &r, i % 2 == 0);
    ct_separating_plane p = {.kind = CT_PLANE_NONE}, q = p;
    CHECK_INT(separate(&c.a, &c.b, NULL, &p), separate(&c.b, &c.a, NULL, &q));
    CHECK(p.separation == q.separation && same(p.normal, ct_neg(q.normal)) &&
          same(p.point_a, q.point_b));
    CHECK(p.kind == CT_PLANE_NONE || (p.feature_a == q.feature_b && p.feature_b == q.feature_a));
    if (p.kind == CT_PLANE_FACE_A) CHECK_INT(q.kind, CT_PLANE_FACE_B);
    case_release(&c);
  }
}

static void kinds_of_planes_have_words(void) {
  CHECK_TEXT(ct_plane_kind_word(CT_PLANE_FACE_A), "faceA");
  CHECK_TEXT(ct_plane_kind_word(CT_PLANE_EDGE_EDGE), "edgeEdge");
}

static void half_spaces_have_none(void) {
  pair_body a = body(plane(), at(0, 0, 0)), b = body(box(1, 1, 1), at(0, 0, 5));
  CHECK(!separate(&a, &b, NULL, NULL));
  CHECK(!ct_separating_axis_is_supported(&a.shape, &b.shape));
}

static const check_test tests[] = {
    {"T3.6 row 40: a_sliding_box_needs_one_search", a_sliding_box_needs_one_search},
    {"the_plane_of_a_box_that_moves_around_is_found_by_repairs",
     the_plane_of_a_box_that_moves_around_is_found_by_repairs},
    {"crossed_edges_separate_where_no_face_does", crossed_edges_separate_where_no_face_does},
    {"touching_boxes_have_a_plane_and_overlapping_ones_none",
     touching_boxes_have_a_plane_and_overlapping_ones_none},
    {"the_best_axis_gives_exact_depths", the_best_axis_gives_exact_depths},
    {"boxes_in_integers_have_their_widest_gap", boxes_in_integers_have_their_widest_gap},
    {"row 40: a_cache_changes_no_answer", a_cache_changes_no_answer},
    {"cached_planes_do_not_change_overlaps", cached_planes_do_not_change_overlaps},
    {"a_swap_mirrors_bit_for_bit", a_swap_mirrors_bit_for_bit},
    {"kinds_of_planes_have_words", kinds_of_planes_have_words},
    {"half_spaces_have_none", half_spaces_have_none},
};

WORKSPACE_MAIN(tests)
