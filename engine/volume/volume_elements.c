/* Volumetric contacts of meshes of elements: one contact per pair of overlapping elements, or per
 * element and convex polyhedron. Their volumes add up to the volume of the whole intersection.
 *
 * An element is represented by the convex hull of its vertices. Faces between elements bound the
 * intersections and count in areas and positions, but not in normals. In Koziara's Solfec (mesh
 * elements) an element without outer faces has no contact, and neither has it with the Solfec
 * method here. */
#include "base/array.h"
#include "pair/workspace.h"
#include "volume/volume_convex.h"

#include <contact/elements.h>

#include <assert.h>
#include <stdlib.h>

/* Largest number of faces of the convex hull of eight points. */
#define FACES_MAX 12
/* Round-off of a box transformed to another frame, relative to its size and distance. */
#define BOX_SLACK (64.0 * CT_UNIT_ROUNDOFF)

/* A body as convex pieces: its elements, or the shape as a single piece. */
typedef struct piecewise {
  const ct_shape *shape;
  const ct_frame *frame;        /* frame of the body in the pair's frame; NULL: identity */
  const ct_elements_view *view; /* NULL: a single piece, the shape */
} piecewise;

/* A piece in the pair's frame, and data of the faces of its hull. */
typedef struct piece {
  ct_volume_body body;
  uint8_t inner[FACES_MAX];
  uint32_t surface[FACES_MAX], face[FACES_MAX]; /* surface id of each hull face, and index of the
                                                   element face that it belongs to */
} piece;

static piecewise make_piecewise(ct_placed placed, const ct_frame *frame) {
  bool elements = ct_kind_has_elements(placed.shape->kind);
  assert(placed.shape->rounding == 0.0 && placed.shape->margin == 0.0);
  return (piecewise){placed.shape, frame,
                     elements ? ct_elements_get(placed.shape->elements) : NULL};
}

static uint32_t count_pieces(const piecewise *p) { return p->view ? p->view->element_count : 1; }

static bool is_outer_face(const ct_elements_view *view, uint32_t element, uint32_t face) {
  return view->across[element * view->face_stride + face] == CT_NO_ELEMENT;
}

/* True if the piece has a face on the body's surface. The Solfec method ignores other pieces. */
static bool has_outer_face(const piecewise *p, uint32_t i) {
  if (!p->view) return true;
  for (uint32_t f = 0; f < ct_elements_form(p->view, i)->faces; f++)
    if (is_outer_face(p->view, i, f)) return true;
  return false;
}

/* Returns the index of an outer face in view->outer, by binary search. */
static uint32_t find_outer_index(const ct_elements_view *view, uint32_t face) {
  uint32_t low = 0, high = view->outer_count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (view->outer[middle] < face) low = middle + 1;
    else high = middle;
  }
  assert(low < view->outer_count && view->outer[low] == face);
  return low;
}

/* Sets surface id and kind of a hull face. A hull face that combines two coplanar element faces
 * counts as outer if the element has any outer face, and gets surface index 0. */
static void describe_hull_face(const ct_elements_view *view, uint32_t element, uint32_t hull_face,
                               bool any_outer, piece *out) {
  uint32_t face = ct_elements_hull_face(view, element, hull_face);
  bool inner = !any_outer || (face != CT_NO_ELEMENT && !is_outer_face(view, element, face));
  uint32_t place = inner || face == CT_NO_ELEMENT
                       ? 0
                       : find_outer_index(view, element * view->face_stride + face);
  out->face[hull_face] = face;
  out->inner[hull_face] = inner;
  out->surface[hull_face] = view->surface_ids ? view->surface_ids[place] : place;
}

/* Makes the polyhedron of a piece in the pair's frame. False: out of memory. */
static bool place_convex_piece(const piecewise *p, uint32_t i, ct_volume_body_storage *storage,
                               piece *out) {
  if (!p->view) return ct_volume_body_place(p->shape, p->frame, storage, &out->body);
  const ct_shape hull = {.kind = CT_KIND_CONVEX, .hull = (ct_hull *)(uintptr_t)p->view->hulls[i]};
  if (!ct_volume_body_place(&hull, p->frame, storage, &out->body)) return false;
  bool any_outer = has_outer_face(p, i);
  assert(out->body.face_count <= FACES_MAX);
  for (uint32_t f = 0; f < out->body.face_count; f++)
    describe_hull_face(p->view, i, f, any_outer, out);
  out->body.surface = out->surface;
  out->body.is_inner = out->inner;
  out->body.element = i;
  return true;
}

/* ---- candidates ----------------------------------------------------------------------------- */

/* Query for the pieces of b whose boxes overlap the box of a piece of a. */
typedef struct piece_query {
  ct_volume_scratch *memory;
  size_t count;
  bool failed;
} piece_query;

static bool append_candidate_element(void *context, uint32_t element) {
  piece_query *f = context;
  ct_volume_scratch *m = f->memory;
  f->failed =
      !ct_array_reserve(&m->elements, &m->element_capacity, f->count + 1, sizeof *m->elements);
  if (f->failed) return false;
  m->elements[f->count++] = element;
  return true;
}

static int compare_element_numbers(const void *a, const void *b) {
  uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
  return (p > q) - (p < q);
}

