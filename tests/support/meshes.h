/* Meshes for tests: growing lists of vertices and triangles, and ways to damage them. */
#ifndef TESTS_MESHES_H
#define TESTS_MESHES_H

#include "tests/support/check.h"

#include <contact/contact.h>
#include <contact/mesh.h>

#define SOUP_PI 3.14159265358979323846

typedef struct soup {
  ct_vec3 *v;
  uint32_t (*t)[3];
  uint32_t vn, tn, vcap, tcap;
} soup;

static inline uint32_t soup_vertex(soup *s, ct_vec3 p) {
  if (s->vn == s->vcap) {
    s->vcap = s->vcap ? 2 * s->vcap : 64;
    s->v = realloc(s->v, s->vcap * sizeof *s->v);
    if (!s->v) abort();
  }
  s->v[s->vn] = p;
  return s->vn++;
}

static inline void soup_triangle(soup *s, uint32_t a, uint32_t b, uint32_t c) {
  if (s->tn == s->tcap) {
    s->tcap = s->tcap ? 2 * s->tcap : 64;
    s->t = realloc(s->t, s->tcap * sizeof *s->t);
    if (!s->t) abort();
  }
  s->t[s->tn][0] = a, s->t[s->tn][1] = b, s->t[s->tn][2] = c;
  s->tn++;
}

static inline void soup_free(soup *s) {
  free(s->v);
  free(s->t);
  *s = (soup){0};
}

/* The box from low to high: 8 vertices, 12 triangles, counter-clockwise from outside. */
static inline void soup_box(soup *s, ct_vec3 low, ct_vec3 high) {
  static const uint32_t f[12][3] = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7},
                                    {0, 1, 5}, {0, 5, 4}, {1, 2, 6}, {1, 6, 5},
                                    {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7}};
  uint32_t base = s->vn;
  for (int i = 0; i < 8; i++)
    soup_vertex(s, ct_vec(i % 4 == 1 || i % 4 == 2 ? high.x : low.x, i % 4 >= 2 ? high.y : low.y,
                          i >= 4 ? high.z : low.z));
  for (int i = 0; i < 12; i++) soup_triangle(s, base + f[i][0], base + f[i][1], base + f[i][2]);
}

/* n x n unit squares at z = 0 about the origin, each cut in two, counter-clockwise from above. */
static inline void soup_sheet(soup *s, uint32_t n) {
  uint32_t base = s->vn;
  for (uint32_t y = 0; y <= n; y++)
    for (uint32_t x = 0; x <= n; x++) soup_vertex(s, ct_vec(x - n / 2.0, y - n / 2.0, 0));
  for (uint32_t y = 0; y < n; y++) {
    for (uint32_t x = 0; x < n; x++) {
      uint32_t low = base + y * (n + 1) + x, up = low + n + 1;
      soup_triangle(s, low, low + 1, up + 1);
      soup_triangle(s, low, up + 1, up);
    }
  }
}

