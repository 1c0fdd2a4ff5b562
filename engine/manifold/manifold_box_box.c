/* Contact points of two sharp boxes (no rounding radius, no margin), with all data on the stack:
 * supporting faces, clipping (Sutherland, Hodgman 1974), overlap, and reduction.
 *
 * Boxes are the most frequent pair of a scene. The boxes are placed once, for both distance and
 * contact points. Coordinates and distances are computed as in supporting_face.c and
 * manifold_face.c, so that the points are equal bit for bit. Limits: choices that depend on
 * round-off, parallel edges and failed clips are left to those files. */
#include "manifold/manifold.h"
#include "pair/pair_order.h"
#include "pair/workspace.h"
#include "primitives/box_box.h"

#include <assert.h>
#include <string.h>

/* Flag of an edge of the clipped polygon: the edge is part of a side of the reference face. */
#define SIDE 0x80u
/* Face separations closer to their limit than this fraction of the extents are undecided. */
#define UNSURE 1e-9
/* Space for the corners of a clipped face: eight, and some that round-off adds; each clipping side
 * creates two. */
#define CORNERS_MAX 12
#define POINTS_MAX 16
#define KEPT_MAX 4

/* Corners of a polygon, in arrays of their members. */
typedef struct corners {
  double x[CORNERS_MAX], y[CORNERS_MAX]; /* coordinates in the view */
  double at[3][CORNERS_MAX];
  uint8_t vertex[CORNERS_MAX], edge[CORNERS_MAX];
} corners;

/* The face of a box whose normal is nearest to the view's normal (for the second box, to its
 * opposite). */
typedef struct face {
  int axis;
  bool positive;
  double tilt;
  ct_vec3 normal; /* outward, unit */
  ct_vec3 slope;  /* coefficients of the face's height as a function of the view's coordinates: x px
                     + y py + z */
} face;

/* A contact point on one body, in the frame of the pair. The point on the other body is at
 * `distance` along the view's normal. */
typedef struct packed_point {
  ct_vec3 at;
  double distance;
  unsigned a, b; /* features of the two bodies, packed as kind << 4 | number */
  bool second;   /* `at` is a point of the second body */
} packed_point;

typedef struct contacts {
  ct_box_pair pair;
  ct_view view;
  ct_vec3 cosine[2]; /* components of the normal along the axes of the first box, and of the
                        opposite normal along the axes of the second */
  face face[2];
  double distance, slack, tie, reach, extent[2];
  packed_point points[POINTS_MAX];
  uint32_t count;
} contacts;

CT_INLINE ct_vec3 get_box_axis(const contacts *c, int which, int i) {
  const ct_vec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
  return which ? c->pair.axis[i] : axes[i];
}

CT_INLINE ct_vec3 get_box_center(const contacts *c, int which) {
  return which ? c->pair.center : ct_vec(0.0, 0.0, 0.0);
}

CT_INLINE unsigned pack_feature(ct_feature_kind kind, unsigned index) {
  return (unsigned)kind << 4 | index;
}
CT_INLINE ct_feature unpack_feature(unsigned f) {
  return (ct_feature){(ct_feature_kind)(f >> 4), f & 15u};
}
CT_INLINE unsigned pack_face_feature(const face *f) {
  return pack_feature(CT_FEATURE_FACE, 2u * (unsigned)f->axis + (unsigned)f->positive);
}

CT_INLINE void find_normal_face(contacts *c, int which) {
  face *f = &c->face[which];
  ct_vec3 size = {fabs(c->cosine[which].x), fabs(c->cosine[which].y), fabs(c->cosine[which].z)};
  double near = ct_max2(ct_max2(size.x, size.y), size.z) - CT_COSINE_TIE;
  int after = size.x < near, i = after + (after & (size.y < near));
  ct_vec3 n = c->view.normal, facing = which ? ct_neg(n) : n;
  f->axis = i;
  f->positive = ct_vec3_component(&c->cosine[which], i) >= 0.0;
  f->normal = ct_scale(get_box_axis(c, which, i), f->positive ? 1.0 : -1.0);
  f->tilt = sqrt(ct_norm2(ct_sub(f->normal, facing)));
}

