/* Assembles a ct_hull from its polygon faces: one block of memory, canonical order, adjacency,
 * edges and planes.
 *
 * The canonical order makes the result independent of the order in which faces were found. Faces
 * and adjacency are sorted as half-edges, so the cost is linear for any vertex degree. Face planes
 * are computed from the vertices in double-double: two triangles at a time in SIMD lanes, other
 * polygons one by one. Both ways give the same bits. */
#include "base/double_double.h"
#include "base/simd_double_double.h"
#include "hull/half_edge.h"
#include "hull/hull_faces.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void ct_wide_triangle(const ct_vec3 *vertices, const uint32_t *loop, uint32_t count,
                      uint32_t wide[3]) {
  assert(count >= 3);
  uint32_t second = 1, third = 2;
  ct_vec3 origin = vertices[loop[0]];
  double most = -1.0;
  for (uint32_t i = 1; i < count; i++) {
    double d = ct_norm2(ct_sub(vertices[loop[i]], origin));
    if (d > most) {
      most = d;
      second = i;
    }
  }
  /* The third vertex is the farthest from the line through the first two. */
  ct_vec3 along = ct_sub(vertices[loop[second]], origin);
  most = -1.0;
  for (uint32_t i = 1; i < count; i++) {
    double d = ct_norm2(ct_cross(along, ct_sub(vertices[loop[i]], origin)));
    if (i != second && d > most) {
      most = d;
      third = i;
    }
  }
  wide[0] = loop[0];
  wide[1] = loop[second < third ? second : third];
  wide[2] = loop[second < third ? third : second];
}

/* Computes the plane of a face: the unit normal from a double-double cross product, and as offset
 * the maximum of n.v over the vertices, so that all of them are inside the plane. */
static void find_polygon_plane(const ct_hull_view *view, const ct_vec3 *vertices, uint32_t face,
                               double plane[4]) {
  uint32_t wide[3], count = view->face_start[face + 1] - view->face_start[face];
  const uint32_t *loop = view->face_loop + view->face_start[face];
  ct_wide_triangle(vertices, loop, count, wide);
  ct_dd3 p = ct_dd3_sub(vertices[wide[1]], vertices[wide[0]]),
         q = ct_dd3_sub(vertices[wide[2]], vertices[wide[0]]);
  ct_dd3 cross = ct_dd3_cross(&p, &q);
  ct_vec3 normal = ct_unit_or(ct_dd3_value(&cross), ct_vec(0.0, 0.0, 1.0));
  ct_dd3 n = ct_dd3_of(normal);
  double offset = -INFINITY;
  for (uint32_t i = 0; i < count; i++) {
    ct_dd3 v = ct_dd3_of(vertices[loop[i]]);
    offset = ct_max2(offset, ct_dd_value(ct_dd3_dot(&n, &v)));
  }
  memcpy(plane, (double[4]){normal.x, normal.y, normal.z, offset}, 4 * sizeof *plane);
}

static ct_vec3_lanes load_corner_pair(const ct_vec3 *vertices, uint32_t a, uint32_t b) {
  const ct_vec3 *p = &vertices[a], *q = &vertices[b];
  return (ct_vec3_lanes){{p->x, q->x}, {p->y, q->y}, {p->z, q->z}};
}

static ct_lanes absolute_lanes(ct_lanes a) { return ct_lanes_higher(a, -a); }

/* Returns the dot products of two pairs of double vectors, computed in double-double and
 * rounded. */
static ct_lanes dot_in_double_double(ct_vec3_lanes n, ct_vec3_lanes v) {
  ct_dd_lanes xy = ct_dd_add_lanes(ct_two_product_lanes(n.x, v.x), ct_two_product_lanes(n.y, v.y));
  ct_dd_lanes sum = ct_dd_add_lanes(xy, ct_two_product_lanes(n.z, v.z));
  return sum.high + sum.low;
}

/* Computes the planes of two triangles whose loops are consecutive. False: the area of one is not
 * representable in doubles. */
