/* Volumetric contact of a closed mesh and another mesh or a polyhedron, by the arrangement of both
 * surfaces. The arrangement is in the frame of a mesh: the first by content, or the only one.
 *
 * Volume, areas and centroids are sums over the parts of each surface inside the other solid
 * (divergence theorem). Weights by squared face areas need whole faces: connected, exactly coplanar
 * triangles. If the surface of the intersection is requested, triangles entirely inside the other
 * solid are copied, other parts are decomposed into trapezoids, and areas in both surfaces are
 * added once, as shared.
 *
 * Limits: if borders do not close, or the arrangement is inconsistent, the status is
 * CT_PAIR_DEGENERATE. */
#include "volume/volume_mesh.h"
#include "base/predicates.h"
#include "mesh_pairs/mesh_tree_pairs.h"
#include "pair/workspace.h"
#include "triangle/triangle_distance.h"
#include "volume/volume_gaps.h"

#include <assert.h>

/* A sum of normals below this fraction of the sum of their magnitudes has no direction. */
#define NORMAL_MIN 1e-12

/* The arrangement of the two surfaces of a pair, and its position in the pair. */
typedef struct overlaid_pair {
  ct_arrangement o;
  bool turned;   /* the first solid of the arrangement is b, not a */
  ct_frame to_a; /* transforms from the arrangement's frame to a's */
} overlaid_pair;

/* Callback for a part of one side's surface. */
typedef void (*part_visitor)(void *context, int side, const ct_arrangement_part *part);

/* True if the area of a part exceeds its round-off. */
static bool is_significant_part(const ct_arrangement *o, const ct_arrangement_part *part) {
  return fabs(part->area) > ct_arrangement_error(o) * part->border;
}

/* Calls `visit` for the parts of one side's surface that bound the intersection, triangle by
 * triangle. */
static void visit_boundary_parts(const ct_arrangement *o, int side, part_visitor visit,
                                 void *context) {
  const ct_arrangement_side *s = &o->memory->side[side];
  for (uint32_t t = 0; t < o->surface[side].triangle_count; t++) {
    if (s->slot[t] == CT_ARRANGEMENT_PLAIN) continue;
    if (s->slot[t] != CT_ARRANGEMENT_SEEN) {
      assert(s->slot[t] < s->part_count);
      visit(context, side, &s->part[s->slot[t]]);
      continue;
    }
    int32_t winding = s->winding[o->surface[side].corners[t][0]];
    if (winding == 0) continue;
    ct_arrangement_part whole = ct_arrangement_whole(o, side, t, winding);
    visit(context, side, &whole);
  }
}

/* ---- whole faces ----------------------------------------------------------------------------- */

#define USED (-INFINITY)

static void store_part_area(void *context, int side, const ct_arrangement_part *part) {
  ct_arrangement *o = context;
  (void)side;
  if (is_significant_part(o, part))
    o->memory->face_area[part->triangle] = part->area - part->shared;
}

static bool are_triangles_coplanar(const ct_mesh_view *view, uint32_t triangle, uint32_t other) {
  ct_triangle t = ct_mesh_triangle(view, triangle), u = ct_mesh_triangle(view, other);
  for (int k = 0; k < 3; k++)
    if (ct_orient3d(t.v[0], t.v[1], t.v[2], u.v[k]) != 0) return false;
  return ct_dot(ct_triangle_cross(&t), ct_triangle_cross(&u)) > 0.0;
}

/* Returns the total area within the intersection of the mesh face that contains triangle `from`, by
 * flood fill over coplanar neighbours, and marks its triangles as used. */
static double sum_mesh_face_area(ct_arrangement *o, int side, uint32_t from) {
  const ct_mesh_view *view = o->surface[side].view;
  uint32_t *stack = o->memory->side[side].stack;
  double *area = o->memory->face_area, sum = area[from];
  size_t top = 0;
  stack[top++] = from;
  area[from] = USED;
  while (top > 0) {
    uint32_t t = stack[--top];
    for (int k = 0; k < 3; k++) {
      uint32_t next = view->across[t][k];
      if (next == CT_NO_TRIANGLE || area[next] == USED || !are_triangles_coplanar(view, from, next))
        continue;
      sum += area[next];
      area[next] = USED;
      stack[top++] = next;
    }
  }
  return sum;
}