/* ---- face or edge --------------------------------------------------------------------------- */

typedef enum face_verdict { NOT_FACE, FACE, UNDECIDED } face_verdict;

/* Decides whether a face that is not perpendicular to the normal makes a face contact
 * (CT_FACE_OVER_EDGE). */
CT_INLINE face_verdict classify_face_contact(const contacts *c, int which) {
  const face *f = &c->face[which];
  int i = f->axis, index = which ? 3 + i : i;
  if (fabs(ct_vec3_component(&c->cosine[which], i)) < CT_FACE_COSINE_MIN) return NOT_FACE;
  double facing = f->positive != (which == 1) ? c->pair.along[index] : -c->pair.along[index];
  double level = facing - ct_vec3_component(&c->pair.half[which], i) - c->pair.reach[index];
  double least = c->distance - CT_FACE_OVER_EDGE_SIZE * ct_min2(c->extent[0], c->extent[1]) -
                 CT_FACE_OVER_EDGE * fabs(level);
  double unsure = UNSURE * (c->extent[0] + c->extent[1] + fabs(c->distance));
  if (fabs(level - least) <= unsure) return UNDECIDED;
  return level > least ? FACE : NOT_FACE;
}

/* Finds the supporting edge, which is perpendicular to the normal, else the support vertex. Returns
 * half of the edge vector, or zero for a vertex. */
CT_INLINE ct_vec3 find_perpendicular_box_edge(const contacts *c, int which, unsigned *feature) {
  static const int8_t last[8] = {-1, 0, 1, 1, 2, 2, 2, 2};
  const ct_vec3 cosine = c->cosine[which];
  unsigned top = (unsigned)(cosine.x >= 0.0) | (unsigned)(cosine.y >= 0.0) << 1 |
                 (unsigned)(cosine.z >= 0.0) << 2;
  unsigned across = (unsigned)(fabs(cosine.x) <= CT_PARALLEL_ANGLE) |
                    (unsigned)(fabs(cosine.y) <= CT_PARALLEL_ANGLE) << 1 |
                    (unsigned)(fabs(cosine.z) <= CT_PARALLEL_ANGLE) << 2;
  int along = last[across];
  *feature = pack_feature(CT_FEATURE_VERTEX, top);
  if (along < 0) return ct_vec(0.0, 0.0, 0.0);
  *feature = pack_feature(CT_FEATURE_EDGE, ct_box_edge(along, top));
  return ct_scale(get_box_axis(c, which, along), ct_vec3_component(&c->pair.half[which], along));
}

/* True if the supporting edges are certainly not parallel in the view, or one of the features is a
 * vertex: the only contact point is the witness point, whose features are set. */
CT_INLINE bool have_crossing_edges(const contacts *c, packed_point *own) {
  const ct_view *view = &c->view;
  ct_vec3 p = find_perpendicular_box_edge(c, 0, &own->a),
          q = find_perpendicular_box_edge(c, 1, &own->b);
  if (own->a < pack_feature(CT_FEATURE_EDGE, 0) || own->b < pack_feature(CT_FEATURE_EDGE, 0))
    return true;
  double px = ct_dot(view->x, p), py = ct_dot(view->y, p), qx = ct_dot(view->x, q),
         qy = ct_dot(view->y, q);
  return fabs(px * qy - py * qx) >
         2.0 * CT_PARALLEL_ANGLE * (fabs(px) + fabs(py)) * (fabs(qx) + fabs(qy));
}

/* ---- faces ---------------------------------------------------------------------------------- */

/* Table of ct_supporting_face_box_ring, for the first and the second body: for each face, its
 * vertices, the edges that start there, and the signs of the vertices on the three axes. */
