/* Very many pairs of closed meshes, and of a mesh and a convex body, made of hulls (hull_mesh.h).
 * As solids they have the distance, overlap and containment of the hulls, and the depth of the
 * deepest vertex. As surfaces their distance is zero if they cross; a surface inside another is as
 * far from it as from its faces. CONTACTD_FULL=1 for the full numbers.
 *
 * As in pair_proof.h, nothing is compared with the engine's answer for the hulls: planes, points
 * and vertices prove the answers in long double. */
#include "tests/oracle/hull_mesh.h"
#include "tests/oracle/pair_families.h"
#include "tests/oracle/pair_proof.h"

typedef struct mesh_tally {
  proof_tally solid, surface, hulls;
  long held, deep, crossing, hollow; /* one contains the other; a vertex's depth is known; surfaces
                                        cross; one surface is inside another */
  double depth, room; /* worst, in u: against the deepest vertex, against the inner gap */
} mesh_tally;

/* One pair: two hulls, or a hull and another kind; the hulls are queried as meshes. */
typedef struct mesh_case {
  const pair_case *c;
  bool second; /* b is a mesh too */
  faced a, b;
  long index;
} mesh_case;

static void blame(const mesh_case *m, const char *what, double by) {
  proof_blame(m->c, m->index, what, by);
}

static proof_answer query_pair(const mesh_case *m, ct_mesh_reading reading,
                               ct_workspace *workspace) {
  const pair_case *c = m->c;
  ct_shape a = hull_mesh_of(c->a.shape.hull, reading), b = c->b.shape;
  if (m->second) b = hull_mesh_of(c->b.shape.hull, reading);
  ct_frame fa = ct_frame_of(c->a.pose), fb = ct_frame_of(c->b.pose);
  proof_answer answer = proof_query_pair((ct_placed){&a, &fa}, (ct_placed){&b, &fb}, workspace);
  ct_shape_release(&a);
  if (m->second) ct_shape_release(&b);
  if (answer.r.distance > 0.0)
    answer.lean = PROOF_ROUNDING * proof_unit(c, &answer.r) / answer.r.distance;
  return answer;
}

/* The hulls' own answer, proved by itself, has compatible bounds and the same overlap decision. */
static void judge_hulls(const mesh_case *m, const proof_answer *answer, ct_workspace *workspace,
                        mesh_tally *t) {
  proof_answer hulls = prove(m->c, workspace, m->index, &t->hulls);
  const ct_pair_result *p = &answer->r, *q = &hulls.r;
  double band = PROOF_BAND * proof_unit(m->c, q);
  if (answer->overlap != hulls.overlap && fabs(q->distance) > band)
    blame(m, "the hulls' yes or no is another", q->distance / band);
  if (p->distance <= 0.0) return;
  if (p->lower_bound > q->upper_bound || q->lower_bound > p->upper_bound)
    blame(m, "the hulls' distance is another", q->distance);
}

/* Containment: certain if a body is inside, or sticks out by more than the band. */
static void judge_relation(const mesh_case *m, const proof_answer *answer, double unit,
                           mesh_tally *t) {
  double band = PROOF_BAND * unit, in_a = (double)faced_room(&m->a, &m->c->a.pose, &m->c->b);
  if (in_a > band && answer->r.relation != CT_CONTAINING)
    blame(m, "b is inside a, which does not hold it,", in_a / unit);
  if (in_a < -band && answer->r.relation == CT_CONTAINING)
    blame(m, "a holds b, which sticks out", in_a / unit);
  t->held += in_a > band;
  if (!m->second) return;
  double in_b = (double)faced_room(&m->b, &m->c->b.pose, &m->c->a);
  if (in_b > band && answer->r.relation != CT_CONTAINED && in_a < -band)
    blame(m, "a is inside b, which does not hold it,", in_b / unit);
  if (in_b < -band && answer->r.relation == CT_CONTAINED)
    blame(m, "b holds a, which sticks out", in_b / unit);
  t->held += in_b > band;
}

/* Two solid meshes are as deep as the deepest vertex, if a vertex is inside. */
static void judge_depth(const mesh_case *m, const proof_answer *answer, double unit,
                        mesh_tally *t) {
  long double in_a, in_b, least;
  faced_range(&m->a, &m->c->a.pose, &m->c->b, &in_a, &least);
  faced_range(&m->b, &m->c->b.pose, &m->c->a, &in_b, &least);
  double deepest = (double)kind_greater(in_a, in_b), off = fabs(answer->r.distance + deepest);
  if (deepest <= PROOF_BAND * unit) return;
  t->deep++;
  t->depth = ct_max2(t->depth, off / unit);
  if (!answer->overlap) blame(m, "a vertex is inside, no overlap is answered,", deepest / unit);
  if (off > PROOF_BAND * unit) blame(m, "the depth is not that of the deepest vertex", off / unit);
  if (-deepest < answer->r.lower_bound || -deepest > answer->r.upper_bound)
    blame(m, "the depth is outside its bounds", deepest);
  if (answer->r.depth_kind != CT_DEPTH_FEATURE)
    blame(m, "the kind of depth is wrong", answer->r.depth_kind);
}

