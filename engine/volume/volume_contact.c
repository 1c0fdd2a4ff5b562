/* Contact of the intersection of two convex polyhedra: volume, areas, contact point, normal, gaps,
 * and nearest surfaces.
 *
 * Volume, areas and centroids are sums over the triangles of the faces, by the divergence theorem
 * (Mirtich 1996). The contact point is the centroid of the surface of the intersection, and the
 * normal is the weighted sum of the outward normals of a's faces minus those of b's, as in
 * Koziara's Solfec. If that sum vanishes, the normal is the direction of least penetration.
 *
 * Limits: in double arithmetic the error of the volume is about 16 unit round-offs times the size
 * times the surface area. Intersections that are too thin for this are computed again with vertices
 * of about 106 bits. */
#include "volume/volume_contact.h"
#include "convex/gjk.h"
#include "pair/pair_cell.h"
#include "pair/workspace.h"
#include "volume/volume_double_double.h"
#include "volume/volume_stages.h"

#include <assert.h>

/* An intersection with an inner margin below this fraction of the size may be empty: the heights of
 * its vertices have a round-off of about 8 unit round-offs of the size. */
#define THIN (16.0 * CT_UNIT_ROUNDOFF)

/* Upper bound of the computed height of an inner point above a plane, as a fraction of the size:
 * THIN plus the round-off of the sums. */
#define OUTSIDE (64.0 * CT_UNIT_ROUNDOFF)

/* Error bounds, relative to the size, of vertices clipped in double arithmetic (ROUNDED:
 * transformation, heights, clip) and in double-double arithmetic (WIDE); and of the sums, relative
 * to the volume (SUMMED). */
#define ROUNDED (16.0 * CT_UNIT_ROUNDOFF)
#define WIDE (CT_UNIT_ROUNDOFF * ROUNDED)
#define SUMMED (64.0 * CT_UNIT_ROUNDOFF)

uint32_t ct_volume_same_plane(const ct_volume_common *c, uint32_t face) {
  ct_vec3 n = ct_volume_body_normal(c->b, face);
  assert(face < c->b->face_count);
  for (uint32_t f = 0; f < c->a->face_count; f++) {
    if (c->shared[f] != CT_CUT_NONE ||
        ct_max_abs(ct_sub(ct_volume_body_normal(c->a, f), n)) > CT_SAME_PLANE)
      continue;
    if (fabs(c->a->offset[f] - c->b->offset[face]) <= CT_SAME_PLANE * c->size) return f;
  }
  return CT_CUT_NONE;
}

/* ---- surface integrals ----------------------------------------------------------------------- */

/* A sum of weighted normals that is no longer than this fraction of the sum of the weights has no
 * direction, for example if one body is inside the other. */
#define NORMAL_VANISHES 1e-12

/* Surface integrals of the intersection. */
typedef struct surface_sums {
  ct_weighting weighting;
  ct_vec3 reference;      /* a point inside the intersection; moments are about it */
  double surface, volume; /* area of all faces, m^2; volume, m^3 */
  ct_vec3 surface_moment; /* sum over triangles of area (centroid - reference), m^3 */
  ct_vec3 volume_moment;  /* first moment of the volume about the reference, m^4 */
  ct_vec3 normal;         /* weighted normal sum N of contact/volume.h */
  double weights; /* sum of the weights of all faces, to which the round-off of N is relative */
  ct_vec3 areas;  /* sum of area times normal over a's outer faces, minus that over b's, m^2 */
} surface_sums;

/* A face while it is integrated: its owner, its outward unit normal, whether normal sums exclude
 * it, and the sums of areas and of squared areas over its triangles. */
typedef struct face_sums {
  ct_volume_owner owner;
  ct_vec3 normal;
  bool is_inner;
  double area, squares;
} face_sums;

/* Adds the terms of one triangle of a face. height: of the reference below the face's plane;
 * centre: centroid relative to the reference. */
static void add_triangle_terms(surface_sums *s, face_sums *face, double area, double height,
                               ct_vec3 centre) {
  double volume = area * height / 3.0;
  s->surface_moment = ct_add_scaled(s->surface_moment, centre, area);
  s->volume_moment = ct_add_scaled(s->volume_moment, centre, 0.75 * volume);
  s->volume += volume;
  face->area += area;
  face->squares += area * area;
}

