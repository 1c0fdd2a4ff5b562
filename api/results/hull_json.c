/* Writes hulls of convex shapes and boxes as JSON. */
#include "results/hull_json.h"

#include <contact/hull.h>

#include <assert.h>
#include <stdlib.h>

#include "results/result_json.h"

/* Vertices and faces of a hull or of a box. */
typedef struct polyhedron {
  uint32_t vertex_count, face_count;
  const uint32_t *face_start, *face_loop, *surface_ids;
  const ct_hull_view *view; /* NULL: a box */
  ct_vec3 half;
} polyhedron;

/* One side of an edge: the edge in the loop of one of its two faces. */
typedef struct side {
  uint32_t low, high; /* vertex indices of the edge, low < high */
  uint32_t face, place;
  bool is_forward; /* the loop of `face` runs from low to high */
} side;

/* Faces of a box in the order -x, +x, -y, +y, -z, +z. Bit k of a vertex index: the vertex is at the
 * upper end of axis k. */
static const uint32_t box_start[7] = {0, 4, 8, 12, 16, 20, 24};
static const uint32_t box_loop[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4,
                                      2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};

static polyhedron polyhedron_of(const ct_shape *shape) {
  if (shape->kind == CT_KIND_BOX)
    return (polyhedron){8, 6, box_start, box_loop, shape->surface_ids, NULL, shape->box.half};
  if (shape->kind != CT_KIND_CONVEX) return (polyhedron){0};
  const ct_hull_view *view = ct_hull_get(ct_hull_outer(shape->hull));
  return (polyhedron){.vertex_count = view->vertex_count,
                      .face_count = view->face_count,
                      .face_start = view->face_start,
                      .face_loop = view->face_loop,
                      .surface_ids = view->surface_ids,
                      .view = view};
}

uint32_t api_hull_faces(const ct_shape *shape) { return polyhedron_of(shape).face_count; }

static ct_vec3 vertex_of(const polyhedron *p, uint32_t v) {
  assert(v < p->vertex_count);
  if (p->view) return ct_vec(p->view->x[v], p->view->y[v], p->view->z[v]);
  return ct_vec(v & 1 ? p->half.x : -p->half.x, v & 2 ? p->half.y : -p->half.y,
                v & 4 ? p->half.z : -p->half.z);
}

static ct_vec3 normal_of(const polyhedron *p, uint32_t f) {
  if (p->view) return ct_vec(p->view->nx[f] + 0.0, p->view->ny[f] + 0.0, p->view->nz[f] + 0.0);
  double sign = f & 1 ? 1.0 : -1.0;
  return ct_vec(f / 2 == 0 ? sign : 0.0, f / 2 == 1 ? sign : 0.0, f / 2 == 2 ? sign : 0.0);
}

static double offset_of(const polyhedron *p, uint32_t f) {
  const double half[3] = {p->half.x, p->half.y, p->half.z};
  return p->view ? p->view->offset[f] : half[f / 2];
}

/* ---- adjacency ------------------------------------------------------------------------------ */

static int compare_sides(const void *a, const void *b) {
  const side *s = a, *t = b;
  if (s->low != t->low) return s->low < t->low ? -1 : 1;
  if (s->high != t->high) return s->high < t->high ? -1 : 1;
  return (int)t->is_forward - (int)s->is_forward;
}

/* Lists the sides of all faces so that the two sides of an edge are adjacent, first the one that
 * runs from the vertex of lower index. NULL: out of memory. */
static side *sides_of(const polyhedron *p) {
  assert(p->face_count > 0);
  uint32_t count = p->face_start[p->face_count];
  side *sides = malloc(count * sizeof *sides);
  if (!sides) return NULL;
  for (uint32_t f = 0; f < p->face_count; f++) {
    uint32_t begin = p->face_start[f], end = p->face_start[f + 1];
    for (uint32_t i = begin; i < end; i++) {
      uint32_t v = p->face_loop[i], w = p->face_loop[i + 1 < end ? i + 1 : begin];
      sides[i] = (side){v < w ? v : w, v < w ? w : v, f, i, v < w};
    }
  }
  qsort(sides, count, sizeof *sides, compare_sides);
  return sides;
}

