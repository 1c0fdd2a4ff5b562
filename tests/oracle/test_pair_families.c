/* The generated adversarial families. Each answer is proved as in pair_proof.h, and compared with
 * the exact distance where the family knows it. CONTACTD_FULL=1 for the full numbers. Where each
 * family of hard pairs is tested:
 *
 *   parallel faces at gaps of 0, +-1 ulp, +-2^-40, +-1e-9     here: faces; test_pair_integers.c
 *   edge on edge, parallel but for 1e-16 to 1e-2              here: edges; test_pair_many.c
 *   vertex on face, edge, vertex                              here: tips; test_pair_integers.c
 *   concentric; thin slabs and needles (1 to 1e9)             test_pair_many.c: concentric, thin
 *   rotated by multiples of 45 and 90 degrees; grid of 2^-20  test_pair_many.c: grid, touching too
 *   very unequal sizes                                        test_pair_many.c; here: extremes
 *   far from each other; far from the origin                  test_pair_many.c: far; here: remote
 *   co-spherical, coplanar, equal and nearly equal points     here: clouds
 *   prisms of 3 to 256 sides                                  here: prisms
 *   prisms of up to 10,000 sides                              test_pair_solids.c
 *   sliver tetrahedra                                         here: slivers
 *   boxes whose rotated corners are rounded                   here: rounded boxes
 *   denormal offsets                                          here: denormal
 *   steps of one ulp through contact                          here: at the end
 *   meshes                                                    test_pair_meshes.c
 *   least depth, by search                                    test_pair_least.c
 *   least depth, by all normals                               test_pair_brute.c */
#include "tests/oracle/pair_families.h"
#include "tests/oracle/pair_proof.h"

/* Faces of clouds that are an ulp or 1e-9 deep and hardly larger: witness points are not always
 * accurate to 1e-10. */
#define CLOUDS_FLAGGED 6e-4

/* Regressions. For a rotation with components whose squares underflow, a cone's rim was missed by
 * 6e-11. For a ball's centre 4e-324 off the middle of an ellipsoid, the nearest point had no
 * correct digits and the bounds were wrong by a hundredth of the size. */
static void offsets_and_turns_without_digits(void) {
  const double d = 0x1p-1074, e = 0x1.0f852d672b8cap-524;
  pair_case c[] = {
      {.a = {.shape = {.kind = CT_KIND_CAPSULE,
                       .capsule = {0x1.f940264c0bcb4p-4, 0x1.8664486d0a4d2p-2,
                                   0x1.020d1d562e31dp-3}},
             .pose = {{0, 0, 0}, {0, 0, 0, 1}}},
       .b = {.shape = {.kind = CT_KIND_ELLIPSOID,
                       .ellipsoid = {{0x1.6909aff8fc128p-1, 0x1.f7885d8e9f4fp-3,
                                      0x1.0b8aeeffe81f1p-1}}},
             .pose = {{0, 0, 4 * d}, {4 * d, -4 * d, 8 * d, 1}}}},
      {.a = {.shape = {.kind = CT_KIND_ELLIPSOID,
                       .ellipsoid = {{0x1.fa5302a3d3c24p-2, 0x1.28418fc64089cp-1,
                                      0x1.6fc46b0d390f3p-1}}},
             .pose = {{0, 0, 0}, {0, 0, 0, 1}}},
       .b = {.shape = {.kind = CT_KIND_CAPSULE,
                       .capsule = {0x1.06f6512e63857p-3, 0x1.04d6a91a6d2p-1, 0x1.5d3de79ff4141p-3}},
             .pose = {{2 * d, 0, 2 * d}, {2 * d, -2 * d, 4 * d, 1}}}},
      {.a = {.shape = {.kind = CT_KIND_CONE,
                       .cone = {0x1.aaa9fbaf1bcfp-3, 0x1.fcc1a1d75dc6ep-2, 0.0}},
             .pose = {{0, 0, 0}, {0, 0, 0, 1}}},
       .b = {.shape = {.kind = CT_KIND_CONE,
                       .cone = {0x1.a9eabd3bd259p-3, 0x1.230b95e1c40ffp-2, 0.0}},
             .pose = {{0, 0, e}, {e, -e, 2 * e, 1}}}}};
  ct_workspace *workspace = ct_workspace_create();
  proof_tally t = proof_begin();
  for (int i = 0; i < 3; i++) prove(&c[i], workspace, i, &t);
  CHECK(t.overlap == 3);
  ct_workspace_destroy(workspace);
}

