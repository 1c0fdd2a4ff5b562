/* A convex polyhedron in the frame of the pair: vertices, planes and face loops. */
#ifndef VOLUME_VOLUME_BODY_H
#define VOLUME_VOLUME_BODY_H

#include "pair/convex_proxy.h"

typedef struct ct_volume_body {
  ct_convex_proxy proxy; /* this polyhedron as a convex proxy, for support points and distances */
  uint32_t vertex_count, face_count;
  const double *x, *y, *z;             /* [vertex_count] vertices */
  const double *own_x, *own_y, *own_z; /* [vertex_count] the vertices in the shape's own frame,
                                          without round-off of the placement */
  const double *nx, *ny, *nz,
      *offset; /* [face_count] planes: outward unit normal n and offset; n . p <= offset inside */
  const uint32_t *face_start,
      *face_loop; /* face f is the loop of vertices face_loop[face_start[f] .. face_start[f + 1] -
                     1], counter-clockwise seen from outside */
  const uint32_t *surface; /* [face_count] surface ids; NULL: the id is the face's index */
  const uint8_t *is_inner; /* [face_count] 1 for faces between elements, which are excluded from
                              normals; NULL: there are none */
  uint32_t element;        /* index of the element; CT_NO_ELEMENT for a shape */
} ct_volume_body;

/* Memory for the arrays of a placed polyhedron. Zero-initialised: empty. */
typedef struct ct_volume_body_storage {
  double *numbers; /* [capacity] doubles for all arrays */
  size_t capacity;
} ct_volume_body_storage;

/* Reserves room for `count` doubles; the block may move. False: out of memory. */
bool ct_volume_body_storage_open(ct_volume_body_storage *storage, size_t count);

/* Makes the polyhedron of a box or hull, transformed by *frame or, if frame is NULL, in its own
 * frame. Rounding radius and margin are ignored. The arrays belong to the hull or to `storage` and
 * are valid until its next use. False: out of memory. */
bool ct_volume_body_place(const ct_shape *shape, const ct_frame *frame,
                          ct_volume_body_storage *storage, ct_volume_body *body);

static inline ct_vec3 ct_volume_body_normal(const ct_volume_body *body, uint32_t face) {
  return ct_vec(body->nx[face], body->ny[face], body->nz[face]);
}
static inline uint32_t ct_volume_body_surface(const ct_volume_body *body, uint32_t face) {
  return body->surface ? body->surface[face] : face;
}

#endif
