/* Clips a convex polyhedron by planes; see volume_cut.h for the structure and its invariants. */
#include "volume/volume_cut.h"
#include "base/simd_lanes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void ct_cut_free(ct_cut *cut) { free(cut->block); }

/* ---- memory --------------------------------------------------------------------------------- */

/* Returns the address of the next array in the block, 16-byte aligned, and adds its size to *used.
 * If base is NULL, only adds the size. */
static void *take_block_part(char *base, size_t *used, size_t bytes) {
  void *at = base ? base + *used : NULL;
  *used += (bytes + 15) / 16 * 16;
  return at;
}

/* Sets the pointers to all arrays in the block for at most `faces` faces, and returns the block's
 * size. By Euler's formula, with at least three edges at a vertex, there are fewer than 2 faces
 * vertices and 6 faces half-edges. */
static size_t lay_out_block(ct_cut *cut, char *base, size_t faces) {
  size_t used = 0, vertices = 2 * faces + 2, edges = 6 * faces;
  cut->x = take_block_part(base, &used, vertices * sizeof(double));
  cut->y = take_block_part(base, &used, vertices * sizeof(double));
  cut->z = take_block_part(base, &used, vertices * sizeof(double));
  cut->low_x = take_block_part(base, &used, vertices * sizeof(double));
  cut->low_y = take_block_part(base, &used, vertices * sizeof(double));
  cut->low_z = take_block_part(base, &used, vertices * sizeof(double));
  cut->height = take_block_part(base, &used, vertices * sizeof(double));
  cut->edge_of = take_block_part(base, &used, vertices * sizeof(uint32_t));
  cut->vertex_mark = take_block_part(base, &used, vertices * sizeof(uint32_t));
  cut->outside = take_block_part(base, &used, vertices * sizeof(uint32_t));
  cut->head = take_block_part(base, &used, vertices * sizeof(uint32_t));
  cut->link = take_block_part(base, &used, edges * sizeof(uint32_t));
  cut->edges = take_block_part(base, &used, edges * sizeof(ct_cut_edge));
  cut->first = take_block_part(base, &used, faces * sizeof(uint32_t));
  cut->face_mark = take_block_part(base, &used, faces * sizeof(uint32_t));
  cut->crossings = take_block_part(base, &used, vertices * sizeof(ct_cut_crossing));
  return used;
}

static bool reserve_faces(ct_cut *cut, size_t faces) {
  if (faces <= cut->capacity) return true;
  size_t bytes = lay_out_block(cut, NULL, faces);
  cut->capacity = 0;
  free(cut->block);
  cut->block = aligned_alloc(16, bytes);
  if (!cut->block) return false;
  cut->capacity = faces;
  lay_out_block(cut, cut->block, faces);
  return true;
}

/* ---- initial body --------------------------------------------------------------------------- */

/* Links twin half-edges. Half-edges without a twin so far are in lists by start vertex; each
 * half-edge searches the list of its end vertex for one that ends at its start. */
static void link_twins(ct_cut *cut) {
  for (uint32_t v = 0; v < cut->vertex_count; v++) cut->head[v] = CT_CUT_NONE;
  for (uint32_t e = 0; e < cut->edge_count; e++) {
    uint32_t from = cut->edges[e].origin, to = cut->edges[cut->edges[e].next].origin,
             *slot = &cut->head[to];
    while (*slot != CT_CUT_NONE && cut->edges[cut->edges[*slot].next].origin != from)
      slot = &cut->link[*slot];
    if (*slot != CT_CUT_NONE) {
      cut->edges[e].twin = *slot;
      cut->edges[*slot].twin = e;
      *slot = cut->link[*slot];
      continue;
    }
    cut->link[e] = cut->head[from];
    cut->head[from] = e;
  }
}