/* ---- lists ---------------------------------------------------------------------------------- */

static void put_indices(api_buffer *buffer, const char *name, const uint32_t *indices,
                        uint32_t count) {
  api_put_key(buffer, name);
  api_put_byte(buffer, '[');
  for (uint32_t i = 0; i < count; i++) {
    api_put_item(buffer);
    api_put_unsigned(buffer, indices[i]);
  }
  api_put_byte(buffer, ']');
}

static void put_vertices(api_buffer *buffer, const polyhedron *p) {
  api_put_key(buffer, "vertices");
  api_put_byte(buffer, '[');
  for (uint32_t v = 0; v < p->vertex_count; v++) {
    api_put_item(buffer);
    api_put_vec3(buffer, vertex_of(p, v));
  }
  api_put_byte(buffer, ']');
}

/* Puts the faces. across[i]: index of the face on the other side of edge i, counted through the
 * loops of all faces. */
static void put_faces(api_buffer *buffer, const polyhedron *p, const uint32_t *across) {
  api_put_key(buffer, "faces");
  api_put_byte(buffer, '[');
  for (uint32_t f = 0; f < p->face_count; f++) {
    uint32_t begin = p->face_start[f], count = p->face_start[f + 1] - begin;
    api_put_item(buffer);
    api_put_byte(buffer, '{');
    api_put_member_vec3(buffer, "normal", normal_of(p, f));
    api_put_member_number(buffer, "offset", offset_of(p, f));
    put_indices(buffer, "vertices", p->face_loop + begin, count);
    put_indices(buffer, "neighbours", across + begin, count);
    if (p->surface_ids) api_put_member_unsigned(buffer, "surfaceId", p->surface_ids[f]);
    api_put_byte(buffer, '}');
  }
  api_put_byte(buffer, ']');
}

static void put_edges(api_buffer *buffer, const side *sides, uint32_t count) {
  api_put_key(buffer, "edges");
  api_put_byte(buffer, '[');
  for (uint32_t i = 0; i + 1 < count; i += 2) {
    const uint32_t vertices[2] = {sides[i].low, sides[i].high},
                   faces[2] = {sides[i].face, sides[i + 1].face};
    api_put_item(buffer);
    api_put_byte(buffer, '{');
    put_indices(buffer, "vertices", vertices, 2);
    put_indices(buffer, "faces", faces, 2);
    api_put_byte(buffer, '}');
  }
  api_put_byte(buffer, ']');
}

bool api_put_hull_members(api_buffer *buffer, const ct_shape *shape) {
  const polyhedron p = polyhedron_of(shape);
  uint32_t count = p.face_start[p.face_count];
  assert(count % 2 == 0);
  side *sides = sides_of(&p);
  uint32_t *across = malloc(count * sizeof *across);
  bool good = sides && across;
  for (uint32_t i = 0; good && i + 1 < count; i += 2) {
    assert(sides[i].low == sides[i + 1].low && sides[i].high == sides[i + 1].high);
    across[sides[i].place] = sides[i + 1].face;
    across[sides[i + 1].place] = sides[i].face;
  }
  if (good) {
    put_vertices(buffer, &p);
    put_faces(buffer, &p, across);
    put_edges(buffer, sides, count);
  }
  free(sides);
  free(across);
  return good;
}

bool api_put_body_hulls(api_buffer *buffer, const ct_body *body) {
  bool good = true;
  api_put_key(buffer, "hulls");
  api_put_byte(buffer, '[');
  for (size_t i = 0; i < ct_body_collider_count(body) && good; i++) {
    const ct_collider collider = ct_body_collider(body, i);
    if (api_hull_faces(&collider.shape) == 0) continue;
    api_put_item(buffer);
    api_put_byte(buffer, '{');
    api_put_key(buffer, "collider");
    if (collider.id.length > 0) api_put_string(buffer, collider.id);
    else api_put_unsigned(buffer, i);
    good = api_put_hull_members(buffer, &collider.shape);
    api_put_byte(buffer, '}');
  }
  api_put_byte(buffer, ']');
  return good;
}