/* Adds triangle pqr of a face, counter-clockwise seen from outside. */
static void add_triangle(surface_sums *s, face_sums *face, ct_vec3 p, ct_vec3 q, ct_vec3 r) {
  ct_vec3 d = ct_sub(p, s->reference), e = ct_sub(q, p), f = ct_sub(r, p);
  double area = 0.5 * ct_dot(ct_cross(e, f), face->normal);
  add_triangle_terms(s, face, area, ct_dot(d, face->normal),
                     ct_add_scaled(d, ct_add(e, f), 1.0 / 3.0));
}

/* As add_triangle, for vertices of about 106 bits. height: of the reference below the face's plane,
 * with a relative error of a few unit round-offs. */
static void add_wide_triangle(surface_sums *s, face_sums *face, const ct_dd3 corner[3],
                              double height) {
  const ct_dd3 reference = ct_dd3_of(s->reference);
  ct_vec3 sum = {0.0, 0.0, 0.0};
  for (int k = 0; k < 3; k++) {
    const ct_dd3 arm = ct_dd3_minus(&corner[k], &reference);
    sum = ct_add(sum, ct_dd3_value(&arm));
  }
  add_triangle_terms(s, face, 0.5 * ct_wide_double_area(corner, face->normal), height,
                     ct_scale(sum, 1.0 / 3.0));
}

/* Adds the terms of a whole face; its triangles must have been added before. */
static void add_face_terms(surface_sums *s, const face_sums *face) {
  assert((unsigned)s->weighting < CT_WEIGHTING_COUNT);
  const double weight_of[CT_WEIGHTING_COUNT] = {[CT_WEIGHTING_LINEAR] = face->area,
                                                [CT_WEIGHTING_SQUARED] = face->squares,
                                                [CT_WEIGHTING_SQUARED_FACE] =
                                                    face->area * face->area};
  double weight = weight_of[s->weighting];
  s->surface += face->area;
  s->weights += weight;
  if (face->is_inner || face->owner == CT_OWNER_SHARED) return;
  double side = face->owner == CT_OWNER_A ? 1.0 : -1.0;
  s->normal = ct_add_scaled(s->normal, face->normal, side * weight);
  s->areas = ct_add_scaled(s->areas, face->normal, side * face->area);
}

/* Sets volume, areas, centroid and position of the contact from the sums. False: there is no area
 * or no volume. */
static bool set_contact_integrals(const surface_sums *s, ct_volume_contact *c) {
  if (!(s->surface > 0.0) || !(s->volume > 0.0)) return false;
  c->volume = s->volume;
  c->area = 0.5 * s->surface;
  c->area_defined = true;
  c->patch_area = 0.5 * ct_norm(s->areas);
  c->centroid = ct_add_scaled(s->reference, s->volume_moment, 1.0 / s->volume);
  c->position = ct_add_scaled(s->reference, s->surface_moment, 1.0 / s->surface);
  return true;
}

/* Sets the unit normal from the weighted normal sum N. False: N vanishes. */
static bool compute_weighted_normal(const surface_sums *s, ct_vec3 *normal) {
  *normal = ct_unit_or(s->normal, ct_vec(0.0, 0.0, 0.0));
  return ct_norm(s->normal) > NORMAL_VANISHES * s->weights;
}

/* ---- sums and triangles --------------------------------------------------------------------- */

/* Compares points lexicographically; the triangle fan of a face starts at its least vertex. */
static bool is_lexicographically_less(ct_vec3 p, ct_vec3 q) {
  if (p.x != q.x) return p.x < q.x;
  if (p.y != q.y) return p.y < q.y;
  return p.z < q.z;
}

static bool is_same_position(ct_vec3 p, ct_vec3 q) {
  return p.x == q.x && p.y == q.y && p.z == q.z;
}

/* Returns the edge of a face that starts at its lexicographically least vertex. first: any edge of
 * the face. */
