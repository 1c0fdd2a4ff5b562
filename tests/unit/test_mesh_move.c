/* Moved meshes: everything that depends on positions equals that of a mesh created from the same
 * arrays, to the bit except where the order of triangles matters. If the connectivity changes, the
 * mesh is created again or refused. */
#include "tests/support/failing_malloc.h"
#include "tests/support/meshes.h"

#include <contact/elements.h>
#include <contact/features.h>
#include <contact/mesh.h>

static ct_workspace *scratch;

static void deform(const soup *rest, ct_vec3 *out, double bend, double phase) {
  for (uint32_t i = 0; i < rest->vn; i++) {
    ct_vec3 p = rest->v[i];
    double turn = bend * p.z, c = cos(turn), s = sin(turn), wave = 1 + 0.1 * sin(3 * p.x + phase);
    out[i] = ct_vec(wave * (c * p.x - s * p.y), wave * (s * p.x + c * p.y), p.z + 0.2 * bend * p.x);
  }
}

static ct_mesh *created(const soup *s, const ct_vec3 *vertices, const ct_vec3 *normals,
                        ct_mesh_reading reading, ct_mesh_report *report) {
  const ct_mesh_data data = {vertices, s->vn, (const uint32_t(*)[3])s->t, s->tn, normals};
  ct_mesh *mesh = NULL;
  CHECK_INT(ct_mesh_create(&data, reading, NULL, &mesh, report), CT_OK);
  return mesh;
}

static ct_mesh *moved(const ct_mesh *mesh, const ct_vec3 *vertices, const ct_vec3 *normals,
                      ct_mesh_report *report) {
  ct_mesh *out = NULL;
  CHECK_INT(ct_mesh_move(mesh, vertices, normals, NULL, &out, report), CT_OK);
  return out;
}

static bool same_bits(const void *a, const void *b, size_t size) { return memcmp(a, b, size) == 0; }

/* Every node contains its triangles; every triangle is in one leaf; neighbours share their edge. */
static void check_tree(const ct_mesh *mesh) {
  const ct_mesh_view *v = ct_mesh_get(mesh);
  uint32_t *seen = calloc(v->triangle_count, sizeof *seen);
  if (!seen) abort();
  for (uint32_t i = 0; i < v->node_count; i++) {
    const ct_mesh_node *n = &v->nodes[i];
    if (i == 1) continue;
    for (uint32_t k = 0; n->count == 0 && k < 2; k++) {
      ct_aabb all = ct_aabb_union(n->box, v->nodes[n->first + k].box);
      CHECK(same_bits(&all, &n->box, sizeof all));
    }
    for (uint32_t t = n->first; t < n->first + n->count; t++) {
      seen[v->order[t]]++;
      for (int k = 0; k < 3; k++) {
        ct_vec3 p = v->vertices[v->corners[t][k]];
        ct_aabb all = ct_aabb_union(n->box, (ct_aabb){p, p});
        CHECK(same_bits(&all, &n->box, sizeof all));
        uint32_t beyond = v->across[t][k];
        if (beyond == CT_NO_TRIANGLE) continue;
        int shared = 0;
        for (int l = 0; l < 3; l++)
          shared += v->corners[beyond][l] == v->corners[t][k] ||
                    v->corners[beyond][l] == v->corners[t][(k + 1) % 3];
        CHECK_INT(shared, 2);
      }
    }
  }
  for (uint32_t t = 0; t < v->triangle_count; t++) CHECK(seen[t] <= 1);
  free(seen);
}

/* Compares reports member by member, without padding. */
static void check_reports(const ct_mesh_report *a, const ct_mesh_report *b) {
  CHECK(a->triangles == b->triangles && a->vertices == b->vertices &&
        a->merged_vertices == b->merged_vertices);
  CHECK(a->degenerate_triangles == b->degenerate_triangles && a->components == b->components &&
        a->open_edges == b->open_edges);
  CHECK(a->closed == b->closed && a->flipped == b->flipped && a->solid == b->solid &&
        a->manifold == b->manifold);
  CHECK(a->volume == b->volume && a->area == b->area && same_bits(&a->box, &b->box, sizeof a->box));
}

