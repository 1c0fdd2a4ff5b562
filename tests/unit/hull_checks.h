/* Invariants of every hull, for any construction: closed manifold, canonical order, exact
 * convexity, planes, padding. */
#ifndef TESTS_HULL_CHECKS_H
#define TESTS_HULL_CHECKS_H

#include "base/predicates.h"
#include "tests/support/check.h"
#include <contact/hull.h>

static inline ct_vec3 hull_vertex(const ct_hull_view *h, uint32_t i) {
  return ct_vec(h->x[i], h->y[i], h->z[i]);
}

static inline bool hull_loop_has(const ct_hull_view *h, uint32_t face, uint32_t from, uint32_t to) {
  for (uint32_t i = h->face_start[face]; i < h->face_start[face + 1]; i++) {
    uint32_t next = i + 1 < h->face_start[face + 1] ? i + 1 : h->face_start[face];
    if (h->face_loop[i] == from && h->face_loop[next] == to) return true;
  }
  return false;
}

/* Euler's formula, two faces at each edge in opposite directions, ascending lists, loops that begin
 * at their lowest vertex. */
static inline void hull_check_topology(const ct_hull_view *h) {
  CHECK_INT((int64_t)h->vertex_count - h->edge_count + h->face_count, 2);
  CHECK_INT(h->face_start[h->face_count], 2 * h->edge_count);
  CHECK_INT(h->neighbour_start[h->vertex_count], 2 * h->edge_count);
  for (uint32_t e = 0; e < h->edge_count; e++) {
    uint32_t a = h->edge_vertices[e][0], b = h->edge_vertices[e][1];
    CHECK(a < b && b < h->vertex_count);
    CHECK(hull_loop_has(h, h->edge_faces[e][0], a, b));
    CHECK(hull_loop_has(h, h->edge_faces[e][1], b, a));
    if (e > 0) {
      uint32_t p = h->edge_vertices[e - 1][0], q = h->edge_vertices[e - 1][1];
      CHECK(p < a || (p == a && q < b));
    }
  }
  uint32_t seen = 0;
  for (uint32_t v = 0; v < h->vertex_count; v++) {
    CHECK(h->neighbour_start[v + 1] - h->neighbour_start[v] >= 3);
    for (uint32_t i = h->neighbour_start[v]; i < h->neighbour_start[v + 1]; i++) {
      if (i > h->neighbour_start[v]) CHECK(h->neighbour[i - 1] < h->neighbour[i]);
      if (h->neighbour[i] < v) continue;
      CHECK(seen < h->edge_count && h->edge_vertices[seen][0] == v &&
            h->edge_vertices[seen][1] == h->neighbour[i]);
      seen++;
    }
  }
  for (uint32_t f = 0; f < h->face_count; f++) {
    CHECK(h->face_start[f + 1] - h->face_start[f] >= 3);
    for (uint32_t i = h->face_start[f] + 1; i < h->face_start[f + 1]; i++) {
      CHECK(h->face_loop[i] > h->face_loop[h->face_start[f]]);
    }
  }
}

/* In exact arithmetic: all points inside or on each face, the loop on its plane, strict corners, no
 * two neighbouring faces coplanar. */
static inline void hull_check_convex(const ct_hull_view *h, const ct_vec3 *points, size_t count) {
  for (uint32_t f = 0; f < h->face_count; f++) {
    const uint32_t *loop = h->face_loop + h->face_start[f];
    uint32_t n = h->face_start[f + 1] - h->face_start[f];
    ct_vec3 a = hull_vertex(h, loop[0]), b = hull_vertex(h, loop[1]), c = hull_vertex(h, loop[2]);
    for (size_t i = 0; i < count; i++) CHECK(ct_orient3d(a, b, c, points[i]) <= 0);
    for (uint32_t i = 0; i < n; i++) {
      ct_vec3 p = hull_vertex(h, loop[i]), q = hull_vertex(h, loop[(i + 1) % n]),
              r = hull_vertex(h, loop[(i + 2) % n]);
      CHECK_INT(ct_orient3d(a, b, c, p), 0);
      CHECK(!ct_collinear(p, q, r));
    }
  }
  for (uint32_t e = 0; e < h->edge_count; e++) {
    const uint32_t *left = h->face_loop + h->face_start[h->edge_faces[e][0]];
    uint32_t right = h->edge_faces[e][1], beyond = 0;
    for (uint32_t i = h->face_start[right]; i < h->face_start[right + 1]; i++) {
      uint32_t v = h->face_loop[i];
      if (v == h->edge_vertices[e][0] || v == h->edge_vertices[e][1]) continue;
      beyond += ct_orient3d(hull_vertex(h, left[0]), hull_vertex(h, left[1]),
                            hull_vertex(h, left[2]), hull_vertex(h, v)) != -1;
    }
    CHECK_INT(beyond, 0);
  }
}

