/* Volumetric contacts of a pair: the intersection of two solids, represented by one contact, or by
 * one contact per pair of elements.
 *
 * The pair is put in the order of content and in the frame of its first body, so that results
 * depend neither on the order of the arguments nor on the position in the world. The kinds of both
 * shapes determine the algorithm; its results are then transformed to the world.
 *
 * Totals of contacts per element are compensated sums (Neumaier 1974): as accurate as their terms,
 * for any number of terms. */
#include "pair/convex_proxy.h"
#include "pair/pair_input.h"
#include "pair/pair_order.h"
#include "pair/workspace.h"
#include "volume/volume_pair.h"
#include <contact/volume.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const char *ct_weighting_word(ct_weighting weighting) {
  static const char *const words[] = {
#define WEIGHTING_WORD(name, word) [CT_WEIGHTING_##name] = word,
      CT_WEIGHTING_MAP(WEIGHTING_WORD)
#undef WEIGHTING_WORD
  };
  return (unsigned)weighting < CT_WEIGHTING_COUNT ? words[weighting] : words[0];
}

const char *ct_volume_method_word(ct_volume_method method) {
  static const char *const words[] = {
#define METHOD_WORD(name, word) [CT_VOLUME_##name] = word,
      CT_VOLUME_METHOD_MAP(METHOD_WORD)
#undef METHOD_WORD
  };
  return (unsigned)method < CT_VOLUME_METHOD_COUNT ? words[method] : words[0];
}

const char *ct_volume_flag_word(uint32_t row) {
  static const char *const words[] = {
#define FLAG_WORD(name, word) [CT_VOLUME_FLAG_ROW_##name] = word,
      CT_VOLUME_FLAG_MAP(FLAG_WORD)
#undef FLAG_WORD
  };
  return row < CT_VOLUME_FLAG_COUNT ? words[row] : "unknown";
}

/* ---- from the pair's frame and order to the world's and the caller's ------------------------ */

/* Replaces negative zeros by zeros, so that no result contains one. */
static ct_vec3 drop_negative_zeros(ct_vec3 v) { return ct_vec(v.x + 0.0, v.y + 0.0, v.z + 0.0); }

static void swap_face_numbers(uint32_t *x, uint32_t *y) {
  uint32_t first = *x;
  *x = *y;
  *y = first;
}

static void transform_contact_to_world(const ct_volume_pair *pair, bool swapped,
                                       ct_volume_contact *c) {
  const ct_frame *frame = pair->a.frame;
  c->centroid = drop_negative_zeros(ct_to_parent(*frame, c->centroid));
  c->position = drop_negative_zeros(ct_to_parent(*frame, c->position));
  c->inner = drop_negative_zeros(ct_to_parent(*frame, c->inner));
  c->stages.start = drop_negative_zeros(ct_to_parent(*frame, c->stages.start));
  ct_vec3 normal = ct_unit_or(ct_mat_mul(frame->rotation, c->normal), ct_vec(1.0, 0.0, 0.0));
  c->normal = drop_negative_zeros(swapped ? ct_neg(normal) : normal);
  if (!swapped) return;
  swap_face_numbers(&c->surface_a, &c->surface_b);
  swap_face_numbers(&c->element_a, &c->element_b);
}

static void swap_owner(bool swapped, ct_volume_owner *owner, uint32_t *face_a, uint32_t *face_b) {
  if (!swapped) return;
  swap_face_numbers(face_a, face_b);
  if (*owner != CT_OWNER_SHARED) *owner = *owner == CT_OWNER_A ? CT_OWNER_B : CT_OWNER_A;
}

static void transform_triangle_to_world(const ct_volume_pair *pair, bool swapped,
                                        ct_volume_triangle *t) {
  for (int i = 0; i < 3; i++)
    t->vertex[i] = drop_negative_zeros(ct_to_parent(*pair->a.frame, t->vertex[i]));
  swap_owner(swapped, &t->owner, &t->face_a, &t->face_b);
}