/* Two meshes of the same arrays give the same results. */
static void check_same(const ct_mesh *a, const ct_mesh *b, check_random *r) {
  const ct_mesh_view *p = ct_mesh_get(a), *q = ct_mesh_get(b);
  CHECK(p->solid == q->solid && p->flipped == q->flipped && p->live_count == q->live_count &&
        p->point_count == q->point_count);
  CHECK(p->volume == q->volume && p->radius == q->radius &&
        same_bits(&p->centroid, &q->centroid, sizeof p->centroid));
  CHECK(same_bits(&p->inertia, &q->inertia, sizeof p->inertia) &&
        same_bits(&p->box, &q->box, sizeof p->box));
  CHECK(same_bits(p->vertices, q->vertices, p->vertex_count * sizeof *p->vertices));
  CHECK(same_bits(p->points, q->points, p->point_count * sizeof *p->points));
  CHECK((p->normals == NULL) == (q->normals == NULL));
  check_tree(a);
  for (int i = 0; i < 40; i++) {
    ct_vec3 x = {check_uniform(r, -1.5, 1.5), check_uniform(r, -1.5, 1.5),
                 check_uniform(r, -1.5, 1.5)};
    ct_vec3 d = {check_uniform(r, -1, 1), check_uniform(r, -1, 1), check_uniform(r, -1, 1)};
    ct_mesh_foot f = {0}, g = {0};
    ct_mesh_hit h = {0}, k = {0};
    CHECK(ct_mesh_contains(a, x) == ct_mesh_contains(b, x));
    CHECK(ct_mesh_nearest(a, x, INFINITY, &f) && ct_mesh_nearest(b, x, INFINITY, &g));
    CHECK(f.distance == g.distance && f.triangle == g.triangle);
    CHECK(ct_mesh_ray_first(a, x, d, INFINITY, &h) == ct_mesh_ray_first(b, x, d, INFINITY, &k));
    CHECK(h.t == k.t && h.triangle == k.triangle && h.side == k.side);
  }
}

/* The same feature; normals of vertices are sums in the order of the tree. */
static void check_feature(const ct_pair_feature *f, const ct_pair_feature *g) {
  CHECK(f->kind == g->kind && f->flags == g->flags && f->vertex == g->vertex);
  CHECK(f->a.triangle == g->a.triangle && f->b.triangle == g->b.triangle);
  CHECK(same_bits(f->edge_a, g->edge_a, sizeof f->edge_a) &&
        same_bits(f->edge_b, g->edge_b, sizeof f->edge_b));
  CHECK_NEAR(f->distance, g->distance, 1e-13);
  CHECK_NEAR(ct_norm(ct_sub(f->a.point, g->a.point)) + ct_norm(ct_sub(f->b.point, g->b.point)), 0,
             1e-13);
  CHECK_NEAR(ct_norm(ct_sub(f->a.normal, g->a.normal)) + ct_norm(ct_sub(f->normal, g->normal)), 0,
             1e-12);
}

static size_t features_of(const ct_mesh *a, const ct_mesh *b, ct_pair_feature **out) {
  static const ct_frame frame[2] = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}},
                                    {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {.25, .5, 1.25}}};
  const ct_shape shape[2] = {{.kind = CT_KIND_MESH, .mesh = a}, {.kind = CT_KIND_MESH, .mesh = b}};
  const ct_features_options options = {0};
  ct_features f;
  ct_pair_features((ct_placed){&shape[0], &frame[0]}, (ct_placed){&shape[1], &frame[1]}, &options,
                   scratch, &f);
  CHECK_INT(f.status, CT_FEATURES_OK);
  *out = malloc((f.count + 1) * sizeof **out);
  if (!*out) abort();
  memcpy(*out, f.items, f.count * sizeof **out);
  return f.count;
}

