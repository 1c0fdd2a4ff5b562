/* Volume meshes for the tests: blocks of cells, each a hexahedron or six tetrahedra around its diagonal, and ways to spoil them. */
#ifndef TESTS_BLOCKS_H
#define TESTS_BLOCKS_H

#include "tests/support/check.h"

#include <contact/contact.h>

/* Owns its arrays. */
typedef struct block {
  ct_element_type type;
  ct_vec3 *v;
  uint32_t *c; /* corners, side by side */
  uint32_t vn, en;
} block;

static inline uint32_t block_each(const block *b) { return ct_element_form_of(b->type)->corners; }

static inline void block_free(block *b) {
  free(b->v);
  free(b->c);
  *b = (block){0};
}

/* nx x ny x nz unit cells from the origin. A cell's corners in the order of VTK are its numbers 0 to 7; Kuhn's six tetrahedra go
 * around the diagonal from 0 to 6. */
static inline block block_make(ct_element_type type, uint32_t nx, uint32_t ny, uint32_t nz) {
  static const uint32_t kuhn[6][4] = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6}, {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};
  uint32_t cells = nx * ny * nz, sx = nx + 1, sy = ny + 1;
  block b = {.type = type, .vn = sx * sy * (nz + 1), .en = type == CT_HEXAHEDRA ? cells : 6 * cells};
  b.v = malloc(b.vn * sizeof *b.v);
  b.c = malloc(b.en * block_each(&b) * sizeof *b.c);
  if (!b.v || !b.c) abort();
  for (uint32_t i = 0; i < b.vn; i++) b.v[i] = ct_vec(i % sx, i / sx % sy, i / (sx * sy));
  uint32_t *out = b.c;
  for (uint32_t i = 0; i < cells; i++) {
    uint32_t at = i % nx + sx * (i / nx % ny + sy * (i / (nx * ny)));
    uint32_t corner[8] = {at, at + 1, at + 1 + sx, at + sx};
    for (int k = 0; k < 4; k++) corner[4 + k] = corner[k] + sx * sy;
    if (type == CT_HEXAHEDRA)
      for (int k = 0; k < 8; k++) *out++ = corner[k];
    else
      for (int k = 0; k < 24; k++) *out++ = corner[kuhn[k / 4][k % 4]];
  }
  return b;
}

/* Moves each vertex by at most `by` along each axis. Below 0.1 no element turns over. */
static inline void block_jitter(block *b, check_random *r, double by) {
  for (uint32_t i = 0; i < b->vn; i++)
    b->v[i] = ct_add(b->v[i], ct_vec(check_uniform(r, -by, by), check_uniform(r, -by, by), check_uniform(r, -by, by)));
}

/* Another numbering of the vertices and another order of the elements. */
static inline void block_shuffle(block *b, check_random *r) {
  uint32_t *to = malloc(b->vn * sizeof *to), each = block_each(b);
  ct_vec3 *v = malloc(b->vn * sizeof *v);
  if (!to || !v) abort();
  for (uint32_t i = 0; i < b->vn; i++) {
    uint32_t j = (uint32_t)(check_next(r) % (i + 1));
    to[i] = to[j];
    to[j] = i;
  }
  for (uint32_t i = 0; i < b->vn; i++) v[to[i]] = b->v[i];
  free(b->v);
  b->v = v;
  for (uint32_t i = 0; i < b->en * each; i++) b->c[i] = to[b->c[i]];
  for (uint32_t i = b->en - 1; i > 0; i--)
    for (uint32_t j = (uint32_t)(check_next(r) % (i + 1)), k = 0; k < each; k++) {
      uint32_t c = b->c[i * each + k];
      b->c[i * each + k] = b->c[j * each + k];
      b->c[j * each + k] = c;
    }
  free(to);
}

/* Each element gets vertices of its own: nothing but equal bits says what belongs together. */
static inline void block_explode(block *b) {
  uint32_t n = b->en * block_each(b);
  ct_vec3 *v = malloc(n * sizeof *v);
  if (!v) abort();
  for (uint32_t i = 0; i < n; i++) {
    v[i] = b->v[b->c[i]];
    b->c[i] = i;
  }
  free(b->v);
  b->v = v;
  b->vn = n;
}

static inline ct_elements_data block_data(const block *b) {
  return (ct_elements_data){.type = b->type, .vertices = b->v, .vertex_count = b->vn, .corners = b->c, .element_count = b->en};
}

/* The elements, which must be good. */
static inline ct_elements *block_elements(const block *b) {
  ct_elements *elements = NULL;
  ct_elements_data data = block_data(b);
  if (ct_elements_create(&data, NULL, &elements, NULL) != CT_OK) abort();
  return elements;
}

#endif
