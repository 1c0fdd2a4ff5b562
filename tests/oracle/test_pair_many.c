/* Very many pairs of every convex kind. Each answer is proved by itself in long double: the
 * supporting planes along the normal prove a lower bound of the distance, the points (or a common
 * point of an overlap) an upper bound. CONTACTD_FULL=1 for the full numbers.
 *
 * For an overlapping pair only a search over all normals proves a depth. Polytopes and round bodies
 * have such a search in pair_oracle.h, which judges the families of hard cases; boxes are also
 * judged in pure integers. */
#include "tests/oracle/pair_proof.h"

/* Regressions: needles that projections alone decided wrongly. In an acute corner, half a u of the
 * size apart by planes in long double, so that either answer is right; and a gap of 5.03e-13 m
 * between a tip and an edge. */
static void needles_that_barely_touch(void) {
  pair_case c[2] = {
      {.a = {.shape = {.kind = CT_KIND_CONE,
                       .cone = {0x1.01926260050d7p-1, 0x1.d73d5af635fa8p-32,
                                0x1.8f93266a0b2e4p-31}},
             .pose = {{0x1.63b97b9639142p-1, -0x1.2a4f8a48346c4p-2, -0x1.2108dc7da7a5ap-1},
                      {0.5, 0.5, 0.5, 0.5}}},
       .b = {.shape = {.kind = CT_KIND_ELLIPSOID,
                       .ellipsoid = {{0x1.7770c275c7057p-25, 0x1.099ac03ed1989p-24,
                                      0x1.c4c1d73f73f83p-1}}},
             .pose = {{0x1.61153d066aaa3p+0, -0x1.b01dc363efcap-3, -0x1.4fa9ea85e9f2cp-1},
                      {-0x1.132601d7e0cf1p-1, 0x1.4bbd8986024bfp-1, -0x1.2cc4c9c0c6b1ap-3,
                       0x1.09f4580346debp-1}}}},
      {.a = {.shape = {.kind = CT_KIND_ELLIPSOID,
                       .ellipsoid = {{0x1.0a40170c4887bp-32, 0x1.24c9159cc1eap-31,
                                      0x1.2e0e358b951bap-1}}},
             .pose = {{-0x1.6efc3b2b3974ap-1, 0x1.80f5acc6e2688p-3, -0x1.8a5dd35ea40dcp-1},
                      {0.5, 0.5, 0.5, 0.5}}},
       .b = {
           .shape = {.kind = CT_KIND_BOX,
                     .box = {{0x1.239c8847781b7p-31, 0x1.2e8ac68143a85p-32, 0x1.9ac74f5718f5p-3}}},
           .pose = {{-0x1.f05b738e3e3aap-2, 0x1.cca3c997de211p-3, -0x1.863f0c57d937bp-1},
                    {-0x1.df63d25ea7939p-2, 0x1.18d9c356fcbccp-1, 0x1.612324d6d6f67p-2,
                     -0x1.33a1816cfa68dp-1}}}}};
  ct_workspace *workspace = ct_workspace_create();
  proof_tally t = proof_begin();
  for (int i = 0; i < 2; i++) prove(&c[i], workspace, i, &t);
  CHECK_INT(t.unsure, 1);
  CHECK_INT(t.overlap <= 1, true);
  CHECK_INT(t.flagged, 0);
  ct_workspace_destroy(workspace);
}

/* Slivers that barely touch have normals below double precision, which the status reports. */
#define THIN_FLAGGED 1.5e-3
/* On grids axes are parallel too, and some are so close to each other that the polytope cannot
 * separate them. */
#define GRID_FLAGGED 2e-4

static void random_pairs(void) {
  proof_run(
      &(proof_plan){.name = "random", .family = family_random, .quick = 40000, .full = 7000000});
}
static void random_pairs_near_contact(void) {
  proof_run(&(proof_plan){.name = "random at contact",
                          .family = family_random,
                          .quick = 10000,
                          .full = 1000000,
                          .at_contact = true});
}
static void pairs_of_unlike_sizes(void) {
  proof_run(&(proof_plan){
      .name = "unlike sizes", .family = family_scales, .quick = 5000, .full = 1000000});
}
static void far_pairs(void) {
  proof_run(&(proof_plan){.name = "far", .family = family_far, .quick = 5000, .full = 1000000});
}
static void adversarial_grid(void) {
  proof_run(&(proof_plan){.name = "grid",
                          .family = family_grid,
                          .quick = 5000,
                          .full = 200000,
                          .flagged = GRID_FLAGGED});
}
static void adversarial_grid_at_contact(void) {
  proof_run(&(proof_plan){.name = "grid at contact",
                          .family = family_grid,
                          .quick = 5000,
                          .full = 200000,
                          .at_contact = true,
                          .flagged = GRID_FLAGGED});
}
static void adversarial_concentric(void) {
  proof_run(&(proof_plan){
      .name = "concentric", .family = family_concentric, .quick = 3000, .full = 150000});
}
static void adversarial_thin(void) {
  proof_run(&(proof_plan){.name = "thin",
                          .family = family_thin,
                          .quick = 5000,
                          .full = 150000,
                          .flagged = THIN_FLAGGED});
}
static void adversarial_thin_at_contact(void) {
  proof_run(&(proof_plan){.name = "thin at contact",
                          .family = family_thin,
                          .quick = 3000,
                          .full = 100000,
                          .at_contact = true,
                          .flagged = THIN_FLAGGED});
}
static void adversarial_parallel(void) {
  proof_run(&(proof_plan){
      .name = "nearly parallel", .family = family_nearly_parallel, .quick = 5000, .full = 200000});
}
static void adversarial_parallel_at_contact(void) {
  proof_run(&(proof_plan){.name = "parallel at contact",
                          .family = family_nearly_parallel,
                          .quick = 3000,
                          .full = 100000,
                          .at_contact = true,
                          .flagged = GRID_FLAGGED});
}

static const check_test tests[] = {
    {"needles_that_barely_touch", needles_that_barely_touch},
    {"random_pairs", random_pairs},
    {"random_pairs_near_contact", random_pairs_near_contact},
    {"pairs_of_unlike_sizes", pairs_of_unlike_sizes},
    {"far_pairs", far_pairs},
    {"adversarial_grid", adversarial_grid},
    {"adversarial_grid_at_contact", adversarial_grid_at_contact},
    {"adversarial_concentric", adversarial_concentric},
    {"adversarial_thin", adversarial_thin},
    {"adversarial_thin_at_contact", adversarial_thin_at_contact},
    {"adversarial_parallel", adversarial_parallel},
    {"adversarial_parallel_at_contact", adversarial_parallel_at_contact},
};

CHECK_MAIN(tests)
