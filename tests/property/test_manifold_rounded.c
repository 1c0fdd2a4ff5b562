/* Invariants of the contacts of rounded bodies: each point is on its body, no point is deeper than
 * the pair, and the first one is as deep as the pair, to a fraction of the size of the patch. */
#include "tests/oracle/pair_cases.h"
#include "tests/support/meshes.h"

#include <contact/manifold.h>

#define PAIRS 1500

/* Directions that differ by less are parallel for the outlines, rad, and hull faces at flatter
 * angles are one face: heights over them are off by half the square of the angle times the
 * radius. */
#define PARALLEL 1e-6
#define FLAT 1e-4
/* Depths that differ by less, as a fraction of the patch, are equal. Features then decide which
 * point is first, and by the rule in manifold.h that point is within the tie of the deepest. The
 * patch is measured from the first point, at least by half its size. */
#define TIE 1e-6

/* Inset or added rounding, with a margin or without. A hull supports added rounding only: its inset
 * is made with the shape. */
static void round_body(pair_body *b, check_random *r) {
  ct_vec3 center;
  double radius;
  ct_shape_ball(&b->shape, &center, &radius);
  if (pick(r, 3) == 0) b->shape.margin = radius * check_uniform(r, 0.01, 0.5);
  if (pick(r, 4) == 0) return;
  b->shape.inset = b->shape.kind != CT_KIND_CONVEX && pick(r, 2);
  double most = b->shape.inset ? ct_shape_inset_limit(&b->shape, NULL) : radius;
  b->shape.rounding = most * check_uniform(r, 0.01, 0.99);
}

static double size_of(const pair_body *b) {
  ct_vec3 center;
  double radius;
  ct_shape_ball(&b->shape, &center, &radius);
  return ct_norm(center) + radius + ct_max_abs(b->pose.position);
}

/* Signed distance from a point to a placed body, by a ball of radius 0. */
static double height_over(ct_placed body, ct_vec3 point, ct_workspace *workspace) {
  const ct_shape dot = {.kind = CT_KIND_SPHERE, .sphere = {0.0}};
  const ct_frame frame = ct_frame_of((ct_pose){.position = point, .rotation = ct_quat_identity()});
  const ct_pair_options all = {.tolerance = 0.0, .threshold = INFINITY};
  ct_pair_result r;
  ct_pair_distance(body, (ct_placed){&dot, &frame}, &all, workspace, &r);
  return r.distance;
}

/* A copy of a manifold's points that survives other uses of the workspace. */
typedef struct kept_points {
  ct_contact_point items[512];
  size_t count;
} kept_points;

static void check_points(const pair_case *c, double clearance, ct_workspace *workspace) {
  ct_frame fa = ct_frame_of(c->a.pose), fb = ct_frame_of(c->b.pose);
  const ct_placed a = {&c->a.shape, &fa}, b = {&c->b.shape, &fb};
  const ct_contact_options options = {clearance, 0.0, CT_DETAIL_FULL};
  ct_manifold m;
  ct_pair_contacts(a, b, &options, workspace, &m);
  if (m.pair.distance > clearance || m.pair.status != CT_PAIR_OK) return;
  static kept_points kept;
  kept.count = m.count < 512 ? m.count : 512;
  CHECK(m.count >= 1);
  if (kept.count > 0) memcpy(kept.items, m.points, kept.count * sizeof *m.points);
  double size = size_of(&c->a) +
                (c->b.shape.kind == CT_KIND_PLANE ? ct_norm(c->b.pose.position) : size_of(&c->b));
  double slack = 256.0 * 0x1p-53 * (size + clearance) + PARALLEL * PARALLEL * size;
  if (c->a.shape.kind == CT_KIND_CONVEX || c->b.shape.kind == CT_KIND_CONVEX)
    slack += FLAT * FLAT * size;
  double patch = 0.0;
  for (size_t i = 1; i < kept.count; i++)
    patch = fmax(patch, ct_norm(ct_sub(kept.items[i].point_a, kept.items[0].point_a)));
  if (kept.count > 0) CHECK_NEAR(kept.items[0].distance, m.pair.distance, slack + TIE * patch);
  for (size_t i = 0; i < kept.count; i++) {
    const ct_contact_point *p = &kept.items[i];
    CHECK(p->distance >= m.pair.distance - slack);
    double over_a = height_over(a, p->point_a, workspace),
           over_b = height_over(b, p->point_b, workspace);
    /* Edges that are parallel to within PARALLEL meet halfway between their ends: one point is off
     * to the side. */
    bool edges = p->a.kind == CT_FEATURE_EDGE || p->b.kind == CT_FEATURE_EDGE;
    double most = edges ? slack + PARALLEL * size : slack;
    if (fabs(over_a) > most || fabs(over_b) > most)
      CHECK_FAIL("kinds %d %d, points %d:%u and %d:%u: %g over a, %g over b, distance %g of %g, "
                 "point %zu of %zu",
                 c->a.shape.kind, c->b.shape.kind, p->a.kind, p->a.index, p->b.kind, p->b.index,
                 over_a, over_b, p->distance, m.pair.distance, i, m.count);
  }
}

