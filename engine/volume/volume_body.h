/* Convex polyhedra as volumes see them: vertices, planes and loops in the frame of the pair. */
#ifndef VOLUME_VOLUME_BODY_H
#define VOLUME_VOLUME_BODY_H

#include "pair/convex_proxy.h"

typedef struct ct_volume_body {
  ct_convex_proxy proxy; /* for supports and distances */
  uint32_t vertex_count, face_count;
  const double *x, *y, *z;                /* vertices */
  const double *own_x, *own_y, *own_z;    /* the same in the shape's own frame, exact */
  const double *nx, *ny, *nz, *offset;    /* [face_count] outward unit normals, n.p <= offset inside */
  const uint32_t *face_start, *face_loop; /* counter-clockwise from outside */
  const uint32_t *surface;                /* [face_count] ids; NULL: the face's number */
  const uint8_t *is_inner;                /* [face_count] faces between elements, which no normal counts; NULL: none */
  uint32_t element;                       /* CT_NO_ELEMENT of shapes */
} ct_volume_body;

/* Where the arrays of placed bodies are; zeroed is empty. */
typedef struct ct_volume_body_storage {
  double *numbers; /* [capacity] */
  size_t capacity;
} ct_volume_body_storage;

/* Room for so many numbers, which may move; false: memory was refused. */
bool ct_volume_body_storage_open(ct_volume_body_storage *room, size_t count);

/* A box or hull (its rounding and margin are not looked at) placed by *frame, or in its own frame where frame is NULL. Arrays are
 * the hull's own or in the room, until its next use. False: memory was refused. */
bool ct_volume_body_place(const ct_shape *shape, const ct_frame *frame, ct_volume_body_storage *room, ct_volume_body *body);

static inline ct_vec3 ct_volume_body_normal(const ct_volume_body *body, uint32_t face) {
  return ct_vec(body->nx[face], body->ny[face], body->nz[face]);
}
static inline uint32_t ct_volume_body_surface(const ct_volume_body *body, uint32_t face) {
  return body->surface ? body->surface[face] : face;
}

#endif
