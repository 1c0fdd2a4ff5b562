/* Which vertices of a simplex are nearest to the origin, told by the signs of a few products: the search's short way. */
#include "convex/simplex.h"

/* Products of no more than this part of their terms' size are left to the search: their signs may be rounding. */
#define UNSURE 0x1p-40

/* The newest vertex, from which the origin is seen, and the edges to the others. */
typedef struct corner {
  ct_vec3 tip, edge[3];
  double along[3], square[3]; /* products of each edge with the way to the origin, and with itself */
  double size;                /* the largest square of all these */
  bool unsure;
} corner;

static inline corner corner_of(const ct_simplex *s) {
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

/* In the plane of two edges: bit 0, does the origin's foot lie from the second edge to the side of the first; bit 1, the other. */
static inline unsigned sides(corner *c, int i, int j) {
  double cross = ct_dot(c->edge[i], c->edge[j]), limit = UNSURE * (c->size * c->size);
  double p = c->square[j] * c->along[i] - cross * c->along[j], q = c->square[i] * c->along[j] - cross * c->along[i];
  c->unsure |= (fabs(p) <= limit) | (fabs(q) <= limit);
  return (unsigned)(p > 0.0) | (unsigned)(q > 0.0) << 1;
}

/* Is the origin beyond the face of two edges, as seen from the third? Bits 0 to 2: faces 0 1, 0 2 and 1 2. */
static inline unsigned beyond_faces(corner *c) {
  ct_vec3 m = ct_cross(c->edge[0], c->edge[1]);
  double volume = ct_dot(m, c->edge[2]), limit = UNSURE * (c->size * c->size);
  double h01 = volume * ct_dot(m, c->tip), h12 = volume * ct_dot(ct_cross(c->edge[1], c->edge[2]), c->tip);
  double h02 = volume * ct_dot(ct_cross(c->edge[2], c->edge[0]), c->tip);
  limit *= c->size;
  c->unsure |= (fabs(h01) <= limit) | (fabs(h02) <= limit) | (fabs(h12) <= limit);
  return (unsigned)(h01 > 0.0) | (unsigned)(h02 > 0.0) << 1 | (unsigned)(h12 > 0.0) << 2;
}

static inline unsigned of_two(corner *c) {
  unsigned s = sides(c, 0, 1), f0 = c->along[0] > 0.0, f1 = c->along[1] > 0.0;
  unsigned edges = (f0 & ~(s >> 1)) | (f1 & ~s) << 1, face = s == 3u ? 3u : 0u;
  return edges | face;
}

/* Each region of the corner's outside has one bit of seven; none where the origin is inside. */
static inline unsigned of_three(corner *c) {
  static const unsigned char vertices[64] = {[0x01] = 1, [0x02] = 2, [0x04] = 4, [0x08] = 3, [0x10] = 5, [0x20] = 6};
  unsigned s01 = sides(c, 0, 1), s02 = sides(c, 0, 2), s12 = sides(c, 1, 2), beyond = beyond_faces(c);
  unsigned f0 = c->along[0] > 0.0, f1 = c->along[1] > 0.0, f2 = c->along[2] > 0.0;
  unsigned at = (f0 & ~(s01 >> 1) & ~(s02 >> 1)) | (f1 & ~s01 & ~(s12 >> 1)) << 1 | (f2 & ~s02 & ~s12) << 2;
  at |= (beyond & (s01 == 3u)) << 3 | (beyond >> 1 & (s02 == 3u)) << 4 | (beyond >> 2 & (s12 == 3u)) << 5;
  unsigned others = vertices[at];
  c->unsure |= others == 0 && (f0 | f1 | f2);
  return others;
}

unsigned ct_simplex_voronoi_region(const ct_simplex *s) {
  if (s->count == 1) return 1;
  corner c = corner_of(s);
  unsigned others = s->count == 2 ? c.along[0] > 0.0 : s->count == 3 ? of_two(&c) : of_three(&c);
  return c.unsure ? 0 : others | 1u << (s->count - 1);
}
