/* Two soft balls of 10,000 triangles each that press into each other and oscillate, frame by frame:
 * the CPU time of a frame, with the meshes refitted or created again, and the share of the
 * features. The same for blocks of elements. And the cost of a tree that was refitted until just
 * before a rebuild: queries of a twisted ball against those with a new tree.
 *
 * Prints lines "name value", times in ms, medians of FRAMES frames: move, create (of both meshes),
 * features, and features of meshes created at every frame; tets, tets_move, tets_create and the
 * like of hexes, of one block; growth of the twisted ball's tree cost, and the relative times of
 * features, distances and rays. */
#include "tests/bench/timing.h"
#include "tests/support/blocks.h"
#include "tests/support/meshes.h"

#include <contact/features.h>

enum { FRAMES = 120, RINGS = 51, SECTORS = 100, BLOCKS = 9, ROUNDS = 5, PLACES = 60, RAYS = 3000 };

static double cpu_ms(void) { return 1e-6 * timing_ns(); }

/* Waves of a tenth of the radius travel over the ball, and it is flattened towards the other
 * one. */
static void deform(const soup *rest, ct_vec3 *out, double phase, double side) {
  for (uint32_t i = 0; i < rest->vn; i++) {
    ct_vec3 p = rest->v[i];
    double wave = 1.0 + 0.05 * sin(5.0 * p.x + phase) * sin(4.0 * p.y - phase);
    out[i] = ct_scale(p, wave);
    if (side * out[i].z > 0.85) out[i].z = side * (0.85 + 0.4 * (side * out[i].z - 0.85));
  }
}

typedef struct frame_times {
  double move[FRAMES], create[FRAMES], features[FRAMES], fresh[FRAMES];
  size_t found;
} frame_times;

static ct_mesh *fresh_mesh(const soup *rest, const ct_vec3 *vertices) {
  const ct_mesh_data data = {vertices, rest->vn, (const uint32_t(*)[3])rest->t, rest->tn, NULL};
  ct_mesh *mesh = NULL;
  if (ct_mesh_create(&data, CT_MESH_SOLID, NULL, &mesh, NULL) != CT_OK) abort();
  return mesh;
}

static size_t find_features(ct_mesh *const mesh[2], ct_workspace *workspace) {
  static const ct_frame frame[2] = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}},
                                    {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0.03125, 0.0625, 1.75}}};
  const ct_shape shape[2] = {{.kind = CT_KIND_MESH, .mesh = mesh[0]},
                             {.kind = CT_KIND_MESH, .mesh = mesh[1]}};
  const ct_features_options options = {0};
  ct_features out;
  ct_pair_features((ct_placed){&shape[0], &frame[0]}, (ct_placed){&shape[1], &frame[1]}, &options,
                   workspace, &out);
  if (out.status != CT_FEATURES_OK) abort();
  return out.count;
}

static void run_frame(const soup *rest, ct_mesh *mesh[2], ct_vec3 *vertices[2], int i,
                      ct_workspace *workspace, frame_times *t) {
  ct_mesh *fresh[2];
  double start = cpu_ms();
  for (int k = 0; k < 2; k++) {
    ct_mesh *moved = NULL;
    if (ct_mesh_move(mesh[k], vertices[k], NULL, NULL, &moved, NULL) != CT_OK) abort();
    ct_mesh_release(mesh[k]);
    mesh[k] = moved;
  }
  t->move[i] = cpu_ms() - start;
  start = cpu_ms();
  t->found = find_features(mesh, workspace);
  t->features[i] = cpu_ms() - start;
  start = cpu_ms();
  for (int k = 0; k < 2; k++) fresh[k] = fresh_mesh(rest, vertices[k]);
  t->create[i] = cpu_ms() - start;
  start = cpu_ms();
  if (find_features(fresh, workspace) != t->found) abort();
  t->fresh[i] = cpu_ms() - start;
  for (int k = 0; k < 2; k++) ct_mesh_release(fresh[k]);
}

/* ---- elements ------------------------------------------------------------------------------- */

static void run_elements(ct_element_type type, uint32_t side, const char *name) {
  block b = block_make(type, side, side, side);
  ct_elements *elements = block_elements(&b);
  ct_vec3 *at = malloc(b.vn * sizeof *at);
  double move[BLOCKS], create[BLOCKS];
  ct_elements_data data = block_data(&b);
  if (!at) abort();
  data.vertices = at;
  for (int i = 0; i < BLOCKS; i++) {
    ct_elements *moved = NULL, *fresh = NULL;
    double phase = 0.1 * i;
    for (uint32_t v = 0; v < b.vn; v++) {
      ct_vec3 p = b.v[v];
      ct_vec3 by = {sin(0.5 * p.y + phase), sin(0.4 * p.z - phase), sin(p.x)};
      at[v] = ct_add_scaled(p, by, 0.2);
    }
    double start = cpu_ms();
    if (ct_elements_move(elements, at, NULL, NULL, &moved, NULL) != CT_OK) abort();
    move[i] = cpu_ms() - start;
    start = cpu_ms();
    if (ct_elements_create(&data, NULL, &fresh, NULL) != CT_OK) abort();
    create[i] = cpu_ms() - start;
    ct_elements_release(fresh);
    ct_elements_release(elements);
    elements = moved;
  }
  printf("%s %u\n%s_move %.4f\n", name, b.en, name, timing_median(move, BLOCKS));
  printf("%s_create %.4f\n", name, timing_median(create, BLOCKS));
  ct_elements_release(elements);
  free(at);
  block_free(&b);
}

/* ---- a tree just before a rebuild ------------------------------------------------------------ */

