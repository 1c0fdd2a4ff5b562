/* Vertex welding within a tolerance: each vertex moves to the nearest earlier retained vertex, so
 * no vertex moves by more than the tolerance.
 *
 * Retained vertices are more than the tolerance apart, so a cell of a uniform grid of that width
 * contains a bounded number of them. Cells are hashed; the hash does not affect the result.
 */
#include "mesh/mesh_repair_steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX
/* Odd multipliers without structure: fractions of the golden ratio, of sqrt(2) and of sqrt(3). */
#define MIX_X 0x9e3779b97f4a7c15u
#define MIX_Y 0x6a09e667f3bcc909u
#define MIX_Z 0xbb67ae8584caa73bu
/* A tolerance below this fraction of the largest coordinate joins only bit-equal vertices. */
#define TOLERANCE_FRACTION_MIN 0x1p-60

/* Hash grid of the retained vertices. */
typedef struct weld_grid {
  uint32_t *head, *next; /* [mask + 1], [vertices] */
  uint32_t mask;
  double width;
} weld_grid;

static uint64_t get_coordinate_bits(double x) {
  uint64_t b;
  double plain = 0.0 + x; /* 0 + -0 is 0 */
  memcpy(&b, &plain, sizeof b);
  return b;
}

static uint32_t find_bucket(const weld_grid *c, double x, double y, double z) {
  uint64_t h = get_coordinate_bits(x) * MIX_X;
  h = (h ^ h >> 32 ^ get_coordinate_bits(y)) * MIX_Y;
  h = (h ^ h >> 32 ^ get_coordinate_bits(z)) * MIX_Z;
  return (uint32_t)(h >> 32) & c->mask;
}

/* Nearest retained vertex within the width of p; the lowest index among equals. */
static uint32_t find_nearest_retained(const weld_grid *c, const ct_vec3 *vertices, ct_vec3 p,
                                      double *distance) {
  double x = floor(p.x / c->width), y = floor(p.y / c->width), z = floor(p.z / c->width);
  uint32_t best = NONE;
  *distance = c->width;
  for (int k = 0; k < 27; k++) {
    double cx = x + (k % 3 - 1), cy = y + (k / 3 % 3 - 1), cz = z + (k / 9 - 1);
    for (uint32_t i = c->head[find_bucket(c, cx, cy, cz)]; i != NONE; i = c->next[i]) {
      double d = ct_norm(ct_sub(vertices[i], p));
      if (d > *distance || (d == *distance && best != NONE && i >= best)) continue;
      best = i;
      *distance = d;
    }
  }
  return best;
}

static bool allocate_weld_grid(weld_grid *c, uint32_t count, double width) {
  uint32_t buckets = 64;
  while (buckets < count) buckets *= 2;
  c->head = malloc(buckets * sizeof *c->head);
  c->next = malloc(((size_t)count + 1) * sizeof *c->next);
  c->mask = buckets - 1;
  c->width = width;
  for (uint32_t b = 0; c->head && b < buckets; b++) c->head[b] = NONE;
  return c->head && c->next;
}

ct_status ct_mesh_weld(ct_vec3 *vertices, uint32_t count, double tolerance, const ct_cancel *cancel,
                       uint32_t *moved, double *displacement) {
  double largest = 0.0;
  for (uint32_t i = 0; i < count; i++) largest = ct_max2(largest, ct_max_abs(vertices[i]));
  *moved = 0;
  *displacement = 0.0;
  /* Nothing but bit-equal vertices would be joined. */
  if (tolerance < TOLERANCE_FRACTION_MIN * largest) return CT_OK;
  weld_grid c = {0};
  ct_status status = allocate_weld_grid(&c, count, tolerance) ? CT_OK : CT_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < count && status == CT_OK; i++) {
    ct_vec3 p = vertices[i];
    double distance;
    uint32_t near = find_nearest_retained(&c, vertices, p, &distance);
    if (ct_mesh_cancelled(i, cancel)) status = CT_CANCELLED;
    /* Move to the nearest retained vertex, or retain this one in its cell. */
    if (near != NONE) {
      vertices[i] = vertices[near];
      *moved += distance > 0.0;
      *displacement = ct_max2(*displacement, distance);
      continue;
    }
    uint32_t bucket =
        find_bucket(&c, floor(p.x / tolerance), floor(p.y / tolerance), floor(p.z / tolerance));
    c.next[i] = c.head[bucket];
    c.head[bucket] = i;
  }
  free(c.head);
  free(c.next);
  return status;
}