static bool find_triangle_planes(const uint32_t loop[6], const ct_vec3 *vertices,
                                 double planes[2][4]) {
  ct_vec3_lanes corner[3];
  for (int i = 0; i < 3; i++) corner[i] = load_corner_pair(vertices, loop[i], loop[i + 3]);
  ct_dd3_lanes p = ct_dd3_sub_lanes(corner[1], corner[0]),
               q = ct_dd3_sub_lanes(corner[2], corner[0]);
  ct_dd3_lanes cross = ct_dd3_cross_lanes(&p, &q);
  ct_vec3_lanes n = {cross.x.high + cross.x.low, cross.y.high + cross.y.low,
                     cross.z.high + cross.z.low};
  /* Divide by the largest component, so that squares neither overflow nor underflow. */
  ct_lanes most = ct_lanes_higher(ct_lanes_higher(absolute_lanes(n.x), absolute_lanes(n.y)),
                                  absolute_lanes(n.z));
  if (!(most[0] > 0.0 && most[1] > 0.0)) return false;
  n = (ct_vec3_lanes){n.x / most, n.y / most, n.z / most};
  ct_lanes square = n.x * n.x + n.y * n.y + n.z * n.z, length = {sqrt(square[0]), sqrt(square[1])};
  n = (ct_vec3_lanes){n.x / length, n.y / length, n.z / length};
  ct_lanes offset = ct_lanes_higher(
      ct_lanes_higher(dot_in_double_double(n, corner[0]), dot_in_double_double(n, corner[1])),
      dot_in_double_double(n, corner[2]));
  for (int i = 0; i < 2; i++)
    memcpy(planes[i], (double[4]){n.x[i], n.y[i], n.z[i], offset[i]}, sizeof planes[i]);
  return true;
}

uint32_t ct_hull_face_planes(const ct_hull_view *view, const ct_vec3 *vertices, uint32_t face,
                             double planes[2][4]) {
  bool two = face + 1 < view->face_count &&
             view->face_start[face] + 3 == view->face_start[face + 1] &&
             view->face_start[face] + 6 == view->face_start[face + 2];
  if (two && find_triangle_planes(view->face_loop + view->face_start[face], vertices, planes))
    return 2;
  find_polygon_plane(view, vertices, face, planes[0]);
  return 1;
}

#define ALIGNMENT 64u

/* The hull to be filled, with writable pointers to the arrays of its view. */
typedef struct writer {
  ct_hull *hull;
  double *x, *y, *z, *nx, *ny, *nz, *offset;
  uint32_t *vertex_input, *face_start, *face_loop, *face_plane, *neighbour_start, *neighbour;
  uint32_t (*edge_vertices)[2], (*edge_faces)[2];
} writer;

/* Scratch arrays of the assembly. */
typedef struct scratch {
  uint32_t *order; /* [face_count] index in the cells of each face of the hull */
  uint32_t *rank;  /* [face_count] index in the hull of each face of the cells */
  uint32_t *turn;  /* [face_count] position in the cells' face_loop of each face's lowest vertex */
  ct_half_edges set;
} scratch;

static uint32_t round_up_to_lanes(uint32_t n) {
  return (n + CT_HULL_LANES - 1) / CT_HULL_LANES * CT_HULL_LANES;
}

/* Returns the next aligned piece of the block and adds its size to *used; if base is NULL, only
 * adds the size. */
static void *carve_aligned(char *base, size_t *used, size_t bytes) {
  void *at = base ? base + *used : NULL;
  *used += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  return at;
}

/* Divides the block into the arrays of the hull and returns its size. With a NULL base it only
 * computes the size. */
static size_t lay_out_hull(writer *w, char *base, const ct_hull_cells *cells) {
  uint32_t vertices = cells->vertex_count, faces = cells->face_count,
           loop = cells->face_start[faces];
  size_t used = 0, lanes_v = round_up_to_lanes(vertices) * sizeof(double),
         lanes_f = round_up_to_lanes(faces) * sizeof(double);
  w->hull = carve_aligned(base, &used, sizeof *w->hull);
  w->x = carve_aligned(base, &used, lanes_v);
  w->y = carve_aligned(base, &used, lanes_v);
  w->z = carve_aligned(base, &used, lanes_v);
  w->nx = carve_aligned(base, &used, lanes_f);
  w->ny = carve_aligned(base, &used, lanes_f);
  w->nz = carve_aligned(base, &used, lanes_f);
  w->offset = carve_aligned(base, &used, lanes_f);
  w->vertex_input = carve_aligned(base, &used, vertices * sizeof(uint32_t));
  w->face_start = carve_aligned(base, &used, ((size_t)faces + 1) * sizeof(uint32_t));
  w->face_loop = carve_aligned(base, &used, loop * sizeof(uint32_t));
  w->face_plane = cells->face_source ? carve_aligned(base, &used, faces * sizeof(uint32_t)) : NULL;
  w->neighbour_start = carve_aligned(base, &used, ((size_t)vertices + 1) * sizeof(uint32_t));
  w->neighbour = carve_aligned(base, &used, loop * sizeof(uint32_t));
  w->edge_vertices = carve_aligned(base, &used, loop / 2 * sizeof *w->edge_vertices);
  w->edge_faces = carve_aligned(base, &used, loop / 2 * sizeof *w->edge_faces);
  return used;
}