static double box_area(const ct_aabb *b) {
  ct_vec3 d = ct_sub(b->max, b->min);
  return d.x * d.y + d.y * d.z + d.z * d.x;
}

static double tree_cost(const ct_mesh *mesh) {
  const ct_mesh_view *v = ct_mesh_get(mesh);
  double sum = 0.0;
  for (uint32_t i = 2; i < v->node_count; i++) sum += box_area(&v->nodes[i].box);
  return sum / box_area(&v->nodes[0].box);
}

static double time_features(ct_mesh *mesh, ct_workspace *workspace) {
  ct_mesh *const pair[2] = {mesh, mesh};
  double start = cpu_ms();
  (void)find_features(pair, workspace);
  return cpu_ms() - start;
}

static ct_vec3 draw_vector(check_random *r, double most) {
  return ct_vec(check_uniform(r, -most, most), check_uniform(r, -most, most),
                check_uniform(r, -most, most));
}

static double time_distances(ct_mesh *mesh, ct_workspace *workspace) {
  const ct_shape shape = {.kind = CT_KIND_MESH, .mesh = mesh};
  const ct_pair_options options = {.threshold = INFINITY};
  const ct_frame here = ct_frame_of(ct_pose_identity());
  check_random r = {4};
  double start = cpu_ms();
  for (int k = 0; k < PLACES; k++) {
    ct_pose pose = ct_pose_identity();
    ct_vec3 way = draw_vector(&r, 1.0);
    ct_pair_result result;
    pose.position = ct_scale(way, 6.0 / ct_norm(way));
    ct_frame there = ct_frame_of(pose);
    ct_pair_distance((ct_placed){&shape, &here}, (ct_placed){&shape, &there}, &options, workspace,
                     &result);
  }
  return cpu_ms() - start;
}

static double time_rays(ct_mesh *mesh, ct_workspace *workspace) {
  check_random r = {5};
  double start = cpu_ms();
  for (int k = 0; k < RAYS; k++) {
    ct_mesh_hit hit;
    ct_vec3 origin = draw_vector(&r, 2.0), direction = draw_vector(&r, 1.0);
    ct_mesh_ray_first(mesh, origin, direction, INFINITY, &hit);
  }
  (void)workspace;
  return cpu_ms() - start;
}

/* A ball twisted as far as possible without a rebuild of its tree. */
static void run_twisted(const soup *rest, ct_workspace *workspace) {
  static const struct {
    const char *name;
    double (*time)(ct_mesh *, ct_workspace *);
  } questions[] = {{"twisted_features", time_features},
                   {"twisted_distances", time_distances},
                   {"twisted_rays", time_rays}};
  ct_vec3 *at = malloc(rest->vn * sizeof *at);
  ct_mesh *mesh = fresh_mesh(rest, rest->v), *moved = NULL;
  if (!at) abort();
  for (uint32_t i = 0; i < rest->vn; i++) {
    ct_vec3 p = rest->v[i];
    double c = cos(2.3 * p.z), s = sin(2.3 * p.z);
    at[i] = ct_vec(1.5 * c * p.x - 0.5 * s * p.y, 1.5 * s * p.x + 0.5 * c * p.y, 2.0 * p.z);
  }
  if (ct_mesh_move(mesh, at, NULL, NULL, &moved, NULL) != CT_OK || !ct_mesh_origin(moved)) abort();
  ct_mesh *fresh = fresh_mesh(rest, at);
  printf("growth %.4f\n", tree_cost(moved) / tree_cost(mesh));
  for (size_t q = 0; q < sizeof questions / sizeof questions[0]; q++) {
    double fitted[ROUNDS], own[ROUNDS];
    for (int k = 0; k < ROUNDS; k++) {
      fitted[k] = questions[q].time(moved, workspace);
      own[k] = questions[q].time(fresh, workspace);
    }
    printf("%s %.4f\n", questions[q].name,
           timing_median(fitted, ROUNDS) / timing_median(own, ROUNDS));
  }
  ct_mesh_release(fresh);
  ct_mesh_release(moved);
  ct_mesh_release(mesh);
  free(at);
}

int main(void) {
  static frame_times t;
  soup rest = {0};
  soup_sphere(&rest, ct_vec(0, 0, 0), 1.0, RINGS, SECTORS);
  ct_vec3 *vertices[2] = {malloc(rest.vn * sizeof(ct_vec3)), malloc(rest.vn * sizeof(ct_vec3))};
  ct_workspace *workspace = ct_workspace_create();
  if (!vertices[0] || !vertices[1] || !workspace) abort();
  ct_mesh *mesh[2] = {fresh_mesh(&rest, rest.v), fresh_mesh(&rest, rest.v)};
  for (int i = 0; i < FRAMES; i++) {
    deform(&rest, vertices[0], 0.1 * i, 1.0);
    deform(&rest, vertices[1], 0.13 * i, -1.0);
    run_frame(&rest, mesh, vertices, i, workspace, &t);
  }
  printf("triangles %u\nfeatures_found %zu\n", rest.tn, t.found);
  printf("move %.4f\nfeatures %.4f\n", timing_median(t.move, FRAMES),
         timing_median(t.features, FRAMES));
  printf("create %.4f\nfeatures_fresh %.4f\n", timing_median(t.create, FRAMES),
         timing_median(t.fresh, FRAMES));
  for (int k = 0; k < 2; k++) {
    ct_mesh_release(mesh[k]);
    free(vertices[k]);
  }
  run_elements(CT_TETRAHEDRA, 12, "tets");
  run_elements(CT_HEXAHEDRA, 21, "hexes");
  run_twisted(&rest, workspace);
  ct_workspace_destroy(workspace);
  soup_free(&rest);
  return 0;
}
