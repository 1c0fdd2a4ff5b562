/* Meshes with integer vertices, many with edges and faces that grid rays and points lie on; and
 * random integer points near them. */
#ifndef ORACLE_MESH_CASES_H
#define ORACLE_MESH_CASES_H

#include "tests/support/meshes.h"

__extension__ typedef __int128 wide;

typedef struct ipoint {
  int64_t x, y, z;
} ipoint;

static inline ipoint ipoint_of(ct_vec3 p) {
  return (ipoint){(int64_t)p.x, (int64_t)p.y, (int64_t)p.z};
}
static inline ct_vec3 vec_of(ipoint p) { return ct_vec((double)p.x, (double)p.y, (double)p.z); }
static inline ipoint ipoint_sub(ipoint a, ipoint b) {
  return (ipoint){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline ipoint ipoint_cross(ipoint a, ipoint b) {
  return (ipoint){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline wide ipoint_dot(ipoint a, ipoint b) {
  return (wide)a.x * b.x + (wide)a.y * b.y + (wide)a.z * b.z;
}

static inline int64_t case_integer(check_random *r, int64_t low, int64_t high) {
  return low + (int64_t)(check_next(r) % (uint64_t)(high - low + 1));
}

/* Components in [low, high), drawn in the same order under every compiler. */
static inline ct_vec3 case_vec(check_random *r, double low, double high) {
  double x = check_uniform(r, low, high), y = check_uniform(r, low, high);
  return ct_vec(x, y, check_uniform(r, low, high));
}

static inline ct_mat3 case_turn(check_random *r) {
  ct_vec3 v = case_vec(r, -1, 1);
  return ct_quat_matrix((ct_quat){v.x, v.y, v.z, 1});
}

static inline void case_snap(soup *s, double unit) {
  for (uint32_t i = 0; i < s->vn; i++)
    s->v[i] = ct_vec(rint(s->v[i].x / unit), rint(s->v[i].y / unit), rint(s->v[i].z / unit));
}

/* A torus about z. */
static inline void case_torus(soup *s, double big, double small, uint32_t n, uint32_t m) {
  uint32_t base = s->vn;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < m; j++) {
      double u = 2 * SOUP_PI * i / n, v = 2 * SOUP_PI * j / m, q = big + small * cos(v);
      soup_vertex(s, ct_vec(q * cos(u), q * sin(u), small * sin(v)));
    }
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < m; j++) {
      uint32_t a = base + i * m + j, b = base + (i + 1) % n * m + j,
               c = base + (i + 1) % n * m + (j + 1) % m, d = base + i * m + (j + 1) % m;
      soup_triangle(s, a, b, c);
      soup_triangle(s, a, c, d);
    }
}

enum { MESH_CASE_COUNT = 8 };

/* Coordinates within +-64; meshes are closed, many are solid. */
static inline void mesh_case(soup *s, int kind, check_random *r) {
  switch (kind % MESH_CASE_COUNT) {
  case 0: soup_box(s, ct_vec(-4, -6, -8), ct_vec(5, 6, 7)); break;
  case 1: soup_octahedron(s, ct_vec(1, 0, -1), 12); break;
  case 2: {
    uint32_t rings = 5 + (uint32_t)(check_next(r) % 12),
             sectors = 6 + (uint32_t)(check_next(r) % 16);
    soup_sphere(s, ct_vec(0, 0, 0), 1, rings, sectors);
    for (uint32_t i = 0; i < s->vn; i++) s->v[i] = ct_scale(s->v[i], check_uniform(r, 10, 40));
    case_snap(s, 1);
    break;
  }
  case 3: case_torus(s, 40, 12, 9 + (uint32_t)(check_next(r) % 9), 7), case_snap(s, 1); break;
  case 4: { /* a cavity, and a separate part */
    soup_box(s, ct_vec(-10, -10, -10), ct_vec(10, 10, 10));
    uint32_t from = s->tn;
    soup_octahedron(s, ct_vec(0, 0, 0), 8);
    soup_invert(s, from);
    soup_box(s, ct_vec(10, 10, -3), ct_vec(14, 12, 3));
    break;
  }
  case 5: /* overlapping parts */
    soup_octahedron(s, ct_vec(0, 0, 0), 9);
    soup_box(s, ct_vec(-2, -2, -2), ct_vec(12, 5, 5));
    soup_octahedron(s, ct_vec(4, 4, 4), 9);
    break;
  case 6: { /* a staircase: many coplanar faces, walls along every axis */
    for (int i = 0; i < 6; i++)
      soup_box(s, ct_vec(i * 4, 0, i * 3), ct_vec(i * 4 + 4, 9, i * 3 + 3));
    break;
  }
  default: /* a flat star with reversed orientation, as separate triangles */
    soup_sphere(s, ct_vec(0, 0, 0), 30, 4, 11);
    for (uint32_t i = 0; i < s->vn; i++) s->v[i] = ct_vec(s->v[i].x, s->v[i].y, s->v[i].z * 0.1);
    case_snap(s, 1);
    soup_invert(s, 0);
    soup_explode(s);
  }
}

/* An integer point in or near the mesh's box; sometimes on a vertex, an edge or a face. */
static inline ipoint case_point(const ct_mesh_view *v, check_random *r) {
  const ct_aabb b = v->box;
  ipoint a = ipoint_of(v->vertices[v->corners[check_next(r) % v->live_count][0]]);
  const uint32_t *t = v->corners[check_next(r) % v->live_count];
  ipoint p = ipoint_of(v->vertices[t[0]]), q = ipoint_of(v->vertices[t[1]]),
         o = ipoint_of(v->vertices[t[2]]);
  switch (check_next(r) % 5) {
  case 0: return a;
  case 1: return (ipoint){(p.x + q.x) / 2, (p.y + q.y) / 2, (p.z + q.z) / 2};
  case 2: return (ipoint){(p.x + q.x + o.x) / 3, (p.y + q.y + o.y) / 3, (p.z + q.z + o.z) / 3};
  default: {
    int64_t x = case_integer(r, (int64_t)b.min.x - 2, (int64_t)b.max.x + 2);
    int64_t y = case_integer(r, (int64_t)b.min.y - 2, (int64_t)b.max.y + 2);
    return (ipoint){x, y, case_integer(r, (int64_t)b.min.z - 2, (int64_t)b.max.z + 2)};
  }
  }
}

#endif
