/* Volumetric contact of two convex polyhedra: the first is cut by the planes of the second, and what is left is summed up.
 *
 * To cut the planes of b off a one by one is to add their dual points to the hull of a's, seen from the other side: vertices of the
 * common solid are facets of the dual hull (Muller, Preparata 1978). No inner point is needed to begin with.
 */
#include "narrow/volume_convex.h"
#include "narrow/gjk.h"
#include "narrow/matrix.h"
#include "narrow/volume_sum.h"
#include "narrow/workspace.h"

#include <stdlib.h>
#include <string.h>

/* Planes that cut off most go first: then the others see few vertices. More than this many picks gain nothing. */
#define FIRST_PLANES 4u

/* Two planes are one when they differ by no more than round-off: relative rotation 55 u, normals of both hulls 4 u each; rounded
 * up. Of offsets by as much of the size, see narrow/bracket.h. */
#define SAME_PLANE (96.0 * CT_UNIT_ROUNDOFF)

/* A common solid whose inner margin is no more than this part of the size has no certain inside: the heights of its corners are
 * rounded by some 8 u of the size on either side. */
#define THIN (16.0 * CT_UNIT_ROUNDOFF)

/* A point may be outside a plane by round-off: that of THIN, and of the sums. */
#define OUTSIDE (64.0 * CT_UNIT_ROUNDOFF)

typedef struct convex_pair {
  ct_volume_pair *pair;
  const ct_volume_body *a, *b;
  ct_cut *cut;
  uint32_t *shared; /* [a faces] the face of b on the same plane, or CT_CUT_NONE */
  uint8_t *is_done; /* [b faces] */
  double size;      /* of both bodies, as seen from a's origin */
} convex_pair;

/* ---- the common solid ---- */

/* The face of a that lies on the same plane as b's, with one outward side, to round-off. */
static uint32_t same_plane(const convex_pair *c, uint32_t face) {
  ct_vec3 n = ct_volume_body_normal(c->b, face);
  for (uint32_t f = 0; f < c->a->face_count; f++) {
    if (c->cut->first[f] == CT_CUT_NONE || c->shared[f] != CT_CUT_NONE) continue;
    if (ct_max_abs(ct_sub(ct_volume_body_normal(c->a, f), n)) > SAME_PLANE) continue;
    if (fabs(c->a->offset[f] - c->b->offset[face]) <= SAME_PLANE * c->size) return f;
  }
  return CT_CUT_NONE;
}

