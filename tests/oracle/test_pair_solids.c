/* Prisms and domes of 500 to 10,000 sides (2,000 against boxes) against balls, capsules and boxes:
 * coaxial, concentric, contained, touching. Many faces are then equally near up to round-off, where
 * a search may drift or exhaust its iterations. */
#include "tests/oracle/pair_cases.h"
#include "tests/oracle/solid_oracle.h"

/* As in test_pair_brute.c, in units of u (L + |distance|). */
#define LIMIT 24.0
/* test_pair_brute.c permits 832; the engine's extent of a dome, whose centroid is off its origin,
 * is up to a fifth more than its reach. */
#define WIDTH_LIMIT 1000.0

typedef enum placing {
  CONCENTRIC,
  COAXIAL,
  NEARLY_COAXIAL,
  CONTAINED,
  TOUCHING,
  APART,
  PLACINGS
} placing;

typedef struct worst {
  double distance, outside, width, points;
  int pairs, overlap;
} worst;

typedef struct subject {
  solid solid;
  pair_body body;
  double reach; /* of its farthest point from the origin */
} subject;

static void make_subject(subject *s, bool dome, int sides) {
  static const double radius[] = {1.0, 0.9659, 0.8660, 0.6}, height[] = {-0.2, 0.0588, 0.3, 0.6},
                      tip = 0.8;
  static const double even[] = {1.0, 1.0}, ends[] = {-1.5, 1.5};
  s->solid = dome ? solid_lathe(sides / 4, 4, radius, height, &tip)
                  : solid_lathe(sides, 2, even, ends, NULL);
  const ct_hull *hull = hull_of(s->solid.points, s->solid.count);
  CHECK(hull != NULL);
  s->body = (pair_body){.shape = {.kind = CT_KIND_CONVEX, .hull = hull}};
  s->reach = 0.0;
  for (int i = 0; i < s->solid.count; i++)
    s->reach = ct_max2(s->reach, ct_norm(s->solid.points[i]));
}

static void free_subject(subject *s) {
  solid_free(&s->solid);
  ct_hull_release(s->body.shape.hull);
}

/* Ball, capsule, tapered capsule, box: small enough to fit inside. */
static pair_body make_small(int form, check_random *r) {
  pair_body b = {.shape = {.kind = form == 0   ? CT_KIND_SPHERE
                                   : form == 3 ? CT_KIND_BOX
                                               : CT_KIND_CAPSULE}};
  double size = check_uniform(r, 0.05, 0.2);
  if (form == 0) b.shape.sphere.radius = size;
  if (form == 3) b.shape.box.half = ct_vec(size, size, 1.5 * size);
  if (form == 1 || form == 2) {
    b.shape.capsule.half_length = check_uniform(r, 0.1, 0.3);
    b.shape.capsule.radius_bottom = size;
    b.shape.capsule.radius_top = form == 2 ? 0.5 * size : size;
  }
  return b;
}

static void place(pair_case *c, placing how, check_random *r) {
  ct_vec3 local = {0.0, 0.0, 0.0};
  ct_quat turn = ct_quat_identity();
  c->a.pose.rotation = pick(r, 2) ? ct_quat_identity() : random_rotation(r);
  c->a.pose.position = pick(r, 2) ? ct_vec(0, 0, 0) : random_vec(r, 1.0);
  /* Off the axis by 1 u to 1e5 u, so that neighbouring faces are equally near up to round-off and
   * far ones are not; angles up to 1e-3. */
  double tiny = pow(10.0, -15.7 + (how == COAXIAL ? 5.0 : 12.0) * check_uniform(r, 0, 1)),
         phase = check_uniform(r, 0, 6.28);
  if (how == COAXIAL || how == NEARLY_COAXIAL)
    local = ct_vec(tiny * cos(phase), tiny * sin(phase), 0.01);
  if (how == NEARLY_COAXIAL) turn = (ct_quat){0.5 * tiny * sin(phase), 0.25 * tiny, 0.0, 1.0};
  if (how == CONTAINED) local = random_vec(r, 0.3);
  if (how == CONTAINED || how == TOUCHING || how == APART) turn = random_rotation(r);
  if (how == TOUCHING || how == APART) local = random_vec(r, 1.5);
  if (how == APART) local.x += 3.0;
  c->b.pose.rotation = ct_quat_mul(c->a.pose.rotation, turn);
  c->b.pose.position =
      ct_add(c->a.pose.position, ct_mat_mul(ct_quat_matrix(c->a.pose.rotation), local));
}

static oracle_body inside_solid(const pair_case *c) {
  oracle_body b = oracle_of(&c->b.shape, &c->b.pose, NULL, 0);
  oracle_into(&b, &c->a.pose);
  return b;
}

static double point_to_solid(const subject *s, const pair_case *c, ct_vec3 p) {
  oracle_body point = {.balls = 1};
  point.exact[0] = (oracle_wide){p.x, p.y, p.z};
  oracle_into(&point, &c->a.pose);
  return (double)solid_distance(&s->solid, &point);
}

static void expect(double *record, double error, double limit, const char *what) {
  *record = ct_max2(*record, error);
  if (!(error <= limit)) CHECK_FAIL("%s off by %g units", what, error);
}

