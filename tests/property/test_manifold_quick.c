/* The fast path for two boxes, which runs on the stack if that is safe, against the general method
 * by outlines: the same features in the same order, at the same positions up to round-off. The two
 * implementations share no code, and outlines are checked against closed forms and solids
 * elsewhere. Swapped calls agree to the last bit. */
#include "tests/oracle/pair_cases.h"

#include <manifold/manifold.h>

#define PAIRS 20000

static void make_box(pair_body *b, check_random *r, double grid) {
  ct_vec3 half = uniform_vec(r, 0.2, 1.0);
  b->shape = (ct_shape){.kind = CT_KIND_BOX};
  b->shape.box.half = grid > 0.0 ? snap_vec(ct_add(half, ct_vec(grid, grid, grid)), grid) : half;
  b->pose = (ct_pose){.position = random_vec(r, 0.9), .rotation = random_rotation(r)};
}

/* Random boxes, some of them flat or thin. */
static void at_random(pair_case *c, check_random *r) {
  make_box(&c->a, r, 0.0);
  make_box(&c->b, r, 0.0);
  if (pick(r, 4) == 0) c->b.shape.box.half.x *= pow(10.0, -(double)pick(r, 6));
}

/* Sizes and positions on a grid, rotated by multiples of 45 degrees. */
static void on_a_grid(pair_case *c, check_random *r) {
  double grid = pick(r, 2) ? 0.25 : 0.125;
  pair_body *both[2] = {&c->a, &c->b};
  for (int k = 0; k < 2; k++) {
    make_box(both[k], r, grid);
    both[k]->pose = (ct_pose){snap_vec(random_vec(r, 1.0), grid), special_rotation(r)};
  }
}

/* One box on the other, rotated about the vertical and tilted by zero to a tenth. */
static void stacked(pair_case *c, check_random *r) {
  make_box(&c->a, r, 0.0);
  make_box(&c->b, r, 0.0);
  double turn = check_uniform(r, -1.0, 1.0),
         sink = pick(r, 2) ? 0.0 : pow(10.0, -(double)(1 + pick(r, 10)));
  ct_vec3 lean =
      pick(r, 2) ? ct_vec(0.0, 0.0, 0.0) : random_vec(r, pow(10.0, -1.0 - (double)pick(r, 10)));
  c->a.pose = (ct_pose){{0.0, 0.0, 0.0}, ct_quat_identity()};
  c->b.pose.rotation = (ct_quat){lean.x, lean.y, turn, 1.0};
  double up = c->a.shape.box.half.z + c->b.shape.box.half.z - sink;
  c->b.pose.position = ct_vec(check_uniform(r, -0.8, 0.8), check_uniform(r, -0.8, 0.8), up);
  if (pick(r, 2) == 0) return;
  ct_quat q = random_rotation(r);
  c->a.pose.rotation = q;
  c->b.pose.rotation = ct_quat_mul(q, c->b.pose.rotation);
  c->b.pose.position = ct_mat_mul(ct_quat_matrix(q), c->b.pose.position);
}

static void touching(pair_case *c, check_random *r, ct_workspace *workspace) {
  static const double gaps[] = {0.0, 1e-12, -1e-12, 1e-9, -1e-6, 1e-3};
  at_random(c, r);
  bring_to_gap(c, workspace, gaps[pick(r, 6)]);
}

/* A copy of a manifold that survives other uses of the workspace. */
typedef struct kept {
  ct_contact_point points[32];
  size_t count;
} kept;

static kept copy_of(const ct_manifold *m) {
  kept k = {.count = m->count};
  CHECK(m->count <= 32 && !m->failed);
  for (size_t i = 0; i < m->count && i < 32; i++) k.points[i] = m->points[i];
  return k;
}

static bool same(ct_vec3 a, ct_vec3 b) { return memcmp(&a, &b, sizeof a) == 0; }
static bool same_feature(ct_feature a, ct_feature b) {
  return a.kind == b.kind && a.index == b.index;
}

static bool same_names(const ct_contact_point *p, const ct_contact_point *q) {
  return same_feature(p->a, q->a) && same_feature(p->b, q->b) && p->patch == q->patch &&
         p->number == q->number;
}

static bool same_point(const ct_contact_point *p, const ct_contact_point *q) {
  return same_names(p, q) && same(p->point_a, q->point_a) && same(p->point_b, q->point_b) &&
         same(p->normal, q->normal) && p->distance == q->distance;
}

