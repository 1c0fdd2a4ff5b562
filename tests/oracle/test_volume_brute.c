/* Common solids of random polyhedra against plain clipping in long double, by both methods. Row 18:
 * volume of the intersection. Row 9: sums over random surfaces. */
#include "tests/oracle/volume_cases.h"
#include "tests/oracle/volume_oracle.h"

#include <contact/volume.h>

#include <string.h>

enum { CASES = 3000, CASES_FULL = 100000 };

/* Round-off of a corner is about 16 u of the coordinates, that of a sum follows its terms;
 * permitted with a margin of about 8. */
#define LENGTH_ERROR 1e-13

typedef struct worst {
  double volume, area, position, sum, square;
  int met, apart;
} worst;

static void take(double *most, double error) { *most = ct_max2(*most, error); }

static double difference(ct_vec3 v, const real truth[3]) {
  return ct_norm(ct_vec(v.x - (double)truth[0], v.y - (double)truth[1], v.z - (double)truth[2]));
}

/* The contact's normal times the length of the oracle's area sum, against that sum. */
static double normal_error(const ct_volume_contact *c, const real sum[2][3]) {
  real n[3];
  for (int k = 0; k < 3; k++) n[k] = sum[0][k] - sum[1][k];
  double length = (double)sqrtl(oracle_dot(n, n));
  return c->flags & CT_VOLUME_FLAG_NORMAL_FALLBACK ? 0.0
                                                   : difference(ct_scale(c->normal, length), n);
}

static bool run_query(const volume_case *c, ct_volume_options options, ct_workspace *workspace,
                      ct_volume_contact *out) {
  ct_frame fa = ct_frame_of(c->pose_a), fb = ct_frame_of(c->pose_b);
  ct_volume v;
  ct_pair_volume((ct_placed){&c->a, &fa}, (ct_placed){&c->b, &fb}, &options, workspace, &v);
  CHECK(!v.failed && v.count <= 1 && v.status == CT_PAIR_OK);
  if (v.count != 1) return false;
  *out = v.contacts[0];
  CHECK_INT(out->status, CT_PAIR_OK);
  CHECK(out->margin > 0.0 && out->volume > 0.0);
  return true;
}

static void compare(const volume_case *c, ct_volume_method method, ct_workspace *workspace,
                    worst *w) {
  static oracle_body a, b;
  ct_frame fa = ct_frame_of(c->pose_a), fb = ct_frame_of(c->pose_b);
  oracle_place(&c->a, &fa, &a);
  oracle_place(&c->b, &fb, &b);
  oracle_sum truth = oracle_common(&a, &b);
  ct_volume_contact linear, faces;
  /* The oracle rounds bodies in the world, the engine does not: surfaces move by a few u of 5 m. */
  if (!run_query(c, (ct_volume_options){.method = method}, workspace, &linear)) {
    w->apart++;
    CHECK(truth.volume <= 2e-14L * (truth.surface + 1e-14L));
    return;
  }
  w->met++;
  if (!run_query(c, (ct_volume_options){.method = method, .weighting = CT_WEIGHTING_SQUARED_FACE},
                 workspace, &faces)) {
    CHECK_FAIL("no contact by the other weighting");
    return;
  }
  double surface = (double)truth.surface, size = sqrt(surface) + 0.1;
  real centre[3];
  for (int k = 0; k < 3; k++) centre[k] = truth.moment[k] / truth.surface;
  take(&w->volume, fabs(linear.volume - (double)truth.volume) / (LENGTH_ERROR * surface));
  take(&w->area, fabs(2.0 * linear.area - surface) / (LENGTH_ERROR * size * 1e3));
  take(&w->position,
       difference(linear.position, centre) * surface / (LENGTH_ERROR * size * size * 1e3));
  take(&w->sum, normal_error(&linear, (const real(*)[3])truth.area) / (LENGTH_ERROR * size * 10));
  take(&w->square, normal_error(&faces, (const real(*)[3])truth.square) /
                       (LENGTH_ERROR * size * surface * 1e3));
}

static void run(ct_volume_method method, int cases) {
  check_random r = {2026};
  ct_workspace *workspace = ct_workspace_create();
  worst w = {0};
  for (int i = 0; i < cases; i++) {
    volume_case c = random_case(&r);
    compare(&c, method, workspace, &w);
    release_case(&c);
  }
  printf("%d met, %d apart (%s), in parts of what is allowed: volume %.2g area %.2g position %.2g "
         "linear %.2g squaredFace %.2g\n",
         w.met, w.apart, ct_volume_method_word(method), w.volume, w.area, w.position, w.sum,
         w.square);
  CHECK(w.met > cases / 3 && w.apart > cases / 50);
  CHECK(w.volume <= 1.0);
  CHECK(w.area <= 1.0);
  CHECK(w.position <= 1.0);
  CHECK(w.sum <= 1.0);
  CHECK(w.square <= 1.0);
  ct_workspace_destroy(workspace);
}