static const struct {
  uint8_t vertex[4], edge[4];
  double side[3][4];
} rings[2][6] = {{{{0, 4, 6, 2}, {8, 6, 10, 4}, {{-1, -1, -1, -1}, {-1, -1, 1, 1}, {-1, 1, 1, -1}}},
                  {{1, 3, 7, 5}, {5, 11, 7, 9}, {{1, 1, 1, 1}, {-1, 1, 1, -1}, {-1, -1, 1, 1}}},
                  {{0, 1, 5, 4}, {0, 9, 2, 8}, {{-1, 1, 1, -1}, {-1, -1, -1, -1}, {-1, -1, 1, 1}}},
                  {{2, 6, 7, 3}, {10, 3, 11, 1}, {{-1, -1, 1, 1}, {1, 1, 1, 1}, {-1, 1, 1, -1}}},
                  {{0, 2, 3, 1}, {4, 1, 5, 0}, {{-1, -1, 1, 1}, {-1, 1, 1, -1}, {-1, -1, -1, -1}}},
                  {{4, 5, 7, 6}, {2, 7, 3, 6}, {{-1, 1, 1, -1}, {-1, -1, 1, 1}, {1, 1, 1, 1}}}},
                 {{{0, 2, 6, 4}, {4, 10, 6, 8}, {{-1, -1, -1, -1}, {-1, 1, 1, -1}, {-1, -1, 1, 1}}},
                  {{1, 5, 7, 3}, {9, 7, 11, 5}, {{1, 1, 1, 1}, {-1, -1, 1, 1}, {-1, 1, 1, -1}}},
                  {{0, 4, 5, 1}, {8, 2, 9, 0}, {{-1, -1, 1, 1}, {-1, -1, -1, -1}, {-1, 1, 1, -1}}},
                  {{2, 3, 7, 6}, {1, 11, 3, 10}, {{-1, 1, 1, -1}, {1, 1, 1, 1}, {-1, -1, 1, 1}}},
                  {{0, 1, 3, 2}, {0, 5, 1, 4}, {{-1, 1, 1, -1}, {-1, -1, 1, 1}, {-1, -1, -1, -1}}},
                  {{4, 6, 7, 5}, {6, 3, 7, 2}, {{-1, -1, 1, 1}, {-1, 1, 1, -1}, {1, 1, 1, 1}}}}};

/* Computes the corners of the supporting face. Sums are in the order of ct_proxy_box_vertex, for
 * bit-equal results. */
CT_INLINE void compute_face_corners(const contacts *c, int which, corners *out) {
  const face *f = &c->face[which];
  const ct_vec3 half = c->pair.half[which], center = c->pair.center, *axis = c->pair.axis,
                u = c->view.x, v = c->view.y;
  const double(*side)[4] = rings[which][2 * f->axis + f->positive].side;
  const ct_vec3 x = ct_scale(axis[0], half.x), y = ct_scale(axis[1], half.y),
                z = ct_scale(axis[2], half.z);
  for (int i = 0; i < 4; i++) {
    out->at[0][i] = which ? center.x + (x.x * side[0][i] + y.x * side[1][i] + z.x * side[2][i])
                          : half.x * side[0][i];
    out->at[1][i] = which ? center.y + (x.y * side[0][i] + y.y * side[1][i] + z.y * side[2][i])
                          : half.y * side[1][i];
    out->at[2][i] = which ? center.z + (x.z * side[0][i] + y.z * side[1][i] + z.z * side[2][i])
                          : half.z * side[2][i];
    out->x[i] = u.x * out->at[0][i] + u.y * out->at[1][i] + u.z * out->at[2][i];
    out->y[i] = v.x * out->at[0][i] + v.y * out->at[1][i] + v.z * out->at[2][i];
  }
  memcpy(out->vertex, rings[which][2 * f->axis + f->positive].vertex, 4);
  memcpy(out->edge, rings[which][2 * f->axis + f->positive].edge, 4);
}

CT_INLINE void compute_face_slope(contacts *c, int which) {
  face *f = &c->face[which];
  double along = ct_dot(f->normal, c->view.normal);
  double offset = ct_dot(f->normal, get_box_center(c, which)) +
                  ct_vec3_component(&c->pair.half[which], f->axis);
  f->slope = ct_vec(-ct_dot(f->normal, c->view.x) / along, -ct_dot(f->normal, c->view.y) / along,
                    offset / along);
}