/* Rotates each face loop so that it begins at the lowest vertex, and sorts the faces by their first
 * two vertices. That is the order in which the sorted half-edges reach the first edge of each
 * face. False: cancelled. */
static bool write_hull_faces(writer *w, const ct_hull_cells *cells, scratch *s) {
  for (uint32_t f = 0; f < cells->face_count; f++) {
    if (ct_hull_cancelled(f, s->set.cancel)) return false;
    uint32_t lowest = cells->face_start[f];
    for (uint32_t i = lowest + 1; i < cells->face_start[f + 1]; i++) {
      if (cells->face_loop[i] < cells->face_loop[lowest]) lowest = i;
    }
    s->turn[f] = lowest;
  }
  uint32_t at = 0, face = 0;
  for (uint32_t i = 0; i < s->set.count; i++) {
    if (ct_hull_cancelled(i, s->set.cancel)) return false;
    uint32_t old = s->set.edges[i].face, turn = s->turn[old];
    if (s->set.edges[i].from != cells->face_loop[turn]) continue;
    s->order[face] = old;
    if (w->face_plane) w->face_plane[face] = cells->face_source[old];
    s->rank[old] = face;
    w->face_start[face++] = at;
    for (uint32_t k = turn; k < cells->face_start[old + 1]; k++)
      w->face_loop[at++] = cells->face_loop[k];
    for (uint32_t k = cells->face_start[old]; k < turn; k++)
      w->face_loop[at++] = cells->face_loop[k];
  }
  w->face_start[face] = at;
  return true;
}

static void write_hull_vertices(writer *w, const ct_hull_cells *cells) {
  for (uint32_t i = 0; i < round_up_to_lanes(cells->vertex_count); i++) {
    uint32_t from = i < cells->vertex_count ? i : cells->vertex_count - 1;
    w->x[i] = cells->vertices[from].x;
    w->y[i] = cells->vertices[from].y;
    w->z[i] = cells->vertices[from].z;
    if (i < cells->vertex_count)
      w->vertex_input[i] = cells->vertex_input ? cells->vertex_input[i] : UINT32_MAX;
  }
}

/* Writes each vertex's neighbours in ascending order, and all edges with their two faces. False:
 * cancelled. */
static bool write_hull_edges(writer *w, const scratch *s) {
  const ct_half_edge *edges = s->set.edges, *reverse = s->set.spare;
  uint32_t at = 0;
  memcpy(w->neighbour_start, s->set.start,
         ((size_t)s->set.vertices + 1) * sizeof *w->neighbour_start);
  for (uint32_t i = 0; i < s->set.count; i++) {
    if (ct_hull_cancelled(i, s->set.cancel)) return false;
    w->neighbour[i] = edges[i].to;
    if (edges[i].from > edges[i].to) continue;
    w->edge_vertices[at][0] = edges[i].from;
    w->edge_vertices[at][1] = edges[i].to;
    w->edge_faces[at][0] = s->rank[edges[i].face];
    w->edge_faces[at++][1] = s->rank[reverse[i].face];
  }
  return true;
}

static void write_plane(writer *w, uint32_t face, const double plane[4]) {
  w->nx[face] = plane[0];
  w->ny[face] = plane[1];
  w->nz[face] = plane[2];
  w->offset[face] = plane[3];
}

/* Computes the face planes, or copies them from the cells, and repeats the last plane up to full
 * SIMD lanes. False: cancelled. */
