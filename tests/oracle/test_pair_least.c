/* Depths are minimal. Along every direction the supporting planes of two bodies give a translation
 * that separates them, so none of many directions may give a shorter one than the answer.
 * Directions: a grid over the sphere, the bodies' axes and their cross products, and normals of
 * hull faces. The search climbs from the best of them and from the answer's own normal. All in long
 * double, for bodies of every convex kind.
 *
 * The opposite bound, that the answer's own planes are as far apart as it says, is verified by
 * pair_proof.h. CONTACTD_FULL=1 for the full numbers. */
#include "tests/oracle/pair_families.h"
#include "tests/oracle/pair_proof.h"

/* Permitted excess of a depth over the search's best, relative to the size: polytopes and round
 * bodies are solved to round-off, curved ones are promised to 1e-8. Bounds are certified: the
 * search finds nothing beyond them. */
#define MISSED_SHARP 1e-14
#define MISSED_CURVED 1e-8

/* Required share of depths that the search reaches by itself: a search that finds nothing proves
 * nothing. */
#define REACHED 0.5

#define SPREAD 40
#define CLIMBS 3
#define CLIMB_ROUNDS 48

typedef struct climber {
  const pair_case *c;
  ct_vec3 at[CLIMBS];
  long double value[CLIMBS]; /* descending */
} climber;

static ct_vec3 unit_of(oracle_vec v) {
  long double n = oracle_norm(v);
  return ct_vec((double)(v.x / n), (double)(v.y / n), (double)(v.z / n));
}

/* Records a direction if it is among the best. */
static void try_way(climber *k, ct_vec3 n) {
  if (!(ct_norm2(n) > 0.0)) return;
  n = ct_unit_or(n, n);
  long double value = kind_gap(k->c, n);
  int i = CLIMBS - 1;
  if (value <= k->value[i]) return;
  for (int j = 0; j < CLIMBS; j++)
    if (k->value[j] > -INFINITY && ct_dot(k->at[j], n) > 0.999) {
      if (value <= k->value[j]) return;
      i = j;
    }
  for (; i > 0 && k->value[i - 1] < value; i--) {
    k->value[i] = k->value[i - 1];
    k->at[i] = k->at[i - 1];
  }
  k->value[i] = value;
  k->at[i] = n;
}

static void try_both(climber *k, ct_vec3 n) {
  try_way(k, n);
  try_way(k, ct_neg(n));
}

/* Compass search: the step doubles after an improvement and shrinks otherwise. */
static long double climb(const pair_case *c, ct_vec3 n, long double step) {
  long double best = kind_gap(c, n);
  for (int round = 0; round < CLIMB_ROUNDS && step > 1e-10L; round++) {
    oracle_vec from = {n.x, n.y, n.z},
               e = fabs(n.x) < 0.6 ? (oracle_vec){1, 0, 0} : (oracle_vec){0, 1, 0};
    oracle_vec t = oracle_cross(from, e), u = oracle_cross(from, t);
    bool better = false;
    for (int i = 0; i < 8 && !better; i++) {
      static const double way[8][2] = {{1, 0},     {-1, 0},     {0, 1},      {0, -1},
                                       {0.7, 0.7}, {-0.7, 0.7}, {0.7, -0.7}, {-0.7, -0.7}};
      ct_vec3 next = unit_of(oracle_mix(from, 1, oracle_mix(t, way[i][0], u, way[i][1]), step));
      long double value = kind_gap(c, next);
      if (value <= best) continue;
      best = value;
      n = next;
      better = true;
    }
    step *= better ? 1.5L : 0.4L;
  }
  return best;
}

static void try_faces(climber *k, const pair_body *b, double sense) {
  if (b->shape.kind != CT_KIND_CONVEX) return;
  const ct_hull_view *h = ct_hull_get(b->shape.hull);
  ct_mat3 m = ct_quat_matrix(b->pose.rotation);
  for (uint32_t f = 0; f < h->face_count && f < 64; f++)
    try_way(k, ct_scale(ct_mat_mul(m, ct_vec(h->nx[f], h->ny[f], h->nz[f])), sense));
}

/* The greatest signed distance over all directions, without use of the answer. */
static long double search(const pair_case *c, check_random *r) {
  climber k = {.c = c, .value = {-INFINITY, -INFINITY, -INFINITY}};
  ct_mat3 m = ct_quat_matrix(c->a.pose.rotation), w = ct_quat_matrix(c->b.pose.rotation),
          turn = ct_quat_matrix(random_rotation(r));
  ct_vec3 axis[6];
  for (int i = 0; i < 3; i++) {
    ct_vec3 e = {i == 0, i == 1, i == 2};
    axis[i] = ct_mat_mul(m, e);
    axis[3 + i] = ct_mat_mul(w, e);
  }
  for (int i = 0; i < 6; i++) try_both(&k, axis[i]);
  for (int i = 0; i < 3; i++)
    for (int j = 3; j < 6; j++) try_both(&k, ct_cross(axis[i], axis[j]));
  try_faces(&k, &c->a, 1.0);
  try_faces(&k, &c->b, -1.0);
  try_both(&k, ct_sub(c->b.pose.position, c->a.pose.position));
  for (int i = 0; i < SPREAD; i++) {
    double z = 1.0 - (2.0 * i + 1.0) / SPREAD, ring = sqrt(1.0 - z * z),
           phi = 2.39996322972865332 * i;
    try_way(&k, ct_mat_mul(turn, ct_vec(ring * cos(phi), ring * sin(phi), z)));
  }
  long double best = -INFINITY;
  for (int i = 0; i < CLIMBS; i++)
    if (k.value[i] > -INFINITY) best = kind_greater(best, climb(c, k.at[i], 0.1L));
  return best;
}