static void judge(const subject *s, const pair_case *c, ct_workspace *workspace, worst *w) {
  ct_frame fa = ct_frame_of(c->a.pose), fb = ct_frame_of(c->b.pose);
  const ct_pair_options options = {.tolerance = 0.0, .threshold = INFINITY};
  ct_placed pa = {&c->a.shape, &fa}, pb = {&c->b.shape, &fb};
  ct_pair_result p;
  ct_pair_distance(pa, pb, &options, workspace, &p);
  oracle_body b = inside_solid(c);
  double truth = (double)solid_distance(&s->solid, &b), radius,
         far = 4.0 * ct_max2(ct_norm(fa.position), ct_norm(fb.position));
  ct_vec3 center;
  ct_shape_ball(&c->b.shape, &center, &radius);
  double unit = 0x1p-53 * (s->reach + radius + fabs(truth)), unit_far = unit + 0x1p-53 * far;
  w->pairs++;
  w->overlap += truth < 0.0;
  expect(&w->outside, ct_max2(p.lower_bound - truth, truth - p.upper_bound) / unit, 0.0, "bracket");
  CHECK(p.lower_bound <= p.distance && p.distance <= p.upper_bound);
  CHECK(ct_pair_overlap(pa, pb, workspace, NULL) == (p.distance <= 0.0));
  CHECK_INT(p.status, CT_PAIR_OK);
  expect(&w->distance, fabs(p.distance - truth) / unit, LIMIT, "distance");
  expect(&w->width, (p.upper_bound - p.lower_bound) / unit, WIDTH_LIMIT, "width of bracket");
  ct_vec3 gap = ct_sub(ct_sub(p.point_b, p.point_a), ct_scale(p.normal, p.distance));
  expect(&w->points, ct_norm(gap) / unit_far, 4.0 * LIMIT, "gap between points");
  if (s->solid.count <= 1000)
    expect(&w->points, fabs(point_to_solid(s, c, p.point_a)) / unit_far, 2.0 * LIMIT,
           "point on the solid");
}

static void run(bool dome, int form) {
  check_random r = {0x501d + (uint64_t)form * 2 + dome};
  ct_workspace *workspace = ct_workspace_create();
  worst w = {.outside = -INFINITY};
  static const int sizes[] = {500, 2000, 10000}, repeats[] = {8, 1, 1};
  static const double gaps[] = {0.0, 1e-14, -1e-14, 1e-9, -1e-9, 1e-3, -1e-3};
  for (int i = 0; i < (form == 3 ? 2 : 3); i++) {
    subject s;
    make_subject(&s, dome, sizes[i]);
    for (int k = 0; k < repeats[i] * PLACINGS; k++) {
      pair_case c = {.a = s.body, .b = make_small(form, &r)};
      place(&c, (placing)(k % PLACINGS), &r);
      if (k % PLACINGS == TOUCHING) bring_to_gap(&c, workspace, gaps[pick(&r, 7)]);
      judge(&s, &c, workspace, &w);
    }
    free_subject(&s);
  }
  printf("%s, form %d: %d pairs, %d overlap; worst: distance %.1f truth outside by %.1f width %.1f "
         "points %.1f units\n",
         dome ? "dome" : "prism", form, w.pairs, w.overlap, w.distance, w.outside, w.width,
         w.points);
  ct_workspace_destroy(workspace);
}

/* Slightly off the axis, each face is as near as the next up to round-off, but the far side is
 * not. */
static void chain_of_nearly_equal_faces_leads_to_no_other_depth(void) {
  check_random r = {0xc4a1};
  ct_workspace *workspace = ct_workspace_create();
  worst w = {.outside = -INFINITY};
  static const int sizes[] = {2000, 10000}, cases[] = {40, 6};
  for (int i = 0; i < 2; i++) {
    subject s;
    make_subject(&s, false, sizes[i]);
    for (int k = 0; k < cases[i]; k++) {
      pair_case c = {.a = s.body, .b = make_small(2, &r)};
      place(&c, COAXIAL, &r);
      judge(&s, &c, workspace, &w);
    }
    free_subject(&s);
  }
  ct_workspace_destroy(workspace);
}

static void prisms_and_balls(void) { run(false, 0); }
static void prisms_and_capsules(void) { run(false, 1); }
static void prisms_and_tapered_capsules(void) { run(false, 2); }
static void prisms_and_boxes(void) { run(false, 3); }
static void domes_and_balls(void) { run(true, 0); }
static void domes_and_capsules(void) { run(true, 1); }
static void domes_and_tapered_capsules(void) { run(true, 2); }
static void domes_and_boxes(void) { run(true, 3); }

static const check_test tests[] = {
    {"chain_of_nearly_equal_faces_leads_to_no_other_depth",
     chain_of_nearly_equal_faces_leads_to_no_other_depth},
    {"prisms_and_balls", prisms_and_balls},
    {"prisms_and_capsules", prisms_and_capsules},
    {"prisms_and_tapered_capsules", prisms_and_tapered_capsules},
    {"prisms_and_boxes", prisms_and_boxes},
    {"domes_and_balls", domes_and_balls},
    {"domes_and_capsules", domes_and_capsules},
    {"domes_and_tapered_capsules", domes_and_tapered_capsules},
    {"domes_and_boxes", domes_and_boxes},
};

CHECK_MAIN(tests)