/* Rounded bodies of all kinds: separated by a fraction of their size, touching, or deeply
 * overlapping, at random and nearly face to face. */
static void points_of_rounded_bodies_are_on_their_surfaces(void) {
  check_random r = {71};
  ct_workspace *workspace = ct_workspace_create();
  case_kind_count = 7;
  for (int i = 0; i < PAIRS; i++) {
    pair_case c;
    if (i % 3 == 0) family_grid(&c, &r);
    else family_random(&c, &r);
    if (i % 3 == 1) {
      ct_vec3 lean = random_vec(&r, pow(10.0, -1.0 - (double)pick(&r, 7)));
      c.a.pose.rotation = ct_quat_identity();
      c.b.pose.rotation = (ct_quat){lean.x, lean.y, lean.z, sqrt(1.0 - ct_norm2(lean))};
    }
    round_body(&c.a, &r);
    if (i % 2) round_body(&c.b, &r);
    check_points(&c, i % 4 ? 10.0 : 0.25, workspace);
    case_release(&c);
  }
  ct_workspace_destroy(workspace);
}

static void points_of_rounded_bodies_over_a_plane_are_on_their_surfaces(void) {
  check_random r = {72};
  ct_workspace *workspace = ct_workspace_create();
  case_kind_count = 7;
  for (int i = 0; i < PAIRS; i++) {
    pair_case c;
    if (i % 2) family_grid(&c, &r);
    else family_random(&c, &r);
    round_body(&c.a, &r);
    body_release(&c.b);
    c.b.shape = (ct_shape){.kind = CT_KIND_PLANE};
    check_points(&c, 10.0, workspace);
    body_release(&c.a);
  }
  ct_workspace_destroy(workspace);
}

/* The balls of a mesh's triangles cover each other in concave places, so only the depth is checked
 * for meshes. */
static void no_point_of_a_rounded_mesh_is_deeper_than_the_pair(void) {
  check_random r = {73};
  ct_workspace *workspace = ct_workspace_create();
  case_kind_count = 7;
  for (int i = 0; i < PAIRS; i++) {
    pair_case c;
    family_random(&c, &r);
    body_release(&c.a);
    c.a.shape = soup_random(&r);
    c.a.shape.rounding = check_uniform(&r, 0.01, 0.3);
    if (i % 2) round_body(&c.b, &r);
    ct_frame fa = ct_frame_of(c.a.pose), fb = ct_frame_of(c.b.pose);
    const ct_contact_options options = {i % 4 ? 10.0 : 0.25, 0.0,
                                        i % 3 ? CT_DETAIL_FULL : CT_DETAIL_DEEPEST};
    ct_manifold m;
    ct_pair_contacts((ct_placed){&c.a.shape, &fa}, (ct_placed){&c.b.shape, &fb}, &options,
                     workspace, &m);
    if (m.pair.distance <= options.clearance && m.pair.status == CT_PAIR_OK) {
      CHECK(m.count >= 1);
      if (m.count > 0) CHECK_NEAR(m.points[0].distance, m.pair.distance, 1e-9);
      for (size_t k = 0; k < m.count; k++) CHECK(m.points[k].distance >= m.pair.distance - 1e-9);
    }
    case_release(&c);
  }
  ct_workspace_destroy(workspace);
}

static const check_test tests[] = {
    {"points_of_rounded_bodies_are_on_their_surfaces",
     points_of_rounded_bodies_are_on_their_surfaces},
    {"points_of_rounded_bodies_over_a_plane_are_on_their_surfaces",
     points_of_rounded_bodies_over_a_plane_are_on_their_surfaces},
    {"no_point_of_a_rounded_mesh_is_deeper_than_the_pair",
     no_point_of_a_rounded_mesh_is_deeper_than_the_pair},
};

CHECK_MAIN(tests)