static bool is_curved(const pair_body *b) {
  ct_kind kind = b->shape.kind;
  return kind == CT_KIND_CYLINDER || kind == CT_KIND_CONE || kind == CT_KIND_ELLIPSOID;
}

typedef struct least_tally {
  long searched, better, reached; /* better: by more than 1e-10 of the size; reached: the search
                                     alone came within 1e-6 of the answer */
  double sharp, curved;           /* worst excess, relative to the size */
} least_tally;

static void look_for_less(const pair_case *c, const ct_pair_result *p, long index, check_random *r,
                          least_tally *t) {
  double size = 0x1p53 * proof_unit(c, p);
  bool curved = is_curved(&c->a) || is_curved(&c->b);
  long double found = search(c, r);
  t->reached += (double)found > p->distance - 1e-6 * size;
  found = kind_greater(found, climb(c, p->normal, 1e-3L));
  double less = (double)(found - p->distance) / size, *worst = curved ? &t->curved : &t->sharp;
  t->searched++;
  t->better += less > 1e-10;
  *worst = ct_max2(*worst, less);
  if ((double)found > p->upper_bound)
    proof_blame(c, index, "a direction shows less than the least depth", less);
  if (p->status == CT_PAIR_OK && less > (curved ? MISSED_CURVED : MISSED_SHARP))
    proof_blame(c, index, "a direction shows less depth", less);
}

/* Runs until `count` overlapping pairs have been searched. */
static void run(const char *name, pair_family family, long count) {
  check_random r = {0x1ea57ull + (uint64_t)count};
  ct_workspace *workspace = ct_workspace_create();
  case_kind_count = sizeof case_kinds / sizeof *case_kinds;
  proof_tally ignored = proof_begin();
  least_tally t = {0};
  for (long i = 0; t.searched < count && i < 50 * count && check_failures < 10; i++) {
    pair_case c;
    c.known = false;
    family(&c, &r);
    proof_answer answer = prove(&c, workspace, i, &ignored);
    if (answer.r.distance < 0.0) look_for_less(&c, &answer.r, i, &r, &t);
    case_release(&c);
  }
  printf("%-16s %8ld depths searched, %ld of them less by more than 1e-10 of the size; at most "
         "%.1e (sharp and round), %.1e "
         "(curved); %.2f %% reached without the answer\n",
         name, t.searched, t.better, t.sharp, t.curved,
         100.0 * (double)t.reached / (double)t.searched);
  CHECK_INT(t.searched, count);
  CHECK((double)t.reached > REACHED * (double)t.searched);
  ct_workspace_destroy(workspace);
}

static void random_depths(void) { run("random", family_random, proof_count(1500, 300000)); }
static void depths_of_unlike_sizes(void) {
  run("unlike sizes", family_scales, proof_count(400, 50000));
}
static void depths_on_a_grid(void) { run("grid", family_grid, proof_count(800, 100000)); }
static void concentric_depths(void) {
  run("concentric", family_concentric, proof_count(800, 100000));
}
static void thin_depths(void) { run("thin", family_thin, proof_count(800, 100000)); }
static void nearly_parallel_depths(void) {
  run("nearly parallel", family_nearly_parallel, proof_count(800, 100000));
}
static void depths_of_prisms(void) { run("prisms", family_prisms, proof_count(100, 5000)); }
static void depths_of_clouds(void) { run("clouds", family_clouds, proof_count(200, 20000)); }
static void depths_of_slivers(void) { run("slivers", family_slivers, proof_count(200, 20000)); }
static void depths_of_rounded_boxes(void) {
  run("rounded boxes", family_rounded_boxes, proof_count(200, 20000));
}
static void depths_of_extremes(void) { run("extremes", family_extremes, proof_count(400, 50000)); }

static const check_test tests[] = {
    {"random_depths", random_depths},
    {"depths_of_unlike_sizes", depths_of_unlike_sizes},
    {"depths_on_a_grid", depths_on_a_grid},
    {"concentric_depths", concentric_depths},
    {"thin_depths", thin_depths},
    {"nearly_parallel_depths", nearly_parallel_depths},
    {"depths_of_prisms", depths_of_prisms},
    {"depths_of_clouds", depths_of_clouds},
    {"depths_of_slivers", depths_of_slivers},
    {"depths_of_rounded_boxes", depths_of_rounded_boxes},
    {"depths_of_extremes", depths_of_extremes},
};

CHECK_MAIN(tests)
