/* Voronoi region of the origin around the newest vertex of a simplex, by the signs of dot products
 * (Ericson 2005, 5.1). Signs within round-off are undecided and left to the full search of
 * simplex.c. */
#include "convex/simplex.h"

/* A product of at most this part of its terms' size has an undecided sign. */
#define UNSURE 0x1p-40

/* The newest vertex and the edges to the other vertices. */
typedef struct corner {
  ct_vec3 tip, edge[3];
  /* Dot products of each edge with the direction to the origin, and with itself. */
  double along[3], square[3];
  double size; /* largest square of the edges and the tip */
  bool unsure;
} corner;

static inline corner build_corner(const ct_simplex *s) {
  corner c = {.tip = s->vertex[s->count - 1].w};
  c.size = ct_norm2(c.tip);
  for (int i = 0; i < s->count - 1; i++) {
    c.edge[i] = ct_sub(s->vertex[i].w, c.tip);
    c.along[i] = -ct_dot(c.tip, c.edge[i]);
    c.square[i] = ct_norm2(c.edge[i]);
    c.size = ct_max2(c.size, c.square[i]);
  }
  for (int i = 0; i < s->count - 1; i++) c.unsure |= fabs(c.along[i]) <= UNSURE * c.size;
  return c;
}

/* In the plane of two edges. Bit 0: the origin's projection is on the first edge's side of the
 * second edge. Bit 1: the reverse. */
static inline unsigned classify_edge_sides(corner *c, int i, int j) {
  double cross = ct_dot(c->edge[i], c->edge[j]), limit = UNSURE * (c->size * c->size);
  double p = c->square[j] * c->along[i] - cross * c->along[j],
         q = c->square[i] * c->along[j] - cross * c->along[i];
  c->unsure |= (fabs(p) <= limit) | (fabs(q) <= limit);
  return (unsigned)(p > 0.0) | (unsigned)(q > 0.0) << 1;
}

/* Bits 0 to 2: the origin is beyond face 01, 02, 12, seen from the third edge. */
static inline unsigned classify_face_sides(corner *c) {
  ct_vec3 m = ct_cross(c->edge[0], c->edge[1]);
  double volume = ct_dot(m, c->edge[2]), limit = UNSURE * (c->size * c->size);
  double h01 = volume * ct_dot(m, c->tip),
         h12 = volume * ct_dot(ct_cross(c->edge[1], c->edge[2]), c->tip);
  double h02 = volume * ct_dot(ct_cross(c->edge[2], c->edge[0]), c->tip);
  limit *= c->size;
  c->unsure |= (fabs(h01) <= limit) | (fabs(h02) <= limit) | (fabs(h12) <= limit);
  return (unsigned)(h01 > 0.0) | (unsigned)(h02 > 0.0) << 1 | (unsigned)(h12 > 0.0) << 2;
}

static inline unsigned find_triangle_region(corner *c) {
  unsigned s = classify_edge_sides(c, 0, 1), f0 = c->along[0] > 0.0, f1 = c->along[1] > 0.0;
  unsigned edges = (f0 & ~(s >> 1)) | (f1 & ~s) << 1, face = s == 3u ? 3u : 0u;
  return edges | face;
}

/* Each Voronoi region outside the corner has one of seven bits; no bit is set if the origin is
 * inside. */
static inline unsigned find_tetrahedron_region(corner *c) {
  static const unsigned char vertices[64] = {
      [0x01] = 1, [0x02] = 2, [0x04] = 4, [0x08] = 3, [0x10] = 5, [0x20] = 6};
  unsigned s01 = classify_edge_sides(c, 0, 1), s02 = classify_edge_sides(c, 0, 2),
           s12 = classify_edge_sides(c, 1, 2), beyond = classify_face_sides(c);
  unsigned f0 = c->along[0] > 0.0, f1 = c->along[1] > 0.0, f2 = c->along[2] > 0.0;
  unsigned region =
      (f0 & ~(s01 >> 1) & ~(s02 >> 1)) | (f1 & ~s01 & ~(s12 >> 1)) << 1 | (f2 & ~s02 & ~s12) << 2;
  region |= (beyond & (s01 == 3u)) << 3 | (beyond >> 1 & (s02 == 3u)) << 4 |
            (beyond >> 2 & (s12 == 3u)) << 5;
  unsigned others = vertices[region];
  c->unsure |= others == 0 && (f0 | f1 | f2);
  return others;
}

unsigned ct_simplex_voronoi_region(const ct_simplex *s) {
  if (s->count == 1) return 1;
  corner c = build_corner(s);
  unsigned others = s->count == 2   ? c.along[0] > 0.0
                    : s->count == 3 ? find_triangle_region(&c)
                                    : find_tetrahedron_region(&c);
  return c.unsure ? 0 : others | 1u << (s->count - 1);
}
