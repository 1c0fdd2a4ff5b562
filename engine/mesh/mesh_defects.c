/* Defects of a mesh: open and non-manifold edges, and the holes bounded by open edges.
 *
 * The loop of a hole has the direction opposite to that of the triangles. Let v(c) be the vertex of
 * corner c. For the open edge of corner c, the triangle runs from v(c) to v(next c); the loop runs
 * from v(next c) to v(c), and continues with an open edge whose triangle ends at v(c). Two edges
 * are joined first where the same fan of triangles connects them around the vertex; the rest are
 * joined in the order of corners. */
#include "mesh/mesh_repair_steps.h"

#include <stdlib.h>

#define NONE CT_NO_TRIANGLE
/* Least area of a loop with a significant normal, as a fraction of its squared size. */
#define AREA_FRACTION_MIN 1e-12

/* Open edges. Each is identified by its corner (mesh_build.h). */
typedef struct opening {
  const ct_mesh_parts *m;
  uint32_t *fan;    /* [3 triangle_count] union-find parent of corners at the same vertex whose
                       triangles share an edge there */
  uint32_t *head;   /* [corners or vertices] for each fan or vertex: first open edge of the list of
                       those that start there, as an index of `corner`, or NONE */
  uint32_t *corner; /* [count] corner of each open edge, ascending */
  uint32_t *after, *before; /* [count] next and previous open edge in the loop, as indices of
                               `corner`, or NONE */
  uint32_t *next;           /* [count] next open edge in the list that begins at `head`, or NONE */
  uint8_t *used;            /* [count] the edge has been followed */
  uint32_t count;
} opening;

static void free_opening(opening *o) {
  free(o->fan);
  free(o->head);
  free(o->corner);
  free(o->after);
  free(o->before);
  free(o->next);
  free(o->used);
}

/* ---- edges ---------------------------------------------------------------------------------- */

/* The first defective edges, in the order of their corners. */
typedef struct first_edges {
  uint32_t corner[CT_MESH_DEFECT_EDGES];
  uint32_t triangles[CT_MESH_DEFECT_EDGES];
  ct_mesh_edge_kind kind[CT_MESH_DEFECT_EDGES];
  uint32_t count;
} first_edges;

static void add_first_edge(first_edges *f, uint32_t corner, uint32_t triangles,
                           ct_mesh_edge_kind kind) {
  uint32_t at = f->count;
  if (at == CT_MESH_DEFECT_EDGES && f->corner[--at] < corner) return;
  for (; at > 0 && f->corner[at - 1] > corner; at--) {
    f->corner[at] = f->corner[at - 1];
    f->triangles[at] = f->triangles[at - 1];
    f->kind[at] = f->kind[at - 1];
  }
  f->corner[at] = corner;
  f->triangles[at] = triangles;
  f->kind[at] = kind;
  f->count += f->count < CT_MESH_DEFECT_EDGES;
}

static void write_defect_edges(const first_edges *f, const ct_mesh_parts *m, ct_mesh_defects *out) {
  out->edge_count = f->count;
  for (uint32_t i = 0; i < f->count; i++) {
    const uint32_t *t = m->triangles[f->corner[i] / 3];
    out->edge[i] =
        (ct_mesh_edge){.kind = f->kind[i],
                       .triangle = f->corner[i] / 3,
                       .triangles = f->triangles[i],
                       .vertex = {t[f->corner[i] % 3], t[ct_mesh_next_corner(f->corner[i]) % 3]}};
  }
}

static void inspect_edge(opening *o, const uint32_t *corners, uint32_t count, first_edges *first,
                         ct_mesh_defects *out) {
  const ct_mesh_parts *m = o->m;
  ct_mesh_ends e = ct_mesh_edge_ends(m, corners[0]);
  int64_t balance = 0;
  for (uint32_t i = 0; i < count; i++) {
    balance += ct_mesh_corner(m, corners[i]) == e.low ? 1 : -1;
    if (i == 0) continue;
    ct_mesh_unite(o->fan, ct_mesh_corner_at(m, corners[0], e.low),
                  ct_mesh_corner_at(m, corners[i], e.low));
    ct_mesh_unite(o->fan, ct_mesh_corner_at(m, corners[0], e.high),
                  ct_mesh_corner_at(m, corners[i], e.high));
  }
  bool inconsistent = llabs(balance) > (int64_t)(count % 2);
  out->open_edges += count == 1;
  out->non_manifold_edges += count > 2;
  out->inconsistent_edges += inconsistent;
  if (count == 1) o->corner[o->count++] = corners[0];
  if (count == 2 && !inconsistent) return;
  add_first_edge(first, corners[0], count,
                 count == 1  ? CT_MESH_EDGE_OPEN
                 : count > 2 ? CT_MESH_EDGE_NON_MANIFOLD
                             : CT_MESH_EDGE_INCONSISTENT);
}

