/* Invariants of contact features: weights match points, senses of rays, mirroring of swapped pairs,
 * rigid motions. */
#include "tests/support/meshes.h"
#include "tests/support/workspace.h"

enum { PAIRS = 150 };

static ct_quat random_turn(check_random *r) {
  ct_quat q;
  double n;
  do {
    q = (ct_quat){check_uniform(r, -1, 1), check_uniform(r, -1, 1), check_uniform(r, -1, 1),
                  check_uniform(r, -1, 1)};
    n = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  } while (n < .1);
  return (ct_quat){q.x / n, q.y / n, q.z / n, q.w / n};
}

static ct_pose random_pose(check_random *r, double far) {
  return (ct_pose){
      {check_uniform(r, -far, far), check_uniform(r, -far, far), check_uniform(r, -far, far)},
      random_turn(r)};
}

/* A ball with bumps, or a box, about 1 m in size; some with vertex normals of their own. */
static ct_shape random_solid(check_random *r) {
  soup s = {0};
  if (check_next(r) % 3)
    soup_sphere(&s, ct_vec(0, 0, 0), 1, 3 + (uint32_t)(check_next(r) % 5),
                4 + (uint32_t)(check_next(r) % 6));
  else soup_box(&s, ct_vec(-.8, -.6, -.5), ct_vec(.8, .6, .5));
  ct_vec3 *normals = malloc(s.vn * sizeof *normals);
  if (!normals) abort();
  for (uint32_t i = 0; i < s.vn; i++) {
    s.v[i] = ct_scale(s.v[i], check_uniform(r, .8, 1.2));
    normals[i] = ct_scale(s.v[i], check_uniform(r, .5, 2));
  }
  ct_mesh_data data = {s.v, s.vn, (const uint32_t(*)[3])s.t, s.tn,
                       check_next(r) % 2 ? normals : NULL};
  ct_mesh *mesh = NULL;
  CHECK_INT(ct_mesh_create(&data, CT_MESH_SOLID, NULL, &mesh, NULL), CT_OK);
  free(normals);
  soup_free(&s);
  return (ct_shape){.kind = CT_KIND_MESH, .mesh = mesh};
}

/* A copy of a pair's features. */
typedef struct answer {
  ct_pair_feature *items;
  size_t count, doubled;
} answer;

static answer run_query(const ct_shape shape[2], const ct_pose pose[2], ct_features_mode mode) {
  ct_frame frame[2] = {ct_frame_of(pose[0]), ct_frame_of(pose[1])};
  ct_features_options options = {mode, CT_FEATURES_ANY_DEPTH};
  ct_features f;
  ct_pair_features((ct_placed){&shape[0], &frame[0]}, (ct_placed){&shape[1], &frame[1]}, &options,
                   workspace, &f);
  CHECK_INT(f.status, CT_FEATURES_OK);
  answer out = {malloc((f.count + 1) * sizeof *out.items), f.count, f.doubled};
  if (!out.items) abort();
  if (f.count) memcpy(out.items, f.items, f.count * sizeof *out.items);
  return out;
}

static double off(ct_vec3 a, ct_vec3 b) { return ct_norm(ct_sub(a, b)); }

/* Row 30: triangles are the caller's. Row 33: point, triangle, weights and normal of each side are
 * consistent. */
static void check_point(const ct_shape *shape, const ct_pose *pose,
                        const ct_pair_feature_point *p) {
  const ct_mesh_view *view = ct_mesh_get(shape->mesh);
  double sum = 0;
  ct_vec3 at = {0, 0, 0};
  CHECK(p->triangle < view->triangle_count);
  for (int k = 0; k < 3; k++) {
    CHECK(p->barycentric[k] >= 0);
    sum += p->barycentric[k];
    at = ct_add_scaled(at, view->vertices[view->triangles[p->triangle][k]], p->barycentric[k]);
  }
  CHECK_NEAR(sum, 1, 1e-15);
  CHECK_NEAR(off(ct_to_parent(ct_frame_of(*pose), at), p->point), 0, 1e-12);
  CHECK_NEAR(ct_norm(p->normal), 1, 1e-14);
}