/* As sum_mesh_face_area for a hull or box, where the triangles of a face are consecutive. */
static double sum_hull_face_area(ct_arrangement *o, int side, uint32_t from) {
  const ct_placed_surface *placed = &o->surface[side];
  double *area = o->memory->face_area, sum = 0.0;
  for (uint32_t t = from; t < placed->triangle_count && placed->faces[t] == placed->faces[from];
       t++) {
    sum += area[t];
    area[t] = USED;
  }
  return sum;
}

/* Computes the sum of normals weighted by the squared areas of whole faces. A face of a mesh
 * consists of connected, exactly coplanar triangles. False: out of memory. */
static bool sum_whole_faces(ct_arrangement *o, int side, ct_vec3 *sum) {
  ct_arrangement_scratch *m = o->memory;
  const ct_placed_surface *placed = &o->surface[side];
  if (!ct_arrangement_reserve(m, &m->face_area, sizeof *m->face_area, &m->face_area_room,
                              placed->triangle_count))
    return false;
  for (uint32_t t = 0; t < placed->triangle_count; t++) m->face_area[t] = 0.0;
  visit_boundary_parts(o, side, store_part_area, o);
  *sum = ct_vec(0.0, 0.0, 0.0);
  for (uint32_t t = 0; t < placed->triangle_count; t++) {
    if (m->face_area[t] == 0.0 || m->face_area[t] == USED) continue;
    ct_arrangement_part whole = ct_arrangement_whole(o, side, t, 1);
    double area = placed->view ? sum_mesh_face_area(o, side, t) : sum_hull_face_area(o, side, t);
    *sum = ct_add_scaled(*sum, whole.normal, area * area);
  }
  return true;
}

/* ---- triangles ------------------------------------------------------------------------------- */

typedef struct surface {
  ct_volume_pair *pair;
  const overlaid_pair *laid;
  ct_volume_triangle next; /* the triangle to add: owner and faces are set */
  size_t list_count; /* number of border segments in the lists of coplanar faces; the segments of
                        the current part follow these */
  bool failed;
} surface;

static uint32_t get_face_number(const ct_placed_surface *placed, uint32_t triangle) {
  return placed->faces ? placed->faces[triangle] : placed->view->order[triangle];
}

/* Adds a triangle of a trapezoid to the pair's result unless its area is round-off. False: out of
 * memory. */
static bool push_surface_triangle(void *context, const ct_vec3 v[3]) {
  surface *s = context;
  const overlaid_pair *l = s->laid;
  double border =
      ct_norm(ct_sub(v[1], v[0])) + ct_norm(ct_sub(v[2], v[1])) + ct_norm(ct_sub(v[0], v[2]));
  ct_triangle t = {{v[0], v[1], v[2]}};
  if (0.5 * ct_norm(ct_triangle_cross(&t)) <= ct_arrangement_error(&l->o) * border) return true;
  for (int k = 0; k < 3; k++) s->next.vertex[k] = ct_to_parent(l->to_a, ct_add(v[k], l->o.origin));
  return ct_volume_push_triangle(s->pair, &s->next);
}

static bool append_part_border(surface *s, ct_vec3 p, ct_vec3 q, int32_t weight, uint32_t next) {
  ct_arrangement_scratch *m = s->laid->o.memory;
  if (!ct_arrangement_reserve(m, &m->border, sizeof *m->border, &m->border_room,
                              m->border_count + 1))
    return false;
  m->border[m->border_count++] = (ct_border_segment){p, q, weight, next};
  return true;
}

/* ---- shared surface ------------------------------------------------------------------------- */