static inline void soup_octahedron(soup *s, ct_vec3 c, double r) {
  static const uint32_t f[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                   {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  uint32_t base = s->vn;
  for (int i = 0; i < 6; i++) {
    double d = i % 2 ? -r : r;
    soup_vertex(s, ct_vec(c.x + (i / 2 == 0 ? d : 0), c.y + (i / 2 == 1 ? d : 0),
                          c.z + (i / 2 == 2 ? d : 0)));
  }
  for (int i = 0; i < 8; i++) soup_triangle(s, base + f[i][0], base + f[i][1], base + f[i][2]);
}

/* A sphere of rings x sectors quadrilaterals cut in two, about the z axis. */
static inline void soup_sphere(soup *s, ct_vec3 c, double r, uint32_t rings, uint32_t sectors) {
  uint32_t top = soup_vertex(s, ct_vec(c.x, c.y, c.z + r)),
           bottom = soup_vertex(s, ct_vec(c.x, c.y, c.z - r)), base = s->vn;
  for (uint32_t i = 1; i < rings; i++)
    for (uint32_t j = 0; j < sectors; j++) {
      double theta = SOUP_PI * i / rings, phi = 2 * SOUP_PI * j / sectors;
      soup_vertex(s, ct_vec(c.x + r * sin(theta) * cos(phi), c.y + r * sin(theta) * sin(phi),
                            c.z + r * cos(theta)));
    }
  for (uint32_t j = 0; j < sectors; j++) {
    uint32_t k = (j + 1) % sectors, last = base + (rings - 2) * sectors;
    soup_triangle(s, top, base + j, base + k);
    soup_triangle(s, bottom, last + k, last + j);
    for (uint32_t i = 0; i + 2 < rings; i++) {
      uint32_t a = base + i * sectors;
      soup_triangle(s, a + j, a + sectors + j, a + sectors + k);
      soup_triangle(s, a + j, a + sectors + k, a + k);
    }
  }
}

/* Separate vertices for every triangle, as in an STL file. */
static inline void soup_explode(soup *s) {
  soup out = {0};
  for (uint32_t i = 0; i < s->tn; i++) {
    uint32_t a = soup_vertex(&out, s->v[s->t[i][0]]), b = soup_vertex(&out, s->v[s->t[i][1]]);
    soup_triangle(&out, a, b, soup_vertex(&out, s->v[s->t[i][2]]));
  }
  soup_free(s);
  *s = out;
}

/* Reverses the orientation of the triangles from `from` on. */
static inline void soup_invert(soup *s, uint32_t from) {
  for (uint32_t i = from; i < s->tn; i++) {
    uint32_t b = s->t[i][1];
    s->t[i][1] = s->t[i][2];
    s->t[i][2] = b;
  }
}

static inline void soup_shuffle(soup *s, check_random *r) {
  for (uint32_t i = s->tn; i > 1; i--) {
    uint32_t j = (uint32_t)(check_next(r) % i), turn = (uint32_t)(check_next(r) % 3), t[3], u[3];
    memcpy(t, s->t[i - 1], sizeof t);
    memcpy(u, s->t[j], sizeof u);
    for (uint32_t k = 0; k < 3; k++) s->t[j][k] = t[(k + turn) % 3];
    if (j != i - 1) memcpy(s->t[i - 1], u, sizeof u);
  }
}

static inline ct_status soup_build(const soup *s, ct_mesh_reading reading, ct_mesh **mesh,
                                   ct_mesh_report *report) {
  ct_mesh_data data = {s->v, s->vn, (const uint32_t(*)[3])s->t, s->tn, NULL};
  return ct_mesh_create(&data, reading, NULL, mesh, report);
}

/* Builds the mesh of a valid list; frees the list. */
static inline ct_mesh *soup_mesh(soup *s) {
  ct_mesh *mesh = NULL;
  if (soup_build(s, CT_MESH_AUTO, &mesh, NULL) != CT_OK) abort();
  soup_free(s);
  return mesh;
}

static inline ct_shape soup_shape(soup *s) {
  return (ct_shape){.kind = CT_KIND_MESH, .mesh = soup_mesh(s)};
}

/* A box or an octahedron about the origin, within 1 m; half of them without two triangles:
 * surfaces. */
static inline ct_shape soup_random(check_random *r) {
  soup s = {0};
  double n[6]; /* in order: C leaves the evaluation order of arguments open */
  bool boxed = check_next(r) >> 63, open = check_next(r) >> 63;
  for (int i = 0; i < 6; i++) n[i] = check_uniform(r, 0.2, 1.0);
  if (boxed) soup_box(&s, ct_vec(-n[0], -n[1], -n[2]), ct_vec(n[3], n[4], n[5]));
  else soup_octahedron(&s, ct_vec(0.1, 0.0, 0.0), n[0]);
  if (open) s.tn -= 2;
  return soup_shape(&s);
}

#endif