static void judge_solid(const mesh_case *m, ct_workspace *workspace, mesh_tally *t) {
  proof_answer answer = query_pair(m, CT_MESH_SOLID, workspace);
  double unit = proof_unit(m->c, &answer.r);
  proof_of(m->c, &answer, m->index, &t->solid);
  judge_hulls(m, &answer, workspace, t);
  if (!answer.overlap && answer.r.relation != CT_SEPARATED)
    blame(m, "apart, but related", answer.r.relation);
  if (answer.overlap) judge_relation(m, &answer, unit, t);
  if (m->second) judge_depth(m, &answer, unit, t);
}

/* Surfaces that share a point cross, and the point is on both; others are as far apart as the
 * hulls, or one is inside. */
static void judge_surface(const mesh_case *m, ct_workspace *workspace, mesh_tally *t) {
  const pair_case *c = m->c;
  proof_answer answer = query_pair(m, CT_MESH_SURFACE, workspace);
  const ct_pair_result *r = &answer.r;
  double unit = proof_unit(c, r), band = PROOF_BAND * unit,
         room = (double)faced_room(&m->a, &c->a.pose, &c->b);
  if (m->second) room = ct_max2(room, (double)faced_room(&m->b, &c->b.pose, &c->a));
  double far = ct_max2(ct_max_abs(c->a.pose.position), ct_max_abs(c->b.pose.position)),
         world = PROOF_ROUNDING * (unit + 0x1p-53 * far);
  if (room > band) {
    t->hollow++;
    t->room = ct_max2(t->room, fabs(r->distance - room) / unit);
    if (fabs(r->distance - room) > band + r->upper_bound - r->lower_bound)
      blame(m, "a body within is not as far as its room", room);
    if (room < r->lower_bound || room > r->upper_bound)
      blame(m, "the room is outside the bounds", room);
    return;
  }
  if (r->distance > 0.0 && room < -band) {
    proof_of(c, &answer, m->index, &t->surface);
    return;
  }
  proof_shape(c, &answer, unit, m->index, &t->surface);
  if (r->distance > 0.0) return;
  t->crossing++;
  if (r->distance != 0.0 || r->depth_kind != CT_DEPTH_NONE)
    blame(m, "surfaces that cross have a depth", r->distance);
  double in_a = (double)faced_depth(&m->a, hull_mesh_to(NULL, &c->a.pose, r->point_a));
  double in_b = m->second ? (double)faced_depth(&m->b, hull_mesh_to(NULL, &c->b.pose, r->point_b))
                          : -(double)kind_outside(&c->b, r->point_b);
  if (fabs(in_a) > world || (m->second ? fabs(in_b) : -in_b) > world)
    blame(m, "the common point is not on both", ct_max2(fabs(in_a), fabs(in_b)));
}

/* ---- the pairs ------------------------------------------------------------------------------ */

/* Reduces the points to the corners of the hull: the depth of another point is not a feature's. */
static void keep_corners(pair_body *b) {
  const ct_hull_view *h = ct_hull_get(b->shape.hull);
  b->count = (int)h->vertex_count;
  for (int i = 0; i < b->count; i++) b->points[i] = ct_vec(h->x[i], h->y[i], h->z[i]);
}

/* 6 to 100 points: spread on a ball, on a grid, in a box, or of a prism; sometimes stretched. Up to
 * 196 triangles. */
static void make_hull_body(pair_body *b, check_random *r, double size) {
  do {
    uint32_t sort = pick(r, 4);
    double thin = family_decade(r, -3.0, 0.0), flat = family_decade(r, -3.0, 0.0);
    ct_vec3 stretch = pick(r, 4) ? ct_vec(1, 1, 1) : ct_vec(1, thin, flat);
    if (sort == 3) {
      family_prism(b, 3 + (int)pick(r, 40), r, size);
      return;
    }
    b->count = 6 + (int)pick(r, pick(r, 4) ? 30 : 95);
    for (int i = 0; i < b->count; i++) {
      ct_vec3 p = random_vec(r, 1.0);
      if (sort == 0) p = ct_scale(p, 1.0 / ct_max2(ct_norm(p), 0.1));
      if (sort == 1) p = snap_vec(p, 0.25);
      b->points[i] = ct_vec(size * p.x * stretch.x, size * p.y * stretch.y, size * p.z * stretch.z);
    }
  } while (!make_hull(b));
  keep_corners(b);
}