/* Repeats the last vertex, so that the second SIMD lane of an odd count reads a valid vertex. */
static void pad_vertices(ct_cut *cut) {
  uint32_t n = cut->vertex_count;
  cut->x[n] = cut->x[n - 1];
  cut->y[n] = cut->y[n - 1];
  cut->z[n] = cut->z[n - 1];
}

bool ct_cut_open(ct_cut *cut, const ct_volume_body *body, uint32_t more) {
  if (!reserve_faces(cut, (size_t)body->face_count + more)) return false;
  cut->vertex_count = body->vertex_count;
  cut->face_count = body->face_count + more;
  cut->edge_count = body->face_start[body->face_count];
  /* Euler's formula: a closed surface without handles */
  assert(cut->vertex_count + body->face_count == cut->edge_count / 2 + 2);
  cut->spare = CT_CUT_NONE;
  cut->stamp = 0;
  /* copy the vertices, whose low parts are 0 at first */
  memcpy(cut->x, body->x, body->vertex_count * sizeof *cut->x);
  memcpy(cut->y, body->y, body->vertex_count * sizeof *cut->y);
  memcpy(cut->z, body->z, body->vertex_count * sizeof *cut->z);
  memset(cut->low_x, 0, body->vertex_count * sizeof *cut->low_x);
  memset(cut->low_y, 0, body->vertex_count * sizeof *cut->low_y);
  memset(cut->low_z, 0, body->vertex_count * sizeof *cut->low_z);
  memset(cut->vertex_mark, 0, (2 * cut->capacity + 2) * sizeof *cut->vertex_mark);
  memset(cut->face_mark, 0, cut->capacity * sizeof *cut->face_mark);
  /* half-edges of the face loops, then their twins */
  for (uint32_t f = 0; f < body->face_count; f++) {
    uint32_t begin = body->face_start[f], end = body->face_start[f + 1];
    assert(end - begin >= 3);
    cut->first[f] = begin;
    for (uint32_t e = begin; e < end; e++) {
      uint32_t v = body->face_loop[e];
      cut->edges[e] = (ct_cut_edge){v, e + 1 < end ? e + 1 : begin, CT_CUT_NONE, f};
      cut->edge_of[v] = e;
    }
  }
  for (uint32_t f = body->face_count; f < cut->face_count; f++) cut->first[f] = CT_CUT_NONE;
  link_twins(cut);
  pad_vertices(cut);
  return true;
}

/* ---- heights -------------------------------------------------------------------------------- */

void ct_cut_heights(ct_cut *cut, ct_vec3 n, double offset, double *least, double *most) {
  assert(cut->vertex_count > 0);
  cut->plane = NULL;
  const ct_lanes o = {offset, offset};
  ct_lanes low = {INFINITY, INFINITY}, high = {-INFINITY, -INFINITY};
  for (uint32_t v = 0; v < cut->vertex_count; v += 2) {
    ct_lanes h = ct_lanes_products(cut->x, cut->y, cut->z, n, (int)v) - o;
    ct_lanes_store(cut->height + v, h);
    low = ct_lanes_lower(low, h);
    high = ct_lanes_higher(high, h);
  }
  *least = low[0] < low[1] ? low[0] : low[1];
  *most = high[0] > high[1] ? high[0] : high[1];
}

void ct_cut_wide_heights(ct_cut *cut, const ct_wide_plane *plane, double near, double *least,
                         double *most) {
  ct_cut_heights(cut, ct_dd3_value(&plane->normal), ct_dd_value(plane->offset), least, most);
  cut->plane = plane;
  *least = INFINITY;
  *most = -INFINITY;
  for (uint32_t v = 0; v < cut->vertex_count; v++) {
    if (fabs(cut->height[v]) <= near) {
      const ct_dd3 p = ct_cut_wide_vertex(cut, v);
      cut->height[v] = ct_dd_value(ct_wide_height(plane, &p));
    }
    *least = ct_min2(*least, cut->height[v]);
    *most = ct_max2(*most, cut->height[v]);
  }
}