static void faces(void) {
  proof_run(&(proof_plan){.name = "faces", .family = family_faces, .quick = 6000, .full = 150000});
}
static void edges(void) {
  proof_run(&(proof_plan){.name = "edges", .family = family_edges, .quick = 6000, .full = 150000});
}
static void tips(void) {
  proof_run(&(proof_plan){.name = "tips", .family = family_tips, .quick = 6000, .full = 150000});
}
static void prisms(void) {
  proof_run(&(proof_plan){.name = "prisms", .family = family_prisms, .quick = 2000, .full = 50000});
}
static void prisms_at_contact(void) {
  proof_run(&(proof_plan){.name = "prisms at contact",
                          .family = family_prisms,
                          .quick = 1000,
                          .full = 50000,
                          .at_contact = true});
}
static void clouds(void) {
  proof_run(&(proof_plan){.name = "clouds", .family = family_clouds, .quick = 2000, .full = 50000});
}
static void clouds_at_contact(void) {
  proof_run(&(proof_plan){.name = "clouds at contact",
                          .family = family_clouds,
                          .quick = 1000,
                          .full = 50000,
                          .at_contact = true,
                          .flagged = CLOUDS_FLAGGED});
}
static void slivers(void) {
  proof_run(
      &(proof_plan){.name = "slivers", .family = family_slivers, .quick = 4000, .full = 100000});
}
static void slivers_at_contact(void) {
  proof_run(&(proof_plan){.name = "slivers at contact",
                          .family = family_slivers,
                          .quick = 3000,
                          .full = 100000,
                          .at_contact = true});
}
static void rounded_boxes(void) {
  proof_run(&(proof_plan){
      .name = "rounded boxes", .family = family_rounded_boxes, .quick = 4000, .full = 100000});
}
static void remote(void) {
  proof_run(
      &(proof_plan){.name = "remote", .family = family_remote, .quick = 4000, .full = 100000});
}
static void remote_at_contact(void) {
  proof_run(&(proof_plan){.name = "remote at contact",
                          .family = family_remote,
                          .quick = 3000,
                          .full = 100000,
                          .at_contact = true});
}
static void denormal(void) {
  proof_run(
      &(proof_plan){.name = "denormal", .family = family_denormal, .quick = 4000, .full = 100000});
}
static void extremes(void) {
  proof_run(
      &(proof_plan){.name = "extremes", .family = family_extremes, .quick = 4000, .full = 100000});
}

/* Of a walk: how often the overlap decision changed, and the number of steps between its first and
 * last change. */
typedef struct walk_tally {
  long walks, steps, restless, changes;
  long span; /* longest, in steps */
} walk_tally;

#define WALK_STEPS 160

/* b moves from WALK_STEPS units of the last place inside to as many outside, one unit at a time.
 * The truth changes once. */
static void walk(pair_case *c, double *coordinate, double away, ct_workspace *workspace,
                 walk_tally *t) {
  ct_frame fa = ct_frame_of(c->a.pose);
  ct_placed a = {&c->a.shape, &fa};
  double start = *coordinate;
  for (int i = 0; i < WALK_STEPS; i++) *coordinate = nextafter(*coordinate, -away * INFINITY);
  long first = -1, last = -1, changes = 0;
  bool before = true;
  for (int i = 0; i <= 2 * WALK_STEPS; i++) {
    ct_frame fb = ct_frame_of(c->b.pose);
    proof_answer now = proof_query_pair(a, (ct_placed){&c->b.shape, &fb}, workspace);
    double unit = proof_unit(c, &now.r), gap = (double)kind_gap(c, now.r.normal);
    if (now.overlap != (now.r.distance <= 0.0))
      CHECK_FAIL("walk %ld step %d: two decisions", t->walks, i);
    if (now.overlap && gap > PROOF_BAND * unit)
      CHECK_FAIL("walk %ld step %d: a plane separates", t->walks, i);
    /* The planes move with the steps, so an overlap far beyond the band shows as a gap with a false
     * decision. */
    if (!now.overlap && gap < -PROOF_BAND * unit)
      CHECK_FAIL("walk %ld step %d: no plane separates", t->walks, i);
    if (now.overlap != before) {
      changes++;
      if (first < 0) first = i;
      last = i;
    }
    before = now.overlap;
    t->steps++;
    *coordinate = nextafter(*coordinate, away * INFINITY);
  }
  *coordinate = start;
  t->walks++;
  t->changes += changes;
  t->restless += changes > 1;
  if (changes == 0) CHECK_FAIL("walk %ld: the answer never changes", t->walks);
  if (last - first > t->span) t->span = last - first;
}