static int compare_corners(const void *x, const void *y) {
  uint32_t p = *(const uint32_t *)x, q = *(const uint32_t *)y;
  return (p > q) - (p < q);
}

/* Collects the open edges in ascending order, unites the corners of each fan, and counts the
 * defects. */
static ct_status inspect_edges(opening *o, ct_mesh_defects *out) {
  const ct_mesh_parts *m = o->m;
  size_t corners = 3 * (size_t)m->triangle_count;
  ct_groups groups;
  ct_status status = ct_mesh_group_edges(m, &groups);
  if (status != CT_OK) return status;
  first_edges first = {.count = 0};
  o->fan = malloc(corners * sizeof *o->fan);
  o->corner = malloc(corners * sizeof *o->corner);
  if (!o->fan || !o->corner) status = CT_OUT_OF_MEMORY;
  for (uint32_t c = 0; status == CT_OK && c < corners; c++) o->fan[c] = c;
  for (uint32_t i = 0, end; i < groups.count && status == CT_OK; i = end) {
    end = ct_mesh_edge_end(m, &groups, i);
    inspect_edge(o, groups.items + i, end - i, &first, out);
    if (i / CT_MESH_POLL != end / CT_MESH_POLL && ct_cancel_raised(m->cancel))
      status = CT_CANCELLED;
  }
  ct_groups_free(&groups);
  if (status != CT_OK) return status;
  if (o->count > 1) qsort(o->corner, o->count, sizeof *o->corner, compare_corners);
  write_defect_edges(&first, m, out);
  return CT_OK;
}

/* ---- loops ---------------------------------------------------------------------------------- */

/* Joins each open edge that ends at a key with an open edge that starts there, both in ascending
 * order. `arrives` and `leaves` return the key at the end and at the start of a loop's edge. */
static void join_edges_by_key(opening *o, uint32_t (*arrives)(const opening *, uint32_t),
                              uint32_t (*leaves)(const opening *, uint32_t)) {
  for (uint32_t i = o->count; i-- > 0;) o->head[leaves(o, o->corner[i])] = NONE;
  for (uint32_t i = o->count; i-- > 0;) o->head[arrives(o, o->corner[i])] = NONE;
  /* For each key, make a list of the edges that start there and are not joined yet, in ascending
   * order. */
  for (uint32_t i = o->count; i-- > 0;) {
    if (o->before[i] != NONE) continue;
    uint32_t key = leaves(o, o->corner[i]);
    o->next[i] = o->head[key];
    o->head[key] = i;
  }
  for (uint32_t i = 0; i < o->count; i++) {
    if (o->after[i] != NONE) continue;
    uint32_t *head = &o->head[arrives(o, o->corner[i])], found = *head;
    if (found == NONE) continue;
    *head = o->next[found];
    o->after[i] = found;
    o->before[found] = i;
  }
}

static uint32_t find_fan_at_end(const opening *o, uint32_t corner) {
  return ct_mesh_find_root(o->fan, corner);
}
static uint32_t find_fan_at_start(const opening *o, uint32_t corner) {
  return ct_mesh_find_root(o->fan, ct_mesh_next_corner(corner));
}
static uint32_t find_loop_end(const opening *o, uint32_t corner) {
  return ct_mesh_corner(o->m, corner);
}
static uint32_t find_loop_start(const opening *o, uint32_t corner) {
  return ct_mesh_corner(o->m, ct_mesh_next_corner(corner));
}