/* Unit normals, offsets that contain every vertex to `rounding` u of the largest coordinate,
 * padding that repeats the last element, vertices inside ball and box. */
static inline void hull_check_arrays(const ct_hull_view *h, double rounding) {
  const double *arrays[7] = {h->x, h->y, h->z, h->nx, h->ny, h->nz, h->offset};
  for (int k = 0; k < 7; k++) {
    uint32_t n = k < 3 ? h->vertex_count : h->face_count;
    CHECK_INT((uintptr_t)arrays[k] % 64, 0);
    for (uint32_t i = n; i % CT_HULL_LANES; i++) CHECK(arrays[k][i] == arrays[k][n - 1]);
  }
  double far = 0.0;
  for (uint32_t v = 0; v < h->vertex_count; v++) {
    ct_vec3 p = hull_vertex(h, v);
    far = ct_max2(far, ct_max_abs(p));
    CHECK(ct_norm(ct_sub(p, h->centroid)) <= h->radius);
    CHECK(p.x >= h->box.min.x && p.y >= h->box.min.y && p.z >= h->box.min.z);
    CHECK(p.x <= h->box.max.x && p.y <= h->box.max.y && p.z <= h->box.max.z);
  }
  for (uint32_t f = 0; f < h->face_count; f++) {
    ct_vec3 n = ct_vec(h->nx[f], h->ny[f], h->nz[f]);
    CHECK_NEAR(ct_norm(n), 1.0, 4.0 * 0x1p-52);
    double out = -INFINITY;
    for (uint32_t v = 0; v < h->vertex_count; v++)
      out = ct_max2(out, ct_dot(n, hull_vertex(h, v)) - h->offset[f]);
    CHECK_NEAR(ct_max2(out, 0.0), 0.0, rounding * 0x1p-53 * far);
  }
}

/* The sum of area times normal over the closed surface is zero, and the volume is that of the
 * divergence theorem in long double. */
static inline void hull_check_measure(const ct_hull_view *h) {
  long double sum[3] = {0.0L, 0.0L, 0.0L}, total = 0.0L, volume = 0.0L;
  ct_vec3 origin = hull_vertex(h, 0);
  for (uint32_t f = 0; f < h->face_count; f++) {
    for (uint32_t i = h->face_start[f] + 1; i + 1 < h->face_start[f + 1]; i++) {
      long double t[3][3];
      uint32_t corner[3] = {h->face_loop[h->face_start[f]], h->face_loop[i], h->face_loop[i + 1]};
      for (int k = 0; k < 3; k++) {
        t[k][0] = (long double)h->x[corner[k]] - origin.x;
        t[k][1] = (long double)h->y[corner[k]] - origin.y;
        t[k][2] = (long double)h->z[corner[k]] - origin.z;
      }
      long double n[3];
      for (int k = 0; k < 3; k++) {
        int p = (k + 1) % 3, q = (k + 2) % 3;
        n[k] =
            (t[1][p] - t[0][p]) * (t[2][q] - t[0][q]) - (t[1][q] - t[0][q]) * (t[2][p] - t[0][p]);
        sum[k] += 0.5L * n[k];
      }
      total += 0.5L * sqrtl(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
      volume += (n[0] * t[0][0] + n[1] * t[0][1] + n[2] * t[0][2]) / 6.0L;
    }
  }
  for (int k = 0; k < 3; k++) CHECK(fabsl(sum[k]) <= 1e-15L * total * h->face_count);
  CHECK(h->volume > 0.0);
  /* The reference itself rounds: 2^-64 of area times radius for each face. */
  CHECK_NEAR(h->volume, (double)volume,
             1e-14 * h->volume + 1e-18 * (double)total * h->radius * h->face_count);
}

static inline void hull_check(const ct_hull_view *h, const ct_vec3 *points, size_t count) {
  hull_check_topology(h);
  hull_check_convex(h, points, count);
  /* A normal rounded to 2 u and a dot product of three terms. */
  hull_check_arrays(h, 16.0);
  hull_check_measure(h);
}

#endif
