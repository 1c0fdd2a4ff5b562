/* Volumetric contact of a polyhedron (convex or a solid mesh) and a half-space: the part of the
 * polyhedron below the plane, closed by the section as its lid. All in the frame of the first body.
 *
 * Each triangle is clipped at the plane (Sutherland, Hodgman 1974); volume and moments are sums
 * over the clipped triangles by the divergence theorem. A vertex on the plane counts as above.
 *
 * A thin part is integrated again. Let h be the height above the plane, x the position, and n the
 * outward normal of the body's surface. The field h up has divergence 1 and vanishes on the
 * section. Hence the volume below is the integral of h (up . n) over the surface below. The
 * integral of x h (up . n) is the first moment across up; the integral of h^2/2 (up . n) is the
 * moment along up. All terms are as small as the heights, which are computed in double-double
 * arithmetic; double suffices for the areas. */
#include "pair/workspace.h"
#include "shape/tapered_capsule.h"
#include "triangle/triangle_distance.h"
#include "volume/volume_double_double.h"
#include "volume/volume_gaps.h"
#include "volume/volume_mesh.h"

#include <assert.h>

/* ---- thin parts ------------------------------------------------------------------------------ */

/* Upper bound of the error of a projected area, in unit round-offs of the product of two edges. */
#define AREA_ROUNDOFFS 16.0

/* Volume and first moment of the part below the plane. */
typedef struct part_below {
  double volume, error; /* volume of the part, m^3; upper bound of its error, m^3 */
  ct_vec3 first; /* first moment of the volume about a point of the half-space's surface, m^4 */
} part_below;

/* Sums over the surface below the plane, for thin parts. */
typedef struct below_sums {
  ct_vec3 up;
  double volume, loose; /* volume below the plane, m^3; sum over the triangles of edge times edge
                           times height, m^3, to which the volume's round-off due to projected areas
                           is relative */
  double surface;
  ct_vec3 first;
} below_sums;

/* A vertex of the surface below: its position relative to the origin, and its height above the
 * plane. */
typedef struct below_corner {
  ct_vec3 at;
  double height;
} below_corner;

/* Returns the mean over a triangle of the product of two linear functions, given at the
 * vertices. */
static double compute_mean_product(const double f[3], const double g[3]) {
  double f_sum = f[0] + f[1] + f[2], g_sum = g[0] + g[1] + g[2];
  return (f_sum * g_sum + f[0] * g[0] + f[1] * g[1] + f[2] * g[2]) / 12.0;
}

static void integrate_triangle_below(below_sums *b, const below_corner *p, const below_corner *q,
                                     const below_corner *r) {
  ct_vec3 e = ct_sub(q->at, p->at), f = ct_sub(r->at, p->at), cross = ct_cross(e, f);
  const double h[3] = {p->height, q->height, r->height};
  const double x[3] = {p->at.x, q->at.x, r->at.x}, y[3] = {p->at.y, q->at.y, r->at.y},
               z[3] = {p->at.z, q->at.z, r->at.z};
  double projected = 0.5 * ct_dot(b->up, cross), lowest = ct_min2(ct_min2(h[0], h[1]), h[2]);
  ct_vec3 moment = ct_scale(
      ct_vec(compute_mean_product(x, h), compute_mean_product(y, h), compute_mean_product(z, h)),
      projected);
  moment = ct_add_scaled(moment, b->up, -ct_dot(b->up, moment));
  b->first =
      ct_add_scaled(ct_add(b->first, moment), b->up, 0.5 * projected * compute_mean_product(h, h));
  b->volume += projected * (h[0] + h[1] + h[2]) / 3.0;
  b->surface += 0.5 * ct_norm(cross);
  b->loose += ct_norm(e) * ct_norm(f) * -lowest;
}

/* Returns the intersection of an edge with the plane, computed from the end nearer to the plane. */
static below_corner intersect_edge_at_height(const below_corner *p, const below_corner *q) {
  double part = p->height / (p->height - q->height);
  assert((p->height < 0.0) != (q->height < 0.0));
  return (below_corner){fabs(p->height) <= fabs(q->height)
                            ? ct_lerp(p->at, q->at, part)
                            : ct_lerp(q->at, p->at, q->height / (q->height - p->height)),
                        0.0};
}