/* False: nothing is left. */
static bool cut_by(convex_pair *c, uint32_t face) {
  double least, most;
  c->is_done[face] = 1;
  ct_cut_heights(c->cut, ct_volume_body_normal(c->b, face), c->b->offset[face], &least, &most);
  if (fabs(most) <= 2.0 * SAME_PLANE * c->size) {
    uint32_t other = same_plane(c, face);
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

static ct_vec3 mean_vertex(const ct_cut *cut) {
  ct_vec3 sum = {0.0, 0.0, 0.0};
  for (uint32_t v = 0; v < cut->vertex_count; v++) sum = ct_add(sum, ct_cut_vertex(cut, v));
  return ct_scale(sum, 1.0 / (double)cut->vertex_count);
}

/* The plane of b that is farthest below the middle of what is left; CT_CUT_NONE when the middle is below all. */
static uint32_t most_cutting(const convex_pair *c) {
  ct_vec3 middle = mean_vertex(c->cut);
  const ct_volume_body *b = c->b;
  uint32_t best = CT_CUT_NONE;
  double most = 0.0;
  for (uint32_t f = 0; f < b->face_count; f++) {
    double height = b->nx[f] * middle.x + b->ny[f] * middle.y + b->nz[f] * middle.z - b->offset[f];
    if (height > most && !c->is_done[f]) {
      most = height;
      best = f;
    }
  }
  return best;
}

/* False: nothing is left. */
static bool cut_all(convex_pair *c) {
  for (uint32_t i = 0; i < FIRST_PLANES; i++) {
    uint32_t face = most_cutting(c);
    if (face == CT_CUT_NONE) break;
    if (!cut_by(c, face)) return false;
  }
  for (uint32_t f = 0; f < c->b->face_count; f++) {
    if (!c->is_done[f] && !cut_by(c, f)) return false;
  }
  return true;
}

/* ---- sums and triangles ---- */

/* Is p before q: the lexicographic order that fans start by? */
static bool is_before(ct_vec3 p, ct_vec3 q) {
  if (p.x != q.x) return p.x < q.x;
  if (p.y != q.y) return p.y < q.y;
  return p.z < q.z;
}

static bool is_equal(ct_vec3 p, ct_vec3 q) { return p.x == q.x && p.y == q.y && p.z == q.z; }

/* The edge of the face that starts at its lexicographically least vertex. */
static uint32_t fan_start(const ct_cut *cut, uint32_t first) {
  uint32_t best = first;
  for (uint32_t e = cut->edges[first].next; e != first; e = cut->edges[e].next) {
    if (is_before(ct_cut_vertex(cut, cut->edges[e].origin), ct_cut_vertex(cut, cut->edges[best].origin))) best = e;
  }
  return best;
}

static void push_triangle(convex_pair *c, const ct_volume_triangle *t) {
  if (is_equal(t->vertex[0], t->vertex[1]) || is_equal(t->vertex[1], t->vertex[2]) || is_equal(t->vertex[2], t->vertex[0])) return;
  ct_volume_push_triangle(c->pair, t);
}

static void sum_face(convex_pair *c, uint32_t f, ct_volume_sum *sum) {
  const ct_cut *cut = c->cut;
  bool of_a = f < c->a->face_count;
  const ct_volume_body *body = of_a ? c->a : c->b;
  uint32_t own = of_a ? f : f - c->a->face_count, other = of_a ? c->shared[f] : CT_CUT_NONE;
  bool is_shared = other != CT_CUT_NONE;
  ct_volume_face face = {.owner = is_shared ? CT_OWNER_SHARED
                                  : of_a    ? CT_OWNER_A
                                            : CT_OWNER_B,
                         .normal = ct_volume_body_normal(body, own),
                         .is_inner = body->is_inner && body->is_inner[own]};
  ct_volume_triangle t = {.owner = face.owner, .face_a = of_a ? own : CT_NO_FACE, .face_b = of_a ? other : own};
  uint32_t start = fan_start(cut, cut->first[f]), e = cut->edges[start].next;
  t.vertex[0] = ct_cut_vertex(cut, cut->edges[start].origin);
  t.vertex[2] = ct_cut_vertex(cut, cut->edges[e].origin);
  for (e = cut->edges[e].next; e != start; e = cut->edges[e].next) {
    t.vertex[1] = t.vertex[2];
    t.vertex[2] = ct_cut_vertex(cut, cut->edges[e].origin);
    ct_volume_sum_triangle(sum, &face, t.vertex[0], t.vertex[1], t.vertex[2]);
    if (c->pair->options->triangles) push_triangle(c, &t);
  }
  ct_volume_sum_close(sum, &face);
}

/* The least distance of an inner point from the planes of the faces that are left. */
static double margin_at(const convex_pair *c, ct_vec3 p) {
  double margin = INFINITY;
  for (uint32_t f = 0; f < c->cut->face_count; f++) {
    if (c->cut->first[f] == CT_CUT_NONE) continue;
    const ct_volume_body *body = f < c->a->face_count ? c->a : c->b;
    uint32_t own = f < c->a->face_count ? f : f - c->a->face_count;
    margin = ct_min2(margin, body->offset[own] - ct_dot(ct_volume_body_normal(body, own), p));
  }
  return margin;
}

/* ---- the contact ---- */

/* The face whose plane is nearest to the point, among those of the outer surface; *outside is how far the point is above the
 * farthest plane of all. */
static uint32_t nearest_surface(const ct_volume_body *body, ct_vec3 p, double *outside) {
  uint32_t best = 0;
  double least = INFINITY;
  for (uint32_t f = 0; f < body->face_count; f++) {
    double height = body->nx[f] * p.x + body->ny[f] * p.y + body->nz[f] * p.z - body->offset[f];
    *outside = ct_max2(*outside, height);
    if (fabs(height) < least && !(body->is_inner && body->is_inner[f])) {
      least = fabs(height);
      best = f;
    }
  }
  return ct_volume_body_surface(body, best);
}

/* The normal of the least depth, where the sum has none. */
static void fall_back(const convex_pair *c, ct_volume_contact *contact) {
  ct_cell_input in = {.a = c->a->core, .b = c->b->core, .threshold = INFINITY, .workspace = c->pair->workspace};
  ct_cell_result r = {.status = CT_PAIR_OK};
  ct_cell_cores(&in, &r);
  contact->normal = r.normal;
  contact->flags |= CT_VOLUME_FLAG_NORMAL_FALLBACK;
  if (r.flags & CT_FLAG_NORMAL_ARBITRARY) contact->flags |= CT_VOLUME_FLAG_NORMAL_ARBITRARY;
}

/* Distance of the bodies moved apart along the normal by L each, less 2 L; never above 0. */
static double corrected_gap(const convex_pair *c, ct_vec3 normal, double raw) {
  ct_core moved = ct_core_moved(&c->b->core, ct_scale(normal, -2.0 * raw));
  ct_gjk g = {.a = &c->a->core, .b = &moved, .threshold = INFINITY, .enough = -INFINITY, .first = normal};
  double distance = ct_gjk_run(&g) == CT_GJK_INSIDE ? 0.0 : ct_max2(g.simplex.value, 0.0);
  return ct_min2(distance + 2.0 * raw, 0.0);
}

static void set_gaps(const convex_pair *c, ct_volume_contact *contact) {
  ct_vec3 n = contact->normal;
  double least, most;
  ct_cut_heights(c->cut, n, ct_dot(n, contact->position), &least, &most);
  contact->raw_gap = least - most;
  contact->gap = corrected_gap(c, n, contact->raw_gap);
  contact->depth_along_normal = ct_core_reach(&c->a->core, n) + ct_core_reach(&c->b->core, ct_neg(n));
}

static void make_contact(convex_pair *c) {
  uint32_t first_triangle = c->pair->memory->triangle_count;
  ct_volume_contact contact = {.element_a = c->a->element, .element_b = c->b->element, .status = CT_PAIR_OK};
  ct_volume_sum sum = {.weighting = c->pair->options->weighting, .reference = mean_vertex(c->cut)};
  for (uint32_t f = 0; f < c->cut->face_count; f++) {
    if (c->cut->first[f] == CT_CUT_NONE) continue;
    sum_face(c, f, &sum);
    if (f < c->a->face_count && c->shared[f] != CT_CUT_NONE) contact.flags |= CT_VOLUME_FLAG_SHARED_FACES;
  }
  bool is_solid = ct_volume_sum_contact(&sum, &contact);
  contact.inner = contact.centroid;
  if (is_solid) contact.margin = margin_at(c, contact.inner);
  if (!is_solid || !(contact.margin > THIN * c->size)) {
    c->pair->flags |= CT_VOLUME_FLAG_TOUCHING_ONLY;
    c->pair->memory->triangle_count = first_triangle;
    return;
  }
  double outside = 0.0;
  contact.surface_a = nearest_surface(c->a, contact.position, &outside);
  contact.surface_b = nearest_surface(c->b, contact.position, &outside);
  if (outside > OUTSIDE * c->size) {
    contact.flags |= CT_VOLUME_FLAG_ILL_CONDITIONED;
    contact.status = CT_PAIR_DEGENERATE;
  }
  if (!ct_volume_sum_normal(&sum, &contact.normal)) fall_back(c, &contact);
  set_gaps(c, &contact);
  contact.first_triangle = first_triangle;
  contact.triangle_count = c->pair->memory->triangle_count - first_triangle;
  ct_volume_push(c->pair, &contact);
}

static bool open_lists(convex_pair *c) {
  ct_volume_memory *m = c->pair->memory;
  size_t count = (size_t)c->a->face_count + c->b->face_count;
  if (count > m->face_capacity) {
    free(m->shared);
    m->face_capacity = 0;
    m->shared = malloc(count * (sizeof *m->shared + sizeof *c->is_done));
    if (!m->shared) return false;
    m->face_capacity = count;
  }
  c->shared = m->shared;
  c->is_done = (uint8_t *)(m->shared + c->a->face_count);
  for (uint32_t f = 0; f < c->a->face_count; f++) c->shared[f] = CT_CUT_NONE;
  memset(c->is_done, 0, c->b->face_count);
  return true;
}

void ct_volume_bodies(ct_volume_pair *pair, const ct_volume_body *a, const ct_volume_body *b) {
  convex_pair c = {.pair = pair, .a = a, .b = b, .cut = &pair->memory->cut};
  c.size = a->core.extent + b->core.extent;
  if (!open_lists(&c) || !ct_cut_open(c.cut, a, b->face_count)) {
    pair->failed = true;
    return;
  }
  if (cut_all(&c)) make_contact(&c);
}

void ct_volume_convex(ct_volume_pair *pair) {
  ct_volume_body a, b;
  ct_volume_memory *m = pair->memory;
  if (!ct_volume_body_place(pair->a.shape, NULL, &m->room[0], &a) ||
      !ct_volume_body_place(pair->b.shape, &pair->relative, &m->room[1], &b)) {
    pair->failed = true;
    return;
  }
  ct_volume_bodies(pair, &a, &b);
}