/* The incident face (`body`) while it is clipped by the reference face (`frame`). */
typedef struct overlap {
  contacts *c;
  bool second; /* the reference face belongs to the second box */
  const face *frame, *body;
  const corners *ring;             /* corners of the reference face */
  corners *pool;                   /* four corners of the incident face, then the crossings */
  double x[4], y[4], dx[4], dy[4]; /* start points and vectors of the four sides of the reference
                                      face, in the view */
  double limit[4]; /* least level (next member) that counts as inside: minus a tie times the side's
                      length */
  double level[CORNERS_MAX][4]; /* for each corner of the pool: its signed distance from each side,
                                   positive inside, times the side's length */
  uint8_t in[CORNERS_MAX];      /* bit k is set if the corner is inside side k */
  uint64_t list;                /* the clipped polygon: indices into the pool, four bits each, in
                                   order */
  unsigned count, made;
} overlap;

CT_INLINE ct_vec3 get_corner_position(const corners *c, unsigned i) {
  return ct_vec(c->at[0][i], c->at[1][i], c->at[2][i]);
}

CT_INLINE void compute_corner_levels(overlap *o, unsigned w) {
  double *level = o->level[w], x = o->pool->x[w], y = o->pool->y[w];
  for (int k = 0; k < 4; k++) level[k] = o->dx[k] * (y - o->y[k]) - o->dy[k] * (x - o->x[k]);
  o->in[w] = (uint8_t)((level[0] >= o->limit[0]) | (level[1] >= o->limit[1]) << 1 |
                       (level[2] >= o->limit[2]) << 2 | (level[3] >= o->limit[3]) << 3);
}

CT_INLINE void compute_reference_sides(overlap *o, const corners *ring) {
  for (int k = 0; k < 4; k++) {
    o->x[k] = ring->x[k];
    o->y[k] = ring->y[k];
    o->dx[k] = ring->x[(k + 1) & 3] - ring->x[k];
    o->dy[k] = ring->y[(k + 1) & 3] - ring->y[k];
  }
  for (int k = 0; k < 4; k++)
    o->limit[k] = -o->c->tie * sqrt(o->dx[k] * o->dx[k] + o->dy[k] * o->dy[k]);
}

/* Adds the crossing of the edge from corner u to corner v with a side of the reference face to the
 * pool. `edge`: edge of the clipped polygon that begins there. */
CT_INLINE void append_crossing(overlap *o, unsigned side, unsigned u, unsigned v, unsigned edge) {
  double level = o->level[u][side], next = o->level[v][side];
  double t = ct_min2(ct_max2(level / (level - next), 0.0), 1.0);
  corners *p = o->pool;
  unsigned w = o->made++;
  for (int k = 0; k < 3; k++) p->at[k][w] = p->at[k][u] + t * (p->at[k][v] - p->at[k][u]);
  p->x[w] = p->x[u] + t * (p->x[v] - p->x[u]);
  p->y[w] = p->y[u] + t * (p->y[v] - p->y[u]);
  p->edge[w] = (uint8_t)edge;
  compute_corner_levels(o, w);
}

