/* Triangulation of polygons with holes: bridges join the inner rings to the outer one, then ears
 * are clipped. All signs are exact.
 *
 * An ear is a vertex at a left turn whose closed triangle contains no other vertex; a simple
 * polygon has at least two (Meisters 1975). Vertices on a straight edge are no ears, so every
 * triangle has a positive area. A bridge connects an inner ring with the nearest visible vertex of
 * the polygon joined so far (Held 2001). O(n^2) for most polygons. */
#include "triangle/polygon_triangulation.h"

#include <stdlib.h>

/* Vertices tested between two polls of the cancel flag. */
#define CORNERS_PER_POLL 256u

/* The polygon as a circular doubly linked list of nodes. Both ends of a bridge occur twice. */
typedef struct triangulation {
  const ct_ring *rings;
  uint32_t ring_count;
  ct_vec2 *at; /* [nodes] position */
  uint32_t *corner, *next,
      *before;    /* [nodes] vertex number; index of the next node; index of the node before */
  uint32_t nodes; /* nodes in use */
  bool *joined;   /* [ring_count] the ring is part of the polygon */
  const uint32_t *start; /* [ring_count + 1] number of each ring's first vertex */
} triangulation;

/* ---- crossings ------------------------------------------------------------------------------ */

static bool is_same_vertex(ct_vec2 a, ct_vec2 b) { return a.x == b.x && a.y == b.y; }

/* True if p, which is collinear with a and b, is on the closed segment ab. */
static bool is_on_segment(ct_vec2 a, ct_vec2 b, ct_vec2 p) {
  return p.x >= ct_min2(a.x, b.x) && p.x <= ct_max2(a.x, b.x) && p.y >= ct_min2(a.y, b.y) &&
         p.y <= ct_max2(a.y, b.y);
}

/* True if the closed segments ab and cd share a point. */
static bool do_segments_intersect(ct_vec2 a, ct_vec2 b, ct_vec2 c, ct_vec2 d) {
  if (ct_max2(a.x, b.x) < ct_min2(c.x, d.x) || ct_max2(c.x, d.x) < ct_min2(a.x, b.x) ||
      ct_max2(a.y, b.y) < ct_min2(c.y, d.y) || ct_max2(c.y, d.y) < ct_min2(a.y, b.y))
    return false;
  int p = ct_orient2d(a, b, c), q = ct_orient2d(a, b, d), r = ct_orient2d(c, d, a),
      s = ct_orient2d(c, d, b);
  if (p * q < 0 && r * s < 0) return true;
  return (p == 0 && is_on_segment(a, b, c)) || (q == 0 && is_on_segment(a, b, d)) ||
         (r == 0 && is_on_segment(c, d, a)) || (s == 0 && is_on_segment(c, d, b));
}

/* True if the adjacent edges ab and bc share more than point b. */
static bool is_folded_back(ct_vec2 a, ct_vec2 b, ct_vec2 c) {
  return ct_orient2d(a, b, c) == 0 && (is_on_segment(b, c, a) || is_on_segment(a, b, c));
}

static bool do_edges_cross(const ct_ring *p, uint32_t i, const ct_ring *q, uint32_t j) {
  uint32_t i1 = (i + 1) % p->count, j1 = (j + 1) % q->count;
  if (p != q) return do_segments_intersect(p->at[i], p->at[i1], q->at[j], q->at[j1]);
  if (i1 == j) return is_folded_back(p->at[i], p->at[i1], p->at[j1]);
  if (j1 == i) return is_folded_back(p->at[j], p->at[j1], p->at[i1]);
  return do_segments_intersect(p->at[i], p->at[i1], p->at[j], p->at[j1]);
}

bool ct_rings_cross(const ct_ring *rings, uint32_t ring_count) {
  for (uint32_t r = 0; r < ring_count; r++)
    for (uint32_t s = r; s < ring_count; s++)
      for (uint32_t i = 0; i < rings[r].count; i++)
        for (uint32_t j = r == s ? i + 1 : 0; j < rings[s].count; j++)
          if (do_edges_cross(&rings[r], i, &rings[s], j)) return true;
  return false;
}

bool ct_ring_contains(const ct_ring *ring, ct_vec2 p) {
  bool inside = false;
  for (uint32_t i = 0; i < ring->count; i++) {
    ct_vec2 a = ring->at[i], b = ring->at[(i + 1) % ring->count];
    if ((a.y > p.y) == (b.y > p.y)) continue;
    int side = ct_orient2d(a, b, p);
    if (b.y > a.y ? side > 0 : side < 0) inside = !inside;
  }
  return inside;
}

