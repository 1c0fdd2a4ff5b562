/* Element meshes for tests: blocks of cells, each cell a hexahedron or six tetrahedra around its
 * diagonal, or all types of elements under roofs; and ways to damage them. */
#ifndef TESTS_BLOCKS_H
#define TESTS_BLOCKS_H

#include "tests/support/check.h"

#include <contact/contact.h>

/* Owns its arrays. */
typedef struct block {
  ct_element_type type;
  ct_vec3 *v;
  uint32_t *c; /* corners; element i begins at i * `block_each`; CT_NO_VERTEX pads mixed blocks */
  uint32_t vn, en;
  uint8_t *n; /* corners of each element; NULL: all have the same number */
} block;

static inline uint32_t block_each(const block *b) { return ct_element_form_of(b->type)->corners; }
static inline uint32_t block_corners(const block *b, uint32_t element) {
  return b->n ? b->n[element] : block_each(b);
}
static inline const ct_element_form *block_form(const block *b, uint32_t element) {
  return ct_element_form_of_corners(block_corners(b, element));
}

static inline void block_free(block *b) {
  free(b->v);
  free(b->c);
  free(b->n);
  *b = (block){0};
}

static inline void block_add(block *b, uint32_t count, const uint32_t *corners) {
  for (uint32_t k = 0; k < 8; k++) b->c[8 * b->en + k] = k < count ? corners[k] : CT_NO_VERTEX;
  b->n[b->en++] = (uint8_t)count;
}

static inline uint32_t block_add_vertex(block *b, double x, double y, double z) {
  b->v[b->vn] = ct_vec(x, y, z);
  return b->vn++;
}

/* Adds a cell, its corners in the order of VTK: in every third column two wedges, else alternately
 * a hexahedron or six pyramids. */
static inline void block_add_cell(block *b, uint32_t x, uint32_t y, uint32_t z,
                                  const uint32_t c[8]) {
  static const uint32_t base[6][4] = {{0, 1, 2, 3}, {4, 7, 6, 5}, {0, 4, 5, 1},
                                      {1, 5, 6, 2}, {2, 6, 7, 3}, {3, 7, 4, 0}};
  if ((x + y) % 3 == 1) {
    block_add(b, 6, (const uint32_t[6]){c[0], c[1], c[2], c[4], c[5], c[6]});
    block_add(b, 6, (const uint32_t[6]){c[2], c[3], c[0], c[6], c[7], c[4]});
  } else if ((x + y + z) % 2 == 1) {
    block_add(b, 8, c);
  } else {
    uint32_t middle = block_add_vertex(b, x + 0.5, y + 0.5, z + 0.5);
    for (int f = 0; f < 6; f++)
      block_add(
          b, 5,
          (const uint32_t[5]){c[base[f][0]], c[base[f][1]], c[base[f][2]], c[base[f][3]], middle});
  }
}

/* Adds the roof of a column: a pyramid of height 1/2, or two tetrahedra where its top is split; and
 * the tetrahedra between its ridge and those of the columns before it. top: the apexes of all roofs
 * so far. */
static inline void block_add_roof(block *b, uint32_t own, uint32_t nx, uint32_t *top,
                                  const uint32_t c[4], double z) {
  uint32_t x = own % nx, y = own / nx,
           peak = top[own] = block_add_vertex(b, x + 0.5, y + 0.5, z + 0.5);
  if ((x + y) % 3 == 1) {
    block_add(b, 4, (const uint32_t[4]){c[0], c[1], c[2], peak});
    block_add(b, 4, (const uint32_t[4]){c[2], c[3], c[0], peak});
  } else {
    block_add(b, 5, (const uint32_t[5]){c[0], c[1], c[2], c[3], peak});
  }
  if (x > 0) block_add(b, 4, (const uint32_t[4]){c[0], c[3], top[own - 1], peak});
  if (y > 0) block_add(b, 4, (const uint32_t[4]){c[1], c[0], top[own - nx], peak});
}

/* A block of cells of wedges, pyramids and hexahedra in the layout of block_make, with a roof of
 * tetrahedra and pyramids on each column. Its volume is nx ny (nz + 1/6) plus 1/12 for each pair of
 * adjacent columns. */