/* Clips the polygon by one side. False: round-off has made it non-convex. */
CT_INLINE bool clip_by_reference_side(overlap *o, unsigned side) {
  unsigned n = o->count, in = 0, all = (1u << n) - 1;
  for (unsigned i = 0; i < n; i++) in |= (unsigned)(o->in[o->list >> 4 * i & 15] >> side & 1) << i;
  if (in == all) return true;
  o->count = 0;
  if (in == 0) return true;
  /* The corners inside are consecutive: find the first of them, and the first corner outside after
   * them. */
  unsigned before = (in << 1 | in >> (n - 1)) & all, enters = in & ~before, leaves = ~in & before;
  if ((enters & (enters - 1)) || o->made + 2 > CORNERS_MAX) return false;
  /* Rotate the list so that it begins with the first corner inside, and put one crossing before and
   * one after the corners inside. */
  unsigned first = (unsigned)__builtin_ctz(enters), end = (unsigned)__builtin_ctz(leaves);
  unsigned count = end > first ? end - first : end + n - first;
  uint64_t list = o->list, turned = first ? list >> 4 * first | list << 4 * (n - first) : list;
  uint64_t inside_list = turned & (((uint64_t)1 << 4 * count) - 1);
  unsigned outside = (unsigned)(list >> 4 * (first == 0 ? n - 1 : first - 1) & 15);
  o->list = (uint64_t)o->made | inside_list << 4 | (uint64_t)(o->made + 1) << 4 * (count + 1);
  o->count = count + 2;
  append_crossing(o, side, outside, (unsigned)(turned & 15), o->pool->edge[outside]);
  append_crossing(o, side, (unsigned)(turned >> 4 * (count - 1) & 15),
                  (unsigned)(list >> 4 * end & 15), SIDE | side);
  return true;
}

/* Packed features: of the reference face's box, and of the other box. */
typedef struct feature_pair {
  unsigned of[2];
} feature_pair;

/* Adds a contact point if it is within reach. `on_frame`: `at` is a point of the reference face.
 * Whether it is within reach is unpredictable, so the code has no branch. */
CT_INLINE void add_face_point(overlap *o, feature_pair features, ct_vec3 at, double x, double y,
                              bool on_frame) {
  contacts *c = o->c;
  const ct_vec3 *slope = &(on_frame ? o->body : o->frame)->slope;
  double gap = slope->x * x + slope->y * y + slope->z - ct_dot(c->view.normal, at);
  packed_point *out = &c->points[c->count];
  out->second = on_frame == o->second;
  out->at = at;
  out->distance = gap * (1.0 - 2.0 * (double)out->second);
  out->a = features.of[o->second];
  out->b = features.of[!o->second];
  c->count += out->distance <= c->reach;
}

CT_INLINE void add_reference_corner(overlap *o, unsigned side) {
  const corners *r = o->ring;
  unsigned i = side & ~SIDE;
  add_face_point(
      o,
      (feature_pair){{pack_feature(CT_FEATURE_VERTEX, r->vertex[i]), pack_face_feature(o->body)}},
      get_corner_position(r, i), r->x[i], r->y[i], true);
}

CT_INLINE bool are_box_corners_near(const corners *c, unsigned i, const corners *d, unsigned k,
                                    double tie) {
  return (fabs(c->x[i] - d->x[k]) <= tie) & (fabs(c->y[i] - d->y[k]) <= tie);
}

/* True if corner i is a crossing of an edge of the incident face with a side. `before`: the corner
 * before it. */
CT_INLINE bool is_edge_crossing(const corners *c, unsigned before, unsigned i) {
  return (c->edge[before] ^ c->edge[i]) & SIDE;
}

/* If corner i of the clipped polygon coincides with an end of a side, adds that corner of the
 * reference face and returns true. */
CT_INLINE bool add_reference_side_end(overlap *o, unsigned i, unsigned side) {
  double tie = 2.0 * o->c->tie;
  unsigned to = (side + 1) & 3;
  bool at_from = are_box_corners_near(o->pool, i, o->ring, side, tie),
       at_to = are_box_corners_near(o->pool, i, o->ring, to, tie);
  if (at_from | at_to) add_reference_corner(o, at_from ? side : to);
  return at_from | at_to;
}

/* Adds the crossing at corner i, by the rules of manifold_face.c: a crossing that coincides with a
 * corner is that corner; two coincident crossings are the reference corner, or one crossing. w, p,
 * i, q are consecutive corners. */
