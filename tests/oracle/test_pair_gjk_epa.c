/* Pairs solved by GJK and EPA alone, without the direct methods. Answers are proved over the same
 * families as all others, and their brackets must intersect those of ct_pair_distance, since both
 * contain the truth. */
#include "tests/oracle/pair_proof.h"
#include "tests/support/shapes.h"
#include "tests/support/workspace.h"

static const ct_pair_options full = {.tolerance = 0.0, .threshold = INFINITY};

/* The answer of GJK and EPA; tapered capsules have none. */
static proof_answer query_gjk_epa(ct_placed a, ct_placed b, ct_workspace *own) {
  if (!ct_gjk_epa_is_supported(a.shape, b.shape)) return proof_query_pair(a, b, own);
  proof_answer answer = {.overlap = false};
  ct_pair_gjk_epa(a, b, &full, own, &answer.r);
  answer.overlap = ct_pair_gjk_epa_overlap(a, b, own, &answer.common);
  ct_pair_result usual;
  ct_pair_distance(a, b, &full, own, &usual);
  if (!(answer.r.lower_bound <= usual.upper_bound && usual.lower_bound <= answer.r.upper_bound))
    CHECK_FAIL("(%s, %s): [%.17g, %.17g] by the general way, [%.17g, %.17g] by the short one",
               ct_kind_word(a.shape->kind), ct_kind_word(b.shape->kind), answer.r.lower_bound,
               answer.r.upper_bound, usual.lower_bound, usual.upper_bound);
  return answer;
}

#define PLAN(word, of, contact, share)                                                             \
  &(proof_plan) {                                                                                  \
    .name = word, .family = of, .quick = 3000, .full = 100000, .at_contact = contact,              \
    .flagged = share, .query_pair = query_gjk_epa                                                  \
  }

/* Slivers that barely touch, and coaxial bodies of revolution: their normals are below double
 * precision, or form a ring. */
#define THIN_FLAGGED 2e-3
#define RING_FLAGGED 2e-2

static void random_pairs(void) { proof_run(PLAN("random", family_random, false, 0.0)); }
static void random_pairs_near_contact(void) {
  proof_run(PLAN("random at contact", family_random, true, 0.0));
}
static void pairs_on_grids(void) { proof_run(PLAN("grid", family_grid, false, THIN_FLAGGED)); }
static void concentric_pairs(void) {
  proof_run(PLAN("concentric", family_concentric, false, RING_FLAGGED));
}
static void thin_pairs(void) { proof_run(PLAN("thin", family_thin, false, THIN_FLAGGED)); }
static void nearly_parallel_pairs(void) {
  proof_run(PLAN("nearly parallel", family_nearly_parallel, false, THIN_FLAGGED));
}

static ct_pair_result query_pair(const ct_shape *a, ct_pose p, const ct_shape *b, ct_pose q) {
  ct_frame fa = ct_frame_of(p), fb = ct_frame_of(q);
  ct_pair_result r;
  ct_pair_gjk_epa((ct_placed){a, &fa}, (ct_placed){b, &fb}, &full, workspace, &r);
  return r;
}

/* T4.1 to T4.10, the exact column: closed forms, or figures to the digits given. */
static void the_published_table(void) {
  const ct_shape unit = box(0.5, 0.5, 0.5), cube = box(1, 1, 1), ball = sphere(0.25),
                 beam = box(2, 0.05, 0.35), slab = box(3, 0.5, 3);
  const ct_shape big = sphere(1), half = sphere(0.5), pea = sphere(0.1),
                 egg = ellipsoid(1, 0.5, 0.7), bean = ellipsoid(0.6, 0.6, 0.4);
  const ct_shape pill = capsule(0.5, 0.3, 0.3), drum = cylinder(0.45, 0.3);
  const struct {
    const ct_shape *a, *b;
    ct_vec3 at_a, at_b;
    double distance;
    ct_vec3 normal;
    double accuracy;
  } rows[] = {
      {&big,
       &half,
       {0, 0, 0},
       {1.2, 0.3, 0.1},
       sqrt(1.54) - 1.5,
       {0.966988, 0.241747, 0.080582},
       1e-14},
      {&unit, &unit, {0.5, 0.5, 0.5}, {1.3, 1.2, 1.1}, -0.2, {1, 0, 0}, 1e-14},
      {&unit, &unit, {0, 0, 0}, {0.9, 0.2, 0.1}, -0.1, {1, 0, 0}, 1e-14},
      {&unit, &unit, {0, 0, 0}, {1.3, 1.4, 2.2}, 1.3, {3 / 13.0, 4 / 13.0, 12 / 13.0}, 1e-14},
      {&beam, &pea, {0, 0, 0}, {0.7, 0.149, 0.1}, -0.001, {0, 1, 0}, 1e-14},
      {&cube, &ball, {0, 0, 0}, {1.3, 1.4, 0.2}, 0.25, {0.6, 0.8, 0}, 1e-14},
      {&cube, &ball, {0, 0, 0}, {1.03, 1.04, 0.2}, -0.2, {0.6, 0.8, 0}, 1e-14},
      {&slab, &egg, {0, -0.5, 0}, {0.3, 0.45, 0.2}, -0.05, {0, 1, 0}, 1e-9},
      {&egg, &bean, {0, 0, 0}, {1.2, 0.7, 0.3}, 0.00868413, {0.60841, 0.72703, 0.31822}, 1e-8},
      {&pill, &drum, {0, 0, 0}, {0.7, 0.1, 0.2}, sqrt(0.5) - 0.75, {0.989949, 0.141421, 0}, 1e-9},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    ct_pose p = at(rows[i].at_a.x, rows[i].at_a.y, rows[i].at_a.z),
            q = at(rows[i].at_b.x, rows[i].at_b.y, rows[i].at_b.z);
    ct_pair_result r = query_pair(rows[i].a, p, rows[i].b, q);
    CHECK_NEAR(r.distance, rows[i].distance, rows[i].accuracy);
    CHECK_NEAR(ct_norm(ct_sub(r.normal, rows[i].normal)), 0.0, 1e-5);
    CHECK_INT(r.status, CT_PAIR_OK);
  }
}

