/* Volumetric contact of two convex polyhedra: a is clipped by the planes of b, and the result is
 * integrated.
 *
 * By polarity, clipping by one plane corresponds to adding a point to the dual hull: vertices of
 * the intersection are facets of the dual hull (Muller, Preparata 1978). Clipping needs no inner
 * point. Limits: if the intersection is thin, the clip is repeated in double-double arithmetic.
 * Faces of b that are coplanar with a face of a up to round-off, with the same outward side, do not
 * clip. */
#include "volume/volume_convex.h"
#include "volume/volume_contact.h"
#include "volume/volume_dual.h"

#include "pair/workspace.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Number of times that the plane most below the polyhedron's middle is clipped first. These planes
 * remove most, so that later planes intersect few vertices; more of them save no time. */
#define FIRST_PLANES 4u

/* Upper bound of the error of heights in double arithmetic, as a fraction of the size. */
#define NEAR (32.0 * CT_UNIT_ROUNDOFF)

typedef struct clipper {
  ct_volume_common *common;
  ct_wide_plane plane; /* the plane of the last face, in double-double arithmetic */
  uint8_t *is_done;    /* [b's faces] the face has been used */
} clipper;

static void compute_plane_heights(clipper *t, uint32_t face, double *least, double *highest) {
  ct_volume_common *c = t->common;
  ct_vec3 normal = ct_volume_body_normal(c->b, face);
  ct_cut_heights(c->cut, normal, c->b->offset[face], least, highest);
  assert(*least <= *highest);
  if (!c->is_wide || *highest < -NEAR * c->size) return;
  t->plane = ct_wide_face(c->b, face, &c->pair->wide);
  ct_cut_wide_heights(c->cut, &t->plane, NEAR * c->size, least, highest);
}

/* Clips what is left of a by the plane of a face of b. False: nothing is left. */
static bool clip_by_face(clipper *t, uint32_t face) {
  ct_volume_common *c = t->common;
  double least, highest;
  assert(face < c->b->face_count && !t->is_done[face]);
  t->is_done[face] = 1;
  compute_plane_heights(t, face, &least, &highest);
  /* coplanar faces with the same outward side are recorded as shared, and do not clip */
  if (fabs(highest) <= 2.0 * CT_SAME_PLANE * c->size) {
    uint32_t other = ct_volume_same_plane(c, face);
    if (other != CT_CUT_NONE) {
      c->shared[other] = face;
      return true;
    }
  }
  if (highest <= 0.0) return true;
  if (least > 0.0) return false;
  ct_cut_plane(c->cut, c->a->face_count + face);
  return true;
}

/* Returns the unused plane of b above which the middle of the polyhedron is highest; CT_CUT_NONE if
 * the middle is inside all planes. */
static uint32_t find_deepest_plane(const clipper *t) {
  const ct_volume_body *b = t->common->b;
  ct_vec3 middle = ct_cut_middle(t->common->cut);
  uint32_t best = CT_CUT_NONE;
  double highest = 0.0;
  for (uint32_t f = 0; f < b->face_count; f++) {
    double height = b->nx[f] * middle.x + b->ny[f] * middle.y + b->nz[f] * middle.z - b->offset[f];
    if (height > highest && !t->is_done[f]) {
      highest = height;
      best = f;
    }
  }
  return best;
}

/* Clips by all planes of b. Cost per plane: O(vertices left). False: nothing is left, or
 * cancelled. */
static bool clip_by_all_faces(clipper *t) {
  const ct_cancel *cancel = ct_workspace_cancel(t->common->pair->workspace);
  uint32_t count = t->common->b->face_count;
  for (uint32_t i = 0; i < FIRST_PLANES; i++) {
    uint32_t face = find_deepest_plane(t);
    if (face == CT_CUT_NONE) break;
    if (!clip_by_face(t, face)) return false;
  }
  for (uint32_t f = 0; f < count; f++) {
    if (ct_cancel_raised(cancel) || (!t->is_done[f] && !clip_by_face(t, f))) return false;
  }
  return true;
}

/* Resets the lists: no face is shared, no plane has been used. */
static void reset_face_lists(clipper *t) {
  const ct_volume_common *c = t->common;
  for (uint32_t f = 0; f < c->a->face_count; f++) c->shared[f] = CT_CUT_NONE;
  memset(t->is_done, 0, c->b->face_count);
}

/* Reserves and resets the face lists. False: out of memory. */
static bool open_face_lists(ct_volume_common *c, clipper *t) {
  ct_volume_scratch *m = c->pair->memory;
  size_t count = (size_t)c->a->face_count + c->b->face_count;
  if (count > m->face_capacity) {
    free(m->shared);
    m->face_capacity = 0;
    m->shared = malloc(count * (sizeof *m->shared + sizeof *t->is_done));
    if (!m->shared) return false;
    m->face_capacity = count;
  }
  c->shared = m->shared;
  t->is_done = (uint8_t *)(m->shared + c->a->face_count);
  reset_face_lists(t);
  return true;
}

/* Computes the contact by the method of the options. False: the intersection is too thin for double
 * arithmetic. */
static bool find_convex_contact(clipper *t) {
  ct_volume_common *c = t->common;
  ct_volume_method method = c->pair->options->method;
  if (method == CT_VOLUME_DUAL_HULL || method == CT_VOLUME_SOLFEC) return ct_volume_by_dual(c);
  if (ct_cut_open(c->cut, c->a, c->b->face_count))
    return !clip_by_all_faces(t) || ct_volume_add_common(c);
  c->pair->failed = true;
  return true;
}

/* Computes the contact of a thin intersection by clipping in double-double arithmetic. */
static void find_thin_convex_contact(clipper *t) {
  ct_volume_common *c = t->common;
  ct_volume_widen(c->pair);
  c->is_wide = true;
  reset_face_lists(t);
  if (!ct_cut_open(c->cut, c->a, c->b->face_count)) c->pair->failed = true;
  else if (clip_by_all_faces(t)) ct_volume_add_common(c);
}

void ct_volume_bodies(ct_volume_pair *pair, const ct_volume_body *a, const ct_volume_body *b) {
  ct_volume_common c = {.pair = pair, .a = a, .b = b, .cut = &pair->memory->cut};
  clipper t = {.common = &c};
  c.size = a->proxy.extent + b->proxy.extent;
  assert(c.size > 0.0);
  if (!open_face_lists(&c, &t)) {
    pair->failed = true;
    return;
  }
  if (!find_convex_contact(&t)) find_thin_convex_contact(&t);
}

void ct_volume_convex(ct_volume_pair *pair) {
  ct_volume_body a, b;
  ct_volume_scratch *m = pair->memory;
  if (!ct_volume_body_place(pair->a.shape, NULL, &m->body_storage[0], &a) ||
      !ct_volume_body_place(pair->b.shape, &pair->relative, &m->body_storage[1], &b)) {
    pair->failed = true;
    return;
  }
  ct_volume_bodies(pair, &a, &b);
}