CT_INLINE void add_box_crossing(overlap *o, unsigned w, unsigned p, unsigned i, unsigned q) {
  const corners *c = o->pool;
  bool side_in = c->edge[p] & SIDE;
  double tie = 2.0 * o->c->tie;
  unsigned side = c->edge[side_in ? p : i] & ~SIDE, edge = c->edge[side_in ? i : p];
  if (are_box_corners_near(c, i, c, p, tie)) {
    if (!side_in && is_edge_crossing(c, w, p)) add_reference_side_end(o, i, side);
    return;
  }
  if (are_box_corners_near(c, i, c, q, tie) && (side_in || !is_edge_crossing(c, i, q))) return;
  if (add_reference_side_end(o, i, side)) return;
  ct_vec3 at = get_corner_position(c, i);
  add_face_point(o,
                 (feature_pair){{pack_feature(CT_FEATURE_EDGE, o->ring->edge[side]),
                                 pack_feature(CT_FEATURE_EDGE, edge)}},
                 at, ct_dot(o->c->view.x, at), ct_dot(o->c->view.y, at), false);
}

CT_INLINE void add_clipped_points(overlap *o) {
  const corners *c = o->pool;
  unsigned n = o->count;
  uint64_t list = o->list;
  if (n == 0) return;
  unsigned w = (unsigned)(list >> 4 * (n - 2) & 15), p = (unsigned)(list >> 4 * (n - 1) & 15),
           i = (unsigned)(list & 15);
  list |= (uint64_t)i << 4 * n;
  for (unsigned k = 0; k < n; k++) {
    list >>= 4;
    unsigned q = (unsigned)(list & 15);
    if (is_edge_crossing(c, p, i)) add_box_crossing(o, w, p, i, q);
    else if (c->edge[i] & SIDE) add_reference_corner(o, c->edge[i]);
    else
      add_face_point(o,
                     (feature_pair){{pack_face_feature(o->frame),
                                     pack_feature(CT_FEATURE_VERTEX, c->vertex[i])}},
                     get_corner_position(c, i), c->x[i], c->y[i], false);
    w = p, p = i, i = q;
  }
}

/* Adds the corners of the overlap of the two supporting faces. False: the clip failed. */
static bool intersect_box_faces(contacts *c) {
  const face *f = c->face;
  bool second = !(f[0].tilt <= f[1].tilt + CT_PARALLEL_ANGLE);
  corners both[2];
  overlap o; /* pool entries beyond `made` stay uninitialised */
  o.c = c;
  o.second = second;
  o.frame = &f[second];
  o.body = &f[!second];
  o.ring = &both[second];
  o.pool = &both[!second];
  compute_face_corners(c, 0, &both[0]);
  compute_face_corners(c, 1, &both[1]);
  compute_face_slope(c, 0);
  compute_face_slope(c, 1);
  compute_reference_sides(&o, o.ring);
  for (unsigned i = 0; i < 4; i++) compute_corner_levels(&o, i);
  o.list = 0x3210;
  o.count = o.made = 4;
  for (unsigned side = 0; side < 4 && o.count > 0; side++)
    if (!clip_by_reference_side(&o, side)) return false;
  add_clipped_points(&o);
  return true;
}

/* ---- all points ----------------------------------------------------------------------------- */

CT_INLINE ct_vec3 get_opposite_point(const contacts *c, const packed_point *p) {
  return ct_add_scaled(p->at, c->view.normal, p->second ? -p->distance : p->distance);
}

/* As ct_contacts_depth_tie. `places`: order of the points; NULL: the order in which they were
 * found. */
CT_INLINE double compute_box_depth_tie(const contacts *c, const uint32_t *places) {
  double x[POINTS_MAX], y[POINTS_MAX], most = 0.0;
  for (uint32_t i = 0; i < c->count; i++) {
    const packed_point *p = &c->points[places ? places[i] : i];
    ct_vec3 middle = ct_scale(ct_add(p->at, get_opposite_point(c, p)), 0.5);
    x[i] = ct_dot(c->view.x, middle);
    y[i] = ct_dot(c->view.y, middle);
  }
  for (uint32_t i = 1; i < c->count; i++)
    most = ct_max2(most, (x[i] - x[0]) * (x[i] - x[0]) + (y[i] - y[0]) * (y[i] - y[0]));
  return ct_max2(CT_CONTACT_TIE * sqrt(most), 2.0 * c->slack);
}