static void integrate_clipped_triangle(below_sums *b, const below_corner c[3]) {
  below_corner inside[4];
  int count = 0;
  for (int k = 0; k < 3; k++) {
    const below_corner *p = &c[k], *q = &c[k == 2 ? 0 : k + 1];
    if (p->height < 0.0) inside[count++] = *p;
    if ((p->height < 0.0) != (q->height < 0.0)) inside[count++] = intersect_edge_at_height(p, q);
  }
  assert(count <= 4);
  for (int k = 2; k < count; k++)
    integrate_triangle_below(b, &inside[0], &inside[k - 1], &inside[k]);
}

/* Integrates the part of the solid bounded by `surface`, in a's frame, that is below the half-space
 * b. origin: reference point of the moment. near: error bound of heights in double arithmetic, m.
 * *out is unchanged if no volume is found. Cost: about 600 flops per triangle that is not above. */
static void integrate_thin_part(ct_volume_pair *pair, const ct_placed_surface *surface,
                                ct_vec3 origin, double near, part_below *out) {
  ct_volume_widen(pair);
  const ct_wide_plane plane = ct_wide_half_space(&pair->wide, ct_shape_growth(pair->b.shape));
  below_sums b = {.up = ct_dd3_value(&plane.normal)};
  /* compute double-double heights for the triangles that reach below the plane */
  for (uint32_t t = 0; t < surface->triangle_count; t++) {
    ct_vec3 v[3];
    below_corner c[3];
    double least = INFINITY;
    ct_placed_surface_triangle(surface, t, v);
    for (int k = 0; k < 3; k++) {
      c[k].at = ct_sub(v[k], origin);
      least = ct_min2(least, ct_dot(b.up, c[k].at));
    }
    if (least > 2.0 * near) continue;
    for (int k = 0; k < 3; k++) {
      const ct_dd3 p = ct_dd3_of(v[k]);
      c[k].height = ct_dd_value(ct_wide_height(&plane, &p));
    }
    integrate_clipped_triangle(&b, c);
  }
  if (!(b.volume > 0.0)) return;
  *out = (part_below){b.volume, AREA_ROUNDOFFS * CT_UNIT_ROUNDOFF * (b.loose + b.volume), b.first};
  if (pair->a.shape->kind != CT_KIND_CONVEX) return;
  ct_convex_proxy proxy;
  ct_proxy_place(pair->a.shape, NULL, &proxy);
  out->error += ct_wide_plane_error(&proxy) * 2.0 * b.surface;
}

/* ---- parts of any thickness ------------------------------------------------------------------ */

/* Steps counted per triangle for the polls of the cancel flag. */
#define TRIANGLE_STEPS 2
/* A sum of normals below this fraction of the sum of its terms' magnitudes has no direction. */
#define NORMAL_MIN 1e-12

typedef struct clip {
  const ct_placed_surface *surface;
  ct_volume_pair *pair;
  ct_vec3 up,
      origin;   /* plane's normal; a point of the plane near the body, origin of all positions */
  double error; /* error bound of heights, m */
  double volume, area,
      section; /* m^3; surface of the part below with the lid, m^2; area of the lid, m^2 */
  double shared, lid_shared, taken;
  ct_vec3 volume_first, first, linear;
  double least, most; /* least and largest height of the part below, m */
  ct_volume_triangle next;
} clip;

