/* Proofs of one answer about two convex bodies, in long double, whichever algorithm computed it.
 * The supporting planes along the normal prove a lower bound of the distance; the points (or a
 * common point of an overlap) prove an upper bound. */
#ifndef ORACLE_PAIR_PROOF_H
#define ORACLE_PAIR_PROOF_H

#include "tests/oracle/kind_oracle.h"

/* In u times the reach of both bodies: the permitted error of the overlap decision, and of the
 * rounding of world points. */
#define PROOF_BAND 64.0
#define PROOF_ROUNDING 96.0
/* Relative to the size: permitted difference between the planes' gap and the distance. */
#define PROOF_PLANES 1e-12
/* Permitted share of a family's answers whose status is not ok, if the family states no other. */
#define PROOF_FLAGGED 1e-4

typedef struct proof_tally {
  long pairs, overlap, unsure, flagged, known;
  double outside,
      points; /* worst errors, in u of the size; outside: of the planes beyond the upper bound */
  double width, value, above; /* worst of the answers that are ok, relative to the size: bracket
                                 width, planes against the distance, points against the normal */
  double wanted;              /* worst error against a known truth, in u of the size */
} proof_tally;

typedef struct proof_answer {
  ct_pair_result r;
  ct_vec3 common; /* a common point of an overlap */
  bool overlap;
  double lean; /* permitted lean of the normal, rad: 0 for convex bodies */
} proof_answer;

/* Promises of an answer with status ok, relative to the size (api/guide/accuracy.md): the width of
 * the bracket, and the distance of the points from the line of the normal. */
typedef struct proof_allowance {
  double width, above;
} proof_allowance;

static inline bool proof_curved(ct_kind kind) {
  return kind == CT_KIND_CYLINDER || kind == CT_KIND_CONE || kind == CT_KIND_ELLIPSOID;
}

static inline proof_allowance proof_allowed(const pair_case *c, double distance) {
  static const proof_allowance allowed[2][2] = {{{2e-12, 1e-10}, {2e-10, 1e-10}},
                                                {{2e-10, 1e-10}, {2e-8, 1e-8}}};
  return allowed[proof_curved(c->a.shape.kind) || proof_curved(c->b.shape.kind)][distance <= 0.0];
}

/* Runs both queries: the full distance and the overlap decision. */
static inline proof_answer proof_query_pair(ct_placed a, ct_placed b, ct_workspace *workspace) {
  const ct_pair_options options = {.tolerance = 0.0, .threshold = INFINITY};
  proof_answer answer = {.overlap = false};
  ct_pair_distance(a, b, &options, workspace, &answer.r);
  answer.overlap = ct_pair_overlap(a, b, workspace, &answer.common);
  return answer;
}

static inline double proof_reach(const pair_body *b) {
  ct_vec3 center;
  double radius;
  ct_shape_ball(&b->shape, &center, &radius);
  return ct_norm(center) + radius;
}

/* The unit of errors: u times the size of the pair. */
static inline double proof_unit(const pair_case *c, const ct_pair_result *r) {
  return 0x1p-53 * (proof_reach(&c->a) + proof_reach(&c->b) + fabs(r->distance));
}