/* Where all numbers are exact the decision changes once; elsewhere it may alternate within the
 * band, but seldom does. */
#define WALKS_RESTLESS 0.15

static void walks(const char *name, pair_family family, bool at_contact, long count) {
  check_random r = {0x3a1c};
  ct_workspace *workspace = ct_workspace_create();
  walk_tally t = {0};
  for (long i = 0; i < count && check_failures < 10; i++) {
    pair_case c;
    c.known = false;
    family(&c, &r);
    ct_pair_result p = {.distance = 0.0};
    if (at_contact) bring_to_gap(&c, workspace, 0.0);
    ct_frame fa = ct_frame_of(c.a.pose), fb = ct_frame_of(c.b.pose);
    ct_pair_distance((ct_placed){&c.a.shape, &fa}, (ct_placed){&c.b.shape, &fb},
                     &(ct_pair_options){.tolerance = 0.0, .threshold = INFINITY}, workspace, &p);
    ct_vec3 n = p.normal;
    int axis = fabs(n.x) >= fabs(n.y) && fabs(n.x) >= fabs(n.z) ? 0
               : fabs(n.y) >= fabs(n.z)                         ? 1
                                                                : 2;
    double along = axis == 0 ? n.x : axis == 1 ? n.y : n.z;
    double *coordinate = axis == 0   ? &c.b.pose.position.x
                         : axis == 1 ? &c.b.pose.position.y
                                     : &c.b.pose.position.z;
    if (fabs(*coordinate) > 0.25 && fabs(p.distance) < 1e-14)
      walk(&c, coordinate, along > 0.0 ? 1.0 : -1.0, workspace, &t);
    case_release(&c);
  }
  printf("%-26s %6ld walks, %8ld steps, %ld changed their answer more than once, over %ld steps at "
         "most\n",
         name, t.walks, t.steps, t.restless, t.span);
  CHECK(t.walks >= count / 4);
  CHECK((double)t.restless <= (at_contact ? WALKS_RESTLESS * (double)t.walks : 0.0));
  ct_workspace_destroy(workspace);
}

static void walks_across_faces(void) {
  walks("walks across faces", family_faces, false, proof_count(100, 2000));
}
static void walks_across_edges(void) {
  walks("walks across edges", family_edges, false, proof_count(100, 2000));
}
static void walks_across_tips(void) {
  walks("walks across tips", family_tips, false, proof_count(100, 2000));
}
static void walks_anywhere(void) {
  walks("walks anywhere", family_random, true, proof_count(100, 2000));
}

static const check_test tests[] = {
    {"offsets_and_turns_without_digits", offsets_and_turns_without_digits},
    {"faces", faces},
    {"edges", edges},
    {"tips", tips},
    {"prisms", prisms},
    {"prisms_at_contact", prisms_at_contact},
    {"clouds", clouds},
    {"clouds_at_contact", clouds_at_contact},
    {"slivers", slivers},
    {"slivers_at_contact", slivers_at_contact},
    {"rounded_boxes", rounded_boxes},
    {"remote", remote},
    {"remote_at_contact", remote_at_contact},
    {"denormal", denormal},
    {"extremes", extremes},
    {"walks_across_faces", walks_across_faces},
    {"walks_across_edges", walks_across_edges},
    {"walks_across_tips", walks_across_tips},
    {"walks_anywhere", walks_anywhere},
};

CHECK_MAIN(tests)