/* Adds a polygon of the surface below the plane. Returns its area; *first: its first moment. */
static double integrate_clipped_face(clip *c, const ct_vec3 *v, int count, ct_vec3 normal,
                                     ct_vec3 *first) {
  assert(count == 3 || count == 4);
  double area = 0.0, height = ct_dot(normal, v[0]);
  *first = ct_vec(0.0, 0.0, 0.0);
  for (int k = 2; k < count; k++) {
    double part = 0.5 * ct_dot(normal, ct_cross(ct_sub(v[k - 1], v[0]), ct_sub(v[k], v[0])));
    ct_vec3 sum = ct_add(ct_add(v[0], v[k - 1]), v[k]);
    *first = ct_add_scaled(*first, sum, part / 3.0);
    c->volume_first = ct_add_scaled(c->volume_first, sum, part * height / 12.0);
    area += part;
  }
  c->first = ct_add(c->first, *first);
  c->area += area;
  c->volume += area * height / 3.0;
  c->linear = ct_add_scaled(c->linear, normal, area);
  return area;
}

/* Adds an edge of the lid's border, with the lid on its left seen from above. Returns the area of
 * the triangle that it spans with the origin. */
static double integrate_lid_edge(clip *c, ct_vec3 p, ct_vec3 q) {
  double area = 0.5 * ct_dot(c->up, ct_cross(p, q));
  c->section += area;
  c->area += area;
  c->first = ct_add_scaled(c->first, ct_add(p, q), area / 3.0);
  return area;
}

/* Returns the intersection of an edge with the plane. It is computed from the vertex of lower
 * index, so that both triangles of the edge get identical points. */
static ct_vec3 intersect_edge_at_plane(uint32_t i, uint32_t j, ct_vec3 p, ct_vec3 q, double h,
                                       double k) {
  if (i > j) return intersect_edge_at_plane(j, i, q, p, k, h);
  return fabs(h) <= fabs(k) ? ct_lerp(p, q, h / (h - k)) : ct_lerp(q, p, k / (k - h));
}

/* Corrects the sums for a face that is in the plane up to round-off. If it has the same outward
 * side as the half-space, it is shared surface and counts once. If the opposite, face and lid
 * cancel. */
static void correct_flat_face(clip *c, const ct_vec3 v[3], ct_vec3 normal, double below,
                              ct_vec3 first) {
  double all = 0.5 * ct_norm(ct_cross(ct_sub(v[1], v[0]), ct_sub(v[2], v[0])));
  if (ct_dot(normal, c->up) > 0.0) {
    c->shared += all;
    c->lid_shared += all - below;
    c->linear = ct_add_scaled(c->linear, normal, -below);
    return;
  }
  c->taken += below;
  c->area -= 2.0 * below;
  c->section -= below;
  c->first = ct_add_scaled(c->first, first, -2.0);
  c->linear = ct_add_scaled(c->linear, normal, -below);
}

/* ---- triangles ------------------------------------------------------------------------------ */

static void append_lid_border(clip *c, ct_vec3 p, ct_vec3 q, int32_t weight) {
  ct_arrangement_scratch *m = ct_workspace_arrangement(c->pair->workspace);
  if (!ct_arrangement_reserve(m, &m->border, sizeof *m->border, &m->border_room,
                              m->border_count + 1))
    c->pair->failed = true;
  else m->border[m->border_count++] = (ct_border_segment){p, q, weight, 0};
}

static void append_border_loop(clip *c, const ct_vec3 *v, int count, int32_t weight) {
  for (int k = 0; k < count; k++) append_lid_border(c, v[k], v[k + 1 == count ? 0 : k + 1], weight);
}

static bool push_trapezoid(void *context, const ct_vec3 v[3]) {
  clip *c = context;
  double border =
      ct_norm(ct_sub(v[1], v[0])) + ct_norm(ct_sub(v[2], v[1])) + ct_norm(ct_sub(v[0], v[2]));
  ct_triangle t = {{v[0], v[1], v[2]}};
  if (0.5 * ct_norm(ct_triangle_cross(&t)) <= c->error * border) return true;
  for (int k = 0; k < 3; k++) c->next.vertex[k] = ct_add(v[k], c->origin);
  return ct_volume_push_triangle(c->pair, &c->next);
}

/* Orientation of a face: not in the plane; in the plane with its outward side up; in the plane with
 * its outward side down. */
typedef enum face_tilt { LEANING, FACES_UP, FACES_DOWN } face_tilt;