static bool subtract_polygon(surface *s, int side, uint32_t triangle,
                             const ct_arrangement_polygon *p, int32_t weight) {
  ct_arrangement_scratch *m = s->laid->o.memory;
  ct_arrangement_part *part = &m->side[side].part[m->side[side].slot[triangle]];
  for (int k = 0; k < p->count; k++) {
    if (!append_part_border(s, p->v[k], p->v[k + 1 == p->count ? 0 : k + 1], weight,
                            part->first_border))
      return false;
    part->first_border = (uint32_t)m->border_count - 1;
  }
  return true;
}

static bool push_polygon_triangles(surface *s, const ct_arrangement_polygon *p) {
  assert(p->count <= (int)(sizeof p->v / sizeof *p->v));
  for (int k = 2; k < p->count; k++) {
    const ct_vec3 t[3] = {p->v[0], p->v[k - 1], p->v[k]};
    if (!push_surface_triangle(s, t)) return false;
  }
  return true;
}

/* Adds the common polygons of coplanar triangles once, as shared surface, and subtracts them from
 * the parts of both sides. Polygons have the orientation of the first triangle; the second triangle
 * has the opposite one if the outward sides are opposite, and then nothing is added. False: out of
 * memory. */
static bool push_shared_polygons(surface *s) {
  const overlaid_pair *l = s->laid;
  const ct_arrangement_scratch *m = l->o.memory;
  for (size_t i = 0; i < m->coplanar_count; i++) {
    const ct_coplanar_pair *f = &m->coplanar[i];
    ct_arrangement_polygon below, above;
    bool same = ct_coplanar_common_area(&l->o, f, &below, &above);
    if (!subtract_polygon(s, 0, f->triangle[0], &below, -1)) return false;
    if (!subtract_polygon(s, 1, f->triangle[1], same ? &above : &below, same ? -1 : 1))
      return false;
    if (!same) continue;
    uint32_t face[2] = {get_face_number(&l->o.surface[0], f->triangle[0]),
                        get_face_number(&l->o.surface[1], f->triangle[1])};
    s->next = (ct_volume_triangle){
        .owner = CT_OWNER_SHARED, .face_a = face[l->turned], .face_b = face[!l->turned]};
    if (!push_polygon_triangles(s, &below) || !push_polygon_triangles(s, &above)) return false;
  }
  return true;
}

/* ---- parts ---------------------------------------------------------------------------------- */

static bool append_part_edge(void *context, ct_vec3 p, ct_vec3 q, int32_t weight) {
  return append_part_border(context, p, q, weight, 0);
}

static bool push_part_trapezoids(surface *s, int side, const ct_arrangement_part *part) {
  ct_arrangement_scratch *m = s->laid->o.memory;
  m->border_count = s->list_count;
  if (!ct_arrangement_edges(&s->laid->o, side, part, append_part_edge, s)) return false;
  for (uint32_t i = part->first_segment; i != CT_NO_TRIANGLE; i = m->segment[i].next[side])
    if (!append_part_border(s, m->segment[i].p, m->segment[i].q, side == 0 ? 1 : -1, 0))
      return false;
  for (uint32_t i = part->first_border; i != CT_NO_TRIANGLE; i = m->border[i].next)
    if (!append_part_border(s, m->border[i].p, m->border[i].q, m->border[i].weight, 0))
      return false;
  return ct_trapezoids_of(&m->pieces, m->border + s->list_count, m->border_count - s->list_count,
                          part->normal, push_surface_triangle, s);
}

static void push_visited_part(void *context, int side, const ct_arrangement_part *part) {
  surface *s = context;
  const overlaid_pair *l = s->laid;
  const ct_placed_surface *placed = &l->o.surface[side];
  bool of_a = (side == 0) != l->turned;
  uint32_t face = get_face_number(placed, part->triangle);
  s->next = (ct_volume_triangle){.owner = of_a ? CT_OWNER_A : CT_OWNER_B,
                                 .face_a = of_a ? face : CT_NO_FACE,
                                 .face_b = of_a ? CT_NO_FACE : face};
  if (s->failed || !is_significant_part(&l->o, part)) return;
  if (part->first_segment != CT_NO_TRIANGLE || part->first_border != CT_NO_TRIANGLE ||
      part->crossing_count > 0) {
    s->failed = !push_part_trapezoids(s, side, part);
    return;
  }
  ct_vec3 v[3];
  ct_placed_surface_triangle(placed, part->triangle, v);
  for (int k = 0; k < 3; k++) v[k] = ct_sub(v[k], l->o.origin);
  s->failed = !push_surface_triangle(s, v);
}

