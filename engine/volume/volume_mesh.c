/* Volumetric contact of a closed mesh and another one, or a polyhedron, by the arrangement of both
 * surfaces. The arrangement is in the frame of a mesh: the first by content, or the only one.
 *
 * Volume, areas and centroids are sums over surface parts inside the other solid (divergence
 * theorem). Limits: if borders do not close, or the arrangement is unsound, the status is
 * CT_PAIR_DEGENERATE.
 */
#include "volume/volume_mesh.h"

#include "pair/workspace.h"
#include "volume/volume_gaps.h"

/* Normal sums below this, as a part of the sum of their sizes, have no direction. */
#define NORMAL_MIN 1e-12

bool ct_arrangement_part_is_significant(const ct_arrangement *o, const ct_arrangement_part *part) {
  return fabs(part->area) > ct_arrangement_error(o) * part->border;
}

void ct_arrangement_visit_parts(const ct_arrangement *o, int side, ct_arrangement_visit visit,
                                void *context) {
  const ct_arrangement_side *s = &o->memory->side[side];
  for (uint32_t t = 0; t < o->skin[side].triangle_count; t++) {
    if (s->slot[t] == CT_ARRANGEMENT_PLAIN) continue;
    if (s->slot[t] != CT_ARRANGEMENT_SEEN) {
      visit(context, side, &s->part[s->slot[t]]);
      continue;
    }
    int32_t winding = s->winding[o->skin[side].corners[t][0]];
    if (winding == 0) continue;
    ct_arrangement_part whole = ct_arrangement_whole(o, side, t, winding);
    visit(context, side, &whole);
  }
}

/* ---- sums ----------------------------------------------------------------------------------- */

typedef struct part_sums {
  ct_arrangement *o;
  double volume, area, shared, border;
  double loose; /* area that multiplies the displacement of points in the volume's error bound */
  ct_vec3 first, volume_first, closure;
  ct_vec3 linear[2], squared[2]; /* sums over each side's own faces */
  bool open;                     /* a border is not closed */
  bool winds;
} part_sums;