static size_t check_feature(const ct_shape shape[2], const ct_pose pose[2],
                            const ct_pair_feature *f) {
  check_point(&shape[0], &pose[0], &f->a);
  check_point(&shape[1], &pose[1], &f->b);
  CHECK(f->distance <= 0);
  CHECK_NEAR(ct_norm(f->normal), 1, 1e-14);
  CHECK_NEAR(off(f->a.point, f->b.point), -f->distance, 1e-14);
  if (f->kind == CT_PAIR_FEATURE_EDGE_EDGE) {
    CHECK_NEAR(off(ct_sub(f->b.point, f->a.point), ct_scale(f->normal, f->distance)), 0, 1e-14);
    return 1;
  }
  /* A backward ray leaves through a face whose normal opposes the vertex normal. */
  int which = f->kind == CT_PAIR_FEATURE_VERTEX_B;
  const ct_pair_feature_point *own = which ? &f->b : &f->a, *other = which ? &f->a : &f->b;
  ct_vec3 face = ct_mat_mul(ct_frame_of(pose[1 - which]).rotation,
                            ct_mesh_normal(shape[1 - which].mesh, other->triangle));
  if (f->mode == CT_FEATURES_BACKWARD) CHECK(ct_dot(own->normal, face) < 0);
  if (f->mode == CT_FEATURES_FORWARD) CHECK(ct_dot(own->normal, face) > 0);
  CHECK(ct_mesh_contains(shape[1 - which].mesh,
                         ct_to_local(ct_frame_of(pose[1 - which]), own->point)));
  return 0;
}

static void row_30_33_features_belong_together(void) {
  check_random r = {31};
  size_t all = 0, edges = 0;
  for (int i = 0; i < PAIRS; i++) {
    ct_shape shape[2] = {random_solid(&r), random_solid(&r)};
    ct_pose pose[2] = {random_pose(&r, .8), random_pose(&r, .8)};
    answer by[4];
    for (int mode = 0; mode < 4; mode++) {
      by[mode] = run_query(shape, pose, (ct_features_mode)mode);
      for (size_t k = 0; k < by[mode].count; k++)
        edges += check_feature(shape, pose, &by[mode].items[k]);
      all += by[mode].count;
    }
    /* A vertex is no deeper below the nearest point than along a backward ray; `both` interleaves
     * backward and forward. */
    const answer *backward = &by[CT_FEATURES_BACKWARD], *closest = &by[CT_FEATURES_CLOSEST],
                 *both = &by[CT_FEATURES_BOTH];
    size_t vertices = 0;
    for (size_t k = 0; k < backward->count && k < closest->count; k++) {
      if (backward->items[k].kind == CT_PAIR_FEATURE_EDGE_EDGE) break;
      vertices++;
      CHECK(closest->items[k].distance >= backward->items[k].distance - 1e-15);
      CHECK_INT(closest->items[k].vertex, backward->items[k].vertex);
      CHECK(both->items[2 * k].distance == backward->items[k].distance);
      CHECK(both->items[2 * k + 1].distance == by[CT_FEATURES_FORWARD].items[k].distance);
    }
    CHECK(vertices <=
          ct_mesh_get(shape[0].mesh)->point_count + ct_mesh_get(shape[1].mesh)->point_count);
    for (int mode = 0; mode < 4; mode++) free(by[mode].items);
    for (int k = 0; k < 2; k++) ct_shape_release(&shape[k]);
  }
  printf("%zu features, %zu of edges\n", all, edges);
  CHECK(all > 2000 && edges > 50);
}

static bool same_point(const ct_pair_feature_point *p, const ct_pair_feature_point *q) {
  return memcmp(&p->point, &q->point, sizeof p->point) == 0 &&
         memcmp(&p->normal, &q->normal, sizeof p->normal) == 0 && p->triangle == q->triangle &&
         memcmp(p->barycentric, q->barycentric, sizeof p->barycentric) == 0;
}