static void transform_stages_to_world(const ct_volume_pair *pair, bool swapped) {
  const ct_volume_scratch *m = pair->memory;
  const ct_frame *frame = pair->a.frame;
  for (uint32_t i = 0; i < m->point_count; i++) {
    ct_dual_point *p = &m->points[i];
    p->point = drop_negative_zeros(ct_mat_mul(frame->rotation, p->point));
    swap_owner(swapped, &p->owner, &p->face_a, &p->face_b);
  }
  for (uint32_t i = 0; i < m->stage_vertex_count; i++)
    m->stage_vertices[i].position =
        drop_negative_zeros(ct_to_parent(*frame, m->stage_vertices[i].position));
  for (uint32_t i = 0; i < m->stage_face_count; i++) {
    ct_stage_face *f = &m->stage_faces[i];
    f->normal = drop_negative_zeros(ct_mat_mul(frame->rotation, f->normal));
    f->offset += ct_dot(f->normal, frame->position);
    swap_owner(swapped, &f->owner, &f->face_a, &f->face_b);
  }
}

static int compare_contact_elements(const void *a, const void *b) {
  const ct_volume_contact *p = a, *q = b;
  assert(p == q || p->element_a != q->element_a || p->element_b != q->element_b);
  if (p->element_a != q->element_a) return p->element_a < q->element_a ? -1 : 1;
  return (p->element_b > q->element_b) - (p->element_b < q->element_b);
}

static void write_volume_result(ct_volume_pair *pair, bool swapped, ct_volume *out) {
  ct_volume_scratch *m = pair->memory;
  for (uint32_t i = 0; i < m->contact_count; i++)
    transform_contact_to_world(pair, swapped, &m->contacts[i]);
  for (uint32_t i = 0; i < m->triangle_count; i++)
    transform_triangle_to_world(pair, swapped, &m->triangles[i]);
  transform_stages_to_world(pair, swapped);
  if (swapped && m->contact_count > 1)
    qsort(m->contacts, m->contact_count, sizeof *m->contacts, compare_contact_elements);
  *out = (ct_volume){.contacts = m->contacts,
                     .count = m->contact_count,
                     .triangles = m->triangles,
                     .triangle_count = m->triangle_count,
                     .points = m->points,
                     .stage_vertices = m->stage_vertices,
                     .stage_faces = m->stage_faces,
                     .stage_indices = m->stage_indices,
                     .status = pair->status,
                     .flags = pair->flags,
                     .failed = pair->failed};
}

/* ---- the pair ------------------------------------------------------------------------------- */

/* True for a box or a hull without rounding radius and margin. */
static bool is_unrounded_polyhedron(const ct_shape *shape) {
  return (shape->kind == CT_KIND_BOX || shape->kind == CT_KIND_CONVEX) && shape->rounding == 0.0 &&
         shape->margin == 0.0;
}

/* True for a closed mesh without rounding radius and margin; meshes of elements count by their
 * surface. */
static bool is_sharp_solid_mesh(const ct_shape *shape) {
  return ct_kind_is_mesh(shape->kind) && ct_mesh_get(shape->mesh)->solid &&
         shape->rounding == 0.0 && shape->margin == 0.0;
}

static bool has_sharp_faces(const ct_shape *shape) {
  return is_unrounded_polyhedron(shape) || is_sharp_solid_mesh(shape);
}

static bool is_sharp_elements(const ct_shape *shape) {
  return ct_kind_has_elements(shape->kind) && shape->rounding == 0.0 && shape->margin == 0.0;
}

static bool is_open_mesh(const ct_shape *shape) {
  return shape->kind == CT_KIND_MESH && !ct_mesh_get(shape->mesh)->solid;
}

static void dispatch_volume(ct_volume_pair *pair) {
  const ct_shape *a = pair->a.shape, *b = pair->b.shape;
  assert(a->kind != CT_KIND_PLANE ||
         b->kind == CT_KIND_PLANE); /* the pair is in the order of content */
  bool plane = b->kind == CT_KIND_PLANE, elements = is_sharp_elements(a) || is_sharp_elements(b);
  if (a->kind == CT_KIND_PLANE || is_open_mesh(a) || is_open_mesh(b))
    pair->status = CT_PAIR_UNSUPPORTED;
  else if (elements && (is_sharp_elements(a) || is_unrounded_polyhedron(a)) &&
           (is_sharp_elements(b) || is_unrounded_polyhedron(b)))
    ct_volume_elements(pair);
  else if (is_unrounded_polyhedron(a) && is_unrounded_polyhedron(b)) ct_volume_convex(pair);
  else if (has_sharp_faces(a) && has_sharp_faces(b)) ct_volume_mesh(pair);
  else if (has_sharp_faces(a) && plane) ct_volume_plane(pair);
  else ct_volume_curved(pair);
}

/* Sets the frame of b in a's frame. The frame of a collider within a body has round-off of a few
 * unit round-offs of its world position, which may be large; for such colliders double-double
 * arithmetic is used instead. */