static void integrate_part(void *context, int side, const ct_arrangement_part *part) {
  part_sums *s = context;
  double own = part->area - part->shared;
  s->volume += part->volume;
  s->area += part->area;
  s->shared += part->shared;
  s->border += part->border;
  s->loose += fabs(part->area) + part->taken + part->border * fabs(part->height);
  s->first = ct_add(s->first, part->first);
  s->volume_first = ct_add(s->volume_first, part->volume_first);
  s->closure = ct_add_scaled(s->closure, part->normal, part->area);
  if (!ct_arrangement_part_is_significant(s->o, part)) return;
  s->linear[side] = ct_add_scaled(s->linear[side], part->normal, own);
  s->squared[side] = ct_add_scaled(s->squared[side], part->normal, own * own);
  uint32_t stretches = part->passing_count + 6;
  if (!(ct_max_abs(part->gap) <= ct_arrangement_error(s->o) * (double)stretches)) s->open = true;
  if (part->first_segment == CT_NO_TRIANGLE && part->passing_count == 0) {
    int32_t winding = s->o->memory->side[side].winding[s->o->skin[side].corners[part->triangle][0]];
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
  if (!ct_arrangement_part_is_significant(o, part)) return;
  for (int k = 0; k < 3; k++) {
    uint32_t vertex = o->skin[side].corners[part->triangle][k];
    if (o->memory->side[side].winding[vertex] != 0)
      extend_width(w, ct_sub(o->skin[side].vertices[vertex], o->origin));
  }
  for (uint32_t i = part->first_segment; i != CT_NO_TRIANGLE;
       i = o->memory->segment[i].next[side]) {
    extend_width(w, o->memory->segment[i].p);
    extend_width(w, o->memory->segment[i].q);
  }
}

static double compute_intersection_width(const ct_arrangement *o, ct_vec3 along) {
  width w = {.o = o, .along = along, .least = INFINITY, .most = -INFINITY};
  for (int side = 0; side < 2; side++)
    ct_arrangement_visit_parts(o, side, extend_width_by_part, &w);
  return ct_max2(w.most - w.least, 0.0);
}

/* ---- arrangement of a pair ------------------------------------------------------------------ */

static ct_frame invert_pair_frame(const ct_frame *f) {
  return (ct_frame){ct_mat_transpose(f->rotation), ct_neg(ct_mat_tmul(f->rotation, f->position))};
}

bool ct_volume_surface_of(ct_placed_surface *skin, ct_arrangement_scratch *m, const ct_shape *shape,
                          const ct_frame *frame) {
  if (ct_kind_is_mesh(shape->kind)) return ct_placed_surface_of_mesh(skin, m, shape->mesh, frame);
  if (shape->kind == CT_KIND_CONVEX) return ct_placed_surface_of_hull(skin, m, shape->hull, frame);
  return ct_placed_surface_of_box(skin, m, shape->box.half, frame);
}

static ct_aabb intersect_pair_aabbs(const ct_aabb *a, const ct_aabb *b) {
  return (ct_aabb){
      {ct_max2(a->min.x, b->min.x), ct_max2(a->min.y, b->min.y), ct_max2(a->min.z, b->min.z)},
      {ct_min2(a->max.x, b->max.x), ct_min2(a->max.y, b->max.y), ct_min2(a->max.z, b->max.z)}};
}

static double find_largest_box_coordinate(const ct_aabb *box) {
  return ct_max2(ct_max_abs(box->min), ct_max_abs(box->max));
}

/* Builds the arrangement. False: out of memory or stopped. *apart: the boxes are disjoint. */
static bool build_pair_arrangement(ct_volume_pair *pair, ct_overlaid_pair *l, bool *apart) {
  ct_workspace *workspace = pair->workspace;
  ct_arrangement *o = &l->o;
  *l = (ct_overlaid_pair){
      .o = {.memory = ct_workspace_arrangement(workspace), .flag = &workspace->mesh}};
  workspace->mesh.stopped = false;
  l->turned = !ct_kind_is_mesh(pair->a.shape->kind);
  ct_frame placed = l->turned ? invert_pair_frame(&pair->relative) : pair->relative;
  l->to_a = l->turned ? pair->relative : ct_frame_of(ct_pose_identity());
  const ct_shape *first = l->turned ? pair->b.shape : pair->a.shape,
                 *second = l->turned ? pair->a.shape : pair->b.shape;
  if (!ct_volume_surface_of(&o->skin[0], o->memory, first, NULL) ||
      !ct_volume_surface_of(&o->skin[1], o->memory, second, &placed))
    return false;
  /* the common box, and the bound of all coordinates */
  o->common = intersect_pair_aabbs(&o->skin[0].box, &o->skin[1].box);
  *apart = !ct_aabb_overlap(&o->skin[0].box, &o->skin[1].box);
  if (*apart) return true;
  o->origin = ct_scale(ct_add(o->common.min, o->common.max), 0.5);
  double reach = ct_max_abs(ct_sub(o->skin[1].box.max, o->skin[1].box.min));
  o->coordinates = ct_max2(find_largest_box_coordinate(&o->skin[0].box),
                           find_largest_box_coordinate(&o->skin[1].box) + reach);
  o->common = ct_aabb_expand(o->common, 2.0 * ct_arrangement_error(o));
  return ct_arrangement_build(o);
}

/* ---- the contact ---------------------------------------------------------------------------- */

static ct_vec3 transform_to_a(const ct_overlaid_pair *l, ct_vec3 p) {
  return ct_to_parent(l->to_a, ct_add(p, l->o.origin));
}

/* Weighted normal sum from the arrangement's first solid to its second. False: out of memory. */
static bool compute_normal_sum(ct_volume_pair *pair, ct_overlaid_pair *l, const part_sums *s,
                               ct_vec3 *sum) {
  ct_vec3 of[2];
  for (int side = 0; side < 2; side++) {
    of[side] = pair->options->weighting == CT_WEIGHTING_LINEAR ? s->linear[side] : s->squared[side];
    if (pair->options->weighting == CT_WEIGHTING_SQUARED_FACE &&
        !ct_arrangement_faces(&l->o, side, &of[side]))
      return false;
  }
  *sum = ct_sub(of[0], of[1]);
  return true;
}

static void set_mesh_normal(ct_volume_pair *pair, const ct_overlaid_pair *l, const part_sums *s,
                            ct_vec3 sum, ct_volume_contact *c) {
  double size = pair->options->weighting == CT_WEIGHTING_LINEAR ? s->area : s->area * s->area;
  if (ct_norm(sum) > NORMAL_MIN * size) {
    c->normal = ct_unit_or(ct_mat_mul(l->to_a.rotation, l->turned ? ct_neg(sum) : sum),
                           ct_vec(1.0, 0.0, 0.0));
    return;
  }
  ct_volume_use_distance_normal(pair, c);
}

static void set_integral_results(const ct_overlaid_pair *l, const part_sums *s,
                                 ct_volume_contact *c) {
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
  ct_overlaid_pair l;
  bool apart = false;
  if (!build_pair_arrangement(pair, &l, &apart)) {
    pair->failed = ct_workspace_arrangement(pair->workspace)->out_of_memory;
    pair->status = CT_PAIR_ITERATION_LIMIT;
    return;
  }
  if (apart) return;
  part_sums s = {.o = &l.o};
  for (int side = 0; side < 2; side++) ct_arrangement_visit_parts(&l.o, side, integrate_part, &s);
  /* Surfaces may be off by the error of their points: a volume within this error is none. */
  if (!(s.volume > ct_arrangement_error(&l.o) * s.loose && s.area > 0.0)) {
    if (ct_pair_overlap(pair->a, pair->b, pair->workspace, NULL))
      pair->flags |= CT_VOLUME_FLAG_TOUCHING_ONLY;
    return;
  }
  /* integral results, then normal, gaps, surfaces and triangles */
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
  if (pair->options->triangles && !ct_volume_mesh_triangles(pair, &l)) return;
  c.triangle_count = pair->memory->triangle_count - c.first_triangle;
  ct_volume_push(pair, &c);
}
