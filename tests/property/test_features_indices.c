/* Contact features against the caller's lists: indices, barycentric coordinates, points and normals
 * are consistent for every order and duplication of the lists; and normals of two conforming
 * surfaces become opposite as the meshes are refined. */
#include "tests/oracle/pair_cases.h"
#include "tests/support/meshes.h"
#include "tests/support/workspace.h"

/* A mesh, the caller's lists, and its pose. */
typedef struct body {
  soup lists;
  ct_mesh *mesh;
  ct_frame frame;
} body;

static void open_body(body *b, ct_frame frame) {
  b->mesh = NULL;
  b->frame = frame;
  CHECK_INT(soup_build(&b->lists, CT_MESH_SOLID, &b->mesh, NULL), CT_OK);
}

static void close_body(body *b) {
  ct_mesh_release(b->mesh);
  soup_free(&b->lists);
}

static ct_features run_query(const body *a, const body *b, ct_features_mode mode) {
  const ct_shape p = {.kind = CT_KIND_MESH, .mesh = a->mesh},
                 q = {.kind = CT_KIND_MESH, .mesh = b->mesh};
  const ct_features_options options = {mode, CT_FEATURES_ANY_DEPTH};
  ct_features out;
  ct_pair_features((ct_placed){&p, &a->frame}, (ct_placed){&q, &b->frame}, &options, workspace,
                   &out);
  CHECK_INT(out.status, CT_FEATURES_OK);
  return out;
}

static ct_vec3 corner(const body *b, uint32_t vertex) {
  return ct_to_parent(b->frame, b->lists.v[vertex]);
}

/* Index, weights, point and normal of one side. */
static void check_point(const body *b, const ct_pair_feature_point *p) {
  CHECK(p->triangle < b->lists.tn);
  if (p->triangle >= b->lists.tn) return;
  ct_vec3 sum = {0, 0, 0};
  double total = 0.0;
  for (int k = 0; k < 3; k++) {
    CHECK(p->barycentric[k] >= 0.0);
    total += p->barycentric[k];
    sum = ct_add_scaled(sum, corner(b, b->lists.t[p->triangle][k]), p->barycentric[k]);
  }
  CHECK_NEAR(total, 1.0, 1e-15);
  CHECK_NEAR(ct_norm(ct_sub(sum, p->point)), 0.0, 4e-12);
  CHECK_NEAR(ct_norm(p->normal), 1.0, 1e-15);
}

/* The vertex is in the caller's list and is a corner of the triangle named beside it. */
static void check_vertex(const body *b, const ct_pair_feature_point *p, uint32_t vertex) {
  CHECK(vertex < b->lists.vn);
  if (vertex >= b->lists.vn) return;
  CHECK_NEAR(ct_norm(ct_sub(corner(b, vertex), p->point)), 0.0, 4e-15);
  bool found = false;
  for (int k = 0; k < 3; k++) {
    ct_vec3 apart = ct_sub(b->lists.v[b->lists.t[p->triangle][k]], b->lists.v[vertex]);
    if (ct_max_abs(apart) == 0.0) found = p->barycentric[k] == 1.0;
  }
  CHECK(found);
}

static void check_feature(const body *a, const body *b, const ct_pair_feature *f) {
  check_point(a, &f->a);
  check_point(b, &f->b);
  CHECK(f->distance <= 0.0);
  CHECK_NEAR(ct_norm(ct_sub(f->b.point, f->a.point)), -f->distance, 1e-13);
  CHECK_NEAR(ct_norm(f->normal), 1.0, 1e-15);
  if (f->kind == CT_PAIR_FEATURE_VERTEX_A) check_vertex(a, &f->a, f->vertex);
  if (f->kind == CT_PAIR_FEATURE_VERTEX_B) check_vertex(b, &f->b, f->vertex);
}

/* A box, an octahedron or a triangulated ball, with triangles in random order and rotation, some
 * with vertices of their own. */