static bool write_hull_planes(writer *w, const ct_hull_cells *cells, const scratch *s) {
  uint32_t polls = 0, last = cells->face_count - 1;
  for (uint32_t f = 0, done; f <= last; f += done) {
    double planes[2][4];
    if (ct_hull_cancelled(polls++, s->set.cancel)) return false;
    done = cells->planes ? 1 : ct_hull_face_planes(&w->hull->view, cells->vertices, f, planes);
    if (cells->planes) memcpy(planes[0], cells->planes[s->order[f]], sizeof planes[0]);
    for (uint32_t i = 0; i < done; i++) write_plane(w, f + i, planes[i]);
  }
  for (uint32_t f = cells->face_count; f < round_up_to_lanes(cells->face_count); f++)
    write_plane(w, f, (double[4]){w->nx[last], w->ny[last], w->nz[last], w->offset[last]});
  return true;
}

static void write_view(writer *w, const ct_hull_cells *cells) {
  w->hull->view = (ct_hull_view){.vertex_count = cells->vertex_count,
                                 .face_count = cells->face_count,
                                 .edge_count = cells->face_start[cells->face_count] / 2,
                                 .x = w->x,
                                 .y = w->y,
                                 .z = w->z,
                                 .vertex_input = w->vertex_input,
                                 .face_plane = w->face_plane,
                                 .nx = w->nx,
                                 .ny = w->ny,
                                 .nz = w->nz,
                                 .offset = w->offset,
                                 .face_start = w->face_start,
                                 .face_loop = w->face_loop,
                                 .neighbour_start = w->neighbour_start,
                                 .neighbour = w->neighbour,
                                 .edge_vertices = (const uint32_t(*)[2])w->edge_vertices,
                                 .edge_faces = (const uint32_t(*)[2])w->edge_faces};
}

/* Fills all arrays of the hull and its mass properties. False: cancelled. */
static bool fill_hull(writer *w, const ct_hull_cells *cells, scratch *s) {
  write_view(w, cells);
  write_hull_vertices(w, cells);
  return ct_half_edges_match(&s->set, cells->face_start, cells->face_loop, cells->face_count) &&
         write_hull_faces(w, cells, s) && write_hull_edges(w, s) &&
         write_hull_planes(w, cells, s) && ct_hull_measure(&w->hull->view, s->set.cancel);
}

/* False: cancelled. */
static bool digest_hull(const ct_hull_view *view, const ct_cancel *cancel, ct_digest *digest) {
  const double *vertices[3] = {view->x, view->y, view->z};
  const double *planes[4] = {view->nx, view->ny, view->nz, view->offset};
  ct_digest_state state;
  ct_digest_open(&state, cancel);
  for (int k = 0; k < 3; k++)
    if (!ct_digest_doubles(&state, vertices[k], view->vertex_count)) return false;
  for (int k = 0; k < 4; k++)
    if (!ct_digest_doubles(&state, planes[k], view->face_count)) return false;
  *digest = ct_digest_close(&state);
  return true;
}

ct_status ct_hull_assemble(const ct_hull_cells *cells, bool exact, const ct_cancel *cancel,
                           ct_hull **out) {
  writer w = {0};
  uint32_t loop = cells->face_start[cells->face_count];
  /* Compute the size, allocate, then fill. */
  size_t bytes = lay_out_hull(&w, NULL, cells);
  char *block = aligned_alloc(ALIGNMENT, bytes);
  scratch s = {.order = malloc((size_t)cells->face_count * 3 * sizeof *s.order)};
  bool ready = ct_half_edges_open(&s.set, loop, cells->vertex_count, cancel) && block && s.order;
  ct_status status = ready ? CT_OK : CT_OUT_OF_MEMORY;
  if (ready) {
    s.rank = s.order + cells->face_count;
    s.turn = s.rank + cells->face_count;
    lay_out_hull(&w, block, cells);
    memset(block, 0, bytes);
    if (ct_cancel_raised(cancel) || !fill_hull(&w, cells, &s) ||
        !digest_hull(&w.hull->view, cancel, &w.hull->digest))
      status = CT_CANCELLED;
  }
  free(s.order);
  ct_half_edges_close(&s.set);
  if (status != CT_OK) {
    free(block);
    return status;
  }
  /* Set the members that depend on the complete hull. */
  w.hull->bytes = bytes;
  w.hull->exact = exact;
  atomic_init(&w.hull->references, 1);
  *out = w.hull;
  return CT_OK;
}