/* Adds the triangles of a clipped face or, for a face in the plane, its effect on the lid's
 * border. */
static void push_clipped_face(clip *c, uint32_t t, const ct_vec3 v[3], const ct_vec3 *inside,
                              int count, face_tilt how) {
  bool flat = how != LEANING;
  uint32_t face = c->surface->faces ? c->surface->faces[t] : c->surface->view->order[t];
  c->next = (ct_volume_triangle){.owner = flat ? CT_OWNER_SHARED : CT_OWNER_A,
                                 .face_a = face,
                                 .face_b = flat ? 0 : CT_NO_FACE};
  if (flat) append_border_loop(c, inside, count, 1);
  if (how == FACES_DOWN) return;
  if (flat) {
    append_border_loop(c, v, 3, -1);
    push_trapezoid(c, v);
    return;
  }
  for (int k = 2; k < count; k++) {
    const ct_vec3 part[3] = {inside[0], inside[k - 1], inside[k]};
    push_trapezoid(c, part);
  }
}

static void push_lid_triangles(clip *c) {
  ct_arrangement_scratch *m = ct_workspace_arrangement(c->pair->workspace);
  c->next = (ct_volume_triangle){.owner = CT_OWNER_B, .face_a = CT_NO_FACE, .face_b = 0};
  if (!ct_trapezoids_of(&m->pieces, m->border, m->border_count, c->up, push_trapezoid, c))
    c->pair->failed = true;
}

/* ---- the sums over all triangles ------------------------------------------------------------ */

static void clip_triangle_at_plane(clip *c, uint32_t t) {
  const uint32_t *corner = c->surface->corners[t];
  ct_vec3 v[3], inside[4];
  double h[3];
  int count = 0, low = -1, high = -1;
  ct_placed_surface_triangle(c->surface, t, v);
  for (int k = 0; k < 3; k++) {
    v[k] = ct_sub(v[k], c->origin);
    h[k] = ct_dot(c->up, v[k]);
  }
  /* clip at the plane; low and high: where the triangle's border leaves and enters the part
   * below */
  ct_triangle shape = {{v[0], v[1], v[2]}};
  ct_vec3 normal = ct_unit_or(ct_triangle_cross(&shape), ct_vec(0.0, 0.0, 0.0));
  for (int k = 0; k < 3; k++) {
    int l = k == 2 ? 0 : k + 1;
    if (h[k] < 0.0) inside[count++] = v[k];
    if ((h[k] < 0.0) == (h[l] < 0.0)) continue;
    if (h[k] < 0.0) low = count; /* the border leaves the half-space here */
    else high = count;
    inside[count++] = intersect_edge_at_plane(corner[k], corner[l], v[k], v[l], h[k], h[l]);
  }
  assert(count <= 4 && (low < 0) == (high < 0));
  /* add the integrals of face and lid; correct them for a face in the plane */
  ct_vec3 first = {0.0, 0.0, 0.0};
  double below = count > 0 ? integrate_clipped_face(c, inside, count, normal, &first) : 0.0;
  if (low >= 0) integrate_lid_edge(c, inside[high], inside[low]);
  bool flat = fabs(h[0]) <= c->error && fabs(h[1]) <= c->error && fabs(h[2]) <= c->error;
  if (flat) correct_flat_face(c, v, normal, below, first);
  if (c->pair->options->triangles) {
    if (low >= 0) append_lid_border(c, inside[high], inside[low], 1);
    push_clipped_face(c, t, v, inside, count,
                      flat ? ct_dot(normal, c->up) > 0.0 ? FACES_UP : FACES_DOWN : LEANING);
  }
  if (flat && below == 0.0) return;
  for (int k = 0; k < count; k++) {
    double height = ct_dot(c->up, inside[k]);
    c->least = ct_min2(c->least, height);
    c->most = ct_max2(c->most, height);
  }
}

