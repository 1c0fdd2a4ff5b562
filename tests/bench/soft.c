/* Two soft balls of 10,000 triangles each that press into each other and wobble, frame by frame: the
 * CPU time of a frame, with the meshes moved or created again, and the share of the features.
 *
 * Prints lines "name milliseconds": move, create (of both meshes), features, and features of meshes
 * that were created at every frame; medians of FRAMES frames.
 */
#include "tests/support/meshes.h"

#include <contact/features.h>

#include <time.h>

enum { FRAMES = 120, RINGS = 51, SECTORS = 100 };

static double cpu_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static int by_value(const void *left, const void *right) {
  double p = *(const double *)left, q = *(const double *)right;
  return (p > q) - (p < q);
}

static double median(double *values) {
  qsort(values, FRAMES, sizeof *values, by_value);
  return values[FRAMES / 2];
}

/* Waves of a tenth of the radius run over the ball, and it is flattened towards the other one. */
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
  const ct_shape shape[2] = {{.kind = CT_KIND_MESH, .mesh = mesh[0]}, {.kind = CT_KIND_MESH, .mesh = mesh[1]}};
  const ct_features_options options = {0};
  ct_features out;
  ct_pair_features((ct_placed){&shape[0], &frame[0]}, (ct_placed){&shape[1], &frame[1]}, &options, workspace, &out);
  if (out.status != CT_FEATURES_OK) abort();
  return out.count;
}

static void run_frame(const soup *rest, ct_mesh *mesh[2], ct_vec3 *vertices[2], int i, ct_workspace *workspace, frame_times *t) {
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
  printf("move %.4f\nfeatures %.4f\n", median(t.move), median(t.features));
  printf("create %.4f\nfeatures_fresh %.4f\n", median(t.create), median(t.fresh));
  for (int k = 0; k < 2; k++) {
    ct_mesh_release(mesh[k]);
    free(vertices[k]);
  }
  ct_workspace_destroy(workspace);
  soup_free(&rest);
  return 0;
}