static bool mirrors(const ct_pair_feature *p, const ct_pair_feature *q) {
  static const ct_pair_feature_kind other[] = {CT_PAIR_FEATURE_VERTEX_B, CT_PAIR_FEATURE_VERTEX_A,
                                               CT_PAIR_FEATURE_EDGE_EDGE};
  return q->kind == other[p->kind] && q->mode == p->mode && q->vertex == p->vertex &&
         q->distance == p->distance && same_point(&p->a, &q->b) && same_point(&p->b, &q->a) &&
         p->normal.x == -q->normal.x && p->normal.y == -q->normal.y &&
         p->normal.z == -q->normal.z && memcmp(p->edge_a, q->edge_b, sizeof p->edge_a) == 0 &&
         memcmp(p->edge_b, q->edge_a, sizeof p->edge_b) == 0;
}

static void swapped_meshes_have_the_mirrored_features_to_the_bit(void) {
  check_random r = {32};
  for (int i = 0; i < PAIRS; i++) {
    ct_shape shape[2] = {random_solid(&r), random_solid(&r)};
    ct_pose pose[2] = {random_pose(&r, .8), random_pose(&r, .8)};
    for (int mode = 0; mode < 4; mode++) {
      answer one = run_query(shape, pose, (ct_features_mode)mode);
      answer two = run_query((ct_shape[2]){shape[1], shape[0]}, (ct_pose[2]){pose[1], pose[0]},
                             (ct_features_mode)mode);
      CHECK_INT(one.count, two.count);
      CHECK_INT(one.doubled, two.doubled);
      for (size_t k = 0; k < one.count; k++) {
        size_t found = 0;
        for (size_t l = 0; l < two.count; l++) found += mirrors(&one.items[k], &two.items[l]);
        CHECK_INT(found, 1);
      }
      free(one.items);
      free(two.items);
    }
    for (int k = 0; k < 2; k++) ct_shape_release(&shape[k]);
  }
}

static void features_move_with_the_pair(void) {
  check_random r = {33};
  for (int i = 0; i < PAIRS; i++) {
    ct_shape shape[2] = {random_solid(&r), random_solid(&r)};
    ct_pose pose[2] = {random_pose(&r, .8), random_pose(&r, .8)}, motion = random_pose(&r, 10),
            moved[2];
    ct_frame frame = ct_frame_of(motion);
    for (int k = 0; k < 2; k++)
      moved[k] = (ct_pose){ct_to_parent(frame, pose[k].position),
                           ct_quat_mul(motion.rotation, pose[k].rotation)};
    answer one = run_query(shape, pose, CT_FEATURES_BOTH),
           two = run_query(shape, moved, CT_FEATURES_BOTH);
    CHECK_INT(one.count, two.count);
    for (size_t k = 0; k < one.count && k < two.count; k++) {
      const ct_pair_feature *p = &one.items[k], *q = &two.items[k];
      CHECK(p->kind == q->kind && p->vertex == q->vertex && p->a.triangle == q->a.triangle &&
            p->b.triangle == q->b.triangle);
      CHECK_NEAR(off(ct_to_parent(frame, p->a.point), q->a.point), 0, 1e-12);
      CHECK_NEAR(off(ct_to_parent(frame, p->b.point), q->b.point), 0, 1e-12);
      CHECK_NEAR(off(ct_mat_mul(frame.rotation, p->normal), q->normal), 0, 1e-11);
      CHECK_NEAR(q->distance, p->distance, 1e-12);
    }
    free(one.items);
    free(two.items);
    for (int k = 0; k < 2; k++) ct_shape_release(&shape[k]);
  }
}

static const check_test tests[] = {
    {"row_30_33_features_belong_together", row_30_33_features_belong_together},
    {"swapped_meshes_have_the_mirrored_features_to_the_bit",
     swapped_meshes_have_the_mirrored_features_to_the_bit},
    {"features_move_with_the_pair", features_move_with_the_pair},
};
WORKSPACE_MAIN(tests)
