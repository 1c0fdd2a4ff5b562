/* Solids of unit cells on the integer grid, and the exact passage of a line through them: intervals
 * with rational ends.
 *
 * A line's intersection with a closed cell is an interval between two ratios of integers. The union
 * over all cells is the line's part inside the closed solid; intervals that touch are merged, and
 * single points are dropped. Cells have sides of 2, so that the midpoints of edges and faces are
 * integers too. Only data types of the engine are used. */
#ifndef ORACLE_VOXEL_CASES_H
#define ORACLE_VOXEL_CASES_H

#include "tests/oracle/mesh_cases.h"

enum { VOXEL_SIDE = 3, VOXEL_COUNT = VOXEL_SIDE * VOXEL_SIDE * VOXEL_SIDE, VOXEL_WIDTH = 2 };

typedef struct voxel_solid {
  bool cell[VOXEL_SIDE][VOXEL_SIDE][VOXEL_SIDE];
} voxel_solid;

static inline bool voxel_at(const voxel_solid *v, int x, int y, int z) {
  bool within = x >= 0 && y >= 0 && z >= 0 && x < VOXEL_SIDE && y < VOXEL_SIDE && z < VOXEL_SIDE;
  return within && v->cell[x][y][z];
}

static inline void voxel_fill(voxel_solid *v, const int low[3], const int high[3]) {
  for (int x = low[0]; x < high[0]; x++)
    for (int y = low[1]; y < high[1]; y++)
      for (int z = low[2]; z < high[2]; z++) v->cell[x][y][z] = true;
}

/* ---- meshes --------------------------------------------------------------------------------- */

/* A face of a cell as four corners, counter-clockwise from outside: split along either diagonal, or
 * about its centre. */
static inline void voxel_face(soup *s, const int64_t corner[4][3], int cut) {
  uint32_t base = s->vn;
  for (int i = 0; i < 4; i++)
    soup_vertex(s, ct_vec((double)corner[i][0], (double)corner[i][1], (double)corner[i][2]));
  if (cut == 2) {
    soup_vertex(s, ct_scale(ct_add(s->v[base], s->v[base + 2]), 0.5));
    for (uint32_t i = 0; i < 4; i++) soup_triangle(s, base + i, base + (i + 1) % 4, base + 4);
    return;
  }
  uint32_t from = cut == 1;
  soup_triangle(s, base + from, base + from + 1, base + from + 2);
  soup_triangle(s, base + from, base + from + 2, base + (from + 3) % 4);
}

/* The outer faces of the cells. */
static inline void voxel_boundary(soup *s, const voxel_solid *v, check_random *r) {
  for (int i = 0; i < VOXEL_COUNT * 6; i++) {
    int at[3] = {i / 6 % VOXEL_SIDE, i / 6 / VOXEL_SIDE % VOXEL_SIDE,
                 i / 6 / VOXEL_SIDE / VOXEL_SIDE};
    int axis = i % 3, up = i % 6 / 3, beyond[3] = {at[0], at[1], at[2]};
    beyond[axis] += up ? 1 : -1;
    if (!voxel_at(v, at[0], at[1], at[2]) || voxel_at(v, beyond[0], beyond[1], beyond[2])) continue;
    int64_t corner[4][3];
    for (int k = 0; k < 4; k++) {
      int u = k == 1 || k == 2, w = k >= 2, swap = !up;
      corner[k][axis] = VOXEL_WIDTH * (at[axis] + up);
      corner[k][(axis + 1) % 3] = VOXEL_WIDTH * (at[(axis + 1) % 3] + (swap ? w : u));
      corner[k][(axis + 2) % 3] = VOXEL_WIDTH * (at[(axis + 2) % 3] + (swap ? u : w));
    }
    voxel_face(s, (const int64_t(*)[3])corner, (int)(check_next(r) % 3));
  }
}

static inline void voxel_box(soup *s, const int low[3], const int high[3]) {
  soup_box(s, ct_vec(VOXEL_WIDTH * low[0], VOXEL_WIDTH * low[1], VOXEL_WIDTH * low[2]),
           ct_vec(VOXEL_WIDTH * high[0], VOXEL_WIDTH * high[1], VOXEL_WIDTH * high[2]));
}

/* A solid and a closed mesh of it: outer faces, overlapping boxes, or one box per cell. */
static inline void voxel_soup(voxel_solid *v, soup *s, check_random *r) {
  *v = (voxel_solid){0};
  uint64_t kind = check_next(r) % 6, fill = 3 + check_next(r) % 5;
  if (kind == 0) { /* an L of three cells */
    v->cell[0][0][0] = v->cell[1][0][0] = v->cell[0][1][0] = true;
  } else if (kind == 1) { /* overlapping boxes, with edges that end within faces */
    int count = 2 + (int)(check_next(r) % 3);
    for (int i = 0; i < count; i++) {
      int low[3], high[3];
      for (int k = 0; k < 3; k++) {
        low[k] = (int)(check_next(r) % VOXEL_SIDE);
        high[k] = low[k] + 1 + (int)(check_next(r) % (uint64_t)(VOXEL_SIDE - low[k]));
      }
      voxel_fill(v, low, high);
      voxel_box(s, low, high);
    }
  } else {
    for (int i = 0; i < VOXEL_COUNT; i++) (&v->cell[0][0][0])[i] = check_next(r) % 10 < fill;
    v->cell[1][1][1] = kind != 2;
    v->cell[0][1][2] = true;
  }
  if (kind == 3) {
    for (int i = 0; i < VOXEL_COUNT; i++) {
      int low[3] = {i / 9, i / 3 % 3, i % 3}, high[3] = {i / 9 + 1, i / 3 % 3 + 1, i % 3 + 1};
      if (v->cell[low[0]][low[1]][low[2]]) voxel_box(s, low, high);
    }
  } else if (kind != 1) {
    voxel_boundary(s, v, r);
  }
  if (check_next(r) % 4 == 0) soup_invert(s, 0);
}