static inline bool proof_finite3(ct_vec3 v) {
  return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

static inline bool proof_finite(const ct_pair_result *r) {
  return isfinite(r->distance) && isfinite(r->lower_bound) && isfinite(r->upper_bound) &&
         proof_finite3(r->normal) && proof_finite3(r->point_a) && proof_finite3(r->point_b);
}

static inline void proof_blame(const pair_case *c, long index, const char *what, double by) {
  CHECK_FAIL("pair %ld (%s, %s): %s by %g", index, ct_kind_word(c->a.shape.kind),
             ct_kind_word(c->b.shape.kind), what, by);
}

/* Points in the bodies prove an upper bound if the bodies are apart; a common point proves an
 * overlap. */
static inline void proof_points(const pair_case *c, const proof_answer *answer, double unit,
                                long index, proof_tally *t) {
  const ct_pair_result *r = &answer->r;
  bool overlap = answer->overlap;
  double far = ct_max2(ct_max_abs(c->a.pose.position), ct_max_abs(c->b.pose.position)),
         world = unit + 0x1p-53 * far;
  ct_vec3 p = overlap ? answer->common : r->point_a, q = overlap ? answer->common : r->point_b;
  double off = (double)kind_greater(kind_outside(&c->a, p), kind_outside(&c->b, q));
  double slack = overlap ? 0.0 : r->upper_bound - r->lower_bound; /* of points: the bracket width */
  t->points = ct_max2(t->points, (off - slack) / world);
  if (off > slack + PROOF_ROUNDING * world)
    proof_blame(c, index, overlap ? "the common point is outside" : "a point is outside its body",
                off / world);
  double apart = ct_norm(ct_sub(r->point_b, r->point_a));
  if (!overlap && apart < r->lower_bound - PROOF_ROUNDING * world)
    proof_blame(c, index, "the points are nearer than the lower bound", apart);
}

/* Compares with the signed distance if the family knows it. */
static inline void proof_known(const pair_case *c, const proof_answer *answer, double unit,
                               long index, proof_tally *t) {
  double off = fabs(answer->r.distance - c->truth);
  t->known++;
  t->wanted = ct_max2(t->wanted, off / unit);
  if (off > PROOF_BAND * unit)
    proof_blame(c, index, "the distance is not the known one", off / unit);
  if (c->truth < answer->r.lower_bound || c->truth > answer->r.upper_bound)
    proof_blame(c, index, "the known distance is outside the bounds", c->truth);
  if (fabs(c->truth) > PROOF_BAND * unit && answer->overlap != (c->truth <= 0.0))
    proof_blame(c, index, "the yes or no is wrong", c->truth / unit);
}

/* The normal of an answer that is not ok may fail to prove its bounds. Where the search over all
 * normals supports both bodies, its distance checks the bounds instead. */
static inline bool proof_brute(const pair_case *c, const ct_pair_result *r) {
  const pair_body *both[2] = {&c->a, &c->b};
  for (int k = 0; k < 2; k++) {
    ct_kind kind = both[k]->shape.kind;
    bool known = kind == CT_KIND_SPHERE || kind == CT_KIND_BOX || kind == CT_KIND_CAPSULE ||
                 kind == CT_KIND_CONVEX;
    if (!known || both[k]->count > ORACLE_BALLS_MAX) return false;
  }
  oracle_body a = oracle_of(&c->a.shape, &c->a.pose, c->a.points, c->a.count);
  oracle_body b = oracle_of(&c->b.shape, &c->b.pose, c->b.points, c->b.count);
  double truth = (double)oracle_distance(&a, &b, NULL);
  return r->lower_bound <= truth && truth <= r->upper_bound;
}

/* Bounds are ordered, the normal is a unit vector, both queries decide alike, and the bracket is
 * narrow or flagged. */
static inline void proof_shape(const pair_case *c, const proof_answer *answer, double unit,
                               long index, proof_tally *t) {
  const ct_pair_result *r = &answer->r;
  double size = 0x1p53 * unit, width = (r->upper_bound - r->lower_bound) / size,
         length = fabs(ct_norm(r->normal) - 1.0);
  if (!proof_finite(r) || !proof_finite3(answer->common))
    CHECK_FAIL("pair %ld: a number is not finite", index);
  if (!(r->lower_bound <= r->distance && r->distance <= r->upper_bound))
    proof_blame(c, index, "the distance is outside its bounds", r->distance);
  if (answer->overlap != (r->distance <= 0.0))
    proof_blame(c, index, "overlap contradicts the distance", r->distance);
  if (length > 4 * 0x1p-52) proof_blame(c, index, "the normal is not unit", length);
  t->flagged += r->status != CT_PAIR_OK;
  if (r->status != CT_PAIR_OK) return;
  double above = ct_norm(ct_sub(ct_sub(r->point_b, r->point_a), ct_scale(r->normal, r->distance)));
  double far = ct_max2(ct_max_abs(c->a.pose.position), ct_max_abs(c->b.pose.position));
  above = ct_max2(0.0, above - 8.0 * 0x1p-53 * far) / size;
  t->above = ct_max2(t->above, above);
  proof_allowance allowed = proof_allowed(c, r->distance);
  if (above > allowed.above) proof_blame(c, index, "the points are not one above the other", above);
  t->width = ct_max2(t->width, width);
  if (width > allowed.width)
    proof_blame(c, index, "the bracket is wide and the status is ok", width);
}

/* Checks everything except that an overlap's depth is the least one. */
static inline void proof_of(const pair_case *c, const proof_answer *answer, long index,
                            proof_tally *t) {
  const ct_pair_result *r = &answer->r;
  double unit = proof_unit(c, r), gap = (double)kind_gap(c, r->normal);
  bool minimal = r->distance > 0.0 || r->depth_kind == CT_DEPTH_MINIMAL;
  t->pairs++;
  t->overlap += answer->overlap;
  t->unsure += fabs(gap) <= PROOF_BAND * unit;
  proof_shape(c, answer, unit, index, t);
  proof_points(c, answer, unit, index, t);
  if (answer->overlap && gap > PROOF_BAND * unit)
    proof_blame(c, index, "a separating plane exists, overlap is answered", gap / unit);
  if (!minimal) return;
  /* The gap of the supporting planes is a true lower bound of the distance. */
  t->outside = ct_max2(t->outside, (gap - r->upper_bound) / unit);
  if (gap > r->upper_bound)
    proof_blame(c, index, "the planes prove more than the upper bound",
                (gap - r->upper_bound) / unit);
  double leaning = answer->lean * 0x1p53 * unit;
  bool proved = gap >= r->lower_bound - PROOF_ROUNDING * unit - leaning;
  if (!proved && (r->status == CT_PAIR_OK || !proof_brute(c, r)))
    proof_blame(c, index, "the normal does not prove the lower bound",
                (r->lower_bound - gap) / unit);
  double value = ct_max2(fabs(gap - r->distance) / (0x1p53 * unit) - answer->lean, 0.0);
  if (r->status == CT_PAIR_OK) t->value = ct_max2(t->value, value);
  if (r->status == CT_PAIR_OK && value > PROOF_PLANES)
    proof_blame(c, index, "the planes are not as far apart as the distance says", value);
  if (c->known) proof_known(c, answer, unit, index, t);
}

/* The algorithm under test. */
typedef proof_answer (*proof_pair_query)(ct_placed a, ct_placed b, ct_workspace *workspace);

/* Runs the algorithm and proves its answer. */
static inline proof_answer prove_by(proof_pair_query query_pair, const pair_case *c,
                                    ct_workspace *workspace, long index, proof_tally *t) {
  ct_frame fa = ct_frame_of(c->a.pose), fb = ct_frame_of(c->b.pose);
  proof_answer answer =
      query_pair((ct_placed){&c->a.shape, &fa}, (ct_placed){&c->b.shape, &fb}, workspace);
  proof_of(c, &answer, index, t);
  return answer;
}

static inline proof_answer prove(const pair_case *c, ct_workspace *workspace, long index,
                                 proof_tally *t) {
  return prove_by(proof_query_pair, c, workspace, index, t);
}

static inline proof_tally proof_begin(void) {
  return (proof_tally){.outside = -INFINITY, .points = -INFINITY};
}

/* Prints one line, and checks the share of answers whose status is not ok. */
static inline void proof_end(const char *name, const proof_tally *t, double share) {
  printf("%-26s %9ld pairs, %8ld overlap, %7ld within %g u of touching, %5ld not ok; worst: "
         "bracket %.1e, planes %.1e and points "
         "%.1e of the "
         "size, planes beyond the upper bound by %.3g u, points outside by %.3g u",
         name, t->pairs, t->overlap, t->unsure, PROOF_BAND, t->flagged, t->width, t->value,
         t->above, t->outside, t->points);
  if (t->known) printf(", %.3g u off %ld known distances", t->wanted, t->known);
  printf("\n");
  if ((double)t->flagged > share * (double)t->pairs + 1.0)
    CHECK_FAIL("%s: %ld of %ld answers are not ok", name, t->flagged, t->pairs);
}

typedef struct proof_plan {
  const char *name;
  pair_family family;
  long quick, full;
  bool at_contact;
  double flagged;              /* permitted share of answers that are not ok; 0: PROOF_FLAGGED */
  proof_pair_query query_pair; /* NULL: proof_query_pair */
} proof_plan;

/* The number of cases: `quick`, or with CONTACTD_FULL=1 `full`. */
static inline long proof_count(long quick, long full) {
  return getenv("CONTACTD_FULL") ? full : quick;
}

static inline void proof_run(const proof_plan *plan) {
  static const double gaps[] = {0.0, 0x1p-53, -0x1p-53, 0x1p-40, -0x1p-40, 1e-9, -1e-9};
  long count = proof_count(plan->quick, plan->full);
  check_random r = {0xb00b5eedu + (uint64_t)count};
  ct_workspace *workspace = ct_workspace_create();
  case_kind_count = sizeof case_kinds / sizeof *case_kinds;
  proof_tally t = proof_begin();
  for (long i = 0; i < count && check_failures < 10; i++) {
    pair_case c;
    c.known = false;
    plan->family(&c, &r);
    if (plan->at_contact) {
      bring_to_gap(&c, workspace, gaps[i % 7]);
      c.known = false;
    }
    prove_by(plan->query_pair ? plan->query_pair : proof_query_pair, &c, workspace, i, &t);
    case_release(&c);
  }
  proof_end(plan->name, &t, plan->flagged > 0.0 ? plan->flagged : PROOF_FLAGGED);
  ct_workspace_destroy(workspace);
}

#endif
