/* Boxes and hulls as convex polyhedra in the frame of a pair. */
#include "volume/volume_body.h"
#include <contact/volume.h>

#include <assert.h>
#include <stdlib.h>

/* Faces of a box in the order -x, +x, -y, +y, -z, +z. Vertices are numbered by bits: 1 for +x, 2
 * for +y, 4 for +z. */
static const uint32_t box_start[7] = {0, 4, 8, 12, 16, 20, 24};
static const uint32_t box_loop[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4,
                                      2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};

/* The arrays within the storage, in their order. */
typedef struct columns {
  double *x, *y, *z, *nx, *ny, *nz, *offset;
  double *own_x, *own_y, *own_z; /* for boxes only; for a hull, its own arrays are used */
} columns;

bool ct_volume_body_storage_open(ct_volume_body_storage *storage, size_t count) {
  assert(count > 0);
  if (count <= storage->capacity) return true;
  double *numbers = realloc(storage->numbers, count * sizeof *numbers);
  if (!numbers) return false;
  storage->numbers = numbers;
  storage->capacity = count;
  return true;
}

static bool open_columns(ct_volume_body_storage *storage, const ct_volume_body *body, columns *c) {
  size_t v = body->vertex_count, f = body->face_count;
  if (!ct_volume_body_storage_open(storage, 6 * v + 4 * f)) return false;
  double *at = storage->numbers, *planes = at + 3 * v, *own = planes + 4 * f;
  *c = (columns){at,  at + v,  at + 2 * v, planes, planes + f, planes + 2 * f, planes + 3 * f,
                 own, own + v, own + 2 * v};
  return true;
}

static void set_columns(ct_volume_body *body, const columns *c) {
  body->x = c->x;
  body->y = c->y;
  body->z = c->z;
  body->nx = c->nx;
  body->ny = c->ny;
  body->nz = c->nz;
  body->offset = c->offset;
}

/* Writes the vertices of a box, and the normals and offsets of its faces, from the frame's axes and
 * the half edges. */
static void write_box_columns(const ct_shape *shape, const ct_frame *frame,
                              const ct_convex_proxy *proxy, columns *c) {
  const double half[3] = {shape->box.half.x, shape->box.half.y, shape->box.half.z};
  ct_mat3 identity = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
  ct_mat3 frame_columns = ct_mat_transpose(frame ? frame->rotation : identity);
  const ct_vec3 axis[3] = {frame_columns.rx, frame_columns.ry, frame_columns.rz};
  for (uint32_t v = 0; v < 8; v++) {
    ct_vec3 p = ct_proxy_box_vertex(proxy, v);
    c->x[v] = p.x;
    c->y[v] = p.y;
    c->z[v] = p.z;
    c->own_x[v] = v & 1 ? half[0] : -half[0];
    c->own_y[v] = v & 2 ? half[1] : -half[1];
    c->own_z[v] = v & 4 ? half[2] : -half[2];
  }
  for (uint32_t f = 0; f < 6; f++) {
    ct_vec3 n = f & 1 ? axis[f / 2] : ct_neg(axis[f / 2]);
    c->nx[f] = n.x;
    c->ny[f] = n.y;
    c->nz[f] = n.z;
    c->offset[f] = half[f / 2] + ct_dot(n, proxy->center);
  }
}

static void write_hull_columns(const ct_hull_view *view, const ct_frame *frame, columns *c) {
  for (uint32_t v = 0; v < view->vertex_count; v++) {
    ct_vec3 p = ct_to_parent(*frame, ct_vec(view->x[v], view->y[v], view->z[v]));
    c->x[v] = p.x;
    c->y[v] = p.y;
    c->z[v] = p.z;
  }
  for (uint32_t f = 0; f < view->face_count; f++) {
    ct_vec3 n = ct_mat_mul(frame->rotation, ct_vec(view->nx[f], view->ny[f], view->nz[f]));
    c->nx[f] = n.x;
    c->ny[f] = n.y;
    c->nz[f] = n.z;
    c->offset[f] = view->offset[f] + ct_dot(n, frame->position);
  }
}

bool ct_volume_body_place(const ct_shape *shape, const ct_frame *frame,
                          ct_volume_body_storage *storage, ct_volume_body *body) {
  columns c;
  assert(shape->kind == CT_KIND_BOX || shape->kind == CT_KIND_CONVEX);
  ct_proxy_place(shape, frame, &body->proxy);
  body->surface = NULL;
  body->is_inner = NULL;
  body->element = CT_NO_ELEMENT;
  if (shape->kind == CT_KIND_BOX) {
    body->vertex_count = 8;
    body->face_count = 6;
    body->face_start = box_start;
    body->face_loop = box_loop;
    body->surface = shape->surface_ids;
    if (!open_columns(storage, body, &c)) return false;
    write_box_columns(shape, frame, &body->proxy, &c);
    set_columns(body, &c);
    body->own_x = c.own_x;
    body->own_y = c.own_y;
    body->own_z = c.own_z;
    return true;
  }
  /* hull: the arrays of the hull itself, or transformed copies in the storage */
  const ct_hull_view *view = ct_hull_get(shape->hull);
  body->vertex_count = view->vertex_count;
  body->face_count = view->face_count;
  body->face_start = view->face_start;
  body->face_loop = view->face_loop;
  body->surface = view->surface_ids;
  assert(body->vertex_count >= 4 && body->face_count >= 4);
  body->own_x = view->x;
  body->own_y = view->y;
  body->own_z = view->z;
  if (!frame) {
    c = (columns){0};
    body->x = view->x;
    body->y = view->y;
    body->z = view->z;
    body->nx = view->nx;
    body->ny = view->ny;
    body->nz = view->nz;
    body->offset = view->offset;
    return true;
  }
  if (!open_columns(storage, body, &c)) return false;
  write_hull_columns(view, frame, &c);
  set_columns(body, &c);
  return true;
}