/* Balls that bend increasingly from state to state: the trees are refitted, and finally rebuilt. */
static void a_moved_mesh_answers_as_one_that_was_created(void) {
  check_random r = {81};
  soup s = {0};
  soup_sphere(&s, ct_vec(0, 0, 0), 1, 16, 20);
  ct_vec3 *at = malloc(s.vn * sizeof *at);
  ct_mesh_report report, fresh_report;
  ct_mesh *mesh = created(&s, s.v, NULL, CT_MESH_AUTO, NULL);
  uint32_t kept = 0, rebuilt = 0;
  for (int i = 1; i <= 24; i++) {
    deform(&s, at, i < 12 ? .05 * i : .4 * i, .3 * i);
    const ct_vec3 *normals = i % 3 ? NULL : s.v;
    ct_mesh *next = moved(mesh, at, normals, &report),
            *fresh = created(&s, at, normals, CT_MESH_AUTO, &fresh_report);
    check_same(next, fresh, &r);
    check_reports(&report, &fresh_report);
    bool same_order =
        ct_mesh_get(next)->node_count == ct_mesh_get(mesh)->node_count &&
        same_bits(ct_mesh_get(next)->order, ct_mesh_get(mesh)->order, s.tn * sizeof(uint32_t));
    kept += same_order;
    rebuilt += !same_order;
    ct_pair_feature *f, *g;
    size_t count = features_of(next, next, &f);
    CHECK_INT(features_of(fresh, fresh, &g), count);
    for (size_t k = 0; k < count; k++) check_feature(&f[k], &g[k]);
    CHECK(count > 0);
    free(f);
    free(g);
    ct_mesh_release(fresh);
    ct_mesh_release(mesh);
    mesh = next;
  }
  printf("%u trees fitted, %u rebuilt\n", kept, rebuilt);
  CHECK(kept >= 10 && rebuilt >= 1);
  ct_mesh_release(mesh);
  soup_free(&s);
  free(at);
}

static void a_mesh_that_is_moved_stays_as_it_was(void) {
  soup s = {0};
  soup_octahedron(&s, ct_vec(0, 0, 0), 1);
  ct_vec3 at[6];
  for (int i = 0; i < 6; i++) at[i] = ct_scale(s.v[i], 2);
  ct_mesh *mesh = created(&s, s.v, NULL, CT_MESH_AUTO, NULL), *next = moved(mesh, at, NULL, NULL);
  CHECK_NEAR(ct_mesh_get(next)->volume, 8 * ct_mesh_get(mesh)->volume, 1e-14);
  CHECK_NEAR(ct_mesh_get(mesh)->volume, 4.0 / 3, 1e-15);
  CHECK(ct_mesh_origin(next) == mesh && !ct_mesh_origin(mesh));
  CHECK(ct_mesh_bytes(next) < 2 * ct_mesh_bytes(mesh));
  ct_mesh_release(mesh);
  CHECK(ct_mesh_contains(next, ct_vec(1.5, 0, 0)));
  ct_mesh_release(next);
  soup_free(&s);
}

/* Positions decide the connectivity: vertices of separate triangles may part, triangles may lose
 * their area. */