/* Appends the boundary triangles of the intersection to the triangles of the pair's result. False:
 * out of memory. */
static bool push_intersection_surface(ct_volume_pair *pair, const overlaid_pair *laid) {
  surface s = {.pair = pair, .laid = laid};
  ct_arrangement_scratch *m = laid->o.memory;
  m->border_count = 0;
  s.failed = !push_shared_polygons(&s);
  s.list_count = m->border_count;
  for (int side = 0; side < 2; side++) visit_boundary_parts(&laid->o, side, push_visited_part, &s);
  pair->failed = pair->failed || s.failed;
  return !s.failed;
}

/* ---- sums ----------------------------------------------------------------------------------- */

typedef struct part_sums {
  ct_arrangement *o;
  double volume, area, shared, border;
  double loose; /* area, m^2: the volume's error bound is this area times the upper bound of the
                   displacement of points by round-off */
  ct_vec3 first, volume_first, closure;
  ct_vec3 linear[2], squared[2]; /* sums over each side's own faces of normal times area, and of
                                    normal times squared area */
  bool open; /* a border of a part is not closed, so the status is CT_PAIR_DEGENERATE */
  bool winds;
} part_sums;

static void integrate_part(void *context, int side, const ct_arrangement_part *part) {
  part_sums *s = context;
  double own = part->area - part->shared;
  s->volume += part->volume;
  s->area += part->area;
  s->shared += part->shared;
  s->border += part->border;
  s->loose += fabs(part->area) + part->subtracted + part->border * fabs(part->height);
  s->first = ct_add(s->first, part->first);
  s->volume_first = ct_add(s->volume_first, part->volume_first);
  s->closure = ct_add_scaled(s->closure, part->normal, part->area);
  if (!is_significant_part(s->o, part)) return;
  s->linear[side] = ct_add_scaled(s->linear[side], part->normal, own);
  s->squared[side] = ct_add_scaled(s->squared[side], part->normal, own * own);
  uint32_t stretches = part->crossing_count + 6;
  if (!(ct_max_abs(part->gap) <= ct_arrangement_error(s->o) * (double)stretches)) s->open = true;
  if (part->first_segment == CT_NO_TRIANGLE && part->crossing_count == 0) {
    int32_t winding =
        s->o->memory->side[side].winding[s->o->surface[side].corners[part->triangle][0]];
    s->winds = s->winds || winding < 0 || winding > 1;
  }
}

/* ---- width of the intersection along a direction -------------------------------------------- */

typedef struct width {
  const ct_arrangement *o;
  ct_vec3 along;
  double least, most;
} width;

static void extend_width(width *w, ct_vec3 p) {
  double at = ct_dot(w->along, p);
  w->least = ct_min2(w->least, at);
  w->most = ct_max2(w->most, at);
}

static void extend_width_by_part(void *context, int side, const ct_arrangement_part *part) {
  width *w = context;
  const ct_arrangement *o = w->o;
  if (!is_significant_part(o, part)) return;
  for (int k = 0; k < 3; k++) {
    uint32_t vertex = o->surface[side].corners[part->triangle][k];
    if (o->memory->side[side].winding[vertex] != 0)
      extend_width(w, ct_sub(o->surface[side].vertices[vertex], o->origin));
  }
  for (uint32_t i = part->first_segment; i != CT_NO_TRIANGLE;
       i = o->memory->segment[i].next[side]) {
    extend_width(w, o->memory->segment[i].p);
    extend_width(w, o->memory->segment[i].q);
  }
}

