/* Moved elements equal elements created from the same arrays to the bit in hulls, boxes, volume and
 * surface; their trees contain the same boxes, and the connectivity lists are shared. A hull moved
 * to new points equals the hull of these points to the bit. */
#include "tests/support/failing_malloc.h"

#include "tests/support/blocks.h"

#include "broad/aabb_tree.h"

static ct_workspace *scratch;

static bool same_bits(const void *a, const void *b, size_t size) { return memcmp(a, b, size) == 0; }

static bool same_doubles(const double *a, const double *b, uint32_t count) {
  return same_bits(a, b, count * sizeof *a);
}

static void check_hulls(const ct_hull *a, const ct_hull *b) {
  const ct_hull_view *p = ct_hull_get(a), *q = ct_hull_get(b);
  CHECK_INT(p->vertex_count, q->vertex_count);
  CHECK_INT(p->face_count, q->face_count);
  CHECK_INT(p->edge_count, q->edge_count);
  if (p->vertex_count != q->vertex_count || p->face_count != q->face_count) return;
  CHECK(same_doubles(p->x, q->x, p->vertex_count) && same_doubles(p->y, q->y, p->vertex_count) &&
        same_doubles(p->z, q->z, p->vertex_count));
  CHECK(same_doubles(p->nx, q->nx, p->face_count) && same_doubles(p->ny, q->ny, p->face_count) &&
        same_doubles(p->nz, q->nz, p->face_count) &&
        same_doubles(p->offset, q->offset, p->face_count));
  CHECK(same_bits(p->vertex_input, q->vertex_input, p->vertex_count * sizeof(uint32_t)));
  CHECK(same_bits(p->face_start, q->face_start, (p->face_count + 1) * sizeof(uint32_t)));
  CHECK(same_bits(p->face_loop, q->face_loop, 2 * p->edge_count * sizeof(uint32_t)));
  CHECK(same_bits(p->edge_vertices, q->edge_vertices, p->edge_count * sizeof *p->edge_vertices));
  CHECK(same_bits(p->edge_faces, q->edge_faces, p->edge_count * sizeof *p->edge_faces));
  CHECK(p->volume == q->volume && p->radius == q->radius &&
        same_bits(&p->centroid, &q->centroid, sizeof p->centroid));
  CHECK(same_bits(&p->inertia, &q->inertia, sizeof p->inertia) &&
        same_bits(&p->box, &q->box, sizeof p->box));
}

/* Small steps keep the faces, large ones do not; some points end inside or in one plane. */
static void a_hull_of_moved_points_is_the_hull_of_the_points(void) {
  check_random r = {91};
  for (int i = 0; i < 3000; i++) {
    uint32_t count = 4 + (uint32_t)(check_next(&r) % 9);
    ct_vec3 p[12], q[12];
    double step = pow(10.0, check_uniform(&r, -12, 0));
    for (uint32_t k = 0; k < count; k++) {
      p[k] = ct_vec(check_uniform(&r, -1, 1), check_uniform(&r, -1, 1), check_uniform(&r, -1, 1));
      p[k] = ct_scale(p[k], i % 3 ? 1.0 / ct_norm(p[k]) : 1.0);
      if (i % 5 == 0) p[k] = ct_vec(round(2 * p[k].x), round(2 * p[k].y), round(2 * p[k].z));
      q[k] = ct_add(p[k], ct_vec(check_uniform(&r, -step, step), check_uniform(&r, -step, step),
                                 check_uniform(&r, -step, step)));
      if (i % 7 == 0 && k > 0) q[k].x = p[k].x * 1e-200;
    }
    ct_hull *like = NULL, *moved = NULL, *fresh = NULL;
    if (ct_hull_from_points(p, count, NULL, &like, NULL) != CT_OK) continue;
    ct_status status = ct_hull_from_points(q, count, NULL, &fresh, NULL);
    CHECK_INT(ct_hull_from_moved_points(like, q, count, NULL, &moved), status);
    if (status == CT_OK) check_hulls(moved, fresh);
    ct_hull_release(like);
    ct_hull_release(moved);
    ct_hull_release(fresh);
  }
}

static ct_elements *created(const block *b, const ct_vec3 *vertices) {
  ct_elements_data data = block_data(b);
  data.vertices = vertices;
  ct_elements *out = NULL;
  CHECK_INT(ct_elements_create(&data, NULL, &out, NULL), CT_OK);
  return out;
}

static bool count_visit(void *context, uint32_t user) {
  uint8_t *seen = context;
  seen[user]++;
  return true;
}

/* A tree query with the box of each element finds the element, and only elements whose boxes
 * overlap. */
static void check_tree(const ct_elements_view *v) {
  CHECK(ct_tree_valid(v->tree));
  uint8_t *seen = malloc(v->element_count);
  if (!seen) abort();
  for (uint32_t e = 0; e < v->element_count; e += 7) {
    memset(seen, 0, v->element_count);
    ct_tree_query(v->tree, &v->boxes[e], count_visit, seen, NULL);
    for (uint32_t k = 0; k < v->element_count; k++)
      CHECK_INT(seen[k], ct_aabb_overlap(&v->boxes[e], &v->boxes[k]));
  }
  free(seen);
}