static int case_count(void) { return getenv("CONTACTD_FULL") ? CASES_FULL : CASES; }

static void common_volumes_of_random_polyhedra_agree_with_clipping(void) {
  run(CT_VOLUME_AUTO, case_count());
}
static void the_dual_hull_finds_the_same(void) { run(CT_VOLUME_DUAL_HULL, case_count() / 3); }

/* Integer boxes, rotated by quarter turns, share many planes; the common box, its areas and its
 * normal are known in closed form. */
static void boxes_of_whole_numbers_share_planes_exactly(void) {
  check_random r = {7};
  ct_workspace *workspace = ct_workspace_create();
  static const ct_quat quarters[4] = {
      {0, 0, 0, 1}, {0, 0, 1, 1}, {1, 0, 0, 1}, {0.5, 0.5, 0.5, 0.5}};
  for (int i = 0; i < 2000; i++) {
    double low[2][3], high[2][3];
    for (int s = 0; s < 2; s++)
      for (int k = 0; k < 3; k++) {
        low[s][k] = (double)(check_next(&r) % 6);
        high[s][k] = low[s][k] + 1.0 + (double)(check_next(&r) % 5);
      }
    volume_case c;
    ct_pose *pose[2] = {&c.pose_a, &c.pose_b};
    ct_shape *shape[2] = {&c.a, &c.b};
    for (int s = 0; s < 2; s++) {
      ct_vec3 half = {(high[s][0] - low[s][0]) / 2, (high[s][1] - low[s][1]) / 2,
                      (high[s][2] - low[s][2]) / 2};
      ct_quat q = quarters[check_next(&r) % 4];
      ct_mat3 turn = ct_quat_matrix(q);
      ct_vec3 own = ct_mat_tmul(turn, half);
      *shape[s] = box(fabs(own.x), fabs(own.y), fabs(own.z));
      *pose[s] = (ct_pose){{(high[s][0] + low[s][0]) / 2, (high[s][1] + low[s][1]) / 2,
                            (high[s][2] + low[s][2]) / 2},
                           q};
    }
    double side[3], n[3], volume = 1.0;
    bool meet = true, shared = false;
    for (int k = 0; k < 3; k++) {
      side[k] = ct_min2(high[0][k], high[1][k]) - ct_max2(low[0][k], low[1][k]);
      meet = meet && side[k] > 0.0;
      volume *= side[k];
      shared = shared || high[0][k] == high[1][k] || low[0][k] == low[1][k];
    }
    ct_volume_contact found;
    bool contact = run_query(&c, (ct_volume_options){0}, workspace, &found);
    CHECK_INT(contact, meet);
    if (!contact || !meet) continue;
    double length = 0.0;
    for (int k = 0; k < 3; k++) {
      double face = volume / side[k];
      /* +: the upper face is a's alone, or the lower one b's alone. */
      n[k] = face * ((high[0][k] < high[1][k]) - (high[1][k] < high[0][k]) +
                     (low[1][k] > low[0][k]) - (low[0][k] > low[1][k]));
      length += n[k] * n[k];
    }
    CHECK_NEAR(found.volume, volume, 1e-13 * volume);
    CHECK_NEAR(found.area, volume / side[0] + volume / side[1] + volume / side[2], 1e-12);
    CHECK_INT(!!(found.flags & CT_VOLUME_FLAG_SHARED_FACES), shared);
    CHECK_INT(!!(found.flags & CT_VOLUME_FLAG_NORMAL_FALLBACK), length == 0.0);
    length = sqrt(length);
    if (length > 0.0)
      CHECK(ct_norm(ct_sub(found.normal, ct_vec(n[0] / length, n[1] / length, n[2] / length))) <=
            1e-13);
  }
  ct_workspace_destroy(workspace);
}

static const check_test tests[] = {
    {"common_volumes_of_random_polyhedra_agree_with_clipping",
     common_volumes_of_random_polyhedra_agree_with_clipping},
    {"the_dual_hull_finds_the_same", the_dual_hull_finds_the_same},
    {"boxes_of_whole_numbers_share_planes_exactly", boxes_of_whole_numbers_share_planes_exactly},
};
CHECK_MAIN(tests)