static void set_relative_frame(ct_volume_pair *pair) {
  if (pair->poses[0].collider || pair->poses[1].collider) {
    ct_volume_widen(pair);
    const ct_wide_frame *w = &pair->wide;
    pair->relative = (ct_frame){{ct_dd3_value(&w->x), ct_dd3_value(&w->y), ct_dd3_value(&w->z)},
                                ct_dd3_value(&w->position)};
    return;
  }
  pair->relative.rotation =
      ct_mat_mat(ct_mat_transpose(pair->a.frame->rotation), pair->b.frame->rotation);
  pair->relative.position = ct_to_local(*pair->a.frame, pair->b.frame->position);
}

void ct_pair_volume(ct_placed a, ct_placed b, const ct_volume_options *options,
                    ct_workspace *workspace, ct_volume *out) {
  ct_frame prepared[2];
  if (!ct_placed_prepare_both(&a, &b, prepared)) {
    *out = (ct_volume){.status = CT_PAIR_UNSUPPORTED};
    return;
  }
  /* put the pair in the order of content, so that results do not depend on the order of the
   * arguments */
  bool swapped = ct_pair_is_swapped(a, b);
  ct_volume_scratch *memory = ct_workspace_volume(workspace);
  ct_volume_pair pair = {.a = swapped ? b : a,
                         .b = swapped ? a : b,
                         .options = options,
                         .workspace = workspace,
                         .memory = memory,
                         .status = CT_PAIR_OK};
  pair.poses[0] = swapped ? options->poses_b : options->poses_a;
  pair.poses[1] = swapped ? options->poses_a : options->poses_b;
  set_relative_frame(&pair);
  memory->contact_count = memory->triangle_count = 0;
  memory->point_count = memory->stage_vertex_count = memory->stage_face_count =
      memory->stage_index_count = 0;
  /* compute, then transform to the world */
  dispatch_volume(&pair);
  assert(memory->contact_count <= 1 || memory->contacts[0].element_a != CT_NO_ELEMENT ||
         memory->contacts[0].element_b != CT_NO_ELEMENT);
  assert(memory->triangle_count == 0 || options->triangles);
  assert(memory->point_count == 0 || options->stages);
  memory->out_of_memory = memory->out_of_memory || pair.failed;
  write_volume_result(&pair, swapped, out);
}

/* ---- totals over elements -------------------------------------------------------------------- */

/* A running sum and the round-off that it has lost so far. */
typedef struct compensated {
  double sum, lost;
} compensated;

static void add_compensated_term(compensated *c, double term) {
  double sum = c->sum + term;
  c->lost += fabs(c->sum) >= fabs(term) ? (c->sum - sum) + term : (term - sum) + c->sum;
  c->sum = sum;
}

static double get_compensated_value(const compensated *c) { return c->sum + c->lost; }

bool ct_volume_add_up(const ct_volume *volume, ct_volume_total *out) {
  compensated total = {0.0, 0.0}, error = {0.0, 0.0}, patch = {0.0, 0.0}, x = {0.0, 0.0},
              y = {0.0, 0.0}, z = {0.0, 0.0};
  *out = (ct_volume_total){.contacts = volume->count};
  if (volume->count == 0) return false;
  /* Moments about the first centroid, so that no accuracy is lost far from the origin. */
  ct_vec3 origin = volume->contacts[0].centroid;
  for (size_t i = 0; i < volume->count; i++) {
    const ct_volume_contact *c = &volume->contacts[i];
    if (c->element_a == CT_NO_ELEMENT && c->element_b == CT_NO_ELEMENT) return false;
    ct_vec3 d = ct_sub(c->centroid, origin);
    add_compensated_term(&total, c->volume);
    add_compensated_term(&error, c->volume_error);
    add_compensated_term(&patch, c->patch_area);
    add_compensated_term(&x, c->volume * d.x);
    add_compensated_term(&y, c->volume * d.y);
    add_compensated_term(&z, c->volume * d.z);
    if (c->status != CT_PAIR_OK) out->status = c->status;
  }
  out->volume = get_compensated_value(&total);
  out->volume_error = get_compensated_value(&error) + CT_UNIT_ROUNDOFF * 2.0 * out->volume;
  out->patch_area = get_compensated_value(&patch);
  ct_vec3 moment = {get_compensated_value(&x), get_compensated_value(&y),
                    get_compensated_value(&z)};
  out->centroid = ct_add(origin, ct_scale(moment, 1.0 / out->volume));
  return true;
}