static uint32_t find_fan_start(const ct_cut *cut, uint32_t first) {
  uint32_t best = first;
  for (uint32_t e = cut->edges[first].next; e != first; e = cut->edges[e].next) {
    if (is_lexicographically_less(ct_cut_vertex(cut, cut->edges[e].origin),
                                  ct_cut_vertex(cut, cut->edges[best].origin)))
      best = e;
  }
  return best;
}

static void push_proper_triangle(const ct_volume_common *c, const ct_volume_triangle *t) {
  if (is_same_position(t->vertex[0], t->vertex[1]) ||
      is_same_position(t->vertex[1], t->vertex[2]) || is_same_position(t->vertex[2], t->vertex[0]))
    return;
  ct_volume_push_triangle(c->pair, t);
}

/* Returns the integral of max(h, 0) over a triangle, where h is linear and given at the
 * vertices. */
static double integrate_positive_part(double area, const double h[3]) {
  int above = (h[0] > 0.0) + (h[1] > 0.0) + (h[2] > 0.0);
  if (above == 0) return 0.0;
  double full_integral = area * (h[0] + h[1] + h[2]) / 3.0;
  if (above == 3) return full_integral;
  /* The vertex that is alone on its side: the plane h = 0 cuts off a triangle there. */
  int lone = 0;
  for (int k = 1; k < 3; k++)
    if ((h[k] > 0.0) == (above == 1)) lone = k;
  if ((h[0] > 0.0) == (above == 1)) lone = 0;
  assert((h[lone] > 0.0) == (above == 1));
  double p = h[lone], q = h[(lone + 1) % 3], r = h[(lone + 2) % 3];
  double tip = area * (p / (p - q)) * (p / (p - r)) * fabs(p) / 3.0;
  return above == 1 ? tip : full_integral + tip;
}

/* A face of the intersection in double-double arithmetic. */
typedef struct wide_face {
  ct_wide_plane plane, other; /* planes of the face and, if shared, of the coplanar face of b */
  double height;              /* height of the integrals' reference below the plane, m */
  bool is_shared;
} wide_face;

static wide_face make_wide_face(const ct_volume_common *c, const ct_volume_origin *from,
                                uint32_t other, ct_vec3 reference) {
  const ct_wide_frame *frame = &c->pair->wide;
  const ct_dd3 inside = ct_dd3_of(reference);
  wide_face w = {.plane = ct_wide_face(from->body, from->face, from->of_a ? NULL : frame),
                 .is_shared = other != CT_CUT_NONE};
  w.height = -ct_dd_value(ct_wide_height(&w.plane, &inside));
  if (w.is_shared) w.other = ct_wide_face(c->b, other, frame);
  return w;
}

/* Adds a triangle of a face. The plane of a coplanar face of b differs by round-off and was not
 * used for clipping, so the volume between the two planes is subtracted. */
static void integrate_wide_triangle(const wide_face *w, surface_sums *sum, face_sums *face,
                                    const ct_dd3 corner[3]) {
  double before = face->area, above[3];
  add_wide_triangle(sum, face, corner, w->height);
  if (!w->is_shared) return;
  for (int k = 0; k < 3; k++) above[k] = ct_dd_value(ct_wide_height(&w->other, &corner[k]));
  sum->volume -= integrate_positive_part(face->area - before, above);
}

