/* The contact of a common solid of two polyhedra: sums over its faces, normal, gaps, surfaces. */
#include "convex/gjk.h"
#include "pair/pair_cell.h"
#include "pair/workspace.h"
#include "volume/volume_convex.h"
#include "volume/volume_sums.h"

/* A common solid whose inner margin is no more than this part of the size has no certain inside: the heights of its corners are
 * rounded by some 8 u of the size on either side. */
#define THIN (16.0 * CT_UNIT_ROUNDOFF)

/* A point may be outside a plane by round-off: that of THIN, and of the sums. */
#define OUTSIDE (64.0 * CT_UNIT_ROUNDOFF)

/* Corners of a solid that is cut in double arithmetic are off by so many u of the size: placing, heights, the cut. In
 * double-double arithmetic by u of that; what is left is the sums' own rounding, in u of the volume. */
#define ROUNDED (16.0 * CT_UNIT_ROUNDOFF)
#define WIDE (CT_UNIT_ROUNDOFF * ROUNDED)
#define SUMMED (64.0 * CT_UNIT_ROUNDOFF)

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

static void push_triangle(const ct_volume_common *c, const ct_volume_triangle *t) {
  if (is_equal(t->vertex[0], t->vertex[1]) || is_equal(t->vertex[1], t->vertex[2]) || is_equal(t->vertex[2], t->vertex[0])) return;
  ct_volume_push_triangle(c->pair, t);
}

ct_volume_origin ct_volume_origin_of(const ct_volume_common *c, uint32_t f) {
  uint32_t plane = c->source ? c->source[f] : f;
  bool of_a = plane < c->a->face_count;
  return (ct_volume_origin){of_a ? c->a : c->b, of_a ? plane : plane - c->a->face_count, of_a};
}

/* Integral of max(h, 0) over a triangle of that area, h linear and given at its corners. */
static double integral_above(double area, const double h[3]) {
  int above = (h[0] > 0.0) + (h[1] > 0.0) + (h[2] > 0.0);
  if (above == 0) return 0.0;
  double whole = area * (h[0] + h[1] + h[2]) / 3.0;
  if (above == 3) return whole;
  /* The corner that is alone on its side cuts off a triangle that is similar on two edges. */
  int lone = 0;
  for (int k = 1; k < 3; k++)
    if ((h[k] > 0.0) == (above == 1)) lone = k;
  if ((h[0] > 0.0) == (above == 1)) lone = 0;
  double p = h[lone], q = h[(lone + 1) % 3], r = h[(lone + 2) % 3];
  double tip = area * (p / (p - q)) * (p / (p - r)) * fabs(p) / 3.0;
  return above == 1 ? tip : whole + tip;
}

/* A face of the solid in double-double arithmetic. */
typedef struct wide_face {
  ct_wide_plane plane, other; /* other: of the face of b that is shared */
  double height;              /* over the sum's reference */
  bool is_shared;
} wide_face;

static wide_face widen_face(const ct_volume_common *c, const ct_volume_origin *from, uint32_t other, ct_vec3 reference) {
  const ct_wide_frame *frame = &c->pair->wide;
  const ct_dd3 inside = ct_dd3_of(reference);
  wide_face w = {.plane = ct_wide_face(from->body, from->face, from->of_a ? NULL : frame), .is_shared = other != CT_CUT_NONE};
  w.height = -ct_dd_value(ct_wide_height(&w.plane, &inside));
  if (w.is_shared) w.other = ct_wide_face(c->b, other, frame);
  return w;
}

/* A shared face was not cut by the other's plane, from which it differs by round-off: what is between them is taken off. */
static void sum_wide_triangle(const wide_face *w, ct_volume_sum *sum, ct_volume_face *face, const ct_dd3 corner[3]) {
  double before = face->area, above[3];
  ct_volume_sum_wide_triangle(sum, face, corner, w->height);
  if (!w->is_shared) return;
  for (int k = 0; k < 3; k++) above[k] = ct_dd_value(ct_wide_height(&w->other, &corner[k]));
  sum->volume -= integral_above(face->area - before, above);
}