static double compute_intersection_width(const ct_arrangement *o, ct_vec3 along) {
  width w = {.o = o, .along = along, .least = INFINITY, .most = -INFINITY};
  for (int side = 0; side < 2; side++) visit_boundary_parts(o, side, extend_width_by_part, &w);
  return ct_max2(w.most - w.least, 0.0);
}

/* ---- arrangement of a pair ------------------------------------------------------------------ */

static ct_frame invert_pair_frame(const ct_frame *f) {
  return (ct_frame){ct_mat_transpose(f->rotation), ct_neg(ct_mat_tmul(f->rotation, f->position))};
}

bool ct_volume_surface_of(ct_placed_surface *placed, ct_arrangement_scratch *m,
                          const ct_shape *shape, const ct_frame *frame) {
  if (ct_kind_is_mesh(shape->kind)) return ct_placed_surface_of_mesh(placed, m, shape->mesh, frame);
  if (shape->kind == CT_KIND_CONVEX)
    return ct_placed_surface_of_hull(placed, m, shape->hull, frame);
  return ct_placed_surface_of_box(placed, m, shape->box.half, frame);
}

static ct_aabb intersect_pair_aabbs(const ct_aabb *a, const ct_aabb *b) {
  return (ct_aabb){
      {ct_max2(a->min.x, b->min.x), ct_max2(a->min.y, b->min.y), ct_max2(a->min.z, b->min.z)},
      {ct_min2(a->max.x, b->max.x), ct_min2(a->max.y, b->max.y), ct_min2(a->max.z, b->max.z)}};
}

static double find_largest_box_coordinate(const ct_aabb *box) {
  return ct_max2(ct_max_abs(box->min), ct_max_abs(box->max));
}

/* Builds the arrangement of the pair. *apart: the boxes are disjoint, and nothing was built. False:
 * out of memory or cancelled. */
static bool build_pair_arrangement(ct_volume_pair *pair, overlaid_pair *l, bool *apart) {
  ct_workspace *workspace = pair->workspace;
  ct_arrangement *o = &l->o;
  *l = (overlaid_pair){
      .o = {.memory = ct_workspace_arrangement(workspace), .flag = &workspace->mesh}};
  workspace->mesh.stopped = false;
  l->turned = !ct_kind_is_mesh(pair->a.shape->kind);
  ct_frame placed = l->turned ? invert_pair_frame(&pair->relative) : pair->relative;
  l->to_a = l->turned ? pair->relative : ct_frame_of(ct_pose_identity());
  const ct_shape *first = l->turned ? pair->b.shape : pair->a.shape,
                 *second = l->turned ? pair->a.shape : pair->b.shape;
  if (!ct_volume_surface_of(&o->surface[0], o->memory, first, NULL) ||
      !ct_volume_surface_of(&o->surface[1], o->memory, second, &placed))
    return false;
  /* set the common box, and the upper bound of all coordinates */
  o->common = intersect_pair_aabbs(&o->surface[0].box, &o->surface[1].box);
  *apart = !ct_aabb_overlap(&o->surface[0].box, &o->surface[1].box);
  if (*apart) return true;
  o->origin = ct_scale(ct_add(o->common.min, o->common.max), 0.5);
  double reach = ct_max_abs(ct_sub(o->surface[1].box.max, o->surface[1].box.min));
  o->coordinates = ct_max2(find_largest_box_coordinate(&o->surface[0].box),
                           find_largest_box_coordinate(&o->surface[1].box) + reach);
  o->common = ct_aabb_expand(o->common, 2.0 * ct_arrangement_error(o));
  return ct_arrangement_build(o);
}

/* ---- the contact ---------------------------------------------------------------------------- */

static ct_vec3 transform_to_a(const overlaid_pair *l, ct_vec3 p) {
  return ct_to_parent(l->to_a, ct_add(p, l->o.origin));
}

/* Computes the weighted normal sum, directed from the arrangement's first solid to its second.
 * False: out of memory. */