static ct_status join_open_edges(opening *o) {
  size_t corners = 3 * (size_t)o->m->triangle_count,
         keys = corners > o->m->vertex_count ? corners : o->m->vertex_count;
  o->head = malloc((keys + 1) * sizeof *o->head);
  o->after = malloc(((size_t)o->count + 1) * sizeof *o->after);
  o->before = malloc(((size_t)o->count + 1) * sizeof *o->before);
  o->next = malloc(((size_t)o->count + 1) * sizeof *o->next);
  o->used = calloc((size_t)o->count + 1, 1);
  if (!o->head || !o->after || !o->before || !o->next || !o->used) return CT_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < o->count; i++) o->after[i] = o->before[i] = NONE;
  join_edges_by_key(o, find_fan_at_end, find_fan_at_start);
  join_edges_by_key(o, find_loop_end, find_loop_start);
  return CT_OK;
}

/* ---- holes ---------------------------------------------------------------------------------- */

/* Returns the vector area of a loop about its centre, m^2 (Newell's method). */
static ct_vec3 sum_loop_area(const ct_mesh_parts *m, const uint32_t *loop, uint32_t count,
                             ct_vec3 center) {
  ct_vec3 area = {0.0, 0.0, 0.0};
  for (uint32_t i = 0; i < count; i++) {
    ct_vec3 p = ct_sub(ct_mesh_point(m, loop[i]), center),
            q = ct_sub(ct_mesh_point(m, loop[(i + 1) % count]), center);
    area = ct_add(area, ct_scale(ct_cross(p, q), 0.5));
  }
  return area;
}

static void measure_hole(const ct_mesh_parts *m, const uint32_t *loop, ct_mesh_hole *hole) {
  uint32_t points = hole->edges + !hole->closed;
  assert(points > 0);
  ct_aabb box = ct_aabb_empty();
  for (uint32_t i = 0; i < points; i++) {
    ct_vec3 p = ct_mesh_point(m, loop[i]);
    box = ct_aabb_union(box, (ct_aabb){p, p});
    hole->center = ct_add(hole->center, ct_scale(p, 1.0 / points));
  }
  for (uint32_t i = 0; i < hole->edges; i++)
    hole->perimeter +=
        ct_norm(ct_sub(ct_mesh_point(m, loop[(i + 1) % points]), ct_mesh_point(m, loop[i])));
  /* The normal is that of the vector area; 0 if the area is not significant. */
  hole->size = ct_norm(ct_sub(box.max, box.min));
  ct_vec3 area = sum_loop_area(m, loop, points, hole->center);
  bool flat = ct_norm(area) <= AREA_FRACTION_MIN * hole->size * hole->size;
  if (!flat) hole->normal = ct_unit_or(area, hole->normal);
  /* A loop without area is a line, along the direction to the point farthest from the centre. */
  ct_vec3 far = {0.0, 0.0, 0.0};
  for (uint32_t i = 0; flat && i < points; i++) {
    ct_vec3 way = ct_sub(ct_mesh_point(m, loop[i]), hole->center);
    if (ct_norm(way) > ct_norm(far)) far = way;
  }
  ct_vec3 line = ct_unit_or(far, (ct_vec3){1.0, 0.0, 0.0});
  for (uint32_t i = 0; i < points; i++) {
    ct_vec3 way = ct_sub(ct_mesh_point(m, loop[i]), hole->center);
    double off = flat ? ct_norm(ct_cross(way, line)) : fabs(ct_dot(way, hole->normal));
    hole->flatness = ct_max2(hole->flatness, off);
  }
}

/* Edges followed so far that do not belong to a hole yet; their start vertices are distinct. */
typedef struct walked {
  uint32_t *edge;  /* [count] edges in the order followed, as indices of opening.corner */
  uint32_t *place; /* [vertices] index in `edge` of the edge that starts at each vertex, or NONE */
  uint32_t count;
} walked;

/* Makes a new hole of the followed edges from index `from` on, and removes them from the list. */
static void emit_hole(opening *o, walked *w, uint32_t from, bool closed, ct_mesh_defects *out) {
  ct_mesh_hole *hole = &out->holes[out->hole_count];
  uint32_t filled = out->hole_count ? hole[-1].first + hole[-1].edges + !hole[-1].closed : 0;
  *hole = (ct_mesh_hole){.first = filled, .closed = closed, .triangle = CT_NO_TRIANGLE};
  for (uint32_t i = from; i < w->count; i++) {
    uint32_t corner = o->corner[w->edge[i]], begin = find_loop_start(o, corner);
    if (corner / 3 < hole->triangle) hole->triangle = corner / 3;
    out->loop[filled++] = begin;
    hole->edges++;
    w->place[begin] = NONE;
  }
  if (!closed) out->loop[filled] = find_loop_end(o, o->corner[w->edge[w->count - 1]]);
  hole->outcome = CT_MESH_HOLE_LEFT;
  measure_hole(o->m, out->loop + hole->first, hole);
  out->hole_count++;
  w->count = from;
}

