/* Convex polyhedra of volumetric contacts: vertices, planes and face loops in the frame of the
 * pair. */
#ifndef VOLUME_VOLUME_BODY_H
#define VOLUME_VOLUME_BODY_H

#include "pair/convex_proxy.h"

typedef struct ct_volume_body {
  ct_convex_proxy proxy; /* for support points and distances */
  uint32_t vertex_count, face_count;
  const double *x, *y, *z;             /* vertices */
  const double *own_x, *own_y, *own_z; /* the same in the shape's own frame, not rounded */
  const double *nx, *ny, *nz, *offset; /* [face_count] outward unit normals, n.p <= offset inside */
  const uint32_t *face_start, *face_loop; /* counter-clockwise from outside */
  const uint32_t *surface;                /* [face_count] ids; NULL: the face's number */
  const uint8_t *is_inner; /* [face_count] inner faces, excluded from normals; NULL: none */
  uint32_t element;        /* number of the element; CT_NO_ELEMENT of shapes */
} ct_volume_body;

/* Storage for the arrays of a placed body. Zero-initialised: empty. */
typedef struct ct_volume_body_storage {
  double *numbers; /* [capacity] */
  size_t capacity;
} ct_volume_body_storage;

/* Reserves `count` numbers; they may move. False: out of memory. */
bool ct_volume_body_storage_open(ct_volume_body_storage *storage, size_t count);

/* Places a box or hull by *frame, or in its own frame if frame is NULL. Rounding and margin are
 * ignored. Arrays belong to the hull or to the storage, until its next use. False: out of
 * memory. */
bool ct_volume_body_place(const ct_shape *shape, const ct_frame *frame,
                          ct_volume_body_storage *storage, ct_volume_body *body);

static inline ct_vec3 ct_volume_body_normal(const ct_volume_body *body, uint32_t face) {
  return ct_vec(body->nx[face], body->ny[face], body->nz[face]);
}
static inline uint32_t ct_volume_body_surface(const ct_volume_body *body, uint32_t face) {
  return body->surface ? body->surface[face] : face;
}

#endif
