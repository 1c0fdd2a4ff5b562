/* Answers depend on the pair alone: a workspace previously used for pairs of other kinds, and
 * uninitialised memory, change no bit of them. */
#include "tests/oracle/pair_cases.h"
#include "tests/support/meshes.h"

#include <contact/manifold.h>

#define BODIES 40
#define PAIRS 3000
#define POINTS_MAX 512
/* Written into the result before the query. */
#define STALE 0xAA

static void make_any(pair_body *b, check_random *r) {
  uint32_t kind = pick(r, 10);
  if (kind == 7 || kind == 8) *b = (pair_body){.shape = soup_random(r)};
  else if (kind == 9) *b = (pair_body){.shape = {.kind = CT_KIND_PLANE}};
  else make_body(b, case_kinds[kind], r, 1.0, ct_vec(1, 1, 1));
  if (pick(r, 3) == 0) b->shape.rounding = check_uniform(r, 0.01, 0.2);
  if (pick(r, 3) == 0) b->shape.margin = check_uniform(r, 0.01, 0.2);
  b->pose.rotation = pick(r, 2) ? random_rotation(r) : special_rotation(r);
  b->pose.position = pick(r, 2) ? random_vec(r, 1.5) : snap_vec(random_vec(r, 1.5), 0.25);
}

typedef struct answer {
  ct_manifold manifold;
  ct_contact_point points[POINTS_MAX];
  ct_pair_result distance;
  bool overlap;
  ct_vec3 common;
} answer;

static void run_query(const pair_body *a, const pair_body *b, double clearance,
                      ct_workspace *workspace, answer *out) {
  ct_frame fa = ct_frame_of(a->pose), fb = ct_frame_of(b->pose);
  const ct_placed p = {&a->shape, &fa}, q = {&b->shape, &fb};
  const ct_pair_options full = {.tolerance = 0.0, .threshold = INFINITY};
  const ct_contact_options options = {clearance, 0.0, CT_DETAIL_FULL};
  memset(out, STALE, sizeof *out);
  out->common = ct_vec(0.0, 0.0, 0.0);
  ct_pair_contacts(p, q, &options, workspace, &out->manifold);
  if (out->manifold.count > POINTS_MAX) out->manifold.count = POINTS_MAX;
  for (size_t i = 0; i < out->manifold.count; i++) out->points[i] = out->manifold.points[i];
  ct_pair_distance(p, q, &full, workspace, &out->distance);
  out->overlap = ct_pair_overlap(p, q, workspace, &out->common);
}

static bool same(ct_vec3 a, ct_vec3 b) { return memcmp(&a, &b, sizeof a) == 0; }
static bool same_number(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

static bool same_result(const ct_pair_result *p, const ct_pair_result *q) {
  return same_number(p->distance, q->distance) && same_number(p->lower_bound, q->lower_bound) &&
         same_number(p->upper_bound, q->upper_bound) && same(p->normal, q->normal) &&
         same(p->point_a, q->point_a) && same(p->point_b, q->point_b) &&
         p->relation == q->relation && p->status == q->status && p->flags == q->flags &&
         p->iterations == q->iterations && p->depth_kind == q->depth_kind &&
         p->triangle_a == q->triangle_a && p->triangle_b == q->triangle_b;
}

static bool same_point(const ct_contact_point *p, const ct_contact_point *q) {
  return p->a.kind == q->a.kind && p->a.index == q->a.index && p->b.kind == q->b.kind &&
         p->b.index == q->b.index && same(p->point_a, q->point_a) && same(p->point_b, q->point_b) &&
         same(p->normal, q->normal) && same_number(p->distance, q->distance) &&
         p->patch == q->patch && p->number == q->number;
}

static bool same_answer(const answer *p, const answer *q) {
  bool good = p->manifold.count == q->manifold.count && p->manifold.failed == q->manifold.failed &&
              p->overlap == q->overlap;
  good = good && same(p->common, q->common) && same_result(&p->distance, &q->distance);
  good = good && same_result(&p->manifold.pair, &q->manifold.pair);
  for (size_t i = 0; good && i < p->manifold.count; i++)
    good = same_point(&p->points[i], &q->points[i]);
  return good;
}

static void a_used_workspace_gives_the_same_bits(void) {
  check_random r = {81};
  static pair_body bodies[BODIES];
  static answer fresh, used;
  ct_workspace *workspace = ct_workspace_create();
  for (int i = 0; i < BODIES; i++) make_any(&bodies[i], &r);
  for (int i = 0; i < PAIRS; i++) {
    const pair_body *a = &bodies[pick(&r, BODIES)], *b = &bodies[pick(&r, BODIES)];
    double clearance = pick(&r, 2) ? 10.0 : 0.05;
    ct_workspace *own = ct_workspace_create();
    run_query(a, b, clearance, own, &fresh);
    ct_workspace_destroy(own);
    run_query(a, b, clearance, workspace, &used);
    if (!same_answer(&fresh, &used))
      CHECK_FAIL("pair %d, kinds %d %d: distance %.17g and %.17g, %zu and %zu points", i,
                 a->shape.kind, b->shape.kind, fresh.distance.distance, used.distance.distance,
                 fresh.manifold.count, used.manifold.count);
  }
  ct_workspace_destroy(workspace);
  for (int i = 0; i < BODIES; i++) body_release(&bodies[i]);
}

static const check_test tests[] = {
    {"a_used_workspace_gives_the_same_bits", a_used_workspace_gives_the_same_bits},
};

CHECK_MAIN(tests)
