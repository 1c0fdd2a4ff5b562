/* Volumetric contacts element by element: each pair of elements that overlap, or of an element and a convex polyhedron, has one, so
 * that their volumes add up to the whole common volume.
 *
 * An element is the hull of its corners. Its faces towards other elements bound the common solid, and count in areas and positions,
 * but in no normal. An element that has no other faces makes no contact in the seed (Koziara, Solfec: mesh elements), nor by its
 * method here.
 */
#include "pair/workspace.h"
#include "volume/volume_convex.h"

#include <contact/elements.h>

#include <stdlib.h>

/* Faces of the hull of eight points, at most. */
#define FACES_MAX 12
/* A box seen in another frame is larger by so many u of its size and distance than computed. */
#define BOX_SLACK (64.0 * CT_UNIT_ROUNDOFF)

/* One of the two bodies, as pieces. */
typedef struct piecewise {
  const ct_shape *shape;
  const ct_frame *frame;        /* in the pair's frame; NULL: it is that frame */
  const ct_elements_view *view; /* NULL: one piece, the shape */
} piecewise;

/* A piece in the pair's frame, and what is told of the faces of its hull. */
typedef struct piece {
  ct_volume_body body;
  uint8_t inner[FACES_MAX];
  uint32_t surface[FACES_MAX], face[FACES_MAX]; /* face: of the element */
} piece;

static piecewise piecewise_of(ct_placed placed, const ct_frame *frame) {
  bool elements = ct_kind_has_elements(placed.shape->kind);
  return (piecewise){placed.shape, frame, elements ? ct_elements_get(placed.shape->elements) : NULL};
}

static uint32_t piece_count(const piecewise *p) { return p->view ? p->view->element_count : 1; }

static bool is_outer(const ct_elements_view *view, uint32_t element, uint32_t face) {
  return view->across[element * view->face_stride + face] == CT_NO_ELEMENT;
}

/* Does the piece have a face on the body's surface? Those of the seed's method must. */
static bool is_at_surface(const piecewise *p, uint32_t i) {
  if (!p->view) return true;
  for (uint32_t f = 0; f < ct_elements_form(p->view, i)->faces; f++)
    if (is_outer(p->view, i, f)) return true;
  return false;
}

/* Place in `outer` of an outer face. */
static uint32_t outer_place(const ct_elements_view *view, uint32_t face) {
  uint32_t low = 0, high = view->outer_count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (view->outer[middle] < face) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* A face of the hull that lies on no face of the element (two that lie in one plane) counts as outer, as the lowest of its own,
 * unless none is. */
static void describe_face(const ct_elements_view *view, uint32_t element, uint32_t hull_face, bool any_outer, piece *out) {
  uint32_t face = ct_elements_hull_face(view, element, hull_face);
  bool inner = !any_outer || (face != CT_NO_ELEMENT && !is_outer(view, element, face));
  uint32_t place =
      inner || face == CT_NO_ELEMENT ? 0 : outer_place(view, element * view->face_stride + face);
  out->face[hull_face] = face;
  out->inner[hull_face] = inner;
  out->surface[hull_face] = view->surface_ids ? view->surface_ids[place] : place;
}

/* False: memory was refused. */
static bool place_piece(const piecewise *p, uint32_t i, ct_volume_body_storage *room, piece *out) {
  if (!p->view) return ct_volume_body_place(p->shape, p->frame, room, &out->body);
  const ct_shape hull = {.kind = CT_KIND_CONVEX, .hull = (ct_hull *)(uintptr_t)p->view->hulls[i]};
  if (!ct_volume_body_place(&hull, p->frame, room, &out->body)) return false;
  bool any_outer = is_at_surface(p, i);
  for (uint32_t f = 0; f < out->body.face_count; f++) describe_face(p->view, i, f, any_outer, out);
  out->body.surface = out->surface;
  out->body.is_inner = out->inner;
  out->body.element = i;
  return true;
}

/* ---- candidates ---- */

/* Pieces of b whose boxes may meet one of a's. */
typedef struct finder {
  ct_volume_scratch *memory;
  size_t count;
  bool failed;
} finder;

static bool take_element(void *context, uint32_t element) {
  finder *f = context;
  ct_volume_scratch *m = f->memory;
  if (f->count == m->element_capacity) {
    size_t larger = m->element_capacity ? 2 * m->element_capacity : 64;
    uint32_t *moved = realloc(m->elements, larger * sizeof *moved);
    f->failed = moved == NULL;
    if (f->failed) return false;
    m->elements = moved;
    m->element_capacity = larger;
  }
  m->elements[f->count++] = element;
  return true;
}

static int by_number(const void *a, const void *b) {
  uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
  return (p > q) - (p < q);
}

/* A box of the pair's frame as b's own frame sees it. */
static ct_aabb box_in(const ct_frame *frame, const ct_aabb *box) {
  ct_vec3 middle = ct_scale(ct_add(box->min, box->max), 0.5), half = ct_scale(ct_sub(box->max, box->min), 0.5);
  ct_mat3 back = ct_mat_transpose(frame->rotation);
  ct_vec3 center = ct_to_local(*frame, middle);
  ct_vec3 reach = ct_vec(fabs(back.rx.x) * half.x + fabs(back.rx.y) * half.y + fabs(back.rx.z) * half.z,
                         fabs(back.ry.x) * half.x + fabs(back.ry.y) * half.y + fabs(back.ry.z) * half.z,
                         fabs(back.rz.x) * half.x + fabs(back.rz.y) * half.y + fabs(back.rz.z) * half.z);
  double slack = BOX_SLACK * (ct_max_abs(middle) + ct_max_abs(half) + ct_max_abs(frame->position));
  reach = ct_add(reach, ct_vec(slack, slack, slack));
  return (ct_aabb){ct_sub(center, reach), ct_add(center, reach)};
}

static ct_aabb box_of_piece(const piecewise *p, uint32_t i) {
  const ct_frame identity = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, {0.0, 0.0, 0.0}};
  return p->view ? p->view->boxes[i] : ct_shape_aabb(p->shape, &identity);
}