/* Adds the witness point if it is within reach; it replaces a point with the same features. */
static void add_box_witness(contacts *c, const packed_point *own) {
  if (!(own->distance <= c->reach)) return;
  for (uint32_t i = 0; i < c->count; i++) {
    if (c->points[i].a != own->a || c->points[i].b != own->b) continue;
    c->points[i] = c->points[--c->count];
    break;
  }
  assert(c->count < POINTS_MAX);
  c->points[c->count++] = *own;
}

static double find_least_distance(const contacts *c) {
  double least = INFINITY;
  for (uint32_t i = 0; i < c->count; i++) least = ct_min2(least, c->points[i].distance);
  return least;
}

/* Finds all contact points, the witness point included. False: undecided, left to the general
 * path. */
CT_INLINE bool find_box_points(contacts *c, packed_point *own) {
  find_normal_face(c, 0);
  find_normal_face(c, 1);
  const face *f = c->face;
  /* An edge contact, unless a face makes a face contact. */
  bool flat_a = f[0].tilt <= CT_PARALLEL_ANGLE, flat_b = f[1].tilt <= CT_PARALLEL_ANGLE;
  if (!(flat_a | flat_b)) {
    face_verdict on_a = classify_face_contact(c, 0),
                 on_b = on_a == FACE ? FACE : classify_face_contact(c, 1);
    if (on_a != FACE && on_b != FACE) {
      if (on_a == UNDECIDED || on_b == UNDECIDED || !have_crossing_edges(c, own)) return false;
      add_box_witness(c, own);
      return true;
    }
  }
  /* A face contact; the witness point is added only if no point is as deep. */
  if (!intersect_box_faces(c)) return false;
  double least = find_least_distance(c);
  if (least <= c->distance + 2.0 * c->slack ||
      least <= c->distance + compute_box_depth_tie(c, NULL))
    return true;
  if (flat_a) own->a = pack_face_feature(&f[0]);
  else find_perpendicular_box_edge(c, 0, &own->a);
  if (flat_b) own->b = pack_face_feature(&f[1]);
  else find_perpendicular_box_edge(c, 1, &own->b);
  add_box_witness(c, own);
  return true;
}

/* ---- order ---------------------------------------------------------------------------------- */

/* Sorts the indices of the points by features, then moves the deepest to the front. Returns their
 * number. */
CT_INLINE uint32_t sort_box_points(const contacts *c, uint32_t places[POINTS_MAX]) {
  uint32_t keys[POINTS_MAX], n = c->count;
  assert(n <= POINTS_MAX);
  for (uint32_t i = 0; i < n; i++) {
    const packed_point *p = &c->points[i];
    keys[i] = (p->a << 6 | p->b) << 4 | i;
  }
  /* The rank of a point is the number of smaller keys. The order is unpredictable, so the sort has
   * no branches. */
  for (uint32_t i = 0; i < n; i++) {
    uint32_t rank = 0;
    for (uint32_t k = 0; k < n; k++) rank += keys[k] < keys[i];
    places[rank] = i;
  }
  double limit = find_least_distance(c) + compute_box_depth_tie(c, places);
  uint32_t deepest = 0;
  while (deepest < n && c->points[places[deepest]].distance > limit) deepest++;
  if (deepest == 0 || deepest == n) return n;
  uint32_t first = places[deepest];
  for (; deepest > 0; deepest--) places[deepest] = places[deepest - 1];
  places[0] = first;
  return n;
}

/* Reduces more than four points to at most four (ct_contacts_reduce). Returns their number. */
static __attribute__((noinline)) uint32_t reduce_box_points(const contacts *c,
                                                            uint32_t places[POINTS_MAX], uint32_t n,
                                                            ct_contact_point *points) {
  for (uint32_t i = 0; i < n; i++) {
    const packed_point *p = &c->points[places[i]];
    ct_vec3 other = get_opposite_point(c, p);
    points[i].point_a = p->second ? other : p->at;
    points[i].point_b = p->second ? p->at : other;
    points[i].number = places[i];
  }
  n = ct_contacts_reduce(points, n, &c->view, c->slack);
  for (uint32_t i = 0; i < n; i++) places[i] = points[i].number;
  return n;
}