static void random_lists(soup *s, check_random *r) {
  *s = (soup){0};
  ct_vec3 low = uniform_vec(r, -0.6, -0.3), high = uniform_vec(r, 0.3, 0.6);
  switch (pick(r, 3)) {
  case 0: soup_box(s, low, high); break;
  case 1: soup_octahedron(s, ct_vec(0.1, 0, 0), 0.7); break;
  default: soup_sphere(s, ct_vec(0, 0.05, 0), 0.6, 5 + pick(r, 4), 5 + pick(r, 5)); break;
  }
  if (pick(r, 3) == 0) soup_explode(s);
  soup_shuffle(s, r);
}

/* Rows 30, 33: reported indices and weights refer to the caller's lists. */
static void indices_refer_to_the_lists_that_were_given(void) {
  check_random r = {61};
  long vertices[2] = {0, 0}, edges = 0;
  for (int i = 0; i < 600; i++) {
    body pair[2];
    for (int k = 0; k < 2; k++) {
      random_lists(&pair[k].lists, &r);
      ct_pose pose = {k ? random_vec(&r, 0.8) : ct_vec(0, 0, 0), random_rotation(&r)};
      open_body(&pair[k], ct_frame_of(pose));
    }
    ct_features f = run_query(&pair[0], &pair[1], (ct_features_mode)(i % 4));
    for (size_t n = 0; n < f.count; n++) {
      check_feature(&pair[0], &pair[1], &f.items[n]);
      vertices[0] += f.items[n].kind == CT_PAIR_FEATURE_VERTEX_A;
      vertices[1] += f.items[n].kind == CT_PAIR_FEATURE_VERTEX_B;
      edges += f.items[n].kind == CT_PAIR_FEATURE_EDGE_EDGE;
    }
    close_body(&pair[0]);
    close_body(&pair[1]);
  }
  CHECK(vertices[0] > 500 && vertices[1] > 500 && edges > 100);
}

/* A ball of radius 1 in a shell whose cavity has the radius 0.99: the largest 1 + nA.nB over the
 * ball's vertices. */
static double worst_of_conforming(uint32_t rings) {
  body ball = {.lists = {0}}, shell = {.lists = {0}};
  soup_sphere(&ball.lists, ct_vec(0, 0, 0), 1.0, rings, 2 * rings);
  soup_sphere(&shell.lists, ct_vec(0, 0, 0), 2.0, 8, 16);
  uint32_t cavity = shell.lists.tn;
  soup_sphere(&shell.lists, ct_vec(0, 0, 0), 0.99, rings, 2 * rings);
  soup_invert(&shell.lists, cavity);
  ct_pose turned = {{0, 0, 0}, {0.1, 0.2, 0.3, 0.92736184954957035}};
  open_body(&ball, ct_frame_of(ct_pose_identity()));
  open_body(&shell, ct_frame_of(turned));
  ct_features f = run_query(&ball, &shell, CT_FEATURES_BACKWARD);
  double worst = 0.0;
  size_t of_ball = 0;
  for (size_t n = 0; n < f.count; n++) {
    if (f.items[n].kind != CT_PAIR_FEATURE_VERTEX_A) continue;
    of_ball++;
    worst = ct_max2(worst, 1.0 + ct_dot(f.items[n].a.normal, f.items[n].b.normal));
  }
  CHECK_INT(of_ball, ball.lists.vn);
  close_body(&ball);
  close_body(&shell);
  return worst;
}

/* Row 37: first order in the edge length, at least: half the edge length gives half the error. */
static void normals_become_opposite_as_meshes_are_refined(void) {
  double before = worst_of_conforming(8);
  CHECK(before < 0.1);
  for (uint32_t rings = 16; rings <= 64; rings *= 2) {
    double now = worst_of_conforming(rings);
    CHECK(now <= 0.5 * before);
    before = now;
  }
  CHECK(before < 1e-4);
}

static const check_test tests[] = {
    {"indices_refer_to_the_lists_that_were_given", indices_refer_to_the_lists_that_were_given},
    {"normals_become_opposite_as_meshes_are_refined",
     normals_become_opposite_as_meshes_are_refined},
};

WORKSPACE_MAIN(tests)