/* Returns the box, given in the pair's frame, in b's own frame, enlarged by its round-off. */
static ct_aabb transform_aabb(const ct_frame *frame, const ct_aabb *box) {
  ct_vec3 middle = ct_scale(ct_add(box->min, box->max), 0.5),
          half = ct_scale(ct_sub(box->max, box->min), 0.5);
  ct_mat3 back = ct_mat_transpose(frame->rotation);
  ct_vec3 center = ct_to_local(*frame, middle);
  ct_vec3 reach =
      ct_vec(fabs(back.rx.x) * half.x + fabs(back.rx.y) * half.y + fabs(back.rx.z) * half.z,
             fabs(back.ry.x) * half.x + fabs(back.ry.y) * half.y + fabs(back.ry.z) * half.z,
             fabs(back.rz.x) * half.x + fabs(back.rz.y) * half.y + fabs(back.rz.z) * half.z);
  double slack = BOX_SLACK * (ct_max_abs(middle) + ct_max_abs(half) + ct_max_abs(frame->position));
  reach = ct_add(reach, ct_vec(slack, slack, slack));
  return (ct_aabb){ct_sub(center, reach), ct_add(center, reach)};
}

static ct_aabb get_piece_aabb(const piecewise *p, uint32_t i) {
  const ct_frame identity = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, {0.0, 0.0, 0.0}};
  return p->view ? p->view->boxes[i] : ct_shape_aabb(p->shape, &identity);
}

/* Lists the pieces of b that may intersect piece i of a, ascending, in memory->elements. False: out
 * of memory. */
static bool find_candidate_pieces(ct_volume_scratch *memory, const piecewise *a, uint32_t i,
                                  const piecewise *b, size_t *count) {
  piece_query f = {memory, 0, false};
  if (b->view) {
    ct_aabb own = get_piece_aabb(a, i), transformed = transform_aabb(b->frame, &own);
    ct_tree_query(b->view->tree, &transformed, append_candidate_element, &f, NULL);
    if (f.count > 1)
      qsort(memory->elements, f.count, sizeof *memory->elements, compare_element_numbers);
  } else {
    append_candidate_element(&f, 0);
  }
  *count = f.count;
  return !f.failed;
}

/* ---- pairs of pieces ------------------------------------------------------------------------ */

static void rename_hull_face(uint32_t *face, const piece *p) {
  assert(*face == CT_NO_FACE || *face < p->body.face_count);
  if (*face != CT_NO_FACE && p->body.is_inner) *face = p->face[*face];
}

/* Replaces the hull faces of the triangles from `first` on by element faces. */
static void rename_triangle_faces(ct_volume_pair *pair, uint32_t first, const piece *a,
                                  const piece *b) {
  for (uint32_t t = first; t < pair->memory->triangle_count; t++) {
    ct_volume_triangle *triangle = &pair->memory->triangles[t];
    rename_hull_face(&triangle->face_a, a);
    rename_hull_face(&triangle->face_b, b);
  }
}

/* Replaces the hull faces of the new points and faces of stages by element faces. */
static void rename_stage_faces(ct_volume_pair *pair, uint32_t first_point, uint32_t first_face,
                               const piece *a, const piece *b) {
  ct_volume_scratch *m = pair->memory;
  for (uint32_t i = first_point; i < m->point_count; i++) {
    rename_hull_face(&m->points[i].face_a, a);
    rename_hull_face(&m->points[i].face_b, b);
  }
  for (uint32_t i = first_face; i < m->stage_face_count; i++) {
    rename_hull_face(&m->stage_faces[i].face_a, a);
    rename_hull_face(&m->stage_faces[i].face_b, b);
  }
}

/* Adds the contacts of piece i of a with all pieces of b. */
static void add_piece_contacts(ct_volume_pair *pair, const piecewise *a, uint32_t i,
                               const piecewise *b) {
  ct_volume_scratch *m = pair->memory;
  size_t count;
  piece first, second;
  if (!find_candidate_pieces(m, a, i, b, &count) ||
      !place_convex_piece(a, i, &m->body_storage[0], &first))
    pair->failed = true;
  for (size_t k = 0; !pair->failed && k < count; k++) {
    if (pair->options->method == CT_VOLUME_SOLFEC && !has_outer_face(b, m->elements[k])) continue;
    if (!place_convex_piece(b, m->elements[k], &m->body_storage[1], &second)) {
      pair->failed = true;
      return;
    }
    uint32_t triangles = m->triangle_count, points = m->point_count, faces = m->stage_face_count;
    ct_volume_bodies(pair, &first.body, &second.body);
    rename_triangle_faces(pair, triangles, &first, &second);
    rename_stage_faces(pair, points, faces, &first, &second);
  }
}

void ct_volume_elements(ct_volume_pair *pair) {
  const piecewise a = make_piecewise(pair->a, NULL), b = make_piecewise(pair->b, &pair->relative);
  const ct_cancel *cancel = ct_workspace_cancel(pair->workspace);
  for (uint32_t i = 0; i < count_pieces(&a) && !pair->failed; i++) {
    if (ct_cancel_raised(cancel)) {
      pair->status = CT_PAIR_ITERATION_LIMIT;
      return;
    }
    if (pair->options->method != CT_VOLUME_SOLFEC || has_outer_face(&a, i))
      add_piece_contacts(pair, &a, i, &b);
  }
}