static void integrate_face(const ct_volume_common *c, uint32_t f, surface_sums *sum,
                           uint32_t *flags) {
  const ct_cut *cut = c->cut;
  ct_volume_origin from = ct_volume_origin_of(c, f);
  const ct_volume_body *body = from.body;
  bool of_a = from.of_a;
  uint32_t own = from.face, other = of_a ? c->shared[own] : CT_CUT_NONE;
  bool is_shared = other != CT_CUT_NONE;
  assert(cut->first[f] != CT_CUT_NONE);
  assert(!is_shared || other < c->b->face_count);
  if (is_shared) *flags |= CT_VOLUME_FLAG_SHARED_FACES;
  face_sums face = {.owner = is_shared ? CT_OWNER_SHARED
                             : of_a    ? CT_OWNER_A
                                       : CT_OWNER_B,
                    .normal = ct_volume_body_normal(body, own),
                    .is_inner = body->is_inner && body->is_inner[own]};
  ct_volume_triangle t = {
      .owner = face.owner, .face_a = of_a ? own : CT_NO_FACE, .face_b = of_a ? other : own};
  /* a fan of triangles from the lexicographically least vertex, independent of the face's
   * numbering */
  uint32_t start = find_fan_start(cut, cut->first[f]), e = cut->edges[start].next;
  uint32_t corner[3] = {cut->edges[start].origin, 0, cut->edges[e].origin};
  wide_face wide;
  if (c->is_wide) {
    wide = make_wide_face(c, &from, other, sum->reference);
    face.normal = ct_dd3_value(&wide.plane.normal);
  }
  /* integrate over the fan */
  for (e = cut->edges[e].next; e != start; e = cut->edges[e].next) {
    corner[1] = corner[2];
    corner[2] = cut->edges[e].origin;
    for (int k = 0; k < 3; k++) t.vertex[k] = ct_cut_vertex(cut, corner[k]);
    if (c->is_wide) {
      const ct_dd3 at[3] = {ct_cut_wide_vertex(cut, corner[0]), ct_cut_wide_vertex(cut, corner[1]),
                            ct_cut_wide_vertex(cut, corner[2])};
      integrate_wide_triangle(&wide, sum, &face, at);
    } else {
      add_triangle(sum, &face, t.vertex[0], t.vertex[1], t.vertex[2]);
    }
    if (c->pair->options->triangles) push_proper_triangle(c, &t);
  }
  add_face_terms(sum, &face);
}

/* Returns the least distance of an inner point from the planes of the remaining faces, m. */
static double compute_inner_margin(const ct_volume_common *c, ct_vec3 p) {
  double margin = INFINITY;
  for (uint32_t f = 0; f < c->cut->face_count; f++) {
    if (c->cut->first[f] == CT_CUT_NONE) continue;
    ct_volume_origin from = ct_volume_origin_of(c, f);
    margin = ct_min2(margin, from.body->offset[from.face] -
                                 ct_dot(ct_volume_body_normal(from.body, from.face), p));
  }
  return margin;
}

/* ---- the contact ---------------------------------------------------------------------------- */

/* Returns the surface id of the face whose plane is nearest to the point; CT_NO_FACE for an element
 * without outer faces. Raises *outside to the height of the point above the highest plane. */