static void sum_face(const ct_volume_common *c, uint32_t f, ct_volume_sum *sum, uint32_t *flags) {
  const ct_cut *cut = c->cut;
  ct_volume_origin from = ct_volume_origin_of(c, f);
  const ct_volume_body *body = from.body;
  bool of_a = from.of_a;
  uint32_t own = from.face, other = of_a ? c->shared[own] : CT_CUT_NONE;
  bool is_shared = other != CT_CUT_NONE;
  if (is_shared) *flags |= CT_VOLUME_FLAG_SHARED_FACES;
  ct_volume_face face = {.owner = is_shared ? CT_OWNER_SHARED
                                  : of_a    ? CT_OWNER_A
                                            : CT_OWNER_B,
                         .normal = ct_volume_body_normal(body, own),
                         .is_inner = body->is_inner && body->is_inner[own]};
  ct_volume_triangle t = {.owner = face.owner, .face_a = of_a ? own : CT_NO_FACE, .face_b = of_a ? other : own};
  uint32_t start = fan_start(cut, cut->first[f]), e = cut->edges[start].next;
  uint32_t corner[3] = {cut->edges[start].origin, 0, cut->edges[e].origin};
  wide_face wide;
  if (c->is_wide) {
    wide = widen_face(c, &from, other, sum->reference);
    face.normal = ct_dd3_value(&wide.plane.normal);
  }
  for (e = cut->edges[e].next; e != start; e = cut->edges[e].next) {
    corner[1] = corner[2];
    corner[2] = cut->edges[e].origin;
    for (int k = 0; k < 3; k++) t.vertex[k] = ct_cut_vertex(cut, corner[k]);
    if (c->is_wide) {
      const ct_dd3 at[3] = {ct_cut_wide_vertex(cut, corner[0]), ct_cut_wide_vertex(cut, corner[1]),
                            ct_cut_wide_vertex(cut, corner[2])};
      sum_wide_triangle(&wide, sum, &face, at);
    } else {
      ct_volume_sum_triangle(sum, &face, t.vertex[0], t.vertex[1], t.vertex[2]);
    }
    if (c->pair->options->triangles) push_triangle(c, &t);
  }
  ct_volume_sum_close(sum, &face);
}

/* The least distance of an inner point from the planes of the faces that are left. */
static double margin_at(const ct_volume_common *c, ct_vec3 p) {
  double margin = INFINITY;
  for (uint32_t f = 0; f < c->cut->face_count; f++) {
    if (c->cut->first[f] == CT_CUT_NONE) continue;
    ct_volume_origin from = ct_volume_origin_of(c, f);
    margin = ct_min2(margin, from.body->offset[from.face] - ct_dot(ct_volume_body_normal(from.body, from.face), p));
  }
  return margin;
}

/* ---- the contact ---- */

/* The surface whose plane is nearest to the point; CT_NO_FACE of an element that has none. *outside is how far the point is above
 * the farthest plane of all. */
static uint32_t nearest_surface(const ct_volume_body *body, ct_vec3 p, double *outside) {
  uint32_t best = CT_NO_FACE;
  double least = INFINITY;
  for (uint32_t f = 0; f < body->face_count; f++) {
    double height = body->nx[f] * p.x + body->ny[f] * p.y + body->nz[f] * p.z - body->offset[f];
    *outside = ct_max2(*outside, height);
    if (fabs(height) < least && !(body->is_inner && body->is_inner[f])) {
      least = fabs(height);
      best = f;
    }
  }
  return best == CT_NO_FACE ? CT_NO_FACE : ct_volume_body_surface(body, best);
}

/* The normal of the least depth, where the sum has none. */
static void fall_back(const ct_volume_common *c, ct_volume_contact *contact) {
  ct_cell_input in = {.a = c->a->proxy, .b = c->b->proxy, .threshold = INFINITY, .workspace = c->pair->workspace};
  ct_cell_result r = {.status = CT_PAIR_OK};
  ct_cell_convex_convex(&in, &r);
  contact->normal = r.normal;
  contact->flags |= CT_VOLUME_FLAG_NORMAL_FALLBACK;
  if (r.flags & CT_FLAG_NORMAL_ARBITRARY) contact->flags |= CT_VOLUME_FLAG_NORMAL_ARBITRARY;
}

/* Distance of the bodies moved apart along the normal by L each, less 2 L; never above 0. */
static double corrected_gap(const ct_volume_common *c, ct_vec3 normal, double raw) {
  ct_convex_proxy moved = ct_proxy_translated(&c->b->proxy, ct_scale(normal, -2.0 * raw));
  ct_gjk g = {.a = &c->a->proxy, .b = &moved, .threshold = INFINITY, .enough = -INFINITY, .first = normal};
  double distance = ct_gjk_run(&g) == CT_GJK_INSIDE ? 0.0 : ct_max2(g.simplex.value, 0.0);
  return ct_min2(distance + 2.0 * raw, 0.0);
}