static void push_half_space_contact(ct_volume_pair *pair, const clip *c, uint32_t first_triangle) {
  ct_volume_contact contact = {.status = CT_PAIR_OK, .area_defined = true};
  double lid = c->section - c->lid_shared;
  assert(c->volume > 0.0 && c->least < 0.0);
  ct_vec3 sum = ct_add_scaled(c->linear, c->up, -lid);
  part_below below = {c->volume, c->error * (c->area + c->section + 2.0 * c->taken),
                      c->volume_first};
  if (below.error > CT_VOLUME_RELATIVE_ERROR * below.volume)
    integrate_thin_part(pair, c->surface, c->origin, c->error, &below);
  contact.volume = below.volume;
  contact.area = 0.5 * c->area;
  contact.patch_area = 0.5 * ct_norm(sum);
  contact.centroid = ct_add(c->origin, ct_scale(below.first, 1.0 / below.volume));
  contact.position = ct_add(c->origin, ct_scale(c->first, 1.0 / c->area));
  contact.normal = ct_neg(c->up);
  contact.raw_gap = c->least - ct_min2(c->most, 0.0);
  contact.element_a = contact.element_b = CT_NO_ELEMENT;
  if (!(ct_norm(sum) > NORMAL_MIN * c->area)) contact.flags |= CT_VOLUME_FLAG_NORMAL_FALLBACK;
  if (c->shared > 0.0) contact.flags |= CT_VOLUME_FLAG_SHARED_FACES;
  ct_volume_set_error(&contact, below.error);
  ct_volume_gaps(pair, &contact);
  ct_volume_surfaces(pair, &contact);
  contact.first_triangle = first_triangle;
  contact.triangle_count = pair->memory->triangle_count - first_triangle;
  ct_volume_push(pair, &contact);
}

void ct_volume_plane(ct_volume_pair *pair) {
  assert(pair->b.shape->kind == CT_KIND_PLANE);
  ct_workspace *workspace = pair->workspace;
  const ct_mat3 *r = &pair->relative.rotation;
  ct_placed_surface surface;
  clip c = {.surface = &surface,
            .pair = pair,
            .up = ct_unit_or(ct_vec(r->rx.z, r->ry.z, r->rz.z), ct_vec(0.0, 0.0, 1.0)),
            .least = INFINITY,
            .most = -INFINITY};
  if (!ct_volume_surface_of(&surface, ct_workspace_arrangement(workspace), pair->a.shape, NULL)) {
    pair->failed = true;
    return;
  }
  /* Origin: the point of the plane nearest to the body's middle, hence near the part below and the
   * lid. */
  ct_vec3 on_plane = ct_add_scaled(pair->relative.position, c.up, ct_shape_growth(pair->b.shape));
  ct_vec3 middle = ct_scale(ct_add(surface.box.min, surface.box.max), 0.5);
  c.origin = ct_add_scaled(middle, c.up, ct_dot(c.up, ct_sub(on_plane, middle)));
  double size = ct_max2(ct_max2(ct_max_abs(surface.box.min), ct_max_abs(surface.box.max)),
                        ct_max_abs(on_plane));
  c.error = CT_ARRANGEMENT_ROUNDOFFS * CT_UNIT_ROUNDOFF * size;
  workspace->mesh.stopped = false;
  ct_workspace_arrangement(workspace)->border_count = 0;
  uint32_t first_triangle = pair->memory->triangle_count;
  for (uint32_t t = 0; t < surface.triangle_count; t++) {
    if (ct_mesh_is_cancelled(&workspace->mesh, TRIANGLE_STEPS)) {
      pair->status = CT_PAIR_ITERATION_LIMIT;
      pair->memory->triangle_count = first_triangle;
      return;
    }
    clip_triangle_at_plane(&c, t);
  }
  /* add a contact if the volume exceeds its error bound */
  if (c.volume > c.error * (c.area + c.section + 2.0 * c.taken)) {
    if (pair->options->triangles) push_lid_triangles(&c);
    push_half_space_contact(pair, &c, first_triangle);
    return;
  }
  pair->memory->triangle_count = first_triangle;
  if (ct_pair_overlap(pair->a, pair->b, workspace, NULL))
    pair->flags |= CT_VOLUME_FLAG_TOUCHING_ONLY;
}