static void connectivity_that_changes_is_found_anew_or_refused(void) {
  check_random r = {82};
  soup s = {0};
  soup_box(&s, ct_vec(-1, -1, -1), ct_vec(1, 1, 1));
  soup_explode(&s);
  ct_vec3 *at = malloc(s.vn * sizeof *at);
  ct_mesh *mesh = created(&s, s.v, NULL, CT_MESH_SOLID, NULL), *out = NULL;
  ct_mesh_report report;
  deform(&s, at, .1, 0); /* equal points stay equal */
  ct_mesh *next = moved(mesh, at, NULL, NULL), *fresh = created(&s, at, NULL, CT_MESH_SOLID, NULL);
  check_same(next, fresh, &r);
  ct_mesh_release(fresh);
  ct_mesh_release(next);
  at[4].x += 0x1p-20; /* the vertices part */
  CHECK_INT(ct_mesh_move(mesh, at, NULL, NULL, &out, &report), CT_OPEN_MESH);
  CHECK(report.open_edges > 0);
  ct_mesh_release(mesh);
  soup_free(&s);

  /* A corner of a box is moved onto another one: triangles lose their area, and the vertices merge.
   */
  soup_box(&s, ct_vec(-1, -1, -1), ct_vec(1, 1, 1));
  mesh = created(&s, s.v, NULL, CT_MESH_SOLID, NULL);
  memcpy(at, s.v, s.vn * sizeof *at);
  at[6] = at[5];
  next = moved(mesh, at, NULL, &report);
  fresh = created(&s, at, NULL, CT_MESH_SOLID, NULL);
  CHECK_INT(report.merged_vertices, 1);
  CHECK(report.degenerate_triangles > 0);
  check_same(next, fresh, &r);
  ct_mesh *back = moved(next, s.v, NULL, &report); /* and apart again */
  check_same(back, mesh, &r);
  CHECK_INT(report.degenerate_triangles, 0);
  ct_mesh_release(back);
  ct_mesh_release(fresh);
  ct_mesh_release(next);
  /* Inside out: the orientation is flipped, as on creation. */
  for (uint32_t i = 0; i < s.vn; i++) at[i] = ct_vec(s.v[i].x, s.v[i].y, -s.v[i].z);
  next = moved(mesh, at, NULL, &report);
  fresh = created(&s, at, NULL, CT_MESH_SOLID, NULL);
  CHECK(report.flipped && ct_mesh_get(next)->flipped);
  check_same(next, fresh, &r);
  ct_mesh_release(fresh);
  ct_mesh_release(next);
  /* Flattened, without any area, and beyond the exactness range. */
  for (uint32_t i = 0; i < s.vn; i++) at[i] = ct_vec(s.v[i].x, s.v[i].y, .125 * s.v[i].x);
  CHECK_INT(ct_mesh_move(mesh, at, NULL, NULL, &out, NULL), CT_OPEN_MESH);
  for (uint32_t i = 0; i < s.vn; i++) at[i] = ct_vec(1, 2, 3);
  CHECK_INT(ct_mesh_move(mesh, at, NULL, NULL, &out, NULL), CT_DEGENERATE_MESH);
  at[3].y = INFINITY;
  CHECK_INT(ct_mesh_move(mesh, at, NULL, NULL, &out, NULL), CT_LIMIT);
  CHECK(out == NULL);
  ct_mesh_release(mesh);
  soup_free(&s);
  free(at);
}

static void a_surface_that_is_moved_stays_a_surface(void) {
  check_random r = {83};
  soup s = {0};
  soup_sheet(&s, 8);
  ct_vec3 *at = malloc(s.vn * sizeof *at);
  for (uint32_t i = 0; i < s.vn; i++) at[i] = ct_vec(s.v[i].x, s.v[i].y, .1 * s.v[i].x * s.v[i].y);
  ct_mesh *mesh = created(&s, s.v, NULL, CT_MESH_AUTO, NULL), *next = moved(mesh, at, NULL, NULL);
  ct_mesh *fresh = created(&s, at, NULL, CT_MESH_AUTO, NULL);
  check_same(next, fresh, &r);
  CHECK(!ct_mesh_get(next)->solid);
  ct_mesh_release(fresh);
  ct_mesh_release(next);
  ct_mesh_release(mesh);
  soup_free(&s);
  free(at);
}

/* The original, moved to the final positions in one step, has the same tree to the bit: records
 * depend on it. */