/* Corners agree to a few u of the size. Crossings move along edges by that amount over the sine
 * between the edges: up to a thousand times more. */
#define CORNER_ROUNDOFFS 16.0
#define SINE_MIN 1e-3

static double size_of(const pair_case *c) {
  return ct_norm(c->a.shape.box.half) + ct_norm(c->b.shape.box.half) + ct_norm(c->a.pose.position) +
         ct_norm(c->b.pose.position);
}

static bool like_point(const ct_contact_point *p, const ct_contact_point *q, double size) {
  bool crossing = p->a.kind == CT_FEATURE_EDGE && p->b.kind == CT_FEATURE_EDGE;
  double near = CORNER_ROUNDOFFS * CT_UNIT_ROUNDOFF * size / (crossing ? SINE_MIN : 1.0);
  return same_names(p, q) && same(p->normal, q->normal) &&
         ct_max_abs(ct_sub(p->point_a, q->point_a)) <= near &&
         ct_max_abs(ct_sub(p->point_b, q->point_b)) <= near &&
         fabs(p->distance - q->distance) <= near;
}

/* Distance of a point outside a box, as the maximum over the axes; negative inside. */
static double outside(const pair_body *body, ct_vec3 at) {
  ct_frame frame = ct_frame_of(body->pose);
  ct_vec3 p = ct_to_local(frame, at), h = body->shape.box.half;
  return fmax(fmax(fabs(p.x) - h.x, fabs(p.y) - h.y), fabs(p.z) - h.z);
}

/* Distance of a point from a feature of a box: a face, an edge or a vertex is at the end of one,
 * two or three axes. */
static double off_feature(const pair_body *body, ct_feature f, ct_vec3 at) {
  ct_vec3 p = ct_to_local(ct_frame_of(body->pose), at), h = body->shape.box.half;
  const double place[3] = {p.x, p.y, p.z}, half[3] = {h.x, h.y, h.z};
  double sign[3] = {0.0, 0.0, 0.0}, off = 0.0;
  if (f.kind == CT_FEATURE_FACE) sign[f.index / 2] = f.index % 2 ? 1.0 : -1.0;
  for (uint32_t i = 0, bit = 0; i < 3; i++) {
    if (f.kind == CT_FEATURE_VERTEX) sign[i] = f.index >> i & 1 ? 1.0 : -1.0;
    if (f.kind == CT_FEATURE_EDGE && i != f.index / 4) sign[i] = f.index >> bit++ & 1 ? 1.0 : -1.0;
    if (sign[i] != 0.0) off = fmax(off, fabs(place[i] - sign[i] * half[i]));
  }
  return off;
}

/* Ties as specified in manifold.h: positions that differ by less than this fraction of the smaller
 * box are equal, and crossings nearer to a corner than twice that fraction are the corner. A point
 * is therefore on its features, and within the boxes, to two ties instead of to round-off. The
 * choice of features is compared with the general method. */
#define TIE 1e-6

/* Invariants of every point of either method: on its features, within the boxes, and the two points
 * on one normal. */
static bool stands(const pair_case *c, const ct_contact_point *p, double size) {
  bool crossing = p->a.kind == CT_FEATURE_EDGE && p->b.kind == CT_FEATURE_EDGE;
  double roundoff = CORNER_ROUNDOFFS * CT_UNIT_ROUNDOFF * size,
         near = crossing ? roundoff / SINE_MIN : roundoff;
  double tie = near + 2.0 * TIE * fmin(ct_norm(c->a.shape.box.half), ct_norm(c->b.shape.box.half));
  double gap = ct_max_abs(ct_sub(ct_sub(p->point_b, p->point_a), ct_scale(p->normal, p->distance)));
  return outside(&c->a, p->point_a) <= tie && outside(&c->b, p->point_b) <= tie &&
         gap <= roundoff && off_feature(&c->a, p->a, p->point_a) <= tie &&
         off_feature(&c->b, p->b, p->point_b) <= tie;
}

