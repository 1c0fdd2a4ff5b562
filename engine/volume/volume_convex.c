/* Volumetric contact of two convex polyhedra: the first is cut by the planes of the second, and what is left is summed up.
 *
 * To cut the planes of b off a one by one is to add their dual points to the hull of a's, seen from the other side: vertices of the
 * common solid are facets of the dual hull (Muller, Preparata 1978). No inner point is needed to begin with.
 */
#include "volume/volume_convex.h"

#include "pair/workspace.h"

#include <stdlib.h>
#include <string.h>

/* Planes that cut off most go first: then the others see few vertices. More than this many picks gain nothing. */
#define FIRST_PLANES 4u

/* Two planes are one when they differ by no more than round-off: relative rotation 55 u, normals of both hulls 4 u each; rounded
 * up. Of offsets by as much of the size, see pair/round_off_bound.h. */
#define SAME_PLANE (96.0 * CT_UNIT_ROUNDOFF)

/* Heights in double arithmetic are right to so many u of the size. */
#define NEAR (32.0 * CT_UNIT_ROUNDOFF)

typedef struct cutter {
  ct_volume_common *common;
  ct_wide_plane plane; /* of a wide cut: the one that cuts */
  uint8_t *is_done; /* [b faces] */
} cutter;

uint32_t ct_volume_same_plane(const ct_volume_common *c, uint32_t face) {
  ct_vec3 n = ct_volume_body_normal(c->b, face);
  for (uint32_t f = 0; f < c->a->face_count; f++) {
    if (c->shared[f] != CT_CUT_NONE || ct_max_abs(ct_sub(ct_volume_body_normal(c->a, f), n)) > SAME_PLANE) continue;
    if (fabs(c->a->offset[f] - c->b->offset[face]) <= SAME_PLANE * c->size) return f;
  }
  return CT_CUT_NONE;
}

static void find_heights(cutter *t, uint32_t face, double *least, double *most) {
  ct_volume_common *c = t->common;
  ct_vec3 normal = ct_volume_body_normal(c->b, face);
  ct_cut_heights(c->cut, normal, c->b->offset[face], least, most);
  if (!c->is_wide || *most < -NEAR * c->size) return;
  t->plane = ct_wide_face(c->b, face, &c->pair->wide);
  ct_cut_wide_heights(c->cut, &t->plane, NEAR * c->size, least, most);
}

/* False: nothing is left. */
static bool cut_by(cutter *t, uint32_t face) {
  ct_volume_common *c = t->common;
  double least, most;
  t->is_done[face] = 1;
  find_heights(t, face, &least, &most);
  if (fabs(most) <= 2.0 * SAME_PLANE * c->size) {
    uint32_t other = ct_volume_same_plane(c, face);
    if (other != CT_CUT_NONE) {
      c->shared[other] = face;
      return true;
    }
  }
  if (most <= 0.0) return true;
  if (least > 0.0) return false;
  ct_cut_plane(c->cut, c->a->face_count + face);
  return true;
}

/* The plane of b that is farthest below the middle of what is left; CT_CUT_NONE when the middle is below all. */
static uint32_t most_cutting(const cutter *t) {
  const ct_volume_body *b = t->common->b;
  ct_vec3 middle = ct_cut_middle(t->common->cut);
  uint32_t best = CT_CUT_NONE;
  double most = 0.0;
  for (uint32_t f = 0; f < b->face_count; f++) {
    double height = b->nx[f] * middle.x + b->ny[f] * middle.y + b->nz[f] * middle.z - b->offset[f];
    if (height > most && !t->is_done[f]) {
      most = height;
      best = f;
    }
  }
  return best;
}

/* False: nothing is left, or cancelled. A plane costs the vertices that are left. */
static bool cut_all(cutter *t) {
  const ct_cancel *cancel = ct_workspace_cancel(t->common->pair->workspace);
  uint32_t count = t->common->b->face_count;
  for (uint32_t i = 0; i < FIRST_PLANES; i++) {
    uint32_t face = most_cutting(t);
    if (face == CT_CUT_NONE) break;
    if (!cut_by(t, face)) return false;
  }
  for (uint32_t f = 0; f < count; f++) {
    if (ct_cancel_raised(cancel) || (!t->is_done[f] && !cut_by(t, f))) return false;
  }
  return true;
}

/* Nothing is shared or done yet. */
static void reset_lists(cutter *t) {
  const ct_volume_common *c = t->common;
  for (uint32_t f = 0; f < c->a->face_count; f++) c->shared[f] = CT_CUT_NONE;
  memset(t->is_done, 0, c->b->face_count);
}

/* False: memory was refused. */
static bool open_lists(ct_volume_common *c, cutter *t) {
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
  reset_lists(t);
  return true;
}

/* The contact by the pair's method. False: the solid is too thin for double arithmetic. */
static bool find_contact(cutter *t) {
  ct_volume_common *c = t->common;
  ct_volume_method method = c->pair->options->method;
  if (method == CT_VOLUME_DUAL_HULL || method == CT_VOLUME_SOLFEC) return ct_volume_by_dual(c);
  if (ct_cut_open(c->cut, c->a, c->b->face_count)) return !cut_all(t) || ct_volume_add_common(c);
  c->pair->failed = true;
  return true;
}

/* The contact by cutting in double-double arithmetic. */
static void find_thin_contact(cutter *t) {
  ct_volume_common *c = t->common;
  ct_volume_widen(c->pair);
  c->is_wide = true;
  reset_lists(t);
  if (!ct_cut_open(c->cut, c->a, c->b->face_count)) c->pair->failed = true;
  else if (cut_all(t)) ct_volume_add_common(c);
}

void ct_volume_bodies(ct_volume_pair *pair, const ct_volume_body *a, const ct_volume_body *b) {
  ct_volume_common c = {.pair = pair, .a = a, .b = b, .cut = &pair->memory->cut};
  cutter t = {.common = &c};
  c.size = a->proxy.extent + b->proxy.extent;
  if (!open_lists(&c, &t)) {
    pair->failed = true;
    return;
  }
  if (!find_contact(&t)) find_thin_contact(&t);
}

void ct_volume_convex(ct_volume_pair *pair) {
  ct_volume_body a, b;
  ct_volume_scratch *m = pair->memory;
  if (!ct_volume_body_place(pair->a.shape, NULL, &m->room[0], &a) ||
      !ct_volume_body_place(pair->b.shape, &pair->relative, &m->room[1], &b)) {
    pair->failed = true;
    return;
  }
  ct_volume_bodies(pair, &a, &b);
}