static void moving_the_origin_gives_what_a_sequence_of_moves_gave(void) {
  soup s = {0};
  soup_sphere(&s, ct_vec(0, 0, 0), 1, 16, 20);
  ct_vec3 *at = malloc(s.vn * sizeof *at);
  ct_mesh *mesh = created(&s, s.v, NULL, CT_MESH_AUTO, NULL);
  if (!at) abort();
  for (int i = 1; i <= 8; i++) {
    deform(&s, at, .05 * i, .3 * i);
    ct_mesh *next = moved(mesh, at, s.v, NULL);
    ct_mesh_release(mesh);
    mesh = next;
  }
  const ct_mesh *origin = ct_mesh_origin(mesh);
  CHECK(origin && !ct_mesh_origin(origin));
  ct_mesh *once = moved(origin, at, s.v, NULL);
  const ct_mesh_view *p = ct_mesh_get(mesh), *q = ct_mesh_get(once);
  CHECK(same_bits(p->nodes, q->nodes, p->node_count * sizeof *p->nodes) && p->order == q->order);
  CHECK(p->across == q->across && p->corners == q->corners && p->triangles == q->triangles);
  CHECK(p->radius == q->radius && same_bits(&p->inertia, &q->inertia, sizeof p->inertia));
  ct_mesh_release(once);
  ct_mesh_release(mesh);
  soup_free(&s);
  free(at);
}

/* Two boxes with a common bottom, so that its triangles occur twice, repaired with duplicates kept:
 * the moved mesh keeps them and equals the repair of the moved arrays. */
static void duplicates_that_are_kept_are_kept_by_a_move(void) {
  soup s = {0};
  soup_box(&s, ct_vec(0, 0, 0), ct_vec(1, 1, 1));
  soup_box(&s, ct_vec(0, 0, 0), ct_vec(1, 1, 2));
  const ct_mesh_data data = {s.v, s.vn, (const uint32_t(*)[3])s.t, s.tn, NULL};
  const ct_mesh_repair_options keep = {.keep_duplicates = true};
  ct_mesh_repaired repaired = {0}, wanted = {0};
  CHECK_INT(ct_mesh_repair(&data, CT_MESH_SOLID, &keep, NULL, &repaired), CT_OK);
  CHECK(ct_mesh_get(repaired.mesh)->repeats && repaired.duplicates > 0);
  ct_vec3 *at = malloc(s.vn * sizeof *at);
  if (!at) abort();
  deform(&s, at, .2, .5);
  ct_mesh *next = moved(repaired.mesh, at, NULL, NULL);
  const ct_mesh_data there = {at, s.vn, (const uint32_t(*)[3])s.t, s.tn, NULL};
  CHECK_INT(ct_mesh_repair(&there, CT_MESH_SOLID, &keep, NULL, &wanted), CT_OK);
  check_random r = {84};
  check_same(next, wanted.mesh, &r);
  CHECK(ct_mesh_get(next)->repeats && ct_mesh_get(next)->live_count == s.tn);
  ct_mesh_release(next);
  ct_mesh_release(wanted.mesh);
  ct_mesh_release(repaired.mesh);
  ct_mesh_repaired_free(&repaired);
  ct_mesh_repaired_free(&wanted);
  soup_free(&s);
  free(at);
}