static uint32_t find_nearest_face_surface(const ct_volume_body *body, ct_vec3 p, double *outside) {
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

/* Sets the normal to the direction of least penetration, because the weighted normal sum
 * vanishes. */
static void use_penetration_normal(const ct_volume_common *c, ct_volume_contact *contact) {
  ct_cell_input in = {
      .a = c->a->proxy, .b = c->b->proxy, .threshold = INFINITY, .workspace = c->pair->workspace};
  ct_cell_result r = {.status = CT_PAIR_OK};
  ct_cell_convex_convex(&in, &r);
  contact->normal = r.normal;
  contact->flags |= CT_VOLUME_FLAG_NORMAL_FALLBACK;
  if (r.flags & CT_FLAG_NORMAL_ARBITRARY) contact->flags |= CT_VOLUME_FLAG_NORMAL_ARBITRARY;
}

/* Returns the gap of contact/volume.h, m, at most 0: each body is displaced outward along the
 * normal by L = -raw, and 2 L is subtracted from their distance. */
static double compute_corrected_gap(const ct_volume_common *c, ct_vec3 normal, double raw) {
  assert(raw <= 0.0);
  ct_convex_proxy displaced = ct_proxy_translated(&c->b->proxy, ct_scale(normal, -2.0 * raw));
  ct_gjk g = {.a = &c->a->proxy,
              .b = &displaced,
              .threshold = INFINITY,
              .enough = -INFINITY,
              .first = normal};
  double distance = ct_gjk_run(&g) == CT_GJK_INSIDE ? 0.0 : ct_max2(g.simplex.value, 0.0);
  return ct_min2(distance + 2.0 * raw, 0.0);
}

static void set_contact_gaps(const ct_volume_common *c, ct_volume_contact *contact) {
  ct_vec3 n = contact->normal;
  double least, most;
  ct_cut_heights(c->cut, n, ct_dot(n, contact->position), &least, &most);
  contact->raw_gap = least - most;
  contact->gap = contact->raw_gap < -c->epsilon ? compute_corrected_gap(c, n, contact->raw_gap)
                                                : ct_min2(contact->raw_gap, 0.0);
  contact->depth_along_normal = ct_max2(ct_proxy_support_value(&c->a->proxy, n) +
                                            ct_proxy_support_value(&c->b->proxy, ct_neg(n)),
                                        0.0);
}

/* Sets the surface ids, and tests whether the position is inside both bodies. False: the Solfec
 * method rejects the contact, because the position is outside by more than epsilon. */
static bool set_contact_surfaces(const ct_volume_common *c, ct_volume_contact *contact) {
  double outside = 0.0;
  contact->surface_a = find_nearest_face_surface(c->a, contact->position, &outside);
  contact->surface_b = find_nearest_face_surface(c->b, contact->position, &outside);
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

/* Sets the contact's inner point and its margin. False: the intersection is empty up to
 * round-off. */
static bool set_inner_point(const ct_volume_common *c, bool is_solid, ct_volume_contact *contact) {
  bool is_given = c->margin > 0.0;
  contact->inner = is_given ? c->inner : contact->centroid;
  contact->margin = is_given ? c->margin : is_solid ? compute_inner_margin(c, contact->inner) : 0.0;
  if (is_solid && (c->epsilon > 0.0 || contact->margin > THIN * c->size)) return true;
  c->pair->flags |=
      c->epsilon > 0.0 ? CT_VOLUME_FLAG_GEOMETRIC_FAILURE : CT_VOLUME_FLAG_TOUCHING_ONLY;
  return false;
}

/* Returns an upper bound of the volume's error, m^3: the displacement of planes and vertices times
 * the surface area, and the round-off of the sums. */
static double bound_volume_error(const ct_volume_common *c, const surface_sums *sum) {
  double displacement = 2.0 * c->displacement_max;
  if (c->is_wide)
    displacement +=
        ct_wide_plane_error(&c->a->proxy) + ct_wide_plane_error(&c->b->proxy) + WIDE * c->size;
  else displacement += ROUNDED * c->size;
  return displacement * sum->surface + SUMMED * sum->volume;
}

bool ct_volume_add_common(const ct_volume_common *c) {
  ct_volume_scratch *m = c->pair->memory;
  uint32_t first_triangle = m->triangle_count;
  assert(c->size > 0.0 && c->displacement_max >= 0.0);
  /* planes and vertices displaced by epsilon have no double-double form */
  assert(!c->is_wide || (c->pair->has_wide && c->epsilon == 0.0));
  ct_volume_contact contact = {.element_a = c->a->element,
                               .element_b = c->b->element,
                               .status = CT_PAIR_OK,
                               .flags = c->flags};
  surface_sums sum = {.weighting = c->pair->options->weighting, .reference = ct_cut_middle(c->cut)};
  for (uint32_t f = 0; f < c->cut->face_count; f++) {
    if (c->cut->first[f] != CT_CUT_NONE) integrate_face(c, f, &sum, &contact.flags);
  }
  /* integrals; a thin intersection is computed again in double-double arithmetic by the caller */
  bool is_solid = set_contact_integrals(&sum, &contact),
       can_widen = !c->is_wide && c->epsilon == 0.0;
  double error = bound_volume_error(c, &sum);
  if (is_solid && can_widen && error > CT_VOLUME_RELATIVE_ERROR * sum.volume) {
    m->triangle_count = first_triangle;
    return false;
  }
  /* set inner point and surface ids; if this shows that there is no contact, drop its triangles */
  if (!set_inner_point(c, is_solid, &contact) || !set_contact_surfaces(c, &contact)) {
    m->triangle_count = first_triangle;
    return true;
  }
  /* normal, gaps, stages */
  ct_volume_set_error(&contact, error);
  if (!compute_weighted_normal(&sum, &contact.normal)) use_penetration_normal(c, &contact);
  set_contact_gaps(c, &contact);
  contact.first_triangle = first_triangle;
  contact.triangle_count = m->triangle_count - first_triangle;
  if (c->pair->options->stages) ct_volume_push_stages(c, &contact);
  ct_volume_push(c->pair, &contact);
  return true;
}