static void set_gaps(const ct_volume_common *c, ct_volume_contact *contact) {
  ct_vec3 n = contact->normal;
  double least, most;
  ct_cut_heights(c->cut, n, ct_dot(n, contact->position), &least, &most);
  contact->raw_gap = least - most;
  contact->gap = contact->raw_gap < -c->epsilon ? corrected_gap(c, n, contact->raw_gap) : ct_min2(contact->raw_gap, 0.0);
  contact->depth_along_normal =
      ct_max2(ct_proxy_support_value(&c->a->proxy, n) + ct_proxy_support_value(&c->b->proxy, ct_neg(n)), 0.0);
}

/* Surfaces, and whether the point is in both bodies. False: the seed refuses it. */
static bool set_surfaces(const ct_volume_common *c, ct_volume_contact *contact) {
  double outside = 0.0;
  contact->surface_a = nearest_surface(c->a, contact->position, &outside);
  contact->surface_b = nearest_surface(c->b, contact->position, &outside);
  if (c->epsilon > 0.0) {
    if (outside <= c->epsilon) return true;
    c->pair->flags |= CT_VOLUME_FLAG_ILL_CONDITIONED;
    return false;
  }
  if (outside > OUTSIDE * c->size) {
    contact->flags |= CT_VOLUME_FLAG_ILL_CONDITIONED;
    contact->status = CT_PAIR_DEGENERATE;
  }
  return true;
}

/* False: the solid is none, to round-off. */
static bool set_inner(const ct_volume_common *c, bool is_solid, ct_volume_contact *contact) {
  bool is_given = c->margin > 0.0;
  contact->inner = is_given ? c->inner : contact->centroid;
  contact->margin = is_given ? c->margin : is_solid ? margin_at(c, contact->inner) : 0.0;
  if (is_solid && (c->epsilon > 0.0 || contact->margin > THIN * c->size)) return true;
  c->pair->flags |= c->epsilon > 0.0 ? CT_VOLUME_FLAG_GEOMETRIC_FAILURE : CT_VOLUME_FLAG_TOUCHING_ONLY;
  return false;
}

/* Bound of the volume's error, m^3: what planes and points may be off by, over the surface. */
static double volume_error(const ct_volume_common *c, const ct_volume_sum *sum) {
  double moved = 2.0 * c->moved;
  if (c->is_wide) moved += ct_wide_plane_error(&c->a->proxy) + ct_wide_plane_error(&c->b->proxy) + WIDE * c->size;
  else moved += ROUNDED * c->size;
  return moved * sum->surface + SUMMED * sum->volume;
}

bool ct_volume_add_common(const ct_volume_common *c) {
  ct_volume_scratch *m = c->pair->memory;
  uint32_t first_triangle = m->triangle_count;
  ct_volume_contact contact = {.element_a = c->a->element, .element_b = c->b->element, .status = CT_PAIR_OK, .flags = c->flags};
  ct_volume_sum sum = {.weighting = c->pair->options->weighting,
                       .reference = ct_cut_middle(c->cut)};
  for (uint32_t f = 0; f < c->cut->face_count; f++) {
    if (c->cut->first[f] != CT_CUT_NONE) sum_face(c, f, &sum, &contact.flags);
  }
  bool is_solid = ct_volume_sum_contact(&sum, &contact), can_widen = !c->is_wide && c->epsilon == 0.0;
  double error = volume_error(c, &sum);
  if (is_solid && can_widen && error > CT_VOLUME_RELATIVE_ERROR * sum.volume) {
    m->triangle_count = first_triangle;
    return false;
  }
  if (!set_inner(c, is_solid, &contact) || !set_surfaces(c, &contact)) {
    m->triangle_count = first_triangle;
    return true;
  }
  ct_volume_set_error(&contact, error);
  if (!ct_volume_sum_normal(&sum, &contact.normal)) fall_back(c, &contact);
  set_gaps(c, &contact);
  contact.first_triangle = first_triangle;
  contact.triangle_count = m->triangle_count - first_triangle;
  if (c->pair->options->stages) ct_volume_push_stages(c, &contact);
  ct_volume_push(c->pair, &contact);
  return true;
}