/* Writes a point in the world frame, with the bodies in the caller's order. */
CT_INLINE void write_box_point(const contacts *c, const packed_point *p, ct_vec3 normal,
                               ct_contact_point *out) {
  bool swapped = c->pair.swapped;
  ct_vec3 *places[2] = {&out->point_a, &out->point_b};
  *places[p->second != swapped] = ct_clear_negative_zero(ct_to_parent(*c->pair.frame[0], p->at));
  *places[p->second == swapped] =
      ct_clear_negative_zero(ct_to_parent(*c->pair.frame[0], get_opposite_point(c, p)));
  const unsigned features[2] = {p->a, p->b};
  out->a = unpack_feature(features[swapped]);
  out->b = unpack_feature(features[!swapped]);
  out->normal = normal;
  out->distance = p->distance + 0.0;
  out->patch = out->number = 0;
}

bool ct_contacts_boxes(ct_placed a, ct_placed b, const ct_contact_options *options,
                       ct_workspace *workspace, ct_manifold *out) {
  /* Distance and normal of the pair. */
  const ct_pair_options pair_options = {options->tolerance, options->clearance};
  ct_manifold_scratch *memory = ct_workspace_manifold(workspace);
  /* Reserve memory before anything else, so that the path taken does not depend on earlier
   * pairs. */
  if (memory->capacity < POINTS_MAX && !ct_contacts_reserve(memory, POINTS_MAX)) return false;
  contacts c;
  ct_pair_result *pair = &out->pair;
  ct_box_pair_place(a, b, &c.pair);
  if (!ct_box_pair_near(&c.pair, &pair_options, pair))
    ct_pair_distance_by_matrix(a, b, &pair_options, workspace, pair);
  out->points = NULL;
  out->count = 0;
  out->failed = false;
  if (pair->distance > options->clearance) return true;
  if (c.pair.axis_found >= 0 && ct_contacts_boxes_axis(&c.pair, options, memory, out)) return true;
  const ct_frame *frame = c.pair.frame[0];
  bool swapped = c.pair.swapped;
  /* View along the normal, and tolerances. */
  c.view = ct_contacts_view(frame, ct_scale(pair->normal, swapped ? -1.0 : 1.0));
  ct_vec3 n = c.view.normal, m = ct_neg(n);
  c.cosine[0] = n;
  c.cosine[1] =
      ct_vec(ct_dot(m, c.pair.axis[0]), ct_dot(m, c.pair.axis[1]), ct_dot(m, c.pair.axis[2]));
  c.distance = pair->distance;
  for (int k = 0; k < 2; k++) c.extent[k] = sqrt(ct_norm2(c.pair.half[k]));
  c.slack = CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF *
            (ct_max2(c.extent[0], c.extent[1]) + fabs(c.distance));
  c.tie = ct_contacts_tie(c.extent[0], c.extent[1], c.slack);
  c.reach = options->clearance + c.tie;
  c.count = 0;
  packed_point own = {.at = ct_to_local(*frame, swapped ? pair->point_b : pair->point_a),
                      .distance = pair->distance};
  /* Find the points, sort and reduce them. */
  if (!find_box_points(&c, &own)) return false;
  uint32_t places[POINTS_MAX], count = sort_box_points(&c, places);
  if (options->detail == CT_DETAIL_MANIFOLD && count > KEPT_MAX)
    count = reduce_box_points(&c, places, count, memory->points);
  if (options->detail == CT_DETAIL_DEEPEST && count > 1) count = 1;
  for (uint32_t i = 0; i < count; i++)
    write_box_point(&c, &c.points[places[i]], pair->normal, &memory->points[i]);
  memory->count = c.count;
  out->points = memory->points;
  out->count = count;
  return true;
}