/* ---- bridges -------------------------------------------------------------------------------- */

static void start_list(triangulation *f) {
  uint32_t count = f->rings[0].count;
  for (uint32_t i = 0; i < count; i++) {
    f->at[i] = f->rings[0].at[i];
    f->corner[i] = i;
    f->next[i] = (i + 1) % count;
    f->before[i] = (i + count - 1) % count;
  }
  f->nodes = count;
}

/* True if the segment ab intersects an edge of the ring, other than in a or b where a vertex of the
 * ring is there. */
static bool is_blocked_by_ring(const ct_ring *ring, ct_vec2 a, ct_vec2 b) {
  for (uint32_t i = 0; i < ring->count; i++) {
    ct_vec2 c = ring->at[i], d = ring->at[(i + 1) % ring->count];
    bool at_end = is_same_vertex(c, a) || is_same_vertex(c, b) || is_same_vertex(d, a) ||
                  is_same_vertex(d, b);
    if (!at_end) {
      if (do_segments_intersect(a, b, c, d)) return true;
      continue;
    }
    /* Edges with a common end may overlap in the same direction. */
    ct_vec2 far = is_same_vertex(c, a) || is_same_vertex(c, b) ? d : c;
    if (ct_orient2d(a, b, far) != 0) continue;
    if (is_on_segment(a, b, far) && !is_same_vertex(far, a) && !is_same_vertex(far, b)) return true;
    ct_vec2 other = is_same_vertex(c, a) || is_same_vertex(d, a) ? b : a;
    if (is_on_segment(c, d, other) && !is_same_vertex(other, c) && !is_same_vertex(other, d))
      return true;
  }
  return false;
}

/* True if the segment from the node to p starts into the interior of the polygon. */
static bool is_toward_inside(const triangulation *f, uint32_t node, ct_vec2 p) {
  ct_vec2 a = f->at[f->before[node]], b = f->at[node], c = f->at[f->next[node]];
  int turn = ct_orient2d(a, b, c), left_in = ct_orient2d(a, b, p), left_out = ct_orient2d(b, c, p);
  if (turn > 0) return left_in > 0 && left_out > 0;
  return left_in > 0 || left_out > 0;
}

static bool is_visible(const triangulation *f, uint32_t node, ct_vec2 p) {
  if (!is_toward_inside(f, node, p)) return false;
  for (uint32_t r = 0; r < f->ring_count; r++)
    if (is_blocked_by_ring(&f->rings[r], f->at[node], p)) return false;
  /* Existing bridges block visibility too. */
  for (uint32_t n = 0; n < f->nodes; n++) {
    ct_vec2 c = f->at[n], d = f->at[f->next[n]];
    const ct_vec2 bridge[2] = {c, d};
    if (is_blocked_by_ring(&(ct_ring){bridge, 2}, f->at[node], p)) return false;
  }
  return true;
}

static double squared_distance(ct_vec2 a, ct_vec2 b) {
  return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
}

/* Inserts the ring into the list after the node: from the ring's vertex `first` around to the same
 * vertex, then back to the node's vertex. */
static void insert_ring(triangulation *f, uint32_t node, uint32_t ring, uint32_t first) {
  uint32_t count = f->rings[ring].count, after = f->next[node], last = node;
  for (uint32_t k = 0; k <= count + 1; k++) {
    uint32_t own = f->nodes++, i = (first + k) % count;
    bool is_end = k == count + 1;
    f->at[own] = is_end ? f->at[node] : f->rings[ring].at[i];
    f->corner[own] = is_end ? f->corner[node] : f->start[ring] + i;
    f->next[last] = own;
    f->before[own] = last;
    last = own;
  }
  f->next[last] = after;
  f->before[after] = last;
}

/* Returns the ring's vertex with the largest x; the ring itself does not block the view from it
 * toward larger x. */
static uint32_t find_farthest_corner(const ct_ring *ring) {
  uint32_t best = 0;
  for (uint32_t i = 1; i < ring->count; i++)
    if (ring->at[i].x > ring->at[best].x) best = i;
  return best;
}

/* Joins the ring to the nearest node that is visible from its vertex of largest x. False: no node
 * is visible. */
static bool bridge_ring(triangulation *f, uint32_t ring) {
  uint32_t first = find_farthest_corner(&f->rings[ring]), best = UINT32_MAX;
  ct_vec2 p = f->rings[ring].at[first];
  double least = INFINITY;
  for (uint32_t n = 0; n < f->nodes; n++) {
    double gap = squared_distance(f->at[n], p);
    if (gap >= least || !is_visible(f, n, p)) continue;
    least = gap;
    best = n;
  }
  if (best == UINT32_MAX) return false;
  insert_ring(f, best, ring, first);
  return true;
}