static void check_pair(const pair_case *c, int number, const ct_contact_options *options,
                       ct_workspace *workspace) {
  ct_frame fa = ct_frame_of(c->a.pose), fb = ct_frame_of(c->b.pose);
  const ct_placed a = {&c->a.shape, &fa}, b = {&c->b.shape, &fb};
  ct_manifold m;
  ct_pair_contacts(a, b, options, workspace, &m);
  kept quick = copy_of(&m);
  ct_pair_contacts_by_supporting_faces(a, b, options, workspace, &m);
  kept slow = copy_of(&m);
  ct_pair_contacts(b, a, options, workspace, &m);
  kept turned = copy_of(&m);
  bool good = quick.count == slow.count && quick.count == turned.count;
  for (size_t i = 0; good && i < quick.count; i++) {
    ct_contact_point *t = &turned.points[i], mirrored = *t;
    mirrored.a = t->b;
    mirrored.b = t->a;
    mirrored.point_a = t->point_b;
    mirrored.point_b = t->point_a;
    mirrored.normal = ct_vec(0.0 - t->normal.x, 0.0 - t->normal.y, 0.0 - t->normal.z);
    good = like_point(&quick.points[i], &slow.points[i], size_of(c)) &&
           same_point(&quick.points[i], &mirrored);
    CHECK(c->a.shape.kind != CT_KIND_BOX || stands(c, &quick.points[i], size_of(c)));
  }
  if (!good)
    CHECK_FAIL("pair %d: %zu points, %zu by outlines, %zu swapped", number, quick.count, slow.count,
               turned.count);
}

static void points_of_boxes_are_those_of_the_general_method(void) {
  check_random r = {91};
  ct_workspace *workspace = ct_workspace_create();
  for (int i = 0; i < PAIRS; i++) {
    pair_case c = {0};
    if (i % 4 == 0) at_random(&c, &r);
    else if (i % 4 == 1) on_a_grid(&c, &r);
    else if (i % 4 == 2) stacked(&c, &r);
    else touching(&c, &r, workspace);
    ct_contact_options options = {pick(&r, 3)   ? 0.01
                                  : pick(&r, 2) ? 0.3
                                                : 0.0,
                                  0.0, CT_DETAIL_FULL};
    if (pick(&r, 2)) options.detail = CT_DETAIL_MANIFOLD;
    check_pair(&c, i, &options, workspace);
  }
  ct_workspace_destroy(workspace);
}

static void the_point_of_balls_is_that_of_the_general_method(void) {
  check_random r = {93};
  ct_workspace *workspace = ct_workspace_create();
  for (int i = 0; i < 3000; i++) {
    pair_case c = {0};
    pair_body *both[2] = {&c.a, &c.b};
    for (int k = 0; k < 2; k++) {
      make_body(both[k], CT_KIND_SPHERE, &r, 1.0, ct_vec(1, 1, 1));
      both[k]->pose = (ct_pose){random_vec(&r, 0.6), random_rotation(&r)};
      if (pick(&r, 3) == 0) both[k]->shape.margin = 0.1;
    }
    if (i % 5 == 0) c.b.pose = c.a.pose;
    if (i % 5 == 1) bring_to_gap(&c, workspace, 0.0);
    ct_contact_options options = {i % 2 ? 0.3 : 0.0, 0.0, CT_DETAIL_MANIFOLD};
    check_pair(&c, i, &options, workspace);
  }
  ct_workspace_destroy(workspace);
}

/* Required for the test to be meaningful: nearly all boxes in contact use the fast path. */
static void most_boxes_in_contact_are_answered_on_the_stack(void) {
  check_random r = {92};
  ct_workspace *workspace = ct_workspace_create();
  int met = 0, quick = 0;
  for (int i = 0; i < 4000; i++) {
    pair_case c = {0};
    if (i % 2) at_random(&c, &r);
    else stacked(&c, &r);
    ct_frame fa = ct_frame_of(c.a.pose), fb = ct_frame_of(c.b.pose);
    const ct_placed a = {&c.a.shape, &fa}, b = {&c.b.shape, &fb};
    ct_contact_options options = {0.01, 0.0, CT_DETAIL_FULL};
    ct_manifold m;
    ct_pair_contacts(a, b, &options, workspace, &m);
    if (m.count == 0) continue;
    met++;
    ct_supporting_face *outline = &ct_workspace_manifold(workspace)->outline[0];
    outline->tilt = -1.0;
    ct_pair_contacts(a, b, &options, workspace, &m);
    quick += outline->tilt == -1.0;
  }
  CHECK(met > 1000 && quick > met * 9 / 10);
  ct_workspace_destroy(workspace);
}

static const check_test tests[] = {
    {"points_of_boxes_are_those_of_the_general_method",
     points_of_boxes_are_those_of_the_general_method},
    {"the_point_of_balls_is_that_of_the_general_method",
     the_point_of_balls_is_that_of_the_general_method},
    {"most_boxes_in_contact_are_answered_on_the_stack",
     most_boxes_in_contact_are_answered_on_the_stack},
};

CHECK_MAIN(tests)