static inline block block_make_mixed(uint32_t nx, uint32_t ny, uint32_t nz) {
  uint32_t cells = nx * ny * nz, columns = nx * ny, sx = nx + 1, sy = ny + 1, sz = nz + 1,
           most = 6 * cells + 4 * columns;
  block b = {.type = CT_MIXED_ELEMENTS, .vn = 0};
  b.v = malloc((sx * sy * sz + cells + columns) * sizeof *b.v);
  b.c = malloc(8 * most * sizeof *b.c);
  b.n = malloc(most);
  uint32_t *top = malloc(columns * sizeof *top);
  if (!b.v || !b.c || !b.n || !top) abort();
  for (uint32_t i = 0; i < sx * sy * sz; i++)
    block_add_vertex(&b, i % sx, i / sx % sy, i / (sx * sy));
  for (uint32_t i = 0; i < cells + columns; i++) {
    uint32_t x = i % nx, y = i / nx % ny, z = i / columns, at = x + sx * (y + sy * z);
    uint32_t c[8] = {at, at + 1, at + 1 + sx, at + sx};
    for (int k = 0; k < 4; k++) c[4 + k] = c[k] + sx * sy;
    if (i < cells) block_add_cell(&b, x, y, z, c);
    else block_add_roof(&b, i - cells, nx, top, c, z);
  }
  free(top);
  return b;
}

/* nx x ny x nz unit cells from the origin. The corners of a cell have the order of VTK; Kuhn's six
 * tetrahedra surround the diagonal from 0 to 6. */
static inline block block_make(ct_element_type type, uint32_t nx, uint32_t ny, uint32_t nz) {
  static const uint32_t kuhn[6][4] = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6},
                                      {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};
  uint32_t cells = nx * ny * nz, sx = nx + 1, sy = ny + 1;
  if (type == CT_MIXED_ELEMENTS) return block_make_mixed(nx, ny, nz);
  block b = {
      .type = type, .vn = sx * sy * (nz + 1), .en = type == CT_HEXAHEDRA ? cells : 6 * cells};
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

/* Moves each vertex by at most `by` along each axis. Below 0.1 no element is inverted. */
static inline void block_jitter(block *b, check_random *r, double by) {
  for (uint32_t i = 0; i < b->vn; i++)
    b->v[i] = ct_add(b->v[i], ct_vec(check_uniform(r, -by, by), check_uniform(r, -by, by),
                                     check_uniform(r, -by, by)));
}

/* Permutes the vertices and the elements. */
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
  for (uint32_t i = 0; i < b->en * each; i++)
    if (b->c[i] != CT_NO_VERTEX) b->c[i] = to[b->c[i]];
  for (uint32_t i = b->en - 1; i > 0; i--) {
    uint32_t j = (uint32_t)(check_next(r) % (i + 1));
    for (uint32_t k = 0; k < each; k++) {
      uint32_t c = b->c[i * each + k];
      b->c[i * each + k] = b->c[j * each + k];
      b->c[j * each + k] = c;
    }
    if (!b->n) continue;
    uint8_t n = b->n[i];
    b->n[i] = b->n[j];
    b->n[j] = n;
  }
  free(to);
}

/* Gives each element its own vertices: only equal positions connect the elements. */
static inline void block_explode(block *b) {
  uint32_t n = b->en * block_each(b), count = 0;
  ct_vec3 *v = malloc(n * sizeof *v);
  if (!v) abort();
  for (uint32_t i = 0; i < n; i++) {
    if (b->c[i] == CT_NO_VERTEX) continue;
    v[count] = b->v[b->c[i]];
    b->c[i] = count++;
  }
  free(b->v);
  b->v = v;
  b->vn = count;
}

static inline ct_elements_data block_data(const block *b) {
  return (ct_elements_data){.type = b->type,
                            .vertices = b->v,
                            .vertex_count = b->vn,
                            .corners = b->c,
                            .element_count = b->en,
                            .corner_counts = b->n,
                            .corner_stride = block_each(b)};
}

/* The elements of a valid block. */
static inline ct_elements *block_elements(const block *b) {
  ct_elements *elements = NULL;
  ct_elements_data data = block_data(b);
  if (ct_elements_create(&data, NULL, &elements, NULL) != CT_OK) abort();
  return elements;
}

#endif