/* Volume and depth against a box through both, as bodies of elements. */
static void check_answers(const ct_elements *a, const ct_elements *b, double time) {
  ct_shape shape[2] = {ct_shape_of_elements(a), ct_shape_of_elements(b)};
  const ct_shape box = {.kind = CT_KIND_BOX, .box.half = {1.25, .75, 1}};
  const ct_frame here = ct_frame_of(ct_pose_identity());
  const ct_pose pose = {{1.0 + time, 1.5, 2.5}, {.1, .2, .3, .9}};
  const ct_frame there = ct_frame_of(pose);
  const ct_pair_options options = {.threshold = INFINITY};
  ct_pair_result got, wanted;
  ct_pair_distance((ct_placed){&shape[0], &here}, (ct_placed){&box, &there}, &options, scratch,
                   &got);
  ct_pair_distance((ct_placed){&shape[1], &here}, (ct_placed){&box, &there}, &options, scratch,
                   &wanted);
  CHECK_NEAR(got.distance, wanted.distance, 1e-12);
  CHECK_INT(got.status, wanted.status);
}

static void check_same(const ct_elements *a, const ct_elements *b) {
  const ct_elements_view *p = ct_elements_get(a), *q = ct_elements_get(b);
  const ct_mesh_view *s = ct_mesh_get(p->surface), *t = ct_mesh_get(q->surface);
  CHECK(p->volume == q->volume && s->radius == t->radius && s->point_count == t->point_count);
  CHECK(same_bits(&s->inertia, &t->inertia, sizeof s->inertia) &&
        same_bits(&s->box, &t->box, sizeof s->box));
  CHECK(same_bits(p->vertices, q->vertices, p->vertex_count * sizeof *p->vertices));
  CHECK(p->outer_count == q->outer_count &&
        same_bits(p->outer, q->outer, p->outer_count * sizeof *p->outer));
  CHECK(same_bits(p->boxes, q->boxes, p->element_count * sizeof *p->boxes));
  for (uint32_t e = 0; e < p->element_count; e++) check_hulls(p->hulls[e], q->hulls[e]);
  check_tree(p);
}

/* A twisted block, flattened by a factor. */
static void twist(const block *b, ct_vec3 *out, double amount, double flat, double phase) {
  for (uint32_t i = 0; i < b->vn; i++) {
    ct_vec3 p = b->v[i];
    double turn = amount * p.z, c = cos(turn), s = sin(turn);
    double wave = 1 + 0.05 * sin(p.x + phase);
    out[i] = ct_vec(wave * (c * p.x - s * p.y), wave * (s * p.x + c * p.y), flat * p.z);
  }
}

static void moved_elements_are_those_that_were_created(void) {
  static const ct_element_type types[] = {CT_TETRAHEDRA, CT_HEXAHEDRA, CT_MIXED_ELEMENTS};
  for (size_t k = 0; k < sizeof types / sizeof types[0]; k++) {
    check_random r = {92};
    block b = block_make(types[k], 2, 2, 12);
    block_jitter(&b, &r, .05);
    block_shuffle(&b, &r);
    ct_vec3 *at = malloc(b.vn * sizeof *at);
    ct_elements *last = created(&b, b.v);
    int shared = 0, rebuilt = 0;
    if (!at) abort();
    for (int i = 1; i <= 14; i++) {
      twist(&b, at, i < 12 ? .02 * i : 0, i < 12 ? 1 : .01, .3 * i);
      ct_elements *next = NULL, *fresh = created(&b, at);
      ct_elements_report report, wanted;
      ct_elements_data data = block_data(&b);
      data.vertices = at;
      ct_elements *again = NULL;
      CHECK_INT(ct_elements_create(&data, NULL, &again, &wanted), CT_OK);
      CHECK_INT(ct_elements_move(last, at, NULL, NULL, &next, &report), CT_OK);
      CHECK(report.nodes == wanted.nodes && report.outer_faces == wanted.outer_faces &&
            report.least_volume == wanted.least_volume &&
            report.greatest_volume == wanted.greatest_volume &&
            report.unused_vertices == wanted.unused_vertices);
      check_same(next, fresh);
      check_answers(next, fresh, .1 * i);
      const ct_elements *origin = ct_elements_origin(next);
      shared += origin && (origin == last || origin == ct_elements_origin(last));
      rebuilt += !origin;
      CHECK(!origin || ct_elements_get(next)->across == ct_elements_get(origin)->across);
      ct_elements_release(again);
      ct_elements_release(fresh);
      ct_elements_release(last);
      last = next;
    }
    printf("type %d: %d of 14 moves share the trees, %d built them anew\n", (int)types[k], shared,
           rebuilt);
    CHECK(shared >= 8 && rebuilt >= 1 && shared + rebuilt == 14);
    ct_elements_release(last);
    block_free(&b);
    free(at);
  }
}

/* The original, moved to the final positions in one step, has the same trees to the bit: records
 * depend on it. */