typedef struct mesh_plan {
  const char *name;
  long quick, full;
  double size, near; /* of b against a, and its distance */
  bool convex;       /* b is of any convex kind and is not converted to a mesh */
  bool at_contact, square, remote;
} mesh_plan;

static void make_pair(pair_case *c, const mesh_plan *plan, check_random *r, ct_workspace *workspace,
                      long i) {
  static const double gaps[] = {0.0,  0x1p-53, -0x1p-53, 0x1p-40, -0x1p-40,
                                1e-9, -1e-9,   1e-3,     -1e-3};
  make_hull_body(&c->a, r, 1.0);
  ct_kind kind = random_kind(r);
  if (plan->convex) make_body(&c->b, kind, r, plan->size, ct_vec(1, 1, 1));
  else make_hull_body(&c->b, r, plan->size);
  c->known = false;
  c->a.pose.rotation = plan->square ? family_square(r) : random_rotation(r);
  c->b.pose.rotation = plan->square ? family_square(r) : random_rotation(r);
  place_near(c, r, plan->near);
  if (plan->square) {
    c->a.pose.position = snap_vec(c->a.pose.position, 0.25);
    c->b.pose.position = snap_vec(c->b.pose.position, 0.25);
  }
  if (plan->remote) {
    ct_vec3 away = random_vec(r, family_decade(r, 3.0, 8.9));
    c->a.pose.position = ct_add(c->a.pose.position, away);
    c->b.pose.position = ct_add(c->b.pose.position, away);
  }
  if (plan->at_contact) bring_to_gap(c, workspace, gaps[i % 9]);
}

static void run(const mesh_plan *plan) {
  long count = proof_count(plan->quick, plan->full);
  check_random r = {0x3e5e5ull + (uint64_t)count};
  ct_workspace *workspace = ct_workspace_create();
  case_kind_count = sizeof case_kinds / sizeof *case_kinds;
  mesh_tally t = {.solid = proof_begin(), .surface = proof_begin(), .hulls = proof_begin()};
  for (long i = 0; i < count && check_failures < 10; i++) {
    pair_case c;
    make_pair(&c, plan, &r, workspace, i);
    mesh_case m = {.c = &c, .second = !plan->convex, .index = i};
    m.a = faced_of(c.a.shape.hull);
    if (m.second) m.b = faced_of(c.b.shape.hull);
    judge_solid(&m, workspace, &t);
    judge_surface(&m, workspace, &t);
    faced_free(&m.a);
    if (m.second) faced_free(&m.b);
    case_release(&c);
  }
  proof_end(plan->name, &t.solid, PROOF_FLAGGED);
  printf("%-26s %ld held, %ld of known depth (%.3g u off), %ld surfaces cross, %ld within (%.3g u "
         "off)\n",
         "", t.held, t.deep, t.depth, t.crossing, t.hollow, t.room);
  ct_workspace_destroy(workspace);
}

static void meshes(void) {
  run(&(mesh_plan){.name = "meshes", .quick = 800, .full = 20000, .size = 1.0, .near = 1.5});
}
static void meshes_apart(void) {
  run(&(mesh_plan){.name = "meshes apart", .quick = 400, .full = 10000, .size = 1.0, .near = 4.0});
}
static void small_meshes_inside(void) {
  run(&(mesh_plan){
      .name = "small meshes inside", .quick = 600, .full = 15000, .size = 0.2, .near = 0.5});
}
static void meshes_at_contact(void) {
  run(&(mesh_plan){.name = "meshes at contact",
                   .quick = 800,
                   .full = 20000,
                   .size = 1.0,
                   .near = 2.0,
                   .at_contact = true});
}
static void meshes_on_a_grid(void) {
  run(&(mesh_plan){.name = "meshes on a grid",
                   .quick = 800,
                   .full = 20000,
                   .size = 1.0,
                   .near = 1.5,
                   .square = true});
}
static void remote_meshes(void) {
  run(&(mesh_plan){.name = "remote meshes",
                   .quick = 400,
                   .full = 10000,
                   .size = 1.0,
                   .near = 2.0,
                   .remote = true});
}
static void meshes_of_unlike_sizes(void) {
  run(&(mesh_plan){.name = "meshes of unlike sizes",
                   .quick = 400,
                   .full = 10000,
                   .size = 1e-4,
                   .near = 1.0,
                   .at_contact = true});
}
static void convex_bodies(void) {
  run(&(mesh_plan){.name = "convex bodies",
                   .quick = 800,
                   .full = 20000,
                   .size = 1.0,
                   .near = 1.5,
                   .convex = true});
}
static void small_convex_bodies(void) {
  run(&(mesh_plan){.name = "small convex bodies",
                   .quick = 600,
                   .full = 15000,
                   .size = 0.2,
                   .near = 0.6,
                   .convex = true});
}
static void convex_bodies_at_contact(void) {
  run(&(mesh_plan){.name = "convex bodies at contact",
                   .quick = 800,
                   .full = 20000,
                   .size = 1.0,
                   .near = 2.0,
                   .convex = true,
                   .at_contact = true});
}
static void remote_convex_bodies(void) {
  run(&(mesh_plan){.name = "remote convex bodies",
                   .quick = 400,
                   .full = 10000,
                   .size = 1.0,
                   .near = 2.0,
                   .convex = true,
                   .remote = true});
}