static void elements_that_are_moved_are_those_that_were_created(void) {
  static const uint32_t corners[8] = {0, 1, 2, 3, 1, 2, 3, 4}, ids[6] = {7, 8, 9, 10, 11, 12};
  const ct_vec3 rest[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
  ct_vec3 at[5] = {{-.5, 0, 0}, {1, 0, .25}, {0, 1.5, 0}, {0, 0, 1}, {2, 1, 1}};
  ct_elements_data data = {.type = CT_TETRAHEDRA,
                           .vertices = rest,
                           .vertex_count = 5,
                           .corners = corners,
                           .element_count = 2,
                           .surface_ids = ids,
                           .surface_id_count = 6};
  ct_elements *elements = NULL, *next = NULL, *fresh = NULL;
  ct_elements_report report;
  CHECK_INT(ct_elements_create(&data, NULL, &elements, NULL), CT_OK);
  CHECK_INT(ct_elements_move(elements, at, NULL, NULL, &next, &report), CT_OK);
  data.vertices = at;
  CHECK_INT(ct_elements_create(&data, NULL, &fresh, NULL), CT_OK);
  const ct_elements_view *p = ct_elements_get(next), *q = ct_elements_get(fresh);
  CHECK(p->volume == q->volume && p->outer_count == 6 &&
        same_bits(p->surface_ids, q->surface_ids, sizeof ids));
  CHECK(same_bits(p->boxes, q->boxes, 2 * sizeof *p->boxes));
  for (int e = 0; e < 2; e++)
    CHECK(ct_hull_get(p->hulls[e])->volume == ct_hull_get(q->hulls[e])->volume);
  ct_elements_release(fresh);
  ct_elements_release(next);
  next = NULL;
  at[3].z = -1; /* the first element is inside out */
  CHECK_INT(ct_elements_move(elements, at, NULL, NULL, &next, &report), CT_BAD_ELEMENT);
  CHECK(report.fault == CT_ELEMENT_INVERTED && report.element == 0 && !next);
  ct_elements_release(elements);
}

/* Each allocation fails in turn: CT_OUT_OF_MEMORY, and nothing leaks. */
static void without_memory_a_move_is_refused(void) {
  NEEDS_FAILING_MALLOC;
  soup s = {0};
  soup_sphere(&s, ct_vec(0, 0, 0), 1, 12, 12);
  ct_vec3 *at = malloc(s.vn * sizeof *at);
  ct_mesh *mesh = created(&s, s.v, NULL, CT_MESH_AUTO, NULL);
  if (!at) abort();
  for (int twisted = 0; twisted < 2; twisted++) {
    deform(&s, at, twisted ? 9 : .1, 0);
    long n = 1;
    for (ct_status status = CT_OUT_OF_MEMORY; status == CT_OUT_OF_MEMORY; n++) {
      ct_mesh *out = NULL;
      memory.fail_at = n;
      memory.taken = 0;
      memory.counting = true;
      status = ct_mesh_move(mesh, at, NULL, NULL, &out, NULL);
      memory.counting = false;
      memory.fail_at = 0;
      CHECK(status == CT_OK ? out != NULL : status == CT_OUT_OF_MEMORY && out == NULL);
      ct_mesh_release(out);
    }
    CHECK(n > 3);
  }
  ct_mesh_release(mesh);
  soup_free(&s);
  free(at);
}

static const check_test tests[] = {
    {"a_moved_mesh_answers_as_one_that_was_created", a_moved_mesh_answers_as_one_that_was_created},
    {"a_mesh_that_is_moved_stays_as_it_was", a_mesh_that_is_moved_stays_as_it_was},
    {"connectivity_that_changes_is_found_anew_or_refused",
     connectivity_that_changes_is_found_anew_or_refused},
    {"a_surface_that_is_moved_stays_a_surface", a_surface_that_is_moved_stays_a_surface},
    {"moving_the_origin_gives_what_a_sequence_of_moves_gave",
     moving_the_origin_gives_what_a_sequence_of_moves_gave},
    {"duplicates_that_are_kept_are_kept_by_a_move", duplicates_that_are_kept_are_kept_by_a_move},
    {"elements_that_are_moved_are_those_that_were_created",
     elements_that_are_moved_are_those_that_were_created},
    {"without_memory_a_move_is_refused", without_memory_a_move_is_refused},
};

int main(int argc, char **argv) {
  scratch = ct_workspace_create();
  int status = check_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
  ct_workspace_destroy(scratch);
  return status;
}