static bool compute_normal_sum(ct_volume_pair *pair, overlaid_pair *l, const part_sums *s,
                               ct_vec3 *sum) {
  ct_vec3 of[2];
  for (int side = 0; side < 2; side++) {
    of[side] = pair->options->weighting == CT_WEIGHTING_LINEAR ? s->linear[side] : s->squared[side];
    if (pair->options->weighting == CT_WEIGHTING_SQUARED_FACE &&
        !sum_whole_faces(&l->o, side, &of[side]))
      return false;
  }
  *sum = ct_sub(of[0], of[1]);
  return true;
}

static void set_mesh_normal(ct_volume_pair *pair, const overlaid_pair *l, const part_sums *s,
                            ct_vec3 sum, ct_volume_contact *c) {
  double size = pair->options->weighting == CT_WEIGHTING_LINEAR ? s->area : s->area * s->area;
  if (ct_norm(sum) > NORMAL_MIN * size) {
    c->normal = ct_unit_or(ct_mat_mul(l->to_a.rotation, l->turned ? ct_neg(sum) : sum),
                           ct_vec(1.0, 0.0, 0.0));
    return;
  }
  ct_volume_use_distance_normal(pair, c);
}

static void set_integral_results(const overlaid_pair *l, const part_sums *s, ct_volume_contact *c) {
  c->volume = s->volume;
  c->area = 0.5 * s->area;
  c->area_defined = true;
  c->patch_area = 0.5 * ct_norm(ct_sub(s->linear[0], s->linear[1]));
  c->centroid = transform_to_a(l, ct_scale(s->volume_first, 1.0 / s->volume));
  c->position = transform_to_a(l, ct_scale(s->first, 1.0 / s->area));
  c->element_a = c->element_b = CT_NO_ELEMENT;
  if (s->shared > ct_arrangement_error(&l->o) * s->border) c->flags |= CT_VOLUME_FLAG_SHARED_FACES;
  if (s->winds || l->o.winds) c->flags |= CT_VOLUME_FLAG_COUNTED_TWICE;
  bool closed = ct_max_abs(s->closure) <= ct_arrangement_error(&l->o) * s->border;
  if (!l->o.sound || s->open || !closed) c->status = CT_PAIR_DEGENERATE;
  ct_volume_set_error(c, ct_arrangement_error(&l->o) * s->loose);
}

void ct_volume_mesh(ct_volume_pair *pair) {
  overlaid_pair l;
  bool apart = false;
  if (!build_pair_arrangement(pair, &l, &apart)) {
    pair->failed = ct_workspace_arrangement(pair->workspace)->out_of_memory;
    pair->status = CT_PAIR_ITERATION_LIMIT;
    return;
  }
  if (apart) return;
  part_sums s = {.o = &l.o};
  for (int side = 0; side < 2; side++) visit_boundary_parts(&l.o, side, integrate_part, &s);
  /* Points of the surfaces have errors: a volume that these could cause does not count. */
  if (!(s.volume > ct_arrangement_error(&l.o) * s.loose && s.area > 0.0)) {
    if (ct_pair_overlap(pair->a, pair->b, pair->workspace, NULL))
      pair->flags |= CT_VOLUME_FLAG_TOUCHING_ONLY;
    return;
  }
  /* set the results of the integrals, then normal, gaps, surface ids and triangles */
  ct_volume_contact c = {.status = CT_PAIR_OK};
  ct_vec3 sum;
  set_integral_results(&l, &s, &c);
  if (!compute_normal_sum(pair, &l, &s, &sum)) {
    pair->failed = true;
    return;
  }
  set_mesh_normal(pair, &l, &s, sum, &c);
  c.raw_gap = -compute_intersection_width(&l.o, ct_mat_tmul(l.to_a.rotation, c.normal));
  ct_volume_gaps(pair, &c);
  ct_volume_surfaces(pair, &c);
  c.first_triangle = pair->memory->triangle_count;
  if (pair->options->triangles && !push_intersection_surface(pair, &l)) return;
  c.triangle_count = pair->memory->triangle_count - c.first_triangle;
  ct_volume_push(pair, &c);
}