/* Follows the chain of joined edges from `edge`. Whenever it returns to a vertex, makes a hole of
 * the loop since then. */
static void follow_edges(opening *o, uint32_t edge, walked *w, ct_mesh_defects *out) {
  /* Begin at the first edge of the chain if the chain is open, else at the given edge. */
  uint32_t begin = edge;
  while (o->before[begin] != NONE && o->before[begin] != edge) begin = o->before[begin];
  bool closed = o->before[begin] != NONE;
  uint32_t at = closed ? edge : begin;
  do {
    uint32_t vertex = find_loop_start(o, o->corner[at]);
    if (w->place[vertex] != NONE) emit_hole(o, w, w->place[vertex], true, out);
    w->place[vertex] = w->count;
    w->edge[w->count++] = at;
    o->used[at] = 1;
    begin = at;
    at = o->after[at];
  } while (at != NONE && !o->used[at]);
  uint32_t end = find_loop_end(o, o->corner[begin]);
  if (w->place[end] != NONE) emit_hole(o, w, w->place[end], true, out);
  if (w->count > 0) emit_hole(o, w, 0, closed, out);
}

static int compare_holes(const void *x, const void *y) {
  const ct_mesh_hole *p = x, *q = y;
  if (p->triangle != q->triangle) return p->triangle < q->triangle ? -1 : 1;
  return (p->first > q->first) - (p->first < q->first);
}

static ct_status follow_holes(opening *o, ct_mesh_defects *out) {
  walked w = {.edge = malloc(((size_t)o->count + 1) * sizeof *w.edge), .place = o->head};
  out->holes = malloc(((size_t)o->count + 1) * sizeof *out->holes);
  out->loop = malloc((2 * (size_t)o->count + 1) * sizeof *out->loop);
  ct_status status = w.edge && out->holes && out->loop ? CT_OK : CT_OUT_OF_MEMORY;
  for (uint32_t v = 0; v < o->m->vertex_count; v++) w.place[v] = NONE;
  for (uint32_t i = 0; i < o->count && status == CT_OK; i++) {
    if (ct_mesh_cancelled(i, o->m->cancel)) status = CT_CANCELLED;
    else if (!o->used[i]) follow_edges(o, i, &w, out);
  }
  free(w.edge);
  if (status == CT_OK && out->hole_count > 1)
    qsort(out->holes, out->hole_count, sizeof *out->holes, compare_holes);
  return status;
}

ct_status ct_mesh_collect_defects(ct_mesh_parts *m, ct_mesh_defects *out) {
  opening o = {.m = m};
  *out = (ct_mesh_defects){0};
  ct_status status = inspect_edges(&o, out);
  if (status == CT_OK && o.count > 0) status = join_open_edges(&o);
  if (status == CT_OK && o.count > 0) status = follow_holes(&o, out);
  free_opening(&o);
  if (status != CT_OK) ct_mesh_defects_free(out);
  return status;
}

ct_status ct_mesh_find_defects(const ct_mesh *mesh, const ct_cancel *cancel, ct_mesh_defects *out) {
  const ct_mesh_view *view = ct_mesh_get(mesh);
  const ct_mesh_data data = {view->vertices, view->vertex_count, view->triangles,
                             view->triangle_count, NULL};
  ct_mesh_parts parts = ct_mesh_parts_of(&data, cancel);
  ct_mesh_report report = {0};
  *out = (ct_mesh_defects){0};
  parts.repeats = view->repeats;
  if (!ct_mesh_open_vertices(&parts)) return CT_LIMIT;
  ct_status status = ct_mesh_join(&parts, &report);
  if (status == CT_OK) status = ct_mesh_edges(&parts, &report);
  if (status == CT_OK && !report.watertight) status = ct_mesh_collect_defects(&parts, out);
  ct_mesh_parts_free(&parts);
  return status;
}

void ct_mesh_defects_free(ct_mesh_defects *defects) {
  free(defects->holes);
  free(defects->loop);
  *defects = (ct_mesh_defects){0};
}