/* Regression: at a distance of 9e-13 a normal that leaned by 20 degrees closed the bracket of the
 * nearest triangle, while neighbouring triangles extended beyond the plane. */
static void a_cylinder_that_nearly_touches_an_edge(void) {
  pair_case c = {
      .a = {.pose = {{-0x1.db4e5dc1823e0p-1, 0x1.0f87f5b62cb10p-3, 0x1.d2b91eaf688bep-1},
                     {0x1.c8705b9eaa6fbp-1, 0x1.95869820e8d09p-4, -0x1.ed90d868b6793p-3,
                      0x1.7b8a141de66a2p-2}},
            .points = {{-0x1.d7cbb0a58b33ap-1, 0x1.8bcaa5949a362p-2, 0x1.3c047cfd80355p-5},
                       {-0x1.37fefe5e455d1p-4, -0x1.95a63796ac4bep-4, 0x1.fbfcf503e17dbp-1},
                       {-0x1.46361b76ab6a8p-2, 0x1.dd3eedf8c92fbp-1, 0x1.60bf99a2369cdp-3},
                       {-0x1.a10316c4a1d8dp-2, -0x1.43f9d6317be74p-2, -0x1.b6aade319f567p-1},
                       {0x1.c393e1c945fd4p-1, -0x1.518e60c64bfafp-2, -0x1.58e14ed3ff973p-2},
                       {0x1.c5ca209434ab8p-4, 0x1.059055a46b60bp-1, 0x1.b479b582d3c21p-1},
                       {0x1.2fb9ebc2c785dp-2, 0x1.e4d872f0c48aap-2, 0x1.a8a1ee9b4e1d5p-1}},
            .count = 7},
      .b = {.shape = {.kind = CT_KIND_CYLINDER,
                      .cylinder = {0x1.f0b536a0c1897p-3, 0x1.24e9d43057f3fp-1}},
            .pose = {{-0x1.6f51a71e88c7dp-2, -0x1.6794ca90d4548p-1, 0x1.c4457277f134cp+0},
                     {-0x1.455f037161e08p-4, 0x1.af3efe088f7bfp-1, 0x1.3e2547208114bp-2,
                      -0x1.bbad888d131bfp-2}}}};
  ct_workspace *workspace = ct_workspace_create();
  mesh_tally t = {.solid = proof_begin(), .surface = proof_begin(), .hulls = proof_begin()};
  CHECK(make_hull(&c.a));
  mesh_case m = {.c = &c};
  m.a = faced_of(c.a.shape.hull);
  judge_solid(&m, workspace, &t);
  judge_surface(&m, workspace, &t);
  CHECK_INT(t.solid.pairs, 1);
  faced_free(&m.a);
  case_release(&c);
  ct_workspace_destroy(workspace);
}

static const check_test tests[] = {
    {"a_cylinder_that_nearly_touches_an_edge", a_cylinder_that_nearly_touches_an_edge},
    {"meshes", meshes},
    {"meshes_apart", meshes_apart},
    {"small_meshes_inside", small_meshes_inside},
    {"meshes_at_contact", meshes_at_contact},
    {"meshes_on_a_grid", meshes_on_a_grid},
    {"remote_meshes", remote_meshes},
    {"meshes_of_unlike_sizes", meshes_of_unlike_sizes},
    {"convex_bodies", convex_bodies},
    {"small_convex_bodies", small_convex_bodies},
    {"convex_bodies_at_contact", convex_bodies_at_contact},
    {"remote_convex_bodies", remote_convex_bodies},
};

CHECK_MAIN(tests)
