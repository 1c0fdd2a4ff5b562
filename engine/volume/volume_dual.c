/* Dual construction of an intersection (Muller, Preparata 1978); inner point and moved planes as in
 * Koziara's Solfec. */
#include "volume/volume_dual.h"
#include "volume/volume_cut.h"

#include <stdlib.h>

/* Solfec's inner point iteration: passes, and the first step in epsilons. */
#define REFINE_PASSES 5
#define REFINE_STEP 32.0

static void append_body_plane(ct_volume_dual *d, const ct_volume_body *body, uint32_t face,
                              uint32_t source) {
  ct_plane_set *p = &d->planes;
  ct_vec3 n = ct_volume_body_normal(body, face);
  p->unit[p->count] = (ct_half_space){n, body->offset[face]};
  p->normals[p->count] = ct_vec(ct_exact_flush(n.x), ct_exact_flush(n.y), ct_exact_flush(n.z));
  p->constants[p->count] = -body->offset[face];
  d->source[p->count++] = source;
}

bool ct_volume_dual_open(ct_volume_dual *d, const ct_volume_body *a, const ct_volume_body *b,
                         const uint32_t *shared) {
  size_t count = (size_t)a->face_count + b->face_count;
  *d = (ct_volume_dual){.a = a, .b = b};
  d->planes.unit = malloc(count * sizeof *d->planes.unit);
  d->planes.normals = malloc(count * sizeof *d->planes.normals);
  d->planes.constants = malloc(count * sizeof *d->planes.constants);
  d->planes.points = malloc(count * sizeof *d->planes.points);
  d->source = malloc(count * sizeof *d->source);
  bool *is_left_out = calloc(b->face_count, sizeof *is_left_out);
  bool ready = d->planes.unit && d->planes.normals && d->planes.constants && d->planes.points &&
               d->source && is_left_out;
  for (uint32_t f = 0; ready && f < a->face_count; f++) {
    if (shared[f] != CT_CUT_NONE) is_left_out[shared[f]] = true;
    append_body_plane(d, a, f, f);
  }
  for (uint32_t f = 0; ready && f < b->face_count; f++) {
    if (!is_left_out[f]) append_body_plane(d, b, f, a->face_count + f);
  }
  free(is_left_out);
  return ready;
}

void ct_volume_dual_close(ct_volume_dual *d) {
  free(d->planes.unit);
  free(d->planes.normals);
  free(d->planes.constants);
  free(d->planes.points);
  free(d->source);
  ct_hull_cells_free(&d->solid);
}

static double compute_inner_height(const ct_volume_dual *d, uint32_t plane) {
  return ct_dot(d->planes.unit[plane].normal, d->inner) - d->planes.unit[plane].offset;
}

static void update_inner_margin(ct_volume_dual *d) {
  d->margin = INFINITY;
  for (uint32_t i = 0; i < d->planes.count; i++)
    d->margin = ct_min2(d->margin, -compute_inner_height(d, i));
}

void ct_volume_dual_centre(ct_volume_dual *d, double *resolution) {
  ct_inscribed ball = ct_inscribed_ball(d->planes.unit, d->planes.count, d->planes.cancel);
  d->inner = ball.center;
  d->margin = ball.radius;
  *resolution = ball.resolution;
}

void ct_volume_dual_refine(ct_volume_dual *d, ct_vec3 start, double epsilon) {
  double step = REFINE_STEP * epsilon;
  bool moved = true;
  d->inner = start;
  for (int pass = 0; pass < REFINE_PASSES && moved; pass++, step *= 0.5) {
    moved = false;
    for (uint32_t i = 0; i < d->planes.count; i++) {
      if (compute_inner_height(d, i) <= -epsilon) continue;
      d->inner = ct_add_scaled(d->inner, d->planes.unit[i].normal, -step);
      moved = true;
    }
  }
  if (moved) d->inner = start;
  update_inner_margin(d);
}

bool ct_volume_dual_swell(ct_volume_dual *d, double epsilon) {
  bool any = false;
  for (uint32_t i = 0; i < d->planes.count; i++) {
    double height = compute_inner_height(d, i);
    if (height <= -epsilon) continue;
    d->planes.unit[i].offset += height + epsilon;
    d->planes.constants[i] = -d->planes.unit[i].offset;
    any = true;
  }
  return any;
}

ct_status ct_volume_dual_solve(ct_volume_dual *d) {
  ct_hull_builder grow = {0};
  ct_hull_cells dual = {0};
  ct_status status = ct_dual_points(&d->planes, d->inner);
  if (status == CT_OK) status = ct_dual_hull(&d->planes, &grow, &dual);
  if (status == CT_OK) status = ct_polarise(&dual, d->inner, d->planes.cancel, &d->solid);
  ct_hull_builder_free(&grow);
  ct_hull_cells_free(&dual);
  return status;
}