ct_vec3 ct_cut_middle(const ct_cut *cut) {
  ct_vec3 sum = {0.0, 0.0, 0.0};
  for (uint32_t v = 0; v < cut->vertex_count; v++) sum = ct_add(sum, ct_cut_vertex(cut, v));
  return ct_scale(sum, 1.0 / (double)cut->vertex_count);
}

/* ---- removed part --------------------------------------------------------------------------- */

static inline uint32_t get_edge_end(const ct_cut *cut, uint32_t edge) {
  return cut->edges[cut->edges[edge].twin].origin;
}
/* Returns the next half-edge with the same origin. */
static inline uint32_t get_next_around(const ct_cut *cut, uint32_t edge) {
  return cut->edges[cut->edges[edge].twin].next;
}
static inline bool is_marked_outside(const ct_cut *cut, uint32_t v) {
  return cut->vertex_mark[v] == cut->stamp;
}

static void mark_outside(ct_cut *cut, uint32_t v) {
  cut->vertex_mark[v] = cut->stamp;
  cut->outside[cut->outside_count++] = v;
}

/* Marks the vertices above the plane that are connected to the highest one by vertices above it.
 * Other vertices are above by round-off only. */
static void mark_removed_vertices(ct_cut *cut) {
  uint32_t top = 0;
  for (uint32_t v = 1; v < cut->vertex_count; v++) {
    if (cut->height[v] > cut->height[top]) top = v;
  }
  cut->outside_count = 0;
  mark_outside(cut, top);
  for (uint32_t i = 0; i < cut->outside_count; i++) {
    uint32_t first = cut->edge_of[cut->outside[i]], e = first;
    do {
      uint32_t v = get_edge_end(cut, e);
      if (cut->height[v] > 0.0 && !is_marked_outside(cut, v)) mark_outside(cut, v);
      e = get_next_around(cut, e);
    } while (e != first);
  }
}

/* Returns the number of edges between removed and remaining vertices. *out: one of their
 * half-edges, from the remaining vertex. */
static uint32_t count_cut_edges(const ct_cut *cut, uint32_t *out) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < cut->outside_count; i++) {
    uint32_t first = cut->edge_of[cut->outside[i]], e = first;
    do {
      if (!is_marked_outside(cut, get_edge_end(cut, e))) {
        count++;
        *out = cut->edges[e].twin;
      }
      e = get_next_around(cut, e);
    } while (e != first);
  }
  return count;
}

/* Lists the crossings of the plane in order around the cut, face by face, from half-edge
 * `first`. */
static void trace_cut(ct_cut *cut, uint32_t first) {
  uint32_t out = first;
  cut->crossing_count = 0;
  do {
    uint32_t back = cut->edges[out].next;
    while (is_marked_outside(cut, get_edge_end(cut, back))) back = cut->edges[back].next;
    cut->crossings[cut->crossing_count++] = (ct_cut_crossing){.out = out, .back = back};
    out = cut->edges[back].twin;
  } while (out != first);
}

/* Removes pockets: remaining vertices that are not connected to the lowest one; they are below the
 * plane by round-off only. During the search, connected vertices have the mark stamp + 1. */
static void remove_pockets(ct_cut *cut) {
  uint32_t low = CT_CUT_NONE, count = 0, *stays = cut->head;
  for (uint32_t v = 0; v < cut->vertex_count; v++) {
    if (!is_marked_outside(cut, v) && (low == CT_CUT_NONE || cut->height[v] < cut->height[low]))
      low = v;
  }
  uint32_t remaining_mark = cut->stamp + 1;
  assert(low != CT_CUT_NONE);
  cut->vertex_mark[low] = remaining_mark;
  stays[count++] = low;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t first = cut->edge_of[stays[i]], e = first;
    do {
      uint32_t v = get_edge_end(cut, e);
      if (!is_marked_outside(cut, v) && cut->vertex_mark[v] != remaining_mark) {
        cut->vertex_mark[v] = remaining_mark;
        stays[count++] = v;
      }
      e = get_next_around(cut, e);
    } while (e != first);
  }
  for (uint32_t v = 0; v < cut->vertex_count; v++) {
    if (cut->vertex_mark[v] != remaining_mark && !is_marked_outside(cut, v)) mark_outside(cut, v);
  }
}