/* The candidates for a's piece i, ascending, in the memory's list. */
static bool find(ct_volume_scratch *memory, const piecewise *a, uint32_t i, const piecewise *b, size_t *count) {
  finder f = {memory, 0, false};
  if (b->view) {
    ct_aabb own = box_of_piece(a, i), seen = box_in(b->frame, &own);
    ct_tree_query(b->view->tree, &seen, take_element, &f, NULL);
    if (f.count > 1) qsort(memory->elements, f.count, sizeof *memory->elements, by_number);
  } else {
    take_element(&f, 0);
  }
  *count = f.count;
  return !f.failed;
}

/* ---- pairs of pieces ---- */

static void rename_face(uint32_t *face, const piece *p) {
  if (*face != CT_NO_FACE && p->body.is_inner) *face = p->face[*face];
}

/* Triangles tell the element's faces, not its hull's. */
static void rename_faces(ct_volume_pair *pair, uint32_t first, const piece *a, const piece *b) {
  for (uint32_t t = first; t < pair->memory->triangle_count; t++) {
    ct_volume_triangle *triangle = &pair->memory->triangles[t];
    rename_face(&triangle->face_a, a);
    rename_face(&triangle->face_b, b);
  }
}

/* The same of stages. */
static void rename_stages(ct_volume_pair *pair, uint32_t first_point, uint32_t first_face, const piece *a, const piece *b) {
  ct_volume_scratch *m = pair->memory;
  for (uint32_t i = first_point; i < m->point_count; i++) {
    rename_face(&m->points[i].face_a, a);
    rename_face(&m->points[i].face_b, b);
  }
  for (uint32_t i = first_face; i < m->stage_face_count; i++) {
    rename_face(&m->stage_faces[i].face_a, a);
    rename_face(&m->stage_faces[i].face_b, b);
  }
}

/* The pairs of one piece of a. */
static void pair_piece(ct_volume_pair *pair, const piecewise *a, uint32_t i, const piecewise *b) {
  ct_volume_scratch *m = pair->memory;
  size_t count;
  piece first, second;
  if (!find(m, a, i, b, &count) || !place_piece(a, i, &m->room[0], &first)) pair->failed = true;
  for (size_t k = 0; !pair->failed && k < count; k++) {
    if (pair->options->method == CT_VOLUME_SOLFEC && !is_at_surface(b, m->elements[k])) continue;
    if (!place_piece(b, m->elements[k], &m->room[1], &second)) {
      pair->failed = true;
      return;
    }
    uint32_t triangles = m->triangle_count, points = m->point_count, faces = m->stage_face_count;
    ct_volume_bodies(pair, &first.body, &second.body);
    rename_faces(pair, triangles, &first, &second);
    rename_stages(pair, points, faces, &first, &second);
  }
}

void ct_volume_elements(ct_volume_pair *pair) {
  const piecewise a = piecewise_of(pair->a, NULL), b = piecewise_of(pair->b, &pair->relative);
  const ct_cancel *cancel = ct_workspace_cancel(pair->workspace);
  for (uint32_t i = 0; i < piece_count(&a) && !pair->failed; i++) {
    if (ct_cancel_raised(cancel)) {
      pair->status = CT_PAIR_ITERATION_LIMIT;
      return;
    }
    if (pair->options->method != CT_VOLUME_SOLFEC || is_at_surface(&a, i)) pair_piece(pair, &a, i, &b);
  }
}