/* The caller owns the mesh. Boxes that share a whole face on the same side are drawn again:
 * duplicate triangles are dropped, and the mesh would not be solid. */
static inline ct_mesh *voxel_case(voxel_solid *v, check_random *r) {
  for (;;) {
    soup s = {0};
    voxel_soup(v, &s, r);
    ct_mesh *mesh = soup_mesh(&s);
    if (ct_mesh_get(mesh)->solid) return mesh;
    ct_mesh_release(mesh);
  }
}

/* ---- lines ---------------------------------------------------------------------------------- */

/* top / bottom, bottom > 0. */
typedef struct voxel_ratio {
  int64_t top, bottom;
} voxel_ratio;

static inline int voxel_compare(voxel_ratio a, voxel_ratio b) {
  wide left = (wide)a.top * b.bottom, right = (wide)b.top * a.bottom;
  return (left > right) - (left < right);
}

typedef struct voxel_line {
  int64_t origin[3], direction[3];
} voxel_line;

typedef struct voxel_span {
  voxel_ratio in, out;
} voxel_span;

/* The intersection of the line and the box; false: empty, or a point. */
static inline bool voxel_cut(const voxel_line *line, const int64_t low[3], const int64_t high[3],
                             voxel_span *span) {
  span->in = (voxel_ratio){-(INT64_C(1) << 40), 1};
  span->out = (voxel_ratio){INT64_C(1) << 40, 1};
  for (int k = 0; k < 3; k++) {
    int64_t o = line->origin[k], d = line->direction[k], sense = d < 0 ? -1 : 1;
    if (d == 0 && (o < low[k] || o > high[k])) return false;
    if (d == 0) continue;
    voxel_ratio in = {sense * ((d > 0 ? low[k] : high[k]) - o), sense * d};
    voxel_ratio out = {sense * ((d > 0 ? high[k] : low[k]) - o), sense * d};
    if (voxel_compare(in, span->in) > 0) span->in = in;
    if (voxel_compare(out, span->out) < 0) span->out = out;
  }
  return voxel_compare(span->in, span->out) < 0;
}

/* The spans of the line inside the solid, in order. Returns their number. */
static inline int voxel_spans(const voxel_solid *v, const voxel_line *line,
                              voxel_span out[VOXEL_COUNT]) {
  int count = 0;
  for (int i = 0; i < VOXEL_COUNT; i++) {
    if (!(&v->cell[0][0][0])[i]) continue;
    int64_t low[3] = {VOXEL_WIDTH * (i / 9), VOXEL_WIDTH * (i / 3 % 3), VOXEL_WIDTH * (i % 3)};
    int64_t high[3] = {low[0] + VOXEL_WIDTH, low[1] + VOXEL_WIDTH, low[2] + VOXEL_WIDTH};
    voxel_span span;
    if (!voxel_cut(line, low, high, &span)) continue;
    int at = count++;
    for (; at > 0 && voxel_compare(out[at - 1].in, span.in) > 0; at--) out[at] = out[at - 1];
    out[at] = span;
  }
  int last = 0;
  for (int i = 1; i < count; i++) {
    if (voxel_compare(out[i].in, out[last].out) > 0) out[++last] = out[i];
    else if (voxel_compare(out[i].out, out[last].out) > 0) out[last].out = out[i].out;
  }
  return count ? last + 1 : 0;
}

/* Is the integer point in the closed solid? */
static inline bool voxel_holds(const voxel_solid *v, const int64_t p[3]) {
  for (int i = 0; i < VOXEL_COUNT; i++) {
    int64_t low[3] = {VOXEL_WIDTH * (i / 9), VOXEL_WIDTH * (i / 3 % 3), VOXEL_WIDTH * (i % 3)};
    bool within = (&v->cell[0][0][0])[i];
    for (int k = 0; k < 3; k++) within = within && p[k] >= low[k] && p[k] <= low[k] + VOXEL_WIDTH;
    if (within) return true;
  }
  return false;
}

/* Does the line lie in the plane of a grid face? */
static inline bool voxel_in_a_plane(const voxel_line *line) {
  for (int k = 0; k < 3; k++)
    if (line->direction[k] == 0 && line->origin[k] % VOXEL_WIDTH == 0) return true;
  return false;
}

/* Through, to or from grid points: vertices, midpoints of edges and faces, and others. */
static inline voxel_line voxel_line_case(check_random *r) {
  voxel_line line;
  do {
    uint64_t kind = check_next(r) % 4;
    for (int k = 0; k < 3; k++) {
      int64_t target = case_integer(r, 0, VOXEL_WIDTH * VOXEL_SIDE),
              from = case_integer(r, -3, VOXEL_WIDTH * VOXEL_SIDE + 3);
      line.direction[k] = kind == 0   ? case_integer(r, -1, 1)
                          : kind == 1 ? case_integer(r, -5, 5)
                                      : target - from;
      line.origin[k] = kind < 2 ? target : from;
    }
    int64_t back = kind < 2 ? case_integer(r, 0, 4) : kind == 2 ? 0 : case_integer(r, 0, 300);
    for (int k = 0; k < 3; k++) line.origin[k] -= back * line.direction[k];
  } while (!line.direction[0] && !line.direction[1] && !line.direction[2]);
  return line;
}

#endif