/* ---- the cut -------------------------------------------------------------------------------- */

/* Returns the intersection of an edge with the plane, in double-double arithmetic. */
static ct_dd3 intersect_edge_wide(const ct_cut *cut, uint32_t inside, uint32_t outside) {
  const ct_dd3 p = ct_cut_wide_vertex(cut, inside), q = ct_cut_wide_vertex(cut, outside),
               edge_vector = ct_dd3_minus(&q, &p);
  const ct_dd below = ct_dd_neg(ct_wide_height(cut->plane, &p)),
              above = ct_wide_height(cut->plane, &q);
  if (!(below.high > 0.0)) return p;
  if (!(above.high > 0.0)) return q;
  const ct_dd part = ct_dd_div(below, ct_dd_add(below, above));
  return (ct_dd3){ct_dd_add(p.x, ct_dd_mul(edge_vector.x, part)),
                  ct_dd_add(p.y, ct_dd_mul(edge_vector.y, part)),
                  ct_dd_add(p.z, ct_dd_mul(edge_vector.z, part))};
}

/* Returns the intersection of an edge with the plane, computed from the end nearer to the plane. */
static ct_vec3 intersect_edge_with_plane(const ct_cut *cut, uint32_t inside, uint32_t outside) {
  ct_vec3 p = ct_cut_vertex(cut, inside), q = ct_cut_vertex(cut, outside);
  double below = -cut->height[inside], above = cut->height[outside];
  if (!(below > 0.0)) return p;
  if (!(above > 0.0)) return q;
  double all = below + above;
  return below <= above ? ct_add_scaled(p, ct_sub(q, p), below / all)
                        : ct_add_scaled(q, ct_sub(p, q), above / all);
}

static uint32_t allocate_edge(ct_cut *cut) {
  uint32_t e = cut->spare;
  assert(e != CT_CUT_NONE || cut->edge_count < 6 * cut->capacity);
  if (e == CT_CUT_NONE) return cut->edge_count++;
  cut->spare = cut->edges[e].next;
  return e;
}

/* Frees the removed half-edges and faces. All are listed before the first is freed, because
 * visiting the edges around a vertex uses edges of other vertices. */
static void free_removed_edges(ct_cut *cut) {
  uint32_t count = 0, *leaving = cut->link;
  for (uint32_t i = 0; i < cut->crossing_count; i++)
    cut->face_mark[cut->edges[cut->crossings[i].out].face] = cut->stamp;
  for (uint32_t i = 0; i < cut->outside_count; i++) {
    uint32_t first = cut->edge_of[cut->outside[i]], e = first;
    do {
      if (is_marked_outside(cut, get_edge_end(cut, e))) leaving[count++] = e;
      e = get_next_around(cut, e);
    } while (e != first);
  }
  for (uint32_t i = 0; i < count; i++) {
    ct_cut_edge *edge = &cut->edges[leaving[i]];
    if (cut->face_mark[edge->face] != cut->stamp) cut->first[edge->face] = CT_CUT_NONE;
    edge->next = cut->spare;
    cut->spare = leaving[i];
  }
}

static void store_vertex(ct_cut *cut, uint32_t v, const ct_dd3 *p) {
  cut->x[v] = p->x.high;
  cut->y[v] = p->y.high;
  cut->z[v] = p->z.high;
  cut->low_x[v] = p->x.low;
  cut->low_y[v] = p->y.low;
  cut->low_z[v] = p->z.low;
}

