/* A polyhedron, convex or a solid mesh, and a half-space: what is below the plane, and the section as its lid. In the first body's
 * frame. A vertex on the plane is above it.
 */
#include "pair/workspace.h"
#include "shape/tapered_capsule.h"
#include "triangle/triangle_distance.h"
#include "volume/volume_gaps.h"
#include "volume/volume_half_space_thin.h"
#include "volume/volume_mesh.h"

/* Triangles between two looks at the flag. */
#define TRIANGLE_STEPS 2
/* A sum of normals below this, of the size of its terms, is no direction: theory, section 5.3. */
#define NORMAL_MIN 1e-12

typedef struct clip {
  const ct_placed_surface *skin;
  ct_volume_pair *pair;
  ct_vec3 up, origin;           /* the origin is on the plane */
  double error;                 /* of heights, m */
  double volume, area, section; /* section: the lid's area, and of it what is in faces of the body too */
  double shared, lid_shared, taken;
  ct_vec3 volume_first, first, linear;
  double least, most; /* heights of what is below */
  ct_volume_triangle next;
} clip;

/* A polygon of the body's surface that is below the plane, of a triangle with a normal. Returns its area, and its first moment. */
static double add_face(clip *c, const ct_vec3 *v, int count, ct_vec3 normal, ct_vec3 *first) {
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

/* A stretch of the lid's border, seen from above with the lid on its left. */
static double add_lid(clip *c, ct_vec3 p, ct_vec3 q) {
  double area = 0.5 * ct_dot(c->up, ct_cross(p, q));
  c->section += area;
  c->area += area;
  c->first = ct_add_scaled(c->first, ct_add(p, q), area / 3.0);
  return area;
}

/* The place where an edge passes the plane, worked out from its lower vertex. */
static ct_vec3 place(uint32_t i, uint32_t j, ct_vec3 p, ct_vec3 q, double h, double k) {
  if (i > j) return place(j, i, q, p, k, h);
  return fabs(h) <= fabs(k) ? ct_lerp(p, q, h / (h - k)) : ct_lerp(q, p, k / (k - h));
}

/* A face that lies in the plane to rounding: with the half-space on the same side it is in both surfaces, with it on the other side
 * face and lid are nothing. */
static void note_flat(clip *c, const ct_vec3 v[3], ct_vec3 normal, double below, ct_vec3 first) {
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

/* ---- triangles ---- */

static void add_border(clip *c, ct_vec3 p, ct_vec3 q, int32_t weight) {
  ct_arrangement_scratch *m = &c->pair->workspace->arrangement;
  if (!ct_arrangement_reserve(m, &m->border, sizeof *m->border, &m->border_room, m->border_count + 1)) c->pair->failed = true;
  else m->border[m->border_count++] = (ct_border_segment){p, q, weight, 0};
}

static void add_loop(clip *c, const ct_vec3 *v, int count, int32_t weight) {
  for (int k = 0; k < count; k++) add_border(c, v[k], v[k + 1 == count ? 0 : k + 1], weight);
}

static bool push(void *context, const ct_vec3 v[3]) {
  clip *c = context;
  double border = ct_norm(ct_sub(v[1], v[0])) + ct_norm(ct_sub(v[2], v[1])) + ct_norm(ct_sub(v[0], v[2]));
  ct_triangle t = {{v[0], v[1], v[2]}};
  if (0.5 * ct_norm(ct_triangle_cross(&t)) <= c->error * border) return true;
  for (int k = 0; k < 3; k++) c->next.vertex[k] = ct_add(v[k], c->origin);
  return ct_volume_push_triangle(c->pair, &c->next);
}

/* How a face lies in the plane. */
typedef enum lying { LEANING, FACES_UP, FACES_DOWN } lying;

/* What is left of a face as it is, or what a face in the plane changes of the lid. */
static void push_face(clip *c, uint32_t t, const ct_vec3 v[3], const ct_vec3 *inside, int count, lying how) {
  bool flat = how != LEANING;
  uint32_t face = c->skin->faces ? c->skin->faces[t] : c->skin->view->order[t];
  c->next = (ct_volume_triangle){.owner = flat ? CT_OWNER_SHARED : CT_OWNER_A, .face_a = face, .face_b = flat ? 0 : CT_NO_FACE};
  if (flat) add_loop(c, inside, count, 1);
  if (how == FACES_DOWN) return;
  if (flat) {
    add_loop(c, v, 3, -1);
    push(c, v);
    return;
  }
  for (int k = 2; k < count; k++) {
    const ct_vec3 part[3] = {inside[0], inside[k - 1], inside[k]};
    push(c, part);
  }
}

static void push_lid(clip *c) {
  ct_arrangement_scratch *m = &c->pair->workspace->arrangement;
  c->next = (ct_volume_triangle){.owner = CT_OWNER_B, .face_a = CT_NO_FACE, .face_b = 0};
  if (!ct_trapezoids_of(&m->pieces, m->border, m->border_count, c->up, push, c)) c->pair->failed = true;
}

/* ---- the sums over all triangles ---- */

static void add_triangle(clip *c, uint32_t t) {
  const uint32_t *corner = c->skin->corners[t];
  ct_vec3 v[3], inside[4];
  double h[3];
  int count = 0, low = -1, high = -1;
  ct_placed_surface_triangle(c->skin, t, v);
  for (int k = 0; k < 3; k++) {
    v[k] = ct_sub(v[k], c->origin);
    h[k] = ct_dot(c->up, v[k]);
  }
  ct_triangle shape = {{v[0], v[1], v[2]}};
  ct_vec3 normal = ct_unit_or(ct_triangle_cross(&shape), ct_vec(0.0, 0.0, 0.0));
  for (int k = 0; k < 3; k++) {
    int l = k == 2 ? 0 : k + 1;
    if (h[k] < 0.0) inside[count++] = v[k];
    if ((h[k] < 0.0) == (h[l] < 0.0)) continue;
    if (h[k] < 0.0) low = count; /* the way leaves the half-space here */
    else high = count;
    inside[count++] = place(corner[k], corner[l], v[k], v[l], h[k], h[l]);
  }
  ct_vec3 first = {0.0, 0.0, 0.0};
  double below = count > 0 ? add_face(c, inside, count, normal, &first) : 0.0;
  if (low >= 0) add_lid(c, inside[high], inside[low]);
  bool flat = fabs(h[0]) <= c->error && fabs(h[1]) <= c->error && fabs(h[2]) <= c->error;
  if (flat) note_flat(c, v, normal, below, first);
  if (c->pair->options->triangles) {
    if (low >= 0) add_border(c, inside[high], inside[low], 1);
    push_face(c, t, v, inside, count, flat ? ct_dot(normal, c->up) > 0.0 ? FACES_UP : FACES_DOWN : LEANING);
  }
  if (flat && below == 0.0) return;
  for (int k = 0; k < count; k++) {
    double height = ct_dot(c->up, inside[k]);
    c->least = ct_min2(c->least, height);
    c->most = ct_max2(c->most, height);
  }
}

static void make_contact(ct_volume_pair *pair, const clip *c, uint32_t first_triangle) {
  ct_volume_contact contact = {.status = CT_PAIR_OK, .area_defined = true};
  double lid = c->section - c->lid_shared;
  ct_vec3 sum = ct_add_scaled(c->linear, c->up, -lid);
  ct_volume_below below = {c->volume, c->error * (c->area + c->section + 2.0 * c->taken), c->volume_first};
  if (below.error > CT_VOLUME_RELATIVE_ERROR * below.volume)
    ct_volume_below_wide(pair, c->skin, c->origin, c->error, &below);
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
  ct_workspace *workspace = pair->workspace;
  const ct_mat3 *r = &pair->relative.rotation;
  ct_placed_surface skin;
  clip c = {.skin = &skin,
            .pair = pair,
            .up = ct_unit_or(ct_vec(r->rx.z, r->ry.z, r->rz.z), ct_vec(0.0, 0.0, 1.0)),
            .least = INFINITY,
            .most = -INFINITY};
  if (!ct_volume_surface_of(&skin, &workspace->arrangement, pair->a.shape, NULL)) {
    pair->failed = true;
    return;
  }
  /* The point of the plane that is nearest to the body's middle: what is below, and the lid, are not far from it. */
  ct_vec3 on_plane = ct_add_scaled(pair->relative.position, c.up, ct_shape_growth(pair->b.shape));
  ct_vec3 middle = ct_scale(ct_add(skin.box.min, skin.box.max), 0.5);
  c.origin = ct_add_scaled(middle, c.up, ct_dot(c.up, ct_sub(on_plane, middle)));
  double size = ct_max2(ct_max2(ct_max_abs(skin.box.min), ct_max_abs(skin.box.max)), ct_max_abs(on_plane));
  c.error = CT_ARRANGEMENT_ROUNDOFFS * CT_UNIT_ROUNDOFF * size;
  workspace->mesh.stopped = false;
  workspace->arrangement.border_count = 0;
  uint32_t first_triangle = pair->memory->triangle_count;
  for (uint32_t t = 0; t < skin.triangle_count; t++) {
    if (ct_mesh_is_cancelled(&workspace->mesh, TRIANGLE_STEPS)) {
      pair->status = CT_PAIR_ITERATION_LIMIT;
      pair->memory->triangle_count = first_triangle;
      return;
    }
    add_triangle(&c, t);
  }
  if (c.volume > c.error * (c.area + c.section + 2.0 * c.taken)) {
    if (pair->options->triangles) push_lid(&c);
    make_contact(pair, &c, first_triangle);
    return;
  }
  pair->memory->triangle_count = first_triangle;
  if (ct_pair_overlap(pair->a, pair->b, workspace, NULL)) pair->flags |= CT_VOLUME_FLAG_TOUCHING_ONLY;
}