/* Concentric cubes are equally deep along every axis, and the lowest axis wins; a ball at the
 * centre of a cube; concentric balls. */
static void equally_good_normals(void) {
  const ct_shape cube = box(1, 1, 1), half = box(0.5, 0.5, 0.5), large = box(2, 2, 2),
                 ball = sphere(1);
  ct_pair_result r = query_pair(&cube, at(1, 2, 3), &half, at(1, 2, 3));
  CHECK_NEAR(r.distance, -1.5, 1e-15);
  CHECK(fabs(r.normal.x) == 1.0 && (r.flags & CT_FLAG_NORMAL_ARBITRARY));
  r = query_pair(&large, at(0, 0, 0), &ball, at(0, 0, 0));
  CHECK_NEAR(r.distance, -3.0, 1e-15);
  r = query_pair(&ball, at(1, 2, 3), &ball, at(1, 2, 3));
  CHECK_NEAR(r.distance, -2.0, 1e-15);
  CHECK(r.flags & CT_FLAG_NORMAL_ARBITRARY);
}

/* EPA grows a polytope where the direct method tests the axes of both boxes. */
static void overlapping_boxes_take_a_polytope(void) {
  const ct_shape cube = box(1, 1, 1), half = box(0.5, 0.5, 0.5);
  ct_frame f = ct_frame_of(at(1, 2, 3));
  ct_pair_result usual;
  ct_pair_distance((ct_placed){&cube, &f}, (ct_placed){&half, &f}, &full, workspace, &usual);
  CHECK(query_pair(&cube, at(1, 2, 3), &half, at(1, 2, 3)).iterations > 2 * usual.iterations);
}

static void a_swap_mirrors_bit_for_bit(void) {
  case_kind_count = 7;
  check_random random = {46};
  for (int i = 0; i < 3000; i++) {
    pair_case c;
    (i % 2 ? family_random : family_grid)(&c, &random);
    if (ct_gjk_epa_is_supported(&c.a.shape, &c.b.shape)) {
      ct_pair_result p = query_pair(&c.a.shape, c.a.pose, &c.b.shape, c.b.pose),
                     q = query_pair(&c.b.shape, c.b.pose, &c.a.shape, c.a.pose);
      ct_vec3 n = ct_neg(q.normal);
      CHECK(p.distance == q.distance && p.lower_bound == q.lower_bound &&
            p.upper_bound == q.upper_bound && p.flags == q.flags);
      CHECK(p.normal.x == n.x && p.normal.y == n.y && p.normal.z == n.z);
      CHECK(p.point_a.x == q.point_b.x && p.point_b.y == q.point_a.y && p.point_a.z == q.point_b.z);
    }
    case_release(&c);
  }
}

static const check_test tests[] = {
    {"random_pairs", random_pairs},
    {"random_pairs_near_contact", random_pairs_near_contact},
    {"pairs_on_grids", pairs_on_grids},
    {"concentric_pairs", concentric_pairs},
    {"thin_pairs", thin_pairs},
    {"nearly_parallel_pairs", nearly_parallel_pairs},
    {"T4.1 to T4.10: the_published_table", the_published_table},
    {"equally_good_normals", equally_good_normals},
    {"overlapping_boxes_take_a_polytope", overlapping_boxes_take_a_polytope},
    {"a_swap_mirrors_bit_for_bit", a_swap_mirrors_bit_for_bit},
};

WORKSPACE_MAIN(tests)