/* Creates the new vertices and their half-edges, in the slots of removed vertices first. */
static void create_cut_vertices(ct_cut *cut) {
  for (uint32_t i = 0; i < cut->crossing_count; i++) {
    ct_cut_crossing *c = &cut->crossings[i];
    c->vertex = i < cut->outside_count ? cut->outside[i] : cut->vertex_count++;
    assert(c->vertex <= 2 * cut->capacity);
    c->edge = allocate_edge(cut);
    c->cap = allocate_edge(cut);
    cut->vertex_mark[c->vertex] = 0;
    cut->edge_of[c->vertex] = c->edge;
    store_vertex(cut, c->vertex, &c->at);
  }
}

/* Closes each cut face by a half-edge between its two crossings; the twins of these half-edges form
 * the new face. */
static void close_cut_faces(ct_cut *cut, uint32_t cap) {
  uint32_t n = cut->crossing_count;
  for (uint32_t i = 0; i < n; i++) {
    const ct_cut_crossing *c = &cut->crossings[i], *after = &cut->crossings[i + 1 < n ? i + 1 : 0];
    const ct_cut_crossing *before = &cut->crossings[i > 0 ? i - 1 : n - 1];
    uint32_t face = cut->edges[c->out].face;
    cut->edges[c->edge] = (ct_cut_edge){c->vertex, c->back, c->cap, face};
    cut->edges[c->cap] = (ct_cut_edge){after->vertex, before->cap, c->edge, cap};
    cut->edges[c->out].next = c->edge;
    cut->edges[c->back].origin = after->vertex;
    cut->first[face] = c->out;
  }
  cut->first[cap] = cut->crossings[0].cap;
}

/* Moves the last vertices into the slots of removed vertices that were not reused. */
static void compact_vertices(ct_cut *cut) {
  for (uint32_t i = cut->crossing_count; i < cut->outside_count; i++) {
    uint32_t hole = cut->outside[i];
    while (is_marked_outside(cut, cut->vertex_count - 1)) cut->vertex_count--;
    if (hole >= cut->vertex_count) continue;
    uint32_t last = --cut->vertex_count, first = cut->edge_of[last], e = first;
    do {
      cut->edges[e].origin = hole;
      e = get_next_around(cut, e);
    } while (e != first);
    const ct_dd3 vertex = ct_cut_wide_vertex(cut, last);
    store_vertex(cut, hole, &vertex);
    assert(!is_marked_outside(cut, last));
    cut->edge_of[hole] = first;
    cut->vertex_mark[hole] = 0;
  }
  pad_vertices(cut);
}

void ct_cut_plane(ct_cut *cut, uint32_t face) {
  assert(face < cut->face_count && cut->first[face] == CT_CUT_NONE);
  uint32_t first = CT_CUT_NONE;
  cut->stamp += 2;
  /* mark the removed part; afterwards it and the remaining part are each connected */
  mark_removed_vertices(cut);
  assert(cut->outside_count < cut->vertex_count);
  uint32_t crossings = count_cut_edges(cut, &first);
  assert(crossings > 0);
  trace_cut(cut, first);
  if (cut->crossing_count != crossings) {
    remove_pockets(cut);
    crossings = count_cut_edges(cut, &first);
    trace_cut(cut, first);
    assert(cut->crossing_count == crossings && "what stays is one piece");
  }
  /* compute new vertices, before removed ones are overwritten */
  for (uint32_t i = 0; i < cut->crossing_count; i++) {
    ct_cut_crossing *c = &cut->crossings[i];
    uint32_t inside = cut->edges[c->out].origin, outside = get_edge_end(cut, c->out);
    c->at = cut->plane ? intersect_edge_wide(cut, inside, outside)
                       : ct_dd3_of(intersect_edge_with_plane(cut, inside, outside));
  }
  /* update the structure */
  free_removed_edges(cut);
  create_cut_vertices(cut);
  close_cut_faces(cut, face);
  compact_vertices(cut);
}