static void moving_the_origin_gives_what_a_sequence_of_moves_gave(void) {
  block b = block_make(CT_HEXAHEDRA, 4, 4, 4);
  ct_vec3 *at = malloc(b.vn * sizeof *at);
  ct_elements *last = created(&b, b.v), *next = NULL, *once = NULL;
  if (!at) abort();
  for (int i = 1; i <= 6; i++) {
    twist(&b, at, .02 * i, 1, i);
    CHECK_INT(ct_elements_move(last, at, NULL, NULL, &next, NULL), CT_OK);
    ct_elements_release(last);
    last = next;
    next = NULL;
  }
  const ct_elements *origin = ct_elements_origin(last);
  CHECK(origin && !ct_elements_origin(origin));
  CHECK_INT(ct_elements_move(origin, at, NULL, NULL, &once, NULL), CT_OK);
  const ct_elements_view *p = ct_elements_get(last), *q = ct_elements_get(once);
  const ct_mesh_view *s = ct_mesh_get(p->surface), *t = ct_mesh_get(q->surface);
  CHECK(same_bits(p->tree->nodes, q->tree->nodes, p->tree->used * sizeof *p->tree->nodes));
  CHECK(s->node_count == t->node_count &&
        same_bits(s->nodes, t->nodes, s->node_count * sizeof *s->nodes));
  CHECK(same_bits(s->order, t->order, s->live_count * sizeof *s->order));
  ct_elements_release(once);
  ct_elements_release(last);
  block_free(&b);
  free(at);
}

/* Separate vertices of several elements at one point, which move apart. */
static void elements_whose_points_change_are_created_or_refused(void) {
  block b = block_make(CT_TETRAHEDRA, 2, 2, 2);
  block_explode(&b);
  ct_vec3 *at = malloc(b.vn * sizeof *at);
  ct_elements *elements = created(&b, b.v), *next = NULL;
  ct_elements_report report;
  if (!at) abort();
  twist(&b, at, .1, 1, 0);
  CHECK_INT(ct_elements_move(elements, at, NULL, NULL, &next, NULL), CT_OK);
  CHECK(ct_elements_origin(next) == elements);
  ct_elements_release(next);
  next = NULL;
  at[0] =
      ct_add(at[0], ct_vec(-.125, -.125, 0)); /* shared its point with other vertices: they part */
  CHECK_INT(ct_elements_move(elements, at, NULL, NULL, &next, &report), CT_OK);
  CHECK(!ct_elements_origin(next) && report.outer_faces > ct_elements_get(elements)->outer_count);
  ct_elements_release(next);
  next = NULL;
  for (uint32_t i = 0; i < b.vn; i++) at[i] = ct_vec(b.v[i].x, b.v[i].y, -b.v[i].z);
  CHECK_INT(ct_elements_move(elements, at, NULL, NULL, &next, &report), CT_BAD_ELEMENT);
  CHECK(report.fault == CT_ELEMENT_INVERTED && report.element == 0 && !next);
  at[5].x = NAN;
  CHECK_INT(ct_elements_move(elements, at, NULL, NULL, &next, NULL), CT_LIMIT);
  ct_elements_release(elements);
  block_free(&b);
  free(at);
}

/* Each allocation fails in turn: CT_OUT_OF_MEMORY, and no element set is returned. */
static void without_memory_elements_are_not_moved(void) {
  NEEDS_FAILING_MALLOC;
  block b = block_make(CT_HEXAHEDRA, 2, 2, 1);
  ct_vec3 *at = malloc(b.vn * sizeof *at);
  ct_elements *elements = created(&b, b.v);
  long n = 1;
  if (!at) abort();
  twist(&b, at, .1, 1, 0);
  for (ct_status status = CT_OUT_OF_MEMORY; status == CT_OUT_OF_MEMORY; n++) {
    ct_elements *out = NULL;
    memory.fail_at = n;
    memory.taken = 0;
    memory.counting = true;
    status = ct_elements_move(elements, at, NULL, NULL, &out, NULL);
    memory.counting = false;
    memory.fail_at = 0;
    CHECK(status == CT_OK ? out != NULL : status == CT_OUT_OF_MEMORY && out == NULL);
    ct_elements_release(out);
  }
  CHECK(n > 10);
  ct_elements_release(elements);
  block_free(&b);
  free(at);
}

static const check_test tests[] = {
    {"a_hull_of_moved_points_is_the_hull_of_the_points",
     a_hull_of_moved_points_is_the_hull_of_the_points},
    {"moved_elements_are_those_that_were_created", moved_elements_are_those_that_were_created},
    {"moving_the_origin_gives_what_a_sequence_of_moves_gave",
     moving_the_origin_gives_what_a_sequence_of_moves_gave},
    {"elements_whose_points_change_are_created_or_refused",
     elements_whose_points_change_are_created_or_refused},
    {"without_memory_elements_are_not_moved", without_memory_elements_are_not_moved},
};

int main(int argc, char **argv) {
  scratch = ct_workspace_create();
  int status = check_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
  ct_workspace_destroy(scratch);
  return status;
}