/* Joins the inner rings in descending order of their largest x: from each, the outer ring or a ring
 * joined before is then visible. False: a ring could not be joined. */
static bool bridge_all_rings(triangulation *f) {
  for (uint32_t done = 1; done < f->ring_count; done++) {
    uint32_t best = 0;
    double farthest = -INFINITY;
    for (uint32_t r = 1; r < f->ring_count; r++) {
      double x = f->joined[r] ? -INFINITY : f->rings[r].at[find_farthest_corner(&f->rings[r])].x;
      if (f->joined[r] || x <= farthest) continue;
      farthest = x;
      best = r;
    }
    if (best == 0 || !bridge_ring(f, best)) return false;
    f->joined[best] = true;
  }
  return true;
}

/* ---- ears ----------------------------------------------------------------------------------- */

/* True if the node is an ear: a left turn whose closed triangle contains no other node. */
static bool is_ear(const triangulation *f, uint32_t node, const ct_cancel *cancel) {
  uint32_t a = f->before[node], c = f->next[node], seen = 0;
  ct_vec2 p = f->at[a], q = f->at[node], r = f->at[c];
  if (ct_orient2d(p, q, r) <= 0) return false;
  for (uint32_t n = f->next[c]; n != a; n = f->next[n]) {
    ct_vec2 s = f->at[n];
    if (++seen % CORNERS_PER_POLL == 0 && ct_cancel_raised(cancel)) return false;
    if (is_same_vertex(s, p) || is_same_vertex(s, q) || is_same_vertex(s, r)) continue;
    if (ct_orient2d(p, q, s) >= 0 && ct_orient2d(q, r, s) >= 0 && ct_orient2d(r, p, s) >= 0)
      return false;
  }
  return true;
}

/* Clips ears until one triangle is left. After an ear the next vertex is skipped, so that triangles
 * do not accumulate at one vertex. */
static ct_status cut_ears(triangulation *f, const ct_cancel *cancel, uint32_t (*out)[3],
                          bool *filled) {
  uint32_t left = f->nodes, node = 0, failed = 0, count = 0;
  *filled = false;
  while (left > 3 && failed < left) {
    if (ct_cancel_raised(cancel)) return CT_CANCELLED;
    uint32_t before = f->before[node], next = f->next[node];
    if (!is_ear(f, node, cancel)) {
      node = next;
      failed++;
      continue;
    }
    uint32_t *t = out[count++];
    t[0] = f->corner[before], t[1] = f->corner[node], t[2] = f->corner[next];
    f->next[before] = next;
    f->before[next] = before;
    left--;
    failed = 0;
    node = f->next[next];
  }
  uint32_t a = f->before[node], c = f->next[node];
  if (left != 3 || ct_orient2d(f->at[a], f->at[node], f->at[c]) <= 0) return CT_OK;
  out[count][0] = f->corner[a], out[count][1] = f->corner[node], out[count][2] = f->corner[c];
  *filled = true;
  return CT_OK;
}

ct_status ct_polygon_fill(const ct_ring *rings, uint32_t ring_count, const ct_cancel *cancel,
                          uint32_t (*out)[3], bool *filled) {
  uint32_t *start = malloc(((size_t)ring_count + 1) * sizeof *start);
  *filled = false;
  if (!start) return CT_OUT_OF_MEMORY;
  start[0] = 0;
  for (uint32_t r = 0; r < ring_count; r++) start[r + 1] = start[r] + rings[r].count;
  /* A bridge doubles its two ends, so each inner ring adds two nodes. */
  size_t nodes = start[ring_count] + 2 * (size_t)ring_count;
  triangulation f = {.rings = rings, .ring_count = ring_count, .start = start};
  f.at = malloc(nodes * sizeof *f.at);
  f.corner = malloc(nodes * sizeof *f.corner);
  f.next = malloc(nodes * sizeof *f.next);
  f.before = malloc(nodes * sizeof *f.before);
  f.joined = calloc(ring_count, sizeof *f.joined);
  ct_status status = f.at && f.corner && f.next && f.before && f.joined ? CT_OK : CT_OUT_OF_MEMORY;
  if (status == CT_OK) {
    start_list(&f);
    if (bridge_all_rings(&f)) status = cut_ears(&f, cancel, out, filled);
  }
  free(start);
  free(f.at);
  free(f.corner);
  free(f.next);
  free(f.before);
  free(f.joined);
  return status;
}
